from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.solvers import Solution, SolverStats, Status
from tests.referee import block, dented_unit, random_case

few = settings(max_examples=30)


def test_a_status_reads_as_its_message():
    assert [str(s) for s in Status] == ["holds", "does not hold", "undecided", "optimal", "unbounded"]
    assert Status.HOLDS == "holds"
    assert Status("does not hold") is Status.DOES_NOT_HOLD


@few
@given(st.integers(0, 5000))
def test_combinations_are_the_product_of_pieces_and_masks_allow_each(seed):
    assembly = random_case(seed).assembly
    problem = assembly.build(np.ones(6))
    counts = [len(c.volume.pieces) for c in assembly.contacts]
    assert problem.contacts == len(counts)
    assert problem.combinations == int(np.prod(counts))
    assert [m.bit_count() for m in problem.all_pieces] == counts
    assert [m.bit_length() for m in problem.all_pieces] == counts
    assert [len(problem.pieces(i)) for i in range(len(counts))] == counts


def test_combinations_stay_exact_however_many():
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), dented_unit())] * 200)
    assert assembly.build(np.ones(6)).combinations == 2**200


def test_rows_are_balance_then_joints():
    cube = hf.ForceVolume([block([-1] * 3, [1] * 3)])
    contacts = [hf.Contact([0, 0, 0], np.eye(3), cube), hf.Contact([1, 0, 0], np.eye(3), cube)]
    assembly = hf.Assembly(contacts, hf.JointRows(np.ones((2, 6)), [-1, -np.inf], [1, 5]))
    problem = assembly.build([1, 2, 3, 4, 5, 6])
    assert problem.rows == 8
    assert problem.maps.shape == (2, 8, 3)
    assert np.isinf(problem.lower[7])


def test_residual_is_the_largest_violation_of_a_row():
    cube = hf.ForceVolume([block([-1] * 3, [1] * 3)])
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), cube)], hf.JointRows([[1, 0, 0]], [-0.25], [0.25]))
    problem = assembly.build([1, 0, 0, 0, 0, 0])
    assert problem.residual(np.array([[-1.0, 0, 0]]), 1.0) == pytest.approx(0.75)  # balanced, but the joint gives way
    assert problem.residual(np.array([[-0.25, 0, 0]]), 1.0) == pytest.approx(0.75)  # the joint holds, balance does not
    assert problem.residual(np.array([[-0.25, 0, 0]]), 0.25) == pytest.approx(0.0)


@pytest.mark.parametrize(
    "volume, joints, star",
    [
        (dented_unit(), None, True),
        (hf.ForceVolume([block([1, 1, 1], [2, 2, 2])]), None, False),
        (hf.ForceVolume([block([-1] * 3, [1] * 3), block([1, 1, 1], [2, 2, 2])]), None, False),
        (dented_unit(), hf.JointRows([[1, 0, 0]], [-1], [1]), True),
        (dented_unit(), hf.JointRows([[1, 0, 0]], [0], [1]), True),
        (dented_unit(), hf.JointRows([[1, 0, 0]], [0.5], [1]), False),
        (dented_unit(), hf.JointRows([[1, 0, 0]], [-1], [-0.5]), False),
        (dented_unit(), hf.JointRows([[1, 0, 0]], [-np.inf], [np.inf]), True),
    ],
)
def test_star_shaped_means_that_no_load_needs_no_force(volume, joints, star):
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), volume)], joints)
    assert assembly.build(np.ones(6)).is_star_shaped is star


def test_a_solution_without_forces_says_so():
    solution = Solution(Status.UNDECIDED, -np.inf, np.inf)
    assert solution.forces is None
    assert solution.certificate is None
    assert solution.effort == SolverStats()
