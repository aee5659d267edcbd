from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.highs import Outcome
from holdfast.solvers.mixed_integer import solve_milp
from tests.referee import _extreme_factor, dented_unit, random_case, verdict

PULL_OFF = np.array([0, 0, 1.0, 0, 0, 0])


@pytest.mark.parametrize("seed", [s for s in range(48) if s % 3 != 2])  # those without rays
def test_the_mixed_integer_program_agrees_with_every_choice_tried(seed):
    case = random_case(seed, most_choices=8)
    expected = verdict(case.assembly, case.direction)
    solution, chosen = solve_milp(case.assembly.build(case.direction), maximise=True)
    if chosen is None:
        assert expected.largest == -np.inf
        assert solution.outcome is Outcome.INFEASIBLE
        return
    assert solution.objective == pytest.approx(expected.largest, rel=1e-5, abs=1e-6)
    own = _extreme_factor(case.assembly, case.direction, chosen, 1.0)
    assert own == pytest.approx(expected.largest, rel=1e-5, abs=1e-6)
    if expected.largest > 1e-3:
        for factor, holds in ((0.999, expected.least <= 0.999 * expected.largest), (1.001, False)):
            problem = case.assembly.build(case.direction * expected.largest * factor)
            _, found = solve_milp(problem, maximise=False)
            assert (found is not None) == holds


def test_rays_take_part_within_their_reach():
    cone = hf.ForceVolume([[[0, 0, 0]]], [[[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1], [0, -0.5, 1.0]]])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cone)])
    for load, holds in (([0, 0, -7, 0, 0, 0], True), ([3, 0, -7, 0, 0, 0], True), ([4, 0, -7, 0, 0, 0], False)):
        _, chosen = solve_milp(assembly.build(load), maximise=False)
        assert (chosen is not None) == holds


@pytest.mark.parametrize("units, limit", [(1, 0.0), (2, 10.0), (3, 10.0), (5, 20.0), (7, 30.0)])
def test_odd_units_are_counted_right(units, limit):
    unit = dented_unit(shear=20, pull=5)
    problem = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), unit)] * units).build(PULL_OFF)
    solution, chosen = solve_milp(problem, maximise=True)
    assert solution.objective == pytest.approx(limit, abs=1e-6)
    assert chosen is not None
    assert len(chosen) == units
    if units > 1:
        assert abs(2 * sum(chosen) - units) <= 1  # half of them each way


def test_a_time_limit_too_short_is_said_and_not_taken_for_impossible():
    unit = dented_unit(shear=20, pull=5)
    rng = np.random.default_rng(0)
    assembly = hf.Assembly([hf.Contact(rng.normal(size=3) * 0.1, np.eye(3), unit) for _ in range(15)])
    solution, _ = solve_milp(assembly.build(PULL_OFF), maximise=True, time_limit=1e-6)
    assert solution.outcome is Outcome.LIMIT
