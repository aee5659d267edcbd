"""CVXOPT as a backend of the paper's search: solutions, multipliers and certificates of programs with known answers."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from holdfast.errors import MissingDependencyError
from holdfast.solvers.highs import Outcome
from holdfast.solvers.paper import cvxopt as paper_cvxopt
from holdfast.solvers.paper.search import PaperBranchAndBound
from tests.referee import random_case
from tests.solvers import program_checks as known


@pytest.fixture
def cvxopt():
    return pytest.importorskip("cvxopt")


@pytest.mark.usefixtures("cvxopt")
@pytest.mark.parametrize(
    "question, expected", [(known.CORNER, [1, 2]), (known.REPEATED, [1, 2]), (known.NEAREST, [2, 1])]
)
def test_solutions_and_their_multipliers(question, expected):
    known.assert_optimal(question, paper_cvxopt.solve(question, time_limit=10.0), expected, 1e-5)


@pytest.mark.usefixtures("cvxopt")
@pytest.mark.parametrize("question", [known.EMPTY, known.CONTRARY, known.NOTHING_NEAR])
def test_what_has_no_solution_is_refuted_by_its_multipliers(question):
    known.assert_refuted(question, paper_cvxopt.solve(question, time_limit=10.0))


@pytest.mark.usefixtures("cvxopt")
def test_what_has_no_end_is_unbounded():
    assert paper_cvxopt.solve(known.ENDLESS, time_limit=10.0).outcome is Outcome.UNBOUNDED


@pytest.mark.usefixtures("cvxopt")
def test_a_program_without_equations_is_solved_too():
    question = known.program([-1, -3], known.BOX, [4, 2, 0, 0])
    known.assert_optimal(question, paper_cvxopt.solve(question, time_limit=10.0), [4, 2], 1e-5)


@pytest.mark.usefixtures("cvxopt")
def test_variables_that_nothing_bounds_end_without_a_verdict():
    question = known.program([0, 0], [[1, 0]], [1])
    assert paper_cvxopt.solve(question, time_limit=10.0).outcome is Outcome.LIMIT


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch):
    found = importlib.import_module

    def missing(name: str):
        if name.startswith("cvxopt"):
            raise ImportError(name)
        return found(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    case = random_case(0)
    problem = case.assembly.build(np.array(case.direction))
    for ask in (PaperBranchAndBound(backend="cvxopt").test, PaperBranchAndBound(backend="cvxopt").maximise):
        with pytest.raises(MissingDependencyError, match="pip install cvxopt"):
            ask(problem)
