"""Pads and pinches: discs, squares and sticks have grasps; contacts lie on the part; closed by independent means."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.contours import Contour, smoothed
from holdfast.grasps.hands import load_hand, solve_hand
from holdfast.grasps.opposing import distinct, pad_halves, pad_pairs, swept_pads
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import GraspParams, ObjectShape
from holdfast.grasps.regions import find_regions
from tests.grasps.drawn_shapes import disc
from tests.grasps.test_whole_chain import force_closed
from tests.nightly import nightly_after


def box(width: float, height: float, angle: float = 0.0) -> np.ndarray:
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2.0 @ turn.T


def star(tips: int, outer: float, inner: float) -> np.ndarray:
    angle = np.arange(2 * tips) * np.pi / tips
    radius = np.where(np.arange(2 * tips) % 2 == 0, outer, inner)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


@pytest.mark.parametrize("diameter", nightly_after(3, [20.0, 45.0, 84.0, 25.0, 30.0, 60.0, 75.0]))
def test_a_jaw_holds_every_disc_that_fits_between_its_pads(diameter: float) -> None:
    best = plan(disc(diameter / 2.0).border, "parallel_jaw").best
    assert best is not None and best.kind == "virtual_two_finger"
    across = best.contacts_mm[1:].mean(axis=0) - best.contacts_mm[0]
    assert np.linalg.norm(across) == pytest.approx(diameter, abs=2.0)
    assert np.linalg.norm(best.grasp_focus_mm) < 1.5  # through the centre
    assert best.in_cones and best.reachability == (True, "")


def test_a_disc_wider_than_the_stroke_has_no_jaw_grasp_and_the_answer_says_by_how_much() -> None:
    found = plan(disc(46.0).border, "parallel_jaw")
    assert not len(found)
    assert "46 mm of 42.5 mm" in found.reason


@pytest.mark.parametrize("hand", ["parallel_jaw", "barrett", "generic"])
@pytest.mark.parametrize(
    "sides", nightly_after(3, [(20.0, 20.0), (40.0, 40.0), (50.0, 6.0), (30.0, 30.0), (40.0, 8.0)])
)
def test_small_squares_and_sticks_are_held(hand: str, sides: tuple[float, float]) -> None:
    found = plan(box(*sides, angle=0.3), hand)
    best = found.best
    assert best is not None and best.in_cones and best.reachability == (True, "")
    held = [grasp for grasp in found if grasp.in_cones]
    for grasp in held[:5]:
        assert force_closed(grasp.contacts_mm, grasp.inward_normals, 0.4)


@pytest.mark.parametrize("diameter", [20.0, 50.0])
def test_the_barrett_hand_closes_three_fingers_on_small_discs(diameter: float) -> None:
    found = plan(disc(diameter / 2.0).border)
    best = found.best
    assert best is not None and best.kind == "three_finger" and best.in_cones
    assert (best.extensions_mm >= found.hand.closest_extension).all() and best.extensions_mm.min() < 0.0
    assert not len(plan(disc(diameter / 2.0).border, rank="paper")) or diameter > 30.0


def test_a_pinch_puts_fingers_2_and_3_opposite_each_other_about_the_palm() -> None:
    found = plan(box(40.0, 40.0))
    grasp = next(grasp for grasp in found if grasp.kind == "pinch")
    hand = found.hand
    right = np.array([grasp.thumb_axis[1], -grasp.thumb_axis[0]])
    middle = grasp.contacts_mm[1:].mean(axis=0)
    np.testing.assert_allclose(grasp.force_directions, [right, -right, -right], atol=1e-12)
    np.testing.assert_allclose(grasp.palm_mm, (grasp.contacts_mm[0] + middle) / 2.0, atol=1e-9)
    reach = np.linalg.norm(middle - grasp.contacts_mm[0]) / 2.0 - hand.pivot_offset
    np.testing.assert_allclose(grasp.extensions_mm, reach, atol=1e-9)
    assert grasp.spread_rad == pytest.approx(np.pi / 2.0)
    (left, first, _, name), (other, second, _, _) = grasp.fingers()
    assert name == "2" and (grasp.real_focus_mm is None)
    np.testing.assert_allclose(other - left, 2.0 * hand.pivot_offset * right, atol=1e-9)
    np.testing.assert_allclose([first, second], [grasp.contacts_mm[0], middle])
    pivots = found.scored.poses.pivots()[grasp.index]
    np.testing.assert_allclose(pivots, [left, other, other], atol=1e-9)


def test_pads_bridge_the_hollows_between_tips_and_touch_the_part() -> None:
    border = star(8, 30.0, 22.0)
    contour = Contour.from_points(border)
    smooth = smoothed(contour)
    hand, shape, params = load_hand("parallel_jaw"), ObjectShape.of(contour), GraspParams()
    found = swept_pads(smooth, find_regions(smooth), hand, shape, params)
    assert len(found)
    off = np.linalg.norm(found.contacts.reshape(-1, 1, 2) - smooth.points, axis=2).min(axis=1)
    assert off.max() < 1.0
    assert all(force_closed(*pair, params.mu) for pair in zip(found.contacts, found.normals, strict=True))
    assert (found.region_index == -1).all()
    # Nothing of the part lies beyond a pad: each has met the part first.
    for contacts, normals in zip(found.contacts, found.normals, strict=True):
        for place, normal in ((contacts[0], normals[0]), (contacts[1:].mean(axis=0), normals[1])):
            along = np.array([-normal[1], normal[0]])
            beside = np.abs((smooth.points - place) @ along) <= hand.pivot_offset - 2.0
            assert ((smooth.points[beside] - place) @ normal).min() > -2.0


def test_regions_shorter_than_the_pad_carry_it_with_contacts_inside_them() -> None:
    contour = Contour.from_points(box(30.0, 14.0))
    regions = find_regions(smoothed(contour))
    hand, shape, params = load_hand("parallel_jaw"), ObjectShape.of(contour), GraspParams()
    found = pad_pairs(regions, hand, shape, params)
    assert len(found) == 4  # both pairs of sides, either way round
    poses = solve_hand(found, hand)
    assert poses.reachable.all()
    for contacts, segments, half in zip(found.contacts, found.segments, found.half_width, strict=True):
        assert np.linalg.norm(contacts[2] - contacts[1]) == pytest.approx(2.0 * half)
        assert half <= hand.pivot_offset
        for contact, (first, last) in zip(contacts, segments, strict=True):
            gaps = [np.linalg.norm(contact - first), np.linalg.norm(contact - last)]
            assert sum(gaps) == pytest.approx(np.linalg.norm(last - first))
            assert min(gaps) > 1.9  # lambda


def test_hands_without_opposing_contacts_have_no_pads() -> None:
    from dataclasses import replace

    assert pad_halves(load_hand("parallel_jaw")) == (10.0, 10.0)
    assert pad_halves(load_hand("barrett")) == (7.5, 3.75)
    assert pad_halves(replace(load_hand("barrett"), pinch=False)) is None


def test_grasps_that_are_as_good_as_the_same_count_once() -> None:
    contacts = np.zeros((4, 3, 2))
    contacts[1] += 1.0
    contacts[2] += 10.0
    contacts[3] += 30.0
    merit = np.array([2.0, 1.0, 3.0, np.inf])
    np.testing.assert_array_equal(distinct(contacts, merit, contacts[:0]), [1, 2])
    np.testing.assert_array_equal(distinct(contacts, merit, contacts[2:3]), [1])
