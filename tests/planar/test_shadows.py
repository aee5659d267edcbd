"""Shadows against linear programs over the points that cast them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast.planar.polyhedra import Polyhedron, irredundant, shadow


def reaches(polyhedron: Polyhedron, point: np.ndarray, kept: int) -> float:
    """Largest slack <= 1 of the strict rows over a point of the shadow; -inf if nothing stands over it."""
    size = polyhedron.ambient_dimension
    fixed = np.hstack([np.eye(kept), np.zeros((kept, size - kept + 1))])
    equal = np.vstack([fixed, np.column_stack([polyhedron.C, np.zeros(len(polyhedron.C))])])
    answer = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=np.column_stack([-polyhedron.A, polyhedron.strict.astype(float)]),
        b_ub=-polyhedron.b,
        A_eq=equal,
        b_eq=np.concatenate([point, polyhedron.d]),
        bounds=[(None, None)] * size + [(None, 1.0)],
    )
    return -float(answer.fun) if answer.status == 0 else -np.inf


@pytest.mark.parametrize("seed", range(30))
def test_a_point_is_in_the_shadow_when_something_stands_over_it(seed):
    rng = np.random.default_rng(seed)
    size, kept, rows = int(rng.integers(3, 6)), int(rng.integers(1, 3)), int(rng.integers(2, 8))
    A = rng.normal(size=(rows, size))
    C = rng.normal(size=(int(rng.integers(0, 2)), size))
    body = Polyhedron(A, rng.normal(size=rows) - 0.5, C, rng.normal(size=len(C)), strict=rng.random(rows) < 0.5)
    cast = shadow(body, slice(0, kept))
    for point in rng.normal(size=(12, kept)) * 2.0:
        slack = reaches(body, point, kept)
        if not 0.0 <= slack < 1e-6:
            assert bool(cast.contains(point)) == (slack > 0.0)


def test_a_direction_that_casts_no_shadow_widens_nothing():
    """A column {0 <= x <= 1, y >= 0, any z} leaning by rounding only: its shadow on x is the segment."""
    body = Polyhedron([[1, 1e-16, 0], [-1, -1e-16, 0], [0, 1, 0]], [0.0, -1.0, 0.0])
    cast = shadow(body, [0])
    assert sorted(zip(cast.A.ravel(), cast.b, strict=True)) == [(-1.0, -1.0), (1.0, 0.0)]


def test_open_sides_stay_open_and_spare_rows_go():
    body = Polyhedron([[1.0], [1.0], [-1.0]], [0.0, -1.0, -2.0], strict=[True, True, False])
    few = irredundant(body)
    assert sorted(zip(few.A.ravel(), few.b, few.strict, strict=True)) == [(-1.0, -2.0, False), (1.0, 0.0, True)]


def test_shadows_of_the_empty_set_and_on_nothing():
    assert shadow(Polyhedron([[1.0], [-1.0]], [1.0, 0.0]), [0]).is_empty
    assert not shadow(Polyhedron([[1.0]], [0.0]), []).is_empty
