"""Straight pieces of a contour: the line of a run of points, the fewest pieces along it, the widest windows.

A piece's line has the direction of least squares and runs midway between its farthest points. Sums of squares come
from running sums; the distances of the points themselves are computed only where these do not decide: among n
distances with the sum of squares s about their mean, the greatest and the least are apart by at most sqrt(2 s) and by
at least 2 sqrt(s / n). The fewest pieces are found by dynamic programming.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..checks import Array, IntArray

#: Most points of a run that are tried as ends of pieces; longer runs are tried at every second, third, ... point.
MOST_ENDS = 600

#: A piece that deviates this many times too far is not extended any further.
GIVE_UP = 2.0

#: Number of extensions that are treated together, and of distances of points.
STEPS, AT_ONCE = 8, 1 << 15

#: Larger than the number of pieces of any run.
FOREVER = np.int64(1 << 40)

#: Relative margin between a bound on distances and a limit, for rounding.
CLEAR = 1e-6


class _Points:
    """Points (m, 2) about their mean, repeated `turns` times, with sums over pieces first..last."""

    def __init__(self, points: Array, turns: int = 1) -> None:
        self.mean = points.mean(axis=0)
        self.places = np.tile((points - self.mean).T, turns)
        x, y = self.places
        self.sums = np.zeros((5, len(x) + 1))
        np.cumsum([x, y, x * x, x * y, y * y], axis=1, out=self.sums[:, 1:])

    def _moments(self, first: IntArray, last: IntArray) -> tuple[Array, ...]:
        """Centroids x and y, half the difference of xx and yy, xy, and sums of squared distances from the lines."""
        n = last - first + 1.0
        x, y, xx, xy, yy = (self.sums[:, last + 1] - self.sums[:, first]) / n
        xx, xy, yy = xx - x * x, xy - x * y, yy - y * y
        half = 0.5 * (xx - yy)
        return x, y, half, xy, np.maximum(0.5 * (xx + yy) - np.hypot(half, xy), 0.0) * n

    def squares(self, first: IntArray, last: IntArray) -> Array:
        """Sums of squared distances from the lines of the pieces."""
        return self._moments(first, last)[-1]

    def lines(self, first: IntArray, last: IntArray) -> tuple[Array, Array]:
        """Least-squares lines of the pieces: centroids (2, w) and unit directions (2, w)."""
        x, y, half, xy, _ = self._moments(first, last)
        angle = 0.5 * np.arctan2(xy, half)
        return np.stack([x, y]), np.stack([np.cos(angle), np.sin(angle)])

    def offs(self, first: IntArray, last: IntArray) -> tuple[Array, Array]:
        """Least and greatest distance of the points of each piece left of its line."""
        (x, y), (ux, uy) = self.lines(first, last)
        low, high = np.empty(len(first)), np.empty(len(first))
        longest = int((last - first).max(initial=0)) + 1
        some = max(AT_ONCE // longest, 1)
        ahead = np.arange(longest)
        for begin in range(0, len(first), some):
            own = slice(begin, begin + some)
            at = np.minimum(first[own, None] + ahead, last[own, None])
            off = self.places[1][at]
            off -= y[own, None]
            off *= ux[own, None]
            along = self.places[0][at]
            along -= x[own, None]
            along *= uy[own, None]
            off -= along
            off.min(axis=1, out=low[own])
            off.max(axis=1, out=high[own])
        return low, high

    def spreads(self, first: IntArray, last: IntArray, least: float, most: float) -> tuple[Array, Array]:
        """Difference of the largest and smallest distance of each piece's points from its line; sums of squares.

        A difference of at most `least` may be returned as 0, one above `most` as infinity.
        """
        squares = self.squares(first, last)
        sure = squares * (2.0 * (1.0 + CLEAR)) <= least * least
        beyond = squares * (4.0 * (1.0 - CLEAR)) > most * most * (last - first + 1)
        found = np.where(beyond, np.inf, 0.0)
        unclear = ~(sure | beyond)
        if unclear.any():
            low, high = self.offs(first[unclear], last[unclear])
            found[unclear] = high - low
        return found, squares

    def widened(
        self, widen: Callable[[IntArray, IntArray], tuple[IntArray, IntArray]], room: IntArray, most: float
    ) -> IntArray:
        """How often (w,) windows can be extended, at most `room` (w,), until their points differ by more than `most`.

        `widen` gives the first and last points of windows, by their rows, after that many extensions.
        """
        times = room.copy()
        rows, done = np.flatnonzero(room > 0), 0
        while len(rows):
            steps = np.minimum(np.arange(done + 1, done + STEPS + 1), room[rows, None])
            strays = self.spreads(*widen(rows[:, None], steps), most, most)[0] > most
            stops = strays.any(axis=1)
            times[rows[stops]] = done + strays[stops].argmax(axis=1)
            done += STEPS
            rows = rows[~stops & (room[rows] > done)]
        return times

    def pieces(self, first: IntArray, last: IntArray) -> tuple[Array, Array]:
        """Ends (w, 2, 2) of the straight pieces and the largest distances (w,) of their points."""
        centre, unit = self.lines(first, last)
        low, high = self.offs(first, last)
        middle = centre + 0.5 * (low + high) * np.stack([-unit[1], unit[0]])
        ends = [middle + ((self.places[:, k] - centre) * unit).sum(axis=0) * unit for k in (first, last)]
        return np.stack(ends).transpose(2, 0, 1) + self.mean, 0.5 * (high - low)


def _costs(points: _Points, ends: IntArray, nodes: int, tolerance: float) -> Array:
    """(nodes, widest) costs[a, b - a - 1]: sum of squares of the piece between the ends a and b, inf if it deviates.

    Neighbouring ends always form a piece, so that every run has a solution.
    """
    most = 2.0 * tolerance
    costs = np.full((nodes, nodes + STEPS), np.inf)
    rows, done = np.arange(nodes), 0
    while len(rows):
        widths = np.arange(done + 1, done + STEPS + 1)
        last = rows[:, None] + widths
        spreads, squares = points.spreads(
            np.broadcast_to(ends[rows, None], last.shape), ends[np.minimum(last, len(ends) - 1)], most, GIVE_UP * most
        )
        if not done:
            spreads[:, 0] = 0.0
        spreads[(last >= len(ends)) | (widths > nodes)] = np.inf
        tried = np.logical_and.accumulate(spreads <= GIVE_UP * most, axis=1)
        costs[rows, done : done + STEPS] = np.where(tried & (spreads <= most), squares, np.inf)
        rows, done = rows[tried[:, -1]], done + STEPS
    return costs[:, : 1 + int(np.flatnonzero(np.isfinite(costs).any(axis=0))[-1])]


def _fewest(costs: Array, first: int, starts: int, nodes: int) -> tuple[IntArray, Array, IntArray]:
    """Fewest pieces from each of `starts` ends, from `first` on, to each of the next `nodes`; then least squares.

    Returns (starts, nodes + 1) numbers of pieces, sums of squares and the previous ends, counted from each start.
    """
    widest = costs.shape[1]
    # into[k, j]: the piece that ends at end k, counted from `first`, and begins widest - j ends before
    width = np.arange(widest, 0, -1)
    into = costs[(np.arange(first, first + starts + nodes)[:, None] - width) % len(costs), width - 1]
    never = np.where(np.isfinite(into), 0, FOREVER)
    count = np.full((starts, widest + nodes + 1), FOREVER)  # the ends before the start, which are none, come first
    cost = np.zeros(count.shape)
    before = np.zeros(count.shape, dtype=np.int64)
    count[:, widest] = 0
    rows = np.arange(starts)
    for b in range(1, nodes + 1):
        ahead, own = slice(b, b + widest), slice(b, b + starts)
        pieces = count[:, ahead] + never[own]
        fewest = pieces.min(axis=1)
        total = np.where(pieces == fewest[:, None], cost[:, ahead] + into[own], np.inf)
        best = total.argmin(axis=1)
        count[:, b + widest], cost[:, b + widest] = fewest + 1, total[rows, best]
        before[:, b + widest] = best + b - widest
    return count[:, widest:], cost[:, widest:], before[:, widest:]


def _walked(before: IntArray) -> IntArray:
    """The ends on the way back from the last one, in increasing order."""
    chosen = [len(before) - 1]
    while chosen[-1] > 0:
        chosen.append(int(before[chosen[-1]]))
    return np.array(chosen[::-1])


def fewest_pieces(points: Array, tolerance: float) -> IntArray:
    """Indices of the ends of the fewest straight pieces along an open run of points.

    A piece's line has the direction of least squares and runs midway between its farthest points; no point of the
    piece is farther from it than `tolerance` [mm]. Among the fewest, pieces of least sum of squares are taken.

    Args:
        points: (m, 2) points of the run [mm], m >= 2; the result always contains 0 and m - 1.
        tolerance: largest distance [mm] from a piece.
    """
    run, last = _Points(points), len(points) - 1
    most = 2.0 * tolerance
    if run.spreads(np.array([0]), np.array([last]), most, most)[0][0] <= most:
        return np.array([0, last])
    ends = np.unique(np.append(np.arange(0, last, -(-last // MOST_ENDS)), last))
    nodes = len(ends) - 1
    _, _, before = _fewest(_costs(run, ends, nodes, tolerance), 0, 1, nodes)
    return ends[_walked(before[0])]


def fewest_pieces_around(points: Array, tolerance: float) -> IntArray:
    """Indices of the ends of the fewest straight pieces of a closed curve, from the best of all starts on.

    Every closed sequence has a cut within one piece's width of any point; each of these is tried as the start. Indices
    increase from the start beyond the number of points; the last is the first one turn later.

    Args:
        points: (m, 2) points around the curve [mm], the first not repeated.
        tolerance: largest distance [mm] from a piece; see `fewest_pieces`.
    """
    count_all = len(points)
    ring = np.arange(0, count_all, -(-count_all // MOST_ENDS))
    nodes = len(ring)
    costs = _costs(_Points(points, turns=2), np.concatenate([ring, ring + count_all]), nodes, tolerance)
    reach = (np.isfinite(costs) * np.arange(1, costs.shape[1] + 1)).max(axis=1)
    first = int(np.argmin(reach))
    count, cost, before = _fewest(costs, first, int(reach[first]) + 1, nodes)
    best = int(np.lexsort((cost[:, -1], count[:, -1]))[0])
    chosen = _walked(before[best]) + first + best
    return ring[chosen % nodes] + count_all * (chosen // nodes)


def widest_windows(points: Array, middles: IntArray, lows: IntArray, highs: IntArray, tolerance: float) -> IntArray:
    """Half the widths (w,), in points, of the widest straight windows about given points of a closed curve.

    A window holds as many points before its middle as after it, and is extended until it deviates from its line (as in
    `fewest_pieces`), meets a limit or covers the whole curve.

    Args:
        points: (m, 2) points around the curve [mm], the first not repeated.
        middles: (w,) indices of the middles, in 0..m-1.
        lows, highs: (w,) indices that a window does not pass, within one turn of its middle.
        tolerance: largest distance [mm] from the line.
    """
    count, ring = len(points), _Points(points, turns=3)
    about = np.asarray(middles, dtype=np.int64) + count
    room = np.minimum(about - np.asarray(lows) - count, np.asarray(highs) + count - about)
    room = np.clip(room, 0, (count - 1) // 2)
    return ring.widened(lambda rows, by: (about[rows] - by, about[rows] + by), room, 2.0 * tolerance)


def longest_stretches(points: Array, middles: IntArray, low: int, high: int, tolerance: float) -> IntArray:
    """First and last points (w, 2) of the longest straight stretches on which given points of a closed curve lie.

    From every point a stretch is extended, point by point, until it deviates from its line (as in `fewest_pieces`).

    Args:
        points: (m, 2) points around the curve [mm], the first not repeated.
        middles: (w,) indices of the given points, between `low` and `high`.
        low, high: indices that no stretch passes, rising, between -m and 2 m.
        tolerance: largest distance [mm] from the line.
    """
    count, ring = len(points), _Points(points, turns=3)
    about = np.asarray(middles, dtype=np.int64)
    top = min(int(about.max(initial=low)), high - 1)
    firsts = np.arange(max(low, top - count + 1), top + 1)  # one turn at most: what was before repeats it
    begins, room = firsts + count, np.minimum(high - firsts, count - 1) - 1
    lengths = 1 + ring.widened(
        lambda rows, by: (begins[rows] + 0 * by, begins[rows] + 1 + by), np.maximum(room, 0), 2.0 * tolerance
    )
    if not len(firsts):
        return np.stack([about, about], axis=1)
    back = np.minimum(about, top)[:, None] - np.arange(lengths.max() + 1)
    held = (back >= low) & (back + lengths[(back - firsts[0]) % len(firsts)] >= about[:, None])
    held = np.logical_and.accumulate(held, axis=1)
    chosen = np.where(held, lengths[(back - firsts[0]) % len(firsts)], 0).argmax(axis=1)
    first = back[np.arange(len(about)), chosen]
    found = first + lengths[(first - firsts[0]) % len(firsts)]
    return np.where(held[:, :1], np.stack([first, found], axis=1), about[:, None])


def window_lines(points: Array, firsts: IntArray, lasts: IntArray) -> tuple[Array, Array]:
    """`piece_line` of many pieces of a closed curve at once: ends (w, 2, 2) [mm] and largest distances (w,) [mm].

    Args:
        points: (m, 2) points around the curve [mm], the first not repeated.
        firsts, lasts: (w,) indices of the first and last points of the pieces, rising, between -m and 2 m.
    """
    begin, end = (np.asarray(indices, dtype=np.int64) + len(points) for indices in (firsts, lasts))
    return _Points(points, turns=3).pieces(begin, end)


def piece_line(points: Array) -> tuple[Array, float]:
    """Ends (2, 2) [mm] of the straight piece that approximates `points` (m, 2), and their largest distance from it."""
    ends, strayed = _Points(points).pieces(np.array([0]), np.array([len(points) - 1]))
    return ends[0], float(strayed[0])
