"""What a scene file may say, field by field. All units are SI; vectors are in the world unless said otherwise."""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ..assembly.loads import STANDARD_GRAVITY
from ..files.parts import (
    MOST_POINTS,
    Bound,
    File,
    Framed,
    Length,
    LoadPart,
    Name,
    NotNegative,
    Number,
    Part,
    Placed,
    Points,
    Positive,
    Vector,
    by_field,
    by_type,
    complaint,
)
from ..force_limits.files_volume_schema import VolumeChoice
from ..reliability.files_scatter_schema import ScatterPart
from ..tolerances import LARGEST_MASS, SMALLEST_MASS
from .device_schema import DeviceChoice

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


class ObjectPart(Part):
    """What is held."""

    mass: Annotated[float, Field(allow_inf_nan=False, ge=SMALLEST_MASS, le=LARGEST_MASS)] | None = Field(
        None, description="[kg]; without it the scene has no weight"
    )
    com: Vector | None = Field(None, description="centre of mass in the world [m]; the origin by default")
    shape: ShapeChoice | None = Field(None, description="outline, for pictures only")


class ContactPart(Framed):
    """A point contact."""

    name: str = Field("", max_length=100, description="how reports call it")
    position: Vector = Field(description="[m]")
    volume: Name = Field(description="one of volumes")
    scale: Positive = Field(1.0, description="share of the volume that this point has")


class FlatPatch(Framed):
    """What patches in a plane share."""

    name: str = Field("", max_length=100, description="how reports call it")
    position: Vector = Field(description="origin of the patch [m]")
    volume: Name = Field(description="one of volumes: that of the whole unit")
    scale: Positive = Field(1.0, description="strength of the whole unit, as a multiple of the volume")
    points: Points = Field("corners", description="corners, or numbers of cells along shear and across: [2, 3]")


class RectanglePart(FlatPatch):
    """A rectangular unit, centred on its position."""

    kind: Literal["rectangle"]
    size: Annotated[list[Length], Field(min_length=2, max_length=2, description="along the shear and across [m]")]


class PolygonPart(FlatPatch):
    """A unit bounded by a polygon."""

    kind: Literal["polygon"]
    corners: list[Annotated[list[Number], Field(min_length=2, max_length=2)]] = Field(
        min_length=3, max_length=1000, description="along the shear and across, from the position [m]"
    )


class PadPart(Framed):
    """A unit whose model comes as points: soft_finger, suction_ring."""

    kind: Literal["pad"]
    name: str = Field("", max_length=100, description="how reports call it")
    position: Vector = Field(description="centre of the pad [m]")
    volume: Name = Field(description="one of volumes, of a model that comes as points")


class MeshPatchPart(Placed):
    """A unit that touches along a region of a mesh; its points have equal shares of the area."""

    kind: Literal["mesh"]
    name: str = Field("", max_length=100, description="how reports call it")
    file: File = Field(description="path of the mesh, relative to the scene file")
    scale: Positive = Field(1.0, description="metres per unit of the mesh: 0.001 for millimetres")
    volume: Name = Field(description="one of volumes: that of the whole unit")
    points: Annotated[int, Field(ge=1, le=MOST_POINTS, description="number of contacts")]
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


class JointPart(Part):
    """What a joint can do; a hinge in N m and rad, a slide in N and m. Without any field it is free."""

    torque: NotNegative | None = Field(None, description="largest torque (force) of the actuator, either way")
    torque_min: Bound | None = Field(None, description="least torque of the actuator, if not the same either way")
    torque_max: Bound | None = Field(None, description="largest torque of the actuator")
    friction: NotNegative = Field(0.0, description="largest torque of static friction, either way")
    stiffness: NotNegative = Field(0.0, description="of a spring [N m/rad, N/m]")
    rest: Number = Field(0.0, description="coordinate at which the spring gives the preload alone [rad, m]")
    preload: Number = Field(0.0, description="torque of the spring at rest")

    @model_validator(mode="after")
    def _one_torque(self) -> JointPart:
        if self.torque is not None and (self.torque_min is not None or self.torque_max is not None):
            raise complaint("has its torque twice", "give torque, or torque_min and torque_max")
        return self


class LineJoint(JointPart):
    """What hinges and slides share."""

    name: str = Field("", max_length=100, description="how reports call it")
    axis: Vector = Field(description="direction, of any length")
    contacts: list[Name] = Field(min_length=1, description="names of the contacts and patches that this joint moves")
    coordinate: Number = Field(0.0, description="where the joint stands [rad, m]")


class HingePart(LineJoint):
    """A revolute joint: it turns the contacts named about a line."""

    kind: Literal["hinge"]
    through: Vector = Field(description="a point of the axis [m]")


class SlidePart(LineJoint):
    """A prismatic joint: it shifts the contacts named along a direction."""

    kind: Literal["slide"]


class RowPart(Part):
    """A row by its numbers: lower <= sum of jacobian[i] . f_i + gravity . g <= upper, f_i on the object (5)."""

    kind: Literal["row"]
    name: str = Field("", max_length=100, description="how reports call it")
    jacobian: list[Vector] = Field(min_length=1, description="three numbers a contact, in the order of the contacts")
    lower: Bound = Field(description="[N m, N]; -.inf for none")
    upper: Bound = Field(description="[N m, N]; .inf for none")
    gravity: Vector = Field(
        [0.0, 0.0, 0.0], description="what gravity [m/s^2] on the links adds to the row: the row of G(q) [kg m]"
    )


JointChoice = by_field("kind", {"hinge": HingePart, "slide": SlidePart, "row": RowPart}, "joint")


FingerJoints = by_type(
    (dict, JointPart), (list, list[JointPart]), fix="give one joint for all, or a list with one a phalanx"
)


class UnitPart(Part):
    """A rectangular unit under a phalanx of a finger."""

    phalanx: Annotated[int, Field(ge=0, description="number of the phalanx, 0 at the base")]
    size: Annotated[list[Length], Field(min_length=2, max_length=2, description="along the phalanx and across [m]")]
    offset: Number = Field(description="from the line of joints to the surface of contact [m]")
    along: Number | None = Field(None, description="from the phalanx's joint, along it [m]; halfway by default")
    volume: Name = Field(description="one of volumes: that of the whole unit")
    scale: Positive = Field(1.0, description="strength of the whole unit, as a multiple of the volume")
    points: Points = Field("corners", description="corners, or numbers of cells along the phalanx and across: [2, 3]")


class FingerPart(Part):
    """A planar finger: phalanges in a row on parallel hinges, with units that touch."""

    name: Name = Field(description="how reports call it")
    position: Vector = Field(description="first joint [m]")
    along: Vector = Field(description="direction of the straight finger, from its base to its tip")
    away: Vector = Field(description="direction away from the object, on the back of the finger")
    lengths: list[Length] = Field(min_length=1, max_length=100, description="of the phalanges, from the base [m]")
    angles: list[Number] = Field(description="of the joints, each to the phalanx before, towards the object [rad]")
    masses: list[NotNegative] | None = Field(None, description="of the phalanges [kg]; none by default")
    coms: list[Annotated[list[Number], Field(min_length=2, max_length=2)]] | None = Field(
        None, description="centres of mass: along the phalanx and away from the object [m]; halfway by default"
    )
    joints: FingerJoints = Field(description="one for all joints, or a list with one a phalanx")
    units: list[UnitPart] = Field(min_length=1, description="what touches the object")


class LinkPart(Part):
    """A part of the gripper as a line of points."""

    name: str = Field("", max_length=100)
    points: list[Vector] = Field(min_length=2, description="[m]")


class DrawingPart(Part):
    """What pictures show besides the contacts."""

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
    schema = SceneDocument.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Holdfast scene",
        **{key: value for key, value in schema.items() if key != "title"},
    }
