"""Pictures of probabilities and sensitivities: curves with their band, load limits, failure modes, tornadoes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..plotting import style
from .derivatives import Bar, Tornado
from .parameters import Kind
from .probabilities import FailureModes, LimitSamples, ProbabilityCurve, QuantileVolume

# Probabilities.

#: Largest number of bars of a histogram.
MOST_BARS = 60

#: Longer names of units are cut [characters].
LONGEST_NAME = 28


def probability_curve(
    curve: ProbabilityCurve, ax: Any = None, *, label: str = "", colour: int = 0, degrees: bool = False, title: str = ""
) -> Any:
    """Probability of holding against a parameter, with the interval at each point as a band.

    Args:
        curve: from `size_curve` or `probability_along`.
        ax: plain axes, or None for a new figure; several curves may share one.
        label: name of the curve, for a legend.
        colour: number of the colour.
        degrees: whether the parameter is an angle [rad], shown in degrees.
        title: title of the picture.

    Returns:
        The Axes.
    """
    ax = style.axes(ax, "plane")
    x = np.degrees(curve.parameters) if degrees else curve.parameters
    base = style.colour(colour)
    words = f"{100 * curve.confidence:g} % interval at each point, n = {curve.n}"
    ax.plot(x, curve.values, color=base, linewidth=style.THICK, label=label or "probability", gid="probability")
    ax.fill_between(x, curve.lower, curve.upper, color=base, alpha=0.22, linewidth=0.0, label=words, gid="band")
    ax.set_ylim(-0.03, 1.03)
    if float(x.max()) > float(x.min()):
        ax.set_xlim(float(x.min()), float(x.max()))
    ax.set_xlabel(curve.name.replace("[rad]", "[deg]") if degrees else curve.name)
    ax.set_ylabel("probability of holding")
    style.dress_plane(ax, title=title)
    style.legend(ax, columns=2)
    return ax


def limit_histogram(limits: LimitSamples, ax: Any = None, *, share: float = 0.05, title: str = "") -> Any:
    """Load limits of specimens as a histogram, with a mark at the load; specimens below it fail.

    Args:
        limits: from `load_limit_samples`.
        ax: plain axes, or None for a new figure.
        share: the marked quantile, with its interval.
        title: title of the picture.

    Returns:
        The Axes.
    """
    finite = limits.values[np.isfinite(limits.values)]
    if not len(finite):
        raise InputError("no sample has a finite limit", where="limits", fix="choose a load that has one")
    ax = style.axes(ax, "plane")
    edges = load_bins(finite, limits.n)
    heights = np.histogram(finite, bins=edges)[0]
    middles, width = 0.5 * (edges[1:] + edges[:-1]), edges[1] - edges[0]
    fails = np.histogram(finite[finite < 1.0], bins=edges)[0]
    bars = {"width": 0.94 * width, "linewidth": 0.0}
    above, below = int((limits.values >= 1.0).sum()), int((limits.upper_bounds < 1.0).sum())
    words = f"limit above the load ({above} of {limits.n})"
    ax.bar(middles, heights - fails, bottom=fails, color=style.VERDICT["holds"], label=words, **bars)
    if below:
        words = f"below it ({below} of {limits.n})"
        ax.bar(middles, fails, color=style.VERDICT["does not hold"], label=words, **bars)
    ax.axvline(1.0, color=style.LOAD, linewidth=style.THICK, label="the load", gid="load")
    quantile = limits.quantile(share)
    if all(np.isfinite([quantile.value, *quantile.interval])):
        look = {"color": style.INK, "linewidth": style.MEDIUM, "linestyle": (0, (5, 3))}
        words = f"held by {100 * (1 - share):g} %: {quantile.value:.3g}"
        ax.axvline(quantile.value, label=words, gid="quantile", **look)
        ax.axvspan(*quantile.interval, color=style.INK, alpha=0.10, linewidth=0.0)
    ax.set_xlabel("load limit [multiples of the load]")
    ax.set_ylabel("specimens")
    style.dress_plane(ax, title=title)
    style.legend(ax, columns=2)
    return ax


def load_bins(factors: Array, n: int) -> Array:
    """Borders of the bars of a histogram of n finite load factors; no bar contains the load, 1, in its interior."""
    ends = min(0.9, float(factors.min())), max(1.1, float(factors.max()))
    count = int(np.clip(round(2.0 * n ** (1.0 / 3.0) * 1.5), 8, MOST_BARS))
    wide = (ends[1] - ends[0]) / count
    first, last = (np.floor((ends[0] - 1.0) / wide), np.ceil((ends[1] - 1.0) / wide))
    return 1.0 + wide * np.arange(first, last + 1.0)


def failure_mode_bars(failures: FailureModes, ax: Any = None, *, title: str = "") -> Any:
    """Failure modes: how often each unit is the main cause, and how often it is among those at their limit.

    Args:
        failures: from `failure_modes`.
        ax: plain axes, or None for a new figure.
        title: title of the picture.

    Returns:
        The Axes.
    """
    blamed, involved, failing = failures.frequencies(), failures.involved(), failures.frequencies(failing=True)
    names = [name for name in failures.names if involved[name] or blamed[name]] or list(failures.names)
    rows = {"main cause, of all specimens": blamed, "at its limit, of all specimens": involved}
    if failures.fails.any():
        rows = {"main cause, of those that fail": failing, **rows}
    given = ax is not None
    ax = style.axes(ax, "plane")
    if not given:
        ax.get_figure().set_size_inches(6.0, 1.3 + 0.26 * len(rows) * len(names))
    thick = 0.8 / len(rows)
    colours = [style.VERDICT["does not hold"], style.colour(0), style.FAINT][-len(rows) :]
    for k, (label, values) in enumerate(rows.items()):
        places = np.arange(len(names)) + (k - 0.5 * (len(rows) - 1)) * thick
        lengths = [100.0 * values[name] for name in names]
        ax.barh(places, lengths, height=0.9 * thick, color=colours[k], label=label, gid=label)
        for place, length in zip(places, lengths, strict=True):
            look = {"va": "center", "fontsize": style.SMALL, "color": style.INK}
            ax.annotate(f"{length:.3g}", (length, place), xytext=(3, 0), textcoords="offset points", **look)
    cut = [name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name in names]
    ax.set_yticks(range(len(names)), [style.verbatim(name) for name in cut])
    ax.set_ylim(len(names) - 0.45, -0.55)
    ax.set_xlim(0.0, 112.0)
    ax.set_xticks(range(0, 101, 20))
    ax.set_xlabel("specimens [%]")
    style.dress_plane(ax, title=title)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0, labelsize=style.NORMAL)
    handles, labels = ax.get_legend_handles_labels()
    drop = -0.55 / (0.77 * float(ax.get_figure().get_size_inches()[1]))  # below the name of the axis for any height
    ax.legend(
        handles,
        labels,
        loc="upper center",
        bbox_to_anchor=(0.5, drop),
        ncols=1 if len(rows) > 2 else 2,
        fontsize=style.SMALL,
        frameon=False,
        labelcolor=style.INK,
    )
    return ax


def quantile_outline(
    volume: QuantileVolume, ax: Any = None, *, plane: tuple[int, int] = (0, 2), title: str = ""
) -> Any:
    """The loads that are held with a given probability, and those held as planned, in a plane of forces.

    Args:
        volume: from `quantile_volume`, with directions that are forces around the plane, in order.
        ax: plain axes, or None for a new figure.
        plane: the two components of the force that are drawn.
        title: title of the picture.

    Returns:
        The Axes.
    """
    ax = style.axes(ax, "plane")
    across = volume.directions[:, list(plane)]
    if not np.isfinite([volume.planned, volume.values]).all():
        raise InputError("has rays without limit", where="volume", fix="leave out directions that are not limited")

    def ring(values: Any) -> Any:
        points = np.maximum(values, 0.0)[:, None] * across
        return np.concatenate([points, points[:1]])

    outer, inner, middle = ring(volume.planned), ring(volume.lower), ring(volume.values)
    ax.plot(*outer.T, color=style.FAINT, linewidth=style.MEDIUM, label="as planned", gid="planned")
    ax.plot(
        *middle.T, color=style.colour(0), linewidth=style.THICK, label=f"held by {100 * volume.holding:g} %", gid="held"
    )
    if np.isfinite(volume.upper).all() and np.isfinite(volume.lower).all():
        band = np.concatenate([ring(volume.upper), inner[::-1]])
        words = f"{100 * volume.confidence:g} % interval on each ray, n = {volume.n}"
        ax.fill(*band.T, color=style.colour(0), alpha=0.22, linewidth=0.0, label=words, gid="band")
    ax.plot(0.0, 0.0, "+", color=style.INK, ms=6.0)
    ax.margins(0.06)
    ax.set_xlabel(f"$f_{'xyz'[plane[0]]}$ on the object [N]")
    ax.set_ylabel(f"$f_{'xyz'[plane[1]]}$ on the object [N]")
    style.dress_plane(ax, title=title)
    style.legend(ax, columns=3)
    return ax


# Sensitivities.

#: Height of one parameter's row [inch].
ROW = 0.24

#: The axis ends this far beyond the longest bar; bars without limit end with the axis.
REACH = 1.12

#: Colours of a decrease and an increase of the parameter.
LESS, MORE = style.PALETTE[1], style.PALETTE[0]

#: Distance of the legend below the axes [inch].
LEGEND = 0.5

#: Height of the note on kinks below the axis [inch].
NOTE = 0.17


def tornado(data: Tornado, ax: Any = None, *, most: int = 20, title: str = "") -> Any:
    """The change of a load limit by each parameter, largest on top: two bars, for a decrease and an increase.

    Bars show the derivatives; a diamond shows a limit that was computed again. Parameters at a kink, where the left and
    right derivatives differ, are marked with a star.

    Args:
        data: the tornado of a sensitivity.
        ax: plain axes, or None for a new figure.
        most: largest number of parameters.
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
            (bar.down, bar.solved_down, LESS, "decrease"),
            (bar.up, bar.solved_up, MORE, "increase"),
        ):
            length = float(np.clip(value, -reach, reach)) if not np.isnan(value) else 0.0
            endless = bool(np.isinf(value))
            look = {"facecolor": "none", "edgecolor": colour, "hatch": "////"} if endless else {"facecolor": colour}
            shift = 0.0 if bar.down * bar.up < 0.0 else (-0.2 if label == "decrease" else 0.2)
            height = 0.72 if shift == 0.0 else 0.36
            name = label if place == 0 else "_"
            ax.barh(place + shift, length, height=height, label=name, linewidth=0.5, gid=bar.label, **look)
            if np.isfinite(solved):
                look = {"marker": "D", "markersize": 4, "markerfacecolor": colour, "markeredgecolor": style.INK}
                named = "_" if marked else "computed again"
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
    note = "\n* at a kink: left and right derivatives differ" if kinks else ""
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
