"""Strong stability in the viewer."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics.page import (
    ENTRIES,
    StabilityPage,
    StabilityPageState,
    StabilityQuestions,
    file_pages,
    initial_state,
    no_law,
    stability_answer,
)
from holdfast.dynamics.plots import DISPLACED
from holdfast.errors import HoldfastError
from holdfast.force_limits.models.registry import remade
from holdfast.scenes import load_scene, ready_names
from holdfast.web.marks import Arrows, Dots, Surface, Word
from holdfast.web.page import Answer, PageEntry
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind


@pytest.fixture(scope="module")
def peg() -> StabilityQuestions:
    return StabilityQuestions(load_scene("@jammed_peg"))


@pytest.fixture(scope="module")
def block() -> StabilityQuestions:
    return StabilityQuestions(load_scene("@block_on_slope"))


def vertices(answer: Answer, name: str) -> np.ndarray:
    """(n, 3) corners of a surface."""
    mark = answer.drawing.marks[name]
    assert isinstance(mark, Surface)
    return mark.vertices


def test_the_jammed_peg_may_stay_and_is_drawn_falling(peg: StabilityQuestions) -> None:
    answer = stability_answer(StabilityPageState(), peg)
    assert (answer.verdict.status, answer.verdict.tone) == ("may stay", "open")
    assert answer.verdict.margin == "proof verified: yes"
    rest, moved = vertices(answer, "object/faces"), vertices(answer, "moved/faces")
    away = moved - rest
    size = np.ptp(rest, axis=0).max()  # 60 mm: the height of the peg
    assert np.allclose(away, [0.0, 0.0, -DISPLACED * size], atol=1e-9 * size)  # free fall
    dots = answer.drawing.marks["contacts/slips"]
    assert isinstance(dots, Dots) and np.allclose(dots.points, peg.scene.assembly.positions)
    assert "forces" not in answer.drawing.marks  # nothing presses while it falls


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_the_slider_moves_the_object_in_proportion(peg: StabilityQuestions, share: float) -> None:
    whole, part = (stability_answer(StabilityPageState(moved=value), peg) for value in (1.0, share))
    rest = vertices(whole, "object/faces")
    assert np.allclose(vertices(part, "moved/faces") - rest, share * (vertices(whole, "moved/faces") - rest))
    assert part.verdict.status == whole.verdict.status


def test_the_block_on_the_slope_stays_with_a_proof_and_its_forces_carry_the_weight(block: StabilityQuestions) -> None:
    answer = stability_answer(StabilityPageState(), block)
    assert (answer.verdict.status, answer.verdict.tone) == ("stays", "good")
    assert answer.verdict.margin.startswith("proof verified: yes (")
    marks = answer.drawing.marks
    assert not any(name.startswith("moved") for name in marks)
    arrows = marks["forces"]
    assert isinstance(arrows, Arrows)
    total = (arrows.points[:, 1] - arrows.points[:, 0]).sum(axis=0)
    assert total[2] > 0.0 and np.allclose(total[:2], 0.0, atol=1e-6 * total[2])


@pytest.mark.parametrize(("friction", "status"), [(0.6, "moves"), (0.7, "moves"), (0.76, "stays"), (1.0, "stays")])
def test_friction_decides_at_the_slope_of_the_block(block: StabilityQuestions, friction: float, status: str) -> None:
    """mu = 0.5 x friction holds on 20 degrees from tan 20 deg = 0.364 on: friction 0.728."""
    answer = stability_answer(StabilityPageState(friction=friction), block)
    assert answer.verdict.status == status
    found, proven = block.stability(StabilityPageState(friction=friction))
    assert proven
    if status == "moves":
        slip = 9.80665 * (np.sin(np.radians(20.0)) - 0.5 * friction * np.cos(np.radians(20.0)))
        assert found.other_motion is not None and found.other_motion.acceleration is not None
        assert np.isclose(np.linalg.norm(found.other_motion.acceleration[:3]), slip, rtol=1e-5)
        assert answer.verdict.tone == "bad" and "contacts/slips" in answer.drawing.marks


def test_gravity_tilted_up_the_slope_is_the_flat_case(block: StabilityQuestions) -> None:
    """Turned by 20 degrees against x, gravity is at right angles to the slope: friction is not needed."""
    found, proven = block.stability(StabilityPageState(tilt=20.0, heading=180.0))
    assert found.holds and proven and found.certificate is not None and found.certificate.leaves == 1


def test_a_load_of_the_scene_acts_with_the_weight(block: StabilityQuestions) -> None:
    scene = block.scene
    found, _ = block.stability(StabilityPageState(load="shove"))
    assert np.allclose(found.wrench, scene.gravity_load() + scene.load("shove")) and found.status == "moves"
    word = stability_answer(StabilityPageState(load="shove"), block).drawing.marks["load/word"]
    assert isinstance(word, Word) and word.text == "weight + shove"


def test_friction_is_that_of_the_circle_whatever_its_factor() -> None:
    volume = hf.models.suction(50.0, 0.4).scaled(0.5)
    other = remade(volume, mu=0.6)
    assert np.allclose(other.support([0.0, 0.0, -1.0]), 25.0)  # the pull is kept
    assert other.recipe is not None and volume.recipe is not None
    assert other.recipe.facets == volume.recipe.facets > 0 and other.recipe.parameters["mu"] == 0.6
    with pytest.raises(HoldfastError, match="ready model"):
        remade(volume.stretched(2.0), mu=0.6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"moved": -0.1}, "other motion"),
        ({"moved": float("nan")}, "other motion"),
        ({"friction": 0.0}, "friction scale"),
        ({"friction": float("nan")}, "friction scale"),
        ({"tilt": float("nan")}, "direction"),
        ({"load": "nothing"}, "nothing"),
    ],
)
def test_values_out_of_range_are_refused_in_words(peg: StabilityQuestions, change: dict, words: str) -> None:
    with pytest.raises(HoldfastError, match=words):
        stability_answer(replace(StabilityPageState(), **change), peg)


def test_measured_contacts_get_a_message_and_their_picture() -> None:
    scene = load_scene("@measured_gripper")
    with Visit(lambda context: StabilityPage(context, lambda: scene)) as visit:
        shown = visit.verdict.shown
        assert visit.errors == [] and shown.status == "motion is not computed for these contacts"
        assert shown.lines == (no_law(scene),) and "hf.separation" in no_law(scene)
        assert "Friction scale" not in visit.browser.gui.controls and "object/edges" in visit.names
        assert_leaves_nothing_behind(visit)


def test_moving_the_controls_of_the_page_changes_what_is_shown() -> None:
    with Visit(ENTRIES[1].make) as visit:
        assert visit.errors == [] and visit.verdict.shown.status == "stays"
        slider = visit.browser.gui.controls["Show the other motion"]
        assert not slider.visible  # there is none
        visit.drag("Friction scale", 0.5)
        assert slider.visible
        assert visit.verdict.shown.status == "moves"
        before = visit.browser.scene.nodes["/page/moved/faces"].vertices.copy()
        visit.drag("Show the other motion", 0.5)
        assert not np.allclose(before, visit.browser.scene.nodes["/page/moved/faces"].vertices)
        visit.drag("Gravity tilt [deg]", 20.0)
        visit.drag("Gravity heading [deg]", 180.0)
        assert visit.errors == [] and visit.verdict.shown.status == "stays" and "moved/faces" not in visit.names
        visit.drag("Load", "shove")
        assert visit.errors == [] and visit.verdict.shown.status == "moves"
        assert_leaves_nothing_behind(visit)


def test_scenes_with_a_mass_have_a_page() -> None:
    for name in ready_names():
        scene = load_scene(f"@{name}")
        assert len(file_pages(SimpleNamespace(content=scene))) == (bool(scene.mass) and not scene.bodies)
        assert initial_state(scene) == StabilityPageState()
    weightless = replace(load_scene("@block_on_three_points"), mass=None, inertia=None)
    assert file_pages(SimpleNamespace(content=weightless)) == ()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_every_ready_page_opens_and_leaves_nothing_behind(entry: PageEntry) -> None:
    with Visit(entry.make) as visit:
        assert visit.errors == [] and "proof verified: yes" in visit.verdict.shown.margin
        assert_leaves_nothing_behind(visit)
