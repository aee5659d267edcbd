"""Basic values are as exact as their columns: judged by exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from holdfast.solvers.minkowski import SumSolver, SumStatus
from holdfast.solvers.minkowski.accuracy import allow_rounding, drop_noise, refine, restore_rows, stretch_rows, within
from holdfast.solvers.minkowski.basis import COLUMN, FIXED, FREE
from tests.solvers.minkowski.sum_cases import placed, random_rotation


def missing(columns, x, right):
    """Largest |sum_i x_i columns_i - right|, in fractions."""
    return max(
        abs(float(sum(Fraction(c) * Fraction(v) for c, v in zip(row, x, strict=True)) - Fraction(b)))
        for row, b in zip(columns.T.tolist(), right.tolist(), strict=True)
    )


def test_a_step_of_refinement_takes_away_what_a_poor_inverse_left():
    rng = np.random.default_rng(0)
    columns, right = rng.normal(size=(8, 8)), rng.normal(size=8)
    columns[1] = columns[0] + 1e-6 * columns[1]
    inverse = np.linalg.inv(columns.T) * (1.0 + 1e-10 * rng.normal(size=(8, 8)))
    x = inverse @ right
    before = missing(columns, x.tolist(), right)
    refine.py_func(columns, inverse, right, x, np.zeros(8))
    refine.py_func(columns, inverse, right, x, np.zeros(8))
    assert missing(columns, x.tolist(), right) < 1e-4 * before


def test_stretched_rows_come_back_to_the_last_digit_with_the_right_inverse():
    rng = np.random.default_rng(1)
    columns, scales = rng.normal(size=(6, 6)) * np.array([1.0, 1e-9, 1.0, 1e5, 1e-4, 1e-15]), np.zeros(6)
    given = columns.copy()
    stretch_rows.py_func(columns, scales)
    sizes = np.abs(columns).max(axis=0)
    assert ((sizes[:5] >= 0.125) & (sizes[:5] <= 8.0)).all()
    assert scales[5] == 1.0  # rounding is not made large
    inverse = np.linalg.inv(columns.T)
    restore_rows.py_func(columns, inverse, scales)
    assert np.array_equal(columns, given)
    assert np.allclose(inverse @ given.T, np.eye(6), atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_margins_are_what_columns_rounded_otherwise_do_to_the_values(seed):
    rng = np.random.default_rng(seed)
    columns, right = rng.normal(size=(7, 7)), rng.normal(size=7)
    columns[:, 3] *= 1e-5
    inverse = np.linalg.inv(columns.T)
    x, margins = inverse @ right, np.zeros(7)
    allow_rounding.py_func(columns, inverse, right, x, 0.0, np.inf, margins)
    for _ in range(20):
        noise = 1e-16 * rng.choice([-1.0, 1.0], size=(7, 7)) * np.abs(columns).max(axis=1, keepdims=True)
        change = inverse @ (noise.T @ x)
        assert (np.abs(change) <= margins).all()
    allow_rounding.py_func(columns, inverse, right, x, 0.0, 1e-15, margins)
    assert margins.max() == 1e-15


def test_bounds_count_by_the_margin_of_each_value():
    kinds, margins = np.array([COLUMN, FREE, FIXED]), np.array([1e-12, 0.0, 1e-14])
    assert within.py_func(kinds, np.array([-1e-13, -5.0, 1e-15]), margins)
    assert not within.py_func(kinds, np.array([-1e-11, -5.0, 0.0]), margins)
    assert not within.py_func(kinds, np.array([0.0, 0.0, 1e-13]), margins)
    assert not within.py_func(kinds, np.array([0.0, 0.0, -1e-13]), margins)


def test_entries_of_rounding_are_dropped_and_small_true_ones_stay():
    inverse, alpha = np.eye(3), np.array([1.0, 1e-16, 1e-12])
    drop_noise.py_func(inverse, np.array([1.0, 1e-16, 1e-12]), alpha, 0.0)
    assert alpha.tolist() == [1.0, 0.0, 1e-12]
    drop_noise.py_func(inverse, np.array([1.0, 1e-16, 1e-12]), alpha, 1e-12)
    assert alpha.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("seed", range(8))
def test_loads_just_beyond_the_end_of_a_line_are_told_apart_where_arms_are_long(seed):
    rng = np.random.default_rng(seed)
    shapes = [(rng.normal(size=(40, 6)) * [1, 1, 1, 0.1, 0.1, 0.1], None) for _ in range(2)]
    maps = [placed(random_rotation(rng), 1000.0 * rng.normal(size=3)) for _ in range(2)]
    solver = SumSolver(shapes, [0, 1], length=1000.0)
    solver.place(maps)
    load = rng.normal(size=6)
    far = solver.maximise(np.zeros(6), load[None], [1.0])
    assert far.status is SumStatus.OPTIMAL
    beyond = solver.maximise(load * far.value * (1.0 + 1e-8))
    assert beyond.status is SumStatus.EMPTY
    assert beyond.multipliers @ load * far.value * (1.0 + 1e-8) > solver.support(beyond.multipliers)[0]
    before = solver.maximise(load * far.value * (1.0 - 1e-8))
    assert before.status is SumStatus.OPTIMAL
