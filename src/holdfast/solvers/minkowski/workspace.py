"""The numbers of a solver over sums: shapes prepared once, and one workspace of named arrays per solver.

Passing an array to compiled code costs about as much as an exchange of the simplex method, and a record of fifty arrays
more than a whole program. So all small arrays of a workspace are cut from one buffer of floats and one of integers. The
functions `*_part` state the size of every array once, in order, and return where the next part begins; they run in
compiled code and in Python (`Kernel.interpreted`), and also give the size of the buffers.

A shape's vertices are kept in blocks of neighbours (see `simplex`), with about `POOL` support vertices chosen all
around: every program starts with these alone, and adds others as the pricing finds that they matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ... import tolerances
from ...checks import Array, IntArray
from ...compiling import entry_kernel, inlined

#: Vertices of a block.
BLOCK = 64

#: Vertices of a shape that every program starts with, and rays alike.
POOL = 64

#: Directions whose support vertices are taken first, and the seed of those that are random.
SUPPORT_DIRECTIONS, SEED = 160, 20

#: Variances of points below this share of the largest count as this share.
LEAST_VARIANCE = 1e-12

#: Room per hand for columns that the pricing finds.
EXTRA = 32

#: Blocks per hand whose best vertices enter the pool after a pricing.
CANDIDATES = 3

#: What stands in an empty slot, and for the convexity row of a hand that needs none.
NOTHING = -1

#: Most atoms of a search for the nearest point: one more than a wrench has parts.
ATOMS = 7

#: Entries at the head of the integer buffer: hands, shapes, slots, rows, rays.
HANDS, SHAPES, SLOTS, ROWS, RAYS, HEAD = range(6)

#: Entries of `SimplexBasis.numbers`; of `AnswerBuffer.numbers` the first two.
VALUE, BOUND, ROUNDOFF, SIZE = range(4)

#: Entries of `SimplexBasis.state`.
STATUS, PIVOTS, PRICINGS, STARTED, ENTERED, SIGN = range(6)

#: Further entries of `AnswerBuffer.state`, after STATUS, PIVOTS and PRICINGS: weights in use; 1 where a verdict about
#: membership is clear of rounding.
USED, CLEAR = 3, 4

#: Kinds of basic variables: a weight (>= 0), a coordinate of z, an artificial unit column (zero).
COLUMN, FREE, FIXED = 0, 1, 2


class PreparedShape(NamedTuple):
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
    counts: IntArray  # (5,) vertices, of them in the pool, rays, of them in the pool, blocks
    reach: tuple[float, float]  # longest force [N] and torque [N m] of the vertices
    #: The last workspace that was built for hands with this shape alone, by number of hands and length, as it was
    #: before any program; solvers get copies of its buffers.
    unused: dict[tuple[int, float], Workspace]


def prepare(vertices: ArrayLike, rays: ArrayLike | None = None) -> PreparedShape:
    """Tables of hull(vertices) + cone(rays), (n, 6) and (m, 6) in the hand's frame; made once and shared by solvers."""
    vertices = np.ascontiguousarray(vertices, dtype=np.float64).reshape(-1, 6)
    rays = np.zeros((0, 6)) if rays is None else np.ascontiguousarray(rays, dtype=np.float64).reshape(-1, 6)
    middle = vertices.mean(axis=0)
    spread = np.sqrt(np.mean((vertices - middle) ** 2, axis=0))
    spread[spread <= 0.0] = np.finfo(float).tiny ** 0.5
    scaled = (vertices - middle) / spread
    order = _neighbours(scaled)
    starts = np.arange(0, len(vertices), BLOCK)
    blocks = [scaled[order[start : start + BLOCK]] for start in starts]
    centres = np.array([block.mean(axis=0) for block in blocks])
    radii = np.array([norms(block - c).max() for block, c in zip(blocks, centres, strict=True)])
    lengths = norms(rays)
    pool, ray_pool = _around(scaled[order]), _around(rays / np.where(lengths > 0.0, lengths, 1.0)[:, None])
    return PreparedShape(
        vertices,
        rays,
        np.ascontiguousarray(vertices[order].T),
        order,
        np.ascontiguousarray((centres * spread + middle).T),
        radii * (1.0 + tolerances.ROUNDING),
        spread,
        pool,
        ray_pool,
        np.array([len(vertices), len(pool), len(rays), len(ray_pool), len(starts)]),
        (float(norms(vertices[:, :3]).max()), float(norms(vertices[:, 3:]).max())),
        {},
    )


def norms(rows: Array) -> Array:
    """(n,) Euclidean lengths of rows (n, d)."""
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
    values, vectors = np.linalg.eigh(np.cov(points.T))
    axes = (vectors / np.sqrt(np.maximum(values, max(LEAST_VARIANCE * values[-1], np.finfo(float).tiny)))).T
    random = np.random.default_rng(SEED).normal(size=(SUPPORT_DIRECTIONS, 6))
    random /= norms(random)[:, None]
    best = np.argmax(points @ np.vstack([axes, -axes, random @ axes]).T, axis=0)
    _, first = np.unique(best, return_index=True)
    return np.sort(best[np.sort(first)[:POOL]])


# -- the records ----------------------------------------------------------------------------------


class AnswerBuffer(NamedTuple):
    """One answer, in the world."""

    numbers: Array  # (2,) VALUE and BOUND
    z: Array  # (6,)
    ray: Array  # (6,)
    multipliers: Array  # (6,)
    wrenches: Array  # (k, 6)
    weights: Array  # (m + k,)
    state: IntArray  # (5,) STATUS, PIVOTS, PRICINGS, USED, CLEAR
    hands: IntArray  # (m + k,) hand of each weight
    items: IntArray  # (m + k,) its vertex, or ray, as given
    rays: IntArray  # (m + k,) 1 for rays


class BatchBuffer(NamedTuple):
    """The answers to n programs, a row each; see `AnswerBuffer`."""

    numbers: Array  # (n, 2)
    z: Array  # (n, 6)
    ray: Array  # (n, 6)
    multipliers: Array  # (n, 6)
    wrenches: Array  # (n, k, 6)
    state: IntArray  # (n, 5)


def build_batch(n: int, k: int) -> BatchBuffer:
    """Room for n answers about k hands."""
    z, ray, multipliers = np.zeros((3, n, 6))
    return BatchBuffer(np.zeros((n, 2)), z, ray, multipliers, np.zeros((n, k, 6)), np.zeros((n, 5), np.int64))


class HandPlacement(NamedTuple):
    """Units and the place of the hands."""

    units: Array  # (3,) length [m], force [N], 1.0 where vertices give forces a size and 0.0 for cones alone
    centre: Array  # (3,) [m] mean of the palms
    single: Array  # (6,) scaled wrench of all hands with a single vertex
    roundoff: Array  # (1,) rounding of scaled torques


class SimplexBasis(NamedTuple):
    """The basis and the numbers that go with it."""

    columns: Array  # (m, m) basic columns, one per row
    inverse: Array  # (m, m)
    work: Array  # (m, m)
    x: Array  # (m,) basic values
    right: Array  # (m,) right side
    alpha: Array  # (m,) entering column times the inverse
    y: Array  # (m,) multipliers
    cost: Array  # (m,) costs of the basic variables
    entering: Array  # (m,) entering column
    scratch: Array  # (m,)
    best_y: Array  # (m,) multipliers of the best bound
    margin: Array  # (m,) by which basic values may be outside their bounds
    offsets: Array  # (k + 2,) multipliers of convexity rows by hand; 0 for rays; -inf for empty slots
    local: Array  # (k, 6) multipliers in hand frames
    tops: Array  # (k, CANDIDATES) best supports of blocks
    axes: Array  # (6, 6) scaled axes, one per row
    gains: Array  # (6,) scaled objective
    numbers: Array  # (4,) VALUE, BOUND, ROUNDOFF, SIZE
    kinds: IntArray  # (m,) COLUMN, FREE or FIXED
    index: IntArray  # (m,) slot, coordinate of z, or row  # pyright: ignore[reportIncompatibleMethodOverride]
    blocks: IntArray  # (k, CANDIDATES) the blocks
    basic_z: IntArray  # (6,) 1 for coordinates in the basis
    state: IntArray  # (6,) STATUS, PIVOTS, PRICINGS, STARTED (axes of the first basis), ENTERED and SIGN (unbounded)


class NearestAtoms(NamedTuple):
    """The atoms of a search for the nearest point, see `nearest`: lifted vectors (e, q), of those in use."""

    lifted: Array  # (ATOMS, 7) e and q; zero where free
    inverse: Array  # (ATOMS, ATOMS) of the products of the lifted vectors; zero where free
    shares: Array  # (ATOMS,) their weights
    trial: Array  # (ATOMS,) weights of the nearest affine combination
    products: Array  # (ATOMS,) of the lifted vectors with a new one
    entering: Array  # (7,) a new one
    right: Array  # (6,) b
    rest: Array  # (6,) x, the nearest point found minus b
    y: Array  # (6,)
    local: Array  # (k, 6) y in hand frames
    used: IntArray  # (ATOMS,) 1 while in use
    ray_hand: IntArray  # (ATOMS,) the hand of a ray, NOTHING for a sum of vertices
    items: IntArray  # (ATOMS, k) the vertex of every hand, or the ray in the first column
    best: IntArray  # (k,) the furthest vertex of every hand


class ColumnPool(NamedTuple):
    """Columns in use, in the world and scaled: slots hand by hand."""

    world: Array  # (6, slots)
    scores: Array  # (slots,)
    maps: Array  # (k, 6, 6) from hand frames to the scaled world
    rows: IntArray  # (slots,) which offset its score has: the hand for vertices, k for rays, k + 1 for empty slots
    items: IntArray  # (slots,) place in the table of vertices or of rays; NOTHING for empty slots
    basic: IntArray  # (slots,) 1 while in the basis
    next: IntArray  # (k, 2) next extra slot to fill, for vertices and rays


class HandTables(NamedTuple):
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
    hand_first: IntArray  # (shapes + 1,)
    whole: IntArray  # (shapes, 2) whether all vertices, and all rays, are in the pool from the start
    hands: IntArray  # (k,) hands, shape by shape
    shape_of: IntArray  # (k,)
    row_of: IntArray  # (k,) the convexity row of a hand, or NOTHING for a single vertex
    slots: IntArray  # (k, 4) slots of vertices from, extra vertices from, rays from, extra rays from
    ends: IntArray  # (k,) end of a hand's slots


#: What kernels are called with: vertices, centres, radii, order and rays of `HandTables`, and the two buffers.
Workspace = tuple[Array, Array, Array, IntArray, Array, Array, IntArray]


# -- their places in the buffers ------------------------------------------------------------------


@inlined
def vector(buffer, at, n):
    """(the next n numbers, where the rest begins)."""
    return buffer[at : at + n], at + n


@inlined
def matrix(buffer, at, n, width):
    """(the next n rows of `width` numbers, where the rest begins)."""
    return buffer[at : at + n * width].reshape((n, width)), at + n * width


@inlined
def answer_part(floats, ints, k, m):
    """The answer, at the head of both buffers; (record, next float, next integer)."""
    numbers, a = vector(floats, 0, 2)
    z, a = vector(floats, a, 6)
    ray, a = vector(floats, a, 6)
    multipliers, a = vector(floats, a, 6)
    wrenches, a = matrix(floats, a, k, 6)
    weights, a = vector(floats, a, m + k)
    state, i = vector(ints, HEAD, 5)
    hands, i = vector(ints, i, m + k)
    items, i = vector(ints, i, m + k)
    rays, i = vector(ints, i, m + k)
    return AnswerBuffer(numbers, z, ray, multipliers, wrenches, weights, state, hands, items, rays), a, i


@inlined
def placement_part(floats, a):
    """Units and place; (record, next float)."""
    units, a = vector(floats, a, 3)
    centre, a = vector(floats, a, 3)
    single, a = vector(floats, a, 6)
    roundoff, a = vector(floats, a, 1)
    return HandPlacement(units, centre, single, roundoff), a


@inlined
def basis_part(floats, ints, a, i, k, m):
    """The basis; (record, next float, next integer)."""
    columns, a = matrix(floats, a, m, m)
    inverse, a = matrix(floats, a, m, m)
    work, a = matrix(floats, a, m, m)
    x, a = vector(floats, a, m)
    right, a = vector(floats, a, m)
    alpha, a = vector(floats, a, m)
    y, a = vector(floats, a, m)
    cost, a = vector(floats, a, m)
    entering, a = vector(floats, a, m)
    scratch, a = vector(floats, a, m)
    best_y, a = vector(floats, a, m)
    margin, a = vector(floats, a, m)
    offsets, a = vector(floats, a, k + 2)
    local, a = matrix(floats, a, k, 6)
    tops, a = matrix(floats, a, k, CANDIDATES)
    axes, a = matrix(floats, a, 6, 6)
    gains, a = vector(floats, a, 6)
    numbers, a = vector(floats, a, 4)
    kinds, i = vector(ints, i, m)
    index, i = vector(ints, i, m)
    blocks, i = matrix(ints, i, k, CANDIDATES)
    basic_z, i = vector(ints, i, 6)
    state, i = vector(ints, i, 6)
    basis = SimplexBasis(
        columns, inverse, work, x, right, alpha, y, cost, entering, scratch, best_y, margin,
        offsets, local, tops, axes, gains, numbers, kinds, index, blocks, basic_z, state,
    )  # fmt: skip
    return basis, a, i


@inlined
def atoms_part(floats, ints, a, i, k):
    """The atoms; (record, next float, next integer)."""
    lifted, a = matrix(floats, a, ATOMS, 7)
    inverse, a = matrix(floats, a, ATOMS, ATOMS)
    shares, a = vector(floats, a, ATOMS)
    trial, a = vector(floats, a, ATOMS)
    products, a = vector(floats, a, ATOMS)
    entering, a = vector(floats, a, 7)
    right, a = vector(floats, a, 6)
    rest, a = vector(floats, a, 6)
    y, a = vector(floats, a, 6)
    local, a = matrix(floats, a, k, 6)
    used, i = vector(ints, i, ATOMS)
    ray_hand, i = vector(ints, i, ATOMS)
    items, i = matrix(ints, i, ATOMS, k)
    best, i = vector(ints, i, k)
    atoms = NearestAtoms(
        lifted, inverse, shares, trial, products, entering, right, rest, y, local, used, ray_hand, items,
        best,
    )  # fmt: skip
    return atoms, a, i


@inlined
def pool_part(floats, ints, a, i, k, slots):
    """The pool; (record, next float, next integer)."""
    world, a = matrix(floats, a, 6, slots)
    scores, a = vector(floats, a, slots)
    maps, a = vector(floats, a, 36 * k)
    rows, i = vector(ints, i, slots)
    items, i = vector(ints, i, slots)
    basic, i = vector(ints, i, slots)
    following, i = matrix(ints, i, k, 2)
    return ColumnPool(world, scores, maps.reshape((k, 6, 6)), rows, items, basic, following), a, i


@inlined
def tables_part(vertices, centres, radii, order, rays, floats, ints, a, i, k, s, n):
    """The tables; (record, next float, next integer)."""
    ray_scale, a = vector(floats, a, n)
    spread, a = matrix(floats, a, s, 6)
    first, i = vector(ints, i, s + 1)
    first_block, i = vector(ints, i, s + 1)
    ray_first, i = vector(ints, i, s + 1)
    hand_first, i = vector(ints, i, s + 1)
    whole, i = matrix(ints, i, s, 2)
    hands, i = vector(ints, i, k)
    shape_of, i = vector(ints, i, k)
    row_of, i = vector(ints, i, k)
    slots, i = matrix(ints, i, k, 4)
    ends, i = vector(ints, i, k)
    tables = HandTables(
        vertices, centres, radii, order, rays, ray_scale, spread, first, first_block, ray_first, hand_first, whole,
        hands, shape_of, row_of, slots, ends,
    )  # fmt: skip
    return tables, a, i


@inlined
def layout(vertices, centres, radii, order, rays, floats, ints, k, s, slots, m, n):
    """((tables, pool, basis, placement, answer, atoms), end of the floats, end of the integers) of a workspace."""
    answer, a, i = answer_part(floats, ints, k, m)
    placement, a = placement_part(floats, a)
    basis, a, i = basis_part(floats, ints, a, i, k, m)
    pool, a, i = pool_part(floats, ints, a, i, k, slots)
    tables, a, i = tables_part(vertices, centres, radii, order, rays, floats, ints, a, i, k, s, n)
    atoms, a, i = atoms_part(floats, ints, a, i, k)
    return (tables, pool, basis, placement, answer, atoms), a, i


@inlined
def parts(vertices, centres, radii, order, rays, floats, ints):
    """(tables, pool, basis, placement, answer, atoms): the named arrays of a workspace."""
    k, s, slots, m, n = ints[HANDS], ints[SHAPES], ints[SLOTS], ints[ROWS], ints[RAYS]
    named, _, _ = layout(vertices, centres, radii, order, rays, floats, ints, k, s, slots, m, n)
    return named


def build_buffers(counts: IntArray, shape_of: IntArray, rays: int) -> tuple[Array, IntArray]:
    """Empty buffers for hands with shapes of these `PreparedShape.counts`; the head of the integers is filled."""
    k, s, m, slots = len(shape_of), len(counts), 6, 0
    shapes = shape_of.tolist()
    for shape, (vertices, chosen, edges, edges_chosen, _) in enumerate(counts.tolist()):
        hands = shapes.count(shape)
        m += hands * (vertices > 1)
        slots += hands * (chosen * (vertices > 1) + edges_chosen)
        slots += hands * EXTRA * ((vertices > chosen) + (edges > edges_chosen))
    float_count, int_count = _buffer_sizes(k, s, slots, m, rays)
    floats, ints = np.zeros(float_count), np.zeros(int_count, dtype=np.int64)
    ints[:HEAD] = k, s, slots, m, rays
    return floats, ints


#: One number repeated without end and without memory, to measure a layout.
_ENDLESS = np.broadcast_to(0.0, (2**40,))


@lru_cache(maxsize=1024)
def _buffer_sizes(k: int, s: int, slots: int, m: int, rays: int) -> tuple[int, int]:
    """(floats, integers) that `layout` needs."""
    none = np.zeros((6, 0))
    _, floats, ints = layout.interpreted(none, none, none, none, none, _ENDLESS, _ENDLESS, k, s, slots, m, rays)
    return floats, ints


@lru_cache(maxsize=1024)
def answer_places(k: int, m: int) -> tuple[AnswerBuffer, int, int]:
    """(places of the arrays of an answer in the buffers, ends of the answer in both): as slices, to read it quickly."""
    part = answer_part.interpreted
    _, floats, ints = part(_ENDLESS, _ENDLESS, k, m)
    places, _, _ = part(np.arange(floats), np.arange(ints), k, m)
    return AnswerBuffer._make(slice(int(p.flat[0]), int(p.flat[-1]) + 1) for p in places), floats, ints


def build_workspace(shapes: Sequence[PreparedShape], shape_of: IntArray, length: float) -> Workspace:
    """A workspace for hands with these shapes, all without a place yet; `length` [m] divides torques."""
    if len(shapes) > 1:
        return _new_workspace(shapes, shape_of, length)
    known, key = shapes[0].unused, (len(shape_of), length)
    unused = known.get(key)
    if unused is None:
        unused = _new_workspace(shapes, shape_of, length)
        known.clear()
        known[key] = unused
    return *unused[:5], unused[5].copy(), unused[6].copy()


def _new_workspace(shapes: Sequence[PreparedShape], shape_of: IntArray, length: float) -> Workspace:
    unit = max((s.reach[0] ** 2 + (s.reach[1] / length) ** 2) ** 0.5 for s in shapes)
    rays, scale = _joined([s.rays for s in shapes]), np.zeros(0)
    if len(rays):
        lengths = norms(rays / np.array([1.0, 1.0, 1.0, length, length, length]))
        scale = (unit or 1.0) / np.where(lengths > 0.0, lengths, 1.0)
        rays = rays * scale[:, None]
    counts = _joined([s.counts[None] for s in shapes])
    arrays = (
        _joined([s.table for s in shapes], 1),
        _joined([s.centres for s in shapes], 1),
        _joined([s.radii for s in shapes]),
        _joined([s.order for s in shapes]),
        np.array(rays.T, order="C"),  # a copy: read-only rays would compile every kernel twice
        *build_buffers(counts, shape_of, len(rays)),
    )
    spread = _joined([s.spread[None] for s in shapes])
    pools = _joined([s.pool for s in shapes]), _joined([s.ray_pool for s in shapes])
    fill_tables(*arrays, counts, shape_of, spread, *pools, scale, length, unit)
    return arrays


def _joined(parts: Sequence[Array], axis: int = 0) -> Array:
    return np.concatenate(parts, axis=axis) if len(parts) > 1 else parts[0]


@inlined
def fill_slots(pool, at, chosen, begin, count, first, row):
    """Put the items chosen[begin : begin + count] + first into the slots from `at` on; the next slot."""
    for i in range(count):
        pool.items[at + i], pool.rows[at + i] = chosen[begin + i] + first, row
    return at + count


@inlined
def empty_slots(pool, at, k):
    """Leave `EXTRA` slots from `at` on empty; the next slot."""
    for i in range(EXTRA):
        pool.items[at + i], pool.rows[at + i] = NOTHING, k + 1
    return at + EXTRA


@entry_kernel
def fill_tables(
    vertices, centres, radii, order, rays, floats, ints,
    counts, shape_of, spread, chosen, ray_chosen, ray_scale, length, unit,
):  # fmt: skip
    """Where shapes, hands and slots begin; the vertices and rays (places in their shape) that the pool starts with."""
    tables, pool, _, placement, _, _ = parts(vertices, centres, radii, order, rays, floats, ints)
    k, s = len(shape_of), len(counts)
    placement.units[0], placement.units[1] = length, unit if unit > 0.0 else 1.0
    placement.units[2] = 1.0 if unit > 0.0 else 0.0
    for i in range(len(ray_scale)):
        tables.ray_scale[i] = ray_scale[i]
    hands = 0
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
    at, row = 0, 6
    for j in range(k):
        q = shape_of[j]
        tables.shape_of[j] = q
        from_pool, from_rays = 0, 0
        for other in range(q):
            from_pool += counts[other, 1]
            from_rays += counts[other, 3]
        tables.slots[j, 0] = at
        tables.row_of[j] = NOTHING
        if counts[q, 0] > 1:
            tables.row_of[j] = row
            row += 1
            at = fill_slots(pool, at, chosen, from_pool, counts[q, 1], tables.first[q], j)
        tables.slots[j, 1] = at
        if counts[q, 0] > counts[q, 1]:
            at = empty_slots(pool, at, k)
        tables.slots[j, 2] = at
        at = fill_slots(pool, at, ray_chosen, from_rays, counts[q, 3], tables.ray_first[q], k)
        tables.slots[j, 3] = at
        if counts[q, 2] > counts[q, 3]:
            at = empty_slots(pool, at, k)
        tables.ends[j] = at
        pool.next[j, 0], pool.next[j, 1] = tables.slots[j, 1], tables.slots[j, 3]
