"""The studies of planar grasps as pictures: parameters varied, grasps displaced, criteria correlated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..plotting import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .correlation import Correlation
    from .stability import Stability
    from .variation import Variation

BAR = "#D5DAE0"  # original quality

#: Qualities above this many times the largest original one are drawn at the upper border, as triangles.
HIGHEST = 2.0

#: How a parameter of a variation and its value are written.
SYMBOLS = {"mu": "$\\mu$ = {:g}", "lambda_mm": "$\\lambda$ = {:g} mm", "W": "$W$ = {:g}", "eta_mm": "$\\eta$ = {:g} mm"}

MARKERS = ("o", "s", "D", "P", "v", "X", "*", "h")


def variation_chart(variation: Variation, ax: Axes | None = None, *, best: int = 10, title: str = "") -> Axes:
    """Original Q of the `best` grasps as bars, and their Q under each changed parameter as marks (Table 1)."""
    plane = style.axes(ax, "plane")
    count = _count(best, len(variation.quality))
    top = _bars(plane, variation.quality[:count])
    places = np.arange(1, count + 1)
    spread = np.linspace(-0.26, 0.26, len(variation.changes)) if len(variation.changes) > 1 else np.zeros(1)
    for k, ((name, value), qualities) in enumerate(zip(variation.changes, variation.qualities, strict=True)):
        label = SYMBOLS.get(name, name + " = {:g}").format(value)
        _marks(plane, places + spread[k], qualities[:count], top, MARKERS[k % len(MARKERS)], style.colour(k), label)
    _dress(plane, count, top, title)
    style.legend(plane, columns=min(len(variation.changes) + 2, 6))
    return plane


def stability_chart(stability: Stability, ax: Axes | None = None, *, best: int = 10, title: str = "") -> Axes:
    """Original Q of the `best` grasps as bars, Q of every trial as dots, their mean, and the worst rank (Table 2)."""
    plane = style.axes(ax, "plane")
    count = _count(best, len(stability.quality))
    top = _bars(plane, stability.quality[:count])
    places = np.arange(1, count + 1)
    trials = stability.qualities[:, :count]
    jitter = np.linspace(-0.28, 0.28, len(trials))
    at = places[None, :] + jitter[:, None]
    _marks(plane, at.ravel(), trials.ravel(), top, "o", style.colour(4), "displaced", size=3.0)
    mean = stability.average_quality[:count]
    seen = mean <= top
    plane.plot(
        places[seen], mean[seen], "_", ms=16, color=style.colour(0), markeredgewidth=2.2, linestyle="none",
        label="mean of the trials", zorder=5, gid="mean",
    )  # fmt: skip
    _dress(plane, count, top, title)
    for place, rank in zip(places, stability.worst_rank[:count], strict=True):
        plane.annotate(
            f"{rank}", (place, 1.0), xycoords=("data", "axes fraction"), xytext=(0, 3), textcoords="offset points",
            ha="center", va="bottom", fontsize=style.SMALL, color=style.INK, gid="worst rank",
        )  # fmt: skip
    plane.annotate(
        "worst rank", (0.0, 1.0), xycoords="axes fraction", xytext=(-4, 3), textcoords="offset points", ha="right",
        va="bottom", fontsize=style.SMALL, color=style.INK,
    )  # fmt: skip
    if title:
        plane.set_title(title, fontsize=style.LARGE, color=style.INK, pad=16.0)
    style.legend(plane, columns=4)
    return plane


def correlation_map(correlation: Correlation, *, title: str = "") -> Figure:
    """Two heat maps of the coefficients, of values and of ranks; grey where a criterion is constant."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.4, 5.2), layout="constrained")
    image = None
    for k, (name, matrix) in enumerate((("values", correlation.values), ("ranks", correlation.ranks))):
        image = _heat_map(figure.add_subplot(1, 2, k + 1), correlation.names, matrix, f"{name} (Pearson)" if not k else
                          f"{name} (Spearman)")  # fmt: skip
    bar = figure.colorbar(image, ax=figure.axes, shrink=0.8, aspect=30, pad=0.015)  # pyright: ignore[reportArgumentType]
    bar.ax.tick_params(labelsize=style.SMALL, labelcolor=style.INK)
    bar.outline.set_visible(False)  # pyright: ignore[reportCallIssue]
    words = title or f"Correlation over {correlation.grasps} grasps"
    figure.suptitle(words, fontsize=style.LARGE, color=style.INK)
    return figure


def _heat_map(ax: Any, names: tuple[str, ...], matrix: Array, title: str) -> Any:
    shown = np.ma.masked_invalid(matrix)
    image = ax.imshow(shown, cmap="RdBu_r", vmin=-1.0, vmax=1.0, gid="map")
    ax.set_facecolor("#DDDDDD")
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            text = "–" if np.isnan(value) else f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 0.995 else "1"
            colour = "white" if abs(value) > 0.65 else style.INK
            ax.text(j, i, text, ha="center", va="center", fontsize=style.SMALL - 0.5, color=colour, gid="coefficient")
    ax.tick_params(labelsize=style.SMALL, labelcolor=style.INK, length=0, top=True, labeltop=True, bottom=False,
                   labelbottom=False)  # fmt: skip
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_title(title, fontsize=style.NORMAL, color=style.INK)
    return image


def _count(best: int, there: int) -> int:
    if not there:
        raise InputError("has no grasp to draw", where="study", fix="study rankings with grasps")
    return min(checks.count("best", best), there)


def _bars(ax: Any, quality: Array) -> float:
    """Original qualities as bars; up to where the drawing goes."""
    places = np.arange(1, len(quality) + 1)
    ax.bar(places, quality, 0.72, color=BAR, linewidth=0, label="original", zorder=1.5, gid="original")
    return HIGHEST * float(quality.max())


def _marks(
    ax: Any, at: Array, values: Array, top: float, marker: str, colour: str, label: str, size: float = 4.5
) -> None:
    """Marks at their values; those that do not fit, triangles at the upper border."""
    inside = values <= top
    look = {"linestyle": "none", "color": colour, "markeredgecolor": "white", "markeredgewidth": 0.4}
    ax.plot(at[inside], values[inside], marker, ms=size, label=label, zorder=4, gid="mark", **look)
    if not inside.all():
        ax.plot(at[~inside], np.full((~inside).sum(), 0.985 * top), "^", ms=size + 1.0, zorder=4, gid="above", **look)
        if "above the border" not in ax.get_legend_handles_labels()[1]:
            ax.plot([], [], "^", ms=5.5, color=style.FAINT, linestyle="none", label="above the border")


def _dress(ax: Any, count: int, top: float, title: str) -> None:
    lines = [line for line in ax.get_lines() if line.get_gid() in ("mark", "mean")]
    highest = max((float(np.max(line.get_ydata(), initial=0.0)) for line in lines), default=top)
    above = any(line.get_gid() == "above" for line in ax.get_lines())
    bars = max(patch.get_height() for patch in ax.patches)
    ax.set_ylim(0.0, top if above else 1.06 * max(highest, bars))
    ax.set_xticks(range(1, count + 1))
    ax.set_xlim(0.4, count + 0.6)
    ax.set_xlabel("original rank")
    ax.set_ylabel("quality $Q$, lower is better")
    style.dress_plane(ax, title=title)
    ax.grid(False, axis="x")
