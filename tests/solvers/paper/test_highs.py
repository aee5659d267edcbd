"""HiGHS as a backend of the paper's search: solutions, multipliers and rays of programs with known answers."""

from __future__ import annotations

import pytest

from holdfast.solvers.highs import Outcome
from holdfast.solvers.paper.programs import solve
from tests.solvers import program_checks as known


@pytest.mark.parametrize(
    "question, expected", [(known.CORNER, [1, 2]), (known.REPEATED, [1, 2]), (known.NEAREST, [2, 1])]
)
def test_solutions_and_their_multipliers(question, expected):
    known.assert_optimal(question, solve(question, time_limit=10.0), expected, 1e-9)


@pytest.mark.parametrize("question", [known.EMPTY, known.CONTRARY, known.NOTHING_NEAR])
def test_what_has_no_solution_is_refuted_by_its_multipliers(question):
    known.assert_refuted(question, solve(question, time_limit=10.0))


def test_what_has_no_end_is_unbounded():
    assert solve(known.ENDLESS, time_limit=10.0).outcome is Outcome.UNBOUNDED
