"""Ball margins: boxes have closed forms, and both bounds are proven."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from holdfast.grips import Grip, GripBounds, OuterGrip, coulomb_grip
from holdfast.postures import ball_margin
from holdfast.solvers import Status
from tests.postures.full import BOX, random_bounds, random_pose, still


@pytest.mark.parametrize("grip", [Grip.box(*BOX), OuterGrip.box(*BOX)])
def test_the_ball_in_a_box_touches_its_nearest_side(grip: Grip | OuterGrip) -> None:
    ball = ball_margin(grip, still([0, 0, 0]), [0, 0, -2.6, 0, 0, 0], torque_length=0.2)
    assert ball.status is Status.OPTIMAL
    assert ball.value == pytest.approx(0.4, rel=1e-7)
    assert ball.upper_bound == pytest.approx(0.4, rel=1e-9)
    assert ball.verify()


def test_both_bounds_close_round_the_same_ball_and_cannot_be_tampered_with() -> None:
    rng = np.random.default_rng(3)
    grip, poses = random_bounds(rng, 30).inner, [random_pose(rng) for _ in range(2)]
    ball = ball_margin(grip, poses, np.zeros(6), gap=0.05)
    assert ball.status is Status.OPTIMAL
    assert 0.0 < ball.value <= ball.upper_bound <= ball.value / 0.95
    assert ball.verify()
    assert not replace(ball, value=ball.upper_bound * 1.01).verify()
    assert not replace(ball, upper_bound=ball.value * 0.9).verify()
    assert not replace(ball, wrenches=ball.wrenches * 1.01).verify()
    # No direction has less: the supports at random are all further.
    unit = np.repeat([1.0, ball.length], 3)
    ways = rng.normal(size=(2000, 6))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    reach = sum((ways / unit @ transport @ grip.vertices.T).max(axis=1) for transport in ball.hands.maps)
    assert np.min(reach) >= ball.value


def test_a_time_limit_gives_bounds_and_no_lies() -> None:
    rng = np.random.default_rng(3)
    grip, poses = random_bounds(rng, 30).inner, [random_pose(rng) for _ in range(2)]
    ball = ball_margin(grip, poses, np.zeros(6), gap=1e-9, time_limit=1e-3)
    assert ball.status is Status.UNDECIDED
    assert ball.verify()
    better = ball_margin(grip, poses, np.zeros(6), gap=0.05)
    assert ball.value <= better.upper_bound
    assert better.value <= ball.upper_bound


def test_point_feet_have_no_ball_and_three_have_one() -> None:
    foot = coulomb_grip(0.5)
    two = ball_margin(foot, still([0, 0, 0], [1, 0, 0]), [0, 0, -9, 0, 4.5, 0])
    assert two.value == 0.0
    assert two.upper_bound == pytest.approx(0.0, abs=1e-9)
    three = ball_margin(foot, still([0, 0, 0], [1, 0, 0], [0, 1, 0]), [0, 0, -9, -3, 3, 0])
    assert three.value > 0.0
    assert three.gap <= 0.01
    assert three.verify()


def test_loads_that_are_not_held_have_no_ball_and_bounds_have_two() -> None:
    far = ball_margin(Grip.box(*BOX), still([0, 0, 0]), [0, 0, -3.5, 0, 0, 0])
    assert far.status is Status.DOES_NOT_HOLD
    assert far.value == -np.inf
    assert not far.verify()
    bounds = GripBounds(Grip.box(*BOX).scaled(0.5), OuterGrip.box(*BOX))
    ball = ball_margin(bounds, still([0, 0, 0]), np.zeros(6), torque_length=1.0)
    assert (ball.value, ball.upper_bound) == pytest.approx((0.25, 0.5), rel=1e-7)
    assert ball.status is Status.UNDECIDED
    assert ball.verify()
