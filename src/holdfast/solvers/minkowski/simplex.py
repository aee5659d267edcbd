"""The simplex method over a sum: exchanges inside the pool, and a pricing of all vertices when the pool has no more.

Rows: six balances (scaled, see `solver.place`) and one convexity row for each hand that mixes vertices,

    sum T_j v_ji l_ji + sum T_j r_ji q_ji - z @ axes = base,      sum_i l_ji = 1,      l, q >= 0,  z free.

Any basis will do to start from: basic variables outside their bounds count with their distance (phase 1), then the
objective counts (phase 2). At the multipliers y of a basis that is best in the pool, the supports h_j of all hands
bound both: the objective by sum_j h_j(y) - y . base, and the distance of the base from the sum from below.

There are m = 6 + (hands that mix vertices) rows, so m is small and the dense inverse B^-1 is kept. Row i of `inverse`
belongs to the i-th basic variable; `columns[i]` is that variable's column. Kinds of basic variables: `COLUMN` (a
weight, >= 0), `FREE` (a coordinate of z) and `FIXED` (an artificial unit column, which has to be zero; it stays in the
basis where the sum spans less than all six dimensions).
"""

from __future__ import annotations

import numpy as np

from ...compiling import inlined, kernel, vectorised
from ..exact.simplex import invert
from .workspace import (
    BLOCK,
    BOUND,
    CANDIDATES,
    COLUMN,
    ENTERED,
    FIXED,
    FREE,
    PIVOTS,
    PRICINGS,
    ROUNDOFF,
    SIGN,
    SIZE,
    STARTED,
    STATUS,
    VALUE,
)

#: Outcomes of a run.
OPTIMAL, UNBOUNDED, EMPTY, UNDECIDED, STOPPED, GO_ON = 0, 1, 2, 3, 4, 5

#: A verdict that rounding may have changed by more than this share of the base is not clear of it.
UNCLEAR = 1e-12

#: Weights may be negative, and balances off, by this share of the size of forces.
FEASIBLE = 4e-12

#: The balance of a returned answer is off by no more than this share of the size of forces.
BALANCED = 2e-11

#: A column enters when its score exceeds this share of the multipliers.
IMPROVING = 1e-12

#: The same where values are judged finely.
JUST_IMPROVING = 2e-15

#: A base lies outside the sum when separated by this share of the size of forces, in the metric of the multipliers.
APART = 1e-12

#: A plane that rays slope through proves something only if the base is further away than rays reach at this many times
#: the size of forces: slopes that are rounding add up where a sum is flat.
FARTHEST = 1e4

#: As `APART`, where values within `FEASIBLE` did not decide: a few roundings.
JUST_APART = 2e-14

#: How carefully values are judged: by `FEASIBLE`; by what rounding may have made of them; by `FEASIBLE` for good.
COARSE, FINE, FINAL = 0, 1, 2

#: Exchanges under the fine judgement before it is given up, and further ones per row.
FINE_EXCHANGES, FINE_EXCHANGES_PER_ROW = 40, 4

#: A pivot below this share of the largest entry of its column asks for a fresh inverse.
RISKY = 1e-6

#: Exchanges between fresh inverses.
REFRESH = 50

#: Exchanges that change nothing before the values are perturbed, and by how much; how often before Bland's rule.
STALLED, PERTURBATION, PERTURBATIONS = 20, 1e-9, 2

#: A pivot below this share of its column's largest entry is rounding.
PIVOT = 1e-9

#: The same for a variable outside its bounds that reaches them before any other stops the step: it would have to have
#: been as close to them, so that a small pivot there is one that matters.
PIVOT_HOME = 2e-14

#: A sum of distances falls no further when its slope is below this share of the first one.
LEVEL = 1e-12

#: A coordinate of z enters the first basis by a pivot of at least this.
FIRST_PIVOT = 1e-9

#: Rounding of a scaled column, as a share of its largest entry: a few roundings of the maps and of the products.
ROUNDED = 8.0 * 2.220446049250313e-16

#: Rows of a basis whose largest entry is below this are rounding, and are not scaled up before an inversion.
NO_ROW = 1e-14


# -- columns of the pool -------------------------------------------------------------------------


@inlined
def fill_columns(pool, source, hand, begin, end):
    """World coordinates of the items in the slots `begin` to `end`, columns of `source` (6, n); not of empty slots."""
    world, maps = pool.world, pool.maps
    for slot in range(begin, end):
        item = pool.items[slot]
        if item < 0:
            continue
        v0, v1, v2 = source[0, item], source[1, item], source[2, item]
        v3, v4, v5 = source[3, item], source[4, item], source[5, item]
        for r in range(6):
            world[r, slot] = (
                maps[hand, r, 0] * v0
                + maps[hand, r, 1] * v1
                + maps[hand, r, 2] * v2
                + maps[hand, r, 3] * v3
                + maps[hand, r, 4] * v4
                + maps[hand, r, 5] * v5
            )


@vectorised
def fill_run(maps, hand, source, first, count, world, begin):
    """`fill_columns` of `count` items that follow one another in `source`, from `first` on, into slots from `begin` on.

    Places are unsigned here: one that might count from the end makes the processor take one column at a time.
    """
    a0, a1, a2 = maps[hand, 0, 0], maps[hand, 0, 1], maps[hand, 0, 2]  # torques give no forces, see (13)
    b0, b1, b2 = maps[hand, 1, 0], maps[hand, 1, 1], maps[hand, 1, 2]
    c0, c1, c2 = maps[hand, 2, 0], maps[hand, 2, 1], maps[hand, 2, 2]
    at, to = np.uint64(first), np.uint64(begin)
    for i in range(np.uint64(count)):
        v0, v1, v2 = source[0, at + i], source[1, at + i], source[2, at + i]
        world[0, to + i] = a0 * v0 + a1 * v1 + a2 * v2
        world[1, to + i] = b0 * v0 + b1 * v1 + b2 * v2
        world[2, to + i] = c0 * v0 + c1 * v1 + c2 * v2
    for r in range(3, 6):
        m0, m1, m2 = maps[hand, r, 0], maps[hand, r, 1], maps[hand, r, 2]
        m3, m4, m5 = maps[hand, r, 3], maps[hand, r, 4], maps[hand, r, 5]
        for i in range(np.uint64(count)):
            world[r, to + i] = (
                (m0 * source[0, at + i] + m1 * source[1, at + i])
                + (m2 * source[2, at + i] + m3 * source[3, at + i])
                + (m4 * source[4, at + i] + m5 * source[5, at + i])
            )


@fill_run.twin
def _fill_run(maps, hand, source, first, count, world, begin):
    """`fill_run` by one product."""
    world[:, begin : begin + count] = maps[hand] @ source[:, first : first + count]


@kernel
def fill_hand(tables, pool, hand):
    """World coordinates of all columns of a hand."""
    for part in range(2):
        source = tables.vertices if part == 0 else tables.rays
        begin = tables.slots[hand, 2 * part]
        end = tables.slots[hand, 2] if part == 0 else tables.ends[hand]
        if tables.whole[tables.shape_of[hand], part] == 1 and begin < end:
            fill_run(pool.maps, hand, source, pool.items[begin], end - begin, pool.world, begin)
        else:
            fill_columns(pool, source, hand, begin, end)


@kernel
def add_to_pool(tables, pool, hand, part, item):
    """Put a vertex (part 0) or ray (part 1) of a hand into its extra slots; False where it is there or has no room."""
    begin = tables.slots[hand, 2 * part]
    first = tables.slots[hand, 2 * part + 1]
    end = tables.slots[hand, 2] if part == 0 else tables.ends[hand]
    for slot in range(begin, end):
        if pool.items[slot] == item:
            return False
    k = len(tables.shape_of)
    slot = pool.next[hand, part]
    for _ in range(first, end):
        if slot >= end:
            slot = first
        if pool.basic[slot] == 0:
            pool.items[slot] = item
            pool.rows[slot] = hand if part == 0 else k
            fill_columns(pool, tables.vertices if part == 0 else tables.rays, hand, slot, slot + 1)
            pool.next[hand, part] = slot + 1
            return True
        slot += 1
    return False


# -- pricing -------------------------------------------------------------------------------------

# Vertices stay in the hands' frames: a hand's support in the world direction y is its shape's support in T^T y. They
# are stored coordinate by coordinate, (6, n), so that the processor takes several at a time, and in blocks that lie
# close together, so that a ball round each shows which blocks cannot matter.


@vectorised
def pool_scores(world, offsets, rows, y, count, scores):
    """scores[c] = offsets[rows[c]] + y . world[:, c] for the first `count` columns; returns the largest."""
    y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
    best = -np.inf
    for c in range(count):
        score = (
            offsets[rows[c]]
            + (y0 * world[0, c] + y1 * world[1, c])
            + (y2 * world[2, c] + y3 * world[3, c])
            + (y4 * world[4, c] + y5 * world[5, c])
        )
        scores[c] = score
        best = max(best, score)
    return best


@pool_scores.twin
def _pool_scores(world, offsets, rows, y, count, scores):
    """`pool_scores` by one product."""
    scores[:count] = offsets[rows[:count]] + y[:6] @ world[:6, :count]
    return scores[:count].max(initial=-np.inf)


@inlined
def first_above(scores, count, threshold):
    """The first column with at least this score."""
    found = -1
    for c in range(count):
        if scores[c] >= threshold:
            found = c
            break
    return found


@vectorised
def block_support(table, start, stop, g):
    """Largest g . v of the vertices `start` to `stop`."""
    g0, g1, g2, g3, g4, g5 = g[0], g[1], g[2], g[3], g[4], g[5]
    best = -np.inf
    for i in range(start, stop):
        value = (
            (g0 * table[0, i] + g1 * table[1, i])
            + (g2 * table[2, i] + g3 * table[3, i])
            + (g4 * table[4, i] + g5 * table[5, i])
        )
        best = max(best, value)
    return best


@block_support.twin
def _block_support(table, start, stop, g):
    """`block_support` by one product."""
    return (g[:6] @ table[:6, start:stop]).max(initial=-np.inf)


@inlined
def to_hand(maps, hand, y, g):
    """g = T^T y: a world direction in the frame of a hand."""
    for c in range(6):
        total = 0.0
        for r in range(6):
            total += maps[hand, r, c] * y[r]
        g[c] = total


@inlined
def value_at(table, i, g):
    """g . v of one vertex."""
    total = 0.0
    for r in range(6):
        total += g[r] * table[r, i]
    return total


@inlined
def best_of_block(table, start, stop, g):
    """(index, value) of the largest g . v among `start` to `stop`."""
    best, top = start, -np.inf
    for i in range(start, stop):
        value = value_at(table, i, g)
        if value > top:
            best, top = i, value
    return best, top


@inlined
def price_all(tables, maps, local, offsets, tops, blocks, y):
    """Best blocks of all hands at y into `tops` and `blocks`, best first; -inf where no more rise above the level."""
    k = len(local)
    for j in range(k):
        to_hand(maps, j, y, local[j])
        for c in range(CANDIDATES):
            tops[j, c], blocks[j, c] = -np.inf, -1
    for s in range(len(tables.first) - 1):
        if tables.whole[s, 0] == 1:
            continue
        begin, end = tables.hand_first[s], tables.hand_first[s + 1]
        for block in range(tables.first_block[s], tables.first_block[s + 1]):
            start = tables.first[s] + (block - tables.first_block[s]) * BLOCK
            stop = min(start + BLOCK, tables.first[s + 1])
            for at in range(begin, end):
                j = tables.hands[at]
                g = local[j]
                size = 0.0
                for r in range(6):
                    size += (g[r] * tables.spread[s, r]) ** 2
                level = max(-offsets[j], tops[j, CANDIDATES - 1])
                if value_at(tables.centres, block, g) + tables.radii[block] * np.sqrt(size) <= level:
                    continue
                top = block_support(tables.vertices, start, stop, g)
                if top > level:
                    c = CANDIDATES - 1
                    while c > 0 and tops[j, c - 1] < top:
                        tops[j, c], blocks[j, c] = tops[j, c - 1], blocks[j, c - 1]
                        c -= 1
                    tops[j, c], blocks[j, c] = top, block


@inlined
def add_candidates(tables, pool, basis, least):
    """Take the best vertices of the best blocks, and the best rays, into the pool; how many were new."""
    new = 0
    for j in range(len(tables.shape_of)):
        s = tables.shape_of[j]
        g = basis.local[j]
        for c in range(CANDIDATES):
            block = basis.blocks[j, c]
            if block < 0 or basis.tops[j, c] + basis.offsets[j] <= least:
                continue
            first = tables.first[s] + (block - tables.first_block[s]) * BLOCK
            item, _ = best_of_block(tables.vertices, first, min(first + BLOCK, tables.first[s + 1]), g)
            if add_to_pool(tables, pool, j, 0, item):
                new += 1
        if tables.whole[s, 1] == 0:
            item, top = best_of_block(tables.rays, tables.ray_first[s], tables.ray_first[s + 1], g)
            if top > least and add_to_pool(tables, pool, j, 1, item):
                new += 1
    return new


@inlined
def ray_slope(tables, local):
    """Steepest slope of all rays of hands whose rays are not all in the pool, at the multipliers in hand frames."""
    top = -np.inf
    for j in range(len(local)):
        s = tables.shape_of[j]
        if tables.whole[s, 1] == 0:
            top = max(top, block_support(tables.rays, tables.ray_first[s], tables.ray_first[s + 1], local[j]))
    return top


# -- the inverse ---------------------------------------------------------------------------------


@inlined
def apply_inverse(inverse, right, out):
    """out = B^-1 right: the basic variables' values; of a column that enters, how they change, with opposite sign."""
    m = len(inverse)
    for i in range(m):
        total = 0.0
        for r in range(m):
            total += inverse[i, r] * right[r]
        out[i] = total


@inlined
def multipliers(inverse, costs, y):
    """y = -costs B^-1: a column a with gain c improves the sum of costs while c + y . a > 0."""
    m = len(inverse)
    for r in range(m):
        y[r] = 0.0
    for i in range(m):
        cost = costs[i]
        if cost != 0.0:
            for r in range(m):
                y[r] -= cost * inverse[i, r]


@inlined
def exchange(inverse, alpha, row):
    """Update B^-1 after the column with B^-1 a = alpha has taken the place of the basic variable `row`."""
    m = len(inverse)
    scale = 1.0 / alpha[row]
    for r in range(m):
        inverse[row, r] *= scale
    for i in range(m):
        factor = alpha[i]
        if i != row and factor != 0.0:
            for r in range(m):
                inverse[i, r] -= factor * inverse[row, r]


@exchange.twin
def _exchange(inverse, alpha, row):
    """`exchange` by one outer product, with the same rounding."""
    inverse[row] *= 1.0 / alpha[row]
    factors = alpha.copy()
    factors[row] = 0.0
    inverse -= np.outer(factors, inverse[row])


# -- rounding ------------------------------------------------------------------------------------

# Values x = B^-1 b computed from the inverse miss the balance by rounding times the condition of the basis; one step of
# refinement removes that. What is left is the effect of rounding of the columns themselves: a basic value below that
# cannot be distinguished from zero, in whatever form the program is written.


@inlined
def largest(y):
    """Largest absolute entry."""
    size = 0.0
    for r in range(len(y)):
        size = max(size, abs(y[r]))
    return size


@inlined
def absolute_sum(y):
    """Sum of absolute entries."""
    total = 0.0
    for r in range(len(y)):
        total += abs(y[r])
    return total


@inlined
def refine(columns, inverse, right, x, residual):
    """x += B^-1 (right - B x), one step of iterative refinement; `residual` (m,) is scratch."""
    m = len(x)
    for r in range(m):
        residual[r] = right[r]
    for i in range(m):
        for r in range(m):
            residual[r] -= columns[i, r] * x[i]
    for i in range(m):
        total = 0.0
        for r in range(m):
            total += inverse[i, r] * residual[r]
        x[i] += total


@inlined
def stretch_rows(columns, scales):
    """Scale each row of the basis to a largest entry near 1, by powers of two; `scales` (m,) says by how much."""
    m = len(columns)
    for r in range(m):
        size = 0.0
        for i in range(m):
            size = max(size, abs(columns[i, r]))
        scales[r] = 1.0
        if NO_ROW < size < 0.125 or 8.0 < size < 1.0 / NO_ROW:
            scales[r] = 2.0 ** -np.floor(np.log2(size))
            for i in range(m):
                columns[i, r] *= scales[r]


@inlined
def restore_rows(columns, inverse, scales):
    """Undo `stretch_rows`, and make the inverse of the stretched basis that of the basis itself."""
    m = len(columns)
    for r in range(m):
        if scales[r] != 1.0:
            for i in range(m):
                columns[i, r] /= scales[r]
                inverse[i, r] *= scales[r]


@inlined
def allow_rounding(columns, inverse, right, x, roundoff, most, margins):
    """margins (m,): how far each basic value may be off by rounding of columns and right side, at most `most`.

    A value within its margin cannot be distinguished from zero.

    Args:
        columns, inverse, right, x: the basis and its values.
        roundoff: what far-off places add to the rounding of every row.
        most: no margin is larger than this.
        margins: where they go.
    """
    size = largest(right)
    for i in range(len(x)):
        size += largest(columns[i]) * abs(x[i])
    for i in range(len(x)):
        margins[i] = min(most, (ROUNDED * size + roundoff) * absolute_sum(inverse[i]))


@inlined
def within(kinds, x, margins):
    """Whether no weight is below zero, and no artificial column off it, by more than its margin."""
    for i in range(len(x)):
        if kinds[i] == COLUMN:
            if x[i] < -margins[i]:
                return False
        elif kinds[i] != FREE and abs(x[i]) > margins[i]:
            return False
    return True


@inlined
def drop_noise(inverse, column, alpha, roundoff):
    """Put entries of alpha = B^-1 column to zero that rounding of the column, and `roundoff`, could have made."""
    noise = (8.0 * ROUNDED + 2.0 * roundoff) * largest(column)
    for i in range(len(alpha)):
        if abs(alpha[i]) <= noise * absolute_sum(inverse[i]):
            alpha[i] = 0.0


# -- the ratio test ------------------------------------------------------------------------------

# In phase 1 basic variables may be outside their bounds; each counts with its distance, and one that reaches its bound
# on the way need not stop the step: it goes on while the sum of distances still falls.


@inlined
def leaving(kinds, x, alpha, sign, slope, margins, passed, pivot_share, home_share):
    """(row, step) for the entering direction sign * alpha; row -1: nothing stops it.

    Args:
        kinds: (m,) kinds of the basic variables.
        x: (m,) their values.
        alpha: (m,) B^-1 a.
        sign: +1.0, or -1.0 for a free column that falls.
        slope: how fast the objective grows, > 0.
        margins: (m,) by which values may be outside their bounds.
        passed: (m,) scratch.
        pivot_share: pivots below this share of the largest are none; `PIVOT` unless alpha is known to be clean.
        home_share: the same for variables outside their bounds, `PIVOT_HOME` or `PIVOT`.
    """
    m = len(x)
    size = max(1.0, largest(alpha))
    least = pivot_share * size
    # those inside their bounds stop the step: the largest pivot among those that tie within the tolerance
    limit = np.inf
    for i in range(m):
        v = sign * alpha[i]
        passed[i] = 1.0
        if kinds[i] == FREE or abs(v) <= home_share * size:
            continue
        if x[i] < -margins[i] or (kinds[i] != COLUMN and x[i] > margins[i]):
            if x[i] * v > 0.0:
                passed[i] = 0.0
        elif abs(v) > least:
            if kinds[i] != COLUMN:
                limit = 0.0
            elif v > 0.0:
                limit = min(limit, (max(x[i], 0.0) + margins[i]) / v)
    row, step, best = -1, np.inf, 0.0
    if limit < np.inf:
        for i in range(m):
            v = sign * alpha[i]
            if kinds[i] == FREE or abs(v) <= least or abs(v) <= best:
                continue
            if kinds[i] == COLUMN:
                if x[i] >= -margins[i] and v > 0.0 and max(x[i], 0.0) / v <= limit:
                    row, step, best = i, max(x[i], 0.0) / v, abs(v)
            elif abs(x[i]) <= margins[i]:
                row, step, best = i, 0.0, abs(v)
    # those outside reach their bounds on the way
    left = slope
    while True:
        home, at = -1, step
        for i in range(m):
            if passed[i] == 0.0 and x[i] / (sign * alpha[i]) < at:
                home, at = i, x[i] / (sign * alpha[i])
        if home < 0:
            break
        passed[home] = 1.0
        left -= abs(alpha[home]) if kinds[home] == COLUMN else 2.0 * abs(alpha[home])
        if left <= LEVEL * slope:
            row, step = home, at
            break
    return row, step


# -- the method ----------------------------------------------------------------------------------


@inlined
def column_of(tables, pool, basis, kind, which, out):
    """The column of a variable: slot, coordinate of z, or row `which`."""
    for r in range(len(out)):
        out[r] = 0.0
    if kind == COLUMN:
        for r in range(6):
            out[r] = pool.world[r, which]
        if pool.rows[which] < len(tables.row_of):
            out[tables.row_of[pool.rows[which]]] = 1.0
    elif kind == FREE:
        for r in range(6):
            out[r] = -basis.axes[which, r]
    else:
        out[which] = 1.0


@kernel
def renew(tables, pool, basis):
    """Columns, inverse and values from the kinds and indices of a basis; False when it is singular."""
    for i in range(len(basis.kinds)):
        column_of(tables, pool, basis, basis.kinds[i], basis.index[i], basis.columns[i])
    stretch_rows(basis.columns, basis.scratch)
    ok = invert(basis.columns, basis.inverse, basis.work)
    restore_rows(basis.columns, basis.inverse, basis.scratch)
    apply_inverse(basis.inverse, basis.right, basis.x)
    refine(basis.columns, basis.inverse, basis.right, basis.x, basis.scratch)
    return ok


@kernel
def start(tables, pool, basis, p):
    """A first basis: a vertex of every hand that lies towards the base, the axes, and artificial columns."""
    kinds, index, inverse = basis.kinds, basis.index, basis.inverse
    m, k = len(kinds), len(tables.shape_of)
    alpha, entering = basis.alpha, basis.entering
    pool.basic[:] = 0
    basis.basic_z[:] = 0
    inverse[:] = 0.0
    for i in range(m):
        kinds[i], index[i] = FIXED, i
        inverse[i, i] = 1.0
    basis.offsets[:] = 0.0
    basis.offsets[k + 1] = -np.inf
    pool_scores(pool.world, basis.offsets, pool.rows, basis.right, len(pool.scores), pool.scores)
    for j in range(k):
        row = tables.row_of[j]
        if row < 0:
            continue
        best = tables.slots[j, 0]
        for slot in range(tables.slots[j, 0], tables.slots[j, 2]):
            if pool.scores[slot] > pool.scores[best]:
                best = slot
        kinds[row], index[row] = COLUMN, best
        pool.basic[best] = 1
        for r in range(6):
            inverse[r, row] = -pool.world[r, best]
    for i in range(p):
        column_of(tables, pool, basis, FREE, i, entering)
        apply_inverse(inverse, entering, alpha)
        row, size = -1, FIRST_PIVOT
        for r in range(m):
            if kinds[r] == FIXED and abs(alpha[r]) > size:
                row, size = r, abs(alpha[r])
        if row >= 0:
            exchange(inverse, alpha, row)
            kinds[row], index[row] = FREE, i
            basis.basic_z[i] = 1
    basis.state[STARTED] = p


@inlined
def assess(kinds, index, gains, x, margins, costs):
    """Costs of the basic variables and the sum of distances from their bounds; the objective where there are none."""
    outside = 0.0
    for i in range(len(x)):
        costs[i] = 0.0
        if kinds[i] != FREE:
            if x[i] < -margins[i]:
                costs[i] = 1.0
                outside -= x[i]
            elif kinds[i] == FIXED and x[i] > margins[i]:
                costs[i] = -1.0
                outside += x[i]
    if outside == 0.0:
        for i in range(len(x)):
            if kinds[i] == FREE:
                costs[i] = gains[index[i]]
    return outside


@inlined
def imbalance(kinds, columns, x, right):
    """Largest residual of the rows when weights below zero and artificial columns are left out."""
    worst = 0.0
    for r in range(len(right)):
        total = -right[r]
        for i in range(len(x)):
            if kinds[i] == FREE:
                total += columns[i, r] * x[i]
            elif kinds[i] == COLUMN:
                total += columns[i, r] * max(x[i], 0.0)
        worst = max(worst, abs(total))
    return worst


@inlined
def pivot(tables, pool, basis, kind, who, sign, slope, fresh, cautious):
    """Exchange the entering variable for the one that stops it; (row, step), row -1 when nothing does.

    With a `fresh` inverse, -1 means that every pivot is rounding; else, and when `cautious`, small pivots are ignored.
    """
    kinds, index = basis.kinds, basis.index
    x, alpha, entering = basis.x, basis.alpha, basis.entering
    column_of(tables, pool, basis, kind, who, entering)
    apply_inverse(basis.inverse, entering, alpha)
    home = PIVOT if cautious else min(PIVOT, PIVOT_HOME + 2.0 * basis.numbers[ROUNDOFF])
    row, step = leaving(kinds, x, alpha, sign, slope, basis.margin, basis.scratch, PIVOT, home)
    if row < 0 and fresh and not cautious:
        drop_noise(basis.inverse, entering, alpha, basis.numbers[ROUNDOFF])
        row, step = leaving(kinds, x, alpha, sign, slope, basis.margin, basis.scratch, 0.0, home)
    if row >= 0:
        for i in range(len(x)):
            x[i] -= step * sign * alpha[i]
        x[row] = sign * step
        exchange(basis.inverse, alpha, row)
        if kinds[row] == COLUMN:
            pool.basic[index[row]] = 0
        kinds[row], index[row] = kind, who
        for r in range(len(x)):
            basis.columns[row, r] = entering[r]
        if kind == COLUMN:
            pool.basic[who] = 1
        else:
            basis.basic_z[who] = 1
    return row, step


@inlined
def objective_value(kinds, index, gains, x):
    """Objective of the basic values."""
    value = 0.0
    for i in range(len(x)):
        if kinds[i] == FREE:
            value += gains[index[i]] * x[i]
    return value


@inlined
def magnitude(kinds, x, size):
    """Size of the wrench that is asked for, base and axes: what is rounding and what is not depends on it."""
    top = size
    for i in range(len(x)):
        if kinds[i] == FREE:
            top = max(top, abs(x[i]))
    return top


@inlined
def conclude(basis, status):
    """The last check of a point: its balance, and its value; a point that fails is not returned."""
    x, numbers = basis.x, basis.numbers
    allowed = (BALANCED + numbers[ROUNDOFF]) * magnitude(basis.kinds, x, numbers[SIZE])
    basis.margin[:] = allowed
    outside = assess(basis.kinds, basis.index, basis.gains, x, basis.margin, basis.cost)
    if outside > 0.0 or imbalance(basis.kinds, basis.columns, x, basis.right) > allowed:
        numbers[VALUE] = -np.inf
        status = UNDECIDED
    else:
        numbers[VALUE] = objective_value(basis.kinds, basis.index, basis.gains, x)
    return status


@inlined
def choose_entering(tables, pool, basis, p, outside, first_come, improving):
    """(kind, who, sign, slope, top) of the column to enter, who -1 if none improves; top is the best score of the pool.

    A free coordinate outside the basis comes first; of the pool the best column, or with `first_come` the first one.
    """
    y, offsets = basis.y, basis.offsets
    multipliers(basis.inverse, basis.cost, y)
    least = improving * max(1.0, largest(y))
    for j in range(len(tables.shape_of)):
        offsets[j] = y[tables.row_of[j]] if tables.row_of[j] >= 0 else 0.0
    kind, who, sign, slope = COLUMN, -1, 1.0, 0.0
    for i in range(p):
        if basis.basic_z[i] == 0:
            score = basis.gains[i] if outside == 0.0 else 0.0
            for r in range(6):
                score -= y[r] * basis.axes[i, r]
            if abs(score) > max(least, slope):
                kind, who, sign, slope = FREE, i, np.sign(score), abs(score)
    count = len(pool.scores)
    top = pool_scores(pool.world, offsets, pool.rows, y, count, pool.scores)
    if who < 0 and top > least:
        who = first_above(pool.scores, count, least if first_come else top)
        slope = pool.scores[who]
    return kind, who, sign, slope, top


@inlined
def price_everything(tables, pool, basis, top, outside, stop_below, apart, improving):
    """Price all vertices at the multipliers of the basis: bounds, and new columns; the outcome, or GO_ON."""
    y, right, numbers = basis.y, basis.right, basis.numbers
    least = improving * max(1.0, largest(y))
    price_all(tables, pool.maps, basis.local, basis.offsets, basis.tops, basis.blocks, y)
    bound, length = 0.0, 0.0
    for j in range(len(tables.shape_of)):
        if tables.row_of[j] >= 0:
            bound += max(basis.tops[j, 0], -basis.offsets[j])
            if tables.whole[tables.shape_of[j], 0] == 1:
                bound += max(top, 0.0)
    for r in range(6):
        bound -= y[r] * right[r]
        length = max(length, abs(y[r]))
    slope, status = max(0.0, ray_slope(tables, basis.local)), GO_ON
    for j in range(len(tables.shape_of)):
        for slot in range(tables.slots[j, 2], tables.ends[j]):
            if pool.items[slot] >= 0:
                slope = max(slope, pool.scores[slot])
    closed = slope <= least
    if closed and outside > 0.0:
        if -bound > ((apart + numbers[ROUNDOFF]) * length + FARTHEST * slope) * numbers[SIZE]:
            status, numbers[BOUND] = EMPTY, bound
    elif closed:
        if bound < numbers[BOUND]:
            numbers[BOUND] = bound
            for r in range(6):
                basis.best_y[r] = y[r]
        if bound <= stop_below:
            status = STOPPED
    if status == GO_ON and add_candidates(tables, pool, basis, least) == 0:
        status = OPTIMAL
    return status


@inlined
def perturb(kinds, x, turn):
    """Move basic weights at zero off it, each by another amount, so that exchanges make progress."""
    for i in range(len(x)):
        if kinds[i] == COLUMN and abs(x[i]) <= PERTURBATION:
            x[i] = PERTURBATION * (1.0 + ((i * 7 + turn * 3) % 11) / 11.0)


@inlined
def refresh(tables, pool, basis, care):
    """Fresh inverse and values of the basis, and margins where judged finely; (whether it is regular, its scale)."""
    ok, numbers = renew(tables, pool, basis), basis.numbers
    scale = magnitude(basis.kinds, basis.x, numbers[SIZE])
    if care == FINE:
        set_margins(basis, (FEASIBLE + numbers[ROUNDOFF]) * scale)
    return ok, scale


@inlined
def set_margins(basis, most):
    """Margins of the basic values by rounding alone, `most` at the most."""
    roundoff = basis.numbers[ROUNDOFF] * basis.numbers[SIZE]
    allow_rounding(basis.columns, basis.inverse, basis.right, basis.x, roundoff, most, basis.margin)


@inlined
def is_feasible(basis, tolerance):
    """Whether the basic values, refined, are outside their bounds by no more than rounding."""
    refine(basis.columns, basis.inverse, basis.right, basis.x, basis.scratch)
    set_margins(basis, tolerance)
    sound = within(basis.kinds, basis.x, basis.margin)
    basis.margin[:] = tolerance
    return sound


@inlined
def is_clear(basis, least):
    """Whether the weights of a base in the sum are positive whatever rounding has done, or rounding is below `least`.

    Weights that are positive by tolerance alone are not clear.
    """
    set_margins(basis, np.inf)
    for i in range(len(basis.x)):
        value, margin = basis.x[i], basis.margin[i]
        if basis.kinds[i] == COLUMN:
            if not (value > margin or (value >= -margin and margin <= least)):
                return False
        elif not (abs(value) <= margin <= least):
            return False
    return True


@inlined
def is_far(basis):
    """Whether a base outside the sum is separated from it by more than `APART`."""
    return basis.numbers[BOUND] < -(APART + basis.numbers[ROUNDOFF]) * basis.numbers[SIZE] * largest(basis.y[:6])


@kernel
def run(tables, pool, basis, p, stop_above, stop_below, limit):
    """Solve from the basis as it stands; the outcome and all figures are left in `basis.state` and `basis.numbers`.

    At the end `basis.x` are the basic values; the multipliers of the bound are `basis.best_y`, those of the proof
    that the sum does not reach the base are `basis.y`. Values that are feasible by the tolerance alone, and not by
    rounding, are judged again, finely; those that cannot be distinguished from feasible ones then count as feasible.
    """
    state, numbers, kinds, index = basis.state, basis.numbers, basis.kinds, basis.index
    x = basis.x
    loosest = tolerance = 0.0
    state[PIVOTS] = state[PRICINGS] = 0
    numbers[VALUE], numbers[BOUND] = -np.inf, np.inf
    age, idle, perturbed, times, slack = REFRESH, 0, False, 0, 1.0
    status, care, patience, cautious = UNDECIDED, COARSE, limit, False
    while state[PIVOTS] < limit:
        if age >= REFRESH:
            age, perturbed = 0, False
            ok, scale = refresh(tables, pool, basis, care)
            if not ok:
                start(tables, pool, basis, p)
                age, cautious = REFRESH, cautious or state[PIVOTS] > 0  # a pivot was too small: none such again
                state[PIVOTS] += 1
                continue
            loosest, tolerance = (BALANCED + numbers[ROUNDOFF]) * scale, (FEASIBLE + numbers[ROUNDOFF]) * scale * slack
            if care != FINE:
                basis.margin[:] = tolerance
        outside = assess(kinds, index, basis.gains, x, basis.margin, basis.cost)
        if outside == 0.0 and not perturbed and (p == 0 or objective_value(kinds, index, basis.gains, x) >= stop_above):
            if care == COARSE and not is_feasible(basis, tolerance):
                care, age, patience = FINE, REFRESH, state[PIVOTS] + FINE_EXCHANGES + FINE_EXCHANGES_PER_ROW * len(x)
                continue
            if imbalance(kinds, basis.columns, x, basis.right) <= loosest:
                status = OPTIMAL if p == 0 else STOPPED
                break
            if age > 0:
                age = REFRESH
                continue
        first_come = times > PERTURBATIONS and idle > STALLED
        improving = JUST_IMPROVING if care == FINE else IMPROVING
        kind, who, sign, slope, top = choose_entering(tables, pool, basis, p, outside, first_come, improving)
        if who >= 0:
            row, step = pivot(tables, pool, basis, kind, who, sign, slope, age == 0, cautious)
            state[PIVOTS] += 1
            age += 1
            if row < 0 and age > 1:
                age = REFRESH
                continue
            if row < 0:
                if outside == 0.0:
                    state[ENTERED], state[SIGN] = (who if kind == FREE else -1), np.int64(sign)
                    status = UNBOUNDED
                break
            idle = idle + 1 if step <= tolerance else 0
            if care == FINE or abs(basis.alpha[row]) < RISKY * largest(basis.alpha):
                age = REFRESH
                care = FINAL if care == FINE and state[PIVOTS] > patience else care
            elif idle == STALLED and times <= PERTURBATIONS:
                times, idle, perturbed = times + 1, 0, True
                perturb(kinds, x, state[PIVOTS])
        elif age > 0:
            age = REFRESH  # best in the pool: look again with fresh numbers
        else:
            state[PRICINGS] += 1
            apart = JUST_APART if care == FINE else APART
            status = price_everything(tables, pool, basis, top, outside, stop_below, apart, improving)
            if status == OPTIMAL and care == COARSE and (outside > 0.0 or not is_feasible(basis, tolerance)):
                care, age, patience = FINE, REFRESH, state[PIVOTS] + FINE_EXCHANGES + FINE_EXCHANGES_PER_ROW * len(x)
                status = GO_ON
            elif status == OPTIMAL and care == FINE and outside > 0.0:
                care, age, status = FINAL, REFRESH, GO_ON
            elif status == OPTIMAL and outside > 0.0:
                # outside by no more than rounding, and not separated either
                status = UNDECIDED if tolerance >= loosest else GO_ON
                slack, age = 2.0 * slack, REFRESH
            if status != GO_ON:
                break
            status = UNDECIDED
    if status != EMPTY:
        status = conclude(basis, status)
    state[STATUS] = status
