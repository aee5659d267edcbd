"""PostureSolver: one set of hands in many postures, each question answered from where the last one ended."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import Pose
from ..grips import GripBounds
from ..solvers.minkowski import SumStatus
from .equilibrium import PostureEquilibrium, decide
from .generation import SliceSolver, solver_of
from .hands import Hands, are_rigid, arrays_of, checked_hands, checked_poses, checked_wrench, transports
from .intervals import scale_interval
from .lazy import LazyGrip
from .margins import CrossPolytopeMargin, PostureMargin, checked_direction, cross_polytope_of, margin_of


class PostureSolver:
    """Answers questions about postures of the same hands, keeping vertices and bases warm; for planners.

    Verdicts and values are those of `posture_equilibrium` and `posture_margin`; the hands' wrenches may be other
    admissible ones. It may be used from several threads, but questions wait for each other, and `move` changes the
    posture for all: give each thread a solver of its own to run side by side (the grips' tables are shared).

    Args:
        grips: one a hand, or one for all.
        poses: where the palms stand at first, one a hand.
        gravity: (3,) [m/s^2] in the world, checked against grips that were learned under gravity, at every `move`.
        length: [m] that scales torques; by default from the palms' distances in the first posture.
    """

    def __init__(
        self, grips: Any, poses: Any, *, gravity: ArrayLike | None = None, length: float | None = None
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

    @property
    def hands(self) -> Hands:
        """Grips and poses as they are now."""
        with self._lock:
            if self._hands is None:
                self._hands = self._first.moved(self._poses, gravity=self._gravity)
            return self._hands

    def move(self, poses: Any) -> None:
        """Put the palms elsewhere: one pose a hand, or quickest an array (k, 4, 4) of rigid matrices."""
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

    def holds(self, wrench: ArrayLike) -> bool:
        """Whether the load (6,) is held: the bare verdict, quickest; of bounds, whether it certainly is.

        "Undecided" counts as no; `equilibrium` tells the difference and has the proof.
        """
        load = np.asarray(wrench, dtype=np.float64)
        if load.shape != (6,) or not np.isfinite(load).all():
            load = checked_wrench("wrench", wrench)
        with self._lock:
            if not self._plain:
                return self.equilibrium(load).holds
            return self._inner.maximise(-load).status is SumStatus.OPTIMAL

    def equilibrium(self, wrench: ArrayLike) -> PostureEquilibrium:
        """As `posture_equilibrium`, warm."""
        load = checked_wrench("wrench", wrench)
        with self._lock:
            answer = decide(self.hands, load, self._inner, self._outer)
        return without_solver(answer)

    def margin(self, direction: ArrayLike, wrench: ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)) -> PostureMargin:
        """As `posture_margin`, warm: the largest s with wrench + s direction held; from no load by default."""
        way, load = checked_direction(direction), checked_wrench("wrench", wrench)
        with self._lock:
            return margin_of(self.hands, load, way, self._inner, self._outer)

    def scale_interval(self, wrench: ArrayLike) -> tuple[float, float]:
        """(s_min, s_max) of the load scales that are held; of bounds, of the inner side."""
        load = checked_wrench("wrench", wrench)
        with self._lock:
            return scale_interval(self.hands.sided("inner"), load, self._inner).ends

    def cross_polytope_margin(self, wrench: ArrayLike, *, torque_length: float | None = None) -> CrossPolytopeMargin:
        """As `cross_polytope_margin`, warm."""
        load = checked_wrench("wrench", wrench)
        scale = self._first.length if torque_length is None else torque_length
        with self._lock:
            return cross_polytope_of(
                self.hands, load, checks.positive("torque_length", scale, unit="m"), self._inner, self._outer
            )

    def slice_solver(self, side: str = "inner") -> SliceSolver:
        """The solver of linear programs at the posture as it is now; it moves with this one."""
        if side not in ("inner", "outer"):
            raise InputError(f"is {side!r}", where="side", fix='give "inner" or "outer"')
        bounds = any(isinstance(grip, GripBounds) for grip in self._first.grips)
        return self._outer if side == "outer" and bounds and self._outer is not None else self._inner


def without_solver(answer: PostureEquilibrium) -> PostureEquilibrium:
    """The same answer without its hold on a solver that will move on; what follows from it asks a new one."""
    inner = None if answer.inner is None else replace(answer.inner, solver=None)
    outer = None if answer.outer is None else replace(answer.outer, solver=None)
    return replace(answer, solver=None, inner=inner, outer=outer)
