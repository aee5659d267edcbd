"""What a search keeps, in flat arrays: closed leaves, the best forces so far, the children yet to be seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...checks import Array, IntArray
from ...compiling import inlined, kernel
from .program import MASK

#: What `Found.counts` counts.
LEAVES, NODES, PIVOTS, PROGRAMS = 0, 1, 2, 3

#: Share of the gap that the search itself may leave; the rest is for bonuses and rounding.
GAP_SHARE = 0.9

#: What `Found.best` holds.
BEST, ROOT_BOUND, KEPT_BONUS = 0, 1, 2


class Found(NamedTuple):
    """What a search has found; k contacts, m rows, l leaves, c slots, p pieces at most."""

    leaf_masks: IntArray  # (l, k)
    leaf_y: Array  # (l, m)
    leaf_bound: Array  # (l,)
    counts: IntArray  # (4,) leaves, nodes, pivots, linear programs
    best: Array  # (3,) best factor, bound of the root, bonus of the vertex 0 that slot ROOT was solved with
    forces: Array  # (k, 3) its local forces [N]
    pieces: IntArray  # (k,) their pieces
    trial: Array  # (k, 3) forces of the basis at hand
    common: IntArray  # (2, k) pieces that contain all of a contact's vertices; piece of each force
    factors: Array  # (k,) how much of each force lies in its piece
    child: IntArray  # (c, 2 + p) per slot: the contact branched on, the next child, their masks in order, 0
    parts: IntArray  # (2, p) masks of trial children: at hand, of the chosen contact
    bound: Array  # (2, p) bounds of trial children: at hand, of the chosen contact
    y: Array  # (2, p, m) their multipliers


def new_found(k: int, m: int, leaves: int, slots: int, pieces: int) -> Found:
    """Room for what a search finds; memory is claimed when it is first written to."""
    return Found(
        leaf_masks=np.empty((leaves, k), dtype=np.int64),
        leaf_y=np.empty((leaves, m)),
        leaf_bound=np.empty(leaves),
        counts=np.zeros(4, dtype=np.int64),
        best=np.zeros(3),
        forces=np.zeros((k, 3)),
        pieces=np.zeros(k, dtype=np.int64),
        trial=np.zeros((k, 3)),
        common=np.zeros((2, k), dtype=np.int64),
        factors=np.zeros(k),
        child=np.zeros((slots, 3 + pieces), dtype=np.int64),
        parts=np.zeros((2, max(2, pieces)), dtype=np.int64),
        bound=np.zeros((2, max(2, pieces))),
        y=np.zeros((2, max(2, pieces), m)),
    )


@kernel
def keep_best(found, factor, shrink):
    """Remember the forces at hand, shrunk, if they carry more than the best so far."""
    if factor > found.best[BEST]:
        found.best[BEST] = factor
        for i in range(len(found.pieces)):
            found.pieces[i] = found.common[1, i]
            for c in range(3):
                found.forces[i, c] = shrink * found.trial[i, c]


@inlined
def cutoff_of(found, target, gap, tiny):
    """Bounds up to this cannot matter: just below the target of a test, or the best found plus the gap."""
    best = found.best[BEST]
    cutoff = -np.inf
    if target < np.inf:
        cutoff = target
    elif best > -np.inf:
        cutoff = best + GAP_SHARE * gap * abs(best) + tiny
    return cutoff


@kernel
def add_leaf(found, items, y, bound, i, mask):
    """Record a closed box: the slot's masks, contact i's (if any) replaced by `mask`."""
    at = found.counts[LEAVES]
    for h in range(len(found.pieces)):
        found.leaf_masks[at, h] = items[MASK, h]
    if i >= 0:
        found.leaf_masks[at, i] = mask
    for r in range(len(y)):
        found.leaf_y[at, r] = y[r]
    found.leaf_bound[at] = bound
    found.counts[LEAVES] += 1
