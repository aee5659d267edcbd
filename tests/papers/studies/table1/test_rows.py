from __future__ import annotations

import numpy as np
import pytest

from holdfast.assembly.loads import STANDARD_GRAVITY
from holdfast.errors import InputError, UnknownNameError
from holdfast.papers.table_one import LIMITS, ROWS, TABLE_ONE, TESTS, chosen_rows, device_row, device_rows


def test_the_rows_are_those_of_the_paper_in_units_and_contact_points():
    found = {row.name: (row.units, row.contacts) for row in device_rows()}
    assert found == {name: (row.units, row.contacts) for name, row in TABLE_ONE.items()}
    assert tuple(found) == ROWS
    assert [row.constraint_rows for row in device_rows()] == [7, *[12] * 6, 18, 18]


def test_gravity_turns_in_72_even_steps_and_135_unit_forces_go_all_around():
    row = device_row("2OU")
    weights, forces = row.weights()[:, :3], row.forces()
    assert (len(weights), len(forces)) == (TESTS, LIMITS) == (72, 135)
    np.testing.assert_allclose(np.linalg.norm(weights, axis=1), row.device.object.mass * STANDARD_GRAVITY)
    cosines = (weights * np.roll(weights, 1, axis=0)).sum(axis=1) / np.linalg.norm(weights[0]) ** 2
    np.testing.assert_allclose(np.degrees(np.arccos(cosines)), 5.0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(forces[:, :3], axis=1), 1.0)
    np.testing.assert_allclose(forces[:, :3].mean(axis=0), 0.0, atol=0.01)
    np.testing.assert_allclose(row.weights_all_around(50)[:, :3].sum(axis=0), 0.0, atol=0.5)


def test_forces_go_through_the_centre_of_mass():
    row = device_row("2FG D-D")
    com = row.device.object.com
    for wrench in (*row.forces(7), *row.forces_round(5), *row.weights(5)):
        np.testing.assert_allclose(wrench[3:], np.cross(com, wrench[:3]), atol=1e-12)


def test_names_come_back_in_the_papers_order_and_a_device_means_all_its_rows():
    assert chosen_rows(None) == ROWS
    assert chosen_rows(["4FH", " 2ou"]) == ("2OU", "4FH parallel", "4FH opposed")
    assert chosen_rows(["2FG pmd-pmd", "2FG D-D"]) == ("2FG D-D", "2FG PMD-PMD")
    with pytest.raises(UnknownNameError, match="2FG D-MD"):
        chosen_rows(["2FG D-M"])
    with pytest.raises(UnknownNameError):
        device_row("4FH")
    with pytest.raises(InputError, match="none"):
        chosen_rows([])
