"""What a picture of an assembly is made of: contacts, surfaces of units, links of the gripper, the object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError
from ..papers.devices import Device
from .assembly import Assembly
from .contact import Contact
from .patch import Patch

#: Contacts count as lying in one plane within this share of their spread.
FLAT_PATCH = 1e-6


@dataclass(frozen=True, eq=False)
class Subject:
    """What to draw.

    Attributes:
        assembly: contacts with their frames.
        faces: polygons (m, 3) [m], the surfaces of the units.
        frames: (position (3,), rotation (3, 3)) of each frame: one a unit, and one for every contact in none.
        links: lines (m, 3) [m], the parts of the gripper.
        shape: outline of the object, or None.
        center: (3,) where the load and the motion are drawn [m]: the centre of mass when it is known.
    """

    assembly: Assembly
    faces: tuple[Array, ...]
    frames: tuple[tuple[Array, Array], ...]
    links: tuple[Array, ...]
    shape: Any
    center: Array


def subject_of(thing: Any, patches: Sequence[Any] = (), shape: Any = None) -> Subject:
    """What is known of an Assembly, a Device or a Scene; `patches` and `shape` come before what it knows itself."""
    given = tuple(patches)
    if isinstance(thing, Device):
        assembly, center = thing.assembly(), thing.object.com
        own_shape, own_patches = thing.object.shape, thing.patches
        links = tuple(link.points for link in thing.links)
    elif isinstance(thing, Assembly):
        assembly, own_shape, own_patches, links = thing, None, (), ()
        center = assembly.positions.mean(axis=0)
    elif hasattr(thing, "drawing") and isinstance(getattr(thing, "assembly", None), Assembly):  # a scene
        assembly, center = thing.assembly, thing.com
        own_shape, own_patches = thing.drawing.shape, thing.drawing.faces
        links = tuple(points for _, points in thing.drawing.links)
    else:
        raise InputError(f"is a {type(thing).__name__}", where="assembly", fix="give an Assembly, a Device or a Scene")
    units = given or own_patches
    faces = tuple(polygon for index, unit in enumerate(units) for polygon in _polygons(index, unit))
    groups = _groups(assembly.contacts)
    faces = faces or tuple(polygon for group in groups if (polygon := _hull(group)) is not None)
    frames = tuple((np.mean([c.position for c in group], axis=0), group[0].rotation) for group in groups)
    return Subject(assembly, faces, frames, links, own_shape if shape is None else shape, center)


def _polygons(index: int, unit: Any) -> tuple[Array, ...]:
    """The polygons of a Patch, or one polygon given as corners."""
    if isinstance(unit, Patch):
        return tuple(np.asarray(face) for face in unit.faces)
    corners = checks.array(f"patches[{index}]", unit, ("m", 3))
    if len(corners) < 3:
        raise InputError(
            f"has {len(corners)} corners", where=f"patches[{index}]", fix="give a Patch or at least three corners"
        )
    return (corners,)


def _groups(contacts: Sequence[Contact]) -> list[list[Contact]]:
    """Contacts of one unit together: those called name[0], name[1], ... with one frame; all others alone."""
    groups: dict[Any, list[Contact]] = {}
    for index, contact in enumerate(contacts):
        stem, bracket, _ = contact.name.rpartition("[")
        key = (stem, contact.rotation.round(9).tobytes()) if bracket and contact.name.endswith("]") else index
        groups.setdefault(key, []).append(contact)
    return list(groups.values())


def _hull(group: Sequence[Contact]) -> Array | None:
    """The convex polygon round three or more contacts in the tangent plane of their common frame, or None."""
    if len(group) < 3:
        return None
    from scipy.spatial import ConvexHull

    points = np.array([contact.position for contact in group])
    middle = points.mean(axis=0)
    local = (points - middle) @ group[0].rotation
    spread = np.linalg.svd(local[:, :2] - local[:, :2].mean(axis=0), compute_uv=False)
    if np.abs(local[:, 2]).max() > FLAT_PATCH * max(spread[0], 1e-300) or spread[1] <= tolerances.FLAT * spread[0]:
        return None
    return points[ConvexHull(local[:, :2]).vertices]
