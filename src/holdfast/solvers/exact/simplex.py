"""The dual simplex method on contacts: compiled, with one implicit convexity row per item.

The program is  max d  with  sum_i M_i f_i + d b = 0  over items: each unit's forces f_i, at all its points together, in
the hull of its allowed pieces, and each joint row's slack, an item whose "hull" is an interval. Items are counted by
their points, which follow each other: item i has the points i, i + 1, ..., i + count_i - 1, and no other item begins
there. A vertex of an item is one vertex for each of its points, all of the same piece. The dual
minimises, over y with y . b = -1, the convex piecewise linear function

    U(y) = sum_i h_i(M_i^T y),

and every U(y) bounds d from above. A basis (see `BasisFrames`) is a vertex of that function's graph. One step:

1. Leave: the basic variable furthest outside its bounds, in the metric of its row of the inverse (exact steepest
   edge; the matrix is m x m with m = 6 + joints, so norms are simply computed).
2. Line search along that row: U falls until enough items have changed their support vertex. Items with a single
   vertex simply flip on the way; where the slope turns, or at the first item that already mixes vertices, the
   column to enter is found. The next vertex of an item comes from Dinkelbach's iteration on its support function; an
   item whose direction moves less than its known radius is not even looked at.
3. Exchange the columns.

Any multipliers y with y . b = -1 start the method: the support vertices at y are the keys, and unit columns with the
right objective fill the basis up. They must become zero, and leave one by one.

Idle contacts would make U flat in many directions. A small perturbation in favour of the vertex 0 keeps them there: it
changes U by no more than the sum of perturbations, which is far below the gap that is asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...checks import Array, IntArray
from ...compiling import inlined, kernel, small_kernel
from .support_tables import certified_bound, item_support, reward

#: Slots of `BasisFrames` with a purpose: the last solved root, trials, the first of the path to the node at hand.
#: Typed, because a bare literal has a type of its own, and kernels would be compiled anew for it.
ROOT, SCRATCH, FIRST = np.int64(0), np.int64(1), np.int64(2)

#: Rows of `BasisFrames.items`.
MASK, KEY, MIXED = 0, 1, 2

#: Rows of `BasisFrames.base`, and what WHO says of columns that are no vertex of an item.
WHO, VERTEX = 0, 1
ARTIFICIAL, FACTOR = -1, -2

#: Rows of `BasisFrames.vectors`.
Y, RIGHT, X, GAIN = 0, 1, 2, 3


#: Flips that one line search may make, per item and row (never met in practice).
FLIPS_PER_ITEM = 64


class SimplexProgram(NamedTuple):
    """One linear program: n points, m rows. What belongs to an item stands at its first point."""

    rows: Array  # (m, 3 n) all M_i side by side
    size: Array  # (n,) Frobenius norm of M_i: rounding of M_i^T y is judged against it
    slack: Array  # (n,) by how much the weights of an item's vertices may be outside their bounds
    reach: Array  # (n,) length of the longest vertex of an item, over all its points [N]
    count: IntArray  # (n,) points of the item that begins here; 0 at the other points of an item
    shape_of: IntArray  # (n,) of each point
    unlimited: IntArray  # (m,) 1: no lower limit, 2: no upper limit of this row (cut off far away), else 0
    load: Array  # (m,) b
    perturbation: float  # reward of the vertex 0


class BasisFrames(NamedTuple):
    """Bases, one per slot: c slots, w points of an item at most.

    Each item has a key vertex that carries the weight its other basic vertices leave over. The m basic columns (d
    first, then vertices M_i (v - key_i), and artificial columns that must become zero) make the multipliers y unique.
    """

    items: IntArray  # (c, 3, n) allowed pieces, key vertex (of each point), number of basic vertices other than the key
    base: IntArray  # (c, 1 + w, m) item and vertex, point after point, of each basic column
    columns: Array  # (c, m, m) columns[j] is the j-th basic column
    inverse: Array  # (c, m, m) of the matrix of columns
    vectors: Array  # (c, 4, m) y, right-hand side, basic values, objective of artificial columns
    radius: Array  # (c, n) how far M_i^T y may move before the key could lose its lead
    along: Array  # (c, 3 n) M_i^T y


class SimplexWork(NamedTuple):
    """Arrays for intermediate numbers, so that no kernel allocates."""

    pace: Array  # (3 n,) M_i^T delta: how `along` moves
    delta: Array  # (m,)
    column: Array  # (m,)
    solved: Array  # (m,)
    matrix: Array  # (m, m)
    at: Array  # (n,) events of a line search
    rest: Array  # (n,)
    safe: Array  # (2, n) radius known at a step, and the step
    target: IntArray  # (n,) the vertices that win at an item's event, at its points
    active: IntArray  # (n,)
    flipped: IntArray  # (1 + w, 64 (n + m)) items and their old keys
    best: IntArray  # (2, w) vertices of an item that its support has found, and room
    found: IntArray  # (2, w) vertices that `next_vertex` has found, and those that end a line search
    banned: IntArray  # (m + n,)


def new_basis_frames(slots: int, n: int, m: int, w: int = 1) -> BasisFrames:
    """Arrays for `slots` bases of n points and m rows; memory is claimed when it is first written to."""
    items, base = np.empty((slots, 3, n), dtype=np.int64), np.empty((slots, 1 + w, m), dtype=np.int64)
    floats = ((m, m), (m, m), (4, m), (n,), (3 * n,))
    return BasisFrames(items, base, *(np.empty((slots, *shape)) for shape in floats))


def new_simplex_work(n: int, m: int, w: int = 1) -> SimplexWork:
    """Arrays for the kernels' intermediate numbers."""
    return SimplexWork(
        pace=np.zeros(3 * n),
        delta=np.zeros(m),
        column=np.zeros(m),
        solved=np.zeros(m),
        matrix=np.zeros((m, m)),
        at=np.zeros(n),
        rest=np.zeros(n),
        safe=np.zeros((2, n)),
        target=np.zeros(n, dtype=np.int64),
        active=np.zeros(n, dtype=np.int64),
        flipped=np.zeros((1 + w, FLIPS_PER_ITEM * (n + m)), dtype=np.int64),
        best=np.zeros((2, w), dtype=np.int64),
        found=np.zeros((2, w), dtype=np.int64),
        banned=np.zeros(m + n, dtype=np.int64),
    )


@kernel
def copy_slot(frames, source, target):
    """Copy one basis."""
    n, m = frames.radius.shape[1], frames.base.shape[2]
    for i in range(n):
        for c in range(3):
            frames.items[target, c, i] = frames.items[source, c, i]
            frames.along[target, 3 * i + c] = frames.along[source, 3 * i + c]
        frames.radius[target, i] = frames.radius[source, i]
    for j in range(m):
        for c in range(frames.base.shape[1]):
            frames.base[target, c, j] = frames.base[source, c, j]
        for r in range(m):
            frames.columns[target, j, r] = frames.columns[source, j, r]
            frames.inverse[target, j, r] = frames.inverse[source, j, r]
        for c in range(4):
            frames.vectors[target, c, j] = frames.vectors[source, c, j]


#: A vertex overtakes another when it is better by this share of the terms that were summed to compare them.
OVERTAKE_TOLERANCE = 1e-13

#: A vertex that rises over another by less than this share of their distance is level with it: no pivot to trust.
LEVEL = 1e-9

#: The line search ends where the slope of U has risen to within this share of its first value.
SLOPE_TOLERANCE = 1e-11

#: Rounds of Dinkelbach's iteration (never met; each round finds another vertex).
MOST_ROUNDS = 200


@inlined
def key_reward(tables, program, items, i):
    """The perturbations of item i's key."""
    total = 0.0
    for p in range(i, i + program.count[i]):
        total += reward(tables, program.shape_of[p], items[KEY, p], program.perturbation)
    return total


@inlined
def column_reward(tables, program, base, j):
    """The perturbations of the vertex of basic column j."""
    total, i = 0.0, base[WHO, j]
    for p in range(program.count[i]):
        total += reward(tables, program.shape_of[i + p], base[VERTEX + p, j], program.perturbation)
    return total


@inlined
def key_bits(tables, program, items, i):
    """The pieces that contain item i's key: those that all its points' vertices share."""
    bits = tables.bits[items[KEY, i]]
    for p in range(i + 1, i + program.count[i]):
        bits &= tables.bits[items[KEY, p]]
    return bits


@inlined
def column_bits(tables, program, base, j):
    """The pieces that contain the vertex of basic column j."""
    bits = tables.bits[base[VERTEX, j]]
    for p in range(1, program.count[base[WHO, j]]):
        bits &= tables.bits[base[VERTEX + p, j]]
    return bits


@inlined
def is_known(items, base, i, count, vertices):
    """Whether a vertex of item i, given by its points' vertices, is its key or in a basic column."""
    known = True
    for p in range(count):
        known = known and vertices[p] == items[KEY, i + p]
    if not known and items[MIXED, i] > 0:
        for j in range(base.shape[1]):
            if base[WHO, j] == i and not known:
                known = True
                for p in range(count):
                    known = known and vertices[p] == base[VERTEX + p, j]
    return known


@small_kernel
def next_vertex(tables, program, work, items, base, i, along, cap, y_size, delta_size):
    """First t < cap at which a vertex overtakes item i's key along M_i^T (y + t delta).

    Returns (t, whether one does, radius); (cap, False, radius at cap) when none does. The vertex is in work.found[0].
    """
    vertices, pace, best, found = tables.vertices, work.pace, work.best, work.found
    mask, count, perturbation = items[MASK, i], program.count[i], program.perturbation
    noise, t, any_found, radius = 0.0, cap, False, 0.0
    g_key = q_key = 0.0
    for a in range(MOST_ROUNDS):
        share, step, extra = 1.0, t, perturbation
        if t == np.inf:
            share, step, extra = 0.0, 1.0, 0.0
        _, radius = item_support(tables, program, i, mask, along, pace, share, step, extra, best)
        again = any_found
        for p in range(count):
            again = again and best[0, p] == found[0, p]
        if again or is_known(items, base, i, count, best[0]):  # a basic one ties with the key but for rounding
            break
        if a == 0:
            for p in range(i, i + count):
                for c in range(3):
                    g_key += along[3 * p + c] * vertices[items[KEY, p], c]
                    q_key += pace[3 * p + c] * vertices[items[KEY, p], c]
            g_key += key_reward(tables, program, items, i)
            noise = OVERTAKE_TOLERANCE * program.size[i] * program.reach[i]
        rise, behind, apart = -q_key, g_key, 0.0
        for p in range(i, i + count):
            v, key = best[0, p - i], items[KEY, p]
            for c in range(3):
                rise += pace[3 * p + c] * vertices[v, c]
                behind -= along[3 * p + c] * vertices[v, c]
                gap = vertices[v, c] - vertices[key, c]
                apart += gap * gap
            behind -= reward(tables, program.shape_of[p], v, perturbation)
        if rise <= max(noise, LEVEL * program.size[i] * np.sqrt(apart)) * delta_size:
            break
        crossing = max(0.0, behind / rise)
        if t < np.inf and t - crossing <= noise * (y_size + t * delta_size) / rise:
            break  # ahead at t by no more than rounding
        t, any_found = crossing, True
        for p in range(count):
            found[0, p] = best[0, p]
    return t, any_found, radius


@inlined
def move_key(tables, program, items, vectors, i, target):
    """Item i's key becomes the vertex whose points' vertices stand in target[i], target[i + 1], ..."""
    for p in range(i, i + program.count[i]):
        old, v = items[KEY, p], target[p]
        if v != old:
            items[KEY, p] = v
            dx = tables.vertices[v, 0] - tables.vertices[old, 0]
            dy = tables.vertices[v, 1] - tables.vertices[old, 1]
            dz = tables.vertices[v, 2] - tables.vertices[old, 2]
            for r in range(vectors.shape[1]):
                vectors[RIGHT, r] -= program.rows[r, 3 * p] * dx
                vectors[RIGHT, r] -= program.rows[r, 3 * p + 1] * dy + program.rows[r, 3 * p + 2] * dz


@inlined
def turned_by(program, pace, i):
    """How far the direction of item i goes along delta, per unit."""
    total = 0.0
    for c in range(3 * i, 3 * (i + program.count[i])):
        total += pace[c] * pace[c]
    return np.sqrt(total)


@inlined
def gained_by(tables, program, items, pace, i, target):
    """How much steeper U becomes along delta where the vertex in target[i], ... takes the place of item i's key."""
    total = 0.0
    for p in range(i, i + program.count[i]):
        for c in range(3):
            total += pace[3 * p + c] * (tables.vertices[target[p], c] - tables.vertices[items[KEY, p], c])
    return total


@inlined
def line_search(tables, program, work, items, base, vectors, radius, along, own, amount, y_size, delta_size):
    """Follow y + t delta over the breakpoints of U while it falls, flipping the keys that may flip.

    Returns (t, item, flips): the column that ends it, its vertex in work.found[1]; item -1 when nothing does.
    """
    n = items.shape[1]
    pace, at, target, active, safe, found = work.pace, work.at, work.target, work.active, work.safe, work.found
    stop, who, count, flips = np.inf, np.int64(-1), 0, 0
    for i in range(n):  # items that mix vertices already stop the search for good
        safe[1, i] = np.inf
        if program.count[i] > 0 and items[MIXED, i] - (1 if i == own else 0) > 0:
            t, wins, _ = next_vertex(tables, program, work, items, base, i, along, stop, y_size, delta_size)
            if wins and t < stop:
                stop, who = t, i
                for p in range(program.count[i]):
                    found[1, p] = found[0, p]
    # Free items: those that change vertex before `horizon`, an upper bound on where the slope turns.
    horizon, gained, furthest = stop, 0.0, 0.0
    for i in range(n):
        if program.count[i] > 0 and items[MIXED, i] - (1 if i == own else 0) == 0:
            turn = turned_by(program, pace, i)
            if turn == 0.0 or horizon * turn < radius[i]:
                continue
            t, wins, known = next_vertex(tables, program, work, items, base, i, along, horizon, y_size, delta_size)
            if not wins:
                safe[0, i], safe[1, i] = known, horizon
                continue
            at[i], active[count] = t, i
            count += 1
            for p in range(program.count[i]):
                target[i + p] = found[0, p]
            gained += gained_by(tables, program, items, pace, i, target)
            furthest = max(furthest, t)
            if gained >= amount:
                horizon = min(horizon, furthest)
    slope = -amount
    while count > 0 and flips < work.flipped.shape[1]:
        first = 0
        for a in range(1, count):
            if at[active[a]] < at[active[first]]:
                first = a
        i = active[first]
        if not at[i] < stop:
            break
        slope += gained_by(tables, program, items, pace, i, target)
        if slope >= -SLOPE_TOLERANCE * amount:
            stop, who = at[i], i
            for p in range(program.count[i]):
                found[1, p] = target[i + p]
            break
        work.flipped[0, flips] = i
        for p in range(program.count[i]):
            work.flipped[1 + p, flips] = items[KEY, i + p]
        flips += 1
        move_key(tables, program, items, vectors, i, target)
        t, wins, _ = next_vertex(tables, program, work, items, base, i, along, stop, y_size, delta_size)
        at[i] = max(t, at[i])
        for p in range(program.count[i]):
            target[i + p] = found[0, p]
        if not wins:
            count -= 1
            active[first] = active[count]
    return stop, who, flips


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


@directions.twin
def _directions(rows, y, out):
    """`directions` by one product."""
    np.dot(y, rows, out=out)


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


@renew_right.twin
def _renew_right(tables, program, items, vectors):
    """`renew_right` by one product."""
    vectors[RIGHT] = -program.rows @ tables.vertices[items[KEY]].ravel()


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
            gain = column_reward(tables, program, base, j) - key_reward(tables, program, items, who)
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
def swap_key(program, items, base, columns, inverse, vectors, i, column):
    """Make the basic vertex of `column` the key of item i; the old key takes its column."""
    m = len(inverse)
    for p in range(program.count[i]):
        old = items[KEY, i + p]
        items[KEY, i + p] = base[VERTEX + p, column]
        base[VERTEX + p, column] = old
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
def exchange(tables, program, work, items, base, columns, inverse, vectors, column, who):
    """Let item who's vertex in work.found[1] take the place of `column`; False when the pivot is too small to trust."""
    m = len(inverse)
    entering, solved = work.column, work.solved
    for r in range(m):
        entering[r] = 0.0
    for p in range(who, who + program.count[who]):
        vertex, key = work.found[1, p - who], items[KEY, p]
        dx = tables.vertices[vertex, 0] - tables.vertices[key, 0]
        dy = tables.vertices[vertex, 1] - tables.vertices[key, 1]
        dz = tables.vertices[vertex, 2] - tables.vertices[key, 2]
        for r in range(m):
            entering[r] += program.rows[r, 3 * p] * dx
            entering[r] += program.rows[r, 3 * p + 1] * dy + program.rows[r, 3 * p + 2] * dz
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
        base[WHO, column] = who
        for p in range(program.count[who]):
            base[VERTEX + p, column] = work.found[1, p]
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
def move(program, work, radius, vectors, along, t, own, who, flips):
    """Move y by t delta, and what follows y."""
    pace = work.pace
    for r in range(vectors.shape[1]):
        vectors[Y, r] += t * work.delta[r]
    for i in range(len(radius)):
        left = radius[i] - t * turned_by(program, pace, i)
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
    """U(y), up to the perturbations: the objective of the basic solution, in which artificial columns count, too."""
    total = vectors[X, 0]
    for j in range(1, vectors.shape[1]):
        if base[WHO, j] == ARTIFICIAL:
            total += vectors[GAIN, j] * vectors[X, j]
    return total


@inlined
def depart(program, items, base, columns, inverse, vectors, delta, column):
    """The way delta that y goes when the variable of `column` leaves; returns its column.

    A key (column m + i) first changes places with its item's heaviest basic vertex.
    """
    m = len(inverse)
    if column >= m:
        i, most = column - m, -np.inf
        for j in range(m):
            if base[WHO, j] == i and vectors[X, j] > most:
                column, most = j, vectors[X, j]
        swap_key(program, items, base, columns, inverse, vectors, i, column)
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
            bound = certified_bound(tables, program, items[MASK], vectors[Y], program.load, work.pace)
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
        column = depart(program, items, base, columns, inverse, vectors, work.delta, column)
        directions(program.rows, work.delta, work.pace)
        own = base[WHO, column]
        t, who, flips = line_search(
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
        if who >= 0 and exchange(tables, program, work, items, base, columns, inverse, vectors, column, who):
            move(program, work, radius, vectors, along, t, own, who, flips)
            renew_values(inverse, vectors)
            pivots += 1
            is_fresh = False
            renew = pivots % REFACTOR_EVERY == 0
            continue
        while flips > 0:  # no column can enter after all: nothing shall have happened
            flips -= 1
            flipped = work.flipped[0, flips]
            for p in range(program.count[flipped]):
                items[KEY, flipped + p] = work.flipped[1 + p, flips]
        if not is_fresh:
            renew = True
            continue
        if who < 0:
            exclude(program, work, vectors)
            bound = certified_bound(tables, program, items[MASK], vectors[Y], work.solved, work.pace)
            return (INFEASIBLE if bound == -np.inf else FAILED), bound, pivots
        renew_right(tables, program, items, vectors)
        renew_values(inverse, vectors)
        banned[column] = 1
        bans += 2


#: A load is put into a basis only if it changes the first column by no more than the inverse of this.
SMALLEST_TURN = 1e-9


@kernel
def start(tables, program, frames, work, s, y):
    """Fill slot s with a dual feasible basis at y (y . b = -1); the slot's masks must be set."""
    items, base, columns, inverse = frames.items[s], frames.base[s], frames.columns[s], frames.inverse[s]
    vectors, radius, along, load = frames.vectors[s], frames.radius[s], frames.along[s], program.load
    n, m = len(radius), len(load)
    largest = 0
    for r in range(m):
        vectors[Y, r] = y[r]
        if abs(load[r]) > abs(load[largest]):
            largest = r
    directions(program.rows, vectors[Y], along)
    for i in range(n):
        if program.count[i] > 0:
            _, near = item_support(
                tables, program, i, items[MASK, i], along, along, 1.0, 0.0, program.perturbation, work.best
            )
            items[MIXED, i], radius[i] = 0, near
            for p in range(program.count[i]):
                items[KEY, i + p] = work.best[0, p]
    for j in range(m):
        for r in range(m):
            columns[j, r] = inverse[j, r] = 0.0
    base[WHO, 0], base[VERTEX, 0], vectors[GAIN, 0] = FACTOR, -1, 0.0
    inverse[0, largest] = 1.0 / load[largest]
    unit = abs(load[largest])  # artificial columns as long as the load: their values are shares of it
    at = 1
    for r in range(m):
        columns[0, r] = load[r]
        if r != largest:
            base[WHO, at], base[VERTEX, at], vectors[GAIN, at] = ARTIFICIAL, -1, -y[r] * unit
            columns[at, r], inverse[at, r] = unit, 1.0 / unit
            inverse[at, largest] = -load[r] / load[largest] / unit
            at += 1
    renew_right(tables, program, items, vectors)


@kernel
def turn(program, frames, s, least_cosine):
    """Put another load into the basis of slot s: y keeps its direction and is scaled.

    Returns the basic solution's factor (the bound that follows, where no artificial column is left), or -inf when y
    looks away from the load.
    """
    base, columns, inverse = frames.base[s], frames.columns[s], frames.inverse[s]
    vectors, along, load = frames.vectors[s], frames.along[s], program.load
    m = len(load)
    work = y_size = load_size = 0.0
    for r in range(m):
        work -= vectors[Y, r] * load[r]
        y_size += vectors[Y, r] * vectors[Y, r]
        load_size += load[r] * load[r]
    usable = work > least_cosine * np.sqrt(y_size * load_size)
    if usable:
        for r in range(m):
            columns[0, r] = load[r]
            vectors[Y, r] /= work
        for c in range(len(along)):
            along[c] /= work
        for i in range(frames.radius.shape[1]):
            frames.radius[s, i] /= work
        for j in range(m):
            if base[WHO, j] == ARTIFICIAL:
                vectors[GAIN, j] /= work
        # The first column changed: the same update of the inverse as in an exchange.
        pivot = 0.0
        for r in range(m):
            pivot += inverse[0, r] * load[r]
        usable = abs(pivot) > SMALLEST_TURN
        if usable:
            for r in range(m):
                inverse[0, r] /= pivot
            for j in range(1, m):
                solved = 0.0
                for r in range(m):
                    solved += inverse[j, r] * load[r]
                for r in range(m):
                    inverse[j, r] -= solved * inverse[0, r]
    factor = 0.0 if usable else -np.inf
    for r in range(m):
        factor += inverse[0, r] * vectors[RIGHT, r]
    return factor


@kernel
def restrict(tables, program, frames, work, s, i, mask):
    """Allow contact i only the pieces in `mask`, keeping the basis of slot s dual feasible; `run` afterwards.

    Columns of vertices that are no longer allowed become artificial: they must fall to zero, and will.
    """
    items, base, columns, inverse = frames.items[s], frames.base[s], frames.columns[s], frames.inverse[s]
    vectors, along = frames.vectors[s], frames.along[s]
    m, best = len(inverse), work.best
    items[MASK, i] = mask
    if not key_bits(tables, program, items, i) & mask:
        for j in range(1, m):
            if base[WHO, j] == i and column_bits(tables, program, base, j) & mask:
                swap_key(program, items, base, columns, inverse, vectors, i, j)
                break
    keep = key_bits(tables, program, items, i) & mask
    for j in range(1, m):
        if base[WHO, j] == i and not (keep and column_bits(tables, program, base, j) & mask):
            vectors[GAIN, j] = column_reward(tables, program, base, j) - key_reward(tables, program, items, i)
            base[WHO, j], base[VERTEX, j] = ARTIFICIAL, -1
            items[MIXED, i] -= 1
    if not keep:
        _, near = item_support(tables, program, i, mask, along, along, 1.0, 0.0, program.perturbation, best)
        frames.radius[s, i] = near
        for p in range(program.count[i]):
            work.target[i + p] = best[0, p]
        move_key(tables, program, items, vectors, i, work.target)
    vectors[X, 0] = np.inf
