"""The surface of a wrench space in a three-dimensional slice: star-shaped about zero, flat between its rays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, IntArray
from ..errors import GeometryError, InputError
from ..geometry.directions import SphereMesh

if TYPE_CHECKING:
    from .space import WrenchSpace
    from .subspace import Subspace


@dataclass(frozen=True, eq=False)
class SliceSurface:
    """The limits of one slice as a closed surface of flat triangles.

    It goes exactly through the limits of its rays. Between them it is neither inner nor outer in general; of a convex
    wrench space it lies inside. Torques are divided by the subspace's scales, so that `units` and `radii` are in
    newtons throughout; `points` have the subspace's own units.

    Attributes:
        subspace: the three axes.
        units: (n, 3) unit directions in the scaled coordinates.
        radii: (n,) limits along them [N]: zero where nothing holds, inf where there is no limit.
        triangles: (t, 3) corners, counter-clockwise from outside.
    """

    subspace: Subspace
    units: Array
    radii: Array
    triangles: IntArray

    @property
    def is_bounded(self) -> bool:
        """Whether every ray has a limit."""
        return bool(np.isfinite(self.radii).all())

    @cached_property
    def size(self) -> float:
        """The largest finite limit [N]; what tolerances are relative to."""
        return float(self.radii[np.isfinite(self.radii)].max(initial=0.0))

    @cached_property
    def points(self) -> Array:
        """(n, 3) coordinates of the limits in the subspace [N, N m]; infinite along unbounded rays."""
        with np.errstate(invalid="ignore"):
            reached = np.where(self.units == 0.0, 0.0, self.units * self.radii[:, None])
        return reached * self.subspace.scales

    @cached_property
    def mesh(self) -> SphereMesh:
        """The triangulated sphere of directions, which finds the triangle of any direction."""
        return SphereMesh(self.units, self.triangles)

    def gauge(self, coordinates: ArrayLike) -> Array:
        """Share of the limit that coordinates (..., 3) [N, N m] use: <= 1 inside, inf where the limit is zero."""
        scaled = checks.rows("coordinates", coordinates, 3) / self.subspace.scales
        flat = scaled.reshape(-1, 3)
        result = np.zeros(len(flat))
        some = flat.any(axis=1)
        found, weights = self.mesh.locate(flat[some])
        with np.errstate(divide="ignore", invalid="ignore"):
            corners = 1.0 / self.radii[self.triangles[found]]
            result[some] = np.where(weights > 0.0, weights * corners, 0.0).sum(axis=1)
        return result.reshape(scaled.shape[:-1])

    def radial(self, coordinates: ArrayLike) -> Array:
        """The largest multiple of coordinates (..., 3) within the surface; inf for none at all, as for no limit."""
        with np.errstate(divide="ignore"):
            return 1.0 / self.gauge(coordinates)

    def contains(self, coordinates: ArrayLike, *, tolerance: float = tolerances.MEMBERSHIP) -> Array:
        """Whether coordinates (..., 3) lie within the surface, or outside by `tolerance` times its size."""
        given = checks.rows("coordinates", coordinates, 3)
        use = self.gauge(given)
        outside = 1.0 - 1.0 / np.maximum(use, 1.0)  # 1 where the limit is zero
        beyond = outside * np.linalg.norm(given / self.subspace.scales, axis=-1)
        return (use <= 1.0) | (beyond <= tolerance * self.size)

    def cut(self, cap: float) -> SliceSurface:
        """The same surface with every limit above `cap` [N] brought down to it; torques reach `cap` times a scale."""
        return SliceSurface(self.subspace, self.units, np.minimum(self.radii, cap), self.triangles)

    def bounded(self, cap: float | None, *, purpose: str) -> SliceSurface:
        """The surface cut at `cap`, or as it is when every ray has a limit; else an error that says what needs it."""
        if cap is not None:
            return self.cut(checks.positive("cap", cap, unit="N"))
        if not self.is_bounded:
            count = int(np.isinf(self.radii).sum())
            raise GeometryError(
                f"{count} of {len(self.radii)} rays have no limit, and {purpose} needs an end",
                where="space",
                fix="give cap= [N], where they are cut off",
            )
        return self


def slice_surface(space: WrenchSpace) -> SliceSurface:
    """The surface of a wrench space that was sampled in three dimensions with triangles.

    A limit below zero, or none at all, counts as zero: a surface that is star-shaped about the zero wrench knows no
    other. Values of undecided rays are those attained, so that the surface is inner there.
    """
    subspace, triangles = space.subspace, space.triangles
    if subspace is None or triangles is None or len(subspace.axes) != 3:
        raise InputError(
            "has no surface: its rays are no triangulated slice",
            where="space",
            fix='sample a three-dimensional subspace: wrench_space(assembly, "fx,fy,fz")',
        )
    scaled = subspace.coordinates(space.directions) / subspace.scales
    lengths = np.linalg.norm(scaled, axis=1)
    return SliceSurface(subspace, scaled / lengths[:, None], np.maximum(space.values, 0.0) * lengths, triangles)
