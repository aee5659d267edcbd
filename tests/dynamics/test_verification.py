"""Residuals notice every single thing that is off."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from holdfast.dynamics import separation
from tests.dynamics.rivals import separation_case


@pytest.fixture(scope="module")
def moving():
    case = separation_case(3, most_choices=16)
    answer = separation(case.assembly, case.wrench, case.mass)
    assert answer.status == "separates" and answer.assembly.joints is not None
    return answer


def test_an_answer_as_found_is_within_rounding(moving):
    r = moving.residuals
    assert r.feasible
    assert max(r.membership, r.joints, r.motion, r.penetration, r.value) <= 1e-9
    assert r.optimality <= 1e-6


def test_each_residual_sees_its_own_fault(moving):
    pushed = moving.forces + 0.1 * np.abs(moving.forces).max()
    assert dataclasses.replace(moving, forces=pushed).residuals.motion > 1e-3
    assert dataclasses.replace(moving, forces=100.0 * moving.forces).residuals.membership > 1e-3
    assert dataclasses.replace(moving, forces=100.0 * moving.forces).residuals.joints > 1e-3
    assert dataclasses.replace(moving, value=2.0 * moving.value).residuals.value == pytest.approx(0.5)
    free = np.linalg.solve(moving.mass_matrix, moving.wrench)
    idle = dataclasses.replace(moving, forces=np.zeros_like(moving.forces), acceleration=free)
    assert idle.residuals.motion <= 1e-12
    m = moving.multipliers
    assert dataclasses.replace(moving, multipliers=dataclasses.replace(m, motion=-m.motion)).residuals.optimality > 0.5


def test_a_status_that_the_proof_does_not_carry_is_refused(moving):
    assert not dataclasses.replace(moving, status="penetrates").verify()
    assert not dataclasses.replace(moving, status="holds").verify()
    assert not dataclasses.replace(moving, status="undecided").verify()


def test_an_answer_that_holds_is_judged_by_its_forces():
    for seed in range(50):
        case = separation_case(seed)
        answer = separation(case.assembly, case.wrench, case.mass)
        if answer.holds:
            break
    assert answer.verify() and answer.residuals.feasible and np.isnan(answer.residuals.optimality)
    assert not dataclasses.replace(answer, acceleration=np.ones(6)).verify()
    assert not dataclasses.replace(answer, value=1.0).verify()


def test_without_forces_there_are_no_residuals():
    for seed in range(50):
        case = separation_case(seed)
        answer = separation(case.assembly, case.wrench, case.mass)
        if answer.status == "penetrates":
            break
    assert answer.residuals is None and answer.verify()
