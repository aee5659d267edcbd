"""The simplex method over a sum: exchanges inside the pool, and a pricing of all vertices when the pool has no more.

Rows: six balances (scaled, see `scaling`) and one convexity row for each hand that mixes vertices,

    sum T_j v_ji l_ji + sum T_j r_ji q_ji - z @ axes = base,      sum_i l_ji = 1,      l, q >= 0,  z free.

Any basis will do to start from: basic variables outside their bounds count with their distance (phase 1), then the
objective counts (phase 2). At the multipliers y of a basis that is best in the pool, the supports h_j of all hands
bound both: the objective by sum_j h_j(y) - y . base, and the distance of the base from the sum from below.
"""

from __future__ import annotations

import numpy as np

from .accuracy import allow_rounding, drop_noise, refine, restore_rows, stretch_rows, within
from .basis import COLUMN, FIXED, FREE, exchange, invert, multipliers, solve
from .compiling import inlined, kernel
from .pricing import first_above, pool_scores
from .ratio import PIVOT, PIVOT_HOME, leaving
from .survey import gather, price_all, ray_slope

#: Outcomes of a run.
OPTIMAL, UNBOUNDED, EMPTY, UNDECIDED, STOPPED, GO_ON = 0, 1, 2, 3, 4, 5

#: Weights may be negative, and balances off, by this share of the size of forces.
FEASIBLE = 4e-12

#: The balance of an answer that is handed out is off by no more than this share of the size of forces.
BALANCED = 2e-11

#: A column enters when its score exceeds this share of the multipliers.
IMPROVING = 1e-12

#: The same where values are judged finely.
JUST_IMPROVING = 2e-15

#: A sum and a base are told apart by this share of the size of forces, in the metric of the multipliers.
APART = 1e-12

#: As `APART`, where values within `FEASIBLE` were no answer: a few roundings.
JUST_APART = 2e-14

#: How carefully values are judged: by `FEASIBLE`; by what rounding may have made of them; by `FEASIBLE` for good.
ROUGHLY, FINELY, FINALLY = 0, 1, 2

#: Exchanges under the fine judgement before it is given up, besides those for every row.
FINE_EXCHANGES, FINE_EXCHANGES_PER_ROW = 40, 4

#: A pivot below this share of the largest entry of its column asks for a fresh inverse.
RISKY = 1e-6

#: Exchanges between fresh inverses.
REFRESH = 50

#: Exchanges that change nothing before the values are perturbed, and by how much; how often before Bland's rule.
STALLED, PERTURBATION, PERTURBATIONS = 20, 1e-9, 2

#: Rows of `Basis.vectors`.
X, RIGHT, ALPHA, Y, COST, ENTERING, PASSED, BEST_Y, MARGIN = range(9)

#: Entries of `Basis.facts`.
STATUS, PIVOTS, PRICINGS, STARTED, WHO, SIGN = range(6)

#: Entries of `Basis.numbers`.
VALUE, BOUND, DUST, SIZE = range(4)


@inlined
def column_of(row_of, world, rows, axes, kind, index, out):
    """The column of a variable."""
    for r in range(len(out)):
        out[r] = 0.0
    if kind == COLUMN:
        for r in range(6):
            out[r] = world[r, index]
        if rows[index] < len(row_of):
            out[row_of[rows[index]]] = 1.0
    elif kind == FREE:
        for r in range(6):
            out[r] = -axes[index, r]
    else:
        out[index] = 1.0


@kernel
def renew(row_of, world, rows, axes, kinds, index, columns, inverse, work, vectors):
    """Columns, inverse and values from the keys of a basis; False when it is singular."""
    for i in range(len(kinds)):
        column_of(row_of, world, rows, axes, kinds[i], index[i], columns[i])
    stretch_rows(columns, vectors[PASSED])
    ok = invert(columns, inverse, work)
    restore_rows(columns, inverse, vectors[PASSED])
    solve(inverse, vectors[RIGHT], vectors[X])
    refine(columns, inverse, vectors[RIGHT], vectors[X], vectors[PASSED])
    return ok


@kernel
def start(tables, pool, basis, p):
    """A first basis: a vertex of every hand that lies towards the base, the axes, and artificial columns."""
    kinds, index, inverse, vectors = basis.kinds, basis.index, basis.inverse, basis.vectors
    m, k = len(kinds), len(tables.shape_of)
    alpha, entering = vectors[ALPHA], vectors[ENTERING]
    pool.basic[:] = 0
    basis.basic_z[:] = 0
    inverse[:] = 0.0
    for i in range(m):
        kinds[i], index[i] = FIXED, i
        inverse[i, i] = 1.0
    basis.offsets[:] = 0.0
    basis.offsets[k + 1] = -np.inf
    pool_scores(pool.world, basis.offsets, pool.rows, vectors[RIGHT], len(pool.scores), pool.scores)
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
        column_of(tables.row_of, pool.world, pool.rows, basis.axes, FREE, i, entering)
        solve(inverse, entering, alpha)
        row, size = -1, 1e-9
        for r in range(m):
            if kinds[r] == FIXED and abs(alpha[r]) > size:
                row, size = r, abs(alpha[r])
        if row >= 0:
            exchange(inverse, alpha, row)
            kinds[row], index[row] = FREE, i
            basis.basic_z[i] = 1
    basis.facts[STARTED] = p


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
def largest(y):
    """Largest absolute entry."""
    size = 0.0
    for r in range(len(y)):
        size = max(size, abs(y[r]))
    return size


@inlined
def advance(tables, pool, basis, kind, who, sign, slope, fresh, wary):
    """Exchange the entering variable for the one that stops it; (row, step), row -1 when nothing does.

    With a `fresh` inverse nothing does only if every pivot is rounding; else, and when `wary`, small ones are dust.
    """
    vectors, kinds, index = basis.vectors, basis.kinds, basis.index
    x, alpha, entering = vectors[X], vectors[ALPHA], vectors[ENTERING]
    column_of(tables.row_of, pool.world, pool.rows, basis.axes, kind, who, entering)
    solve(basis.inverse, entering, alpha)
    home = PIVOT if wary else min(PIVOT, PIVOT_HOME + 2.0 * basis.numbers[DUST])
    row, step = leaving(kinds, x, alpha, sign, slope, vectors[MARGIN], vectors[PASSED], PIVOT, home)
    if row < 0 and fresh and not wary:
        drop_noise(basis.inverse, entering, alpha, basis.numbers[DUST])
        row, step = leaving(kinds, x, alpha, sign, slope, vectors[MARGIN], vectors[PASSED], 0.0, home)
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
def worth(kinds, index, gains, x):
    """Objective of the basic values."""
    value = 0.0
    for i in range(len(x)):
        if kinds[i] == FREE:
            value += gains[index[i]] * x[i]
    return value


@inlined
def reach(kinds, x, size):
    """Size of the wrench that is asked for, base and axes: what is rounding and what is not depends on it."""
    top = size
    for i in range(len(x)):
        if kinds[i] == FREE:
            top = max(top, abs(x[i]))
    return top


@inlined
def conclude(basis, status):
    """The last check of a point: its balance, and its value; a point that fails is not handed out."""
    x, numbers = basis.vectors[X], basis.numbers
    allowed = (BALANCED + numbers[DUST]) * reach(basis.kinds, x, numbers[SIZE])
    basis.vectors[MARGIN, :] = allowed
    outside = assess(basis.kinds, basis.index, basis.gains, x, basis.vectors[MARGIN], basis.vectors[COST])
    if outside > 0.0 or imbalance(basis.kinds, basis.columns, x, basis.vectors[RIGHT]) > allowed:
        numbers[VALUE] = -np.inf
        status = UNDECIDED
    else:
        numbers[VALUE] = worth(basis.kinds, basis.index, basis.gains, x)
    return status


@inlined
def choose(tables, pool, basis, p, outside, first_come, improving):
    """(kind, who, sign, slope, top) of the column to enter, who -1 if none improves; top is the best score of the pool.

    A free coordinate outside the basis comes first; of the pool the best column, or with `first_come` the first one.
    """
    y, offsets = basis.vectors[Y], basis.offsets
    multipliers(basis.inverse, basis.vectors[COST], y)
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
def look_at_all(tables, pool, basis, top, outside, stop_below, apart, improving):
    """Price all vertices at the multipliers of the basis: bounds, and new columns; the outcome, or GO_ON."""
    y, right, numbers = basis.vectors[Y], basis.vectors[RIGHT], basis.numbers
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
    closed, status = ray_slope(tables, basis.local) <= least, GO_ON
    if closed and outside > 0.0:
        if -bound > (apart + numbers[DUST]) * numbers[SIZE] * length:
            status = EMPTY
    elif closed:
        if bound < numbers[BOUND]:
            numbers[BOUND] = bound
            for r in range(6):
                basis.vectors[BEST_Y, r] = y[r]
        if bound <= stop_below:
            status = STOPPED
    if status == GO_ON and gather(tables, pool, basis, least) == 0:
        status = OPTIMAL
    return status


@inlined
def perturb(kinds, x, turn):
    """Move basic weights at zero off it, each by another amount, so that exchanges get somewhere."""
    for i in range(len(x)):
        if kinds[i] == COLUMN and abs(x[i]) <= PERTURBATION:
            x[i] = PERTURBATION * (1.0 + ((i * 7 + turn * 3) % 11) / 11.0)


@inlined
def settle(tables, pool, basis, care):
    """Fresh inverse and values of the basis, and margins where judged finely; (whether it is regular, its scale)."""
    kinds, vectors, numbers = basis.kinds, basis.vectors, basis.numbers
    ok = renew(
        tables.row_of,
        pool.world,
        pool.rows,
        basis.axes,
        kinds,
        basis.index,
        basis.columns,
        basis.inverse,
        basis.work,
        vectors,
    )
    scale = reach(kinds, vectors[X], numbers[SIZE])
    if care == FINELY:
        allow(basis, (FEASIBLE + numbers[DUST]) * scale)
    return ok, scale


@inlined
def allow(basis, most):
    """Margins of the basic values by rounding alone, `most` at the most."""
    vectors, numbers = basis.vectors, basis.numbers
    dust = numbers[DUST] * numbers[SIZE]
    allow_rounding(basis.columns, basis.inverse, vectors[RIGHT], vectors[X], dust, most, vectors[MARGIN])


@inlined
def is_sound(basis, tolerance):
    """Whether the basic values, refined, are outside their bounds by no more than rounding."""
    vectors = basis.vectors
    refine(basis.columns, basis.inverse, vectors[RIGHT], vectors[X], vectors[PASSED])
    allow(basis, tolerance)
    sound = within(basis.kinds, vectors[X], vectors[MARGIN])
    vectors[MARGIN, :] = tolerance
    return sound


@kernel
def run(tables, pool, basis, p, stop_above, stop_below, limit):
    """Solve from the basis as it stands; the outcome and all figures are left in `basis.facts` and `basis.numbers`.

    At the end `vectors[X]` are the basic values; the multipliers of the bound are `vectors[BEST_Y]`, those of the proof
    that the sum does not reach the base are `vectors[Y]`. Values that are feasible by the tolerance alone, and not by
    rounding, are judged again, finely; what cannot be told apart then is feasible after all.
    """
    vectors, facts, numbers, kinds, index = basis.vectors, basis.facts, basis.numbers, basis.kinds, basis.index
    x = vectors[X]
    loosest = tolerance = 0.0
    facts[PIVOTS] = facts[PRICINGS] = 0
    numbers[VALUE], numbers[BOUND] = -np.inf, np.inf
    age, idle, perturbed, times, slack = REFRESH, 0, False, 0, 1.0
    status, care, patience, wary = UNDECIDED, ROUGHLY, limit, False
    while facts[PIVOTS] < limit:
        if age >= REFRESH:
            age, perturbed = 0, False
            ok, scale = settle(tables, pool, basis, care)
            if not ok:
                start(tables, pool, basis, p)
                age, wary = REFRESH, wary or facts[PIVOTS] > 0  # a pivot was too small: none such again
                facts[PIVOTS] += 1
                continue
            loosest, tolerance = (BALANCED + numbers[DUST]) * scale, (FEASIBLE + numbers[DUST]) * scale * slack
            if care != FINELY:
                vectors[MARGIN, :] = tolerance
        outside = assess(kinds, index, basis.gains, x, vectors[MARGIN], vectors[COST])
        if outside == 0.0 and not perturbed and (p == 0 or worth(kinds, index, basis.gains, x) >= stop_above):
            if care == ROUGHLY and not is_sound(basis, tolerance):
                care, age, patience = FINELY, REFRESH, facts[PIVOTS] + FINE_EXCHANGES + FINE_EXCHANGES_PER_ROW * len(x)
                continue
            if imbalance(kinds, basis.columns, x, vectors[RIGHT]) <= loosest:
                status = OPTIMAL if p == 0 else STOPPED
                break
            if age > 0:
                age = REFRESH
                continue
        first_come = times > PERTURBATIONS and idle > STALLED
        improving = JUST_IMPROVING if care == FINELY else IMPROVING
        kind, who, sign, slope, top = choose(tables, pool, basis, p, outside, first_come, improving)
        if who >= 0:
            row, step = advance(tables, pool, basis, kind, who, sign, slope, age == 0, wary)
            facts[PIVOTS] += 1
            age += 1
            if row < 0 and age > 1:
                age = REFRESH
                continue
            if row < 0:
                if outside == 0.0:
                    facts[WHO], facts[SIGN] = (who if kind == FREE else -1), np.int64(sign)
                    status = UNBOUNDED
                break
            idle = idle + 1 if step <= tolerance else 0
            if care == FINELY or abs(vectors[ALPHA, row]) < RISKY * largest(vectors[ALPHA]):
                age = REFRESH
                care = FINALLY if care == FINELY and facts[PIVOTS] > patience else care
            elif idle == STALLED and times <= PERTURBATIONS:
                times, idle, perturbed = times + 1, 0, True
                perturb(kinds, x, facts[PIVOTS])
        elif age > 0:
            age = REFRESH  # best in the pool: look again with fresh numbers
        else:
            facts[PRICINGS] += 1
            apart = JUST_APART if care == FINELY else APART
            status = look_at_all(tables, pool, basis, top, outside, stop_below, apart, improving)
            if status == OPTIMAL and care == ROUGHLY and (outside > 0.0 or not is_sound(basis, tolerance)):
                care, age, patience = FINELY, REFRESH, facts[PIVOTS] + FINE_EXCHANGES + FINE_EXCHANGES_PER_ROW * len(x)
                status = GO_ON
            elif status == OPTIMAL and care == FINELY and outside > 0.0:
                care, age, status = FINALLY, REFRESH, GO_ON
            elif status == OPTIMAL and outside > 0.0:
                # outside by no more than rounding, and not to be told apart either
                status = UNDECIDED if tolerance >= loosest else GO_ON
                slack, age = 2.0 * slack, REFRESH
            if status != GO_ON:
                break
            status = UNDECIDED
    if status != EMPTY:
        status = conclude(basis, status)
    facts[STATUS] = status
