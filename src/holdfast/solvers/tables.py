"""Lookup tables of a set of force volumes, laid out flat for the compiled kernels.

For every volume ("shape"): its distinct vertices with the set of pieces each belongs to, and for its useful sets of
pieces (all of them, each one alone, and every subset while there are few) the graph of the hull's edges. The vertex
that is best in a direction is found by walking uphill on that graph, from a start that a small cube map knows. A walk
that cannot rise has arrived, because a linear function on a convex polytope has no other local maximum: the lookup
is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .. import tolerances
from ..checks import Array, IntArray
from ..polytopes import Polytope

#: Cells along an edge of a cube map's face.
CUBE_CELLS = 8

#: Hulls of all subsets are tabulated up to this many pieces; beyond, only all together and each alone.
MOST_PIECES_FOR_SUBSETS = 6

#: Volumes of more pieces than this are left to the reference method.
MOST_PIECES = 16

#: Hulls of up to this many vertices are searched in full: every vertex is every other's neighbour.
SMALL_HULL = 10


class Tables(NamedTuple):
    """The flat arrays; n vertices, s shapes, t tables (one a tabulated set of pieces of a shape)."""

    vertices: Array  # (n, 3) local forces [N], shape after shape
    bits: IntArray  # (n,) int64: the pieces of its shape that contain the vertex
    first_vertex: IntArray  # (s + 1,) int64: where a shape's vertices begin
    zero: IntArray  # (s,) int64: index of the vertex 0, or -1 where 0 is not in every piece
    pieces: IntArray  # (s,) int64: number of pieces
    first_mask: IntArray  # (s,) int64: where a shape's masks begin in table_of
    table_of: IntArray  # int64: table of a set of pieces, or -1 when only its single pieces have tables
    first_row: IntArray  # (t,) int64: where a table's rows begin in `row`
    row: IntArray  # int64: a table's neighbours begin at row[first_row + vertex - first_vertex]
    neighbours: IntArray  # int64: vertices of the graph of edges
    start: IntArray  # (t, 6 cells^2) int64: where to start in each cell of the cube map
    first_piece: IntArray  # (s,) int64: where a shape's pieces begin in first_face
    first_face: IntArray  # (pieces + 1,) int64: where a piece's half-spaces begin
    faces: Array  # (h, 4) unit normal and offset: normal . f <= offset
    spread: Array  # (s, 3, 3) covariance of the corners about the origin, for a first guess


def build_tables(shapes: Sequence[Sequence[Polytope]]) -> Tables:
    """Tables of several shapes together."""
    parts = [_ShapeTable(pieces) for pieces in shapes]
    first_vertex = _offsets([len(p.vertices) for p in parts])
    first_mask = _offsets([1 << len(p.polytopes) for p in parts])
    table_of = np.full(first_mask[-1], -1, dtype=np.int64)
    rows, neighbours, starts, first_row = [], [], [], []
    row_at = edge_at = table = 0
    for part, vertex_at, mask_at in zip(parts, first_vertex, first_mask, strict=False):
        for mask in part.masks():
            pointer, index, start = part.graph(mask)
            table_of[mask_at + mask] = table
            first_row.append(row_at)
            rows.append(pointer + edge_at)
            neighbours.append(index + vertex_at)
            starts.append(start + vertex_at)
            row_at, edge_at, table = row_at + len(pointer), edge_at + len(index), table + 1
    faces = [np.column_stack(piece.halfspaces) for part in parts for piece in part.polytopes]
    return Tables(
        vertices=np.concatenate([p.vertices for p in parts]),
        bits=np.concatenate([p.bits for p in parts]),
        first_vertex=first_vertex,
        zero=np.array([-1 if p.zero < 0 else p.zero + at for p, at in zip(parts, first_vertex, strict=False)]),
        pieces=np.array([len(p.polytopes) for p in parts]),
        first_mask=first_mask[:-1],
        table_of=table_of,
        first_row=np.array(first_row),
        row=np.concatenate(rows),
        neighbours=np.concatenate(neighbours),
        start=np.array(starts),
        first_piece=_offsets([len(p.polytopes) for p in parts])[:-1],
        first_face=_offsets([len(f) for f in faces]),
        faces=np.concatenate(faces),
        spread=np.array([p.vertices.T @ p.vertices / len(p.vertices) for p in parts]),
    )


def cube_directions() -> Array:
    """(6 cells^2, 3) centre direction of every cell, in the order of `supports.cube_cell`."""
    middle = (np.arange(CUBE_CELLS) + 0.5) / CUBE_CELLS * 2.0 - 1.0
    first, second = np.meshgrid(middle, middle, indexing="ij")
    cells = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            face = np.empty((CUBE_CELLS, CUBE_CELLS, 3))
            face[..., axis] = sign
            face[..., (axis + 1) % 3] = first
            face[..., (axis + 2) % 3] = second
            cells.append(face.reshape(-1, 3))
    return np.concatenate(cells)


def _offsets(sizes: Sequence[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


class _ShapeTable:
    """The tables of one shape, in its own vertex numbers."""

    def __init__(self, polytopes: Sequence[Polytope]) -> None:
        self.polytopes = tuple(polytopes)
        size = max(p.size for p in self.polytopes)
        corners = np.concatenate([p.extreme for p in self.polytopes])
        has_zero = all(bool(p.contains(np.zeros(3))) for p in self.polytopes)
        if has_zero:
            corners = np.concatenate([corners, np.zeros((1, 3))])
        key = np.round(corners / (tolerances.MERGE * size))
        _, first = np.unique(key, axis=0, return_index=True)
        self.vertices = np.ascontiguousarray(corners[np.sort(first)])
        self.zero = int(np.abs(self.vertices).max(axis=1).argmin()) if has_zero else -1
        self.bits = np.zeros(len(self.vertices), dtype=np.int64)
        for j, polytope in enumerate(self.polytopes):
            normals, offsets = polytope.halfspaces
            inside = (self.vertices @ normals.T - offsets <= 0.1 * tolerances.MEMBERSHIP * size).all(axis=1)
            self.bits |= inside.astype(np.int64) << j

    def masks(self) -> list[int]:
        """The sets of pieces that get a table."""
        count = len(self.polytopes)
        every = (1 << count) - 1
        if count <= MOST_PIECES_FOR_SUBSETS:
            return list(range(1, every + 1))
        return sorted({every, *(1 << j for j in range(count))})

    def graph(self, mask: int) -> tuple[IntArray, IntArray, IntArray]:
        """(pointer (n + 1,), neighbours, cube map) of the hull of the pieces in `mask`."""
        members = np.nonzero(self.bits & mask)[0]
        bounded = Polytope(self.vertices[members])
        corners, edges = members, None
        if bounded.dimension == 3 and len(members) > SMALL_HULL:
            simplices = members[bounded.triangles]
            corners = np.unique(simplices)
            pairs = np.concatenate([simplices[:, [0, 1]], simplices[:, [1, 2]], simplices[:, [2, 0]]])
            edges = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
        if edges is None:
            first, second = np.meshgrid(corners, corners, indexing="ij")
            edges = np.column_stack([first.ravel(), second.ravel()])
            edges = edges[edges[:, 0] != edges[:, 1]]
        pointer = np.searchsorted(edges[:, 0], np.arange(len(self.vertices) + 1))
        best = corners[(cube_directions() @ self.vertices[corners].T).argmax(axis=1)]
        return pointer.astype(np.int64), edges[:, 1].astype(np.int64), best.astype(np.int64)
