"""Probability of holding: the fraction of specimens that hold a load, with guaranteed intervals.

`probability` counts specimens that hold; `compare_probabilities` compares two designs on the same draws;
`load_limit_samples` gives the load limit of every specimen, from which follow quantiles, the probability against the
size of the load (`size_curve`), and the units at their limit (`failure_modes`); `probability_along` follows a path such
as rotating gravity; `quantile_volume` gives the loads that are held with a given probability, ray by ray.

Failure modes: at its limit d a specimen obeys d = sum of h_i(y) + the joints' part, where h_i is the support of contact
i's forces along the multipliers y (scaled so that -y . load = 1). A unit's share of that sum is how much of the limit
depends on its strength: 1 % more strength raises the limit by that share of 1 %. A unit without a share is not at its
limit. Several units with a share fail together; their order while the load grows does not follow from limits. The main
cause is the unit whose deviation from the plan lowers the limit most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, Load, SceneLike, asked_about
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError
from ..public_names import with_advice
from ..results import Result
from ..solvers import Exact
from ..statics.solver import Solver, thread_count
from .sampling import FAILS, HOLDS, UNDECIDED, Sampler, dual_terms, planned_supports
from .scatter import BLOCK, Scatter

# Intervals for fractions and quantiles.

#: Number of samples at the first check, when a given width may end the sampling early; it doubles at each further
#: check.
FIRST_LOOK = 512


def share_interval(count: int, n: int, confidence: float, undecided: int = 0) -> tuple[float, float]:
    """Clopper-Pearson interval for the probability of an event with `count` of `n` draws: never too narrow.

    It covers any probability with at least `confidence`. `undecided` further draws may count or not: the
    lower end counts none of them, the upper end all.
    """
    from scipy.special import betaincinv

    tail = 0.5 * (1.0 - checks.number("confidence", confidence, low=0.0, high=1.0, ends="open"))
    if n == 0:
        return 0.0, 1.0
    most = count + undecided
    low = 0.0 if count == 0 else float(betaincinv(count, n - count + 1, tail))
    high = 1.0 if most == n else float(betaincinv(most + 1, n - most, 1.0 - tail))
    return low, high


def difference_interval(more: int, less: int, n: int, confidence: float) -> tuple[float, float]:
    """Interval for P(more) - P(less) from n pairs, `more` of which differ in one sense and `less` in the other.

    Both fractions get an exact interval with half of the risk; their difference covers with at least `confidence`.
    """
    each = 1.0 - 0.5 * (1.0 - confidence)
    low_more, high_more = share_interval(more, n, each)
    low_less, high_less = share_interval(less, n, each)
    return low_more - high_less, high_more - low_less


def quantile_index(n: int, share: float) -> int:
    """Index of the largest of n ordered draws such that at most `share` of the draws are below it.

    A share such as 1 - 0.9 differs from 0.1 by rounding; the rounding error of share * n is ignored.
    """
    return min(n - 1, int(np.floor(share * n + tolerances.ROUNDING * n)))


def quantile_ranks(n: int, share: float, confidence: float) -> tuple[int, int]:
    """(low, high) ranks from 1 to n of the ordered draws between which the quantile at `share` lies.

    Rank 0 stands for minus infinity and n + 1 for plus infinity, where there are too few draws. Valid for every
    distribution: the number of draws below the quantile is binomial.
    """
    from scipy.special import bdtr

    tail = 0.5 * (1.0 - confidence)
    below = bdtr(np.arange(n + 1), n, share)  # P(at most j draws lie below the quantile)
    # The quantile is at or above the draw of rank r unless fewer than r draws lie below it.
    low = int(np.searchsorted(below, tail, side="right"))
    high = int(np.searchsorted(below, 1.0 - tail, side="left")) + 1
    return min(low, n), min(high, n + 1)


def quantile_bounds(values: Array, bounds: Array, share: float, confidence: float) -> tuple[Array, Array, Array]:
    """(r,) value, lower and upper end of the quantile at `share` of limits (n, r) that are at most `bounds` (n, r).

    Ends are order statistics, valid for any distribution; -inf or inf where the samples are too few.
    """
    n, ordered = len(values), np.sort(values, axis=0)
    low, high = quantile_ranks(n, share, confidence)
    lower = np.full(values.shape[1], -np.inf) if low == 0 else ordered[low - 1]
    upper = np.full(values.shape[1], np.inf) if high > n else np.sort(bounds, axis=0)[high - 1]
    return ordered[quantile_index(n, share)], lower, upper


def looks(n: int, width: float | None) -> tuple[int, ...]:
    """Numbers of samples after which the interval is checked: only n, or doublings up to n when `width` may stop it.

    With L checks each interval is made with 1/L of the risk (Bonferroni), so that the last one covers with
    the stated confidence.
    """
    if width is None or n <= FIRST_LOOK:
        return (n,)
    schedule = [FIRST_LOOK]
    while 2 * schedule[-1] < n:
        schedule.append(2 * schedule[-1])
    return (*schedule, n)


def confidence_per_look(confidence: float, count: int) -> float:
    """The confidence of each of `count` intervals that together cover with `confidence`."""
    return 1.0 - (1.0 - confidence) / count


# The probability of holding.

#: Results of a probability, by name.
_FIGURES = ("value", "confidence", "n", "holding", "failures", "undecided", "seed")


@dataclass(frozen=True, eq=False)
class Probability(Result):
    """The probability that a load is held.

    Attributes:
        sampler: assembly, load and scatter that samples were drawn from.
        seed: random seed.
        outcomes: (n,) outcome of each sample: 1 holds, 0 does not, -1 undecided.
        confidence: confidence level of `interval`, also with an early stop.
        schedule: numbers of samples at which the interval was, or would have been, checked.
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
        """Number of samples."""
        return len(self.outcomes)

    @property
    def holding(self) -> int:
        """Number of samples proven to hold."""
        return int((self.outcomes == HOLDS).sum())

    @property
    def failures(self) -> int:
        """Number of samples proven not to hold."""
        return int((self.outcomes == FAILS).sum())

    @property
    def undecided(self) -> int:
        """Number of samples without a proof within the method's limits."""
        return int((self.outcomes == UNDECIDED).sum())

    @property
    def value(self) -> float:
        """Fraction of the decided samples that hold; nan when none was decided."""
        decided = self.n - self.undecided
        return self.holding / decided if decided else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """(low, high) Clopper-Pearson interval of the probability of holding, with at least `confidence`.

        Undecided samples count as failures for the low end and as holding for the high one. With several checks the
        risk is divided evenly among them (Bonferroni), so that an early stop does not reduce the confidence.
        """
        confidence = confidence_per_look(self.confidence, len(self.schedule))
        return share_interval(self.holding, self.n, confidence, self.undecided)

    @property
    def failing(self) -> IntArray:
        """Numbers of the samples that do not hold; see `sample`."""
        return np.nonzero(self.outcomes == FAILS)[0]

    def sample(self, index: int) -> tuple[Assembly, Array]:
        """(assembly, wrench (6,)) of sample `index`: `hf.equilibrium` of the two gives its verdict with its proof."""
        i = checks.count("index", index, low=0)
        return self.sampler.sample(self.sampler.plan.scores(self.seed, i, i + 1)[0])

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data."""
        return {
            "interval": list(self.interval),
            "looks": len(self.schedule),
            **{name: getattr(self, name) for name in _FIGURES},
        }


@with_advice(samples="give n")
def probability(
    assembly: Assembly | SceneLike,
    wrench: Load | None = None,
    scatter: Scatter | None = None,
    *,
    n: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    width: float | None = None,
    threads: int | None = None,
    groups: Sequence[str] | None = None,
    weight: Load | None = None,
    method: Exact | None = None,
) -> Probability:
    """The probability that an external wrench is held, with scatter of contacts, positions and mass.

    The same seed and scatter give the same draws for every design whose units have the same names: differences between
    designs then need far fewer samples (`compare_probabilities`).

    Args:
        assembly: contacts and joint rows as planned; or a scene, whose weight and scatter are the defaults.
        wrench: (6,) external force [N] and torque [N m] about the world origin, on the object; for several bodies as
            in `Assembly.stacked`.
        scatter: what varies, and how much.
        n: largest number of samples.
        seed: random seed.
        confidence: confidence level of the interval.
        width: stop as soon as the interval is no wider; checked after 512, 1024, 2048, ... samples.
        threads: number of threads; the number of cores by default; no effect on the result.
        groups: (k,) names of the units that contacts belong to; by the names of the contacts by default.
        weight: (6,) the part of `wrench` that errors of mass and centre of mass change; all of it by default.
        method: how samples are solved.
    """
    scatter = getattr(assembly, "scatter", None) if scatter is None else scatter
    if scatter is None:
        raise InputError("is missing", where="scatter", fix="give a holdfast.reliability.Scatter, or a scene with one")
    assembly, wrench = asked_about(assembly, wrench, "wrench")
    count, workers = checks.count("n", n), thread_count(threads)
    checks.number("confidence", confidence, low=0.0, high=1.0, ends="open")
    wanted = None if width is None else checks.number("width", width, low=0.0, high=1.0, ends="open low")
    sampler = Sampler.of(assembly, wrench, scatter, groups=groups, weight=weight, method=method)
    chosen, schedule = checks.seed(seed), looks(count, wanted)
    found = Probability(sampler, chosen, np.zeros(0, dtype=np.int64), confidence, schedule)
    for end in schedule:
        new = sampler.tests(sampler.plan.scores(chosen, found.n, end), workers)
        found = replace(found, outcomes=np.concatenate([found.outcomes, new]))
        low, high = found.interval
        if wanted is not None and high - low <= wanted:
            break
    return found


@dataclass(frozen=True)
class ProbabilityDifference(Result):
    """The difference of two designs on the same draws.

    Attributes:
        value: probability of the first minus that of the second.
        interval: (low, high) with at least `confidence`.
        only_first, only_second: pairs of which only one design holds.
        undecided: pairs in which a verdict is missing; both ends of the interval allow for the worst of them.
        n: number of pairs.
        confidence: confidence level of the interval.
    """

    value: float
    interval: tuple[float, float]
    only_first: int
    only_second: int
    undecided: int
    n: int
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


@with_advice()
def compare_probabilities(
    first: Probability, second: Probability, *, confidence: float | None = None
) -> ProbabilityDifference:
    """The difference of the probabilities of holding of two designs, from the same draws.

    Sample i of one design and sample i of the other form a pair: units of the same name have the same strength in both.
    Pairs with the same verdict do not contribute, so the interval is far narrower than that of two separate estimates.

    Args:
        first, second: results of `probability` with the same seed, of designs whose units have the same names.
        confidence: confidence level of the interval; that of `first` by default.
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
    # The number of pairs may have been chosen by the samples: one interval for each possible number.
    each = confidence_per_look(wanted, len({*first.schedule, *second.schedule}))
    low = difference_interval(only_first, worst_second, n, each)[0]
    high = difference_interval(worst_first, only_second, n, each)[1]
    value = (only_first - only_second) / n
    return ProbabilityDifference(value, (low, high), only_first, only_second, undecided, n, wanted)


# Load limits of specimens.


#: Quantiles of the load limit that are reported: the share of specimens below them.
REPORTED_SHARES = (0.01, 0.05, 0.5)


@dataclass(frozen=True)
class Quantile:
    """A load that is exceeded with a given probability.

    Attributes:
        value: the multiple of the load whose limit `share` of the samples stay below.
        interval: (low, high) with at least `confidence`, for any distribution; -inf or inf where the samples are
            too few.
        share, confidence: the arguments.
    """

    value: float
    interval: tuple[float, float]
    share: float
    confidence: float


@dataclass(frozen=True, eq=False)
class LimitSamples(Result):
    """Load limits of specimens along one load.

    Attributes:
        sampler: assembly, load and scatter that samples were drawn from.
        seed: random seed.
        values: (n,) largest multiple of the load that each sample was found to hold; inf without a limit, -inf where
            no multiple is held.
        upper_bounds: (n,) no larger multiple is held; above `values` by more than the method's gap only where the
            search did not end.
        multipliers: (n, m) of each search over the scaled rows; zeros where none are known.
        forces: (n, k, 3) at the limit, in the contact frames and for the volumes as planned: g of f = D g [N].
    """

    sampler: Sampler
    seed: int
    values: Array
    upper_bounds: Array
    multipliers: Array
    forces: Array

    def __repr__(self) -> str:
        low, middle, high = np.quantile(self.values, [0.05, 0.5, 0.95], method="inverted_cdf")
        return f"LimitSamples({self.n} samples, median {middle:.4g}, 5 % below {low:.4g}, 5 % above {high:.4g})"

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.values)

    @property
    def every_smaller_load_holds(self) -> bool:
        """Whether a sample holds all multiples from 0 to its limit: zero forces are allowed and balance no load."""
        return self.sampler.every_smaller_load_holds

    def quantile(self, share: float, *, confidence: float = 0.95) -> Quantile:
        """The multiple of the load that the limits of all but `share` of the specimens reach, with its interval.

        Where `every_smaller_load_holds`, quantile(0.05) is held by 95 %. The value is the largest order statistic that
        at most `share` of the samples are below; the interval lies between order statistics.
        """
        wanted = checks.number("share", share, low=0.0, high=1.0, ends="open")
        checks.number("confidence", confidence, low=0.0, high=1.0, ends="open")
        samples = self.values[:, None], self.upper_bounds[:, None]
        value, low, high = (float(part[0]) for part in quantile_bounds(*samples, wanted, confidence))
        return Quantile(value, (low, high), wanted, confidence)

    def rows(self) -> list[dict[str, Any]]:
        """One row per specimen: its load limit."""
        return [{"value": value} for value in self.values.tolist()]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: quantiles of the limits with their intervals."""
        found = {f"{share:g}": self.quantile(share) for share in REPORTED_SHARES}
        quantiles = {name: {"value": q.value, "interval": list(q.interval)} for name, q in found.items()}
        return {"n": self.n, "quantiles": quantiles}


@with_advice()
def load_limit_samples(
    assembly: Assembly,
    wrench: Load,
    scatter: Scatter,
    *,
    n: int = 2_000,
    seed: int = 0,
    threads: int | None = None,
    groups: Sequence[str] | None = None,
    weight: Load | None = None,
    method: Exact | None = None,
) -> LimitSamples:
    """The load limit of each of n specimens along an external wrench (6,), in multiples of it.

    Arguments are those of `probability`; the same seed gives the same samples.
    """
    sampler = Sampler.of(assembly, wrench, scatter, groups=groups, weight=weight, method=method)
    if not sampler.wrench.any():
        raise InputError("is the zero wrench", where="wrench", fix="give a load to multiply")
    count, chosen = checks.count("n", n), checks.seed(seed)
    limits = sampler.limits(sampler.plan.scores(chosen, 0, count), thread_count(threads))
    return LimitSamples(sampler, chosen, *(part[:, 0] for part in limits))


# Curves.


@dataclass(frozen=True, eq=False)
class ProbabilityCurve(Result):
    """Probability of holding against a parameter; the same samples at every point, so that the curve is smooth.

    Attributes:
        parameters: (p,) the points.
        holding, undecided: (p,) samples proven to hold, and those without a verdict.
        n: samples at each point.
        confidence: confidence level of `lower` and `upper`, at each point separately.
        name: what the parameter is, with its unit.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("parameters", "values", "lower", "upper", "undecided")

    parameters: Array
    holding: IntArray
    undecided: IntArray
    n: int
    confidence: float
    name: str = ""

    def __repr__(self) -> str:
        return f"ProbabilityCurve({len(self.parameters)} points of {self.name or 'a parameter'}, n = {self.n})"

    @staticmethod
    def of(parameters: Array, outcomes: Sequence[IntArray], n: int, confidence: float, name: str) -> ProbabilityCurve:
        """The curve of outcomes (n,) of the same samples at each parameter."""
        found = np.array(outcomes, dtype=np.int64).reshape(len(parameters), n)
        holding, undecided = ((found == verdict).sum(axis=1) for verdict in (HOLDS, UNDECIDED))
        return ProbabilityCurve(parameters, holding, undecided, n, confidence, name)

    @property
    def values(self) -> Array:
        """(p,) fraction of the decided samples that hold; nan where none was decided."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.holding / (self.n - self.undecided)

    @property
    def lower(self) -> Array:
        """(p,) lower end of the Clopper-Pearson interval; undecided samples count as failing."""
        return self._ends[:, 0]

    @property
    def upper(self) -> Array:
        """(p,) upper end; undecided samples count as holding."""
        return self._ends[:, 1]

    @property
    def _ends(self) -> Array:
        pairs = zip(self.holding.tolist(), self.undecided.tolist(), strict=True)
        return np.array([share_interval(count, self.n, self.confidence, open_) for count, open_ in pairs])

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data."""
        return {
            "parameter": self.name,
            **{name: getattr(self, name).tolist() for name in ("parameters", "values", "lower", "upper", "undecided")},
            "n": self.n,
            "confidence": self.confidence,
        }


@with_advice()
def size_curve(limits: LimitSamples, sizes: ArrayLike | None = None, *, confidence: float = 0.95) -> ProbabilityCurve:
    """Probability of holding s times the load, for every size s: all from one limit per sample.

    If zero forces are allowed and balance no load, a sample holds all multiples up to its limit. If joint gravity or
    preload need a load, this does not follow from a limit; every sample is then solved for every size.

    Args:
        limits: from `load_limit_samples`.
        sizes: (p,) multiples of the load, at least zero; 41 from zero to beyond nearly all limits by default.
        confidence: confidence level of the interval at each size.
    """
    finite = limits.values[np.isfinite(limits.values)]
    far = 1.1 * float(np.quantile(finite, 0.99)) if len(finite) else 2.0
    given = np.linspace(0.0, max(far, 1.1), 41) if sizes is None else sizes
    factors = checks.array("sizes", given, ("p",))
    if (factors < 0.0).any():
        raise InputError("has a negative size", where="sizes", fix="give multiples of the load, from 0 on")
    name = "load [multiples]"
    if limits.every_smaller_load_holds:
        # A load at the limit itself is held within the gap of the limits.
        reached = limits.values[:, None] >= factors * (1.0 - limits.sampler.method.gap)
        excluded = limits.upper_bounds[:, None] < factors
        open_ = (~reached & ~excluded).sum(axis=0)
        return ProbabilityCurve(factors, reached.sum(axis=0), open_, limits.n, confidence, name)
    s, scores = limits.sampler, limits.sampler.plan.scores(limits.seed, 0, limits.n)
    scaled = (replace(s, wrench=factor * s.wrench, weight=factor * s.weight) for factor in factors)
    return ProbabilityCurve.of(factors, [at.tests(scores, 1) for at in scaled], limits.n, confidence, name)


@with_advice()
def probability_along(
    path: Callable[[float], tuple[Assembly, ArrayLike]],
    parameters: ArrayLike,
    scatter: Scatter,
    *,
    n: int = 1_000,
    seed: int = 0,
    confidence: float = 0.95,
    threads: int | None = None,
    groups: Sequence[str] | None = None,
    method: Exact | None = None,
    name: str = "parameter",
) -> ProbabilityCurve:
    """Probability of holding along a path: `hf.statics.rotating_gravity(...)` or any function of one number.

    Args:
        path: parameter to (assembly, external wrench (6,)), as in `statics.paths`.
        parameters: (p,) the points.
        scatter: what varies; the same samples at every point.
        n: samples at each point.
        seed: random seed.
        confidence: confidence level of the interval at each point.
        threads, groups, method: as in `probability`.
        name: what the parameter is, with its unit, for pictures.
    """
    places = checks.array("parameters", parameters, ("p",))
    checks.number("confidence", confidence, low=0.0, high=1.0, ends="open")
    count, chosen, workers = checks.count("n", n), checks.seed(seed), thread_count(threads)
    outcomes = []
    for place in places.tolist():
        assembly, wrench = path(place)
        sampler = Sampler.of(assembly, wrench, scatter, groups=groups, method=method)
        outcomes.append(sampler.tests(sampler.plan.scores(chosen, 0, count), workers))
    return ProbabilityCurve.of(places, outcomes, count, confidence, name)


# Loads held with a given probability.


@dataclass(frozen=True, eq=False)
class QuantileVolume(Result):
    """The load along each ray that is held with probability `holding`.

    Attributes:
        directions: (r, 6) external wrenches along the rays.
        values: (r,) multiples that the fraction `holding` of the samples hold.
        lower: (r,) with `confidence` the true multiple is no smaller, for each ray separately; the safe values.
        upper: (r,) with `confidence` it is no larger.
        planned: (r,) limits without any scatter.
        holding, confidence: the arguments.
        n: number of samples; the same ones for every ray.
    """

    directions: Array
    values: Array
    lower: Array
    upper: Array
    planned: Array
    holding: float
    confidence: float
    n: int

    def __repr__(self) -> str:
        return f"QuantileVolume({len(self.values)} rays held with {100 * self.holding:g} %, n = {self.n})"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        arrays = ("directions", "values", "lower", "upper", "planned")
        figures = {"holding": self.holding, "confidence": self.confidence, "n": self.n}
        return {name: getattr(self, name).tolist() for name in arrays} | figures


@with_advice()
def quantile_volume(
    assembly: Assembly,
    directions: ArrayLike,
    scatter: Scatter,
    *,
    holding: float = 0.95,
    n: int = 1_000,
    seed: int = 0,
    confidence: float = 0.95,
    threads: int | None = None,
    groups: Sequence[str] | None = None,
    method: Exact | None = None,
) -> QuantileVolume:
    """The multiples of external wrenches (r, 6) that are held with probability `holding`.

    The quantile of the load limit along each ray, over the same samples for all rays. Values are estimates, neither
    inner nor outer; `lower` is inner and `upper` outer, each with `confidence` and for each ray separately. A ray is a
    load as given: errors of mass and centre of mass do not apply. If joints or pieces need forces, a load below
    its limit may not hold and limits have no such quantiles; this raises an error.

    Args:
        assembly: contacts and joint rows as planned.
        directions: (r, 6) external wrenches on the object; values are multiples of them.
        scatter: what varies.
        holding: probability with which the load is held.
        n: number of samples.
        seed: random seed.
        confidence: confidence level of the intervals.
        threads, groups, method: as in `probability`.
    """
    rays = checks.array("directions", directions, ("r", 6))
    if not len(rays) or not rays.any(axis=1).all():
        raise InputError("is empty or has a zero wrench", where="directions", fix="give loads to multiply")
    share = 1.0 - checks.number("holding", holding, low=0.0, high=1.0, ends="open")
    checks.number("confidence", confidence, low=0.0, high=1.0, ends="open")
    count, workers = checks.count("n", n), thread_count(threads)
    sampler = Sampler.of(assembly, rays[0], scatter, groups=groups, method=method)
    if not sampler.every_smaller_load_holds:
        raise InputError(
            "joints or pieces need forces: a load below its limit may not hold",
            where="assembly",
            fix="use hf.probability for one load at a time, or size_curve for its sizes",
        )
    limits = sampler.limits(sampler.plan.scores(checks.seed(seed), 0, count), workers, rays)
    middle, lower, upper = quantile_bounds(limits.values, limits.bounds, share, confidence)
    planned = Solver(assembly, sampler.method).load_limit_many(rays, threads=workers).values
    return QuantileVolume(rays, middle, lower, upper, planned, holding, confidence, count)


# Failure modes.

#: A unit is at its limit when this share of the limit or more depends on it.
LEAST_SHARE = 0.01

JOINTS = "joints"


@dataclass(frozen=True, eq=False)
class FailureModes(Result):
    """Units at their limit, and how often.

    Attributes:
        names: the units; "joints" at the end for what depends on the joint rows.
        shares: (n, units) share of each sample's limit that depends on each unit; they sum to one; nan where no
            multipliers are known. The joints' part is negative where they need forces from the contacts.
        blamed: (n,) number of the unit whose weakness reduces the limit most, the main cause; the one with the largest
            share where none is weaker than planned; -1 where it is unknown.
        fails: (n,) whether the sample's limit is below the load as given.
    """

    names: tuple[str, ...]
    shares: Array
    blamed: IntArray
    fails: BoolArray

    def __repr__(self) -> str:
        blamed = {name: share for name, share in self.frequencies().items() if share > 0.0}
        return f"FailureModes({', '.join(f'{name} {100 * share:.3g} %' for name, share in blamed.items())})"

    @property
    def mean_shares(self) -> dict[str, float]:
        """Mean share of the limit that depends on each unit."""
        known = self.blamed >= 0
        means = self.shares[known].mean(axis=0) if known.any() else np.full(len(self.names), np.nan)
        return dict(zip(self.names, means.tolist(), strict=True))

    def frequencies(self, *, failing: bool = False) -> dict[str, float]:
        """How often each unit is the main cause: fraction of the samples, or of those that fail."""
        chosen = (self.blamed >= 0) & (self.fails if failing else True)
        total = max(1, int(chosen.sum()))
        return {name: float((self.blamed[chosen] == i).sum()) / total for i, name in enumerate(self.names)}

    def rows(self) -> list[dict[str, Any]]:
        """One row per unit: how often it is the main cause or at its limit, and its mean share."""
        data = self.to_dict()
        names = [name for name, values in data.items() if isinstance(values, dict)]
        return [{"unit": unit} | {name: data[name].get(unit) for name in names} for unit in data["costs_most"]]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: how often each unit is the main cause and at its limit, and its mean share."""
        return {
            "costs_most": self.frequencies(),
            "costs_most_of_failing": self.frequencies(failing=True),
            "gives_way": self.involved(),
            "mean_share": self.mean_shares,
        }

    def involved(self) -> dict[str, float]:
        """How often each unit is at its limit: fraction of samples in which its share is at least 1 %."""
        known = self.blamed >= 0
        total = max(1, int(known.sum()))
        counts = (self.shares[known] >= LEAST_SHARE).sum(axis=0)
        return {name: float(count) / total for name, count in zip(self.names, counts, strict=True)}


@with_advice()
def failure_modes(limits: LimitSamples) -> FailureModes:
    """Which unit is at its limit at the load limit of each sample of `load_limit_samples`, and how often.

    From the multipliers of the search's root, which are those of the contacts' convex hulls.
    """
    checks.instance("limits", limits, LimitSamples, fix="give a result of holdfast.reliability.load_limit_samples")
    sampler = limits.sampler
    units = list(sampler.plan.members)
    unit_of = np.array([units.index(unit) for unit in sampler.units])
    parts = [
        _block(limits, unit_of, len(units), first, min(first + BLOCK, limits.n)) for first in range(0, limits.n, BLOCK)
    ]
    shares, losses = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    known = np.isfinite(shares).all(axis=1)
    blamed = np.full(limits.n, -1, dtype=np.int64)
    weak = np.where(known, losses.max(axis=1), 0.0) > tolerances.SOLVER_ROUNDING  # smaller losses are rounding
    blamed[known] = np.where(weak, losses.argmax(axis=1), shares.argmax(axis=1))[known]
    return FailureModes((*units, JOINTS), shares, blamed, limits.upper_bounds < 1.0)


def _block(limits: LimitSamples, unit_of: IntArray, count: int, first: int, last: int) -> tuple[Array, Array]:
    """(shares, losses) (q, units + 1) of samples first to last - 1; losses as shares of the limit."""
    sampler, y = limits.sampler, limits.multipliers[first:last]
    terms = dual_terms(sampler, sampler.plan.scores(limits.seed, first, last), y)
    lost = _losses(limits, y, terms.contacts, first, last)
    sums, losses = np.zeros((last - first, count + 1)), np.zeros((last - first, count + 1))
    for i, unit in enumerate(unit_of):
        sums[:, unit] += terms.contacts[:, i]
        losses[:, unit] += lost[:, i]
    sums[:, count] = terms.joints
    total = sums.sum(axis=1)
    known = (total > 0.0) & np.isfinite(total) & y.any(axis=1)
    scale = np.where(known, total, np.nan)[:, None]
    return sums / scale, losses / scale


def _losses(limits: LimitSamples, y: Array, supports: Array, first: int, last: int) -> Array:
    """(q, k) loss of the limit by each contact's deviation from the plan, for fixed multipliers (q, m)."""
    sampler = limits.sampler
    if sampler.scatter.bands:
        return planned_supports(sampler, y) - supports
    scores = sampler.plan.scores(limits.seed, first, last)
    changed = sampler.assembly.layout.maps - sampler.maps(sampler.plan.draws(scores), last - first)
    return np.einsum("qm,qkmc,qkc->qk", y, changed, limits.forces[first:last], optimize=True)
