"""Batches of a planner on a device: kinematics as Pinocchio's, verdicts as the planner's."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import holdfast as hf
from holdfast.errors import InputError

pytest.importorskip("warp", reason="warp-lang is not installed")
pytest.importorskip("pinocchio", reason="Pinocchio is not installed")

from holdfast.robots import Hand, Robot
from holdfast.robots.planning import PosturePlanner

LIMBS = ("front_left", "front_right", "rear_left", "rear_right")

FINGER = """<robot name="finger">
  <link name="base"><inertial><mass value="2"/><origin xyz="0.1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="slide"><inertial><mass value="1"/><origin xyz="0 0.1 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><mass value="0.5"/><origin xyz="0 0 0.2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="a" type="prismatic"><parent link="base"/><child link="slide"/><origin xyz="0 0 0.3" rpy="0.3 0.2 0.1"/>
    <axis xyz="0.6 0 0.8"/><limit lower="-1" upper="1" effort="50" velocity="1"/></joint>
  <joint name="b" type="revolute"><parent link="slide"/><child link="tip"/><origin xyz="0.1 0 0.2" rpy="0 0.5 0"/>
    <axis xyz="0 0.6 0.8"/><limit lower="-3" upper="3" effort="50" velocity="1"/><mimic joint="a" multiplier="-1.5" offset="0.2"/></joint>
</robot>"""


def grip(n: int = 60) -> hf.Grip:
    points = np.random.default_rng(0).normal(size=(n, 6))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return hf.Grip(points * [420.0, 270.0, 360.0, 36.0, 36.0, 30.0] + [110.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def postures_of(robot: Robot, count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([robot.moved(robot.neutral(), 0.8 * rng.normal(size=robot.v_size)) for _ in range(count)])


def test_palms_and_weights_are_those_of_pinocchio():
    climber = Robot.from_urdf("@climber_without_fingers")
    coupled = Robot.from_urdf(FINGER)
    facing = hf.frame_from_normal((0, 0.6, 0.8))
    for robot, links in ((climber, [f"{limb}_palm" for limb in LIMBS]), (coupled, ["tip", "base", "slide"])):
        hands = [
            Hand(link, (), grip(), name=link, facing=facing if link in ("slide", links[0]) else None) for link in links
        ]
        planner = PosturePlanner(robot, hands, gravity=(1.0, -2.0, -9.0), limb_limits=False)
        postures = postures_of(robot, 20, 4)
        stands = planner.to("cpu").stands(postures)
        for row, q in enumerate(postures):
            stand = planner.stand(q)
            assert_allclose(stands.poses.numpy()[row, :, :3, :3], stand.rotations, atol=1e-12)
            assert_allclose(stands.poses.numpy()[row, :, :3, 3], stand.com + stand.arms, atol=1e-11)
            weight = robot.mass * planner.gravity
            assert_allclose(stands.loads.numpy()[row], [*weight, *np.cross(stand.com, weight)], atol=1e-9)


def test_verdicts_limits_and_margins_are_those_of_the_planner():
    robot = Robot.from_urdf("@climber_without_fingers")
    hands = [Hand(f"{limb}_palm", (), grip(), name=limb) for limb in LIMBS]
    planner = PosturePlanner(robot, hands, limb_limits=False)
    postures = postures_of(robot, 120, 5)
    postures[:, :7] = robot.neutral()[:7]
    postures[:40, robot.q_base + 1] = robot.upper[1] + 0.1  # beyond its limit
    device = planner.to("cpu")
    found = device.feasible(postures)
    assert (found == planner.feasible_many(postures)).all()
    assert (pickle.loads(pickle.dumps(device)).feasible(postures) == found).all()
    assert 5 < found.sum() < 115
    answers, stands = device.many(postures, undecided="leave")
    assert answers.verify()
    assert 0 < (stands.within.numpy() == 0).sum() < 120
    way = [0, 0, -robot.mass * 9.80665, 0, 0, 0]
    margins = device.margins(postures[found][:5], way)
    assert margins.by_pose.shape == (5, 4, 6)
    assert (margins.status.numpy() == 1).all()
    assert "DevicePlanner(" in repr(device)


def test_torque_limits_of_limbs_are_refused():
    robot = Robot.from_urdf("@climber_without_fingers")
    hands = [Hand(f"{limb}_palm", (), grip(), name=limb) for limb in LIMBS]
    with pytest.raises(InputError, match="limb_limits=False"):
        PosturePlanner(robot, hands).to("cpu")
    planner = PosturePlanner(robot, hands, limb_limits=False).to("cpu")
    with pytest.raises(InputError, match="postures"):
        planner.stands(np.zeros((3, 5)))
