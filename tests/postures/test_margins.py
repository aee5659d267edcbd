"""Margins against closed forms and the program written out in full."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import InputError
from holdfast.grips import Grip, GripBounds, OuterGrip, coulomb_grip
from holdfast.postures import ball_margin, cross_polytope_margin, posture_margin
from holdfast.solvers import Status
from tests.postures.full import BOX, largest_scale, random_bounds, random_pose, still

FEW = settings(max_examples=settings.default.max_examples // 10)


@FEW
@given(st.integers(0, 10_000))
def test_margins_are_those_of_the_program_written_out_in_full(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bounds = [random_bounds(rng, 30) for _ in range(3)]
    poses = [random_pose(rng) for _ in range(3)]
    load, way = rng.normal(size=6), rng.normal(size=6) * rng.choice([1e-3, 1.0, 1e3])
    both = posture_margin(bounds, poses, load, way)
    inner = largest_scale([b.inner for b in bounds], poses, load, way)
    outer = largest_scale([b.outer for b in bounds], poses, load, way)
    assert both.value == pytest.approx(inner, rel=1e-8)
    assert both.upper_bound == pytest.approx(outer, rel=1e-8)
    assert both.status is Status.UNDECIDED
    assert both.verify()
    exact = posture_margin([b.inner for b in bounds], poses, load, way)
    assert exact.status is Status.OPTIMAL
    assert exact.value == pytest.approx(inner, rel=1e-8)
    assert exact.gap <= 1e-9
    assert exact.verify()


def test_the_cross_polytope_of_a_box_is_its_nearest_side() -> None:
    """fz from -1 to 3, the load takes 2.5 of it: 0.5 N are left downwards, torques of 0.5 N m count 1/0.2 each."""
    margin = cross_polytope_margin(Grip.box(*BOX), still([0, 0, 0]), [0, 0, -2.5, 0, 0, 0], torque_length=0.2)
    assert margin.value == pytest.approx(0.5, rel=1e-12)
    assert margin.upper_bound == pytest.approx(0.5, rel=1e-12)
    assert margin.weakest == "-fz"
    assert margin.verify()
    heavy = cross_polytope_margin(Grip.box(*BOX), still([0, 0, 0]), [0, 0, -2.5, 0, 0, 0], torque_length=5.0)
    assert heavy.value == pytest.approx(0.1, rel=1e-12)  # 0.5 N m / 5 m
    beyond = cross_polytope_margin(Grip.box(*BOX), still([0, 0, 0]), [0, 0, -3.5, 0, 0, 0])
    assert beyond.value == -np.inf


def test_the_cross_polytope_lies_in_the_held_set_and_touches_its_border() -> None:
    rng = np.random.default_rng(8)
    grip, poses = random_bounds(rng).inner, [random_pose(rng) for _ in range(2)]
    margin = cross_polytope_margin(grip, poses, np.zeros(6), torque_length=0.3)
    corners = np.concatenate([np.eye(6), -np.eye(6)]) * np.repeat([1.0, 0.3], 3)
    ends = [largest_scale([grip, grip], poses, np.zeros(6), corner) for corner in corners]
    assert margin.value == pytest.approx(min(ends), rel=1e-8)


def test_bounds_give_margins_from_both_sides() -> None:
    bounds = GripBounds(Grip.box(*BOX).scaled(0.5), OuterGrip.box(*BOX))
    margin = posture_margin(bounds, still([0, 0, 0]), np.zeros(6), [0, 0, -1, 0, 0, 0])
    assert (margin.value, margin.upper_bound) == pytest.approx((1.5, 3.0), rel=1e-12)
    assert margin.status is Status.UNDECIDED
    assert margin.gap == pytest.approx(0.5)
    assert margin.verify()


def test_a_foot_pressed_down_has_no_limit_and_pulled_up_holds_nothing_more() -> None:
    foot, poses = coulomb_grip(0.5), still([0, 0, 0])
    down = posture_margin(foot, poses, [0, 0, -1, 0, 0, 0], [0, 0, -1, 0, 0, 0])
    assert down.status is Status.UNBOUNDED
    assert down.verify()
    up = posture_margin(foot, poses, [0, 0, -1, 0, 0, 0], [0, 0, 1, 0, 0, 0])
    assert up.value == pytest.approx(1.0, rel=1e-12)
    assert up.verify()
    turned = posture_margin(foot, poses, [0, 0, -1, 1, 0, 0], [0, 0, -1, 0, 0, 0])
    assert turned.status is Status.DOES_NOT_HOLD
    assert turned.verify()


def test_no_direction_is_refused() -> None:
    with pytest.raises(InputError, match="direction"):
        posture_margin(coulomb_grip(0.5), still([0, 0, 0]), np.zeros(6), np.zeros(6))


# Ball margins: boxes have closed forms, and both bounds are proven.


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
    assert far.verify() and not replace(far, value=0.0).verify()
    bounds = GripBounds(Grip.box(*BOX).scaled(0.5), OuterGrip.box(*BOX))
    ball = ball_margin(bounds, still([0, 0, 0]), np.zeros(6), torque_length=1.0)
    assert (ball.value, ball.upper_bound) == pytest.approx((0.25, 0.5), rel=1e-7)
    assert ball.status is Status.UNDECIDED
    assert ball.verify()


EVERYWHERE = np.concatenate([np.eye(6), -np.eye(6)])


@pytest.mark.parametrize("grip", [Grip([[0.0] * 6], EVERYWHERE), OuterGrip(np.zeros((0, 6)), np.zeros(0))])
def test_hands_that_give_every_wrench_have_a_ball_without_limit(grip: Grip | OuterGrip) -> None:
    ball = ball_margin(grip, still([0.3, 0, 0]), [0, 0, -9, 0, 0, 0])
    assert (ball.status, ball.value, ball.upper_bound, ball.gap) == (Status.OPTIMAL, np.inf, np.inf, 0.0)
    assert ball.certificate is None
    assert ball.verify()
    half = Grip([[0.0] * 6], EVERYWHERE[:-1])  # all but one of the axes
    less = ball_margin(half, still([0, 0, 0]), [0, 0, -9, 0, 0, -2.5], torque_length=0.5)
    assert less.value == pytest.approx(2.5 / 0.5, rel=1e-2)
    assert less.verify()
    assert not replace(less, value=np.inf, upper_bound=np.inf).verify()


def test_many_ways_without_limit_leave_the_one_that_has_a_limit() -> None:
    # All of R^6 but for f_z <= 1: the load of -0.75 N in z leaves 0.25 N to that side.
    rays = np.delete(EVERYWHERE, 2, axis=0)
    grip = Grip([[0, 0, 1.0, 0, 0, 0]], rays)
    ball = ball_margin(grip, still([0, 0, 0]), [0, 0, -0.75, 0, 0, 0], torque_length=0.2)
    assert ball.status is Status.OPTIMAL
    assert ball.value == pytest.approx(0.25, rel=1e-2)
    assert ball.upper_bound == pytest.approx(0.25, rel=1e-9)
    assert ball.verify()


def test_an_inner_limit_with_none_outside_is_left_open() -> None:
    bounds = GripBounds(Grip.box(*BOX), OuterGrip(np.zeros((0, 6)), np.zeros(0)))
    ball = ball_margin(bounds, still([0, 0, 0]), [0, 0, -2.6, 0, 0, 0], torque_length=0.2)
    assert ball.status is Status.UNDECIDED
    assert ball.value == pytest.approx(0.4, rel=1e-7)
    assert (ball.upper_bound, ball.gap) == (np.inf, np.inf)
    assert ball.verify()
