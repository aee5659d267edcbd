"""Quantile volumes: the loads that are held with a wanted probability, ray by ray."""

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


@dataclass(frozen=True, eq=False)
class QuantileVolume:
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
    from ..statics.solver import Solver
    from .sampling import Sampler, thread_count

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
    values, bounds = np.sort(limits.values, axis=0), np.sort(limits.bounds, axis=0)
    low, high = quantile_ranks(count, share, confidence)
    lower = np.full(len(rays), -np.inf) if low == 0 else values[low - 1]
    upper = np.full(len(rays), np.inf) if high > count else bounds[high - 1]
    middle = values[quantile_index(count, share)]
    planned = Solver(assembly, sampler.method).load_limit_many(rays, threads=workers).values
    return QuantileVolume(rays, middle, lower, upper, planned, holding, confidence, count)
