"""The cube map of short lists against all vertices compared."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from holdfast.solvers.exact.support_tables import BEGIN, CELLS, END, FIRST_PART, LONG_LIST, cell_lists, find_cell
from tests.referee import block
from tests.solvers.kernel_cases import compiled


def ball(count: int, seed: int) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def tapes() -> np.ndarray:
    """Two flat discs of many vertices, a hair apart: cells along their edges have long lists."""
    angle = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    disc = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(60)])
    return np.concatenate([disc, disc + [0.0, 0.0, 1e-6]])


VERTEX_SETS = {
    "point": np.array([[1.0, -2.0, 3.0]]),
    "segment": np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]),
    "box": block([-1.0, -2.0, -3.0], [3.0, 2.0, 1.0]),
    "box and what is inside": np.concatenate([block([-1] * 3, [1] * 3), 0.5 * ball(40, 1), np.zeros((1, 3))]),
    "every vertex twice": np.concatenate([ball(20, 2), ball(20, 2)]),
    "widths over nine orders": ball(60, 3) * [1e6, 1.0, 1e-3],
    "discs": tapes(),
    "ball": ball(300, 4),
}


def ways(seed: int, count: int = 2000) -> np.ndarray:
    """Directions of every length, and those on edges, corners and borders of the cube's cells."""
    rng = np.random.default_rng(seed)
    special = np.array(list(itertools.product([-1.0, 0.0, 1.0], repeat=3)))
    borders = np.array(list(itertools.product([1.0, -1.0], np.arange(CELLS + 1) * 2.0 / CELLS - 1.0, [-0.3, 1.0])))
    turned = np.concatenate([np.roll(borders, shift, axis=1) for shift in range(3)])
    return np.concatenate([rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-6, 6, (count, 1)), special, turned])


@pytest.mark.parametrize("name", VERTEX_SETS)
def test_the_best_vertex_of_every_direction_is_in_its_cells_list(name):
    vertices = VERTEX_SETS[name]
    cells, lists = cell_lists(vertices)
    size = np.abs(vertices).max(axis=0)
    for way in ways(1):
        cell, _ = compiled(find_cell, cells, 0, *way)
        assert cells[cell, FIRST_PART] == 0
        listed = lists[cells[cell, BEGIN] : cells[cell, END]]
        values = vertices @ way
        noise = 1e-14 * float(size @ np.abs(way))
        assert values[listed].max() >= values.max() - noise
        alone = values > np.partition(values, -2)[-2] + noise if len(values) > 1 else values == values
        assert set(np.nonzero(alone)[0]) <= set(listed)


@pytest.mark.parametrize("name", ["box", "ball", "discs"])
def test_a_direction_stays_in_its_cell_within_the_distance_to_the_sides(name):
    cells, _ = cell_lists(VERTEX_SETS[name])
    rng = np.random.default_rng(5)
    for way in ways(2, 400):
        cell, near = compiled(find_cell, cells, 0, *way)
        assert 0.0 <= near <= np.linalg.norm(way)
        for move in rng.normal(size=(10, 3)):
            moved = way + 0.999999 * near * move / np.linalg.norm(move)
            assert compiled(find_cell, cells, 0, *moved)[0] == cell


def test_long_lists_are_cut_until_they_are_short():
    """Of 300 vertices of a ball, a direction is compared with no more than a handful."""
    cells, _ = cell_lists(VERTEX_SETS["ball"])
    whole = cells[:, FIRST_PART] > 0
    assert whole.any()
    assert (cells[whole, END] - cells[whole, BEGIN] > LONG_LIST).all()
    assert (cells[~whole, END] - cells[~whole, BEGIN]).max() <= LONG_LIST
    assert len(cells) == 6 * CELLS**2 + 16 * whole.sum()


def test_parts_list_only_what_the_whole_listed():
    cells, lists = cell_lists(VERTEX_SETS["ball"])
    for cell in np.nonzero(cells[:, FIRST_PART])[0]:
        listed = set(lists[cells[cell, BEGIN] : cells[cell, END]])
        for part in range(cells[cell, FIRST_PART], cells[cell, FIRST_PART] + 16):
            assert set(lists[cells[part, BEGIN] : cells[part, END]]) <= listed


def test_more_lists_than_there_was_room_for_are_as_right():
    vertices = ball(4000, 6)
    cells, lists = cell_lists(vertices)
    assert len(cells) > 64 * CELLS**2 or len(lists) > 256 * CELLS**2
    for way in ways(3, 500):
        cell, _ = compiled(find_cell, cells, 0, *way)
        listed = lists[cells[cell, BEGIN] : cells[cell, END]]
        assert (vertices[listed] @ way).max() >= (vertices @ way).max() - 1e-14 * np.linalg.norm(way)


def test_the_zero_direction_has_a_cell_and_no_room_to_move():
    cells, _ = cell_lists(VERTEX_SETS["box"])
    cell, near = compiled(find_cell, cells, 0, 0.0, 0.0, 0.0)
    assert cells[cell, END] > cells[cell, BEGIN]
    assert near == 0.0
