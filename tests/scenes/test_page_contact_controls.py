from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from holdfast.scenes import load_scene
from holdfast.scenes.page_contact_controls import ContactControls, gizmo_turn, subsets
from holdfast.scenes.page_contact_sources import PostureControl
from holdfast.scenes.page_contact_states import ContactState, direction, initial_state
from holdfast.viewer.server import serve
from holdfast.web.meshes import rotations
from holdfast.web.page import PageContext, PageEntry
from tests.viewer.wire import WireBrowser, until

POSTURE = (PostureControl("radius", "Radius [mm]", 150.0, 90.0, 300.0, 5.0, 1e-3),)


class ControlsPage:
    """The controls alone, of the two-finger gripper."""

    title = "controls"

    def __init__(self, context: PageContext) -> None:
        scene = load_scene("@two_finger_gripper_d_pmd")
        start = initial_state(scene, (("radius", 150.0),))
        self.states: list[ContactState] = []
        self.controls = ContactControls(context.client, start, POSTURE, tuple(scene.loads), self.changed)

    def open(self) -> None:
        self.controls.open()
        self.controls.add_gizmo(np.zeros(3), 1.0)

    def changed(self) -> None:
        self.states.append(self.controls.state)
        self.controls.follow()

    def close(self) -> None:
        self.controls.close()


@pytest.fixture
def browser() -> Iterator[WireBrowser]:
    server = serve([PageEntry("c", "c", "Contacts", "c.", ControlsPage)], port=0)
    made = WireBrowser(server)
    until(lambda: made.session.page is not None and made.session.page.controls._gizmo is not None)  # pyright: ignore[reportAttributeAccessIssue]
    yield made
    made.close()
    server.stop()


def test_each_control_changes_its_part_of_the_state(browser: WireBrowser) -> None:
    page: Any = browser.session.page
    controls = page.controls
    moves = {"tilt": 30.0, "heading": -90.0, "mass": 0.5, "friction": 1.5, "load_size": 2.0, "factor": -1.0}
    for name, value in moves.items():
        browser.move(controls._sliders[name], value)
    browser.move(controls._sliders["posture radius"], 200.0)
    browser.move(controls._named, "pull")
    browser.move(controls._touch["right"], "MD")
    until(lambda: len(page.states) >= 9)
    state = controls.state
    assert {name: getattr(state, name) for name in moves} == moves
    assert state.posture == (("radius", 200.0),)
    assert state.named == "pull"
    assert state.touching == ("left D", "right M", "right D")
    until(lambda: np.allclose(rotations(controls._gizmo.wxyz) @ [0.0, 0.0, -1.0], direction(30.0, -90.0)))
    browser.move(controls._touch["left"], "none")
    until(lambda: controls.state.touching == ("right M", "right D"))


def test_dragging_the_gizmo_turns_gravity_and_does_not_fight_the_hand(browser: WireBrowser) -> None:
    page: Any = browser.session.page
    controls = page.controls
    dragged = gizmo_turn(60.0, 120.0)
    controls._gizmo.wxyz = dragged
    controls._dragged(SimpleNamespace(phase="update"))
    assert (controls.state.tilt, controls.state.heading) == pytest.approx((60.0, 120.0), abs=0.1)
    assert np.allclose(controls._gizmo.wxyz, dragged)
    assert page.states[-1] == controls.state
    controls._dragged(SimpleNamespace(phase="end"))
    assert np.allclose(rotations(controls._gizmo.wxyz) @ [0.0, 0.0, -1.0], direction(60.0, 120.0), atol=2e-3)


def test_menus_of_fingers_offer_every_choice_of_phalanges() -> None:
    assert subsets("PMD") == ("PMD", "PM", "PD", "MD", "P", "M", "D", "none")
    assert subsets("D") == ("D", "none")
