"""Small linear programs against HiGHS."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast.planar.kernels import INFEASIBLE, OPTIMAL, UNBOUNDED, deepest, maximise


@pytest.mark.parametrize("seed", range(60))
def test_programs_on_a_lattice_end_as_highs_says(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 9)), int(rng.integers(1, 40))
    rows = rng.integers(-2, 3, (m, n)).astype(float)
    rows[~rows.any(axis=1)] = 1.0
    limits, c = rng.integers(-1, 4, m).astype(float), rng.integers(-2, 3, n).astype(float)
    lengths = np.linalg.norm(rows, axis=1)
    rows, limits = rows / lengths[:, None], limits / lengths
    status, x = maximise(c, rows, limits)
    other = linprog(-c, A_ub=rows, b_ub=limits, bounds=(None, None))
    assert (status == OPTIMAL) == (other.status == 0)
    if status == OPTIMAL:
        assert c @ x == pytest.approx(-other.fun, abs=1e-8)
        assert (rows @ x <= limits + 1e-9).all()


def test_programs_without_end_and_without_answer_are_told_apart():
    assert maximise(np.ones(1), -np.ones((1, 1)), np.zeros(1))[0] == UNBOUNDED
    apart = np.array([[1.0], [-1.0]])
    assert maximise(np.zeros(1), apart, np.array([0.0, -1.0]))[0] == INFEASIBLE


def test_depth_is_that_of_the_inscribed_ball_and_negative_where_rows_do_not_meet():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    t, x = deepest(rows, np.array([1.0, 1.0, 0.5, 0.5]), np.ones(4))
    assert (t, x[1]) == (pytest.approx(0.5), pytest.approx(0.0))
    assert deepest(rows, np.array([1.0, -2.0, 1.0, 1.0]), np.ones(4))[0] == pytest.approx(-0.5)
    assert deepest(rows, np.array([1.0, -2.0, 1.0, 1.0]), np.zeros(4))[0] == -np.inf
    assert deepest(rows, np.full(4, 10.0), np.ones(4), cap=3.0)[0] == pytest.approx(3.0)


def test_a_degenerate_program_whose_ties_hide_tiny_pivots_is_solved_as_highs_solves_it():
    stored = json.loads((Path(__file__).parent / "degenerate_program.json").read_text())
    rows, limits, weights = (np.array(stored[name]) for name in ("rows", "limits", "weights"))
    t, x = deepest(rows, limits, weights)
    goal = np.append(np.zeros(rows.shape[1]), -1.0)
    other = linprog(
        goal, A_ub=np.column_stack([rows, weights]), b_ub=limits, bounds=[(None, None)] * rows.shape[1] + [(None, 1.0)]
    )
    assert t == pytest.approx(-other.fun, abs=1e-9)
    assert (rows @ x + weights * t <= limits + 1e-9).all()
