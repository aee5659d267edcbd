"""Feet stay where they are while the body moves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import Pose, rotation_about
from holdfast.errors import InputError
from holdfast.robots import Robot, holding_feet, standing
from tests.robots.sample_robots import crouching, legged

FEET = ("foot0", "foot1", "foot2", "foot3")


def test_feet_stand_still_while_the_base_follows_the_motion():
    robot = Robot.from_urdf(legged())
    q = crouching(robot, bend=0.7, height=0.4)
    path = holding_feet(robot, q, FEET, lambda s: Pose(rotation_about((1, 1, 0), 0.2 * s), np.array([0.1 * s, 0, 0])))
    assert_allclose(path(0.0), q, atol=1e-9)
    there = path(1.0)
    robot.checked(there)
    expected = robot.placements(q, FEET)[:, :3, 3]
    assert_allclose(robot.placements(there, FEET)[:, :3, 3], expected, atol=1e-9)
    moved = rotation_about((1, 1, 0), 0.2) @ [0, 0, 0.4] + [0.1, 0, 0]
    assert_allclose(robot.base_pose(there).translation, moved, atol=1e-12)


def test_feet_out_of_reach_give_no_posture():
    robot = Robot.from_urdf(legged())
    path = holding_feet(robot, crouching(robot), FEET, lambda s: Pose(np.eye(3), np.array([0.0, 0.0, s])))
    assert path(0.03) is not None
    assert path(0.2) is None


def test_a_fixed_robot_has_no_base_to_carry():
    robot = Robot.from_urdf(legged(), base="fixed")
    with pytest.raises(InputError, match="is fixed"):
        standing(robot, robot.neutral(), ["foot0"], [[0, 0, 0]], Pose.identity())
