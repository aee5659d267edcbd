"""Values of others and ours: when they agree, and how they are written."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from studies.validation import ComparedValue, Validation


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
    assert value.agrees is agrees


def test_a_number_that_is_not_one_does_not_agree() -> None:
    assert not ComparedValue("length", 1.0, math.nan, 0.5).agrees
    assert not ComparedValue("length", None, math.nan, 0.5, "at least").agrees
    assert not ComparedValue("length", None, math.nan, 0.5, "at most").agrees


class _Answer:
    def __init__(self, right: bool) -> None:
        self.right = right

    def verify(self) -> bool:
        return self.right


def test_a_case_counts_what_agrees_and_checks_its_answers() -> None:
    values = (ComparedValue("a", 1.0, 1.0, 0.1), ComparedValue("b", 1.0, 2.0, 0.1))
    case = Validation("case", "a case", "a book", values, "half of it", (_Answer(True), _Answer(False)))
    assert not case.agrees
    assert not case.verify()
