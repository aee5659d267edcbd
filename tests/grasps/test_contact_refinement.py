"""Windows: straight within the tolerance, as wide as can be, none on polygons, and the same wherever points begin.

Sliding: the best grasp of a smooth part is the same from every view, and no grasp becomes worse.
"""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.candidates import find_candidates, three_contacts, within_span
from holdfast.grasps.contact_refinement import PLACES, find_windows, overlapping, slide
from holdfast.grasps.contours import Contour, smoothed
from holdfast.grasps.criteria import evaluate
from holdfast.grasps.hands import load_hand, solve_hand
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import GraspParams, ObjectShape, score
from holdfast.grasps.regions import find_regions, region_of
from tests.grasps.drawn_shapes import SHAPES, Shape, disc, rectangle, regular, trefoil


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
    ranking = plan(example_part("bracket"), rank="paper")
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


#: How far the best quality may move when only the picture changes.
MOVES = 0.05


def ellipse(a: float, b: float) -> Shape:
    angle = np.linspace(0, 2 * np.pi, 1440, endpoint=False)
    border = np.column_stack([a * np.cos(angle), b * np.sin(angle)])
    return Shape(lambda x, y: (x / a) ** 2 + (y / b) ** 2 < 1.0, border, float(np.pi * a * b))


#: Smooth parts whose division into the fewest pieces changes with the picture.
SMOOTH = {
    "disc": disc(45.0),
    "slim ellipse": ellipse(60.0, 25.0),
    "small ellipse": ellipse(40.0, 20.0),
    "trefoil": trefoil(35.0, 6.0),
    "small trefoil": trefoil(30.0, 5.0),
}


def noisy(grey, seed):
    return grey + 0.05 * np.random.default_rng(seed).normal(size=grey.shape)


@pytest.fixture(scope="module", params=list(SMOOTH))
def smooth_part(request):
    return SMOOTH[request.param]


def test_the_best_quality_of_a_smooth_part_is_the_same_from_every_view(smooth_part):
    grey = smooth_part.drawn()
    best = plan(grey, mm_per_px=0.5).best.Q
    for angle in (37.0, 128.0):
        turned = smooth_part.turned(np.radians(angle)).drawn()
        assert pytest.approx(best, rel=MOVES) == plan(turned, mm_per_px=0.5).best.Q
    assert pytest.approx(best, rel=MOVES) == plan(smooth_part.mirrored().drawn(), mm_per_px=0.5).best.Q
    assert pytest.approx(best, rel=MOVES) == plan(smooth_part.drawn(0.25, (520, 560)), mm_per_px=0.25).best.Q
    for seed in (2, 3):
        assert pytest.approx(best, rel=MOVES) == plan(noisy(grey, seed), mm_per_px=0.5).best.Q
    assert pytest.approx(best, rel=MOVES) == plan(smooth_part.border).best.Q


@pytest.mark.parametrize("name", ["slim ellipse", "small ellipse"])
def test_the_best_quality_with_a_parallel_jaw_is_the_same_from_every_view(name):
    part = SMOOTH[name]
    best = plan(part.border, "parallel_jaw").best.Q
    for angle in (37.0, 71.0):
        assert pytest.approx(best, rel=MOVES) == plan(part.turned(np.radians(angle)).border, "parallel_jaw").best.Q
    assert pytest.approx(best, rel=MOVES) == plan(noisy(part.drawn(), 1), "parallel_jaw", 0.5).best.Q


def steps(border, hand="barrett", feasible=False):
    """The scored grasps of a border before and after sliding, and its regions."""
    contour, loaded = Contour.from_points(border), load_hand(hand)
    smooth = smoothed(contour)
    regions = find_regions(smooth)
    shape, params = ObjectShape.of(contour), GraspParams()

    def scorer(found):
        return score(found, solve_hand(found, loaded), loaded, shape, params)

    near = within_span(regions, loaded)
    base = scorer(find_candidates(regions, loaded, together=near))
    windows = find_windows(smooth, regions)
    return base, slide(base, regions, windows, smooth.perimeter, near, scorer, feasible=feasible), regions


def keys(scored):
    found = scored.candidates
    return [
        (int(row[0]), *sorted(int(k) for k in row[1:]), bool(virtual))
        for row, virtual in zip(found.region_index, found.virtual, strict=True)
    ]


def test_every_grasp_stays_and_none_becomes_worse(smooth_part):
    base, slid, _ = steps(smooth_part.border)
    after = dict(zip(keys(slid), np.where(slid.valid, slid.quality, np.inf), strict=True))
    assert len(after) == len(slid)  # one grasp for each home and thumb
    for key, before in zip(keys(base), np.where(base.valid, base.quality, np.inf), strict=True):
        assert after[key] <= before
    assert slid.quality[slid.valid].min() < base.quality[base.valid].min()


def test_sliding_keeps_forces_in_their_cones_where_it_can(smooth_part):
    base, slid, _ = steps(smooth_part.border, feasible=True)
    after = dict(zip(keys(slid), slid.merit(), strict=True))
    for key, before in zip(keys(base), base.merit(), strict=True):
        assert after[key] <= before
    assert (slid.valid & ~slid.outside).sum() >= (base.valid & ~base.outside).sum()


def test_slid_grasps_are_force_closed_on_the_border_and_score_the_same_again(smooth_part):
    _, slid, _ = steps(smooth_part.border)
    found, poses = slid.candidates, slid.poses
    assert three_contacts(found.contacts, found.normals, 0.4).all()
    assert smooth_part.distance(found.contacts[slid.valid]).max() < 1.0
    again = solve_hand(found, slid.hand)
    np.testing.assert_allclose(again.extensions, poses.extensions, atol=1e-6)
    best = int(np.argmin(np.where(slid.valid, slid.quality, np.inf)))
    values = evaluate(
        contacts_mm=found.contacts[best], inward_normals=found.normals[best], regions_mm=found.segments[best],
        region_curvature=found.curvature[best], force_directions=poses.forces[best], grasp_focus_mm=found.focus[best],
        real_focus_mm=poses.real_focus[best], extensions_mm=poses.extensions[best], spread_rad=poses.spread[best],
        **slid.shape.to_dict(), **slid.params.to_dict(),
    )  # fmt: skip
    assert values["Q"] == pytest.approx(slid.quality[best], rel=1e-9)


def test_fingers_of_a_slid_grasp_stand_on_stretches_that_do_not_overlap(smooth_part):
    _, slid, _ = steps(smooth_part.border)
    found = slid.candidates.select(~slid.candidates.virtual)
    lengths = np.linalg.norm(found.segments[:, :, 1] - found.segments[:, :, 0], axis=2)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        # middles of two stretches of a smooth contour are farther apart than half of what both measure, but for bends
        apart = np.linalg.norm(found.segments[:, i].mean(axis=1) - found.segments[:, j].mean(axis=1), axis=1)
        assert (apart > 0.8 * (lengths[:, i] + lengths[:, j]) / 2.0).all()


def test_polygons_are_left_as_they_are():
    base, slid, _ = steps(regular(6).border)
    assert slid is base


def test_thumb_placements_on_the_same_contacts_share_their_triplets_number():
    _, slid, _ = steps(trefoil().border)
    found = slid.candidates.select(~slid.candidates.virtual)
    for number in np.unique(found.triplet)[:40]:
        contacts = found.contacts[found.triplet == number]
        first = contacts[0][np.lexsort(contacts[0].T)]
        for other in contacts[1:]:
            np.testing.assert_allclose(other[np.lexsort(other.T)], first, atol=1e-12)
