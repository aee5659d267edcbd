"""Tables and CSV of planar grasps."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from holdfast.errors import FileError
from holdfast.grasps.command import (
    obstacle,
    ranking_rows,
    show_ranking,
    show_reachability,
    show_rows,
    triangle,
    variation_table,
    write_csv,
)
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan


def test_reasons_count_together_without_their_figures():
    assert obstacle("finger 2 runs into the part 17 mm before its contact while closing; finger 3 ...") == (
        "finger 2 runs into the part before its contact while closing"
    )
    assert obstacle("the thumb's tip, 15 mm wide, does not fit: it cuts 2.1 mm into the part") == (
        "the thumb's tip does not fit"
    )
    assert obstacle("finger 2 and finger 3 collide: 4.0 mm too close") == "finger 2 and finger 3 collide"


def test_flat_rows_agree_with_the_grasps():
    found = plan(example_part("rectangle"))
    row, grasp = ranking_rows(found)[0], found.grasps[0]
    assert row["contact2_y"] == pytest.approx(grasp.contacts_mm[1, 1])
    assert row["real_focus_x"] == ""  # parallel forces meet nowhere
    assert row["S2"] == grasp.criteria["S2"]


def test_csv_is_written_or_the_place_is_named(tmp_path: Path):
    path = tmp_path / "a.csv"
    write_csv(path, [{"a": 1, "b": None}, {"a": 2, "b": 0.5}])
    assert list(csv.reader(path.read_text(encoding="utf-8").splitlines())) == [["a", "b"], ["1", ""], ["2", "0.5"]]
    with pytest.raises(FileError, match="cannot be written"):
        write_csv(tmp_path, [{"a": 1}])


def test_an_empty_ranking_is_told_with_its_reason(capsys: pytest.CaptureFixture[str]):
    empty = plan(example_part("disc"), "parallel_jaw")
    show_ranking(empty, "disc", 5)
    assert empty.reason in capsys.readouterr().out
    show_rows([])
    assert capsys.readouterr().out == ""


def test_a_part_without_obstacles_is_told(capsys: pytest.CaptureFixture[str]):
    show_reachability(plan(example_part("rectangle"), reachability=True))
    assert "nothing is in the way" in capsys.readouterr().out


def test_heads_of_a_variation_are_short_and_a_correlation_is_a_triangle():
    assert list(variation_table([{"rank (lambda_mm = 3)": 1}])[0]) == ["rank lambda=3"]
    rows = [{"criterion": "S1", "S1": 1.0, "Q": None}, {"criterion": "Q", "S1": None, "Q": 0.5}]
    assert [list(row.values()) for row in triangle(rows)] == [["S1", "1.00", ""], ["Q", "-", "0.50"]]
