"""`holdfast separate`: what is printed, written and drawn."""

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

BLOCK = "@block_on_three_points"


def test_a_block_that_tips(run_json: RunJson) -> None:
    """60 N at x = 0.15 against 19.6 N at 0, about the foot at x = 0.1: I = 1/12 m (0.3^2 + 0.1^2) + m (0.1^2 + 0.05^2)."""
    code, data = run_json("separate", BLOCK, "--load", "edge")
    assert code == 1
    assert (data["status"], data["holds"], data["proof_verified"]) == ("separates", False, True)
    spin = (60 * 0.05 - 2 * 9.80665 * 0.1) / (2 / 12 * 0.1 + 2 * (0.1**2 + 0.05**2))
    assert np.allclose(data["angular_acceleration"], [0, spin, 0], atol=1e-6)
    assert np.allclose(data["acceleration_of_com"], [0.05 * spin, 0, 0.1 * spin], atol=1e-6)
    assert [c["state"] for c in data["contacts"]] == ["sticks", "separates", "separates"]
    assert data["contacts"][1]["normal_acceleration"] == pytest.approx(0.2 * spin)
    assert data["lower_bound"] <= data["value"] * (1 + 1e-9) and data["gap"] <= 1e-6
    assert data["inertia_source"] == "a box of even density" and data["inertia_assumed"] is False
    assert data["motion"] == "turns about +y through (0.1, 0, 0) m"
    assert "next" not in data


def test_it_holds_exactly_when_check_says_so(run_json: RunJson) -> None:
    for options in ([], ["--load", "push"], ["--load", "shove"], ["--gravity", "0,7,-7"], ["--wrench", "0,0,-5,0,0,0"]):
        code, data = run_json("separate", BLOCK, *options)
        expected, checked = run_json("check", BLOCK, *options)
        assert (code, data["holds"], data["load"]) == (expected, checked["holds"], checked["load"])
        assert data["wrench"] == checked["wrench"]


def test_the_words_name_which_way_and_which_contacts(run: Run) -> None:
    result = run("separate", BLOCK, "--load", "edge")
    assert result.exit_code == 1
    for words in (
        "verdict: does not hold, separates",
        "turns about +y through (0.1, 0, 0) m",
        'Contacts "left" and "right" separate',
        "a box of even density",
        "gap",
        "proof verified: yes",
    ):
        assert words in result.stdout
    held = run("separate", BLOCK)
    assert held.exit_code == 0 and "It holds: nothing accelerates." in held.stdout


def test_the_next_stills_are_the_library_s(run: Run, run_json: RunJson) -> None:
    from holdfast.dynamics import mass_matrix
    from holdfast.dynamics.release import simulate_release

    options = ["separate", BLOCK, "--load", "edge", "--frames", 4, "--step", 5, "--touch", "foot"]
    _, data = run_json(*options)
    scene = hf.scenes.load_scene(BLOCK)
    body = mass_matrix(2.0, data["inertia"], scene.com)
    motion = simulate_release(
        scene.assembly, scene.gravity_load() + scene.load("edge"), body, frames=4, step=0.005, touch="foot"
    )
    shown = data["next"]
    assert (shown["end"], shown["step"], shown["illustrative"]) == ("still moves", 0.005, True)
    assert [frame["lost"] for frame in shown["frames"]] == [[], ["left", "right"], [], []]
    assert np.allclose(shown["frames"][-1]["com"], motion.frames[-1].com, atol=1e-12)
    assert shown["frames"][1]["states"] == ["sticks", None, None]
    words = run(*options).stdout
    assert "illustrative, steps of at most 5 mm" in words and "It still moves after 3 steps" in words


def test_inertia_can_be_given_and_a_stand_in_is_named(run_json: RunJson, run: Run, hooks: Path) -> None:
    assert run_json("separate", BLOCK, "--inertia", "0.1")[1]["inertia"] == (0.1 * np.eye(3)).tolist()
    _, data = run_json("separate", BLOCK, "--inertia", "2,2,3,0.1,0.2,0.3")
    assert data["inertia"] == [[2, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]] and data["inertia_source"] == "given"
    _, data = run_json("separate", hooks)
    assert data["inertia_assumed"] is True
    assert "assumed: a solid ball" in run("separate", hooks).stdout
    for bad in ("1,2", "-1", "1,1,1,5,0,0", "1,1,3"):
        result = run("separate", BLOCK, f"--inertia={bad}")
        assert result.exit_code == 2 and "--inertia" in result.stderr


def test_a_hook_that_still_pulls_is_reported(run_json: RunJson, hooks: Path) -> None:
    code, data = run_json("separate", hooks, "--wrench=0,0,-60,0,0,0")
    assert code == 1
    assert [c["pulls_while_separating"] for c in data["contacts"]] == [True] * 4
    assert all(c["local_force"][2] < 0.0 < c["normal_acceleration"] for c in data["contacts"])
    assert any("still pull while they separate" in sentence for sentence in data["sentences"])


def test_an_answer_cut_short_is_undecided(run: Run, run_json: RunJson, hooks: Path, between: str) -> None:
    code, data = run_json("separate", hooks, between)
    assert code == 1 and data["gap"] <= 1e-6 and data["effort"]["nodes"] > 1
    code, data = run_json("separate", hooks, between, "--node-limit", 1)
    assert code == 3
    assert (data["status"], data["holds"], data["proof_verified"]) == ("undecided", False, False)
    assert data["contacts"] == [] and data["acceleration"] is None and data["value"] == "inf"
    result = run("separate", hooks, between, "--node-limit", 1, "--frames", 3)
    assert result.exit_code == 3 and "What it does is unknown" in result.stdout


def test_joint_rows_are_shown(run_json: RunJson, run: Run) -> None:
    code, data = run_json("separate", "@two_finger_gripper_md_md", "--load", "across the fingers")
    assert code == 1 and len(data["joints"]) == 6
    for row in data["joints"]:
        assert row["lower"] - 1e-9 <= row["value"] <= row["upper"] + 1e-9
    assert "Joint rows" in run("separate", "@two_finger_gripper_md_md", "--load", "across the fingers").stdout


def test_pictures_are_written(run: Run, tmp_path: Path) -> None:
    for name, options in (("one.png", []), ("strip.svg", ["--frames", 3])):
        result = run("separate", BLOCK, "--load", "edge", "--plot", tmp_path / name, *options)
        assert result.exit_code == 1 and (tmp_path / name).stat().st_size > 1000
        assert name in result.stderr


def test_bad_questions_are_refused(run: Run, tmp_path: Path) -> None:
    scene = tmp_path / "bare.yaml"
    scene.write_text(
        "holdfast: 1\nvolumes: {v: {model: coulomb}}\ncontacts: [{position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n",
        encoding="utf-8",
    )
    for words, fault in (
        (["separate", scene, "--wrench=0,0,-1,0,0,0"], "mass"),
        (["separate", BLOCK, "--step", "3"], "--step"),
        (["separate", BLOCK, "--frames", "-3"], "--frames"),
        (["separate", BLOCK, "--load", "edge", "--frames", "3", "--touch", "ball"], "no ball"),
    ):
        result = run(*words)
        assert result.exit_code == 2 and fault in result.stderr
