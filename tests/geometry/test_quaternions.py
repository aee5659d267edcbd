"""Quaternions and rotations are each other's inverse, at half turns too."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import rotation_about
from holdfast.geometry.quaternions import quaternion_of, rotation_of


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, -2, 3)])
@pytest.mark.parametrize("angle", [0.0, 1e-9, 1.0, 3.0, np.pi, 4.0])
def test_there_and_back(axis, angle):
    turn = rotation_about(axis, angle)
    quaternion = quaternion_of(turn)
    assert_allclose(rotation_of(quaternion), turn, atol=1e-14)
    assert_allclose(np.linalg.norm(quaternion), 1.0, atol=1e-15)
    assert quaternion[3] >= 0.0
    half = np.append(np.sin(angle / 2) * np.array(axis) / np.linalg.norm(axis), np.cos(angle / 2))
    assert_allclose(abs(half @ quaternion), 1.0, atol=1e-14)
