"""Support functions of force volumes: lookup tables on a cube map, and compiled kernels that use them.

The directions of space are cut into the cells of a cube's faces, each a cone over a square. A linear function of
the direction that is negative at the four corners of the square is negative in the whole cone; so a vertex that some
other one beats at all four corners need not be looked at there. Cells whose lists stay long are cut again, like a
quadtree. What is left is mostly one or two vertices.

For every volume ("shape"): its distinct vertices with the set of pieces each belongs to, and for its useful sets of
pieces (all of them, each one alone, and every subset while there are few) the vertices that can be best in each cell
of a cube map, so that a lookup compares one or two of them and is exact.

Each of these sets of pieces also has the edges of its hull. A vertex of a convex hull is the support in a direction if
no neighbour is better, so that from a vertex that is near the support is found by going from neighbour to neighbour.

Pieces with rays are cut off far away: each ray adds vertices `cap` newtons out. A force that reaches the cut must not
be used as an answer.

The contacts of a unit share one piece, so they are one item of the linear program, with one vertex for each of its
points: its support is the best, over the pieces, of the sum of its points' supports in that piece.

Every multiplier y bounds the load factor from above, by U(y) / -(y . b) with U(y) = sum_i h_i(M_i^T y).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ... import tolerances
from ...checks import Array, IntArray, SmallIntArray
from ...compiling import LANES, inlined, kernel, positive_lanes, released_kernel, small_kernel
from ...geometry.polytopes import Polytope
from ...tolerances import SUM_ROUNDING
from ..weak_cache import weakly_cached

#: Cells along an edge of a cube's face (odd, so that the axes lie amid a cell), and of a cell that is cut again.
CELLS, PARTS = 9, 4

#: Lists longer than this are cut again, at most so many times.
LONG_LIST, MOST_CUTS = 6, 5

#: Columns of the cells: the first of its parts (0: it has none), where its list begins and ends.
FIRST_PART, BEGIN, END = 0, 1, 2


@inlined
def find_cell(cells, first_cell, x, y, z):
    """Cell that a direction falls into."""
    ax, ay, az = abs(x), abs(y), abs(z)
    face, big, first, second = 4, az, x, y
    if ax >= ay and ax >= az:
        face, big, first, second = 0, ax, y, z
        if x < 0.0:
            face = 1
    elif ay >= az:
        face, big, first, second = 2, ay, z, x
        if y < 0.0:
            face = 3
    elif z < 0.0:
        face = 5
    cell = first_cell
    if big > 0.0:
        scale = 0.5 * CELLS / big
        a, b = (first + big) * scale, (second + big) * scale
        i, j = min(CELLS - 1, int(a)), min(CELLS - 1, int(b))
        a, b = a - i, b - j
        cell = first_cell + (face * CELLS + i) * CELLS + j
        while cells[cell, FIRST_PART] > 0:
            a, b = a * PARTS, b * PARTS
            i, j = min(PARTS - 1, int(a)), min(PARTS - 1, int(b))
            a, b = a - i, b - j
            cell = cells[cell, FIRST_PART] + i * PARTS + j
    return cell


@inlined
def survivors(vertices, face, low_first, low_second, width, members, count, values, kept):
    """Keep of the first `count` members those that beat, at some corner, the best of each corner and of all."""
    axis, sign = face // 2, 1.0 - 2.0 * (face % 2)
    for a in range(count):
        v = members[a]
        middle = 0.0
        for c in range(4):
            first, second = low_first + width * (c // 2), low_second + width * (c % 2)
            value = sign * vertices[v, axis]
            value += first * vertices[v, (axis + 1) % 3] + second * vertices[v, (axis + 2) % 3]
            values[v, c] = value
            middle += value
        values[v, 4] = middle
        kept[a] = v
    left = count
    for c in range(5):
        rival = kept[0]
        for a in range(left):
            if values[kept[a], c] > values[rival, c]:
                rival = kept[a]
        stay = 0
        for a in range(left):
            v, ahead = kept[a], -np.inf
            for d in range(4):
                ahead = max(ahead, values[v, d] - values[rival, d])
            if ahead >= 0.0:
                kept[stay] = v
                stay += 1
        left = stay
    return left


@released_kernel
def fill_cells(vertices, everyone, values, few, squares, cells, lists):
    """Cut the cube into cells and list the vertices (n, 3) that can be best in each; see `cell_lists`.

    squares (c, 4): face, lower corner and width of each cell. `values` (n, 5) and `few` (n,) are room. Returns (cells,
    list entries) that were needed; the result is complete only if there was room for both.
    """
    count, at = 6 * CELLS * CELLS, 0
    for c in range(count):
        squares[c, 0] = c // (CELLS * CELLS)
        squares[c, 1] = (c // CELLS % CELLS) * 2.0 / CELLS - 1.0
        squares[c, 2] = (c % CELLS) * 2.0 / CELLS - 1.0
        squares[c, 3] = 2.0 / CELLS
        cells[c, BEGIN], cells[c, END] = -1, -1
    c = 0
    while c < count and count <= len(cells) and at + len(vertices) <= len(lists):
        face, low_first, low_second, width = int(squares[c, 0]), squares[c, 1], squares[c, 2], squares[c, 3]
        members = everyone
        if cells[c, BEGIN] >= 0:  # a part: only what the whole listed
            members = lists[cells[c, BEGIN] : cells[c, END]]
        left = survivors(vertices, face, low_first, low_second, width, members, len(members), values, few)
        cells[c, FIRST_PART], cells[c, BEGIN], cells[c, END] = 0, at, at + left
        for a in range(left):
            lists[at + a] = few[a]
        at += left
        if left > LONG_LIST and width > 2.5 / CELLS / PARTS**MOST_CUTS:
            cells[c, FIRST_PART] = count
            if count + PARTS * PARTS <= len(cells):
                for part in range(PARTS * PARTS):
                    new = count + part
                    squares[new, 0], squares[new, 3] = face, width / PARTS
                    squares[new, 1] = low_first + part // PARTS * width / PARTS
                    squares[new, 2] = low_second + part % PARTS * width / PARTS
                    cells[new, BEGIN], cells[new, END] = cells[c, BEGIN], cells[c, END]
            count += PARTS * PARTS
        c += 1
    return count, at + len(vertices)


def cell_lists(vertices: Array) -> tuple[SmallIntArray, SmallIntArray]:
    """(cells (c, 3), lists): the vertices (n, 3) that can be best in a cell are lists[cells[BEGIN]:cells[END]].

    The first 6 CELLS^2 cells are the cube's; a cell with FIRST_PART > 0 is cut into PARTS^2 from there on.
    """
    n = len(vertices)
    room, entries = 64 * CELLS * CELLS, 256 * CELLS * CELLS + n
    while True:
        cells, lists = np.zeros((room, 3), dtype=np.int32), np.empty(entries, dtype=np.int32)
        work = (np.arange(n, dtype=np.int32), np.empty((n, 5)), np.empty(n, dtype=np.int32), np.empty((room, 4)))
        cells_needed, entries_needed = fill_cells(vertices, *work, cells, lists)
        if cells_needed <= room and entries_needed <= entries:
            return cells[:cells_needed].copy(), lists[: entries_needed - n].copy()
        room, entries = 4 * max(room, cells_needed), 4 * max(entries, entries_needed)


#: Hulls of all subsets are tabulated up to this many pieces; beyond, only all together and each alone.
MOST_PIECES_FOR_SUBSETS = 6

#: Shapes whose tables are kept for the next assembly that uses them, while their volumes exist.
KEPT_SHAPES = 256

#: Bit of `SupportTables.bits` that marks a vertex at the cut of a ray.
FAR = 1 << 62

#: Length [N] that stands for that of a shape without any force, where something is divided by it.
SMALLEST_REACH = 1e-300

#: Offset [N] that stands for that of a half-space through 0, where something is divided by it.
SMALLEST_OFFSET = 1e-280

#: Rows of a program that balance one body: three of forces and three of torques.
BODY_ROWS = 6

#: Columns of `SupportTables.shapes`.
ZERO, PIECES, FIRST_MASK, FIRST_VERTEX, FIRST_PIECE, FIRST_RAY = range(6)


class SupportTables(NamedTuple):
    """The flat arrays; n vertices, s shapes, t tables (one per tabulated set of pieces of a shape).

    Interpreted kernels do without cells and neighbours: of such tables the arrays from `table_of` to `edges` are empty.
    """

    vertices: Array  # (n, 3) local forces [N], shape after shape
    bits: IntArray  # (n,) the pieces of its shape that contain the vertex
    shapes: IntArray  # (s + 1, 6) see the column names above; ZERO is the vertex 0, or -1 where a piece lacks it
    reach: Array  # (s,) length of the longest vertex [N]
    near_reach: Array  # (s,) the same without the vertices at cuts
    table_of: IntArray  # table of a set of pieces, see `table_for`
    first_cell: IntArray  # (t,) where a table's cells begin
    cells: SmallIntArray  # (c, 3) see `cell_lists`
    lists: SmallIntArray  # vertices that can be best in a cell, in the numbers of their shape
    first_node: IntArray  # (t,) where a table's vertices begin in `block_at`: all of its shape, and one more
    block_at: SmallIntArray  # where a vertex's neighbours on the table's hull begin; see `neighbours`
    blocks: Array  # (b, 3, 8) what leads from a vertex to its neighbours [N], eight at a time; 0 where there are fewer
    edges: IntArray  # (b, 8) the neighbours; the vertex itself where there are fewer
    first_face: IntArray  # (pieces + 1,) where a piece's half-spaces begin
    faces: Array  # (3, h) normals as long as the inverse of their offset, so that normal . f <= 1 in a piece with 0
    centres: Array  # (pieces, 3) mean of a piece's vertices [N]
    rays: Array  # (p, 3) unit directions
    ray_bits: IntArray  # (p,) mask of the piece each ray belongs to


def build_tables(
    shapes: Sequence[tuple[Polytope, ...]], intervals: Array, cap: float, *, cells: bool = True
) -> SupportTables:
    """SupportTables of several shapes, and of one shape along x for each interval of joint slacks.

    Args:
        shapes: pieces of each shape.
        intervals: (r, 4) ends [N] of each interval, and whether the lower and the upper one is a mere cut.
        cap: where rays are cut off [N].
        cells: whether to make the cells, which compiled kernels look vertices up in.
    """
    tables = _shape_tables(tuple(shapes), cap, cells)
    return with_small_shapes(tables, [_interval(*row) for row in intervals.tolist()]) if len(intervals) else tables


@weakly_cached(KEPT_SHAPES)
def _shape_tables(shapes: tuple[tuple[Polytope, ...], ...], cap: float, cells: bool) -> SupportTables:
    return _joined([shape_table(pieces, cap if any(len(p.rays) for p in pieces) else 0.0, cells) for pieces in shapes])


def _joined(parts: Sequence[ShapeTable]) -> SupportTables:
    """SupportTables of several shapes laid out one after another."""
    vertex_at = _offsets([len(p.vertices) for p in parts])
    mask_at = _offsets([len(p.table_of) for p in parts])
    table_at = _offsets([len(p.first_cell) for p in parts])
    cell_at = _offsets([len(p.cells) for p in parts])
    list_at = _offsets([len(p.lists) for p in parts])
    node_at = _offsets([len(p.block_at) for p in parts])
    block_at = _offsets([len(p.edges) for p in parts])
    piece_at = _offsets([len(p.faces) for p in parts])
    ray_at = _offsets([len(p.rays) for p in parts])
    zero = [p.zero if p.zero < 0 else p.zero + vertex_at[i] for i, p in enumerate(parts)] + [-1]
    pieces = [len(p.faces) for p in parts] + [0]
    faces = [face for p in parts for face in p.faces]
    return SupportTables(
        vertices=np.concatenate([p.vertices for p in parts]),
        bits=np.concatenate([p.bits for p in parts]),
        shapes=np.column_stack([zero, pieces, mask_at, vertex_at, piece_at, ray_at]).astype(np.int64),
        reach=np.array([_longest(p.vertices) for p in parts]),
        near_reach=np.array([_longest(p.vertices[p.bits & FAR == 0]) for p in parts]),
        table_of=np.concatenate([np.where(p.table_of < 0, -1, p.table_of + table_at[i]) for i, p in enumerate(parts)]),
        first_cell=np.concatenate([p.first_cell + cell_at[i] for i, p in enumerate(parts)]),
        cells=_stacked([_shifted(p.cells, int(cell_at[i]), int(list_at[i])) for i, p in enumerate(parts)]),
        lists=_stacked([p.lists for p in parts]),
        first_node=np.concatenate([p.first_node + node_at[i] for i, p in enumerate(parts)]),
        block_at=_stacked([p.block_at + np.int32(block_at[i]) for i, p in enumerate(parts)]),
        blocks=_stacked([p.blocks for p in parts]),
        edges=_stacked([p.edges + vertex_at[i] for i, p in enumerate(parts)]),
        first_face=_offsets([len(f) for f in faces]),
        faces=np.ascontiguousarray(np.concatenate(faces).T),
        centres=np.concatenate([p.centres for p in parts]),
        rays=np.concatenate([p.rays for p in parts]),
        ray_bits=np.concatenate([p.ray_bits for p in parts]),
    )


class ShapeTable(NamedTuple):
    """The tables of one shape, in its own numbers; see `SupportTables`."""

    vertices: Array
    bits: IntArray
    zero: int
    table_of: IntArray
    first_cell: IntArray
    cells: SmallIntArray
    lists: SmallIntArray
    first_node: IntArray
    block_at: SmallIntArray
    blocks: Array
    edges: IntArray
    faces: list[Array]
    centres: Array
    rays: Array
    ray_bits: IntArray


@weakly_cached(KEPT_SHAPES)
def shape_table(pieces: tuple[Polytope, ...], cap: float, cells: bool = True) -> ShapeTable:
    """The tables of one shape, its rays cut off after `cap` [N]; with `cells` or without."""
    if cells:
        return _with_cells(shape_table(pieces, cap, False), len(pieces))
    near = np.concatenate([piece.extreme for piece in pieces])
    corners = np.concatenate([near, *(_far_corners(piece, cap) for piece in pieces if len(piece.rays))])
    size = float(np.abs(corners).max()) or 1.0
    has_zero = all(bool(p.contains(np.zeros(3))) for p in pieces)
    if has_zero:
        corners = np.concatenate([np.zeros((1, 3)), corners])
    is_far = np.arange(len(corners)) >= len(near) + has_zero
    # Only corners at a cut are merged, among themselves: their rounding is larger than whole pieces may be.
    tags = np.where(is_far[:, None], np.round(corners / (tolerances.MERGE * size)), corners)
    _, first = np.unique(np.column_stack([tags, is_far]), axis=0, return_index=True)
    vertices = np.ascontiguousarray(corners[np.sort(first)])
    zero = int(np.abs(vertices).max(axis=1).argmin()) if has_zero else -1
    if has_zero:
        vertices[zero] = 0.0
    bits = np.zeros(len(vertices), dtype=np.int64)
    for j, piece in enumerate(pieces):
        normals, offsets = piece.halfspaces
        slack = 0.1 * tolerances.MEMBERSHIP * np.maximum(np.abs(vertices).max(axis=1), piece.size)
        bits |= (vertices @ normals.T - offsets <= slack[:, None]).all(axis=1).astype(np.int64) << j
    bits |= np.where(is_far[np.sort(first)], FAR, 0)
    halfspaces = [piece.halfspaces for piece in pieces]
    rays = [piece.rays / np.linalg.norm(piece.rays, axis=1, keepdims=True) for piece in pieces]
    return ShapeTable(
        vertices=vertices,
        bits=bits,
        zero=zero,
        table_of=np.zeros(0, dtype=np.int64),
        first_cell=np.zeros(0, dtype=np.int64),
        cells=np.zeros((0, 3), dtype=np.int32),
        lists=np.zeros(0, dtype=np.int32),
        first_node=np.zeros(0, dtype=np.int64),
        block_at=np.zeros(0, dtype=np.int32),
        blocks=np.zeros((0, 3, LANES)),
        edges=np.zeros((0, LANES), dtype=np.int64),
        faces=[normals / np.maximum(offsets, SMALLEST_OFFSET)[:, None] for normals, offsets in halfspaces],
        centres=np.array([vertices[bits >> j & 1 == 1].mean(axis=0) for j in range(len(pieces))]),
        rays=np.concatenate(rays).reshape(-1, 3),
        ray_bits=np.repeat(1 << np.arange(len(pieces)), [len(r) for r in rays]),
    )


def _with_cells(shape: ShapeTable, pieces: int) -> ShapeTable:
    """The same with cells and neighbours for each set of its pieces that is tabulated."""
    masks = _tabulated(pieces)
    table_of = np.full(max(masks) + 1 if pieces <= MOST_PIECES_FOR_SUBSETS else len(masks), -1, dtype=np.int64)
    first_cell, cells, lists, cell_at, list_at = [], [], [], 0, 0
    graphs, blocks_before = [], 0
    for table, mask in enumerate(masks):
        members = np.nonzero(shape.bits & mask)[0]
        own_cells, own_lists = cell_lists(shape.vertices[members])
        table_of[mask if pieces <= MOST_PIECES_FOR_SUBSETS else table] = table
        first_cell.append(cell_at)
        cells.append(_shifted(own_cells, cell_at, list_at))
        lists.append(members[own_lists].astype(np.int32))
        cell_at += len(own_cells)
        list_at += len(own_lists)
        ends = np.empty((0, 2), dtype=np.int64) if len(shape.rays) else members[hull_edges(shape.vertices[members])]
        graphs.append(_graph(ends, shape.vertices, blocks_before))
        blocks_before += len(graphs[-1][1])
    return shape._replace(
        table_of=table_of,
        first_cell=np.array(first_cell),
        cells=np.concatenate(cells),
        lists=np.concatenate(lists),
        first_node=np.arange(len(masks)) * (len(shape.vertices) + 1),
        block_at=np.concatenate([at for at, _, _ in graphs]),
        blocks=np.concatenate([blocks for _, blocks, _ in graphs]),
        edges=np.concatenate([edges for _, _, edges in graphs]),
    )


#: A hull is used only if all its points are inside up to this share of its size, and if it is not thinner than this.
OUTSIDE, THIN = 1e-14, 1e-3


def hull_edges(points: Array) -> IntArray:
    """(e, 2) edges of the convex hull of points (n, 3), each in both directions; none where it is not precise.

    Flat faces are cut into triangles. So the edges at a vertex include all true ones, and a vertex that no neighbour
    beats in a direction is the support vertex.
    """
    from scipy.spatial import ConvexHull, QhullError

    none, size = np.empty((0, 2), dtype=np.int64), float(np.abs(points).max())
    if len(points) <= 3 or np.ptp(points, axis=0).min() < THIN * size:
        return none
    try:
        hull = ConvexHull(points)
    except QhullError:  # flat
        return none
    outside = points @ hull.equations[:, :3].T + hull.equations[:, 3]
    if outside.max() > OUTSIDE * size:
        return none
    triangles = hull.simplices
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    both = np.concatenate([sides, sides[:, ::-1]])
    return np.unique(both, axis=0)


def _graph(ends: IntArray, vertices: Array, first: int) -> tuple[SmallIntArray, Array, IntArray]:
    """`block_at`, `blocks` and `edges` of edges (e, 2), sorted by where they begin; blocks are counted from `first`."""
    degrees = np.bincount(ends[:, 0], minlength=len(vertices))
    counts = -(-degrees // LANES)
    at = _offsets(counts)
    edges = np.repeat(np.arange(len(vertices)), counts)[:, None].repeat(LANES, axis=1)
    place = np.arange(len(ends)) - _offsets(degrees)[ends[:, 0]]
    edges[at[ends[:, 0]] + place // LANES, place % LANES] = ends[:, 1]
    own = np.repeat(np.arange(len(vertices)), counts)
    blocks = np.ascontiguousarray((vertices[edges] - vertices[own][:, None]).transpose(0, 2, 1))
    return (first + at).astype(np.int32), blocks, edges


def _offsets(sizes: Sequence[int] | IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


class SmallShape(NamedTuple):
    """A shape of a few points on a line through the origin, without cells: see `with_small_shapes`."""

    places: Array  # (v,) the vertices [N] along x
    bits: IntArray  # (v,) the pieces that contain each vertex
    centres: Array  # (p,) of its pieces [N]


def with_small_shapes(tables: SupportTables, shapes: Sequence[SmallShape]) -> SupportTables:
    """The tables with further shapes after the others; they have neither half-spaces nor the vertex 0.

    The cells, which take megabytes, are shared with the given tables.
    """
    ends, entries, vertices, centres = tables.shapes[-1].copy(), [], [tables.vertices], [tables.centres]
    for shape in shapes:
        entries.append(ends.copy())
        entries[-1][[ZERO, PIECES]] = -1, len(shape.centres)
        ends[FIRST_VERTEX] += len(shape.places)
        ends[FIRST_PIECE] += len(shape.centres)
        vertices.append(np.outer(shape.places, [1.0, 0.0, 0.0]))
        centres.append(np.outer(shape.centres, [1.0, 0.0, 0.0]))
    reach = np.array([np.abs(shape.places).max() for shape in shapes])
    near_reach = np.array([np.abs(shape.places[shape.bits & FAR == 0]).max(initial=0.0) for shape in shapes])
    pieces = sum(len(shape.centres) for shape in shapes)
    return tables._replace(
        vertices=np.concatenate(vertices),
        bits=np.concatenate([tables.bits, *(shape.bits for shape in shapes)]),
        shapes=np.concatenate([tables.shapes[:-1], entries, [ends]]),
        reach=np.concatenate([tables.reach, reach]),
        near_reach=np.concatenate([tables.near_reach, near_reach]),
        first_face=np.concatenate([tables.first_face, np.full(pieces, tables.first_face[-1])]),
        centres=np.concatenate(centres),
    )


def _shifted(cells: SmallIntArray, cell_at: int, list_at: int) -> SmallIntArray:
    """Cells whose numbers and lists begin elsewhere."""
    if cell_at == list_at == 0:
        return cells
    return np.column_stack([np.where(cells[:, 0] > 0, cells[:, 0] + cell_at, 0), cells[:, 1:] + list_at])


def _stacked(arrays: Sequence[Array]) -> Array:
    """Arrays one after another; one alone, which may be large, is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _longest(vectors: Array) -> float:
    return float(np.linalg.norm(vectors, axis=1).max(initial=0.0))


def _far_corners(piece: Polytope, cap: float) -> Array:
    """The extreme vertices moved `cap` [N] along each ray."""
    rays = piece.rays / np.linalg.norm(piece.rays, axis=1, keepdims=True)
    return (piece.extreme[None, :, :] + cap * rays[:, None, :]).reshape(-1, 3)


def _tabulated(count: int) -> list[int]:
    """The sets of pieces that get a table."""
    every = (1 << count) - 1
    if count <= MOST_PIECES_FOR_SUBSETS:
        return list(range(1, every + 1))
    return [1 << j for j in range(count)] + [every]


def _interval(low: float, high: float, low_cut: float, high_cut: float) -> SmallShape:
    """A joint slack: a shape of one piece, with one vertex or two."""
    ends = np.array([low, high])[: 1 if low == high else 2]
    bits = np.array([1 | (FAR if low_cut else 0), 1 | (FAR if high_cut else 0)], dtype=np.int64)[: len(ends)]
    return SmallShape(ends, bits, ends.mean(keepdims=True))


#: Slope along a ray, relative to the terms it is the sum of, that still counts as none; stricter than in proofs.
RAY_SLOPE = 0.5 * tolerances.RAY_SLOPE

#: Multipliers below this share of the largest are rounding, where a row without a limit needs them to be none.
NO_MULTIPLIER = 1e-11


@inlined
def table_for(tables, shape, mask):
    """The table of a set of pieces; -1 where only its single pieces have tables.

    Shapes with few pieces have an entry for every set; others one for each piece, and one for all pieces.
    """
    first, pieces = tables.shapes[shape, FIRST_MASK], tables.shapes[shape, PIECES]
    table = np.int64(-1)
    if pieces <= MOST_PIECES_FOR_SUBSETS:
        table = tables.table_of[first + mask]
    elif mask == (1 << pieces) - 1:
        table = tables.table_of[first + pieces]
    elif not mask & (mask - 1):
        while mask > 1:
            mask >>= 1
            first += 1
        table = tables.table_of[first]
    return table


@small_kernel
def support(tables, shape, mask, x, y, z, perturbation):
    """(vertex, value) of the support of the hull of the pieces in `mask` in a direction, with the perturbation of 0."""
    vertices, bits = tables.vertices, tables.bits
    first, base = tables.shapes[shape, FIRST_MASK], tables.shapes[shape, FIRST_VERTEX]
    winner, most = np.int64(-1), -np.inf
    if tables.shapes[shape + 1, FIRST_MASK] == first:  # a small shape, without cells
        for v in range(base, tables.shapes[shape + 1, FIRST_VERTEX]):
            if bits[v] & mask:
                value = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
                if value > most:
                    winner, most = v, value
        return winner, most
    table = table_for(tables, shape, mask)
    rest = mask if table < 0 else 0  # without a table of its own, the set's pieces are asked one by one
    while True:
        if rest:
            table = table_for(tables, shape, rest & -rest)
            rest &= rest - 1
        cell = find_cell(tables.cells, tables.first_cell[table], x, y, z)
        for e in range(tables.cells[cell, BEGIN], tables.cells[cell, END]):
            v = base + tables.lists[e]
            value = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
            if value > most:
                winner, most = v, value
        if not rest:
            break
    if tables.shapes[shape, ZERO] >= 0 and most <= perturbation:
        winner, most = tables.shapes[shape, ZERO], perturbation
    return winner, most


@support.twin
def _support(tables, shape, mask, x, y, z, perturbation):
    """`support` by comparing all vertices, without the tables' cells."""
    own = slice(tables.shapes[shape, FIRST_VERTEX], tables.shapes[shape + 1, FIRST_VERTEX])
    values = np.where(tables.bits[own] & mask, tables.vertices[own] @ np.array([x, y, z]), -np.inf)
    winner = values.argmax()
    if tables.shapes[shape, ZERO] >= 0 and values[winner] <= perturbation:
        return tables.shapes[shape, ZERO], perturbation
    return own.start + winner, values[winner]


@inlined
def node_of(tables, shape, mask):
    """Where the vertices of the hull of the pieces in `mask` begin in `block_at`; -1 where its edges are not known."""
    node = np.int64(-1)
    if tables.shapes[shape + 1, FIRST_MASK] > tables.shapes[shape, FIRST_MASK]:
        table = table_for(tables, shape, mask)
        if table >= 0:
            node = tables.first_node[table] - tables.shapes[shape, FIRST_VERTEX]
    return node


#: Columns of the last axis of `memo`, see `neighbours`.
VERTEX_KNOWN, MASK_KNOWN, BLOCKS_BEGIN, BLOCKS_END = 0, 1, 2, 3


@inlined
def neighbours(tables, shape, mask, vertex, memo, p, c):
    """(begin, end) in `blocks` of the neighbours of a vertex on the hull of the pieces in `mask`.

    There are none where the hull's edges are not known, or where the vertex is on none of them: a shape with rays or
    without cells, a flat hull, a vertex within a face or inside. `memo` (n, c, 4) remembers the last answer for point p
    in column c: it mostly is the next one, too.
    """
    if memo[p, c, VERTEX_KNOWN] != vertex or memo[p, c, MASK_KNOWN] != mask:
        memo[p, c, VERTEX_KNOWN], memo[p, c, MASK_KNOWN] = vertex, mask
        begin, end, node = 0, 0, node_of(tables, shape, mask)
        if node >= 0 and vertex >= 0:
            begin, end = tables.block_at[node + vertex], tables.block_at[node + vertex + 1]
        memo[p, c, BLOCKS_BEGIN], memo[p, c, BLOCKS_END] = begin, end
    return memo[p, c, BLOCKS_BEGIN], memo[p, c, BLOCKS_END]


@neighbours.twin
def _neighbours(tables, shape, mask, vertex, memo, p, c):
    """No neighbours: tables without cells have no edges either."""
    return 0, 0


@inlined
def is_support(tables, shape, mask, vertex, x, y, z, perturbation, memo, p, c):
    """Whether a vertex of the hull of the pieces in `mask` is its support in a direction; False if that is not known.

    It is if none of its neighbours is better, nor the vertex 0 with its perturbation. See `neighbours` for `memo`.
    """
    begin, end = neighbours(tables, shape, mask, vertex, memo, p, c)
    own = tables.vertices[vertex, 0] * x + tables.vertices[vertex, 1] * y + tables.vertices[vertex, 2] * z
    better, known = tables.shapes[shape, ZERO] >= 0 and own < perturbation, begin < end
    for b in range(begin, end):
        better = better or positive_lanes(tables.blocks, b, x, y, z) != 0
    if tables.shapes[shape + 1, FIRST_MASK] == tables.shapes[shape, FIRST_MASK]:  # a small shape
        known = True
        for v in range(tables.shapes[shape, FIRST_VERTEX], tables.shapes[shape + 1, FIRST_VERTEX]):
            value = tables.vertices[v, 0] * x + tables.vertices[v, 1] * y + tables.vertices[v, 2] * z
            better = better or (tables.bits[v] & mask != 0 and value > own)
    return known and not better


@small_kernel
def climb(tables, shape, mask, start, x, y, z, memo, p, c):
    """(vertex, value) of the support of the pieces in `mask`, by going along edges from a vertex (-1: none is near).

    See `neighbours` for `memo`.
    """
    vertices, v, most = tables.vertices, start, 0.0
    begin, end = neighbours(tables, shape, mask, start, memo, p, c)
    if begin == end:
        v, most = support(tables, shape, mask, x, y, z, -np.inf)
        memo[p, c, VERTEX_KNOWN], memo[p, c, MASK_KNOWN] = v, 0  # where to begin next time
    else:
        most = vertices[v, 0] * x + vertices[v, 1] * y + vertices[v, 2] * z
        while begin < end:
            best = v
            for b in range(begin, end):
                better, e = positive_lanes(tables.blocks, b, x, y, z), 0
                while better >> e:
                    if better >> e & 1:
                        u = tables.edges[b, e]
                        value = vertices[u, 0] * x + vertices[u, 1] * y + vertices[u, 2] * z
                        if value > most:
                            best, most = u, value
                    e += 1
            end = begin
            if best != v:
                v = best
                begin, end = neighbours(tables, shape, mask, v, memo, p, c)
    return v, most


@climb.twin
def _climb(tables, shape, mask, start, x, y, z, memo, p, c):
    """`climb` by comparing all vertices."""
    return _support(tables, shape, mask, x, y, z, -np.inf)


@small_kernel
def piece_support(tables, program, i, j, along, pace, share, step, perturbation, vertices, memo):
    """Support of piece j of item i in the direction share * along + step * pace (3 n,).

    Each point has the perturbation of its vertex 0. The vertices, one per point, are written to `vertices`. The search
    begins at the vertex that was found last, which column j of `memo` knows.
    """
    total = 0.0
    for p in range(i, i + program.points[i]):
        x, y = share * along[3 * p] + step * pace[3 * p], share * along[3 * p + 1] + step * pace[3 * p + 1]
        z = share * along[3 * p + 2] + step * pace[3 * p + 2]
        shape = program.shape_of[p]
        v, value = climb(tables, shape, 1 << j, memo[p, j, VERTEX_KNOWN], x, y, z, memo, p, j)
        if tables.shapes[shape, ZERO] >= 0 and value <= perturbation:
            v, value = tables.shapes[shape, ZERO], perturbation
        vertices[p - i] = v
        total += value
    return total


@piece_support.twin
def _piece_support(tables, program, i, j, along, pace, share, step, perturbation, vertices, memo):
    """`piece_support` of all points together, where they have the same shape."""
    count, shape, own = program.points[i], program.shape_of[i], slice(3 * i, 3 * (i + program.points[i]))
    shapes, directions = program.shape_of[i : i + count], (share * along[own] + step * pace[own]).reshape(count, 3)
    if (shapes != shape).any():
        found = [_support(tables, shapes[p], 1 << j, *directions[p], perturbation) for p in range(count)]
        vertices[:count] = [v for v, _ in found]
        return sum(value for _, value in found)
    first, last = tables.shapes[shape, FIRST_VERTEX], tables.shapes[shape + 1, FIRST_VERTEX]
    members = first + np.nonzero(tables.bits[first:last] >> j & 1)[0]
    values = directions @ tables.vertices[members].T
    best = values.argmax(axis=1)
    most = values[np.arange(count), best]
    idle = (most <= perturbation) & (tables.shapes[shape, ZERO] >= 0)
    vertices[:count] = np.where(idle, tables.shapes[shape, ZERO], members[best])
    return np.where(idle, perturbation, most).sum()


@kernel
def item_support(tables, program, i, mask, along, perturbation, best, memo):
    """The vertices of item i, one per point, that are best in the direction `along` (3 n,), written to best[0].

    Each point has the perturbation of its vertex 0; best[1] is room, see `neighbours` for `memo`.
    """
    most = -np.inf
    if program.points[i] == 1:
        x, y, z = along[3 * i], along[3 * i + 1], along[3 * i + 2]
        best[0, 0], _ = support(tables, program.shape_of[i], mask, x, y, z, perturbation)
    else:
        for j in range(tables.shapes[program.shape_of[i], PIECES]):
            if mask >> j & 1:
                value = piece_support(tables, program, i, j, along, along, 1.0, 0.0, perturbation, best[1], memo)
                if value > most:
                    most = value
                    for p in range(program.points[i]):
                        best[0, p] = best[1, p]


@inlined
def directions(rows, y, out):
    """M_i^T y for every item."""
    for c in range(len(out)):
        out[c] = 0.0
    for r in range(len(y)):
        if y[r] != 0.0:
            for c in range(len(out)):
                out[c] += rows[r, c] * y[r]


@directions.twin
def _directions(rows, y, out):
    """`directions` by one product."""
    np.dot(y, rows, out=out)


@inlined
def reward(tables, shape, vertex, perturbation):
    """The perturbation of a vertex: that of 0, nothing for the others."""
    return perturbation if vertex == tables.shapes[shape, ZERO] else 0.0


@inlined
def near_support(tables, shape, mask, start, x, y, z, memo, p, c):
    """(vertex, value) of the support of the pieces in `mask` without the vertices at cuts; see `climb`.

    That is what counts where nothing is gained along rays.
    """
    winner, value = np.int64(-1), -np.inf
    if tables.shapes[shape, FIRST_RAY] < tables.shapes[shape + 1, FIRST_RAY]:
        for v in range(tables.shapes[shape, FIRST_VERTEX], tables.shapes[shape + 1, FIRST_VERTEX]):
            if tables.bits[v] & mask and not tables.bits[v] & FAR:
                along = x * tables.vertices[v, 0] + y * tables.vertices[v, 1] + z * tables.vertices[v, 2]
                if along > value:
                    winner, value = v, along
    else:
        winner, value = climb(tables, shape, mask, start, x, y, z, memo, p, c)
    return winner, value


@inlined
def near_piece_support(tables, program, i, j, along, memo):
    """`near_item_support` of piece j alone."""
    total = 0.0
    for p in range(i, i + program.points[i]):
        shape, x, y, z = program.shape_of[p], along[3 * p], along[3 * p + 1], along[3 * p + 2]
        _, value = near_support(tables, shape, 1 << j, memo[p, j, VERTEX_KNOWN], x, y, z, memo, p, j)
        total += value
    return total


@near_piece_support.twin
def _near_piece_support(tables, program, i, j, along, memo):
    """`near_piece_support` by comparing all vertices."""
    return _near_item_support(tables, program, i, 1 << j, along, None, memo)


@kernel
def near_item_support(tables, program, i, mask, along, keys, memo):
    """Support of item i along M_i^T y, in `along` (3 n,), without perturbation and without the vertices at cuts.

    Where the vertices that are best at each point share a piece, they are the answer; else the pieces are compared.
    The searches begin at `keys` (n,), or -1, and at what `memo` knows of the pieces: see `neighbours`.
    """
    most, count, common, column = 0.0, program.points[i], mask, memo.shape[1] - 1
    for p in range(i, i + count):
        shape, x, y, z = program.shape_of[p], along[3 * p], along[3 * p + 1], along[3 * p + 2]
        v, value = near_support(tables, shape, mask, keys[p], x, y, z, memo, p, column)
        most += value
        common &= tables.bits[v]
    if count > 1 and not common:
        most = -np.inf
        for j in range(tables.shapes[program.shape_of[i], PIECES]):
            if mask >> j & 1:
                most = max(most, near_piece_support(tables, program, i, j, along, memo))
    return most


@near_item_support.twin
def _near_item_support(tables, program, i, mask, along, keys, memo):
    """`near_item_support` by comparing all vertices."""
    count = program.points[i]
    pieces = np.nonzero(mask >> np.arange(tables.shapes[program.shape_of[i], PIECES]) & 1)[0]
    totals = np.zeros(len(pieces))
    for p in range(i, i + count):
        shape = program.shape_of[p]
        own = slice(tables.shapes[shape, FIRST_VERTEX], tables.shapes[shape + 1, FIRST_VERTEX])
        bits = tables.bits[own]
        values = np.where(bits & FAR, -np.inf, tables.vertices[own] @ along[3 * p : 3 * p + 3])
        totals += np.where(bits >> pieces[:, None] & 1, values, -np.inf).max(axis=1)
    return totals.max()


@inlined
def terms_of(rows, y, out):
    """|M_i|^T |y| for every item: what the rounding of M_i^T y is judged against."""
    for c in range(len(out)):
        out[c] = 0.0
    for r in range(len(y)):
        size = abs(y[r])
        if size != 0.0:
            for c in range(len(out)):
                out[c] += abs(rows[r, c]) * size


@terms_of.twin
def _terms_of(rows, y, out):
    """`terms_of` by one product."""
    np.dot(np.abs(y), np.abs(rows), out=out)


@inlined
def bound_terms(tables, program, masks, y, load, work):
    """(-y . load, rounding of U(y)): what multipliers y leave possible, but for the supports; M_i^T y in `work.pace`.

    From the work is taken what the rounding of the load may have added to it: every row of a body's load is known to a
    share of the largest one, for its torque is that about another point less a product of force and arm.
    The rounding is infinite where y excludes no load factor: where it is not zero at a row without a limit, or a ray of
    the pieces in `masks` (n,) leads along it. Multipliers of such rows that are rounding are set to zero, in y itself.
    """
    n, m, along, sizes = len(masks), len(y), work.pace, work.sizes
    onto = own = size = largest = total = 0.0
    for r in range(m):
        size = max(size, abs(y[r]))
    for r in range(m):
        if r % BODY_ROWS == 0:
            largest = 0.0
            for other in range(r, min(r + BODY_ROWS, m)):
                largest = max(largest, abs(load[other]))
        leans = (program.unlimited[r] & 1 and y[r] > 0.0) or (program.unlimited[r] & 2 and y[r] < 0.0)
        if leans:
            if abs(y[r]) > NO_MULTIPLIER * size:
                return 0.0, np.inf
            y[r] = 0.0
        onto -= y[r] * load[r] + SUM_ROUNDING * abs(y[r]) * largest
        own += abs(y[r] * load[r])
    mask = np.int64(0)
    directions(program.rows, y, along)
    terms_of(program.rows, y, sizes)
    for i in range(n):  # points, unit after unit
        shape = program.shape_of[i]
        if program.points[i] > 0:
            mask = masks[i]
        a, b, c = sizes[3 * i], sizes[3 * i + 1], sizes[3 * i + 2]
        terms = np.sqrt(a * a + b * b + c * c)
        for p in range(tables.shapes[shape, FIRST_RAY], tables.shapes[shape + 1, FIRST_RAY]):
            if tables.ray_bits[p] & mask:
                slope = along[3 * i] * tables.rays[p, 0] + along[3 * i + 1] * tables.rays[p, 1]
                if slope + along[3 * i + 2] * tables.rays[p, 2] > RAY_SLOPE * terms:
                    return 0.0, np.inf
        total += terms * tables.near_reach[shape]
    return onto, SUM_ROUNDING * (n + m) * max(total, own)


@kernel
def certified_bound(tables, program, masks, keys, y, load, work):
    """The load factor that y leaves possible, from fresh supports alone, with their rounding; inf when there is none.

    When `load` is zero, the supports are compared with nothing instead: -inf says that y excludes every load factor.
    `work` is room; see `near_item_support` for `keys` and `bound_terms` for what happens to y.
    """
    onto, total = bound_terms(tables, program, masks, y, load, work)
    if total == np.inf:
        return np.inf
    for i in range(len(masks)):
        if program.points[i] > 0:
            total += near_item_support(tables, program, i, masks[i], work.pace, keys, work.memo)
    if onto > 0.0:
        return total / onto
    return -np.inf if total < 0.0 else np.inf
