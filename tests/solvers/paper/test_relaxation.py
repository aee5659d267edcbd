"""One state of the paper's search against the hull relaxation by column generation, which knows no half-spaces."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.certificates import factor_bound, separation_margin
from holdfast.solvers.highs import Outcome
from holdfast.solvers.paper.programs import ProgramAnswer, mask_of, shape_tree, solve
from holdfast.solvers.paper.search import StateRelaxation
from holdfast.solvers.problem import Status
from holdfast.solvers.relaxation import HullRelaxation, RelaxationOutcome
from tests.referee import distance_to_piece, random_case


def prepared(seed, p, *, scale=1.0, backend=solve):
    case = random_case(seed, most_choices=32)
    problem = case.assembly.build(case.direction * scale)
    trees = [shape_tree(problem.pieces(i)) for i in range(problem.contacts)]
    rng = np.random.default_rng(seed)
    states = [
        tuple(tree.root for tree in trees),
        *(tuple(rng.choice(list(tree.root.walk())) for tree in trees) for _ in range(3)),
    ]
    return problem, StateRelaxation(problem, trees, backend, p=p, epsilon=0.0), states


@pytest.mark.parametrize("seed", range(16))
def test_the_largest_factor_of_a_state_is_that_of_its_hulls(seed):
    problem, relaxation, states = prepared(seed, None)
    for state in states:
        masks = tuple(map(mask_of, state))
        expected = HullRelaxation(problem).maximise(masks)
        found, bound = relaxation.maximise(state, time_limit=10.0)
        assert found.outcome is expected.outcome
        if found.outcome is RelaxationOutcome.OPTIMAL:
            assert found.factor == pytest.approx(expected.factor, rel=1e-6, abs=1e-7)
            assert bound == factor_bound(problem, masks, found.multipliers)
            assert bound == pytest.approx(expected.factor, rel=1e-5, abs=1e-6)
        elif found.outcome is RelaxationOutcome.SEPARATED:
            assert bound == -np.inf


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
def test_a_state_holds_or_is_separated_as_its_hulls_are(seed, p):
    for scale in (0.5, 3.0):
        problem, relaxation, states = prepared(seed, p, scale=scale)
        for state in states:
            masks = tuple(map(mask_of, state))
            found = relaxation.test(state, time_limit=10.0)
            assert found.outcome is HullRelaxation(problem).test(masks).outcome
            if found.outcome is RelaxationOutcome.SEPARATED:
                assert separation_margin(problem, masks, found.multipliers) > 0.0
            else:
                assert problem.residual(found.forces, 1.0) <= 1e-6 * problem.force_scale(found.forces, 1.0)
                for node, force in zip(state, found.forces, strict=True):
                    size = 1.0 + float(np.abs(force).max())
                    assert distance_to_piece(force, node.hull.vertices, node.hull.rays) <= 1e-6 * size


@pytest.mark.parametrize("outcome", [Outcome.LIMIT, Outcome.INFEASIBLE, Outcome.UNBOUNDED])
def test_a_backend_that_fails_or_errs_is_not_believed(outcome):
    """Whatever it says without numbers to show, the second opinion gives the right answer."""

    def useless(program, *, time_limit):
        assert time_limit > 0.0
        return ProgramAnswer(outcome)

    for seed in (0, 3, 4):
        problem, relaxation, states = prepared(seed, None, backend=useless)
        expected = HullRelaxation(problem).maximise(problem.all_pieces)
        found, _ = relaxation.maximise(states[0], time_limit=1.0)
        assert found.outcome is expected.outcome
        assert found.factor == expected.factor
        assert relaxation.programs > 1
        problem, relaxation, states = prepared(seed, 1.0, backend=useless)
        assert (
            relaxation.test(states[0], time_limit=1.0).outcome
            is HullRelaxation(problem).test(problem.all_pieces).outcome
        )


def test_wrong_multipliers_are_not_believed():
    """A backend that calls everything impossible, with multipliers that prove nothing."""

    def liar(program, *, time_limit):
        return ProgramAnswer(
            Outcome.INFEASIBLE, None, np.ones(len(program.equal_to)) * time_limit, np.ones(len(program.at_most))
        )

    problem, relaxation, states = prepared(0, 1.0, scale=0.1, backend=liar)
    assert HullRelaxation(problem).test(problem.all_pieces).outcome is RelaxationOutcome.REACHED
    assert relaxation.test(states[0], time_limit=1.0).outcome is RelaxationOutcome.REACHED


@pytest.mark.parametrize("seed", range(8))
def test_pieces_held_to_are_attained_or_refused(seed):
    problem, relaxation, _ = prepared(seed, None)
    rng = np.random.default_rng(seed)
    pieces = np.array([rng.integers(len(problem.pieces(i))) for i in range(problem.contacts)])
    leaves = [shape_tree(problem.pieces(i)).leaf(int(j)) for i, j in enumerate(pieces)]
    found = relaxation.attain(pieces, leaves, time_limit=10.0)
    expected = HullRelaxation(problem).maximise(tuple(1 << int(j) for j in pieces))
    if expected.outcome is RelaxationOutcome.SEPARATED:
        assert found is None
    else:
        assert found.status is (Status.OPTIMAL if expected.outcome is RelaxationOutcome.OPTIMAL else Status.UNBOUNDED)
        np.testing.assert_array_equal(found.pieces, pieces)
        if found.status is Status.OPTIMAL:
            assert found.factor == pytest.approx(expected.factor, rel=1e-7, abs=1e-9)
            for i, (force, j) in enumerate(zip(found.forces, pieces, strict=True)):
                polytope = problem.pieces(i)[j]
                assert distance_to_piece(force, polytope.vertices, polytope.rays) <= 2e-9 * (1 + np.abs(force).max())
