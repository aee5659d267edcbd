from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.certificates import factor_bound, separation_margin
from holdfast.solvers.relaxation import HullRelaxation, RelaxationOutcome
from tests.referee import Case, dented_unit, distance_to_piece, random_case, verdict

PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])
SEEDS = range(200, 240)


def some_masks(case: Case) -> tuple[int, ...]:
    """A random non-empty set of pieces for every contact."""
    rng = np.random.default_rng(case.seed)
    return tuple(int(rng.integers(1, 1 << len(c.volume.pieces))) for c in case.assembly.contacts)


def generators(contact: hf.Contact, mask: int) -> tuple[np.ndarray, np.ndarray]:
    chosen = [j for j in range(len(contact.volume.pieces)) if mask >> j & 1]
    return (
        np.concatenate([contact.volume.pieces[j] for j in chosen]),
        np.concatenate([contact.volume.rays[j] for j in chosen]),
    )


def of_hulls(case: Case, masks: tuple[int, ...]) -> hf.Assembly:
    """The same assembly, each contact with the hull of its allowed pieces as its only piece."""
    contacts = []
    for contact, mask in zip(case.assembly.contacts, masks, strict=True):
        vertices, rays = generators(contact, mask)
        volume = hf.ForceVolume([np.unique(vertices, axis=0)], [rays])
        contacts.append(hf.Contact(contact.position, contact.rotation, volume))
    return hf.Assembly(contacts, case.assembly.joints)


def assert_in_hulls(case: Case, masks: tuple[int, ...], forces: np.ndarray) -> None:
    for contact, mask, force in zip(case.assembly.contacts, masks, forces, strict=True):
        vertices, rays = generators(contact, mask)
        assert distance_to_piece(force, vertices, rays) <= 1e-8 * max(np.abs(vertices).max(), np.abs(force).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_maximum_is_that_of_the_linear_program_over_hulls_and_its_multipliers_prove_it(seed):
    case = random_case(seed)
    masks = some_masks(case)
    expected = verdict(of_hulls(case, masks), case.direction).largest
    problem = case.assembly.build(case.direction)
    relaxed = HullRelaxation(problem).maximise(masks)
    if expected == np.inf:
        assert relaxed.outcome is RelaxationOutcome.UNBOUNDED
        np.testing.assert_allclose(
            problem.row_values(relaxed.growth, 1.0)[:6], 0.0, atol=1e-8 * np.abs(problem.load).max()
        )
    elif expected == -np.inf:
        assert relaxed.outcome is RelaxationOutcome.SEPARATED
        assert factor_bound(problem, masks, relaxed.multipliers) == -np.inf
    else:
        assert relaxed.outcome is RelaxationOutcome.OPTIMAL
        assert relaxed.factor == pytest.approx(expected, rel=1e-6, abs=1e-8)
        bound = factor_bound(problem, masks, relaxed.multipliers)
        assert bound == pytest.approx(relaxed.factor, rel=1e-7, abs=1e-8)
        assert problem.residual(relaxed.forces, relaxed.factor) <= 1e-9 * max(
            np.abs(relaxed.factor * problem.load).max(), np.abs(relaxed.forces).max()
        )
        assert_in_hulls(case, masks, relaxed.forces)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_test_is_solved_or_separated_on_either_side_of_the_limit(seed):
    case = random_case(seed)
    masks = some_masks(case)
    expected = verdict(of_hulls(case, masks), case.direction)
    if not 1e-3 < abs(expected.largest) < np.inf:
        return
    for change in (1e-3, 1e-6):
        above = case.assembly.build((expected.largest + change * abs(expected.largest)) * case.direction)
        relaxed = HullRelaxation(above).test(masks)
        assert relaxed.outcome is RelaxationOutcome.SEPARATED
        assert separation_margin(above, masks, relaxed.multipliers) > 0.0
        factor = expected.largest - change * abs(expected.largest)
        if factor >= expected.least:
            below = case.assembly.build(factor * case.direction)
            relaxed = HullRelaxation(below).test(masks)
            assert relaxed.outcome is RelaxationOutcome.REACHED
            assert below.residual(relaxed.forces, 1.0) <= 1e-9 * max(
                np.abs(below.load).max(), np.abs(relaxed.forces).max()
            )
            assert_in_hulls(case, masks, relaxed.forces)


def test_shares_tell_how_much_of_each_piece_is_mixed_in():
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit(shear=20, pull=5))])
    problem = assembly.build(PULL_OFF)
    relaxed = HullRelaxation(problem).maximise((0b11,))
    assert relaxed.factor == pytest.approx(5.0)
    np.testing.assert_allclose(relaxed.shares[0], [0.5, 0.5], atol=1e-9)
    assert relaxed.shares.shape == (1, 2)


def test_fewer_pieces_never_hold_more():
    case = random_case(3)
    problem = case.assembly.build(case.direction)
    relaxation = HullRelaxation(problem)
    whole = relaxation.maximise(problem.all_pieces).factor
    for seed in range(20):
        rng = np.random.default_rng(seed)
        masks = tuple(int(rng.integers(1, m + 1)) for m in problem.all_pieces)
        part = relaxation.maximise(masks)
        if part.outcome is RelaxationOutcome.OPTIMAL:
            assert part.factor <= whole + 1e-7 * abs(whole)


def test_linear_programs_are_counted():
    relaxation = HullRelaxation(random_case(0).assembly.build(np.ones(6)))
    assert relaxation.programs == 0
    relaxation.test(relaxation.problem.all_pieces)
    assert relaxation.programs >= 1
