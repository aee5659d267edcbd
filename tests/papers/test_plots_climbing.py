from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.geometry.frames import Pose
from holdfast.grips import Grip, OuterGrip
from holdfast.papers.climbing import (
    STANCES,
    WALLS,
    ClimbCase,
    ClimbingStudy,
    Fineness,
    FinenessRow,
    StanceName,
    SupportOutline,
)
from holdfast.papers.devices.climber import climbing_posture, hand_grip
from holdfast.papers.plots import (
    climbing_case,
    climbing_figure,
    feet_figure,
    fineness_figure,
    grips_figure,
    region_figure,
)
from holdfast.postures.support_regions import Sampling, support_region

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
    rows = (FinenessRow("vertices", 64, case.inner), FinenessRow("half-spaces", 12, case.outer))
    figure = fineness_figure(Fineness(rows, case.exact, case.posture, "opposing"))
    left, right = figure.axes
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["64 vertices", "12 half-spaces", "exact"]
    share = right.lines[0].get_ydata()[0]
    assert share == pytest.approx(case.inner.area / case.exact.area)
