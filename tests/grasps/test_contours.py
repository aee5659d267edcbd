"""Contours: moments against closed forms, faults found by brute force, traced outlines against true ones.

Smoothed contours: circles stay circles of a known radius, corners bend by a known peak.

Crossings of rings against every pair of edges in exact rational arithmetic.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import GeometryError, InputError
from holdfast.grasps.contours import (
    Contour,
    contains,
    distance_to_outline,
    first_crossing,
    resampled,
    smoothed,
    smoothed_ring,
)
from holdfast.grasps.segmentation import segment, trace
from tests.grasps.drawn_shapes import SHAPES, disc, polygon, rectangle, regular, trefoil
from tests.nightly import nightly_after

SQUARE = np.array([[0.0, 0], [10, 0], [10, 10], [0, 10]])


def test_moments_of_a_rectangle_are_those_of_its_closed_form():
    contour = Contour.from_points(rectangle(60, 20).turned(0.4).moved(5, -7).border)
    assert contour.area == pytest.approx(1200, rel=1e-12)
    np.testing.assert_allclose(contour.centroid, (5, -7), atol=1e-12)
    # a side of length a has variance a^2 / 12, an ellipse's full axis d has d^2 / 16
    assert contour.major_axis == pytest.approx(60 * 4 / np.sqrt(12), rel=1e-12)
    assert contour.minor_axis == pytest.approx(20 * 4 / np.sqrt(12), rel=1e-12)
    assert contour.perimeter == pytest.approx(160, rel=1e-12)


def test_an_ellipses_axes_are_its_own():
    turn = np.linspace(0, 2 * np.pi, 4000, endpoint=False)
    contour = Contour.from_points(np.column_stack([30 * np.cos(turn), 12 * np.sin(turn)]))
    assert (contour.major_axis, contour.minor_axis) == pytest.approx((60, 24), rel=1e-5)


def test_holes_are_taken_off_every_moment():
    outer, hole = SQUARE * 4, SQUARE + 22
    contour = Contour.from_points(outer, [hole])
    assert contour.area == pytest.approx(1500)
    np.testing.assert_allclose(contour.centroid, (np.array([20, 20]) * 1600 - np.array([27, 27]) * 100) / 1500)
    # against many points drawn inside
    points = np.random.default_rng(0).uniform(0, 40, (200_000, 2))
    kept = points[~contains(contour.holes[0], points)]
    spread = np.linalg.eigvalsh(np.cov(kept.T))
    assert (contour.minor_axis, contour.major_axis) == pytest.approx(tuple(4 * np.sqrt(spread)), rel=5e-3)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("turned", [1, -1])
def test_rings_come_out_in_their_directions_without_repetitions(closed, turned):
    outer = np.vstack([SQUARE, SQUARE[:1]]) if closed else SQUARE
    contour = Contour.from_points(outer[::turned], [(SQUARE / 4 + 1)[::turned]])
    assert len(contour.outer) == 4
    for ring, sign in ((contour.outer, 1), (contour.holes[0], -1)):
        after = np.roll(ring, -1, axis=0)
        assert sign * (ring[:, 0] * after[:, 1] - ring[:, 1] * after[:, 0]).sum() > 0
        assert not ring.flags.writeable


@pytest.mark.parametrize(
    "outer, holes, words",
    [
        ([[0, 0], [10, 10], [10, 0], [0, 10]], (), "intersects itself"),
        ([[0, 0], [10, 0], [5, 0], [5, 5]], (), "intersects itself"),
        ([[0, 0], [10, 0], [10, 10], [5, 0], [0, 10]], (), "intersects itself"),
        ([[0, 0], [1, 1], [2, 2], [1, 1.0]], (), "has no area"),
        ([[0, 0], [10, 0], [20, 0]], (), "has no area"),
        ([[0, 0], [50, 50], [50, 0], [0, 50]], (), r"edge 0 meets edge 2 at \(25, 25\) mm"),
        ([[0, 0], [50, 0], [50, 50], [80, 50], [50, 50], [0, 50]], (), r"\(80, 50\) mm, a spike without area"),
        ([[0, 0], [50, 0], [50, 50], [0, 50], [0, 40], [50, 10], [0, 10]], (), r"at \(50, 10\)"),
        ([[0, 0], [1, 1]], (), "distinct points"),
        ([[0, 0], [0, 0], [0, 0]], (), "distinct points"),
        (np.zeros((0, 2)), (), "distinct points"),
        (SQUARE, [SQUARE + 5], "intersects itself"),
        (SQUARE, [SQUARE / 4 + 20], "outside"),
        (SQUARE, [SQUARE / 2 + 1, SQUARE / 8 + 2], "another hole"),
        (SQUARE * 1000, (), "wide"),
    ],
)
def test_rings_that_bound_no_part_are_refused(outer, holes, words):
    with pytest.raises(GeometryError, match=words) as error:
        Contour.from_points(outer, holes)
    assert error.value.fix


@pytest.mark.parametrize("bad", [[[0, 0], [1, np.nan], [1, 1]], [1, 2, 3], [[1, 2, 3]], "abc", [[np.inf, 0]] * 3])
def test_what_is_not_points_is_refused(bad):
    with pytest.raises(InputError):
        Contour.from_points(bad)


@given(st.integers(0, 10_000))
def test_points_lie_inside_as_winding_numbers_say(seed):
    rng = np.random.default_rng(seed)
    ring = np.cumsum(rng.normal(size=(12, 2)), axis=0)
    points = rng.normal(size=(20, 2)) * 3
    towards = ring[None] - points[:, None]
    angles = np.arctan2(towards[..., 1], towards[..., 0])
    turns = (np.roll(angles, -1, axis=1) - angles + np.pi) % (2 * np.pi) - np.pi
    odd = np.round(turns.sum(axis=1) / (2 * np.pi)).astype(int) % 2 == 1
    np.testing.assert_array_equal(contains(ring, points), odd)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("change", ["as it is", "turned", "mirrored", "fine", "moved"])
def test_traced_outlines_have_the_true_area_and_lie_on_the_true_border(name, change):
    shape, scale, size = SHAPES[name], 0.5, (260, 280)
    if change == "turned":
        shape = shape.turned(np.radians(37))
    elif change == "mirrored":
        shape = shape.mirrored()
    elif change == "moved":
        shape = shape.moved(3.37, -2.19)
    elif change == "fine":
        scale, size = 0.25, (520, 560)
    contour = trace(segment(shape.drawn(scale, size), mm_per_px=scale), scale)
    drawn = coverage_area(shape, scale, size)
    assert contour.area == pytest.approx(shape.area, rel=5e-4)
    assert contour.area == pytest.approx(drawn, rel=5e-4)
    assert shape.distance(contour.outer).max() < 0.4 * scale
    assert not contour.holes


def coverage_area(shape, scale, size):
    grey = shape.drawn(scale, size, dark=0.0, bright=1.0)
    return (1.0 - grey).sum() * scale**2


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_blurring_does_not_shrink_small_discs(noise):
    rng = np.random.default_rng(3)
    for radius in (8.0, 15.0):
        areas = []
        for dx in (0.0, 0.13, 0.31):
            grey = disc(radius).moved(dx, -dx / 2).drawn(size=(90, 90)) + noise * rng.normal(size=(90, 90))
            areas.append(trace(segment(grey, mm_per_px=0.5), 0.5).area)
        assert np.mean(areas) == pytest.approx(np.pi * radius**2, rel=2e-3 if noise == 0.0 else 2e-2)


def test_a_traced_outline_is_a_valid_contour():
    grey = regular(6).drawn() + 0.08 * np.random.default_rng(2).normal(size=(260, 280))
    found = trace(segment(grey, mm_per_px=0.5), 0.5)
    again = Contour.from_points(found.outer, found.holes)
    assert again.area == pytest.approx(found.area, rel=1e-9)


def test_a_scale_that_makes_a_part_as_large_as_a_house_is_refused():
    found = segment(regular(6).drawn(), mm_per_px=0.5)
    with pytest.raises(InputError, match="wide") as error:
        trace(found, 50.0)
    assert error.value.where == "mm_per_px"


@pytest.mark.parametrize("radius", [5.0, 20.0, 60.0])
@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0])
def test_a_circle_shrinks_by_the_gaussians_share_and_is_convex(radius, sigma):
    turn = np.linspace(0, 2 * np.pi, 4000, endpoint=False)
    circle = radius * np.column_stack([np.cos(turn), np.sin(turn)])
    smooth = smoothed(Contour.from_points(circle + [3, 4]), sigma=sigma)
    shrunk = radius * np.exp(-0.5 * (sigma / radius) ** 2)
    np.testing.assert_allclose(np.linalg.norm(smooth.points - [3, 4], axis=1), shrunk, rtol=1e-4)
    # gently bent rings are taken for what they were before smoothing
    gentle = sigma < 0.09 * radius
    np.testing.assert_allclose(smooth.curvature, -1.0 / (radius if gentle else shrunk), rtol=5e-3)
    np.testing.assert_allclose(smooth.normals, ([3, 4] - smooth.points) / shrunk, atol=2e-3)
    assert smooth.step == pytest.approx(0.5, rel=0.02)
    assert smooth.perimeter == pytest.approx(2 * np.pi * radius, rel=1e-5)


@pytest.mark.parametrize("sides", [3, 4, 6, 8, 12])
def test_a_corners_peak_is_the_smoothed_tangents_turning(sides):
    sigma, turn = 1.0, 2 * np.pi / sides
    smooth = smoothed(Contour.from_points(regular(sides, 60.0).border), step=0.05, sigma=sigma)
    # T = (1 - Phi) t1 + Phi t2: at the corner |T x T'| / |T|^3 = G(0) sin(turn) / cos(turn / 2)^3
    peak = np.sin(turn) / np.cos(turn / 2) ** 3 / (np.sqrt(2 * np.pi) * sigma)
    assert -smooth.curvature.min() == pytest.approx(peak, rel=0.02)
    ahead, back = np.roll(smooth.points, -1, axis=0), np.roll(smooth.points, 1, axis=0)
    turning = -smooth.curvature * np.linalg.norm(ahead - back, axis=1) / 2
    assert turning.sum() == pytest.approx(2 * np.pi, rel=2e-3)


def test_edges_stay_straight_and_where_they_are():
    shape = rectangle(100, 40)
    smooth = smoothed(Contour.from_points(shape.border))
    middle = np.abs(smooth.points[:, 0]) < 40
    np.testing.assert_allclose(np.abs(smooth.points[middle, 1]), 20.0, atol=1e-9)
    np.testing.assert_allclose(smooth.curvature[middle], 0.0, atol=1e-4)
    far = np.abs(smooth.points[:, 0]) < 20
    np.testing.assert_allclose(smooth.curvature[far], 0.0, atol=1e-9)
    np.testing.assert_allclose(smooth.normals[middle, 1], -np.sign(smooth.points[middle, 1]), atol=1e-9)


def test_hollows_are_positive_and_normals_point_inwards_everywhere():
    shape = trefoil()
    smooth = smoothed(Contour.from_points(shape.border))
    x, y = (smooth.points + 0.5 * smooth.normals).T
    assert shape.inside(x, y).all()
    angle = np.arctan2(smooth.points[:, 1], smooth.points[:, 0])
    assert (smooth.curvature[np.cos(3 * angle) < -0.9] > 0).all()
    assert (smooth.curvature[np.cos(3 * angle) > 0.9] < 0).all()


def test_a_holes_ring_bends_into_the_part():
    hole = Contour.from_points(polygon([[-40, -40], [40, -40], [40, 40], [-40, 40]]).border, [disc(10).border]).holes[0]
    smooth = smoothed_ring(hole)
    assert (smooth.curvature > 0.09).all()
    assert ((smooth.normals * smooth.points).sum(axis=1) > 0).all()


def test_resampling_keeps_equal_arc_lengths_on_the_ring():
    ring = rectangle(30, 10).border
    points, perimeter = resampled(ring, 0.5)
    assert perimeter == pytest.approx(80)
    assert len(points) == 160
    assert rectangle(30, 10).distance(points).max() < 1e-12


@pytest.mark.parametrize("options", [{"step": 0.0}, {"step": np.nan}, {"sigma": -1.0}, {"step": 1e-9}])
def test_steps_and_widths_that_make_no_sense_are_refused(options):
    with pytest.raises(InputError):
        smoothed(Contour.from_points(rectangle().border), **options)
    with pytest.raises(InputError):
        smoothed(rectangle().border)


@pytest.mark.parametrize("power", range(-6, 3))
def test_parts_of_any_size_are_smoothed_without_a_warning(power):
    ring = np.array([[-50.0, -20.0], [50.0, -20.0], [50.0, 20.0], [-50.0, 20.0]]) * 10.0**power
    found = smoothed_ring(ring)  # warnings are errors
    assert np.isfinite(found.curvature).all() and np.isfinite(found.normals).all()


def waves(turn, lobe):
    """A trefoil's points and its curvature [1/mm] by the formula for polar curves, negative convex."""
    r, slope, bend = 40 * (1 + lobe * np.cos(3 * turn)), -120 * lobe * np.sin(3 * turn), -360 * lobe * np.cos(3 * turn)
    curvature = -(r**2 + 2 * slope**2 - r * bend) / (r**2 + slope**2) ** 1.5
    return r[:, None] * np.column_stack([np.cos(turn), np.sin(turn)]), curvature


@pytest.mark.parametrize("lobe, most", [(0.0, 1e-4), (0.2, 2e-3), (0.25, 4.5e-3)])
def test_gentle_bends_keep_the_curvature_of_their_formula(lobe, most):
    points, curvature = waves(np.linspace(0, 2 * np.pi, 4000, endpoint=False), lobe)
    smooth = smoothed(Contour.from_points(points))
    nearest = np.linalg.norm(smooth.points[:, None] - points[None, ::4], axis=2).argmin(axis=1) * 4
    assert np.abs(smooth.curvature - curvature[nearest]).max() < most
    if lobe == 0.0:
        np.testing.assert_allclose(10.0 * smooth.curvature, -0.25, rtol=1e-3)


def test_noise_moves_the_mean_curvature_of_gentle_bends_little():
    points, _ = waves(np.linspace(0, 2 * np.pi, 520, endpoint=False), 0.25)
    rng, width = np.random.default_rng(8), 17
    found = []
    for _ in range(20):  # 0.05 mm of noise on points half a millimetre apart
        curvature = smoothed(Contour.from_points(points + 0.05 * rng.normal(size=points.shape))).curvature[:500]
        found.append(10.0 * np.convolve(curvature, np.full(width, 1 / width), "valid"))
    # with derivatives of the points themselves, smoothed by a Gaussian of 1 mm, it is 0.023 / cm
    assert np.std(found, axis=0).mean() < 0.015


SMALL_SQUARE = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
DART = np.array([[0.0, 0.0], [6.0, 0.0], [3.0, 2.0], [3.0, 6.0]])


def test_distances_from_a_square_are_those_of_its_closed_form():
    points = np.array([[2.0, 2.0], [2.0, -3.0], [7.0, 8.0], [4.0, 4.0], [0.5, 3.0]])
    assert distance_to_outline(points, SMALL_SQUARE) == pytest.approx([2.0, 3.0, 5.0, 0.0, 0.5], abs=1e-12)
    assert distance_to_outline(points[0], SMALL_SQUARE) == pytest.approx(2.0)
    assert distance_to_outline(points.reshape(1, 5, 2), SMALL_SQUARE).shape == (1, 5)


def meet_exactly(a, b, c, d):
    """Whether the closed segments ab and cd share a point, in rational numbers."""

    def turn(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    def on(p, q, r):
        return turn(p, q, r) == 0 and all(min(p[k], q[k]) <= r[k] <= max(p[k], q[k]) for k in (0, 1))

    a, b, c, d = ([Fraction(float(v)) for v in point] for point in (a, b, c, d))
    if turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0:
        return True
    return on(a, b, c) or on(a, b, d) or on(c, d, a) or on(c, d, b)


def crosses_exactly(ring):
    n = len(ring)
    for i, j in combinations(range(n), 2):
        a, b, c, d = ring[i], ring[(i + 1) % n], ring[j], ring[(j + 1) % n]
        if j - i in (1, n - 1):
            first, middle, last = (a, b, d) if j - i == 1 else (c, a, b)
            u, v = middle - first, last - middle
            if u[0] * v[1] == u[1] * v[0] and u @ v < 0:
                return True
        elif meet_exactly(a, b, c, d):
            return True
    return False


@pytest.mark.parametrize("seed", nightly_after(24, range(120)))
def test_small_rings_cross_exactly_when_exact_arithmetic_says(seed):
    rng = np.random.default_rng(seed)
    ring = rng.integers(0, 7, (int(rng.integers(4, 8)), 2)).astype(float)
    ring = ring[np.any(ring != np.roll(ring, 1, axis=0), axis=1)]
    if len(ring) < 3:
        return
    assert (first_crossing((ring,)) is not None) == crosses_exactly(ring)


def test_a_found_pair_is_named_by_ring_and_edge():
    square = np.array([[0.0, 0], [10, 0], [10, 10], [0, 10]])
    assert first_crossing((square, square + 5)) in (((0, 1), (1, 0)), ((0, 2), (1, 3)))
    assert first_crossing((square, square / 2 + 1)) is None
    bow = np.array([[0.0, 0], [10, 10], [10, 0], [0, 10]])
    assert first_crossing((square + 20, bow)) == ((1, 0), (1, 2))


def test_large_simple_rings_are_passed():
    turn = np.linspace(0, 2 * np.pi, 20_000, endpoint=False)
    ring = (40 + 3 * np.sin(40 * turn))[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    assert first_crossing((ring,)) is None
    ring[[500, 12_000]] = ring[[12_000, 500]]
    assert first_crossing((ring,)) is not None
