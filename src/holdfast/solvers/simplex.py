"""The dual simplex method on contacts: compiled, with one implicit convexity row a contact.

The program is  max d  with  sum_i M_i f_i + d b - s = 0,  f_i in the hull of contact i's allowed pieces (weights of
vertices, plus boxed multiples of rays), s in [lower, upper]. Its dual minimises, over y with y . b = -1, the convex
piecewise linear function

    U(y) = sum_i h_i(M_i^T y) - min over s of y . s,

and every U(y) bounds d from above. The state is a vertex of that picture: each contact has a key vertex that carries
the weight its other basic vertices leave over, and the m basic columns (d, vertices M_i (v - key_i), slacks, rays,
artificial columns that must become zero) make y unique. One step:

1. Leave: the basic variable furthest outside its bounds, in the metric of its row of the inverse (exact steepest
   edge; the matrix is m x m with m = 6 + joints, so norms are simply computed).
2. Line search along that row: U falls until enough contacts have changed their support vertex. Contacts with a single
   vertex, boxed slacks and boxed rays simply flip on the way; where the slope turns, or at the first contact that
   already mixes vertices, the column to enter is found. The next vertex of a contact is found by Dinkelbach's
   iteration on its support function.
3. Exchange the columns.

Idle contacts would make U flat in many directions. A small bonus for the vertex 0 keeps them there: it changes U by no
more than the sum of bonuses, which is far below the gap that is asked for.
"""

from __future__ import annotations

import numpy as np

from .basis import refresh, renew_values, swap_key
from .compiling import kernel
from .program import ARTIFICIAL, FACTOR, RAY, SLACK, VERTEX
from .supports import bound_of, directions, reward, support

#: Outcomes of a run.
OPTIMAL, PRUNED, INFEASIBLE, STOPPED, FAILED = 0, 1, 2, 3, 4

#: Basic variables may be outside their bounds by this (weights: of 1; rows: of the load).
PRIMAL_TOLERANCE = 1e-10

#: A vertex overtakes another when it is better by this share of the terms that were summed to compare them.
OVERTAKE_TOLERANCE = 1e-13

#: The line search ends where the slope of U has risen to within this share of its first value.
SLOPE_TOLERANCE = 1e-11

#: A pivot smaller than this share of its column is numerical dust.
PIVOT_TOLERANCE = 1e-9

#: Steps between fresh inverses.
REFACTOR_EVERY = 40

#: Breakpoints that a line search may pass, per contact, row and ray (never met in practice).
BREAKPOINTS_PER_ITEM = 64

#: Rounds of Dinkelbach's iteration (never met; each round finds another vertex).
MOST_ROUNDS = 200


@kernel
def leaving(program, state, banned):
    """(column, infeasibility, towards upper) of the variable to leave; column m + i is contact i's key; -1 if none."""
    m, k = len(program.load), len(state.key)
    best, choice, amount, upwards = 0.0, -1, 0.0, False
    for j in range(m):
        kind, x = state.kind[j], state.x[j]
        low, high = 0.0, np.inf
        if kind == FACTOR or banned[j]:
            continue
        if kind == ARTIFICIAL:
            high = 0.0
        elif kind == SLACK:
            low, high = program.lower[state.who[j]], program.upper[state.who[j]]
        elif kind == RAY:
            high = program.ray_cap
        below, above = low - x, x - high
        out = max(below, above)
        if out > PRIMAL_TOLERANCE:
            norm = 0.0
            for r in range(m):
                norm += state.inverse[j, r] * state.inverse[j, r]
            if out * out > best * norm:
                best, choice, amount, upwards = out * out / norm, j, out, above > below
    for i in range(k):
        if state.mixed[i] == 0 or banned[m + i]:
            continue
        rest = 1.0
        for j in range(m):
            if state.kind[j] == VERTEX and state.who[j] == i:
                rest -= state.x[j]
        if rest < -PRIMAL_TOLERANCE:
            norm = 0.0
            for r in range(m):
                part = 0.0
                for j in range(m):
                    if state.kind[j] == VERTEX and state.who[j] == i:
                        part += state.inverse[j, r]
                norm += part * part
            if rest * rest > best * norm:
                best, choice, amount, upwards = rest * rest / norm, m + i, -rest, False
    return choice, amount, upwards


@kernel
def is_basic_vertex(state, i, v):
    """Whether vertex v of contact i has a column in the basis; it then ties with the key but for rounding."""
    for j in range(len(state.kind)):
        if state.vertex[j] == v and state.who[j] == i and state.kind[j] == VERTEX:
            return True
    return False


@kernel
def next_vertex(program, tables, state, i, g, q, cap):
    """First t < cap at which a vertex overtakes contact i's key along g + t q, and that vertex (or cap, -1)."""
    shape, mask, key = program.shape_of[i], state.masks[i], state.key[i]
    vertices, bonus = tables.vertices, program.bonus
    own_bonus = reward(tables, shape, key, bonus)
    g_key = g[0] * vertices[key, 0] + g[1] * vertices[key, 1] + g[2] * vertices[key, 2] + own_bonus
    q_key = q[0] * vertices[key, 0] + q[1] * vertices[key, 1] + q[2] * vertices[key, 2]
    t, found = cap, -1
    for _ in range(MOST_ROUNDS):
        if t == np.inf:
            v, _ = support(tables, shape, mask, q[0], q[1], q[2], 0.0)
        else:
            x, y, z = g[0] + t * q[0], g[1] + t * q[1], g[2] + t * q[2]
            v, _ = support(tables, shape, mask, x, y, z, bonus)
        if v in (key, found) or (state.mixed[i] > 0 and is_basic_vertex(state, i, v)):
            return t, found
        rise = q[0] * vertices[v, 0] + q[1] * vertices[v, 1] + q[2] * vertices[v, 2] - q_key
        if rise <= OVERTAKE_TOLERANCE * q[3] * program.size[i]:
            return t, found
        behind = g_key - (
            g[0] * vertices[v, 0] + g[1] * vertices[v, 1] + g[2] * vertices[v, 2] + reward(tables, shape, v, bonus)
        )
        crossing = max(0.0, behind / rise)
        if t < np.inf and t - crossing <= OVERTAKE_TOLERANCE * (g[3] + t * q[3]) * program.size[i] / rise:
            return t, found  # ahead at t by no more than rounding
        t, found = crossing, v
    return t, found


@kernel
def is_free(state, i, own):
    """Whether contact i has no basic vertex besides the leaving one, so that it may change its key on the way."""
    return state.mixed[i] - (1 if i == own else 0) == 0


@kernel
def ray_slope(program, p, directions_of):
    """Slope of ray p along its contact's direction."""
    i = program.ray_of[p]
    return (
        directions_of[i, 0] * program.ray[p, 0]
        + directions_of[i, 1] * program.ray[p, 1]
        + directions_of[i, 2] * program.ray[p, 2]
    )


@kernel
def box_events(program, state, g, q, delta, slacks, rays):
    """Where slacks (m,) and rays (p,) would flip, written into the arrays; (t, row) of the first one-sided row."""
    stop, row = np.inf, -1
    for r in range(len(delta)):
        if state.is_basic_slack[r] or program.lower[r] == program.upper[r] or delta[r] == 0.0:
            continue
        at_lower = state.slack[r] == program.lower[r]
        if (at_lower and delta[r] < 0.0) or (not at_lower and delta[r] > 0.0):
            t = max(0.0, -state.y[r] / delta[r])
            if np.isfinite(program.upper[r] - program.lower[r]):
                slacks[r] = t
            elif t < stop:
                stop, row = t, r
    for p in range(len(program.ray_of)):
        i = program.ray_of[p]
        if state.is_basic_ray[p] or not program.ray_bit[p] & state.masks[i]:
            continue
        pace, tiny = ray_slope(program, p, q), OVERTAKE_TOLERANCE * q[i, 3]
        if (not state.ray_at_cap[p] and pace > tiny) or (state.ray_at_cap[p] and pace < -tiny):
            rays[p] = max(0.0, -ray_slope(program, p, g) / pace)
    return stop, row


@kernel
def flip_key(program, tables, state, i, v):
    """Contact i's key becomes v."""
    old = state.key[i]
    state.key[i] = v
    for r in range(len(program.load)):
        for c in range(3):
            state.right[r] -= program.maps[i, r, c] * (tables.vertices[v, c] - tables.vertices[old, c])


@kernel
def flip_slack(program, state, r):
    """A boxed slack changes its bound."""
    new = program.upper[r] if state.slack[r] == program.lower[r] else program.lower[r]
    state.right[r] += new - state.slack[r]
    state.slack[r] = new


@kernel
def flip_ray(program, state, p):
    """A ray goes to its cap, or back to nothing."""
    sign = 1.0 if state.ray_at_cap[p] else -1.0
    state.ray_at_cap[p] = not state.ray_at_cap[p]
    i = program.ray_of[p]
    for r in range(len(program.load)):
        for c in range(3):
            state.right[r] += sign * program.ray_cap * program.maps[i, r, c] * program.ray[p, c]


@kernel
def line_search(program, tables, state, g, q, delta, own, amount):
    """Follow y + t delta over the breakpoints of U while it falls, flipping what may flip.

    Returns (t, kind, who, vertex) of the column that ends it; kind -1 when nothing does.
    """
    k, m, rays = len(state.key), len(program.load), len(program.ray_of)
    slack_at, ray_at = np.full(m, np.inf), np.full(rays, np.inf)
    stop, row = box_events(program, state, g, q, delta, slack_at, ray_at)
    kind, who, vertex = (SLACK, row, -1) if row >= 0 else (-1, -1, -1)
    for i in range(k):  # contacts that mix vertices already stop the search for good
        if not is_free(state, i, own):
            t, v = next_vertex(program, tables, state, i, g[i], q[i], stop)
            if v >= 0 and t < stop:
                stop, kind, who, vertex = t, VERTEX, i, v
    vertex_at, target = np.full(k, np.inf), np.full(k, -1, np.int64)
    for i in range(k):
        if is_free(state, i, own):
            t, v = next_vertex(program, tables, state, i, g[i], q[i], stop)
            if v >= 0:
                vertex_at[i], target[i] = t, v
    slope = -amount
    for _ in range(BREAKPOINTS_PER_ITEM * (k + m + rays + 1)):
        i, r = int(np.argmin(vertex_at)), int(np.argmin(slack_at))
        p = int(np.argmin(ray_at)) if rays else -1
        ray_first = ray_at[p] if rays else np.inf
        first = min(vertex_at[i], slack_at[r], ray_first)
        if not first < stop:
            break
        if vertex_at[i] == first:
            rise = 0.0
            for c in range(3):
                rise += q[i, c] * (tables.vertices[target[i], c] - tables.vertices[state.key[i], c])
            slope += rise
            if slope >= -SLOPE_TOLERANCE * amount:
                return first, VERTEX, i, target[i]
            flip_key(program, tables, state, i, target[i])
            vertex_at[i], target[i] = next_vertex(program, tables, state, i, g[i], q[i], stop)
            if target[i] < 0:
                vertex_at[i] = np.inf
        elif slack_at[r] == first:
            slope += abs(delta[r]) * (program.upper[r] - program.lower[r])
            if slope >= -SLOPE_TOLERANCE * amount:
                return first, SLACK, r, -1
            flip_slack(program, state, r)
            slack_at[r] = np.inf
        else:
            slope += abs(ray_slope(program, p, q)) * program.ray_cap
            if slope >= -SLOPE_TOLERANCE * amount:
                return first, RAY, p, -1
            flip_ray(program, state, p)
            ray_at[p] = np.inf
    return stop, kind, who, vertex


@kernel
def step(program, tables, state, g, q, banned):
    """One pivot. Returns STOPPED (go on), OPTIMAL, INFEASIBLE (y is then a direction that excludes all) or FAILED."""
    m = len(program.load)
    column, amount, upwards = leaving(program, state, banned)
    if column < 0:
        return OPTIMAL
    chosen = column
    if column >= m:
        i, most = column - m, -np.inf
        for j in range(m):
            if state.kind[j] == VERTEX and state.who[j] == i and state.x[j] > most:
                column, most = j, state.x[j]
        swap_key(program, tables, state, i, column)
        upwards = False
    delta = state.inverse[column] * (1.0 if upwards else -1.0)
    directions(program, delta, q)
    own = state.who[column] if state.kind[column] == VERTEX else -1
    # If no column can enter after all, nothing shall have happened.
    key, slack, right, caps = state.key.copy(), state.slack.copy(), state.right.copy(), state.ray_at_cap.copy()
    t, kind, who, vertex = line_search(program, tables, state, g, q, delta, own, amount)
    outcome = INFEASIBLE
    if kind >= 0:
        outcome = exchange(program, tables, state, g, q, column, upwards, delta, t, kind, who, vertex)
    if outcome != STOPPED:
        state.key[:], state.slack[:], state.right[:], state.ray_at_cap[:] = key, slack, right, caps
    if outcome == INFEASIBLE:
        state.y[:] = delta
    elif outcome == FAILED:
        banned[chosen] = True
    return outcome


@kernel
def column_of(program, tables, state, kind, who, vertex):
    """The column of a vertex (against its contact's key), a slack or a ray."""
    column = np.zeros(len(program.load))
    if kind == SLACK:
        column[who] = -1.0
        return column
    i = who if kind == VERTEX else program.ray_of[who]
    for c in range(3):
        if kind == VERTEX:
            along = tables.vertices[vertex, c] - tables.vertices[state.key[i], c]
        else:
            along = program.ray[who, c]
        for r in range(len(column)):
            column[r] += program.maps[i, r, c] * along
    return column


@kernel
def exchange(program, tables, state, g, q, column, upwards, delta, t, enter_kind, enter_who, enter_vertex):
    """Move y by t delta and let the entering column take the place of `column`."""
    k, m = len(state.key), len(program.load)
    entering = column_of(program, tables, state, enter_kind, enter_who, enter_vertex)
    solved = state.inverse @ entering
    pivot = solved[column]
    largest = 0.0
    for r in range(m):
        largest = max(largest, abs(solved[r]))
    if not abs(pivot) > PIVOT_TOLERANCE * largest:
        return FAILED
    # The leaving variable.
    if state.kind[column] == VERTEX:
        state.mixed[state.who[column]] -= 1
    elif state.kind[column] == SLACK:
        r = state.who[column]
        state.is_basic_slack[r] = False
        state.slack[r] = program.upper[r] if upwards else program.lower[r]
        state.right[r] += state.slack[r]
    elif state.kind[column] == RAY:
        p = state.who[column]
        state.is_basic_ray[p] = False
        state.ray_at_cap[p] = upwards
        if upwards:
            for r in range(m):
                state.right[r] -= program.ray_cap * state.columns[r, column]
    # The entering variable.
    if enter_kind == VERTEX:
        state.mixed[enter_who] += 1
    elif enter_kind == SLACK:
        state.right[enter_who] -= state.slack[enter_who]
        state.slack[enter_who] = 0.0
        state.is_basic_slack[enter_who] = True
    else:
        if state.ray_at_cap[enter_who]:
            for r in range(m):
                state.right[r] += program.ray_cap * entering[r]
            state.ray_at_cap[enter_who] = False
        state.is_basic_ray[enter_who] = True
    state.kind[column], state.who[column], state.vertex[column] = enter_kind, enter_who, enter_vertex
    for r in range(m):
        state.columns[r, column] = entering[r]
        state.inverse[column, r] /= pivot
    for j in range(m):
        if j != column:
            factor = solved[j]
            if factor != 0.0:
                for r in range(m):
                    state.inverse[j, r] -= factor * state.inverse[column, r]
    for r in range(m):
        state.y[r] += t * delta[r]
    for i in range(k):
        for c in range(4):
            g[i, c] += t * q[i, c]
    for j in range(m):
        value = 0.0
        for r in range(m):
            value += state.inverse[j, r] * state.right[r]
        state.x[j] = value
    return STOPPED


@kernel
def run(program, tables, state, cutoff, limit, fresh):
    """Pivot until optimal, or until U(y) is proven to be at most `cutoff`, or for `limit` pivots.

    `fresh` False trusts the state's inverse and multipliers (a copy of a solved one, restricted).
    Returns (outcome, bound, pivots). PRUNED comes with y and a bound by fresh supports; INFEASIBLE with a y that
    excludes every factor; STOPPED is the limit; FAILED means that rounding got in the way.
    """
    k, m = len(state.key), len(program.load)
    g, q = np.zeros((k, 4)), np.zeros((k, 4))
    if not fresh:
        renew_values(program, tables, state)
    elif not refresh(program, tables, state):
        return FAILED, np.inf, 0
    directions(program, state.y, g)
    pivots, last, bans = 0, np.inf, 0
    banned = np.zeros(m + k, np.bool_)  # variables whose exchange met a pivot too small to trust
    while True:
        factor = np.inf
        for j in range(m):
            if state.kind[j] == FACTOR:
                factor = state.x[j]
        # At a dual feasible basis the basic solution's d is U(y), up to the bonuses.
        if factor <= cutoff and factor < last:
            last = factor
            bound = bound_of(program, tables, state.masks, state.y)
            if bound <= cutoff:
                return PRUNED, bound, pivots
        if pivots >= limit:
            return STOPPED, bound_of(program, tables, state.masks, state.y), pivots
        if not fresh and pivots > 0 and pivots % REFACTOR_EVERY == 0:
            if not refresh(program, tables, state):
                return FAILED, np.inf, pivots
            directions(program, state.y, g)
            fresh = True
        outcome = step(program, tables, state, g, q, banned)
        if outcome == STOPPED:
            pivots += 1
            fresh = False
            if bans:
                banned[:] = False
                bans = 0
            continue
        if not fresh:  # an end, or trouble: look again with fresh numbers
            if not refresh(program, tables, state):
                return FAILED, np.inf, pivots
            directions(program, state.y, g)
            fresh = True
            banned[:] = False
            continue
        if outcome == FAILED:
            bans += 1
            continue
        if outcome == OPTIMAL and bans:
            return FAILED, np.inf, pivots
        if outcome == OPTIMAL:
            return OPTIMAL, bound_of(program, tables, state.masks, state.y), pivots
        if outcome == INFEASIBLE:
            return INFEASIBLE, -np.inf, pivots
