"""Who may connect to the viewer, what they may send, and what it costs: by real websockets and plain HTTP."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import msgspec
import psutil
import pytest
import viser
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosedError, InvalidMessage, InvalidStatus

from holdfast.errors import InputError
from holdfast.viewer.door import (
    ARRIVALS_AT_ONCE,
    ARRIVALS_PER_SECOND,
    FIRST_REQUEST,
    FLOOD,
    MESSAGES_AT_ONCE,
    MOST_BROWSERS,
    MOST_CONNECTIONS,
    MOST_PER_ADDRESS,
    Allowance,
    Door,
    place,
)
from holdfast.viewer.gallery import entries
from holdfast.viewer.messages import LARGEST_MESSAGE, LARGEST_UPLOADS, MOST_UPLOADS, SMALLEST_PART, Inbox
from holdfast.viewer.server import ViewerServer, serve
from holdfast.web.page import PageContext, PageEntry, Verdict
from tests.nightly import nightly_after
from tests.viewer.wire import CAMERA, Wire, WireBrowser, socket_to, until

#: Characters of a header.
PRINTED = "".join(map(chr, range(33, 127)))

#: Parts in which the page sends a file [bytes].
PART = 2**19


class ControlsPage:
    """One control of each kind; the verdict says what they are, and a handle in the scene what it is."""

    title = "controls"

    def __init__(self, context: PageContext) -> None:
        self.context = context

    def open(self) -> None:
        gui = self.context.client.gui
        self.slider = gui.add_slider("Slider", 0.0, 10.0, 0.5, 1.0)
        self.steps = gui.add_slider("Steps", 1, 9, 1, 3)
        self.menu = gui.add_dropdown("Menu", ("one", "two"), initial_value="one")
        self.box = gui.add_checkbox("Box", False)
        self.number = gui.add_number("Number", 0.5, min=0.0, max=5.0)
        self.free = gui.add_number("Free", 0.5)
        self.text = gui.add_text("Text", "a")
        self.button = gui.add_button("Button")
        self.upload = gui.add_upload_button("Upload")
        self.handle = self.context.client.scene.add_transform_controls("/handle")
        for control in (self.slider, self.steps, self.menu, self.box, self.number, self.free, self.text, self.handle):
            control.on_update(lambda _: self.tell())
        self.upload.on_upload(lambda _: self.tell())
        self.button.on_click(lambda _: self.tell())
        self.tell()

    @property
    def state(self) -> tuple[Any, ...]:
        """The values of all controls."""
        controls = (self.slider, self.steps, self.menu, self.box, self.number, self.free, self.text)
        return (*(control.value for control in controls), len(self.upload.value.content), *self.handle.position)

    def tell(self) -> None:
        self.context.verdict.show(Verdict(" ".join(str(value) for value in self.state)))

    def close(self) -> None:
        pass


ENTRIES = (PageEntry("c", "Controls", "Planar", "Controls.", ControlsPage),)

#: What `ControlsPage` says at first.
START = "1.0 3 one False 0.5 0.5 a 0 0.0 0.0 0.0"


@pytest.fixture(scope="module")
def server() -> Iterator[ViewerServer]:
    made = serve(ENTRIES, port=0, allow=("viewer.example.org", "tunnel.example.org:9000"))
    yield made
    made.stop()


@pytest.fixture
def visitor(
    server: ViewerServer, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> Iterator[WireBrowser]:
    """A browser on the page of controls; in the end it is still served, and nobody has printed or logged a word."""
    browser = WireBrowser(server)
    until(lambda: START in browser.shown)
    yield browser
    browser.move(page_of(browser).number, 2.25)
    until(lambda: " 2.25 " in browser.session.verdict.shown.status)
    assert not browser.closed.is_set()
    browser.close()
    until(lambda: not server.sessions)
    assert capfd.readouterr() == ("", "")
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def page_of(browser: WireBrowser) -> Any:
    return browser.session.page


def told(browser: WireBrowser, words: str) -> None:
    """Wait until the page shows an error with these words."""
    until(lambda: words in browser.session.verdict.error, 20.0)


# -- who may connect -------------------------------------------------------------------------------


def status(url: str, **headers: str) -> tuple[int, str]:
    """What plain HTTP answers."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60.0) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_page_is_given_to_its_own_addresses_with_the_token_and_to_nobody_else(server: ViewerServer) -> None:
    base, token = server.url.split("?token=")
    here = urlsplit(base).netloc
    assert len(token) >= 32 and serve_token() != token
    good, page = status(server.url)
    assert good == 200 and "<html" in page and token not in page
    assert status(f"http://127.0.0.1:{server.port}/?token={token}")[0] == 200
    assert status(server.url, Origin=f"http://{here}")[0] == 200
    assert status(server.url, Host="viewer.example.org", Origin="https://viewer.example.org")[0] == 200
    assert status(server.url, Host="tunnel.example.org:9000")[0] == 200
    for path in (
        "",
        "?token=",
        f"?token={token[:-1]}",
        f"?token={token}x",
        f"?token=a&token={token}",
        f"?Token={token}",
    ):
        assert status(base + path)[0] == 403
    assert status(f"{base}index.html")[0] == status(f"{base}nothing")[0] == 403
    assert status(f"{base}nothing?token={token}")[0] == 404
    strangers = ("stranger.test", f"stranger.test:{server.port}", "localhost", f"localhost:{server.port + 1}",
                 f"localhost.stranger.test:{server.port}", f"viewer.example.org:{server.port}", "tunnel.example.org",
                 f"127.0.0.2:{server.port}", f"user@localhost:{server.port}", f"[::2]:{server.port}", "", "a b")  # fmt: skip
    for name in strangers:
        code, words = status(server.url, Host=name)
        assert code == 403 and token not in words and "--allow-host" in words, name
    for origin in ("http://stranger.test", "null", f"http://localhost:{server.port + 1}", "http://localhost",
                   f"https://stranger.test:{server.port}", f"file://localhost:{server.port}", ""):  # fmt: skip
        assert status(server.url, Origin=origin)[0] == 403, origin


def serve_token() -> str:
    """The token of another server."""
    return Door("localhost").token


def test_a_websocket_needs_the_host_the_origin_and_the_token_each(server: ViewerServer) -> None:
    base, token = server.url.split("?token=")
    here = urlsplit(base).netloc
    refused: list[dict[str, str]] = [
        {"url": f"{base}?"},
        {"url": f"{base}?token={token[::-1]}"},
        {"url": server.url, "origin": "http://stranger.test"},
        {"url": server.url, "origin": "null"},
        {"url": server.url, "called": f"stranger.test:{server.port}"},
        {"url": server.url, "called": f"stranger.test:{server.port}", "origin": f"http://stranger.test:{server.port}"},
    ]
    for arguments in refused:
        with pytest.raises(InvalidStatus) as caught:
            socket_to(**arguments)
        assert caught.value.response.status_code == 403
    assert server.sessions == {}
    for origin in (None, f"http://{here}", f"http://127.0.0.1:{server.port}", "https://viewer.example.org"):
        socket_to(server.url, origin=origin).close()


def test_what_does_not_speak_http_is_not_logged(server: ViewerServer, capfd: pytest.CaptureFixture[str]) -> None:
    address = ("127.0.0.1", server.port)
    for rubbish in (b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\nHost: a\r\n\r\n",
                    b"GET /" + b"a" * 10_000 + b" HTTP/1.1\r\n\r\n", b"\r\n" * 5000):  # fmt: skip
        with socket.create_connection(address) as raw:
            raw.sendall(rubbish)
            raw.shutdown(socket.SHUT_WR)
            raw.settimeout(60.0)
            answer = raw.recv(100)
            assert answer[:10] == b"" or answer[9:12] in (b"400", b"403", b"414", b"500")
    assert status(server.url)[0] == 200
    assert capfd.readouterr() == ("", "")


def test_every_interface_demands_the_token_and_knows_its_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Workstation")
    server = serve(ENTRIES, host="0.0.0.0", port=0)
    try:
        base, token = server.url.split("?token=")
        assert server.url.startswith(f"http://localhost:{server.port}/?token=")
        assert server.url_elsewhere == f"http://Workstation:{server.port}/?token={token}"
        assert status(server.url)[0] == status(server.url, Host=f"workstation:{server.port}")[0] == 200
        assert status(base)[0] == status(server.url, Host=f"192.0.2.7:{server.port}")[0] == 403
    finally:
        server.stop()
    door = Door("Workstation")
    headers = Headers(Host="192.0.2.7:8080", Origin="http://192.0.2.7:8080")
    path = f"/?token={door.token}"
    assert door.refusal(path, headers, "192.0.2.7", 8080) == ""
    assert door.refusal(path, headers, "192.0.2.8", 8080) != ""
    assert door.refusal(path, Headers(Host="localhost:8080"), "192.0.2.7", 8080) != ""
    assert door.refusal(path, Headers(Host="[2001:db8::1]:8080"), "2001:db8:0::1", 8080) == ""
    assert door.refusal(path, Headers(Host="192.0.2.7:8080"), "::ffff:192.0.2.7", 8080) == ""
    assert door.refusal(path, Headers(), "192.0.2.7", 8080) != ""
    assert door.refusal(path, Headers([("Host", "192.0.2.7:8080"), ("Host", "a")]), "192.0.2.7", 8080) != ""
    assert door.refusal("/", headers, "192.0.2.7", 8080) != ""


def test_a_name_to_be_allowed_is_a_name() -> None:
    assert place("Viewer.example.org:443") == place("viewer.example.org") == ("viewer.example.org", None)
    assert place("[::1]:80") == ("::1", None) and place("127.0.0.1:8080") == ("127.0.0.1", 8080)
    for name in ("https://viewer.example.org", "viewer.example.org/", "a b", "", "*", "a:b"):
        with pytest.raises(InputError, match="give NAME or NAME:PORT"):
            serve(ENTRIES, port=0, allow=(name,))


@given(st.sampled_from(["localhost:8080", "127.0.0.1:8080"]), st.integers(0, 13), st.integers(0, 1), st.text(PRINTED))
def test_a_host_that_differs_in_any_character_is_refused(name: str, start: int, dropped: int, put: str) -> None:
    door = Door("localhost")
    near = name[:start] + put + name[start + dropped :]
    refused = door.refusal(f"/?token={door.token}", Headers([("Host", near)]), "127.0.0.1", 8080)
    assert (refused == "") == (near.lower() in ("localhost:8080", "127.0.0.1:8080"))


@given(st.text("/?&=[]%:#token"), st.text(PRINTED))
def test_no_path_without_the_token_is_let_in(path: str, token: str) -> None:
    door = Door("localhost")
    for near in (path, f"/?token={token}", f"{path}?token={door.token[1:]}{token}"):
        assert door.refusal(near, Headers(Host="localhost:8080"), "127.0.0.1", 8080) != ""


# -- what they may send ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("Slider", "1.5"), ("Slider", float("nan")), ("Slider", float("inf")), ("Slider", 1e9), ("Slider", -3),
        ("Slider", True), ("Slider", None), ("Slider", [1.0]), ("Slider", {"a": 1}), ("Slider", b"1"), ("Slider", 2**63),
        ("Steps", "two"), ("Steps", 400), ("Menu", "three"), ("Menu", 1), ("Menu", None), ("Menu", ""), ("Menu", ["one"]),
        ("Box", "yes"), ("Box", 1), ("Number", -1.0), ("Number", 6), ("Number", "1"), ("Free", float("-inf")),
        ("Text", 5), ("Text", "x" * 2000), ("Button", "x"), ("Upload", "x"), ("Upload", True), ("Page", "nothing"),
    ],
)  # fmt: skip
def test_a_value_that_a_control_cannot_have_is_reported_in_the_page_and_changes_nothing(
    visitor: WireBrowser, label: str, value: Any
) -> None:
    visitor.set(visitor.controls[label], value)
    until(lambda: visitor.session.verdict.error, 20.0)
    decoded = isinstance(value, str | bool | int) or value in (-1.0, 1e9)
    assert visitor.session.verdict.error.startswith(label if decoded and value != 2**63 else "message: cannot be read")
    assert visitor.session.verdict.shown.status == START
    assert " ".join(map(str, page_of(visitor).state)) == START


def test_values_that_controls_can_have_are_taken(visitor: WireBrowser) -> None:
    values = {
        "Slider": 2,
        "Steps": 4,
        "Menu": "two",
        "Box": True,
        "Number": 1,
        "Free": -7.5,
        "Text": "b",
        "Button": True,
    }
    for label, value in values.items():
        visitor.set(visitor.controls[label], value)
    moved = {"name": "/handle", "wxyz": (1, 0, 0, 0), "position": (1, 2, 3), "owner": str(visitor.number)}
    owner = page_of(visitor).context.client.scene._owner_id
    for kind in ("DragStart", "Update", "DragEnd"):
        fields = moved if kind == "Update" else {"name": "/handle"}
        visitor.send({"type": f"TransformControls{kind}Message", **fields, "owner": owner})
    until(lambda: visitor.session.verdict.shown.status == "2.0 4 two True 1.0 -7.5 b 0 1.0 2.0 3.0", 20.0)
    visitor.set(visitor.controls["Slider"], 10.25)  # as far as the next step beyond the end
    until(lambda: page_of(visitor).slider.value == 10.0, 20.0)
    assert visitor.session.verdict.error == ""


@pytest.mark.parametrize(
    "message",
    [
        b"", b"\xc1", b"\x91" * 200_000, b"\x81\xa4type\xa1\xff", b"\xdf\xff\xff\xff\xff\xa4type", "text", "",
        random.Random(1).randbytes(500), {"type": "ShareUrlRequest"}, {"type": "ShareUrlDisconnect"}, {"type": "Nothing"}, {"kind": 1},
        {"type": "GuiFormDirtyMessage", "uuid": "a"}, {"type": ["a"]}, {"type": "GuiUpdateMessage"},
        {"type": "GuiUpdateMessage", "uuid": 5, "updates": {"value": 1}},
        {"type": "GuiUpdateMessage", "uuid": "a", "updates": {"update_cb": [], "value": 1}},
        {"type": "GuiUpdateMessage", "uuid": "a", "updates": {"value": 1}, "more": 1},
        {"type": "ViewerCameraMessage"}, CAMERA | {"position": (1.0, 2.0)}, CAMERA | {"fov": float("nan")},
        CAMERA | {"wxyz": (0.0, 0.0, 0.0, 0.0)}, CAMERA | {"image_width": "wide"}, CAMERA | {"look_at": None},
        {"type": "TransformControlsUpdateMessage", "name": "/handle", "wxyz": (1, 0, 0, 0), "position": (1e300, 0, 0)},
        {"type": "FileTransferPart", "source_component_uuid": "a", "transfer_uuid": "b", "part_index": -1, "content": b""},
        {"type": "SceneNodeClickMessage", "name": "/handle"}, {"type": "RemoveSceneNodeMessage", "name": "/handle"},
        {"type": "GetRenderResponseMessage", "payload": b"a", "render_uuid": "b"},
    ],
    ids=lambda message: repr(message)[:30],
)  # fmt: skip
def test_a_message_that_the_page_does_not_send_is_reported_and_the_browser_stays(
    visitor: WireBrowser, message: dict[str, Any] | bytes | str
) -> None:
    visitor.send(message)
    told(visitor, "message: ")


def test_an_unknown_control_and_parts_of_no_upload_are_passed_over(visitor: WireBrowser) -> None:
    visitor.set("nothing", 1.0)
    visitor.send_part("nothing", 0, b"a", visitor.controls["Upload"])
    visitor.set(visitor.controls["Text"], "z")
    until(lambda: " z " in visitor.session.verdict.shown.status, 20.0)
    assert visitor.session.verdict.error == ""


@given(st.binary(max_size=200))
def test_bytes_are_read_or_refused(raw: bytes) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Inbox(lambda _: None).read(raw)


def _message(kind: str, fields: dict[str, Any]) -> bytes:
    return msgspec.msgpack.encode({"type": kind, **fields})


KINDS = ("GuiUpdateMessage", "ViewerCameraMessage", "FileTransferStartUpload", "FileTransferPart", "ShareUrlRequest",
         "TransformControlsUpdateMessage", "TransformControlsDragStartMessage")  # fmt: skip
FIELDS = (*CAMERA, "uuid", "updates", "name", "owner", "source_component_uuid", "transfer_uuid", "filename", "mime_type",
          "part_count", "size_bytes", "part_index", "content")  # fmt: skip
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5) | st.just("value"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=9))
def test_messages_with_any_fields_are_read_or_refused(kind: str, fields: dict[str, Any]) -> None:
    fields.pop("type", None)
    try:
        read = Inbox(lambda _: None).read(_message(kind, fields))
    except InputError:
        return
    assert read is None or msgspec.msgpack.decode(read)["type"] == kind


def test_the_web_server_reads_what_was_checked_where_a_key_stands_twice() -> None:
    hidden = b"\x84\xa4type\xa4Gone" + _message("GuiUpdateMessage", {"uuid": "a", "updates": {"value": 1.0}})[1:]
    with pytest.raises(InputError):
        Inbox(lambda _: None).read(hidden)
    twice = b"\x84" + _message("GuiUpdateMessage", {"uuid": "a", "updates": {"value": 1.0}})[1:] + b"\xa4uuid\xa1b"
    assert Inbox(lambda _: None).read(twice) == _message("GuiUpdateMessage", {"uuid": "b", "updates": {"value": 1.0}})


# -- how much --------------------------------------------------------------------------------------


def test_files_are_taken_up_to_the_limit_and_unfinished_ones_count(visitor: WireBrowser) -> None:
    button = visitor.controls["Upload"]
    visitor.start_upload("small", 3, 1, button)
    visitor.send_part("small", 0, b"abc", button)
    until(lambda: page_of(visitor).upload.value.content == b"abc", 20.0)
    visitor.start_upload("empty", 0, 0, button)
    until(lambda: page_of(visitor).upload.value.content == b"", 20.0)
    visitor.start_upload("huge", 1600 * 2**20, 3200, button)
    told(visitor, "upload 'huge': has 1677721600 bytes, 52428800 are left")
    visitor.start_upload("a", LARGEST_UPLOADS - 10, 100, button)
    visitor.start_upload("b", 11, 1, button)
    told(visitor, "upload 'b': has 11 bytes, 10 are left")
    visitor.start_upload("c", 10, 2, button)
    told(visitor, "upload 'c': has 2 parts")
    visitor.start_upload("d", 10, 1, button)
    visitor.send_part("d", 0, b"a" * 11, button)
    told(visitor, "part 0 of an upload: makes 11 bytes; 10 were announced")
    visitor.send_part("d", 1, b"a", button)
    told(visitor, "part 1 of an upload: was not announced")
    visitor.send_part("d", 0, b"a" * 9, button)
    told(visitor, "part 0 of an upload: makes 9 bytes; 10 were announced")
    visitor.send_part("d", 0, b"b" * 10, visitor.controls["Slider"])
    told(visitor, "belongs to another button")
    visitor.start_upload("e", 5, 1, visitor.controls["Slider"])
    told(visitor, "upload 'e': has no button")
    visitor.send_part("d", 0, b"b" * 10, button)
    until(lambda: page_of(visitor).upload.value.content == b"b" * 10, 20.0)
    for number in range(1, MOST_UPLOADS):
        visitor.start_upload(f"f{number}", 1, 1, button)
    visitor.start_upload("g", 1, 1, button)
    told(visitor, f"there are {MOST_UPLOADS} unfinished ones")
    visitor.start_upload("f1", 1, 1, button)
    told(visitor, "has already started")
    assert LARGEST_UPLOADS // SMALLEST_PART < 1000  # parts of one upload


def test_a_message_beyond_the_limit_ends_its_connection_before_it_is_there(server: ViewerServer) -> None:
    browser, other = WireBrowser(server), WireBrowser(server)
    browser.send(b"a" * (LARGEST_MESSAGE + 1))
    assert browser.closed.wait(60.0)
    assert browser._socket.close_code == 1009
    slow = socket_to(server.url)

    def drip() -> Iterator[bytes]:  # a message in fragments that does not end
        for _ in range(2 * LARGEST_MESSAGE // PART + 1):
            yield b"a" * PART
            time.sleep(0.01)

    with pytest.raises(ConnectionClosedError, match="1009"):
        slow.send(drip())
    assert not other.closed.is_set()
    other.close()
    until(lambda: not server.sessions)


def test_a_page_that_sends_without_end_is_closed_and_others_go_on(
    server: ViewerServer, caplog: pytest.LogCaptureFixture
) -> None:
    other = WireBrowser(server)
    for message in (msgspec.msgpack.encode(CAMERA), b"\xc1", b""):
        browser = WireBrowser(server)
        sent = 0
        with contextlib.suppress(ConnectionClosedError):
            while sent < 20 * MESSAGES_AT_ONCE:
                browser.send(message)
                sent += 1
        assert MESSAGES_AT_ONCE - 1 <= sent < 20 * MESSAGES_AT_ONCE
        assert browser.closed.wait(60.0)
        assert (browser._socket.close_code, browser._socket.close_reason) == (1008, FLOOD)
        until(lambda: len(server.sessions) == 1)
        other.set(other.controls["Text"], f"after {sent}")
        until(lambda sent=sent: f"after {sent}" in other.shown, 20.0)
    other.close()
    until(lambda: not server.sessions)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_what_a_page_sends_in_ten_seconds_at_once_is_taken(visitor: WireBrowser) -> None:
    for step in range(1000):  # a control every 50 ms and as many views, twice over, and a file
        visitor.set(visitor.controls["Slider"], 0.5 * (step % 20))
    button = visitor.controls["Upload"]
    visitor.start_upload("file", LARGEST_UPLOADS, LARGEST_UPLOADS // SMALLEST_PART, button)
    for index in range(LARGEST_UPLOADS // SMALLEST_PART):
        visitor.send_part("file", index, b"a" * SMALLEST_PART, button)
    until(lambda: len(page_of(visitor).upload.value.content) == LARGEST_UPLOADS)


def test_an_allowance_lets_so_many_happen_at_once_and_per_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    allowance = Allowance(4.0, 10)
    assert [allowance.take() for _ in range(12)] == [True] * 10 + [False] * 2
    counts = []
    for _ in range(8):
        now[0] += 0.5
        counts.append(sum(allowance.take() for _ in range(5)))
    assert counts == [2] * 8
    now[0] += 1e6
    assert sum(allowance.take() for _ in range(100)) == 10


def test_browsers_cannot_come_and_go_without_end() -> None:
    server = serve(ENTRIES, port=0)
    try:
        with pytest.raises(InvalidStatus) as caught:
            _connect_often(server)
        assert caught.value.response.status_code == 503 and b"Wait" in (caught.value.response.body or b"")
        assert status(server.url)[0] == 200
        until(lambda: _connects(server), 60.0)
    finally:
        server.stop()


def test_browsers_and_connections_are_limited_and_those_who_leave_make_room(server: ViewerServer) -> None:
    server._door._arrivals = Allowance(ARRIVALS_PER_SECOND, ARRIVALS_AT_ONCE)  # whatever tests before have used of it
    open_ones = [socket_to(server.url) for _ in range(MOST_BROWSERS)]
    with pytest.raises(InvalidStatus) as caught:
        socket_to(server.url)
    assert caught.value.response.status_code == 503
    assert status(server.url)[0] == 200
    for one in open_ones:
        one.close()
    until(lambda: _connects(server), 60.0)


def test_silent_connections_keep_nobody_out_and_are_closed_soon(server: ViewerServer) -> None:
    until(lambda: _connects(server), 60.0)
    start = time.monotonic()
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(MOST_CONNECTIONS + 16)]
    one = socket_to(server.url)  # at once, though they are all there
    assert status(server.url)[0] == 200
    assert time.monotonic() - start < FIRST_REQUEST
    assert len(server._door.visitors) <= MOST_PER_ADDRESS
    silent[-1].settimeout(60.0)
    silent[-1].send(b"GET / HTTP/1.1\r\n")  # a request that never ends
    with contextlib.suppress(ConnectionError):
        while silent[-1].recv(1000):
            pass
    assert time.monotonic() - start < 4.0 * FIRST_REQUEST
    until(lambda: len(server._door.visitors) == 1)
    one.close()
    for other in silent:
        other.close()


def _connect_often(server: ViewerServer) -> None:
    for _ in range(2 * ARRIVALS_AT_ONCE):
        until(lambda: len(server._door.visitors) < MOST_BROWSERS // 2)
        socket_to(server.url).close()


def _connects(server: ViewerServer) -> bool:
    try:
        socket_to(server.url).close()
    except (InvalidStatus, InvalidMessage, OSError):
        return False
    return True


#: A server with the page of controls, in a process of its own.
SERVER = """
import threading
from holdfast.viewer.server import serve
from tests.viewer.test_door import ENTRIES
print(serve(ENTRIES, port=0).url, flush=True)
threading.Event().wait()
"""


@pytest.fixture
def alone() -> Iterator[tuple[str, psutil.Process]]:
    """A server in a process of its own: its address, and the process."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip(), psutil.Process(process.pid)
    process.kill()
    process.wait(60.0)
    process.stdout.close()


def test_unfinished_uploads_do_not_fill_the_memory_and_it_is_given_back(alone: tuple[str, psutil.Process]) -> None:
    url, process = alone
    browser = Wire(url)
    until(lambda: START in browser.shown)
    button = browser.controls["Upload"]
    before = process.memory_info().rss
    largest = 0
    part = os.urandom(PART)
    for name, parts in (("huge", 3200), *((f"again {number}", 99) for number in range(8))):
        browser.start_upload(name, parts * PART, parts, button)
        for index in range(min(parts, 400) - 1):  # never the last one
            browser.send_part(name, index, part, button)
            if index % 20 == 0:
                largest = max(largest, process.memory_info().rss)
    until(lambda: "bytes, " in browser.shown)
    browser.set(browser.controls["Text"], "still there")
    until(lambda: "still there" in browser.shown)
    largest = max(largest, process.memory_info().rss)
    assert 0.9 * LARGEST_UPLOADS < largest - before < 1.5 * LARGEST_UPLOADS
    browser.close()
    until(lambda: process.memory_info().rss - before < 0.2 * LARGEST_UPLOADS, 60.0)


def test_a_whole_file_is_held_a_few_times_and_given_back(alone: tuple[str, psutil.Process]) -> None:
    url, process = alone
    browser = Wire(url)
    until(lambda: START in browser.shown)
    button, before = browser.controls["Upload"], process.memory_info().rss
    for number in range(4):
        browser.start_upload(f"file {number}", LARGEST_UPLOADS, LARGEST_UPLOADS // PART, button)
        for index in range(LARGEST_UPLOADS // PART):
            browser.send_part(f"file {number}", index, bytes([number]) * PART, button)
    until(lambda: f" {LARGEST_UPLOADS} " in browser.shown)
    assert process.memory_info().rss - before < 4 * LARGEST_UPLOADS
    browser.close()
    until(lambda: process.memory_info().rss - before < 0.2 * LARGEST_UPLOADS, 60.0)


# -- one browser and another -----------------------------------------------------------------------


def test_neither_of_two_browsers_reaches_the_other(server: ViewerServer) -> None:
    first, second = WireBrowser(server), WireBrowser(server)
    until(lambda: START in first.shown and START in second.shown)
    for mine, yours in ((first, second), (second, first)):
        assert set(mine.controls.values()).isdisjoint(yours.controls.values())
        held = page_of(yours).state
        for label, value in {"Slider": 5.0, "Menu": "two", "Text": "from outside", "Page": "nothing"}.items():
            mine.set(yours.controls[label], value)
        button = yours.controls["Upload"]
        mine.start_upload("foreign", 3, 1, button)
        told(mine, "upload 'foreign': has no button")
        mine.send_part("foreign", 0, b"abc", button)
        yours.start_upload("shared", 6, 1, button)
        mine.send_part("shared", 0, b"foreig", button)
        owner = page_of(yours).context.client.scene._owner_id
        moved = {"name": "/handle", "wxyz": (1, 0, 0, 0), "position": (9, 9, 9), "owner": owner}
        mine.send({"type": "TransformControlsUpdateMessage", **moved})
        mine.send({"type": "GuiFormDirtyMessage", "uuid": yours.controls["Slider"]})
        told(mine, "message: ")
        assert page_of(yours).state == held and yours.session.verdict.error == ""
        yours.send_part("shared", 0, b"mine!!", button)
        until(lambda yours=yours: page_of(yours).upload.value.content == b"mine!!", 20.0)
        mine.set(mine.controls["Text"], "moved")
        until(lambda mine=mine: page_of(mine).text.value == "moved", 20.0)
        assert page_of(yours).state[:7] == held[:7]
    shown = [browser.shown for browser in (first, second)]
    assert "from outside" not in "".join(shown)
    first.close()
    until(lambda: len(server.sessions) == 1)
    second.set(second.controls["Text"], "alone")
    until(lambda: "alone" in second.shown, 20.0)
    second.close()
    until(lambda: not server.sessions)


def test_a_browser_that_leaves_is_forgotten(server: ViewerServer) -> None:
    import gc
    import weakref

    browser = WireBrowser(server)
    until(lambda: START in browser.shown)
    left = [weakref.ref(browser.session), weakref.ref(browser.session._client), weakref.ref(page_of(browser))]
    browser.close()
    del browser.session
    until(lambda: gc.collect() >= 0 and not any(one() for one in left), 60.0)
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("viewer")]


# -- the pages -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gallery() -> Iterator[ViewerServer]:
    made = serve(entries(), port=0, first="body-ladder")
    yield made
    made.stop()


@pytest.mark.parametrize("key", nightly_after(2, ["body-box", "quadruped-on-rock", *(e.key for e in entries())]))
def test_pages_answer_the_ends_of_their_controls_and_far_handles(
    gallery: ViewerServer, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    browser = WireBrowser(gallery)
    session = browser.session
    session.switch(key)
    until(lambda: session.key == key and session.page is not None)
    own = session._client.scene._owner_id
    for handle in list(session._client.gui._gui_input_handle_from_uuid.values()):
        for value in ends(handle) if handle.label != "Page" else ():
            browser.move(handle, value)
            assert session.worker.wait(180.0)
    for name in list(session._client.scene._handle_from_transform_controls_name):
        for position in ((1e12, 1e12, 1e12), (-1e12, 0, 0), (0, 0, 0)):
            moved = {"name": name, "wxyz": (0.5, 0.5, -0.5, 0.5), "position": position, "owner": own}
            browser.send({"type": "TransformControlsUpdateMessage", **moved})
            assert session.worker.wait(180.0)
    assert "internal error" not in session.verdict.error
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
    browser.close()
    until(lambda: not gallery.sessions)


def ends(handle: Any) -> tuple[Any, ...]:
    """Values at and beyond the ends of a control."""
    match handle:
        case viser.GuiSliderHandle():
            return handle.min - handle.step, handle.max + handle.step, handle.value
        case viser.GuiDropdownHandle():
            return "nothing", handle.options[-1], handle.value
        case viser.GuiNumberHandle():
            return handle.min, handle.max, -1e12, 1e12
        case viser.GuiTextHandle():
            return "nan, inf, 1, 2", "1e308, 2e308", "\x00", "9" * 900, ""
        case viser.GuiCheckboxHandle():
            return True, False
        case _:
            return ()
