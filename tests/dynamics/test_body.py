from __future__ import annotations

import numpy as np
import pytest

from holdfast.dynamics import mass_matrix
from holdfast.dynamics.mass import RigidBody, centre_of_mass
from holdfast.errors import InputError
from holdfast.geometry.frames import Pose, rotation_about


def test_the_centre_of_mass_is_read_off_the_mass_matrix():
    com = (0.2, -0.1, 0.7)
    np.testing.assert_allclose(centre_of_mass(mass_matrix(3.0, np.eye(3), com)), com, atol=1e-12)


def test_the_body_moves_with_its_mass_matrix():
    com, inertia = np.array([0.1, -0.2, 0.3]), np.diag([1.0, 2.0, 2.5])
    body = RigidBody.from_matrix(mass_matrix(2.0, inertia, com))
    np.testing.assert_allclose(body.com, com, atol=1e-12)
    np.testing.assert_allclose(body.inertia, inertia, atol=1e-12)
    turn = rotation_about((1, 2, 3), 0.7)
    moved = body.matrix_at(Pose(turn, np.array([1.0, 0.0, 0.0])))
    expected = mass_matrix(2.0, turn @ inertia @ turn.T, turn @ com + [1.0, 0.0, 0.0])
    np.testing.assert_allclose(moved, expected, atol=1e-12)


def test_other_matrices_are_refused():
    apart = mass_matrix(2.0, np.eye(3), (0.1, 0.2, 0.3)).copy()
    apart[3:, :3] += 0.1
    for matrix in (np.diag([1.0, 2.0, 1.0, 1.0, 1.0, 1.0]), apart):
        with pytest.raises(InputError, match="rigid body"):
            RigidBody.from_matrix(matrix)
