from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, ValidationError

from holdfast.errors import SceneError
from holdfast.files.faults import faults
from holdfast.files.parts import Part, by_field, complaint
from holdfast.files.yaml_source import Source


class Wheel(Part):
    kind: Literal["wheel"]
    radius: Annotated[float, Field(gt=0.0, lt=10.0)] = Field(1.0, description="of the wheel [m]")
    spokes: Annotated[list[int], Field(max_length=2)] = []


class Track(Part):
    kind: Literal["track"]
    width: float = Field(description="of the track [m]")


class Cart(Part):
    parts: list[by_field("kind", {"wheel": Wheel, "track": Track}, "part")] = []  # pyright: ignore[reportInvalidTypeForm]
    named: dict[Annotated[str, Field(min_length=1, max_length=5)], Track | None] = {}
    spare: Wheel | None = None
    colour: Literal["red", "blue"] = "red"
    new: bool = False


def found(data: Any) -> list[SceneError]:
    try:
        Cart.model_validate(data)
    except ValidationError as error:
        return faults(error, Source(Path("cart.yaml"), data), Cart)
    return []


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"parts": [{"kind": "wheel", "radius": -1}]}, "parts[0].radius: is -1 (give a number above 0)"),
        ({"parts": [{"kind": "wheel", "radius": 11.5}]}, "parts[0].radius: is 11.5 (give a number below 10)"),
        ({"parts": [{"kind": "wheel", "radius": "big"}]}, "parts[0].radius: is the text 'big' (give a number)"),
        ({"parts": [{"kind": "wheel", "radius": None}]}, "parts[0].radius: is empty (give a number)"),
        ({"parts": [{"kind": "wheel", "radius": {"a": 1}}]}, "parts[0].radius: is a mapping (give a number)"),
        ({"parts": [{"kind": "wheel", "radius": [1]}]}, "parts[0].radius: is a list (give a number)"),
        ({"parts": [{"kind": "wheel", "spokes": [1, 2, 3]}]}, "parts[0].spokes: has 3 entries (give at most 2)"),
        ({"parts": [{"kind": "wheel", "spokes": [1.5]}]}, "parts[0].spokes[0]: is 1.5 (give a whole number)"),
        ({"parts": {}}, "parts: is a mapping (give a list: [ ... ])"),
        ({"parts": [{"kind": "track"}]}, "parts[0].width: is missing (give width: of the track [m])"),
        (
            {"parts": [{"kind": "wheel", "raduis": 1}]},
            "parts[0].raduis: is not a field here (did you mean 'radius'? known: kind, radius, spokes)",
        ),
        (
            {"spare": {"kind": "wheel", "spoke": []}},
            "spare.spoke: is not a field here (did you mean 'spokes'? known: kind, radius, spokes)",
        ),
        ({"spare": 3}, "spare: is 3 (give fields: name: value)"),
        ({"colour": "bleu"}, "colour: is 'bleu' (did you mean 'blue'? known: red, blue)"),
        ({"colour": 3}, "colour: is 3 (known: red, blue)"),
        ({"new": "yes"}, "new: is the text 'yes' (give true or false)"),
        ({"named": {"": None}}, "named.: is empty (give a text)"),
        ({"named": {"abcdef": None}}, "named.abcdef: is too long (give at most 5 characters)"),
        ({"named": []}, "named: is a list (give fields: name: value)"),
        ({"named": {"<x>": {"kind": "track"}}}, "named.<x>.width: is missing (give width: of the track [m])"),
        ({"colour": "x" * 100}, f"colour: is '{'x' * 36}... (known: red, blue)"),
    ],
)
def test_each_kind_of_fault_in_words(data: Any, text: str) -> None:
    assert [str(fault) for fault in found(data)] == [f"cart.yaml:1: {text}"]


def test_what_is_right_has_no_fault() -> None:
    assert found({"parts": [{"kind": "wheel"}], "named": {"a": {"kind": "track", "width": 1}}}) == []


def test_every_fault_is_told() -> None:
    assert len(found({"colour": 1, "new": 2, "x": 3, "parts": [{"kind": "wheel", "radius": -1}, {}]})) == 5


def test_a_complaint_may_point_at_a_field_below() -> None:
    error = ValidationError.from_exception_data(
        "cart", [{"type": complaint("is wrong", "mend it", "radius"), "loc": ("spare",), "input": {}}]
    )
    (fault,) = faults(error, Source(Path("c"), {"spare": {"radius": 3}}), Cart)
    assert (fault.field, fault.what, fault.fix) == ("spare.radius", "is wrong", "mend it")
