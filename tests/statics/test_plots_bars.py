from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from holdfast.errors import InputError
from holdfast.plotting import load_limits, style

LIMITS = {"2OU": {"pull": 18.0, "push": np.inf, "fx": 9.0}, "2FG": {"pull": 2.7, "push": -np.inf}}


def widths(ax: Any, device: str) -> list[float]:
    return [bar.get_width() for bar in ax.patches if bar.get_gid() == device]


def test_bars_are_as_long_as_the_limits_and_a_colour_a_device(pixels: Callable[[Any], np.ndarray]) -> None:
    ax = load_limits(LIMITS, title="limits")
    assert widths(ax, "2OU") == pytest.approx([18.0, 18.0 * 1.15, 9.0])
    assert widths(ax, "2FG") == pytest.approx([2.7, 0.0])
    finite = [bar for bar in ax.patches if bar.get_gid() == "2FG"]
    assert to_rgb(finite[0].get_facecolor()) == to_rgb(style.colour(1))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["pull", "push", "fx"]
    assert ax.get_xlabel() == "load limit [N]" and ax.get_title() == "limits"
    assert pixels(ax).std() > 5.0


def test_no_limit_and_no_hold_are_said_in_words() -> None:
    ax = load_limits(LIMITS)
    assert [t.get_text() for t in ax.texts] == ["18", "no limit", "9", "2.7", "does not hold"]
    (endless,) = [bar for bar in ax.patches if bar.get_hatch()]
    assert endless.get_width() > 18.0


def test_bars_stand_in_the_place_of_their_direction_and_do_not_overlap() -> None:
    ax = load_limits(LIMITS)
    spans = sorted((bar.get_y(), bar.get_y() + bar.get_height()) for bar in ax.patches)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(round(0.5 * (low + high)) in (0, 1, 2) for low, high in spans)


def test_a_logarithmic_scale_shows_small_and_large(pixels: Callable[[Any], np.ndarray]) -> None:
    ax = load_limits({"a": {"x": 0.02, "y": 0.0}, "b": {"x": 3000.0}}, log=True, unit="N m")
    assert ax.get_xscale() == "log" and ax.get_xlabel() == "load limit [N m]"
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    assert ends == pytest.approx([0.02, ax.get_xlim()[0], 3000.0])
    assert pixels(ax).std() > 5.0


def test_one_device_needs_no_legend() -> None:
    assert load_limits({"2OU": {"pull": 1.0}}).get_legend() is None
    names = [t.get_text() for t in load_limits(LIMITS).get_legend().get_texts()]
    assert names == ["2OU", "2FG"]


@pytest.mark.parametrize(
    ("bad", "where"),
    [
        ({}, "limits"),
        ([1.0], "limits"),
        ({"a": {}}, r"limits\['a'\]"),
        ({"a": 3.0}, r"limits\['a'\]"),
        ({"a": {"x": "much"}}, r"limits\['a'\]\['x'\]"),
        ({"a": {"x": -1.0}}, r"limits\['a'\]\['x'\]"),
    ],
)
def test_bad_input_is_named(bad: Any, where: str) -> None:
    with pytest.raises(InputError, match=where):
        load_limits(bad)
