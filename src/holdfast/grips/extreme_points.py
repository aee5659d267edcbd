"""Which vertices, rays and planes of a grip count: all others are made superfluous by these.

Clarkson's way: each row is tested against those that are known to count, not against all. When it stands apart from
them, the direction that shows it leads to a row that surely counts.
"""

from __future__ import annotations

import numpy as np

from .. import tolerances
from ..checks import Array, IntArray
from ..solvers import Status
from .membership import in_hull

#: Directions whose furthest vertices are taken to begin with, a dimension.
FIRST = 16

#: Seed of these directions; what comes out does not depend on it.
SEED = 6


def extreme_rows(vertices: Array, rays: Array, length: float) -> IntArray:
    """Rows of `vertices` (n, 6) that are corners of conv(vertices) + cone(rays), in order; the first of equal ones.

    A set that a line of rays runs through has no corners: then rows enough to give the set.
    """
    unit = np.repeat([1.0, length], 3)
    corners = vertices / unit
    size = float(np.abs(corners).max()) or 1.0
    merged = np.round((corners - corners.mean(axis=0)) / (tolerances.MERGE * size))
    left = np.sort(np.unique(merged, axis=0, return_index=True)[1])
    known = _furthest(corners, rays / unit, left)
    for row in left.tolist():
        while row not in known:
            kept = sorted(known)
            found = in_hull(vertices[kept], rays, vertices[row], length)
            if found.separator is None:
                break
            values = vertices[left] @ found.separator
            known.add(int(left[_first_of(vertices[left], values)]))
    kept = sorted(known)
    if len(kept) <= 1 or not len(rays):
        return np.array(kept, dtype=np.int64)
    return _without_superfluous(vertices, rays, length, kept)


def _furthest(corners: Array, rays: Array, left: IntArray) -> set[int]:
    """Rows that go furthest in directions drawn at random, in which no ray climbs."""
    drawn = np.random.default_rng(SEED).standard_normal((6 * FIRST, 6))
    spread = np.ptp(corners[left], axis=0)
    drawn /= np.where(spread > 0.0, spread, 1.0)
    if len(rays):
        drawn = drawn[(drawn @ rays.T <= 0.0).all(axis=1)]
    rows = {int(left[i]) for i in (corners[left] @ drawn.T).argmax(axis=0)} if len(drawn) else set()
    return rows or {int(left[0])}


def _first_of(rows: Array, values: Array) -> int:
    """The row of the largest value; among equal ones the first by its coordinates, which is a corner of their face."""
    top = np.nonzero(values >= values.max())[0]
    return int(top[np.lexsort(rows[top].T)[0]])


def _without_superfluous(vertices: Array, rays: Array, length: float, kept: list[int]) -> IntArray:
    """With rays, a row that went furthest may still lie on a ray of another one."""
    for row in list(kept):
        others = [other for other in kept if other != row]
        if others and in_hull(vertices[others], rays, vertices[row], length).status is Status.HOLDS:
            kept = others
    return np.array(kept, dtype=np.int64)


def extreme_rays(rays: Array, length: float) -> IntArray:
    """Rows of `rays` (m, 6) that the others do not give; the first of parallel ones."""
    unit = np.repeat([1.0, length], 3)
    ways = rays / unit
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    kept = np.sort(np.unique(np.round(ways / tolerances.MERGE), axis=0, return_index=True)[1]).tolist()
    for row in list(kept):
        others = [other for other in kept if other != row]
        if others and in_hull(np.zeros((1, 6)), ways[others], ways[row], 1.0).status is Status.HOLDS:
            kept = others
    return np.array(kept, dtype=np.int64)


def needed_planes(normals: Array, offsets: Array) -> IntArray:
    """Rows of normals . x <= offsets, normals of length 1, without which the set would be larger.

    Of an empty set all are kept: no plane alone makes it empty.
    """
    from scipy.optimize import linprog

    size = float(np.abs(offsets).max(initial=0.0)) or 1.0
    rows = np.column_stack([normals, offsets / size])
    kept = np.sort(np.unique(np.round(rows / tolerances.MERGE), axis=0, return_index=True)[1]).tolist()
    everything = linprog(np.zeros(6), A_ub=normals, b_ub=offsets / size, bounds=(None, None)) if len(kept) else None
    if everything is None or everything.status != 0:
        return np.arange(len(normals))
    for row in list(kept):
        others = [other for other in kept if other != row]
        # The plane itself, one size further out, keeps the program bounded.
        planes = np.concatenate([normals[others], normals[row][None]])
        levels = np.concatenate([offsets[others], [offsets[row] + size]]) / size
        found = linprog(-normals[row], A_ub=planes, b_ub=levels, bounds=(None, None), method="highs")
        if found.status == 0 and -found.fun <= offsets[row] / size + tolerances.MERGE:
            kept = others
    return np.array(kept, dtype=np.int64)
