from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from holdfast.papers import table_one as study
from holdfast.papers.command import BEGIN, END

SMALL = ("paper", "table1", "--rows", "2OU", "--queries", "2")


def test_the_table_is_shown_with_its_clock_and_machine(run: Callable[..., Result]):
    result = run(*SMALL, "--rivals", "none")
    assert result.exit_code == 0, result.output
    assert "2OU" in result.stdout
    assert "CPU time a query" in result.stdout
    assert "holdfast" in result.stdout
    assert "Rivals" not in result.stdout


def test_json_has_every_reply_of_ours_and_of_rivals(run_json: Callable[..., tuple[int, Any]]):
    code, found = run_json(*SMALL, "--queries", "1", "--rivals", "all", "--cap", "0.2", "--budget", "0.1")
    assert code == 0
    series = {(s["method"], s["kind"]): s for s in found["rows"][0]["series"]}
    assert len(series["Exact", "limit"]["replies"]["status"]) == 1
    assert {method for method, _ in series} == {"Exact", *study.RIVALS}
    assert all(s["fault"] or s["replies"]["status"] for s in series.values())
    assert found["settings"]["cap"] == 0.2


def test_markdown_goes_between_the_markers_of_a_page_and_csv_beside(run: Callable[..., Result], tmp_path: Path):
    page, numbers = tmp_path / "page.md", tmp_path / "numbers.csv"
    page.write_text(f"# Above\n\n{BEGIN}\nwhat was here\n{END}\n\nBelow.\n", encoding="utf-8")
    words = (*SMALL, "--rivals", "none", "--markdown", page, "--csv", numbers)
    assert run(*words).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Above\n\n" + BEGIN)
    assert text.endswith(END + "\n\nBelow.\n")
    assert "what was here" not in text
    assert "| 2OU" in text
    assert run(*words).exit_code == 0  # again: still one pair of markers
    assert page.read_text(encoding="utf-8").count(BEGIN) == 1
    with numbers.open(encoding="utf-8") as file:
        assert {line["row"] for line in csv.DictReader(file)} == {"2OU"}


@pytest.mark.parametrize(
    "words",
    [
        ("--rows", "5FH"),
        ("--queries", "0"),
        ("--cap", "-1"),
        ("--csv", "no/such/folder.csv"),
        ("--markdown", "taken.md"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_measured(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.md").write_text("mine", encoding="utf-8")
    monkeypatch.setattr(study, "ask", lambda *_, **__: pytest.fail("measured"))
    result = run("paper", "table1", "--rivals", "none", *words)
    assert result.exit_code == 2
    assert "error: " in result.stderr
    assert (tmp_path / "taken.md").read_text(encoding="utf-8") == "mine"


def test_a_run_that_is_interrupted_says_how_to_go_on(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    journal = tmp_path / "journal.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr(study, "ask", interrupt)
        stopped = run(*SMALL, "--rivals", "none", "--save", journal)
    assert stopped.exit_code == 130
    assert "go on" in stopped.stderr
    assert run(*SMALL, "--rivals", "none", "--save", journal).exit_code == 0
