"""Rare failures: samples are drawn near failures and weighted accordingly (importance sampling).

Design points are the failures nearest to the plan, in standard normal scores, where most rare failures happen. Searches
start at the weakest of samples with too wide a spread. Each step goes to the point nearest to the origin where the load
limit, linearised in the scores, is one (Hasofer and Lind). Slopes come from the multipliers and forces at the limits.

Scores are then drawn from a mixture of normal distributions, each shifted to one design point: one for every way to
fail, since any of several units may be the weak one. A tenth of the samples is drawn without a shift, so that no weight
exceeds ten and the estimate has no bias even if a way to fail was missed; its interval is then wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks
from ..assembly.assembly import Assembly, Load
from ..checks import Array, IntArray
from ..errors import InputError
from ..public_names import with_advice
from ..results import Result
from ..solvers import Exact
from ..statics.solver import thread_count
from .probabilities import share_interval
from .sampling import Sampler, limit_slopes
from .scatter import Scatter

# Failures nearest to the plan.

#: Number of searches from single scores, and the same number from all scores; and the steps of each.
STARTS, STEPS = 24, 10

#: Starts of searches: single scores at this distance, for up to this many scores; and samples with this factor of
#: spread.
OUT, MOST_SINGLE, WIDER = 4.0, 200, 2.0

#: Two starts whose directions have a larger cosine count as one.
ALIKE = 0.9

#: After this many full steps, half steps: limits have kinks, between which full steps may alternate forever.
WHOLE_STEPS = 4

#: Step for slopes [standard deviations].
DIFFERENCE = 1e-3

#: Largest distance of a search from the plan [standard deviations]; failures there are rarer than 1 in 10^15.
FARTHEST = 8.0

#: Searches whose steps are all shorter than this [standard deviations] have converged.
ARRIVED = 1e-3

#: The best point of a search is near the origin and at the border; a limit that differs from one by 1 counts as this
#: many standard deviations.
AMISS = 50.0

#: A point counts when its limit differs from one by at most this.
NEAR = 0.05


def design_points(sampler: Sampler, pilot: int, seed: int, workers: int) -> tuple[Array, int]:
    """((p, size) failures nearest to the origin, number of load limits computed).

    Args:
        sampler: assembly, load and scatter.
        pilot: number of samples with too wide a spread; searches start at the weakest.
        seed: random seed of the pilot.
        workers: number of threads.
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
        # The nearest point to the origin where d + slope . (z' - z) = 1.
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
    """Scores (c, size) for the search of weak specimens: single distant scores, and all with twice the spread.

    Equal units are treated equally, so that all their failures are found if one is.
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


# Where samples are drawn.

#: Largest number of parts of a mixture in addition to the part without shift.
MOST_MODES = 16

#: Failures closer than this, in standard deviations, are one mode.
SAME_MODE = 0.75


@dataclass(frozen=True, eq=False)
class Mixture:
    """Parts of unit variance, each with a shift; part 0 has none.

    Attributes:
        shifts: (c, size) mean scores of the parts.
        shares: (c,) fraction of the samples in each part; they sum to one.
    """

    shifts: Array
    shares: Array

    def strata(self, n: int) -> IntArray:
        """(n,) the part of each sample, evenly distributed; every part gets its fraction up to one sample."""
        ends = np.cumsum(self.shares)
        counts = np.diff(np.floor(np.append(0.0, ends) * n + 0.5).astype(np.int64))
        order = np.concatenate([(np.arange(c) + 0.5) / max(c, 1) for c in counts])
        parts = np.repeat(np.arange(len(counts)), counts)
        return parts[np.argsort(order, kind="stable")]

    def weights(self, scores: Array) -> Array:
        """(n,) density of scores without shift divided by that of the mixture (n as for `strata`).

        With the fractions that the n samples really have, so that weighted means have no bias.
        """
        given = np.bincount(self.strata(len(scores)), minlength=len(self.shares)) / len(scores)
        tilts = scores @ self.shifts.T - 0.5 * (self.shifts**2).sum(axis=1)
        top = tilts.max(axis=1, keepdims=True)
        return np.exp(-top[:, 0]) / (np.exp(tilts - top) @ given)


def mixture_at(points: Array, size: int, plain_share: float) -> Mixture:
    """Parts at the failures (p, size) nearest to the origin, and a part without shift with the fraction `plain_share`.

    Points close together count once. A part at distance b gets a fraction in proportion to Phi(-b), the probability
    beyond a plane at that distance.
    """
    from scipy.special import log_ndtr

    kept: list[Array] = []
    for point in points[np.argsort(np.linalg.norm(points, axis=1), kind="stable")]:
        if len(kept) < MOST_MODES and all(np.linalg.norm(point - other) > SAME_MODE for other in kept):
            kept.append(point)
    if not kept:
        return Mixture(np.zeros((1, size)), np.ones(1))
    shifts = np.array(kept)
    beyond = log_ndtr(-np.linalg.norm(shifts, axis=1))
    shares = np.exp(beyond - beyond.max())
    shares *= (1.0 - plain_share) / shares.sum()
    return Mixture(np.concatenate([np.zeros((1, size)), shifts]), np.append(plain_share, shares))


# Importance sampling.

#: Fraction of the samples that is drawn without a shift.
PLAIN_SHARE = 0.1

#: With fewer effective failures than this, the interval does not depend on their weights only.
LEAST_FAILURES = 20.0


#: Results of a failure probability, by name.
_RARE_FIGURES = (
    *("confidence", "variance", "n", "pilot", "undecided"),
    *("effective_size", "effective_failures", "plain_samples", "seed"),
)


@dataclass(frozen=True, eq=False)
class FailureProbability(Result):
    """The probability that a load is not held, where that is rare.

    Attributes:
        sampler: assembly, load and scatter.
        seed: random seed.
        weights: (n,) density without shift divided by the density of the mixture; 1 without shifts.
        outcomes: (n,) 1 holds, 0 does not, -1 undecided.
        strata: (n,) the part of the mixture each sample came from; 0 has no shift.
        scores: (n, size) of the samples.
        mixture: shifts and shares of the parts.
        confidence: confidence level of `interval`.
        pilot: number of load limits for finding the shifts.
    """

    sampler: Sampler
    seed: int
    weights: Array
    outcomes: IntArray
    strata: IntArray
    scores: Array
    mixture: Mixture
    confidence: float
    pilot: int

    def __repr__(self) -> str:
        low, high = self.interval
        words = f"{low:.3g} to {high:.3g} with {100 * self.confidence:g} %"
        return f"FailureProbability({self.value:.4g}, {words}, n = {self.n} + {self.pilot})"

    @property
    def n(self) -> int:
        """Number of samples, without those of the pilot."""
        return len(self.weights)

    @property
    def value(self) -> float:
        """Unbiased estimate of the probability of failure, at most 1; undecided samples count as holding."""
        return min(1.0, float((self.weights * (self.outcomes == 0)).mean()))

    @property
    def undecided(self) -> int:
        """Number of samples without a verdict; the interval covers both cases."""
        return int((self.outcomes == -1).sum())

    @property
    def variance(self) -> float:
        """Estimated variance of `value`, slightly too large: as if the part of each sample were random."""
        return float((self.weights * (self.outcomes == 0)).var(ddof=1)) / self.n

    @property
    def effective_failures(self) -> float:
        """Number of equally weighted failures with the same information: (sum w)^2 / sum w^2 over failing samples."""
        return _effective(self.weights[self.outcomes == 0])

    @property
    def effective_size(self) -> float:
        """The same for all samples."""
        return _effective(self.weights)

    @property
    def plain_samples(self) -> float:
        """Number of samples without importance sampling that would give the same variance; nan without failures."""
        rare = self.variance > 0.0 and self.value < 1.0
        return self.value * (1.0 - self.value) / self.variance if rare else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """(low, high) of the probability of failure.

        The exact interval of a Poisson count, with the number of effective failures as count. It is valid for equal
        weights and, by tests on closed forms, for those of the mixture. With fewer than 20 effective failures it is
        widened by the exact interval of the samples without shift. It is also widened if joints or pieces need forces:
        a specimen may then fail below its load limit, from which the shifts are found.
        """
        low, high = self._counted(self.outcomes == 0)[0], self._counted(self.outcomes != 1)[1]
        if self.effective_failures >= LEAST_FAILURES and self.sampler.every_smaller_load_holds:
            return low, high
        plain = self.strata == 0
        failures, open_ = int((self.outcomes[plain] == 0).sum()), int((self.outcomes[plain] == -1).sum())
        exact = share_interval(failures, int(plain.sum()), self.confidence, open_)
        return min(low, exact[0]), max(high, exact[1])

    def sample(self, index: int) -> tuple[Assembly, Array]:
        """(assembly, wrench (6,)) of sample `index`, for `hf.equilibrium`."""
        return self.sampler.sample(self.scores[checks.count("index", index, low=0)])

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data."""
        return {
            "failure": self.value,
            "interval": list(self.interval),
            **{name: getattr(self, name) for name in _RARE_FIGURES},
        }

    def _counted(self, failing: Array) -> tuple[float, float]:
        """Interval of the failing samples' weight, as if it consisted of equal parts, one per effective failure."""
        from scipy.special import gammaincinv

        value, count = float((self.weights * failing).mean()), _effective(self.weights[failing])
        if value == 0.0:
            return 0.0, 0.0
        tail = 0.5 * (1.0 - self.confidence)
        low, high = gammaincinv(count, tail) / count, gammaincinv(count + 1.0, 1.0 - tail) / count
        return value * float(low), min(1.0, value * float(high))


@with_advice()
def failure_probability(
    assembly: Assembly,
    wrench: Load,
    scatter: Scatter,
    *,
    n: int = 2_000,
    pilot: int = 100,
    seed: int = 0,
    confidence: float = 0.95,
    threads: int | None = None,
    groups: Sequence[str] | None = None,
    weight: Load | None = None,
    method: Exact | None = None,
) -> FailureProbability:
    """The probability that a load is NOT held, by importance sampling: for failures of 1 in 1,000 and rarer.

    Args:
        assembly: contacts and joint rows as planned.
        wrench: (6,) external wrench on the object [N, N m about the world origin].
        scatter: what varies.
        n: number of samples.
        pilot: number of samples whose load limits show where failures are.
        seed: random seed.
        confidence: confidence level of the interval.
        threads, groups, weight, method: as in `probability`.
    """
    count, each = checks.count("n", n, low=20), checks.count("pilot", pilot, low=50)
    checks.number("confidence", confidence, low=0.0, high=1.0, ends="open")
    chosen, workers = checks.seed(seed), thread_count(threads)
    sampler = Sampler.of(assembly, wrench, scatter, groups=groups, weight=weight, method=method)
    if not sampler.wrench.any():
        raise InputError("is the zero wrench", where="wrench", fix="give a load")
    if not sampler.plan.size:
        raise InputError("nothing varies", where="scatter", fix="give some scatter, or use hf.equilibrium")
    points, cost = design_points(sampler, each, chosen, workers)
    mixture = mixture_at(points, sampler.plan.size, PLAIN_SHARE)
    strata = mixture.strata(count)
    scores = sampler.plan.scores(chosen, 0, count) + mixture.shifts[strata]
    outcomes = sampler.tests(scores, workers)
    return FailureProbability(
        sampler, chosen, mixture.weights(scores), outcomes, strata, scores, mixture, confidence, cost
    )


def _effective(weights: Array) -> float:
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0.0 else 0.0
