"""From half-spaces to corners and rays: bounded or not, flat or not, empty or not.

About a point inside, half-spaces become points of the dual body, normals over slacks. The hull of these and of the
origin has a facet for every corner and, where it passes through the origin, for every ray of the set. Directions that
no normal sees are lines of the set; a set without an inside is looked at within the plane or line it lies in.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array
from ...errors import SolverError
from ...geometry.polytopes import Polytope
from ...solvers.minkowski.slices import THIN

#: Facets of the dual body nearer to the origin than this share of its size pass through it: rays.
DUAL_RAY = 1e-9

#: What scipy's linprog says when nothing lies within the planes.
INFEASIBLE = 2


def body_of(normals: Array, offsets: Array, size: float) -> Polytope | None:
    """{x in R^n : normals x <= offsets} by corners and rays; None when it is empty.

    Args:
        normals: (h, n) unit rows.
        offsets: (h,).
        size: what tolerances are shares of: the least magnitude of lengths that matter.
    """
    dimension = normals.shape[1]
    if dimension == 0:
        return Polytope(np.zeros((1, 1))) if (offsets >= -THIN * size).all() else None
    if not len(normals):
        return Polytope(np.zeros((1, dimension)), np.concatenate([np.eye(dimension), -np.eye(dimension)]))
    seen, unseen = _span(normals)
    if len(unseen):
        inside = body_of(normals @ seen.T, offsets, size)
        if inside is None:
            return None
        lines = np.concatenate([unseen, -unseen])
        return Polytope(inside.vertices @ seen, np.concatenate([inside.rays @ seen, lines]))
    point, radius, tight = _largest_ball(normals, offsets, size)
    if radius < -THIN * size:
        return None
    if radius <= THIN * size:
        return _flat(normals, offsets, point, tight, size)
    return _dual(normals, offsets, point)


def _span(normals: Array) -> tuple[Array, Array]:
    """(seen (d, n), unseen (n - d, n)): orthonormal rows that span the normals, and those at right angles to them."""
    _, values, rows = np.linalg.svd(normals, full_matrices=True)
    rank = int((values > THIN * values[0]).sum())
    return rows[:rank], rows[rank:]


def _largest_ball(normals: Array, offsets: Array, size: float) -> tuple[Array, float, Array]:
    """(centre, radius, tight): the largest ball within, up to radius `size`; negative when nothing is within.

    `tight` are the half-spaces that hold the ball, by their multipliers.
    """
    from scipy.optimize import linprog

    count, dimension = normals.shape
    scaled = offsets / size
    cost = np.append(np.zeros(dimension), -1.0)
    matrix = np.column_stack([normals, np.ones(count)])
    bounds = [(None, None)] * dimension + [(None, 1.0)]
    found = linprog(cost, A_ub=matrix, b_ub=scaled, bounds=bounds, method="highs")
    if found.status != 0:
        raise SolverError(f"no point amid {count} half-spaces was found: {found.message}", where="support region")
    return found.x[:-1] * size, float(found.x[-1]) * size, -found.ineqlin.marginals > THIN


def _flat(normals: Array, offsets: Array, point: Array, tight: Array, size: float) -> Polytope | None:
    """A set without an inside: it lies in the planes that hold its largest ball."""
    _, along = _span(normals[tight])
    if not len(along):
        return Polytope(point[None])
    left = ~tight
    within = normals[left] @ along.T
    lengths = np.linalg.norm(within, axis=1)
    slack = offsets[left] - normals[left] @ point
    kept = lengths > THIN
    if (slack[~kept] < -THIN * size).any():
        return None
    inside = body_of(within[kept] / lengths[kept, None], slack[kept] / lengths[kept], size)
    if inside is None:  # only rounding keeps the planes apart: the centre of the ball is the set
        return Polytope(point[None])
    return Polytope(point + inside.vertices @ along, inside.rays @ along)


def _dual(normals: Array, offsets: Array, point: Array) -> Polytope:
    """Corners and rays of a set with `point` inside and normals that span the space."""
    slack = offsets - normals @ point
    reach = float(np.median(slack))
    if normals.shape[1] == 1:
        ups, downs = slack[normals[:, 0] > 0.0], slack[normals[:, 0] < 0.0]
        ends = [[point[0] + ups.min()]] if len(ups) else []
        ends += [[point[0] - downs.min()]] if len(downs) else []
        rays = ([] if len(ups) else [[1.0]]) + ([] if len(downs) else [[-1.0]])
        return Polytope(np.array(ends), np.array(rays).reshape(-1, 1))
    from scipy.spatial import ConvexHull

    dual = np.concatenate([normals / (slack / reach)[:, None], np.zeros((1, normals.shape[1]))])
    hull = ConvexHull(dual)
    facets, levels = hull.equations[:, :-1], -hull.equations[:, -1]
    through = levels <= DUAL_RAY * float(np.linalg.norm(dual, axis=1).max())
    corners = point + reach * facets[~through] / levels[~through, None]
    _, first = np.unique(np.round((corners - point) / (reach * THIN)), axis=0, return_index=True)
    rays = facets[through]
    _, only = np.unique(np.round(rays / THIN), axis=0, return_index=True)
    return Polytope(corners[np.sort(first)], rays[np.sort(only)])
