from __future__ import annotations

import numpy as np
import pytest
from matplotlib.path import Path

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.force_limits.plots import plane_of, polygon_section, surface_outline, union_outline
from holdfast.geometry.polytopes import Polytope

PLANES = ["xz", "yz", "xy", ((1.0, 1.0, 0.0), (0.0, 0.0, 1.0)), ((1.0, 0.3, -0.2), (0.1, 0.5, 2.0))]


def radii(outline: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Farthest crossing of each ray with a closed line (m, 2): brute force over all its sides."""
    a, b = outline, np.roll(outline, -1, axis=0)
    result = np.zeros(len(angles))
    for row, angle in enumerate(angles):
        d = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-d[1], d[0]])
        ha, hb = a @ across, b @ across
        split = ha * hb < 0.0
        share = ha[split] / (ha[split] - hb[split])
        along = a[split] @ d + share * ((b[split] - a[split]) @ d)
        result[row] = along.max(initial=0.0)
    return result


@pytest.mark.parametrize("plane", PLANES)
def test_corners_of_a_section_lie_in_the_plane_and_on_the_border(dented: hf.ForceVolume, plane: object) -> None:
    flat = plane_of(plane)
    for piece in dented.polytopes:
        corners = polygon_section(piece, flat, 100.0)
        assert len(corners) >= 3
        outside = corners[np.linalg.norm(corners, axis=1) > 1e-9]
        np.testing.assert_allclose(piece.radial(outside @ flat.axes.T), 1.0, rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_section_holds_exactly_the_points_of_the_plane_that_the_set_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body = Polytope(rng.normal(size=(12, 3)) + 0.3)
    flat = plane_of((rng.normal(size=3), rng.normal(size=3)))
    corners = polygon_section(body, flat, 50.0)
    points = rng.uniform(-2.0, 2.0, size=(2000, 2))
    inside = Path(np.vstack([corners, corners[:1]])).contains_points(points) if len(corners) else np.zeros(2000, bool)
    truth = body.signed_distance(points @ flat.axes.T)
    assert (inside == (truth < 0.0))[np.abs(truth) > 1e-6].all()


def test_a_plane_that_misses_the_set_gives_nothing_and_a_face_in_the_plane_gives_the_face() -> None:
    cube = np.array([[x, y, z] for x in (0.0, 1) for y in (0.0, 1) for z in (0.0, 1)])
    assert not len(polygon_section(Polytope(cube + np.array([0, 0, 1.0])), plane_of("xy"), 10.0))
    corners = polygon_section(Polytope(cube), plane_of("xy"), 10.0)
    assert {tuple(c) for c in corners.round(9).tolist()} == {(0, 0), (1, 0), (1, 1), (0, 1)}
    square = Polytope([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    assert len(polygon_section(square, plane_of("xy"), 10.0)) == 4


def test_a_cone_is_cut_off_by_the_square(cone: hf.ForceVolume) -> None:
    corners = polygon_section(cone.polytopes[0], plane_of("xz"), 4.0)
    assert corners.max() == pytest.approx(4.0)
    assert {tuple(c) for c in corners.round(9).tolist()} == {(0, 0), (2, 4), (-2, 4)}


@pytest.mark.parametrize("plane", PLANES)
def test_the_outline_of_a_union_is_its_radial_function(dented: hf.ForceVolume, plane: object) -> None:
    flat = plane_of(plane)
    polygons = [polygon_section(p, flat, 100.0) for p in dented.polytopes]
    outline = union_outline(polygons, dented.polytopes, flat, 100.0)
    angles = np.random.default_rng(1).uniform(-np.pi, np.pi, 500)
    np.testing.assert_allclose(radii(outline, angles), dented.radial(flat.point(angles)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("plane", PLANES)
def test_the_outline_of_a_surface_is_its_radial_function(measured: hf.LimitSurface, plane: object) -> None:
    flat = plane_of(plane)
    outline = surface_outline(measured, flat, 100.0)
    angles = np.random.default_rng(2).uniform(-np.pi, np.pi, 500)
    np.testing.assert_allclose(radii(outline, angles), measured.radial(flat.point(angles)), rtol=1e-7, atol=1e-9)


def test_a_surface_without_limit_goes_on_past_the_picture() -> None:
    flat = plane_of("xz")
    shear = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.arange(12) * np.pi / 6])
    pull = np.array([[0.0, 0.0, -1.0]])
    surface = hf.LimitSurface.from_limits(np.vstack([shear, pull]), np.full(13, 2.0), compression="unlimited")
    outline = surface_outline(surface, flat, 10.0)
    assert outline[:, 1].max() > 10.0
    angles = np.radians(np.arange(-88.1, 60.0, 4.0))
    np.testing.assert_allclose(radii(outline, angles), surface.radial(flat.point(angles)), rtol=1e-9)


def test_planes_are_named_by_their_axes_with_units() -> None:
    assert plane_of("xz").names == ("shear $f_x$ [N]", "normal $f_z$ [N]")
    assert plane_of(((0, -2, 0), (0, 1, 3))).names == ("minus lateral $f_y$ [N]", "normal $f_z$ [N]")
    assert plane_of(((1, 1, 0), (0, 0, 1))).names[0] == "force along (0.71, 0.71, 0) [N]"


def test_planes_that_are_none_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="xz"):
        plane_of("zx")
    with pytest.raises(InputError, match="parallel"):
        plane_of(((1, 0, 0), (-2, 0, 0)))
    with pytest.raises(InputError, match="plane"):
        plane_of(((1, 0, 0),))
    with pytest.raises(InputError, match=r"plane\[0\]"):
        plane_of(((0, 0, 0), (1, 0, 0)))
