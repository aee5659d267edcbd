"""Kinematics and weight against hand formulas and finite differences; bad postures and names."""

from __future__ import annotations

import builtins
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import Pose, rotation_about
from holdfast.assembly import Joint, PlanarFinger
from holdfast.errors import FileError, InputError, MissingDependencyError, UnknownNameError
from holdfast.robots import Robot
from tests.robots.sample_robots import joint, legged, link, planar_finger, random_posture, two_link_arm, urdf

GRAVITY = np.array([1.0, -2.0, -9.0])
STEP = 1e-5
SOMEWHERE = Pose(rotation_about((1, 2, 3), 0.7), np.array([0.1, -0.2, 0.3]))


def slopes(robot: Robot, q: np.ndarray, value) -> np.ndarray:
    """Central differences of value(q) along each entry of a velocity, in the last axis."""
    steps = STEP * np.eye(robot.v_size)
    pairs = [(value(robot.moved(q, step)), value(robot.moved(q, -step))) for step in steps]
    return np.stack([(np.asarray(a) - np.asarray(b)) / (2 * STEP) for a, b in pairs], axis=-1)


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_jacobians_are_the_slopes_of_positions_and_gravity_torques_those_of_energy(base):
    robot = Robot.from_urdf(legged(), base=base, at=SOMEWHERE if base == "fixed" else None)
    rng = np.random.default_rng(1)
    for _ in range(10):
        q = random_posture(robot, rng)
        for name in ("foot2", "thigh1", "body"):
            local = rng.normal(size=3)
            point = robot.frame_pose(q, name).apply(local)
            expected = slopes(robot, q, lambda x, name=name, local=local: robot.frame_pose(x, name).apply(local))
            assert_allclose(robot.point_jacobian(q, name, point), expected, atol=1e-8)
        energy = slopes(robot, q, lambda x: -robot.mass * GRAVITY @ robot.com(x))
        assert_allclose(robot.generalised_gravity(q, GRAVITY), energy, atol=1e-6)
        assert_allclose(robot.gravity_torques(q, GRAVITY), energy[robot.v_base :], atol=1e-6)


def test_angular_rows_of_link_jacobians_are_the_slopes_of_rotations():
    robot = Robot.from_urdf(legged(legs=1))
    q = random_posture(robot, np.random.default_rng(2))
    turn = robot.frame_pose(q, "foot0").rotation
    rates = slopes(robot, q, lambda x: robot.frame_pose(x, "foot0").rotation)  # (3, 3, v)
    spin = np.einsum("ijv,kj->ikv", rates, turn)
    expected = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    assert_allclose(robot.link_jacobians(q, ["foot0"])[0][0, 3:], expected, atol=1e-8)


def test_two_link_arm_is_as_hand_formulas_say():
    l1, l2, m1, m2, g = 0.4, 0.3, 2.0, 1.0, 9.81
    robot = Robot.from_urdf(two_link_arm(l1, l2, m1, m2), base="fixed")
    for a, b in np.random.default_rng(3).uniform(-2, 2, (20, 2)):
        q = robot.configuration({"shoulder": a, "elbow": b})
        tip = l1 * np.array([np.cos(a), 0, np.sin(a)]) + l2 * np.array([np.cos(a + b), 0, np.sin(a + b)])
        assert_allclose(robot.frame_pose(q, "tip").translation, tip, atol=1e-12)
        x1, x2 = l1 * np.cos(a), l2 * np.cos(a + b)
        elbow = m2 * g * x2 / 2
        shoulder = m1 * g * x1 / 2 + m2 * g * (x1 + x2 / 2)
        assert_allclose(robot.gravity_torques(q, (0, 0, -g)), [shoulder, elbow], atol=1e-12)
        columns = np.array([[-tip[2], 0, tip[0]], [-l2 * np.sin(a + b), 0, x2]]).T
        assert_allclose(robot.point_jacobian(q, "tip", tip), columns, atol=1e-12)
        masses = m1 * np.array([x1, 0, l1 * np.sin(a)]) / 2 + m2 * (tip - [x2 / 2, 0, l2 * np.sin(a + b) / 2])
        assert_allclose(robot.com(q), masses / (m1 + m2 + 5.0), atol=1e-12)


def test_a_fixed_hand_has_the_kinematics_of_the_planar_finger():
    lengths, masses, angles = (0.045, 0.04, 0.03), (0.04, 0.03, 0.02), (0.3, 0.5, -0.2)
    robot = Robot.from_urdf(planar_finger(lengths, masses), base="fixed", at=SOMEWHERE)
    finger = PlanarFinger(SOMEWHERE, np.array(lengths), np.array(angles), np.array(masses))
    q = robot.configuration(angles)
    for index, pose in enumerate(finger.phalanx_poses):
        found = robot.frame_pose(q, f"phalanx{index}")
        assert_allclose(found.rotation, pose.rotation, atol=1e-12)
        assert_allclose(found.translation, pose.translation, atol=1e-12)
        point = pose.apply((0.01, 0.002, -0.015))
        expected = finger.point_jacobian(index, point)
        assert_allclose(robot.point_jacobian(q, f"phalanx{index}", point), expected, atol=1e-12)
    assert_allclose(robot.gravity_torques(q, GRAVITY), finger.gravity_torque(GRAVITY), atol=1e-12)
    assert robot.friction.tolist() == [0.01] * 3
    assert robot.torque_limits[1].tolist() == [0.0] * 3


def test_the_base_rows_of_gravity_are_the_weight_at_the_centre_of_mass():
    robot = Robot.from_urdf(legged())
    q = random_posture(robot, np.random.default_rng(4))
    arm = robot.com(q) - robot.base_pose(q).translation
    weight = robot.mass * GRAVITY
    expected = -np.concatenate([weight, np.cross(arm, weight)])
    assert_allclose(robot.generalised_gravity(q, GRAVITY)[:6], expected, atol=1e-9)


def test_facts_of_the_file_come_through():
    text = urdf(
        link("a", 1.0),
        link("b", 2.0),
        link("c"),
        joint("slide", "a", "b", (0, 0, 1), "0 0 1", "prismatic", effort=7.0, friction=0.5, limits=(0.1, 0.4)),
        joint("wheel", "b", "c", kind="continuous", effort=None),
    )
    robot = Robot.from_urdf(text, base="fixed")
    assert robot.joint_names == ("slide", "wheel")
    assert robot.mass == 3.0
    assert robot.lower.tolist() == [0.1, -np.inf]
    assert robot.upper.tolist() == [0.4, np.inf]
    assert robot.torque_limits[1].tolist() == [7.0, np.inf]
    assert robot.is_hinge().tolist() == [False, True]
    assert robot.neutral().tolist() == [0.1, 0.0]  # zero is outside the slide's limits
    assert robot.chain("c") == ("slide", "wheel")
    assert_allclose(robot.frame_pose(robot.configuration({"slide": 0.3, "wheel": 99.0}), "b").translation, [0, 0, 1.3])
    stronger = robot.with_joints({"wheel": Joint.motor(torque=3.0)})
    assert stronger.torque_limits[1].tolist() == [7.0, 3.0]
    assert stronger.joint_names == robot.joint_names


def test_a_robot_survives_pickling_with_its_changes():
    robot = Robot.from_urdf(two_link_arm(), base="fixed", at=SOMEWHERE).with_joints({"elbow": Joint.passive()})
    again = pickle.loads(pickle.dumps(robot))
    q = robot.configuration({"elbow": 1.0})
    assert_allclose(again.frame_pose(q, "tip").translation, robot.frame_pose(q, "tip").translation, atol=0)
    assert again.joints == robot.joints


def test_bad_names_suggest_the_nearest():
    robot = Robot.from_urdf(two_link_arm(), base="fixed")
    with pytest.raises(UnknownNameError, match="did you mean 'elbow'"):
        robot.configuration({"elbwo": 1.0})
    with pytest.raises(UnknownNameError, match="did you mean 'upper'"):
        robot.frame_pose(robot.neutral(), "uper")


@pytest.mark.parametrize(
    ("q", "says"),
    [
        ([0.0], r"q: has shape \(1,\) \(the length must be 2: one per joint\)"),
        ([0.0, 3.5], r"joint 'elbow': is 3.5 \(its limits are \[-3, 3\]\)"),
        ([0.0, np.nan], r"q\[1\]: is nan"),
    ],
)
def test_bad_postures_are_refused(q, says):
    robot = Robot.from_urdf(two_link_arm(), base="fixed")
    with pytest.raises(InputError, match=says):
        robot.checked(q)


def test_bad_bases_are_refused():
    robot = Robot.from_urdf(two_link_arm())
    with pytest.raises(InputError, match="7 for the floating base"):
        robot.checked([0.0, 0.0])
    with pytest.raises(InputError, match="quaternion has length 0"):
        robot.checked(np.zeros(9))
    with pytest.raises(UnknownNameError, match="kind of base"):
        Robot.from_urdf(two_link_arm(), base="fxied")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="fixed base"):
        Robot.from_urdf(two_link_arm(), at=SOMEWHERE)
    fixed = Robot.from_urdf(two_link_arm(), base="fixed")
    with pytest.raises(InputError, match="floating base"):
        fixed.configuration(base=SOMEWHERE)


def test_a_missing_file_and_a_missing_pinocchio_say_what_to_do(monkeypatch):
    with pytest.raises(FileError, match="cannot be read"):
        Robot.from_urdf("nowhere/robot.urdf")
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pinocchio":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependencyError, match=r'pip install "holdfast\[robots\]"'):
        Robot.from_urdf(two_link_arm())
