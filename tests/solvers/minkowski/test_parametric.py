"""Slices by the parametric simplex: those of the refinement with reference programs, and their proofs."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.checks import Array
from holdfast.geometry.frames import wrench_transport
from holdfast.solvers.minkowski import FullProgram, SumSolver, parametric_slice, refined
from holdfast.solvers.minkowski.parametric import build_trace, size_of
from tests.postures.known_regions import same_polygon
from tests.solvers.minkowski.slice_cases import AXES, BASE, cone_sum, projected, random_sum

BOX = np.array(np.meshgrid(*[[-40, 40]] * 2, [0, 90], *[[-2, 2]] * 3)).reshape(6, -1).T.astype(float)


def both(shapes: list, maps: Array) -> tuple:
    shape_of = [0] * len(maps) if len(shapes) == 1 else list(range(len(shapes)))
    solver, program = SumSolver(shapes, shape_of, length=0.5), FullProgram(shapes, shape_of, length=0.5)
    solver.place(maps)
    program.place(maps)
    return parametric_slice(solver, BASE, AXES, size=0.5), refined(program, BASE, AXES, size=0.5)


@pytest.mark.parametrize(("seed", "hands", "n"), [(0, 1, 40), (1, 2, 9), (2, 3, 30), (3, 4, 200), (4, 2, 300)])
def test_random_hands_agree_with_the_refinement_of_full_programs(seed: int, hands: int, n: int) -> None:
    shapes, maps = random_sum(seed, hands, n)
    walked, asked = both(shapes, maps)
    assert walked is not None and walked.kind == "polygon"
    assert same_polygon(walked.vertices, asked.vertices, asked.size)
    assert walked.solves < 2 * len(walked.vertices)


@pytest.mark.parametrize("seed", range(3))
def test_small_hands_agree_with_the_hull_of_all_sums(seed: int) -> None:
    shapes, maps = random_sum(seed, 2, 9)
    walked, _ = both(shapes, maps)
    assert walked is not None and same_polygon(walked.vertices, projected(shapes, maps), walked.size)


@pytest.mark.parametrize(("seed", "feet"), [(0, 4), (1, 5), (2, 8), (3, 16)])
def test_feet_on_uneven_ground_agree_with_the_refinement(seed: int, feet: int) -> None:
    walked, asked = both(*cone_sum(seed, feet))
    if asked.kind != "polygon":
        assert walked is None
    else:
        assert walked is not None and same_polygon(walked.vertices, asked.vertices, asked.size)


def test_ties_of_many_columns_are_walked_through() -> None:
    shapes, _ = cone_sum(0, 1, sides=16)
    grid = [[x, y, 0.0] for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)]
    walked, asked = both(shapes, np.array([wrench_transport(np.eye(3), p) for p in grid]))
    assert walked is not None and asked.kind == "polygon"
    assert {tuple(v) for v in walked.vertices.round(9).tolist()} == {(-1, -1), (1, -1), (1, 1), (-1, 1)}
    boxes, asked = both([(BOX, None)], np.array([wrench_transport(np.eye(3), p) for p in grid[:4]]))
    assert boxes is not None and same_polygon(boxes.vertices, asked.vertices, asked.size)


def test_every_corner_and_every_edge_is_proven() -> None:
    shapes, maps = random_sum(11, 4, 300)
    walked, _ = both(shapes, maps)
    assert walked is not None
    given = np.einsum("kmi,nki->nm", maps, walked.wrenches)
    assert np.allclose(given, BASE + walked.vertices @ AXES, atol=1e-8)
    for wrenches, weights in zip(walked.wrenches, walked.weights, strict=True):
        for (vertices, _), wrench, own in zip(shapes, wrenches, weights, strict=True):
            assert own.values.min() >= 0.0 and own.values.sum() == pytest.approx(1.0, abs=1e-12)
            assert np.allclose(own.values @ vertices[own.indices], wrench, atol=1e-9)
    local = np.einsum("em,kmi->eki", walked.multipliers, maps)
    support = sum((local[:, j] @ shapes[j][0].T).max(axis=1) for j in range(4))
    assert np.allclose(walked.multipliers @ AXES.T, walked.normals, atol=1e-9)
    assert np.allclose(support - walked.multipliers @ BASE, walked.offsets, atol=1e-9)
    ends = np.roll(walked.vertices, -1, axis=0)
    for corner in (walked.vertices, ends):
        assert np.allclose(np.einsum("ij,ij->i", walked.normals, corner), walked.offsets, atol=1e-9)


def test_what_is_no_polygon_is_left_to_the_refinement() -> None:
    shapes, _ = cone_sum(0, 1)
    level = np.array([wrench_transport(np.eye(3), p) for p in ([0.0, 0, 0], [1.0, 1.0, 0])])
    assert both(shapes, level)[0] is None  # a segment
    upside = np.array([wrench_transport(np.diag([1.0, -1.0, -1.0]), [0.0, 0.0, 0.0])])
    assert both(shapes, upside)[0] is None  # nothing


def test_a_walk_leaves_the_solver_fit_for_other_questions() -> None:
    shapes, maps = random_sum(5, 3, 60)
    solver = SumSolver(shapes, [0, 1, 2], length=0.5)
    solver.place(maps)
    before = solver.maximise(BASE, AXES, np.array([1.0, 0.0])).value
    assert parametric_slice(solver, BASE, AXES, size=0.5) is not None
    assert solver.maximise(BASE, AXES, np.array([1.0, 0.0])).value == pytest.approx(before, abs=1e-9)
    assert solver.maximise(BASE).status in ("optimal", "empty")


def test_normals_turn_once_round_counter_clockwise_with_one_pass_each() -> None:
    shapes, maps = random_sum(3, 3, 250)
    solver = SumSolver(shapes, [0, 1, 2], length=0.5)
    solver.place(maps)
    found = parametric_slice(solver, BASE, AXES, size=0.5)
    assert found is not None
    angles = np.arctan2(found.normals[:, 1], found.normals[:, 0])
    turns = np.mod(np.roll(angles, -1) - angles, 2.0 * np.pi)
    assert (turns > 0.0).all() and np.isclose(turns.sum(), 2.0 * np.pi)
    # at most one pass a corner, one a quarter turn, and a few for corners that are none
    assert found.solves <= len(found.vertices) + 8


def test_a_trace_has_a_row_per_corner() -> None:
    trace = build_trace(5, 2, 8, 30)
    assert trace.z.shape == (5, 2) and trace.wrenches.shape == (5, 2, 6) and trace.scores.shape == (3, 30)
    trace.duals[1, 4] = -7.0
    assert size_of.interpreted(trace.duals) == 7.0
