"""Bounds of growth from multipliers: they hold for any multipliers, and are met by the right ones."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability.changes import GrowthPrices, cheapest_growth, growth_bound
from tests import referee


def prices_of(problem: hf.solvers.ContactProblem) -> GrowthPrices:
    groups = tuple((i,) for i in range(problem.contacts))
    rows = np.full(problem.rows, np.inf)
    rows[6:] = 2.0
    lower, upper = (np.where(np.isfinite(b), rows, np.inf) for b in (problem.lower, problem.upper))
    return GrowthPrices(groups, np.ones(problem.contacts), lower, upper)


@pytest.mark.parametrize("seed", [0, 3, 5, 9])
def test_no_multipliers_bound_more_than_the_cheapest_growth_costs(seed: int) -> None:
    case = referee.random_case(seed)
    problem = case.assembly.problem(2.0 * hf.load_limit(case.assembly, case.direction).value * case.direction)
    prices = prices_of(problem)
    found = cheapest_growth(problem, problem.all_pieces, prices)
    assert found.bound == pytest.approx(found.cost, rel=1e-8)
    rng = np.random.default_rng(seed)
    for y in rng.normal(size=(200, problem.rows)):
        assert growth_bound(problem, problem.all_pieces, y, prices) <= found.cost * (1 + 1e-9)
        near = found.multipliers + 0.05 * np.abs(found.multipliers).max() * y
        assert growth_bound(problem, problem.all_pieces, near, prices) <= found.cost * (1 + 1e-9)


def test_bounds_do_not_depend_on_the_length_of_multipliers() -> None:
    case = referee.random_case(0)
    problem = case.assembly.problem(2.0 * hf.load_limit(case.assembly, case.direction).value * case.direction)
    prices = prices_of(problem)
    found = cheapest_growth(problem, problem.all_pieces, prices)
    bounds = [growth_bound(problem, problem.all_pieces, s * found.multipliers, prices) for s in (1e-3, 1.0, 1e3)]
    assert bounds == pytest.approx([found.cost] * 3, rel=1e-8)
