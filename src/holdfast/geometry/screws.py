"""Screw motions: a rigid displacement along a constant twist, and small rigid motions in words."""

from __future__ import annotations

import numpy as np

from .. import tolerances
from ..checks import Array
from .frames import Pose, skew

#: A rotation whose axis is further away than this many characteristic lengths is described as a translation.
FARTHEST_AXIS = 100.0

#: A translation along the axis below this share of the characteristic length per radian is left out.
SMALLEST_PITCH = 0.01

#: Directions within about one degree of a world axis are named after it.
ALONG_AXIS = 0.9998


def displacement(twist: Array) -> Pose:
    """The displacement of a constant twist (6,) (m, rad; about the world origin): its exponential."""
    turn = twist[3:]
    angle = float(np.linalg.norm(turn))
    cross = skew(turn)
    if angle < tolerances.ORTHONORMAL:
        rotation, along = np.eye(3) + cross + 0.5 * cross @ cross, np.eye(3) + 0.5 * cross
    else:
        first, second = np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle**2
        rotation = np.eye(3) + first * cross + second * cross @ cross
        along = np.eye(3) + second * cross + (1.0 - first) / angle**2 * cross @ cross
    return Pose(rotation, along @ twist[:3])


def motion_description(velocity: Array, angular: Array, centre: Array, length: float) -> str:
    """A rigid motion in words, to follow "the object": "moves along -z", "turns about +y through (...) m".

    The point is the one of the axis nearest to `centre` [m].

    Args:
        velocity: (3,) of the body's point at the world origin [m/s]; accelerations likewise.
        angular: (3,) angular velocity [rad/s].
        centre: (3,) a point of the body, such as the centre of its contacts [m].
        length: characteristic length of the body [m].
    """
    at_centre = velocity + np.cross(angular, centre)
    turn, speed = float(np.linalg.norm(angular)), float(np.linalg.norm(at_centre))
    if turn == 0.0 and speed == 0.0:
        return "does not move"
    arm = np.cross(angular, at_centre) / turn**2 if turn > 0.0 else np.zeros(3)
    if turn * length * FARTHEST_AXIS < speed or np.linalg.norm(arm) > FARTHEST_AXIS * length:
        return f"moves along {direction_description(at_centre)}"
    pitch = float(angular @ at_centre) / turn**2
    digits = max(0, 2 - int(np.floor(np.log10(length))))  # a hundredth of the characteristic length
    point = ", ".join(f"{round(x, digits) + 0.0:g}" for x in centre + arm)
    text = f"turns about {direction_description(angular)} through ({point}) m"
    if abs(pitch) <= SMALLEST_PITCH * length:
        return text
    return f"{text} and moves along {direction_description(pitch * angular)}"


def direction_description(vector: Array) -> str:
    """The direction of a vector (3,) in the world: "+x" to "-z" near an axis, else its unit vector."""
    unit = vector / np.linalg.norm(vector)
    axis = int(np.abs(unit).argmax())
    if abs(unit[axis]) >= ALONG_AXIS:
        return f"{'+' if unit[axis] > 0.0 else '-'}{'xyz'[axis]}"
    return f"({', '.join(f'{x + 0.0:.2f}' for x in np.round(unit, 2))})"
