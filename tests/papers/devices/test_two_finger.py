"""The passive two-finger gripper."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import UnknownNameError
from holdfast.papers.devices import CONDITIONS, TwoFingerDimensions, two_finger_gripper

UNIT = hf.ForceVolume([[[0, 0, 0], [8, 8, 9], [-8, 8, 9], [-8, -8, 9], [8, -8, 9]]])


@pytest.mark.parametrize("left, right", CONDITIONS)
def test_the_condition_names_the_units_that_touch(left: str, right: str) -> None:
    device = two_finger_gripper(left, right, unit=UNIT)
    assert device.name == f"2FG {left}-{right}"
    assert [patch.name for patch in device.patches] == [*(f"left {c}" for c in left), *(f"right {c}" for c in right)]
    sides = [np.sign(patch.center[0]) for patch in device.patches]
    assert sides == [-1.0] * len(left) + [1.0] * len(right)


def test_joints_are_passive_pins_with_friction_alone() -> None:
    rows = two_finger_gripper("D", "MD", unit=UNIT).assembly().joints
    assert rows is not None
    np.testing.assert_allclose(rows.lower, -0.01)
    np.testing.assert_allclose(rows.upper, 0.01)
    assert rows.names == tuple(f"{side} {letter}" for side in ("left", "right") for letter in "PMD")


def test_a_joint_feels_only_what_hangs_beyond_it() -> None:
    device = two_finger_gripper("MD", "PMD", unit=UNIT)
    feels = (np.abs(device.jacobian.reshape(6, -1, 12)).max(axis=2) > 1e-9).astype(int)  # (joint, unit)
    expected = [
        [1, 1, 0, 0, 0],  # left P feels left M, D
        [1, 1, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 1, 1, 1],  # right P feels right P, M, D
        [0, 0, 0, 1, 1],
        [0, 0, 0, 0, 1],
    ]
    np.testing.assert_array_equal(feels, expected)


def test_a_force_through_the_joint_axis_does_not_load_it() -> None:
    device = two_finger_gripper("D", "D", unit=UNIT)
    forces = np.tile([0.0, 7.0, 0.0], (8, 1))  # along the joint axes
    np.testing.assert_allclose(device.jacobian @ forces.ravel(), 0.0, atol=1e-12)


def test_torques_agree_with_lever_arms_in_the_plane() -> None:
    """A unit force on the object at a contact loads a joint by the planar cross product of arm and force."""
    device = two_finger_gripper("D", "D", unit=UNIT)
    joint = next(link for link in device.links if link.name == "right D").points[0]
    for index, contact in enumerate(device.contacts):
        if contact.position[0] < 0:
            continue
        arm = contact.position - joint
        for force in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)):
            about_y = arm[2] * force[0] - arm[0] * force[2]
            assert device.jacobian[5, 3 * index : 3 * index + 3] @ force == pytest.approx(about_y, abs=1e-15)


def test_phalanges_that_do_not_touch_still_weigh_on_the_joints() -> None:
    one = two_finger_gripper("D", "D", unit=UNIT).gravity_matrix
    other = two_finger_gripper("PMD", "MD", unit=UNIT).gravity_matrix
    np.testing.assert_array_equal(one, other)
    # The last joint holds half a phalanx of 40 g; seen from the side its arm is half the phalanx's x extent.
    link = next(link for link in two_finger_gripper(unit=UNIT).links if link.name == "right D").points
    arm = (link[1, 0] - link[0, 0]) / 2
    assert one[5] @ (0, 0, -9.81) == pytest.approx(-0.04 * 9.81 * arm)


def test_dimensions_change_the_gripper() -> None:
    size = TwoFingerDimensions(joint_friction=0.02, object_mass=0.5, radius=0.2)
    device = two_finger_gripper(unit=UNIT, dimensions=size)
    assert device.object.mass == 0.5
    assert device.object.shape is not None
    assert device.object.shape.radius == 0.2
    assert device.joints[0].friction == 0.02


@pytest.mark.parametrize("value", ["M", "DM", "", "pmd", 3])
def test_an_unknown_condition_lists_the_known(value: object) -> None:
    with pytest.raises(UnknownNameError, match=r"right: there is no set of touching phalanges .*known: D, MD, PD, PMD"):
        two_finger_gripper("D", value, unit=UNIT)  # type: ignore[arg-type]
