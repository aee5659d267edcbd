"""Flat and hierarchical answers on many postures: never a contradiction, scales in order, words that say so."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from holdfast import Pose, models
from holdfast.assembly.contacts import Patch
from holdfast.postures import Certainty
from holdfast.robots import ContactSite, Hand, Robot, compare_hierarchical, hierarchical_body, learned_hand, whole_body
from holdfast.solvers import Status
from holdfast.statics.solver import Solver
from tests.robots.sample_robots import SOLE, crouching, flat_feet, legged

DOWN = np.array([0.0, 0.0, -9.81])


def test_two_hundred_postures_agree_wherever_the_bounds_say_they_must():
    robot, rng = Robot.from_urdf(legged(effort=12.0)), np.random.default_rng(0)
    feet = flat_feet()
    grip = learned_hand(robot, crouching(robot), feet[0], n=70).grip
    hands = [foot.with_grip(grip) for foot in feet]
    touches = [touch for hand in hands for touch in hand.touches]
    seen: Counter[tuple[Status, Certainty]] = Counter()
    solver = None
    for index in range(200):
        q = crouching(robot)
        q[7:] += 0.25 * rng.normal(size=12)
        gravity = DOWN + rng.normal(size=3)
        whole = whole_body(robot, q, touches, gravity)
        if solver is None:
            solver = Solver(whole.assembly)
        else:
            solver.move_to(whole.assembly)
        flat, answer = solver.equilibrium(whole.load), hierarchical_body(robot, q, hands, gravity).equilibrium()
        seen[flat.status, answer.certainty] += 1
        if index % 8 == 0 and answer.certainty is not Certainty.UNCERTAIN:
            assert answer.verify()
            assert flat.verify()
    assert seen[Status.DOES_NOT_HOLD, Certainty.CERTAINLY] == 0
    assert seen[Status.HOLDS, Certainty.CERTAINLY_NOT] == 0
    assert seen[Status.HOLDS, Certainty.CERTAINLY] > 40
    assert seen[Status.DOES_NOT_HOLD, Certainty.CERTAINLY_NOT] > 25


def test_spines_held_surely_are_never_contradicted_by_the_exact_unions_of_pieces():
    robot, rng = Robot.from_urdf(legged(effort=60.0)), np.random.default_rng(1)
    unit = Patch.rectangle(Pose.identity(), (0.06, 0.04), models.microspine().scaled(2.0))
    feet = [Hand(f"foot{i}", (ContactSite(f"foot{i}", unit, SOLE),)) for i in range(4)]
    grip = learned_hand(robot, crouching(robot), feet[0], n=100, surely=True).grip
    hands = [foot.with_grip(grip) for foot in feet]
    touches = [touch for hand in hands for touch in hand.touches]
    seen: Counter[tuple[Status, Certainty]] = Counter()
    for index in range(8):
        q = crouching(robot, bend=0.1)
        q[7:] += 0.1 * rng.normal(size=12)
        gravity = (1.5, 5.0)[index % 2] * (DOWN + rng.normal(size=3))
        flat = whole_body(robot, q, touches, gravity).equilibrium()
        seen[flat.status, hierarchical_body(robot, q, hands, gravity).equilibrium().certainty] += 1
    assert seen[Status.DOES_NOT_HOLD, Certainty.CERTAINLY] == 0
    assert seen[Status.HOLDS, Certainty.CERTAINLY_NOT] == 0
    assert seen[Status.HOLDS, Certainty.CERTAINLY] > 1
    assert seen[Status.DOES_NOT_HOLD, Certainty.CERTAINLY_NOT] > 1


def test_the_report_brackets_the_exact_scale_and_says_what_limbs_cost():
    robot = Robot.from_urdf(legged(effort=12.0))
    q = crouching(robot)
    feet = flat_feet()
    grip = learned_hand(robot, q, feet[0], n=60).grip
    found = compare_hierarchical(robot, q, [foot.with_grip(grip) for foot in feet], DOWN)
    inner, outer = found.scales
    assert inner <= found.flat_scale * (1 + 1e-6) <= outer * (1 + 2e-6)
    assert found.agrees
    assert not found.contradicts
    assert found.concavity == 0.0
    assert found.free_scales[1] >= outer * (1 - 1e-9)
    assert "holds. Hand by hand: certainly." in str(found)
    opposite = replace(found, answer=replace(found.answer, certainty=Certainty.CERTAINLY_NOT))
    assert opposite.contradicts
    assert "contradict" in str(opposite)
    between = replace(found, answer=replace(found.answer, certainty=Certainty.UNCERTAIN))
    assert "between the bounds" in str(between)
