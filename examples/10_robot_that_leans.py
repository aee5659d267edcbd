"""My robot is a URDF: how far can it lean, and what fails first: a foot or a motor?

A quadruped climber stands on four point feet with the joint limits of its URDF. All joint torques and the friction of
all feet are taken into account. The result names the joint or foot that limits the lean, and how much a stronger one
would add.

Run it: python examples/10_robot_that_leans.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting
from holdfast.robots import ContactSite, Hand, Robot, reach, whole_body

LIMBS = ("front_left", "front_right", "rear_left", "rear_right")


def main(folder: Path) -> None:
    robot = Robot.from_urdf("@climber_without_fingers")
    bent = {f"{limb}_{joint}": angle for limb in LIMBS for joint, angle in ((2, 0.3), (4, -1.6))}
    level = hf.frame_from_normal((0, 0, 1), (1, 0, 0))
    stand = {
        limb: hf.Pose(level, [0.4 if "front" in limb else -0.4, 0.5 if "left" in limb else -0.5, -0.5])
        for limb in LIMBS
    }
    hands = [Hand(f"{limb}_palm", (), hf.coulomb_grip(0.6), name=limb) for limb in LIMBS]
    q = reach(robot, robot.configuration(bent, base=hf.Pose.identity()), hands, stand).q  # every foot at its place
    down = np.diag([1.0, -1.0, -1.0])  # contact frames: n points down, out of the foot into the ground
    feet = [ContactSite(f"{limb}_palm", hf.models.coulomb(0.6), facing=down) for limb in LIMBS]
    body = whole_body(robot, q, feet, gravity=(0.0, 0.0, -9.81))
    answer = body.equilibrium()
    print(f"{robot}: {answer.status}; proof verified: {answer.verify()}")
    calm = body.torques("most margin")
    print(f"standing still, every joint keeps {calm.value:.0%} of its range")
    for words, way in {"forwards": (1, 0, 0), "backwards": (-1, 0, 0), "sideways": (0, 1, 0)}.items():
        lean = body.lean(way)
        print(f"{words}: {1000.0 * lean.reach:.0f} mm, then", "; ".join(str(item) for item in lean.limiting[:1]))

    com, ground = robot.com(q), min(robot.frame_pose(q, f"{limb}_palm").translation[2] for limb in LIMBS)
    ways = [(np.cos(angle), np.sin(angle), 0.0) for angle in np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)]
    reached = np.array([com + body.lean(way).reach * np.array(way) for way in ways])
    reached[:, 2] = ground  # where the centre of mass may be, seen from above
    title = "Green: where the centre of mass may be"
    ax = hf.robots.plots.robot(
        robot, q, grippers=("palm",), sheets=[(reached, "#2a9d5c", 0.7)], around=reached, title=title
    )
    plotting.save(ax, folder / "10_robot_that_leans.png", dpi=90)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
