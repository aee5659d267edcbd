"""The orthogonal step against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.min_norm import (
    COLUMNS,
    DEPENDENT_ROW,
    IDLE_DIRECTION,
    ITEM,
    ROWS,
    STEP,
    VERTEX,
    evaluate,
    fill_columns,
    new_mixture_work,
    reduce_columns,
    slack_of,
    slope,
)
from tests.solvers.mixture_cases import mixture, program_of


def prepared(number, columns, rows):
    """A mixture with some working rows, evaluated; D (n, 7) and G (n, w) of its columns."""
    hulls, program = program_of(number)
    state, _ = mixture(hulls, program, np.random.default_rng(number), columns)
    state.rows[: len(rows)], state.counts[ROWS] = rows, len(rows)
    work = new_mixture_work(len(program.shape_of), len(program.lower))
    evaluate(hulls, program, state, work, 1.0)
    fill_columns(hulls, program, state, work, 1.0)
    for at, row in enumerate(rows):
        work.slack[at] = slack_of(program, state.elastic, row, work.z, work.joints, 0.0)
    d = work.change[:columns].copy()
    g = np.array(
        [
            [slope(program, state.elastic, row, work.change[j], work.joint_change[j], 0.0) for row in rows]
            for j in range(columns)
        ]
    ).reshape(columns, len(rows))
    return program, state, work, d, g


CASES = [(0, 3, []), (0, 4, [0]), (4, 6, [0, 2]), (1, 4, [1]), (10, 5, [1, 3]), (3, 4, [0, 1])]


@pytest.mark.parametrize("number, columns, rows", CASES)
def test_a_step_goes_to_the_least_length_within_the_rows(number, columns, rows):
    program, state, work, d, g = prepared(number, columns, rows)
    assert np.linalg.matrix_rank(np.hstack([d, g])) == columns  # none depends on the others
    code, _ = reduce_columns(program, state, work)
    assert code == STEP
    a, z, slack = work.step[:columns], work.z.copy(), work.slack[: len(rows)]
    np.testing.assert_allclose(g.T @ a, -slack, atol=1e-9 * max(1.0, np.abs(slack).max(initial=0.0)))
    np.testing.assert_allclose(work.goal, z + d.T @ a, atol=1e-9)
    # Conditions of optimality: the gradient is made up of the working rows, with the prices.
    np.testing.assert_allclose(d @ work.goal, g @ work.prices[: len(rows)], atol=1e-9 * np.abs(d @ z).max())
    # And no other solution of the rows is shorter.
    rng = np.random.default_rng(0)
    null = np.linalg.svd(g.T, full_matrices=True)[2][len(rows) :] if rows else np.eye(columns)
    for _ in range(20):
        other = a + 0.1 * (rng.normal(size=len(null)) @ null)
        assert np.linalg.norm(z + d.T @ other) >= np.linalg.norm(work.goal) - 1e-12


def test_a_repeated_column_gives_a_direction_that_changes_nothing():
    program, state, work, _, _ = prepared(0, 3, [0])
    n = 3
    state.columns[ITEM, n], state.columns[VERTEX, n] = state.columns[ITEM, 0], state.columns[VERTEX, 0]
    work.change[n], work.joint_change[n] = 2.0 * work.change[0], 2.0 * work.joint_change[0]
    state.counts[COLUMNS] = n + 1
    code, _ = reduce_columns(program, state, work)
    assert code == IDLE_DIRECTION
    a = work.step[: n + 1]
    assert np.abs(a).max() > 0.0
    np.testing.assert_allclose(work.change[: n + 1].T @ a, 0.0, atol=1e-9 * np.abs(a).max())


def test_more_than_seven_columns_without_rows_depend_on_each_other():
    program, state, work, d, _ = prepared(4, 8, [])
    code, _ = reduce_columns(program, state, work)
    assert code == IDLE_DIRECTION
    np.testing.assert_allclose(d.T @ work.step[:8], 0.0, atol=1e-8 * np.abs(work.step[:8]).max())


def test_a_repeated_row_is_named():
    program, state, work, _, _ = prepared(4, 5, [0, 2, 0])
    assert reduce_columns(program, state, work) == (DEPENDENT_ROW, 2)


def test_rows_without_columns_depend_on_nothing_and_are_named():
    program, state, work, _, _ = prepared(4, 1, [0, 2])
    assert reduce_columns(program, state, work) == (DEPENDENT_ROW, 1)
