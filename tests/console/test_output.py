from __future__ import annotations

import io
import json
import math
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from holdfast.console import output
from holdfast.solvers import Status

# -- output ----------------------------------------------------------------------------------------


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
    assert output.plain(value) == {
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
    assert json.loads(output._json(data)) == data


def test_rows_of_numbers_stand_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    output.emit({"a": [1.0, 2.0], "b": {}, "c": [], "d": [[1, 2], [3]]})
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
    assert output.number(value) == text


def test_a_bound_without_end_is_no_limit_on_either_side() -> None:
    assert [output.bound(value) for value in (-math.inf, math.inf, 2.0)] == ["no limit", "no limit", "2"]


def test_tables_keep_brackets_and_colons(capsys: pytest.CaptureFixture[str]) -> None:
    output.table(["force [N]", "name"], [(1.5, "cup[0] :smile: [red]x[/red]")], title="Forces [N]")
    out = capsys.readouterr().out
    assert "force [N]" in out
    assert "Forces [N]" in out
    assert "cup[0] :smile: [red]x[/red]" in out


def test_messages_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    output.complain("bad [thing]", notes=["also: this"])
    output.note("a note")
    output.say("a line")
    captured = capsys.readouterr()
    assert captured.err == "error: bad [thing]\n  also: this\na note\n"
    assert captured.out == "a line\n"


def test_long_lines_are_not_broken(capsys: pytest.CaptureFixture[str]) -> None:
    output.say("word " * 100)
    output.complain("word " * 100)
    captured = capsys.readouterr()
    assert captured.out.count("\n") == 1
    assert captured.err.count("\n") == 1


def test_a_traceback_is_shown_when_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ValueError("deep")
    except ValueError:
        output.complain("bad", traceback=True)
    assert "Traceback" in capsys.readouterr().err


def test_statuses_have_colours() -> None:
    assert (output.colour("holds"), output.colour("does not hold"), output.colour("?")) == (
        "green",
        "red",
        "default",
    )


def test_what_rounding_leaves_of_a_load_factor_reads_zero() -> None:
    assert [output.load_factor(value) for value in (7.3e-16, -2e-10, 1e-6, None)] == ["0", "0", "1e-06", "-"]


# -- progress --------------------------------------------------------------------------------------


def test_no_terminal_has_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with output.progress("sweep") as report:
        assert report is None
    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_how_many_are_done_how_fast_and_how_long_it_will_take(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    now = [100.0]
    console = Console(force_terminal=True, width=100, record=True, file=io.StringIO(), get_time=lambda: now[0])
    monkeypatch.setattr(output, "messages", lambda: console)
    with output.progress("sweep") as report:
        assert report is not None
        for done in (40, 42, 44):  # 40 were found done; then 4 in 2 s, and 24 s for the other 48
            report(done, 92)
            now[0] += 1.0
    text = console.export_text()
    assert "44/92" in text
    assert "2.0/s" in text
    assert "0:00:24" in text


@pytest.mark.parametrize(
    ("speed", "text"),
    [(None, ""), (0.0, ""), (0.0512, "0.051/s"), (2.0, "2.0/s"), (45.67, "45.7/s"), (12345.6, "12,346/s")],
)
def test_rates_are_short(speed: float | None, text: str) -> None:
    assert output.rate(speed) == text


# -- compiling -------------------------------------------------------------------------------------


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Console:
    console = Console(force_terminal=True, width=100, file=io.StringIO(), highlight=False)
    monkeypatch.setattr(output, "messages", lambda: console)
    return console


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


class Notice:
    """What `Console.status` gives: a notice that stands for as long as a block lasts."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def test_compiling_that_takes_long_is_announced(monkeypatch: pytest.MonkeyPatch, terminal: Console) -> None:
    told = threading.Event()
    monkeypatch.setattr(terminal, "status", lambda text: (terminal.print(text), told.set(), Notice())[-1])
    monkeypatch.setattr(output, "NOTICE_AFTER", 0.001)
    with output.compiling_notice("exact"):
        assert told.wait(60.0)
    assert output.NOTICE in shown(terminal)


def test_kernels_that_are_loaded_soon_are_not_announced(monkeypatch: pytest.MonkeyPatch, terminal: Console) -> None:
    monkeypatch.setattr(output, "NOTICE_AFTER", 600.0)
    with output.compiling_notice("exact"):
        pass
    assert shown(terminal) == ""


def test_nothing_is_announced_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO())
    monkeypatch.setattr(output, "messages", lambda: console)
    monkeypatch.setattr(output, "NOTICE_AFTER", 0.0)
    with output.compiling_notice("exact"):
        pass
    assert shown(console) == ""
