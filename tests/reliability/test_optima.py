"""Slopes of one linear program: against the limits of contacts confined to the same pieces, solved anew."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability.derivatives import Optimum
from holdfast.reliability.parameters import changed_problem, parameters_of, rate_of
from holdfast.statics.diagnosis.prices import FixedPieces
from tests import referee


def optimum_of(assembly: hf.Assembly, direction: np.ndarray) -> tuple[hf.LoadLimit, Optimum]:
    limit = hf.load_limit(assembly, direction)
    assert limit.pieces is not None
    found = Optimum.of(FixedPieces(limit.problem, limit.pieces))
    assert found is not None
    return limit, found


@pytest.mark.parametrize("seed", [0, 3, 11, 13, 21])
def test_slopes_are_those_of_the_confined_limit(seed: int) -> None:
    case = referee.random_case(seed)
    limit, found = optimum_of(case.assembly, case.direction)
    rng = np.random.default_rng(seed)
    parameters = parameters_of(case.assembly, limit.direction)
    for index in rng.choice(len(parameters), size=10, replace=False):
        parameter = parameters[int(index)]
        left, right = found.slopes([rate_of(case.assembly, limit.problem, limit.direction, parameter)])
        h = 1e-6 * parameter.size
        for side, slope in ((-1.0, left[0]), (1.0, right[0])):
            problem = changed_problem(case.assembly, limit.problem, limit.direction, parameter, side * h)
            after = FixedPieces(problem, limit.pieces).largest_factor()
            if np.isfinite(slope):
                assert (after - found.factor) / (side * h) == pytest.approx(
                    slope, rel=1e-4, abs=2e-4 * abs(found.factor) / parameter.size
                )
            else:  # nothing balances any more, or less does
                assert not after > found.factor * (1.0 - 1e-5)


def test_unique_forces_and_multipliers_are_told_from_others() -> None:
    smooth = referee.random_case(3)
    _, found = optimum_of(smooth.assembly, smooth.direction)
    assert found.one_y
    assert found.one_f
    box = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)])
    pair = hf.Assembly([hf.Contact([s, 0, 0], np.eye(3), box) for s in (-1.0, 1.0)])
    _, found = optimum_of(pair, np.array([0, 1.0, 0, 0, 0, 0]))
    assert not found.one_f  # the two may squeeze each other as they like
    _, found = optimum_of(hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), box)]), np.array([1.0, 1, 0, 0, 0, 0]))
    assert not found.one_y  # an edge of the cube


def test_forces_that_are_free_choose_the_side_that_helps() -> None:
    """Two contacts that may squeeze each other: shifting one turns the squeeze into a torque that helps either way."""
    box = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)])
    pair = hf.Assembly([hf.Contact([s, 0, 0], np.eye(3), box) for s in (-1.0, 1.0)])
    load = np.array([0, 0, 0, 0, 0, 1.0])
    limit, found = optimum_of(pair, load)
    assert found.factor == pytest.approx(2.0)
    shift = next(p for p in parameters_of(pair, load) if p.label == "contact 0: position y")
    left, right = found.slopes([rate_of(pair, limit.problem, limit.direction, shift)])
    # limit = 2 + |shift|: the squeeze of 1 N acts with the arm of the shift
    assert right[0] == pytest.approx(1.0)
    assert left[0] == pytest.approx(-1.0)
