"""A climber on a wall for the tests of planners: robot, hands with rough grips, a posture on four holds."""

from __future__ import annotations

import numpy as np

import holdfast as hf
from holdfast.robots import Hand, Robot
from holdfast.robots.kinematics import reach

LIMBS = ("front_left", "front_right", "rear_left", "rear_right")

#: Palm frame on a wall that faces -x: z off the wall, x up.
WALL = hf.frame_from_normal((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def rough_grip(n: int = 200, seed: int = 3, scale: float = 1.0) -> hf.Grip:
    """Wrenches on an ellipsoid round a pull into the wall and up: nothing about it is symmetric or parallel."""
    points = np.random.default_rng(seed).normal(size=(n, 6))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return hf.Grip(scale * (points * [500.0, 400.0, 600.0, 40.0, 40.0, 30.0] + [150.0, 0.0, 50.0, 0.0, 0.0, 0.0]))


def climber() -> Robot:
    return Robot.from_urdf("@climber_without_fingers")


def hands(grip: hf.Grip) -> list[Hand]:
    return [Hand(f"{limb}_palm", (), grip, name=limb) for limb in LIMBS]


def holds(spread: float = 0.45, height: float = 0.5) -> dict[str, hf.Pose]:
    """Four places on the wall."""
    signs = {"front_left": (1, 1), "front_right": (-1, 1), "rear_left": (1, -1), "rear_right": (-1, -1)}
    return {limb: hf.Pose(WALL, [0.0, spread * y, height * z]) for limb, (y, z) in signs.items()}


def start(robot: Robot) -> np.ndarray:
    """A posture off the wall from which the holds are reached: torso upright, its back to us."""
    turn = np.column_stack([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    angles = {f"{limb}_{joint}": angle for limb in LIMBS for joint, angle in ((2, -0.5), (4, 1.0))}
    return robot.configuration(angles, base=hf.Pose(turn, [-0.4, 0.0, 0.0]))


def on_the_wall(robot: Robot, grip: hf.Grip) -> np.ndarray:
    found = reach(robot, start(robot), hands(grip), holds())
    assert found.found
    return found.q
