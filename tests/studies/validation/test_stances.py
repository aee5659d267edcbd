"""Stances and tests of other programs, and their definition of robustness as a program written out here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from studies.validation import Validation, stances


def robustness_by_linprog(stance: stances.PointStance, acceleration: tuple[float, float, float]) -> float:
    """hpp-centroidal-dynamics' definition: maximise b0 with all coefficients of the unit edges at least b0."""
    angles, mu, count = np.pi / 4 + np.pi / 2 * np.arange(4), stance.friction, 4 * len(stance.points)
    edges = np.column_stack([mu * np.cos(angles), mu * np.sin(angles), np.ones(4)])
    edges /= np.linalg.norm(edges, axis=1, keepdims=True)
    columns = [np.concatenate([edge, np.cross(point, edge)]) for point in stance.points for edge in edges]
    force = stance.mass * (np.asarray(acceleration) - np.array([0.0, 0.0, -9.81]))
    wanted = np.concatenate([force, np.cross(stance.com, force)])
    balance = np.column_stack([*columns, np.zeros(6)])
    above = np.column_stack([-np.eye(count), np.ones(count)])  # b0 <= b
    cost = np.zeros(count + 1)
    cost[-1] = -1.0
    bounds = [(None, None)] * (count + 1)
    found = linprog(cost, A_ub=above, b_ub=np.zeros(count), A_eq=balance, b_eq=wanted, bounds=bounds)
    return -found.fun * float(np.linalg.norm(np.cross(edges.sum(axis=0), edges[0])))


def test_every_comparison_is_within_its_bound_and_proven(report: dict[str, Validation]) -> None:
    assert report["stances"].agrees, [value for value in report["stances"].comparisons if not value.agrees]
    assert report["stances"].verify()


def test_hrp2_has_the_robustness_of_their_test() -> None:
    value, margin = stances.robustness(stances.HRP2)
    assert value == pytest.approx(17.1222, abs=1e-4)
    assert margin.value == pytest.approx(10.701389, abs=2e-5)  # the points are rounded to 1e-7 m
    assert value == pytest.approx(robustness_by_linprog(stances.HRP2, (0.0, 0.0, 0.0)), rel=1e-7)


@pytest.mark.parametrize("com", [(0.0, 0.0, 1.0), (0.03, 0.0, 1.0), (-0.02, 0.07, 0.4), (0.2, 0.0, 1.0)])
@pytest.mark.parametrize("acceleration", [(0.0, 0.0, 0.0), (0.5, -0.2, 0.0), (1000.0, 0.0, 0.0)])
def test_robustness_is_that_of_its_definition(
    com: tuple[float, float, float], acceleration: tuple[float, float, float]
) -> None:
    stance = replace(stances.FOOT, com=com)
    value, margin = stances.robustness(stance, acceleration)
    assert value == pytest.approx(robustness_by_linprog(stance, acceleration), rel=1e-7)
    assert margin.verify()


def test_a_margin_that_cancels_the_load_is_proven() -> None:
    """At rest in the middle the sum of all edges takes the whole weight: nothing is left for other forces."""
    value, margin = stances.robustness(stances.FOOT)
    assert value == pytest.approx(38.0549, abs=1e-4)
    assert np.abs(margin.wrench + margin.value * margin.direction).max() < 1e-9
    assert margin.verify()
