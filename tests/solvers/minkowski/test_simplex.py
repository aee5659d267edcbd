"""The simplex method over sums: its bases, its checks, and what keeps it from going round in circles."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.minkowski import SumStatus
from holdfast.solvers.minkowski.basis import COLUMN, FIXED, FREE
from holdfast.solvers.minkowski.simplex import RIGHT, X, assess, imbalance, perturb, renew, worth
from tests.solvers.minkowski.sum_cases import CUBE, Sum, assert_proved, random_maps, random_sum


def test_the_last_basis_solves_its_equations():
    rng = np.random.default_rng(0)
    solver = random_sum(rng, 3, ["cloud", "box"]).solver()
    solver.maximise(np.zeros(6), rng.normal(size=(2, 6)), [1.0, 2.0])
    tables, pool, basis, _, _ = solver.parts
    basis.vectors[RIGHT, 6:] = 1.0
    assert renew(
        tables.row_of, pool.world, pool.rows, basis.axes, basis.kinds, basis.index,
        basis.columns, basis.inverse, basis.work, basis.vectors,
    )  # fmt: skip
    m = len(basis.kinds)
    assert np.allclose(basis.inverse @ basis.columns.T, np.eye(m), atol=1e-9)
    assert np.allclose(basis.vectors[X] @ basis.columns, basis.vectors[RIGHT], atol=1e-9)
    for kind, index, column in zip(basis.kinds, basis.index, basis.columns, strict=True):
        if kind == COLUMN:
            assert pool.basic[index] == 1
            assert np.array_equal(column[:6], pool.world[:, index])
            assert column[6:].sum() == 1.0 and column[tables.row_of[pool.rows[index]]] == 1.0
        elif kind == FREE:
            assert np.array_equal(column[:6], -basis.axes[index])


def test_distances_and_costs_follow_the_bounds_of_each_kind():
    kinds, index = np.array([COLUMN, COLUMN, FIXED, FIXED, FREE]), np.array([0, 1, 2, 3, 1])
    gains, costs = np.array([5.0, 7.0]), np.zeros(5)
    x = np.array([0.5, -0.25, 2.0, -3.0, -100.0])
    assert assess.py_func(kinds, index, gains, x, np.full(5, 1e-12), costs) == pytest.approx(5.25)
    assert costs.tolist() == [0.0, 1.0, -1.0, 1.0, 0.0]
    x[1:4] = [0.0, 1e-13, -1e-13]
    assert assess.py_func(kinds, index, gains, x, np.full(5, 1e-12), costs) == 0.0
    assert costs.tolist() == [0.0, 0.0, 0.0, 0.0, 7.0]
    assert worth.py_func(kinds, index, gains, x) == -700.0


def test_the_balance_is_checked_without_negative_weights_and_artificial_columns():
    kinds, columns = np.array([COLUMN, COLUMN, FIXED]), np.eye(3)
    assert imbalance.py_func(kinds, columns, np.array([1.0, 2.0, 0.0]), np.array([1.0, 2.0, 0.0])) == 0.0
    assert imbalance.py_func(kinds, columns, np.array([1.0, -0.5, 0.0]), np.array([1.0, -0.5, 0.0])) == 0.5
    assert imbalance.py_func(kinds, columns, np.array([1.0, 2.0, 0.25]), np.array([1.0, 2.0, 0.25])) == 0.25


def test_a_perturbation_moves_weights_at_zero_alone():
    kinds, x = np.array([COLUMN, COLUMN, FREE, FIXED]), np.array([0.0, 0.5, 0.0, 0.0])
    perturb.py_func(kinds, x, 3)
    assert 0.0 < x[0] < 1e-8 and x[1:].tolist() == [0.5, 0.0, 0.0]


@pytest.mark.parametrize("k", [1, 4, 12])
def test_very_degenerate_sums_come_to_an_end(k):
    # equal cubes with their corners repeated, in one place and aligned: almost every step is of length zero
    corners = np.repeat(CUBE, 3, axis=0)
    hands = Sum([(corners, None)], [0] * k, np.tile(np.eye(6), (k, 1, 1)))
    solver = hands.solver()
    for direction in (np.eye(6)[0], np.ones(6), np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])):
        answer = solver.maximise(np.zeros(6), direction[None], [1.0])
        assert answer.status is SumStatus.OPTIMAL and answer.value == pytest.approx(k, rel=1e-12)
        assert_proved(hands, np.zeros(6), direction[None], np.ones(1), answer)
        for share, status in ((1.0, SumStatus.OPTIMAL), (1.0 + 1e-8, SumStatus.EMPTY)):
            assert solver.maximise(share * k * direction).status is status


def test_many_hands_with_hundreds_of_vertices_are_solved():
    rng = np.random.default_rng(1)
    hands = Sum([(rng.normal(size=(400, 6)), None)], [0] * 30, random_maps(rng, 30))
    direction = rng.normal(size=(1, 6))
    answer = hands.solver().maximise(np.zeros(6), direction, [1.0])
    assert answer.status is SumStatus.OPTIMAL and answer.gap <= 1e-9 * answer.value
    assert_proved(hands, np.zeros(6), direction, np.ones(1), answer)
