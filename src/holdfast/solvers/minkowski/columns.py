"""The columns of a program over a sum: shapes prepared once, hands at their places, and the pool of columns in use.

A shape's vertices are kept in blocks of neighbours (see `pricing`), with about `POOL` support vertices chosen all
around: every program starts with these alone, and takes in others as the pricing finds that they matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...checks import Array, IntArray
from .compiling import inlined, kernel
from .pricing import BLOCK

#: Vertices of a shape that every program starts with, and rays alike.
POOL = 64

#: Directions whose support vertices are taken first, and the seed of those that are random.
SUPPORT_DIRECTIONS, SEED = 160, 20


class Shape(NamedTuple):
    """One shape prepared: its vertices in blocks of neighbours, the support vertices to start with, and its rays."""

    vertices: Array  # (n, 6) as given, in the hand's frame
    rays: Array  # (m, 6) as given
    table: Array  # (6, n) vertices block by block
    order: IntArray  # (n,) which vertex stands where in the table
    centres: Array  # (6, blocks)
    radii: Array  # (blocks,) of balls round the centres, in units of `spread`
    spread: Array  # (6,) size of each coordinate
    pool: IntArray  # places in the table
    ray_pool: IntArray  # rows of the rays
    counts: IntArray  # (5,) see `workspace.COUNTS`
    reach: tuple[float, float]  # longest force [N] and torque [N m] of the vertices


def prepare(vertices: Array, rays: Array | None = None) -> Shape:
    """Tables of hull(vertices) + cone(rays), (n, 6) and (m, 6) in the hand's frame; made once and shared by solvers."""
    vertices = np.ascontiguousarray(vertices, dtype=np.float64).reshape(-1, 6)
    rays = np.zeros((0, 6)) if rays is None else np.ascontiguousarray(rays, dtype=np.float64).reshape(-1, 6)
    middle = vertices.mean(axis=0)
    spread = np.sqrt(np.mean((vertices - middle) ** 2, axis=0))
    spread[spread <= 0.0] = np.finfo(float).tiny ** 0.5
    scaled = (vertices - middle) / spread
    order = _neighbours(scaled)
    table = np.ascontiguousarray(vertices[order].T)
    starts = np.arange(0, len(vertices), BLOCK)
    blocks = [scaled[order[start : start + BLOCK]] for start in starts]
    centres = np.array([block.mean(axis=0) for block in blocks])
    radii = np.array([_norms(block - c).max() for block, c in zip(blocks, centres, strict=True)]) * (1.0 + 1e-12)
    centres = np.ascontiguousarray((centres * spread + middle).T)
    lengths = _norms(rays)
    units = rays / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    pool, ray_pool = _around(scaled[order]), _around(units)
    counts = np.array([len(vertices), len(pool), len(rays), len(ray_pool), len(starts)])
    reach = float(_norms(vertices[:, :3]).max()), float(_norms(vertices[:, 3:]).max())
    return Shape(vertices, rays, table, order, centres, radii, spread, pool, ray_pool, counts, reach)


def _norms(rows: Array) -> Array:
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))


def _neighbours(points: Array) -> IntArray:
    """An order in which each run of `BLOCK` points lies close together: halves along the widest coordinate."""
    parts, done = [np.arange(len(points))], []
    while parts:
        part = parts.pop()
        if len(part) <= BLOCK:
            done.append(part)
            continue
        own = points[part]
        axis = int(np.argmax(own.max(axis=0) - own.min(axis=0)))
        blocks = -(-len(part) // BLOCK)
        cut = BLOCK * (blocks // 2)
        split = np.argpartition(own[:, axis], cut)
        parts += [part[split[cut:]], part[split[:cut]]]
    return np.concatenate(done)


def _around(points: Array) -> IntArray:
    """At most `POOL` places of support points all around, in sorted order; all of them where there are no more."""
    if len(points) <= POOL:
        return np.arange(len(points))
    covariance = np.cov(points.T)
    values, vectors = np.linalg.eigh(covariance)
    axes = (vectors / np.sqrt(np.maximum(values, max(1e-12 * values[-1], np.finfo(float).tiny)))).T
    random = np.random.default_rng(SEED).normal(size=(SUPPORT_DIRECTIONS, 6))
    random /= _norms(random)[:, None]
    directions = np.vstack([axes, -axes, random @ axes])
    best = np.argmax(points @ directions.T, axis=0)
    _, first = np.unique(best, return_index=True)
    return np.sort(best[np.sort(first)[:POOL]])


@inlined
def fill_slot(tables, pool, hand, slot):
    """World coordinates of the item in a slot; nothing for empty ones."""
    item = pool.items[slot]
    ray = slot >= tables.slots[hand, 2]
    for r in range(6):
        total = 0.0
        if item >= 0:
            for c in range(6):
                total += pool.maps[hand, r, c] * (tables.rays[c, item] if ray else tables.vertices[c, item])
        pool.world[r, slot] = total


@kernel
def fill_hand(tables, pool, hand):
    """World coordinates of all columns of a hand."""
    start = tables.slots[hand, 0]
    world, maps = pool.world, pool.maps
    for part in range(2):
        begin = start if part == 0 else tables.slots[hand, 2]
        end = tables.slots[hand, 2] if part == 0 else tables.ends[hand]
        source = tables.vertices if part == 0 else tables.rays
        for slot in range(begin, end):
            item = pool.items[slot]
            if item < 0:
                continue
            v0, v1, v2 = source[0, item], source[1, item], source[2, item]
            v3, v4, v5 = source[3, item], source[4, item], source[5, item]
            for r in range(6):
                world[r, slot] = (
                    maps[hand, r, 0] * v0
                    + maps[hand, r, 1] * v1
                    + maps[hand, r, 2] * v2
                    + maps[hand, r, 3] * v3
                    + maps[hand, r, 4] * v4
                    + maps[hand, r, 5] * v5
                )


@kernel
def take_in(tables, pool, hand, part, item):
    """Put a vertex (part 0) or ray (part 1) of a hand into its extra slots; False where it is there or has no room."""
    begin = tables.slots[hand, 2 * part]
    first = tables.slots[hand, 2 * part + 1]
    end = tables.slots[hand, 2] if part == 0 else tables.ends[hand]
    for slot in range(begin, end):
        if pool.items[slot] == item:
            return False
    k = len(tables.shape_of)
    slot = pool.next[hand, part]
    for _ in range(first, end):
        if slot >= end:
            slot = first
        if pool.basic[slot] == 0:
            pool.items[slot] = item
            pool.rows[slot] = hand if part == 0 else k
            fill_slot(tables, pool, hand, slot)
            pool.next[hand, part] = slot + 1
            return True
        slot += 1
    return False
