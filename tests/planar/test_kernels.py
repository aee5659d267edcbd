"""Kernels of planar contact are stored by the sources that they are made of.

Double description against brute force over bases, and the duality of cones.

Small linear programs against HiGHS.

The tree over contacts: modes against points of the arrangement, room that grows, and its generators.
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast.planar import kernels
from holdfast.planar.kernels import (
    INFEASIBLE,
    OPTIMAL,
    UNBOUNDED,
    cone_generators,
    deepest,
    maximise,
    solve,
    walk,
)
from tests.nightly import nightly_after


def test_a_stored_kernel_knows_the_sources_it_was_made_from():
    assert kernels.SOURCES in solve.machine_code._cache._cache_file._source_stamp


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def extreme_rays(rows: np.ndarray) -> np.ndarray:
    """Rays of a pointed cone: null vectors of n - 1 independent rows that meet all others."""
    n, found = rows.shape[1], []
    for chosen in combinations(range(len(rows)), n - 1):
        _, values, right = np.linalg.svd(rows[list(chosen)])
        if n > 1 and values[-1] < 1e-9:
            continue
        for ray in (right[-1], -right[-1]):
            if (rows @ ray >= -1e-9).all() and not any(np.allclose(ray, other, atol=1e-7) for other in found):
                found.append(ray)
    return np.array(found).reshape(-1, n)


@pytest.mark.parametrize("seed", nightly_after(12, range(25)))
def test_rays_of_pointed_cones_are_all_extreme_ones_and_no_others(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    rows = rng.integers(-2, 3, (n + int(rng.integers(0, 6)), n)).astype(float)
    rows = unit(np.vstack([rows[rows.any(axis=1)], np.ones((1, n)), np.eye(n)[: n - 1]]))
    rays, lines = cone_generators(rows)
    wanted = extreme_rays(rows)
    assert not len(lines)
    assert len(rays) == len(wanted)
    for ray in rays:
        assert np.abs(wanted - ray).max(axis=1).min() < 1e-7


@pytest.mark.parametrize("seed", nightly_after(12, range(15)))
def test_the_dual_of_the_dual_is_the_cone(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    rows = unit(rng.normal(size=(int(rng.integers(1, 8)), n)))
    rays, lines = cone_generators(rows)
    assert len(lines) == max(n - len(rows), 0)
    assert (rows @ rays.T >= -1e-9).all()
    assert np.allclose(rows @ lines.T, 0.0)
    again, flat = cone_generators(np.vstack([rays, lines, -lines]))
    points = rng.normal(size=(200, n))
    inside = (points @ rows.T >= 0.0).all(axis=1)
    assert np.array_equal(
        inside, (points @ again.T >= -1e-12).all(axis=1) & (np.abs(points @ flat.T) < 1e-9).all(axis=1)
    )


def test_duplicate_and_redundant_rows_change_nothing_however_many_words_their_masks_take():
    rows = unit(np.vstack([np.eye(3)] * 60 + [np.ones((30, 3))]))
    rays, lines = cone_generators(rows)
    assert not len(lines)
    assert np.allclose(sorted(rays.tolist()), np.eye(3)[::-1])


def test_no_rows_leave_all_lines_and_opposite_rows_one_less():
    assert cone_generators(np.zeros((0, 3)))[1].shape == (3, 3)
    rays, lines = cone_generators(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
    assert (len(rays), len(lines)) == (0, 2)


def test_a_cross_polytope_has_its_facets():
    corners = np.vstack([np.eye(6), -np.eye(6)])
    rays, _ = cone_generators(unit(np.column_stack([corners, np.ones(12)])))
    assert len(rays) == 2**6


@pytest.mark.parametrize("seed", nightly_after(12, range(60)))
def test_programs_on_a_lattice_end_as_highs_says(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 9)), int(rng.integers(1, 40))
    rows = rng.integers(-2, 3, (m, n)).astype(float)
    rows[~rows.any(axis=1)] = 1.0
    limits, c = rng.integers(-1, 4, m).astype(float), rng.integers(-2, 3, n).astype(float)
    lengths = np.linalg.norm(rows, axis=1)
    rows, limits = rows / lengths[:, None], limits / lengths
    status, x = maximise(c, rows, limits)
    other = linprog(-c, A_ub=rows, b_ub=limits, bounds=(None, None))
    assert (status == OPTIMAL) == (other.status == 0)
    if status == OPTIMAL:
        assert c @ x == pytest.approx(-other.fun, abs=1e-8)
        assert (rows @ x <= limits + 1e-9).all()


def test_programs_without_end_and_without_answer_are_told_apart():
    assert maximise(np.ones(1), -np.ones((1, 1)), np.zeros(1))[0] == UNBOUNDED
    apart = np.array([[1.0], [-1.0]])
    assert maximise(np.zeros(1), apart, np.array([0.0, -1.0]))[0] == INFEASIBLE


def test_depth_is_that_of_the_inscribed_ball_and_negative_where_rows_do_not_meet():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    t, x = deepest(rows, np.array([1.0, 1.0, 0.5, 0.5]), np.ones(4))
    assert (t, x[1]) == (pytest.approx(0.5), pytest.approx(0.0))
    assert deepest(rows, np.array([1.0, -2.0, 1.0, 1.0]), np.ones(4))[0] == pytest.approx(-0.5)
    assert deepest(rows, np.array([1.0, -2.0, 1.0, 1.0]), np.zeros(4))[0] == -np.inf
    assert deepest(rows, np.full(4, 10.0), np.ones(4), cap=3.0)[0] == pytest.approx(3.0)


def test_a_degenerate_program_whose_ties_hide_tiny_pivots_is_solved_as_highs_solves_it():
    stored = json.loads((Path(__file__).parent / "degenerate_program.json").read_text())
    rows, limits, weights = (np.array(stored[name]) for name in ("rows", "limits", "weights"))
    t, x = deepest(rows, limits, weights)
    goal = np.append(np.zeros(rows.shape[1]), -1.0)
    other = linprog(
        goal, A_ub=np.column_stack([rows, weights]), b_ub=limits, bounds=[(None, None)] * rows.shape[1] + [(None, 1.0)]
    )
    assert t == pytest.approx(-other.fun, abs=1e-9)
    assert (rows @ x + weights * t <= limits + 1e-9).all()


AT_REST = 63  # all letters, both signs asked


def unit_of_mode_faces(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def arrangement(rng: np.random.Generator, count: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Homogenised rows of random contacts: (k, n + 1) normals and tangents, and their choices."""
    rows = rng.normal(size=(2, count, size + 1))
    return unit_of_mode_faces(rows[0]), unit_of_mode_faces(rows[1]), np.full(count, AT_REST)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_every_random_acceleration_has_the_mode_of_a_face_found(size):
    """Random points lie in open faces: all contacts separate there, or the point is not allowed."""
    rng = np.random.default_rng(size)
    normals, tangents, choices = arrangement(rng, 4, size)
    found = {tuple(row) for row in walk(normals, tangents, choices).letters.tolist()}
    assert any(0 < sum(letter > 0 for letter in mode) < 4 for mode in found) or size < 3
    # Points on the plane of one contact: it slides there by the sign of at.
    for i in range(4):
        for point in rng.normal(size=(200, size)) * 3.0:
            flat = normals[i, :-1]
            moved = point - flat * (normals[i] @ [*point, 1.0]) / (flat @ flat)
            an, at = normals @ [*moved, 1.0], tangents @ [*moved, 1.0]
            rest = np.delete(an, i)
            if (rest > 1e-6).all():
                mode = [0] * 4
                mode[i] = 2 if at[i] > 0.0 else 3
                assert tuple(mode) in found


def test_a_mode_is_found_once_and_its_generators_have_its_signs():
    rng = np.random.default_rng(3)
    for _ in range(10):
        normals, tangents, choices = arrangement(rng, 5, 3)
        faces = walk(normals, tangents, choices)
        assert len({tuple(row) for row in faces.letters.tolist()}) == len(faces.letters)
        for letters, rays, lines in zip(faces.letters, faces.rays, faces.lines, strict=True):
            an, at = (rays @ rows.T for rows in (normals, tangents))
            assert np.abs(lines @ normals[letters > 0].T).max(initial=0.0) < 1e-9
            for i, letter in enumerate(letters):
                signs = {0: (an, 1.0), 1: (at, 0.0), 2: (at, 1.0), 3: (at, -1.0)}[letter]
                values = signs[0][:, i] * (signs[1] or 1.0)
                assert (values > -1e-9).all()
                assert (values.max() > 1e-10) == (signs[1] != 0.0)
                assert letter == 0 or np.abs(an[:, i]).max() < 1e-9


def test_reactions_pick_the_faces_in_which_newtons_law_can_hold():
    """One frictionless contact under a push: it holds against a load towards it and leaves under one away from it."""
    normals, tangents = np.array([[0.0, 1.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0, 0.0]])
    edges = np.zeros((1, 2, 3))
    edges[0, :, 1] = 1.0
    for push, letter, a in ((-1.0, 1, (0.0, 0.0, 0.0)), (1.0, 0, (0.0, 1.0, 0.0))):
        faces = walk(
            normals, tangents, np.array([AT_REST]),
            edges=edges, edge_count=np.array([1]), test=np.eye(3), offset=np.array([0.0, push, 0.0]),
        )  # fmt: skip
        assert faces.letters.tolist() == [[letter]]
        (ray,) = faces.rays[0]
        assert np.allclose(ray[:-1] / ray[-1], a)


def test_room_grows_until_the_answer_fits(monkeypatch):
    rng = np.random.default_rng(0)
    normals, tangents, choices = arrangement(rng, 5, 3)
    plain = walk(normals, tangents, choices)
    asked = []
    real = kernels.enumerate_modes

    def cramped(*arrays):
        asked.append(arrays[9].shape[1])
        return (
            (-1, 0)
            if len(asked) == 1
            else (-2, 0)
            if len(asked) == 2
            else (-3, 0)
            if len(asked) == 3
            else real(*arrays)
        )

    monkeypatch.setattr(kernels, "enumerate_modes", cramped)
    again = walk(normals, tangents, choices)
    assert asked[1] == 2 * asked[0]
    assert again.letters.tolist() == plain.letters.tolist()
