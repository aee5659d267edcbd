from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.papers.devices import TwoFingerDimensions
from holdfast.papers.slip import (
    EVENTS,
    Failure,
    SlipEvent,
    SlipRow,
    SlipScatter,
    SlipStatistics,
    angle_text,
    caught_on_edge,
    draw_truth,
    event_table,
    failure_table,
    failures,
    fall_angle,
    nominal,
    slip_statistics,
    slip_study,
    standard_events,
    statistics_table,
    true_onset,
    without,
)
from holdfast.statics.paths import OnsetStatus, rotating_gravity, slip_onset
from holdfast.statics.solver import weakened

EVENT = SlipEvent("MD", "MD", 0.150, 0.0)


def test_a_truth_is_drawn_within_its_scatter_and_again_by_its_seed() -> None:
    device, scatter = EVENT.device(), SlipScatter()
    truths = [draw_truth(device, scatter, np.random.default_rng([seed, 3])) for seed in range(300)]
    strengths = np.array([truth.strengths for truth in truths])
    masses = np.array([truth.device.object.mass for truth in truths]) - device.object.mass
    coms = np.array([truth.device.object.com for truth in truths]) - device.object.com
    assert 0.4 <= strengths.min() < 0.6
    assert strengths.max() <= 1.6
    assert strengths.std() == pytest.approx(0.3, abs=0.03)
    assert strengths.mean() == pytest.approx(1.0, abs=0.03)
    assert 0.0009 < np.abs(masses).max() <= 0.001 + 1e-15
    assert 0.0045 < np.abs(coms).max() <= 0.005 + 1e-15
    again = draw_truth(device, scatter, np.random.default_rng([7, 3]))
    assert np.array_equal(again.strengths, truths[7].strengths)
    assert np.array_equal(again.device.object.com, truths[7].device.object.com)


def test_sources_of_scatter_can_be_told_apart_with_the_same_draws() -> None:
    device = EVENT.device()
    full, strength, com = (
        draw_truth(device, scatter, np.random.default_rng(1))
        for scatter in (SlipScatter(), SlipScatter(mass=0.0, com=0.0), SlipScatter(strength=0.0, mass=0.0))
    )
    assert np.array_equal(strength.strengths, full.strengths)
    assert np.array_equal(strength.device.object.com, device.object.com)
    assert np.array_equal(com.device.object.com, full.device.object.com)
    assert np.array_equal(com.strengths, np.ones(4))
    assert com.device.object.mass == device.object.mass


def test_the_true_onset_is_that_of_really_weaker_units() -> None:
    truth = draw_truth(EVENT.device(), SlipScatter(), np.random.default_rng(2))
    found = true_onset(truth, EVENT.towards, step=0.05, tolerance=1e-4)
    assert found.verify()
    path, made = rotating_gravity(truth.device, towards=EVENT.towards), {}

    def weak(angle: float) -> tuple[hf.Assembly, np.ndarray]:
        assembly, wrench = path(angle)
        return weakened(assembly, truth.scales, made), wrench

    other = slip_onset(weak, 0.0, 0.5, step=0.05, tolerance=1e-4)
    assert found.value == pytest.approx(other.value, abs=2e-4)


def test_a_nominal_truth_is_the_model() -> None:
    found = true_onset(nominal(EVENT.device()), EVENT.towards, step=0.05, tolerance=1e-4)
    model = slip_onset(rotating_gravity(EVENT.device(), towards=EVENT.towards), 0.0, 0.5, step=0.05, tolerance=1e-4)
    assert found.value == pytest.approx(model.value, abs=2e-4)


def test_without_a_patch_the_device_is_that_of_the_smaller_condition() -> None:
    for full, name, rest in (("PMD", "left P", "MD"), ("MD", "left M", "D"), ("PMD", "left M", "PD")):
        lifted = without(hf.devices.two_finger_gripper(full, "MD"), name)
        wanted = hf.devices.two_finger_gripper(rest, "MD")
        assert [patch.name for patch in lifted.patches] == [patch.name for patch in wanted.patches]
        assert np.allclose(lifted.jacobian, wanted.jacobian)


def test_the_edge_pushes_the_object_up_along_its_surface() -> None:
    size = TwoFingerDimensions()
    device = caught_on_edge(hf.devices.two_finger_gripper("MD", "MD"), size)
    edge = device.contacts[-1]
    assert edge.name == "left edge[0]"
    assert device.jacobian.shape == (6, 3 * 17)
    unit = next(patch for patch in device.patches if patch.name == "left D").contacts[0]
    assert np.allclose(edge.rotation[:, 2], unit.rotation[:, 0])  # its normal is the unit's shear direction
    assert np.allclose(np.linalg.det(edge.rotation), 1.0)
    assert edge.rotation[2, 2] > 0  # up
    # Virtual work on the left fingers alone: torque about each joint is force times lever.
    rows = device.jacobian[:, -3:]
    assert np.allclose(rows[3:], 0.0)
    joints = np.array([link.points[0] for link in device.links if link.name.startswith("left")])
    levers = edge.position - joints
    for force in np.eye(3):
        moments = np.cross(levers, force)[:, 1]
        assert np.allclose(np.abs(rows[:3] @ force), np.abs(moments), atol=1e-12)


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


def test_angles_are_degrees_or_words() -> None:
    assert [angle_text(a) for a in (np.pi / 4, np.inf, -np.inf, np.nan)] == ["45.0", "never", "-never", "-"]


def test_events_and_failures_have_a_line_each() -> None:
    study = slip_study(0, events=1, step=0.1, tolerance=0.002)
    shown = event_table(study)
    row = study.rows[0]
    assert shown.rows[0][:4] == ("1", "MD-MD", "100", "0")
    assert float(shown.rows[0][6]) == round(float(np.degrees(row.error)), 1)
    assert "1 of 1 onsets within 10 degrees (seed 0)" in shown.note
    failed = failure_table([Failure("x", row.event, "nothing", row.predicted, row.true, row.predicted)])
    assert failed.rows[0][3] == failed.rows[0][5] == shown.rows[0][4]


def test_statistics_count_seeds_and_leave_out_what_never_slips() -> None:
    errors = np.radians([[1.0, -3.0], [12.0, np.inf], [2.0, 2.0]])
    counts = np.array([2, 0, 2])
    shown = statistics_table([SlipStatistics("all", counts, errors)])
    name, mean, least, most, share, median, _, largest, never = shown.rows[0]
    assert (name, mean, least, most, share) == ("all", "1.33 of 2", "0", "2", "67 %")
    assert (median, largest, never) == ("2.00", "12.00", "1 of 6")
