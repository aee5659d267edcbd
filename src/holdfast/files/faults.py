"""What the checks of a scene found, in words of the file: line, field, fault, and what would be right."""

from __future__ import annotations

import re
import typing
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Tag, ValidationError
from pydantic.fields import FieldInfo

from ..errors import SceneError, UnknownNameError
from .parts import Part
from .yaml_source import Source, below

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


def faults(error: ValidationError, source: Source, document: type[Part]) -> list[SceneError]:
    """Every fault of `error`, in the order of the lines."""
    found = [_fault(entry, source, document) for entry in error.errors(include_url=False)]
    return sorted(found, key=lambda fault: fault.line or 0)


def _fault(entry: Any, source: Source, document: type[Part]) -> SceneError:
    loc, kind, values = entry["loc"], entry["type"], entry.get("ctx", {})
    place = _place(loc, source.data)
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
    """`loc` without the tags of unions: what the reader of the file can follow."""
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
    """What stands there instead of what was wanted."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"the text {_shown(value)}" if isinstance(value, str) else _shown(value)


# -- the schema at a place --------------------------------------------------------------------------


def _annotation(annotation: Any, loc: Sequence[Any]) -> Any:
    """What the schema wants at `loc`, counted from `annotation`; None when it does not say."""
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
    for member in arguments:  # a union: the member with the tag, or the one below which the step leads somewhere
        if Tag(step) in getattr(member, "__metadata__", ()):
            return member
        if (deeper := _step(member, step)) is not None:
            return deeper
    return None


def _bare(annotation: Any) -> Any:
    """The annotation without what is wrapped around it, and without "or nothing"."""
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


def check_version(source: Source, kind: str, newest: int) -> None:
    """The version first: a newer file may say anything else. `kind` is what the file should be, in a word."""
    if not isinstance(source.data, dict):
        found = "a list" if isinstance(source.data, list) else "one value"
        raise source.fault(f"is {found}, not a {kind}", fix="begin with: holdfast: 1")
    if "holdfast" not in source.data:
        raise source.fault("is missing", ("holdfast",), fix=f"a {kind} file begins with: holdfast: 1")
    version = source.data["holdfast"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise source.fault(f"is {version!r}, no version", ("holdfast",), fix=f"write: holdfast: {newest}")
    if version > newest:
        what = f"the file has version {version}, this Holdfast reads up to {newest}"
        raise source.fault(what, ("holdfast",), fix="install a newer Holdfast")


def with_notes(found: list[SceneError]) -> SceneError:
    """The first of several faults, with the others as notes."""
    first, *others = found
    for other in others:
        first.add_note(f"also: {other}")
    return first
