"""Designs side by side: a radar of all measures relative to the best, or bars in their units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..plotting import style
from ..statics.plots import load_limits
from .comparison import MEASURES, Comparison, Measure

#: The radar shows values down to this share of the best; smaller ones lie in its centre.
LEAST_SHARE = 1e-3

#: Radius of values without limit, outside the circle of the best.
ENDLESS = 1.13

#: Bars of designs that differ by more than this factor stand on a logarithmic scale.
LOG_ABOVE = 20.0

#: Designs a picture can still tell apart: one colour each.
MOST_DESIGNS = len(style.PALETTE)

#: Marks of the designs, told apart without colours too.
MARKS = "os^DvP*X"

#: Panels of the bars: title, unit and groups of measures.
PANELS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("forces", "N", ("force", "direction")),
    ("torques", "N m", ("torque",)),
    ("volumes of slices", "of the largest", ("volume",)),
)


def comparison_radar(
    comparison: Comparison, ax: Any = None, *, measures: Sequence[str] | None = None, title: str = ""
) -> Any:
    """A radar of the measures: one spoke each, every design a closed line, relative to the best design.

    The radius is logarithmic in the share of the best finite value on that spoke: the rim is the best, each ring
    inwards ten times less, the centre a thousandth or less. Volumes count as their cube roots, so that their spokes are
    shares of a length like the others. Values without limit stand outside the rim; where nothing holds, in the centre.

    Args:
        comparison: from `compare`.
        ax: polar axes, or None for a new figure.
        measures: keys of the measures, in order round the circle; all by default.
        title: title of the picture.

    Returns:
        The Axes.
    """
    _check(comparison)
    chosen = _measures(measures, least=3)
    ax = style.axes(ax, "polar")
    ax.set_theta_zero_location("N")
    ax.set_theta_direction(-1)
    angles = 2.0 * np.pi * np.arange(len(chosen)) / len(chosen)
    radii = np.column_stack([shares(comparison, measure) for measure in chosen])  # (designs, measures)
    endless = np.isposinf(radii)
    for k, name in enumerate(comparison.names):
        around = np.append(np.arange(len(chosen)), 0)
        r = np.where(endless[k], ENDLESS, radius_of(radii[k]))
        look: dict[str, Any] = {"color": style.colour(k), "linewidth": style.THICK, "zorder": 3.0 + 0.01 * k}
        ax.plot(angles[around], r[around], marker=MARKS[k], ms=4.0, label=style.verbatim(name), gid=name, **look)
        ax.fill(angles, r, color=style.colour(k), alpha=0.07, linewidth=0.0)
        if endless[k].any():
            size = 6.0 + 3.0 * (len(comparison) - 1 - k)  # concentric, so that none covers another
            open_mark = {"ms": size, "mfc": "white", "mec": style.colour(k), "mew": 1.2, "zorder": 4.0 + 0.01 * k}
            ax.plot(angles[endless[k]], r[endless[k]], "o", gid=f"{name} endless", **open_mark)
    if endless.any():
        ax.plot([], [], "o", ms=7.0, mfc="white", mec=style.INK, mew=1.2, label="no limit")
    _dress_radar(ax, angles, chosen, beyond=bool(endless.any()), title=title)
    return ax


def shares(comparison: Comparison, measure: Measure) -> Array:
    """(designs,) values relative to the best finite one; inf without limit, 0 where nothing holds.

    Volumes by their cube roots.
    """
    values = np.maximum(np.array(list(comparison.values(measure.key).values())), 0.0)
    values = np.nan_to_num(values, nan=0.0, posinf=np.inf)
    finite = values[np.isfinite(values)]
    best = float(finite.max(initial=0.0))
    if best == 0.0:
        return np.where(np.isfinite(values), 0.0, np.inf)
    share = values / best
    return np.cbrt(share) if measure.group == "volume" else share


def radius_of(share: Array) -> Array:
    """Radius on the radar: 1 for the best, 0 for a thousandth of it or less."""
    clipped = np.clip(share, LEAST_SHARE, 1.0)
    return 1.0 - np.log(clipped) / np.log(LEAST_SHARE)


def comparison_bars(comparison: Comparison, *, title: str = "") -> Any:
    """Bars of the measures in their units: forces, torques, and volumes relative to the largest.

    Designs of very different strength stand on a logarithmic scale.

    Args:
        comparison: from `compare`.
        title: title of the picture.

    Returns:
        The Figure, of three Axes.
    """
    from matplotlib.figure import Figure

    _check(comparison)
    parts = [[measure for measure in MEASURES if measure.group in groups] for _, _, groups in PANELS]
    heights = [len(part) * (0.20 * len(comparison) + 0.14) + 0.55 for part in parts]
    figure = Figure(figsize=(10.4, max(heights[0], heights[1] + heights[2]) + 0.9))
    grid = figure.add_gridspec(2, 2, height_ratios=heights[1:], hspace=0.42, wspace=0.32)
    places = (grid[:, 0], grid[0, 1], grid[1, 1])
    for place, part, (words, unit, _) in zip(places, parts, PANELS, strict=True):
        ax = figure.add_subplot(place)
        values = {name: {measure.key: _bar(comparison, measure, name) for measure in part} for name in comparison.names}
        load_limits(values, ax, unit=unit, log=_is_wide(values), title=words)
        ax.set_xlabel(f"volume, share {unit}" if unit.startswith("of") else f"limit [{unit}]")
        own = ax.get_legend()
        if own is not None:  # one for all panels stands below
            own.remove()
    if len(comparison) > 1 or title:
        _legend(figure, comparison, title)
    return figure


def _bar(comparison: Comparison, measure: Measure, name: str) -> float:
    """What the bar shows: the value, or of a volume its share of the largest finite one."""
    value = comparison[name].value(measure.key)
    if measure.group == "volume" and np.isfinite(value):
        finite = [other for other in comparison.values(measure.key).values() if np.isfinite(other)]
        value = value / max(finite) if max(finite) > 0.0 else 0.0
    return max(value, 0.0) if np.isfinite(value) else value


def _is_wide(values: dict[str, dict[str, float]]) -> bool:
    finite = [value for row in values.values() for value in row.values() if np.isfinite(value) and value > 0.0]
    return bool(finite) and max(finite) > LOG_ABOVE * min(finite)


def _legend(figure: Any, comparison: Comparison, title: str) -> None:
    from matplotlib.patches import Patch

    height = figure.get_size_inches()[1]
    handles = [Patch(color=style.colour(k), label=style.verbatim(name)) for k, name in enumerate(comparison.names)]
    if len(handles) > 1:
        look = {"fontsize": style.NORMAL, "frameon": False, "labelcolor": style.INK}
        columns = min(len(handles), 3)
        place = (0.5, 0.11 - 0.55 / height)
        figure.legend(handles=handles, loc="upper center", bbox_to_anchor=place, ncols=columns, **look)
    if title:
        figure.suptitle(title, fontsize=style.LARGE, color=style.INK, y=0.88 + 0.45 / height)


def _dress_radar(ax: Any, angles: Array, chosen: Sequence[Measure], *, beyond: bool, title: str) -> None:
    ax.set_ylim(0.0, ENDLESS + 0.04 if beyond else 1.04)
    names = [measure.key.replace(" ", "\n") for measure in chosen]
    ax.set_thetagrids(np.degrees(angles), names, color=style.INK)
    ax.tick_params(labelsize=style.SMALL, labelcolor=style.INK, pad=8)
    rings = [share for share in (1e-2, 1e-1, 1.0) if share > LEAST_SHARE]
    ax.set_yticks([float(radius_of(np.array(share))) for share in rings])
    ax.set_yticklabels(["1 %", "10 %", "best"], fontsize=style.SMALL, color=style.INK)
    ax.set_rlabel_position(180.0 / len(chosen))
    ax.grid(True, color="#DDDDDD", linewidth=style.THIN)
    ax.spines["polar"].set_visible(False)
    ax.set_axisbelow(True)
    if title:
        ax.set_title(title, fontsize=style.LARGE, color=style.INK, pad=18)
    style.legend(ax, columns=2)


def _measures(keys: Sequence[str] | None, *, least: int) -> list[Measure]:
    if keys is None:
        return list(MEASURES)
    known = {measure.key: measure for measure in MEASURES}
    for key in keys:
        if key not in known:
            raise UnknownNameError("measure", str(key), known, where="measures")
    if len(keys) < least:
        raise InputError(f"has {len(keys)} measures", where="measures", fix=f"give at least {least}")
    return [known[key] for key in keys]


def _check(comparison: Any) -> None:
    if not isinstance(comparison, Comparison):
        raise InputError(f"is a {type(comparison).__name__}", where="comparison", fix="give what compare(...) returned")
    checks.number("designs", len(comparison), low=1, high=MOST_DESIGNS)
