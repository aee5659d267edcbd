from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import holdfast as hf

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


def test_limits_of_a_block(run_json: RunJson) -> None:
    code, data = run_json(
        "limit", "@block_on_three_points", "--direction", "0,0,-1", "--direction=-1,0,0", "--load", "edge"
    )
    assert code == 0
    assert set(data) == {"command", "scene", "method", "limits"}
    pressed, pulled, edge = data["limits"]
    keys = {"name", "direction", "status", "value", "upper_bound", "gap", "proof_verified", "effort"}
    assert set(pressed) == keys
    assert (pressed["status"], pressed["value"], pressed["proof_verified"]) == ("unbounded", "inf", True)
    assert (pulled["status"], pulled["value"]) == ("optimal", pytest.approx(0.0, abs=1e-9))
    assert edge["name"] == "edge"


def test_the_point_of_application_counts(run_json: RunJson) -> None:
    _, here = run_json("limit", "@suction_cup", "--direction", "0,0,-1")
    _, there = run_json("limit", "@suction_cup", "--direction", "0,0,-1", "--at", "0.01,0,0")
    _, wrench = run_json("limit", "@suction_cup", "--direction", "0,0,-1,0,0.01,0")
    assert here["limits"][0]["value"] == pytest.approx(50.0)  # the vacuum
    assert there["limits"][0]["value"] == pytest.approx(wrench["limits"][0]["value"])
    assert there["limits"][0]["value"] < 40.0


def test_no_weight_acts_not_even_that_of_the_links(run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "gripper.yaml"
    text = "holdfast: 1\nvolumes: {u: {model: gecko, shear: 40}}\ndevice: {kind: 2FG, left: PMD, right: PMD, unit: u}\n"
    path.write_text(text, encoding="utf-8")
    _, data = run_json("limit", path, "--direction", "0,0,-1")
    device = hf.devices.create("2FG", left="PMD", right="PMD", unit=hf.models.gecko(40))
    assert data["limits"][0]["value"] == pytest.approx(
        hf.load_limit(device.assembly(), hf.devices.PULL).value, rel=1e-6
    )


def test_a_limit_cut_short_is_undecided_with_both_bounds(run_json: RunJson, hooks: Path) -> None:
    code, data = run_json("limit", hooks, "--direction=0,-1,0,0.03,0,0.04", "--node-limit", 1)
    (result,) = data["limits"]
    assert code == 3
    assert (result["status"], result["proof_verified"]) == ("undecided", False)
    _, data = run_json("limit", hooks, "--direction=0,-1,0,0.03,0,0.04")
    (whole,) = data["limits"]
    assert (whole["status"], whole["proof_verified"]) == ("optimal", True)
    assert result["value"] <= whole["value"] <= whole["upper_bound"] <= result["upper_bound"]


def test_what_never_holds_has_code_1(run_json: RunJson, tmp_path: Path) -> None:
    path = tmp_path / "stuck.yaml"
    text = (
        "holdfast: 1\nvolumes: {v: {model: coulomb}}\ncontacts: [{name: a, position: [0, 0, 0], normal: [0, 0, 1], volume: v}]\n"
        "joints: [{kind: slide, axis: [0, 0, 1], contacts: [a], torque_min: 1, torque_max: 2}]\n"
    )
    path.write_text(text, encoding="utf-8")
    code, data = run_json("limit", path, "--direction", "1,0,0")
    assert code == 1
    assert (data["limits"][0]["status"], data["limits"][0]["value"]) == ("does not hold", "-inf")


def test_the_table_and_the_picture(run: Run, hooks: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.svg"
    result = run("limit", hooks, "--load", "pull", "--load", "aside", "--plot", target)
    assert result.exit_code == 0
    assert "upper bound" in result.stdout
    assert target.read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize("words", [[], ["--direction", "1"], ["--direction", "0,0,0"], ["--load", "x"]])
def test_bad_directions_end_with_code_2(run: Run, hooks: Path, words: list[str]) -> None:
    result = run("limit", hooks, *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")


def test_limits_are_found_to_a_millionth_and_several_methods_agree(run_json: RunJson, hooks: Path) -> None:
    words = ["limit", hooks, "--load", "pull", "--load", "aside"]
    _, exact = run_json(*words)
    assert exact["method"] == "exact"
    assert all(result["gap"] <= 1e-6 and result["proof_verified"] for result in exact["limits"])
    for method in ("reference", "hull-milp"):
        _, other = run_json(*words, "--method", method)
        for one, two in zip(exact["limits"], other["limits"], strict=True):
            assert one["value"] == pytest.approx(two["value"], rel=3e-6)
    _, bracket = run_json(*words, "--method", "bracket")
    for one, two in zip(exact["limits"], bracket["limits"], strict=True):
        assert two["value"] <= one["value"] * (1 + 1e-6) and one["value"] <= two["upper_bound"] * (1 + 1e-6)
