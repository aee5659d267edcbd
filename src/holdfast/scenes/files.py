"""Scene files: what they may say, how a Scene is built from them, and how one is written.

All units are SI; vectors are in the world unless said otherwise.
"""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, create_model, model_validator

from .. import checks
from ..assembly import Contact, Patch, Unit, patch_from_mesh
from ..assembly.assembly import Assembly
from ..assembly.files import (
    FingerPart,
    JointChoice,
    NamedContacts,
    Suspensions,
    WeighedRows,
    build_finger,
    build_joint,
    stack,
    suspension_data,
)
from ..assembly.loads import STANDARD_GRAVITY
from ..assembly.shapes import Box, Cylinder, Mesh, Shape, Sphere
from ..checks import Array
from ..dynamics.mass import inertia_matrix
from ..errors import FileError, InputError, SceneError
from ..files.reader import FileFormat, json_schema
from ..files.schema import (
    MOST_POINTS,
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
from ..papers import devices
from ..papers.devices import DeviceInfo, DeviceParameter
from ..papers.devices.grippers import list_devices
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
    """A surface from a file (STL, OBJ, PLY, ...)."""

    kind: Literal["mesh"]
    file: File = Field(description="path, relative to the scene file")
    scale: Positive = Field(1.0, description="metres per unit of the mesh: 0.001 for millimetres")


ShapeChoice = by_field(
    "kind", {"box": BoxPart, "cylinder": CylinderPart, "sphere": SpherePart, "mesh": MeshPart}, "shape"
)


InertiaChoice = by_type(
    ((int, float), Positive),
    (list, Annotated[list[Number], Field(min_length=3, max_length=6)]),
    fix="give one number, or a list of three or six: [xx, yy, zz, xy, xz, yz]",
)


class ObjectPart(Part):
    """What is held."""

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


class ContactPart(Framed, Suspended):
    """A point contact."""

    name: str = Field("", max_length=100, description="how reports call it")
    position: Vector = Field(description="[m]")
    volume: Name = Field(description="one of volumes")
    scale: Positive = Field(1.0, description="share of the volume that this point has")
    unit: Name | None = Field(None, description="contacts with the same unit, one after another, share one piece")


class FlatPatch(Framed, Suspended):
    """What patches in a plane share."""

    name: str = Field("", max_length=100, description="how reports call it")
    position: Vector = Field(description="origin of the patch [m]")
    volume: Name = Field(description="one of volumes: that of the whole unit")
    scale: Positive = Field(1.0, description="strength of the whole unit, as a multiple of the volume")
    points: Points = Field("corners", description="corners, or numbers of cells along shear and across: [2, 3]")
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


class PadPart(Framed, Suspended):
    """A unit whose model comes as points: soft_finger, suction_ring."""

    kind: Literal["pad"]
    name: str = Field("", max_length=100, description="how reports call it")
    position: Vector = Field(description="centre of the pad [m]")
    volume: Name = Field(description="one of volumes, of a model that comes as points")


class MeshPatchPart(Placed, Suspended):
    """A unit that touches along a region of a mesh; its points have equal shares of the area."""

    kind: Literal["mesh"]
    name: str = Field("", max_length=100, description="how reports call it")
    file: File = Field(description="path of the mesh, relative to the scene file")
    scale: Positive = Field(1.0, description="metres per unit of the mesh: 0.001 for millimetres")
    volume: Name = Field(description="one of volumes: that of the whole unit")
    points: Annotated[int, Field(ge=1, le=MOST_POINTS, description="number of contacts")]
    corners: Literal["shared", "independent"] = Field(
        "shared", description="whether its points share one piece of the volume, or choose independently"
    )
    shear: Vector = Field(description="direction in the world in which the contact is strongest")
    body: Literal["object", "gripper"] = Field("object", description="whose surface the mesh is")
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


def _parameter_field(parameter: DeviceParameter) -> tuple[Any, Any]:
    unit = f" [{parameter.unit}]" if parameter.unit else ""
    default, annotation = parameter.default, Number
    if parameter.choices:
        annotation = Literal[parameter.choices]
    elif isinstance(default, tuple):
        annotation = Annotated[list[Number], Field(min_length=len(default), max_length=len(default))]
        default = list(default)
    return annotation, Field(default, description=f"{parameter.meaning}{unit}")


def _device_part(info: DeviceInfo) -> type[Part]:
    own = [parameter for parameter in info.parameters if parameter.name not in Suspended.model_fields]
    fields: dict[str, Any] = {parameter.name: _parameter_field(parameter) for parameter in own}
    fields["unit"] = (Name | None, Field(None, description="one of volumes: that of one unit; microspines by default"))
    return create_model(
        f"{info.name}_device",
        __base__=Suspended,
        __doc__=info.summary,
        kind=(Literal[info.name], Field(description=info.summary)),
        **fields,
    )


DeviceChoice = by_field("kind", {info.name: _device_part(info) for info in list_devices()}, "device")


class LinkPart(Part):
    """A part of the gripper as a line of points."""

    name: str = Field("", max_length=100)
    points: list[Vector] = Field(min_length=2, description="[m]")


class DrawingPart(Part):
    """What pictures show in addition to the contacts."""

    faces: list[Annotated[list[Vector], Field(min_length=3)]] = Field([], description="polygons of the patches [m]")
    links: list[LinkPart] = Field([], description="parts of the gripper")


class SceneDocument(Part):
    """A scene: an object, what holds it, and what pulls at it. Units are SI, vectors in the world."""

    holdfast: Literal[1] = Field(description="version of the scene format")
    name: str = Field("", max_length=200, description="how reports call it")
    description: str = Field("", max_length=10_000, description="what it is, in words")
    object: ObjectPart = Field(ObjectPart(), description="what is held")
    gravity: Vector = Field([0.0, 0.0, -STANDARD_GRAVITY], description="acceleration [m/s^2]")
    loads: dict[Name, LoadPart] = Field({}, description="named external wrenches on the object")
    volumes: dict[Name, VolumeChoice] = Field({}, description="named sets of admissible forces")
    contacts: list[ContactPart] = Field([], description="point contacts")
    patches: list[PatchChoice] = Field([], description="units that touch with a surface")
    fingers: list[FingerPart] = Field([], description="planar fingers with their units")
    joints: list[JointChoice] = Field([], description="joint rows on the contacts")
    device: DeviceChoice | None = Field(None, description="a ready device, in place of contacts and joints")
    scatter: ScatterPart | None = Field(None, description="how far the specimens stray from what is planned")
    drawing: DrawingPart | None = Field(None, description="for pictures only")

    @model_validator(mode="after")
    def _something_touches(self) -> SceneDocument:
        parts = {"contacts": self.contacts, "patches": self.patches, "fingers": self.fingers, "joints": self.joints}
        given = [name for name, part in parts.items() if part]
        if self.device is not None and given:
            raise complaint(f"has a device and {given[0]}", f"a device has its own: leave out device or {given[0]}")
        if self.device is None and not (self.contacts or self.patches or self.fingers):
            raise complaint("nothing touches the object", "give contacts, patches, fingers or a device")
        return self


def scene_schema() -> dict[str, Any]:
    """The JSON Schema of scene files, for editors and other programs."""
    return json_schema(SceneDocument, "Holdfast scene")


# -- from a document to a Scene ----------------------------------------------------------------------


def build_scene(document: SceneDocument, site: Site) -> Scene:
    """The scene that `document` describes; every fault is a SceneError of the file behind `site`."""
    volumes = Volumes(document.volumes, site / "volumes")
    suspensions = Suspensions(document.volumes, site / "volumes")
    if document.device is not None:
        return _from_device(document, document.device, volumes, suspensions, site)
    touching = NamedContacts()
    units: dict[str, Unit] = {}
    for number, part in enumerate(document.contacts):
        with (here := site / "contacts" / number).watch():
            volume = volumes.force_volume(part.volume, here / "volume", part.scale)
            unit = None if part.unit is None else units.setdefault(part.unit, Unit(part.unit))
            suspension = suspensions.of_unit(part, part.volume, here, part.scale)
            contact = Contact(np.array(part.position), build_frame(part), volume, part.name, unit, suspension)
            touching.add(part.name, [contact])
    for number, part in enumerate(document.patches):
        with (here := site / "patches" / number).watch():
            scale = part.scale if isinstance(part, FlatPatch) else 1.0  # of the mesh, in its part
            patch = _patch(part, volumes, here).suspended(suspensions.of_unit(part, part.volume, here, scale))
            touching.add(part.name, patch.contacts, patch.faces)
    links: list[tuple[str, Array]] = []
    finger_rows: list[WeighedRows] = []
    for number, part in enumerate(document.fingers):
        rows, joints = build_finger(part, volumes, suspensions, touching, site / "fingers" / number)
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
            drawing=SceneDrawing(_shape(thing.shape, site / "object" / "shape"), tuple(touching.faces), tuple(links)),
        )


def _from_device(document: SceneDocument, part: Any, volumes: Volumes, suspensions: Suspensions, site: Site) -> Scene:
    """A ready device; what the file says of the object goes before what the device says."""
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
    """What all scenes share."""
    if document.drawing is not None:
        faces = tuple(checks.array("faces", face, ("m", 3)) for face in document.drawing.faces)
        links = tuple((link.name, checks.array("points", link.points, ("m", 3))) for link in document.drawing.links)
        drawing = SceneDrawing(drawing.shape, (*drawing.faces, *faces), (*drawing.links, *links))
    return Scene(
        name=document.name or site.source.path.stem,
        gravity=np.array(document.gravity),
        loads={name: build_load(part) for name, part in document.loads.items()},
        drawing=drawing,
        description=document.description,
        path=site.source.path,
        inertia=_inertia(document.object.inertia, parts["mass"], site / "object" / "inertia"),
        **parts,
    )


def _inertia(moments: Any, mass: float | None, site: Site) -> Array | None:
    if moments is None:
        return None
    with site.watch():
        if mass is None:
            raise InputError("is given without a mass", fix="give mass, too")
        return inertia_matrix(moments, where="")


def _patch(part: Any, volumes: Volumes, site: Site) -> Patch:
    """One entry of `patches`."""
    if isinstance(part, MeshPatchPart):
        return _mesh_patch(part, volumes, site)
    pose = Pose(build_frame(part), np.array(part.position))
    if isinstance(part, PadPart):
        return Patch.of_pad(pose, volumes.pad(part.volume, site / "volume"), name=part.name)
    volume = volumes.force_volume(part.volume, site / "volume", part.scale)
    points = "corners" if isinstance(part.points, str) else (part.points[0], part.points[1])
    if isinstance(part, PolygonPart):
        return Patch.polygon(pose, part.outline, volume, points=points, corners=part.corners, name=part.name)
    return Patch.rectangle(pose, part.size, volume, points=points, corners=part.corners, name=part.name)


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
        corners=part.corners,
        faces=faces,
        body=part.body,
        pose=build_pose(part),
        scale=part.scale,
        name=part.name,
    )


# -- shapes -----------------------------------------------------------------------------------------


def _shape(part: Any, site: Site) -> Shape | None:
    """The outline of the object, from the file."""
    if part is None:
        return None
    with site.watch():
        if isinstance(part, BoxPart):
            return Box(np.array(part.size), build_pose(part))
        if isinstance(part, CylinderPart):
            frame = frame_from_normal(checks.direction("axis", part.axis, 3), part.middle)
            arc = np.pi if part.arc is None else min(part.arc, np.pi)
            return Cylinder(np.array(part.position), frame[:, 2], part.radius, part.length, arc, frame[:, 0])
        if isinstance(part, MeshPart):
            from ..assembly.contacts import world_triangles

            file, pose = site.file(part.file), build_pose(part)
            corners = world_triangles(file, part.scale, pose).reshape(-1, 3)
            return Mesh(corners, np.arange(len(corners)).reshape(-1, 3), file, part.scale, pose)
        return Sphere(part.radius, np.array(part.position))


# -- reading -----------------------------------------------------------------------------------------

#: How scene files are read; ready ones are called by "@name".
SCENES = FileFormat("scene", SceneDocument, build_scene, version=SCENE_VERSION)


def load_scene(path: str | Path) -> Scene:
    """The scene in a file, or a ready one by "@name"; any fault of the file is a SceneError.

    Files named in the scene are searched for from the scene file's folder. Of several faults the first is raised, with
    the others as notes.
    """
    return SCENES.load(path)


def scene_faults(path: str | Path) -> list[SceneError]:
    """Every fault of a scene file, in the order of the lines; [] when there is none.

    Faults that are found only while the contacts are built come one at a time.
    """
    return SCENES.faults(path)


def ready_names() -> list[str]:
    """Names of the ready scenes, in order."""
    return SCENES.names()


def ready_path(path: str | Path) -> Path:
    """The file behind `path`: that of a ready scene for "@name", else the path itself."""
    return SCENES.path(path)


# -- writing -----------------------------------------------------------------------------------------


def save_scene(scene: Scene, path: str | Path) -> None:
    """Write `scene` to a YAML file that depends on no other, except for the mesh of a drawn object.

    Models, measurements, patches and devices are written as what became of them: pieces, points and rows.
    """
    target = Path(path)
    try:
        target.write_text(yaml_text(scene_data(scene, target.parent)), encoding="utf-8")
    except OSError as error:
        fix = "name a file in a folder you may write to"
        raise FileError(f"cannot be written: {error.strerror}", path=target, fix=fix) from None


def scene_data(scene: Scene, folder: Path) -> dict[str, Any]:
    """The scene as plain data; files that it names are relative to `folder`."""
    data: dict[str, Any] = {"holdfast": SCENE_VERSION, "name": scene.name}
    if scene.description:
        data["description"] = scene.description
    thing: dict[str, Any] = {} if scene.mass is None else {"mass": scene.mass}
    thing["com"] = scene.com.tolist()
    if scene.inertia is not None:
        entries = scene.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()
        thing["inertia"] = entries if any(entries[3:]) else entries[:3]
    if scene.drawing.shape is not None:
        thing["shape"] = _shape_data(scene.drawing.shape, folder)
    data |= {"object": thing, "gravity": scene.gravity.tolist()}
    if scene.loads:
        loads = {name: {"force": w[:3].tolist(), "torque": w[3:].tolist()} for name, w in scene.loads.items()}
        data["loads"] = loads
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
        if contact.suspension is not None:
            part["suspension"] = suspension_data(contact.suspension)
        contacts.append(part)
    data |= {"volumes": volumes, "contacts": contacts}
    if scene.assembly.joints is not None:
        data["joints"] = _rows_data(scene)
    if scene.scatter is not None:
        pairs = band_volumes(scene.scatter)
        bands = [(named(nominal), [named(level) for level in levels]) for nominal, levels in pairs]
        data["scatter"] = scatter_data(scene.scatter, bands)
    if scene.drawing.faces or scene.drawing.links:
        data["drawing"] = _drawing_data(scene.drawing)
    return data


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
    joints = scene.assembly.joints
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
        raise InputError(
            "is a mesh without a file", where="drawing.shape", fix="give a Mesh with its file, or no shape"
        )
    file = Path(os.path.relpath(shape.file.resolve(), folder.resolve())).as_posix()
    return {"kind": "mesh", "file": file, "scale": shape.scale} | pose


def _drawing_data(drawing: SceneDrawing) -> dict[str, Any]:
    part: dict[str, Any] = {}
    if drawing.faces:
        part["faces"] = [face.tolist() for face in drawing.faces]
    if drawing.links:
        part["links"] = [{"name": name, "points": points.tolist()} for name, points in drawing.links]
    return part
