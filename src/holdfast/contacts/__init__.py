"""Contacts: points with frames, and patches split into points, from plain numbers, arrays and meshes (III.A)."""

from __future__ import annotations

from .contact import Contact, contacts_from_arrays, volume_shares, with_shared_volumes
from .mesh import patch_from_mesh
from .patch import Patch

__all__ = [
    "Contact",
    "Patch",
    "contacts_from_arrays",
    "patch_from_mesh",
    "volume_shares",
    "with_shared_volumes",
]
