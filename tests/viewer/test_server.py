from __future__ import annotations

import contextlib
import socket
import urllib.request

import pytest

from holdfast.errors import HoldfastError, InputError, UnknownNameError
from holdfast.viewer.server import DEFAULT_PORT, PortError, serve
from holdfast.web.page import PageEntry

ENTRIES = (PageEntry("a", "a", "Planar", "a.", lambda _: None),)  # pyright: ignore[reportArgumentType]


def test_it_listens_on_this_machine_alone_and_serves_one_page_without_outside_addresses(
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = serve(ENTRIES, port=0)
    try:
        assert server.url.startswith(f"http://localhost:{server.port}/?token=")
        assert server.url_elsewhere == ""
        page = urllib.request.urlopen(server.url, timeout=60.0).read().decode()
        assert "<html" in page
        assert "https://" not in page.replace("https://react.dev", "")[:2000]
        addresses = {str(address[4][0]) for address in socket.getaddrinfo("localhost", server.port)}
        assert all(address.startswith("127.") or address == "::1" for address in addresses)
    finally:
        server.stop()
        server.stop()
    assert capsys.readouterr().out == ""
    with pytest.raises(OSError, match=r"refused|Connection"):
        urllib.request.urlopen(server.url, timeout=60.0)


def test_a_port_that_was_asked_for_and_is_in_use_is_an_error_and_the_default_one_moves_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortError, match=f"cannot listen on port {port}: address already in use") as caught:
            serve(ENTRIES, port=port)
        assert (caught.value.host, caught.value.port) == ("localhost", port)
        monkeypatch.setattr("holdfast.viewer.server.DEFAULT_PORT", port)
        server = serve(ENTRIES)
        try:
            assert port < server.port < port + 100
        finally:
            server.stop()
    assert DEFAULT_PORT == 8080


def test_a_web_server_that_does_not_ask_at_the_door_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.viewer.door.Door.before", lambda _: contextlib.nullcontext())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(HoldfastError, match="cannot be guarded"):
        serve(ENTRIES, port=port)
    with pytest.raises(ConnectionError):
        socket.create_connection(("127.0.0.1", port))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"port": -1}, InputError, "port"),
        ({"port": 70000}, InputError, "0 to 65535"),
        ({"host": "no such host", "port": 0}, InputError, "not a host of this machine"),
        ({"host": "192.0.2.1", "port": 0}, InputError, "host '192.0.2.1': is not an address of this machine"),
        ({"host": "192.0.2.1"}, InputError, "is not an address of this machine"),
        ({"host": ""}, InputError, "is empty"),
        ({"host": "  "}, InputError, "is empty"),
        ({"host": "localhost "}, InputError, "has blanks around it"),
        ({"host": "a" * 70 + ".b"}, InputError, "not a host of this machine"),
        ({"first": "b"}, UnknownNameError, "no page 'b'"),
    ],
)
def test_what_cannot_be_served_is_told_at_once(arguments: dict, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        serve(ENTRIES, **arguments)
    with pytest.raises(InputError, match="at least one page"):
        serve((), port=0)
