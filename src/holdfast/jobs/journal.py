"""A journal on the disk: results are appended as they come, and put in order when all are there."""

from __future__ import annotations

import contextlib
import json
import os
import time
import warnings
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from ..errors import FileError, InputError, JournalWarning
from . import records
from .chunks import Chunk, Result
from .locking import locked
from .records import Found, Identity, listed

#: Least time [s] between two orders to the disk to make what was written last through a loss of power. What was
#: written survives the death of the process in any case.
SYNC_EVERY = 1.0


class Journal:
    """The open journal of a running sweep; a context manager that holds its lock.

    Attributes:
        results: what it holds, by index, as it was read.
    """

    def __init__(self, path: Path, identity: Identity) -> None:
        self._path = Path(os.path.realpath(path))  # the end replaces the file, not a link to it
        self._identity = identity
        self._exits = ExitStack()
        self._handle: int | None = None
        self._length = 0
        self._synced = time.monotonic()
        self._finished = False
        self.results: dict[int, Result] = {}

    def __enter__(self) -> Self:
        try:
            with ExitStack() as stack:
                stack.enter_context(locked(self._path))
                self._begin()
                self._exits = stack.pop_all()
        except FileError:
            if not self._is_whole():
                raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            self._close()
        except OSError as error:
            if kind is None:
                raise self._unsaved(error) from None
        finally:
            self._exits.close()

    def add(self, chunk: Chunk, results: Iterable[Result]) -> list[Result]:
        """Save the results of a chunk in one piece; returns them as they will be read back."""
        lines, kept = [], []
        for index, result in zip(chunk.indices, results, strict=True):
            try:
                line = self._identity.record(index, result)
            except (TypeError, ValueError, RecursionError) as error:
                where, fix = (
                    f"result of queries[{index}]",
                    "return numbers, texts, arrays, and lists and dictionaries of them",
                )
                raise InputError(f"cannot be saved: {error}", where=where, fix=fix) from None
            lines.append(line)
            kept.append(json.loads(line)["result"])
        self._append(b"".join(lines))
        return kept

    def finish(self, results: dict[int, Result]) -> None:
        """Put the journal in its last form: the same bytes, whoever computed the results and in whatever order."""
        if not self._finished:
            self._replace(self._identity.whole(results))
            self._finished = True

    def _begin(self) -> None:
        """Read what is there, tell of damage, mend it, and open the file for more."""
        data = self._read()
        found = records.read(data, self._identity, self._path)
        self._tell(found)
        self.results, self._finished = found.results, found.finished
        if self._finished:
            return
        if not found.tidy and data:
            lines = (self._identity.record(*entry) for entry in found.results.items())
            data = b"".join([self._identity.header(finished=False), *lines])
            self._replace(data)
        self._length = len(data)
        try:
            self._handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        except OSError as error:
            raise _unwritable(error, self._path) from None
        if not data:
            self._append(self._identity.header(finished=False))

    def _is_whole(self) -> bool:
        """Whether the journal is finished, so that it need not be written; its results are then at hand."""
        if not self._path.is_file():  # a device may have no end
            return False
        try:
            found = records.read(self._path.read_bytes(), self._identity, self._path)
        except (OSError, FileError):
            return False
        self.results, self._finished = found.results, found.finished
        return found.finished

    def _read(self) -> bytes:
        """The bytes of the file, or none when there is none; one that cannot be written is told so at once."""
        try:
            if self._path.exists() and not self._path.is_file():
                fix = "name a file you may read and write"
                what = "is a folder" if self._path.is_dir() else "is no plain file"
                raise FileError(what, path=self._path, fix=fix)
            with self._path.open("r+b") as file:
                return file.read()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise _unwritable(error, self._path) from None

    def _tell(self, found: Found) -> None:
        """Warn of what was damaged."""
        if not found.damaged and not found.lost:
            return
        lines, queries = found.damaged, found.lost
        parts = [f"line{'s' if len(lines) > 1 else ''} {listed(lines)} damaged or foreign"] if lines else []
        parts += [f"{'queries' if len(queries) > 1 else 'query'} {listed(queries)} computed again"] if queries else []
        text = f"{self._path}: {'; '.join(parts)}"
        # Above this: _begin, __enter__, the stack of contexts, sweep, and who called it.
        warnings.warn(JournalWarning(text, path=self._path, lines=lines, queries=queries), stacklevel=6)

    def _append(self, data: bytes) -> None:
        """Write whole lines at the end; after a failure the file ends with the last line that went well."""
        if self._handle is None:
            return
        try:
            _write(self._handle, data)
            if time.monotonic() - self._synced >= SYNC_EVERY:
                self._sync()
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._length)
            raise self._unsaved(error) from None
        self._length += len(data)

    def _sync(self) -> None:
        if self._handle is not None:
            os.fsync(self._handle)
        self._synced = time.monotonic()

    def _close(self) -> None:
        try:
            self._sync()
        finally:
            handle, self._handle = self._handle, None
            if handle is not None:
                os.close(handle)

    def _replace(self, data: bytes) -> None:
        """Put `data` in the place of the file in one step: a kill leaves the old or the new one."""
        beside = self._path.with_name(self._path.name + ".new")
        try:
            self._close()
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
            try:
                _write(handle, data)
                os.fsync(handle)
            finally:
                os.close(handle)
            beside.replace(self._path)
            _sync_folder(self._path.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise self._unsaved(error) from None

    def _unsaved(self, error: OSError) -> FileError:
        fix = "free some space and run it again: it goes on from what is saved"
        return FileError(f"results could not be saved: {error.strerror}", path=self._path, fix=fix)


def _unwritable(error: OSError, path: Path) -> FileError:
    fix = "name a file in a folder you may write to"
    return FileError(f"cannot be written: {error.strerror}", path=path, fix=fix)


def _write(handle: int, data: bytes) -> None:
    """All of `data`, to the operating system: from there on the death of this process loses nothing."""
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def _sync_folder(folder: Path) -> None:
    """Make a rename last; where folders cannot be synced, the file system sees to it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
