from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import holdfast
from holdfast.scenes import ready_names, ready_path, scene_schema
from holdfast.scenes.schema import SceneDocument

STORED = Path(holdfast.__file__).parent / "data" / "scene.schema.json"


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = scene_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_stored_schema_is_the_one_the_code_makes() -> None:
    """To renew it: holdfast scene schema > src/holdfast/data/scene.schema.json."""
    assert json.loads(STORED.read_text(encoding="utf-8")) == json.loads(json.dumps(scene_schema()))


@pytest.mark.parametrize("name", ready_names())
def test_every_ready_scene_obeys_the_schema(validator: jsonschema.Draft202012Validator, name: str) -> None:
    data = yaml.safe_load(ready_path(f"@{name}").read_text(encoding="utf-8"))
    assert [error.message for error in validator.iter_errors(data)] == []


def test_the_scene_of_these_tests_obeys_the_schema(validator: jsonschema.Draft202012Validator, block: str) -> None:
    assert list(validator.iter_errors(yaml.safe_load(block))) == []


@pytest.mark.parametrize(
    "change",
    [
        {"holdfast": 2},
        {"surprise": 1},
        {"gravity": [0, 0]},
        {"volumes": {"v": {"model": "colomb"}}},
        {"volumes": {"v": {"model": "coulomb", "mus": 1}}},
        {"contacts": [{"position": [0, 0, 0], "normal": [0, 0, 1]}]},
        {"joints": [{"kind": "hing"}]},
        {"device": {"kind": "2FG", "left": "X"}},
        {"object": {"mass": -1}},
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(
    validator: jsonschema.Draft202012Validator, block: str, change: dict[str, Any]
) -> None:
    assert list(validator.iter_errors(yaml.safe_load(block) | change))


def described(schema: Any) -> list[str]:
    """Names of all fields of a schema that say what they are, or refer to what does."""
    missing = []
    for part in [schema, *schema["$defs"].values()]:
        for name, field in part.get("properties", {}).items():
            if not (field.get("description") or "$ref" in field or "const" in field):
                missing.append(f"{part.get('title')}.{name}")
    return missing


def test_every_field_of_the_schema_is_described() -> None:
    assert [name for name in described(scene_schema()) if not name.startswith("LinkPart.")] == []


def test_every_model_and_device_is_in_the_schema() -> None:
    text = json.dumps(scene_schema())
    for name in [info.name for info in holdfast.models.list()] + [info.name for info in holdfast.papers.devices.list()]:
        assert f'"const": "{name}"' in text


def test_defaults_are_what_the_document_takes() -> None:
    data = {
        "holdfast": 1,
        "volumes": {"v": {"model": "coulomb"}},
        "contacts": [{"position": [0, 0, 0], "normal": [0, 0, 1], "volume": "v"}],
    }
    document = SceneDocument.model_validate(data)
    assert document.gravity == [0.0, 0.0, -9.80665]
    assert document.object.mass is None
