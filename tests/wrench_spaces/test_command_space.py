from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner, Result

import holdfast as hf
from holdfast.cli import app
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
    assert (union["volumes"], hull["volumes"]) == ("union", "hull")
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
    from holdfast import wrench_spaces

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(wrench_spaces, "wrench_space", interrupted)
    words = ["space", str(hooks), "--level", "1"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 130 and "nothing was saved" in result.stderr
    result = CliRunner().invoke(app, [*words, "--journal", str(tmp_path / "a.jsonl")])
    assert result.exit_code == 130 and "run the same command again" in result.stderr
