from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


def test_the_angle_is_that_of_the_library_and_both_sides_verify(run_json: RunJson) -> None:
    code, data = run_json("onset", "@block_on_three_points", "--tolerance", 0.001, "--step", 3)
    assert code == 0
    assert data["status"] == "slips"
    assert data["proof_verified"]
    assert data["held"] == {"status": "holds", "proof_verified": True}
    assert data["failed"] == {"status": "does not hold", "proof_verified": True}
    low, high = data["bracket_deg"]
    assert low <= data["onset_deg"] <= high <= low + 0.001
    scene = hf.load_scene("@block_on_three_points")
    for angle, holds in ((low, True), (high, False)):
        turn = np.radians(angle)
        turned = scene.turned((np.sin(turn), 0.0, -np.cos(turn)))
        assert hf.equilibrium(turned.assembly, turned.gravity_load()).holds is holds
    assert data["scan"][0] == {"angle_deg": 0.0, "status": "holds"}
    assert data["scan"][-1]["status"] == "does not hold"


def test_the_other_way_and_other_planes(run_json: RunJson, hooks: Path) -> None:
    _, forth = run_json("onset", "@block_on_three_points", "--plane", "yz")
    _, back = run_json("onset", "@block_on_three_points", "--plane", "yz", "--to", -180)
    assert back["onset_deg"] < 0 < forth["onset_deg"]
    code, data = run_json("onset", hooks, "--to", 10)
    assert (code, data["status"], data["bracket_deg"]) == (0, "holds throughout", [10.0, None])


def test_it_is_told_in_words_and_drawn(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "onset.png"
    result = run("onset", "@block_on_three_points", "--step", 10, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert "slips at 30.9" in result.output
    assert "are not seen" in result.output
    assert picture.stat().st_size > 1000


def test_what_does_not_hold_at_the_start_is_exit_code_one(run: Run) -> None:
    result = run("onset", "@block_on_three_points", "--from", 90)
    assert result.exit_code == 1
    assert "does not hold at the start" in result.output


def test_what_stays_undecided_is_shown(run: Run, monkeypatch: pytest.MonkeyPatch, hooks: Path) -> None:
    from dataclasses import replace

    from holdfast.solvers import Reference, Status

    real = Reference.test

    def tired(self: Reference, problem: Any) -> Any:
        solution = real(self, problem)
        return replace(solution, status=Status.UNDECIDED) if problem.load[0] > 0.5 else solution

    monkeypatch.setattr(Reference, "test", tired)
    result = run("onset", "@block_on_three_points", "--method", "reference", "--step", 10)
    assert result.exit_code == 3
    assert "undecided" in result.output


def test_a_load_grows_on_top_of_the_weight(run: Run, run_json: RunJson, hooks: Path) -> None:
    code, data = run_json("onset", hooks, "--load", "aside")
    assert code == 0
    assert data["status"] == "found"
    assert data["proof_verified"]
    scene = hf.load_scene(hooks)
    for s, holds in ((data["value"], True), (data["upper_bound"], False)):
        assert hf.equilibrium(scene.assembly, scene.gravity_load() + s * scene.load("aside")).holds is holds
    result = run("onset", hooks, "--load", "aside", "--most", 0.5)
    assert result.exit_code == 0
    assert "holds as far as was asked" in result.output


@pytest.mark.parametrize(
    "words",
    [
        ("--step", 0),
        ("--tolerance", -1),
        ("--from", 10, "--to", 10),
        ("--to", 400),
        ("--most", 2),
        ("--load", "nobody"),
        ("--load", "pull", "--plot", "x.png"),
        ("--load", "pull", "--most", -1),
    ],
)
def test_bad_options_are_told(run: Run, hooks: Path, words: tuple[Any, ...]) -> None:
    result = run("onset", hooks, *words)
    assert result.exit_code == 2
    assert "error:" in result.output
