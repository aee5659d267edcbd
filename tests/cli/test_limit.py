"""`holdfast limit`: the largest load, its bound, its gap."""

from __future__ import annotations

import pytest


def test_the_hooks_limit_is_bracketed_within_the_gap(run_json, hooks) -> None:
    code, data = run_json("limit", hooks, "--load", "pull", "--gap", "0.001")
    (limit,) = data["limits"]
    assert code == 0 and limit["status"] == "optimal" and limit["proof_verified"] is True
    assert 0.0 < limit["value"] <= limit["upper_bound"] <= limit["value"] * 1.0011


def test_a_friction_cone_bears_any_load_that_presses(run_json) -> None:
    code, data = run_json("limit", "@block_on_three_points", "--direction", "0,0,-1", "--at", "0,0,0")
    (limit,) = data["limits"]
    assert code == 0
    assert limit["value"] == "inf" or limit["value"] > 0.0


def test_several_directions_give_a_table_and_a_picture(run, hooks, tmp_path) -> None:
    picture = tmp_path / "limits.svg"
    result = run("limit", hooks, "--direction", "1,0,0", "--direction", "0,1,0,0,0,0", "--plot", picture)
    assert result.exit_code == 0
    assert "1,0,0" in result.stdout and picture.read_text(encoding="utf-8").lstrip().startswith("<?xml")


@pytest.mark.parametrize("words", [(), ("--direction", "0,0,0"), ("--direction", "1,2"), ("--load", "pul")])
def test_a_missing_or_wrong_direction_is_bad_input(run, hooks, words) -> None:
    result = run("limit", hooks, *words)
    assert result.exit_code == 2 and "error:" in result.stderr
