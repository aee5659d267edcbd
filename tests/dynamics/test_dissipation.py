"""The problem, its proofs, the convex programs and the search, against other solvers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.dynamics import Multipliers, Separating, SeparationCertificate, SeparationLeaf, separation
from holdfast.dynamics.dissipation import (
    MOST_PIECES,
    VALUE_FLOOR,
    HullOutcome,
    HullProgram,
    SeparationSearch,
    build_hulls,
    build_problem,
    lower_bound,
    piece_bounds,
    piece_supports,
)
from holdfast.errors import InputError
from tests.dynamics.rivals import clarabel_value, exhaustive_value, normal_rows, separation_case
from tests.nightly import nightly_after
from tests.referee import covers_once, distance_to_piece, units_of


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


MOVING = [1, 3, 19, 23, 39, 43, 51, 53]  # seeds whose object moves, after some branching


def answer_of(seed):
    case = separation_case(seed)
    return separation(case.assembly, case.wrench, case.mass)


@pytest.mark.parametrize("seed", MOVING)
def test_no_multipliers_prove_more_than_is_true(seed):
    answer = answer_of(seed)
    problem, found = answer.problem, answer.multipliers
    rng = np.random.default_rng(seed)
    value = answer.value / problem.scale**2
    for spread in (1e-3, 0.1, 1.0, 10.0):
        for _ in range(10):
            normals = np.abs(found.normals + spread * rng.normal(size=len(found.normals)) * rng.integers(0, 2))
            joints = found.joints * rng.uniform(1.0 - min(spread, 1.0), 1.0 + spread, len(found.joints))
            motion = found.motion + spread * rng.normal(size=6)
            bound = lower_bound(problem, problem.all_pieces, Multipliers(motion, normals, joints))
            assert bound <= value * (1.0 + 1e-9)


@pytest.mark.parametrize("seed", MOVING)
def test_the_bound_does_not_depend_on_the_size_of_the_multipliers(seed):
    answer = answer_of(seed)
    m, masks = answer.multipliers, [1 << int(p) for p in answer.pieces]
    larger = Multipliers(7.0 * m.motion, 7.0 * m.normals, 7.0 * m.joints)
    assert lower_bound(answer.problem, masks, larger) == pytest.approx(lower_bound(answer.problem, masks, m), rel=1e-9)


@pytest.mark.parametrize("seed", MOVING[:4])
def test_a_tree_with_a_leaf_missing_or_a_higher_claim_proves_nothing(seed):
    answer = answer_of(seed)
    certificate, problem = answer.certificate, answer.problem
    assert certificate.verify(problem)
    assert covers_once(answer.assembly, [leaf.masks for leaf in certificate.leaves])
    assert not SeparationCertificate(certificate.claim, certificate.leaves[:-1]).verify(problem)
    assert not SeparationCertificate(certificate.claim, certificate.leaves + certificate.leaves[:1]).verify(problem)
    assert not SeparationCertificate(1.01 * certificate.claim, certificate.leaves).verify(problem)


def test_weights_that_pull_at_a_normal_prove_nothing():
    answer = answer_of(MOVING[0])
    m = answer.multipliers
    wrong = Multipliers(m.motion, m.normals - 1.0, m.joints)
    assert lower_bound(answer.problem, answer.problem.all_pieces, wrong) == 0.0


def test_a_joint_without_a_limit_cannot_be_leant_on():
    for seed in range(200):
        case = separation_case(seed)
        if case.assembly.joints is not None and np.isinf(case.assembly.joints.lower).any():
            break
    answer = separation(case.assembly, case.wrench, case.mass)
    problem = build_problem(case.assembly, case.wrench, case.mass)
    joints = np.where(np.isinf(problem.lower), 1.0, 0.0)
    m = Multipliers(problem.start, np.zeros(problem.contacts), joints)
    assert lower_bound(problem, problem.all_pieces, m) == 0.0
    assert answer.verify()


def test_climbing_a_ray_proves_nothing():
    for seed in range(2, 200, 3):
        case = separation_case(seed)
        rays = [r for r in case.assembly.contacts[0].volume.rays if len(r)]
        if rays:
            break
    problem = build_problem(case.assembly, case.wrench, case.mass)
    y = -np.linalg.pinv(problem.maps[0].T) @ rays[0][0]
    m = Multipliers(y, np.zeros(problem.contacts), np.zeros(len(problem.lower)))
    assert np.isposinf(piece_supports(problem, m).values[0]).any()
    assert lower_bound(problem, problem.all_pieces, m) == 0.0


def test_a_box_without_pieces_is_no_box():
    answer = answer_of(MOVING[0])
    masks = [0, *answer.problem.all_pieces[1:]]
    with pytest.raises(ValueError, match="allows no piece"):
        lower_bound(answer.problem, masks, answer.multipliers)
    empty = SeparationLeaf(tuple(masks), answer.multipliers)
    assert not SeparationCertificate(0.0, (empty,)).covers(answer.problem)


@pytest.mark.parametrize("seed", MOVING)
def test_the_bound_of_a_single_piece_is_that_of_its_own_box(seed):
    answer = answer_of(seed)
    problem, masks = answer.problem, answer.problem.all_pieces
    for leaf in answer.certificate.leaves:
        bounds = piece_bounds(problem, masks, leaf.multipliers)
        for i, j in np.ndindex(bounds.shape):
            if masks[i] >> j & 1:
                alone = lower_bound(problem, (*masks[:i], 1 << j, *masks[i + 1 :]), leaf.multipliers)
                assert bounds[i, j] <= alone * (1.0 + 1e-9) + 1e-12
                if lower_bound(problem, masks, leaf.multipliers) > 0.0:  # no ray of another piece is climbed
                    assert bounds[i, j] == pytest.approx(alone, rel=1e-9, abs=1e-12)
            else:
                assert bounds[i, j] == -np.inf


FLOOR = 1e-14


def program_of(seed, **options):
    case = separation_case(seed, **options)
    problem = build_problem(case.assembly, case.wrench, case.mass)
    return case, problem, HullProgram(problem, 1e-6, FLOOR)


@pytest.mark.parametrize("seed", nightly_after(12, range(30)))
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


@pytest.mark.parametrize("seed", nightly_after(12, range(20)))
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


@pytest.mark.parametrize("seed", nightly_after(12, range(20)))
def test_parts_of_a_split_share_out_the_pieces_and_leave_the_force_out(seed):
    _, problem, program = program_of(seed)
    found = program.solve(problem.all_pieces)
    common = program.common_pieces(found.basis, 1e-10)
    for i in np.nonzero(common & np.array(problem.all_pieces) == 0)[0].tolist():
        parts = program.split(found, i, problem.all_pieces[i])
        assert sum(parts) == problem.all_pieces[i] and all(parts)
        for part in parts:
            assert any(not program._bits(v) & part for _, v, weight in program.mixture(found.basis, i) if weight > 0.0)


@pytest.mark.parametrize("seed", nightly_after(12, range(40)))
def test_parts_of_a_unit_share_out_its_pieces_and_leave_its_forces_out(seed):
    case = separation_case(seed, units=True)
    problem = build_problem(case.assembly, case.wrench, case.mass)
    program = HullProgram(problem, 1e-6, 1e-14)
    found = program.solve(problem.all_pieces)
    common = program.common_pieces(found.basis, 1e-10)
    for u, (contacts, mask) in enumerate(zip(problem.contact.units, problem.all_pieces, strict=True)):
        if np.bitwise_and.reduce(common[list(contacts)]) & mask:
            continue
        parts = program.split(found, u, mask)
        assert sum(parts) == mask and all(parts)
        mixed = [v for _, v, weight in program.mixture(found.basis, u) if weight > 0.0]
        for part in parts:
            assert any(not program._bits(v) & part for v in mixed) or part & (part - 1) == 0
        for i in contacts:
            corners = [(v, weight) for at, v, weight in program.mixture(found.basis, u) if at == i]
            ends = [program.hulls.tables.vertices[v] if v >= 0 else program.hulls.rays[-1 - v] for v, _ in corners]
            force = np.sum([weight * end for end, (_, weight) in zip(ends, corners, strict=True)], axis=0)
            np.testing.assert_allclose(force, found.forces[i], atol=1e-9 * max(1.0, float(np.abs(found.forces).max())))


@pytest.mark.parametrize("seed", nightly_after(20, range(60)))
def test_with_units_the_least_value_is_that_of_every_choice_tried(seed):
    case = separation_case(seed, most_choices=16, units=True)
    problem = build_problem(case.assembly, case.wrench, case.mass)
    found = SeparationSearch(problem, Separating()).run()
    expected = exhaustive_value(case)
    assert found.closed
    assert found.certificate.verify(problem)
    if expected == np.inf:
        assert found.value == found.bound == np.inf
        return
    assert found.value * problem.scale**2 == pytest.approx(expected, rel=1e-6, abs=1e-8 * problem.scale**2)
    for unit in units_of(case.assembly):
        assert len({int(found.pieces[i]) for i in unit}) == 1
    for contact, force, piece in zip(case.assembly.contacts, found.forces, found.pieces, strict=True):
        vertices, rays = contact.volume.pieces[piece], contact.volume.rays[piece]
        assert distance_to_piece(force, vertices, rays) <= 2e-9 * max(1.0, float(np.abs(vertices).max()))
    if found.value > 1e-6:
        higher = replace(found.certificate, claim=found.value * (1 + 1e-4))
        assert not higher.verify(problem)


def test_mixtures_add_up_to_the_forces():
    _, problem, program = program_of(4, most_choices=16)
    found = program.solve(problem.all_pieces)
    for i in range(problem.contacts):
        mixed = program.mixture(found.basis, i)
        assert all(v >= 0 for _, v, _ in mixed)  # this one has no rays
        force = sum(weight * program.hulls.tables.vertices[v] for _, v, weight in mixed)
        np.testing.assert_allclose(force, found.forces[i], atol=1e-9)


def test_too_many_pieces_are_refused():
    piece = np.concatenate([np.zeros((1, 3)), np.eye(3)])
    volume = hf.ForceVolume([piece * (1 + j) for j in range(MOST_PIECES + 1)])
    with pytest.raises(InputError, match="at most"):
        build_hulls((volume.polytopes,), False)


def test_kernels_are_compiled_once_for_all_problems():
    from holdfast.solvers.min_norm import run

    for seed in (0, 1, 2):
        _, problem, program = program_of(seed)
        program.solve(problem.all_pieces)
    assert len(run.machine_code.signatures) == 1


def problem_of(seed):
    case = separation_case(seed)
    return build_problem(case.assembly, case.wrench, case.mass)


@pytest.mark.parametrize("seed", nightly_after(12, range(30)))
def test_a_closed_search_leaves_a_tree_that_proves_its_bound(seed):
    problem = problem_of(seed)
    found = SeparationSearch(problem, Separating()).run()
    assert found.closed
    assert found.certificate.verify(problem)
    assert found.bound <= found.certificate.claim
    if found.forces is None:
        assert found.value == found.bound == np.inf
    else:
        assert found.value - found.bound <= 1e-6 * found.value + VALUE_FLOOR
        own = lower_bound(problem, [1 << int(p) for p in found.pieces], found.multipliers)
        assert own == pytest.approx(found.value, rel=1e-6, abs=1e-10)


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-8])
def test_the_gap_asked_for_is_kept(gap):
    for seed in (3, 10, 21, 25):
        problem = problem_of(seed)
        exact = SeparationSearch(problem, Separating()).run()
        found = SeparationSearch(problem, Separating(gap=gap)).run()
        assert found.closed == exact.closed
        if exact.value < np.inf:
            assert exact.value * (1 - 1e-6) <= found.value <= exact.value * (1.0 + gap + 1e-6) + VALUE_FLOOR


def test_limits_end_a_search_with_a_valid_bound():
    for limits in (Separating(node_limit=1), Separating(time_limit=1e-9)):
        for seed in range(12):
            problem = problem_of(seed)
            whole, found = SeparationSearch(problem, Separating()).run(), SeparationSearch(problem, limits).run()
            assert found.bound <= whole.value * (1.0 + 1e-9)
            assert found.value >= whole.value * (1.0 - 1e-6)


def test_a_union_that_is_convex_needs_no_branching():
    """A box cut into eight: every force of its hull lies in some piece."""
    corners = [
        np.array([[x, y, z] for x in (0, a) for y in (0, b) for z in (0, c)], dtype=float)
        for a in (-1, 1)
        for b in (-1, 1)
        for c in (-1, 1)
    ]
    contacts = [hf.Contact([x, 0.0, 0.0], np.eye(3), hf.ForceVolume(corners)) for x in (-0.1, 0.1)]
    problem = build_problem(hf.Assembly(contacts), np.array([3.0, 0.5, 2.5, 0.0, 0.0, 0.0]), np.eye(6))
    found = SeparationSearch(problem, Separating()).run()
    assert found.closed and found.effort.nodes == 1


@pytest.mark.parametrize(
    "wrong", [{"gap": 0.0}, {"gap": 0.5}, {"node_limit": 0}, {"time_limit": 0.0}, {"time_limit": "long"}]
)
def test_limits_that_are_none_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Separating(**wrong)
