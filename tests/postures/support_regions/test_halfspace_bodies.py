"""Corners and rays of half-spaces, by closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.checks import Array
from holdfast.postures.region_computation import body_of

CUBE = np.concatenate([np.eye(3), -np.eye(3)])


def supports(normals: Array, offsets: Array, ways: Array) -> Array:
    body = body_of(normals, offsets, 1.0)
    assert body is not None
    return body.support(ways)


def test_a_box_and_a_flat_box_and_a_point() -> None:
    offsets = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])
    body = body_of(CUBE, offsets, 1.0)
    assert body is not None and body.volume == pytest.approx(6.0) and len(body.vertices) == 8
    offsets[5] = -3.0
    flat = body_of(CUBE, offsets, 1.0)
    assert flat is not None and flat.dimension == 2 and np.allclose(flat.vertices[:, 2], 3.0)
    point = body_of(CUBE, np.array([1.0, 2.0, 3.0, -1.0, -2.0, -3.0]), 1.0)
    assert point is not None and np.allclose(point.vertices, [[1.0, 2.0, 3.0]])
    assert body_of(CUBE, np.array([1.0, 2.0, 3.0, -1.1, -2.0, -3.0]), 1.0) is None


def test_unbounded_bodies_keep_their_rays() -> None:
    ways = np.random.default_rng(0).normal(size=(40, 3))
    corner = supports(np.eye(3), np.array([1.0, 2.0, 3.0]), ways)
    inside = (ways >= 0.0).all(axis=1)
    assert np.allclose(corner[inside], ways[inside] @ [1.0, 2.0, 3.0]) and np.isinf(corner[~inside]).all()
    beam = supports(CUBE[[0, 1, 3, 4]], np.ones(4), np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    assert beam[0] == pytest.approx(2.0) and beam[1] == np.inf
    half = supports(np.array([[0.0, 0.0, 1.0]]), np.array([2.0]), np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]))
    assert half[0] == pytest.approx(2.0) and half[1] == np.inf
    everything = body_of(np.zeros((0, 3)), np.zeros(0), 1.0)
    assert everything is not None and np.isinf(everything.support(ways)).all()


def test_a_random_body_has_the_supports_of_its_half_spaces() -> None:
    from scipy.optimize import linprog

    rng = np.random.default_rng(1)
    normals = rng.normal(size=(40, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    offsets = rng.uniform(0.5, 2.0, size=40)
    ways = rng.normal(size=(10, 3))
    wanted = [-linprog(-way, A_ub=normals, b_ub=offsets, bounds=(None, None)).fun for way in ways]
    assert np.allclose(supports(normals, offsets, ways), wanted)
