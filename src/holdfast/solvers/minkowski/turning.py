"""The turning objective of the parametric simplex: which column enters first, of all there are.

At an optimal basis of a slice the score of a column a under the objective d . z is d . p(a), with
p(a) = (y1 . a, y2 . a), y1 and y2 being minus the rows of the inverse that belong to z. No score is above zero then; as
d turns counter-clockwise, the first to rise through zero does so where d is normal to its p(a). A turn found so far
shows which columns cannot come earlier: those whose score is not above zero there. So one look at all columns will
do, in blocks whose balls leave most of them out, each column that comes earlier shortening the turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...checks import Array, IntArray
from .basis import FREE
from .columns import take_in
from .compiling import inlined, kernel
from .pricing import BLOCK, best_of_block, block_support, pool_scores, value_at

#: Scores within this share of the multipliers of zero tie with the entering column.
TIED = 1e-11


class Trace(NamedTuple):
    """The border as it is walked: corner i is followed by edge i."""

    z: Array  # (n, 2)
    wrenches: Array  # (n, k, 6)
    hands: IntArray  # (n, m + k)
    items: IntArray  # (n, m + k)
    rays: IntArray  # (n, m + k)
    weights: Array  # (n, m + k)
    normals: Array  # (n, 2)
    offsets: Array  # (n,)
    multipliers: Array  # (n, 6)
    used: IntArray  # (n,) weights in use
    counts: IntArray  # (3,) corners, exchanges, passes over all vertices
    turns: Array  # (2, 6) y1 and y2, only the balance rows
    levels: Array  # (2, k + 2) their convexity rows by hand, 0 for rays, and -inf or 0 for empty slots
    local: Array  # (3, k, 6) y1, y2 and the multiplier of the turn in hand frames
    scores: Array  # (3, slots)


def build_trace(room: int, k: int, m: int, slots: int) -> Trace:
    """Room for a walk with `room` corners."""
    n = m + k
    return Trace(
        np.empty((room, 2)),
        np.empty((room, k, 6)),
        np.empty((room, n), np.int64),
        np.empty((room, n), np.int64),
        np.empty((room, n), np.int64),
        np.empty((room, n)),
        np.empty((room, 2)),
        np.empty(room),
        np.empty((room, 6)),
        np.empty(room, np.int64),
        np.zeros(3, np.int64),
        np.zeros((2, 6)),
        np.zeros((2, k + 2)),
        np.zeros((3, k, 6)),
        np.zeros((3, slots)),
    )


@inlined
def read_turns(tables, basis, trace):
    """y1 and y2 from the rows of the inverse that belong to z; False when z is not in the basis."""
    k, seen = len(tables.shape_of), 0
    for i in range(len(basis.kinds)):
        if basis.kinds[i] == FREE:
            c = basis.index[i]
            seen += 1
            for r in range(6):
                trace.turns[c, r] = -basis.inverse[i, r]
            for j in range(k):
                row = tables.row_of[j]
                trace.levels[c, j] = -basis.inverse[i, row] if row >= 0 else 0.0
    trace.levels[0, k + 1] = trace.levels[1, k + 1] = 0.0
    return seen == 2


@inlined
def size_of(turns):
    """Largest entry of both multipliers, at least 1."""
    size = 1.0
    for r in range(6):
        size = max(size, abs(turns[0, r]), abs(turns[1, r]))
    return size


@kernel
def first_in_pool(tables, pool, basis, trace, turn, least):
    """Shorten `turn` (2,) to the first column of the pool whose score rises through zero; its slot, -1 for none."""
    count, k = len(pool.items), len(tables.shape_of)
    for c in range(2):
        pool_scores(pool.world, trace.levels[c], pool.rows, trace.turns[c], count, trace.scores[c])
    found = -1
    for slot in range(count):
        if pool.basic[slot] == 1 or pool.rows[slot] > k:
            continue
        p1, p2 = trace.scores[0, slot], trace.scores[1, slot]
        if turn[0] * p1 + turn[1] * p2 > least:
            length = np.sqrt(p1 * p1 + p2 * p2)
            turn[0], turn[1] = p2 / length, -p1 / length
            found = slot
    return found


@inlined
def local_at(trace, turn, j):
    """The multiplier of the turn in the frame of hand j; its level of the basis."""
    for r in range(6):
        trace.local[2, j, r] = turn[0] * trace.local[0, j, r] + turn[1] * trace.local[1, j, r]
    return -(turn[0] * trace.levels[0, j] + turn[1] * trace.levels[1, j])


@kernel
def first_of_all(tables, pool, trace, turn, least):
    """Shorten `turn` (2,) to the first of all vertices and rays; whether there were any, which are in the pool then."""
    k = len(tables.shape_of)
    found = False
    for j in range(k):
        for which in range(2):
            for c in range(6):
                total = 0.0
                for r in range(6):
                    total += pool.maps[j, r, c] * trace.turns[which, r]
                trace.local[which, j, c] = total
    for j in range(k):
        s = tables.shape_of[j]
        g = trace.local[2, j]
        if tables.whole[s, 0] == 0:
            level = local_at(trace, turn, j)
            for block in range(tables.first_block[s], tables.first_block[s + 1]):
                size = 0.0
                for r in range(6):
                    size += (g[r] * tables.spread[s, r]) ** 2
                if value_at(tables.centres, block, g) + tables.radii[block] * np.sqrt(size) <= level:
                    continue
                begin = tables.first[s] + (block - tables.first_block[s]) * BLOCK
                stop = min(begin + BLOCK, tables.first[s + 1])
                while block_support(tables.vertices, begin, stop, g) > level + least:
                    item, _ = best_of_block(tables.vertices, begin, stop, g)
                    p1 = value_at(tables.vertices, item, trace.local[0, j]) + trace.levels[0, j]
                    p2 = value_at(tables.vertices, item, trace.local[1, j]) + trace.levels[1, j]
                    if not turn[0] * p1 + turn[1] * p2 > 0.5 * least or not take_in(tables, pool, j, 0, item):
                        break
                    length = np.sqrt(p1 * p1 + p2 * p2)
                    turn[0], turn[1] = p2 / length, -p1 / length
                    level = local_at(trace, turn, j)
                    found = True
        if tables.whole[s, 1] == 0:
            local_at(trace, turn, j)
            begin, stop = tables.ray_first[s], tables.ray_first[s + 1]
            while block_support(tables.rays, begin, stop, g) > least:
                item, _ = best_of_block(tables.rays, begin, stop, g)
                p1 = value_at(tables.rays, item, trace.local[0, j])
                p2 = value_at(tables.rays, item, trace.local[1, j])
                if not turn[0] * p1 + turn[1] * p2 > 0.5 * least or not take_in(tables, pool, j, 1, item):
                    break
                length = np.sqrt(p1 * p1 + p2 * p2)
                turn[0], turn[1] = p2 / length, -p1 / length
                local_at(trace, turn, j)
                found = True
    return found


@inlined
def next_turn(tables, pool, basis, trace, here, turn, least):
    """The first turn after `here` at which a column of all enters, at most a quarter; (slot or -1, whether sure)."""
    turn[0], turn[1] = -here[1], here[0]
    slot = first_in_pool(tables, pool, basis, trace, turn, least)
    trace.counts[2] += 1
    sure = True
    if first_of_all(tables, pool, trace, turn, least):
        # those found are in the pool now, and the first of them is looked for among all of it
        wanted = turn[0] * here[1] - turn[1] * here[0]
        turn[0], turn[1] = -here[1], here[0]
        slot = first_in_pool(tables, pool, basis, trace, turn, least)
        sure = slot >= 0 and turn[0] * here[1] - turn[1] * here[0] >= wanted - TIED
    return slot, sure
