"""Pricing: which column of the pool, or of all vertices and rays, improves most at given multipliers.

Vertices stay in the hands' frames: a hand's support in the world direction y is its shape's support in T^T y. They are
stored coordinate by coordinate, (6, n), so that the processor takes several at a time, and in blocks that lie close
together, so that a ball round each shows which blocks cannot matter.
"""

from __future__ import annotations

import numpy as np

from .compiling import inlined, vectorised

#: Vertices of a block.
BLOCK = 64


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
