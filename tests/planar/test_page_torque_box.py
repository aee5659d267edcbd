"""The box of torques in the scene."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.checks import Array
from holdfast.planar.page import BAR, WIDTH, TorqueBox, clipped
from holdfast.planar.polyhedra import Polyhedron


def box(d: int) -> TorqueBox:
    return TorqueBox(tuple(range(d)), np.full(d, -2.0), np.full(d, 2.0), np.array([1.0, 0.0, 0.0]))


def area(vertices: Array, faces: Array) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def test_torques_go_right_up_and_away() -> None:
    place = box(3).place(np.array([[-2.0, -2.0, -2.0], [2.0, -2.0, -2.0], [-2.0, 2.0, -2.0], [-2.0, -2.0, 2.0]]))
    assert np.allclose(place[0], [1.0, 0.0, -0.5 * WIDTH])
    assert np.allclose(np.diff(place[[0, 1]], axis=0), [[WIDTH, 0.0, 0.0]])
    assert np.allclose(place[2] - place[0], [0.0, 0.0, WIDTH]) and np.allclose(place[3] - place[0], [0.0, WIDTH, 0.0])
    assert np.allclose(box(2).at([0.5, 0.5]), [1.0 + 0.5 * WIDTH, 0.0, 0.0])


def test_a_half_plane_is_cut_off_at_the_box() -> None:
    vertices, faces = clipped(box(2), Polyhedron(np.array([[1.0, 1.0]]), np.array([0.0])))
    assert np.isclose(area(vertices, faces), 0.5 * WIDTH**2)


def test_a_solid_has_the_volume_of_its_part_in_the_box() -> None:
    vertices, faces = clipped(box(3), Polyhedron(np.array([[1.0, 0.0, 0.0]]), np.array([1.0])))  # a quarter of it
    a, b, c = (vertices[faces[:, k]] - vertices.mean(axis=0) for k in range(3))
    assert np.isclose(abs(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0, 0.25 * WIDTH**3)


def test_a_flat_set_among_three_torques_is_a_polygon() -> None:
    vertices, faces = clipped(box(3), Polyhedron(C=np.array([[0.0, 0.0, 1.0]]), d=np.array([0.0]), dimension=3))
    assert np.isclose(area(vertices, faces), WIDTH**2)


@pytest.mark.parametrize(("low", "width"), [(-1.0, 0.75), (3.0, None)])
def test_a_half_line_is_a_bar_up_to_the_end_of_the_box(low: float, width: float | None) -> None:
    vertices, faces = clipped(box(1), Polyhedron(np.array([[1.0]]), np.array([low])))
    if width is None:
        assert not len(vertices) and not len(faces)
    else:
        assert np.isclose(np.ptp(vertices[:, 0]), width * WIDTH) and np.isclose(
            area(vertices, faces), width * WIDTH * BAR
        )


def test_a_segment_in_the_plane_and_a_point_are_seen() -> None:
    line = Polyhedron(C=np.array([[1.0, 0.0]]), d=np.array([0.5]), dimension=2)
    vertices, faces = clipped(box(2), line)
    assert area(vertices, faces) > 0.0 and np.isclose(vertices[:, 0].mean(), 1.0 + 0.625 * WIDTH)
    assert np.isclose(np.ptp(vertices[:, 2]), WIDTH)
