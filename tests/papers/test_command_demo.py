from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from holdfast.papers import command as module
from holdfast.papers.command import _accuracy, _arcs, _summary
from holdfast.scenes import load_scene

Run = Callable[..., Result]

FILES = {"unit.json", "gripper.yaml", "sweep.json", "unit.png", "section.png", "gripper.png", "sweep.png"}


@pytest.fixture
def shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DIRECTIONS", 8)


@pytest.mark.usefixtures("shorter")
def test_the_demo_leaves_a_table_a_summary_pictures_and_a_scene(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "demo"
    result = run("demo", "-o", target)
    assert result.exit_code == 0, result.output
    for words in (
        "1158 measurements",
        "6 convex pieces",
        "invented adhesion",
        "load factor",
        "of 8 directions",
        "The gripper holds",
        "the largest there are, to 1e-06",
    ):
        assert words in result.stdout
    assert {path.name for path in target.iterdir()} == FILES
    assert all(path.stat().st_size > 300 for path in target.iterdir())
    scene = load_scene(target / "gripper.yaml")
    assert len(scene.assembly) == 20
    results = json.loads((target / "sweep.json").read_text(encoding="utf-8"))["results"]
    assert [r["angle_deg"] for r in results] == [45.0 * i for i in range(8)]
    assert {r["status"] for r in results} == {"holds", "does not hold"}


def results_of(pattern: str) -> list[dict[str, Any]]:
    words = {"h": "holds", "d": "does not hold"}
    step = 360 / len(pattern)
    return [{"angle_deg": i * step, "status": words[c], "load_factor": i} for i, c in enumerate(pattern)]


@pytest.mark.parametrize(
    ("pattern", "arcs"),
    [
        ("hhhh", ""),
        ("dddd", ""),
        ("hhdd", ": 0 to 90 degrees from straight down, towards +x"),
        ("hddh", ": 270 to 0 degrees from straight down, towards +x"),
        ("dhdh", ": 90 to 90, 270 to 270 degrees from straight down, towards +x"),
    ],
)
def test_the_arcs_on_which_it_holds_in_words(pattern: str, arcs: str) -> None:
    assert _arcs(results_of(pattern)) == arcs


def test_the_summary_names_the_strongest_side() -> None:
    text = _summary(results_of("hhdd"))
    assert "2 of 4 sides" in text
    assert "strongest at 270 degrees" in text
    assert "3 times the weight" in text


def test_load_factors_that_are_not_proven_are_counted() -> None:
    known: list[dict[str, Any]] = [
        {"load_factor": 2.0, "load_factor_upper_bound": 2.000001},
        {"load_factor": "inf", "load_factor_upper_bound": "inf"},
        {"load_factor": "-inf", "load_factor_upper_bound": "-inf"},
    ]
    assert _accuracy(known) == "Load factors are the largest there are, to 1e-06 of each."
    unknown: list[dict[str, Any]] = [
        {"load_factor": 2.0, "load_factor_upper_bound": 2.1},
        {"load_factor": None, "load_factor_upper_bound": None},
    ]
    assert _accuracy(known + unknown).startswith("2 load factors are not proven")


def test_a_folder_that_cannot_be_made_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run("demo", "-o", tmp_path / "file")
    assert result.exit_code == 2
    assert "cannot be made" in result.stderr
