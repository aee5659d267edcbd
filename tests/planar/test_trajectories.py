"""Motions from rest to rest: refusals; their derivatives are checked with the disturbances they make."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar.chains import RestToRest


def test_halfway_in_time_is_halfway_on_the_way():
    q, qd, qdd = RestToRest([0.0, 1.0], [2.0, 1.0], 4.0).at(2.0)
    assert np.allclose(q, [[1.0, 1.0]]) and np.allclose(qd, [[2.0 * 15 / 8 / 4.0, 0.0]]) and np.allclose(qdd, 0.0)


@pytest.mark.parametrize("build", [lambda: RestToRest([0.0], [1.0, 2.0], 1.0), lambda: RestToRest([0.0], [1.0], 0.0)])
def test_bad_motions_are_refused(build):
    with pytest.raises(InputError):
        build()


def test_times_outside_the_motion_are_refused():
    with pytest.raises(InputError, match="outside"):
        RestToRest([0.0], [1.0], 1.0).at([1.5])
