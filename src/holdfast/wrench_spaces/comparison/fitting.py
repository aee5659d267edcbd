"""Rays that fit the shape of a slice: evenly round an ellipsoid of its proportions instead of round a sphere.

Wrench spaces are often needles: seventy newtons one way and one newton across. Rays round a sphere then all end on the
flanks of the needle and miss its tips, and the volume between them is a small part of the true one. A few rounds with
few rays find the proportions; the rays of the last round are spread evenly over a body of these proportions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...assembly.assembly import Assembly
from ...checks import Array
from ...solvers import Exact
from .. import wrench_space
from ..rays import Rays
from ..space import WrenchSpace
from ..subspace import Subspace

#: Rounds that find the proportions, the first of them round a sphere; and the level of their rays, 162 directions.
ROUNDS, PILOT_LEVEL = 4, 2

#: No axis of the ellipsoid is shorter than this share of the longest, so that flat slices have rays all round, too.
THINNEST = 1e-4

#: The proportions count as found when another round changes no axis by more than this share.
SETTLED = 0.1


@dataclass(frozen=True, eq=False)
class Fitted:
    """A slice along rays that fit it.

    Attributes:
        space: the slice along the rays of the last round.
        pilots: the slices of the rounds before, along fewer rays; the first along a regular sphere.
    """

    space: WrenchSpace
    pilots: tuple[WrenchSpace, ...]


def fitted_space(
    assembly: Assembly,
    subspace: Subspace,
    level: int,
    *,
    method: Exact | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Fitted:
    """A slice of the wrench space along 10 * 4^level + 2 rays that fit its proportions.

    A slice without limit some way has no proportions: its rays are those of the sphere.

    Args:
        assembly: contacts and joint rows.
        subspace: the slice, three-dimensional.
        level: how often the icosahedron of the last round is subdivided.
        method: the exact method with other limits.
        workers: threads; as many as there are cores by default.
        progress: called as progress(done, total) with the number of rays of the last round.
    """
    shape = np.diag(subspace.scales)  # (3, 3): coordinates of the slice are u @ shape for u on the unit sphere
    pilots: list[WrenchSpace] = []
    for _ in range(ROUNDS):
        pilot = wrench_space(assembly, fitted_rays(subspace, shape, PILOT_LEVEL), method=method, workers=workers)
        pilots.append(pilot)
        if not np.isfinite(pilot.values).all():
            shape = np.diag(subspace.scales)
            break
        before, shape = shape, proportions(pilot)
        if _change(before, shape) < SETTLED:
            break
    rays = fitted_rays(subspace, shape, level)
    return Fitted(wrench_space(assembly, rays, method=method, workers=workers, progress=progress), tuple(pilots))


def fitted_rays(subspace: Subspace, shape: Array, level: int) -> Rays:
    """Rays with coordinates u @ shape for the directions u of a regular sphere; `shape` (3, 3) keeps orientation."""
    regular = Rays.sphere(subspace, level)
    coordinates = regular.unit_vectors @ shape
    return Rays(subspace.wrenches(coordinates), subspace, regular.triangles)


def proportions(space: WrenchSpace) -> Array:
    """(3, 3) symmetric positive map of the unit sphere onto an ellipsoid with the proportions of a bounded slice.

    It is the root of the second moments of the body within the surface, in coordinates divided by the scales.
    """
    subspace, triangles = space.subspace, space.triangles
    assert subspace is not None and triangles is not None  # of rays round a sphere
    points = np.where(space.values[:, None] > 0.0, space.coordinates / subspace.scales, 0.0)
    size = float(np.abs(points).max()) or 1.0
    corners = points[triangles] / size  # (t, 3, 3)
    sums = corners.sum(axis=1)
    # Of a tetrahedron with corners 0, a, b, c: (det/120) (a a' + b b' + c c' + (a + b + c) (a + b + c)').
    each = np.einsum("tki,tkj->tij", corners, corners) + np.einsum("ti,tj->tij", sums, sums)
    widths, axes = np.linalg.eigh(np.einsum("t,tij->ij", np.abs(np.linalg.det(corners)), each))
    widths = np.sqrt(np.maximum(widths, 0.0))
    widths = np.maximum(widths, THINNEST * (widths.max() or 1.0))
    return (axes * (size * widths / widths.max())) @ axes.T * subspace.scales


def _change(before: Array, after: Array) -> float:
    """How far the ellipsoid `after` is from a multiple of the one `before`: 0 when they are alike."""
    stretch = np.linalg.svd(np.linalg.solve(before, after), compute_uv=False)
    return float(stretch.max() / stretch.min()) - 1.0
