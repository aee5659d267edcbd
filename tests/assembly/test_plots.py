from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import holdfast as hf
from holdfast.assembly.plots import (
    BODY,
    ROOM,
    add_shape,
    add_sheet,
    at_limit,
    central_axis,
    near,
    subject_of,
)
from holdfast.assembly.plots import assembly as draw_assembly
from holdfast.assembly.shapes import Box, Cylinder, Mesh, Sphere
from holdfast.errors import HoldfastError, InputError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.plotting import style
from holdfast.plotting.solids import Solids

Area = Callable[[np.ndarray], float]


def drawn(shape: object) -> tuple[np.ndarray, Solids]:
    solids = Solids()
    add_shape(solids, shape)
    return solids.corners, solids


def surface(solids: Solids, area: Area) -> float:
    return sum(area(p) for p in solids.polygons)


def test_a_box_has_its_sides_where_its_pose_puts_them(area: Area) -> None:
    pose = Pose(rotation_about((0, 0, 1), np.pi / 2), [1.0, 2.0, 3.0])
    corners, solids = drawn(Box([0.2, 0.4, 0.6], pose))
    np.testing.assert_allclose(np.ptp(corners, axis=0), [0.4, 0.2, 0.6])
    np.testing.assert_allclose(corners.mean(axis=0), [1, 2, 3])
    assert surface(solids, area) == pytest.approx(2 * (0.2 * 0.4 + 0.4 * 0.6 + 0.2 * 0.6))


def test_a_cylinder_keeps_its_distance_from_its_axis(area: Area) -> None:
    corners, solids = drawn(Cylinder([0, 0, 1], [0, 1, 0], 0.5, 2.0))
    np.testing.assert_allclose(np.hypot(corners[:, 0], corners[:, 2] - 1.0), 0.5)
    assert np.ptp(corners[:, 1]) == pytest.approx(2.0)
    assert surface(solids, area) == pytest.approx(2 * np.pi * 0.5 * (2.0 + 0.5), rel=0.01)


def test_a_plate_spans_its_angle_about_the_top(area: Area) -> None:
    corners, solids = drawn(Cylinder([0, 0, 0], [0, 1, 0], 1.0, 1.0, 0.5))
    angles = np.arctan2(corners[:, 0], corners[:, 2])
    assert (angles.min(), angles.max()) == pytest.approx((-0.5, 0.5))
    assert surface(solids, area) == pytest.approx(1.0, rel=0.01)


def test_an_upright_cylinder_can_be_drawn() -> None:
    corners, _ = drawn(Cylinder([0, 0, 0], [0, 0, 1], 0.5, 2.0))
    np.testing.assert_allclose(np.hypot(corners[:, 0], corners[:, 1]), 0.5)


def test_a_sphere_is_round(area: Area) -> None:
    corners, solids = drawn(Sphere(0.3, [1, 0, 0]))
    np.testing.assert_allclose(np.linalg.norm(corners - [1, 0, 0], axis=1), 0.3)
    assert surface(solids, area) == pytest.approx(4 * np.pi * 0.09, rel=0.03)


def test_meshes_of_this_package_and_of_others_are_the_same() -> None:
    vertices, faces = np.eye(3), np.array([[0, 1, 2]])
    ours, _ = drawn(Mesh(vertices, faces))
    theirs, _ = drawn(SimpleNamespace(vertices=vertices.tolist(), faces=faces.tolist()))
    triangles, _ = drawn(Mesh(vertices[faces].reshape(-1, 3), np.array([[0, 1, 2]])))
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(ours, triangles)


def test_the_cylinder_of_a_scene_stands_along_z_of_its_pose() -> None:
    frame = rotation_about((1, 0, 0), np.pi / 2)
    cylinder = Cylinder([0, 0, 1], frame[:, 2], 0.5, 2.0, middle=frame[:, 0])
    np.testing.assert_allclose(cylinder.pose.rotation, frame, atol=1e-15)
    corners, _ = drawn(cylinder)
    np.testing.assert_allclose(np.hypot(corners[:, 0], corners[:, 2] - 1.0), 0.5)
    assert np.ptp(corners[:, 1]) == pytest.approx(2.0)


def test_sheets_are_seen_from_both_sides() -> None:
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    up, down = Solids(), Solids()
    add_sheet(up, square, "#E69F00", 0.5)
    add_sheet(down, square[::-1], "#E69F00", 0.5)
    assert up.faces[0].inside == down.faces[0].inside
    assert len(up.polygons) == 1 and len(up.lines) == 4


def test_a_large_shape_is_cut_round_what_touches_it_and_a_small_one_stays() -> None:
    solids = drawn(Cylinder([0, 0, -1.0], [0, 1, 0], 1.0, 0.2))[1]
    touching = np.array([[-0.1, -0.1, 0.0], [0.1, 0.1, 0.0]])
    kept = near(solids, touching)
    room = 0.2 * ROOM
    assert 0 < len(kept.polygons) < len(solids.polygons)
    assert (kept.corners >= touching.min(axis=0) - room - 1e-9).all()
    assert (kept.corners <= touching.max(axis=0) + room + 1e-9).all()
    assert kept.corners[:, 0].min() == pytest.approx(-0.1 - room)
    assert near(solids, solids.corners) is solids


def test_lines_of_a_large_shape_are_cut_with_its_faces() -> None:
    solids = Solids()
    solids.add_lines(
        [(np.array([-5.0, 0, 0]), np.array([5.0, 0, 0])), (np.array([0.0, 0, 0]), np.array([0.0, 9, 0]))], BODY
    )
    kept = near(solids, np.array([[-1.0, -1, 0], [1, 1, 0]]))
    reach = 1.0 + 2.0 * ROOM
    ends = [np.array(line) for line in kept.lines]
    np.testing.assert_allclose(ends[0], [[-reach, 0, 0], [reach, 0, 0]])
    np.testing.assert_allclose(ends[1], [[0, 0, 0], [0, reach, 0]])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Box([1, 0, 1]),
        lambda: Box([1, 1]),
        lambda: Sphere(-1.0),
        lambda: Sphere(1.0, [0, 0]),
        lambda: Mesh(np.eye(3), [[0, 1, 3]]),
        lambda: Mesh(np.eye(3), [[0.0, 1.0, 2.0]]),
        lambda: Mesh(np.eye(3), np.zeros((0, 3), int)),
    ],
)
def test_shapes_that_are_none_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(HoldfastError):
        make()


def test_unknown_shapes_are_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="Box, Cylinder, Sphere or Mesh"):
        add_shape(Solids(), "ball")


@pytest.fixture
def patch(dented: hf.ForceVolume) -> hf.Patch:
    return hf.Patch.rectangle(hf.Pose(np.eye(3), [0.1, 0.2, 0.3]), (0.04, 0.02), dented, name="unit")


def test_units_are_found_by_the_names_of_their_contacts(patch: hf.Patch, dented: hf.ForceVolume) -> None:
    lone = hf.Contact([0, 0, 0], np.eye(3), dented, "lone")
    subject = subject_of(hf.Assembly([*patch.contacts, lone]))
    (face,) = subject.faces
    assert {tuple(c) for c in face.round(9).tolist()} == {tuple(c) for c in patch.faces[0].round(9).tolist()}
    assert len(subject.frames) == 2
    np.testing.assert_allclose(subject.frames[0][0], [0.1, 0.2, 0.3])
    assert subject.shape is None and subject.links == ()


def test_contacts_without_names_in_line_or_out_of_plane_make_no_unit(dented: hf.ForceVolume) -> None:
    def contacts(points: list, name: str) -> list[hf.Contact]:
        return [hf.Contact(p, np.eye(3), dented, f"{name}[{k}]" if name else "") for k, p in enumerate(points)]

    line = contacts([[0, 0, 0], [1, 0, 0], [2, 0, 0]], "line")
    bent = contacts([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]], "bent")
    none = contacts([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "")
    assert subject_of(hf.Assembly([*line, *bent, *none])).faces == ()


def test_patches_and_polygons_that_are_given_come_first(patch: hf.Patch) -> None:
    assembly = hf.Assembly(patch.contacts)
    np.testing.assert_array_equal(subject_of(assembly, [patch]).faces[0], patch.faces[0])
    triangle = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    np.testing.assert_array_equal(subject_of(assembly, [triangle]).faces[0], triangle)


def test_scenes_bring_their_drawing_and_their_centre(patch: hf.Patch) -> None:
    line = np.array([[0, 0, 0], [0, 0, 1.0]])
    drawing = SimpleNamespace(shape="shape", faces=patch.faces, links=(("base", line),))
    scene = SimpleNamespace(assembly=hf.Assembly(patch.contacts), com=np.array([0, 0, 1.0]), drawing=drawing)
    subject = subject_of(scene)
    assert subject.shape == "shape" and len(subject.faces) == 1
    np.testing.assert_array_equal(subject.links[0], line)
    np.testing.assert_array_equal(subject.center, [0, 0, 1])
    assert subject_of(scene, shape="other").shape == "other"


def test_devices_bring_their_units_links_and_object(dented: hf.ForceVolume) -> None:
    device = hf.devices.two_finger_gripper("D", "MD", unit=dented)
    subject = subject_of(device)
    assert len(subject.assembly) == 12 and len(subject.faces) == 3 and len(subject.frames) == 3
    assert subject.shape is device.object.shape
    assert len(subject.links) == len(device.links)


@pytest.mark.parametrize(("bad", "where"), [([[[0, 0, 0], [1, 0, 0]]], r"patches\[0\]"), (["x"], r"patches\[0\]")])
def test_bad_patches_are_named(patch: hf.Patch, bad: list, where: str) -> None:
    with pytest.raises(InputError, match=where):
        subject_of(hf.Assembly(patch.contacts), bad)


def test_other_things_are_refused() -> None:
    with pytest.raises(InputError, match="assembly: is a list"):
        subject_of([])


def row_of(volume: hf.ForceVolume, count: int, rotation: np.ndarray | None = None) -> hf.Assembly:
    frame = np.eye(3) if rotation is None else rotation
    return hf.Assembly([hf.Contact([float(k), 0, 0], frame, volume) for k in range(count)])


def test_forces_on_the_border_are_at_their_limit_and_those_inside_are_not(cone: hf.ForceVolume) -> None:
    forces = np.array([[0, 0, 1.0], [0.5, 0, 1.0], [0.49, 0.49, 1.0], [0.5, 0.5, 1.0], [0, 0, 0]])
    found = at_limit(row_of(cone, 5), forces)
    assert found.tolist() == [False, True, False, True, False]  # a contact without a force has nothing to lose


def test_the_face_between_two_pieces_is_no_limit(two_boxes: hf.ForceVolume) -> None:
    forces = np.array([[1.0, 0, 0], [0.0, 0.5, 0], [2.0, 0, 0], [0.5, 1.0, 0]])
    assert at_limit(row_of(two_boxes, 4), forces).tolist() == [False, False, True, True]


def test_limits_are_those_of_the_contact_frame(cone: hf.ForceVolume) -> None:
    turned = hf.frame_from_normal([1, 0, 0])
    forces = np.array([[1.0, 0, 0], [0, 0, 1.0]]) @ np.eye(3)
    contacts = row_of(cone, 2, turned)
    assert at_limit(contacts, forces).tolist() == [False, True]


@pytest.mark.parametrize("seed", range(5))
def test_the_central_axis_leaves_only_torque_along_the_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wrench, near = rng.normal(size=6), rng.normal(size=3)
    point, torque = central_axis(wrench, near)
    np.testing.assert_allclose(np.cross(torque, wrench[:3]), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.cross(point, wrench[:3]) + torque, wrench[3:])
    assert (point - near) @ wrench[:3] == pytest.approx(0.0, abs=1e-12)  # the nearest point of the axis


def test_a_weight_acts_on_the_line_through_its_centre_and_a_couple_anywhere() -> None:
    weight = hf.loads.gravity_wrench(2.0, com=[0.1, 0.2, 0.3])
    point, torque = central_axis(weight, np.array([0.1, 0.2, 0.3]))
    np.testing.assert_allclose(point, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(torque, 0.0, atol=1e-12)
    point, torque = central_axis(np.array([0, 0, 0, 1.0, 2.0, 3.0]), np.ones(3))
    np.testing.assert_allclose([point, torque], [[1, 1, 1], [1, 2, 3]])


Artists = Callable[[Any, str], list[Any]]


@pytest.fixture
def table(cone: hf.ForceVolume) -> hf.Assembly:
    """A block on three points with friction 0.5, pressed from below."""
    points = [[0.1, 0.0, 0.0], [-0.1, 0.1, 0.0], [-0.1, -0.1, 0.0]]
    return hf.Assembly([hf.Contact(p, np.eye(3), cone) for p in points], name="block")


@pytest.fixture
def resting(table: hf.Assembly) -> hf.statics.Equilibrium:
    return hf.equilibrium(table, hf.loads.gravity_wrench(1.0, com=[0, 0, 0.05]))


def test_forces_are_drawn_to_scale_from_their_points(table: hf.Assembly, artists: Artists) -> None:
    forces = np.array([[1.0, 0, 2.0], [0, -0.5, 1.0], [0, 0.0, 4.0]])
    ax = draw_assembly(table, forces=forces, force_scale=0.02)
    found = artists(ax, "force")
    np.testing.assert_allclose([a.start for a in found], table.positions)
    np.testing.assert_allclose([(a.end - a.start) / 0.02 for a in found], forces)
    assert "scale: 2 N = 40 mm" in [t.get_text() for t in ax.get_legend().get_texts()]


def test_by_default_the_longest_arrow_fits_the_picture(table: hf.Assembly, artists: Artists) -> None:
    forces = np.array([[0, 0, 1e6], [0, 0, 5e5], [0, 0, 0]])
    found = artists(draw_assembly(table, forces=forces), "force")
    lengths = [np.linalg.norm(a.end - a.start) for a in found]
    size = np.linalg.norm(np.ptp(table.positions, axis=0))
    assert lengths == pytest.approx([style.LONGEST * size, 0.5 * style.LONGEST * size])


def test_contacts_at_their_limit_stand_out(table: hf.Assembly, artists: Artists) -> None:
    forces = np.array([[0, 0, 2.0], [1.0, 0.0, 2.0], [0, 0, 0]])
    ax = draw_assembly(table, forces=forces)
    colours = [to_rgb(a.get_edgecolor()) for a in artists(ax, "force")]
    assert colours == [to_rgb(style.FORCE), to_rgb(style.LIMIT)]
    named = {t.get_text() for t in ax.get_legend().get_texts()}
    assert {"contact force", "contact force at its limit", "contact without force"} <= named


def test_a_result_brings_its_forces_its_load_and_its_verdict(
    table: hf.Assembly, resting: hf.statics.Equilibrium, artists: Artists, pixels: Callable[[Any], np.ndarray]
) -> None:
    ax = draw_assembly(table, result=resting, shape=Box([0.3, 0.3, 0.1], hf.Pose(np.eye(3), [0, 0, 0.05])))
    assert ax.get_title() == "block: holds"
    (load,) = artists(ax, "load")
    np.testing.assert_allclose(np.cross(load.end - load.start, resting.wrench[:3]), 0.0, atol=1e-12)
    np.testing.assert_allclose(load.start[:2], [0, 0], atol=1e-12)
    sizes = np.linalg.norm(resting.forces, axis=1)
    arrows = np.array([a.end - a.start for a in artists(ax, "force")])
    scale = np.linalg.norm(arrows, axis=1).max() / sizes.max()
    np.testing.assert_allclose(arrows / scale, resting.forces[sizes > 1e-3 * sizes.max()], atol=1e-9)
    assert artists(ax, "motion") == []
    assert pixels(ax).std() > 5.0


def test_when_it_does_not_hold_the_motion_of_the_certificate_is_shown(table: hf.Assembly, artists: Artists) -> None:
    wrench = np.array([0, 0, 3.0, 0, 0, 0])  # lifted off
    result = hf.equilibrium(table, wrench)
    ax = draw_assembly(table, result=result)
    (arrow,) = artists(ax, "motion")
    motion = result.separating_wrenches[0]
    velocity = motion[:3] + np.cross(motion[3:], table.positions.mean(axis=0))
    along = (arrow.end - arrow.start) / np.linalg.norm(arrow.end - arrow.start)
    np.testing.assert_allclose(np.abs(along @ velocity), np.linalg.norm(velocity))
    assert along @ wrench[:3] > 0.0  # the load does work in it
    assert ax.get_title() == "block: does not hold"


def test_tipping_over_is_shown_as_a_turn(table: hf.Assembly, artists: Artists) -> None:
    result = hf.equilibrium(table, hf.loads.gravity_wrench(1.0, com=[1.0, 0, 0.05]))
    assert not result.holds
    assert artists(draw_assembly(table, result=result), "turn")


def test_a_torque_is_a_turn_and_a_force_far_off_stays_in_the_picture(table: hf.Assembly, artists: Artists) -> None:
    ax = draw_assembly(table, wrench=[0, 0, 0, 0, 0, 2.0])
    assert artists(ax, "turn") and not artists(ax, "load")
    ax = draw_assembly(table, wrench=[0.01, 0, 0, 0, 5.0, 0])
    (load,) = artists(ax, "load")
    np.testing.assert_allclose(load.start, table.positions.mean(axis=0))


def test_a_limit_shows_the_load_it_carries(table: hf.Assembly, artists: Artists) -> None:
    push = hf.load_limit(table, [1, 0, -4, 0, 0, 0])
    ax = draw_assembly(table, result=push)
    assert push.value == np.inf and ax.get_title() == "block: unbounded"
    (load,) = artists(ax, "load")
    assert np.cross(load.end - load.start, [1, 0, -4]) == pytest.approx(np.zeros(3), abs=1e-9)


def test_frames_are_red_green_blue_along_the_columns(table: hf.Assembly, artists: Artists) -> None:
    found = artists(draw_assembly(table), "frame")
    assert len(found) == 9
    for index, arrow in enumerate(found):
        along = (arrow.end - arrow.start) / np.linalg.norm(arrow.end - arrow.start)
        np.testing.assert_allclose(along, np.eye(3)[index % 3], atol=1e-9)
        assert to_rgb(arrow.get_edgecolor()) == to_rgb(style.FRAME[index % 3])
    assert artists(draw_assembly(table, frames=False), "frame") == []


def test_axes_are_in_metres_with_equal_scales(table: hf.Assembly) -> None:
    ax = draw_assembly(table, title="mine")
    assert [getattr(ax, f"get_{k}label")() for k in "xyz"] == ["$x$ [m]", "$y$ [m]", "$z$ [m]"]
    spans = np.array([np.ptp(getattr(ax, f"get_{k}lim")()) for k in "xyz"])
    np.testing.assert_allclose(np.array(ax._box_aspect) / spans, ax._box_aspect[0] / spans[0])
    assert ax.get_title() == "mine"


def test_a_single_contact_can_be_drawn(cone: hf.ForceVolume) -> None:
    ax = draw_assembly(hf.Assembly([hf.Contact([1, 1, 1], np.eye(3), cone)]), forces=[[0, 0, 1]])
    assert ax.get_xlim()[0] < 1.0 < ax.get_xlim()[1]


@pytest.mark.parametrize(
    ("bad", "where"),
    [
        ({"forces": np.zeros((2, 3))}, "forces"),
        ({"forces": np.full((3, 3), np.nan)}, "forces"),
        ({"wrench": np.zeros(5)}, "wrench"),
        ({"result": "holds"}, "result"),
        ({"shape": "ball"}, "shape"),
        ({"force_scale": 0.0, "forces": np.ones((3, 3))}, "force_scale"),
        ({"ax": "axes"}, "ax"),
    ],
)
def test_bad_input_is_named(table: hf.Assembly, bad: dict, where: str) -> None:
    with pytest.raises(InputError, match=where):
        draw_assembly(table, **bad)


def test_the_result_of_another_assembly_is_refused(table: hf.Assembly, resting: hf.statics.Equilibrium) -> None:
    with pytest.raises(InputError, match="is about 3 contacts, not 1"):
        draw_assembly(hf.Assembly(table.contacts[:1]), result=resting)


# -- several bodies ------------------------------------------------------------------------------------


def arrows(ax: Any, gid: str) -> list[Any]:
    return [patch for patch in ax.patches if patch.get_gid() == gid]


def test_several_bodies_are_drawn_with_names_loads_and_one_arrow_per_interface() -> None:
    scene = hf.load("@stacked_cubes")
    answer = hf.equilibrium(scene.assembly, scene.gravity_load() + scene.load("push")).even()
    ax = draw_assembly(scene, result=answer)
    assert [text.get_text().strip() for text in ax.texts] == ["lower", "upper"]
    first, second = arrows(ax, "interface")
    for arrow, side in zip((first, second), scene.assembly.interfaces, strict=True):
        force, length = answer.interface_wrenches[side.name][:3], np.array(arrow.end) - arrow.start
        assert np.linalg.norm(np.cross(force, length)) < 1e-9 * np.linalg.norm(force)
        assert force @ length > 0.0
    # The arrows start at the centre of pressure: the push at 0.15 m shifts it by 2 N 0.15 m / weight.
    assert first.start[0] == pytest.approx(2.0 * 0.15 / (2 * 9.80665), abs=2e-3)
    assert len(arrows(ax, "load")) == 2
    assert len(arrows(ax, "force")) == 8


def test_the_motion_of_every_body_is_drawn_when_it_fails() -> None:
    scene = hf.load("@stacked_cubes")
    lift = draw_assembly(scene, result=hf.equilibrium(scene.assembly, scene.gravity_load() + scene.load("lift")))
    (arrow,) = arrows(lift, "motion")
    assert np.array(arrow.end)[2] > arrow.start[2]  # the upper one rises, the lower one stays
    shove = draw_assembly(scene, result=hf.equilibrium(scene.assembly, scene.gravity_load() + scene.load("shove")))
    assert len(arrows(shove, "motion")) == 2  # both tip


def test_many_bodies_are_drawn_without_contacts_and_frames() -> None:
    scene = hf.load("@pallet")
    ax = draw_assembly(scene, result=hf.equilibrium(scene.assembly, scene.gravity_load()))
    assert not ax.texts  # names would cover each other
    assert not arrows(ax, "frame")
    assert not arrows(ax, "force")
    assert len(arrows(ax, "interface")) >= 30


def test_an_assembly_of_several_bodies_without_shapes_can_be_drawn() -> None:
    ax = draw_assembly(hf.load("@stacked_cubes").assembly)
    assert [text.get_text().strip() for text in ax.texts] == ["lower", "upper"]


def test_lines_between_triangles_of_one_face_are_left_out() -> None:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    _, solids = drawn(hf.assembly.shapes.convex_mesh(corners))
    lengths = [np.linalg.norm(b - a) for a, b in solids.lines]
    assert lengths == pytest.approx([1.0] * 24)  # the 12 edges, once for each of two faces
