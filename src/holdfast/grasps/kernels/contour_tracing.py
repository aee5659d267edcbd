"""Whether rings of straight edges cross or touch themselves or one another, compiled.

Blurring a picture and counting its grey values, compiled.

A Gaussian G alone would pull a level line of curvature k inwards by k sigma^2 / 2. Taking sigma^2 times the blurred
picture's Laplacian off leaves the line where it is: G - sigma^2 Laplace G = (3 - r^2 / sigma^2) G has no second moment
along any straight line through its middle, and that moment is what bends act through.

Walking around a labelled object: the level line of a picture between its inside and outside pixels, compiled.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array, BoolArray, IntArray
from . import kernel

#: Edges are ordered along this direction: slanted, so that the sides of upright parts do not all begin at one place.
SLANT = np.array([np.cos(0.6), np.sin(0.6)])

#: Spans along it are widened by this share of the coordinates, for their rounding.
ROUNDING = 1e-14


@kernel
def _turn(ax, ay, bx, by, cx, cy):
    """Twice the signed area of the triangle a, b, c."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@kernel
def _between(ax, ay, bx, by, cx, cy):
    """Whether c, on the line of a and b, lies between them."""
    return min(ax, bx) <= cx <= max(ax, bx) and min(ay, by) <= cy <= max(ay, by)


@kernel
def _meet(edges, i, j):
    """Whether the edges i and j (rows: ax, ay, bx, by) share a point."""
    ax, ay, bx, by = edges[i, 0], edges[i, 1], edges[i, 2], edges[i, 3]
    cx, cy, dx, dy = edges[j, 0], edges[j, 1], edges[j, 2], edges[j, 3]
    c, d = _turn(ax, ay, bx, by, cx, cy), _turn(ax, ay, bx, by, dx, dy)
    a, b = _turn(cx, cy, dx, dy, ax, ay), _turn(cx, cy, dx, dy, bx, by)
    if ((c > 0.0) != (d > 0.0)) and c != 0.0 and d != 0.0 and ((a > 0.0) != (b > 0.0)) and a != 0.0 and b != 0.0:
        return True
    if c == 0.0 and _between(ax, ay, bx, by, cx, cy):
        return True
    if d == 0.0 and _between(ax, ay, bx, by, dx, dy):
        return True
    if a == 0.0 and _between(cx, cy, dx, dy, ax, ay):
        return True
    return b == 0.0 and _between(cx, cy, dx, dy, bx, by)


@kernel
def _fold(edges, i, j):
    """Whether edge j, which starts where i ends, runs back along it."""
    ux, uy = edges[i, 2] - edges[i, 0], edges[i, 3] - edges[i, 1]
    vx, vy = edges[j, 2] - edges[j, 0], edges[j, 3] - edges[j, 1]
    return ux * vy - uy * vx == 0.0 and ux * vx + uy * vy < 0.0


@kernel
def _search(edges, spans, after, order, pair):
    """Edges ordered by where their spans along a slanted line begin; each is compared with those within its own."""
    n = edges.shape[0]
    for a in range(n):
        i = order[a]
        low, high = min(edges[i, 1], edges[i, 3]), max(edges[i, 1], edges[i, 3])
        for b in range(a + 1, n):
            j = order[b]
            if spans[j, 0] > spans[i, 1]:
                break
            if min(edges[j, 1], edges[j, 3]) > high or max(edges[j, 1], edges[j, 3]) < low:
                continue
            if after[i] == j:
                bad = _fold(edges, i, j)
            elif after[j] == i:
                bad = _fold(edges, j, i)
            else:
                bad = _meet(edges, i, j)
            if bad:
                pair[0], pair[1] = min(i, j), max(i, j)
                return True
    return False


def first_crossing(rings: tuple[Array, ...]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Two edges, each as (ring, index of its first point), that meet without being neighbours; None if none do.

    Neighbouring edges that fold back on each other count too. Rings are (n, 2) and close by themselves.
    """
    edges = np.concatenate([np.hstack([ring, np.roll(ring, -1, axis=0)]) for ring in rings])
    sizes = np.array([len(ring) for ring in rings])
    first = np.concatenate([[0], np.cumsum(sizes)])
    after = np.arange(1, len(edges) + 1)
    after[first[1:] - 1] = first[:-1]
    along = edges.reshape(-1, 2, 2) @ SLANT
    wider = ROUNDING * np.abs(along).max()
    spans = np.column_stack([along.min(axis=1) - wider, along.max(axis=1) + wider])
    order = np.argsort(spans[:, 0], kind="stable")
    pair = np.zeros(2, dtype=np.int64)
    if not _search(np.ascontiguousarray(edges), spans, after, order, pair):
        return None
    ring = np.searchsorted(first, pair, side="right") - 1
    at = pair - first[ring]
    return (int(ring[0]), int(at[0])), (int(ring[1]), int(at[1]))


#: Added to sigma^2 [px^2] for what pixels do alike: their own size, straight lines
#: between neighbouring ones, and chords between the points of a traced line. Found by tracing discs of known area.
PIXEL_SPREAD = 0.35

#: Standard deviations at which the weights are cut off.
CUT_OFF = 4.0


@kernel
def _blur_rows(picture, weights, out):
    """Weighted means along rows; beyond the picture its edge pixels are repeated."""
    height, width = picture.shape
    reach = (weights.shape[0] - 1) // 2
    for r in range(height):
        for c in range(width):
            out[r, c] = weights[reach] * picture[r, c]
        for k in range(1, reach + 1):
            w = weights[reach + k]
            for c in range(min(k, width)):
                out[r, c] += w * picture[r, 0]
            for c in range(k, width):
                out[r, c] += w * picture[r, c - k]
            for c in range(width - k):
                out[r, c] += w * picture[r, c + k]
            for c in range(max(width - k, 0), width):
                out[r, c] += w * picture[r, width - 1]


@kernel
def _blur_columns(picture, weights, out):
    """Weighted means along columns; beyond the picture its edge pixels are repeated."""
    height, width = picture.shape
    reach = (weights.shape[0] - 1) // 2
    for r in range(height):
        for c in range(width):
            out[r, c] = weights[reach] * picture[r, c]
        for k in range(1, reach + 1):
            w = weights[reach + k]
            up, down = max(r - k, 0), min(r + k, height - 1)
            for c in range(width):
                out[r, c] += w * (picture[up, c] + picture[down, c])


@kernel
def _sharpen(picture, amount, out):
    """The picture less `amount` times its Laplacian (nine points); beyond its edge pixels are repeated."""
    height, width = picture.shape
    edge, corner, middle = (
        amount * np.float32(4.0 / 6.0),
        amount * np.float32(1.0 / 6.0),
        amount * np.float32(20.0 / 6.0),
    )
    for r in range(height):
        up, down = max(r - 1, 0), min(r + 1, height - 1)
        for c in range(width):
            left, right = max(c - 1, 0), min(c + 1, width - 1)
            beside = picture[up, c] + picture[down, c] + picture[r, left] + picture[r, right]
            aslant = picture[up, left] + picture[up, right] + picture[down, left] + picture[down, right]
            out[r, c] = (np.float32(1.0) + middle) * picture[r, c] - edge * beside - corner * aslant


@kernel
def _count(picture, low, scale, counts):
    """Number of pixels in each of the equal bins from `low` on."""
    last = counts.shape[0] - 1
    for r in range(picture.shape[0]):
        for c in range(picture.shape[1]):
            at = int((picture[r, c] - low) * scale)
            counts[min(max(at, 0), last)] += 1


def blur_weights(sigma: float) -> Array:
    """Float32 weights of a Gaussian of `sigma` [px], their sum 1."""
    reach = max(int(np.ceil(CUT_OFF * sigma)), 1)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return (bell / bell.sum()).astype(np.float32)


def blurred(picture: Array, sigma: float) -> Array:
    """The picture (h, w), as float32, blurred by `sigma` [px] so that its level lines stay where they are."""
    weights = blur_weights(sigma)
    field = np.ascontiguousarray(picture, dtype=np.float32)
    once, twice = np.empty_like(field), np.empty_like(field)
    _blur_rows(field, weights, once)
    _blur_columns(once, weights, twice)
    _sharpen(twice, np.float32(sigma**2 + PIXEL_SPREAD), once)
    return once


def histogram(picture: Array, low: float, high: float, bins: int) -> IntArray:
    """Number of pixels of a float32 picture in each of `bins` equal bins between `low` and `high`."""
    counts = np.zeros(bins, dtype=np.int64)
    _count(picture, np.float32(low), np.float32(bins / (high - low)), counts)
    return counts


@kernel
def _walk(mask, field, level, row, column, side, points):
    """Follow the border with the inside on the left, from the `side` of pixel (row, column); number of points.

    Sides are 0 east, 1 north, 2 west, 3 south. Each point is where the straight line between an inside pixel and
    its outside neighbour reaches `level`. Points beyond the length of `points` are counted, not written.
    """
    r, c, d = row, column, side
    count = 0
    while True:
        dr = -1 if d == 1 else (1 if d == 3 else 0)
        dc = 1 if d == 0 else (-1 if d == 2 else 0)
        if count < points.shape[0]:
            here, there = field[r, c], field[r + dr, c + dc]
            share = 0.5
            if here != there:
                share = min(max((here - level) / (here - there), 0.0), 1.0)
            points[count, 0] = r + share * dr
            points[count, 1] = c + share * dc
        count += 1
        # ahead, counter-clockwise: north when the outside is to the east
        ar, ac = -dc, dr
        if not mask[r + ar, c + ac]:
            d = (d + 1) % 4
        elif not mask[r + ar + dr, c + ac + dc]:
            r, c = r + ar, c + ac
        else:
            r, c = r + ar + dr, c + ac + dc
            d = (d + 3) % 4
        if r == row and c == column and d == side:
            return count


def traced_ring(mask: BoolArray, field: Array, level: float, row: int, column: int, side: int) -> Array:
    """Level line (n, 2) in (row, column) around `mask` (h, w), whose outermost pixels must be outside.

    Args:
        mask: pixels of one 4-connected object, all above (or all below) `level` in `field`; False on the edge.
        field: (h, w) float32 grey values.
        level: grey value of the line.
        row, column, side: where to start: a pixel of the object whose neighbour on that side (0 east, 1 north,
            2 west, 3 south) is outside.
    """
    points = np.empty((max(4 * sum(mask.shape), 64), 2))
    count = _walk(mask, field, level, row, column, side, points)
    if count > len(points):
        points = np.empty((count, 2))
        _walk(mask, field, level, row, column, side, points)
    return points[:count].copy()
