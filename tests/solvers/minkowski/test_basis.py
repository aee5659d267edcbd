"""Bases: products, exchanges and inverses agree with numpy."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.minkowski.basis import exchange, invert, multipliers, solve


@pytest.mark.parametrize("seed", range(5))
def test_an_exchange_keeps_the_inverse(seed):
    rng = np.random.default_rng(seed)
    m, row = 9, int(rng.integers(0, 9))
    columns, entering = rng.normal(size=(m, m)), rng.normal(size=m)
    inverse, alpha = np.linalg.inv(columns.T), np.zeros(m)
    solve.py_func(inverse, entering, alpha)
    assert np.allclose(columns.T @ alpha, entering)
    exchange.py_func(inverse, alpha, row)
    columns[row] = entering
    assert np.allclose(inverse @ columns.T, np.eye(m), atol=1e-9)


def test_values_and_multipliers_solve_their_equations():
    rng = np.random.default_rng(7)
    m = 8
    columns, right, costs = rng.normal(size=(m, m)), rng.normal(size=m), rng.normal(size=m)
    inverse, work, x, y = np.zeros((m, m)), np.zeros((m, m)), np.zeros(m), np.zeros(m)
    assert invert.py_func(columns, inverse, work)
    solve.py_func(inverse, right, x)
    multipliers.py_func(inverse, costs, y)
    assert np.allclose(x @ columns, right)
    assert np.allclose(costs + columns @ y, 0.0)  # basic columns neither gain nor lose


def test_a_singular_basis_is_noticed():
    columns = np.random.default_rng(8).normal(size=(7, 7))
    columns[3] = columns[1] + columns[2]
    assert not invert.py_func(columns, np.zeros((7, 7)), np.zeros((7, 7)))
