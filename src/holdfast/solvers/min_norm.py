"""The point of least length in a sum of hulls, within linear rows: an active-set method, compiled.

Minimise |z|^2 for z = start + sum_i maps_i f_i over forces f_i in the hulls of the contacts' allowed pieces, with

    normals_i . z >= 0  (one row a contact),      lower <= sum_i joint_i f_i <= upper.

Forces are mixtures (`mixtures`). A step goes to the least length over the free columns within the working rows
(`reduction`), until a weight or a row blocks it. Once there, a multiplier of the wrong sign sets its row free; else
support functions price the vertices of all contacts at once, and the one that promises most enters. Whatever enters
is independent of what is there, so that the reduction stays small: at most seven more columns than working rows.

A start that breaks rows gets an elastic column: it lends every broken row what it lacks, at a cost, and leaves for
good when its weight comes down to zero. Where it stays however dear it is, the rows' multipliers prove that nothing
meets them all.

Every set of multipliers bounds |z|^2 from below (see `separating.certificate`): a run ends when that bound meets the
length found, or exceeds the cutoff.
"""

from __future__ import annotations

import numpy as np

from ..compiling import inlined, kernel, released_kernel
from .exact.supports import RAY_SLOPE, support
from .mixtures import (
    COLUMNS,
    ELASTIC,
    ITEM,
    ROWS,
    STEPS,
    VERTEX,
    WIDE,
    drop_column,
    drop_key,
    drop_row,
    evaluate,
    fill_columns,
    slack_of,
    slope,
)
from .reduction import DEPENDENT_ROW, STEP, reduce_columns

#: What came out of a run.
OPTIMAL, CUT, INFEASIBLE, STALLED = range(4)

#: What ends a step: nothing, a column's weight, a key's weight, a row.
NOTHING, WEIGHT, KEY, ROW = range(4)

#: A multiplier is of the wrong sign, a vertex better than those in use, beyond this share of the sizes involved.
WRONG = 1e-12

#: A run goes on to this share of the gap while a vertex gains: z itself is right to the root of what is left of |z|^2.
TIGHT = 1e-5

#: A working row that is further than this from its limit is none.
MET = 1e-12

#: Weights that change by less than this in a step, and rows by less than a tenth of it, do not end it.
STILL = 1e-13

#: Broken rows are lent more than they lack, each by a share of its own, so that no two are met at the same point.
LENT, LENT_STEP, LENT_LEAST = 1.1, 0.6180339887498949, 1e-9

#: The elastic column's cost grows by this factor while rows stay broken, at most so often.
DEARER, DEAREST = 30.0, 7

#: A proof that rows cannot be met wins by this share of its terms.
CLEAR = 1e-10


@released_kernel
def run(hulls, program, state, work, gap, floor, cutoff, limit):
    """Least length from the mixture that is there; returns (outcome, |z|^2, lower bound of |z|^2).

    |z|^2 is inf where rows are broken. Ends at a gap of gap |z|^2 + floor, at a bound above `cutoff`, or after `limit`
    steps. Forces, z and multipliers are left in `work`.
    """
    state.counts[ELASTIC] = 0
    evaluate(hulls, program, state, work, 0.0)
    cost = np.sqrt(max(_square(work.z), 1.0))
    _lend(program, state, work)
    bound, raised = 0.0, 0
    for _ in range(limit):
        state.counts[STEPS] += 1
        lent = evaluate(hulls, program, state, work, cost)
        fill_columns(hulls, program, state, work, cost)
        arrived, stuck = _advance(program, state, work, lent)
        if stuck:
            break
        if not arrived:
            continue
        evaluate(hulls, program, state, work, cost)
        at = _wrong_row(state, work)
        if at >= 0:
            drop_row(state, at)
            continue
        b, contact, vertex, gain = price(hulls, program, state, work, False)
        length = _square(work.z)
        bound = b * b / length if b > 0.0 and length > 0.0 else 0.0
        nothing = contact < 0 or (b > -np.inf and gain <= WRONG * work.size[0])
        if bound >= cutoff:
            return CUT, np.inf if state.counts[ELASTIC] else length, bound
        left = length - bound - gap * length - floor
        if not state.counts[ELASTIC] and (nothing or left <= (TIGHT - 1.0) * (gap * length + floor)):
            return OPTIMAL if left <= 0.0 else STALLED, length, bound
        if nothing:  # no vertex helps the broken rows: is it a proof, or was the column too cheap?
            b, _, _, _ = price(hulls, program, state, work, True)
            if b > CLEAR * work.size[0]:
                return INFEASIBLE, np.inf, np.inf
            raised += 1
            if raised > DEAREST:
                break
            cost *= DEARER
            continue
        n = state.counts[COLUMNS]
        if n >= len(state.weights):
            break
        state.columns[ITEM, n], state.columns[VERTEX, n], state.weights[n] = contact, vertex, 0.0
        state.counts[COLUMNS] = n + 1
    evaluate(hulls, program, state, work, cost)
    return STALLED, np.inf if state.counts[ELASTIC] else _square(work.z), bound


@kernel
def _square(z):
    """|z|^2 of the six coordinates of the object."""
    total = 0.0
    for q in range(6):
        total += z[q] * z[q]
    return total


@inlined
def _lend(program, state, work):
    """Give broken rows an elastic column, the worst of them as a working row; rows that are not met do not work."""
    worst, at = 0.0, np.int64(-1)
    for row in range(len(state.elastic)):
        state.elastic[row] = 0.0
    for h in range(state.counts[ROWS] - 1, -1, -1):
        if abs(slack_of(program, state.elastic, state.rows[h], work.z, work.joints, 0.0)) > MET:
            drop_row(state, h)
    for row in range(len(state.elastic)):
        if program.limits[row] > -np.inf:
            lack = -slack_of(program, state.elastic, row, work.z, work.joints, 0.0)
            if lack > MET:
                state.elastic[row] = lack * (LENT + ((row + 1) * LENT_STEP) % 1.0) + LENT_LEAST
                if lack > worst:
                    worst, at = lack, row
    if at >= 0:
        n, w = state.counts[COLUMNS], state.counts[ROWS]
        state.elastic[at] = worst
        state.rows[w], state.counts[ROWS] = at, w + 1
        state.columns[ITEM, n], state.columns[VERTEX, n], state.weights[n] = -1, 0, 1.0
        state.counts[COLUMNS], state.counts[ELASTIC] = n + 1, 1


@kernel
def _advance(program, state, work, lent):
    """One step, up to what blocks it; returns (whether the least was reached, whether there is no way on)."""
    n, w = state.counts[COLUMNS], state.counts[ROWS]
    for h in range(w):
        work.slack[h] = slack_of(program, state.elastic, state.rows[h], work.z, work.joints, lent)
    code, row = reduce_columns(program, state, work)
    if code == DEPENDENT_ROW:
        drop_row(state, row)
        return False, False
    step, kind, at = _longest(program, state, work, 1.0 if code == STEP else np.inf, lent)
    if code != STEP and kind == NOTHING:  # the other way round, then
        for j in range(n):
            work.step[j] = -work.step[j]
        step, kind, at = _longest(program, state, work, np.inf, lent)
        if kind == NOTHING:
            return False, True
    for j in range(n):
        state.weights[j] = max(0.0, state.weights[j] + step * work.step[j])
    if kind == WEIGHT:
        if state.columns[ITEM, at] < 0:
            state.counts[ELASTIC] = 0
            for row in range(len(state.elastic)):
                state.elastic[row] = 0.0
        drop_column(state, at)
    elif kind == KEY:
        drop_key(state, at)
    elif kind == ROW:
        if w >= len(state.rows):
            return False, True
        state.rows[w], state.counts[ROWS] = at, w + 1
    return kind == NOTHING, False


@kernel
def _longest(program, state, work, most, lent):
    """How far the step can be followed, at most `most`; returns (length, what ends it, column, contact or row)."""
    n, step = state.counts[COLUMNS], work.step
    length, kind, at, fastest = most, NOTHING, np.int64(-1), 0.0
    for j in range(n):
        i = state.columns[ITEM, j]
        if step[j] < -STILL:
            reach = state.weights[j] / -step[j]
            if reach < length or (reach == length and -step[j] > fastest):
                length, kind, at, fastest = reach, WEIGHT, j, -step[j]
        if i < 0 or state.columns[VERTEX, j] < 0:
            continue
        rest, change, first = 1.0, 0.0, True  # the key's weight: once a contact, at its first column
        for h in range(n):
            if state.columns[ITEM, h] == i and state.columns[VERTEX, h] >= 0:
                first = first and h >= j
                rest -= state.weights[h]
                change -= step[h]
        if first and change < -STILL:
            reach = max(rest, 0.0) / -change
            if reach < length or (reach == length and -change > fastest):
                length, kind, at, fastest = reach, KEY, i, -change
    lends = _along(state, work)
    for row in range(len(state.elastic)):
        if program.limits[row] > -np.inf:
            falls = -slope(program, state.elastic, row, work.z_step, work.joint_step, lends)
            if falls > 0.1 * STILL:
                slack = max(0.0, slack_of(program, state.elastic, row, work.z, work.joints, lent))
                if slack < length * falls and not _works(state, row):
                    length, kind, at = slack / falls, ROW, row
    return length, kind, at


@inlined
def _along(state, work):
    """What the step does to z and to the joint rows; returns what it does to the elastic weight."""
    lends = 0.0
    for q in range(WIDE):
        work.z_step[q] = 0.0
    for q in range(len(work.joints)):
        work.joint_step[q] = 0.0
    for j in range(state.counts[COLUMNS]):
        if state.columns[ITEM, j] < 0:
            lends = work.step[j]
        for q in range(WIDE):
            work.z_step[q] += work.step[j] * work.change[j, q]
        for q in range(len(work.joints)):
            work.joint_step[q] += work.step[j] * work.joint_change[j, q]
    return lends


@inlined
def _works(state, row):
    """Whether a row is among the working rows."""
    found = False
    for h in range(state.counts[ROWS]):
        found = found or state.rows[h] == row
    return found


@inlined
def _wrong_row(state, work):
    """The working row whose multiplier is furthest below zero; -1 when none is."""
    largest, at = 0.0, np.int64(-1)
    for q in range(WIDE):
        largest = max(largest, abs(work.z[q]))
    least = -WRONG * largest
    for h in range(state.counts[ROWS]):
        if work.prices[h] < least:
            least, at = work.prices[h], h
    return at


@kernel
def price(hulls, program, state, work, rows_alone):
    """Multipliers from the working rows' prices, and what they say of every vertex and ray.

    Returns (b, contact, vertex, gain): b of the bound b^2 / |x|^2, -inf while a ray gains, and the vertex (-1 - ray)
    that gains most, contact -1 when none does. With `rows_alone` x is zero: b > 0 proves that nothing meets the rows.
    """
    k, joints = len(state.keys), len(work.joints)
    _spread_prices(program, state, work, rows_alone)
    b, size = 0.0, 0.0
    for q in range(6):
        b += work.y[q] * program.start[q]
        size += abs(work.y[q] * program.start[q])
    for q in range(joints):
        m = work.torques[q]
        if m != 0.0:
            end = m * (program.lower[q] if m > 0.0 else program.upper[q])
            b += end
            size += abs(end)
    who, what, most = np.int64(-1), np.int64(-1), 0.0
    ray_of, ray, steepest = np.int64(-1), np.int64(-1), 0.0
    for i in range(k):
        gx = gy = gz = sx = sy = sz = 0.0
        for q in range(joints + 6):
            if q < joints:
                m, row = work.torques[q], program.joint[i, q]
            else:
                m, row = -work.y[q - joints], program.maps[i, q - joints]
            x, y, z = row[0] * m, row[1] * m, row[2] * m
            gx, gy, gz = gx + x, gy + y, gz + z
            sx, sy, sz = sx + abs(x), sy + abs(y), sz + abs(z)
        shape, mask, key = program.shape_of[i], state.masks[i], hulls.tables.vertices[state.keys[i]]
        vertex, value, _ = support(hulls.tables, shape, mask, gx, gy, gz, -np.inf)
        b -= value
        size += abs(value)
        gain = value - (key[0] * gx + key[1] * gy + key[2] * gz)
        if gain > most:
            who, what, most = i, vertex, gain
        terms = np.sqrt(sx * sx + sy * sy + sz * sz)
        for p in range(hulls.first_ray[shape], hulls.first_ray[shape + 1]):
            if hulls.ray_bits[p] & mask:
                steep = gx * hulls.rays[p, 0] + gy * hulls.rays[p, 1] + gz * hulls.rays[p, 2]
                if steep > RAY_SLOPE * terms and steep > steepest:
                    ray_of, ray, steepest = i, p, steep
    work.size[0] = size
    if ray >= 0:  # first of all: nothing is bounded while a ray gains
        return -np.inf, ray_of, -1 - ray, steepest
    return b, who, what, most


@inlined
def _spread_prices(program, state, work, rows_alone):
    """Prices of the working rows as multipliers of normals and joint rows; y = x - normals^T multipliers."""
    k = len(state.keys)
    for q in range(6):
        work.y[q] = 0.0 if rows_alone else work.z[q]
    for i in range(k):
        work.normals[i] = 0.0
    for q in range(len(work.torques)):
        work.torques[q] = 0.0
    for h in range(state.counts[ROWS]):
        row, value = state.rows[h], max(0.0, work.prices[h])
        if row < k:
            work.normals[row] = value
            for q in range(6):
                work.y[q] -= value * program.normals[row, q]
        elif (row - k) & 1:
            work.torques[(row - k) >> 1] -= value
        else:
            work.torques[(row - k) >> 1] += value
