""""""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from holdfast import plotting
from holdfast.errors import InputError
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.plots import (
    BLOCKED,
    FORCE_LENGTH,
    FREE,
    MEANING,
    capsule,
    correlation_map,
    criterion_distributions,
    grasp_clearance,
    grasp_gallery,
    grasp_overlay,
    grasp_regions,
    grasp_sheet,
    stability_chart,
    variation_chart,
)
from holdfast.grasps.studies import Correlation, correlations, parameter_variation, stability_study

SCALE = 1.0


@pytest.fixture(scope="module")
def bracket():
    return plan(example_part("bracket").picture(SCALE), mm_per_px=SCALE)


def test_everything_stands_where_it_is(bracket, artists):
    grasp = next(grasp for grasp in bracket.grasps if grasp.real_focus_mm is not None)
    ax = grasp_overlay(grasp, bracket.contour, picture=bracket.picture, mm_per_px=SCALE)
    regions = np.array([line.get_xydata() for line in artists(ax, "region")])
    np.testing.assert_allclose(regions, grasp.regions_mm)
    (contacts,) = artists(ax, "contact")
    np.testing.assert_allclose(contacts.get_xydata(), grasp.contacts_mm)
    (real,), (meant,) = artists(ax, "real focus"), artists(ax, "grasp focus")
    np.testing.assert_allclose(real.get_xydata()[0], grasp.real_focus_mm)
    np.testing.assert_allclose(meant.get_xydata()[0], grasp.grasp_focus_mm)
    size = np.ptp(bracket.contour.outer, axis=0).max()
    for drawn, point, force in zip(artists(ax, "force"), grasp.contacts_mm, grasp.force_directions, strict=True):
        start, end = drawn._posA_posB
        np.testing.assert_allclose(start, point)
        np.testing.assert_allclose(np.subtract(end, start), FORCE_LENGTH * size * force)


def test_the_hand_has_its_palm_pivots_and_tips_that_touch_the_contacts(bracket, artists):
    grasp = bracket.best
    ax = grasp_overlay(grasp, bracket.contour)
    hand = grasp.scored.hand
    (palm,) = artists(ax, "palm")
    np.testing.assert_allclose(palm.center, grasp.palm_mm)
    assert palm.radius == hand.palm_radius
    (pivots,) = artists(ax, "pivot")
    offsets = np.linalg.norm(pivots.get_xydata() - grasp.palm_mm, axis=1)
    np.testing.assert_allclose(offsets, [0.0, hand.pivot_offset, hand.pivot_offset], atol=1e-9)
    # Each contact lies as far from its pivot along the ray as the extension says.
    reach = np.linalg.norm(pivots.get_xydata() - grasp.contacts_mm, axis=1)
    np.testing.assert_allclose(reach, np.abs(grasp.extensions_mm), atol=1e-6)
    for tip, contact in zip(artists(ax, "fingertip"), grasp.contacts_mm, strict=True):
        assert np.linalg.norm(tip.center - contact) == pytest.approx(0.5 * hand.fingertip_width)
    assert not artists(grasp_overlay(grasp, bracket.contour, hand=False), "palm")


def test_the_picture_lies_under_the_contour(bracket, artists):
    ax = grasp_overlay(bracket.best, bracket.contour, picture=bracket.picture, mm_per_px=SCALE)
    (image,) = artists(ax, "picture")
    height, width = bracket.picture.shape
    assert image.get_extent() == [-0.5 * width, 0.5 * width, -0.5 * height, 0.5 * height]
    assert not artists(ax, "part")
    outline = artists(ax, "outline")
    assert len(outline) == 1 + len(bracket.contour.holes) == 2
    filled = grasp_overlay(bracket.best, bracket.contour)
    assert len(artists(filled, "part")) == 1
    assert ax.get_xlabel() == "$x$ [mm]"


def test_a_sheet_shows_the_best_grasps_by_rank_on_equal_scales(bracket):
    figure = grasp_sheet(bracket, best=4, picture=bracket.picture, mm_per_px=SCALE, title="bracket")
    assert len(figure.axes) == 4
    assert [ax.get_title().split()[0] for ax in figure.axes] == ["1", "2", "3", "4"]
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in figure.axes}) == 1
    assert {text.get_text() for text in figure.legends[0].get_texts()} >= {"contact", "grasping region", "centroid"}


def test_a_gallery_goes_from_the_best_to_the_worst_part_and_leaves_out_what_cannot_be_grasped(bracket, tmp_path):
    rankings = {
        "bracket": bracket,
        "hexagon": plan(example_part("hexagon")),
        "disc": plan(example_part("disc"), "parallel_jaw", rank="paper"),
    }
    figure = grasp_gallery(rankings)
    assert [ax.get_title().split()[0] for ax in figure.axes] == ["hexagon", "bracket"]
    for name in ("gallery.svg", "gallery.png"):
        assert plotting.save(figure, tmp_path / name).stat().st_size > 1000
    with pytest.raises(InputError, match="contain no grasp"):
        grasp_gallery({"disc": rankings["disc"]})
    with pytest.raises(InputError, match="no grasp to draw"):
        grasp_sheet(rankings["disc"])


@pytest.fixture(scope="module")
def checked_casting():
    return plan(example_part("casting"), reachability=True)


def colours(ways):
    from matplotlib.colors import to_hex

    return [to_hex(way.get_edgecolor()).upper() for way in ways]


def test_regions_are_drawn_where_they_are_with_normals_into_the_part(checked_casting, artists):
    from holdfast.grasps.contours import contains

    ax = grasp_regions(checked_casting, title="casting")
    drawn = np.array([line.get_xydata() for line in artists(ax, "region")])
    np.testing.assert_allclose(drawn, checked_casting.regions.segments)
    ends = np.array([line.get_xydata()[1] for line in artists(ax, "normal")])
    assert contains(checked_casting.contour.outer, ends).all()
    (lines,) = artists(ax, "curvature")
    values = np.asarray(lines.get_array())
    assert values.min() < -0.1  # convex corners
    assert values.max() > 0.1  # and concave ones


def test_free_and_blocked_ways_have_their_colours(checked_casting, artists):
    free = grasp_clearance(checked_casting.best, checked_casting.contour)
    assert colours(artists(free, "way")) == [FREE.upper()] * 3
    assert free.get_title() == "no obstacle"
    blocked = next(grasp for grasp in checked_casting.excluded if grasp.valid)
    ax = grasp_clearance(blocked, checked_casting.contour)
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


def test_rankings_without_a_contour_cannot_be_drawn(checked_casting):
    from dataclasses import replace

    bare = replace(checked_casting, workpiece=None, regions=None)
    with pytest.raises(InputError, match="no contour"):
        grasp_regions(bare)


@pytest.fixture(scope="module")
def casting():
    return plan(example_part("casting"))


def test_every_grasp_stands_in_one_bar_of_every_histogram(casting):
    figure = criterion_distributions(casting, title="casting")
    assert [ax.get_title().split(":")[0] for ax in figure.axes] == list(MEANING)
    for ax in figure.axes:
        assert sum(patch.get_height() for patch in ax.patches) == len(casting)


def test_the_best_grasp_and_the_median_are_marked(casting):
    figure = criterion_distributions(casting)
    quality = next(ax for ax in figure.axes if ax.get_title().startswith("Q"))
    marks = {line.get_label(): line.get_xdata()[0] for line in quality.get_lines()}
    assert marks["best grasp"] == pytest.approx(casting.best.Q)
    assert marks["median"] == pytest.approx(np.median([grasp.Q for grasp in casting.grasps]))
    assert len(figure.legends[0].get_texts()) == 3


def test_there_is_nothing_to_draw_without_grasps():
    with pytest.raises(InputError, match="no grasp"):
        criterion_distributions(plan(example_part("disc"), "parallel_jaw", rank="paper"))


def test_no_two_labels_of_an_axis_touch():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = criterion_distributions(plan(example_part("hexagon").picture(0.5), mm_per_px=0.5, reachability=True))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    for ax in figure.axes:
        low, high = sorted(ax.get_xlim())
        ticks = zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
        boxes = sorted(
            (label.get_window_extent(canvas.get_renderer()) for at, label in ticks if low <= at <= high),
            key=lambda box: box.x0,
        )
        assert all(second.x0 - first.x1 > 5.0 for first, second in pairwise(boxes)), ax.get_title()


def drawn(ax, gid):
    lines = [line for line in ax.get_lines() if line.get_gid() == gid]
    return np.concatenate([line.get_ydata() for line in lines]) if lines else np.zeros(0)


def test_bars_are_the_original_qualities_and_marks_those_under_each_change(casting):
    study = parameter_variation(casting)
    ax = variation_chart(study, best=6)
    bars = [patch.get_height() for patch in ax.patches]
    np.testing.assert_allclose(bars, study.quality[:6])
    marks = drawn(ax, "mark")
    assert len(marks) + len(drawn(ax, "above")) == 6 * len(study.changes)
    assert set(marks) <= set(study.qualities[:, :6].ravel())
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "$\\mu$ = 0.3" in labels
    assert "$\\lambda$ = 3 mm" in labels


def test_every_trial_is_a_dot_and_the_worst_rank_stands_above(casting):
    study = stability_study(casting, trials=7)
    ax = stability_chart(study, best=5, title="casting")
    assert len(drawn(ax, "mark")) + len(drawn(ax, "above")) == 35
    np.testing.assert_allclose(drawn(ax, "mean"), study.average_quality[:5])
    words = [text.get_text() for text in ax.texts if text.get_gid() == "worst rank"]
    assert words == [str(rank) for rank in study.worst_rank[:5]]


def test_coefficients_stand_in_their_cells_and_constant_criteria_have_none(casting):
    study = correlations(casting)
    figure = correlation_map(study)
    maps = figure.axes[:2]
    for ax, matrix in zip(maps, (study.values, study.ranks), strict=True):
        cells = {text.get_position(): text.get_text() for text in ax.texts}
        for (j, i), text in cells.items():
            if np.isnan(matrix[i, j]):
                assert text == "–"
            else:
                assert float(text) == pytest.approx(matrix[i, j], abs=0.0051)
    assert np.isnan(study.values).any()


def test_studies_without_grasps_have_nothing_to_draw():
    empty = plan(example_part("disc"), "parallel_jaw", rank="paper")
    with pytest.raises(InputError, match="no grasp"):
        variation_chart(parameter_variation(empty))
    with pytest.raises(InputError, match="no grasp"):
        stability_chart(stability_study(empty, trials=2))
    nothing = Correlation(("S1", "Q"), np.full((2, 2), np.nan), np.full((2, 2), np.nan), 0)
    assert correlation_map(nothing).axes
