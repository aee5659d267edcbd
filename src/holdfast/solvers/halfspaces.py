"""Half-spaces that no load which is held can leave: what multipliers say about all loads at once.

For any multipliers y, weak duality (see `certificate`) says of every load w that admissible forces and joint torques
balance

    -y . w  <=  sum_i h_i(maps_i^T y) - min over s in [lower, upper] of y . s,

h_i being the support function of the hull of contact i's pieces. The multipliers of a search's root make this plane
touch the space of held loads of the hulls just where that search's load leaves it.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from .certificate import ray_slack
from .problem import Layout

#: Numbers of one block of supports; keeps the memory small.
BLOCK = 4_000_000


def offsets_of(layout: Layout, multipliers: Array) -> Array:
    """(n,) the right-hand side above for multipliers (n, m); inf where they bound nothing.

    What summing may have rounded off is added, so that the half-space is never too small.
    """
    y = np.asarray(multipliers, dtype=np.float64)
    total, size = np.zeros(len(y)), np.zeros(len(y))
    for shape, pieces in enumerate(layout.shapes):
        vertices = np.unique(np.concatenate([piece.extreme for piece in pieces]), axis=0)
        reach = float(np.linalg.norm(vertices, axis=1).max())
        contacts = np.nonzero(layout.shape_of == shape)[0]
        step = max(1, BLOCK // len(vertices))
        for contact in contacts:
            maps = layout.maps[contact]  # (m, 3)
            directions = y @ maps
            for first in range(0, len(y), step):
                some = slice(first, first + step)
                total[some] += (directions[some] @ vertices.T).max(axis=1)
            size += reach * np.linalg.norm(np.abs(y) @ np.abs(maps), axis=1)
    with np.errstate(invalid="ignore"):
        ends = np.where(y > 0.0, y * layout.lower, np.where(y < 0.0, y * layout.upper, 0.0))
    total -= ends.sum(axis=1)
    size += np.abs(np.where(np.isfinite(ends), ends, 0.0)).sum(axis=1)
    total += np.finfo(float).eps * (len(layout.shape_of) + y.shape[1]) * size
    if layout.has_rays:
        total[climbs_rays(layout, y)] = np.inf
    return total


def climbs_rays(layout: Layout, multipliers: Array) -> Array:
    """(n,) whether maps_i^T y climbs an unlimited direction of some contact, for multipliers (n, m)."""
    climbs = np.zeros(len(multipliers), dtype=bool)
    rays = [[ray / np.linalg.norm(ray) for piece in shape for ray in piece.rays] for shape in layout.shapes]
    for row, y in enumerate(multipliers):
        slack = ray_slack(layout.maps, y)
        directions = np.einsum("kmi,m->ki", layout.maps, y)
        climbs[row] = any(
            (np.array(rays[shape]) @ direction > least).any()
            for shape, direction, least in zip(layout.shape_of, directions, slack, strict=True)
            if rays[shape]
        )
    return climbs
