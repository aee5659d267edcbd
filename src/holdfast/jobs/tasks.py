"""Chunks: runs of consecutive queries that are computed, saved and resumed together."""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from .. import checks
from ..compiling import require_compiled
from ..errors import InputError, WorkerError

Result = Any  # with a journal: JSON values, arrays and numpy's numbers
Task = Callable[[Any], Result]


@dataclass(frozen=True)
class Chunk:
    """The queries `start` to `stop - 1`."""

    start: int
    stop: int

    @property
    def indices(self) -> range:
        """The indices of its queries."""
        return range(self.start, self.stop)

    def __str__(self) -> str:
        one = self.stop - self.start == 1
        return f"queries[{self.start}]" if one else f"queries[{self.start}:{self.stop}]"


def batch_of(task: Task) -> int:
    """How many consecutive queries the task takes at once: its `batch` when it offers `many`, else 1."""
    if getattr(task, "many", None) is None:
        if not callable(task):
            raise InputError(f"is a {type(task).__name__}", where="task", fix="give a function of one query")
        return 1
    return checks.count("task.batch", getattr(task, "batch", 1))


def by_threads(task: Task) -> bool:
    """Whether the task asks for threads where others get processes."""
    prefer = getattr(task, "prefer", "processes")
    if prefer not in ("threads", "processes"):
        raise InputError(f"is {prefer!r}", where="task.prefer", fix='give "threads" or "processes"')
    return prefer == "threads"


def cut(total: int, batch: int) -> list[Chunk]:
    """All queries in chunks of `batch`; the last may be shorter. Every run makes the same chunks."""
    return [Chunk(start, min(start + batch, total)) for start in range(0, total, batch)]


def answered(task: Task, queries: Sequence[Any], chunk: Chunk) -> list[Result]:
    """The results of the chunk with these `queries`, one per query."""
    many: Any = getattr(task, "many", None)
    results = [task(query) for query in queries] if many is None else list(many(list(queries)))
    if len(results) != len(queries):
        what = f"{len(results)} results came back for {len(queries)} queries"
        raise InputError(what, where=f"task.many, {chunk}", fix="return one result per query, in their order")
    return results


def name_queries(error: BaseException, chunk: Chunk) -> None:
    """Add a note to the error of a task that names its queries."""
    error.add_note(f"raised for {chunk}")


# What is sent to another process and back: the task once, queries and results chunk by chunk, and errors.

_unpacked = threading.local()


@dataclass(frozen=True)
class Parcel:
    """A packed task, and the hash that identifies it."""

    data: bytes
    mark: str


class WorkerTraceback(Exception):
    """The traceback of an error in another process; set as the cause of the error that is raised."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


def pack_task(task: Task) -> Parcel:
    """The task, packed for another process; lambdas and closures are possible."""
    data = _packed(task, "task", "leave out open files, locks, generators and the like, or use workers=1")
    return Parcel(data, hashlib.sha256(data).hexdigest())


def packed_queries(queries: Sequence[Any], chunk: Chunk) -> bytes:
    """The queries of a chunk, packed for another process."""
    return _packed(queries[chunk.start : chunk.stop], str(chunk), "give plain values or arrays, or use workers=1")


def run_packed(parcel: Parcel, queries: bytes, chunk: Chunk) -> bytes:
    """In the other process: the packed results of a chunk, or the packed error of the task.

    The task is unpacked once per thread and kept, with its tables, for the next chunk of that thread.
    """
    require_compiled()  # results must not depend on which process computes them
    try:
        if getattr(_unpacked, "mark", None) != parcel.mark:
            _unpacked.task, _unpacked.mark = pickle.loads(parcel.data), parcel.mark
        results = answered(_unpacked.task, pickle.loads(queries), chunk)
        return _packed(
            (results, None, ""),
            f"results of {chunk}",
            "return numbers, texts, lists, arrays or other values that can be pickled",
        )
    except BaseException as error:  # noqa: BLE001 - it is raised again by `sweep`
        return _packed_error(error)


def serve(idle_seconds: float) -> None:
    """In a worker process: compute the chunks that come by standard input; write packed results to standard output.

    A request is (parcel, packed queries, chunk); the parcel is None if it is that of the previous request. When no
    request comes for `idle_seconds`, the answer is None and the process ends. When its input ends, the process that
    started it has ended: it ends at once, even during a task, with all processes that its tasks started.
    Tasks have an empty standard input, and what they print goes to standard error.
    """
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    waiting: SimpleQueue[tuple[Parcel | None, bytes, Chunk]] = SimpleQueue()

    def read() -> None:
        try:
            while True:
                waiting.put(pickle.load(requests))
        finally:
            with suppress(AttributeError, OSError):  # not on Windows, or not the leader of a group
                os.killpg(os.getpid(), signal.SIGKILL)
            os._exit(1)

    def send(answer: bytes | None) -> None:
        with suppress(OSError):  # the process that asked has ended
            pickle.dump(answer, answers)
            answers.flush()

    threading.Thread(target=read, daemon=True).start()
    last = Parcel(b"", "")
    while True:
        try:
            parcel, queries, chunk = waiting.get(timeout=idle_seconds)
        except Empty:
            send(None)
            os._exit(0)
        last = parcel or last
        send(run_packed(last, queries, chunk))


def unpacked_results(data: bytes, chunk: Chunk) -> list[Result]:
    """The results of a chunk; the error of the task is raised, with its queries named."""
    results, error, trace = pickle.loads(data)
    if error is not None:
        name_queries(error, chunk)
        raise error from WorkerTraceback(trace)
    return results


def _packed(value: Any, where: str, fix: str) -> bytes:
    from cloudpickle import dumps

    try:
        return dumps(value)
    except Exception as error:  # objects may raise any error when they are packed
        raise InputError(f"cannot be sent to another process: {error}", where=where, fix=fix) from error


def _packed_error(error: BaseException) -> bytes:
    """The error itself if it can be pickled, else its text."""
    from cloudpickle import dumps

    trace = "".join(traceback.format_exception(error))
    try:
        data = dumps((None, error, trace))
        pickle.loads(data)
    except Exception:  # noqa: BLE001 - errors with unusual constructors cannot be unpickled
        text = f"the task failed: {type(error).__name__}: {error}"
        data = dumps((None, WorkerError(text, fix="see the cause of this error"), trace))
    return data
