from __future__ import annotations

import numpy as np

from holdfast.grips.learning import greedy_choice
from holdfast.grips.supports import Pool


def ball_pool(n: int, seed: int = 0) -> Pool:
    """Supports of the unit ball of R^6."""
    y = np.random.default_rng(seed).normal(size=(n, 6))
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return Pool(y, np.ones(n), np.ones(n), y)


def worst_miss(pool: Pool, chosen: np.ndarray) -> float:
    return float((1.0 - (pool.directions @ pool.points[chosen].T).max(axis=1)).max())


def test_each_choice_is_the_support_missed_most():
    pool = ball_pool(300)
    chosen = greedy_choice(pool, np.zeros(6), 20)
    reached = np.zeros(300)
    for index in chosen:
        assert 1.0 - reached[index] == (1.0 - reached).max()
        reached = np.maximum(reached, pool.directions @ pool.points[index])


def test_greedy_misses_less_than_chance():
    pool = ball_pool(2000)
    assert worst_miss(pool, greedy_choice(pool, np.zeros(6), 100)) < 0.8 * worst_miss(pool, np.arange(100))


def test_the_vertices_of_a_box_are_all_found_and_nothing_else():
    y = np.random.default_rng(0).normal(size=(4000, 6))
    points = np.sign(y)
    pool = Pool(y, np.abs(y).sum(axis=1), np.abs(y).sum(axis=1), points)
    chosen = greedy_choice(pool, np.zeros(6), 1000)
    assert len(chosen) == 64
    assert len(np.unique(points[chosen], axis=0)) == 64


def test_a_point_needs_no_choice():
    pool = Pool(np.eye(6), np.ones(6), np.ones(6), np.ones((6, 6)))
    assert len(greedy_choice(pool, np.ones(6), 5)) == 0
