"""Small convex programs with known answers, for every backend of the paper's search."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from holdfast.solvers.highs import Outcome
from holdfast.solvers.paper.programs import ProgramAnswer, StateProgram


def program(cost, below, at_most, equal=None, equal_to=(), curvature=0.0) -> StateProgram:
    """A program from plain lists."""
    n = len(cost)
    rows = np.zeros((0, n)) if equal is None else np.array(equal, dtype=float)
    return StateProgram(
        np.array(cost, dtype=float),
        np.full(n, float(curvature)),
        sparse.csr_matrix(rows),
        np.array(equal_to, dtype=float),
        sparse.csr_matrix(np.array(below, dtype=float)),
        np.array(at_most, dtype=float),
    )


BOX = [[1, 0], [0, 1], [-1, 0], [0, -1]]

#: Corner (1, 2) of a box on the line x + y = 3, an empty one, and one that goes on for ever.
CORNER = program([-1, -3], BOX, [4, 2, 0, 0], [[1, 1]], [3])
EMPTY = program([1, 1], BOX, [1, 1, 0, 0], [[1, 1]], [3])
ENDLESS = program([-1, 0], [[0, 1], [-1, 0], [0, -1]], [1, 0, 0], [[0, 1]], [0.5])

#: The point of the box nearest to (3, 1), and the same on a line that the box does not meet.
NEAREST = program([-3, -1], BOX, [2, 2, 0, 0], [[1, -1]], [1], curvature=1.0)
NOTHING_NEAR = program([-3, -1], BOX, [2, 2, 0, 0], [[1, 1]], [9], curvature=1.0)

#: The corner with its line given three times, and with lines that contradict each other.
REPEATED = program([-1, -3], BOX, [4, 2, 0, 0], [[1, 1], [2, 2], [1, 1]], [3, 6, 3])
CONTRARY = program([-1, -3], BOX, [4, 2, 0, 0], [[1, 1], [1, 1]], [3, 3.5])


def assert_refuted(question: StateProgram, answer: ProgramAnswer) -> None:
    """The multipliers add the rows up to 0 x <= something negative."""
    assert answer.outcome is Outcome.INFEASIBLE
    nu, weights = answer.equal_duals, answer.below_duals
    size = max(np.abs(nu).max(initial=0.0), np.abs(weights).max())
    assert weights.min() >= -1e-9 * size
    np.testing.assert_allclose(question.equal.T @ nu + question.below.T @ weights, 0.0, atol=1e-6 * size)
    assert nu @ question.equal_to + weights @ question.at_most < -1e-3 * size


def assert_optimal(question: StateProgram, answer: ProgramAnswer, expected: list[float], tolerance: float) -> None:
    """The expected solution, with multipliers that make it stationary and complementary."""
    assert answer.outcome is Outcome.OPTIMAL
    np.testing.assert_allclose(answer.values, expected, atol=tolerance)
    pull = question.cost + question.curvature * answer.values
    push = question.equal.T @ answer.equal_duals + question.below.T @ answer.below_duals
    np.testing.assert_allclose(pull + push, 0.0, atol=10 * tolerance)
    assert answer.below_duals.min() >= -tolerance
    slack = question.at_most - question.below @ answer.values
    np.testing.assert_allclose(slack * answer.below_duals, 0.0, atol=10 * tolerance)
