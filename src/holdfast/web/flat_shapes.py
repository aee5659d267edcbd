"""Flat polygons of the scene as triangles, convex or not."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..checks import Array, IntArray
from .marks import Colour, Surface


def filled(corners: Array, tint: Colour, opacity: float = 1.0) -> Surface:
    """A polygon (n, 3) in a plane across the scene's y axis, filled."""
    flat = np.round(np.asarray(corners, dtype=float)[:, [0, 2]], 12)
    return Surface(corners, _triangles(flat.tobytes(), len(flat)), tint, opacity)


@lru_cache(maxsize=256)
def _triangles(data: bytes, count: int) -> IntArray:
    """Those of a polygon that was asked for before are found again."""
    return triangles(np.frombuffer(data).reshape(count, 2))


def triangles(polygon: Array) -> IntArray:
    """(n - 2, 3) triangles of a simple polygon (n, 2), by cutting off one ear after another.

    An ear is a convex corner whose triangle holds no other corner. Where rounding leaves none, the corner that turns
    most is cut off.
    """
    points = np.asarray(polygon, dtype=float)
    following = np.roll(points, -1, axis=0)
    area = float((points[:, 0] * following[:, 1] - points[:, 1] * following[:, 0]).sum())
    left = list(range(len(points))) if area >= 0.0 else list(range(len(points)))[::-1]
    found: list[tuple[int, int, int]] = []
    while len(left) > 3:
        turns = [_turn(points, left, k) for k in range(len(left))]
        ears = [k for k, turn in enumerate(turns) if turn > 0.0 and _is_ear(points, left, k)]
        ear = max(ears or range(len(left)), key=lambda k: turns[k])
        found.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    if len(left) == 3:
        found.append((left[0], left[1], left[2]))
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def _turn(points: Array, left: list[int], k: int) -> float:
    """Twice the area of the triangle at corner `k`, below zero where the polygon is hollow."""
    a, b, c = points[left[k - 1]], points[left[k]], points[left[(k + 1) % len(left)]]
    return float((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]))


def _is_ear(points: Array, left: list[int], k: int) -> bool:
    """Whether no other corner lies in the triangle at corner `k`."""
    a, b, c = points[left[k - 1]], points[left[k]], points[left[(k + 1) % len(left)]]
    own = {left[k - 1], left[k], left[(k + 1) % len(left)]}
    others = points[[i for i in left if i not in own]]
    inside = np.ones(len(others), dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        side = (end[0] - start[0]) * (others[:, 1] - start[1]) - (end[1] - start[1]) * (others[:, 0] - start[0])
        inside &= side >= 0.0
    return not inside.any()
