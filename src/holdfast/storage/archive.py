"""Archives: HDF5 files of arrays and facts, written whole or not at all, and checked when they are read."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..checks import Array
from ..errors import FileError, HoldfastError
from ..inputs import checked_path, file_bytes, write_whole

# Contents: what goes into an archive, and the text and numbers it is stored as.

#: Bytes of a chunk, which is compressed and checked as one.
CHUNK = 2**20


@dataclass(frozen=True)
class Contents:
    """What an archive holds; the same contents in the same order give the same bytes.

    Attributes:
        facts: texts, numbers and lists of texts of the whole file, by name.
        arrays: arrays by name; "group/name" is in a group. They keep their type.
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
    """Texts with a fixed length, which are stored under a checksum; numbers as they are.

    Texts of variable length would be stored in a heap without a checksum, and a damaged heap can block the library.
    """
    import h5py

    if not isinstance(value, (str, list, tuple)):
        return value
    words = [value.encode()] if isinstance(value, str) else [word.encode() for word in value]
    kind = h5py.string_dtype("utf-8", max(1, *(len(word) for word in words)))
    return np.array(words[0] if isinstance(value, str) else words, dtype=kind)


def words(value: Any) -> Any:
    """What `stored` made of texts and numbers, as Python values."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, list):
        return [words(entry) for entry in plain]
    return plain.decode() if isinstance(plain, bytes) else plain


def _chunks(values: Array) -> tuple[int, ...]:
    """Chunks of about a megabyte along the first axis."""
    row = max(1, values[:1].nbytes)
    return (max(1, min(len(values), CHUNK // row)), *values.shape[1:])


# An archive that is open for reading: its facts and arrays, each checked when it is read.


class OpenArchive:
    """The facts and arrays of one file; what is missing or wrong raises a `FileError` that names it.

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
        found = tuple(getattr(stored, "shape", None) or ())  # a group in place of a data set has no shape
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


# Opening a file: links to other files, and data that would unpack to too much, are refused before data are read.

#: Every HDF5 file begins with this.
SIGNATURE = b"\x89HDF\r\n\x1a\n"

#: Largest archive, and most that its arrays may take together once they are unpacked [bytes].
LARGEST_ARCHIVE = 512 * 1024 * 1024
LARGEST_UNPACKED = 1024 * 1024 * 1024

#: Most groups and arrays, depth of groups, and bytes of one fact.
MOST_OBJECTS = 10_000
DEEPEST_GROUP = 20
LARGEST_FACT = 1024 * 1024

#: Bytes that one stored byte can become: deflate packs a run of 258 bytes into two bits.
MOST_PACKED = 1032


@contextmanager
def opened(path: Path, rewrite: str, other: str) -> Iterator[OpenArchive]:
    """The archive in a file, checked; `rewrite` is the remedy for a damaged file, `other` for one of another kind."""
    import h5py

    data = file_bytes(path, most=LARGEST_ARCHIVE)
    if not data.startswith(SIGNATURE):
        raise FileError("is not an HDF5 file" if data else "is empty", path=path, fix=other)
    try:
        file = h5py.File(io.BytesIO(data), "r")
    except (OSError, RuntimeError, ValueError) as error:
        what = "is cut short" if "truncated" in str(error) else f"is damaged: {error}"
        raise FileError(what, path=path, fix=rewrite) from None
    try:
        with file:
            archive = OpenArchive(file, path, rewrite)
            _Survey(archive).visit(file["/"], "", 0)
            yield archive
    except FileError:
        raise
    except HoldfastError as error:
        raise FileError(error.what, path=path, field=error.where, fix=error.fix or rewrite) from None
    except (OSError, KeyError, RuntimeError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise FileError(f"is damaged: {error}", path=path, fix=rewrite) from None


class _Survey:
    """Walks through the groups of a file, reads no data and follows no link out of it."""

    def __init__(self, archive: OpenArchive) -> None:
        self.archive = archive
        self.objects = 0
        self.unpacked = 0

    def visit(self, place: Any, name: str, depth: int) -> None:
        """Check a group or an array and all below it."""
        import h5py
        from h5py import h5l  # pyright: ignore[reportAttributeAccessIssue]

        self.objects += 1
        if self.objects > MOST_OBJECTS or depth > DEEPEST_GROUP:
            raise self.archive.fault("has too many groups and arrays, or too many inside each other", name)
        for number in range(h5py.h5a.get_num_attrs(place.id)):
            fact = h5py.h5a.open(place.id, index=number)
            self._plain(fact.get_type(), _below(name, fact.name))
            if fact.get_storage_size() > LARGEST_FACT or fact.get_space().get_simple_extent_npoints() > LARGEST_FACT:
                raise self.archive.fault("is too large", _below(name, fact.name))
        if isinstance(place, h5py.Dataset):
            self._array(place, name)
            return
        if not isinstance(place, h5py.Group):
            raise self.archive.fault("is neither a group nor an array", name)
        for entry in place.id:
            below = _below(name, entry)
            if place.id.links.get_info(entry).type != h5l.TYPE_HARD:
                raise self.archive.fault("is a link to another place or file", below)
            self.visit(place[entry], below, depth + 1)

    def _array(self, array: Any, name: str) -> None:
        """Its data must be in this file, and not declare more than the stored bytes can unpack to."""
        import h5py

        self._plain(array.id.get_type(), name)
        made = array.id.get_create_plist()
        if made.get_layout() == h5py.h5d.VIRTUAL or made.get_external_count():
            raise self.archive.fault("takes its data from another file", name)
        known = (h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32)
        if any(made.get_filter(number)[0] not in known for number in range(made.get_nfilters())):
            raise self.archive.fault("is packed by an unknown filter", name)
        if array.shape is None or not array.size:
            return
        sizes = [array.size, *([math.prod(array.chunks)] if array.chunks else [])]
        wanted = max(sizes) * array.dtype.itemsize
        self.unpacked += wanted
        held = array.id.get_storage_size() * (MOST_PACKED if array.chunks else 1)
        if wanted > held or self.unpacked > LARGEST_UNPACKED:
            limit = f"at most {LARGEST_UNPACKED / 1e6:,.0f} MB in all, and no more than it holds"
            raise self.archive.fault(f"declares {wanted / 1e6:,.1f} MB", name, limit)

    def _plain(self, kind: Any, name: str) -> None:
        """Numbers and texts of a fixed length alone: others are in a heap without a checksum."""
        import h5py

        fixed = (h5py.h5t.INTEGER, h5py.h5t.FLOAT, h5py.h5t.ENUM, h5py.h5t.STRING)
        text = kind.get_class() == h5py.h5t.STRING and kind.is_variable_str()
        if kind.get_class() not in fixed or text:
            raise self.archive.fault("is neither a number nor a text of a fixed length", name)


def _below(group: str, name: bytes) -> str:
    """The name of what is in a group, for messages."""
    return f"{group}/{name.decode(errors='replace')}".removeprefix("/")


def format_of(path: Path) -> str:
    """The word "format" of an archive; "" where it has none."""
    with opened(path, "save it again", "give a file that Holdfast wrote") as archive:
        return str(archive.fact("format")) if archive.has_fact("format") else ""


# Kinds of archives: how a file states its kind, and how it is written and read.

T = TypeVar("T")


@dataclass(frozen=True)
class ArchiveKind:
    """A kind of file: wrench spaces, grips.

    Attributes:
        noun: what is in it, such as "wrench space".
        version: the version that is written; later ones are refused.
        maker: what writes such files, for error messages: "WrenchSpace.save".
        rewrite: what to do when a file is damaged.
    """

    noun: str
    version: int
    maker: str
    rewrite: str

    @property
    def format(self) -> str:
        """The word that states the kind of the file."""
        return f"holdfast {self.noun}"

    def write(self, path: str | PathLike[str], contents: Contents) -> None:
        """Write a file with its format, version and release before the contents' own facts.

        It is written under a temporary name and renamed, so that no incomplete file is left; the same contents give the
        same bytes.
        """
        facts = {"format": self.format, "version": self.version, "holdfast": release()} | dict(contents.facts)
        write_whole(checked_path(path), replace(contents, facts=facts).packed())

    def read(self, path: str | PathLike[str], reader: Callable[[OpenArchive], T]) -> T:
        """What `reader` makes of the file; every fault of the file raises `FileError`."""
        with opened(checked_path(path), self.rewrite, f"give a file that {self.maker} wrote") as archive:
            self._check(archive)
            return reader(archive)

    def _check(self, archive: OpenArchive) -> None:
        """The format must be this one, the version one that this release knows."""
        facts = archive.facts()
        found = facts.get("format")
        if found != self.format:
            other = found.removeprefix("holdfast ") if isinstance(found, str) else ""
            ours = bool(other) and other != found
            what = f"is not a {self.noun}, but a {other}" if ours else f"is not a {self.noun}, or is damaged"
            raise archive.fault(what, "format", f"give a file that {self.maker} wrote")
        version = facts.get("version")
        if not isinstance(version, int) or version < 1:
            raise archive.fault(f"is {version!r}", "version")
        if version > self.version:
            writer = facts.get("holdfast", "a later release")
            fix = f"this release reads up to {self.version}: update Holdfast"
            raise archive.fault(f"is {version}, written by Holdfast {writer}", "version", fix)


def release() -> str:
    """The version of Holdfast, from the loaded top-level package, from which no subpackage imports."""
    return str(getattr(sys.modules[__name__.partition(".")[0]], "__version__", "unknown"))
