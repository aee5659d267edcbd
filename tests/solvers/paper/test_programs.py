"""The programs of the paper's search, row by row, against the assembly they were built from."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.certificates import factor_bound, separation_margin
from holdfast.solvers.highs import Outcome
from holdfast.solvers.paper.programs import ProgramAnswer, ProgramBuilder, ShapeTree, solve
from tests.referee import distance_to_piece, random_case

CASES = [random_case(seed, most_choices=16) for seed in (1, 3, 5, 8, 13)]


def prepared(case, p, scale=0.3):
    problem = case.assembly.build(case.direction * scale)
    trees = [ShapeTree(problem.pieces(i)) for i in range(problem.contacts)]
    builder = ProgramBuilder(problem, trees, p=p)
    return problem, trees, builder, [tree.root for tree in trees]


def world_norm(assembly, forces, centres, p):
    """Sum of |f_i - c_i|_p over contacts, in the axes of the world."""
    apart = [c.rotation @ (f - m) for c, f, m in zip(assembly.contacts, forces, centres, strict=True)]
    return float(sum(np.linalg.norm(a, ord=p) for a in apart))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.seed))
@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
def test_a_solution_balances_lies_in_the_hulls_and_has_the_printed_objective(case, p):
    problem, trees, builder, state = prepared(case, p)
    program = builder.build(state)
    answer = solve(program, time_limit=10.0)
    if answer.outcome is Outcome.INFEASIBLE:
        assert separation_margin(problem, problem.all_pieces, builder.multipliers(answer)) > 0.0
        return
    assert answer.outcome is Outcome.OPTIMAL
    forces = builder.forces(answer.values)
    assert problem.residual(forces, 1.0) <= 1e-7 * problem.force_scale(forces, 1.0)
    for force, node in zip(forces, state, strict=True):
        assert distance_to_piece(force, node.hull.vertices, node.hull.rays) <= 1e-6 * (1 + np.abs(force).max())
    centres = [tree.centroid(node) for tree, node in zip(trees, state, strict=True)]
    objective = float(program.cost @ answer.values + program.curvature @ answer.values**2 / 2)
    if p == 2.0:
        squares = sum(float((f - c) @ (f - c)) for f, c in zip(forces, centres, strict=True))
        constant = sum(float(c @ c) for c in centres)
        assert 2 * objective * builder.unit**2 + constant == pytest.approx(squares, rel=1e-9)
    else:
        assert objective * builder.unit == pytest.approx(world_norm(case.assembly, forces, centres, p), rel=1e-9)


def test_the_norm_is_taken_in_the_axes_of_the_world():
    """In its own axes a force along x has |f|_1 = |f|; turned by 45 degrees it has more."""
    case = next(c for c in CASES if len(c.assembly.contacts) > 1)
    _, trees, builder, state = prepared(case, 1.0)
    program = builder.build(state)
    values = np.zeros(len(program.cost))
    k = len(case.assembly.contacts)
    centres = [tree.centroid(node) for tree, node in zip(trees, state, strict=True)]
    turned = [c.rotation @ m / builder.unit for c, m in zip(case.assembly.contacts, centres, strict=True)]
    values[3 * k :] = np.abs(np.concatenate(turned))  # zero forces with the least t that the rows of the norm allow
    norm = slice(len(program.at_most) - sum(len(t.halfspaces(n).offsets) for t, n in zip(trees, state, strict=True)))
    slack = (program.at_most - program.below @ values)[norm][-6 * k :].reshape(2, 3 * k)
    np.testing.assert_allclose(slack.min(axis=0), 0.0, atol=1e-12)
    assert program.cost @ values * builder.unit == pytest.approx(
        world_norm(case.assembly, np.zeros((k, 3)), centres, 1)
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.seed))
def test_multipliers_of_a_maximum_prove_its_factor(case):
    problem, _, builder, state = prepared(case, None)
    answer = solve(builder.build(state), time_limit=10.0)
    if answer.outcome is not Outcome.OPTIMAL:
        assert answer.outcome in (Outcome.INFEASIBLE, Outcome.UNBOUNDED)
        return
    factor = builder.factor(answer.values)
    assert problem.residual(builder.forces(answer.values), factor) <= 1e-7 * problem.layout.smallest_size
    bound = factor_bound(problem, problem.all_pieces, builder.multipliers(answer))
    assert bound == pytest.approx(factor, rel=1e-6, abs=1e-7)


def test_an_answer_without_multipliers_gives_none():
    _, _, builder, _ = prepared(CASES[0], 1.0)
    assert builder.multipliers(ProgramAnswer(Outcome.INFEASIBLE)) is None


def test_rows_that_allow_one_value_are_equations_and_others_bound_on_the_sides_they_limit():
    case = random_case(1, most_choices=16)
    problem, trees, builder, state = prepared(case, None)
    program = builder.build(state)
    fixed = problem.lower == problem.upper
    flat = sum(len(t.halfspaces(n).levels) for t, n in zip(trees, state, strict=True))
    facets = sum(len(t.halfspaces(n).offsets) for t, n in zip(trees, state, strict=True))
    ends = np.isfinite(problem.lower[~fixed]).sum() + np.isfinite(problem.upper[~fixed]).sum()
    assert len(program.equal_to) == fixed.sum() + flat
    assert len(program.at_most) == ends + facets
