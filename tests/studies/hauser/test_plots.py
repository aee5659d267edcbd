from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.geometry.frames import Pose
from holdfast.grips import Grip, OuterGrip
from holdfast.papers.climbing import (
    STANCES,
    WALLS,
    ClimbCase,
    ClimbingStudy,
    Fineness,
    StanceName,
    SupportOutline,
)
from holdfast.papers.devices.climber import climbing_posture, hand_grip
from holdfast.papers.figures import figure_data
from holdfast.papers.hierarchy import GripTestRow, GripTestTimes, RegionRow, regions
from holdfast.papers.plots import (
    REAR,
    Pose2D,
    climbing_case,
    climbing_figure,
    feet_figure,
    fineness_figure,
    grips_figure,
    growth_times,
    onset_agreement,
    onset_strip,
    paper_figure,
    region_figure,
    region_growth,
)
from holdfast.postures import support_region
from holdfast.postures.region_computation import Sampling
from tests.papers.test_hierarchy import hand

REACH = np.array([300.0, 300.0, 500.0, 40.0, 40.0, 40.0])


def _case(stance: StanceName) -> ClimbCase:
    """A case with boxes for hands: quick, and of the right kind."""
    posture = climbing_posture(WALLS["overhang"], "pinch")
    poses: list[Pose] = [posture.palms[limb] for limb in STANCES[stance]]
    inner = support_region(Grip.box(-REACH, REACH), poses, 60.0)
    outer = support_region(OuterGrip.box(-1.2 * REACH, 1.2 * REACH), poses, 60.0, method=Sampling(8)).outer
    ways = Sampling(16).directions
    exact = SupportOutline(ways, inner.vertices[(ways @ inner.vertices.T).argmax(axis=1)])
    return ClimbCase("overhang", stance, "pinch", posture, exact, inner, outer)


@pytest.fixture(scope="module")
def found() -> ClimbingStudy:
    return ClimbingStudy((_case("two hands"), _case("one hand")), 40, 0, 16)


def test_the_four_grips_stand_side_by_side_with_their_units() -> None:
    figure = grips_figure()
    assert [ax.get_title() for ax in figure.axes] == ["opposing", "parallel", "pinch", "power"]
    pinch = figure.axes[2]
    marked = [line.get_xdata() for line in pinch.lines if line.get_color() == "#E69F00"]
    assert len(marked) == len(hand_grip("pinch").touching)
    np.testing.assert_allclose(np.abs(np.concatenate(marked)), 40.0)  # on the faces of the edge [mm]


def test_regions_lie_at_the_height_of_the_centre_of_mass(found: ClimbingStudy) -> None:
    case = found.cases[0]
    ax = climbing_case(case)
    assert "pinch, two hands" in ax.get_title()
    names = ax.get_legend_handles_labels()[1]
    assert names == ["outer", "exact", "inner", "centre of mass"]
    for line in ax.lines[:3]:
        np.testing.assert_allclose(line.get_data_3d()[2], case.posture.com[2])
    with pytest.raises(InputError, match="case"):
        climbing_case(found)  # pyright: ignore[reportArgumentType]


def test_figures_have_a_panel_a_case_and_one_legend(found: ClimbingStudy) -> None:
    assert len(climbing_figure(found, "overhang", "one hand").axes) == 1
    figure = region_figure(found, "overhang")
    assert [ax.get_title() for ax in figure.axes] == ["two hands and two feet", "one hand and two feet"]
    crosses = [line for ax in figure.axes for line in ax.lines if line.get_marker() == "x"]
    assert [len(line.get_xdata()) for line in crosses] == [4, 3]
    assert len(figure.legends) == 1


def test_pressing_feet_stand_beside_gripping_ones(found: ClimbingStudy) -> None:
    power = replace(found, cases=tuple(replace(case, grip="power") for case in found.cases))
    figure = feet_figure(power, {case.stance: case.inner for case in found.cases})
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words == ["feet that grip", "feet that only press", "palm", "centre of mass"]
    assert [len(ax.patches) for ax in figure.axes] == [2, 2]


def test_finer_grips_are_drawn_beside_their_areas(found: ClimbingStudy) -> None:
    case = found.cases[0]
    rows = (RegionRow("vertices", 64, case.inner, 0.0, ""), RegionRow("half-spaces", 12, case.outer, 0.0, ""))
    figure = fineness_figure(Fineness(rows, case.exact, case.posture, "opposing"))
    left, right = figure.axes
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["64 vertices", "12 half-spaces", "exact"]
    share = right.lines[0].get_ydata()[0]
    assert share == pytest.approx(case.inner.area / case.exact.area)


ROWS = (
    GripTestRow("vertices", 25, 2e-4, 1e-4, 0.005, 1.0, 1.0),
    GripTestRow("vertices", 250, 3e-4, 1e-4, 0.05, 1.5, 1.5),
    GripTestRow("half-spaces", 12, 9e-3, 3e-4, 0.01, 3.0, 3.0),
)


def test_times_are_drawn_in_milliseconds_against_counts() -> None:
    ax = growth_times(GripTestTimes(ROWS, 5, 400, 0))
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    curves = {line.get_label(): line for line in ax.lines}
    assert len(curves) == 6
    assert np.allclose(curves["vertices: HiGHS, one program"].get_xydata(), [[25, 5.0], [250, 50.0]])


def test_regions_go_from_red_to_orange_and_from_green_to_cyan() -> None:
    found = regions(hand(), inner=(80,), outer=())
    ax = region_growth(found)
    names = ax.get_legend_handles_labels()[1]
    assert names[:4] == [
        "inner: all 150 vertices",
        "inner: 80 learned vertices",
        "outer: bounding box",
        "outer: all 40 half-spaces",
    ]
    assert len(ax.patches) == 4
    for patch, row in zip(ax.patches, (*found.inner[::-1], *found.outer), strict=True):
        assert np.allclose(patch.get_xy()[:-1], row.region.vertices)


def test_other_data_are_refused() -> None:
    with pytest.raises(InputError, match="growth: is a int"):
        growth_times(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="regions: is a int"):
        region_growth(3)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("number, panels", [(3, 2), (4, 2), (5, 1), (7, 2), (8, 2)])
def test_every_figure_has_its_panels_with_units(number: int, panels: int, pixels: Callable[[Any], Any]) -> None:
    figure = paper_figure(figure_data(number, level=0, workers=1))
    assert len(figure.axes) == panels
    for ax in figure.axes:
        assert "[N" in ax.get_xlabel() and "[N" in ax.get_ylabel()
        assert ax.get_title()
    assert pixels(figure.axes[0]).std() > 5.0


def test_the_second_slice_of_figure_8_is_seen_from_behind() -> None:
    first, second = paper_figure(figure_data(8, level=0, workers=1)).axes
    assert (second.elev, second.azim) == REAR and first.azim != second.azim
    assert "rear view" in second.get_title() and "rear view" not in first.get_title()
    assert second.get_position().y1 < first.get_position().y0  # below


def test_what_is_no_data_is_named() -> None:
    with pytest.raises(InputError, match="data"):
        paper_figure("Fig. 7")  # pyright: ignore[reportArgumentType]


DEVICE = hf.devices.two_opposed_units()


def test_every_event_is_a_point_and_what_never_slips_is_at_the_border() -> None:
    ax = onset_agreement(np.radians([10, 50, 90]), [0.2, np.inf, 1.0], ["a", "b", "a"])
    points = {c.get_label(): np.asarray(c.get_offsets()) for c in ax.collections if len(c.get_offsets())}
    assert np.allclose(points["a"], [[np.degrees(0.2), 10], [np.degrees(1.0), 90]])
    assert points["b"][0, 0] > 180
    assert points["b"][0, 1] == pytest.approx(50)
    assert "deg" in ax.get_xlabel()
    assert {t.get_text() for t in ax.get_legend().get_texts()} == {"within 10°", "a", "b"}


def test_gravity_points_down_the_page_whatever_the_angle() -> None:
    for azimuth in (0.0, 0.7, np.pi / 2, np.pi):
        towards = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
        for angle in (0.0, 0.5, 2.0):
            gravity = -np.cos(angle) * np.array([0, 0, 1.0]) + np.sin(angle) * towards
            assert np.allclose(Pose2D(DEVICE, towards, angle).project(gravity[None]), [[0.0, -1.0]], atol=1e-12)


def test_the_left_finger_is_drawn_on_the_left() -> None:
    left = np.array([[-1.0, 0.0, 0.0]])
    for towards in ((1, 0, 0), (-1, 0, 0), (-1, 1, 0)):
        assert Pose2D(DEVICE, np.array(towards, dtype=float), 0.0).project(left)[0, 0] < 0


def test_a_strip_has_a_panel_a_pose_with_units_and_links() -> None:
    towards = np.array([1.0, 0.0, 0.0])
    rows = [[Pose2D(DEVICE, towards, angle, f"{angle:g}") for angle in (0.0, 1.0)]] * 2
    figure = onset_strip(rows, titles=("before", "after"))
    assert len(figure.axes) == 4
    assert [ax.get_title() for ax in figure.axes[:2]] == ["before", "after"]
    for ax in figure.axes:
        assert len(ax.patches) == len(DEVICE.patches)
        assert len(ax.lines) == len(DEVICE.links) + 1  # and the centre of mass
    bare = hf.devices.Device("bare", DEVICE.patches, hf.devices.HeldObject(1.0), links=DEVICE.links)
    assert onset_strip([[Pose2D(bare, towards, 0.0)]]).axes


def test_bad_pictures_are_refused() -> None:
    with pytest.raises(InputError):
        onset_agreement([1.0], [1.0, 2.0], ["a"])
    with pytest.raises(InputError, match="groups"):
        onset_agreement([1.0], [1.0], [])
    for frames in ([], [[], [Pose2D(DEVICE, np.array([1.0, 0, 0]), 0.0)]]):
        with pytest.raises(InputError, match="frames"):
            onset_strip(frames)
