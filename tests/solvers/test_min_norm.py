"""The shortest z of a box by its outcome: nearest points by non-negative least squares, cuts, proofs, limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from holdfast.dynamics.program import build_hulls
from holdfast.geometry.polytopes import Polytope
from holdfast.solvers.min_norm import (
    COLUMNS,
    CUT,
    INFEASIBLE,
    OPTIMAL,
    STALLED,
    STEPS,
    MinNormProgram,
    new_mixture_state,
    new_mixture_work,
    run,
    seed,
)

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
    return build_hulls(((Polytope(points, rays),),)), MinNormProgram(
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


@pytest.mark.parametrize("number", range(20))
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
