"""Bounded planar slices by the parametric simplex method: rotate the objective by one turn and follow the border.

The objective is d . z with d rotating counter-clockwise. At an optimal basis of a slice the score of a column a is
d . p(a), with p(a) = (y1 . a, y2 . a), y1 and y2 being minus the rows of the inverse that belong to z. No score is
above zero then; as d rotates, the first to rise through zero does so where d is normal to its p(a). The basis stays
optimal until that column enters: d is then normal to an edge of the slice, the multiplier of that direction proves the
edge, and the column leads along it to the next corner. Where several columns tie, the edge is followed by the simplex
method over those that do, towards the next direction.

A direction found so far shows which columns cannot come earlier: those whose score is not above zero there. So one pass
over all columns is enough, in blocks whose balls leave most of them out; each column that comes earlier brings the
direction nearer. Any inconsistency ends the walk without an answer; the caller then refines (`slices.refined`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, overload

import numpy as np

from ...checks import Array, IntArray
from ...compiling import inlined, kernel, released_kernel
from .results import Combination, SumStatus
from .simplex import (
    BALANCED,
    FEASIBLE,
    IMPROVING,
    add_to_pool,
    best_of_block,
    block_support,
    imbalance,
    pivot,
    pool_scores,
    renew,
    to_hand,
    value_at,
)
from .slices import SliceBorder, SliceKind, SumPolygon, bounded_kind, tidied
from .solver import SumSolver, extract_weights, scale_axis, scale_base, world_multipliers
from .workspace import BLOCK, COLUMN, FREE, ROUNDOFF, SIZE, SLOTS, USED, parts

#: Scores within this share of the multipliers of zero tie with the entering column.
TIED = 1e-11

#: Angle of the first objective [rad]: a normal that no edge has, except by construction.
FIRST_ANGLE = 0.5772156649015329

#: Exchanges between fresh inverses, and exchanges along one edge, and those that lead nowhere before Bland's rule.
REFRESH, MOST_EXCHANGES, STALLED = 40, 400, 24

#: Corners nearer than this share of the slice's size are the same one.
SAME = 1e-13

#: The border must end where it began, and values and bounds must agree, to this share of the slice's size.
CLOSED = 1e-10

#: Room for corners at first, and at most.
CORNERS, MOST_CORNERS = 1024, 65_536

#: Outcomes of a walk.
DONE, LOST, FULL = 0, 1, 2


class BorderTrace(NamedTuple):
    """The border as it is followed: corner i comes before edge i."""

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
    duals: Array  # (2, 6) y1 and y2, only the balance rows
    levels: Array  # (2, k + 2) their convexity rows by hand, 0 for rays, and -inf or 0 for empty slots
    local: Array  # (3, k, 6) y1, y2 and the multiplier of the turn in hand frames
    scores: Array  # (3, slots)


def build_trace(room: int, k: int, m: int, slots: int) -> BorderTrace:
    """Room for a walk with `room` corners."""
    n = m + k
    return BorderTrace(
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
def read_duals(tables, basis, trace):
    """y1 and y2 from the rows of the inverse that belong to z; False when z is not in the basis."""
    k, seen = len(tables.shape_of), 0
    for i in range(len(basis.kinds)):
        if basis.kinds[i] == FREE:
            c = basis.index[i]
            seen += 1
            for r in range(6):
                trace.duals[c, r] = -basis.inverse[i, r]
            for j in range(k):
                row = tables.row_of[j]
                trace.levels[c, j] = -basis.inverse[i, row] if row >= 0 else 0.0
    trace.levels[0, k + 1] = trace.levels[1, k + 1] = 0.0
    return seen == 2


@inlined
def size_of(duals):
    """Largest entry of both multipliers, at least 1."""
    size = 1.0
    for r in range(6):
        size = max(size, abs(duals[0, r]), abs(duals[1, r]))
    return size


@kernel
def first_in_pool(tables, pool, basis, trace, turn, least):
    """Shorten `turn` (2,) to the first column of the pool whose score rises through zero; its slot, -1 for none."""
    count, k = len(pool.items), len(tables.shape_of)
    for c in range(2):
        pool_scores(pool.world, trace.levels[c], pool.rows, trace.duals[c], count, trace.scores[c])
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


@inlined
def shorten(tables, pool, trace, turn, j, part, begin, stop, level, least):
    """Shorten `turn` to the first of some vertices (part 0) or rays (part 1) of hand j; (whether any came, new level).

    Those that came are in the pool then.
    """
    source = tables.vertices if part == 0 else tables.rays
    share = 1.0 if part == 0 else 0.0  # rays have no convexity row
    g, found = trace.local[2, j], False
    while block_support(source, begin, stop, g) > level + least:
        item, _ = best_of_block(source, begin, stop, g)
        p1 = value_at(source, item, trace.local[0, j]) + share * trace.levels[0, j]
        p2 = value_at(source, item, trace.local[1, j]) + share * trace.levels[1, j]
        if not turn[0] * p1 + turn[1] * p2 > 0.5 * least or not add_to_pool(tables, pool, j, part, item):
            break
        length = np.sqrt(p1 * p1 + p2 * p2)
        turn[0], turn[1] = p2 / length, -p1 / length
        level = share * local_at(trace, turn, j)
        found = True
    return found, level


@kernel
def first_of_all(tables, pool, trace, turn, least):
    """Shorten `turn` (2,) to the first of all vertices and rays; whether there were any, which are in the pool then."""
    found = False
    for j in range(len(tables.shape_of)):
        for which in range(2):
            to_hand(pool.maps, j, trace.duals[which], trace.local[which, j])
    for j in range(len(tables.shape_of)):
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
                new, level = shorten(tables, pool, trace, turn, j, 0, begin, stop, level, least)
                found = found or new
        if tables.whole[s, 1] == 0:
            local_at(trace, turn, j)
            begin, stop = tables.ray_first[s], tables.ray_first[s + 1]
            new, _ = shorten(tables, pool, trace, turn, j, 1, begin, stop, 0.0, least)
            found = found or new
    return found


@inlined
def next_turn(tables, pool, basis, trace, here, turn, least):
    """The first turn after `here` at which a column of all enters, at most a quarter; (slot or -1, whether certain)."""
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


@kernel
def along_edge(tables, pool, basis, trace, turn, slot, tolerance):
    """Walk to the far end of the edge with normal `turn`: exchanges among the columns that tie. False when it has none.

    Exchanges of columns whose scores are zero change neither the multiplier of the turn nor which columns tie.
    """
    count = len(pool.items)
    tied = trace.scores[2]
    size = size_of(trace.duals)
    for i in range(count):
        tied[i] = turn[0] * trace.scores[0, i] + turn[1] * trace.scores[1, i]
    tied[slot] = 0.0
    idle = 0
    for _ in range(MOST_EXCHANGES):
        row, step = pivot(tables, pool, basis, COLUMN, slot, 1.0, 1.0, False, True)
        trace.counts[1] += 1
        if row < 0:
            return False
        idle = idle + 1 if step <= tolerance else 0
        if trace.counts[1] % REFRESH == 0 and not renew(tables, pool, basis):
            return False
        if not read_duals(tables, basis, trace):
            return False
        for c in range(2):
            pool_scores(pool.world, trace.levels[c], pool.rows, trace.duals[c], count, trace.scores[c])
        slot, best = -1, IMPROVING * size
        for i in range(count):
            if tied[i] < -TIED * size or pool.basic[i] == 1 or pool.items[i] < 0:
                continue
            rise = turn[0] * trace.scores[1, i] - turn[1] * trace.scores[0, i]
            if rise > best:
                slot = i
                if idle > STALLED:
                    break
                best = rise
        if slot < 0:
            return True
    return False


@kernel
def record_corner(tables, pool, basis, answer, trace):
    """The basic point as the next corner; False when its balance is off."""
    n = trace.counts[0]
    x = basis.x
    for i in range(len(basis.kinds)):
        if basis.kinds[i] == FREE:
            trace.z[n, basis.index[i]] = x[i]
    extract_weights(tables, pool, basis, answer)
    for j in range(len(tables.shape_of)):
        for r in range(6):
            trace.wrenches[n, j, r] = answer.wrenches[j, r]
    trace.used[n] = answer.state[USED]
    for i in range(trace.used[n]):
        trace.hands[n, i], trace.items[n, i] = answer.hands[i], answer.items[i]
        trace.rays[n, i], trace.weights[n, i] = answer.rays[i], answer.weights[i]
    off = imbalance(basis.kinds, basis.columns, x, basis.right)
    return off <= (BALANCED + basis.numbers[ROUNDOFF]) * basis.numbers[SIZE]


@kernel
def record_edge(tables, basis, placement, trace, turn, stretch):
    """The half-plane of the turn as the edge behind the last corner; False when corner and bound disagree."""
    n = trace.counts[0] - 1
    y = basis.y
    offset, size = 0.0, 1.0
    for j in range(len(tables.shape_of)):
        offset -= turn[0] * trace.levels[0, j] + turn[1] * trace.levels[1, j]
    for r in range(6):
        y[r] = turn[0] * trace.duals[0, r] + turn[1] * trace.duals[1, r]
        offset -= y[r] * basis.right[r]
    value = turn[0] * trace.z[n, 0] + turn[1] * trace.z[n, 1]
    size = max(abs(trace.z[n, 0]), abs(trace.z[n, 1]), size)
    trace.normals[n, 0], trace.normals[n, 1] = turn[0], turn[1]
    trace.offsets[n] = max(offset, value)
    world_multipliers(placement, y, 1.0 / stretch, trace.multipliers[n])
    return abs(offset - value) <= CLOSED * size


@kernel
def walk(tables, pool, basis, placement, answer, trace, directions, stretch, tolerance):
    """One full turn from an optimal basis at directions[0] (2,); the outcome."""
    room = len(trace.offsets)
    here, turn = directions[0], directions[1]
    trace.counts[:] = 0
    if not read_duals(tables, basis, trace) or not record_corner(tables, pool, basis, answer, trace):
        return LOST
    trace.counts[0] = 1
    angle = 0.0
    for _ in range(50 * room):
        size = size_of(trace.duals)
        slot, sure = next_turn(tables, pool, basis, trace, here, turn, IMPROVING * size)
        if not sure:
            return LOST
        angle += max(np.arctan2(here[0] * turn[1] - here[1] * turn[0], here[0] * turn[0] + here[1] * turn[1]), 0.0)
        if angle >= 2.0 * np.pi:
            break
        if slot >= 0:
            if not record_edge(tables, basis, placement, trace, turn, stretch):
                return LOST
            if not along_edge(tables, pool, basis, trace, turn, slot, tolerance):
                return LOST
            if not record_corner(tables, pool, basis, answer, trace):
                return LOST
            n = trace.counts[0]
            far = max(abs(trace.z[n, 0] - trace.z[n - 1, 0]), abs(trace.z[n, 1] - trace.z[n - 1, 1]))
            if far > SAME * max(1.0, abs(trace.z[n, 0]), abs(trace.z[n, 1])):
                trace.counts[0] = n + 1
                if n + 1 >= room:
                    return FULL
        here[0], here[1] = turn[0], turn[1]
    return DONE if angle >= 2.0 * np.pi else LOST


@released_kernel
def trace_border(vertices, centres, radii, order, rays, floats, ints, trace, directions, base, axes):
    """Walk from the basis that is optimal along directions[0]; (outcome, stretch of z).

    Both coordinates of z are stretched alike, so that angles are those of the slice.
    """
    tables, pool, basis, placement, answer, _ = parts(vertices, centres, radii, order, rays, floats, ints)
    scale_base(placement, basis, base)
    stretch = 0.0
    for i in range(2):
        stretch = max(stretch, scale_axis(placement, axes[i], basis.axes[i]))
    for i in range(2):
        for r in range(6):
            basis.axes[i, r] /= stretch
    if not renew(tables, pool, basis):
        return LOST, stretch
    tolerance = (FEASIBLE + basis.numbers[ROUNDOFF]) * basis.numbers[SIZE]
    basis.margin[:] = tolerance
    return walk(tables, pool, basis, placement, answer, trace, directions, stretch, tolerance), stretch


class _Combinations(Sequence[Combination]):
    """The combinations of all corners, selected on access."""

    def __init__(self, count: int, *parts: Array) -> None:
        self._count, self._parts = count, parts

    def __len__(self) -> int:
        return len(self._parts[0])

    @overload
    def __getitem__(self, index: int) -> Combination: ...

    @overload
    def __getitem__(self, index: slice) -> _Combinations: ...

    def __getitem__(self, index: int | slice) -> Combination | _Combinations:
        if isinstance(index, slice):
            return _Combinations(self._count, *(part[index] for part in self._parts))
        hands, items, rays, weights, n = (part[index] for part in self._parts)
        return Combination(self._count, hands[:n], items[:n], rays[:n] == 1, weights[:n])


def parametric_slice(solver: SumSolver, base: Array, axes: Array, *, size: float) -> SumPolygon | None:
    """The slice of a sum at base (6,) + z @ axes (2, 6) where it is a polygon; None otherwise, and in doubt.

    Args:
        solver: a sum whose hands are placed.
        base, axes: wrenches wanted from the hands.
        size: the least magnitude that tolerances are shares of; the slice's own, if larger, is taken.
    """
    base, axes = np.ascontiguousarray(base, float), np.ascontiguousarray(axes, float)
    k, m, slots = len(solver.shape_of), solver.rows, int(solver.workspace[-1][SLOTS])
    room = CORNERS
    while True:
        trace = build_trace(room, k, m, slots)
        directions = np.array([[np.cos(FIRST_ANGLE), np.sin(FIRST_ANGLE)], [0.0, 0.0]])
        if solver.maximise(base, axes, directions[0]).status != SumStatus.OPTIMAL:
            return None
        outcome, stretch = trace_border(*solver.workspace, trace, directions, base, axes)
        solver.forget()
        if outcome != FULL or room >= MOST_CORNERS:
            break
        room *= 8
    if outcome != DONE:
        return None
    corners = trace.z[: trace.counts[0]] / stretch
    size = max(size, float(np.abs(corners).max()))
    n = len(corners) - 1
    if n < 3 or np.abs(corners[0] - corners[n]).max() > CLOSED * size:
        return None
    if bounded_kind(corners, size)[0] is not SliceKind.POLYGON:
        return None
    whole = SliceBorder(corners[:n], trace.normals[:n], trace.offsets[:n] / stretch, trace.multipliers[:n], range(n))
    border = tidied(whole, size)
    kept = np.array(border.proofs)
    weights = _Combinations(
        k, trace.hands[kept], trace.items[kept], trace.rays[kept], trace.weights[kept], trace.used[kept]
    )
    return SumPolygon(
        SliceKind.POLYGON,
        border.corners,
        border.rays,
        border.normals,
        border.offsets,
        border.multipliers,
        trace.wrenches[kept],
        weights,
        None,
        int(trace.counts[2]),
        size,
    )
