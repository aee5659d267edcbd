"""The page of the climber."""

from __future__ import annotations

from holdfast.papers.page import ENTRIES, FREE, ClimberPage, ClimberState, climber_answer
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind


def test_dragging_handle_and_sliders_asks_about_the_same_place() -> None:
    with Visit(ClimberPage) as visit:
        visit.drag("Grips by", "100 samples")
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
