"""How a basis begins, and how it passes from one load or one set of pieces to another; compiled.

Any multipliers y with y . b = -1 start the dual simplex method: the support vertices at y are the keys, and unit
columns with the right objective fill the basis up. They must become zero, and leave one by one.
"""

from __future__ import annotations

import numpy as np

from ...compiling import kernel
from .program import ARTIFICIAL, FACTOR, GAIN, KEY, MASK, MIXED, RIGHT, VERTEX, WHO, X, Y
from .simplex import directions, renew_right, swap_key
from .supports import reward, support

#: A load is put into a basis only if it changes the first column by no more than the inverse of this.
SMALLEST_TURN = 1e-9


@kernel
def start(tables, program, frames, s, y):
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
        key, _, near = support(
            tables,
            program.shape_of[i],
            items[MASK, i],
            along[3 * i],
            along[3 * i + 1],
            along[3 * i + 2],
            program.bonus,
        )
        items[KEY, i], items[MIXED, i], radius[i] = key, 0, near
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
def restrict(tables, program, frames, s, i, mask):
    """Allow contact i only the pieces in `mask`, keeping the basis of slot s dual feasible; `run` afterwards.

    Columns of vertices that are no longer allowed become artificial: they must fall to zero, and will.
    """
    items, base, columns, inverse = frames.items[s], frames.base[s], frames.columns[s], frames.inverse[s]
    vectors, along = frames.vectors[s], frames.along[s]
    m, shape, bonus = len(inverse), program.shape_of[i], program.bonus
    items[MASK, i] = mask
    if not tables.bits[items[KEY, i]] & mask:
        for j in range(1, m):
            if base[WHO, j] == i and tables.bits[base[VERTEX, j]] & mask:
                swap_key(items, base, columns, inverse, vectors, i, j)
                break
    key = items[KEY, i]
    keep = tables.bits[key] & mask
    for j in range(1, m):
        if base[WHO, j] == i and not (keep and tables.bits[base[VERTEX, j]] & mask):
            vectors[GAIN, j] = reward(tables, shape, base[VERTEX, j], bonus) - reward(tables, shape, key, bonus)
            base[WHO, j], base[VERTEX, j] = ARTIFICIAL, -1
            items[MIXED, i] -= 1
    if not keep:
        new, _, near = support(tables, shape, mask, along[3 * i], along[3 * i + 1], along[3 * i + 2], bonus)
        items[KEY, i], frames.radius[s, i] = new, near
        for c in range(3):
            step = tables.vertices[new, c] - tables.vertices[key, c]
            for r in range(m):
                vectors[RIGHT, r] -= program.rows[r, 3 * i + c] * step
    vectors[X, 0] = np.inf
