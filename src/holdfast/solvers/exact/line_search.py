"""How far the multipliers move in one step of the simplex method, and what stops them; compiled.

Along y + t delta the bound U falls until enough items have changed their support vertex. Items with a single vertex
simply flip on the way; where the slope turns, or at the first item that already mixes vertices, the entering column
is found.
"""

from __future__ import annotations

import numpy as np

from ...compiling import inlined, small_kernel
from .program import KEY, MASK, MIXED, RIGHT, VERTEX, WHO
from .supports import reward, support

#: A vertex overtakes another when it is better by this share of the terms that were summed to compare them.
OVERTAKE_TOLERANCE = 1e-13

#: A vertex that rises over another by less than this share of their distance is level with it: no pivot to trust.
LEVEL = 1e-9

#: The line search ends where the slope of U has risen to within this share of its first value.
SLOPE_TOLERANCE = 1e-11

#: Rounds of Dinkelbach's iteration (never met; each round finds another vertex).
MOST_ROUNDS = 200


@small_kernel
def next_vertex(tables, program, items, base, i, along, pace, cap, y_size, delta_size):
    """First t < cap at which a vertex overtakes item i's key along M_i^T (y + t delta).

    Returns (t, vertex, radius); (cap, -1, radius at cap) when none does.
    """
    shape, mask, key = program.shape_of[i], items[MASK, i], items[KEY, i]
    vertices, bonus = tables.vertices, program.bonus
    gx, gy, gz = along[3 * i], along[3 * i + 1], along[3 * i + 2]
    qx, qy, qz = pace[3 * i], pace[3 * i + 1], pace[3 * i + 2]
    noise, t, found, radius = 0.0, cap, np.int64(-1), 0.0
    g_key = q_key = 0.0
    for a in range(MOST_ROUNDS):
        share, step, extra = 1.0, t, bonus
        if t == np.inf:
            share, step, extra = 0.0, 1.0, 0.0
        x, y, z = share * gx + step * qx, share * gy + step * qy, share * gz + step * qz
        v, _, radius = support(tables, shape, mask, x, y, z, extra)
        if v == key or v == found:  # noqa: SIM109 (a tuple to search in takes a second to compile)
            break
        if items[MIXED, i] > 0:
            basic = False
            for j in range(base.shape[1]):
                if base[VERTEX, j] == v and base[WHO, j] == i:
                    basic = True
            if basic:  # it ties with the key but for rounding
                break
        if a == 0:
            g_key = gx * vertices[key, 0] + gy * vertices[key, 1] + gz * vertices[key, 2]
            g_key += reward(tables, shape, key, bonus)
            q_key = qx * vertices[key, 0] + qy * vertices[key, 1] + qz * vertices[key, 2]
            noise = OVERTAKE_TOLERANCE * program.size[i] * tables.reach[shape]
        rise = qx * vertices[v, 0] + qy * vertices[v, 1] + qz * vertices[v, 2] - q_key
        dx, dy = vertices[v, 0] - vertices[key, 0], vertices[v, 1] - vertices[key, 1]
        dz = vertices[v, 2] - vertices[key, 2]
        apart = np.sqrt(dx * dx + dy * dy + dz * dz)
        if rise <= max(noise, LEVEL * program.size[i] * apart) * delta_size:
            break
        behind = g_key - gx * vertices[v, 0] - gy * vertices[v, 1] - gz * vertices[v, 2]
        behind -= reward(tables, shape, v, bonus)
        crossing = max(0.0, behind / rise)
        if t < np.inf and t - crossing <= noise * (y_size + t * delta_size) / rise:
            break  # ahead at t by no more than rounding
        t, found = crossing, v
    return t, found, radius


@inlined
def move_key(tables, program, items, vectors, i, v):
    """Item i's key becomes v."""
    old = items[KEY, i]
    items[KEY, i] = v
    dx = tables.vertices[v, 0] - tables.vertices[old, 0]
    dy = tables.vertices[v, 1] - tables.vertices[old, 1]
    dz = tables.vertices[v, 2] - tables.vertices[old, 2]
    for r in range(vectors.shape[1]):
        vectors[RIGHT, r] -= program.rows[r, 3 * i] * dx
        vectors[RIGHT, r] -= program.rows[r, 3 * i + 1] * dy + program.rows[r, 3 * i + 2] * dz


@inlined
def line_search(tables, program, work, items, base, vectors, radius, along, own, amount, y_size, delta_size):
    """Follow y + t delta over the breakpoints of U while it falls, flipping the keys that may flip.

    Returns (t, item, vertex, flips): the column that ends it; item -1 when nothing does.
    """
    n = items.shape[1]
    pace, at, target, active, safe = work.pace, work.at, work.target, work.active, work.safe
    stop, who, vertex, count, flips = np.inf, np.int64(-1), np.int64(-1), 0, 0
    for i in range(n):  # items that mix vertices already stop the search for good
        safe[1, i] = np.inf
        if items[MIXED, i] - (1 if i == own else 0) > 0:
            t, v, _ = next_vertex(tables, program, items, base, i, along, pace, stop, y_size, delta_size)
            if v >= 0 and t < stop:
                stop, who, vertex = t, i, v
    # Free items: those that change vertex before `horizon`, an upper bound on where the slope turns.
    horizon, gained, furthest = stop, 0.0, 0.0
    for i in range(n):
        if items[MIXED, i] - (1 if i == own else 0) == 0:
            qx, qy, qz = pace[3 * i], pace[3 * i + 1], pace[3 * i + 2]
            turn = np.sqrt(qx * qx + qy * qy + qz * qz)
            if turn == 0.0 or horizon * turn < radius[i]:
                continue
            t, v, known = next_vertex(tables, program, items, base, i, along, pace, horizon, y_size, delta_size)
            if v < 0:
                safe[0, i], safe[1, i] = known, horizon
                continue
            at[count], target[count], active[count] = t, v, i
            count += 1
            key = items[KEY, i]
            gained += qx * (tables.vertices[v, 0] - tables.vertices[key, 0])
            gained += qy * (tables.vertices[v, 1] - tables.vertices[key, 1])
            gained += qz * (tables.vertices[v, 2] - tables.vertices[key, 2])
            furthest = max(furthest, t)
            if gained >= amount:
                horizon = min(horizon, furthest)
    slope = -amount
    while count > 0 and flips < work.flipped.shape[1]:
        first = 0
        for a in range(1, count):
            if at[a] < at[first]:
                first = a
        if not at[first] < stop:
            break
        i, v = active[first], target[first]
        key = items[KEY, i]
        for c in range(3):
            slope += pace[3 * i + c] * (tables.vertices[v, c] - tables.vertices[key, c])
        if slope >= -SLOPE_TOLERANCE * amount:
            stop, who, vertex = at[first], i, v
            break
        work.flipped[0, flips], work.flipped[1, flips] = i, key
        flips += 1
        move_key(tables, program, items, vectors, i, v)
        t, v, _ = next_vertex(tables, program, items, base, i, along, pace, stop, y_size, delta_size)
        at[first], target[first] = max(t, at[first]), v
        if v < 0:
            count -= 1
            at[first], target[first], active[first] = at[count], target[count], active[count]
    return stop, who, vertex, flips
