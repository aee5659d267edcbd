"""`holdfast models` and `holdfast decompose`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.force_limits import command
from holdfast.force_limits.accuracy import CERTIFIED
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
    assert set(data["model"]) == {"name", "summary", "convex", "kind", "source", "validity", "suspension", "parameters"}
    assert [p["name"] for p in data["model"]["parameters"]] == list(info.parameter_names)
    text = run("models", name).stdout
    assert info.source in text
    assert info.validity in text
    for words in (f"normal {info.suspension.normal:g} N/m", info.suspension.source, info.suspension.validity):
        assert words in text
    assert f"default failure rule: {info.suspension.rule}" in text


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
    counts = {"directions", "assumed", "trials", "outliers", "largest_newtons"}
    assert set(data["surface"]) == counts | {"smoothing", "missing", "notes"}
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
    for words in ("43 measurements in 42 directions", "convex pieces", "no force is added", "lost [N]"):
        assert words in result.stdout
    assert "%" not in result.stdout
    assert "not smoothed: too few tests were repeated" in result.stdout
    assert "warning" not in result.stdout
    assert target.stat().st_size > 1000


def test_the_table_gives_newtons_along_directions(run: Run, run_json: RunJson, csv: Path) -> None:
    for side, verb, name in (("inner", "lost", "lost"), ("outer", "added", "false")):
        text = run("decompose", csv, "--pieces", 2, "--side", side).stdout
        _, data = run_json("decompose", csv, "--pieces", 2, "--side", side)
        volume, surface = (
            hf.decompose(hf.read_measurements(csv).surface(), side=side, max_pieces=2),
            hf.read_measurements(csv).surface(),
        )
        lines = {line.split("  ")[0].strip(): line.split()[-3:] for line in text.splitlines()}
        for words, direction in (("shear along +x", (1.0, 0, 0)), ("pull straight off, -z", (0, 0, -1.0))):
            limit, held = float(surface.radial(direction)), float(volume.radial(direction))
            assert [float(n) for n in lines[words]] == pytest.approx(
                [limit, held, abs(limit - held)], rel=6e-3, abs=1e-6
            )
        for part in ("adhesion", "shear"):
            error = data["report"][f"{name}_{part}_newtons"]
            row = next(line for line in text.splitlines() if f"most {'pull' if part == 'adhesion' else part}" in line)
            assert verb in row
            assert (1.0 - CERTIFIED) * error <= float(row.split()[-1]) * (1.0 + 6e-3)  # three digits are printed
            assert float(row.split()[-1]) <= error * (1.0 + 6e-3)


@pytest.fixture
def pulls(tmp_path: Path) -> Path:
    """Three pulls each along directions below the surface, 5 % of scatter, and none that presses."""
    rng = np.random.default_rng(3)
    rows = ["azimuth [deg],elevation [deg],force [N],trial"]
    for elevation in (-80, -60, -40, -20, -5):
        for azimuth in range(0, 360, 45):
            limit = 1.0 / np.hypot(np.cos(np.radians(elevation)) / 12.0, np.sin(np.radians(elevation)) / 3.0)
            rows += [f"{azimuth},{elevation},{limit * rng.normal(1, 0.05):.4f},{trial}" for trial in (1, 2, 3)]
    path = tmp_path / "pulls.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_directions_without_data_are_a_visible_warning_with_the_option_that_helps(
    run: Run, run_json: RunJson, pulls: Path
) -> None:
    text = run("decompose", pulls).stdout
    warning = next(line for line in text.splitlines() if line.startswith("warning: "))
    assert "no test presses the contact" in warning
    assert "--compression unlimited" in warning
    assert run_json("decompose", pulls)[1]["surface"]["missing"] == ["no test presses the contact"]
    assert "warning" not in run("decompose", pulls, "--compression", "unlimited").stdout


def test_the_smoothing_is_chosen_from_repeats_and_said_and_can_be_set(run: Run, run_json: RunJson, pulls: Path) -> None:
    _, data = run_json("decompose", pulls)
    chosen = data["surface"]["smoothing"]
    assert chosen["share"] == pytest.approx(0.05, rel=0.3)
    assert chosen["source"] == "120 repeated trials of 40 directions"
    assert f"smoothed for a scatter of {100 * chosen['share']:.2g} % (120 repeated" in run("decompose", pulls).stdout
    assert "not smoothed: switched off" in run("decompose", pulls, "--smoothing", "none").stdout
    assert "scatter of 3 % (as given)" in run("decompose", pulls, "--smoothing", 0.03).stdout


def test_a_time_limit_is_kept_and_said(run: Run, pulls: Path) -> None:
    assert "the time limit ended the search" in run("decompose", pulls, "--time-limit", 1e-6).stdout
    assert "time limit" not in run("decompose", pulls, "--time-limit", 600).stdout


def test_a_least_limit_fills_gaps(run: Run, pulls: Path, tmp_path: Path) -> None:
    held = {}
    for fill in ("zero", "least"):
        assert run("decompose", pulls, "--fill", fill, "-o", tmp_path / "v.json").exit_code == 0
        held[fill] = float(load_volume(tmp_path / "v.json").radial(np.array([1.0, 0.0, 1.0])))
    assert held["zero"] == 0.0
    assert held["least"] > 2.0


def test_progress_is_shown_on_a_terminal(run: Run, pulls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[int, int]] = []

    @contextmanager
    def progress(title: str):
        yield lambda done, total: shown.append((done, total))

    monkeypatch.setattr(command, "progress", progress)
    assert run("decompose", pulls).exit_code == 0
    assert shown[0] == (0, 100)
    assert shown[-1] == (100, 100)


def test_a_goal_that_is_not_reached_is_told(run: Run, csv: Path) -> None:
    assert "was not reached" in run("decompose", csv, "--pieces", 1, "--error", 1e-6).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.csv"], "none.csv"),
        (["CSV", "--compression", "some"], "--compression"),
        (["CSV", "--smoothing", "some"], "--smoothing"),
        (["CSV", "--smoothing", "-1"], "smoothing"),
        (["CSV", "--time-limit", "0"], "time_limit"),
        (["CSV", "--pieces", "0"], "max_pieces"),
        (["CSV", "--error", "-1"], "max_error"),
        (["CSV", "--side", "middle"], "middle"),
        (["CSV", "-o", "none/v.json"], "its folder does not exist"),
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


# -- tests along one axis and at several preloads ---------------------------------------------------


@pytest.fixture
def pull_offs(tmp_path: Path) -> Path:
    path = tmp_path / "pull_offs.csv"
    path.write_text("preload [N],Pull-off force (N)\n1,10\n1,12\n1,11\n3,20\n3,22\n3,24\n", encoding="utf-8")
    return path


def test_pull_off_tests_become_an_assumed_volume(run: Run, run_json: RunJson, pull_offs: Path, tmp_path: Path) -> None:
    target, picture = tmp_path / "v.json", tmp_path / "v.png"
    words = ("decompose", pull_offs, "--preload", 2, "--assume", "magnet,mu=0.3,accuracy=0.01,side=outer")
    code, data = run_json(*words, "--band", "inner", "-o", target, "--plot", picture)
    assert code == 0
    assert data["strength_newtons"] == {"inner": 15.0, "nominal": 16.5, "outer": 18.0}
    assert (data["tests"], data["preload"], data["axis"]) == (3, 2.0, [0.0, 0.0, -1.0])
    assert (data["assumed"], data["parameters"]) == ("magnet", {"mu": 0.3, "accuracy": 0.01, "side": "outer"})
    exact = hf.models.magnet(15.0, 0.3, accuracy=0.01, side="outer")
    assert load_volume(target).fingerprint == exact.fingerprint
    assert picture.stat().st_size > 1000
    text = run(*words).stdout
    for part in (
        "3 tests along one axis, straight off",
        "weakest 15 N, median 16.5 N, strongest 18 N",
        "in all other directions are assumed",
    ):
        assert part in text
    sideways = run("decompose", pull_offs, "--preload", 1, "--along", "0,1,0", "--assume", "segment").stdout
    assert "along one axis, azimuth 90, elevation 0 deg" in sideways


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "made at 2 preloads"),
        (("--preload", "2"), "give a strength, not a volume"),
        (("--preload", "5", "--assume", "segment"), "where 1 to 3 N were tested"),
        (("--preload", "2", "--assume", "magnet"), "mu: is missing for magnet"),
        (("--preload", "2", "--assume", "magnet,0.3"), "--assume: has '0.3'"),
        (("--preload", "2", "--assume", "magnet,level=inner"), "no parameter of magnet 'level'"),
        (("--preload", "2", "--assume", "segment,mu=1"), "no parameter of segment 'mu'"),
        (("--preload", "2", "--assume", "glue"), "no assumption 'glue'"),
        (("--preload", "2", "--assume", "magnet,mu=slippery"), "mu: is not a number"),
        (("--along", "1,0"), "--along: got 2 numbers"),
    ],
)
def test_what_is_missing_of_one_axis_is_said(run: Run, pull_offs: Path, options: tuple[str, ...], words: str) -> None:
    result = run("decompose", pull_offs, *options)
    assert result.exit_code == 2
    assert words in result.stderr
