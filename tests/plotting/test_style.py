from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from holdfast.errors import InputError
from holdfast.plotting import style


def luminance(colour: str) -> float:
    """Relative luminance of WCAG."""
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def test_the_palette_has_no_colour_twice_and_repeats_itself() -> None:
    assert len(set(style.PALETTE)) == len(style.PALETTE)
    assert style.colour(len(style.PALETTE) + 1) == style.PALETTE[1]


def test_verdicts_differ_in_brightness_too() -> None:
    values = sorted(luminance(c) for c in style.VERDICT.values())
    assert (np.diff(values) > 0.01).all()


def test_letters_are_readable_on_white() -> None:
    assert 1.05 / (luminance(style.INK) + 0.05) > 7.0


@pytest.mark.parametrize(("kind", "name"), [("plane", "rectilinear"), ("space", "3d"), ("polar", "polar")])
def test_axes_of_the_wanted_kind_are_made_or_kept(kind: style.Projection, name: str) -> None:
    made = style.axes(None, kind)
    assert made.name == name
    assert style.axes(made, kind) is made


@pytest.mark.parametrize("kind", ["plane", "space", "polar"])
def test_axes_of_another_kind_are_refused(kind: style.Projection) -> None:
    other = style.axes(None, "polar" if kind == "plane" else "plane")
    with pytest.raises(InputError, match="ax: is an Axes for"):
        style.axes(other, kind)
    with pytest.raises(InputError, match="ax: is a Figure"):
        style.axes(Figure(), kind)


def test_the_box_in_space_has_equal_scales_whatever_its_sides() -> None:
    ax = style.axes(None, "space")
    style.dress_space(ax, np.array([0.0, 0.0, -1.0]), np.array([10.0, 3.0, 4.0]), view=(20, -60))
    spans = np.array([np.ptp(getattr(ax, f"get_{k}lim")()) for k in "xyz"])
    scales = np.array(ax.get_box_aspect() if hasattr(ax, "get_box_aspect") else ax._box_aspect)
    scales = scales if np.size(scales) == 3 else np.array(ax._box_aspect)
    np.testing.assert_allclose(scales / spans, scales[0] / spans[0])
    assert (ax.elev, ax.azim) == (20, -60)


def test_a_flat_or_empty_box_still_has_room() -> None:
    ax = style.axes(None, "space")
    style.dress_space(ax, np.zeros(3), np.array([2.0, 0.0, 0.0]), view=(20, -60))
    assert all(np.ptp(getattr(ax, f"get_{k}lim")()) > 0.4 for k in "xyz")
    style.dress_space(ax, np.zeros(3), np.zeros(3), view=(20, -60))
    assert all(np.ptp(getattr(ax, f"get_{k}lim")()) > 0.0 for k in "xyz")


def test_the_title_stands_above_the_box_on_paper() -> None:
    ax = style.axes(None, "space")
    style.dress_space(ax, -np.ones(3), np.ones(3), view=(20, -60), title="above")
    low, high = style.heights_on_paper(ax)
    assert low < high < ax.title.get_position()[1]


def test_legends_stand_below_the_data_and_only_where_something_has_a_name() -> None:
    ax = style.axes(None, "plane")
    ax.plot([0, 1], [0, 1])
    style.legend(ax)
    assert ax.get_legend() is None
    ax.plot([0, 1], [1, 0], label="named")
    style.legend(ax)
    figure = ax.get_figure()
    figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    assert box.y1 < ax.get_window_extent().y0


def test_faces_towards_the_light_are_lighter_than_those_in_the_shade() -> None:
    light = style.LIGHT / np.linalg.norm(style.LIGHT)
    shade = -(style.LIGHT + style.SECOND_LIGHT)
    colours = style.shaded(style.PALETTE[0], np.array([light, shade / np.linalg.norm(shade)]), 0.5)
    assert (colours[0, :3] >= colours[1, :3]).all() and colours[0, :3].sum() > colours[1, :3].sum() + 0.3
    assert (colours[:, 3] == 0.5).all()
    assert colours.min() >= 0.0 and colours.max() <= 1.0


def test_darker_keeps_the_hue() -> None:
    assert style.darker("#804020", 0.5) == "#402010"
    assert style.rgba("#ff0000", 0.25) == (1.0, 0.0, 0.0, 0.25)


def test_a_name_is_drawn_letter_by_letter_dollar_signs_and_all():
    figure = Figure()
    ax = figure.add_subplot()
    for name in ("cup $1_a$ $x", "$\\frac{$", "plain", "a $ b"):
        words = ax.text(0, 0, style.verbatim(name))
        drawn, as_mathematics = words._preprocess_math(words.get_text())
        assert (drawn, as_mathematics) == (name, False)
        assert style.verbatim(style.verbatim(name)) == style.verbatim(name)
    ax.set_title("cup $1_a$ $\\frac{$")
    figure.suptitle("$\\frac{$")
    style.titles_verbatim(ax)
    figure.draw_without_rendering()
