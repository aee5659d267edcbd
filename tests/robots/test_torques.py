"""The shortest point of a hull against non-negative least squares on all its vertices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from holdfast import equilibrium, models
from holdfast.errors import InputError, UnknownNameError
from holdfast.robots import ContactSite, Robot, RobotWarning, WholeBody, holding_torques, whole_body
from holdfast.robots.torques import TorqueProgram
from holdfast.solvers import Status
from tests.robots.sample_robots import SOLE, crouching, legged, link, point_feet, random_posture, urdf

# Bringing vertices in as needed finds what all of them at once give, with few of them.


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


# Torques of least norm and most margin against other formulations.


def standing(effort: float = 30.0, **feet) -> WholeBody:
    robot = Robot.from_urdf(legged(effort=effort))
    return whole_body(robot, crouching(robot), point_feet(**feet))


def test_least_norm_is_what_a_nonlinear_program_over_facets_finds():
    body = standing(effort=4.0)  # knees nearly at their limits
    found = holding_torques(body)
    assert found.status is Status.HOLDS
    assert found.verify()
    assert_allclose(found.value, np.linalg.norm(found.torques), rtol=1e-9)
    assert found.value - found.bound <= 1e-5 * found.value
    assembly = body.assembly
    planes = [c.volume.polytopes[0].halfspaces for c in assembly.contacts]
    jacobian, limit = assembly.joints.jacobian, np.array([j.torque_max + j.friction for j in body.robot.joints])

    def torques(f):
        return body.gravity_torques + jacobian @ f

    constraints = [
        {"type": "eq", "fun": lambda f: assembly.wrench_matrix @ f + body.load},
        {"type": "ineq", "fun": lambda f: np.concatenate([limit - torques(f), limit + torques(f)])},
    ]
    for i, (normals, offsets) in enumerate(planes):
        turned = normals @ assembly.rotations[i].T
        constraints.append({"type": "ineq", "fun": lambda f, a=turned, b=offsets, i=i: b - a @ f[3 * i : 3 * i + 3]})
    start = equilibrium(assembly, body.load).forces.ravel()
    other = minimize(lambda f: (torques(f) ** 2).sum() / 100, start, constraints=constraints, method="SLSQP", tol=1e-12)
    assert other.success
    assert_allclose(np.sqrt(100 * other.fun), found.value, rtol=1e-5)


@pytest.mark.parametrize("aim", ["least norm", "most margin"])
def test_unions_of_pieces_give_torques_that_hold_and_a_bound_that_no_choice_beats(aim):
    robot = Robot.from_urdf(legged())
    body = whole_body(robot, crouching(robot), [ContactSite(f"foot{i}", models.microspine(), SOLE) for i in range(4)])
    found = body.torques(aim)
    assert found.verify()
    worse = found.value >= found.bound - 1e-9 if aim == "least norm" else found.value <= found.bound + 1e-9
    assert worse
    assert set(found.by_joint) == set(robot.joint_names)


def test_tampered_torques_are_not_verified():
    found = holding_torques(standing())
    assert not replace(found, torques=found.torques + 0.01).verify()
    assert not replace(found, forces=found.forces * 1.001).verify()


def test_what_does_not_hold_has_no_torques():
    found = holding_torques(standing(effort=2.0))
    assert found.status is Status.DOES_NOT_HOLD
    assert found.torques is None
    assert not found.verify()
    assert found.by_joint == {}


def test_cones_and_motors_without_limits_have_a_least_norm_too():
    with pytest.warns(RobotWarning, match="infinitely strong: roll0, "):
        robot = Robot.from_urdf(legged().replace('effort="30.0"', ""))
    rng = np.random.default_rng(3)
    q = crouching(robot)
    q[7:] += 0.05 * rng.normal(size=12)
    body = whole_body(robot, q, point_feet(mu=0.8))
    found = holding_torques(body)
    assert found.verify()
    assert found.value - found.bound <= 1e-5 * found.value
    assert holding_torques(body, "most margin").value == np.inf


def test_bad_questions_are_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'least norm'"):
        holding_torques(standing(), "least norms")  # pyright: ignore[reportArgumentType]
    block = Robot.from_urdf(urdf(link("block", 1.0)))
    body = whole_body(
        block, random_posture(block, np.random.default_rng(0)), [ContactSite("block", models.coulomb(0.5))]
    )
    with pytest.raises(InputError, match="has no joints"):
        holding_torques(body)
