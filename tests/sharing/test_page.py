"""Load sharing in the viewer."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import HoldfastError, InputError
from holdfast.scenes import load_scene, ready_names
from holdfast.scenes.page import ContactQuestions, FileSource, initial_state
from holdfast.sharing.page import (
    ENTRIES,
    WEIGHT,
    SharingPage,
    SharingPageState,
    SharingQuestions,
    event_lines,
    file_pages,
    loads_of,
    sharing_answer,
)
from holdfast.web.marks import Arrows, Dots, Word
from holdfast.web.page import Answer, PageEntry
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind

#: Suction array: force at which a cup lets go [N], offset of the weight [m], weight [N].
PULL, OFFSET, PLATE = 45.0, 0.06, 10.0 * 9.80665

#: Rigid plate on equal springs: the cup at x = 0.15 m carries 1/12 + OFFSET x / sum x^2 of the weight.
FIRST = PULL / PLATE / (1.0 / 12.0 + OFFSET * 0.15 / (6.0 * (0.15**2 + 0.05**2)))


@pytest.fixture(scope="module")
def cups() -> SharingQuestions:
    return SharingQuestions(load_scene("@suction_array"))


@pytest.fixture(scope="module")
def block() -> SharingQuestions:
    return SharingQuestions(load_scene("@h_block_between_walls"))


def arrows(answer: Answer, name: str = "forces/held") -> np.ndarray:
    """(n, 3) vectors of the arrows drawn under a name."""
    mark = answer.drawing.marks[name]
    assert isinstance(mark, Arrows)
    return mark.points[:, 1] - mark.points[:, 0]


def test_the_bracket_of_the_plate_is_the_closed_form(cups: SharingQuestions) -> None:
    answer = sharing_answer(SharingPageState(WEIGHT), cups)
    assert answer.verdict.tone == "good" and answer.verdict.status == "carries factor 1; no contact fails"
    assert answer.verdict.margin == f"first failure {FIRST:.4g} <= peak {FIRST:.4g} <= load limit 3.933"
    assert np.isclose(FIRST * 10.0, 32.01, atol=0.01)  # [kg]


def test_arrows_are_the_forces_of_the_plate_on_springs_and_grow_with_the_factor(cups: SharingQuestions) -> None:
    x = cups.scene.assembly.positions[:, 0]
    share = 1.0 / 12.0 + OFFSET * x / (6.0 * (0.15**2 + 0.05**2))
    small, large = (arrows(sharing_answer(SharingPageState(WEIGHT, f), cups)) for f in (1.0, 2.0))
    scale = small[3, 2] / share[3]
    assert np.allclose(small[:, 2], scale * share) and np.allclose(large, 2.0 * small)


def test_beyond_the_peak_nothing_is_carried_and_the_order_of_failure_stays(cups: SharingQuestions) -> None:
    answer = sharing_answer(SharingPageState(WEIGHT, 1.01 * FIRST), cups)
    assert answer.verdict.tone == "bad" and answer.verdict.status == f"collapsed: the peak is {FIRST:.4g}"
    marks = answer.drawing.marks
    assert not any(name.startswith("forces") for name in marks)
    first, never = marks["contacts/1"], marks["contacts/0"]
    assert isinstance(first, Dots) and isinstance(never, Dots)
    assert np.allclose(first.points[:, 0], 0.15) and np.allclose(never.points[:, 0], -0.15)
    word = marks["load/word"]
    assert isinstance(word, Word) and word.text.endswith("not carried")
    assert f"at {FIRST:.4g}: a4, b4, c4 fail" in answer.verdict.lines


def test_the_ratio_multiplies_the_tangential_stiffness_alone(cups: SharingQuestions) -> None:
    state = SharingPageState("sideways", weight_first=False, ratio=1.0)
    found, load = cups.path(state), cups.scene.load("sideways")
    direct = hf.load_sharing(cups.scene.assembly, load, (5000.0, 15000.0), rule="brittle")
    assert np.isclose(found.peak, direct.peak) and np.allclose(found.forces(1.0), direct.forces(1.0))
    assert "tangential / normal stiffness: 3" in sharing_answer(state, cups).verdict.lines


def test_the_weight_acts_before_a_load_of_the_scene(cups: SharingQuestions) -> None:
    base = cups.scene.gravity_load()
    with_weight = cups.path(SharingPageState("tool"))
    assert np.allclose(with_weight.base, base)
    assert np.isclose(with_weight.limit.value, hf.load_ramp(cups.scene.assembly, base, cups.scene.load("tool")).value)
    assert cups.path(SharingPageState("tool", weight_first=False)).peak > with_weight.peak


@pytest.mark.parametrize("preload", [0.0, 1.0, 3.0])
def test_the_block_between_walls_carries_what_its_preload_allows(block: SharingQuestions, preload: float) -> None:
    assert hf.equilibrium(block.scene.assembly, block.scene.gravity_load()).holds  # admissible forces exist
    peak = 4.0 * 0.5 * preload / (0.5 * 9.80665)
    answer = sharing_answer(SharingPageState(WEIGHT, preload=preload), block)
    assert np.isclose(block.path(SharingPageState(WEIGHT, preload=preload)).peak, peak, atol=1e-9)
    assert answer.verdict.tone == ("good" if peak > 1.0 else "bad")
    assert answer.verdict.margin.endswith("no load limit")


def test_a_contact_that_slips_has_an_orange_arrow() -> None:
    feet = SharingQuestions(load_scene("@block_on_three_points"))
    answer = sharing_answer(SharingPageState("push", 1.2), feet)
    assert answer.verdict.tone == "open" and "2 of 3 contacts are at their limit" in answer.verdict.status
    assert len(arrows(answer, "forces/at limit")) == 2 and len(arrows(answer)) == 1


def test_points_of_a_unit_that_fail_together_are_named_once() -> None:
    fingers = SharingQuestions(load_scene("@two_finger_gripper_pmd_pmd"))
    path = fingers.path(SharingPageState(WEIGHT))
    lines = event_lines(path, path.first_failure)
    assert any(line == f"at {path.first_failure:.4g}: left D, right D fail" for line in lines)


def test_many_events_are_cut_to_the_last_ones() -> None:
    fingers = SharingQuestions(load_scene("@two_finger_gripper_pmd_pmd"))
    path = fingers.path(SharingPageState(WEIGHT))
    lines = event_lines(path, 100.0)
    assert len(lines) == 6 and lines[0].endswith("earlier lines of events")
    assert len(event_lines(path, 1.0)) < 6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"factor": -1.0}, "load factor"),
        ({"factor": float("nan")}, "load factor"),
        ({"factor": float("inf")}, "load factor"),
        ({"ratio": 3.0}, "stiffness ratio"),
        ({"ratio": float("nan")}, "stiffness ratio"),
        ({"preload": float("nan")}, "preload"),
        ({"rule": "elastic"}, "rule"),
        ({"load": "nothing"}, "nothing"),
    ],
)
def test_values_out_of_range_are_refused_in_words(cups: SharingQuestions, change: dict, words: str) -> None:
    with pytest.raises(HoldfastError, match=words):
        sharing_answer(replace(SharingPageState(WEIGHT), **change), cups)


def test_a_preload_beyond_a_volume_is_reported_and_the_page_goes_on() -> None:
    scene = load_scene("@two_finger_gripper_pmd_pmd")
    with Visit(lambda context: SharingPage(context, lambda: scene)) as visit:
        assert "slip" not in visit.browser.gui.controls["Failure rule"].options
        visit.drag("Preload [N]", 1e5)
        assert len(visit.errors) == 1 and isinstance(visit.errors[0], InputError)
        visit.drag("Preload [N]", 0.0)
        assert visit.verdict.shown.margin.startswith("first failure 6.001")


def test_moving_the_controls_of_the_page_changes_what_is_shown() -> None:
    with Visit(ENTRIES[0].make) as visit:
        assert visit.errors == [] and visit.verdict.shown.tone == "good"
        slider = visit.browser.gui.controls["Load factor"]
        assert slider.min == 0.0 and slider.max > visit.page._questions.limit(SharingPageState(WEIGHT)).value
        before = visit.browser.scene.nodes["/page/forces/held"].points.copy()
        visit.drag("Load factor", 3.0)
        assert not np.allclose(before, visit.browser.scene.nodes["/page/forces/held"].points)
        visit.drag("Load factor", slider.max)
        assert visit.verdict.shown.status.startswith("collapsed") and "forces/held" not in visit.names
        visit.drag("Failure rule", "ductile")
        assert visit.verdict.shown.margin.endswith("peak 3.933 <= load limit 3.933")  # convex volumes, ductile
        visit.drag("Load that grows", "tool")
        visit.drag("Weight acts first", False)
        visit.drag("K_t/K_n, x 10^", -2.0)
        assert visit.errors == [] and "<= load limit 1.8" in visit.verdict.shown.margin
        assert_leaves_nothing_behind(visit)


def test_the_ratio_changes_forces_between_curved_fingers_but_not_under_a_flat_array() -> None:
    """With one normal for all contacts, normal and tangential springs carry different parts of the load."""
    for entry, changes in ((ENTRIES[0], False), (ENTRIES[2], True)):
        with Visit(entry.make) as visit:
            before = visit.browser.scene.nodes["/page/forces/held"].points.copy()
            margin = visit.verdict.shown.margin
            visit.drag("K_t/K_n, x 10^", 0.5)
            after = visit.browser.scene.nodes["/page/forces/held"].points
            same = before.shape == after.shape and np.allclose(before, after, rtol=1e-3)
            assert visit.errors == [] and same != changes and (visit.verdict.shown.margin != margin) == changes


def test_scenes_with_known_stiffness_and_a_load_have_a_page() -> None:
    for name in ready_names():
        scene = load_scene(f"@{name}")
        known = all(hf.assembly.suspension_of(contact) is not None for contact in scene.assembly.contacts)
        one_object = not scene.bodies  # load sharing is about one object
        assert len(file_pages(SimpleNamespace(content=scene))) == (known and one_object and bool(loads_of(scene)))
    assert file_pages(SimpleNamespace(content=load_scene("@measured_gripper"))) == ()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_every_ready_page_opens_and_leaves_nothing_behind(entry: PageEntry) -> None:
    with Visit(entry.make) as visit:
        assert visit.errors == [] and "<= peak" in visit.verdict.shown.margin
        assert_leaves_nothing_behind(visit)


def test_the_contacts_page_has_the_bracket_where_stiffness_is_known() -> None:
    source = FileSource("@suction_array")
    questions = ContactQuestions(source)
    state = initial_state(questions.scene(()), ())
    line = f"load sharing: first failure {FIRST:.4g} <= peak {FIRST:.4g} <= load limit 3.933"
    assert any(said.startswith(line) for said in questions.answer(state).verdict.lines)
    slippery = questions.answer(replace(state, tilt=90.0, friction=0.5))
    shear = questions.scene(()).assembly.with_volumes(lambda volume: volume.stretched(0.5))
    direct = hf.load_sharing(shear, slippery.wrench)
    assert any(f"peak {direct.peak:.4g}" in line for line in slippery.verdict.lines)
    unknown = ContactQuestions(FileSource("@measured_gripper"))
    found = unknown.answer(initial_state(unknown.scene(()), ()))
    assert not any("load sharing" in line for line in found.verdict.lines)
