"""Simple polygons in a plane: area, centroid, self-intersection, and shares of a grid of cells."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError, UnitError


def check_length(name: str, value: float) -> float:
    """`value` as a length [m] that can be meant, or the error that says which lengths can."""
    length = checks.positive(name, value, unit="m")
    if not tolerances.SMALLEST_LENGTH <= length <= tolerances.LARGEST_LENGTH:
        raise UnitError(
            f"is {length:.3g} m",
            where=name,
            fix=f"lengths are in metres, between {tolerances.SMALLEST_LENGTH:g} and {tolerances.LARGEST_LENGTH:g}",
        )
    return length


def simple_polygon(name: str, corners: ArrayLike) -> Array:
    """`corners` (m, 2) [m] as a simple polygon, or a `GeometryError`; either sense, in the order given.

    Checked: at least three corners, none repeated, sizes that can be meant, sides that neither cross nor
    touch one another, an area.
    """
    points = checks.array(name, corners, ("m", 2))
    if len(points) < 3:
        raise GeometryError(f"has {len(points)} corners", where=name, fix="give at least three")
    extent = float(np.ptp(points, axis=0).max())
    if extent > 0.0:
        check_length(f"extent of {name}", extent)
    sides = np.roll(points, -1, axis=0) - points
    short = np.linalg.norm(sides, axis=1) <= tolerances.MERGE * extent
    if short.any():
        first = int(np.argmax(short))
        second = (first + 1) % len(points)
        raise GeometryError(f"corners {first} and {second} are the same", where=name, fix="give each corner once")
    if abs(signed_area(points)) <= tolerances.MERGE * extent**2:
        raise GeometryError(
            "has no area: its corners lie on a line", where=name, fix="give corners that span a surface"
        )
    crossing = _first_crossing(points)
    if crossing is not None:
        raise GeometryError(
            f"crosses itself: side {crossing[0]} meets side {crossing[1]}",
            where=name,
            fix="give the corners in order around the border",
        )
    return points


def signed_area(points: Array) -> float:
    """Area [m^2] of a polygon (m, 2), negative when clockwise."""
    x, y = (points - points[0]).T
    return float(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def centroid(points: Array) -> Array:
    """(2,) centroid of the surface of a polygon (m, 2) with an area."""
    local = points - points[0]
    after = np.roll(local, -1, axis=0)
    cross = local[:, 0] * after[:, 1] - local[:, 1] * after[:, 0]
    return points[0] + cross @ (local + after) / (3.0 * cross.sum())


def corner_shares(points: Array) -> Array:
    """(m,) share of each corner in the surface of a polygon (m, 2).

    Rule: triangles from the centroid to each side, half of each triangle's area to either end of its
    side. The shares sum to 1 and their mean position is the centroid, whatever the polygon; they are
    positive when the centroid sees the whole border, as in every convex polygon.
    """
    middle = points - centroid(points)
    after = np.roll(middle, -1, axis=0)
    triangles = middle[:, 0] * after[:, 1] - middle[:, 1] * after[:, 0]  # twice the area
    return 0.5 * (triangles + np.roll(triangles, 1)) / triangles.sum()


def cell_shares(points: Array, counts: tuple[int, int]) -> tuple[Array, Array]:
    """(positions (p, 2), shares (p,)) of a polygon cut by a grid of its bounding box.

    Rule: every cell that meets the polygon gives one point, at the centroid of the common part, with
    that part's share of the area. The shares sum to 1 and their mean position is the centroid. Parts
    smaller than `tolerances.MERGE` of the whole are left out.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    x_lines, y_lines = (np.linspace(low[axis], high[axis], counts[axis] + 1) for axis in (0, 1))
    total = signed_area(points)
    if total < 0.0:
        points, total = points[::-1], -total
    positions, areas = [], []
    for left, right in itertools.pairwise(x_lines):
        column = _clipped(_clipped(points, 0, left, 1.0), 0, right, -1.0)
        for bottom, top in itertools.pairwise(y_lines):
            part = _clipped(_clipped(column, 1, bottom, 1.0), 1, top, -1.0)
            if len(part) >= 3 and (area := signed_area(part)) > tolerances.MERGE * total:
                positions.append(centroid(part))
                areas.append(area)
    return np.array(positions), np.array(areas) / np.sum(areas)


def _clipped(points: Array, axis: int, level: float, sign: float) -> Array:
    """The part of a polygon with sign (coordinate - level) >= 0 (Sutherland and Hodgman).

    Parts that fall asunder stay joined by doubled lines along the cut, which have no area.
    """
    if not len(points):
        return points
    height = sign * (points[:, axis] - level)
    result = []
    for i in range(len(points)):
        j = (i + 1) % len(points)
        if height[i] >= 0.0:
            result.append(points[i])
        if (height[i] > 0.0 > height[j]) or (height[i] < 0.0 < height[j]):
            result.append(points[i] + height[i] / (height[i] - height[j]) * (points[j] - points[i]))
    return np.array(result).reshape(-1, 2)


def _first_crossing(points: Array) -> tuple[int, int] | None:
    """The first two sides that are no neighbours and yet meet, or neighbours that fold back on each other."""
    count = len(points)
    after = np.roll(points, -1, axis=0)
    tiny = tolerances.MERGE * float(np.ptp(points, axis=0).max()) ** 2
    for i in range(count):
        for j in range(i + 1, count):
            if j == i + 1 or (i == 0 and j == count - 1):
                a, b, c = (points[i], after[i], after[j]) if j == i + 1 else (points[j], after[j], after[i])
                folded = abs(_cross(b - a, c - b)) <= tiny and (b - a) @ (c - b) < 0.0
                if folded:
                    return i, j
            elif _meet(points[i], after[i], points[j], after[j], tiny):
                return i, j
    return None


def _cross(a: Array, b: Array) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def _meet(a: Array, b: Array, c: Array, d: Array, tiny: float) -> bool:
    """Whether the segments ab and cd have a point in common, to an area of `tiny`."""
    if (np.maximum(a, b) < np.minimum(c, d)).any() or (np.maximum(c, d) < np.minimum(a, b)).any():
        return False
    sides = [_cross(b - a, c - a), _cross(b - a, d - a), _cross(d - c, a - c), _cross(d - c, b - c)]
    first, second, third, fourth = (0.0 if abs(s) <= tiny else s for s in sides)
    return first * second <= 0.0 and third * fourth <= 0.0
