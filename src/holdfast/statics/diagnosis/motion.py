"""How an object gives way: the motion behind the multipliers of a proof, and its words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...assembly.assembly import Assembly
from ...checks import Array
from ...solvers import ContactProblem

#: A turn whose axis is further away than this many lengths of the assembly is no turn but a move.
FARTHEST_AXIS = 100.0

#: A move along the axis of less than this share of the assembly's length for each radian is left out.
SMALLEST_PITCH = 0.01

#: Directions within about one degree of an axis of the world are called by its name.
ALONG_AXIS = 0.9998


@dataclass(frozen=True, eq=False)
class Motion:
    """A velocity of the object in which a load does work against contacts and joints; its size is arbitrary.

    Attributes:
        velocity: (3,) of the object's point at the world origin [m/s].
        angular: (3,) angular velocity [rad/s].
        centre: (3,) centre of the contacts [m].
        length: characteristic length of the assembly [m].
    """

    velocity: Array
    angular: Array
    centre: Array
    length: float

    @staticmethod
    def from_multipliers(assembly: Assembly, problem: ContactProblem, multipliers: Array) -> Motion:
        """The motion -y of multipliers y (m,) over the scaled rows, in which the load does positive work."""
        centre = assembly.positions.mean(axis=0)
        y = -multipliers[:6] * problem.row_scale[:6]
        return Motion(y[:3] + np.cross(centre, y[3:]), y[3:], centre, assembly.length)

    def work(self, wrench: Array) -> float:
        """What an external wrench (6,), torque about the world origin, does in this motion [W]."""
        return float(self.velocity @ wrench[:3] + self.angular @ wrench[3:])

    @property
    def words(self) -> str:
        """What the object does, after the words "the object": "moves along -z", "turns about +y through ...".

        The point is the one of the axis nearest to the centre of the contacts [m].
        """
        at_centre = self.velocity + np.cross(self.angular, self.centre)
        turn = float(np.linalg.norm(self.angular))
        speed = float(np.linalg.norm(at_centre))
        if turn == 0.0 and speed == 0.0:
            return "does not move"
        arm = np.cross(self.angular, at_centre) / turn**2 if turn > 0.0 else np.zeros(3)
        far = turn * self.length * FARTHEST_AXIS < speed or np.linalg.norm(arm) > FARTHEST_AXIS * self.length
        if far:
            return f"moves along {direction_words(at_centre)}"
        pitch = float(self.angular @ at_centre) / turn**2
        point = ", ".join(_metres(x, self.length) for x in self.centre + arm)
        words = f"turns about {direction_words(self.angular)} through ({point}) m"
        if abs(pitch) <= SMALLEST_PITCH * self.length:
            return words
        return f"{words} and moves along {direction_words(pitch * self.angular)}"


def direction_words(vector: Array) -> str:
    """The direction of a vector (3,) in the world: "+x" to "-z" near an axis, else its unit vector."""
    unit = vector / np.linalg.norm(vector)
    axis = int(np.abs(unit).argmax())
    if abs(unit[axis]) >= ALONG_AXIS:
        return f"{'+' if unit[axis] > 0.0 else '-'}{'xyz'[axis]}"
    return f"({', '.join(f'{x + 0.0:.2f}' for x in np.round(unit, 2))})"


def _metres(value: float, length: float) -> str:
    """A coordinate [m], rounded to a hundredth of the size of the assembly."""
    digits = max(0, 2 - int(np.floor(np.log10(length))))
    return f"{round(value, digits) + 0.0:g}"
