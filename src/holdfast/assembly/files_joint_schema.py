"""What a scene file may say about joints and fingers; units are SI, vectors in the world."""

# The unions below are made at run time, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false, reportCallIssue=false, reportOperatorIssue=false, reportArgumentType=false

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ..files.schema import (
    Bound,
    Length,
    Name,
    NotNegative,
    Number,
    Part,
    Points,
    Positive,
    Vector,
    by_field,
    by_type,
    complaint,
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
