"""Postures in the viewer: verdicts and regions against direct questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.loads import gravity_wrench
from holdfast.errors import InputError
from holdfast.plotting import style
from holdfast.postures.files_posture_reader import load_posture
from holdfast.postures.page_posture_stand import Body, PostureState, Standings, posture_answer, reaches, robot_body
from holdfast.robots.files import load_robot
from holdfast.scenes.page import direction
from holdfast.web.marks import Lines, Surface, colour
from tests.scenes.robot_files import BRACED, WALL


@pytest.fixture(scope="module")
def body() -> Body:
    return Body(load_posture("@climber_on_overhang"))


def direct(state: PostureState, body: Body) -> str:
    """The verdict by the public question."""
    scene = body.scene
    gravity = direction(state.tilt, state.heading) * np.linalg.norm(scene.gravity)
    load = gravity_wrench(state.mass, gravity, state.com) + (scene.load(state.load) if state.load else 0.0)
    return hf.posture_equilibrium(scene.grips, scene.poses, load).status.value


def test_answers_along_a_drag_are_those_of_direct_questions(body: Body) -> None:
    kept, seen = Standings(body), set()
    for k, x in enumerate(np.linspace(-1.6, 0.4, 10)):
        load = ("", "rope", "bag")[k % 3]
        state = replace(body.start, com=(float(x), 0.1, 0.4), mass=20.0 + 2.0 * k, tilt=5.0 * (k % 4), load=load)
        warm, cold = posture_answer(state, body, kept), posture_answer(state, body)
        assert warm.verdict.status == cold.verdict.status == direct(state, body)
        assert warm.verdict.margin == cold.verdict.margin
        seen.add(warm.verdict.status)
    assert seen == {"holds", "does not hold"}


def test_the_first_answer_is_that_of_the_file(body: Body) -> None:
    scene = body.scene
    assert np.array_equal(body.gravity(body.start), scene.gravity)
    answer = posture_answer(body.start, body)
    assert answer.verdict.status == hf.posture_equilibrium(scene.grips, scene.poses, scene.wrench).status.value
    region = hf.support_region(scene.grips, scene.poses, scene.mass, scene.gravity)
    border = answer.drawing.marks["inner/border"]
    assert isinstance(border, Lines) and np.allclose(border.points[:, 0, :2], region.vertices)
    assert f"{1e3 * float(region.signed_distance(scene.com)):.0f} mm" in answer.verdict.margin


def test_palms_at_their_limit_stand_out() -> None:
    body = Body(load_posture("@tripod_on_flat_ground"))
    marks = posture_answer(replace(body.start, com=(-0.19, 0.0, 0.5)), body).drawing.marks
    front = marks["palms/0/square"]  # leaning back, the front foot comes off first
    assert isinstance(front, Surface) and front.colour == colour(style.LIMIT)
    palm = body.scene.poses[0]
    assert np.allclose(front.vertices.mean(axis=0), palm.translation)
    assert np.allclose((front.vertices - palm.translation) @ palm.rotation[:, 2], 0.0)


def test_sliders_reach_beyond_the_palms(body: Body) -> None:
    for axis, (low, high) in reaches(body).items():
        places = [pose.translation["xyz".index(axis)] for pose in body.scene.poses]
        assert low < min(places) and high > max(places)


def test_hands_with_weight_keep_the_files_gravity(body: Body) -> None:
    assert not body.gravity_is_fixed
    heavy = Body(replace(body.scene, hands_weigh=True))
    assert heavy.gravity_is_fixed and "cannot be turned" in posture_answer(heavy.start, heavy).notes


def test_a_robot_is_one_body_on_its_hands_with_its_links(tmp_path: Path) -> None:
    pytest.importorskip("pinocchio")
    path = tmp_path / "robot.yaml"
    path.write_text(WALL)
    scene = load_robot(path)
    body = robot_body(scene)
    posture = scene.posture()
    answer = posture_answer(body.start, body)
    assert answer.verdict.status == hf.posture_equilibrium(posture.grips, posture.poses, posture.wrench).status.value
    assert "robot/palms" in answer.drawing.marks and "body" not in answer.drawing.marks
    path.write_text(BRACED)
    with pytest.raises(InputError, match="no hands"):
        robot_body(load_robot(path))
