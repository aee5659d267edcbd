"""Pictures of probabilities and sensitivities: what is drawn is what was computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.loads import circle_directions
from holdfast.errors import InputError
from holdfast.reliability.derivatives import Tornado, sensitivity, tornado
from holdfast.reliability.plots import failure_mode_bars, limit_histogram, probability_curve, quantile_outline
from holdfast.reliability.plots import tornado as draw
from holdfast.reliability.probabilities import (
    FailureModes,
    ProbabilityCurve,
    failure_modes,
    load_limit_samples,
    quantile_volume,
)
from holdfast.reliability.scatter import Scatter
from tests.reliability.closed_forms import UP, parallel

CURVE = ProbabilityCurve(
    np.radians([0.0, 45.0, 90.0]), np.array([100, 60, 0]), np.array([0, 10, 0]), 100, 0.95, "angle [rad]"
)


def named(ax: Any, gid: str) -> Any:
    (found,) = [artist for artist in ax.get_children() if artist.get_gid() == gid]
    return found


def test_the_curve_runs_through_the_values_inside_its_band(pixels: Callable[[Any], np.ndarray]) -> None:
    ax = probability_curve(CURVE, degrees=True, title="turned")
    x, y = named(ax, "probability").get_data()
    np.testing.assert_allclose(x, [0.0, 45.0, 90.0])
    np.testing.assert_allclose(y, CURVE.values)
    corners = named(ax, "band").get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx(CURVE.lower.min())
    assert ax.get_xlabel() == "angle [deg]" and ax.get_title() == "turned"
    assert pixels(ax).std() > 5.0


def test_curves_share_axes_and_a_legend() -> None:
    ax = probability_curve(CURVE, label="first")
    probability_curve(CURVE, ax, label="second", colour=1)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"first", "second"} <= set(words) and ax.get_xlabel() == "angle [rad]"


def test_bars_of_the_histogram_stand_on_one_side_of_the_load() -> None:
    limits = load_limit_samples(parallel(), 1.9 * UP, Scatter(strength=0.3), n=300)
    ax = limit_histogram(limits, title="limits")
    total = sum(bar.get_height() for bar in ax.patches if hasattr(bar, "get_height") and bar.get_height() > 1.0)
    assert total >= 290
    assert named(ax, "load").get_xdata()[0] == 1.0
    words = " ".join(text.get_text() for text in ax.get_legend().get_texts())
    assert f"({int((limits.values >= 1.0).sum())} of 300)" in words


def test_without_a_finite_limit_there_is_no_histogram() -> None:
    limits = load_limit_samples(parallel(), UP, Scatter(strength=0.3), n=5)
    with pytest.raises(InputError, match="finite"):
        limit_histogram(replace(limits, values=np.full(5, np.inf)))


def test_bars_of_units_are_as_long_as_they_are_often() -> None:
    failures = failure_modes(load_limit_samples(parallel(), 2.0 * UP, Scatter(strength=0.3), n=200))
    ax = failure_mode_bars(failures)
    lengths = [bar.get_width() for bar in ax.patches if bar.get_gid() == "main cause, of all specimens"]
    assert lengths == pytest.approx([100.0 * failures.frequencies()[name] for name in ("a", "b")])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]  # the joints have no part in it


def test_long_names_are_cut_and_nothing_known_is_drawn_all_the_same() -> None:
    nothing = FailureModes(("u" * 60, "joints"), np.full((3, 2), np.nan), np.full(3, -1), np.zeros(3, dtype=bool))
    ax = failure_mode_bars(nothing)
    assert len(ax.get_yticklabels()[0].get_text()) == 28


def test_the_outline_of_a_quantile_volume_lies_inside_the_plan() -> None:
    rays = np.hstack([circle_directions(8), np.zeros((8, 3))])
    volume = quantile_volume(parallel(), rays, Scatter(strength=0.3), n=100)
    ax = quantile_outline(volume, title="held")
    x, z = named(ax, "held").get_data()
    np.testing.assert_allclose(np.column_stack([x, z])[:-1], volume.values[:, None] * rays[:, [0, 2]])
    outer = np.hypot(*named(ax, "planned").get_data())
    assert (np.hypot(x, z) < outer).all() and ax.get_xlabel() == "$f_x$ on the object [N]"
    assert named(ax, "band") is not None
    with pytest.raises(InputError, match="without limit"):
        quantile_outline(replace(volume, planned=np.full(8, np.inf)))


BOX = hf.ForceVolume([np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)])


@pytest.fixture
def data() -> Tornado:
    pair = hf.Assembly([hf.Contact([s, 0, 0], np.eye(3), BOX, n) for s, n in ((-1.0, "a"), (1.0, "b"))], name="pair")
    return tornado(sensitivity(pair, [0, 1, 0, 0, 0, 0.2]), solve=3)


def test_bars_are_as_long_as_the_changes_in_their_order(data: Tornado, pixels: Callable[[Any], np.ndarray]) -> None:
    ax = draw(data, most=8)
    drawn: dict[str, list[float]] = {}
    for bar in ax.patches:
        drawn.setdefault(str(bar.get_gid()), []).append(bar.get_width())
    for bar in data.bars[:8]:
        if np.isfinite([bar.down, bar.up]).all():
            assert drawn[bar.label] == pytest.approx([bar.down, bar.up], abs=1e-12)
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert [label.split(" ±")[0] for label in labels] == [bar.label for bar in data.bars[:8]]
    assert [label.endswith("*") for label in labels] == [not bar.derivative.smooth for bar in data.bars[:8]]
    assert pixels(ax).std() > 5.0


def test_solved_limits_are_marked_where_they_are(data: Tornado) -> None:
    marks = [line for line in draw(data, most=3).lines if line.get_marker() == "D"]
    wanted = [v for b in data.bars[:3] for v in (b.solved_down, b.solved_up) if np.isfinite(v)]
    assert [float(mark.get_xdata()[0]) for mark in marks] == pytest.approx(wanted)


def test_it_draws_on_axes_given_and_refuses_other_things(data: Tornado) -> None:
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    assert draw(data, ax, title="mine") is ax
    assert ax.get_title() == "mine"
    plt.close("all")
    with pytest.raises(InputError, match="tornado"):
        draw(data.sensitivity)  # pyright: ignore[reportArgumentType]
