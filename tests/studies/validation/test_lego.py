"""LEGO that stood or fell: bridges and whole structures, against programs written out here."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import holdfast as hf
from studies.validation import Validation
from studies.validation.lego import LegoStructure, LegoValidation, read_lego

STRUCTURES = {one.name: one for one in read_lego()}


@pytest.fixture(scope="module", params=["lego-bridges", "lego-structures"])
def result(report: dict[str, Validation], request: pytest.FixtureRequest) -> LegoValidation:
    found = report[request.param]
    assert isinstance(found, LegoValidation)
    return found


def least_pull_by_linprog(structure: LegoStructure) -> float:
    """[N] the least largest pull: three forces and three torques per brick balance, points carry normal forces alone."""
    rows = {number: 6 * place for place, number in enumerate(structure.masses)}
    points = [(one, point) for one in structure.interfaces for point in one.points]
    balance = np.zeros((6 * len(rows), len(points) + 1))
    for column, (one, (x, y, _)) in enumerate(points):
        for number, sign in ((one.upper, 1.0), (one.lower, -1.0)):
            if number in rows:
                balance[rows[number] + 2 : rows[number] + 5, column] = sign * np.array([1.0, y, -x])
    load = np.concatenate([structure.weight([number]) for number in structure.masses])
    pulls = np.column_stack([-np.eye(len(points)), -np.ones(len(points))])  # -f <= pull
    cost = np.zeros(len(points) + 1)
    cost[-1] = 1.0
    bounds = [*[(None, None)] * len(points), (0.0, None)]
    return linprog(cost, A_ub=pulls, b_ub=np.zeros(len(points)), A_eq=balance, b_eq=-load, bounds=bounds).fun


def test_the_file_has_five_structures_with_62_bridges() -> None:
    sizes = {name: (len(one.masses), sum(len(i.points) for i in one.interfaces)) for name, one in STRUCTURES.items()}
    assert sizes == {
        "stair_19": (19, 240),
        "stair_20": (20, 252),
        "stick_light": (13, 144),
        "stick_heavy": (14, 160),
        "external_weight_good": (4, 60),
    }
    assert sum(len(one.bridges) for one in STRUCTURES.values()) == 62
    assert [name for name, one in STRUCTURES.items() if not one.stands] == ["stair_20", "stick_heavy"]


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_pull_of_a_structure_is_that_of_a_program_written_out_here(
    name: str, report: dict[str, Validation]
) -> None:
    ours = {value.quantity: value.ours for value in report["lego-structures"].comparisons}[f"{name}: least pull"]
    assert ours == pytest.approx(least_pull_by_linprog(STRUCTURES[name]), rel=1e-7)


def test_every_comparison_is_within_its_bound_and_proven(result: LegoValidation) -> None:
    assert result.agrees, [value for value in result.comparisons if not value.agrees]
    assert result.verify()


def test_the_largest_pull_of_an_interface_decides(result: LegoValidation) -> None:
    for structure in result.structures:
        pulls = result.pulls[structure.name]
        assert max(pulls.values()) == pytest.approx(structure.least_pull, rel=1e-6)
        assert (max(pulls.values()) <= structure.pull) is structure.stands


def test_the_margins_are_those_of_the_reading(report: dict[str, Validation]) -> None:
    shares = {one.name: one.least_pull / one.pull - 1.0 for one in STRUCTURES.values()}
    assert shares["stair_20"] == pytest.approx(0.0055, abs=1e-4)
    assert shares["stick_heavy"] == pytest.approx(0.0215, abs=1e-4)
    assert max(share for name, share in shares.items() if STRUCTURES[name].stands) == pytest.approx(-0.0785, abs=1e-4)
    assert "0.5 %" in report["lego-structures"].reading


def test_a_structure_that_fell_stands_with_stronger_snaps() -> None:
    structure = STRUCTURES["stick_heavy"]
    assembly, weights = structure.assembly(), structure.weights
    assert not hf.equilibrium(assembly, weights).holds
    lighter = {name: 0.97 * weight for name, weight in weights.items()}
    answer = hf.equilibrium(assembly, lighter)
    assert answer.holds
    plate = answer.interface_wrenches["brick 1 on world"]
    assert plate[2] == pytest.approx(0.97 * sum(structure.masses.values()) * structure.gravity)
