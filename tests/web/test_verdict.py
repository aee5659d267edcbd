from __future__ import annotations

import re
from html.parser import HTMLParser

from holdfast.web.verdict import Verdict, VerdictPanel, html, milliseconds
from tests.viewer.stand_in import Browser


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


def test_times_have_units() -> None:
    assert [milliseconds(s) for s in (0.0012, 0.034, 0.5, 2.0)] == ["1.2 ms", "34 ms", "500 ms", "2 s"]
