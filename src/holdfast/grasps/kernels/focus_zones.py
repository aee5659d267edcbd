"""Focus zones of region triplets, their contacts and whether these are force-closed, compiled.

A triplet's zone is cut out of a wide box, one half-plane after the other (strips, or unions of friction cones); its
area centroid is the focus. Wrenches scale torques by a length, and span the plane's three dimensions positively
exactly when no plane through two of them has all others on one side.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array, BoolArray, IntArray
from . import kernel

#: Most vertices of a zone: the box's four and one more for each of nine half-planes.
MOST_VERTICES = 16

#: Half the side of the box that zones are cut from, in multiples of the regions' extent; farther zones do not count.
REACH = 10.0

#: A zone is empty when its area is below this share of the regions' extent squared.
EMPTY = 1e-9

#: Unit wrenches lie on one side of a plane when none is farther than this beyond it.
ON_PLANE = 1e-9


@kernel
def _clip(polygon, count, other, nx, ny, offset):
    """Cut polygon[:count] by nx x + ny y >= offset; number of vertices left. `other` is working space."""
    kept = 0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        here = nx * polygon[i, 0] + ny * polygon[i, 1] - offset
        there = nx * polygon[j, 0] + ny * polygon[j, 1] - offset
        if here >= 0.0:
            other[kept, 0], other[kept, 1] = polygon[i, 0], polygon[i, 1]
            kept += 1
        if (here > 0.0 and there < 0.0) or (here < 0.0 and there > 0.0):
            share = here / (here - there)
            other[kept, 0] = polygon[i, 0] + share * (polygon[j, 0] - polygon[i, 0])
            other[kept, 1] = polygon[i, 1] + share * (polygon[j, 1] - polygon[i, 1])
            kept += 1
    for i in range(kept):
        polygon[i, 0], polygon[i, 1] = other[i, 0], other[i, 1]
    return kept


@kernel
def _centroid(polygon, count, centre):
    """Area of polygon[:count]; its centroid in `centre`."""
    area, x, y = 0.0, 0.0, 0.0
    ox, oy = polygon[0, 0], polygon[0, 1]
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        ax, ay = polygon[i, 0] - ox, polygon[i, 1] - oy
        bx, by = polygon[j, 0] - ox, polygon[j, 1] - oy
        cross = ax * by - ay * bx
        area += cross
        x += cross * (ax + bx)
        y += cross * (ay + by)
    if area > 0.0:
        centre[0], centre[1] = ox + x / (3.0 * area), oy + y / (3.0 * area)
    return area / 2.0


@kernel
def _zone(segments, normals, chosen, mu, box, polygon, other):
    """Vertices of the intersection of three strips widened by mu (0: perpendicular strips) within the box."""
    polygon[0, 0], polygon[0, 1] = box[0], box[1]
    polygon[1, 0], polygon[1, 1] = box[2], box[1]
    polygon[2, 0], polygon[2, 1] = box[2], box[3]
    polygon[3, 0], polygon[3, 1] = box[0], box[3]
    count = 4
    for cut in range(9):
        k = chosen[cut // 3]
        side = cut % 3
        nx, ny = normals[k, 0], normals[k, 1]
        end = 1 if side == 2 else 0
        if side > 0:
            # u >= -mu h at the start, u <= length + mu h at the end; the inward normal is left of the segment
            sign = 1.0 if side == 1 else -1.0
            nx, ny = mu * nx + sign * normals[k, 1], mu * ny - sign * normals[k, 0]
        count = _clip(polygon, count, other, nx, ny, nx * segments[k, end, 0] + ny * segments[k, end, 1])
        if count < 3:
            return 0
    return count


@kernel
def _bounded(polygon, count, box):
    """Whether the zone keeps clear of the box it was cut from."""
    for i in range(count):
        x, y = polygon[i, 0], polygon[i, 1]
        if x <= box[0] or x >= box[2] or y <= box[1] or y >= box[3]:
            return False
    return True


@kernel
def _closed(contacts, normals, mu, length, wrenches):
    """Whether three frictional contacts resist every planar wrench; torques are divided by `length`."""
    x = (contacts[0, 0] + contacts[1, 0] + contacts[2, 0]) / 3.0
    y = (contacts[0, 1] + contacts[1, 1] + contacts[2, 1]) / 3.0
    for i in range(3):
        for side in range(2):
            sign = mu if side == 0 else -mu
            fx = normals[i, 0] - sign * normals[i, 1]
            fy = normals[i, 1] + sign * normals[i, 0]
            torque = ((contacts[i, 0] - x) * fy - (contacts[i, 1] - y) * fx) / length
            size = np.sqrt(fx * fx + fy * fy + torque * torque)
            w = wrenches[2 * i + side]
            w[0], w[1], w[2] = fx / size, fy / size, torque / size
    spanning = False
    for i in range(6):
        a = wrenches[i]
        for j in range(i + 1, 6):
            b = wrenches[j]
            px = a[1] * b[2] - a[2] * b[1]
            py = a[2] * b[0] - a[0] * b[2]
            pz = a[0] * b[1] - a[1] * b[0]
            size = np.sqrt(px * px + py * py + pz * pz)
            if size <= ON_PLANE:
                continue
            above, below = False, False
            for k in range(6):
                off = (px * wrenches[k, 0] + py * wrenches[k, 1] + pz * wrenches[k, 2]) / size
                above = above or off > ON_PLANE
                below = below or off < -ON_PLANE
            if not (above and below):
                return False
            spanning = True
    return spanning


@kernel
def _closed_many(contacts, normals, mu, closed, wrenches):
    for g in range(contacts.shape[0]):
        length = 0.0
        for i in range(3):
            j = i + 1 if i < 2 else 0
            gap = np.hypot(contacts[g, i, 0] - contacts[g, j, 0], contacts[g, i, 1] - contacts[g, j, 1])
            length = max(length, gap)
        closed[g] = length > 0.0 and _closed(contacts[g], normals[g], mu, length, wrenches)


@kernel
def _apart(normals, i, j, k, most):
    """Whether the normals leave no gap wider than `most` [rad]: wider ones leave a direction no force can have."""
    a = np.arctan2(normals[i, 1], normals[i, 0])
    b = np.arctan2(normals[j, 1], normals[j, 0])
    c = np.arctan2(normals[k, 1], normals[k, 0])
    low, high = min(a, b, c), max(a, b, c)
    middle = a + b + c - low - high
    return max(middle - low, high - middle, 2.0 * np.pi - (high - low)) < most


@kernel
def _place(segments, normals, chosen, centre, inset, mu, contacts, inward):
    """Projections of the focus, kept `inset` inside; whether each pushes to the focus within its friction cone."""
    for c in range(3):
        k = chosen[c]
        ax, ay = segments[k, 0, 0], segments[k, 0, 1]
        tx, ty = segments[k, 1, 0] - ax, segments[k, 1, 1] - ay
        length = np.hypot(tx, ty)
        tx, ty = tx / length, ty / length
        edge = min(inset, 0.5 * length)
        at = min(max((centre[0] - ax) * tx + (centre[1] - ay) * ty, edge), length - edge)
        contacts[c, 0], contacts[c, 1] = ax + at * tx, ay + at * ty
        inward[c, 0], inward[c, 1] = normals[k, 0], normals[k, 1]
        dx, dy = centre[0] - contacts[c, 0], centre[1] - contacts[c, 1]
        height = dx * normals[k, 0] + dy * normals[k, 1]
        aside = abs(dx * normals[k, 1] - dy * normals[k, 0])
        if height <= 0.0 or aside > mu * height:
            return False
    return True


@kernel
def _triplet(chosen, segments, normals, mu, inset, box, size, contacts, zone, work):
    """Zone (its number of vertices is returned), focus in work[0, 0] and contacts of one triplet; 0: none.

    None is found where the zone is empty or unbounded, or where its contacts are not force-closed.
    """
    centre, inward, wrenches, other = work[0, 0, :2], work[1, :3, :2], work[2, :6], work[3, :, :2]
    if not _apart(normals, chosen[0], chosen[1], chosen[2], np.pi + 2.0 * np.arctan(mu)):
        return 0
    count = 0
    for attempt in range(2):  # strips, then unions of cones
        count = _zone(segments, normals, chosen, mu * attempt, box, zone, other)
        if count > 0 and _centroid(zone, count, centre) <= EMPTY * size * size:
            count = 0
        if count > 0:
            break
    if count == 0 or not _bounded(zone, count, box):
        return 0
    if not _place(segments, normals, chosen, centre, inset, mu, contacts, inward):
        return 0
    return count if _closed(contacts, inward, mu, size, wrenches) else 0


@kernel
def _triplets(first, segments, normals, together, mu, inset, box, size, regions, foci, contacts, zones, sizes, work):
    """All triplets whose lowest region is `first`; the number accepted, which are written one after another."""
    found = 0
    chosen = regions[regions.shape[0] - 1]
    for j in range(first + 1, segments.shape[0]):
        if not together[first, j]:
            continue
        for k in range(j + 1, segments.shape[0]):
            if not (together[first, k] and together[j, k]):
                continue
            chosen[0], chosen[1], chosen[2] = first, j, k
            count = _triplet(chosen, segments, normals, mu, inset, box, size, contacts[found], zones[found], work)
            if count == 0:
                continue
            for c in range(3):
                regions[found, c] = chosen[c]
            foci[found, 0], foci[found, 1] = work[0, 0, 0], work[0, 0, 1]
            sizes[found] = count
            found += 1
    return found


@kernel
def _these_triplets(chosen, segments, normals, mu, inset, box, size, foci, contacts, zones, sizes, work):
    """The triplets in the rows of `chosen`; their number of vertices, 0 where there is no grasp, in `sizes`."""
    for t in range(chosen.shape[0]):
        sizes[t] = _triplet(chosen[t], segments, normals, mu, inset, box, size, contacts[t], zones[t], work)
        foci[t, 0], foci[t, 1] = work[0, 0, 0], work[0, 0, 1]


def triplets(
    segments: Array, normals: Array, mu: float, inset: float, together: BoolArray | None = None
) -> tuple[IntArray, Array, Array, list[Array]]:
    """Every triplet of regions with a focus that its contacts push to, force-closed at friction `mu`.

    Args:
        segments: (r, 2, 2) regions [mm], counter-clockwise along the contour.
        normals: (r, 2) inward unit normals.
        mu: friction coefficient.
        inset: distance [mm] of contacts from the ends of their regions.
        together: (r, r) which two regions may serve one grasp, symmetric; all by default.

    Returns:
        regions (t, 3) in rising order, foci (t, 2), contacts (t, 3, 2) and the vertices (k, 2) of each zone.
    """
    count = len(segments)
    ends, inward = np.ascontiguousarray(segments), np.ascontiguousarray(normals)
    allowed = np.ones((count, count), dtype=np.bool_) if together is None else np.ascontiguousarray(together)
    found: list[tuple[IntArray, Array, Array]] = []
    polygons: list[Array] = []
    box, size = _box(ends) if count else (np.zeros(4), 1.0)
    work = np.empty((4, MOST_VERTICES, 3))
    room = count * count // 2 + 1
    regions = np.empty((room, 3), dtype=np.int64)
    foci, contacts = np.empty((room, 2)), np.empty((room, 3, 2))
    zones, sizes = np.empty((room, MOST_VERTICES, 2)), np.empty(room, dtype=np.int64)
    for first in range(count - 2):
        n = _triplets(first, ends, inward, allowed, mu, inset, box, size, regions, foci, contacts, zones, sizes, work)
        found.append((regions[:n].copy(), foci[:n].copy(), contacts[:n].copy()))
        polygons.extend(zones[i, : sizes[i]].copy() for i in range(n))
    if not found:
        return np.empty((0, 3), dtype=np.int64), np.empty((0, 2)), np.empty((0, 3, 2)), []
    joined = [np.concatenate(part) for part in zip(*found, strict=True)]
    return joined[0], joined[1], joined[2], polygons


def these_triplets(
    chosen: IntArray, segments: Array, normals: Array, mu: float, inset: float
) -> tuple[IntArray, Array, Array, list[Array]]:
    """What `triplets` returns, of the triplets `chosen` (t, 3) alone: those that make a grasp, in their order."""
    ends, inward = np.ascontiguousarray(segments), np.ascontiguousarray(normals)
    rows = np.ascontiguousarray(chosen, dtype=np.int64).reshape(-1, 3)
    box, size = _box(ends) if len(ends) else (np.zeros(4), 1.0)
    room = len(rows)
    foci, contacts = np.empty((room, 2)), np.empty((room, 3, 2))
    zones, sizes = np.empty((room, MOST_VERTICES, 2)), np.empty(room, dtype=np.int64)
    work = np.empty((4, MOST_VERTICES, 3))
    _these_triplets(rows, ends, inward, mu, inset, box, size, foci, contacts, zones, sizes, work)
    kept = np.flatnonzero(sizes)
    return rows[kept], foci[kept], contacts[kept], [zones[t, : sizes[t]].copy() for t in kept]


def zone_of(segments: Array, normals: Array, mu: float) -> Array:
    """Vertices (k, 2) of the zone of one triplet, segments (3, 2, 2): strips (mu = 0) or unions of cones; or (0, 2)."""
    box, size = _box(segments)
    polygon, other = np.empty((MOST_VERTICES, 2)), np.empty((MOST_VERTICES, 2))
    ends, inward = np.ascontiguousarray(segments), np.ascontiguousarray(normals)
    count = _zone(ends, inward, np.arange(3), mu, box, polygon, other)
    if count == 0 or _centroid(polygon, count, other[0]) <= EMPTY * size * size:
        return np.empty((0, 2))
    return polygon[:count].copy()


def zone_centroid(polygon: Array) -> Array:
    """Area centroid (2,) of a convex polygon (k, 2) that runs counter-clockwise."""
    centre = np.empty(2)
    _centroid(np.ascontiguousarray(polygon), len(polygon), centre)
    return centre


def three_closed(contacts: Array, normals: Array, mu: float) -> BoolArray:
    """Which of the contact triplets (g, 3, 2) with inward normals (g, 3, 2) are force-closed at friction `mu`."""
    closed = np.empty(len(contacts), dtype=np.bool_)
    points, inward = np.ascontiguousarray(contacts), np.ascontiguousarray(normals)
    _closed_many(points, inward, mu, closed, np.empty((6, 3)))
    return closed


def _box(segments: Array) -> tuple[Array, float]:
    """Corners (x0, y0, x1, y1) of the box that zones are cut from, and the regions' extent [mm]."""
    points = segments.reshape(-1, 2)
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max())
    middle = (low + high) / 2.0
    return np.concatenate([middle - REACH * size, middle + REACH * size]), size
