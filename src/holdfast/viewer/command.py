"""`holdfast view`: the web viewer in a browser on this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Annotated

import typer

from ..console.options import Exit, ListOption, TrustOption
from ..console.output import say, table
from ..errors import missing_extra


def view(
    scene: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="Scene, planar, posture or robot file, or @name of a ready one; a URDF; measured limit forces (CSV); "
            "a saved sequence of postures; a picture or contour of a part. Without: the gallery.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", help="Port; 0: any free port. Default: 8080 or the next free one."),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="HOST",
            help="Interface to listen on; 0.0.0.0 allows other machines to connect, with the token.",
        ),
    ] = "localhost",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME[:PORT]",
            help="Host name of a proxy or tunnel that browsers use; may be repeated.",
        ),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address only, do not open a browser.")] = False,
    trust: TrustOption = False,
    listing: ListOption = False,
) -> None:
    """Show contacts and forces, wrench spaces, climbers, planar contact and grasps, live in the browser.

    The printed address contains an access token; browsers need it to connect.
    """
    from .gallery import entries, file_pages, with_gallery
    from .opening import opened
    from .server import DEFAULT_PORT, compile_in_background, serve

    if listing:
        _list_ready()
        return
    if find_spec("viser") is None:
        raise missing_extra("viser", "view", purpose="the viewer")
    pages = entries()
    first = ""
    if scene is not None:
        own = file_pages(scene, trust=trust)  # a fault of the file is reported here, before anything listens
        first, pages = own[0].key, with_gallery(own, pages)
    server = serve(pages, host=host, port=port, first=first, allow=allow_host or ())
    compiling = compile_in_background()
    try:
        with _ended_alike():  # before the address is printed: who reads it may end the program at once
            if port is None and server.port != DEFAULT_PORT:
                say(f"port {DEFAULT_PORT} is in use; using {server.port}")
            say(f"Holdfast is at {server.url} (Ctrl+C to stop)", style="bold")
            if server.url_elsewhere:
                say(f"from other machines: {server.url_elsewhere}")
            with contextlib.nullcontext(True) if no_open else opened(server.url) as shown:
                if not shown:
                    say("no browser could be opened; open the address above")
                _wait()
    except KeyboardInterrupt:
        say("ended")
    finally:
        ended = server.stop()
    if not ended or compiling.is_alive():  # Python would wait for what a thread computes, reads or compiles
        sys.stdout.flush()
        os._exit(Exit.HOLDS)


def _list_ready() -> None:
    """Print what @name may be."""
    from ..files.reader import KINDS, OTHER_KINDS

    kinds = (*KINDS.values(), *OTHER_KINDS.values())
    rows = [(name, kind.name, title) for kind in kinds for name, title in kind.titles()]
    table(["name", "kind", "what it is"], rows)


def _wait() -> None:
    """Wait until the program is interrupted."""
    threading.Event().wait()


@contextlib.contextmanager
def _ended_alike() -> Iterator[None]:
    """Inside the block, the program is interrupted also where it is terminated or its terminal is closed."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # no SIGHUP on Windows
    before = {number: signal.getsignal(number) for number in numbers}
    changed = [number for number, handler in before.items() if handler is signal.SIG_DFL]  # nohup ignores SIGHUP
    if threading.current_thread() is not threading.main_thread():
        changed = []
    for number in changed:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, before[number])
