"""Assembly: contacts, patches, joint rows and loads, and the matrices that every solver works on."""

from .assembly import Assembly
from .contact import Contact, contacts_from_arrays
from .finger import PlanarFinger
from .mesh import patch_from_mesh
from .patch import Patch
from .rows import Joint, JointRows, joint_rows

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
