"""The handle at the centre of mass and its sliders follow each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.loads import gravity_wrench
from holdfast.geometry.frames import Pose
from holdfast.grips import Grip, coulomb_grip
from holdfast.plotting import style
from holdfast.postures.files import load_posture
from holdfast.postures.page import (
    ENTRIES,
    NONE,
    PostureBody,
    PostureState,
    Standing,
    Standings,
    action_marks,
    decided,
    posture_answer,
    region_marks,
    scene_entry,
    standing,
)
from holdfast.scenes.page import direction
from holdfast.web.handles import NODE, PointHandle
from holdfast.web.marks import Arrows, Lines, Surface, colour
from holdfast.web.page import Answer, AskingPage, Verdict
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind


class OnePage(AskingPage[tuple[float, float, float]]):
    """Says where the centre of mass is."""

    def add_controls(self) -> None:
        self.com = PointHandle(self, (0.1, 5.0, 0.3), {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}, 0.2)

    def state(self) -> tuple[float, float, float]:
        return self.com.position

    def answer(self, state: tuple[float, float, float]) -> Answer:
        return Answer(Verdict(str(state)))


def test_handle_and_sliders_follow_each_other() -> None:
    with Visit(OnePage) as visit:
        controls, handle = visit.browser.gui.controls, visit.browser.scene.nodes[NODE]
        assert controls["COM y [m]"].max == 5.0  # wider than asked for: it begins there
        visit.drag("COM x [m]", 0.5)
        assert handle.position == (0.5, 5.0, 0.3) and visit.verdict.shown.status == "(0.5, 5.0, 0.3)"
        handle.drag(position=(-3.0, 0.2, 0.7))
        visit.settle()
        assert (controls["COM x [m]"].value, controls["COM y [m]"].value) == (-1.0, 0.2)
        assert visit.verdict.shown.status == "(-3.0, 0.2, 0.7)"
        visit.page.com.move((0.0, 0.0, 0.0))
        visit.settle()
        assert controls["COM x [m]"].value == 0.0 and visit.verdict.shown.status == "(0.0, 0.0, 0.0)"
        assert_leaves_nothing_behind(visit)


# A body on its hands: verdicts, margins and drawings against direct questions and sums of forces.

FEET = np.array([[0.4, 0.0, 0.0], [-0.2, 0.3, 0.0], [-0.2, -0.3, 0.0]])
NAMES = ("front", "left", "right")


@pytest.fixture(scope="module")
def tripod() -> Standing:
    """On flat ground the centre of mass may be over the triangle of the feet, whatever friction there is."""
    return standing(NAMES, [coulomb_grip(0.6)] * 3, [Pose(np.eye(3), foot) for foot in FEET], 12.0)


def test_a_tripod_may_lean_over_its_triangle(tripod: Standing) -> None:
    assert tripod.inner is tripod.outer and tripod.inner is not None
    assert tripod.inner.area == pytest.approx(0.5 * 0.6 * 0.6, rel=1e-6)
    for com, inside in (((0.05, 0.0, 0.5), True), ((0.39, 0.0, 2.0), True), ((-0.21, 0.0, 0.5), False)):
        found = decided(tripod, com)
        assert found.status == ("holds" if inside else "does not hold")
        assert ("inside" if inside else "outside") in found.margin
    assert decided(tripod, (-0.15, 0.0, 0.5)).margin == "centre of mass 50 mm inside the region"
    assert decided(tripod, (-0.25, 0.0, 0.5)).margin == "centre of mass 50 mm outside the region"


def test_the_foot_that_comes_off_is_named(tripod: Standing) -> None:
    found = decided(tripod, (-0.15, 0.0, 0.5))  # near the edge between the hind feet the front one carries nothing
    assert "front" in [NAMES[hand] for hand in found.at_limit]
    assert any("limit" in line for line in found.lines)


def test_what_is_drawn_is_in_equilibrium(tripod: Standing) -> None:
    com = np.array([0.05, 0.02, 0.5])
    found = decided(tripod, com)
    marks = action_marks(tripod, com, found, 1.0)
    forces, weight = marks["forces"], marks["weight"]
    assert isinstance(forces, Arrows) and isinstance(weight, Arrows)
    sums = np.diff(forces.points, axis=1).sum(axis=0)[0] + np.diff(weight.points, axis=1)[0, 0]
    assert np.allclose(sums, 0.0, atol=1e-9)
    border = region_marks(tripod, com)["inner/border"]
    assert isinstance(border, Lines) and np.allclose(border.points[:, :, 2], 0.5)
    assert "outer/border" not in region_marks(tripod, com)  # the region is exact


def test_turned_gravity_and_loads_agree_with_direct_questions() -> None:
    low, high = (-15.0, -40.0, -90.0, -3.0, -3.0, -1.5), (140.0, 40.0, 400.0, 3.0, 3.0, 1.5)
    grips = [Grip.box(low, high)] * 3
    poses = [Pose(np.eye(3), foot) for foot in FEET]
    beside = np.array([5.0, 0.0, 0.0, 0.0, 2.0, 0.0])
    gravity = np.array([4.0, 1.0, -8.0])
    stand = standing(NAMES, grips, poses, 9.0, gravity, beside)
    seen = set()
    for com in np.random.default_rng(5).uniform(-1.2, 1.2, (12, 3)):
        found = decided(stand, com)
        load = gravity_wrench(9.0, gravity, com) + beside
        assert found.status == hf.posture_equilibrium(grips, poses, load).status.value
        assert stand.inner is not None
        assert (found.status == "holds") == bool(stand.inner.contains(com))
        border = region_marks(stand, com)["inner/border"]
        assert isinstance(border, Lines)
        heights = border.points @ (-gravity / np.linalg.norm(gravity))
        assert np.allclose(heights, com @ (-gravity / np.linalg.norm(gravity)))
        seen.add(found.status)
    assert len(seen) == 2


def test_without_hands_nothing_holds() -> None:
    stand = standing((), [], [], 5.0)
    assert decided(stand, (0.0, 0.0, 0.0)).status == "does not hold"
    assert region_marks(stand, np.zeros(3)) == {}


def test_a_body_that_holds_nowhere_says_so() -> None:
    tight = [Grip.box(-np.ones(6), np.ones(6))] * 3
    found = decided(standing(NAMES, tight, [Pose(np.eye(3), foot) for foot in FEET], 12.0), (0.0, 0.0, 0.0))
    assert found.status == "does not hold" and found.margin == "no centre of mass would do"


# Postures in the viewer: verdicts and regions against direct questions.


@pytest.fixture(scope="module")
def body() -> PostureBody:
    return PostureBody(load_posture("@climber_on_overhang"))


def direct(state: PostureState, body: PostureBody) -> str:
    """The verdict by the public question."""
    scene = body.scene
    gravity = direction(state.tilt, state.heading) * np.linalg.norm(scene.gravity)
    load = gravity_wrench(state.mass, gravity, state.com) + (scene.load(state.load) if state.load else 0.0)
    return hf.posture_equilibrium(scene.grips, scene.poses, load).status.value


def test_answers_along_a_drag_are_those_of_direct_questions(body: PostureBody) -> None:
    kept, seen = Standings(body), set()
    for k, x in enumerate(np.linspace(-1.6, 0.4, 10)):
        load = ("", "rope", "bag")[k % 3]
        state = replace(body.start, com=(float(x), 0.1, 0.4), mass=20.0 + 2.0 * k, tilt=5.0 * (k % 4), load=load)
        warm, cold = posture_answer(state, body, kept), posture_answer(state, body)
        assert warm.verdict.status == cold.verdict.status == direct(state, body)
        assert warm.verdict.margin == cold.verdict.margin
        seen.add(warm.verdict.status)
    assert seen == {"holds", "does not hold"}


def test_the_first_answer_is_that_of_the_file(body: PostureBody) -> None:
    scene = body.scene
    assert np.array_equal(body.gravity(body.start), scene.gravity)
    answer = posture_answer(body.start, body)
    assert answer.verdict.status == hf.posture_equilibrium(scene.grips, scene.poses, scene.wrench).status.value
    region = hf.support_region(scene.grips, scene.poses, scene.mass, scene.gravity)
    border = answer.drawing.marks["inner/border"]
    assert isinstance(border, Lines) and np.allclose(border.points[:, 0, :2], region.vertices)
    assert f"{1e3 * float(region.signed_distance(scene.com)):.0f} mm" in answer.verdict.margin


def test_palms_at_their_limit_stand_out() -> None:
    body = PostureBody(load_posture("@tripod_on_flat_ground"))
    marks = posture_answer(replace(body.start, com=(-0.19, 0.0, 0.5)), body).drawing.marks
    front = marks["palms/0/square"]  # leaning back, the front foot comes off first
    assert isinstance(front, Surface) and front.colour == colour(style.LIMIT)
    palm = body.scene.poses[0]
    assert np.allclose(front.vertices.mean(axis=0), palm.translation)
    assert np.allclose((front.vertices - palm.translation) @ palm.rotation[:, 2], 0.0)


def test_sliders_reach_beyond_the_palms(body: PostureBody) -> None:
    for axis, (low, high) in body.reaches.items():
        places = [pose.translation["xyz".index(axis)] for pose in body.scene.poses]
        assert low < min(places) and high > max(places)


def test_hands_with_weight_keep_the_files_gravity(body: PostureBody) -> None:
    assert not body.gravity_is_fixed
    heavy = PostureBody(replace(body.scene, hands_weigh=True))
    assert heavy.gravity_is_fixed and "cannot be turned" in posture_answer(heavy.start, heavy).notes


# The page of postures.


def test_what_the_page_says_is_what_its_controls_ask() -> None:
    scene = load_posture("@climber_on_overhang")
    body = PostureBody(scene)
    with Visit(scene_entry(scene).make) as visit:
        controls, handle = visit.browser.gui.controls, visit.browser.scene.nodes["/com handle"]
        assert visit.page.state() == body.start
        handle.drag(position=(-0.9, 0.2, 0.5))
        visit.settle()
        assert controls["COM x [m]"].value == -0.9
        for name, value in (("Mass [kg]", 40.0), ("Gravity tilt [deg]", 12.0), ("Load", "bag")):
            visit.drag(name, value)
            said = posture_answer(visit.page.state(), body).verdict
            assert (visit.verdict.shown.status, visit.verdict.shown.margin) == (said.status, said.margin)
        assert visit.page.state() == replace(body.start, com=(-0.9, 0.2, 0.5), mass=40.0, tilt=12.0, load="bag")
        visit.drag("As in the file", True)
        assert visit.page.state() == body.start and controls["Load"].value == NONE
        assert visit.verdict.shown.status == "holds" and not visit.errors
        assert_leaves_nothing_behind(visit)


def test_ready_postures_open() -> None:
    assert [(entry.key, entry.group) for entry in ENTRIES] == [
        ("quadruped-on-rock", "Climber"),
        ("climber-on-overhang", "Climber"),
    ]
    for entry in ENTRIES:
        with Visit(entry.make) as visit:
            assert visit.verdict.shown.status == "holds" and "inner/border" in visit.names and not visit.errors
