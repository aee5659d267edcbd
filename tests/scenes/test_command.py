from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from holdfast.scenes import load_scene, ready_names, scene_schema

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


def test_a_valid_scene(run: Run, run_json: RunJson, hooks: Path) -> None:
    assert run("scene", "validate", hooks).stdout == f"{hooks}: valid\n"
    assert run_json("scene", "validate", hooks) == (
        0,
        {"command": "scene validate", "file": str(hooks), "valid": True, "faults": [], "warnings": []},
    )


def test_every_fault_is_reported_with_line_field_and_fix(run: Run, run_json: RunJson, hooks: Path) -> None:
    hooks.write_text(
        hooks.read_text(encoding="utf-8").replace("mass", "mas").replace("shear: 5", "shear: x"), encoding="utf-8"
    )
    code, data = run_json("scene", "validate", hooks)
    assert (code, data["valid"]) == (2, False)
    assert [(fault["line"], fault["field"]) for fault in data["faults"]] == [
        (3, "object.mas"),
        (5, "volumes.hook.shear"),
    ]
    assert set(data["faults"][0]) == {"file", "line", "field", "what", "fix"}
    result = run("scene", "validate", hooks)
    assert result.exit_code == 2
    assert f"{hooks}:3: object.mas: is not a field here (did you mean 'mass'?" in result.stdout
    assert "2 faults" in result.stdout
    stopped = run("check", hooks)
    assert stopped.exit_code == 2
    assert "also: " in stopped.stderr


def test_a_scene_is_shown(run: Run, run_json: RunJson, hooks: Path, tmp_path: Path) -> None:
    result = run("scene", "show", hooks, "--plot", tmp_path / "scene.png")
    assert result.exit_code == 0
    for words in ("hooks", "0.3 kg", "Contacts", "normal into the object", "Loads", "pull"):
        assert words in result.stdout
    assert (tmp_path / "scene.png").stat().st_size > 1000
    _, data = run_json("scene", "show", hooks)
    keys = {
        "command",
        "name",
        "description",
        "file",
        "mass",
        "com",
        "inertia",
        "bodies",
        "gravity",
        "loads",
        "contacts",
        "joints",
    }
    assert set(data) == keys
    assert len(data["contacts"]) == 4
    assert data["loads"]["pull"] == [0, 0, -1, 0, 0, 0]


def test_joint_rows_are_shown(run: Run, run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "gripper.yaml"
    path.write_text("holdfast: 1\nvolumes: {u: {model: gecko}}\ndevice: {kind: 2FG, unit: u}\n", encoding="utf-8")
    text = run("scene", "show", path).stdout
    assert "Joint rows" in text
    assert "1500, 750 (brittle)" in text  # a quarter of a gecko pad at each corner
    joints = run_json("scene", "show", path)[1]["joints"]
    assert len(joints) == 6
    assert joints[0]["stiffness"] == 0.0


def test_the_schema_is_printed_as_json(run: Run) -> None:
    result = run("scene", "schema")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == json.loads(json.dumps(scene_schema()))


def test_ready_scenes_are_listed(run: Run, run_json: RunJson) -> None:
    text = run("scene", "list").stdout
    assert all(f"@{name}" in text for name in ready_names())
    _, data = run_json("scene", "list")
    assert [scene["name"] for scene in data["scenes"]] == [f"@{name}" for name in ready_names()]
    assert all(len(scene["title"]) > 20 for scene in data["scenes"])


def test_a_ready_scene_is_copied_as_it_stands(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "mine.yaml"
    assert run("scene", "copy", "@gecko_on_glass", target).exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("# A small climber")
    again = run("scene", "copy", "@gecko_on_glass", target)
    assert again.exit_code == 2
    assert "exists already" in again.stderr


def test_a_plain_copy_needs_no_models(run_json: RunJson, tmp_path: Path) -> None:
    target = tmp_path / "plain.yaml"
    expected = {"command": "scene copy", "file": str(target), "plain": True, "contacts": 8}
    assert run_json("scene", "copy", "@suction_cup", target, "--plain") == (0, expected)
    assert "model" not in target.read_text(encoding="utf-8")
    assert load_scene(target).fingerprint == load_scene("@suction_cup").fingerprint


def test_a_copy_that_would_not_find_its_files_is_not_made(run: Run, hooks: Path, tmp_path: Path) -> None:
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", encoding="utf-8")
    text = hooks.read_text(encoding="utf-8").replace("{mass: 0.3}", "{mass: 0.3, shape: {kind: mesh, file: t.obj}}")
    hooks.write_text(text, encoding="utf-8")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    result = run("scene", "copy", hooks, folder / "copy.yaml")
    assert result.exit_code == 2
    assert "--plain" in result.stderr
    assert not (folder / "copy.yaml").exists()
    assert run("scene", "copy", hooks, folder / "copy.yaml", "--plain").exit_code == 0


@pytest.mark.parametrize(
    "words", [["validate"], ["show", "none.yaml"], ["copy", "@suction_cup", "none/x.yaml"], ["frobnicate"]]
)
def test_bad_input_ends_with_code_2(run: Run, words: list[str]) -> None:
    assert run("scene", *words).exit_code == 2


def test_several_bodies_are_shown_with_their_interfaces_and_loads(run: Run, run_json: RunJson) -> None:
    text = run("scene", "show", "@stacked_cubes").stdout
    assert "2 bodies: 2 kg, centre of mass (0, 0, 0.1) m" in text
    rows = [line.split() for line in text.splitlines()]
    assert ["upper", "1", "0", "0", "0.15", "box"] in rows
    assert ["upper", "on", "lower", "4"] in rows
    assert ["shove", "upper", "7", "0", "0", "0", "1.05", "0"] in rows
    assert "shove   lower" not in text
    _, data = run_json("scene", "show", "@stacked_cubes")
    assert [body["name"] for body in data["bodies"]] == ["lower", "upper"]
    assert {(c["body"], c["against"]) for c in data["contacts"]} == {("lower", None), ("upper", "lower")}
