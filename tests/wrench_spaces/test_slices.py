from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import GeometryError, InputError
from holdfast.wrench_spaces.space import slice_surface
from holdfast.wrench_spaces.subspace import Rays, Subspace
from tests.wrench_spaces.known_spaces import BOX, box_limit, space_of

MIXED = Subspace.named("fx,ty,fz", length=0.1)


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
    with pytest.raises(InputError, match="no triangulated slice"):
        slice_surface(space_of(Rays.axes(), box_limit(BOX)))
