"""The dual simplex method on contacts: compiled, with one implicit convexity row an item.

The dual of `max d, sum_i M_i f_i + d b = 0` minimises, over y with y . b = -1, the convex piecewise linear function

    U(y) = sum_i h_i(M_i^T y),

and every U(y) bounds d from above. A basis (see `program.Frames`) is a vertex of that picture. One step:

1. Leave: the basic variable furthest outside its bounds, in the metric of its row of the inverse (exact steepest
   edge; the matrix is m x m with m = 6 + joints, so norms are simply computed).
2. Line search along that row: U falls until enough items have changed their support vertex. Items with a single
   vertex simply flip on the way; where the slope turns, or at the first item that already mixes vertices, the
   column to enter is found. The next vertex of an item comes from Dinkelbach's iteration on its support function; an
   item whose direction moves less than its known radius is not even looked at.
3. Exchange the columns.

Idle contacts would make U flat in many directions. A small bonus for the vertex 0 keeps them there: it changes U by no
more than the sum of bonuses, which is far below the gap that is asked for.
"""

from __future__ import annotations

import numpy as np

from ...compiling import inlined, kernel
from .line_search import line_search
from .program import ARTIFICIAL, FACTOR, GAIN, KEY, MASK, MIXED, RIGHT, VERTEX, WHO, X, Y
from .supports import certified_bound, reward

#: Outcomes of a run.
OPTIMAL, PRUNED, INFEASIBLE, STOPPED, FAILED = 0, 1, 2, 3, 4

#: Whether a run begins with the slot's numbers as they are, with fresh ones, or is a trial that need not end precisely.
KEPT, RENEWED, ROUGH = np.int64(0), np.int64(1), np.int64(2)

#: Weights may be outside their bounds by this; those of vertices at a ray's cut by as much less as they are longer.
PRIMAL_TOLERANCE = 1e-10

#: A pivot smaller than this share of its column is numerical dust.
PIVOT_TOLERANCE = 1e-9

#: A pivot of the inversion below this share of its column's largest entry means a singular basis.
SINGULAR = 1e-13

#: Steps between fresh inverses.
REFACTOR_EVERY = 40


@inlined
def directions(rows, y, out):
    """M_i^T y for every item."""
    for c in range(len(out)):
        out[c] = 0.0
    for r in range(len(y)):
        if y[r] != 0.0:
            for c in range(len(out)):
                out[c] += rows[r, c] * y[r]


@inlined
def length(vector):
    """Euclidean length."""
    total = 0.0
    for r in range(len(vector)):
        total += vector[r] * vector[r]
    return np.sqrt(total)


@inlined
def invert(columns, inverse, work):
    """Inverse of the matrix whose columns are the rows of `columns` (Gauss-Jordan with pivoting); False if singular."""
    m = len(columns)
    for r in range(m):
        for c in range(m):
            work[r, c] = columns[c, r]
            inverse[r, c] = 1.0 if r == c else 0.0
    ok = True
    for c in range(m):
        best, size = c, 0.0
        for r in range(m):
            size = max(size, abs(columns[c, r]))
            if r > c and abs(work[r, c]) > abs(work[best, c]):
                best = r
        pivot = work[best, c]
        if not abs(pivot) > SINGULAR * size:
            ok = False
            break
        scale = 1.0 / pivot
        for j in range(m):
            work[best, j], work[c, j] = work[c, j], work[best, j] * scale
            inverse[best, j], inverse[c, j] = inverse[c, j], inverse[best, j] * scale
        for r in range(m):
            factor = work[r, c]
            if r != c and factor != 0.0:
                for j in range(m):
                    work[r, j] -= factor * work[c, j]
                    inverse[r, j] -= factor * inverse[c, j]
    return ok


@inlined
def renew_right(tables, program, items, vectors):
    """The right-hand side from the keys."""
    m, n = vectors.shape[1], items.shape[1]
    for r in range(m):
        total = 0.0
        for i in range(n):
            v = items[KEY, i]
            for c in range(3):
                total -= program.rows[r, 3 * i + c] * tables.vertices[v, c]
        vectors[RIGHT, r] = total


@inlined
def renew_values(inverse, vectors):
    """Basic values from the right-hand side."""
    m = len(inverse)
    for j in range(m):
        value = 0.0
        for r in range(m):
            value += inverse[j, r] * vectors[RIGHT, r]
        vectors[X, j] = value


@inlined
def renew_multipliers(tables, program, items, base, inverse, vectors):
    """y from the objective of the basic columns."""
    m = len(inverse)
    for r in range(m):
        vectors[Y, r] = 0.0
    for j in range(m):
        who, gain = base[WHO, j], 0.0
        if who == FACTOR:
            gain = 1.0
        elif who == ARTIFICIAL:
            gain = vectors[GAIN, j]
        else:
            shape = program.shape_of[who]
            gain = reward(tables, shape, base[VERTEX, j], program.bonus)
            gain -= reward(tables, shape, items[KEY, who], program.bonus)
        if gain != 0.0:
            for r in range(m):
                vectors[Y, r] -= gain * inverse[j, r]


@inlined
def refresh(tables, program, work, items, base, columns, inverse, vectors, along):
    """All that follows from a basis, anew; False when it is singular."""
    regular = invert(columns, inverse, work.matrix)
    if regular:
        renew_right(tables, program, items, vectors)
        renew_values(inverse, vectors)
        renew_multipliers(tables, program, items, base, inverse, vectors)
        directions(program.rows, vectors[Y], along)
    return regular


@kernel
def swap_key(items, base, columns, inverse, vectors, i, column):
    """Make the basic vertex of `column` the key of item i; the old key takes its column."""
    m = len(inverse)
    old = items[KEY, i]
    items[KEY, i] = base[VERTEX, column]
    base[VERTEX, column] = old
    rest = 1.0
    for j in range(m):
        if base[WHO, j] == i:
            rest -= vectors[X, j]
            if j != column:
                for r in range(m):
                    columns[j, r] -= columns[column, r]
                    inverse[column, r] += inverse[j, r]
    for r in range(m):
        inverse[column, r] = -inverse[column, r]
        vectors[RIGHT, r] -= columns[column, r]  # the key moved by v - old
        columns[column, r] = -columns[column, r]
    vectors[X, column] = rest


@inlined
def leaving(program, base, inverse, vectors, banned, rest):
    """(column, violation) of the variable that leaves; column m + i is item i's key; -1 when all are in bounds."""
    m = len(inverse)
    best, choice, amount = 0.0, np.int64(-1), 0.0
    for j in range(1, m):
        if base[WHO, j] >= 0:
            rest[base[WHO, j]] = 1.0
    for j in range(1, m):
        who, x = base[WHO, j], vectors[X, j]
        out, slack = -x, PRIMAL_TOLERANCE
        if who == ARTIFICIAL:
            out = abs(x)
        else:
            slack = program.slack[who]
            rest[who] -= x
        if out > slack and not banned[j]:
            norm = 0.0
            for r in range(m):
                norm += inverse[j, r] * inverse[j, r]
            if out * out > best * norm:
                best, choice, amount = out * out / norm, j, out
    for j in range(1, m):
        who = base[WHO, j]
        if who >= 0 and rest[who] < -program.slack[who] and not banned[m + who]:
            norm = 0.0
            for r in range(m):
                part = 0.0
                for h in range(j, m):
                    if base[WHO, h] == who:
                        part += inverse[h, r]
                norm += part * part
            if rest[who] * rest[who] > best * norm:
                best, choice, amount = rest[who] * rest[who] / norm, m + who, -rest[who]
            rest[who] = 1.0  # seen
    return choice, amount


@inlined
def exchange(tables, program, work, items, base, columns, inverse, vectors, column, who, vertex):
    """Let the entering column take the place of `column`; False when the pivot is too small to trust."""
    m = len(inverse)
    entering, solved = work.column, work.solved
    key = items[KEY, who]
    dx = tables.vertices[vertex, 0] - tables.vertices[key, 0]
    dy = tables.vertices[vertex, 1] - tables.vertices[key, 1]
    dz = tables.vertices[vertex, 2] - tables.vertices[key, 2]
    for r in range(m):
        entering[r] = program.rows[r, 3 * who] * dx
        entering[r] += program.rows[r, 3 * who + 1] * dy + program.rows[r, 3 * who + 2] * dz
    largest = 0.0
    for j in range(m):
        value = 0.0
        for r in range(m):
            value += inverse[j, r] * entering[r]
        solved[j] = value
        largest = max(largest, abs(value))
    pivot = solved[column]
    ok = abs(pivot) > PIVOT_TOLERANCE * largest
    if ok:
        if base[WHO, column] >= 0:
            items[MIXED, base[WHO, column]] -= 1
        items[MIXED, who] += 1
        base[WHO, column], base[VERTEX, column] = who, vertex
        per_pivot = 1.0 / pivot
        for r in range(m):
            columns[column, r] = entering[r]
            inverse[column, r] *= per_pivot
        for j in range(m):
            factor = solved[j]
            if j != column and factor != 0.0:
                for r in range(m):
                    inverse[j, r] -= factor * inverse[column, r]
    return ok


@inlined
def move(work, radius, vectors, along, t, own, who, flips):
    """Move y by t delta, and what follows y."""
    pace = work.pace
    for r in range(vectors.shape[1]):
        vectors[Y, r] += t * work.delta[r]
    for i in range(len(radius)):
        qx, qy, qz = pace[3 * i], pace[3 * i + 1], pace[3 * i + 2]
        left = radius[i] - t * np.sqrt(qx * qx + qy * qy + qz * qz)
        if work.safe[1, i] < np.inf:  # the lead over another vertex is a concave function along the way
            left = max(left, t / work.safe[1, i] * work.safe[0, i])
        radius[i] = max(0.0, left)
        for c in range(3):
            along[3 * i + c] += t * pace[3 * i + c]
    for a in range(flips):
        radius[work.flipped[0, a]] = 0.0
    radius[who] = 0.0
    if own >= 0:
        radius[own] = 0.0


@inlined
def bound_now(base, vectors):
    """U(y), up to the bonuses: the objective of the basic solution, in which artificial columns count, too."""
    total = vectors[X, 0]
    for j in range(1, vectors.shape[1]):
        if base[WHO, j] == ARTIFICIAL:
            total += vectors[GAIN, j] * vectors[X, j]
    return total


@inlined
def depart(items, base, columns, inverse, vectors, delta, column):
    """The way delta that y goes when the variable of `column` leaves; returns its column.

    A key (column m + i) first changes places with its item's heaviest basic vertex.
    """
    m = len(inverse)
    if column >= m:
        i, most = column - m, -np.inf
        for j in range(m):
            if base[WHO, j] == i and vectors[X, j] > most:
                column, most = j, vectors[X, j]
        swap_key(items, base, columns, inverse, vectors, i, column)
    sign = 1.0 if vectors[X, column] > 0.0 else -1.0
    for r in range(m):
        delta[r] = sign * inverse[column, r]
    return column


@inlined
def exclude(program, work, vectors):
    """Let y be the direction of a search without end, at right angles to the load; `solved` becomes zero."""
    m, load = vectors.shape[1], program.load
    onto = size = 0.0
    for r in range(m):
        onto += work.delta[r] * load[r]
        size += load[r] * load[r]
    for r in range(m):
        vectors[Y, r] = work.delta[r] - onto / size * load[r]
        work.solved[r] = 0.0


@kernel
def run(tables, program, frames, work, s, cutoff, limit, fresh):
    """Pivot in slot s until optimal, or until U(y) is proven to be at most `cutoff`, or for `limit` pivots.

    `fresh` KEPT trusts the slot's inverse and multipliers (a copy of a solved one, restricted).
    Returns (outcome, bound, pivots). OPTIMAL comes with the basic solution's factor, PRUNED with y and a bound by fresh
    supports, INFEASIBLE with a y that excludes every factor; STOPPED is the limit; FAILED means that rounding got in
    the way.
    """
    items, base, columns, inverse = frames.items[s], frames.base[s], frames.columns[s], frames.inverse[s]
    vectors, radius, along = frames.vectors[s], frames.radius[s], frames.along[s]
    banned = work.banned
    renew, is_fresh, bans, pivots, last = fresh == RENEWED, False, 1, 0, np.inf
    if not renew:
        renew_values(inverse, vectors)
    while True:
        if renew:
            if not refresh(tables, program, work, items, base, columns, inverse, vectors, along):
                return FAILED, np.inf, pivots
            renew, is_fresh = False, True
        if bans and not (is_fresh and bans > 1):
            for j in range(len(banned)):
                banned[j] = 0
            bans = 0
        factor = bound_now(base, vectors)
        if factor <= cutoff and factor < last:
            last = factor
            bound = certified_bound(tables, program, items[MASK], vectors[Y], program.load)
            if bound <= cutoff:
                return PRUNED, bound, pivots
        if pivots >= limit:
            return STOPPED, factor, pivots
        column, amount = leaving(program, base, inverse, vectors, banned, work.rest)
        if column < 0:
            if fresh == ROUGH:
                return STOPPED, factor, pivots
            if not is_fresh:
                renew = True
                continue
            if bans:
                return FAILED, np.inf, pivots
            return OPTIMAL, factor, pivots
        column = depart(items, base, columns, inverse, vectors, work.delta, column)
        directions(program.rows, work.delta, work.pace)
        own = base[WHO, column]
        t, who, vertex, flips = line_search(
            tables,
            program,
            work,
            items,
            base,
            vectors,
            radius,
            along,
            own,
            amount,
            length(vectors[Y]),
            length(work.delta),
        )
        if who >= 0 and exchange(tables, program, work, items, base, columns, inverse, vectors, column, who, vertex):
            move(work, radius, vectors, along, t, own, who, flips)
            renew_values(inverse, vectors)
            pivots += 1
            is_fresh = False
            renew = pivots % REFACTOR_EVERY == 0
            continue
        while flips > 0:  # no column can enter after all: nothing shall have happened
            flips -= 1
            items[KEY, work.flipped[0, flips]] = work.flipped[1, flips]
        if not is_fresh:
            renew = True
            continue
        if who < 0:
            exclude(program, work, vectors)
            bound = certified_bound(tables, program, items[MASK], vectors[Y], work.solved)
            return (INFEASIBLE if bound == -np.inf else FAILED), bound, pivots
        renew_right(tables, program, items, vectors)
        renew_values(inverse, vectors)
        banned[column] = 1
        bans += 2
