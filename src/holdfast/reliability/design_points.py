"""Design points: the failures nearest to the plan, in standard normal scores; where rare failures mostly happen.

From the weakest of samples that are spread too wide each search steps to where the load limit, taken as linear in the
scores, falls to one, by the shortest way from the middle (Hasofer and Lind). Slopes come from the multipliers and
forces at the limits.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from .dual_terms import limit_slopes
from .sampling import Sampler

#: Searches from single scores, and as many from all; and the steps of each.
STARTS, STEPS = 24, 10

#: Where searches start: single scores so far off, for up to so many scores; and samples so many times too wide.
OUT, MOST_SINGLE, WIDER = 4.0, 200, 2.0

#: Two starts whose directions have a larger cosine are one.
ALIKE = 0.9

#: After this many whole steps, half ones: limits have kinks, at which whole steps go to and fro for ever.
WHOLE_STEPS = 4

#: Step [standard deviations] over which slopes are taken.
DIFFERENCE = 1e-3

#: No search goes further out than this [standard deviations]; failures there are rarer than 1 in 10^15.
FARTHEST = 8.0

#: Searches whose steps are all shorter than this [standard deviations] have arrived.
ARRIVED = 1e-3

#: Of the points on a search's way the best one is near to the middle and at the border; a limit that is off by 1 counts
#: as this many standard deviations.
AMISS = 50.0

#: A point counts when its limit is this near to one.
NEAR = 0.05


def design_points(sampler: Sampler, pilot: int, seed: int, workers: int) -> tuple[Array, int]:
    """((p, size) failures nearest to the middle, load limits asked).

    Args:
        sampler: assembly, load and scatter.
        pilot: samples, spread too wide, of which the weakest are where searches start.
        seed: of the pilot.
        workers: threads.
    """
    single, wide = _candidates(sampler.plan.size, pilot, seed)
    scores = np.concatenate([single, wide])
    limits = sampler.limits(scores, workers)
    cost, values = len(scores), limits.values[:, 0]
    ranked = np.where(limits.multipliers[:, 0].any(axis=1), values, np.inf)
    useful = [*_diverse(single, ranked[: len(single)]), *_diverse(wide, ranked[len(single) :], len(single))]
    z, d, y, forces = scores[useful], values[useful], limits.multipliers[useful, 0], limits.forces[useful, 0]
    best, miss = z.copy(), np.full(len(z), np.inf)
    for step in range(STEPS):
        if not len(z):
            break
        slopes = limit_slopes(sampler, z, y, forces, DIFFERENCE)
        steep = (slopes**2).sum(axis=1)
        going = steep > 0.0
        # The nearest point to the middle where d + slope . (z' - z) = 1.
        along = ((slopes * z).sum(axis=1) - (d - 1.0)) / np.where(going, steep, 1.0)
        target = along[:, None] * slopes
        length = np.linalg.norm(target, axis=1)
        target *= np.minimum(1.0, FARTHEST / np.where(length > 0.0, length, 1.0))[:, None]
        share = 1.0 if step < WHOLE_STEPS else 0.5
        moves = np.where(going[:, None], share * (target - z), 0.0)
        if step and _length(moves).max() < ARRIVED:
            break
        z = z + moves
        found = sampler.limits(z, workers)
        cost += len(z)
        d, y, forces = found.values[:, 0], found.multipliers[:, 0], found.forces[:, 0]
        off = np.where(np.isfinite(d), np.abs(d - 1.0), np.inf)
        closer = _length(z) + AMISS * off < _length(best) + AMISS * miss
        best[closer], miss[closer] = z[closer], off[closer]
        d = np.where(np.isfinite(d), d, 1.0)
    return best[miss <= NEAR], cost


def _candidates(size: int, pilot: int, seed: int) -> tuple[Array, Array]:
    """Scores (c, size) to look for weak specimens among: with one score far off each, and with all twice too wide.

    Alike units are off alike: no way to fail is left out for want of luck, when another of the same kind is found.
    """
    single = OUT * np.concatenate([np.eye(size), -np.eye(size)]) if size <= MOST_SINGLE else np.zeros((0, size))
    wide = WIDER * np.random.default_rng([seed, pilot]).standard_normal((pilot, size))
    return single, wide


def _diverse(scores: Array, limits: Array, first: int = 0) -> list[int]:
    """Numbers, from `first` on, of the weakest samples, no two of which lie in nearly the same direction."""
    chosen: list[int] = []
    units = scores / np.maximum(_length(scores), 1e-300)[:, None]
    for i in np.argsort(limits, kind="stable"):
        if len(chosen) == STARTS or not np.isfinite(limits[i]):
            break
        if all(units[i] @ units[j] < ALIKE for j in chosen):
            chosen.append(int(i))
    return [first + i for i in chosen]


def _length(z: Array) -> Array:
    return np.linalg.norm(z, axis=1)
