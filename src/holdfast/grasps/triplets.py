"""Triplets of regions: the zones in which their forces may meet, the contacts that follow, and force closure.

A triplet's zone is a wide box, cut by one half-plane after the other (strips, or unions of friction cones); its
area centroid is the focus. The cuts of a triplet's first two regions are made once for all third ones. Wrenches scale
torques by a length, and span the plane's three dimensions positively exactly when no plane through two of them has all
others on one side.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..checks import Array, BoolArray, IntArray

#: Half the side of the box that zones are cut from, in multiples of the regions' extent; farther zones are ignored.
REACH = 10.0

#: A zone is empty when its area is below this fraction of the regions' extent squared.
EMPTY = 1e-9

#: Unit wrenches lie on one side of a plane when none is further than this beyond it.
ON_PLANE = 1e-9

#: Contacts are closed without testing wrenches when their forces to one focus meet all limits with this margin.
CLEARLY = 1e-3

#: Number of triplets treated together.
TRIPLETS_AT_ONCE = 1 << 17

#: All pairs of six wrenches, two of each contact, in the groups in which their planes are tested.
PLANES = (
    np.array([[0, 1], [2, 3], [4, 5]]),
    np.array([(i, j) for i, j in combinations(range(6), 2) if i // 2 != j // 2]),
)


@dataclass(frozen=True, eq=False)
class _Polygons:
    """Convex polygons that run counter-clockwise, their vertices x, y (v,) one polygon after the other.

    Attributes:
        x, y: the vertices [mm].
        sizes: (p,) number of vertices of each polygon; 0 for an empty one.
    """

    x: Array
    y: Array
    sizes: IntArray

    @property
    def starts(self) -> IntArray:
        """(p,) the first vertex of each."""
        return np.cumsum(self.sizes) - self.sizes

    def select(self, chosen: IntArray) -> _Polygons:
        """The polygons of an index array, in its order."""
        sizes = self.sizes[chosen]
        before = np.cumsum(sizes) - sizes
        at = np.repeat(self.starts[chosen] - before, sizes) + np.arange(sizes.sum())
        return _Polygons(self.x[at], self.y[at], sizes)

    def after(self) -> IntArray:
        """(v,) the vertex that follows each."""
        found = np.arange(1, len(self.x) + 1)
        some = self.sizes > 0
        found[np.cumsum(self.sizes)[some] - 1] = self.starts[some]
        return found

    def clipped(self, nx: Array, ny: Array, offset: Array) -> _Polygons:
        """The polygons cut by nx x + ny y >= offset (p,), each by its own; those without area are empty."""
        x, y = self.x, self.y
        here = np.repeat(nx, self.sizes) * x + np.repeat(ny, self.sizes) * y - np.repeat(offset, self.sizes)
        after = self.after()
        there = here[after]
        kept, crossed = here >= 0.0, here * there < 0.0
        count = kept + crossed.astype(np.int64)
        past = np.cumsum(count)
        at = past - count
        left = np.empty((2, int(count.sum())))
        left[:, at[kept]] = x[kept], y[kept]
        cut = np.flatnonzero(crossed)
        share = here[cut] / (here[cut] - there[cut])
        to = after[cut]
        left[:, past[cut] - 1] = x[cut] + share * (x[to] - x[cut]), y[cut] + share * (y[to] - y[cut])
        ends = np.cumsum(self.sizes)
        passed = np.concatenate([[0], past])
        sizes = passed[ends] - passed[ends - self.sizes]
        flat = (sizes > 0) & (sizes < 3)
        if flat.any():
            left = left[:, ~np.repeat(flat, sizes)]
            sizes[flat] = 0
        return _Polygons(left[0], left[1], sizes)

    def centroids(self) -> tuple[Array, Array]:
        """Areas (p,) [mm^2] and area centroids (p, 2) [mm]; NaN where there is no area."""
        owner, after = np.repeat(np.arange(len(self.sizes)), self.sizes), self.after()
        some = self.sizes > 0
        origin = np.zeros((2, len(self.sizes)))
        origin[:, some] = self.x[self.starts[some]], self.y[self.starts[some]]
        ax, ay = self.x - origin[0][owner], self.y - origin[1][owner]
        bx, by = ax[after], ay[after]
        cross = ax * by - ay * bx
        area, x, y = (
            np.bincount(owner, terms, len(self.sizes)) for terms in (cross, cross * (ax + bx), cross * (ay + by))
        )
        weight = 3.0 * np.where(area > 0.0, area, np.nan)
        return area / 2.0, np.stack([origin[0] + x / weight, origin[1] + y / weight], axis=1)

    def vertices(self) -> list[Array]:
        """The vertices (k, 2) of each."""
        joined, ends = np.stack([self.x, self.y], axis=1), np.cumsum(self.sizes)
        return [joined[a:b] for a, b in zip((ends - self.sizes).tolist(), ends.tolist(), strict=True)]


def _box(segments: Array) -> tuple[Array, float]:
    """Corners (x0, y0, x1, y1) of the box that zones are cut from, and the regions' extent [mm]."""
    points = segments.reshape(-1, 2)
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max())
    middle = (low + high) / 2.0
    return np.concatenate([middle - REACH * size, middle + REACH * size]), size


def _cut(polygons: _Polygons, segments: Array, normals: Array, mu: float) -> _Polygons:
    """What lies in the strips (p, 2, 2) of regions, widened by mu (0: perpendicular strips)."""
    # The inward normal is left of the segment: u >= -mu h at the start, u <= length + mu h at the end.
    for end, sign in ((0, 0.0), (0, 1.0), (1, -1.0)):
        nx, ny = normals[:, 0], normals[:, 1]
        if sign:
            nx, ny = mu * nx + sign * normals[:, 1], mu * ny - sign * normals[:, 0]
        polygons = polygons.clipped(nx, ny, nx * segments[:, end, 0] + ny * segments[:, end, 1])
    return polygons


def _zones(chosen: IntArray, segments: Array, normals: Array, mu: float, box: Array) -> _Polygons:
    """The intersections of the strips of three regions `chosen` (t, 3) each, widened by mu, within the box."""
    pair, which = np.unique(chosen[:, 0] * len(segments) + chosen[:, 1], return_inverse=True)
    x0, y0, x1, y1 = box
    first, second = np.divmod(pair, len(segments))
    whole = _Polygons(np.tile([x0, x1, x1, x0], len(pair)), np.tile([y0, y0, y1, y1], len(pair)), np.full(len(pair), 4))
    for rows in (first, second):
        whole = _cut(whole, segments[rows], normals[rows], mu)
    third = chosen[:, 2]
    return _cut(whole.select(which), segments[third], normals[third], mu)


def _apart(angles: Array, mu: float) -> BoolArray:
    """Which normals at `angles` (t, 3) leave no gap without possible forces: wider than half a turn and two cones."""
    low, middle, high = np.sort(angles, axis=1).T
    gap = np.maximum(np.maximum(middle - low, high - middle), 2.0 * np.pi - (high - low))
    return gap < np.pi + 2.0 * np.arctan(mu)


def _grasped(
    chosen: IntArray, segments: Array, normals: Array, mu: float, inset: float
) -> tuple[IntArray, Array, Array, list[Array]]:
    """Those of the triplets `chosen` (t, 3) that make a grasp; see `triplets`."""
    box, size = _box(segments) if len(segments) else (np.zeros(4), 1.0)
    chosen = chosen[_apart(np.arctan2(normals[:, 1], normals[:, 0])[chosen], mu)]
    found: list[tuple[IntArray, Array, Array]] = []
    polygons: list[Array] = []
    rows = np.arange(len(chosen))
    for wide in (0.0, mu):  # strips, then unions of cones
        zones = _zones(chosen[rows], segments, normals, wide, box)
        area, focus = zones.centroids()
        filled = (zones.sizes > 0) & (area > EMPTY * size * size)
        owner = np.repeat(np.arange(len(rows)), zones.sizes)
        at_edge = (zones.x <= box[0]) | (zones.x >= box[2]) | (zones.y <= box[1]) | (zones.y >= box[3])
        bounded = filled.copy()
        bounded[owner[at_edge]] = False
        own = np.flatnonzero(bounded)
        points, clear, kept = _place(focus[own], segments[chosen[rows[own]]], normals[chosen[rows[own]]], inset, mu)
        asked = np.flatnonzero(kept & ~clear)
        inward = normals[chosen[rows[own[asked]]]]
        kept[asked] = _closed(points[asked], inward, mu, np.full(len(asked), size))
        own = own[kept]
        found.append((rows[own], focus[own], points[kept]))
        polygons.extend(zones.select(own).vertices())
        rows = rows[~filled]
    at, foci, contacts = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(at)
    return chosen[at[order]], foci[order], contacts[order], [polygons[k] for k in order]


def _place(
    focus: Array, segments: Array, normals: Array, inset: float, mu: float
) -> tuple[Array, BoolArray, BoolArray]:
    """Projections (t, 3, 2) of foci (t, 2) on regions (t, 3, 2, 2), kept `inset` inside.

    Also whether the contacts are clearly closed, and whether each pushes to the focus within its friction cone.
    """
    start, along = segments[:, :, 0], segments[:, :, 1] - segments[:, :, 0]
    length = np.hypot(along[..., 0], along[..., 1])
    unit = along / length[..., None]
    edge = np.minimum(inset, 0.5 * length)
    to = focus[:, None] - start
    at = np.minimum(np.maximum(to[..., 0] * unit[..., 0] + to[..., 1] * unit[..., 1], edge), length - edge)
    contacts = start + at[..., None] * unit
    to = focus[:, None] - contacts
    height = to[..., 0] * normals[..., 0] + to[..., 1] * normals[..., 1]
    aside = np.abs(to[..., 0] * normals[..., 1] - to[..., 1] * normals[..., 0])
    push = ((height > 0.0) & (aside <= mu * height)).all(axis=1)
    # Forces through one point that do not fit into a half-plane, each inside its cone, resist every wrench.
    far, ahead = np.hypot(to[..., 0], to[..., 1]), np.roll(to, -1, axis=1)
    turn = to[..., 0] * ahead[..., 1] - to[..., 1] * ahead[..., 0]
    least = CLEARLY * far * np.roll(far, -1, axis=1)
    around = (turn > least).all(axis=1) | (turn < -least).all(axis=1)
    clear = push & around & (aside <= (1.0 - CLEARLY) * mu * height).all(axis=1)
    return contacts, np.asarray(clear), np.asarray(push)


def triplets(
    segments: Array, normals: Array, mu: float, inset: float, together: BoolArray | None = None
) -> tuple[IntArray, Array, Array, list[Array]]:
    """Every triplet of regions with a focus that its contacts push to, force-closed at friction `mu`.

    Args:
        segments: (r, 2, 2) regions [mm], counter-clockwise along the contour.
        normals: (r, 2) inward unit normals.
        mu: friction coefficient.
        inset: distance [mm] of contacts from the ends of their regions.
        together: (r, r) which two regions may be used in one grasp, symmetric; all by default.

    Returns:
        regions (t, 3) in increasing order, foci (t, 2), contacts (t, 3, 2) and the vertices (k, 2) of each zone.
    """
    count = len(segments)
    pairs = np.triu(np.ones((count, count), dtype=bool) if together is None else together, 1)
    some = max(TRIPLETS_AT_ONCE // max(count * count, 1), 1)
    found = []
    for first in range(0, max(count, 1), some):
        own = pairs[first : first + some]
        chosen = np.argwhere(own[:, :, None] & own[:, None, :] & pairs)
        chosen[:, 0] += first
        found.append(_grasped(chosen, segments, normals, mu, inset))
    regions, foci, contacts = (np.concatenate([part[k] for part in found]) for k in range(3))
    return regions, foci, contacts, [zone for part in found for zone in part[3]]


def these_triplets(
    chosen: IntArray, segments: Array, normals: Array, mu: float, inset: float
) -> tuple[IntArray, Array, Array, list[Array]]:
    """As `triplets`, for the triplets `chosen` (t, 3) only: those that make a grasp, in their order."""
    return _grasped(np.asarray(chosen, dtype=np.int64).reshape(-1, 3), segments, normals, mu, inset)


def zone_of(segments: Array, normals: Array, mu: float) -> Array:
    """Vertices (k, 2) of the zone of one triplet, segments (3, 2, 2): strips (mu = 0) or unions of cones; or (0, 2)."""
    box, size = _box(segments)
    zone = _zones(np.array([[0, 1, 2]]), segments, normals, mu, box)
    if not zone.sizes[0] or zone.centroids()[0][0] <= EMPTY * size * size:
        return np.empty((0, 2))
    return zone.vertices()[0]


def zone_centroid(polygon: Array) -> Array:
    """Area centroid (2,) of a convex polygon (k, 2) that runs counter-clockwise."""
    return _Polygons(polygon[:, 0], polygon[:, 1], np.array([len(polygon)])).centroids()[1][0]


def three_closed(contacts: Array, normals: Array, mu: float) -> BoolArray:
    """Which of the contact triplets (g, 3, 2) with inward normals (g, 3, 2) are force-closed at friction `mu`."""
    gaps = contacts - np.roll(contacts, -1, axis=1)
    length = np.hypot(gaps[..., 0], gaps[..., 1]).max(axis=1, initial=0.0)
    closed = length > 0.0
    closed[closed] = _closed(contacts[closed], normals[closed], mu, length[closed])
    return closed


def _closed(contacts: Array, normals: Array, mu: float, lengths: Array) -> BoolArray:
    """Which three frictional contacts (g, 3, 2) resist every planar wrench; torques are divided by `lengths` (g,)."""
    arms = np.moveaxis(contacts - contacts.mean(axis=1, keepdims=True), 0, -1)[:, None]  # (3, 1, 2, g)
    nx, ny = np.moveaxis(normals, 0, -1).swapaxes(0, 1)[:, :, None]  # (3, 1, g)
    side = np.array([mu, -mu])[:, None]
    fx, fy = nx - side * ny, ny + side * nx
    torques = (arms[:, :, 0] * fy - arms[:, :, 1] * fx) / lengths
    wrenches = np.stack([fx, fy, torques]).reshape(3, 6, -1)
    wrenches /= np.sqrt((wrenches * wrenches).sum(axis=0))
    closed, spanning = np.ones(len(contacts), dtype=bool), np.zeros(len(contacts), dtype=bool)
    rows = np.arange(len(contacts))
    # The two edges of each cone first: most contacts that are not closed lie on one side of such a plane.
    for pairs in PLANES:
        a, b = wrenches[:, pairs[:, 0]], wrenches[:, pairs[:, 1]]
        planes = np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
        sizes = np.sqrt((planes * planes).sum(axis=0))
        flat, limit = sizes <= ON_PLANE, ON_PLANE * sizes
        x, y, z = planes[:, :, None]
        off = x * wrenches[0] + y * wrenches[1] + z * wrenches[2]  # (pairs, 6, g)
        kept = (((off.max(axis=1) > limit) & (off.min(axis=1) < -limit)) | flat).all(axis=0)
        closed[rows[~kept]] = False
        spanning[rows] |= ~flat.all(axis=0)
        rows, wrenches = rows[kept], wrenches[:, :, kept]
    return closed & spanning
