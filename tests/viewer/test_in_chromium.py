"""The viewer in a real Chromium: hands on sliders, menus, files; what the page says and what is drawn."""

from __future__ import annotations

import io
import os
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import viser

from benchmarks.viewer.browser import NO_CHROMIUM, PATIENCE, Tab, changed, chromium, colours, launched
from benchmarks.viewer.soak import soaked
from holdfast.files.reader import DATA
from holdfast.grasps import example_part, plan
from holdfast.scenes.page import ContactQuestions, scene_entry
from holdfast.viewer.gallery import entries
from holdfast.viewer.server import ViewerServer, serve
from holdfast.viewer.session import label
from holdfast.web.page import PageContext, PageEntry, Verdict
from tests.viewer.wire import until

pytestmark = pytest.mark.skipif(chromium() is None, reason=NO_CHROMIUM)

#: A drawn picture has more colours than this, and a change is seen in more than this share of its pixels.
DRAWN, SEEN = 20, 1e-4

#: A name that the browser takes for this machine, as after DNS rebinding.
STRANGER = "stranger.test"

#: Opens a websocket as the viewer's page does; "open" or "closed".
KNOCK = """([address, protocol]) => new Promise(done => {
    const socket = new WebSocket(address, [protocol]);
    socket.onopen = () => { done("open"); socket.close() };
    socket.onerror = () => done("closed");
})"""

#: Reads a page as any page may; what it got.
READ = """address => fetch(address).then(answer => answer.text(), () => "nothing")"""


class PatientPage:
    """Computes until `RELEASE` is set."""

    title = "patient"
    release = threading.Event()
    started = threading.Event()

    def __init__(self, context: PageContext) -> None:
        self._context = context

    def open(self) -> None:
        self._context.worker.ask(self._compute, lambda _, number: self._context.verdict.show(Verdict("done"), number))

    def close(self) -> None:
        pass

    def _compute(self) -> None:
        self.started.set()
        self.release.wait(180.0)


@pytest.fixture(scope="module")
def scene_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from importlib.resources import files

    path = tmp_path_factory.mktemp("scene") / "block.yaml"
    ready = next(p for p in files("holdfast").rglob("block_on_three_points.yaml"))  # pyright: ignore[reportAttributeAccessIssue]
    path.write_text(ready.read_text("utf-8"), "utf-8")
    return path


@pytest.fixture(scope="module")
def server(scene_file: Path) -> Iterator[ViewerServer]:
    patient = PageEntry("patient", "Patient", "Planar", "Computes for long.", PatientPage)
    running = serve((*entries(), scene_entry(scene_file), patient), port=0, first="2ou")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched(f"--host-resolver-rules=MAP {STRANGER} 127.0.0.1") as running:
        yield running


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """A page of another site: the address of a plain web server."""

    class Hostile(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = b"<!doctype html><title>hostile</title>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{made.server_port}"
        made.shutdown()


@pytest.fixture
def opened(server: ViewerServer, browser: Any) -> Iterator[Callable[[], Tab]]:
    """Opens windows on the viewer; afterwards none has asked another machine for anything, none had an error."""
    tabs: list[Tab] = []

    def one() -> Tab:
        tabs.append(Tab(browser, server.url))
        return tabs[-1]

    yield one
    for tab in tabs:
        tab.close()
    until(lambda: not server.sessions)
    for tab in tabs:
        assert tab.requests
        assert tab.strangers == []
        assert tab.errors == []


def menu(server: ViewerServer, key: str) -> str:
    """A page's line in the menu."""
    return label(next(entry for entry in (*entries(), *server._entries) if entry.key == key))


def test_a_slider_changes_the_verdict_and_the_picture_and_a_menu_the_scene(
    server: ViewerServer, opened: Callable[[], Tab]
) -> None:
    tab = opened()
    first = tab.answered()
    assert first.status == "holds"
    before = tab.picture()
    assert colours(before) > DRAWN
    tab.press("Mass [kg]", "End")
    heavy = tab.answered(first.request)
    assert heavy.status != first.status or heavy.margin != first.margin
    tab.drag("Gravity tilt [deg]", 0.5)
    until(lambda: tab.values()["Gravity tilt [deg]"] > 60.0)
    (session,) = server.sessions.values()
    until(lambda: not session.worker.busy)
    page: Any = session.page
    direct = ContactQuestions(page._source).answer(page._controls.state).verdict
    shown = tab.says(direct.margin)
    assert (shown.status, shown.margin) == (direct.status, direct.margin)
    tab.page.wait_for_timeout(500)
    after = tab.picture()
    assert changed(before, after) > SEEN

    assert tab.go(menu(server, "body-ladder")).status == "it stays where it is"
    assert "Friction" in tab.values()
    assert "Mass [kg]" not in tab.values()
    tab.page.wait_for_timeout(500)
    ladder = tab.picture()
    assert colours(ladder) > DRAWN
    assert changed(after, ladder) > 100.0 * SEEN


def test_the_load_factor_and_the_stiffness_of_a_gripper_change_its_forces_and_its_bracket(
    server: ViewerServer, opened: Callable[[], Tab]
) -> None:
    tab = opened()
    tab.answered()
    first = tab.go(menu(server, "sharing-2fg"))
    (session,) = server.sessions.values()
    page: Any = session.page
    given = page._questions.path(page.state())
    assert first.margin == given.bracket and given.bracket.startswith("first failure 6.001 <= ")
    assert first.tone == "good"
    tab.page.wait_for_timeout(500)
    before = tab.picture()
    assert colours(before) > DRAWN
    tab.press("K_t/K_n, x 10^", "End")  # a hundred times as stiff along the surface
    until(lambda: not session.worker.busy and page.state().ratio == 2.0)
    direct = page._questions.path(page.state())
    assert direct.peak > 1.1 * given.peak
    stiffer = tab.says(direct.bracket)
    assert (stiffer.margin, stiffer.error) == (direct.bracket, "")
    tab.page.wait_for_timeout(500)
    after = tab.picture()
    assert changed(before, after) > SEEN
    tab.press("Load factor", "End")
    gone = tab.answered(stiffer.request)
    assert gone.status == f"collapsed: the peak is {direct.peak:.4g}" and gone.tone == "bad"
    tab.page.wait_for_timeout(500)
    assert changed(after, tab.picture()) > SEEN


def test_less_friction_makes_the_block_on_the_slope_move_and_the_other_motion_is_shown(
    server: ViewerServer, opened: Callable[[], Tab]
) -> None:
    tab = opened()
    tab.answered()
    first = tab.go(menu(server, "stability-slope"))
    assert (first.status, first.tone) == ("stays", "good") and first.margin.startswith("proof verified: yes")
    tab.page.wait_for_timeout(500)
    before = tab.picture()
    assert colours(before) > DRAWN
    tab.press("Friction scale", "Home")  # a tenth: 0.05, far below tan 20 deg
    (session,) = server.sessions.values()
    page: Any = session.page
    until(lambda: not session.worker.busy and page.state().friction == 0.1)
    slides = tab.answered(first.request)
    assert (slides.status, slides.tone, slides.error) == ("moves", "bad", "")
    tab.page.wait_for_timeout(500)
    after = tab.picture()
    assert changed(before, after) > SEEN
    tab.press("Show the other motion", "Home")
    still = tab.answered(slides.request)
    assert still.status == "moves"
    tab.page.wait_for_timeout(500)
    assert changed(after, tab.picture()) > SEEN


def test_tilted_cubes_tip_over_in_the_page_and_the_tilt_at_which_they_slip_is_found(
    server: ViewerServer, opened: Callable[[], Tab]
) -> None:
    tab = opened()
    tab.answered()
    first = tab.go(menu(server, "stacked-cubes"))
    assert (first.status, first.tone) == ("holds", "good")
    tab.page.wait_for_timeout(500)
    before = tab.picture()
    assert colours(before) > DRAWN
    tab.page.get_by_role("button", name="Find the tilt").click()
    tab.page.get_by_text("Slips at 26.56").wait_for(timeout=PATIENCE)
    tab.press("Gravity tilt [deg]", "End")  # upside down: the cubes fall off
    tab.page.wait_for_function("document.querySelector('#holdfast-verdict').dataset.tone == 'bad'", timeout=PATIENCE)
    fallen = tab.says("m/s^2")  # the accelerations follow the verdict
    assert (fallen.status, fallen.error) == ("does not hold", "")
    tab.page.wait_for_timeout(500)
    assert changed(before, tab.picture()) > SEEN


def test_an_uploaded_picture_is_ranked_and_a_broken_one_is_told(
    server: ViewerServer, opened: Callable[[], Tab]
) -> None:
    from PIL import Image

    tab = opened()
    tab.choose("Page", menu(server, "grasps"))
    tab.says("grasp 1 of")
    pixels = np.round(255.0 * example_part("rectangle").picture(0.5)).astype(np.uint8)
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "png")
    tab.upload("Upload a picture", "part.png", data.getvalue())
    tab.says(f"grasp 1 of {len(plan(pixels, mm_per_px=0.5))}")
    before = tab.picture()
    assert colours(before) > DRAWN
    tab.upload("Upload a picture", "broken.png", b"\x89PNG")
    assert tab.says("broken.png: ").error.startswith("broken.png")


def test_the_quadruped_on_its_feet_holds_until_its_centre_of_mass_leaves_the_feet(
    server: ViewerServer, opened: Callable[[], Tab]
) -> None:
    pytest.importorskip("pinocchio")
    tab = opened()
    tab.answered()
    stands = tab.go(menu(server, "quadruped-on-feet"))
    assert (stands.status, stands.tone) == ("holds", "good") and "inside the region" in stands.margin
    assert "lifts off" in stands.text
    tab.page.wait_for_timeout(500)
    before = tab.picture()
    assert colours(before) > DRAWN
    tab.press("COM y [m]", "End")
    tips = tab.answered(stands.request)
    assert (tips.status, tips.tone, tips.error) == ("does not hold", "bad", "") and "outside" in tips.margin
    tab.page.wait_for_timeout(500)
    assert changed(before, tab.picture()) > SEEN


def test_a_person_who_climbs_the_ladder_makes_it_slide(server: ViewerServer, opened: Callable[[], Tab]) -> None:
    tab = opened()
    tab.answered()
    first = tab.go(menu(server, "body-ladder"))
    tab.press("Load y [N]", "Home")  # twice the weight of the ladder, at its middle
    stays = tab.answered(first.request)
    assert stays.status == "it stays where it is"
    tab.page.wait_for_timeout(500)
    before = tab.picture()
    tab.press("Load at x [m]", "End")
    slides = tab.answered(stays.request)
    assert (slides.status, slides.error) == ("one motion", "")
    (session,) = server.sessions.values()
    page: Any = session.page
    until(lambda: not session.worker.busy)
    assert page.state().point[0] > 3.0  # the handle in the scene went along
    tab.page.wait_for_timeout(500)
    assert changed(before, tab.picture()) > SEEN


def test_uploaded_files_have_pages_and_after_a_broken_one_the_page_stays(
    server: ViewerServer, opened: Callable[[], Tab], scene_file: Path
) -> None:
    tab = opened()
    first = tab.answered()
    tab.upload("Open a file", "mine.yaml", scene_file.read_bytes())
    scene = tab.answered(first.request)
    (session,) = server.sessions.values()
    assert (scene.status, session.key) == ("holds", "upload-scene")
    assert "Contacts: mine.yaml (uploaded)" in tab.options("Page")
    before = session.page
    tab.upload("Open a file", "broken.yaml", b"holdfast: 1\ndevice: {kind: 9XX}\n")
    broken = tab.says("broken.yaml:2")
    assert broken.error.startswith("broken.yaml:2: device") and broken.status == "holds"
    assert session.page is before and session.key == "upload-scene"
    tab.press("Mass [kg]", "End")  # its controls still work
    pressed = tab.answered(scene.request)
    assert pressed.error == ""
    tab.upload("Open a file", "forces.csv", (DATA / "microspine_unit.csv").read_bytes())
    until(lambda: session.key == "upload-measured" and not session.worker.busy)
    measured = tab.answered(pressed.request)
    assert measured.status == "holds" and "load factor" in measured.text
    pytest.importorskip("pinocchio")
    tab.upload("Open a file", "dog.urdf", (DATA / "robots" / "quadruped.urdf").read_bytes())
    assert tab.says("torque limits of all joints").status == "holds"
    assert session.key == "upload-scene-robot"
    assert colours(tab.picture()) > DRAWN
    tab.upload("Open a file", "dog.urdf", b"<robot")
    assert tab.says("dog.urdf: ").error.startswith("dog.urdf")
    assert session.key == "upload-scene-robot"


def test_a_long_computation_shows_its_time_under_the_last_verdict(
    server: ViewerServer, opened: Callable[[], Tab]
) -> None:
    PatientPage.started.clear()
    PatientPage.release.clear()
    tab = opened()
    tab.answered()
    tab.choose("Page", menu(server, "patient"))
    tab.says("computing, 1 s")
    tab.says("computing, 2 s")
    PatientPage.release.set()
    done = tab.says("done")
    assert "computing" not in done.text


def test_the_centre_of_mass_of_a_body_leaves_its_region(server: ViewerServer, opened: Callable[[], Tab]) -> None:
    tab = opened()
    tab.answered()
    tab.go(menu(server, "quadruped-on-rock"))
    tab.page.wait_for_function("document.querySelector('#holdfast-verdict').dataset.tone == 'good'", timeout=PATIENCE)
    inside = tab.shown()
    tab.page.wait_for_timeout(500)
    before = tab.picture()
    assert colours(before) > DRAWN
    tab.press("COM x [m]", "Home")  # far off the feet
    outside = tab.answered(inside.request)
    assert (outside.tone, outside.status) != (inside.tone, inside.status)
    assert outside.tone == "bad"
    tab.page.wait_for_timeout(500)
    assert changed(before, tab.picture()) > SEEN


def test_a_broken_scene_is_told_in_the_page_and_the_server_goes_on(
    server: ViewerServer, opened: Callable[[], Tab], scene_file: Path
) -> None:
    good = scene_file.read_text("utf-8")
    tab = opened()
    tab.answered()
    whole = tab.go(menu(server, "scene"))
    reread = tab.page.get_by_role("button", name="Read the file again")
    scene_file.write_text("object: [", "utf-8")
    reread.click()
    broken = tab.says("block.yaml:")
    assert broken.error
    assert tab.go(menu(server, "body-ladder")).error == ""
    tab.choose("Page", menu(server, "scene"))
    assert tab.says("block.yaml:").error
    scene_file.write_text(good, "utf-8")
    tab.go(menu(server, "body-ladder"))
    mended = tab.go(menu(server, "scene"))
    assert (mended.status, mended.margin, mended.error) == (whole.status, whole.margin, "")


def test_a_window_closed_while_it_computes_leaves_nothing_behind(
    server: ViewerServer, opened: Callable[[], Tab]
) -> None:
    before = {thread.name for thread in threading.enumerate() if thread.name.startswith("viewer")}
    PatientPage.started.clear()
    PatientPage.release.clear()
    tab = opened()
    tab.answered()
    tab.choose("Page", menu(server, "patient"))
    until(PatientPage.started.is_set)
    tab.close()
    until(lambda: not server.sessions)
    PatientPage.release.set()
    until(lambda: {t.name for t in threading.enumerate() if t.name.startswith("viewer")} <= before)
    assert opened().answered().status == "holds"


def test_two_windows_have_their_own_state(server: ViewerServer, opened: Callable[[], Tab]) -> None:
    first, second = opened(), opened()
    first.answered()
    second.answered()
    pages: list[Any] = [session.page for session in server.sessions.values()]
    until(lambda: all(page._fitted for page in pages))  # the first forces set the length of arrows, after the verdict
    until(lambda: {tab.values()["Forces [mm/N]"] for tab in (first, second)} == {pages[0]._force_slider.value})
    for mine, yours in ((first, second), (second, first)):
        before, theirs = mine.shown(), yours.shown()
        at, there = mine.values(), yours.values()
        mine.press("Mass [kg]", "End" if mine is first else "Home")
        moved = mine.answered(before.request)
        assert moved.margin != before.margin
        assert mine.values()["Mass [kg]"] != at["Mass [kg]"]
        assert yours.values() == there
        now = yours.shown()  # its text may have got another line: the predicted motion comes after the verdict
        assert (now.request, now.status, now.margin) == (theirs.request, theirs.status, theirs.margin)
    assert first.values()["Mass [kg]"] > second.values()["Mass [kg]"]
    assert len(server.sessions) == 2


def test_a_page_of_another_site_cannot_connect_even_with_the_token(
    server: ViewerServer, opened: Callable[[], Tab], browser: Any, elsewhere: str
) -> None:
    protocol = f"viser-v{viser.__version__}"
    knocked, plain = server.url.replace("http", "ws"), server.url.partition("?")[0]
    own = opened()
    own.answered()
    assert own.page.evaluate(KNOCK, [knocked, protocol]) == "open"  # the same words from the viewer's own page
    assert own.page.evaluate(KNOCK, [knocked.partition("?")[0], protocol]) == "closed"
    assert "<html" in own.page.evaluate(READ, server.url)
    until(lambda: len(server.sessions) == 1)
    hostile = browser.new_page()
    for site in (elsewhere, elsewhere.replace("127.0.0.1", STRANGER), elsewhere.replace("127.0.0.1", "localhost")):
        hostile.goto(f"http://{site}/")
        assert hostile.title() == "hostile"
        for address in (knocked, knocked.partition("?")[0], knocked.replace("localhost", "127.0.0.1")):
            assert hostile.evaluate(KNOCK, [address, protocol]) == "closed"
        assert hostile.evaluate(READ, server.url) == hostile.evaluate(READ, plain) == "nothing"
        hostile.evaluate("address => { document.body.innerHTML = `<iframe src='${address}'></iframe>` }", server.url)
        hostile.wait_for_timeout(300)
    assert len(server.sessions) == 1
    hostile.close()


def test_a_name_that_was_made_to_lead_here_is_refused_even_with_the_token(server: ViewerServer, browser: Any) -> None:
    protocol = f"viser-v{viser.__version__}"
    rebound = server.url.replace("localhost", STRANGER)
    page = browser.new_page()
    for address in (rebound, rebound.partition("?")[0]):
        answer = page.goto(address)
        assert answer.status == 403 and "--allow-host" in answer.text()
        assert page.evaluate(KNOCK, [address.replace("http", "ws"), protocol]) == "closed"
    assert page.goto(server.url.partition("?")[0]).status == 403  # its own name, without the token
    assert server.sessions == {}
    page.close()


def test_a_name_that_is_allowed_is_served_as_other_machines_are(browser: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quick = [entry for entry in entries() if entry.key == "body-ladder"]
    allowing = serve(quick, port=port, allow=(f"{STRANGER}:{port}",))
    try:
        tab = Tab(browser, allowing.url.replace("localhost", STRANGER))  # not a secure context, unlike localhost
        assert tab.answered().status == "it stays where it is"
        assert tab.errors == []
        tab.close()
        until(lambda: not allowing.sessions)
    finally:
        allowing.stop()


def test_a_file_beyond_the_limit_is_refused_in_the_page(
    server: ViewerServer, opened: Callable[[], Tab], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.viewer.messages.LARGEST_UPLOADS", 2**20)
    tab = opened()
    tab.choose("Page", menu(server, "grasps"))
    first = tab.says("grasp 1 of")
    tab.upload("Upload a picture", "large.png", bytes(2**20 + 1))
    assert tab.says("give a smaller file").error.startswith("upload 'large.png': has 1048577 bytes, 1048576 are left")
    tab.press("Friction", "ArrowRight")
    assert tab.answered(first.request).error == ""


def test_the_page_can_be_loaded_again(server: ViewerServer, opened: Callable[[], Tab]) -> None:
    tab = opened()
    tab.answered()
    tab.page.reload()
    tab.page.wait_for_selector("#holdfast-verdict", timeout=PATIENCE)
    assert tab.answered().status == "holds"
    assert tab._context.cookies() == []


def test_after_random_movements_of_two_windows_the_verdicts_are_those_computed_directly(
    server: ViewerServer, browser: Any
) -> None:
    found = soaked(browser, server.url, os.getpid(), 3.0)
    assert found.troubles == []
    assert found.moves > 1
    until(lambda: not server.sessions)
