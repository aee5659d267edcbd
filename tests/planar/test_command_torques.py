"""`holdfast torques`: sets in words and numbers, classified torques, exit codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

from holdfast.planar.files_planar_reader import load_planar

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


def test_greenfields_two_links_in_words(run: Run):
    result = run("torques", "@two_link_snake")
    assert result.exit_code == 0
    assert "two-link snake, mode FFF: unambiguous" in result.stdout
    assert "tau_1 <= -0.1926" in result.stdout


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (["@two_link_snake_ambiguous"], 0, "partly ambiguous"),
        (["@two_link_snake", "--mode", "SSS"], 0, "unambiguous"),
        (["@two_link_snake", "--mu", "0"], 1, "infeasible"),
        (["@five_link_brace"], 0, "unambiguous"),
    ],
)
def test_the_exit_code_says_whether_some_torque_is_unique(run_json: RunJson, words, code, status):
    found, data = run_json("torques", *words)
    assert (found, data["status"]) == (code, status)


def test_given_torques_are_classified_with_an_example_of_every_other_motion(run_json: RunJson, run: Run):
    code, data = run_json("torques", "@two_link_snake_ambiguous", "--classify=-0.05", "--classify", "-0.5")
    weak, strong = data["classified"]
    assert code == 1 and weak["verdict"] == "ambiguous" and strong["verdict"] == "unique"
    assert {other["mode"] for other in weak["others"]} == {"SFF", "LRL"}
    system = load_planar("@two_link_snake_ambiguous").system()
    for other in weak["others"]:  # Newton's law for each example
        a, f = np.array(other["accelerations"]), np.array(other["forces"])
        sides = system.mass_matrix @ a, system.bias + system.selector @ [-0.05] + system.jacobian.T @ f
        assert np.allclose(*sides, atol=1e-9)
    assert run("torques", "@two_link_snake_ambiguous", "--classify=-0.5").exit_code == 0


def test_json_holds_rows_and_corners_of_every_set(run_json: RunJson):
    _, data = run_json("torques", "@six_link_snake")
    feasible = data["feasible"]
    A, b, C, d = (np.array(feasible[key]) for key in "AbCd")
    assert feasible["dimension"] == 3 and A.shape[1] == 5 and len(C) == 2
    for vertex in np.array(feasible["vertices"]):
        assert (A @ vertex >= b - 1e-9).all() and np.allclose(C @ vertex, d, atol=1e-9)
    deepest = np.array(data["deepest"]["torque"])
    assert (A @ deepest > b).all() and data["deepest"]["radius"] == "inf"
    # The sample that the paper prints, within its rounding to two digits (the set is flat in two directions).
    sample = np.array([-0.15, -0.58, -1.20, -0.70, -0.30])
    assert np.abs(C @ sample - d).max() < 0.01 and (A @ sample > b - 0.01).all()


def test_what_the_answer_is_sure_against_is_told(run_json: RunJson):
    assert any("certified box" in line for line in run_json("torques", "@five_link_brace_moving")[1]["robust"])
    lines = run_json("torques", "@two_link_snake_uncertain")[1]["robust"]
    assert any("0.25 to 0.4" in line for line in lines) and any("corners" in line for line in lines)


def test_bad_modes_and_torques_are_refused(run: Run):
    for words in (["--mode", "FF"], ["--mode", "FFX"], ["--classify", "1,2"], ["--classify", "x"]):
        result = run("torques", "@two_link_snake", *words)
        assert result.exit_code == 2 and words[0] in result.stderr


def test_a_velocity_into_the_wall_is_an_impact(run: Run, tmp_path: Path):
    text = load_planar("@two_link_snake").path.read_text(encoding="utf-8")  # type: ignore[union-attr]
    path = tmp_path / "falling.yaml"
    path.write_text(text + "qd: [1.0, 0.0, 0.0, 0.0]\n", encoding="utf-8")
    result = run("torques", path)
    assert result.exit_code == 3 and "impact" in result.stdout


@pytest.mark.parametrize("name", ["two_link_snake_ambiguous", "three_link_snake"])
def test_pictures_of_one_and_two_torques(run: Run, tmp_path: Path, name):
    path = tmp_path / "sets.png"
    run("torques", f"@{name}", "--plot", path)
    assert path.stat().st_size > 5000


def test_margins_printed_are_those_of_the_torques_printed(run: Run, run_json: RunJson):
    _, data = run_json("torques", "@six_link_snake")
    deepest = data["deepest"]
    answer = load_planar("@six_link_snake").torque_sets()
    assert deepest["margin"] == pytest.approx(float(answer.margin(deepest["torque"]))) and deepest["radius"] == "inf"
    assert "no limit" not in run("torques", "@six_link_snake").stdout
