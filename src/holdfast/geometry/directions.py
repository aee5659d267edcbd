"""Directions on the unit sphere: regular and spiral samples, triangulation, and the triangle that a direction is in.

The triangulation is the spherical Delaunay one, which is the convex hull of the unit directions:
no sample lies inside the circle through a triangle's corners. That circle is therefore the border of
an empty spherical cap, and the largest caps show where samples are missing.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..checks import Array, IntArray
from ..errors import GeometryError
from ..public_names import with_advice
from ..tolerances import FLAT, ZERO_DIRECTION

Indices = NDArray[np.intp]

#: A barycentric weight below this share of the largest counts as zero: the direction is on the opposite edge.
ON_EDGE = 1e-12

#: Four directions lie on one circle of the sphere when the fourth is within this distance of the plane of the three.
ONE_CIRCLE = 1e-9

#: Seed and size of the random displacement that breaks ties when the hull of regular directions is not closed.
JOGGLE_SEED = 20180
JOGGLE = 1e-8

#: The finest regular sphere: 10 * 4^9 + 2 is over two million directions.
FINEST_LEVEL = 9

#: Digits that coordinates of magnitude 1 are compared to.
KEY_DIGITS = 9

#: The fewest directions of a spiral whose triangles surround the origin.
FEWEST_ON_SPIRAL = 6

#: Most directions of a spiral whose triangles are computed.
MOST_ON_SPIRAL = 1_000_000


def unit(vectors: Array) -> Array:
    """Rows of `vectors` (n, 3) at length one; rows far too short to have a direction become zero rows."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.divide(scaled, length, out=np.zeros_like(scaled), where=length > ZERO_DIRECTION)


def _hull(directions: Array) -> Indices:
    """Outward triangles (t, 3) of the convex hull of unit `directions`, each edge shared by exactly two."""
    from scipy.spatial import ConvexHull, QhullError

    rng = np.random.default_rng(JOGGLE_SEED)
    points = directions
    for _ in range(4):
        try:
            triangles = ConvexHull(points).simplices.astype(np.intp)
        except QhullError:
            raise GeometryError(
                "the directions lie in one plane", where="directions", fix="sample directions all around the contact"
            ) from None
        a, b, c = (directions[triangles[:, k]] for k in range(3))
        centre = directions.mean(axis=0)
        flip = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - centre) < 0
        triangles[flip] = triangles[flip][:, [0, 2, 1]]
        if is_closed(triangles, len(directions)):
            return triangles
        # Facets with many directions on one circle can be cut inconsistently; a small displacement breaks the ties.
        points = unit(directions + rng.uniform(-JOGGLE, JOGGLE, directions.shape))
    raise GeometryError(
        "the directions cannot be triangulated", where="directions", fix="remove directions that nearly coincide"
    )


def is_closed(triangles: Indices, count: int) -> bool:
    """Whether `triangles` form one closed oriented sphere through all of `count` corners."""
    if len(triangles) != 2 * count - 4 or len(np.unique(triangles)) != count:
        return False
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    code = edges[:, 0] * count + edges[:, 1]
    return len(np.unique(code)) == len(code) and bool(np.isin(edges[:, 1] * count + edges[:, 0], code).all())


def across(triangles: Indices) -> Indices:
    """(t, 3) index of the triangle on the other side of the edge opposite to each corner."""
    count = int(triangles.max()) + 1
    t = len(triangles)
    start = triangles[:, [1, 2, 0]].ravel()
    end = triangles[:, [2, 0, 1]].ravel()
    order = np.argsort(start * count + end)
    found = order[np.searchsorted((start * count + end)[order], end * count + start)]
    return (found // 3).reshape(t, 3)


def delaunay(directions: Array) -> Indices:
    """Outward triangles (t, 3) of the spherical Delaunay triangulation of unit `directions` (n, 3)."""
    spread = np.linalg.svd(directions - directions.mean(axis=0), compute_uv=False)
    if len(directions) < 4 or spread[2] <= FLAT * spread[0]:
        raise GeometryError(
            "the directions lie in one plane", where="directions", fix="sample directions all around the contact"
        )
    return _hull(directions)


def settle_ties(directions: Array, gauges: Array, triangles: Indices) -> Indices:
    """`triangles` with each diagonal that the Delaunay condition leaves open chosen for a convex surface.

    Regular grids put four directions on one circle, and either diagonal is Delaunay. Of the two the
    one with the smaller gauge (1 / radius) at the crossing is taken: a convex body sampled on a
    regular grid then stays convex. Edges that the Delaunay condition decides are not changed.
    """
    for _ in range(8):
        before, triangles = triangles, triangles.copy()
        changed = 0
        others = across(before)
        touched = np.zeros(len(before), dtype=bool)
        a, b, c = (directions[before[:, k]] for k in range(3))
        normal = unit(np.cross(b - a, c - a))
        for k in range(3):
            apex = before[others[:, k]].sum(axis=1) - before[:, (k + 1) % 3] - before[:, (k + 2) % 3]
            off_plane = np.abs(np.einsum("ij,ij->i", normal, directions[apex] - a))
            tied = np.flatnonzero((off_plane < ONE_CIRCLE) & (others[:, k] > np.arange(len(before))))
            for t in tied:
                s = others[t, k]
                if touched[t] or touched[s]:
                    continue
                p, q, r, o = before[t, k], before[t, (k + 1) % 3], before[t, (k + 2) % 3], int(apex[t])
                if _flips(directions, gauges, p, q, r, o):
                    triangles[t], triangles[s] = (p, q, o), (p, o, r)
                    touched[t] = touched[s] = True
                    changed += 1
        if not changed:
            break
    return triangles


def _flips(directions: Array, gauges: Array, p: int, q: int, r: int, o: int) -> bool:
    """Whether diagonal p-o has a smaller gauge than diagonal q-r where the two cross."""
    if not np.isfinite(gauges[[p, q, r, o]]).all():
        return False
    # Crossing: alpha p + beta o = gamma q + delta r, up to scale: the null vector of the 3 x 4 matrix.
    matrix = np.column_stack([directions[p], directions[o], -directions[q], -directions[r]])
    weights = np.linalg.svd(matrix)[2][3]
    weights = weights * np.sign(weights[0])
    if (weights <= ON_EDGE).any():
        return False
    turned = weights[0] * gauges[p] + weights[1] * gauges[o]
    now = weights[2] * gauges[q] + weights[3] * gauges[r]
    return bool(turned < now * (1.0 - FLAT))


def caps(directions: Array, triangles: Indices) -> tuple[Array, Array]:
    """Centres (t, 3) and angular radii (t,) [rad] of the empty spherical caps through the triangles' corners."""
    a, b, c = (directions[triangles[:, k]] for k in range(3))
    centres = unit(np.cross(b - a, c - a))
    return centres, np.arccos(np.clip(np.einsum("ij,ij->i", centres, a), -1.0, 1.0))


class SphereMesh:
    """A triangulated sphere of directions that finds the triangle of each of many rays exactly.

    Attributes:
        directions: (n, 3) unit directions.
        triangles: (t, 3) corners, counter-clockwise from outside.
    """

    def __init__(self, directions: Array, triangles: Indices) -> None:
        self.directions = directions
        self.triangles = triangles
        corners = directions[triangles]  # (t, 3 corners, 3)
        determinant = np.linalg.det(corners)
        if (determinant <= 0).any():
            raise GeometryError(
                "the directions leave half of the sphere empty",
                where="directions",
                fix="sample directions all around the contact, or let from_samples fill the gaps",
            )
        # Rows: a direction's barycentric weights are inverse @ direction.
        self.inverse = np.linalg.inv(np.swapaxes(corners, 1, 2))

    @cached_property
    def neighbours(self) -> Indices:
        """(t, 3) triangle across the edge opposite to each corner."""
        return across(self.triangles)

    @cached_property
    def _tree(self):
        from scipy.spatial import KDTree

        return KDTree(unit(self.directions[self.triangles].sum(axis=1)))

    @cached_property
    def edges(self) -> Indices:
        """(e, 2) edges, each once, smaller index first."""
        pairs = np.sort(self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        return np.unique(pairs, axis=0)

    def locate(self, directions: Array) -> tuple[Indices, Array]:
        """Triangle (m,) and weights (m, 3) of each direction (m, 3); weights are linear in the direction.

        Starts at the triangle with the nearest centroid and walks across the edge with the most
        negative weight until none is negative; weights that differ from zero only by rounding become zero.
        """
        rays = unit(directions)
        length = np.linalg.norm(directions, axis=1)
        found = np.asarray(self._tree.query(rays)[1], dtype=np.intp)
        weights = np.empty((len(rays), 3))
        active = np.arange(len(rays))
        for _ in range(len(self.triangles)):
            here = np.einsum("mij,mj->mi", self.inverse[found[active]], rays[active])
            weights[active] = here
            worst = here.argmin(axis=1)
            rows = np.arange(len(active))
            leave = here[rows, worst] < -ON_EDGE * np.abs(here).max(axis=1)
            if not leave.any():
                break
            moved = active[leave]
            found[moved] = self.neighbours[found[moved], worst[leave]]
            active = moved
        else:
            for ray in active:  # a walk in circles over thin triangles: check every triangle
                every = self.inverse @ rays[ray]
                best = int((every.min(axis=1) / np.abs(every).max(axis=1)).argmax())
                found[ray], weights[ray] = best, every[best]
        weights[weights < ON_EDGE * weights.max(axis=1, keepdims=True)] = 0.0
        return found, weights * length[:, None]


# -- samples of the sphere -------------------------------------------------------------------------


@with_advice()
def sphere_directions(n: int) -> Array:
    """(n, 3) unit vectors spread evenly over the sphere (Fibonacci spiral), without randomness."""
    n = checks.count("n", n)
    z = 1.0 - (2.0 * np.arange(n) + 1.0) / n
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(n)
    radius = np.sqrt(1.0 - z * z)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])


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
    """(n,) an order of points (n, p) in which every `size` consecutive points lie close together.

    Groups are halved along their widest coordinate. Coordinates are rounded before they are compared, so that rounding
    elsewhere cannot change the order.
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
    points = sphere_directions(checks.count("n", n, low=FEWEST_ON_SPIRAL, high=MOST_ON_SPIRAL))
    return points, delaunay(points).astype(np.int64)


def octahedron() -> tuple[Array, IntArray]:
    """The directions +x, -x, +y, -y, +z, -z (6, 3) and the eight triangles between them."""
    points = np.repeat(np.eye(3), 2, axis=0) * np.tile([1.0, -1.0], 3)[:, None]
    triangles = [(x, y, z) for x in (0, 1) for y in (2, 3) for z in (4, 5)]
    outward = [(x, y, z) if (x + y + z) % 2 == 0 else (x, z, y) for x, y, z in triangles]
    return points, np.array(outward, dtype=np.int64)
