"""The schema of files: numbers, vectors, names, frames, loads, the base of all mappings; and faults with their lines.

A feature declares its file as pydantic models derived from `Part`; `faults` turns what pydantic found into errors with
line, field, what is wrong and what would be right.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal, Union

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from ..checks import Array
from ..errors import MOST_COMPARED, SceneError, UnknownNameError, nearest
from ..geometry.frames import Pose, frame_from_normal, rotation
from ..tolerances import LARGEST_FORCE, LARGEST_LENGTH, SMALLEST_LENGTH
from .yaml_source import YamlSource, below

#: Most cells of a patch along each direction, most points of a mesh patch: more are a mistake.
MOST_CELLS = 100
MOST_POINTS = 10_000

#: Larger numbers mean a mistaken unit, in every field.
LARGEST_NUMBER = LARGEST_FORCE


def complaint(what: str, fix: str, at: str = "") -> PydanticCustomError:
    """A fault found by a check of Holdfast, with what would be right; `at` names the field below, if one is meant."""
    # Braces, which may come from the file, would be taken for placeholders.
    return PydanticCustomError("complaint", "{what}", {"what": what, "fix": fix, "at": at})


def later_complaint(advice: Callable[[], PydanticCustomError]) -> PydanticCustomError:
    """A fault whose words take time, as those that look for similar names do: they are made if the fault is listed."""
    return PydanticCustomError("later complaint", "is wrong", {"advice": advice})


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
    """A union whose member is chosen by the Python type of the value: `choices` are (type, annotation)."""

    def tag_of(value: Any) -> str:
        for number, (kind, _) in enumerate(choices):
            if isinstance(value, kind) and not isinstance(value, bool):
                return f"<form {number}>"
        raise complaint("has the wrong type", fix)

    return tagged_union(tag_of, {f"<form {number}>": annotation for number, (_, annotation) in enumerate(choices)})


def by_field(name: str, choices: dict[str, type[Part]], kind: str) -> Any:
    """A union whose member is chosen by the word in the field `name`; `kind` says what the word names."""
    return tagged_union(lambda value: tag_by_field(value, name, choices, kind), field_tags(choices, kind))


def field_tags(choices: dict[str, type[Part]], kind: str) -> dict[str, type[Part]]:
    """The parts of `by_field` by their tags."""
    return {f"<{kind} {word}>": part for word, part in choices.items()}


def tag_by_field(value: Any, name: str, choices: Iterable[str], kind: str) -> str:
    """The tag of the part that the field `name` of `value` asks for, or the complaint that there is none."""
    if not isinstance(value, dict):
        raise complaint("is not a mapping", f"give fields, with {name}: one of {', '.join(choices)}")
    if name not in value:
        raise misspelt(value, [name], f"has no {name}", f"give {name}: one of {', '.join(choices)}")
    word = value[name]
    if not isinstance(word, str) or word not in choices:
        raise later_complaint(lambda: _unknown(kind, str(word), choices, name))
    return f"<{kind} {word}>"


def _unknown(kind: str, word: str, choices: Iterable[str], at: str) -> PydanticCustomError:
    unknown = UnknownNameError(kind, word, choices)
    return complaint(unknown.what, unknown.fix, at)


def misspelt(value: Any, fields: Iterable[str], what: str, fix: str) -> PydanticCustomError:
    """The complaint of the first key of `value` that looks like one of `fields` misspelt; if none does, `what`."""

    def advice() -> PydanticCustomError:
        for key in list(value)[:MOST_COMPARED] if isinstance(value, dict) else ():
            if near := nearest(key, fields):
                return complaint("is not a field here", f"did you mean {near!r}?", key)
        return complaint(what, fix)

    return later_complaint(advice)


def tagged_union(tag_of: Callable[[Any], str], tagged: dict[str, Any]) -> Any:
    """The union of the annotations, chosen by `tag_of`, which raises a complaint when it cannot."""

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

PRESSURE = "uniform: the points press in proportion to their areas; free: each presses as it needs to"
Pressure = Literal["uniform", "free"]


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
            raise complaint("has both a shear and a rotation", "leave shear out: it is the rotation's first column")
        return self


class Placed(Part):
    """What has a pose in the world."""

    position: Vector = Field([0.0, 0.0, 0.0], description="[m]")
    rotation: Matrix | None = Field(None, description="rows of the rotation matrix into the world; none by default")


class LoadPart(Part):
    """An external wrench on the object: a force at a point, and a torque."""

    force: Vector = Field([0.0, 0.0, 0.0], description="[N]")
    torque: Vector = Field([0.0, 0.0, 0.0], description="couple, in addition to the torque of the force [N m]")
    at: Vector = Field([0.0, 0.0, 0.0], description="where the force acts [m]")


def build_load(part: LoadPart) -> Array:
    """(6,) a load of a file, torque about the world origin."""
    force = np.array(part.force)
    return np.concatenate([force, np.array(part.torque) + np.cross(part.at, force)])


def build_frame(part: Framed) -> Array:
    """(3, 3) contact frame, columns (u, v, n)."""
    if part.rotation is not None:
        return rotation("rotation", part.rotation)
    assert part.normal is not None  # the schema requires one of the two
    return frame_from_normal(part.normal, part.shear)


def build_pose(part: Placed) -> Pose:
    """The pose of a part of a file in the world."""
    turn = np.eye(3) if part.rotation is None else rotation("rotation", part.rotation)
    return Pose(turn, np.array(part.position))


# -- what pydantic found, in terms of the file ---------------------------------------------------------

#: pydantic's kinds of faults with one wording: (what, fix); braces are filled from the fault's own values.
_WORDS = {
    "float_type": ("is {kind}", "give a number"),
    "int_type": ("is {kind}", "give a whole number"),
    "bool_type": ("is {kind}", "give true or false"),
    "string_type": ("is {kind}", "give a text"),
    "list_type": ("is {kind}", "give a list: [ ... ]"),
    "dict_type": ("is {kind}", "give fields: name: value"),
    "model_type": ("is {kind}", "give fields: name: value"),
    "finite_number": ("is {input}", "give a finite number"),
    "greater_than": ("is {input}", "give a number above {gt:g}"),
    "greater_than_equal": ("is {input}", "give a number of at least {ge:g}"),
    "less_than": ("is {input}", "give a number below {lt:g}"),
    "less_than_equal": ("is {input}", "give a number of at most {le:g}"),
    "too_short": ("has {actual_length} entries", "give at least {min_length}"),
    "too_long": ("has {actual_length} entries", "give at most {max_length}"),
    "string_too_short": ("is empty", "give a text"),
    "string_too_long": ("is too long", "give at most {max_length} characters"),
}
_EXPECTED = re.compile(r"'([^']*)'|([^\s,']+)")
_LONGEST_INPUT = 40

#: Most faults that are listed, and most that are sorted by line to choose them.
MOST_FAULTS = 20
MOST_SORTED = 1000


def faults(error: ValidationError, source: YamlSource, document: type[Part]) -> list[SceneError]:
    """The faults of `error` in the order of the lines: `MOST_FAULTS`, and one for all that are not listed."""
    entries = error.errors(include_url=False)
    places = [_place(entry["loc"], source.data) for entry in entries[:MOST_SORTED]]
    order = sorted(range(len(places)), key=lambda k: source.line(places[k]))
    found = [_fault(entries[k], source, document) for k in order[:MOST_FAULTS]]
    found.sort(key=lambda fault: fault.line or 0)  # a complaint may name a field below
    if len(entries) > MOST_FAULTS:
        left = len(entries) - MOST_FAULTS
        rest = SceneError(f"and {left:,} more", path=source.path, fix="correct those above first")
        rest.count = left
        found.append(rest)
    return found


def _fault(entry: Any, source: YamlSource, document: type[Part]) -> SceneError:
    loc, kind, values = entry["loc"], entry["type"], entry.get("ctx", {})
    place = _place(loc, source.data)
    if kind == "later complaint":
        kind, values = "complaint", values["advice"]().context
    if kind == "complaint":
        if values.get("at"):
            place = [*place, values["at"]]
        return source.fault(values["what"], place, fix=values["fix"])
    if kind == "missing":
        meant = _field(document, loc)
        described = meant.description if meant is not None and meant.description else ""
        return source.fault(
            "is missing", place, fix=f"give {place[-1]}: {described}" if described else f"give {place[-1]}"
        )
    if kind == "extra_forbidden":
        part = _annotation(document, loc[:-1])
        unknown = UnknownNameError("field", str(place[-1]), _field_names(part))
        return source.fault("is not a field here", place, fix=unknown.fix)
    if kind == "literal_error":
        choices = [quoted or bare for quoted, bare in _EXPECTED.findall(values["expected"]) if bare != "or"]
        return source.fault(
            f"is {_shown(entry['input'])}", place, fix=UnknownNameError("", str(entry["input"]), choices).fix
        )
    if kind in _WORDS:
        what, fix = _WORDS[kind]
        named = {**values, "input": _shown(entry["input"]), "kind": _kind(entry["input"])}
        return source.fault(what.format(**named), place, fix=fix.format(**named))
    return source.fault(entry["msg"][:1].lower() + entry["msg"][1:], place, fix="correct the value")


def _place(loc: Sequence[Any], data: Any) -> list[str | int]:
    """`loc` without the tags of unions: only keys and numbers of the file."""
    place: list[str | int] = []
    for step in loc:
        there, value = below(data, step)
        if not there and (step == "[key]" or (isinstance(step, str) and step.startswith("<"))):
            continue
        data = value
        place.append(step)
    return place


def _shown(value: Any) -> str:
    """The value as the file has it, shortened."""
    if value is None or isinstance(value, bool):
        return {None: "empty", True: "true", False: "false"}[value]
    text = f"{value:g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= _LONGEST_INPUT else text[: _LONGEST_INPUT - 3] + "..."


def _kind(value: Any) -> str:
    """What the file has in place of the expected value."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"the text {_shown(value)}" if isinstance(value, str) else _shown(value)


# -- the schema at a place --------------------------------------------------------------------------


def _annotation(annotation: Any, loc: Sequence[Any]) -> Any:
    """What the schema expects at `loc`, counted from `annotation`; None when it does not say."""
    for step in loc:
        annotation = _step(annotation, step)
    return annotation


def _step(annotation: Any, step: Any) -> Any:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _step(arguments[0], step)
    if origin is list and isinstance(step, int):
        return arguments[0]
    if origin is dict:
        return arguments[1]
    if isinstance(annotation, type) and issubclass(annotation, Part):
        known = annotation.model_fields.get(step) if isinstance(step, str) else None
        return None if known is None else known.annotation
    for member in arguments:  # a union: the member with the tag, or the one in which the step exists
        if Tag(step) in getattr(member, "__metadata__", ()):
            return member
        if (deeper := _step(member, step)) is not None:
            return deeper
    return None


def _bare(annotation: Any) -> Any:
    """The annotation without `Annotated` and without "or None"."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _bare(arguments[0])
    others = [member for member in arguments if member is not type(None)]
    return _bare(others[0]) if type(None) in arguments and len(others) == 1 else annotation


def _field_names(annotation: Any) -> list[str]:
    part = _bare(annotation)
    return list(part.model_fields) if isinstance(part, type) and issubclass(part, Part) else []


def _field(document: type[Part], loc: Sequence[Any]) -> FieldInfo | None:
    part = _bare(_annotation(document, loc[:-1]))
    return part.model_fields.get(loc[-1]) if isinstance(part, type) and issubclass(part, Part) else None
