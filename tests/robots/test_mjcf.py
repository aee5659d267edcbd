"""Robots from MJCF against MuJoCo itself: masses, poses, gravity torques, actuators, adhesion, key frames."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import holdfast as hf
from holdfast.errors import FileError, InputError, UnknownNameError
from holdfast.geometry.frames import rotation_of
from holdfast.robots import ContactSite, Robot, RobotWarning, find_feet, whole_body
from holdfast.robots.mjcf import LIMITS
from tests.nightly import nightly_after

mujoco = pytest.importorskip("mujoco")

#: Agreement with MuJoCo, relative to sizes of about one.
EXACT = 1e-9

#: Anchors off the body, several joints on one body, references, a pitch of 90 degrees, inertias from geoms.
ODD = """<mujoco model="odd"><compiler angle="radian"/><option gravity="0.3 -0.2 -9.7"/>
<default><geom friction="0.7"/><joint damping="1"/></default>
<worldbody><geom type="plane" size="1 1 1"/>
<body name="trunk" pos="0.1 0.2 0.5" quat="0.9 0.1 0.2 0.3"><freejoint/>
 <geom type="box" size=".2 .1 .05" pos=".01 .02 .03" euler=".1 .2 .3" mass="3"/>
 <site name="trunk" pos="0 .1 .2" euler="1 0 0"/>
 <body name="arm" pos=".2 0 .1" euler="0.3 1.5707963267948966 0.2">
  <joint name="h1" type="hinge" axis="0 1 1" pos=".02 .03 -.01" ref="0.4" range="-1 2" frictionloss="0.3"/>
  <joint name="s1" type="slide" axis="1 0 1" pos=".1 0 0" ref="0.05" stiffness="40" springref="0.1"/>
  <joint name="h2" type="hinge" axis="1 0 0" pos="-.02 .07 .01"/>
  <geom type="capsule" size=".02 .1" mass=".7" pos="0 .1 0"/>
  <body name="wrist" pos="0 .2 0" euler=".5 0 .2"><joint name="h3" axis="0 0 1" pos="0.01 0.02 0.03"/>
   <geom type="ellipsoid" size=".03 .02 .05" mass=".4" pos="0 0 .05"/>
   <body name="tip" pos="0 0 .1"><geom type="sphere" size=".02" mass=".1"/><site name="end" pos="0 0 .02"/></body></body>
 </body>
 <body name="foot" pos="-.2 0 -.2"><joint name="l1" axis="0 1 0"/><geom type="sphere" size=".03" mass=".1"/></body>
</body></worldbody>
<actuator><motor joint="h1" gear="20" ctrlrange="-1 2"/><position joint="h2" kp="50" forcerange="-3 4"/>
 <motor joint="h2" gear="-2" ctrlrange="0 1"/><adhesion body="foot" ctrlrange="0 2" gain="30"/></actuator>
<keyframe><key name="home" qpos="0 0 1 0.6 0 0.8 0 0.1 0.2 0.3 0.4 0.2"/></keyframe>
</mujoco>"""


@pytest.fixture(scope="module")
def odd():
    return Robot.from_mjcf(ODD), mujoco.MjModel.from_xml_string(ODD)


def posture(robot: Robot, model, qpos) -> np.ndarray:
    """MuJoCo's qpos of a model of hinges and slides in our order."""
    values = {}
    base = None
    for number in range(model.njnt):
        address = model.jnt_qposadr[number]
        if model.jnt_type[number] == int(mujoco.mjtJoint.mjJNT_FREE):
            w, x, y, z = qpos[address + 3 : address + 7]
            base = hf.Pose(rotation_of(np.array([x, y, z, w])), qpos[address : address + 3])
        else:
            values[model.joint(number).name] = float(qpos[address])
    return robot.configuration(values, base=base)


def check_against_mujoco(robot: Robot, model, qpos, q, *, torques: bool = True) -> None:
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    assert robot.mass == pytest.approx(model.body_mass.sum(), rel=EXACT)
    for number in range(1, model.nbody):
        pose = robot.frame_pose(q, model.body(number).name)
        assert_allclose(pose.translation, data.xpos[number], atol=EXACT)
        assert_allclose(pose.rotation, data.xmat[number].reshape(3, 3), atol=EXACT)
    bodies = [model.body(number).name for number in range(model.nbody)]
    for number in range(model.nsite):
        name = model.site(number).name
        pose = robot.frame_pose(q, f"{name} site" if name in bodies else name)
        assert_allclose(pose.translation, data.site_xpos[number], atol=EXACT)
        assert_allclose(pose.rotation, data.site_xmat[number].reshape(3, 3), atol=EXACT)
    assert_allclose(robot.com(q), data.subtree_com[0], atol=EXACT)
    if torques:
        asked = robot.generalised_gravity(q, model.opt.gravity)
        if robot.q_base:  # MuJoCo turns a free joint in the body's own axes
            asked[3:6] = robot.base_pose(q).rotation.T @ asked[3:6]
        size = max(1.0, float(np.abs(data.qfrc_bias).max()))
        assert_allclose(asked, data.qfrc_bias, atol=EXACT * size)


def test_poses_masses_and_gravity_torques_are_mujocos(odd):
    robot, model = odd
    rng = np.random.default_rng(0)
    check_against_mujoco(robot, model, model.qpos0, robot.states["qpos0"])
    check_against_mujoco(robot, model, model.key_qpos[0], robot.states["home"])
    for _ in range(5):
        qpos = rng.uniform(-0.9, 0.9, size=model.nq)
        qpos[3:7] /= np.linalg.norm(qpos[3:7])
        check_against_mujoco(robot, model, qpos, posture(robot, model, qpos))


def random_tree(rng: np.random.Generator, free: bool) -> str:
    """A tree of bodies with any placement, each with up to two joints."""
    numbers = lambda n, scale=1.0: " ".join(f"{x:.6f}" for x in rng.normal(size=n) * scale)  # noqa: E731
    count = int(rng.integers(3, 7))
    children: dict[int, list[int]] = {number: [] for number in range(-1, count)}
    for number in range(count):
        children[-1 if number == 0 else int(rng.integers(0, number))].append(number)

    def body(number: int) -> str:
        joints = "<freejoint/>" if number == 0 and free else ""
        if not joints:
            for part in range(int(rng.integers(0 if number else 1, 3))):
                kind = rng.choice(["hinge", "slide"])
                joints += f'<joint name="j{number}_{part}" type="{kind}" axis="{numbers(3)}" pos="{numbers(3, 0.1)}" ref="{rng.normal():.4f}"/>'
        kind = rng.choice(["box", "capsule", "cylinder", "ellipsoid"])
        inside = "".join(body(child) for child in children[number])
        return (
            f'<body name="b{number}" pos="{numbers(3, 0.3)}" quat="{numbers(4)}">{joints}'
            f'<geom type="{kind}" size="0.1 0.05 0.07" pos="{numbers(3, 0.1)}" quat="{numbers(4)}" mass="{rng.uniform(0.2, 3):.4f}"/>'
            f'<site name="s{number}" pos="{numbers(3, 0.1)}" quat="{numbers(4)}"/>{inside}</body>'
        )

    return f'<mujoco><compiler angle="radian"/><worldbody>{body(0)}</worldbody></mujoco>'


@pytest.mark.parametrize("seed", nightly_after(6, range(60)))
def test_any_tree_moves_and_weighs_as_in_mujoco(seed):
    rng = np.random.default_rng(seed)
    text = random_tree(rng, free=seed % 2 == 0)
    robot, model = Robot.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    assert robot.base == ("floating" if seed % 2 == 0 else "fixed")
    check_against_mujoco(robot, model, model.qpos0, robot.states["qpos0"])
    qpos = rng.normal(size=model.nq)
    if seed % 2 == 0:
        qpos[3:7] /= np.linalg.norm(qpos[3:7])
    check_against_mujoco(robot, model, qpos, posture(robot, model, qpos))


def test_ball_joints_are_three_hinges_with_the_same_poses():
    text = (
        '<mujoco><worldbody><body name="a"><joint name="b" type="ball" pos="0.1 0.2 0.3"/><geom size=".1" pos="1 0 0"/>'
        '</body></worldbody><keyframe><key name="k" qpos="0.5 0.5 0.5 0.5"/><key name="l" qpos="0.8 0 0.36 0.48"/></keyframe></mujoco>'
    )
    with pytest.warns(RobotWarning, match="ball joint 'b' has three hinges"):
        robot = Robot.from_mjcf(text)
    model = mujoco.MjModel.from_xml_string(text)
    assert robot.joint_names == ("b x", "b y", "b z")
    for number, name in enumerate(("k", "l")):  # the first has its y at 90 degrees
        check_against_mujoco(robot, model, model.key_qpos[number], robot.states[name], torques=False)
    assert robot.torque_limits[1].tolist() == [0.0, 0.0, 0.0]


def test_actuators_friction_springs_and_limits_are_taken_over(odd):
    robot, _ = odd
    joints = dict(zip(robot.joint_names, robot.joints, strict=True))
    assert (joints["h1"].torque_min, joints["h1"].torque_max) == (-20.0, 40.0)
    assert (joints["h2"].torque_min, joints["h2"].torque_max) == (-5.0, 4.0)  # two actuators, one with gear -2
    assert (joints["h3"].torque_min, joints["h3"].torque_max) == (0.0, 0.0)  # no actuator: passive
    assert joints["h1"].friction == 0.3
    assert (joints["s1"].stiffness, joints["s1"].rest) == (40.0, 0.1)
    index = robot.joint_index("h1")
    assert (robot.lower[index], robot.upper[index]) == (-1.0, 2.0)
    assert robot.upper[robot.joint_index("h2")] == np.inf


def driven(actuator: str, joint: str = "", more: str = "") -> Robot:
    return Robot.from_mjcf(
        f'<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="j" axis="0 1 0" {joint}/><geom name="g1" size=".1" pos="1 0 0"/>'
        '<body name="b"><joint name="k" axis="0 1 0" ref="0.2"/><geom name="g2" size=".1" pos="1 0 0"/></body>'
        f"</body></worldbody>{more}<actuator>{actuator}</actuator></mujoco>"
    )


@pytest.mark.parametrize(
    ("actuator", "joint", "limits"),
    [
        ('<motor joint="j" ctrlrange="-2 3" gear="10"/>', "", (-20, 30)),
        ('<motor joint="j" ctrlrange="-2 3" gear="-10"/>', "", (-30, 20)),
        ('<motor joint="j" ctrlrange="-2 3" gear="10" forcerange="-1 1"/>', "", (-10, 10)),
        ('<motor joint="j" ctrlrange="-2 3" gear="10"/>', 'actuatorfrcrange="-5 6"', (-5, 6)),
        ('<general joint="j" gainprm="7" ctrlrange="-1 2"/>', "", (-7, 14)),
        ('<position joint="j" kp="9" forcerange="-4 5"/>', "", (-4, 5)),
        ("", "", (0, 0)),
    ],
)
def test_torque_limits_of_an_actuator(actuator, joint, limits):
    robot = driven(actuator, joint)
    assert (robot.joints[0].torque_min, robot.joints[0].torque_max) == limits


def test_torque_limits_are_what_mujoco_applies():
    robot = driven('<general joint="j" gainprm="7" gear="3" ctrlrange="-1 2" forcerange="-5 9"/>')
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><joint name="j"/><geom size=".1" pos="1 0 0"/></body></worldbody>'
        '<actuator><general joint="j" gainprm="7" gear="3" ctrlrange="-1 2" forcerange="-5 9"/></actuator></mujoco>'
    )
    data, seen = mujoco.MjData(model), []
    for control in (-100.0, 100.0):
        data.ctrl[0] = control
        mujoco.mj_forward(model, data)
        seen.append(float(data.qfrc_actuator[0]))
    assert [robot.joints[0].torque_min, robot.joints[0].torque_max] == pytest.approx(seen)


def test_what_has_no_counterpart_is_named_in_one_warning():
    tendon = '<tendon><fixed name="t"><joint joint="j" coef="0.5"/><joint joint="k" coef="2"/></fixed></tendon>'
    with pytest.warns(RobotWarning, match="of j, k: each joint may have the full force") as seen:
        robot = driven('<motor tendon="t" ctrlrange="-1 1"/>', more=tendon)
    assert len(seen) == 1
    assert robot.torque_limits[1].tolist() == [0.5, 2.0]
    with pytest.warns(RobotWarning, match="joint 'j', whose actuator has none: it has no limit"):
        assert driven('<motor joint="j"/>').torque_limits[1][0] == np.inf
    with pytest.warns(RobotWarning, match="connect constraint 'loop': its loop counts as open"):
        driven("", more='<equality><connect name="loop" body1="b" anchor="1 0 0"/></equality>')
    for parts, says in (
        (tendon.replace('name="t"', 'name="t" stiffness="5"'), "spring, limit and friction of 't'"),
        ('<contact><pair geom1="g1" geom2="g2" friction="2"/></contact>', "friction of contact pairs"),
        ('<actuator><general name="a" body="b" gainprm="3"/></actuator>', "adhesion by 'a', whose force has no limit"),
    ):
        with pytest.warns(RobotWarning, match=says):
            driven("", more=parts)
    bent = '<equality><joint name="bent" joint1="k" joint2="j" polycoef="0 1 1 0 0"/></equality>'
    with pytest.warns(RobotWarning, match="the coupling 'bent', which is not linear"):
        driven("", more=bent)


COUPLED = """<mujoco><compiler angle="radian"/><worldbody>
<body name="a"><joint name="j" axis="0 1 0" ref="0.4"/><geom size=".1" pos="1 0 0"/>
 <body name="b"><joint name="k" axis="0 1 0" ref="0.2"/><geom size=".1" pos="1 0 0"/></body></body></worldbody>
<tendon><fixed name="t"><joint joint="j" coef="0.5"/><joint joint="k" coef="2"/></fixed></tendon>
<equality><joint joint1="k" joint2="j" polycoef="0.1 -1.5 0 0 0"/></equality>
<actuator><motor tendon="t" ctrlrange="-1 1"/></actuator></mujoco>"""


def test_a_linear_coupling_follows_as_in_mujoco():
    robot, model = Robot.from_mjcf(COUPLED), mujoco.MjModel.from_xml_string(COUPLED)
    data = mujoco.MjData(model)
    assert robot.joint_names == ("j",)
    for angle in (-0.7, 0.3):
        q = robot.configuration({"j": angle})
        coordinates = robot.coordinates(q)
        data.qpos[:] = [coordinates["j"], coordinates["k"]]
        mujoco.mj_forward(model, data)
        assert abs(data.efc_pos[0]) < EXACT  # MuJoCo's own error of the coupling
        assert_allclose(robot.frame_pose(q, "b").translation, data.body("b").xpos, atol=EXACT)
        weight = data.qfrc_bias[0] - 1.5 * data.qfrc_bias[1]  # virtual work: k moves -1.5 times as far
        assert robot.gravity_torques(q, model.opt.gravity)[0] == pytest.approx(weight, rel=EXACT)
    # One force drives both: 0.5 + 2 (-1.5) at the driving joint.
    assert robot.joints[robot.joint_index("j")].torque_max == pytest.approx(2.5)


def test_the_base_is_that_of_the_model_unless_another_is_wanted(odd):
    robot, model = odd
    assert robot.base == "floating" and robot.root == "trunk"
    held = Robot.from_mjcf(ODD, base="fixed")
    assert held.root == "trunk"
    assert_allclose(held.at.translation, model.body("trunk").pos)
    elsewhere = Robot.from_mjcf(ODD, base="fixed", at=hf.Pose(np.eye(3), [1, 2, 3]))
    assert_allclose(elsewhere.frame_pose(elsewhere.states["home"], "trunk").translation, [1, 2, 3])
    bolted = '<mujoco><worldbody><body name="base" pos="1 0 0"><geom size=".1"/><body name="a"><joint name="j"/><geom size=".1"/></body></body></worldbody></mujoco>'
    assert Robot.from_mjcf(bolted).root == "world"
    loose = Robot.from_mjcf(bolted, base="floating")
    assert loose.root == "base"
    assert_allclose(loose.states["qpos0"][:3], [1, 0, 0])
    with pytest.raises(InputError, match="is for a fixed base"):
        Robot.from_mjcf(ODD, at=hf.Pose.identity())


TWO = '<mujoco><worldbody><body name="a"><freejoint/><geom size=".1" mass="1"/></body><body name="b"><freejoint/><geom size=".1" mass="2"/></body></worldbody></mujoco>'


def test_one_of_several_robots_is_chosen_by_its_body():
    with pytest.raises(FileError, match="several moving bodies in the world: a, b .choose one: body="):
        Robot.from_mjcf(TWO)
    assert Robot.from_mjcf(TWO, body="b").mass == pytest.approx(2.0)
    with pytest.raises(FileError, match="no body of the world 'c'"):
        Robot.from_mjcf(TWO, body="c")
    assert Robot.from_mjcf(mujoco.MjModel.from_xml_string(TWO), body="a").mass == pytest.approx(1.0)


MESHED = (
    '<mujoco><asset><mesh name="m" file="gone.stl"/></asset><worldbody><body name="a"><freejoint/>{}'
    '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("<mujoco><worldbody><bad/></worldbody></mujoco>", "MuJoCo cannot read it: .*bad.*line 1"),
        ("<mujoco>", "MJCF text:1: is not XML"),
        ("nowhere.xml", "there is no such file"),
        ("<mujoco/>", "has no bodies"),
        ('<robot name="a"><link name="b"/></robot>', "it is a URDF: use Robot.from_urdf"),
        (MESHED.format(""), "mass of body 'a' comes from its mesh 'm'"),
    ],
)
def test_faults_of_an_mjcf_are_errors(source, says):
    with pytest.raises(FileError, match=says):
        Robot.from_mjcf(source)


def test_missing_meshes_are_left_out_with_a_warning_or_are_an_error():
    text = MESHED.format('<inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/>')
    with pytest.warns(RobotWarning, match="all meshes are left out, because some are missing: .*gone.stl"):
        assert Robot.from_mjcf(text).mass == 2.0
    assert Robot.from_mjcf(text, meshes="ignored").mass == 2.0
    with pytest.raises(FileError, match="gone.stl"):
        Robot.from_mjcf(text, meshes="required")
    with pytest.raises(UnknownNameError, match="did you mean 'ignored'"):
        Robot.from_mjcf(text, meshes="ignore")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="is a NoneType"):
        Robot.from_mjcf(None)


# A block on four adhesive pads, on the floor and on the ceiling.

PADS = '<mujoco><worldbody><body name="block"><freejoint/><geom type="box" size=".2 .1 .05" mass="2" contype="0" conaffinity="0"/>{}</body></worldbody><actuator>{}</actuator></mujoco>'
CORNERS = [(x, y) for x in (-0.2, 0.2) for y in (-0.1, 0.1)]


def climbing_block(pull: float, mu: float = 0.5) -> Robot:
    pads = "".join(
        f'<body name="p{i}" pos="{x} {y} -.06"><geom type="sphere" size=".01" mass="0.001" friction="{mu}"/></body>'
        for i, (x, y) in enumerate(CORNERS)
    )
    return Robot.from_mjcf(
        PADS.format(pads, "".join(f'<adhesion body="p{i}" ctrlrange="0 1" gain="{pull}"/>' for i in range(4)))
    )


@pytest.mark.parametrize(("share", "holds"), [(1.01, True), (0.99, False)])
def test_adhesion_carries_a_robot_on_the_ceiling_up_to_its_gain(share, holds):
    weight = 2.004 * 9.80665
    robot = climbing_block(share * weight / 4.0)
    over = np.diag([1.0, -1.0, -1.0])
    q = robot.configuration(base=hf.Pose(over, [0, 0, 1]))
    (foot,) = find_feet(robot, q, down=(0, 0, 1))  # the pads are one rigid body with the block
    assert foot.kind == "sole" and foot.friction == 0.5
    assert foot.adhesion == pytest.approx(share * weight)
    assert_allclose(sorted(map(tuple, foot.corners.round(9))), sorted(CORNERS), atol=EXACT)
    assert whole_body(robot, q, [foot.site()]).equilibrium().holds is holds
    pulls = [hf.models.suction(robot.description.adhesion[f"p{i}"], 0.5) for i in range(4)]
    pads = [ContactSite(f"p{i}", pull, hf.Pose(over, [0, 0, -0.01])) for i, pull in enumerate(pulls)]
    assert whole_body(robot, q, pads).equilibrium().holds is holds


@pytest.mark.parametrize(("share", "holds"), [(1.02, True), (0.98, False)])
def test_adhesion_carries_a_robot_on_a_wall_by_friction(share, holds):
    """Gravity along the wall, and the centre of mass off it: friction carries the weight, adhesion the moment too."""
    weight, mu, arm = 2.004 * 9.80665, 0.5, 0.07 * 2.0 / 2.004 + 0.01 * 0.004 / 2.004
    robot = climbing_block(share * weight / mu / 4.0, mu)
    q = robot.configuration()
    (foot,) = find_feet(robot, q)
    body = whole_body(robot, q, [foot.site(hf.models.suction(foot.adhesion, mu))], gravity=(9.80665, 0, 0))
    assert arm / 0.4 < 1.0 / (2.0 * mu)  # the moment does not lift the upper pads before they slip
    assert body.equilibrium().holds is holds


def test_files_that_an_mjcf_names_are_plain_files(tmp_path):
    os.mkfifo(tmp_path / "pipe.xml")
    (tmp_path / "ring.xml").write_text('<mujoco><include file="ring.xml"/></mujoco>')
    fan = '<include file="fan.xml"/>' * 20
    (tmp_path / "fan.xml").write_text(f"<mujoco>{fan}</mujoco>")
    (tmp_path / "zero.stl").symlink_to("/dev/zero")
    (tmp_path / "below").mkdir()
    os.mkfifo(tmp_path / "below" / "pipe.stl")
    (tmp_path / "below" / "part.xml").write_text('<mujoco><include file="../pipe.xml"/></mujoco>')
    (tmp_path / "below" / "mesh.xml").write_text('<mujoco><asset><mesh file="pipe.stl"/></asset></mujoco>')
    (tmp_path / "mesh.xml").write_text('<mujoco><asset><mesh file="pipe.stl"/></asset></mujoco>')
    (tmp_path / "folder.xml").write_text('<mujoco><compiler meshdir="below" strippath="true"/></mujoco>')
    for text, message in (
        ('<include file="pipe.xml"/>', "pipe.xml: is not a regular file"),
        ('<include file="ring.xml"/>', "ring.xml: is included more than 10 levels deep"),
        ('<asset><model name="m" file="a.xml"/></asset>', "a.xml: is included more than 10 levels deep"),
        ('<asset><model name="m" file="below/part.xml"/></asset>', "pipe.xml: is not a regular file"),
        ('<include file="below/mesh.xml"/>', "pipe.stl: is not a regular file"),
        ('<include file="folder.xml"/><include file="mesh.xml"/>', "pipe.stl: is not a regular file"),
        ('<include file="folder.xml"/><asset><mesh file="a/pipe.stl"/></asset>', "pipe.stl: is not a regular file"),
        ('<include file="fan.xml"/>', "fan.xml: is included more than 10 levels deep"),
        ('<compiler meshdir="."/><asset><mesh file="zero.stl"/></asset>', "zero.stl: is not a regular file"),
        ('<asset><texture name="t" type="cube" fileup="pipe.xml"/></asset>', "pipe.xml: is not a regular file"),
    ):
        path = tmp_path / "a.xml"
        path.write_text(f"<mujoco>{text}<worldbody><body><geom size='1'/></body></worldbody></mujoco>")
        with pytest.raises(FileError, match=message):
            Robot.from_mjcf(path)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound the memory")
@pytest.mark.parametrize(
    "text",
    [
        '<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>',
        '<worldbody><replicate count="3000"><replicate count="3000"><body><geom size="1"/></body></replicate></replicate>'
        "</worldbody>",
        '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 900000"/></asset>',
    ],
)
def test_a_short_mjcf_that_would_be_a_huge_model_is_refused(text, monkeypatch, tmp_path):
    """MuJoCo compiles in a child process, so that these tests end nothing but it."""
    monkeypatch.setattr("holdfast.robots.mjcf.LIMITS", replace(LIMITS, seconds=2, memory=1024**3))
    with pytest.raises(FileError, match="MuJoCo cannot read it|elements with all replicas"):
        Robot.from_mjcf(f"<mujoco>{text}<worldbody><body><geom size='1'/></body></worldbody></mujoco>")
