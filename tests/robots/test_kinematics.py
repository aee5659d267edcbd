"""Postures with palms at given places: found where they were made, within limits, and not where out of reach."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import holdfast as hf
from holdfast import Pose, rotation_about
from holdfast.errors import InputError, UnknownNameError
from holdfast.robots import Robot, holding_feet, standing
from holdfast.robots.kinematics import reach, turn_between
from tests.robots.climbing import climber, hands, holds, on_the_wall, rough_grip, start
from tests.robots.sample_robots import crouching, legged


@pytest.fixture(scope="module")
def robot():
    return climber()


@pytest.fixture(scope="module")
def own(robot):
    return hands(rough_grip())


def test_palms_come_to_where_another_posture_has_them(robot, own):
    q = on_the_wall(robot, rough_grip())
    rng = np.random.default_rng(0)
    for _ in range(5):
        other = robot.moved(q, 0.1 * rng.normal(size=robot.v_size))
        other[7:] = np.clip(other[7:], robot.lower, robot.upper)
        places = {hand.name: hand.pose(robot, other) for hand in own}
        found = reach(robot, q, own, places)
        assert found.found
        robot.checked(found.q)
        for hand in own:
            pose, aim = hand.pose(robot, found.q), places[hand.name]
            assert pose.translation == pytest.approx(aim.translation, abs=2e-6)
            assert pose.rotation == pytest.approx(aim.rotation, abs=2e-5)


def test_a_place_out_of_reach_is_not_found_and_says_by_how_much(robot, own):
    far = holds() | {"front_left": hf.Pose(holds()["front_left"].rotation, [0.0, 0.45, 4.0])}
    found = reach(robot, start(robot), own, far, most=60)
    assert not found.found
    assert found.error > 0.5


def test_the_nearest_posture_to_one_that_fits_is_itself(robot, own):
    q = on_the_wall(robot, rough_grip())
    found = reach(robot, q, own, {hand.name: hand.pose(robot, q) for hand in own})
    assert found.found
    assert found.q == pytest.approx(q)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, 3.0, np.pi - 1e-9, np.pi])
def test_the_turn_between_rotations_is_axis_times_angle(angle):
    first = hf.rotation_about((1.0, -2.0, 0.5), 0.8)
    axis = np.array([0.6, 0.0, 0.8])
    turn = turn_between(first, hf.rotation_about(axis, angle) @ first)
    assert np.abs(turn) == pytest.approx(np.abs(angle * axis), abs=1e-7)
    if 0.0 < angle < 3.1:
        assert turn == pytest.approx(angle * axis, abs=1e-7)


def test_wrong_names_are_reported(robot, own):
    with pytest.raises(UnknownNameError, match="did you mean 'rear_left'"):
        reach(robot, start(robot), own, {"rear_lef": hf.Pose.identity()})
    with pytest.raises(InputError, match="places"):
        reach(robot, start(robot), own, {})


# Feet stay where they are while the body moves.

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
