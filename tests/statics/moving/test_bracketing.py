from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.solvers import Status
from holdfast.statics.paths import first_change, grid

HOLDS, FAILS, OPEN = Status.HOLDS, Status.DOES_NOT_HOLD, Status.UNDECIDED


def ask_of(verdict: Any) -> Any:
    return lambda p: SimpleNamespace(status=verdict(p))


def test_the_grid_has_both_ends_and_no_step_is_too_long() -> None:
    points = grid(0.0, 1.0, 0.3)
    assert (points[0], points[-1]) == (0.0, 1.0)
    assert np.diff(points).max() <= 0.3
    assert np.allclose(grid(1.0, -1.0, 1.0), [1.0, 0.0, -1.0])
    assert len(grid(0.0, 1.0, 0.1)) == 11  # 1/0.1 is a little more than 10 in floating point
    assert len(grid(0.0, 1.0, 7.0)) == 2


def test_a_grid_of_nothing_or_of_too_much_is_refused() -> None:
    with pytest.raises(InputError, match="the same as start"):
        grid(1.0, 1.0, 0.1)
    with pytest.raises(InputError, match="at most"):
        grid(0.0, 1.0, 1e-9)


def test_the_first_of_several_changes_is_bisected() -> None:
    def verdict(p: float) -> Status:
        return FAILS if 0.331 < p < 0.5 or p > 0.8 else HOLDS

    change = first_change(ask_of(verdict), grid(0.0, 1.0, 0.1), 1e-6)
    assert change.before
    assert change.after
    assert change.before.parameter <= 0.331 < change.after.parameter
    assert change.after.parameter - change.before.parameter <= 1e-6
    assert len(change.scan) == 5  # 0, 0.1, ..., 0.4
    whole = first_change(ask_of(verdict), grid(0.0, 1.0, 0.1), 1e-6, whole=True)
    assert whole.before
    assert (len(whole.scan), whole.before.parameter) == (11, change.before.parameter)


def test_a_change_to_holding_is_found_as_well() -> None:
    change = first_change(ask_of(lambda p: HOLDS if p > 0.7 else FAILS), grid(0.0, 1.0, 0.25), 1e-3, leaving=FAILS)
    assert change.before
    assert change.after
    assert (change.before.status, change.after.status) == (FAILS, HOLDS)
    assert change.before.parameter <= 0.7 < change.after.parameter


@pytest.mark.parametrize("band", [(0.42, 0.47), (0.4499, 0.4501), (0.31, 0.59)])
def test_a_band_of_undecided_answers_is_reported_and_narrowed_from_both_sides(band: tuple[float, float]) -> None:
    low, high = band

    def verdict(p: float) -> Status:
        return OPEN if low < p < high else HOLDS if p <= low else FAILS

    change = first_change(ask_of(verdict), grid(0.0, 1.0, 0.3), 1e-4)
    assert change.before
    assert change.after
    if change.band is None:  # narrower than the tolerance can tell
        assert change.after.parameter - change.before.parameter <= 1e-4
        return
    assert change.before.parameter <= low < change.band[0].parameter <= change.band[1].parameter < high
    assert high <= change.after.parameter
    assert change.band[0].parameter - change.before.parameter <= 1e-4
    assert change.after.parameter - change.band[1].parameter <= 1e-4


def test_undecided_samples_before_the_change_are_kept() -> None:
    def verdict(p: float) -> Status:
        return OPEN if 0.15 < p < 0.25 else HOLDS if p < 0.55 else FAILS

    change = first_change(ask_of(verdict), grid(0.0, 1.0, 0.1), 1e-3)
    assert change.after
    assert [round(sample.parameter, 9) for sample in change.passed] == [0.2]
    assert change.band is None


def test_bisection_that_passes_an_undecided_point_keeps_it() -> None:
    def verdict(p: float) -> Status:
        return OPEN if p == 0.5 else HOLDS if p < 0.7 else FAILS

    change = first_change(ask_of(verdict), [0.0, 1.0], 1e-3)
    assert change.before
    assert 0.699 <= change.before.parameter < 0.7
    assert {sample.parameter for sample in change.passed} == {0.5}
    assert change.band is None


def test_a_tolerance_finer_than_the_numbers_ends() -> None:
    change = first_change(ask_of(lambda p: HOLDS if p < 1.0 / 3.0 else FAILS), [0.0, 1.0], 1e-300)
    assert change.before
    assert change.after
    assert np.nextafter(change.before.parameter, 1.0) == change.after.parameter
