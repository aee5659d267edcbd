"""Proofs are judged by the hands' own vertices, rays and half-spaces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.grips import Grip, OuterGrip, coulomb_grip
from holdfast.postures import LazyGrip, posture_equilibrium, posture_margin
from holdfast.postures.generation import plane_weights
from holdfast.postures.hands import checked_hands
from holdfast.postures.proofs import (
    PlaneWeights,
    SeparatingWrench,
    SumBound,
    balance,
    confirmations,
    confirmed_share,
    exact_margin,
    is_combination,
    lie_in_grips,
    needs_confirming,
    total_support,
    unit_multipliers,
)
from holdfast.solvers import Status
from holdfast.solvers.minkowski import HandWeights
from tests.postures.full import BOX, still

DOWN = np.array([0, 0, -1.0, 0, 0, 0])
UP = -DOWN


@pytest.mark.parametrize("grip", [Grip.box(*BOX), OuterGrip.box(*BOX)])
def test_the_support_of_two_boxes_is_the_sum_of_their_sides(grip: Grip | OuterGrip) -> None:
    hands = checked_hands(grip, still([0, 0, 0], [0, 0, 5]))
    planes = plane_weights(hands, UP)
    bound = SumBound(hands, UP, total_support(hands, UP, planes), planes)
    assert bound.support == pytest.approx(6.0)
    assert bound.verify()
    assert not replace(bound, support=5.9).verify()


def test_a_separating_wrench_wins_by_what_the_load_is_too_large() -> None:
    hands = checked_hands(Grip.box(*BOX), still([0, 0, 0]))
    proof = SeparatingWrench(hands, UP, 3.0, (None,), 3.25 * DOWN)
    assert proof.margin == pytest.approx(0.25)
    assert proof.verify()
    assert not replace(proof, wrench=2.75 * DOWN).verify()
    assert not replace(proof, multipliers=np.zeros(6)).verify()


def test_weights_that_do_not_add_up_or_are_negative_prove_nothing() -> None:
    grip = OuterGrip.box(*BOX)
    hands = checked_hands(grip, still([0, 0, 0]))
    (planes,) = plane_weights(hands, UP)
    assert planes is not None
    assert total_support(hands, UP, (planes,)) == pytest.approx(3.0)
    assert total_support(hands, UP, (PlaneWeights(planes.rows, planes.weights * 0.9),)) == np.inf
    assert total_support(hands, UP, (PlaneWeights(planes.rows, -planes.weights),)) == np.inf
    assert total_support(hands, UP, (None,)) == np.inf


def test_a_direction_that_climbs_a_cone_bounds_nothing() -> None:
    hands = checked_hands(coulomb_grip(0.5), still([1, 2, 3]))
    assert total_support(hands, UP, (None,)) == np.inf
    assert total_support(hands, DOWN, (None,)) == 0.0


def test_unit_multipliers_do_not_depend_on_the_origin() -> None:
    grip = Grip.box(*BOX)
    near, far = checked_hands(grip, still([0, 0, 0])), checked_hands(grip, still([100, 0, 0]))
    y = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    moved = y.copy()
    moved[:3] += np.cross([100.0, 0, 0], y[3:])  # against torques about the world origin, 100 m away
    assert np.linalg.norm(y / unit_multipliers(near, y)) == pytest.approx(
        np.linalg.norm(moved / unit_multipliers(far, moved)), rel=1e-9
    )


def test_a_margin_within_rounding_is_reckoned_in_fractions() -> None:
    hands = checked_hands(Grip.box(*BOX), still([1000.0, 0, 0]))
    y = np.array([0, 0, 1.0, 0, 0.5, 0.0])
    support = total_support(hands, y, (None,))
    load = np.array([0, 0, -support, 0, 0, 0])
    for factor, wins in ((1.0 + 2e-15, True), (1.0 - 2e-15, False)):
        proof = SeparatingWrench(hands, y, support, (None,), factor * load)
        exact = exact_margin(hands, y, proof.wrench)
        assert exact is not None and (exact > 0) == wins
        assert proof.wins == wins == proof.verify()
    assert exact_margin(checked_hands(coulomb_grip(0.5), still([0, 0, 0])), DOWN, UP) is None


# Memberships are judged by weights, half-spaces and contact forces.


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


# Confirming: what hulls promise and pieces cannot give is not taken for granted.


def cross() -> LazyGrip:
    """A contact that gives up to 4 N along x or along y, never both: the hull is a diamond, the union a cross."""
    along_x = np.array([[-4.0, 0, 0], [4.0, 0, 0]])
    along_y = np.array([[0, -4.0, 0], [0, 4.0, 0]])
    volume = hf.ForceVolume([along_x, along_y], allow_flat=True)
    return LazyGrip(hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), volume)]))


def test_a_diagonal_load_is_undecided_where_the_union_cannot_follow_its_hull() -> None:
    grip, poses = cross(), still([0, 0, 0])
    assert needs_confirming(checked_hands(grip, poses))
    straight = posture_equilibrium(grip, poses, [3, 0, 0, 0, 0, 0])
    assert straight.holds
    assert straight.verify()
    diagonal = posture_equilibrium(grip, poses, [1, 1, 0, 0, 0, 0])
    assert diagonal.status is Status.UNDECIDED
    assert not diagonal.verify()
    assert diagonal.scale_interval == pytest.approx((-2.0, 2.0), rel=1e-9)  # of the hull
    assert diagonal.gap == np.inf  # nothing along the diagonal was confirmed
    outside = posture_equilibrium(grip, poses, [2.5, 2.5, 0, 0, 0, 0])
    assert outside.status is Status.DOES_NOT_HOLD
    assert outside.verify()
    assert posture_margin(grip, poses, np.zeros(6), [1, 1, 0, 0, 0, 0]).value == -np.inf


def test_two_crosses_share_a_diagonal_load_when_each_may_take_one_way() -> None:
    hands = checked_hands(cross(), still([0, 0, 0], [0, 0, 0]))
    wrenches = np.zeros((2, 6))
    wrenches[0, 0], wrenches[1, 1] = 2.0, 3.0
    answers = confirmations(hands, wrenches)
    assert answers is not None
    assert all(answer is not None and answer.verify() for answer in answers)
    assert confirmations(hands, np.ones((2, 6)) * [1, 1, 0, 0, 0, 0]) is None


def test_the_share_that_is_confirmed_is_where_the_pieces_end() -> None:
    hands = checked_hands(cross(), still([0, 0, 0]))
    far = np.array([[5.0, 0, 0, 0, 0, 0]])  # 4 N are there: a share of 0.8
    found = confirmed_share(hands, np.zeros((1, 6)), far)
    assert found.share == pytest.approx(0.8, abs=1e-12)
    assert found.answers
    assert confirmed_share(hands, far, 2.0 * far).share == -np.inf
