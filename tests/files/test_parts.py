from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import TypeAdapter, ValidationError

from holdfast.files import parts
from holdfast.files.parts import Bound, Framed, Number, Part, Points, Vector, by_field, by_type


def complaints(annotation: Any, value: Any) -> list[tuple[Any, ...]]:
    """(type, location, what, fix, at) of every fault."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(annotation).validate_python(value)
    found = []
    for entry in caught.value.errors():
        values = entry.get("ctx", {})
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


@pytest.mark.parametrize("value", ["corner", [2], [0, 1], [1, parts.MOST_CELLS + 1], [1.5, 1], 4, None])
def test_other_points_are_refused(value: Any) -> None:
    assert complaints(Points, value)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({}, "has no frame"),
        ({"normal": [0, 0, 1], "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "has two frames"),
        ({"shear": [1, 0, 0], "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "has a shear beside its rotation"),
    ],
)
def test_a_frame_is_given_in_one_way(given: dict[str, Any], what: str) -> None:
    assert complaints(Framed, given)[0][2] == what


def test_braces_in_a_complaint_stay_as_they_are() -> None:
    assert str(parts.complaint("{x} and {0}", "y")) == "{x} and {0}"
