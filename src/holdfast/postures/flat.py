"""Flat problems: all contacts and joints of all hands in one assembly, without any hierarchy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..assembly import Contact, JointRows
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from ..force_limits.volume import ForceVolume
from .hands import checked_hands
from .lazy import LazyGrip


def flat_assembly(grips: Any, poses: Any) -> Assembly:
    """One assembly whose object is the body, with the contacts of all hands and a block of joint rows for each.

    `hf.equilibrium` and `hf.load_limit` of it answer what `posture_equilibrium` answers hand by hand; the answers agree
    where all volumes are convex.

    Args:
        grips: `LazyGrip` objects, one for all hands or one a hand.
        poses: where the palms stand, one a hand.
    """
    hands = checked_hands(grips, poses)
    contacts: list[Contact] = []
    blocks: list[JointRows | None] = []
    sizes: list[int] = []
    mirrored: dict[int, ForceVolume] = {}
    for index, (grip, pose) in enumerate(zip(hands.grips, hands.poses, strict=True)):
        if not isinstance(grip, LazyGrip):
            raise InputError(
                f"is a {type(grip).__name__}", where=f"grips[{index}]", fix="a flat assembly is made of LazyGrip hands"
            )
        where = pose if grip.palm is None else pose @ grip.palm.inverse()
        own = grip.assembly.moved(where)
        contacts += [_on_body(contact, grip, index, mirrored) for contact in own.contacts]
        blocks.append(own.joints if own.joints is None or grip.acting == "direct" else _reversed(own.joints))
        sizes.append(len(own))
    return Assembly(contacts, _stacked(blocks, sizes), "flat")


def _on_body(contact: Contact, grip: LazyGrip, index: int, mirrored: dict[int, ForceVolume]) -> Contact:
    """The contact with forces that act on the body: the reaction has the volume turned through zero."""
    name = f"hand {index} {contact.name}".strip()
    volume = contact.volume
    if grip.acting == "reaction":
        if id(volume) not in mirrored:
            pieces = [-piece.vertices for piece in volume.polytopes]
            mirrored[id(volume)] = ForceVolume(pieces, [-piece.rays for piece in volume.polytopes], allow_flat=True)
        volume = mirrored[id(volume)]
    return Contact(contact.position, contact.rotation, volume, name)


def _reversed(rows: JointRows) -> JointRows:
    return JointRows(-rows.jacobian, rows.lower, rows.upper, rows.names)


def _stacked(blocks: list[JointRows | None], sizes: list[int]) -> JointRows | None:
    """Joint rows of all hands, each over its own contacts."""
    if all(block is None for block in blocks):
        return None
    width, first = 3 * sum(sizes), 0
    rows: list[Array] = []
    lower: list[Array] = []
    upper: list[Array] = []
    names: list[str] = []
    for index, (block, size) in enumerate(zip(blocks, sizes, strict=True)):
        if block is not None:
            wide = np.zeros((len(block.lower), width))
            wide[:, first : first + 3 * size] = block.jacobian
            rows, lower, upper = [*rows, wide], [*lower, block.lower], [*upper, block.upper]
            own = block.names or [f"row {row}" for row in range(len(block.lower))]
            names += [f"hand {index} {name}" for name in own]
        first += 3 * size
    return JointRows(np.concatenate(rows), np.concatenate(lower), np.concatenate(upper), tuple(names))
