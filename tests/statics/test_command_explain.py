from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.statics.command import MOST_ROWS, explanation

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

KEYS = {
    "sentences", "factor", "is_least", "scale_interval", "prices_unique", "from_contacts", "from_joints", "contacts", "joints",
    "gains", "motion", "separating_motion",
}  # fmt: skip

#: A slide that presses one foot with 5 to 20 N: with too little weight it is out of balance.
PRELOADED = """\
holdfast: 1
name: preloaded
object: {mass: 0.2}
volumes: {v: {model: coulomb, mu: 0.5}}
contacts: [{name: foot, position: [0, 0, 0], normal: [0, 0, 1], shear: [1, 0, 0], volume: v}]
joints: [{name: lift, kind: slide, axis: [0, 0, 1], contacts: [foot], torque_min: 5, torque_max: 20}]
"""


def test_a_check_is_explained_in_words_and_tables(run: Run) -> None:
    result = run("check", "@suction_cup", "--explain")
    assert result.exit_code == 0
    for words in (
        "- It holds 2.266 times this load.",
        '- Contact "cup[0]" is at its limit (100 %), pulling 6.25 N; 1 % more strength there adds 0.25 %.',
        "Contacts at their limit",
        "gain for 1 % strength [%]",
        "gains are upper bounds here",
    ):
        assert words in result.stdout
    assert "Why" not in run("check", "@suction_cup").stdout


def test_a_failed_check_says_what_lets_go(run: Run) -> None:
    result = run("check", "@suction_cup", "--load", "jerk", "--explain")
    assert result.exit_code == 1
    assert "- It does not hold: it bears 0.5583 times this load." in result.stdout
    assert "- When the object " in result.stdout
    assert "the load does more work than contacts and joints can take up" in result.stdout


def test_data_say_what_the_library_says(run_json: RunJson) -> None:
    code, data = run_json("check", "@gecko_on_glass", "--explain", "--gap", 1e-6)
    said = data["explanation"]
    assert code == 0 and set(said) == KEYS
    scene = hf.load_scene("@gecko_on_glass")
    diagnosis = hf.diagnose(hf.load_limit(scene.assembly, scene.gravity_load()))
    assert said["sentences"][0] == diagnosis.sentences[0]
    assert said["factor"] == pytest.approx(diagnosis.factor, rel=1e-5)
    assert said["from_contacts"] == pytest.approx(said["factor"], rel=1e-5)
    assert said["scale_interval"] is None and said["separating_motion"] is None
    first = said["contacts"][0]
    assert first["name"] == "upper left" and first["at_limit"] and first["utilisation"] == 1.0
    assert {"of", "side", "step", "unit", "gain"} == set(said["gains"][0])
    assert said["gains"][0]["unit"] == "%" and said["gains"][0]["side"] == "strength"


def test_without_the_option_nothing_is_explained(run_json: RunJson) -> None:
    _, data = run_json("check", "@suction_cup")
    assert "explanation" not in data
    _, data = run_json("limit", "@suction_cup", "--direction", "0,0,-1")
    assert "explanation" not in data["limits"][0]


def test_every_limit_is_explained(run: Run, run_json: RunJson) -> None:
    words = ["limit", "@suction_cup", "--direction", "0,0,-1", "--direction", "1,0,0", "--explain"]
    result = run(*words)
    assert result.exit_code == 0
    assert "Why 0,0,-1" in result.stdout and "Why 1,0,0" in result.stdout
    assert "- It holds 50 times this load." in result.stdout
    _, data = run_json(*words)
    assert [set(limit["explanation"]) for limit in data["limits"]] == [KEYS, KEYS]


def test_joints_at_a_bound_are_listed_with_their_prices(run: Run) -> None:
    result = run("limit", "@two_finger_gripper_d_d", "--load", "pull", "--explain")
    assert "Joint rows at a bound" in result.stdout
    assert "gain a unit higher [loads]" in result.stdout


def test_a_load_that_is_too_small_is_told_with_the_interval(run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "preloaded.yaml"
    path.write_text(PRELOADED, encoding="utf-8")
    code, data = run_json("check", path, "--explain", "--gap", 1e-6)
    said = data["explanation"]
    weight = 0.2 * 9.80665
    assert code == 1
    assert said["is_least"] is True
    assert said["scale_interval"] == pytest.approx([5.0 / weight, 20.0 / weight])
    assert said["sentences"][0].startswith("It does not hold: this load is too small")
    assert said["joints"][0]["at_lower"] is True and said["joints"][0]["unit"] == "N"


def test_long_tables_are_cut_and_counted(run: Run) -> None:
    result = run("limit", "@four_finger_hand_opposed", "--load", "pull", "--explain")
    assert f"and {48 - MOST_ROWS} more" in result.stdout


def test_the_picture_of_an_explained_check_is_the_use_of_contacts(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "use.svg"
    assert run("check", "@suction_cup", "--explain", "--plot", target).exit_code == 0
    assert "cup[3]" in target.read_text(encoding="utf-8")
    scene = tmp_path / "scene.svg"
    assert run("check", "@suction_cup", "--plot", scene).exit_code == 0
    assert "cup[3]" not in scene.read_text(encoding="utf-8")


def test_what_holds_nothing_is_explained_without_tables() -> None:
    cone = hf.models.coulomb(0.5)
    foot = hf.Assembly([hf.Contact([0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], cone)])
    data = explanation(hf.diagnose(hf.equilibrium(foot, [0, 0, -1.0, 0, 0, 0])))
    assert data["sentences"] == ("It holds any multiple of this load.",)
    assert data["gains"] == [] and data["motion"] is None
