"""The paper's Figs. 3, 4, 5 and 7 to 11 in its own manner, from the data of `studies.figures`."""

from __future__ import annotations

from typing import Any, Literal

from ..errors import InputError
from ..force_limits.plots import force_volume, limit_surface, section
from ..plotting import style
from ..wrench_spaces.plots_wrench_spaces import wrench_space
from .studies.figures import SLICES, FigureData, SpaceFigure, VolumeFigure

#: Cameras (elevation, azimuth) [deg]: as usual, and from behind, as the paper shows the second slices of two devices.
FRONT, REAR = (22.0, -60.0), (22.0, 120.0)

#: How the two slices of each figure stand, and the camera of the second.
ARRANGED: dict[int, tuple[Literal["beside", "below"], tuple[float, float]]] = {
    7: ("beside", FRONT),
    8: ("below", REAR),
    9: ("beside", FRONT),
    10: ("below", REAR),
    11: ("below", FRONT),
}

#: Pressing forces above this [N] are left out of Fig. 4, so that its adhesive side can be seen.
PRESSING = 20.0


def paper_figure(data: FigureData) -> Any:
    """One figure of the paper, drawn from our models and devices.

    In Figs. 7 to 11 the colour rises with the x coordinate and lines are level sets of the second coordinate.

    Args:
        data: from `studies.figures.figure_data`.

    Returns:
        The Figure.
    """
    if isinstance(data, SpaceFigure):
        return _slices(data)
    if not isinstance(data, VolumeFigure):
        raise InputError(f"is a {type(data).__name__}", where="data", fix="give what figure_data(...) returned")
    return {3: _peg, 4: _unit, 5: _surface}[data.number](data)


def _panels(columns: int, rows: int, size: tuple[float, float], projection: str | None = "3d") -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size)
    return figure, [
        figure.add_subplot(rows, columns, place + 1, projection=projection) for place in range(rows * columns)
    ]


def _slices(data: SpaceFigure) -> Any:
    """Figs. 7 to 11: both slices of one device."""
    arrangement, second = ARRANGED[data.number]
    beside = arrangement == "beside"
    figure, axes = _panels(2 if beside else 1, 1 if beside else 2, (11.6, 5.4) if beside else (6.2, 9.8))
    for ax, words, view in zip(axes, SLICES, (FRONT, second), strict=True):
        names = ", ".join(f"${name[0]}_{name[1]}$" for name in words.split(","))
        seen = ", rear view" if view == REAR else ""
        wrench_space(data.spaces[words], ax, view=view, title=f"{data.device.name}: ({names}){seen}")
    figure.subplots_adjust(wspace=0.2, hspace=0.3)
    return figure


def _peg(data: VolumeFigure) -> Any:
    """Fig. 3: the volume, and its section, whose floor falls away from the middle: adhesion only under shear."""
    from matplotlib.figure import Figure

    assert data.volume is not None
    figure = Figure(figsize=(10.6, 4.9))
    left = figure.add_subplot(1, 2, 1, projection="3d")
    right = figure.add_subplot(1, 2, 2)
    force_volume(data.volume, left, view=(-18.0, -60.0), title="the union, one colour a wall", opacity=1.0)
    section(data.volume, "xz", right, title="section through the axis of the hole")
    legend = right.get_legend()
    if legend is not None:
        legend.remove()
    figure.subplots_adjust(wspace=0.26)
    return figure


def _unit(data: VolumeFigure) -> Any:
    """Fig. 4, below: two views of the unit's volume, one colour a piece."""
    assert data.volume is not None
    figure, (left, right) = _panels(2, 1, (11.2, 5.2))
    force_volume(data.volume, left, reach=PRESSING, view=(24.0, -58.0), title="from above", opacity=1.0)
    force_volume(data.volume, right, reach=PRESSING, view=(-32.0, -70.0), title="from below", opacity=1.0)
    figure.subplots_adjust(wspace=0.14)
    return figure


def _surface(data: VolumeFigure) -> Any:
    """Fig. 5: the local limit surface."""
    assert data.surface is not None
    ax = style.axes(None, "space")
    limit_surface(data.surface, ax, view=(24.0, -58.0), reach=PRESSING, title="local limit surface of one unit")
    return ax.get_figure()
