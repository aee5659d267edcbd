"""Outer grips: half-spaces that every wrench a hand can give lies in (18)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import SolverError
from ..solvers import Status
from .facts import GripFacts
from .wrench_rows import HAND_LENGTH, checked_planes
from .wrench_set import WrenchSet, check_ends

if TYPE_CHECKING:
    from .membership import GripMembership

#: What scipy's linear programs call a set that is empty, and one without limit.
INFEASIBLE, ENDLESS = 2, 3


@dataclass(frozen=True, eq=False, init=False, repr=False)
class OuterGrip(WrenchSet):
    """The set {w : normals @ w <= offsets}, outside of which a hand can give no wrench; bounded or not; immutable.

    Wrenches (force [N], torque [N m] about the palm's origin) are in the palm frame and act ON THE BODY. Two are equal
    when their planes, their gravity and their length are.

    Attributes:
        normals: (m, 6) outward; the torque part has the unit 1/m where the force part has none.
        offsets: (m,) [N] for such normals.
        label: how reports call it.
        palm_gravity: None where the set does not depend on the hand's orientation; else gravity in the palm frame
            (3,) [m/s^2] that it is for.
        facts: how it came about.
        length: characteristic length [m] that scales torques into forces; 0.1 m by default.
    """

    KIND = "outer"
    ARRAYS = ("normals", "offsets")

    normals: Array
    offsets: Array
    label: str
    palm_gravity: Array | None
    facts: GripFacts
    length: float

    def __init__(
        self,
        normals: ArrayLike,
        offsets: ArrayLike,
        *,
        label: str = "",
        palm_gravity: ArrayLike | None = None,
        facts: GripFacts | None = None,
        length: float | None = None,
    ) -> None:
        rows, levels = checked_planes(normals, offsets)
        self._settle((rows, levels), label, palm_gravity, facts, HAND_LENGTH if length is None else length)

    def __repr__(self) -> str:
        name = f"{self.label!r}, " if self.label else ""
        return f"OuterGrip({name}{len(self.normals)} half-spaces)"

    @cached_property
    def unit_planes(self) -> tuple[Array, Array]:
        """(normals (m, 6), offsets (m,) [N]) against wrenches divided by `unit`, normals of length 1."""
        rows = self.normals * self.unit
        lengths = np.linalg.norm(rows, axis=1)
        return rows / lengths[:, None], self.offsets / lengths

    @cached_property
    def is_empty(self) -> bool:
        """Whether no wrench meets all planes."""
        return self._largest(np.zeros(6))[0] == -np.inf

    @cached_property
    def is_bounded(self) -> bool:
        """Whether it reaches only so far in every direction."""
        ways = np.concatenate([np.eye(6), -np.eye(6)])
        return not any(np.isinf(self._largest(way)[0]) for way in ways)

    @cached_property
    def prepared(self) -> Any:
        """Walker along the half-spaces for the compiled solvers, made once; to be copied by those who walk."""
        from ..solvers.minkowski.halfspace_sets import HalfspaceHand

        return HalfspaceHand(self.normals, self.offsets, length=self.length)

    # -- questions ------------------------------------------------------------------------------

    def support(self, directions: ArrayLike) -> Array:
        """h(y) = the largest y . w over the set, for directions y (..., 6); inf without limit, -inf for an empty set.

        One linear program each.
        """
        y = checks.rows("directions", directions, 6)
        values = [self._largest(row * self.unit)[0] for row in y.reshape(-1, 6)]
        return np.array(values).reshape(y.shape[:-1])

    def support_points(self, directions: ArrayLike) -> Array:
        """A wrench (..., 6) that goes furthest along each of the directions (..., 6); nan where there is none."""
        y = checks.rows("directions", directions, 6)
        points = [self._largest(row * self.unit)[1] for row in y.reshape(-1, 6)]
        return np.array(points).reshape(y.shape) * self.unit

    def contains(self, wrench: ArrayLike) -> GripMembership:
        """Whether a wrench (6,) of the palm frame meets all planes; the one it is furthest beyond is the proof."""
        from .membership import GripMembership

        w = checks.vector("wrench", wrench, 6)
        if not len(self.normals):
            return GripMembership(Status.HOLDS, w)
        rows, levels = self.unit_planes
        beyond = rows @ (w / self.unit) - levels
        worst = int(beyond.argmax())
        size = max(float(np.abs(w / self.unit).max()), abs(float(levels[worst])))
        if beyond[worst] <= tolerances.MEMBERSHIP * size:
            return GripMembership(Status.HOLDS, w)
        y, level = self.normals[worst], float(self.offsets[worst])
        return GripMembership(Status.DOES_NOT_HOLD, w, separator=y, support=level)

    def _largest(self, way: Array) -> tuple[float, Array]:
        """(value, point (6,)) of the largest way . x over the set in coordinates divided by `unit`."""
        from scipy.optimize import linprog

        rows, levels = self.unit_planes
        nowhere = np.full(6, np.nan)
        if not len(rows):
            return (np.inf, nowhere) if way.any() else (0.0, np.zeros(6))
        size = float(np.abs(levels).max()) or 1.0
        steep = float(np.abs(way).max()) or 1.0
        for presolve in (True, False):  # with it, an endless set may pass for an empty one
            options = {"presolve": presolve}
            found = linprog(
                -way / steep, A_ub=rows, b_ub=levels / size, bounds=(None, None), method="highs", options=options
            )
            if found.status == 0:
                return float(-found.fun * size * steep), found.x * size
        if found.status in (INFEASIBLE, ENDLESS):
            return (-np.inf if found.status == INFEASIBLE else np.inf), nowhere
        raise SolverError(f"no support could be found: {found.message}", where="outer grip")

    # -- new grips ------------------------------------------------------------------------------

    @staticmethod
    def box(lower: ArrayLike, upper: ArrayLike, *, label: str = "", length: float | None = None) -> OuterGrip:
        """All wrenches between `lower` and `upper` (6,) as at most twelve planes; -inf and inf leave an end open."""
        low, high = (checks.array(name, v, (6,), infinite=True) for name, v in (("lower", lower), ("upper", upper)))
        check_ends(low, high)
        normals, offsets = np.concatenate([np.eye(6), -np.eye(6)]), np.concatenate([high, -low])
        kept = np.isfinite(offsets)
        return OuterGrip(normals[kept], offsets[kept], label=label, length=length)

    def scaled(self, factor: float) -> OuterGrip:
        """Every wrench times `factor` > 0."""
        times = checks.positive("factor", factor)
        return self._with(offsets=self.offsets * times, facts=self.facts.changed(f"scaled by {times:g}"))

    def thinned(self) -> OuterGrip:
        """The same set without planes that others make superfluous, in the order they had; one program a plane."""
        from .extreme_points import needed_planes

        kept = needed_planes(*self.unit_planes)
        return self._with(normals=self.normals[kept], offsets=self.offsets[kept])

    def _mapped(self, forward: Array, back: Array) -> dict[str, Array]:
        del forward
        return {"normals": self.normals @ back}

    # -- files ----------------------------------------------------------------------------------

    @staticmethod
    def load(path: str | PathLike[str]) -> OuterGrip:
        """The planes of a file that `save` wrote; of inner and outer bounds, the outer grip."""
        from .files import load_outer

        return load_outer(path)
