"""Focus zones against closed forms and points drawn at random, and projections against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from holdfast.errors import InputError
from holdfast.grasps.candidates import CONTACT_INSET, LOST_INSET, axis_interval, project, zones
from holdfast.grasps.regions import left_normals
from tests.grasps.drawn_shapes import regular


def sides(n, which, radius=40.0, length=None, shift=(0.0, 0.0)):
    """Sides of a regular polygon as segments, shortened about their middles to `length`."""
    corners = regular(n, radius).border
    ends = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)[list(which)]
    if length is not None:
        middle = ends.mean(axis=1, keepdims=True)
        ends = middle + (ends - middle) * length / np.linalg.norm(ends[:, 1:] - ends[:, :1], axis=2, keepdims=True)
    return ends + np.asarray(shift)


def in_strip(points, segment, mu):
    start, end = segment
    length = np.linalg.norm(end - start)
    along = (end - start) / length
    across = np.array([-along[1], along[0]])
    u, h = (points - start) @ along, (points - start) @ across
    return (h >= 0) & (u >= -mu * h) & (u <= length + mu * h)


def area_of(polygon):
    after = np.roll(polygon, -1, axis=0)
    return (polygon[:, 0] * after[:, 1] - polygon[:, 1] * after[:, 0]).sum() / 2


@pytest.mark.parametrize("length", [4.0, 10.0, 16.0])
def test_three_strips_at_120_degrees_meet_in_a_regular_hexagon(length):
    (zone,) = zones(sides(6, (0, 2, 4), length=length)[None])
    assert zone.kind == "perpendiculars"
    # strips of width w about lines through the centre: a hexagon of inradius w / 2
    assert len(zone.vertices) == 6
    np.testing.assert_allclose(np.linalg.norm(zone.vertices, axis=1), length / np.sqrt(3), rtol=1e-9)
    assert area_of(zone.vertices) == pytest.approx(np.sqrt(3) / 2 * length**2, rel=1e-9)
    np.testing.assert_allclose(zone.centroid, 0.0, atol=1e-9)


def test_two_facing_sides_of_a_square_and_a_third_meet_in_a_square():
    (zone,) = zones(sides(4, (0, 1, 2), length=12.0, shift=(3, 4))[None])
    assert area_of(zone.vertices) == pytest.approx(144.0, rel=1e-9)
    np.testing.assert_allclose(zone.centroid, (3, 4), atol=1e-9)


def test_where_no_perpendiculars_meet_friction_cones_may():
    ends = sides(6, (0, 2, 4), length=4.0)
    ends[0] += 8.0 * (ends[0, 1] - ends[0, 0]) / 4.0  # its strip passes the crossing of the other two
    (strips,) = zones(ends[None], mu=1e-9)
    (cones,) = zones(ends[None], mu=0.4)
    assert strips.kind == "empty"
    assert np.isnan(strips.centroid).all()
    assert cones.kind == "friction_cones"
    assert len(strips.vertices) == 0


@pytest.mark.parametrize("seed", range(12))
def test_zones_hold_exactly_the_points_that_all_three_regions_see(seed):
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0, 2 * np.pi, 3))
    middle = 30 * np.column_stack([np.cos(angle), np.sin(angle)])
    turn = angle + np.pi / 2 + rng.normal(0, 0.3, 3)
    half = rng.uniform(4, 15, (3, 1)) * np.column_stack([np.cos(turn), np.sin(turn)])
    ends = np.stack([middle - half, middle + half], axis=1)
    (zone,) = zones(ends[None], mu=0.4)
    points = rng.uniform(-60, 60, (4000, 2))
    kinds = {"perpendiculars": 0.0, "friction_cones": 0.4, "empty": 0.4}
    seen = np.all([in_strip(points, s, kinds[zone.kind]) for s in ends], axis=0)
    if zone.kind == "empty":
        assert not seen.any()
        return
    hull = ConvexHull(zone.vertices)
    inside = (points @ hull.equations[:, :2].T + hull.equations[:, 2] <= 0).all(axis=1)
    np.testing.assert_array_equal(inside, seen)
    assert area_of(zone.vertices) == pytest.approx(hull.volume, rel=1e-9)
    if seen.sum() > 200:
        np.testing.assert_allclose(zone.centroid, points[seen].mean(axis=0), atol=5.0 / np.sqrt(seen.sum()) * 5)
    if zone.kind == "friction_cones":
        assert not np.all([in_strip(points, s, 0.0) for s in ends], axis=0).any()


def test_mirrored_regions_have_mirrored_zones():
    rng = np.random.default_rng(4)
    ends = sides(6, (0, 2, 4), length=12.0) + rng.normal(0, 1.0, (3, 1, 2))
    (a,), (b,) = zones(ends[None]), zones((ends[:, ::-1] * [-1, 1])[None])
    np.testing.assert_allclose(a.centroid * [-1, 1], b.centroid, atol=1e-9)


def test_projections_are_the_nearest_points_kept_inside():
    rng = np.random.default_rng(1)
    focus, ends = rng.normal(0, 10, (50, 2)), rng.normal(0, 30, (50, 3, 2, 2))
    contacts, lost = project(focus, ends)
    fine = np.linspace(0, 1, 2001)[:, None]
    for g in range(50):
        for i in range(3):
            a, b = ends[g, i]
            length = np.linalg.norm(b - a)
            near = a + fine * (b - a)
            wanted = near[np.linalg.norm(near - focus[g], axis=1).argmin()]
            assert np.linalg.norm(contacts[g, i] - wanted) <= CONTACT_INSET + length / 2000
            along = (contacts[g, i] - a) @ (b - a) / length
            assert CONTACT_INSET - 1e-9 <= along <= length - CONTACT_INSET + 1e-9
            share = (focus[g] - a) @ (b - a) / length**2
            assert lost[g, i] == (share < 0 or share > 1)


def test_a_smaller_inset_lets_contacts_reach_the_ends():
    ends = np.array([[[[0, 0], [10, 0]], [[0, 20], [10, 20]], [[30, 0], [30, 0.2]]]], dtype=float)
    contacts, lost = project([[-5.0, 5.0]], ends, inset=LOST_INSET)
    np.testing.assert_allclose(contacts[0, :, 0], [LOST_INSET, LOST_INSET, 30])
    np.testing.assert_array_equal(lost, [[True, True, True]])
    contacts, _ = project([[5.0, 5.0]], ends)
    np.testing.assert_allclose(contacts[0], [[5, 0], [5, 20], [30, 0.1]])  # shorter than both insets: its middle


def test_a_virtual_grasp_keeps_its_axis_and_its_fingers_apart():
    thumb, shared = np.array([[-30.0, 0], [30, 0]]), np.array([[40.0, 50], [-40, 50]])
    ends = np.array([[thumb, shared, shared]])
    contacts, lost = project([[3.0, 25.0]], ends, virtual=[True], pivot_offset=25.0)
    # h = +y: finger 2 stands left of it
    np.testing.assert_allclose(contacts[0], [[3, 0], [-22, 50], [28, 50]], atol=1e-9)
    assert not lost.any()
    _, lost = project([[20.0, 25.0]], ends, virtual=True, pivot_offset=25.0)
    np.testing.assert_array_equal(lost, [[False, False, True]])
    low, high, inset = axis_interval(thumb, shared, np.array([0.0, 1.0]), 25.0)
    assert (low, high, inset) == pytest.approx((-14.7, 14.7, 0.3))


def test_normals_are_left_of_segments():
    np.testing.assert_allclose(left_normals(np.array([[0.0, 0], [2, 0]])), [0, 1])
    ends = sides(5, range(5))
    np.testing.assert_allclose(left_normals(ends), -ends.mean(axis=1) / np.linalg.norm(ends.mean(axis=1)[0]), atol=1e-9)


def test_shapes_are_checked():
    with pytest.raises(InputError):
        project(np.zeros((2, 2)), np.zeros((3, 3, 2, 2)))
    with pytest.raises(InputError):
        zones(np.zeros((3, 2, 2)))
    with pytest.raises(InputError):
        project([[np.nan, 0]], np.zeros((1, 3, 2, 2)))
