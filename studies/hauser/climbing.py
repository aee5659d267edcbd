"""The climbing study (V.E): support regions on two walls, in two stances, with four grips (Figs. 14, 16-18)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import shapely
from numpy.typing import ArrayLike
from shapely.geometry.base import BaseGeometry

import holdfast as hf
from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.postures import LazyGrip, Sampling, SupportRegion
from studies.hauser.climber import GRIPS, LIMBS, ClimbingPosture, GripName, Wall, climbing_posture, hand_grip
from studies.hauser.hierarchy import RegionRow, region_row, rough_inner, rough_outer
from studies.tables import Claim, TextTable, claim_table, keep, parsed, parser

#: Sides of a polygon count as reached within this fraction of the outline's size.
ON_BORDER = 1e-9


@dataclass(frozen=True, eq=False)
class SupportOutline:
    """A support region given by its extreme points along n directions, each found without learning.

    The hull of the points lies inside the region, the half-planes through them contain it. Contacts are used with the
    hulls of their force volumes.

    Attributes:
        directions: (n, 2) unit vectors, counter-clockwise; none where the region is empty.
        points: (n, 2) the furthest point of the region along each [m].
    """

    directions: np.ndarray
    points: np.ndarray

    @property
    def is_empty(self) -> bool:
        """Whether the region is empty."""
        return not len(self.points)

    @property
    def inner(self) -> np.ndarray:
        """(m, 2) corners of the polygon inside, counter-clockwise [m]: the points without repetitions."""
        if self.is_empty:
            return np.zeros((0, 2))
        steps = np.linalg.norm(self.points - np.roll(self.points, 1, axis=0), axis=1)
        kept = self.points[steps > ON_BORDER * np.ptp(self.points, axis=0).max()]
        return kept if len(kept) else self.points[:1]

    @property
    def outer(self) -> np.ndarray:
        """(n, 2) corners of the polygon around, counter-clockwise [m]: where each half-plane meets the next."""
        if self.is_empty:
            return np.zeros((0, 2))
        offsets = np.einsum("ij,ij->i", self.directions, self.points)
        pairs = np.stack([self.directions, np.roll(self.directions, -1, axis=0)], axis=1)
        return np.linalg.solve(pairs, np.stack([offsets, np.roll(offsets, -1)], axis=1)[:, :, None])[:, :, 0]

    @property
    def areas(self) -> tuple[float, float]:
        """(lower bound, upper bound) of the area [m^2]."""
        return _polygon(self.inner).area, _polygon(self.outer).area

    @property
    def area(self) -> float:
        """The mean of the two bounds [m^2]."""
        return 0.5 * sum(self.areas)

    @property
    def reach(self) -> tuple[float, float]:
        """Smallest and largest first coordinate [m], both attained; nan where the region is empty."""
        x = self.points[:, 0] if len(self.points) else np.full(1, np.nan)
        return float(x.min()), float(x.max())

    def contains(self, point: ArrayLike) -> Literal["yes", "no", "undecided"]:
        """Whether a point (2,) [m] is in the region; undecided between the two polygons."""
        z = np.asarray(point, dtype=float)[:2]
        if self.is_empty or (self.directions @ z > np.einsum("ij,ij->i", self.directions, self.points)).any():
            return "no"
        return "yes" if _polygon(self.inner).covers(shapely.Point(z)) else "undecided"

    def nearest(self, point: ArrayLike) -> np.ndarray:
        """(2,) the point of the inner polygon that is nearest to `point` [m]; itself when it is in it, nan if empty."""
        if self.is_empty:
            return np.full(2, np.nan)
        line = shapely.shortest_line(_polygon(self.inner), shapely.Point(np.asarray(point, dtype=float)[:2]))
        return shapely.get_coordinates(line)[0]


def _polygon(corners: np.ndarray) -> BaseGeometry:
    """The polygon with corners (m, 2); fewer than three make a line or a point."""
    return shapely.Polygon(corners) if len(corners) >= 3 else shapely.MultiPoint(corners).convex_hull


def lazy_outline(hands: Sequence[LazyGrip], poses: Sequence[hf.Pose], mass: float, *, n: int = 32) -> SupportOutline:
    """The support region of a body on hands that are not learned, along n directions (23), under gravity along -z.

    Args:
        hands: one per palm.
        poses: palm frames in the world.
        mass: of the body [kg].
        n: directions, at least 3.
    """
    found = hf.support_region(list(hands), list(poses), mass, method=Sampling(n))
    if found.inner.kind == "empty":
        return SupportOutline(np.zeros((0, 2)), np.zeros((0, 2)))
    ways, corners = Sampling(n).directions, found.inner.vertices
    return SupportOutline(ways, corners[(ways @ corners.T).argmax(axis=1)])


# The cases: walls, stances and grips.

WallName = Literal["near-vertical", "overhang"]
StanceName = Literal["two hands", "one hand"]

#: The walls: near-vertical, leaning back by 5 degrees (our choice), and overhanging by 15 degrees.
WALLS: dict[WallName, Wall] = {
    "near-vertical": Wall(float(np.radians(5.0))),
    "overhang": Wall(float(np.radians(-15.0))),
}

#: The limbs that hold; both feet always hold.
STANCES: dict[StanceName, tuple[str, ...]] = {
    "two hands": LIMBS,
    "one hand": tuple(limb for limb in LIMBS if limb != "front_right"),
}

#: The grip of the feet by that of the hands, as in the captions of Figs. 17 and 18.
FEET: dict[GripName, GripName] = {
    "opposing": "opposing",
    "parallel": "parallel",
    "pinch": "opposing",
    "power": "parallel",
}

#: Default numbers of samples for learning each grip, and of directions of the regions.
SAMPLES, DIRECTIONS = 1000, 32


@dataclass(frozen=True, eq=False)
class ClimbCase:
    """One posture with one grip.

    Attributes:
        wall: which wall.
        stance: which limbs hold.
        grip: grip of the hands.
        posture: the climber on its holds.
        exact: the region of the exact hands, without learning.
        inner: the region of the learned inner grips: inside it "holds" is guaranteed.
        outer: a region that contains that of the learned outer grips: outside it "does not hold" is guaranteed.
    """

    wall: WallName
    stance: StanceName
    grip: GripName
    posture: ClimbingPosture
    exact: SupportOutline
    inner: SupportRegion
    outer: SupportRegion

    @property
    def feet(self) -> GripName:
        """The grip of the feet."""
        return FEET[self.grip]

    @property
    def holds(self) -> Literal["yes", "no", "undecided"]:
        """Whether the body is held with the posture's centre of mass."""
        return self.exact.contains(self.posture.com)

    @property
    def shift(self) -> float:
        """Distance along the world's x, into the wall, to the nearest centre of mass that is held [m].

        0 if the posture's own is held, nan if none is held.
        """
        return float(self.exact.nearest(self.posture.com)[0] - self.posture.com[0])


@dataclass(frozen=True, eq=False)
class ClimbingStudy:
    """The results of the study.

    Attributes:
        cases: by wall, stance and grip.
        samples: vertices of the learned inner grips.
        seed: random seed of the learning.
        directions: number of directions of the regions.
    """

    cases: tuple[ClimbCase, ...]
    samples: int
    seed: int
    directions: int

    def of(self, wall: WallName, stance: StanceName) -> list[ClimbCase]:
        """The cases of one wall and stance, by grip."""
        return [case for case in self.cases if (case.wall, case.stance) == (wall, stance)]

    def case(self, wall: WallName, stance: StanceName, grip: GripName) -> ClimbCase:
        """One of the cases."""
        return next(case for case in self.of(wall, stance) if case.grip == grip)


def climbing_grips(
    samples: int = SAMPLES, seed: int = 0, *, names: Sequence[GripName] = GRIPS, workers: int = 1
) -> dict[GripName, GripBounds]:
    """The hand's learned grips in the palm frame: the wrenches of the rock on the body (V.A).

    Args:
        samples: vertices of the inner, and half-spaces of the outer sets.
        seed: random seed of the directions.
        names: which grips.
        workers: number of processes.
    """
    found: dict[GripName, GripBounds] = {}
    for name in names:
        hand = hand_grip(name, corners="independent")
        own = {"palm": hand.palm, "acting": "reaction", "label": name}
        found[name] = hf.learn_grip(hand.assembly(), samples, seed, workers=workers, **own)
    return found


def climb(
    grips: Mapping[GripName, GripBounds],
    *,
    walls: Sequence[WallName] = tuple(WALLS),
    stances: Sequence[StanceName] = tuple(STANCES),
    names: Sequence[GripName] = GRIPS,
    directions: int = DIRECTIONS,
) -> ClimbingStudy:
    """Support regions of the climber: exact, inner and outer, for every wall, stance and grip (Figs. 17, 18).

    Args:
        grips: result of `climbing_grips`, with the grips of the feet.
        walls: "near-vertical", "overhang".
        stances: "two hands", "one hand", with two feet each.
        names: grips of the hands.
        directions: number of directions of the exact and the outer regions.
    """
    cases = [_case(grips, wall, stance, name, directions) for wall in walls for stance in stances for name in names]
    first = next(iter(grips.values()))
    return ClimbingStudy(tuple(cases), len(first.inner.vertices), first.metadata.seed or 0, directions)


def _case(
    grips: Mapping[GripName, GripBounds], wall: WallName, stance: StanceName, name: GripName, directions: int
) -> ClimbCase:
    """The three regions of one posture."""
    posture = climbing_posture(WALLS[wall], name, FEET[name])
    limbs = STANCES[stance]
    poses: list[hf.Pose] = [posture.palms[limb] for limb in limbs]
    own: list[GripName] = [name if limb.startswith("front") else FEET[name] for limb in limbs]
    lazy = {grip: hand_grip(grip, corners="independent").lazy() for grip in set(own)}
    exact = lazy_outline([lazy[grip] for grip in own], poses, posture.mass, n=directions)
    inner = hf.support_region([grips[grip].inner for grip in own], poses, posture.mass)
    sampled = hf.support_region([grips[grip].outer for grip in own], poses, posture.mass, method=Sampling(directions))
    return ClimbCase(wall, stance, name, posture, exact, inner, sampled.outer)


# Regions of the climber for grips of different accuracy (Fig. 16), and on feet that can only press.

#: Numbers of vertices of inner and half-spaces of outer grips, after the bounding box; the first and last are those of
#: the paper's Fig. 16.
INNER_COUNTS = (25, 50, 100, 250, 1000)
OUTER_COUNTS = (0, 50, 100, 250, 1000)

#: Friction of feet that can only press, and angle of their steps from the wall [rad].
FOOT_FRICTION, FOOT_STEP = 0.8, np.pi / 4.0


@dataclass(frozen=True, eq=False)
class Fineness:
    """Fig. 16: inner and outer regions for grips of increasing accuracy.

    Attributes:
        rows: inner ones from few vertices to many, then outer ones from the box to many half-spaces.
        exact: the region between them.
        posture: the climber.
        grip: grip of all hands and feet.
    """

    rows: tuple[RegionRow, ...]
    exact: SupportOutline
    posture: ClimbingPosture
    grip: GripName


def fineness(
    found: ClimbingStudy,
    grips: Mapping[GripName, GripBounds],
    *,
    grip: GripName = "opposing",
    inner: Sequence[int] = INNER_COUNTS,
    outer: Sequence[int] = OUTER_COUNTS,
    directions: int = DIRECTIONS,
) -> Fineness:
    """Regions on the near-vertical wall, two hands and two feet, for grips of few and many vertices or half-spaces.

    Args:
        found: the study, which must contain this wall, stance and grip.
        grips: from `climbing_grips`.
        grip: "opposing" or "parallel", for hands and feet.
        inner: numbers of vertices; those beyond what was learned are left out.
        outer: numbers of half-spaces in addition to the box; 0 for only the box.
        directions: number of directions of the outer regions.
    """
    case = found.case("near-vertical", "two hands", grip)
    whole, poses = grips[grip], list(case.posture.palms.values())
    sets = [rough_inner(whole, count) for count in inner if count <= len(whole.inner.vertices)]
    sets += [rough_outer(whole, count) for count in outer if count <= len(whole.outer.offsets)]

    def region(rough: Grip | OuterGrip) -> SupportRegion:
        if isinstance(rough, Grip):
            return hf.support_region(rough, poses, case.posture.mass)
        return hf.support_region(rough, poses, case.posture.mass, method=Sampling(directions)).outer

    return Fineness(tuple(region_row(rough, region) for rough in sets), case.exact, case.posture, grip)


def pressing_feet_region(
    grip: GripBounds, name: GripName, stance: StanceName = "two hands", *, step: float = FOOT_STEP
) -> SupportRegion:
    """The inner region on the overhang where hands grip but feet only press, by Coulomb friction on steps in the wall.

    Args:
        grip: learned grip of the hands.
        name: its name.
        stance: which limbs hold.
        step: angle of the steps' faces from the wall's normal [rad].
    """
    wall = WALLS["overhang"]
    posture = climbing_posture(wall, name)
    normal = np.cos(step) * wall.off + np.sin(step) * wall.up
    face = hf.frame_from_normal(normal, np.cos(step) * wall.up - np.sin(step) * wall.off)
    foot = hf.coulomb_grip(FOOT_FRICTION, sides=16)
    hands, poses = [], []
    for limb in STANCES[stance]:
        palm = posture.palms[limb]
        is_hand = limb.startswith("front")
        hands.append(grip.inner if is_hand else foot)
        poses.append(palm if is_hand else hf.Pose(face, palm.translation))
    return hf.support_region(hands, poses, posture.mass)


# Statements of the paper about climbing, compared with the results for our climber (V.E).

#: The paper's order of the grips by the area of their regions, largest first.
ORDER: tuple[GripName, ...] = ("power", "parallel", "pinch", "opposing")


def claims(found: ClimbingStudy, growth: Fineness) -> tuple[Claim, ...]:
    """The paper's claims about Figs. 16 to 18, judged by the exact regions; both polygons of each must agree."""
    two = {grip: found.case("overhang", "two hands", grip) for grip in GRIPS}
    one = {grip: found.case("overhang", "one hand", grip) for grip in GRIPS}
    shares = [one[grip].exact.area / two[grip].exact.area for grip in GRIPS]
    smaller = all(one[grip].exact.areas[1] < 0.5 * two[grip].exact.areas[0] for grip in GRIPS)
    lost = [grip for grip in GRIPS if one[grip].holds == "no"]
    kept = all(two[grip].holds == "yes" for grip in GRIPS)
    shifts = {grip: one[grip].shift for grip in lost}
    pinch, parallel = two["pinch"].exact.reach, two["parallel"].exact.reach
    areas = ", ".join(f"{grip} {_area_text(two[grip])}" for grip in ORDER)
    moves = ", ".join(f"{grip} {shift:+.2f} m" for grip, shift in shifts.items())
    return (
        Claim("overhang, two hands: power > parallel > pinch > opposing", _ordered([two[g] for g in ORDER]), areas),
        Claim(
            "regions with one hand are far smaller than with two",
            smaller,
            ", ".join(f"{grip} {share:.0%}" for grip, share in zip(GRIPS, shares, strict=True)),
        ),
        Claim(
            "one hand: only the power grip holds the nominal posture",
            kept and lost == ["opposing", "parallel", "pinch"],
            f"lost by {', '.join(lost) or 'none'}",
        ),
        Claim(
            "one hand: held again with the body further from the wall",
            bool(shifts) and all(shift < 0.0 for shift in shifts.values()),
            f"held again closer to the wall: {moves}" if all(s > 0.0 for s in shifts.values()) else moves,
        ),
        Claim(
            "two hands: pinch reaches further into the wall than parallel",
            pinch[1] > parallel[1],
            f"x up to {pinch[1]:.2f} and {parallel[1]:.2f} m; away from it {pinch[0]:.2f} and {parallel[0]:.2f} m",
        ),
        _box(growth),
    )


def region_table(found: ClimbingStudy) -> TextTable:
    """All regions of the study: areas, reach into the wall, and whether the centre of mass is held."""

    def held(case: ClimbCase) -> str:
        shift = {"yes": "yes", "no": "nowhere" if case.exact.is_empty else f"{case.shift:+.3f} m"}
        return shift.get(case.holds, "undecided")

    columns: dict[str, Callable[[ClimbCase], str]] = {
        "wall": lambda case: case.wall,
        "stance": lambda case: case.stance,
        "hands": lambda case: case.grip,
        "feet": lambda case: case.feet,
        "inner": lambda case: f"{case.inner.area:.3f}",
        "exact": _area_text,
        "outer": lambda case: f"{case.outer.area:.3f}",
        "x [m]": lambda case: "{:.3f} .. {:.3f}".format(*case.exact.reach),
        "held": held,
    }
    note = (
        f"Areas [m^2]: inner and outer from grips of {found.samples:,} vertices or half-spaces, exact between two "
        f"polygons of {found.directions} sides. x: extent of the exact region into the wall. Held: whether the "
        "nominal centre of mass is held, or the distance into the wall to the nearest one that is."
    )
    return TextTable.of("Support regions of the climber (Figs. 17 and 18)", columns, found.cases, note)


def fineness_table(growth: Fineness) -> TextTable:
    """Fig. 16: areas for grips of increasing accuracy."""
    columns: dict[str, Callable[[RegionRow], str]] = {
        "side": lambda row: row.side,
        "each grip": lambda row: f"{row.count:,} {row.kind}",
        "area [m^2]": lambda row: f"{row.region.area:.3f}",
        "of the exact": lambda row: f"{row.region.area / growth.exact.area:.2f}",
    }
    note = f"Near-vertical wall, two hands and two feet, {growth.grip} grip. Twelve half-spaces are the bounding box."
    return TextTable.of("Finer grips (Fig. 16)", columns, growth.rows, note)


def _ordered(cases: Sequence[ClimbCase]) -> bool:
    """Whether the exact areas are guaranteed to decrease."""
    return all(first.exact.areas[0] > second.exact.areas[1] for first, second in pairwise(cases))


def _area_text(case: ClimbCase) -> str:
    return "{:.3f} .. {:.3f}".format(*case.exact.areas)


def _box(growth: Fineness) -> Claim:
    """The bounding box compared with all other outer grips."""
    outer = [row.region.area for row in growth.rows if row.kind == "half-spaces"]
    times = outer[0] / growth.exact.area
    others = ", ".join(f"{area / growth.exact.area:.1f}" for area in outer[1:])
    text = "the bounding box is by far the worst outer bound"
    return Claim(text, all(area < outer[0] for area in outer[1:]), f"{times:.1f} times the exact area; others {others}")


def main(words: Sequence[str] | None = None) -> None:
    """Run the study and save its tables and pictures; a quick run has one grip on the overhang."""
    from . import pictures

    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=SAMPLES, help="vertices and half-spaces of each learned grip")
    options.add_argument("--workers", type=int, default=1, help="processes for learning")
    chosen = parsed(options, words)
    if chosen.quick:
        grips = climbing_grips(20, names=("opposing",))
        found = climb(grips, walls=("overhang",), names=("opposing",), directions=4)
        keep(Path(__file__), chosen.out, {"climbing_regions": region_table(found)}, {})
        return
    grips = climbing_grips(chosen.samples, workers=chosen.workers)
    found = climb(grips)
    growth = fineness(found, grips)
    pressing: dict[StanceName, SupportRegion] = {
        stance: pressing_feet_region(grips["power"], "power", stance) for stance in STANCES
    }
    tables = {
        "climbing_regions": region_table(found),
        "climbing_fineness": fineness_table(growth),
        "climbing_claims": claim_table("The paper's claims on our climber", claims(found, growth)),
    }
    drawn: dict[str, Callable[[], Any]] = {
        "climbing_grips": pictures.grips_figure,
        "climbing_feet": partial(pictures.feet_figure, found, pressing),
        "climbing_fineness": partial(pictures.fineness_figure, growth),
        "climbing_regions_overhang": partial(pictures.region_figure, found, "overhang"),
    }
    for stance in STANCES:
        name = f"climbing_overhang_{stance.replace(' ', '_')}"
        drawn[name] = partial(pictures.climbing_figure, found, "overhang", stance)
    keep(Path(__file__), chosen.out, tables, drawn)


if __name__ == "__main__":
    main()
