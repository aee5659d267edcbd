"""Values of others and ours: when they agree, and how they are written."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from holdfast.validation import Agreement, ComparedValue, Validation


@pytest.mark.parametrize(
    ("theirs", "ours", "bound", "kind", "deviation", "agrees"),
    [
        (2.0, 2.02, 0.02, "relative", 0.01, True),
        (2.0, 2.02, 0.005, "relative", 0.01, False),
        (2.0, 1.5, 0.6, "absolute", 0.5, True),
        (0.0, 0.0, 1e-9, "relative", 0.0, True),
        (0.0, 1e-12, 1e-9, "relative", math.inf, False),
        (np.array([1.0, 2.0]), np.array([1.0, 2.2]), 0.2, "relative", 0.1, True),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0]), 0.2, "relative", 0.5, False),
        ("fell", "fell", 0.0, "same", 0.0, True),
        ("fell", "stood", 0.0, "same", math.inf, False),
        (None, 0.9, 0.85, "at least", 0.0, True),
        (None, 0.8, 0.85, "at least", 0.05, False),
        (None, 0.9, 0.85, "at most", 0.05, False),
    ],
)
def test_a_value_agrees_within_its_bound(
    theirs: Any, ours: Any, bound: float, kind: Any, deviation: float, agrees: bool
) -> None:
    value = ComparedValue("length", theirs, ours, bound, kind)
    assert value.deviation == pytest.approx(deviation)
    assert value.agrees is value.verify() is agrees
    assert value.status is (Agreement.AGREES if agrees else Agreement.DIFFERS)
    assert value.to_dict()["status"] == value.status.value
    assert value.value is ours


def test_a_number_that_is_not_one_does_not_agree() -> None:
    assert not ComparedValue("length", 1.0, math.nan, 0.5).agrees
    assert not ComparedValue("length", None, math.nan, 0.5, "at least").agrees
    assert not ComparedValue("length", None, math.nan, 0.5, "at most").agrees


def test_values_are_written_as_numbers_ranges_and_words() -> None:
    value = ComparedValue("pull", np.array([0.5, 0.25]), np.array([0.5, 0.25]), 1e-6, unit="N")
    assert (value.text("theirs"), value.bound_text(), value.difference()) == ("2: 0.25 to 0.5 N", "1e-06 relative", "0")
    assert repr(ComparedValue("verdict", "fell", "stood", kind="same")) == (
        "ComparedValue(verdict: theirs fell, ours stood, differs)"
    )
    assert ComparedValue("share", None, 0.5, 0.4, "at least").text("theirs") == "-"


class _Answer:
    def __init__(self, right: bool) -> None:
        self.right = right

    def verify(self) -> bool:
        return self.right


def test_a_case_counts_what_agrees_and_checks_its_answers() -> None:
    values = (ComparedValue("a", 1.0, 1.0, 0.1), ComparedValue("b", 1.0, 2.0, 0.1))
    case = Validation("case", "a case", "a book", values, "half of it", (_Answer(True), _Answer(False)))
    assert (case.value, case.status, case.verify()) == (0.5, Agreement.DIFFERS, False)
    assert repr(case) == "Validation(case: differs, 1 of 2 in bounds)"
    assert case.to_dict()["proof_verified"] is False
