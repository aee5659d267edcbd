from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import Future
from itertools import pairwise

import pytest

from holdfast.errors import FileError, InputError, WorkerError
from holdfast.jobs import sweep
from holdfast.jobs.tasks import Chunk
from holdfast.jobs.workers import _as_they_come

QUERIES = list(range(23))


def offset(by: int):
    """A task that travels by value, as those of a user's notebook do."""

    def task(x: int) -> dict[str, object]:
        return {"value": x * by, "third": x / 3, "text": "ü" * (x % 4)}

    return task


class Batched:
    """The same in chunks; each result depends on its place in the chunk, as a warm start's does."""

    batch = 4

    def __init__(self, prefer: str = "processes") -> None:
        self.prefer = prefer

    def many(self, queries: list[int]) -> list[dict[str, object]]:
        return [{"value": x, "place": place, "first": queries[0]} for place, x in enumerate(queries)]


@pytest.fixture(scope="module", autouse=True)
def _no_processes_stay():
    yield
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)


@pytest.mark.parametrize("task", [offset(3), Batched(), Batched("threads")], ids=["one", "chunks", "threads"])
def test_workers_leave_the_bytes_of_one_core(tmp_path, task):
    alone = sweep(task, QUERIES, journal=tmp_path / "alone", key="k")
    several = sweep(task, QUERIES, journal=tmp_path / "several", key="k", workers=2)
    assert several == alone
    assert (tmp_path / "several").read_bytes() == (tmp_path / "alone").read_bytes()
    assert sweep(task, QUERIES, workers=2) == alone


def test_processes_are_others_and_threads_are_not():
    where = lambda x: {"pid": os.getpid(), "thread": threading.get_ident()}  # noqa: E731
    others = {result["pid"] for result in sweep(where, QUERIES, workers=2)}
    assert os.getpid() not in others

    class Threads:
        prefer = "threads"

        def __call__(self, x):
            time.sleep(0.005)
            return where(x)

    found = sweep(Threads(), QUERIES, workers=2)
    assert {result["pid"] for result in found} == {os.getpid()}
    assert threading.get_ident() not in {result["thread"] for result in found}
    assert sweep(where, QUERIES)[0]["thread"] == threading.get_ident()


@pytest.mark.parametrize("prefer", ["processes", "threads"])
def test_an_error_names_its_query_and_what_was_finished_is_saved(tmp_path, prefer):
    class Task:
        def __init__(self):
            self.prefer = prefer

        def __call__(self, x):
            if x == 9:
                raise ArithmeticError("nine")
            return {"value": x}

    with pytest.raises(ArithmeticError, match="nine") as caught:
        sweep(Task(), QUERIES, journal=tmp_path / "j", workers=2)
    assert caught.value.__notes__ == ["raised for queries[9]"]
    asked = []
    sweep(lambda x: asked.append(x) or {"value": x}, QUERIES, journal=tmp_path / "j")
    assert 9 in asked
    assert not set(asked) & set(range(8))  # chunks wait in line two a worker: all before were finished
    sweep(lambda x: {"value": x}, QUERIES, journal=tmp_path / "alone")
    assert (tmp_path / "j").read_bytes() == (tmp_path / "alone").read_bytes()


def test_what_cannot_travel_is_told_before_anything_is_computed(tmp_path):
    lock = threading.Lock()
    with pytest.raises(InputError, match="cannot be sent to another process"):
        sweep(lambda x: {"held": lock.locked()}, QUERIES, workers=2, journal=tmp_path / "j")
    assert sweep(lambda x: {"held": lock.locked()}, QUERIES, journal=tmp_path / "j")[0] == {"held": False}


def test_a_worker_process_that_dies_is_told_and_its_sweep_goes_on_later(tmp_path):
    mark = tmp_path / "died"

    def deadly(x):
        if x == 9 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"value": x}

    with pytest.raises(WorkerError, match="a worker process died"):
        sweep(deadly, QUERIES, workers=2, journal=tmp_path / "j")
    assert sweep(deadly, QUERIES, workers=2, journal=tmp_path / "j") == [{"value": x} for x in QUERIES]


def test_a_journal_that_fails_ends_the_workers(tmp_path, monkeypatch):
    write = os.write

    def full(handle, data):
        if b'"index": 11' in bytes(data):
            raise OSError(28, "No space left on device")
        return write(handle, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(FileError, match="No space"):
            sweep(offset(1), QUERIES, workers=2, journal=tmp_path / "j")
    assert sweep(offset(1), QUERIES, workers=2, journal=tmp_path / "j") == sweep(offset(1), QUERIES)


def test_progress_counts_every_chunk_once():
    calls: list[tuple[int, int]] = []
    sweep(Batched(), QUERIES, workers=2, progress=lambda *call: calls.append(call))
    assert len(calls) == 7
    assert (calls[0], calls[-1]) == ((0, 23), (23, 23))
    assert all(a < b for (a, _), (b, _) in pairwise(calls))


def test_few_chunks_are_under_way_at_once_and_none_follow_an_error():
    most, submitted = [0], []
    chunks = [Chunk(i, i + 1) for i in range(50)]
    futures: dict[Future, Chunk] = {}

    def submit(chunk):
        future: Future = Future()
        submitted.append(chunk.start)
        futures[future] = chunk
        most[0] = max(most[0], len(futures))
        if len(futures) == 4 or chunk.start == 49:
            for other in list(futures):
                other.set_result(None)
        return future

    def results(future, chunk):
        del futures[future]
        if chunk.start == 20:
            raise ArithmeticError
        return [{}]

    found = []
    with pytest.raises(ArithmeticError):
        found.extend(chunk.start for chunk, _ in _as_they_come(submit, results, chunks, 4))
    assert most[0] == 4
    assert sorted([*found, 20]) == submitted
    assert max(submitted) < 28


def test_processes_stay_for_the_next_sweep():
    first = {result["pid"] for result in sweep(lambda x: {"pid": os.getpid()}, QUERIES, workers=2)}
    again = {result["pid"] for result in sweep(lambda x: {"pid": os.getpid(), "x": x}, QUERIES, workers=2)}
    assert first & again
