"""Assembly: contacts, patches, joint rows and loads, and the matrices that every solver works on."""

from .assembly import Assembly
from .contacts import Contact, Patch, contacts_from_arrays, patch_from_mesh
from .joints import Joint, JointRows, PlanarFinger, joint_rows

__all__ = [
    "Assembly",
    "Contact",
    "Joint",
    "JointRows",
    "Patch",
    "PlanarFinger",
    "contacts_from_arrays",
    "joint_rows",
    "patch_from_mesh",
]
