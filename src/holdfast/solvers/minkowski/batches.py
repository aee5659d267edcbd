"""Many questions over sums: the answers as arrays, and who computes them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, IntArray
from ...errors import InputError
from .optimum import SumStatus
from .queries import ask

if TYPE_CHECKING:
    from .solver import SumSolver

#: Questions that follow one another warm; whole chunks are shared out, so that the answers do not depend on threads.
CHUNK = 128

#: Never stop early.
NO_STOPS = np.array([np.inf, -np.inf])

#: In the order of the kernel's outcomes.
STATUSES = (SumStatus.OPTIMAL, SumStatus.UNBOUNDED, SumStatus.EMPTY, SumStatus.UNDECIDED, SumStatus.STOPPED)


@dataclass(frozen=True, eq=False)
class SumBatch:
    """Answers to n questions, row by row what `SumOptimum` has.

    Attributes:
        codes: (n,) outcomes, as indices of `STATUSES`.
        z: (n, p) best points; NaN where none was found.
        value: (n,) objective . z; -inf where no point was found.
        upper_bound: (n,) proven bounds.
        wrenches: (n, k, 6) the hands' wrenches in their own frames; NaN where no point was found.
        multipliers: (n, 6) proofs, in the world.
        ray: (n, p) directions of unbounded answers.
        pivots: (n,) exchanges.
        pricings: (n,) passes over all vertices.
    """

    codes: IntArray
    z: Array
    value: Array
    upper_bound: Array
    wrenches: Array
    multipliers: Array
    ray: Array
    pivots: IntArray
    pricings: IntArray

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def statuses(self) -> list[SumStatus]:
        """The outcome of each question."""
        return [STATUSES[code] for code in self.codes]

    def are(self, status: SumStatus) -> Array:
        """(n,) which questions ended so."""
        return self.codes == STATUSES.index(status)


def many(
    solver: SumSolver, maps: ArrayLike, bases: ArrayLike, axes: ArrayLike, objectives: ArrayLike, threads: int
) -> SumBatch:
    """See `SumSolver.many`."""
    k = len(solver.shape_of)
    bases = np.ascontiguousarray(bases, dtype=np.float64).reshape(-1, 6)
    n = len(bases)
    places = np.ascontiguousarray(maps, dtype=np.float64).reshape(-1, k, 6, 6)
    own = np.ascontiguousarray(axes, dtype=np.float64)
    own = np.zeros((1, 0, 6)) if own.size == 0 else own if own.ndim == 3 else own[None]
    p = own.shape[1]
    gains = np.ascontiguousarray(objectives, dtype=np.float64).reshape(-1, p) if p else np.zeros((1, 0))
    for name, array in (("maps", places), ("axes", own), ("objectives", gains)):
        if len(array) not in (1, n):
            raise InputError(f"{len(array)} for {n} questions", where=name, fix="give one for all or one for each")
    if p > 6 or own.shape[2] != 6:
        raise InputError(f"have shape {own.shape}", where="axes", fix="give (p, 6) or (n, p, 6), p at most 6")
    figures, facts = np.zeros((n, 20 + 6 * k)), np.zeros((n, 3), np.int64)
    flags = np.array([solver.limit, 0])

    def chunk(start: int) -> None:
        part = slice(start, min(start + CHUNK, n))
        ask(
            *solver.fresh_arrays(),
            places[part] if len(places) > 1 else places,
            bases[part],
            own[part] if len(own) > 1 else own,
            gains[part] if len(gains) > 1 else gains,
            NO_STOPS,
            flags,
            figures[part],
            facts[part],
        )

    starts = range(0, n, CHUNK)
    if threads > 1:
        with ThreadPoolExecutor(threads) as workers:
            list(workers.map(chunk, starts))
    else:
        for start in starts:
            chunk(start)
    return SumBatch(
        facts[:, 0].copy(),
        figures[:, 2 : 2 + p].copy(),
        figures[:, 0].copy(),
        figures[:, 1].copy(),
        figures[:, 20:].reshape(n, k, 6),
        figures[:, 14:20].copy(),
        figures[:, 8 : 8 + p].copy(),
        facts[:, 1].copy(),
        facts[:, 2].copy(),
    )
