"""The whole body in one exact problem: every unit that touches, every joint a row (III.B, III.C).

Two questions, two signs. Forces of the assembly always act on what is HELD.

held="robot": the robot stands or climbs; its body is the object, the terrain gives the forces f_i to it. By virtual
work G(q) = S^T tau + sum_i J_i^T f_i: the six rows of the base are the balance (3) with the robot's weight, and

    tau = G(q) - sum_i J_i^T f_i.

held="object": the base is fixed, the robot holds an object and feels -f_i:

    tau = G(q) + sum_i J_i^T f_i.                                                                 (4)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly import JointRows, joint_rows
from ..assembly.assembly import Assembly
from ..assembly.loads import STANDARD_GRAVITY, gravity_wrench
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..statics.equilibrium import Equilibrium, LoadLimit, Method, equilibrium, load_limit
from .robot import Robot
from .touching import Touch, Touching, contacts

if TYPE_CHECKING:
    from .leaning import Leaning
    from .torques import HoldingTorques

#: What the contacts hold: the robot itself, or an object in its hand.
Held = Literal["robot", "object"]

DOWN = (0.0, 0.0, -STANDARD_GRAVITY)


@dataclass(frozen=True, eq=False)
class WholeBody:
    """A robot in one posture, with all that touches and all joints, ready to be asked.

    Attributes:
        touching: robot, posture and contacts.
        gravity: (3,) [m/s^2] in the world.
        held: "robot" or "object".
        load: (6,) external wrench on what is held, about the world origin; it includes the robot's weight where the
            robot is held.
    """

    touching: Touching
    gravity: Array
    held: Held
    load: Array

    def __repr__(self) -> str:
        k, n = len(self.touching), len(self.robot.joints)
        return f"WholeBody({self.robot.name!r}, {self.held} held, {k} contacts, {n} joint rows)"

    @property
    def robot(self) -> Robot:
        """The robot."""
        return self.touching.robot

    @property
    def q(self) -> Array:
        """Its posture."""
        return self.touching.q

    @property
    def sign(self) -> float:
        """Of J^T f in the joint torques: -1 where forces act on the robot, 1 where they act on an object."""
        return -1.0 if self.held == "robot" else 1.0

    @cached_property
    def gravity_torques(self) -> Array:
        """(n,) G(q) of the joints [N m, N]."""
        return self.robot.gravity_torques(self.q, self.gravity)

    @cached_property
    def com(self) -> Array:
        """(3,) centre of mass of the robot in the world [m]."""
        return self.robot.com(self.q)

    @cached_property
    def joint_rows(self) -> JointRows | None:
        """The rows (5) of all joints on the forces on what is held; None without joints."""
        robot = self.robot
        if not robot.joints:
            return None
        blocks = self.sign * self.touching.joint_jacobian
        return joint_rows(robot.joints, self.q[robot.q_base :], blocks, self.gravity_torques)

    @cached_property
    def assembly(self) -> Assembly:
        """All contacts and joint rows in one flat assembly."""
        points = self.touching.on_robot if self.held == "robot" else self.touching.contacts
        return Assembly(points, self.joint_rows, self.robot.name)

    # -- questions ------------------------------------------------------------------------------

    def equilibrium(self, *, method: Method | None = None) -> Equilibrium:
        """Whether contacts and joints hold the load, with the forces or the proof that they cannot."""
        return equilibrium(self.assembly, self.load, method=method)

    def load_limit(self, direction: ArrayLike | None = None, *, method: Method | None = None) -> LoadLimit:
        """The largest multiple of a wrench (6,), by default of the load, that is held on its own."""
        way = self.load if direction is None else checks.vector("direction", direction, 6)
        return load_limit(self.assembly, way, method=method)

    def joint_torques(self, forces: ArrayLike) -> Array:
        """(n,) torques of actuator and friction [N m, N] under forces (k, 3) on what is held, in the world.

        What springs give is taken off: it is tau of (4) less the springs.
        """
        f = checks.array("forces", forces, (len(self.touching), 3))
        coordinates = self.q[self.robot.q_base :]
        springs = [joint.spring_torque(x) for joint, x in zip(self.robot.joints, coordinates, strict=True)]
        pressed = self.sign * self.touching.joint_jacobian @ f.ravel()
        return self.gravity_torques + pressed - np.array(springs)

    def torques(self, aim: Literal["least norm", "most margin"] = "least norm") -> HoldingTorques:
        """Joint torques that hold the posture: of least norm, or with most margin to their limits."""
        from .torques import holding_torques

        return holding_torques(self, aim)

    def lean(self, direction: ArrayLike, *, method: Method | None = None) -> Leaning:
        """How far the centre of mass may shift along `direction` (3,), and which joint or contact gives out first."""
        from .leaning import lean

        return lean(self, direction, method=method)

    # -- changes --------------------------------------------------------------------------------

    def with_load(self, load: ArrayLike) -> WholeBody:
        """The same posture under another external wrench (6,) in all; the robot's weight is not added."""
        return replace(self, load=checks.vector("load", load, 6))


def whole_body(
    robot: Robot,
    q: ArrayLike,
    touches: Sequence[Touch],
    gravity: ArrayLike = DOWN,
    *,
    held: Held | None = None,
    load: ArrayLike | None = None,
) -> WholeBody:
    """A robot in a posture, every unit and every joint in one exact problem.

    Args:
        robot: the robot.
        q: its posture, within the joints' limits.
        touches: the units that touch, on links that can move.
        gravity: (3,) [m/s^2] in the world; it weighs on every link.
        held: "robot" (it stands or climbs; the base is floating) or "object" (it holds something; the base is fixed);
            by default what suits the base.
        load: (6,) external wrench on what is held, about the world origin: on the robot's root link, on top of its
            weight; or on the object, its weight and all. None by default.
    """
    checks.instance("robot", robot, Robot, fix="give a holdfast.Robot")
    suits: Held = "robot" if robot.base == "floating" else "object"
    held = suits if held is None else held
    if held not in ("robot", "object"):
        raise UnknownNameError("thing to hold", str(held), ("robot", "object"), where="held")
    if held != suits:
        what = "is for a floating base" if held == "robot" else "is for a fixed base: nothing would hold the robot"
        raise InputError(f"{held!r} {what}", where="held", fix=f"load the robot with the other base, or held={suits!r}")
    down = checks.vector("gravity", gravity, 3)
    extra = np.zeros(6) if load is None else checks.vector("load", load, 6)
    touching = contacts(robot, q, touches)
    weight = gravity_wrench(robot.mass, down, robot.com(touching.q)) if held == "robot" else np.zeros(6)
    return WholeBody(touching, down, held, weight + extra)
