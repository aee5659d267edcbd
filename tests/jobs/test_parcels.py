from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from holdfast.errors import InputError, WorkerError
from holdfast.jobs import tasks
from holdfast.jobs.tasks import Chunk


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
