"""Batches: the answers of single questions, whoever computes them."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.solvers.minkowski import SumStatus
from holdfast.solvers.minkowski.batches import CHUNK
from tests.solvers.minkowski.sum_cases import random_maps, random_sum


def test_many_postures_give_what_each_gives_alone():
    rng = np.random.default_rng(0)
    hands = random_sum(rng, 3, ["cloud", "box"])
    maps = np.array([random_maps(rng, 3) for _ in range(30)])
    wrenches = rng.normal(size=(30, 6)) * np.repeat([4.0, 0.5], 3)
    batch = hands.solver().many(maps, wrenches)
    limits = hands.solver().many(maps, np.zeros((30, 6)), wrenches[:, None], [1.0])
    assert len(batch) == 30 and {SumStatus.OPTIMAL, SumStatus.EMPTY} == set(batch.statuses)
    for i in range(30):
        here = hands._replace(maps=maps[i])
        alone = here.solver().maximise(wrenches[i])
        assert batch.statuses[i] is alone.status and batch.are(alone.status)[i]
        if alone.status is SumStatus.EMPTY:
            assert batch.multipliers[i] @ wrenches[i] > here.support(batch.multipliers[i])[0]
        else:
            total = sum(maps[i, j] @ batch.wrenches[i, j] for j in range(3))
            assert np.allclose(total, wrenches[i], atol=1e-9)
        limit = here.solver().maximise(np.zeros(6), wrenches[i][None], [1.0])
        assert limits.value[i] == pytest.approx(limit.value, rel=1e-9)
        assert limits.upper_bound[i] == pytest.approx(limit.value, rel=1e-9)
        assert limits.z[i, 0] == limits.value[i]


def test_threads_change_nothing():
    rng = np.random.default_rng(1)
    hands = random_sum(rng, 2, ["cloud"])
    wrenches = rng.normal(size=(2 * CHUNK + 9, 6))
    solver = hands.solver()
    before = solver.maximise(wrenches[0])
    one, two = (solver.many(hands.maps, wrenches, threads=threads) for threads in (1, 2))
    for name in ("codes", "wrenches", "multipliers", "pivots"):
        assert np.array_equal(getattr(one, name), getattr(two, name), equal_nan=name == "wrenches")
    assert solver.maximise(wrenches[0]).status is before.status


def test_shapes_that_do_not_fit_are_refused():
    hands = random_sum(np.random.default_rng(2), 2, ["box"])
    with pytest.raises(InputError, match="one for all or one for each"):
        hands.solver().many(np.tile(hands.maps, (3, 1, 1, 1)), np.zeros((4, 6)))
    with pytest.raises(InputError, match="axes"):
        hands.solver().many(hands.maps, np.zeros((4, 6)), np.zeros((7, 6)), np.zeros(7))
