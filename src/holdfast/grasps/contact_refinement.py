"""Contact refinement on smooth contours: each grasp is moved to the best contacts near its regions.

Where a contour bends smoothly, its division into regions is arbitrary, and so is the best grasp. Windows do not depend
on the division: around each of many places along the contour, a window is the widest stretch that is straight within
the tolerance. The distance of places is a fixed fraction of the windows' width. Where the contour continues straight on
one side or on both, a window is the whole straight side, so that it ends with the side.

Grasps are also tried on windows between their regions and the next ones, and the best of them is kept. The contacts
determine a large part of Q before the pose of the hand is known; poses are solved only for the most promising triplets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from ..checks import Array, BoolArray, IntArray
from . import criteria
from .candidates import CONTACT_INSET, Candidates, joined, virtual_candidates, with_thumbs
from .contours import SmoothContour
from .ranking import ScoredGrasps, gathered
from .regions import LEFT_OUT_SIGMAS, MM_PER_CM, GraspRegions, left_normals, smooth_runs

#: Number of places within the width of one window.
PLACES = 16

#: The distance of places is at most that of windows with this many times the width of the shortest regions.
WIDEST = 4.0

#: A stretch that is straight within this share of the tolerance is a straight side if it measures at least that share
#: of the window about a place on it; on an arc of a circle it measures 0.45 of it. See `_stretches`.
STRAIGHT, LONG_ENOUGH = 0.2, 0.9

#: Spans that overlap by less than this fraction of the perimeter only touch.
SLACK = 1e-9


#: Makes grasps of two facing regions from pairs (p, 2) of rows of a list of regions; None where the hand has none.
PairSearch = Callable[[GraspRegions, IntArray], Candidates | None]


@dataclass(frozen=True, eq=False)
class Windows:
    """w windows of a contour, in the order along each smooth stretch.

    Attributes:
        regions: the windows as regions.
        home: (w,) the region of the contour that each belongs to: the one that contains its middle, or the nearest.
        place: (w,) number of the place of each window; neighbouring places of a stretch have neighbouring numbers.
        nearest: (r,) place nearest to the middle of each of the contour's regions, -1 where its stretch has none.
        begins, counts: (p,) first place of the stretch that a place belongs to, and how many the stretch has.
        closed: whether the last place is followed by the first: a contour without corners.
    """

    regions: GraspRegions
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
        """The windows `steps` places after `places`; -1 where there is none."""
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
    smooth: SmoothContour, regions: GraspRegions, cut: float = 0.2, deviation: float = 0.5, shortest: float = 8.0
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
        # neighbouring places on one straight side have the same window: they count as one place
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

    The window around a place has as many points before it as after it. But if the place lies on a side that is much
    straighter than the tolerance, and about as long as this window or longer, the window is the longest stretch through
    the place: the whole side. On bends, even uneven ones, no such side is long enough.
    """
    from .straight_pieces import longest_stretches, widest_windows

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
    """Which arc spans (..., 2) [mm] of a closed contour overlap, `first` with `second`, as broadcast."""
    slack = SLACK * perimeter
    found = np.zeros(np.broadcast_shapes(first.shape[:-1], second.shape[:-1]), dtype=bool)
    for one, other in ((first, second), (second, first)):
        ahead = (other[..., 0] - one[..., 0]) % perimeter  # distance from the start of the first to that of the second
        found |= (ahead < one[..., 1] - one[..., 0] - slack) | (ahead > perimeter - slack)
    return found


def _fitted(smooth: SmoothContour, spans: IntArray) -> GraspRegions:
    """The regions over the points spans[w, 0]..spans[w, 1] of the ring, each as `region_of` would give it."""
    from .straight_pieces import window_lines

    count = len(smooth.points)
    ends, strayed = window_lines(smooth.points, spans[:, 0], spans[:, 1])
    trim = np.minimum(round(LEFT_OUT_SIGMAS * smooth.sigma / smooth.step), (spans[:, 1] - spans[:, 0]) // 2)
    first, past = spans[:, 0] + trim + count, spans[:, 1] - trim + count + 1
    sums = np.concatenate([[0.0], np.cumsum(np.tile(smooth.curvature, 3))])
    curvature = MM_PER_CM * (sums[past] - sums[first]) / (past - first)
    return GraspRegions(ends, left_normals(ends), curvature, spans * smooth.step, strayed)


def _one_piece(regions: GraspRegions, own: IntArray, run: IntArray, step: float) -> bool:
    """Whether one region covers the whole stretch: its ends are corners, and nothing can be moved."""
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


#: For combinations every n-th place has a window; the best combinations are then moved.
COARSE = 8

#: With more regions and windows than this, combinations are not tried: grasps are only moved.
MOST_COMBINED = 72

#: Number of the most promising triplets of windows whose poses are solved.
TRIED = 400

#: Number of triplets that are moved further, and of their neighbours that are tried in each round.
SLID, NEIGHBOURS = 32, 128

#: Rounds of moving: by how many places.
STEPS = (4, 2, 1)

#: Number of virtual two-finger grasps that are moved further.
SLID_PAIRS = 12


def slide(
    base: ScoredGrasps,
    regions: GraspRegions,
    windows: Windows,
    perimeter: float,
    allowed: BoolArray,
    scorer: Callable[[Candidates], ScoredGrasps],
    pairs: PairSearch | None = None,
    *,
    feasible: bool = True,
) -> ScoredGrasps:
    """The grasps of `base`, each with the best contacts found nearby, and additional grasps on windows.

    Args:
        base: the scored grasps of the regions.
        regions: these regions.
        windows: the contour's windows.
        perimeter: length of the contour [mm].
        allowed: (r, r) which two regions may be used in one grasp.
        scorer: solves the hand's poses at candidates and scores them.
        pairs: makes grasps of two facing regions out of pairs of regions; virtual two-finger grasps by default.
        feasible: whether grasps with a force outside its friction cone come after all others.
    """
    if not len(windows):
        return base
    search = _Refinement(base, regions, windows, perimeter, allowed, scorer, pairs or _virtual_pairs(base), feasible)
    search.combine()
    for step in STEPS:
        search.slide(step)
    return search.best()


def _virtual_pairs(base: ScoredGrasps) -> PairSearch:
    """Virtual two-finger grasps where the hand makes them."""
    hand, mu = base.hand, base.params.mu
    makes = hand.virtual or hand.fingers == 2
    return lambda pool, chosen: virtual_candidates(pool, hand.pivot_offset, mu, chosen) if makes else None


class _Refinement:
    """The grasps scored so far; rows of `pool` are the regions and, after them, the windows."""

    def __init__(
        self,
        base: ScoredGrasps,
        regions: GraspRegions,
        windows: Windows,
        perimeter: float,
        allowed: BoolArray,
        scorer: Callable[[Candidates], ScoredGrasps],
        pairs: PairSearch,
        feasible: bool,
    ) -> None:
        self.pool = regions.joined(windows.regions)
        self.windows, self.scorer, self.pairs, self.feasible = windows, scorer, pairs, feasible
        self.count = len(regions)
        self.home = np.concatenate([np.arange(self.count), windows.home])
        self.place = np.concatenate([windows.nearest, windows.place])
        self.perimeter, self.allowed = perimeter, allowed
        self.hand, self.shape, self.params = base.hand, base.shape, base.params
        self.scored = [base]

    def combine(self) -> None:
        """Try all combinations of the regions with a coarse choice of windows, the most promising first."""
        from .triplets import triplets

        coarse = self.count + np.flatnonzero(self.windows.place % COARSE == 0)
        rows = np.concatenate([np.arange(self.count), coarse])
        some = self._together(rows[:, None], rows)
        if len(rows) > MOST_COMBINED:
            if self.feasible:
                self._try_pairs(rows[np.argwhere(some)])
            return
        if self.hand.fingers >= 3:
            found = triplets(self.pool.segments[rows], self.pool.normals[rows], self.params.mu, CONTACT_INSET, some)
            chosen = rows[found[0]]
            self._try(chosen, *found[1:], most=TRIED)
        self._try_pairs(rows[np.argwhere(some)])

    def slide(self, step: int) -> None:
        """Move the regions of the best grasps by at most `step` places, in all combinations."""
        from .triplets import these_triplets

        if self.hand.fingers >= 3:
            rows = np.sort(self._moved(self._seeds(SLID), step), axis=1)
            rows = rows[np.unique(self._numbers(rows), return_index=True)[1]]
            found = these_triplets(rows, self.pool.segments, self.pool.normals, self.params.mu, CONTACT_INSET)
            self._try(*found, most=NEIGHBOURS)
        self._try_pairs(np.unique(self._moved(self._pair_seeds(SLID_PAIRS), step), axis=0))

    def _moved(self, seeds: IntArray, step: int) -> IntArray:
        """The grasps (., k) on windows `step` places before, at or after the regions of `seeds` (s, k)."""
        width = seeds.shape[1]
        moves = np.array([move for move in product((-1, 0, 1), repeat=width) if any(move)])
        stays, by = np.repeat(seeds, len(moves), axis=0), np.tile(step * moves, (len(seeds), 1))
        places = self.place[stays]
        moved = self.windows.moved(places, by)
        rows = np.where((by == 0) | (places < 0), stays, np.where(moved < 0, -1, moved + self.count))
        rows = rows[(rows >= 0).all(axis=1)]
        fits = np.ones(len(rows), dtype=bool)
        for i, j in combinations(range(width), 2):
            fits &= self._together(rows[:, i], rows[:, j])
        return rows[fits]

    def best(self) -> ScoredGrasps:
        """The best valid grasp, or else the first one, for every three home regions and thumb placement."""
        every = joined([part.candidates for part in self.scored])
        quality = np.concatenate([part.merit(feasible=self.feasible) for part in self.scored])
        home = self.home[every.region_index]
        key = np.column_stack([home[:, 0], np.sort(home[:, 1:], axis=1), every.virtual, every.pinch])
        order = np.lexsort((np.arange(len(key)), quality, *key.T))
        first = np.ones(len(order), dtype=bool)
        first[1:] = (key[order[1:]] != key[order[:-1]]).any(axis=1)
        rows = np.sort(order[first])
        chosen = every.select(rows)
        # thumb placements on the same contacts share a number; every virtual two-finger grasp has its own
        own = np.where(chosen.virtual, len(self.pool) ** 3 + rows, self._numbers(chosen.region_index))
        chosen = replace(chosen, region_index=home[rows], triplet=np.unique(own, return_inverse=True)[1])
        return gathered(self.scored, rows, chosen)

    def _seeds(self, most: int) -> IntArray:
        """(s, 3) the pool's rows of the best triplets so far, each once, in increasing order within a triplet."""
        rows = np.sort(self._ordered(virtual=False), axis=1)
        _, first = np.unique(self._numbers(rows), return_index=True)
        return rows[np.sort(first)[:most]]

    def _pair_seeds(self, most: int) -> IntArray:
        """(s, 2) the pool's rows, thumb's and fingers', of the best virtual two-finger grasps so far."""
        return self._ordered(virtual=True)[:most, :2]

    def _ordered(self, virtual: bool) -> IntArray:
        """(g, 3) the pool's rows of all valid grasps of one kind, the best first."""
        merits = [part.merit(feasible=self.feasible) for part in self.scored]
        masks = [
            np.isfinite(merit) & (part.candidates.virtual == virtual)
            for part, merit in zip(self.scored, merits, strict=True)
        ]
        rows = [part.candidates.region_index[mask] for part, mask in zip(self.scored, masks, strict=True)]
        quality = [merit[mask] for merit, mask in zip(merits, masks, strict=True)]
        return np.concatenate(rows)[np.argsort(np.concatenate(quality), kind="stable")]

    def _together(self, first: IntArray, second: IntArray) -> BoolArray:
        """Whether two rows of the pool may be used in one grasp: different homes, no overlap, close enough."""
        homes = self.home[first], self.home[second]
        apart = ~overlapping(self.pool.arc[first], self.pool.arc[second], self.perimeter)
        return apart & (homes[0] != homes[1]) & self.allowed[homes]

    def _known(self, chosen: IntArray) -> BoolArray:
        """Which of the triplets (t, 3) have been scored already."""
        seen = [self._numbers(part.candidates.region_index) for part in self.scored]
        return np.isin(self._numbers(chosen), np.concatenate(seen))

    def _numbers(self, rows: IntArray) -> IntArray:
        """One number (t,) for each triplet (t, 3) of rows of the pool, for any order of the rows."""
        size = len(self.pool)
        return np.sort(rows, axis=1) @ np.array([size * size, size, 1])

    def _try(self, chosen: IntArray, foci: Array, contacts: Array, zones: list[Array], most: int) -> None:
        """Solve and score the `most` most promising triplets that are not known yet."""
        promise = np.where(self._known(chosen), np.inf, self._promise(chosen, foci, contacts))
        rows = np.argsort(promise, kind="stable")[:most]
        rows = rows[np.isfinite(promise[rows])]
        if len(rows):
            some = with_thumbs(self.pool, chosen[rows], foci[rows], contacts[rows], [zones[t] for t in rows])
            self.scored.append(self.scorer(some))

    def _try_pairs(self, pairs: IntArray) -> None:
        """Solve and score the virtual two-finger grasps on the pairs (p, 2) of thumb's and fingers' regions."""
        found = self.pairs(self.pool, pairs[(pairs >= self.count).any(axis=1)])
        if found is not None and len(found):
            self.scored.append(self.scorer(found))

    def _promise(self, chosen: IntArray, foci: Array, contacts: Array) -> Array:
        """Estimate of Q from the contacts, before a pose is known: S1 to S4, and C5 if all forces met in the focus."""
        shape, params = self.shape, self.params
        axes = shape.major_axis_mm + shape.minor_axis_mm
        away = np.linalg.norm(foci - shape.centroid_mm, axis=1)
        return (
            criteria.s1(contacts)
            + criteria.s2(contacts, shape.area_mm2, params.W)
            + criteria.s3(contacts, self.pool.segments[chosen], params.lambda_mm)
            + criteria.s4(self.pool.curvature[chosen])
            + 4.0 * params.W * away / axes
        )
