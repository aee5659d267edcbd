from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner, Result

import holdfast as hf
from holdfast.cli import app
from holdfast.inputs import unquoted_formula
from holdfast.wrench_spaces.comparison import MEASURES
from holdfast.wrench_spaces.files import load_space

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


def test_the_facts_of_a_scene_are_those_of_its_assembly(run_json: RunJson, hooks: Path, tmp_path: Path) -> None:
    file = tmp_path / "hooks.h5"
    code, data = run_json("space", hooks, "--axes", "fx,ty,fz", "--level", 1, "--save", file, "--workers", 1)
    assert code == 0
    assembly = hf.scenes.load_scene(hooks).assembly
    loaded = load_space(file, assembly)
    assert loaded.verify()
    assert (data["axes"], data["units"], data["rays"]) == (["fx", "ty", "fz"], ["N", "N m", "N"], 42)
    assert sum(data["counts"].values()) == 42 and data["counts"]["unbounded"] > 0
    assert data["volume"] == "inf" and data["volume_unit"] == "N^2 (N m)"
    row = data["extents"][1]
    assert row["highest"] == pytest.approx(hf.load_limit(assembly, [0, 0, 0, 0, 1, 0]).value, rel=1e-6)
    assert (row["label"], row["unit"], row["verified"]) == ("ty", "N m", True)
    weakest = data["weakest"]
    assert weakest["limit"] == pytest.approx(loaded.values.min())  # directions of unit length
    assert np.linalg.norm(weakest["direction"]) == pytest.approx(1.0)
    assert data["strongest"]["limit"] == "inf" and data["strongest"]["load"] is None


def test_a_bounded_slice_has_a_volume_a_mesh_and_a_picture(run: Run, tmp_path: Path) -> None:
    mesh, picture = tmp_path / "a.ply", tmp_path / "a.svg"
    result = run("space", "@suction_cup", "--rays", 60, "--mesh", mesh, "--plot", picture, "--cap", 80)
    assert result.exit_code == 0, result.output
    assert "about the scene's world origin" in result.stdout
    assert "weakest" in result.stdout and "60 rays:" in result.stdout
    solid = trimesh.load_mesh(mesh)
    assert solid.is_watertight and np.linalg.norm(solid.vertices, axis=1).max() <= 80.0 * (1 + 1e-6)
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


def test_hulls_bear_no_less(run_json: RunJson, hooks: Path) -> None:
    _, union = run_json("space", hooks, "--level", 1)
    _, hull = run_json("space", hooks, "--level", 1, "--hull")
    assert (union["side"], hull["side"]) == ("inner", "outer")
    assert hull["model_hash"] == union["model_hash"]
    assert hull["weakest"]["limit"] >= union["weakest"]["limit"] - 1e-6
    assert hull["extents"][0]["highest"] >= union["extents"][0]["highest"] - 1e-6


def test_refinement_adds_rays_and_a_journal_brings_them_back(run_json: RunJson, hooks: Path, tmp_path: Path) -> None:
    words = ("space", hooks, "--level", 1, "--refine", 0.3, "--journal", tmp_path / "a.jsonl")
    _, first = run_json(*words)
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    _, second = run_json(*words)
    assert first == second and first["rays"] > 42
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == kept


def test_a_search_cut_short_leaves_rays_undecided(run_json: RunJson, hooks: Path) -> None:
    code, data = run_json("space", hooks, "--level", 1, "--node-limit", 1)
    assert code == 3 and data["counts"]["undecided"] > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--axes", "fx,fx,fz"), "three different axes"),
        (("--axes", "fx,fq,fz"), "no wrench axis 'fq'"),
        (("--level", "1", "--rays", "50"), "--rays: is given with --level"),
        (("--level", "9"), "--level: is 9 (give a whole number from 1 to 7)"),
        (("--rays", "2"), "n: is 2"),
        (("--refine", "0"), "--refine: is 0"),
        (("--save", "a.txt"), "--save writes .h5 or .hdf5"),
        (("--mesh", "a.stl"), "--mesh writes .ply or .obj"),
        (("--plot", "a.bmp"), "--plot writes .png or .svg or .pdf"),
        (("--save", "no/such/folder/a.h5"), "its folder does not exist"),
    ],
)
def test_bad_options_are_told_before_the_work(run: Run, hooks: Path, words: tuple[str, ...], message: str) -> None:
    result = run("space", hooks, *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_mesh_without_end_is_refused_with_the_way_out(run: Run, hooks: Path, tmp_path: Path) -> None:
    result = run("space", hooks, "--level", 1, "--mesh", tmp_path / "a.ply")
    assert result.exit_code == 2 and "cap" in result.stderr
    assert not (tmp_path / "a.ply").exists()


def test_an_interrupt_says_what_was_kept(hooks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from holdfast.wrench_spaces import computation

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(computation, "wrench_space", interrupted)
    words = ["space", str(hooks), "--level", "1"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 130 and "nothing was saved" in result.stderr
    result = CliRunner().invoke(app, [*words, "--journal", str(tmp_path / "a.jsonl")])
    assert result.exit_code == 130 and "run the same command again" in result.stderr


@pytest.fixture
def stronger(tmp_path: Path, hooks: Path) -> Path:
    """The hooks with twice the shear."""
    path = tmp_path / "stronger.yaml"
    path.write_text(hooks.read_text(encoding="utf-8").replace("shear: 5}", "shear: 10}"), encoding="utf-8")
    return path


def test_the_data_are_those_of_the_library(run_json: RunJson, hooks: Path, stronger: Path) -> None:
    code, data = run_json("compare", hooks, stronger, "--level", 0)
    assert code == 0
    first, second = data["designs"]
    assert (first["name"], second["name"]) == ("hooks", "hooks (2)")
    pull = hf.load_limit(hf.scenes.load_scene(hooks).assembly, [0, 0, -1, 0, 0, 0]).value
    assert first["measures"]["-fz"]["value"] == pytest.approx(pull, rel=1e-6)
    for measure in MEASURES:
        factor = 8.0 if measure.group == "volume" else 2.0
        assert float(second["measures"][measure.key]["value"]) == pytest.approx(
            factor * float(first["measures"][measure.key]["value"]), rel=2e-2
        ), measure.key
    assert data["measures"][0]["ranking"] == [["hooks (2)"], ["hooks"]]
    assert first["proofs_verified"] == first["proofs"] == 15


def test_the_table_marks_the_best_and_the_files_say_the_same(
    run: Run, hooks: Path, stronger: Path, tmp_path: Path
) -> None:
    table, text, picture = tmp_path / "out.csv", tmp_path / "out.md", tmp_path / "out.svg"
    result = run("compare", hooks, stronger, "--level", 0, "--csv", table, "--markdown", text, "--plot", picture)
    assert result.exit_code == 0
    lines = {line.split("  ")[0].strip(): line for line in result.stdout.splitlines()}
    assert lines["-fz [N]"].rstrip().endswith("*")
    assert "* the best of each row" in result.stdout and "weakest against a force" in result.stdout
    with table.open(encoding="utf-8", newline="") as file:
        rows = {unquoted_formula(row["measure"]): row for row in csv.DictReader(file)}
    assert rows["-fz"]["best"] == "hooks (2)"
    assert float(rows["-fz"]["hooks (2)"]) == pytest.approx(2 * float(rows["-fz"]["hooks"]), rel=1e-5)
    assert rows["contacts"]["hooks"] == "4"
    assert f"| -fz [N] | {float(rows['-fz']['hooks']):.4g} | **" in text.read_text(encoding="utf-8")
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


def test_one_scene_alone_and_bars(run: Run, hooks: Path, tmp_path: Path) -> None:
    result = run(
        "compare", hooks, "--level", 0, "--bars", "--plot", tmp_path / "out.svg", "--at", "0,0,0.01", "--length", 0.05
    )
    assert result.exit_code == 0
    assert " *" not in result.stdout and "0.05 m" in result.stdout
    assert (tmp_path / "out.svg").is_file()


def test_limits_not_found_in_time_are_marked_and_explain_the_exit_code(run: Run, run_json: RunJson) -> None:
    words = ("compare", "@two_finger_gripper_md_md", "--level", 0, "--node-limit", 1)
    code, data = run_json(*words)
    (design,) = data["designs"]
    assert code == 3 and "-fz" in design["open_limits"]
    limit = design["measures"]["-fz"]
    assert limit["value"] < limit["upper_bound"]
    result = run(*words)
    lines = {line.split("  ")[0].strip(): line for line in result.stdout.splitlines()}
    assert f"at least {limit['value']:.4g}" in lines["-fz [N]"]
    assert f"-fz {limit['upper_bound']:.4g}" in result.stdout
    assert "exit code 3: some limits were not found in time; increase --time-limit" in result.stdout
    for name in ("Status", "optimal", "undecided", "unbounded"):
        assert name not in result.stdout


def test_no_limit_is_said_in_words(run: Run) -> None:
    result = run("compare", "@block_on_three_points", "--level", 0)
    assert result.exit_code == 0 and "no limit" in result.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["@no_such_scene"],
        ["@suction_cup", "--level", "9"],
        ["@suction_cup", "--radar", "--bars"],
        ["@suction_cup", "--length", "0"],
        ["@suction_cup", "--at", "1,2"],
        ["@suction_cup", "--level", "0", "--csv", "/no/such/folder/out.csv"],
        [*["@suction_cup"] * 9, "--plot", "out.png"],
    ],
)
def test_bad_input_ends_with_code_2(run: Run, words: list[str]) -> None:
    result = run("compare", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--plot", "no/such/folder/a.png"), "--plot: its folder does not exist"),
        (("--csv", "no/such/folder/a.csv"), "--csv: its folder does not exist"),
        (("--markdown", "no/such/folder/a.md"), "--markdown: its folder does not exist"),
        (("--plot", "a.bmp"), "--plot writes .png or .svg or .pdf"),
    ],
)
def test_bad_targets_are_told_before_the_work(
    run: Run, hooks: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.setattr("holdfast.wrench_spaces.comparison.compare", lambda *_, **__: pytest.fail("it was computed"))
    result = run("compare", hooks, *words)
    assert result.exit_code == 2 and message in result.stderr
    assert result.stdout == ""
