"""The basis of the dual simplex method: how it begins, how it is refreshed, how it changes hands.

Each contact has a key vertex that carries the weight its other basic vertices leave over. The m basic columns (d,
vertices M_i (v - key_i), slacks, rays, artificial columns that must become zero) make the multipliers y unique.
"""

from __future__ import annotations

import numpy as np

from .compiling import kernel
from .program import ARTIFICIAL, FACTOR, RAY, VERTEX, State
from .supports import contact_direction, reward, support

#: A pivot of the inversion below this share of its column's largest entry means a singular basis.
SINGULAR = 1e-13

#: Share of the mean spread added to every row of the first guess, so that rows nothing acts on do no harm.
REGULAR = 1e-9

#: A row without a limit on some side counts as this many times wider than all contacts together.
UNLIMITED_ROW = 1e3


@kernel
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
        spread[r, r] += REGULAR * trace / m + np.finfo(np.float64).tiny
        if not np.isfinite(program.upper[r] - program.lower[r]):
            spread[r, r] += UNLIMITED_ROW * trace
    y = -np.linalg.solve(spread, program.load)
    for r in range(m):  # an unlimited side of a row cannot be leaned on
        if (y[r] > 0.0 and program.lower[r] == -np.inf) or (y[r] < 0.0 and program.upper[r] == np.inf):
            y[r] = 0.0
    work = y @ program.load
    if not work < 0.0:
        y = -program.load.copy()
        work = y @ program.load
    return y / -work


@kernel
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
        if program.lower[r] == program.upper[r] or y[r] > 0.0:
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


@kernel
def invert(matrix, inverse, work):
    """Gauss-Jordan inverse with row pivoting into `inverse`; False when singular. Faster than LAPACK for m < 30."""
    m = matrix.shape[0]
    for r in range(m):
        for c in range(m):
            work[r, c] = matrix[r, c]
            inverse[r, c] = 1.0 if r == c else 0.0
    for c in range(m):
        size = 0.0
        for r in range(m):
            size = max(size, abs(matrix[r, c]))
        best = c
        for r in range(c + 1, m):
            if abs(work[r, c]) > abs(work[best, c]):
                best = r
        pivot = work[best, c]
        if not abs(pivot) > SINGULAR * size:
            return False
        if best != c:
            for j in range(m):
                work[c, j], work[best, j] = work[best, j], work[c, j]
                inverse[c, j], inverse[best, j] = inverse[best, j], inverse[c, j]
        for j in range(m):
            work[c, j] /= pivot
            inverse[c, j] /= pivot
        for r in range(m):
            factor = work[r, c]
            if r != c and factor != 0.0:
                for j in range(m):
                    work[r, j] -= factor * work[c, j]
                    inverse[r, j] -= factor * inverse[c, j]
    return True


@kernel
def refresh(program, tables, state):
    """Inverse, multipliers, right-hand side and values anew from the basis; False when it is singular."""
    m = len(program.load)
    if not invert(state.columns, state.inverse, np.empty((m, m))):
        return False
    for r in range(m):
        state.y[r] = 0.0
    for j in range(m):
        gain = 0.0
        if state.kind[j] == FACTOR:
            gain = 1.0
        elif state.kind[j] == VERTEX:
            shape = program.shape_of[state.who[j]]
            gain = reward(tables, shape, state.vertex[j], program.bonus)
            gain -= reward(tables, shape, state.key[state.who[j]], program.bonus)
        elif state.kind[j] == ARTIFICIAL:
            gain = state.gain[j]
        if gain != 0.0:
            for r in range(m):
                state.y[r] -= gain * state.inverse[j, r]
    renew_values(program, tables, state)
    return True


@kernel
def renew_values(program, tables, state):
    """Right-hand side and values from keys and bounds, with the inverse as it is."""
    m = len(program.load)
    renew_right(program, tables, state)
    for j in range(m):
        value = 0.0
        for r in range(m):
            value += state.inverse[j, r] * state.right[r]
        state.x[j] = value


@kernel
def renew_right(program, tables, state):
    """The right-hand side from keys, nonbasic slacks and capped rays."""
    m = len(program.load)
    for r in range(m):
        state.right[r] = 0.0 if state.is_basic_slack[r] else state.slack[r]
    for i in range(len(state.key)):
        v = tables.vertices[state.key[i]]
        for r in range(m):
            state.right[r] -= program.maps[i, r, 0] * v[0] + program.maps[i, r, 1] * v[1] + program.maps[i, r, 2] * v[2]
    for p in range(len(program.ray_of)):
        if state.ray_at_cap[p]:
            i = program.ray_of[p]
            for r in range(m):
                for c in range(3):
                    state.right[r] -= program.ray_cap * program.maps[i, r, c] * program.ray[p, c]


@kernel
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


@kernel
def restrict(program, tables, state, i, mask):
    """Allow contact i only the pieces in `mask`, keeping the basis dual feasible; call `refresh` (or `run`) after.

    Columns of vertices that are no longer allowed become artificial: they must fall to zero, and will.
    """
    m = len(program.load)
    state.masks[i] = mask
    if not tables.bits[state.key[i]] & mask:
        for j in range(m):
            if state.kind[j] == VERTEX and state.who[j] == i and tables.bits[state.vertex[j]] & mask:
                swap_key(program, tables, state, i, j)
                break
    keep = tables.bits[state.key[i]] & mask
    bonus = program.bonus
    for j in range(m):
        if state.kind[j] == VERTEX and state.who[j] == i and not (keep and tables.bits[state.vertex[j]] & mask):
            zero = tables.zero[program.shape_of[i]]
            state.gain[j] = (bonus if state.vertex[j] == zero else 0.0) - (bonus if state.key[i] == zero else 0.0)
            state.kind[j], state.who[j], state.vertex[j] = ARTIFICIAL, -1, -1
            state.mixed[i] -= 1
        elif state.kind[j] == RAY and program.ray_of[state.who[j]] == i and not program.ray_bit[state.who[j]] & mask:
            state.is_basic_ray[state.who[j]] = False
            state.gain[j] = 0.0
            state.kind[j], state.who[j] = ARTIFICIAL, -1
    if not keep:
        gx, gy, gz = contact_direction(program, i, state.y)
        state.key[i], _ = support(tables, program.shape_of[i], mask, gx, gy, gz, bonus)
    for p in range(len(program.ray_of)):
        if program.ray_of[p] == i and not program.ray_bit[p] & mask:
            state.ray_at_cap[p] = False
