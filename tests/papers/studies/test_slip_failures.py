from __future__ import annotations

import numpy as np
import pytest

from holdfast.papers.slip import Failure, failures
from holdfast.statics.paths import OnsetStatus

STEP, TOLERANCE = np.radians(6.0), np.radians(0.1)


@pytest.fixture(scope="module")
def found() -> tuple[Failure, ...]:
    return failures(step=STEP, tolerance=TOLERANCE)


def test_a_model_without_the_contact_at_the_tip_predicts_early(found: tuple[Failure, ...]) -> None:
    early = found[0]
    assert early.predicted.status is early.true.status is OnsetStatus.SLIPS
    assert np.degrees(early.true.value - early.predicted.value) > 10.0


def test_a_model_that_counts_spines_which_are_off_misses_the_slip(found: tuple[Failure, ...]) -> None:
    missed = found[1]
    assert missed.predicted.status is OnsetStatus.HOLDS_THROUGHOUT
    assert missed.true.status is OnsetStatus.SLIPS


def test_wrongly_enabling_the_left_proximal_unit_removes_the_slip_and_disabling_restores_it(
    found: tuple[Failure, ...],
) -> None:
    wrong = found[2]
    assert wrong.predicted.status is OnsetStatus.HOLDS_THROUGHOUT
    assert wrong.true.status is OnsetStatus.SLIPS
    assert wrong.mended.status is OnsetStatus.SLIPS
    assert wrong.mended.value == pytest.approx(wrong.true.value, abs=2 * TOLERANCE)


def test_every_onset_of_the_failures_verifies(found: tuple[Failure, ...]) -> None:
    assert len(found) == 3
    for failure in found:
        assert failure.predicted.verify()
        assert failure.true.verify()
        assert failure.mended.verify()
