"""SupportRegionBounds: a region that surely holds inside one outside of which nothing does (V.D)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .region import SupportRegion


@dataclass(frozen=True, eq=False, repr=False)
class SupportRegionBounds:
    """An inner and an outer support region of one posture; the truth lies between them.

    Attributes:
        inner: centres of mass that surely hold.
        outer: outside of it, no centre of mass holds.
    """

    inner: SupportRegion
    outer: SupportRegion

    def __repr__(self) -> str:
        return f"SupportRegionBounds(inner={self.inner!r}, outer={self.outer!r})"

    @property
    def frame(self) -> Any:
        """Coordinates of both."""
        return self.outer.frame

    @property
    def gap(self) -> float:
        """Area [m^2] of the outer region beyond the inner one; inf where the outer one has no end."""
        return self.outer.area - self.inner.area if np.isfinite(self.outer.area) else np.inf

    def certainty(self, com: ArrayLike) -> Any:
        """One of "certainly", "certainly not" and "uncertain" for each centre of mass (..., 3) or (..., 2)."""
        holds, may = self.inner.contains(com), self.outer.contains(com)
        words = np.where(holds, "certainly", np.where(may, "uncertain", "certainly not"))
        return str(words) if words.ndim == 0 else words

    def verify(self) -> bool:
        """Whether both regions are proven, as far as they claim to bound the truth, and the inner is in the outer."""
        inner, outer = self.inner, self.outer
        if outer.is_empty:
            return inner.is_empty and outer.verify()
        inside = bool(outer.contains(inner.vertices, tolerance=1e-7).all()) if len(inner.vertices) else True
        return inside and inner.verify() and outer.verify()
