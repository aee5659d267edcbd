from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import holdfast as hf

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


def test_every_model_is_listed(run: Run, run_json: RunJson) -> None:
    names = [info.name for info in hf.models.list()]
    result = run("models")
    assert result.exit_code == 0
    assert all(name in result.stdout for name in names)
    code, data = run_json("models")
    assert code == 0
    assert [model["name"] for model in data["models"]] == names


@pytest.mark.parametrize("name", [info.name for info in hf.models.list()])
def test_a_model_tells_all_about_itself(run: Run, run_json: RunJson, name: str) -> None:
    _, data = run_json("models", name)
    info = hf.models.get(name)
    assert set(data["model"]) == {"name", "summary", "convex", "kind", "source", "validity", "parameters"}
    assert [p["name"] for p in data["model"]["parameters"]] == list(info.parameter_names)
    text = run("models", name).stdout
    assert info.source in text
    assert info.validity in text


def test_an_unknown_model_suggests_the_nearest(run: Run) -> None:
    result = run("models", "coulom")
    assert result.exit_code == 2
    assert "did you mean 'coulomb'" in result.stderr


@pytest.mark.parametrize("name", ["gecko_two_way", "soft_finger"])
def test_a_picture_of_a_model(run: Run, tmp_path: Path, name: str) -> None:
    target = tmp_path / "model.png"
    assert run("models", name, "--plot", target).exit_code == 0
    assert target.stat().st_size > 1000


def test_a_picture_needs_a_name(run: Run, tmp_path: Path) -> None:
    result = run("models", "--plot", tmp_path / "x.png")
    assert result.exit_code == 2
    assert "needs the name of a model" in result.stderr
