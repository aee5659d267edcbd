"""Subspaces: coordinates there and back, units kept apart, and bases that are none refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import GeometryError, InputError, UnknownNameError
from holdfast.wrench_spaces.subspace import AXES, Subspace
from tests.referee import random_rotation


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
        (lambda: Subspace.named(None), "subspace: is a NoneType.*name three axes"),  # pyright: ignore[reportArgumentType]
        (lambda: Subspace.named([1, 2, 3]), "subspace: is a int.*name three axes"),  # pyright: ignore[reportArgumentType]
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
