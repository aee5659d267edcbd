"""The hierarchy study (V.D, V.E): times and support regions for four hands with grips of increasing accuracy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Literal

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import block_diag, csr_array, hstack

import holdfast as hf
from holdfast.assembly.loads import STANDARD_GRAVITY, gravity_wrench
from holdfast.devices import four_finger_hand
from holdfast.grips import Grip, GripBounds, OuterGrip, bounding_box, inner_subset, outer_subset
from holdfast.postures import PostureSolver, SupportRegion
from studies.hauser.climber import Wall
from studies.tables import TextTable, duration, keep, parsed, parser, times

#: Default number of samples for learning the hand.
SAMPLES = 400

#: The body: mass [kg] and centre of mass [m] in the world, away from a wall through the origin.
MASS = 60.0
COM = (-0.35, 0.02, 0.45)

#: Palms on the wall: distance up, and to the left [m]; inclination of the surface relative to the wall [rad].
PALMS = ((1.0, 0.35), (0.85, -0.3), (0.05, 0.3), (0.0, -0.35))
LEANS = ((0.10, 0.08), (-0.06, -0.12), (0.05, -0.05), (-0.10, 0.10))

#: Angle of the terrain from the vertical, leaning back [rad]: near-vertical, as in the paper.
LEAN = float(np.radians(5.0))


@dataclass(frozen=True, eq=False)
class FourHandBody:
    """A body with four hands on a near-vertical wall.

    Attributes:
        poses: poses of the palms; z away from the wall, into the body, x up the wall.
        mass: [kg].
        com: (3,) [m].
        gravity: (3,) [m/s^2].
    """

    poses: tuple[hf.Pose, ...]
    mass: float
    com: np.ndarray
    gravity: np.ndarray

    @property
    def wrench(self) -> np.ndarray:
        """(6,) the weight [N, N m] about the world origin (16)."""
        return gravity_wrench(self.mass, self.gravity, self.com)


def climber() -> FourHandBody:
    """The posture of this study: a quadruped on an uneven, near-vertical wall through the origin.

    The wall leans back by 5 degrees, and is rotated a little more under each palm. The paper gives no numbers of its
    posture; those here are our choice.
    """
    wall, poses = Wall(LEAN), []
    for (rise, left), (nod, roll) in zip(PALMS, LEANS, strict=True):
        normal = wall.off + np.tan(nod) * wall.up + np.tan(roll) * np.array([0.0, 1.0, 0.0])
        poses.append(hf.Pose(hf.frame_from_normal(normal, wall.up), wall.pose(rise, left).translation))
    return FourHandBody(tuple(poses), MASS, np.array(COM), np.array([0.0, 0.0, -STANDARD_GRAVITY]))


def study_grip(n: int = SAMPLES, seed: int = 0) -> GripBounds:
    """The paper's opposed four-finger hand, learned: the wrenches of the rock on the body.

    Its links have no weight here, so that one grip is valid for every palm.

    Args:
        n: number of samples.
        seed: random seed of their directions.
    """
    hand = four_finger_hand("opposed", corners="independent").assembly(np.zeros(3))
    return hf.learn_grip(hand, n, seed, acting="reaction")


# Less accurate bounds of one learned grip: with fewer vertices, with fewer half-spaces (V.D).

#: How a subset is chosen: the first learned ones, or at random as in the paper.
Draw = Literal["learned", "random"]
DRAWS: tuple[Draw, ...] = ("learned", "random")

#: Half-spaces of a box.
BOX = 12


def rough_inner(grip: GripBounds, count: int, draw: Draw = "learned", seed: int = 0) -> Grip:
    """An inner set of at most `count` vertices, with zero if it is in the grip.

    Args:
        grip: the learned grip.
        count: number of vertices; all learned ones if it is not smaller.
        draw: "learned": the first vertices, so that larger sets contain smaller ones; "random": the paper's
            subsets, some of which have fewer vertices, each with its own draw.
        seed: random seed.
    """
    whole, wanted = grip.inner, count
    if wanted >= len(whole.vertices):
        return whole
    if draw == "random":
        return inner_subset(whole, wanted, seed)
    zero = np.zeros((1 if whole.contains(np.zeros(6)) else 0, 6))
    vertices = np.concatenate([zero, whole.vertices[: wanted - len(zero)]])
    return Grip(vertices, whole.rays, length=whole.length, palm_gravity=whole.palm_gravity)


def rough_outer(grip: GripBounds, count: int, draw: Draw = "learned", seed: int = 0) -> OuterGrip:
    """An outer set: a box and `count` more half-spaces.

    Args:
        grip: the learned grip.
        count: number of half-spaces in addition to the box; 0 for only the box.
        draw: "learned": the first half-spaces, of the hand itself, so that larger sets contain smaller ones;
            "random": as in the paper, around the learned inner set.
        seed: random seed.
    """
    wanted = count
    if draw == "random":
        box = bounding_box(grip.inner)
        return box if wanted == 0 else _together(box, outer_subset(grip.inner, wanted, seed))
    ways = np.concatenate([np.eye(6), -np.eye(6)])
    offsets = grip.outer.support(ways)
    finite = np.isfinite(offsets)
    box = OuterGrip(ways[finite], offsets[finite], length=grip.length, palm_gravity=grip.palm_gravity)
    if wanted == 0:
        return box
    few = grip.outer.normals[:wanted], grip.outer.offsets[:wanted]
    return _together(box, OuterGrip(*few, length=grip.length, palm_gravity=grip.palm_gravity))


def _together(first: OuterGrip, second: OuterGrip) -> OuterGrip:
    """The half-spaces of both."""
    normals = np.concatenate([first.normals, second.normals])
    offsets = np.concatenate([first.offsets, second.offsets])
    return OuterGrip(normals, offsets, length=first.length, palm_gravity=first.palm_gravity)


# The data of the paper's Fig. 15: times of a four-hand test for grips of increasing accuracy (V.E).

Kind = Literal["vertices", "half-spaces"]

#: Corners and half-spaces of a grip; a box has twelve.
VERTEX_COUNTS = (25, 50, 100, 250, 500, 1000, 2000)
PLANE_COUNTS = (BOX, 25, 50, 100, 250, 500, 1000)


@dataclass(frozen=True)
class GripTestRow:
    """Times of one four-hand test.

    Attributes:
        kind: description of each grip.
        count: vertices or half-spaces per grip.
        cold: seconds of a test by a new solver, median.
        warm: seconds of a test by a solver that has solved a nearby posture, median.
        highs: seconds of the same by HiGHS on all vertices (20) or half-spaces (19) at once, median.
        factor: largest multiple of the weight that is held.
        highs_factor: the same by HiGHS.
    """

    kind: Kind
    count: int
    cold: float
    warm: float
    highs: float
    factor: float
    highs_factor: float

    @property
    def ratio(self) -> float:
        """How many times longer HiGHS takes than a new solver."""
        return self.highs / self.cold


@dataclass(frozen=True)
class GripTestTimes:
    """Fig. 15: times against the number of corners and of half-spaces of each of four grips.

    Attributes:
        rows: by kind and count.
        repeats: number of tests per median.
        samples: number of samples of the learned hand.
        seed: random seed of the samples and subsets.
    """

    rows: tuple[GripTestRow, ...]
    repeats: int
    samples: int
    seed: int

    def of(self, kind: Kind) -> tuple[GripTestRow, ...]:
        """The rows of one kind."""
        return tuple(row for row in self.rows if row.kind == kind)


def growth(
    grip: GripBounds,
    *,
    vertices: Sequence[int] = VERTEX_COUNTS,
    planes: Sequence[int] = PLANE_COUNTS,
    draw: Draw = "learned",
    repeats: int = 5,
    seed: int = 0,
) -> GripTestTimes:
    """Times of a four-hand test for grips of increasing accuracy (Fig. 15), compared with HiGHS.

    Every test is of the `climber`, with its palms shifted a little from one repetition to the next.

    Args:
        grip: from `study_grip`.
        vertices: numbers of vertices; those above the learned number are left out.
        planes: numbers of half-spaces, including the twelve of a box; those above the learned number are left out.
        draw: how subsets are chosen, see `rough_inner`.
        repeats: number of tests per median.
        seed: random seed of subsets.
    """
    corners = len(grip.inner.vertices)
    counts = sorted({min(count, corners) for count in vertices})
    jobs: list[tuple[Kind, int]] = []
    jobs.extend(("vertices", count) for count in counts)
    most = len(grip.outer.offsets) + BOX if draw == "learned" else max(planes, default=BOX)
    sizes = sorted({min(count, most) for count in planes})
    jobs.extend(("half-spaces", count) for count in sizes)
    rows = []
    for kind, count in jobs:
        few = kind == "vertices"
        rough = rough_inner(grip, count, draw, seed) if few else rough_outer(grip, count - BOX, draw, seed)
        rows.append(_timed(kind, rough, repeats))
    return GripTestTimes(tuple(rows), repeats, grip.inner.metadata.n or 0, seed)


def _timed(kind: Kind, grip: Grip | OuterGrip, repeats: int) -> GripTestRow:
    """One row: the same question to a new solver, to a warm one, and to HiGHS, each called once before it is timed."""
    body, rng = climber(), np.random.default_rng(0)
    warm_solver = PostureSolver([grip] * len(body.poses), body.poses)
    warm_solver.holds(body.wrench)
    # Costs of the first call of a process (loading, compiling, tables of the grip) are not part of a test.
    _again(warm_solver, body.poses, body.wrench)
    PostureSolver([grip] * len(body.poses), body.poses).holds(body.wrench)
    _by_highs(grip, body.poses, body.wrench, test=True)
    cold, warm, highs = [], [], []
    for _ in range(repeats):
        poses = [hf.Pose(pose.rotation, pose.translation + rng.normal(scale=0.01, size=3)) for pose in body.poses]
        cold.append(seconds_of(lambda poses=poses: PostureSolver([grip] * len(poses), poses).holds(body.wrench))[0])
        warm.append(seconds_of(lambda poses=poses: _again(warm_solver, poses, body.wrench))[0])
        highs.append(seconds_of(lambda poses=poses: _by_highs(grip, poses, body.wrench, test=True))[0])
    factor = PostureSolver([grip] * len(body.poses), body.poses).equilibrium(body.wrench).scale_interval[1]
    count = len(grip.vertices) if isinstance(grip, Grip) else len(grip.offsets)
    own = _by_highs(grip, body.poses, body.wrench)
    return GripTestRow(kind, count, median(cold), median(warm), median(highs), float(factor), own)


def _again(solver: PostureSolver, poses: Sequence[hf.Pose], wrench: np.ndarray) -> bool:
    """Solve one more posture with a solver that has solved others."""
    solver.move(poses)
    return solver.holds(wrench)


def seconds_of(question: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU time of a call [s], which other programs on the machine lengthen little, and its result."""
    begun = time.process_time()
    answer = question()
    return time.process_time() - begun, answer


def _by_highs(grip: Grip | OuterGrip, poses: Sequence[hf.Pose], wrench: np.ndarray, *, test: bool = False) -> float:
    """The largest multiple s of a load that is held, by one HiGHS program; `test`: 1 if the load is held, or nan.

    For vertices (20): sum_j T_j V^T c_j + s w = 0 with c_j >= 0 and sum(c_j) = 1 for every hand. For half-spaces (19):
    A w_j <= b for every hand and sum_j T_j w_j + s w = 0.
    """
    maps, hands = [pose.wrench_transport() for pose in poses], len(poses)
    share = (1.0, 1.0) if test else (None, None)
    if isinstance(grip, Grip):
        balance = np.column_stack([*(one @ grip.vertices.T for one in maps), wrench])
        count = len(grip.vertices)
        sums = hstack([block_diag([np.ones((1, count))] * hands), csr_array((hands, 1))])
        program: dict[str, Any] = {
            "A_eq": np.vstack([balance, sums.toarray()]),
            "b_eq": np.append(np.zeros(6), np.ones(hands)),
            "bounds": [(0.0, None)] * (hands * count) + [share],
        }
    else:
        limits = [block_diag([csr_array(grip.normals)] * hands), csr_array((hands * len(grip.offsets), 1))]
        program = {
            "A_ub": hstack(limits).tocsr(),
            "b_ub": np.tile(grip.offsets, hands),
            "A_eq": np.column_stack([*maps, wrench]),
            "b_eq": np.zeros(6),
            "bounds": [(None, None)] * (6 * hands) + [share],
        }
    found = linprog(np.append(np.zeros(len(program["bounds"]) - 1), -1.0), method="highs", **program)
    failed = {2: float("nan") if test else -float("inf"), 3: float("inf")}  # infeasible, unbounded
    return float(found.x[-1]) if found.status == 0 else failed[found.status]


# The data of the paper's Fig. 16: support regions by inner and outer grips of increasing accuracy (V.E).

#: Vertices of inner and half-spaces of outer grips; the first and last are those of the paper's caption.
INNER_COUNTS = (25, 50, 100, 250)
OUTER_COUNTS = (12, 50, 250, 1000)


@dataclass(frozen=True, eq=False)
class RegionRow:
    """A support region for grips of one accuracy.

    Attributes:
        kind: "vertices" (inner), "half-spaces" (outer).
        count: vertices or half-spaces per grip.
        region: the support region.
        seconds: CPU time.
        name: its name.
    """

    kind: Kind
    count: int
    region: SupportRegion
    seconds: float
    name: str

    @property
    def side(self) -> Literal["inner", "outer"]:
        """Whether the region is an inner or an outer approximation."""
        return "inner" if self.kind == "vertices" else "outer"


def region_row(rough: Grip | OuterGrip, region: Callable[[Any], SupportRegion], name: str = "") -> RegionRow:
    """The region for grips of one accuracy, with its time."""
    seconds, found = seconds_of(lambda: region(rough))
    if isinstance(rough, Grip):
        return RegionRow("vertices", len(rough.vertices), found, seconds, name)
    return RegionRow("half-spaces", len(rough.offsets), found, seconds, name)


@dataclass(frozen=True, eq=False)
class GripRegions:
    """Fig. 16: support regions of the climber by inner and outer grips of increasing accuracy.

    Attributes:
        inner: from few vertices to many, then all learned ones.
        outer: the bounding box, then from few half-spaces to many, then all learned ones.
        body: the posture.
        samples: number of samples of the learned hand.
        seed: random seed of the samples and subsets.
    """

    inner: tuple[RegionRow, ...]
    outer: tuple[RegionRow, ...]
    body: FourHandBody
    samples: int
    seed: int


def regions(
    grip: GripBounds,
    *,
    inner: Sequence[int] = INNER_COUNTS,
    outer: Sequence[int] = OUTER_COUNTS,
    draw: Draw = "learned",
    seed: int = 0,
) -> GripRegions:
    """Support regions of the `climber` for grips of increasing accuracy (Fig. 16).

    Args:
        grip: from `study_grip`.
        inner: numbers of vertices; those above the learned number are left out.
        outer: numbers of half-spaces in addition to the bounding box, likewise; only the box comes first.
        draw: how subsets are chosen, see `rough_inner`. Random half-spaces are around the inner set, as in
            the paper, not around the hand.
        seed: random seed of subsets.
    """
    body, corners, planes = climber(), len(grip.inner.vertices), len(grip.outer.offsets)
    few = [count for count in inner if count < corners]
    many = [count for count in outer if draw == "random" or count < planes]
    sets: dict[str, Grip | OuterGrip] = {f"{n} {draw} vertices": rough_inner(grip, n, draw, seed) for n in few}
    sets |= {f"all {corners} vertices": grip.inner, "bounding box": rough_outer(grip, 0, draw, seed)}
    sets |= {f"box and {n} {draw}": rough_outer(grip, n, draw, seed) for n in many}
    sets[f"all {planes} half-spaces"] = grip.outer

    def region(rough: Grip | OuterGrip) -> SupportRegion:
        return hf.support_region(rough, body.poses, body.mass, body.gravity)

    region(grip.inner)  # compilation on first use is not timed
    rows = []
    for name, rough in sets.items():
        rows.append(region_row(rough, region, name))
    split = len(few) + 1
    return GripRegions(tuple(rows[:split]), tuple(rows[split:]), body, grip.inner.metadata.n or 0, seed)


# Tables of the hierarchy study: times of Fig. 15, regions of Fig. 16.


def growth_table(found: GripTestTimes) -> TextTable:
    """Fig. 15 as a table."""
    columns: dict[str, Callable[[GripTestRow], str]] = {
        "kind": lambda row: row.kind,
        "per grip": lambda row: f"{row.count:,}",
        "new solver": lambda row: duration(row.cold),
        "warm solver": lambda row: duration(row.warm),
        "HiGHS": lambda row: duration(row.highs),
        "ratio": lambda row: times(row.ratio),
        "bears": lambda row: f"{row.factor:.6g}",
        "by HiGHS": lambda row: f"{row.highs_factor:.6g}",
    }
    note = (
        f"CPU times, medians of {found.repeats} tests of four hands. Bears: the largest multiple of the weight. "
        "Ratio: HiGHS to a new solver."
    )
    return TextTable.of("Time of a four-hand test (Fig. 15)", columns, found.rows, note)


def region_table(found: GripRegions) -> TextTable:
    """Fig. 16 as a table."""
    columns: dict[str, Callable[[RegionRow], str]] = {
        "side": lambda row: row.side,
        "each grip": lambda row: row.name,
        "region": lambda row: str(row.region.kind),
        "area [m^2]": lambda row: f"{row.region.area:.4g}",
        "contains the centre of mass": lambda row: "yes" if row.region.contains(found.body.com) else "no",
        "time": lambda row: duration(row.seconds),
    }
    note = "Every region is exact for its grips; every inner one lies in every outer one."
    return TextTable.of("Support regions (Fig. 16)", columns, (*found.inner, *found.outer), note)


def main(words: Sequence[str] | None = None) -> None:
    """Run both parts of the study and save their tables and pictures."""
    from . import pictures

    options = parser(__doc__)
    options.add_argument(
        "--samples", type=int, default=1000, help="vertices and half-spaces by which the hand is learned"
    )
    options.add_argument("--repeats", type=int, default=15, help="tests per time value")
    options.add_argument("--draw", choices=DRAWS, default="learned", help="how subsets are chosen")
    chosen = parsed(options, words)
    grip = study_grip(24 if chosen.quick else chosen.samples)
    if chosen.quick:
        measured = growth(grip, vertices=(25,), planes=(BOX, 25), draw=chosen.draw, repeats=1)
        found = regions(grip, inner=(12,), outer=(12,), draw=chosen.draw)
    else:
        measured, found = growth(grip, draw=chosen.draw, repeats=chosen.repeats), regions(grip, draw=chosen.draw)
    tables = {"hierarchy_times": growth_table(measured), "hierarchy_regions": region_table(found)}
    drawn = {"figure_15": partial(pictures.growth_times, measured), "figure_16": partial(pictures.region_growth, found)}
    keep(Path(__file__), chosen.out, tables, drawn)


if __name__ == "__main__":
    main()
