"""Sliding grasps along smooth contours: each takes the best of the places that its regions could as well have.

Where a contour bends smoothly, its division into regions is arbitrary, and so would be the best grasp. Grasps
therefore are also tried on windows (`windows`) between their regions and the next; the best counts. Contacts alone,
without a pose of the hand, already tell a good part of Q: poses are solved only of the triplets that promise most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array, BoolArray, IntArray
from . import criteria
from .candidates import Candidates, joined, virtual_candidates, with_thumbs
from .focus import CONTACT_INSET
from .scoring import ScoredGrasps, gathered
from .windows import Windows, overlapping

if TYPE_CHECKING:
    from .regions import Regions

#: Every so many places a window is tried in all combinations, before the best of them are slid.
COARSE = 8

#: With more regions and windows than this, combinations are not tried: grasps are only slid.
MOST_COMBINED = 72

#: Triplets of windows whose poses are solved, from those that promise most.
TRIED = 400

#: Triplets that are slid further, and how many of their neighbours are tried in each round.
SLID, NEIGHBOURS = 32, 128

#: Rounds of sliding: by how many places.
STEPS = (4, 2, 1)

#: Virtual two-finger grasps that are slid further.
SLID_PAIRS = 12


def slide(
    base: ScoredGrasps,
    regions: Regions,
    windows: Windows,
    perimeter: float,
    allowed: BoolArray,
    scorer: Callable[[Candidates], ScoredGrasps],
) -> ScoredGrasps:
    """The grasps of `base`, each with the best contacts found nearby, and those that only windows made possible.

    Args:
        base: the scored grasps of the regions alone.
        regions: these regions.
        windows: the contour's windows.
        perimeter: length of the contour [mm].
        allowed: (r, r) which two regions may serve one grasp.
        scorer: solves the hand's poses at candidates and scores them.
    """
    if not len(windows):
        return base
    search = _Search(base, regions, windows, perimeter, allowed, scorer)
    search.combine()
    for step in STEPS:
        search.slide(step)
    return search.best()


class _Search:
    """What has been scored so far; rows of `pool` are the regions and, after them, the windows."""

    def __init__(
        self,
        base: ScoredGrasps,
        regions: Regions,
        windows: Windows,
        perimeter: float,
        allowed: BoolArray,
        scorer: Callable[[Candidates], ScoredGrasps],
    ) -> None:
        self.pool = regions.joined(windows.regions)
        self.windows, self.scorer = windows, scorer
        self.count = len(regions)
        self.home = np.concatenate([np.arange(self.count), windows.home])
        self.place = np.concatenate([windows.nearest, windows.place])
        self.perimeter, self.allowed = perimeter, allowed
        self.hand, self.shape, self.params = base.hand, base.shape, base.params
        self.scored = [base]

    def combine(self) -> None:
        """Try all combinations of the regions with a coarse choice of windows, the most promising first."""
        from .kernels.focus_zones import triplets

        coarse = self.count + np.flatnonzero(self.windows.place % COARSE == 0)
        rows = np.concatenate([np.arange(self.count), coarse])
        if len(rows) > MOST_COMBINED:
            return
        some = self._together(rows[:, None], rows)
        if self.hand.fingers >= 3:
            found = triplets(self.pool.segments[rows], self.pool.normals[rows], self.params.mu, CONTACT_INSET, some)
            chosen = rows[found[0]]
            self._try(chosen, *found[1:], most=TRIED)
        self._try_pairs(rows[np.argwhere(some)])

    def slide(self, step: int) -> None:
        """Move the regions of the best grasps by `step` places at most, in all combinations."""
        from .kernels.focus_zones import these_triplets

        if self.hand.fingers >= 3:
            rows = np.sort(self._moved(self._seeds(SLID), step), axis=1)
            rows = rows[np.unique(self._numbers(rows), return_index=True)[1]]
            found = these_triplets(rows, self.pool.segments, self.pool.normals, self.params.mu, CONTACT_INSET)
            self._try(*found, most=NEIGHBOURS)
        self._try_pairs(np.unique(self._moved(self._pair_seeds(SLID_PAIRS), step), axis=0))

    def _moved(self, seeds: IntArray, step: int) -> IntArray:
        """The grasps (., k) on windows `step` places before, at or after the regions of `seeds` (s, k), where fit."""
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
        """Of every three home regions and thumb placement the best valid grasp, or else the first one."""
        every = joined([part.candidates for part in self.scored])
        quality = np.concatenate([np.where(part.valid, part.quality, np.inf) for part in self.scored])
        home = self.home[every.region_index]
        key = np.column_stack([home[:, 0], np.sort(home[:, 1:], axis=1), every.virtual])
        order = np.lexsort((np.arange(len(key)), quality, *key.T))
        first = np.ones(len(order), dtype=bool)
        first[1:] = (key[order[1:]] != key[order[:-1]]).any(axis=1)
        rows = np.sort(order[first])
        chosen = every.select(rows)
        # thumb placements on the same contacts share a number; virtual two-finger grasps have each their own
        own = np.where(chosen.virtual, len(self.pool) ** 3 + rows, self._numbers(chosen.region_index))
        chosen = replace(chosen, region_index=home[rows], triplet=np.unique(own, return_inverse=True)[1])
        return gathered(self.scored, rows, chosen)

    def _seeds(self, most: int) -> IntArray:
        """(s, 3) the pool's rows of the best triplets so far, each once, in rising order within a triplet."""
        rows = np.sort(self._ordered(virtual=False), axis=1)
        _, first = np.unique(self._numbers(rows), return_index=True)
        return rows[np.sort(first)[:most]]

    def _pair_seeds(self, most: int) -> IntArray:
        """(s, 2) the pool's rows, thumb's and fingers', of the best virtual two-finger grasps so far."""
        return self._ordered(virtual=True)[:most, :2]

    def _ordered(self, virtual: bool) -> IntArray:
        """(g, 3) the pool's rows of all valid grasps of one kind, the best first."""
        masks = [part.valid & (part.candidates.virtual == virtual) for part in self.scored]
        rows = [part.candidates.region_index[mask] for part, mask in zip(self.scored, masks, strict=True)]
        quality = [part.quality[mask] for part, mask in zip(self.scored, masks, strict=True)]
        return np.concatenate(rows)[np.argsort(np.concatenate(quality), kind="stable")]

    def _together(self, first: IntArray, second: IntArray) -> BoolArray:
        """Whether two rows of the pool may serve one grasp: other homes, apart along the contour, near enough."""
        homes = self.home[first], self.home[second]
        apart = ~overlapping(self.pool.arc[first], self.pool.arc[second], self.perimeter)
        return apart & (homes[0] != homes[1]) & self.allowed[homes]

    def _known(self, chosen: IntArray) -> BoolArray:
        """Which of the triplets (t, 3) have been scored already."""
        seen = [self._numbers(part.candidates.region_index) for part in self.scored]
        return np.isin(self._numbers(chosen), np.concatenate(seen))

    def _numbers(self, rows: IntArray) -> IntArray:
        """One number (t,) for each triplet (t, 3) of rows of the pool, whatever their order."""
        size = len(self.pool)
        return np.sort(rows, axis=1) @ np.array([size * size, size, 1])

    def _try(self, chosen: IntArray, foci: Array, contacts: Array, zones: list[Array], most: int) -> None:
        """Solve and score the `most` triplets that promise most, other than those known already."""
        promise = np.where(self._known(chosen), np.inf, self._promise(chosen, foci, contacts))
        rows = np.argsort(promise, kind="stable")[:most]
        rows = rows[np.isfinite(promise[rows])]
        if len(rows):
            some = with_thumbs(self.pool, chosen[rows], foci[rows], contacts[rows], [zones[t] for t in rows])
            self.scored.append(self.scorer(some))

    def _try_pairs(self, pairs: IntArray) -> None:
        """Solve and score the virtual two-finger grasps on the pairs (p, 2) of thumb's and fingers' regions."""
        if not (self.hand.virtual or self.hand.fingers == 2):
            return
        fresh = pairs[(pairs >= self.count).any(axis=1)]
        found = virtual_candidates(self.pool, self.hand.pivot_offset, self.params.mu, fresh)
        if len(found):
            self.scored.append(self.scorer(found))

    def _promise(self, chosen: IntArray, foci: Array, contacts: Array) -> Array:
        """What the contacts tell of Q before a pose is known: S1 to S4, and C5 as if all forces met in the focus."""
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
