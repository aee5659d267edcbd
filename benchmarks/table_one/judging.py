"""Whether a method's answers contradict proven ones.

Only what is firm is judged: a verdict that a load larger or smaller by BAND would share, a limit beyond its method's
gap. Undecided answers are never wrong unless their bounds exclude the truth.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import holdfast as hf
from benchmarks.table_one.asking import Series

#: A test whose verdict changes within this share of its load is not held against a method.
BAND = 1e-5


def firm_verdicts(assembly: hf.Assembly, wrenches: np.ndarray, chosen: list[int]) -> dict[int, bool]:
    """Whether the load holds, for each chosen one whose verdict is proven and the same within BAND of it."""
    solver, firm = hf.Solver(assembly), {}
    for index in chosen:
        answers = [solver.equilibrium(share * wrenches[index]) for share in (1.0 - BAND, 1.0, 1.0 + BAND)]
        if all(answer.verify() for answer in answers) and len({answer.holds for answer in answers}) == 1:
            firm[index] = answers[0].holds
    return firm


def wrong_tests(series: Series, holds: Mapping[int, bool]) -> list[int]:
    """Queries with a known verdict on which another was given."""
    return [
        index
        for index, answer in zip(series.indices, series.answers, strict=True)
        if index in holds
        and answer is not None
        and answer.status != "undecided"
        and (answer.status == "holds") != holds[index]
    ]


def wrong_limits(series: Series, proven: Mapping[int, hf.LoadLimit], gap: float, floor: float = 0.0) -> list[int]:
    """Queries whose limit, or whose bounds on it, contradict the proven one by more than gap (|value| + floor)."""
    wrong = []
    for index, answer in zip(series.indices, series.answers, strict=True):
        if isinstance(answer, hf.LoadLimit) and index in proven and not _agree(answer, proven[index], gap, floor):
            wrong.append(index)
    return wrong


def _agree(answer: hf.LoadLimit, right: hf.LoadLimit, gap: float, floor: float) -> bool:
    if not np.isfinite(right.value):
        return answer.status in (right.status, "undecided")
    size = max(abs(right.value), abs(right.upper_bound))
    slack = gap * (size + floor) + BAND * size
    not_above = answer.value <= right.upper_bound + slack
    not_below = answer.upper_bound >= right.value - slack
    if answer.status == "undecided":
        return not_above and not_below
    return answer.status == "optimal" and not_above and answer.value >= right.value - slack


def proven_limits(series: Series) -> dict[int, hf.LoadLimit]:
    """The limits among a series' answers that prove themselves."""
    return {
        index: answer
        for index, answer in zip(series.indices, series.answers, strict=True)
        if isinstance(answer, hf.LoadLimit) and answer.verify()
    }
