from __future__ import annotations

import csv
import io
import json
import platform

import numpy as np

import holdfast
from holdfast.papers import tables as machine
from holdfast.papers.tables import TextTable, duration, times


def test_a_table_is_one_markdown_table_whatever_its_cells_hold():
    text = TextTable("t", ("a", "b"), [["1", "x|y"], ["22", ""]], "note").markdown()
    lines = text.splitlines()
    assert lines[0] == "### t"
    assert [line.replace("\\|", "").count("|") for line in lines[2:6]] == [3, 3, 3, 3]
    assert lines[-1] == "note"


def test_csv_gives_back_every_cell():
    rows = [["1", "x, y"], ['"', "two\nlines"]]
    assert list(csv.reader(io.StringIO(TextTable("t", ("a", "b"), rows).csv()))) == [["a", "b"], *rows]


def test_durations_are_reported_in_a_fitting_unit():
    assert [duration(s) for s in (2.0, 3.2e-3, 4.56e-5, 1e-7)] == ["2 s", "3.2 ms", "45.6 us", "0.1 us"]
    assert duration(float("nan")) == "-"


def test_ratios_say_when_they_are_lower_bounds():
    assert (times(1234.5), times(2.34, at_least=True), times(float("inf"))) == ("1,234x", ">= 2.3x", "-")


def test_versions_are_those_in_use_and_what_is_absent_is_said():
    found = machine.metadata(("holdfast", "numpy", "no-such-distribution"))
    assert found["versions"] == {
        "python": platform.python_version(),
        "holdfast": holdfast.__version__,
        "numpy": np.__version__,
        "no-such-distribution": machine.NOT_INSTALLED,
    }
    json.dumps(found, allow_nan=False)
    first, second = machine.described(found).splitlines()
    assert f"numpy {np.__version__}" in first
    assert f"cores {found['hardware']['cores']}" in second


def test_cells_that_a_spreadsheet_takes_for_formulas_are_quoted() -> None:
    table = TextTable("t", ("=name", "value"), [("@SUM(A1)", "-1.5"), ("-", "+2e-3")])
    assert table.csv() == "'=name,value\n'@SUM(A1),-1.5\n-,+2e-3\n"
    assert "=name" in table.markdown() and "'=name" not in table.markdown()
