from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from holdfast.solvers.highs import LinearProgram, MixedProgram, Outcome, solve_mixed


def test_a_program_grows_by_columns_and_keeps_its_answer_optimal():
    """max x + 2 y with x + y <= 4, then z with gain 3 comes in."""
    program = LinearProgram(np.array([-np.inf]), np.array([4.0]))
    program.add_columns(np.array([[1.0]]), gain=1.0)
    assert program.solve() is Outcome.OPTIMAL
    np.testing.assert_allclose(program.values, [4.0])
    program.add_columns(np.array([[1.0]]), gain=2.0)
    assert program.solve() is Outcome.OPTIMAL
    np.testing.assert_allclose(program.values, [0.0, 4.0])
    program.add_columns(np.array([[2.0, 1.0]]), gain=3.0, upper=1.0)
    assert program.solve() is Outcome.OPTIMAL
    assert program.columns == 4
    np.testing.assert_allclose(program.values @ [1, 2, 3, 3], 2 * 3 + 3)


def test_row_duals_tell_which_column_would_improve():
    """max x + y with x <= 3 and y <= 5 as rows: multipliers -1 and -1, so a column a pays when g > a1 + a2."""
    program = LinearProgram(np.full(2, -np.inf), np.array([3.0, 5.0]))
    program.add_columns(np.eye(2), gain=1.0)
    assert program.solve() is Outcome.OPTIMAL
    duals = program.row_duals
    before = float(program.values.sum())
    for column, gain in (([1.0, 1.0], 1.9), ([1.0, 1.0], 2.1), ([0.5, 0.2], 0.6), ([0.5, 0.2], 0.8)):
        fresh = LinearProgram(np.full(2, -np.inf), np.array([3.0, 5.0]))
        fresh.add_columns(np.eye(2), gain=1.0)
        fresh.add_columns(np.array(column)[:, None], gain=gain)
        fresh.solve()
        improves = float(fresh.values @ [1, 1, gain]) > before + 1e-9
        assert improves == (gain + duals @ column > 0)


def test_infeasible_and_unbounded_programs_are_told_apart():
    impossible = LinearProgram(np.array([1.0, -np.inf]), np.array([np.inf, -1.0]))
    impossible.add_columns(np.array([[1.0], [1.0]]), gain=0.0)
    assert impossible.solve() is Outcome.INFEASIBLE
    endless = LinearProgram(np.array([0.0]), np.array([np.inf]))
    endless.add_columns(np.array([[1.0]]), gain=1.0)
    assert endless.solve() is Outcome.UNBOUNDED


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_random_programs_agree_with_scipy(seed):
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 6)), int(rng.integers(1, 8))
    matrix = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.8)
    lower, gains = -rng.uniform(0, 2, rows), rng.normal(size=columns)
    upper = rng.uniform(0, 2, rows)
    program = LinearProgram(lower, upper)
    for j in range(columns):
        program.add_columns(matrix[:, j : j + 1], gain=float(gains[j]), upper=3.0)
    assert program.solve() is Outcome.OPTIMAL
    expected = linprog(
        -gains, A_ub=np.concatenate([matrix, -matrix]), b_ub=np.concatenate([upper, -lower]), bounds=(0, 3.0)
    )
    assert gains @ program.values == pytest.approx(-expected.fun, abs=1e-8)
    assert (matrix @ program.values <= upper + 1e-9).all()
    assert (matrix @ program.values >= lower - 1e-9).all()


def test_small_coefficients_are_kept():
    program = LinearProgram(np.array([-np.inf]), np.array([1e-11]))
    program.add_columns(np.array([[1e-11]]), gain=1.0, upper=5.0)
    assert program.solve() is Outcome.OPTIMAL
    np.testing.assert_allclose(program.values, [1.0], rtol=1e-3)


KNAPSACK = ([10.0, 13.0, 7.0, 8.0], [5.0, 6.0, 3.0, 4.0], 10.0)


def knapsack(integer: bool, *, time_limit: float = 100.0):
    gains, weights, capacity = KNAPSACK
    rows = sparse.csc_matrix(np.array([weights])), np.array([-np.inf]), np.array([capacity])
    program = MixedProgram(*rows, np.array(gains), np.zeros(4), np.ones(4), np.full(4, integer))
    return solve_mixed(program, time_limit=time_limit, gap=1e-9)


def test_a_mixed_program_finds_the_best_whole_choice():
    answer = knapsack(integer=True)
    best = max(
        sum(g for g, take in zip(KNAPSACK[0], bits, strict=True) if take)
        for bits in np.ndindex(2, 2, 2, 2)
        if sum(w for w, take in zip(KNAPSACK[1], bits, strict=True) if take) <= KNAPSACK[2]
    )
    assert answer.outcome is Outcome.OPTIMAL
    assert answer.objective == pytest.approx(best)
    assert answer.bound == pytest.approx(best)
    np.testing.assert_allclose(answer.values, answer.values.round(), atol=1e-9)


def test_without_whole_numbers_it_is_the_relaxation():
    answer = knapsack(integer=False)
    assert answer.objective == pytest.approx(7 + 13 + 10 * 0.2)  # by gain per weight, the last one in part


def test_an_impossible_mixed_program_has_no_values():
    rows = sparse.csc_matrix(np.array([[1.0, 1.0]])), np.array([0.5]), np.array([0.6])
    program = MixedProgram(*rows, np.ones(2), np.zeros(2), np.ones(2), np.ones(2, dtype=bool))
    answer = solve_mixed(program, time_limit=100.0, gap=1e-9)
    assert answer.outcome is Outcome.INFEASIBLE
    assert answer.values is None
    assert answer.objective == -np.inf
