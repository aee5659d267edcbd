"""Band: volumes from the weakest to the strongest of repeated measurements, one of which a contact turns out to have.

Repeated trials along the same direction differ, and by other shares in other directions: a factor on all forces does
not tell that. A band tells it by a ladder of volumes. The limit in each direction climbs it from the least measured to
the greatest; all directions of one contact stand on the same rung (a strong specimen is strong everywhere).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError
from ..force_limits.decomposition import decompose
from ..force_limits.surface import LimitSurface
from ..force_limits.volume import ForceVolume


@dataclass(frozen=True, eq=False)
class Band:
    """What a contact with the volume `nominal`, or with a share of it, may have instead.

    Attributes:
        nominal: the volume that contacts were given; those with another volume are not concerned.
        levels: volumes of the same unit, equally likely, from the weakest to the strongest.
    """

    nominal: ForceVolume
    levels: Sequence[ForceVolume]

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        if not self.levels:
            raise InputError("is empty", where="levels", fix="give at least one volume")
        for where, volume in [("nominal", self.nominal), *((f"levels[{i}]", v) for i, v in enumerate(self.levels))]:
            if not isinstance(volume, ForceVolume):
                raise InputError(f"is a {type(volume).__name__}", where=where, fix="give a ForceVolume")

    @staticmethod
    def of_surface(
        surface: LimitSurface, nominal: ForceVolume | None = None, *, levels: int = 5, **options: Any
    ) -> Band:
        """The band of a measured surface, from its inner to its outer one, as `levels` volumes.

        The volume at quantile u has in every direction the limit at u between the band's ends: `surface.lower` at 0,
        the nominal limit at 1/2, `surface.upper` at 1. Level l of L stands for all u from l/L to (l+1)/L by the
        one at l/L: INNER, it never overstates what was measured, and by less the more levels there are.

        Args:
            surface: from repeated trials; without repeats all levels are the same.
            nominal: the volume that contacts were given; made of the nominal surface when None.
            levels: volumes to make; each takes as long as `decompose` does.
            options: of `decompose`.
        """
        count = checks.count("levels", levels)
        made = [decompose(surface_at(surface, level / count), **options) for level in range(count)]
        return Band(decompose(surface, **options) if nominal is None else nominal, made)

    def share(self, volume: ForceVolume) -> float | None:
        """The factor with which `volume` is the nominal one; None when it is another."""
        factor = volume.size / self.nominal.size if self.nominal.size > 0.0 else 0.0
        if factor <= 0.0 or len(volume) != len(self.nominal):
            return None
        slack = 10.0 * tolerances.MERGE * volume.size
        for mine, theirs in zip(self.nominal.polytopes, volume.polytopes, strict=True):
            if mine.vertices.shape != theirs.vertices.shape or mine.rays.shape != theirs.rays.shape:
                return None
            if np.abs(factor * mine.vertices - theirs.vertices).max(initial=0.0) > slack:
                return None
            if np.abs(np.cross(mine.rays, theirs.rays)).max(initial=0.0) > tolerances.ORTHONORMAL:
                return None
        return factor

    def to_dict(self) -> dict[str, Any]:
        """As plain data; `from_dict` reads it back."""
        return {"nominal": _volume_data(self.nominal), "levels": [_volume_data(level) for level in self.levels]}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Band:
        """From what `to_dict` gave."""
        return Band(_volume(data["nominal"]), [_volume(level) for level in data["levels"]])


def surface_at(surface: LimitSurface, quantile: float) -> LimitSurface:
    """The surface at `quantile` of the band: its inner one at 0, the nominal one at 1/2, its outer one at 1."""
    u = checks.number("quantile", quantile, low=0.0, high=1.0)
    below, above, share = surface.lower, surface.radii, 2.0 * u
    if u > 0.5:
        below, above, share = surface.radii, surface.upper, 2.0 * u - 1.0
    limits = _between(below, above, share)
    return LimitSurface(
        surface.directions, limits, triangles=surface.triangles, measured=surface.measured, source=surface.source
    )


def _between(low: Array, high: Array, share: float) -> Array:
    """low + share (high - low); infinite limits stay so."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(low) | (low == high), low, (1.0 - share) * low + share * high if share else low)


def _volume_data(volume: ForceVolume) -> dict[str, Any]:
    return {"pieces": [piece.tolist() for piece in volume.pieces], "rays": [rays.tolist() for rays in volume.rays]}


def _volume(data: Mapping[str, Any]) -> ForceVolume:
    return ForceVolume(data["pieces"], [rays or None for rays in data["rays"]], allow_flat=True)
