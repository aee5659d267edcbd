from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.solvers import ContactProblem, Solution, Status
from holdfast.statics.solver import weakened
from holdfast.statics.strength import (
    FactorStatus,
    RampStatus,
    bears_less_shear,
    build_ramp,
    friction_factor,
    largest_on_ramp,
    load_ramp,
    strength_factor,
)
from tests.statics.moving_scenes import UP, block, box, plates, pyramid, tilted


@pytest.mark.parametrize("angle", [0.05, 0.3, 0.7, 1.2])
def test_a_block_on_an_incline_needs_the_tangent_of_its_angle(angle: float) -> None:
    found = friction_factor(block(0.5), tilted(angle))
    assert found.status is FactorStatus.FOUND
    assert found.is_monotone
    assert 0.5 * found.value == pytest.approx(np.tan(angle), rel=2e-6)
    assert 0.5 * found.bracket[0] <= np.tan(angle) <= 0.5 * found.bracket[1]
    assert found.verify()


def test_a_ladder_against_a_smooth_wall_needs_half_the_cotangent() -> None:
    """Weight in the middle, floor friction only: mu_min = 1/(2 tan(angle))."""
    angle, length = np.radians(65.0), 4.0
    foot, top = np.zeros(3), length * np.array([np.cos(angle), 0.0, np.sin(angle)])
    smooth = hf.ForceVolume([[(0, 0, 0), (0, 0, 1e3)]], allow_flat=True)
    wall = np.column_stack([(0, 0, 1), (0, 1, 0), (-1, 0, 0)])
    ladder = hf.Assembly([hf.Contact(foot, UP, pyramid(0.4), "foot"), hf.Contact(top, wall, smooth, "top")])
    weight = hf.loads.gravity_wrench(10.0, (0, 0, -10.0), top / 2.0)
    found = friction_factor(ladder, weight)
    assert 0.4 * found.value == pytest.approx(0.5 / np.tan(angle), rel=2e-6)
    assert found.verify()


def test_two_fingers_need_friction_of_half_the_weight_over_the_squeeze() -> None:
    """A joint row fixes the squeeze to 20 N; two contacts carry 6 N between them: mu_min = 6/(2 * 20)."""
    left = np.column_stack([(0, 0, 1), (0, -1, 0), (1, 0, 0)])
    right = np.column_stack([(0, 0, 1), (0, 1, 0), (-1, 0, 0)])
    contacts = [hf.Contact((-0.03, 0, 0), left, pyramid(0.4), "left"), hf.Contact((0.03, 0, 0), right, pyramid(0.4))]
    squeeze = hf.JointRows(np.array([[1.0, 0, 0, 0, 0, 0]]), np.array([20.0]), np.array([20.0]))
    hand = hf.Assembly(contacts, squeeze)
    weight = (0, 0, -6.0, 0, 0, 0)
    found = friction_factor(hand, weight)
    assert 0.4 * found.value == pytest.approx(6.0 / 40.0, rel=2e-6)
    assert found.verify()
    # Without torque at the points each finger carries half, so that either alone needs as much.
    one = friction_factor(hand, weight, contacts=["left"])
    assert one.value == pytest.approx(found.value, rel=2e-6)
    assert one.verify()


def test_the_strength_factor_is_one_over_the_load_limit_without_joint_rows() -> None:
    rng = np.random.default_rng(5)
    grip = hf.Assembly(hf.devices.two_finger_gripper("MD", "MD").contacts)
    for _ in range(3):
        wrench = grip.wrench_matrix @ rng.standard_normal(48)
        found = strength_factor(grip, wrench)
        assert found.value == pytest.approx(1.0 / hf.load_limit(grip, wrench).value, rel=3e-6)
        assert found.reserve == pytest.approx(1.0 / found.value)
        assert found.is_monotone
        assert found.verify()


def test_with_joint_rows_the_strength_factor_is_checked_by_really_weaker_volumes() -> None:
    device = hf.devices.two_finger_gripper("MD", "MD")
    gravity = (0, 0, -9.8)
    assembly, weight = device.assembly(gravity), device.weight(gravity)
    found = strength_factor(assembly, weight, tolerance=1e-4)
    assert found.verify()
    assert abs(found.value * hf.load_limit(assembly, weight).value - 1.0) > 0.1  # joints do not grow weaker
    for factor, holds in zip(found.bracket, (False, True), strict=True):
        unit = hf.models.microspine().scaled(factor)
        weak = hf.devices.two_finger_gripper("MD", "MD", unit=unit)
        assert hf.equilibrium(weak.assembly(gravity), weight, method=hf.solvers.Reference()).holds is holds


def test_a_load_that_fails_says_how_much_strength_is_missing() -> None:
    feet = plates(box(half=1.0, top=5.0))
    found = strength_factor(feet, (0, 0, -50.0, 0, 0, 0))
    assert found.value == pytest.approx(2.5, rel=2e-6)
    assert found.reserve == pytest.approx(0.4, rel=2e-6)
    assert found.verify()


def test_which_contact_matters_is_told_by_weakening_one_alone() -> None:
    press = hf.ForceVolume([[(0, 0, 0), (0, 0, 10.0)]], allow_flat=True)
    feet = hf.Assembly([hf.Contact(x, UP, press, f"foot{i}") for i, x in enumerate([(0, 0, 0), (1, 0, 0), (0, 1, 0)])])
    load = hf.loads.gravity_wrench(0.8, (0, 0, -10.0), (0.25, 0.25, 0))  # 4, 2 and 2 N
    factors = [strength_factor(feet, load, contacts=[i]).value for i in range(3)]
    assert factors == pytest.approx([0.4, 0.2, 0.2], rel=2e-6)
    assert strength_factor(feet, load).value == pytest.approx(0.4, rel=2e-6)


def test_what_every_factor_or_none_holds_is_said() -> None:
    flat = friction_factor(block(0.5), tilted(0.0))
    assert (flat.status, flat.value, flat.reserve) == (FactorStatus.ANY, 0.0, np.inf)
    assert flat.verify()
    pulled = strength_factor(block(0.5), (0, 0, 1.0, 0, 0, 0))
    assert (pulled.status, pulled.value) == (FactorStatus.NONE, np.inf)
    assert pulled.verify()


class Tired:
    """A method that leaves everything open."""

    def test(self, problem: ContactProblem) -> Solution:
        return Solution(Status.UNDECIDED, -np.inf, np.inf)

    maximise = test


def test_undecided_is_undecided() -> None:
    found = strength_factor(block(), tilted(0.1), method=Tired())
    assert found.status is FactorStatus.UNDECIDED
    assert np.isnan(found.value)
    assert (found.held, found.failed) == (None, None)
    assert not found.verify()


def test_what_is_open_at_one_is_not_called_found() -> None:
    """Open at 1, held from 4 on: nothing is known to fail, so that no smallest factor is known either."""

    class OpenAtFirst(Tired):
        asked = 0

        def test(self, problem: ContactProblem) -> Solution:
            self.asked += 1
            return super().test(problem) if self.asked == 1 else hf.solvers.Reference().test(problem)

    found = strength_factor(plates(box()), (0, 0, -8.0, 0, 0, 0), method=OpenAtFirst())
    assert found.status is FactorStatus.UNDECIDED
    assert found.held is not None
    assert not found.verify()


def test_more_shear_is_better_for_friction_and_not_for_adhesion() -> None:
    assert bears_less_shear(pyramid(0.5))
    assert bears_less_shear(hf.models.coulomb(0.4, cap=10.0))
    assert bears_less_shear(box())
    assert not bears_less_shear(hf.models.microspine())  # its pull needs shear
    assert not bears_less_shear(
        hf.ForceVolume([np.zeros((1, 3))], [np.array([[1, 0.1, 1.0], [1, -0.1, 1], [2, 0, 1]])])
    )


def test_stretched_shear_of_a_gripper_is_sought_by_steps_and_verified() -> None:
    device = hf.devices.two_finger_gripper("MD", "MD")
    gravity = (0, 0, -9.8)
    assembly, weight = device.assembly(gravity), device.weight(gravity)
    found = friction_factor(assembly, weight, tolerance=1e-3)
    assert not found.is_monotone
    assert found.status is FactorStatus.FOUND
    assert found.verify()
    for factor, holds in zip(found.bracket, (False, True), strict=True):
        weak = weakened(assembly, np.tile([factor, factor, 1.0], (len(assembly), 1)))
        assert hf.equilibrium(weak, weight, method=hf.solvers.Reference()).holds is holds


def test_bad_questions_are_refused() -> None:
    with pytest.raises(InputError, match="Assembly"):
        strength_factor("block", np.zeros(6))  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="tolerance"):
        strength_factor(block(), tilted(0.1), tolerance=1e-15)
    with pytest.raises(InputError, match="no contact"):
        friction_factor(block(), tilted(0.1), contacts=[9])


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
    assert none.verify()
    throughout = load_ramp(block(0.5), (0, 0, -1, 0, 0, 0), (0, 0, -1, 0, 0, 0), stop=3.0)
    assert (throughout.status, throughout.value) == (RampStatus.HOLDS_THROUGHOUT, 3.0) and throughout.verify()
    limited = hf.load_limit(block(0.5), (1, 0, 0, 0, 0, 0))
    assert not replace(none, endless=limited).verify()


def test_weights_of_many_bodies_on_cones_grow_without_limit_on_top_of_the_others() -> None:
    """A box of the pallet may be as heavy as you like: its weight alone has no limit, and the others are held."""
    scene = hf.load("@pallet")
    one = scene.gravity_load(bodies=["box 18"])
    found = load_ramp(scene.assembly, scene.gravity_load() - one, one)
    assert found.status is RampStatus.UNBOUNDED and found.value == np.inf and found.verify()
    assert hf.equilibrium(scene.assembly, scene.gravity_load() + 1e4 * one).holds


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
    assert found.holds_again
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
    assert not far.holds_again
    near = load_ramp(assembly, base, aside, stop=0.5 * far.value, step=0.1 * far.value)
    assert (near.status, near.value) == (RampStatus.HOLDS_THROUGHOUT, 0.5 * far.value)
    assert near.verify()
    for s, status in ((far.value, Status.HOLDS), (far.upper_bound, Status.DOES_NOT_HOLD)):
        assert hf.equilibrium(assembly, base + s * np.array(aside), method=hf.solvers.Reference()).status is status


def test_the_base_load_is_one_more_contact_that_must_push() -> None:
    assembly = plates(box())
    problem = build_ramp(assembly, (0, 0, -8, 0, 0, 0), (1, 0, 0, 0, 0, 0))
    assert (problem.contacts, problem.rows) == (5, 7)
    assert problem.lower[6] == problem.upper[6] == 8.0
    assert hf.solvers.Reference().maximise(problem).factor == pytest.approx(4.0)


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


def test_a_ramp_says_where_the_round_cone_is_lost() -> None:
    """Feet that press with 40 N in all and are pushed midway between two edges of their pyramids."""
    feet = plates(hf.models.coulomb(0.5, facets=8))
    push = np.array([np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0, 0, 0])
    found = load_ramp(feet, [0, 0, -40.0, 0, 0, 0], push)
    assert found.value == pytest.approx(20.0 * np.cos(np.pi / 8), rel=1e-6)
    assert found.curved is not None
    assert found.curved[0] <= 20.0 <= found.curved[1] <= found.curved[0] * (1.0 + 2e-4)
    assert found.to_dict()["curved"] == found.curved
    own = hf.ForceVolume([np.zeros((1, 3))], [np.array([[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1], [0, -0.5, 1]])])
    assert load_ramp(plates(own), [0, 0, -40.0, 0, 0, 0], push).curved is None


def test_the_weight_of_a_stone_on_the_ground_may_grow_without_limit_on_top_of_the_others() -> None:
    """The base load does not hold in every multiple; forces along the friction cones carry what is added for ever."""
    scene = hf.load("@arch")
    growing = scene.gravity_load(bodies=["stone 9"])
    base = scene.gravity_load() - growing
    found = hf.load_ramp(scene.assembly, base, growing)
    assert (found.status, found.value) == (RampStatus.UNBOUNDED, np.inf)
    for factor in (0.0, 1.0, 1e2, 1e4):
        held = hf.equilibrium(scene.assembly, base + factor * growing)
        assert held.holds and held.verify()
    light = scene.gravity_load(bodies=["stone 5"])
    limited = hf.load_ramp(scene.assembly, scene.gravity_load() - light, light)
    assert limited.status is RampStatus.FOUND and limited.verify()
