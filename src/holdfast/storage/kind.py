"""Kinds of archives: what a file says it is, and how one is written and read."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TypeVar

from ..errors import FileError, HoldfastError, InputError
from .contents import Contents
from .open_archive import OpenArchive
from .whole_files import write_whole

#: Every HDF5 file begins with this.
SIGNATURE = b"\x89HDF\r\n\x1a\n"

T = TypeVar("T")


@dataclass(frozen=True)
class ArchiveKind:
    """A kind of file: wrench spaces, grips.

    Attributes:
        noun: what is in it, such as "wrench space".
        version: the version that is written; later ones are refused.
        maker: what writes such files, for who gave another one: "WrenchSpace.save".
        rewrite: what to do when a file is damaged.
    """

    noun: str
    version: int
    maker: str
    rewrite: str

    @property
    def format(self) -> str:
        """What the file says it is."""
        return f"holdfast {self.noun}"

    def write(self, path: str | PathLike[str], contents: Contents) -> None:
        """Write a file with its format, version and release before the contents' own facts.

        It is written beside and renamed, so that none is left half done; the same contents give the same bytes.
        """
        facts = {"format": self.format, "version": self.version, "holdfast": release()} | dict(contents.facts)
        write_whole(_checked_path(path), replace(contents, facts=facts).packed())

    def read(self, path: str | PathLike[str], reader: Callable[[OpenArchive], T]) -> T:
        """What `reader` makes of the file; whatever is wrong with it is a `FileError`."""
        source = _checked_path(path)
        try:
            return self._read(source, reader)
        except HoldfastError as error:
            if isinstance(error, FileError):
                raise
            raise FileError(error.what, path=source, field=error.where, fix=error.fix or self.rewrite) from None
        except (OSError, KeyError, RuntimeError, TypeError, ValueError, OverflowError, MemoryError) as error:
            raise FileError(f"is damaged: {error}", path=source, fix=self.rewrite) from None

    def _read(self, path: Path, reader: Callable[[OpenArchive], T]) -> T:
        import h5py

        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise FileError("does not exist", path=path, fix="check the name") from None
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", path=path, fix="check the file") from None
        if not data.startswith(SIGNATURE):
            what = "is no HDF5 file" if data else "is empty"
            raise FileError(what, path=path, fix=f"give a file that {self.maker} wrote")
        try:
            file = h5py.File(io.BytesIO(data), "r")
        except (OSError, RuntimeError, ValueError) as error:
            what = "is cut short" if "truncated" in str(error) else f"is damaged: {error}"
            raise FileError(what, path=path, fix=self.rewrite) from None
        with file:
            archive = OpenArchive(file, path, self.rewrite)
            self._check(archive)
            return reader(archive)

    def _check(self, archive: OpenArchive) -> None:
        """The format must be this one, the version one that this release knows."""
        facts = archive.facts()
        found = facts.get("format")
        if found != self.format:
            other = found.removeprefix("holdfast ") if isinstance(found, str) else ""
            ours = bool(other) and other != found
            what = f"is no {self.noun}, but a {other}" if ours else f"is no {self.noun}, or is damaged"
            raise archive.fault(what, "format", f"give a file that {self.maker} wrote")
        version = facts.get("version")
        if not isinstance(version, int) or version < 1:
            raise archive.fault(f"is {version!r}", "version")
        if version > self.version:
            writer = facts.get("holdfast", "a later release")
            fix = f"this release reads up to {self.version}: update Holdfast"
            raise archive.fault(f"is {version}, written by Holdfast {writer}", "version", fix)


def _checked_path(path: object) -> Path:
    """A name of a file as a Path; anything else is an InputError, not a fault of a file."""
    if not isinstance(path, (str, PathLike)):
        raise InputError(f"is a {type(path).__name__}", where="path", fix="give the name of a file")
    return Path(path)


def release() -> str:
    """The version of Holdfast; its package is loaded whenever a room of it is, and no room imports from it."""
    return str(getattr(sys.modules[__name__.partition(".")[0]], "__version__", "unknown"))
