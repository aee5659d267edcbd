"""Poses over many grasps: the frame of the fingers' contacts, and what is told of contacts without a pose."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.kernels import contacts as hand_poses

UP = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]])


def test_the_frame_of_the_fingers_contacts_points_away_from_the_thumb():
    contacts = np.array([[1.0, -5.0], [-3.0, 2.0], [7.0, 2.0]])
    shape, heading, outcome = hand_poses.local_shape(contacts, UP, 1, 2)
    assert outcome == hand_poses.REACHED and heading == pytest.approx(np.pi / 2)
    assert shape == pytest.approx((10.0, 1.0, 7.0, 0.0, 2.0 * np.pi, 2.0 * np.pi))


@pytest.mark.parametrize(
    "contacts, outcome",
    [
        ([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], hand_poses.IN_LINE),
        ([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]], hand_poses.IN_LINE),
        ([[0.0, 0.0], [1.0, 3.0], [1.0, 3.0]], hand_poses.COINCIDENT),
        ([[1.0, 3.0], [1.0, 3.0], [1.0, 3.0]], hand_poses.COINCIDENT),
    ],
)
def test_contacts_without_a_triangle_have_no_frame(contacts, outcome):
    assert hand_poses.local_shape(np.array(contacts), UP, 1, 2)[2] == outcome


def test_rows_without_a_pose_are_left_as_they_are():
    contacts = np.array([[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [[0.0, -10.0], [-25.0, 10.0], [25.0, 10.0]]])
    spread, palm, axis, focus = np.full(2, 7.0), *(np.full((2, 2), 7.0) for _ in range(3))
    forces, reach, outcome = np.full((2, 3, 2), 7.0), np.full((2, 3), 7.0), np.full(2, -9)
    table = np.array(
        [[0.1, np.sin(0.1), np.cos(0.1)], [0.2, np.sin(0.2), np.cos(0.2)], [0.3, np.sin(0.3), np.cos(0.3)]]
    )
    hand_poses.solve(
        contacts, np.stack([UP, UP]), np.array([False, True]), 25.0, 150.0, table, np.empty((6, 3)),
        spread, palm, axis, forces, focus, reach, outcome,
    )  # fmt: skip
    assert outcome.tolist() == [hand_poses.IN_LINE, hand_poses.REACHED]
    assert (spread[0], *palm[0], *axis[0], *reach[0]) == (7.0,) * 8
    assert reach[1] == pytest.approx([10.0] * 3) and palm[1] == pytest.approx([0.0, 0.0])
    assert forces[1] == pytest.approx(UP) and focus[1].tolist() == [7.0, 7.0]
