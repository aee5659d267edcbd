"""Probability of holding: the share of specimens that hold a load, with guaranteed intervals, and what follows from it.

`probability` counts specimens that hold; `compare_probabilities` compares two designs on the same draws;
`load_limit_samples` gives the load limit of every specimen, from which follow quantiles, the probability against the
size of the load (`size_curve`), and which unit gives way (`failure_modes`); `probability_along` follows a path such as
rotating gravity; `quantile_volume` gives the loads that are held with a wanted probability, ray by ray.

Which unit gives way: at its limit d a specimen obeys d = sum of h_i(y) + the joints' part, h_i being the support of
contact i's forces along the multipliers y (scaled so that -y . load = 1). A unit's share of that sum is how much of the
limit depends on its strength: one per cent more strength there raises the limit by that share of one per cent. A unit
without a share has strength to spare. Several units with a share give way together; in which order they do while the
load grows does not follow from limits alone. The unit that costs most is the one whose deviation from the plan lowers
the limit most.
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
from .scatter import BLOCK, Scatter, checked_seed

# Intervals for shares and quantiles.

#: Samples before the first look, when a wanted width may end the drawing early; each further look has twice as many.
FIRST_LOOK = 512


def share_interval(count: int, n: int, confidence: float, undecided: int = 0) -> tuple[float, float]:
    """Interval for the probability behind `count` of `n` draws, by Clopper and Pearson: never too narrow.

    It covers with at least `confidence` for any probability. `undecided` further draws may count or not: the
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
    """Interval for P(more) - P(less) from n pairs, `more` of which differ one way and `less` the other.

    Both shares get an exact interval with half of the risk each; their difference covers with at least `confidence`.
    """
    each = 1.0 - 0.5 * (1.0 - confidence)
    low_more, high_more = share_interval(more, n, each)
    low_less, high_less = share_interval(less, n, each)
    return low_more - high_less, high_more - low_less


def quantile_index(n: int, share: float) -> int:
    """Index of the largest of n ordered draws that no more than `share` of them are below.

    A share such as 1 - 0.9 is a little off 0.1: what rounding took from share * n does not count.
    """
    return min(n - 1, int(np.floor(share * n + tolerances.ROUNDING * n)))


def quantile_ranks(n: int, share: float, confidence: float) -> tuple[int, int]:
    """(low, high) ranks from 1 to n of the ordered draws between which the quantile at `share` lies.

    Rank 0 stands for minus infinity and n + 1 for plus infinity, where there are too few draws to say. Right for every
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

    Ends are order statistics, right for any distribution; -inf or inf where the samples are too few.
    """
    n, ordered = len(values), np.sort(values, axis=0)
    low, high = quantile_ranks(n, share, confidence)
    lower = np.full(values.shape[1], -np.inf) if low == 0 else ordered[low - 1]
    upper = np.full(values.shape[1], np.inf) if high > n else np.sort(bounds, axis=0)[high - 1]
    return ordered[quantile_index(n, share)], lower, upper


def looks(n: int, width: float | None) -> tuple[int, ...]:
    """Numbers of samples after which the interval is looked at: n alone, or doublings up to n when `width` may stop it.

    With L looks each interval is made with 1/L of the risk (Bonferroni), so that the last one covers with
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

#: Figures of a probability, by name.
_FIGURES = ("value", "confidence", "n", "holding", "failures", "undecided", "seed")


@dataclass(frozen=True, eq=False)
class Probability(Result):
    """The probability that a load is held.

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
        confidence = confidence_per_look(self.confidence, len(self.schedule))
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

    The same seed and scatter draw the same for every design whose units have the same names: differences between
    designs then show with far fewer samples (`compare_probabilities`).

    Args:
        assembly: contacts and joint rows as planned; or a scene, whose weight and scatter are the defaults.
        wrench: (6,) external force [N] and torque [N m] about the world origin, on the object; for several bodies as
            `Assembly.stacked` takes it.
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
    scatter = getattr(assembly, "scatter", None) if scatter is None else scatter
    if scatter is None:
        raise InputError("is missing", where="scatter", fix="give a holdfast.reliability.Scatter, or a scene with one")
    assembly, wrench = asked_about(assembly, wrench, "wrench")
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
class ProbabilityDifference(Result):
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

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def compare_probabilities(
    first: Probability, second: Probability, *, confidence: float | None = None
) -> ProbabilityDifference:
    """The difference of the probabilities of holding of two designs, from the same draws.

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
    """A load that is exceeded with a wanted probability.

    Attributes:
        value: the multiple of the load whose limit `share` of the samples stay below.
        interval: (low, high) with at least `confidence`, for any distribution; -inf or inf where the samples are
            too few to say.
        share, confidence: what was asked.
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
        seed: of the draws.
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
        """Samples drawn."""
        return len(self.values)

    @property
    def every_smaller_load_holds(self) -> bool:
        """Whether a sample holds all multiples from 0 to its limit: zero forces are allowed and balance no load."""
        return self.sampler.every_smaller_load_holds

    def quantile(self, share: float, *, confidence: float = 0.95) -> Quantile:
        """The multiple of the load that the limits of all but `share` of the specimens reach, with its interval.

        Where `every_smaller_load_holds`, quantile(0.05) is borne by 95 %. The value is the largest order statistic that
        no more than `share` of the samples are below; the interval lies between order statistics.
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

    Arguments are those of `probability`; the samples of the same seed are the same.
    """
    sampler = Sampler.of(assembly, wrench, scatter, groups=groups, weight=weight, method=method)
    if not sampler.wrench.any():
        raise InputError("is the zero wrench", where="wrench", fix="give a load to multiply")
    count, chosen = checks.count("n", n), checked_seed(seed)
    limits = sampler.limits(sampler.plan.scores(chosen, 0, count), thread_count(threads))
    return LimitSamples(sampler, chosen, *(part[:, 0] for part in limits))


# Curves.


@dataclass(frozen=True, eq=False)
class ProbabilityCurve(Result):
    """Probability of holding against a parameter; the same samples at every point, so that the curve is smooth.

    Attributes:
        parameters: (p,) where it was asked.
        holding, undecided: (p,) samples proven to hold, and those without a verdict.
        n: samples at each point.
        confidence: of `lower` and `upper`, at each point by itself.
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
        """(p,) share of the decided samples that hold; nan where none was decided."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.holding / (self.n - self.undecided)

    @property
    def lower(self) -> Array:
        """(p,) lower end of the interval by Clopper and Pearson; undecided samples count as failing."""
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
        """The figures as plain data."""
        return {
            "parameter": self.name,
            **{name: getattr(self, name).tolist() for name in ("parameters", "values", "lower", "upper", "undecided")},
            "n": self.n,
            "confidence": self.confidence,
        }


def size_curve(limits: LimitSamples, sizes: ArrayLike | None = None, *, confidence: float = 0.95) -> ProbabilityCurve:
    """Probability of holding s times the load, for every size s: all from one limit per sample.

    Where zero forces are allowed and balance no load, a sample holds all multiples up to its limit. Where joint gravity
    or preload demand a load, that does not follow from a limit; every sample is then solved for every size.

    Args:
        limits: from `load_limit_samples`.
        sizes: (p,) multiples of the load, at least zero; 41 from zero to beyond nearly all limits by default.
        confidence: of the interval at each size.
    """
    finite = limits.values[np.isfinite(limits.values)]
    far = 1.1 * float(np.quantile(finite, 0.99)) if len(finite) else 2.0
    given = np.linspace(0.0, max(far, 1.1), 41) if sizes is None else sizes
    factors = checks.array("sizes", given, ("p",))
    if (factors < 0.0).any():
        raise InputError("has a size below zero", where="sizes", fix="give multiples of the load, from 0 on")
    name = "load [multiples]"
    if limits.every_smaller_load_holds:
        # A load at the limit itself is held to the gap that limits are found with.
        reached = limits.values[:, None] >= factors * (1.0 - limits.sampler.method.gap)
        excluded = limits.upper_bounds[:, None] < factors
        open_ = (~reached & ~excluded).sum(axis=0)
        return ProbabilityCurve(factors, reached.sum(axis=0), open_, limits.n, confidence, name)
    s, scores = limits.sampler, limits.sampler.plan.scores(limits.seed, 0, limits.n)
    scaled = (replace(s, wrench=factor * s.wrench, weight=factor * s.weight) for factor in factors)
    return ProbabilityCurve.of(factors, [at.tests(scores, 1) for at in scaled], limits.n, confidence, name)


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
        parameters: (p,) where to ask.
        scatter: what varies; the same samples at every point.
        n: samples at each point.
        seed: of the draws.
        confidence: of the interval at each point.
        threads, groups, method: as in `probability`.
        name: what the parameter is, with its unit, for pictures.
    """
    places = checks.array("parameters", parameters, ("p",))
    checks.number("confidence", confidence, low=0.0, high=1.0, ends="open")
    count, chosen, workers = checks.count("n", n), checked_seed(seed), thread_count(threads)
    outcomes = []
    for place in places.tolist():
        assembly, wrench = path(place)
        sampler = Sampler.of(assembly, wrench, scatter, groups=groups, method=method)
        outcomes.append(sampler.tests(sampler.plan.scores(chosen, 0, count), workers))
    return ProbabilityCurve.of(places, outcomes, count, confidence, name)


# Loads held with a wanted probability.


@dataclass(frozen=True, eq=False)
class QuantileVolume(Result):
    """Along each ray the load that is held with probability `holding`.

    Attributes:
        directions: (r, 6) external wrenches whose multiples were asked about.
        values: (r,) multiples that `holding` of the samples bear.
        lower: (r,) with `confidence` the true multiple is no smaller, ray by ray: what to rely on.
        upper: (r,) with `confidence` it is no larger.
        planned: (r,) limits without any scatter.
        holding, confidence: what was asked.
        n: samples; the same ones for every ray.
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
    inner nor outer; `lower` is inner and `upper` outer, each with `confidence` and for each ray by itself. A ray is a
    load as given: errors of mass and centre of mass do not apply. Where joints or pieces demand forces, a load below
    its limit need not hold, so that limits have no such quantiles: that is an error.

    Args:
        assembly: contacts and joint rows as planned.
        directions: (r, 6) external wrenches on the object; values count multiples of them as given.
        scatter: what varies.
        holding: probability with which the load is to be held.
        n: samples.
        seed: of the draws.
        confidence: of the intervals.
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
            "joints or pieces demand forces: a load below its limit need not hold",
            where="assembly",
            fix="ask hf.probability about one load at a time, or size_curve about sizes of it",
        )
    limits = sampler.limits(sampler.plan.scores(checked_seed(seed), 0, count), workers, rays)
    middle, lower, upper = quantile_bounds(limits.values, limits.bounds, share, confidence)
    planned = Solver(assembly, sampler.method).load_limit_many(rays, threads=workers).values
    return QuantileVolume(rays, middle, lower, upper, planned, holding, confidence, count)


# What gives way.

#: A unit gives way with the others when this share of the limit or more depends on it.
LEAST_SHARE = 0.01

JOINTS = "joints"


@dataclass(frozen=True, eq=False)
class FailureModes(Result):
    """What gives way, and how often.

    Attributes:
        names: the units; "joints" at the end for what depends on the joint rows.
        shares: (n, units) share of each sample's limit that depends on each unit; they sum to one, and nan where no
            multipliers are known. The joints' part is negative where they need forces from the contacts.
        blamed: (n,) number of the unit whose weakness costs the limit most; the one with the largest share where
            none is weaker than planned; -1 where nothing is known.
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
        """How often each unit is to blame: its share of the samples, or of those that fail under the load as given."""
        chosen = (self.blamed >= 0) & (self.fails if failing else True)
        total = max(1, int(chosen.sum()))
        return {name: float((self.blamed[chosen] == i).sum()) / total for i, name in enumerate(self.names)}

    def rows(self) -> list[dict[str, Any]]:
        """One row per unit: how often it costs most or gives way, and its mean share."""
        data = self.to_dict()
        names = [name for name, values in data.items() if isinstance(values, dict)]
        return [{"unit": unit} | {name: data[name].get(unit) for name in names} for unit in data["costs_most"]]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: how often each unit costs most and gives way, and its mean share."""
        return {
            "costs_most": self.frequencies(),
            "costs_most_of_failing": self.frequencies(failing=True),
            "gives_way": self.involved(),
            "mean_share": self.mean_shares,
        }

    def involved(self) -> dict[str, float]:
        """How often each unit gives way, alone or with others: share of the samples with a hundredth of the limit."""
        known = self.blamed >= 0
        total = max(1, int(known.sum()))
        counts = (self.shares[known] >= LEAST_SHARE).sum(axis=0)
        return {name: float(count) / total for name, count in zip(self.names, counts, strict=True)}


def failure_modes(limits: LimitSamples) -> FailureModes:
    """Which unit gives way at the limit of each sample of `load_limit_samples`, and how often.

    By the multipliers of the search's root: those of the contacts' convex hulls.
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
    """(q, k) by how much more each contact would add to the limit if it were as planned, multipliers (q, m) staying."""
    sampler = limits.sampler
    if sampler.scatter.bands:
        return planned_supports(sampler, y) - supports
    scores = sampler.plan.scores(limits.seed, first, last)
    changed = sampler.assembly.layout.maps - sampler.maps(sampler.plan.draws(scores), last - first)
    return np.einsum("qm,qkmc,qkc->qk", y, changed, limits.forces[first:last], optimize=True)
