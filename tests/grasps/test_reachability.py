""""""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import shapely

from holdfast.errors import InputError
from holdfast.grasps.contours import contains, distance_to_outline
from holdfast.grasps.parts import example_part
from holdfast.grasps.reachability import NO_POSE, check, check_fingers, cuts

SLOT = np.array([[0, 0], [40, 0], [40, 30], [25, 30], [25, 10], [15, 10], [15, 30], [0, 30]], dtype=np.float64)


def region(outlines):
    """The polygon of an outline and its holes."""
    return shapely.Polygon(outlines[0], outlines[1:])


def ask(outlines, tip, way, length, radius):
    unit = np.asarray(way, dtype=np.float64)
    unit = unit / np.linalg.norm(unit)
    depth, along = cuts(
        region(outlines), np.array([tip], dtype=np.float64), unit[None], np.array([float(length)]), radius
    )
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
def test_cuts_agree_with_brute_force_over_points_of_the_axis(name):
    part = example_part(name)
    rng = np.random.default_rng(5)
    tip = rng.uniform(-90.0, 90.0, size=(30, 2))
    angle = rng.uniform(0.0, 2.0 * np.pi, 30)
    way = np.column_stack([np.cos(angle), np.sin(angle)])
    length = rng.uniform(0.0, 80.0, 30)
    radius = 5.0
    found, along = cuts(region(part.outlines), tip, way, length, radius)
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


DISC = example_part("disc")
ANGLES = np.radians([270.0, 30.0, 150.0])
OUT = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])


def disc_grasp(**options):
    contacts = (40.0 * OUT)[None]
    normals = -OUT[None]
    given = {"travel": np.full((1, 3), 60.0), "fingertip_width": 12.0, **options}
    return check_fingers(region(DISC.outlines), contacts, normals, normals, **given)


def test_three_fingers_reach_a_disc_from_all_sides():
    found = disc_grasp()
    assert found.ok.tolist() == [True]
    assert found.reason == ("",)
    np.testing.assert_allclose(found.cut_mm, 0.0, atol=2e-3)
    # Centres of the tips lie on a circle of radius 46: equilateral, side 46 sqrt 3, less the width.
    np.testing.assert_allclose(found.gap_mm, 46.0 * np.sqrt(3.0) - 12.0, rtol=1e-6)


def test_fingers_wider_than_their_distance_collide_and_that_is_said():
    contacts = np.array([[[0.0, -20.0], [-5.0, 20.0], [5.0, 20.0]]])
    normals = np.array([[[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]]])
    part = example_part("rectangle")
    tight = check_fingers(
        region(part.outlines), contacts, normals, normals, np.full((1, 3), 50.0), fingertip_width=14.0
    )
    assert not tight.ok[0]
    assert tight.gap_mm[0, 2] == pytest.approx(-4.0)
    assert tight.reason[0] == "finger 2 and finger 3 collide: 4.0 mm too close"
    slim = check_fingers(region(part.outlines), contacts, normals, normals, np.full((1, 3), 50.0), fingertip_width=9.0)
    assert slim.ok[0]


def test_two_contacts_in_one_place_are_one_finger():
    contacts = np.array([[[0.0, -20.0], [0.0, 20.0], [0.0, 20.0]]])
    normals = np.array([[[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]]])
    part = example_part("rectangle")
    found = check_fingers(
        region(part.outlines), contacts, normals, normals, np.full((1, 3), 50.0), fingertip_width=14.0
    )
    assert found.ok[0]
    assert np.isinf(found.gap_mm[0, 2])


def test_a_finger_cannot_come_through_a_jaw_of_the_spanner_nor_fit_beside_its_slot():
    part = example_part("spanner")
    inside_jaw = np.array([75.0, 11.0])  # on the inner face of the upper jaw; a finger pushes it up, coming from below
    contacts = np.array([[inside_jaw, [0.0, 10.0], [-40.0, -10.0]]])
    normals = np.array([[[0.0, 1.0], [0.0, -1.0], [0.0, 1.0]]])
    found = check_fingers(
        region(part.outlines), contacts, normals, normals, np.full((1, 3), 60.0), fingertip_width=10.0
    )
    assert not found.ok[0]
    assert found.reason[0].startswith("the thumb hits the part")
    # Open by just a little the same finger comes down between the jaws; a wide one does not fit there either.
    near = check_fingers(region(part.outlines), contacts, normals, normals, np.full((1, 3), 5.0), fingertip_width=10.0)
    assert near.ok[0]
    wide = check_fingers(region(part.outlines), contacts, normals, normals, np.full((1, 3), 0.0), fingertip_width=26.0)
    assert wide.reason[0].startswith("the thumb's tip, 26 mm wide, does not fit: it cuts 4.0 mm")


def test_a_wide_tip_does_not_go_into_the_inner_corner_of_an_elbow():
    part = example_part("elbow")
    for from_corner, width, fits in ((6.0, 10.0, True), (4.0, 10.0, True), (3.5, 10.0, False), (6.0, 16.0, False)):
        contacts = np.array([[[-15.0 + from_corner, -15.0], [-34.0, -55.0], [20.0, -55.0]]])
        normals = np.array([[[0.0, -1.0], [0.0, 1.0], [0.0, 1.0]]])
        found = check_fingers(
            region(part.outlines), contacts, normals, normals, np.full((1, 3), 40.0), fingertip_width=width
        )
        assert found.ok[0] == fits, (from_corner, width)
        assert found.cut_mm[0, 0] == pytest.approx(max(0.5 * width - from_corner, 0.0), abs=1e-9)


def test_turning_the_scene_changes_nothing():
    part = example_part("casting")
    rng = np.random.default_rng(4)
    contacts = part.outer[rng.integers(0, 12, size=(20, 3))] + rng.normal(size=(20, 3, 2))
    angle = rng.uniform(0.0, 2.0 * np.pi, size=(20, 3))
    normals = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    travel = rng.uniform(0.0, 60.0, size=(20, 3))
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([[c, s], [-s, c]])
    plain = check_fingers(region(part.outlines), contacts, normals, normals, travel, fingertip_width=9.0)
    turned = check_fingers(
        region(part.turned(0.7).outlines), contacts @ turn, normals @ turn, normals @ turn, travel, fingertip_width=9.0
    )
    np.testing.assert_allclose(turned.cut_mm, plain.cut_mm, atol=1e-9)
    np.testing.assert_allclose(turned.gap_mm, plain.gap_mm, atol=1e-9)
    assert 0 < plain.ok.sum() < 20 or plain.cut_mm.max() > 1.0


def test_a_flat_pad_reaches_the_flat_of_a_rectangle_and_no_notch_narrower_than_itself():
    part = example_part("rectangle")
    contacts = np.array([[[0.0, -20.0], [-10.0, 20.0], [10.0, 20.0]]])
    normals = np.array([[[0.0, 1.0], [0.0, -1.0], [0.0, -1.0]]])
    options = {"travel": np.full((1, 3), 20.0), "jaws": True}
    found = check_fingers(region(part.outlines), contacts, normals, normals, fingertip_width=20.0, **options)
    assert found.ok[0]
    np.testing.assert_allclose(found.cut_mm, 0.0, atol=1e-9)
    slot = np.array([[0, 0], [40, 0], [40, 30], [28, 30], [28, 10], [12, 10], [12, 30], [0, 30]], dtype=np.float64)
    contacts = np.array([[[20.0, 0.0], [12.0, 10.0], [28.0, 10.0]]])
    for width, fits in ((15.0, True), (20.0, False)):
        found = check_fingers(region([slot]), contacts, normals, normals, fingertip_width=width, **options)
        assert found.ok[0] == fits
    assert found.reason[0].startswith("the second jaw")
    assert found.reason[0].count("jaw") == 1


def test_grasps_without_a_pose_keep_the_reason_of_the_pose():
    candidates = SimpleNamespace(
        contacts=np.stack([40.0 * OUT] * 2), normals=np.stack([-OUT] * 2), pinch=np.zeros(2, bool)
    )
    forces = np.stack([-OUT, np.full((3, 2), np.nan)])
    poses = SimpleNamespace(
        forces=forces, extensions=np.array([[80.0] * 3, [np.nan] * 3]), reachable=np.array([True, False]),
        reason=("", "finger 3 would have to reach 160 mm"),
    )  # fmt: skip
    hand = SimpleNamespace(longest_extension=150.0, fingertip_width=12.0, fingers=3)
    found = check(example_part("disc").contour(), candidates, poses, hand)
    assert found.ok.tolist() == [True, False]
    assert found.reason == ("", "finger 3 would have to reach 160 mm")
    poses.reason = ("", "")
    assert check(example_part("disc").contour(), candidates, poses, hand).reason[1] == NO_POSE
    with pytest.raises(InputError, match="opening_mm"):
        check(example_part("disc").contour(), candidates, poses, hand, opening_mm=-1.0)
