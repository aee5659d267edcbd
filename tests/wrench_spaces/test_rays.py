"""Rays: what they are made from, and every way to ask wrongly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import GeometryError, InputError
from holdfast.wrench_spaces import Rays, Subspace
from tests.referee import random_case, random_rotation

FORCES = Subspace.named("fx,fy,fz")
MIXED = Subspace.named("fx,ty,fz", length=0.05)


def test_an_array_is_taken_as_given() -> None:
    given_rows = np.random.default_rng(0).normal(size=(7, 6))
    np.testing.assert_array_equal(Rays(given_rows).directions, given_rows)


@pytest.mark.parametrize("row", [0, 3])
def test_a_zero_direction_is_named_by_its_row(row: int) -> None:
    directions = np.random.default_rng(0).normal(size=(5, 6))
    directions[row] = 0.0
    with pytest.raises(InputError, match=rf"directions\[{row}\]: is the zero wrench"):
        Rays(directions)


def test_several_zero_directions_are_counted() -> None:
    with pytest.raises(InputError, match=r"directions\[0\]: is the zero wrench, and so are 2 more"):
        Rays(np.zeros((3, 6)))


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.floats(-8, 8), st.floats(-5, 5))
def test_the_same_ray_at_another_length_is_repeated(seed: int, length_decade: float, torque_decade: float) -> None:
    """Whatever its length, and whatever the sizes of torques beside forces."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(8, 6)) * np.repeat([1.0, 10.0**torque_decade], 3)
    first, second = sorted(rng.choice(8, size=2, replace=False).tolist())
    assert len(Rays(directions)) == 8
    directions[second] = directions[first] * 10.0**length_decade
    with pytest.raises(InputError, match=rf"directions\[{second}\]: is on the same ray as directions\[{first}\]"):
        Rays(directions)


def test_opposite_and_nearby_directions_are_not_repeated() -> None:
    assert len(Rays([[1, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0], [1, 1e-6, 0, 0, 0, 0]])) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Rays(np.zeros((0, 6))), "is empty"),
        (lambda: Rays(np.ones((4, 5))), r"the shape must be \(n, 6\)"),
        (lambda: Rays(np.ones(6)), r"the shape must be \(n, 6\)"),
        (lambda: Rays([[1, 0, 0, 0, np.nan, 0]]), r"directions\[0, 4\]: is nan"),
        (lambda: Rays([[1, 0, 0, 0, np.inf, 0]]), r"directions\[0, 4\]: is inf"),
        (lambda: Rays([[1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]], FORCES), r"directions\[1\]: does not lie"),
        (lambda: Rays(np.eye(6), triangles=[[0, 1, 2]]), "three-dimensional subspace"),
        (lambda: Rays(np.eye(6)[:3], FORCES, [[0, 1, 3]]), "rays that are not there"),
        (lambda: Rays(np.eye(6)[:3], FORCES, [[0, 1, 1.5]]), "rays that are not there"),
        (lambda: Rays(np.eye(6), seed=-1), "seed"),
        (lambda: Rays.sphere("fx,fy,fz"), "is a str"),  # pyright: ignore[reportArgumentType]
        (lambda: Rays.spiral(FORCES, 3), "at least 6"),
        (lambda: Rays.random(random_case(0).assembly, 0, 1), "at least 1"),
    ],
)
def test_what_are_no_rays_is_refused(call, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_a_sphere_needs_three_dimensions() -> None:
    with pytest.raises(GeometryError, match="has 6 dimensions"):
        Rays.sphere(Subspace.whole(1.0))


@pytest.mark.parametrize("rays", [Rays.sphere(MIXED, 2), Rays.spiral(MIXED, 50), Rays.axes(MIXED)])
def test_rays_of_a_slice_lie_on_its_unit_sphere(rays: Rays) -> None:
    scaled = rays.directions / np.repeat([1.0, 0.05], 3)
    np.testing.assert_allclose(np.linalg.norm(scaled, axis=1), 1.0)
    np.testing.assert_allclose(rays.unit_vectors, scaled[:, [0, 4, 2]], atol=1e-14)
    assert rays.triangles is not None and len(rays.triangles) == 2 * len(rays) - 4


def test_the_axes_of_all_wrenches_come_in_pairs() -> None:
    rays = Rays.axes(length=0.1)
    np.testing.assert_array_equal(rays.directions[::2], np.diag([1, 1, 1, 0.1, 0.1, 0.1]))
    np.testing.assert_array_equal(rays.directions[1::2], -rays.directions[::2])
    assert rays.triangles is None


def test_random_rays_are_wrenches_of_contact_forces_and_repeat_by_their_seed() -> None:
    """Two contacts cannot twist about the line between them, whatever their forces."""
    volume = hf.models.coulomb(0.5, cap=1.0)
    assembly = hf.Assembly([hf.Contact([0.1, 0, 0], np.eye(3), volume), hf.Contact([-0.1, 0, 0], np.eye(3), volume)])
    rays = Rays.random(assembly, 30, seed=4)
    np.testing.assert_allclose(rays.directions[:, 3], 0.0, atol=1e-15)
    assert np.linalg.matrix_rank(rays.directions) == 5
    np.testing.assert_array_equal(Rays.random(assembly, 30, seed=4).directions, rays.directions)
    assert rays.seed == 4 and not np.array_equal(Rays.random(assembly, 30, seed=5).directions, rays.directions)


def test_rays_move_with_the_object() -> None:
    rng = np.random.default_rng(1)
    pose = hf.Pose(random_rotation(rng), rng.normal(size=3))
    rays = Rays.sphere(MIXED, 1)
    moved = rays.moved(pose)
    np.testing.assert_allclose(moved.directions, rays.directions @ pose.wrench_transport().T)
    np.testing.assert_allclose(moved.unit_vectors, rays.unit_vectors, atol=1e-12)


def test_rays_without_a_subspace_have_no_sphere() -> None:
    with pytest.raises(InputError, match="subspace"):
        _ = Rays(np.eye(6)).unit_vectors


def test_the_repr_says_how_many_and_where() -> None:
    assert repr(Rays.axes(FORCES)) == "Rays(6 in fx, fy, fz)" and repr(Rays(np.eye(6))) == "Rays(6 in R^6)"


def test_random_rays_of_no_assembly_are_refused() -> None:
    with pytest.raises(InputError, match="assembly: is a NoneType"):
        Rays.random(None, 3, 1)  # pyright: ignore[reportArgumentType]
