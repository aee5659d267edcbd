"""Opening the viewer in a browser without the token in the arguments of a process.

Every user of a machine can list the arguments of all processes. The browser is therefore given the address of a file
that only its owner can read, and the file sends it on to the viewer.
"""

from __future__ import annotations

import contextlib
import html
import shutil
import tempfile
import webbrowser
from collections.abc import Iterator
from pathlib import Path

#: The page in the file. No referrer is sent, and the viewer's address replaces that of the file.
REDIRECT = """<!doctype html>
<html><head><meta charset="utf-8"><title>Holdfast</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}">
</head><body><p><a href="{url}">Open the viewer</a></p></body></html>
"""

#: Name of the file in its folder.
NAME = "viewer.html"


@contextlib.contextmanager
def opened(url: str) -> Iterator[bool]:
    """Open an address in the user's browser; whether that worked. The file is removed at the end of the block."""
    folder = None
    try:
        with contextlib.suppress(OSError):
            folder = Path(tempfile.mkdtemp(prefix="holdfast-view-", dir=_place()))  # mode 0700
        yield folder is not None and _opened(url, folder)
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _opened(url: str, folder: Path) -> bool:
    path = folder / NAME
    try:
        path.touch(0o600, exist_ok=False)
        path.write_text(REDIRECT.format(url=html.escape(url)), "utf-8")
        return webbrowser.open(path.resolve().as_uri())
    except (OSError, webbrowser.Error):
        return False


def _place() -> Path | None:
    """Where the folder is made; None for the system's place for temporary files.

    Browsers installed as snaps (Ubuntu) see no temporary files of others and no hidden folders, only the home folder.
    """
    with contextlib.suppress(RuntimeError):  # no home
        home = Path.home()
        if (home / "snap").is_dir():
            return home
    return None
