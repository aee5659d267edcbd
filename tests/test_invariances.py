"""What must not change an answer, and what may change it one way only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from tests.referee import Case, random_case

#: Limits found to the default gap on both sides of a comparison.
AGREE = 2.1e-6

SEEDS = st.integers(0, 3000)

#: Fewer examples than elsewhere: each asks several questions.
MODEST = settings(max_examples=settings.default.max_examples * 2 // 5)


def with_zero(seed: int) -> Case:
    """A random case whose pieces all contain the zero force; joints as they come."""
    return random_case(seed - seed % 4 + seed % 2, most_choices=32)


def star_shaped(seed: int) -> Case:
    """A random case in which no load at all is surely held: joint limits hold zero, too."""
    case = with_zero(seed)
    joints = case.assembly.joints
    if joints is None:
        return case
    rows = hf.JointRows(joints.jacobian, np.minimum(joints.lower, 0.0), np.maximum(joints.upper, 0.0))
    return Case(case.seed, hf.Assembly(case.assembly.contacts, rows), case.direction)


def limit(assembly: hf.Assembly, direction: np.ndarray) -> float:
    """The load limit, proven."""
    answer = hf.load_limit(assembly, direction)
    assert answer.verify(), answer
    return answer.value


def floor(case: Case) -> float:
    """Load factors this near to zero are zero."""
    strongest = max(float(np.abs(p).max()) for c in case.assembly.contacts for p in c.volume.pieces)
    return 1e-8 * strongest / float(np.abs(case.direction).max())


def assert_no_less(case: Case, more: float) -> None:
    """What was added or widened takes nothing away."""
    before = limit(case.assembly, case.direction)
    assert more >= before - AGREE * abs(before) - floor(case) if np.isfinite(before) else more >= before


def with_joints(assembly: hf.Assembly, contacts: list[hf.Contact], order: list[int]) -> hf.Assembly:
    """`contacts` with the joint columns of the assembly's contacts in this order; -1 for a contact on no joint."""
    if assembly.joints is None:
        return hf.Assembly(contacts)
    blocks = assembly.joints.jacobian.reshape(-1, len(assembly), 3)
    nothing = np.zeros_like(blocks[:, 0])
    jacobian = np.concatenate([nothing if i < 0 else blocks[:, i] for i in order], axis=1)
    return hf.Assembly(contacts, hf.JointRows(jacobian, assembly.joints.lower, assembly.joints.upper))


# -- what changes nothing ---------------------------------------------------------------------------


@MODEST
@given(SEEDS, st.floats(0.02, 10.0))
def test_the_characteristic_length_changes_nothing(seed: int, length: float) -> None:
    """Torques scaled into forces by anything from 2 cm to 10 m, for grasps of about 10 cm."""
    case = with_zero(seed)
    expected = limit(case.assembly, case.direction)
    problem = case.assembly.build(case.direction, length=length)
    found = hf.solvers.Exact().maximise(problem)
    assert found.status in ("optimal", "does not hold", "unbounded")
    value = np.inf if found.status == "unbounded" else found.factor
    assert value == pytest.approx(expected, rel=AGREE, abs=floor(case))
    if np.isfinite(expected) and expected > 1e-3:
        for factor in (1 - 1e-5, 1 + 1e-5):
            tested = hf.solvers.Exact().test(case.assembly.build(factor * expected * case.direction, length=length))
            if factor > 1.0:
                assert tested.status == "does not hold"
            elif problem.is_star_shaped:
                assert tested.status == "holds"


@MODEST
@given(SEEDS, st.integers(2, 3))
def test_every_contact_several_times_holds_at_least_as_many_times_as_much(seed: int, times: int) -> None:
    """Without joints; for convex volumes exactly as many times, and no more than the hull's limit for any."""
    case = with_zero(2 * seed)
    assembly = hf.Assembly(case.assembly.contacts)
    several = hf.load_limit(hf.Assembly(list(assembly.contacts) * times), case.direction)
    assert several.verify()
    once = limit(assembly, case.direction)
    slack = times * floor(case)
    assert several.value >= times * once * (1 - AGREE) - slack
    hull = hf.load_limit(assembly, case.direction, method=hf.solvers.Hull()).upper_bound
    assert several.value <= times * hull * (1 + AGREE) + slack


# -- what changes an answer one way only ------------------------------------------------------------


@MODEST
@given(SEEDS, SEEDS)
def test_one_more_contact_takes_nothing_away(seed: int, other: int) -> None:
    case, more = with_zero(seed), with_zero(other).assembly.contacts[0]
    contacts = [*case.assembly.contacts, more]
    order = [*range(len(case.assembly)), -1]
    assert_no_less(case, limit(with_joints(case.assembly, contacts, order), case.direction))


@MODEST
@given(SEEDS, SEEDS, st.floats(1.0, 3.0))
def test_a_wider_volume_takes_nothing_away(seed: int, other: int, factor: float) -> None:
    """Every force made possible that was up to `factor` times smaller, or one more piece."""
    case, extra = with_zero(seed), with_zero(other).assembly.contacts[0].volume
    for change in (lambda volume: volume.scaled(factor), lambda volume: volume.union(extra)):
        wider = {id(c.volume): change(c.volume) for c in case.assembly.contacts[:1]}
        contacts = [
            hf.Contact(c.position, c.rotation, wider.get(id(c.volume), c.volume)) for c in case.assembly.contacts
        ]
        assert_no_less(case, limit(hf.Assembly(contacts, case.assembly.joints), case.direction))


@MODEST
@given(SEEDS, st.floats(0.0, 2.0), st.floats(0.0, 2.0), st.booleans())
def test_wider_joint_limits_take_nothing_away(seed: int, below: float, above: float, gone: bool) -> None:
    case = with_zero(seed | 1)  # odd ones have joints
    joints = case.assembly.joints
    assert joints is not None
    lower, upper = joints.lower - below, joints.upper + above
    if gone:
        lower[0] = -np.inf
    wider = hf.Assembly(case.assembly.contacts, hf.JointRows(joints.jacobian, lower, upper))
    assert_no_less(case, limit(wider, case.direction))
    assert_no_less(case, limit(hf.Assembly(case.assembly.contacts), case.direction))


@MODEST
@given(SEEDS, st.floats(0.0, 1.0), st.floats(0.0, 1.2))
def test_a_smaller_share_of_what_is_held_is_held(seed: int, share: float, load: float) -> None:
    """For star-shaped volumes and joints without gravity: a smaller load needs only smaller forces."""
    case = star_shaped(seed)
    largest = limit(case.assembly, case.direction)
    wrench = load * (largest if 0.0 < largest < np.inf else 1.0) * case.direction
    whole = hf.equilibrium(case.assembly, wrench)
    assert whole.verify()
    part = hf.equilibrium(case.assembly, share * wrench)
    assert part.verify()
    assert part.holds or not whole.holds
    assert hf.equilibrium(case.assembly, np.zeros(6)).holds


@MODEST
@given(SEEDS, st.floats(0.0, 2.0))
def test_a_test_and_a_limit_say_the_same(seed: int, load: float) -> None:
    case = star_shaped(seed)
    answer = hf.load_limit(case.assembly, case.direction)
    if answer.status == "unbounded":
        assert hf.equilibrium(case.assembly, 10.0**load * case.direction).holds
    elif answer.value > 1e-3 and abs(load - 1.0) > 1e-5:
        assert hf.equilibrium(case.assembly, load * answer.value * case.direction).holds is (load < 1.0)
