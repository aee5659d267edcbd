"""The flat problem of a standing robot and of a hand: joint torques by cutting the limb, verdicts by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import Joint, PlanarFinger, Pose, joint_rows, models, rotation_about
from holdfast.assembly.loads import gravity_wrench
from holdfast.errors import InputError, UnknownNameError
from holdfast.robots import ContactSite, Robot, whole_body
from holdfast.solvers import Status
from tests.robots.sample_robots import (
    SOLE,
    crouching,
    joint,
    legged,
    link,
    planar_finger,
    point_feet,
    random_posture,
    two_link_arm,
    urdf,
)

DOWN = np.array([0.0, 0.0, -9.81])


def knee_torque(robot: Robot, q: np.ndarray, leg: int, point: np.ndarray, force: np.ndarray) -> float:
    """Torque of the knee on the shin: what the shin's weight and a force on it at `point` leave about the axis."""
    shin = robot.frame_pose(q, f"shin{leg}")
    knee, axis = shin.translation, shin.rotation[:, 1]
    weight = np.cross(shin.apply((0, 0, -0.12)) - knee, 0.5 * DOWN)
    return float(-axis @ (np.cross(point - knee, force) + weight))


def test_torques_of_a_standing_robot_are_what_is_left_when_the_shin_is_cut_off():
    robot, rng = Robot.from_urdf(legged()), np.random.default_rng(0)
    q = random_posture(robot, rng, 0.5)
    body = whole_body(robot, q, point_feet(), DOWN)
    forces = rng.normal(size=(4, 3))
    torques = body.joint_torques(forces)
    for leg in range(4):
        point = robot.frame_pose(q, f"foot{leg}").translation
        expected = knee_torque(robot, q, leg, point, forces[leg])
        assert_allclose(torques[robot.joint_index(f"knee{leg}")], expected, atol=1e-12)


def test_torques_of_a_hand_are_what_is_left_when_the_last_phalanx_is_cut_off():
    robot = Robot.from_urdf(legged(legs=1), base="fixed")
    q = robot.configuration({"roll0": 0.3, "hip0": -0.4, "knee0": 0.9})
    body = whole_body(robot, q, point_feet(1), DOWN)
    force = np.array([1.0, -2.0, 3.0])  # on the object; the shin feels its opposite
    point = robot.frame_pose(q, "foot0").translation
    expected = knee_torque(robot, q, 0, point, -force)
    assert_allclose(body.joint_torques(force[None])[robot.joint_index("knee0")], expected, atol=1e-12)


def test_virtual_work_vanishes_for_every_velocity_where_forces_balance():
    robot, rng = Robot.from_urdf(legged()), np.random.default_rng(5)
    q = random_posture(robot, rng, 0.5)
    body = whole_body(robot, q, point_feet(), DOWN)
    w = body.assembly.wrench_matrix
    forces = (np.linalg.pinv(w) @ -body.load + (np.eye(12) - np.linalg.pinv(w) @ w) @ rng.normal(size=12)).reshape(4, 3)
    assert_allclose(w @ forces.ravel() + body.load, 0.0, atol=1e-9)
    gravity, torques = robot.generalised_gravity(q, DOWN), body.joint_torques(forces)
    for velocity in rng.normal(size=(5, robot.v_size)):
        moved = np.einsum("kiv,v->ki", body.touching.jacobians, velocity)
        work = torques @ velocity[6:] + (forces * moved).sum() - gravity @ velocity
        assert abs(work) < 1e-9


def test_rows_of_a_fixed_finger_are_those_of_the_planar_finger():
    lengths, masses, angles = (0.045, 0.04, 0.03), (0.04, 0.03, 0.02), (0.3, 0.5, 0.2)
    at = Pose(rotation_about((1, 2, 3), 0.7), np.array([0.1, -0.2, 0.3]))
    robot = Robot.from_urdf(planar_finger(lengths, masses), base="fixed", at=at)
    finger = PlanarFinger(at, np.array(lengths), np.array(angles), np.array(masses))
    turn = np.column_stack([(-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)])
    touches = [
        ContactSite(f"phalanx{i}", models.coulomb(0.5), Pose(turn, np.array([lengths[i] / 2, 0, -0.015])))
        for i in range(3)
    ]
    body = whole_body(robot, robot.configuration(angles), touches, DOWN)
    assert body.held == "object"
    poses = [finger.contact_pose(i, offset=0.015) for i in range(3)]
    for contact, pose in zip(body.assembly.contacts, poses, strict=True):
        assert_allclose(contact.position, pose.translation, atol=1e-12)
        assert_allclose(contact.rotation, pose.rotation, atol=1e-12)
    jacobian = finger.rows_jacobian(range(3), [pose.translation for pose in poses])
    expected = joint_rows([Joint.passive(friction=0.01)] * 3, angles, jacobian, finger.gravity_torque(DOWN))
    found = body.joint_rows
    assert_allclose(found.jacobian, expected.jacobian, atol=1e-12)
    assert_allclose(found.lower, expected.lower, atol=1e-12)
    assert_allclose(found.upper, expected.upper, atol=1e-12)
    assert found.names == ("hinge0", "hinge1", "hinge2")


def test_springs_of_joints_shift_rows_and_torques():
    robot = Robot.from_urdf(legged(legs=1), base="fixed")
    spring = Joint("", -1.0, 1.0, stiffness=2.0, rest=0.5)
    q = robot.configuration({"knee0": 0.9})
    plain = whole_body(robot, q, point_feet(1), DOWN)
    sprung = whole_body(robot.with_joints({"knee0": spring}), q, point_feet(1), DOWN)
    row, force = robot.joint_index("knee0"), np.array([[1.0, 2.0, 3.0]])
    gives = -2.0 * (0.9 - 0.5)
    assert_allclose(sprung.joint_torques(force)[row], plain.joint_torques(force)[row] - gives, atol=1e-12)
    assert_allclose(sprung.joint_rows.upper[row], 1.0 + gives - plain.gravity_torques[row], atol=1e-12)


def test_a_table_stands_while_its_weight_is_over_its_feet_and_its_joints_bear_it():
    robot = Robot.from_urdf(legged(effort=100.0))
    q = crouching(robot)
    body = whole_body(robot, q, point_feet(), DOWN)
    assert_allclose(body.load, gravity_wrench(robot.mass, DOWN, robot.com(q)), atol=1e-12)
    answer = body.equilibrium()
    assert answer.holds
    assert answer.verify()
    assert_allclose(answer.forces.sum(axis=0), [0, 0, robot.mass * 9.81], atol=1e-6)
    assert (np.abs(body.joint_torques(answer.forces)) <= 100.0 + robot.friction + 1e-6).all()
    tipped = whole_body(robot, q, point_feet(), DOWN, load=(0, 0, 0, 0, 60.0, 0))
    assert tipped.equilibrium().status is Status.DOES_NOT_HOLD
    # two knees of a leg pair: the weight half on each side asks 3.8 N m of each knee
    weak = Robot.from_urdf(legged(effort=3.0))
    refused = whole_body(weak, q, point_feet(), DOWN).equilibrium()
    assert refused.status is Status.DOES_NOT_HOLD
    assert refused.verify()


def test_an_arm_in_the_air_that_cannot_bear_its_own_weight_does_not_hold():
    parts = [
        link("body", 1.0),
        link("leg", 0.1),
        link("arm", 2.0, (0.5, 0, 0)),
        joint("hip", "body", "leg", effort=100.0),
    ]

    def stands(effort: float) -> Status:
        robot = Robot.from_urdf(urdf(*parts, joint("shoulder", "body", "arm", effort=effort)))
        touches = [
            ContactSite("leg", models.coulomb(1.0), Pose(SOLE.rotation, np.array([x, y, -0.1])))
            for x in (-1.0, 1.0)
            for y in (-1.0, 1.0)
        ]
        return whole_body(robot, robot.neutral(), touches, DOWN).equilibrium().status

    assert stands(2.0 * 9.81 * 0.5 * 1.001) is Status.HOLDS
    assert stands(2.0 * 9.81 * 0.5 * 0.999) is Status.DOES_NOT_HOLD


def test_the_held_side_must_suit_the_base():
    standing, arm = Robot.from_urdf(legged()), Robot.from_urdf(two_link_arm(), base="fixed")
    with pytest.raises(InputError, match="'object' is for a fixed base"):
        whole_body(standing, crouching(standing), point_feet(), held="object")
    with pytest.raises(InputError, match="'robot' is for a floating base"):
        whole_body(arm, arm.neutral(), [ContactSite("tip", models.coulomb(0.5))], held="robot")
    with pytest.raises(UnknownNameError, match="did you mean 'robot'"):
        whole_body(standing, crouching(standing), point_feet(), held="robots")  # pyright: ignore[reportArgumentType]
