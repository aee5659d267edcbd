"""The schema of planar scene files: what it stores, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

import holdfast
from holdfast.console.output import plain
from holdfast.planar import files_planar_schema as planar_schema
from holdfast.planar.files import DOCUMENTS, BodyDocument, DisturbancePart, PlanarBodyPart

STORED = Path(holdfast.__file__).parent / "data" / "planar.schema.json"


def test_the_stored_schema_is_the_one_of_the_program():
    assert json.loads(STORED.read_text(encoding="utf-8")) == plain(planar_schema())


def test_the_schema_tells_the_three_kinds_apart_by_their_word():
    schema = planar_schema()
    assert schema["discriminator"]["propertyName"] == "planar"
    assert set(schema["discriminator"]["mapping"]) == set(DOCUMENTS) == {"body", "chain", "climb"}
    for kind, document in DOCUMENTS.items():
        part = schema["$defs"][document.__name__]
        assert part["additionalProperties"] is False
        assert part["properties"]["planar"]["const"] == kind


def test_every_field_says_what_it_is():
    fields = {name: part for document in DOCUMENTS.values() for name, part in document.model_fields.items()}
    assert all(part.description for part in fields.values()), [n for n, p in fields.items() if not p.description]


@pytest.mark.parametrize(
    "data",
    [
        {"mass": 1.0},  # no inertia
        {"mass": 1.0, "density": 1.0, "outline": [[0, 0], [1, 0], [0, 1]]},
        {"density": 1.0, "radius_of_gyration": 1.0},  # of what area?
        {"mass": -1.0, "radius_of_gyration": 1.0},
    ],
)
def test_bodies_without_one_mass_and_inertia_are_refused(data):
    with pytest.raises(ValidationError):
        PlanarBodyPart.model_validate(data)


def test_a_disturbance_has_one_form():
    for data in ({}, {"lower": [0.0]}, {"lower": [0.0], "upper": [1.0], "vertices": [[0.0]]}):
        with pytest.raises(ValidationError):
            DisturbancePart.model_validate(data)
    assert DisturbancePart.model_validate({"lower": [None, -1.0], "upper": [None, 1.0]}).lower == [None, -1.0]


def test_obstacles_alone_need_an_outline():
    head = {"holdfast": 1, "planar": "body", "body": {"mass": 1.0, "radius_of_gyration": 1.0}}
    with pytest.raises(ValidationError, match="outline"):
        BodyDocument.model_validate({**head, "obstacles": [{"ground": {"extent": 1.0}}]})
    assert BodyDocument.model_validate(head).contacts == []
