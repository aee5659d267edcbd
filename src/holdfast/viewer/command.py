"""`holdfast view`: the web viewer in a browser on this machine."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from ..console.options import ListOption
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
        typer.Option(
            "--port", metavar="N", help="Listen there; 0 for any free port. Without: 8080 or the next free one."
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="HOST", help="Interface to listen on; 0.0.0.0 lets other machines in, with the token."
        ),
    ] = "localhost",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME[:PORT]",
            help="Name of a proxy or tunnel through which browsers come; may be repeated.",
        ),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address only, do not open a browser.")] = False,
    listing: ListOption = False,
) -> None:
    """Show contacts and forces, wrench spaces, climbers, planar contact and grasps, live in the browser.

    The address that is printed has a token; only who knows it can connect.
    """
    from .gallery import entries, file_pages, with_gallery
    from .server import DEFAULT_PORT, compile_in_background, serve

    if listing:
        _list_ready()
        return
    if find_spec("viser") is None:
        raise missing_extra("viser", "view", purpose="the viewer")
    pages = entries()
    first = ""
    if scene is not None:
        own = file_pages(scene)  # a fault of the file is reported here, before anything listens
        first, pages = own[0].key, with_gallery(own, pages)
    server = serve(pages, host=host, port=port, first=first, allow=allow_host or ())
    compile_in_background()
    try:
        if port is None and server.port != DEFAULT_PORT:
            say(f"port {DEFAULT_PORT} is in use, taking {server.port}")
        say(f"Holdfast is at {server.url} (Ctrl+C ends it)", style="bold")
        if server.url_elsewhere:
            say(f"from other machines: {server.url_elsewhere}")
        if not no_open:
            import webbrowser

            webbrowser.open(server.url)
        _wait()
    except KeyboardInterrupt:
        say("ended")
    finally:
        server.stop()


def _list_ready() -> None:
    """Print what @name may be."""
    from ..files.reader import KINDS
    from ..grasps import part_names
    from ..grasps.parts import example_part

    rows = [(name, kind.name, title) for kind in KINDS.values() for name, title in kind.titles()]
    rows += [(f"@{name}", "part", example_part(name).title) for name in part_names()]
    table(["name", "kind", "what it is"], rows)


def _wait() -> None:
    """Wait until the program is interrupted."""
    import threading

    threading.Event().wait()
