"""How the criteria of planar grasps are distributed over all grasps of a part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from ..errors import InputError
from ..plotting import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .ranking import Ranking

#: What each criterion is about.
MEANING = {
    "S1": "point arrangement",
    "S2": "triangle size",
    "S3": "grasping margin",
    "S4": "contact curvature",
    "C1": "force line",
    "C2": "real focus deviation",
    "C3": "finger extension",
    "C4": "finger spread",
    "C5": "real focus centring",
    "C6": "finger limit",
    "Q": "sum of all",
}

#: Values beyond this quantile stand in the last bar: a criterion may grow without limit.
SHOWN = 0.95
BARS = 24

#: Most intervals between the ticks of an axis.
TICKS = 3


def criterion_distributions(ranking: Ranking, *, columns: int = 4, title: str = "") -> Figure:
    """Histograms of the ten criteria and of Q over the ranked grasps.

    A line marks the best grasp, a dashed one the median. Values beyond the 95 % quantile are gathered in the last bar,
    which then is orange.
    """
    from matplotlib.figure import Figure

    if not len(ranking):
        raise InputError(f"has no grasp to draw: {ranking.reason}", where="ranking", fix="draw rankings with grasps")
    data = {name: column[ranking.order] for name, column in ranking.scored.criteria.items()}
    data["Q"] = ranking.scored.quality[ranking.order]
    down = -(-len(data) // columns)
    figure = Figure(figsize=(2.3 * columns, 1.75 * down + 0.5), layout="constrained")
    for k, (name, values) in enumerate(data.items()):
        _histogram(figure.add_subplot(down, columns, k + 1), name, values)
    handles, names = figure.axes[0].get_legend_handles_labels()
    extra = [a.get_legend_handles_labels() for a in figure.axes[1:]]
    for more, words in extra:
        for handle, word in zip(more, words, strict=True):
            if word not in names:
                handles, names = [*handles, handle], [*names, word]
    figure.legend(
        handles, names, loc="outside lower center", ncols=4, fontsize=style.SMALL, frameon=False, labelcolor=style.INK
    )
    figure.supylabel("grasps", fontsize=style.NORMAL, color=style.INK)
    if title:
        figure.suptitle(title, fontsize=style.LARGE, color=style.INK)
    return figure


def _histogram(ax: Any, name: str, values: Array) -> None:
    low, high = float(values.min()), float(np.quantile(values, SHOWN))
    beyond = values > high
    if high - low <= 1e-9 * max(abs(high), 1.0):
        high = max(float(values.max()), low + 1.0)
        beyond = np.zeros(len(values), dtype=bool)
    edges = np.linspace(low, high, BARS + 1)
    counts, _ = np.histogram(values[~beyond], edges)
    width = edges[1] - edges[0]
    ax.bar(edges[:-1], counts, width, align="edge", color=style.colour(0), linewidth=0, gid="bars")
    if beyond.any():
        ax.bar(high + 0.5 * width, beyond.sum(), width, align="edge", color=style.colour(1), linewidth=0, gid="beyond",
               label="all larger values")  # fmt: skip
    ax.axvline(float(np.median(values)), color=style.INK, linewidth=style.MEDIUM, linestyle="--", label="median")
    ax.axvline(min(float(values[0]), high + width), color=style.colour(5), linewidth=style.THICK, label="best grasp")
    style.dress_plane(ax)
    ax.grid(False)
    ax.locator_params(axis="x", nbins=TICKS)  # four wide labels ("0.0025") stand beside one another without touching
    ax.locator_params(axis="y", nbins=TICKS, integer=True)
    ax.set_title(f"{name}: {MEANING.get(name, 'own criterion')}", fontsize=style.SMALL, color=style.INK)
    ax.tick_params(labelsize=style.SMALL - 1.0)
