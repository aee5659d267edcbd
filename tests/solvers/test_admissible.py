from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.relaxation import (
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
from tests.referee import block

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
