"""The minimum-norm methods: mixtures, the orthogonal step against dense algebra, whole runs by their outcome.

Nearest points come from non-negative least squares on all vertices.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from holdfast.dynamics.dissipation import build_hulls
from holdfast.geometry.polytopes import Polytope
from holdfast.solvers.min_norm import (
    COLUMNS,
    CUT,
    DEPENDENT_ROW,
    ELASTIC,
    IDLE_DIRECTION,
    INFEASIBLE,
    ITEM,
    OPTIMAL,
    ROWS,
    STALLED,
    STEP,
    STEPS,
    VERTEX,
    MinNormProgram,
    drop_key,
    drop_row,
    evaluate,
    fill_columns,
    min_norm_point,
    new_mixture_state,
    new_mixture_work,
    reduce_columns,
    run,
    seed,
    slack_of,
    slope,
)
from tests.nightly import nightly_after
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
    hulls = build_hulls(((Polytope(low, [[0, 0, 1.0]]), Polytope(high)),), True)
    far = np.nonzero(hulls.tables.vertices[:, 2] > 4.0)[0]
    assert (hulls.bits[far] == 3).all()  # above the first piece along its ray, and the second's own
    assert hulls.ray_bits.tolist() == [1]


def prepared(number, columns, rows):
    """A mixture with some working rows, evaluated; D (n, 7) and G (n, w) of its columns."""
    hulls, program = program_of(number)
    state, _ = mixture(hulls, program, np.random.default_rng(number), columns)
    state.rows[: len(rows)], state.counts[ROWS] = rows, len(rows)
    work = new_mixture_work(len(program.shape_of), len(program.lower))
    evaluate(hulls, program, state, work, 1.0)
    fill_columns(hulls, program, state, work, 1.0)
    for at, row in enumerate(rows):
        work.slack[at] = slack_of(program, state.elastic, row, work.z, work.joints, 0.0)
    d = work.change[:columns].copy()
    g = np.array(
        [
            [slope(program, state.elastic, row, work.change[j], work.joint_change[j], 0.0) for row in rows]
            for j in range(columns)
        ]
    ).reshape(columns, len(rows))
    return program, state, work, d, g


CASES = [(0, 3, []), (0, 4, [0]), (4, 6, [0, 2]), (1, 4, [1]), (10, 5, [1, 3]), (3, 4, [0, 1])]


@pytest.mark.parametrize("number, columns, rows", CASES)
def test_a_step_goes_to_the_least_length_within_the_rows(number, columns, rows):
    program, state, work, d, g = prepared(number, columns, rows)
    assert np.linalg.matrix_rank(np.hstack([d, g])) == columns  # none depends on the others
    code, _ = reduce_columns(program, state, work)
    assert code == STEP
    a, z, slack = work.step[:columns], work.z.copy(), work.slack[: len(rows)]
    np.testing.assert_allclose(g.T @ a, -slack, atol=1e-9 * max(1.0, np.abs(slack).max(initial=0.0)))
    np.testing.assert_allclose(work.goal, z + d.T @ a, atol=1e-9)
    # Conditions of optimality: the gradient is made up of the working rows, with the prices.
    np.testing.assert_allclose(d @ work.goal, g @ work.prices[: len(rows)], atol=1e-9 * np.abs(d @ z).max())
    # And no other solution of the rows is shorter.
    rng = np.random.default_rng(0)
    null = np.linalg.svd(g.T, full_matrices=True)[2][len(rows) :] if rows else np.eye(columns)
    for _ in range(20):
        other = a + 0.1 * (rng.normal(size=len(null)) @ null)
        assert np.linalg.norm(z + d.T @ other) >= np.linalg.norm(work.goal) - 1e-12


def test_a_repeated_column_gives_a_direction_that_changes_nothing():
    program, state, work, _, _ = prepared(0, 3, [0])
    n = 3
    state.columns[ITEM, n], state.columns[VERTEX, n] = state.columns[ITEM, 0], state.columns[VERTEX, 0]
    work.change[n], work.joint_change[n] = 2.0 * work.change[0], 2.0 * work.joint_change[0]
    state.counts[COLUMNS] = n + 1
    code, _ = reduce_columns(program, state, work)
    assert code == IDLE_DIRECTION
    a = work.step[: n + 1]
    assert np.abs(a).max() > 0.0
    np.testing.assert_allclose(work.change[: n + 1].T @ a, 0.0, atol=1e-9 * np.abs(a).max())


def test_more_than_seven_columns_without_rows_depend_on_each_other():
    program, state, work, d, _ = prepared(4, 8, [])
    code, _ = reduce_columns(program, state, work)
    assert code == IDLE_DIRECTION
    np.testing.assert_allclose(d.T @ work.step[:8], 0.0, atol=1e-8 * np.abs(work.step[:8]).max())


def test_a_repeated_row_is_named():
    program, state, work, _, _ = prepared(4, 5, [0, 2, 0])
    assert reduce_columns(program, state, work) == (DEPENDENT_ROW, 2)


def test_rows_without_columns_depend_on_nothing_and_are_named():
    program, state, work, _, _ = prepared(4, 1, [0, 2])
    assert reduce_columns(program, state, work) == (DEPENDENT_ROW, 1)


GAP, FLOOR = 1e-10, 1e-20


def single(points, start, normal=(0.0, 0.0, 1.0), rays=None, lower=(), upper=(), joint=()):
    """One contact whose force is the first three coordinates of z."""
    maps = np.zeros((1, 6, 3))
    maps[0, :3] = np.eye(3)
    r = len(lower)
    limits = np.full(1 + 2 * r, -1e-13)
    limits[1::2], limits[2::2] = np.array(lower) - 1e-13, -np.array(upper) - 1e-13
    normals = np.zeros((1, 6))
    normals[0, :3] = normal
    return build_hulls(((Polytope(points, rays),),), True), MinNormProgram(
        shape_of=np.zeros(1, dtype=np.int64),
        maps=maps,
        joint=np.array(joint, dtype=float).reshape(1, r, 3),
        normals=normals,
        start=np.array([*start, 0.0, 0.0, 0.0]),
        limits=limits,
        lower=np.array(lower, dtype=float),
        upper=np.array(upper, dtype=float),
    )


def solved(hulls, program, cutoff=np.inf, limit=1000):
    state = new_mixture_state(len(program.shape_of), len(program.lower), np.ones(len(program.shape_of), dtype=np.int64))
    work = new_mixture_work(len(program.shape_of), len(program.lower))
    seed(hulls, program, state, program.start)
    return (*run(hulls, program, state, work, GAP, FLOOR, cutoff, limit), state, work)


@pytest.mark.parametrize("number", nightly_after(12, range(20)))
def test_without_rows_it_is_the_nearest_point_of_a_hull(number):
    rng = np.random.default_rng(number)
    points, start = rng.normal(size=(12, 3)), 4.0 * rng.normal(size=3)
    hulls, program = single(points, start)
    program.limits[0] = -np.inf
    outcome, value, bound, _, work = solved(hulls, program)
    big = 1e4
    weights, _ = nnls(np.vstack([points.T, big * np.ones(12)]), np.array([*-start, big]))
    weights /= weights.sum()
    assert outcome == OPTIMAL
    assert value == pytest.approx(np.linalg.norm(points.T @ weights + start) ** 2, rel=1e-6)
    assert bound == pytest.approx(value, rel=1e-9)
    assert np.linalg.norm(work.forces[0] + start) ** 2 == pytest.approx(value, rel=1e-12)


def test_a_row_holds_the_point_back():
    """The unit cube about the origin, drawn towards (0, 0, -3) from above: z may not fall below zero in x."""
    cube = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    hulls, program = single(cube, (0.2, 0.0, 3.0), normal=(-np.sqrt(0.5), 0.0, np.sqrt(0.5)))
    outcome, value, _, _, work = solved(hulls, program)
    assert outcome == OPTIMAL
    np.testing.assert_allclose(work.z[:3], [0.0, 0.0, 2.0], atol=1e-9)  # the row z >= x holds with room
    assert value == pytest.approx(4.0)
    hulls, program = single(cube, (0.2, 0.0, 3.0), normal=(np.sqrt(0.5), 0.0, -np.sqrt(0.5)))
    outcome, value, _, _, work = solved(hulls, program)  # now x >= z
    assert outcome == INFEASIBLE and value == np.inf  # x is at most 1.2, z at least 2


def test_a_joint_row_limits_the_force():
    cube = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    hulls, program = single(cube, (0.0, 0.0, 3.0), lower=[-0.25], upper=[0.5], joint=[[0.0, 0.0, 1.0]])
    outcome, value, _, _, work = solved(hulls, program)
    assert outcome == OPTIMAL and value == pytest.approx(2.75**2)
    assert work.torques[0] > 0.0  # leans on the lower limit
    hulls, program = single(cube, (0.0, 0.0, 3.0), lower=[1.5], upper=[2.0], joint=[[0.0, 0.0, 1.0]])
    assert solved(hulls, program)[0] == INFEASIBLE


def test_rays_are_climbed_as_far_as_it_pays():
    hulls, program = single(np.zeros((1, 3)), (3.0, 0.0, -4.0), rays=[[0.0, 0.0, 1.0]])
    outcome, value, bound, state, work = solved(hulls, program)
    assert outcome == OPTIMAL and value == pytest.approx(9.0) and bound == pytest.approx(9.0)
    np.testing.assert_allclose(work.forces[0], [0.0, 0.0, 4.0], atol=1e-9)
    assert state.counts[COLUMNS] == 1


def test_a_cutoff_below_the_answer_ends_early():
    rng = np.random.default_rng(1)
    hulls, program = single(rng.normal(size=(40, 3)), (6.0, 0.0, 3.0))
    outcome, _, bound, state, _ = solved(hulls, program, cutoff=1.0)
    assert outcome == CUT and bound >= 1.0
    assert state.counts[STEPS] <= solved(hulls, program)[3].counts[STEPS]


def test_a_limit_of_steps_leaves_a_bound_that_is_right():
    rng = np.random.default_rng(2)
    hulls, program = single(rng.normal(size=(60, 3)), (2.0, 1.0, 3.0))
    value = solved(hulls, program)[1]
    outcome, found, bound, _, _ = solved(hulls, program, limit=1)
    assert outcome == STALLED and bound <= value * (1.0 + 1e-9) and found >= value * (1.0 - 1e-9)


def shortest(vertices: np.ndarray) -> float:
    """Length of the shortest point of a hull: weights of sum 1 by a heavy row."""
    heavy = 1e5 * np.abs(vertices).max()
    system = np.concatenate([vertices.T, np.full((1, len(vertices)), heavy)])
    weights, _ = nnls(system, np.append(np.zeros(vertices.shape[1]), heavy))
    return float(np.linalg.norm(weights @ vertices))


@pytest.mark.parametrize("seed", range(12))
def test_the_shortest_point_of_a_hull_is_found_with_its_bound(seed):
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(30, 5)) + rng.uniform(0.0, 3.0)
    calls = []

    def nearest(x):
        calls.append(x)
        row = 0 if not len(x) else int((vertices @ x).argmin())
        return vertices[row], np.eye(30)[row]

    found, by_array = min_norm_point(nearest), min_norm_point(vertices)
    length = float(np.linalg.norm(found.point))
    np.testing.assert_allclose(found.weights @ np.array(found.tags) @ vertices, found.point, atol=1e-9)
    np.testing.assert_allclose(by_array.weights @ vertices[list(by_array.tags)], found.point, atol=1e-9)
    np.testing.assert_allclose(length, shortest(vertices), rtol=1e-5, atol=1e-6)
    assert found.bound <= length
    if length > 1e-6:
        assert length - found.bound <= 2e-6 * length
    assert len(calls) < 60


@pytest.mark.parametrize("nothing", [lambda x: None, np.zeros((0, 3))])
def test_an_empty_set_has_no_shortest_point(nothing):
    assert min_norm_point(nothing) is None
