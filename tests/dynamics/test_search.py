"""The search over pieces: limits, order and leaves; values are judged in test_separation."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics import Separating
from holdfast.dynamics.dissipation import VALUE_FLOOR, SeparationSearch, build_problem, lower_bound
from holdfast.errors import InputError
from tests.dynamics.rivals import separation_case


def problem_of(seed):
    case = separation_case(seed)
    return build_problem(case.assembly, case.wrench, case.mass)


@pytest.mark.parametrize("seed", range(30))
def test_a_closed_search_leaves_a_tree_that_proves_its_bound(seed):
    problem = problem_of(seed)
    found = SeparationSearch(problem, Separating()).run()
    assert found.closed
    assert found.certificate.verify(problem)
    assert found.bound <= found.certificate.claim
    if found.forces is None:
        assert found.value == found.bound == np.inf
    else:
        assert found.value - found.bound <= 1e-6 * found.value + VALUE_FLOOR
        own = lower_bound(problem, [1 << int(p) for p in found.pieces], found.multipliers)
        assert own == pytest.approx(found.value, rel=1e-6, abs=1e-10)


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-8])
def test_the_gap_asked_for_is_kept(gap):
    for seed in (3, 10, 21, 25):
        problem = problem_of(seed)
        exact = SeparationSearch(problem, Separating()).run()
        found = SeparationSearch(problem, Separating(gap=gap)).run()
        assert found.closed == exact.closed
        if exact.value < np.inf:
            assert exact.value * (1 - 1e-6) <= found.value <= exact.value * (1.0 + gap + 1e-6) + VALUE_FLOOR


def test_limits_end_a_search_with_a_valid_bound():
    for limits in (Separating(node_limit=1), Separating(time_limit=1e-9)):
        for seed in range(12):
            problem = problem_of(seed)
            whole, found = SeparationSearch(problem, Separating()).run(), SeparationSearch(problem, limits).run()
            assert found.bound <= whole.value * (1.0 + 1e-9)
            assert found.value >= whole.value * (1.0 - 1e-6)


def test_a_union_that_is_convex_needs_no_branching():
    """A box cut into eight: every force of its hull lies in some piece."""
    corners = [
        np.array([[x, y, z] for x in (0, a) for y in (0, b) for z in (0, c)], dtype=float)
        for a in (-1, 1)
        for b in (-1, 1)
        for c in (-1, 1)
    ]
    contacts = [hf.Contact([x, 0.0, 0.0], np.eye(3), hf.ForceVolume(corners)) for x in (-0.1, 0.1)]
    problem = build_problem(hf.Assembly(contacts), np.array([3.0, 0.5, 2.5, 0.0, 0.0, 0.0]), np.eye(6))
    found = SeparationSearch(problem, Separating()).run()
    assert found.closed and found.effort.nodes == 1


@pytest.mark.parametrize(
    "wrong", [{"gap": 0.0}, {"gap": 0.5}, {"node_limit": 0}, {"time_limit": 0.0}, {"time_limit": "long"}]
)
def test_limits_that_are_none_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Separating(**wrong)
