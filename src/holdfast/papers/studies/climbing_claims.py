"""What the paper says about climbing, beside what comes out on our climber (V.E)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..devices.hand_grips import GRIPS, GripName
from .climbing import Climb, ClimbCase
from .climbing_growth import Fineness
from .text_tables import Table

#: The paper's order of the grips by the area of their regions, largest first.
ORDER: tuple[GripName, ...] = ("power", "parallel", "pinch", "opposing")


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, in our words, and what we find.

    Attributes:
        text: the claim.
        holds: whether it is so here.
        ours: the figures.
    """

    text: str
    holds: bool
    ours: str


def claims(found: Climb, growth: Fineness) -> tuple[Claim, ...]:
    """The paper's claims about Figs. 16 to 18, judged by the exact regions; both polygons of each must agree."""
    two = {grip: found.case("overhang", "two hands", grip) for grip in GRIPS}
    one = {grip: found.case("overhang", "one hand", grip) for grip in GRIPS}
    shares = [one[grip].exact.area / two[grip].exact.area for grip in GRIPS]
    smaller = all(one[grip].exact.areas[1] < 0.5 * two[grip].exact.areas[0] for grip in GRIPS)
    lost = [grip for grip in GRIPS if one[grip].holds == "no"]
    kept = all(two[grip].holds == "yes" for grip in GRIPS)
    shifts = {grip: one[grip].shift for grip in lost}
    pinch, parallel = two["pinch"].exact.reach, two["parallel"].exact.reach
    areas = ", ".join(f"{grip} {_area(two[grip])}" for grip in ORDER)
    moves = ", ".join(f"{grip} {shift:+.2f} m" for grip, shift in shifts.items())
    return (
        Claim("overhang, two hands: power > parallel > pinch > opposing", _ordered([two[g] for g in ORDER]), areas),
        Claim(
            "one hand leaves far smaller regions than two",
            smaller,
            ", ".join(f"{grip} {share:.0%}" for grip, share in zip(GRIPS, shares, strict=True)),
        ),
        Claim(
            "one hand: not held as it is, but by the power grip",
            kept and lost == ["opposing", "parallel", "pinch"],
            f"lost by {', '.join(lost) or 'none'}",
        ),
        Claim(
            "one hand: held again further from the wall",
            bool(shifts) and all(shift < 0.0 for shift in shifts.values()),
            f"held again nearer to it: {moves}" if all(s > 0.0 for s in shifts.values()) else moves,
        ),
        Claim(
            "two hands: pinch reaches further into the wall than parallel",
            pinch[1] > parallel[1],
            f"x up to {pinch[1]:.2f} and {parallel[1]:.2f} m; away from it {pinch[0]:.2f} and {parallel[0]:.2f} m",
        ),
        _box(growth),
    )


def region_table(found: Climb) -> Table:
    """All regions of the study: areas, reach into the wall, and whether the centre of mass is held."""
    rows = []
    for case in found.cases:
        low, high = case.exact.reach
        shift = {"yes": "as it is", "no": "nowhere" if case.exact.is_empty else f"{case.shift:+.3f} m"}
        rows.append(
            (
                case.wall,
                case.stance,
                case.grip,
                case.feet,
                f"{case.inner.area:.3f}",
                _area(case),
                f"{case.outer.area:.3f}",
                f"{low:.3f} .. {high:.3f}",
                shift.get(case.holds, "undecided"),
            )
        )
    header = ("wall", "stance", "hands", "feet", "inner", "exact", "outer", "x [m]", "held")
    note = (
        f"Areas [m^2]: inner and outer from grips of {found.samples:,} vertices or half-spaces, exact between two "
        f"polygons of {found.directions} sides. x: how far the exact region reaches, into the wall. Held: whether the "
        "nominal centre of mass is, or how far into the wall the nearest place is."
    )
    return Table("Figs. 17 and 18: support regions of the climber", header, rows, note)


def fineness_table(growth: Fineness) -> Table:
    """Fig. 16: areas as grips are known more finely."""
    rows = [
        (
            "inner" if row.kind == "vertices" else "outer",
            f"{row.count:,} {row.kind}",
            f"{row.region.area:.3f}",
            f"{row.region.area / growth.exact.area:.2f}",
        )
        for row in growth.rows
    ]
    header = ("side", "each grip", "area [m^2]", "of the exact")
    note = f"Near-vertical wall, two hands and two feet, {growth.grip} grip. Twelve half-spaces are the bounding box."
    return Table("Fig. 16: finer grips", header, rows, note)


def claim_table(judged: Sequence[Claim]) -> Table:
    """The claims as a table."""
    rows = [(claim.text, "yes" if claim.holds else "no", claim.ours) for claim in judged]
    return Table("The paper's claims on our climber", ("the paper says", "so here", "figures"), rows)


def _ordered(cases: Sequence[ClimbCase]) -> bool:
    """Whether the exact areas fall, each surely."""
    return all(first.exact.areas[0] > second.exact.areas[1] for first, second in pairwise(cases))


def _area(case: ClimbCase) -> str:
    low, high = case.exact.areas
    return f"{low:.3f} .. {high:.3f}"


def _box(growth: Fineness) -> Claim:
    """The bounding box against all other outer grips."""
    outer = [row.region.area for row in growth.rows if row.kind == "half-spaces"]
    times = outer[0] / growth.exact.area
    others = ", ".join(f"{area / growth.exact.area:.1f}" for area in outer[1:])
    text = "the bounding box is by far the worst outer bound"
    return Claim(text, all(area < outer[0] for area in outer[1:]), f"{times:.1f} times the exact area; others {others}")
