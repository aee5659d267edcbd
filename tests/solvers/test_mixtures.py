"""Mixtures add up to what their weights say, and keep to the pieces allowed."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.dynamics.program import build_hulls
from holdfast.solvers.min_norm import (
    COLUMNS,
    ELASTIC,
    ITEM,
    ROWS,
    VERTEX,
    drop_key,
    drop_row,
    evaluate,
    fill_columns,
    new_mixture_state,
    new_mixture_work,
    seed,
    slack_of,
)
from tests.solvers.mixture_cases import FIRST_VERTEX, mixture, program_of


@pytest.mark.parametrize("number", range(6))
def test_z_and_joint_rows_are_those_of_the_mixed_forces(number):
    hulls, program = program_of(number)
    state, forces = mixture(hulls, program, np.random.default_rng(number))
    work = new_mixture_work(len(program.shape_of), len(program.lower))
    assert evaluate(hulls, program, state, work, 3.0) == 0.0
    np.testing.assert_allclose(work.forces, forces, atol=1e-12)
    np.testing.assert_allclose(work.z[:6], program.start + np.einsum("kmi,ki->m", program.maps, forces), atol=1e-12)
    np.testing.assert_allclose(work.joints, np.einsum("kmi,ki->m", program.joint, forces), atol=1e-12)


@pytest.mark.parametrize("number", range(6))
def test_columns_are_what_a_unit_of_weight_changes(number):
    hulls, program = program_of(number)
    state, _ = mixture(hulls, program, np.random.default_rng(number))
    work = new_mixture_work(len(program.shape_of), len(program.lower))
    evaluate(hulls, program, state, work, 2.0)
    before, joints = work.z.copy(), work.joints.copy()
    fill_columns(hulls, program, state, work, 2.0)
    for j in range(state.counts[COLUMNS]):
        state.weights[j] += 0.25
        evaluate(hulls, program, state, work, 2.0)
        np.testing.assert_allclose(work.z - before, 0.25 * work.change[j], atol=1e-12)
        np.testing.assert_allclose(work.joints - joints, 0.25 * work.joint_change[j], atol=1e-12)
        state.weights[j] -= 0.25


def test_the_elastic_column_has_a_coordinate_of_its_own():
    hulls, program = program_of(0)
    state, _ = mixture(hulls, program, np.random.default_rng(0))
    work = new_mixture_work(len(program.shape_of), len(program.lower))
    n = state.counts[COLUMNS]
    state.columns[ITEM, n], state.columns[VERTEX, n], state.weights[n] = -1, 0, 0.5
    state.counts[COLUMNS], state.counts[ELASTIC] = n + 1, 1
    assert evaluate(hulls, program, state, work, 2.0) == 0.5
    assert work.z[6] == 3.0
    fill_columns(hulls, program, state, work, 2.0)
    np.testing.assert_array_equal(work.change[n], [0, 0, 0, 0, 0, 0, 2.0])
    assert not work.joint_change[n].any()
    state.elastic[0] = 4.0
    plain = slack_of(program, np.zeros_like(state.elastic), 0, work.z, work.joints, 0.5)
    assert slack_of(program, state.elastic, 0, work.z, work.joints, 0.5) == pytest.approx(plain + 2.0)


def test_rows_are_normals_then_lower_and_upper_limits():
    hulls, program = program_of(1)
    state, _ = mixture(hulls, program, np.random.default_rng(1))
    k, r = len(program.shape_of), len(program.lower)
    assert r > 0
    work = new_mixture_work(k, r)
    evaluate(hulls, program, state, work, 1.0)
    slacks = [slack_of(program, state.elastic, row, work.z, work.joints, 0.0) for row in range(k + 2 * r)]
    np.testing.assert_allclose(slacks[:k], program.normals @ work.z[:6] - program.limits[:k])
    np.testing.assert_allclose(slacks[k::2], work.joints - program.limits[k::2])
    np.testing.assert_allclose(slacks[k + 1 :: 2], -work.joints - program.limits[k + 1 :: 2])


@pytest.mark.parametrize("number", range(6))
def test_a_seed_uses_allowed_pieces_alone(number):
    hulls, program = program_of(number)
    rng = np.random.default_rng(number)
    state, _ = mixture(hulls, program, rng)
    every = state.masks.copy()
    state.masks[:] = [rng.integers(1, mask + 1) for mask in every]
    y = rng.normal(size=6)
    seed(hulls, program, state, y)
    assert (hulls.bits[state.keys] & state.masks).all()
    for j in range(state.counts[COLUMNS]):
        v = state.columns[VERTEX, j]
        bits = hulls.bits[v] if v >= 0 else hulls.ray_bits[-1 - v]
        assert bits & state.masks[state.columns[ITEM, j]]


@pytest.mark.parametrize("number", range(6))
def test_a_seed_from_nothing_takes_the_best_vertex_against_y(number):
    hulls, program = program_of(number)
    rng = np.random.default_rng(number)
    masks = mixture(hulls, program, rng)[0].masks
    state = new_mixture_state(len(program.shape_of), len(program.lower), masks)
    y = rng.normal(size=6)
    seed(hulls, program, state, y)
    for i, key in enumerate(state.keys):
        span = slice(*hulls.tables.shapes[program.shape_of[i] : program.shape_of[i] + 2, FIRST_VERTEX])
        values = -hulls.tables.vertices @ (program.maps[i].T @ y)
        own = values[span][hulls.tables.bits[span] & masks[i] != 0]
        assert values[key] == pytest.approx(own.max(), abs=1e-12 * np.abs(values).max())


def test_a_key_without_weight_hands_over_to_the_heaviest():
    hulls, program = program_of(0)
    state, forces = mixture(hulls, program, np.random.default_rng(0))
    i = int(state.columns[ITEM, 0])
    own = [j for j in range(state.counts[COLUMNS]) if state.columns[ITEM, j] == i and state.columns[VERTEX, j] >= 0]
    state.weights[own] /= state.weights[own].sum()  # nothing is left to the key
    work = new_mixture_work(len(program.shape_of), len(program.lower))
    evaluate(hulls, program, state, work, 1.0)
    before, heaviest = work.forces.copy(), own[int(np.argmax(state.weights[own]))]
    vertex = state.columns[VERTEX, heaviest]
    drop_key(state, i)
    assert state.keys[i] == vertex
    evaluate(hulls, program, state, work, 1.0)
    np.testing.assert_allclose(work.forces, before, atol=1e-12)
    assert forces.shape == before.shape


def test_rows_leave_in_order():
    state = new_mixture_state(2, 1, np.ones(2, dtype=np.int64))
    state.rows[:3], state.counts[ROWS] = (3, 0, 1), 3
    drop_row(state, 1)
    assert state.rows[: state.counts[ROWS]].tolist() == [3, 1]


def test_hulls_of_shapes_with_rays_know_which_vertices_the_rays_reach():
    from holdfast.geometry.polytopes import Polytope

    low, high = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0.5]]), np.array([[0.2, 0.2, 5.0], [0.2, 0.2, 6.0]])
    hulls = build_hulls(((Polytope(low, [[0, 0, 1.0]]), Polytope(high)),))
    far = np.nonzero(hulls.tables.vertices[:, 2] > 4.0)[0]
    assert (hulls.bits[far] == 3).all()  # above the first piece along its ray, and the second's own
    assert hulls.ray_bits.tolist() == [1]
