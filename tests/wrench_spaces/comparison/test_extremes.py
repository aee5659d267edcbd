from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast.assembly.loads import sphere_directions
from holdfast.wrench_spaces.comparison import search

Ask = Callable[[np.ndarray], Any]


def polytope(normals: np.ndarray, offsets: np.ndarray) -> Ask:
    """Radial extent of {x: normals x <= offsets}, with the face that ends each ray."""

    def ask(units: np.ndarray) -> Any:
        slopes = units @ normals.T
        with np.errstate(divide="ignore"):
            reach = np.where(slopes > 0.0, offsets / np.maximum(slopes, 1e-300), np.inf)
        face = reach.argmin(axis=1)
        return SimpleNamespace(values=reach.min(axis=1), normals=normals[face])

    return ask


def faces(dimension: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    normals = rng.normal(size=(count, dimension))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return np.concatenate([normals, np.eye(dimension), -np.eye(dimension)]), rng.uniform(
        1.0, 6.0, count + 2 * dimension
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_weakest_direction_of_a_polytope_is_its_nearest_face(seed: int) -> None:
    """The ray along the normal of a face ends at its plane's foot point: the least radius is the least offset."""
    normals, offsets = faces(3, 30, seed)
    ask = polytope(normals, offsets)
    units = sphere_directions(160)
    found, _ = search(ask, np.eye(3), units, ask(units).values, largest=False)
    assert ask(found[None]).values[0] == pytest.approx(offsets.min(), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_strongest_direction_of_a_polytope_is_its_farthest_corner(seed: int) -> None:
    normals, offsets = faces(3, 6, seed)
    ask = polytope(normals, offsets)
    units = sphere_directions(640)
    found, _ = search(ask, np.eye(3), units, ask(units).values, largest=True)
    outside = [linprog(-u, A_ub=normals, b_ub=offsets, bounds=(None, None)).x for u in sphere_directions(300)]
    farthest = max(np.linalg.norm(corner) for corner in outside)
    assert ask(found[None]).values[0] == pytest.approx(farthest, rel=1e-2)


def test_a_dent_is_found_that_no_plane_of_the_hull_shows() -> None:
    """A ball with a narrow dent: its normals point outwards and lead nowhere, the pattern search goes in."""

    def ask(units: np.ndarray) -> Any:
        depth = np.exp(-((np.arccos(np.clip(units @ dent, -1, 1)) / 0.3) ** 2))
        return SimpleNamespace(values=5.0 - 4.0 * depth, normals=units)

    dent = np.array([1.0, 2.0, -2.0]) / 3.0
    units = sphere_directions(160)
    found, asked = search(ask, np.eye(3), units, ask(units).values, largest=False)
    assert found @ dent == pytest.approx(1.0, abs=1e-5)
    assert asked < 2000


def test_rays_without_limit_are_no_weakness_and_the_utmost_strength() -> None:
    units = sphere_directions(160)

    def ask(directions: np.ndarray) -> Any:
        values = np.where(directions[:, 2] > 0.2, np.inf, 2.0 + directions[:, 2])
        return SimpleNamespace(values=values, normals=np.full((len(directions), 3), np.nan))

    weakest, _ = search(ask, np.eye(3), units, ask(units).values, largest=False)
    np.testing.assert_allclose(weakest, [0, 0, -1], atol=2e-2)
    strongest, asked = search(ask, np.eye(3), units, ask(units).values, largest=True)
    assert strongest[2] > 0.2 and asked == 0


def test_where_every_ray_is_without_limit_any_will_do() -> None:
    units = sphere_directions(12)

    def ask(directions: np.ndarray) -> Any:
        return SimpleNamespace(values=np.full(len(directions), np.inf), normals=np.full((len(directions), 3), np.nan))

    found, _ = search(ask, np.eye(3), units, ask(units).values, largest=False)
    assert np.linalg.norm(found) == pytest.approx(1.0)
