"""Browsers without a screen: they speak to the viewer's server over a real websocket, as the page in a browser does."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec
import viser
import zstandard
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from holdfast.viewer.server import ViewerServer
from holdfast.viewer.session import Session

#: What a browser says when it has drawn its first picture.
CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (1.0, 1.0, 1.0),
    "fov": 1.0,
    "near": 0.01,
    "far": 100.0,
    "image_height": 600,
    "image_width": 800,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}


def until(claim: Callable[[], Any], seconds: float = 180.0) -> None:
    """Wait until a claim is true; a failed assertion when that takes too long."""
    end = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < end, "took too long"
        time.sleep(0.005)


def socket_to(url: str, *, called: str | None = None, origin: str | None = None) -> ClientConnection:
    """A websocket to the server at an address, which may be called by another name ("host:port"), from an origin."""
    parts = urlsplit(url)
    assert parts.hostname is not None and parts.port is not None
    return connect(
        f"ws://{called or parts.netloc}{parts.path}?{parts.query}",
        sock=socket.create_connection((parts.hostname, parts.port)),
        origin=None if origin is None else Origin(origin),
        subprotocols=[Subprotocol(f"viser-v{viser.__version__}")],
        max_size=None,
        compression=None,
    )


class Wire:
    """One connection to the server at an address.

    Attributes:
        controls: identifiers of the controls that the server has shown, by their labels.
        shown: markup of the verdict panel, as last sent.
        closed: set when the server has closed the connection.
    """

    def __init__(self, url: str) -> None:
        self.controls: dict[str, str] = {}
        self.shown = ""
        self.closed = threading.Event()
        self._panel = ""
        self._socket = socket_to(url)
        self._drain = threading.Thread(target=self._read, daemon=True)
        self._drain.start()
        self.send(CAMERA)

    def _read(self) -> None:
        try:
            for raw in self._socket:
                assert isinstance(raw, bytes)
                packed = raw[16 : 16 + int.from_bytes(raw[8:16], "little")]
                sent = msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(packed))
                for message in sent["messages"]:
                    self._take(message)
        except ConnectionClosed:
            pass
        self.closed.set()

    def _take(self, message: dict[str, Any]) -> None:
        props = message.get("props") or {}
        if "label" in props:
            self.controls[props["label"]] = message["uuid"]
        if message["type"] == "GuiHtmlMessage" and "holdfast-verdict" in props["content"]:
            self._panel, self.shown = message["uuid"], props["content"]
        elif message["type"] == "GuiUpdateMessage" and message["uuid"] == self._panel:
            self.shown = message["updates"]["content"]

    def send(self, message: dict[str, Any] | bytes | str) -> None:
        """Send a message of the page, or anything else."""
        self._socket.send(msgspec.msgpack.encode(message) if isinstance(message, dict) else message)

    def set(self, identifier: str, value: Any) -> None:
        """Give a control a value, possible or not."""
        self.send({"type": "GuiUpdateMessage", "uuid": identifier, "updates": {"value": value}})

    def start_upload(self, name: str, size: int, parts: int, button: str) -> None:
        """Announce a file."""
        self.send(
            {
                "type": "FileTransferStartUpload",
                "source_component_uuid": button,
                "transfer_uuid": name,
                "filename": name,
                "mime_type": "",
                "part_count": parts,
                "size_bytes": size,
            }
        )

    def send_part(self, name: str, index: int, content: bytes, button: str) -> None:
        """Send a part of a file."""
        kind = "FileTransferPart"
        self.send(
            {
                "type": kind,
                "source_component_uuid": button,
                "transfer_uuid": name,
                "part_index": index,
                "content": content,
            }
        )

    def close(self) -> None:
        self._socket.close()
        self._drain.join(5.0)


class WireBrowser(Wire):
    """One connection to a server of this process, with its session."""

    def __init__(self, server: ViewerServer) -> None:
        before = set(server.sessions)
        super().__init__(server.url)
        until(lambda: set(server.sessions) - before)
        self.number = (set(server.sessions) - before).pop()
        self.session: Session = server.sessions[self.number]

    def move(self, handle: Any, value: Any) -> None:
        """Change a control, as a hand does."""
        self.set(handle._impl.uuid, value)
