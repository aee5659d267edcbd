"""`holdfast grasp-study`: the three studies as tables, JSON, CSV and pictures."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.studies import stability_study

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


@pytest.mark.parametrize("study", ["variation", "stability", "correlation"])
def test_every_study_gives_a_table_csv_and_a_picture(run: Run, tmp_path: Path, study: str):
    table, picture = tmp_path / "table.csv", tmp_path / "chart.png"
    result = run("grasp-study", study, "--part", "hexagon", "--csv", table, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert "hexagon" in result.stdout
    assert len(list(csv.reader(table.read_text(encoding="utf-8").splitlines()))) > 5
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_stability_is_that_of_the_function_and_repeats_by_its_seed(run_json: RunJson):
    words = ("grasp-study", "stability", "--part", "hexagon", "--trials", "5", "--seed", "3", "--rotation", "2")
    code, data = run_json(*words)
    assert code == 0
    found = plan(example_part("hexagon").picture(0.5), mm_per_px=0.5)
    expected = stability_study(found, trials=5, seed=3, rotation_rad=np.radians(2.0))
    assert data["rows"] == expected.to_dict()["rows"]
    assert run_json(*words) == (code, data)


def test_variations_are_those_asked_for(run_json: RunJson):
    _, data = run_json(
        "grasp-study", "variation", "--part", "hexagon", "--try-mu", "0.2,0.3", "--try-lambda", "", "--try-w", "4"
    )
    assert [(entry["parameter"], entry["value"]) for entry in data["changes"]] == [("mu", 0.2), ("mu", 0.3), ("W", 4.0)]


def test_correlation_of_ranks_differs_from_that_of_values(run: Run):
    values = run("grasp-study", "correlation", "--part", "casting").stdout
    ranks = run("grasp-study", "correlation", "--part", "casting", "--of", "ranks").stdout
    assert "correlation of values" in values
    assert "correlation of ranks" in ranks
    assert values.splitlines()[5:] != ranks.splitlines()[5:]


def test_without_a_grasp_there_is_nothing_to_study(run: Run, run_json: RunJson):
    result = run("grasp-study", "stability", "--part", "disc", "--hand", "parallel_jaw")
    assert result.exit_code == 1
    assert "no grasp" in result.stdout
    code, data = run_json("grasp-study", "correlation", "--part", "disc", "--hand", "parallel_jaw")
    assert code == 1
    assert data["reason"]


def test_bad_numbers_are_told(run: Run):
    for words in (["--try-mu", "a"], ["--try-w", "0"], ["--try-lambda", "-1"]):
        result = run("grasp-study", "variation", "--part", "hexagon", *words)
        assert result.exit_code == 2, words
        assert result.stderr.startswith("error: ")
    assert run("grasp-study", "stability", "--part", "hexagon", "--trials", "0").exit_code == 2
    assert run("grasp-study", "stability", "--part", "hexagon", "--best", "-1").exit_code == 2
