"""Fingers laid around a round object: where their base joints must stand, and at which angles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...assembly import Joint, Patch, PlanarFinger
from ...checks import Array
from ...errors import GeometryError
from ...geometry.frames import Pose
from .device import Cylinder, Device, HeldObject, Link

#: Phalanges from the base to the tip.
PHALANGES = "PMD"


@dataclass(frozen=True)
class RoundObject:
    """A cylinder along y under the origin.

    Attributes:
        radius: [m].
        depth: how far the world origin lies below the crest [m].
    """

    radius: float
    depth: float

    @property
    def center(self) -> Array:
        """(3,) point of the axis below the origin [m]."""
        return np.array([0.0, 0.0, self.depth - self.radius])

    def shape(self, length: float, half_angle: float) -> Cylinder:
        """What to draw: `length` along y [m], `half_angle` [rad] to either side of the crest, pi at most."""
        return Cylinder(self.center, np.array([0.0, 1.0, 0.0]), self.radius, length, min(half_angle, np.pi))


def wrapped_finger(
    around: RoundObject,
    *,
    side: float,
    base_x: float,
    y: float,
    phalanx: float,
    joint_to_surface: float,
    link_mass: float,
    name: str,
) -> PlanarFinger:
    """A finger of three equal phalanges around the object, each unit touching at its middle.

    The middle of every phalanx stands over the surface at `joint_to_surface`, at right angles to the radius
    there. Hence all joints are sqrt((radius + joint_to_surface)^2 + (phalanx/2)^2) from the cylinder's axis, and
    each phalanx turns by 2 atan(phalanx/2 / (radius + joint_to_surface)) against the one before.

    Args:
        around: the object.
        side: 1 for a finger towards +x, -1 towards -x.
        base_x: distance of the first joint from the plane x = 0 [m].
        y: where the finger's plane stands [m].
        phalanx: joint to joint [m].
        joint_to_surface: from the line of joints to the surface of contact [m].
        link_mass: of each phalanx, with its centre of mass halfway along [kg].
        name: of the finger; its phalanges are "name P", "name M", "name D".
    """
    line = around.radius + joint_to_surface
    half = float(np.arctan2(phalanx / 2.0, line))
    reach = float(np.hypot(line, phalanx / 2.0))
    if base_x >= reach:
        raise GeometryError(
            f"the first joints, {base_x:g} m out, stand beyond the object's side",
            where="radius",
            fix=f"a radius above {base_x - joint_to_surface:g} m",
        )
    first = float(np.arcsin(base_x / reach))  # angle of the first joint from the top, seen from the axis
    if first + 2.0 * half * len(PHALANGES) > np.pi:
        raise GeometryError(
            "the fingers would meet below the object", where="radius", fix="a larger radius or shorter phalanges"
        )
    rotation = np.diag([side, side, 1.0])  # x towards the tip, y the axis, z up
    joint = around.center + np.array([side * reach * np.sin(first), y, reach * np.cos(first)])
    return PlanarFinger(
        base=Pose(rotation, joint),
        lengths=np.full(3, phalanx),
        angles=np.array([first + half, 2.0 * half, 2.0 * half]),
        masses=np.full(3, link_mass),
        names=tuple(f"{name} {letter}" for letter in PHALANGES),
    )


def fingered_device(
    name: str,
    fingers: Sequence[PlanarFinger],
    touching: Sequence[str],
    *,
    unit: Patch,
    joint_to_surface: float,
    joint: Joint,
    held: HeldObject,
    base: Link,
) -> Device:
    """The device of several fingers on one base that is held in the world.

    Args:
        name: of the device.
        fingers: the fingers, in the order of the joint rows.
        touching: for each finger the phalanges that touch ("MD", say).
        unit: the unit under each touching phalanx, made at the identity pose.
        joint_to_surface: from the line of joints to the surface of contact [m].
        joint: what every joint can do; each is named after its phalanx.
        held: the object.
        base: the part that carries the fingers, to draw it.
    """
    patches: list[Patch] = []
    blocks: list[Array] = []
    for finger, letters in zip(fingers, touching, strict=True):
        indices = [PHALANGES.index(letter) for letter in letters]
        own = [unit.moved(finger.contact_pose(i, offset=joint_to_surface), name=finger.names[i]) for i in indices]
        points = np.concatenate([patch.positions for patch in own])
        blocks.append(finger.rows_jacobian(np.repeat(indices, len(unit)).tolist(), points))
        patches += own
    bones = [Link(part, finger.joint_positions[i : i + 2]) for finger in fingers for i, part in enumerate(finger.names)]
    return Device(
        name,
        tuple(patches),
        held,
        tuple(replace(joint, name=part) for finger in fingers for part in finger.names),
        np.concatenate([finger.angles for finger in fingers]),
        _block_diagonal(blocks),
        np.concatenate([finger.gravity_matrix for finger in fingers]),
        (base, *bones),
    )


def _block_diagonal(blocks: Sequence[Array]) -> Array:
    """Joints of one finger do not feel the contacts of another."""
    result = np.zeros((sum(len(block) for block in blocks), sum(block.shape[1] for block in blocks)))
    row = column = 0
    for block in blocks:
        result[row : row + len(block), column : column + block.shape[1]] = block
        row, column = row + len(block), column + block.shape[1]
    return result
