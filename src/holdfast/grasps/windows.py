"""Windows: straight stretches anywhere on the smooth parts of a contour, whatever pieces it was divided into.

Where a contour bends smoothly, the border between two regions is arbitrary, and a hair's breadth of the contour moves
it. Windows do not depend on it: about each of many places along the contour, the widest stretch that is straight
within the tolerance. Places follow one another at a fixed share of the windows' width. Where the contour runs straight
on to one side or to both, a window is the whole straight side, so that it ends where the side does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Array, BoolArray, IntArray
from .curvature import SmoothContour
from .focus import left_normals
from .regions import LEFT_OUT_SIGMAS, MM_PER_CM, Regions, smooth_runs

#: Places within the width of one window.
PLACES = 16

#: Places stand no farther apart than if windows were this many of the shortest regions wide.
WIDEST = 4.0

#: A stretch that is straight within this share of the tolerance is a straight side if it measures at least that share
#: of the window about a place on it; on an arc of a circle it measures 0.45 of it. See `_stretches`.
STRAIGHT, LONG_ENOUGH = 0.2, 0.9

#: Spans that share less than this share of the perimeter only touch.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Windows:
    """w windows of a contour, in the order along each smooth stretch.

    Attributes:
        regions: the windows as regions.
        home: (w,) which of the contour's regions each belongs to: the one that its middle lies on, or the nearest.
        place: (w,) number of the place of each window; neighbouring places of a stretch have neighbouring numbers.
        nearest: (r,) place nearest to the middle of each of the contour's regions, -1 where its stretch has none.
        begins, counts: (p,) first place of the stretch that a place belongs to, and how many the stretch has.
        closed: whether the last place is followed by the first: a contour without corners.
    """

    regions: Regions
    home: IntArray
    place: IntArray
    nearest: IntArray
    begins: IntArray
    counts: IntArray
    closed: bool

    def __len__(self) -> int:
        """Number of windows."""
        return len(self.regions)

    def moved(self, places: IntArray, steps: IntArray) -> IntArray:
        """The windows that stand `steps` places further on than `places`; -1 where there is none."""
        known = np.full(len(self.begins) + 1, -1, dtype=np.int64)
        known[self.place] = np.arange(len(self))
        begin, count = self.begins[places], self.counts[places]
        offset = places - begin + steps
        inside = (offset >= 0) & (offset < count)
        at = begin + (offset % count)
        if not self.closed:
            at = np.where(inside, at, len(self.begins))
        return np.where(places < 0, -1, known[at])


def find_windows(
    smooth: SmoothContour, regions: Regions, cut: float = 0.2, deviation: float = 0.5, shortest: float = 8.0
) -> Windows:
    """Windows along every stretch between corners that is followed by more than one straight piece.

    Args:
        smooth: the smoothed outer ring.
        regions: its regions, by `find_regions` with the same limits.
        cut, deviation, shortest: as in `find_regions`.
    """
    count = len(smooth.points)
    runs = smooth_runs(np.abs(smooth.curvature) <= cut)
    stretches = [np.arange(count)] if runs is None else [run for run in runs if len(run) > 2]
    middles = np.rint(regions.arc.mean(axis=1) / smooth.step).astype(np.int64) % count
    spans, homes = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    begins, counts = [], []
    nearest = np.full(len(regions), -1, dtype=np.int64)
    for run in stretches:
        own = np.flatnonzero((middles - run[0]) % count < len(run))
        if not len(own) or _one_piece(regions, own, run, smooth.step):
            continue
        chosen, found = _stretches(smooth, run, runs is None, deviation, shortest)
        # neighbouring places on one straight side share its window: they count as one place
        fresh = np.concatenate([[True], (found[1:] != found[:-1]).any(axis=1)])
        first = len(begins)
        begins += [first] * int(fresh.sum())
        counts += [int(fresh.sum())] * int(fresh.sum())
        gap = np.abs((middles[own] - run[0])[:, None] % count - chosen)
        gap = np.minimum(gap, count - gap) if runs is None else gap
        nearest[own] = first + (np.cumsum(fresh) - 1)[gap.argmin(axis=1)]
        spans.append(found[fresh])
        homes.append(own[_home(regions.arc[own] / smooth.step, found[fresh].mean(axis=1), count)])
    whole = _fitted(smooth, np.concatenate(spans))
    kept = np.flatnonzero(whole.lengths >= shortest)
    return Windows(
        whole.select(kept),
        np.concatenate(homes)[kept],
        kept,
        nearest,
        np.array(begins, dtype=np.int64),
        np.array(counts, dtype=np.int64),
        runs is None,
    )


def _stretches(
    smooth: SmoothContour, run: IntArray, closed: bool, deviation: float, shortest: float
) -> tuple[IntArray, IntArray]:
    """Places (p,) along a run of points, and the first and last points (p, 2) of their windows.

    The window about a place takes as many points before it as after it. But where the place lies on a side that is a
    good deal straighter than the tolerance asks for, and about as long as this window or longer, the window is the
    longest stretch through the place: the whole side. On bends, even uneven ones, no such side is long enough.
    """
    from .kernels.region_pieces import longest_stretches, widest_windows

    count, points = len(smooth.points), smooth.points
    low, high = (run[0] - count, run[-1] + count) if closed else (run[0], run[-1])

    def halves(places: IntArray, most: int) -> IntArray:
        """Half the widths (p,) of the windows about places, in points, `most` at most."""
        shift = places - places % count
        lows, highs = np.maximum(places - most, low) - shift, np.minimum(places + most, high) - shift
        return widest_windows(points, places % count, lows, highs, deviation)

    chosen = _spaced(halves(run, round(WIDEST * shortest / smooth.step / 2.0)), shortest / smooth.step, closed)
    places = run[chosen]
    half = halves(places, count)
    side = longest_stretches(points, places, int(low), int(high), STRAIGHT * deviation)
    on_side = np.ptp(side, axis=1) > LONG_ENOUGH * 2 * half
    spans = np.column_stack([places - half, places + half])
    if on_side.any():
        spans[on_side] = longest_stretches(points, places[on_side], int(low), int(high), deviation)
    return chosen, spans


def overlapping(first: Array, second: Array, perimeter: float) -> BoolArray:
    """Which arc spans (..., 2) [mm] of a closed contour share a stretch, `first` with `second`, as broadcast."""
    slack = SLACK * perimeter
    found = np.zeros(np.broadcast_shapes(first.shape[:-1], second.shape[:-1]), dtype=bool)
    for one, other in ((first, second), (second, first)):
        ahead = (other[..., 0] - one[..., 0]) % perimeter  # how far the other begins after the one
        found |= (ahead < one[..., 1] - one[..., 0] - slack) | (ahead > perimeter - slack)
    return found


def _fitted(smooth: SmoothContour, spans: IntArray) -> Regions:
    """The regions over the points spans[w, 0]..spans[w, 1] of the ring, each as `region_of` would give it."""
    from .kernels.region_pieces import window_lines

    count = len(smooth.points)
    ends, strayed = window_lines(smooth.points, spans[:, 0], spans[:, 1])
    trim = np.minimum(round(LEFT_OUT_SIGMAS * smooth.sigma / smooth.step), (spans[:, 1] - spans[:, 0]) // 2)
    first, past = spans[:, 0] + trim + count, spans[:, 1] - trim + count + 1
    sums = np.concatenate([[0.0], np.cumsum(np.tile(smooth.curvature, 3))])
    curvature = MM_PER_CM * (sums[past] - sums[first]) / (past - first)
    return Regions(ends, left_normals(ends), curvature, spans * smooth.step, strayed)


def _one_piece(regions: Regions, own: IntArray, run: IntArray, step: float) -> bool:
    """Whether one region takes up the whole stretch: its ends are corners, there is nothing to slide."""
    return len(own) == 1 and bool(np.ptp(regions.arc[own[0]]) > (len(run) - 1.5) * step)


def _spaced(halves: IntArray, shortest: float, closed: bool) -> IntArray:
    """Positions along a run, `PLACES` of them within the width of a window, from the half widths at all its points."""
    density = PLACES / np.maximum(2.0 * halves, shortest)
    passed = np.cumsum(density) - 0.5 * density
    total = float(density.sum())
    number = max(round(total), 1)
    wanted = (np.arange(number) + (0.0 if closed else 0.5)) * (total / number)
    return np.unique(np.clip(np.searchsorted(passed, wanted), 0, len(halves) - 1))


def _home(spans: Array, middles: Array, count: int) -> IntArray:
    """Which of the spans (r, 2), in points, each middle lies on, or else is nearest to, around `count` points."""
    centre, half = spans.mean(axis=1), (spans[:, 1] - spans[:, 0]) / 2.0
    away = np.abs((middles[:, None] - centre + count / 2.0) % count - count / 2.0) - half
    return np.argmin(away, axis=1)
