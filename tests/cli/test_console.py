"""What goes to standard output and how: numbers, JSON."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from holdfast.cli.console import bound, colour, emit, number, plain, table


@pytest.mark.parametrize(
    "value, text",
    [(1.23456, "1.235"), (math.inf, "no limit"), (-math.inf, "none"), (math.nan, "-"), (None, "-"), (-0.0, "0")],
)
def test_numbers_are_short_and_never_strange(value, text) -> None:
    assert number(value) == text


def test_bounds_have_no_limit_on_either_side() -> None:
    assert bound(-math.inf) == bound(math.inf) == "no limit"


def test_json_has_words_for_infinity_and_null_for_nan(capsys) -> None:
    emit({"a": np.array([1.0, math.inf, -math.inf, math.nan]), "b": {"c": np.int64(3), "d": True}})
    assert json.loads(capsys.readouterr().out) == {"a": [1.0, "inf", "-inf", None], "b": {"c": 3, "d": True}}
    assert plain((1, None, "x")) == [1, None, "x"]


def test_tables_show_every_cell(capsys) -> None:
    table(["name", "force [N]"], [("left", "1.5"), ("right", "-2")], title="forces")
    out = capsys.readouterr().out
    assert all(word in out for word in ("forces", "name", "force [N]", "left", "1.5", "right", "-2"))


def test_each_status_has_its_colour() -> None:
    assert colour("holds") == "green" and colour("does not hold") == "red" and colour("undecided") == "yellow"
