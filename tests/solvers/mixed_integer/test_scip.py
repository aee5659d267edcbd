from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy import sparse

from holdfast.errors import MissingDependencyError, SolverError
from holdfast.solvers import highs
from holdfast.solvers.highs import Outcome
from holdfast.solvers.mixed_integer import scip


@pytest.fixture
def solve_mixed():
    pytest.importorskip("pyscipopt")
    return scip.solve_mixed


def knapsack(solve, integer: bool = True):
    gains, weights = np.array([10.0, 13.0, 7.0, 8.0]), np.array([[5.0, 6.0, 3.0, 4.0]])
    bounds = np.array([-np.inf]), np.array([10.0])
    matrix = sparse.csc_array(weights)
    return solve(matrix, *bounds, gains, np.zeros(4), np.ones(4), np.full(4, integer), time_limit=10.0, gap=1e-9)


def test_it_finds_the_best_whole_choice(solve_mixed) -> None:
    answer = knapsack(solve_mixed)
    assert answer.outcome is Outcome.OPTIMAL
    assert answer.objective == pytest.approx(21.0)  # the second and the fourth
    assert answer.bound == pytest.approx(21.0)
    np.testing.assert_allclose(answer.values, [0, 1, 0, 1], atol=1e-9)


def test_without_whole_numbers_it_is_the_relaxation(solve_mixed) -> None:
    assert knapsack(solve_mixed, integer=False).objective == pytest.approx(7 + 13 + 10 * 0.2)


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_agree_with_the_other_backend(seed: int, solve_mixed) -> None:
    """Equalities, ranges, one-sided and free rows; bounds of every kind; empty rows, too."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 6)), int(rng.integers(2, 9))
    matrix = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.7)
    lower, upper = -rng.uniform(0, 2, rows), rng.uniform(0, 2, rows)
    kind = rng.integers(0, 5, rows)
    lower[kind == 1], upper[kind == 2] = -np.inf, np.inf
    lower[kind == 3] = upper[kind == 3] = 0.0
    lower[kind == 4], upper[kind == 4] = -np.inf, np.inf
    low, high = np.where(rng.random(columns) < 0.3, -3.0, 0.0), np.full(columns, 3.0)
    arguments = (sparse.csc_array(matrix), lower, upper, rng.normal(size=columns), low, high, rng.random(columns) < 0.5)
    ours, theirs = (solve(*arguments, time_limit=10.0, gap=1e-9) for solve in (solve_mixed, highs.solve_mixed))
    assert ours.outcome is theirs.outcome is Outcome.OPTIMAL
    assert ours.objective == pytest.approx(theirs.objective, abs=1e-6)
    assert ours.bound == pytest.approx(ours.objective, abs=1e-6)
    values = matrix @ ours.values
    assert ((values >= lower - 1e-6) & (values <= upper + 1e-6)).all()


def test_impossible_and_unbounded_programs_are_told_apart(solve_mixed) -> None:
    one = sparse.csc_array(np.array([[1.0, 1.0]]))
    whole = np.ones(2, dtype=bool)
    limits = {"time_limit": 10.0, "gap": 1e-9}
    impossible = solve_mixed(
        one, np.array([0.5]), np.array([0.6]), np.ones(2), np.zeros(2), np.ones(2), whole, **limits
    )
    assert impossible.outcome is Outcome.INFEASIBLE
    assert impossible.values is None
    assert impossible.objective == -np.inf
    endless = np.full(2, np.inf)
    unbounded = solve_mixed(one, np.array([0.5]), np.array([np.inf]), np.ones(2), np.zeros(2), endless, whole, **limits)
    assert unbounded.outcome is Outcome.UNBOUNDED


def test_an_empty_row_that_asks_for_something_is_impossible(solve_mixed) -> None:
    empty = sparse.csc_array((1, 2))
    bounds = np.array([1.0]), np.array([2.0])
    whole = np.zeros(2, dtype=bool)
    answer = solve_mixed(empty, *bounds, np.ones(2), np.zeros(2), np.ones(2), whole, time_limit=10.0, gap=1e-9)
    assert answer.outcome is Outcome.INFEASIBLE


def test_a_failure_of_scip_comes_as_ours(solve_mixed, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyscipopt

    class Failing(pyscipopt.Model):
        def optimize(self):
            raise Exception("SCIP: error in LP solver!")

    monkeypatch.setattr(pyscipopt, "Model", Failing)
    with pytest.raises(SolverError, match="error in LP solver"):
        knapsack(solve_mixed)


def test_without_pyscipopt_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    with pytest.raises(MissingDependencyError, match="pip install pyscipopt"):
        knapsack(scip.solve_mixed)
