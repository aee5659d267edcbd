"""The climber on a wall: where its palms hold, and the joint angles that bring them there (V.E).

World frame: z up, x into the wall, y to the climber's left. The wall is a plane through the origin, in which the palms'
origins lie. The climber faces it, its front up the wall: front limbs are its hands, rear limbs its feet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ... import checks
from ...assembly.loads import STANDARD_GRAVITY, gravity_wrench
from ...checks import Array
from ...errors import GeometryError
from ...geometry.frames import Pose, frame_from_normal
from .hand_grips import GripName, hand_grip
from .own_robots import LIMBS, robot_file

if TYPE_CHECKING:
    from ...robots.robot import Robot

#: Holds on the wall by limb: how far up it from the origin, and to the left [m].
HOLDS: Mapping[str, tuple[float, float]] = {
    "front_left": (0.62, 0.42),
    "front_right": (0.62, -0.42),
    "rear_left": (-0.62, 0.38),
    "rear_right": (-0.62, -0.38),
}

#: From the wall to the middle of the torso [m].
TORSO_DISTANCE = 0.32

#: Angles [rad] from which the limbs reach for their holds: elbows and knees out and off the wall. A right limb is a
#: left one turned about by half a turn, so that its palm is turned back by the seventh joint.
BENT: Mapping[str, tuple[float, ...]] = {
    "front_left": (-1.61, -0.44, 0.87, -1.56, 1.53, -0.74, -0.40),
    "front_right": (-1.44, 0.59, -1.00, 1.55, -1.43, 0.69, -2.69),
    "rear_left": (-1.44, 0.59, -1.00, 1.55, -1.43, 0.69, 0.45),
    "rear_right": (-1.61, -0.44, 0.87, -1.56, 1.53, -0.74, 2.74),
}


@dataclass(frozen=True)
class Wall:
    """A plane wall through the origin.

    Attributes:
        lean: [rad] from the vertical, away from the climber; below zero it overhangs.
    """

    lean: float

    def __post_init__(self) -> None:
        checks.number("lean", self.lean, low=-np.pi / 2.0, high=np.pi / 2.0, unit="rad")

    @property
    def up(self) -> Array:
        """(3,) unit vector up along the wall."""
        return np.array([np.sin(self.lean), 0.0, np.cos(self.lean)])

    @property
    def off(self) -> Array:
        """(3,) unit normal, off the wall into the open."""
        return np.array([-np.cos(self.lean), 0.0, np.sin(self.lean)])

    def pose(self, rise: float, left: float, away: float = 0.0) -> Pose:
        """A frame on the wall, x up along it, z off it: `rise` up the wall, `left` along it, `away` off it [m]."""
        place = rise * self.up + left * np.array([0.0, 1.0, 0.0]) + away * self.off
        return Pose(frame_from_normal(self.off, self.up), place)


@dataclass(frozen=True, eq=False)
class ClimbingPosture:
    """The climber with its palms on their holds.

    Attributes:
        robot: on a floating base.
        q: its posture.
        wall: the wall.
        palms: where the palm frames stand in the world, by limb.
        com: (3,) centre of mass of all links in the world [m].
    """

    robot: Robot
    q: Array
    wall: Wall
    palms: Mapping[str, Pose]
    com: Array

    @property
    def mass(self) -> float:
        """Of all links [kg]."""
        return self.robot.mass

    @property
    def wrench(self) -> Array:
        """(6,) the weight about the world origin (16)."""
        return gravity_wrench(self.mass, (0.0, 0.0, -STANDARD_GRAVITY), self.com)


@lru_cache(maxsize=2)
def climber_robot(fingers: bool = True) -> Robot:
    """Our climber, on a floating base; needs Pinocchio (the extra `robots`).

    Args:
        fingers: False for hands in one piece.
    """
    from ...robots.robot import Robot

    return Robot.from_urdf(robot_file("climber" if fingers else "climber_without_fingers"))


def climbing_posture(
    wall: Wall, hands: GripName = "opposing", feet: GripName = "opposing", *, fingers: bool = True
) -> ClimbingPosture:
    """The climber on its holds, hands and feet in their grips.

    Args:
        wall: the wall.
        hands: grip of the front limbs.
        feet: grip of the rear limbs.
        fingers: False for hands in one piece, which have no grips to show.
    """
    from ...robots.bodies import Hand
    from ...robots.kinematics import reach

    robot = climber_robot(fingers)
    grips: dict[str, GripName] = {limb: hands if limb.startswith("front") else feet for limb in LIMBS}
    angles = {f"{limb}_{i + 1}": angle for limb, bent in BENT.items() for i, angle in enumerate(bent)}
    if fingers:
        for limb, grip in grips.items():
            angles |= hand_grip(grip).angles(f"{limb}_")
    torso = wall.pose(0.0, 0.0, TORSO_DISTANCE)
    q = robot.configuration(angles, base=torso)
    palms = {limb: wall.pose(*HOLDS[limb]) for limb in LIMBS}
    seen = [Hand("torso", (), name="torso"), *(Hand(f"{limb}_palm", (), name=limb) for limb in LIMBS)]
    found = reach(robot, q, seen, {"torso": torso, **palms})
    if not found.found:
        raise GeometryError(
            f"the palms are {found.error:.2g} m from their holds", where="HOLDS", fix="holds nearer to the shoulders"
        )
    return ClimbingPosture(robot, found.q, wall, palms, robot.com(found.q))
