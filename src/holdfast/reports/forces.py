"""What contacts and joint rows do in an answer, one entry each."""

from __future__ import annotations

from dataclasses import dataclass

from .. import tolerances
from ..checks import Array
from ..diagnosis.border import on_border, utilisation
from ..holding import Equilibrium


@dataclass(frozen=True, eq=False)
class ContactForce:
    """The force of one contact on the object.

    Attributes:
        name: of the contact, or its number.
        local: (3,) [N] in the contact frame; z < 0 pulls.
        piece: the convex piece it lies in.
        use: share of the contact's strength along that force; 1 on the border, 0 for no force.
        margin: the smallest change of the force that takes it out of the volume [N].
    """

    name: str
    local: Array
    piece: int
    use: float
    margin: float


def contact_forces(answer: Equilibrium) -> list[ContactForce]:
    """The forces of an answer; [] when it has none. Dust beside the largest force counts as none."""
    if answer.local_forces is None or answer.pieces is None:
        return []
    dust = tolerances.FEASIBILITY * float(abs(answer.local_forces).max(initial=0.0))
    found = []
    for index, contact in enumerate(answer.assembly.contacts):
        local = answer.local_forces[index].copy()
        depth = -float(contact.volume.signed_distance(local))
        margin = depth if depth > tolerances.MEMBERSHIP * contact.volume.size else 0.0
        local[abs(local) <= dust] = 0.0
        at_limit = local.any() and on_border(contact.volume.polytopes, local)
        use = utilisation(contact.volume, local, at_limit=bool(at_limit))
        found.append(ContactForce(contact.name or str(index), local, int(answer.pieces[index]), use, margin))
    return found


def joint_values(answer: Equilibrium) -> list[tuple[str, float, float, float]]:
    """(name, least, value, largest) [N m, or N for slides] of each joint row; values are NaN without forces."""
    joints = answer.assembly.joints
    if joints is None:
        return []
    values = [float("nan")] * len(joints) if answer.forces is None else joints.values(answer.forces).tolist()
    names = joints.names or tuple(str(row) for row in range(len(joints)))
    bounds = zip(joints.lower.tolist(), values, joints.upper.tolist(), strict=True)
    return [(name, *bound) for name, bound in zip(names, bounds, strict=True)]
