""""""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.grasps.parts import example_part
from holdfast.grasps.planning import plan
from holdfast.grasps.plots import (
    FORCE_LENGTH,
    grasp_overlay,
    grasp_sheet,
    stability_chart,
    variation_chart,
)
from holdfast.grasps.studies import parameter_variation, stability_study

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


@pytest.fixture(scope="module")
def casting():
    return plan(example_part("casting"))


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


def test_studies_without_grasps_have_nothing_to_draw():
    empty = plan(example_part("disc"), "parallel_jaw", rank="paper")
    with pytest.raises(InputError, match="no grasp"):
        variation_chart(parameter_variation(empty))
    with pytest.raises(InputError, match="no grasp"):
        stability_chart(stability_study(empty, trials=2))
    with pytest.raises(InputError, match="no grasp to draw"):
        grasp_sheet(empty)
