"""`holdfast models`: the list, the details, the nearest name."""

from __future__ import annotations

import holdfast as hf


def test_every_model_is_listed(run_json) -> None:
    code, data = run_json("models")
    assert code == 0
    assert [entry["name"] for entry in data["models"]] == [info.name for info in hf.models.list()]


def test_a_model_tells_parameters_source_and_validity(run_json, run) -> None:
    _, data = run_json("models", "microspine")
    model = data["model"]
    assert model["source"] and model["validity"] and model["convex"] is False
    assert {"f0", "cap"} <= {parameter["name"] for parameter in model["parameters"]}
    assert "microspine" in run("models", "microspine").stdout


def test_a_misspelt_model_is_told_the_nearest(run) -> None:
    result = run("models", "coulom")
    assert result.exit_code == 2 and "did you mean 'coulomb'" in result.stderr


def test_a_model_is_drawn(run, tmp_path) -> None:
    assert run("models", "magnet", "--plot", tmp_path / "magnet.png").exit_code == 0
    assert (tmp_path / "magnet.png").stat().st_size > 5_000
    assert run("models", "--plot", tmp_path / "all.png").exit_code == 2
