"""Rows from generators and nearest points, on shapes whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.planar.polyhedra import facets, nearest

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
