from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

PAIR = """\
holdfast: 1
name: pair
object: {mass: 0.1}
loads: {aside: {force: [0, 1, 0], at: [0, 0, 0.01]}, heavy: {force: [0, 0, 40]}}
volumes: {cup: {model: coulomb, mu: 0.5, cap: 10}}
contacts:
  - {name: left, position: [-0.05, 0, 0], normal: [1, 0, 0], shear: [0, 0, 1], volume: cup}
  - {name: right, position: [0.05, 0, 0], normal: [-1, 0, 0], shear: [0, 0, 1], volume: cup}
  - {name: below, position: [0, 0.01, -0.05], normal: [0, 0, 1], shear: [1, 0, 0], volume: cup}
"""


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    path = tmp_path / "pair.yaml"
    path.write_text(PAIR, encoding="utf-8")
    return path


def test_the_tornado_is_sorted_and_sized_by_its_slopes(run_json: RunJson, pair: Path) -> None:
    code, data = run_json("sensitivity", pair, "--load", "aside", "--change", "10%")
    assert code == 0
    assert set(data) == {"command", "scene", "load", "direction", "tornado"}
    bars = data["tornado"]["bars"]
    assert data["tornado"]["changes"]["share"] == pytest.approx(0.1)
    finite = [b for b in bars if not isinstance(b["up"], str) and not isinstance(b["down"], str)]
    for bar in finite:
        assert bar["up"] == pytest.approx(bar["right"] * bar["amount"])
        assert bar["down"] == pytest.approx(-bar["left"] * bar["amount"])
    sizes = [max(abs(b["up"]), abs(b["down"])) for b in finite]
    assert sizes == sorted(sizes, reverse=True)


def test_solving_anew_fills_in_the_bars_shown(run_json: RunJson, pair: Path) -> None:
    _, data = run_json("sensitivity", pair, "--load", "aside", "--solve", "--top", "5")
    solved = [bar["solved_up"] is not None for bar in data["tornado"]["bars"]]
    assert sum(solved) == 5


def test_the_table_names_parameters_and_kinks(run: Run, pair: Path) -> None:
    result = run("sensitivity", pair, "--load", "aside", "--top", "4")
    assert result.exit_code == 0
    assert "limit" in result.output
    assert "parameters matter less" in result.output
    weight = run("sensitivity", pair, "--direction", "0,1,0", "--at", "0,0,0.01", "--solve", "--top", "4")
    assert "solved more" in weight.output


def test_a_robust_limit_is_bracketed(run_json: RunJson, run: Run, pair: Path) -> None:
    words = ("sensitivity", pair, "--load", "aside", "--robust", "--change", "1%", "--shift", "1e-4", "--turn", "0.2")
    code, data = run_json(*words)
    assert code == 0
    robust = data["robust"]
    assert 0.0 < robust["certified"] <= robust["attained"] <= robust["weakened"] <= robust["nominal"]
    assert robust["verified"]
    assert "tornado" not in data
    assert "certified for all errors" in run(*words).output


def test_the_least_change_holds_the_load(run_json: RunJson, run: Run, pair: Path) -> None:
    """40 N up against two cups of mu 0.5 and 10 N: 20 N of friction each need a press of 40 N, four times as much."""
    words = ("sensitivity", pair, "--load", "heavy", "--least-change")
    code, data = run_json(*words)
    assert code == 0
    assert data["least_change"]["strengths"] == pytest.approx([4.0, 4.0, 1.0], rel=1e-6)
    assert data["least_change"]["cost"] == pytest.approx(6.0)
    assert data["least_change"]["verified"]
    assert "+300 %" in run(*words).output


def test_what_no_growth_can_hold_fails(run_json: RunJson) -> None:
    code, data = run_json("sensitivity", "@block_on_three_points", "--direction", "0,0,5", "--least-change")
    assert code == 1
    assert data["least_change"]["status"] == "no growth makes it hold"
    assert data["least_change"]["verified"]


def test_a_picture_is_written(run: Run, pair: Path, tmp_path: Path) -> None:
    path = tmp_path / "tornado.svg"
    result = run("sensitivity", pair, "--load", "aside", "--plot", path)
    assert result.exit_code == 0
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    "words",
    [
        ("--change", "much"),
        ("--change", "200%"),
        ("--top", "0"),
        ("--load", "aside", "--direction", "0,0,1"),
        ("--load", "unknown"),
    ],
)
def test_bad_options_are_named(run: Run, pair: Path, words: tuple[str, ...]) -> None:
    result = run("sensitivity", pair, *words)
    assert result.exit_code == 2
