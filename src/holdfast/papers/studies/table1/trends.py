"""What the paper observed of Table I (IV.E), computed alike from its printed numbers and from measured ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..paper_numbers import PAPER_CAP, TABLE_ONE, Printed
from ..text_tables import Table, duration
from .asking import Series
from .study import TableOne

#: The paper's algorithm as its authors ran it, and its rival.
PAPER, SCIP = "Paper, CVXOPT", "BigM, SCIP"


@dataclass(frozen=True)
class Column:
    """Averages and worst times of one source, by row; what is not known is left out.

    Attributes:
        contacts: contact points.
        tests, limits: times of the method that the table is about.
        programs: its convex programs a load limit.
        paper, scip: times of tests by the paper's algorithm and by big-M on SCIP.
        cap: seconds after which SCIP was stopped.
    """

    contacts: Mapping[str, int]
    tests: Mapping[str, Printed]
    limits: Mapping[str, Printed]
    programs: Mapping[str, Printed]
    paper: Mapping[str, Printed]
    scip: Mapping[str, Printed]
    cap: float

    def cells(self) -> list[str]:
        """One text an observation, in the order of OBSERVED."""
        both = sorted(self.tests.keys() & self.limits.keys())
        rivals = sorted(self.paper.keys() & self.scip.keys())
        capped = sum(cell.capped for cell in self.scip.values())
        return [
            self._growth(self.tests),
            self._growth(self.limits),
            _between([cell.most / cell.mean for cell in self.tests.values()]),
            _between([cell.most / cell.mean for cell in self.limits.values()]),
            _between([self.limits[name].mean / self.tests[name].mean for name in both]),
            _between([cell.mean for cell in self.programs.values()]),
            _between([self.scip[name].mean / self.paper[name].mean for name in rivals]),
            f"{capped} of {len(self.scip)}, cap {duration(self.cap)}" if self.scip else "-",
        ]

    def _growth(self, cells: Mapping[str, Printed]) -> str:
        """Mean time of the rows with most contacts over that of the rows with fewest."""
        sizes = sorted({self.contacts[name] for name in cells})
        if len(sizes) < 2:
            return "-"
        few, many = ([c.mean for name, c in cells.items() if self.contacts[name] == k] for k in (sizes[0], sizes[-1]))
        return f"{sum(many) / len(many) / (sum(few) / len(few)):.2g} times (k = {sizes[0]} to {sizes[-1]})"


OBSERVED = (
    "growth of an average test with contacts",
    "growth of an average load limit with contacts",
    "worst over average, tests",
    "worst over average, load limits",
    "load limit over test, averages",
    "convex programs a load limit, average",
    "big-M on SCIP over the paper's algorithm, average tests",
    "rows on which SCIP met its cap in tests",
)


def trends_table(found: TableOne) -> Table:
    """The paper's observations, from its printed numbers and from what was measured; ranges are over rows."""
    header = ("observation", "paper, printed", "measured here")
    cells = [list(line) for line in zip(OBSERVED, printed().cells(), measured(found).cells(), strict=True)]
    note = (
        "Ranges are over the rows, least to most. Measured: times, programs and growth are ours; SCIP and the "
        "paper's algorithm are those of the tables of rivals, on the queries that each was asked."
    )
    return Table("Trends", header, cells, note)


def printed() -> Column:
    """The paper's own numbers."""
    tests = {name: row.tests for name, row in TABLE_ONE.items()}
    return Column(
        contacts={name: row.contacts for name, row in TABLE_ONE.items()},
        tests=tests,
        limits={name: row.limits for name, row in TABLE_ONE.items()},
        programs={name: row.programs for name, row in TABLE_ONE.items()},
        paper=tests,
        scip={name: row.scip for name, row in TABLE_ONE.items()},
        cap=PAPER_CAP,
    )


def measured(found: TableOne) -> Column:
    """What was measured here."""
    tests = {row.name: row.ours["test"] for row in found.rows}
    limits = {row.name: row.ours["limit"] for row in found.rows}
    programs = {name: _spread([r.programs for r in series.replies]) for name, series in limits.items()}
    return Column(
        contacts={row.name: row.contacts for row in found.rows},
        tests=_cells(tests),
        limits=_cells(limits),
        programs={name: cell for name, cell in programs.items() if cell is not None},
        paper=_cells(_rival(found, PAPER)),
        scip=_cells(_rival(found, SCIP)),
        cap=found.settings.cap,
    )


def _rival(found: TableOne, name: str) -> dict[str, Series]:
    """A rival's tests by row."""
    return {row.name: s for row in found.rows for s in row.rivals if (s.method, s.kind) == (name, "test")}


def _cells(series: Mapping[str, Series]) -> dict[str, Printed]:
    cells = {name: _spread(s.seconds, capped=s.capped > 0) for name, s in series.items()}
    return {name: cell for name, cell in cells.items() if cell is not None}


def _spread(values: Sequence[float], *, capped: bool = False) -> Printed | None:
    return Printed(sum(values) / len(values), min(values), max(values), capped) if values else None


def _between(values: Sequence[float]) -> str:
    """The least and the most, to two digits."""
    if not values:
        return "-"
    least, most = (f"{round(value):,}" if value >= 10 else f"{value:.2g}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"
