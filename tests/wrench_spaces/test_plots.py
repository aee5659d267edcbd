from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.plotting.solids import Solids
from holdfast.wrench_spaces.comparison import MEASURES, Comparison, compare
from holdfast.wrench_spaces.computation import difference
from holdfast.wrench_spaces.plots import (
    ENDLESS,
    comparison_bars,
    comparison_radar,
    radius_of,
    shares,
    wrench_difference,
    wrench_sections,
    wrench_space,
)
from holdfast.wrench_spaces.space import slice_surface
from holdfast.wrench_spaces.subspace import Rays, Subspace
from tests.wrench_spaces.known_spaces import BOX, at_one_point, box_limit, cross, space_of

FORCES = Subspace.named("fx,fy,fz")
MIXED = Subspace.named("fx,ty,fz", length=0.1)
FORCE_BOX = space_of(Rays.sphere(FORCES, 2), box_limit(BOX))
MIXED_BOX = space_of(Rays.sphere(MIXED, 2), box_limit(BOX))


def faces_of(drawn: list[Solids]) -> list[Any]:
    return [face for face in drawn[0].faces if face.parts]


def test_the_picture_is_no_blank_and_shows_every_triangle(
    drawn: list[Solids], pixels: Callable[[Any], np.ndarray]
) -> None:
    ax = wrench_space(FORCE_BOX, title="box")
    assert pixels(ax).std() > 5.0
    assert len(faces_of(drawn)) == len(FORCE_BOX.triangles)  # type: ignore[arg-type]
    assert ax.get_title() == "box"


def test_axes_are_named_with_their_units_and_numbers(drawn: list[Solids]) -> None:
    ax = wrench_space(MIXED_BOX)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()) == ("$f_x$ [N]", "$t_y$ [N m]", "$f_z$ [N]")
    labels = [float(tick.get_text().replace("\u2212", "-")) for tick in ax.get_yticklabels()]
    places = ax.get_yticks()
    reach = max(np.concatenate(drawn[0].polygons)[:, 1])  # the box ends at 0.4 N m, wherever that is on paper
    np.testing.assert_allclose(np.array(labels) / 0.4, np.array(places) / reach, atol=0.02)
    assert len(labels) >= 2


def test_forces_share_one_scale_and_torques_fill_the_picture(drawn: list[Solids]) -> None:
    wrench_space(FORCE_BOX)
    wrench_space(MIXED_BOX)
    forces, mixed = (np.ptp(np.concatenate(solids.polygons), axis=0) for solids in drawn)
    np.testing.assert_allclose(forces, 2.0 * BOX[:3], rtol=0.02)
    assert mixed[1] == pytest.approx(max(mixed[0], mixed[2]), rel=0.02)


def test_colour_rises_along_the_first_coordinate(drawn: list[Solids]) -> None:
    wrench_space(FORCE_BOX)
    left, right = (
        np.mean([face.inside for face in faces_of(drawn) if sign * face.corners[:, 0].mean() > 3.0], axis=0)
        for sign in (-1.0, 1.0)
    )
    assert right[1] > left[1] + 0.3  # from violet to yellow


def test_level_sets_lie_on_the_surface_at_values_of_the_second_coordinate(drawn: list[Solids]) -> None:
    wrench_space(FORCE_BOX, levels=[-1.0, 2.0])
    lines = np.array([line for face in faces_of(drawn) for line in face.lines])
    assert len(lines) > 10
    np.testing.assert_allclose(np.unique(lines[:, :, 1].round(9)), [-1.0, 2.0])
    use = slice_surface(FORCE_BOX).gauge(lines.reshape(-1, 3))
    np.testing.assert_allclose(use, 1.0, rtol=1e-9)


def test_what_has_no_limit_is_cut_off_and_grey(drawn: list[Solids]) -> None:
    half = BOX.copy()
    half[2] = np.inf
    ax = wrench_space(space_of(Rays.sphere(FORCES, 3), box_limit(half)), cap=12.0)
    grey = [np.ptp(face.inside[:3]) < 0.01 for face in faces_of(drawn)]
    assert 0 < sum(grey) < len(grey)
    tops = [np.linalg.norm(f.corners, axis=1) for f, is_grey in zip(faces_of(drawn), grey, strict=True) if is_grey]
    np.testing.assert_allclose(np.concatenate(tops), 12.0, rtol=0.01)
    assert any("grey: cut off at 12 N" in text.get_text() for text in ax.texts)
    assert wrench_space(space_of(Rays.sphere(FORCES, 1), box_limit(half))) is not None  # a reach of its own


def test_a_space_of_no_strength_still_gives_axes() -> None:
    assert wrench_space(space_of(Rays.sphere(FORCES, 1), lambda d: np.zeros(len(d)))) is not None


def test_sections_are_the_outlines_at_each_value() -> None:
    ax = wrench_sections(MIXED_BOX, axis=1, values=[-0.2, 0.0, 0.2], title="box")
    lines = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
    assert [line.get_label() for line in lines] == ["$t_y$ = -0.2 N m", "$t_y$ = 0 N m", "$t_y$ = 0.2 N m"]
    for line in lines:
        x, y = line.get_data()
        assert np.abs(x).max() == pytest.approx(4.0, rel=0.1) and np.abs(y).max() == pytest.approx(2.0, rel=0.1)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$f_x$ [N]", "$f_z$ [N]")
    assert ax.get_aspect() == 1.0
    assert len(wrench_sections(MIXED_BOX, axis=0).get_lines()) > 4  # values of its own


def test_gains_and_losses_have_opposite_colours(drawn: list[Solids]) -> None:
    wide = space_of(Rays.sphere(FORCES, 2), box_limit(BOX * [2.0, 1, 0.5, 1, 1, 1]))
    ax = wrench_difference(difference(wide, FORCE_BOX), names=("wide", "box"))
    faces = faces_of(drawn)
    gain, loss = (
        np.mean([f.inside for f in faces if abs(f.corners[:, axis].mean()) > least], axis=0)
        for axis, least in ((0, 5.0), (2, 0.9))
    )
    assert gain[2] > gain[1] and loss[0] > loss[2] + 0.2  # violet against orange
    assert "wide / box" in ax.get_figure().axes[-1].get_ylabel()


def test_what_cannot_be_drawn_is_told() -> None:
    with pytest.raises(InputError, match="give a WrenchSpace"):
        wrench_space(hf.models.coulomb(0.5))  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"give a\.difference"):
        wrench_difference(FORCE_BOX)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="0, 1 or 2"):
        wrench_sections(FORCE_BOX, axis=3)
    with pytest.raises(InputError, match="not a triangulated slice"):
        wrench_space(space_of(Rays.axes(), box_limit(BOX)))


@pytest.fixture(scope="module")
def two() -> Comparison:
    return compare({"weak": cross(0.1, 1.0), "strong": cross(0.1, 10.0)}, level=0, workers=1)


@pytest.fixture(scope="module")
def endless() -> Comparison:
    free = hf.Assembly([hf.Contact(np.zeros(3), np.eye(3), hf.models.coulomb(0.5))])
    return compare({"box": at_one_point(1, 1, 1), "friction": free}, level=0, workers=1)


def line(ax: Any, name: str) -> Any:
    (found,) = [child for child in ax.lines if child.get_gid() == name]
    return found


def test_the_best_lies_on_the_rim_and_a_tenth_a_third_further_in(two: Comparison) -> None:
    ax = comparison_radar(two, title="two")
    np.testing.assert_allclose(line(ax, "strong").get_ydata(), 1.0, atol=1e-6)
    np.testing.assert_allclose(line(ax, "weak").get_ydata(), 2.0 / 3.0, atol=2e-3)
    assert len(line(ax, "weak").get_xdata()) == len(MEASURES) + 1  # closed
    assert ax.get_title() == "two"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["weak", "strong"]


def test_volumes_count_as_their_cube_roots(two: Comparison) -> None:
    np.testing.assert_allclose(shares(two, two.measure("force volume")), [0.1, 1.0], rtol=1e-2)


def test_a_thousandth_and_less_lies_in_the_centre() -> None:
    np.testing.assert_allclose(radius_of(np.array([1.0, 0.1, 1e-3, 1e-9, 0.0])), [1, 2 / 3, 0, 0, 0], atol=1e-12)


def test_no_limit_stands_outside_the_rim_with_a_mark_of_its_own(endless: Comparison) -> None:
    ax = comparison_radar(endless)
    names = [text.get_text().replace("\n", " ") for text in ax.get_xticklabels()]
    radii = line(ax, "friction").get_ydata()
    assert radii[names.index("-fz")] == ENDLESS
    assert radii[names.index("+fz")] == 0.0
    assert line(ax, "box").get_ydata()[names.index("-fz")] == 1.0  # the best that has a limit
    assert "no limit" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_chosen_measures_are_the_spokes_in_their_order(two: Comparison) -> None:
    ax = comparison_radar(two, measures=["+fx", "-tz", "weakest force"])
    assert [text.get_text() for text in ax.get_xticklabels()] == ["+fx", "-tz", "weakest\nforce"]
    with pytest.raises(UnknownNameError, match="weakest force"):
        comparison_radar(two, measures=["+fx", "-fx", "weakest"])
    with pytest.raises(InputError, match="measures"):
        comparison_radar(two, measures=["+fx", "-fx"])


@pytest.mark.parametrize("made", ["two", "endless"])
def test_bars_are_as_long_as_the_values(
    made: str, request: pytest.FixtureRequest, pixels: Callable[[Any], Any]
) -> None:
    comparison: Comparison = request.getfixturevalue(made)
    figure = comparison_bars(comparison, title="bars")
    forces, torques, volumes = figure.axes
    assert forces.get_xlabel() == "limit [N]" and torques.get_xlabel() == "limit [N m]"
    for ax in figure.axes:
        keys = [text.get_text() for text in ax.get_yticklabels()]
        for name in comparison.names:
            bars = [bar for bar in ax.patches if bar.get_gid() == name]
            assert len(bars) == len(keys)
            if ax is not volumes:
                for key, bar in zip(keys, bars, strict=True):
                    value = comparison[name].value(key)
                    end = bar.get_x() + bar.get_width()
                    assert (
                        bar.get_hatch() if np.isinf(value) else end == pytest.approx(max(value, bar.get_x()), rel=1e-6)
                    )
    assert pixels(forces).std() > 5.0


def test_one_design_alone_can_be_drawn(pixels: Callable[[Any], Any]) -> None:
    alone = compare({"only": at_one_point(1, 2, 3)}, level=0, workers=1)
    (line,) = [line for line in comparison_radar(alone).get_lines() if line.get_label() == "only"]
    assert len(line.get_xdata()) > 1  # one closed line round the spokes
    assert pixels(comparison_bars(alone)).std() > 5.0  # something is drawn


def test_what_is_no_comparison_is_named() -> None:
    with pytest.raises(InputError, match="comparison"):
        comparison_radar({"a": 1})  # pyright: ignore[reportArgumentType]
