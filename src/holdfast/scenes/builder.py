"""From what a scene file says to a Scene: contacts, patches, loads, shapes and devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import checks
from ..assembly import Contact, Patch, patch_from_mesh
from ..assembly.assembly import Assembly
from ..assembly.files_joint_builder import Rows, Touching, build_finger, build_joint, stack
from ..checks import Array
from ..files.error_context import Site
from ..files.parts import Framed, build_load, build_pose
from ..force_limits.files_volume_builder import Volumes
from ..geometry.frames import Pose, frame_from_normal, rotation
from ..papers import devices
from ..reliability.files_scatter_builder import build_scatter
from .scene import BoxShape, CylinderShape, Drawing, MeshShape, ObjectShape, Scene, SphereShape
from .schema import BoxPart, CylinderPart, MeshPart, MeshPatchPart, PadPart, PolygonPart, SceneDocument

#: A curved plate of a device lies to either side of +z, as seen from its axis.
UP = (0.0, 0.0, 1.0)


def build_scene(document: SceneDocument, site: Site) -> Scene:
    """The scene that `document` describes; every fault is a SceneError of the file behind `site`."""
    volumes = Volumes(document.volumes, site / "volumes")
    if document.device is not None:
        return _from_device(document, document.device, volumes, site)
    touching = Touching()
    for number, part in enumerate(document.contacts):
        with (here := site / "contacts" / number).watch():
            volume = volumes.force_volume(part.volume, here / "volume", part.scale)
            contact = Contact(np.array(part.position), _frame(part), volume, part.name)
            touching.add(part.name, [contact])
    for number, part in enumerate(document.patches):
        with (here := site / "patches" / number).watch():
            patch = _patch(part, volumes, here)
            touching.add(part.name, patch.contacts, patch.faces)
    links: list[tuple[str, Array]] = []
    finger_rows: list[Rows] = []
    for number, part in enumerate(document.fingers):
        rows, joints = build_finger(part, volumes, touching, site / "fingers" / number)
        finger_rows.append(rows)
        links.append((part.name, joints))
    joint_rows = [build_joint(part, touching, site / "joints" / number) for number, part in enumerate(document.joints)]
    rows, weight = stack([*joint_rows, *finger_rows], len(touching.contacts), np.array(document.gravity))
    with site.watch():
        assembly = Assembly(touching.contacts, rows, document.name)
        thing = document.object
        return _scene(
            document,
            site,
            assembly=assembly,
            volume_names=volumes.names,
            scatter=build_scatter(document.scatter, assembly, volumes, site / "scatter"),
            mass=thing.mass,
            com=np.array(thing.com or (0.0, 0.0, 0.0)),
            link_gravity=weight,
            drawing=Drawing(_shape(thing.shape, site / "object" / "shape"), tuple(touching.faces), tuple(links)),
        )


def _from_device(document: SceneDocument, part: Any, volumes: Volumes, site: Site) -> Scene:
    """A ready device; what the file says of the object goes before what the device says."""
    here = site / "device"
    gravity = np.array(document.gravity)
    with here.watch():
        given = part.model_dump(exclude={"kind", "unit"}, exclude_unset=True)
        if part.unit is not None:
            given["unit"] = volumes.force_volume(part.unit, here / "unit")
        device = devices.create(part.kind, **given)
        assembly = device.assembly(gravity)
    thing, held = document.object, device.object
    shape = _shape(thing.shape, site / "object" / "shape") or _plate(held.shape)
    faces = tuple(face for patch in device.patches for face in patch.faces)
    links = tuple((link.name, link.points) for link in device.links)
    with site.watch():
        return _scene(
            document,
            site,
            assembly=Assembly(assembly.contacts, assembly.joints, document.name or device.name),
            volume_names=volumes.names,
            scatter=build_scatter(document.scatter, assembly, volumes, site / "scatter"),
            mass=held.mass if thing.mass is None else thing.mass,
            com=held.com if thing.com is None else np.array(thing.com),
            link_gravity=device.gravity_matrix,
            drawing=Drawing(shape, faces, links),
        )


def _scene(document: SceneDocument, site: Site, *, drawing: Drawing, **parts: Any) -> Scene:
    """What all scenes share."""
    if document.drawing is not None:
        faces = tuple(checks.array("faces", face, ("m", 3)) for face in document.drawing.faces)
        links = tuple((link.name, checks.array("points", link.points, ("m", 3))) for link in document.drawing.links)
        drawing = Drawing(drawing.shape, (*drawing.faces, *faces), (*drawing.links, *links))
    return Scene(
        name=document.name or site.source.path.stem,
        gravity=np.array(document.gravity),
        loads={name: build_load(part) for name, part in document.loads.items()},
        drawing=drawing,
        description=document.description,
        path=site.source.path,
        **parts,
    )


def _frame(part: Framed) -> Array:
    """(3, 3) contact frame, columns (u, v, n)."""
    if part.rotation is not None:
        return rotation("rotation", part.rotation)
    assert part.normal is not None  # the schema wants one of the two
    return frame_from_normal(part.normal, part.shear)


def _patch(part: Any, volumes: Volumes, site: Site) -> Patch:
    """One entry of `patches`."""
    if isinstance(part, MeshPatchPart):
        return _mesh_patch(part, volumes, site)
    pose = Pose(_frame(part), np.array(part.position))
    if isinstance(part, PadPart):
        return Patch.of_pad(pose, volumes.pad(part.volume, site / "volume"), name=part.name)
    volume = volumes.force_volume(part.volume, site / "volume", part.scale)
    points = "corners" if isinstance(part.points, str) else (part.points[0], part.points[1])
    if isinstance(part, PolygonPart):
        return Patch.polygon(pose, part.corners, volume, points=points, name=part.name)
    return Patch.rectangle(pose, part.size, volume, points=points, name=part.name)


def _mesh_patch(part: MeshPatchPart, volumes: Volumes, site: Site) -> Patch:
    faces: Any = None if part.faces is None else np.array(part.faces, dtype=np.int64)
    if part.facing is not None:
        wanted, least = checks.direction("facing", part.facing, 3), np.cos(part.within)
        faces = lambda centres, normals: normals @ wanted >= least  # noqa: E731 - a one-line choice of faces
    return patch_from_mesh(
        site.file(part.file),
        volumes.force_volume(part.volume, site / "volume"),
        points=part.points,
        shear=part.shear,
        faces=faces,
        body=part.body,
        pose=build_pose(part),
        scale=part.scale,
        name=part.name,
    )


# -- shapes -----------------------------------------------------------------------------------------


def _shape(part: Any, site: Site) -> ObjectShape | None:
    """The outline of the object, from the file."""
    if part is None:
        return None
    with site.watch():
        if isinstance(part, BoxPart):
            return BoxShape(np.array(part.size), build_pose(part))
        if isinstance(part, CylinderPart):
            frame = frame_from_normal(checks.direction("axis", part.axis, 3), part.middle)
            arc = np.pi if part.arc is None else min(part.arc, np.pi)
            return CylinderShape(part.radius, part.length, Pose(frame, np.array(part.position)), arc)
        if isinstance(part, MeshPart):
            from ..assembly.mesh import world_triangles

            file = site.file(part.file)
            return MeshShape(file, part.scale, build_pose(part), world_triangles(file, part.scale, build_pose(part)))
        return SphereShape(part.radius, np.array(part.position))


def _plate(shape: devices.Cylinder | None) -> CylinderShape | None:
    """The curved plate of a device."""
    if shape is None:
        return None
    pose = Pose(frame_from_normal(shape.axis, UP), shape.center)
    return CylinderShape(shape.radius, shape.length, pose, shape.half_angle)
