"""A browser without a screen: speaks to the viewer's server over a real websocket, as the page in a browser does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

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


class WireBrowser:
    """One connection to a server."""

    def __init__(self, server: ViewerServer) -> None:
        before = set(server.sessions)
        protocol = Subprotocol(f"viser-v{viser.__version__}")
        self._socket = connect(server.url.replace("http", "ws"), subprotocols=[protocol], max_size=None)
        self._drain = threading.Thread(target=self._read, daemon=True)
        self._drain.start()
        self.send(CAMERA)
        until(lambda: set(server.sessions) - before)
        self.number = (set(server.sessions) - before).pop()
        self.session: Session = server.sessions[self.number]

    def _read(self) -> None:
        try:
            for _ in self._socket:
                pass
        except ConnectionClosed:
            pass

    def send(self, message: dict[str, Any]) -> None:
        self._socket.send(msgspec.msgpack.encode(message))

    def move(self, handle: Any, value: Any) -> None:
        """Change a control, as a hand does."""
        self.send({"type": "GuiUpdateMessage", "uuid": handle._impl.uuid, "updates": {"value": value}})

    def close(self) -> None:
        self._socket.close()
        self._drain.join(5.0)
