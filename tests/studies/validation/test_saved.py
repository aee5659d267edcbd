"""The saved tables, which the documentation shows, are those of the present library; the data say where they are from."""

from __future__ import annotations

import csv

import pytest

from studies.validation import CASES, Validation
from studies.validation.comparisons import DATA


@pytest.mark.parametrize("name", CASES)
def test_the_saved_table_is_that_of_the_case(name: str, report: dict[str, Validation]) -> None:
    with (DATA.parent / "saved" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    table = report[name].table()
    assert tuple(header) == tuple(table.header)
    assert [tuple(row) for row in rows] == list(table.rows)


def test_all_cases_agree_and_every_proof_is_verified(report: dict[str, Validation]) -> None:
    assert all(case.agrees and case.verify() for case in report.values())


def test_data_of_others_carry_source_and_licence() -> None:
    notice = (DATA / "NOTICE.md").read_text(encoding="utf-8")
    for path in DATA.iterdir():
        assert path.name == "NOTICE.md" or path.name in notice
