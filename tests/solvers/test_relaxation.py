"""The hull relaxation by column generation, and the checks that turn its forces into an answer."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.certificates import factor_bound, separation_margin
from holdfast.solvers.relaxation import (
    HullRelaxation,
    RelaxationOutcome,
    RelaxedSolution,
    attained,
    balances,
    closes,
    heaviest,
    held,
    is_single,
    pieces_of,
    singles,
)
from tests.referee import Case, block, dented_unit, distance_to_piece, random_case, verdict

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


TWO_BOXES = hf.ForceVolume([block([-1, -1, 0], [1, 1, 10]), block([5, -1, 0], [7, 1, 10])])
PRESS = np.array([0, 0, -4.0, 0, 0, 0])


def problem_of(volume: hf.ForceVolume, wrench: np.ndarray = PRESS, contacts: int = 1):
    return hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)] * contacts).build(wrench)


def relaxed_at(*forces: list[float], outcome: RelaxationOutcome = RelaxationOutcome.REACHED, **more) -> RelaxedSolution:
    return RelaxedSolution(outcome, 1.0, forces=np.array(forces, dtype=float), **more)


def test_a_force_belongs_to_the_allowed_piece_it_lies_in() -> None:
    problem = problem_of(TWO_BOXES, contacts=3)
    forces = np.array([[0, 0, 4.0], [6, 0, 4], [7, 1, 10]])
    np.testing.assert_array_equal(pieces_of(problem, (3, 3, 2), forces), [0, 1, 1])
    assert pieces_of(problem, (3, 1, 2), forces) is None  # the second may not use its piece
    assert pieces_of(problem, (3, 3, 3), forces + [3, 0, 0]) is None  # between the boxes


def test_a_force_outside_by_more_than_rounding_belongs_to_no_piece() -> None:
    problem = problem_of(TWO_BOXES)
    assert pieces_of(problem, (3,), np.array([[1 + 1e-9, 0, 4]])) is not None
    assert pieces_of(problem, (3,), np.array([[1 + 1e-7, 0, 4]])) is None


def test_balance_is_judged_at_the_factor_asked_for() -> None:
    problem = problem_of(TWO_BOXES)
    forces = np.array([[0, 0, 4.0]])
    assert balances(problem, forces, 1.0)
    assert not balances(problem, forces, 1.0 + 1e-7)
    assert balances(problem, 2 * forces, 2.0)


def test_each_contact_is_fixed_to_the_allowed_piece_with_most_weight() -> None:
    shares = np.array([[0.2, 0.5, 0.3], [0.6, 0.4, 0.0], [0.0, 0.0, 0.0]])
    relaxed = relaxed_at([0, 0, 0], [0, 0, 0], [0, 0, 0], shares=shares)
    assert heaviest((0b111, 0b11, 0b100), relaxed) == (0b010, 0b01, 0b100)
    assert heaviest((0b101, 0b10, 0b110), relaxed) == (0b100, 0b10, 0b010)
    assert singles([1, 0, 2]) == (0b010, 0b001, 0b100)
    assert is_single((1, 2, 4))
    assert not is_single((1, 3))


def test_relaxed_forces_hold_only_in_a_piece_and_in_balance() -> None:
    problem = problem_of(TWO_BOXES)
    answer = held(problem, (3,), relaxed_at([0, 0, 4]))
    assert answer is not None
    assert (answer.status, answer.factor) == ("holds", 1.0)
    np.testing.assert_array_equal(answer.pieces, [0])
    assert held(problem, (3,), relaxed_at([0, 0, 4 + 1e-6])) is None  # does not balance
    assert held(problem, (2,), relaxed_at([0, 0, 4])) is None  # not the piece allowed
    assert held(problem, (3,), RelaxedSolution(RelaxationOutcome.SEPARATED, 0.5)) is None
    pushed = problem_of(TWO_BOXES, np.array([-3.0, 0, -4, 0, 0, 0]))
    assert held(pushed, (3,), relaxed_at([3, 0, 4])) is None  # balances, but between the boxes


def test_growth_counts_when_it_comes_from_the_piece_the_force_lies_in() -> None:
    """Two cones: up, and up along a slant; each grows along its own ray alone."""
    body = block([-1, -1, 0], [1, 1, 10])
    volume = hf.ForceVolume([body, body + [5, 0, 0]], [[[0, 0, 1.0]], [[1, 0, 1.0]]])
    problem = problem_of(volume)
    grown = {"outcome": RelaxationOutcome.UNBOUNDED, "growth": np.array([[0, 0, 4.0]])}
    answer = attained(problem, (3,), relaxed_at([0, 0, 4], shares=np.array([[4.0, 0.0]]), **grown))
    assert answer is not None
    assert answer.status == "unbounded"
    np.testing.assert_array_equal(answer.pieces, [0])
    np.testing.assert_array_equal(answer.growth, grown["growth"])
    for shares in ([[2.0, 2.0]], [[0.0, 4.0]]):  # mixed rays; rays of the piece that the force is not in
        assert attained(problem, (3,), relaxed_at([0, 0, 4], shares=np.array(shares), **grown)) is None


@pytest.mark.parametrize(
    "best, bound, gap, floor, met",
    [
        (10.0, 10.9, 0.1, 0.0, True),
        (10.0, 11.1, 0.1, 0.0, False),
        (-10.0, -9.1, 0.1, 0.0, True),
        (0.0, 0.05, 0.1, 1.0, True),
        (0.0, 0.05, 0.1, 0.0, False),
        (-np.inf, 1.0, 0.1, 0.0, False),
        (-np.inf, -np.inf, 0.1, 0.0, True),
        (1.0, np.inf, 0.1, 0.0, False),
    ],
)
def test_a_gap_closes_relative_to_what_was_attained(best, bound, gap, floor, met) -> None:
    assert closes(best, bound, gap=gap, floor=floor) is met
