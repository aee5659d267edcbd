"""Measured pushes: data, predictions by another program, and what the page says about the errors."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from studies.validation import Validation
from studies.validation.pushes import PushSet, PushValidation, read_pushes

SETS = {one.name: one for one in read_pushes()}


@pytest.fixture(scope="module")
def result(report: dict[str, Validation]) -> PushValidation:
    found = report["pushes"]
    assert isinstance(found, PushValidation)
    return found


def multiple_by_linprog(one: PushSet, load: np.ndarray, friction: float, radius: float) -> float:
    """The largest multiple of a planar wrench, with feet that carry their share of the weight: a program of its own.

    Each foot's friction is a sum of the corners of a polygon of 48 sides with the given circumscribed radius.
    """
    corners = np.array([[math.cos(a), math.sin(a)] for a in 2.0 * math.pi * np.arange(48) / 48])
    ones = np.vstack([one.supports.T, np.ones(3)])
    shares = np.linalg.solve(ones, [0.0, 0.0, 1.0])  # three feet carry the weight in one way
    columns = [
        [x, y, place[0] * y - place[1] * x]
        for place, share in zip(one.supports, shares, strict=True)
        for x, y in radius * friction * share * corners
    ]
    balance = np.column_stack([np.array(columns).T, load])
    weights = np.zeros((3, balance.shape[1]))
    for foot in range(3):
        weights[foot, 48 * foot : 48 * (foot + 1)] = 1.0
    cost = np.zeros(balance.shape[1])
    cost[-1] = -1.0
    found = linprog(cost, A_ub=weights, b_ub=np.ones(3), A_eq=balance, b_eq=np.zeros(3))
    return -found.fun


def test_there_are_fifty_pushes_of_four_sets_and_the_feet_carry_the_weight() -> None:
    assert {name: one.wrenches.shape for name, one in SETS.items()} == dict.fromkeys(
        ("alu_30_90", "alu_10_130", "alu_10_90", "alu_63"), (50, 3)
    )
    for one in SETS.values():
        held = hf.equilibrium(one.assembly(), one.weight)
        assert held.holds
        assert held.forces[:, 2].sum() == pytest.approx(one.mass * 9.80665)


@pytest.mark.parametrize("name", SETS)
def test_predictions_are_those_of_a_program_about_friction_in_the_plane(name: str, result: PushValidation) -> None:
    one = SETS[name]
    for index in (0, 17, 49):
        ours = multiple_by_linprog(one, one.wrenches[index], one.friction, 1.0)
        assert result.nominal[name][index] == pytest.approx(ours, rel=1e-7)
        wider = 0.5 * (1.0 + 1.0 / math.cos(math.pi / 48))
        theirs = multiple_by_linprog(one, one.wrenches[index], one.friction, wider)
        assert one.predicted[index] == pytest.approx(theirs, rel=1e-5)


def test_load_ramp_gives_the_same_and_the_round_cones_lie_close_above(result: PushValidation) -> None:
    one = SETS["alu_63"]
    ramp = hf.load_ramp(one.assembly(), one.weight, one.loads[3])
    assert ramp.value == pytest.approx(result.nominal[one.name][3], rel=1e-9)
    assert ramp.value <= ramp.curved[0] <= ramp.curved[1] <= ramp.value / math.cos(math.pi / 48)


def test_predictions_grow_with_the_friction(result: PushValidation) -> None:
    one = SETS["alu_10_90"]
    stronger = hf.load_ramp(one.assembly(1.3 * one.friction), one.weight, one.loads[5])
    assert stronger.value == pytest.approx(1.3 * result.nominal[one.name][5], rel=1e-7)


def test_every_comparison_is_within_its_bound_and_proven(result: PushValidation) -> None:
    assert result.agrees, [value for value in result.comparisons if not value.agrees]
    assert len(result.answers) == 200
    assert result.verify()


def test_the_reading_states_the_errors(result: PushValidation) -> None:
    nominal = np.concatenate(list(result.nominal.values()))
    theirs = np.concatenate([one.predicted for one in result.sets])
    assert np.abs(1.0 - nominal / theirs - 0.00107).max() < 1.5e-5
    medians = np.array([np.median(values) for values in result.nominal.values()])
    assert medians.round(2).tolist() == [0.87, 0.90, 0.92, 0.83]
    assert {name: round(value, 2) for name, value in result.fitted.items()} == {
        "alu_30_90": 4.69,
        "alu_10_130": 4.76,
        "alu_10_90": 4.82,
        "alu_63": 4.65,
    }
    errors = np.abs(np.concatenate(list(result.scales.values())) - 1.0)
    assert np.quantile(errors, [0.5, 0.9]) == pytest.approx([0.065, 0.170], abs=5e-4)
    assert [np.mean(errors <= 0.08), np.mean(errors <= 0.2)] == pytest.approx([0.595, 0.925])


def test_three_torques_are_more_than_friction_can_resist(result: PushValidation) -> None:
    one = SETS["alu_63"]
    friction = result.fitted[one.name]
    turn = hf.load_ramp(one.assembly(friction), one.weight, [0, 0, 0, 0, 0, 1.0]).value
    assert turn == pytest.approx(0.08, abs=0.005)
    beyond = np.abs(one.wrenches[:, 2]) > 1.5 * turn
    worst = np.abs(result.scales[one.name] - 1.0) > 0.4
    assert np.count_nonzero(worst) == 3
    assert np.array_equal(worst, beyond)
    assert np.sort(np.abs(one.wrenches[worst, 2])) == pytest.approx([0.13, 0.14, 0.15], abs=1e-3)


def test_another_friction_would_be_noticed(result: PushValidation) -> None:
    """The comparison is not blind: predictions that are 45 % larger leave the bounds of all medians."""
    values = [value for value in result.comparisons if value.quantity.endswith("measured, median")]
    assert len(values) == 4
    assert not any(replace(value, ours=1.45 * value.ours).agrees for value in values)
