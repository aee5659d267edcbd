"""Parameters: labels and units, and that the changed problem is that of the changed assembly."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.reliability.parameters import Kind, changed_problem, parameters_of, rate_of, units_of
from tests import referee
from tests.reliability.changed_assemblies import changed


def patch_assembly() -> hf.Assembly:
    patch = hf.Patch.rectangle(
        hf.Pose(np.eye(3), [0, 0, 0.1]), (0.02, 0.02), hf.models.coulomb(0.5, cap=4.0), name="pad", points="corners"
    )
    single = hf.Contact([0.05, 0, 0], np.eye(3), hf.models.coulomb(0.5, cap=2.0), "tip")
    rows = hf.JointRows(np.ones((1, 15)), [-np.inf], [3.0], ("slide",))
    return hf.Assembly([*patch.contacts, single], rows)


def test_points_of_a_unit_are_found_by_their_names() -> None:
    assembly = patch_assembly()
    assert units_of(assembly) == {"pad": (0, 1, 2, 3)}


def test_every_parameter_is_there_once_and_infinite_bounds_are_not() -> None:
    found = parameters_of(patch_assembly(), np.array([0, 0, -1.0, 0, 0, 0]))
    labels = [p.label for p in found]
    assert len(set(labels)) == len(labels) == 2 + 5 * 8 + 1 + 6 + 3
    assert "slide: upper bound" in labels
    assert "slide: lower bound" not in labels
    assert "tip: position x" in labels
    assert "tip: orientation about z" in labels
    assert "load Fx" in labels
    assert "load Tz" in labels


def test_a_torque_has_no_point_of_application() -> None:
    found = parameters_of(patch_assembly(), np.array([0, 0, 0, 0, 0, 1.0]))
    assert not [p for p in found if p.kind is Kind.POINT]


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_changed_rows_are_those_of_the_changed_assembly(seed: int) -> None:
    case = referee.random_case(seed)
    assembly, direction = case.assembly, case.direction
    problem = assembly.problem(direction)
    for parameter in parameters_of(assembly, direction):
        amount = 0.01 * parameter.size
        other, wrench = changed(assembly, direction, parameter, amount)
        mine = changed_problem(assembly, problem, direction, parameter, amount)
        # Compare limits of the same hulls: the two problems differ in centre, length and in who holds the factor.
        there = hf.load_limit(other, wrench, method=hf.solvers.Hull()).value
        here = hf.solvers.Hull().maximise(mine).factor
        assert here == pytest.approx(there, rel=1e-6), parameter.label


def test_rates_are_the_derivative_of_the_changed_problem() -> None:
    case = referee.random_case(3)
    problem = case.assembly.problem(case.direction)
    h = 1e-6
    for parameter in parameters_of(case.assembly, case.direction):
        rate = rate_of(case.assembly, problem, case.direction, parameter)
        up, down = (changed_problem(case.assembly, problem, case.direction, parameter, s * h) for s in (1, -1))
        for i in range(problem.contacts):
            slope = (up.maps[i] - down.maps[i]) / (2 * h)
            assert slope == pytest.approx(
                rate.maps.get(i, np.zeros_like(slope)), abs=1e-6 * np.abs(problem.maps).max() / 0.01
            )
        assert (up.load - down.load) / (2 * h) == pytest.approx(rate.load, abs=1e-6)
