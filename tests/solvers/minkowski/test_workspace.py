"""The buffers: every part has a place of its own, and together they fill them."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.minkowski.workspace import HEAD, build_buffers, parts

NOTHING = np.zeros((6, 0))


@pytest.mark.parametrize("hands", [[0], [0, 1, 0], [1, 1], [2, 0, 1, 2, 2, 2, 1]])
def test_parts_do_not_overlap_and_leave_no_gap(hands):
    counts = np.array([[300, 64, 0, 0, 5], [1, 1, 4, 4, 1], [40, 40, 90, 64, 1]])
    floats, ints = build_buffers(counts, np.array(hands), 94)
    named = parts(NOTHING, NOTHING, np.zeros(0), np.zeros(0, np.int64), NOTHING, floats, ints)
    ints_head = ints[:HEAD].copy()
    floats[:], ints[HEAD:] = 0.0, 0
    total = 0
    for part in named:
        for array in part:
            if array.base is not None and array.size:
                assert np.all(array == 0), "two parts share a place"
                array[...] = 1
                total += array.size
    assert np.all(floats == 1.0) and np.all(ints[HEAD:] == 1)
    assert total == len(floats) + len(ints) - HEAD
    assert np.array_equal(ints[:HEAD], ints_head)


def test_rows_are_kept_for_hands_that_mix_vertices_alone():
    counts = np.array([[300, 64, 0, 0, 5], [1, 1, 4, 4, 1]])
    _, ints = build_buffers(counts, np.array([1, 0, 1, 1, 0]), 4)
    hands, shapes, slots, rows, rays = ints[:HEAD]
    assert (hands, shapes, rows, rays) == (5, 2, 8, 4)
    assert slots == 2 * (64 + 32) + 3 * 4
