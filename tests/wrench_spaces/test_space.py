"""WrenchSpace: what it is made of, in the units it says."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import holdfast as hf
from holdfast.devices import two_finger_gripper
from holdfast.errors import GeometryError, InputError
from holdfast.solvers.certificates import offsets_of
from holdfast.wrench_spaces import Rays, Subspace, WrenchSpace, wrench_space
from holdfast.wrench_spaces.space import (
    balance_residuals,
    held_by,
    outer_offsets,
    outer_planes,
    planes_are_outer,
    section_area,
    section_polylines,
    slice_surface,
    slice_volume,
    volume_bounds,
)
from tests.referee import dented_unit, random_case, random_unit_case
from tests.wrench_spaces.known_spaces import BOX, box_limit, box_planes, largest, polytope_limit, space_of

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
    hull = wrench_space(gripper.assembly, gripper.rays, side="outer", workers=1)
    worst = int((hull.values / gripper.values).argmax())
    assert hull.values[worst] > 1.001 * gripper.values[worst]
    assert hull.ray(worst).value == pytest.approx(hull.values[worst], rel=2e-6)
    assert hull.held_assembly.fingerprint != hull.model_hash == gripper.model_hash


def test_without_its_assembly_it_cannot_be_asked(gripper: WrenchSpace) -> None:
    alone = replace(gripper, assembly=None)
    assert not alone.verify()
    for ask in (lambda: alone.ray(0), alone.faults, lambda: alone.held_assembly):
        with pytest.raises(InputError, match=r"assembly: is unknown.*WrenchSpace\.load"):
            ask()


def test_without_a_subspace_there_are_no_coordinates() -> None:
    with pytest.raises(InputError, match="subspace"):
        _ = space_of(Rays(np.eye(6)), lambda d: np.ones(len(d))).coordinates


def test_a_space_survives_pickling(gripper: WrenchSpace) -> None:
    again = pickle.loads(pickle.dumps(gripper))
    np.testing.assert_array_equal(again.values, gripper.values)
    assert again.verify() and again.status[0] is hf.Status.OPTIMAL


def test_the_repr_says_what_came_out(gripper: WrenchSpace) -> None:
    assert repr(gripper) == "WrenchSpace(Rays(42 in fx, ty, fz), inner: 42 optimal)" and len(gripper) == 42


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


def test_the_surface_goes_through_the_limits_in_their_own_units() -> None:
    space = space_of(Rays.sphere(MIXED, 2), box_limit(BOX))
    surface = slice_surface(space)
    np.testing.assert_allclose(surface.points, space.coordinates, atol=1e-12)
    assert np.abs(surface.points / BOX[[0, 4, 2]]).max(axis=1) == pytest.approx(1.0)  # every point is on the box


def test_directions_of_any_length_give_the_same_surface() -> None:
    rays = Rays.sphere(MIXED, 1)
    longer = Rays(rays.directions * np.linspace(0.1, 9.0, len(rays))[:, None], MIXED, rays.triangles)
    first, second = (slice_surface(space_of(r, box_limit(BOX))) for r in (rays, longer))
    np.testing.assert_allclose(first.points, second.points, atol=1e-12)


def test_gauge_and_radial_of_an_octahedron_are_exact_between_the_rays() -> None:
    space = space_of(Rays.axes(MIXED), box_limit(BOX))  # flat between six rays: an octahedron with the box's extents
    surface = slice_surface(space)
    points = np.random.default_rng(1).normal(size=(200, 3)) * [3.0, 0.3, 2.0]
    use = np.abs(points / BOX[[0, 4, 2]]).sum(axis=1)
    np.testing.assert_allclose(surface.gauge(points), use)
    np.testing.assert_allclose(surface.radial(points), 1.0 / use)
    np.testing.assert_array_equal(surface.contains(points), use <= 1.0)
    assert 10 < (use <= 1.0).sum() < 190
    assert surface.contains(np.zeros(3)) and surface.gauge(np.zeros(3)) == 0.0


def test_no_limit_and_no_strength_are_known_at_both_ends() -> None:
    half = np.array([4.0, np.inf, 2.0, 1.0, 1.0, 1.0])
    surface = slice_surface(space_of(Rays.axes(Subspace.named("fx,fy,fz")), box_limit(half)))
    assert surface.radial([0.0, 5.0, 0.0]) == np.inf
    assert surface.radial([1.0, 5.0, 0.0]) == pytest.approx(4.0)  # a prism along fy
    with pytest.raises(GeometryError, match=r"2 of 6 rays have no limit.*cap="):
        surface.bounded(None, purpose="a mesh")
    assert surface.bounded(10.0, purpose="a mesh").radii.max() == 10.0
    weak = slice_surface(space_of(Rays.axes(MIXED), lambda d: np.where(d[:, 0] > 0.0, 3.0, -np.inf)))
    assert weak.radial([1.0, 0.0, 0.0]) == 3.0
    assert not weak.contains([-1.0, 0.0, 0.0]) and not weak.contains([1.0, 0.1, 0.0])


def test_rays_without_triangles_have_no_surface() -> None:
    with pytest.raises(InputError, match="not a triangulated slice"):
        slice_surface(space_of(Rays.axes(), box_limit(BOX)))


FORCES = Subspace.named("fx,fy,fz")


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
    hull = volume_bounds(space_of(Rays.sphere(FORCES, 2), box_limit(BOX), box_planes(BOX), convex=False, side="outer"))
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
    with pytest.raises(GeometryError, match="a section needs a bounded surface"):
        section_polylines(surface, 0, 0.0)
    (line,) = section_polylines(surface, 0, 0.0, cap=10.0)
    assert line[:, 1].max() == pytest.approx(10.0)
    with pytest.raises(InputError, match="0, 1 or 2"):
        section_polylines(surface, 3, 0.0)


# Checks of inner points and outer planes find what was tampered with.


@pytest.fixture(scope="module")
def space() -> WrenchSpace:
    assembly = two_finger_gripper().assembly()
    return wrench_space(assembly, Rays.random(assembly, 12, seed=3), workers=1)


def test_a_sound_space_has_no_faults(space: WrenchSpace) -> None:
    assert space.verify() and space.faults().none and len(space.faults().rays) == 0


def test_a_value_too_large_is_found(space: WrenchSpace) -> None:
    values = space.values.copy()
    values[4] *= 1 + 1e-6
    faults = replace(space, values=values).faults()
    assert faults.inner.tolist() == [4] and not len(faults.outer)
    assert not replace(space, values=values).verify()


def test_a_force_outside_its_piece_is_found(space: WrenchSpace) -> None:
    """Squeezing harder at two contacts may still balance; the volumes say no."""
    assert space.forces is not None and space.pieces is not None
    wrong = space.pieces.copy()
    loaded = int(np.linalg.norm(space.forces[2], axis=1).argmax())
    wrong[2, loaded] = (wrong[2, loaded] + 1) % 4
    assert 2 in replace(space, pieces=wrong).faults().inner
    wrong[2, loaded] = 99
    assert replace(space, pieces=wrong).faults().inner.tolist() == [2]
    wrong[2, loaded] = -1
    assert replace(space, pieces=wrong).faults().inner.tolist() == [2]


def test_points_of_a_unit_in_different_pieces_are_found(space: WrenchSpace) -> None:
    """Forces of zero lie in every piece; yet a unit has one."""
    assert space.forces is not None and space.pieces is not None and space.assembly is not None
    assert [len(unit) for unit in space.assembly.layout.units] == [4, 4]
    forces, pieces, values = space.forces.copy(), space.pieces.copy(), space.values.copy()
    forces[3], values[3], pieces[3] = 0.0, 0.0, 0
    free = hf.Assembly(space.assembly.contacts)
    assert 3 not in replace(space, assembly=free, forces=forces, pieces=pieces, values=values).faults().inner
    pieces[3, 5] = 1
    assert 3 in replace(space, assembly=free, forces=forces, pieces=pieces, values=values).faults().inner


@pytest.mark.parametrize("seed", [0, 1, 4, 5, 8, 9])
def test_planes_bound_what_units_hold_and_not_what_their_points_would_hold_alone(seed: int) -> None:
    case = random_unit_case(seed)
    rng, r = np.random.default_rng(seed), 0 if case.assembly.joints is None else len(case.assembly.joints)
    normals, weights = rng.normal(size=(20, 6)), rng.normal(size=(20, r)) * 0.1
    if case.assembly.joints is not None:
        weights = np.where(np.isfinite(case.assembly.joints.lower + case.assembly.joints.upper), weights, 0.0)
    offsets, _ = outer_offsets(case.assembly, normals, weights)
    apart, _ = outer_offsets(
        hf.Assembly([replace(c, unit=None) for c in case.assembly.contacts], case.assembly.joints), normals, weights
    )
    assert (offsets <= apart * (1 + 1e-12) + 1e-12).all()
    layout, centre = case.assembly.layout, case.assembly.positions.mean(axis=0)
    y = -np.column_stack([normals[:, :3] + np.cross(normals[:, 3:], centre), normals[:, 3:]])
    multipliers = np.column_stack([y, weights]) / layout.row_scale
    np.testing.assert_allclose(offsets, offsets_of(layout, multipliers), rtol=1e-9, atol=1e-9)


def test_a_joint_pushed_too_hard_is_found(space: WrenchSpace) -> None:
    assert space.assembly is not None and space.assembly.joints is not None
    joints = space.assembly.joints
    weaker = hf.JointRows(joints.jacobian, 0.5 * joints.lower, 0.5 * joints.upper)
    faults = replace(space, assembly=hf.Assembly(space.assembly.contacts, weaker)).faults()
    assert len(faults.inner) and not len(faults.outer)


def test_a_plane_too_near_is_found(space: WrenchSpace) -> None:
    offsets = space.offsets.copy()
    offsets[7] *= 1 - 1e-6
    assert replace(space, offsets=offsets).faults().outer.tolist() == [7]
    normals = space.normals.copy()
    normals[1] += 0.05 * np.abs(normals[1]).max()
    assert 1 in replace(space, normals=normals).faults().outer


def test_planes_of_a_weaker_assembly_are_not_those_of_a_stronger_one(space: WrenchSpace) -> None:
    assert space.assembly is not None
    volumes = {id(c.volume): c.volume.scaled(1.01) for c in space.assembly.contacts}
    contacts = [replace(c, volume=volumes[id(c.volume)]) for c in space.assembly.contacts]
    faults = replace(space, assembly=hf.Assembly(contacts, space.assembly.joints)).faults()
    assert len(faults.outer) and not len(faults.inner)


def test_what_is_missing_is_not_proven(space: WrenchSpace) -> None:
    assert replace(space, forces=None).faults().inner.tolist() == list(range(len(space)))
    assert replace(space, joint_multipliers=None).faults().outer.tolist() == list(range(len(space)))


def test_undecided_rays_are_listed(space: WrenchSpace) -> None:
    status = space.status.copy()
    status[5] = hf.Status.UNDECIDED
    faults = replace(space, status=status).faults()
    assert faults.undecided.tolist() == [5] and faults.rays.tolist() == [5]
    assert repr(faults) == "Faults(0 inner, 0 outer, 1 undecided)"


@settings(max_examples=15)
@given(st.integers(0, 3000))
def test_fresh_offsets_are_never_below_what_is_held(seed: int) -> None:
    """Any normal with any multipliers of the joint rows bounds what the mixed-integer program finds along it."""
    case = random_case(3 * seed, most_choices=16)
    rng = np.random.default_rng(seed)
    rows = 0 if case.assembly.joints is None else len(case.assembly.joints.lower)
    normals, multipliers = rng.normal(size=(3, 6)) * np.repeat([1, 10], 3), rng.normal(size=(3, rows)) * 3
    offsets, _ = outer_offsets(case.assembly, normals, multipliers)
    for normal, offset in zip(normals, offsets, strict=True):
        most = largest(case.assembly, np.eye(6), normal)
        assert most <= offset + 1e-7 * abs(offset)


def test_multipliers_on_an_unlimited_joint_prove_nothing() -> None:
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1, 1) for z in (-1, 1)])
    contact = hf.Contact([0, 0, 0], np.eye(3), hf.ForceVolume([corners]))
    assembly = hf.Assembly([contact], hf.JointRows([[1.0, 0, 0]], [-np.inf], [2.0]))
    normals = np.array([[1.0, 0, 0, 0, 0, 0]] * 2)
    offsets, _ = outer_offsets(assembly, normals, np.array([[0.5], [-0.5]]))
    assert offsets[0] == np.inf and offsets[1] == pytest.approx(1.5 + 1.0)
    assert planes_are_outer(assembly, normals, np.array([1e9, 2.5]), np.array([[0.5], [-0.5]])).tolist() == [
        False,
        True,
    ]


def test_a_normal_that_climbs_a_cone_proves_nothing() -> None:
    contact = hf.Contact([0.1, 0, 0], np.eye(3), hf.models.coulomb(0.5))
    normals = np.array([[0, 0, 1.0, 0, 0, 0], [0, 0, -1.0, 0, 0, 0]])
    offsets, _ = outer_offsets(hf.Assembly([contact]), normals, np.zeros((2, 0)))
    np.testing.assert_allclose(offsets, [0.0, np.inf], atol=1e-12)


def test_balances_are_those_of_one_force_at_a_time(space: WrenchSpace) -> None:
    from holdfast.statics.holding import balance_residual

    assert space.assembly is not None and space.forces is not None
    wrenches = space.points + 0.1
    one_by_one = [balance_residual(space.assembly, f, w) for f, w in zip(space.forces, wrenches, strict=True)]
    np.testing.assert_allclose(balance_residuals(space.assembly, space.forces, wrenches), one_by_one)


def test_the_hulls_planes_are_the_tightest(space: WrenchSpace) -> None:
    """The support of the hulls' wrench space along a plane's normal, by scipy on weights of vertices, is its offset."""
    assembly = space.assembly
    assert assembly is not None and assembly.joints is not None
    columns, ones, gains = [], [], []
    for i, contact in enumerate(assembly.contacts):
        forces = np.concatenate(contact.volume.pieces) @ contact.rotation.T
        wrenches = np.hstack([forces, np.cross(contact.position, forces)])
        columns.append(assembly.joints.jacobian[:, 3 * i : 3 * i + 3] @ forces.T)
        gains.append(-wrenches)
        ones += [i] * len(forces)
    weights = (np.array(ones)[None] == np.arange(len(assembly))[:, None]).astype(float)
    rows = np.hstack(columns)
    for normal, offset in list(zip(space.normals, space.offsets, strict=True))[:4]:
        found = linprog(
            -np.concatenate(gains) @ normal,
            A_ub=np.vstack([rows, -rows]),
            b_ub=np.concatenate([assembly.joints.upper, -assembly.joints.lower]),
            A_eq=weights,
            b_eq=np.ones(len(assembly)),
        )
        assert offset == pytest.approx(-found.fun, rel=1e-6)


@pytest.mark.parametrize("contacts", [1, 2])
def test_contacts_in_one_point_away_from_the_origin_prove_their_planes(contacts: int) -> None:
    volume = hf.ForceVolume([np.array([[x, 2 * y, 3 * z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)])
    assembly = hf.Assembly([hf.Contact((0.1, 0.2, 0.3), np.eye(3), volume)] * contacts)
    space = hf.wrench_space(assembly, hf.wrench_spaces.Rays.sphere(hf.wrench_spaces.Subspace.named("fx,fy,fz"), 1))
    assert space.verify() and space.faults().none
    shrunk = replace(space, offsets=space.offsets - 1e-6)
    assert not shrunk.verify()  # a plane a millionth of a newton too near is still found out


UNIT = hf.Assembly([hf.Contact((0, 0, 0), np.eye(3), dented_unit())])


def test_the_union_is_the_assembly_itself_and_the_hull_has_one_piece_a_contact() -> None:
    assert held_by(UNIT, "inner") is UNIT
    assert [len(contact.volume) for contact in held_by(UNIT, "outer").contacts] == [1]


def test_other_volumes_and_what_is_no_assembly_are_refused() -> None:
    with pytest.raises(InputError, match="no side"):
        held_by(UNIT, "convex")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="holdfast.Assembly"):
        held_by("gripper", "inner")  # pyright: ignore[reportArgumentType]
