"""The hierarchy study (V.D, V.E): times and support regions for four hands with grips of increasing accuracy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Literal

import numpy as np

from holdfast import checks
from holdfast.assembly.loads import STANDARD_GRAVITY, gravity_wrench
from holdfast.checks import Array, Side
from holdfast.errors import UnknownNameError
from holdfast.geometry.frames import Pose, frame_from_normal
from holdfast.grips import Grip, GripBounds, OuterGrip, bounding_box, inner_subset, outer_subset
from holdfast.linear_programs import FREE, Outcome, minimise
from holdfast.postures import support_region
from holdfast.postures.region import SupportRegion
from holdfast.postures.solver import PostureSolver
from holdfast.solvers.minkowski import SumStatus
from holdfast.solvers.minkowski.reference_program import FullProgram
from .devices import Wall, four_finger_hand
from .tables import TextTable, duration, times

Progress = Callable[[int, int], None]

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

    poses: tuple[Pose, ...]
    mass: float
    com: Array
    gravity: Array

    @property
    def wrench(self) -> Array:
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
        poses.append(Pose(frame_from_normal(normal, wall.up), wall.pose(rise, left).translation))
    return FourHandBody(tuple(poses), MASS, np.array(COM), np.array([0.0, 0.0, -STANDARD_GRAVITY]))


def study_grip(n: int = SAMPLES, seed: int = 0, *, progress: Progress | None = None) -> GripBounds:
    """The paper's opposed four-finger hand, learned: the wrenches of the rock on the body.

    Its links have no weight here, so that one grip is valid for every palm.

    Args:
        n: number of samples.
        seed: random seed of their directions.
        progress: called as progress(done, total).
    """
    from holdfast.grips import learn_grip

    hand = four_finger_hand("opposed", corners="independent").assembly(np.zeros(3))
    return learn_grip(hand, n, seed, acting="reaction", progress=progress)


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
    whole, wanted = grip.inner, checks.count("count", count, low=2)
    if wanted >= len(whole.vertices):
        return whole
    if _checked(draw) == "random":
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
    wanted = checks.count("count", count, low=0)
    if _checked(draw) == "random":
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


def _checked(draw: Draw) -> Draw:
    if draw not in DRAWS:
        raise UnknownNameError("draw", str(draw), DRAWS, where="draw")
    return draw


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

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"times": [asdict(row) | {"ratio": row.ratio} for row in self.rows], "repeats": self.repeats}

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
    progress: Progress | None = None,
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
        progress: called as progress(done, total).
    """
    corners = len(grip.inner.vertices)
    counts = sorted({min(checks.count("vertices", count), corners) for count in vertices})
    jobs: list[tuple[Kind, int]] = []
    jobs.extend(("vertices", count) for count in counts)
    most = len(grip.outer.offsets) + BOX if draw == "learned" else max(planes, default=BOX)
    sizes = sorted({min(checks.count("planes", count, low=BOX), most) for count in planes})
    jobs.extend(("half-spaces", count) for count in sizes)
    rows = []
    for done, (kind, count) in enumerate(jobs):
        few = kind == "vertices"
        rough = rough_inner(grip, count, draw, seed) if few else rough_outer(grip, count - BOX, draw, seed)
        rows.append(_timed(kind, rough, checks.count("repeats", repeats)))
        if progress is not None:
            progress(done + 1, len(jobs))
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
        poses = [Pose(pose.rotation, pose.translation + rng.normal(scale=0.01, size=3)) for pose in body.poses]
        cold.append(seconds_of(lambda poses=poses: PostureSolver([grip] * len(poses), poses).holds(body.wrench))[0])
        warm.append(seconds_of(lambda poses=poses: _again(warm_solver, poses, body.wrench))[0])
        highs.append(seconds_of(lambda poses=poses: _by_highs(grip, poses, body.wrench, test=True))[0])
    factor = PostureSolver([grip] * len(body.poses), body.poses).equilibrium(body.wrench).scale_interval[1]
    count = len(grip.vertices) if isinstance(grip, Grip) else len(grip.offsets)
    own = _by_highs(grip, body.poses, body.wrench)
    return GripTestRow(kind, count, median(cold), median(warm), median(highs), float(factor), own)


def _again(solver: PostureSolver, poses: Sequence[Pose], wrench: Array) -> bool:
    """Solve one more posture with a solver that has solved others."""
    solver.move(poses)
    return solver.holds(wrench)


def seconds_of(question: Callable[[], Any]) -> tuple[float, Any]:
    """The time of a call [s], and its result."""
    begun = time.perf_counter()
    answer = question()
    return time.perf_counter() - begun, answer


def _by_highs(grip: Grip | OuterGrip, poses: Sequence[Pose], wrench: Array, *, test: bool = False) -> float:
    """The largest multiple of a load that is held, by one HiGHS program; `test`: 1 if it is held, or nan."""
    maps = np.array([pose.wrench_transport() for pose in poses])
    if not isinstance(grip, Grip):
        return _by_half_spaces(grip, maps, wrench, (1.0, 1.0) if test else FREE)
    program = FullProgram([(grip.vertices, grip.rays)], [0] * len(poses), length=grip.length)
    program.place(maps)
    if test:
        return 1.0 if program.maximise(-wrench).status is SumStatus.OPTIMAL else float("nan")
    return float(program.maximise(np.zeros(6), -wrench[None], np.ones(1)).value)


def _by_half_spaces(grip: OuterGrip, maps: Array, wrench: Array, share: tuple[float | None, float | None]) -> float:
    """The same with (19): A w_j <= b for every hand, sum_j T_j w_j + s w = 0, s in `share` and as large as possible."""
    from scipy.sparse import block_diag, csr_array, hstack

    hands, size = len(maps), 6 * len(maps)
    limits = hstack([block_diag([csr_array(grip.normals)] * hands), csr_array((hands * len(grip.offsets), 1))])
    balance = np.column_stack([np.concatenate(list(maps), axis=1), wrench])
    cost = np.append(np.zeros(size), -1.0)
    offsets, bounds = np.tile(grip.offsets, hands), [FREE] * size + [share]
    found = minimise(cost, limits.tocsr(), offsets, balance, np.zeros(6), bounds=bounds)
    return float("inf") if found.outcome is Outcome.UNBOUNDED else float(found.x[-1])


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
        seconds: computing time.
        name: its name.
    """

    kind: Kind
    count: int
    region: SupportRegion
    seconds: float
    name: str

    @property
    def side(self) -> Side:
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

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        rows = [
            {
                "kind": row.kind,
                "name": row.name,
                "count": row.count,
                "region": str(row.region.kind),
                "area": row.region.area,
                "contains_com": bool(row.region.contains(self.body.com)),
                "seconds": row.seconds,
                "vertices": row.region.vertices,
            }
            for row in (*self.inner, *self.outer)
        ]
        return {"mass": self.body.mass, "com": self.body.com, "regions": rows}


def regions(
    grip: GripBounds,
    *,
    inner: Sequence[int] = INNER_COUNTS,
    outer: Sequence[int] = OUTER_COUNTS,
    draw: Draw = "learned",
    seed: int = 0,
    progress: Progress | None = None,
) -> GripRegions:
    """Support regions of the `climber` for grips of increasing accuracy (Fig. 16).

    Args:
        grip: from `study_grip`.
        inner: numbers of vertices; those above the learned number are left out.
        outer: numbers of half-spaces in addition to the bounding box, likewise; only the box comes first.
        draw: how subsets are chosen, see `rough_inner`. Random half-spaces are around the inner set, as in
            the paper, not around the hand.
        seed: random seed of subsets.
        progress: called as progress(done, total).
    """
    body, corners, planes = climber(), len(grip.inner.vertices), len(grip.outer.offsets)
    few = [checks.count("inner", count) for count in inner if count < corners]
    many = [checks.count("outer", count) for count in outer if draw == "random" or count < planes]
    sets: dict[str, Grip | OuterGrip] = {f"{n} {draw} vertices": rough_inner(grip, n, draw, seed) for n in few}
    sets |= {f"all {corners} vertices": grip.inner, "bounding box": rough_outer(grip, 0, draw, seed)}
    sets |= {f"box and {n} {draw}": rough_outer(grip, n, draw, seed) for n in many}
    sets[f"all {planes} half-spaces"] = grip.outer

    def region(rough: Grip | OuterGrip) -> SupportRegion:
        return support_region(rough, body.poses, body.mass, body.gravity)

    region(grip.inner)  # compilation on first use is not timed
    rows = []
    for done, (name, rough) in enumerate(sets.items()):
        rows.append(region_row(rough, region, name))
        if progress is not None:
            progress(done + 1, len(sets))
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
        f"Medians of {found.repeats} tests of four hands. Holds: the largest multiple of the weight. "
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
