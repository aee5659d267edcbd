from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.assembly import JointRows
from holdfast.errors import InputError
from holdfast.statics.paths import turning
from holdfast.statics.solver import KEPT_VOLUMES, Anchor, Warm, weakened
from tests.referee import random_rotation, random_volume
from tests.statics.moving.scenes import block, tilted


@pytest.mark.parametrize(("left", "right"), [("MD", "PMD"), ("MD", "MD")])
def test_answers_round_the_circle_are_those_of_cold_questions_and_verify(left: str, right: str) -> None:
    device = hf.devices.two_finger_gripper(left, right)
    warm, path = Warm(), turning(device, towards=(-1, 0.3, 0))
    for angle in np.linspace(0.0, np.pi, 13):
        assembly, wrench = path(angle)
        answer = warm.equilibrium(assembly, wrench)
        assert answer.assembly is assembly
        assert answer.status is hf.equilibrium(assembly, wrench).status
        assert answer.verify()
        assert not answer.effort.referee


def test_scaled_contacts_are_the_weakened_assembly() -> None:
    device = hf.devices.two_finger_gripper("MD", "PMD")
    scales = np.repeat(np.random.default_rng(3).uniform(0.1, 1.5, 5), 4)[:, None] * np.ones(3)
    warm, path, made = Warm(), turning(device, towards=(-1, 0, 0)), {}
    statuses = set()
    for angle in np.linspace(0.0, 1.5, 7):
        assembly, wrench = path(angle)
        answer = warm.equilibrium(assembly, wrench, scales)
        assert answer.status is hf.equilibrium(weakened(assembly, scales, made), wrench).status
        assert answer.verify()  # forces in the weakened volumes, or multipliers against their supports
        statuses.add(answer.status)
    assert len(statuses) == 2


def test_an_anchor_turns_bounds_that_moved_into_a_load() -> None:
    device = hf.devices.two_finger_gripper("D", "MD")
    first, second = (device.assembly(gravity) for gravity in ((0, 0, -9.8), (9.8, 0, 0)))
    anchor = Anchor.of(first, None)
    assert anchor.layout.bounds_hold_zero
    problem = anchor.problem(second, device.weight((9.8, 0, 0)), None)
    assert problem
    own = second.problem(device.weight((9.8, 0, 0)))
    for side in ("lower", "upper"):  # lower <= J f + load <= upper, whichever way it is written
        assert np.allclose(getattr(problem, side) - problem.load, getattr(own, side) - own.load, atol=1e-12)


def test_what_does_not_fit_the_anchor_starts_anew() -> None:
    device = hf.devices.two_finger_gripper("D", "MD")
    assembly = device.assembly()
    rows = assembly.joints
    assert rows
    anchor, wrench = Anchor.of(assembly, None), device.weight((0, 0, -9.8))
    wider = JointRows(rows.jacobian, 2.0 * rows.lower, rows.upper, rows.names)
    one_sided = JointRows(rows.jacobian, np.full(len(rows.lower), -np.inf), rows.upper, rows.names)
    other_way = JointRows(-rows.jacobian, rows.lower, rows.upper, rows.names)
    for joints in (wider, one_sided, other_way, None):
        assert anchor.problem(hf.Assembly(assembly.contacts, joints), wrench, None) is None
    assert anchor.problem(hf.devices.two_finger_gripper("D", "MD").assembly(), wrench, None) is None  # other contacts
    assert anchor.problem(assembly, wrench, np.ones((len(assembly), 3))) is None
    warm = Warm()
    for joints in (rows, wider, one_sided, None):
        answer = warm.equilibrium(hf.Assembly(assembly.contacts, joints), wrench)
        assert answer.status is hf.equilibrium(answer.assembly, wrench).status
        assert answer.verify()


def test_one_sided_bounds_move_too() -> None:
    contacts = block().contacts
    jacobian = np.zeros((1, 12))
    jacobian[0, 2::3] = 1.0  # the sum of the pressing forces
    warm = Warm()
    for least in (5.0, 9.0, 11.0, 3.0):
        joints = JointRows(jacobian, np.array([least]), np.array([np.inf]))
        answer = warm.equilibrium(hf.Assembly(contacts, joints), tilted(0.0))
        assert answer.holds == (least <= 10.0)
        assert answer.verify()


@pytest.mark.parametrize("offset", [False, True])
def test_random_rows_whose_bounds_move_are_answered_as_the_reference_answers(offset: bool) -> None:
    """Unions with and without the zero force, tight and loose joint rows, loads and bounds that wander."""
    statuses = set()
    for seed in range(6):
        rng = np.random.default_rng(seed)
        volume = random_volume(rng, 2, rays=seed % 2 == 1, offset=offset)
        frames = [random_rotation(rng) for _ in range(4)]
        contacts = [hf.Contact(rng.normal(size=3), frame, volume) for frame in frames]
        jacobian, width = rng.normal(size=(2, 12)), volume.size * rng.uniform(0.1, 3.0, 2)
        warm, wrench = Warm(), hf.Assembly(contacts).wrench_matrix @ rng.normal(size=12) * 0.2 * volume.size
        for _ in range(4):
            wrench = wrench + 0.1 * volume.size * rng.normal(size=6)
            shift = volume.size * rng.normal(size=2)
            assembly = hf.Assembly(contacts, JointRows(jacobian, shift - width, shift + width))
            answer = warm.equilibrium(assembly, wrench)
            assert answer.status is hf.equilibrium(assembly, wrench, method=hf.Reference()).status
            assert answer.verify()
            statuses.add(answer.status)
    assert len(statuses) == 2


def test_other_methods_answer_too() -> None:
    warm = Warm(hf.Reference())
    for angle in (0.1, 0.6):
        assert warm.equilibrium(block(), tilted(angle)).holds == (np.tan(angle) <= 0.5)
    scales = np.tile([0.1, 0.1, 1.0], (4, 1))
    answer = warm.equilibrium(block(), tilted(0.1), scales)
    assert not answer.holds
    assert answer.verify()
    assert warm.load_limit(block(), (0, 0, -1, 0, 0, 0)).value == np.inf


def test_limits_are_those_of_cold_questions() -> None:
    device = hf.devices.two_opposed_units()
    warm = Warm()
    for angle in (0.0, 0.5, 1.0):
        assembly, wrench = turning(device)(angle)
        assert warm.load_limit(assembly, wrench).value == pytest.approx(hf.load_limit(assembly, wrench).value, rel=2e-6)


def test_what_is_no_assembly_is_refused() -> None:
    with pytest.raises(InputError, match="Assembly"):
        Warm().equilibrium("block", np.zeros(6))  # pyright: ignore[reportArgumentType]


def test_limits_of_scaled_contacts_are_those_of_the_weakened_assembly_and_verify() -> None:
    device = hf.devices.two_finger_gripper("MD", "PMD")
    warm, made = Warm(), {}
    values = set()
    for friction, strength, angle in ((0.5, 1.0, 0.0), (0.5, 1.0, 0.4), (1.4, 1.0, 0.4), (0.8, 0.6, 1.2)):
        assembly, wrench = turning(device, towards=(-1, 0, 0))(angle)
        scales = np.tile([friction, friction, strength], (len(assembly), 1))
        limit = warm.load_limit(assembly, wrench, scales)
        cold = hf.load_limit(weakened(assembly, scales, made), wrench)
        assert limit.value == pytest.approx(cold.value, rel=1e-6, abs=1e-9)
        assert limit.verify()  # forces in the weakened volumes, and multipliers against their supports
        assert warm.equilibrium(assembly, wrench, scales).assembly is limit.assembly
        values.add(round(limit.value, 6))
    assert len(values) == 4
    with pytest.raises(InputError, match="zero wrench"):
        warm.load_limit(assembly, np.zeros(6), scales)


def test_limits_of_scaled_contacts_agree_between_methods() -> None:
    assembly = block()
    scales = np.tile([0.5, 0.5, 1.0], (len(assembly), 1))
    push = np.array([1.0, 0.2, -1.0, 0.0, 0.0, 0.0])
    by_lp = Warm(hf.Reference()).load_limit(assembly, push, scales)
    assert Warm().load_limit(assembly, push, scales).value == pytest.approx(by_lp.value, rel=1e-6)


def test_what_is_kept_does_not_grow_with_the_number_of_scales() -> None:
    assembly, gone = block(), []
    warm, load = Warm(), np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    for shear in np.linspace(0.5, 0.9, 3 * KEPT_VOLUMES):
        answer = warm.equilibrium(assembly, load, np.tile([shear, shear, 1.0], (len(assembly), 1)))
        gone += [weakref.ref(contact.volume) for contact in answer.assembly.contacts[:1]]
    del answer
    gc.collect()
    alive = [ref for ref in gone if ref() is not None]
    assert len(alive) == KEPT_VOLUMES + 1
    assert alive == gone[-len(alive) :]  # the last ones
