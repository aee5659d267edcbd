"""Words of files are words in the browser: they run nothing and fetch nothing, in the viewer and in a report."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from benchmarks.viewer.browser import NO_CHROMIUM, Tab, chromium, launched
from holdfast.viewer.gallery import file_pages
from holdfast.viewer.server import serve
from holdfast.web.page import prose
from tests.hostile_words import hostile, markup, saved
from tests.viewer.wire import until

pytestmark = pytest.mark.skipif(chromium() is None, reason=NO_CHROMIUM)

#: Ready files of every kind that the viewer shows.
READY = (
    "scenes/block_on_three_points.yaml",
    "scenes/stacked_cubes.yaml",
    "planar/ladder.yaml",
    "planar/two_link_snake.yaml",
    "postures/quadruped_on_rock.yaml",
)

#: What a page must not have: a window of its own, what a script left, and elements that only a file could bring.
RAN = """() => [window.ran, window.frames.length,
    document.querySelectorAll('iframe, script[src], object, embed, [onerror], [onload], [onclick], a[href]').length]"""


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """Another site: its address, and the paths that it was asked for."""
    asked: list[str] = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}", asked
        made.shutdown()


def test_a_file_of_any_kind_and_its_upload_run_and_fetch_nothing_in_the_viewer(tmp_path: Path) -> None:
    with listening() as (site, asked), launched() as browser:
        files = [str(saved(tmp_path, ready, markup(site))) for ready in READY]
        own = [replace(page, key=f"{file}-{page.key}") for file in files for page in file_pages(file)]
        server = serve(own, port=0)
        try:
            tab = Tab(browser, server.url)
            (session,) = server.sessions.values()
            for page in own:
                session.switch(page.key)
                until(lambda: session.worker.wait(0.1) and not session.worker.busy)
                tab.page.wait_for_timeout(500)
                assert tab.page.evaluate(RAN) == [None, 0, 0], page.key
            assert "javascript:window.ran=6" in tab.page.locator("body").inner_text()  # shown, as words
            tab.upload("Open a file", "mine.yaml", hostile(READY[0], markup(site)).encode())
            until(lambda: session.key == "upload-scene")
            tab.upload("Open a file", "bad.yaml", f"name: {markup(site)!r}\n{markup(site)!r}: 1\n".encode())
            tab.says("bad.yaml")
            assert tab.page.evaluate(RAN) == [None, 0, 0]
            assert [url for url in tab.requests if site in url] == asked == tab.errors == []
            tab.close()
        finally:
            server.stop()


def test_a_report_runs_and_fetches_nothing(tmp_path: Path, run: Any) -> None:
    with listening() as (site, asked), launched() as browser:
        page = browser.new_page()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        for ready in READY[:2]:
            scene, target = saved(tmp_path, ready, markup(site)), tmp_path / f"{Path(ready).stem}.html"
            result = run("report", scene, "-o", target, "--slices", "none", "--title", markup(site))
            assert target.exists(), result.output
            page.goto(target.as_uri())
            page.wait_for_timeout(300)
            assert page.evaluate(RAN) == [None, 0, 0]
            assert "javascript:window.ran=6" in page.locator("body").inner_text()
        assert asked == [url for url in requests if not url.startswith(("file:", "data:"))] == []


def test_the_policies_of_page_and_report_stop_markup_that_is_not_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    monkeypatch.setattr("holdfast.web.page.prose", lambda text: text)
    monkeypatch.setattr("holdfast.reports.markup.escape", lambda text: text)
    with listening() as (site, asked), launched() as browser:
        frame = f'<iframe srcdoc="<script>parent.ran=1</script>"></iframe><img src="{site}/a" onerror="window.ran=2">'
        frame += f'<iframe src="{site}/b"></iframe>'
        server = serve(file_pages(str(saved(tmp_path, READY[2], frame))), port=0)
        try:
            tab = Tab(browser, server.url)
            until(lambda: tab.page.locator("iframe").count() > 0)
            tab.page.wait_for_timeout(1000)
            assert tab.page.evaluate("window.ran") is None
            tab.close()
        finally:
            server.stop()
        target = tmp_path / "report.html"
        run("report", saved(tmp_path, READY[0], frame), "-o", target, "--slices", "none")
        page = browser.new_page()
        page.goto(target.as_uri())
        assert page.locator("iframe").count() > 0
        page.wait_for_timeout(300)
        assert page.evaluate("window.ran") is None
        assert asked == []


def test_words_have_paragraphs_bold_code_and_tables_and_nothing_else() -> None:
    made = prose("**a** `b`\n\n| c | d |\n|---|---|\n| <e> | **f** |\n\n[g](h) ![i](j) \x1b")
    assert "<b>a</b> <code>b</code></p>" in made and "&lt;e&gt;" in made and "<b>f</b>" in made
    assert made.count("<tr>") == 2 and "[g](h) ![i](j) \\u001b" in made and "<img" not in made
