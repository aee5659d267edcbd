"""Support functions of contacts, compiled: the best vertex of a hull, and the bounds that follow from it.

Every multiplier y bounds the load factor from above, by U(y) / -(y . b) with
U(y) = sum_i h_i(M_i^T y) - min over s of y . s.
"""

from __future__ import annotations

import numpy as np

from .. import tolerances
from .compiling import kernel
from .tables import CUBE_CELLS

#: Slope along a ray, relative to the terms it is the sum of, that still counts as none; stricter than in proofs.
RAY_SLOPE = 0.5 * tolerances.RAY_SLOPE


@kernel
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


@kernel
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


@kernel
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


@kernel
def reward(tables, shape, vertex, bonus):
    """The bonus of a vertex: that of 0, nothing for the others."""
    return bonus if vertex == tables.zero[shape] else 0.0


@kernel
def contact_direction(program, i, y):
    """M_i^T y."""
    gx = gy = gz = 0.0
    for r in range(len(y)):
        gx += program.maps[i, r, 0] * y[r]
        gy += program.maps[i, r, 1] * y[r]
        gz += program.maps[i, r, 2] * y[r]
    return gx, gy, gz


@kernel
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


@kernel
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
            if slope > RAY_SLOPE * terms:
                return np.inf
    return total


@kernel
def bound_of(program, tables, masks, y):
    """U(y) with fresh supports and without bonuses, scaled to y . b = -1; inf when y bounds nothing."""
    work = 0.0
    for r in range(len(y)):
        work += y[r] * program.load[r]
    if work >= 0.0:
        return np.inf
    total = free_bound(program, tables, masks, y)
    return total / -work
