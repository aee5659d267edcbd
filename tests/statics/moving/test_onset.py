from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.checks import Array
from holdfast.errors import InputError
from holdfast.solvers import Status
from holdfast.statics.paths import OnsetStatus, ramp, slip_onset, turning
from tests.statics.moving.scenes import UP, block, box, plates, tilted


def incline(assembly: hf.Assembly):
    return lambda angle: (assembly, tilted(angle))


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.2])
def test_a_block_on_an_incline_slips_at_the_angle_of_friction(mu: float) -> None:
    onset = slip_onset(incline(block(mu)), 0.0, 1.5, step=0.1, tolerance=1e-7)
    assert onset.status is OnsetStatus.SLIPS
    low, high = onset.bracket
    assert low <= np.arctan(mu) <= high
    assert high - low <= 1e-7
    assert abs(onset.value - np.arctan(mu)) <= 1e-7
    assert onset.held
    assert onset.failed
    assert np.array_equal(onset.held.wrench, tilted(low))
    assert onset.verify()


def test_a_tall_block_topples_first() -> None:
    """It topples when its weight passes the outer feet: tan(angle) = half width / height."""
    onset = slip_onset(incline(block(mu=5.0, height=2.0)), 0.0, 1.0, step=0.05, tolerance=1e-6)
    assert onset.value == pytest.approx(np.arctan(0.5 / 2.0), abs=1e-6)
    assert onset.verify()


def test_the_angle_may_fall_instead_of_rise() -> None:
    onset = slip_onset(incline(block(0.5)), 0.0, -1.5, step=0.1, tolerance=1e-6)
    assert onset.bracket[1] < onset.bracket[0] < 0.0
    assert onset.value == pytest.approx(-np.arctan(0.5), abs=1e-6)
    assert onset.verify()


def test_what_holds_throughout_is_verified_sample_by_sample() -> None:
    onset = slip_onset(incline(block(0.5)), 0.0, 0.4, step=0.1, tolerance=1e-3)
    assert onset.status is OnsetStatus.HOLDS_THROUGHOUT
    assert (onset.tests, len(onset.scan), np.isnan(onset.value)) == (5, 5, True)
    assert onset.verify()
    spoilt = replace(onset, scan=(*onset.scan, slip_onset(incline(block()), 1.0, 1.1, step=1, tolerance=1).scan[0]))
    assert not spoilt.verify()


def test_what_does_not_hold_at_the_start_is_said_with_its_proof() -> None:
    onset = slip_onset(incline(block(0.5)), 1.0, 0.0, step=0.1, tolerance=1e-3)
    assert onset.status is OnsetStatus.FAILS_AT_START
    assert (onset.bracket[1], onset.held, onset.tests) == (1.0, None, 1)
    assert onset.verify()


def window(low: float, high: float):
    """Holds outside of low < p < high only."""
    volume, load = box(), np.array([0.0, 0.0, -8.0, 0.0, 0.0, 0.0])
    assembly = plates(volume)

    def path(parameter: float) -> tuple[hf.Assembly, Array]:
        pull = 100.0 if low < parameter < high else 0.0
        return assembly, load + np.array([pull, 0.0, 0.0, 0.0, 0.0, 0.0])

    return path


def test_a_step_misses_a_loss_that_is_shorter_and_sees_one_that_is_longer() -> None:
    missed = slip_onset(window(0.41, 0.49), 0.0, 1.0, step=0.1, tolerance=1e-3)
    assert missed.status is OnsetStatus.HOLDS_THROUGHOUT  # true of every sample, and no more is claimed
    seen = slip_onset(window(0.41, 0.49), 0.0, 1.0, step=0.05, tolerance=1e-3)
    assert seen.status is OnsetStatus.SLIPS
    assert seen.value == pytest.approx(0.41, abs=1e-3)


def test_a_whole_scan_shows_where_it_holds_again() -> None:
    onset = slip_onset(window(0.35, 0.65), 0.0, 1.0, step=0.1, tolerance=1e-3, whole=True)
    assert onset.value == pytest.approx(0.35, abs=1e-3)
    held = [status is Status.HOLDS for status in onset.statuses]
    assert held == [True] * 4 + [False] * 3 + [True] * 4
    assert np.allclose(onset.parameters, np.linspace(0, 1, 11))


class Tired:
    """A method that leaves loads open whose x component lies between two values."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high, self.inner = low, high, hf.Reference()

    def test(self, problem):
        solution = self.inner.test(problem)
        if self.low < problem.load[0] < self.high:
            return replace(solution, status=Status.UNDECIDED, forces=None, certificate=None)
        return solution

    def maximise(self, problem):
        return self.inner.maximise(problem)


def growing():
    return ramp(plates(box()), (0, 0, -8, 0, 0, 0), (1, 0, 0, 0, 0, 0))  # four feet: holds up to 4 N


def test_an_undecided_band_around_the_onset_is_not_hidden() -> None:
    onset = slip_onset(growing(), 0.0, 6.0, step=0.5, tolerance=1e-3, method=Tired(3.8, 4.3))
    assert onset.status is OnsetStatus.UNDECIDED
    assert onset.band
    low, high = onset.bracket
    assert low <= 3.8 < onset.band[0] <= onset.band[1] < 4.3 <= high
    assert high - low <= 0.5 + 2e-3
    assert not onset.verify()
    assert onset.held
    assert onset.held.verify()


def test_undecided_samples_before_the_onset_are_listed() -> None:
    onset = slip_onset(growing(), 0.0, 6.0, step=0.5, tolerance=1e-3, method=Tired(0.9, 1.6))
    assert onset.status is OnsetStatus.SLIPS
    assert onset.open == (1.0, 1.5)
    assert onset.value == pytest.approx(4.0, abs=1e-3)
    assert onset.verify()


def test_undecided_to_the_end_is_undecided() -> None:
    onset = slip_onset(growing(), 0.0, 3.0, step=0.5, tolerance=1e-3, method=Tired(2.0, 9.0))
    assert onset.status is OnsetStatus.UNDECIDED
    start = slip_onset(growing(), 5.0, 9.0, step=0.5, tolerance=1e-3, method=Tired(4.9, 5.2))
    assert start.status is OnsetStatus.UNDECIDED


def test_a_gripper_and_its_scene_slip_at_the_same_angle_with_proofs() -> None:
    device = hf.devices.two_finger_gripper("MD", "MD")
    scene = hf.load_scene("@two_finger_gripper_md_md")
    onsets = [slip_onset(turning(s), 0.0, 0.5, step=0.05, tolerance=1e-5) for s in (device, scene)]
    assert onsets[0].value == pytest.approx(onsets[1].value, abs=2e-5)
    for onset in onsets:
        assert onset.verify()
        low, high = onset.bracket
        for angle, status in ((low, Status.HOLDS), (high, Status.DOES_NOT_HOLD)):
            assembly, wrench = turning(device)(angle)
            assert hf.equilibrium(assembly, wrench, method=hf.Reference()).status is status


def test_bad_questions_are_refused() -> None:
    path = incline(block())
    with pytest.raises(InputError, match="function"):
        slip_onset(block(), 0, 1, step=0.1, tolerance=0.1)  # pyright: ignore[reportArgumentType]
    for step, tolerance in ((0.0, 0.1), (-1.0, 0.1), (0.1, 0.0), (np.nan, 0.1)):
        with pytest.raises(InputError):
            slip_onset(path, 0, 1, step=step, tolerance=tolerance)


def test_a_single_contact_is_enough() -> None:
    assembly = hf.Assembly([hf.Contact((0, 0, 0), UP, box())])
    onset = slip_onset(ramp(assembly, np.zeros(6), (0, 0, -1, 0, 0, 0)), 0.0, 9.0, step=1.0, tolerance=1e-6)
    assert onset.value == pytest.approx(5.0, abs=1e-6)


@pytest.mark.parametrize("given", [None, (block(),), 3.0])
def test_a_path_that_returns_no_posture_is_refused(given) -> None:
    with pytest.raises(InputError, match=r"path: returns a \w+ at 0 .*\(assembly, wrench\)"):
        slip_onset(lambda _: given, 0, 1, step=0.1, tolerance=0.1)
