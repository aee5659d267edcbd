"""Load limits of many specimens: one limit a sample, and from it all that depends on the size of the load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from .confidence import quantile_index, quantile_ranks
from .drawing import checked_seed
from .scatter import Scatter

if TYPE_CHECKING:
    from ..solvers import Exact
    from .sampling import Sampler


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
class LimitSamples:
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
        ordered, bounds = np.sort(self.values), np.sort(self.upper_bounds)
        low, high = quantile_ranks(self.n, wanted, confidence)
        ends = (-np.inf if low == 0 else ordered[low - 1], np.inf if high > self.n else bounds[high - 1])
        value = ordered[quantile_index(self.n, wanted)]
        return Quantile(float(value), (float(ends[0]), float(ends[1])), wanted, confidence)


def load_limit_samples(
    assembly: Assembly,
    wrench: ArrayLike,
    scatter: Scatter,
    *,
    n: int = 2_000,
    seed: int = 0,
    threads: int | None = None,
    groups: Sequence[str] | None = None,
    weight: ArrayLike | None = None,
    method: Exact | None = None,
) -> LimitSamples:
    """The load limit of each of n specimens along an external wrench (6,), in multiples of it.

    Arguments are those of `probability`; the samples of the same seed are the same.
    """
    from .sampling import Sampler, thread_count

    sampler = Sampler.of(assembly, wrench, scatter, groups=groups, weight=weight, method=method)
    if not sampler.wrench.any():
        raise InputError("is the zero wrench", where="wrench", fix="give a load to multiply")
    count, chosen = checks.count("n", n), checked_seed(seed)
    limits = sampler.limits(sampler.plan.scores(chosen, 0, count), thread_count(threads))
    return LimitSamples(sampler, chosen, *(part[:, 0] for part in limits))
