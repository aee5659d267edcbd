"""Rows from generators and nearest points, on shapes whose answers are known.

Polyhedra of every kind against closed forms, brute force over bases, and linear programs of SciPy.

Shadows against linear programs over the points that cast them.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from holdfast.errors import InputError
from holdfast.planar.polyhedra import Polyhedron, facets, irredundant, nearest, projection
from tests.nightly import nightly_after

NONE2, NONE3 = np.zeros((0, 2)), np.zeros((0, 3))


def test_a_cubes_corners_have_six_facets_and_points_inside_add_none():
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    inner = np.random.default_rng(0).uniform(-0.9, 0.9, (10, 3))
    A, b, C, _ = facets(5.0 + np.vstack([corners, inner]), NONE3, NONE3)
    assert (len(A), len(C)) == (6, 0)
    assert np.allclose(np.sort(np.abs(A), axis=1), [0.0, 0.0, 1.0])
    assert np.allclose(sorted(b), [-6.0] * 3 + [4.0] * 3)


def test_flat_sets_have_equalities():
    A, _, C, d = facets(np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 3.0]]), NONE3, NONE3)
    assert (len(A), len(C)) == (2, 2)
    assert np.allclose(C @ [1.5, 2.0, 3.0], d)
    A, _, C, d = facets(np.array([[1.0, 2.0]]), NONE2, NONE2)
    assert (len(A), len(C)) == (0, 2)


def test_rays_and_lines_open_the_set():
    A, b, C, _ = facets(np.zeros((1, 2)), np.eye(2), NONE2)
    assert np.allclose(sorted(A.tolist()), [(0, 1), (1, 0)])
    assert np.allclose(b, 0.0)
    A, b, C, _ = facets(np.array([[0.0, 3.0]]), np.array([[0.0, 2.0]]), np.array([[1.0, 0.0]]))
    assert np.allclose(A, [(0, 1)])
    assert np.allclose(b, 3.0)
    assert not len(C)


def test_opposite_rays_are_a_line():
    A, _, C, _ = facets(np.zeros((1, 2)), np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]), NONE2)
    assert np.allclose(A, [(0, 1)])
    assert not len(C)


def test_vertices_that_differ_by_rounding_are_one():
    point = np.array([[1.0, 2.0], [1.0 + 1e-14, 2.0]])
    assert len(facets(point, NONE2, NONE2)[0]) == 0
    assert len(facets(1e-14 * point, NONE2, NONE2, scale=1.0)[0]) == 0
    assert len(facets(1e-14 * np.array([[1.0, 2.0], [3.0, 2.0]]), NONE2, NONE2)[0]) == 2


def test_the_nearest_point_of_a_half_plane_and_of_a_corner():
    assert np.allclose(nearest(np.array([[0.6, 0.8]]), np.array([5.0])), (3.0, 4.0))
    assert np.allclose(nearest(np.eye(2), np.array([1.0, 2.0])), (1.0, 2.0))
    assert np.allclose(nearest(np.eye(2), np.array([-1.0, 2.0])), (0.0, 2.0))


@pytest.mark.parametrize("gap", [1.0, 1e-3])
def test_rows_that_no_point_meets_have_no_nearest_one(gap):
    assert nearest(np.array([[1.0], [-1.0]]), np.array([1.0, gap - 1.0])) is None


SQUARE = ([[1, 0], [0, 1], [-1, 0], [0, -1]], [0, 0, -1, -1])


def sorted_rows(points: np.ndarray) -> np.ndarray:
    return np.array(sorted(np.round(points, 9).tolist()))


def basic_points(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vertices by trying every choice of n rows."""
    n = A.shape[1]
    found = []
    for rows in combinations(range(len(A)), n):
        M = A[list(rows)]
        if abs(np.linalg.det(M)) > 1e-9:
            x = np.linalg.solve(M, b[list(rows)])
            if (A @ x >= b - 1e-9).all() and not any(np.allclose(x, y, atol=1e-8) for y in found):
                found.append(x)
    return np.array(found).reshape(-1, n)


@given(st.integers(0, 10**6))
def test_vertices_are_all_feasible_basic_points(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    A = np.vstack([rng.integers(-2, 3, (int(rng.integers(2, 7)), n)), np.eye(n), -np.eye(n)]).astype(float)
    A = A[np.any(A != 0.0, axis=1)]
    b = np.concatenate([rng.integers(-2, 2, len(A) - 2 * n), -2.0 * np.ones(2 * n)]).astype(float)
    found, wanted = Polyhedron(A, b).generators, basic_points(A, b)
    assert len(found.vertices) == len(wanted)
    if len(wanted):
        assert np.allclose(sorted_rows(found.vertices), sorted_rows(wanted), atol=1e-7)
    assert not len(found.all_rays)


@given(st.integers(0, 10**6))
def test_both_forms_agree_and_projections_are_the_shadows_of_points(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    m = int(rng.integers(1, 10))
    A = rng.integers(-2, 3, (m, n)).astype(float)
    A[~A.any(axis=1)] = 1.0
    whole = Polyhedron(A, rng.integers(-3, 1, m), rng.integers(-1, 2, (1, n)), [0.0])
    back = Polyhedron.from_generators(*whole.generators)
    inside = np.abs(rng.normal(size=(20, len(whole.generators.vertices))))
    inside = inside / inside.sum(axis=1, keepdims=True) @ whole.generators.vertices
    if len(whole.generators.all_rays):
        inside = inside + rng.exponential(size=(20, len(whole.generators.all_rays))) @ whole.generators.all_rays
    around = inside + 0.3 * rng.normal(size=inside.shape)
    assert whole.contains(inside).all()
    assert back.contains(inside, tolerance=1e-7).all()
    assert np.array_equal(back.contains(around), whole.contains(around))
    kept = sorted(rng.permutation(n)[: int(rng.integers(1, n))].tolist())
    shadow = whole.project(kept)
    assert shadow.contains(inside[:, kept], tolerance=1e-7).all()
    for x in around[:4, kept]:
        fixed = np.vstack([whole.C, np.eye(n)[kept]])
        lifted = linprog(
            np.zeros(n), A_ub=-whole.A, b_ub=-whole.b, A_eq=fixed, b_eq=[*whole.d, *x], bounds=(None, None)
        )
        assert bool(shadow.contains(x)) == (lifted.status == 0)


def test_a_wedge_a_slab_a_line_and_all_of_space_keep_their_rays_and_lines():
    wedge = Polyhedron([[1, 0], [0, 1]], [1, 2])
    assert np.allclose(wedge.generators.vertices, [(1, 2)])
    assert len(wedge.generators.rays) == 2
    slab = Polyhedron([[0, 0, 1], [0, 0, -1]], [0, -1])
    assert (len(slab.generators.vertices), len(slab.generators.lines), slab.dimension) == (2, 2, 3)
    line = Polyhedron(C=[[1, 0, 0], [0, 1, 0]], d=[1, 2])
    assert (line.dimension, len(line.generators.lines), len(line.generators.all_rays)) == (1, 1, 2)
    space = Polyhedron(dimension=3)
    assert (space.dimension, len(space.generators.lines)) == (3, 3)
    assert not space.is_bounded


def test_redundant_equalities_do_no_harm_and_contradictory_ones_leave_nothing():
    rows = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0]])
    mixed = np.vstack([rows, rows.sum(axis=0), 0.1 * rows[0] + 0.3 * rows[1]])
    right = np.array([1.0, 0.2])
    found = Polyhedron(np.eye(3), np.zeros(3), mixed, [*right, right.sum(), 0.1 * right[0] + 0.3 * right[1]])
    assert found.dimension == 1
    assert np.allclose(sorted_rows(found.generators.vertices), [(0.2, 0.0, 0.8), (0.6, 0.4, 0.0)])
    assert Polyhedron(np.eye(3), np.zeros(3), mixed, [*right, right.sum() + 0.01, 0.0]).is_empty


def test_opposite_rows_are_an_equality():
    flat = Polyhedron([[1, 0], [-1, 0], [0, 1]], [1, -1, 0])
    assert flat.dimension == 1
    least = flat.minimal()
    assert (len(least.A), len(least.C)) == (1, 1)
    assert np.allclose(np.abs(least.C), [(1, 0)])


def test_a_strict_row_that_only_its_border_could_meet_leaves_nothing():
    assert not Polyhedron([[1, 0], [-1, 0]], [1, -1]).is_empty
    assert Polyhedron([[1, 0], [-1, 0]], [1, -1], strict=[True, False]).is_empty
    assert Polyhedron(*SQUARE, strict=[True] * 4).is_empty is False
    assert Polyhedron([[0.0, 0.0]], [0.0]).is_empty is False
    assert Polyhedron([[0.0, 0.0]], [0.0], strict=[True]).is_empty
    assert Polyhedron.empty(4).generators.vertices.shape == (0, 4)


def test_the_shadow_of_an_open_side_is_open_only_where_all_that_casts_it_is_open():
    # x > 0, y >= 0, x + y <= 1: y = 1 is reached at x = 0 only, which is left out; x = 1 is reached.
    triangle = Polyhedron([[1, 0], [0, 1], [-1, -1]], [0, 0, -1], strict=[True, False, False])
    onto_y = triangle.project([1])
    assert not onto_y.contains([1.0])
    assert onto_y.contains([[0.0], [0.999]]).all()
    onto_x = triangle.project([0])
    assert onto_x.contains([1.0])
    assert not onto_x.contains([0.0])


def test_a_missing_corner_survives_projection():
    # The square without its corner at the origin: x + y > 0 touches it there alone.
    square = Polyhedron([*SQUARE[0], [1, 1]], [*SQUARE[1], 0], strict=[False] * 4 + [True])
    lifted = Polyhedron(
        np.column_stack([square.A, np.zeros(5)]), square.b, [[1.0, 1.0, 1.0]], [0.0], strict=square.strict
    )
    again = lifted.project([0, 1])
    points = np.array([(0.0, 0.0), (0.1, 0.0), (0.0, 1.0), (0.5, 0.5), (1.1, 0.5)])
    assert np.array_equal(again.contains(points), square.contains(points))
    assert not again.contains((0.0, 0.0))


def test_points_whose_shadow_is_one_leave_a_point_without_rays():
    prism = Polyhedron([[0, 0, 1], [0, 1, 0]], [0, 0], [[1, 0, 0]], [0.3])
    point = prism.project([0])
    assert (point.dimension, point.is_bounded) == (0, True)
    assert np.allclose(point.generators.vertices, 0.3)


@given(st.integers(0, 10**6))
def test_the_deepest_ball_and_the_nearest_point_are_those_of_other_solvers(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    A = rng.normal(size=(n + 5, n))
    centre = rng.normal(size=n)
    b = A @ centre - rng.uniform(0.1, 1.0, n + 5)
    body = Polyhedron(A, b)
    rows = np.column_stack([-body.A, np.ones(len(A))])
    other = linprog([*np.zeros(n), -1.0], A_ub=rows, b_ub=-body.b, bounds=(None, None))
    middle, radius = body.chebyshev()
    if other.status == 0:
        assert radius == pytest.approx(-other.fun, rel=1e-7)
        assert (body.A @ middle - body.b).min() == pytest.approx(radius, rel=1e-6)
    else:
        assert radius == np.inf
        assert body.contains(middle)
    nearest = body.least_norm()
    assert body.contains(nearest, tolerance=1e-8)
    best = minimize(
        lambda x: x @ x,
        centre,
        jac=lambda x: 2 * x,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda x: body.A @ x - body.b, "jac": lambda x: body.A},
        options={"ftol": 1e-14},
    )
    assert nearest @ nearest <= best.fun + 1e-6


def test_balls_lie_in_the_affine_hull():
    flat = Polyhedron([[1, 0, 0], [0, 1, 0], [-1, -1, 0]], [0, 0, -1], [[0, 0, 1]], [5.0])
    middle, radius = flat.chebyshev()
    assert radius == pytest.approx(1.0 / (2.0 + np.sqrt(2.0)))
    assert np.allclose(middle, (radius, radius, 5.0))
    hidden = Polyhedron([[1, 0], [-1, 0], [0, 1], [0, -1]], [1, -1, 0, -2])
    assert hidden.chebyshev()[1] == pytest.approx(1.0)
    assert Polyhedron(C=np.eye(2), d=[1, 2]).chebyshev()[1] == 0.0
    assert np.isnan(Polyhedron.empty(2).chebyshev()[0]).all()
    assert np.isnan(Polyhedron.empty(2).least_norm()).all()


def test_answers_do_not_depend_on_the_unit_of_length():
    for size in (1e-6, 1.0, 1e6):
        cube = Polyhedron(np.vstack([np.eye(3), -np.eye(3)]), size * np.array([1, 1, 1, -2, -2, -2]))
        assert cube.contains(size * np.array([1.5, 1.5, 1.5]))
        assert not cube.contains(size * np.array([1.5, 1.5, 2.0 + 1e-6]))
        assert len(cube.generators.vertices) == 8
        assert cube.chebyshev()[1] == pytest.approx(0.5 * size)
        assert len(cube.minimal().A) == 6
        assert cube.intersect(Polyhedron([[1, 1, 1]], [6 * size])).dimension == 0


def test_a_cube_in_ten_dimensions_has_its_thousand_vertices():
    cube = Polyhedron(np.vstack([np.eye(10), -np.eye(10)]), np.full(20, -1.0))
    assert len(cube.generators.vertices) == 1024


def test_bad_input_is_named():
    with pytest.raises(InputError, match="dimension"):
        Polyhedron()
    with pytest.raises(InputError, match="b"):
        Polyhedron([[1, 0]], [1, 2])
    with pytest.raises(InputError, match="strict"):
        Polyhedron([[1, 0]], [1], strict=[True, False])
    with pytest.raises(InputError, match="points"):
        Polyhedron([[1, 0]], [1]).contains([1.0, 2.0, 3.0])


def reaches(polyhedron: Polyhedron, point: np.ndarray, kept: int) -> float:
    """Largest slack <= 1 of the strict rows over a point of the shadow; -inf if nothing stands over it."""
    size = polyhedron.ambient_dimension
    fixed = np.hstack([np.eye(kept), np.zeros((kept, size - kept + 1))])
    equal = np.vstack([fixed, np.column_stack([polyhedron.C, np.zeros(len(polyhedron.C))])])
    answer = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=np.column_stack([-polyhedron.A, polyhedron.strict.astype(float)]),
        b_ub=-polyhedron.b,
        A_eq=equal,
        b_eq=np.concatenate([point, polyhedron.d]),
        bounds=[(None, None)] * size + [(None, 1.0)],
    )
    return -float(answer.fun) if answer.status == 0 else -np.inf


@pytest.mark.parametrize("seed", nightly_after(12, range(30)))
def test_a_point_is_in_the_shadow_when_something_stands_over_it(seed):
    rng = np.random.default_rng(seed)
    size, kept, rows = int(rng.integers(3, 6)), int(rng.integers(1, 3)), int(rng.integers(2, 8))
    A = rng.normal(size=(rows, size))
    C = rng.normal(size=(int(rng.integers(0, 2)), size))
    body = Polyhedron(A, rng.normal(size=rows) - 0.5, C, rng.normal(size=len(C)), strict=rng.random(rows) < 0.5)
    cast = projection(body, slice(0, kept))
    for point in rng.normal(size=(12, kept)) * 2.0:
        slack = reaches(body, point, kept)
        if not 0.0 <= slack < 1e-6:
            assert bool(cast.contains(point)) == (slack > 0.0)


def test_a_direction_that_casts_no_shadow_widens_nothing():
    """A column {0 <= x <= 1, y >= 0, any z} leaning by rounding only: its shadow on x is the segment."""
    body = Polyhedron([[1, 1e-16, 0], [-1, -1e-16, 0], [0, 1, 0]], [0.0, -1.0, 0.0])
    cast = projection(body, [0])
    assert sorted(zip(cast.A.ravel(), cast.b, strict=True)) == [(-1.0, -1.0), (1.0, 0.0)]


def test_open_sides_stay_open_and_spare_rows_go():
    body = Polyhedron([[1.0], [1.0], [-1.0]], [0.0, -1.0, -2.0], strict=[True, True, False])
    few = irredundant(body)
    assert sorted(zip(few.A.ravel(), few.b, few.strict, strict=True)) == [(-1.0, -2.0, False), (1.0, 0.0, True)]


def test_shadows_of_the_empty_set_and_on_nothing():
    assert projection(Polyhedron([[1.0], [-1.0]], [1.0, 0.0]), [0]).is_empty
    assert not projection(Polyhedron([[1.0]], [0.0]), []).is_empty
