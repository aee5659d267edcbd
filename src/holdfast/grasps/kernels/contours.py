"""Kernels of pictures and contours: blur, level lines, and the fewest straight pieces of a contour; compiled.

A Gaussian G alone would pull a level line of curvature k inwards by k sigma^2 / 2. Subtracting sigma^2 times the
Laplacian of the blurred picture leaves the line where it is: G - sigma^2 Laplace G = (3 - r^2 / sigma^2) G has no
second moment along any straight line through its middle, and that moment is what bends act through.

The blur is own code because scipy.ndimage.gaussian_filter is slower on float32 pictures. The walk is own code because
it follows one labelled object alone (`test_every_side_between_the_object_and_the_outside_is_passed_once`); level lines
of the whole picture (skimage.measure.find_contours) would have to be assigned to objects afterwards.

The fewest straight pieces that follow a run of points within a tolerance are found by dynamic programming.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array, BoolArray, IntArray
from . import kernel

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


#: Most places of a run that are tried as ends of pieces; longer runs are tried at every second, third, ... point.
MOST_ENDS = 600

#: A piece that strays this many times too far is not tried any longer.
GIVE_UP = 2.0


@kernel
def _line(sums, first, last, line):
    """Least-squares line of the points first..last: centroid, unit direction, sum of squared distances in `line`."""
    n = last - first + 1.0
    x = (sums[last + 1, 0] - sums[first, 0]) / n
    y = (sums[last + 1, 1] - sums[first, 1]) / n
    xx = (sums[last + 1, 2] - sums[first, 2]) / n - x * x
    xy = (sums[last + 1, 3] - sums[first, 3]) / n - x * y
    yy = (sums[last + 1, 4] - sums[first, 4]) / n - y * y
    half, mean = 0.5 * (xx - yy), 0.5 * (xx + yy)
    radius = np.hypot(half, xy)
    angle = 0.5 * np.arctan2(xy, half)
    line[0], line[1] = x, y
    line[2], line[3] = np.cos(angle), np.sin(angle)
    line[4] = max(mean - radius, 0.0) * n


@kernel
def _spread(points, first, last, line, most):
    """Least and greatest distance of the points first..last left of the line; stops where they part by over `most`."""
    low, high = np.inf, -np.inf
    for k in range(first, last + 1):
        off = line[2] * (points[k, 1] - line[1]) - line[3] * (points[k, 0] - line[0])
        low, high = min(low, off), max(high, off)
        if high - low > most:
            break
    return low, high


@kernel
def _costs(points, sums, ends, tolerance, costs, line):
    """costs[a, b - a - 1]: sum of squares of the piece between the ends a and b, inf where it strays too far.

    Neighbouring ends always make a piece, so that every run has an answer. Returns the widest piece, in ends.
    """
    widest = 1
    for a in range(costs.shape[0]):
        for b in range(costs.shape[1]):
            costs[a, b] = np.inf
        for b in range(a + 1, min(a + costs.shape[1] + 1, ends.shape[0])):
            _line(sums, ends[a], ends[b], line)
            low, high = _spread(points, ends[a], ends[b], line, GIVE_UP * 2.0 * tolerance)
            if high - low <= 2.0 * tolerance or b == a + 1:
                costs[a, b - a - 1] = line[4]
                widest = max(widest, b - a)
            elif high - low > GIVE_UP * 2.0 * tolerance:
                break
    return widest


@kernel
def _fewest(costs, widest, first, last, count, cost, before):
    """Fewest pieces from end `first` to each end up to `last` and, among them, the least sum of squares.

    Ends count on past the rows of `costs` and wrap around. `before` says where the last piece begins.
    """
    rows = costs.shape[0]
    for b in range(last - first + 1):
        count[b], cost[b], before[b] = 1 << 40, np.inf, b - 1
    count[0], cost[0] = 0, 0.0
    for a in range(last - first):
        row = (first + a) % rows
        for width in range(1, min(widest, last - first - a) + 1):
            if costs[row, width - 1] == np.inf:
                continue
            b = a + width
            pieces, total = count[a] + 1, cost[a] + costs[row, width - 1]
            if pieces < count[b] or (pieces == count[b] and total < cost[b]):
                count[b], cost[b], before[b] = pieces, total, a


@kernel
def _fewest_around(costs, widest, first, starts, count, cost, before, best):
    """The best of `starts` starts from `first` on: its closed walk has the fewest pieces and least sum of squares."""
    rows = costs.shape[0]
    best[0], best[1], best[2] = first, 1 << 40, 0
    least = np.inf
    for start in range(first, first + starts):
        _fewest(costs, widest, start, start + rows, count, cost, before)
        if count[rows] < best[1] or (count[rows] == best[1] and cost[rows] < least):
            best[0], best[1] = start, count[rows]
            least = cost[rows]


@kernel
def _lines(points, sums, firsts, lasts, ends, strayed, line):
    """Ends of the straight pieces firsts[w]..lasts[w] and how far their points stray; see `piece_line`."""
    for w in range(firsts.shape[0]):
        first, last = firsts[w], lasts[w]
        _line(sums, first, last, line)
        low, high = _spread(points, first, last, line, np.inf)
        aside = 0.5 * (low + high)
        for e in range(2):
            k = first if e == 0 else last
            along = line[2] * (points[k, 0] - line[0]) + line[3] * (points[k, 1] - line[1])
            ends[w, e, 0] = line[0] + along * line[2] - aside * line[3]
            ends[w, e, 1] = line[1] + along * line[3] + aside * line[2]
        strayed[w] = 0.5 * (high - low)


@kernel
def _widen(points, sums, middles, lows, highs, tolerance, halves, line):
    """halves[w]: how many points the window about middles[w] takes on either side, between lows[w] and highs[w]."""
    for w in range(middles.shape[0]):
        half = 0
        while middles[w] - half - 1 >= lows[w] and middles[w] + half + 1 <= highs[w]:
            first, last = middles[w] - half - 1, middles[w] + half + 1
            _line(sums, first, last, line)
            low, high = _spread(points, first, last, line, 2.0 * tolerance)
            if high - low > 2.0 * tolerance:
                break
            half += 1
        halves[w] = half


@kernel
def _reaches(points, sums, low, high, most, tolerance, reach, line):
    """reach[k]: last point of the straight stretch from low + k on, at most `most` points and `high` at the latest."""
    last = low
    for first in range(low, high):
        last = max(last, first + 1)
        _line(sums, first, last, line)
        least, greatest = _spread(points, first, last, line, 2.0 * tolerance)
        while last > first + 1 and greatest - least > 2.0 * tolerance:
            last -= 1
            _line(sums, first, last, line)
            least, greatest = _spread(points, first, last, line, 2.0 * tolerance)
        while last < min(high, first + most):
            _line(sums, first, last + 1, line)
            least, greatest = _spread(points, first, last + 1, line, 2.0 * tolerance)
            if greatest - least > 2.0 * tolerance:
                break
            last += 1
        reach[first - low] = last


@kernel
def _longest(reach, low, middles, spans):
    """spans[w]: first and last point of the longest of the stretches of `_reaches` that middles[w] lies on."""
    for w in range(middles.shape[0]):
        spans[w, 0], spans[w, 1] = middles[w], middles[w]
        first = min(middles[w], low + reach.shape[0] - 1)
        while first >= low and reach[first - low] >= middles[w]:
            if reach[first - low] - first > spans[w, 1] - spans[w, 0]:
                spans[w, 0], spans[w, 1] = first, reach[first - low]
            first -= 1


def fewest_pieces(points: Array, tolerance: float) -> IntArray:
    """Indices of the ends of the fewest straight pieces that follow an open run of points.

    A piece's line has the direction of least squares and runs midway between its farthest points; no point of the
    piece is farther from it than `tolerance` [mm]. Among the fewest, pieces of least sum of squares are taken.

    Args:
        points: (m, 2) points of the run [mm], m >= 2; the ends 0 and m - 1 are always among the answer.
        tolerance: largest distance [mm] from a piece.
    """
    centred = np.ascontiguousarray(points - points.mean(axis=0))
    sums, line = _sums(centred), np.empty(5)
    last = len(points) - 1
    _line(sums, 0, last, line)
    low, high = _spread(centred, 0, last, line, np.inf)
    if high - low <= 2.0 * tolerance:
        return np.array([0, last])
    ends = np.unique(np.append(np.arange(0, last, -(-last // MOST_ENDS)), last))
    nodes = len(ends) - 1
    costs = np.empty((nodes, nodes))
    widest = _costs(centred, sums, ends, tolerance, costs, line)
    count, before, cost = np.empty(nodes + 1, np.int64), np.empty(nodes + 1, np.int64), np.empty(nodes + 1)
    _fewest(costs, widest, 0, nodes, count, cost, before)
    return ends[_walked(before, nodes)]


def fewest_pieces_around(points: Array, tolerance: float) -> IntArray:
    """Indices of the ends of the fewest straight pieces of a closed curve, from the best of all starts on.

    Every closed walk has a cut within one piece's width of any point; each of these is tried as the start. Indices
    rise from the start and count on past the number of points; the last is the first one turn later.

    Args:
        points: (m, 2) points around the curve [mm], the first not repeated.
        tolerance: largest distance [mm] from a piece; see `fewest_pieces`.
    """
    count_all = len(points)
    centred = points - points.mean(axis=0)
    twice = np.concatenate([centred, centred])
    sums, line = _sums(twice), np.empty(5)
    ring = np.arange(0, count_all, -(-count_all // MOST_ENDS))
    ends = np.concatenate([ring, ring + count_all])
    nodes = len(ring)
    costs = np.empty((nodes, nodes))
    widest = _costs(np.ascontiguousarray(twice), sums, ends, tolerance, costs, line)
    reach = np.isfinite(costs) * np.arange(1, nodes + 1)
    first = int(np.argmin(reach.max(axis=1)))
    starts = int(reach[first].max()) + 1
    count, before, cost = np.empty(nodes + 1, np.int64), np.empty(nodes + 1, np.int64), np.empty(nodes + 1)
    best = np.empty(3, dtype=np.int64)
    _fewest_around(costs, widest, first, starts, count, cost, before, best)
    start = int(best[0])
    _fewest(costs, widest, start, start + nodes, count, cost, before)
    chosen = np.array(_walked(before, nodes)) + start
    return ring[chosen % nodes] + count_all * (chosen // nodes)


def widest_windows(points: Array, middles: IntArray, lows: IntArray, highs: IntArray, tolerance: float) -> IntArray:
    """Half the widths (w,), in points, of the widest straight windows about given points of a closed curve.

    A window holds as many points before its middle as after it, and is widened until it strays from its line (as in
    `fewest_pieces`), meets a limit or has been once around.

    Args:
        points: (m, 2) points around the curve [mm], the first not repeated.
        middles: (w,) indices of the middles, in 0..m-1.
        lows, highs: (w,) indices that a window does not pass, within one turn of its middle.
        tolerance: largest distance [mm] from the line.
    """
    count, (thrice, sums) = len(points), _three_turns(points)
    halves = np.empty(len(middles), dtype=np.int64)
    about = np.asarray(middles, dtype=np.int64) + count
    turn = (count - 1) // 2
    low = np.maximum(np.asarray(lows, dtype=np.int64) + count, about - turn)
    high = np.minimum(np.asarray(highs, dtype=np.int64) + count, about + turn)
    _widen(thrice, sums, about, low, high, tolerance, halves, np.empty(5))
    return halves


def longest_stretches(points: Array, middles: IntArray, low: int, high: int, tolerance: float) -> IntArray:
    """First and last points (w, 2) of the longest straight stretches on which given points of a closed curve lie.

    From every point a stretch is widened, point by point, until it strays from its line (as in `fewest_pieces`).

    Args:
        points: (m, 2) points around the curve [mm], the first not repeated.
        middles: (w,) indices of the given points, between `low` and `high`.
        low, high: indices that no stretch passes, rising, between -m and 2 m.
        tolerance: largest distance [mm] from the line.
    """
    count, (thrice, sums) = len(points), _three_turns(points)
    reach = np.empty(max(high - low, 0), dtype=np.int64)
    spans = np.empty((len(middles), 2), dtype=np.int64)
    _reaches(thrice, sums, low + count, high + count, count - 1, tolerance, reach, np.empty(5))
    _longest(reach, low + count, np.asarray(middles, dtype=np.int64) + count, spans)
    return spans - count


def window_lines(points: Array, firsts: IntArray, lasts: IntArray) -> tuple[Array, Array]:
    """`piece_line` of many pieces of a closed curve at once: ends (w, 2, 2) [mm] and largest distances (w,) [mm].

    Args:
        points: (m, 2) points around the curve [mm], the first not repeated.
        firsts, lasts: (w,) indices of the first and last points of the pieces, rising, between -m and 2 m.
    """
    count, (thrice, sums) = len(points), _three_turns(points)
    ends, strayed = np.empty((len(firsts), 2, 2)), np.empty(len(firsts))
    begin, end = np.asarray(firsts, dtype=np.int64) + count, np.asarray(lasts, dtype=np.int64) + count
    _lines(thrice, sums, begin, end, ends, strayed, np.empty(5))
    return ends + points.mean(axis=0), strayed


def _walked(before: IntArray, last: int) -> list[int]:
    """The ends that a walk back from `last` passes, in rising order."""
    chosen = [last]
    while chosen[-1] > 0:
        chosen.append(int(before[chosen[-1]]))
    return chosen[::-1]


def piece_line(points: Array) -> tuple[Array, float]:
    """Ends (2, 2) [mm] of the straight piece that stands for `points` (m, 2), and their largest distance from it."""
    mean = points.mean(axis=0)
    centred = np.ascontiguousarray(points - mean)
    line = np.empty(5)
    _line(_sums(centred), 0, len(points) - 1, line)
    along = line[2:4]
    if along @ (centred[-1] - centred[0]) < 0.0:
        along = -along
    across = np.array([-along[1], along[0]])
    off = centred @ across
    middle = mean + across * (off.max() + off.min()) / 2.0
    ends = centred[[0, -1]] @ along
    return middle + ends[:, None] * along, float(np.ptp(off) / 2.0)


def _three_turns(points: Array) -> tuple[Array, Array]:
    """The points of a closed curve about their mean, three times one after the other, and their running sums."""
    thrice = np.tile(points - points.mean(axis=0), (3, 1))
    return thrice, _sums(thrice)


def _sums(points: Array) -> Array:
    """(m + 1, 5) running sums of x, y, x^2, x y, y^2."""
    x, y = points.T
    terms = np.column_stack([x, y, x * x, x * y, y * y])
    return np.concatenate([np.zeros((1, 5)), np.cumsum(terms, axis=0)])
