"""What several bodies do that are not held: Newton's equations body by body, and the least acceleration of all."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from scipy.sparse import csc_matrix

import holdfast as hf
from holdfast.assembly.shapes import Box
from holdfast.scenes import Scene
from tests.several_bodies import external, names_of

GRAVITY = 9.80665


def stack(count: int, mu: float) -> Scene:
    """Cubes of 0.1 m and 1, 2, ... kg one upon another on a floor."""
    bodies = [
        hf.RigidBody(at + 1.0, name=f"cube {at}", shape=Box([0.1] * 3, hf.Pose(np.eye(3), [0, 0, 0.1 * at + 0.05])))
        for at in range(count)
    ]
    floor = Box([10.0, 10.0, 0.1], hf.Pose(np.eye(3), [0, 0, -0.05]))
    return Scene.touching(bodies, hf.models.coulomb(mu, facets=4), world=[floor])


def least_value(assembly: hf.Assembly, load: np.ndarray, mass: np.ndarray) -> float:
    """min q'' B q'' over all forces of the cones whose contact points do not accelerate into each other, by Clarabel.

    Unknowns are the weights of the rays and the accelerations: B q'' = W f + w, and along each normal the point of
    `body` does not accelerate towards that of `against`.
    """
    clarabel = import_module("clarabel")
    names, rays = names_of(assembly), []
    for i, contact in enumerate(assembly.contacts):
        rays += [(i, contact.rotation @ ray / np.linalg.norm(ray)) for ray in contact.volume.rays[0]]
    size, q = 6 * len(names), len(rays)
    push = np.zeros((size, q))
    for column, (i, force) in enumerate(rays):
        forces = np.zeros((len(assembly.contacts), 3))
        forces[i] = force
        push[:, column] = external(assembly, forces)
    apart = np.zeros((len(assembly.contacts), size))
    for row, contact in enumerate(assembly.contacts):
        forces = np.zeros((len(assembly.contacts), 3))
        forces[row] = contact.rotation[:, 2]
        apart[row] = external(assembly, forces)  # power of a unit normal force: the rate of opening
    quadratic = np.zeros((q + size, q + size))
    quadratic[q:, q:] = mass
    rows = np.block(
        [
            [-push, mass],
            [-np.eye(q), np.zeros((q, size))],
            [np.zeros((len(apart), q)), -apart],
        ]
    )
    right = np.concatenate([load, np.zeros(q + len(apart))])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.ZeroConeT(size), clarabel.NonnegativeConeT(q + len(apart))]
    solver = clarabel.DefaultSolver(
        csc_matrix(np.triu(quadratic)), np.zeros(q + size), csc_matrix(rows), right, cones, settings
    )
    twist = np.array(solver.solve().x)[q:]
    return float(twist @ mass @ twist)


@pytest.mark.parametrize(
    ("count", "push", "at"),
    [(2, 30.0, 1), (2, 60.0, 0), (4, 60.0, 2), (9, 400.0, 4)],
)
def test_each_body_obeys_newton_and_no_forces_accelerate_less(count, push, at):
    scene = stack(count, 0.4)
    load = scene.gravity_load() + scene.assembly.stacked({f"cube {at}": [push, 0, 0, 0, push * (0.1 * at + 0.05), 0]})
    mass = scene.mass_matrix()
    answer = hf.separation(scene.assembly, load, mass)
    assert answer.status == "separates"
    assert answer.verify()
    wrenches = (external(scene.assembly, answer.forces) + load).reshape(-1, 6)
    for body, wrench, twist in zip(scene.bodies, wrenches, answer.acceleration.reshape(-1, 6), strict=True):
        centre = twist[:3] + np.cross(twist[3:], body.com)
        np.testing.assert_allclose(body.mass * centre, wrench[:3], atol=1e-6 * push)
        inertia = body.mass * 0.1**2 / 6.0
        torque = wrench[3:] - np.cross(body.com, wrench[:3])
        np.testing.assert_allclose(inertia * twist[3:], torque, atol=1e-7 * push)
    assert answer.value == pytest.approx(least_value(scene.assembly, load, mass), rel=1e-5)


def test_a_cube_pushed_off_a_stack_leaves_the_others_at_rest():
    """The upper cube slides by itself; what lies below bears its friction and stays."""
    scene = stack(2, 0.4)
    load = scene.gravity_load() + scene.assembly.stacked({"cube 1": [10.0, 0, 0, 0, 10.0 * 0.11, 0]})
    answer = hf.separation(scene.assembly, load, scene.mass_matrix())
    lower, upper = answer.acceleration.reshape(2, 6)
    assert answer.status == "separates"
    np.testing.assert_allclose(lower, 0.0, atol=1e-6)
    assert upper[0] > 0.0


def test_what_holds_does_not_move():
    scene = stack(3, 0.4)
    answer = hf.separation(scene.assembly, scene.gravity_load(), scene.mass_matrix())
    assert answer.holds
    assert not answer.acceleration.any()
    assert answer.verify()
