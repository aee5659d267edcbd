"""Unit vectors spread over the sphere, with the triangles between them."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..assembly.loads import sphere_directions
from ..checks import Array, IntArray
from .sphere import delaunay

#: The finest regular sphere: 10 * 4^9 + 2 is over two million directions.
FINEST_LEVEL = 9

#: Digits that coordinates of magnitude 1 are compared to.
KEY_DIGITS = 9

#: The fewest directions of a spiral that have triangles all round.
FEWEST_ON_SPIRAL = 6


def icosphere(level: int) -> tuple[Array, IntArray]:
    """Directions (10 * 4^level + 2, 3) and outward triangles (20 * 4^level, 3) of a subdivided icosahedron.

    Each level halves all edges and pushes their midpoints to the sphere; earlier directions keep their places, so a
    finer sphere begins with the coarser one's rows.
    """
    level = int(checks.number("level", checks.count("level", level, low=0), low=0, high=FINEST_LEVEL))
    golden = (1.0 + np.sqrt(5.0)) / 2.0
    corners = np.array([(0.0, s, t * golden) for s in (-1.0, 1.0) for t in (-1.0, 1.0)])
    points = np.concatenate([np.roll(corners, shift, axis=1) for shift in range(3)]) / np.hypot(1.0, golden)
    triangles = delaunay(points).astype(np.int64)
    # A fixed order, whatever order the hull came in.
    first = triangles.argmin(axis=1)
    triangles = np.take_along_axis(triangles, (first[:, None] + np.arange(3)) % 3, axis=1)
    triangles = triangles[np.lexsort(triangles.T[::-1])]
    for _ in range(level):
        points, triangles = split_all(points, triangles)
    return points, triangles


def split_all(points: Array, triangles: IntArray) -> tuple[Array, IntArray]:
    """Every triangle in four: midpoints of all edges, pushed to the sphere, come after the points (n, 3)."""
    a, b, c = triangles.T
    pairs = np.sort(np.concatenate([np.stack(p, axis=1) for p in ((a, b), (b, c), (c, a))]), axis=1)
    edges, which = np.unique(pairs, axis=0, return_inverse=True)
    ab, bc, ca = (which.reshape(-1) + len(points)).reshape(3, -1)
    finer = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return np.concatenate([points, midpoints(points, edges)]), finer.astype(np.int64)


def midpoints(points: Array, edges: IntArray) -> Array:
    """(e, 3) unit vectors half-way between the ends of edges (e, 2) of points on the sphere."""
    middle = points[edges].sum(axis=1)
    return middle / np.linalg.norm(middle, axis=1, keepdims=True)


def patches(points: Array, size: int) -> IntArray:
    """(n,) an order of points (n, p) in which each `size` in a row lie close together: halved where they reach widest.

    Coordinates are rounded before they are compared, so that rounding elsewhere cannot change the order.
    """
    keys = np.round(points, KEY_DIGITS)

    def halved(rows: IntArray) -> list[IntArray]:
        chunks = -(-len(rows) // size)
        if chunks <= 1:
            return [rows]
        widest = int(np.ptp(keys[rows], axis=0).argmax())
        ranked = rows[np.argsort(keys[rows, widest], kind="stable")]
        middle = size * (-(-chunks // 2))
        return [*halved(ranked[:middle]), *halved(ranked[middle:])]

    return np.concatenate(halved(np.arange(len(points))))


def spiral(n: int) -> tuple[Array, IntArray]:
    """Directions (n, 3) of a Fibonacci spiral and the triangles of their hull."""
    points = sphere_directions(checks.count("n", n, low=FEWEST_ON_SPIRAL))
    return points, delaunay(points).astype(np.int64)


def octahedron() -> tuple[Array, IntArray]:
    """The directions +x, -x, +y, -y, +z, -z (6, 3) and the eight triangles between them."""
    points = np.repeat(np.eye(3), 2, axis=0) * np.tile([1.0, -1.0], 3)[:, None]
    triangles = [(x, y, z) for x in (0, 1) for y in (2, 3) for z in (4, 5)]
    outward = [(x, y, z) if (x + y + z) % 2 == 0 else (x, z, y) for x, y, z in triangles]
    return points, np.array(outward, dtype=np.int64)
