from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from holdfast.errors import SceneError
from holdfast.files import schema
from holdfast.files.schema import Bound, Framed, Number, Part, Points, Vector, by_field, by_type, complaint, faults
from holdfast.files.yaml_source import YamlSource

# -- schema ----------------------------------------------------------------------------------------


def complaints(annotation: Any, value: Any) -> list[tuple[Any, ...]]:
    """(type, location, what, fix, at) of every fault."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(annotation).validate_python(value)
    found = []
    for entry in caught.value.errors():
        values = entry.get("ctx", {})
        if "advice" in values:  # the words are made when they are asked for
            values = values["advice"]().context
        found.append((entry["type"], entry["loc"], values.get("what"), values.get("fix"), values.get("at")))
    return found


class Cat(Part):
    kind: Literal["cat"]
    lives: int = 9


class Dog(Part):
    kind: Literal["dog"]


Pet = by_field("kind", {"cat": Cat, "dog": Dog}, "pet")


def test_numbers_are_finite_and_never_words_or_truths() -> None:
    assert TypeAdapter(Number).validate_python(3, strict=True) == 3.0
    for value in (float("nan"), float("inf"), 2e12, -2e12):
        assert complaints(Number, value)


def test_a_part_guesses_no_types() -> None:
    with pytest.raises(ValidationError):
        Cat.model_validate({"kind": "cat", "lives": "7"})
    with pytest.raises(ValidationError):
        Cat.model_validate({"kind": "cat", "lives": True})
    with pytest.raises(ValidationError):
        Cat.model_validate({"kind": "cat", "legs": 4})


def test_a_bound_may_be_infinite_but_not_nan() -> None:
    assert TypeAdapter(Bound).validate_python(float("-inf")) == float("-inf")
    assert complaints(Bound, float("nan"))[0][2] == "is NaN"


def test_vectors_have_three_numbers() -> None:
    assert TypeAdapter(Vector).validate_python([1, 2, 3]) == [1.0, 2.0, 3.0]
    assert complaints(Vector, [1, 2]) and complaints(Vector, [1, 2, 3, 4])


def test_a_choice_by_field_finds_its_part_or_names_the_nearest() -> None:
    assert isinstance(TypeAdapter(Pet).validate_python({"kind": "dog"}), Dog)
    assert isinstance(TypeAdapter(Pet).validate_python({"kind": "cat"}), Cat)
    ((_, _, what, fix, at),) = complaints(Pet, {"kind": "dig"})
    assert (what, at) == ("there is no pet 'dig'", "kind") and "did you mean 'dog'" in fix
    ((_, _, what, fix, at),) = complaints(Pet, {"kid": "dog"})
    assert (what, fix, at) == ("is not a field here", "did you mean 'kind'?", "kid")
    assert complaints(Pet, {})[0][2] == "has no kind"
    assert complaints(Pet, [1])[0][2] == "is not a mapping"
    assert complaints(Pet, {"kind": ["dog"]})[0][2].startswith("there is no pet")


def test_a_fault_inside_a_choice_carries_its_tag() -> None:
    assert complaints(Pet, {"kind": "cat", "lives": "x"})[0][1] == ("<pet cat>", "lives")


def test_a_choice_by_type_tells_words_lists_and_truths_apart() -> None:
    choice = by_type((str, Literal["all"]), (int, Number), fix="give all or a number")
    assert TypeAdapter(choice).validate_python("all") == "all"
    assert TypeAdapter(choice).validate_python(3) == 3.0
    assert complaints(choice, True)[0][2:4] == ("has the wrong type", "give all or a number")
    assert complaints(choice, [1])[0][2] == "has the wrong type"


@pytest.mark.parametrize("value", ["corners", [2, 3]])
def test_points_are_corners_or_cells(value: Any) -> None:
    assert TypeAdapter(Points).validate_python(value) == value


@pytest.mark.parametrize("value", ["corner", [2], [0, 1], [1, schema.MOST_CELLS + 1], [1.5, 1], 4, None])
def test_other_points_are_refused(value: Any) -> None:
    assert complaints(Points, value)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({}, "has no frame"),
        ({"normal": [0, 0, 1], "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "has two frames"),
        ({"shear": [1, 0, 0], "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "has both a shear and a rotation"),
    ],
)
def test_a_frame_is_given_in_one_way(given: dict[str, Any], what: str) -> None:
    assert complaints(Framed, given)[0][2] == what


def test_braces_in_a_complaint_stay_as_they_are() -> None:
    assert str(schema.complaint("{x} and {0}", "y")) == "{x} and {0}"


# -- faults ----------------------------------------------------------------------------------------


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
        return faults(error, YamlSource(Path("cart.yaml"), data), Cart)
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
    assert [str(fault) for fault in found(data)] == [f"cart.yaml: {text}"]


def test_what_is_right_has_no_fault() -> None:
    assert found({"parts": [{"kind": "wheel"}], "named": {"a": {"kind": "track", "width": 1}}}) == []


def test_every_fault_is_told() -> None:
    assert len(found({"colour": 1, "new": 2, "x": 3, "parts": [{"kind": "wheel", "radius": -1}, {}]})) == 5


def test_a_complaint_may_point_at_a_field_below() -> None:
    error = ValidationError.from_exception_data(
        "cart", [{"type": complaint("is wrong", "mend it", "radius"), "loc": ("spare",), "input": {}}]
    )
    (fault,) = faults(error, YamlSource(Path("c"), {"spare": {"radius": 3}}), Cart)
    assert (fault.field, fault.what, fault.fix) == ("spare.radius", "is wrong", "mend it")
