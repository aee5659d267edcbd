from __future__ import annotations

import numpy as np

from holdfast.wrench_spaces.comparison import AXES, HALF_AXES, MEASURES, SLICES


def test_the_half_axes_are_unit_wrenches_both_ways() -> None:
    assert len(HALF_AXES) == 12
    for key, direction in HALF_AXES.items():
        expected = np.zeros(6)
        expected[AXES.index(key[1:])] = 1.0 if key[0] == "+" else -1.0
        np.testing.assert_array_equal(direction, expected)


def test_forces_are_in_newtons_torques_in_newton_metres_and_no_key_comes_twice() -> None:
    keys = [measure.key for measure in MEASURES]
    assert len(set(keys)) == len(keys) and set(HALF_AXES) | set(SLICES) <= set(keys)
    for measure in MEASURES:
        if measure.group in ("force", "direction"):
            assert measure.unit == "N"
        if measure.group == "torque":
            assert measure.unit == "N m"
        assert measure.meaning
