from __future__ import annotations

import numpy as np
import pytest

from holdfast.geometry.polytopes import Polytope
from holdfast.grips import Grip
from holdfast.grips.grip import extreme_rays, extreme_rows, in_hull, needed_planes
from holdfast.solvers import Status
from tests.grips.proofs import proves


@pytest.mark.parametrize("rays", [0, 3], ids=["bounded", "with rays"])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e8])
def test_every_answer_comes_with_a_proof_that_the_vertices_confirm(rays: int, scale: float) -> None:
    rng = np.random.default_rng(3)
    vertices = rng.standard_normal((40, 6)) * np.repeat([1.0, 0.1], 3) * scale
    grip = Grip(vertices, rng.standard_normal((rays, 6)) * np.repeat([1.0, 0.1], 3))
    held = 0
    for _ in range(12):
        weights = rng.dirichlet(np.full(40, 0.1))
        inside = weights @ grip.vertices + scale * rng.exponential(1.0, rays) @ grip.rays
        for w in (inside, 3.0 * rng.standard_normal(6) * np.repeat([1.0, 0.1], 3) * scale):
            answer = grip.contains(w)
            assert proves(grip, answer)
            held += bool(answer)
        assert grip.contains(inside)
    assert 12 <= held < 24


def test_hulls_by_their_facets_say_the_same() -> None:
    rng = np.random.default_rng(4)
    grip = Grip(rng.standard_normal((20, 6)), length=1.0)
    hull = Polytope(grip.vertices)
    points = np.concatenate([rng.standard_normal((15, 6)) * 0.5, rng.dirichlet(np.ones(20), 15) @ grip.vertices])
    assert [bool(grip.contains(w)) for w in points] == hull.contains(points).tolist()


def test_just_inside_and_just_outside_of_a_face_are_told_apart() -> None:
    lower, upper = -np.array([3.0, 2.0, 1.0, 0.3, 0.2, 0.1]), np.array([30.0, 20.0, 10.0, 0.1, 0.2, 0.3])
    grip = Grip.box(lower, upper)
    for share, held in ((1.0, True), (1.0 - 1e-7, True), (1.0 + 1e-7, False)):
        for axis in range(6):
            w = 0.3 * lower + 0.7 * upper
            w[axis] = upper[axis] * share
            answer = grip.contains(w)
            assert bool(answer) is held and proves(grip, answer), (axis, share)


def test_flat_sets_points_and_cones_answer_too() -> None:
    point = Grip.point([1.0, 2.0, 3.0, 0.0, 0.0, 0.1])
    assert point.contains(point.vertices[0]) and not point.contains(np.zeros(6))
    cone = Grip(np.zeros((1, 6)), [[1, 0, 1, 0, 0, 0], [-1, 0, 1, 0, 0, 0]])
    assert cone.contains([50.0, 0, 70.0, 0, 0, 0]) and cone.contains(np.zeros(6))
    for outside in ([1.0, 1e-3, 2.0, 0, 0, 0], [0, 0, -1.0, 0, 0, 0], [0, 0, 5.0, 0, 0, 1e-4]):
        assert proves(cone, cone.contains(outside)) and not cone.contains(outside)


def test_the_length_decides_nothing_but_the_scale() -> None:
    rng = np.random.default_rng(7)
    vertices = rng.standard_normal((30, 6))
    for w in rng.standard_normal((5, 6)):
        found = {in_hull(vertices, np.zeros((0, 6)), w, length).status for length in (0.01, 1.0, 30.0)}
        assert len(found) == 1 and found < {Status.HOLDS, Status.DOES_NOT_HOLD}


NONE = np.zeros((0, 6))


def test_corners_are_those_of_the_hull_by_facets() -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.standard_normal((15, 6)) * 0.3, rng.standard_normal((25, 6))])
    assert points[extreme_rows(points, NONE, 1.0)].tolist() == Polytope(points).extreme.tolist()


def test_a_box_among_points_of_its_faces_keeps_its_corners_alone() -> None:
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T
    rng = np.random.default_rng(1)
    faces = rng.uniform(-1.0, 1.0, (30, 6))
    faces[np.arange(30), rng.integers(0, 6, 30)] = 1.0
    points = np.concatenate([faces, corners, corners])
    assert extreme_rows(points, NONE, 1.0).tolist() == list(range(30, 94))


def test_flat_sets_points_and_repeated_rows() -> None:
    line = np.outer(np.linspace(-1.0, 2.0, 7), np.ones(6))
    assert extreme_rows(line, NONE, 0.1).tolist() == [0, 6]
    assert extreme_rows(np.ones((3, 6)), NONE, 0.1).tolist() == [0]


def test_rows_on_a_ray_of_another_are_superfluous() -> None:
    points = np.array([[0, 0, 0, 0, 0, 0], [0, 0, 5, 0, 0, 0], [1, 0, 2, 0, 0, 0], [1, 0, 1, 0, 0, 0]], dtype=float)
    up = np.array([[0, 0, 1.0, 0, 0, 0]])
    assert extreme_rows(points, up, 1.0).tolist() == [0, 3]


def test_rays_inside_the_cone_of_others_are_superfluous() -> None:
    rng = np.random.default_rng(2)
    sides = np.eye(6)[:4] + 0.1
    inside = rng.dirichlet(np.ones(4), 10) @ sides
    rays = np.concatenate([inside, sides, 3.0 * sides])
    assert extreme_rays(rays, 1.0).tolist() == [10, 11, 12, 13]


def test_planes_that_touch_nothing_are_not_needed() -> None:
    box = np.concatenate([np.eye(6), -np.eye(6)])
    far = np.random.default_rng(3).standard_normal((20, 6))
    far /= np.linalg.norm(far, axis=1, keepdims=True)
    normals, offsets = np.concatenate([far, box]), np.concatenate([np.full(20, 2.5), np.ones(12)])
    assert needed_planes(normals, offsets).tolist() == list(range(20, 32))
    assert needed_planes(np.eye(6)[:3], np.ones(3)).tolist() == [0, 1, 2]
    clash = np.array([np.eye(6)[0], -np.eye(6)[0]])
    assert needed_planes(clash, np.array([-1.0, -1.0])).tolist() == [0, 1]
    assert needed_planes(NONE, np.zeros(0)).tolist() == []
