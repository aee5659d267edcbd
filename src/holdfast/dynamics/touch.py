"""How contacts follow an object that moves: what stays in the surroundings, what goes with the object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly import Contact, JointRows
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..geometry.frames import Pose, frame_from_normal

#: A shear direction whose part along the surface is shorter than this has turned into the normal.
SHORTEST_SHEAR = 1e-3


class Touch(StrEnum):
    """Which of the two bodies has the point and which the flat surface.

    REST: a point that stays in the world (of the gripper, of the ground) under a flat face of the object.
    FOOT: a point of the object on a flat surface that stays in the world.
    BALL: the object is round about its centre of mass there, on a flat surface that stays in the world.
    """

    REST = "rest"
    FOOT = "foot"
    BALL = "ball"


@dataclass(frozen=True, eq=False)
class Placement:
    """The contacts of an assembly where an object in some pose has them.

    Attributes:
        positions: (k, 3) contact points in the world [m].
        rotations: (k, 3, 3) contact frames, columns (u, v, n).
        gaps: (k,) distance of the surfaces [m]; below zero they would overlap; inf beyond the end of a surface.
    """

    positions: Array
    rotations: Array
    gaps: Array

    @cached_property
    def rows(self) -> Array:
        """(k, 6) twist about the world origin to the speed at which each gap opens."""
        normals = self.rotations[:, :, 2]
        return np.concatenate([normals, np.cross(self.positions, normals)], axis=1)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Contacts as they are when the object has not moved, and how each follows it.

    Attributes:
        assembly: the contacts; each position is the point of the object, `gaps` away from what it would touch.
        touches: (k,) how each contact follows.
        gaps: (k,) how far each is open before the object moves [m]; not negative.
        reach: (k,) how far each may slide or roll along its surface before that ends [m]; inf where it does not.
        com: (3,) centre of mass before the object moves [m].
    """

    assembly: Assembly
    touches: tuple[Touch, ...]
    gaps: Array
    reach: Array
    com: Array

    def at(self, pose: Pose) -> Placement:
        """Where the contacts are when the object has been moved by `pose` from where it began."""
        k = len(self.assembly)
        positions, rotations, gaps = np.zeros((k, 3)), np.zeros((k, 3, 3)), np.zeros(k)
        com = pose.apply(self.com)
        slides = np.zeros((k, 3))
        for i, contact in enumerate(self.assembly.contacts):
            start, frame = contact.position, contact.rotation
            normal, shear = frame[:, 2], frame[:, 0]
            carried = pose.apply(start)
            if self.touches[i] is Touch.REST:
                positions[i] = start - self.gaps[i] * normal
                rotations[i] = _frame(pose.rotation @ normal, shear, pose.rotation @ frame)
                gaps[i] = rotations[i, :, 2] @ (carried - positions[i])
                slides[i] = carried - positions[i]
            elif self.touches[i] is Touch.FOOT:
                positions[i] = carried
                rotations[i] = _frame(normal, pose.rotation @ shear, frame)
                gaps[i] = self.gaps[i] + normal @ (carried - start)
                slides[i] = carried - start
            else:
                positions[i] = com + start - self.com
                rotations[i] = frame
                gaps[i] = self.gaps[i] + normal @ (com - self.com)
                slides[i] = com - self.com
        normals = rotations[:, :, 2]
        along = slides - np.einsum("ki,ki->k", slides, normals)[:, None] * normals
        gaps[np.linalg.norm(along, axis=1) > self.reach] = np.inf
        return Placement(positions, rotations, gaps)

    def touching(self, placement: Placement, chosen: Sequence[int]) -> Assembly:
        """The assembly of the chosen contacts where they are now; joint rows keep their columns for these.

        Rows that none of them loads are left out: that part of the mechanism moves by itself, which is not followed.
        """
        contacts = [
            Contact(placement.positions[i], placement.rotations[i], c.volume, c.name)
            for i, c in ((i, self.assembly.contacts[i]) for i in chosen)
        ]
        joints = self.assembly.joints
        if joints is not None:
            columns = joints.jacobian.reshape(len(joints), -1, 3)[:, list(chosen)].reshape(len(joints), -1)
            rows = np.nonzero(columns.any(axis=1))[0] if len(chosen) < len(self.assembly) else np.arange(len(joints))
            names = tuple(joints.names[r] for r in rows) if joints.names else ()
            joints = JointRows(columns[rows], joints.lower[rows], joints.upper[rows], names) if len(rows) else None
        return Assembly(contacts, joints, self.assembly.name)


def surround(
    assembly: Assembly,
    touch: Touch | str | Sequence[Touch | str],
    gaps: ArrayLike | float,
    reach: ArrayLike | float,
    com: Array,
) -> Surroundings:
    """Checked `Surroundings`: one word or number for all contacts, or one for each."""
    k = len(assembly)
    words = [touch] * k if isinstance(touch, str) else list(touch)
    if len(words) != k:
        raise InputError(f"has {len(words)} entries", where="touch", fix=f"give one word, or {k}: one a contact")
    known = [t.value for t in Touch]
    for word in words:
        if word not in known:
            raise UnknownNameError("way to touch", str(word), known, where="touch")
    open_by, ends = (
        checks.array(name, np.broadcast_to(value, (k,)) if np.ndim(value) == 0 else value, (k,), infinite=True)
        for name, value in (("gaps", gaps), ("reach", reach))
    )
    for name, values in (("gaps", open_by), ("reach", ends)):
        if (values < 0.0).any():
            at = int(np.argmax(values < 0.0))
            raise InputError(f"is {values[at]:g} m", where=f"{name}[{at}]", fix="give 0 or more")
    if not np.isfinite(open_by).all():
        raise InputError("is infinite", where="gaps", fix="leave contacts that are never reached out")
    for i, contact in enumerate(assembly.contacts):
        arm, normal = com - contact.position, contact.rotation[:, 2]
        if words[i] == Touch.BALL and np.linalg.norm(arm) - arm @ normal > tolerances.ORTHONORMAL * assembly.length:
            fix = 'give "rest" or "foot", or a point straight below the centre of mass along its normal'
            raise InputError("is no ball about its centre of mass there", where=f"contacts[{i}]", fix=fix)
    return Surroundings(assembly, tuple(Touch(word) for word in words), open_by, ends, com)


def _frame(normal: Array, shear: Array, turned: Array) -> Array:
    """The frame with that normal whose shear direction is nearest to `shear`; `turned` where that is the normal."""
    if np.linalg.norm(shear - (shear @ normal) * normal) <= SHORTEST_SHEAR:
        return turned
    return frame_from_normal(normal, shear)
