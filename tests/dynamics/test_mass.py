"""Mass matrices against clouds of point masses, and what is none."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.dynamics import mass_matrix
from holdfast.errors import InputError


def test_it_is_the_sum_over_point_masses():
    """Each point accelerates by a + alpha x x; its inertia force has a moment about the origin."""
    rng = np.random.default_rng(0)
    points, masses = rng.normal(size=(20, 3)), rng.uniform(0.1, 2.0, 20)
    total = masses.sum()
    com = masses @ points / total
    arms = points - com
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
    twist = rng.normal(size=6)
    forces = masses[:, None] * (twist[:3] + np.cross(twist[3:], points))
    wrench = np.concatenate([forces.sum(axis=0), np.cross(points, forces).sum(axis=0)])
    np.testing.assert_allclose(mass_matrix(total, inertia, com) @ twist, wrench, rtol=1e-12)


def test_energy_does_not_depend_on_where_the_origin_is():
    inertia = np.diag([0.1, 0.2, 0.25])
    near, far = mass_matrix(2.0, inertia), mass_matrix(2.0, inertia, (1e3, -2e3, 5e2))
    twist = np.array([1.0, 2.0, 3.0, -1.0, 0.5, 0.2])  # of the centre of mass
    moved = twist - np.concatenate([np.cross(twist[3:], (1e3, -2e3, 5e2)), np.zeros(3)])
    assert moved @ far @ moved == pytest.approx(twist @ near @ twist, rel=1e-8)


@pytest.mark.parametrize(
    "mass, inertia, com, where",
    [
        (0.0, np.eye(3), (0, 0, 0), "mass"),
        (-1.0, np.eye(3), (0, 0, 0), "mass"),
        (1.0, np.diag([1.0, 1.0, 0.0]), (0, 0, 0), "inertia"),
        (1.0, np.array([[1.0, 0.9, 0], [0.9, 1.0, 0.9], [0, 0.9, 1.0]]), (0, 0, 0), "inertia"),
        (1.0, np.array([[1.0, 0.1, 0], [0, 1.0, 0], [0, 0, 1.0]]), (0, 0, 0), "inertia"),
        (1.0, np.eye(2), (0, 0, 0), "inertia"),
        (1.0, np.eye(3), (0, 0), "com"),
        (1.0, np.eye(3), (0, 0, np.inf), "com"),
    ],
)
def test_what_no_body_has_is_refused_by_name(mass, inertia, com, where):
    with pytest.raises(InputError) as error:
        mass_matrix(mass, inertia, com)
    assert error.value.where.startswith(where)


def test_it_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        mass_matrix(1.0, np.eye(3))[0, 0] = 2.0
