"""What a search keeps: only what is better, boxes as they were closed."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.exact.search import (
    BEST,
    GAP_SHARE,
    LEAVES,
    NODES,
    SearchState,
    add_leaf,
    cutoff_of,
    keep_best,
    new_search_state,
)
from holdfast.solvers.exact.simplex import MASK
from tests.solvers.kernel_cases import compiled

K, M, SLOTS, PIECES = 3, 7, 5, 4


@pytest.fixture
def state() -> SearchState:
    state = new_search_state(K, M, 10, SLOTS, PIECES)
    state.trial[:] = np.arange(9.0).reshape(3, 3)
    state.common[1] = [2, 0, 1]
    return state


def test_better_forces_are_kept_with_their_pieces(state):
    state.best[BEST] = 1.0
    compiled(keep_best, state, 1.5, 0.5)
    assert state.best[BEST] == 1.5
    np.testing.assert_array_equal(state.forces, 0.5 * state.trial)
    assert state.pieces.tolist() == [2, 0, 1]


@pytest.mark.parametrize("factor", [1.0, 0.5, -np.inf])
def test_forces_that_are_no_better_are_not(state, factor):
    state.best[BEST] = 1.0
    compiled(keep_best, state, factor, 1.0)
    assert state.best[BEST] == 1.0
    assert not state.forces.any()


@pytest.mark.parametrize(
    "best, target, expected",
    [
        (-np.inf, np.inf, -np.inf),  # nothing found yet: every bound matters
        (2.0, np.inf, 2.0 + GAP_SHARE * 2e-3 + 1e-6),
        (-2.0, np.inf, -2.0 + GAP_SHARE * 2e-3 + 1e-6),
        (0.0, np.inf, 1e-6),
        (0.3, 1.0, 1.0),  # a test asks for its target, whatever was found below
        (-np.inf, 1.0, 1.0),
    ],
)
def test_bounds_matter_above_the_target_or_the_gap_over_the_best(state, best, target, expected):
    state.best[BEST] = best
    assert compiled(cutoff_of, state, target, 1e-3, 1e-6) == pytest.approx(expected, rel=1e-15)


def test_leaves_are_the_masks_at_hand_with_one_contact_replaced(state):
    items = np.zeros((3, K + 2), dtype=np.int64)
    items[MASK] = [7, 3, 1, 1, 1]
    y = np.linspace(-1.0, 1.0, M)
    compiled(add_leaf, state, items, y, 0.7, np.int64(-1), np.int64(-1))
    compiled(add_leaf, state, items, 2.0 * y, 0.6, np.int64(0), np.int64(5))
    items[MASK], y[:] = 0, 0.0  # leaves are copies
    assert state.counts[LEAVES] == 2
    assert state.counts[NODES] == 0
    assert state.leaf_masks[:2].tolist() == [[7, 3, 1], [5, 3, 1]]
    assert state.leaf_bound[:2].tolist() == [0.7, 0.6]
    np.testing.assert_allclose(state.leaf_y[1], 2.0 * state.leaf_y[0])
    assert state.leaf_y[0, 0] == -1.0


def test_there_is_room_for_every_child_of_a_slot(state):
    """The contact, the next child, as many masks as there are pieces, and the 0 that ends them."""
    assert state.child.shape == (SLOTS, 2 + PIECES + 1)
    assert state.parts.shape == state.bound.shape == (2, PIECES)
    assert state.y.shape == (2, PIECES, M)
    assert new_search_state(1, 6, 1, 1, 1).parts.shape == (2, 2)
