"""Hands: poses in all their forms, and what is wrong with those that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from holdfast.errors import FrameError, InputError, UnitError
from holdfast.geometry.frames import Pose, rotation_about, wrench_transport
from holdfast.grips import Grip, GripBounds, OuterGrip
from holdfast.postures.hands import are_rigid, arrays_of, checked_hands, checked_wrench, checked_wrenches, transports

GRIP = Grip.box([-1] * 6, [1] * 6)
TURN = rotation_about([1, 2, 3], 0.7)
SHIFT = np.array([0.1, -0.2, 0.3])
MATRIX = np.block([[TURN, SHIFT[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


@pytest.mark.parametrize(
    "poses",
    [
        Pose(TURN, SHIFT),
        (TURN, SHIFT),
        [TURN.tolist(), SHIFT.tolist()],
        MATRIX,
        [(TURN, SHIFT)],
        MATRIX[None],
        [MATRIX],
    ],
)
def test_every_form_of_a_pose_gives_the_same_hand(poses: Any) -> None:
    hands = checked_hands(GRIP, poses)
    assert len(hands) == 1
    assert hands.maps[0] == pytest.approx(wrench_transport(TURN, SHIFT), abs=1e-15)


def test_two_poses_are_not_taken_for_one() -> None:
    assert len(checked_hands(GRIP, [(TURN, SHIFT), (np.eye(3), np.zeros(3))])) == 2
    assert len(checked_hands(GRIP, (Pose(TURN, SHIFT), Pose.identity()))) == 2


def test_transports_are_those_of_the_frames_room() -> None:
    poses = [Pose(rotation_about([1, 0, i], 0.3 * i + 0.1), SHIFT * i) for i in range(4)]
    expected = [wrench_transport(pose.rotation, pose.translation) for pose in poses]
    assert transports(*arrays_of(poses)) == pytest.approx(np.array(expected), abs=1e-15)


@pytest.mark.parametrize(
    ("poses", "kind", "where"),
    [
        ([(np.eye(3), SHIFT), (2.0 * np.eye(3), SHIFT)], FrameError, r"poses\[1\]"),
        ([(np.diag([1.0, 1.0, -1.0]), SHIFT)], FrameError, r"poses\[0\].*left-handed"),
        ([MATRIX + np.eye(4)[[3]].T * 0.1], FrameError, r"poses\[0\]"),
        ([(np.eye(3), [0.0, np.nan, 0.0])], InputError, r"poses\[0\]"),
        ([(np.eye(3), [0.0, 2e4, 0.0])], UnitError, r"poses\[0\]"),
        ([], InputError, "poses: is empty"),
        (3.0, InputError, "poses"),
        ([np.zeros(7)], InputError, r"poses\[0\]"),
    ],
)
def test_what_is_no_rigid_pose_is_refused_by_its_number(poses: Any, kind: type[Exception], where: str) -> None:
    with pytest.raises(kind, match=where):
        checked_hands(GRIP, poses)


def test_numbers_and_kinds_of_grips_are_checked() -> None:
    poses = [Pose.identity(), Pose(TURN, SHIFT)]
    with pytest.raises(InputError, match="grips: is empty"):
        checked_hands([], poses)
    with pytest.raises(InputError, match="2 for 3 hands"):
        checked_hands([GRIP] * 3, poses)
    with pytest.raises(InputError, match=r"grips\[1\].*ndarray"):
        checked_hands([GRIP, np.zeros((4, 6))], poses)
    with pytest.raises(InputError, match="grips: is a str"):
        checked_hands("hand", poses)
    with pytest.raises(InputError, match="grips: is a NoneType"):
        checked_hands(None, poses)


def test_grips_come_from_anything_to_go_through() -> None:
    hands = checked_hands((grip for grip in (GRIP, GRIP)), [Pose.identity(), Pose(TURN, SHIFT)])
    assert hands.grips == (GRIP, GRIP)


def test_wrenches_and_gravities_of_no_such_size_are_units_mistaken() -> None:
    tiny = np.array([0.0, 0.0, 1e-200, 0.0, 0.0, 0.0])
    with pytest.raises(UnitError, match="wrench: has no part above 1e-200"):
        checked_wrench("wrench", tiny)
    with pytest.raises(UnitError, match="wrench: has a part of 1e"):
        checked_wrench("wrench", np.full(6, 1e13))
    with pytest.raises(UnitError, match=r"wrenches\[1\]: has no part above"):
        checked_wrenches("wrenches", [np.zeros(6), tiny], 2)
    assert checked_wrenches("wrenches", np.arange(6.0), 2).tolist() == [list(range(6))] * 2
    assert checked_wrench("wrench", 1e190 * tiny)[2] == pytest.approx(1e-10)
    with pytest.raises(UnitError, match="gravity"):
        checked_hands(GRIP, Pose.identity(), gravity=(0.0, 0.0, -1e300))


def test_a_grip_learned_under_gravity_must_be_held_as_it_was_learned() -> None:
    down = np.array([0.0, 0.0, -9.81])
    learned = Grip(GRIP.vertices, palm_gravity=TURN.T @ down)
    checked_hands(learned, Pose(TURN, SHIFT), gravity=down)
    checked_hands(learned, Pose(TURN, SHIFT))
    with pytest.raises(InputError, match=r"poses\[0\].*gravity"):
        checked_hands(learned, Pose.identity(), gravity=down)
    with pytest.raises(InputError, match=r"poses\[1\].*grips\[0\]"):  # whatever down is, the two do not agree
        checked_hands(learned, [Pose(TURN, SHIFT), Pose.identity()])


def test_the_sides_of_bounds_are_picked_out() -> None:
    bounds = GripBounds(GRIP.scaled(0.5), OuterGrip.box([-1] * 6, [1] * 6))
    hands = checked_hands([bounds, GRIP], [Pose.identity()] * 2)
    assert hands.has_bounds
    assert hands.sided("inner").grips[0] is bounds.inner
    assert hands.sided("outer").grips[0] is bounds.outer
    assert hands.sided("outer").grips[1] is GRIP


def test_the_quick_look_at_matrices_finds_what_is_not_rigid() -> None:
    assert are_rigid(np.array([MATRIX, np.eye(4)]))
    for change in (np.diag([1.0, 1.0, -1.0, 1.0]), 1.1 * np.eye(4), np.eye(4) + np.eye(4)[[0]].T @ np.eye(4)[[1]]):
        assert not are_rigid(np.array([MATRIX, change]))
