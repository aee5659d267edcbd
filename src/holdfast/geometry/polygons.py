"""Polygons in a plane, on shapely: checks, area, centroid, shares of the surface, clipping, convex outlines.

A polygon is an array (m, 2) of corners in order around the border, in either sense, without the first corner repeated.
"""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError


def simple_polygon(name: str, corners: ArrayLike) -> Array:
    """`corners` (m, 2) [m] as a simple polygon, in the order given, or a `GeometryError` that says what is wrong.

    Checked: at least three corners, none repeated, a plausible size, an area, and sides that neither cross nor
    touch each other.
    """
    points = checks.array(name, corners, ("m", 2))
    if len(points) < 3:
        raise GeometryError(f"has {len(points)} corners", where=name, fix="give at least three")
    extent = float(np.ptp(points, axis=0).max())
    if extent > 0.0:
        checks.length(f"extent of {name}", extent)
    sides = np.roll(points, -1, axis=0) - points
    short = np.linalg.norm(sides, axis=1) <= tolerances.MERGE * extent
    if short.any():
        first = int(np.argmax(short))
        second = (first + 1) % len(points)
        raise GeometryError(f"corners {first} and {second} are the same", where=name, fix="give each corner once")
    if abs(signed_area(points)) <= tolerances.MERGE * extent**2:
        fix = "give corners that span a surface"
        raise GeometryError("has no area: its corners lie on a line", where=name, fix=fix)
    crossing = _first_crossing(points, sides, extent)
    if crossing is not None:
        raise GeometryError(
            f"crosses itself: side {crossing[0]} meets side {crossing[1]}",
            where=name,
            fix="give the corners in order around the border",
        )
    return points


def _first_crossing(points: Array, sides: Array, extent: float) -> tuple[int, int] | None:
    """The first two sides (i < j) that touch without being neighbours, or neighbours that fold back on each other."""
    count = len(points)
    lines = np.asarray(shapely.linestrings(np.stack([points, points + sides], axis=1)), dtype=np.object_)
    i, j = shapely.STRtree(lines).query(lines, predicate="dwithin", distance=tolerances.MERGE * extent)
    apart = (j > i + 1) & ~((i == 0) & (j == count - 1))
    found = list(zip(i[apart].tolist(), j[apart].tolist(), strict=True))
    after = np.roll(sides, -1, axis=0)
    turn = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    folded = (np.abs(turn) <= tolerances.MERGE * extent**2) & (np.einsum("ij,ij->i", sides, after) < 0.0)
    found += [(min(k, (k + 1) % count), max(k, (k + 1) % count)) for k in np.flatnonzero(folded).tolist()]
    return min(found, default=None)


def signed_area(points: Array) -> float:
    """Area of a polygon (m, 2), negative when clockwise; accurate far from the origin too."""
    x, y = (points - points[0]).T
    return float(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def centroid(points: Array) -> Array:
    """(2,) centroid of the surface of a polygon (m, 2) with an area."""
    return points[0] + shapely.get_coordinates(shapely.centroid(shapely.polygons(points - points[0])))[0]


def mean_distance(points: Array) -> float:
    """Mean distance of the surface of a polygon (m, 2) from the origin, in closed form.

    A triangle from the origin to a side at the height h, from -a to b along the side, has the integral of |x|

        h/6 (b sqrt(h^2 + b^2) + a sqrt(h^2 + a^2)) + h^3/6 (asinh(b/h) + asinh(a/h)).
    """
    sides = np.roll(points, -1, axis=0) - points
    along = sides / np.linalg.norm(sides, axis=1)[:, None]
    height = points[:, 0] * along[:, 1] - points[:, 1] * along[:, 0]  # negative where the side turns clockwise
    size = np.maximum(np.abs(height), np.finfo(float).tiny)
    total = 0.0
    for end, sign in ((points + sides, 1.0), (points, -1.0)):
        t = np.einsum("ij,ij->i", end, along)
        total += sign * np.sum(height / 6.0 * (t * np.hypot(height, t) + height**2 * np.arcsinh(t / size)))
    return float(abs(total / signed_area(points)))


def corner_shares(points: Array) -> Array:
    """(m,) share of each corner in the surface of a polygon (m, 2).

    Rule: triangles from the centroid to each side, half of each triangle's area to either end of its side. The shares
    sum to 1 and their mean position is the centroid, for every polygon; they are positive when the centroid sees the
    whole border, as in every convex polygon.
    """
    middle = points - centroid(points)
    after = np.roll(middle, -1, axis=0)
    triangles = middle[:, 0] * after[:, 1] - middle[:, 1] * after[:, 0]  # twice the area
    return 0.5 * (triangles + np.roll(triangles, 1)) / triangles.sum()


def cell_shares(points: Array, counts: tuple[int, int]) -> tuple[Array, Array]:
    """(positions (p, 2), shares (p,)) of a polygon cut by a grid of `counts` cells over its bounding box.

    Rule: every cell that meets the polygon gives one point, at the centroid of the common part, with that part's share
    of the area. The shares sum to 1 and their mean position is the centroid. Parts smaller than `tolerances.MERGE` of
    the whole are left out.
    """
    local = points - points[0]
    low, high = local.min(axis=0), local.max(axis=0)
    x, y = (np.linspace(low[axis], high[axis], counts[axis] + 1) for axis in (0, 1))
    cells = shapely.box(x[:-1, None], y[None, :-1], x[1:, None], y[None, 1:]).ravel()
    parts = shapely.intersection(shapely.polygons(local), cells)
    areas = shapely.area(parts)
    kept = areas > tolerances.MERGE * abs(signed_area(local))
    positions = points[0] + shapely.get_coordinates(shapely.centroid(parts[kept]))
    return positions, areas[kept] / areas[kept].sum()


def clip_convex(points: Array, height: Array, tolerance: float = 0.0) -> Array:
    """The part of a flat convex polygon (m, n) where the height (m,) of its corners is not negative; (0, n) when none.

    `height` is linear on the polygon, so the polygon is cut by a half-plane or half-space: normal . x - offset. Corners
    within `tolerance` of the line belong to the part, and no new corner is made next to them.
    """
    after = np.roll(height, -1)
    crossing = ((height < -tolerance) & (after > tolerance)) | ((height > tolerance) & (after < -tolerance))
    share = np.divide(height, height - after, out=np.zeros_like(height), where=crossing)[:, None]
    met = points + share * (np.roll(points, -1, axis=0) - points)
    keep = np.stack([height >= -tolerance, crossing], axis=1).ravel()
    return np.stack([points, met], axis=1).reshape(-1, points.shape[1])[keep]


def convex_outline(points: ArrayLike) -> Array:
    """(m, 2) corners of the convex hull of points (n, 2), counter-clockwise; two ends of a segment, or one point."""
    hull = shapely.convex_hull(shapely.multipoints(checks.array("points", points, ("n", 2))))
    corners = shapely.get_coordinates(shapely.normalize(hull))
    if shapely.get_type_id(hull) != shapely.GeometryType.POLYGON:
        return corners
    return corners[-1:0:-1]  # shapely's normal form is clockwise and closed
