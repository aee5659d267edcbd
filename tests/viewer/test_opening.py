"""A browser is sent to the viewer by a file: the token is in no argument of a process."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import psutil
import pytest

from benchmarks.viewer.browser import FLAGS, NO_CHROMIUM, chromium
from holdfast.viewer import opening
from holdfast.viewer.door import Door
from holdfast.viewer.gallery import entries
from holdfast.viewer.server import serve
from tests.viewer.wire import until

URL = "http://localhost:8080/?token=secret"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The addresses that a browser is asked to open; none is started, and temporary files lie in a folder of the test."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: addresses.append(url) or True)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    return addresses


def file_of(address: str) -> Path:
    parts = urlsplit(address)
    assert parts.scheme == "file"
    return Path(unquote(parts.path))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of files")
def test_only_the_owner_can_read_the_file_and_it_is_removed(asked: list[str]) -> None:
    with opening.opened(URL) as shown:
        assert shown
        path = file_of(asked[0])
        assert "secret" not in asked[0] and URL in path.read_text("utf-8")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not path.parent.exists()
    with pytest.raises(KeyboardInterrupt), opening.opened(URL):
        raise KeyboardInterrupt
    assert not file_of(asked[1]).parent.exists()


def test_browsers_that_see_no_temporary_files_find_it_in_the_home_folder(asked: list[str], tmp_path: Path) -> None:
    (tmp_path / "home" / "snap").mkdir(parents=True)
    with opening.opened(URL):
        assert file_of(asked[0]).parents[1] == tmp_path / "home"
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["snap"]


def test_nothing_is_opened_where_no_file_can_be_written(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("tempfile.mkdtemp", full)
        with opening.opened(URL) as shown:
            assert not shown
    monkeypatch.setattr(Path, "touch", full)
    with opening.opened(URL) as shown:
        assert not shown
    assert asked == []


def holding(token: str) -> list[str]:
    """The commands of all processes that have the token among their arguments."""
    return [
        " ".join(words)
        for process in psutil.process_iter(["cmdline"])
        if token in " ".join(words := process.info["cmdline"] or [])
    ]


@pytest.mark.skipif(chromium() is None, reason=NO_CHROMIUM)
def test_chromium_follows_the_file_to_the_viewer_and_no_process_has_the_token(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[dict[str, str]] = []
    refusal = Door.refusal

    def watched(door: Door, path: str, headers: Any, *where: Any) -> str:
        seen.append({name.lower(): value for name, value in headers.raw_items()})
        return refusal(door, path, headers, *where)

    monkeypatch.setattr(Door, "refusal", watched)
    command = [str(chromium()), "--headless", *FLAGS, f"--user-data-dir={tmp_path / 'profile'}"]
    browsers: list[subprocess.Popen[bytes]] = []

    def start(address: str) -> bool:  # as webbrowser does
        browsers.append(subprocess.Popen([*command, address], stderr=subprocess.DEVNULL))
        return True

    monkeypatch.setattr(webbrowser, "open", start)
    quick = [entry for entry in entries() if entry.key == "body-ladder"]
    server = serve(quick, port=0)
    token = server.url.split("?token=")[1]
    try:
        with opening.opened(server.url) as shown:
            assert shown
            until(lambda: server.sessions)
            assert holding("holdfast-view-") != []  # the browser has the name of the file
            assert holding(token) == []
            (session,) = server.sessions.values()
            until(lambda: session.verdict.shown.status == "it stays where it is")
        page, *_ = seen
        assert page["sec-fetch-mode"] == "navigate" and "origin" not in page
        assert not any("referer" in headers for headers in seen)
    finally:
        for browser in browsers:
            started = [*psutil.Process(browser.pid).children(recursive=True), psutil.Process(browser.pid)]
            for process in started:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.terminate()
            browser.wait(60.0)
        server.stop()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_the_command_opens_a_file_and_removes_it_however_it_is_ended(name: str, tmp_path: Path) -> None:
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/part && mv {tmp_path}/part {tmp_path}/asked\n')
    script.chmod(0o700)
    folder = tmp_path / "temporary"
    folder.mkdir()
    more = {
        "BROWSER": str(script),
        "TMPDIR": str(folder),
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    words = [sys.executable, "-m", "holdfast", "view", "--port", "0", "@ladder"]
    number = getattr(signal, name)

    def not_ignored() -> None:  # shells start programs in the background with some signals ignored
        signal.signal(number, signal.SIG_DFL)

    options: dict[str, Any] = {"env": {**os.environ, **more}, "preexec_fn": not_ignored}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, **options) as process:
        try:
            assert process.stdout is not None
            greeting = process.stdout.readline()
            until(lambda: (tmp_path / "asked").exists())
            path = file_of((tmp_path / "asked").read_text())
            assert path.parents[1] == folder
            url = next(word for word in greeting.split() if "?token=" in word)
            assert url in path.read_text("utf-8") and holding(url.split("?token=")[1]) == []
            process.send_signal(number)
            assert process.wait(60.0) == 0
        finally:
            process.kill()
    assert list(folder.glob("holdfast-view-*")) == []
