"""Lookup tables of force volumes, laid out flat for the compiled kernels.

For every volume ("shape"): its distinct vertices with the set of pieces each belongs to, and for its useful sets of
pieces (all of them, each one alone, and every subset while there are few) the vertices that can be best in each cell
of a cube map (`cells`), so that a lookup compares one or two of them and is exact.

Pieces with rays are cut off far away: each ray adds vertices `cap` newtons out. Who uses the tables must not believe
a force that reaches the cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ... import tolerances
from ...checks import Array, IntArray
from ...geometry.polytopes import Polytope
from ..weak_cache import lasting
from .cells import cell_lists

#: Hulls of all subsets are tabulated up to this many pieces; beyond, only all together and each alone.
MOST_PIECES_FOR_SUBSETS = 6

#: Shapes whose tables are kept for the next assembly that uses them, while their volumes exist.
KEPT_SHAPES = 256

#: Bit of `Tables.bits` that marks a vertex at the cut of a ray.
FAR = 1 << 62

#: Length [N] that stands for that of a shape without any force, where something is divided by it.
SMALLEST_REACH = 1e-300

#: Columns of `Tables.shapes`.
ZERO, PIECES, FIRST_MASK, FIRST_VERTEX, FIRST_PIECE, FIRST_RAY = range(6)


class Tables(NamedTuple):
    """The flat arrays; n vertices, s shapes, t tables (one a tabulated set of pieces of a shape)."""

    vertices: Array  # (n, 3) local forces [N], shape after shape
    bits: IntArray  # (n,) the pieces of its shape that contain the vertex
    shapes: IntArray  # (s + 1, 6) see the column names above; ZERO is the vertex 0, or -1 where a piece lacks it
    reach: Array  # (s,) length of the longest vertex [N]
    near_reach: Array  # (s,) the same without the vertices at cuts
    table_of: IntArray  # table of a set of pieces, or -1 when only its single pieces have tables
    first_cell: IntArray  # (t,) where a table's cells begin
    cells: IntArray  # (c, 3) see `cells.cell_lists`
    lists: IntArray  # vertices that can be best in a cell, in the numbers of their shape
    first_face: IntArray  # (pieces + 1,) where a piece's half-spaces begin
    faces: Array  # (h, 4) unit normal and offset: normal . f <= offset
    centres: Array  # (pieces, 3) mean of a piece's vertices [N]
    rays: Array  # (p, 3) unit directions
    ray_bits: IntArray  # (p,) mask of the piece each ray belongs to


def build_tables(shapes: Sequence[tuple[Polytope, ...]], intervals: Array, cap: float) -> Tables:
    """Tables of several shapes, and of one shape along x for each interval of joint slacks.

    Args:
        shapes: pieces of each shape.
        intervals: (r, 4) ends [N] of each interval, and whether the lower and the upper one is a mere cut.
        cap: where rays are cut off [N].
    """
    if not len(intervals):
        return _shape_tables(tuple(shapes), cap)
    return _joined(_parts(shapes, cap) + [_interval_table(*row) for row in intervals.tolist()])


@lasting(KEPT_SHAPES)
def _shape_tables(shapes: tuple[tuple[Polytope, ...], ...], cap: float) -> Tables:
    return _joined(_parts(shapes, cap))


def _parts(shapes: Sequence[tuple[Polytope, ...]], cap: float) -> list[ShapeTable]:
    return [shape_table(pieces, cap if any(len(p.rays) for p in pieces) else 0.0) for pieces in shapes]


def _joined(parts: Sequence[ShapeTable]) -> Tables:
    """Tables of several shapes laid out one after another."""
    vertex_at = _offsets([len(p.vertices) for p in parts])
    mask_at = _offsets([len(p.table_of) for p in parts])
    table_at = _offsets([len(p.first_cell) for p in parts])
    cell_at = _offsets([len(p.cells) for p in parts])
    list_at = _offsets([len(p.lists) for p in parts])
    piece_at = _offsets([len(p.faces) for p in parts])
    ray_at = _offsets([len(p.rays) for p in parts])
    zero = [p.zero if p.zero < 0 else p.zero + vertex_at[i] for i, p in enumerate(parts)] + [-1]
    pieces = [len(p.faces) for p in parts] + [0]
    faces = [face for p in parts for face in p.faces]
    return Tables(
        vertices=np.concatenate([p.vertices for p in parts]),
        bits=np.concatenate([p.bits for p in parts]),
        shapes=np.column_stack([zero, pieces, mask_at, vertex_at, piece_at, ray_at]).astype(np.int64),
        reach=np.array([_longest(p.vertices) for p in parts]),
        near_reach=np.array([_longest(p.vertices[p.bits & FAR == 0]) for p in parts]),
        table_of=np.concatenate([np.where(p.table_of < 0, -1, p.table_of + table_at[i]) for i, p in enumerate(parts)]),
        first_cell=np.concatenate([p.first_cell + cell_at[i] for i, p in enumerate(parts)]),
        cells=_stacked([_shifted(p.cells, int(cell_at[i]), int(list_at[i])) for i, p in enumerate(parts)]),
        lists=_stacked([p.lists for p in parts]),
        first_face=_offsets([len(f) for f in faces]),
        faces=np.ascontiguousarray(np.concatenate(faces)),
        centres=np.concatenate([p.centres for p in parts]),
        rays=np.concatenate([p.rays for p in parts]),
        ray_bits=np.concatenate([p.ray_bits for p in parts]),
    )


class ShapeTable(NamedTuple):
    """The tables of one shape, in its own numbers; see `Tables`."""

    vertices: Array
    bits: IntArray
    zero: int
    table_of: IntArray
    first_cell: IntArray
    cells: IntArray
    lists: IntArray
    faces: list[Array]
    centres: Array
    rays: Array
    ray_bits: IntArray


@lasting(KEPT_SHAPES)
def shape_table(pieces: tuple[Polytope, ...], cap: float) -> ShapeTable:
    """The tables of one shape, its rays cut off after `cap` [N]."""
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
    table_of = np.full(1 << len(pieces), -1, dtype=np.int64)
    first_cell, cells, lists, cell_at, list_at = [], [], [], 0, 0
    for table, mask in enumerate(_tabulated(len(pieces))):
        members = np.nonzero(bits & mask)[0]
        own_cells, own_lists = cell_lists(vertices[members])
        table_of[mask] = table
        first_cell.append(cell_at)
        cells.append(_shifted(own_cells, cell_at, list_at))
        lists.append(members[own_lists])
        cell_at += len(own_cells)
        list_at += len(own_lists)
    rays = [piece.rays / np.linalg.norm(piece.rays, axis=1, keepdims=True) for piece in pieces]
    return ShapeTable(
        vertices=vertices,
        bits=bits,
        zero=zero,
        table_of=table_of,
        first_cell=np.array(first_cell),
        cells=np.concatenate(cells),
        lists=np.concatenate(lists),
        faces=[np.column_stack(piece.halfspaces) for piece in pieces],
        centres=np.array([vertices[bits >> j & 1 == 1].mean(axis=0) for j in range(len(pieces))]),
        rays=np.concatenate(rays).reshape(-1, 3),
        ray_bits=np.repeat(1 << np.arange(len(pieces)), [len(r) for r in rays]),
    )


def _offsets(sizes: Sequence[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _shifted(cells: IntArray, cell_at: int, list_at: int) -> IntArray:
    """Cells whose numbers and lists begin elsewhere."""
    if cell_at == list_at == 0:
        return cells
    return np.column_stack([np.where(cells[:, 0] > 0, cells[:, 0] + cell_at, 0), cells[:, 1:] + list_at])


def _stacked(arrays: Sequence[IntArray]) -> IntArray:
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
    return sorted({every, *(1 << j for j in range(count))})


def _interval_table(low: float, high: float, low_cut: float, high_cut: float) -> ShapeTable:
    """A joint slack: a shape of one piece along x, with one vertex or two."""
    ends = np.array([[low, 0.0, 0.0], [high, 0.0, 0.0]])[: 1 if low == high else 2]
    n = len(ends)
    cells, lists = cell_lists(ends)
    return ShapeTable(
        vertices=ends,
        bits=np.array([1 | (FAR if low_cut else 0), 1 | (FAR if high_cut else 0)])[:n],
        zero=-1,
        table_of=np.array([-1, 0]),
        first_cell=np.zeros(1, dtype=np.int64),
        cells=cells,
        lists=lists,
        faces=[np.array([[1.0, 0.0, 0.0, high], [-1.0, 0.0, 0.0, -low]])],
        centres=ends.mean(axis=0, keepdims=True),
        rays=np.zeros((0, 3)),
        ray_bits=np.zeros(0, dtype=np.int64),
    )
