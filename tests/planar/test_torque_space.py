"""The space of the analysis: its rows are the laws of the system at physical points."""

from __future__ import annotations

import numpy as np

from holdfast.planar.torque_space import DisturbanceSet, Task, TorqueSpace, scaled_set
from holdfast.planar.torques import torque_sets
from tests.planar.greenfield import BOX, two_links


def test_points_of_the_space_obey_the_equations_of_motion():
    system = two_links()
    space = TorqueSpace(system, DisturbanceSet.box(*BOX))
    x = np.random.default_rng(0).normal(size=space.width - 1)
    a, f, tau = space.physical(x)
    acting = space.disturbance.centre + space.disturbance.basis @ x[space.disturbances]
    force = system.bias + acting + system.selector @ tau + system.jacobian.T @ f
    assert np.allclose(system.mass_matrix @ a, force)
    assert np.allclose(space.contact_accelerations @ np.append(x, 1.0), system.jacobian @ a)
    rows, _ = space.task(Task(a=[1.0, 0, 0, 2.0], f=[0, 3.0, 0, 0, 0, 0], tau=[4.0], c=5.0), "task")
    assert np.isclose(rows[0] @ np.append(x, 1.0), a[0] + 2 * a[3] + 3 * f[1] + 4 * tau[0] - 5.0)


def test_answers_do_not_depend_on_the_units_of_mass_and_length():
    """Ten thousand times heavier and a hundred times longer: torques grow by the product, nothing else changes."""
    from holdfast.planar.chains import Chain
    from tests.planar.greenfield import LEFT, LENGTH, MASS, RIGHT

    def snake(mass: float, length: float, mu: float):
        q = (0.0, 0.0, *np.deg2rad([135.0, -90.0]))
        contacts = [(0, RIGHT, mu), (1, LEFT, mu), (2, RIGHT, mu)]
        return torque_sets(Chain([length] * 2, mass).system(q, None, contacts), "FFF")

    for mu in (0.3, 1.5):
        small, large = snake(MASS * 1e-4, LENGTH * 1e-2, mu), snake(MASS, LENGTH, mu)
        assert small.overlaps == large.overlaps
        assert np.allclose(small.unique[0].b * 1e6, large.unique[0].b)
        tau = np.linspace(-0.3, 0.3, 31)
        assert (small.classify(tau * 1e-6) == large.classify(tau)).all()


def test_scaling_a_set_moves_its_points():
    feasible = torque_sets(two_links(), "FFF").feasible
    assert np.allclose(scaled_set(feasible, 2.0).generators.vertices, 2.0 * feasible.generators.vertices)
