"""The handle at the centre of mass and its sliders follow each other."""

from __future__ import annotations

from holdfast.postures.page_com_handle import NODE, ComHandle
from holdfast.web.page import Answer, AskingPage, Verdict
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind


class OnePage(AskingPage[tuple[float, float, float]]):
    """Says where the centre of mass is."""

    def add_controls(self) -> None:
        self.com = ComHandle(self, (0.1, 5.0, 0.3), {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}, 0.2)

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
