"""Programs of single boxes against Clarabel on the hulls, cold and warm."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics.dissipation import (
    MOST_PIECES,
    HullOutcome,
    HullProgram,
    build_hulls,
    build_problem,
    compile_kernels,
    lower_bound,
)
from holdfast.errors import InputError
from tests.dynamics.rivals import clarabel_value, separation_case

FLOOR = 1e-14


def program_of(seed, **options):
    case = separation_case(seed, **options)
    problem = build_problem(case.assembly, case.wrench, case.mass)
    return case, problem, HullProgram(problem, 1e-6, FLOOR)


@pytest.mark.parametrize("seed", range(30))
def test_the_least_of_a_box_is_that_of_clarabel_on_its_hulls(seed):
    case, problem, program = program_of(seed)
    rng = np.random.default_rng(seed)
    masks = tuple(int(rng.integers(1, every + 1)) for every in problem.all_pieces)
    found = program.solve(masks)
    expected = clarabel_value(case, [[j for j in range(8) if mask >> j & 1] for mask in masks]) / problem.scale**2
    bound = lower_bound(problem, masks, found.multipliers)
    if expected == np.inf:
        assert found.outcome is HullOutcome.INFEASIBLE and found.value == bound == np.inf
        return
    assert found.outcome is HullOutcome.OPTIMAL
    assert found.value == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert bound == pytest.approx(found.value, rel=1e-7, abs=1e-11)
    z = problem.z_of(found.forces)
    assert z @ z == pytest.approx(found.value, rel=1e-12)
    assert (problem.normals @ z >= -1e-10).all()


@pytest.mark.parametrize("seed", range(20))
def test_a_warm_start_from_another_box_leads_to_the_same_least(seed):
    _, problem, program = program_of(seed)
    parent = program.solve(problem.all_pieces)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        masks = tuple(int(rng.integers(1, every + 1)) for every in problem.all_pieces)
        cold = program.solve(masks)
        warm = program.solve(masks, start=parent.basis, twist=parent.multipliers.motion)
        assert warm.outcome is cold.outcome
        assert warm.value == pytest.approx(cold.value, rel=1e-8, abs=1e-11)


def test_a_cutoff_ends_a_program_with_a_bound_above_it():
    _, problem, program = program_of(4, most_choices=16)
    whole = program.solve(problem.all_pieces)
    cut = program.solve(problem.all_pieces, cutoff=0.5 * whole.value)
    assert cut.outcome in (HullOutcome.CUT, HullOutcome.OPTIMAL)
    assert 0.5 * whole.value <= lower_bound(problem, problem.all_pieces, cut.multipliers) * (1.0 + 1e-9)
    assert cut.steps <= whole.steps


@pytest.mark.parametrize("seed", range(20))
def test_parts_of_a_split_share_out_the_pieces_and_leave_the_force_out(seed):
    _, problem, program = program_of(seed)
    found = program.solve(problem.all_pieces)
    common = program.common_pieces(found.basis, 1e-10)
    for i in np.nonzero(common & np.array(problem.all_pieces) == 0)[0].tolist():
        parts = program.split(found.basis, i, problem.all_pieces[i])
        assert sum(parts) == problem.all_pieces[i] and all(parts)
        for part in parts:
            assert any(not program._bits(v) & part for v, weight in program.mixture(found.basis, i) if weight > 0.0)


def test_mixtures_add_up_to_the_forces():
    _, problem, program = program_of(4, most_choices=16)
    found = program.solve(problem.all_pieces)
    for i in range(problem.contacts):
        mixed = program.mixture(found.basis, i)
        assert all(v >= 0 for v, _ in mixed)  # this one has no rays
        force = sum(weight * program.hulls.tables.vertices[v] for v, weight in mixed)
        np.testing.assert_allclose(force, found.forces[i], atol=1e-9)


def test_too_many_pieces_are_refused():
    piece = np.concatenate([np.zeros((1, 3)), np.eye(3)])
    volume = hf.ForceVolume([piece * (1 + j) for j in range(MOST_PIECES + 1)])
    with pytest.raises(InputError, match="at most"):
        build_hulls((volume.polytopes,))


def test_kernels_are_compiled_once_for_all_problems():
    from holdfast.solvers.min_norm import run

    compile_kernels()
    for seed in (0, 1, 2):
        _, problem, program = program_of(seed)
        program.solve(problem.all_pieces)
    assert len(run.signatures) == 1
