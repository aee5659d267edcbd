"""Load sharing of specimens: the probability of holding, and the effect of unknown stiffness on the peak.

A specimen differs from the plan by the strength, friction and positions of its contacts, by the mass and centre of mass
of the object (`reliability.Scatter`), and by its stiffness. Each specimen's path is followed exactly. The result for
all of them is a fraction of the samples with a confidence interval, or the worst and best sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly
from ..assembly.suspension import Rule
from ..checks import Array, IntArray
from ..errors import InputError
from ..public_names import with_advice
from ..reliability import Scatter
from ..reliability.probabilities import REPORTED_SHARES, Quantile, quantile_bounds, share_interval
from ..reliability.sampling import Sampler
from ..reliability.scatter import BLOCK, sample_wrenches, units_of
from ..results import Result
from ..statics.solver import thread_count
from . import kernels
from .kernels import SharingProblem
from .sequences import Follower, LoadSharing, facets_of, load_sharing, object_maps, scaled_wrench

Units = Literal["together", "pointwise"]


@dataclass(frozen=True, eq=False)
class SharingProbability(Result):
    """The probability that a load is held when contacts share it by their stiffness.

    Attributes:
        peaks: (n,) the largest factor that each specimen reaches; inf without a limit, -inf without the base load.
        first_failures: (n,) the factor of the first failure; inf for none, 0 before the load.
        undecided: (n,) whether the path of a specimen could not be followed to its end; its peak is a lower bound.
        seed: random seed.
        confidence: confidence level of the intervals.
        planned: the path as planned, without scatter.
    """

    peaks: Array
    first_failures: Array
    undecided: Array
    seed: int
    confidence: float
    planned: LoadSharing

    def __repr__(self) -> str:
        low, high = self.interval
        covers = f"{100 * self.confidence:g} %"
        return f"SharingProbability({self.value:.4g}, {low:.4g} to {high:.4g} with {covers}, n = {self.n})"

    @property
    def n(self) -> int:
        """Specimens."""
        return len(self.peaks)

    @property
    def holding(self) -> int:
        """Specimens that carry the load: their peak is at least 1."""
        return int(self._carries.sum())

    @property
    def _carries(self) -> Array:
        return self.peaks >= 1.0 - tolerances.GAP

    @property
    def value(self) -> float:
        """Fraction of the specimens that carry the load; undecided ones that did not reach it do not count."""
        decided = self.n - int((self.undecided & ~self._carries).sum())
        return self.holding / decided if decided else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """(low, high) Clopper-Pearson interval of the probability of holding, at least at `confidence`."""
        return share_interval(self.holding, self.n, self.confidence, int((self.undecided & ~self._carries).sum()))

    @property
    def unharmed(self) -> float:
        """Fraction of the specimens that carry the load before any contact fails."""
        return float((np.minimum(self.first_failures, self.peaks) >= 1.0 - tolerances.GAP).mean())

    def quantile(self, share: float) -> Quantile:
        """The load factor that the peaks of all but the fraction `share` of the specimens reach, with its interval."""
        wanted = checks.number("share", share, low=0.0, high=1.0, ends="open")
        above = np.where(self.undecided, np.inf, self.peaks)[:, None]
        value, low, high = (
            float(part[0]) for part in quantile_bounds(self.peaks[:, None], above, wanted, self.confidence)
        )
        return Quantile(value, (low, high), wanted, self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data."""
        found = {f"{share:g}": self.quantile(share) for share in REPORTED_SHARES}
        return {
            "value": self.value,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "n": self.n,
            "holding": self.holding,
            "undecided": int(self.undecided.sum()),
            "unharmed": self.unharmed,
            "seed": self.seed,
            "quantiles": {name: {"value": q.value, "interval": list(q.interval)} for name, q in found.items()},
            "planned": {"first_failure": self.planned.first_failure, "peak": self.planned.peak},
        }


@with_advice()
def sharing_probability(
    assembly: Assembly,
    load: ArrayLike,
    scatter: Scatter,
    *,
    stiffness: ArrayLike | None = None,
    preload: ArrayLike | None = None,
    base: ArrayLike | None = None,
    rule: Rule | Sequence[Rule] | None = None,
    units: Units = "together",
    stiffness_spread: float = 0.0,
    n: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    threads: int | None = None,
    groups: Sequence[str] | None = None,
    weight: ArrayLike | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SharingProbability:
    """The probability that contacts which share a load by their stiffness carry it, under scatter.

    Args:
        assembly, load, stiffness, preload, base, rule, units: as for `load_sharing`.
        scatter: what varies, and how much.
        stiffness_spread: standard deviation of the logarithm of each unit's stiffness; 0.2 is about 20 %.
        n: number of specimens.
        seed: random seed.
        confidence: confidence level of the intervals.
        threads: number of threads; the number of cores by default; no effect on the result.
        groups: (k,) names of the units that contacts belong to; by the names of the contacts by default.
        weight: (6,) the part of the base load, or of the load where there is no base, that errors of mass and centre
            of mass change; all of it by default.
        progress: called with (specimens done, specimens).
    """
    count, chosen = checks.count("n", n), checks.seed(seed)
    checks.number("confidence", confidence, low=0.0, high=1.0, ends="open")
    spread = checks.number("stiffness_spread", stiffness_spread, low=0.0, high=3.0)
    planned = load_sharing(assembly, load, stiffness, preload, base, rule, units=units)
    changed = planned.base if planned.base.any() else planned.load
    sampler = Sampler.of(assembly, changed, scatter, groups=groups, weight=weight)
    levels = facets_of(sampler.volumes) if scatter.bands else None
    problem = planned.problem
    if levels is not None:
        problem = problem._replace(normals=levels.normals, offsets=levels.offsets)

    def specimens(block: int) -> Iterable[SharingProblem]:
        first, last = block * BLOCK, min((block + 1) * BLOCK, count)
        draws = sampler.plan.draws(sampler.plan.scores(chosen, first, last))
        q = last - first
        factors = _unit_factors(sampler.units, q, spread, np.random.default_rng([chosen, block]))
        moved = scaled_wrench(assembly, sample_wrenches(changed, sampler.weight, draws, q))
        shapes = sampler.shapes(draws)
        stretch = np.ones((q, len(assembly), 3)) if draws.scales is None else draws.scales
        if levels is not None:
            stretch = stretch * sampler.shares[:, None]
        maps = None
        if draws.offsets is not None:
            maps = np.tile(problem.maps, (q, 1, 1, 1))
            maps[..., :6] = object_maps(assembly, assembly.positions + draws.offsets)
        for i in range(q):
            changes: dict[str, Any] = {"shrink": 1.0 / stretch[i], "size": problem.size * stretch[i].max(axis=1)}
            changes["base" if planned.base.any() else "load"] = moved[i]
            if spread:
                changes["stiffness"] = problem.stiffness * factors[i][:, None, None]
            if maps is not None:
                changes["maps"] = maps[i]
            if levels is not None and shapes is not None:
                changes |= {"first": levels.first[shapes[i]], "pieces": levels.pieces[shapes[i]]}
                changes |= {"floor": levels.floor[shapes[i]]}
                changes["size"] = levels.size[shapes[i]] * stretch[i].max(axis=1)
            yield problem._replace(**changes)

    ends, found = _follow_all(problem, specimens, count, thread_count(threads), progress)
    undecided = (ends == kernels.FULL) | ((ends == kernels.LOST) & ~(problem.rule == kernels.SLIP).any())
    peaks = np.where(ends == kernels.ENDLESS, np.inf, found[:, 1])
    return SharingProbability(peaks, found[:, 0].copy(), undecided, chosen, confidence, planned)


def _unit_factors(units: Sequence[str], q: int, spread: float, generator: np.random.Generator) -> Array:
    """(q, k) factors on the stiffness, the same for all contacts of a unit."""
    names = list(dict.fromkeys(units))
    numbers = np.array([names.index(unit) for unit in units])
    return np.exp(spread * generator.standard_normal((q, len(names))))[:, numbers]


def _follow_all(
    problem: SharingProblem,
    blocks: Callable[[int], Iterable[SharingProblem]],
    count: int,
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[IntArray, Array]:
    """How the path of each specimen ends (count,), and the numbers found on it (count, 7)."""
    ends, found = np.zeros(count, dtype=np.int64), np.zeros((count, 7))
    done = 0

    def work(block: int) -> int:
        follower, at = Follower(problem), block * BLOCK
        for specimen in blocks(block):
            ends[at] = follower.run(specimen, np.inf)
            found[at] = follower.found
            at += 1
        return at - block * BLOCK

    if count > BLOCK:
        kernels.run.compile()
    numbers = range(-(-count // BLOCK))
    with ThreadPoolExecutor(threads) as pool:
        for finished in map(work, numbers) if threads == 1 else pool.map(work, numbers):
            done += finished
            if progress is not None:
                progress(done, count)
    return ends, found


# -- intervals of stiffness -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class StiffnessRange(Result):
    """The worst and best peak among samples of stiffness within a range; the true range may be larger.

    Attributes:
        planned: the path with the stiffness as given.
        units: names of the units whose stiffness varies.
        factors: (n, u, 2) factors on the normal and tangential stiffness of each unit.
        peaks, first_failures: (n,) load factors of the samples.
        factor: the range: each stiffness is between 1/factor and factor times the given one.
        seed: random seed.
    """

    planned: LoadSharing
    units: tuple[str, ...]
    factors: Array
    peaks: Array
    first_failures: Array
    factor: float
    seed: int

    def __repr__(self) -> str:
        low, high = self.peaks.min(), self.peaks.max()
        found = f"peak {low:.6g} to {high:.6g} in {len(self.peaks)} samples"
        return f"StiffnessRange({found}, planned {self.planned.peak:.6g})"

    @property
    def worst(self) -> float:
        """The smallest peak of the samples."""
        return float(self.peaks.min())

    @property
    def best(self) -> float:
        """The largest peak of the samples."""
        return float(self.peaks.max())

    def stiffness(self, sample: int) -> Array:
        """(k, 3, 3) stiffness [N/m] of a sample."""
        numbers = _unit_numbers(self.planned.assembly, self.units)
        return scaled_stiffness(self.planned.stiffness, self.factors[sample][numbers])

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "sampled": True,
            "n": len(self.peaks),
            "seed": self.seed,
            "factor": self.factor,
            "peak": {"planned": self.planned.peak, "worst": self.worst, "best": self.best},
            "first_failure": {
                "planned": self.planned.first_failure,
                "worst": float(self.first_failures.min()),
                "best": float(self.first_failures.max()),
            },
            "worst_factors": dict(zip(self.units, self.factors[int(np.argmin(self.peaks))].tolist(), strict=True)),
            "best_factors": dict(zip(self.units, self.factors[int(np.argmax(self.peaks))].tolist(), strict=True)),
        }


@with_advice()
def stiffness_range(
    assembly: Assembly,
    load: ArrayLike,
    stiffness: ArrayLike | None = None,
    *,
    factor: float = 2.0,
    preload: ArrayLike | None = None,
    base: ArrayLike | None = None,
    rule: Rule | Sequence[Rule] | None = None,
    units: Units = "together",
    n: int = 1_000,
    seed: int = 0,
    threads: int | None = None,
    groups: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StiffnessRange:
    """The worst and best peak while the stiffness of each unit, normal and tangential, varies within a range.

    The first sample is the plan. Of the others, half have every stiffness at one end of its range, half are distributed
    uniformly in the logarithm of the stiffness. A peak worse than that of all samples may exist.

    Args:
        assembly, load, stiffness, preload, base, rule, units: as for `load_sharing`.
        factor: each stiffness is between 1/factor and factor times the given one.
        n: number of samples.
        seed: random seed.
        threads: number of threads; the number of cores by default.
        groups: (k,) names of the units that contacts belong to; by the names of the contacts by default.
        progress: called with (samples done, samples).
    """
    widest = checks.number("factor", factor, low=1.0, high=1e6)
    count, chosen = checks.count("n", n), checks.seed(seed)
    planned = load_sharing(assembly, load, stiffness, preload, base, rule, units=units)
    names = tuple(dict.fromkeys(units_of(assembly, groups)))
    numbers = _unit_numbers(assembly, names, groups)
    generator = np.random.default_rng(chosen)
    exponents = generator.uniform(-1.0, 1.0, (count, len(names), 2))
    exponents[::2] = np.where(exponents[::2] < 0.0, -1.0, 1.0)
    exponents[0] = 0.0  # the plan itself
    factors = widest**exponents
    problem = planned.problem

    def specimens(block: int) -> Iterable[SharingProblem]:
        for sample in range(block * BLOCK, min((block + 1) * BLOCK, count)):
            yield problem._replace(stiffness=scaled_stiffness(problem.stiffness, factors[sample][numbers]))

    ends, found = _follow_all(problem, specimens, count, thread_count(threads), progress)
    peaks = np.where(ends == kernels.ENDLESS, np.inf, found[:, 1])
    return StiffnessRange(planned, names, factors, peaks, found[:, 0].copy(), widest, chosen)


def _unit_numbers(assembly: Assembly, names: Sequence[str], groups: Sequence[str] | None = None) -> IntArray:
    """(k,) the unit of each contact as a number."""
    try:
        return np.array([names.index(unit) for unit in units_of(assembly, groups)])
    except ValueError:
        raise InputError("has different units", where="groups", fix="give the groups of the samples") from None


def scaled_stiffness(stiffness: Array, factors: Array) -> Array:
    """(k, 3, 3) D K D with D = sqrt of the factors (k, 2), normal and tangential."""
    roots = np.sqrt(np.stack([factors[:, 1], factors[:, 1], factors[:, 0]], axis=1))
    return np.ascontiguousarray(roots[:, :, None] * stiffness * roots[:, None, :])
