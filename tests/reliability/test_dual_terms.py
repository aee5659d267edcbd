"""What multipliers say about the limits of samples."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability.sampling import Sampler, dual_terms, limit_slopes, planned_supports, supports
from holdfast.reliability.scatter import Scatter
from tests.referee import block, random_rotation


def convex(seed: int) -> hf.Assembly:
    """Four contacts of one box each, with a joint row: limits without a gap to those of the hulls."""
    rng = np.random.default_rng(seed)
    volume = hf.ForceVolume([block([-1.0, -0.7, -0.4], [1.2, 0.8, 0.9])])
    contacts = [hf.Contact(rng.normal(size=3) * 0.2, random_rotation(rng), volume, f"c{i}") for i in range(4)]
    return hf.Assembly(contacts, hf.JointRows(rng.normal(size=(1, 12)), [-0.6], [0.8]))


SPREAD = Scatter(strength=0.2, friction=0.2, position=0.01, mass=0.1, com=0.02, correlation=0.5)
LOAD = np.array([0.3, -0.4, 1.0, 0.02, 0.05, 0.0])


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_of_a_samples_own_multipliers_is_its_limit(seed):
    sampler = Sampler.of(convex(seed), LOAD, SPREAD)
    scores = sampler.plan.scores(seed, 0, 10)
    limits = sampler.limits(scores)
    bounds = dual_terms(sampler, scores, limits.multipliers[:, 0]).bounds()
    np.testing.assert_allclose(bounds, limits.values[:, 0], rtol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_any_multipliers_bound_every_limit(seed):
    sampler = Sampler.of(convex(seed), LOAD, SPREAD)
    scores = sampler.plan.scores(seed, 0, 30)
    values = sampler.limits(scores).values[:, 0]
    y = np.random.default_rng(seed).normal(size=(30, 7))
    bounds = dual_terms(sampler, scores, y).bounds()
    known = np.isfinite(bounds)
    assert known.any() and (bounds[known] >= values[known] * (1 - 1e-9)).all()


def test_slopes_are_those_of_finite_differences():
    """Central differences of the limits themselves; at kinks, where they differ from either side, none is checked."""
    sampler = Sampler.of(convex(1), LOAD, SPREAD)
    scores = sampler.plan.scores(2, 0, 6)
    limits = sampler.limits(scores)
    slopes = limit_slopes(sampler, scores, limits.multipliers[:, 0], limits.forces[:, 0], 1e-4)
    step, checked = 1e-3, 0
    for i, z in enumerate(scores):
        moved = np.concatenate([z + step * np.eye(len(z)), z - step * np.eye(len(z))])
        found = sampler.limits(moved).values[:, 0]
        forward, backward = found[: len(z)] - limits.values[i, 0], limits.values[i, 0] - found[len(z) :]
        smooth = np.abs(forward - backward) <= 1e-4 * np.abs(limits.values[i, 0]) * step * 50
        np.testing.assert_allclose(
            slopes[i][smooth], ((forward + backward) / (2 * step))[smooth], atol=2e-3 * limits.values[i, 0]
        )
        checked += int(smooth.sum())
    assert checked > 0.7 * slopes.size


def test_supports_as_planned_are_those_without_scatter():
    sampler = Sampler.of(convex(0), LOAD, SPREAD)
    y = np.random.default_rng(0).normal(size=(5, 7))
    still = Sampler.of(convex(0), LOAD, Scatter())
    np.testing.assert_allclose(planned_supports(sampler, y), dual_terms(still, np.zeros((5, 0)), y).contacts)


def test_supports_are_the_best_vertices():
    volume = hf.ForceVolume([block([-1.0] * 3, [1.0] * 3)])
    found = supports([volume.polytopes], np.zeros((1, 2), dtype=np.int64), np.array([[[1.0, 2.0, -3.0], [0.0, 0, 0]]]))
    np.testing.assert_allclose(found, [[6.0, 0.0]])
