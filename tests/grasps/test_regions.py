"""Regions: the sides a reader would draw, fewest pieces on curves, the same under turning, mirroring and shifting."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grasps.contours import Contour, smoothed
from holdfast.grasps.regions import find_regions
from tests.grasps.drawn_shapes import SHAPES, disc, rectangle, regular, trefoil


def regions_of(border, **options):
    return find_regions(smoothed(Contour.from_points(border)), **options)


@pytest.mark.parametrize("sides", [3, 4, 5, 6, 8, 12])
def test_every_side_of_a_regular_polygon_is_one_region(sides):
    shape = regular(sides)
    found = regions_of(shape.border)
    assert len(found) == sides
    corners = shape.border
    middles = (corners + np.roll(corners, -1, axis=0)) / 2
    apothem = np.linalg.norm(middles[0])
    order = [int(np.argmin(np.linalg.norm(found.segments.mean(axis=1) - m, axis=1))) for m in middles]
    assert sorted(order) == list(range(sides))
    np.testing.assert_allclose(found.normals[order], -middles / apothem, atol=5e-3)
    side = np.linalg.norm(corners[1] - corners[0])
    assert ((found.lengths > side - 5.0) & (found.lengths <= side)).all()
    np.testing.assert_allclose(found.curvature, 0.0, atol=0.02)
    assert shape.distance(found.segments).max() < 0.15


def test_a_rectangle_has_four_regions_that_run_counter_clockwise():
    found = regions_of(rectangle(110, 44).border)
    assert sorted(found.lengths.round(-1)) == [40, 40, 110, 110]
    for (start, end), normal in zip(found.segments, found.normals, strict=True):
        assert start[0] * end[1] - start[1] * end[0] > 0
        assert normal @ (start + end) < 0


@pytest.mark.parametrize("radius", [12.0, 25.0, 40.0, 60.0])
def test_a_disc_is_followed_by_the_fewest_equal_pieces(radius):
    found = regions_of(disc(radius).border)
    # a chord's rise is at most twice the deviation when the line runs midway
    longest = 2 * np.sqrt(radius**2 - (radius - 1.0) ** 2)
    fewest = np.ceil(2 * np.pi / (2 * np.arcsin(longest / 2 / radius)))
    assert fewest <= len(found) <= fewest + 1
    assert np.ptp(found.arc[:, 1] - found.arc[:, 0]) <= 1.01
    np.testing.assert_allclose(found.curvature, -10.0 / radius, rtol=0.01)
    np.testing.assert_allclose(np.sort(found.arc[1:, 0]), found.arc[:-1, 1])  # no gaps
    assert disc(radius).distance(found.segments.mean(axis=1)).max() < 0.6


def test_a_small_disc_carries_no_finger():
    assert len(regions_of(disc(7.0).border)) == 0


@pytest.mark.parametrize("first", [0, 37, 211, 400])
def test_a_smooth_curves_regions_do_not_depend_on_where_its_points_begin(first):
    border = trefoil().border
    a, b = regions_of(border), regions_of(np.roll(border, first, axis=0))
    assert len(a) == len(b)
    gap = np.linalg.norm(a.segments.mean(axis=1)[:, None] - b.segments.mean(axis=1), axis=2).min(axis=1)
    assert gap.max() < 1.0


def test_a_trefoils_regions_repeat_threefold_and_its_hollows_are_not_convex():
    found = regions_of(trefoil(40, 12).border)
    assert len(found) % 3 == 0
    np.testing.assert_allclose(np.sort(found.lengths).reshape(-1, 3).std(axis=1), 0.0, atol=0.6)
    assert found.curvature.min() < -0.3
    assert (found.curvature > 0).any()


@pytest.mark.parametrize("name", SHAPES)
def test_regions_follow_the_contour_within_the_deviation(name):
    shape = SHAPES[name]
    smooth = smoothed(Contour.from_points(shape.border))
    found = find_regions(smooth)
    for (start, end), arc, deviation in zip(found.segments, found.arc, found.deviation, strict=True):
        inside = ((smooth.arc - arc[0]) % smooth.perimeter) <= arc[1] - arc[0] + 1e-9
        along = (end - start) / np.linalg.norm(end - start)
        off = (smooth.points[inside] - start) @ np.array([-along[1], along[0]])
        assert np.abs(off).max() == pytest.approx(deviation, abs=1e-9)
        assert deviation <= 0.5 + 1e-9
    assert (found.lengths >= 8.0).all()


@pytest.mark.parametrize("name", SHAPES)
def test_turned_and_mirrored_contours_have_turned_and_mirrored_regions(name):
    shape = SHAPES[name]
    plain = regions_of(shape.border)
    for other, back in (
        (shape.turned(0.7), np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])),
        (shape.mirrored(), np.diag([-1.0, 1.0])),
    ):
        found = regions_of(other.border)
        assert len(found) == len(plain)
        middles = found.segments.mean(axis=1) @ back
        if name != "disc":  # where a disc's pieces begin is arbitrary
            gap = np.linalg.norm(middles[:, None] - plain.segments.mean(axis=1), axis=2)
            assert gap.min(axis=1).max() < 1.0
            nearest = gap.argmin(axis=1)
            np.testing.assert_allclose(found.curvature, plain.curvature[nearest], atol=0.05)


def test_limits_do_what_they_say():
    border = regular(12).border
    assert len(regions_of(border, shortest=23.0)) == 0
    assert len(regions_of(border, cut=10.0, deviation=3.0)) < 12
    for bad in ({"cut": 0.0}, {"deviation": np.nan}, {"shortest": -1.0}):
        with pytest.raises(InputError):
            regions_of(border, **bad)
    with pytest.raises(InputError):
        find_regions(border)
