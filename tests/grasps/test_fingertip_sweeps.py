from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.contours import contains, distance_to_outline
from holdfast.grasps.parts import example_part
from holdfast.grasps.reachability import cuts

SLOT = np.array([[0, 0], [40, 0], [40, 30], [25, 30], [25, 10], [15, 10], [15, 30], [0, 30]], dtype=np.float64)


def ask(outlines, tip, way, length, radius):
    unit = np.asarray(way, dtype=np.float64)
    unit = unit / np.linalg.norm(unit)
    depth, along = cuts(outlines, np.array([tip], dtype=np.float64), unit[None], np.array([float(length)]), radius)
    return float(depth[0]), float(along[0])


def test_a_tip_that_slides_along_a_wall_cuts_by_what_it_overlaps():
    assert ask([SLOT], (50.0, 15.0), (1, 0), 30.0, 4.0) == (0.0, 0.0)
    assert ask([SLOT], (43.0, -20.0), (0, 1), 80.0, 4.0)[0] == pytest.approx(1.0)
    assert ask([SLOT], (44.0, -20.0), (0, 1), 80.0, 4.0)[0] == pytest.approx(0.0, abs=1e-12)


def test_a_slot_takes_a_narrow_finger_from_its_mouth_and_no_wide_one():
    depth, _ = ask([SLOT], (20.0, 14.0), (0, 1), 60.0, 4.0)
    assert depth == pytest.approx(0.0, abs=1e-12)
    depth, _ = ask([SLOT], (20.0, 16.0), (0, 1), 60.0, 6.0)
    assert depth == pytest.approx(1.0)


def test_a_finger_that_would_come_through_a_jaw_is_told_where_it_meets_the_jaw():
    depth, along = ask([SLOT], (20.0, 20.0), (1, 0), 60.0, 4.0)
    assert depth == pytest.approx(4.0)
    assert along == pytest.approx(20.0)  # the outer wall, at x = 40, which a closing finger meets first


def test_a_tip_inside_the_part_is_as_deep_as_the_way_to_the_wall_and_its_radius():
    depth, along = ask([SLOT], (20.0, 4.0), (0, -1), 0.0, 3.0)
    assert depth == pytest.approx(7.0)
    assert along == 0.0


def test_holes_are_free_space():
    part = example_part("bracket")
    hole = part.holes[0].mean(axis=0)
    assert ask(part.outlines, hole, (1, 0), 0.0, 10.0)[0] == pytest.approx(0.0, abs=1e-12)
    assert ask([part.outer], hole, (1, 0), 0.0, 10.0)[0] > 10.0


@pytest.mark.parametrize("name", ["casting", "spanner", "gear"])
def test_cuts_agree_with_brute_force_over_points_of_the_axis(name, monkeypatch):
    part = example_part(name)
    rng = np.random.default_rng(5)
    tip = rng.uniform(-90.0, 90.0, size=(30, 2))
    angle = rng.uniform(0.0, 2.0 * np.pi, 30)
    way = np.column_stack([np.cos(angle), np.sin(angle)])
    length = rng.uniform(0.0, 80.0, 30)
    radius = 5.0
    found, along = cuts(part.outlines, tip, way, length, radius)
    for k in range(30):
        axis = tip[k] + np.linspace(0.0, length[k], 300)[:, None] * way[k]
        near = min(distance_to_outline(axis, outline).min() for outline in part.outlines)
        start_inside = sum(contains(outline, tip[k : k + 1])[0] for outline in part.outlines) % 2 == 1
        if start_inside:
            expected = radius + min(distance_to_outline(tip[k], outline) for outline in part.outlines)
        else:
            expected = max(radius - near, 0.0)
        assert found[k] == pytest.approx(expected, abs=0.14)
        assert 0.0 <= along[k] <= length[k]
    monkeypatch.setattr("holdfast.grasps.fingertip_sweeps.BLOCK", 1000)
    np.testing.assert_array_equal(cuts(part.outlines, tip, way, length, radius)[0], found)
