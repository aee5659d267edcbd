from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.statics.diagnosis import contact_states, joint_states, row_unit
from tests.referee import block
from tests.statics.diagnosis.cases import finger


def test_contacts_say_what_they_bear_and_whether_more_is_possible(strong):
    boxes = hf.ForceVolume([block([-10, -10, -10], [0, 10, 10]), block([0, -10, -10], [10, 10, 10])])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), boxes, "a")] * 4)
    forces = np.array([[5.0, 0, 5], [10.0, 0, -2], [0.0, 1, 2], [0, 0, 0]])
    within, limit, between, idle = contact_states(assembly, forces, np.array([1, 1, 1, 0]), None)
    assert (within.at_limit, within.at_piece_limit, within.utilisation) == (False, False, pytest.approx(0.5))
    assert (limit.at_limit, limit.at_piece_limit, limit.utilisation) == (True, False, 1.0)
    assert (between.at_limit, between.at_piece_limit, between.utilisation) == (False, True, pytest.approx(0.2))
    assert (idle.idle, idle.utilisation, idle.at_limit, within.idle) == (True, 0.0, False, False)
    assert [s.index for s in (within, limit, between, idle)] == [0, 1, 2, 3]
    assert within.label == 'contact "a"' and np.isnan(within.price) and within.piece == 1


def test_contacts_without_a_name_are_called_by_their_number(strong):
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), strong)] * 2)
    states = contact_states(assembly, np.ones((2, 3)), np.zeros(2, dtype=int), None)
    assert [s.label for s in states] == ["contact 0", "contact 1"]


@pytest.mark.parametrize("value, lower, upper", [(3.0, False, True), (-2.0, True, False), (0.0, False, False)])
def test_joint_rows_say_at_which_bound_they_are(strong, value, lower, upper):
    (state,) = joint_states(finger([-2.0], [3.0], strong), np.array([[2.0 * value, 7.0, 1.0]]), None)
    assert (state.at_lower, state.at_upper, state.at_limit) == (lower, upper, lower or upper)
    assert state.value == pytest.approx(value)
    assert (state.label, state.unit, state.lower, state.upper) == ('joint "hinge"', "N m", -2.0, 3.0)


def test_a_passive_joint_is_at_both_bounds_and_a_free_side_at_none(strong):
    (passive,) = joint_states(finger([0.0], [0.0], strong), np.array([[1e-12, 7.0, 1.0]]), None)
    assert passive.at_lower and passive.at_upper
    (free,) = joint_states(finger([-np.inf], [np.inf], strong), np.array([[5.0, 7.0, 1.0]]), None)
    assert not free.at_limit


def test_the_reach_of_a_row_is_what_its_parts_are_before_they_cancel(strong):
    rows = hf.JointRows([[0.5, 0, 0, -0.5, 0, 0]], [-1.0], [1.0])
    pair = hf.Assembly([hf.Contact([x, 0, 0], np.eye(3), strong) for x in (0.0, 1.0)], rows)
    (loaded,) = joint_states(pair, np.array([[4.0, 0, 0], [4.0, 0, 0]]), None)
    assert (loaded.value, loaded.reach) == (pytest.approx(0.0), pytest.approx(4.0))
    (still,) = joint_states(pair, np.zeros((2, 3)), None)
    assert still.reach == pytest.approx(100.0)  # what the volumes could do
    assert loaded.label == "joint row 0"


def test_an_assembly_without_joints_has_no_joint_states(uneven_table):
    assert joint_states(uneven_table, np.zeros((3, 3)), None) == ()


def test_slides_are_in_newtons_and_hinges_in_newton_metres():
    axis, square = np.array([0.3, 0.0, 0.4]), np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]])
    spread = np.concatenate([axis, axis, axis, -axis])
    assert row_unit(spread, square) == "N"  # no hinge loads three contacts of a triangle alike
    assert row_unit(spread, square * [1, 0, 0]) == "N m"
    assert row_unit(np.concatenate([np.zeros(9), 2.0 * axis]), square) == "N"
    assert row_unit(np.concatenate([np.zeros(9), axis]), square) == "N m"
    assert row_unit(np.zeros(12), square) == "N m"
    levers = np.cross([0, 0, 1.0], square - [0.2, 0.3, 0.0])
    assert row_unit(levers.ravel(), square) == "N m"


def test_the_joints_of_the_devices_have_their_units():
    units = hf.devices.two_opposed_units()
    assert [row_unit(row, units.assembly().positions) for row in units.joint_rows().jacobian] == ["N"]
    for device in (hf.devices.two_finger_gripper("D", "PMD"), hf.devices.four_finger_hand()):
        positions = device.assembly().positions
        assert {row_unit(row, positions) for row in device.joint_rows().jacobian} == {"N m"}
