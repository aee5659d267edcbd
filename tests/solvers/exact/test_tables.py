"""Lookup tables against the polytopes they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.geometry.polytopes import Polytope
from holdfast.solvers.exact.support_tables import (
    BEGIN,
    END,
    FAR,
    FIRST_MASK,
    FIRST_PART,
    FIRST_PIECE,
    FIRST_RAY,
    FIRST_VERTEX,
    PIECES,
    ZERO,
    SupportTables,
    build_tables,
    shape_table,
)
from tests.referee import distance_to_piece, random_volume
from tests.solvers import twins

CAP = 1e4
INTERVALS = np.array([[-1.0, 2.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [-3.0, 900.0, 0.0, 1.0]])


def random_shape(seed: int, pieces: int, *, rays: bool = False, offset: bool = False) -> tuple[Polytope, ...]:
    volume = random_volume(np.random.default_rng(seed), pieces, rays=rays, offset=offset)
    return tuple(Polytope(v, r) for v, r in zip(volume.pieces, volume.rays, strict=True))


SHAPES = (
    random_shape(1, 3),
    random_shape(2, 1),
    random_shape(8, 4, rays=True),
    random_shape(4, 8),
    random_shape(6, 2, offset=True),
    (Polytope([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), Polytope([[0.0, 0, 0], [0, 0, 5e-6]])),
)


@pytest.fixture(scope="module")
def tables() -> SupportTables:
    return build_tables(SHAPES, INTERVALS, CAP)


def own_vertices(tables: SupportTables, shape: int) -> slice:
    return slice(tables.shapes[shape, FIRST_VERTEX], tables.shapes[shape + 1, FIRST_VERTEX])


def test_there_is_one_shape_for_every_volume_and_interval(tables):
    counts = [*(len(pieces) for pieces in SHAPES), 1, 1, 1]
    assert tables.shapes[:-1, PIECES].tolist() == counts
    assert tables.shapes[-1, FIRST_VERTEX] == len(tables.vertices) == len(tables.bits)
    assert tables.shapes[-1, FIRST_PIECE] == len(tables.centres) == len(tables.first_face) - 1
    assert tables.shapes[-1, FIRST_RAY] == len(tables.rays) == len(tables.ray_bits)
    assert tables.shapes[-1, FIRST_MASK] == len(tables.table_of)
    assert tables.first_face[-1] == len(tables.faces)


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_every_corner_is_there_and_marked_with_the_pieces_that_contain_it(tables, shape):
    vertices, bits = tables.vertices[own_vertices(tables, shape)], tables.bits[own_vertices(tables, shape)]
    for j, piece in enumerate(SHAPES[shape]):
        for corner in piece.extreme:
            nearest = int(np.linalg.norm(vertices - corner, axis=1).argmin())
            assert np.linalg.norm(vertices[nearest] - corner) <= 1e-8 * piece.size
            assert bits[nearest] >> j & 1
        for vertex, bit in zip(vertices, bits, strict=True):
            size = max(piece.size, float(np.abs(vertex).max()))
            away = distance_to_piece(vertex, piece.vertices, piece.rays)
            if bit >> j & 1:
                assert away <= 2e-9 * size
            else:
                assert away > 1e-11 * size
    assert (bits & ((1 << len(SHAPES[shape])) - 1) > 0).all()
    np.testing.assert_array_equal(bits >> len(SHAPES[shape]) & ~(FAR >> len(SHAPES[shape])), 0)


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_zero_is_a_vertex_of_all_pieces_where_all_contain_it(tables, shape):
    zero = tables.shapes[shape, ZERO]
    assert (zero >= 0) == all(piece.contains(np.zeros(3)) for piece in SHAPES[shape])
    if zero >= 0:
        assert own_vertices(tables, shape).start <= zero < own_vertices(tables, shape).stop
        assert not tables.vertices[zero].any()
        assert tables.bits[zero] == (1 << len(SHAPES[shape])) - 1


def test_rays_are_cut_where_asked_and_the_cut_is_marked(tables):
    for shape, pieces in enumerate(SHAPES):
        own, rays = own_vertices(tables, shape), slice(*tables.shapes[shape : shape + 2, FIRST_RAY])
        far = tables.bits[own] & FAR > 0
        lengths = np.linalg.norm(tables.vertices[own], axis=1)
        assert far.any() == any(len(piece.rays) for piece in pieces)
        assert tables.reach[shape] == lengths.max()
        assert tables.near_reach[shape] == lengths[~far].max()
        assert (lengths[far] > 0.9 * CAP).all()
        for ray, bit in zip(tables.rays[rays], tables.ray_bits[rays], strict=True):
            piece = pieces[int(bit).bit_length() - 1]
            assert int(bit).bit_count() == 1
            assert np.linalg.norm(ray) == pytest.approx(1.0)
            assert (np.cross(piece.rays, ray) ** 2).sum(axis=1).min() < 1e-20
            for corner in piece.extreme:
                away = np.linalg.norm(tables.vertices[own][far] - corner - CAP * ray, axis=1)
                assert away.min() <= 1e-8 * CAP
        assert rays.stop - rays.start == sum(len(piece.rays) for piece in pieces)


@pytest.mark.parametrize("shape", [i for i, s in enumerate(SHAPES) if all(p.is_bounded for p in s)])
def test_hulls_of_sets_of_pieces_have_the_supports_of_their_polytopes(tables, shape):
    rng = np.random.default_rng(shape)
    for mask in range(1, 1 << len(SHAPES[shape])):
        for way in rng.normal(size=(5, 3)):
            expected = max(float(p.support(way)) for j, p in enumerate(SHAPES[shape]) if mask >> j & 1)
            assert twins.support(tables, shape, mask, way, 0.0) == pytest.approx(expected, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_half_spaces_and_centres_belong_to_their_piece(tables, shape):
    rng = np.random.default_rng(shape)
    for j, piece in enumerate(SHAPES[shape]):
        at = tables.shapes[shape, FIRST_PIECE] + j
        faces = tables.faces[tables.first_face[at] : tables.first_face[at + 1]]
        assert piece.contains(tables.centres[at], 1e-8 * CAP)
        for point in rng.normal(size=(60, 3)) * piece.size:
            inside = bool((faces[:, :3] @ point <= faces[:, 3] + 1e-9 * piece.size).all())
            assert inside == bool(piece.contains(point))


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_sets_of_pieces_without_a_table_are_those_of_many_pieces(tables, shape):
    count = len(SHAPES[shape])
    own = tables.table_of[tables.shapes[shape, FIRST_MASK] : tables.shapes[shape + 1, FIRST_MASK]]
    assert len(own) == 1 << count
    has = {mask for mask in range(1 << count) if own[mask] >= 0}
    every = set(range(1, 1 << count))
    assert has == (every if count <= 6 else {(1 << count) - 1, *(1 << j for j in range(count))})
    for mask in has:
        first = tables.first_cell[own[mask]]
        last = min([int(c) for c in tables.first_cell if c > first], default=len(tables.cells))
        leaves = [cell for cell in range(first, last) if tables.cells[cell, FIRST_PART] == 0]
        entries = np.concatenate([tables.lists[tables.cells[c, BEGIN] : tables.cells[c, END]] for c in leaves])
        listed = own_vertices(tables, shape).start + entries
        assert set(listed) <= set(twins.members(tables, shape, mask))


@pytest.mark.parametrize("row", range(len(INTERVALS)))
def test_an_interval_is_a_shape_along_x(tables, row):
    low, high, low_cut, high_cut = INTERVALS[row]
    own = own_vertices(tables, len(SHAPES) + row)
    assert tables.vertices[own, 0].tolist() == ([low] if low == high else [low, high])
    assert not tables.vertices[own, 1:].any()
    assert (tables.bits[own][0] & FAR > 0) == bool(low_cut)
    assert (tables.bits[own][-1] & FAR > 0) == bool(high_cut)
    assert tables.shapes[len(SHAPES) + row, ZERO] == -1


def test_a_shape_is_tabulated_once():
    assert shape_table(SHAPES[0], 0.0) is shape_table(SHAPES[0], 0.0)
