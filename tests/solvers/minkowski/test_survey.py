"""The survey of all vertices finds what a plain product finds."""

from __future__ import annotations

import numpy as np
from numba import njit

from holdfast.solvers.minkowski.pricing import BLOCK
from holdfast.solvers.minkowski.survey import gather, price_all, ray_slope
from tests.solvers.minkowski.sum_cases import Sum, random_maps


@njit
def surveyed(tables, pool, basis, y):
    """(steepest ray, new columns) of a survey at y, compiled on its own."""
    price_all(tables, pool.maps, basis.local, basis.offsets, basis.tops, basis.blocks, y)
    return ray_slope(tables, basis.local), gather(tables, pool, basis, 1e-12)


def test_best_blocks_and_new_columns_are_the_highest():
    rng = np.random.default_rng(0)
    hands = Sum(
        [(rng.normal(size=(700, 6)), None), (rng.normal(size=(300, 6)), rng.normal(size=(80, 6)))],
        [0, 1, 0],
        random_maps(rng, 3),
    )
    tables, pool, basis, _, _ = hands.solver().parts
    y = rng.normal(size=6)
    supports = [
        pool.maps[j].T @ y @ tables.vertices[:, tables.first[s] : tables.first[s + 1]] for j, s in enumerate([0, 1, 0])
    ]
    basis.offsets[:3] = [np.inf, -0.5 * supports[1].max(), -2.0 * supports[2].max()]
    slope, new = surveyed(tables, pool, basis, y)
    assert np.isclose(basis.tops[0, 0], supports[0].max(), rtol=1e-12)
    assert np.isclose(basis.tops[1, 0], supports[1].max(), rtol=1e-12)
    assert basis.tops[2, 0] == -np.inf  # nothing above the level of the basis
    per_block = np.sort([supports[0][i : i + BLOCK].max() for i in range(0, 700, BLOCK)])[::-1]
    assert np.allclose(basis.tops[0], per_block[: basis.tops.shape[1]], rtol=1e-12)
    slopes = [pool.maps[1].T @ y @ tables.rays]
    assert np.isclose(slope, np.max(slopes), rtol=1e-12)
    assert new > 0
    for j, s in ((0, 0), (1, 1)):
        own = pool.items[tables.slots[j, 0] : tables.slots[j, 2]]
        assert tables.first[s] + int(np.argmax(supports[j])) in own
    assert tables.ray_first[1] + int(np.argmax(slopes[0])) in pool.items[tables.slots[1, 2] : tables.ends[1]]
