"""Files that are there whole or not at all."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..checks import Array
from ..errors import FileError, HoldfastError, InputError


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


# Contents: what goes into an archive, and the words and numbers it is stored as.

#: Bytes of a chunk, which is compressed and checked as one.
CHUNK = 2**20


@dataclass(frozen=True)
class Contents:
    """What an archive holds; the same contents in the same order give the same bytes.

    Attributes:
        facts: words, numbers and lists of words of the whole file, by name.
        arrays: arrays by name; "group/name" stands in a group. Stored in the type they have.
        groups: facts of groups without arrays, by group.
        notes: facts of arrays, or of groups that hold arrays, by their name.
    """

    facts: Mapping[str, Any]
    arrays: Mapping[str, Array]
    groups: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def packed(self) -> bytes:
        """The HDF5 file in memory."""
        import h5py

        memory = io.BytesIO()
        # From version 1.10 of the library on every part of a file carries a checksum.
        with h5py.File(memory, "w", libver=("v110", "v110")) as file:
            _put(file, self.facts)
            for name, facts in self.groups.items():
                _put(file.create_group(name), facts)
            for name, values in self.arrays.items():
                look = {"chunks": _chunks(values), "compression": "gzip", "shuffle": True, "fletcher32": True}
                file.create_dataset(name, data=values, track_times=False, **(look if values.size else {}))
            for name, facts in self.notes.items():
                _put(file[name], facts)
        return memory.getvalue()


def _put(place: Any, facts: Mapping[str, Any]) -> None:
    for name, value in facts.items():
        place.attrs[name] = stored(value)


def stored(value: Any) -> Any:
    """Words as text of a fixed length, which stands where checksums guard it; numbers as they are.

    Text of any length would go to a heap that has no checksum, and a damaged one can keep the library busy for ever.
    """
    import h5py

    if not isinstance(value, (str, list, tuple)):
        return value
    words = [value.encode()] if isinstance(value, str) else [word.encode() for word in value]
    kind = h5py.string_dtype("utf-8", max(1, *(len(word) for word in words)))
    return np.array(words[0] if isinstance(value, str) else words, dtype=kind)


def words(value: Any) -> Any:
    """What `stored` made of words and numbers, as Python's own."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, list):
        return [words(entry) for entry in plain]
    return plain.decode() if isinstance(plain, bytes) else plain


def _chunks(values: Array) -> tuple[int, ...]:
    """Chunks of about a megabyte along the first axis."""
    row = max(1, values[:1].nbytes)
    return (max(1, min(len(values), CHUNK // row)), *values.shape[1:])


# An archive that is open for reading: its facts and arrays, each checked as it is taken.


class OpenArchive:
    """The facts and arrays of one file; what is missing or wrong is a `FileError` that names it.

    Attributes:
        path: the file.
        rewrite: what to do when the file is damaged.
    """

    def __init__(self, file: Any, path: Path, rewrite: str) -> None:
        self._file = file
        self._sizes: dict[str, int] = {}
        self.path = path
        self.rewrite = rewrite

    def __contains__(self, name: str) -> bool:
        return name in self._file

    def fault(self, what: str, field: str, fix: str | None = None) -> FileError:
        """The error that says what is wrong with a field of this file."""
        return FileError(what, path=self.path, field=field, fix=self.rewrite if fix is None else fix)

    def has_fact(self, name: str, group: str = "") -> bool:
        """Whether there is a fact of that name, of the whole file or of a group."""
        return name in self._place(group).attrs

    def fact(self, name: str, group: str = "") -> Any:
        """A fact of the whole file, or of a group."""
        place = self._place(group)
        if name not in place.attrs:
            raise self.fault("is missing", f"{group}/{name}" if group else name)
        return words(place.attrs[name])

    def facts(self, group: str = "") -> dict[str, Any]:
        """All facts of the whole file, or of a group."""
        return {name: words(value) for name, value in self._place(group).attrs.items()}

    def array(self, name: str, shape: tuple[str | int, ...], *, whole: bool = False) -> Array:
        """An array of that shape, of float64, or of int64 where whole numbers are wanted; read-only.

        A letter in `shape` means the same length wherever it stands in this file.
        """
        if name not in self._file:
            raise self.fault("is missing", name)
        stored, sizes = self._file[name], self._sizes
        found = tuple(getattr(stored, "shape", None) or ())  # a group where a data set should be has none
        fits = len(found) == len(shape)
        if fits:
            for want, have in zip(shape, found, strict=True):
                fits = fits and (sizes.setdefault(want, have) if isinstance(want, str) else want) == have
        if not fits:
            wanted = ", ".join(str(sizes.get(str(want), want)) for want in shape)
            raise self.fault(f"has shape {found}", name, f"the shape must be ({wanted})")
        if stored.dtype.kind not in ("iu" if whole else "f"):
            kind = "whole numbers" if whole else "numbers"
            raise self.fault(f"has type {stored.dtype}", name, f"{kind} are expected")
        try:
            values = np.asarray(stored[()], dtype=np.int64 if whole else np.float64)
        except (OSError, RuntimeError, ValueError) as error:
            raise self.fault(f"cannot be read, its data are damaged: {error}", name) from None
        values.setflags(write=False)
        return values

    def _place(self, group: str) -> Any:
        if group and group not in self._file:
            raise self.fault("is missing", group)
        return self._file[group] if group else self._file


# Kinds of archives: what a file says it is, and how one is written and read.

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
