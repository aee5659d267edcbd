from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.solvers import ContactProblem, Solution, Status
from holdfast.statics.solver import weakened
from holdfast.statics.strength import FactorStatus, bears_less_shear, friction_factor, strength_factor
from tests.statics.moving.scenes import UP, block, box, plates, pyramid, tilted


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
        assert hf.equilibrium(weak.assembly(gravity), weight, method=hf.Reference()).holds is holds


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
            return super().test(problem) if self.asked == 1 else hf.Reference().test(problem)

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
        assert hf.equilibrium(weak, weight, method=hf.Reference()).holds is holds


def test_bad_questions_are_refused() -> None:
    with pytest.raises(InputError, match="Assembly"):
        strength_factor("block", np.zeros(6))  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="tolerance"):
        strength_factor(block(), tilted(0.1), tolerance=1e-15)
    with pytest.raises(InputError, match="no contact"):
        friction_factor(block(), tilted(0.1), contacts=[9])
