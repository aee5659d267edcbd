"""The dual simplex method on contacts: compiled, with one implicit convexity row a contact.

The program is  max d  with  sum_i M_i f_i + d b - s = 0,  f_i in the hull of contact i's allowed pieces (weights of
vertices, plus boxed multiples of rays), s in [lower, upper]. Its dual minimises, over y with y . b = -1, the convex
piecewise linear function

    U(y) = sum_i h_i(M_i^T y) - min over s of y . s,

and every U(y) bounds d from above. The state is a vertex of that picture: each contact has a key vertex that carries the
weight its other basic vertices leave over, and the m basic columns (d, vertices M_i (v - key_i), slacks, rays,
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

from typing import NamedTuple

import numpy as np
from numba import njit

from ..checks import Array
from .tables import CUBE_CELLS, Tables

#: Kinds of basic columns.
FACTOR, VERTEX, SLACK, RAY, ARTIFICIAL = 0, 1, 2, 3, 4

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


class Program(NamedTuple):
    """One linear program over a fixed set of contacts; k contacts, m rows, p rays."""

    maps: Array  # (k, m, 3) M_i
    shape_of: Array  # (k,) int64
    size: Array  # (k,) largest coordinate of the contact's vertices [N]
    load: Array  # (m,) b
    lower: Array  # (m,)
    upper: Array  # (m,)
    ray_of: Array  # (p,) int64 contact of each ray
    ray: Array  # (p, 3) unit direction in the contact frame
    ray_bit: Array  # (p,) int64 mask of the piece it belongs to
    ray_cap: float  # artificial bound on a ray's multiple
    bonus: float  # reward of the vertex 0


class State(NamedTuple):
    """A basis and what follows from it."""

    masks: Array  # (k,) int64 allowed pieces
    key: Array  # (k,) int64 key vertex
    mixed: Array  # (k,) int64 basic vertices besides the key
    kind: Array  # (m,) int64 of each basic column
    who: Array  # (m,) int64 contact, row or ray
    vertex: Array  # (m,) int64 vertex of a VERTEX column
    gain: Array  # (m,) objective coefficient of an ARTIFICIAL column (what it had before it became one)
    columns: Array  # (m, m) the basic columns
    inverse: Array  # (m, m)
    y: Array  # (m,)
    slack: Array  # (m,) value of nonbasic slacks, 0 for basic ones
    is_basic_slack: Array  # (m,) bool
    ray_at_cap: Array  # (p,) bool, nonbasic at the cap
    is_basic_ray: Array  # (p,) bool
    right: Array  # (m,) right-hand side: slacks minus keys minus capped rays
    x: Array  # (m,) values of the basic variables


@njit(cache=True, inline="always")
def cube_cell(x, y, z):
    """Cell of the cube map that a direction falls into."""
    ax, ay, az = abs(x), abs(y), abs(z)
    if ax >= ay and ax >= az:
        face, big, first, second = (0 if x >= 0.0 else 1), ax, y, z
    elif ay >= az:
        face, big, first, second = (2 if y >= 0.0 else 3), ay, z, x
    else:
        face, big, first, second = (4 if z >= 0.0 else 5), az, x, y
    if big == 0.0:
        return 0
    i = min(CUBE_CELLS - 1, int((first / big + 1.0) * (0.5 * CUBE_CELLS)))
    j = min(CUBE_CELLS - 1, int((second / big + 1.0) * (0.5 * CUBE_CELLS)))
    return (face * CUBE_CELLS + i) * CUBE_CELLS + j


@njit(cache=True)
def walk(tables, shape, table, x, y, z):
    """The vertex of one table best in a direction, and its value."""
    vertices = tables.vertices
    at = tables.start[table, cube_cell(x, y, z)]
    best = vertices[at, 0] * x + vertices[at, 1] * y + vertices[at, 2] * z
    base = tables.first_row[table] - tables.first_vertex[shape]
    climbing = True
    while climbing:
        climbing = False
        here = at
        for e in range(tables.row[base + here], tables.row[base + here + 1]):
            v = tables.neighbours[e]
            value = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
            if value > best:
                best, at, climbing = value, v, True
    return at, best


@njit(cache=True)
def support(tables, shape, mask, x, y, z, bonus):
    """The vertex of the hull of the pieces in `mask` best in a direction, and its value with the bonus of 0."""
    first = tables.first_mask[shape]
    table = tables.table_of[first + mask]
    if table >= 0:
        at, best = walk(tables, shape, table, x, y, z)
    else:
        at, best = -1, -np.inf
        for j in range(tables.pieces[shape]):
            if mask >> j & 1:
                v, value = walk(tables, shape, tables.table_of[first + (1 << j)], x, y, z)
                if value > best:
                    at, best = v, value
    zero = tables.zero[shape]
    if zero >= 0 and best <= bonus:
        return zero, bonus
    return at, best


@njit(cache=True)
def reward(tables, shape, vertex, bonus):
    """The bonus of a vertex: that of 0, nothing for the others."""
    return bonus if vertex == tables.zero[shape] else 0.0


@njit(cache=True)
def bound_of(program, tables, masks, y):
    """U(y) with fresh supports and without bonuses, scaled to y . b = -1; inf when y bounds nothing."""
    work = 0.0
    for r in range(len(y)):
        work += y[r] * program.load[r]
    if work >= 0.0:
        return np.inf
    total = free_bound(program, tables, masks, y)
    return total / -work


@njit(cache=True)
def free_bound(program, tables, masks, y):
    """sum_i h_i(M_i^T y) - min over s of y . s; inf where an unlimited direction or row is climbed."""
    total = 0.0
    for r in range(len(y)):
        if y[r] > 0.0:
            total -= y[r] * program.lower[r]
        elif y[r] < 0.0:
            total -= y[r] * program.upper[r]
    for i in range(len(masks)):
        gx, gy, gz = contact_direction(program, i, y)
        _, value = support(tables, program.shape_of[i], masks[i], gx, gy, gz, -np.inf)
        total += value
    for p in range(len(program.ray_of)):
        i = program.ray_of[p]
        if program.ray_bit[p] & masks[i]:
            gx, gy, gz = contact_direction(program, i, y)
            slope = gx * program.ray[p, 0] + gy * program.ray[p, 1] + gz * program.ray[p, 2]
            terms = 0.0
            for r in range(len(y)):
                for c in range(3):
                    terms += abs(program.maps[i, r, c] * y[r])
            if slope > 0.5e-9 * terms:
                return np.inf
    return total


@njit(cache=True)
def contact_direction(program, i, y):
    """M_i^T y."""
    gx = gy = gz = 0.0
    for r in range(len(y)):
        gx += program.maps[i, r, 0] * y[r]
        gy += program.maps[i, r, 1] * y[r]
        gz += program.maps[i, r, 2] * y[r]
    return gx, gy, gz


@njit(cache=True)
def directions(program, y, out):
    """M_i^T y for every contact, into `out` (k, 4); the last entry is the size of the summed terms, for rounding."""
    for i in range(out.shape[0]):
        gx = gy = gz = terms = 0.0
        for r in range(len(y)):
            a, b, c = program.maps[i, r, 0] * y[r], program.maps[i, r, 1] * y[r], program.maps[i, r, 2] * y[r]
            gx += a
            gy += b
            gz += c
            terms += abs(a) + abs(b) + abs(c)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = gx, gy, gz, terms


@njit(cache=True)
def first_guess(program, tables):
    """y at which the load leaves the covariance ellipsoid of what contacts and slacks can add up to."""
    m = len(program.load)
    spread = np.zeros((m, m))
    for i in range(program.maps.shape[0]):
        covariance = tables.spread[program.shape_of[i]]
        for r in range(m):
            for c in range(3):
                part = 0.0
                for e in range(3):
                    part += program.maps[i, r, e] * covariance[e, c]
                for q in range(m):
                    spread[r, q] += part * program.maps[i, q, c]
    trace = 0.0
    for r in range(m):
        width = program.upper[r] - program.lower[r]
        if np.isfinite(width):
            spread[r, r] += width * width / 12.0
        trace += spread[r, r]
    for r in range(m):
        spread[r, r] += 1e-9 * trace / m + 1e-300
        if not np.isfinite(program.upper[r] - program.lower[r]):
            spread[r, r] += 1e3 * trace
    y = -np.linalg.solve(spread, program.load)
    for r in range(m):  # an unlimited side of a row cannot be leaned on
        if (y[r] > 0.0 and program.lower[r] == -np.inf) or (y[r] < 0.0 and program.upper[r] == np.inf):
            y[r] = 0.0
    work = y @ program.load
    if not work < 0.0:
        y = -program.load.copy()
        work = y @ program.load
    return y / -work


@njit(cache=True)
def start(program, tables, masks, y):
    """A dual feasible state at y: support vertices as keys, d and artificial columns at right angles to y."""
    k, m = program.maps.shape[0], len(program.load)
    p = len(program.ray_of)
    state = State(
        masks.copy(),
        np.zeros(k, np.int64),
        np.zeros(k, np.int64),
        np.full(m, ARTIFICIAL, np.int64),
        np.full(m, -1, np.int64),
        np.full(m, -1, np.int64),
        np.zeros(m),
        np.zeros((m, m)),
        np.zeros((m, m)),
        y.copy(),
        np.zeros(m),
        np.zeros(m, np.bool_),
        np.zeros(p, np.bool_),
        np.zeros(p, np.bool_),
        np.zeros(m),
        np.zeros(m),
    )
    for i in range(k):
        gx, gy, gz = contact_direction(program, i, y)
        state.key[i], _ = support(tables, program.shape_of[i], masks[i], gx, gy, gz, program.bonus)
    for r in range(m):
        if program.lower[r] == program.upper[r]:
            state.slack[r] = program.lower[r]
        elif y[r] > 0.0:
            state.slack[r] = program.lower[r]
        elif y[r] < 0.0:
            state.slack[r] = program.upper[r]
        else:
            state.slack[r] = program.lower[r] if program.lower[r] > -np.inf else program.upper[r]
            if not np.isfinite(state.slack[r]):
                state.slack[r] = 0.0
    for r in range(p):
        i = program.ray_of[r]
        if program.ray_bit[r] & masks[i]:
            gx, gy, gz = contact_direction(program, i, y)
            state.ray_at_cap[r] = gx * program.ray[r, 0] + gy * program.ray[r, 1] + gz * program.ray[r, 2] > 0.0
    # Columns: d first, then m - 1 directions at right angles to y (Householder on y / |y|).
    length = np.sqrt((y * y).sum())
    largest = 0
    for r in range(m):
        if abs(y[r]) > abs(y[largest]):
            largest = r
    mirror = y / length
    mirror[largest] += 1.0 if y[largest] >= 0.0 else -1.0
    norm = (mirror * mirror).sum()
    state.kind[0] = FACTOR
    state.columns[:, 0] = program.load
    at = 1
    for c in range(m):
        if c != largest:
            for r in range(m):
                state.columns[r, at] = (1.0 if r == c else 0.0) - 2.0 * mirror[r] * mirror[c] / norm
            at += 1
    return state


@njit(cache=True)
def refresh(program, tables, state):
    """Inverse, multipliers, right-hand side and values anew from the basis; False when it is singular."""
    m = len(program.load)
    if not np.all(np.isfinite(state.columns)):
        return False
    determinant = abs(np.linalg.det(state.columns))
    scale = 1.0
    for c in range(m):
        scale *= np.sqrt((state.columns[:, c] ** 2).sum())
    if not determinant > 1e-15 * scale:
        return False
    state.inverse[:, :] = np.linalg.inv(state.columns)
    gains = np.zeros(m)
    for j in range(m):
        if state.kind[j] == FACTOR:
            gains[j] = 1.0
        elif state.kind[j] == VERTEX:
            shape = program.shape_of[state.who[j]]
            gains[j] = reward(tables, shape, state.vertex[j], program.bonus) - reward(
                tables, shape, state.key[state.who[j]], program.bonus
            )
        elif state.kind[j] == ARTIFICIAL:
            gains[j] = state.gain[j]
    state.y[:] = -(gains @ state.inverse)
    renew_right(program, tables, state)
    state.x[:] = state.inverse @ state.right
    return True


@njit(cache=True)
def renew_right(program, tables, state):
    """The right-hand side from keys, nonbasic slacks and capped rays."""
    m = len(program.load)
    for r in range(m):
        state.right[r] = 0.0 if state.is_basic_slack[r] else state.slack[r]
    for i in range(len(state.key)):
        v = tables.vertices[state.key[i]]
        for r in range(m):
            state.right[r] -= (
                program.maps[i, r, 0] * v[0] + program.maps[i, r, 1] * v[1] + program.maps[i, r, 2] * v[2]
            )
    for p in range(len(program.ray_of)):
        if state.ray_at_cap[p]:
            i = program.ray_of[p]
            for r in range(m):
                for c in range(3):
                    state.right[r] -= program.ray_cap * program.maps[i, r, c] * program.ray[p, c]


@njit(cache=True)
def leaving(program, state):
    """(column, infeasibility, towards upper) of the variable to leave; column m + i is contact i's key; -1 if none."""
    m, k = len(program.load), len(state.key)
    best, choice, amount, upwards = 0.0, -1, 0.0, False
    for j in range(m):
        kind, x = state.kind[j], state.x[j]
        low, high = 0.0, np.inf
        if kind == FACTOR:
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
        if state.mixed[i] == 0:
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


@njit(cache=True)
def swap_key(program, tables, state, i, column):
    """Make the basic vertex of `column` the key of contact i; the old key takes its column."""
    m = len(program.load)
    old = state.key[i]
    state.key[i] = state.vertex[column]
    state.vertex[column] = old
    rest = 1.0
    row = np.zeros(m)
    for j in range(m):
        if state.kind[j] == VERTEX and state.who[j] == i:
            rest -= state.x[j]
            for r in range(m):
                row[r] -= state.inverse[j, r]
            if j != column:
                for r in range(m):
                    state.columns[r, j] -= state.columns[r, column]
    for r in range(m):
        state.right[r] -= state.columns[r, column]  # the key moved by v - old
        state.columns[r, column] = -state.columns[r, column]
        state.inverse[column, r] = row[r]
    state.x[column] = rest


@njit(cache=True)
def is_basic_vertex(state, i, v):
    """Whether vertex v of contact i has a column in the basis; it then ties with the key but for rounding."""
    for j in range(len(state.kind)):
        if state.vertex[j] == v and state.who[j] == i and state.kind[j] == VERTEX:
            return True
    return False


@njit(cache=True)
def next_vertex(program, tables, state, i, g, q, cap):
    """First t < cap at which a vertex overtakes contact i's key along g + t q, and that vertex (or cap, -1)."""
    shape, mask, key = program.shape_of[i], state.masks[i], state.key[i]
    vertices, bonus = tables.vertices, program.bonus
    own_bonus = reward(tables, shape, key, bonus)
    g_key = g[0] * vertices[key, 0] + g[1] * vertices[key, 1] + g[2] * vertices[key, 2] + own_bonus
    q_key = q[0] * vertices[key, 0] + q[1] * vertices[key, 1] + q[2] * vertices[key, 2]
    t, found = cap, -1
    for _ in range(200):
        if t == np.inf:
            v, _ = support(tables, shape, mask, q[0], q[1], q[2], 0.0)
        else:
            x, y, z = g[0] + t * q[0], g[1] + t * q[1], g[2] + t * q[2]
            v, _ = support(tables, shape, mask, x, y, z, bonus)
        if v == key or v == found or (state.mixed[i] > 0 and is_basic_vertex(state, i, v)):
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


@njit(cache=True)
def step(program, tables, state, g, q):
    """One pivot. Returns OPTIMAL, INFEASIBLE (with the direction left in q's source y), FAILED, or STOPPED for "go on"."""
    k, m = len(state.key), len(program.load)
    column, amount, upwards = leaving(program, state)
    if column < 0:
        return OPTIMAL
    if column >= m:
        i = column - m
        pick, most = -1, -np.inf
        for j in range(m):
            if state.kind[j] == VERTEX and state.who[j] == i and state.x[j] > most:
                pick, most = j, state.x[j]
        swap_key(program, tables, state, i, pick)
        column, upwards = pick, False
    sign = 1.0 if upwards else -1.0
    delta = sign * state.inverse[column]
    directions(program, delta, q)
    own = state.who[column] if state.kind[column] == VERTEX else -1

    # What stops the line search for good: contacts that mix vertices, one-sided rows.
    stop, stop_kind, stop_who, stop_vertex = np.inf, -1, -1, -1
    for i in range(k):
        basics = state.mixed[i] - (1 if i == own else 0)
        if basics > 0:
            t, v = next_vertex(program, tables, state, i, g[i], q[i], stop)
            if v >= 0 and t < stop:
                stop, stop_kind, stop_who, stop_vertex = t, VERTEX, i, v
    flips = np.full(m, np.inf)
    for r in range(m):
        if state.is_basic_slack[r] or program.lower[r] == program.upper[r] or delta[r] == 0.0:
            continue
        if (state.y[r] >= 0.0 and delta[r] < 0.0) or (state.y[r] <= 0.0 and delta[r] > 0.0):
            at_lower = state.slack[r] == program.lower[r]
            if (at_lower and delta[r] < 0.0) or (not at_lower and delta[r] > 0.0):
                t = abs(state.y[r] / delta[r])
                if np.isfinite(program.upper[r] - program.lower[r]):
                    flips[r] = t
                elif t < stop:
                    stop, stop_kind, stop_who = t, SLACK, r
    rays = len(program.ray_of)
    ray_flips = np.full(rays, np.inf)
    for p in range(rays):
        i = program.ray_of[p]
        if state.is_basic_ray[p] or not program.ray_bit[p] & state.masks[i]:
            continue
        pace = q[i, 0] * program.ray[p, 0] + q[i, 1] * program.ray[p, 1] + q[i, 2] * program.ray[p, 2]
        slope = g[i, 0] * program.ray[p, 0] + g[i, 1] * program.ray[p, 1] + g[i, 2] * program.ray[p, 2]
        tiny = OVERTAKE_TOLERANCE * q[i, 3]
        if (not state.ray_at_cap[p] and pace > tiny) or (state.ray_at_cap[p] and pace < -tiny):
            ray_flips[p] = max(0.0, -slope / pace)
    events = np.full(k, np.inf)
    targets = np.full(k, -1, np.int64)
    for i in range(k):
        if state.mixed[i] - (1 if i == own else 0) == 0:
            t, v = next_vertex(program, tables, state, i, g[i], q[i], stop)
            if v >= 0:
                events[i], targets[i] = t, v

    # Walk over the breakpoints while U still falls. If no column can enter after all, nothing has happened.
    old_key, old_slack, old_right, old_caps = state.key.copy(), state.slack.copy(), state.right.copy(), state.ray_at_cap.copy()
    slope = -amount
    t, enter_kind, enter_who, enter_vertex = stop, stop_kind, stop_who, stop_vertex
    for _ in range(64 * (k + m + rays) + 64):
        first, what, who = stop, -1, -1
        for i in range(k):
            if events[i] < first:
                first, what, who = events[i], VERTEX, i
        for r in range(m):
            if flips[r] < first:
                first, what, who = flips[r], SLACK, r
        for p in range(rays):
            if ray_flips[p] < first:
                first, what, who = ray_flips[p], RAY, p
        if what < 0:
            break
        if what == VERTEX:
            v, old = targets[who], state.key[who]
            rise = 0.0
            for c in range(3):
                rise += q[who, c] * (tables.vertices[v, c] - tables.vertices[old, c])
        elif what == SLACK:
            rise = abs(delta[who]) * (program.upper[who] - program.lower[who])
        else:
            i = program.ray_of[who]
            pace = q[i, 0] * program.ray[who, 0] + q[i, 1] * program.ray[who, 1] + q[i, 2] * program.ray[who, 2]
            rise = abs(pace) * program.ray_cap
        slope += rise
        if slope >= -SLOPE_TOLERANCE * amount:
            t, enter_kind, enter_who = first, what, who
            enter_vertex = targets[who] if what == VERTEX else -1
            break
        if what == VERTEX:
            state.key[who] = v
            for r in range(m):
                for c in range(3):
                    state.right[r] -= program.maps[who, r, c] * (tables.vertices[v, c] - tables.vertices[old, c])
            events[who], targets[who] = next_vertex(program, tables, state, who, g[who], q[who], stop)
            if targets[who] < 0:
                events[who] = np.inf
        elif what == SLACK:
            new = program.upper[who] if state.slack[who] == program.lower[who] else program.lower[who]
            state.right[who] += new - state.slack[who]
            state.slack[who] = new
            flips[who] = np.inf
        else:
            put = -1.0 if not state.ray_at_cap[who] else 1.0
            state.ray_at_cap[who] = not state.ray_at_cap[who]
            i = program.ray_of[who]
            for r in range(m):
                for c in range(3):
                    state.right[r] += put * program.ray_cap * program.maps[i, r, c] * program.ray[who, c]
            ray_flips[who] = np.inf
    outcome = INFEASIBLE
    if enter_kind >= 0:
        outcome = exchange(program, tables, state, g, q, column, upwards, delta, t, enter_kind, enter_who, enter_vertex)
    if outcome != STOPPED:
        state.key[:], state.slack[:], state.right[:], state.ray_at_cap[:] = old_key, old_slack, old_right, old_caps
    if outcome == INFEASIBLE:
        state.y[:] = delta
    return outcome


@njit(cache=True)
def exchange(program, tables, state, g, q, column, upwards, delta, t, enter_kind, enter_who, enter_vertex):
    """Move y by t delta and let the entering column take the place of `column`."""
    k, m = len(state.key), len(program.load)
    entering = np.zeros(m)
    if enter_kind == VERTEX:
        key = state.key[enter_who]
        for r in range(m):
            for c in range(3):
                entering[r] += program.maps[enter_who, r, c] * (
                    tables.vertices[enter_vertex, c] - tables.vertices[key, c]
                )
    elif enter_kind == SLACK:
        entering[enter_who] = -1.0
    else:
        i = program.ray_of[enter_who]
        for r in range(m):
            for c in range(3):
                entering[r] += program.maps[i, r, c] * program.ray[enter_who, c]
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


@njit(cache=True)
def run(program, tables, state, cutoff, limit):
    """Pivot until optimal, or until U(y) is proven to be at most `cutoff`, or for `limit` pivots.

    Returns (outcome, bound, pivots). PRUNED comes with y and a bound by fresh supports; INFEASIBLE with a y that excludes
    every factor; STOPPED is the limit; FAILED means that rounding got in the way.
    """
    k, m = len(state.key), len(program.load)
    g, q = np.zeros((k, 4)), np.zeros((k, 4))
    if not refresh(program, tables, state):
        return FAILED, np.inf, 0
    directions(program, state.y, g)
    fresh, pivots, last = True, 0, np.inf
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
        if not fresh and pivots % REFACTOR_EVERY == 0:
            if not refresh(program, tables, state):
                return FAILED, np.inf, pivots
            directions(program, state.y, g)
            fresh = True
        outcome = step(program, tables, state, g, q)
        if outcome == STOPPED:
            pivots += 1
            fresh = False
            continue
        if not fresh:  # an end, or trouble: look again with fresh numbers
            if not refresh(program, tables, state):
                return FAILED, np.inf, pivots
            directions(program, state.y, g)
            fresh = True
            continue
        if outcome == OPTIMAL:
            return OPTIMAL, bound_of(program, tables, state.masks, state.y), pivots
        if outcome == INFEASIBLE:
            return INFEASIBLE, -np.inf, pivots
        return FAILED, np.inf, pivots
