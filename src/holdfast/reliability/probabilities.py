"""Probability of holding: the share of specimens that hold a load, with an interval that can be relied on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..errors import InputError
from .confidence import confidence_a_look, difference_interval, looks, share_interval
from .drawing import checked_seed
from .scatter import Scatter

if TYPE_CHECKING:
    from ..solvers import Exact
    from .sampling import Sampler

#: What became of a sample; see `sampling`.
HOLDS, FAILS, UNDECIDED = 1, 0, -1


@dataclass(frozen=True, eq=False)
class Probability:
    """How surely a load is held.

    Attributes:
        sampler: assembly, load and scatter that samples were drawn from.
        seed: of the draws; the same seed gives the same samples.
        outcomes: (n,) of each sample: 1 holds, 0 does not, -1 undecided.
        confidence: with which `interval` covers the probability, early stop or not.
        schedule: numbers of samples at which the interval was, or would have been, looked at.
    """

    sampler: Sampler
    seed: int
    outcomes: IntArray
    confidence: float
    schedule: tuple[int, ...]

    def __repr__(self) -> str:
        low, high = self.interval
        return f"Probability({self.value:.4g}, {low:.4g} to {high:.4g} with {100 * self.confidence:g} %, n = {self.n})"

    @property
    def n(self) -> int:
        """Samples drawn."""
        return len(self.outcomes)

    @property
    def holding(self) -> int:
        """Samples proven to hold."""
        return int((self.outcomes == HOLDS).sum())

    @property
    def failures(self) -> int:
        """Samples proven not to hold."""
        return int((self.outcomes == FAILS).sum())

    @property
    def undecided(self) -> int:
        """Samples of which neither was proven within the method's limits."""
        return int((self.outcomes == UNDECIDED).sum())

    @property
    def value(self) -> float:
        """Share of the decided samples that hold; nan when none was decided."""
        decided = self.n - self.undecided
        return self.holding / decided if decided else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """(low, high) for the probability of holding, by Clopper and Pearson, with at least `confidence`.

        Undecided samples count as failures for the low end and as holding for the high one. With several looks the
        risk is split evenly among them (Bonferroni), so that an early stop takes nothing away.
        """
        confidence = confidence_a_look(self.confidence, len(self.schedule))
        return share_interval(self.holding, self.n, confidence, self.undecided)

    @property
    def failing(self) -> IntArray:
        """Numbers of the samples that do not hold; `sample` gives them in full."""
        return np.nonzero(self.outcomes == FAILS)[0]

    def sample(self, index: int) -> tuple[Assembly, Array]:
        """(assembly, wrench (6,)) of sample `index`: `hf.equilibrium` of the two gives its verdict with its proof."""
        i = checks.count("index", index, low=0)
        return self.sampler.sample(self.sampler.plan.scores(self.seed, i, i + 1)[0])

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {
            "value": self.value,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "n": self.n,
            "holding": self.holding,
            "failures": self.failures,
            "undecided": self.undecided,
            "seed": self.seed,
            "looks": len(self.schedule),
        }


def probability(
    assembly: Assembly,
    wrench: ArrayLike,
    scatter: Scatter,
    *,
    n: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    width: float | None = None,
    threads: int | None = None,
    groups: Sequence[str] | None = None,
    weight: ArrayLike | None = None,
    method: Exact | None = None,
) -> Probability:
    """The probability that an external wrench is held, when contacts, positions and mass stray from what was planned.

    The same seed and scatter draw the same for every design whose units have the same names: differences between
    designs then show with far fewer samples (`compare_probabilities`).

    Args:
        assembly: contacts and joint rows as planned.
        wrench: (6,) external force [N] and torque [N m] about the world origin, on the object.
        scatter: what varies, and how much.
        n: samples, at most.
        seed: of the draws.
        confidence: of the interval.
        width: stop as soon as the interval is no wider; looked at after 512, 1024, 2048, ... samples.
        threads: as many as there are cores by default; the answer does not depend on it.
        groups: (k,) names of the units that contacts belong to; by the names of the contacts by default.
        weight: (6,) the part of `wrench` that errors of mass and centre of mass change; all of it by default.
        method: how samples are solved.
    """
    from .sampling import Sampler, thread_count

    count, workers = checks.count("n", n), thread_count(threads)
    checks.number("confidence", confidence, low=0.0, high=1.0, ends="open")
    wanted = None if width is None else checks.number("width", width, low=0.0, high=1.0, ends="open low")
    sampler = Sampler.of(assembly, wrench, scatter, groups=groups, weight=weight, method=method)
    chosen, schedule = checked_seed(seed), looks(count, wanted)
    found = Probability(sampler, chosen, np.zeros(0, dtype=np.int64), confidence, schedule)
    for end in schedule:
        new = sampler.tests(sampler.plan.scores(chosen, found.n, end), workers)
        found = replace(found, outcomes=np.concatenate([found.outcomes, new]))
        low, high = found.interval
        if wanted is not None and high - low <= wanted:
            break
    return found


@dataclass(frozen=True)
class ProbabilityDifference:
    """Two designs on the same draws.

    Attributes:
        value: probability of the first less that of the second.
        interval: (low, high) with at least `confidence`.
        only_first, only_second: pairs of which only the one design holds.
        undecided: pairs in which a verdict is missing; both ends of the interval allow for the worst of them.
        n: pairs.
        confidence: of the interval.
    """

    value: float
    interval: tuple[float, float]
    only_first: int
    only_second: int
    undecided: int
    n: int
    confidence: float


def compare_probabilities(
    first: Probability, second: Probability, *, confidence: float | None = None
) -> ProbabilityDifference:
    """By how much one design is surer than another, from the same draws.

    Sample i of the one and sample i of the other are a pair: units of the same name are equally strong in both. Pairs
    with the same verdict say nothing, so that the interval is far narrower than that of two separate estimates.

    Args:
        first, second: results of `probability` with the same seed, of designs whose units have the same names.
        confidence: of the interval; that of `first` by default.
    """
    for name, given in (("first", first), ("second", second)):
        checks.instance(name, given, Probability, fix="give a result of holdfast.probability")
    if first.seed != second.seed:
        fix = "draw both with the same seed, so that their samples are pairs"
        raise InputError(f"has the seed {second.seed}, the first {first.seed}", where="second", fix=fix)
    wanted = first.confidence if confidence is None else confidence
    n = min(first.n, second.n)
    a, b = first.outcomes[:n], second.outcomes[:n]
    only_first, only_second = int(((a == HOLDS) & (b == FAILS)).sum()), int(((a == FAILS) & (b == HOLDS)).sum())
    worst_first = int(((a != FAILS) & (b != HOLDS)).sum())
    worst_second = int(((a != HOLDS) & (b != FAILS)).sum())
    undecided = int(((a == UNDECIDED) | (b == UNDECIDED)).sum())
    # The number of pairs may have been decided by looking at the samples: one interval for each that it could be.
    each = confidence_a_look(wanted, len({*first.schedule, *second.schedule}))
    low = difference_interval(only_first, worst_second, n, each)[0]
    high = difference_interval(worst_first, only_second, n, each)[1]
    value = (only_first - only_second) / n
    return ProbabilityDifference(value, (low, high), only_first, only_second, undecided, n, wanted)
