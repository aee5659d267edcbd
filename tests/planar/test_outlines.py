from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import GeometryError, InputError
from holdfast.planar.bodies import PlanarOutline, crossings, edge_distances


def test_mass_properties_of_rectangle_and_triangle_are_the_closed_forms():
    w, h = 0.3, 0.8
    box = PlanarOutline.rectangle(w, h, (5.0, -2.0), 0.7)
    assert box.area == pytest.approx(w * h)
    np.testing.assert_allclose(box.centroid, [5.0, -2.0])
    assert box.radius_of_gyration == pytest.approx(np.sqrt((w**2 + h**2) / 12.0))
    triangle = PlanarOutline([(0, 0), (3, 0), (0, 2)])
    np.testing.assert_allclose(triangle.centroid, [1.0, 2.0 / 3.0])
    assert triangle.radius_of_gyration == pytest.approx(np.sqrt((3**2 + 2**2) / 18.0))
    assert triangle.body(density=2.0).mass == pytest.approx(6.0)
    assert triangle.body(mass=1.5).radius_of_gyration == triangle.radius_of_gyration


def test_mass_properties_of_a_body_with_a_notch_are_those_of_its_parts_far_from_the_origin():
    offset = np.array([1e3, -2e3])
    ell = PlanarOutline(np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]) + offset)
    parts = [(2.0, np.array([1.0, 0.5]), (4 + 1) / 12), (2.0, np.array([0.5, 2.0]), (1 + 4) / 12)]
    centre = sum(a * c for a, c, _ in parts) / 4.0
    moment = sum(a * (own + ((c - centre) ** 2).sum()) for a, c, own in parts)
    np.testing.assert_allclose(ell.centroid, centre + offset, rtol=1e-12)
    assert ell.radius_of_gyration == pytest.approx(np.sqrt(moment / 4.0), rel=1e-9)
    np.testing.assert_array_equal(ell.is_convex_corner, [True, True, True, False, True, True])


def test_clockwise_corners_are_turned_round_and_a_closing_corner_is_dropped():
    given = [(0, 0), (0, 1), (1, 1), (1, 0), (0, 0)]
    outline = PlanarOutline(given)
    assert len(outline) == 4 and outline.area == pytest.approx(1.0)
    # Normals point out: a step along each leaves the square.
    middles = 0.5 * (outline.vertices + outline.ends)
    assert not outline.contains(middles + 1e-6 * outline.normals).any()
    assert outline.contains(middles - 1e-6 * outline.normals).all()


def test_membership_and_distance_agree_with_fine_sampling():
    star = PlanarOutline([(0, 0), (2, 0.5), (4, 0), (3, 2), (4, 4), (2, 3), (0, 4), (1, 2)])
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 5, (200, 2))
    border = np.concatenate([a + np.linspace(0, 1, 2001)[:, None] * (b - a) for a, b in zip(star.vertices, star.ends)])  # noqa: B905
    wanted = np.array([np.linalg.norm(border - p, axis=1).min() for p in points])
    np.testing.assert_allclose(star.distances(points), wanted, atol=2e-3)
    winding = []
    for p in points:
        angles = np.arctan2(*(border - p).T[::-1])
        winding.append(np.abs((np.diff(np.unwrap(angles))).sum()) > np.pi)
    np.testing.assert_array_equal(star.contains(points), winding)
    assert edge_distances(points, star).shape == (200, 8)


def test_crossings_are_shares_of_both_edges_and_parallel_ones_have_none():
    a = PlanarOutline.rectangle(2.0, 2.0)
    b = PlanarOutline.rectangle(2.0, 2.0, (1.0, 1.0))
    s, t = crossings(a, b)
    assert np.isnan(s[0, 0])
    # a's right edge (x = 1, y from -1 to 1) is cut in its middle by b's lower edge (y = 0, x from 0 to 2).
    assert (s[1, 0], t[1, 0]) == (pytest.approx(0.5), pytest.approx(0.5))


def test_ground_has_its_face_through_the_point_with_the_normal_out():
    ground = PlanarOutline.ground((1.0, 2.0), (3.0, 4.0), 5.0, 0.5)
    face = int(np.argmax(ground.normals @ [0.6, 0.8]))
    np.testing.assert_allclose(ground.normals[face], [0.6, 0.8])
    np.testing.assert_allclose(0.5 * (ground.vertices[face] + ground.ends[face]), [1.0, 2.0])
    assert ground.area == pytest.approx(10.0 * 0.5)


def test_turning_about_a_point_keeps_it():
    box = PlanarOutline.rectangle(1.0, 1.0, (0.5, 0.5))
    turned = box.moved((2.0, 0.0), np.pi / 2, about=(1.0, 0.0))
    assert np.abs(turned.vertices - [3.0, 0.0]).max(axis=1).min() < 1e-12
    np.testing.assert_allclose(turned.centroid, [2.5, -0.5])


@pytest.mark.parametrize(
    ("vertices", "what"),
    [
        ([(0, 0), (1, 0)], "2 corners"),
        ([(0, 0), (1, 0), (2, 0)], "no area"),
        ([(0, 0), (0, 0), (1, 0), (1, 1)], "twice"),
        ([(0, 0), (2, 2), (2, 0), (0, 1)], "edges 0 and 2 meet"),
        ([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)], "edges 0 and 2 meet"),
        ([(0, 0), (2, 0), (2, 2), (1, 1e-12), (0, 2)], "corner 3 touches edge 0"),
    ],
)
def test_corners_that_are_no_simple_polygon_are_named(vertices, what):
    with pytest.raises(GeometryError, match=what):
        PlanarOutline(vertices)


def test_a_plate_needs_a_mass_or_a_density_and_not_both():
    for given in ({}, {"mass": 1.0, "density": 1.0}):
        with pytest.raises(InputError, match="mass or a density"):
            PlanarOutline.rectangle(1, 1).body(**given)
