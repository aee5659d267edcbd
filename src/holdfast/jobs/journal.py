"""Journals: files to which the results of a sweep are saved, so that an interrupted sweep can be resumed."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..errors import FileError, InputError, JournalWarning, warn_caller
from ..inputs import replace_file, unfinished, write_all
from ..public_names import with_advice
from .tasks import Chunk, Result, cut


@with_advice()
def fingerprint(*parts: Any) -> str:
    """A short hash of JSON-like parts and arrays, the same in every process; it identifies the sweep of a journal."""
    try:
        text = json.dumps(parts, sort_keys=True, default=plain)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"has no fingerprint: {error}", where="parts", fix="give numbers, texts, lists or arrays"
        ) from None
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def plain(value: Any) -> Any:
    """Arrays and numpy's numbers as lists and numbers, in full precision; paths as text."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"a {type(value).__name__} is neither JSON nor an array")


# The text of a journal: a header that identifies the sweep, and one record per result, each with a checksum.

#: Version of the journal's layout.
JOURNAL_VERSION = 2

_CHECKED = re.compile(rb'(\{.*), "check": "([0-9a-f]{16})"\}', re.DOTALL)
_INDEX = re.compile(rb'\{"index": (\d{1,18})\b')


@dataclass(frozen=True)
class Identity:
    """The sweep that a journal belongs to.

    Attributes:
        key: what the results depend on, apart from the queries.
        total: how many queries there are.
        queries: their fingerprint.
        batch: how many queries make a chunk.
    """

    key: str
    total: int
    queries: str
    batch: int

    def header(self, *, finished: bool) -> bytes:
        """The first line."""
        return _checked(self._fields() | {"finished": finished}, "header")

    def record(self, index: int, result: Result) -> bytes:
        """The line of one result; raises TypeError or ValueError when it cannot be written as JSON."""
        return _checked({"index": index, "result": result}, self._mark)

    def read_record(self, line: bytes) -> tuple[int, Result] | None:
        """Index and result of a line without its end; None when it is not a record of this sweep."""
        record = _proven(line, self._mark)
        if record is None or record.keys() != {"index", "result"}:
            return None
        if not isinstance(record["index"], int) or not 0 <= record["index"] < self.total:
            return None
        return record["index"], record["result"]

    def is_of(self, header: dict[str, Any]) -> bool:
        """Whether the header is that of this sweep."""
        return header == self._fields() | {"finished": header.get("finished")}

    def whole(self, results: dict[int, Result]) -> bytes:
        """The finished journal."""
        lines = (self.record(index, results[index]) for index in range(self.total))
        return b"".join([self.header(finished=True), *lines])

    def _fields(self) -> dict[str, Any]:
        return {
            "holdfast": "sweep",
            "version": JOURNAL_VERSION,
            "key": self.key,
            "total": self.total,
            "queries": self.queries,
            "batch": self.batch,
        }

    @cached_property
    def _mark(self) -> str:
        return fingerprint(self._fields())


@dataclass(frozen=True)
class Found:
    """What a journal contains.

    Attributes:
        results: results by index, of whole chunks alone, in the order of the file.
        finished: whether the sweep was complete and the journal is unchanged since then.
        damaged: one-based numbers of lines that are damaged or belong to another sweep.
        lost: indices of queries whose saved results are damaged and must be computed again, as far as they are known.
        tidy: whether nothing must be repaired before records are appended.
    """

    results: dict[int, Result] = field(default_factory=dict)
    finished: bool = False
    damaged: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    tidy: bool = False


def read_records(data: bytes, identity: Identity, path: Path) -> Found:
    """What a journal contains for this sweep; FileError when it belongs to another sweep or is not a journal.

    A last line that is cut short is what a killed process leaves, and is ignored without a warning. In a finished
    journal it counts as damage.
    """
    if any(identity.header(finished=f).startswith(data) for f in (False, True)) and not data.endswith(b"\n"):
        return Found()  # new, empty, or killed before its first line was whole
    first, *lines = data.split(b"\n")
    header = _proven(first, "header")
    records = [identity.read_record(line) for line in lines]
    if header is None and not any(records):
        raise _refused(first, path)
    if header is not None and not identity.is_of(header):
        raise _another(path)
    finished = header is not None and bool(header["finished"])
    torn = records.pop() if lines else None  # what follows the last newline: nothing, or a line cut short
    tail = lines.pop() if lines else b""
    damaged = [] if header is not None else [1]
    damaged += [number for number, record in enumerate(records, start=2) if record is None]
    if torn is not None:
        records.append(torn)  # complete except for its newline
    elif tail and finished:
        damaged.append(len(lines) + 2)
    every: dict[int, Result] = {}
    for record in filter(None, records):
        every.setdefault(*record)
    kept = _whole_chunks(every, identity)
    ordered = not finished or list(kept) == list(range(identity.total))
    tidy = not damaged and not tail and len(kept) == len(records) and ordered
    guessed = {int(m[1]) for line in lines if (m := _INDEX.match(line))} if damaged else set()
    once = range(identity.total) if finished else sorted((guessed | every.keys()) if damaged else ())
    lost = tuple(index for index in once if index not in kept and 0 <= index < identity.total)
    return Found(kept, finished and tidy, tuple(damaged), lost, tidy)


def _whole_chunks(results: dict[int, Result], identity: Identity) -> dict[int, Result]:
    """The results of complete chunks: an incomplete chunk is computed again as a whole."""
    if identity.batch == 1:
        return results
    whole: set[int] = set()
    for chunk in cut(identity.total, identity.batch):
        if all(index in results for index in chunk.indices):
            whole.update(chunk.indices)
    return {index: result for index, result in results.items() if index in whole}


def _checked(fields: dict[str, Any], mark: str) -> bytes:
    """A line of JSON that ends with its checksum."""
    body = json.dumps(fields, default=plain)[:-1].encode()
    return body + f', "check": "{_checksum(body, mark)}"}}\n'.encode()


def _proven(line: bytes, mark: str) -> dict[str, Any] | None:
    """The fields of a line whose checksum is right, else None."""
    parts = _CHECKED.fullmatch(line)
    if parts is None or _checksum(parts[1], mark) != parts[2].decode():
        return None
    return _object(parts[1] + b"}")


def _object(text: bytes) -> dict[str, Any] | None:
    """The object in a JSON text; None where the text is not one."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _checksum(body: bytes, mark: str) -> str:
    return hashlib.sha256(mark.encode() + b"\n" + body).hexdigest()[:16]


def _refused(first: bytes, path: Path) -> FileError:
    """The error for a file in which neither the header nor any record has a correct checksum."""
    if (_object(first) or {}).get("holdfast") == "sweep":
        return _another(path)
    return FileError("is not the journal of a sweep", path=path, fix="name another file, or delete this one")


def _another(path: Path) -> FileError:
    return FileError(
        "belongs to another sweep (the scene, the queries or the version differ)",
        path=path,
        fix="name another file, or delete this one to start again",
    )


def listed(numbers: Iterable[int], most: int = 8) -> str:
    """Whole numbers in words, runs of them joined: "3, 7-11 and 2 more"."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    texts = [str(a) if a == b else f"{a}-{b}" for a, b in runs[:most]]
    left = sum(b - a + 1 for a, b in runs[most:])
    return ", ".join(texts) + (f" and {left} more" if left else "")


# One run at a time: a lock file next to the journal, released when the process that holds it ends.

#: No link is followed: in a folder that others share, it could lead anywhere.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)

#: Errors of file systems without locks; the run then continues without one.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of the file `path`; a `FileError` when another run holds it.

    The system's own lock on the empty file `NAME.lock`: it is released when the process dies. The
    empty file that remains is used and removed by the next run.
    """
    beside = path.with_name(path.name + ".lock")
    handle = _opened(beside, path)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows removes no open file
            _remove_empty(beside)
        os.close(handle)
        if os.name == "nt":
            with contextlib.suppress(OSError):
                _remove_empty(beside)


def _opened(beside: Path, path: Path) -> int:
    """A descriptor that holds the lock on the file now at `beside`."""
    while True:
        try:
            handle = os.open(beside, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o666)
        except OSError as error:
            fix = "name a file in a folder you may write to"
            raise FileError(f"cannot be written: {error.strerror}", path=path, fix=fix) from None
        if not _taken(handle):
            os.close(handle)
            fix = "wait for the other run, or name another file"
            raise FileError("is in use by another run of this sweep", path=path, fix=fix)
        # The last holder may have removed the file after it was opened here: then the lock has no effect.
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(handle), os.stat(beside)):  # noqa: PTH116 - beside fstat
                return handle
        os.close(handle)


def _taken(handle: int) -> bool:
    """Take the lock of an open file, without waiting; False when another run has it."""
    try:
        import fcntl
    except ImportError:
        return _taken_on_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _NO_LOCKS
    return True


def _taken_on_windows(handle: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # pyright: ignore[reportAttributeAccessIssue]
    except OSError:
        return False
    return True


def _remove_empty(beside: Path) -> None:
    """Remove the lock file; a file with content is not a lock and stays."""
    if beside.stat().st_size == 0:
        beside.unlink()


def _own(path: Path) -> Path:
    """Where a journal is: what a link to it leads to, so that the link stays; a link of another user is refused."""
    with contextlib.suppress(OSError):  # there is no such file
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode) and hasattr(os, "getuid") and found.st_uid not in (0, os.getuid()):
            raise FileError("is a link of another user", path=path, fix="name another file")
    return Path(os.path.realpath(path))


# A journal on the disk: results are appended while running, and sorted when all are there.

#: Least time [s] between two syncs to the disk, which protect against a loss of power. What was written survives the
#: death of the process in any case.
SYNC_EVERY = 1.0


class Journal:
    """The open journal of a running sweep; a context manager that holds its lock.

    Attributes:
        results: what it holds, by index, as it was read.
    """

    def __init__(self, path: Path, identity: Identity) -> None:
        self._path = _own(path)
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
        """Save the results of a chunk in one write; returns them as they will be read back."""
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
        """Write the final form of the journal: the bytes do not depend on where and in which order results came."""
        if not self._finished:
            self._replace(self._identity.whole(results))
            self._finished = True

    def _begin(self) -> None:
        """Read the saved results, report and repair damage, and open the file for appending."""
        with contextlib.suppress(OSError):  # of a run that was killed while it replaced the journal
            for left in unfinished(self._path):
                left.unlink()
        data = self._read()
        found = read_records(data, self._identity, self._path)
        self._warn(found)
        self.results, self._finished = found.results, found.finished
        if self._finished:
            return
        if not found.tidy and data:
            lines = (self._identity.record(*entry) for entry in found.results.items())
            data = b"".join([self._identity.header(finished=False), *lines])
            self._replace(data)
        self._length = len(data)
        try:
            self._handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINK, 0o666)
        except OSError as error:
            raise _unwritable(error, self._path) from None
        if not data:
            self._append(self._identity.header(finished=False))

    def _is_whole(self) -> bool:
        """Whether the journal is finished, so that it need not be written; its results are then loaded."""
        if not self._path.is_file():  # a device may have no end
            return False
        try:
            found = read_records(self._path.read_bytes(), self._identity, self._path)
        except (OSError, FileError):
            return False
        self.results, self._finished = found.results, found.finished
        return found.finished

    def _read(self) -> bytes:
        """The bytes of the file, empty if there is no file; a file that cannot be written is an error at once."""
        try:
            if self._path.exists() and not self._path.is_file():
                fix = "name a file you may read and write"
                what = "is a folder" if self._path.is_dir() else "is not a regular file"
                raise FileError(what, path=self._path, fix=fix)
            with self._path.open("r+b") as file:
                return file.read()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise _unwritable(error, self._path) from None

    def _warn(self, found: Found) -> None:
        """Warn of what was damaged."""
        if not found.damaged and not found.lost:
            return
        lines, queries = found.damaged, found.lost
        parts = [f"line{'s' if len(lines) > 1 else ''} {listed(lines)} damaged or from another sweep"] if lines else []
        parts += [f"{'queries' if len(queries) > 1 else 'query'} {listed(queries)} computed again"] if queries else []
        text = f"{self._path}: {'; '.join(parts)}"
        warn_caller(JournalWarning(text, path=self._path, lines=lines, queries=queries))

    def _append(self, data: bytes) -> None:
        """Append whole lines; after a failure the file ends with the last complete line."""
        if self._handle is None:
            return
        try:
            write_all(self._handle, data)
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
        """Replace the file by `data` in one step: a killed process leaves the old or the new file."""
        try:
            self._close()
            replace_file(self._path, data)
            _sync_folder(self._path.parent)
        except OSError as error:
            raise self._unsaved(error) from None

    def _unsaved(self, error: OSError) -> FileError:
        fix = "free some space and run it again: it resumes from the saved results"
        return FileError(f"results could not be saved: {error.strerror}", path=self._path, fix=fix)


def _unwritable(error: OSError, path: Path) -> FileError:
    fix = "name a file in a folder you may write to"
    return FileError(f"cannot be written: {error.strerror}", path=path, fix=fix)


def _sync_folder(folder: Path) -> None:
    """Sync a rename to the disk; some systems cannot sync folders, and do it themselves."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
