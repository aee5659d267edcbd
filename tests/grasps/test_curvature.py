"""Smoothed contours: circles stay circles of a known radius, corners bend by a known peak."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grasps.contours import Contour, resampled, smoothed, smoothed_ring
from tests.grasps.drawn_shapes import disc, polygon, rectangle, regular, trefoil


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
