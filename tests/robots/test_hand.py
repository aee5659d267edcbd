"""A hand of a robot: its own rows, its grip, and that limbs see it through the palm's wrench alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import Assembly, LazyGrip, Pose, flat_assembly, frame_from_normal, joint_rows, models
from holdfast.errors import InputError
from holdfast.robots import ContactSite, Hand, Robot, contacts, hand_assembly, lazy_hand, learned_hand, whole_body
from holdfast.robots.bodies import checked_hands, own_joints
from tests.robots.sample_robots import flat_feet, joint, legged, link, random_posture, urdf

DOWN = np.array([0.0, 0.0, -9.81])


def gripping(mass: float = 0.0) -> tuple[Robot, Hand]:
    """A body with one arm, a palm and two fingers, each with a pad; finger links weigh `mass`."""
    parts = [
        link("body", 3.0),
        link("arm", 1.0, (0, 0, 0.1)),
        link("palm", 0.2),
        joint("shoulder", "body", "arm", (0.1, 0, 0), effort=20.0),
        joint("wrist", "arm", "palm", (0, 0, 0.2), "1 0 0", effort=5.0),
    ]
    touches = []
    for name, side in (("left", 1.0), ("right", -1.0)):
        parts += [
            link(f"{name}", mass, (0, 0, 0.03)),
            joint(f"{name} knuckle", "palm", name, (0.0, 0.03 * side, 0.02), "1 0 0", effort=0.4),
        ]
        frame = Pose(frame_from_normal((0, -side, 0), (0, 0, -1)), np.array([0, -0.01 * side, 0.05]))
        touches.append(ContactSite(name, models.coulomb(0.6, cap=30.0), frame))
    return Robot.from_urdf(urdf(*parts, name="gripping")), Hand("palm", tuple(touches))


def test_the_hands_own_joints_are_those_beyond_the_palm():
    robot, hand = gripping()
    assert own_joints(robot, hand) == ("left knuckle", "right knuckle")
    rows = hand_assembly(robot, robot.neutral(), hand).joints
    assert rows.names == ("left knuckle", "right knuckle")


def test_rows_of_the_hand_are_rows_of_the_whole_body_and_limbs_feel_the_palms_wrench_alone():
    robot, hand = gripping(0.3)
    rng = np.random.default_rng(0)
    q = random_posture(robot, rng, 0.5)
    alone = hand_assembly(robot, q, hand, DOWN)
    whole = whole_body(robot, q, hand.touches, DOWN)
    chosen = [robot.joint_index(name) for name in own_joints(robot, hand)]
    assert_allclose(alone.joints.jacobian, whole.joint_rows.jacobian[chosen], atol=1e-12)
    assert_allclose(alone.joints.lower, whole.joint_rows.lower[chosen], atol=1e-12)
    forces = rng.normal(size=(2, 3))
    palm = hand.pose(robot, q)
    arms = alone.positions - palm.translation
    wrench = np.concatenate([forces.sum(axis=0), np.cross(arms, forces).sum(axis=0)])
    jacobian, _ = robot.link_jacobians(q, ["palm"])
    felt = robot.gravity_torques(q, DOWN) - jacobian[0][:, 6:].T @ wrench
    for name in ("shoulder", "wrist"):
        row = robot.joint_index(name)
        assert_allclose(whole.joint_torques(forces)[row], felt[row], atol=1e-12)


def test_grips_know_the_gravity_that_weighs_on_fingers():
    robot, light = gripping()
    heavy_robot, heavy = gripping(0.1)
    q = random_posture(robot, np.random.default_rng(1), 0.3)
    assert lazy_hand(robot, q, light, DOWN).grip.palm_gravity is None
    assert_allclose(lazy_hand(heavy_robot, q, heavy, DOWN).grip.palm_gravity, heavy.pose(robot, q).rotation.T @ DOWN)
    learned = learned_hand(heavy_robot, q, heavy, DOWN, n=20).grip
    assert_allclose(learned.palm_gravity, heavy.pose(robot, q).rotation.T @ DOWN)
    assert learned.facts.joint_limits


def test_a_lazy_hand_gives_what_its_assembly_does():
    robot, hand = gripping(0.1)
    q = random_posture(robot, np.random.default_rng(2), 0.3)
    grip = lazy_hand(robot, q, hand, DOWN).grip
    flat = flat_assembly([grip], [hand.pose(robot, q)])
    alone = hand_assembly(robot, q, hand, DOWN)
    assert_allclose(flat.positions, alone.positions, atol=1e-12)
    assert_allclose(flat.joints.jacobian, alone.joints.jacobian, atol=1e-12)


def test_forces_on_what_is_gripped_and_their_reactions_are_the_same_hand():
    robot, hand = gripping(0.1)
    q = random_posture(robot, np.random.default_rng(3), 0.3)
    palm, touching = hand.pose(robot, q), contacts(robot, q, hand.touches)
    own = [robot.joint_index(name) for name in own_joints(robot, hand)]
    weight = robot.gravity_torques(q, DOWN)[own]
    rows = joint_rows([robot.joints[i] for i in own], q[7:][own], touching.joint_jacobian[own], weight)
    reaction = LazyGrip(Assembly(touching.contacts, rows), palm, "reaction")
    direct = lazy_hand(robot, q, hand, DOWN).grip
    ways = np.random.default_rng(4).normal(size=(20, 6))
    assert_allclose(reaction.supports(ways).values, direct.supports(ways).values, rtol=1e-7, atol=1e-7)


def test_bad_hands_are_refused():
    robot = Robot.from_urdf(legged())
    feet = flat_feet()
    with pytest.raises(InputError, match="is not beyond the palm 'foot1'"):
        checked_hands(robot, [Hand("foot1", feet[0].touches)])
    with pytest.raises(InputError, match="hands: is empty"):
        checked_hands(robot, [])
    with pytest.raises(InputError, match="faces a direction of the world"):
        Hand("foot0", (ContactSite("foot0", models.coulomb(0.5), facing=np.eye(3)),))
    with pytest.raises(InputError, match="grip: is a str"):
        Hand("foot0", feet[0].touches, grip="tight")  # pyright: ignore[reportArgumentType]
    gripper, hand = gripping()
    finger = Hand("left", hand.touches[:1])
    with pytest.raises(InputError, match="on one chain"):
        checked_hands(gripper, [hand, finger])
    with pytest.raises(InputError, match="on one chain"):
        checked_hands(gripper, [finger, hand])
