"""Bounded planar slices by the parametric simplex: turn the objective once round, and walk along the border.

The objective is d . z with d turning. The basis stays optimal until a column enters (`turning`): d is then normal to
an edge of the slice, the multiplier of that turn proves the edge, and the column leads along it to the next corner.
Where several columns tie, the edge is walked by the simplex method over those that do, towards where d turns next.
Whatever looks wrong ends the walk without an answer; the caller then refines (`polygon_refinement`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from ...checks import Array
from .basis import COLUMN, FREE
from .compiling import inlined, kernel, released_kernel
from .optimum import Combination, SumStatus
from .polygon import Border, SliceKind, SumPolygon, bounded_kind, tidied
from .pricing import pool_scores
from .queries import hand_out, scaled, world_multipliers
from .simplex import BALANCED, DUST, FEASIBLE, IMPROVING, MARGIN, RIGHT, SIZE, X, Y, advance, imbalance, renew
from .turning import TIED, build_trace, next_turn, read_turns, size_of
from .workspace import HANDS, ROWS, SLOTS, views

if TYPE_CHECKING:
    from .solver import SumSolver

#: Angle of the first objective [rad]: a normal that no edge has, unless it was chosen with care.
FIRST_ANGLE = 0.5772156649015329

#: Exchanges between fresh inverses, and exchanges along one edge, and those that lead nowhere before Bland's rule.
REFRESH, MOST_EXCHANGES, STALLED = 40, 400, 24

#: Corners nearer than this share of the slice's size are the same one.
SAME = 1e-13

#: The walk must end where it began, and values and bounds must agree, to this share of the slice's size.
CLOSED = 1e-10

#: Room for corners at first, and at most.
CORNERS, MOST_CORNERS = 1024, 65_536

#: Outcomes of a walk.
DONE, LOST, FULL = 0, 1, 2


@inlined
def renewed(tables, pool, basis):
    """Fresh inverse and values; False when the basis is singular."""
    return renew(
        tables.row_of,
        pool.world,
        pool.rows,
        basis.axes,
        basis.kinds,
        basis.index,
        basis.columns,
        basis.inverse,
        basis.work,
        basis.vectors,
    )


@kernel
def along_edge(tables, pool, basis, trace, turn, slot, tolerance):
    """Walk to the far end of the edge with normal `turn`: exchanges among the columns that tie. False when it has none.

    Exchanges of columns whose scores are zero change neither the multiplier of the turn nor which columns tie.
    """
    count = len(pool.items)
    tied = trace.scores[2]
    size = size_of(trace.turns)
    for i in range(count):
        tied[i] = turn[0] * trace.scores[0, i] + turn[1] * trace.scores[1, i]
    tied[slot] = 0.0
    idle = 0
    for _ in range(MOST_EXCHANGES):
        row, step = advance(tables, pool, basis, COLUMN, slot, 1.0, 1.0, False, True)
        trace.counts[1] += 1
        if row < 0:
            return False
        idle = idle + 1 if step <= tolerance else 0
        if trace.counts[1] % REFRESH == 0 and not renewed(tables, pool, basis):
            return False
        if not read_turns(tables, basis, trace):
            return False
        for c in range(2):
            pool_scores(pool.world, trace.levels[c], pool.rows, trace.turns[c], count, trace.scores[c])
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
    x = basis.vectors[X]
    for i in range(len(basis.kinds)):
        if basis.kinds[i] == FREE:
            trace.z[n, basis.index[i]] = x[i]
    hand_out(tables, pool, basis, answer)
    for j in range(len(tables.shape_of)):
        for r in range(6):
            trace.wrenches[n, j, r] = answer.wrenches[j, r]
    trace.used[n] = answer.facts[3]
    for i in range(trace.used[n]):
        trace.hands[n, i], trace.items[n, i] = answer.hands[i], answer.items[i]
        trace.rays[n, i], trace.weights[n, i] = answer.rays[i], answer.weights[i]
    off = imbalance(basis.kinds, basis.columns, x, basis.vectors[RIGHT])
    return off <= (BALANCED + basis.numbers[DUST]) * basis.numbers[SIZE]


@kernel
def record_edge(tables, basis, scene, trace, turn, stretch):
    """The half-plane of the turn as the edge behind the last corner; False when corner and bound disagree."""
    n = trace.counts[0] - 1
    y = basis.vectors[Y]
    offset, size = 0.0, 1.0
    for j in range(len(tables.shape_of)):
        offset -= turn[0] * trace.levels[0, j] + turn[1] * trace.levels[1, j]
    for r in range(6):
        y[r] = turn[0] * trace.turns[0, r] + turn[1] * trace.turns[1, r]
        offset -= y[r] * basis.vectors[RIGHT, r]
    value = turn[0] * trace.z[n, 0] + turn[1] * trace.z[n, 1]
    size = max(abs(trace.z[n, 0]), abs(trace.z[n, 1]), size)
    trace.normals[n, 0], trace.normals[n, 1] = turn[0], turn[1]
    trace.offsets[n] = max(offset, value)
    world_multipliers(scene, y, 1.0 / stretch, trace.multipliers[n])
    return abs(offset - value) <= CLOSED * size


@kernel
def walk(tables, pool, basis, scene, answer, trace, directions, stretch, tolerance):
    """Once round from an optimal basis at directions[0] (2,); the outcome."""
    room = len(trace.offsets)
    here, turn = directions[0], directions[1]
    trace.counts[:] = 0
    if not read_turns(tables, basis, trace) or not record_corner(tables, pool, basis, answer, trace):
        return LOST
    trace.counts[0] = 1
    angle = 0.0
    for _ in range(50 * room):
        size = size_of(trace.turns)
        slot, sure = next_turn(tables, pool, basis, trace, here, turn, IMPROVING * size)
        if not sure:
            return LOST
        angle += max(np.arctan2(here[0] * turn[1] - here[1] * turn[0], here[0] * turn[0] + here[1] * turn[1]), 0.0)
        if angle >= 2.0 * np.pi:
            break
        if slot >= 0:
            if not record_edge(tables, basis, scene, trace, turn, stretch):
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
    tables, pool, basis, scene, answer = views(vertices, centres, radii, order, rays, floats, ints)
    right = basis.vectors[RIGHT]
    scaled(scene, base, right)
    for r in range(6):
        right[r] -= scene.single[r]
    for r in range(6, len(basis.kinds)):
        right[r] = 1.0
    stretch = 0.0
    for i in range(2):
        scaled(scene, axes[i], basis.axes[i])
        total = 0.0
        for r in range(6):
            total += basis.axes[i, r] ** 2
        stretch = max(stretch, np.sqrt(total))
    for i in range(2):
        for r in range(6):
            basis.axes[i, r] /= stretch
    if not renewed(tables, pool, basis):
        return LOST, stretch
    tolerance = (FEASIBLE + basis.numbers[DUST]) * basis.numbers[SIZE]
    basis.vectors[MARGIN, :] = tolerance
    return walk(tables, pool, basis, scene, answer, trace, directions, stretch, tolerance), stretch


class _Combinations(Sequence[Combination]):
    """The combinations of all corners, cut out when they are asked for."""

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


def shadow_polygon(solver: SumSolver, base: Array, axes: Array, *, size: float) -> SumPolygon | None:
    """The slice of a sum at base (6,) + z @ axes (2, 6) where it is a polygon; None for all else, and in doubt.

    Args:
        solver: a sum whose hands are placed.
        base, axes: wrenches wanted from the hands.
        size: the least magnitude that tolerances are shares of; the slice's own, if larger, is taken.
    """
    ints = solver.arrays[-1]
    base, axes = np.ascontiguousarray(base, float), np.ascontiguousarray(axes, float)
    k, m, slots = int(ints[HANDS]), int(ints[ROWS]), int(ints[SLOTS])
    room = CORNERS
    while True:
        trace = build_trace(room, k, m, slots)
        directions = np.array([[np.cos(FIRST_ANGLE), np.sin(FIRST_ANGLE)], [0.0, 0.0]])
        if solver.maximise(base, axes, directions[0]).status != SumStatus.OPTIMAL:
            return None
        outcome, stretch = trace_border(*solver.arrays, trace, directions, base, axes)
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
    whole = Border(corners[:n], trace.normals[:n], trace.offsets[:n] / stretch, trace.multipliers[:n], range(n))
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
