from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast.scenes import ready_path
from holdfast.scenes.page_contact_answers import answer
from holdfast.scenes.page_contacts import ENTRIES, ContactsPage, scene_entry
from holdfast.viewer.server import ViewerServer, serve
from tests.viewer.wire import WireBrowser, until

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--headless=new"]


@pytest.fixture(scope="module")
def server() -> Iterator[ViewerServer]:
    made = serve(ENTRIES, port=0, first="block-on-three-points")
    yield made
    made.stop()


def page_of(browser: WireBrowser) -> Any:
    until(lambda: isinstance(browser.session.page, ContactsPage) and browser.session.verdict.request > 0)
    return browser.session.page


def settled(browser: WireBrowser) -> None:
    until(lambda: browser.session.verdict.request == browser.session.worker.number and not browser.session.worker.busy)


def test_after_two_hands_have_played_each_sees_the_verdict_of_its_own_last_state(server: ViewerServer) -> None:
    browsers = [WireBrowser(server), WireBrowser(server)]
    browsers[1].session.switch("gecko-on-glass")
    until(lambda: browsers[1].session.key == "gecko-on-glass")
    rng = np.random.default_rng(11)
    for browser in browsers:
        page_of(browser)
    for _ in range(60):
        for browser in browsers:
            sliders = page_of(browser)._controls._sliders
            name = rng.choice(["tilt", "heading", "mass", "friction", "load_size"])
            low, high = sliders[name].min, sliders[name].max
            browser.move(sliders[name], float(rng.uniform(low, high)))
    for browser in browsers:
        controls = page_of(browser)._controls
        browser.move(controls._sliders["tilt"], 75.0)
        until(lambda controls=controls: controls.state.tilt == 75.0)
    for browser in browsers:
        settled(browser)
        page = page_of(browser)
        want = answer(page._source, page._controls.state).verdict
        shown = browser.session.verdict.shown
        assert (shown.status, shown.margin) == (want.status, want.margin)
        assert browser.session.verdict.error == ""
        browser.close()
    until(lambda: not server.sessions)


def test_when_nothing_holds_the_predicted_motion_is_told_and_played_until_it_holds_again(server: ViewerServer) -> None:
    browser = WireBrowser(server)
    page = page_of(browser)
    browser.move(page._controls._sliders["tilt"], 180.0)
    until(lambda: len(page._animation.frames) > 1)
    assert browser.session.verdict.shown.status == "does not hold"
    until(lambda: "falls free" in browser.session.verdict.shown.lines[-1])
    until(lambda: page._drawing._nodes["ghost"].visible and page._drawing._nodes["ghost"].position[2] > 0.0)
    browser.move(page._controls._sliders["tilt"], 0.0)
    until(lambda: browser.session.verdict.shown.status == "holds")
    settled(browser)
    assert page._animation.frames == ()
    assert not page._drawing._nodes["ghost"].visible
    browser.close()
    until(lambda: not server.sessions)
    until(lambda: not page._motions.alive)


def test_a_scene_file_that_breaks_while_it_is_shown_is_told_and_shown_again_once_mended(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    text = ready_path("@block_on_three_points").read_text()
    path.write_text(text)
    server = serve([scene_entry(path)], port=0)
    browser = WireBrowser(server)
    page = page_of(browser)
    path.write_text(text.replace("contacts", "contcats"))
    page._reload()
    until(lambda: "scene.yaml" in browser.session.verdict.error)
    path.write_text(text)
    page._reload()
    until(lambda: browser.session.verdict.error == "")
    assert browser.session.verdict.shown.status == "holds"
    browser.close()
    server.stop()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine; the README says how to get it")
def test_in_a_browser_a_slider_changes_verdict_and_picture_and_nothing_comes_from_outside(
    server: ViewerServer,
) -> None:
    from PIL import Image
    from playwright.sync_api import sync_playwright

    def picture() -> Any:
        shot = Image.open(io.BytesIO(page.screenshot(clip={"x": 310, "y": 100, "width": 280, "height": 400})))
        return np.asarray(shot.convert("RGB"), dtype=float)

    asked: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1000, "height": 600})
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda socket: asked.append(socket.url))
        page.goto(server.url)
        page.wait_for_selector("#holdfast-verdict[data-status='holds']", timeout=60_000)
        before = picture()
        assert before.std() > 5.0  # something is drawn
        page.get_by_role("slider").first.focus()
        page.keyboard.press("End")  # gravity straight up
        page.wait_for_selector("#holdfast-verdict[data-status='does not hold']", timeout=60_000)
        assert "load factor" in page.inner_text("#holdfast-verdict")
        page.wait_for_timeout(300)
        assert np.abs(picture() - before).max() > 50.0
        browser.close()
    outside = [url for url in asked if f"//localhost:{server.port}" not in url and not url.startswith("data:")]
    assert outside == []
    assert any(url.startswith("ws://") for url in asked)
    until(lambda: not server.sessions)
