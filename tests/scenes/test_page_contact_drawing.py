from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from holdfast.geometry.frames import Pose
from holdfast.scenes.page_contact_answers import ContactQuestions
from holdfast.scenes.page_contact_drawing import ContactDrawing, Volumes
from holdfast.scenes.page_contact_sources import TWO_OPPOSED_UNITS, FileSource, initial_posture
from holdfast.scenes.page_contact_states import initial_state
from holdfast.viewer.server import serve
from holdfast.web.page import PageContext, PageEntry
from tests.viewer.wire import WireBrowser, until


class DrawingPage:
    title = "drawing"

    def __init__(self, context: PageContext) -> None:
        self.drawing = ContactDrawing(context.client)

    def open(self) -> None:
        pass

    def close(self) -> None:
        self.drawing.clear()


@pytest.fixture
def drawing() -> Iterator[ContactDrawing]:
    server = serve([PageEntry("d", "d", "Contacts", "d.", DrawingPage)], port=0)
    browser = WireBrowser(server)
    until(lambda: browser.session.page is not None)
    yield browser.session.page.drawing  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    browser.close()
    server.stop()


def test_the_first_scale_of_arrows_comes_from_the_forces_and_that_of_volumes_from_their_size(
    drawing: ContactDrawing,
) -> None:
    source = FileSource("@gecko_on_glass")
    questions = ContactQuestions(source)
    answer = questions.answer(initial_state(questions.scene(()), ()))
    drawing.show_scene(answer.scene)
    scale, volumes = drawing.fitted_scale(answer), drawing.volume_scale
    assert scale is not None and answer.forces is not None
    assert np.isclose(scale * np.linalg.norm(answer.forces, axis=1).max(), 0.25 * drawing.size)
    drawing.force_scale = scale
    drawing.show_answer(answer)
    assert drawing.volume_scale == volumes  # a long arrow does not swell the volumes
    light = questions.answer(replace(answer.state, mass=0.0))
    assert drawing.fitted_scale(light) is None


def test_an_answer_changes_forces_in_place_and_leaves_the_volumes(drawing: ContactDrawing) -> None:
    questions = ContactQuestions(TWO_OPPOSED_UNITS)
    posture = tuple(initial_posture(TWO_OPPOSED_UNITS).items())
    start = initial_state(questions.scene(posture), posture)
    held = questions.answer(start)
    drawing.show_answer(held)
    nodes: dict[str, Any] = dict(drawing._nodes)
    assert held.forces is not None
    arrows = nodes["forces"].points
    loaded = np.linalg.norm(held.forces, axis=1) > 1e-3 * np.linalg.norm(held.forces, axis=1).max()
    assert np.allclose(arrows[:, 1] - arrows[:, 0], drawing.force_scale * held.forces[loaded], atol=1e-6)
    assert np.allclose(arrows[:, 0], held.scene.assembly.positions[loaded], atol=1e-6)
    before = nodes["piece 0"].vertices.copy()

    heavy = questions.answer(replace(start, mass=100.0))
    drawing.show_answer(heavy)
    assert not heavy.holds
    assert drawing._nodes["forces"] is nodes["forces"]
    assert not nodes["forces"].visible
    assert drawing._nodes["letting go"].visible or drawing._nodes["letting turn"].visible
    assert np.array_equal(nodes["piece 0"].vertices, before)

    drawing.show_answer(questions.answer(replace(start, friction=2.0)))
    assert drawing._nodes["piece 0"] is nodes["piece 0"]
    assert not np.array_equal(nodes["piece 0"].vertices, before)
    drawing.show_answer(questions.answer(replace(start, posture=(("half_distance", 40.0),))))
    assert {name for name in drawing._nodes if name.startswith("piece")} == {f"piece {i}" for i in range(6)}


def test_what_is_shown_can_be_chosen_and_is_taken_away_at_the_end(drawing: ContactDrawing) -> None:
    questions = ContactQuestions(TWO_OPPOSED_UNITS)
    posture = tuple(initial_posture(TWO_OPPOSED_UNITS).items())
    drawing.show_answer(questions.answer(initial_state(questions.scene(posture), posture)))
    whole = len(drawing._nodes["piece 0"].vertices)
    drawing.volumes = Volumes.UNITS
    drawing.refresh()
    assert len(drawing._nodes["piece 0"].vertices) * 4 == whole  # four contacts a unit
    drawing.volumes, drawing.shows_object = Volumes.NONE, False
    drawing.refresh()
    assert not drawing._nodes["piece 0"].visible
    assert not drawing._nodes["object"].visible
    drawing.move_ghost(Pose(np.eye(3), np.array([0.0, 0.0, 0.5])))
    assert drawing._nodes["ghost"].visible
    assert np.allclose(drawing._nodes["ghost"].position, [0.0, 0.0, 0.5])
    drawing.move_ghost(None)
    assert not drawing._nodes["ghost"].visible
    drawing.clear()
    assert drawing._nodes == {}
