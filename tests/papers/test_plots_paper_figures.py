from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from holdfast.errors import InputError
from holdfast.papers.figures import figure_data
from holdfast.papers.plots import REAR, paper_figure


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
