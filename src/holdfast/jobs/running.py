"""Sweep: a task and its queries, who computes them, and where the results go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from .. import checks
from ..errors import InputError
from . import chunks
from .chunks import Chunk, Result, Task
from .fingerprints import fingerprint
from .journal import Journal
from .records import Identity

Answers = Iterator[tuple[Chunk, list[Result]]]


def sweep(
    task: Task,
    queries: Sequence[Any],
    *,
    workers: int = 1,
    cluster: str | None = None,
    journal: str | Path | None = None,
    key: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """Results of `task` for every query, in order; those found in the journal are not computed again.

    Results, and the bytes of the finished journal, are the same whoever computes them. An interrupt, an error of the
    task (which comes through, with a note that names the query) or a kill leaves a journal that the same call goes on
    from.

    Args:
        task: one query to its result: anything without a journal; with one, JSON values, in which arrays and numpy's
            numbers come back as lists and numbers. It may offer `many` (list of queries to list of results) with
            `batch`: chunks of that many consecutive queries are then handed to it, each computed, saved and resumed
            as one. `prefer = "threads"` asks for threads where others get processes.
        queries: the queries; with a journal, JSON-like values or arrays, so that it knows them again.
        workers: how many processes (or threads) compute; 1 computes in this one.
        cluster: address of a Dask scheduler ("tcp://host:port") whose workers compute instead.
        journal: file to save to and resume from; None keeps results in memory only. A damaged line is told by a
            `JournalWarning`, and only its chunk is computed again.
        key: what the results depend on besides the query (scene, method, seed), see `fingerprint`.
        progress: called with (done, total) at the start and after each chunk.
    """
    checks.iterable("queries", queries, fix="give a list of queries")
    asked = list(queries)
    workers, batch = checks.count("workers", workers), chunks.batch_of(task)
    chunks.by_threads(task)
    if cluster is not None:
        if workers > 1:
            fix = "give workers for this machine, or a cluster"
            raise InputError("is given with a cluster", where="workers", fix=fix)
        from .cluster import checked_address

        checked_address(cluster)
    parts = chunks.cut(len(asked), batch)
    with ExitStack() as stack:
        saved = None
        if journal is not None:
            if not isinstance(key, str):
                raise InputError(f"is a {type(key).__name__}", where="key", fix="give a text: sweeps.fingerprint(...)")
            saved = Journal(Path(journal), Identity(key, len(asked), fingerprint(*asked), batch))
            stack.enter_context(saved)
        done: dict[int, Result] = {} if saved is None else dict(saved.results)
        if progress is not None:
            progress(len(done), len(asked))
        left = [chunk for chunk in parts if chunk.start not in done]
        for chunk, results in stack.enter_context(closing(_answers(task, asked, left, workers, cluster))):
            kept = results if saved is None else saved.add(chunk, results)
            done.update(zip(chunk.indices, kept, strict=True))
            if progress is not None:
                progress(len(done), len(asked))
        if saved is not None:
            saved.finish(done)
    return [done[index] for index in range(len(asked))]


def _answers(task: Task, queries: list[Any], left: list[Chunk], workers: int, cluster: str | None) -> Any:
    """The results of each chunk as they come, in any order; an error of the task comes when no more are under way."""
    if cluster is not None and left:
        from .cluster import on_cluster

        return on_cluster(task, queries, left, cluster)
    if min(workers, len(left)) > 1:
        from .workers import on_processes, on_threads

        run = on_threads if chunks.by_threads(task) else on_processes
        return run(task, queries, left, min(workers, len(left)))
    return _in_turn(task, queries, left)


def _in_turn(task: Task, queries: list[Any], left: list[Chunk]) -> Answers:
    """One chunk after another, here."""
    for chunk in left:
        try:
            results = chunks.answered(task, queries[chunk.start : chunk.stop], chunk)
        except Exception as error:
            chunks.name_queries(error, chunk)
            raise
        yield chunk, results
