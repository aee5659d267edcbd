"""Focus zones against closed forms and points drawn at random, and projections against their definition.

Force closure against an independent linear program on the edge wrenches (HiGHS).

Candidates of drawn parts: on the border, force-closed by another program, the same from every view of the part.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from holdfast.errors import InputError
from holdfast.grasps.candidates import (
    CONTACT_INSET,
    LOST_INSET,
    axis_interval,
    find_candidates,
    project,
    three_contacts,
    two_contacts,
    within_span,
    zones,
)
from holdfast.grasps.contours import Contour, smoothed
from holdfast.grasps.hands import load_hand
from holdfast.grasps.regions import find_regions, left_normals
from holdfast.grasps.segmentation import segment, trace
from tests.grasps.drawn_shapes import SHAPES, disc, rectangle, regular, trefoil


def sides(n, which, radius=40.0, length=None, shift=(0.0, 0.0)):
    """Sides of a regular polygon as segments, shortened about their middles to `length`."""
    corners = regular(n, radius).border
    ends = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)[list(which)]
    if length is not None:
        middle = ends.mean(axis=1, keepdims=True)
        ends = middle + (ends - middle) * length / np.linalg.norm(ends[:, 1:] - ends[:, :1], axis=2, keepdims=True)
    return ends + np.asarray(shift)


def in_strip(points, segment, mu):
    start, end = segment
    length = np.linalg.norm(end - start)
    along = (end - start) / length
    across = np.array([-along[1], along[0]])
    u, h = (points - start) @ along, (points - start) @ across
    return (h >= 0) & (u >= -mu * h) & (u <= length + mu * h)


def area_of(polygon):
    after = np.roll(polygon, -1, axis=0)
    return (polygon[:, 0] * after[:, 1] - polygon[:, 1] * after[:, 0]).sum() / 2


@pytest.mark.parametrize("length", [4.0, 10.0, 16.0])
def test_three_strips_at_120_degrees_meet_in_a_regular_hexagon(length):
    (zone,) = zones(sides(6, (0, 2, 4), length=length)[None])
    assert zone.kind == "perpendiculars"
    # strips of width w about lines through the centre: a hexagon of inradius w / 2
    assert len(zone.vertices) == 6
    np.testing.assert_allclose(np.linalg.norm(zone.vertices, axis=1), length / np.sqrt(3), rtol=1e-9)
    assert area_of(zone.vertices) == pytest.approx(np.sqrt(3) / 2 * length**2, rel=1e-9)
    np.testing.assert_allclose(zone.centroid, 0.0, atol=1e-9)


def test_two_facing_sides_of_a_square_and_a_third_meet_in_a_square():
    (zone,) = zones(sides(4, (0, 1, 2), length=12.0, shift=(3, 4))[None])
    assert area_of(zone.vertices) == pytest.approx(144.0, rel=1e-9)
    np.testing.assert_allclose(zone.centroid, (3, 4), atol=1e-9)


def test_where_no_perpendiculars_meet_friction_cones_may():
    ends = sides(6, (0, 2, 4), length=4.0)
    ends[0] += 8.0 * (ends[0, 1] - ends[0, 0]) / 4.0  # its strip passes the crossing of the other two
    (strips,) = zones(ends[None], mu=1e-9)
    (cones,) = zones(ends[None], mu=0.4)
    assert strips.kind == "empty"
    assert np.isnan(strips.centroid).all()
    assert cones.kind == "friction_cones"
    assert len(strips.vertices) == 0


@pytest.mark.parametrize("seed", range(12))
def test_zones_hold_exactly_the_points_that_all_three_regions_see(seed):
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0, 2 * np.pi, 3))
    middle = 30 * np.column_stack([np.cos(angle), np.sin(angle)])
    turn = angle + np.pi / 2 + rng.normal(0, 0.3, 3)
    half = rng.uniform(4, 15, (3, 1)) * np.column_stack([np.cos(turn), np.sin(turn)])
    ends = np.stack([middle - half, middle + half], axis=1)
    (zone,) = zones(ends[None], mu=0.4)
    points = rng.uniform(-60, 60, (4000, 2))
    kinds = {"perpendiculars": 0.0, "friction_cones": 0.4, "empty": 0.4}
    seen = np.all([in_strip(points, s, kinds[zone.kind]) for s in ends], axis=0)
    if zone.kind == "empty":
        assert not seen.any()
        return
    hull = ConvexHull(zone.vertices)
    inside = (points @ hull.equations[:, :2].T + hull.equations[:, 2] <= 0).all(axis=1)
    np.testing.assert_array_equal(inside, seen)
    assert area_of(zone.vertices) == pytest.approx(hull.volume, rel=1e-9)
    if seen.sum() > 200:
        np.testing.assert_allclose(zone.centroid, points[seen].mean(axis=0), atol=5.0 / np.sqrt(seen.sum()) * 5)
    if zone.kind == "friction_cones":
        assert not np.all([in_strip(points, s, 0.0) for s in ends], axis=0).any()


def test_mirrored_regions_have_mirrored_zones():
    rng = np.random.default_rng(4)
    ends = sides(6, (0, 2, 4), length=12.0) + rng.normal(0, 1.0, (3, 1, 2))
    (a,), (b,) = zones(ends[None]), zones((ends[:, ::-1] * [-1, 1])[None])
    np.testing.assert_allclose(a.centroid * [-1, 1], b.centroid, atol=1e-9)


def test_projections_are_the_nearest_points_kept_inside():
    rng = np.random.default_rng(1)
    focus, ends = rng.normal(0, 10, (50, 2)), rng.normal(0, 30, (50, 3, 2, 2))
    contacts, lost = project(focus, ends)
    fine = np.linspace(0, 1, 2001)[:, None]
    for g in range(50):
        for i in range(3):
            a, b = ends[g, i]
            length = np.linalg.norm(b - a)
            near = a + fine * (b - a)
            wanted = near[np.linalg.norm(near - focus[g], axis=1).argmin()]
            assert np.linalg.norm(contacts[g, i] - wanted) <= CONTACT_INSET + length / 2000
            along = (contacts[g, i] - a) @ (b - a) / length
            assert CONTACT_INSET - 1e-9 <= along <= length - CONTACT_INSET + 1e-9
            share = (focus[g] - a) @ (b - a) / length**2
            assert lost[g, i] == (share < 0 or share > 1)


def test_a_smaller_inset_lets_contacts_reach_the_ends():
    ends = np.array([[[[0, 0], [10, 0]], [[0, 20], [10, 20]], [[30, 0], [30, 0.2]]]], dtype=float)
    contacts, lost = project([[-5.0, 5.0]], ends, inset=LOST_INSET)
    np.testing.assert_allclose(contacts[0, :, 0], [LOST_INSET, LOST_INSET, 30])
    np.testing.assert_array_equal(lost, [[True, True, True]])
    contacts, _ = project([[5.0, 5.0]], ends)
    np.testing.assert_allclose(contacts[0], [[5, 0], [5, 20], [30, 0.1]])  # shorter than both insets: its middle


def test_a_virtual_grasp_keeps_its_axis_and_its_fingers_apart():
    thumb, shared = np.array([[-30.0, 0], [30, 0]]), np.array([[40.0, 50], [-40, 50]])
    ends = np.array([[thumb, shared, shared]])
    contacts, lost = project([[3.0, 25.0]], ends, virtual=[True], pivot_offset=25.0)
    # h = +y: finger 2 stands left of it
    np.testing.assert_allclose(contacts[0], [[3, 0], [-22, 50], [28, 50]], atol=1e-9)
    assert not lost.any()
    _, lost = project([[20.0, 25.0]], ends, virtual=True, pivot_offset=25.0)
    np.testing.assert_array_equal(lost, [[False, False, True]])
    low, high, inset = axis_interval(thumb, shared, np.array([0.0, 1.0]), 25.0)
    assert (low, high, inset) == pytest.approx((-14.7, 14.7, 0.3))


def test_normals_are_left_of_segments():
    np.testing.assert_allclose(left_normals(np.array([[0.0, 0], [2, 0]])), [0, 1])
    ends = sides(5, range(5))
    np.testing.assert_allclose(left_normals(ends), -ends.mean(axis=1) / np.linalg.norm(ends.mean(axis=1)[0]), atol=1e-9)


def test_shapes_are_checked():
    with pytest.raises(InputError):
        project(np.zeros((2, 2)), np.zeros((3, 3, 2, 2)))
    with pytest.raises(InputError):
        zones(np.zeros((3, 2, 2)))
    with pytest.raises(InputError):
        project([[np.nan, 0]], np.zeros((1, 3, 2, 2)))


def margin_by_program(contacts, normals, mu):
    """Largest t with wrenches W f = 0, f >= t, sum f = 1: above 0 exactly when W spans positively (and has rank 3)."""
    contacts, normals = np.asarray(contacts, dtype=float), np.asarray(normals, dtype=float)
    centre = contacts.mean(axis=0)
    length = np.abs(contacts - centre).max()
    wrenches = []
    for point, normal in zip(contacts, normals, strict=True):
        for side in (mu, -mu):
            force = normal + side * np.array([-normal[1], normal[0]])
            arm = (point - centre) / length
            wrenches.append([*force, arm[0] * force[1] - arm[1] * force[0]])
    w = np.array(wrenches).T
    if np.linalg.matrix_rank(w, tol=1e-9) < 3:
        return -1.0
    n = w.shape[1]
    equal = np.vstack([np.hstack([w, np.zeros((3, 1))]), np.append(np.ones(n), 0.0)])
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.hstack([-np.eye(n), np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=equal,
        b_eq=[0, 0, 0, 1],
        bounds=[(None, None)] * (n + 1),
        method="highs",
    )
    return -found.fun if found.status == 0 else -1.0


def random_contacts(rng, count):
    """Contacts around the origin whose normals point more or less inwards: about half of them are closed."""
    angle = np.sort(rng.uniform(0, 2 * np.pi, count))
    points = rng.uniform(10, 50, (count, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])
    inward = angle + np.pi + rng.normal(0, 0.4, count)
    return points, np.column_stack([np.cos(inward), np.sin(inward)])


@pytest.mark.parametrize("mu", [0.1, 0.4, 1.0])
def test_three_contacts_are_closed_exactly_when_the_program_says(mu):
    rng = np.random.default_rng(int(10 * mu))
    cases = [random_contacts(rng, 3) for _ in range(120)]
    found = three_contacts([c[0] for c in cases], [c[1] for c in cases], mu)
    margins = np.array([margin_by_program(*case, mu) for case in cases])
    clear = np.abs(margins) > 1e-7
    np.testing.assert_array_equal(found[clear], margins[clear] > 0)
    assert 10 < found.sum() < 110


@pytest.mark.parametrize("mu", [0.2, 0.6])
def test_two_contacts_are_closed_exactly_when_the_program_says(mu):
    rng = np.random.default_rng(7)
    cases = []
    for _ in range(120):
        turn = rng.uniform(0, 2 * np.pi)
        points = 30 * np.array([[np.cos(turn), np.sin(turn)], [-np.cos(turn), -np.sin(turn)]])
        inward = np.array([turn + np.pi, turn]) + rng.normal(0, 0.4, 2)
        cases.append((points, np.column_stack([np.cos(inward), np.sin(inward)])))
    found = two_contacts([c[0] for c in cases], [c[1] for c in cases], mu)
    wanted = [margin_by_program(*case, mu) > 1e-9 for case in cases]
    np.testing.assert_array_equal(found, wanted)
    assert 5 < found.sum() < 115


def test_a_triangle_closes_at_any_friction_and_a_row_of_equal_normals_at_none():
    angle = np.radians([90, 210, 330])
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    assert three_contacts(points, -points, 1e-6)
    assert not three_contacts([[0, 0], [1, 0], [2, 0]], [[0, 1]] * 3, 5.0)
    assert not three_contacts(np.zeros((3, 2)), -points, 0.4)


def test_closure_does_not_depend_on_place_size_or_direction():
    rng = np.random.default_rng(2)
    points, normals = (np.array(x) for x in zip(*(random_contacts(rng, 3) for _ in range(60)), strict=True))
    plain = three_contacts(points, normals, 0.4)
    c, s = np.cos(0.9), np.sin(0.9)
    turn = np.array([[c, s], [-s, c]])
    np.testing.assert_array_equal(three_contacts(1e-3 * points @ turn + 9.0, normals @ turn, 0.4), plain)
    np.testing.assert_array_equal(three_contacts(points * [-1, 1], normals * [-1, 1], 0.4), plain)
    np.testing.assert_array_equal(three_contacts(points[:, ::-1], normals[:, ::-1], 0.4), plain)


def test_friction_only_helps():
    rng = np.random.default_rng(3)
    points, normals = (np.array(x) for x in zip(*(random_contacts(rng, 3) for _ in range(200)), strict=True))
    before = np.zeros(200, dtype=bool)
    for mu in (0.05, 0.2, 0.5, 1.0, 3.0):
        now = three_contacts(points, normals, mu)
        assert (now | ~before).all()
        before = now


def test_shapes_and_friction_are_checked():
    with pytest.raises(InputError):
        three_contacts(np.zeros((2, 2)), np.zeros((2, 2)), 0.4)
    with pytest.raises(InputError):
        three_contacts(np.zeros((3, 2)), np.zeros((4, 3, 2)), 0.4)
    with pytest.raises(InputError):
        two_contacts(np.zeros((2, 2)), np.zeros((2, 2)), np.nan)


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
