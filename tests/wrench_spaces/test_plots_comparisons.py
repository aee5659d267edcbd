from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError, UnknownNameError
from holdfast.wrench_spaces.comparison import MEASURES, Comparison, compare
from holdfast.wrench_spaces.plots import ENDLESS, comparison_bars, comparison_radar, radius_of, shares
from tests.wrench_spaces.comparison.cases import at_one_point, cross


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
