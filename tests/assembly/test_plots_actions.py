from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.plots import at_limit, central_axis


def assembly(volume: hf.ForceVolume, count: int, rotation: np.ndarray | None = None) -> hf.Assembly:
    frame = np.eye(3) if rotation is None else rotation
    return hf.Assembly([hf.Contact([float(k), 0, 0], frame, volume) for k in range(count)])


def test_forces_on_the_border_are_at_their_limit_and_those_inside_are_not(cone: hf.ForceVolume) -> None:
    forces = np.array([[0, 0, 1.0], [0.5, 0, 1.0], [0.49, 0.49, 1.0], [0.5, 0.5, 1.0], [0, 0, 0]])
    found = at_limit(assembly(cone, 5), forces)
    assert found.tolist() == [False, True, False, True, False]  # a contact without a force has nothing to lose


def test_the_face_between_two_pieces_is_no_limit(two_boxes: hf.ForceVolume) -> None:
    forces = np.array([[1.0, 0, 0], [0.0, 0.5, 0], [2.0, 0, 0], [0.5, 1.0, 0]])
    assert at_limit(assembly(two_boxes, 4), forces).tolist() == [False, False, True, True]


def test_limits_are_those_of_the_contact_frame(cone: hf.ForceVolume) -> None:
    turned = hf.frame_from_normal([1, 0, 0])
    forces = np.array([[1.0, 0, 0], [0, 0, 1.0]]) @ np.eye(3)
    contacts = assembly(cone, 2, turned)
    assert at_limit(contacts, forces).tolist() == [False, True]


@pytest.mark.parametrize("seed", range(5))
def test_the_central_axis_leaves_only_torque_along_the_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wrench, near = rng.normal(size=6), rng.normal(size=3)
    point, torque = central_axis(wrench, near)
    np.testing.assert_allclose(np.cross(torque, wrench[:3]), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.cross(point, wrench[:3]) + torque, wrench[3:])
    assert (point - near) @ wrench[:3] == pytest.approx(0.0, abs=1e-12)  # the nearest point of the axis


def test_a_weight_acts_on_the_line_through_its_centre_and_a_couple_anywhere() -> None:
    weight = hf.loads.gravity_wrench(2.0, com=[0.1, 0.2, 0.3])
    point, torque = central_axis(weight, np.array([0.1, 0.2, 0.3]))
    np.testing.assert_allclose(point, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(torque, 0.0, atol=1e-12)
    point, torque = central_axis(np.array([0, 0, 0, 1.0, 2.0, 3.0]), np.ones(3))
    np.testing.assert_allclose([point, torque], [[1, 1, 1], [1, 2, 3]])
