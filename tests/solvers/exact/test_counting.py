"""Branching on counts: the same answers, with proofs that stand apart from the solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.solvers.certificates import Certificate, Count, Leaf, LeafArrays
from holdfast.solvers.exact import counting, method
from tests.nightly import nightly_after
from tests.referee import (
    assert_limit,
    assert_verdict,
    leaves_with,
    proven_bound,
    random_case,
    random_unit_case,
    verdict,
)

#: Force directions of the four-finger hand with parallel fingers and independent corners that pieces alone need
#: thousands of nodes for.
HARD = ((-0.91647, 0.35046, 0.19302), (-0.65617, -0.65713, 0.37076))


@pytest.fixture
def counts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search that is not over after one node branches on counts, too."""
    monkeypatch.setattr(method, "FIRST_NODES", 1)
    monkeypatch.setattr(method, "GROWTH", 100_000)


@pytest.mark.usefixtures("counts_at_once")
@pytest.mark.parametrize("make", [random_case, random_unit_case])
@pytest.mark.parametrize("seed", nightly_after(24, range(400)))
def test_limits_and_verdicts_with_counts_are_those_of_all_choices(make, seed: int) -> None:
    case = make(seed)
    expected = verdict(case.assembly, case.direction)
    assert_limit(hf.load_limit(case.assembly, case.direction), expected.largest)
    if 0.0 < expected.largest < np.inf and expected.least < 0.99 * expected.largest:
        for factor in (0.999, 1.001):
            answer = hf.equilibrium(case.assembly, factor * expected.largest * case.direction)
            assert_verdict(answer, factor < 1.0)
