"""`holdfast scene`: validate, show, schema, list."""

from __future__ import annotations

import json

import pytest

from holdfast.scene import scene_schema


def test_every_ready_scene_is_listed_and_valid(run, run_json) -> None:
    _, data = run_json("scene", "list")
    names = [entry["name"] for entry in data["scenes"]]
    assert {"@block_on_three_points", "@two_finger_gripper_md_pmd"} <= set(names)
    assert run("scene", "validate", "@block_on_three_points").exit_code == 0


def test_a_fault_is_told_with_line_field_and_fix(run_json, hooks) -> None:
    text = hooks.read_text(encoding="utf-8").replace("mass: 0.3", "mass: -0.3")
    hooks.write_text(text, encoding="utf-8")
    code, data = run_json("scene", "validate", hooks)
    assert code == 2 and data["valid"] is False
    (fault,) = data["faults"]
    assert fault["line"] == 3 and "mass" in fault["field"] and fault["fix"]


def test_show_tells_what_the_scene_consists_of(run, run_json, hooks) -> None:
    _, data = run_json("scene", "show", hooks)
    assert data["name"] == "hooks" and len(data["contacts"]) == 4
    assert "hooks" in run("scene", "show", hooks).stdout


def test_the_schema_printed_is_the_one_of_the_package(run) -> None:
    assert json.loads(run("scene", "schema").stdout) == scene_schema()


@pytest.mark.parametrize("words", [("validate", "missing.yaml"), ("show", "missing.yaml"), ("show", "@nothing_like_it")])
def test_missing_scenes_are_bad_input(run, words) -> None:
    assert run("scene", *words).exit_code == 2
