"""`holdfast decompose`: a CSV of forces to a volume, its report, a file for scenes."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf


@pytest.fixture
def csv(tmp_path):
    """Limit forces of a ball about zero, a convex surface."""
    path = tmp_path / "ball.csv"
    hf.write_measurements(hf.Measurements.from_forces(10.0 * hf.loads.sphere_directions(60)), path)
    return path


def test_a_convex_surface_is_one_piece_without_error(run_json, csv, tmp_path) -> None:
    code, data = run_json("decompose", csv, "-o", tmp_path / "ball.json")
    assert code == 0
    report = data["report"]
    assert report["pieces"] == 1
    assert report["false_adhesion_newtons"] == pytest.approx(0.0, abs=1e-6)
    assert report["loss_newtons"] == pytest.approx(0.0, abs=1e-6)


def test_the_volume_written_is_the_one_a_scene_reads(run, run_json, csv, tmp_path) -> None:
    assert run("decompose", csv, "-o", tmp_path / "ball.json").exit_code == 0
    scene = tmp_path / "scene.yaml"
    scene.write_text(
        "holdfast: 1\nvolumes: {v: {file: ball.json}}\nobject: {mass: 0.1}\n"
        "contacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n",
        encoding="utf-8",
    )
    _, data = run_json("check", scene)
    assert data["holds"] is True
    (contact,) = data["contacts"]
    assert np.linalg.norm(contact["force"]) == pytest.approx(0.1 * 9.80665, rel=1e-3)


@pytest.mark.parametrize("text", ["", "fx,fy\n1,2\n", "fx [N],fy [N],fz [N]\n1,2,three\n", "\x00\x01"])
def test_a_faulty_file_is_bad_input_told_with_its_name(run, tmp_path, text) -> None:
    path = tmp_path / "faulty.csv"
    path.write_text(text, encoding="utf-8")
    result = run("decompose", path)
    assert result.exit_code == 2 and "faulty.csv" in result.stderr


def test_a_missing_file_and_absurd_numbers_are_bad_input(run, csv, tmp_path) -> None:
    assert run("decompose", tmp_path / "none.csv").exit_code == 2
    assert run("decompose", csv, "--pieces", "0").exit_code == 2
    assert run("decompose", csv, "--error", "-1").exit_code == 2
