"""Workers on this machine: processes by joblib's loky, or threads for tasks that release Python's lock."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

from ..errors import WorkerError
from . import parcels
from .chunks import Chunk, Result, Task, answered, name_queries

#: Chunks under way or waiting, for each worker: one more than it computes, so that it never waits for the next.
CHUNKS_PER_WORKER = 2
#: Seconds after which a worker process without work ends.
IDLE_SECONDS = 60
#: Seconds between a worker's looks at whether the process that started it still lives.
PARENT_LOOK_SECONDS = 0.5

Answers = Iterator[tuple[Chunk, list[Result]]]


def on_processes(task: Task, queries: list[Any], left: list[Chunk], workers: int) -> Answers:
    """The results of the chunks as they come from `workers` processes.

    The processes stay for the next sweep, and end when they are idle, when the sweep is interrupted (at once), or when
    the process that started them dies, however it does.
    """
    from joblib.externals.loky import get_reusable_executor

    parcel = parcels.packed(task)
    with _interrupts_kept_from_children():
        executor = get_reusable_executor(
            workers, timeout=IDLE_SECONDS, initializer=_watch_parent, initargs=(os.getpid(),)
        )

    def submit(chunk: Chunk) -> Future[bytes]:
        packed = parcels.packed_queries(queries, chunk)
        with _interrupts_kept_from_children():
            return executor.submit(parcels.run_packed, parcel, packed, chunk)

    def results(future: Future[bytes], chunk: Chunk) -> list[Result]:
        try:
            return parcels.unpacked_results(future.result(), chunk)
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
