"""Assemblies confined to one piece a contact, with changes made, and the referee's limit of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import holdfast as hf
from tests import referee


def confined(
    assembly: hf.Assembly,
    pieces: np.ndarray,
    *,
    contact: int | None = None,
    share: float = 1.0,
    row: int | None = None,
    lower: float = 0.0,
    upper: float = 0.0,
) -> hf.Assembly:
    """The assembly with each contact in one piece, `contact` scaled by `share`, the bounds of `row` moved outwards."""
    contacts = []
    for index, (one, piece) in enumerate(zip(assembly.contacts, pieces, strict=True)):
        scale = share if index == contact else 1.0
        vertices, rays = one.volume.pieces[piece] * scale, one.volume.rays[piece]
        volume = hf.ForceVolume([vertices], [rays if len(rays) else None], allow_flat=True)
        contacts.append(hf.Contact(one.position, one.rotation, volume))
    joints = assembly.joints
    if joints is not None and row is not None:
        low, high = joints.lower.copy(), joints.upper.copy()
        low[row], high[row] = low[row] - lower, high[row] + upper
        joints = hf.JointRows(joints.jacobian, low, high, joints.names)
    return hf.Assembly(contacts, joints)


def limit_of(assembly: hf.Assembly, direction: np.ndarray) -> float:
    """The referee's limit of contacts of one piece each."""
    found = referee._extreme_factor(assembly, direction, [0] * len(assembly), 1.0)
    assert found is not None
    return found


def finger(lower: Sequence[float], upper: Sequence[float], volume: hf.ForceVolume) -> hf.Assembly:
    """One contact at the origin behind a hinge that feels 0.5 m times its x force, called "hinge"."""
    rows = hf.JointRows([[0.5, 0.0, 0.0]], lower, upper, ("hinge",))
    return hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume, "tip")], rows, "finger")
