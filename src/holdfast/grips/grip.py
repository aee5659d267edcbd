"""Grip: the wrenches a hand can give to the body, as the hull of vertices and rays in the palm frame (17)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from .facts import GripFacts
from .wrench_rows import checked_rays, checked_vertices, length_of
from .wrench_set import WrenchSet, check_ends

if TYPE_CHECKING:
    from .membership import GripMembership


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Grip(WrenchSet):
    """The set conv(vertices) + cone(rays) of wrenches that a hand can give to the body; immutable.

    Wrenches (force [N], torque [N m] about the palm's origin) are in the palm frame and act ON THE BODY. Taken as an
    inner set, every wrench in it is held. Two grips are equal when their wrenches, their gravity and their length are.

    Attributes:
        vertices: (n, 6) wrenches, at least one; those inside the hull of the others are allowed.
        rays: (m, 6) directions of growth without limit, (0, 6) when there are none; a cone has the vertex 0.
        label: how reports call it.
        palm_gravity: None where the set does not depend on the hand's orientation; else gravity in the palm frame
            (3,) [m/s^2] that it is for.
        facts: how it came about.
        length: characteristic length [m] that scales torques into forces; by default how far torques spread for each
            newton that forces spread, 0.1 m where they do not tell.
    """

    KIND = "grip"
    ARRAYS = ("vertices", "rays")

    vertices: Array
    rays: Array
    label: str
    palm_gravity: Array | None
    facts: GripFacts
    length: float

    def __init__(
        self,
        vertices: ArrayLike,
        rays: ArrayLike | None = None,
        *,
        label: str = "",
        palm_gravity: ArrayLike | None = None,
        facts: GripFacts | None = None,
        length: float | None = None,
    ) -> None:
        corners, directions = checked_vertices(vertices), checked_rays(rays)
        if length is None:
            sizes = np.abs(directions).max(axis=1, keepdims=True, initial=0.0)
            spread = np.concatenate([directions / sizes, -directions / sizes])  # about their apex
            length = length_of(corners if len(np.unique(corners, axis=0)) > 1 or not len(spread) else spread)
        self._settle((corners, directions), label, palm_gravity, facts, length)

    def __repr__(self) -> str:
        name = f"{self.label!r}, " if self.label else ""
        rays = f", {len(self.rays)} rays" if len(self.rays) else ""
        return f"Grip({name}{len(self.vertices)} vertices{rays})"

    @property
    def is_bounded(self) -> bool:
        """Whether there are no rays."""
        return not len(self.rays)

    @cached_property
    def size(self) -> float:
        """Largest part of a vertex, torques divided by `length` [N]; 1 for a cone at zero. Tolerances scale by it."""
        return float(np.abs(self.vertices / self.unit).max()) or 1.0

    @cached_property
    def largest_parts(self) -> Array:
        """(6,) the largest size of each part of a vertex [N, N m]; sums of products are rounded by a share of it."""
        return np.abs(self.vertices).max(axis=0)

    @cached_property
    def prepared(self) -> Any:
        """Tables of the vertices and rays for the compiled solvers, made once."""
        from ..solvers.minkowski import prepare

        return prepare(self.vertices, self.rays)

    # -- questions ------------------------------------------------------------------------------

    def support(self, directions: ArrayLike) -> Array:
        """h(y) = the largest y . w over the set, for directions y (..., 6) of the palm frame; inf along rays.

        The torque part of y has the unit 1/m where its force part has none.
        """
        y = checks.rows("directions", directions, 6)
        values = (y @ self.vertices.T).max(axis=-1)
        if self.is_bounded:
            return values
        rays = self.rays / self.unit
        slopes = (y * self.unit) @ (rays / np.linalg.norm(rays, axis=1, keepdims=True)).T
        limit = tolerances.RAY_SLOPE * np.linalg.norm(y * self.unit, axis=-1, keepdims=True)
        return np.where((slopes > limit).any(axis=-1), np.inf, values)

    def support_points(self, directions: ArrayLike) -> Array:
        """The vertex (..., 6) that goes furthest along each of the directions (..., 6); rays are left out."""
        y = checks.rows("directions", directions, 6)
        return self.vertices[(y @ self.vertices.T).argmax(axis=-1)]

    def contains(self, wrench: ArrayLike) -> GripMembership:
        """Whether a wrench (6,) of the palm frame is in the set, with weights or a separating direction as proof."""
        from .membership import in_hull

        return in_hull(self.vertices, self.rays, checks.vector("wrench", wrench, 6), self.length)

    # -- new grips ------------------------------------------------------------------------------

    @staticmethod
    def box(lower: ArrayLike, upper: ArrayLike, *, label: str = "", length: float | None = None) -> Grip:
        """All wrenches between `lower` and `upper` (6,): up to 64 vertices; equal ends make it flat."""
        low, high = checks.vector("lower", lower, 6), checks.vector("upper", upper, 6)
        check_ends(low, high)
        ends = [(a,) if a == b else (a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        return Grip(list(product(*ends)), label=label, length=length)

    @staticmethod
    def point(wrench: ArrayLike, *, label: str = "", length: float | None = None) -> Grip:
        """The one wrench (6,): a hand that pushes with a force that is known, or gives none at all."""
        return Grip([checks.vector("wrench", wrench, 6)], label=label, length=length)

    def scaled(self, factor: float) -> Grip:
        """Every wrench times `factor` > 0, rays as they are: 0.5 for a safety factor of 2.

        It is an inner set of this one when the factor is at most 1 and 0 is in the set.
        """
        times = checks.positive("factor", factor)
        return self._with(vertices=self.vertices * times, facts=self.facts.changed(f"scaled by {times:g}"))

    def thinned(self) -> Grip:
        """The same set without vertices and rays that others make superfluous, in the order they had."""
        from .extreme_points import extreme_rays, extreme_rows

        rays = self.rays[extreme_rays(self.rays, self.length)] if len(self.rays) else self.rays
        return self._with(vertices=self.vertices[extreme_rows(self.vertices, rays, self.length)], rays=rays)

    def _mapped(self, forward: Array, back: Array) -> dict[str, Array]:
        del back
        return {"vertices": self.vertices @ forward.T, "rays": self.rays @ forward.T}

    # -- files ----------------------------------------------------------------------------------

    @staticmethod
    def load(path: str | PathLike[str]) -> Grip:
        """The vertices and rays of a file that `save` wrote; of inner and outer bounds, the inner grip."""
        from .files import load_inner

        return load_inner(path)
