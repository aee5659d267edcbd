"""The page on the validation says what the cases compute: every row of its tables and every reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.validation import CASES, ValidationReport

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "validation.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_every_comparison_is_a_row_of_the_page_and_the_reading_is_there(name: str, report: ValidationReport) -> None:
    lines = PAGE.splitlines()
    for value in report[name].comparisons:
        row = f"| {value.quantity} | {value.text('theirs')} | {value.text('ours')} | {value.bound_text()} |"
        assert row in lines
    assert report[name].reading in " ".join(PAGE.split())
    assert f"`{name}`" in PAGE


def test_the_page_has_no_other_rows(report: ValidationReport) -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and line.count("|") == 5]
    heads = sum(line == "| quantity | theirs | ours | bound |" for line in rows)
    assert heads == len(CASES)
    assert len(rows) - heads == sum(len(result.comparisons) for result in report)
