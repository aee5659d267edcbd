"""WrenchSpace: what it is made of, in the units it says."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.papers.devices import two_finger_gripper
from holdfast.wrench_spaces import Rays, Subspace, WrenchSpace, wrench_space
from tests.wrench_spaces.known_spaces import BOX, box_limit, space_of

MIXED = Subspace.named("fx,ty,fz", length=0.1)


@pytest.fixture(scope="module")
def gripper() -> WrenchSpace:
    assembly = two_finger_gripper().assembly()
    return wrench_space(assembly, Rays.sphere(Subspace.named("fx,ty,fz", length=assembly.length), 1), workers=1)


def test_points_are_multiples_of_the_directions_and_coordinates_their_physical_units() -> None:
    space = space_of(Rays.axes(MIXED), lambda d: np.arange(1.0, 7.0))
    np.testing.assert_allclose(space.points, np.arange(1.0, 7.0)[:, None] * space.directions)
    np.testing.assert_allclose(
        space.coordinates, [[1, 0, 0], [-2, 0, 0], [0, 0.3, 0], [0, -0.4, 0], [0, 0, 5], [0, 0, -6]], atol=1e-15
    )


def test_points_without_a_limit_are_nowhere() -> None:
    space = space_of(Rays.axes(MIXED), lambda d: np.array([np.inf, 1, -np.inf, 1, 1, 1]))
    assert np.isnan(space.points).all(axis=1).tolist() == [True, False, True, False, False, False]
    assert np.isnan(space.coordinates).all(axis=1).tolist() == [True, False, True, False, False, False]


def test_a_ray_in_full_has_the_spaces_value_and_a_certificate(gripper: WrenchSpace) -> None:
    for index in (0, 17, 41):
        limit = gripper.ray(index)
        assert limit.value == pytest.approx(gripper.values[index], rel=2e-6)
        assert limit.verify() and limit.certificate is not None
        assert gripper.upper_bounds[index] >= limit.value * (1 - 1e-9)


def test_rays_of_hulls_are_asked_of_hulls(gripper: WrenchSpace) -> None:
    assert gripper.assembly is not None
    hull = wrench_space(gripper.assembly, gripper.rays, volumes="hull", workers=1)
    worst = int((hull.values / gripper.values).argmax())
    assert hull.values[worst] > 1.001 * gripper.values[worst]
    assert hull.ray(worst).value == pytest.approx(hull.values[worst], rel=2e-6)
    assert hull.held_assembly.fingerprint != hull.model_hash == gripper.model_hash


def test_without_its_assembly_it_cannot_be_asked(gripper: WrenchSpace) -> None:
    alone = replace(gripper, assembly=None)
    for ask in (lambda: alone.ray(0), alone.verify, lambda: alone.held_assembly):
        with pytest.raises(InputError, match=r"assembly: is not known.*WrenchSpace\.load"):
            ask()


def test_without_a_subspace_there_are_no_coordinates() -> None:
    with pytest.raises(InputError, match="subspace"):
        _ = space_of(Rays(np.eye(6)), lambda d: np.ones(len(d))).coordinates


def test_a_space_survives_pickling(gripper: WrenchSpace) -> None:
    again = pickle.loads(pickle.dumps(gripper))
    np.testing.assert_array_equal(again.values, gripper.values)
    assert again.verify() and again.status[0] is hf.Status.OPTIMAL


def test_the_repr_says_what_came_out(gripper: WrenchSpace) -> None:
    assert repr(gripper) == "WrenchSpace(Rays(42 in fx, ty, fz), union: 42 optimal)" and len(gripper) == 42


# -- estimates between rays: exact on flat faces, inner for convex spaces, silent where nothing is known -----------

SHARES = np.array([4.0, 0.4, 2.0])  # limits along fx, ty, fz


def octahedron(directions: np.ndarray) -> np.ndarray:
    """|fx| / 4 + |ty| / 0.4 + |fz| / 2 <= 1."""
    return 1.0 / (np.abs(directions[:, [0, 4, 2]]) / SHARES).sum(axis=1)


def loads(n: int, seed: int) -> np.ndarray:
    return MIXED.directions(np.random.default_rng(seed).normal(size=(n, 3)))


def test_a_flat_face_is_met_exactly() -> None:
    """From the six axes alone: the faces of an octahedron are the triangles between them."""
    space = space_of(Rays.axes(MIXED), octahedron)
    np.testing.assert_allclose(space.estimate(loads(200, 0)), octahedron(loads(200, 0)))


def test_on_the_rays_the_estimate_is_the_value_and_counts_multiples() -> None:
    space = space_of(Rays.sphere(MIXED, 2), box_limit(BOX))
    np.testing.assert_allclose(space.estimate(2.5 * space.directions), space.values / 2.5)


def test_of_a_convex_space_the_estimate_is_inner() -> None:
    space = space_of(Rays.spiral(MIXED, 80), box_limit(BOX))
    with np.errstate(divide="ignore"):
        exact = box_limit(BOX)(loads(500, 1))
    estimate = space.estimate(loads(500, 1))
    assert (estimate <= exact * (1 + 1e-12)).all() and (estimate >= 0.5 * exact).all()


def test_between_rays_without_a_limit_there_is_none() -> None:
    space = space_of(Rays.sphere(MIXED, 2), lambda d: np.where(d[:, 2] < -0.3, np.inf, 2.0))
    down = MIXED.directions([[0.05, 0.03, -1.0]])
    assert space.estimate(down).tolist() == [np.inf]
    assert space.estimate(np.zeros((1, 6))).tolist() == [np.inf]


def test_beside_a_ray_that_holds_nothing_the_estimate_is_silent() -> None:
    space = space_of(Rays.axes(MIXED), lambda d: np.where(d[:, 2] > 0.5, 0.0, 1.0))
    assert np.isnan(space.estimate(MIXED.directions([[0.1, 0.1, 1.0]]))).all()
    assert np.isfinite(space.estimate(MIXED.directions([[0.1, 0.1, -1.0], [1.0, 0.2, 0.0]]))).all()


def test_where_only_the_opposite_load_is_held_the_estimate_is_silent() -> None:
    space = space_of(Rays.axes(MIXED), lambda d: np.where(d[:, 0] > 0.5, -1.0, 2.0), star_shaped=False)
    assert np.isnan(space.estimate(MIXED.directions([[1.0, 0.1, 0.1], [-1.0, 0.1, 0.1]]))).tolist() == [True, False]


def test_estimates_need_a_slice_and_wrenches_in_it() -> None:
    with pytest.raises(InputError, match="no surface"):
        space_of(Rays(np.eye(6)), lambda d: np.ones(len(d))).estimate(np.eye(6))
    with pytest.raises(InputError, match=r"wrenches\[1\].*does not lie in the subspace"):
        space_of(Rays.axes(MIXED), octahedron).estimate(np.eye(6))


@pytest.mark.parametrize("index", [10**6, 42, -43, 1.5, None, True])
def test_a_ray_that_is_none_is_named_with_how_many_there_are(gripper: WrenchSpace, index) -> None:
    with pytest.raises(InputError, match=f"index: is {index}.*42 rays"):
        gripper.ray(index)


def test_a_difference_from_no_space_is_refused(gripper: WrenchSpace) -> None:
    with pytest.raises(InputError, match="is a NoneType.*WrenchSpace"):
        gripper.difference(None)  # pyright: ignore[reportArgumentType]
