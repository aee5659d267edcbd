from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from holdfast.errors import InputError, UnknownNameError
from holdfast.viewer.server import ViewerServer, serve
from holdfast.viewer.session import READING, entry_called
from holdfast.web.page import PageContext, PageEntry, Verdict
from tests.viewer.wire import WireBrowser, until


class SlowReading:
    """Lets a page that reads for long come to its end."""

    go = threading.Event()


class SquarePage:
    """Says the square of its slider; 13 is an error, 99 takes until `Gate.go`."""

    title = "squares"
    started, go = threading.Event(), threading.Event()

    def __init__(self, context: PageContext, factor: float) -> None:
        self.context, self.factor = context, factor

    def open(self) -> None:
        if self.factor == 7.0:
            SlowReading.go.wait(180.0)
        if self.factor < 0.0:
            raise InputError("is broken", where="scene.yaml", fix="mend it")
        self.slider = self.context.client.gui.add_slider("number", 0.0, 100.0, 1.0, 2.0)
        self.slider.on_update(lambda _: self.ask())
        self.ask()

    def ask(self) -> None:
        self.context.worker.ask(self.compute, self.show)

    def compute(self) -> float:
        value = self.slider.value
        if value == 13.0:
            raise InputError("is unlucky", where="number", fix="give another")
        if value == 99.0:
            SquarePage.started.set()
            SquarePage.go.wait(180.0)
        return self.factor * value**2

    def show(self, value: float, number: int) -> None:
        self.context.verdict.show(Verdict(f"{value:g}", seconds=0.001), number)

    def close(self) -> None:
        self.slider.remove()


def entry(key: str, factor: float) -> PageEntry:
    return PageEntry(key, f"times {factor:g}", "Planar", "Squares.", lambda context: SquarePage(context, factor))


ENTRIES = (entry("one", 1.0), entry("ten", 10.0), entry("broken", -1.0), entry("slow", 7.0))


@pytest.fixture(scope="module")
def server() -> Iterator[ViewerServer]:
    made = serve(ENTRIES, port=0)
    yield made
    made.stop()


def page_of(browser: WireBrowser) -> Any:
    return browser.session.page


def test_two_browsers_have_a_state_each_and_the_last_value_of_a_fast_hand_is_answered(server: ViewerServer) -> None:
    first, second = WireBrowser(server), WireBrowser(server)
    until(lambda: first.session.verdict.shown.status == second.session.verdict.shown.status == "4")
    for value in range(100):
        if value not in (13, 99):
            first.move(page_of(first).slider, float(value))
    until(lambda: first.session.verdict.shown.status == "9604")
    assert first.session.worker.wait(60.0)
    assert second.session.verdict.shown.status == "4"
    assert second.session.worker.number == 1
    first.close()
    second.close()
    until(lambda: not server.sessions)
    assert not first.session.worker.alive


def test_an_error_is_shown_in_its_page_and_the_session_goes_on(server: ViewerServer) -> None:
    browser = WireBrowser(server)
    until(lambda: browser.session.verdict.request == 1)
    browser.move(page_of(browser).slider, 13.0)
    until(lambda: browser.session.verdict.error)
    assert browser.session.verdict.error == "number: is unlucky (give another)"
    browser.session.switch("broken")
    until(lambda: "scene.yaml: is broken (mend it)" in browser.session.verdict.error)
    browser.session.switch("ten")
    until(lambda: browser.session.verdict.shown.status == "40")
    assert browser.session.verdict.error == ""
    assert browser.session.key == "ten"
    browser.close()
    until(lambda: not server.sessions)


def test_a_page_that_takes_long_to_read_says_so_meanwhile(server: ViewerServer) -> None:
    browser = WireBrowser(server)
    until(lambda: browser.session.verdict.request == 1)
    going = threading.Thread(target=browser.session.switch, args=("slow",))
    going.start()
    until(lambda: browser.session.verdict.shown.status == READING)
    assert browser.session.verdict.shown.lines == ("times 7",)
    until(lambda: re.match(r"reading, \d+ s", browser.session.verdict.note))
    SlowReading.go.set()
    going.join()
    until(lambda: browser.session.verdict.shown.status == "28")
    browser.close()
    until(lambda: not server.sessions)


def test_a_computation_of_more_than_a_second_says_how_long_it_has_taken(server: ViewerServer) -> None:
    browser = WireBrowser(server)
    until(lambda: browser.session.verdict.request == 1)
    SquarePage.go.clear()
    browser.move(page_of(browser).slider, 99.0)
    until(lambda: re.match(r"computing, \d+ s", browser.session.verdict.note))
    assert browser.session.verdict.shown.status == "4"  # the last verdict stays meanwhile
    SquarePage.go.set()
    until(lambda: browser.session.verdict.shown.status == "9801")
    assert browser.session.verdict.note == ""
    SquarePage.go.clear()
    SquarePage.started.clear()
    browser.close()
    until(lambda: not server.sessions)


def test_a_browser_closed_in_mid_computation_leaves_nothing_behind(server: ViewerServer) -> None:
    browser = WireBrowser(server)
    until(lambda: browser.session.verdict.request == 1)
    browser.move(page_of(browser).slider, 99.0)
    assert SquarePage.started.wait(60.0)
    browser.close()
    until(lambda: not server.sessions)
    SquarePage.go.set()
    until(lambda: not browser.session.worker.alive)
    assert browser.session.verdict.shown.status == "4"
    other = WireBrowser(server)
    until(lambda: other.session.verdict.shown.status == "4")
    other.close()
    until(lambda: not server.sessions)


def test_an_unknown_page_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ten'"):
        entry_called("tem", ENTRIES)
    assert entry_called("", ENTRIES).key == "one"
