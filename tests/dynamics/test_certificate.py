"""Weak duality: whatever the multipliers, no admissible forces do better than the bound."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.dynamics import Multipliers, SeparationCertificate, SeparationLeaf, separation
from holdfast.dynamics.dissipation import build_problem, lower_bound, piece_bounds, piece_supports
from tests.dynamics.rivals import separation_case
from tests.referee import covers_once

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
