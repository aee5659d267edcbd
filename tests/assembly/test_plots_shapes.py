from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from holdfast.assembly.plots import BODY, ROOM, add_shape, add_sheet, near
from holdfast.errors import HoldfastError, InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.plotting import Box, Cylinder, Mesh, Sphere
from holdfast.plotting.solids import Solids

Area = Callable[[np.ndarray], float]


def drawn(shape: object) -> tuple[np.ndarray, Solids]:
    solids = Solids()
    add_shape(solids, shape)
    return solids.corners, solids


def surface(solids: Solids, area: Area) -> float:
    return sum(area(p) for p in solids.polygons)


def test_a_box_has_its_sides_where_its_pose_puts_them(area: Area) -> None:
    pose = Pose(rotation_about((0, 0, 1), np.pi / 2), [1.0, 2.0, 3.0])
    corners, solids = drawn(Box([0.2, 0.4, 0.6], pose))
    np.testing.assert_allclose(np.ptp(corners, axis=0), [0.4, 0.2, 0.6])
    np.testing.assert_allclose(corners.mean(axis=0), [1, 2, 3])
    assert surface(solids, area) == pytest.approx(2 * (0.2 * 0.4 + 0.4 * 0.6 + 0.2 * 0.6))


def test_a_cylinder_keeps_its_distance_from_its_axis(area: Area) -> None:
    corners, solids = drawn(Cylinder([0, 0, 1], [0, 1, 0], 0.5, 2.0))
    np.testing.assert_allclose(np.hypot(corners[:, 0], corners[:, 2] - 1.0), 0.5)
    assert np.ptp(corners[:, 1]) == pytest.approx(2.0)
    assert surface(solids, area) == pytest.approx(2 * np.pi * 0.5 * (2.0 + 0.5), rel=0.01)


def test_a_plate_spans_its_angle_about_the_top(area: Area) -> None:
    corners, solids = drawn(Cylinder([0, 0, 0], [0, 1, 0], 1.0, 1.0, 0.5))
    angles = np.arctan2(corners[:, 0], corners[:, 2])
    assert (angles.min(), angles.max()) == pytest.approx((-0.5, 0.5))
    assert surface(solids, area) == pytest.approx(1.0, rel=0.01)


def test_an_upright_cylinder_can_be_drawn() -> None:
    corners, _ = drawn(Cylinder([0, 0, 0], [0, 0, 1], 0.5, 2.0))
    np.testing.assert_allclose(np.hypot(corners[:, 0], corners[:, 1]), 0.5)


def test_a_sphere_is_round(area: Area) -> None:
    corners, solids = drawn(Sphere(0.3, [1, 0, 0]))
    np.testing.assert_allclose(np.linalg.norm(corners - [1, 0, 0], axis=1), 0.3)
    assert surface(solids, area) == pytest.approx(4 * np.pi * 0.09, rel=0.03)


def test_meshes_of_this_package_and_of_others_are_the_same() -> None:
    vertices, faces = np.eye(3), np.array([[0, 1, 2]])
    ours, _ = drawn(Mesh(vertices, faces))
    theirs, _ = drawn(SimpleNamespace(vertices=vertices.tolist(), faces=faces.tolist()))
    triangles, _ = drawn(SimpleNamespace(triangles=vertices[faces]))
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(ours, triangles)


def test_the_cylinder_of_a_scene_stands_along_z_of_its_pose() -> None:
    pose = Pose(rotation_about((1, 0, 0), np.pi / 2), [0, 0, 1])
    corners, _ = drawn(SimpleNamespace(radius=0.5, length=2.0, pose=pose, arc=np.pi))
    np.testing.assert_allclose(np.hypot(corners[:, 0], corners[:, 2] - 1.0), 0.5)
    assert np.ptp(corners[:, 1]) == pytest.approx(2.0)


def test_sheets_are_seen_from_both_sides() -> None:
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    up, down = Solids(), Solids()
    add_sheet(up, square, "#E69F00", 0.5)
    add_sheet(down, square[::-1], "#E69F00", 0.5)
    assert up.faces[0].inside == down.faces[0].inside
    assert len(up.polygons) == 1 and len(up.lines) == 4


def test_a_large_shape_is_cut_round_what_touches_it_and_a_small_one_stays() -> None:
    solids = drawn(Cylinder([0, 0, -1.0], [0, 1, 0], 1.0, 0.2))[1]
    touching = np.array([[-0.1, -0.1, 0.0], [0.1, 0.1, 0.0]])
    kept = near(solids, touching)
    room = 0.2 * ROOM
    assert 0 < len(kept.polygons) < len(solids.polygons)
    assert (kept.corners >= touching.min(axis=0) - room - 1e-9).all()
    assert (kept.corners <= touching.max(axis=0) + room + 1e-9).all()
    assert kept.corners[:, 0].min() == pytest.approx(-0.1 - room)
    assert near(solids, solids.corners) is solids


def test_lines_of_a_large_shape_are_cut_with_its_faces() -> None:
    solids = Solids()
    solids.add_lines(
        [(np.array([-5.0, 0, 0]), np.array([5.0, 0, 0])), (np.array([0.0, 0, 0]), np.array([0.0, 9, 0]))], BODY
    )
    kept = near(solids, np.array([[-1.0, -1, 0], [1, 1, 0]]))
    reach = 1.0 + 2.0 * ROOM
    ends = [np.array(line) for line in kept.lines]
    np.testing.assert_allclose(ends[0], [[-reach, 0, 0], [reach, 0, 0]])
    np.testing.assert_allclose(ends[1], [[0, 0, 0], [0, reach, 0]])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Box([1, 0, 1]),
        lambda: Box([1, 1]),
        lambda: Sphere(-1.0),
        lambda: Sphere(1.0, [0, 0]),
        lambda: Mesh(np.eye(3), [[0, 1, 3]]),
        lambda: Mesh(np.eye(3), [[0.0, 1.0, 2.0]]),
        lambda: Mesh(np.eye(3), np.zeros((0, 3), int)),
    ],
)
def test_shapes_that_are_none_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(HoldfastError):
        make()


def test_unknown_shapes_are_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="Box, Cylinder, Sphere or Mesh"):
        add_shape(Solids(), "ball")
