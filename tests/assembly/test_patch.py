"""Units as patches of points."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.assembly.contacts import Patch
from holdfast.errors import GeometryError, InputError, UnitError
from holdfast.force_limits import ForceVolume
from holdfast.geometry.frames import Pose, frame_from_normal

UNIT = ForceVolume([[[0, 0, 0], [1, 1, 2], [-1, 1, 2], [-1, -1, 2], [1, -1, 2]]])
POSE = Pose(frame_from_normal((0.2, -0.3, -1), (1, 0, 0.1)), np.array([0.1, 0.2, 0.3]))


def in_patch_frame(patch: Patch, pose: Pose) -> np.ndarray:
    return pose.inverse().apply(patch.positions)


def test_a_rectangle_has_four_corners_with_a_quarter_of_the_unit_each() -> None:
    patch = Patch.rectangle(POSE, (0.028, 0.030), UNIT, name="unit")
    local = in_patch_frame(patch, POSE)
    np.testing.assert_allclose(np.abs(local), np.tile([0.014, 0.015, 0.0], (4, 1)), atol=1e-15)
    assert len({tuple(np.sign(point[:2])) for point in local}) == 4
    np.testing.assert_array_equal(patch.fractions, 0.25)
    volumes = {id(contact.volume) for contact in patch.contacts}
    assert len(volumes) == 1
    np.testing.assert_allclose(patch.contacts[0].volume.pieces[0], UNIT.pieces[0] / 4)
    assert [contact.name for contact in patch.contacts] == [f"unit[{i}]" for i in range(4)]
    for contact in patch.contacts:
        np.testing.assert_array_equal(contact.rotation, POSE.rotation)


def test_a_rectangle_of_cells_has_equal_shares_at_their_centres() -> None:
    patch = Patch.rectangle(POSE, (0.03, 0.02), UNIT, points=(3, 2))
    local = in_patch_frame(patch, POSE)
    np.testing.assert_allclose(sorted(set(local[:, 0].round(9))), [-0.01, 0.0, 0.01])
    np.testing.assert_allclose(sorted(set(local[:, 1].round(9))), [-0.005, 0.005])
    np.testing.assert_allclose(patch.fractions, 1 / 6)
    np.testing.assert_allclose(patch.center, POSE.translation, atol=1e-15)


def test_one_cell_is_the_whole_unit_at_the_centre() -> None:
    patch = Patch.rectangle(POSE, (0.03, 0.02), UNIT, points=(1, 1))
    assert patch.contacts[0].volume is UNIT
    np.testing.assert_allclose(patch.positions, POSE.translation[None], atol=1e-15)


@given(st.floats(0.001, 1.0), st.floats(0.001, 1.0))
def test_a_polygon_that_is_a_rectangle_is_the_rectangle(lx: float, ly: float) -> None:
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (lx / 2, ly / 2)
    polygon, rectangle = Patch.polygon(POSE, corners, UNIT), Patch.rectangle(POSE, (lx, ly), UNIT)
    np.testing.assert_allclose(polygon.positions, rectangle.positions, atol=1e-12)
    np.testing.assert_allclose(polygon.fractions, 0.25, rtol=1e-12)
    assert len({id(contact.volume) for contact in polygon.contacts}) == 1


def test_a_triangle_gives_each_corner_a_third() -> None:
    patch = Patch.polygon(POSE, [[0, 0], [0.02, 0], [0, 0.05]], UNIT)
    np.testing.assert_allclose(patch.fractions, 1 / 3)
    assert len({id(contact.volume) for contact in patch.contacts}) == 1


def test_a_u_shape_is_split_into_cells_and_not_into_corners() -> None:
    u_shape = np.array([[0, 0], [9, 0], [9, 9], [8, 9], [8, 1], [1, 1], [1, 9], [0, 9]]) * 0.01
    with pytest.raises(GeometryError, match=r"does not see every corner.*points=\(3, 3\)"):
        Patch.polygon(POSE, u_shape, UNIT)
    patch = Patch.polygon(POSE, u_shape, UNIT, points=(9, 9))
    np.testing.assert_allclose(patch.fractions, 1 / 25)
    assert len({id(contact.volume) for contact in patch.contacts}) == 1


def test_the_volumes_of_a_patch_sum_to_the_unit() -> None:
    corners = [[0, 0], [0.04, 0.01], [0.05, 0.04], [0.01, 0.03]]
    directions = np.random.default_rng(1).normal(size=(50, 3))
    for points in ("corners", (3, 4)):
        patch = Patch.polygon(POSE, corners, UNIT, points=points)
        total = sum(contact.volume.support(directions) for contact in patch.contacts)
        np.testing.assert_allclose(total, UNIT.support(directions), atol=1e-12)


def test_a_pad_that_comes_as_points_is_placed_as_it_is() -> None:
    points = np.array([[0.01, 0, 0], [-0.01, 0, 0], [0, 0.01, 0.001]])
    patch = Patch.of_pad(POSE, SimpleNamespace(points=points, volume=UNIT), name="pad")
    np.testing.assert_allclose(in_patch_frame(patch, POSE), points, atol=1e-15)
    assert all(contact.volume is UNIT for contact in patch.contacts)


def test_a_moved_patch_is_carried_along_and_shares_its_volumes() -> None:
    patch = Patch.rectangle(Pose.identity(), (0.028, 0.030), UNIT, name="a")
    moved = patch.moved(POSE, name="b")
    direct = Patch.rectangle(POSE, (0.028, 0.030), UNIT)
    np.testing.assert_allclose(moved.positions, direct.positions, atol=1e-15)
    np.testing.assert_allclose(moved.faces[0], direct.faces[0], atol=1e-15)
    np.testing.assert_allclose(moved.contacts[0].rotation, POSE.rotation)
    assert moved.contacts[0].volume is patch.contacts[0].volume
    assert moved.contacts[3].name == "b[3]"
    assert patch.moved(POSE).name == "a"


@pytest.mark.parametrize(
    "size, points, error, match",
    [
        ((0.0, 0.03), "corners", InputError, r"size\[0\]: is 0 m"),
        ((0.03, -0.1), "corners", InputError, r"size\[1\]: is -0.1 m"),
        ((0.03, np.nan), "corners", InputError, r"size\[1\]: is nan"),
        ((0.03,), "corners", InputError, r"size: has shape \(1,\)"),
        ((1e-8, 0.03), "corners", UnitError, r"size\[0\].*between 1e-06 and 10000"),
        ((28e3, 30e3), "corners", UnitError, r"size\[0\]"),
        ((0.03, 0.03), "edges", InputError, "points: is 'edges'"),
        ((0.03, 0.03), (0, 2), InputError, r"points\[0\]: is 0"),
        ((0.03, 0.03), (2, 1.5), InputError, r"points\[1\]: is 1.5"),
        ((0.03, 0.03), 4, InputError, "points: is 4"),
    ],
)
def test_degenerate_rectangles_are_refused(size: tuple, points: object, error: type, match: str) -> None:
    with pytest.raises(error, match=match):
        Patch.rectangle(POSE, size, UNIT, points=points)  # type: ignore[arg-type]


def test_a_self_intersecting_polygon_is_refused() -> None:
    with pytest.raises(GeometryError, match="crosses itself"):
        Patch.polygon(POSE, [[0, 0], [0.1, 0.1], [0.1, 0], [0, 0.15]], UNIT)


def test_a_rotation_is_no_pose() -> None:
    with pytest.raises(InputError, match=r"pose: is a ndarray.*frame_from_normal"):
        Patch.rectangle(np.eye(3), (0.1, 0.1), UNIT)  # type: ignore[arg-type]


@pytest.mark.parametrize("fractions", [[0.5, 0.5, 0.5, 0.5], [0.5, 0.6, -0.1, 0.0]])
def test_shares_must_be_positive_and_sum_to_one(fractions: list[float]) -> None:
    patch = Patch.rectangle(POSE, (0.1, 0.1), UNIT)
    with pytest.raises(InputError, match="fractions: sum to"):
        Patch(patch.contacts, np.array(fractions))


def test_a_patch_without_contacts_is_refused() -> None:
    with pytest.raises(InputError, match="contacts: is empty"):
        Patch((), np.zeros(0))
