from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tests.papers.studies.test_hierarchy import hand

Run = Callable[..., Result]
RunJson = Callable[..., tuple[int, Any]]


@pytest.fixture
def grip(tmp_path: Path) -> Path:
    path = tmp_path / "hand.h5"
    hand().save(path)
    return path


def test_both_figures_with_their_tables(run: Run, grip: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("paper", "hierarchy", "--grip", grip, "--largest", "25", "--repeats", "1", "--out", out)
    assert result.exit_code == 0
    assert "Fig. 15: time of a four-hand test" in result.stdout
    assert "Fig. 16: support regions" in result.stdout
    names = {"hierarchy_times.csv", "hierarchy_times.md", "hierarchy_regions.csv", "hierarchy_regions.md"}
    assert names | {"figure_15.png", "figure_16.png"} == {path.name for path in out.iterdir()}


def test_one_figure_as_data(run_json: RunJson, grip: Path) -> None:
    code, data = run_json("paper", "hierarchy", "--grip", grip, "--only", "16", "--largest", "25")
    assert code == 0
    assert data["vertices_learned"] == 150
    assert "times" not in data
    areas = [row["area"] for row in data["regions"]]
    assert areas[0] <= areas[1] <= areas[-1]
    code, data = run_json("paper", "hierarchy", "--grip", grip, "--only", "15", "--largest", "25", "--repeats", "1")
    assert [row["count"] for row in data["times"]] == [25, 12, 25]
    assert "regions" not in data


def test_other_figures_are_refused(run: Run) -> None:
    result = run("paper", "hierarchy", "--only", "14")
    assert result.exit_code == 2
    assert "give 15 or 16" in result.stderr
