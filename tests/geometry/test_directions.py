"""Sphere samplings: regular, closed, and all on the sphere."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.geometry import directions as sampling


def assert_closed_sphere(points: np.ndarray, triangles: np.ndarray) -> None:
    """Every edge is shared by two triangles that run along it in opposite ways; solid angles add up to a full sphere."""
    edges = [(int(a), int(b)) for t in triangles for a, b in zip(t, np.roll(t, -1), strict=True)]
    assert len(set(edges)) == len(edges) and {(b, a) for a, b in edges} == set(edges)
    assert len(points) - len(edges) // 2 + len(triangles) == 2  # Euler
    a, b, c = (points[triangles[:, i]] for i in range(3))
    triple = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = 1 + (a * b).sum(1) + (b * c).sum(1) + (c * a).sum(1)
    angles = 2 * np.arctan2(triple, below)  # van Oosterom and Strackee
    assert (angles > 0.0).all() and angles.sum() == pytest.approx(4 * np.pi)


@pytest.mark.parametrize("level", range(4))
def test_a_regular_sphere_is_closed_and_even(level: int) -> None:
    points, triangles = sampling.icosphere(level)
    assert len(points) == 10 * 4**level + 2 and len(triangles) == 20 * 4**level
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0)
    assert_closed_sphere(points, triangles)
    edges = np.linalg.norm(points[triangles] - points[np.roll(triangles, 1, axis=1)], axis=2)
    assert edges.max() / edges.min() < 1.25


def test_a_finer_sphere_begins_with_the_coarser_one() -> None:
    coarse, fine = sampling.icosphere(1)[0], sampling.icosphere(3)[0]
    np.testing.assert_array_equal(fine[: len(coarse)], coarse)


def test_a_regular_sphere_is_its_own_mirror_image() -> None:
    """So that a symmetric assembly is sampled symmetrically: every direction has its opposite."""
    points = sampling.icosphere(2)[0]
    nearest = np.linalg.norm(points[:, None] + points[None], axis=2).min(axis=1)
    assert nearest.max() < 1e-12


@pytest.mark.parametrize("n", [6, 17, 200])
def test_a_spiral_is_closed(n: int) -> None:
    points, triangles = sampling.spiral(n)
    assert len(points) == n
    assert_closed_sphere(points, triangles)


def test_the_octahedron_is_closed() -> None:
    points, triangles = sampling.octahedron()
    assert_closed_sphere(points, triangles)
    np.testing.assert_array_equal(points[::2], np.eye(3))


def test_patches_are_compact_and_leave_nothing_out() -> None:
    points = sampling.icosphere(3)[0]
    order = sampling.patches(points, 64)
    assert sorted(order.tolist()) == list(range(len(points)))
    chunks = [points[order[i : i + 64]] for i in range(0, len(points), 64)]
    widths = [float(np.linalg.norm(c - c.mean(axis=0), axis=1).max()) for c in chunks]
    assert max(widths) < 0.95  # a round patch of 64 of 642 has a radius of 0.6, the sphere one of 1


def test_patches_do_not_hang_on_rounding() -> None:
    points = sampling.icosphere(2)[0]
    noise = 1e-14 * np.random.default_rng(0).normal(size=points.shape)
    np.testing.assert_array_equal(sampling.patches(points, 20), sampling.patches(points + noise, 20))


def test_midpoints_lie_half_way_on_the_sphere() -> None:
    points = np.eye(3)
    middle = sampling.midpoints(points, np.array([[0, 1], [1, 2]]))
    np.testing.assert_allclose(middle, np.array([[1, 1, 0], [0, 1, 1]]) / np.sqrt(2))


@pytest.mark.parametrize(
    "call", [lambda: sampling.icosphere(-1), lambda: sampling.icosphere(40), lambda: sampling.spiral(5)]
)
def test_impossible_samplings_are_refused(call) -> None:
    with pytest.raises(InputError):
        call()
