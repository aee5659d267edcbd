"""Kinematics and weight against hand formulas and finite differences; bad postures and names."""

from __future__ import annotations

import builtins
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import Pose, rotation_about
from holdfast.assembly import Joint, PlanarFinger
from holdfast.errors import FileError, InputError, MissingDependencyError, UnknownNameError
from holdfast.robots import Robot, RobotWarning
from holdfast.robots.robot import LIMIT_ROUNDING
from tests.robots.sample_robots import joint, legged, link, planar_finger, random_posture, two_link_arm, urdf
from tests.robots.urdf_reference import UrdfReference, base_matrix, driving_of

GRAVITY = np.array([1.0, -2.0, -9.0])
STEP = 1e-5
SOMEWHERE = Pose(rotation_about((1, 2, 3), 0.7), np.array([0.1, -0.2, 0.3]))


def slopes(robot: Robot, q: np.ndarray, value) -> np.ndarray:
    """Central differences of value(q) along each entry of a velocity, in the last axis."""
    steps = STEP * np.eye(robot.v_size)
    pairs = [(value(robot.moved(q, step)), value(robot.moved(q, -step))) for step in steps]
    return np.stack([(np.asarray(a) - np.asarray(b)) / (2 * STEP) for a, b in pairs], axis=-1)


def test_angular_rows_of_link_jacobians_are_the_slopes_of_rotations():
    robot = Robot.from_urdf(legged(legs=1))
    q = random_posture(robot, np.random.default_rng(2))
    turn = robot.frame_pose(q, "foot0").rotation
    rates = slopes(robot, q, lambda x: robot.frame_pose(x, "foot0").rotation)  # (3, 3, v)
    spin = np.einsum("ijv,kj->ikv", rates, turn)
    expected = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    assert_allclose(robot.link_jacobians(q, ["foot0"])[0][0, 3:], expected, atol=1e-8)


def test_a_fixed_hand_has_the_kinematics_of_the_planar_finger():
    lengths, masses, angles = (0.045, 0.04, 0.03), (0.04, 0.03, 0.02), (0.3, 0.5, -0.2)
    robot = Robot.from_urdf(planar_finger(lengths, masses), base="fixed", at=SOMEWHERE)
    finger = PlanarFinger(SOMEWHERE, np.array(lengths), np.array(angles), np.array(masses))
    q = robot.configuration(angles)
    for index, pose in enumerate(finger.phalanx_poses):
        found = robot.frame_pose(q, f"phalanx{index}")
        assert_allclose(found.rotation, pose.rotation, atol=1e-12)
        assert_allclose(found.translation, pose.translation, atol=1e-12)
        point = pose.apply((0.01, 0.002, -0.015))
        expected = finger.point_jacobian(index, point)
        assert_allclose(robot.point_jacobian(q, f"phalanx{index}", point), expected, atol=1e-12)
    assert_allclose(robot.gravity_torques(q, GRAVITY), finger.gravity_torque(GRAVITY), atol=1e-12)
    assert robot.friction.tolist() == [0.01] * 3
    assert robot.torque_limits[1].tolist() == [0.0] * 3


def test_the_base_rows_of_gravity_are_the_weight_at_the_centre_of_mass():
    robot = Robot.from_urdf(legged())
    q = random_posture(robot, np.random.default_rng(4))
    arm = robot.com(q) - robot.base_pose(q).translation
    weight = robot.mass * GRAVITY
    expected = -np.concatenate([weight, np.cross(arm, weight)])
    assert_allclose(robot.generalised_gravity(q, GRAVITY)[:6], expected, atol=1e-9)


def test_facts_of_the_file_come_through():
    text = urdf(
        link("a", 1.0),
        link("b", 2.0),
        link("c"),
        joint("slide", "a", "b", (0, 0, 1), "0 0 1", "prismatic", effort=7.0, friction=0.5, limits=(0.1, 0.4)),
        joint("wheel", "b", "c", kind="continuous", effort=None),
    )
    with pytest.warns(RobotWarning, match="infinitely strong: wheel"):
        robot = Robot.from_urdf(text, base="fixed")
    assert robot.joint_names == ("slide", "wheel")
    assert robot.mass == 3.0
    assert robot.lower.tolist() == [0.1, -np.inf]
    assert robot.upper.tolist() == [0.4, np.inf]
    assert robot.torque_limits[1].tolist() == [7.0, np.inf]
    assert robot.is_hinge().tolist() == [False, True]
    assert robot.neutral().tolist() == [0.1, 0.0]  # zero is outside the slide's limits
    assert robot.chain("c") == ("slide", "wheel")
    assert_allclose(robot.frame_pose(robot.configuration({"slide": 0.3, "wheel": 99.0}), "b").translation, [0, 0, 1.3])
    stronger = robot.with_joints({"wheel": Joint.motor(torque=3.0)})
    assert stronger.torque_limits[1].tolist() == [7.0, 3.0]
    assert stronger.joint_names == robot.joint_names


def test_a_robot_survives_pickling_with_its_changes():
    robot = Robot.from_urdf(two_link_arm(), base="fixed", at=SOMEWHERE).with_joints({"elbow": Joint.passive()})
    again = pickle.loads(pickle.dumps(robot))
    q = robot.configuration({"elbow": 1.0})
    assert_allclose(again.frame_pose(q, "tip").translation, robot.frame_pose(q, "tip").translation, atol=0)
    assert again.joints == robot.joints


# Joints that mimic another: one coordinate, Jacobian column and torque per driving joint.


def coupled(rng: np.random.Generator) -> str:
    """A tree of eight links: a chain of mimics, one before its driver, a slide that follows a hinge, a branch."""
    numbers = [[float(x) for x in row] for row in rng.normal(size=(24, 3))]
    axes = [" ".join(map(repr, numbers.pop())) for _ in range(8)]
    links = [link(f"l{i}", float(rng.uniform(0.5, 2.0)), tuple(0.1 * np.array(numbers.pop()))) for i in range(8)]
    m = [float(x) for x in rng.uniform(0.3, 1.5, 5) * rng.choice([-1, 1], 5)]
    at = [tuple(0.2 * np.array(numbers.pop())) for _ in range(8)]
    at = [(float(x), float(y), float(z)) for x, y, z in at]
    return urdf(
        *links,
        joint("ahead", "l0", "l1", at[0], axes[0], follows=("driver", m[0], 0.2), friction=0.3),
        joint("driver", "l1", "l2", at[1], axes[1], friction=0.1),
        joint("next", "l2", "l3", at[2], axes[2], follows=("ahead", m[1], -0.1), kind="continuous"),
        joint("slide", "l3", "l4", at[3], axes[3], kind="prismatic", follows=("driver", m[2], 0.05), friction=2.0),
        joint("other", "l0", "l5", at[4], axes[4]),
        joint("weld", "l5", "l6", at[5], kind="fixed"),
        joint("twin", "l6", "l7", at[6], axes[6], follows=("other", m[3], 0.0)),
    )


@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("seed", range(3))
def test_coupled_joints_agree_with_kinematics_straight_from_the_xml(base, seed):
    rng = np.random.default_rng(seed)
    text = coupled(rng)
    robot = Robot.from_urdf(text, base=base, at=SOMEWHERE if base == "fixed" else None)
    assert robot.joint_names == ("driver", "other")
    assert sorted(robot.mimics) == ["ahead", "next", "slide", "twin"]
    other = UrdfReference(text)

    def poses(q):
        return other.poses(driving_of(robot, q), base_matrix(robot, q))

    for _ in range(3):
        q = random_posture(robot, rng)
        assert_allclose(robot.placements(q, robot.links), list(poses(q).values()), atol=1e-12)
        mass, com = other.mass_and_com(driving_of(robot, q), base_matrix(robot, q))
        assert_allclose(robot.mass, mass, rtol=1e-12)
        assert_allclose(robot.com(q), com, atol=1e-12)
        expected = {name: other.coordinate(name, driving_of(robot, q)) for name in robot.mimics}
        assert robot.coordinates(q) == pytest.approx(expected | driving_of(robot, q))
        for name in ("l3", "l4", "l7"):
            local = np.append(rng.normal(size=3), 1.0)
            slope = slopes(robot, q, lambda x, name=name, local=local: (poses(x)[name] @ local)[:3])
            point = (poses(q)[name] @ local)[:3]
            assert_allclose(robot.point_jacobian(q, name, point), slope, atol=1e-8)

        def energy(x):
            total, centre = other.mass_and_com(driving_of(robot, x), base_matrix(robot, x))
            return -total * GRAVITY @ centre

        assert_allclose(robot.generalised_gravity(q, GRAVITY), slopes(robot, q, energy), atol=1e-6)


def test_only_the_driving_joint_has_an_actuator_and_friction_adds_up_there():
    robot = Robot.from_urdf(coupled(np.random.default_rng(0)), base="fixed")
    ahead, slide = robot.mimics["ahead"].multiplier, robot.mimics["slide"].multiplier
    assert_allclose(robot.friction, [0.1 + 0.3 * abs(ahead) + 2.0 * abs(slide), 0.0])
    assert robot.torque_limits[1].tolist() == [50.0, 50.0]
    assert robot.lower.tolist() == [-3.0, -3.0]  # those of the joints that follow do not count
    assert robot.driver("next") == robot.driver("driver") == "driver"
    assert robot.chain("l4") == ("ahead", "driver", "next", "slide")
    again = pickle.loads(pickle.dumps(robot))
    q = random_posture(robot, np.random.default_rng(1))
    assert_allclose(again.placements(q, robot.links), robot.placements(q, robot.links), atol=0)
    assert again.joints == robot.joints


def test_a_joint_that_follows_another_is_named_only_where_it_is():
    robot = Robot.from_urdf(coupled(np.random.default_rng(0)), base="fixed")
    q = robot.configuration({"driver": 0.4})
    there = robot.coordinates(q)["next"]
    assert robot.configuration({"driver": 0.4, "next": there}).tolist() == q.tolist()
    with pytest.raises(InputError, match=r"angles\['next'\]: is 1.4 .it follows 'driver', which gives "):
        robot.configuration({"driver": 0.4, "next": 1.4})
    with pytest.raises(InputError, match="joint 'next' follows 'driver' and is not in the posture .name 'driver'"):
        robot.with_joints({"next": Joint.passive()})
    with pytest.raises(UnknownNameError, match="did you mean 'driver'"):
        robot.driver("drvier")


# What weighs nothing, or cannot move, has no torque; limits that files round.


def test_joints_without_moving_mass_need_no_torque():
    text = urdf(link("a", 2.0, (0.1, 0.2, 0.3)), link("b"), link("c"), joint("j", "a", "b"), joint("k", "b", "c"))
    robot = Robot.from_urdf(text, base="fixed", at=SOMEWHERE)
    assert robot.gravity_torques([0.3, 0.2], GRAVITY).tolist() == [0.0, 0.0]
    assert_allclose(robot.com([0.3, 0.2]), SOMEWHERE.apply((0.1, 0.2, 0.3)), atol=1e-12)


def test_welded_links_have_the_centre_of_mass_of_their_parts():
    rng = np.random.default_rng(5)
    for _ in range(200):
        masses, places, coms = rng.uniform(0.01, 10.0, 4), rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
        parts = [link(f"l{i}", float(masses[i]), tuple(coms[i].tolist())) for i in range(4)]
        welds = [joint(f"w{i}", f"l{i - 1}", f"l{i}", tuple(places[i].tolist()), kind="fixed") for i in (1, 2, 3)]
        shuffled = [parts[i] for i in rng.permutation(4)]  # masses add up in another order than along the tree
        robot = Robot.from_urdf(urdf(*shuffled, *welds), base="fixed")
        places[0] = 0.0
        expected = masses @ (np.cumsum(places, axis=0) + coms) / masses.sum()
        assert_allclose(robot.com([]), expected, atol=1e-12)
        assert robot.gravity_torques([], GRAVITY).shape == (0,)


def test_a_limit_that_the_file_rounds_is_no_obstacle_and_others_can_be_changed():
    text = urdf(link("a", 1.0), link("b", 1.0), joint("j", "a", "b", limits=(-3.14, 1.57)))
    robot = Robot.from_urdf(text, base="fixed")
    for angle in (np.pi / 2, -np.pi):
        assert robot.configuration([angle]).tolist() == [angle]
    for angle in (1.58, -3.15, 1.57 * (1 + 1.01 * LIMIT_ROUNDING)):
        with pytest.raises(InputError, match="with_limits"):
            robot.configuration([angle])
    wider = robot.with_limits({"j": (-np.inf, 2.0)})
    assert wider.configuration([2.0]).tolist() == [2.0]
    assert wider.configuration([-9.0]).tolist() == [-9.0]
    assert pickle.loads(pickle.dumps(wider)).upper.tolist() == [2.0]
    assert robot.upper.tolist() == [1.57]
    with pytest.raises(InputError, match=r"limits\['j'\]: lower 2 is above upper 1"):
        robot.with_limits({"j": (2.0, 1.0)})
    with pytest.raises(UnknownNameError, match="there is no joint 'k'"):
        robot.with_limits({"k": (0.0, 1.0)})


def test_bad_names_suggest_the_nearest():
    robot = Robot.from_urdf(two_link_arm(), base="fixed")
    with pytest.raises(UnknownNameError, match="did you mean 'elbow'"):
        robot.configuration({"elbwo": 1.0})
    with pytest.raises(UnknownNameError, match="did you mean 'upper'"):
        robot.frame_pose(robot.neutral(), "uper")


@pytest.mark.parametrize(
    ("q", "says"),
    [
        ([0.0], r"q: has shape \(1,\) \(the length must be 2: one per joint\)"),
        ([0.0, 3.5], r"joint 'elbow': is 3.5 \(its limits are \[-3, 3\]; Robot.with_limits"),
        ([0.0, np.nan], r"q\[1\]: is nan"),
    ],
)
def test_bad_postures_are_refused(q, says):
    robot = Robot.from_urdf(two_link_arm(), base="fixed")
    with pytest.raises(InputError, match=says):
        robot.checked(q)


def test_bad_bases_are_refused():
    robot = Robot.from_urdf(two_link_arm())
    with pytest.raises(InputError, match="7 for the floating base"):
        robot.checked([0.0, 0.0])
    with pytest.raises(InputError, match="quaternion has length 0"):
        robot.checked(np.zeros(9))
    with pytest.raises(UnknownNameError, match="kind of base"):
        Robot.from_urdf(two_link_arm(), base="fxied")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="fixed base"):
        Robot.from_urdf(two_link_arm(), at=SOMEWHERE)
    fixed = Robot.from_urdf(two_link_arm(), base="fixed")
    with pytest.raises(InputError, match="floating base"):
        fixed.configuration(base=SOMEWHERE)


def test_a_missing_file_and_a_missing_pinocchio_say_what_to_do(monkeypatch):
    with pytest.raises(FileError, match="there is no such file"):
        Robot.from_urdf("nowhere/robot.urdf")
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pinocchio":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependencyError, match=r'pip install "holdfast\[robots\]"'):
        Robot.from_urdf(two_link_arm())


def test_a_posture_may_start_from_another_one():
    robot = Robot.from_urdf(two_link_arm(0.4, 0.3, 2.0, 1.0))
    first = robot.configuration([0.3, 0.4], base=Pose(rotation_about((0, 0, 1), 0.5), [1.0, 2.0, 3.0]))
    changed = robot.configuration({"elbow": -0.2}, start=first)
    assert changed.tolist() == [*first[:8], -0.2]
    moved = robot.configuration({}, base=Pose.identity(), start=first)
    assert moved.tolist() == [0, 0, 0, 0, 0, 0, 1, 0.3, 0.4]
    with pytest.raises(InputError, match="q: has shape"):
        robot.configuration({}, start=[0.0])


def test_threads_lend_each_other_the_workspace_of_a_robot():
    """Pinocchio's workspace takes megabytes: threads that come and go, or wait in a pool, do not keep one each."""
    robot = Robot.from_urdf(legged())
    q = random_posture(robot, np.random.default_rng(8))
    expected = robot.com(q)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert all((found == expected).all() for found in pool.map(robot.com, [q] * 8))
    assert 1 <= len(robot._idle) <= 9
    kept = len(robot._idle)
    for _ in range(5):
        thread = Thread(target=robot.com, args=(q,))
        thread.start()
        thread.join()
    assert len(robot._idle) == kept
