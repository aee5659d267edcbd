"""Contacts that follow a moving object, by geometry of their own."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics.release import TouchKind, surround
from holdfast.errors import InputError, UnknownNameError
from holdfast.geometry.frames import Pose, rotation_about

UP = np.eye(3)
CONE = hf.models.coulomb(0.5)
COM = np.array([0.0, 0.0, 0.1])


def contacts() -> hf.Assembly:
    """Two points under an object."""
    return hf.Assembly([hf.Contact((0.1, 0, 0), UP, CONE, "a"), hf.Contact((-0.1, 0, 0), UP, CONE, "b")])


@pytest.mark.parametrize("touch", ["rest", "foot"])
def test_nothing_moves_in_the_identity(touch):
    around = surround(contacts(), touch, [0.0, 0.02], np.inf, COM)
    placed = around.at(Pose.identity())
    np.testing.assert_allclose(placed.gaps, [0.0, 0.02])
    np.testing.assert_allclose(placed.rotations, [UP, UP])


def test_a_rest_stays_in_the_world_and_turns_with_the_face():
    tilt = Pose(rotation_about((0, 1, 0), 0.3), np.zeros(3))
    placed = surround(contacts(), "rest", 0.0, np.inf, COM).at(tilt)
    np.testing.assert_allclose(placed.positions, contacts().positions)
    np.testing.assert_allclose(placed.rotations[:, :, 2], [[np.sin(0.3), 0, np.cos(0.3)]] * 2, atol=1e-12)
    # The face through the origin, turned by 0.3: the point at x is x sin(0.3) above it on its outside.
    np.testing.assert_allclose(placed.gaps, [-0.1 * np.sin(0.3), 0.1 * np.sin(0.3)], atol=1e-12)


def test_a_foot_goes_with_the_object_and_its_ground_stays():
    tilt = Pose(rotation_about((0, 1, 0), -0.3), np.array([0.0, 0.0, 0.05]))
    placed = surround(contacts(), "foot", 0.0, np.inf, COM).at(tilt)
    np.testing.assert_allclose(placed.positions, tilt.apply(contacts().positions))
    np.testing.assert_allclose(placed.rotations[:, :, 2], [[0, 0, 1]] * 2, atol=1e-12)
    np.testing.assert_allclose(placed.gaps, placed.positions[:, 2], atol=1e-12)


def test_a_ball_touches_below_its_middle_however_it_is_turned():
    ball = hf.Assembly([hf.Contact((0, 0, 0), UP, CONE)])
    pose = Pose(rotation_about((0, 1, 0), 2.0), np.zeros(3))
    pose = Pose(pose.rotation, np.array([0.2, 0.0, 0.1]) - pose.rotation @ COM)  # its middle goes to (0.2, 0, 0.1)
    placed = surround(ball, "ball", 0.0, np.inf, COM).at(pose)
    np.testing.assert_allclose(placed.positions, [[0.2, 0.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(placed.gaps, [0.0], atol=1e-12)


@pytest.mark.parametrize("touch", list(TouchKind))
def test_rows_are_the_derivatives_of_the_gaps(touch):
    below = [hf.Contact((0, 0, 0), UP, CONE), hf.Contact((0, 0.2, 0.1), hf.frame_from_normal((0, -1, 0)), CONE)]
    around = surround(hf.Assembly(below), touch, [0.0, 0.02], np.inf, COM)
    rng = np.random.default_rng(4)
    for _ in range(5):
        pose = Pose(rotation_about(rng.normal(size=3), 0.5), rng.normal(size=3) * 0.1)
        twist, small = rng.normal(size=6), 1e-6
        ahead, behind = (
            Pose(rotation_about(twist[3:], s * np.linalg.norm(twist[3:])), s * twist[:3]) @ pose
            for s in (small, -small)
        )
        slope = (around.at(ahead).gaps - around.at(behind).gaps) / (2.0 * small)
        np.testing.assert_allclose(around.at(pose).rows @ twist, slope, atol=1e-6)


def test_a_contact_beyond_the_end_of_its_surface_is_infinitely_far():
    around = surround(contacts(), ["foot", "rest"], 0.0, [0.05, np.inf], COM)
    for far, gone in ((0.04, False), (0.06, True)):
        placed = around.at(Pose(UP, np.array([far, 0.0, 0.0])))
        assert np.isinf(placed.gaps).tolist() == [gone, False]


def test_joint_rows_keep_their_columns_and_unloaded_ones_go():
    rows = hf.JointRows(
        np.arange(12.0).reshape(2, 6) * [[0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1]], [1, 2], [3, 4], ("p", "q")
    )
    assembly = hf.Assembly(contacts().contacts, rows)
    around = surround(assembly, "rest", 0.0, np.inf, COM)
    placed = around.at(Pose.identity())
    both, first = around.touching(placed, (0, 1)), around.touching(placed, (0,))
    np.testing.assert_array_equal(both.joints.jacobian, rows.jacobian)
    np.testing.assert_array_equal(first.joints.jacobian, rows.jacobian[1:, :3])
    assert first.joints.names == ("q",) and [c.name for c in first.contacts] == ["a"]
    alone = hf.Assembly(contacts().contacts, hf.JointRows(rows.jacobian[:1], [1], [3]))
    assert surround(alone, "rest", 0.0, np.inf, COM).touching(placed, (0,)).joints is None


def test_bad_words_and_numbers_are_refused():
    with pytest.raises(UnknownNameError, match="rest, foot, ball"):
        surround(contacts(), "feet", 0.0, np.inf, COM)
    with pytest.raises(InputError, match="touch"):
        surround(contacts(), ["foot"], 0.0, np.inf, COM)
    with pytest.raises(InputError, match=r"gaps\[1\]"):
        surround(contacts(), "foot", [0.0, -1.0], np.inf, COM)
    with pytest.raises(InputError, match=r"reach\[0\]"):
        surround(contacts(), "foot", 0.0, [-1.0, 1.0], COM)
    with pytest.raises(InputError, match="infinite"):
        surround(contacts(), "foot", np.inf, np.inf, COM)
    with pytest.raises(InputError, match="no ball"):
        surround(contacts(), "ball", 0.0, np.inf, COM)
