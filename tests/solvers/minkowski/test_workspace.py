"""The workspace: named arrays fill the buffers without overlap; shapes prepared lose nothing."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.minkowski import SumSolver
from holdfast.solvers.minkowski.simplex import add_to_pool, fill_hand
from holdfast.solvers.minkowski.workspace import BLOCK, HEAD, POOL, build_buffers, build_workspace, parts, prepare
from tests.solvers.minkowski.sum_cases import Sum, cone, random_maps

NOTHING = np.zeros((6, 0))


@pytest.mark.parametrize("hands", [[0], [0, 1, 0], [1, 1], [2, 0, 1, 2, 2, 2, 1]])
def test_parts_do_not_overlap_and_leave_no_gap(hands):
    counts = np.array([[300, 64, 0, 0, 5], [1, 1, 4, 4, 1], [40, 40, 90, 64, 1]])
    floats, ints = build_buffers(counts, np.array(hands), 94)
    named = parts.interpreted(NOTHING, NOTHING, np.zeros(0), np.zeros(0, np.int64), NOTHING, floats, ints)
    ints_head = ints[:HEAD].copy()
    floats[:], ints[HEAD:] = 0.0, 0
    total = 0
    for part in named:
        for array in part:
            if array.base is not None and array.size:
                assert np.all(array == 0), "two parts share a place"
                array[...] = 1
                total += array.size
    assert np.all(floats == 1.0) and np.all(ints[HEAD:] == 1)
    assert total == len(floats) + len(ints) - HEAD
    assert np.array_equal(ints[:HEAD], ints_head)


def test_rows_are_kept_for_hands_that_mix_vertices_alone():
    counts = np.array([[300, 64, 0, 0, 5], [1, 1, 4, 4, 1]])
    _, ints = build_buffers(counts, np.array([1, 0, 1, 1, 0]), 4)
    hands, shapes, slots, rows, rays = ints[:HEAD]
    assert (hands, shapes, rows, rays) == (5, 2, 8, 4)
    assert slots == 2 * (64 + 32) + 3 * 4


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 1000])
def test_the_table_holds_every_vertex_once(n):
    vertices = np.random.default_rng(n).normal(size=(n, 6))
    shape = prepare(vertices)
    assert np.array_equal(np.sort(shape.order), np.arange(n))
    assert np.array_equal(shape.table.T, vertices[shape.order])
    assert len(shape.pool) == min(n, len(shape.pool)) <= POOL
    assert len(np.unique(shape.pool)) == len(shape.pool)


def test_every_vertex_lies_in_the_ball_of_its_block():
    rng = np.random.default_rng(3)
    vertices = rng.normal(size=(777, 6)) * [30.0, 30.0, 60.0, 0.1, 0.2, 0.3] + [0.0, 0.0, 500.0, 0.0, 0.0, 0.0]
    shape = prepare(vertices)
    for block in range(len(shape.radii)):
        own = shape.table[:, block * BLOCK : (block + 1) * BLOCK].T
        distance = np.linalg.norm((own - shape.centres[:, block]) / shape.spread, axis=1)
        assert distance.max() <= shape.radii[block] * (1.0 + 1e-9)


def test_flat_and_repeated_vertices_are_prepared_too():
    for vertices in (np.tile(np.arange(6.0), (200, 1)), np.column_stack([np.arange(200.0), np.zeros((200, 5))])):
        shape = prepare(vertices)
        assert np.array_equal(shape.table.T, vertices[shape.order])
        assert np.all(np.isfinite(shape.radii)) and np.all(np.isfinite(shape.centres))


def test_the_pool_supports_the_set_well_in_every_direction():
    rng = np.random.default_rng(4)
    vertices = rng.normal(size=(5000, 6))
    vertices /= np.linalg.norm(vertices, axis=1)[:, None]
    shape = prepare(vertices)
    directions = rng.normal(size=(200, 6))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    known = (directions @ shape.table[:, shape.pool]).max(axis=1)
    assert known.min() > 0.4 and known.mean() > 0.65  # of 1


def test_world_columns_are_the_mapped_vertices_and_rays():
    rng = np.random.default_rng(5)
    hands = Sum([(rng.normal(size=(100, 6)), cone(5))], [0, 0], random_maps(rng, 2))
    solver = hands.solver()
    tables, pool, _, _, _, _ = solver.parts
    pool.world[:] = 0.0
    fill_hand(tables, pool, 1)
    assert np.all(pool.world[:, : tables.slots[1, 0]] == 0.0)
    start, extra, rays, end = *tables.slots[1, :3], tables.ends[1]
    assert np.allclose(pool.world[:, start:extra], pool.maps[1] @ tables.vertices[:, pool.items[start:extra]])
    assert np.allclose(pool.world[:, rays:end], pool.maps[1] @ tables.rays[:, pool.items[rays:end]])


def test_a_column_is_taken_in_once_and_never_in_place_of_a_basic_one():
    rng = np.random.default_rng(6)
    solver = Sum([(rng.normal(size=(500, 6)), None)], [0], random_maps(rng, 1)).solver()
    tables, pool, _, _, _, _ = solver.parts
    outside = np.setdiff1d(np.arange(500), pool.items)
    assert add_to_pool(tables, pool, 0, 0, outside[0])
    assert not add_to_pool(tables, pool, 0, 0, outside[0])
    kept = int(np.flatnonzero(pool.items == outside[0])[0])
    pool.basic[kept] = 1
    for item in outside[1:150]:
        assert add_to_pool(tables, pool, 0, 0, item)
    assert pool.items[kept] == outside[0]
    assert pool.items[: tables.slots[0, 1]].tolist() == prepare(solver._shapes[0].vertices).pool.tolist()
    first, end = tables.slots[0, 1], tables.slots[0, 2]
    pool.basic[first:end] = 1
    assert not add_to_pool(tables, pool, 0, 0, outside[-1])


@pytest.mark.parametrize("edges", [None, cone(5)])
def test_solvers_of_one_shape_share_no_buffer_and_start_alike(edges):
    rng = np.random.default_rng(8)
    shape, maps, load = prepare(rng.normal(size=(200, 6)), edges), random_maps(rng, 3), rng.normal(size=6)
    hands = np.zeros(3, dtype=np.int64)
    first = build_workspace([shape], hands, 0.7)
    pristine = [array.copy() for array in first]
    solver = SumSolver([shape], hands, length=0.7)
    solver.place(maps)
    answer = solver.maximise(0.1 * load, load[None], np.ones(1))
    kept = answer.wrenches.copy()
    other = SumSolver([shape], hands, length=0.7)
    assert not any(np.shares_memory(a, b) for a, b in zip(solver.workspace[5:], other.workspace[5:], strict=True))
    for made in (other.workspace, build_workspace([shape], hands, 0.7)):
        assert all(np.array_equal(a, b) for a, b in zip(made, pristine, strict=True))
    other.place(maps[::-1].copy())
    other.maximise(-load, load[None], np.ones(1))
    assert np.array_equal(answer.wrenches, kept)
    longer = build_workspace([shape], hands, 1.4)
    assert not np.array_equal(longer[5], pristine[5])
    assert len(build_workspace([shape], hands[:2], 0.7)[5]) < len(pristine[5])
