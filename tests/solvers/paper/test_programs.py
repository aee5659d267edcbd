"""The programs of the paper's search and their backends.

Hierarchies against distances and centroids found otherwise; programs, row by row, against the assembly they were built
from; solutions, multipliers and certificates of both backends for programs with known answers.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import MissingDependencyError
from holdfast.solvers.certificates import factor_bound, separation_margin
from holdfast.solvers.highs import Outcome
from holdfast.solvers.paper.programs import (
    BACKENDS,
    INSIDE,
    MOST_OVERLAPPING,
    ProgramAnswer,
    ProgramBuilder,
    ShapeTree,
    mask_of,
    shape_tree,
    solve_on_cvxopt,
    solve_on_highs,
)
from holdfast.solvers.paper.search import PaperBranchAndBound
from tests.referee import block, dented_unit, distance_to_piece, random_case, random_volume
from tests.solvers import program_checks as known

CUBE = block([-1, -1, -1], [1, 1, 1])


def test_masks_of_children_part_the_mask_of_their_parent():
    tree = ShapeTree(random_volume(np.random.default_rng(0), 5, rays=False, offset=True).polytopes)
    assert mask_of(tree.root) == 0b11111
    for node in tree.root.walk():
        if node.children:
            first, second = map(mask_of, node.children)
            assert first & second == 0
            assert first | second == mask_of(node)


@pytest.mark.parametrize("seed", range(6))
def test_forces_violate_the_pieces_that_they_lie_outside_of(seed):
    rng = np.random.default_rng(seed)
    volume = random_volume(rng, 4, rays=seed % 2 == 1, offset=True)
    tree = ShapeTree(volume.polytopes)
    forces = rng.normal(size=(60, 3)) * 5
    for force, outside in zip(forces, tree.violations(forces).T, strict=True):
        distances = [distance_to_piece(force, v, r) for v, r in zip(volume.pieces, volume.rays, strict=True)]
        for j, distance in enumerate(distances):
            assert max(0.0, float(tree.node(j).hull.signed_distance(force))) == pytest.approx(distance, abs=1e-7)
            if outside[j] <= INSIDE:
                assert distance <= 1e-5
            else:
                assert distance > 1e-7


def test_the_half_spaces_of_a_node_hold_its_pieces_and_no_more():
    unit = dented_unit()
    tree = ShapeTree(unit.polytopes)
    for node in tree.root.walk():
        h = tree.halfspaces(node)
        corners = np.concatenate([unit.pieces[j] for j in node.pieces])
        assert (corners @ h.normals.T <= h.offsets + 1e-9).all()
        np.testing.assert_allclose((corners @ h.normals.T).max(axis=0), h.offsets, atol=1e-9)
        assert h.axes.shape == (0, 3)


def test_a_flat_piece_has_planes_to_lie_in_instead_of_facets_on_both_sides():
    segment = hf.ForceVolume([[[0, 0, 0], [0, 0, 5.0]]], allow_flat=True)
    h = (tree := ShapeTree(segment.polytopes)).halfspaces(tree.root)
    assert h.axes.shape == (2, 3)
    np.testing.assert_allclose(h.axes[:, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(h.levels, 0.0, atol=1e-12)
    np.testing.assert_allclose(sorted(h.normals[:, 2] * h.offsets), [0.0, 5.0], atol=1e-12)


def test_the_centroid_of_a_node_is_that_of_the_union_of_its_pieces_not_of_its_hull():
    pieces = [CUBE, CUBE + np.array([1.0, 0, 0]), CUBE + np.array([20.0, 0, 0])]
    tree = ShapeTree(hf.ForceVolume(pieces).polytopes)
    near = next(node for node in tree.root.walk() if node.pieces == (0, 1))
    np.testing.assert_allclose(tree.centroid(near), [0.5, 0, 0], atol=1e-9)
    np.testing.assert_allclose(tree.centroid(tree.root), [(12 * 0.5 + 8 * 20) / 20, 0, 0], atol=1e-9)


def test_many_pieces_still_have_a_centroid():
    n = MOST_OVERLAPPING + 3
    tree = ShapeTree(hf.ForceVolume([CUBE + np.array([3.0 * i, 0, 0]) for i in range(n)]).polytopes)
    np.testing.assert_allclose(tree.centroid(tree.root), [1.5 * (n - 1), 0, 0], atol=1e-9)
    points = [np.array([[float(i), 0, 0]]) for i in range(n)]
    tree = ShapeTree(hf.ForceVolume(points, allow_flat=True).polytopes)
    np.testing.assert_allclose(tree.centroid(tree.root), [0.5 * (n - 1), 0, 0], atol=1e-9)


def test_nodes_are_found_by_their_pieces():
    tree = ShapeTree(dented_unit().polytopes)
    for j, piece in enumerate(tree.pieces):
        assert tree.node(j).hull is piece
        assert tree.node(j).children == ()
    for node in tree.root.walk():
        assert tree.node(*node.pieces) is node


def test_pieces_that_the_hierarchy_does_not_merge_have_a_node_too():
    tree = ShapeTree(hf.ForceVolume([CUBE + np.array([3.0 * i, 0, 0]) for i in (0, 1, 5)]).polytopes)
    node = tree.node(0, 2)
    assert node.pieces == (0, 2)
    np.testing.assert_allclose([node.hull.vertices.min(axis=0)[0], node.hull.vertices.max(axis=0)[0]], [-1, 16])


def test_a_volume_met_again_has_the_hierarchy_it_had():
    unit = dented_unit()
    assert shape_tree(unit.polytopes) is shape_tree(unit.polytopes)
    assert shape_tree(dented_unit().polytopes) is not shape_tree(unit.polytopes)


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
    answer = solve_on_highs(program, time_limit=100.0)
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
    answer = solve_on_highs(builder.build(state), time_limit=100.0)
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


@pytest.fixture
def cvxopt():
    return pytest.importorskip("cvxopt")


@pytest.fixture(params=["highs", "cvxopt"])
def backend(request):
    """(solve, error of its solutions) of each backend that is installed."""
    if request.param == "cvxopt":
        pytest.importorskip("cvxopt")
    return BACKENDS[request.param], {"highs": 1e-9, "cvxopt": 1e-5}[request.param]


@pytest.mark.parametrize(
    "question, expected", [(known.CORNER, [1, 2]), (known.REPEATED, [1, 2]), (known.NEAREST, [2, 1])]
)
def test_solutions_and_their_multipliers(backend, question, expected):
    solve, error = backend
    known.assert_optimal(question, solve(question, time_limit=100.0), expected, error)


@pytest.mark.parametrize("question", [known.EMPTY, known.CONTRARY, known.NOTHING_NEAR])
def test_what_has_no_solution_is_refuted_by_its_multipliers(backend, question):
    solve, _ = backend
    known.assert_refuted(question, solve(question, time_limit=100.0))


def test_what_has_no_end_is_unbounded(backend):
    solve, _ = backend
    assert solve(known.ENDLESS, time_limit=100.0).outcome is Outcome.UNBOUNDED


@pytest.mark.usefixtures("cvxopt")
def test_a_program_without_equations_is_solved_too():
    question = known.program([-1, -3], known.BOX, [4, 2, 0, 0])
    known.assert_optimal(question, solve_on_cvxopt(question, time_limit=100.0), [4, 2], 1e-5)


@pytest.mark.usefixtures("cvxopt")
def test_variables_that_nothing_bounds_end_without_a_verdict():
    question = known.program([0, 0], [[1, 0]], [1])
    assert solve_on_cvxopt(question, time_limit=100.0).outcome is Outcome.LIMIT


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
        with pytest.raises(MissingDependencyError, match=r"holdfast\[cvxopt\]"):
            ask(problem)
