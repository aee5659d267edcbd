"""Sliding: the best grasp of a smooth part is the same from every view, and no grasp becomes worse."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.grasps.candidates import find_candidates, three_contacts, within_span
from holdfast.grasps.contact_refinement import find_windows, slide
from holdfast.grasps.contours import Contour, smoothed
from holdfast.grasps.criteria import evaluate
from holdfast.grasps.hands import load_hand, solve_hand
from holdfast.grasps.planning import plan
from holdfast.grasps.ranking import GraspParams, ObjectShape, score
from holdfast.grasps.regions import find_regions
from tests.grasps.drawn_shapes import Shape, disc, regular, trefoil

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


def steps(border, hand="barrett"):
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
    return base, slide(base, regions, windows, smooth.perimeter, near, scorer), regions


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
