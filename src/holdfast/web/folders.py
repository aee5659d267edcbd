"""Folders for files of a browser: removed when they are no longer needed, also where the viewer was killed before."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from ..errors import FileError
from ..files.yaml_source import UPLOADED
from ..jobs.journal import locked

#: How the names of the folders begin, in the system's place for temporary files.
PREFIX = "holdfast-uploads-"


@contextmanager
def upload_folder() -> Iterator[Path]:
    """A new folder for files of a browser, marked as such; the files are removed at the end of the block."""
    with (
        TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name,
        locked(Path(name) / UPLOADED),
    ):
        folder = Path(name)
        (folder / UPLOADED).touch()
        yield folder


def remove_left_folders() -> None:
    """Remove the folders of viewers that were killed: those of this user whose lock nobody holds."""
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError, FileError):
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid()):
                with locked(folder / UPLOADED):
                    shutil.rmtree(folder, ignore_errors=True)
