"""The schema of planar scene files: what it stores, and what it refuses.

The ready planar scenes answer what the papers and closed forms say.

From planar files to scenes: loads, contacts, postures and disturbances come out as the file says.

Planar files in: faults with their lines, nearest names, and the ready scenes.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

import holdfast
from holdfast.console.output import plain
from holdfast.errors import InputError, SceneError
from holdfast.planar import free_part_forces, torque_sets
from holdfast.planar.files import (
    DOCUMENTS,
    PLANAR_SCENES,
    BodyDocument,
    DisturbancePart,
    PlanarBodyPart,
    PlanarBodyScene,
    PlanarChainScene,
    PlanarClimbScene,
    hull_outline,
    is_planar,
    load_planar,
    planar_faults,
    planar_names,
    planar_schema,
)

STORED = Path(holdfast.__file__).parent / "data" / "planar.schema.json"


def test_the_stored_schema_is_the_one_of_the_program():
    assert json.loads(STORED.read_text(encoding="utf-8")) == plain(planar_schema())


def test_the_schema_tells_the_three_kinds_apart_by_their_word():
    schema = planar_schema()
    assert schema["discriminator"]["propertyName"] == "planar"
    assert set(schema["discriminator"]["mapping"]) == set(DOCUMENTS) == {"body", "chain", "climb"}
    for kind, document in DOCUMENTS.items():
        part = schema["$defs"][document.__name__]
        assert part["additionalProperties"] is False
        assert part["properties"]["planar"]["const"] == kind


def test_every_field_says_what_it_is():
    fields = {name: part for document in DOCUMENTS.values() for name, part in document.model_fields.items()}
    assert all(part.description for part in fields.values()), [n for n, p in fields.items() if not p.description]


@pytest.mark.parametrize(
    "data",
    [
        {"mass": 1.0},  # no inertia
        {"mass": 1.0, "density": 1.0, "outline": [[0, 0], [1, 0], [0, 1]]},
        {"density": 1.0, "radius_of_gyration": 1.0},  # of what area?
        {"mass": -1.0, "radius_of_gyration": 1.0},
    ],
)
def test_bodies_without_one_mass_and_inertia_are_refused(data):
    with pytest.raises(ValidationError):
        PlanarBodyPart.model_validate(data)


def test_a_disturbance_has_one_form():
    for data in ({}, {"lower": [0.0]}, {"lower": [0.0], "upper": [1.0], "vertices": [[0.0]]}):
        with pytest.raises(ValidationError):
            DisturbancePart.model_validate(data)
    assert DisturbancePart.model_validate({"lower": [None, -1.0], "upper": [None, 1.0]}).lower == [None, -1.0]


def test_obstacles_alone_need_an_outline():
    head = {"holdfast": 1, "planar": "body", "body": {"mass": 1.0, "radius_of_gyration": 1.0}}
    with pytest.raises(ValidationError, match="outline"):
        BodyDocument.model_validate({**head, "obstacles": [{"ground": {"extent": 1.0}}]})
    assert BodyDocument.model_validate(head).contacts == []


L, M, G = 0.127, 0.0849, 9.81


def chain(name: str) -> PlanarChainScene:
    scene = load_planar(f"@{name}")
    assert isinstance(scene, PlanarChainScene)
    return scene


def bound(scene: PlanarChainScene) -> float:
    """t of {tau <= t}, from the vertex and the ray of T_c."""
    vertices, rays, lines = scene.torque_sets().feasible.generators
    assert len(vertices) == 1 and np.allclose(rays, [[-1.0]]) and not len(lines)
    return float(vertices[0, 0])


@pytest.mark.parametrize(
    ("name", "status", "modes"),
    [
        ("three_points", "unique", ["FFF"]),
        ("block_on_incline", "unique", ["FF"]),
        ("box_pushed", "unique", ["SF"]),
        ("ladder", "unique", ["FF"]),
        ("painleve_rod", "inconsistent", []),
        ("painleve_rod_turning", "finite", ["L", "S"]),
        ("peg_in_hole", "unique", ["RL"]),
        ("peg_jammed", "unique", ["FF"]),
        ("peg_wedged", "finite", ["FF", "SR"]),
        ("three_finger_grasp", "unique", ["FFF"]),
    ],
)
def test_ready_bodies_move_as_their_first_line_says(name, status, modes):
    answer = load_planar(f"@{name}").motions()
    assert answer.status == status and sorted(answer.modes) == modes


def test_the_block_slides_once_friction_is_below_the_slope():
    scene = load_planar("@block_on_incline")
    assert scene.changed(mu=5.0 / 12.0 + 1e-6).motions().modes.keys() == {"FF"}
    slides = scene.changed(mu=0.4).motions()
    assert slides.modes.keys() == {"RR"}
    along = G * (5.0 - 0.4 * 12.0) / 13.0
    assert np.allclose(slides.acceleration, [12.0 / 13.0 * along, -5.0 / 13.0 * along, 0.0])


def test_the_ladder_slides_below_the_closed_form():
    """Slipping at both ends: tan = (1 - mu_1 mu_2) / (2 mu_1), here 4/3 with mu_2 = 0.3."""
    least = 1.0 / (2.0 * 4.0 / 3.0 + 0.3)
    scene = load_planar("@ladder")

    def modes(floor: float):
        contacts = tuple(type(c)(c.normal, c.r, mu, c.kind) for c, mu in zip(scene.contacts, (floor, 0.3), strict=True))
        return set(type(scene)(**{**vars(scene), "contacts": contacts}).motions().modes)

    assert "FF" in modes(least + 1e-4) and "FF" not in modes(least - 1e-4)


def test_changed_loads_velocities_and_outlines_for_pictures():
    scene = load_planar("@three_points")
    assert scene.changed(velocity=(0.0, -1.0, 0.0)).motions().status == "impact"
    up = scene.changed(force=(0.0, 1.0, 0.0)).motions()
    assert up.modes.keys() == {"SSS"} and np.allclose(up.acceleration, [0.0, 1.0, 0.0])
    corners = hull_outline(scene.body, scene.centre, scene.points)
    assert corners.area > 0.0 and (corners.distances(scene.points) >= 0.0).all()
    assert all(corners.contains(p[None])[0] or corners.distances(p[None])[0] < 1e-9 for p in scene.points)
    with pytest.raises(InputError):
        scene.changed(mu=-1.0)


def test_greenfields_numbers():
    mu = 0.3
    assert bound(chain("two_link_snake")) == pytest.approx(-M * G * L / np.sqrt(2) * (3 + mu**2) / (4 * mu), rel=1e-9)
    assert bound(chain("five_link_brace")) == pytest.approx(-0.61210, abs=5e-6)
    assert not chain("two_link_snake").torque_sets().ambiguities
    rough = chain("two_link_snake_ambiguous").torque_sets()
    (piece,) = rough.unique
    assert np.allclose(piece.generators.vertices, -M * G * L / np.sqrt(2))
    six = chain("six_link_snake").torque_sets()
    assert six.feasible.dimension == 3 and six.status == "unambiguous" and len(six.tasks) == 8


def test_uncertain_friction_and_posture_only_take_torques_away():
    sure, scene = chain("two_link_snake"), chain("two_link_snake_uncertain")
    assert bound(scene) < bound(sure.with_mu(0.25)) < bound(sure)
    assert scene.over_postures().status == "proven" and scene.over_postures().verify()
    with pytest.raises(InputError):
        sure.over_postures()


def test_a_free_part_loads_the_brace_with_its_weight_and_its_moves_with_more():
    scene = chain("five_link_brace_moving")
    resting = type(scene)(**{**vars(scene), "moves": ()})
    still = np.zeros_like(scene.q)
    force = free_part_forces(scene.chain, 2, scene.q, still, still)[0]
    assert force[1] == pytest.approx(-3 * M * G)  # three nodes beyond the brace
    system = resting.system()
    assert system.torque_count == 1 and resting.whole().torque_count == 4
    direct = torque_sets(system, "FFF", (), (force, force), scene.limits)
    assert np.allclose(resting.torque_sets().feasible.generators.vertices, direct.feasible.generators.vertices)
    least, most = (np.sort(s.torque_sets().feasible.generators.vertices.ravel()) for s in (scene, resting))
    assert np.allclose([least[0], most[0]], -2.0) and least[1] < most[1] < bound(chain("two_link_snake"))


@pytest.mark.parametrize("name", ["climb_kinked", "climb_tapering"])
def test_ready_climbs_reach_their_goal_by_verified_steps(name):
    scene = load_planar(f"@{name}")
    found = scene.climb()
    assert found.status == "reached" and found.is_verified and found.lowest[-1] >= scene.goal
    corners = [float(y) for wall in (found.channel.left, found.channel.right) for y in wall[1:-1, 1]]
    assert found.lowest[-1] > max(corners, default=0.0)  # through every bend


BOX = """\
holdfast: 1
planar: body
mu: 0.5
body: {density: 2.0, outline: [[0, 0], [2, 0], [2, 1], [0, 1]]}
load: {force: [3.0, 0.0], torque: 1.0, at: [0.0, 1.0]}
"""
GROUND = "obstacles: [{ground: {point: [1, 0], extent: 3}}]\n"


def read(tmp_path: Path, text: str):
    path = tmp_path / "scene.yaml"
    path.write_text(text, encoding="utf-8")
    return load_planar(path)


def test_weight_push_and_couple_add_up_about_the_centre_of_mass(tmp_path):
    scene = read(tmp_path, BOX + GROUND)
    assert isinstance(scene, PlanarBodyScene)
    assert scene.body.mass == pytest.approx(4.0)
    assert scene.body.radius_of_gyration == pytest.approx(np.sqrt(5.0 / 12.0))
    assert np.allclose(scene.centre, [1.0, 0.5])
    # The push acts half a metre above the centre: it turns the box to the right.
    assert np.allclose(scene.force, [3.0, -4.0 * 9.81, 1.0 - 0.5 * 3.0])


def test_found_contacts_are_those_that_a_list_would_give(tmp_path):
    found = read(tmp_path, BOX + GROUND)
    listed = "contacts: [{point: [0, 0], normal: [0, 2]}, {r: [-1, 0.5], normal: [0, 1], mu: 0.1}]\n"
    given = read(tmp_path, BOX + listed + GROUND)
    assert np.allclose([c.r for c in found.contacts], [c.r for c in given.contacts])
    assert np.allclose(found.points, given.points) and np.allclose(given.points, [[0, 0], [2, 0]])
    assert [c.mu for c in found.contacts] == [0.5, 0.5] and [c.mu for c in given.contacts] == [0.5, 0.1]
    assert given.names == ("1", "2") and len(given.obstacles) == 1


def test_a_body_that_touches_nothing_falls(tmp_path):
    scene = read(tmp_path, BOX.replace("load", "# load") + GROUND.replace("[1, 0]", "[1, -1]"))
    answer = scene.motions()
    assert scene.gap == pytest.approx(1.0)
    assert answer.status == "unique" and np.allclose(answer.acceleration, [0.0, -9.81, 0.0])


def test_degrees_and_radians_are_the_same_posture(tmp_path):
    snake = (
        "holdfast: 1\nplanar: chain\nmu: 1\nchain: {links: [1, 2], masses: 1}\ncontacts: [{node: 0, normal: [1, 0]}]\n"
    )
    degrees = read(tmp_path, snake + "q: [1, 2, 90, -45]\nqd: [0, 0, 180, 0]\nangle_unit: deg\n")
    radians = read(tmp_path, snake + f"q: [1, 2, {np.pi / 2}, {-np.pi / 4}]\nqd: [0, 0, {np.pi}, 0]\n")
    assert isinstance(degrees, PlanarChainScene)
    assert np.allclose(degrees.q, radians.q) and np.allclose(degrees.q, [1, 2, np.pi / 2, -np.pi / 4])
    assert np.allclose(degrees.qd, radians.qd)
    assert degrees.mode == "F"


def test_links_touch_corners_and_tasks_become_rows(tmp_path):
    scene = read(
        tmp_path,
        "holdfast: 1\nplanar: chain\nmu: 1\nchain: {links: [1, 2], masses: 1, gravity: [0, -1], base: pinned}\n"
        "q: [0, 0, 0, 0]\ncontacts: [{link: 1, along: 0.25, side: 1}]\n"
        "tasks: [standstill, {tau: [1, 0], c: 2, kind: '>='}]\n",
    )
    assert scene.contacts[0].link == 1 and scene.contacts[0].along == 0.25
    assert len(scene.tasks) == 3 and scene.tasks[-1].kind == ">=" and scene.tasks[-1].c == 2
    assert np.allclose(scene.chain.gravity, [0.0, -1.0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOX.replace("[2, 1], [0, 1]]", "[-1, 1], [2, 1]]") + GROUND, "does not touch itself"),
        (BOX + GROUND.replace("[1, 0]", "[1, 0.5]"), "obstacles"),
        (BOX.replace("mu: 0.5\n", "") + GROUND, "friction"),
        (BOX + "contacts: [{point: [0, 0], normal: [0, 0]}]\n", "normal"),
        (BOX + "velocity: [1, 2]\n", "at least 3"),
    ],
)
def test_faults_found_while_building_name_their_place(tmp_path, text, words):
    with pytest.raises(SceneError, match=words) as raised:
        read(tmp_path, text)
    assert raised.value.line is not None and raised.value.line > 1


def test_a_climb_has_all_its_options(tmp_path):
    scene = read(
        tmp_path,
        "holdfast: 1\nplanar: climb\nmu: 0.3\ngoal: 0.2\nchain: {links: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1], masses: 0.1}\n"
        "channel: {left: [[-0.05, 0], [-0.05, 1]], right: [[0, 0], [0, 1]]}\nbrace_links: [2, 3]\n"
        "friction: [0.2, 0.4]\nlimits: {lower: -1, upper: .inf}\n",
    )
    assert isinstance(scene, PlanarClimbScene)
    assert scene.options["brace_links"] == [2, 3] and scene.options["friction"] == (0.2, 0.4)
    assert scene.options["limits"] == (-1, np.inf) and scene.options["side"] == "right"
    with pytest.raises(SceneError, match="rise"):
        read(tmp_path, scene.path.read_text(encoding="utf-8").replace("[-0.05, 1]]", "[-0.05, -1]]"))


def test_moves_must_leave_the_brace_where_it_is(tmp_path):
    text = Path(load_planar("@five_link_brace_moving").path).read_text(encoding="utf-8")
    with pytest.raises(SceneError, match="moves the brace"):
        read(tmp_path, text.replace("135.0, -90.0, 60.0", "130.0, -90.0, 60.0"))
    with pytest.raises(SceneError, match="at rest"):
        read(tmp_path, text + "qd: [0, 0, 0, 0, 0, 0, 1]\n")


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("goal: 0.1", "goal: 7.0", "goal"),
        ("mu: 0.3", "mu: 0.3\nbrace_links: 1", "brace_links"),
        ("mu: 0.3", "mu: 0.3\nbrace_links: 3", "brace_links"),
        ("mu: 0.3", "mu: 0.3\nstart: -1.0", "start"),
        ("mu: 0.3", "mu: 0.3\nfriction: [0.4, 0.5]", "mu"),
    ],
)
def test_impossible_climbs_are_faults_of_a_line(tmp_path, old, new, field):
    text = Path(load_planar("@climb_straight").path).read_text(encoding="utf-8")
    with pytest.raises(SceneError) as caught:
        read(tmp_path, text.replace(old, new))
    assert caught.value.field == field and caught.value.line is not None


@pytest.mark.parametrize(
    ("added", "field"),
    [
        ("tasks: [{a: [1, 0]}]\n", "tasks[0].a"),
        ("disturbance: {vertices: [[0, 0, 0, 0], [1]]}\n", "disturbance.vertices[1]"),
        ("q_error: [0, 0, -1, 1]\n", "q_error[2]"),
    ],
)
def test_faults_of_a_chain_name_their_field(tmp_path, added, field):
    text = Path(load_planar("@two_link_snake").path).read_text(encoding="utf-8")
    with pytest.raises(SceneError) as caught:
        read(tmp_path, text + added)
    assert caught.value.field == field and ": ." not in str(caught.value)


def test_another_friction_replaces_an_interval():
    scene = load_planar("@two_link_snake_uncertain").with_mu(0.3)
    assert scene.friction is None and {contact.mu for contact in scene.contacts} == {0.3}


SNAKE = """\
holdfast: 1
planar: chain
mu: 0.3
chain: {links: [0.127, 0.127], masses: 0.0849}
q: [0.0, 0.0, 135.0, -90.0]
angle_unit: deg
contacts:
  - {node: 0, normal: [-1, 0]}
  - {node: 1, normal: [1, 0]}
  - {node: 2, normal: [-1, 0]}
mode: FFF
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "scene.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", planar_names())
def test_every_ready_scene_loads_and_begins_with_what_it_is(name):
    scene = load_planar(f"@{name}")
    assert scene.name and scene.path == PLANAR_SCENES.path(f"@{name}")
    first = scene.path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# ") and 20 < len(first) <= 120
    assert planar_faults(f"@{name}") == [] and is_planar(f"@{name}")


def test_ready_scenes_are_listed_by_kind():
    kinds = [planar_names(kind) for kind in ("body", "chain", "climb")]
    assert sorted(name for names in kinds for name in names) == planar_names()
    assert {"climb_straight", "climb_kinked", "climb_tapering"} <= set(kinds[2])
    assert {"two_link_snake", "six_link_snake", "five_link_brace"} <= set(kinds[1])
    assert {"three_points", "block_on_incline", "ladder", "painleve_rod", "peg_in_hole"} <= set(kinds[0])


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "words"),
    [
        ("mode: FFF", "mode: FF", 11, "mode", "3 letters"),
        ("mode: FFF", "mode: FFX", 11, "mode", "S, F, R, L"),
        ("mode: FFF", "modus: FFF", 11, "modus", "did you mean 'mode'"),
        ("q: [0.0, 0.0, 135.0, -90.0]", "q: [0.0, 0.0, 135.0]", 5, "q", "4"),
        ("mu: 0.3", "mu: -0.3", 3, "mu", "at least 0"),
        ("mu: 0.3\n", "", 7, "contacts[0]", "mu"),
        ("node: 2", "node: 3", 10, "contacts[2]", "node of 0 to 2"),
        ("angle_unit: deg", "angle_unit: degrees", 6, "angle_unit", "deg"),
        ("planar: chain", "planar: chian", 2, "planar", "did you mean 'chain'"),
        ("planar: chain\n", "", 1, "planar", "body, chain, climb"),
        ("holdfast: 1", "holdfast: 2", 1, "holdfast", "newer"),
        ("mode: FFF", "tasks: [{a: [1, 0]}]", 11, "tasks[0]", "4"),
        ("mode: FFF", "disturbance: {lower: [0, 0], upper: [1, 1]}", 11, "disturbance.lower", "4"),
        ("mode: FFF", "torque: [1, 2]", 11, "torque", "1"),
        ("mode: FFF", "limits: {lower: [-1, -1], upper: 1}", 11, "limits.lower", "(1,)"),
        ("mode: FFF", "limits: {lower: 1, upper: -1}", 11, "limits", "swap"),
        ("mode: FFF", "friction: [0.4, 0.2]", 11, "friction", "least first"),
        ("mode: FFF", "tasks: [{a: [[1, 0, 0, 0], [1]]}]", 11, "tasks[0].a", "same length"),
        ("masses: 0.0849", "masses: 0", 4, "chain", "positive"),
        ("links: [0.127, 0.127]", "links: [0.127, 0]", 4, "chain.links[1]", "at least"),
    ],
)  # fmt: skip
def test_a_fault_names_its_line_its_field_and_what_would_be_right(tmp_path, old, new, line, field, words):
    assert old in SNAKE
    (fault, *_) = planar_faults(written(tmp_path, SNAKE.replace(old, new)))
    assert words in str(fault)
    assert fault.field.startswith(field.split(".")[0]) and field.split(".")[-1] in fault.field
    assert fault.line == line


def test_several_faults_come_together(tmp_path):
    path = written(tmp_path, SNAKE.replace("mu: 0.3", "mu: x").replace("mode: FFF", "modus: FFF"))
    assert [fault.line for fault in planar_faults(path)] == [3, 11]
    with pytest.raises(SceneError, match="scene.yaml:3") as raised:
        load_planar(path)
    assert any("modus" in note for note in raised.value.__notes__)


def test_a_wrong_name_suggests_the_nearest_and_scenes_in_space_are_told_apart(tmp_path):
    with pytest.raises(SceneError, match="did you mean '@six_link_snake'"):
        load_planar("@six_link_snak")
    space = written(tmp_path, "holdfast: 1\nname: block\n")
    assert not is_planar(space) and not is_planar(tmp_path / "none.yaml") and not is_planar("@suction_cup")
    with pytest.raises(SceneError, match="holdfast check"):
        load_planar(space)
