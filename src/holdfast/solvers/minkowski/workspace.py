"""The numbers of a solver over sums: two buffers, and named views into them.

Handing an array over to compiled code costs more than a simplex exchange, so everything small lives in one buffer of
floats and one of integers; `views` names its parts, in compiled code and in Python alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...checks import Array, IntArray
from .compiling import inlined, kernel

#: Room per hand for columns that the pricing finds.
EXTRA = 32

#: Blocks per hand whose best vertices enter the pool after a pricing.
CANDIDATES = 3

#: What stands in an empty slot, and for the convexity row of a hand that needs none.
NOTHING = -1

#: Entries at the head of the integer buffer: hands, shapes, slots, rows, rays.
HANDS, SHAPES, SLOTS, ROWS, RAYS, HEAD = 0, 1, 2, 3, 4, 5

#: Counts of a shape: vertices, of them in the pool, rays, of them in the pool, blocks.
COUNTS = 5


class Tables(NamedTuple):
    """All shapes of a solver behind one another, and the hands that have them."""

    vertices: Array  # (6, N) in hand frames, block by block
    centres: Array  # (6, blocks) of balls round the blocks
    radii: Array  # (blocks,) in units of `spread`
    order: IntArray  # (N,) which of its shape's vertices stands where
    rays: Array  # (6, M) in hand frames, as long as the unit of force, torques divided by the length
    ray_scale: Array  # (M,) their length over that of the given ones
    spread: Array  # (shapes, 6) size of each coordinate of the vertices
    first: IntArray  # (shapes + 1,) of vertices
    first_block: IntArray  # (shapes + 1,)
    ray_first: IntArray  # (shapes + 1,)
    whole: IntArray  # (shapes, 2) whether all vertices, and all rays, are in the pool from the start
    hands: IntArray  # (k,) hands, shape by shape
    hand_first: IntArray  # (shapes + 1,)
    shape_of: IntArray  # (k,)
    row_of: IntArray  # (k,) the convexity row of a hand, or NOTHING for a single vertex
    slots: IntArray  # (k, 4) slots of vertices from, extra vertices from, rays from, extra rays from
    ends: IntArray  # (k,) end of a hand's slots


class Pool(NamedTuple):
    """Columns in use, in the world and scaled: slots hand by hand."""

    world: Array  # (6, slots)
    scores: Array  # (slots,)
    maps: Array  # (k, 6, 6) from hand frames to the scaled world
    rows: IntArray  # (slots,) which offset its score has: the hand for vertices, k for rays, k + 1 for empty slots
    items: IntArray  # (slots,) place in the table of vertices or of rays; NOTHING for empty slots
    basic: IntArray  # (slots,) 1 while in the basis
    next: IntArray  # (k, 2) next extra slot to fill, for vertices and rays


class Basis(NamedTuple):
    """The basis and the numbers that go with it."""

    columns: Array  # (m, m) basic columns, one a row
    inverse: Array  # (m, m)
    work: Array  # (m, m)
    vectors: Array  # (9, m)
    offsets: Array  # (k + 2,) multipliers of convexity rows by hand; 0 for rays; -inf for empty slots
    local: Array  # (k, 6) multipliers in hand frames
    tops: Array  # (k, CANDIDATES) best supports of blocks
    axes: Array  # (6, 6) scaled axes, one a row
    gains: Array  # (6,) scaled objective
    numbers: Array  # (4,)
    kinds: IntArray  # (m,) COLUMN, FREE or FIXED
    index: IntArray  # (m,) slot, coordinate of z, or row  # pyright: ignore[reportIncompatibleMethodOverride]
    blocks: IntArray  # (k, CANDIDATES) the blocks
    basic_z: IntArray  # (6,) 1 for coordinates in the basis
    facts: IntArray  # (6,)


class Scene(NamedTuple):
    """Units and the place of the hands."""

    units: Array  # (3,) length [m], force [N], 1.0 where vertices give forces a size and 0.0 for cones alone
    centre: Array  # (3,) [m] mean of the palms
    single: Array  # (6,) scaled wrench of all hands with a single vertex
    dust: Array  # (1,) rounding of scaled torques


class Answer(NamedTuple):
    """One answer, in the world."""

    numbers: Array  # (2,) value and upper bound
    z: Array  # (6,)
    ray: Array  # (6,)
    multipliers: Array  # (6,)
    wrenches: Array  # (k, 6)
    weights: Array  # (m + k,)
    facts: IntArray  # (4,) status, exchanges, pricings, weights in use
    hands: IntArray  # (m + k,) hand of each weight
    items: IntArray  # (m + k,) its vertex, or ray, as given
    rays: IntArray  # (m + k,) 1 for rays


@inlined
def answer_views(floats, ints, k, m):
    """The answer, which stands at the head of both buffers."""
    n, wide = m + k, 20 + 6 * k
    return Answer(
        floats[0:2],
        floats[2:8],
        floats[8:14],
        floats[14:20],
        floats[20:wide].reshape((k, 6)),
        floats[wide : wide + n],
        ints[HEAD : HEAD + 4],
        ints[HEAD + 4 : HEAD + 4 + n],
        ints[HEAD + 4 + n : HEAD + 4 + 2 * n],
        ints[HEAD + 4 + 2 * n : HEAD + 4 + 3 * n],
    )


@inlined
def scene_views(floats, k, m):
    """Units and place, behind the answer."""
    at = 20 + 6 * k + m + k
    return Scene(floats[at : at + 3], floats[at + 3 : at + 6], floats[at + 6 : at + 12], floats[at + 12 : at + 13])


@inlined
def basis_views(floats, ints, k, m):
    """The basis, behind the scene."""
    a = 33 + 7 * k + m
    b = a + 3 * m * m
    c = b + 9 * m
    d = c + k + 2
    e = d + 6 * k
    f = e + CANDIDATES * k
    i = HEAD + 4 + 3 * (m + k)
    n = i + 2 * m + CANDIDATES * k
    return Basis(
        floats[a : a + m * m].reshape((m, m)),
        floats[a + m * m : a + 2 * m * m].reshape((m, m)),
        floats[a + 2 * m * m : b].reshape((m, m)),
        floats[b:c].reshape((9, m)),
        floats[c:d],
        floats[d:e].reshape((k, 6)),
        floats[e:f].reshape((k, CANDIDATES)),
        floats[f : f + 36].reshape((6, 6)),
        floats[f + 36 : f + 42],
        floats[f + 42 : f + 46],
        ints[i : i + m],
        ints[i + m : i + 2 * m],
        ints[i + 2 * m : n].reshape((k, CANDIDATES)),
        ints[n : n + 6],
        ints[n + 6 : n + 12],
    )


@inlined
def pool_views(floats, ints, k, m, slots):
    """The pool, behind the basis."""
    a = 81 + 3 * m * m + 10 * m + (14 + CANDIDATES) * k
    b = a + 6 * slots
    c = b + slots
    i = HEAD + 16 + 5 * m + (3 + CANDIDATES) * k
    return Pool(
        floats[a:b].reshape((6, slots)),
        floats[b:c],
        floats[c : c + 36 * k].reshape((k, 6, 6)),
        ints[i : i + slots],
        ints[i + slots : i + 2 * slots],
        ints[i + 2 * slots : i + 3 * slots],
        ints[i + 3 * slots : i + 3 * slots + 2 * k].reshape((k, 2)),
    )


@inlined
def table_views(vertices, centres, radii, order, rays, floats, ints):
    """The tables, behind the pool."""
    k, s, slots, m, n = ints[HANDS], ints[SHAPES], ints[SLOTS], ints[ROWS], ints[RAYS]
    a = 81 + 3 * m * m + 10 * m + (50 + CANDIDATES) * k + 7 * slots
    i = HEAD + 16 + 5 * m + (5 + CANDIDATES) * k + 3 * slots
    j = i + 4 * (s + 1) + 2 * s
    return Tables(
        vertices,
        centres,
        radii,
        order,
        rays,
        floats[a : a + n],
        floats[a + n : a + n + 6 * s].reshape((s, 6)),
        ints[i : i + s + 1],
        ints[i + (s + 1) : i + 2 * (s + 1)],
        ints[i + 2 * (s + 1) : i + 3 * (s + 1)],
        ints[i + 4 * (s + 1) : j].reshape((s, 2)),
        ints[j : j + k],
        ints[i + 3 * (s + 1) : i + 4 * (s + 1)],
        ints[j + k : j + 2 * k],
        ints[j + 2 * k : j + 3 * k],
        ints[j + 3 * k : j + 7 * k].reshape((k, 4)),
        ints[j + 7 * k : j + 8 * k],
    )


@inlined
def views(vertices, centres, radii, order, rays, floats, ints):
    """(tables, pool, basis, scene, answer): all parts of the buffers by name, in compiled code."""
    k, slots, m = ints[HANDS], ints[SLOTS], ints[ROWS]
    tables = table_views(vertices, centres, radii, order, rays, floats, ints)
    pool = pool_views(floats, ints, k, m, slots)
    return tables, pool, basis_views(floats, ints, k, m), scene_views(floats, k, m), answer_views(floats, ints, k, m)


def parts(
    vertices: Array, centres: Array, radii: Array, order: IntArray, rays: Array, floats: Array, ints: IntArray
) -> tuple[Tables, Pool, Basis, Scene, Answer]:
    """`views` in Python."""
    k, slots, m = int(ints[HANDS]), int(ints[SLOTS]), int(ints[ROWS])
    return (
        table_views.py_func(vertices, centres, radii, order, rays, floats, ints),
        pool_views.py_func(floats, ints, k, m, slots),
        basis_views.py_func(floats, ints, k, m),
        scene_views.py_func(floats, k, m),
        answer_views.py_func(floats, ints, k, m),
    )


def build_buffers(counts: IntArray, shape_of: IntArray, rays: int) -> tuple[Array, IntArray]:
    """Empty buffers for hands with shapes of these counts, (shapes, COUNTS); the head of the integers is filled."""
    k, s, m, slots = len(shape_of), len(counts), 6, 0
    for (vertices, chosen, edges, edges_chosen, _), hands in zip(
        counts.tolist(), np.bincount(shape_of, minlength=s).tolist(), strict=True
    ):
        m += hands * (vertices > 1)
        slots += hands * (chosen * (vertices > 1) + edges_chosen)
        slots += hands * EXTRA * ((vertices > chosen) + (edges > edges_chosen))
    floats = np.zeros(81 + 3 * m * m + 10 * m + (50 + CANDIDATES) * k + 7 * slots + rays + 6 * s)
    ints = np.zeros(HEAD + 16 + 5 * m + (13 + CANDIDATES) * k + 3 * slots + 4 * (s + 1) + 2 * s, dtype=np.int64)
    ints[:HEAD] = k, s, slots, m, rays
    return floats, ints


@kernel
def fill_tables(vertices, centres, radii, order, rays, floats, ints, counts, shape_of, spread, chosen, ray_chosen):
    """Where shapes, hands and slots begin; the vertices and rays (places in their shape) that the pool starts with."""
    tables, pool, _, _, _ = views(vertices, centres, radii, order, rays, floats, ints)
    k, s = ints[HANDS], ints[SHAPES]
    at, row, hands = 0, 6, 0
    for j in range(k):
        tables.shape_of[j] = shape_of[j]
    for q in range(s):
        tables.first[q + 1] = tables.first[q] + counts[q, 0]
        tables.ray_first[q + 1] = tables.ray_first[q] + counts[q, 2]
        tables.first_block[q + 1] = tables.first_block[q] + counts[q, 4]
        tables.whole[q, 0] = counts[q, 0] == counts[q, 1]
        tables.whole[q, 1] = counts[q, 2] == counts[q, 3]
        for r in range(6):
            tables.spread[q, r] = spread[q, r]
        for j in range(k):
            if shape_of[j] == q:
                tables.hands[hands] = j
                hands += 1
        tables.hand_first[q + 1] = hands
    for j in range(k):
        q = shape_of[j]
        from_pool, from_rays = 0, 0
        for other in range(q):
            from_pool += counts[other, 1]
            from_rays += counts[other, 3]
        tables.slots[j, 0] = at
        tables.row_of[j] = NOTHING
        if counts[q, 0] > 1:
            tables.row_of[j] = row
            row += 1
            for i in range(counts[q, 1]):
                pool.items[at], pool.rows[at] = chosen[from_pool + i] + tables.first[q], j
                at += 1
        tables.slots[j, 1] = at
        if counts[q, 0] > counts[q, 1]:
            for _ in range(EXTRA):
                pool.items[at], pool.rows[at] = NOTHING, k + 1
                at += 1
        tables.slots[j, 2] = at
        for i in range(counts[q, 3]):
            pool.items[at], pool.rows[at] = ray_chosen[from_rays + i] + tables.ray_first[q], k
            at += 1
        tables.slots[j, 3] = at
        if counts[q, 2] > counts[q, 3]:
            for _ in range(EXTRA):
                pool.items[at], pool.rows[at] = NOTHING, k + 1
                at += 1
        tables.ends[j] = at
        pool.next[j, 0], pool.next[j, 1] = tables.slots[j, 1], tables.slots[j, 3]
