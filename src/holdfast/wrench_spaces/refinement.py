"""Adaptive refinement: more rays where the limit surface bends.

The radius r(u) of a flat triangle obeys 1 / r(u) = n . u: the gauge 1 / r is linear in the direction. So a surface that
is flat across an edge predicts the gauge at the far corner of the neighbour exactly, and by how much it misses
says how far the surface bends. A kink between two rays makes the prediction from one side or from the other miss by at
least twice as much as the flat triangle there is off the surface; smooth surfaces are eight times nearer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import checks
from ..checks import Array, IntArray
from ..geometry.directions import across, delaunay, midpoints
from .rays import Rays
from .slices import slice_surface

if TYPE_CHECKING:
    from .space import WrenchSpace

#: Share of the bend between two triangles by which the surface may be off the flat triangles.
CHORD_SHARE = 0.5


@dataclass(frozen=True, kw_only=True)
class Refinement:
    """When to add rays: both triangles beside an edge are split at their edges' midpoints where the surface bends.

    Attributes:
        tolerance: how far the surface may be off its triangles, by estimate, relative to its radius (without unit; in
            the subspace's scaled coordinates).
        rounds: rounds of splitting at most; each halves the angles between rays where it splits.
        most: rays at most; the worst bends are split first.
    """

    tolerance: float = 0.02
    rounds: int = 4
    most: int = 20_000

    def __post_init__(self) -> None:
        checks.positive("tolerance", self.tolerance, high=1.0)
        checks.count("rounds", self.rounds, low=0)
        checks.count("most", self.most, low=4)


def bends(space: WrenchSpace) -> Array:
    """(t, 3) estimated distance of the surface from its triangles across each edge, relative to its radius.

    Entry (i, j) belongs to the edge of triangle i opposite to its corner j. 1 where one side of the edge is held and
    the other is not at all.
    """
    surface = slice_surface(space)
    with np.errstate(divide="ignore"):
        gauges = 1.0 / surface.radii
    mesh, units = surface.mesh, surface.units
    triangles, others = mesh.triangles, mesh.neighbours
    result = np.zeros(triangles.shape)
    for j in range(3):
        far = triangles[others[:, j]].sum(axis=1) - triangles[:, (j + 1) % 3] - triangles[:, (j + 2) % 3]
        weights = np.einsum("tij,tj->ti", mesh.inverse, units[far])  # of the far corner in the triangle
        with np.errstate(invalid="ignore"):
            predicted, found = (weights * gauges[triangles]).sum(axis=1), gauges[far]
            size = np.maximum(np.abs(predicted), np.abs(found))
            bend = np.divide(np.abs(predicted - found), size, out=np.zeros(len(size)), where=size > 0.0)
        unheld = ~np.isfinite(gauges[np.column_stack([triangles, far])])
        result[:, j] = np.where(unheld.any(axis=1), np.where(unheld.all(axis=1), 0.0, 1.0), CHORD_SHARE * bend)
    return np.minimum(result, 1.0)


def new_directions(space: WrenchSpace, refinement: Refinement) -> Array:
    """(e, 6) new directions at the midpoints of edges of triangles that bend too much; none when it is fine enough."""
    rays, subspace = space.rays, space.subspace
    assert rays.triangles is not None and subspace is not None
    by_edge = bends(space)
    others = across(np.asarray(rays.triangles, dtype=np.intp))
    worst = by_edge.max(axis=1)
    np.maximum.at(worst, others.ravel(), by_edge.ravel())  # an edge that bends splits the triangles on both sides
    split = worst > refinement.tolerance
    left = refinement.most - len(rays)
    if left <= 0 or not split.any():
        return np.zeros((0, 6))
    corners = rays.triangles[split]
    pairs = np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    edges, which = np.unique(pairs, axis=0, return_inverse=True)
    badness = np.zeros(len(edges))
    np.maximum.at(badness, which.reshape(-1), np.repeat(worst[split], 3))
    if len(edges) > left:
        edges = edges[np.sort(np.argsort(-badness, kind="stable")[:left])]
    return subspace.directions(midpoints(rays.unit_vectors, edges.astype(np.int64)))


def retriangulated(directions: Array, rays: Rays) -> Rays:
    """Rays in `directions` (n, 6) of the same subspace, with the Delaunay triangles of their unit vectors."""
    bare = Rays(directions, rays.subspace, seed=rays.seed)
    triangles: IntArray = delaunay(bare.unit_vectors).astype(np.int64)
    return Rays(directions, rays.subspace, triangles, rays.seed)
