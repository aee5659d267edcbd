"""Where units touch and which forces they give: on what is touched, and the opposite ones on the robot."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import ForceVolume, Pose, frame_from_normal, models
from holdfast.assembly.contacts import Patch
from holdfast.errors import InputError, UnknownNameError
from holdfast.robots import ContactSite, Robot, contacts
from holdfast.robots.bodies import mirrored_sideways
from tests.robots.sample_robots import SOLE, crouching, legged, point_feet, random_posture, two_link_arm

LOPSIDED = ForceVolume([[[0, 0, 0], [10, 4, 1], [10, -1, 1], [5, 0, 9], [0, 2, 3]]])


def test_units_move_with_their_links_and_share_their_volumes():
    robot = Robot.from_urdf(legged())
    unit = Patch.rectangle(Pose.identity(), (0.02, 0.04), models.coulomb(0.5))
    q = random_posture(robot, np.random.default_rng(0))
    touches = [ContactSite("foot1", unit, SOLE), ContactSite("shin3", models.coulomb(0.5), SOLE, "shin pad")]
    found = contacts(robot, q, touches)
    assert [c.name for c in found.contacts] == ["foot1[0]", "foot1[1]", "foot1[2]", "foot1[3]", "shin pad"]
    assert found.touch_of.tolist() == [0, 0, 0, 0, 1]
    foot = robot.frame_pose(q, "foot1")
    corners = [(-0.01, 0.02, 0), (0.01, 0.02, 0), (0.01, -0.02, 0), (-0.01, -0.02, 0)]
    assert_allclose([c.position for c in found.contacts[:4]], foot.apply(corners), atol=1e-12)
    assert_allclose(found.frames[0].rotation[:, 2], -foot.rotation[:, 2], atol=1e-12)
    assert len({id(c.volume) for c in found.contacts[:4]}) == 1
    for index, name in enumerate(["foot1"] * 4 + ["shin3"]):
        expected = robot.point_jacobian(q, name, found.contacts[index].position)
        assert_allclose(found.jacobians[index], expected, atol=1e-12)
    assert_allclose(found.joint_jacobian[:, 3:6], found.jacobians[1, :, 6:].T, atol=0)


def test_forces_on_the_robot_are_minus_the_forces_on_what_is_touched():
    robot = Robot.from_urdf(legged(legs=1))
    q = random_posture(robot, np.random.default_rng(1))
    found = contacts(robot, q, [ContactSite("foot0", LOPSIDED, SOLE)])
    (given,), (felt,) = found.contacts, found.on_robot
    there = given.volume.polytopes[0].vertices @ given.rotation.T
    here = felt.volume.polytopes[0].vertices @ felt.rotation.T
    assert_allclose(np.sort(here, axis=0), np.sort(-there, axis=0), atol=1e-12)
    assert_allclose(felt.rotation[:, 2], -given.rotation[:, 2], atol=1e-12)
    assert np.linalg.det(felt.rotation) > 0.0


def test_symmetric_volumes_are_their_own_mirror_image():
    volume = models.pyramid(0.5, cap=10.0)
    assert mirrored_sideways(volume) is volume
    assert mirrored_sideways(LOPSIDED) is not LOPSIDED
    twice = mirrored_sideways(mirrored_sideways(LOPSIDED))
    assert_allclose(twice.polytopes[0].vertices, LOPSIDED.polytopes[0].vertices, atol=0)


def test_a_pad_of_points_can_touch():
    robot = Robot.from_urdf(legged(legs=1))
    pad = models.soft_finger(0.5, 0.005, points=6)
    found = contacts(robot, crouching(robot), [ContactSite("foot0", pad, SOLE)])
    assert len(found) == len(pad.points) == 6


def test_bad_touches_are_refused():
    arm = Robot.from_urdf(two_link_arm(), base="fixed")
    volume = models.coulomb(0.5)
    with pytest.raises(InputError, match="'base', the fixed base: no joint feels it"):
        contacts(arm, arm.neutral(), [ContactSite("tip", volume), ContactSite("base", volume)])
    with pytest.raises(UnknownNameError, match="did you mean 'tip'"):
        contacts(arm, arm.neutral(), [ContactSite("tipp", volume)])
    with pytest.raises(InputError, match="touches: is empty"):
        contacts(arm, arm.neutral(), [])
    with pytest.raises(InputError, match="limits are"):
        contacts(arm, [0.0, 4.0], [ContactSite("tip", volume)])
    with pytest.raises(InputError, match="unit: is a str"):
        ContactSite("tip", "rubber")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="touches.0.: is a ForceVolume"):
        contacts(arm, arm.neutral(), [volume])  # pyright: ignore[reportArgumentType]


def test_the_root_of_a_floating_robot_may_touch():
    robot = Robot.from_urdf(legged())
    belly = ContactSite("body", models.coulomb(0.5), Pose(frame_from_normal((0, 0, -1)), np.zeros(3)))
    found = contacts(robot, crouching(robot), [belly, *point_feet()])
    assert_allclose(found.joint_jacobian[:, :3], 0.0)


def test_a_ball_faces_the_terrain_however_its_link_turns():
    robot = Robot.from_urdf(legged(legs=1))
    q = random_posture(robot, np.random.default_rng(3))
    turn = frame_from_normal((0.1, 0.2, -1.0))
    (ball,) = contacts(robot, q, [ContactSite("foot0", models.coulomb(0.5), facing=turn)]).contacts
    assert_allclose(ball.rotation, turn, atol=1e-12)
    assert_allclose(ball.position, robot.frame_pose(q, "foot0").translation, atol=1e-12)
