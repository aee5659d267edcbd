"""Scene files: their fields, how a Scene is built from them, and how a Scene is written.

All units are SI; vectors are in the world frame unless stated otherwise.
"""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, create_model, model_validator

from .. import checks, devices
from ..assembly import Contact, Patch, Unit, contact_regions, patch_from_mesh, region_contacts
from ..assembly.assembly import WORLD, Assembly
from ..assembly.files import (
    MOST_CONTACTS,
    MOST_NUMBERS,
    FingerPart,
    JointChoice,
    NamedContacts,
    Suspensions,
    WeighedRows,
    build_finger,
    build_joint,
    cells,
    stack,
    suspension_data,
)
from ..assembly.loads import STANDARD_GRAVITY
from ..assembly.shapes import Box, Cylinder, Mesh, Shape, Sphere, convex_mesh, filled
from ..checks import Array, check_size
from ..dynamics.mass import RigidBody, inertia_matrix
from ..errors import InputError, SceneError, UnknownNameError
from ..files.reader import FileFormat, json_schema
from ..files.schema import (
    MOST_POINTS,
    PRESSURE,
    File,
    Framed,
    Length,
    LoadPart,
    Name,
    Number,
    Part,
    Placed,
    Points,
    Positive,
    Pressure,
    Vector,
    build_frame,
    build_load,
    build_pose,
    by_field,
    by_type,
    complaint,
)
from ..files.yaml_source import Site, yaml_text
from ..force_limits import ForceVolume
from ..force_limits.files import Suspended, VolumeChoice, Volumes
from ..force_limits.models import default_suspension
from ..geometry.frames import Pose, frame_from_normal
from ..inputs import checked_path, write_whole
from ..public_names import with_advice
from ..reliability.files import ScatterPart, band_volumes, build_scatter, scatter_data
from ..tolerances import LARGEST_MASS, SMALLEST_MASS
from .scene import Scene, SceneDrawing

#: Version of the scene format that this Holdfast writes, and the newest it reads.
SCENE_VERSION = 1


class BoxPart(Placed):
    """A box, centred on its position."""

    kind: Literal["box"]
    size: Annotated[list[Length], Field(min_length=3, max_length=3, description="along x, y and z of the box [m]")]


class CylinderPart(Part):
    """A cylinder, centred on its position."""

    kind: Literal["cylinder"]
    radius: Length = Field(description="[m]")
    length: Length = Field(description="along the axis [m]")
    position: Vector = Field([0.0, 0.0, 0.0], description="halfway along the axis [m]")
    axis: Vector = Field([0.0, 0.0, 1.0], description="direction of the axis")
    arc: Annotated[float, Field(gt=0.0, le=3.1416)] | None = Field(
        None, description="for a curved plate: how far it goes round to either side of its middle [rad]"
    )
    middle: Vector | None = Field(None, description="direction from the axis to the middle of the plate")


class SpherePart(Part):
    """A ball."""

    kind: Literal["sphere"]
    radius: Length = Field(description="[m]")
    position: Vector = Field([0.0, 0.0, 0.0], description="centre [m]")


class MeshPart(Placed):
    """A surface from a file (STL, OBJ, PLY, ...), or by its triangles."""

    kind: Literal["mesh"]
    file: File | None = Field(None, description="path, relative to the scene file")
    vertices: list[Vector] | None = Field(None, min_length=3, description="corners of the triangles, without a file")
    faces: list[Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=3, max_length=3)]] | None = Field(
        None, min_length=1, description="three numbers of vertices per triangle, counter-clockwise seen from outside"
    )
    scale: Positive = Field(1.0, description="metres per unit of the mesh: 0.001 for millimetres")

    @model_validator(mode="after")
    def _one_source(self) -> MeshPart:
        listed = [part for part in (self.vertices, self.faces) if part is not None]
        if len(listed) == 1 or bool(listed) == (self.file is not None):
            raise complaint("needs either a file or triangles", "give file, or vertices and faces")
        return self


class HullPart(Placed):
    """The convex hull of points: a wedge, a prism, any convex block."""

    kind: Literal["hull"]
    points: list[Vector] = Field(min_length=4, max_length=MOST_POINTS, description="[m], from its position")


ShapeChoice = by_field(
    "kind",
    {"box": BoxPart, "cylinder": CylinderPart, "sphere": SpherePart, "mesh": MeshPart, "hull": HullPart},
    "shape",
)


InertiaChoice = by_type(
    ((int, float), Positive),
    (list, Annotated[list[Number], Field(min_length=3, max_length=6)]),
    fix="give one number, or a list of three or six: [xx, yy, zz, xy, xz, yz]",
)


class ObjectPart(Part):
    """The object that is held."""

    mass: Annotated[float, Field(allow_inf_nan=False, ge=SMALLEST_MASS, le=LARGEST_MASS)] | None = Field(
        None, description="[kg]; without it the scene has no weight"
    )
    com: Vector | None = Field(None, description="centre of mass in the world [m]; the origin by default")
    inertia: InertiaChoice | None = Field(
        None,
        description="about the centre of mass, world axes [kg m^2]: one number for a ball, [xx, yy, zz], or "
        "[xx, yy, zz, xy, xz, yz] as entries of the matrix; from the shape by default; only motion uses it",
    )
    shape: ShapeChoice | None = Field(None, description="outline, for pictures and for the inertia")


class BodyPart(Part):
    """One of several bodies."""

    mass: Annotated[float, Field(allow_inf_nan=False, ge=SMALLEST_MASS, le=LARGEST_MASS)] | None = Field(
        None, description="[kg]"
    )
    density: Positive | None = Field(None, description="of the shape, instead of the mass [kg/m^3]")
    com: Vector | None = Field(None, description="centre of mass in the world [m]; the middle of the shape by default")
    inertia: InertiaChoice | None = Field(
        None,
        description="about the centre of mass, world axes [kg m^2], as that of an object; from the shape by default",
    )
    shape: ShapeChoice | None = Field(None, description="for interfaces, pictures, the inertia and the centre of mass")

    @model_validator(mode="after")
    def _weighs_something(self) -> BodyPart:
        if self.mass is None and self.density is None:
            raise complaint("has no mass", "give mass [kg], or density [kg/m^3] and a shape")
        if self.mass is not None and self.density is not None:
            raise complaint("has its mass twice", "give mass or density")
        if self.density is not None and self.shape is None:
            raise complaint("has a density without a shape", "give a shape, or mass", "density")
        if self.com is None and self.shape is None:
            raise complaint("has no centre of mass", "give com [m], or a shape")
        return self


class Touching(Part):
    """Which of several bodies touch."""

    body: Name | None = Field(None, description="the body that the force acts on, where there are several")
    against: Name | None = Field(None, description="the body on the other side; world, or left out: the world")


class InterfacePart(Touching):
    """Contacts where the shapes of two bodies, or of a body and the world, touch."""

    touching: Literal["all"] | None = Field(
        None, description="all: every pair that touches and that no other interface names, instead of body and against"
    )
    volume: Name = Field(description="one of volumes")
    scale: Positive = Field(1.0, description="multiple of the volume")
    share: Literal["point", "region", "area"] | None = Field(
        None,
        description="what has the strength of the volume: each point (default; exact for friction cones), one face, "
        "line or point (region), or one square metre (area)",
    )
    gap: Length | None = Field(None, description="surfaces closer than this touch [m]; 1e-3 of the size by default")
    walls: bool = Field(False, description="whether bodies side by side have friction where nothing squeezes them")
    shear: Vector | None = Field(None, description="direction that the shear axis follows as far as the surface allows")

    @model_validator(mode="after")
    def _one_choice(self) -> InterfacePart:
        if (self.touching is None) == (self.body is None):
            what = "names no body" if self.body is None else "has both a body and touching: all"
            raise complaint(what, "give body with against, or touching: all")
        if self.body is None and self.against is not None:
            raise complaint("has no body", "also give body", "against")
        return self


class SceneLoadPart(LoadPart):
    """An external wrench on the object or on a body; or wrenches on several bodies."""

    body: Name | None = Field(None, description="the body that it acts on, where there are several")
    bodies: dict[Name, LoadPart] | None = Field(None, description="wrenches on several bodies at once, by their names")

    @model_validator(mode="after")
    def _one_form(self) -> SceneLoadPart:
        if self.bodies is not None and len(self.model_fields_set) > 1:
            raise complaint("has both a wrench and bodies", "give only bodies: {name: {force: ...}}, or body and force")
        return self


class ContactPart(Framed, Suspended, Touching):
    """A point contact."""

    name: str = Field("", max_length=100, description="how reports call it")
    position: Vector = Field(description="[m]")
    volume: Name = Field(description="one of volumes")
    scale: Positive = Field(1.0, description="fraction of the volume that this point has")
    unit: Name | None = Field(None, description="contacts with the same unit, one after another, share one piece")
    share: Positive | None = Field(
        None, description="area at this point of a unit of uniform pressure, relative to its other points"
    )


class FlatPatch(Framed, Suspended, Touching):
    """Fields that all patches in a plane have."""

    name: str = Field("", max_length=100, description="how reports call it")
    position: Vector = Field(description="origin of the patch [m]")
    volume: Name = Field(description="one of volumes: that of the whole unit")
    scale: Positive = Field(1.0, description="strength of the whole unit, as a multiple of the volume")
    points: Points | None = Field(None, description="corners, or numbers of cells along shear and across: [2, 3]")
    pressure: Pressure | None = Field(None, description=f"{PRESSURE}; by default uniform where the volume only presses")
    corners: Literal["shared", "independent"] = Field(
        "shared", description="whether its points share one piece of the volume, or choose independently"
    )


class RectanglePart(FlatPatch):
    """A rectangular unit, centred on its position."""

    kind: Literal["rectangle"]
    size: Annotated[list[Length], Field(min_length=2, max_length=2, description="along the shear and across [m]")]


class PolygonPart(FlatPatch):
    """A unit bounded by a polygon."""

    kind: Literal["polygon"]
    outline: list[Annotated[list[Number], Field(min_length=2, max_length=2)]] = Field(
        min_length=3, max_length=1000, description="its corners along the shear and across, from the position [m]"
    )


class PadPart(Framed, Suspended, Touching):
    """A unit whose model consists of several points: soft_finger, suction_ring."""

    kind: Literal["pad"]
    name: str = Field("", max_length=100, description="how reports call it")
    position: Vector = Field(description="centre of the pad [m]")
    volume: Name = Field(description="one of volumes, with a model that consists of several points")
    pressure: Pressure = Field("free", description=PRESSURE)


class MeshPatchPart(Placed, Suspended):
    """A unit that touches along a region of a mesh; each of its points has the same fraction of the area."""

    kind: Literal["mesh"]
    name: str = Field("", max_length=100, description="how reports call it")
    file: File = Field(description="path of the mesh, relative to the scene file")
    scale: Positive = Field(1.0, description="metres per unit of the mesh: 0.001 for millimetres")
    volume: Name = Field(description="one of volumes: that of the whole unit")
    points: Annotated[int, Field(ge=1, le=MOST_POINTS, description="number of contacts")]
    pressure: Pressure = Field("free", description=PRESSURE)
    corners: Literal["shared", "independent"] = Field(
        "shared", description="whether its points share one piece of the volume, or choose independently"
    )
    shear: Vector = Field(description="direction in the world in which the contact is strongest")
    body: Name = Field("object", description="whose surface the mesh is, object or gripper; of several bodies its name")
    against: Name | None = Field(None, description="the body on the other side; world, or left out: the world")
    surface: Literal["body", "against"] = Field("body", description="of several bodies: on whose side the mesh is")
    faces: list[Annotated[int, Field(ge=0)]] | None = Field(
        None, description="faces that touch, by number; all by default"
    )
    facing: Vector | None = Field(None, description="take only faces whose outward normal points this way ...")
    within: Annotated[float, Field(gt=0.0, le=3.2)] = Field(0.5, description="... to this angle [rad]")

    @model_validator(mode="after")
    def _one_selection(self) -> MeshPatchPart:
        if self.faces is not None and self.facing is not None:
            raise complaint("selects its faces twice", "give faces or facing")
        return self


PatchChoice = by_field(
    "kind", {"rectangle": RectanglePart, "polygon": PolygonPart, "pad": PadPart, "mesh": MeshPatchPart}, "patch"
)


def _device_part(name: str, device: devices.DeviceKind) -> type[Part]:
    """The part of a ready device: its conditions, its unit, its dimensions."""
    own: dict[str, Any] = {
        word: (Literal[choices], Field(choices[0], description=meaning))
        for word, (meaning, choices) in device.conditions.items()
    }
    own["unit"] = (Name | None, Field(None, description="one of volumes: that of one unit; microspines by default"))
    corners = "whether the corners of a unit share one piece"
    own["corners"] = (Literal["shared", "independent"], Field("shared", description=corners))
    for size in fields(device.dimensions):
        text, default = f"{size.metadata['meaning']} [{size.metadata['unit']}]", size.default
        pair = isinstance(default, tuple)
        number = Annotated[list[Number], Field(min_length=len(default), max_length=len(default))] if pair else Number
        own[size.name] = (number, Field(list(default) if pair else default, description=text))
    return create_model(
        f"{name}_device",
        __base__=Suspended,
        __doc__=device.summary,
        kind=(Literal[name], Field(description=device.summary)),
        **own,
    )


DeviceChoice = by_field(
    "kind", {name: _device_part(name, device) for name, device in devices.DEVICES.items()}, "device"
)


class LinkPart(Part):
    """A part of the gripper as a line of points."""

    name: str = Field("", max_length=100)
    points: list[Vector] = Field(min_length=2, description="[m]")


class DrawingPart(Part):
    """What pictures show in addition to the contacts."""

    faces: list[Annotated[list[Vector], Field(min_length=3)]] = Field([], description="polygons of the patches [m]")
    links: list[LinkPart] = Field([], description="parts of the gripper")


class SceneDocument(Part):
    """A scene: an object or several bodies, their contacts and loads. Units are SI, vectors in the world frame."""

    holdfast: Literal[1] = Field(description="version of the scene format")
    name: str = Field("", max_length=200, description="how reports call it")
    description: str = Field("", max_length=10_000, description="what it is, in words")
    object: ObjectPart = Field(ObjectPart(), description="what is held")
    bodies: dict[Name, BodyPart] = Field({}, description="several bodies by their names, instead of the object")
    world: list[ShapeChoice] = Field([], description="shapes that do not move: floor, walls")
    gravity: Vector = Field([0.0, 0.0, -STANDARD_GRAVITY], description="acceleration [m/s^2]")
    loads: dict[Name, SceneLoadPart] = Field({}, description="named external wrenches on the object, or on bodies")
    volumes: dict[Name, VolumeChoice] = Field({}, description="named sets of admissible forces")
    contacts: list[ContactPart] = Field([], description="point contacts")
    patches: list[PatchChoice] = Field([], description="units that touch with a surface")
    interfaces: list[InterfacePart] = Field([], description="contacts where the shapes of bodies touch")
    fingers: list[FingerPart] = Field([], description="planar fingers with their units")
    joints: list[JointChoice] = Field([], description="joint rows on the contacts")
    device: DeviceChoice | None = Field(None, description="a ready device, in place of contacts and joints")
    scatter: ScatterPart | None = Field(None, description="scatter of the specimens about the nominal values")
    drawing: DrawingPart | None = Field(None, description="for pictures only")

    @model_validator(mode="after")
    def _something_touches(self) -> SceneDocument:
        parts = {"contacts": self.contacts, "patches": self.patches, "fingers": self.fingers, "joints": self.joints}
        parts |= {"bodies": self.bodies, "interfaces": self.interfaces}
        given = [name for name, part in parts.items() if part]
        if self.device is not None and given:
            raise complaint(f"has a device and {given[0]}", f"a device has its own: leave out device or {given[0]}")
        if self.bodies and "object" in self.model_fields_set:
            raise complaint("has an object and bodies", "give the object as one of the bodies")
        if self.interfaces and not self.bodies:
            raise complaint("has interfaces and no bodies", "give bodies with shapes", "interfaces")
        if self.device is None and not (self.contacts or self.patches or self.fingers or self.interfaces):
            what = "nothing touches the bodies" if self.bodies else "nothing touches the object"
            raise complaint(what, f"give contacts, patches, fingers or {'interfaces' if self.bodies else 'a device'}")
        return self


@with_advice()
def scene_schema() -> dict[str, Any]:
    """The JSON Schema of scene files, for editors and other programs."""
    return json_schema(SceneDocument, "Holdfast scene")


# -- from a document to a Scene ----------------------------------------------------------------------


def build_scene(document: SceneDocument, site: Site) -> Scene:
    """The scene that `document` describes; every fault is a SceneError with the file of `site`."""
    with site.watch():
        _check_size(document)
    volumes = Volumes(document.volumes, site / "volumes")
    suspensions = Suspensions(document.volumes, site / "volumes")
    if document.device is not None:
        return _from_device(document, document.device, volumes, suspensions, site)
    bodies = {name: _body(name, part, site / "bodies" / name) for name, part in document.bodies.items()}
    world = tuple(_shape(part, site / "world" / number) for number, part in enumerate(document.world))
    touching = NamedContacts()
    units: dict[str, Unit] = {}
    for number, part in enumerate(document.contacts):
        with (here := site / "contacts" / number).watch():
            volume = volumes.force_volume(part.volume, here / "volume", part.scale)
            pressure = "free" if part.share is None else "uniform"
            unit = None if part.unit is None else units.setdefault(part.unit, Unit(part.unit, pressure))
            suspension = suspensions.of_unit(part, part.volume, here, part.scale)
            sides = _sides(part, bodies, here)
            point, frame, share = np.array(part.position), build_frame(part), part.share or 1.0
            touching.add(part.name, [Contact(point, frame, volume, part.name, unit, suspension, *sides, share)])
    for number, part in enumerate(document.patches):
        with (here := site / "patches" / number).watch():
            scale = part.scale if isinstance(part, FlatPatch) else 1.0  # of the mesh, in its part
            sides = _sides(part, bodies, here)
            patch = _patch(part, volumes, here, bool(bodies))
            patch = patch.suspended(suspensions.of_unit(part, part.volume, here, scale))
            touching.add(part.name, _between(patch.contacts, sides), patch.faces)
    found = _add_interfaces(document, bodies, world, volumes, touching, site / "interfaces")
    with site.watch():
        _check_rows(document, touching)
    links: list[tuple[str, Array]] = []
    finger_rows: list[WeighedRows] = []
    for number, part in enumerate(document.fingers):
        sides = _sides(part, bodies, site / "fingers" / number)
        before = len(touching.contacts)
        rows, joints = build_finger(part, volumes, suspensions, touching, site / "fingers" / number)
        touching.contacts[before:] = _between(touching.contacts[before:], sides)
        finger_rows.append(rows)
        links.append((part.name, joints))
    joint_rows = [build_joint(part, touching, site / "joints" / number) for number, part in enumerate(document.joints)]
    rows, weight = stack([*joint_rows, *finger_rows], len(touching.contacts), np.array(document.gravity))
    _check_connected(bodies, touching.contacts, site)
    with site.watch():
        assembly = Assembly(touching.contacts, rows, document.name)
        thing = document.object
        shape = _shape(thing.shape, site / "object" / "shape")
        what: dict[str, Any] = {"bodies": tuple(bodies.values())}
        if not bodies:
            what = {"mass": thing.mass, "com": np.array(thing.com or (0.0, 0.0, 0.0))}
        scene = _scene(
            document,
            site,
            assembly=assembly,
            found=found,
            volume_names=volumes.names,
            scatter=build_scatter(document.scatter, assembly, volumes, site / "scatter"),
            link_gravity=weight,
            drawing=SceneDrawing(shape, tuple(touching.faces), tuple(links), world),
            **what,
        )
        return scene.squeezed() if found else scene


#: Most bodies and fixed shapes of a scene, and most of its parts that are read from a mesh file.
MOST_BODIES, MOST_MESHES = 1000, 100


def _check_size(document: SceneDocument) -> None:
    """An InputError where the whole scene is too large; what only its building shows is counted there."""
    contacts = len(document.contacts) + sum(_cells(part) for part in document.patches)
    contacts += sum(cells(unit.points) for finger in document.fingers for unit in finger.units)
    check_size("contacts", contacts, MOST_CONTACTS)
    check_size("bodies and fixed shapes", len(document.bodies) + len(document.world), MOST_BODIES)
    shapes = [document.object.shape, *(body.shape for body in document.bodies.values()), *document.world]
    files = [part for part in (*shapes, *document.patches) if getattr(part, "file", None) is not None]
    check_size("meshes from files", len(files), MOST_MESHES)
    check_size("numbers in loads", 6 * len(document.loads) * max(len(document.bodies), 1), MOST_NUMBERS)


def _cells(part: Any) -> int:
    """The points of a patch; those of a pad, which its model has, are counted when it is built."""
    return 1 if isinstance(part, PadPart) else max(cells(part.points), len(getattr(part, "outline", ())))


def _check_rows(document: SceneDocument, touching: NamedContacts) -> None:
    """An InputError where the joint rows of a scene have too many numbers."""
    contacts = len(touching.contacts) + sum(cells(unit.points) for part in document.fingers for unit in part.units)
    rows = len(document.joints) + sum(len(part.lengths) for part in document.fingers)
    rows += sum(contact.unit is not None and contact.unit.pressure == "uniform" for contact in touching.contacts)
    check_size("numbers in rows of joints and pads", 3 * rows * contacts, MOST_NUMBERS)


# -- several bodies ------------------------------------------------------------------------------------


def _body(name: str, part: BodyPart, site: Site) -> RigidBody:
    if name == WORLD:
        fix = "use another name: world means everything that does not move"
        raise site.fault("is not allowed as the name of a body", fix=fix)
    shape, mass = _shape(part.shape, site / "shape"), part.mass
    with site.watch():
        com = None if part.com is None else np.array(part.com)
        if shape is not None and (mass is None or com is None):
            volume, middle = filled(shape)
            mass = (part.density or 0.0) * volume if mass is None else mass
            com = middle if com is None else com
        return RigidBody(mass, com, _inertia(part.inertia, mass, site / "inertia"), name, shape)


def _sides(part: Any, bodies: Mapping[str, Any], site: Site) -> tuple[str | None, str | None]:
    """(body, against) of a contact, patch or finger; (None, None) in a scene of one object."""
    body, against = part.body, getattr(part, "against", None)
    if not bodies:
        if isinstance(part, MeshPatchPart) and body not in ("object", "gripper"):
            error = UnknownNameError("side", body, ["object", "gripper"])
            raise (site / "body").fault(error.what, fix=error.fix)
        named = [key for key in ("body", "against") if getattr(part, key, None) is not None]
        if named and not isinstance(part, MeshPatchPart):
            fix = "give the bodies by their names: bodies: {NAME: {mass: ...}}"
            raise (site / named[0]).fault("names a body, and there are none", fix=fix)
        return None, None
    if body is None or (isinstance(part, MeshPatchPart) and "body" not in part.model_fields_set):
        raise site.fault("names no body", fix=f"give body: one of {', '.join(bodies)}")
    return _known_body(body, bodies, site / "body"), _other_body(body, against, bodies, site / "against")


def _known_body(name: str, bodies: Mapping[str, Any], site: Site) -> str:
    if name not in bodies:
        error = UnknownNameError("body", name, bodies)
        raise site.fault(error.what, fix=error.fix)
    return name


def _other_body(body: str, against: str | None, bodies: Mapping[str, Any], site: Site) -> str | None:
    if against is None or against == WORLD:
        return None
    if against == body:
        raise site.fault(f"body {body!r} touches itself", fix="give another body, or leave it out for the world")
    return _known_body(against, bodies, site)


def _between(contacts: Sequence[Contact], sides: tuple[str | None, str | None]) -> list[Contact]:
    return [replace(contact, body=sides[0], against=sides[1]) for contact in contacts]


def _add_interfaces(
    document: SceneDocument,
    bodies: Mapping[str, RigidBody],
    world: Sequence[Shape],
    volumes: Volumes,
    touching: NamedContacts,
    site: Site,
) -> dict[int, ForceVolume]:
    """The contacts of all `interfaces`, as "upper on lower"; volumes of those whose walls may be without friction."""
    found: dict[int, ForceVolume] = {}
    shapes = {name: body.shape for name, body in bodies.items() if body.shape is not None}
    named: list[tuple[str, str | None]] = []
    for number, part in enumerate(document.interfaces):
        if part.body is not None:
            sides = _sides(part, bodies, site / number)
            for key, name in zip(("body", "against"), sides, strict=True):
                if name is not None and name not in shapes:
                    raise (site / number / key).fault(f"{name!r} has no shape", fix="give it a shape, or contacts")
            if sides[1] is None and not world:
                raise (site / number).fault("the world has no shape", fix="give world: [{kind: box, ...}]")
            if any({*sides} == {*other} for other in named):
                raise (site / number).fault("repeats an interface", fix="give each pair of bodies once")
            named.append((sides[0] or "", sides[1]))
    for number in [number for number, part in enumerate(document.interfaces) if part.body is None][1:]:
        raise (site / number).fault("repeats touching: all", fix="give it once")
    waiting = iter(named)
    for number, part in enumerate(document.interfaces):
        with (here := site / number).watch():
            volume = volumes.force_volume(part.volume, here / "volume", part.scale)
            pairs = None if part.body is None else [next(waiting)]
            skip = named if pairs is None else ()
            regions = contact_regions(shapes, world=world, gap=part.gap, pairs=pairs, skip=skip)
            if not regions:
                body, against = pairs[0] if pairs else ("", None)
                what = f"{body!r} and {against or WORLD!r} do not touch" if pairs else "no shapes touch"
                raise here.fault(what, fix="move them together, or give a larger gap [m]")
            for contact in region_contacts(regions, volume, share=part.share, shear=part.shear):
                if not part.walls:
                    found[len(touching.contacts)] = contact.volume
                touching.add(contact.name.partition("[")[0], [contact])
            touching.faces += [piece for region in regions for piece in region.pieces if len(piece) > 2]
    return found


def _check_connected(bodies: Mapping[str, RigidBody], contacts: Sequence[Contact], site: Site) -> None:
    """A fault at the first body that is not connected to the world by contacts."""
    links = {(contact.body, contact.against) for contact in contacts}
    reached: set[str | None] = {None}
    grown = True
    while grown:
        next_to = {name for pair in links if reached.intersection(pair) for name in pair}
        grown = not next_to <= reached
        reached |= next_to
    for name in bodies:
        if name not in reached:
            alone = all(name not in pair for pair in links)
            what = "touches nothing" if alone else "is not connected to the world"
            fix = "give it a contact with the world, or with a body that is connected"
            raise (site / "bodies" / name).fault(what, fix=fix)


def _load(part: SceneLoadPart, bodies: Mapping[str, Any], site: Site) -> Any:
    """A named load: (6,) on the object, or a mapping from bodies to (6,)."""
    if not bodies:
        if part.body is not None or part.bodies is not None:
            key = "body" if part.bodies is None else "bodies"
            fix = "leave it out, or give bodies: {NAME: {mass: ...}} at the top"
            raise (site / key).fault("names a body, and there are none", fix=fix)
        return build_load(part)
    if part.bodies is not None:
        here = site / "bodies"
        return {_known_body(name, bodies, here / name): build_load(each) for name, each in part.bodies.items()}
    if part.body is None:
        raise site.fault("names no body", fix=f"give body: one of {', '.join(bodies)}")
    return {_known_body(part.body, bodies, site / "body"): build_load(part)}


def _from_device(document: SceneDocument, part: Any, volumes: Volumes, suspensions: Suspensions, site: Site) -> Scene:
    """A ready device; values of the file for the object replace those of the device."""
    here = site / "device"
    gravity = np.array(document.gravity)
    with here.watch():
        given = part.model_dump(exclude={"kind", "unit", "suspension"}, exclude_unset=True)
        if part.unit is not None:
            given["unit"] = volumes.force_volume(part.unit, here / "unit")
        given["suspension"] = suspensions.of_unit(part, part.unit, here)
        device = devices.create(part.kind, **given)
        assembly = device.assembly(gravity)
    thing, held = document.object, device.object
    shape = _shape(thing.shape, site / "object" / "shape") or held.shape
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
            drawing=SceneDrawing(shape, faces, links),
        )


def _scene(document: SceneDocument, site: Site, *, drawing: SceneDrawing, **parts: Any) -> Scene:
    """A Scene from the parts that all kinds of scenes have."""
    if document.drawing is not None:
        faces = tuple(checks.array("faces", face, ("m", 3)) for face in document.drawing.faces)
        links = tuple((link.name, checks.array("points", link.points, ("m", 3))) for link in document.drawing.links)
        drawing = replace(drawing, faces=(*drawing.faces, *faces), links=(*drawing.links, *links))
    return Scene(
        name=document.name or site.source.path.stem,
        gravity=np.array(document.gravity),
        loads={name: _load(part, document.bodies, site / "loads" / name) for name, part in document.loads.items()},
        drawing=drawing,
        description=document.description,
        path=site.source.path,
        inertia=_inertia(document.object.inertia, parts.get("mass"), site / "object" / "inertia"),
        **parts,
    )


def _inertia(moments: Any, mass: float | None, site: Site) -> Array | None:
    if moments is None:
        return None
    with site.watch():
        if mass is None:
            raise InputError("is given without a mass", fix="also give mass")
        return inertia_matrix(moments, where="")


def _patch(part: Any, volumes: Volumes, site: Site, several: bool) -> Patch:
    """One entry of `patches`; `several`: there are several bodies."""
    if isinstance(part, MeshPatchPart):
        return _mesh_patch(part, volumes, site, several)
    pose = Pose(build_frame(part), np.array(part.position))
    if isinstance(part, PadPart):
        points = volumes.pad(part.volume, site / "volume")
        return Patch.of_pad(pose, points, pressure=part.pressure, name=part.name)
    volume = volumes.force_volume(part.volume, site / "volume", part.scale)
    cells: Any = tuple(part.points) if isinstance(part.points, list) else part.points
    options: Any = {"points": cells, "pressure": part.pressure, "corners": part.corners, "name": part.name}
    if isinstance(part, PolygonPart):
        return Patch.polygon(pose, part.outline, volume, **options)
    return Patch.rectangle(pose, part.size, volume, **options)


def _mesh_patch(part: MeshPatchPart, volumes: Volumes, site: Site, several: bool) -> Patch:
    whose: Any = part.body
    if several:
        whose = "object" if part.surface == "body" else "gripper"
    faces: Any = None if part.faces is None else np.array(part.faces, dtype=np.int64)
    if part.facing is not None:
        wanted, least = checks.direction("facing", part.facing, 3), np.cos(part.within)
        faces = lambda centres, normals: normals @ wanted >= least  # noqa: E731 - a one-line choice of faces
    return patch_from_mesh(
        site.file(part.file),
        volumes.force_volume(part.volume, site / "volume"),
        points=part.points,
        shear=part.shear,
        pressure=part.pressure,
        corners=part.corners,
        faces=faces,
        body=whose,
        pose=build_pose(part),
        scale=part.scale,
        name=part.name,
    )


# -- shapes -----------------------------------------------------------------------------------------


def _shape(part: Any, site: Site) -> Shape | None:
    """The outline of the object from the file."""
    if part is None:
        return None
    with site.watch():
        if isinstance(part, BoxPart):
            return Box(np.array(part.size), build_pose(part))
        if isinstance(part, CylinderPart):
            frame = frame_from_normal(checks.direction("axis", part.axis, 3), part.middle)
            arc = np.pi if part.arc is None else min(part.arc, np.pi)
            return Cylinder(np.array(part.position), frame[:, 2], part.radius, part.length, arc, frame[:, 0])
        if isinstance(part, HullPart):
            return convex_mesh(build_pose(part).apply(part.points))
        if isinstance(part, MeshPart):
            pose = build_pose(part)
            if part.file is None:
                return Mesh(pose.apply(part.scale * np.array(part.vertices)), np.array(part.faces))
            from ..assembly.contacts import world_triangles

            file = site.file(part.file)
            corners = world_triangles(file, part.scale, pose).reshape(-1, 3)
            return Mesh(corners, np.arange(len(corners)).reshape(-1, 3), file, part.scale, pose)
        return Sphere(part.radius, np.array(part.position))


# -- reading -----------------------------------------------------------------------------------------

#: How scene files are read; ready ones are called by "@name".
SCENES = FileFormat("scene", SceneDocument, build_scene, version=SCENE_VERSION)


@with_advice()
def load_scene(path: str | Path) -> Scene:
    """The scene in a file, or a ready one by "@name"; an invalid file raises a SceneError.

    Paths in the scene file are relative to its folder. If there are several faults, the first is raised and the others
    are its notes.
    """
    return SCENES.load(path)


@with_advice()
def scene_faults(path: str | Path) -> list[SceneError]:
    """Every fault of a scene file, in the order of the lines; [] when there is none.

    A fault that is found only while the contacts are built is reported alone.
    """
    return SCENES.faults(path)


@with_advice()
def ready_names() -> list[str]:
    """Names of the ready scenes, in order."""
    return SCENES.names()


@with_advice()
def ready_path(path: str | Path) -> Path:
    """The path of the file: that of a ready scene for "@name", otherwise `path` itself."""
    return SCENES.path(path)


# -- writing -----------------------------------------------------------------------------------------


@with_advice()
def save_scene(scene: Scene, path: str | Path) -> None:
    """Write `scene` to a YAML file that refers to no other file, except for meshes that come from a file.

    Models, measurements, patches and devices are written as convex pieces, contact points and joint rows.
    """
    target = checked_path(path)
    write_whole(target, yaml_text(scene_data(scene, target.parent)).encode())


def scene_data(scene: Scene, folder: Path) -> dict[str, Any]:
    """The scene as plain data; paths in it are relative to `folder`."""
    data: dict[str, Any] = {"holdfast": SCENE_VERSION, "name": scene.name}
    if scene.description:
        data["description"] = scene.description
    if scene.bodies:
        parts = {b.name: _body_data(b.mass, b.com, b.inertia, b.shape, folder) for b in scene.bodies}
        data |= {"bodies": parts, "gravity": scene.gravity.tolist()}
    else:
        thing = _body_data(scene.mass, scene.com, scene.inertia, scene.drawing.shape, folder)
        data |= {"object": thing, "gravity": scene.gravity.tolist()}
    if scene.drawing.world:
        data["world"] = [_shape_data(shape, folder) for shape in scene.drawing.world]
    if scene.loads:
        data["loads"] = {name: _load_data(wrench, scene) for name, wrench in scene.loads.items()}
    names: dict[Any, str] = {}  # fingerprint and default suspension -> name in the file
    volumes: dict[str, Any] = {}
    units: dict[Unit, str] = {}
    contacts = []

    def named(volume: ForceVolume) -> str:
        key = (volume.fingerprint, default_suspension(volume))
        if key not in names:
            names[key] = f"volume {len(names)}"
            volumes[names[key]] = _volume_data(volume)
        return names[key]

    for contact in scene.assembly.contacts:
        part: dict[str, Any] = {"name": contact.name} if contact.name else {}
        part |= {
            "position": contact.position.tolist(),
            "rotation": contact.rotation.tolist(),
            "volume": named(contact.volume),
        }
        if contact.unit is not None:
            part["unit"] = units.setdefault(contact.unit, f"{contact.unit.name or 'unit'} {len(units)}")
            if contact.unit.pressure == "uniform":
                part["share"] = contact.share
        if contact.suspension is not None:
            part["suspension"] = suspension_data(contact.suspension)
        if contact.body is not None:
            part |= {"body": contact.body, "against": contact.against or WORLD}
        contacts.append(part)
    data |= {"volumes": volumes, "contacts": contacts}
    if scene.assembly.mechanism is not None:
        data["joints"] = _rows_data(scene)
    if scene.scatter is not None:
        pairs = band_volumes(scene.scatter)
        bands = [(named(nominal), [named(level) for level in levels]) for nominal, levels in pairs]
        data["scatter"] = scatter_data(scene.scatter, bands)
    if scene.drawing.faces or scene.drawing.links:
        data["drawing"] = _drawing_data(scene.drawing)
    return data


def _body_data(mass: float | None, com: Array, inertia: Array | None, shape: Any, folder: Path) -> dict[str, Any]:
    """The object, or one of several bodies."""
    part: dict[str, Any] = {} if mass is None else {"mass": mass}
    part["com"] = com.tolist()
    if inertia is not None:
        entries = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()
        part["inertia"] = entries if any(entries[3:]) else entries[:3]
    if shape is not None:
        part["shape"] = _shape_data(shape, folder)
    return part


def _load_data(wrench: Array, scene: Scene) -> dict[str, Any]:
    if not scene.bodies:
        return {"force": wrench[:3].tolist(), "torque": wrench[3:].tolist()}
    parts = {
        name: {"force": own[:3].tolist(), "torque": own[3:].tolist()}
        for name, own in zip(scene.assembly.bodies, wrench.reshape(-1, 6), strict=True)
        if own.any()
    }
    return {"bodies": parts}


def _volume_data(volume: ForceVolume) -> dict[str, Any]:
    part: dict[str, Any] = {"pieces": [piece.tolist() for piece in volume.pieces]}
    if not volume.is_bounded:
        part["rays"] = [rays.tolist() for rays in volume.rays]
    if any(polytope.dimension < 3 for polytope in volume.polytopes):
        part["flat"] = True
    if volume.recipe is not None:
        part["origin"] = {"kind": volume.recipe.model, "share": volume.recipe.share * volume.recipe.factor}
    return part


def _rows_data(scene: Scene) -> list[dict[str, Any]]:
    """The joint rows, without the weight of the links, which the reader adds again."""
    joints = scene.assembly.mechanism
    assert joints is not None
    weight = np.asarray(scene.link_gravity)
    shift = weight @ scene.gravity
    rows = []
    for number in range(len(joints)):
        row: dict[str, Any] = {"kind": "row"}
        if joints.names:
            row["name"] = joints.names[number]
        row["jacobian"] = joints.jacobian[number].reshape(-1, 3).tolist()
        row |= {
            "lower": float(joints.lower[number] + shift[number]),
            "upper": float(joints.upper[number] + shift[number]),
        }
        if weight[number].any():
            row["gravity"] = weight[number].tolist()
        if joints.stiffness[number] > 0.0:
            row["stiffness"] = float(joints.stiffness[number])
        if np.isfinite(joints.servo[number]):
            row["servo"] = float(joints.servo[number])
        rows.append(row)
    return rows


def _shape_data(shape: Shape, folder: Path) -> dict[str, Any]:
    if isinstance(shape, Sphere):
        return {"kind": "sphere", "radius": shape.radius, "position": shape.center.tolist()}
    pose = {"position": shape.pose.translation.tolist(), "rotation": shape.pose.rotation.tolist()}
    if isinstance(shape, Box):
        return {"kind": "box", "size": shape.size.tolist()} | pose
    if isinstance(shape, Cylinder):
        part = {
            "kind": "cylinder",
            "radius": shape.radius,
            "length": shape.length,
            "position": pose["position"],
            "axis": shape.pose.rotation[:, 2].tolist(),
            "middle": shape.pose.rotation[:, 0].tolist(),
        }
        return part if shape.half_angle >= np.pi else {**part, "arc": float(shape.half_angle)}
    if shape.file is None:
        return {"kind": "mesh", "vertices": shape.vertices.tolist(), "faces": shape.faces.tolist()}
    file = Path(os.path.relpath(shape.file.resolve(), folder.resolve())).as_posix()
    return {"kind": "mesh", "file": file, "scale": shape.scale} | pose


def _drawing_data(drawing: SceneDrawing) -> dict[str, Any]:
    part: dict[str, Any] = {}
    if drawing.faces:
        part["faces"] = [face.tolist() for face in drawing.faces]
    if drawing.links:
        part["links"] = [{"name": name, "points": points.tolist()} for name, points in drawing.links]
    return part
