"""The ratio test, against trying steps one by one."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.minkowski.basis import COLUMN, FIXED, FREE
from holdfast.solvers.minkowski.ratio import PIVOT, PIVOT_HOME, leaving

TOLERANCE = 1e-12


def stops(kinds, x, alpha, sign, slope, dust=PIVOT, home=PIVOT_HOME):
    """`leaving` with the same margin for all."""
    m = len(x)
    return leaving.py_func(kinds, x, alpha, sign, slope, np.full(m, TOLERANCE), np.zeros(m), dust, home)


def outside(kinds, x):
    """Sum of distances from the bounds."""
    return sum(
        max(0.0, -value) if kind == COLUMN else abs(value) if kind == FIXED else 0.0
        for kind, value in zip(kinds, x, strict=True)
    )


def test_weights_stop_a_step_at_zero_and_free_coordinates_do_not():
    kinds = np.array([COLUMN, FREE, COLUMN, COLUMN])
    x, alpha = np.array([4.0, 1.0, 1.0, 2.0]), np.array([1.0, 5.0, 0.5, -3.0])
    assert stops(kinds, x, alpha, 1.0, 1.0) == (2, 2.0)
    assert stops(kinds, x, alpha, -1.0, 1.0) == (3, pytest.approx(2.0 / 3.0))


def test_nothing_stops_a_ray():
    kinds = np.array([COLUMN, FREE])
    row, step = stops(kinds, np.ones(2), np.array([-1.0, 1.0]), 1.0, 1.0)
    assert row == -1 and step == np.inf


def test_an_artificial_column_at_zero_leaves_at_once():
    kinds = np.array([COLUMN, FIXED])
    for slope in (0.5, -0.5):
        found = stops(kinds, np.array([1.0, 0.0]), np.array([0.1, slope]), 1.0, 1.0)
        assert found == (1, 0.0)


def test_dust_is_no_pivot():
    kinds = np.array([COLUMN, COLUMN])
    found = stops(kinds, np.array([0.0, 1.0]), np.array([1e-13, 1.0]), 1.0, 1.0)
    assert found == (1, 1.0)


def test_a_small_pivot_counts_where_a_variable_outside_comes_home_by_it():
    kinds, x, alpha = np.array([COLUMN, FIXED]), np.array([30.0, -3e-9]), np.array([1.0, -2e-10])
    assert stops(kinds, x, alpha, 1.0, 2e-10) == (1, pytest.approx(15.0))
    assert stops(kinds, x, alpha, 1.0, 2e-10, home=PIVOT) == (0, 30.0)


def test_clean_columns_are_stopped_by_small_pivots_too():
    kinds, x, alpha = np.array([COLUMN, FREE]), np.array([3.0, 1.0]), np.array([1e-11, 1.0])
    assert stops(kinds, x, alpha, 1.0, 1.0)[0] == -1
    assert stops(kinds, x, alpha, 1.0, 1.0, dust=0.0) == (0, pytest.approx(3e11))


@pytest.mark.parametrize("seed", range(40))
def test_a_step_of_phase_one_ends_where_the_distance_is_least(seed):
    rng = np.random.default_rng(seed)
    m = 7
    kinds = rng.choice([COLUMN, FIXED, FREE], size=m)
    x, alpha = rng.normal(size=m), rng.normal(size=m)
    x[kinds == FIXED] = np.where(np.abs(x[kinds == FIXED]) < 0.05, 0.05, x[kinds == FIXED])
    slope = outside(kinds, x) - outside(kinds, x - 1e-9 * alpha)
    if slope <= 0.0:
        alpha, slope = -alpha, -slope
    slope /= 1e-9
    if slope < 1e-3:
        return
    row, step = stops(kinds, x, alpha, 1.0, slope)
    if row < 0:
        return
    inside = (kinds == COLUMN) & (x >= 0.0)
    assert np.all((x - step * alpha)[inside] >= -1e-9)  # those inside stay inside
    assert abs((x - step * alpha)[row]) <= 1e-9
    trials = np.linspace(0.0, step, 400)
    reached = [outside(kinds, x - t * alpha) for t in trials]
    assert min(reached) >= outside(kinds, x - step * alpha) - 1e-9
