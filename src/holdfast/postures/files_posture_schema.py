"""What a posture file may say, field by field: a body, its hands, and the grip each hand has.

All units are SI; vectors are in the world unless said otherwise, wrenches of a grip in the frame of its palm.
"""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ..assembly.loads import STANDARD_GRAVITY
from ..files.reader import json_schema
from ..files.schema import (
    File,
    LoadPart,
    Matrix,
    Name,
    Number,
    Part,
    Placed,
    Positive,
    Vector,
    check_spelling,
    complaint,
    field_tags,
    tagged_union,
)
from ..force_limits.models.parameters import LARGEST_FRICTION, MOST_FACETS
from ..tolerances import LARGEST_MASS, SMALLEST_MASS

#: Version of the posture format that this Holdfast reads.
POSTURE_VERSION = 1

#: More samples of a wrench space or hands are a mistake.
MOST_SAMPLES = 1_000_000
MOST_HANDS = 1000

Wrench = Annotated[list[Number], Field(min_length=6, max_length=6)]
HalfSpace = Annotated[list[Number], Field(min_length=7, max_length=7)]


class SetGripPart(Part):
    """What grips share whose set of wrenches is at hand."""

    scale: Positive = Field(1.0, description="multiplies all wrenches: 0.5 for a hand of half the strength")
    mirror: Vector | None = Field(
        None, description="normal of the palm's plane in which the set is mirrored: [0, 1, 0] makes a left hand a right"
    )


class StoredGripPart(SetGripPart):
    """A learned grip in a file."""

    file: File = Field(description="what `holdfast grip learn` or Grip.save wrote; path relative to the posture file")
    side: Literal["both", "inner", "outer"] = Field(
        "both", description="which set to use of a file that has an inner and an outer one"
    )


class VerticesGripPart(SetGripPart):
    """A grip by the corners of its set of wrenches."""

    vertices: list[Wrench] = Field(
        min_length=1, description="wrenches on the body in the palm frame: f_x, f_y, f_z [N], t_x, t_y, t_z [N m]"
    )
    rays: list[Wrench] = Field([], description="directions in which the set has no limit")


class HalfSpacesGripPart(SetGripPart):
    """A grip by linear limits on its wrenches."""

    halfspaces: list[HalfSpace] = Field(
        min_length=1,
        description="rows of seven numbers (a, b): a . w <= b for wrenches w on the body, in the palm frame",
    )


class BoundsGripPart(SetGripPart):
    """A grip that is known between two sets."""

    inner: list[Wrench] = Field(min_length=1, description="corners of a set that the hand surely gives, as in vertices")
    outer: list[HalfSpace] = Field(
        min_length=1, description="limits that it surely does not exceed: rows of seven numbers, as in halfspaces"
    )


class CoulombPart(Part):
    """A point with dry friction; z of the palm is the normal into the body."""

    mu: Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=LARGEST_FRICTION)] = Field(
        description="coefficient of friction"
    )
    sides: Annotated[int, Field(ge=3, le=MOST_FACETS)] = Field(16, description="sides of the pyramid for the cone")
    side: Literal["inner", "outer"] = Field(
        "inner", description="inner: a pyramid inside the cone, nothing invented; outer: one around it, nothing lost"
    )


class CoulombGripPart(Part):
    """A foot or fingertip that touches at a point with dry friction."""

    coulomb: CoulombPart = Field(description="a point with dry friction; z of the palm is the normal into the body")


class LimitsPart(Part):
    """Limits for each component by itself."""

    lower: Wrench = Field(description="least f_x, f_y, f_z [N], t_x, t_y, t_z [N m]")
    upper: Wrench = Field(description="largest f_x, f_y, f_z [N], t_x, t_y, t_z [N m]")

    @model_validator(mode="after")
    def _in_order(self) -> LimitsPart:
        names = ("f_x", "f_y", "f_z", "t_x", "t_y", "t_z")
        for name, low, high in zip(names, self.lower, self.upper, strict=True):
            if low > high:
                raise complaint(f"{name} is at least {low:g} and at most {high:g}", "give lower <= upper")
        return self


class BoxGripPart(SetGripPart):
    """A grip whose components are limited each by itself."""

    box: LimitsPart = Field(description="limits of the wrench on the body in the palm frame")


class LearnPart(Part):
    """How a hand's set of wrenches is sampled."""

    n: Annotated[int, Field(ge=1, le=MOST_SAMPLES)] = Field(1000, description="number of samples")
    seed: Annotated[int, Field(ge=0)] = Field(0, description="seed of the samples")
    surely: bool = Field(False, description="a smaller inner set of which every wrench is held, convex or not")


class SceneGripPart(Part):
    """A hand by its own scene file: contacts and joints."""

    scene: File = Field(description="scene file of the hand, relative to the posture file, or @name of a ready one")
    acting: Literal["direct", "reaction"] = Field(
        "direct",
        description="direct: the object of the scene is the body, contacts press on it; "
        "reaction: the object is what the hand grips, the body feels the opposite",
    )
    palm: Placed | None = Field(None, description="where the palm is in the hand's scene; its world frame by default")
    learn: LearnPart | None = Field(
        None, description="learn inner and outer sets first; without it the hand's own solver answers, exactly"
    )


#: The parts that are told apart by the field they have.
GRIP_PARTS: dict[str, type[Part]] = {
    "file": StoredGripPart,
    "vertices": VerticesGripPart,
    "halfspaces": HalfSpacesGripPart,
    "inner": BoundsGripPart,
    "coulomb": CoulombGripPart,
    "box": BoxGripPart,
    "scene": SceneGripPart,
}


def _tag_of(value: Any) -> str:
    """Which of the parts a grip is: that of the field it has."""
    given = [name for name in GRIP_PARTS if name in value] if isinstance(value, dict) else []
    if not given:
        check_spelling(value if isinstance(value, dict) else {}, GRIP_PARTS)
        raise complaint("says nothing of its wrenches", f"give one of: {', '.join(GRIP_PARTS)}")
    return f"<grip {given[0]}>"


GripChoice = tagged_union(_tag_of, field_tags(GRIP_PARTS, "grip"))


class HandPart(Part):
    """A hand or foot: which grip, and where its palm is."""

    name: str = Field("", max_length=100, description="how reports call it")
    grip: Name = Field(description="one of grips")
    position: Vector = Field(description="origin of the palm [m]")
    normal: Vector | None = Field(None, description="z of the palm, into the body, of any length")
    shear: Vector | None = Field(None, description="x of the palm: the part of this at right angles to the normal")
    rotation: Matrix | None = Field(
        None, description="rows of the rotation from the palm into the world; none by default"
    )

    @model_validator(mode="after")
    def _one_frame(self) -> HandPart:
        if self.normal is not None and self.rotation is not None:
            raise complaint("has two frames", "give normal with shear, or rotation")
        if self.shear is not None and self.normal is None:
            raise complaint("has a shear without a normal", "give normal with shear, or rotation")
        return self


class BodyPart(Part):
    """The robot as one rigid body."""

    mass: Annotated[float, Field(allow_inf_nan=False, ge=SMALLEST_MASS, le=LARGEST_MASS)] = Field(
        description="of everything that hangs on the hands [kg]"
    )
    com: Vector = Field([0.0, 0.0, 0.0], description="centre of mass in the world [m]")


class PostureDocument(Part):
    """A posture: a body, the hands it stands or hangs on, and what pulls at it. Units are SI, vectors in the world."""

    holdfast: Literal[1] = Field(description="version of the posture format")
    name: str = Field("", max_length=200, description="how reports call it")
    description: str = Field("", max_length=10_000, description="what it is, in words")
    body: BodyPart = Field(description="mass [kg] and centre of mass [m]")
    gravity: Vector = Field([0.0, 0.0, -STANDARD_GRAVITY], description="acceleration [m/s^2]")
    loads: dict[Name, LoadPart] = Field({}, description="named external wrenches on the body, beside its weight")
    grips: dict[Name, GripChoice] = Field(min_length=1, description="named sets of wrenches that a hand can give")
    hands: list[HandPart] = Field(min_length=1, max_length=MOST_HANDS, description="hands and feet in contact")


def posture_schema() -> dict[str, Any]:
    """The JSON Schema of posture files, for editors and other programs."""
    return json_schema(PostureDocument, "Holdfast posture")
