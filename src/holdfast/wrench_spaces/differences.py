"""Two wrench spaces on the same rays: where each is stronger, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import checks, tolerances
from ..checks import Array, BoolArray
from ..errors import InputError
from .space import WrenchSpace


@dataclass(frozen=True)
class Change:
    """The ray on which two wrench spaces differ most, one way.

    Attributes:
        direction: (6,) the ray's load, torque about the world origin.
        first, second: the limits along it of either space, in multiples of the direction.
    """

    direction: tuple[float, ...]
    first: float
    second: float

    @property
    def amount(self) -> float:
        """`first` - `second`, in multiples of the direction; inf where only one of them has a limit."""
        return 0.0 if self.first == self.second else self.first - self.second


@dataclass(frozen=True, eq=False)
class Difference:
    """How a first wrench space differs from a second, ray by ray.

    Attributes:
        first, second: the two spaces, on the same rays.
    """

    first: WrenchSpace
    second: WrenchSpace

    def __repr__(self) -> str:
        stronger, weaker = int(self.stronger.sum()), int(self.weaker.sum())
        return f"Difference({len(self.amounts)} rays: stronger on {stronger}, weaker on {weaker})"

    @property
    def directions(self) -> Array:
        """(n, 6) the rays."""
        return self.first.directions

    @cached_property
    def amounts(self) -> Array:
        """(n,) first - second, in multiples of the direction; 0 where both have no limit, or nothing holds in both."""
        a, b = self.first.values, self.second.values
        with np.errstate(invalid="ignore"):
            return np.where(a == b, 0.0, a - b)

    @cached_property
    def ratios(self) -> Array:
        """(n,) first / second: 1 where both are equal (both zero or unlimited too), inf where only the second is zero.

        nan where a limit is below zero or nothing holds in one of them: a ratio means nothing there.
        """
        a, b = self.first.values, self.second.values
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(a == b, 1.0, a / b)
        return np.where((a < 0.0) | (b < 0.0), np.nan, ratios)

    @cached_property
    def stronger(self) -> BoolArray:
        """(n,) where the first bears more, by more than both methods' gaps leave open."""
        return self.amounts > self._slack

    @cached_property
    def weaker(self) -> BoolArray:
        """(n,) where the first bears less, by more than both methods' gaps leave open."""
        return self.amounts < -self._slack

    @cached_property
    def _slack(self) -> Array:
        """(n,) what the gaps of the two methods, and rounding, allow two equal limits to differ by."""
        a, b = (np.where(np.isfinite(space.values), space.values, 0.0) for space in (self.first, self.second))
        gap = sum(tolerances.GAP if space.method is None else space.method.gap for space in (self.first, self.second))
        size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
        return gap * np.maximum(np.abs(a), np.abs(b)) + tolerances.FEASIBILITY * size

    @cached_property
    def volumes(self) -> tuple[float, float]:
        """Volumes of the two slices, in the product of the subspace's units; only of 3-D slices."""
        from .volumes import slice_volume

        return slice_volume(self.first), slice_volume(self.second)

    @property
    def gain(self) -> Change | None:
        """The ray on which the first gains most over the second, in multiples of the direction; None if on none."""
        return self._change(int(self.amounts.argmax())) if self.stronger.any() else None

    @property
    def loss(self) -> Change | None:
        """The ray on which the first loses most against the second; None if on none."""
        return self._change(int(self.amounts.argmin())) if self.weaker.any() else None

    def same_shape(self, *, tolerance: float = 0.01) -> bool:
        """Whether one space is the other at another size: the ratios of all rays agree within `tolerance`, relative.

        Rays on which both are zero, or both without limit, agree with any size.
        """
        allowed = checks.positive("tolerance", tolerance)
        a, b = self.first.values, self.second.values
        free = (a == b) & ((a == 0.0) | ~np.isfinite(a))
        tiny = tolerances.FEASIBILITY * max(float(np.abs(v[np.isfinite(v)]).max(initial=0.0)) for v in (a, b))
        free |= (np.abs(a) <= tiny) & (np.abs(b) <= tiny)
        ratios = self.ratios[~free]
        if not len(ratios):
            return True
        if not (np.isfinite(ratios) & (ratios > 0.0)).all():
            return False
        return bool(ratios.max() <= (1.0 + allowed) * ratios.min())

    def _change(self, index: int) -> Change:
        direction = tuple(float(x) for x in self.directions[index])
        return Change(direction, float(self.first.values[index]), float(self.second.values[index]))


def difference(a: WrenchSpace, b: WrenchSpace) -> Difference:
    """What `a` has over `b`, ray by ray; both must have the same rays.

    Rays of a named slice with torques depend on the assembly's length. To compare spaces of different rays, compute the
    second on the rays of the first: `wrench_space(other, a.rays)`.
    """
    for name, space in (("a", a), ("b", b)):
        checks.instance(name, space, WrenchSpace, fix="give a holdfast.WrenchSpace")
    fix = "compute the second on the rays of the first: wrench_space(assembly, a.rays)"
    if a.directions.shape != b.directions.shape:
        what = f"has {len(b.directions)} rays, the first {len(a.directions)}"
        raise InputError(what, where="b", fix=fix)
    weights = np.concatenate([np.ones(3), np.full(3, 1.0 / a.length)])  # torques meet forces as torque over length
    apart = np.abs((a.directions - b.directions) * weights).max(axis=1)
    allowed = tolerances.MERGE * np.abs(a.directions * weights).max(axis=1)
    if (apart > allowed).any():
        row = int(np.argmax(apart > allowed))
        count = int((apart > allowed).sum())
        there, here = _text(b.directions[row]), _text(a.directions[row])
        what = f"{count} of {len(apart)} rays differ, the first of them ray {row}: {there}, not {here}"
        raise InputError(what, where="b", fix=fix)
    return Difference(a, b)


def _text(direction: Array) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in direction) + ")"
