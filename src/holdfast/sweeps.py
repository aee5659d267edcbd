"""Many independent questions: run one after another, saved as they come, resumed where they stopped.

A sweep's results live in a journal: a text file whose first line names the sweep and whose every other line is one
finished result. A line is written in one piece and flushed, so a sweep that is killed loses at most the
question it was at.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .errors import FileError

#: Version of the journal's layout.
JOURNAL_VERSION = 1


def fingerprint(*parts: Any) -> str:
    """A short hash of JSON-like parts, the same in every process; names what a journal belongs to."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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
        queries: the queries.
        journal: file to save to and resume from; None keeps results in memory only.
        key: what the results depend on besides the query (scene, method, seed), see `fingerprint`.
        progress: called with (done, total) at the start and after each result.
    """
    total = len(queries)
    if journal is None:
        done: dict[int, dict[str, Any]] = {}
        write = None
    else:
        done, write = _open_journal(Path(journal), key, total)
    if progress is not None:
        progress(len(done), total)
    try:
        for index, query in enumerate(queries):
            if index in done:
                continue
            done[index] = task(query)
            if write is not None:
                write(index, done[index])
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

    def line(self, record: dict[str, Any]) -> None:
        """One record, flushed to the disk."""
        try:
            self._file.write(json.dumps(record) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise FileError(
                f"a result could not be saved: {error.strerror}",
                path=self._path,
                fix="free some space and run it again",
            ) from None

    def __call__(self, index: int, result: dict[str, Any]) -> None:
        self.line({"index": index, "result": result})

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _open_journal(path: Path, key: str, total: int) -> tuple[dict[int, dict[str, Any]], _Writer]:
    """What the journal holds already, and a writer that appends to it; a new one is begun if there is none."""
    header = {"holdfast": "sweep", "version": JOURNAL_VERSION, "key": key, "total": total}
    if not path.exists() or path.stat().st_size == 0:
        writer = _Writer(path, "w")
        writer.line(header)
        return {}, writer
    records = list(_complete_lines(path))
    if not records or records[0].get("holdfast") != "sweep":
        raise FileError("is not the journal of a sweep", path=path, fix="name another file, or delete this one")
    if records[0] != header:
        raise FileError(
            "belongs to another sweep (the scene, the queries or the version differ)",
            path=path,
            fix="name another file, or delete this one to start anew",
        )
    done = {r["index"]: r["result"] for r in records[1:] if isinstance(r.get("index"), int) and "result" in r}
    # A line cut short by a kill would swallow the next one: rewrite what is whole, then append.
    whole = path.with_name(path.name + ".new")
    writer = _Writer(whole, "w")
    writer.line(header)
    for index in sorted(done):
        writer(index, done[index])
    writer.close()
    whole.replace(path)
    return {i: r for i, r in done.items() if 0 <= i < total}, _Writer(path, "a")


def _complete_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of the lines that are whole JSON objects."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record
