"""Many independent questions: run one after another, saved as they come, resumed where they stopped.

A sweep's results live in a journal: a text file whose first line names the sweep and whose every other line is one
finished result. A line is written in one piece and flushed, so a sweep that is killed loses at most the
question it was at.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .errors import FileError, InputError

#: Version of the journal's layout.
JOURNAL_VERSION = 1


def fingerprint(*parts: Any) -> str:
    """A short hash of JSON-like parts and arrays, the same in every process; names what a journal belongs to."""
    try:
        text = json.dumps(parts, sort_keys=True, default=_plain)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"has no fingerprint: {error}", where="parts", fix="give numbers, texts, lists or arrays"
        ) from None
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    """Arrays and numpy's numbers as lists and numbers, to the last digit; paths as text."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"a {type(value).__name__} is neither JSON nor an array")


def sweep(
    task: Callable[[Any], dict[str, Any]],
    queries: Sequence[Any],
    *,
    journal: str | Path | None = None,
    key: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """Results of `task` for every query, in order; those found in the journal are not computed again.

    Args:
        task: one query to a dictionary of JSON values.
        queries: the queries; with a journal, JSON-like values or arrays, so that it knows them again.
        journal: file to save to and resume from; None keeps results in memory only.
        key: what the results depend on besides the query (scene, method, seed), see `fingerprint`.
        progress: called with (done, total) at the start and after each result.
    """
    total = len(queries)
    if journal is None:
        done: dict[int, dict[str, Any]] = {}
        write = None
    else:
        done, write = _open_journal(Path(journal), key, queries)
    if progress is not None:
        progress(len(done), total)
    try:
        for index, query in enumerate(queries):
            if index in done:
                continue
            done[index] = task(query)
            if write is not None:
                done[index] = write(index, done[index])
            if progress is not None:
                progress(len(done), total)
    finally:
        if write is not None:
            write.close()
    return [done[index] for index in range(total)]


class _Writer:
    """Appends finished results to an open journal."""

    def __init__(self, path: Path, mode: str) -> None:
        try:
            self._file = path.open(mode, encoding="utf-8")
        except OSError as error:
            raise FileError(
                f"cannot be written: {error.strerror}", path=path, fix="name a file in a folder you may write to"
            ) from None
        self._path = path

    def line(self, text: str) -> None:
        """A line, or several at once, saved to the disk."""
        try:
            self._file.write(text + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.close()
            raise FileError(
                f"a result could not be saved: {error.strerror}",
                path=self._path,
                fix="free some space and run it again",
            ) from None

    def __call__(self, index: int, result: dict[str, Any]) -> dict[str, Any]:
        """Save a result; returns it as it will be read back (lists for tuples, texts for keys)."""
        try:
            text = json.dumps({"index": index, "result": result})
        except (TypeError, ValueError) as error:
            raise InputError(
                f"cannot be saved: {error}", where=f"result of queries[{index}]", fix="give a dictionary of JSON values"
            ) from None
        self.line(text)
        return json.loads(text)["result"]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _open_journal(path: Path, key: str, queries: Sequence[Any]) -> tuple[dict[int, dict[str, Any]], _Writer]:
    """What the journal holds already, and a writer that appends to it; a new one is begun if there is none."""
    header = {
        "holdfast": "sweep",
        "version": JOURNAL_VERSION,
        "key": key,
        "total": len(queries),
        "queries": fingerprint(*queries),
    }
    first = json.dumps(header)
    text = _read(path)
    if first.startswith(text):  # new, empty, or killed before its first line was whole
        writer = _Writer(path, "w")
        writer.line(first)
        return {}, writer
    records = list(_complete_lines(text))
    if not records or records[0].get("holdfast") != "sweep":
        raise FileError("is not the journal of a sweep", path=path, fix="name another file, or delete this one")
    if records[0] != header:
        raise FileError(
            "belongs to another sweep (the scene, the queries or the version differ)",
            path=path,
            fix="name another file, or delete this one to start anew",
        )
    done = {
        r["index"]: r["result"]
        for r in records[1:]
        if isinstance(r.get("index"), int) and 0 <= r["index"] < len(queries) and "result" in r
    }
    # A line cut short by a kill would swallow the next one: rewrite what is whole, then append.
    whole = path.with_name(path.name + ".new")
    writer = _Writer(whole, "w")
    lines = [first, *(json.dumps({"index": index, "result": done[index]}) for index in sorted(done))]
    writer.line("\n".join(lines))
    writer.close()
    whole.replace(path)
    return done, _Writer(path, "a")


def _read(path: Path) -> str:
    """The text of a file, or nothing when there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise FileError(
            f"cannot be read: {error.strerror}", path=path, fix="name a file you may read and write"
        ) from None


def _complete_lines(text: str) -> Iterator[dict[str, Any]]:
    """The records of the lines that are whole JSON objects."""
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record
