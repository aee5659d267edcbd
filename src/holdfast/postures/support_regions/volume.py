"""SupportVolume: centres of mass that hold under several accelerations, an intersection of prisms in space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ... import checks, tolerances
from ...checks import Array
from .halfspace_bodies import body_of
from .region import SupportRegion

if TYPE_CHECKING:
    from ...geometry.polytopes import Polytope
    from .active import ActiveConstraint


@dataclass(frozen=True, eq=False, repr=False)
class SupportVolume:
    """Centres of mass in the world [m] for which the hands hold the body under each of several accelerations.

    Under one acceleration they are a prism along it: its support region, at any height. The volume is what the prisms
    have in common. It has no end along accelerations that are all parallel, and where the regions have none.

    Attributes:
        regions: the support region of each acceleration, exact with their proofs, or all inner, or all outer.
    """

    regions: tuple[SupportRegion, ...]

    def __repr__(self) -> str:
        return f"SupportVolume({self.kind}, {len(self.regions)} accelerations)"

    @property
    def kind(self) -> str:
        """One of "empty", "space" (no limit at all), "unbounded", "body" (bounded), "flat" (bounded, no volume)."""
        if self.is_empty:
            return "empty"
        if not len(self.halfspaces[0]):
            return "space"
        body = self.polytope
        if body is None or not body.is_bounded:
            return "unbounded"
        return "body" if body.dimension == 3 else "flat"

    @cached_property
    def size(self) -> float:
        """[m] what tolerances are shares of."""
        return max(region.size for region in self.regions)

    @cached_property
    def halfspaces(self) -> tuple[Array, Array]:
        """(normals (h, 3), offsets (h,)) in the world: the volume is normals @ c <= offsets, if no region is empty."""
        normals = [region.normals @ region.frame.axes for region in self.regions]
        offsets = [r.offsets + n @ r.frame.origin for r, n in zip(self.regions, normals, strict=True)]
        return np.concatenate(normals), np.concatenate(offsets)

    @cached_property
    def polytope(self) -> Polytope | None:
        """The volume by its corners and rays; None when it is empty."""
        if any(region.is_empty for region in self.regions):
            return None
        normals, offsets = self.halfspaces
        about = self.regions[0].centring.centre
        found = body_of(normals, offsets - normals @ about, self.size)
        return None if found is None else found.translated(about)

    @property
    def is_empty(self) -> bool:
        """Whether no centre of mass holds under all accelerations."""
        return self.polytope is None

    @property
    def vertices(self) -> Array:
        """(n, 3) [m] corners; (0, 3) when empty. A volume that contains a line has none: points on its edges."""
        return np.zeros((0, 3)) if self.polytope is None else self.polytope.vertices

    @property
    def rays(self) -> Array:
        """(m, 3) directions without limit."""
        return np.zeros((0, 3)) if self.polytope is None else self.polytope.rays

    @property
    def volume(self) -> float:
        """[m^3]; 0 when empty or flat, inf when unbounded."""
        return 0.0 if self.polytope is None else self.polytope.volume

    def signed_distance(self, com: ArrayLike) -> Array:
        """Distance [m] of centres of mass (..., 3) of the world to the border, positive inside; -inf when empty."""
        c = checks.rows("com", com, 3)
        if self.polytope is None:
            return np.full(c.shape[:-1], -np.inf)[()]
        normals, offsets = self.halfspaces
        if not len(normals):
            return np.full(c.shape[:-1], np.inf)[()]
        slack = (offsets - c @ normals.T).min(axis=-1)
        outside = slack < 0.0
        if np.any(outside):
            away = np.linalg.norm(c - self.polytope.nearest(c), axis=-1)
            slack = np.where(outside, -away, slack)
        return slack[()]

    def contains(self, com: ArrayLike, *, tolerance: float = tolerances.MEMBERSHIP) -> Array:
        """Whether centres of mass (..., 3) hold under every acceleration, to `tolerance` times the regions' extents."""
        c = checks.rows("com", com, 3)
        return np.all([region.contains(c, tolerance=tolerance) for region in self.regions], axis=0)[()]

    def active(self, com: ArrayLike) -> tuple[int, ActiveConstraint] | None:
        """(acceleration, constraint): what a centre of mass (3,) meets first or violates most; None without limits."""
        c = checks.vector("com", com, 3)
        found = [(i, region.active(c)) for i, region in enumerate(self.regions)]
        limits = [(i, constraint) for i, constraint in found if constraint is not None]
        return min(limits, key=lambda pair: pair[1].slack, default=None)

    def verify(self) -> bool:
        """Whether the regions of all accelerations are proven, and the corners lie within all half-spaces."""
        if not all(region.verify() for region in self.regions):
            return False
        normals, offsets = self.halfspaces
        if self.polytope is None or not len(normals):
            return True
        beyond = (self.vertices @ normals.T - offsets).max(initial=0.0)
        climbing = (self.rays @ normals.T).max(initial=0.0) if len(self.rays) else 0.0
        return bool(beyond <= 1e-7 * self.size and climbing <= 1e-7)


@dataclass(frozen=True, eq=False)
class SupportVolumeBounds:
    """An inner and an outer volume of one posture under several accelerations.

    Attributes:
        inner: centres of mass that surely hold.
        outer: outside of it, none holds.
    """

    inner: SupportVolume
    outer: SupportVolume

    def certainty(self, com: ArrayLike) -> Any:
        """One of "certainly", "certainly not" and "uncertain" for each centre of mass (..., 3)."""
        holds, may = self.inner.contains(com), self.outer.contains(com)
        words = np.where(holds, "certainly", np.where(may, "uncertain", "certainly not"))
        return str(words) if words.ndim == 0 else words

    def verify(self) -> bool:
        """Whether both volumes are proven."""
        return self.inner.verify() and self.outer.verify()


def intersected(regions: Sequence[SupportRegion]) -> SupportVolume:
    """The volume of regions under different accelerations of one posture."""
    return SupportVolume(tuple(regions))
