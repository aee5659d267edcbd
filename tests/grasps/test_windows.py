"""Windows: straight within the tolerance, as wide as can be, none on polygons, and the same wherever points begin."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.contours import Contour
from holdfast.grasps.curvature import smoothed
from holdfast.grasps.regions import find_regions, region_of
from holdfast.grasps.windows import PLACES, WIDEST, find_windows, overlapping
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
        assert wider > 0.5 or last - first >= WIDEST * 8.0 / smooth.step - 2


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
