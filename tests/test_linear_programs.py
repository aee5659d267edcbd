"""Linear programs against closed forms: values, multipliers, and every outcome."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.linear_programs import NONNEGATIVE, TIGHT, Outcome, minimise


@pytest.mark.parametrize("presolve", [True, False])
@pytest.mark.parametrize("tolerance", [None, TIGHT])
def test_the_minimum_over_a_box_is_at_its_corner(presolve: bool, tolerance: float | None) -> None:
    found = minimise(
        [1.0, -2.0], np.vstack([np.eye(2), -np.eye(2)]), np.ones(4), tolerance=tolerance, presolve=presolve
    )
    assert found.optimal
    assert found.x == pytest.approx([-1.0, 1.0])
    assert found.value == pytest.approx(-3.0)


def test_marginals_are_the_slope_of_the_minimum_by_the_right_hand_side() -> None:
    def value(top: float, level: float) -> float:
        return minimise([-1.0, -1.0], [[1.0, 0.0]], [top], [[1.0, 1.0]], [level], bounds=NONNEGATIVE).value

    found = minimise([-1.0, -2.0], [[0.0, 1.0]], [2.0], [[1.0, 1.0]], [5.0], bounds=NONNEGATIVE)
    assert found.upper_marginals == pytest.approx([-1.0])
    assert found.equality_marginals == pytest.approx([-1.0])
    assert value(2.0, 6.0) - value(2.0, 5.0) == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("rows", "right", "outcome"),
    [([[1.0], [-1.0]], [-1.0, -1.0], Outcome.INFEASIBLE), ([[-1.0]], [0.0], Outcome.UNBOUNDED)],
)
def test_programs_without_an_optimum_say_why(rows: list[list[float]], right: list[float], outcome: Outcome) -> None:
    found = minimise([-1.0], rows, right)
    assert found.outcome is outcome
    assert not found.optimal
    assert np.isnan(found.value)
