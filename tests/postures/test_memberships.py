"""Memberships are judged by weights, half-spaces and contact forces."""

from __future__ import annotations

import numpy as np

import holdfast as hf
from holdfast.grips import Grip, OuterGrip, coulomb_grip
from holdfast.postures import LazyGrip
from holdfast.postures.hands import checked_hands
from holdfast.postures.proofs import balance, is_combination, lie_in_grips
from holdfast.solvers.minkowski import HandWeights
from tests.postures.full import BOX, still


def weights(values: list[float], rays: list[float]) -> HandWeights:
    """Weights of the first vertices and rays."""
    return HandWeights(np.arange(len(values)), np.array(values), np.arange(len(rays)), np.array(rays))


def test_a_combination_needs_weights_that_are_not_negative_and_sum_to_one() -> None:
    grip = Grip([np.zeros(6), np.ones(6)], [np.eye(6)[0]])
    wrench = 0.25 * np.ones(6) + 2.0 * np.eye(6)[0]
    assert is_combination(grip, wrench, weights([0.75, 0.25], [2.0]))
    assert not is_combination(grip, wrench, weights([0.75, 0.25], [2.1]))
    assert not is_combination(grip, 0.5 * np.ones(6), weights([0.75, 0.5], []))
    assert not is_combination(grip, -np.ones(6), weights([2.0, -1.0], []))
    assert not is_combination(grip, -np.eye(6)[0], weights([1.0], [-1.0]))
    assert not is_combination(grip, wrench, None)


def test_every_hand_is_looked_at_in_its_own_way() -> None:
    contact = hf.Contact((0, 0, 0), np.eye(3), hf.models.coulomb(0.5, cap=10.0))
    lazy = LazyGrip(hf.Assembly([contact]))
    hands = checked_hands([coulomb_grip(0.5), OuterGrip.box(*BOX), lazy], still([0, 0, 0], [1, 0, 0], [2, 0, 0]))
    up = np.array([0, 0, 1.0, 0, 0, 0])
    ray = HandWeights(np.array([0]), np.ones(1), np.arange(16), np.full(16, 1 / 16))
    cone = (hands.grips[0].rays.mean(axis=0)) if isinstance(hands.grips[0], Grip) else up
    given = np.array([cone, up, up])
    confirmed = (None, None, lazy.confirm(up))
    assert lie_in_grips(hands, given, (ray, None, None), confirmed)
    assert lie_in_grips(hands, given, (ray, None, None), None)
    assert not lie_in_grips(hands, given, (ray, None, None), (None, None, lazy.confirm(2.0 * up)))
    assert not lie_in_grips(hands, given, (), confirmed)
    assert not lie_in_grips(hands, np.array([cone, 4.0 * up, up]), (ray, None, None), confirmed)
    assert not lie_in_grips(hands, np.array([cone, up, -up]), (ray, None, None), None)


def test_a_balance_is_relative_to_the_largest_wrench() -> None:
    hands = checked_hands(Grip.box(*BOX), still([0, 0, 0]))
    wrench = np.array([[0, 0, 100.0, 0, 0, 0]])
    assert balance(hands, wrench, -wrench[0]) == 0.0
    assert abs(balance(hands, wrench, -1.01 * wrench[0]) - 0.01 / 1.01) <= 1e-12
