"""Walks along the edges of half-spaces against programs of scipy and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast.solvers.minkowski.halfspace_sets import HalfspaceHand


@pytest.mark.parametrize(("seed", "planes"), [(1, 8), (2, 40), (3, 400)])
def test_supports_are_those_of_a_linear_program_and_their_multipliers_prove_them(seed: int, planes: int) -> None:
    rng = np.random.default_rng(seed)
    normals, offsets = rng.normal(size=(planes, 6)), rng.uniform(5.0, 20.0, size=planes)
    hand = HalfspaceHand(normals, offsets, length=1.0)
    for g in rng.normal(size=(30, 6)):
        found = hand.support(g)
        expected = linprog(-g, A_ub=normals, b_ub=offsets, bounds=(None, None))
        assert (expected.status == 3) == (found.ray is not None)
        assert (normals @ found.point - offsets).max() <= 1e-9
        if found.ray is not None:
            assert found.value == np.inf
            assert found.ray @ g > 0.0
            assert (normals @ found.ray).max() <= 1e-9
        else:
            assert found.value == pytest.approx(-expected.fun, rel=1e-9)
            assert found.value == pytest.approx(g @ found.point, rel=1e-9)
            assert (found.multipliers >= 0.0).all()
            assert found.multipliers @ normals[found.rows] == pytest.approx(g, abs=1e-9)


def test_many_planes_through_the_same_vertices_do_not_stop_the_walk() -> None:
    rng = np.random.default_rng(5)
    spare = rng.normal(size=(200, 6))
    normals = np.concatenate([np.eye(6), -np.eye(6), np.eye(6), spare])
    hand = HalfspaceHand(normals, np.abs(normals).sum(axis=1), length=1.0)  # all touch the cube at its corners
    for g in rng.normal(size=(50, 6)):
        assert hand.support(g).value == pytest.approx(np.abs(g).sum(), rel=1e-12)
    for g in np.eye(6):
        assert hand.support(g).value == pytest.approx(1.0, rel=1e-12)


def test_torques_may_be_of_any_size_beside_forces() -> None:
    unit = np.repeat([1e3, 1e-3], 3)
    hand = HalfspaceHand(np.concatenate([np.eye(6), -np.eye(6)]), np.r_[unit, unit], length=1e-6)
    g = np.array([1.0, -2.0, 0.5, 1e6, -3e6, 0.0])
    assert hand.support(g).value == pytest.approx(np.abs(g) @ unit, rel=1e-12)


def test_a_slab_has_lines_and_an_empty_set_its_contradiction() -> None:
    slab = HalfspaceHand(np.array([[2.0, 0, 0, 0, 0, 0]]), np.array([6.0]), length=1.0)
    assert slab.lines.shape == (5, 6)
    assert slab.support(np.array([1.0, 0, 0, 0, 0, 0])).value == pytest.approx(3.0)
    normals, offsets = np.array([[1.0, 0, 0, 0, 0, 0], [-2.0, 0, 0, 0, 0, 0]]), np.array([-2.0, 1.0])
    empty = HalfspaceHand(normals, offsets, length=1.0)
    assert empty.empty
    rows, weights = empty.contradiction()
    assert (weights >= 0.0).all()
    assert weights @ normals[rows] == pytest.approx(np.zeros(6), abs=1e-12)
    assert weights @ offsets[rows] < 0.0


def test_copies_walk_on_their_own() -> None:
    rng = np.random.default_rng(7)
    normals = np.concatenate([rng.normal(size=(60, 6)), np.eye(6), -np.eye(6)])
    hand = HalfspaceHand(normals, np.full(len(normals), 3.0), length=1.0)
    twin = hand.copy()
    first, second = rng.normal(size=(2, 6))
    expected = hand.support(first).value
    twin.support(second)
    assert hand.support(first).value == pytest.approx(expected, rel=1e-12)
    assert twin.support(first).value == pytest.approx(expected, rel=1e-12)
