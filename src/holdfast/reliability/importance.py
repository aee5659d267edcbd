"""Rare failures: samples drawn where failures are, and weighted back (importance sampling).

Scores are drawn from a mixture of normal distributions, each shifted to a failure near the plan (`design_points`): one
for every way to fail, since either of two units may be the weak one. A tenth of the samples stays where it was, so that
no weight exceeds ten and the estimate is right even if a way to fail was missed; it is then merely less sharp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..errors import InputError
from .confidence import share_interval
from .drawing import checked_seed
from .modes import Mixture, mixture_at
from .scatter import Scatter

if TYPE_CHECKING:
    from ..solvers import Exact
    from .sampling import Sampler

#: Share of the samples that is drawn without a shift.
PLAIN_SHARE = 0.1

#: With fewer effective failures than this, the interval does not rely on their weights.
LEAST_FAILURES = 20.0


@dataclass(frozen=True, eq=False)
class FailureProbability:
    """How often a load is not held, where that is rare.

    Attributes:
        sampler: assembly, load and scatter.
        seed: of the draws.
        weights: (n,) density as planned over that drawn from; 1 where nothing was shifted.
        outcomes: (n,) 1 holds, 0 does not, -1 undecided.
        strata: (n,) the part of the mixture each sample came from; 0 is the plain one.
        scores: (n, size) of the samples.
        mixture: shifts and shares of the parts.
        confidence: of `interval`.
        pilot: load limits that finding the shifts has cost.
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
        """Samples, without those of the pilot."""
        return len(self.weights)

    @property
    def value(self) -> float:
        """Estimate of the probability of failure, without bias below 1; undecided samples count as holding."""
        return min(1.0, float((self.weights * (self.outcomes == 0)).mean()))

    @property
    def undecided(self) -> int:
        """Samples without a verdict; the interval allows for both."""
        return int((self.outcomes == -1).sum())

    @property
    def variance(self) -> float:
        """Estimated variance of `value`, a little on the large side."""
        return self._variance(self.outcomes == 0)

    @property
    def effective_failures(self) -> float:
        """Equally weighted failures that would say as much: (sum w)^2 / sum w^2 over failing samples."""
        return _effective(self.weights[self.outcomes == 0])

    @property
    def effective_size(self) -> float:
        """The same over all samples."""
        return _effective(self.weights)

    @property
    def plain_samples(self) -> float:
        """Samples that plain drawing would need for the same variance; nan without failures."""
        rare = self.variance > 0.0 and self.value < 1.0
        return self.value * (1.0 - self.value) / self.variance if rare else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """(low, high) of the probability of failure.

        The exact interval of a Poisson count, of as many failures as there are effective ones: right for equal weights
        and, tried on closed forms, for those of the mixture. With fewer than 20 effective failures it is widened by
        the exact interval of the samples that were drawn without a shift. So it is where joints or pieces demand
        forces: a specimen may then fail below its load limit, which is what the shifts are found by.
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
        """The figures as plain data."""
        return {
            "failure": self.value,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "variance": self.variance,
            "n": self.n,
            "pilot": self.pilot,
            "undecided": self.undecided,
            "effective_size": self.effective_size,
            "effective_failures": self.effective_failures,
            "plain_samples": self.plain_samples,
            "seed": self.seed,
        }

    def _variance(self, failing: Array) -> float:
        # As if the parts of the mixture had been drawn by lot: a little more than the variance really is, since every
        # part got its share.
        return float((self.weights * failing).var(ddof=1)) / self.n

    def _counted(self, failing: Array) -> tuple[float, float]:
        """Interval of the failing samples' weight, as if it came in equal parts, one for each effective failure."""
        from scipy.special import gammaincinv

        value, count = float((self.weights * failing).mean()), _effective(self.weights[failing])
        if value == 0.0:
            return 0.0, 0.0
        tail = 0.5 * (1.0 - self.confidence)
        low, high = gammaincinv(count, tail) / count, gammaincinv(count + 1.0, 1.0 - tail) / count
        return value * float(low), min(1.0, value * float(high))


def failure_probability(
    assembly: Assembly,
    wrench: ArrayLike,
    scatter: Scatter,
    *,
    n: int = 2_000,
    pilot: int = 100,
    seed: int = 0,
    confidence: float = 0.95,
    threads: int | None = None,
    groups: Sequence[str] | None = None,
    weight: ArrayLike | None = None,
    method: Exact | None = None,
) -> FailureProbability:
    """The probability that a load is NOT held, by importance sampling: for failures of 1 in 1,000 and rarer.

    Args:
        assembly: contacts and joint rows as planned.
        wrench: (6,) external wrench on the object.
        scatter: what varies.
        n: samples that are counted.
        pilot: samples whose load limits tell where to look for failures.
        seed: of the draws.
        confidence: of the interval.
        threads, groups, weight, method: as in `probability`.
    """
    from .design_points import design_points
    from .sampling import Sampler, thread_count

    count, each = checks.count("n", n, low=20), checks.count("pilot", pilot, low=50)
    checks.number("confidence", confidence, low=0.0, high=1.0, ends="open")
    chosen, workers = checked_seed(seed), thread_count(threads)
    sampler = Sampler.of(assembly, wrench, scatter, groups=groups, weight=weight, method=method)
    if not sampler.wrench.any():
        raise InputError("is the zero wrench", where="wrench", fix="give a load")
    if not sampler.plan.size:
        raise InputError("nothing varies", where="scatter", fix="give some scatter, or ask hf.equilibrium")
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
