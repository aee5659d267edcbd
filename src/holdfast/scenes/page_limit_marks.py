"""Which contacts and joints are at their limit, for all of them at once; as pictures mark them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..assembly.loads import sphere_directions
from ..statics.diagnosis import AT_LIMIT, joint_states

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..checks import Array, BoolArray

#: Directions in which a force is nudged to see whether it is at its limit.
NUDGES = 200

#: Every so-many-th direction is tried first: most forces on a border are found by these few, and only those that are
#: not are asked about the rest. Small products also stay on one core, which leaves the others to the drawing.
STRIDE = 20

#: A nudged force counts as inside within this share of the nudge.
SLACK = 0.01


def contacts_at_limit(assembly: Assembly, local_forces: Array) -> BoolArray:
    """(k,) whether each force (k, 3) in its contact frame is loaded and on the border of its volume.

    Some change by `AT_LIMIT` of the volume's size is then too much. Contacts that share a volume are looked at at once.
    """
    result = np.zeros(len(assembly), dtype=bool)
    groups: dict[int, list[int]] = {}
    for index, contact in enumerate(assembly.contacts):
        groups.setdefault(id(contact.volume), []).append(index)
    for indices in groups.values():
        volume = assembly.contacts[indices[0]].volume
        nudge = AT_LIMIT * volume.size
        loaded = np.array(indices)[np.linalg.norm(local_forces[indices], axis=1) > nudge]
        planes = [polytope.halfspaces for polytope in volume.polytopes]
        deep = _excess(planes, local_forces[loaded]) <= -2.0 * nudge
        near = loaded[~deep]
        directions = sphere_directions(NUDGES)
        for first in range(STRIDE):
            if not len(near):
                break
            around = local_forces[near, None, :] + nudge * directions[first::STRIDE]  # (n, d, 3)
            excess = _excess(planes, around.reshape(-1, 3)).reshape(len(near), -1)
            found = (excess > SLACK * nudge).any(axis=1)
            result[near[found]] = True
            near = near[~found]
    return result


def _excess(planes: list[tuple[Array, Array]], forces: Array) -> Array:
    """(n,) by how much [N] forces (n, 3) pass the planes of the piece that they pass least; negative inside."""
    if not len(forces):
        return np.zeros(0)
    return np.min([(forces @ normals.T - offsets).max(axis=1) for normals, offsets in planes], axis=0)


def joints_at_limit(assembly: Assembly, forces: Array) -> BoolArray:
    """(r,) whether each joint row is at a bound under world forces (k, 3) on the object."""
    local = np.einsum("kji,kj->ki", assembly.rotations, forces)
    return np.array([state.at_limit for state in joint_states(assembly, local, None)], dtype=bool)
