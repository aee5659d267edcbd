"""Planes through the zero force that keep a piece out of the cones where the surface has no force.

A convex piece that misses a dead cone lies on one side of a plane through zero. Which plane decides
what the piece can reach next to the cone, so several sets of planes are made, each good for another
stretch of the cone's rim.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from .surface import LimitSurface

#: Directions this close to a plane are meant to lie on it [rad].
ON_PLANE = 1e-6

#: A ray is lost when it is beyond a plane by more than this angle [rad].
BEYOND = 1e-9

#: Most sets of planes, and the width [rad] of the stretch of rim each is made for.
MOST_SETS = 24
STRETCH = 0.35

#: Weight of what lies outside the stretch.
ELSEWHERE = 1e-4


def rim_cones(surface: LimitSurface) -> Array:
    """(z, 3 corners, 3) unit corners of the dead cones next to living ones.

    A connected piece cannot reach any other dead cone except across one of these.
    """
    triangles = surface.triangles
    dead = np.isinf(surface.gauges[triangles]).any(axis=1)
    return surface.directions[triangles[dead & np.isin(triangles, triangles[~dead]).any(axis=1)]]


def plane_sets(cones: Array, rays: Array, stakes: Array) -> list[Array]:
    """Sets of unit rows b (p, 3), each past all `cones`, for stretches all along their rim; one empty set if none.

    `rays` (s, 3) are the directions worth keeping, `stakes` (s,) what they are worth.
    """
    if not len(cones):
        return [np.zeros((0, 3))]
    sets: list[Array] = []
    for centre in _spread(cones.sum(axis=1), MOST_SETS):
        angle = np.arccos(np.clip(rays @ centre, -1.0, 1.0))
        sets.append(past_cones(cones, rays, stakes * (np.exp(-((angle / STRETCH) ** 2)) + ELSEWHERE)))
    return sets


def _spread(vectors: Array, count: int) -> Array:
    """Up to `count` unit directions of `vectors`, each far from those before it."""
    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    picked = [0]
    nearest = units @ units[0]
    while len(picked) < min(count, len(units)) and nearest.min() < 1.0 - 1e-6:
        picked.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, units @ units[picked[-1]])
    return units[picked]


def past_cones(cones: Array, rays: Array, weights: Array) -> Array:
    """Unit rows b (p, 3): every cone has b . d >= 0 for one of them, and little weight of `rays` has.

    One plane past all cones, if there is one, competes with planes past one cone after the other,
    nearest to the weight first.
    """
    alone = separating_plane(cones.reshape(-1, 3), rays, weights)
    if alone is not None:
        kept = rays @ alone <= BEYOND
        if weights[~kept].sum() <= 0.05 * weights.sum():
            return alone[None, :]
    rows: list[Array] = []
    left, weight = cones, weights.copy()
    while len(left) and weight.any():
        centre = (weight[:, None] * rays).sum(axis=0)
        first = int((left.sum(axis=1) @ centre).argmax())
        plane = separating_plane(left[first], rays, weight)
        if plane is None:  # a single cone always has a plane; only rounding brings us here
            plane = _into(left[first].sum(axis=0), left[first])
        rows.append(plane)
        weight[rays @ plane > BEYOND] = 0.0
        left = left[~(left @ plane >= -1e-12).all(axis=1)]
    if alone is not None and weights[rays @ alone <= BEYOND].sum() >= weight.sum():
        return alone[None, :]
    return np.array(rows)


def separating_plane(cone: Array, rays: Array, weights: Array) -> Array | None:
    """Unit b with b . d >= 0 for all rows d of `cone`, and the least weight of `rays` beyond it; None if none."""
    from scipy.optimize import linprog

    cone = np.unique(cone, axis=0)
    some = np.flatnonzero(weights > 0.0)
    matrix = np.zeros((len(cone) + 1 + len(some), 3 + len(some)))
    matrix[: len(cone), :3] = -cone
    matrix[len(cone), :3] = -cone.mean(axis=0)  # the plane needs a length: b . middle >= 1
    matrix[len(cone) + 1 :, :3] = rays[some]
    matrix[len(cone) + 1 + np.arange(len(some)), 3 + np.arange(len(some))] = -1.0
    right = np.zeros(len(matrix))
    right[len(cone)] = -1.0
    bounds = np.full((3 + len(some), 2), [-np.inf, np.inf])
    bounds[3:, 0] = 0.0
    cost = np.concatenate([np.zeros(3), weights[some] / weights.max()])
    result = linprog(cost, A_ub=matrix, b_ub=right, bounds=bounds, method="highs")
    if result.x is None:
        return None
    b = result.x[:3] / np.linalg.norm(result.x[:3])
    return _leaned(b, np.concatenate([cone, rays[some]]), cone)


def _leaned(b: Array, rays: Array, cone: Array) -> Array:
    """`b` turned to pass exactly through two of the directions it leans on, and never into its cone.

    The program's own tolerance would leave a ray on the plane a hair beyond it, and so lost.
    """
    near = rays[np.abs(rays @ b) < ON_PLANE]
    if len(near) >= 2:
        spread = np.linalg.norm(np.cross(near[:1], near), axis=1)
        turned = np.cross(near[0], near[int(spread.argmax())])
        if np.linalg.norm(turned) > ON_PLANE:
            turned = turned / np.linalg.norm(turned)
            turned = turned * np.sign(turned @ b)
            if (cone @ turned >= -1e-14).all():
                return turned
    return _into(b, cone)


def _into(b: Array, cone: Array) -> Array:
    """`b` turned towards the cone's middle until every corner is on its far side."""
    low = float((cone @ b).min())
    if low < 0.0:
        middle = cone.sum(axis=0)
        b = b - low * middle / max(float((cone @ middle).min()), 1e-6)
    return b / np.linalg.norm(b)
