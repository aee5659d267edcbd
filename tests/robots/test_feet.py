"""Feet are found where the shapes of the links touch flat ground, and face it as they should."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose

import holdfast as hf
from holdfast.errors import FrameError, InputError, UnknownNameError
from holdfast.geometry.frames import rotation_about
from holdfast.robots import ContactSite, Hand, PosturePlanner, Robot, find_feet, reach, whole_body
from tests.robots.sample_robots import joint, link, urdf


def shape(geometry: str, xyz: str = "0 0 0", rpy: str = "0 0 0", role: str = "collision") -> str:
    return f'<{role}><origin xyz="{xyz}" rpy="{rpy}"/><geometry>{geometry}</geometry></{role}>'


def biped(*shapes: str, height: float = 0.5) -> Robot:
    """A body on two legs with one hinge each, and the shapes on a foot that is fixed to the shin."""
    parts = [link("body", 10.0, extra=shape('<box size="0.3 0.3 0.2"/>'))]
    for side, y in (("left", 0.1), ("right", -0.1)):
        parts += [
            link(f"{side} shin", 1.0, (0, 0, -height / 2), extra=shape('<box size="0.02 0.02 0.3"/>', "0 0 -0.2")),
            link(f"{side} foot", 0.1, extra="".join(shapes)),
            joint(f"{side} hip", "body", f"{side} shin", (0, y, 0)),
            joint(f"{side} ankle", f"{side} shin", f"{side} foot", (0, 0, -height), kind="fixed"),
        ]
    return Robot.from_urdf(urdf(*parts), meshes="ignored")


def places(robot, q, foot) -> np.ndarray:
    """(m, 3) corners of a foot in the world."""
    frame = robot.frame_pose(q, foot.link) @ foot.frame
    return frame.apply(np.column_stack([foot.corners, np.zeros(len(foot.corners))]))


def sorted_rows(points) -> np.ndarray:
    return np.array(sorted(map(tuple, np.round(points, 9) + 0.0)))


def test_a_box_stands_on_its_lower_face():
    robot = biped(shape('<box size="0.2 0.1 0.04"/>', "0.03 0 -0.02"))
    q = robot.neutral()
    left, right = find_feet(robot, q)
    assert (left.link, right.link, left.kind) == ("left foot", "right foot", "sole")
    assert left.facing is None and left.friction is None
    wanted = [(x, y, -0.54) for x in (-0.07, 0.13) for y in (0.05, 0.15)]
    assert_allclose(sorted_rows(places(robot, q, left)), sorted_rows(wanted), atol=1e-9)
    out = (robot.frame_pose(q, left.link) @ left.frame).rotation[:, 2]
    assert_allclose(out, (0, 0, -1), atol=1e-12)


def test_the_support_of_flat_feet_is_their_hull():
    robot = biped(shape('<box size="0.2 0.1 0.04"/>', "0.03 0 -0.02"))
    q = robot.neutral()
    feet = find_feet(robot, q)
    body = whole_body(robot, q, [foot.site(hf.models.coulomb(0.8)) for foot in feet])
    com = robot.com(q)
    robot_strong = body.lean((0, 1, 0))
    assert robot_strong.reach == pytest.approx(0.15 - com[1], abs=1e-6)
    assert body.equilibrium().holds and body.equilibrium().verify()


def test_a_ball_touches_at_its_lowest_point_in_any_posture():
    robot = biped(shape('<sphere radius="0.03"/>'))
    q = robot.configuration({"left hip": 0.4, "right hip": 0.4})
    for foot in find_feet(robot, q):
        assert foot.kind == "point"
        centre = robot.frame_pose(q, foot.link).translation
        assert_allclose(places(robot, q, foot), [centre - (0, 0, 0.03)], atol=1e-12)
        assert_allclose(foot.facing[:, 2], (0, 0, -1), atol=1e-12)


def test_four_balls_are_one_sole():
    corners = [(x, y) for x in (-0.05, 0.1) for y in (-0.02, 0.02)]
    robot = biped(*(shape('<sphere radius="0.005"/>', f"{x} {y} 0") for x, y in corners))
    foot = find_feet(robot, robot.neutral())[0]
    assert foot.kind == "sole"
    wanted = [(x, y + 0.1, -0.505) for x, y in corners]
    assert_allclose(sorted_rows(places(robot, robot.neutral(), foot)), sorted_rows(wanted), atol=1e-9)


def test_a_cylinder_touches_along_a_line_on_a_rim_or_at_a_point():
    lying = biped(shape('<cylinder radius="0.04" length="0.1"/>', rpy="1.5707963267948966 0 0"))
    edge = find_feet(lying, lying.neutral())[0]
    assert edge.kind == "edge"
    wanted = [(0, 0.05, -0.54), (0, 0.15, -0.54)]
    assert_allclose(sorted_rows(places(lying, lying.neutral(), edge)), sorted_rows(wanted), atol=1e-9)
    upright = biped(shape('<cylinder radius="0.04" length="0.1"/>'))
    disc = find_feet(upright, upright.neutral())[0]
    assert disc.kind == "sole" and len(disc.corners) == 8
    assert_allclose(np.linalg.norm(disc.corners, axis=1), 0.04, atol=1e-9)
    tipped = upright.configuration({"left hip": 0.7, "right hip": 0.7})
    rim = find_feet(upright, tipped)[0]
    place = upright.frame_pose(tipped, rim.link)
    circle = 2.0 * np.pi * np.arange(100_000) / 100_000
    points = np.column_stack([0.04 * np.cos(circle), 0.04 * np.sin(circle), np.full_like(circle, -0.05)])
    assert rim.kind == "point"
    lowest = place.apply(points)[place.apply(points)[:, 2].argmin()]
    assert_allclose(places(upright, tipped, rim)[0], lowest, atol=1e-5)


def test_a_tilted_sole_keeps_its_own_normal_and_a_steep_box_touches_along_its_edge():
    robot = biped(shape('<box size="0.2 0.1 0.04"/>'))
    slightly, steeply = (robot.configuration({"left hip": a, "right hip": a}) for a in (0.1, 0.6))
    sole = find_feet(robot, slightly)[0]
    out = (robot.frame_pose(slightly, sole.link) @ sole.frame).rotation[:, 2]
    assert_allclose(out, robot.frame_pose(slightly, sole.link).rotation @ (0, 0, -1), atol=1e-9)
    edge = find_feet(robot, steeply)[0]
    assert edge.kind == "edge"
    assert_allclose(edge.facing[:, 2], (0, 0, -1), atol=1e-12)
    box = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.02, 0.02)]
    world = robot.frame_pose(steeply, edge.link).apply(box)
    lowest = world[world[:, 2] <= world[:, 2].min() + 1e-9]
    assert_allclose(sorted_rows(places(robot, steeply, edge)), sorted_rows(lowest), atol=1e-6)


@pytest.mark.parametrize(
    ("mesh", "kind", "corners"),
    [
        (trimesh.creation.box(extents=(0.2, 0.1, 0.04)), "sole", 4),
        (trimesh.creation.icosphere(subdivisions=3, radius=0.02), "point", 1),
        (trimesh.creation.icosphere(subdivisions=4, radius=0.2), "point", 1),
        (trimesh.creation.cylinder(radius=0.04, height=0.02, sections=64), "sole", 8),
    ],
)
def test_meshes_have_soles_where_they_are_flat(tmp_path, mesh, kind, corners):
    mesh.export(tmp_path / "foot.stl")
    text = biped(shape('<mesh filename="foot.stl" scale="1 1 1"/>')).description
    made = [link("body", 10.0), link("left foot", 1.0, extra=shape('<mesh filename="foot.stl"/>'))]
    path = tmp_path / "a.urdf"
    path.write_text(urdf(*made, joint("hip", "body", "left foot", (0, 0, -0.5))))
    robot = Robot.from_urdf(path)
    (foot,) = find_feet(robot, robot.neutral())
    assert (foot.kind, len(foot.corners)) == (kind, corners)
    depth = -0.5 - float(np.ptp(mesh.vertices[:, 2])) / 2.0
    assert places(robot, robot.neutral(), foot)[:, 2] == pytest.approx(depth, abs=1e-6)
    assert text.name == "sample"


def test_only_the_lowest_bodies_are_feet_unless_links_are_named():
    robot = biped(shape('<sphere radius="0.03"/>'))
    lifted = robot.configuration({"right hip": 1.0})
    assert [foot.link for foot in find_feet(robot, lifted)] == ["left foot"]
    assert [foot.link for foot in find_feet(robot, lifted, within=0.5)] == ["left foot", "right foot"]
    named = find_feet(robot, lifted, links=["left foot", "right shin"])
    assert [(foot.link, foot.kind) for foot in named] == [("left foot", "point"), ("right shin", "edge")]
    wall = find_feet(robot, lifted, down=(1, 0, 0), links=["body"])[0]
    assert_allclose(sorted_rows(places(robot, lifted, wall))[:, 0], 0.15, atol=1e-9)


def test_an_ankle_above_its_foot_is_no_foot_and_a_toe_beside_it_is_one():
    def leg(height: float) -> Robot:
        parts = [
            link("ankle", 1.0, extra=shape('<box size="0.04 0.04 0.02"/>', "0 0 0.01")),
            link("foot", 0.1, extra=shape('<box size="0.2 0.1 0.02"/>', "0.1 0 0.01")),
            joint("roll", "ankle", "foot", (0, 0, -height)),
        ]
        return Robot.from_urdf(urdf(*parts))

    for height, feet in ((0.01, ["foot"]), (-0.01, ["ankle"]), (0.0, ["ankle", "foot"])):
        assert [foot.link for foot in find_feet(leg(height), leg(height).neutral())] == feet


def test_a_collada_mesh_is_read_in_metres(tmp_path):
    corners = [(x, y, z) for x in (-10, 10) for y in (-5, 5) for z in (0, 2)]
    faces = [
        c
        for a, b, d in (
            (0, 1, 2),
            (1, 3, 2),
            (4, 6, 5),
            (5, 6, 7),
            (0, 4, 1),
            (1, 4, 5),
            (2, 3, 6),
            (3, 7, 6),
            (0, 2, 4),
            (2, 6, 4),
            (1, 5, 3),
            (3, 5, 7),
        )
        for c in (a, b, d)
    ]
    (tmp_path / "sole.dae").write_text(f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="24">{" ".join(str(x) for c in corners for x in c)}</float_array>
<technique_common><accessor source="#a" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>{" ".join(map(str, faces))}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""")
    (tmp_path / "a.urdf").write_text(urdf(link("a", 1.0, extra=shape('<mesh filename="sole.dae"/>'))))
    robot = Robot.from_urdf(tmp_path / "a.urdf")
    (foot,) = find_feet(robot, robot.neutral())
    wanted = [(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
    assert_allclose(sorted_rows(places(robot, robot.neutral(), foot)), sorted_rows(wanted), atol=1e-6)


def test_what_cannot_be_found_is_an_error_that_says_why(tmp_path):
    bare = Robot.from_urdf(urdf(link("a", 1.0)))
    with pytest.raises(InputError, match="no shape of its links can be a foot"):
        find_feet(bare, bare.neutral())
    robot = biped(shape('<mesh filename="package://bot/foot.stl"/>'))
    with pytest.raises(InputError, match="link 'left foot': its mesh 'package://bot/foot.stl' was not found .searched"):
        find_feet(robot, robot.neutral())
    (tmp_path / "a.urdf").write_text(urdf(link("a", 1.0, extra=shape('<mesh filename="bad.stl"/>'))))
    (tmp_path / "bad.stl").write_text("nothing")
    broken = Robot.from_urdf(tmp_path / "a.urdf")
    with pytest.raises(InputError, match="its mesh 'bad.stl'"):
        find_feet(broken, broken.neutral())
    ball = biped(shape('<sphere radius="0.03"/>'))
    with pytest.raises(UnknownNameError, match="did you mean 'left foot'"):
        find_feet(ball, ball.neutral(), links=["left fot"])
    with pytest.raises(InputError, match="down: is zero"):
        find_feet(ball, ball.neutral(), down=(0, 0, 0))
    with pytest.raises(InputError, match="has no friction .give a volume"):
        find_feet(ball, ball.neutral())[0].site()


# Palms that face the world.


def quadruped() -> Robot:
    parts = [link("body", 10.0, (0.02, 0, 0))]
    for number, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]):
        parts += [
            link(f"thigh {number}", 1.0, (0, 0, -0.15)),
            link(f"shin {number}", 0.5, (0, 0, -0.12), extra=shape('<sphere radius="0.02"/>', "0 0 -0.25")),
            joint(f"hip {number}", "body", f"thigh {number}", (x, y, 0)),
            joint(f"knee {number}", f"thigh {number}", f"shin {number}", (0, 0, -0.3)),
        ]
    return Robot.from_urdf(urdf(*parts))


@pytest.fixture(scope="module")
def standing():
    robot = quadruped()
    bent = {f"hip {i}": 0.6 for i in range(4)} | {f"knee {i}": -1.5 for i in range(4)}
    return robot, robot.configuration(bent)


def test_palms_that_face_up_hold_what_tilted_ones_cannot(standing):
    robot, q = standing
    feet = find_feet(robot, q)
    grip = hf.coulomb_grip(0.5)
    hands = [hand for foot in feet for hand in foot.hands(grip)]
    assert [hand.name for hand in hands] == [f"shin {i}" for i in range(4)]
    for hand, foot in zip(hands, feet, strict=True):
        pose = hand.pose(robot, q)
        assert_allclose(pose.rotation[:, 2], (0, 0, 1), atol=1e-12)
        assert_allclose(pose.translation, places(robot, q, foot)[0], atol=1e-12)
    planner = PosturePlanner(robot, hands)
    assert planner.feasible(q)
    corners = np.array([hand.pose(robot, q).translation[:2] for hand in hands])
    assert planner.region(q).area == pytest.approx(0.6 * 0.4, rel=1e-6)
    assert corners.max(axis=0) - corners.min(axis=0) == pytest.approx([0.6, 0.4])
    tilted = [Hand(hand.palm, (), grip, hand.frame, hand.name) for hand in hands]
    turned = robot.configuration({f"hip {i}": 0.6 for i in range(4)} | {f"knee {i}": -0.5 for i in range(4)})
    assert not PosturePlanner(robot, tilted).feasible(turned)  # the shins have turned by 1 rad
    assert planner.feasible(turned)


def test_the_slope_of_the_margin_knows_that_they_do_not_turn(standing):
    robot, q = standing
    hands = [hand for foot in find_feet(robot, q) for hand in foot.hands(hf.coulomb_grip(0.5))]
    rng = np.random.default_rng(3)
    # Facets of cones on level ground are parallel, which makes kinks: each foot stands on a slope of its own.
    turns = [rotation_about(rng.normal(size=3), 0.3) for _ in hands]
    hands = [replace(hand, facing=turn @ hand.facing) for hand, turn in zip(hands, turns, strict=True)]
    planner = PosturePlanner(robot, hands, margin=hf.robots.Pushes([[1.0, 0.3, 0, 0, 0, 0.05]]))
    smooth = 0
    for _ in range(6):
        near = robot.moved(q, 0.05 * rng.normal(size=robot.v_size))
        slope = planner.gradient(near)
        if slope.smooth:
            forward, backward = planner.differences(near)
            assert_allclose(slope.gradient, (forward + backward) / 2, atol=1e-4 * np.abs(slope.gradient).max())
            smooth += 1
    assert smooth >= 3


def test_they_reach_for_a_point_and_not_for_an_orientation(standing):
    robot, q = standing
    hands = [hand for foot in find_feet(robot, q) for hand in foot.hands(None)]
    place = hands[0].pose(robot, q)
    moved = hf.Pose(place.rotation, place.translation + (0.05, 0.0, 0.02))
    rest = {hand.name: hand.pose(robot, q) for hand in hands[1:]}
    found = reach(robot, q, hands, {hands[0].name: moved} | rest)
    assert found.found
    assert_allclose(hands[0].pose(robot, found.q).translation, moved.translation, atol=1e-5)


def test_a_palm_cannot_face_the_world_with_units_that_turn():
    site = ContactSite("a", hf.models.coulomb(0.5))
    with pytest.raises(InputError, match="facing: is given with touches"):
        Hand("a", (site,), facing=np.eye(3))
    with pytest.raises(FrameError):
        Hand("a", (), facing=2.0 * rotation_about((0, 0, 1), 0.3))
