"""Proofs are judged by the hands' own vertices, rays and half-spaces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from holdfast.grips import Grip, OuterGrip, coulomb_grip
from holdfast.postures.generation import plane_weights
from holdfast.postures.hands import checked_hands
from holdfast.postures.proofs import PlaneWeights, SeparatingWrench, SumBound, total_support, unit_multipliers
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
