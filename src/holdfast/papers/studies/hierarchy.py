"""The data of the paper's Fig. 15: how long a four-hand test takes as grips are known more finely (V.E)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

import numpy as np

from ... import checks
from ...checks import Array
from ...geometry.frames import Pose
from ...grips import Grip, GripBounds, OuterGrip
from ...postures.solver import PostureSolver
from ...solvers.minkowski import SumStatus
from ...solvers.minkowski.full_program import FullProgram
from .climber import Progress, climber
from .rough_grips import BOX, Draw, rough_inner, rough_outer

Kind = Literal["vertices", "half-spaces"]

#: Corners and half-spaces of a grip; a box has twelve.
VERTEX_COUNTS = (25, 50, 100, 250, 500, 1000, 2000)
PLANE_COUNTS = (BOX, 25, 50, 100, 250, 500, 1000)


@dataclass(frozen=True)
class GrowthRow:
    """Times of one four-hand test.

    Attributes:
        kind: how each grip is given.
        count: corners or half-spaces a grip.
        cold: seconds of a test by a new solver, median.
        warm: seconds of a test by a solver that has answered about a nearby posture, median.
        highs: seconds of the same by HiGHS on all corners (20) or half-spaces (19) at once, median.
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
class Growth:
    """Fig. 15: times against the number of corners and of half-spaces of each of four grips.

    Attributes:
        rows: by kind and count.
        repeats: tests behind each median.
        samples: by which the hand was learned.
        seed: of the samples and subsets.
    """

    rows: tuple[GrowthRow, ...]
    repeats: int
    samples: int
    seed: int

    def of(self, kind: Kind) -> tuple[GrowthRow, ...]:
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
) -> Growth:
    """Times of a four-hand test as grips are known more finely (Fig. 15), with HiGHS beside.

    Every test is of the `climber`, its palms shifted a little from one repetition to the next.

    Args:
        grip: from `study_grip`.
        vertices: numbers of corners; those beyond what was learned are left out.
        planes: numbers of half-spaces, the twelve of a box among them; those beyond what was learned are left out.
        draw: how few are chosen of many, see `rough_grips`.
        repeats: tests behind each median.
        seed: of random subsets.
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
    return Growth(tuple(rows), repeats, grip.inner.metadata.n or 0, seed)


def _timed(kind: Kind, grip: Grip | OuterGrip, repeats: int) -> GrowthRow:
    """One row: the same question to a new solver, to a warm one, and to HiGHS, each asked once before it is timed."""
    body, rng = climber(), np.random.default_rng(0)
    warm_solver = PostureSolver([grip] * len(body.poses), body.poses)
    warm_solver.holds(body.wrench)
    # What only the first call of a process pays (loading, compiling, tables of the grip) is no part of a test.
    _again(warm_solver, body.poses, body.wrench)
    PostureSolver([grip] * len(body.poses), body.poses).holds(body.wrench)
    _test_by_highs(grip, body.poses, body.wrench)
    cold, warm, highs = [], [], []
    for _ in range(repeats):
        poses = [Pose(pose.rotation, pose.translation + rng.normal(scale=0.01, size=3)) for pose in body.poses]
        cold.append(seconds_of(lambda poses=poses: PostureSolver([grip] * len(poses), poses).holds(body.wrench))[0])
        warm.append(seconds_of(lambda poses=poses: _again(warm_solver, poses, body.wrench))[0])
        highs.append(seconds_of(lambda poses=poses: _test_by_highs(grip, poses, body.wrench))[0])
    factor = PostureSolver([grip] * len(body.poses), body.poses).equilibrium(body.wrench).scale_interval[1]
    count = len(grip.vertices) if isinstance(grip, Grip) else len(grip.offsets)
    own = _by_highs(grip, body.poses, body.wrench)
    return GrowthRow(kind, count, median(cold), median(warm), median(highs), float(factor), own)


def _again(solver: PostureSolver, poses: Sequence[Pose], wrench: Array) -> bool:
    """One more posture to a solver that has answered about others."""
    solver.move(poses)
    return solver.holds(wrench)


def seconds_of(question: Callable[[], Any]) -> tuple[float, Any]:
    """How long a question takes, and its answer."""
    begun = time.perf_counter()
    answer = question()
    return time.perf_counter() - begun, answer


def _test_by_highs(grip: Grip | OuterGrip, poses: Sequence[Pose], wrench: Array) -> bool:
    """Whether a load is held, by HiGHS on everything at once: the question that the solvers are timed with."""
    maps = np.array([pose.wrench_transport() for pose in poses])
    if not isinstance(grip, Grip):
        return _by_half_spaces(grip, maps, wrench, (1.0, 1.0)) == 1.0
    program = FullProgram([(grip.vertices, grip.rays)], [0] * len(poses), length=grip.length)
    program.place(maps)
    return program.maximise(-wrench).status is SumStatus.OPTIMAL


def _by_highs(grip: Grip | OuterGrip, poses: Sequence[Pose], wrench: Array) -> float:
    """The largest multiple of a load that is held, by HiGHS on everything at once."""
    maps = np.array([pose.wrench_transport() for pose in poses])
    if isinstance(grip, Grip):
        program = FullProgram([(grip.vertices, grip.rays)], [0] * len(poses), length=grip.length)
        program.place(maps)
        found = program.maximise(np.zeros(6), -wrench[None], np.ones(1))
        return float(found.value)
    return _by_half_spaces(grip, maps, wrench)


def _by_half_spaces(
    grip: OuterGrip, maps: Array, wrench: Array, share: tuple[float | None, float | None] = (None, None)
) -> float:
    """The same with (19): A w_j <= b for every hand, sum_j T_j w_j + s w = 0, s in `share` and as large as possible."""
    from scipy.optimize import linprog
    from scipy.sparse import block_diag, csr_array, hstack

    hands, size = len(maps), 6 * len(maps)
    limits = hstack([block_diag([csr_array(grip.normals)] * hands), csr_array((hands * len(grip.offsets), 1))])
    balance = np.column_stack([np.concatenate(list(maps), axis=1), wrench])
    cost = np.zeros(size + 1)
    cost[-1] = -1.0
    found = linprog(
        cost,
        A_ub=limits.tocsr(),
        b_ub=np.tile(grip.offsets, hands),
        A_eq=balance,
        b_eq=np.zeros(6),
        bounds=[(None, None)] * size + [share],
        method="highs",
    )
    return float(found.x[-1]) if found.status == 0 else float("inf") if found.status == 3 else float("nan")
