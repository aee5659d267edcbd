"""The paper's way to a support region: extreme points along n directions, and their hull (V.C)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import checks, tolerances
from ...checks import Array
from ...errors import SolverError
from ...solvers.minkowski import SumStatus
from ...solvers.minkowski.slices import THIN, SliceKind, SumPolygon, SumSlicer, bounded_kind, empty_slice, slice_of


@dataclass(frozen=True)
class Sampling:
    """The method of the paper: (23) along `n` directions, evenly spread.

    The hull of the points found lies inside the region, the half-planes through them lie round it.

    Attributes:
        n: how many directions, at least 3.
    """

    n: int = 32

    def __post_init__(self) -> None:
        checks.count("n", self.n, low=3)

    @property
    def directions(self) -> Array:
        """(n, 2) unit vectors in the region's coordinates, counter-clockwise from its first axis."""
        angles = 2.0 * np.pi * np.arange(self.n) / self.n
        return np.column_stack([np.cos(angles), np.sin(angles)])


def sampled(
    slicer: SumSlicer, base: Array, axes: Array, method: Sampling, *, size: float
) -> tuple[SumPolygon, SumPolygon]:
    """(inner, outer) slices from one program a direction: the hull of the optima, and the half-planes through them."""
    directions = method.directions
    found = [slicer.maximise(base, axes, d) for d in directions]
    empty = [f for f in found if f.status == SumStatus.EMPTY]
    if empty:
        nothing = empty_slice(empty[0].multipliers, len(found), size)
        return nothing, nothing
    if any(f.status not in (SumStatus.OPTIMAL, SumStatus.UNBOUNDED) for f in found):
        raise SolverError("a direction was not decided", where="support region", fix="ask without a method, exactly")
    size = max([size, *(float(np.abs(f.z).max()) for f in found)])
    rays = np.array([f.ray / np.hypot(*f.ray) for f in found if f.status == SumStatus.UNBOUNDED]).reshape(-1, 2)
    return _hull_of(found, rays, size), _planes_of(directions, found, size)


def _hull_of(found: list[Any], rays: Array, size: float) -> SumPolygon:
    """conv of the optima + cone of the rays, as a slice without multipliers."""
    points = np.array([f.z for f in found])
    kind, way = bounded_kind(points, size)
    if len(rays):
        return _ray_hull(found, points, rays, size)
    if kind is SliceKind.POLYGON:
        from scipy.spatial import ConvexHull

        order = ConvexHull(points).vertices
        corners = points[order]
        steps = np.roll(corners, -1, axis=0) - corners
        normals = np.column_stack([steps[:, 1], -steps[:, 0]]) / np.hypot(steps[:, 0], steps[:, 1])[:, None]
    else:
        order = np.array([int((points @ way).argmin()), int((points @ way).argmax())])
        order = order[:1] if kind is SliceKind.POINT else order
        corners = points[order]
        across = np.array([-way[1], way[0]])
        normals = np.array([way, across, -way, -across])
    offsets = (normals @ corners.T).max(axis=1)
    unproven, optima = np.full((len(normals), 6), np.nan), [found[int(i)] for i in order]
    return slice_of(kind, optima, np.zeros((0, 2)), normals, offsets, unproven, len(found), size)


def _ray_hull(found: list[Any], points: Array, rays: Array, size: float) -> SumPolygon:
    """The hull with rays: exact supports of it are cheap, so it is refined as any other slice."""
    from ...solvers.minkowski.results import SumOptimum
    from ...solvers.minkowski.slices import refined

    class Generated:
        """Supports of conv(points) + cone(rays) in the plane."""

        def maximise(self, base: Array, axes: Array, objective: Array) -> SumOptimum:
            del base, axes
            slopes = rays @ objective
            best = int((points @ objective).argmax())
            f, value = found[best], float(points[best] @ objective)
            nan = np.full(6, np.nan)
            if slopes.max() > tolerances.RAY_SLOPE:
                ray = rays[int(slopes.argmax())]
                return SumOptimum(SumStatus.UNBOUNDED, f.z, value, np.inf, f.weights, f.wrenches, nan, ray)
            return SumOptimum(SumStatus.OPTIMAL, f.z, value, value, f.weights, f.wrenches, nan, np.zeros(2))

    hull = refined(Generated(), np.zeros(6), np.zeros((2, 6)), size=size)
    return replace(hull, solves=len(found))


def _planes_of(directions: Array, found: list[Any], size: float) -> SumPolygon:
    """The half-planes of all bounded directions: neighbours meet in the corners, a gap of half a turn opens rays."""
    kept = [i for i, f in enumerate(found) if f.status == SumStatus.OPTIMAL]
    normals = directions[kept].reshape(-1, 2)
    offsets = np.array([found[i].upper_bound for i in kept])
    multipliers = np.array([found[i].multipliers for i in kept]).reshape(-1, 6)
    solves, hands = len(found), found[0].wrenches.shape

    def outer(kind: SliceKind, corners: Array, rays: Array) -> SumPolygon:
        unknown = np.full((len(corners), *hands), np.nan)
        return SumPolygon(
            kind, corners, rays, normals, offsets, multipliers, unknown, [()] * len(corners), None, solves, size
        )

    if not kept:
        rays = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
        return slice_of(SliceKind.PLANE, found[:1], rays, normals, offsets, multipliers, solves, size)
    angles = np.arctan2(normals[:, 1], normals[:, 0])
    gaps = np.mod(np.roll(angles, -1) - angles, 2.0 * np.pi) if len(kept) > 1 else np.array([2.0 * np.pi])
    widest = int(gaps.argmax())
    if gaps[widest] < np.pi - THIN:
        corners = _meeting(normals, offsets, np.roll(normals, -1, axis=0), np.roll(offsets, -1))
        corners = np.roll(corners, 1, axis=0)  # edge i leads from corner i to the next
        kind, _ = bounded_kind(corners, size)
        if kind is not SliceKind.POLYGON:
            corners = corners[:1] if kind is SliceKind.POINT else _ends(corners)
        return outer(kind, corners, np.zeros((0, 2)))
    order = np.roll(np.arange(len(kept)), -(widest + 1))
    normals, offsets, multipliers = normals[order], offsets[order], multipliers[order]
    if len(kept) == 2 and np.hypot(*(normals[0] + normals[1])) <= THIN:
        along = np.array([-normals[0, 1], normals[0, 0]])
        corners, rays = normals * offsets[:, None], np.array([along, -along])
    elif len(kept) == 1:
        along = np.array([-normals[0, 1], normals[0, 0]])
        corners, rays = normals * offsets[:, None], np.array([along, -along, -normals[0]])
    else:
        corners = _meeting(normals[:-1], offsets[:-1], normals[1:], offsets[1:])
        rays = np.array([[normals[0, 1], -normals[0, 0]], [-normals[-1, 1], normals[-1, 0]]])
        rays = rays[:1] if np.hypot(*(rays[0] - rays[1])) <= THIN else rays
    return outer(SliceKind.UNBOUNDED, corners, rays)


def _meeting(normals: Array, offsets: Array, others: Array, levels: Array) -> Array:
    """(n, 2) points where lines normals . z = offsets meet their neighbours others . z = levels."""
    return np.linalg.solve(np.stack([normals, others], axis=1), np.stack([offsets, levels], axis=1)[..., None])[..., 0]


def _ends(points: Array) -> Array:
    """The two points (2, 2) farthest apart along the longest extent."""
    _, way = bounded_kind(points, 0.0)
    return points[[int((points @ way).argmin()), int((points @ way).argmax())]]
