"""`holdfast check`: verdicts, exit codes, forces that balance, and proofs."""

from __future__ import annotations

import numpy as np
import pytest


def test_a_block_on_three_points_holds_and_its_forces_balance_the_weight(run_json) -> None:
    code, data = run_json("check", "@block_on_three_points")
    assert code == 0
    assert data["status"] == "holds" and data["holds"] is True and data["proof_verified"] is True
    forces = np.array([contact["force"] for contact in data["contacts"]])
    points = np.array([contact["position"] for contact in data["contacts"]])
    wrench = np.concatenate([forces.sum(axis=0), np.cross(points, forces).sum(axis=0)])
    np.testing.assert_allclose(wrench, -np.array(data["wrench"]), atol=1e-9 * np.abs(data["wrench"]).max())


def test_a_microspine_unit_pulled_straight_off_does_not_hold(run_json) -> None:
    code, data = run_json("check", "@microspine_pull")
    assert code == 1
    assert data["status"] == "does not hold" and data["proof_verified"] is True
    assert data["separating_motions"]


def test_the_choice_of_pieces_is_undecided_when_the_search_may_not_look(run_json, hooks) -> None:
    code, data = run_json("check", hooks, "--wrench", "0,0,-9,0,0,0", "--node-limit", "1")
    assert (code, data["status"]) in {(3, "undecided"), (0, "holds"), (1, "does not hold")}
    assert data["proof_verified"] is (data["status"] != "undecided")


def test_a_tiny_time_limit_ends_undecided_with_exit_code_3(run_json, hooks) -> None:
    codes = set()
    for pull in np.linspace(3.0, 12.0, 19):
        code, data = run_json("check", hooks, "--wrench", f"0,0,-{pull},0.03,0,0", "--time-limit", "1e-9")
        codes.add(code)
        assert {0: "holds", 1: "does not hold", 3: "undecided"}[code] == data["status"]
    assert 3 in codes


def test_the_table_names_contacts_and_verdict(run) -> None:
    result = run("check", "@block_on_three_points")
    assert result.exit_code == 0
    assert "verdict: holds" in result.stdout and "proof verified: yes" in result.stdout


def test_gravity_given_on_the_command_line_replaces_the_scenes(run_json) -> None:
    code, data = run_json("check", "@block_on_three_points", "--gravity", "0,0,9.81")
    assert code == 1  # the block falls off upwards: nothing pulls
    assert data["gravity"] == [0, 0, 9.81]


@pytest.mark.parametrize(
    "words, told",
    [
        (("check", "no_such.yaml"), "no_such.yaml"),
        (("check", "@block_on_three_point"), "block_on_three_points"),
        (("check", "@block_on_three_points", "--gravity", "0,0"), "--gravity"),
        (("check", "@block_on_three_points", "--wrench", "0,0,x,0,0,0"), "--wrench"),
        (("check", "@block_on_three_points", "--load", "nothing"), "nothing"),
        (("check", "@block_on_three_points", "--gap", "7"), "gap"),
    ],
)
def test_bad_input_is_told_and_ends_with_exit_code_2(run, words, told) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert "error:" in result.stderr and told in result.stderr
    assert "Traceback" not in result.stderr + result.stdout


def test_a_picture_is_written(run, tmp_path) -> None:
    assert run("check", "@block_on_three_points", "--plot", tmp_path / "block.png").exit_code == 0
    assert (tmp_path / "block.png").stat().st_size > 5_000
