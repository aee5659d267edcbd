from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.console import output as console
from holdfast.solvers import Status

JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def test_plain_values_are_what_json_knows() -> None:
    value = {
        "array": np.array([[1.0, math.inf], [-math.inf, math.nan]]),
        "number": np.float64(2.5),
        "count": np.int64(3),
        "truth": np.bool_(True),
        "status": Status.HOLDS,
        "tuple": (1, None),
        3: "key",
    }
    assert console.plain(value) == {
        "array": [[1.0, "inf"], ["-inf", None]],
        "number": 2.5,
        "count": 3,
        "truth": True,
        "status": "holds",
        "tuple": [1, None],
        "3": "key",
    }


@given(st.dictionaries(st.text(), JSON_LIKE))
def test_what_is_emitted_is_json_of_the_same_value(data: dict) -> None:
    assert json.loads(console._json(data)) == data


def test_rows_of_numbers_stand_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    console.emit({"a": [1.0, 2.0], "b": {}, "c": [], "d": [[1, 2], [3]]})
    assert (
        capsys.readouterr().out
        == '{\n  "a": [1.0, 2.0],\n  "b": {},\n  "c": [],\n  "d": [\n    [1, 2],\n    [3]\n  ]\n}\n'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.23456, "1.235"),
        (0.0, "0"),
        (-1e-300, "-1e-300"),
        (math.inf, "no limit"),
        (-math.inf, "none"),
        (None, "-"),
        (math.nan, "-"),
        (123456.0, "1.235e+05"),
    ],
)
def test_numbers_in_tables_are_short(value: float | None, text: str) -> None:
    assert console.number(value) == text


def test_a_bound_without_end_is_no_limit_on_either_side() -> None:
    assert [console.bound(value) for value in (-math.inf, math.inf, 2.0)] == ["no limit", "no limit", "2"]


def test_tables_keep_brackets_and_colons(capsys: pytest.CaptureFixture[str]) -> None:
    console.table(["force [N]", "name"], [(1.5, "cup[0] :smile: [red]x[/red]")], title="Forces [N]")
    out = capsys.readouterr().out
    assert "force [N]" in out
    assert "Forces [N]" in out
    assert "cup[0] :smile: [red]x[/red]" in out


def test_messages_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    console.complain("bad [thing]", notes=["also: this"])
    console.note("a note")
    console.say("a line")
    captured = capsys.readouterr()
    assert captured.err == "error: bad [thing]\n  also: this\na note\n"
    assert captured.out == "a line\n"


def test_long_lines_are_not_broken(capsys: pytest.CaptureFixture[str]) -> None:
    console.say("word " * 100)
    console.complain("word " * 100)
    captured = capsys.readouterr()
    assert captured.out.count("\n") == 1
    assert captured.err.count("\n") == 1


def test_a_traceback_is_shown_when_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ValueError("deep")
    except ValueError:
        console.complain("bad", traceback=True)
    assert "Traceback" in capsys.readouterr().err


def test_statuses_have_colours() -> None:
    assert (console.colour("holds"), console.colour("does not hold"), console.colour("?")) == (
        "green",
        "red",
        "default",
    )


def test_what_rounding_leaves_of_a_load_factor_reads_zero() -> None:
    assert [console.load_factor(value) for value in (7.3e-16, -2e-10, 1e-6, None)] == ["0", "0", "1e-06", "-"]
