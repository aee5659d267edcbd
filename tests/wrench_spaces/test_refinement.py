"""Refinement: bends are seen where they are, rays go there, and the surface gets as exact as it says."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.papers.devices import two_opposed_units
from holdfast.wrench_spaces import Rays, Refinement, Subspace, WrenchSpace, wrench_space
from holdfast.wrench_spaces.computation import bends, new_directions
from tests.geometry.test_directions import assert_closed_sphere
from tests.wrench_spaces.known_spaces import space_of

FORCES = Subspace.named("fx,fy,fz")


def octahedron_limit(directions: np.ndarray) -> np.ndarray:
    """|fx| + |fy| + |fz| <= 1."""
    return 1.0 / np.abs(directions[:, :3]).sum(axis=1)


def box_space(refinement: Refinement | None, level: int = 1) -> WrenchSpace:
    """One contact that holds up to 3, 2 and 1 N along x, y and z."""
    corners = np.array([3.0, 2.0, 1.0]) * [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([corners]))])
    return wrench_space(assembly, Rays.sphere(FORCES, level), refinement=refinement, workers=1)


def box_limit(directions: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return (np.array([3.0, 2.0, 1.0]) / np.abs(directions)).min(axis=1)


def test_a_flat_face_does_not_bend_and_its_edges_do() -> None:
    space = space_of(Rays.sphere(FORCES, 2), octahedron_limit)
    triangles = np.asarray(space.triangles)
    bend = bends(space)
    signs = np.sign(np.round(space.directions[:, :3], 12))
    for i, triangle in enumerate(triangles):
        for j in range(3):
            edge = set(triangle) - {triangle[j]}
            far = next(set(t) - edge for t in triangles if edge < set(t) and set(t) != set(triangle))
            octants = signs[[*triangle, *far]]
            flat = not ((octants.min(axis=0) < 0) & (octants.max(axis=0) > 0)).any()
            assert bend[i, j] < 1e-12 if flat else bend[i, j] > 1e-3


def test_the_bend_of_a_kink_bounds_how_far_the_surface_is_off_its_triangles() -> None:
    space = box_space(None, 2)
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(4000, 3))
    wrenches = np.hstack([directions, np.zeros_like(directions)])
    off = np.abs(space.estimate(wrenches) / box_limit(directions) - 1.0)
    assert off.max() <= space.bend


@pytest.mark.parametrize("tolerance", [0.05, 0.02])
def test_the_refined_surface_is_as_exact_as_was_asked_for(tolerance: float) -> None:
    space = box_space(Refinement(tolerance=tolerance, rounds=8))
    assert space.bend <= tolerance
    directions = np.random.default_rng(1).normal(size=(5000, 3))
    wrenches = np.hstack([directions, np.zeros_like(directions)])
    off = np.abs(space.estimate(wrenches) / box_limit(directions) - 1.0)
    assert off.max() <= tolerance
    assert space.verify()


def test_rays_go_where_the_surface_bends() -> None:
    """After a few rounds most rays lie near the box's edges, and the middles of its faces have hardly any."""
    space = box_space(Refinement(tolerance=0.02, rounds=5))
    loads = np.abs(np.sort(np.abs(space.coordinates / [3.0, 2.0, 1.0]), axis=1))
    near_edge = loads[:, 1] > 0.8  # the second largest share is close to its limit, too
    assert near_edge.mean() > 0.5
    directions = np.random.default_rng(2).normal(size=(4000, 3))
    points = np.sort(np.abs(box_limit(directions)[:, None] * directions / [3.0, 2.0, 1.0]), axis=1)
    assert (points[:, 1] > 0.8).mean() < 0.35  # of evenly spread rays


def test_every_round_leaves_one_closed_surface_that_begins_with_the_old_rays() -> None:
    coarse = box_space(None)
    for rounds in (1, 2, 3):
        space = box_space(Refinement(rounds=rounds))
        assert_closed_sphere(space.rays.unit_vectors, np.asarray(space.triangles))
        np.testing.assert_array_equal(space.directions[: len(coarse)], coarse.directions)


def test_refinement_is_the_same_every_time() -> None:
    first, second = (box_space(Refinement(rounds=3)) for _ in range(2))
    assert first.directions.tobytes() == second.directions.tobytes()
    assert np.asarray(first.triangles).tobytes() == np.asarray(second.triangles).tobytes()


def test_no_more_rays_than_allowed_and_the_worst_bends_first() -> None:
    coarse = box_space(None)
    assert len(box_space(Refinement(rounds=4, most=100))) == 100
    assert len(box_space(Refinement(rounds=0))) == len(coarse)
    few = new_directions(coarse, Refinement(most=len(coarse) + 5))
    assert len(few) == 5
    worst = bends(coarse).max()
    chosen = [
        t for t, bend in zip(np.asarray(coarse.triangles), bends(coarse).max(axis=1), strict=True) if bend == worst
    ]
    middles = coarse.rays.unit_vectors[np.array(chosen)]
    assert np.linalg.norm(middles.reshape(-1, 1, 3) - few[None, :, :3], axis=2).min() < 1.0


def test_what_is_flat_enough_is_left_alone() -> None:
    space = space_of(Rays.sphere(FORCES, 2), lambda d: 1.0 / np.linalg.norm(d[:, :3], axis=1))
    assert 0.0 < space.bend < 0.05
    assert not len(new_directions(space, Refinement(tolerance=space.bend)))


def test_directions_without_a_limit_do_not_bend_and_their_border_does() -> None:
    """Pushed down it holds any load, sideways up to 1 N, and up nothing."""

    def limit(directions: np.ndarray) -> np.ndarray:
        z = directions[:, 2]
        return np.where(z < -0.5, np.inf, np.where(z > 0.5, 0.0, 1.0))

    space = space_of(Rays.sphere(FORCES, 2), limit)
    corners = limit(space.directions)[np.asarray(space.triangles)]
    bend = bends(space).max(axis=1)
    neighbours = bends(space)
    assert (neighbours[(corners == np.inf).all(axis=1)] <= 1.0).all()
    assert bend[(corners == 0.0).any(axis=1) & (corners == 1.0).any(axis=1)].min() == 1.0
    inside = (corners == np.inf).all(axis=1)
    assert (bend[inside] == 0.0).any()


def test_a_device_is_refined_with_torques_scaled() -> None:
    assembly = two_opposed_units().assembly()
    rays = Rays.sphere(Subspace.named("fx,ty,fz", length=assembly.length), 1)
    space = wrench_space(assembly, rays, refinement=Refinement(tolerance=0.1, rounds=2), workers=1)
    assert len(space) > len(rays) and space.bend < wrench_space(assembly, rays, workers=1).bend
    assert space.verify()


def test_a_space_without_triangles_has_no_bend() -> None:
    with pytest.raises(InputError, match="has no surface"):
        bends(space_of(Rays(np.eye(6)), lambda d: np.ones(len(d))))


@pytest.mark.parametrize("changes", [{"tolerance": 0.0}, {"tolerance": 2.0}, {"rounds": -1}, {"most": 0}])
def test_impossible_refinements_are_refused(changes: dict) -> None:
    with pytest.raises(InputError):
        Refinement(**changes)
