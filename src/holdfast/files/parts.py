"""The words that scene files are made of: numbers, vectors, names, frames, and the base of all their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, Union

import numpy as np
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from ..checks import Array
from ..errors import UnknownNameError
from ..geometry.frames import Pose, rotation
from ..tolerances import LARGEST_FORCE, LARGEST_LENGTH, SMALLEST_LENGTH

#: Cells of a patch along each direction, points of a mesh patch: more are a mistake.
MOST_CELLS = 100
MOST_POINTS = 10_000

#: Larger numbers mean that a unit has been mistaken, whatever the field.
LARGEST_NUMBER = LARGEST_FORCE


def complaint(what: str, fix: str, at: str = "") -> PydanticCustomError:
    """A fault found by a check of ours, with what would be right; `at` names the field below, if one is meant."""
    # Braces would be taken for placeholders, and the words come from the file.
    return PydanticCustomError("complaint", "{what}", {"what": what, "fix": fix, "at": at})


class Part(BaseModel):
    """Base of every mapping in a scene file: no unknown fields, no guessing of types, no changes afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _not_nan(value: float) -> float:
    if value != value:
        raise complaint("is NaN", "give a number, .inf or -.inf")
    return value


Number = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0.0, le=LARGEST_NUMBER)]
NotNegative = Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=LARGEST_NUMBER)]
Bound = Annotated[float, AfterValidator(_not_nan)]
Length = Annotated[float, Field(allow_inf_nan=False, ge=SMALLEST_LENGTH, le=LARGEST_LENGTH)]
Name = Annotated[str, Field(min_length=1, max_length=100)]
File = Annotated[str, Field(min_length=1, max_length=4000)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Matrix = Annotated[list[Vector], Field(min_length=3, max_length=3)]
Cells = Annotated[list[Annotated[int, Field(ge=1, le=MOST_CELLS)]], Field(min_length=2, max_length=2)]


def by_type(*choices: tuple[type | tuple[type, ...], Any], fix: str) -> Any:
    """A union told apart by the Python type of what stands in the file: (type, annotation) each."""

    def tag_of(value: Any) -> str:
        for number, (kind, _) in enumerate(choices):
            if isinstance(value, kind) and not isinstance(value, bool):
                return f"<form {number}>"
        raise complaint("has the wrong type", fix)

    return tagged_union(tag_of, {f"<form {number}>": annotation for number, (_, annotation) in enumerate(choices)})


def by_field(name: str, choices: dict[str, type[Part]], kind: str) -> Any:
    """A union told apart by the word in the field `name`; `kind` says what the word names."""
    return tagged_union(lambda value: tag_by_field(value, name, choices, kind), field_tags(choices, kind))


def field_tags(choices: dict[str, type[Part]], kind: str) -> dict[str, type[Part]]:
    """The parts of `by_field` by their tags."""
    return {f"<{kind} {word}>": part for word, part in choices.items()}


def tag_by_field(value: Any, name: str, choices: Iterable[str], kind: str) -> str:
    """The tag of the part that the field `name` of `value` asks for, or the complaint that there is none."""
    if not isinstance(value, dict):
        raise complaint("is not a mapping", f"give fields, with {name}: one of {', '.join(choices)}")
    if name not in value:
        check_spelling(value, [name])
        raise complaint(f"has no {name}", f"give {name}: one of {', '.join(choices)}")
    word = value[name]
    if not isinstance(word, str) or word not in choices:
        unknown = UnknownNameError(kind, str(word), choices)
        raise complaint(unknown.what, unknown.fix, name)
    return f"<{kind} {word}>"


def check_spelling(value: dict[str, Any], fields: Iterable[str]) -> None:
    """Complain of the first key of `value` that looks like one of `fields` misspelt."""
    for key in value:
        unknown = UnknownNameError("field", key, fields)
        if unknown.nearest:
            raise complaint("is not a field here", f"did you mean {unknown.nearest!r}?", key)


def tagged_union(tag_of: Callable[[Any], str], tagged: dict[str, Any]) -> Any:
    """The union of the annotations, told apart by `tag_of`, which raises a complaint when it cannot."""

    def check(value: Any) -> Any:
        tag_of(value)
        return value

    union = Union[tuple(Annotated[annotation, Tag(tag)] for tag, annotation in tagged.items())]  # noqa: UP007 - a tuple
    return Annotated[union, Discriminator(tag_of), BeforeValidator(check)]


Points = by_type(
    (str, Literal["corners"]),
    (list, Cells),
    fix="give corners, or numbers of cells: [2, 3]",
)


class Framed(Part):
    """What has a contact frame: a normal into the object with a shear direction, or a rotation matrix."""

    normal: Vector | None = Field(None, description="direction INTO the object, of any length")
    shear: Vector | None = Field(None, description="direction along the surface in which the contact is strongest")
    rotation: Matrix | None = Field(
        None, description="rows of the rotation matrix; its columns are shear u, lateral v, normal n into the object"
    )

    @model_validator(mode="after")
    def _one_frame(self) -> Framed:
        if (self.normal is None) == (self.rotation is None):
            what = "has no frame" if self.normal is None else "has two frames"
            raise complaint(what, "give normal with shear, or rotation")
        if self.shear is not None and self.normal is None:
            raise complaint("has a shear beside its rotation", "leave shear out: it is the rotation's first column")
        return self


class Placed(Part):
    """What stands somewhere in the world."""

    position: Vector = Field([0.0, 0.0, 0.0], description="[m]")
    rotation: Matrix | None = Field(None, description="rows of the rotation matrix into the world; none by default")


class LoadPart(Part):
    """An external wrench on the object: a force at a point, and a torque."""

    force: Vector = Field([0.0, 0.0, 0.0], description="[N]")
    torque: Vector = Field([0.0, 0.0, 0.0], description="couple, beside that of the force [N m]")
    at: Vector = Field([0.0, 0.0, 0.0], description="where the force acts [m]")


def build_load(part: LoadPart) -> Array:
    """(6,) a load of a file, torque about the world origin."""
    force = np.array(part.force)
    return np.concatenate([force, np.array(part.torque) + np.cross(part.at, force)])


def build_pose(part: Placed) -> Pose:
    """Where a part of a file stands in the world."""
    turn = np.eye(3) if part.rotation is None else rotation("rotation", part.rotation)
    return Pose(turn, np.array(part.position))
