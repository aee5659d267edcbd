"""Named states, groups and end effectors of an SRDF are those of the file, for the joints of the robot."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast.errors import FileError, InputError, UnknownNameError
from holdfast.robots import Robot, RobotWarning
from holdfast.robots.srdf import read_srdf
from tests.robots.sample_robots import joint, link, two_link_arm, urdf

SRDF = """<robot name="arm">
  <virtual_joint name="base_joint" type="floating" parent_frame="world" child_link="base"/>
  <group name="whole"><chain base_link="base" tip_link="tip"/></group>
  <group name="lower"><joint name="elbow"/></group>
  <group name="both"><group name="lower"/><link name="upper"/></group>
  <group name="lost"><joint name="elbo"/></group>
  <end_effector name="hand" parent_link="tip" group="lower"/>
  <group_state name="up" group="whole"><joint name="shoulder" value="1.25"/><joint name="elbow" value="-0.5"/>
    <joint name="base_joint" value="1 2 3 0 0 0.7071 0.7071"/></group_state>
  <group_state name="home" group="whole"><joint name="shoulder" value="0.5"/></group_state>
  <group_state name="home" group="lower"><joint name="elbow" value="0.25"/></group_state>
  <group_state name="torn" group="whole"><joint name="elbow" value="0.1"/></group_state>
  <group_state name="torn" group="lower"><joint name="elbow" value="0.2"/></group_state>
  <group_state name="other"><joint name="shoulder" value="0.5"/><joint name="toe" value="1"/></group_state>
  <group_state name="strange"><joint name="toe" value="1"/></group_state>
</robot>"""


@pytest.fixture(scope="module")
def arm():
    return Robot.from_urdf(two_link_arm(), srdf=SRDF)


def test_a_state_is_the_posture_made_by_hand(arm):
    q = arm.states["up"]
    assert_allclose(q[7:], [1.25, -0.5])
    assert_allclose(q[:3], [1, 2, 3])
    turned = arm.base_pose(q).apply((1, 0, 0)) - q[:3]
    assert_allclose(turned, (0, 1, 0), atol=1e-12)  # a quarter turn about z, written with four digits
    assert_allclose(arm.checked(q), q)


def test_a_fixed_robot_takes_the_joints_of_a_state_alone():
    fixed = Robot.from_urdf(two_link_arm(), base="fixed", srdf=SRDF)
    assert_allclose(fixed.states["up"], [1.25, -0.5])


def test_states_of_several_groups_are_one_where_they_agree(arm):
    assert_allclose(arm.states["home"][7:], [0.5, 0.25])
    assert_allclose(arm.states["lower/home"][7:], [0.0, 0.25])
    assert "torn" not in arm.states
    assert_allclose(arm.states["lower/torn"][7:], [0.0, 0.2])
    assert len(arm.states) == 8 and next(iter(arm.states)) == "up"


def test_joints_that_a_variant_does_not_have_are_warned_of(arm):
    with pytest.warns(RobotWarning, match="'other'.*left out: toe"):
        q = arm.states["other"]
    assert_allclose(q[7:], [0.5, 0.0])
    with pytest.raises(UnknownNameError, match="state 'strange'.*no joint 'toe'"):
        arm.states["strange"]


def test_an_unknown_state_suggests_the_nearest(arm):
    with pytest.raises(UnknownNameError, match="no state 'upp' .did you mean 'up'"):
        arm.states["upp"]
    with pytest.raises(InputError, match="has no states"):
        Robot.from_urdf(two_link_arm()).states["up"]


def test_groups_and_end_effectors(arm):
    assert arm.groups["whole"].joints == ("shoulder", "elbow")
    assert arm.groups["whole"].links == ("base", "upper", "lower", "tip")
    assert arm.groups["both"].joints == ("shoulder", "elbow")
    assert arm.end_effectors["hand"].link == "tip"
    with pytest.raises(UnknownNameError, match="group 'lost'.*did you mean 'elbow'"):
        arm.groups["lost"]


def test_another_process_has_the_states_too(arm):
    assert_allclose(pickle.loads(pickle.dumps(arm)).states["up"], arm.states["up"])


def test_endless_joints_may_be_a_cosine_and_a_sine_and_planar_bases_have_three_numbers():
    text = urdf(link("a", 1.0), link("b", 1.0), joint("j", "a", "b", kind="continuous"))
    srdf = (
        '<robot name="s"><virtual_joint name="v" type="planar" parent_frame="odom" child_link="a"/>'
        '<group_state name="x"><joint name="j" value="0.6 -0.8"/><joint name="v" value="1 2 0.5"/></group_state></robot>'
    )
    robot = Robot.from_urdf(text, srdf=srdf)
    q = robot.states["x"]
    assert q[7] == pytest.approx(np.arctan2(-0.8, 0.6))
    assert_allclose(robot.base_pose(q).rotation[:2, 0], [np.cos(0.5), np.sin(0.5)])
    assert_allclose(q[:3], [1, 2, 0])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot><group_state", "SRDF text:1: is no XML"),
        ("<sdf/>", "begins with <sdf>"),
        (two_link_arm(), "it is a URDF"),
        ('<robot><group_state name="a"><joint name="j" value="1 x"/></group_state></robot>', "value is '1 x'"),
        ('<robot><group_state><joint name="j" value="1"/></group_state></robot>', "group_state: has no name"),
        ('<robot><group_state name="a"/><group_state name="a"/></robot>', "'a' is given twice"),
        ('<robot><virtual_joint name="a" type="fixd"/></robot>', "did you mean 'fixed'"),
    ],
)
def test_faults_of_an_srdf_are_errors_that_say_where(text, says):
    with pytest.raises(FileError, match=says):
        read_srdf(text)


@pytest.mark.parametrize(
    ("value", "says"),
    [("1 2 3", "a floating joint has x y z and a quaternion"), ("0 0 0 0 0 0 2", "quaternion has length 2")],
)
def test_a_base_that_is_no_pose_is_an_error(value, says):
    srdf = f'<robot><group_state name="a"><joint name="root_joint" value="{value}"/></group_state></robot>'
    with pytest.raises(InputError, match=says):
        Robot.from_urdf(two_link_arm(), srdf=srdf).states["a"]


def test_a_group_that_contains_itself_is_an_error():
    srdf = '<robot><group name="a"><group name="b"/></group><group name="b"><group name="a"/></group></robot>'
    with pytest.raises(InputError, match="contains itself"):
        Robot.from_urdf(two_link_arm(), srdf=srdf).groups["a"]


def test_the_srdf_beside_a_urdf_is_found(tmp_path):
    (tmp_path / "urdf").mkdir()
    (tmp_path / "srdf").mkdir()
    path = tmp_path / "urdf" / "robot.urdf"
    path.write_text(two_link_arm())
    with pytest.raises(FileError, match="has no SRDF in"):
        Robot.from_urdf(path, srdf="auto")
    (tmp_path / "srdf" / "any.srdf").write_text(SRDF)
    assert "up" in Robot.from_urdf(path, srdf="auto").states
    (tmp_path / "srdf" / "more.srdf").write_text("<robot/>")
    with pytest.raises(FileError, match="several SRDFs: any.srdf, more.srdf"):
        Robot.from_urdf(path, srdf="auto")
    (tmp_path / "srdf" / "robot.srdf").write_text(SRDF.replace('"up"', '"here"'))
    assert "here" in Robot.from_urdf(path, srdf="auto").states
    with pytest.raises(InputError, match="the URDF is a text"):
        Robot.from_urdf(two_link_arm(), srdf="auto")
    with pytest.raises(FileError, match="there is no such file"):
        Robot.from_urdf(path, srdf=tmp_path / "gone.srdf")
