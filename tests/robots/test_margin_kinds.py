"""What a margin may mean: rows of pushes, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.robots.planning import Pushes


def test_the_six_axes_count_a_torque_by_the_length():
    assert Pushes(length=0.25).rows() == pytest.approx(np.diag([1, 1, 1, 0.25, 0.25, 0.25]))
    assert Pushes([[1, 0, 0, 0, 0, 2]]).rows() == pytest.approx(np.array([[1, 0, 0, 0, 0, 2]]))


@pytest.mark.parametrize("rows", [[[0] * 6], np.zeros((0, 6)), [[1, 2, 3]]])
def test_pushes_need_directions(rows):
    with pytest.raises(InputError, match="directions"):
        Pushes(rows).rows()
