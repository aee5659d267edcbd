"""The text of a journal: a header that names the sweep, and a record a result, each with a checksum.

The checksum of a record covers the sweep it belongs to, so that a line that was damaged, or that came from another
sweep, is found out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..errors import FileError
from .chunks import Result, cut
from .fingerprints import fingerprint, plain

#: Version of the journal's layout.
JOURNAL_VERSION = 2

_CHECKED = re.compile(rb'(\{.*), "check": "([0-9a-f]{16})"\}', re.DOTALL)
_INDEX = re.compile(rb'\{"index": (\d{1,18})\b')


@dataclass(frozen=True)
class Identity:
    """What a journal belongs to.

    Attributes:
        key: what the results depend on besides the queries.
        total: how many queries there are.
        queries: their fingerprint.
        batch: how many make a chunk.
    """

    key: str
    total: int
    queries: str
    batch: int

    def header(self, *, finished: bool) -> bytes:
        """The first line."""
        return _checked(self._fields() | {"finished": finished}, "header")

    def record(self, index: int, result: Result) -> bytes:
        """The line of one result. A `TypeError` or `ValueError` when it is not of JSON values."""
        return _checked({"index": index, "result": result}, self._mark)

    def read_record(self, line: bytes) -> tuple[int, Result] | None:
        """Index and result of a line without its end; None when it is no record of this sweep."""
        record = _proven(line, self._mark)
        if record is None or not 0 <= record["index"] < self.total:
            return None
        return record["index"], record["result"]

    def is_of(self, header: dict[str, Any]) -> bool:
        """Whether the header is that of this sweep."""
        return {name: value for name, value in header.items() if name != "finished"} == self._fields()

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
    """What the bytes of a journal hold.

    Attributes:
        results: results by index, of whole chunks alone, in the order of the file.
        finished: whether the sweep had come to its end, and the journal is as it was then.
        damaged: one-based numbers of lines that are not of this sweep, or no longer.
        lost: indices of queries whose results were there once and must be computed again, as far as they are known.
        tidy: whether nothing must be mended before records are appended.
    """

    results: dict[int, Result] = field(default_factory=dict)
    finished: bool = False
    damaged: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    tidy: bool = False


def read(data: bytes, identity: Identity, path: Path) -> Found:
    """What a journal holds for this sweep; a `FileError` when it is another's, or none.

    A last line cut short is what a kill leaves, and is passed over without a word; after the end of a sweep it is a
    damage like any other.
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
    torn = records.pop() if lines else None  # what follows the last line's end: nothing, or a line cut short
    tail = lines.pop() if lines else b""
    damaged = [] if header is not None else [1]
    damaged += [number for number, record in enumerate(records, start=2) if record is None]
    if torn is not None:
        records.append(torn)  # whole but for its end
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
    """The results of chunks that are all there: half a chunk is computed again as one."""
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
    return json.loads(parts[1] + b"}")


def _checksum(body: bytes, mark: str) -> str:
    return hashlib.sha256(mark.encode() + b"\n" + body).hexdigest()[:16]


def _refused(first: bytes, path: Path) -> FileError:
    """Why a file whose header proves nothing, and none of whose records does, is not taken."""
    try:
        fields = json.loads(first)
    except ValueError:
        fields = None
    if isinstance(fields, dict) and fields.get("holdfast") == "sweep":
        return _another(path)
    return FileError("is not the journal of a sweep", path=path, fix="name another file, or delete this one")


def _another(path: Path) -> FileError:
    return FileError(
        "belongs to another sweep (the scene, the queries or the version differ)",
        path=path,
        fix="name another file, or delete this one to start anew",
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
