"""Ends of rays and intervals of load scales, with the proofs of both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from holdfast.grips import Grip, OuterGrip, coulomb_grip
from holdfast.postures.equilibrium import ray_end, scale_interval
from holdfast.postures.hands import checked_hands
from holdfast.solvers import Status
from tests.postures.full import BOX, still

BOTH = [Grip.box(*BOX), OuterGrip.box(*BOX)]


@pytest.mark.parametrize("grip", BOTH)
def test_a_ray_ends_where_the_box_does(grip: Grip | OuterGrip) -> None:
    """The hand gives fz in [-1, 3]: from a load of -1 N, pushing down further ends at -3 N."""
    hands = checked_hands(grip, still([0, 0, 0]))
    load, down = np.array([0, 0, -1.0, 0, 0, 0]), np.array([0, 0, -2.0, 0, 0, 0])
    end = ray_end(hands, load, down)
    assert end.status is Status.OPTIMAL
    assert end.value == pytest.approx(1.0, rel=1e-12)
    assert end.upper_bound == pytest.approx(1.0, rel=1e-12)
    assert end.verify()
    assert end.bound is not None
    assert end.bound.multipliers @ down == pytest.approx(-1.0)
    assert not replace(end, wrench=load * 1.5).verify()
    assert not replace(end, optimum=replace(end.optimum, wrenches=end.optimum.wrenches + 1e-3)).verify()
    assert not replace(end, optimum=replace(end.optimum, multipliers=-end.optimum.multipliers)).verify()
    assert not replace(end, optimum=replace(end.optimum, value=end.value * 1.01)).verify()


def test_a_line_that_misses_the_sum_is_proven_to_miss_it() -> None:
    hands = checked_hands(BOTH[0], still([0, 0, 0]))
    end = ray_end(hands, np.array([7.0, 0, 0, 0, 0, 0]), np.array([0, 1.0, 0, 0, 0, 0]))
    assert end.status is Status.DOES_NOT_HOLD
    assert end.value == end.upper_bound == -np.inf
    assert end.verify()
    assert not replace(end, wrench=np.zeros(6)).verify()


@pytest.mark.parametrize("grip", [coulomb_grip(0.5), OuterGrip.box([-1] * 6, [1, 1, np.inf, 1, 1, 1])])
def test_a_ray_without_an_end_shows_what_grows(grip: Grip | OuterGrip) -> None:
    end = ray_end(checked_hands(grip, still([0, 0, 0])), np.zeros(6), np.array([0, 0, -1.0, 0, 0, 0]))
    assert end.status is Status.UNBOUNDED
    assert end.value == np.inf
    assert end.verify()
    assert end.growth is not None
    assert end.growth.wrenches == pytest.approx(np.array([[0, 0, 1.0, 0, 0, 0]]), abs=1e-12)
    assert not replace(end, direction=np.array([0, 1.0, 0, 0, 0, 0])).verify()


def test_an_interval_need_not_contain_zero() -> None:
    """A hand that pushes up with 2 to 5 N holds loads of 1 N at scales from 2 to 5."""
    grip = Grip.box([0, 0, 2, 0, 0, 0], [0, 0, 5, 0, 0, 0])
    interval = scale_interval(checked_hands(grip, still([0, 0, 0])), np.array([0, 0, -1.0, 0, 0, 0]))
    assert interval.ends == pytest.approx((2.0, 5.0), rel=1e-12)
    assert interval.verify()
