"""The search for the nearest point of a sum: the same verdicts as the simplex method and as exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast.solvers.minkowski import SumStatus
from holdfast.solvers.minkowski.simplex import EMPTY, OPTIMAL
from holdfast.solvers.minkowski.solver import ask_nearest
from tests.nightly import nightly_after
from tests.solvers.minkowski.sum_cases import SHAPES, Sum, random_maps, random_sum, rational_maximum

#: Multiples of the largest load that is held.
SHARES = np.array([0.0, 0.5, 0.95, 0.999, 1.0 - 1e-8, 1.0 + 1e-8, 1.001, 1.05, 2.0])


def in_hull(vertices: np.ndarray, rays: np.ndarray | None, wrench: np.ndarray) -> bool:
    """Whether a wrench is a combination of vertices and rays, by HiGHS."""
    edges = np.zeros((0, 6)) if rays is None else rays
    columns = np.vstack([vertices, edges])
    size = max(float(np.abs(columns).max()), float(np.abs(wrench).max())) or 1.0
    ones = np.r_[np.ones(len(vertices)), np.zeros(len(edges))]
    n = len(columns)  # the least distance in the maximum norm
    upper = np.block([[columns.T / size, -np.ones((6, 1))], [-columns.T / size, -np.ones((6, 1))]])
    found = linprog(
        np.r_[np.zeros(n), 1.0],
        A_ub=upper,
        b_ub=np.r_[wrench, -wrench] / size,
        A_eq=np.r_[ones, 0.0][None],
        b_eq=[1.0],
    )
    return found.status == 0 and found.fun <= 1e-7


def assert_answers(hands: Sum, maps: np.ndarray, bases: np.ndarray, held: np.ndarray) -> None:
    """Verdicts as known beforehand, each with its proof by plain products."""
    batch = hands.solver().many(maps, bases)
    assert [status is SumStatus.OPTIMAL for status in batch.statuses] == held.tolist()
    assert set(batch.statuses) <= {SumStatus.OPTIMAL, SumStatus.EMPTY}
    for i, base in enumerate(bases):
        here = hands._replace(maps=maps[i] if maps.ndim == 4 else maps)
        if held[i]:
            total = sum(here.maps[j] @ wrench for j, wrench in enumerate(batch.wrenches[i]))
            size = max(hands.size, float(np.abs(base).max()), float(np.abs(batch.wrenches[i]).max()))
            assert np.abs(total - base).max() <= 1e-10 * size
            for j, wrench in enumerate(batch.wrenches[i]):
                assert in_hull(*hands.shapes[hands.shape_of[j]], wrench)
        else:
            y = batch.multipliers[i]
            support, slope = here.support(y)
            assert slope <= 1e-9 * float(np.abs(y).max()) * hands.size
            assert y @ base > support


@pytest.mark.parametrize("seed", nightly_after(4, range(60)))
@pytest.mark.parametrize("kind", SHAPES)
def test_verdicts_at_known_shares_of_the_limit_are_right_and_proven(kind, seed):
    """Full, flat and repeated hands, points, cones and mixtures; at 1e-8 from the border, too."""
    rng = np.random.default_rng([seed, len(kind)])
    hands = random_sum(rng, int(rng.integers(1, 5)), [kind, "cloud"] if seed % 2 else [kind])
    inside, way = hands.inner_point(rng), hands.inner_point(rng)
    if np.abs(way - inside).max() <= 1e-9 * hands.size:  # a sum of points is a point
        assert_answers(hands, hands.maps, inside + np.outer([0.0, 1e-6], np.ones(6)), np.array([True, False]))
        return
    limit = hands.solver().maximise(inside, (way - inside)[None], [1.0])
    if limit.status is not SumStatus.OPTIMAL or not limit.value > 1e-3:
        assert limit.status is SumStatus.UNBOUNDED or limit.value >= -1e-9
        return
    bases = inside + (SHARES * limit.value)[:, None] * (way - inside)
    assert_answers(hands, hands.maps, bases, SHARES < 1.0)


@pytest.mark.parametrize("seed", nightly_after(2, range(20)))
def test_exact_rational_arithmetic_gives_the_same_verdicts(seed):
    rng = np.random.default_rng(seed)
    hands = Sum([(rng.normal(size=(8, 6)), None)], [0, 0], random_maps(rng, 2))
    inside, way = hands.inner_point(rng), rng.normal(size=6)
    limit = rational_maximum(hands, inside, way)
    assert limit is not None
    bases = inside + (SHARES * float(limit))[:, None] * way
    assert_answers(hands, hands.maps, bases, SHARES < 1.0)


@pytest.mark.parametrize(
    ("hands", "vertices", "rays", "share"),
    [(4, 64, 0, 0.9), (3, 500, 0, 0.9), (4, 1, 12, 0.9), (2, 20, 3, 0.9), (2, 1, 90, 0.5)],
)
def test_the_search_decides_by_itself(hands, vertices, rays, share):
    """Of loads away from the border few are left to the simplex method, and both methods agree.

    Two cones of many rays span six dimensions with hardly any to spare: there more are left, how many is rounding.
    """
    rng = np.random.default_rng([hands, vertices, rays])
    points = rng.normal(size=(vertices, 6)) if vertices > 1 else np.zeros((1, 6))
    edges = np.column_stack([rng.normal(size=(rays, 2)), np.full(rays, 2.0), np.zeros((rays, 3))]) if rays else None
    count = 40
    sums = Sum([(points, edges)], [0] * hands, random_maps(rng, hands))
    maps = np.array([random_maps(rng, hands, aligned=vertices == 1) for _ in range(count)])
    bases = np.array([sums._replace(maps=own).inner_point(rng) for own in maps])
    bases[::2] = 3.0 * rng.normal(size=(count // 2, 6))
    solver, decided = sums.solver(), 0
    for own, base in zip(maps, bases, strict=True):
        solver.place(own)
        tables, pool, _, placement, answer, atoms = solver.parts
        ask_nearest(tables, pool, placement, atoms, answer, base)
        decided += answer.state[0] in (OPTIMAL, EMPTY)
    assert decided >= share * count
    found, plain = (solver.many(maps, bases, nearest=nearest) for nearest in (True, False))
    assert np.array_equal(found.codes, plain.codes)
    assert {OPTIMAL, EMPTY} == set(found.codes.tolist())


def test_a_verdict_within_rounding_of_the_border_is_not_clear():
    """A thin sum and a small base on its border: rounding of the columns is a large share of the base."""
    thin = np.array([1.0, 1.0, 1.0, 1e-7, 1e-7, 1e-7])
    rng = np.random.default_rng(4)
    hands = Sum([(rng.normal(size=(30, 6)) * thin, None)], [0, 0], random_maps(rng, 2))
    way = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    limit = hands.solver().maximise(np.zeros(6), way[None], [1.0]).value
    solver = hands.solver()
    assert solver.maximise(0.5 * limit * way).clear and solver.maximise(2.0 * limit * way).clear
    batch = solver.many(hands.maps, np.outer([0.5, 1.0, 2.0], limit * way))
    assert batch.clear.tolist() == [True, False, True]
