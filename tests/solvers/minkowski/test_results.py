"""Results: weights are selected hand by hand; gaps and whether a point was found."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.solvers.minkowski import SumOptimum, SumStatus
from holdfast.solvers.minkowski.results import Combination


def combination() -> Combination:
    hands, rays = np.array([1, 0, 1, 0]), np.array([False, False, True, False])
    return Combination(2, hands, np.array([7, 3, 2, 5]), rays, np.array([1.0, 0.25, 4.0, 0.75]))


def test_weights_of_each_hand_are_its_own():
    first, second = combination()
    assert first.indices.tolist() == [3, 5] and first.values.tolist() == [0.25, 0.75]
    assert first.ray_indices.tolist() == []
    assert second.indices.tolist() == [7] and second.ray_indices.tolist() == [2]
    assert second.ray_values.tolist() == [4.0]


def test_a_combination_is_a_sequence():
    weights = combination()
    assert len(weights) == 2
    assert weights[-1].indices.tolist() == weights[1].indices.tolist()
    assert [own.indices.tolist() for own in weights[:1]] == [[3, 5]]
    with pytest.raises(IndexError):
        weights[2]


def test_a_result_has_whether_a_point_was_found_and_the_gap_to_its_bound():
    zero = np.zeros(6)
    found = SumOptimum(SumStatus.OPTIMAL, np.ones(1), 3.0, 3.5, combination(), np.zeros((2, 6)), zero, np.zeros(1))
    assert found.found and found.gap == 0.5
    empty = SumOptimum(SumStatus.EMPTY, np.ones(1), -np.inf, -np.inf, (), np.zeros((2, 6)), zero, np.zeros(1))
    assert not empty.found and empty.gap == 0.0
