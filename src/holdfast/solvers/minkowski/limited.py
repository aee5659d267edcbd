"""Sums of hands within rows on their wrenches: limits of joint torques, in one program with all vertices.

    sum_j T_j w_j - z @ axes = base,      s = sum_j R_j w_j + constant,      lower <= s <= upper,

each w_j a mixture of the vertices of hand j and a sum along its rays. It is solved by the primal simplex method with
bounded variables: six balances, n rows (a slack s_r each) and one convexity row per hand, m = 6 + n + k rows in all.
The dense inverse of the basis is kept. Basic variables outside their bounds count with their distance (phase 1, with a
line search over all the bounds that are met), then the objective counts (phase 2). Every pricing looks at all vertices
of all hands, in the hands' frames: the direction of hand j is -(T_j^T p + R_j^T r) for prices p of the balance and r of
the rows. Vertices lie in blocks of neighbours (`workspace`), and a ball round each block shows which cannot matter.

The basis is kept from program to program and from place to place: at a new place its columns are recomputed and
inserted one by one. "Empty" is stated only with prices that separate, checked against all vertices, rays and bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, IntArray
from ...compiling import inlined, kernel, released_kernel
from ...tolerances import RAY_SLOPE
from .results import SumStatus
from .simplex import FARTHEST, best_of_block, block_support, exchange, value_at
from .workspace import BLOCK, PreparedShape

#: Outcomes, in the order of `STATUSES`.
OPTIMAL, UNBOUNDED, EMPTY, UNDECIDED = 0, 1, 2, 3
STATUSES = (SumStatus.OPTIMAL, SumStatus.UNBOUNDED, SumStatus.EMPTY, SumStatus.UNDECIDED)

#: Basic variables may be outside their bounds by this share of the size of forces.
FEASIBLE = 1e-11

#: A column enters when its score exceeds this share of the largest price.
IMPROVING = 1e-11

#: Prices separate when they do so by this share of the size of forces, in their own metric.
APART = 1e-13

#: A pivot below this share of its column's largest entry is rounding; at a new place, a column below the second one
#: is left out.
PIVOT, PIVOT_PLACED = 1e-9, 1e-7

#: Exchanges between fresh inverses; most of a program, and further ones per row.
REFRESH, EXCHANGES, EXCHANGES_PER_ROW = 40, 400, 20

#: Exchanges that change nothing before the right side is perturbed, by how much, and how often.
STALLED, PERTURBATION, PERTURBATIONS = 12, 1e-8, 3

#: A step below this share of the size of forces changes nothing.
STEP = 1e-13

#: How often an answer may fail the check with a fresh inverse before it is accepted.
CHECKS = 4

#: Kinds of variables: a vertex or a ray (>= 0), a row's slack, a coordinate of z (free), a unit column (zero).
VERTEX, RAY, SLACK, FREE, UNIT = 0, 1, 2, 3, 4

#: Sides of a slack: in the basis, at its lower or at its upper limit.
BASIC, LOW, HIGH = 0, 1, 2

#: Entries of `LimitedState.state`, and of `LimitedState.numbers`.
STATUS, EXCHANGED, PLACED, AXES = range(4)
VALUE, LACKING = range(2)


class LimitedTables(NamedTuple):
    """All shapes behind one another."""

    vertices: Array  # (6, N) in hand frames, block by block
    centres: Array  # (6, blocks) of balls round the blocks
    radii: Array  # (blocks,) in units of `spread`
    spread: Array  # (shapes, 6)
    rays: Array  # (6, M) in hand frames, as long as the unit of force
    first: IntArray  # (shapes + 1,) of vertices
    first_block: IntArray  # (shapes + 1,)
    first_ray: IntArray  # (shapes + 1,)
    shape_of: IntArray  # (k,)


class LimitedState(NamedTuple):
    """Place, program, basis and answer; all scaled."""

    maps: Array  # (k, 6 + n, 6) palm wrenches to balance and rows
    limits: Array  # (2, n)
    axes: Array  # (6, 6)
    gains: Array  # (6,)
    right: Array  # (m,)
    shift: Array  # (m,) perturbation of the right side
    inverse: Array  # (m, m)
    columns: Array  # (m, m) basic columns, one per row
    vectors: Array  # (7, m) values, costs, prices, entering column, that times the inverse, scratch, right side in use
    wrenches: Array  # (k, 6) the answer, as given
    numbers: Array  # (2,)
    basis: IntArray  # (3, m) kind, hand and item of each basic variable
    old: IntArray  # (3, m) scratch
    done: IntArray  # (2, m) scratch
    side: IntArray  # (n,)
    basic_z: IntArray  # (6,)
    state: IntArray  # (4,)


X, COST, PRICE, COLUMN, ALPHA, SCRATCH, RIGHT = range(7)


@inlined
def times(matrix, right, out):
    """out = matrix right."""
    m = len(out)
    for i in range(m):
        total = 0.0
        for r in range(m):
            total += matrix[i, r] * right[r]
        out[i] = total


@times.twin
def _times(matrix, right, out):
    """`times` by one product."""
    out[:] = matrix @ right


@inlined
def times_left(left, matrix, out):
    """out = left matrix."""
    m = len(out)
    for r in range(m):
        out[r] = 0.0
    for i in range(m):
        factor = left[i]
        if factor != 0.0:
            for r in range(m):
                out[r] += factor * matrix[i, r]


@times_left.twin
def _times_left(left, matrix, out):
    """`times_left` by one product."""
    out[:] = left @ matrix


@inlined
def hand_column(source, item, maps, out):
    """out (6 + n) = maps v of column `item` of `source` (6, N)."""
    v0, v1, v2 = source[0, item], source[1, item], source[2, item]
    v3, v4, v5 = source[3, item], source[4, item], source[5, item]
    for r in range(len(maps)):
        out[r] = (
            maps[r, 0] * v0 + maps[r, 1] * v1 + maps[r, 2] * v2 + maps[r, 3] * v3 + maps[r, 4] * v4 + maps[r, 5] * v5
        )


@hand_column.twin
def _hand_column(source, item, maps, out):
    """`hand_column` by one product."""
    out[: len(maps)] = maps @ source[:, item]


@inlined
def fill_column(tables, now, kind, hand, item, out):
    """The column of a variable."""
    rows = now.maps.shape[1]
    for r in range(len(out)):
        out[r] = 0.0
    if kind == VERTEX:
        hand_column(tables.vertices, item, now.maps[hand], out)
        out[rows + hand] = 1.0
    elif kind == RAY:
        hand_column(tables.rays, item, now.maps[hand], out)
    elif kind == SLACK:
        out[6 + item] = -1.0
    elif kind == FREE:
        for r in range(6):
            out[r] = -now.axes[item, r]
    else:
        out[item] = 1.0


@kernel
def renew(tables, now):
    """Recompute columns and inverse of the basis; a column that depends on the others is replaced by a unit column."""
    basis, old, inverse, m = now.basis, now.old, now.inverse, len(now.right)
    alpha, column = now.vectors[ALPHA], now.vectors[COLUMN]
    for i in range(m):
        for r in range(m):
            inverse[i, r], now.columns[i, r] = 0.0, 0.0
        inverse[i, i], now.columns[i, i] = 1.0, 1.0
        for part in range(3):
            old[part, i] = basis[part, i]
        basis[0, i], basis[1, i], basis[2, i] = UNIT, 0, i
    for i in range(6):
        now.basic_z[i] = 0
    for i in range(m):  # slacks are unit columns, each in its own row
        if old[0, i] == SLACK:
            row = 6 + old[2, i]
            inverse[row, row], now.columns[row, row] = -1.0, -1.0
            basis[0, row], basis[2, row] = SLACK, old[2, i]
    for i in range(m):
        kind, hand, item = old[0, i], old[1, i], old[2, i]
        if kind in (SLACK, UNIT):
            continue
        fill_column(tables, now, kind, hand, item, column)
        times(inverse, column, alpha)
        row, best, size = -1, 0.0, 0.0
        for r in range(m):
            size = max(size, abs(alpha[r]))
            if basis[0, r] == UNIT and abs(alpha[r]) > best:
                row, best = r, abs(alpha[r])
        if row < 0 or best <= PIVOT_PLACED * size:
            continue
        exchange(inverse, alpha, row)
        for r in range(m):
            now.columns[row, r] = column[r]
        basis[0, row], basis[1, row], basis[2, row] = kind, hand, item
        if kind == FREE:
            now.basic_z[item] = 1
    for i in range(len(now.side)):
        if basis[0, 6 + i] == SLACK and basis[2, 6 + i] == i:
            now.side[i] = BASIC
        elif now.side[i] == BASIC or abs(now.limits[now.side[i] - 1, i]) == np.inf:
            now.side[i] = LOW if now.limits[0, i] > -np.inf else HIGH


@inlined
def renew_values(now):
    """Values of the basic variables, refined once."""
    m, n = len(now.right), len(now.side)
    x, right, rest = now.vectors[X], now.vectors[RIGHT], now.vectors[SCRATCH]
    for r in range(m):
        right[r] = now.right[r] + now.shift[r]
    for r in range(n):
        if now.side[r] != BASIC:
            right[6 + r] += now.limits[now.side[r] - 1, r]
    times(now.inverse, right, x)
    times_left(x, now.columns, rest)
    for r in range(m):
        rest[r] = right[r] - rest[r]
    times(now.inverse, rest, now.vectors[ALPHA])
    for r in range(m):
        x[r] += now.vectors[ALPHA, r]


@inlined
def low_of(now, i):
    """Lower bound of the i-th basic variable."""
    kind = now.basis[0, i]
    return now.limits[0, now.basis[2, i]] if kind == SLACK else -np.inf if kind == FREE else 0.0


@inlined
def high_of(now, i):
    """Upper bound of the i-th basic variable."""
    kind = now.basis[0, i]
    return now.limits[1, now.basis[2, i]] if kind == SLACK else 0.0 if kind == UNIT else np.inf


@inlined
def distances(now):
    """Costs of phase 1 by basic variable: 1 below its bounds, -1 above them; the sum of distances."""
    x, cost = now.vectors[X], now.vectors[COST]
    total = 0.0
    for i in range(len(x)):
        below, above = low_of(now, i) - x[i], x[i] - high_of(now, i)
        cost[i] = 0.0
        if below > FEASIBLE:
            cost[i] = 1.0
            total += below
        elif above > FEASIBLE:
            cost[i] = -1.0
            total += above
    return total


@inlined
def towards(now, hand, g):
    """g (6,) = -(T^T p + R^T r): the direction of a hand at the prices."""
    prices, maps = now.vectors[PRICE], now.maps[hand]
    for c in range(6):
        g[c] = 0.0
    for r in range(len(maps)):
        price = prices[r]
        if price != 0.0:
            for c in range(6):
                g[c] -= price * maps[r, c]


@kernel
def best_vertex(tables, s, g, level):
    """(place, value) of the largest g . v of shape s, if above the level; else (-1, level)."""
    size = 0.0
    for r in range(6):
        size += (g[r] * tables.spread[s, r]) ** 2
    size = np.sqrt(size)
    found = -1
    for block in range(tables.first_block[s], tables.first_block[s + 1]):
        if value_at(tables.centres, block, g) + tables.radii[block] * size <= level:
            continue
        start = tables.first[s] + (block - tables.first_block[s]) * BLOCK
        top = block_support(tables.vertices, start, min(start + BLOCK, tables.first[s + 1]), g)
        if top > level:
            level, found = top, block
    if found < 0:
        return -1, level
    start = tables.first[s] + (found - tables.first_block[s]) * BLOCK
    item, top = best_of_block(tables.vertices, start, min(start + BLOCK, tables.first[s + 1]), g)
    return item, top


@kernel
def entering(tables, now, p, phase):
    """(kind, hand, item, sign, slope) of the variable that improves most; kind -1 where none does."""
    prices, g = now.vectors[PRICE], now.vectors[SCRATCH]
    n, k, rows = len(now.side), len(tables.shape_of), now.maps.shape[1]
    size = 0.0
    for r in range(len(prices)):
        size = max(size, abs(prices[r]))
    best = IMPROVING * size if phase == 1 else IMPROVING * max(1.0, size)
    kind, hand, item, sign = -1, 0, 0, 1.0
    for i in range(p):
        if now.basic_z[i] == 0:
            slope = now.gains[i] if phase == 2 else 0.0
            for r in range(6):
                slope += prices[r] * now.axes[i, r]
            if abs(slope) > best:
                kind, hand, item, sign, best = FREE, 0, i, 1.0 if slope > 0.0 else -1.0, abs(slope)
    for r in range(n):
        if now.side[r] == BASIC or now.limits[0, r] == now.limits[1, r]:
            continue
        way = 1.0 if now.side[r] == LOW else -1.0
        if way * prices[6 + r] > best:
            kind, hand, item, sign, best = SLACK, 0, r, way, way * prices[6 + r]
    for j in range(k):
        towards(now, j, g)
        offset, s = -prices[rows + j], tables.shape_of[j]
        found, top = best_vertex(tables, s, g, best - offset)
        if found >= 0 and top + offset > best:
            kind, hand, item, sign, best = VERTEX, j, found, 1.0, top + offset
        if tables.first_ray[s + 1] > tables.first_ray[s]:
            found, top = best_of_block(tables.rays, tables.first_ray[s], tables.first_ray[s + 1], g)
            if top > best:
                kind, hand, item, sign, best = RAY, j, found, 1.0, top
    return kind, hand, item, sign, best


@inlined
def event_time(now, i, end, sign, least):
    """When the i-th basic variable meets a bound (end 0: the first on its way, 1: the second); inf for never."""
    rate = -sign * now.vectors[ALPHA, i]
    if abs(rate) <= least:
        return np.inf
    x, low, high = now.vectors[X, i], low_of(now, i), high_of(now, i)
    first, last = (low, high) if rate > 0.0 else (high, low)
    outside = (x < low - FEASIBLE) if rate > 0.0 else (x > high + FEASIBLE)
    if end == 0 and not outside:  # it has passed this bound, or was never beyond it
        return np.inf
    bound = first if end == 0 else last
    if abs(bound) == np.inf:
        return np.inf
    if end == 1 and ((rate > 0.0 and x > high + FEASIBLE) or (rate < 0.0 and x < low - FEASIBLE)):
        return np.inf  # it moves further away
    return max((bound - x) / rate, 0.0)


@kernel
def step_length(now, sign, slope, phase):
    """(row, end, time) of the bound that ends the step; row -1 for none."""
    alpha, m = now.vectors[ALPHA], len(now.right)
    size = 0.0
    for i in range(m):
        size = max(size, abs(alpha[i]))
        now.done[0, i], now.done[1, i] = 0, 0
    least = PIVOT * size
    row, end, when = -1, 0, np.inf
    if phase == 2:  # the first bound, and of those met within rounding of it the largest pivot
        latest = np.inf
        for i in range(m):
            time = event_time(now, i, 1, sign, least)
            if time < np.inf:
                latest = min(latest, time + FEASIBLE / abs(alpha[i]))
        if latest == np.inf:
            return row, end, when
        best = 0.0
        for i in range(m):
            time = event_time(now, i, 1, sign, least)
            if time <= latest and abs(alpha[i]) > best:
                row, end, when, best = i, 1, time, abs(alpha[i])
        return row, end, when
    for _ in range(2 * m):
        row, end, when = -1, 0, np.inf
        best = 0.0
        for i in range(m):
            for side in range(2):
                if now.done[side, i] == 0:
                    time = event_time(now, i, side, sign, least)
                    if time < when or (time == when and time < np.inf and abs(alpha[i]) > best):
                        row, end, when, best = i, side, time, abs(alpha[i])
        if row < 0:
            return row, end, when
        now.done[end, row] = 1
        slope -= best * (2.0 if now.basis[0, row] == UNIT and end == 1 and now.vectors[COST, row] == 0.0 else 1.0)
        if slope <= 0.0:
            return row, end, when
    return -1, 0, np.inf


@inlined
def swap(now, row, kind, hand, item, value):
    """Let a variable whose column is in COLUMN, and times the inverse in ALPHA, take the place of a basic one."""
    m = len(now.right)
    exchange(now.inverse, now.vectors[ALPHA], row)
    for r in range(m):
        now.columns[row, r] = now.vectors[COLUMN, r]
    if now.basis[0, row] == FREE:
        now.basic_z[now.basis[2, row]] = 0
    now.basis[0, row], now.basis[1, row], now.basis[2, row] = kind, hand, item
    now.vectors[X, row] = value
    if kind == SLACK:
        now.side[item] = BASIC
    elif kind == FREE:
        now.basic_z[item] = 1


@kernel
def separates(tables, now, p):
    """How far the prices of phase 1 separate the base from all that hands and rows allow; positive: proven."""
    prices, g, n = now.vectors[PRICE], now.vectors[SCRATCH], len(now.side)
    size = 0.0
    for r in range(6 + n):
        size = max(size, abs(prices[r]))
    if size <= 0.0:
        return -np.inf
    total = steepest = reach = 0.0
    for r in range(6 + n):
        total += prices[r] * now.right[r]
        reach = max(reach, abs(now.right[r]))
    for i in range(p):
        slope = 0.0
        for r in range(6):
            slope += prices[r] * now.axes[i, r]
        if abs(slope) > RAY_SLOPE * size:
            return -np.inf
    for r in range(n):
        price = prices[6 + r]
        bound = now.limits[1, r] if price > 0.0 else now.limits[0, r]
        if abs(bound) < np.inf:
            total += price * bound
        elif abs(price) > APART * size:
            return -np.inf
    for j in range(len(tables.shape_of)):
        towards(now, j, g)
        s = tables.shape_of[j]
        _, top = best_vertex(tables, s, g, -np.inf)
        total += top
        if tables.first_ray[s + 1] > tables.first_ray[s]:
            _, top = best_of_block(tables.rays, tables.first_ray[s], tables.first_ray[s + 1], g)
            if top > RAY_SLOPE * size:
                return -np.inf
            steepest = max(steepest, top)
    return -(total + FARTHEST * steepest * reach) / size


@inlined
def start(tables, now):
    """The first basis: slacks, one vertex per hand, unit columns for the balance."""
    n, rows = len(now.side), now.maps.shape[1]
    for i in range(len(now.right)):
        now.basis[0, i], now.basis[1, i], now.basis[2, i] = UNIT, 0, i
    for r in range(n):
        now.basis[0, 6 + r], now.basis[2, 6 + r], now.side[r] = SLACK, r, BASIC
    for j in range(len(tables.shape_of)):
        now.basis[0, rows + j], now.basis[1, rows + j] = VERTEX, j
        now.basis[2, rows + j] = tables.first[tables.shape_of[j]]


@kernel
def unshift(tables, now):
    """Recompute inverse and values, without a perturbation."""
    for r in range(len(now.right)):
        now.shift[r] = 0.0
    renew(tables, now)
    renew_values(now)


@inlined
def decided(tables, now, p, phase):
    """The outcome where no variable improves: optimal, or empty with prices that separate, or undecided."""
    status = UNDECIDED
    if phase == 2:
        status = OPTIMAL
    elif separates(tables, now, p) > APART:
        status = EMPTY
    return status


@kernel
def perturb(now, times_before):
    """Move the right side a little, each row by its own amount."""
    seed = 0.5 + 0.1 * times_before
    for r in range(len(now.right)):
        seed = (seed * 997.0 + 0.3711) % 1.0
        now.shift[r] = PERTURBATION * (0.5 + seed) * (1.0 if r % 2 == 0 else -1.0)


@kernel
def solve_limited(tables, now, p, limit):
    """The program from the basis as it is; status, value and values into the state."""
    x, cost, alpha = now.vectors[X], now.vectors[COST], now.vectors[ALPHA]
    stalled, perturbed, checked, fresh, phase = 0, 0, 0, True, 1
    for r in range(len(now.right)):
        now.shift[r] = 0.0
    status, shifted = UNDECIDED, False
    renew_values(now)
    now.state[EXCHANGED] = 0
    while now.state[EXCHANGED] < limit:
        now.numbers[LACKING] = distances(now)
        phase = 1 if now.numbers[LACKING] > 0.0 else 2
        if phase == 2:
            for i in range(len(x)):
                cost[i] = now.gains[now.basis[2, i]] if now.basis[0, i] == FREE else 0.0
        kind, hand, item, sign, slope = -1, 0, 0, 1.0, 0.0
        if phase == 1 or p > 0:
            times_left(cost, now.inverse, now.vectors[PRICE])
            kind, hand, item, sign, slope = entering(tables, now, p, phase)
        if kind < 0:
            if shifted or (not fresh and checked <= CHECKS):
                shifted, fresh, checked = False, True, checked + 1
                unshift(tables, now)
                continue
            status = decided(tables, now, p, phase)
            break
        fill_column(tables, now, kind, hand, item, now.vectors[COLUMN])
        times(now.inverse, now.vectors[COLUMN], alpha)
        row, end, when = step_length(now, sign, slope, phase)
        reach = np.inf
        if kind == SLACK:
            reach = now.limits[1, item] - now.limits[0, item]
        if row < 0 and reach == np.inf:
            if shifted or not fresh:
                shifted, fresh = False, True
                unshift(tables, now)
                continue
            status = UNBOUNDED if phase == 2 else decided(tables, now, p, phase)
            break
        flips = reach <= when
        when = min(when, reach)
        for i in range(len(x)):
            x[i] -= when * sign * alpha[i]
        now.state[EXCHANGED] += 1
        if flips:
            now.side[item] = HIGH if now.side[item] == LOW else LOW
        else:
            value = when * sign
            if kind == SLACK:
                value += now.limits[now.side[item] - 1, item]
            if now.basis[0, row] == SLACK:
                rising = -sign * alpha[row] > 0.0
                now.side[now.basis[2, row]] = HIGH if rising == (end == 1) else LOW
            swap(now, row, kind, hand, item, value)
        fresh = False
        if now.state[EXCHANGED] % REFRESH == 0:
            fresh = True
            renew(tables, now)
            renew_values(now)
        stalled = stalled + 1 if when <= STEP else 0
        if stalled > STALLED and perturbed < PERTURBATIONS:
            perturb(now, perturbed)
            shifted, stalled, perturbed = True, 0, perturbed + 1
            renew_values(now)
    now.state[STATUS] = status


@released_kernel
def ask_limited(tables, now, p, limit, fresh):
    """One program; `fresh`: from the first basis. The answer stays in the state, its wrenches in the hands' units."""
    if fresh:
        start(tables, now)
    if fresh or now.state[PLACED] == 1 or now.state[AXES] != p:
        for i in range(len(now.right)):  # coordinates that this program does not have
            if now.basis[0, i] == FREE and now.basis[2, i] >= p:
                now.basis[0, i], now.basis[2, i] = UNIT, i
        renew(tables, now)
    now.state[PLACED], now.state[AXES] = 0, p
    solve_limited(tables, now, p, limit)
    now.numbers[VALUE] = 0.0
    x, sums = now.vectors[X], now.vectors[SCRATCH]
    for j in range(len(now.wrenches)):
        sums[j] = 0.0
        for r in range(6):
            now.wrenches[j, r] = 0.0
    for i in range(len(x)):
        if now.basis[0, i] == VERTEX:
            sums[now.basis[1, i]] += max(x[i], 0.0)
        elif now.basis[0, i] == FREE:
            now.numbers[VALUE] += now.gains[now.basis[2, i]] * x[i]
    for i in range(len(x)):
        kind, j, item = now.basis[0, i], now.basis[1, i], now.basis[2, i]
        if kind == VERTEX and sums[j] > 0.0:
            for r in range(6):
                now.wrenches[j, r] += max(x[i], 0.0) / sums[j] * tables.vertices[r, item]
        elif kind == RAY:
            for r in range(6):
                now.wrenches[j, r] += max(x[i], 0.0) * tables.rays[r, item]


# -- in Python -----------------------------------------------------------------------------------

#: A weight counts as used, and a vertex as reached by the prices, within this share of the size of forces.
ACTIVE = 1e-9


@dataclass(frozen=True, eq=False)
class LimitedOptimum:
    """The answer to one program over hands and rows, in the units of the caller.

    Attributes:
        status: as of `SumOptimum`.
        z: (p,) the best z; nan without one.
        value: objective . z; -inf where nothing is held.
        wrenches: (k, 6) of the hands, palm frames; nan without any.
        rows: (n,) values s of the rows; nan without any.
        multipliers: (6,) y of the balance: the value changes by y . change of sum_j T_j w_j at constant wrenches.
            Where the program is empty, y and `row_multipliers` r separate: for all wrenches of the hands and all s
            within their limits, y . (sum_j T_j w_j - base) + r . (sum_j R_j w_j + constant - s) < 0.
        row_multipliers: (n,) r of the rows, alike.
        unique: whether optimum and multipliers are unique: just the vertices, rays and rows that they reach are used;
            None where that was not asked.
        exchanges: of the simplex method.
    """

    status: SumStatus
    z: Array
    value: float
    wrenches: Array
    rows: Array
    multipliers: Array
    row_multipliers: Array
    unique: bool | None
    exchanges: int


class LimitedSum:
    """Linear programs over sums of hands whose wrenches keep rows; see the top of this module.

    Basis and buffers are kept from program to program: not for several threads at once.

    Args:
        shapes: the prepared shapes.
        shape_of: (k,) which shape each hand has.
        length: [m] that divides torques.
        row_lengths: (n,) what each row is divided by to be a force: a length [m] for torques, 1 for forces.
        force: [N] size of loads; the unit of force is this or the reach of the largest shape.
    """

    def __init__(
        self,
        shapes: Sequence[PreparedShape],
        shape_of: Sequence[int] | IntArray,
        *,
        length: float,
        row_lengths: ArrayLike,
        force: float,
    ) -> None:
        own = list(shapes)
        hands = np.array(shape_of, dtype=np.int64)
        units = np.array(row_lengths, dtype=np.float64)
        k, n = len(hands), len(units)
        m = 6 + n + k
        reach = max(max(shape.reach[0], shape.reach[1] / length) for shape in own)
        self._unit = max(reach, float(force)) or 1.0
        scale = np.repeat([1.0, 1.0 / length], 3)
        self._scaling = np.concatenate([scale, 1.0 / units]) / self._unit  # (6 + n,)
        rays = [shape.rays / np.maximum(np.linalg.norm(shape.rays * scale, axis=1), 1e-300)[:, None] for shape in own]

        def firsts(counts: Sequence[int]) -> IntArray:
            return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

        self._tables = LimitedTables(
            np.ascontiguousarray(np.concatenate([shape.table for shape in own], axis=1)),
            np.ascontiguousarray(np.concatenate([shape.centres for shape in own], axis=1)),
            np.concatenate([shape.radii for shape in own]),
            np.array([shape.spread for shape in own]),
            np.ascontiguousarray(np.concatenate(rays).T) * self._unit,
            firsts([shape.table.shape[1] for shape in own]),
            firsts([len(shape.radii) for shape in own]),
            firsts([len(block) for block in rays]),
            hands,
        )
        ints = [np.zeros(shape, dtype=np.int64) for shape in ((3, m), (3, m), (2, m), (n,), (6,), (4,))]
        self._now = LimitedState(
            np.zeros((k, 6 + n, 6)),
            np.zeros((2, n)),
            np.zeros((6, 6)),
            np.zeros(6),
            np.zeros(m),
            np.zeros(m),
            np.zeros((m, m)),
            np.zeros((m, m)),
            np.zeros((7, m)),
            np.zeros((k, 6)),
            np.zeros(2),
            *ints,
        )
        self._now.right[6 + n :] = 1.0
        self._limit = EXCHANGES + EXCHANGES_PER_ROW * m
        self._bases: dict[int, tuple[IntArray, IntArray]] = {}
        self._last: int | None = None

    def place(self, maps: ArrayLike, rows: ArrayLike) -> None:
        """Put the hands at their places: (k, 6, 6) maps T_j, and (k, n, 6) rows R_j, of palm wrenches."""
        now = self._now
        np.multiply(maps, self._scaling[:6, None], out=now.maps[:, :6])
        np.multiply(rows, self._scaling[6:, None], out=now.maps[:, 6:])
        now.state[PLACED] = 1

    def limit(self, constant: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> None:
        """(n,) constants of the rows and limits of the slacks; infinite for none."""
        now, scale, n = self._now, self._scaling[6:], len(self._now.side)
        now.right[6 : 6 + n] = -np.asarray(constant, dtype=np.float64) * scale
        now.limits[0], now.limits[1] = np.asarray(lower) * scale, np.asarray(upper) * scale
        now.state[PLACED] = 1

    def forget(self) -> None:
        """Start the next program from the first basis."""
        self._bases.clear()
        self._last = None

    def holds(self, base: ArrayLike) -> SumStatus:
        """Whether the hands give `base` (6,) within the rows: "optimal" or "empty"; the fastest query."""
        return self._ask(base, np.zeros((0, 6)), np.zeros(0), -1)[0]

    def maximise(
        self,
        base: ArrayLike,
        axes: ArrayLike | None = None,
        objective: ArrayLike | None = None,
        *,
        key: int = 0,
        judge: bool = False,
    ) -> LimitedOptimum:
        """Maximise objective . z with base + z @ axes given by the hands within the rows; without axes: whether it is.

        Args:
            base: (6,) in the axes and about the point of the maps.
            axes: (p, 6), p at most 6.
            objective: (p,).
            key: programs of one key start from each other's last basis.
            judge: whether to find out if the optimum is unique.
        """
        ways = np.zeros((0, 6)) if axes is None else np.asarray(axes, dtype=np.float64).reshape(-1, 6)
        gains = np.zeros(0) if objective is None else np.asarray(objective, dtype=np.float64)
        return self._optimum(len(ways), judge, *self._ask(base, ways, gains, key))

    def _ask(self, base: ArrayLike, ways: Array, objective: Array, key: int) -> tuple[SumStatus, Array, float]:
        """(status, scaled lengths of the axes (p,), unit of the objective) of one program."""
        now = self._now
        p = len(ways)
        now.right[:6] = np.asarray(base, dtype=np.float64) * self._scaling[:6]
        lengths, factor = np.ones(p), 1.0
        if p:
            now.axes[:p] = ways * self._scaling[:6]
            lengths = np.sqrt(np.einsum("ij,ij->i", now.axes[:p], now.axes[:p]))
            lengths[lengths == 0.0] = 1.0
            now.axes[:p] /= lengths[:, None]
            gains = objective / lengths
            factor = float(np.abs(gains).max()) or 1.0
            now.gains[:p] = gains / factor
            now.state[PLACED] = 1
        if key != self._last and key in self._bases:
            now.basis[:], now.side[:] = self._bases[key]
            now.state[PLACED] = 1
        ask_limited(self._tables, now, p, self._limit, self._last is None)
        status = STATUSES[int(now.state[STATUS])]
        if status is SumStatus.UNDECIDED:
            self._bases.pop(key, None)
            self._last = None
        else:
            self._bases[key] = now.basis.copy(), now.side.copy()
            self._last = key
        return status, lengths, factor

    def _optimum(self, p: int, judge: bool, status: SumStatus, lengths: Array, factor: float) -> LimitedOptimum:
        """A copy of the answer in the state."""
        now, k, n = self._now, len(self._now.wrenches), len(self._now.side)
        found = status in (SumStatus.OPTIMAL, SumStatus.UNBOUNDED)
        prices = -now.vectors[PRICE, : 6 + n] * self._scaling
        if found:
            z = np.zeros(p)
            for at in np.flatnonzero(now.basis[0] == FREE) if p else ():
                z[now.basis[2, at]] = now.vectors[X, at] / lengths[now.basis[2, at]]
            wrenches = now.wrenches.copy()
            rows = (np.einsum("jrc,jc->r", now.maps[:, 6:], wrenches) - now.right[6 : 6 + n]) / self._scaling[6:]
            value = now.numbers[VALUE] * factor
            prices *= factor if p and status is SumStatus.OPTIMAL else 0.0
        else:
            z, wrenches, rows, value = np.full(p, np.nan), np.full((k, 6), np.nan), np.full(n, np.nan), -np.inf
            prices *= self._unit if status is SumStatus.EMPTY else 0.0
        unique = bool(p and status is SumStatus.OPTIMAL and self._unique(n)) if judge else None
        exchanges = int(now.state[EXCHANGED])
        return LimitedOptimum(status, z, float(value), wrenches, rows, prices[:6], prices[6:], unique, exchanges)

    def _unique(self, n: int) -> bool:
        """Whether no basic variable is at a bound, and no other variable could enter at no cost."""
        now, tables = self._now, self._tables
        kinds, items, x = now.basis[0], now.basis[2], now.vectors[X]
        if (kinds == UNIT).any() or (x[(kinds == VERTEX) | (kinds == RAY)] <= ACTIVE).any():
            return False
        slacks = kinds == SLACK
        low, high = now.limits[:, items[slacks]]
        if (np.minimum(x[slacks] - low, high - x[slacks]) <= ACTIVE).any():
            return False
        prices = now.vectors[PRICE]
        size = max(1.0, float(np.abs(prices).max()))
        if (np.abs(prices[6 : 6 + n][now.side != BASIC]) <= ACTIVE * size).any():
            return False
        reached = 0
        for j, s in enumerate(tables.shape_of):
            g = -prices[: 6 + n] @ now.maps[j]
            scores = g @ tables.vertices[:, tables.first[s] : tables.first[s + 1]] - prices[6 + n + j]
            reached += int((scores >= -ACTIVE * size).sum())
            slopes = g @ tables.rays[:, tables.first_ray[s] : tables.first_ray[s + 1]]
            reached += int((slopes >= -ACTIVE * size).sum())
        return reached == int(((kinds == VERTEX) | (kinds == RAY)).sum())
