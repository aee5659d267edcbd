"""The page of wrench spaces."""

from __future__ import annotations

import numpy as np

from holdfast.scenes import load_scene
from holdfast.wrench_spaces.page import (
    ENTRIES,
    OWN,
    SpaceState,
    WrenchSpacePage,
    paper_configurations,
    scene_entry,
    space_answer,
)
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind

QUICK = "quick: 162 rays"


def test_the_page_shows_what_the_library_answers_for_its_menus() -> None:
    with Visit(WrenchSpacePage) as visit:
        controls = visit.browser.gui.controls
        visit.drag("Fineness", QUICK)
        visit.drag("Beside it", "2FG MD-MD: passive two-finger gripper")
        visit.drag("Slice", "fx, ty, fz")
        assert not visit.errors and not controls["Axis x"].visible
        state = SpaceState(controls["Configuration"].value, controls["Beside it"].value, ("fx", "ty", "fz"), 2)
        direct = space_answer(state, paper_configurations())
        assert visit.verdict.shown.status == direct.verdict.status and visit.names == set(direct.drawing.marks)
        visit.drag("Beside it", "nothing")
        assert not any(name.startswith("space 2") for name in visit.names)
        assert_leaves_nothing_behind(visit)


def test_own_axes_are_chosen_one_by_one_and_equal_ones_are_told() -> None:
    with Visit(WrenchSpacePage) as visit:
        visit.drag("Fineness", QUICK)
        visit.drag("Slice", OWN)
        assert visit.browser.gui.controls["Axis y"].visible
        visit.drag("Axis y", "fz")
        (error,) = visit.errors
        assert "not three different axes" in str(error)
        visit.drag("Axis z", "tz")
        assert "space 1/tz" in visit.names and len(visit.errors) == 1


def test_a_scene_of_a_file_is_the_first_configuration() -> None:
    scene = load_scene("@block_on_three_points")
    entry = scene_entry(scene)
    assert entry.group == "Wrench spaces" and entry.title == scene.name
    with Visit(entry.make) as visit:
        assert visit.browser.gui.controls["Configuration"].value == scene.name and not visit.errors
        points = visit.browser.scene.nodes["/page/space 1/axes"].points
        assert np.isfinite(points).all()


def test_entries_have_keys_of_their_own() -> None:
    assert [entry.key for entry in ENTRIES] == ["wrench-space"]
