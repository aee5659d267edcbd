"""Where units touch and which forces they give: on what is touched, and the opposite ones on the robot."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import (
    Assembly,
    ForceVolume,
    Grip,
    Pose,
    diagnose,
    frame_from_normal,
    models,
    posture_equilibrium,
    rotation_about,
)
from holdfast.assembly import Joint, PlanarFinger, Suspension, joint_rows
from holdfast.assembly.contacts import Patch
from holdfast.assembly.loads import gravity_wrench
from holdfast.errors import InputError, UnknownNameError
from holdfast.grips import OuterGrip
from holdfast.grips.learning import exits, outer_reaches
from holdfast.postures import Certainty, LazyGrip, flat_assembly
from holdfast.robots import (
    ContactSite,
    Hand,
    Robot,
    RobotWarning,
    compare_hierarchical,
    contacts,
    hand_assembly,
    hierarchical_body,
    lazy_hand,
    learned_hand,
    whole_body,
)
from holdfast.robots.bodies import HandProgram, WrenchRows, checked_hands, mirrored_sideways, own_joints
from holdfast.solvers import Status
from holdfast.statics.solver import Solver
from tests.robots.sample_robots import (
    SOLE,
    crouching,
    flat_feet,
    joint,
    legged,
    link,
    planar_finger,
    point_feet,
    random_posture,
    two_link_arm,
    urdf,
)

LOPSIDED = ForceVolume([[[0, 0, 0], [10, 4, 1], [10, -1, 1], [5, 0, 9], [0, 2, 3]]])


def test_units_move_with_their_links_and_share_their_volumes():
    robot = Robot.from_urdf(legged())
    unit = Patch.rectangle(Pose.identity(), (0.02, 0.04), models.coulomb(0.5))
    q = random_posture(robot, np.random.default_rng(0))
    touches = [ContactSite("foot1", unit, SOLE), ContactSite("shin3", models.coulomb(0.5), SOLE, "shin pad")]
    found = contacts(robot, q, touches)
    assert [c.name for c in found.contacts] == ["foot1[0]", "foot1[1]", "foot1[2]", "foot1[3]", "shin pad"]
    assert found.touch_of.tolist() == [0, 0, 0, 0, 1]
    foot = robot.frame_pose(q, "foot1")
    corners = [(-0.01, 0.02, 0), (0.01, 0.02, 0), (0.01, -0.02, 0), (-0.01, -0.02, 0)]
    assert_allclose([c.position for c in found.contacts[:4]], foot.apply(corners), atol=1e-12)
    assert_allclose(found.frames[0].rotation[:, 2], -foot.rotation[:, 2], atol=1e-12)
    assert len({id(c.volume) for c in found.contacts[:4]}) == 1
    for index, name in enumerate(["foot1"] * 4 + ["shin3"]):
        expected = robot.point_jacobian(q, name, found.contacts[index].position)
        assert_allclose(found.jacobians[index], expected, atol=1e-12)
    assert_allclose(found.joint_jacobian[:, 3:6], found.jacobians[1, :, 6:].T, atol=0)


def test_forces_on_the_robot_are_minus_the_forces_on_what_is_touched():
    robot = Robot.from_urdf(legged(legs=1))
    q = random_posture(robot, np.random.default_rng(1))
    found = contacts(robot, q, [ContactSite("foot0", LOPSIDED, SOLE)])
    (given,), (felt,) = found.contacts, found.on_robot
    there = given.volume.polytopes[0].vertices @ given.rotation.T
    here = felt.volume.polytopes[0].vertices @ felt.rotation.T
    assert_allclose(np.sort(here, axis=0), np.sort(-there, axis=0), atol=1e-12)
    assert_allclose(felt.rotation[:, 2], -given.rotation[:, 2], atol=1e-12)
    assert np.linalg.det(felt.rotation) > 0.0


def test_springs_of_a_unit_are_shared_and_push_the_robot_back():
    """f = R (f0 - K R^T u) on what is touched; the robot moves by -u relative to it and feels -f."""
    robot = Robot.from_urdf(legged(legs=1))
    q = random_posture(robot, np.random.default_rng(2))
    stiffness = np.array([[300.0, 40.0, -60.0], [40.0, 200.0, 10.0], [-60.0, 10.0, 500.0]])
    unit = Patch.rectangle(Pose.identity(), (0.02, 0.04), LOPSIDED)
    spring = Suspension(stiffness, (1.0, 2.0, 3.0))
    moved = np.array([0.01, -0.02, 0.03])
    for touch in (
        ContactSite("foot0", LOPSIDED, SOLE, suspension=spring),
        ContactSite("foot0", unit, SOLE, "", None, spring),
    ):
        found = contacts(robot, q, [touch])
        assert_allclose(sum(c.suspension.stiffness for c in found.contacts), stiffness, atol=1e-9)
        for given, felt in zip(found.contacts, found.on_robot, strict=True):
            on, back = (
                c.rotation @ (c.suspension.preload - c.suspension.stiffness @ c.rotation.T @ u)
                for c, u in ((given, moved), (felt, -moved))
            )
            assert_allclose(back, -on, atol=1e-9)


def test_symmetric_volumes_are_their_own_mirror_image():
    volume = models.pyramid(0.5, cap=10.0)
    assert mirrored_sideways(volume) is volume
    assert mirrored_sideways(LOPSIDED) is not LOPSIDED
    twice = mirrored_sideways(mirrored_sideways(LOPSIDED))
    assert_allclose(twice.polytopes[0].vertices, LOPSIDED.polytopes[0].vertices, atol=0)


def test_a_pad_of_points_can_touch():
    robot = Robot.from_urdf(legged(legs=1))
    pad = models.soft_finger(0.5, 0.005, points=6)
    found = contacts(robot, crouching(robot), [ContactSite("foot0", pad, SOLE)])
    assert len(found) == len(pad.points) == 6


def test_bad_touches_are_refused():
    arm = Robot.from_urdf(two_link_arm(), base="fixed")
    volume = models.coulomb(0.5)
    with pytest.raises(InputError, match="'base', the fixed base: it loads no joint"):
        contacts(arm, arm.neutral(), [ContactSite("tip", volume), ContactSite("base", volume)])
    with pytest.raises(UnknownNameError, match="did you mean 'tip'"):
        contacts(arm, arm.neutral(), [ContactSite("tipp", volume)])
    with pytest.raises(InputError, match="touches: is empty"):
        contacts(arm, arm.neutral(), [])
    with pytest.raises(InputError, match="limits are"):
        contacts(arm, [0.0, 4.0], [ContactSite("tip", volume)])
    with pytest.raises(InputError, match="unit: is a str"):
        ContactSite("tip", "rubber")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="touches.0.: is a ForceVolume"):
        contacts(arm, arm.neutral(), [volume])  # pyright: ignore[reportArgumentType]


def test_the_root_of_a_floating_robot_may_touch():
    robot = Robot.from_urdf(legged())
    belly = ContactSite("body", models.coulomb(0.5), Pose(frame_from_normal((0, 0, -1)), np.zeros(3)))
    found = contacts(robot, crouching(robot), [belly, *point_feet()])
    assert_allclose(found.joint_jacobian[:, :3], 0.0)


def test_a_ball_faces_the_terrain_however_its_link_turns():
    robot = Robot.from_urdf(legged(legs=1))
    q = random_posture(robot, np.random.default_rng(3))
    turn = frame_from_normal((0.1, 0.2, -1.0))
    (ball,) = contacts(robot, q, [ContactSite("foot0", models.coulomb(0.5), facing=turn)]).contacts
    assert_allclose(ball.rotation, turn, atol=1e-12)
    assert_allclose(ball.position, robot.frame_pose(q, "foot0").translation, atol=1e-12)


# The flat problem of a standing robot and of a hand: joint torques by cutting the limb, verdicts by hand.

DOWN = np.array([0.0, 0.0, -9.81])


def knee_torque(robot: Robot, q: np.ndarray, leg: int, point: np.ndarray, force: np.ndarray) -> float:
    """Torque of the knee on the shin: what the shin's weight and a force on it at `point` leave about the axis."""
    shin = robot.frame_pose(q, f"shin{leg}")
    knee, axis = shin.translation, shin.rotation[:, 1]
    weight = np.cross(shin.apply((0, 0, -0.12)) - knee, 0.5 * DOWN)
    return float(-axis @ (np.cross(point - knee, force) + weight))


def test_torques_of_a_hand_are_what_is_left_when_the_last_phalanx_is_cut_off():
    robot = Robot.from_urdf(legged(legs=1), base="fixed")
    q = robot.configuration({"roll0": 0.3, "hip0": -0.4, "knee0": 0.9})
    body = whole_body(robot, q, point_feet(1), DOWN)
    force = np.array([1.0, -2.0, 3.0])  # on the object; the shin feels its opposite
    point = robot.frame_pose(q, "foot0").translation
    expected = knee_torque(robot, q, 0, point, -force)
    assert_allclose(body.joint_torques(force[None])[robot.joint_index("knee0")], expected, atol=1e-12)


def test_virtual_work_vanishes_for_every_velocity_where_forces_balance():
    robot, rng = Robot.from_urdf(legged()), np.random.default_rng(5)
    q = random_posture(robot, rng, 0.5)
    body = whole_body(robot, q, point_feet(), DOWN)
    w = body.assembly.wrench_matrix
    forces = (np.linalg.pinv(w) @ -body.load + (np.eye(12) - np.linalg.pinv(w) @ w) @ rng.normal(size=12)).reshape(4, 3)
    assert_allclose(w @ forces.ravel() + body.load, 0.0, atol=1e-9)
    gravity, torques = robot.generalised_gravity(q, DOWN), body.joint_torques(forces)
    for velocity in rng.normal(size=(5, robot.v_size)):
        moved = np.einsum("kiv,v->ki", body.touching.jacobians, velocity)
        work = torques @ velocity[6:] + (forces * moved).sum() - gravity @ velocity
        assert abs(work) < 1e-9


def test_rows_of_a_fixed_finger_are_those_of_the_planar_finger():
    lengths, masses, angles = (0.045, 0.04, 0.03), (0.04, 0.03, 0.02), (0.3, 0.5, 0.2)
    at = Pose(rotation_about((1, 2, 3), 0.7), np.array([0.1, -0.2, 0.3]))
    robot = Robot.from_urdf(planar_finger(lengths, masses), base="fixed", at=at)
    finger = PlanarFinger(at, np.array(lengths), np.array(angles), np.array(masses))
    turn = np.column_stack([(-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)])
    touches = [
        ContactSite(f"phalanx{i}", models.coulomb(0.5), Pose(turn, np.array([lengths[i] / 2, 0, -0.015])))
        for i in range(3)
    ]
    body = whole_body(robot, robot.configuration(angles), touches, DOWN)
    assert body.held == "object"
    poses = [finger.contact_pose(i, offset=0.015) for i in range(3)]
    for contact, pose in zip(body.assembly.contacts, poses, strict=True):
        assert_allclose(contact.position, pose.translation, atol=1e-12)
        assert_allclose(contact.rotation, pose.rotation, atol=1e-12)
    jacobian = finger.rows_jacobian(range(3), [pose.translation for pose in poses])
    expected = joint_rows([Joint.passive(friction=0.01)] * 3, angles, jacobian, finger.gravity_torque(DOWN))
    found = body.joint_rows
    assert_allclose(found.jacobian, expected.jacobian, atol=1e-12)
    assert_allclose(found.lower, expected.lower, atol=1e-12)
    assert_allclose(found.upper, expected.upper, atol=1e-12)
    assert found.names == ("hinge0", "hinge1", "hinge2")


def test_an_arm_in_the_air_that_cannot_bear_its_own_weight_does_not_hold():
    parts = [
        link("body", 1.0),
        link("leg", 0.1),
        link("arm", 2.0, (0.5, 0, 0)),
        joint("hip", "body", "leg", effort=100.0),
    ]

    def stands(effort: float) -> Status:
        robot = Robot.from_urdf(urdf(*parts, joint("shoulder", "body", "arm", effort=effort)))
        touches = [
            ContactSite("leg", models.coulomb(1.0), Pose(SOLE.rotation, np.array([x, y, -0.1])))
            for x in (-1.0, 1.0)
            for y in (-1.0, 1.0)
        ]
        return whole_body(robot, robot.neutral(), touches, DOWN).equilibrium().status

    assert stands(2.0 * 9.81 * 0.5 * 1.001) is Status.HOLDS
    assert stands(2.0 * 9.81 * 0.5 * 0.999) is Status.DOES_NOT_HOLD


def test_the_held_side_must_suit_the_base():
    standing, arm = Robot.from_urdf(legged()), Robot.from_urdf(two_link_arm(), base="fixed")
    with pytest.raises(InputError, match="'object' is for a fixed base"):
        whole_body(standing, crouching(standing), point_feet(), held="object")
    with pytest.raises(InputError, match="'robot' is for a floating base"):
        whole_body(arm, arm.neutral(), [ContactSite("tip", models.coulomb(0.5))], held="robot")
    with pytest.raises(UnknownNameError, match="did you mean 'robot'"):
        whole_body(standing, crouching(standing), point_feet(), held="robots")  # pyright: ignore[reportArgumentType]


# A hand of a robot: its own rows, its grip, and that limbs see it through the palm's wrench alone.


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
    assert learned.metadata.joint_limits


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


# Fingers whose joints are coupled: one motor, one row, forces by virtual work.

LENGTHS = (0.05, 0.04)


def coupled_finger(multiplier: float, offset: float, effort: float = 0.6, friction: float = 0.0) -> str:
    """Two phalanges in the x-z plane, hinges about -y; the second follows the first. Masses halfway."""
    return urdf(
        link("palm", 0.3),
        link("proximal", 0.02, (LENGTHS[0] / 2, 0, 0)),
        link("distal", 0.01, (LENGTHS[1] / 2, 0, 0)),
        link("tip"),
        joint("knuckle", "palm", "proximal", axis="0 -1 0", effort=effort),
        joint("dip", "proximal", "distal", (LENGTHS[0], 0, 0), "0 -1 0", effort=effort, friction=friction,
              follows=("knuckle", multiplier, offset)),
        joint("nail", "distal", "tip", (LENGTHS[1], 0, 0), kind="fixed"),
    )  # fmt: skip


def by_hand(u: float, multiplier: float, offset: float) -> tuple[np.ndarray, np.ndarray, float]:
    """(tip (3,), its slope by u (3,), slope of the energy by u [N m]) of the coupled finger under DOWN."""
    b, rate = u + multiplier * u + offset, 1.0 + multiplier
    tip = LENGTHS[0] * np.array([np.cos(u), 0, np.sin(u)]) + LENGTHS[1] * np.array([np.cos(b), 0, np.sin(b)])
    first, second = np.array([-np.sin(u), 0, np.cos(u)]), rate * np.array([-np.sin(b), 0, np.cos(b)])
    slope = LENGTHS[0] * first + LENGTHS[1] * second
    heights = 0.02 * LENGTHS[0] / 2 * first[2] + 0.01 * (LENGTHS[0] * first[2] + LENGTHS[1] / 2 * second[2])
    return tip, slope, -float(DOWN[2]) * heights


def test_a_finger_counted_as_two_motors_is_wrong_by_the_coupling():
    u, text = 0.5, coupled_finger(1.0, 0.0)
    tip, slope, _ = by_hand(u, 1.0, 0.0)
    way = slope / np.linalg.norm(slope)
    load, site = -np.concatenate([way, np.cross(tip, way)]), ContactSite("tip", models.coulomb(50.0, cap=1e4))
    one = Robot.from_urdf(text, base="fixed")
    with pytest.warns(RobotWarning, match="dip"):
        two = Robot.from_urdf(text, base="fixed", mimic="independent")
    nothing = (0.0, 0.0, 0.0)
    true = whole_body(one, [u], [site], nothing).load_limit(load).value
    rows = two.point_jacobian([u, u], "tip", tip).T @ way
    assert_allclose(true, 0.6 / np.linalg.norm(slope), rtol=1e-6)
    assert_allclose(
        whole_body(two, [u, u], [site], nothing).load_limit(load).value, 0.6 / np.abs(rows).max(), rtol=1e-6
    )
    assert_allclose(0.6 / np.abs(rows).max() / true, rows.sum() / rows.max(), rtol=1e-6)  # 1.5 here


def coupled_gripper(**follows: tuple[str, float, float]) -> Robot:
    """An arm with a palm and two fingers on it; `follows` says what joints mimic."""
    return Robot.from_urdf(
        urdf(
            link("body", 5.0), link("palm", 0.5), link("left", 0.1, (0, 0, 0.02)), link("right", 0.1, (0, 0, 0.02)),
            joint("wrist", "body", "palm", (0, 0, 0.1), follows=follows.get("wrist")),
            joint("l", "palm", "left", (0, 0.03, 0), "1 0 0", follows=follows.get("l")),
            joint("r", "palm", "right", (0, -0.03, 0), "1 0 0", follows=follows.get("r")),
        )
    )  # fmt: skip


def test_the_hand_of_coupled_fingers_has_the_row_of_the_whole_body():
    robot = coupled_gripper(r=("l", -1.0, 0.1))
    sites = tuple(
        ContactSite(name, models.coulomb(0.5, cap=20.0), Pose(np.eye(3), [0, 0, 0.04])) for name in ("left", "right")
    )
    hand = Hand("palm", sites)
    assert checked_hands(robot, [hand])
    assert own_joints(robot, hand) == ("l",)
    q = random_posture(robot, np.random.default_rng(3), 0.3)
    whole, alone = whole_body(robot, q, sites, DOWN), hand_assembly(robot, q, hand, DOWN)
    assert_allclose(alone.joints.jacobian[0], whole.joint_rows.jacobian[robot.joint_index("l")], atol=1e-12)
    assert_allclose(alone.joints.upper[0], whole.joint_rows.upper[robot.joint_index("l")], atol=1e-12)
    assert lazy_hand(robot, q, hand, DOWN).grip.palm_gravity is not None


def test_a_motor_that_drives_fingers_and_more_is_refused_for_grips():
    sites = [ContactSite(name, models.coulomb(0.5)) for name in ("left", "right")]
    robot = coupled_gripper(l=("wrist", 1.0, 0.0))
    with pytest.raises(InputError, match="joint 'wrist' drives the fingers of 'palm' and its limb .*whole_body"):
        checked_hands(robot, [Hand("palm", tuple(sites))])
    robot = coupled_gripper(r=("l", 1.0, 0.0))
    hands = [Hand("palm", (site,), name=site.name) for site in sites]
    with pytest.raises(InputError, match="joint 'l' drives the fingers of 'left' and the hand 'right'"):
        checked_hands(robot, hands)


# A joint that nothing holds is named in the diagnosis, with the torque that it would have to carry.


@pytest.mark.parametrize(("ahead", "drive"), [(0.05, 0.0), (-0.26, 0.0), (0.05, 0.2)])
def test_the_diagnosis_of_a_passive_wrist_says_what_it_would_have_to_carry(ahead, drive):
    arm = Robot.from_urdf(
        urdf(
            link("base", 5.0), link("arm", 1.0, (0.1, 0, 0)), link("hand", 0.3, (0.03, 0, 0)), link("pad"),
            joint("shoulder", "base", "arm", axis="0 -1 0"),
            joint("wrist", "arm", "hand", (0.2, 0, 0), axis="0 -1 0", effort=0.0),
            joint("weld", "hand", "pad", (0.06, 0, 0), kind="fixed"),
        ),
        base="fixed",
    )  # fmt: skip
    arm = arm.with_joints({"wrist": Joint(torque_min=drive, torque_max=drive)})  # a constant torque does not hold it
    q = [0.3, 0.2]
    sticky = ForceVolume([80.0 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])])
    pad = Patch.rectangle(Pose.identity(), (0.04, 0.04), sticky)
    site = ContactSite("pad", pad, Pose(frame_from_normal((1, 0, 0), (0, 0, 1)), np.zeros(3)))
    com = arm.frame_pose(q, "pad").translation + [ahead, 0.0, 0.0]
    answer = whole_body(arm, q, [site], DOWN, load=gravity_wrench(0.5, DOWN, com)).equilibrium()
    assert answer.status is Status.DOES_NOT_HOLD
    expected = 9.81 * (0.3 * 0.03 * np.cos(0.5) + 0.5 * (0.06 * np.cos(0.5) + ahead)) - drive
    found = diagnose(answer)
    assert list(found.free_joints) == ["wrist"]
    torque, unit = found.free_joints["wrist"]
    assert_allclose(torque, expected, rtol=1e-6)
    assert unit == "N m"
    said = f'Joint "wrist" is free (its bounds coincide) and would have to carry {expected:.3g} N m to hold this load.'
    assert said in found.sentences
    assert found.to_dict()["free_joints"] == {"wrist": torque}
    strong = arm.with_joints({"wrist": Joint.motor(torque=abs(expected + drive) + 1e-3)})
    assert whole_body(strong, q, [site], DOWN, load=gravity_wrench(0.5, DOWN, com)).equilibrium().holds


def test_several_free_joints_are_named_together_and_a_load_limit_names_them_without_torques():
    robot = Robot.from_urdf(legged(friction=0.0)).with_joints({f"knee{i}": Joint.passive() for i in range(4)})
    body = whole_body(robot, crouching(robot), point_feet())
    found = diagnose(body.equilibrium())
    assert set(found.free_joints) == {f"knee{i}" for i in range(4)}
    assert any(text.startswith('Joints "knee') and "and 2 more are free" in text for text in found.sentences)
    total = sum(torque for torque, _ in found.free_joints.values())
    even = whole_body(Robot.from_urdf(legged(friction=0.0)), body.q, point_feet())
    knees = [robot.joint_index(f"knee{i}") for i in range(4)]
    assert_allclose(total, even.joint_torques(even.equilibrium().even().forces)[knees].sum(), rtol=1e-3)
    along = body.load_limit([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    limited = diagnose(along)
    assert all(np.isnan(torque) for torque, _ in limited.free_joints.values())


# The program over hands: vertices and half-spaces of the same box give the same answers.

LOWER, UPPER = -np.arange(1.0, 7.0), np.array([2.0, 1.0, 3.0, 1.0, 2.0, 0.5])
BOXES = Grip.box(LOWER, UPPER), OuterGrip.box(LOWER, UPPER)


@pytest.mark.parametrize("first", BOXES)
@pytest.mark.parametrize("second", BOXES)
def test_the_largest_load_of_two_boxes_is_found_for_either_form(first, second):
    maps = (np.eye(6), np.diag([1.0, 1.0, 1.0, -1.0, -1.0, -1.0]))
    zero = np.zeros(6)
    program = HandProgram(WrenchRows(maps, zero, zero, 5.0), (first, second))
    load = np.array([1.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    cost = np.append(np.zeros(program.width), -1.0)
    x, _ = program.solve(cost, load[:, None] / 5.0, zero, endless=True)
    assert_allclose(x[-1], 2.0, atol=1e-7)  # -x of both boxes: 1 + 1 newton, y has more
    wrenches = program.wrenches(x)
    assert (wrenches >= LOWER - 1e-7).all()
    assert (wrenches <= UPPER + 1e-7).all()
    assert_allclose(sum(m @ w for m, w in zip(maps, wrenches, strict=True)) + x[-1] * load, 0.0, atol=1e-7)


def test_rows_that_cannot_be_met_have_no_solution_and_rays_no_end():
    zero = np.zeros(6)
    program = HandProgram(WrenchRows((np.eye(6),), zero, zero, 1.0), (Grip.point(np.ones(6)),))
    assert program.solve(np.zeros(1), np.zeros((6, 0)), zero) is None
    cone = Grip(np.zeros((1, 6)), np.array([[-1.0, 0, 0, 0, 0, 0]]))
    endless = HandProgram(WrenchRows((np.eye(6),), zero, zero, 1.0), (cone,))
    x, _ = endless.solve(np.array([0.0, 0.0, -1.0]), np.eye(6)[:, :1], zero, endless=True)
    assert not len(x)


# Grips with limb rows: exact grips give the flat answers; every verdict carries its proof.


def ball_hands(cap: float = 90.0) -> list[Hand]:
    """Point feet whose grips are exact: the corners of the volume, no torque; the palm frame is the contact frame."""
    volume = models.coulomb(0.7, cap=cap, facets=6)
    corners = volume.polytopes[0].vertices
    turn = SOLE.rotation @ np.diag([-1.0, 1.0, -1.0])  # forces on the robot, in a frame into it
    forces = (corners * [1.0, -1.0, 1.0]) @ turn.T
    grip = Grip(np.concatenate([forces, np.zeros_like(forces)], axis=1), length=0.1)
    return [Hand(f"foot{i}", (ContactSite(f"foot{i}", volume, SOLE),), grip) for i in range(4)]


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


# Flat and hierarchical answers on many postures: never a contradiction, scales in order, words that say so.


def test_two_hundred_postures_agree_wherever_the_bounds_say_they_must():
    robot, rng = Robot.from_urdf(legged(effort=12.0)), np.random.default_rng(0)
    feet = flat_feet()
    grip = learned_hand(robot, crouching(robot), feet[0], n=200).grip
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
    # Over seeds of the learning all of 137 hold certainly, and 55 to 62 of 63 certainly do not.
    assert seen[Status.HOLDS, Certainty.CERTAINLY] > 130
    assert seen[Status.DOES_NOT_HOLD, Certainty.CERTAINLY_NOT] > 50


def test_the_outer_set_of_a_coarsely_learned_foot_reaches_a_tenth_beyond_the_inner_one():
    robot, foot = Robot.from_urdf(legged(effort=12.0)), flat_feet()[0]
    rays = np.random.default_rng(0).normal(size=(500, 6))
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    beyond = []
    for seed in range(12):  # one seed alone scatters by a quarter of the mean
        grip = learned_hand(robot, crouching(robot), foot, n=70, seed=seed).grip
        centre = grip.inner.vertices.mean(axis=0)
        axes = np.linalg.cholesky(np.cov(grip.inner.vertices.T))
        inner = exits(np.linalg.solve(axes, (grip.inner.vertices - centre).T).T, rays).reaches
        normals = grip.outer.normals
        outer = outer_reaches(normals @ axes, grip.outer.offsets - normals @ centre, rays)
        assert (outer >= inner * (1.0 - 1e-9)).all()
        beyond.append(np.log(outer / inner).mean())
    assert np.mean(beyond) < 0.11  # 0.07 to 0.09


def test_spines_held_surely_are_never_contradicted_by_the_exact_unions_of_pieces():
    robot, rng = Robot.from_urdf(legged(effort=60.0)), np.random.default_rng(1)
    unit = Patch.rectangle(Pose.identity(), (0.06, 0.04), models.microspine().scaled(2.0))
    feet = [Hand(f"foot{i}", (ContactSite(f"foot{i}", unit, SOLE),)) for i in range(4)]
    grip = learned_hand(robot, crouching(robot), feet[0], n=100, certified=True).grip
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
