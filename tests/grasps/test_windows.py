"""Windows: straight within the tolerance, as wide as can be, none on polygons, and the same wherever points begin."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.contact_refinement import PLACES, find_windows, overlapping
from holdfast.grasps.contours import Contour, smoothed
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.regions import find_regions, region_of
from tests.grasps.drawn_shapes import SHAPES, disc, rectangle, regular, trefoil


def both(border):
    smooth = smoothed(Contour.from_points(border))
    regions = find_regions(smooth)
    return smooth, regions, find_windows(smooth, regions)


@pytest.mark.parametrize("shape", [regular(6), rectangle(), regular(12)])
def test_polygons_have_no_windows(shape):
    _, regions, windows = both(shape.border)
    assert len(windows) == 0
    assert (windows.nearest == -1).all()
    assert len(windows.nearest) == len(regions)


@pytest.mark.parametrize("shape", [disc(), disc(25.0), trefoil(), SHAPES["trefoil"].turned(0.4)])
def test_a_window_is_the_region_of_its_points_and_cannot_be_widened(shape):
    smooth, _, windows = both(shape.border)
    assert (windows.regions.deviation <= 0.5 + 1e-9).all()
    assert (windows.regions.lengths >= 8.0).all()
    spans = np.rint(windows.regions.arc / smooth.step).astype(int)
    for row in range(0, len(windows), 7):
        first, last = spans[row]
        ends, curvature, arc, off = region_of(smooth, np.arange(first, last + 1))
        np.testing.assert_allclose(windows.regions.segments[row], ends, atol=1e-9)
        assert windows.regions.curvature[row] == pytest.approx(curvature, abs=1e-9)
        np.testing.assert_allclose(windows.regions.arc[row], arc)
        assert windows.regions.deviation[row] == pytest.approx(off, abs=1e-9)
        wider = region_of(smooth, np.arange(first - 1, last + 2))[3]
        assert wider > 0.5


def test_a_discs_windows_stand_at_equal_distances_and_belong_to_the_region_under_their_middles():
    smooth, regions, windows = both(disc(45.0).border)
    assert windows.closed
    middles = windows.regions.arc.mean(axis=1) % smooth.perimeter
    gaps = np.diff(np.sort(middles), append=middles.min() + smooth.perimeter)
    # a chord whose rise is twice the deviation
    width = 2.0 * 45.0 * np.arccos(1.0 - 1.0 / 45.0)
    np.testing.assert_allclose(gaps, width / PLACES, atol=1.01 * smooth.step)
    for middle, home in zip(middles, windows.home, strict=True):
        begin, end = regions.arc[home]
        assert (middle - begin + smooth.step) % smooth.perimeter <= end - begin + 2.0 * smooth.step


def test_windows_do_not_pass_corners():
    # half a disc: one corner at each end of the diameter
    turn = np.linspace(0.0, np.pi, 400)
    smooth, _, windows = both(40.0 * np.column_stack([np.cos(turn), np.sin(turn)]))
    assert len(windows) > 10
    assert not windows.closed
    corners = np.abs(smooth.curvature) > 0.2
    for begin, end in windows.regions.arc:
        inside = (smooth.arc - begin) % smooth.perimeter <= end - begin + 1e-9
        assert not corners[inside].any()
    last = windows.place.max()
    np.testing.assert_array_equal(windows.moved(np.array([0, last, -1]), np.array([-1, 1, 1])), [-1, -1, -1])


def test_moving_on_a_closed_contour_comes_round():
    _, _, windows = both(disc().border)
    places = windows.place
    there = windows.moved(places, np.full(len(places), 3))
    back = windows.moved(windows.place[there], np.full(len(places), -3))
    np.testing.assert_array_equal(back, np.arange(len(windows)))


def test_spans_overlap_also_across_the_first_point():
    spans = np.array([[0.0, 10.0], [10.0, 20.0], [95.0, 105.0], [-5.0, 5.0], [2.0, 3.0]])
    wanted = np.array([
        [1, 0, 1, 1, 1], [0, 1, 0, 0, 0], [1, 0, 1, 1, 1], [1, 0, 1, 1, 1], [1, 0, 1, 1, 1]
    ], dtype=bool)  # fmt: skip
    np.testing.assert_array_equal(overlapping(spans[:, None], spans, 100.0), wanted)


def rounded(a, b, radius, count=60):
    """A rectangle 2a x 2b with rounded corners, counter-clockwise."""
    middles = [(a - radius, b - radius), (radius - a, b - radius), (radius - a, radius - b), (a - radius, radius - b)]
    corners = []
    for k, middle in enumerate(middles):
        turn = np.linspace(k * np.pi / 2.0, (k + 1) * np.pi / 2.0, count)
        corners.append(radius * np.column_stack([np.cos(turn), np.sin(turn)]) + middle)
    return np.concatenate(corners)


@pytest.mark.parametrize(("a", "b", "radius"), [(45.0, 30.0, 10.0), (70.0, 25.0, 24.9), (40.0, 40.0, 15.0)])
def test_a_window_on_a_straight_side_between_round_corners_is_the_whole_side(a, b, radius):
    _, _, windows = both(rounded(a, b, radius))
    for segment, normal in zip(windows.regions.segments, windows.regions.normals, strict=True):
        middle = segment.mean(axis=0)
        for axis, half, other in ((0, a, b), (1, b, a)):
            side = half - radius
            if abs(abs(normal[1 - axis]) - 1.0) < 1e-3 and abs(abs(middle[1 - axis]) - other) < 1.0 and side > 8.0:
                assert np.abs(middle[axis]) < 0.2 * side
                assert np.ptp(segment[:, axis]) >= 2.0 * side  # and on into the corners while the tolerance allows
    # sides are there at all, each once
    along = np.abs(windows.regions.normals[:, 1]) > 1.0 - 1e-6
    assert 2 <= along.sum() <= 4


def test_no_region_of_a_bracket_ends_where_its_side_runs_straight_on():
    ranking = plan(example_part("bracket"))
    smooth = smoothed(ranking.contour)
    corner = np.abs(smooth.curvature) > 0.2
    for grasp in ranking:
        for first, last in grasp.regions_mm:
            along = (last - first) / np.linalg.norm(last - first)
            off = np.abs((smooth.points - first) @ np.array([-along[1], along[0]]))
            for end, way in ((first, -1), (last, 1)):
                at = int(np.argmin(np.linalg.norm(smooth.points - end, axis=1)))
                ahead = (at + way * np.arange(1, len(off))) % len(off)
                steps = int(np.argmax((off[ahead] > 0.5) | corner[ahead]))
                assert steps * smooth.step <= 5.0  # a neighbouring region on a bend may have taken that much
