"""Mixtures of shifted scores: shares, weights, and which failures count as one way to fail."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from holdfast.reliability.rare_events import MOST_MODES, Mixture, mixture_at


def test_every_part_gets_its_share_of_the_samples_spread_evenly():
    mixture = Mixture(np.zeros((3, 2)), np.array([0.1, 0.6, 0.3]))
    strata = mixture.strata(100)
    assert np.bincount(strata).tolist() == [10, 60, 30]
    assert np.bincount(strata[:50], minlength=3).tolist() == pytest.approx([5, 30, 15], abs=1)
    assert len(mixture.strata(7)) == 7


def test_weights_are_the_ratio_of_the_densities():
    shifts = np.array([[0.0, 0.0], [-3.0, 1.0], [0.5, 0.5]])
    mixture = Mixture(shifts, np.array([0.2, 0.5, 0.3]))
    scores = np.random.default_rng(0).normal(size=(50, 2))
    mixed = sum(
        share * stats.multivariate_normal(shift).pdf(scores)
        for share, shift in zip([0.2, 0.5, 0.3], shifts, strict=True)
    )
    np.testing.assert_allclose(mixture.weights(scores), stats.multivariate_normal(np.zeros(2)).pdf(scores) / mixed)


def test_weighted_means_have_no_bias():
    """P(z < -3) by samples shifted there."""
    mixture = Mixture(np.array([[0.0], [-3.0]]), np.array([0.1, 0.9]))
    strata = mixture.strata(100_000)
    scores = np.random.default_rng(1).normal(size=(100_000, 1)) + mixture.shifts[strata]
    weights = mixture.weights(scores)
    assert weights.mean() == pytest.approx(1.0, rel=0.02)
    assert (weights * (scores[:, 0] < -3.0)).mean() == pytest.approx(stats.norm.cdf(-3.0), rel=0.02)


def test_near_points_are_one_mode_and_the_nearest_to_the_middle_counts_most():
    mixture = mixture_at(np.array([[3.0, 0.0], [3.1, 0.1], [0.0, -4.0]]), 2, 0.1)
    np.testing.assert_array_equal(mixture.shifts, [[0.0, 0.0], [3.0, 0.0], [0.0, -4.0]])
    ratio = stats.norm.cdf(-4.0) / stats.norm.cdf(-3.0)
    np.testing.assert_allclose(mixture.shares, [0.1, 0.9 / (1 + ratio), 0.9 * ratio / (1 + ratio)])


def test_without_points_nothing_is_shifted_and_there_are_never_too_many():
    assert mixture_at(np.zeros((0, 3)), 3, 0.1).shifts.tolist() == [[0.0, 0.0, 0.0]]
    many = mixture_at(5.0 * np.eye(20), 20, 0.1)
    assert len(many.shares) == 1 + MOST_MODES and many.shares.sum() == pytest.approx(1.0)
