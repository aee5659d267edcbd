"""Rules: corners, and the fixed point they promise, found by iteration for errors drawn at random."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability.robust import Intervals, Rule, corners_of, robust_limit
from tests import referee


def answer(rule: Rule, error: np.ndarray) -> np.ndarray:
    """(k, 3) the rule's forces for an error (m,) in its set B: the corners' forces mixed as the docstring says."""
    q, along = len(rule.axes), rule.axes @ error
    half = len(rule.forces) // 2
    ahead = 0.5 * (1.0 + along[0] / rule.sizes[0])
    shares = np.abs(along[1:]) / (rule.weights[1:] * rule.sizes[1])
    across = np.full(half, (1.0 - shares.sum()) / half)
    for a, share in enumerate(shares):
        across[a if along[1 + a] >= 0 else q - 1 + a] += share
    weights = np.concatenate([ahead * across, (1.0 - ahead) * across])
    return np.einsum("c,cki->ki", weights, rule.forces)


def test_corners_are_those_of_a_segment_times_a_cross_polytope() -> None:
    first, second = corners_of(np.eye(3), np.array([1.0, 2.0, 3.0]))
    assert len(first) == len(second) == 8
    assert {tuple(row) for row in first} == {(1, 0, 0), (-1, 0, 0)}
    assert {tuple(row) for row in second} == {(0, 2, 0), (0, -2, 0), (0, 0, 3), (0, 0, -3)}
    alone, nothing = corners_of(np.eye(1), np.ones(1))
    assert alone.ravel().tolist() == [1.0, -1.0]
    assert not nothing.any()


@pytest.mark.parametrize("seed", [0, 4, 12])
def test_the_fixed_point_of_a_rule_balances_the_load_with_the_errors_made(seed: int) -> None:
    case = referee.random_case(seed)
    found = robust_limit(case.assembly, case.direction, Intervals(position=1e-3))
    rule, rng = found.rule, np.random.default_rng(seed)
    assert rule is not None
    problem = found.spread.weakest.problem(found.spread.direction)
    rotations = case.assembly.rotations
    for _ in range(5):
        shifts = rng.choice([-1.0, 1.0], size=found.spread.position.shape) * found.spread.position
        error = np.zeros(problem.rows)
        for _ in range(60):  # the map is a contraction for small errors
            forces = answer(rule, error)
            world = np.einsum("kij,kj->ki", rotations, forces)
            error = np.zeros(problem.rows)
            error[3:6] = np.cross(shifts, world).sum(axis=0) * problem.row_scale[3:6]
        moved, load = found.spread.changed(np.zeros(len(shifts)), shifts, found.spread.direction)
        residual = moved.wrench_matrix @ world.ravel() + rule.factor * load
        assert np.abs(residual).max() <= 1e-6 * np.abs(world).max()
        for contact, piece, force in zip(moved.contacts, rule.pieces, forces, strict=True):
            polytope = contact.volume.polytopes[piece]
            assert polytope.signed_distance(force) <= 1e-9 * polytope.size


def test_a_rule_holds_as_equilibria_do() -> None:
    case = referee.random_case(4)
    found = robust_limit(case.assembly, case.direction, Intervals(position=1e-3))
    assert hf.equilibrium(found.worst[0], found.certified * found.worst[1]).holds
