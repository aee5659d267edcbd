"""Double description against brute force over bases, and the duality of cones."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from holdfast.planar.kernels import cone_generators


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def extreme_rays(rows: np.ndarray) -> np.ndarray:
    """Rays of a pointed cone: null vectors of n - 1 independent rows that meet all others."""
    n, found = rows.shape[1], []
    for chosen in combinations(range(len(rows)), n - 1):
        _, values, right = np.linalg.svd(rows[list(chosen)])
        if n > 1 and values[-1] < 1e-9:
            continue
        for ray in (right[-1], -right[-1]):
            if (rows @ ray >= -1e-9).all() and not any(np.allclose(ray, other, atol=1e-7) for other in found):
                found.append(ray)
    return np.array(found).reshape(-1, n)


@pytest.mark.parametrize("seed", range(25))
def test_rays_of_pointed_cones_are_all_extreme_ones_and_no_others(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    rows = rng.integers(-2, 3, (n + int(rng.integers(0, 6)), n)).astype(float)
    rows = unit(np.vstack([rows[rows.any(axis=1)], np.ones((1, n)), np.eye(n)[: n - 1]]))
    rays, lines = cone_generators(rows)
    wanted = extreme_rays(rows)
    assert not len(lines)
    assert len(rays) == len(wanted)
    for ray in rays:
        assert np.abs(wanted - ray).max(axis=1).min() < 1e-7


@pytest.mark.parametrize("seed", range(15))
def test_the_dual_of_the_dual_is_the_cone(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    rows = unit(rng.normal(size=(int(rng.integers(1, 8)), n)))
    rays, lines = cone_generators(rows)
    assert len(lines) == max(n - len(rows), 0)
    assert (rows @ rays.T >= -1e-9).all()
    assert np.allclose(rows @ lines.T, 0.0)
    again, flat = cone_generators(np.vstack([rays, lines, -lines]))
    points = rng.normal(size=(200, n))
    inside = (points @ rows.T >= 0.0).all(axis=1)
    assert np.array_equal(
        inside, (points @ again.T >= -1e-12).all(axis=1) & (np.abs(points @ flat.T) < 1e-9).all(axis=1)
    )


def test_duplicate_and_redundant_rows_change_nothing_however_many_words_their_masks_take():
    rows = unit(np.vstack([np.eye(3)] * 60 + [np.ones((30, 3))]))
    rays, lines = cone_generators(rows)
    assert not len(lines)
    assert np.allclose(sorted(rays.tolist()), np.eye(3)[::-1])


def test_no_rows_leave_all_lines_and_opposite_rows_one_less():
    assert cone_generators(np.zeros((0, 3)))[1].shape == (3, 3)
    rays, lines = cone_generators(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
    assert (len(rays), len(lines)) == (0, 2)


def test_a_cross_polytope_has_its_facets():
    corners = np.vstack([np.eye(6), -np.eye(6)])
    rays, _ = cone_generators(unit(np.column_stack([corners, np.ones(12)])))
    assert len(rays) == 2**6
