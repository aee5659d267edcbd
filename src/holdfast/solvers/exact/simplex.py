"""The dual simplex method on contacts: compiled, with one implicit convexity row per item.

The program is  max d  with  sum_i M_i f_i + d b = 0  over items: each unit's forces f_i, at all its points together, in
the hull of its allowed pieces, and each joint row's slack, an item whose "hull" is an interval. Items are counted by
their points, which follow each other: item i has the points i, i + 1, ..., i + count_i - 1, and no other item begins
there. A vertex of an item is one vertex for each of its points, all of the same piece; points in one piece move
independently. The dual minimises, over y with y . b = -1, the convex piecewise linear function

    U(y) = sum_i h_i(M_i^T y),

and every U(y) bounds d from above. A basis (see `BasisFrames`) is a vertex of that function's graph. One step:

1. Leave: the basic variable furthest outside its bounds, in the metric of its row of the inverse (exact steepest
   edge; the matrix is m x m with m = 6 + joints, so norms are simply computed).
2. Line search along that row: U falls until enough items have changed their support vertex. Points with a single
   vertex simply flip on the way; where the slope turns, or at the first point that already mixes vertices, the
   column to enter is found. The next vertex of a point is a neighbour of its key on the hull; where neighbours are not
   known, and for a unit that changes to another piece, it comes from Dinkelbach's iteration on the support function.
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
from ...compiling import inlined, kernel, positive_lanes, small_kernel
from .support_tables import (
    PIECES,
    VERTEX_KNOWN,
    ZERO,
    certified_bound,
    climb,
    directions,
    is_support,
    item_support,
    neighbours,
    piece_support,
    reward,
    support,
)

#: Slots of `BasisFrames` with a purpose: the last solved root, the node at hand, trials, the trial child of a unit with
#: the largest bound, the same of the unit that is best so far; the first of those that keep open nodes.
#: Typed, because a bare literal has a type of its own, and kernels would be compiled again for it.
ROOT, NODE, SCRATCH, LARGEST, CHOSEN, FIRST_OPEN = (np.int64(slot) for slot in range(6))

#: Rows of `BasisFrames.items`.
MASK, KEY, MIXED, WHOLES = 0, 1, 2, 3

#: Rows of `BasisFrames.base`, what WHO says of columns that are no vertex of an item, and what POINT says of columns
#: that move all points of their item.
WHO, POINT, VERTEX = 0, 1, 2
ARTIFICIAL, FACTOR = -1, -2
WHOLE, NOWHERE = -1, -2

#: Rows of `BasisFrames.vectors`.
Y, RIGHT, X, GAIN = 0, 1, 2, 3


#: Most flips of one line search, per item and row (not reached in practice).
FLIPS_PER_ITEM = 64


class SimplexProgram(NamedTuple):
    """One linear program: n points, m rows. What belongs to an item stands at its first point."""

    rows: Array  # (m, 3 n) all M_i side by side
    size: Array  # (n,) Frobenius norm of M_i: rounding of M_i^T y is judged against it
    slack: Array  # (n,) by how much the weights of an item's vertices may be outside their bounds
    reach: Array  # (n,) length of the longest vertex of an item, over all its points [N]
    points: IntArray  # (n,) how many the item has that begins here; 0 at the other points of an item
    shape_of: IntArray  # (n,) of each point
    unlimited: IntArray  # (m,) 1: no lower limit, 2: no upper limit of this row (cut off far away), else 0
    load: Array  # (m,) b
    perturbation: float  # reward of the vertex 0


class BasisFrames(NamedTuple):
    """Bases, one per slot: c slots, w points of an item at most.

    Each point has a key vertex, which carries the weight that the other basic vertices leave over. The m basic columns
    make the multipliers y unique: d first, then vertices, and artificial columns that must become zero. A vertex v at
    one point p is the column M_p (v - key_p). A whole vertex of an item with several points, of another piece than its
    key, is the column sum_p M_p (v_p - key_p); what whole vertices leave of the weight is shared out at each point
    independently, among vertices that share a piece with the key and with each other.
    """

    items: IntArray  # (c, 4, n) allowed pieces; key vertex and number of basic ones of each point; number of whole ones
    base: IntArray  # (c, 2 + w, m) of each basic column: item, point (or WHOLE), vertex (or vertices, point by point)
    columns: Array  # (c, m, m) columns[j] is the j-th basic column
    inverse: Array  # (c, m, m) of the matrix of columns
    vectors: Array  # (c, 4, m) y, right-hand side, basic values, objective of artificial columns
    along: Array  # (c, 3 n) M_i^T y


class SimplexWork(NamedTuple):
    """Arrays for intermediate numbers, so that no kernel allocates."""

    pace: Array  # (3 n,) M_i^T delta: how `along` moves
    sizes: Array  # (3 n,) the terms that M_i^T y is the sum of
    delta: Array  # (m,)
    column: Array  # (m,)
    solved: Array  # (m,)
    matrix: Array  # (m, m)
    at: Array  # (n,) events of a line search
    rest: Array  # (2, n) what an item's whole vertices leave of its weight, and what those of a point take
    target: IntArray  # (1 + w, n) of the events: point (or WHOLE), and the vertices that win
    order: IntArray  # (n,) items, in the order in which a line search looks for their events
    active: IntArray  # (n,) items with an event
    flipped: IntArray  # (2, 64 (n + m)) points and their old keys
    best: IntArray  # (2, w) vertices of an item that its support has found, and room
    found: IntArray  # (2, w) vertices of the event that `next_vertex` has found, and of the one that ends a line search
    open_points: IntArray  # (w,) points of an item where something may overtake the key
    at_cap: Array  # (w, 3) M_p^T (y + t delta) of these, t being where the search for an event begins
    banned: IntArray  # (m + n,)
    memo: IntArray  # (n, pieces + 2, 4) see `neighbours`; columns: each piece, those the key shares, all allowed ones


def new_basis_frames(slots: int, n: int, m: int, w: int = 1) -> BasisFrames:
    """Arrays for `slots` bases of n points and m rows; memory is claimed when it is first written to.

    Args:
        slots: number of bases.
        n, m: points and rows.
        w: most points of an item.
    """
    items, base = np.empty((slots, 4, n), dtype=np.int64), np.empty((slots, 2 + w, m), dtype=np.int64)
    floats = ((m, m), (m, m), (4, m), (3 * n,))
    return BasisFrames(items, base, *(np.empty((slots, *shape)) for shape in floats))


def new_simplex_work(n: int, m: int, w: int = 1, pieces: int = 1) -> SimplexWork:
    """Arrays for the kernels' intermediate numbers; `pieces` at most per item."""
    return SimplexWork(
        pace=np.zeros(3 * n),
        sizes=np.zeros(3 * n),
        delta=np.zeros(m),
        column=np.zeros(m),
        solved=np.zeros(m),
        matrix=np.zeros((m, m)),
        at=np.zeros(n),
        rest=np.zeros((2, n)),
        target=np.zeros((1 + w, n), dtype=np.int64),
        order=np.zeros(n, dtype=np.int64),
        active=np.zeros(n, dtype=np.int64),
        flipped=np.zeros((2, FLIPS_PER_ITEM * (n + m)), dtype=np.int64),
        best=np.zeros((2, w), dtype=np.int64),
        found=np.zeros((2, w), dtype=np.int64),
        open_points=np.zeros(w, dtype=np.int64),
        at_cap=np.zeros((w, 3)),
        banned=np.zeros(m + n, dtype=np.int64),
        memo=np.full((n, pieces + 2, 4), -1, dtype=np.int64),
    )


@kernel
def copy_slot(frames, source, target):
    """Copy one basis."""
    n, m = frames.items.shape[2], frames.base.shape[2]
    for c in range(4):
        for i in range(n):
            frames.items[target, c, i] = frames.items[source, c, i]
        for j in range(m):
            frames.vectors[target, c, j] = frames.vectors[source, c, j]
    for c in range(3 * n):
        frames.along[target, c] = frames.along[source, c]
    for c in range(frames.base.shape[1]):
        for j in range(m):
            frames.base[target, c, j] = frames.base[source, c, j]
    for j in range(m):
        for r in range(m):
            frames.columns[target, j, r] = frames.columns[source, j, r]
            frames.inverse[target, j, r] = frames.inverse[source, j, r]


@copy_slot.twin
def _copy_slot(frames, source, target):
    """`copy_slot` array by array."""
    for array in frames:
        array[target] = array[source]


#: A vertex overtakes another when it is better by this share of the terms that were summed to compare them.
OVERTAKE_TOLERANCE = 1e-13

#: A vertex that rises over another by less than this share of their distance is level with it: no pivot to trust.
LEVEL = 1e-9

#: The line search ends where the slope of U has risen to within this share of its first value.
SLOPE_TOLERANCE = 1e-11

#: Most rounds of Dinkelbach's iteration (not reached in practice; each round finds another vertex).
MOST_ROUNDS = 200


@inlined
def key_reward(tables, program, items, first, last):
    """The perturbations of the keys at the points from `first` to before `last`."""
    total = 0.0
    for p in range(first, last):
        total += reward(tables, program.shape_of[p], items[KEY, p], program.perturbation)
    return total


@inlined
def gain_of(tables, program, items, base, j):
    """The perturbations of the vertex of basic column j, less those of the key."""
    i, p = base[WHO, j], base[POINT, j]
    total = 0.0
    if p >= 0:
        total += reward(tables, program.shape_of[p], base[VERTEX, j], program.perturbation)
        total -= key_reward(tables, program, items, p, p + 1)
    else:
        for q in range(program.points[i]):
            total += reward(tables, program.shape_of[i + q], base[VERTEX + q, j], program.perturbation)
        total -= key_reward(tables, program, items, i, i + program.points[i])
    return total


@inlined
def key_bits(tables, program, items, i):
    """The pieces that contain item i's key: those that the vertices of all its points share."""
    bits = tables.bits[items[KEY, i]]
    for p in range(i + 1, i + program.points[i]):
        bits &= tables.bits[items[KEY, p]]
    return bits


@inlined
def whole_bits(tables, program, base, j):
    """The pieces that contain the vertex of basic column j; of a vertex at a single point, those of that alone."""
    bits = tables.bits[base[VERTEX, j]]
    if base[POINT, j] == WHOLE:
        for p in range(1, program.points[base[WHO, j]]):
            bits &= tables.bits[base[VERTEX + p, j]]
    return bits


@inlined
def common_bits(tables, program, items, base, i):
    """The pieces that contain item i's key and all its basic vertices at single points."""
    bits = key_bits(tables, program, items, i)
    for j in range(1, base.shape[1]):
        if base[WHO, j] == i and base[POINT, j] >= 0:
            bits &= tables.bits[base[VERTEX, j]]
    return bits


@inlined
def is_basic(base, p, vertex):
    """Whether a vertex at point p has a basic column."""
    basic = False
    for j in range(1, base.shape[1]):
        if base[POINT, j] == p and base[VERTEX, j] == vertex and base[WHO, j] >= 0:
            basic = True
    return basic


@small_kernel
def next_at_point(tables, program, work, items, base, i, p, mask, along, cap, y_size, delta_size):
    """First t < cap at which a vertex of the pieces in `mask` overtakes the key at point p of item i.

    Returns (t, vertex); (cap, -1) when none does.
    """
    shape, key = program.shape_of[p], items[KEY, p]
    vertices, perturbation, pace, zero = tables.vertices, program.perturbation, work.pace, tables.shapes[shape, ZERO]
    gx, gy, gz = along[3 * p], along[3 * p + 1], along[3 * p + 2]
    qx, qy, qz = pace[3 * p], pace[3 * p + 1], pace[3 * p + 2]
    kx, ky, kz = vertices[key, 0], vertices[key, 1], vertices[key, 2]
    noise, t, found = OVERTAKE_TOLERANCE * program.size[i] * program.reach[i], cap, np.int64(-1)
    level, least = LEVEL * program.size[i] * delta_size, noise * delta_size
    memo = work.memo
    begin, end = neighbours(tables, shape, mask, key, memo, p, memo.shape[1] - 2)
    if begin < end and key != zero:  # a neighbour is the first, or the vertex 0 with its perturbation
        share, step, extra = 1.0, cap, perturbation
        if cap == np.inf:
            share, step, extra = 0.0, 1.0, 0.0
        x, y, z = share * gx + step * qx, share * gy + step * qy, share * gz + step * qz
        if zero >= 0 and x * kx + y * ky + z * kz < extra:
            rise, behind = -(qx * kx + qy * ky + qz * kz), gx * kx + gy * ky + gz * kz - perturbation
            if rise > max(least, level * np.sqrt(kx * kx + ky * ky + kz * kz)):
                crossing = max(0.0, behind / rise)
                clear = t == np.inf or t - crossing > noise * (y_size + t * delta_size) / rise
                if clear and (items[MIXED, p] == 0 or not is_basic(base, p, zero)):
                    t, found = crossing, zero
        for b in range(begin, end):
            ahead, e = positive_lanes(tables.blocks, b, x, y, z), 0
            while ahead >> e:
                if ahead >> e & 1:
                    dx, dy, dz = tables.blocks[b, 0, e], tables.blocks[b, 1, e], tables.blocks[b, 2, e]
                    rise, behind = qx * dx + qy * dy + qz * dz, -(gx * dx + gy * dy + gz * dz)
                    if rise > max(least, level * np.sqrt(dx * dx + dy * dy + dz * dz)) and behind < t * rise:
                        crossing = max(0.0, behind / rise)
                        clear = t == np.inf or t - crossing > noise * (y_size + t * delta_size) / rise
                        v = tables.edges[b, e]
                        if clear and (items[MIXED, p] == 0 or not is_basic(base, p, v)):  # basic ones tie with the key
                            t, found = crossing, v
                e += 1
    else:
        g_key = gx * kx + gy * ky + gz * kz + reward(tables, shape, key, perturbation)
        q_key = qx * kx + qy * ky + qz * kz
        for _ in range(MOST_ROUNDS):
            share, step, extra = 1.0, t, perturbation
            if t == np.inf:
                share, step, extra = 0.0, 1.0, 0.0
            x, y, z = share * gx + step * qx, share * gy + step * qy, share * gz + step * qz
            v, _ = support(tables, shape, mask, x, y, z, extra)
            if v == key or v == found:  # noqa: SIM109 (a tuple to search in takes a second to compile)
                break
            if items[MIXED, p] > 0 and is_basic(base, p, v):  # it ties with the key but for rounding
                break
            rise = qx * vertices[v, 0] + qy * vertices[v, 1] + qz * vertices[v, 2] - q_key
            dx, dy, dz = vertices[v, 0] - kx, vertices[v, 1] - ky, vertices[v, 2] - kz
            if rise <= max(least, level * np.sqrt(dx * dx + dy * dy + dz * dz)):
                break
            behind = g_key - gx * vertices[v, 0] - gy * vertices[v, 1] - gz * vertices[v, 2]
            behind -= reward(tables, shape, v, perturbation)
            crossing = max(0.0, behind / rise)
            if t < np.inf and t - crossing <= noise * (y_size + t * delta_size) / rise:
                break  # ahead at t by no more than rounding
            t, found = crossing, v
    return t, found


@inlined
def find_open(tables, program, work, items, i, along, t):
    """(number, perturbation): the points of item i where the key is not the support of all allowed pieces at t."""
    pace, mask, memo, found = work.pace, items[MASK, i], work.memo, 0
    share, step, extra = 1.0, t, program.perturbation
    if t == np.inf:
        share, step, extra = 0.0, 1.0, 0.0
    for p in range(i, i + program.points[i]):
        shape, key = program.shape_of[p], items[KEY, p]
        x, y = share * along[3 * p] + step * pace[3 * p], share * along[3 * p + 1] + step * pace[3 * p + 1]
        z = share * along[3 * p + 2] + step * pace[3 * p + 2]
        if not is_support(tables, shape, mask, key, x, y, z, extra, memo, p, memo.shape[1] - 1):
            work.open_points[found], work.at_cap[found, 0], work.at_cap[found, 1], work.at_cap[found, 2] = p, x, y, z
            found += 1
    return found, extra


@small_kernel
def next_in_unit(tables, program, work, items, base, i, along, cap, y_size, delta_size):
    """`next_vertex` of an item with several points.

    In the pieces that the key and the basic vertices share, points move independently. In any other piece all points
    move together.

    The lead of the key over a piece is a concave function of t, so a piece that is behind at the cap does not overtake
    it before. Points where the key is the support of all allowed pieces at the cap are for the key: what other pieces
    gain, they gain at the other points, the open ones.
    """
    vertices, pace, best, perturbation = tables.vertices, work.pace, work.best, program.perturbation
    count, mask, memo = program.points[i], items[MASK, i], work.memo
    open_points, extra = find_open(tables, program, work, items, i, along, cap)
    if open_points == 0:
        return cap, NOWHERE
    common = common_bits(tables, program, items, base, i) & mask
    if not common:  # the key has flipped away from the leaving vertex, which no longer counts
        common = key_bits(tables, program, items, i) & mask
    noise = OVERTAKE_TOLERANCE * program.size[i] * program.reach[i]
    t, where = cap, NOWHERE
    for a in range(open_points):
        p = work.open_points[a]
        crossing, v = next_at_point(tables, program, work, items, base, i, p, common, along, t, y_size, delta_size)
        if v >= 0:
            t, where, work.found[0, 0] = crossing, p, v
    others, g_key, q_key = mask & ~common, key_reward(tables, program, items, i, i + count), 0.0
    if others:
        for p in range(i, i + count):
            for c in range(3):
                g_key += along[3 * p + c] * vertices[items[KEY, p], c]
                q_key += pace[3 * p + c] * vertices[items[KEY, p], c]
        if t < cap:
            open_points, extra = find_open(tables, program, work, items, i, along, t)
    before = t
    for j in range(tables.shapes[program.shape_of[i], PIECES] if others and open_points else 0):
        if not others >> j & 1:
            continue
        ahead = 0.0
        for a in range(open_points):
            p, x, y, z = work.open_points[a], work.at_cap[a, 0], work.at_cap[a, 1], work.at_cap[a, 2]
            shape, key = program.shape_of[p], items[KEY, p]
            _, value = climb(tables, shape, 1 << j, memo[p, j, VERTEX_KNOWN], x, y, z, memo, p, j)
            if tables.shapes[shape, ZERO] >= 0:
                value = max(value, extra)
            ahead += value - reward(tables, shape, key, extra)
            ahead -= x * vertices[key, 0] + y * vertices[key, 1] + z * vertices[key, 2]
        if ahead <= 0.0:
            continue
        for _ in range(MOST_ROUNDS):
            share, step, reward_of_zero = 1.0, t, perturbation
            if t == np.inf:
                share, step, reward_of_zero = 0.0, 1.0, 0.0
            value = piece_support(tables, program, i, j, along, pace, share, step, reward_of_zero, best[1], memo)
            if t < np.inf and g_key + t * q_key - value >= -noise * (y_size + t * delta_size):
                break
            rise, behind, apart = -q_key, g_key, 0.0
            for p in range(i, i + count):
                v, key = best[1, p - i], items[KEY, p]
                behind -= reward(tables, program.shape_of[p], v, perturbation)
                for c in range(3):
                    rise += pace[3 * p + c] * vertices[v, c]
                    behind -= along[3 * p + c] * vertices[v, c]
                    gap = vertices[v, c] - vertices[key, c]
                    apart += gap * gap
            if rise <= max(noise, LEVEL * program.size[i] * np.sqrt(apart)) * delta_size:
                break
            crossing = max(0.0, behind / rise)
            if t < np.inf and t - crossing <= noise * (y_size + t * delta_size) / rise:
                break  # ahead at t by no more than rounding
            t, where = crossing, WHOLE
            for p in range(count):
                work.found[0, p] = best[1, p]
        if t < before:
            before = t
            open_points, extra = find_open(tables, program, work, items, i, along, t)
            if open_points == 0:
                break
    return t, where


@inlined
def next_vertex(tables, program, work, items, base, i, along, cap, y_size, delta_size):
    """First t < cap at which a vertex overtakes item i's key along M_i^T (y + t delta).

    Returns (t, where): the point where it differs from the key, or WHOLE, its vertices in work.found[0]; NOWHERE when
    none does.
    """
    where, t = NOWHERE, cap
    if program.points[i] > 1:
        t, where = next_in_unit(tables, program, work, items, base, i, along, cap, y_size, delta_size)
    else:
        mask = items[MASK, i]
        t, v = next_at_point(tables, program, work, items, base, i, i, mask, along, cap, y_size, delta_size)
        if v >= 0:
            where, work.found[0, 0] = i, v
    return t, where


@inlined
def set_key(tables, program, items, vectors, p, v):
    """The key at point p becomes v."""
    old = items[KEY, p]
    items[KEY, p] = v
    dx = tables.vertices[v, 0] - tables.vertices[old, 0]
    dy = tables.vertices[v, 1] - tables.vertices[old, 1]
    dz = tables.vertices[v, 2] - tables.vertices[old, 2]
    for r in range(vectors.shape[1]):
        vectors[RIGHT, r] -= program.rows[r, 3 * p] * dx
        vectors[RIGHT, r] -= program.rows[r, 3 * p + 1] * dy + program.rows[r, 3 * p + 2] * dz


@inlined
def gained_by(tables, program, items, pace, i, target):
    """How much steeper U becomes along delta where the vertex of item i's event takes the place of its key."""
    total, where = 0.0, target[0, i]
    first, last = (i, i + program.points[i]) if where == WHOLE else (where, where + 1)
    for p in range(first, last):
        v, key = target[1 + p - first, i], items[KEY, p]
        total += pace[3 * p] * (tables.vertices[v, 0] - tables.vertices[key, 0])
        total += pace[3 * p + 1] * (tables.vertices[v, 1] - tables.vertices[key, 1])
        total += pace[3 * p + 2] * (tables.vertices[v, 2] - tables.vertices[key, 2])
    return total


@inlined
def note_event(program, work, i, where):
    """Keep the event that `next_vertex` found as that of item i."""
    work.target[0, i] = where
    for p in range(program.points[i] if where == WHOLE else 1):
        work.target[1 + p, i] = work.found[0, p]


@inlined
def is_blocked(program, items, i, where, own, own_point):
    """Whether item i's event cannot be a flip: basic vertices hang on the key that would change.

    The leaving column, a vertex of item `own` at `own_point` (or WHOLE), no longer counts.
    """
    basic = items[WHOLES, i] - (1 if i == own and own_point == WHOLE else 0)
    first, last = (i, i + program.points[i]) if where == WHOLE else (where, where + 1)
    for p in range(first, last):
        basic += items[MIXED, p] - (1 if p == own_point else 0)
    return basic > 0


@inlined
def is_stuck(program, items, i, own, own_point):
    """Whether every event of item i ends a line search: it mixes whole vertices, or those of its only point."""
    mixes = items[WHOLES, i] > 0 or (program.points[i] == 1 and items[MIXED, i] > 0)
    return mixes and is_blocked(program, items, i, WHOLE, own, own_point)


@inlined
def line_search(tables, program, work, items, base, vectors, along, own, own_point, amount, y_size, delta_size):
    """Follow y + t delta over the breakpoints of U while it falls, flipping the keys that may flip.

    First the next event of every item is found, then the earliest one happens, again and again. Items that are stuck
    come first: the earliest of their events is the latest end. `horizon` is an upper bound on where the search ends;
    events after it are not looked for.

    Returns (t, item, point, flips): the column that ends it, its vertices in work.found[1]; item -1 when nothing does.
    """
    pace, at, target, active, found, order = work.pace, work.at, work.target, work.active, work.found, work.order
    stop, who, point, count, flips = np.inf, np.int64(-1), np.int64(NOWHERE), 0, 0
    stuck = total = 0
    for i in range(items.shape[1]):
        if program.points[i] > 0:
            order[total] = i
            if is_stuck(program, items, i, own, own_point):
                order[stuck], order[total] = i, order[stuck]
                stuck += 1
            total += 1
    horizon, gained, furthest, slope, done, first = np.inf, 0.0, 0.0, -amount, 0, 0
    while True:
        i, cap = np.int64(0), horizon
        if done < total:
            i = order[done]
        else:
            if count == 0 or flips + work.best.shape[1] >= work.flipped.shape[1]:
                break
            first = 0
            for a in range(1, count):
                if at[active[a]] < at[active[first]]:
                    first = a
            i, cap = active[first], stop
            if not at[i] < stop:
                break
            where = target[0, i]
            slope += gained_by(tables, program, items, pace, i, target)
            if slope >= -SLOPE_TOLERANCE * amount or is_blocked(program, items, i, where, own, own_point):
                stop, who, point = at[i], i, where
                for p in range(program.points[i]):
                    found[1, p] = target[1 + p, i]
                break
            start_point, end_point = (i, i + program.points[i]) if where == WHOLE else (where, where + 1)
            for p in range(start_point, end_point):
                work.flipped[0, flips], work.flipped[1, flips] = p, items[KEY, p]
                flips += 1
                set_key(tables, program, items, vectors, p, target[1 + p - start_point, i])
        t, where = next_vertex(tables, program, work, items, base, i, along, cap, y_size, delta_size)
        if done >= total:
            at[i] = max(t, at[i])
            note_event(program, work, i, where)
            if where == NOWHERE:
                count -= 1
                active[first] = active[count]
        elif where != NOWHERE and done < stuck:
            stop, horizon, who, point = t, t, i, where
            for p in range(program.points[i]):
                found[1, p] = found[0, p]
        elif where != NOWHERE:
            at[i], active[count] = t, i
            count += 1
            note_event(program, work, i, where)
            gained += gained_by(tables, program, items, pace, i, target)
            furthest = max(furthest, t)
            if is_blocked(program, items, i, where, own, own_point):
                horizon = min(horizon, t)
            elif gained >= amount:
                horizon = min(horizon, furthest)
        if done < total:
            done += 1
    return stop, who, point, flips


#: Outcomes of a run.
OPTIMAL, PRUNED, INFEASIBLE, STOPPED, FAILED = 0, 1, 2, 3, 4

#: Whether a run begins with the slot's numbers as they are, with fresh ones, or is a trial that need not end precisely.
KEPT, RENEWED, ROUGH = np.int64(0), np.int64(1), np.int64(2)

#: Weights may be outside their bounds by this; those of vertices at a ray's cut by as much less as they are longer.
PRIMAL_TOLERANCE = 1e-10

#: A pivot smaller than this share of its column counts as rounding.
PIVOT_TOLERANCE = 1e-9

#: A pivot of the inversion below this share of its column's largest entry means a singular basis.
SINGULAR = 1e-13

#: Steps between fresh inverses.
REFACTOR_EVERY = 40


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
        x = y = z = 0.0  # three sums that do not wait for each other
        for i in range(n):
            v = items[KEY, i]
            x -= program.rows[r, 3 * i] * tables.vertices[v, 0]
            y -= program.rows[r, 3 * i + 1] * tables.vertices[v, 1]
            z -= program.rows[r, 3 * i + 2] * tables.vertices[v, 2]
        vectors[RIGHT, r] = x + y + z


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


@renew_values.twin
def _renew_values(inverse, vectors):
    """`renew_values` by one product."""
    vectors[X] = inverse @ vectors[RIGHT]


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
            gain = gain_of(tables, program, items, base, j)
        if gain != 0.0:
            for r in range(m):
                vectors[Y, r] -= gain * inverse[j, r]


@inlined
def refresh(tables, program, work, items, base, columns, inverse, vectors, along):
    """Recompute everything that follows from a basis; False when it is singular."""
    regular = invert(columns, inverse, work.matrix)
    if regular:
        renew_right(tables, program, items, vectors)
        renew_values(inverse, vectors)
        renew_multipliers(tables, program, items, base, inverse, vectors)
        directions(program.rows, vectors[Y], along)
    return regular


@kernel
def swap_key(program, items, base, columns, inverse, vectors, column):
    """Make the basic vertex of `column` the key, at its point or of its whole item; the old key takes its column."""
    m, i, point = len(inverse), base[WHO, column], base[POINT, column]
    first, last = (i, i + program.points[i]) if point == WHOLE else (point, point + 1)
    for p in range(first, last):
        old = items[KEY, p]
        items[KEY, p] = base[VERTEX + p - first, column]
        base[VERTEX + p - first, column] = old
    rest = 1.0
    for j in range(m):
        if base[WHO, j] == i and (base[POINT, j] == WHOLE or base[POINT, j] == point):
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
def leaving(program, items, base, inverse, vectors, banned, rest):
    """(column, violation) of the variable that leaves; -1 when all are in bounds.

    Column m + p is the key at point p; where that has no basic vertex, the key of the item that begins there.
    """
    m = len(inverse)
    best, choice, amount = 0.0, np.int64(-1), 0.0
    for j in range(1, m):
        if base[WHO, j] >= 0:
            rest[0, base[WHO, j]] = 1.0
            if base[POINT, j] >= 0:
                rest[1, base[POINT, j]] = 0.0
    for j in range(1, m):
        who, x = base[WHO, j], vectors[X, j]
        out, slack = -x, PRIMAL_TOLERANCE
        if who == ARTIFICIAL:
            out = abs(x)
        else:
            slack = program.slack[who]
            if base[POINT, j] >= 0:
                rest[1, base[POINT, j]] += x
            else:
                rest[0, who] -= x
        if out > slack and not banned[j]:
            norm = 0.0
            for r in range(m):
                norm += inverse[j, r] * inverse[j, r]
            if out * out > best * norm:
                best, choice, amount = out * out / norm, j, out
    for j in range(1, m):
        who = base[WHO, j]
        if who < 0:
            continue
        point = base[POINT, j]
        left = rest[0, who] if point == WHOLE else rest[0, who] - rest[1, point]
        at = who if point == WHOLE else point
        if point == WHOLE:
            for p in range(who, who + program.points[who]):
                if items[MIXED, p] > 0:
                    left = 0.0  # the keys at the points say it
        if left < -program.slack[who] and not banned[m + at]:
            norm = 0.0
            for r in range(m):
                part = 0.0
                for h in range(1, m):
                    if base[WHO, h] == who and (base[POINT, h] == WHOLE or base[POINT, h] == point):
                        part += inverse[h, r]
                norm += part * part
            if left * left > best * norm:
                best, choice, amount = left * left / norm, m + at, -left
            if point >= 0:
                rest[1, point] = rest[0, who]  # seen
    return choice, amount


@inlined
def forget_column(items, base, column):
    """The vertex of a basic column no longer counts."""
    if base[WHO, column] >= 0:
        if base[POINT, column] == WHOLE:
            items[WHOLES, base[WHO, column]] -= 1
        else:
            items[MIXED, base[POINT, column]] -= 1


@inlined
def exchange(tables, program, work, items, base, columns, inverse, vectors, column, who, point):
    """Let item who's vertices in work.found[1], at a point or at all, take the place of `column`.

    False when the pivot is too small to trust.
    """
    m = len(inverse)
    entering, solved = work.column, work.solved
    for r in range(m):
        entering[r] = 0.0
    first, last = (who, who + program.points[who]) if point == WHOLE else (point, point + 1)
    for p in range(first, last):
        vertex, key = work.found[1, p - first], items[KEY, p]
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
        forget_column(items, base, column)
        base[WHO, column], base[POINT, column] = who, point
        for p in range(last - first):
            base[VERTEX + p, column] = work.found[1, p]
        if point == WHOLE:
            items[WHOLES, who] += 1
        else:
            items[MIXED, point] += 1
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
def move(work, vectors, along, t):
    """Move y by t delta, and M_i^T y with it."""
    for r in range(vectors.shape[1]):
        vectors[Y, r] += t * work.delta[r]
    for c in range(len(along)):
        along[c] += t * work.pace[c]


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

    A key (column m + p) first changes places with the heaviest basic vertex of its point, or of its item.
    """
    m = len(inverse)
    if column >= m:
        p, most = column - m, -np.inf
        for j in range(1, m):
            own = base[POINT, j] == p if items[MIXED, p] > 0 else base[POINT, j] == WHOLE and base[WHO, j] == p
            if own and base[WHO, j] >= 0 and vectors[X, j] > most:
                column, most = j, vectors[X, j]
        swap_key(program, items, base, columns, inverse, vectors, column)
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
    supports, INFEASIBLE with a y that excludes every factor; STOPPED is the limit; FAILED means that rounding
    prevented an answer.
    """
    items, base, columns, inverse = frames.items[s], frames.base[s], frames.columns[s], frames.inverse[s]
    vectors, along, banned = frames.vectors[s], frames.along[s], work.banned
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
            bound = certified_bound(tables, program, items[MASK], items[KEY], vectors[Y], program.load, work)
            if bound <= cutoff:
                return PRUNED, bound, pivots
        if pivots >= limit:
            return STOPPED, factor, pivots
        column, amount = leaving(program, items, base, inverse, vectors, banned, work.rest)
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
        own, own_point = base[WHO, column], base[POINT, column]
        t, who, point, flips = line_search(
            tables,
            program,
            work,
            items,
            base,
            vectors,
            along,
            own,
            own_point,
            amount,
            length(vectors[Y]),
            length(work.delta),
        )
        if who >= 0 and exchange(tables, program, work, items, base, columns, inverse, vectors, column, who, point):
            move(work, vectors, along, t)
            renew_values(inverse, vectors)
            pivots += 1
            is_fresh = False
            renew = pivots % REFACTOR_EVERY == 0
            continue
        while flips > 0:  # no column can enter: undo the flips
            flips -= 1
            items[KEY, work.flipped[0, flips]] = work.flipped[1, flips]
        if not is_fresh:
            renew = True
            continue
        if who < 0:
            exclude(program, work, vectors)
            bound = certified_bound(tables, program, items[MASK], items[KEY], vectors[Y], work.solved, work)
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
    vectors, along, load = frames.vectors[s], frames.along[s], program.load
    n, m = items.shape[1], len(load)
    largest = 0
    for r in range(m):
        vectors[Y, r] = y[r]
        if abs(load[r]) > abs(load[largest]):
            largest = r
    directions(program.rows, vectors[Y], along)
    for i in range(n):
        items[MIXED, i], items[WHOLES, i] = 0, 0
        if program.points[i] > 0:
            item_support(tables, program, i, items[MASK, i], along, program.perturbation, work.best, work.memo)
            for p in range(program.points[i]):
                items[KEY, i + p] = work.best[0, p]
    for j in range(m):
        for r in range(m):
            columns[j, r] = inverse[j, r] = 0.0
    base[WHO, 0], base[POINT, 0], base[VERTEX, 0], vectors[GAIN, 0] = FACTOR, NOWHERE, -1, 0.0
    inverse[0, largest] = 1.0 / load[largest]
    unit = abs(load[largest])  # artificial columns as long as the load: their values are shares of it
    at = 1
    for r in range(m):
        columns[0, r] = load[r]
        if r != largest:
            base[WHO, at], base[POINT, at], base[VERTEX, at] = ARTIFICIAL, NOWHERE, -1
            vectors[GAIN, at] = -y[r] * unit
            columns[at, r], inverse[at, r] = unit, 1.0 / unit
            inverse[at, largest] = -load[r] / load[largest] / unit
            at += 1
    renew_right(tables, program, items, vectors)


@kernel
def turn(program, frames, s, least_cosine):
    """Put another load into the basis of slot s: y keeps its direction and is scaled.

    Returns the basic solution's factor (the bound that follows, where no artificial column is left), or -inf when y
    points away from the load.
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


@inlined
def drop_column(tables, program, items, base, vectors, j):
    """The vertex of basic column j becomes artificial: it must fall to zero."""
    vectors[GAIN, j] = gain_of(tables, program, items, base, j)
    forget_column(items, base, j)
    base[WHO, j], base[POINT, j], base[VERTEX, j] = ARTIFICIAL, NOWHERE, -1


@kernel
def restrict(tables, program, frames, work, s, i, mask):
    """Allow contact i only the pieces in `mask`, keeping the basis of slot s dual feasible; `run` afterwards.

    Columns of vertices that are no longer allowed become artificial: the pivots of `run` bring them to zero.
    """
    items, base, columns, inverse = frames.items[s], frames.base[s], frames.columns[s], frames.inverse[s]
    vectors, along = frames.vectors[s], frames.along[s]
    m, count, best = len(inverse), program.points[i], work.best
    items[MASK, i] = mask
    if not key_bits(tables, program, items, i) & mask:
        for j in range(1, m):  # a vertex at a point that makes the key an allowed one
            p = base[POINT, j]
            if base[WHO, j] == i and p >= 0:
                bits = tables.bits[base[VERTEX, j]] & mask
                for q in range(i, i + count):
                    if q != p:
                        bits &= tables.bits[items[KEY, q]]
                if bits:
                    swap_key(program, items, base, columns, inverse, vectors, j)
                    break
    if not key_bits(tables, program, items, i) & mask:
        for j in range(1, m):  # or a whole one; vertices at points go with the old key
            if base[WHO, j] == i and base[POINT, j] >= 0:
                drop_column(tables, program, items, base, vectors, j)
        for j in range(1, m):
            if base[WHO, j] == i and whole_bits(tables, program, base, j) & mask:
                swap_key(program, items, base, columns, inverse, vectors, j)
                break
    keep = key_bits(tables, program, items, i) & mask
    for j in range(1, m):
        if base[WHO, j] == i:
            bits = whole_bits(tables, program, base, j) & mask
            if base[POINT, j] >= 0 and count > 1:
                bits &= keep
                if bits:
                    keep = bits
            if not keep or not bits:
                drop_column(tables, program, items, base, vectors, j)
    if not keep:
        item_support(tables, program, i, mask, along, program.perturbation, best, work.memo)
        for p in range(count):
            set_key(tables, program, items, vectors, i + p, best[0, p])
    vectors[X, 0] = np.inf
