"""Candidates of drawn parts: on the border, force-closed by another program, the same from every view of the part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grasps.candidates import CONTACT_INSET, find_candidates, project, within_span, zones
from holdfast.grasps.contours import Contour, smoothed
from holdfast.grasps.hands import load_hand
from holdfast.grasps.pictures import segment, trace
from holdfast.grasps.regions import find_regions
from tests.grasps.drawn_shapes import SHAPES, disc, rectangle, regular, trefoil
from tests.grasps.test_force_closure import margin_by_program

MU = 0.4
HAND = load_hand("barrett")


def from_border(border, hand=HAND, mu=MU):
    return find_candidates(find_regions(smoothed(Contour.from_points(border))), hand, mu)


def from_picture(grey, scale=0.5):
    contour = trace(segment(grey, mm_per_px=scale), scale)
    return find_candidates(find_regions(smoothed(contour)), HAND, MU)


@pytest.fixture(scope="module", params=list(SHAPES))
def drawn(request):
    return SHAPES[request.param], from_picture(SHAPES[request.param].drawn())


def test_contacts_lie_on_the_true_border_within_a_millimetre(drawn):
    shape, found = drawn
    assert len(found) > 0
    assert shape.distance(found.contacts).max() < 1.0


def test_every_candidate_is_force_closed_by_an_independent_program(drawn):
    _, found = drawn
    _, first = np.unique(found.triplet, return_index=True)
    for g in first[:: max(len(first) // 40, 1)]:
        assert margin_by_program(found.contacts[g], found.normals[g], MU) > 0.0


def test_the_thumb_axis_leaves_finger_two_left_and_three_right(drawn):
    _, found = drawn
    to2, to3 = found.contacts[:, 1] - found.contacts[:, 0], found.contacts[:, 2] - found.contacts[:, 0]
    assert (to3[:, 0] * to2[:, 1] - to3[:, 1] * to2[:, 0] > 0).all()


def test_contacts_push_to_the_focus_within_their_friction_cones_and_inside_their_regions(drawn):
    _, found = drawn
    towards = found.focus[:, None] - found.contacts
    height = (towards * found.normals).sum(axis=2)
    aside = np.abs(towards[..., 0] * found.normals[..., 1] - towards[..., 1] * found.normals[..., 0])
    three = ~found.virtual
    assert (aside[three] <= MU * height[three] * (1 + 1e-9)).all()
    for end in (0, 1):
        gap = np.linalg.norm(found.contacts - found.segments[:, :, end], axis=2)
        assert gap.min() >= CONTACT_INSET - 1e-6
    contacts, lost = project(found.focus, found.segments, virtual=found.virtual, pivot_offset=HAND.pivot_offset)
    np.testing.assert_allclose(contacts, found.contacts, atol=1e-6)
    strips = np.array([z is not None for z in found.zones])
    np.testing.assert_array_equal(strips, three)
    assert not lost[found.virtual].any()


def test_zones_and_foci_are_those_of_the_public_functions(drawn):
    _, found = drawn
    some = np.flatnonzero(~found.virtual)[::17]
    for g, zone in zip(some, zones(found.segments[some], MU), strict=True):
        np.testing.assert_allclose(zone.centroid, found.focus[g], atol=1e-6)
        assert len(found.zones[g]) == len(zone.vertices)


def test_each_triplet_is_listed_with_each_contact_as_the_thumb(drawn):
    _, found = drawn
    three = found.select(~found.virtual)
    for number in np.unique(three.triplet)[:20]:
        own = three.select(three.triplet == number)
        assert len(own) == 3
        assert sorted(own.region_index[:, 0]) == sorted(own.region_index[0])
        np.testing.assert_array_equal(own.focus, own.focus[[0, 0, 0]])


@pytest.mark.parametrize("shape", [regular(6), rectangle(), regular(12)])
def test_mirrored_and_turned_contours_give_mirrored_and_turned_candidates(shape):
    plain = from_border(shape.border)
    c, s = np.cos(np.radians(37)), np.sin(np.radians(37))
    for other, back in (
        (shape.turned(np.radians(37)), np.array([[c, -s], [s, c]])),
        (shape.mirrored(), np.diag([-1.0, 1.0])),
    ):
        found = from_border(other.border)
        assert len(found) == pytest.approx(len(plain), rel=0.1)
        thumbs = np.concatenate([found.contacts[:, 0] @ back, found.focus @ back], axis=1)
        wanted = np.concatenate([plain.contacts[:, 0], plain.focus], axis=1)
        gap = np.linalg.norm(thumbs[:, None] - wanted, axis=2).min(axis=1)
        assert np.mean(gap < 0.5) > 0.95


@pytest.mark.parametrize("name", ["hexagon", "rectangle", "twelve-gon"])
@pytest.mark.parametrize("view", ["noise", "inverted", "turned", "mirrored", "doubled"])
def test_pictures_of_one_part_give_the_same_candidates_from_every_view(name, view):
    shape = SHAPES[name]
    plain = from_picture(shape.drawn())
    if view == "noise":
        grey = shape.drawn() + 0.05 * np.random.default_rng(3).normal(size=(260, 280))
        found, back = from_picture(grey), np.eye(2)
    elif view == "inverted":
        found, back = from_picture(1.0 - shape.drawn()), np.eye(2)
    elif view == "turned":
        c, s = np.cos(np.radians(37)), np.sin(np.radians(37))
        found, back = from_picture(shape.turned(np.radians(37)).drawn()), np.array([[c, -s], [s, c]])
    elif view == "mirrored":
        found, back = from_picture(shape.mirrored().drawn()), np.diag([-1.0, 1.0])
    else:
        found, back = from_picture(shape.drawn(0.25, (520, 560)), 0.25), np.eye(2)
    assert len(found) == pytest.approx(len(plain), rel=0.15)
    wanted = np.sort(plain.contacts.reshape(len(plain), -1), axis=1)
    seen = np.sort((found.contacts @ back).reshape(len(found), -1), axis=1)
    gap = np.abs(seen[:, None] - wanted).max(axis=2).min(axis=1)
    assert np.mean(gap < 1.5) > 0.9


def test_a_disc_has_a_nearly_equilateral_centred_candidate():
    found = from_picture(disc().moved(4.3, -2.1).drawn())
    sides = np.linalg.norm(found.contacts - np.roll(found.contacts, 1, axis=1), axis=2)
    spread = np.ptp(sides, axis=1) / sides.mean(axis=1)
    centred = np.linalg.norm(found.focus - [4.3, -2.1], axis=1)
    assert ((spread < 0.03) & (centred < 1.0)).any()


def test_a_rectangle_has_virtual_two_finger_candidates_across_its_middle():
    found = from_picture(rectangle().drawn())
    virtual = found.select(found.virtual)
    assert len(virtual) == 2
    assert set(found.kind) == {"three_finger", "virtual_two_finger"}
    for contacts, focus, index in zip(virtual.contacts, virtual.focus, virtual.region_index, strict=True):
        np.testing.assert_allclose(np.abs(contacts[:, 1]), 22.0, atol=0.2)
        assert np.linalg.norm(contacts[1] - contacts[2]) == pytest.approx(2 * HAND.pivot_offset, rel=1e-4)
        np.testing.assert_allclose(focus, 0.0, atol=0.2)
        assert index[1] == index[2] != index[0]


def test_fingers_share_a_region_only_when_it_is_long_enough_for_both():
    hand = replace(HAND, pivot_offset=25.0)
    found = {length: from_border(rectangle(length + 3.2, 40).border, hand).virtual.sum() for length in (49.0, 52.0)}
    assert found == {49.0: 0, 52.0: 2}


def test_sides_that_face_away_are_not_gripped_from_inside():
    # a U: its two inner flanks are antiparallel, but a finger between them would push them apart
    u = [[-40, -30], [40, -30], [40, 40], [20, 40], [20, -10], [-20, -10], [-20, 40], [-40, 40]]
    found = from_border(u, replace(HAND, pivot_offset=15.0))
    virtual = found.select(found.virtual)
    inner = np.abs(np.abs(virtual.contacts[..., 0]) - 20.0) < 1.0
    outer = np.abs(np.abs(virtual.contacts[..., 0]) - 40.0) < 1.0
    assert not inner.all(axis=1).any()
    assert (inner | outer).all(axis=1).any()


def test_hands_take_what_they_can():
    border = rectangle().border
    assert not from_border(border, load_hand("generic")).virtual.all()
    jaw = from_border(border, load_hand("parallel_jaw"))
    assert len(jaw) > 0
    assert jaw.virtual.all()
    none = from_border(border, replace(HAND, virtual=False))
    assert not none.virtual.any()


def test_little_friction_leaves_fewer_candidates():
    counts = [len(from_border(trefoil().border, mu=mu)) for mu in (0.1, 0.4, 0.8)]
    assert counts == sorted(counts)
    assert counts[0] < counts[2]


def test_nothing_to_hold_is_an_empty_list_and_bad_questions_are_errors():
    empty = from_border(disc(7.0).border)
    assert len(empty) == 0
    assert empty.contacts.shape == (0, 3, 2)
    assert empty.zones == empty.kind == ()
    regions = find_regions(smoothed(Contour.from_points(rectangle().border)))
    for bad in (0.0, -0.4, np.nan, "a"):
        with pytest.raises(InputError):
            find_candidates(regions, HAND, bad)
    with pytest.raises(InputError):
        find_candidates(rectangle().border, HAND)


def test_regions_out_of_the_hands_span_are_not_tried_together_and_nothing_reachable_is_lost():
    from holdfast.grasps.hands import solve_hand

    hand = replace(HAND, longest_extension=60.0)
    turn = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)
    border = np.column_stack([150.0 * np.cos(turn), 35.0 * np.sin(turn)])
    regions = find_regions(smoothed(Contour.from_points(border)))
    near = within_span(regions, hand)
    assert not near.all()
    every, some = find_candidates(regions, hand), find_candidates(regions, hand, together=near)
    assert 0 < len(some) < len(every)
    reached = every.select(solve_hand(every, hand).reachable)
    kept = some.select(solve_hand(some, hand).reachable)
    assert len(kept) > 0
    np.testing.assert_array_equal(reached.contacts, kept.contacts)
