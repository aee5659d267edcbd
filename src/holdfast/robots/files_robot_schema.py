"""What a robot file may say, field by field: a URDF, a posture, and what touches: units on links or grips of hands.

All units are SI. Vectors are in the world, or in the frame of a link where it says so.
"""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportArgumentType=false

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ..assembly.loads import STANDARD_GRAVITY
from ..files.parts import (
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
    complaint,
)
from ..force_limits.files_volume_schema import VolumeChoice
from ..postures.files import MOST_HANDS, GripChoice
from ..tolerances import LARGEST_MASS, SMALLEST_MASS

#: Version of the robot format that this Holdfast reads.
ROBOT_VERSION = 1


class UrdfPart(Part):
    """The robot and how it stands."""

    urdf: File = Field(description="URDF, relative to this file; or @name of one of ours: @climber, @four_finger_hand")
    base: Literal["floating", "fixed"] = Field(
        "floating", description="floating: the robot is held by what it touches; fixed: it holds an object"
    )
    at: Placed | None = Field(None, description="where the root link of a fixed robot stands; the origin by default")
    meshes: Literal["optional", "required", "ignored"] = Field(
        "ignored", description="whether files of meshes must be there; they matter for pictures alone"
    )


class PosturePart(Part):
    """Where the joints are."""

    base: Placed | None = Field(None, description="where the root link of a floating robot stands")
    joints: dict[Name, Number] = Field({}, description="coordinate of each joint by name [rad, m]; others as neutral")


class RobotObjectPart(Part):
    """What a fixed robot holds."""

    mass: Annotated[float, Field(allow_inf_nan=False, ge=SMALLEST_MASS, le=LARGEST_MASS)] = Field(description="[kg]")
    com: Vector = Field([0.0, 0.0, 0.0], description="centre of mass in the world [m]")


class TouchPart(Framed):
    """A contact unit on a link: a point, or a rectangle with points at its corners or in its cells."""

    name: str = Field("", max_length=100, description="how reports call it; the link by default")
    link: Name = Field(description="the link that carries it")
    volume: Name = Field(description="one of volumes: that of the whole unit")
    position: Vector = Field([0.0, 0.0, 0.0], description="in the link's frame [m]; normals point OUT of the link")
    scale: Positive = Field(1.0, description="strength, as a multiple of the volume")
    size: Annotated[list[Length], Field(min_length=2, max_length=2)] | None = Field(
        None, description="of a rectangle, along the shear and across [m]; a point without it"
    )
    points: Points = Field("corners", description="of a rectangle: corners, or numbers of cells: [2, 3]")


class RobotPlacePart(Framed):
    """Where a palm is to be, in the world."""

    position: Vector = Field(description="origin of the palm [m]")


class RobotHandPart(Part):
    """A hand or foot as a grip at a palm."""

    name: str = Field("", max_length=100, description="how reports call it; the palm's link by default")
    palm: Name = Field(description="the link that carries it")
    grip: Name = Field(description="one of grips: wrenches on the robot, in the palm frame")
    frame: Placed | None = Field(None, description="palm frame in the link's frame; the same by default")
    at: RobotPlacePart | None = Field(
        None, description="where the palm is to be: the posture is changed until it is there; normals into the robot"
    )


class RobotDocument(Part):
    """A robot in a posture, what touches, and what pulls at it. Units are SI."""

    holdfast: Literal[1] = Field(description="version of the robot format")
    name: str = Field("", max_length=200, description="how reports call it")
    description: str = Field("", max_length=10_000, description="what it is, in words")
    robot: UrdfPart = Field(description="the URDF")
    posture: PosturePart = Field(PosturePart(base=None, joints={}), description="joints and base")
    gravity: Vector = Field([0.0, 0.0, -STANDARD_GRAVITY], description="acceleration [m/s^2]")
    object: RobotObjectPart | None = Field(None, description="what a robot on a fixed base holds")
    loads: dict[Name, LoadPart] = Field({}, description="named external wrenches on what is held, beside its weight")
    volumes: dict[Name, VolumeChoice] = Field({}, description="named sets of admissible forces, for touches")
    touches: list[TouchPart] = Field([], description="contact units on links: every one counts, and every joint")
    grips: dict[Name, GripChoice] = Field({}, description="named sets of wrenches, for hands")
    hands: list[RobotHandPart] = Field([], max_length=MOST_HANDS, description="hands and feet as grips at their palms")

    @model_validator(mode="after")
    def _something_touches(self) -> RobotDocument:
        if bool(self.touches) == bool(self.hands):
            what = "has touches and hands" if self.touches else "nothing touches"
            raise complaint(what, "give touches (units on links) or hands (grips at palms)")
        if self.robot.base == "fixed":
            if self.hands:
                raise complaint(
                    "a robot on a fixed base stands on no hands", "give touches, or base: floating", "hands"
                )
            if self.posture.base is not None:
                raise complaint("is for a floating base", "give at beside the urdf instead", "posture")
        elif self.object is not None:
            raise complaint("is for a fixed base", "a floating robot is held itself: leave object out", "object")
        elif self.robot.at is not None:
            raise complaint("its at is for a fixed base", "give base in posture instead", "robot")
        return self


def robot_schema() -> dict[str, Any]:
    """The JSON Schema of robot files, for editors and other programs."""
    schema = RobotDocument.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Holdfast robot",
        **{key: value for key, value in schema.items() if key != "title"},
    }
