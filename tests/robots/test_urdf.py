"""Numbers of attributes come whole or not at all."""

from __future__ import annotations

import pickle
import warnings
from importlib.metadata import PackageNotFoundError
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast.errors import FileError, InputError, UnknownNameError
from holdfast.robots import Robot, RobotWarning
from holdfast.robots.urdf import Mimic, numbers_of, read_urdf, robot_files
from tests.robots.sample_robots import joint, link, two_link_arm, urdf

ELEMENT = ElementTree.fromstring('<origin xyz="1 2 3" rpy="1 nan 2" size=""/>')


def test_numbers_are_read_and_defaults_stand_in():
    assert numbers_of(ELEMENT, "xyz", 3, "here") == [1.0, 2.0, 3.0]
    assert numbers_of(ELEMENT, "scale", 2, "here", default=(1, 2)) == [1.0, 2.0]


@pytest.mark.parametrize(("name", "count"), [("xyz", 2), ("rpy", 3), ("size", 1), ("scale", 1)])
def test_anything_else_is_an_error(name, count):
    with pytest.raises(InputError, match=f"here: <origin {name}>"):
        numbers_of(ELEMENT, name, count, "here")


# Shapes are read for drawing; meshes that cannot be had are named in one warning.


def meshed(*names: str) -> str:
    return urdf(
        link("a", 1.0, extra="".join(f'<visual><geometry><mesh filename="{n}"/></geometry></visual>' for n in names))
    )


def test_simple_shapes_come_with_size_and_pose():
    text = urdf(
        link(
            "a",
            1.0,
            extra='<visual><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry><box size="1 2 3"/></geometry>'
            '</visual><collision><geometry><cylinder radius="0.1" length="2"/></geometry></collision>'
            '<visual><geometry><sphere radius="0.3"/></geometry></visual>',
        )
    )
    box, ball, tube = read_urdf(text).shapes
    assert (box.kind, ball.kind, tube.kind) == ("box", "sphere", "cylinder")
    assert box.size.tolist() == [1, 2, 3]
    assert_allclose(box.pose.apply((1, 0, 0)), (1, 3, 3), atol=1e-12)
    assert tube.size.tolist() == [0.1, 2.0, 0.0]
    assert tube.role == "collision"
    assert ball.size.tolist() == [0.3, 0.0, 0.0]


def test_missing_and_unknown_meshes_make_one_warning(tmp_path):
    (tmp_path / "here.stl").write_text("solid")
    path = tmp_path / "a.urdf"
    path.write_text(meshed("here.stl", "gone.obj", "odd.blend", "gone.obj"))
    with pytest.warns(RobotWarning) as seen:
        robot = Robot.from_urdf(path, base="fixed")
    assert len(seen) == 1
    assert "2 of 3 meshes" in str(seen[0].message)
    assert "'gone.obj' was not found" in str(seen[0].message)
    assert "'odd.blend' has an unknown format" in str(seen[0].message)
    assert robot.mass == 1.0


def test_meshes_can_be_required_or_ignored(tmp_path):
    path = tmp_path / "a.urdf"
    path.write_text(meshed("gone.obj"))
    with pytest.raises(FileError, match="was not found"):
        Robot.from_urdf(path, meshes="required")
    assert len(Robot.from_urdf(path, meshes="ignored").shapes) == 1
    with pytest.raises(UnknownNameError, match="did you mean 'ignored'"):
        Robot.from_urdf(path, meshes="ignore")  # pyright: ignore[reportArgumentType]


def test_package_names_are_found_above_the_file(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "urdf").mkdir()
    (tmp_path / "meshes" / "hip.stl").write_text("solid")
    path = tmp_path / "urdf" / "a.urdf"
    path.write_text(meshed("package://robot/meshes/hip.stl"))
    assert Robot.from_urdf(path, meshes="required").shapes[0].size.tolist() == np.ones(3).tolist()


# Faults of robot files are found before anything is built, and say where they are.

A, B, C = link("a", 1.0), link("b", 1.0), link("c", 1.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot><link name='a'>", "URDF text:1: is not XML"),
        ("<sdf/>", "begins with <sdf>"),
        (urdf(), "has no links"),
        (urdf(A, A), "'a' is given twice"),
        (urdf(A, B), "2 links without a parent: a, b"),
        (urdf(A, B, joint("j", "a", "bb")), "there is no link 'bb' .did you mean 'b'"),
        (urdf(A, B, joint("j", "a", "b"), joint("j", "a", "b")), "'j' is given twice"),
        (urdf(A, B, joint("j", "a", "b"), joint("k", "a", "b")), "'b' is the child of two joints"),
        (urdf(A, B, C, joint("j", "b", "c"), joint("k", "c", "b")), "links b, c form a cycle"),
        (urdf(A, B, joint("j", "a", "b", kind="planar")), "no type of joint 'planar'"),
        (urdf(A, B, joint("j", "a", "b", axis="0 0 0")), "axis is the zero vector"),
        (urdf(A, B, joint("j", "a", "b", axis="0 x 0")), "<axis xyz> is '0 x 0' .give 3 numbers"),
        (urdf(A, B, joint("j", "a", "b", limits=(1.0, -1.0))), "lower 1 is above upper -1"),
        (urdf(A, B, joint("j", "a", "b", effort=-1.0)), "effort is -1"),
        (urdf(A, B, joint("j", "a", "b", friction=-1.0)), "friction is -1"),
        (urdf(link("a"), link("b"), joint("j", "a", "b")), "no link has a mass .*<inertial>"),
        (urdf(link("a", -1.0)), "mass is -1 kg"),
    ],
)
def test_a_fault_of_the_file_is_an_error_that_says_what_and_where(text, says):
    with pytest.raises(FileError, match=says):
        read_urdf(text)


def test_a_file_and_its_text_give_the_same(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(two_link_arm())
    assert read_urdf(path).links == read_urdf(two_link_arm()).links
    assert read_urdf(str(path)).joints == read_urdf(two_link_arm()).joints


def test_a_link_with_a_shape_and_a_joint_but_no_mass_is_warned_of_once():
    shape = '<visual><geometry><sphere radius="0.1"/></geometry></visual>'
    text = urdf(A, link("b", extra=shape), link("c", extra=shape), joint("j", "a", "b"), joint("k", "b", "c"))
    with pytest.warns(RobotWarning, match="have no weight: b, c") as seen:
        read_urdf(text)
    assert len(seen) == 1


def test_inertia_is_not_needed_beside_the_mass():
    text = urdf('<link name="a"><inertial><mass value="2"/></inertial></link>')
    assert read_urdf(text).masses == {"a": 2.0}


# Joints that mimic another: resolved to the joint that drives them in the end; faults are found.


def test_a_chain_of_mimics_is_resolved_to_the_joint_that_drives_it():
    text = urdf(
        A, B, C, link("d", 1.0),
        joint("j", "a", "b", follows=("k", -2.0, 0.5)),
        joint("k", "b", "c", follows=("l", 0.5, 0.1)),
        joint("l", "c", "d"),
    )  # fmt: skip
    found = read_urdf(text).joints
    assert found["l"].mimic is None
    assert found["k"].mimic == Mimic("l", 0.5, 0.1)
    assert found["j"].mimic == Mimic("l", -1.0, -2.0 * 0.1 + 0.5)
    assert "mimic" not in read_urdf(text).text


@pytest.mark.parametrize(
    ("follows", "says"),
    [
        (("kk", 1.0, 0.0), "joint 'j', mimic: there is no joint 'kk' .did you mean 'k'.*independent"),
        (("j", 1.0, 0.0), "joint 'j', mimic: follows itself"),
        (("k", 0.0, 0.0), "<mimic multiplier> is 0 .*never moves"),
        (("k", float("nan"), 0.0), "<mimic multiplier> is 'nan' .give one number"),
        (("k", float("inf"), 0.0), "<mimic multiplier> is 'inf' .give one number"),
        (("k", 1.0, float("nan")), "<mimic offset> is 'nan'"),
        (("f", 1.0, 0.0), "follows 'f', which is fixed"),
    ],
)
def test_a_bad_mimic_is_an_error_that_says_what_and_where(follows, says):
    d = link("d", 1.0)
    weld = joint("f", "c", "d", kind="fixed")
    text = urdf(A, B, C, d, joint("j", "a", "b", follows=follows), joint("k", "b", "c"), weld)
    with pytest.raises(FileError, match=says):
        read_urdf(text)


def test_mimics_in_a_ring_are_an_error():
    d = link("d", 1.0)
    text = urdf(
        A, B, C, d, joint("j", "a", "b", follows=("k", 1.0, 0.0)), joint("k", "b", "c", follows=("l", 1.0, 0.0)),
        joint("l", "c", "d", follows=("k", 1.0, 0.0)),
    )  # fmt: skip
    with pytest.raises(FileError, match="mimic: joints follow each other in a cycle: k -> l -> k"):
        read_urdf(text)


def test_a_fixed_joint_follows_nothing():
    text = urdf(A, B, C, joint("j", "a", "b"), joint("k", "b", "c", kind="fixed", follows=("gone", 0.0, 0.0)))
    assert read_urdf(text).joints["k"].mimic is None


def test_mimics_can_be_read_as_motors_of_their_own_with_a_warning():
    text = urdf(A, B, C, joint("j", "a", "b", follows=("gone", 2.0, 0.0)), joint("k", "b", "c"))
    with pytest.warns(RobotWarning, match="count as independently driven: j") as seen:
        robot = Robot.from_urdf(text, mimic="independent")
    assert len(seen) == 1
    assert robot.joint_names == ("j", "k")
    with pytest.raises(UnknownNameError, match="did you mean 'coupled'"):
        Robot.from_urdf(text, mimic="couple")  # pyright: ignore[reportArgumentType]


# A floating joint at the root is the base.

FLOATS = joint("free", "world", "a", (5.0, 6.0, 7.0), kind="floating", effort=None)


def test_a_floating_joint_at_the_root_is_the_base_pose():
    floating = read_urdf(urdf(link("world"), A, B, FLOATS, joint("j", "a", "b")))
    plain = read_urdf(urdf(A, B, joint("j", "a", "b")))
    assert (floating.root, floating.links, floating.joints) == (plain.root, plain.links, plain.joints)
    assert floating.text == plain.text


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ([link("world", 2.0), A, FLOATS], "joint 'free': floats, and the link 'world' .*: it has a mass"),
        ([link("world"), A, B, FLOATS, joint("j", "world", "b")], "joint 'j' is on it"),
        ([link("world"), A, B, FLOATS, joint("g", "a", "b", kind="floating")], "'g' floats too"),
        ([A, B, C, joint("j", "a", "b"), joint("g", "b", "c", kind="floating")], "joint 'j' is on it"),
        ([A, FLOATS], "joint 'free', parent: there is no link 'world'"),
    ],
)
def test_any_other_floating_joint_is_an_error(parts, says):
    with pytest.raises(FileError, match=says):
        read_urdf(urdf(*parts))


# What is passed over is warned of once, and can be filtered.


def test_joints_without_effort_are_named_in_one_warning_that_can_be_filtered():
    text = urdf(
        A, B, C, link("d", 1.0), joint("j", "a", "b", effort=None), joint("k", "b", "c", kind="continuous", effort=None),
        joint("l", "c", "d", effort=None, follows=("j", 1.0, 0.0)),
    )  # fmt: skip
    with pytest.warns(RobotWarning, match="without <limit effort> count as infinitely strong: j, k$") as seen:
        Robot.from_urdf(text)
    assert len(seen) == 1
    assert seen[0].message.items == ("j", "k")
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*without <limit effort>", category=RobotWarning)
        pickle.loads(pickle.dumps(Robot.from_urdf(text)))


BAD_SHAPES = {
    "mesh": '<visual><geometry><mesh filename="a.stl" scale="0.001"/></geometry></visual>',
    "box": '<collision><geometry><box size="1 2"/></geometry></collision>',
    "origin": '<visual><origin rpy="0 0 pi"/><geometry><sphere radius="1"/></geometry></visual>',
}


@pytest.mark.parametrize("shape", BAD_SHAPES.values(), ids=BAD_SHAPES)
def test_a_shape_that_cannot_be_read_does_not_stop_the_robot(shape):
    text = urdf(link("a", 1.0, extra=shape + '<visual><geometry><sphere radius="0.3"/></geometry></visual>'))
    assert [found.kind for found in read_urdf(text, "ignored").shapes] == ["sphere"]
    with pytest.warns(RobotWarning, match="cannot be read are left out of pictures .1.: link 'a', "):
        assert len(read_urdf(text).shapes) == 1
    with pytest.raises(FileError, match="link 'a', "):
        read_urdf(text, "required")


@pytest.mark.parametrize(("source", "says"), [(None, "is a NoneType"), (b"<robot/>", "is a bytes"), ("", "is empty")])
def test_what_is_neither_a_path_nor_a_text_is_reported(source, says):
    with pytest.raises(InputError, match=says):
        read_urdf(source)


# Packages are found by argument and environment, and xacro is expanded or named.


def package(folder, name: str = "bot"):
    (folder / name / "meshes").mkdir(parents=True)
    (folder / name / "meshes" / "hip.stl").write_text("solid")
    return folder / name


def test_packages_are_found_by_argument_and_environment(tmp_path, monkeypatch):
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)
    text = meshed("package://bot/meshes/hip.stl")
    with pytest.raises(FileError, match="searched for package bot: packages= .not given.; ROS_PACKAGE_PATH .not set."):
        Robot.from_urdf(text, meshes="required")
    one, two, three = tmp_path / "one", tmp_path / "two", tmp_path / "three"
    home = package(one)
    for packages in ({"bot": home}, [one], [home], str(one)):
        assert Robot.from_urdf(text, meshes="required", packages=packages).mass == 1.0
    package(two / "src" / "repository")
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{tmp_path / 'gone'}:{two / 'src'}")
    assert Robot.from_urdf(text, meshes="required").description.finder.find("package://bot/meshes/hip.stl") == (
        two / "src" / "repository" / "bot" / "meshes" / "hip.stl"
    )
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    package(three / "share")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(three))
    assert Robot.from_urdf(text, meshes="required").mass == 1.0
    with pytest.raises(InputError, match="packages: '.*gone' is not a folder"):
        Robot.from_urdf(text, packages=[tmp_path / "gone"])


XACRO = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="2"/><xacro:property name="deg" value="${pi / 180}"/>
  <xacro:macro name="part" params="name mass"><link name="${name}"><inertial><mass value="${mass}"/></inertial></link></xacro:macro>
  <xacro:part name="a" mass="$(arg mass)"/><xacro:part name="b" mass="1"/>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0" rpy="0 0 ${90 * deg}"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


def test_xacro_without_its_package_is_named_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xacro", None)
    path = tmp_path / "x.urdf.xacro"
    path.write_text(XACRO)
    with pytest.raises(FileError, match=r"x.urdf.xacro: is a xacro file.*pip install xacro.*xacro .* > robot.urdf"):
        Robot.from_urdf(path, trust=True)
    bare = two_link_arm().replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    assert len(Robot.from_urdf(bare).joints) == 2  # expanded files keep the namespace


def test_xacro_is_expanded_with_arguments_and_packages(tmp_path):
    pytest.importorskip("xacro")
    robot = Robot.from_urdf(XACRO, base="fixed", xacro={"mass": 5}, trust=True)
    assert robot.mass == 6.0
    assert_allclose(robot.frame_pose([0.0], "b").apply((1, 0, 0)), (1, 1, 0), atol=1e-12)
    folder = package(tmp_path / "ws")
    (folder / "parts.xacro").write_text(XACRO.replace('<xacro:part name="a" mass="$(arg mass)"/>', ""))
    path = tmp_path / "top.xacro"
    path.write_text(
        '<robot name="top" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(find bot)/parts.xacro"/><xacro:part name="a" mass="4"/></robot>'
    )
    assert Robot.from_urdf(path, packages=[tmp_path / "ws"], trust=True).mass == 5.0
    with pytest.raises(FileError, match="xacro cannot expand it: .*package 'bot' was not found"):
        Robot.from_urdf(path, trust=True)
    with pytest.raises(FileError, match="xacro cannot expand it: .*deg"):
        Robot.from_urdf(XACRO.replace('<xacro:property name="deg" value="${pi / 180}"/>', ""), trust=True)


def test_mjcf_in_place_of_a_urdf_is_recognised():
    with pytest.raises(FileError, match="begins with <mujoco> .it is MJCF: use Robot.from_mjcf"):
        read_urdf("<mujoco/>")


def test_robots_have_names(tmp_path, monkeypatch):
    def absent(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("holdfast.robots.urdf.distribution", absent)
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    ready = {"climber", "climber_without_fingers", "four_finger_hand", "two_finger_gripper", "quadruped"}
    assert set(robot_files()) == ready
    assert len(Robot.from_urdf("@climber_without_fingers").joints) == 28
    with pytest.raises(InputError, match=r"no robot '@clmber' .did you mean '@climber'.*pip install .holdfast.known-"):
        Robot.from_urdf("@clmber")
    # The package, as ROS finds it; files of the same name have the name of their folder.
    text = {"dog_a_description/urdf/dog": 1.0, "dog_b_description/robots/dog": 2.0, "cat_description/urdf/tom": 3.0}
    for place, mass in text.items():
        path = tmp_path / "example-robot-data" / "robots" / f"{place}.urdf"
        path.parent.mkdir(parents=True)
        path.write_text(urdf(link("a", mass)))
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    names = {"@dog_a": 1.0, "@dog_b": 2.0, "@tom": 3.0}
    assert {name: Robot.from_urdf(name).mass for name in names} == names
    with pytest.raises(UnknownNameError, match=r"no robot '@dog' .*@dog_a, @dog_b"):
        Robot.from_urdf("@dog")
