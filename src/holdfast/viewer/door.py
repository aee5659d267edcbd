"""Who may connect to the viewer, and how much.

Every HTTP request and every websocket must name the viewer by an address of its own (header Host), come from one of
its own pages (header Origin, where there is one) and carry the token of the address that `holdfast view` prints. A web
page of another site fails all three checks, also when its host name resolves to this machine (DNS rebinding). The token
is never in a cookie: cookies are sent to every port of a host.
"""

from __future__ import annotations

import asyncio
import hmac
import http
import ipaddress
import logging
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs
from weakref import WeakSet

import websockets.asyncio.server
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.protocol import State

from ..errors import InputError
from .messages import LARGEST_MESSAGE, Inbox

if TYPE_CHECKING:
    from .session import Session

#: Most browsers at a time, and most connections at a time, of all and from one address; a connection that has not sent
#: its request yet counts too.
MOST_BROWSERS, MOST_CONNECTIONS, MOST_PER_ADDRESS = 16, 64, 32

#: A connection that has not sent its whole request by then is closed [s].
FIRST_REQUEST = 5.0

#: Messages of one browser, and browsers that connect: on average per second, and at once after a pause. A page sends
#: fewer than 100 messages per second, and an upload of the largest size has 100 parts.
MESSAGES_PER_SECOND, MESSAGES_AT_ONCE = 400.0, 4000
ARRIVALS_PER_SECOND, ARRIVALS_AT_ONCE = 4.0, 64

#: Bytes of randomness in a token.
TOKEN_BYTES = 24

#: Names of this machine for a browser that runs on it.
LOOPBACK = ("localhost", "127.0.0.1", "::1")

#: Ports that an address may leave out.
USUAL_PORTS = (80, 443)

#: Texts of refused requests.
FOREIGN_HOST = "The viewer does not accept this host name. Behind a proxy or a tunnel, start it with --allow-host.\n"
FOREIGN_ORIGIN = "Pages of other sites may not connect to the viewer.\n"
NO_TOKEN = "Open the address that `holdfast view` printed, with its token.\n"
FULL = f"The viewer serves {MOST_BROWSERS} browsers at a time. Close a tab and try again.\n"

OFTEN = "Too many browsers have connected within a few seconds. Wait and try again.\n"

#: Why a connection is closed that sends too much.
FLOOD = f"more than {MESSAGES_PER_SECOND:g} messages per second"

#: Script at the top of the page: its websocket connects to the page's own address, with the token of that address.
SCRIPT = b"""<script>{
const here = new URL(location.href), token = encodeURIComponent(here.searchParams.get("token"));
const socket = `${here.origin.replace("http", "ws")}${here.pathname}?token=${token}`;
history.replaceState(null, "", `?token=${token}&websocket=${socket}`);
}</script>"""

#: What the page may do: run its own scripts, which carry a number that nobody can guess, and the scripts and the worker
#: that these make (which may evaluate text: WebAssembly, and programs that drive a browser, need it); draw pictures
#: that are in the page; and connect to the viewer. It may load nothing else, and no other page may frame it. This is a
#: second line: words are escaped in `web.page`.
POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic' 'unsafe-eval'; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; "
    "connect-src 'self' data: blob: ws://{host} wss://{host}; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)

#: Headers of the page: its address, which contains the token, is sent to no other site.
HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

_LOG = logging.getLogger(__name__)
_LOG.addFilter(lambda record: record.getMessage() != "opening handshake failed")  # from clients that do not speak HTTP

#: A host name or number and a port: the header Host, or the part of an origin after "://".
_PLACE = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_.-]+))(?::(?P<port>[1-9][0-9]{0,4}))?", re.ASCII)

#: Lock that is held while a server starts.
_STARTING = threading.Lock()

#: A host and a port; None for the default port of HTTP or HTTPS.
Place = tuple[str, int | None]


def place(text: str) -> Place | None:
    """A host and a port from "name:port", "[::1]:port" or "name"; None when the text has another form."""
    found = _PLACE.fullmatch(text.lower())
    if found is None:
        return None
    port = int(found["port"]) if found["port"] else None
    return _known(found["six"] or found["name"], port)


def _known(host: str, port: int | None) -> Place:
    """A host and port in the normal form in which they are compared."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.lower(), None if port in USUAL_PORTS else port
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address), None if port in USUAL_PORTS else port


def is_loopback(host: str) -> bool:
    """Whether a host is this machine's loopback interface."""
    try:
        return host == "localhost" or ipaddress.ip_address(_known(host, None)[0]).is_loopback
    except ValueError:
        return False


class Allowance:
    """How often something may happen: `at_once` times after a pause, `per_second` times on average."""

    def __init__(self, per_second: float, at_once: int) -> None:
        self._rate, self._most = per_second, float(at_once)
        self._left, self._when = self._most, time.monotonic()

    def take(self) -> bool:
        """Whether it may happen now; it is counted then."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._when) * self._rate, self._most)
        self._when = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class Door:
    """The rules of one server.

    Args:
        name: the name or number of the host by which other machines know it.
        allow: further names by which browsers may call it, "name" or "name:port", for proxies and tunnels.

    Attributes:
        token: the secret that every request must carry.
        installed: whether the web server uses these rules.
        visitors: the open connections.
        session_of: finds the session of a connection; None before it is set.
    """

    def __init__(self, name: str, allow: Iterable[str] = ()) -> None:
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self.installed = False
        self.session_of: Callable[[ServerConnection], Session | None] = lambda _: None
        self._name = name
        self.visitors: WeakSet[_Visitor] = WeakSet()
        self._arrivals = Allowance(ARRIVALS_PER_SECOND, ARRIVALS_AT_ONCE)
        self._allowed = frozenset(_allowed(other) for other in allow)

    def places(self, address: str, port: int) -> set[Place]:
        """Hosts and ports that a browser may send, when its connection arrived at this address of this machine."""
        names = (address, self._name, *(LOOPBACK if is_loopback(address) else ()))
        return {*(_known(name, port) for name in names), *self._allowed}

    def refusal(self, path: str, headers: Headers, address: str, port: int) -> str:
        """Why a request is refused; "" when it is accepted."""
        places = self.places(address, port)
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or place(hosts[0]) not in places:
            return FOREIGN_HOST
        for origin in origins:
            scheme, _, rest = origin.partition("://")
            if scheme not in ("http", "https") or place(rest) not in places:
                return FOREIGN_ORIGIN
        tokens = parse_qs(path.partition("?")[2]).get("token", [""])
        if not hmac.compare_digest(tokens[0].encode("utf-8", "replace"), self.token.encode()):
            return NO_TOKEN
        return ""

    @contextmanager
    def before(self) -> Iterator[None]:
        """Apply these rules to the web server that is started inside the block."""
        with _STARTING:
            serve = websockets.asyncio.server.serve

            def guarded(handler: Any, *where: Any, process_request: Any, **options: Any) -> Any:
                self.installed = True
                options |= {"max_size": LARGEST_MESSAGE, "create_connection": self._connection, "logger": _LOG}
                options |= {"open_timeout": FIRST_REQUEST}
                return serve(handler, *where, process_request=self._gate(process_request), **options)

            websockets.asyncio.server.serve = guarded  # pyright: ignore[reportAttributeAccessIssue]
            try:
                yield
            finally:
                websockets.asyncio.server.serve = serve  # pyright: ignore[reportAttributeAccessIssue]

    def _gate(self, pages: Callable[[ServerConnection, Request], Response | None]) -> Any:
        """A function that refuses a request or passes it on to the web server."""

        def answer(connection: ServerConnection, request: Request) -> Response | None:
            address, port = connection.local_address[:2]
            refused = self.refusal(request.path, request.headers, address, port)
            if refused:
                return connection.respond(http.HTTPStatus.FORBIDDEN, refused)
            headers = request.headers.copy()
            if "Accept-Encoding" in headers:  # the page is already compressed, and changed below
                del headers["Accept-Encoding"]
            response = pages(connection, Request(request.path, headers))
            if response is None and len(connection.server.connections) >= MOST_BROWSERS:
                return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, FULL)
            if response is None and not self._arrivals.take():
                return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, OFTEN)
            if response is not None and response.headers.get("Content-Type", "").startswith("text/html"):
                return _guarded(bytes(response.body), request.headers["Host"])
            return response

        return answer

    def _connection(self, protocol: Any, server: Any, **options: Any) -> Any:
        """The connection of one more browser."""
        return _Visitor(self, protocol, server, **options)

    def admit(self, visitor: _Visitor) -> None:
        """Count a new connection. Where there are too many, the one that has kept silent for longest is closed.

        So silent connections cannot keep a browser out, which sends its request at once.
        """
        beside = [other for other in self.visitors if other.address == visitor.address]
        crowd = beside if len(beside) >= MOST_PER_ADDRESS else list(self.visitors)
        self.visitors.add(visitor)
        if len(beside) < MOST_PER_ADDRESS and len(crowd) < MOST_CONNECTIONS:
            return
        silent = [other for other in crowd if other.state is State.CONNECTING]
        leaves = min(silent, key=lambda other: other.since, default=visitor)
        self.visitors.discard(leaves)
        leaves.transport.abort()


class _Visitor(ServerConnection):
    """A connection whose messages are checked; refused messages are reported in its page and not passed on.

    A connection that sends too many messages is closed.

    Attributes:
        address: of the machine that it comes from.
        since: when it was made, on the monotonic clock [s].
    """

    def __init__(self, door: Door, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._door = door
        self._inbox = Inbox(self._control)
        self._allowance = Allowance(MESSAGES_PER_SECOND, MESSAGES_AT_ONCE)
        self.address, self.since = "", time.monotonic()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count this connection."""
        super().connection_made(transport)
        self.address = str((transport.get_extra_info("peername") or ("",))[0])
        self._door.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove this connection from the open ones."""
        super().connection_lost(exc)
        self._door.visitors.discard(self)

    async def recv(self, decode: bool | None = None) -> Any:
        """The next message that is accepted."""
        while True:
            raw = await super().recv(decode)
            if not self._allowance.take():
                async with self.send_context():
                    self.protocol.fail(CloseCode.POLICY_VIOLATION, FLOOD)
                    self.transport.resume_reading()  # what still comes is discarded, up to the end of the connection
                continue  # to the error that the connection is closed
            try:
                message = self._inbox.read(raw)
            except InputError as error:
                session = self._door.session_of(self)
                if session is not None:
                    session.report(error)
            else:
                if message is not None:
                    return message

    def _control(self, identifier: str) -> Any:
        session = self._door.session_of(self)
        return None if session is None else session.control(identifier)


def _guarded(page: bytes, host: str) -> Response:
    """The page with `SCRIPT` and `POLICY`; `host` is the checked header of the request."""
    nonce = secrets.token_urlsafe(TOKEN_BYTES)
    page = page.replace(b"<head>", b"<head>" + SCRIPT, 1).replace(b"<script", f'<script nonce="{nonce}"'.encode())
    policy = POLICY.format(nonce=nonce, host=host.lower())
    return Response(
        200, "OK", Headers(HEADERS | {"Content-Security-Policy": policy, "Content-Length": str(len(page))}), page
    )


def _allowed(name: str) -> Place:
    found = place(name)
    if found is None:
        raise InputError("is not a name of a host", where=f"allow-host {name!r}", fix="give NAME or NAME:PORT")
    return found
