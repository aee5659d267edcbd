from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from holdfast.plotting import style
from holdfast.plotting.solids import Solids

SQUARE = np.array([[0.0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]])
RED, BLUE = "#FF0000", "#0000FF"


def scene(azimuth: float) -> Any:
    """A red square at x = 1 and a blue one at x = -1, seen along x."""
    ax = style.axes(None, "space")
    solids = Solids()
    for x, colour in ((1.0, RED), (-1.0, BLUE)):
        solids.add_face([SQUARE + np.array([x, 0.0, 0.0])], np.array([1.0, 0, 0]), colour, 1.0)
    solids.draw(ax)
    style.dress_space(ax, -np.ones(3), np.ones(3), view=(0, azimuth))
    ax.set_axis_off()
    return ax


@pytest.mark.parametrize(("azimuth", "channel"), [(0.0, 0), (180.0, 2)])
def test_the_nearer_face_hides_the_farther_from_either_side(
    azimuth: float, channel: int, pixels: Callable[[Any], np.ndarray]
) -> None:
    image = pixels(scene(azimuth))
    middle = image[image.shape[0] // 2, image.shape[1] // 2]
    assert middle.argmax() == channel and np.delete(middle, channel).max() < 0.6 * middle[channel]


def test_turning_the_view_puts_the_faces_in_a_new_order(pixels: Callable[[Any], np.ndarray]) -> None:
    ax = scene(0.0)
    pixels(ax)
    ax.view_init(elev=0, azim=180)
    image = pixels(ax)
    assert image[image.shape[0] // 2, image.shape[1] // 2].argmax() == 2


def test_lines_are_drawn_on_their_face_and_hidden_with_it(pixels: Callable[[Any], np.ndarray]) -> None:
    def dark(x: float) -> float:
        """Darkest pixel of a picture with a white square at x = 0 and a smaller, lined one at x."""
        ax = style.axes(None, "space")
        solids = Solids()
        square = 0.5 * SQUARE + np.array([x, 0.0, 0.0])
        solids.add_face([square], np.array([1.0, 0, 0]), "#808080", 1.0, [(square[0], square[2])])
        solids.add_face([1.5 * SQUARE], style.LIGHT, "#FFFFFF", 1.0)
        solids.draw(ax)
        style.dress_space(ax, -np.ones(3), np.ones(3), view=(0, 0))
        ax.set_axis_off()
        return float(pixels(ax).min())

    assert dark(1.0) < 130.0
    assert dark(-1.0) > 240.0
