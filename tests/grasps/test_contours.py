"""Contours: moments against closed forms, faults found by brute force, traced outlines against true ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import GeometryError, InputError
from holdfast.grasps.contours import Contour, contains
from holdfast.grasps.pictures import segment, trace
from tests.grasps.drawn_shapes import SHAPES, disc, rectangle, regular

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
        ([[0, 0], [50, 0], [50, 50], [80, 50], [50, 50], [0, 50]], (), r"\(80, 50\) mm, a spike that has no area"),
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


@pytest.mark.parametrize("blur", [0.7, 1.0, 2.0])
def test_blurring_does_not_shrink_small_discs(blur):
    for radius in (8.0, 15.0):
        areas = []
        for dx in (0.0, 0.13, 0.31):
            grey = disc(radius).moved(dx, -dx / 2).drawn(size=(90, 90))
            areas.append(trace(segment(grey, mm_per_px=0.5, blur=blur), 0.5).area)
        assert np.mean(areas) == pytest.approx(np.pi * radius**2, rel=2e-3)


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
