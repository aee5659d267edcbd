"""`holdfast demo`: from the CSV in the package to tables, pictures and files that can be used again."""

from __future__ import annotations

import json

import pytest


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """One run of the demo: (result, folder)."""
    from typer.testing import CliRunner

    from holdfast.cli import app

    folder = tmp_path_factory.mktemp("demo") / "out"
    return CliRunner().invoke(app, ["demo", "-o", str(folder), "--json"]), folder


def test_the_demo_answers_72_directions_with_verified_proofs(demo) -> None:
    result, _ = demo
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert len(data["results"]) == 72 and data["undecided"] == 0
    assert all(entry["proof_verified"] for entry in data["results"])
    assert 0 < data["holding"] < 72
    for entry in data["results"]:
        assert (entry["status"] == "holds") <= (entry["load_factor_upper_bound"] >= 1.0 - 1e-9)


def test_the_demo_leaves_pictures_and_a_scene_that_runs(demo, run_json) -> None:
    _, folder = demo
    for name in ("unit.png", "section.png", "gripper.png", "sweep.png"):
        assert (folder / name).stat().st_size > 10_000
    code, data = run_json("check", folder / "gripper.yaml")
    assert code in (0, 1) and data["proof_verified"] is True
