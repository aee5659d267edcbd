"""Grips with limb rows: exact grips give the flat answers; every verdict carries its proof."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import Grip, OuterGrip, Pose, models, posture_equilibrium, rotation_about
from holdfast.errors import InputError
from holdfast.postures import Certainty
from holdfast.robots import ContactSite, Hand, Robot, hierarchical_body, lazy_hand, learned_hand, whole_body
from holdfast.solvers import Status
from tests.robots.sample_robots import SOLE, crouching, flat_feet, legged, random_posture, two_link_arm

DOWN = np.array([0.0, 0.0, -9.81])


def ball_hands(cap: float = 90.0) -> list[Hand]:
    """Point feet whose grips are exact: the corners of the volume, no torque; the palm frame is the contact frame."""
    volume = models.coulomb(0.7, cap=cap, facets=6)
    corners = volume.polytopes[0].vertices
    turn = SOLE.rotation @ np.diag([-1.0, 1.0, -1.0])  # forces on the robot, in a frame into it
    forces = (corners * [1.0, -1.0, 1.0]) @ turn.T
    grip = Grip(np.concatenate([forces, np.zeros_like(forces)], axis=1), length=0.1)
    return [Hand(f"foot{i}", (ContactSite(f"foot{i}", volume, SOLE),), grip) for i in range(4)]


def test_exact_grips_and_limb_rows_give_the_flat_verdict_and_the_flat_scale():
    rng, hands = np.random.default_rng(0), ball_hands()
    robot = Robot.from_urdf(legged(effort=9.0))
    seen = set()
    for _ in range(25):
        q = crouching(robot)
        q[7:] += 0.2 * rng.normal(size=12)
        gravity = DOWN + rng.normal(size=3)
        flat = whole_body(robot, q, [t for hand in hands for t in hand.touches], gravity)
        body = hierarchical_body(robot, q, hands, gravity)
        answer = body.equilibrium()
        assert answer.verify()
        assert (answer.certainty is Certainty.CERTAINLY) == flat.equilibrium().holds
        seen.add(answer.certainty)
        limit = flat.load_limit()
        scale = body.largest_scale("inner")
        if limit.status is Status.OPTIMAL:
            assert_allclose(scale, limit.value, rtol=1e-5, atol=1e-6)
    assert seen == {Certainty.CERTAINLY, Certainty.CERTAINLY_NOT}


def test_limb_torques_are_those_of_the_whole_body_under_the_same_forces():
    robot, hands, rng = Robot.from_urdf(legged()), ball_hands(), np.random.default_rng(1)
    q = random_posture(robot, rng, 0.5)
    flat = whole_body(robot, q, [t for hand in hands for t in hand.touches], DOWN)
    body = hierarchical_body(robot, q, hands, DOWN)
    forces = rng.normal(size=(4, 3))
    local = [hand.pose(robot, q).rotation.T @ f for hand, f in zip(hands, forces, strict=True)]
    found = body.limb_torques(np.concatenate([local, np.zeros((4, 3))], axis=1))
    assert_allclose(list(found.values()), flat.joint_torques(forces), atol=1e-10)


def test_a_palm_frame_off_its_link_changes_nothing_but_the_names_of_wrenches():
    robot = Robot.from_urdf(legged(effort=9.0))
    rng, q = np.random.default_rng(2), crouching(robot)
    frame = Pose(rotation_about((1, 2, 3), 0.8), np.array([0.03, -0.02, 0.05]))
    hands = ball_hands()
    moved = [Hand(h.palm, h.touches, h.grip.moved(frame.inverse()), frame) for h in hands if isinstance(h.grip, Grip)]
    for _ in range(5):
        gravity = DOWN + rng.normal(size=3)
        one, other = hierarchical_body(robot, q, hands, gravity), hierarchical_body(robot, q, moved, gravity)
        assert_allclose(one.largest_scale("inner"), other.largest_scale("inner"), rtol=1e-7)


def test_without_limb_limits_it_is_the_posture_of_the_paper():
    robot, rng = Robot.from_urdf(legged(effort=1.0)), np.random.default_rng(3)
    hands = ball_hands()
    for _ in range(10):
        q = crouching(robot)
        q[7:] += 0.2 * rng.normal(size=12)
        gravity = DOWN + 3 * rng.normal(size=3)
        body = hierarchical_body(robot, q, hands, gravity, limb_limits=False)
        poses = [hand.pose(robot, q) for hand in hands]
        expected = posture_equilibrium([hand.grip for hand in hands], poses, body.load)
        assert (body.equilibrium().certainty is Certainty.CERTAINLY) == expected.holds
    weak = hierarchical_body(robot, crouching(robot), hands, DOWN).equilibrium()
    assert weak.certainty is Certainty.CERTAINLY_NOT  # 1 N m is too little for any limb
    assert weak.outer.bound() > 0.0


def test_tampered_answers_are_not_verified():
    robot = Robot.from_urdf(legged())
    q = crouching(robot)
    good = hierarchical_body(robot, q, ball_hands(), DOWN).equilibrium().inner
    assert good.verify()
    assert not replace(good, wrenches=good.wrenches * 1.01).verify()
    bad = hierarchical_body(robot, q, ball_hands(), DOWN, load=(0, 0, 300, 0, 0, 0)).equilibrium().outer
    assert bad.verify()
    assert not replace(bad, multipliers=-bad.multipliers).verify()
    assert bad.lacking >= bad.bound() - 1e-6 * bad.body.size > 0.0


def test_half_spaces_alone_and_bounds_decide_their_side():
    robot = Robot.from_urdf(legged(effort=60.0))
    q = crouching(robot)
    (foot, *others) = flat_feet()
    bounds = learned_hand(robot, q, foot, n=40).grip
    hands = [hand.with_grip(bounds) for hand in (foot, *others)]
    assert hierarchical_body(robot, q, hands, DOWN).equilibrium().certainty is Certainty.CERTAINLY
    planes = [hand.with_grip(bounds.outer) for hand in hands]
    assert isinstance(planes[0].grip, OuterGrip)
    assert hierarchical_body(robot, q, planes, DOWN).equilibrium().verify()
    heavy = hierarchical_body(robot, q, hands, DOWN, load=(0, 0, -500, 0, 0, 0))
    assert heavy.equilibrium().certainty is Certainty.CERTAINLY_NOT
    assert heavy.largest_scale("inner") <= heavy.largest_scale("outer")


def test_bad_bodies_are_refused():
    robot = Robot.from_urdf(legged())
    q, feet = crouching(robot), flat_feet()
    with pytest.raises(InputError, match="has no grip"):
        hierarchical_body(robot, q, feet)
    with pytest.raises(InputError, match="has a LazyGrip"):
        hierarchical_body(robot, q, [lazy_hand(robot, q, feet[0])])
    arm = Robot.from_urdf(two_link_arm(), base="fixed")
    with pytest.raises(InputError, match="has a fixed base"):
        hierarchical_body(arm, arm.neutral(), feet)
