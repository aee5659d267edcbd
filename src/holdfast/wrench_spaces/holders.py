"""What holds: the union of each contact's pieces as it is, or its convex hull."""

from __future__ import annotations

from typing import Literal

from ..assembly.assembly import Assembly, checked_assembly
from ..errors import InputError

Volumes = Literal["union", "hull"]


def held_by(assembly: Assembly, volumes: Volumes) -> Assembly:
    """The assembly whose limits are asked for: itself, or (outer) the same with hulls for volumes."""
    checked_assembly(assembly)
    if volumes not in ("union", "hull"):
        raise InputError(f"is {volumes!r}", where="volumes", fix='give "union" or "hull"')
    return assembly.hulled() if volumes == "hull" else assembly
