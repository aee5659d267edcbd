"""Workers on other machines: a Dask cluster, by the address of its scheduler."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import time
import uuid
import warnings
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import InputError, WorkerError, missing_extra
from .tasks import Chunk, Parcel, Result, Task, pack_task, packed_queries, run_packed, unpacked_results

if TYPE_CHECKING:
    from distributed import Client, Future

#: Seconds within which a scheduler must answer.
CONNECT_SECONDS = 5.0
#: Seconds a cluster may be without any worker before the sweep gives up.
WORKERLESS_SECONDS = 30.0
#: Seconds between checks of the cluster while no result comes.
LOOK_SECONDS = 1.0
#: Chunks in progress or waiting, for each thread of the cluster: bounds the memory used here and there.
CHUNKS_PER_THREAD = 10
#: Chunks in progress while no worker is known yet.
FEWEST_CHUNKS = 4

Answers = Generator[tuple[Chunk, list[Result]], None, None]


def checked_address(address: Any) -> str:
    """The address, if it has the form of the address of a scheduler."""
    fix = "give the address the scheduler prints: tcp://host:port"
    if not isinstance(address, str):
        raise InputError(f"is a {type(address).__name__}", where="cluster", fix=fix)
    try:
        parts = urlsplit(address)
        fits = parts.scheme in ("tcp", "tls") and bool(parts.hostname) and bool(parts.port) and parts.path in ("", "/")
    except ValueError:  # a port that is not a number
        fits = False
    if not fits:
        raise InputError(f"is not the address of a scheduler: {address!r}", where="cluster", fix=fix)
    return address


def on_cluster(task: Task, queries: list[Any], left: list[Chunk], address: str) -> Answers:
    """The results of the chunks as they come from the workers of a cluster.

    The chunks of a worker that dies go to another worker. After an error of the task no more chunks are submitted; the
    results of those in progress are still returned, then the error is raised.
    """
    checked_address(address)
    parcel = pack_task(task)
    with _connected(address) as client:
        run = _Run(client, address, parcel)
        waiting = iter(left)
        failure: Exception | None = None
        try:
            while True:
                if failure is None:
                    run.submit([(c, packed_queries(queries, c)) for c in islice(waiting, run.room())])
                if not run.chunks:
                    break
                for chunk, data in run.next_ended():
                    try:
                        if isinstance(data, Exception):
                            raise data
                        results = unpacked_results(data, chunk)
                    except Exception as error:  # noqa: BLE001 - raised below, after the chunks in progress
                        failure = failure or error
                        continue
                    yield chunk, results
        finally:
            run.cancel()
    if failure is not None:
        raise failure


class _Run:
    """The chunks of one sweep that are in progress on a cluster."""

    def __init__(self, client: Client, address: str, parcel: Parcel) -> None:
        self.chunks: dict[Chunk, Future] = {}
        self._name = f"holdfast-sweep-{uuid.uuid4().hex}"  # unique: others may use the same cluster
        self._client = client
        self._address = address
        self._parcel = client.submit(_same, parcel, key=f"{self._name}-task", pure=False)
        self._ended: queue.SimpleQueue[Chunk] = queue.SimpleQueue()
        self._most = FEWEST_CHUNKS
        self._last_seen = time.monotonic()
        self._looked = -LOOK_SECONDS

    def room(self) -> int:
        """How many more chunks may be submitted; the number of workers may change."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            self._count_threads()
        return max(0, self._most - len(self.chunks))

    def submit(self, packed: list[tuple[Chunk, bytes]]) -> None:
        """Submit chunks, with their packed queries, to the cluster."""
        if not packed:
            return
        keys = [f"{self._name}-{chunk.start}" for chunk, _ in packed]
        chunks, data = zip(*packed, strict=True)
        futures = self._client.map(_run, data, chunks, parcel=self._parcel, key=keys, pure=False)
        for chunk, future in zip(chunks, futures, strict=True):
            self.chunks[chunk] = future
            future.add_done_callback(lambda _, chunk=chunk: self._ended.put(chunk))

    def next_ended(self) -> list[tuple[Chunk, bytes | WorkerError]]:
        """The chunks that have ended, with what their calls returned or their errors; none after a waiting time."""
        try:
            ended = [self._ended.get(timeout=LOOK_SECONDS)]
        except queue.Empty:
            self._count_threads()
            return []
        while not self._ended.empty():
            ended.append(self._ended.get())
        futures = {chunk: self.chunks.pop(chunk) for chunk in ended}
        failed = [chunk for chunk, future in futures.items() if future.status == "error"]
        faults = [(chunk, self._fault(chunk, futures.pop(chunk))) for chunk in failed]
        try:
            found: Any = self._client.gather(list(futures.values()))
        except Exception as error:
            raise self._lost() from error
        return [*zip(futures, found, strict=True), *faults]

    def cancel(self) -> None:
        """Cancel the chunks that are still in progress."""
        with contextlib.suppress(Exception):  # the scheduler may be gone
            if self.chunks and self._client.status == "running":
                self._client.cancel([*self.chunks.values(), self._parcel], force=True)

    def _count_threads(self) -> None:
        """Count the threads of the cluster; give up when it has had none for long."""
        self._looked = time.monotonic()
        if self._client.status != "running":
            raise self._lost()
        info = self._client.scheduler_info(n_workers=-1)
        threads = sum(worker["nthreads"] for worker in info["workers"].values())
        if threads:
            self._most, self._last_seen = max(FEWEST_CHUNKS, CHUNKS_PER_THREAD * threads), self._looked
        elif self._looked - self._last_seen >= WORKERLESS_SECONDS:
            what = f"has had no workers for {WORKERLESS_SECONDS:.0f} s"
            raise WorkerError(what, where=self._address, fix="start some (dask worker ADDRESS); what is saved stays")

    def _fault(self, chunk: Chunk, future: Future) -> WorkerError:
        """Why the cluster gave a chunk up: its workers died repeatedly, or could not read it."""
        fix = "workers need this version of Holdfast, and memory for the task"
        reason: Any = future.exception()
        fault = WorkerError(f"the cluster could not compute it: {reason}", where=str(chunk), fix=fix)
        fault.__cause__ = reason
        return fault

    def _lost(self) -> WorkerError:
        fix = "start it and run the sweep again: it resumes from the saved results"
        return WorkerError("the connection to the scheduler was lost", where=self._address, fix=fix)


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    """A client of the scheduler, closed at the end; its log and its warnings about versions are suppressed."""
    try:
        from dask import config
        from distributed import Client
    except ImportError:
        raise missing_extra("distributed", "cluster", purpose="a sweep on a cluster") from None
    settings = {
        "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS} s",
        "distributed.admin.large-graph-warning-threshold": "1 TiB",
    }
    with config.set(settings), _quiet_log():
        try:
            if _kind(address) != "Scheduler":
                raise ConnectionError("another program than a scheduler answers")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # other versions of packages do not matter to these tasks
                client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="holdfast-sweep")
        except Exception as error:  # any failure of the connection
            fix = "start one (dask scheduler) or correct the address"
            what = f"no Dask scheduler answers there (within {CONNECT_SECONDS:.0f} s)"
            raise WorkerError(what, where=address, fix=fix) from error
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):
                client.close(timeout=CONNECT_SECONDS)


def _kind(address: str) -> str:
    """What answers at the address: "Scheduler" or "Worker"; a `TimeoutError` or `OSError` when nothing of Dask does.

    A client waits without limit for a server that accepts its connection and does not answer.
    """
    from distributed import Security
    from distributed.core import rpc

    async def ask() -> str:
        async with rpc(address, connection_args=Security().get_connection_args("client")) as there:
            identity: Any = await asyncio.wait_for(there.identity(), CONNECT_SECONDS)
            return identity["type"]

    with ThreadPoolExecutor(1) as thread:  # this thread may have an event loop
        return thread.submit(lambda: asyncio.run(ask())).result()


@contextmanager
def _quiet_log() -> Iterator[None]:
    """Silence the log of the Dask client: failures are raised as errors."""
    logger = logging.getLogger("distributed")
    children = [logger, *(logging.getLogger(f"distributed.{part}") for part in ("client", "core", "comm"))]
    levels = [one.level for one in children]
    for one in children:
        one.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for one, level in zip(children, levels, strict=True):
            one.setLevel(level)


def _run(queries: bytes, chunk: Chunk, parcel: Parcel) -> bytes:
    """Compute a chunk on a worker."""
    return run_packed(parcel, queries, chunk)


def _same(parcel: Parcel) -> Parcel:
    """The task as a value of the cluster: fetched once per worker, and recomputed if it is lost."""
    return parcel
