"""Joints of a scene file as rows on the contact forces: hinges, slides, rows by their numbers, planar fingers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import FrameError, UnknownNameError
from ..files.error_context import Site
from ..force_limits.files import Volumes
from ..geometry.frames import Pose, frame_from_normal
from ..scenes.schema import FingerPart, HingePart, JointPart, RowPart, SlidePart
from .contact import Contact
from .finger import PlanarFinger
from .patch import Patch
from .rows import Joint, JointRows, joint_rows, stacked


class Touching:
    """The contacts of a scene in order, and which of them go by which name."""

    def __init__(self) -> None:
        self.contacts: list[Contact] = []
        self.faces: list[Array] = []
        self._numbers: dict[str, list[int]] = {}

    def add(self, name: str, contacts: Sequence[Contact], faces: Sequence[Array] = ()) -> None:
        """Contacts that go by `name` together, beside others of that name; "" is no name."""
        first = len(self.contacts)
        self.contacts += contacts
        self.faces += faces
        if name:
            self._numbers.setdefault(name, []).extend(range(first, len(self.contacts)))

    def numbers(self, names: Sequence[str], site: Site) -> list[int]:
        """Numbers of all contacts that go by one of `names`."""
        found: list[int] = []
        for place, name in enumerate(names):
            if name not in self._numbers:
                error = UnknownNameError("contact or patch", name, self._numbers)
                raise (site / place).fault(error.what, fix=error.fix)
            found += self._numbers[name]
        return sorted(set(found))


@dataclass(frozen=True, eq=False)
class Rows:
    """Joint rows without the weight of their links, and that weight: G(q) = weight @ gravity, (r, 3)."""

    rows: JointRows
    weight: Array


def build_joint(part: HingePart | SlidePart | RowPart, touching: Touching, site: Site) -> Rows:
    """One entry of `joints`."""
    total = len(touching.contacts)
    with site.watch():
        if isinstance(part, RowPart):
            jacobian = checks.array("jacobian", part.jacobian, (total, 3)).reshape(1, -1)
            names = (part.name,) if part.name else ()
            rows = JointRows(jacobian, np.array([part.lower]), np.array([part.upper]), names)
            return Rows(rows, np.array([part.gravity]))
        axis = checks.direction("axis", part.axis, 3)
        jacobian = np.zeros((1, total, 3))
        for number in touching.numbers(part.contacts, site / "contacts"):
            moves = axis  # velocity of the contact for one unit of the coordinate
            if isinstance(part, HingePart):
                moves = np.cross(axis, touching.contacts[number].position - np.array(part.through))
            jacobian[0, number] = moves
        rows = joint_rows([_joint(part, part.name)], [part.coordinate], jacobian.reshape(1, -1))
    return Rows(rows, np.zeros((1, 3)))


def build_finger(part: FingerPart, volumes: Volumes, touching: Touching, site: Site) -> tuple[Rows, Array]:
    """One entry of `fingers`: its contacts go to `touching`; its rows so far, and its joints (n + 1, 3) to draw."""
    with site.watch():
        finger = PlanarFinger(
            base=Pose(_finger_frame(part, site), np.array(part.position)),
            lengths=np.array(part.lengths),
            angles=np.array(part.angles),
            masses=np.array(part.masses or ()),
            coms=np.array(part.coms or ()).reshape(-1, 2),
        )
        phalanges: list[int] = []
        contacts: list[Contact] = []
        faces: list[Array] = []
        for number, unit in enumerate(part.units):
            with (here := site / "units" / number).watch():
                volume = volumes.force_volume(unit.volume, here / "volume", unit.scale)
                pose = finger.contact_pose(unit.phalanx, offset=unit.offset, along=unit.along)
                points = "corners" if isinstance(unit.points, str) else (unit.points[0], unit.points[1])
                patch = Patch.rectangle(pose, unit.size, volume, points=points, name=f"{part.name} {number}")
                contacts += patch.contacts
                faces += patch.faces
                phalanges += [unit.phalanx] * len(patch)
        before = len(touching.contacts)
        touching.add(part.name, contacts, faces)
        jacobian = finger.rows_jacobian(phalanges, [contact.position for contact in contacts])
        rows = joint_rows(_finger_joints(part, len(finger), site), finger.angles, jacobian).padded(before=before)
    return Rows(rows, finger.gravity_matrix), finger.joint_positions


def stack(rows: Sequence[Rows], total: int, gravity: Array) -> tuple[JointRows | None, Array]:
    """All rows for `total` contacts under `gravity` (3,) [m/s^2], and the weight of their links (r, 3)."""
    if not rows:
        return None, np.zeros((0, 3))
    wide = stacked([part.rows.padded(after=total - part.rows.contacts) for part in rows])
    weight = np.concatenate([part.weight for part in rows])
    shift = weight @ gravity  # G(q) stands on the other side of (5)
    return JointRows(wide.jacobian, wide.lower - shift, wide.upper - shift, wide.names), weight


def _joint(part: JointPart, name: str) -> Joint:
    low, high = part.torque_min or 0.0, part.torque_max or 0.0
    if part.torque is not None:
        low, high = -part.torque, part.torque
    return Joint(name, low, high, part.friction, part.stiffness, part.rest, part.preload)


def _finger_joints(part: FingerPart, count: int, site: Site) -> list[Joint]:
    parts = part.joints if isinstance(part.joints, list) else [part.joints] * count
    if len(parts) != count:
        what = f"has {len(parts)} entries for {count} phalanges"
        raise (site / "joints").fault(what, fix="give one joint a phalanx, or one for all")
    return [_joint(joint, f"{part.name} {number}") for number, joint in enumerate(parts)]


def _finger_frame(part: FingerPart, site: Site) -> Array:
    """Columns: along the straight finger, the joint axis, away from the object."""
    away, along = checks.direction("away", part.away, 3), checks.direction("along", part.along, 3)
    try:
        return frame_from_normal(away, along)
    except FrameError:
        raise (site / "away").fault(
            "is parallel to along", fix="give the direction on the back of the finger"
        ) from None
