from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.papers.slip import (
    EVENTS,
    SlipRow,
    SlipScatter,
    fall_angle,
    nominal,
    slip_statistics,
    slip_study,
    standard_events,
    true_onset,
)
from holdfast.statics.paths import OnsetStatus

STEP, TOLERANCE = np.radians(6.0), np.radians(0.1)


def test_at_least_eleven_of_fourteen_slip_onsets_are_within_ten_degrees() -> None:
    study = slip_study(0, step=STEP, tolerance=TOLERANCE)
    assert len(study.rows) == 14
    assert study.count >= 11
    assert study.count == int((np.abs(np.degrees(study.errors)) <= 10.0).sum())
    assert study.verify()  # forces below, a closed tree above, for the model and the truth of each


def test_the_events_are_a_plain_grid() -> None:
    assert len(set(EVENTS)) == 14
    assert {(event.left, event.right) for event in EVENTS} == {("MD", "MD"), ("MD", "PMD")}
    assert len({event.radius for event in EVENTS}) == 7
    assert standard_events(3) == EVENTS[:3]
    for count in (0, 15):
        with pytest.raises(InputError, match="1 to 14"):
            standard_events(count)


def test_the_same_seed_gives_the_same_study_and_another_does_not() -> None:
    first, again, other = (slip_study(seed, events=1, step=STEP, tolerance=TOLERANCE) for seed in (1, 1, 2))
    assert first.rows[0].true.bracket == again.rows[0].true.bracket
    assert first.rows[0].true.bracket != other.rows[0].true.bracket
    with pytest.raises(InputError, match="seed"):
        slip_study(-1, events=1)


def test_without_scatter_the_prediction_is_right() -> None:
    study = slip_study(4, events=2, scatter=SlipScatter(0.0, 0.0, 0.0), step=STEP, tolerance=TOLERANCE)
    assert np.allclose(study.errors, 0.0)
    assert study.count == 2


def test_events_that_never_slip_or_fall_at_once_are_counted_honestly() -> None:
    def onset(left: str, right: str):
        event = EVENTS[0].__class__(left, right, 0.15, 0.0)
        return true_onset(nominal(event.device()), event.towards, step=0.5, tolerance=0.01)

    never, at_once, slips = onset("PMD", "PMD"), onset("D", "D"), onset("MD", "MD")
    assert (never.status, at_once.status) == (OnsetStatus.HOLDS_THROUGHOUT, OnsetStatus.FAILS_AT_START)
    assert (fall_angle(never), fall_angle(at_once)) == (np.inf, 0.0)
    missed, early, neither, near = (
        SlipRow(EVENTS[0], predicted, true)
        for predicted, true in ((never, slips), (slips, never), (never, never), (slips, at_once))
    )
    assert (missed.error, early.error) == (np.inf, -np.inf)
    assert not (missed.is_within() or early.is_within() or neither.is_within())
    assert near.error == pytest.approx(slips.value)
    assert near.is_within(0.5)


def test_statistics_tell_the_sources_apart() -> None:
    found = slip_statistics(range(2), events=1, step=STEP, tolerance=TOLERANCE)
    assert [one.name for one in found] == ["all", "strength of the units", "mass", "centre of mass"]
    assert all(one.errors.shape == (2, 1) and one.counts.tolist() == [1, 1] for one in found)
    study = slip_study(1, events=1, step=STEP, tolerance=TOLERANCE)
    assert found[0].errors[1, 0] == study.errors[0]
    with pytest.raises(InputError, match="seeds"):
        slip_statistics([])
