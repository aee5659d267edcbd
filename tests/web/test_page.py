from __future__ import annotations

import re
import threading
from dataclasses import FrozenInstanceError
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.web.marks import Dots, Drawing, Marks, View
from holdfast.web.page import Answer, AskingPage, PageEntry, Verdict, VerdictPanel, html, milliseconds
from tests.viewer.stand_in import Browser, Visit, assert_leaves_nothing_behind

# -- verdict ---------------------------------------------------------------------------------------


class Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_panel_says_status_margin_time_and_request_number() -> None:
    words = Words()
    words.feed(html(Verdict("holds", "good", "load factor 2", 0.0042, ("3 contacts",)), 17, ""))
    assert words.text == ["holds", "load factor 2", "3 contacts", "solved in 4.2 ms, request 17"]


def test_words_of_files_and_errors_cannot_become_markup() -> None:
    evil = '"><script>alert(1)</script>'
    words = Words()
    words.feed(html(Verdict(evil, margin=evil, lines=(evil,)), 1, evil))
    assert set(words.tags) == {"div"}
    assert words.text.count(evil) == 4


def test_an_error_stays_until_the_next_verdict() -> None:
    browser = Browser()
    panel = VerdictPanel(browser)  # pyright: ignore[reportArgumentType]
    panel.show(Verdict("holds", "good"), 3)
    panel.show_error("file is broken")
    assert 'data-error="file is broken"' in vars(browser.gui.controls["html"])["content"]
    assert (panel.request, panel.error, panel.shown.status) == (3, "file is broken", "holds")
    panel.show(Verdict("does not hold", "bad"), 4)
    assert panel.error == ""
    assert re.search(r'data-request="4" data-status="does not hold"', vars(browser.gui.controls["html"])["content"])


def test_a_note_stands_under_the_verdict_until_the_next_one() -> None:
    browser = Browser()
    panel = VerdictPanel(browser)  # pyright: ignore[reportArgumentType]
    panel.show(Verdict("holds", "good"), 3)
    panel.show_note("computing, 2 s ... <b>")
    content = vars(browser.gui.controls["html"])["content"]
    assert "computing, 2 s ... &lt;b&gt;" in content and 'data-request="3" data-status="holds"' in content
    panel.show(Verdict("does not hold", "bad"), 4)
    assert panel.note == "" and "computing" not in vars(browser.gui.controls["html"])["content"]


def test_times_have_units() -> None:
    assert [milliseconds(s) for s in (0.0012, 0.034, 0.5, 2.0)] == ["1.2 ms", "34 ms", "500 ms", "2 s"]


# -- page ------------------------------------------------------------------------------------------


def test_an_entry_makes_a_page_only_when_asked_and_stays_as_it_is() -> None:
    made: list[Any] = []
    entry = PageEntry("key", "title", "Contacts", "summary", lambda context: made.append(context))  # pyright: ignore[reportArgumentType]
    assert made == []
    with pytest.raises(FrozenInstanceError):
        entry.key = "other"  # pyright: ignore[reportAttributeAccessIssue]


# -- asking ----------------------------------------------------------------------------------------


class Doubling(AskingPage[float]):
    """Says twice what its slider says."""

    title = "doubling"

    def add_controls(self) -> None:
        self.slider = self.asks(self.context.client.gui.add_slider("x", 0.0, 100.0, 1.0, 3.0))
        self.hold = threading.Event()
        self.hold.set()

    def state(self) -> float:
        return float(self.slider.value)

    def answer(self, state: float) -> Answer:
        self.hold.wait(60.0)
        if state == 13.0:
            raise InputError("is unlucky", where="x", fix="take another")
        view = View((0.0, -state, 0.0), (0.0, 0.0, 0.0))
        marks: Marks = {"dot": Dots(np.full((1, 3), 2.0 * state), (0, 0, 0))}
        moving = (lambda moment: {"ghost": Dots(np.full((1, 3), moment), (0, 0, 0))}) if state == 50.0 else None
        subject = "large" if state > 40.0 else "small"
        return Answer(Verdict(f"{2.0 * state:g}"), Drawing(marks, view), subject, f"note {state:g}", moving)


def test_the_page_shows_the_answer_to_the_state_of_its_controls() -> None:
    with Visit(Doubling) as visit:
        assert visit.verdict.shown.status == "6" and visit.verdict.request == 1
        visit.drag("x", 7.0)
        assert visit.verdict.shown.status == "14" and visit.verdict.request == 2
        assert visit.browser.scene.nodes["/page/dot"].points[0, 0] == 14.0
        assert "note 7" in visit.browser.gui.controls["html'"].content


def test_the_last_of_many_changes_is_the_one_that_is_shown() -> None:
    with Visit(Doubling) as visit:
        visit.page.hold.clear()
        for value in range(4, 40):
            if value != 13:
                visit.browser.gui.controls["x"].drag(value=float(value))
        visit.page.hold.set()
        visit.settle()
        assert visit.verdict.shown.status == "78" and not visit.errors


def test_the_readers_view_is_kept_while_the_subject_is_the_same() -> None:
    with Visit(Doubling) as visit:
        assert visit.browser.camera.position == (0.0, -3.0, 0.0)
        visit.drag("x", 9.0)
        assert visit.browser.camera.position == (0.0, -3.0, 0.0)
        visit.drag("x", 41.0)
        assert visit.browser.camera.position == (0.0, -41.0, 0.0)


def test_an_error_is_reported_and_the_page_goes_on() -> None:
    with Visit(Doubling) as visit:
        visit.drag("x", 13.0)
        (error,) = visit.errors
        assert "is unlucky" in str(error)
        visit.drag("x", 14.0)
        assert visit.verdict.shown.status == "28"


def test_an_animation_moves_and_goes_with_the_next_answer() -> None:
    with Visit(Doubling) as visit:
        visit.drag("x", 50.0)
        seen = threading.Event()
        original = visit.page._canvas.change
        visit.page._canvas.change = lambda marks: (original(marks), seen.set())
        assert seen.wait(60.0) and "ghost" in visit.names
        visit.drag("x", 51.0)
        assert visit.names == {"dot"}


def test_closing_leaves_nothing_behind_even_with_a_question_on_its_way() -> None:
    with Visit(Doubling) as visit:
        visit.drag("x", 50.0)
        visit.page.hold.clear()
        visit.browser.gui.controls["x"].drag(value=20.0)
        visit.worker.discard()
        assert_leaves_nothing_behind(visit)
        visit.page.hold.set()
        visit.settle()
        assert visit.browser.scene.nodes == {} and visit.verdict.shown.status == "100"
        visit.page.ask()
        visit.page.say("too late")
        assert visit.verdict.shown.status == "100"
