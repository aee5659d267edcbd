from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from itertools import pairwise

import numpy as np
import pytest

from holdfast.errors import FileError, HoldfastError, InputError, JournalWarning, WorkerError
from holdfast.jobs import sweep
from holdfast.jobs.tasks import Chunk, pack_task
from holdfast.jobs.workers import _as_they_come, _home, _Process, _running, end_processes


def square(x: float) -> dict[str, float]:
    return {"value": x * x, "third": x / 3}


class Counter:
    """A task that counts how often it was asked, and may stop."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.asked: list[float] = []
        self.stop_after = stop_after

    def __call__(self, x: float) -> dict[str, float]:
        if self.stop_after is not None and len(self.asked) >= self.stop_after:
            raise KeyboardInterrupt
        self.asked.append(x)
        return square(x)


class InChunks(Counter):
    """The same, several at a time."""

    batch = 5

    def __init__(self, stop_after: int | None = None) -> None:
        super().__init__(stop_after)
        self.chunks: list[list[float]] = []

    def many(self, queries: list[float]) -> list[dict[str, float]]:
        self.chunks.append(queries)
        return [self(x) for x in queries]


QUERIES = [float(x) for x in range(12)]
EXPECTED = [square(x) for x in QUERIES]


# -- results ----------------------------------------------------------------------------------------


def test_results_come_in_the_order_of_the_queries():
    assert sweep(square, QUERIES) == EXPECTED
    assert sweep(square, []) == []
    assert sweep(square, np.array(QUERIES)) == EXPECTED


def test_a_journal_does_not_change_the_results(tmp_path):
    assert sweep(square, QUERIES, journal=tmp_path / "j") == EXPECTED
    assert sweep(square, [], journal=tmp_path / "empty") == []


def test_a_finished_sweep_is_read_and_not_computed_again(tmp_path):
    sweep(square, QUERIES, journal=tmp_path / "j", key="k")
    again = Counter()
    assert sweep(again, QUERIES, journal=str(tmp_path / "j"), key="k") == EXPECTED
    assert again.asked == []


@pytest.mark.parametrize("stop_after", [0, 1, 5, 11])
def test_a_stopped_sweep_goes_on_where_it_stopped(tmp_path, stop_after):
    first = Counter(stop_after)
    with pytest.raises(KeyboardInterrupt):
        sweep(first, QUERIES, journal=tmp_path / "j")
    second = Counter()
    assert sweep(second, QUERIES, journal=tmp_path / "j") == EXPECTED
    assert first.asked + second.asked == QUERIES


def test_a_task_that_fails_keeps_what_was_finished(tmp_path):
    def fails(x: float) -> dict[str, float]:
        if x == 3.0:
            raise ZeroDivisionError
        return square(x)

    with pytest.raises(ZeroDivisionError) as caught:
        sweep(fails, QUERIES, journal=tmp_path / "j")
    assert caught.value.__notes__ == ["raised for queries[3]"]
    counter = Counter()
    assert sweep(counter, QUERIES, journal=tmp_path / "j") == EXPECTED
    assert counter.asked == QUERIES[3:]


@pytest.mark.parametrize(
    "value", [0.1 + 0.2, 1e-320, -0.0, float("inf"), float("nan"), 2**70, None, True, "ü\n", [1, [2]], {}]
)
def test_values_come_back_from_the_journal_bit_for_bit(tmp_path, value):
    task = lambda _: {"value": value}  # noqa: E731
    fresh = sweep(task, [0], journal=tmp_path / "j")
    saved = sweep(task, [0], journal=tmp_path / "j")
    assert repr(fresh) == repr(saved)


def test_results_are_the_same_type_whether_fresh_or_saved(tmp_path):
    task = lambda x: {"pair": (x, 2.0), 7: "key"}  # noqa: E731
    fresh = sweep(task, [1.0], journal=tmp_path / "j")
    assert sweep(task, [1.0], journal=tmp_path / "j") == fresh


def test_a_result_that_cannot_be_saved_is_a_holdfast_error_that_names_the_query(tmp_path):
    with pytest.raises(HoldfastError):
        sweep(lambda x: {"value": {1, 2}}, [1.0], journal=tmp_path / "j")
    assert sweep(square, [1.0], journal=tmp_path / "j") == [square(1.0)]


# -- progress ---------------------------------------------------------------------------------------


def test_progress_counts_from_the_start_to_the_end():
    calls: list[tuple[int, int]] = []
    sweep(square, QUERIES[:4], progress=lambda done, total: calls.append((done, total)))
    assert calls == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_progress_of_a_resumed_sweep_starts_with_what_was_found(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        sweep(Counter(5), QUERIES, journal=tmp_path / "j")
    calls: list[tuple[int, int]] = []
    sweep(square, QUERIES, journal=tmp_path / "j", progress=lambda *call: calls.append(call))
    assert calls == [(n, 12) for n in range(5, 13)]


# -- chunks -----------------------------------------------------------------------------------------


def test_a_task_that_takes_many_gets_chunks_cut_by_index():
    task = InChunks()
    assert sweep(task, QUERIES) == EXPECTED
    assert task.chunks == [QUERIES[:5], QUERIES[5:10], QUERIES[10:]]


def test_a_stopped_chunk_is_computed_again_as_a_whole(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        sweep(InChunks(8), QUERIES, journal=tmp_path / "j")
    task = InChunks()
    assert sweep(task, QUERIES, journal=tmp_path / "j") == EXPECTED
    assert task.chunks == [QUERIES[5:10], QUERIES[10:]]


def test_an_error_in_a_chunk_names_its_queries():
    task = InChunks()
    task.many = lambda queries: [{"value": 1 / (x - 7.0)} for x in queries]
    with pytest.raises(ZeroDivisionError) as caught:
        sweep(task, QUERIES)
    assert caught.value.__notes__ == ["raised for queries[5:10]"]


def test_progress_moves_by_chunks():
    calls: list[tuple[int, int]] = []
    sweep(InChunks(), QUERIES, progress=lambda *call: calls.append(call))
    assert calls == [(0, 12), (5, 12), (10, 12), (12, 12)]


# -- the journal ------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop_after", [0, 1, 7, 11])
def test_the_finished_journal_has_the_same_bytes_however_it_came_about(tmp_path, stop_after):
    sweep(square, QUERIES, journal=tmp_path / "whole", key="k")
    with pytest.raises(KeyboardInterrupt):
        sweep(Counter(stop_after), QUERIES, journal=tmp_path / "j", key="k")
    sweep(square, QUERIES, journal=tmp_path / "j", key="k")
    assert (tmp_path / "j").read_bytes() == (tmp_path / "whole").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["j", "whole"]


def test_results_with_keys_that_become_one_text_are_the_same_in_every_run(tmp_path):
    task = lambda x: {7: "a", "7": "b", "pair": (x,)}  # noqa: E731
    first = sweep(task, QUERIES, journal=tmp_path / "j")
    whole = (tmp_path / "j").read_bytes()
    assert sweep(Counter(0), QUERIES, journal=tmp_path / "j") == first
    assert (tmp_path / "j").read_bytes() == whole


@pytest.mark.parametrize("other", [{"key": "another"}, {"queries": QUERIES[:5]}, {"queries": [x + 1 for x in QUERIES]}])
def test_the_journal_of_another_sweep_is_refused_and_left_as_it_is(tmp_path, other):
    path = tmp_path / "j"
    sweep(square, QUERIES, journal=path, key="k")
    before = path.read_bytes()
    with pytest.raises(FileError, match="another sweep"):
        sweep(square, other.get("queries", QUERIES), journal=path, key=other.get("key", "k"))
    with pytest.raises(FileError, match="another sweep"):
        sweep(InChunks(), QUERIES, journal=path, key="k")  # other chunks may have other results
    assert path.read_bytes() == before


def test_damage_is_told_to_the_caller_and_only_that_is_computed_again(tmp_path):
    path = tmp_path / "j"
    sweep(square, QUERIES, journal=path)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    lines[4] = b"\x00\x00\x00 torn \n"
    path.write_bytes(b"".join(lines))
    counter = Counter()
    with pytest.warns(JournalWarning, match=r"line 5 .*query 3 computed again") as caught:
        assert sweep(counter, QUERIES, journal=path) == EXPECTED
    assert (caught[0].message.path, caught[0].message.lines, caught[0].message.queries) == (path, (5,), (3,))
    assert caught[0].filename == __file__
    assert counter.asked == [3.0]
    assert path.read_bytes() == whole


def test_damage_that_is_to_be_an_error_leaves_the_journal_as_it_is(tmp_path):
    path = tmp_path / "j"
    sweep(square, QUERIES, journal=path)
    path.write_bytes(path.read_bytes()[:-30])
    before = path.read_bytes()
    with pytest.raises(JournalWarning):
        sweep(square, QUERIES, journal=path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_two_runs_at_once_are_refused(tmp_path):
    path = tmp_path / "j"
    seen = []

    def nosy(x: float) -> dict[str, float]:
        with pytest.raises(FileError, match="in use by another run") as caught:
            sweep(square, QUERIES, journal=path)
        seen.append(caught.value)
        return square(x)

    assert sweep(nosy, QUERIES, journal=path) == EXPECTED
    assert len(seen) == len(QUERIES)


# -- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2", None])
def test_the_number_of_workers_is_a_count(workers):
    with pytest.raises(InputError, match="workers"):
        sweep(square, QUERIES, workers=workers)


def test_workers_and_a_cluster_exclude_one_another():
    with pytest.raises(InputError, match="with a cluster"):
        sweep(square, QUERIES, workers=2, cluster="tcp://localhost:8786")


def test_a_key_is_a_text(tmp_path):
    with pytest.raises(InputError, match="key"):
        sweep(square, QUERIES, journal=tmp_path / "j", key=3)


def test_queries_without_a_value_cannot_have_a_journal(tmp_path):
    with pytest.raises(InputError, match="fingerprint"):
        sweep(lambda x: {}, [object()], journal=tmp_path / "j")
    assert sweep(lambda x: {}, [object()]) == [{}]


def test_a_refused_journal_computes_nothing(tmp_path):
    (tmp_path / "file").write_text("x")
    counter = Counter()
    with pytest.raises(FileError):
        sweep(counter, QUERIES, journal=tmp_path / "file" / "j")
    assert counter.asked == []


def test_every_line_of_a_journal_is_json(tmp_path):
    sweep(square, QUERIES, journal=tmp_path / "j")
    assert all(json.loads(line) for line in (tmp_path / "j").read_text().splitlines())


@pytest.mark.parametrize("workers", [1, 2])
def test_numbers_lists_and_arrays_are_results_too(tmp_path, workers):
    assert sweep(lambda x: x * x, [1, 2, 3], workers=workers) == [1, 4, 9]
    arrays = sweep(lambda x: np.array([x, 0.1]), [1.5], workers=workers)
    assert isinstance(arrays[0], np.ndarray)
    kept = [
        sweep(
            lambda x: {"a": np.array([x, 0.1]), "b": np.float64(x)}, [1.5, 2.5], workers=workers, journal=tmp_path / "j"
        )
        for _ in range(2)
    ]
    assert kept[0] == kept[1] == [{"a": [1.5, 0.1], "b": 1.5}, {"a": [2.5, 0.1], "b": 2.5}]


def test_a_result_that_a_journal_cannot_keep_names_its_query(tmp_path):
    with pytest.raises(InputError, match=r"result of queries\[1\].*complex"):
        sweep(lambda x: x if x < 2 else complex(x), [1.0, 2.0], journal=tmp_path / "j")


def test_queries_that_are_none_are_refused():
    with pytest.raises(InputError, match="queries: is a NoneType"):
        sweep(square, None)  # pyright: ignore[reportArgumentType]


WORKERS_QUERIES = list(range(23))


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
    end_processes()


@pytest.mark.parametrize("task", [offset(3), Batched(), Batched("threads")], ids=["one", "chunks", "threads"])
def test_workers_leave_the_bytes_of_one_core(tmp_path, task):
    alone = sweep(task, WORKERS_QUERIES, journal=tmp_path / "alone", key="k")
    several = sweep(task, WORKERS_QUERIES, journal=tmp_path / "several", key="k", workers=2)
    assert several == alone
    assert (tmp_path / "several").read_bytes() == (tmp_path / "alone").read_bytes()
    assert sweep(task, WORKERS_QUERIES, workers=2) == alone


def test_processes_are_others_and_threads_are_not():
    where = lambda x: {"pid": os.getpid(), "thread": threading.get_ident()}  # noqa: E731
    others = {result["pid"] for result in sweep(where, WORKERS_QUERIES, workers=2)}
    assert os.getpid() not in others

    class Threads:
        prefer = "threads"

        def __call__(self, x):
            time.sleep(0.005)
            return where(x)

    found = sweep(Threads(), WORKERS_QUERIES, workers=2)
    assert {result["pid"] for result in found} == {os.getpid()}
    assert threading.get_ident() not in {result["thread"] for result in found}
    assert sweep(where, WORKERS_QUERIES)[0]["thread"] == threading.get_ident()


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
        sweep(Task(), WORKERS_QUERIES, journal=tmp_path / "j", workers=2)
    assert caught.value.__notes__ == ["raised for queries[9]"]
    asked = []
    sweep(lambda x: asked.append(x) or {"value": x}, WORKERS_QUERIES, journal=tmp_path / "j")
    assert 9 in asked
    assert not set(asked) & set(range(8))  # chunks wait in line two a worker: all before were finished
    sweep(lambda x: {"value": x}, WORKERS_QUERIES, journal=tmp_path / "alone")
    assert (tmp_path / "j").read_bytes() == (tmp_path / "alone").read_bytes()


def test_what_cannot_travel_is_told_before_anything_is_computed(tmp_path):
    lock = threading.Lock()
    with pytest.raises(InputError, match="cannot be sent to another process"):
        sweep(lambda x: {"held": lock.locked()}, WORKERS_QUERIES, workers=2, journal=tmp_path / "j")
    assert sweep(lambda x: {"held": lock.locked()}, WORKERS_QUERIES, journal=tmp_path / "j")[0] == {"held": False}


def test_a_worker_process_that_dies_is_told_and_its_sweep_goes_on_later(tmp_path):
    mark = tmp_path / "died"

    def deadly(x):
        if x == 9 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"value": x}

    with pytest.raises(WorkerError, match="a worker process died"):
        sweep(deadly, WORKERS_QUERIES, workers=2, journal=tmp_path / "j")
    assert sweep(deadly, WORKERS_QUERIES, workers=2, journal=tmp_path / "j") == [{"value": x} for x in WORKERS_QUERIES]


def test_a_journal_that_fails_ends_the_workers(tmp_path, monkeypatch):
    write = os.write

    def full(handle, data):
        if b'"index": 11' in bytes(data):
            raise OSError(28, "No space left on device")
        return write(handle, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(FileError, match="No space"):
            sweep(offset(1), WORKERS_QUERIES, workers=2, journal=tmp_path / "j")
    assert sweep(offset(1), WORKERS_QUERIES, workers=2, journal=tmp_path / "j") == sweep(offset(1), WORKERS_QUERIES)


def test_progress_counts_every_chunk_once():
    calls: list[tuple[int, int]] = []
    sweep(Batched(), WORKERS_QUERIES, workers=2, progress=lambda *call: calls.append(call))
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
            for other, of in futures.items():
                other.set_exception(ArithmeticError()) if of.start == 20 else other.set_result([{}])
            futures.clear()
        return future

    found = []
    with pytest.raises(ArithmeticError):
        found.extend(chunk.start for chunk, _ in _as_they_come(submit, chunks, 4))
    assert most[0] == 4
    assert sorted([*found, 20]) == submitted
    assert max(submitted) < 28


def test_processes_stay_for_the_next_sweep():
    first = {result["pid"] for result in sweep(lambda x: {"pid": os.getpid()}, WORKERS_QUERIES, workers=2)}
    again = {result["pid"] for result in sweep(lambda x: {"pid": os.getpid(), "x": x}, WORKERS_QUERIES, workers=2)}
    assert first & again


def test_what_tasks_print_goes_to_standard_error_and_their_input_is_empty(capfd):
    end_processes()  # others have another standard error

    def noisy(x):
        sys.stdout.write(f"printed {x}\n")  # in one piece: two processes write
        os.write(1, b"written\n")
        subprocess.run([sys.executable, "-c", "print('by a child', flush=True)"], check=True)
        return sys.stdin.read(), os.read(0, 1)

    assert sweep(noisy, [1, 2, 3], workers=2) == [("", b"")] * 3
    end_processes()
    out, err = capfd.readouterr()
    assert out == ""
    assert sorted(err.splitlines()) == sorted(["printed 1", "printed 2", "printed 3"] + 3 * ["written", "by a child"])


def test_tasks_find_the_modules_and_files_that_this_process_finds_now(tmp_path, monkeypatch):
    assert sweep(offset(1), WORKERS_QUERIES, workers=2) == sweep(offset(1), WORKERS_QUERIES)
    (tmp_path / "found_by_path.py").write_text("def task(x):\n    return open('here').read(), x\n")
    (tmp_path / "here").write_text("text")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, tmp_path])  # not a text: Python leaves it out, too
    from found_by_path import task  # pyright: ignore[reportMissingImports]

    assert sweep(task, [1, 2, 3], workers=2) == [("text", 1), ("text", 2), ("text", 3)]


@pytest.mark.parametrize("prefer", ["processes", "threads"])
def test_a_task_that_exits_or_interrupts_does_so_here(prefer):
    class Task:
        def __init__(self, error):
            self.error, self.prefer = error, prefer

        def __call__(self, x):
            raise self.error

    with pytest.raises(SystemExit, match="3"):
        sweep(Task(SystemExit(3)), WORKERS_QUERIES, workers=2)
    with pytest.raises(KeyboardInterrupt):
        sweep(Task(KeyboardInterrupt()), WORKERS_QUERIES, workers=2)
    assert sweep(offset(1), WORKERS_QUERIES, workers=2) == sweep(offset(1), WORKERS_QUERIES)


def test_a_sweep_may_sweep():
    inner = lambda x: sweep(lambda y: x * y, [1, 2, 3], workers=2)  # noqa: E731
    assert sweep(inner, [1, 2], workers=2) == [[1, 2, 3], [2, 4, 6]]


def test_sweeps_of_several_threads_have_processes_of_their_own():
    found = []
    start = lambda by: found.append((by, sweep(offset(by), WORKERS_QUERIES, workers=2)))  # noqa: E731
    threads = [threading.Thread(target=start, args=(by,)) for by in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(by for by, _ in found) == [2, 3]
    assert all(results == sweep(offset(by), WORKERS_QUERIES) for by, results in found)


def wait_for(pid: int) -> None:
    """Wait until a child has ended; its exit code stays to be collected."""
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


needs_wait = pytest.mark.skipif(not hasattr(os, "waitid"), reason="no os.waitid here")


@needs_wait
def test_a_process_that_ended_without_work_says_so_and_one_that_died_does_not(monkeypatch):
    parcel, chunk = pack_task(offset(1)), Chunk(0, 1)
    dead = _Process(_home())
    monkeypatch.setattr("holdfast.jobs.workers.IDLE_SECONDS", 0.01)
    idle = _Process(_home())
    try:
        wait_for(idle.popen.pid)
        assert idle.answer(parcel, b"", chunk) is None
        dead.kill()
        wait_for(dead.popen.pid)
        with pytest.raises(EOFError):
            dead.answer(parcel, b"x" * 1_000_000, chunk)
    finally:
        idle.end()
        dead.end()


@needs_wait
def test_processes_that_end_in_the_middle_of_a_sweep_for_lack_of_work_are_replaced(monkeypatch):
    end_processes()
    monkeypatch.setattr("holdfast.jobs.workers.IDLE_SECONDS", 0.05)
    computed = []

    def progress(done, total):
        if done == 1:  # four are under way or done; the others are not yet sent
            computed.extend(process.popen.pid for process in list(_running))
            for pid in computed:
                with contextlib.suppress(ChildProcessError):  # replaced already
                    wait_for(pid)

    found = sweep(lambda x: (x, os.getpid()), list(range(7)), workers=2, progress=progress)
    assert [x for x, _ in found] == list(range(7))
    assert computed
    assert {pid for _, pid in found[4:]}.isdisjoint(computed)


@needs_wait
def test_an_idle_process_that_was_killed_is_replaced():
    where = lambda x: os.getpid()  # noqa: E731
    first = set(sweep(where, WORKERS_QUERIES, workers=2))
    for pid in first:
        os.kill(pid, signal.SIGKILL)
        wait_for(pid)
    assert not first & set(sweep(where, WORKERS_QUERIES, workers=2))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork here")
def test_a_fork_has_processes_of_its_own_and_leaves_those_of_its_parent(run_child):
    code = """
import os, sys
from holdfast.jobs import sweep

where = lambda x: os.getpid()
first = set(sweep(where, range(10), workers=2))
fork = os.fork()
if not fork:
    sys.exit(len(first & set(sweep(where, range(10), workers=2))))
shared = os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])
print(shared, bool(first & set(sweep(where, range(10), workers=2))))
"""
    assert run_child(code) == (0, "0 True\n", "")
