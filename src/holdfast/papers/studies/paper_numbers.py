"""What the paper printed, as data to stand beside what is measured here.

Source: K. Hauser, S. Wang, M. R. Cutkosky, "Efficient equilibrium testing under adhesion and anisotropy using empirical
contact force models", IEEE Transactions on Robotics, 2018: Table I and Section IV.E.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

#: Convex pieces of a unit's volume, and vertices of all of them together, as the paper has them (IV.A).
PAPER_PIECES, PAPER_VERTICES = 4, 296

#: Seconds after which the paper stopped SCIP (IV.E).
PAPER_CAP = 300.0


@dataclass(frozen=True)
class Printed:
    """One cell of Table I: "avg [min, max]".

    Attributes:
        mean, least, most: of the queries; times in seconds.
        capped: whether the largest was stopped at PAPER_CAP ("5m+").
    """

    mean: float
    least: float
    most: float
    capped: bool = False


@dataclass(frozen=True)
class PrintedRow:
    """One row of Table I.

    Attributes:
        units: microspine units that touch.
        contacts: contact points, four a unit.
        tests: equilibrium tests by the paper's algorithm [s], column "Eq.".
        scip: equilibrium tests by its big-M program on SCIP 3.2.1 [s], column "Eq. SCIP".
        limits: load limits by the paper's algorithm [s], column "Opt.".
        programs: convex programs solved for a load limit, column "# CP".
    """

    units: int
    contacts: int
    tests: Printed
    scip: Printed
    limits: Printed
    programs: Printed


_Cell = tuple[float, float, float]


def _row(units: int, contacts: int, tests: _Cell, scip: _Cell, limits: _Cell, programs: _Cell) -> PrintedRow:
    capped = Printed(*scip, capped=scip[2] >= PAPER_CAP)
    return PrintedRow(units, contacts, Printed(*tests), capped, Printed(*limits), Printed(*programs))


#: Table I by row.
TABLE_ONE = MappingProxyType(
    {
        "2OU": _row(2, 8, (0.025, 0.021, 0.072), (0.254, 0.242, 0.266), (0.038, 0.029, 0.288), (1.1, 1, 11)),
        "2FG D-D": _row(2, 8, (0.055, 0.049, 0.111), (0.527, 0.270, 1.2), (0.294, 0.029, 6.7), (10, 1, 271)),
        "2FG D-MD": _row(3, 12, (0.108, 0.051, 0.336), (2.7, 0.792, 9.2), (3.6, 0.041, 79.5), (84, 1, 2246)),
        "2FG D-PMD": _row(4, 16, (0.366, 0.082, 3.1), (24.0, 0.536, PAPER_CAP), (8.3, 0.057, 178.0), (154, 1, 3392)),
        "2FG MD-MD": _row(4, 16, (0.461, 0.073, 23.8), (50.0, 0.492, PAPER_CAP), (4.1, 0.080, 14.9), (61, 1, 262)),
        "2FG MD-PMD": _row(5, 20, (0.180, 0.094, 1.0), (53.0, 0.640, PAPER_CAP), (10.0, 0.087, 267.0), (159, 1, 4276)),
        "2FG PMD-PMD": _row(6, 24, (0.185, 0.136, 0.288), (2.5, 0.739, 20.0), (12.0, 0.149, 260.0), (92, 1, 2272)),
        "4FH parallel": _row(12, 48, (0.321, 0.298, 0.396), (2.8, 1.8, 15.0), (2.6, 0.226, 28.0), (10, 1, 271)),
        "4FH opposed": _row(12, 48, (0.581, 0.353, 0.815), (1.8, 1.6, 2.5), (5.8, 0.574, 69.0), (9.3, 1, 116)),
    }
)
