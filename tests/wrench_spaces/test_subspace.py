"""Subspaces: coordinates there and back, units kept apart, and bases that are none refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import GeometryError, InputError, UnknownNameError
from holdfast.wrench_spaces import Rays, Subspace
from holdfast.wrench_spaces.subspace import AXES
from tests.referee import random_case, random_rotation


@pytest.mark.parametrize("names", list(itertools.combinations(AXES, 3)))
def test_any_three_named_axes_pick_those_entries_of_a_wrench(names: tuple[str, ...]) -> None:
    subspace = Subspace.named(",".join(names), length=0.2)
    wrench = np.zeros(6)
    at = [AXES.index(name) for name in names]
    wrench[at] = 3.0, -2.0, 5.0
    np.testing.assert_array_equal(subspace.coordinates(wrench), wrench[at])
    np.testing.assert_array_equal(subspace.wrenches([3.0, -2.0, 5.0]), wrench)
    assert subspace.units == tuple("N" if name[0] == "f" else "N m" for name in names)


def test_on_the_unit_sphere_a_torque_counts_by_the_length() -> None:
    subspace = Subspace.named(["fx", "ty", "fz"], length=0.25)
    np.testing.assert_array_equal(
        subspace.directions([[0, 1, 0], [1, 0, 0]]), [[0, 0, 0, 0, 0.25, 0], [1, 0, 0, 0, 0, 0]]
    )


def test_torques_about_a_point_are_carried_to_the_origin() -> None:
    point = np.array([0.3, -0.2, 0.5])
    subspace = Subspace.named("fx,fy,tz", length=1.0, about=point)
    wrench = subspace.wrenches([2.0, 1.0, 0.7])
    np.testing.assert_allclose(wrench[3:], np.cross(point, [2.0, 1.0, 0.0]) + [0, 0, 0.7], atol=1e-15)
    np.testing.assert_allclose(subspace.coordinates(wrench), [2.0, 1.0, 0.7], atol=1e-14)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.floats(-4, 4), st.floats(-4, 4))
def test_coordinates_of_any_basis_go_there_and_back(seed: int, force_decade: float, torque_decade: float) -> None:
    """Whatever the sizes of forces and torques, though they differ by many decades."""
    rng = np.random.default_rng(seed)
    basis = rng.normal(size=(3, 6)) * np.repeat([10.0**force_decade, 10.0**torque_decade], 3)
    subspace = Subspace.spanned(basis, length=0.1)
    wanted = rng.normal(size=(5, 3))
    np.testing.assert_allclose(subspace.coordinates(subspace.wrenches(wanted)), wanted, rtol=1e-7, atol=1e-9)
    assert subspace.contains(subspace.wrenches(wanted)).all()


def test_each_wrench_of_a_basis_has_length_one_on_the_sphere() -> None:
    basis = np.array([[3.0, 0, 4, 0, 0, 0], [0, 0, 0, 0, 2.0, 0], [1, 1, 0, 0, 0, 1.0]])
    subspace = Subspace.spanned(basis, length=0.5)
    scaled = subspace.directions(np.eye(3)) / np.repeat([1.0, 0.5], 3)
    np.testing.assert_allclose(np.linalg.norm(scaled, axis=1), 1.0)


def test_a_basis_names_units_where_it_can_and_takes_yours() -> None:
    basis = np.array([[1.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1.0, 0], [0, 0, 1, 0.1, 0, 0]])
    assert Subspace.spanned(basis, length=1.0).units == ("N", "N m", "")
    named = Subspace.spanned(basis, ["pull", "twist", "hook"], units=["N", "N m", "N"], length=1.0)
    assert (named.labels, named.units) == (("pull", "twist", "hook"), ("N", "N m", "N"))


def test_wrenches_off_the_subspace_are_named() -> None:
    subspace = Subspace.named("fx,fy,fz")
    assert subspace.contains([[1, 2, 3, 0, 0, 0], [1, 2, 3, 1e-3, 0, 0]]).tolist() == [True, False]
    with pytest.raises(InputError, match=r"wrenches\[1\].*does not lie in the subspace of fx, fy, fz"):
        subspace.coordinates([[1, 2, 3, 0, 0, 0], [1, 2, 3, 1e-3, 0, 0]])


def test_a_subspace_moves_with_the_object() -> None:
    rng = np.random.default_rng(5)
    pose = hf.Pose(random_rotation(rng), rng.normal(size=3))
    subspace = Subspace.named("fx,ty,tz", length=0.3)
    moved = subspace.moved(pose)
    np.testing.assert_allclose(moved.wrenches([1, 2, 3]), pose.wrench_transport() @ subspace.wrenches([1, 2, 3]))


def test_the_whole_of_all_wrenches_has_six_axes() -> None:
    whole = Subspace.whole(0.4)
    assert len(whole) == 6 and whole.labels == AXES
    np.testing.assert_array_equal(whole.coordinates(np.arange(6.0)), np.arange(6.0))


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_a_basis_that_is_not_three_dimensional_is_refused_with_its_rank(rank: int) -> None:
    rng = np.random.default_rng(rank)
    basis = rng.normal(size=(3, rank)) @ rng.normal(size=(rank, 6))
    with pytest.raises(GeometryError, match=rf"span {rank} dimensions.*exactly three linearly independent"):
        Subspace.spanned(basis, length=0.1)


def test_a_flat_basis_is_seen_though_torques_are_tiny() -> None:
    """Independent only by torques of a micro newton metre is independent; parallel ones are not."""
    basis = np.array([[1.0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 1, 0, 1e-6, 0, 0]])
    assert len(Subspace.spanned(basis, length=0.1)) == 3
    with pytest.raises(GeometryError, match="span 2 dimensions"):
        Subspace.spanned(np.array([[1.0, 0, 0, 1e-6, 0, 0], [2, 0, 0, 2e-6, 0, 0], [0, 1, 0, 0, 0, 0]]), length=0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Subspace.named("fx,fy,qz"), "no wrench axis 'qz'"),
        (lambda: Subspace.named(None), "subspace: is a NoneType.*give three axes"),  # pyright: ignore[reportArgumentType]
        (lambda: Subspace.named([1, 2, 3]), "subspace: is a int.*give three axes"),  # pyright: ignore[reportArgumentType]
        (lambda: Subspace.named("fx,fy"), "three different axes.*2 found"),
        (lambda: Subspace.named("fx,fy,fx"), "three different axes"),
        (lambda: Subspace.named("fx,ty,fz"), "length.*missing"),
        (lambda: Subspace.named("fx,ty,fz", length=-1.0), "length"),
        (lambda: Subspace.spanned(np.eye(6)[:2], length=1.0), "2 wrenches given span 2 dimensions"),
        (lambda: Subspace.spanned(np.eye(6)[:4], length=1.0), "4 wrenches given span 4 dimensions"),
        (lambda: Subspace.spanned(np.eye(3), length=1.0), r"the shape must be \(p, 6\)"),
        (lambda: Subspace.spanned(np.full((3, 6), np.nan), length=1.0), "is nan"),
        (lambda: Subspace.spanned(np.eye(6)[:3], ["a"], length=1.0), "labels: has 1 for 3 axes"),
        (lambda: Subspace(np.eye(6)[:3], "abc", "NNN", [1.0, 0.0, 1.0]), "scales: has 0"),
        (lambda: Subspace(np.zeros((1, 6)), "a", "N", [1.0]), "span only 0 dimensions"),
    ],
)
def test_what_is_no_subspace_is_refused(call, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_a_misspelt_axis_is_met_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        Subspace.named("fx,fyy,fz")
    assert caught.value.nearest == "fy"


def test_the_repr_is_short() -> None:
    assert repr(Subspace.named("fx,fy,fz")) == "Subspace(fx, fy, fz)"


# Rays: what they are made from, and every way to ask wrongly.

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
        (lambda: Rays(np.eye(6)[:3], FORCES, [[0, 1, 3]]), "wrong numbers of rays"),
        (lambda: Rays(np.eye(6)[:3], FORCES, [[0, 1, 1.5]]), "wrong numbers of rays"),
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
