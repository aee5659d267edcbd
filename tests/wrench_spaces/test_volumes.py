from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import GeometryError, InputError
from holdfast.wrench_spaces.space import (
    outer_planes,
    section_area,
    section_polylines,
    slice_surface,
    slice_volume,
    volume_bounds,
)
from holdfast.wrench_spaces.subspace import Rays, Subspace
from tests.wrench_spaces.known_spaces import BOX, box_limit, box_planes, polytope_limit, space_of

FORCES = Subspace.named("fx,fy,fz")
MIXED = Subspace.named("fx,ty,fz", length=0.1)


def ball(radius: float):
    """Limits of |c / scales| <= radius in the mixed slice."""
    return lambda d: radius / np.sqrt(d[:, 0] ** 2 + (d[:, 4] / 0.1) ** 2 + d[:, 2] ** 2)


def test_an_octahedron_has_its_volume_in_the_units_of_its_axes() -> None:
    space = space_of(Rays.axes(MIXED), box_limit(BOX))
    assert slice_volume(space) == pytest.approx(4.0 / 3.0 * 4.0 * 0.4 * 2.0)
    assert volume_bounds(space).unit == "N^2 (N m)"


def test_the_volume_of_a_ball_is_approached_from_below() -> None:
    whole = 4.0 / 3.0 * np.pi * 5.0**3 * 0.1
    found = [slice_volume(space_of(Rays.sphere(MIXED, level), ball(5.0))) for level in (1, 2, 3, 4)]
    errors = 1.0 - np.array(found) / whole
    assert (errors > 0.0).all() and (errors[1:] < 0.3 * errors[:-1]).all()
    assert errors[-1] < 0.01


def test_a_spanned_subspace_counts_in_its_own_coordinates() -> None:
    basis = np.zeros((3, 6))
    basis[0, :2], basis[1, 1], basis[2, 2] = 2.0, 1.0, 1.0  # not square to each other, nor of length one
    subspace = Subspace.spanned(basis, length=0.1)
    cube = polytope_limit(np.concatenate([np.eye(6), -np.eye(6)]), np.ones(12))
    rays = Rays.sphere(subspace, 5)
    # |2a| <= 1, |2a + b| <= 1, |c| <= 1: the determinant of the basis is 2, so that the cube's 8 become 4.
    assert slice_volume(space_of(rays, cube)) == pytest.approx(4.0, rel=0.01)


def test_bounds_of_a_box_enclose_it_and_the_outer_one_is_exact() -> None:
    bounds = volume_bounds(space_of(Rays.sphere(MIXED, 3), box_limit(BOX), box_planes(BOX)))
    whole = 8.0 * 4.0 * 0.4 * 2.0
    assert bounds.outer == pytest.approx(whole, rel=1e-9)
    assert 0.8 * whole < bounds.inner <= whole * (1 + 1e-12)
    assert bounds.surface == pytest.approx(bounds.inner, rel=0.02)


@pytest.mark.parametrize("seed", range(5))
def test_bounds_of_random_polytopes_enclose_their_volume(seed: int) -> None:
    from scipy.spatial import ConvexHull, HalfspaceIntersection

    rng = np.random.default_rng(seed)
    normals = rng.normal(size=(30, 6))
    normals[:, 3:] = 0.0
    offsets = rng.uniform(0.5, 3.0, 30)
    limit = polytope_limit(normals, offsets)

    def planes(directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        active = ((directions @ normals.T) / offsets).argmax(axis=1)
        return normals[active], offsets[active]

    rays = Rays.sphere(FORCES, 3)
    bounds = volume_bounds(space_of(rays, limit, planes))
    corners = HalfspaceIntersection(np.column_stack([normals[:, :3], -offsets]), np.zeros(3)).intersections
    whole = ConvexHull(corners).volume
    assert bounds.surface <= bounds.inner * (1 + 1e-9)
    assert bounds.inner <= whole * (1 + 1e-9) <= bounds.outer * (1 + 2e-9)
    assert bounds.outer == pytest.approx(whole, rel=1e-3)


def test_a_union_has_no_inner_bound_and_the_outer_one_still_holds() -> None:
    bounds = volume_bounds(space_of(Rays.sphere(FORCES, 2), box_limit(BOX), box_planes(BOX), convex=False))
    assert np.isnan(bounds.inner) and bounds.outer == pytest.approx(8 * 24.0)
    hull = volume_bounds(
        space_of(Rays.sphere(FORCES, 2), box_limit(BOX), box_planes(BOX), convex=False, volumes="hull")
    )
    assert hull.inner > 0.0


def test_without_limit_the_volume_is_infinite_and_a_flat_slice_has_none() -> None:
    half = BOX.copy()
    half[1] = np.inf
    open_space = space_of(Rays.sphere(FORCES, 2), box_limit(half))
    assert slice_volume(open_space) == np.inf
    assert volume_bounds(open_space).outer == np.inf  # not one plane is known
    prism = np.eye(6)[[0, 0, 2, 2]] * np.array([[1.0], [-1.0], [1.0], [-1.0]])
    some = space_of(Rays.sphere(FORCES, 1), box_limit(half), lambda d: (np.resize(prism, d.shape), np.ones(len(d))))
    assert volume_bounds(some).outer == np.inf
    half[1] = 0.0
    flat = space_of(
        Rays.axes(FORCES), lambda d: np.where(d[:, 1] != 0.0, 0.0, 2.0), box_planes(BOX * [1, 1e-12, 1, 1, 1, 1])
    )
    bounds = volume_bounds(flat)
    assert bounds.surface == bounds.inner == bounds.outer == 0.0


def test_what_needs_a_load_to_hold_is_bounded_by_its_own_points_not_by_zero() -> None:
    low, high = np.array([1.0, -1.0, -1.0]), np.array([3.0, 1.0, 1.0])  # a cube beside zero, 8 N^3

    def limit(directions: np.ndarray) -> np.ndarray:
        """The largest t, of either sign, with t d in the cube; -inf where the line misses it."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.sort([low / directions[:, :3], high / directions[:, :3]], axis=0)
        first, last = ends[0].max(axis=1), ends[1].min(axis=1)
        return np.where(first <= last, last, -np.inf)

    space = space_of(Rays.sphere(FORCES, 4), limit, star_shaped=False)
    assert np.isneginf(space.values).any() and (space.values[np.isfinite(space.values)] < 0.0).any()
    assert 4.0 < volume_bounds(space).inner <= 8.0 + 1e-9  # with zero it would be more


def test_planes_that_only_rounding_closes_are_open_and_contradictory_ones_leave_nothing() -> None:
    box = np.concatenate([np.eye(6)[[0, 1, 2]], -np.eye(6)[[0, 1, 2]]])
    needle = box.copy()
    needle[0] = [1e-9, 1.0, 0.0, 0.0, 0.0, 0.0]  # nothing stops fx but a plane all but along it
    for normals, offsets, wanted in ((box, np.ones(6), 8.0), (needle, np.ones(6), np.inf), (box, -np.ones(6), 0.0)):
        space = space_of(Rays.axes(FORCES), box_limit(BOX), lambda d, n=normals, o=offsets: (n, o))
        assert volume_bounds(space).outer == pytest.approx(wanted)


def test_planes_across_the_slice_say_nothing_about_it() -> None:
    rays = Rays.axes(FORCES)
    normals = np.eye(6)  # three cross the slice, three do not
    space = space_of(rays, box_limit(BOX), lambda d: (normals, BOX))
    found, offsets = outer_planes(space)
    np.testing.assert_allclose(found, np.eye(3))
    np.testing.assert_allclose(offsets, BOX[:3])


@pytest.mark.parametrize("value", [-4.2, -1.0, 0.0, 2.5])
def test_sections_of_a_ball_are_circles(value: float) -> None:
    surface = slice_surface(space_of(Rays.sphere(FORCES, 4), lambda d: 5.0 / np.linalg.norm(d, axis=1)))
    (line,) = section_polylines(surface, 1, value)
    np.testing.assert_array_equal(line[0], line[-1])
    np.testing.assert_allclose(line[:, 1], value, atol=1e-12)
    radius = np.sqrt(25.0 - value**2)
    assert np.hypot(line[:, 0], line[:, 2]) == pytest.approx(radius, rel=0.01)
    assert section_area(line, 1) == pytest.approx(np.pi * radius**2, rel=0.01)


def test_a_section_through_corners_and_edges_closes() -> None:
    surface = slice_surface(space_of(Rays.axes(FORCES), box_limit(BOX)))  # four corners lie in the plane fy = 0
    (line,) = section_polylines(surface, 1, 0.0)
    assert section_area(line, 1) == pytest.approx(2.0 * 4.0 * 2.0)
    assert len(line) == 5
    assert section_polylines(surface, 1, 3.0001) == []


def test_a_dumbbell_is_cut_in_two_places() -> None:
    surface = slice_surface(
        space_of(Rays.sphere(FORCES, 4), lambda d: 0.3 + 4.0 * d[:, 0] ** 4 / (d**2).sum(axis=1) ** 2)
    )
    lines = section_polylines(surface, 2, 0.35)
    assert len(lines) == 2
    assert all(section_area(line, 2) > 0.0 for line in lines)
    assert sorted(np.sign(line[:, 0].mean()) for line in lines) == [-1.0, 1.0]


def test_volume_is_what_sections_add_up_to() -> None:
    surface = slice_surface(space_of(Rays.sphere(FORCES, 3), lambda d: 1.0 + 2.0 * d[:, 0] ** 2))
    levels = np.linspace(-3.0, 3.0, 241)
    areas = [sum(section_area(line, 0) for line in section_polylines(surface, 0, level)) for level in levels]
    space = space_of(Rays.sphere(FORCES, 3), lambda d: 1.0 + 2.0 * d[:, 0] ** 2)
    assert np.trapezoid(areas, levels) == pytest.approx(slice_volume(space), rel=1e-3)


def test_unlimited_rays_are_cut_off_where_wanted() -> None:
    half = BOX.copy()
    half[1] = np.inf
    surface = slice_surface(space_of(Rays.sphere(FORCES, 3), box_limit(half)))
    with pytest.raises(GeometryError, match="a section needs an end"):
        section_polylines(surface, 0, 0.0)
    (line,) = section_polylines(surface, 0, 0.0, cap=10.0)
    assert line[:, 1].max() == pytest.approx(10.0)
    with pytest.raises(InputError, match="0, 1 or 2"):
        section_polylines(surface, 3, 0.0)
