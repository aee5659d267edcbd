from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from holdfast.console.options import Exit
from holdfast.console.sheets import Block, Line, TableBlock, as_data, heading, present, show, triple, yes_no


class Answer:
    """A result as the library has them."""

    status = "holds"

    def to_dict(self) -> dict[str, Any]:
        return {"status": self.status, "value": float("inf")}


def sheet() -> Iterator[Block]:
    yield heading("hooks: 4 contacts")
    yield heading("verdict: holds", "holds")
    yield "a line"
    yield TableBlock(["contact", "force [N]"], [("a", 1.5), ("b", 12.25)], title="Forces")
    yield Line("report: a.html", is_note=True)


def test_blocks_are_printed_in_order_and_notes_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    show(sheet())
    captured = capsys.readouterr()
    lines = [line.rstrip() for line in captured.out.splitlines() if line.strip()]
    assert lines[:4] == ["hooks: 4 contacts", "verdict: holds", "a line", "Forces"]
    assert "contact" in lines[4] and "force [N]" in lines[4]
    assert lines[-1].split() == ["b", "12.25"]
    assert captured.err == "report: a.html\n"


def test_json_has_the_command_the_metadata_and_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    def never() -> Iterator[Block]:
        raise AssertionError("the sheet is not needed under --json")
        yield ""

    with pytest.raises(typer.Exit) as ended:
        present("limit", Answer(), sheet=never(), json=True, metadata={"scene": "hooks"}, code=Exit.UNDECIDED)
    assert ended.value.exit_code == Exit.UNDECIDED
    data = json.loads(capsys.readouterr().out)
    assert data == {"command": "limit", "scene": "hooks", "status": "holds", "value": "inf"}
    assert list(data) == ["command", "scene", "status", "value"]


def test_the_picture_is_drawn_only_when_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from matplotlib.figure import Figure

    drawn: list[int] = []

    def picture() -> Figure:
        drawn.append(1)
        return Figure()

    with pytest.raises(typer.Exit):
        present("limit", Answer(), sheet=sheet(), picture=picture)
    assert drawn == []
    with pytest.raises(typer.Exit) as ended:
        present("limit", Answer(), sheet=sheet(), picture=picture, plot=tmp_path / "a.png")
    assert drawn == [1] and (tmp_path / "a.png").is_file() and ended.value.exit_code == 0
    assert f"picture: {tmp_path / 'a.png'}" in capsys.readouterr().err


def test_results_are_dictionaries_or_have_one() -> None:
    assert as_data(None) == {}
    assert as_data({"a": 1}) == {"a": 1}
    assert as_data(Answer())["status"] == "holds"


def test_numbers_and_truth_as_text() -> None:
    assert triple((0.0, -9.80665, 1 / 3), 3) == "0, -9.81, 0.333"
    assert triple((1e-17, -2e-19, 0.5)) == "0, 0, 0.5"
    assert triple((1e-17, 0.0, 0.0)) == "1e-17, 0, 0"
    assert triple((float("inf"), 1e-17, 2.0)) == "no limit, 0, 2"
    assert (yes_no(True), yes_no(False)) == ("yes", "no")
