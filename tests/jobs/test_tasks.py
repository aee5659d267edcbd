from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InputError, WorkerError
from holdfast.jobs import tasks
from holdfast.jobs.tasks import Chunk, answered, batch_of, by_threads, cut


class Many:
    batch = 3

    def many(self, queries):
        return [{"value": 2 * q} for q in queries]


@given(st.integers(0, 500), st.integers(1, 60))
def test_chunks_hold_every_query_once_and_in_order(total, batch):
    chunks = cut(total, batch)
    assert [index for chunk in chunks for index in chunk.indices] == list(range(total))
    assert all(len(chunk.indices) == batch for chunk in chunks[:-1])


@given(st.integers(1, 200), st.integers(1, 20), st.integers(0, 100))
def test_the_border_of_a_chunk_does_not_depend_on_what_follows(total, batch, more):
    longer = cut(total + more, batch)
    assert all(chunk in longer for chunk in cut(total, batch) if chunk.stop - chunk.start == batch)


def test_a_task_without_many_takes_one_query_at_a_time():
    assert batch_of(lambda x: {}) == 1
    assert batch_of(Many()) == 3
    assert answered(Many(), [1, 2], Chunk(4, 6)) == [{"value": 2}, {"value": 4}]


@pytest.mark.parametrize("task", [None, 3, "task"])
def test_what_cannot_be_called_is_no_task(task):
    with pytest.raises(InputError, match="task"):
        batch_of(task)


@pytest.mark.parametrize("batch", [0, -1, 2.5, True, "4"])
def test_a_batch_is_a_count(batch):
    task = Many()
    task.batch = batch
    with pytest.raises(InputError, match=r"task\.batch"):
        batch_of(task)


def test_only_threads_and_processes_can_be_preferred():
    task = Many()
    assert not by_threads(task)
    task.prefer = "threads"
    assert by_threads(task)
    task.prefer = "fibres"
    with pytest.raises(InputError, match="fibres"):
        by_threads(task)


def test_a_result_may_be_anything():
    assert answered(lambda x: complex(x), [1.5], Chunk(7, 8)) == [1.5 + 0j]


def test_too_few_results_of_a_chunk_are_not_matched_with_its_queries():
    task = Many()
    task.many = lambda queries: [{}]
    with pytest.raises(InputError, match=r"1 results came back for 3.*queries\[3:6\]|queries\[3:6\].*1 results"):
        answered(task, [0, 1, 2], Chunk(3, 6))


class Stubborn(Exception):
    """An error that does not survive the way: it wants two arguments and keeps one."""

    def __init__(self, one, two):
        super().__init__(one)


def round_trip(task, queries, chunk):
    packed = tasks.pack_task(task), tasks.packed_queries(queries, chunk)
    return tasks.unpacked_results(tasks.run_packed(*packed, chunk), chunk)


def test_closures_travel_with_what_they_hold():
    factor = 3
    assert round_trip(lambda x: {"value": factor * x}, [5, 6, 7], Chunk(1, 3)) == [{"value": 18}, {"value": 21}]


def test_the_task_is_unpacked_once_a_thread_and_shared_by_none():
    """Its tables are made once; and what is warm in it is touched by one thread alone."""
    chunk = Chunk(0, 1)
    packed = tasks.pack_task(lambda x: {"value": x}), tasks.packed_queries([7], chunk), chunk

    def task_after_a_run():
        assert tasks.unpacked_results(tasks.run_packed(*packed), chunk) == [{"value": 7}]
        return tasks._unpacked.task

    here = task_after_a_run()
    assert task_after_a_run() is here
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(task_after_a_run).result() is not here


def test_an_error_comes_back_as_itself_with_its_query_and_where_it_arose():
    with pytest.raises(ZeroDivisionError) as caught:
        round_trip(lambda x: {"value": 1 / x}, [0], Chunk(0, 1))
    assert caught.value.__notes__ == ["raised for queries[0]"]
    assert isinstance(caught.value.__cause__, tasks.WorkerTraceback)
    assert "test_tasks.py" in str(caught.value.__cause__)


def test_an_error_that_cannot_travel_is_told_by_its_text():
    def task(x):
        raise Stubborn("odd", x)

    with pytest.raises(WorkerError, match="Stubborn: odd") as caught:
        round_trip(task, [0], Chunk(0, 1))
    assert "in task" in str(caught.value.__cause__)


def test_what_cannot_travel_is_named():
    lock = threading.Lock()
    with pytest.raises(InputError, match="task: cannot be sent"):
        tasks.pack_task(lambda x: {"lock": lock})
    with pytest.raises(InputError, match=r"queries\[1\]: cannot be sent"):
        tasks.packed_queries([0, lock], Chunk(1, 2))
    with pytest.raises(InputError, match=r"results of queries\[0\]: cannot be sent"):
        round_trip(lambda x: {"lock": threading.Lock()}, [0], Chunk(0, 1))
