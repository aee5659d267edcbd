from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import holdfast as hf
from holdfast.reliability import Scatter
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
    scene = hf.load_scene(hook)
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


def test_it_is_told_in_words_and_drawn(run: Run, hook: Path, tmp_path: Path) -> None:
    limits, bars = tmp_path / "limits.png", tmp_path / "bars.svg"
    result = run("probability", hook, "--n", 200, "--plot", limits)
    assert result.exit_code == 0, result.output
    assert "95 % interval" in result.output and "hook: weight" in result.output
    result = run("probability", hook, "--n", 200, "--explain", "--plot", bars)
    assert "What gives way" in result.output and "of the specimens" in result.output
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
def test_bad_input_is_told(run: Run, hook: Path, words: list[str], fault: str) -> None:
    result = run("probability", hook, *words)
    assert result.exit_code == 2 and fault in result.output


def test_a_scene_without_scatter_says_what_to_give(run: Run) -> None:
    result = run("probability", "@block_on_three_points")
    assert result.exit_code == 2 and "--scatter-strength" in result.output
