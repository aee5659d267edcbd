from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import holdfast
from holdfast.postures import files_posture_schema as posture_schema
from holdfast.postures.files import POSTURE_FIELDS, SCENE_FIELDS, PostureDocument
from holdfast.scenes import posture_names, posture_path, ready_names, ready_path
from holdfast.scenes.schema import SceneDocument

STORED = Path(holdfast.__file__).parent / "data" / "posture.schema.json"


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = posture_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def data_of(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_stored_schema_is_the_current_one() -> None:
    """To renew it: holdfast posture --schema > src/holdfast/data/posture.schema.json."""
    assert json.loads(STORED.read_text(encoding="utf-8")) == posture_schema()


@pytest.mark.parametrize("name", posture_names())
def test_ready_postures_satisfy_the_schema(validator: jsonschema.Draft202012Validator, name: str) -> None:
    assert [fault.message for fault in validator.iter_errors(data_of(posture_path(f"@{name}")))] == []


@pytest.mark.parametrize("name", ready_names()[:3])
def test_scenes_do_not_satisfy_it(validator: jsonschema.Draft202012Validator, name: str) -> None:
    assert not validator.is_valid(data_of(ready_path(f"@{name}")))


def test_every_field_says_what_it_is() -> None:
    silent = []
    for name, part in posture_schema()["$defs"].items():
        silent += [
            f"{name}.{field}" for field, entry in part.get("properties", {}).items() if "description" not in entry
        ]
    assert set(silent) <= {"LinkPart.name"}


def test_the_fields_that_tell_the_files_apart_are_fields_of_one_kind_alone() -> None:
    posture, scene = set(PostureDocument.model_fields), set(SceneDocument.model_fields)
    assert set(POSTURE_FIELDS) == posture - scene
    assert set(SCENE_FIELDS) == scene - posture
