from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import holdfast as hf
from holdfast.assembly.plots import at_limit
from holdfast.assembly.shapes import Box, Sphere
from holdfast.devices import create
from holdfast.errors import GeometryError, SceneError
from holdfast.geometry.frames import Pose, rotation_about
from holdfast.scenes import load_scene, ready_path
from holdfast.scenes.page import (
    ENTRIES,
    HALVINGS,
    TRAVEL,
    TWO_FINGERS,
    TWO_OPPOSED_UNITS,
    ContactAnswer,
    ContactControls,
    ContactDrawing,
    ContactQuestions,
    ContactsPage,
    ContactsPageState,
    DeviceSource,
    FileSource,
    PostureControl,
    VolumeDisplay,
    along,
    angles,
    answer,
    between,
    contacts_at_limit,
    direction,
    fingers_of,
    four_fingers,
    gizmo_turn,
    initial_posture,
    initial_state,
    joints_at_limit,
    load_of,
    piece_meshes,
    predicted_motion,
    scene_entry,
    shape_mesh,
    subsets,
    units_of,
    volume_meshes,
    welded,
    with_volumes_of,
)
from holdfast.viewer.server import ViewerServer, serve
from holdfast.web.marks import Mesh, mesh_reach, rotations
from holdfast.web.page import PageContext, PageEntry
from tests.viewer.wire import WireBrowser, until

# -- page contact states ---------------------------------------------------------------------------


def test_straight_down_has_no_tilt_and_headings_turn_from_x_to_y() -> None:
    assert np.allclose(direction(0.0, 77.0), [0.0, 0.0, -1.0])
    assert np.allclose(direction(90.0, 0.0), [1.0, 0.0, 0.0])
    assert np.allclose(direction(90.0, 90.0), [0.0, 1.0, 0.0])
    assert np.allclose(direction(180.0, 0.0), [0.0, 0.0, 1.0])


@given(st.floats(0.0, 180.0), st.floats(-180.0, 180.0), st.floats(0.1, 100.0))
def test_angles_of_a_direction_give_it_back(tilt: float, heading: float, size: float) -> None:
    vector = direction(tilt, heading)
    assert np.allclose(direction(*angles(size * vector)), vector, atol=1e-7)


def test_units_of_a_hand_are_its_phalanges_and_contacts_without_names_have_numbers() -> None:
    scene = load_scene("@four_finger_hand_opposed")
    units = units_of(scene.assembly)
    assert sorted(i for indices in units.values() for i in indices) == list(range(48))
    assert fingers_of(tuple(units)) == dict.fromkeys(("inner left", "inner right", "outer left", "outer right"), "PMD")
    block = load_scene("@block_on_three_points")
    assert fingers_of(tuple(units_of(block.assembly))) == {}
    volume = hf.models.coulomb(0.5)
    bare = hf.Assembly([hf.Contact(np.array([x, 0.0, 0.0]), np.eye(3), volume) for x in (0.0, 1.0)])
    assert units_of(bare) == {"contact 0": (0,), "contact 1": (1,)}


def test_a_page_begins_with_the_scene_as_it_is() -> None:
    scene = load_scene("@gecko_on_glass").turned((0.0, 1.0, -1.0))
    state = initial_state(scene, ())
    assert np.allclose(direction(state.tilt, state.heading), np.array([0.0, 1.0, -1.0]) / np.sqrt(2.0))
    assert state.mass == scene.mass
    assert state.friction == 1.0
    assert len(state.touching) == 4


# -- page contact sources --------------------------------------------------------------------------


@pytest.mark.parametrize("source", [TWO_OPPOSED_UNITS, TWO_FINGERS, four_fingers("opposed"), four_fingers("parallel")])
def test_a_device_begins_as_the_paper_has_it(source: DeviceSource) -> None:
    scene = source.scene(initial_posture(source))
    words = {control.name: control.initial for control in source.controls if control.choices}
    device = create(source.device, **source.fixed, **words)
    assert np.allclose(scene.assembly.positions, np.array([c.position for c in device.contacts]))
    assert scene.mass == device.object.mass
    assert np.allclose(scene.assembly.joints.lower, device.joint_rows(scene.gravity).lower)  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.parametrize("source", [TWO_OPPOSED_UNITS, TWO_FINGERS, four_fingers("opposed")])
def test_every_end_of_a_posture_slider_is_a_posture(source: DeviceSource) -> None:
    for control in source.controls:
        for value in control.choices or (control.low, control.high):
            assert len(source.scene(initial_posture(source) | {control.name: value}).assembly) > 0


def test_an_impossible_posture_is_told() -> None:
    source = DeviceSource("2OU", (PostureControl("half_distance", "d [mm]", 200.0, scale=1e-3),))
    with pytest.raises(GeometryError, match="upper half"):
        source.scene(initial_posture(source))


def test_a_file_is_read_anew_each_time_and_a_broken_one_is_told(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    path.write_text("version: 1\ncontacts: [")
    with pytest.raises(SceneError, match=r"scene\.yaml"):
        FileSource(path).scene({})
    assert len(FileSource("@block_on_three_points").scene({}).assembly) == 3


def test_equal_volumes_become_the_same_object_and_nothing_else_changes() -> None:
    first, second = load_scene("@two_opposed_units"), load_scene("@two_opposed_units")
    volume = first.assembly.contacts[0].volume
    shared = with_volumes_of(second, [volume])
    assert all(contact.volume is volume for contact in shared.assembly.contacts)
    assert shared.fingerprint == second.fingerprint


# -- page limit marks ------------------------------------------------------------------------------


def test_marks_agree_with_those_of_pictures() -> None:
    assembly = load_scene("@two_finger_gripper_pmd_pmd").assembly
    rng = np.random.default_rng(5)
    volume = assembly.contacts[0].volume
    ways = rng.normal(size=(len(assembly), 3))
    reach = np.array([float(volume.radial(way)) for way in ways])
    share = rng.choice([0.0, 0.5, 1.0], size=len(assembly))  # none, inside, on the border
    local = (share * reach)[:, None] * ways
    world = np.einsum("kij,kj->ki", assembly.rotations, local)
    marks = contacts_at_limit(assembly, local)
    assert (marks == at_limit(assembly, world)).all()
    real = reach * np.linalg.norm(ways, axis=1) > 1e-3 * volume.size  # not a direction without any force
    assert marks[(share == 1.0) & real].all()
    assert ((share == 1.0) & real).any()
    assert not marks[share == 0.0].any()


def test_joints_at_a_bound_are_marked() -> None:
    scene = load_scene("@two_opposed_units")
    limit = hf.load_limit(scene.assembly, scene.gravity_load())
    joints = scene.assembly.joints
    assert joints is not None
    assert limit.forces is not None
    values = joints.values(limit.forces)
    near = np.minimum(np.abs(values - joints.lower), np.abs(values - joints.upper)) < 1e-6 * np.abs(values)
    assert (joints_at_limit(scene.assembly, limit.forces) == near).all()


# -- page contact answers --------------------------------------------------------------------------


BLOCK = FileSource("@block_on_three_points")


def begun(questions: ContactQuestions, posture: tuple = ()) -> ContactsPageState:
    return initial_state(questions.scene(posture), posture)


def random_states(start: ContactsPageState, count: int, seed: int) -> list[ContactsPageState]:
    rng = np.random.default_rng(seed)
    states = []
    for _ in range(count):
        states.append(
            replace(
                start,
                tilt=float(rng.uniform(0.0, 180.0)),
                heading=float(rng.uniform(-180.0, 180.0)),
                mass=float(rng.uniform(0.0, 3.0) * start.mass),
                friction=float(rng.choice([0.4, 1.0, 1.7])),
                touching=tuple(name for name in start.touching if rng.random() > 0.2),
                load_size=float(rng.choice([0.0, 5.0])),
                load_tilt=float(rng.uniform(0.0, 180.0)),
            )
        )
    return states


def test_answers_of_a_row_of_states_are_those_of_the_library_asked_directly_with_proofs() -> None:
    source = four_fingers("opposed")
    posture = tuple(initial_posture(source).items())
    warm = ContactQuestions(source)
    start = begun(warm, posture)
    states = random_states(start, 3, seed=3)
    states += [replace(state, posture=(("fingers", "parallel"), ("radius", 180.0))) for state in states[:2]]
    seen = set()
    for state in states:
        got = warm.answer(state)
        assert got.equilibrium is not None
        scene = source.scene(dict(state.posture)).with_gravity(got.gravity)
        rows = scene.assembly.joints
        assert rows is not None
        stretched = scene.assembly.contacts[0].volume.stretched(state.friction)
        kept = [replace(c, volume=stretched) for c in scene.assembly.contacts]
        jacobian = rows.jacobian.reshape(len(rows), -1, 3)[:, got.chosen].reshape(len(rows), -1)
        direct = hf.Assembly(
            [contact for contact, touches in zip(kept, got.chosen, strict=True) if touches],
            hf.JointRows(jacobian, rows.lower, rows.upper),
        )
        assert got.equilibrium.status is hf.equilibrium(direct, got.wrench).status
        assert got.equilibrium.verify()
        assert got.limit is not None
        assert got.limit.value == pytest.approx(hf.load_limit(direct, got.wrench).value, rel=1e-5)
        assert got.limit.verify()
        seen.add(got.holds)
    assert seen == {True, False}


def test_the_load_factor_is_the_margin_in_words() -> None:
    questions = ContactQuestions(FileSource("@gecko_on_glass"))
    start = begun(questions)
    held = questions.answer(start)
    assert held.limit is not None
    assert held.verdict.status == "holds"
    assert f"load factor {held.limit.value:.3g}" in held.verdict.margin
    largest = questions.answer(replace(start, mass=held.limit.value * start.mass * (1.0 - 1e-9)))
    assert (held.gives_way == largest.gives_way).all()
    assert held.gives_way.any()
    heavy = questions.answer(replace(start, mass=2.0 * held.limit.value * start.mass))
    assert heavy.verdict.status == "does not hold"
    assert "load factor 0.5 " in heavy.verdict.margin
    assert heavy.letting_go is not None
    assert heavy.letting_go @ heavy.wrench > 0.0
    assert "no load" in questions.answer(replace(start, mass=0.0)).verdict.margin


def test_what_is_at_its_limit_is_told_of_the_largest_load_first() -> None:
    questions = ContactQuestions(FileSource("@gecko_on_glass"))
    held = questions.answer(begun(questions))
    count = len(held.chosen)
    assert held.verdict.lines[0] == f"at the largest load: {held.gives_way.sum()} of {count} contacts at their limit"
    # The most even forces are drawn, and none of them is at its limit; the bracket of load sharing comes last.
    assert len(held.verdict.lines) == 2 and held.verdict.lines[1].startswith("load sharing: first failure 8.158 <= ")
    most = questions.answer(replace(begun(questions), mass=held.limit.value * held.scene.mass * (1.0 - 1e-9)))
    assert most.verdict.lines[1].startswith("in the forces drawn (not unique): ")
    rest = ContactQuestions(BLOCK)
    assert rest.answer(begun(rest)).verdict.lines == ()  # held without limit: no largest load, and nothing fails


def test_a_push_too_strong_for_friction_is_told_by_the_share_that_is_held() -> None:
    questions = ContactQuestions(BLOCK)
    start = begun(questions)
    pushed = questions.answer(replace(start, load_size=60.0, load_tilt=90.0))
    assert not pushed.holds and pushed.limit is not None and pushed.limit.value == pytest.approx(0.0, abs=1e-9)
    share, assembly = pushed.added, pushed.scene.assembly
    assert share is not None and 0.0 < share < 1.0
    weight = questions.answer(start).wrench
    rest = pushed.wrench - weight
    assert hf.equilibrium(assembly, weight + share * rest).holds
    assert not hf.equilibrium(assembly, weight + (share + 2.0 ** (1 - HALVINGS)) * rest).holds
    assert "holds no part of the total load; the weight alone is held" in pushed.verdict.margin
    assert f"at least {share:.2g} of the additional load" in pushed.verdict.margin


def test_without_contacts_only_no_load_is_held() -> None:
    questions = ContactQuestions(BLOCK)
    start = begun(questions)
    assert questions.answer(replace(start, touching=())).verdict.status == "does not hold: no contacts"
    assert questions.answer(replace(start, touching=(), mass=0.0)).holds


def test_weight_force_and_named_load_add_up_about_the_origin() -> None:
    questions = ContactQuestions(BLOCK)
    start = begun(questions)
    scene = questions.scene(())
    name = next(iter(scene.loads))
    state = replace(start, load_size=7.0, load_tilt=180.0, named=name, factor=-2.0)
    up = np.array([0.0, 0.0, 7.0])
    want = scene.gravity_load() + np.concatenate([up, np.cross(scene.com, up)]) - 2.0 * scene.load(name)
    assert np.allclose(load_of(scene, state, scene.gravity), want)
    assert np.allclose(answer(BLOCK, state).wrench, want)


def test_a_file_that_is_read_again_is_answered_anew() -> None:
    questions = ContactQuestions(BLOCK)
    before = questions.scene(())
    assert questions.scene(()) is before
    questions.reload()
    assert questions.scene(()) is not before


# -- page predicted motion -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lifted() -> ContactAnswer:
    """A block that stands on three points, with gravity straight up."""
    questions = ContactQuestions(FileSource("@block_on_three_points"))
    return questions.answer(replace(initial_state(questions.scene(()), ()), tilt=180.0))


def test_what_is_lifted_off_goes_up_without_turning(lifted: ContactAnswer) -> None:
    motion = predicted_motion(lifted, 1.0)
    assert motion is not None
    assert motion.certain
    assert "falls free" in motion.words
    heights = [pose.apply(lifted.scene.com)[2] for pose in motion.poses]
    assert np.allclose(motion.poses[0].translation, 0.0)
    assert (np.diff(heights) > 0.0).all()
    assert heights[-1] - heights[0] >= TRAVEL
    assert all(np.allclose(pose.rotation, np.eye(3), atol=1e-6) for pose in motion.poses)


def test_what_holds_has_no_motion_and_what_nothing_touches_falls_freely(lifted: ContactAnswer) -> None:
    questions = ContactQuestions(FileSource("@block_on_three_points"))
    start = initial_state(questions.scene(()), ())
    assert predicted_motion(questions.answer(start), 1.0) is None
    motion = predicted_motion(questions.answer(replace(start, touching=())), 1.0)
    assert motion is not None
    moved = motion.poses[-1].apply(lifted.scene.com) - lifted.scene.com
    assert np.allclose(moved, [0.0, 0.0, -TRAVEL])


def test_poses_between_two_turn_about_one_axis() -> None:
    end = Pose(rotation_about([0.0, 0.0, 1.0], 1.0), np.array([0.0, 0.0, 2.0]))
    poses = between([Pose.identity(), end], most=4)
    turns = [Rotation.from_matrix(pose.rotation).as_rotvec() for pose in poses]
    assert np.allclose(turns, [[0.0, 0.0, share] for share in (0.0, 0.25, 0.5, 0.75, 1.0)])
    assert np.allclose([pose.translation[2] for pose in poses], [0.0, 0.5, 1.0, 1.5, 2.0])
    assert along(np.zeros(6), np.zeros(3), 1.0)[-1].translation == pytest.approx(np.zeros(3))


# -- page volume meshes ----------------------------------------------------------------------------


def test_every_vertex_is_a_force_of_its_contact_at_its_contact() -> None:
    assembly = load_scene("@two_opposed_units").assembly
    volume = assembly.contacts[0].volume
    pieces = [welded(mesh) for mesh in piece_meshes(volume)]
    drawn = [pieces if index % 2 == 0 else None for index in range(len(assembly))]
    scales = np.tile([2e-3, 2e-3, 1e-3], (len(assembly), 1))
    scales[4] = 0.0  # one that does not touch shrinks to its point
    made = volume_meshes(drawn)
    assert [mesh.piece for mesh in made] == list(range(len(volume)))
    for mesh in made:
        world = mesh.placed(assembly, scales)
        assert set(mesh.owner) == {0, 2, 4, 6}
        assert mesh.faces.max() == len(world) - 1
        for point, owner in zip(world[::7], mesh.owner[::7], strict=True):
            contact = assembly.contacts[owner]
            local = contact.rotation.T @ (point - contact.position)
            if owner == 4:
                assert np.allclose(local, 0.0)
            else:
                assert volume.polytopes[mesh.piece].contains(local / scales[owner])
        owners = mesh.owner[mesh.faces]
        assert (owners == owners[:, :1]).all()  # no face joins two contacts


def test_welding_keeps_the_triangles() -> None:
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    faces = np.array([[0, 1, 2], [3, 4, 5]])
    fewer, corners = welded((vertices, faces))
    assert len(fewer) == 4
    assert np.array_equal(fewer[corners], vertices[faces])


# -- page meshes -----------------------------------------------------------------------------------


def volume_of(mesh: Mesh) -> float:
    """Of a closed mesh with outward faces, by the divergence theorem."""
    vertices, faces = mesh
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def test_the_mesh_of_a_box_encloses_it_and_has_its_edges() -> None:
    corners = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    mesh, lines = shape_mesh(Box(np.array([0.2, 0.3, 0.4])), corners)
    assert volume_of(mesh) == pytest.approx(0.024)
    assert len(np.unique(np.sort(lines.round(9), axis=1).reshape(-1, 6), axis=0)) == 12


def test_a_shape_much_larger_than_what_touches_it_is_cut() -> None:
    points = np.array([[-0.01, -0.01, 1.0], [0.01, 0.01, 1.0]])
    mesh, _ = shape_mesh(Sphere(1.0), points)
    assert np.abs(mesh[0][:, :2]).max() < 0.05


def test_pieces_of_a_volume_enclose_it_and_cones_are_left_open_where_they_are_cut() -> None:
    cube = np.array(list(np.ndindex(2, 2, 2)), dtype=float) * 3.0
    volume = hf.ForceVolume([cube, cube + 10.0])
    assert [volume_of(mesh) for mesh in piece_meshes(volume)] == pytest.approx([27.0, 27.0])
    assert mesh_reach(piece_meshes(volume)) == pytest.approx(13.0 * np.sqrt(3.0))
    cone = piece_meshes(hf.models.coulomb(0.5))[0]
    normals = np.cross(cone[0][cone[1][:, 1]] - cone[0][cone[1][:, 0]], cone[0][cone[1][:, 2]] - cone[0][cone[1][:, 0]])
    assert (normals[:, 2] < 0.0).all()  # no lid on top


# -- page contact drawing --------------------------------------------------------------------------


class DrawingPage:
    title = "drawing"

    def __init__(self, context: PageContext) -> None:
        self.drawing = ContactDrawing(context.client)

    def open(self) -> None:
        pass

    def close(self) -> None:
        self.drawing.clear()


@pytest.fixture
def drawing() -> Iterator[ContactDrawing]:
    server = serve([PageEntry("d", "d", "Contacts", "d.", DrawingPage)], port=0)
    browser = WireBrowser(server)
    until(lambda: browser.session.page is not None)
    yield browser.session.page.drawing  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    browser.close()
    server.stop()


def test_the_first_scale_of_arrows_comes_from_the_forces_and_that_of_volumes_from_their_size(
    drawing: ContactDrawing,
) -> None:
    source = FileSource("@gecko_on_glass")
    questions = ContactQuestions(source)
    answer = questions.answer(initial_state(questions.scene(()), ()))
    drawing.show_scene(answer.scene)
    scale, volumes = drawing.fitted_scale(answer), drawing.volume_scale
    assert scale is not None and answer.forces is not None
    assert np.isclose(scale * np.linalg.norm(answer.forces, axis=1).max(), 0.25 * drawing.size)
    drawing.force_scale = scale
    drawing.show_answer(answer)
    assert drawing.volume_scale == volumes  # a long arrow does not swell the volumes
    light = questions.answer(replace(answer.state, mass=0.0))
    assert drawing.fitted_scale(light) is None


def test_an_answer_changes_forces_in_place_and_leaves_the_volumes(drawing: ContactDrawing) -> None:
    questions = ContactQuestions(TWO_OPPOSED_UNITS)
    posture = tuple(initial_posture(TWO_OPPOSED_UNITS).items())
    start = initial_state(questions.scene(posture), posture)
    held = questions.answer(start)
    drawing.show_answer(held)
    nodes: dict[str, Any] = dict(drawing._nodes)
    assert held.forces is not None
    arrows = nodes["forces"].points
    loaded = np.linalg.norm(held.forces, axis=1) > 1e-3 * np.linalg.norm(held.forces, axis=1).max()
    assert np.allclose(arrows[:, 1] - arrows[:, 0], drawing.force_scale * held.forces[loaded], atol=1e-6)
    assert np.allclose(arrows[:, 0], held.scene.assembly.positions[loaded], atol=1e-6)
    before = nodes["piece 0"].vertices.copy()

    heavy = questions.answer(replace(start, mass=100.0))
    drawing.show_answer(heavy)
    assert not heavy.holds
    assert drawing._nodes["forces"] is nodes["forces"]
    assert not nodes["forces"].visible
    assert drawing._nodes["letting go"].visible or drawing._nodes["letting turn"].visible
    assert np.array_equal(nodes["piece 0"].vertices, before)

    drawing.show_answer(questions.answer(replace(start, friction=2.0)))
    assert drawing._nodes["piece 0"] is nodes["piece 0"]
    assert not np.array_equal(nodes["piece 0"].vertices, before)
    drawing.show_answer(questions.answer(replace(start, posture=(("half_distance", 40.0),))))
    assert {name for name in drawing._nodes if name.startswith("piece")} == {f"piece {i}" for i in range(6)}


def test_what_is_shown_can_be_chosen_and_is_taken_away_at_the_end(drawing: ContactDrawing) -> None:
    questions = ContactQuestions(TWO_OPPOSED_UNITS)
    posture = tuple(initial_posture(TWO_OPPOSED_UNITS).items())
    drawing.show_answer(questions.answer(initial_state(questions.scene(posture), posture)))
    whole = len(drawing._nodes["piece 0"].vertices)
    drawing.volumes = VolumeDisplay.UNITS
    drawing.refresh()
    assert len(drawing._nodes["piece 0"].vertices) * 4 == whole  # four contacts a unit
    drawing.volumes, drawing.shows_object = VolumeDisplay.NONE, False
    drawing.refresh()
    assert not drawing._nodes["piece 0"].visible
    assert not drawing._nodes["object"].visible
    drawing.move_ghost(Pose(np.eye(3), np.array([0.0, 0.0, 0.5])))
    assert drawing._nodes["ghost"].visible
    assert np.allclose(drawing._nodes["ghost"].position, [0.0, 0.0, 0.5])
    drawing.move_ghost(None)
    assert not drawing._nodes["ghost"].visible
    drawing.clear()
    assert drawing._nodes == {}


# -- page contact controls -------------------------------------------------------------------------


POSTURE = (PostureControl("radius", "Radius [mm]", 150.0, 90.0, 300.0, 5.0, 1e-3),)


class ControlsPage:
    """The controls alone, of the two-finger gripper."""

    title = "controls"

    def __init__(self, context: PageContext) -> None:
        scene = load_scene("@two_finger_gripper_d_pmd")
        start = initial_state(scene, (("radius", 150.0),))
        self.states: list[ContactsPageState] = []
        self.controls = ContactControls(context.client, start, POSTURE, tuple(scene.loads), self.changed)

    def open(self) -> None:
        self.controls.open()
        self.controls.add_gizmo(np.zeros(3), 1.0)

    def changed(self) -> None:
        self.states.append(self.controls.state)
        self.controls.follow()

    def close(self) -> None:
        self.controls.close()


@pytest.fixture
def browser() -> Iterator[WireBrowser]:
    server = serve([PageEntry("c", "c", "Contacts", "c.", ControlsPage)], port=0)
    made = WireBrowser(server)
    until(lambda: made.session.page is not None and made.session.page.controls._gizmo is not None)  # pyright: ignore[reportAttributeAccessIssue]
    yield made
    made.close()
    server.stop()


def test_each_control_changes_its_part_of_the_state(browser: WireBrowser) -> None:
    page: Any = browser.session.page
    controls = page.controls
    moves = {"tilt": 30.0, "heading": -90.0, "mass": 0.5, "friction": 1.5, "load_size": 2.0, "factor": -1.0}
    for name, value in moves.items():
        browser.move(controls._sliders[name], value)
    browser.move(controls._sliders["posture radius"], 200.0)
    browser.move(controls._named, "pull")
    browser.move(controls._touch["right"], "MD")
    until(lambda: len(page.states) >= 9)
    state = controls.state
    assert {name: getattr(state, name) for name in moves} == moves
    assert state.posture == (("radius", 200.0),)
    assert state.named == "pull"
    assert state.touching == ("left D", "right M", "right D")
    until(lambda: np.allclose(rotations(controls._gizmo.wxyz) @ [0.0, 0.0, -1.0], direction(30.0, -90.0)))
    browser.move(controls._touch["left"], "none")
    until(lambda: controls.state.touching == ("right M", "right D"))


def test_dragging_the_gizmo_turns_gravity_and_does_not_fight_the_hand(browser: WireBrowser) -> None:
    page: Any = browser.session.page
    controls = page.controls
    dragged = gizmo_turn(60.0, 120.0)
    controls._gizmo.wxyz = dragged
    controls._dragged(SimpleNamespace(phase="update"))
    assert (controls.state.tilt, controls.state.heading) == pytest.approx((60.0, 120.0), abs=0.1)
    assert np.allclose(controls._gizmo.wxyz, dragged)
    assert page.states[-1] == controls.state
    controls._dragged(SimpleNamespace(phase="end"))
    assert np.allclose(rotations(controls._gizmo.wxyz) @ [0.0, 0.0, -1.0], direction(60.0, 120.0), atol=2e-3)


def test_menus_of_fingers_offer_every_choice_of_phalanges() -> None:
    assert subsets("PMD") == ("PMD", "PM", "PD", "MD", "P", "M", "D", "none")
    assert subsets("D") == ("D", "none")


# -- page contacts ---------------------------------------------------------------------------------


CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--headless=new"]


@pytest.fixture(scope="module")
def server() -> Iterator[ViewerServer]:
    made = serve(ENTRIES, port=0, first="block-on-three-points")
    yield made
    made.stop()


def page_of(browser: WireBrowser) -> Any:
    until(lambda: isinstance(browser.session.page, ContactsPage) and browser.session.verdict.request > 0)
    return browser.session.page


def settled(browser: WireBrowser) -> None:
    until(lambda: browser.session.verdict.request == browser.session.worker.number and not browser.session.worker.busy)


def test_after_two_hands_have_played_each_sees_the_verdict_of_its_own_last_state(server: ViewerServer) -> None:
    browsers = [WireBrowser(server), WireBrowser(server)]
    browsers[1].session.switch("gecko-on-glass")
    until(lambda: browsers[1].session.key == "gecko-on-glass")
    rng = np.random.default_rng(11)
    for browser in browsers:
        page_of(browser)
    for _ in range(60):
        for browser in browsers:
            sliders = page_of(browser)._controls._sliders
            name = rng.choice(["tilt", "heading", "mass", "friction", "load_size"])
            low, high = sliders[name].min, sliders[name].max
            browser.move(sliders[name], float(rng.uniform(low, high)))
    for browser in browsers:
        controls = page_of(browser)._controls
        browser.move(controls._sliders["tilt"], 75.0)
        until(lambda controls=controls: controls.state.tilt == 75.0)
    for browser in browsers:
        settled(browser)
        page = page_of(browser)
        want = answer(page._source, page._controls.state).verdict
        shown = browser.session.verdict.shown
        assert (shown.status, shown.margin) == (want.status, want.margin)
        assert browser.session.verdict.error == ""
        browser.close()
    until(lambda: not server.sessions)


def test_when_nothing_holds_the_predicted_motion_is_told_and_played_until_it_holds_again(server: ViewerServer) -> None:
    browser = WireBrowser(server)
    page = page_of(browser)
    browser.move(page._controls._sliders["tilt"], 180.0)
    until(lambda: len(page._animation.frames) > 1)
    assert browser.session.verdict.shown.status == "does not hold"
    until(lambda: "falls free" in browser.session.verdict.shown.lines[-1])
    until(lambda: page._drawing._nodes["ghost"].visible and page._drawing._nodes["ghost"].position[2] > 0.0)
    browser.move(page._controls._sliders["tilt"], 0.0)
    until(lambda: browser.session.verdict.shown.status == "holds")
    settled(browser)
    assert page._animation.frames == ()
    assert not page._drawing._nodes["ghost"].visible
    browser.close()
    until(lambda: not server.sessions)
    until(lambda: not page._motions.alive)


def test_a_scene_file_that_breaks_while_it_is_shown_is_told_and_shown_again_once_mended(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    text = ready_path("@block_on_three_points").read_text()
    path.write_text(text)
    server = serve([scene_entry(path)], port=0)
    browser = WireBrowser(server)
    page = page_of(browser)
    path.write_text(text.replace("contacts", "contcats"))
    page._reload()
    until(lambda: "scene.yaml" in browser.session.verdict.error)
    path.write_text(text)
    page._reload()
    until(lambda: browser.session.verdict.error == "")
    assert browser.session.verdict.shown.status == "holds"
    browser.close()
    server.stop()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine; the README says how to get it")
def test_in_a_browser_a_slider_changes_verdict_and_picture_and_nothing_comes_from_outside(
    server: ViewerServer,
) -> None:
    from PIL import Image
    from playwright.sync_api import sync_playwright

    def picture() -> Any:
        shot = Image.open(io.BytesIO(page.screenshot(clip={"x": 310, "y": 100, "width": 280, "height": 400})))
        return np.asarray(shot.convert("RGB"), dtype=float)

    asked: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1000, "height": 600})
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda socket: asked.append(socket.url))
        page.goto(server.url)
        page.wait_for_selector("#holdfast-verdict[data-status='holds']", timeout=60_000)
        before = picture()
        assert before.std() > 5.0  # something is drawn
        page.get_by_role("slider").first.focus()
        page.keyboard.press("End")  # gravity straight up
        page.wait_for_selector("#holdfast-verdict[data-status='does not hold']", timeout=60_000)
        assert "load factor" in page.inner_text("#holdfast-verdict")
        page.wait_for_timeout(300)
        assert np.abs(picture() - before).max() > 50.0
        browser.close()
    outside = [url for url in asked if f"//localhost:{server.port}" not in url and not url.startswith("data:")]
    assert outside == []
    assert any(url.startswith("ws://") for url in asked)
    until(lambda: not server.sessions)
