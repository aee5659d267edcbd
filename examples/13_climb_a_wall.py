"""A quadruped climbs a wall of holds, one limb at a time, while the other three limbs hold it.

The robot is read from its URDF. A planner computes for each posture whether the hands hold the body, the margin and its
gradient. `ClimbPlanner` uses it for every limb and every hold within reach, moves the body to where the other limbs
hold it best, and swings the limb. One hold of the wall is brittle: a limb may touch it, but the climb must not depend
on it.

Run it: python examples/13_climb_a_wall.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting
from holdfast.robots import Hand, Robot
from holdfast.robots.climbing import ClimbPlan, ClimbPlanner, Hold
from holdfast.robots.planning import PosturePlanner

LIMBS = ("front_left", "front_right", "rear_left", "rear_right")

#: Palm frame on the wall, which faces -x: z off the wall into the body, x up.
FACING = hf.frame_from_normal((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def hook(n: int = 300, seed: int = 0) -> hf.Grip:
    """The wrenches of a hand on a good hold [N, N m]: an ellipsoid, strong upwards and weaker off the wall."""
    points = np.random.default_rng(seed).normal(size=(n, 6))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return hf.Grip(points * [600.0, 400.0, 550.0, 50.0, 50.0, 40.0] + [150.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def wall(seed: int = 1) -> list[Hold]:
    """Two columns of holds, with rows about 0.3 m apart and random offsets."""
    rng = np.random.default_rng(seed)
    holds = []
    for row in range(8):
        for side, y in (("L", 0.45), ("R", -0.45)):
            place = np.array([0.0, y, 0.3 * row - 0.6]) + np.concatenate([[0.0], rng.uniform(-0.04, 0.04, size=2)])
            brittle = hook().scaled(0.05) if (side, row) == ("L", 5) else None
            holds.append(Hold(f"{side}{row}", hf.Pose(FACING, place), brittle))
    return holds


def climb(rise: float = 0.5) -> tuple[ClimbPlanner, ClimbPlan]:
    """The climber goes up by `rise` [m] with every hand."""
    robot = Robot.from_urdf("@climber_without_fingers")
    hands = [Hand(f"{limb}_palm", (), hook(), name=limb) for limb in LIMBS]
    climber = ClimbPlanner(PosturePlanner(robot, hands), wall(), wanted=0.15, longest=0.7)
    turn = np.column_stack([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # the torso looks up the wall
    angles = {f"{limb}_{joint}": angle for limb in LIMBS for joint, angle in ((2, -0.5), (4, 1.0))}
    start = robot.configuration(angles, base=hf.Pose(turn, [-0.4, 0.0, 0.0]))
    stance = climber.stance(start, {"front_left": "L3", "front_right": "R3", "rear_left": "L0", "rear_right": "R0"})
    assert stance is not None, "the first holds are out of reach"
    return climber, climber.climb(stance, rise)


def main(folder: Path) -> None:
    climber, found = climb()
    for number, move in enumerate(found.moves, start=1):
        leant = ", the body leans first" if move.swing > 1 else ""
        print(f"{number}. {move.hand}: {move.start} -> {move.end}, least margin {move.least:.0%}{leant}")
    com = climber.planner.robot.com(found.stance.q)
    print("arrived" if found.finished else "stuck", f"with the centre of mass at {com.round(2)} m")
    answer = climber.holding(found.stance.on).equilibrium(found.stance.q)
    print(answer, "proof verified" if answer.verify() else "proof fails")

    holds = np.array([hold.pose.translation for hold in wall()])
    (_, y, bottom), (_, _, top) = holds.min(axis=0) - 0.15, holds.max(axis=0) + 0.15
    rock = np.array([[0.0, y, bottom], [0.0, -y, bottom], [0.0, -y, top], [0.0, y, top]])
    square = np.array([[0.0, -1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 1.0, 1.0], [0.0, -1.0, 1.0]])
    marks = [square * 0.05 + place for place in holds]
    sheets = [(rock, "#b9b2a5", 0.35), *((mark, "#7a5c3e", 0.9) for mark in marks)]
    title = f"At the end of {len(found.moves)} moves"
    ax = hf.robots.plots.robot(
        climber.planner.robot, found.stance.q, grippers=("palm",), sheets=sheets, around=rock, title=title
    )
    plotting.save(ax, folder / "13_climb_a_wall.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
