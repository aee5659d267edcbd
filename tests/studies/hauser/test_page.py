"""The page of the climber."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.loads import STANDARD_GRAVITY, gravity_wrench
from holdfast.errors import HoldfastError
from holdfast.papers import page as climber_stand
from holdfast.papers.climbing import WALLS
from holdfast.papers.devices import climber as climbers
from holdfast.papers.devices.climber import HOLDS, LIMBS
from holdfast.papers.page import (
    ENTRIES,
    FLAT,
    FREE,
    ClimberPage,
    ClimberState,
    Stands,
    climber_answer,
    grip_of,
    learned,
    own_com,
)
from holdfast.web.marks import Arrows, Lines, Surface
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind


def test_dragging_handle_and_sliders_asks_about_the_same_place() -> None:
    with Visit(ClimberPage) as visit:
        visit.drag("Grips from", "100 samples")
        visit.drag("Front right", FREE)
        handle = visit.browser.scene.nodes["/com handle"]
        controls = visit.browser.gui.controls
        handle.drag(position=(-0.9, 0.3, 0.2))
        visit.settle()
        assert (controls["COM x [m]"].value, controls["COM y [m]"].value) == (-0.9, 0.3)
        grips = ("opposing", FREE, "opposing", "opposing")
        state = ClimberState("near-vertical", grips, (-0.9, 0.3, 0.2), controls["Mass [kg]"].value, 100)
        assert visit.page.state() == state
        assert visit.verdict.shown.status == climber_answer(state).verdict.status
        visit.drag("COM x [m]", 0.1)
        assert handle.position == (0.1, 0.3, 0.2)
        visit.drag("COM y [m]", 0.0)
        direct = climber_answer(visit.page.state()).verdict
        assert (visit.verdict.shown.status, visit.verdict.shown.margin) == (direct.status, direct.margin)
        handle.drag(position=(-5.0, 0.3, 0.2))  # beyond the sliders
        visit.settle()
        assert controls["COM x [m]"].value == controls["COM x [m]"].min and visit.page.state().com[0] == -5.0
        visit.drag("Own centre of mass", True)
        assert abs(visit.page.state().com[0] + 0.257) < 0.01
        assert not visit.errors
        assert_leaves_nothing_behind(visit)


def test_the_entry_is_in_its_part_of_the_menu() -> None:
    assert [(entry.key, entry.group) for entry in ENTRIES] == [("climber", "Climber")]


# The climber in the viewer: verdicts and regions against direct questions.

SAMPLES = 60
GRIPS = ("opposing", "opposing", FLAT, "opposing")
STATE = ClimberState("near-vertical", GRIPS, (-0.25, 0.0, 0.0), 70.0, SAMPLES)


@pytest.fixture(scope="module")
def stands() -> Stands:
    return Stands()


def direct(state: ClimberState) -> str:
    """The verdict by the public question, nothing kept from one to the next."""
    held = [(limb, choice) for limb, choice in zip(LIMBS, state.grips, strict=True) if choice != FREE]
    grips = [grip_of(choice, state.samples) for _, choice in held]
    poses = [WALLS[state.wall].pose(*HOLDS[limb]) for limb, _ in held]
    load = gravity_wrench(state.mass, (0.0, 0.0, -STANDARD_GRAVITY), state.com)
    return hf.posture_equilibrium(grips, poses, load).status.value


def test_verdicts_along_a_drag_are_those_of_direct_questions(stands: Stands) -> None:
    found = []
    for x in np.linspace(-2.2, 0.9, 12):
        state = replace(STATE, com=(float(x), 0.1, 0.0))
        answer = climber_answer(state, stands)
        assert answer.verdict.status == direct(state)
        found.append(answer.verdict.status)
    assert {"holds", "does not hold", "undecided"} == set(found)  # the drag crosses both borders


def test_verdict_and_regions_agree(stands: Stands) -> None:
    stand = stands.of(STATE)
    assert stand.inner is not None and stand.outer is not None
    for x in np.linspace(-2.2, 0.9, 12):
        com = (float(x), -0.1, 0.3)
        status = climber_answer(replace(STATE, com=com), stands).verdict.status
        assert (status == "holds") == bool(stand.inner.contains(com))
        assert status == "does not hold" or stand.outer.contains(com)


def test_regions_are_drawn_at_the_height_of_the_centre_of_mass(stands: Stands) -> None:
    state = replace(STATE, com=(-0.3, 0.05, 0.4))
    marks = climber_answer(state, stands).drawing.marks
    inner, outer = marks["inner/border"], marks["outer/border"]
    assert isinstance(inner, Lines) and isinstance(outer, Lines)
    assert np.allclose(inner.points[:, :, 2], 0.4) and np.allclose(outer.points[:, :, 2], 0.4, atol=0.01)
    region = stands.of(state).inner
    assert region is not None and np.allclose(inner.points[:, 0, :2], region.vertices)
    low, high = outer.points.min(axis=(0, 1)), outer.points.max(axis=(0, 1))
    assert (inner.points.min(axis=(0, 1))[:2] >= low[:2]).all() and (
        inner.points.max(axis=(0, 1))[:2] <= high[:2]
    ).all()


def test_the_forces_drawn_carry_the_weight(stands: Stands) -> None:
    marks = climber_answer(STATE, stands).drawing.marks
    forces, weight = marks["forces"], marks["weight"]
    assert isinstance(forces, Arrows) and isinstance(weight, Arrows)
    total = np.diff(forces.points, axis=1).sum(axis=0)[0] + np.diff(weight.points, axis=1)[0, 0]
    assert np.allclose(total, 0.0, atol=1e-9)


def test_a_body_without_limbs_falls() -> None:
    answer = climber_answer(replace(STATE, grips=(FREE, FREE, FREE, FREE)))
    assert answer.verdict.status == "does not hold" and "inner/border" not in answer.drawing.marks


def test_flat_feet_alone_have_one_exact_region() -> None:
    stand = Stands().of(replace(STATE, grips=(FLAT, FLAT, FLAT, FLAT), wall="overhang"))
    assert stand.inner is stand.outer


def test_free_limbs_hold_nothing(stands: Stands) -> None:
    state = replace(STATE, grips=("opposing", FREE, "opposing", "opposing"))
    stand = stands.of(state)
    assert stand.names == ("front left", "rear left", "rear right") and len(stand.poses) == 3
    assert climber_answer(state, stands).verdict.status == direct(state)


def test_grips_are_learned_once_and_what_is_learned_is_said() -> None:
    said: list[str] = []
    mine = Stands(said.append)
    mine.of(STATE)
    mine.of(replace(STATE, mass=120.0))
    assert said == [f"learning the {name} grip from {SAMPLES} samples ..." for name in ("opposing",)]
    assert learned("opposing", SAMPLES) is learned("opposing", SAMPLES)
    assert mine.of(STATE) is mine.of(STATE)


def test_the_hands_are_drawn_in_their_grips() -> None:
    pytest.importorskip("pinocchio")
    marks = climber_answer(STATE, Stands()).drawing.marks
    for limb in LIMBS:
        hand = marks[f"climber/{limb}/hand"]
        assert isinstance(hand, Surface)
        palm = WALLS["near-vertical"].pose(*HOLDS[limb]).translation
        assert np.linalg.norm(hand.vertices - palm, axis=1).max() < 0.4
    com, mass = own_com("near-vertical", "opposing", "opposing")
    assert np.allclose(com, climber_stand.COM, atol=2e-3) and np.isclose(mass, climber_stand.MASS, atol=1e-2)


def test_without_pinocchio_the_page_says_so_and_still_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise HoldfastError("needs Pinocchio")

    monkeypatch.setattr(climber_stand, "climbing_posture", missing)
    climber_stand._boxes.cache_clear()
    answer = climber_answer(STATE)
    assert answer.verdict.status == direct(STATE)
    assert "climber/body" not in answer.drawing.marks and "needs Pinocchio" in answer.notes
    assert own_com("overhang", "power", "parallel") == (climber_stand.COM, climber_stand.MASS)
    assert climbers.climbing_posture is not missing
