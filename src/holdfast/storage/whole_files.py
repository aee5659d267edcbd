"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import FileError


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name beside it and rename it: it is there whole, or as it was."""
    if not path.name or "\0" in path.name:
        raise FileError("is no name of a file", path=path, fix="name a file, not a folder")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        fix = "make its folder first" if not path.parent.is_dir() else "name a place where you may write, with room"
        raise FileError(f"cannot be written: {error.strerror or error}", path=path, fix=fix) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise
