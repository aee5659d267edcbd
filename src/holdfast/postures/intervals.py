"""How far a load goes along a line: the exact largest scale, with wrenches at it and the proof that none is larger."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import tolerances
from ..checks import Array
from ..grips import Grip, OuterGrip
from ..solvers import Status
from ..solvers.minkowski import HandWeights, SumOptimum, SumStatus
from .confirming import confirmed_share, needs_confirming
from .generation import SliceSolver, plane_weights, solver_of
from .hands import AnyGrip, Hands
from .memberships import balance, balance_size, lie_in_grips
from .proofs import SumBound, total_support

_STATUS = {
    SumStatus.OPTIMAL: Status.OPTIMAL,
    SumStatus.UNBOUNDED: Status.UNBOUNDED,
    SumStatus.EMPTY: Status.DOES_NOT_HOLD,
}


@dataclass(frozen=True, eq=False)
class RayEnd:
    """The largest s for which the wrench w + s d is held by grips with one side; of lazy hands, by their hulls.

    Attributes:
        hands: grips and poses.
        wrench, direction: (6,) w and d, external wrenches on the body.
        optimum: the program's answer; its z is s.
    """

    hands: Hands
    wrench: Array
    direction: Array
    optimum: SumOptimum

    @property
    def status(self) -> Status:
        """Optimal, unbounded, does not hold (no s at all), or undecided."""
        return _STATUS.get(self.optimum.status, Status.UNDECIDED)

    @property
    def value(self) -> float:
        """s; inf without a limit, -inf when no s is held or known."""
        return np.inf if self.status is Status.UNBOUNDED else self.optimum.value

    @property
    def wrenches(self) -> Array | None:
        """(k, 6) what the hands give at s, palm frames; None where no s is held; of some s when there is no limit."""
        return self.optimum.wrenches if np.isfinite(self.optimum.wrenches).all() else None

    @property
    def weights(self) -> tuple[HandWeights | None, ...]:
        """How hands that have vertices combine them; None for other hands."""
        pairs = zip(self.optimum.weights, self.hands.grips, strict=True)
        return tuple(w if isinstance(grip, Grip) else None for w, grip in pairs) if self.optimum.weights else ()

    @cached_property
    def bound(self) -> SumBound | None:
        """Why s is no larger: y with y . d = -1 and s <= support + y . w; None without a limit or a proof."""
        y = self.optimum.multipliers
        if self.status not in (Status.OPTIMAL, Status.DOES_NOT_HOLD):
            return None
        planes = plane_weights(self.hands, y)
        return SumBound(self.hands, y, total_support(self.hands, y, planes), planes)

    @cached_property
    def growth(self) -> RayEnd | None:
        """Of a ray without a limit: how the hands' unlimited directions alone hold d; None for lazy hands."""
        if self.status is not Status.UNBOUNDED:
            return None
        grips: list[AnyGrip] = []
        for grip in self.hands.grips:
            if isinstance(grip, Grip):
                grips.append(Grip(np.zeros((1, 6)), grip.rays, length=grip.length))
            elif isinstance(grip, OuterGrip):
                grips.append(OuterGrip(grip.normals, np.zeros(len(grip.offsets)), length=grip.length))
            else:
                return None
        still = np.zeros(6)
        return RayEnd(
            (hands := self.hands.with_grips(grips)), self.direction, still, solver_of(hands).maximise(-self.direction)
        )

    @property
    def upper_bound(self) -> float:
        """No s above this is held, as `bound` proves; -inf when no s is held at all, inf without a proof."""
        if self.bound is None:
            return np.inf
        if self.status is Status.DOES_NOT_HOLD:
            return -np.inf if self.bound.support + self.bound.multipliers @ self.wrench < 0.0 else np.inf
        return max(self.value, self.bound.support + float(self.bound.multipliers @ self.wrench))

    def verify(self) -> bool:
        """Check s without the solver: wrenches in the grips balance w + s d, and y proves that no more is held.

        Of lazy hands, the hulls are looked at. Without a limit, `growth` is checked in the place of y.
        """
        if self.status is Status.DOES_NOT_HOLD:
            return self._nothing_is_held()
        if self.status is Status.UNDECIDED or self.wrenches is None:
            return False
        load = self.wrench + (self.optimum.value * self.direction if self.direction.any() else 0.0)
        held = balance(self.hands, self.wrenches, load) <= 10 * tolerances.FEASIBILITY and lie_in_grips(
            self.hands, self.wrenches, self.weights, None
        )
        if held and self.status is Status.UNBOUNDED:
            return self.growth is not None and self.growth.status is Status.OPTIMAL and self.growth.verify()
        if not held or not self.direction.any():
            return held
        if self.bound is None:
            return False
        size = balance_size(self.hands, self.wrenches, load)
        excess = (self.upper_bound - self.value) * self.hands.wrench_size(self.direction)
        meant = abs(self.bound.multipliers @ self.direction + 1.0) <= tolerances.GAP
        return bool(meant and excess <= 1e3 * tolerances.FEASIBILITY * size and self.bound.verify())

    def _nothing_is_held(self) -> bool:
        """Whether y proves that the whole line misses the sum."""
        if self.bound is None:
            return False
        along = abs(float(self.bound.multipliers @ self.direction))
        terms = float(np.abs(self.bound.multipliers) @ np.abs(self.direction))
        return self.upper_bound == -np.inf and along <= tolerances.SEPARATION * terms and self.bound.verify()


def ray_end(hands: Hands, wrench: Array, direction: Array, solver: SliceSolver | None = None) -> RayEnd:
    """The largest s for which w + s d is held; `solver` must be one of these hands at their places."""
    solver = solver or solver_of(hands)
    optimum = solver.maximise(-wrench, -direction[None], np.ones(1))
    return RayEnd(hands, wrench, direction, optimum)


@dataclass(frozen=True, eq=False)
class ScaleInterval:
    """All load scales s for which s w is held.

    Attributes:
        hands: grips and poses, with one side.
        wrench: (6,) w.
        highest: the ray end along w; along nothing for w = 0.
        lowest: the ray end along -w, whose value is -s_min.
    """

    hands: Hands
    wrench: Array
    highest: RayEnd
    lowest: RayEnd

    @property
    def ends(self) -> tuple[float, float]:
        """(s_min, s_max); (inf, -inf) when no scale is held, (nan, nan) when it was left undecided."""
        if not self.wrench.any():
            held = self.highest.status is Status.OPTIMAL
            return (-np.inf, np.inf) if held else (np.inf, -np.inf)
        if Status.DOES_NOT_HOLD in (self.highest.status, self.lowest.status):
            return np.inf, -np.inf
        if Status.UNDECIDED in (self.highest.status, self.lowest.status):
            return np.nan, np.nan
        low, high = -self.lowest.value + 0.0, self.highest.value  # no -0.0
        if low > high:  # one scale alone is held, and rounding has the two programs miss it by a little
            low = high = 0.5 * (low + high)
        return low, high

    @cached_property
    def confirmed_end(self) -> float:
        """The largest scale that the pieces of lazy hands, not just their hulls, were shown to hold; else -inf."""
        if not needs_confirming(self.hands):
            return self.ends[1]
        far = self.highest.wrenches
        if far is None or not self.wrench.any() or self.highest.status is not Status.OPTIMAL:
            return -np.inf
        return confirmed_share(self.hands, np.zeros_like(far), far).share * self.highest.value

    def verify(self) -> bool:
        """Both ends."""
        return self.highest.verify() and self.lowest.verify()


def scale_interval(hands: Hands, wrench: Array, solver: SliceSolver | None = None) -> ScaleInterval:
    """The interval of load scales along w (6,), by two programs (one for w = 0)."""
    solver = solver or solver_of(hands)
    if not wrench.any():
        at_rest = RayEnd(hands, wrench, wrench, solver.maximise(np.zeros(6)))
        return ScaleInterval(hands, wrench, at_rest, at_rest)
    zero = np.zeros(6)
    return ScaleInterval(hands, wrench, ray_end(hands, zero, wrench, solver), ray_end(hands, zero, -wrench, solver))
