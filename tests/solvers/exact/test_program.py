"""The kernels' data: rooms of the right size, copies that are copies."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.exact.simplex import (
    FIRST,
    FLIPS_PER_ITEM,
    ROOT,
    SCRATCH,
    copy_slot,
    new_basis_frames,
    new_simplex_work,
)
from tests.solvers.kernel_cases import begun, compiled, setting, slot_of

N, M, SLOTS = 7, 9, 5


def test_a_copied_basis_is_equal_and_independent():
    node = begun(setting("a row without a limit"))
    node.run()
    others = [slot_of(node.frames, s) for s in (ROOT, FIRST)]
    before = [[array.copy() for array in slot] for slot in others]
    compiled(copy_slot, node.frames, FIRST, SCRATCH)
    for copy, original in zip(slot_of(node.frames, SCRATCH), node.slot, strict=True):
        np.testing.assert_array_equal(copy, original)
        copy[...] = 7
    for slot, kept in zip(others, before, strict=True):
        for array, expected in zip(slot, kept, strict=True):
            np.testing.assert_array_equal(array, expected)


def test_every_slot_has_room_for_a_whole_basis():
    frames = new_basis_frames(SLOTS, N, M)
    shapes = [(3, N), (2, M), (M, M), (M, M), (4, M), (N,), (3 * N,)]
    assert [array.shape for array in frames] == [(SLOTS, *shape) for shape in shapes]
    assert [array.dtype.kind for array in frames] == list("iifffff")


@pytest.mark.parametrize("name, shape", [("pace", (3 * N,)), ("matrix", (M, M)), ("banned", (M + N,)), ("at", (N,))])
def test_work_has_room_for_every_item_and_row(name, shape):
    assert getattr(new_simplex_work(N, M), name).shape == shape


def test_a_line_search_may_flip_every_item_many_times():
    assert new_simplex_work(N, M).flipped.shape == (2, FLIPS_PER_ITEM * (N + M))
