"""Contacts made weaker or stronger: the same volumes with their forces multiplied, axis by axis.

The search never makes a new volume. Multiplying the forces of a contact by a diagonal matrix D is the same as
multiplying its columns in the rows by D; lookup tables of the volumes stay good. Multipliers that prove the one
prove the other, since the support of D F along y is that of F along D y. So each answer is handed back as one about the
weakened assembly, whose own volumes verify it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from ...assembly import Contact
from ...assembly.assembly import Assembly
from ...checks import Array
from ...errors import InputError
from ...force_limits.volume import ForceVolume

#: Stretched volumes by (volume, shear, normal), so that contacts share them and they are made once.
Made: TypeAlias = dict[tuple[ForceVolume, float, float], ForceVolume]


def weakened(assembly: Assembly, scales: Array, made: Made | None = None) -> Assembly:
    """The assembly whose contact i can carry the forces scales[i] * f for f in its volume, in its contact frame.

    Args:
        assembly: contacts and joint rows.
        scales: (k, 3) factors above zero along (u, v, n): equal ones for strength, the first two for friction.
        made: volumes made before, and where new ones are kept; those in use come last in it.
    """
    made = {} if made is None else made
    contacts = []
    for contact, (shear, lateral, normal) in zip(assembly.contacts, np.asarray(scales).tolist(), strict=True):
        if shear != lateral:
            raise InputError("differ along u and v", where="scales", fix="stretch both shear components alike")
        volume = contact.volume
        if (shear, normal) != (1.0, 1.0):
            key = (volume, shear, normal)
            known = made.pop(key, None)
            volume = made[key] = volume.stretched(shear, normal) if known is None else known
        contacts.append(Contact(contact.position, contact.rotation, volume, contact.name))
    return Assembly(contacts, assembly.joints, assembly.name)


def chosen_contacts(assembly: Assembly, contacts: Iterable[int | str] | None) -> Array:
    """(k,) which contacts are meant: by number, by name, or by the name of their patch ("left D" for "left D[0]")."""
    chosen = np.zeros(len(assembly), dtype=bool)
    if contacts is None:
        chosen[:] = True
        return chosen
    names = [contact.name for contact in assembly.contacts]
    wanted = [contacts] if isinstance(contacts, int | str) else list(contacts)
    for entry in wanted:
        if isinstance(entry, str):
            found = np.array([name == entry or name.rpartition("[")[0] == entry for name in names])
        else:
            found = np.arange(len(assembly)) == entry
        if not found.any():
            known = ", ".join(dict.fromkeys(name.rpartition("[")[0] or name for name in names if name)) or "none named"
            raise InputError(
                f"there is no contact {entry!r}", where="contacts", fix=f"0 to {len(assembly) - 1}, or a name: {known}"
            )
        chosen |= found
    if not chosen.any():
        raise InputError("is empty", where="contacts", fix="name at least one contact, or leave it out for all")
    return chosen
