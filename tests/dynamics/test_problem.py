"""The scaled matrices say the same as (7), (8) in newtons."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.dynamics.dissipation import build_problem
from holdfast.errors import InputError
from tests.dynamics.rivals import normal_rows, separation_case


@pytest.mark.parametrize("seed", range(8))
def test_z_is_the_acceleration_that_forces_cause(seed):
    case = separation_case(seed)
    problem = build_problem(case.assembly, case.wrench, case.mass)
    rng = np.random.default_rng(seed)
    local = rng.normal(size=(len(case.assembly), 3))
    forces = np.einsum("kij,kj->ki", case.assembly.rotations, local)
    twist = np.linalg.solve(case.mass, case.assembly.wrench_matrix @ forces.ravel() + case.wrench)  # (8)
    z = problem.z_of(local)
    np.testing.assert_allclose(problem.to_acceleration @ z, twist, rtol=1e-8, atol=1e-9 * np.abs(twist).max())
    assert z @ z * problem.scale**2 == pytest.approx(twist @ case.mass @ twist, rel=1e-9)
    into = normal_rows(case.assembly) @ twist
    np.testing.assert_array_equal(np.sign(problem.normals @ z), np.sign(into))
    np.testing.assert_allclose(np.linalg.norm(problem.normals, axis=1), 1.0)
    if case.assembly.joints is not None:
        torques = case.assembly.joints.jacobian @ forces.ravel()
        with np.errstate(invalid="ignore"):
            share = problem.joint_values(local) / torques
            np.testing.assert_allclose(problem.lower, share * case.assembly.joints.lower, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(problem.upper, share * case.assembly.joints.upper, rtol=1e-9, atol=1e-12)


def test_the_load_alone_has_length_one():
    case = separation_case(1)
    problem = build_problem(case.assembly, case.wrench, case.mass)
    assert np.linalg.norm(problem.start) == pytest.approx(1.0)
    assert problem.scale**2 == pytest.approx(case.wrench @ np.linalg.solve(case.mass, case.wrench))


def test_without_a_load_the_contacts_set_the_scale():
    case = separation_case(1)
    problem = build_problem(case.assembly, np.zeros(6), case.mass)
    assert not problem.start.any()
    assert np.isfinite(problem.scale) and problem.scale > 0.0


def test_a_mass_matrix_that_is_singular_about_the_contacts_is_refused():
    case = separation_case(0)
    with pytest.raises(InputError, match="mass_matrix.*singular"):
        build_problem(case.assembly, case.wrench, np.ones((6, 6)) + 1e-14 * np.eye(6))
