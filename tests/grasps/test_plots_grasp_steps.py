from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.plots import BLOCKED, FREE, capsule, grasp_clearance, grasp_regions


@pytest.fixture(scope="module")
def casting():
    return plan(example_part("casting"), reachability=True)


def colours(ways):
    from matplotlib.colors import to_hex

    return [to_hex(way.get_edgecolor()).upper() for way in ways]


def test_regions_are_drawn_where_they_are_with_normals_into_the_part(casting, artists):
    from holdfast.grasps.contours import contains

    ax = grasp_regions(casting, title="casting")
    drawn = np.array([line.get_xydata() for line in artists(ax, "region")])
    np.testing.assert_allclose(drawn, casting.regions.segments)
    ends = np.array([line.get_xydata()[1] for line in artists(ax, "normal")])
    assert contains(casting.contour.outer, ends).all()
    (lines,) = artists(ax, "curvature")
    values = np.asarray(lines.get_array())
    assert values.min() < -0.1  # convex corners
    assert values.max() > 0.1  # and concave ones


def test_free_and_blocked_ways_have_their_colours(casting, artists):
    free = grasp_clearance(casting.best, casting.contour)
    assert colours(artists(free, "way")) == [FREE.upper()] * 3
    assert free.get_title() == "nothing is in the way"
    blocked = next(grasp for grasp in casting.excluded if grasp.valid)
    ax = grasp_clearance(blocked, casting.contour)
    assert BLOCKED.upper() in colours(artists(ax, "way"))
    assert ax.get_title().replace("\n", " ") == blocked.reason


def test_a_parallel_jaw_closes_with_two_flat_pads(artists):
    found = plan(example_part("rectangle"), "parallel_jaw")
    ways = artists(grasp_clearance(found.best, found.contour), "way")
    assert len(ways) == 2
    for way in ways:
        corners = way.get_xy()[:-1]
        assert np.linalg.norm(corners[0] - corners[1]) == pytest.approx(found.scored.hand.fingertip_width)


def test_a_capsule_keeps_its_radius_from_its_axis():
    from holdfast.grasps.contours import distance_to_outline

    tip, way = np.array([1.0, 2.0]), np.array([0.6, 0.8])
    outline = capsule(tip, way, 10.0, 3.0)
    axis = tip + np.linspace(0.0, 10.0, 9)[:, None] * way
    np.testing.assert_allclose(distance_to_outline(axis, outline), 3.0, atol=0.02)


def test_rankings_without_a_contour_cannot_be_drawn(casting):
    from dataclasses import replace

    bare = replace(casting, workpiece=None, regions=None)
    with pytest.raises(InputError, match="no contour"):
        grasp_regions(bare)
