"""Pricing agrees with plain products."""

from __future__ import annotations

import numpy as np
from numba import njit

from holdfast.solvers.minkowski.pricing import best_of_block, block_support, first_above, pool_scores, to_hand, value_at


@njit
def scored(world, offsets, rows, y, scores):
    return pool_scores(world, offsets, rows, y, len(scores), scores)


@njit
def supported(table, start, stop, g):
    return block_support(table, start, stop, g)


def test_scores_of_the_pool_are_products_and_offsets():
    rng = np.random.default_rng(0)
    world, offsets, rows = rng.normal(size=(6, 133)), rng.normal(size=5), rng.integers(0, 5, size=133)
    offsets[4] = -np.inf
    y, scores = rng.normal(size=6), np.zeros(133)
    best = scored(world, offsets, rows, y, scores)
    expected = y @ world + offsets[rows]
    used = np.isfinite(expected)
    assert np.allclose(scores[used], expected[used], rtol=1e-13, atol=1e-13)
    assert np.all(scores[~used] == -np.inf)
    assert best == scores.max()
    assert first_above.py_func(scores, 133, best) == int(np.argmax(scores))


def test_the_support_of_a_block_is_that_of_its_vertices():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(6, 300))
    for start, stop in ((0, 64), (64, 128), (256, 300), (7, 8)):
        g = rng.normal(size=6)
        values = g @ table[:, start:stop]
        assert abs(supported(table, start, stop, g) - values.max()) <= 1e-13 * np.abs(values).max()
        item, top = best_of_block.py_func(table, start, stop, g)
        assert item == start + int(np.argmax(values)) and abs(top - values.max()) <= 1e-13 * np.abs(values).max()
        assert value_at.py_func(table, start, g) == np.float64(top) or start != item


def test_a_direction_is_carried_into_the_hand():
    rng = np.random.default_rng(2)
    maps, y, g = rng.normal(size=(3, 6, 6)), rng.normal(size=6), np.zeros(6)
    to_hand.py_func(maps, 1, y, g)
    assert np.allclose(g, maps[1].T @ y)
