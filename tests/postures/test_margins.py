"""Margins against closed forms and the program written out in full."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import InputError
from holdfast.grips import Grip, GripBounds, OuterGrip, coulomb_grip
from holdfast.postures import cross_polytope_margin, posture_margin
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
