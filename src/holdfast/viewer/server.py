"""The viewer's server: one address, one session per browser, no connection to other machines."""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import socket
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import checks
from ..errors import HoldfastError, InputError, missing_extra
from ..web.worker import FAREWELL, give_back, share_heaps
from .session import Session, entry_called

if TYPE_CHECKING:
    import viser

    from ..web.page import PageEntry
    from .door import Door

#: Port of the viewer when none is given.
DEFAULT_PORT = 8080

#: How many ports are tried, starting with the default one.
TRIES = 100

#: Addresses that mean "every interface", each with the address that a browser on this machine uses instead.
EVERYWHERE = {"0.0.0.0": "localhost", "::": "::1"}

#: Error numbers of the system for an address that this machine does not have, or for a missing kind of address.
NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)

#: What to give where the viewer cannot listen on a host.
HOSTS = "give localhost, an address of this machine, or 0.0.0.0 for all of them"

#: Memory of closed sessions is returned to the system this long after the last browser left [s].
TIDY_AFTER = 1.0

#: Added to the nice value of the processes that compile in the background.
NICE = 10


class PortError(HoldfastError):
    """The address cannot be listened on.

    Attributes:
        host: the host that was asked for.
        port: the port that was asked for.
    """

    def __init__(self, host: str, port: int, reason: str, *, fix: str) -> None:
        self.host = host
        self.port = port
        super().__init__(f"cannot listen on port {port}: {reason}", where=host, fix=fix)


class ViewerServer:
    """A running viewer; made by `serve`.

    Every browser has its own session. When a browser disconnects, its session ends, also while something is computed.
    """

    def __init__(
        self, server: viser.ViserServer, door: Door, host: str, entries: Sequence[PageEntry], first: str
    ) -> None:
        self._server = server
        self._door = door
        door.session_of = self._session_of
        self._entries = tuple(entries)
        self._first = first
        self._lock = threading.Lock()
        self._sessions: dict[int, Session] = {}
        self._tidying = threading.Timer(0.0, _tidy)
        self._stopped = False
        self.host = host
        self.port: int = server.get_port()
        server.on_client_connect(self._welcome)
        server.on_client_disconnect(self._farewell)

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine, with its token."""
        return self._address(EVERYWHERE.get(self.host, self.host))

    @property
    def url_elsewhere(self) -> str:
        """The address for a browser on another machine; "" when none can connect."""
        from .door import is_loopback

        return "" if is_loopback(self.host) else self._address(_name(self.host))

    @property
    def sessions(self) -> dict[int, Session]:
        """The browsers that are connected, by their number."""
        with self._lock:
            return dict(self._sessions)

    def stop(self, timeout: float = FAREWELL) -> bool:
        """Disconnect all browsers and end the server; a second call does nothing.

        Returns False where a session still computes or reads after `timeout` seconds: it ends by itself, or with the
        process.
        """
        with self._lock:
            self._stopped, before = True, self._stopped
            sessions, self._sessions = list(self._sessions.values()), {}
            self._tidying.cancel()
        if before:
            return True
        closing = [threading.Thread(target=session.close, args=(timeout,), daemon=True) for session in sessions]
        for thread in closing:
            thread.start()
        end = time.monotonic() + timeout
        for thread in closing:
            thread.join(max(end - time.monotonic(), 0.0))
        with _silent():
            self._server.stop()
        return not any(thread.is_alive() or session.busy for thread, session in zip(closing, sessions, strict=True))

    def _address(self, host: str) -> str:
        named = f"[{host}]" if ":" in host else host
        return f"http://{named}:{self.port}/?token={self._door.token}"

    def _session_of(self, connection: object) -> Session | None:
        """The session of a connection to the web server."""
        connections = self._server._websock_server._live_connections
        numbers = [number for number, known in tuple(connections.items()) if known is connection]
        with self._lock:
            return self._sessions.get(numbers[0]) if numbers else None

    def _welcome(self, client: viser.ClientHandle) -> None:
        # A page may still be computing when its browser leaves; the web server would print a warning.
        client._websock_connection.get_message_buffer()._warned_push_after_done = True
        session = Session(self._server, client, self._entries, self._first)
        with self._lock:
            if not self._stopped:
                self._sessions[client.client_id] = session
        # A browser that left while its session was being made was not yet in the table above.
        if self._stopped or client.client_id not in self._server.get_clients():
            self._farewell(client)
            session.close()
            return
        session.start()

    def _farewell(self, client: viser.ClientHandle) -> None:
        with self._lock:
            session = self._sessions.pop(client.client_id, None)
        if session is not None:
            session.close()
        with self._lock:
            if not self._stopped:
                self._tidying.cancel()
                self._tidying = threading.Timer(TIDY_AFTER, _tidy)
                self._tidying.daemon = True
                self._tidying.start()


def _tidy() -> None:
    """Free objects that only refer to each other, and return the memory to the system."""
    gc.collect()
    give_back()


def compile_in_background() -> threading.Thread:
    """Compile the kernels in the background; meanwhile the viewer uses interpreted ones. Returns the waiting thread."""
    from ..compiling import require_compiled
    from ..precompiling import compile, is_compiled

    def work() -> None:
        with contextlib.suppress(HoldfastError):  # without compiled kernels the viewer is slower, but equally correct
            if not is_compiled():
                compile(jobs=1, priority=NICE)
            require_compiled()

    thread = threading.Thread(target=work, name="compile kernels", daemon=True)
    thread.start()
    return thread


def serve(
    entries: Sequence[PageEntry],
    *,
    host: str = "localhost",
    port: int | None = None,
    first: str = "",
    allow: Sequence[str] = (),
) -> ViewerServer:
    """Start the viewer; it runs on its own threads until `stop`.

    Args:
        entries: the pages of the menu.
        host: the interface to listen on; "localhost" accepts only this machine.
        port: the port; a PortError if it is in use; 0 for any free one; None for 8080 or the first free one after it.
        first: key of the page each browser opens first; "" for the first entry.
        allow: further host names that browsers may use, "name" or "name:port": those of a proxy or a
            tunnel in front of it.
    """
    if not entries:
        raise InputError("is empty", where="entries", fix="give at least one page")
    entry_called(first, entries)
    chosen = _port(host, port)
    share_heaps()
    try:
        import viser
    except ImportError:
        raise missing_extra("viser", "view", purpose="the viewer") from None

    from ..web.folders import remove_left_folders
    from .door import Door

    remove_left_folders()

    door = Door(_name(host), allow)
    with _silent():
        with door.before():
            server = viser.ViserServer(host=host, port=chosen, label="Holdfast", verbose=False)
        if not door.installed:
            server.stop()
            raise HoldfastError(
                f"viser {viser.__version__} cannot be guarded", where="the viewer", fix="install the tested version"
            )
        if server.get_port() != chosen:  # another program took the port, and viser took the next one
            server.stop()
            raise PortError(host, chosen, "it is in use", fix="give another one, or 0 for any free one")
    # No share button: it would request an address from a host outside.
    # No environment map and no shadows: browsers without a graphics card draw them pixel by pixel.
    server.scene.configure_environment_map(hdri=None)
    server.scene.configure_default_lights(cast_shadow=False)
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
    # Beside the picture, not over it: nothing is hidden, and less is drawn.
    server.gui.main_panel.dock_right()
    return ViewerServer(server, door, host, entries, first)


def _name(host: str) -> str:
    """The name by which other machines know this host."""
    return socket.gethostname() if host in EVERYWHERE else host


def _port(host: str, port: int | None) -> int:
    """A port on which the viewer can listen, by the rules of `serve`."""
    if port == 0:
        return _free_port(host)
    if port is not None:
        wanted = checks.count("port", port, low=1)
        if wanted > 65535:
            raise InputError(f"is {wanted}", where="port", fix="give a number from 0 to 65535")
        _try_port(host, wanted)
        return wanted
    for candidate in range(DEFAULT_PORT, DEFAULT_PORT + TRIES):
        with contextlib.suppress(PortError):
            _try_port(host, candidate)
            return candidate
    _try_port(host, DEFAULT_PORT)  # raises the reason, unless all ports are in use
    raise PortError(host, DEFAULT_PORT, f"it and the {TRIES - 1} after it are in use", fix="give --port")


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, tuple]]:
    """Addresses on which a server for `host` would listen; an unknown or empty host is an InputError."""
    if not host.strip() or host != host.strip():
        what = "has blanks around it" if host.strip() else "is empty"
        raise InputError(what, where=f"host {host!r}", fix=HOSTS)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "no name of a host"
        raise InputError(f"is not a host of this machine ({reason})", where=f"host {host!r}", fix=HOSTS) from error
    return [(family, address) for family, _, _, _, address in found]


def _try_port(host: str, port: int) -> None:
    """Listen on every address of the host for a moment; a PortError gives the reason if it fails.

    An address that this machine does not have is skipped, as a server does where IPv4 or IPv6 is switched off. A host
    without any other address is an InputError.
    """
    absent: OSError | None = None
    listened = False
    for family, address in _addresses(host, port):
        try:
            with socket.socket(family, socket.SOCK_STREAM) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    trial.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                trial.bind(address)
                trial.listen(1)
            listened = True
        except OSError as error:
            if error.errno in NOT_HERE:
                absent = error
                continue
            reason = error.strerror.lower() if error.strerror else str(error)
            raise PortError(host, port, reason, fix="give another one, or 0 for any free one") from error
    if absent is not None and not listened:
        raise InputError("is not an address of this machine", where=f"host {host!r}", fix=HOSTS) from absent


def _free_port(host: str) -> int:
    """A port that is free on every address of the host."""
    _try_port(host, 0)  # fails for a host of another machine
    for _ in range(TRIES):
        port = _some_port(host)
        with contextlib.suppress(PortError):
            _try_port(host, port)
            return port
    raise PortError(host, 0, "no free port was found", fix="give --port")


def _some_port(host: str) -> int:
    """A port that is free on the first address of the host that this machine has."""
    for family, address in _addresses(host, 0):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.bind(address)
            return int(trial.getsockname()[1])
    raise PortError(host, 0, "no free port was found", fix="give --port")


@contextlib.contextmanager
def _silent():
    """Suppress the web server's own start message on the standard output."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
