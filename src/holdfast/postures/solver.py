"""Many postures of the same hands: `PostureSolver` for one posture after another, `posture_many` for a batch."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, BoolArray, IntArray, Side
from ..errors import InputError
from ..geometry.frames import Pose, transports
from ..grips import Grip, GripBounds
from ..public_names import with_advice
from ..results import Result, proof
from ..solvers import Status
from ..solvers.minkowski import SumStatus
from .device import DeviceAnswers, DeviceSolver, Undecided
from .equilibrium import PostureEquilibrium, certainty_of, decide, scale_interval, separating_wrench
from .generation import SliceSolver, solver_of
from .hands import (
    AnyGrip,
    GripsLike,
    Hands,
    LazyGrip,
    PosesLike,
    are_rigid,
    arrays_of,
    checked_hands,
    checked_poses,
    checked_wrench,
    checked_wrenches,
)
from .margins import CrossPolytopeMargin, PostureMargin, checked_direction, cross_polytope_of, margin_of
from .proofs import balance, unit_multipliers


@with_advice()
class PostureSolver:
    """Solves postures of the same hands with warm starts; for planners.

    Verdicts and values are those of `posture_equilibrium` and `posture_margin`; the hands' wrenches may be other
    admissible ones. It may be used from several threads, but calls wait for each other, and `move` changes the
    posture for all: use one solver per thread for parallel runs (the grips' tables are shared). It can be
    pickled and copied: the copy is made again at the same posture, without warm start.

    Args:
        grips: one per hand, or one for all.
        poses: first poses of the palms, one per hand.
        gravity: (3,) [m/s^2] in the world, checked against grips that were learned under gravity, at every `move`.
        length: [m] by which torques are divided; by default from the palms' distances in the first posture.
    """

    def __init__(
        self, grips: GripsLike, poses: PosesLike, *, gravity: ArrayLike | None = None, length: float | None = None
    ) -> None:
        self._gravity = None if gravity is None else checks.vector("gravity", gravity, 3)
        self._hands: Hands | None = checked_hands(grips, poses, gravity=self._gravity, length=length)
        self._first = self._hands
        self._poses: tuple[Pose, ...] | Array = self._hands.poses
        self._inner = solver_of(self._hands.sided("inner"))
        self._outer = solver_of(self._hands.sided("outer")) if self._hands.has_bounds else None
        self._plain = not any(isinstance(grip, LazyGrip) for grip in self._hands.grips)
        self._under_gravity = any(grip.palm_gravity is not None for grip in self._hands.grips)
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"PostureSolver({len(self._first)} hands)"

    def __reduce__(self) -> tuple[Any, ...]:
        """What another process needs to make the same solver: the scale of torques stays that of the first posture."""
        first = self._first
        with self._lock:
            return _made, (first.grips, first.poses, self._gravity, first.length, self._poses)

    @property
    def hands(self) -> Hands:
        """Grips and present poses."""
        with self._lock:
            if self._hands is None:
                self._hands = self._first.moved(self._poses, gravity=self._gravity)
            return self._hands

    @with_advice()
    def move(self, poses: PosesLike) -> None:
        """Move the palms: one pose per hand, or fastest an array (k, 4, 4) of rigid matrices."""
        k = len(self._first)
        if isinstance(poses, np.ndarray) and poses.shape == (k, 4, 4) and np.isfinite(poses).all() and are_rigid(poses):
            placed: tuple[Pose, ...] | Array = np.array(poses, dtype=np.float64)
            maps = transports(placed[:, :3, :3], placed[:, :3, 3])
        else:
            placed = checked_poses(poses, k)
            maps = transports(*arrays_of(placed))
        hands = self._first.moved(placed, gravity=self._gravity) if self._under_gravity else None
        with self._lock:
            self._poses, self._hands = placed, hands
            self._inner.place(maps)
            if self._outer is not None:
                self._outer.place(maps)

    @with_advice()
    def holds(self, wrench: ArrayLike) -> bool:
        """Whether the load (6,) is held: only the verdict, fastest; for bounds, whether it is guaranteed.

        "Undecided" counts as no; `equilibrium` distinguishes it and has the proof.
        """
        load = np.asarray(wrench, dtype=np.float64)
        if load.shape != (6,) or not np.isfinite(load).all():
            load = checked_wrench("wrench", wrench)
        with self._lock:
            if not self._plain:
                return self.equilibrium(load).holds
            found = self._inner.maximise(-load)
            return found.status is SumStatus.OPTIMAL if found.clear else self.equilibrium(load).holds

    @with_advice()
    def equilibrium(self, wrench: ArrayLike) -> PostureEquilibrium:
        """As `posture_equilibrium`, warm."""
        load = checked_wrench("wrench", wrench)
        with self._lock:
            answer = decide(self.hands, load, self._inner, self._outer)
        return without_solver(answer)

    @with_advice()
    def margin(self, direction: ArrayLike, wrench: ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)) -> PostureMargin:
        """As `posture_margin`, with a warm start: the largest s with wrench + s direction held."""
        way, load = checked_direction(direction), checked_wrench("wrench", wrench)
        with self._lock:
            return margin_of(self.hands, load, way, self._inner, self._outer)

    @with_advice()
    def scale_interval(self, wrench: ArrayLike) -> tuple[float, float]:
        """(s_min, s_max) of the held load scales; for bounds, of the inner side."""
        load = checked_wrench("wrench", wrench)
        with self._lock:
            return scale_interval(self.hands.sided("inner"), load, self._inner).ends

    @with_advice()
    def cross_polytope_margin(self, wrench: ArrayLike, *, torque_length: float | None = None) -> CrossPolytopeMargin:
        """As `cross_polytope_margin`, warm."""
        load = checked_wrench("wrench", wrench)
        scale = self._first.length if torque_length is None else torque_length
        with self._lock:
            return cross_polytope_of(
                self.hands, load, checks.positive("torque_length", scale, unit="m"), self._inner, self._outer
            )

    @with_advice()
    def to(self, device: str) -> DeviceSolver:
        """The same hands on a device, "cuda", "cuda:1" or "cpu", for batches: `many`, `margins` and `regions`.

        Needs the extra `gpu`, "cpu" too. A missing device is an error.
        """
        return DeviceSolver(self._first.grips, device)

    @with_advice()
    def slice_solver(self, side: Side = "inner") -> SliceSolver:
        """The solver of linear programs at the present posture; it moves with this one."""
        if side not in ("inner", "outer"):
            raise InputError(f"is {side!r}", where="side", fix='give "inner" or "outer"')
        bounds = any(isinstance(grip, GripBounds) for grip in self._first.grips)
        return self._outer if side == "outer" and bounds and self._outer is not None else self._inner


def _made(grips: GripsLike, first: PosesLike, gravity: Array | None, length: float, poses: PosesLike) -> PostureSolver:
    """A solver made for the poses `first` and moved to others."""
    solver = PostureSolver(grips, first, gravity=gravity, length=length)
    solver.move(poses)
    return solver


def without_solver(answer: PostureEquilibrium) -> PostureEquilibrium:
    """The same result without its solver, which will move; later questions make a new one."""
    inner = None if answer.inner is None else replace(answer.inner, solver=None)
    outer = None if answer.outer is None else replace(answer.outer, solver=None)
    return replace(answer, solver=None, inner=inner, outer=outer)


# Many postures of the same hands at once, each with its proof.


@dataclass(frozen=True, eq=False)
class PostureAnswers(Result):
    """Verdicts about m postures of k hands; `answers[i]` solves one again and has its full proof.

    Attributes:
        hands: the grips, at the first posture that was asked about.
        matrices: (m, k, 4, 4) the palms' poses.
        loads: (m, 6) external wrenches on the body, in the world.
        status: (m,) of Status.
        wrenches: (m, k, 6) wrench of each hand, palm frames; nan where it does not hold.
        multipliers: (m, 6) separating wrenches where it does not hold, else zero.
    """

    hands: Hands
    matrices: Array
    loads: Array
    status: Array
    wrenches: Array
    multipliers: Array

    def __repr__(self) -> str:
        counts = ", ".join(f"{(self.status == s).sum()} {s}" for s in Status if (self.status == s).any())
        return f"PostureAnswers({counts or 'none'})"

    def to_dict(self) -> dict[str, Any]:
        """Status of each posture, and how many hold, as plain data."""
        return {"postures": len(self), "holding": int(self.holds.sum()), "status": [s.value for s in self.status]}

    def __len__(self) -> int:
        return len(self.loads)

    @property
    def holds(self) -> BoolArray:
        """(m,) whether each posture was shown to hold its load."""
        return self.status == Status.HOLDS

    @property
    def certainty(self) -> Array:
        """(m,) of Certainty (V.D)."""
        result = np.empty(len(self), dtype=object)
        result[:] = [certainty_of(status) for status in self.status]
        return result

    @overload
    def __getitem__(self, index: int) -> PostureEquilibrium: ...

    @overload
    def __getitem__(self, index: slice) -> PostureAnswers: ...

    def __getitem__(self, index: int | slice) -> PostureEquilibrium | PostureAnswers:
        """One full result, solved again; for a slice, the results without solving."""
        if isinstance(index, slice):
            names = ("matrices", "loads", "status", "wrenches", "multipliers")
            return replace(self, **{name: getattr(self, name)[index] for name in names})
        if not isinstance(index, (int, np.integer)) or isinstance(index, bool):
            what = f"is a {type(index).__name__}"
            raise InputError(what, where="index", fix="give the number of a posture, or a slice")
        poses = [Pose(matrix[:3, :3], matrix[:3, 3]) for matrix in self.matrices[index]]
        return decide(self.hands.moved(poses), self.loads[index])

    @proof
    def verify(self) -> bool:
        """Whether every verdict is proven: its own wrenches or separating wrench, and its full result; else False.

        By all vertices of all hands, without the solver of this batch.
        """
        shapes = {len(part) for part in (self.matrices, self.loads, self.status, self.wrenches, self.multipliers)}
        if len(shapes) > 1 or not np.isfinite(self.multipliers).all():
            return False
        for index, status in enumerate(self.status):
            again = self[index]
            if again.status is not status or not again.verify():
                return False
            if status is Status.HOLDS:
                if not balance(again.hands, self.wrenches[index], self.loads[index]) <= 10 * tolerances.FEASIBILITY:
                    return False
            elif not np.isnan(self.wrenches[index]).all():
                return False
            elif not again.hands.has_bounds and status is Status.DOES_NOT_HOLD:
                y = unit_multipliers(again.hands, self.multipliers[index])
                if separating_wrench(again.hands, self.loads[index], y) is None:
                    return False
        return True


@overload
def posture_many(
    grips: GripsLike,
    poses: Array | Iterable[PosesLike],
    wrenches: ArrayLike,
    *,
    threads: int = ...,
    gravity: ArrayLike | None = ...,
    length: float | None = ...,
    device: None = ...,
) -> PostureAnswers: ...


@overload
def posture_many(
    grips: GripsLike, poses: Any, wrenches: Any, *, device: str, undecided: Undecided = ...
) -> DeviceAnswers: ...


@with_advice()
def posture_many(
    grips: GripsLike,
    poses: Any,
    wrenches: Any,
    *,
    threads: int = 1,
    gravity: ArrayLike | None = None,
    length: float | None = None,
    device: str | None = None,
    undecided: Undecided = "cpu",
) -> PostureAnswers | DeviceAnswers:
    """Whether each of m postures of the same hands holds its load; each search starts from the end of the last one.

    Args:
        grips: one per hand, or one for all, as in `posture_equilibrium`.
        poses: m lists with one pose per hand, or fastest an array (m, k, 4, 4) of rigid matrices.
        wrenches: (m, 6) external wrenches on the body, or one (6,) for all.
        threads: number of parallel parts, for grips of vertices; no effect on the results.
        gravity, length: as in `posture_equilibrium`.
        device: None for the compiled method of the CPU. "cuda" or "cuda:1" for a GPU, "cpu" for the same kernels on the
            CPU; all need the extra `gpu`. The result is then a `DeviceAnswers`, and poses (m, k, 4, 4) and wrenches may
            be arrays on that device.
        undecided: with a device, treatment of postures that it cannot decide: "cpu" or "leave".
    """
    if device is not None:
        if gravity is not None or length is not None or threads != 1:
            raise InputError("cannot be used with gravity, length and threads", where="device", fix="leave them out")
        given = poses if hasattr(poses, "__dlpack__") or hasattr(poses, "numpy") else _matrices(poses)
        hands = given.shape[1]
        single = isinstance(grips, AnyGrip)
        return DeviceSolver([grips] * hands if single else list(grips), device).many(
            given, wrenches, undecided=undecided
        )
    workers = checks.count("threads", threads)
    matrices = _matrices(poses)
    m, k = matrices.shape[:2]
    loads = checked_wrenches("wrenches", wrenches, m)
    if not m:
        raise InputError("is empty", where="poses", fix="give at least one posture")
    first = [Pose(matrix[:3, :3], matrix[:3, 3]) for matrix in matrices[0]]
    hands = checked_hands(grips, first, gravity=gravity, length=length)
    if any(grip.palm_gravity is not None for grip in hands.grips):
        for row in matrices:
            hands.moved(list(row), gravity=gravity)
    status = np.full(m, Status.UNDECIDED, dtype=object)
    found = np.full((m, k, 6), np.nan)
    multipliers = np.zeros((m, 6))
    maps = transports(matrices[..., :3, :3], matrices[..., :3, 3])
    if not all(isinstance(grip, Grip) for grip in hands.grips):
        answers = PostureAnswers(hands, matrices, loads, status, found, multipliers)
        _in_full(answers, np.arange(m))
        return answers
    solver: Any = solver_of(hands)  # a SumSolver, for grips of vertices
    batch = solver.many(maps, -loads, threads=workers)
    held, failed = batch.are(SumStatus.OPTIMAL), batch.are(SumStatus.EMPTY)
    status[held], status[failed] = Status.HOLDS, Status.DOES_NOT_HOLD
    found[held], multipliers[failed] = batch.wrenches[held], batch.multipliers[failed]
    answers = PostureAnswers(hands, matrices, loads, status, found, multipliers)
    _in_full(answers, np.nonzero(~batch.clear)[0])
    return answers


def _in_full(answers: PostureAnswers, rows: IntArray) -> None:
    """Solve some rows one by one, for grips of any kind; found vertices are used for the next."""
    if not len(rows):
        return
    hands = answers.hands
    solver = PostureSolver(list(hands.grips), list(hands.poses), length=hands.length)
    for index in rows:
        solver.move(answers.matrices[index])
        answer = solver.equilibrium(answers.loads[index])
        held, proof = answer.wrenches, answer.certificate
        answers.status[index] = answer.status
        answers.wrenches[index] = np.nan if held is None else held
        answers.multipliers[index] = 0.0 if proof is None else proof.multipliers


def _matrices(poses: Array | Iterable[PosesLike]) -> Array:
    """(m, k, 4, 4) rigid matrices."""
    if isinstance(poses, np.ndarray) and poses.ndim == 4 and poses.shape[2:] == (4, 4) and poses.size:
        given = checks.array("poses", poses, ("m", "k", 4, 4))
        if are_rigid(given):
            return given
    checks.iterable("poses", poses, fix="give m lists with one pose per hand, or an array (m, k, 4, 4)")
    rows = []
    for index, posture in enumerate(poses):
        try:
            placed = checked_poses(posture, None if not rows else len(rows[0]))
        except InputError as error:
            raise type(error)(error.what, where=f"poses[{index}] {error.where}", fix=error.fix) from None
        turns, shifts = arrays_of(placed)
        matrices = np.tile(np.eye(4), (len(placed), 1, 1))
        matrices[:, :3, :3], matrices[:, :3, 3] = turns, shifts
        rows.append(matrices)
    if not rows:
        raise InputError("is empty", where="poses", fix="give at least one posture")
    return np.array(rows)
