"""Robots that everybody knows, from the package `example-robot-data`, against kinematics straight from their XML."""

from __future__ import annotations

import warnings
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import holdfast as hf
from holdfast.errors import FileError
from holdfast.robots import Robot, RobotWarning, find_feet, reach, whole_body
from holdfast.robots.bodies import Hand
from tests.robots.sample_robots import random_posture
from tests.robots.urdf_reference import UrdfReference, base_matrix, driving_of

GRAVITY = np.array([0.5, -1.0, -9.7])

#: Their <mimic> names joints that the file does not have: an error, unless they are read as motors of their own.
BROKEN = {"alex_psyonic_hands"}

#: They have no links.
EMPTY = {"ur3"}


def known() -> list[Path]:
    """The URDF files of the package; none where it is not installed."""
    try:
        found = files("example-robot-data") or []
    except PackageNotFoundError:
        return []
    return sorted(Path(str(file.locate())) for file in found if file.suffix == ".urdf")


FILES = known()
pytestmark = pytest.mark.skipif(not FILES, reason='no example-robot-data: pip install "holdfast[known-robots]"')


def loaded(path: Path, **options: str) -> Robot:
    """The robot, with what it warns of passed over."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        return Robot.from_urdf(
            path, meshes="ignored", mimic="independent" if path.stem in BROKEN else "coupled", **options
        )  # pyright: ignore[reportArgumentType]


def of(stem: str) -> Path:
    """The first file of that name."""
    return next(path for path in FILES if path.stem == stem)


USABLE = [path for path in FILES if path.stem not in EMPTY]


@pytest.mark.parametrize("path", USABLE, ids=[path.stem for path in USABLE])
def test_links_mass_weight_and_couplings_agree_with_the_xml(path):
    rng = np.random.default_rng(0)
    reference = UrdfReference(path.read_text(encoding="utf-8"))
    if path.stem in BROKEN:
        for joint in reference.joints.values():
            for mimic in joint.findall("mimic"):
                joint.remove(mimic)
    for base in ("floating", "fixed"):
        robot = loaded(path, base=base)
        q = random_posture(robot, rng)
        driving, root = driving_of(robot, q), base_matrix(robot, q)
        poses = reference.poses(driving, root)
        assert_allclose(robot.placements(q, robot.links), [poses[name] for name in robot.links], atol=1e-9)
        mass, com = reference.mass_and_com(driving, root)
        assert_allclose(robot.mass, mass, rtol=1e-9)
        assert_allclose(robot.com(q), com, atol=1e-9)
        for name, coordinate in robot.coordinates(q).items():
            assert coordinate == pytest.approx(reference.coordinate(name, driving))
        # Weight: power of gravity along a random velocity, against differences of the energy.
        way, step = rng.normal(size=robot.v_size), 1e-6
        ends = [robot.moved(q, sign * step * way) for sign in (1.0, -1.0)]
        energies = [
            -mass * GRAVITY @ reference.mass_and_com(driving_of(robot, x), base_matrix(robot, x))[1] for x in ends
        ]
        power = (energies[0] - energies[1]) / (2 * step)
        assert_allclose(robot.generalised_gravity(q, GRAVITY) @ way, power, atol=1e-6 * mass * 10, rtol=1e-6)


@pytest.mark.parametrize(
    ("stem", "driver", "followers"),
    [
        ("panda", "panda_finger_joint1", {"panda_finger_joint2": 1.0}),
        ("talos_full_v2", "gripper_left_joint", {"gripper_left_inner_double_joint": 1.0, "gripper_left_fingertip_1_joint": -1.0}),
        ("pr2", "r_gripper_l_finger_joint", {"r_gripper_r_finger_joint": 1.0, "r_gripper_l_finger_tip_joint": 1.0}),
        ("romeo", "LHand", {"LFinger12": 1.0, "LFinger13": 1.0}),
    ],
)  # fmt: skip
def test_grippers_have_one_motor_and_their_rows_are_virtual_work(stem, driver, followers):
    robot = loaded(of(stem), base="fixed")
    for name, multiplier in followers.items():
        assert robot.mimics[name].joint == driver
        assert robot.mimics[name].multiplier == pytest.approx(multiplier)
        assert name not in robot.joint_names
    q = random_posture(robot, np.random.default_rng(1), 0.3)
    index, step = robot.joint_index(driver), 1e-6
    tips = [robot.description.joints[name].child for name in followers]
    velocity = np.zeros(robot.v_size)
    velocity[index] = step
    ends = [robot.placements(robot.moved(q, sign * velocity), tips)[:, :3, 3] for sign in (1.0, -1.0)]
    jacobians = robot.link_jacobians(q, tips)[0]
    assert_allclose(jacobians[:, :3, index], (ends[0] - ends[1]) / (2 * step), atol=1e-8)


def test_names_that_a_mimic_does_not_find_are_an_error_that_says_what_to_do():
    with pytest.raises(FileError, match=r"mimic: there is no joint 'index_q1' .*mimic=\"independent\""):
        Robot.from_urdf(of("alex_psyonic_hands"), meshes="ignored")


def test_joints_without_effort_are_named():
    with pytest.warns(RobotWarning, match="infinitely strong: ") as seen:
        Robot.from_urdf(of("tiago_dual"), meshes="ignored")
    strong = next(found.message.items for found in seen if "infinitely strong" in str(found.message))
    assert len(strong) == 8


def test_a_coupled_fingertip_is_reached_by_its_driving_joint():
    robot = loaded(of("talos_full_v2"))
    hand = Hand("gripper_left_fingertip_1_link", ())
    wanted = robot.neutral()
    wanted[7 + robot.joint_index("gripper_left_joint")] = -0.5
    place = hand.pose(robot, wanted)
    found = reach(robot, robot.neutral(), [hand], {hand.name: place})
    assert found.found
    assert_allclose(hand.pose(robot, found.q).translation, place.translation, atol=2e-6)


# Their SRDFs, against Pinocchio's own reader; and the feet on which they stand.

STATES = {
    "a1": "standing",
    "go1": "standing",
    "go2": "standing",
    "anymal": "standing",
    "solo12": "standing",
    "b1": "standing",
    "bolt": "standing",
    "talos_reduced": "half_sitting",
    "icub_reduced": "half_sitting",
    "hyq_no_sensors": "standing",
    "kinova": "arm_up",
}


@pytest.mark.parametrize(("stem", "state"), STATES.items(), ids=STATES)
def test_states_are_those_that_pinocchio_reads(stem, state):
    import pinocchio as pin

    path = of(stem)
    robot = loaded(path, srdf="auto")
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    pin.loadReferenceConfigurations(model, robot.description.semantics.path, False)
    wanted, data = model.referenceConfigurations[state], model.createData()
    pin.framesForwardKinematics(model, data, pin.normalize(model, wanted))
    q = robot.states[state]
    for link in robot.links:
        number = model.getFrameId(link, pin.FrameType.BODY)
        if number < model.nframes:
            assert_allclose(robot.frame_pose(q, link).translation, data.oMf[number].translation, atol=1e-6)


@pytest.mark.parametrize(
    ("stem", "count", "kind"),
    [
        ("a1", 4, "point"),
        ("go1", 4, "point"),
        ("go2", 4, "point"),
        ("anymal", 4, "point"),
        ("solo12", 4, "point"),
        ("hyq_no_sensors", 4, "point"),  # Collada meshes
        ("talos_reduced", 2, "sole"),
        ("icub_reduced", 2, "sole"),  # its ankles are 2 cm above the soles
    ],
)
def test_known_robots_stand_on_the_feet_that_are_found(stem, count, kind):
    robot = loaded(of(stem), srdf="auto")
    q = robot.states[STATES[stem]]
    feet = find_feet(robot, q)
    assert [foot.kind for foot in feet] == [kind] * count
    ends = {effector.link for effector in robot.end_effectors.values()}
    nearest = [
        min(
            np.linalg.norm(robot.frame_pose(q, end).translation - robot.frame_pose(q, foot.link).translation)
            for end in ends
        )
        for foot in feet
    ]
    assert max(nearest) < 0.15  # the SRDF names the same feet
    body = whole_body(robot, q, [foot.site(hf.models.coulomb(0.6)) for foot in feet])
    answer = body.equilibrium()
    assert answer.holds and answer.verify()
