"""The shortest point of a hull against non-negative least squares on all its vertices."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import nnls

from holdfast.robots.torques import least_point


def shortest(vertices: np.ndarray) -> float:
    """Length of the shortest point of a hull: weights of sum 1 by a heavy row."""
    heavy = 1e5 * np.abs(vertices).max()
    system = np.concatenate([vertices.T, np.full((1, len(vertices)), heavy)])
    weights, _ = nnls(system, np.append(np.zeros(vertices.shape[1]), heavy))
    return float(np.linalg.norm(weights @ vertices))


@pytest.mark.parametrize("seed", range(12))
def test_the_shortest_point_of_a_hull_is_found_with_its_bound(seed):
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(30, 5)) + rng.uniform(0.0, 3.0)
    calls = []

    def nearest(x):
        calls.append(x)
        row = 0 if not len(x) else int((vertices @ x).argmin())
        return vertices[row], np.eye(30)[row]

    found = least_point(nearest)
    length = float(np.linalg.norm(found.point))
    assert_allclose(found.weights @ np.array(found.tags) @ vertices, found.point, atol=1e-9)
    assert_allclose(length, shortest(vertices), rtol=1e-5, atol=1e-6)
    assert found.bound <= length
    if length > 1e-6:
        assert length - found.bound <= 2e-6 * length
    assert len(calls) < 60


def test_an_empty_set_has_none():
    assert least_point(lambda x: None) is None
