"""`holdfast climb`: steps with torques and margins, pictures, and the reason when it is stuck."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from typer.testing import Result

from holdfast.planar.files_planar_reader import load_planar

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


def test_a_climb_reaches_its_goal_by_verified_steps_and_can_be_seen(run_json: RunJson, tmp_path: Path):
    still, margins, moving = (tmp_path / name for name in ("still.png", "margins.png", "climb.gif"))
    words = ["--goal", "0.05", "--plot", still, "--margins", margins, "--animate", moving, "--rate", "1"]
    code, data = run_json("climb", "@climb_straight", *words)
    assert code == 0 and data["status"] == "reached" and data["verified"]
    assert data["lowest_contact"][-1] >= 0.05 and len(data["steps"]) == 2
    assert data["margin"] >= 0.1 - 1e-9
    for step in data["steps"]:  # links keep their lengths, bracing nodes their places
        nodes = np.array(step["nodes"])
        assert np.allclose(np.linalg.norm(np.diff(nodes, axis=1), axis=2), 0.127)
        for contact in step["contacts"]:
            assert np.allclose(nodes[:, contact["node"]], contact["point"], atol=1e-9)
    assert still.stat().st_size > 5000 and margins.stat().st_size > 5000
    with Image.open(moving) as picture:
        assert picture.n_frames >= 3  # type: ignore[attr-defined]


def test_a_stuck_climb_says_why_and_ends_with_code_1(run: Run):
    result = run("climb", "@climb_slippery")
    assert result.exit_code == 1
    assert "slippery channel: stuck" in result.stdout
    assert "no brace found at the start, 0 m because" in result.stdout


def test_friction_can_be_changed(run: Run):
    assert load_planar("@climb_straight").options["mu"] == 0.3  # type: ignore[union-attr]
    assert run("climb", "@climb_straight", "--mu", "0").exit_code == 1


def test_folders_are_looked_at_before_the_work(run: Run, tmp_path: Path):
    result = run("climb", "@climb_straight", "--animate", tmp_path / "none" / "climb.gif")
    assert result.exit_code == 2 and "folder" in result.stderr


def test_friction_given_replaces_an_interval_of_the_file(run_json: RunJson, tmp_path: Path):
    text = load_planar("@climb_straight").path.read_text(encoding="utf-8")  # type: ignore[union-attr]
    path = tmp_path / "uncertain.yaml"
    path.write_text(text + "friction: [0.3, 0.35]\n", encoding="utf-8")
    code, data = run_json("climb", path, "--mu", "0.5", "--goal", "0.01")
    assert code == 0 and data["verified"] and data["steps"][0]["contacts"][0]["mu"] == 0.5


def test_a_climb_that_cannot_begin_has_no_posture(run_json: RunJson):
    code, data = run_json("climb", "@climb_slippery")
    assert code == 1 and not data["verified"] and data["lowest_contact"] == [] and data["steps"] == []
