"""A climber on four learned hands: the posture and the grip of the paper's Figs. 15 and 16 (V.E)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...assembly.loads import STANDARD_GRAVITY, gravity_wrench
from ...checks import Array
from ...geometry.frames import Pose, frame_from_normal
from ...grips import GripBounds
from ..devices import four_finger_hand

Progress = Callable[[int, int], None]

#: Samples by which the hand is learned unless told otherwise.
SAMPLES = 400

#: The body: mass [kg] and centre of mass [m] in the world, off a wall that goes through the origin.
MASS = 60.0
COM = (-0.35, 0.02, 0.45)

#: Palms on the wall: how far up it, and to the left [m]; what its surface leans beside the wall's own [rad].
PALMS = ((1.0, 0.35), (0.85, -0.3), (0.05, 0.3), (0.0, -0.35))
LEANS = ((0.10, 0.08), (-0.06, -0.12), (0.05, -0.05), (-0.10, 0.10))

#: The terrain leans back by this from the vertical [rad]: it is near-vertical, as the paper's.
LEAN = np.radians(5.0)


@dataclass(frozen=True, eq=False)
class Climber:
    """A body with four hands on a near-vertical wall.

    Attributes:
        poses: of the palms; z off the wall, into the body, x up the wall.
        mass: [kg].
        com: (3,) [m].
        gravity: (3,) [m/s^2].
    """

    poses: tuple[Pose, ...]
    mass: float
    com: Array
    gravity: Array

    @property
    def wrench(self) -> Array:
        """(6,) the weight about the world origin (16)."""
        return gravity_wrench(self.mass, self.gravity, self.com)


def climber() -> Climber:
    """The posture of this study: a quadruped on an uneven, near-vertical wall through the origin.

    The wall leans back by 5 degrees, and under each palm it is turned a little more. The paper gives no numbers of its
    posture; those here are ours.
    """
    up = np.array([np.sin(LEAN), 0.0, np.cos(LEAN)])
    off = np.array([-np.cos(LEAN), 0.0, np.sin(LEAN)])
    poses = []
    for (rise, left), (nod, roll) in zip(PALMS, LEANS, strict=True):
        normal = off + np.tan(nod) * up + np.tan(roll) * np.array([0.0, 1.0, 0.0])
        poses.append(Pose(frame_from_normal(normal, up), rise * up + np.array([0.0, left, 0.0])))
    return Climber(tuple(poses), MASS, np.array(COM), np.array([0.0, 0.0, -STANDARD_GRAVITY]))


def study_grip(n: int = SAMPLES, seed: int = 0, *, progress: Progress | None = None) -> GripBounds:
    """The opposed four-finger hand of the paper, learned: what rock gives to the body through it.

    Its links have no weight here, so that one grip serves every palm.

    Args:
        n: samples.
        seed: of their directions.
        progress: called as progress(done, total).
    """
    from ...grips import learn_grip

    hand = four_finger_hand("opposed").assembly(np.zeros(3))
    return learn_grip(hand, n, seed, acting="reaction", progress=progress)
