"""The hull, bracket and reference methods against every choice of pieces tried, on random small assemblies."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.solvers.mixed_integer import solve_milp
from holdfast.solvers.reference import Bracket, Hull
from tests.nightly import nightly_after
from tests.referee import (
    Case,
    assert_forces_hold,
    dented_unit,
    proven_bound,
    pyramid,
    random_case,
    random_rotation,
    refutes,
    verdict,
)

PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])
HULL = Hull()


def hulled(assembly: hf.Assembly) -> hf.Assembly:
    """The same assembly with every volume replaced by one piece: all vertices and all rays together."""
    contacts = [
        hf.Contact(
            c.position,
            c.rotation,
            hf.ForceVolume([np.unique(np.concatenate(c.volume.pieces), axis=0)], [np.concatenate(c.volume.rays)]),
        )
        for c in assembly.contacts
    ]
    return hf.Assembly(contacts, assembly.joints)


@pytest.mark.parametrize("seed", nightly_after(12, range(60)))
def test_the_bound_is_the_limit_of_the_hulls_and_verdicts_are_those_of_the_pieces(seed: int) -> None:
    case = random_case(seed, most_choices=16)
    truth = verdict(case.assembly, case.direction).largest
    relaxed = verdict(hulled(case.assembly), case.direction).largest
    answer = hf.load_limit(case.assembly, case.direction, method=HULL)
    assert answer.upper_bound == pytest.approx(relaxed, rel=1e-6, abs=1e-8)
    if answer.status == "undecided":
        assert answer.forces is None
        assert answer.value == -np.inf
        if answer.upper_bound < np.inf:
            assert proven_bound(answer) <= answer.upper_bound + 1e-8 * max(abs(answer.upper_bound), 1e-3)
        return
    assert answer.verify()
    assert answer.value == pytest.approx(truth, rel=1e-6, abs=1e-8)
    assert (answer.status == "does not hold") == (truth == -np.inf)
    if answer.status == "optimal":
        assert_forces_hold(case.assembly, answer.value * case.direction, answer.forces, answer.pieces)


@pytest.mark.parametrize("seed", nightly_after(12, range(40)))
def test_a_test_is_right_whenever_it_says_yes_or_no(seed: int) -> None:
    case = random_case(seed, most_choices=16)
    expected = verdict(case.assembly, case.direction)
    relaxed = verdict(hulled(case.assembly), case.direction)
    if not 1e-3 < abs(expected.largest) < np.inf:
        return
    for change in (-1e-3, -1e-6, 1e-6, 1e-3):
        factor = expected.largest + change * abs(expected.largest)
        answer = hf.equilibrium(case.assembly, factor * case.direction, method=HULL)
        if answer.status == "holds":
            assert change < 0
            assert_forces_hold(case.assembly, factor * case.direction, answer.forces, answer.pieces)
        elif answer.status == "does not hold":
            assert change > 0 or factor < expected.least
            assert refutes(answer)
        else:
            assert answer.forces is None
            assert answer.solution.factor == -np.inf
            if factor > 0:
                assert answer.solution.bound == pytest.approx(relaxed.largest / factor, rel=1e-6)
    beyond = relaxed.largest + 1e-3 * abs(relaxed.largest)
    if np.isfinite(beyond):
        assert hf.equilibrium(case.assembly, beyond * case.direction, method=HULL).status == "does not hold"


def test_what_only_the_hull_holds_is_undecided_with_its_bound() -> None:
    """One unit that pulls only while it shears: its hull pulls 5 N straight off, the unit itself nothing."""
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit(shear=20, pull=5))])
    for load, status in ((2.0, "undecided"), (5.001, "does not hold")):
        answer = hf.equilibrium(assembly, load * PULL_OFF, method=HULL)
        assert answer.status == status
        assert not answer.holds
        assert answer.solution.bound == pytest.approx(5.0 / load if status == "undecided" else -np.inf)
    limit = hf.load_limit(assembly, PULL_OFF, method=HULL)
    assert limit.status == "undecided"
    assert limit.upper_bound == pytest.approx(5.0)
    assert limit.certificate.verify(limit.problem)


@pytest.mark.parametrize("seed", range(8))
def test_with_one_piece_a_contact_it_is_exact(seed: int) -> None:
    case = random_case(seed, most_choices=1)
    truth = verdict(case.assembly, case.direction).largest
    answer = hf.load_limit(case.assembly, case.direction, method=HULL)
    assert answer.status in ("optimal", "does not hold", "unbounded")
    assert answer.verify()
    assert answer.value == pytest.approx(truth, rel=1e-6, abs=1e-8)


def test_growth_along_rays_of_one_piece_is_unbounded_and_of_mixed_pieces_undecided() -> None:
    cone = hf.ForceVolume([pyramid(0.5, 1.0)], [[[0.5, 0, 1], [-0.5, 0, 1.0]]])
    answer = hf.load_limit(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)]), -PULL_OFF, method=HULL)
    assert answer.status == "unbounded"
    assert answer.verify()
    body = np.array([[0, 0, 0], [0, 0, 3], [1, 1, 1], [-1, 1, 1], [0, -1, 1.0]])
    left, right = [[-1, 0, 1], [-1, 0.2, 1.0]], [[1, 0, 1], [1, 0.2, 1.0]]
    split = hf.ForceVolume([body, body * 0.5], [left, right])
    answer = hf.load_limit(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), split)]), -PULL_OFF, method=HULL)
    assert answer.status == "undecided"
    assert answer.upper_bound == np.inf


def test_it_counts_its_programs_and_refuses_a_gap_that_is_none() -> None:
    case = random_case(4)
    effort = hf.load_limit(case.assembly, case.direction, method=HULL).effort
    assert effort.programs >= effort.nodes == 1
    assert effort.seconds > 0.0
    with pytest.raises(InputError, match="gap"):
        Hull(gap=0.0)


BRACKET = Bracket()


@pytest.mark.parametrize("seed", nightly_after(12, range(60)))
def test_the_truth_lies_between_attained_forces_and_the_proven_bound(seed: int) -> None:
    case = random_case(seed, most_choices=16)
    truth = verdict(case.assembly, case.direction).largest
    answer = hf.load_limit(case.assembly, case.direction, method=BRACKET)
    slack = 1e-6 * max(abs(truth), 1e-3) if np.isfinite(truth) else 0.0
    assert answer.value <= truth + slack
    assert answer.upper_bound >= truth - slack
    if answer.forces is not None:
        assert_forces_hold(case.assembly, answer.value * case.direction, answer.forces, answer.pieces)
    if answer.certificate is not None:
        assert answer.certificate.verify(answer.problem)
        proven = proven_bound(answer)
        assert proven == answer.upper_bound or proven <= answer.upper_bound + 1e-8 * max(abs(proven), 1e-3)
    if answer.status != "undecided":
        assert answer.verify()
        assert answer.value == pytest.approx(truth, rel=2e-6, abs=1e-8)


@pytest.mark.parametrize("seed", nightly_after(12, range(40)))
def test_a_test_decides_what_the_hull_decides_and_more_and_is_right(seed: int) -> None:
    case = random_case(seed, most_choices=16)
    expected = verdict(case.assembly, case.direction)
    if not 1e-3 < abs(expected.largest) < np.inf:
        return
    for change in (-1e-1, -1e-4, 1e-4, 1e-1):
        factor = expected.largest + change * abs(expected.largest)
        answer = hf.equilibrium(case.assembly, factor * case.direction, method=BRACKET)
        by_hull = hf.equilibrium(case.assembly, factor * case.direction, method=Hull())
        if by_hull.status != "undecided":
            assert answer.status == by_hull.status
        if answer.status == "holds":
            assert change < 0
            assert answer.verify()
            assert_forces_hold(case.assembly, factor * case.direction, answer.forces, answer.pieces)
        elif answer.status == "does not hold":
            assert change > 0 or factor < expected.least
            assert refutes(answer)
        else:
            assert answer.forces is None
            assert answer.certificate is None
            if factor > 0:
                assert answer.solution.factor <= expected.largest / factor + 1e-6 <= answer.solution.bound + 2e-6


@pytest.mark.parametrize("units, attained, status", [(1, 0, "undecided"), (2, 10, "optimal"), (5, 20, "undecided")])
def test_opposed_units_are_bracketed_by_pairs_below_and_their_number_above(units, attained, status) -> None:
    """Units pull 5 N each while they shear, half of them each way; the hull does not mind an odd one."""
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit(shear=20, pull=5))] * units)
    answer = hf.load_limit(assembly, PULL_OFF, method=BRACKET)
    assert answer.status == status
    assert answer.value == pytest.approx(attained, abs=1e-9)
    assert answer.upper_bound == pytest.approx(5.0 * units)


def test_it_decides_tests_that_the_hull_leaves_open() -> None:
    cases = [random_case(seed, most_choices=16) for seed in range(40)]
    open_after = {
        method: sum(hf.equilibrium(c.assembly, c.direction, method=method).status == "undecided" for c in cases)
        for method in (Hull(), BRACKET)
    }
    assert open_after[Hull()] >= 5
    assert open_after[BRACKET] == 0


def test_one_unit_that_must_shear_to_pull_is_bracketed_and_never_said_to_hold() -> None:
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit(shear=20, pull=5))])
    answer = hf.equilibrium(assembly, 2 * PULL_OFF, method=BRACKET)
    assert answer.status == "undecided"
    assert answer.solution.factor == pytest.approx(0.0, abs=1e-9)
    assert answer.solution.bound == pytest.approx(2.5)


def test_a_query_of_opposed_microspines_agrees_with_the_reference() -> None:
    assembly = hf.devices.create("2OU").assembly(np.array([0.0, 0.0, -9.81]))
    direction = np.concatenate([np.random.default_rng(0).normal(size=(9, 3))[8], np.zeros(3)])
    truth = hf.load_limit(assembly, direction, method=hf.solvers.Reference())
    assert truth.status == "optimal"
    answer = hf.load_limit(assembly, direction, method=BRACKET)
    assert answer.status == "undecided"
    assert answer.gap < 0.01
    assert answer.value <= truth.value * (1 + 1e-9) <= answer.upper_bound * (1 + 2e-9)
    wide = hf.load_limit(assembly, direction, method=Bracket(gap=0.01))
    assert wide.status == "optimal"
    assert wide.verify()
    assert (wide.value, wide.upper_bound) == (answer.value, answer.upper_bound)
    for factor, status in ((0.99, "holds"), (1.01, "does not hold")):
        answer = hf.equilibrium(assembly, factor * truth.value * direction, method=BRACKET)
        assert answer.status == status
        assert answer.verify()


def test_rays_of_different_pieces_leave_the_limit_open_above() -> None:
    """The hull of the two cones goes on for ever, each of them alone does not."""
    body = np.array([[0, 0, 0], [0, 0, 3], [1, 1, 1], [-1, 1, 1], [0, -1, 1.0]])
    left, right = [[-1, 0, 1], [-1, 0.2, 1.0]], [[1, 0, 1], [1, 0.2, 1.0]]
    split = hf.ForceVolume([body, body * 0.5], [left, right])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), split)])
    answer = hf.load_limit(assembly, -PULL_OFF, method=BRACKET)
    assert answer.status == "undecided"
    assert answer.upper_bound == np.inf
    assert 0.0 < answer.value <= verdict(assembly, -PULL_OFF).largest * (1 + 1e-9)
    assert_forces_hold(assembly, -answer.value * PULL_OFF, answer.forces, answer.pieces)


@pytest.mark.parametrize("seed", range(6))
def test_loads_along_rays_are_unbounded_with_their_growth(seed: int) -> None:
    rng = np.random.default_rng(seed)
    contacts, direction = [], np.zeros(6)
    for _ in range(int(rng.integers(1, 4))):
        lean = np.array([0, 0, 1.0]) + 0.2 * rng.normal(size=3)
        rays = lean + 0.3 * rng.normal(size=(3, 3))
        bounded = np.concatenate([np.zeros((1, 3)), rng.normal(size=(5, 3)) * 3])
        volume = hf.ForceVolume([bounded, np.concatenate([np.zeros((1, 3)), bounded[1:] - 4 * lean])], [None, rays])
        contacts.append(hf.Contact(rng.normal(size=3) * 0.1, np.eye(3), volume))
        force = rng.uniform(0.1, 1.0, 3) @ rays
        direction -= np.concatenate([force, np.cross(contacts[-1].position, force)])
    answer = hf.load_limit(hf.Assembly(contacts), direction, method=BRACKET)
    assert answer.status == "unbounded"
    assert answer.verify()


def test_a_gap_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="gap"):
        Bracket(gap=1.0)


REFERENCE = hf.solvers.Reference()


def check_limit(case: Case, expected: float, method: hf.solvers.Reference = REFERENCE) -> hf.statics.LoadLimit:
    """The load limit, right to 1e-6, with its forces or its proof checked."""
    answer = hf.load_limit(case.assembly, case.direction, method=method)
    assert answer.verify()
    if expected == -np.inf:
        assert answer.status == "does not hold"
        assert answer.value == answer.upper_bound == -np.inf
        assert proven_bound(answer) == -np.inf
    elif expected == np.inf:
        assert answer.status == "unbounded"
        check_growth(answer)
    else:
        assert answer.status == "optimal"
        assert answer.value == pytest.approx(expected, rel=1e-6, abs=1e-8)
        assert answer.value <= answer.upper_bound <= answer.value + 1.01e-6 * max(abs(answer.value), 1e-3)
        assert_forces_hold(case.assembly, answer.value * case.direction, answer.forces, answer.pieces)
        assert proven_bound(answer) <= answer.upper_bound + 1e-8 * max(abs(answer.upper_bound), 1e-3)
    return answer


def check_growth(answer: hf.statics.LoadLimit) -> None:
    """Forces that hold something, and more forces of the same pieces that carry the load for ever."""
    assembly, growth = answer.assembly, answer.growth
    scale = max(np.abs(growth).max(), np.abs(answer.direction[:3]).max())
    arms = np.array([c.position for c in assembly.contacts])
    np.testing.assert_allclose(growth.sum(axis=0), -answer.direction[:3], atol=1e-9 * scale)
    torque = np.cross(arms, growth).sum(axis=0)
    np.testing.assert_allclose(torque, -answer.direction[3:], atol=1e-9 * scale)
    for many in (0.0, 1.0, 1e3):
        more = answer.forces + many * growth
        load = (answer.solution.factor + many) * answer.direction
        assert_forces_hold(assembly, load, more, answer.pieces)


def check_verdicts(case: Case, largest: float, least: float) -> None:
    """Verdicts close to the limit on both sides, each with forces or an independently checked proof."""
    for change in (1e-3, 1e-4, 1e-6):
        above = hf.equilibrium(case.assembly, (largest + change * abs(largest)) * case.direction, method=REFERENCE)
        assert above.status == "does not hold"
        assert above.verify()
        assert refutes(above, exact=change == 1e-6)
        factor = largest - change * abs(largest)
        if factor >= least:
            below = hf.equilibrium(case.assembly, factor * case.direction, method=REFERENCE)
            assert below.status == "holds"
            assert below.verify()
            assert_forces_hold(case.assembly, factor * case.direction, below.forces, below.pieces)


@pytest.mark.parametrize("seed", nightly_after(24, range(156)))
def test_random_assemblies_agree_with_every_choice_tried(seed):
    case = random_case(seed, most_choices=16)
    expected = verdict(case.assembly, case.direction)
    check_limit(case, expected.largest)
    if 1e-3 < abs(expected.largest) < np.inf:
        check_verdicts(case, expected.largest, expected.least)


@pytest.mark.parametrize("seed", [7, 23, 33])
def test_larger_assemblies_go_through_the_search_tree_and_agree(seed):
    rng = np.random.default_rng(seed)
    unit = dented_unit(shear=20, pull=5)
    contacts = [hf.Contact(rng.normal(size=3) * 0.05, random_rotation(rng), unit) for _ in range(6)]
    case = Case(seed, hf.Assembly(contacts), np.concatenate([rng.normal(size=3), 0.05 * rng.normal(size=3)]))
    expected = verdict(case.assembly, case.direction).largest
    check_limit(case, expected)
    check_limit(case, expected, hf.solvers.Reference(combinations=0))  # the tree instead of all 64 choices
    _, chosen = solve_milp(case.assembly.build(case.direction), maximise=True)
    assert chosen is not None


@pytest.mark.parametrize("seed", range(12))
def test_trying_all_choices_and_searching_the_tree_give_one_answer(seed):
    case = random_case(seed * 2, most_choices=64)
    all_tried = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Reference(combinations=64))
    searched = hf.load_limit(case.assembly, case.direction, method=hf.solvers.Reference(combinations=0))
    assert all_tried.status == searched.status
    assert searched.verify()
    assert searched.value == pytest.approx(all_tried.value, rel=2e-6, abs=1e-9)
    if searched.status == "optimal":
        for factor in (0.999, 1.001):
            wrench = (all_tried.value + (factor - 1) * abs(all_tried.value)) * case.direction
            verdicts = {
                str(hf.equilibrium(case.assembly, wrench, method=hf.solvers.Reference(combinations=n)).status)
                for n in (0, 64)
            }
            assert len(verdicts) == 1


@pytest.mark.parametrize("seed", nightly_after(12, range(16)))
def test_loads_along_rays_are_unbounded_and_prove_their_growth(seed):
    """The load is what rays of chosen pieces balance, so that it may grow for ever."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 5))
    contacts, direction = [], np.zeros(6)
    for _ in range(k):
        lean = random_rotation(rng)[0]
        rays = lean + 0.4 * rng.normal(size=(3, 3))
        bounded = np.concatenate([np.zeros((1, 3)), rng.normal(size=(5, 3)) * 3])
        volume = hf.ForceVolume([bounded, np.concatenate([np.zeros((1, 3)), bounded[1:] - 4 * lean])], [None, rays])
        contact = hf.Contact(rng.normal(size=3) * 0.1, random_rotation(rng), volume)
        contacts.append(contact)
        force = contact.rotation @ (rng.uniform(0.1, 1.0, 3) @ rays)
        direction -= np.concatenate([force, np.cross(contact.position, force)])
    assembly = hf.Assembly(contacts)
    answer = hf.load_limit(assembly, direction, method=REFERENCE)
    assert answer.status == "unbounded"
    assert answer.verify()
    check_growth(answer)
    assert hf.equilibrium(assembly, 1e4 * direction, method=REFERENCE).holds


@pytest.mark.parametrize("limited, status", [(False, "unbounded"), (True, "optimal")])
def test_a_joint_limit_ends_what_rays_would_carry_for_ever(limited, status):
    cone = hf.ForceVolume([[[0, 0, 0]]], [[[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1], [0, -0.5, 1.0]]])
    joints = hf.JointRows([[0, 0, 0.1]], [-1.0], [2.0]) if limited else hf.JointRows([[0, 0, 0.1]], [-1.0], [np.inf])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)], joints)
    answer = hf.load_limit(assembly, -PULL_OFF, method=REFERENCE)
    assert answer.status == status
    assert answer.verify()
    assert answer.value == (pytest.approx(20.0) if limited else np.inf)


def test_rays_of_different_pieces_do_not_mix():
    """Each piece alone is bounded along z; only their hull goes on for ever."""
    left, right = [[-1, 0, 1], [-1, 0.2, 1.0]], [[1, 0, 1], [1, 0.2, 1.0]]
    body = np.array([[0, 0, 0], [0, 0, 3], [1, 1, 1], [-1, 1, 1], [0, -1, 1.0]])
    volume = hf.ForceVolume([body, body * 0.5], [left, right])
    case = Case(0, hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)]), -PULL_OFF)
    expected = verdict(case.assembly, case.direction).largest
    assert np.isfinite(expected)
    check_limit(case, expected)
    two = Case(0, hf.Assembly(case.assembly.contacts * 2), -PULL_OFF)
    assert verdict(two.assembly, two.direction).largest == np.inf
    check_limit(two, np.inf)


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-8])
def test_a_wider_gap_is_kept_and_stated(gap):
    unit = dented_unit(shear=20, pull=5)
    rng = np.random.default_rng(5)
    assembly = hf.Assembly([hf.Contact(rng.normal(size=3) * 0.05, random_rotation(rng), unit) for _ in range(5)])
    direction = np.concatenate([rng.normal(size=3), 0.05 * rng.normal(size=3)])
    tight = hf.load_limit(assembly, direction, method=hf.solvers.Reference(gap=1e-9))
    answer = hf.load_limit(assembly, direction, method=hf.solvers.Reference(gap=gap))
    assert answer.status == "optimal"
    assert answer.verify()
    assert answer.gap <= gap * 1.001
    assert answer.value <= tight.value * (1 + 1e-8) <= answer.upper_bound * (1 + 1e-8)


def test_the_same_question_gives_the_same_bytes():
    case = random_case(11)
    first, second = (hf.load_limit(case.assembly, case.direction, method=REFERENCE) for _ in range(2))
    assert first.value == second.value
    np.testing.assert_array_equal(first.forces, second.forces)
    for a, b in zip(first.certificate.leaves, second.certificate.leaves, strict=True):
        assert a.masks == b.masks
        np.testing.assert_array_equal(a.multipliers, b.multipliers)


@pytest.mark.parametrize("seed", nightly_after(12, range(30)))
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_no_strength_of_load_makes_a_numerical_failure_of_a_question(seed, factor):
    """A failure to find is a status; contacts a millionth as strong as their load, or a million times, are no news."""
    case = random_case(seed, most_choices=4)
    answer = hf.equilibrium(case.assembly, case.direction * factor, method=REFERENCE)
    assert answer.status in ("holds", "does not hold")
    assert answer.verify()
    limit = hf.load_limit(case.assembly, case.direction * factor, method=REFERENCE)
    assert limit.status in ("optimal", "does not hold", "unbounded")
    assert limit.verify()


def test_numbers_that_leave_no_verdict_end_undecided_and_never_crash() -> None:
    """Units a billionth of a newton strong under links of 40 g: beyond what linear programs can tell apart."""
    device = hf.devices.create("2FG", left="D", right="MD", unit=hf.models.gecko(shear=1e-9), radius=0.2)
    gravity = np.array([0.0, 0.0, -9.81])
    limit = hf.load_limit(
        device.assembly(gravity), device.weight(gravity), method=hf.solvers.Reference(time_limit=10.0)
    )
    assert limit.status in ("undecided", "does not hold", "optimal")
    assert limit.verify() is (limit.status != "undecided")
