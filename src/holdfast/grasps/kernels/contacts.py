"""Kernels of grasps: focus zones of region triplets and the poses of a hand over contacts; compiled.

A triplet's zone is cut out of a wide box, one half-plane after the other (strips, or unions of friction cones); its
area centroid is the focus. Wrenches scale torques by a length, and span the plane's three dimensions positively
exactly when no plane through two of them has all others on one side.

The pose of a three-finger hand has the spread that brings its forces nearest to the contact normals.
In the frame of the two fingers' contacts (origin midway between them, n away from the thumb, x to the right of n) the
thumb axis h at the spread theta is turned by phi from n towards x, where

    phi = atan2(A, B),  A = Du cos(theta),  B = Dn cos(theta) + L/2 sin(theta),  phi' = -Du L/2 / (A^2 + B^2),

with (Du, Dn) from the thumb's contact to the origin and L between the fingers' contacts. The extensions are

    e1 = (Dn + L/2 tan) / cos(phi) - L cos(phi) / sin(2 theta) + a cot(theta),
    e2, e3 = L cos(theta +/- phi) / sin(2 theta) - a / sin(theta),

and the deviations of the forces from the normals are phi and theta, added up, and wrapped to [-pi, pi]. All local
minima of the sum of their squares are bracketed on a grid and refined; where the lowest of them is out of the
fingers' reach, so are all points at which an extension meets one of its limits.
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


#: What came of it: the constrained optimum; no spread within reach; no three-finger pose at all.
REACHED, OUT_OF_REACH, IN_LINE, COINCIDENT, BACK_TO_BACK, OFF_PIVOTS = range(6)

TURN = 2.0 * np.pi

#: Contacts are in a line, or on one another, when their distance is this share of their extent.
FLAT = 1e-12

#: An extension may miss its limits by this share of the longest one; it is then set to the limit.
SLACK = 1e-9

#: A sum of squares [rad^2] is lower than another when it is by this much more than rounding makes.
LOWER = 1e-13

#: Spreads that differ by less than this share are the same but for rounding.
RESOLUTION = 4.0 * float(np.finfo(np.float64).eps)

#: Steps of a refinement; each at least halves its bracket.
REFINEMENTS = 80

#: Parts into which an interval of the grid is divided when limits are looked for.
PARTS = 2

#: Steps of a golden-section search, which end within 1e-9 of a part.
SECTIONS = 44


@kernel
def wrapped(angle):
    """The angle in [-pi, pi] that differs by whole turns."""
    return angle - TURN * np.floor(angle / TURN + 0.5)


@kernel
def squares(theta, shape):
    """Sum of the squared deviations [rad^2] at a spread; `shape` as `_shape` makes it."""
    sine, cosine = np.sin(theta), np.cos(theta)
    phi = np.arctan2(shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine)
    first = wrapped(shape[3] - phi)
    second = wrapped(shape[4] - phi + theta)
    third = wrapped(shape[5] - phi - theta)
    return first * first + second * second + third * third


@kernel
def _axis(sine, cosine, shape):
    """The thumb axis' angle phi from n at a spread of which sine and cosine are given, and its two derivatives."""
    a, b = shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine
    share = 1.0 / (a * a + b * b)
    rate = -0.5 * shape[1] * shape[0] * share
    bend = -2.0 * rate * share * (b * (0.5 * shape[0] * cosine - shape[2] * sine) - a * shape[1] * sine)
    return np.arctan2(a, b), rate, bend


@kernel
def _slope_at(theta, axis, shape, turns):
    """Half the derivative of the sum of squares, and the derivative of that, with fixed whole turns."""
    phi, rate, bend = axis
    first = shape[3] - phi - TURN * turns[0]
    second = shape[4] - phi + theta - TURN * turns[1]
    third = shape[5] - phi - theta - TURN * turns[2]
    total = first + second + third
    return second - third - rate * total, 2.0 + 3.0 * rate * rate - bend * total


@kernel
def _slope(theta, shape, turns):
    """`_slope_at` any spread."""
    return _slope_at(theta, _axis(np.sin(theta), np.cos(theta), shape), shape, turns)


@kernel
def _turns(theta, phi, shape):
    """Whole turns that the three deviations are wrapped by."""
    return (
        np.floor((shape[3] - phi) / TURN + 0.5),
        np.floor((shape[4] - phi + theta) / TURN + 0.5),
        np.floor((shape[5] - phi - theta) / TURN + 0.5),
    )


@kernel
def _may_wrap(high, first, last, shape, turns):
    """Whether a deviation may wrap at spreads up to `high`, phi going steadily from `first` to `last`."""
    small, large = min(first, last), max(first, last)
    for finger in range(3):
        base = shape[3 + finger] - TURN * turns[finger]
        rise, fall = (high if finger == 1 else 0.0), (high if finger == 2 else 0.0)
        if base - small + rise >= np.pi or base - large - fall <= -np.pi:
            return True
    return False


@kernel
def _root(low, high, shape, turns, order):
    """Where the slope (order 0) or its derivative (order 1) changes sign between two spreads."""
    rising = _slope(high, shape, turns)[order] > _slope(low, shape, turns)[order]
    theta = 0.5 * (low + high)
    for _ in range(REFINEMENTS):
        pair = _slope(theta, shape, turns)
        value = pair[order]
        if value == 0.0:
            break
        if (value > 0.0) == rising:
            high = theta
        else:
            low = theta
        step = theta - pair[0] / pair[1] if order == 0 else low
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - theta) <= RESOLUTION * theta or not low < step < high:
            theta = step
            break
        theta = step
    return theta


@kernel
def _valley(low, high, left, right, shape, turns):
    """A local minimum of the sum of squares between two spreads with the slopes `left` and `right`, or -1."""
    if left[0] <= 0.0 <= right[0]:
        return _root(low, high, shape, turns, 0)
    if left[0] > 0.0 and right[0] > 0.0 and left[1] < 0.0 < right[1]:
        middle = _root(low, high, shape, turns, 1)
        if _slope(middle, shape, turns)[0] < 0.0:
            return _root(middle, high, shape, turns, 0)
    if left[0] < 0.0 and right[0] < 0.0 and left[1] > 0.0 > right[1]:
        middle = _root(low, high, shape, turns, 1)
        if _slope(middle, shape, turns)[0] > 0.0:
            return _root(low, middle, shape, turns, 0)
    return -1.0


@kernel
def extensions(theta, shape, offset):
    """Extensions (thumb, left, right) [mm] at a spread; `offset` is that of the pivots."""
    sine, cosine = np.sin(theta), np.cos(theta)
    a, b = shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine
    size = np.sqrt(a * a + b * b)
    double = 2.0 * sine * cosine
    thumb = size / cosine - shape[0] * b / (size * double) + offset * cosine / sine
    left = shape[0] * (cosine * b - sine * a) / (size * double) - offset / sine
    right = shape[0] * (cosine * b + sine * a) / (size * double) - offset / sine
    return thumb, left, right


@kernel
def within(theta, shape, offset, longest):
    """Whether all extensions keep their limits 0 and `longest`."""
    thumb, left, right = extensions(theta, shape, offset)
    slack = SLACK * longest
    return min(thumb, left, right) >= -slack and max(thumb, left, right) <= longest + slack


@kernel
def _rooms(sine, cosine, shape, offset):
    """Extensions (thumb, left, right) and 1, all times sin(2 theta), which keeps them smooth and finite."""
    a, b = shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine
    square = a * a + b * b
    share = shape[0] / np.sqrt(square)
    pivots = 2.0 * offset * cosine
    thumb = 2.0 * sine * square * share / shape[0] - share * b + pivots * cosine
    return (
        thumb,
        share * (cosine * b - sine * a) - pivots,
        share * (cosine * b + sine * a) - pivots,
        2.0 * sine * cosine,
    )


@kernel
def _room(theta, shape, offset, longest, limit):
    """How far one extension is from one limit (0: the lower, 1: the upper one of the thumb, ...), inside positive."""
    values = _rooms(np.sin(theta), np.cos(theta), shape, offset)
    value = values[limit // 2]
    return value if limit % 2 == 0 else longest * values[3] - value


@kernel
def _crossing(low, high, shape, offset, longest, limit):
    """Where an extension meets its limit between two spreads at which it is on different sides of it."""
    rising = _room(high, shape, offset, longest, limit) > 0.0
    for _ in range(REFINEMENTS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if (_room(middle, shape, offset, longest, limit) > 0.0) == rising:
            high = middle
        else:
            low = middle
    return high if rising else low


@kernel
def _turning(low, high, shape, offset, longest, limit, sign):
    """Where sign times the room is largest between two spreads."""
    golden = 0.6180339887498949
    left, right = high - golden * (high - low), low + golden * (high - low)
    first = sign * _room(left, shape, offset, longest, limit)
    second = sign * _room(right, shape, offset, longest, limit)
    for _ in range(SECTIONS):
        if first < second:
            low, left, first = left, right, second
            right = low + golden * (high - low)
            second = sign * _room(right, shape, offset, longest, limit)
        else:
            high, right, second = right, left, first
            left = high - golden * (high - low)
            first = sign * _room(left, shape, offset, longest, limit)
    return 0.5 * (low + high)


@kernel
def _better(theta, best, lowest, shape):
    value = squares(theta, shape)
    if value < lowest - LOWER * (1.0 + value):
        return theta, value
    return best, lowest


@kernel
def _offer(theta, free, lowest, best, reached, shape, offset, longest):
    """The lowest minimum of all and the lowest one in reach, another one offered."""
    value = squares(theta, shape)
    if value < lowest - LOWER * (1.0 + value):
        free, lowest = theta, value
    if value < reached - LOWER * (1.0 + value) and within(theta, shape, offset, longest):
        best, reached = theta, value
    return free, lowest, best, reached


@kernel
def _at_limit(best, lowest, start, stop, shape, offset, longest, limit):
    """The better one of `best` and the spread between two others at which an extension meets its limit, if in reach."""
    found = _crossing(start, stop, shape, offset, longest, limit)
    if within(found, shape, offset, longest):
        return _better(found, best, lowest, shape)
    return best, lowest


@kernel
def _at_turn(best, lowest, start, stop, sign, shape, offset, longest, limit):
    """As `_at_limit`, where the limit may be crossed there and back; sign is -1 when both ends are inside, else 1."""
    turn = _turning(start, stop, shape, offset, longest, limit, sign)
    if (_room(turn, shape, offset, longest, limit) > 0.0) == (sign < 0.0):
        return best, lowest
    best, lowest = _at_limit(best, lowest, start, turn, shape, offset, longest, limit)
    return _at_limit(best, lowest, turn, stop, shape, offset, longest, limit)


@kernel
def _at_limits(best, lowest, table, rooms, shape, offset, longest):
    """The lowest sum of squares among `best` and the spreads at which an extension meets a limit, all in reach."""
    steps = table.shape[0] - 1
    for step in range(steps + 1):
        thumb, left, right, unit = _rooms(table[step, 1], table[step, 2], shape, offset)
        rooms[0, step], rooms[1, step] = thumb, longest * unit - thumb
        rooms[2, step], rooms[3, step] = left, longest * unit - left
        rooms[4, step], rooms[5, step] = right, longest * unit - right
    for limit in range(6):
        for step in range(steps):
            here, after = rooms[limit, step], rooms[limit, step + 1]
            theta, end = table[step, 0], table[step + 1, 0]
            if (here > 0.0) != (after > 0.0):
                best, lowest = _at_limit(best, lowest, theta, end, shape, offset, longest, limit)
                continue
            # A turn towards the limit between three points of one side may cross it twice; one at an end of the range
            # is looked for in the last interval itself.
            inner = min(max(step, 1), steps - 1)
            bend = abs(rooms[limit, inner - 1] - 2.0 * rooms[limit, inner] + rooms[limit, inner + 1])
            before = rooms[limit, step - 1] if step > 0 else here
            sign = -1.0 if here > 0.0 else 1.0
            if sign * before < sign * here and sign * here > sign * after and (before > 0.0) == (here > 0.0):
                if abs(here) <= bend:
                    start = table[step - 1, 0]
                    best, lowest = _at_turn(best, lowest, start, end, sign, shape, offset, longest, limit)
            elif (step == 0 or step == steps - 1) and min(abs(here), abs(after)) <= bend:
                best, lowest = _at_turn(best, lowest, theta, end, sign, shape, offset, longest, limit)
    return best, lowest


@kernel
def best_spread(table, rooms, shape, offset, longest):
    """The spread with the least sum of squares within reach, and whether there is one; else the least of all.

    `table` (PARTS intervals + 1, 3) has the spreads of the grid with their sines and cosines; `rooms` (6, ...) is used.
    """
    low, high = table[0, 0], table[-1, 0]
    free, lowest, best, reached = low, np.inf, -1.0, np.inf
    axis = _axis(table[0, 1], table[0, 2], shape)
    turns = _turns(low, axis[0], shape)
    wraps = _may_wrap(high, axis[0], _axis(table[-1, 1], table[-1, 2], shape)[0], shape, turns)
    left = _slope_at(low, axis, shape, turns)
    if left[0] >= 0.0:  # an end of the range is a minimum when the sum rises from it
        free, lowest, best, reached = _offer(low, free, lowest, best, reached, shape, offset, longest)
    for step in range(0, table.shape[0] - 1, PARTS):
        theta, end = table[step, 0], table[step + PARTS, 0]
        ahead = _axis(table[step + PARTS, 1], table[step + PARTS, 2], shape)
        after = _turns(end, ahead[0], shape) if wraps else turns
        same = turns[0] == after[0] and turns[1] == after[1] and turns[2] == after[2]
        right = _slope_at(end, ahead, shape, turns)
        # Where a deviation wraps, the sum is the lower of two smooth ones: both are searched.
        for attempt in range(1 if same else 2):
            if attempt == 1:
                left, turns = _slope_at(theta, axis, shape, after), after
                right = _slope_at(end, ahead, shape, after)
            found = _valley(theta, end, left, right, shape, turns)
            if found >= 0.0:
                free, lowest, best, reached = _offer(found, free, lowest, best, reached, shape, offset, longest)
        axis, left = ahead, right
    if left[0] <= 0.0:
        free, lowest, best, reached = _offer(high, free, lowest, best, reached, shape, offset, longest)
    if best >= 0.0 and reached <= lowest + LOWER * (1.0 + lowest):
        return best, True
    for end in (low, high):
        if within(end, shape, offset, longest):
            best, reached = _better(end, best, reached, shape)
    best, reached = _at_limits(best, reached, table, rooms, shape, offset, longest)
    if best >= 0.0:
        return best, True
    return free, False


#: Fingers that stand parallel may miss their contacts by this share of the pivots' offset, sideways.
PIVOT_PLAY = 0.02


@kernel
def _angle(vector):
    return np.arctan2(vector[1], vector[0])


@kernel
def _on_limit(value, longest):
    """An extension that misses a limit by rounding is on it."""
    slack = SLACK * longest
    if -slack <= value < 0.0:
        return 0.0
    if longest < value <= longest + slack:
        return longest
    return value


@kernel
def local_shape(contacts, normals, left, right):
    """(L, Du, Dn, c1, c2, c3), the direction of n and what is wrong: the contacts in the frame of `hand_spread`."""
    mid_x = 0.5 * (contacts[1, 0] + contacts[2, 0])
    mid_y = 0.5 * (contacts[1, 1] + contacts[2, 1])
    across_x, across_y = contacts[right, 0] - contacts[left, 0], contacts[right, 1] - contacts[left, 1]
    length = np.hypot(across_x, across_y)
    from_x, from_y = mid_x - contacts[0, 0], mid_y - contacts[0, 1]
    extent = max(length, np.hypot(from_x, from_y))
    if length <= FLAT * extent or extent == 0.0:
        return (length, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0, COINCIDENT
    right_x, right_y = across_x / length, across_y / length
    away = from_y * right_x - from_x * right_y  # along n = the direction to the right, turned by +90 deg
    if away <= FLAT * extent:
        return (length, 0.0, away, 0.0, 0.0, 0.0), 0.0, IN_LINE
    sideways = from_x * right_x + from_y * right_y
    heading = np.arctan2(right_x, -right_y)
    shape = (
        length,
        sideways,
        away,
        heading - _angle(normals[0]),
        heading + np.pi - _angle(normals[left]),
        heading + np.pi - _angle(normals[right]),
    )
    return shape, heading, REACHED


@kernel
def _fill(row, theta, shape, heading, left, right, offset, longest, contacts, palm, axis, forces, focus, reach):
    """Write the pose at a spread into the row of the arrays."""
    sine, cosine = np.sin(theta), np.cos(theta)
    phi = np.arctan2(shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine)
    yaw = heading - phi
    hx, hy = np.cos(yaw), np.sin(yaw)
    thumb, first, second = extensions(theta, shape, offset)
    reach[row, 0] = _on_limit(thumb, longest)
    reach[row, left] = _on_limit(first, longest)
    reach[row, right] = _on_limit(second, longest)
    axis[row, 0], axis[row, 1] = hx, hy
    # From the thumb's contact along h: the palm centre one extension away, the real focus a cot(theta) before it.
    palm[row, 0], palm[row, 1] = contacts[0, 0] + thumb * hx, contacts[0, 1] + thumb * hy
    back = thumb - offset * cosine / sine
    focus[row, 0], focus[row, 1] = contacts[0, 0] + back * hx, contacts[0, 1] + back * hy
    forces[row, 0, 0], forces[row, 0, 1] = hx, hy
    forces[row, left, 0], forces[row, left, 1] = -np.cos(yaw + theta), -np.sin(yaw + theta)
    forces[row, right, 0], forces[row, right, 1] = -np.cos(yaw - theta), -np.sin(yaw - theta)


@kernel
def _parallel(row, contacts, normals, offset, longest, palm, axis, forces, reach):
    """Write the pose with parallel fingers into the row of the arrays; what came of it."""
    hx = normals[0, 0] - 0.5 * (normals[1, 0] + normals[2, 0])
    hy = normals[0, 1] - 0.5 * (normals[1, 1] + normals[2, 1])
    size = np.hypot(hx, hy)
    if size <= FLAT:
        return BACK_TO_BACK
    hx, hy = hx / size, hy / size
    axis[row, 0], axis[row, 1] = hx, hy
    ahead = 0.0
    play = 0.0
    for finger in range(1, 3):
        dx, dy = contacts[finger, 0] - contacts[0, 0], contacts[finger, 1] - contacts[0, 1]
        ahead += 0.5 * (dx * hx + dy * hy)
        play = max(play, abs(abs(dx * hy - dy * hx) - offset))
        forces[row, finger, 0], forces[row, finger, 1] = -hx, -hy
    forces[row, 0, 0], forces[row, 0, 1] = hx, hy
    # Midway between the thumb's contact and the fingers': e1 = (e2 + e3) / 2.
    thumb = 0.5 * ahead
    palm[row, 0], palm[row, 1] = contacts[0, 0] + thumb * hx, contacts[0, 1] + thumb * hy
    reach[row, 0] = _on_limit(thumb, longest)
    kept = True
    for finger in range(1, 3):
        value = (contacts[finger, 0] - palm[row, 0]) * hx + (contacts[finger, 1] - palm[row, 1]) * hy
        reach[row, finger] = _on_limit(value, longest)
    for finger in range(3):
        kept = kept and 0.0 <= reach[row, finger] <= longest
    one = (contacts[1, 0] - contacts[0, 0]) * hy - (contacts[1, 1] - contacts[0, 1]) * hx
    other = (contacts[2, 0] - contacts[0, 0]) * hy - (contacts[2, 1] - contacts[0, 1]) * hx
    if play > PIVOT_PLAY * offset or one * other > 0.0:
        return OFF_PIVOTS
    return REACHED if kept else OUT_OF_REACH


@kernel
def solve(
    contacts, normals, virtual, offset, longest, table, rooms,
    spread, palm, axis, forces, focus, reach, outcome,
):  # fmt: skip
    """Fill the arrays of the poses over the grasps (g, 3, 2); rows without a pose are left as they are.

    `table` and `rooms` as `hand_spread.best_spread` has them.
    """
    for row in range(contacts.shape[0]):
        if virtual[row]:
            spread[row] = 0.0
            outcome[row] = _parallel(row, contacts[row], normals[row], offset, longest, palm, axis, forces, reach)
            continue
        left, right = 1, 2
        ax, ay = contacts[row, 1, 0] - contacts[row, 0, 0], contacts[row, 1, 1] - contacts[row, 0, 1]
        bx, by = contacts[row, 2, 0] - contacts[row, 0, 0], contacts[row, 2, 1] - contacts[row, 0, 1]
        if ax * by - ay * bx > 0.0:
            left, right = 2, 1
        shape, heading, outcome[row] = local_shape(contacts[row], normals[row], left, right)
        if outcome[row] != REACHED:
            continue
        theta, reached = best_spread(table, rooms, shape, offset, longest)
        spread[row] = theta
        outcome[row] = REACHED if reached else OUT_OF_REACH
        _fill(row, theta, shape, heading, left, right, offset, longest, contacts[row], palm, axis, forces, focus, reach)
