"""Stances and tests of other programs, and their definition of robustness as a program written out here."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast.validation import ValidationReport, stances


def robustness_by_linprog(com: tuple[float, float, float], acceleration: tuple[float, float, float]) -> float:
    """hpp-centroidal-dynamics' definition: maximise b0 with all coefficients of the unit edges at least b0."""
    angles = np.pi / 4 + np.pi / 2 * np.arange(4)
    edges = np.column_stack([0.3 * np.cos(angles), 0.3 * np.sin(angles), np.ones(4)])
    edges /= np.linalg.norm(edges, axis=1, keepdims=True)
    columns = [np.concatenate([edge, np.cross(point, edge)]) for point in stances.FOOT_POINTS for edge in edges]
    force = 54.0 * (np.asarray(acceleration) - np.array([0.0, 0.0, -9.81]))
    wanted = np.concatenate([force, np.cross(com, force)])
    balance = np.column_stack([*columns, np.zeros(6)])
    above = np.column_stack([-np.eye(16), np.ones(16)])  # b0 <= b
    cost = np.zeros(17)
    cost[-1] = -1.0
    bounds = [(None, None)] * 17
    found = linprog(cost, A_ub=above, b_ub=np.zeros(16), A_eq=balance, b_eq=wanted, bounds=bounds)
    return -found.fun * float(np.linalg.norm(np.cross(edges.sum(axis=0), edges[0])))


def test_every_comparison_is_within_its_bound_and_proven(report: ValidationReport) -> None:
    assert report["stances"].agrees, [value for value in report["stances"].comparisons if not value.agrees]
    assert report["stances"].verify()


@pytest.mark.parametrize("com", [(0.0, 0.0, 1.0), (0.03, 0.0, 1.0), (-0.02, 0.07, 0.4), (0.2, 0.0, 1.0)])
@pytest.mark.parametrize("acceleration", [(0.0, 0.0, 0.0), (0.5, -0.2, 0.0), (1000.0, 0.0, 0.0)])
def test_robustness_is_that_of_its_definition(
    com: tuple[float, float, float], acceleration: tuple[float, float, float]
) -> None:
    value, margin = stances.robustness(com, acceleration)
    assert value == pytest.approx(robustness_by_linprog(com, acceleration), rel=1e-7)
    assert margin.verify()


def test_a_margin_that_cancels_the_load_is_proven() -> None:
    """At rest in the middle the sum of all edges takes the whole weight: nothing is left for other forces."""
    value, margin = stances.robustness((0.0, 0.0, 1.0))
    assert value == pytest.approx(38.0549, abs=1e-4)
    assert np.abs(margin.wrench + margin.value * margin.direction).max() < 1e-9
    assert margin.verify()
