"""Distances to the border of a support region and their slopes, against a triangle known by hand."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.postures.hands import checked_hands, transports
from holdfast.robots.leaning import lean_margin
from holdfast.robots.planning import Stand, work

DOWN = np.array([0.0, 0.0, -9.81])
FEET = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def stand_at(com: tuple[float, float], feet: np.ndarray = FEET) -> Stand:
    place = np.array([*com, 0.5])
    turns = np.tile(np.eye(3), (len(feet), 1, 1))
    return Stand(np.zeros(0), place, turns, feet - place, transports(turns, feet - place))


def margin(com: tuple[float, float], feet: np.ndarray = FEET, *, slope: bool = False):
    """Frictionless feet: the region is the triangle of the feet. Slopes are by the feet's shifts (9,)."""
    peg = hf.Grip(np.zeros((1, 6)), [[0, 0, 1, 0, 0, 0]])
    hands = checked_hands([peg] * 3, [hf.Pose(np.eye(3), x) for x in feet])
    of_feet = lambda stand, wrenches, y: work(stand, wrenches, y)[0].ravel()  # noqa: E731 - one line
    return lean_margin(hands, stand_at(com, feet), 2.0, DOWN, of_feet if slope else None)


@pytest.mark.parametrize(
    ("com", "distance"),
    [
        ((0.2, 0.1), 0.1),
        ((0.4, 0.4), 0.2 / np.sqrt(2.0)),
        ((0.5, -0.3), -0.3),
        ((-0.3, -0.4), -0.5),
        ((1.5, -0.5), -np.sqrt(0.5)),
    ],
)
def test_the_margin_is_the_distance_to_the_triangle(com, distance):
    assert margin(com).value == pytest.approx(distance, abs=1e-9)


@pytest.mark.parametrize("com", [(0.2, 0.1), (0.4, 0.4), (0.5, -0.3), (-0.3, -0.4), (0.7, 0.6)])
def test_slopes_by_the_feet_are_finite_differences_inside_and_outside(com):
    found = margin(com, slope=True).gradient
    step = 1e-6
    for index in range(9):
        if index % 3 == 2:
            continue  # a foot lifted: no other foot follows the ground
        ends = []
        for sign in (1.0, -1.0):
            feet = FEET.copy()
            feet.flat[index] += sign * step
            ends.append(margin(com, feet).value)
        assert found[index] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-6)


def test_two_edges_as_near_are_a_kink_and_other_regions_have_no_slope():
    assert margin((0.2, 0.2), slope=True).smooth is False
    peg = hf.Grip(np.zeros((1, 6)), [[0, 0, 1, 0, 0, 0]])
    hands = checked_hands([peg], [hf.Pose.identity()])
    stand = stand_at((0.1, 0.0), FEET[:1])
    found = lean_margin(hands, stand, 2.0, DOWN, lambda s, w, y: work(s, w, y)[0].ravel())
    assert found.value == pytest.approx(-0.1)
    assert np.isnan(found.gradient).all()
    assert "point" in found.binding
