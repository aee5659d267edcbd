"""Robots: kinematics and weights by hand and by differences, whole bodies by cutting limbs, torques, coupled joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog

import holdfast as hf
from holdfast.robots import ContactSite, Hand, Robot, hierarchical_body, holding_torques, whole_body
from tests.nightly import nightly_after
from tests.robots.sample_robots import (
    SOLE,
    crouching,
    joint,
    legged,
    link,
    point_feet,
    random_posture,
    two_link_arm,
    urdf,
)

DOWN = np.array([0.0, 0.0, -9.81])
STEP = 1e-5


def slopes(robot: Robot, q: np.ndarray, value) -> np.ndarray:
    """Central differences of value(q) along each entry of a velocity, in the last axis."""
    pairs = [(value(robot.moved(q, s)), value(robot.moved(q, -s))) for s in STEP * np.eye(robot.v_size)]
    return np.stack([(np.asarray(a) - np.asarray(b)) / (2 * STEP) for a, b in pairs], axis=-1)


def test_a_two_link_arm_is_as_hand_formulas_say():
    l1, l2, m1, m2, g = 0.4, 0.3, 2.0, 1.0, 9.81
    robot = Robot.from_urdf(two_link_arm(l1, l2, m1, m2), base="fixed")
    for a, b in np.random.default_rng(3).uniform(-2, 2, (8, 2)):
        q = robot.configuration({"shoulder": a, "elbow": b})
        tip = l1 * np.array([np.cos(a), 0, np.sin(a)]) + l2 * np.array([np.cos(a + b), 0, np.sin(a + b)])
        assert_allclose(robot.frame_pose(q, "tip").translation, tip, atol=1e-12)
        x1, x2 = l1 * np.cos(a), l2 * np.cos(a + b)
        elbow, shoulder = m2 * g * x2 / 2, m1 * g * x1 / 2 + m2 * g * (x1 + x2 / 2)
        assert_allclose(robot.gravity_torques(q, (0, 0, -g)), [shoulder, elbow], atol=1e-12)
        columns = np.array([[-tip[2], 0, tip[0]], [-l2 * np.sin(a + b), 0, x2]]).T
        assert_allclose(robot.point_jacobian(q, "tip", tip), columns, atol=1e-12)


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_jacobians_are_slopes_of_positions_and_gravity_torques_those_of_energy(base):
    robot, rng, gravity = Robot.from_urdf(legged(), base=base), np.random.default_rng(1), np.array([1.0, -2.0, -9.0])
    for _ in range(3):
        q, local = random_posture(robot, rng), rng.normal(size=3)
        point = robot.frame_pose(q, "foot2").apply(local)
        expected = slopes(robot, q, lambda x, local=local: robot.frame_pose(x, "foot2").apply(local))
        assert_allclose(robot.point_jacobian(q, "foot2", point), expected, atol=1e-8)
        energy = slopes(robot, q, lambda x: -robot.mass * gravity @ robot.com(x))
        assert_allclose(robot.generalised_gravity(q, gravity), energy, atol=1e-6)


def coupled(multiplier: float, offset: float) -> str:
    """Two phalanges of 50 and 40 mm, hinges about -y; the second follows the first; a strength of 0.6 N m."""
    return urdf(
        link("palm", 0.3),
        link("proximal", 0.02, (0.025, 0, 0)),
        link("distal", 0.01, (0.02, 0, 0)),
        link("tip"),
        joint("knuckle", "palm", "proximal", axis="0 -1 0", effort=0.6),
        joint(
            "dip", "proximal", "distal", (0.05, 0, 0), "0 -1 0", friction=0.02, follows=("knuckle", multiplier, offset)
        ),
        joint("nail", "distal", "tip", (0.04, 0, 0), kind="fixed"),
    )


@pytest.mark.parametrize(("multiplier", "offset"), [(1.0, 0.0), (0.5, 0.2), (-0.4, 0.5)])
def test_the_force_of_a_coupled_fingertip_is_what_virtual_work_says(multiplier, offset):
    robot, u = Robot.from_urdf(coupled(multiplier, offset), base="fixed"), 0.4
    q = robot.configuration({"knuckle": u})

    def tip_and_energy(x: float) -> np.ndarray:
        b = x + multiplier * x + offset
        first, second = np.array([np.cos(x), np.sin(x)]), np.array([np.cos(b), np.sin(b)])
        tip, energy = 0.05 * first + 0.04 * second, 9.81 * (0.03 * 0.025 + 0.01 * 0.025) * first[1]
        return np.array([*tip, energy + 9.81 * 0.01 * 0.02 * second[1]])

    h = 1e-6
    at = tip_and_energy(u)
    slope = (tip_and_energy(u + h) - tip_and_energy(u - h)) / (2 * h)
    # the energy above counts m1 at half of 50 mm and m2 at 50 mm plus half of 40 mm
    slope[2] += 9.81 * (0.02 * 0.025 + 0.01 * 0.05 - 0.03 * 0.025 - 0.01 * 0.025) * np.cos(u)
    assert_allclose(robot.gravity_torques(q, DOWN), [slope[2]], atol=1e-8)
    way = np.array([slope[0], 0.1, slope[1]]) / np.hypot(*slope[:2])
    tip = np.array([at[0], 0.0, at[1]])
    site = ContactSite("tip", hf.models.coulomb(50.0, cap=1e4, facets=16), hf.Pose(np.eye(3), np.zeros(3)))
    body = whole_body(robot, q, [site], DOWN)
    found = body.load_limit(-np.concatenate([way, np.cross(tip, way)]))
    strength = 0.6 + abs(multiplier) * 0.02
    expected = (strength - slope[2]) / float(slope[0] * way[0] + slope[1] * way[2])
    assert found.value == pytest.approx(expected, rel=1e-5) and len(body.joint_rows) == 1


def test_knee_torques_are_what_is_left_when_the_shin_is_cut_off():
    robot, rng = Robot.from_urdf(legged()), np.random.default_rng(0)
    q = random_posture(robot, rng, 0.5)
    body, forces = whole_body(robot, q, point_feet(), DOWN), rng.normal(size=(4, 3))
    torques = body.joint_torques(forces)
    for leg in range(4):
        shin, point = robot.frame_pose(q, f"shin{leg}"), robot.frame_pose(q, f"foot{leg}").translation
        knee, axis = shin.translation, shin.rotation[:, 1]
        weight = np.cross(shin.apply((0, 0, -0.12)) - knee, 0.5 * DOWN)
        expected = float(-axis @ (np.cross(point - knee, forces[leg]) + weight))
        assert_allclose(torques[robot.joint_index(f"knee{leg}")], expected, atol=1e-12)


def test_springs_of_joints_shift_rows_and_torques():
    robot = Robot.from_urdf(legged(legs=1), base="fixed")
    spring = hf.assembly.Joint("", -1.0, 1.0, stiffness=2.0, rest=0.5)
    q = robot.configuration({"knee0": 0.9})
    plain = whole_body(robot, q, point_feet(1), DOWN)
    sprung = whole_body(robot.with_joints({"knee0": spring}), q, point_feet(1), DOWN)
    row, gives = robot.joint_index("knee0"), -2.0 * (0.9 - 0.5)
    assert_allclose(sprung.joint_rows.upper[row], 1.0 + gives - plain.gravity_torques[row], atol=1e-12)
    assert_allclose(sprung.joint_rows.lower[row], -1.0 + gives - plain.gravity_torques[row], atol=1e-12)


@pytest.mark.parametrize(("effort", "holds"), [(100.0, True), (3.0, False)])
def test_a_table_stands_while_its_joints_bear_its_weight(effort, holds):
    """Legs in a square: each knee needs about 3.8 N m."""
    robot = Robot.from_urdf(legged(effort=effort))
    body = whole_body(robot, crouching(robot), point_feet(), DOWN)
    assert_allclose(body.load, hf.loads.gravity_wrench(robot.mass, DOWN, robot.com(crouching(robot))), atol=1e-12)
    answer = body.equilibrium()
    assert answer.verify() and answer.holds is holds
    tipped = whole_body(robot, crouching(robot), point_feet(), DOWN, load=(0, 0, 0, 0, 60.0, 0))
    assert not tipped.equilibrium().holds


def largest_growth(body, load: np.ndarray) -> float:
    """How often the load is borne, by a program over friction pyramids and joint torques."""
    columns, rows = [], []
    for i, contact in enumerate(body.assembly.contacts):
        for ray in contact.volume.rays[0]:
            force = np.zeros((len(body.assembly), 3))
            force[i] = contact.rotation @ ray
            columns.append(np.concatenate([force[i], np.cross(contact.position, force[i])]))
            rows.append(body.joint_torques(force) - body.gravity_torques)
    matrix, torques = np.array(columns).T, np.array(rows).T
    limit = np.array([j.torque_max + j.friction for j in body.robot.joints])
    found = linprog(
        np.r_[np.zeros(matrix.shape[1]), -1.0],
        A_ub=np.column_stack([np.vstack([torques, -torques]), np.zeros(2 * len(limit))]),
        b_ub=np.concatenate([limit - body.gravity_torques, limit + body.gravity_torques]),
        A_eq=np.column_stack([matrix, load]), b_eq=-body.load,
    )  # fmt: skip
    return -found.fun if found.status == 0 else -np.inf


@pytest.mark.parametrize("seed", nightly_after(2, range(10)))
def test_a_standing_robot_bears_what_a_program_over_cones_and_torques_says(seed):
    robot, rng = Robot.from_urdf(legged(effort=12.0)), np.random.default_rng(seed)
    body = whole_body(robot, crouching(robot), point_feet(), DOWN)
    push = rng.normal(size=3) * [10.0, 10.0, 3.0]
    load = np.concatenate([push, np.cross(robot.com(crouching(robot)), push)])
    found = hf.load_ramp(body.assembly, body.load, load)
    assert found.value == pytest.approx(largest_growth(body, load), rel=1e-5)


def test_torques_of_most_margin_are_where_tighter_limits_stop_holding():
    robot = Robot.from_urdf(legged())
    body = whole_body(robot, crouching(robot), point_feet(mu=0.4))
    found = holding_torques(body, "most margin")
    assert found.verify() and not replace(found, torques=found.torques + 1e-3).verify()
    rows = body.joint_rows
    held = []
    for share in (found.value * (1 - 1e-5), found.value * (1 + 1e-5)):
        half = 0.5 * (rows.upper - rows.lower) * share
        tight = hf.JointRows(rows.jacobian, rows.lower + half, rows.upper - half, rows.names)
        held.append(hf.equilibrium(hf.Assembly(body.assembly.contacts, tight), body.load).holds)
    assert held == [True, False]
    least = holding_torques(body)
    assert least.verify() and least.value == pytest.approx(np.linalg.norm(least.torques), rel=1e-9)
    assert least.value <= np.linalg.norm(found.torques) * (1 + 1e-6)


def ball_hands(cap: float = 90.0) -> list[Hand]:
    """Point feet whose grips are exact: the corners of the volume, no torque; the palm frame is the contact frame."""
    volume = hf.models.coulomb(0.7, cap=cap, facets=6)
    turn = SOLE.rotation @ np.diag([-1.0, 1.0, -1.0])  # forces on the robot, in a frame into it
    forces = (volume.pieces[0] * [1.0, -1.0, 1.0]) @ turn.T
    grip = hf.Grip(np.concatenate([forces, np.zeros_like(forces)], axis=1), length=0.1)
    return [Hand(f"foot{i}", (ContactSite(f"foot{i}", volume, SOLE),), grip) for i in range(4)]


def test_hands_with_limb_rows_give_the_verdict_and_scale_of_the_flat_problem():
    rng, hands, robot, seen = np.random.default_rng(0), ball_hands(), Robot.from_urdf(legged(effort=9.0)), set()
    for _ in range(6):
        q = crouching(robot)
        q[7:] += 0.2 * rng.normal(size=12)
        gravity = DOWN + rng.normal(size=3)
        flat = whole_body(robot, q, [site for hand in hands for site in hand.touches], gravity)
        body = hierarchical_body(robot, q, hands, gravity)
        answer = body.equilibrium()
        assert answer.verify() and (str(answer.certainty) == "certainly") == flat.equilibrium().holds
        seen.add(str(answer.certainty))
        limit = flat.load_limit()
        if limit.status == "optimal":
            assert body.largest_scale("inner") == pytest.approx(limit.value, rel=1e-5, abs=1e-6)
    assert seen == {"certainly", "certainly not"}


def test_a_planner_says_what_the_flat_problem_says():
    rng, hands, robot, seen = np.random.default_rng(3), ball_hands(), Robot.from_urdf(legged(effort=9.0)), set()
    planner = hf.robots.PosturePlanner(robot, hands, gravity=DOWN, joint_limits=False)
    for _ in range(8):
        q = crouching(robot)
        q[7:] += 0.3 * rng.normal(size=12)
        flat = whole_body(robot, q, [site for hand in hands for site in hand.touches], DOWN)
        held = flat.equilibrium().holds
        assert planner.feasible(q) is held
        seen.add(held)
        if held:  # how much the load may grow
            assert planner.margin(q) == pytest.approx(flat.load_limit().value - 1.0, rel=1e-5, abs=1e-5)
    assert seen == {True, False}


def test_feet_stand_where_their_links_are_and_the_ground_pushes_the_robot_up():
    robot = Robot.from_urdf(legged())
    q = crouching(robot)
    for i, contact in enumerate(whole_body(robot, q, point_feet(), DOWN).assembly.contacts):
        assert_allclose(contact.position, robot.frame_pose(q, f"foot{i}").translation, atol=1e-12)
        assert_allclose(contact.rotation[:, 2], [0, 0, 1.0], atol=1e-9)
