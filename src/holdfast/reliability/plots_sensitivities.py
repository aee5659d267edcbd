"""A tornado: by how much a load limit changes when each parameter changes by a stated amount."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import checks
from ..errors import InputError
from ..plotting import style
from .parameters import Kind
from .tornado_bars import Bar, Tornado

#: Height of one parameter's row [inch].
ROW = 0.24

#: The axis reaches this far beyond the longest bar; endless bars reach to its end.
REACH = 1.12

#: Colours of a decrease and an increase of the parameter.
LESS, MORE = style.PALETTE[1], style.PALETTE[0]

#: How far below the axes the legend stands [inch].
LEGEND = 0.5

#: How much the note on kinks takes below the axis [inch].
NOTE = 0.17


def tornado(data: Tornado, ax: Any = None, *, most: int = 20, title: str = "") -> Any:
    """The change of a load limit by each parameter, largest on top: two bars, for less and for more of it.

    Bars are by the slopes; where the limit was solved anew, a diamond shows what came out. Parameters at a kink, where
    the slopes to the two sides differ, are marked with a star.

    Args:
        data: what `tornado` of a sensitivity returned.
        ax: plain axes, or None for a new figure.
        most: parameters drawn at most.
        title: title; the name of the assembly by default.

    Returns:
        The Axes.
    """
    if not isinstance(data, Tornado):
        raise InputError(f"is a {type(data).__name__}", where="data", fix="give the tornado of a sensitivity")
    bars = data.bars[: checks.count("most", most)]
    given = ax is not None
    ax = style.axes(ax, "plane")
    if not given:
        ax.get_figure().set_size_inches(6.8, 1.5 + max(1.0, ROW * len(bars)))
    finite = [abs(v) for b in bars for v in (b.down, b.up, b.solved_down, b.solved_up) if np.isfinite(v)]
    reach = REACH * (max(finite, default=0.0) or 1.0)
    marked = False
    for place, bar in enumerate(bars):
        for value, solved, colour, label in (
            (bar.down, bar.solved_down, LESS, "less of it"),
            (bar.up, bar.solved_up, MORE, "more of it"),
        ):
            length = float(np.clip(value, -reach, reach)) if not np.isnan(value) else 0.0
            endless = bool(np.isinf(value))
            look = {"facecolor": "none", "edgecolor": colour, "hatch": "////"} if endless else {"facecolor": colour}
            shift = 0.0 if bar.down * bar.up < 0.0 else (-0.2 if label == "less of it" else 0.2)
            height = 0.72 if shift == 0.0 else 0.36
            name = label if place == 0 else "_"
            ax.barh(place + shift, length, height=height, label=name, linewidth=0.5, gid=bar.label, **look)
            if np.isfinite(solved):
                look = {"marker": "D", "markersize": 4, "markerfacecolor": colour, "markeredgecolor": style.INK}
                named = "_" if marked else "solved anew"
                ax.plot([solved], [place + shift], label=named, linestyle="none", markeredgewidth=0.7, **look)
                marked = True
    ax.axvline(0.0, color=style.INK, linewidth=style.THIN)
    _dress(ax, data, bars, reach, title)
    return ax


def _dress(ax: Any, data: Tornado, bars: tuple[Bar, ...], reach: float, title: str) -> None:
    ax.set_yticks(range(len(bars)), [_name(bar) for bar in bars])
    ax.set_ylim(len(bars) - 0.4, -0.6)
    ax.set_xlim(-reach, reach)
    limit = data.sensitivity.value
    kinks = any(not bar.derivative.smooth for bar in bars)
    note = "\n* at a kink: slopes to the two sides differ" if kinks else ""
    ax.set_xlabel(f"change of the load limit, {limit:.4g} [multiples of the load]{note}")
    style.dress_plane(ax, title=title or style.verbatim(data.sensitivity.assembly.name))
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0, labelsize=style.SMALL)
    style.legend(ax)
    height = ax.get_position().height * ax.get_figure().get_size_inches()[1]
    ax.get_legend().set_bbox_to_anchor((0.5, -(LEGEND + (NOTE if kinks else 0.0)) / height), ax.transAxes)


def _name(bar: Bar) -> str:
    """The parameter, its change, and a star at a kink."""
    p = bar.derivative.parameter
    star = "" if bar.derivative.smooth else " *"
    if p.is_share:
        amount = f"{100 * bar.amount:.3g} %"
    elif p.unit == "m":
        amount = f"{1e3 * bar.amount:.3g} mm"
    elif p.kind is Kind.ORIENTATION:
        amount = f"{np.degrees(bar.amount):.3g}°"
    else:
        amount = f"{bar.amount:.3g} {p.unit}"
    return f"{style.verbatim(bar.label)} ± {amount}{star}"
