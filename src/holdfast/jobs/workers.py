"""`sweep`: compute a task for many queries with worker processes, threads or a cluster, and save the results."""

from __future__ import annotations

import atexit
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

from .. import checks
from ..compiling import require_compiled
from ..errors import InputError, WorkerError
from ..inputs import checked_path
from ..public_names import with_advice
from .journal import Identity, Journal, fingerprint
from .tasks import (
    Chunk,
    Parcel,
    Result,
    Task,
    answered,
    batch_of,
    by_threads,
    cut,
    name_queries,
    pack_task,
    packed_queries,
    unpacked_results,
)

LOG = logging.getLogger(__name__)

#: More queries than this are worth compiled kernels.
FEW_QUERIES = 8

Answers = Generator[tuple[Chunk, list[Result]], None, None]


@with_advice()
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

    Results, and the bytes of the finished journal, do not depend on which worker computes them. After an interrupt, an
    error of the task (which is raised with a note that names the query) or a kill, the same call resumes from the
    journal.

    Args:
        task: a function from one query to its result. With a journal the result must consist of JSON values, arrays
            and numpy's numbers; these come back as lists and numbers. It may offer `many` (list of queries to
            list of results) with `batch`: chunks of that many consecutive queries are then given to it, each computed,
            saved and resumed as a whole. `prefer = "threads"` asks for threads instead of processes.
        queries: the queries; with a journal, JSON-like values or arrays, by which it is checked that they are the same.
        workers: how many processes (or threads) compute; 1 computes in this one. What a task prints in another
            process goes to standard error.
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
    if journal is not None or workers > 1 or len(asked) > FEW_QUERIES:
        require_compiled()  # much work, and results must not depend on which process computes them
    parts = cut(len(asked), batch)
    with ExitStack() as stack:
        saved = None
        if journal is not None:
            if not isinstance(key, str):
                raise InputError(f"is a {type(key).__name__}", where="key", fix="give a text: sweeps.fingerprint(...)")
            saved = Journal(
                checked_path(journal, where="journal"), Identity(key, len(asked), fingerprint(*asked), batch)
            )
            stack.enter_context(saved)
        done: dict[int, Result] = {} if saved is None else dict(saved.results)
        if progress is not None:
            progress(len(done), len(asked))
        left = [chunk for chunk in parts if chunk.start not in done]
        where = f"{workers} workers" if cluster is None else f"the cluster at {cluster}"
        LOG.info("%d queries, %d known already; %d chunks for %s", len(asked), len(done), len(left), where)
        for chunk, results in stack.enter_context(closing(_answers(task, asked, left, workers, cluster))):
            kept = results if saved is None else saved.add(chunk, results)
            done.update(zip(chunk.indices, kept, strict=True))
            if progress is not None:
                progress(len(done), len(asked))
        if saved is not None:
            saved.finish(done)
    return [done[index] for index in range(len(asked))]


def _answers(task: Task, queries: list[Any], left: list[Chunk], workers: int, cluster: str | None) -> Answers:
    """The results of each chunk as they come, in any order; an error of the task comes after those in progress."""
    if cluster is not None and left:
        from .cluster import on_cluster

        return on_cluster(task, queries, left, cluster)
    if min(workers, len(left)) > 1:
        run = on_threads if by_threads(task) else on_processes
        return run(task, queries, left, min(workers, len(left)))
    return _in_turn(task, queries, left)


def _in_turn(task: Task, queries: list[Any], left: list[Chunk]) -> Answers:
    """One chunk after another, in this process."""
    for chunk in left:
        yield chunk, _computed(task, queries, chunk)


def _computed(task: Task, queries: list[Any], chunk: Chunk) -> list[Result]:
    """The results of a chunk, computed in this thread; an error of the task names its queries."""
    try:
        return answered(task, queries[chunk.start : chunk.stop], chunk)
    except Exception as error:
        name_queries(error, chunk)
        raise


# Workers on this machine: threads, each with a process that computes for it unless the task releases Python's lock.

#: Chunks in progress or waiting, for each worker: one more than it computes, so that it never waits for the next.
CHUNKS_PER_WORKER = 2
#: Seconds after which a worker process without work ends.
IDLE_SECONDS = 60


def on_processes(task: Task, queries: list[Any], left: list[Chunk], workers: int) -> Answers:
    """The results of the chunks as they come from `workers` processes.

    The processes stay for the next sweep. They end when they are idle, when the sweep is interrupted (at once), or when
    the process that started them ends in any way.
    """
    parcel, home = pack_task(task), _home()
    busy: set[_Process] = set()
    stopped = threading.Event()

    def compute(chunk: Chunk) -> list[Result]:
        packed = packed_queries(queries, chunk)
        while True:
            process = _idle_or_new(home)
            busy.add(process)  # before `stopped` is checked: either `stop` kills it or it is ended here
            answer = None
            try:
                if stopped.is_set():
                    raise CancelledError
                answer = process.answer(parcel, packed, chunk)
            except (EOFError, pickle.UnpicklingError) as error:
                fix = "check for too little memory or a crash in the task; saved results are kept"
                what = "a worker process died during its work"
                raise WorkerError(what, where="workers", fix=fix) from error
            finally:
                busy.discard(process)  # before `stopped` is checked again: one that was killed is not kept
                if answer is None or stopped.is_set():
                    process.end()
                else:
                    _idle.append(process)
            if answer is not None:
                return unpacked_results(answer, chunk)

    def stop() -> None:
        stopped.set()
        for process in list(busy):
            process.kill()

    yield from _by_threads(compute, left, workers, stop)


def on_threads(task: Task, queries: list[Any], left: list[Chunk], workers: int) -> Answers:
    """The results of the chunks as they come from `workers` threads; the task must be thread-safe."""
    yield from _by_threads(lambda chunk: _computed(task, queries, chunk), left, workers)


def _by_threads(
    compute: Callable[[Chunk], list[Result]], left: list[Chunk], workers: int, stop: Callable[[], None] = lambda: None
) -> Answers:
    """The results of `compute` as they come; `stop` is called at the end, to end what an interrupt left running."""
    executor = ThreadPoolExecutor(workers, thread_name_prefix="sweep")
    try:
        yield from _as_they_come(lambda chunk: executor.submit(compute, chunk), left, CHUNKS_PER_WORKER * workers)
    finally:
        stop()
        executor.shutdown(wait=True, cancel_futures=True)


def _as_they_come(submit: Callable[[Chunk], Future[list[Result]]], left: list[Chunk], most: int) -> Answers:
    """Submit chunks, at most `most` at once, and pass on their results.

    After an error no more are submitted; the results of those in progress are still passed on, then it is raised.
    """
    waiting = iter(left)
    running: dict[Future[list[Result]], Chunk] = {}
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
                found = future.result()
            except Exception as error:  # noqa: BLE001 - raised below, after the chunks in progress
                failure = failure or error
                for other in running:
                    other.cancel()
                continue
            yield chunk, found
    if failure is not None:
        raise failure


class _Process:
    """A worker process: computes one chunk after another, for one thread at a time.

    It has a process group of its own, which Ctrl-C in a terminal does not reach. It ends with its standard input, which
    the system closes when this process ends in any way.
    """

    def __init__(self, home: tuple[Any, ...]) -> None:
        self.home = home
        self.mark = ""  # hash of the task that it has
        paths = home[-1]
        code = f"import sys; sys.path[:] = {paths}; from holdfast.jobs.tasks import serve; serve({IDLE_SECONDS})"
        self.popen = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self.pipes: tuple[Any, Any] = self.popen.stdin, self.popen.stdout
        _running.add(self)

    def answer(self, parcel: Parcel, queries: bytes, chunk: Chunk) -> bytes | None:
        """The packed results of a chunk; None if the process had ended because it was idle.

        An `EOFError` or `UnpicklingError` means that it died. The task is sent only if the process has another one.
        """
        requests, answers = self.pipes
        with suppress(OSError):  # it has ended, which the read below reports
            pickle.dump((None if parcel.mark == self.mark else parcel, queries, chunk), requests)
            requests.flush()
        self.mark = parcel.mark
        return pickle.load(answers)

    def kill(self) -> None:
        """Kill it, with the processes that its tasks started."""
        if self.popen.returncode is None:
            if hasattr(os, "killpg"):
                with suppress(OSError):
                    os.killpg(self.popen.pid, signal.SIGKILL)
            else:
                self.popen.kill()

    def end(self) -> None:
        """Kill it, and release what this process holds of it."""
        self.kill()
        for pipe in self.pipes:
            with suppress(OSError):
                pipe.close()
        self.popen.wait()
        _running.discard(self)


_running: set[_Process] = set()
_idle: list[_Process] = []


def _home() -> tuple[Any, ...]:
    """What a worker process inherits when it starts: the working directory and the paths of modules."""
    here = Path().stat()
    return here.st_dev, here.st_ino, [path for path in sys.path if isinstance(path, str)]


def _idle_or_new(home: tuple[Any, ...]) -> _Process:
    """A worker process without work that has the same directory and paths, or a new one."""
    with suppress(IndexError):
        while process := _idle.pop():
            if process.home == home and process.popen.poll() is None:
                return process
            process.end()
    return _Process(home)


@atexit.register
def end_processes() -> None:
    """End all worker processes of this process."""
    _idle.clear()
    for process in list(_running):
        process.end()


def _forget_processes() -> None:
    """In a fork of this process: forget the worker processes of the parent, and close their pipes."""
    for process in _running:
        process.popen.returncode = 0
        for pipe in process.pipes:
            pipe.raw.close()  # without the lock of its buffer, which a thread may have held
    _running.clear()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_processes)
