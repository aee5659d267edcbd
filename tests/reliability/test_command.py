"""`holdfast probability`, `holdfast scatter` and `holdfast sensitivity`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.reliability import Scatter, scatter_from_trials
from holdfast.reliability import probability as probability_of

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]

#: One contact of 10 N under a weight of 0.8 of that: holds when its strength is above 0.8.
HOOK = """\
holdfast: 1
name: hook
object: {mass: 0.8}
gravity: [0, 0, -10]
loads: {tug: {force: [0, 0, -1]}}
volumes: {hook: {pieces: [[[-10, -10, -10], [10, -10, -10], [0, 10, -10], [0, 0, 10]]]}}
contacts:
  - {name: hook, position: [0, 0, 0], normal: [0, 0, 1], volume: hook}
scatter: {strength: 0.2}
"""


@pytest.fixture
def hook(tmp_path: Path) -> Path:
    path = tmp_path / "hook.yaml"
    path.write_text(HOOK, encoding="utf-8")
    return path


def test_the_probability_is_that_of_the_library(run_json: RunJson, hook: Path) -> None:
    code, data = run_json("probability", hook, "--n", 400, "--seed", 3)
    scene = hf.scenes.load_scene(hook)
    found = probability_of(scene.assembly, scene.gravity_load(), Scatter(strength=0.2), n=400, seed=3)
    assert code == 0 and scene.scatter is not None
    assert {name: data[name] for name in ("value", "n", "failures", "undecided")} == {
        "value": found.value,
        "n": 400,
        "failures": found.failures,
        "undecided": 0,
    }
    assert data["interval"] == list(found.interval) and data["scatter"] == scene.scatter.to_dict()


def test_options_go_before_the_scene(run_json: RunJson, hook: Path) -> None:
    _, still = run_json("probability", hook, "--scatter-strength", 0, "--n", 50)
    assert still["value"] == 1.0 and still["scatter"] == {}
    _, data = run_json(
        *("probability", hook, "--n", 50, "--family", "weibull", "--scatter-strength", 0.1, "--correlation", 0.5),
        *(
            "--scatter-friction",
            0.2,
            "--scatter-position",
            "0.001",
            "--scatter-com",
            "0,0,0.01",
            "--scatter-mass",
            0.02,
        ),
    )
    assert data["scatter"]["strength"] == {"kind": "weibull", "mean": 1.0, "variation": 0.1}
    assert data["scatter"]["com"] == [0.0, 0.0, 0.01] and data["scatter"]["position"] == [0.001] * 3
    assert data["scatter"]["correlation"] == 0.5


def test_loads_come_on_top_of_the_weight(run_json: RunJson, hook: Path) -> None:
    _, data = run_json("probability", hook, "--load", "tug", "--n", 20)
    assert data["load"] == "weight + tug" and data["wrench"][2] == pytest.approx(-9.0)
    _, data = run_json("probability", hook, "--load", "tug", "--no-weight", "--n", 20)
    assert data["wrench"][2] == pytest.approx(-1.0)


def test_a_width_ends_the_drawing(run_json: RunJson, hook: Path) -> None:
    _, data = run_json("probability", hook, "--width", 0.2)
    low, high = data["interval"]
    assert data["n"] == 512 and high - low <= 0.2 and data["looks"] > 1


def test_rare_failures_come_with_their_variance(run_json: RunJson, hook: Path) -> None:
    _, data = run_json("probability", hook, "--rare", "--scatter-strength", 0.05, "--n", 200)
    low, high = data["interval"]
    assert low < 3.167e-5 < high and data["variance"] > 0.0  # 0.8 is four deviations below the mean
    assert data["plain_samples"] > 10_000


def test_curves_of_size_and_angle(run_json: RunJson, hook: Path, tmp_path: Path) -> None:
    picture = tmp_path / "curve.png"
    _, data = run_json("probability", hook, "--curve", "size", "--n", 100, "--plot", picture)
    assert data["curve"]["values"][0] == 1.0 and data["curve"]["values"][-1] < 0.1 and picture.stat().st_size > 1000
    code, data = run_json("probability", hook, "--curve", "angle", "--n", 20)
    assert code == 0 and data["curve"]["parameters"][-1] == pytest.approx(180.0)
    assert "[deg]" in data["curve"]["parameter"] and np.min(data["curve"]["values"]) >= 0.0


def test_the_result_is_printed_and_drawn(run: Run, hook: Path, tmp_path: Path) -> None:
    limits, bars = tmp_path / "limits.png", tmp_path / "bars.svg"
    result = run("probability", hook, "--n", 200, "--plot", limits)
    assert result.exit_code == 0, result.output
    assert "95 % interval" in result.output and "hook: weight" in result.output
    result = run("probability", hook, "--n", 200, "--explain", "--plot", bars)
    assert "Units at the load limit" in result.output and "of the specimens" in result.output
    assert limits.stat().st_size > 1000 and bars.stat().st_size > 1000
    for extra in (["--rare"], ["--curve", "size"]):
        assert run("probability", hook, "--n", 100, *extra).exit_code == 0


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--scatter-strength", "-0.1"], "variation"),
        (["--scatter-position", "-0.1"], "position"),
        (["--n", "0"], "n: is 0"),
        (["--load", "tog"], "did you mean 'tug'"),
    ],
)
def test_bad_input_is_reported(run: Run, hook: Path, words: list[str], fault: str) -> None:
    result = run("probability", hook, *words)
    assert result.exit_code == 2 and fault in result.output


def test_a_scene_without_scatter_says_what_to_give(run: Run) -> None:
    result = run("probability", "@block_on_three_points")
    assert result.exit_code == 2 and "--scatter-strength" in result.output


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
    assert "parameters with smaller effect" in result.output
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


# -- scatter ----------------------------------------------------------------------------------------


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    """Two groups of pull-offs whose variations are the same."""
    rows = ["group,Peak load [N]"]
    for name, mean in (("A", 20.0), ("B", 50.0)):
        rows += [f"{name},{mean * factor}" for factor in (0.8, 0.9, 1.0, 1.1, 1.2, 0.85, 1.15)]
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_the_scatter_of_trials_is_that_of_the_library(run: Run, run_json: RunJson, trials: Path) -> None:
    fitted = scatter_from_trials(trials, kind="weibull")
    code, data = run_json("scatter", trials, "--family", "weibull", "--share", 0.1)
    assert code == 0
    assert data["variation"] == fitted.variation and data["degrees"] == 12 and data["pooled"]
    assert data["limits"] == fitted.limits(0.1) and data["warnings"] == []
    text = run("scatter", trials).stdout
    assert "14 trials in 2 groups" in text
    assert "pooled variation 0.155 (" in text
    assert "scatter: {strength: {kind: normal, trials: trials.csv}}" in text
    assert "warning" not in text


def test_groups_by_themselves_are_warned_of(run: Run, run_json: RunJson, trials: Path) -> None:
    _, data = run_json("scatter", trials, "--each")
    assert "is based on 7 trials" in data["warnings"][0]
    assert (
        "warning: the coefficient of variation of 'A', 'B' is based on 7 trials"
        in run("scatter", trials, "--each").stdout
    )


def test_groups_that_differ_in_variation_are_pointed_out(run: Run, trials: Path) -> None:
    even = "".join(f"C,{30.0 * factor}\n" for factor in (0.999, 1.0, 1.001, 1.002, 0.998))
    trials.write_text(trials.read_text(encoding="utf-8") + even, encoding="utf-8")
    assert "warning: the groups differ in their variation (p = " in run("scatter", trials).stdout


def test_faults_of_a_file_of_trials_are_reported(run: Run, tmp_path: Path, trials: Path) -> None:
    assert "there is no such file" in run("scatter", tmp_path / "none.csv").stderr
    assert "share" in run("scatter", trials, "--share", 2).stderr
    (tmp_path / "one.csv").write_text("force\n3\n", encoding="utf-8")
    result = run("scatter", tmp_path / "one.csv")
    assert result.exit_code == 2 and "no group has two trials" in result.stderr
