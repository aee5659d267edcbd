"""Device: a gripper on an object, ready to be asked: contacts, joints, object, and what to draw.

World frame of every device: z up, from the object towards the gripper; x across the fingers (their shear
direction); y along the joint axes. The origin is the object's centre of mass, or where the loads on it are
meant to act; torques are about it. The gripper sits on top and its base is held in the world, so that only
its joints limit the contact forces. External forces act on the object:

    pull   (0, 0, -1)   away from the gripper: the object's weight when the gripper lifts it
    push   (0, 0, 1)    into the gripper
    fx, fy (1, 0, 0), (0, 1, 0)   sideways: across the fingers, along the joint axes
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ... import checks, tolerances
from ...assembly import Contact, Joint, JointRows, Patch, joint_rows
from ...assembly.assembly import Assembly
from ...assembly.loads import gravity_wrench
from ...checks import Array

PULL: tuple[float, ...] = (0.0, 0.0, -1.0, 0.0, 0.0, 0.0)
"""Wrench direction: unit force on the object, away from the gripper."""

PUSH: tuple[float, ...] = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
"""Wrench direction: unit force on the object, into the gripper."""


@dataclass(frozen=True, eq=False)
class Cylinder:
    """The round object under a gripper, to draw it.

    Attributes:
        center: (3,) a point of the axis, halfway along [m].
        axis: (3,) unit direction of the axis.
        radius: [m].
        length: along the axis [m].
        half_angle: the object spans this much to either side of +z as seen from the axis [rad]; pi when full.
    """

    center: Array
    axis: Array
    radius: float
    length: float
    half_angle: float = np.pi

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", checks.vector("center", self.center, 3))
        object.__setattr__(self, "axis", checks.direction("axis", self.axis, 3))
        checks.positive("radius", self.radius, unit="m")
        checks.positive("length", self.length, unit="m")
        checks.number("half_angle", self.half_angle, low=0.0, high=np.pi, ends="open low", unit="rad")


@dataclass(frozen=True, eq=False)
class HeldObject:
    """What the device holds.

    Attributes:
        mass: [kg].
        com: (3,) centre of mass in the world [m].
        shape: its outline, to draw it, or None.
    """

    mass: float
    com: Array = field(default_factory=lambda: np.zeros(3))
    shape: Cylinder | None = None

    def __post_init__(self) -> None:
        checks.number("mass", self.mass, low=tolerances.SMALLEST_MASS, high=tolerances.LARGEST_MASS, unit="kg")
        object.__setattr__(self, "com", checks.vector("com", self.com, 3))


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid part of the gripper as a line of points, to draw it.

    Attributes:
        name: how reports call it.
        points: (m, 3) in the world [m].
    """

    name: str
    points: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", checks.array("points", self.points, ("m", 3)))


@dataclass(frozen=True, eq=False)
class Device:
    """A gripper on an object, at rest in one posture.

    Attributes:
        name: "2FG D-PMD", say.
        patches: the units that touch; their contacts in order are the assembly's.
        object: what is held.
        joints: the joints, in the order of the rows; () for none.
        coordinates: (r,) where they stand [rad, m].
        jacobian: (r, 3k) blocks J_i^T of (5) [m, 1].
        gravity_matrix: (r, 3) with G(q) = gravity_matrix @ gravity: the weight of the links on the joints.
        links: the parts of the gripper, to draw it.
    """

    name: str
    patches: tuple[Patch, ...]
    object: HeldObject
    joints: tuple[Joint, ...] = ()
    coordinates: Array = field(default_factory=lambda: np.zeros(0))
    jacobian: Array = field(default_factory=lambda: np.zeros((0, 0)))
    gravity_matrix: Array = field(default_factory=lambda: np.zeros((0, 3)))
    links: tuple[Link, ...] = ()

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """All point contacts, patch by patch."""
        return tuple(contact for patch in self.patches for contact in patch.contacts)

    def joint_rows(self, gravity: ArrayLike = (0.0, 0.0, 0.0)) -> JointRows | None:
        """The rows (5) with the links' weight under `gravity` (3,) [m/s^2] in the world; None without joints."""
        if not self.joints:
            return None
        g = checks.vector("gravity", gravity, 3)
        return joint_rows(self.joints, self.coordinates, self.jacobian, self.gravity_matrix @ g)

    def assembly(self, gravity: ArrayLike = (0.0, 0.0, 0.0)) -> Assembly:
        """Contacts and joint rows, for the solvers.

        Args:
            gravity: acceleration (3,) [m/s^2] in the world that weighs on the links. Zero by default: a wrench
                space is then that of the contacts and joints alone. For a gripper that is turned about, give the
                gravity in its frame, and ask about `weight(gravity)`.
        """
        return Assembly(self.contacts, self.joint_rows(gravity), self.name)

    def weight(self, gravity: ArrayLike) -> Array:
        """(6,) wrench of the object's weight about the world origin, under `gravity` (3,) [m/s^2]."""
        return gravity_wrench(self.object.mass, gravity, self.object.com)
