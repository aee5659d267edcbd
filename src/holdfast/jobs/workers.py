"""Sweep: a task and its queries, who computes them, and where the results go."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from .. import checks
from ..errors import InputError, WorkerError
from .journal import Identity, Journal, fingerprint
from .tasks import (
    Chunk,
    Result,
    Task,
    answered,
    batch_of,
    by_threads,
    cut,
    name_queries,
    pack_task,
    packed_queries,
    run_packed,
    unpacked_results,
)

Answers = Generator[tuple[Chunk, list[Result]], None, None]


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
        journal: file to save to and resume from; None keeps results in memory only. A damaged line is
            reported by a `JournalWarning`, and only its chunk is computed again.
        key: what else the results depend on, apart from the query (scene, method, seed), see `fingerprint`.
        progress: called with (done, total) at the start and after each chunk.
    """
    checks.iterable("queries", queries, fix="give a list of queries")
    asked = list(queries)
    workers, batch = checks.count("workers", workers), batch_of(task)
    by_threads(task)
    if cluster is not None:
        if workers > 1:
            fix = "give workers for this machine, or a cluster"
            raise InputError("is given with a cluster", where="workers", fix=fix)
        from .cluster import checked_address

        checked_address(cluster)
    parts = cut(len(asked), batch)
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


def _answers(task: Task, queries: list[Any], left: list[Chunk], workers: int, cluster: str | None) -> Answers:
    """The results of each chunk as they come, in any order; an error of the task comes when no more are under way."""
    if cluster is not None and left:
        from .cluster import on_cluster

        return on_cluster(task, queries, left, cluster)
    if min(workers, len(left)) > 1:
        run = on_threads if by_threads(task) else on_processes
        return run(task, queries, left, min(workers, len(left)))
    return _in_turn(task, queries, left)


def _in_turn(task: Task, queries: list[Any], left: list[Chunk]) -> Answers:
    """One chunk after another, here."""
    for chunk in left:
        try:
            results = answered(task, queries[chunk.start : chunk.stop], chunk)
        except Exception as error:
            name_queries(error, chunk)
            raise
        yield chunk, results


# Workers on this machine: processes by joblib's loky, or threads for tasks that release Python's lock.

#: Chunks under way or waiting, for each worker: one more than it computes, so that it never waits for the next.
CHUNKS_PER_WORKER = 2
#: Seconds after which a worker process without work ends.
IDLE_SECONDS = 60
#: Seconds between a worker's looks at whether the process that started it still lives.
PARENT_LOOK_SECONDS = 0.5


def on_processes(task: Task, queries: list[Any], left: list[Chunk], workers: int) -> Answers:
    """The results of the chunks as they come from `workers` processes.

    The processes stay for the next sweep, and end when they are idle, when the sweep is interrupted (at once), or when
    the process that started them dies, however it does.
    """
    from joblib.externals.loky import get_reusable_executor

    parcel = pack_task(task)
    with _interrupts_kept_from_children():
        executor = get_reusable_executor(
            workers, timeout=IDLE_SECONDS, initializer=_watch_parent, initargs=(os.getpid(),)
        )

    def submit(chunk: Chunk) -> Future[bytes]:
        packed = packed_queries(queries, chunk)
        with _interrupts_kept_from_children():
            return executor.submit(run_packed, parcel, packed, chunk)

    def results(future: Future[bytes], chunk: Chunk) -> list[Result]:
        try:
            return unpacked_results(future.result(), chunk)
        except BrokenExecutor as error:
            fix = "look for too little memory or a crash in the task; what is saved stays"
            raise WorkerError("a worker process died in the middle of its work", where="workers", fix=fix) from error

    try:
        yield from _as_they_come(submit, results, left, CHUNKS_PER_WORKER * workers)
    except BaseException:
        executor.shutdown(wait=True, kill_workers=True)
        raise


def on_threads(task: Task, queries: list[Any], left: list[Chunk], workers: int) -> Answers:
    """The results of the chunks as they come from `workers` threads; the task must bear being called by several."""
    executor = ThreadPoolExecutor(workers, thread_name_prefix="sweep")

    def submit(chunk: Chunk) -> Future[list[Result]]:
        return executor.submit(answered, task, queries[chunk.start : chunk.stop], chunk)

    def results(future: Future[list[Result]], chunk: Chunk) -> list[Result]:
        try:
            return future.result()
        except Exception as error:
            name_queries(error, chunk)
            raise

    try:
        yield from _as_they_come(submit, results, left, CHUNKS_PER_WORKER * workers)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _as_they_come(
    submit: Callable[[Chunk], Future[Any]],
    results: Callable[[Future[Any], Chunk], list[Result]],
    left: list[Chunk],
    most: int,
) -> Answers:
    """Submit chunks, at most `most` at once, and pass on their results.

    After an error no more are submitted; those under way are waited for, passed on, and then the error is raised.
    """
    waiting = iter(left)
    running: dict[Future[Any], Chunk] = {}
    failure: Exception | None = None
    while True:
        while failure is None and len(running) < most and (chunk := next(waiting, None)) is not None:
            running[submit(chunk)] = chunk
        if not running:
            break
        ended, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in ended:
            chunk = running.pop(future)
            if future.cancelled():
                continue
            try:
                found = results(future, chunk)
            except Exception as error:  # noqa: BLE001 - raised below, when what is under way is safe
                failure = failure or error
                for other in running:
                    other.cancel()
                continue
            yield chunk, found
    if failure is not None:
        raise failure


@contextmanager
def _interrupts_kept_from_children() -> Iterator[None]:
    """Processes started meanwhile never see Ctrl-C, which a terminal sends to all: this one ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch_parent(parent: int) -> None:
    """In a worker: end with the process that started it, whose death no signal tells."""
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_LOOK_SECONDS)
        os._exit(1)

    if hasattr(os, "getppid") and os.getppid() == parent:
        threading.Thread(target=watch, daemon=True).start()
