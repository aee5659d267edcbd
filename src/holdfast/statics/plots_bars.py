"""Load limits in named directions as bars, to compare devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import checks
from ..errors import InputError
from ..plotting import style

#: Share of a direction's place that its bars fill.
FILLED = 0.8

#: An unlimited bar is drawn this much longer than the longest limited one.
ENDLESS = 1.15


def load_limits(
    limits: Mapping[str, Mapping[str, float]], ax: Any = None, *, unit: str = "N", log: bool = False, title: str = ""
) -> Any:
    """Load limits in named directions, one bar for each device: how devices, or states of one, compare.

    Args:
        limits: {device: {direction: limit}}; a limit may be inf (no limit: a hatched bar) or -inf or nan (does
            not hold: no bar, the words instead). A device may lack a direction.
        ax: plain axes, or None for a new figure.
        unit: unit of the limits, for the axis: "N", "N m", "times the weight".
        log: logarithmic scale, for devices of very different strength.
        title: title of the picture.

    Returns:
        The Axes.
    """
    table = _table(limits)
    devices = list(table)
    directions = list(dict.fromkeys(name for row in table.values() for name in row))
    finite = [value for row in table.values() for value in row.values() if np.isfinite(value) and value > 0.0]
    longest = max(finite, default=1.0)
    least = min(finite, default=1.0)
    base = 10.0 ** np.floor(np.log10(least) - 0.3) if log else 0.0
    given = ax is not None
    ax = style.axes(ax, "plane")
    thick = FILLED / len(devices)
    if not given:
        ax.get_figure().set_size_inches(6.0, 1.0 + max(1.6, (0.24 * len(devices) + 0.12) * len(directions)))
    if log:
        ax.set_xscale("log")
    for k, device in enumerate(devices):
        row, shift = table[device], (k - 0.5 * (len(devices) - 1)) * thick
        bars = [(place + shift, row[name]) for place, name in enumerate(directions) if name in row]
        _bars(ax, bars, thick, style.colour(k), device, base, longest)
    _dress(ax, directions, base, longest, unit, log, title, several=len(devices) > 1)
    return ax


def _table(limits: Any) -> dict[str, dict[str, float]]:
    """The numbers, checked; nan stays."""
    fix = "give {device: {direction: limit}}"
    if not isinstance(limits, Mapping) or not limits:
        raise InputError("is empty or no mapping", where="limits", fix=fix)
    table: dict[str, dict[str, float]] = {}
    for device, row in limits.items():
        if not isinstance(row, Mapping) or not row:
            raise InputError("is empty or no mapping", where=f"limits[{device!r}]", fix=fix)
        table[str(device)] = {str(name): _limit(f"limits[{device!r}][{name!r}]", value) for name, value in row.items()}
    return table


def _limit(where: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"is not a number: {value!r}", where=where, fix="give one limit") from None
    return number if not np.isfinite(number) else checks.number(where, number, low=0.0)


def _bars(
    ax: Any, bars: list[tuple[float, float]], thick: float, colour: str, name: str, base: float, longest: float
) -> None:
    """The bars of one device, with their numbers."""
    end = longest * (ENDLESS if base == 0.0 else 2.0)
    label = style.verbatim(name)
    for place, value in bars:
        if np.isposinf(value):
            text, length = "no limit", end
            look = {"facecolor": "none", "edgecolor": colour, "linewidth": 0.8, "hatch": "////"}
        elif np.isfinite(value):
            text, length = f"{value:.4g}", max(value, base)
            look = {"facecolor": colour, "edgecolor": "none"}
        else:
            text, length = "does not hold", base
            look = {"facecolor": colour, "edgecolor": "none"}
        ax.barh(place, length - base, left=base, height=0.9 * thick, label=label, gid=name, **look)
        look = {"va": "center", "fontsize": style.SMALL, "color": style.INK}
        ax.annotate(text, (length, place), xytext=(3, 0), textcoords="offset points", **look)
        label = "_"


def _dress(
    ax: Any, directions: list[str], base: float, longest: float, unit: str, log: bool, title: str, *, several: bool
) -> None:
    ax.set_yticks(range(len(directions)), [style.verbatim(name) for name in directions])
    ax.set_ylim(len(directions) - 0.45, -0.55)
    ax.set_xlim(base, longest * (5.0 if log else 1.3))
    ax.set_xlabel(f"load limit [{unit}]")
    style.dress_plane(ax, title=title)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0, labelsize=style.NORMAL)
    if several:
        style.legend(ax)
