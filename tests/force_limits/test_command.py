"""`holdfast models` and `holdfast decompose`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.force_limits.files import load_volume
from holdfast.scenes import load_scene

# -- command models --------------------------------------------------------------------------------

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


# -- command decompose -----------------------------------------------------------------------------


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    """A hook that pulls while it is loaded along x, and a weaker trial of one direction."""
    rows = ["azimuth [deg],elevation [deg],force [N],trial"]
    for azimuth in range(0, 360, 45):
        for elevation, factor in ((-60, 0.0), (-30, 0.2), (0, 1.0), (30, 2.0), (60, 3.0)):
            strength = 10.0 * (1.2 + np.cos(np.radians(azimuth)))
            rows.append(f"{azimuth},{elevation},{strength * factor:.4f},1")
    rows += ["0,0,20.0,2", "0,-90,0,1", "0,90,60,1"]
    path = tmp_path / "hook.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_measurements_become_pieces_with_a_report(run_json: RunJson, csv: Path, tmp_path: Path) -> None:
    target = tmp_path / "volume.json"
    code, data = run_json("decompose", csv, "-o", target, "--pieces", 4)
    assert code == 0
    assert set(data) == {"command", "file", "band", "surface", "report", "pieces", "output"}
    assert set(data["surface"]) == {"directions", "assumed", "trials", "outliers", "largest_newtons"}
    assert data["surface"]["trials"] == 43
    assert data["report"]["side"] == "inner"
    assert data["report"]["false_adhesion_newtons"] == 0.0
    assert 1 <= len(data["pieces"]) <= 4
    volume = load_volume(target)
    expected = hf.decompose(hf.read_measurements(csv).surface(), max_pieces=4)
    assert volume.fingerprint == expected.fingerprint


def test_what_is_written_can_be_used_in_a_scene(run: Run, csv: Path, tmp_path: Path) -> None:
    assert run("decompose", csv, "--side", "outer", "-o", tmp_path / "v.json").exit_code == 0
    scene = tmp_path / "scene.yaml"
    text = (
        "holdfast: 1\nvolumes: {v: {file: v.json}}\ncontacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n"
    )
    scene.write_text(text, encoding="utf-8")
    assert load_scene(scene).assembly.contacts[0].volume.fingerprint == load_volume(tmp_path / "v.json").fingerprint


def test_bands_are_nested(run_json: RunJson, csv: Path, tmp_path: Path) -> None:
    reach = []
    for band in ("inner", "nominal", "outer"):
        run_json("decompose", csv, "--band", band, "-o", tmp_path / f"{band}.json", "--pieces", 8)
        reach.append(float(load_volume(tmp_path / f"{band}.json").radial(np.array([1.0, 0, 0]))))
    assert reach[0] <= 20.0 + 1e-9
    assert reach[0] <= reach[1] <= reach[2] <= 22.0 + 1e-9


def test_a_stored_surface_is_taken_too(run_json: RunJson, csv: Path, tmp_path: Path) -> None:
    surface = hf.read_measurements(csv).surface()
    surface.save(tmp_path / "surface.json")
    _, one = run_json("decompose", csv)
    _, other = run_json("decompose", tmp_path / "surface.json")
    assert one["report"] == other["report"]


def test_the_table_and_the_picture(run: Run, csv: Path, tmp_path: Path) -> None:
    target = tmp_path / "volume.png"
    result = run("decompose", csv, "--plot", target)
    assert result.exit_code == 0
    for words in ("43 measurements in 42 directions", "convex pieces", "invented adhesion", "lost adhesion", "[N]"):
        assert words in result.stdout
    assert target.stat().st_size > 1000


def test_a_goal_that_is_not_reached_is_told(run: Run, csv: Path) -> None:
    assert "was not reached" in run("decompose", csv, "--pieces", 1, "--error", 1e-6).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.csv"], "none.csv"),
        (["CSV", "--compression", "some"], "--compression"),
        (["CSV", "--pieces", "0"], "max_pieces"),
        (["CSV", "--error", "-1"], "max_error"),
        (["CSV", "--side", "middle"], "middle"),
        (["CSV", "-o", "none/v.json"], "cannot be written"),
    ],
)
def test_bad_input_ends_with_code_2(run: Run, csv: Path, words: list[str], message: str) -> None:
    result = run("decompose", *(str(csv) if word == "CSV" else word for word in words))
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_fault_in_the_csv_names_its_line(run: Run, csv: Path) -> None:
    csv.write_text(csv.read_text(encoding="utf-8").replace("0,90,60,1", "0,90,much,1"), encoding="utf-8")
    result = run("decompose", csv)
    assert result.exit_code == 2
    assert "hook.csv:44" in result.stderr
