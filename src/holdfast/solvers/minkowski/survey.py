"""The survey of all vertices and rays of all hands: how high they reach at given multipliers, and which to take in."""

from __future__ import annotations

import numpy as np

from .columns import take_in
from .compiling import inlined
from .pricing import BLOCK, best_of_block, block_support, to_hand, value_at
from .workspace import CANDIDATES


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
def gather(tables, pool, basis, least):
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
            if take_in(tables, pool, j, 0, item):
                new += 1
        if tables.whole[s, 1] == 0:
            item, top = best_of_block(tables.rays, tables.ray_first[s], tables.ray_first[s + 1], g)
            if top > least and take_in(tables, pool, j, 1, item):
                new += 1
    return new


@inlined
def ray_slope(tables, local):
    """Steepest slope of all rays outside the pool at the multipliers in hand frames; -inf without any."""
    top = -np.inf
    for j in range(len(local)):
        s = tables.shape_of[j]
        if tables.whole[s, 1] == 0:
            top = max(top, block_support(tables.rays, tables.ray_first[s], tables.ray_first[s + 1], local[j]))
    return top
