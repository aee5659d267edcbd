"""Margins of a posture: how much more it holds, along a ray and in all directions at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError
from ..solvers import Status
from .confirming import Confirmation, confirmed_share, needs_confirming
from .equilibrium import decide
from .generation import SliceSolver, solver_of
from .hands import Hands, checked_hands, checked_wrench
from .intervals import RayEnd, ray_end
from .memberships import ROUNDING_SHARE, balance, lie_in_grips
from .proofs import SumBound

#: The directions of a cross-polytope, in order.
DIRECTIONS = ("fx", "fy", "fz", "tx", "ty", "tz", "-fx", "-fy", "-fz", "-tx", "-ty", "-tz")


@dataclass(frozen=True, eq=False)
class PostureMargin:
    """The largest s for which w + s d is held, with the hands' wrenches there and the proof that no more is.

    Attributes:
        hands: grips and poses.
        wrench, direction: (6,) w and d, external wrenches on the body.
        inner: the end of the ray by the inner side of the grips; the only side for exact grips.
        outer: the end by the outer side; the same as `inner` for exact grips.
    """

    hands: Hands
    wrench: Array
    direction: Array
    inner: RayEnd
    outer: RayEnd

    def __repr__(self) -> str:
        return f"PostureMargin({self.status.value}, {self.value:.6g})"

    @cached_property
    def confirmation(self) -> Confirmation | None:
        """How far the pieces of lazy hands were shown to follow their hulls; None where there is nothing to confirm.

        Asked of the exact solver, hand by hand, when first used.
        """
        sided, far = self.hands.sided("inner"), self.inner.wrenches
        if not needs_confirming(sided) or self.inner.status is not Status.OPTIMAL or far is None:
            return None
        near = np.zeros_like(far) if not self.wrench.any() else decide(sided, self.wrench).wrenches
        return Confirmation(-np.inf, far, ()) if near is None else confirmed_share(sided, near, far)

    @property
    def status(self) -> Status:
        """Optimal, unbounded, does not hold (no s is held), or undecided: `value` and `upper_bound` differ."""
        if self.outer.status is Status.DOES_NOT_HOLD:
            return Status.DOES_NOT_HOLD
        if self.inner.status is Status.UNBOUNDED and not needs_confirming(self.hands.sided("inner")):
            return Status.UNBOUNDED
        closed = self.inner.status is self.outer.status is Status.OPTIMAL and self.gap <= tolerances.GAP
        return Status.OPTIMAL if closed else Status.UNDECIDED

    @property
    def value(self) -> float:
        """The largest s shown to be held (inner); inf without a limit, -inf when none was."""
        if self.confirmation is not None:
            return self.confirmation.share * self.inner.value if self.confirmation.answers else -np.inf
        if needs_confirming(self.hands.sided("inner")):
            return -np.inf
        return self.inner.value

    @property
    def upper_bound(self) -> float:
        """No larger s is held (outer); the same as `value`, up to rounding, for exact grips."""
        return self.outer.upper_bound

    @property
    def gap(self) -> float:
        """(upper_bound - value) relative to the larger of the two; 0 when they are the same, inf when one is."""
        if self.value == self.upper_bound:
            return 0.0
        size = max(abs(self.value), abs(self.upper_bound))
        if not np.isfinite(size):
            return np.inf
        tiny = ROUNDING_SHARE * self.hands.size
        least = max(self.hands.wrench_size(self.wrench), tiny) / self.hands.wrench_size(self.direction)
        return (self.upper_bound - self.value) / max(size, least)

    @property
    def wrenches(self) -> Array | None:
        """(k, 6) what each hand gives at `value`, palm frames; None where nothing is held."""
        if self.confirmation is not None:
            return self.confirmation.wrenches if self.confirmation.answers else None
        return None if needs_confirming(self.hands.sided("inner")) else self.inner.wrenches

    @property
    def certificate(self) -> SumBound | None:
        """The half-space that stops the ray: y with y . d = -1; None without a limit."""
        return self.outer.bound

    def verify(self) -> bool:
        """Check value and bound without the solver; False when undecided for want of an answer."""
        if self.status is Status.DOES_NOT_HOLD or not needs_confirming(self.hands.sided("inner")):
            return self.inner.verify() and (self.outer is self.inner or self.outer.verify())
        wrenches, confirmation = self.wrenches, self.confirmation
        if wrenches is None or confirmation is None or not np.isfinite(self.value):
            return False
        load = self.wrench + self.value * self.direction
        sided = self.hands.sided("inner")
        held = balance(sided, wrenches, load) <= 10 * tolerances.FEASIBILITY
        return held and lie_in_grips(sided, wrenches, (), confirmation.answers) and self.outer.verify()


def posture_margin(
    grips: Any,
    poses: Any,
    wrench: ArrayLike,
    direction: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    length: float | None = None,
) -> PostureMargin:
    """The largest s for which the hands hold the external wrench w + s d; exact.

    Args:
        grips, poses, gravity, length: as of `posture_equilibrium`.
        wrench: (6,) w, the load that is there; zeros ask how much of d alone is held.
        direction: (6,) d, what is added; the value counts multiples of it as given.
    """
    hands = checked_hands(grips, poses, gravity=gravity, length=length)
    load, way = checked_wrench("wrench", wrench), checked_direction(direction)
    return margin_of(hands, load, way)


def checked_direction(direction: ArrayLike) -> Array:
    """A wrench (6,) to go along."""
    way = checked_wrench("direction", direction)
    if not way.any():
        raise InputError("is the zero wrench", where="direction", fix="give a wrench to add multiples of")
    return way


def margin_of(
    hands: Hands,
    wrench: Array,
    direction: Array,
    inner_solver: SliceSolver | None = None,
    outer_solver: SliceSolver | None = None,
) -> PostureMargin:
    """`posture_margin` of checked hands, by solvers that are placed there already."""
    sided = hands.sided("inner") if hands.has_bounds else hands
    inner = ray_end(sided, wrench, direction, inner_solver)
    outer = ray_end(hands.sided("outer"), wrench, direction, outer_solver) if hands.has_bounds else inner
    return PostureMargin(hands, wrench, direction, inner, outer)


@dataclass(frozen=True, eq=False)
class CrossPolytopeMargin:
    """The largest r for which the load stays held when any wrench of sum |f_i| + sum |t_i| / length <= r is added.

    Held sets are convex, so that the twelve corners decide: r is the least of twelve margins. Exact.

    Attributes:
        margins: along +fx, ..., +tz, -fx, ..., -tz; a torque direction has the length of `length` N m for each N.
        length: [m] how many newton metres count as much as one newton.
    """

    margins: tuple[PostureMargin, ...]
    length: float

    def __repr__(self) -> str:
        return f"CrossPolytopeMargin({self.value:.6g} N, weakest {self.weakest}, {self.length:g} m)"

    @cached_property
    def value(self) -> float:
        """r [N] that is surely held (inner); -inf when the load itself is not."""
        return min(-np.inf if margin.value < 0.0 else margin.value for margin in self.margins)

    @cached_property
    def upper_bound(self) -> float:
        """No larger r is held (outer)."""
        return min(margin.upper_bound for margin in self.margins)

    @property
    def weakest(self) -> str:
        """The corner that decides: "fx", "-tz", ..."""
        return DIRECTIONS[int(np.argmin([margin.value for margin in self.margins]))]

    def verify(self) -> bool:
        """Every one of the twelve margins."""
        return all(margin.verify() for margin in self.margins)


def cross_polytope_margin(
    grips: Any,
    poses: Any,
    wrench: ArrayLike,
    *,
    torque_length: float | None = None,
    gravity: ArrayLike | None = None,
    length: float | None = None,
) -> CrossPolytopeMargin:
    """How much may be added to the load in every direction at once: twelve exact margins.

    Args:
        grips, poses, wrench, gravity, length: as of `posture_equilibrium`.
        torque_length: [m] how many newton metres count as one newton; by default the characteristic length of the
            hands (the palms' root mean square distance from their centre). Torques are about the world origin.
    """
    hands = checked_hands(grips, poses, gravity=gravity, length=length)
    scale = hands.length if torque_length is None else checks.positive("torque_length", torque_length, unit="m")
    return cross_polytope_of(hands, checked_wrench("wrench", wrench), scale)


def cross_polytope_of(
    hands: Hands,
    wrench: Array,
    torque_length: float,
    inner_solver: SliceSolver | None = None,
    outer_solver: SliceSolver | None = None,
) -> CrossPolytopeMargin:
    """`cross_polytope_margin` of checked hands."""
    inner = inner_solver or solver_of(hands.sided("inner"))
    outer = outer_solver or (solver_of(hands.sided("outer")) if hands.has_bounds else None)
    corners = np.concatenate([np.eye(6), -np.eye(6)]) * np.repeat([1.0, torque_length], 3)
    return CrossPolytopeMargin(
        tuple(margin_of(hands, wrench, corner, inner, outer) for corner in corners), torque_length
    )
