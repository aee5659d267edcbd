"""Which stances of a climber hold? Random postures, a million of them on a GPU, each verdict with its proof.

Joint angles are drawn at random within their limits. Forward kinematics, the verdicts and their proofs are computed on
one device for all postures at once. The picture shows where the centre of mass lies relative to the palms, and which
share of the stances there is held. Without a GPU the same kernels test fewer postures on the CPU.

Run it: python examples/18_a_million_stances.py [FOLDER] [COUNT] [DEVICE], for example . 1000000 cuda
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting
from holdfast.plotting import style
from holdfast.robots import Hand, Robot
from holdfast.robots.planning import PosturePlanner

LIMBS = ("front_left", "front_right", "rear_left", "rear_right")


def hook(n: int = 200, seed: int = 0) -> hf.Grip:
    """The wrenches of a hand on a hold [N, N m]: an ellipsoid, strongest along x of the palm."""
    points = np.random.default_rng(seed).normal(size=(n, 6))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return hf.Grip(points * [420.0, 270.0, 360.0, 36.0, 36.0, 30.0] + [110.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def main(folder: Path, count: int = 20_000, device: str = "cpu") -> None:
    robot = Robot.from_urdf("@climber_without_fingers")
    hands = [Hand(f"{limb}_palm", (), hook(), name=limb) for limb in LIMBS]
    climber = PosturePlanner(robot, hands, limb_limits=False).to(device)
    rng = np.random.default_rng(1)
    turn = np.column_stack([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # the torso looks up the wall
    postures = np.tile(robot.configuration({}, base=hf.Pose(turn, [-0.4, 0.0, 0.0])), (count, 1))
    lower, upper = np.maximum(robot.lower, -1.2), np.minimum(robot.upper, 1.2)
    postures[:, robot.q_base :] = rng.uniform(lower, upper, size=(count, len(lower)))

    answers, stands = climber.many(postures)
    held = answers.holds
    print(f"{held.mean():.0%} of the stances hold, {len(answers.referred)} of them decided by the CPU")
    some = climber.solver.many(stands.poses[:200], stands.loads[:200], undecided="leave")
    print(f"proofs of 200 of them verified on the host: {some.verify()}")

    loads, palms = stands.loads.numpy(), stands.poses.numpy()[..., :3, 3].mean(axis=1)
    sideways = loads[:, 3] / loads[:, 2] - palms[:, 1]  # t_x = y f_z: the centre of mass beside the palms' middle
    off = -loads[:, 4] / loads[:, 2] - palms[:, 0]  # t_y = -x f_z: its distance off the wall
    axes = style.axes(None, "plane")
    shares = axes.hexbin(sideways, off, C=held.astype(float), gridsize=24, mincnt=3, vmin=0.0, vmax=1.0)
    axes.get_figure().colorbar(shares, label="share of the stances that hold")
    axes.set(xlabel="centre of mass beside the middle of the palms [m]", ylabel="off the middle of the palms [m]")
    plotting.save(axes, folder / "18_a_million_stances.png")


if __name__ == "__main__":
    given = sys.argv[1:] or ["."]
    main(Path(given[0]), *map(int, given[1:2]), *given[2:3])
