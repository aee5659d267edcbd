from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.solvers import Status
from holdfast.statics.strength import RampStatus, build_ramp, largest_on_ramp, load_ramp
from tests.statics.moving.scenes import UP, block, box, plates


def test_convex_volumes_give_the_exact_loss_with_a_proof_from_both_sides() -> None:
    found = load_ramp(plates(box(half=1.0, top=5.0)), (0, 0, -8, 0, 0, 0), (1, 0, 0, 0, 0, 0))
    assert found.status is RampStatus.FOUND
    assert found.is_convex
    assert found.onset is None
    assert found.value == pytest.approx(4.0, rel=1e-9)
    assert 4.0 <= found.upper_bound <= 4.0 * (1.0 + 2e-6)
    assert found.largest.forces is not None
    assert np.allclose(found.largest.forces.sum(axis=0), [-4, 0, 8])
    assert found.verify()
    assert not replace(found, largest=replace(found.largest, base=np.ones(6))).verify()
    claimed = replace(found.largest, solution=replace(found.largest.solution, bound=3.9))
    assert not claimed.verify()


def test_a_base_load_uses_up_strength_and_may_help() -> None:
    """Pushing down first lets a Coulomb block take more from the side: mu times the weight."""
    for weight in (1.0, 10.0):
        found = load_ramp(block(0.5), (0, 0, -weight, 0, 0, 0), (1, 0, 0, 0, 0, 0))
        assert found.value == pytest.approx(0.5 * weight, rel=1e-6)
        assert found.verify()
    none = load_ramp(block(0.5), (0, 0, -1, 0, 0, 0), (0, 0, -1, 0, 0, 0))
    assert (none.status, none.value) == (RampStatus.UNBOUNDED, np.inf)


def test_without_a_base_load_it_is_the_load_limit() -> None:
    device = hf.devices.two_opposed_units()
    limit = largest_on_ramp(device.assembly(), np.zeros(6), hf.devices.PULL)
    assert limit.value == pytest.approx(hf.load_limit(device.assembly(), hf.devices.PULL).value, rel=2e-6)
    assert limit.verify()


def test_a_base_load_that_does_not_hold_is_said() -> None:
    found = load_ramp(plates(box()), (0, 0, 1, 0, 0, 0), (0, 0, -1, 0, 0, 0))
    assert found.status is RampStatus.FAILS_AT_BASE
    assert found.value == -np.inf
    assert found.largest.value == pytest.approx(21.0)  # 1 N up and 21 N down: 4 feet of 5 N
    assert found.verify()
    never = largest_on_ramp(plates(box()), (100, 0, 0, 0, 0, 0), (0, 0, -1, 0, 0, 0))
    assert never.status is Status.DOES_NOT_HOLD
    assert never.verify()


def crossing() -> hf.Assembly:
    """Forces in two thin arms: along x, or along z up to 4 N; one contact, all loads through it."""
    flat = [(-3.0, 0.0, 0.0), (3.0, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, -0.01, 0.01)]
    tall = [(0.0, 0.0, 0.0), (0.01, 0.0, 4.0), (-0.01, 0.0, 4.0), (0.0, 0.01, 4.0), (0.0, 0.0, 4.5)]
    return hf.Assembly([hf.Contact((0, 0, 0), UP, hf.ForceVolume([flat, tall]))])


def test_unions_are_scanned_for_the_first_loss_below_the_largest_that_holds() -> None:
    """From (-2, 0) along (1, -1): force (2 - s, 0, s). It holds at s = 0 and again near s = 2, not in between."""
    assembly, base, increment = crossing(), (-2, 0, 0, 0, 0, 0), (1, 0, -1, 0, 0, 0)
    found = load_ramp(assembly, base, increment)
    assert not found.is_convex
    assert found.status is RampStatus.FOUND
    assert found.onset is not None
    assert found.largest.value == pytest.approx(2.0, abs=0.01)
    assert found.largest.verify()
    assert found.value < 0.1
    assert found.verify()
    inside = hf.equilibrium(assembly, (-1, 0, -1, 0, 0, 0))
    assert inside.status is Status.DOES_NOT_HOLD


def test_a_scan_that_ends_before_the_loss_says_so() -> None:
    device = hf.devices.two_finger_gripper("MD", "MD")
    gravity = (0, 0, -9.8)
    assembly, base = device.assembly(gravity), device.weight(gravity)
    aside = (1, 0, 0, 0, 0, 0)
    far = load_ramp(assembly, base, aside)
    assert far.status is RampStatus.FOUND
    assert far.verify()
    assert far.value == pytest.approx(far.largest.value, rel=1e-5)
    near = load_ramp(assembly, base, aside, stop=0.5 * far.value, step=0.1 * far.value)
    assert (near.status, near.value) == (RampStatus.HOLDS_THROUGHOUT, 0.5 * far.value)
    assert near.verify()
    for s, status in ((far.value, Status.HOLDS), (far.upper_bound, Status.DOES_NOT_HOLD)):
        assert hf.equilibrium(assembly, base + s * np.array(aside), method=hf.Reference()).status is status


def test_the_base_load_is_one_more_contact_that_must_push() -> None:
    assembly = plates(box())
    problem = build_ramp(assembly, (0, 0, -8, 0, 0, 0), (1, 0, 0, 0, 0, 0))
    assert (problem.contacts, problem.rows) == (5, 7)
    assert problem.lower[6] == problem.upper[6] == 8.0
    assert hf.Reference().maximise(problem).factor == pytest.approx(4.0)


def test_bad_ramps_are_refused() -> None:
    two_way = hf.ForceVolume(
        [np.zeros((1, 3)), np.zeros((1, 3))], [np.array([[1, 0, 1.0], [-1, 0, 1], [0, 1, 1], [0, -1, 1]])] * 2
    )
    with pytest.raises(InputError, match="zero wrench"):
        load_ramp(block(), np.ones(6), np.zeros(6))
    with pytest.raises(InputError, match="no limit of the load"):
        load_ramp(plates(two_way), (0, 0, -1, 0, 0, 0), (0, 0, -1, 0, 0, 0))
    found = load_ramp(plates(two_way), (0, 0, -1, 0, 0, 0), (0, 0, -1, 0, 0, 0), stop=3.0)
    assert found.status is RampStatus.HOLDS_THROUGHOUT


def test_a_ramp_of_convex_volumes_stops_where_it_is_told_to() -> None:
    box = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)])
    assembly = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), box)])
    along = np.eye(6)[0]
    short = load_ramp(assembly, np.zeros(6), along, stop=0.25)
    assert short.status is RampStatus.HOLDS_THROUGHOUT and short.value == 0.25
    assert load_ramp(assembly, np.zeros(6), along, stop=4.0).value == pytest.approx(1.0)
    for wrong in ({"stop": -5.0}, {"step": np.nan}):
        with pytest.raises(InputError):
            load_ramp(assembly, np.zeros(6), along, **wrong)
