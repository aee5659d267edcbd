"""What contacts and joint rows do in an answer, one entry each: forces, how much of the strength they use, margins."""

from __future__ import annotations

from dataclasses import dataclass

from ... import tolerances
from ...checks import Array
from ..equilibrium import Equilibrium
from .border import on_border, utilisation


@dataclass(frozen=True, eq=False)
class ContactForce:
    """The force of one contact on the object.

    Attributes:
        name: of the contact, or its number.
        local: (3,) [N] in the contact frame; z < 0 pulls. Dust beside the largest force of the answer is zero.
        piece: the convex piece it lies in.
        use: share of the contact's strength, as `border.utilisation` defines it; 1 on the border, 0 for no force.
        margin: the smallest change of the force that takes it out of the deepest piece it lies in [N]; 0 on the border.
    """

    name: str
    local: Array
    piece: int
    use: float
    margin: float


@dataclass(frozen=True)
class JointValue:
    """What the contact forces ask of one joint row [N m, or N for a slide]; None without forces."""

    name: str
    lower: float
    value: float | None
    upper: float


def contact_forces(answer: Equilibrium) -> list[ContactForce]:
    """The forces of an answer; [] when it has none."""
    if answer.local_forces is None or answer.pieces is None:
        return []
    dust = tolerances.FEASIBILITY * float(abs(answer.local_forces).max(initial=0.0))
    found = []
    for index, contact in enumerate(answer.assembly.contacts):
        volume, local = contact.volume, answer.local_forces[index].copy()
        local[abs(local) <= dust] = 0.0
        at_limit = on_border(volume.polytopes, local)
        depth = 0.0 if at_limit else -float(volume.signed_distance(local))
        margin = depth if depth > tolerances.MEMBERSHIP * volume.size else 0.0
        use = utilisation(volume, local, at_limit=at_limit)
        found.append(ContactForce(contact.name or str(index), local, int(answer.pieces[index]), use, margin))
    return found


def joint_values(answer: Equilibrium) -> list[JointValue]:
    """The joint rows of an answer, in their order."""
    joints = answer.assembly.joints
    if joints is None:
        return []
    values = [None] * len(joints) if answer.forces is None else joints.values(answer.forces).tolist()
    names = joints.names or tuple(str(row) for row in range(len(joints)))
    rows = zip(names, joints.lower.tolist(), values, joints.upper.tolist(), strict=True)
    return [JointValue(*row) for row in rows]
