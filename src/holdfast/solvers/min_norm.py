"""The point of least length in a convex set: in a sum of hulls within linear rows, compiled; or by an oracle.

The compiled method (`run`) minimises |z|^2 for z = start + sum_i maps_i f_i over forces f_i in the hulls of the
contacts' allowed pieces, with

    normals_i . z >= 0  (one row per contact),      lower <= sum_i joint_i f_i <= upper.

Forces are mixtures: each contact has one key vertex, whose weight is what the others leave of 1; other vertices and
rays are the free columns. Rows count from 0: the contacts' normals, then the lower and the upper limit of each joint
row in turn. All are kept in the form slack >= 0. A step goes to the least length over the free columns within the
working rows (`reduce_columns`), until a weight or a row blocks it. Then a row with a multiplier of the wrong sign is
released; else support functions price the vertices of all contacts at once, and the one that gains most enters. What
enters is independent of what is there, so that the reduction stays small: at most seven more columns than working rows.

A start that violates rows gets an elastic column: it adds to every violated row what is missing, at a cost, and is
removed when its weight becomes zero. It belongs to no contact, and has a coordinate of its own in addition to the six
of z. Where it stays at any cost, the rows' multipliers prove that nothing meets them all.

Every set of multipliers bounds |z|^2 from below (see `dynamics.certificate`): a run ends when that bound meets the
length found, or exceeds the cutoff.

The step solves, with D the changes of z (one row per free column) and G the slopes of the working rows,

    minimise |z + D^T a|  with  G^T a = -slack

for the change a of the weights. Reflections bring G to a triangle: its part of a follows from the slacks, the rest is a
least-squares problem in seven coordinates, solved by reflections in turn. Nothing is squared, so that small differences
between vertices survive. Columns are scaled to length one.

`min_norm_point` is Wolfe's method, for any convex set given by its vertices or by a support oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array, IntArray
from ..compiling import entry_kernel, inlined, kernel, released_kernel
from .exact.support_tables import RAY_SLOPE, SupportTables, support

#: Indices into `MixtureState.counts`: free columns, working rows, steps made, whether there is an elastic column.
COLUMNS, ROWS, STEPS, ELASTIC = range(4)

#: Rows of `MixtureState.columns`: contact (-1 for the elastic column), vertex (-1 - ray for a ray).
ITEM, VERTEX = range(2)


class Hulls(NamedTuple):
    """Vertices and rays of all shapes, laid out flat."""

    tables: SupportTables  # vertices and supports; of pieces without their rays
    bits: IntArray  # (n,) the pieces of its shape that contain the vertex, rays and all
    rays: Array  # (p, 3) unit directions, shape after shape
    ray_bits: IntArray  # (p,) the piece each ray belongs to
    first_ray: IntArray  # (s + 1,) where a shape's rays begin


class MinNormProgram(NamedTuple):
    """Minimise |z|^2 for z = start + sum of maps f, with rows; k contacts, r joint rows, d = six per body."""

    shape_of: IntArray  # (k,)
    maps: Array  # (k, d, 3) local force to z
    joint: Array  # (k, r, 3) local force to joint rows
    normals: Array  # (k, d) unit rows: normals . z >= limit
    start: Array  # (d,)
    limits: Array  # (k + 2r,) what each row must not fall below, a little eased; -inf where there is no limit
    lower: Array  # (r,) limits of the joint rows as they are
    upper: Array  # (r,)


class MixtureState(NamedTuple):
    """Where a run is: which vertices are mixed how, and which rows are met with equality."""

    keys: IntArray  # (k,) key vertex of each contact
    columns: IntArray  # (2, c) the free columns
    weights: Array  # (c,)
    rows: IntArray  # (w,) the working rows
    counts: IntArray  # (4,)
    elastic: Array  # (k + 2r,) what a unit of the elastic column adds to each row
    masks: IntArray  # (k,) allowed pieces


class MixtureWork(NamedTuple):
    """Arrays for the numbers of a step, and what a run leaves: forces, z and multipliers."""

    forces: Array  # (k, 3) local forces
    z: Array  # (d + 1,) of the bodies, and of the elastic column
    joints: Array  # (r,) values of the joint rows
    change: Array  # (c, d + 1) what a unit of each free column adds to z
    joint_change: Array  # (c, r) and to the joint rows
    slack: Array  # (w,) of the working rows
    reduced: Array  # (c, w + d + 1) see `reduce_columns`
    square: Array  # (d + 1, d + 3); the last column holds the goal
    factors: Array  # (w,)
    diagonal: Array  # (w + d + 3,)
    sizes: Array  # (c,)
    step: Array  # (c,) change of the weights
    goal: Array  # (d + 1,) z after a full step
    prices: Array  # (w,) multipliers of the working rows
    z_step: Array  # (d + 1,)
    joint_step: Array  # (r,)
    y: Array  # (d,) z less what the normals' multipliers take of it
    normals: Array  # (k,) multipliers of the normals' rows
    torques: Array  # (r,) multipliers of the joint rows
    size: Array  # (1,) size of the terms of the bound


def most_columns(joints: int, coordinates: int) -> int:
    """Free columns there can be: independent together with the working rows, and one to enter."""
    return coordinates + 1 + most_rows(joints, coordinates) + 2


def most_rows(joints: int, coordinates: int) -> int:
    """Working rows there can be: independent ones, and one to enter."""
    return coordinates + 1 + joints + 1


def new_mixture_state(contacts: int, joints: int, masks: IntArray, coordinates: int = 6) -> MixtureState:
    """A state without keys or columns."""
    columns = most_columns(joints, coordinates)
    return MixtureState(
        keys=np.full(contacts, -1),
        columns=np.zeros((2, columns), dtype=np.int64),
        weights=np.zeros(columns),
        rows=np.zeros(most_rows(joints, coordinates), dtype=np.int64),
        counts=np.zeros(4, dtype=np.int64),
        elastic=np.zeros(contacts + 2 * joints),
        masks=masks,
    )


def new_mixture_work(contacts: int, joints: int, coordinates: int = 6) -> MixtureWork:
    """Arrays for runs of so many contacts, joint rows and coordinates of z."""
    columns, rows = most_columns(joints, coordinates), most_rows(joints, coordinates)
    wide = coordinates + 1
    before = ((contacts, 3), wide, joints, (columns, wide), (columns, joints), rows)
    reduction = ((columns, rows + wide), (wide, wide + 2), rows, rows + wide + 2, columns)
    after = (columns, wide, rows, wide, joints, coordinates, contacts, joints, 1)
    return MixtureWork(*map(np.zeros, (*before, *reduction, *after)))


@entry_kernel
def seed(hulls, program, state, y):
    """Take out what the masks do not allow, and the elastic column.

    A contact whose key goes, or that has none yet, gets its best vertex against y, alone.
    """
    for j in range(state.counts[COLUMNS] - 1, -1, -1):
        if state.columns[ITEM, j] < 0:
            drop_column(state, j)
    for i in range(len(state.keys)):
        key, mask = state.keys[i], state.masks[i]
        alone = key < 0 or not hulls.bits[key] & mask
        for j in range(state.counts[COLUMNS] - 1, -1, -1):
            if state.columns[ITEM, j] == i:
                v = state.columns[VERTEX, j]
                bits = hulls.bits[v] if v >= 0 else hulls.ray_bits[-1 - v]
                if alone or not bits & mask:
                    drop_column(state, j)
        if alone:
            gx = gy = gz = 0.0
            for q in range(program.maps.shape[1]):
                gx -= program.maps[i, q, 0] * y[q]
                gy -= program.maps[i, q, 1] * y[q]
                gz -= program.maps[i, q, 2] * y[q]
            state.keys[i], _ = support(hulls.tables, program.shape_of[i], mask, gx, gy, gz, -np.inf)


@kernel
def evaluate(hulls, program, state, work, cost):
    """Forces, z and joint values of the current weights, from scratch; returns the elastic column's weight.

    The elastic coordinate of z is cost (1 + weight): as costly as the weight squared, and never flat.
    """
    k, lent, vertices = len(state.keys), 0.0, hulls.tables.vertices
    for i in range(k):
        for c in range(3):
            work.forces[i, c] = vertices[state.keys[i], c]
    for j in range(state.counts[COLUMNS]):
        i, v, weight = state.columns[ITEM, j], state.columns[VERTEX, j], state.weights[j]
        if i < 0:
            lent = weight
        elif v >= 0:
            for c in range(3):
                work.forces[i, c] += weight * (vertices[v, c] - vertices[state.keys[i], c])
        else:
            for c in range(3):
                work.forces[i, c] += weight * hulls.rays[-1 - v, c]
    for q in range(program.maps.shape[1]):
        work.z[q] = program.start[q]
    for q in range(len(work.joints)):
        work.joints[q] = 0.0
    for i in range(k):
        x, y, z = work.forces[i, 0], work.forces[i, 1], work.forces[i, 2]
        for q in range(program.maps.shape[1]):
            work.z[q] += program.maps[i, q, 0] * x + program.maps[i, q, 1] * y + program.maps[i, q, 2] * z
        for q in range(len(work.joints)):
            work.joints[q] += program.joint[i, q, 0] * x + program.joint[i, q, 1] * y + program.joint[i, q, 2] * z
    work.z[program.maps.shape[1]] = cost * (1.0 + lent) if state.counts[ELASTIC] else 0.0
    return lent


@inlined
def fill_columns(hulls, program, state, work, cost):
    """What a unit of each free column adds to z and to the joint rows."""
    vertices = hulls.tables.vertices
    for j in range(state.counts[COLUMNS]):
        i, v = state.columns[ITEM, j], state.columns[VERTEX, j]
        change, joint_change = work.change[j], work.joint_change[j]
        x = y = z = 0.0
        if v < 0:
            x, y, z = hulls.rays[-1 - v, 0], hulls.rays[-1 - v, 1], hulls.rays[-1 - v, 2]
        elif i >= 0:
            key = state.keys[i]
            x, y, z = (
                vertices[v, 0] - vertices[key, 0],
                vertices[v, 1] - vertices[key, 1],
                vertices[v, 2] - vertices[key, 2],
            )
        at = max(i, 0)  # the elastic column has no force
        for q in range(program.maps.shape[1]):
            change[q] = program.maps[at, q, 0] * x + program.maps[at, q, 1] * y + program.maps[at, q, 2] * z
        change[program.maps.shape[1]] = cost if i < 0 else 0.0
        for q in range(len(work.joints)):
            joint_change[q] = program.joint[at, q, 0] * x + program.joint[at, q, 1] * y + program.joint[at, q, 2] * z


@kernel
def slope(program, elastic, row, z, joints, lent):
    """How a row's slack changes with a change of z, of the joint rows, and of the elastic weight."""
    k, total = len(program.shape_of), lent * elastic[row]
    if row < k:
        for q in range(program.maps.shape[1]):
            total += program.normals[row, q] * z[q]
        return total
    value = joints[(row - k) >> 1]
    return total - value if (row - k) & 1 else total + value


@kernel
def slack_of(program, elastic, row, z, joints, lent):
    """By how much a row is met; negative where it is violated."""
    return slope(program, elastic, row, z, joints, lent) - program.limits[row]


@kernel
def drop_column(state, j):
    """Take a free column out."""
    last = state.counts[COLUMNS] - 1
    for h in range(j, last):
        state.columns[ITEM, h], state.columns[VERTEX, h] = state.columns[ITEM, h + 1], state.columns[VERTEX, h + 1]
        state.weights[h] = state.weights[h + 1]
    state.counts[COLUMNS] = last


@kernel
def drop_key(state, i):
    """The key of contact i has no weight left: its heaviest other vertex takes its place."""
    best = -1
    for j in range(state.counts[COLUMNS]):
        own = state.columns[ITEM, j] == i and state.columns[VERTEX, j] >= 0
        if own and (best < 0 or state.weights[j] > state.weights[best]):
            best = j
    state.keys[i] = state.columns[VERTEX, best]
    drop_column(state, best)


@kernel
def drop_row(state, at):
    """Take a working row out."""
    last = state.counts[ROWS] - 1
    for h in range(at, last):
        state.rows[h] = state.rows[h + 1]
    state.counts[ROWS] = last


#: What comes out: a step; a working row that depends on the others; a change of weights that changes nothing else.
STEP, DEPENDENT_ROW, IDLE_DIRECTION = range(3)

#: A pivot below this share of its column counts as zero: the column depends on those before it.
DEPENDENT = 1e-11

#: Columns shorter than this, of length one before the rows were taken out, are made up of those rows.
SHORT = 1e-3


@kernel
def reduce_columns(program, state, work):
    """Find the step; returns (what came out, working row).

    STEP: `step` is the change of weights, `goal` the z it leads to, `prices` the working rows' multipliers, positive
    where the row hinders. IDLE_DIRECTION: `step` changes weights but neither z nor any working row.
    """
    _assemble(program, state, work)
    n, w = state.counts[COLUMNS], state.counts[ROWS]
    row = _reduce_rows(work, n, w)
    if row >= 0:
        return DEPENDENT_ROW, row
    idle = _least_squares(work, n, w)
    if idle < 0:
        _prices(work, w)
    for at in range(w - 1, -1, -1):  # back from the reflected weights
        _reflect_step(work, at, n)
    for j in range(n):
        work.step[j] *= work.sizes[j]
    return (STEP if idle < 0 else IDLE_DIRECTION), row


@inlined
def _assemble(program, state, work):
    """Slopes of the working rows and changes of z, column by column, each column of length one."""
    n, w = state.counts[COLUMNS], state.counts[ROWS]
    for j in range(n):
        lent = 1.0 if state.columns[ITEM, j] < 0 else 0.0
        reduced, size = work.reduced[j], 0.0
        for at in range(w):
            reduced[at] = slope(program, state.elastic, state.rows[at], work.change[j], work.joint_change[j], lent)
            size += reduced[at] * reduced[at]
        for q in range(len(work.z)):
            reduced[w + q] = work.change[j, q]
            size += reduced[w + q] * reduced[w + q]
        size = 1.0 / np.sqrt(size) if size > 0.0 else 1.0
        work.sizes[j] = size
        for q in range(w + len(work.z)):
            reduced[q] *= size


@inlined
def _reduce_rows(work, n, w):
    """Reflect the slopes into a triangle; the first w reflected weights. Returns a dependent row, or -1."""
    reduced = work.reduced
    for at in range(w):
        if at >= n:
            return at
        whole = norm = 0.0
        for j in range(n):
            whole += reduced[j, at] * reduced[j, at]
            if j >= at:
                norm += reduced[j, at] * reduced[j, at]
        if norm <= DEPENDENT * DEPENDENT * whole or norm == 0.0:
            return at
        norm = np.sqrt(norm)
        pivot = reduced[at, at]
        diagonal = -norm if pivot > 0.0 else norm
        reduced[at, at] = pivot - diagonal
        factor = 1.0 / (norm * (norm + abs(pivot)))
        for q in range(at + 1, w + len(work.z)):
            dot = 0.0
            for j in range(at, n):
                dot += reduced[j, at] * reduced[j, q]
            dot *= factor
            for j in range(at, n):
                reduced[j, q] -= dot * reduced[j, at]
        work.factors[at], work.diagonal[at] = factor, diagonal
    for at in range(w):
        total = -work.slack[at]
        for q in range(at):
            total -= reduced[q, at] * work.step[q]
        work.step[at] = total / work.diagonal[at]
    return -1


@kernel
def _least_squares(work, n, w):
    """The other reflected weights and the goal. Returns -1, or the weight that depends on those before it.

    In that case the weights are set to a direction that changes nothing.
    """
    reduced, square, step, rest = work.reduced, work.square, work.step, n - w
    wide, right = len(work.z), len(work.z) + 1
    shown = min(rest, right)
    for q in range(wide):
        total = work.z[q]
        for at in range(w):
            total += reduced[at, w + q] * step[at]
        square[q, right] = total
        work.goal[q] = total
        for j in range(shown):
            square[q, j] = reduced[w + j, w + q]
    idle = -1
    for j in range(rest):
        whole = norm = 0.0
        if j < wide:
            for q in range(wide):
                whole += square[q, j] * square[q, j]
                if q >= j:
                    norm += square[q, j] * square[q, j]
            norm = np.sqrt(norm)
        if norm <= DEPENDENT * max(np.sqrt(whole), SHORT):
            idle = j
            break
        pivot = square[j, j]
        diagonal = -norm if pivot > 0.0 else norm
        square[j, j] = pivot - diagonal
        factor = 1.0 / (norm * (norm + abs(pivot)))
        for c in range(j + 1, right + 1):
            if c < shown or c == right:
                dot = 0.0
                for q in range(j, wide):
                    dot += square[q, j] * square[q, c]
                dot *= factor
                for q in range(j, wide):
                    square[q, c] -= dot * square[q, j]
        work.diagonal[w + j] = diagonal
    _solve_triangle(work, n, w, idle)
    return idle


@inlined
def _solve_triangle(work, n, w, idle):
    """Reflected weights from the triangle of `square`: the least-squares step, or a direction that changes nothing."""
    square, step, rest = work.square, work.step, n - w
    known, right = (rest, len(work.z) + 1) if idle < 0 else (idle, idle)
    if idle >= 0:
        for j in range(n):
            step[j] = 0.0
        step[w + idle] = 1.0
    for j in range(known - 1, -1, -1):
        total = -square[j, right]
        for c in range(j + 1, known):
            total -= square[j, c] * step[w + c]
        step[w + j] = total / work.diagonal[w + j]
    if idle < 0:
        for q in range(len(work.z)):
            for j in range(rest):
                work.goal[q] += work.reduced[w + j, w + q] * step[w + j]


@inlined
def _prices(work, w):
    """Multipliers of the working rows: what of the goal their slopes do not let be smaller."""
    for at in range(w - 1, -1, -1):
        total = 0.0
        for q in range(len(work.z)):
            total += work.reduced[at, w + q] * work.goal[q]
        for q in range(at + 1, w):
            total -= work.reduced[at, q] * work.prices[q]
        work.prices[at] = total / work.diagonal[at]


@inlined
def _reflect_step(work, at, n):
    """One reflection of the rows' triangle applied to the weights' change."""
    dot = 0.0
    for j in range(at, n):
        dot += work.reduced[j, at] * work.step[j]
    dot *= work.factors[at]
    for j in range(at, n):
        work.step[j] -= dot * work.reduced[j, at]


#: What came out of a run.
OPTIMAL, CUT, INFEASIBLE, STALLED = range(4)

#: What ends a step: nothing, a column's weight, a key's weight, a row.
NOTHING, WEIGHT, KEY, ROW = range(4)

#: A multiplier is of the wrong sign, a vertex better than those in use, beyond this share of the sizes involved.
WRONG = 1e-12

#: A run goes on to this share of the gap while a vertex gains: z itself is right to the root of what is left of |z|^2.
TIGHT = 1e-5

#: A row that is further than this from its limit is not a working row.
MET = 1e-12

#: Weights that change by less than this in a step, and rows by less than a tenth of it, do not end it.
STILL = 1e-13

#: Violated rows get more than is missing, each by a different share, so that no two are met at the same point.
LENT, LENT_STEP, LENT_LEAST = 1.1, 0.6180339887498949, 1e-9

#: The elastic column's cost grows by this factor while rows stay violated, at most this often.
DEARER, DEAREST = 30.0, 7

#: A proof that rows cannot be met wins by this share of its terms.
CLEAR = 1e-10


@released_kernel
def run(hulls, program, state, work, gap, floor, cutoff, limit):
    """Least length from the mixture that is there; returns (outcome, |z|^2, lower bound of |z|^2).

    |z|^2 is inf where rows are violated. Ends at a gap of gap |z|^2 + floor, at a bound above `cutoff`, or after
    `limit` steps. Forces, z and multipliers are left in `work`.
    """
    state.counts[ELASTIC] = 0
    evaluate(hulls, program, state, work, 0.0)
    cost = np.sqrt(max(_square(work.z), 1.0))
    _add_elastic_column(program, state, work)
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
        if nothing:  # no vertex helps the violated rows: a proof, or the cost was too low
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
    """|z|^2 of the coordinates of the bodies."""
    total = 0.0
    for q in range(len(z) - 1):
        total += z[q] * z[q]
    return total


@inlined
def _add_elastic_column(program, state, work):
    """Add an elastic column for violated rows; the worst becomes a working row, and unmet rows leave these."""
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
    if code != STEP and kind == NOTHING:  # try the opposite direction
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
        rest, change, first = 1.0, 0.0, True  # the key's weight: once per contact, at its first column
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
                if slack < length * falls and not _is_working(state, row):
                    length, kind, at = slack / falls, ROW, row
    return length, kind, at


@inlined
def _along(state, work):
    """What the step does to z and to the joint rows; returns what it does to the elastic weight."""
    lends = 0.0
    for q in range(len(work.z)):
        work.z_step[q] = 0.0
    for q in range(len(work.joints)):
        work.joint_step[q] = 0.0
    for j in range(state.counts[COLUMNS]):
        if state.columns[ITEM, j] < 0:
            lends = work.step[j]
        for q in range(len(work.z)):
            work.z_step[q] += work.step[j] * work.change[j, q]
        for q in range(len(work.joints)):
            work.joint_step[q] += work.step[j] * work.joint_change[j, q]
    return lends


@inlined
def _is_working(state, row):
    """Whether a row is among the working rows."""
    found = False
    for h in range(state.counts[ROWS]):
        found = found or state.rows[h] == row
    return found


@inlined
def _wrong_row(state, work):
    """The working row whose multiplier is furthest below zero; -1 when none is."""
    largest, at = 0.0, np.int64(-1)
    for q in range(len(work.z)):
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
    for q in range(program.maps.shape[1]):
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
        for q in range(joints + program.maps.shape[1]):
            if q < joints:
                m, row = work.torques[q], program.joint[i, q]
            else:
                m, row = -work.y[q - joints], program.maps[i, q - joints]
            x, y, z = row[0] * m, row[1] * m, row[2] * m
            gx, gy, gz = gx + x, gy + y, gz + z
            sx, sy, sz = sx + abs(x), sy + abs(y), sz + abs(z)
        shape, mask, key = program.shape_of[i], state.masks[i], hulls.tables.vertices[state.keys[i]]
        vertex, value = support(hulls.tables, shape, mask, gx, gy, gz, -np.inf)
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
    for q in range(program.maps.shape[1]):
        work.y[q] = 0.0 if rows_alone else work.z[q]
    for i in range(k):
        work.normals[i] = 0.0
    for q in range(len(work.torques)):
        work.torques[q] = 0.0
    for h in range(state.counts[ROWS]):
        row, value = state.rows[h], max(0.0, work.prices[h])
        if row < k:
            work.normals[row] = value
            for q in range(program.maps.shape[1]):
                work.y[q] -= value * program.normals[row, q]
        elif (row - k) & 1:
            work.torques[(row - k) >> 1] -= value
        else:
            work.torques[(row - k) >> 1] += value


#: `min_norm_point` stops at this share of |x| between the length found and the bound from below.
POINT_GAP = 1e-6

#: Points that `min_norm_point` asks its oracle for at most.
MOST_POINTS = 500

#: A weight below this counts as zero; points that differ by less, relative to their size, are the same.
NO_WEIGHT = 1e-12

#: A length below this share of the first point's is zero.
ZERO_LENGTH = 1e-9


@dataclass(frozen=True, eq=False)
class MinNormPoint:
    """The shortest point of a convex set.

    Attributes:
        point: (n,) the shortest point.
        weights: of the points that it is a mixture of, positive, sum 1.
        tags: what the oracle returned with each of those points; the row of each for an array of vertices.
        bound: no point of the set is shorter than this.
    """

    point: Array
    weights: Array
    tags: tuple[Any, ...]
    bound: float


def min_norm_point(points: Array | Callable[[Array], tuple[Array, Any] | None]) -> MinNormPoint | None:
    """The shortest point of a convex set (Wolfe's method); None where the set is empty.

    With p the point of the set of least x . p, |x|^2 - x . p bounds how much longer than the shortest x is. Points
    are mixed so that x is the shortest point of the hull of those kept.

    Args:
        points: (m, n) vertices whose hull is the set; or a support oracle that returns for x (n,) the pair (p (n,),
            tag) of least x . p, or None where the set is empty. The first x has length 0: any point will do.
    """
    nearest = points if callable(points) else _nearest_row(np.asarray(points, dtype=np.float64))
    first = nearest(np.zeros(0))
    if first is None:
        return None
    kept, tags, weights = first[0][None], [first[1]], np.ones(1)
    x, size, bound = first[0], float(np.linalg.norm(first[0])), 0.0
    for _ in range(MOST_POINTS):
        length = float(np.linalg.norm(x))
        found = None if length <= ZERO_LENGTH * size else nearest(x)
        if found is None:
            break
        p, tag = found
        bound = max(bound, float(x @ p) / length)
        known = bool((np.abs(kept - p).max(axis=1) <= NO_WEIGHT * size).any())
        if length - bound <= POINT_GAP * length or known:
            break
        tags.append(tag)
        kept = np.concatenate([kept, p[None]])
        weights, rows = _shortest_mixture(kept, np.append(weights, 0.0))
        kept, tags = kept[rows], [tags[row] for row in rows]
        x = weights @ kept
    return MinNormPoint(x, weights, tuple(tags), min(bound, float(np.linalg.norm(x))))


def _nearest_row(vertices: Array) -> Callable[[Array], tuple[Array, int] | None]:
    """The support oracle of the hull of vertices (m, n); its tags are their rows."""

    def nearest(x: Array) -> tuple[Array, int] | None:
        if not len(vertices):
            return None
        row = int((vertices @ x).argmin()) if len(x) else 0
        return vertices[row], row

    return nearest


def _shortest_mixture(points: Array, weights: Array) -> tuple[Array, list[int]]:
    """(weights, rows kept): the shortest point of the hull of `points` (m, n), from the mixture that is there."""
    kept = list(range(len(points)))
    while True:
        affine = _shortest_affine(points[kept])
        if (affine > NO_WEIGHT).all():
            return affine, kept
        falling = affine < weights - NO_WEIGHT
        steps = np.where(falling & (affine <= NO_WEIGHT), weights / np.where(falling, weights - affine, 1.0), np.inf)
        step = min(1.0, float(steps.min()))
        weights = (1.0 - step) * weights + step * affine
        stay = weights > NO_WEIGHT
        if stay.all():
            stay[int(steps.argmin())] = False
        weights = weights[stay] / weights[stay].sum()
        kept = [i for i, keep in zip(kept, stay, strict=True) if keep]
        if len(kept) == 1:
            return np.ones(1), kept


def _shortest_affine(points: Array) -> Array:
    """(m,) weights of sum 1, of either sign, of the shortest point of the plane through `points` (m, n)."""
    if len(points) == 1:
        return np.ones(1)
    edges = (points[1:] - points[0]).T
    rest = np.linalg.lstsq(edges, -points[0], rcond=None)[0]
    return np.concatenate([[1.0 - rest.sum()], rest])
