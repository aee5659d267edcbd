from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.reliability.derivatives import Tornado, sensitivity, tornado
from holdfast.reliability.plots import tornado as draw

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
