"""Statics: closed forms, every choice of pieces tried by an independent referee, proofs that stand and forged ones."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import holdfast as hf
from tests.nightly import nightly_after
from tests.referee import (
    assert_limit,
    assert_verdict,
    block,
    dented_unit,
    pyramid,
    random_case,
    random_unit_case,
    similar_units_case,
    verdict,
)

CAP, MU = 1000.0, 0.5
TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])
STRONG = hf.ForceVolume([block([-100] * 3, [100] * 3)])
CONE = hf.ForceVolume([np.zeros((1, 3))], [pyramid(MU, 1.0)[1:]])


def on_three_points(volume: hf.ForceVolume) -> hf.Assembly:
    return hf.Assembly([hf.Contact(x, np.eye(3), volume) for x in TRIANGLE])


def single(volume: hf.ForceVolume, rows: hf.JointRows | None = None) -> hf.Assembly:
    return hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume)], rows)


def checked(answer):
    assert answer.verify()
    return answer


# -- closed forms ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("com", "holds"),
    [((1 / 3, 1 / 3), True), ((0.5, 0.5), True), ((0.5 + 1e-6, 0.5), False), ((0.5, -1e-6), False), ((-3, 0.2), False)],
)
@pytest.mark.parametrize("volume", [hf.ForceVolume([pyramid(MU, CAP)]), CONE])
def test_a_block_stands_exactly_when_its_weight_passes_through_the_support_triangle(com, holds, volume):
    weight = hf.loads.gravity_wrench(3.0, com=(*com, 0.3))
    answer = checked(hf.equilibrium(on_three_points(volume), weight))
    assert answer.holds is holds and answer.status == ("holds" if holds else "does not hold")
    if holds:  # the lever rule
        shares = np.array([1 - com[0] - com[1], com[0], com[1]])
        np.testing.assert_allclose(answer.forces[:, 2], shares * -weight[2], atol=1e-8 * -weight[2])


@pytest.mark.parametrize("com", [(0.1, 0.2), (0.5, 0.5), (0, 0)])
def test_the_weight_a_block_may_have_is_what_its_most_loaded_point_bears(com):
    shares = np.array([1 - com[0] - com[1], *com])
    found = hf.load_limit(
        on_three_points(hf.ForceVolume([pyramid(MU, CAP)])), hf.loads.gravity_wrench(1.0, (0, 0, -1), (*com, 0.4))
    )
    assert checked(found).value == pytest.approx(CAP / shares.max(), rel=1e-6)


def test_a_weight_inside_unlimited_cones_has_no_limit_and_just_outside_none_is_borne():
    inside = hf.load_limit(on_three_points(CONE), hf.loads.gravity_wrench(1.0, com=(0.3, 0.3, 0.5)))
    assert checked(inside).status == "unbounded" and inside.value == np.inf
    np.testing.assert_allclose(inside.growth.sum(axis=0), -inside.direction[:3], atol=1e-8)
    outside = hf.load_limit(on_three_points(CONE), hf.loads.gravity_wrench(1.0, com=(0.5 + 1e-6, 0.5, 0.0)))
    assert checked(outside).value == 0.0


@pytest.mark.parametrize("slope", [0.1, 0.499999, 0.500001, 2.0])
def test_a_block_slides_beyond_the_friction_angle(slope):
    force = np.array([slope, 0.0, -1.0]) * 10.0
    wrench = np.concatenate([force, np.cross([0.3, 0.3, 0.0], force)])
    assert checked(hf.equilibrium(on_three_points(CONE), wrench)).holds is (slope <= MU)


@pytest.mark.parametrize(("units", "limit", "of_hulls"), [(1, 0.0, 5.0), (2, 10.0, 10.0), (3, 10.0, 15.0)])
def test_an_odd_unit_that_pulls_only_while_it_shears_adds_nothing_to_a_straight_pull(units, limit, of_hulls):
    unit = dented_unit(shear=20, pull=5)
    many = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), unit)] * units)
    assert checked(hf.load_limit(many, PULL_OFF)).value == pytest.approx(limit, rel=1e-6, abs=1e-9)
    hulls = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([unit.hull().extreme]))] * units)
    assert checked(hf.load_limit(hulls, PULL_OFF)).value == pytest.approx(of_hulls, rel=1e-6)


def test_a_torque_limit_limits_the_force_by_its_lever():  # (5)
    finger = single(STRONG, hf.JointRows([[0.5, 0, 0]], [-2.0], [3.0]))
    limits = [checked(hf.load_limit(finger, d)).value for d in ([-1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])]
    assert limits == pytest.approx([6.0, 4.0])
    assert checked(hf.load_limit(finger, [0, 1, 0, 0, 0, 0])).value == pytest.approx(100.0)


def test_a_preload_bounds_the_load_from_both_sides():
    preload = single(STRONG, hf.JointRows([[1.0, 0, 0]], [2.0], [5.0]))
    towards = np.array([-1.0, 0, 0, 0, 0, 0])
    held = [checked(hf.equilibrium(preload, s * towards)).holds for s in (0.0, 1.9, 2.1, 4.9, 5.1)]
    assert held == [False, False, True, True, False]
    assert hf.load_limit(preload, towards).scale_interval == pytest.approx((2.0, 5.0))
    nothing = checked(hf.load_limit(preload, [0, 1, 0, 0, 0, 0]))
    assert nothing.status == "does not hold" and nothing.value == nothing.upper_bound == -np.inf


@pytest.mark.parametrize("angle", [0.05, 0.3, 1.2])
def test_a_block_on_an_incline_needs_the_tangent_of_its_angle_and_slips_there(angle):
    weight = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    load = np.concatenate([weight, np.cross([0.3, 0.3, 0.0], weight)])
    found = hf.statics.friction_factor(on_three_points(CONE), load)
    assert checked(found).value * MU == pytest.approx(np.tan(angle), rel=2e-6)
    path = hf.statics.ramp(on_three_points(CONE), (0, 0, -1, -0.3, 0.3, 0), (1, 0, 0, 0, 0, -0.3))
    assert checked(hf.slip_onset(path, 0.0, 2.0, step=0.2, tolerance=1e-9)).value == pytest.approx(MU, abs=1e-8)


def test_strength_and_ramps_of_a_box():
    """10 N in every direction: of 4 N it needs 0.4 of its strength; above 3 N it bears 7 N more."""
    box = single(hf.ForceVolume([block([-10] * 3, [10] * 3)]))
    assert checked(hf.statics.strength_factor(box, [4, 0, 0, 0, 0, 0])).value == pytest.approx(0.4, rel=2e-6)
    ramp = hf.load_ramp(box, [3, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    assert checked(ramp).value == pytest.approx(7.0, rel=2e-6)


def test_a_diagnosis_prices_the_strength_that_limits():
    """Along x the joint decides (6 N of 100): its price is the whole limit, and the contact's nothing."""
    limit = hf.load_limit(single(STRONG, hf.JointRows([[0.5, 0, 0]], [-2.0], [3.0])), [-1, 0, 0, 0, 0, 0])
    found = hf.diagnose(limit)
    assert found.from_joints == pytest.approx(6.0, rel=1e-6) and found.from_contacts == pytest.approx(0.0, abs=1e-6)
    free = hf.diagnose(hf.load_limit(single(STRONG), [-1, 0, 0, 0, 0, 0]))
    assert free.from_contacts == pytest.approx(100.0, rel=1e-6) and [s.at_limit for s in free.contacts] == [True]


# -- forged proofs -----------------------------------------------------------------------------------


def with_solution(answer, **changes):
    return dataclasses.replace(answer, solution=dataclasses.replace(answer.solution, **changes))


def test_forged_forces_pieces_and_limits_are_refused():
    answer = hf.equilibrium(on_three_points(CONE), hf.loads.gravity_wrench(1.0, com=(0.2, 0.2, 0.2)))
    forces = answer.local_forces.copy()
    forces[0] += [1e-6, 0, 0]
    assert not with_solution(answer, forces=forces).verify()
    unit = hf.equilibrium(single(dented_unit()), [-10, 0, 1, 0, 0, 0])
    assert unit.verify() and not with_solution(unit, pieces=1 - unit.pieces).verify()
    limit = hf.load_limit(single(dented_unit()), [-10, 0, 1, 0, 0, 0])
    assert limit.verify() and not with_solution(limit, factor=1.001 * limit.value).verify()
    certificate = hf.solvers.Certificate(0.5 * limit.upper_bound, limit.certificate.leaves)
    assert not with_solution(limit, certificate=certificate).verify()
    grows = hf.load_limit(on_three_points(CONE), hf.loads.gravity_wrench(1.0, com=(0.3, 0.3, 0.5)))
    assert not with_solution(grows, growth=0.9 * grows.solution.growth).verify()


@pytest.mark.parametrize("seed", [0, 1, 5, 8, 12])
def test_a_refusal_without_one_of_its_leaves_or_with_another_motion_is_refused(seed):
    case = random_case(seed, most_choices=16)
    largest = verdict(case.assembly, case.direction).largest
    found = hf.equilibrium(case.assembly, 1.05 * largest * case.direction)
    assert found.verify() and found.status == "does not hold"
    leaves = found.certificate.leaves
    assert not with_solution(found, certificate=hf.solvers.Certificate(None, leaves[1:])).verify()
    turned = dataclasses.replace(leaves[0], multipliers=-leaves[0].multipliers)
    assert not with_solution(found, certificate=hf.solvers.Certificate(None, [turned, *leaves[1:]])).verify()


# -- every choice of pieces tried --------------------------------------------------------------------


@pytest.mark.parametrize("seed", nightly_after(24, range(300)))
def test_limits_and_verdicts_are_those_of_every_choice_of_pieces(seed):
    """Unions, rays, joint rows, pieces without zero: limits, and verdicts on either side of them."""
    case = random_case(seed, most_choices=8)
    largest = verdict(case.assembly, case.direction).largest
    limit = hf.load_limit(case.assembly, case.direction)
    assert_limit(limit, largest)
    if seed % 4 < 2 and (seed % 3 < 2 or seed % 2 == 0):  # volumes that contain zero: found by the method itself
        assert not limit.effort.referee
    for share in (0.999, 1.001):
        wrench = share * (largest if 1e-6 < largest < np.inf else 1.0) * case.direction
        found = verdict(case.assembly, wrench)
        if found.largest > 1.0 + 1e-6 and found.least < 1.0 - 1e-6:
            assert_verdict(hf.equilibrium(case.assembly, wrench), True)
        elif found.largest < 1.0 - 1e-6:
            assert_verdict(hf.equilibrium(case.assembly, wrench), False)


@pytest.mark.parametrize("seed", nightly_after(10, range(200)))
def test_units_choose_their_piece_together(seed):
    case = random_unit_case(seed, most_choices=8)
    limit = hf.load_limit(case.assembly, case.direction)
    assert_limit(limit, verdict(case.assembly, case.direction).largest)
    assert seed % 4 >= 2 or seed % 3 == 2 or not limit.effort.referee


@pytest.mark.parametrize("seed", nightly_after(3, range(60)))
def test_similar_units_are_counted(seed):
    """What a relaxation mixes fractions of: the search branches on how many units use a piece."""
    case = similar_units_case(seed)
    limit = hf.load_limit(case.assembly, case.direction)
    assert_limit(limit, verdict(case.assembly, case.direction).largest)
    assert not limit.effort.referee


@pytest.mark.parametrize("seed", nightly_after(4, range(60)))
def test_many_loads_at_once_have_the_limits_and_verdicts_of_each(seed):
    case = random_case(seed, most_choices=8)
    loads = np.array([case.direction, -case.direction, [1, 0, 0, 0, 0, 0.01]])
    expected = [verdict(case.assembly, load).largest for load in loads]
    many = hf.Solver(case.assembly).load_limit_many(loads)
    assert many.values == pytest.approx(expected, rel=2.1e-6, abs=1e-6)
    tests = hf.Solver(case.assembly).equilibrium_many(0.7 * loads)
    assert tests.holds.tolist() == [hf.equilibrium(case.assembly, 0.7 * load).holds for load in loads]
