"""The report over all cases."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from holdfast.console.output import plain
from holdfast.errors import UnknownNameError
from holdfast.validation import CASES, Agreement, ValidationReport, validate
from holdfast.validation.comparisons import DATA


def test_all_cases_agree_and_every_proof_is_verified(report: ValidationReport) -> None:
    assert [result.name for result in report] == list(CASES)
    assert (report.status, report.value, len(report)) == (Agreement.AGREES, 1.0, len(CASES))
    assert report.verify()
    assert repr(report) == f"ValidationReport(agrees, {len(CASES)} of {len(CASES)} cases in bounds)"


def test_one_comparison_out_of_bounds_is_enough(report: ValidationReport) -> None:
    case = report["stances"]
    spoilt = replace(case, comparisons=(replace(case.comparisons[0], ours=39.0), *case.comparisons[1:]))
    whole = ValidationReport((report["blocks"], spoilt))
    assert (whole.status, whole["stances"].status) == (Agreement.DIFFERS, Agreement.DIFFERS)
    assert 0.9 < whole.value < 1.0


def test_the_report_is_plain_data(report: ValidationReport) -> None:
    data = json.loads(json.dumps(plain(report.to_dict())))
    assert [case["name"] for case in data["cases"]] == list(CASES)
    assert all(case["proof_verified"] and case["source"] and case["reading"] for case in data["cases"])
    assert len(data["cases"][0]["fitted_scales"]["alu_63"]) == 50


def test_chosen_cases_come_in_order_and_unknown_ones_are_named() -> None:
    steps: list[tuple[int, int]] = []
    found = validate(["stances"], progress=lambda done, total: steps.append((done, total)))
    assert [result.name for result in found] == ["stances"]
    assert steps == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(UnknownNameError, match="no case 'lego'"):
        validate(["lego"])
    with pytest.raises(UnknownNameError, match="known: stances"):
        found["blocks"]


def test_data_of_others_carry_source_and_licence() -> None:
    notice = (DATA / "NOTICE.md").read_text(encoding="utf-8")
    lego = json.loads((DATA / "lego.json").read_text(encoding="utf-8"))
    pushes = json.loads((DATA / "pushes_supports.json").read_text(encoding="utf-8"))
    assert lego["licence"] == "MIT" and lego["copyright"] in notice and "Permission is hereby granted" in notice
    assert pushes["licence"] == "Apache-2.0" and pushes["source"] and "pushes.csv" in notice
    assert {path.name for path in DATA.iterdir()} == {"NOTICE.md", "lego.json", "pushes.csv", "pushes_supports.json"}
