"""Finger joints: forward and inverse agree, against a chain of rotations, and at the ends of the range."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InputError
from holdfast.grasps.hands import Linkage, finger_joints, fingertip, fingertip_drop, load_hand, reach

BARRETT = load_hand("barrett")
LINKAGE = BARRETT.kinematics
assert isinstance(LINKAGE, Linkage)


def transform(angle: float, x: float = 0.0, y: float = 0.0) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle), x], [np.sin(angle), np.cos(angle), y], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("degrees", [0.0, 30.0, 77.0, 140.0])
def test_the_fingertip_is_where_a_chain_of_rotations_puts_it(degrees):
    q = np.radians(degrees)
    chain = (
        transform(0.0, 50.0, 76.0) @ transform(q) @ transform(0.0, 70.0) @ transform(np.radians(42.0) + q / 3.0)
        @ transform(0.0, 50.0, 9.5)
    )  # fmt: skip
    assert fingertip(q, LINKAGE) == pytest.approx(chain[:2, 2], abs=1e-12)


def test_the_barrett_finger_reaches_from_the_pivot_to_the_longest_extension():
    low, high = reach(BARRETT)
    assert low < 0.0 and 150.0 < high < 151.0
    ends = finger_joints([0.0, 150.0], BARRETT)
    assert ends.reached.all() and ends.proximal[0] > np.radians(80.0) and ends.proximal[1] < np.radians(1.0)


@given(st.lists(st.floats(-30.0, 150.8), min_size=1, max_size=9))
def test_forward_and_inverse_agree(extensions):
    joints = finger_joints(extensions, BARRETT)
    assert joints.reached.all()
    forward, height = fingertip(joints.proximal, LINKAGE)
    assert forward == pytest.approx(np.array(extensions), abs=1e-11)
    assert height == pytest.approx(joints.height) and joints.distal == pytest.approx(joints.proximal / 3.0)
    assert (joints.proximal >= 0.0).all() and (joints.proximal <= np.radians(140.0)).all()
    assert fingertip_drop(extensions, BARRETT) == pytest.approx(joints.height - 76.0)


def test_a_finger_opens_as_its_joint_turns_back():
    joints = finger_joints(np.linspace(0.0, 150.0, 301), BARRETT)
    assert (np.diff(joints.proximal) < 0.0).all()


def test_equal_extensions_have_equal_angles_and_heights():
    joints = finger_joints(np.full((4, 3), 87.3), BARRETT)
    assert joints.proximal.shape == (4, 3) and len(np.unique(joints.proximal)) == len(np.unique(joints.height)) == 1


def test_the_ends_of_the_range_are_reached_exactly_and_nothing_beyond():
    low, high = reach(BARRETT)
    joints = finger_joints([high, np.nextafter(high, 200.0), low - 1.0, np.nan], BARRETT)
    assert joints.reached.tolist() == [True, False, False, False]
    assert joints.proximal[0] == 0.0 and np.isnan(joints.proximal[1:]).all() and np.isnan(joints.height[1:]).all()


def test_a_sliding_fingertip_has_no_joints_but_a_height():
    jaw = load_hand("parallel_jaw")
    joints = finger_joints([[10.0, 42.5, 43.0]], jaw)
    assert joints.reached.tolist() == [[True, True, False]] and np.isnan(joints.proximal).all()
    assert joints.height[0, :2].tolist() == [100.0, 100.0] and np.isnan(fingertip_drop([1.0], jaw)).all()
    assert reach(jaw) == (0.0, np.inf)


def test_a_finger_that_first_opens_is_taken_on_its_closing_stretch():
    early = replace(LINKAGE, proximal_low=np.radians(-60.0))
    joints = finger_joints([100.0], replace(BARRETT, kinematics=early))
    assert joints.proximal == pytest.approx(finger_joints([100.0], BARRETT).proximal)


def test_what_is_no_length_is_refused():
    with pytest.raises(InputError, match="extensions"):
        finger_joints(["far"], BARRETT)
