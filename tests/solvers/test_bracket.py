"""The bracket against every choice of pieces tried: its two bounds always hold the truth between them."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.solvers.reference import Bracket, Hull
from tests.referee import assert_forces_hold, dented_unit, proven_bound, random_case, refutes, verdict

PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])
BRACKET = Bracket()


@pytest.mark.parametrize("seed", range(60))
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


@pytest.mark.parametrize("seed", range(40))
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
    direction = np.concatenate([np.random.default_rng(0).normal(size=(2, 3))[1], np.zeros(3)])
    truth = hf.load_limit(assembly, direction, method=hf.Reference())
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
