"""Points that others found become contacts: frames, friction, names, and what is refused."""

from __future__ import annotations

import builtins
import warnings

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FrameError, InputError, MissingDependencyError, UnknownNameError
from holdfast.robots import RobotWarning
from holdfast.robots.adapters import collision_contacts, load_mujoco, mujoco_contacts, of_body, touching_points

CORNERS = np.array([[0.2, 0.1, 0.0], [-0.2, 0.1, 0.0], [-0.2, -0.1, 0.0], [0.2, -0.1, 0.0]])
UP = np.tile([0.0, 0.0, 3.0], (4, 1))


def weight(x: float, y: float, push: float = 0.0) -> np.ndarray:
    """2 kg at (x, y, 0.1), with a push [N] along x there."""
    load = hf.loads.gravity_wrench(2.0, com=(x, y, 0.1))
    force = np.array([push, 0.0, 0.0])
    return load + np.concatenate([force, np.cross([x, y, 0.1], force)])


def test_a_block_on_four_corners_holds_over_its_footprint_and_up_to_the_friction():
    points = touching_points(CORNERS, UP, links="block", terrains="floor", friction=0.5)
    assembly = hf.Assembly(points.contacts(sides=16))
    for x, y in [(0.0, 0.0), (0.19, 0.09), (-0.19, 0.0)]:
        assert hf.equilibrium(assembly, weight(x, y)).holds
    for x, y in [(0.21, 0.0), (0.0, 0.11)]:
        assert not hf.equilibrium(assembly, weight(x, y)).holds
    limit = 0.5 * 2.0 * 9.80665  # exact along the axes for 16 sides
    assert hf.equilibrium(assembly, weight(0.0, 0.0, 0.999 * limit)).holds
    assert not hf.equilibrium(assembly, weight(0.0, 0.0, 1.001 * limit)).holds


def test_poses_are_feet_for_grips_with_the_same_verdicts():
    points = touching_points(CORNERS, UP, friction=0.5)
    foot = hf.coulomb_grip(0.5, sides=16)
    for x in (0.1, 0.3):
        assert hf.posture_equilibrium(foot, points.poses, weight(x, 0.0)).holds is (x < 0.2)


def test_frames_have_unit_normals_and_the_shear_that_was_asked_for():
    points = touching_points([[0, 0, 0], [1, 0, 0]], [[0, 0, 2], [0, 3, 0]], shears=(1.0, 1.0, 1.0))
    for pose, normal in zip(points.poses, ([0, 0, 1], [0, 1, 0]), strict=True):
        assert pose.rotation[:, 2] == pytest.approx(normal)
        across = np.array([1.0, 1.0, 1.0]) - normal
        assert pose.rotation[:, 0] == pytest.approx(across / np.linalg.norm(across))


def test_each_terrain_has_its_volume_and_equal_friction_is_one_object():
    points = touching_points(CORNERS, UP, links=["a", "a", "b", "b"], terrains=["ice", "ice", "rock", "rock"])
    ice, rock = hf.models.coulomb(0.05), hf.models.coulomb(0.9)
    contacts = points.contacts({"ice": ice, "rock": rock})
    assert [c.volume for c in contacts] == [ice, ice, rock, rock]
    assert points.names == ("a on ice[0]", "a on ice[1]", "b on rock[0]", "b on rock[1]")
    same = touching_points(CORNERS, UP, friction=[0.3, 0.3, 0.4, 0.3]).contacts()
    assert same[0].volume is same[1].volume is same[3].volume is not same[2].volume


def test_points_are_chosen_by_link_and_by_gap():
    points = touching_points(CORNERS, UP, links=["a", "b", "a", "c"], gaps=[0.0, 0.002, -0.001, 0.01])
    assert points.of_links(["a"]).positions.tolist() == CORNERS[[0, 2]].tolist()
    assert points.within(0.005).links == ("a", "b", "a")
    with pytest.raises(UnknownNameError, match="did you mean 'a'"):
        points.of_links(["aa"])


def test_only_pairs_of_body_and_terrain_count_and_normals_turn_into_the_body():
    rows, signs, links, terrains = of_body(
        ["floor", "foot", "foot", "floor"], ["foot", "wall", "hand", "wall"], lambda name: name in ("foot", "hand")
    )
    assert rows.tolist() == [0, 1]
    assert signs.tolist() == [1.0, -1.0]
    assert (links, terrains) == (("foot", "foot"), ("floor", "wall"))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda: touching_points(CORNERS, UP[:3]), "normals"),
        (lambda: touching_points(CORNERS, 0.0 * UP), r"normals\[0\]"),
        (lambda: touching_points(CORNERS, UP, links=["a"]), "links"),
        (lambda: touching_points(CORNERS, UP, friction=-1.0), "friction"),
        (lambda: touching_points(CORNERS, UP).contacts(), r"friction\[0\]"),
        (lambda: touching_points(CORNERS, UP, terrains="ice").contacts({"rock": hf.models.coulomb()}), "ice"),
        (
            lambda: touching_points(np.zeros((0, 3)), np.zeros((0, 3))).contacts(hf.models.coulomb()),
            "there are no points",
        ),
    ],
)
def test_what_is_wrong_is_named(asked, words):
    with pytest.raises(InputError, match=words):
        asked()


def test_a_shear_along_the_normal_names_its_row():
    with pytest.raises(FrameError, match=r"shears\[1\]"):
        touching_points(CORNERS[:2], UP[:2], shears=[[1, 0, 0], [0, 0, 1]])


# Contacts of a Pinocchio collision query against the geometry they come from.

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
coal = pytest.importorskip("coal", reason="Coal is not installed")


def crate(flipped: bool = False):
    """A crate (0.4 x 0.2 x 0.2 m) and a ball beside it on one body, over a floor; pairs either way round."""
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    model.appendBodyToJoint(joint, pin.Inertia.FromBox(2.0, 0.4, 0.2, 0.2), pin.SE3.Identity())
    geometry = pin.GeometryModel()
    shapes = [
        pin.GeometryObject("floor", 0, pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.5])), coal.Box(4.0, 4.0, 1.0)),
        pin.GeometryObject("crate", joint, pin.SE3.Identity(), coal.Box(0.4, 0.2, 0.2)),
        pin.GeometryObject("ball", joint, pin.SE3(np.eye(3), np.array([0.5, 0.0, 0.0])), coal.Sphere(0.1)),
    ]
    floor, box, ball = (geometry.addGeometryObject(shape) for shape in shapes)
    for pair in ((floor, box), (floor, ball), (box, ball)):
        geometry.addCollisionPair(pin.CollisionPair(*(pair[::-1] if flipped else pair)))
    return model, geometry


def at_height(model, height: float, yaw: float = 0.0):
    q = pin.neutral(model)
    q[2] = height
    q[3:7] = [0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)]
    return q


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("yaw", [0.0, 0.7])
def test_a_face_on_the_floor_touches_at_its_corners_and_a_ball_at_its_lowest_point(flipped, yaw):
    model, geometry = crate(flipped)
    points = collision_contacts(model, geometry, at_height(model, 0.09995, yaw), friction=0.5)
    turn = hf.rotation_about((0, 0, 1), yaw)
    box = points.of_links(["crate"])
    corners = np.array([[x, y, 0.0] for x in (-0.2, 0.2) for y in (-0.1, 0.1)]) @ turn.T
    assert len(box) == 4
    for corner in corners:
        assert np.linalg.norm(box.positions - corner, axis=1).min() < 1e-3
    ball = points.of_links(["ball"])
    assert ball.positions[0] == pytest.approx(turn @ [0.5, 0.0, 0.0], abs=1e-3)
    assert points.normals == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(points), 1)), abs=1e-6)
    assert points.gaps == pytest.approx(-5e-5, abs=1e-6)
    assert set(points.terrains) == {"floor"}


def test_the_crate_holds_where_its_weight_falls_between_the_points():
    model, geometry = crate()
    points = collision_contacts(model, geometry, at_height(model, 0.09995), friction=0.5)
    assembly = hf.Assembly(points.contacts())
    for x, holds in ((0.0, True), (0.49, True), (0.51, False), (-0.21, False)):
        assert hf.equilibrium(assembly, hf.loads.gravity_wrench(2.0, com=(x, 0.0, 0.1))).holds is holds


def test_nothing_touches_in_the_air_unless_a_gap_counts():
    model, geometry = crate()
    q = at_height(model, 0.105)
    assert len(collision_contacts(model, geometry, q)) == 0
    near = collision_contacts(model, geometry, q, gap=0.01)
    assert near.gaps == pytest.approx(0.005, abs=1e-6)


def test_the_body_may_be_some_of_the_geometries():
    model, geometry = crate()
    only = collision_contacts(model, geometry, at_height(model, 0.0999), body=["ball"])
    assert only.links == ("ball",)


def test_wrong_collision_arguments_are_named():
    model, geometry = crate()
    q = at_height(model, 0.1)
    with pytest.raises(UnknownNameError, match="did you mean 'ball'"):
        collision_contacts(model, geometry, q, body=["bal"])
    with pytest.raises(InputError, match="q"):
        collision_contacts(model, geometry, q[:5])
    with pytest.raises(InputError, match="geometry"):
        collision_contacts(model, "geometry", q)
    with pytest.raises(InputError, match="addCollisionPair"):
        collision_contacts(model, pin.GeometryModel(), q)


@pytest.mark.parametrize("flipped", [False, True])
def test_a_can_stands_on_its_rim_in_either_order_of_the_pair(flipped):
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "can")
    model.appendBodyToJoint(joint, pin.Inertia.FromBox(2.0, 0.4, 0.2, 0.2), pin.SE3.Identity())
    geometry = pin.GeometryModel()
    place = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.1]))
    floor = geometry.addGeometryObject(pin.GeometryObject("floor", 0, place, coal.Box(2.0, 2.0, 0.2)))
    can = geometry.addGeometryObject(pin.GeometryObject("can", joint, pin.SE3.Identity(), coal.Cylinder(0.1, 0.2)))
    geometry.addCollisionPair(pin.CollisionPair(*((can, floor) if flipped else (floor, can))))
    points = collision_contacts(model, geometry, at_height(model, 0.0999), friction=0.5)
    assert len(points) >= 8
    assert np.hypot(*points.positions[:, :2].T) == pytest.approx(0.1, rel=0.05)
    assert points.normals == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(points), 1)), abs=1e-6)
    load = hf.loads.gravity_wrench(2.0, com=(0.03, 0.02, 0.1))
    assert hf.equilibrium(hf.Assembly(points.contacts()), load).holds


# Contacts of MuJoCo: its own forces lie in our cones and balance, from either side of a pair.

SCENE = """
<mujoco>
  <option cone="elliptic"/>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1" friction=".4"/>
    <body name="box" pos="0 0 .0999">
      <freejoint/>
      <geom name="crate" type="box" size=".2 .1 .1" mass="2" friction=".7"/>
      <body name="lid" pos="0 0 .1"><geom type="sphere" size=".02" mass=".5" friction=".4"/></body>
    </body>
    <body name="ball" pos="0 0 .2399"><freejoint/><geom type="sphere" size=".02" mass=".1" friction=".4"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def simulation():
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    for _ in range(400):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return mujoco, model, data


def test_forces_of_the_simulation_lie_in_the_cones_and_balance_the_weight(simulation):
    mujoco, model, data = simulation
    points = mujoco_contacts(model, data, bodies=["box", "ball"])
    assert set(points.terrains) == {"floor"}
    assert set(points.links) == {"box"}
    contacts = points.contacts(sides=64)
    total, row = np.zeros(6), 0
    for index in range(data.ncon):
        if "floor" not in [model.geom(int(g)).name for g in data.contact.geom[index]]:
            continue
        force = np.zeros(6)
        mujoco.mj_contactForce(model, data, index, force)  # normal, two tangents
        local = np.array([force[1], force[2], force[0]])
        assert force[0] > 0.0
        assert contacts[row].volume.contains(local, tolerance=1e-3)
        world = contacts[row].rotation @ local
        total += np.concatenate([world, np.cross(contacts[row].position, world)])
        row += 1
    weight = hf.loads.gravity_wrench(2.6, gravity=(0, 0, -9.81), com=data.subtree_com[0])
    assert total == pytest.approx(-weight, abs=1e-3 * 2.6 * 9.81)
    assert hf.equilibrium(hf.Assembly(contacts), weight).holds


def test_friction_is_the_one_that_mujoco_uses(simulation):
    _, model, data = simulation
    points = mujoco_contacts(model, data, "box")
    on_floor = points.within(1.0).chosen(np.array([t == "floor" for t in points.terrains]))
    assert on_floor.friction == pytest.approx(0.7)  # the larger of the two


def test_normals_lead_into_whichever_body_is_asked_about(simulation):
    _, model, data = simulation
    ball, box = mujoco_contacts(model, data, "ball"), mujoco_contacts(model, data, "box")
    assert ball.links == ("ball",)
    assert ball.normals[0] == pytest.approx([0, 0, 1], abs=1e-2)
    under = [n for n, t in zip(box.normals, box.terrains, strict=True) if t == "ball"]
    assert len(under) == 1
    assert under[0] == pytest.approx(-ball.normals[0])


def test_by_default_all_that_moves_is_the_body_and_contacts_within_it_are_left_out(simulation):
    _, model, data = simulation
    assert set(mujoco_contacts(model, data).terrains) == {"floor"}


# Adhesion: a plate under an adhesive pad holds where MuJoCo holds it, on a tilted pad also by friction.

HANGING = """
<mujoco><option cone="elliptic" impratio="50"/>
  <worldbody>
    <body name="pad" pos="0 0 1" euler="{tilt} 0 0">
      <geom name="pad" type="box" size=".1 .1 .02" friction="{mu}"/>
      <geom name="ball" type="sphere" pos=".3 0 0" size=".02" friction="{mu}"/>
    </body>
    <body name="plate" pos="0 {y} {z}" euler="{tilt} 0 0"><freejoint/>
      <geom type="box" size=".1 .1 .03" mass="1" friction="{mu}"/></body>
    {more}
  </worldbody>
  <actuator><adhesion name="glue" body="{body}" ctrlrange="0 2" gain="10"/></actuator>
</mujoco>"""


def hanging(control: float, tilt: float = 0.0, mu: float = 0.5, body: str = "pad", more: str = ""):
    """(model, data, whether the plate still hangs in MuJoCo after 0.4 s, whether its first contacts hold it)."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    depth = 0.0499
    y, z = depth * np.sin(np.radians(tilt)), 1.0 - depth * np.cos(np.radians(tilt))
    model = mujoco.MjModel.from_xml_string(HANGING.format(tilt=tilt, mu=mu, body=body, more=more, y=y, z=z))
    data = mujoco.MjData(model)
    data.ctrl[0] = control
    mujoco.mj_fwdPosition(model, data)
    points = mujoco_contacts(model, data, "plate")
    load = hf.loads.gravity_wrench(1.0, gravity=(0, 0, -9.81), com=data.body("plate").subtree_com)
    holds = hf.equilibrium(hf.Assembly(points.contacts(sides=64)), load).holds
    for _ in range(200):
        mujoco.mj_step(model, data)
    return bool(np.linalg.norm(data.body("plate").xpos - [0, y, z]) < 0.02), holds, points


@pytest.mark.parametrize("body", ["pad", "plate"])
@pytest.mark.parametrize(
    ("control", "tilt", "mu", "held"),
    [
        (1.02, 0.0, 0.5, True),
        (0.94, 0.0, 0.5, False),
        (1.6, 30.0, 0.8, True),  # needs cos + sin / mu = 1.467 times the weight, 1.44 of control
        (1.3, 30.0, 0.8, False),
    ],
)
def test_an_adhesive_pad_holds_a_plate_as_mujoco_computes(body, control, tilt, mu, held):
    hangs, holds, points = hanging(control, tilt, mu, body)
    assert hangs is holds is held
    assert points.adhesion.sum() == pytest.approx(10.0 * control)
    assert np.ptp(points.adhesion) < 1e-12


def test_the_pull_is_shared_with_all_contacts_of_the_adhesive_body():
    """A second plate at a distance shares MuJoCo's pull, although it is held by a joint."""
    more = '<body pos=".3 0 -.0499"><joint axis="1 0 0"/><geom type="box" size=".05 .05 .03" mass=".1"/></body>'
    other = more.replace(".3 0 -.0499", ".3 0 .9501")
    hangs, holds, points = hanging(1.2, more=other)
    assert len(points) == 4 and points.adhesion == pytest.approx(12.0 / 5.0)
    assert hangs is holds is False
    assert hanging(1.3, more=other)[:2] == (True, True)


def test_an_adhesion_that_is_off_is_said_and_does_not_hold():
    with pytest.warns(RobotWarning, match="adhesion of actuator 'glue', which is off: set data.ctrl"):
        assert hanging(0.0)[:2] == (False, False)


BESIDE = """<mujoco><option {option}/><worldbody><geom type="plane" size="2 2 .1"/><site name="up" pos="0 0 1"/>
<body name="arm" pos="1 0 1"><joint name="hinge"/><geom size=".05"/>
 <body name="hand" pos="0 0 .2"><geom size=".05"/></body></body>
<body name="box" pos="0 0 .0999" {body}><freejoint name="root"/><geom type="box" size=".2 .1 .1" mass="2" {geom}/>
 <site name="top" pos="0 0 .1"/></body></worldbody>{more}</mujoco>"""


@pytest.mark.parametrize(
    ("parts", "asked", "says"),
    [
        ({}, "box", None),
        ({}, "arm", "what body 'arm' bears on its parent body by joint 'hinge'"),
        ({}, "hand", "what body 'hand' bears on its parent body by being fixed there"),
        ({"more": '<equality><weld name="w" body1="box" body2="arm"/></equality>'}, "box", "constraint equality 'w'"),
        ({"more": '<equality><connect site1="top" site2="up"/></equality>'}, "box", "constraint equality 0"),
        ({"more": '<equality><weld body1="box" body2="arm" active="false"/></equality>'}, "box", None),
        (
            {"more": '<tendon><spatial name="t"><site site="up"/><site site="top"/></spatial></tendon>'},
            "box",
            "tendon 't'",
        ),
        ({"more": '<actuator><general name="jet" site="top" gear="0 0 1 0 0 0"/></actuator>'}, "box", "actuator 'jet'"),
        ({"more": '<actuator><motor joint="root" gear="0 0 1 0 0 0"/></actuator>'}, "box", "actuator 0"),
        ({"body": 'gravcomp="1"'}, "box", "gravity compensation of body 'box'"),
        ({"geom": 'condim="4"'}, "box", "torsional and rolling friction"),
        ({"option": 'wind="1 0 0" density="1.2"'}, "box", "wind"),
    ],
)
def test_what_is_no_contact_and_holds_or_pushes_a_body_is_named(parts, asked, says):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    text = BESIDE.format(**{"option": "", "body": "", "geom": "", "more": ""} | parts)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", RobotWarning)
        mujoco_contacts(model, data, asked)
    assert len(seen) == (says is not None)
    if says is not None:
        assert says in str(seen[0].message) and "left out" in str(seen[0].message)


def test_a_frictionless_pair_and_a_pair_with_its_own_friction_are_read():
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    for pair, friction in (('condim="1"', [0, 0]), ('friction=".2 .3 .01 .001 .001"', [0.2, 0.3])):
        more = f'<contact><pair geom1="f" geom2="b" {pair}/></contact>'
        text = BESIDE.format(option="", body="", geom='name="b"', more=more).replace(
            '<geom type="plane"', '<geom name="f" type="plane"'
        )
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        points = mujoco_contacts(model, data, "box")
        assert len(points) == 4 and points.friction == pytest.approx(np.tile(friction, (4, 1)))


def test_wrong_names_and_objects_are_reported(simulation):
    _, model, data = simulation
    with pytest.raises(UnknownNameError, match="did you mean 'ball'"):
        mujoco_contacts(model, data, "bal")
    with pytest.raises(InputError, match="model"):
        mujoco_contacts("model.xml", data)
    with pytest.raises(InputError, match="one of the two"):
        mujoco_contacts(model, data, "ball", bodies=["box"])
    with pytest.raises(InputError, match="body: is a int"):
        mujoco_contacts(model, data, 1)


def test_without_mujoco_the_message_says_what_to_install(monkeypatch):
    true_import = builtins.__import__

    def no_mujoco(name, *args, **kwargs):
        if name == "mujoco":
            raise ImportError(name)
        return true_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_mujoco)
    with pytest.raises(MissingDependencyError, match=r"holdfast\[mujoco\]"):
        load_mujoco()
