"""The ratio test, against trying steps one by one."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.sums.basis import COLUMN, FIXED, FREE
from holdfast.solvers.sums.ratio import leaving

TOLERANCE = 1e-12


def outside(kinds, x):
    """Sum of distances from the bounds."""
    return sum(
        max(0.0, -value) if kind == COLUMN else abs(value) if kind == FIXED else 0.0
        for kind, value in zip(kinds, x, strict=True)
    )


def test_weights_stop_a_step_at_zero_and_free_coordinates_do_not():
    kinds = np.array([COLUMN, FREE, COLUMN, COLUMN])
    x, alpha = np.array([4.0, 1.0, 1.0, 2.0]), np.array([1.0, 5.0, 0.5, -3.0])
    assert leaving.py_func(kinds, x, alpha, 1.0, 1.0, TOLERANCE, np.zeros(4)) == (2, 2.0)
    assert leaving.py_func(kinds, x, alpha, -1.0, 1.0, TOLERANCE, np.zeros(4)) == (3, pytest.approx(2.0 / 3.0))


def test_nothing_stops_a_ray():
    kinds = np.array([COLUMN, FREE])
    row, step = leaving.py_func(kinds, np.ones(2), np.array([-1.0, 1.0]), 1.0, 1.0, TOLERANCE, np.zeros(2))
    assert row == -1 and step == np.inf


def test_an_artificial_column_at_zero_leaves_at_once():
    kinds = np.array([COLUMN, FIXED])
    for slope in (0.5, -0.5):
        found = leaving.py_func(kinds, np.array([1.0, 0.0]), np.array([0.1, slope]), 1.0, 1.0, TOLERANCE, np.zeros(2))
        assert found == (1, 0.0)


def test_dust_is_no_pivot():
    kinds = np.array([COLUMN, COLUMN])
    found = leaving.py_func(kinds, np.array([0.0, 1.0]), np.array([1e-13, 1.0]), 1.0, 1.0, TOLERANCE, np.zeros(2))
    assert found == (1, 1.0)


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
    row, step = leaving.py_func(kinds, x, alpha, 1.0, slope, TOLERANCE, np.zeros(m))
    if row < 0:
        return
    inside = (kinds == COLUMN) & (x >= 0.0)
    assert np.all((x - step * alpha)[inside] >= -1e-9)  # those inside stay inside
    assert abs((x - step * alpha)[row]) <= 1e-9
    trials = np.linspace(0.0, step, 400)
    reached = [outside(kinds, x - t * alpha) for t in trials]
    assert min(reached) >= outside(kinds, x - step * alpha) - 1e-9
