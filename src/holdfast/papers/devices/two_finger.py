"""2FG: the passive two-finger gripper, three phalanges a finger, in its contact conditions (IV.C.c, IV.D).

The phalanges hang on pin joints with friction alone, so that the rows (5) are often what limits the load. The spines
point towards the base: each unit pulls the object along the surface, up towards the gripper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...assembly import Joint, Patch
from ...errors import UnknownNameError
from ...force_limits.volume import ForceVolume
from ...geometry.frames import Pose
from .device import Device, HeldObject, Link
from .dimensions import Dimensions, dimension
from .unit import default_unit
from .wrapping import RoundObject, fingered_device, wrapped_finger

#: Phalanges of one finger that may touch: the distal one always does.
TOUCHING = ("D", "MD", "PD", "PMD")

#: The six conditions of the paper, (left, right).
CONDITIONS = (("D", "D"), ("D", "MD"), ("D", "PMD"), ("MD", "MD"), ("MD", "PMD"), ("PMD", "PMD"))

#: The plate is drawn this much further round than the last phalanx.
PLATE_SPAN = 1.3


@dataclass(frozen=True)
class TwoFingerDimensions(Dimensions):
    """Dimensions of the 2FG; the joint friction is the paper's, all else is this project's choice."""

    base_half_width: float = dimension(0.040, "m", "from the middle plane to the first joint of either finger")
    phalanx: float = dimension(0.045, "m", "joint to joint, and last joint to tip")
    joint_to_surface: float = dimension(0.015, "m", "from the line of joints to the surface of contact")
    unit_size: tuple[float, float] = dimension((0.028, 0.030), "m", "unit along its shear direction and across")
    link_mass: float = dimension(0.040, "kg", "mass of each phalanx, centred halfway between its joints")
    joint_friction: float = dimension(0.01, "N m", "static friction of each pin joint")
    object_mass: float = dimension(0.30, "kg", "mass of the object")
    radius: float = dimension(0.150, "m", "radius of the object's curved surface")
    com_depth: float = dimension(0.045, "m", "object's centre of mass below the crest")
    object_length: float = dimension(0.10, "m", "object along the y axis, to draw it")


def two_finger_gripper(
    left: str = "D",
    right: str = "D",
    *,
    unit: ForceVolume | None = None,
    dimensions: TwoFingerDimensions | None = None,
) -> Device:
    """The passive two-finger gripper on a curved object (2FG); four contacts a touching phalanx, six joint rows.

    The object is a curved plate. The middle of every phalanx stands square over the surface whether it
    touches or not, so that the conditions differ in their contacts alone.

    Args:
        left: phalanges of the left finger (at -x) that touch: "D", "MD", "PD" or "PMD".
        right: phalanges of the right finger (at +x) that touch.
        unit: admissible forces of one unit; the default microspine unit when None.
        dimensions: sizes, masses and joint friction.
    """
    for name, value in (("left", left), ("right", right)):
        if value not in TOUCHING:
            raise UnknownNameError("set of touching phalanges", str(value), TOUCHING, where=name)
    size = TwoFingerDimensions() if dimensions is None else dimensions
    around = RoundObject(size.radius, size.com_depth)
    fingers = [
        wrapped_finger(
            around,
            side=side,
            base_x=size.base_half_width,
            y=0.0,
            phalanx=size.phalanx,
            joint_to_surface=size.joint_to_surface,
            link_mass=size.link_mass,
            name=name,
        )
        for name, side in (("left", -1.0), ("right", 1.0))
    ]
    wrap = float(np.sum(fingers[0].angles))
    return fingered_device(
        f"2FG {left}-{right}",
        fingers,
        (left, right),
        unit=Patch.rectangle(Pose.identity(), size.unit_size, default_unit() if unit is None else unit),
        joint_to_surface=size.joint_to_surface,
        joint=Joint.passive(friction=size.joint_friction),
        held=HeldObject(size.object_mass, shape=around.shape(size.object_length, PLATE_SPAN * wrap)),
        base=Link("base", np.array([finger.joint_positions[0] for finger in fingers])),
    )
