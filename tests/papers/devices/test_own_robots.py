from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from holdfast.errors import UnknownNameError
from holdfast.geometry.frames import Pose
from holdfast.papers.devices import four_finger_hand, two_finger_gripper
from holdfast.papers.devices.climber import GRIPS, LIMBS, MODELS, GripName, climber_model, hand_grip, robot_file
from holdfast.robots.robot import Robot


@pytest.mark.parametrize("name", MODELS)
def test_the_files_are_what_the_code_writes(name: str) -> None:
    assert robot_file(name).read_text(encoding="utf-8") == MODELS[name]().urdf()


def test_there_are_no_other_files() -> None:
    folder: Path = robot_file("climber").parent
    assert {path.stem for path in folder.iterdir()} == set(MODELS)
    with pytest.raises(UnknownNameError, match="climber"):
        robot_file("clmber")


def test_the_climber_has_the_published_masses() -> None:
    whole, plain = climber_model(), climber_model(fingers=False)
    limb = 3 * 0.429 + 3 * 3.975 + 1.76
    assert whole.mass == pytest.approx(40.0 + 4.0 * (limb + 2.6))
    assert whole.mass == pytest.approx(110.3, abs=0.05)
    assert plain.mass == pytest.approx(whole.mass)
    assert MODELS["four_finger_hand"]().mass == pytest.approx(2.6)


def test_the_climber_has_the_published_joints() -> None:
    root = ElementTree.parse(robot_file("climber_without_fingers")).getroot()
    joints = {joint.get("name", ""): joint for joint in root.iter("joint")}
    offsets = [(0.172, 0, 0), (0.2865, -0.117, 0), (0, 0, 0), (0.2865, -0.117, 0), (0, 0, 0), (0.1925, -0.117, 0)]
    for limb in LIMBS:
        own = [joints[f"{limb}_{index}"] for index in range(1, 8)]
        places = [_numbers(joint, "origin", "xyz") for joint in own]
        assert np.abs(places[0]) == pytest.approx([0.293, 0.209, 0.0365])
        assert np.sign(places[0][:2]).tolist() == [1 if "front" in limb else -1, 1 if "left" in limb else -1]
        assert places[0][2] == -0.0365
        np.testing.assert_array_equal(places[1:], offsets)
        axes = [_numbers(joint, "axis", "xyz") for joint in own]
        np.testing.assert_array_equal(axes, [(1, 0, 0), (0, -1, 0)] * 3 + [(1, 0, 0)])


def test_a_climber_stretched_sideways_spans_its_links() -> None:
    """All joints at zero: every limb is straight along y, its offsets add up."""
    robot = Robot.from_urdf(robot_file("climber"))
    q = robot.neutral()
    reach = 0.172 + 2 * 0.2865 + 0.1925 + 0.08
    left, right = (robot.frame_pose(q, f"front_{side}_palm") for side in ("left", "right"))
    np.testing.assert_allclose(left.translation, [0.293 + 3 * 0.117, 0.209 + reach, -0.0365], atol=1e-12)
    np.testing.assert_allclose(right.translation, [0.293 - 3 * 0.117, -0.209 - reach, -0.0365], atol=1e-12)
    np.testing.assert_allclose(left.rotation[:, 2], [0, -1, 0], atol=1e-12)  # z of a palm points back to its limb


@pytest.mark.parametrize("name", GRIPS)
def test_the_hand_of_the_file_is_the_hand_of_the_device(name: GripName) -> None:
    """Units' frames, joint by joint, in every grip; with the swivels the outer fingers change sides."""
    grip = hand_grip(name)
    robot = Robot.from_urdf(robot_file("four_finger_hand"), base="fixed", at=grip.palm)
    q = robot.configuration(grip.angles())
    turn = np.column_stack([(-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)])
    for patch in grip.device.patches:
        unit = robot.frame_pose(q, patch.name.replace(" ", "_")) @ Pose(turn, np.array([0.022, 0.0, -0.015]))
        np.testing.assert_allclose(unit.translation, patch.positions.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(unit.rotation, patch.contacts[0].rotation, atol=1e-12)


def test_the_gripper_of_the_file_is_the_gripper_of_the_device() -> None:
    device = two_finger_gripper("PMD", "PMD")
    bars = device.links[0].points
    robot = Robot.from_urdf(robot_file("two_finger_gripper"), base="fixed", at=Pose(np.eye(3), bars.mean(axis=0)))
    parts = {joint.name.replace(" ", "_"): float(q) for joint, q in zip(device.joints, device.coordinates, strict=True)}
    q = robot.configuration(parts)
    for link in device.links[1:]:
        own = robot.frame_pose(q, link.name.replace(" ", "_"))
        np.testing.assert_allclose(own.translation, link.points[0], atol=1e-12)
    assert robot.torque_limits[1].max() == 0.0
    np.testing.assert_allclose(robot.friction, 0.01)


def test_gravity_on_the_fingers_is_that_of_the_device() -> None:
    device = four_finger_hand("opposed")
    grip = hand_grip("opposing")
    robot = Robot.from_urdf(robot_file("four_finger_hand"), base="fixed", at=grip.palm)
    gravity = np.array([1.0, -2.0, -9.0])
    torques = robot.gravity_torques(robot.configuration(grip.angles()), gravity)
    own = [torques[robot.joint_index(joint.name.replace(" ", "_"))] for joint in device.joints]
    np.testing.assert_allclose(own, device.gravity_matrix @ gravity, atol=1e-12)


def _numbers(joint: ElementTree.Element, part: str, name: str) -> list[float]:
    found = joint.find(part)
    assert found is not None
    return [float(x) for x in found.get(name, "").split()]
