"""Support functions of items, compiled: the best vertex of a hull, and the bounds that follow from it.

Every multiplier y bounds the load factor from above, by U(y) / -(y . b) with U(y) = sum_i h_i(M_i^T y).
"""

from __future__ import annotations

import numpy as np

from ... import tolerances
from ...compiling import inlined, kernel, small_kernel
from .cells import BEGIN, END, find_cell
from .tables import FAR, FIRST_MASK, FIRST_RAY, FIRST_VERTEX, SMALLEST_REACH, ZERO

#: Slope along a ray, relative to the terms it is the sum of, that still counts as none; stricter than in proofs.
RAY_SLOPE = 0.5 * tolerances.RAY_SLOPE

#: Multipliers below this share of the largest are rounding, where a row without a limit needs them to be none.
NO_MULTIPLIER = 1e-11

#: Rounding of a sum of supports, relative to the size of its terms and their number.
SUM_ROUNDING = 16.0 * np.finfo(np.float64).eps


@small_kernel
def support(tables, shape, mask, x, y, z, bonus):
    """The vertex of the hull of the pieces in `mask` best in a direction, with the bonus of 0.

    Returns (vertex, value, radius): the direction may move by `radius` before another vertex could win.
    """
    vertices = tables.vertices
    first, base = tables.shapes[shape, FIRST_MASK], tables.shapes[shape, FIRST_VERTEX]
    table = tables.table_of[first + mask]
    rest = mask if table < 0 else 0  # without a table of its own, the set's pieces are asked one by one
    winner, most, near = np.int64(-1), -np.inf, 0.0
    begin = end = 0
    while True:
        if rest:
            table = tables.table_of[first + (rest & -rest)]
            rest &= rest - 1
        cell, near = find_cell(tables.cells, tables.first_cell[table], x, y, z)
        begin, end = tables.cells[cell, BEGIN], tables.cells[cell, END]
        for e in range(begin, end):
            v = base + tables.lists[e]
            value = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
            if value > most:
                winner, most = v, value
        if not rest:
            break
    # The smallest (lead / distance of the two vertices)^2, as a fraction.
    above, below = near * near, 1.0
    if tables.table_of[first + mask] < 0:
        above = 0.0
    elif end - begin > 1:
        for e in range(begin, end):
            v = base + tables.lists[e]
            if v != winner:
                dx, dy = vertices[winner, 0] - vertices[v, 0], vertices[winner, 1] - vertices[v, 1]
                dz = vertices[winner, 2] - vertices[v, 2]
                lead = max(0.0, dx * x + dy * y + dz * z)
                distance = dx * dx + dy * dy + dz * dz
                if lead * lead * below < above * distance:
                    above, below = lead * lead, distance
    radius = np.sqrt(above / below)
    if tables.shapes[shape, ZERO] >= 0:
        reach = max(tables.reach[shape], SMALLEST_REACH)
        if most <= bonus:
            return tables.shapes[shape, ZERO], bonus, (bonus - most) / reach
        radius = min(radius, (most - bonus) / reach)
    return winner, most, radius


@inlined
def reward(tables, shape, vertex, bonus):
    """The bonus of a vertex: that of 0, nothing for the others."""
    return bonus if vertex == tables.shapes[shape, ZERO] else 0.0


@kernel
def certified_bound(tables, program, masks, y, load):
    """The load factor that y leaves possible, from fresh supports alone, with their rounding; inf when there is none.

    Multipliers of rows without a limit are set to zero (in y itself) where they are rounding. When `load` is zero, the
    supports are compared with nothing instead: -inf says that y excludes every load factor.
    """
    n, m = len(masks), len(y)
    vertices = tables.vertices
    work = own = size = 0.0
    for r in range(m):
        size = max(size, abs(y[r]))
    for r in range(m):
        leans = (program.unlimited[r] & 1 and y[r] > 0.0) or (program.unlimited[r] & 2 and y[r] < 0.0)
        if leans:
            if abs(y[r]) > NO_MULTIPLIER * size:
                return np.inf
            y[r] = 0.0
        work -= y[r] * load[r]
        own += abs(y[r] * load[r])
    total = terms_total = 0.0
    for i in range(n):
        gx = gy = gz = sx = sy = sz = 0.0
        for r in range(m):
            a = program.rows[r, 3 * i] * y[r]
            b = program.rows[r, 3 * i + 1] * y[r]
            c = program.rows[r, 3 * i + 2] * y[r]
            gx, gy, gz = gx + a, gy + b, gz + c
            sx, sy, sz = sx + abs(a), sy + abs(b), sz + abs(c)
        shape, mask = program.shape_of[i], masks[i]
        terms = np.sqrt(sx * sx + sy * sy + sz * sz)
        for p in range(tables.shapes[shape, FIRST_RAY], tables.shapes[shape + 1, FIRST_RAY]):
            if tables.ray_bits[p] & mask:
                slope = gx * tables.rays[p, 0] + gy * tables.rays[p, 1] + gz * tables.rays[p, 2]
                if slope > RAY_SLOPE * terms:
                    return np.inf
        if tables.shapes[shape, FIRST_RAY] < tables.shapes[shape + 1, FIRST_RAY]:
            value = -np.inf  # nothing is gained along the rays: the vertices before the cut decide
            for v in range(tables.shapes[shape, FIRST_VERTEX], tables.shapes[shape + 1, FIRST_VERTEX]):
                if tables.bits[v] & mask and not tables.bits[v] & FAR:
                    value = max(value, gx * vertices[v, 0] + gy * vertices[v, 1] + gz * vertices[v, 2])
        else:
            _, value, _ = support(tables, shape, mask, gx, gy, gz, -np.inf)
        total += value
        terms_total += terms * tables.near_reach[shape]
    total += SUM_ROUNDING * (n + m) * max(terms_total, own)
    if work > 0.0:
        return total / work
    return -np.inf if total < 0.0 else np.inf
