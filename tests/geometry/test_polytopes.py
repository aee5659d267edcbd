from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from scipy.spatial import ConvexHull, HalfspaceIntersection

from holdfast.errors import GeometryError, HoldfastError, InputError
from holdfast.geometry.polytopes import Polytope, hull_of, intersection
from tests.referee import block, distance_to_piece, distance_to_segment, distance_to_surface, random_rotation

seeds = st.integers(0, 100_000)
few = settings(max_examples=40)
NONE = np.zeros((0, 3))

CUBE = block([-1, -1, -1], [1, 1, 1])
SIMPLEX = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
SQUARE_PYRAMID = np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, 3.0]])
THIN = block([-500, -0.5, -5e-5], [500, 0.5, 5e-5])


def cloud(rng: np.random.Generator, n: int | None = None) -> np.ndarray:
    """Random points, some of them inside the hull of the others."""
    return rng.normal(size=(n or int(rng.integers(4, 30)), 3)) * rng.uniform(0.2, 3.0, 3) + rng.normal(size=3)


def flat_set(rng: np.random.Generator, dimension: int) -> np.ndarray:
    """Points that span a point, a segment or a polygon somewhere in space."""
    n = (1, 5, 8)[dimension]
    return rng.normal(size=(n, dimension)) @ random_rotation(rng)[:dimension] + rng.normal(size=3)


def cone_set(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A few vertices and a few rays that lean the same way."""
    lean = random_rotation(rng)[0]
    return rng.normal(size=(int(rng.integers(1, 6)), 3)), lean + 0.5 * rng.normal(size=(int(rng.integers(1, 5)), 3))


def any_set(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A body, a flat set or an unbounded set."""
    rng = np.random.default_rng(seed)
    kind = seed % 6
    if kind < 3:
        return cloud(rng), NONE
    if kind < 5:
        return flat_set(rng, int(rng.integers(0, 3))), NONE
    return cone_set(rng)


def lp_contains(point: np.ndarray, vertices: np.ndarray, rays: np.ndarray) -> bool:
    """Whether weights exist, by a linear program."""
    columns = np.concatenate([vertices, rays]).T
    ones = np.concatenate([np.ones(len(vertices)), np.zeros(len(rays))])
    answer = linprog(
        np.zeros(columns.shape[1]),
        A_eq=np.vstack([columns, ones]),
        b_eq=np.append(point, 1.0),
        bounds=(0, None),
        options={"primal_feasibility_tolerance": 1e-9},
    )
    return answer.status == 0


def points_inside(rng: np.random.Generator, vertices: np.ndarray, rays: np.ndarray, n: int) -> np.ndarray:
    weights = rng.dirichlet(np.full(len(vertices), 0.5), size=n)
    return weights @ vertices + rng.exponential(size=(n, len(rays))) @ rays


# -- membership -------------------------------------------------------------------------------------


@few
@given(seeds)
def test_membership_equals_the_linear_program(seed):
    vertices, rays = any_set(seed)
    rng = np.random.default_rng(seed + 1)
    polytope = Polytope(vertices, rays)
    inside = points_inside(rng, vertices, rays, 4)
    assert polytope.contains(inside).all()
    near = inside + rng.normal(size=(4, 3)) * rng.choice([1e-4, 0.3, 3.0])
    for point, verdict in zip(near, polytope.contains(near), strict=True):
        assert verdict == lp_contains(point, vertices, rays)


@pytest.mark.parametrize("step", [1e-3, 1e-6, 1e-8])
def test_membership_is_sharp_on_both_sides_of_every_facet(step):
    rng = np.random.default_rng(5)
    vertices = cloud(rng, 20)
    polytope = Polytope(vertices)
    equations = ConvexHull(vertices).equations
    for normal, face in zip(equations[:, :3], ConvexHull(vertices).simplices, strict=True):
        on_face = rng.dirichlet(np.ones(3)) @ vertices[face]
        assert polytope.contains(on_face)
        assert polytope.contains(on_face - step * normal)
        assert not polytope.contains(on_face + step * polytope.size * normal)


def test_membership_takes_any_leading_shape():
    polytope = Polytope(CUBE)
    points = np.random.default_rng(0).uniform(-2, 2, size=(4, 5, 3))
    for method in (polytope.contains, polytope.signed_distance):
        assert method(points).shape == (4, 5)
        assert np.shape(method(points[0, 0])) == ()
        np.testing.assert_allclose(method(points)[2, 3], method(points[2, 3]))
    assert polytope.nearest(points).shape == (4, 5, 3)
    assert polytope.support(points).shape == (4, 5)
    assert polytope.support_points(points).shape == (4, 5, 3)
    assert polytope.radial(points).shape == (4, 5)


# -- supports ---------------------------------------------------------------------------------------


@few
@given(seeds)
def test_support_bounds_every_sample_and_is_attained(seed):
    vertices, rays = any_set(seed)
    rng = np.random.default_rng(seed + 2)
    polytope = Polytope(vertices, rays)
    directions = rng.normal(size=(8, 3))
    samples = points_inside(rng, vertices, rays, 200)
    support = polytope.support(directions)
    assert (samples @ directions.T <= support + 1e-9 * polytope.size * 10).all()
    climbs = (directions @ rays.T > 1e-9).any(axis=1)
    np.testing.assert_array_equal(np.isinf(support), climbs)
    points = polytope.support_points(directions)
    assert polytope.contains(points).all()
    np.testing.assert_allclose((points * directions).sum(axis=1)[~climbs], support[~climbs], rtol=1e-12)


def test_support_of_a_ball_like_body_is_its_radius():
    directions = np.random.default_rng(0).normal(size=(5000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    support = Polytope(directions * 7.0).support(directions[:50])
    np.testing.assert_allclose(support, 7.0)


# -- distances --------------------------------------------------------------------------------------


@few
@given(seeds, st.sampled_from([1e-6, 1e-2, 1.0, 100.0]))
def test_distance_from_outside_equals_the_least_squares_over_weights(seed, step):
    vertices, rays = any_set(seed)
    rng = np.random.default_rng(seed + 3)
    polytope = Polytope(vertices, rays)
    points = vertices[rng.integers(len(vertices), size=4)] + step * rng.normal(size=(4, 3))
    distances, feet = polytope.signed_distance(points), polytope.nearest(points)
    for point, distance, foot in zip(points, distances, feet, strict=True):
        scale = max(np.abs(point).max(), polytope.size)
        assert max(distance, 0.0) == pytest.approx(distance_to_piece(point, vertices, rays), abs=1e-8 * scale)
        assert np.linalg.norm(point - foot) == pytest.approx(max(distance, 0.0), abs=1e-12 * scale)
        assert distance_to_piece(foot, vertices, rays) < 1e-9 * scale


@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_point_is_the_minimum_found_by_sequential_quadratic_programming(seed):
    rng = np.random.default_rng(seed)
    vertices = cloud(rng, 12)
    point = vertices.mean(axis=0) + 8.0 * random_rotation(rng)[0]
    equations = ConvexHull(vertices).equations
    found = minimize(
        lambda x: (x - point) @ (x - point),
        vertices.mean(axis=0),
        jac=lambda x: 2 * (x - point),
        constraints={
            "type": "ineq",
            "fun": lambda x: -equations[:, :3] @ x - equations[:, 3],
            "jac": lambda x: -equations[:, :3],
        },
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(Polytope(vertices).nearest(point), found.x, atol=1e-5)


@few
@given(seeds)
def test_depth_inside_is_the_distance_to_the_nearest_facet(seed):
    rng = np.random.default_rng(seed)
    vertices = cloud(rng)
    polytope = Polytope(vertices)
    hull = ConvexHull(vertices)
    inside = points_inside(rng, vertices, NONE, 3)
    for point, depth in zip(inside, polytope.signed_distance(inside), strict=True):
        assert depth <= 1e-12
        assert -depth == pytest.approx(distance_to_surface(point, vertices, hull.simplices), abs=1e-9 * polytope.size)


@few
@given(seeds)
def test_distances_do_not_change_under_rigid_motion(seed):
    vertices, rays = any_set(seed)
    rng = np.random.default_rng(seed + 4)
    turn, offset = random_rotation(rng), rng.normal(size=3) * 5
    points = points_inside(rng, vertices, rays, 3) + rng.normal(size=(3, 3)) * rng.choice([0.01, 1.0, 10.0])
    moved = Polytope(vertices, rays).rotated(turn).translated(offset)
    here, there = Polytope(vertices, rays).signed_distance(points), moved.signed_distance(points @ turn.T + offset)
    np.testing.assert_allclose(there, here, atol=1e-8 * (moved.size + 10))


@given(seeds)
@few
def test_distance_grows_with_the_set(seed):
    rng = np.random.default_rng(seed)
    vertices = cloud(rng, 10)
    points, factor = rng.normal(size=(5, 3)) * 5, 10.0 ** rng.uniform(-6, 6)
    np.testing.assert_allclose(
        Polytope(vertices).scaled(factor).signed_distance(points * factor),
        Polytope(vertices).signed_distance(points) * factor,
        rtol=1e-9,
        atol=1e-9 * factor,
    )


@pytest.mark.parametrize("shape", [[1000, 1, 1e-4], [1000, 1000, 1e-4], [1e6, 1, 1]])
@pytest.mark.parametrize("step", [1e-5, 1e-2, 1.0])
def test_thin_sets_keep_their_distances(shape, step):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        plain = rng.normal(size=(25, 3))
        triangles = ConvexHull(plain).simplices  # stretching keeps what is a facet
        vertices = plain * np.array(shape) @ random_rotation(rng).T
        polytope = Polytope(vertices)
        assert polytope.dimension == 3
        for point in vertices[:8] + step * rng.normal(size=(8, 3)):
            distance = float(polytope.signed_distance(point))
            if distance > 0.0:
                expected = distance_to_surface(point, vertices, triangles)
                assert distance == pytest.approx(expected, abs=5e-9 * polytope.size)


def test_a_needle_of_a_million_to_one_contains_its_middle_and_little_else():
    polytope = Polytope(THIN)
    assert polytope.volume == pytest.approx(1000 * 1 * 1e-4, rel=1e-9)
    assert polytope.contains([[0, 0, 0], [499.9, 0.49, 4.9e-5]]).all()
    assert not polytope.contains([[0, 0, 6e-5], [0, 0.51, 0], [500.1, 0, 0]]).any()
    np.testing.assert_allclose(polytope.signed_distance([[0, 0, 1.0], [501, 0, 0], [0, 0, 0]]), [1 - 5e-5, 1.0, -5e-5])
    np.testing.assert_allclose(polytope.support(np.eye(3)), [500, 0.5, 5e-5])


@pytest.mark.parametrize("height", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
def test_a_lens_is_as_wide_as_its_rim(height):
    """All its facets are almost parallel; the rim, where they meet, must not move for that."""
    lens = np.array([[1000, 0, 0], [-1000, 0, 0], [0, 1000, 0], [0, -1000, 0], [0, 0, height], [0, 0, -height]])
    polytope = Polytope(lens)
    points = np.array([[2000, 0, 0], [600, 600, 0], [1000.001, 0, 0], [0, 0, 1 + height], [-1500, 0, 0]])
    expected = [1000, 200 / np.sqrt(2), 1e-3, 1, 500]
    np.testing.assert_allclose(polytope.signed_distance(points), expected, atol=5e-9 * 1000)
    np.testing.assert_array_equal(polytope.contains(points), False)
    np.testing.assert_allclose(polytope.radial([[1, 0, 0], [0, 0, 1]]), [1000, height])
    assert polytope.volume == pytest.approx(2 * 2000 * 1000 * height / 3)


def test_a_body_of_many_facets_far_away_is_found():
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(400, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    polytope = Polytope(directions)
    point = np.array([1e4, -2e4, 3e4])
    assert polytope.signed_distance(point) == pytest.approx(np.linalg.norm(point) - 1.0, rel=1e-5)


# -- forms ------------------------------------------------------------------------------------------


@few
@given(seeds)
def test_the_facets_give_the_vertices_back(seed):
    rng = np.random.default_rng(seed)
    polytope = Polytope(cloud(rng))
    normals, offsets = polytope.halfspaces
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0)
    rebuilt = HalfspaceIntersection(np.column_stack([normals, -offsets]), polytope.centroid).intersections
    again = Polytope(rebuilt).extreme
    for a, b in ((polytope.extreme, rebuilt), (again, polytope.extreme)):
        gaps = np.linalg.norm(a[:, None] - b[None], axis=2).min(axis=1)
        assert gaps.max() < 1e-7 * polytope.size


@few
@given(seeds)
def test_every_vertex_obeys_every_facet_and_every_facet_touches(seed):
    vertices, rays = any_set(seed)
    polytope = Polytope(vertices, rays)
    normals, offsets = polytope.halfspaces
    values = normals @ vertices.T
    assert (values <= offsets[:, None] + 1e-12 * polytope.size).all()
    np.testing.assert_allclose(values.max(axis=1), offsets, atol=1e-10 * polytope.size)
    assert (normals @ rays.T <= 1e-8 * np.linalg.norm(rays, axis=1)).all()


def test_a_cube_has_six_facets_and_eight_corners():
    normals, offsets = Polytope(np.concatenate([CUBE, CUBE * 0.3])).halfspaces
    assert len(normals) == 6
    np.testing.assert_allclose(offsets, 1.0)
    np.testing.assert_allclose(np.sort(np.abs(normals), axis=1)[:, :2], 0.0, atol=1e-12)
    np.testing.assert_array_equal(Polytope(np.concatenate([CUBE * 0.3, CUBE])).extreme, CUBE)


def test_facets_a_hundredth_of_a_degree_apart_are_kept_apart():
    tilt = 1e-4
    roof = np.array([[-1, -1, 0], [-1, 1, 0], [1, -1, 0], [1, 1, 0], [0, -1, tilt], [0, 1, tilt], [0, 0, -1]])
    polytope = Polytope(roof)
    assert polytope.contains([0, 0, tilt])
    assert not polytope.contains([0.5, 0, tilt * 0.51])


@few
@given(seeds)
def test_extreme_vertices_are_exactly_those_that_no_others_make(seed):
    rng = np.random.default_rng(seed)
    vertices = cloud(rng, 12)
    kept = {tuple(v) for v in Polytope(vertices).extreme}
    for index, vertex in enumerate(vertices):
        others = np.delete(vertices, index, axis=0)
        away = distance_to_piece(vertex, others, NONE)
        if away > 1e-6:
            assert tuple(vertex) in kept
        elif away < 1e-12:
            assert tuple(vertex) not in kept


# -- flat sets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [0, 1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_flat_sets_know_their_dimension_and_stay_flat(dimension, seed):
    rng = np.random.default_rng(seed)
    vertices = flat_set(rng, dimension)
    polytope = Polytope(vertices)
    assert polytope.dimension == dimension
    assert polytope.volume == 0.0
    inside = points_inside(rng, vertices, NONE, 5)
    assert polytope.contains(inside).all()
    np.testing.assert_allclose(polytope.signed_distance(inside), 0.0, atol=1e-12 * polytope.size)
    axes = np.linalg.svd(np.concatenate([vertices, inside]) - inside[0])[2]
    off = inside + 1e-3 * axes[2]  # at right angles to the set
    assert not polytope.contains(off).any()
    np.testing.assert_allclose(polytope.signed_distance(off), 1e-3, rtol=1e-9)
    np.testing.assert_allclose(polytope.nearest(off), inside, atol=1e-11 * polytope.size)


def test_a_point_a_segment_and_a_square_have_centroids_of_their_own_measure():
    np.testing.assert_allclose(Polytope([[1, 2, 3]]).centroid, [1, 2, 3])
    np.testing.assert_allclose(Polytope([[0, 0, 0], [4, 0, 0], [1, 0, 0]]).centroid, [2, 0, 0])
    square = np.array([[0, 0, 5], [2, 0, 5], [0, 2, 5], [2, 2, 5], [0.1, 0.2, 5]])
    np.testing.assert_allclose(Polytope(square).centroid, [1, 1, 5])
    triangle = [[0, 0, 0], [3, 0, 0], [0, 3, 0]]
    np.testing.assert_allclose(Polytope(triangle).centroid, [1, 1, 0], atol=1e-12)


def test_a_segment_has_two_corners_and_the_distance_of_a_segment():
    rng = np.random.default_rng(1)
    start, end = rng.normal(size=(2, 3))
    polytope = Polytope([start, 0.3 * start + 0.7 * end, end])
    assert len(polytope.extreme) == 2
    for point in rng.normal(size=(20, 3)) * 3:
        assert polytope.signed_distance(point) == pytest.approx(distance_to_segment(point, start, end))


def test_a_point_far_from_the_origin_is_a_point_and_two_near_ones_a_segment():
    assert Polytope([[1e6, 0, 0]]).dimension == 0
    assert Polytope([[1e6, 0, 0], [1e6, 0, 0]]).dimension == 0
    assert Polytope([[1e6, 0, 0], [1e6, 1e-3, 0]]).dimension == 1


def test_the_zero_point_alone_is_a_set():
    polytope = Polytope(np.zeros((1, 3)))
    assert polytope.dimension == 0
    assert polytope.contains([0, 0, 0])
    assert polytope.signed_distance([3, 4, 0]) == pytest.approx(5.0)
    assert polytope.radial([1, 0, 0]) == 0.0


# -- unbounded sets ---------------------------------------------------------------------------------

COULOMB = np.array([[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1], [0, -0.5, 1.0]])


def test_a_cone_has_only_its_own_facets():
    cone = Polytope([[0, 0, 0]], COULOMB)
    normals, offsets = cone.halfspaces
    assert len(normals) == 4
    np.testing.assert_allclose(offsets, 0.0, atol=1e-15)
    assert cone.contains([[0, 0, 1e9], [0.1, 0.1, 1.0], [0, 0, 0]]).all()
    assert not cone.contains([[0, 0, -1e-6], [0.6, 0, 1.0], [4e8, 4e8, 1e9]]).any()
    assert cone.volume == np.inf
    with pytest.raises(GeometryError):
        _ = cone.centroid


def test_a_point_below_a_cone_is_as_far_as_its_tip():
    assert Polytope([[0, 0, 0]], COULOMB).signed_distance([0, 0, -7]) == pytest.approx(7.0)
    np.testing.assert_allclose(Polytope([[1, 2, 3]], COULOMB).nearest([1, 2, 0]), [1, 2, 3], atol=1e-12)


def test_wide_and_narrow_cones_keep_their_border():
    for mu in (1e-3, 0.1, 10.0, 100.0):
        rays = COULOMB * [2 * mu, 2 * mu, 1]
        cone = Polytope([[0, 0, 0]], rays)
        assert cone.contains([0.999 * mu, 0, 1.0])
        assert not cone.contains([1.001 * mu, 0, 1.0])


def test_the_whole_space_a_half_space_and_a_line_are_cones_too():
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    space = Polytope([[0, 0, 0]], axes)
    assert space.contains([[1e9, 0, 0], [0, -1, 0]]).all()
    half = Polytope([[0, 0, 2]], np.delete(axes, 5, axis=0))
    assert half.contains([1e6, -1e6, 2.0])
    assert half.signed_distance([0, 0, -3]) == pytest.approx(5.0)
    line = Polytope([[0, 1, 0]], [[1, 0, 0], [-1, 0, 0]])
    assert line.dimension == 1
    assert line.signed_distance([1e5, 1, 7]) == pytest.approx(7.0)
    assert line.support([0, 1, 0]) == pytest.approx(1.0)
    assert line.support([1, 0, 0]) == np.inf


@pytest.mark.parametrize(
    "rays",
    [
        np.concatenate([np.eye(3), -np.eye(3)]),
        np.concatenate([np.eye(3), -np.eye(3)[:2]]),
        [[1, 0, 0], [-1, 0, 0]],
        [[1, 0, 0], [-1, 0, 0], [0, 0, 1]],
    ],
    ids=["space", "half-space", "line", "half-plane"],
)
def test_sets_that_contain_a_line_keep_a_vertex_to_stand_on(rays):
    """No vertex is a corner there, and yet the set is vertex + cone(rays), whatever is made of it."""
    polytope = Polytope([[0, 0, 2]], rays)
    rebuilt = Polytope(polytope.extreme, polytope.rays)
    together = hull_of([polytope, Polytope([[0, 0, 5]])])
    clipped = polytope.clipped([1, 0, 0], 3.0)
    points = np.random.default_rng(0).normal(size=(100, 3)) * [4, 1e-3, 4]
    points[::2, 1] = 0.0
    np.testing.assert_array_equal(rebuilt.contains(points), polytope.contains(points))
    assert together.contains([[0, 0, 2], [0, 0, 5], [0, 0, 3.5]]).all()
    inside = polytope.contains(points)
    assert clipped is not None
    np.testing.assert_array_equal(clipped.contains(points), inside & (points[:, 0] <= 3.0))


@few
@given(seeds)
def test_the_length_of_a_ray_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    vertices, rays = cone_set(rng)
    factors = 10.0 ** rng.uniform(-6, 6, size=(len(rays), 1))
    points = rng.normal(size=(10, 3)) * 4
    np.testing.assert_allclose(
        Polytope(vertices, rays * factors).signed_distance(points),
        Polytope(vertices, rays).signed_distance(points),
        atol=1e-9,
    )


def test_truncated_cones_are_bounded_and_agree_near_the_vertices():
    cone = Polytope([[0, 0, 0], [1, 0, 0]], COULOMB)
    cut = cone.truncated()
    assert cut.is_bounded
    points = np.random.default_rng(0).uniform(-1, 1, size=(200, 3))
    np.testing.assert_array_equal(cut.contains(points), cone.contains(points))
    assert Polytope(CUBE).truncated().volume == pytest.approx(8.0)


# -- radial extent ----------------------------------------------------------------------------------


@few
@given(seeds)
def test_radial_is_the_last_point_of_the_ray_inside(seed):
    vertices, rays = any_set(seed)
    rng = np.random.default_rng(seed + 5)
    polytope = Polytope(vertices, rays)
    for direction in rng.normal(size=(4, 3)) * 10.0 ** rng.integers(-3, 4):
        generators = np.concatenate([vertices, rays]).T
        ones = np.concatenate([np.ones(len(vertices)), np.zeros(len(rays)), [0.0]])
        unit = direction / np.linalg.norm(direction)
        answer = linprog(
            np.append(np.zeros(generators.shape[1]), -1.0),
            A_eq=np.vstack([np.column_stack([generators, -unit]), ones]),
            b_eq=[0, 0, 0, 1],
            bounds=(0, None),
        )
        expected = {0: lambda a=answer: a.x[-1], 2: lambda: 0.0, 3: lambda: np.inf}[answer.status]()
        assert polytope.radial(unit) == pytest.approx(expected, abs=1e-6 * polytope.size)
        assert polytope.radial(direction) == pytest.approx(expected / np.linalg.norm(direction), rel=1e-6, abs=1e-12)


def test_radial_of_a_cube_from_its_middle():
    directions = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1], [0.5, 0.25, 0]])
    np.testing.assert_allclose(Polytope(CUBE).radial(directions), [1, 1, 1, 2])


def test_radial_along_a_facet_through_the_origin_reaches_its_end():
    np.testing.assert_allclose(Polytope(SIMPLEX).radial([[1, 0, 0], [1, 1, 0], [0, 0, 1]]), [1, 0.5, 1])
    turn = random_rotation(np.random.default_rng(3))
    turned = Polytope(SIMPLEX @ turn.T)
    np.testing.assert_allclose(turned.radial(np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]]) @ turn.T), [1, 0.5, 1])
    np.testing.assert_allclose(
        turned.radial(np.array([[-1, 0, 0], [1, -1, 0], [1, 1, -1e-3]]) @ turn.T), 0.0, atol=1e-9
    )


@pytest.mark.parametrize("seed", range(20))
def test_radial_away_from_a_corner_at_the_origin_is_exactly_zero(seed):
    """A turned set's facets through the origin pass it by rounding, which a flat angle would magnify."""
    rng = np.random.default_rng(seed)
    turn = random_rotation(rng)
    outside = np.concatenate(
        [-rng.uniform(0.01, 1.0, (40, 3)), np.column_stack([rng.random((40, 2)), np.full(40, -1e-3)])]
    )
    assert (Polytope(20.0 * SIMPLEX @ turn.T).radial(outside @ turn.T) == 0.0).all()


def test_radial_of_a_set_without_the_origin_ends_at_its_far_side():
    far = Polytope(CUBE + np.array([5, 0, 0]))
    np.testing.assert_allclose(
        far.radial([[1, 0, 0], [2, 0, 0], [-1, 0, 0], [0, 1, 0], [6, 1.5, 0]]), [6, 3, 0, 0, 2 / 3]
    )


@pytest.mark.parametrize("length", [1e-9, 1e-3, 1.0, 1e3, 1e9])
def test_radial_of_a_missed_set_is_zero_however_long_the_direction(length):
    far = Polytope(CUBE + np.array([5, 0, 0]))
    assert far.radial(np.array([4.0, 1.2, 0]) * length) == 0.0
    assert far.radial(np.array([4.0, 0.9, 0]) * length) == pytest.approx(1 / 0.9 / length)


def test_radial_in_flat_sets_and_cones():
    square = Polytope(np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]]))
    np.testing.assert_allclose(square.radial([[1, 0, 0], [1, 0, 1], [2, 2, 0]]), [1, 0, 0.5])
    cone = Polytope([[0, 0, 0]], COULOMB)
    np.testing.assert_allclose(cone.radial([[0, 0, 1], [0.5, 0, 1], [0, 0, -1], [1, 0, 1]]), [np.inf, np.inf, 0, 0])


# -- measure ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "vertices, volume, centroid",
    [
        (CUBE, 8.0, [0, 0, 0]),
        (SIMPLEX, 1 / 6, [0.25, 0.25, 0.25]),
        (SQUARE_PYRAMID, 4.0, [0, 0, 0.75]),
        (THIN, 0.1, [0, 0, 0]),
    ],
)
def test_volume_and_centroid_of_known_bodies_wherever_they_stand(vertices, volume, centroid):
    turn, offset = random_rotation(np.random.default_rng(9)), np.array([30.0, -20.0, 10.0])
    for factor in (1e-6, 1.0, 1e6):
        polytope = Polytope((vertices @ turn.T + offset) * factor)
        assert polytope.volume == pytest.approx(volume * factor**3, rel=1e-6)
        np.testing.assert_allclose(polytope.centroid, (turn @ centroid + offset) * factor, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_volume_and_centroid_agree_with_monte_carlo(seed):
    rng = np.random.default_rng(seed)
    vertices = cloud(rng, 15)
    polytope = Polytope(vertices)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    samples = rng.uniform(low, high, size=(60_000, 3))
    equations = ConvexHull(vertices).equations
    inside = (samples @ equations[:, :3].T + equations[:, 3] <= 0).all(axis=1)
    share, box = inside.mean(), np.prod(high - low)
    assert polytope.volume == pytest.approx(share * box, rel=5 / np.sqrt(inside.sum()))
    np.testing.assert_allclose(polytope.centroid, samples[inside].mean(axis=0), atol=0.03 * np.ptp(vertices))


@few
@given(seeds)
def test_triangles_close_the_surface_and_point_outward(seed):
    polytope = Polytope(cloud(np.random.default_rng(seed)))
    corners = polytope.vertices[polytope.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    np.testing.assert_allclose(normals.sum(axis=0), 0.0, atol=1e-9 * polytope.size**2)
    flux = (normals * corners.mean(axis=1)).sum() / 3  # divergence theorem
    assert flux == pytest.approx(polytope.volume, rel=1e-9)
    edges = [tuple(t[[i, (i + 1) % 3]]) for t in polytope.triangles for i in range(3)]
    assert len(set(edges)) == len(edges)
    assert {(b, a) for a, b in edges} == set(edges)


@pytest.mark.parametrize("polytope", [Polytope(CUBE[:4] * [1, 1, 0.0]), Polytope(CUBE, [[0, 0, 1]])])
def test_only_bounded_bodies_have_triangles(polytope):
    with pytest.raises(GeometryError) as caught:
        _ = polytope.triangles
    assert caught.value.where


# -- new sets ---------------------------------------------------------------------------------------


@few
@given(seeds)
def test_clipping_keeps_exactly_the_points_of_the_half_space(seed):
    vertices, rays = any_set(seed)
    rng = np.random.default_rng(seed + 6)
    polytope = Polytope(vertices, rays)
    inside = points_inside(rng, vertices, rays, 60)
    normal = rng.normal(size=3) * 10.0 ** rng.integers(-3, 4)
    offset = float(normal @ inside[0])
    clipped = polytope.clipped(normal, offset)
    assert clipped is not None
    assert (clipped.support(normal) <= offset + 1e-9 * np.linalg.norm(normal) * polytope.size).all()
    kept = inside @ normal <= offset
    scale = np.abs(inside).max()
    distance = clipped.signed_distance(inside)
    assert (distance[kept] <= 1e-8 * scale).all()
    excess = (inside @ normal - offset) / np.linalg.norm(normal)
    assert (distance[~kept] >= excess[~kept] - 1e-8 * scale).all()
    for vertex in clipped.vertices:  # nothing is invented
        assert distance_to_piece(vertex, vertices, rays) <= 1e-8 * max(polytope.size, np.abs(vertex).max())


def test_clipping_beyond_touching_and_away():
    cube = Polytope(CUBE)
    assert cube.clipped([1, 0, 0], 2.0).volume == pytest.approx(8.0)
    assert cube.clipped([1, 0, 0], 1.0).volume == pytest.approx(8.0)
    assert cube.clipped([1, 0, 0], 0.0).volume == pytest.approx(4.0)
    face = cube.clipped([1, 0, 0], -1.0)
    assert face.dimension == 2
    np.testing.assert_allclose(face.centroid, [-1, 0, 0], atol=1e-12)
    assert cube.clipped([1, 0, 0], -1.001) is None
    corner = cube.clipped([1, 1, 1], -3.0)
    assert corner.dimension == 0
    with pytest.raises(InputError, match="zero"):
        cube.clipped([0, 0, 0], 1.0)


def test_clipping_cuts_a_cone_to_a_pyramid_and_leaves_one_open_sideways():
    cone = Polytope([[0, 0, 0]], COULOMB)
    capped = cone.clipped([0, 0, 1], 2.0)
    assert capped.is_bounded
    assert capped.volume == pytest.approx(2.0 * 2.0 / 3)  # base: a square of diagonal 2
    open_side = cone.clipped([1, 0, 0], 1.0)
    assert not open_side.is_bounded
    assert open_side.contains([1, 0, 1e6])
    assert not open_side.contains([1.1, 0, 1e3])
    assert cone.clipped([0, 0, 1], -1.0) is None
    assert cone.clipped([0, 0, 1], 0.0).dimension == 0


def test_many_clips_make_the_h_form():
    rng = np.random.default_rng(4)
    target = Polytope(cloud(rng, 20))
    result = Polytope(block([-50] * 3, [50] * 3))
    for normal, offset in zip(*target.halfspaces, strict=True):
        result = result.clipped(normal, offset)
    assert result.volume == pytest.approx(target.volume, rel=1e-8)
    gaps = np.linalg.norm(result.extreme[:, None] - target.extreme[None], axis=2)
    assert gaps.min(axis=0).max() < 1e-6
    assert gaps.min(axis=1).max() < 1e-6


@few
@given(seeds)
def test_intersections_and_hulls_against_membership(seed):
    rng = np.random.default_rng(seed)
    a, b = cloud(rng, 10), cloud(rng, 10)
    both, around = intersection([Polytope(a), Polytope(b)]), hull_of([Polytope(a), Polytope(b)])
    samples = np.concatenate([points_inside(rng, a, NONE, 60), points_inside(rng, b, NONE, 60)])
    in_both = Polytope(a).contains(samples) & Polytope(b).contains(samples)
    if both is None:
        assert not in_both.any()
    else:
        np.testing.assert_array_equal(both.contains(samples, 1e-7), in_both)
        assert both.volume <= min(Polytope(a).volume, Polytope(b).volume) * (1 + 1e-9)
    assert around.contains(samples).all()
    assert around.volume == pytest.approx(ConvexHull(np.concatenate([a, b])).volume)


def test_intersection_of_bodies_that_share_a_face_an_edge_a_corner_or_nothing():
    cube = Polytope(CUBE)
    for shift, dimension in (([2, 0, 0], 2), ([2, 2, 0], 1), ([2, 2, 2], 0)):
        common = intersection([cube, cube.translated(shift)])
        assert common is not None
        assert common.dimension == dimension
        assert common.volume == 0.0
    assert intersection([cube, cube.translated([2.01, 0, 0])]) is None
    assert intersection([cube, cube.translated([1, 1, 1])]).volume == pytest.approx(1.0)


def test_intersection_of_flat_sets_and_of_a_cone_with_a_slab():
    square = Polytope(np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]]))
    upright = square.rotated([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    line = intersection([square, upright])
    assert line.dimension == 1
    np.testing.assert_allclose(np.sort(line.extreme[:, 1]), [-1, 1])
    slab = Polytope(block([-9, -9, 1], [9, 9, 2]))
    assert intersection([Polytope([[0, 0, 0]], COULOMB), slab]).volume == pytest.approx((2.0 * 2 - 0.5 * 1) / 3)


@few
@given(seeds)
def test_scaling_turning_and_moving_do_what_they_do_to_points(seed):
    vertices, rays = any_set(seed)
    rng = np.random.default_rng(seed + 7)
    polytope = Polytope(vertices, rays)
    points = points_inside(rng, vertices, rays, 5) + rng.normal(size=(5, 3)) * 0.3
    turn, offset, factor = random_rotation(rng), rng.normal(size=3), 10.0 ** rng.uniform(-3, 3)
    there = polytope.contains(points, 1e-6)
    np.testing.assert_array_equal(polytope.rotated(turn).contains(points @ turn.T, 1e-6), there)
    np.testing.assert_array_equal(polytope.translated(offset).contains(points + offset, 1e-6), there)
    np.testing.assert_array_equal(polytope.scaled(factor).contains(points * factor, 1e-6), there)


def test_sets_in_the_plane_and_in_six_dimensions_work_alike():
    square = Polytope(list(itertools.product([-1.0, 1.0], repeat=2)))
    assert square.volume == pytest.approx(4.0)
    assert square.signed_distance([3, 3]) == pytest.approx(2 * np.sqrt(2))
    box = Polytope(list(itertools.product([-1.0, 1.0], repeat=6)))
    assert box.volume == pytest.approx(64.0)
    assert box.signed_distance(np.full(6, 2.0)) == pytest.approx(np.sqrt(6))


# -- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "vertices, rays",
    [
        ([], None),
        (np.zeros((0, 3)), None),
        ([1, 2, 3], None),
        ([[1, 2, np.nan]], None),
        ([[1, 2, np.inf]], None),
        ([["a", 2, 3]], None),
        (CUBE, [[0, 0, 0]]),
        (CUBE, [[0, 1]]),
        (CUBE, [[0, 0, np.inf]]),
        (CUBE, [0, 0, 1]),
    ],
)
def test_what_is_no_set_is_a_holdfast_error_that_says_where(vertices, rays):
    with pytest.raises(HoldfastError) as caught:
        Polytope(vertices, rays)
    assert caught.value.where
    assert caught.value.fix


@pytest.mark.parametrize(
    "ask",
    [
        lambda p: p.contains([1, 2]),
        lambda p: p.contains([[1, 2, np.nan]]),
        lambda p: p.signed_distance([1, 2, np.inf]),
        lambda p: p.nearest("here"),
        lambda p: p.support([[1, 2]]),
        lambda p: p.support_points([np.nan, 0, 0]),
        lambda p: p.radial([np.nan, 0, 0]),
        lambda p: p.scaled(0.0),
        lambda p: p.scaled(-1.0),
        lambda p: p.translated([1, 2]),
        lambda p: p.rotated(np.eye(2)),
        lambda p: p.rotated(np.full((3, 3), np.nan)),
        lambda p: p.clipped([1, np.nan, 0], 1.0),
        lambda p: p.clipped([1, 0, 0], np.nan),
    ],
)
def test_a_bad_question_is_a_holdfast_error(ask):
    with pytest.raises(HoldfastError):
        ask(Polytope(CUBE))


def test_vertices_cannot_be_changed_from_outside():
    polytope = Polytope(CUBE)
    with pytest.raises(ValueError, match="read-only"):
        polytope.vertices[0, 0] = 5.0
    given_vertices = CUBE.copy()
    polytope = Polytope(given_vertices)
    given_vertices[:] = 0.0
    assert polytope.volume == pytest.approx(8.0)
