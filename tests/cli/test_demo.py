"""`holdfast demo`: what it says and leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.cli import demo
from holdfast.scenes import load_scene

Run = Callable[..., Result]

FILES = {"unit.json", "gripper.yaml", "sweep.json", "unit.png", "section.png", "gripper.png", "sweep.png"}


def test_the_demo_leaves_verdicts_pictures_and_a_scene(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "DIRECTIONS", 8)
    target = tmp_path / "demo"
    result = run("demo", "-o", target)
    assert result.exit_code == 0, result.output
    assert "The gripper holds its object for" in result.stdout
    assert {path.name for path in target.iterdir()} == FILES
    assert all(path.stat().st_size > 300 for path in target.iterdir())
    scene = load_scene(target / "gripper.yaml")
    results = json.loads((target / "sweep.json").read_text(encoding="utf-8"))["results"]
    assert [found["angle_deg"] for found in results] == [45.0 * i for i in range(8)]
    assert {found["status"] for found in results} == {"holds", "does not hold"}
    down = hf.equilibrium(scene.assembly, scene.gravity_load())
    assert down.verify() and results[0]["status"] == down.status.value


def test_the_summary_names_the_strongest_side() -> None:
    factors: list[Any] = [0.0, 1.5, None, "inf"]
    results = [
        {"angle_deg": 90.0 * i, "status": "holds" if i % 2 else "does not hold", "load_factor": factor}
        for i, factor in enumerate(factors)
    ]
    text = demo._summary(results)
    assert "2 of 4 directions" in text and "strongest at 270 degrees" in text


def test_a_folder_that_cannot_be_made_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run("demo", "-o", tmp_path / "file")
    assert result.exit_code == 2
    assert "cannot be created" in result.stderr
