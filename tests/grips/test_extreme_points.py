from __future__ import annotations

import numpy as np

from holdfast.geometry.polytopes import Polytope
from holdfast.grips.membership import extreme_rays, extreme_rows, needed_planes

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
