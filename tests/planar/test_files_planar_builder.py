"""From planar files to scenes: loads, contacts, postures and disturbances come out as the file says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import SceneError
from holdfast.planar.files_planar_reader import load_planar
from holdfast.planar.files_planar_scene import PlanarBodyScene, PlanarChainScene, PlanarClimbScene

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
        (BOX.replace("[2, 1], [0, 1]]", "[-1, 1], [2, 1]]") + GROUND, "does not meet itself"),
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
