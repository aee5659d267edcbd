"""Curves: the probability of holding against the size of the load, or along a path such as gravity that turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..errors import InputError
from .confidence import share_interval
from .drawing import checked_seed
from .limit_samples import LimitSamples
from .scatter import Scatter

if TYPE_CHECKING:
    from ..solvers import Exact


@dataclass(frozen=True, eq=False)
class ProbabilityCurve:
    """Probability of holding against a parameter; the same samples at every point, so that the curve is smooth.

    Attributes:
        parameters: (p,) where it was asked.
        holding, undecided: (p,) samples proven to hold, and those without a verdict.
        n: samples at each point.
        confidence: of `lower` and `upper`, at each point by itself.
        name: what the parameter is, with its unit.
    """

    parameters: Array
    holding: IntArray
    undecided: IntArray
    n: int
    confidence: float
    name: str = ""

    def __repr__(self) -> str:
        return f"ProbabilityCurve({len(self.parameters)} points of {self.name or 'a parameter'}, n = {self.n})"

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
            "parameters": self.parameters.tolist(),
            "values": self.values.tolist(),
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "undecided": self.undecided.tolist(),
            "n": self.n,
            "confidence": self.confidence,
        }


def size_curve(limits: LimitSamples, sizes: ArrayLike | None = None, *, confidence: float = 0.95) -> ProbabilityCurve:
    """Probability of holding s times the load, for every size s: all from one limit a sample.

    Where zero forces are allowed and balance no load, a sample holds all multiples up to its limit. Where joint gravity
    or preload demand a load, a limit does not tell that; every size is then put to every sample.

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
    from .sampling import HOLDS, UNDECIDED, Sampler

    s = limits.sampler
    scores = s.plan.scores(limits.seed, 0, limits.n)
    counts = []
    for factor in factors:
        at = Sampler(s.assembly, factor * s.wrench, s.scatter, s.units, factor * s.weight, s.method)
        outcomes = at.tests(scores, 1)
        counts.append(((outcomes == HOLDS).sum(), (outcomes == UNDECIDED).sum()))
    found = np.array(counts, dtype=np.int64).reshape(-1, 2)
    return ProbabilityCurve(factors, found[:, 0], found[:, 1], limits.n, confidence, name)


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
    """Probability of holding along a path: `hf.turning(device, ...)`, say, or any function of one number.

    Args:
        path: parameter to (assembly, external wrench (6,)), as in `moving.paths`.
        parameters: (p,) where to ask.
        scatter: what varies; the same samples at every point.
        n: samples at each point.
        seed: of the draws.
        confidence: of the interval at each point.
        threads, groups, method: as in `probability`.
        name: what the parameter is, with its unit, for pictures.
    """
    from .sampling import HOLDS, UNDECIDED, Sampler, thread_count

    places = checks.array("parameters", parameters, ("p",))
    checks.number("confidence", confidence, low=0.0, high=1.0, ends="open")
    count, chosen, workers = checks.count("n", n), checked_seed(seed), thread_count(threads)
    counts = []
    for place in places.tolist():
        assembly, wrench = path(place)
        sampler = Sampler.of(assembly, wrench, scatter, groups=groups, method=method)
        outcomes = sampler.tests(sampler.plan.scores(chosen, 0, count), workers)
        counts.append(((outcomes == HOLDS).sum(), (outcomes == UNDECIDED).sum()))
    found = np.array(counts, dtype=np.int64).reshape(-1, 2)
    return ProbabilityCurve(places, found[:, 0], found[:, 1], count, confidence, name)
