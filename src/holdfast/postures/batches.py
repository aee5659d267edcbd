"""Many postures of the same hands at once, each with its proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, BoolArray
from ..errors import InputError
from ..geometry.frames import Pose
from ..grips import Grip
from ..solvers import Status
from ..solvers.minkowski import SumStatus
from .equilibrium import Certainty, PostureEquilibrium, decide, separating_wrench
from .generation import solver_of
from .hands import Hands, are_rigid, arrays_of, checked_hands, checked_poses, checked_wrenches, transports
from .memberships import balance
from .proofs import unit_multipliers

_CERTAINTY = {Status.HOLDS: Certainty.CERTAINLY, Status.DOES_NOT_HOLD: Certainty.CERTAINLY_NOT}


@dataclass(frozen=True, eq=False)
class PostureAnswers:
    """Verdicts about m postures of k hands; `answers[i]` asks about one again and has all of its proof.

    Attributes:
        hands: the grips, at the first posture that was asked about.
        matrices: (m, k, 4, 4) the palms' poses.
        loads: (m, 6) external wrenches on the body, in the world.
        status: (m,) of Status.
        wrenches: (m, k, 6) what each hand gives, palm frames; nan where it does not hold.
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
        result[:] = [_CERTAINTY.get(status, Certainty.UNCERTAIN) for status in self.status]
        return result

    @overload
    def __getitem__(self, index: int) -> PostureEquilibrium: ...

    @overload
    def __getitem__(self, index: slice) -> PostureAnswers: ...

    def __getitem__(self, index: int | slice) -> PostureEquilibrium | PostureAnswers:
        """One answer in full, asked again; of a slice, the answers as they are."""
        if isinstance(index, slice):
            names = ("matrices", "loads", "status", "wrenches", "multipliers")
            return replace(self, **{name: getattr(self, name)[index] for name in names})
        if not isinstance(index, (int, np.integer)) or isinstance(index, bool):
            what = f"is a {type(index).__name__}"
            raise InputError(what, where="index", fix="give the number of a posture, or a slice")
        poses = [Pose(matrix[:3, :3], matrix[:3, 3]) for matrix in self.matrices[index]]
        return decide(self.hands.moved(poses), self.loads[index])

    def verify(self) -> bool:
        """Whether every verdict is proven: its own wrenches or separating wrench, and its answer in full; else False.

        By all vertices of all hands, without the solver that answered here.
        """
        for index, status in enumerate(self.status):
            again = self[index]
            if again.status is not status or not again.verify():
                return False
            if status is Status.HOLDS:
                if balance(again.hands, self.wrenches[index], self.loads[index]) > 10 * tolerances.FEASIBILITY:
                    return False
            elif not again.hands.has_bounds and status is Status.DOES_NOT_HOLD:
                y = unit_multipliers(again.hands, self.multipliers[index])
                if separating_wrench(again.hands, self.loads[index], y) is None:
                    return False
        return True


def posture_many(
    grips: Any,
    poses: Any,
    wrenches: ArrayLike,
    *,
    threads: int = 1,
    gravity: ArrayLike | None = None,
    length: float | None = None,
) -> PostureAnswers:
    """Whether each of m postures of the same hands holds its load; each search starts from where the last one ended.

    Args:
        grips: one a hand, or one for all, as of `posture_equilibrium`.
        poses: m lists with one pose a hand, or quickest an array (m, k, 4, 4) of rigid matrices.
        wrenches: (m, 6) external wrenches on the body, or one (6,) for all.
        threads: how many parts are computed at a time, for grips of vertices; the answers do not depend on it.
        gravity, length: as of `posture_equilibrium`.
    """
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
        _in_full(hands, matrices, loads, status, found, multipliers)
        return PostureAnswers(hands, matrices, loads, status, found, multipliers)
    solver: Any = solver_of(hands)  # a SumSolver, for grips of vertices
    batch = solver.many(maps, -loads, threads=workers)
    held, failed = batch.are(SumStatus.OPTIMAL), batch.are(SumStatus.EMPTY)
    status[held], status[failed] = Status.HOLDS, Status.DOES_NOT_HOLD
    found[held], multipliers[failed] = batch.wrenches[held], batch.multipliers[failed]
    return PostureAnswers(hands, matrices, loads, status, found, multipliers)


def _in_full(hands: Hands, matrices: Array, loads: Array, status: Array, found: Array, multipliers: Array) -> None:
    """Answers for grips of any kind, one by one, with vertices that are found kept for the next."""
    from .solver import PostureSolver

    solver = PostureSolver(list(hands.grips), list(hands.poses), length=hands.length)
    for index, (row, load) in enumerate(zip(matrices, loads, strict=True)):
        solver.move(row)
        answer = solver.equilibrium(load)
        status[index] = answer.status
        if answer.wrenches is not None:
            found[index] = answer.wrenches
        if answer.certificate is not None:
            multipliers[index] = answer.certificate.multipliers


def _matrices(poses: Any) -> Array:
    """(m, k, 4, 4) rigid matrices."""
    if isinstance(poses, np.ndarray) and poses.ndim == 4 and poses.shape[2:] == (4, 4) and poses.size:
        given = checks.array("poses", poses, ("m", "k", 4, 4))
        if are_rigid(given):
            return given
    checks.iterable("poses", poses, fix="give m lists with one pose a hand, or an array (m, k, 4, 4)")
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
