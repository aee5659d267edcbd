"""Bringing vertices in as needed finds what all of them at once give, with few of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import models
from holdfast.robots import ContactSite, Robot, whole_body
from holdfast.robots.torques import TorqueProgram
from tests.robots.sample_robots import SOLE, crouching, legged


@pytest.mark.parametrize("question", ["most_margin", "least_norm"])
def test_few_vertices_give_the_answer_of_all(question):
    robot = Robot.from_urdf(legged())
    touches = [ContactSite(f"foot{i}", models.microspine(), SOLE) for i in range(4)]
    body = whole_body(robot, crouching(robot, bend=0.2), touches)
    answer = body.equilibrium()
    hulls = [contact.volume.hull() for contact in body.assembly.contacts]
    few, all_of_them = (TorqueProgram(body, hulls, answer.local_forces) for _ in range(2))
    all_of_them.active[:] = True
    first, second = getattr(few, question)(), getattr(all_of_them, question)()
    assert_allclose(first[1], second[1], rtol=1e-5)
    assert few.active.sum() < 0.6 * len(few.active)
    forces = few.forces(first[0])
    for piece, force in zip(hulls, forces, strict=True):
        assert piece.signed_distance(force) <= 1e-7 * piece.size
    world = np.einsum("kij,kj->ki", body.assembly.rotations, forces)
    assert_allclose(body.assembly.wrench_matrix @ world.ravel(), -body.load, atol=1e-6 * np.abs(body.load).max())


def test_a_start_that_holds_alone_is_enough_where_the_rest_cannot():
    robot = Robot.from_urdf(legged())
    body = whole_body(robot, crouching(robot), [ContactSite(f"foot{i}", models.coulomb(0.6), SOLE) for i in range(4)])
    forces = body.equilibrium().local_forces
    program = TorqueProgram(body, [c.volume.polytopes[0] for c in body.assembly.contacts], forces)
    weights = np.zeros(sum(program.sizes))
    weights[program.first] = 1.0
    assert_allclose(program.forces(weights), forces)
