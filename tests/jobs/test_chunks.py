from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InputError
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
