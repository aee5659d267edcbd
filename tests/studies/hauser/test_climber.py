from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import holdfast as hf
from holdfast import Pose, Robot
from holdfast.devices import four_finger_hand, two_finger_gripper
from holdfast.errors import GeometryError
from studies.hauser.climber import (
    GRIPS,
    HOLDS,
    LIMBS,
    MODELS,
    TORSO_DISTANCE,
    BoxLink,
    GripName,
    Hinge,
    RobotModel,
    TerrainDimensions,
    Wall,
    climber_model,
    climber_robot,
    climbing_posture,
    hand_grip,
)

pytestmark = pytest.mark.nightly

ARM = RobotModel(
    "arm",
    (BoxLink("base", 2.0, (0.3, 0.2, 0.1)), BoxLink("upper", 0.1 + 0.2, (0.4, 0.05, 0.05), (0.2, 0.0, 0.0))),
    (Hinge("elbow", "base", "upper", (1 / 3, 0.0, 0.0), (0.0, 0.0, 1.0), lower=-1.0, upper=2.0, effort=9.0),),
    "two -- boxes & a hinge",
)


def test_numbers_read_back_to_the_last_digit() -> None:
    root = ElementTree.fromstring(ARM.urdf())
    assert [link.get("name") for link in root.iter("link")] == ["base", "upper"]
    masses = [float(mass.get("value", "")) for mass in root.iter("mass")]
    assert masses == [2.0, 0.1 + 0.2]
    joint = root.find("joint")
    assert joint is not None
    origin, limit = joint.find("origin"), joint.find("limit")
    assert origin is not None
    assert limit is not None
    assert [float(x) for x in origin.get("xyz", "").split()] == [1 / 3, 0.0, 0.0]
    assert limit.attrib == {"lower": "-1", "upper": "2", "effort": "9", "velocity": "1"}
    assert joint.find("dynamics") is None


def test_the_inertia_is_that_of_a_solid_box() -> None:
    """By adding up a fine grid of points."""
    link = BoxLink("box", 3.0, (0.3, 0.2, 0.1))
    import numpy as np

    n = 60
    axes = [(np.arange(n) + 0.5) / n * size - size / 2.0 for size in link.size]
    x, y, z = (grid.ravel() for grid in np.meshgrid(*axes))
    share = link.mass / n**3
    own = [share * (a**2 + b**2).sum() for a, b in ((y, z), (x, z), (x, y))]
    assert link.inertia == pytest.approx(own, rel=1e-3)


def test_the_climber_has_the_published_masses() -> None:
    whole, plain = climber_model(), climber_model(fingers=False)
    limb = 3 * 0.429 + 3 * 3.975 + 1.76
    assert whole.mass == pytest.approx(40.0 + 4.0 * (limb + 2.6))
    assert whole.mass == pytest.approx(110.3, abs=0.05)
    assert plain.mass == pytest.approx(whole.mass)
    assert MODELS["four_finger_hand"]().mass == pytest.approx(2.6)


def test_the_climber_has_the_published_joints() -> None:
    root = ElementTree.fromstring(MODELS["climber_without_fingers"]().urdf())
    joints = {joint.get("name", ""): joint for joint in root.iter("joint")}
    offsets = [(0.172, 0, 0), (0.2865, -0.117, 0), (0, 0, 0), (0.2865, -0.117, 0), (0, 0, 0), (0.1925, -0.117, 0)]
    for limb in LIMBS:
        own = [joints[f"{limb}_{index}"] for index in range(1, 8)]
        places = [_numbers(joint, "origin", "xyz") for joint in own]
        assert np.abs(places[0]) == pytest.approx([0.293, 0.209, 0.0365])
        assert np.sign(places[0][:2]).tolist() == [1 if "front" in limb else -1, 1 if "left" in limb else -1]
        assert places[0][2] == -0.0365
        np.testing.assert_array_equal(places[1:], offsets)
        axes = [_numbers(joint, "axis", "xyz") for joint in own]
        np.testing.assert_array_equal(axes, [(1, 0, 0), (0, -1, 0)] * 3 + [(1, 0, 0)])


def test_a_climber_stretched_sideways_spans_its_links() -> None:
    """All joints at zero: every limb is straight along y, its offsets add up."""
    robot = Robot.from_urdf("@climber")
    q = robot.neutral()
    reach = 0.172 + 2 * 0.2865 + 0.1925 + 0.08
    left, right = (robot.frame_pose(q, f"front_{side}_palm") for side in ("left", "right"))
    np.testing.assert_allclose(left.translation, [0.293 + 3 * 0.117, 0.209 + reach, -0.0365], atol=1e-12)
    np.testing.assert_allclose(right.translation, [0.293 - 3 * 0.117, -0.209 - reach, -0.0365], atol=1e-12)
    np.testing.assert_allclose(left.rotation[:, 2], [0, -1, 0], atol=1e-12)  # z of a palm points back to its limb


@pytest.mark.parametrize("name", GRIPS)
def test_the_hand_of_the_file_is_the_hand_of_the_device(name: GripName) -> None:
    """Units' frames, joint by joint, in every grip; with the swivels the outer fingers change sides."""
    grip = hand_grip(name)
    robot = Robot.from_urdf("@four_finger_hand", base="fixed", at=grip.palm)
    q = robot.configuration(grip.angles())
    turn = np.column_stack([(-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)])
    for patch in grip.device.patches:
        unit = robot.frame_pose(q, patch.name.replace(" ", "_")) @ Pose(turn, np.array([0.022, 0.0, -0.015]))
        np.testing.assert_allclose(unit.translation, patch.positions.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(unit.rotation, patch.contacts[0].rotation, atol=1e-12)


def test_the_gripper_of_the_file_is_the_gripper_of_the_device() -> None:
    device = two_finger_gripper("PMD", "PMD")
    bars = device.links[0].points
    robot = Robot.from_urdf("@two_finger_gripper", base="fixed", at=Pose(np.eye(3), bars.mean(axis=0)))
    parts = {joint.name.replace(" ", "_"): float(q) for joint, q in zip(device.joints, device.coordinates, strict=True)}
    q = robot.configuration(parts)
    for link in device.links[1:]:
        own = robot.frame_pose(q, link.name.replace(" ", "_"))
        np.testing.assert_allclose(own.translation, link.points[0], atol=1e-12)
    assert robot.torque_limits[1].max() == 0.0
    np.testing.assert_allclose(robot.friction, 0.01)


def test_gravity_on_the_fingers_is_that_of_the_device() -> None:
    device = four_finger_hand("opposed")
    grip = hand_grip("opposing")
    robot = Robot.from_urdf("@four_finger_hand", base="fixed", at=grip.palm)
    gravity = np.array([1.0, -2.0, -9.0])
    torques = robot.gravity_torques(robot.configuration(grip.angles()), gravity)
    own = [torques[robot.joint_index(joint.name.replace(" ", "_"))] for joint in device.joints]
    np.testing.assert_allclose(own, device.gravity_matrix @ gravity, atol=1e-12)


def _numbers(joint: ElementTree.Element, part: str, name: str) -> list[float]:
    found = joint.find(part)
    assert found is not None
    return [float(x) for x in found.get(name, "").split()]


PULL = np.array(
    [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]
)  # on the hand, towards the terrain: the hand is pulled off by its reaction


@pytest.mark.parametrize(("name", "units"), [("opposing", 12), ("parallel", 12), ("pinch", 4), ("power", 12)])
def test_the_units_of_each_grip_touch(name: GripName, units: int) -> None:
    grip = hand_grip(name)
    assert len(grip.touching) == units
    assert len(grip.assembly()) == 4 * units
    assert all(part.endswith("D") for part in grip.touching) == (name == "pinch")
    joints = grip.assembly().joints
    assert joints is not None
    assert len(joints.lower) == 12
    np.testing.assert_allclose(joints.upper, 10.0)


@pytest.mark.parametrize(("name", "radius"), [("opposing", 0.22), ("parallel", 0.22), ("power", 0.065)])
def test_units_lie_on_the_round_terrain_and_look_at_its_axis(name: GripName, radius: float) -> None:
    grip = hand_grip(name)
    axis = np.array([0.0, 0.0, 0.005 - radius])
    for patch in grip.device.patches:
        middle, normal = patch.positions.mean(axis=0), patch.contacts[0].rotation[:, 2]
        arm = axis[[0, 2]] - middle[[0, 2]]
        assert np.hypot(*arm) == pytest.approx(radius)
        np.testing.assert_allclose(normal[[0, 2]], arm / radius, atol=1e-12)


def test_fingertips_lie_flat_on_the_two_faces_of_the_edge() -> None:
    grip = hand_grip("pinch")
    for patch in grip.device.patches:
        middle, frame = patch.positions.mean(axis=0), patch.contacts[0].rotation
        side = 1.0 if patch.name.startswith("inner") else -1.0
        assert middle[0] == pytest.approx(side * 0.04)
        assert middle[2] == pytest.approx(-0.07)  # below the edge's top, where the device's origin is
        np.testing.assert_allclose(frame[:, 2], [-side, 0, 0], atol=1e-12)  # normal into the edge
        np.testing.assert_allclose(frame[:, 0], [0, 0, 1], atol=1e-12)  # spines pull it out of the wall


def test_only_the_pole_is_closed_in() -> None:
    """A direction in which no normal points is a way out; round a pole the fingers leave less than a half turn."""
    for name in ("opposing", "power"):
        normals = np.array([c.rotation[:, 2] for c in hand_grip(name).assembly().contacts])
        assert bool(normals[:, 2].max() > 0.5) == (name == "power")


def test_grips_hold_on_to_the_wall_in_this_order() -> None:
    """Largest pull off the terrain, with any torque: power, pinch, then opposing as parallel."""
    pulls = {name: float(hand_grip(name).lazy().supports(PULL[None]).values[0]) for name in GRIPS}
    assert pulls["power"] > pulls["pinch"] > pulls["opposing"] > 0.0
    assert pulls["parallel"] == pytest.approx(pulls["opposing"])  # the same units, turned about the vertical


def test_the_lazy_grip_speaks_of_the_palm_frame() -> None:
    grip = hand_grip("pinch")
    limit = hf.load_limit(grip.assembly(), grip.palm.wrench_transport() @ PULL)
    held, beyond = 0.98 * limit.value * PULL, 1.02 * limit.value * PULL
    assert grip.lazy().confirm(held).holds
    assert not grip.lazy().confirm(beyond).holds


def test_angles_name_every_joint_of_the_hand() -> None:
    angles = hand_grip("parallel").angles("front_left_")
    assert len(angles) == 14
    assert angles["front_left_outer_left_swivel"] == 0.0
    assert hand_grip("power").angles()["outer_left_swivel"] == pytest.approx(np.pi)
    assert hand_grip("power").angles()["outer_right_swivel"] == pytest.approx(-np.pi)


def test_what_cannot_be_gripped_is_reported() -> None:
    with pytest.raises(GeometryError, match="do not reach"):
        hand_grip("pinch", terrain=TerrainDimensions(edge_depth=0.12))
    with pytest.raises(GeometryError, match="radius"):
        hand_grip("power", terrain=TerrainDimensions(pole_radius=0.03))


@pytest.mark.parametrize("degrees", [5.0, -15.0])
def test_palms_are_on_their_holds_and_the_torso_before_the_wall(degrees: float) -> None:
    wall = Wall(np.radians(degrees))
    posture = climbing_posture(wall, "pinch", "opposing")
    for limb, (rise, left) in HOLDS.items():
        palm = posture.robot.frame_pose(posture.q, f"{limb}_palm")
        np.testing.assert_allclose(palm.translation, rise * wall.up + [0.0, left, 0.0], atol=1e-6)
        np.testing.assert_allclose(palm.rotation[:, 2], wall.off, atol=1e-5)
        np.testing.assert_allclose(palm.rotation[:, 0], wall.up, atol=1e-5)
    torso = posture.robot.base_pose(posture.q).translation
    assert torso @ wall.off == pytest.approx(TORSO_DISTANCE, abs=1e-6)
    assert wall.off[2] * degrees > 0.0  # an overhang looks down, a slab up
    posture.robot.checked(posture.q)  # within the joints' limits


def test_no_link_of_the_limbs_is_in_the_wall() -> None:
    wall = Wall(0.0)
    posture = climbing_posture(wall)
    links = [f"{limb}_{index}" for limb in HOLDS for index in range(1, 8)]
    places = posture.robot.placements(posture.q, links)[:, :3, 3]
    assert (places @ wall.off).min() > 0.04  # half of a link's thickness


def test_the_centre_of_mass_is_that_of_the_boxes() -> None:
    posture = climbing_posture(Wall(np.radians(-15.0)), "power", "parallel")
    boxes = climber_model().links
    places = posture.robot.placements(posture.q, [box.name for box in boxes])
    centres = np.einsum("nij,nj->ni", places[:, :3, :3], [box.center for box in boxes]) + places[:, :3, 3]
    masses = np.array([box.mass for box in boxes])
    np.testing.assert_allclose(posture.com, masses @ centres / masses.sum(), atol=1e-9)
    np.testing.assert_allclose(posture.wrench[:3], [0.0, 0.0, -9.80665 * posture.mass], rtol=1e-9)


def test_hands_in_one_piece_weigh_the_same() -> None:
    assert climber_robot(fingers=False).mass == pytest.approx(climber_robot().mass)
    plain = climbing_posture(Wall(0.0), fingers=False)
    assert len(plain.q) == 35
    assert np.abs(plain.com - climbing_posture(Wall(0.0)).com).max() < 0.02
