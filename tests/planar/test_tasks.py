"""Tasks: rows of the right size, or a refusal that says what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.torque_space import Task, standstill


def test_rows_stand_in_the_order_accelerations_forces_torques():
    rows, right = Task(a=[1.0, 2.0], tau=[3.0], c=4.0).rows(2, 2, 1)
    assert rows.tolist() == [[1.0, 2.0, 0.0, 0.0, 3.0]] and right.tolist() == [4.0]


def test_a_task_may_have_several_rows():
    rows, right = Task(a=np.eye(2), f=[1.0, 0.0]).rows(2, 2, 0)
    assert rows.tolist() == [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0]] and right.tolist() == [0.0, 0.0]


def test_standstill_asks_every_acceleration_to_vanish():
    assert np.allclose(np.vstack([task.rows(3, 0, 0)[0] for task in standstill(3)]), np.eye(3))


@pytest.mark.parametrize("options", [{}, {"a": [1.0], "kind": "<="}, {"a": [np.nan]}, {"a": [1.0], "c": [[1.0]]}])
def test_bad_tasks_are_refused(options):
    with pytest.raises(InputError):
        Task(**options)


def test_wrong_sizes_are_refused_where_they_meet_a_system():
    with pytest.raises(InputError, match="this system has 3"):
        Task(a=[1.0, 2.0]).rows(3, 0, 0)
    with pytest.raises(InputError, match="rows"):
        Task(a=np.eye(3), tau=np.eye(2)).rows(3, 0, 2)


def test_ragged_rows_are_told():
    with pytest.raises(InputError, match="a: has rows of different lengths"):
        Task(a=[[1, 0], [1]])
