from __future__ import annotations

import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner
from websockets.datastructures import Headers

from holdfast.errors import InputError
from holdfast.viewer import command as module
from holdfast.viewer import server as room
from holdfast.viewer.door import Door
from holdfast.web.page import PageEntry
from tests.viewer.wire import Wire

ENTRIES = (PageEntry("a", "a", "Planar", "a.", lambda _: None),)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def view(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    """Runs the command until it waits; then it is interrupted."""
    monkeypatch.setattr("holdfast.viewer.gallery.entries", lambda: ENTRIES)
    monkeypatch.setattr(room, "compile_in_background", threading.Thread)
    app = typer.Typer()
    app.command()(module.view)

    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["--no-open", *arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    return run


def test_it_prints_the_address_at_which_the_page_is_served(
    view: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[bytes] = []
    made: list[room.ViewerServer] = []
    serve = room.serve
    monkeypatch.setattr(room, "serve", lambda *args, **more: made.append(serve(*args, **more)) or made[-1])

    def interrupted() -> None:
        served.append(urllib.request.urlopen(made[0].url, timeout=60.0).read(200))
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_wait", interrupted)
    code, output = view("--port", "0", "@block_on_three_points")
    assert code == 0
    assert made[0].url in output and "?token=" in made[0].url
    assert "from other machines" not in output
    assert served[0].lower().startswith(b"<!doctype html>")


def test_a_broken_scene_and_a_port_in_use_are_told_before_anything_is_served(
    view: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("version: 1\ndevice: {kind: 9XX}\n")
    from holdfast.errors import SceneError

    with pytest.raises(SceneError, match=r"broken\.yaml"):
        view(str(broken))
    with pytest.raises(SceneError, match="no ready scene '@nothing'"):
        view("@nothing")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(room.PortError, match="already in use"):
            view("--port", str(taken.getsockname()[1]))


def test_other_machines_are_told_their_address_and_further_names_are_allowed(
    view: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[room.ViewerServer] = []
    serve = room.serve
    monkeypatch.setattr(room, "serve", lambda *args, **more: made.append(serve(*args, **more)) or made[-1])
    answers: list[int] = []

    def interrupted() -> None:
        named = urllib.request.Request(made[0].url, headers={"Host": "viewer.example.org"})
        answers.append(urllib.request.urlopen(named, timeout=60.0).status)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_wait", interrupted)
    names = ("--allow-host", "viewer.example.org", "--allow-host", "localhost:9000")
    code, output = view("--host", "0.0.0.0", "--port", "0", *names)
    assert (code, answers) == (0, [200])
    assert f"from other machines: {made[0].url_elsewhere}" in output and "?token=" in made[0].url_elsewhere
    with pytest.raises(InputError, match="give NAME or NAME:PORT"):
        view("--port", "0", "--allow-host", "https://viewer.example.org")


#: The viewer with a page that is read, or computes, for long.
BUSY = """
import sys, threading, time
from holdfast.web.page import PageEntry
from holdfast.viewer import gallery

class Page:
    title = "busy"
    def __init__(self, context):
        self.context = context
        if sys.argv[1] == "read":
            self.work()
    def open(self):
        if sys.argv[1] == "compute":
            self.context.worker.ask(self.work, lambda *_: None)
    def close(self):
        pass
    def work(self):
        for _ in range(300):
            print("busy", flush=True)
            end = time.monotonic() + 1.0
            while time.monotonic() < end:
                pass

gallery.entries = lambda: (PageEntry("a", "a", "Planar", "a.", Page),)
from holdfast.viewer import server
if sys.argv[1] == "compile":  # the kernels, in a process for each family
    from holdfast import precompiling
    from holdfast.precompiling import families
    precompiling.is_compiled = lambda: False
    families._compiled = lambda *_: Page.work(None)
else:
    server.compile_in_background = threading.Thread
from holdfast.cli import app
app(args=["view", "--no-open", "--port", "0"], prog_name="holdfast")
"""


@pytest.mark.parametrize("doing", ["read", "compute", "compile"])
def test_the_viewer_ends_when_it_is_told_to_whatever_it_does(doing: str) -> None:
    process = subprocess.Popen([sys.executable, "-c", BUSY, doing], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        url = next(word for line in process.stdout for word in line.split() if word.startswith("http"))
        wire = Wire(url)
        assert "busy" in iter(lambda: process.stdout.readline().strip(), "")  # pyright: ignore[reportOptionalMemberAccess]
        process.send_signal(signal.SIGTERM)
        assert process.wait(30.0) == 0
        assert wire.closed.wait(30.0)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("page", ["Dockerfile", "docs/interop.md"])
def test_the_command_for_docker_is_served_to_the_browser_outside_the_container_and_to_no_other_name(
    view: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    text = re.sub(r"\\\n#? *", "", (Path(__file__).parents[2] / page).read_text("utf-8"))
    (line,) = re.findall(r"docker run [^\n]* view [^\n]*", text)
    published = line.partition(" -p ")[2].split()[0].split(":")
    asked: dict[str, Any] = {}

    def serve(pages: tuple[PageEntry, ...], **options: Any) -> None:
        asked.update(options)
        raise KeyError

    monkeypatch.setattr(room, "serve", serve)
    with pytest.raises(KeyError):
        view(*shlex.split(line.partition(" view ")[2]))
    assert (asked["host"], asked["port"]) == ("0.0.0.0", int(published[-1]))
    door = Door("c0ffee", asked["allow"])  # the name of the container
    for host, accepted in (("localhost", True), ("127.0.0.1", True), ("stranger.test", False), ("10.0.0.1", False)):
        headers = Headers(Host=f"{host}:{published[-2]}", Origin=f"http://{host}:{published[-2]}")
        refused = door.refusal(f"/?token={door.token}", headers, "172.17.0.2", asked["port"])
        assert (refused == "") is accepted
    assert door.refusal(f"/?token={door.token}", Headers(Host="localhost:9999"), "172.17.0.2", 8080)
    assert door.refusal("/", Headers(Host="localhost:8080"), "172.17.0.2", 8080)


def test_every_kind_of_file_is_served_first(
    view: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, list[str]]] = []

    def serve(pages: tuple[PageEntry, ...], *, first: str, **_: object) -> None:
        asked.append((first, [page.key for page in pages]))
        raise KeyError

    monkeypatch.setattr(room, "serve", serve)
    for name in ("@gecko_on_glass", "@ladder", "@two_link_snake", "@quadruped_on_rock"):
        with pytest.raises(KeyError):
            view(name)
    assert [first for first, _ in asked] == ["gecko-on-glass", "scene-body", "scene-chain", "quadruped-on-rock"]
    assert all(keys[0] == first and keys[-1] == "a" for first, keys in asked)
    assert asked[0][1] == ["gecko-on-glass", "scene-space", "scene-sharing", "scene-stability", "a"]
