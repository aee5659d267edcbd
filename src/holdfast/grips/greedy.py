"""Greedy choice: the held wrenches that make the largest hull for their number.

Among directions y with known supports h(y), the one whose support the hull of the wrenches chosen so far misses by the
largest share of its reach, (h - h_chosen) / (h - y . centre), gives the next wrench.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array, IntArray
from .support_sweeps import Pool

#: Nothing more is chosen when every support is met to this share of its reach.
MET = 1e-9


def greedy_choice(pool: Pool, centre: Array, count: int) -> IntArray:
    """Indices of up to `count` of the pool's rows in the order they are chosen; fewer when all supports are met."""
    reached = pool.directions @ centre
    reach = pool.values - reached
    wide = reach > MET * np.abs(reach).max(initial=0.0)
    reach = np.where(wide, reach, 1.0)
    chosen: list[int] = []
    while len(chosen) < count:
        missing = np.where(wide, (pool.values - reached) / reach, 0.0)
        best = int(missing.argmax())
        if missing[best] <= MET:
            break
        chosen.append(best)
        reached = np.maximum(reached, pool.directions @ pool.points[best])
        reached[best] = max(reached[best], pool.values[best])
    return np.array(chosen, dtype=np.int64)
