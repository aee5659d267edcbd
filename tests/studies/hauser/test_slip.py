from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.devices import TwoFingerDimensions
from holdfast.statics import OnsetStatus
from studies.hauser.slip import (
    EVENTS,
    Failure,
    SlipEvent,
    SlipRow,
    SlipScatter,
    caught_on_edge,
    draw_truth,
    failures,
    fall_angle,
    onset,
    slip_statistics,
    slip_study,
    without,
)

pytestmark = pytest.mark.nightly

EVENT = SlipEvent("MD", "MD", 0.150, 0.0)


def strengths(device: hf.devices.Device) -> np.ndarray:
    """The factor on the forces of each unit."""
    nominal = EVENT.device().patches[0].contacts[0].volume.size
    return np.array([patch.contacts[0].volume.size / nominal for patch in device.patches])


def test_a_truth_is_drawn_within_its_scatter_and_again_by_its_seed() -> None:
    device, scatter = EVENT.device(), SlipScatter()
    truths = [draw_truth(device, scatter, np.random.default_rng([seed, 3])) for seed in range(60)]
    factors = np.array([strengths(truth) for truth in truths])
    masses = np.array([truth.object.mass for truth in truths]) - device.object.mass
    coms = np.array([truth.object.com for truth in truths]) - device.object.com
    assert 0.4 - 1e-9 <= factors.min() < 0.6 and factors.max() <= 1.6 + 1e-9
    assert factors.std() == pytest.approx(0.3, abs=0.04)
    assert np.abs(masses).max() <= 0.001 + 1e-15 and np.abs(coms).max() <= 0.005 + 1e-15
    again = draw_truth(device, scatter, np.random.default_rng([7, 3]))
    np.testing.assert_array_equal(strengths(again), factors[7])
    np.testing.assert_array_equal(again.object.com, truths[7].object.com)


def test_sources_of_scatter_use_the_same_draws() -> None:
    device = EVENT.device()
    full, strength, com = (
        draw_truth(device, scatter, np.random.default_rng(1))
        for scatter in (SlipScatter(), SlipScatter(mass=0.0, com=0.0), SlipScatter(strength=0.0, mass=0.0))
    )
    np.testing.assert_array_equal(strengths(strength), strengths(full))
    np.testing.assert_array_equal(strength.object.com, device.object.com)
    np.testing.assert_array_equal(com.object.com, full.object.com)
    np.testing.assert_array_equal(strengths(com), np.ones(4))
    assert com.object.mass == device.object.mass


@pytest.mark.parametrize(("friction", "degrees"), [(0.007, 6.4), (0.010, 9.2), (0.013, 12.0)])
def test_joint_friction_shifts_the_onset(friction: float, degrees: float) -> None:
    size = TwoFingerDimensions(radius=0.10, joint_friction=friction)
    gripper = hf.devices.two_finger_gripper("MD", "MD", corners="independent", dimensions=size)
    assert np.degrees(onset(gripper, (1, 0, 0)).value) == pytest.approx(degrees, abs=0.2)


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


def test_the_same_seed_gives_the_same_study_and_another_does_not() -> None:
    first, again, other = (slip_study(seed, events=1, step=STEP, tolerance=TOLERANCE) for seed in (1, 1, 2))
    assert first.rows[0].true.bracket == again.rows[0].true.bracket
    assert first.rows[0].true.bracket != other.rows[0].true.bracket


def test_without_scatter_the_prediction_is_right() -> None:
    study = slip_study(4, events=2, scatter=SlipScatter(0.0, 0.0, 0.0), step=STEP, tolerance=TOLERANCE)
    assert np.allclose(study.errors, 0.0)
    assert study.count == 2


def test_events_that_never_slip_or_fall_at_once_are_counted_honestly() -> None:
    def found(left: str, right: str):
        event = SlipEvent(left, right, 0.15, 0.0)
        return onset(event.device(), event.towards, step=0.5, tolerance=0.01)

    never, at_once, slips = found("PMD", "PMD"), found("D", "D"), found("MD", "MD")
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
