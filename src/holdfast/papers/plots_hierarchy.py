"""The paper's Figs. 15 and 16 in its own manner, from the data of `studies.hierarchy`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import checks
from ..plotting import style
from ..postures.plots import support_region
from .studies.hierarchy import Growth
from .studies.hierarchy_regions import Regions

#: From few to many: outer regions red to orange, inner ones green to cyan, as in the paper's Fig. 16.
OUTER_SHADES = ("#B2182B", "#F4A442")
INNER_SHADES = ("#1B7837", "#22B8CF")

#: What each curve of Fig. 15 is called, its marker and line.
CURVES = {
    "highs": ("HiGHS, all at once", "s", "--"),
    "cold": ("Holdfast, a new solver", "o", "-"),
    "warm": ("Holdfast, a warm solver", "^", ":"),
}

#: Counts with a smaller ratio share one number below the axis.
CLOSE = 1.3

KINDS = {"vertices": ("vertices", "#009E73"), "half-spaces": ("half-spaces", "#D55E00")}


def growth_times(growth: Growth, ax: Any = None, *, title: str = "") -> Any:
    """Time of a four-hand test against the number of vertices and of half-spaces a grip (Fig. 15), both logarithmic.

    Args:
        growth: from `studies.hierarchy.growth`.
        ax: plain axes, or None for a new figure.
        title: title of the picture.

    Returns:
        The Axes.
    """
    checks.instance("growth", growth, Growth, fix="give what studies.hierarchy.growth returned")
    ax = style.axes(ax, "plane")
    for kind, (word, colour) in KINDS.items():
        rows = growth.of(kind)  # pyright: ignore[reportArgumentType]
        for field, (name, marker, line) in CURVES.items():
            if rows:
                counts, times = [row.count for row in rows], [1e3 * getattr(row, field) for row in rows]
                look = {"marker": marker, "linestyle": line, "color": colour, "ms": 4.5, "linewidth": style.MEDIUM}
                ax.plot(counts, times, label=f"{word}: {name}", **look)
    ax.set_xscale("log")
    ax.set_yscale("log")
    counts = _apart(sorted({row.count for row in growth.rows}))
    ax.set_xticks(counts, [f"{count:,}" for count in counts])
    ax.xaxis.set_minor_formatter("")
    ax.set_xlabel("vertices or half-spaces a grip")
    ax.set_ylabel("time of a four-hand test [ms]")
    style.dress_plane(ax, title=title)
    style.legend(ax, columns=2)
    return ax


def region_growth(regions: Regions, ax: Any = None, *, title: str = "") -> Any:
    """Support regions of inner and outer grips of rising fineness, one in the other (Fig. 16).

    Args:
        regions: from `studies.hierarchy_regions.regions`.
        ax: plain axes, or None for a new figure.
        title: title of the picture.

    Returns:
        The Axes.
    """
    checks.instance("regions", regions, Regions, fix="give what studies.hierarchy_regions.regions returned")
    rows = [*regions.inner[::-1], *regions.outer]  # the finest inner one first: it judges the centre of mass
    inner, outer = _shades(INNER_SHADES, len(regions.inner)), _shades(OUTER_SHADES, len(regions.outer))
    palms = np.array([pose.translation for pose in regions.body.poses])
    return support_region(
        [row.region for row in rows],
        ax,
        labels=[f"{'inner' if row.kind == 'vertices' else 'outer'}: {row.name}" for row in rows],
        colours=[*inner[::-1], *outer],
        com=regions.body.com,
        hands=palms,
        fill=False,
        columns=2,
        title=title,
    )


def _apart(counts: list[int]) -> list[int]:
    """The counts that have room for a number below a logarithmic axis, the last of close ones."""
    kept: list[int] = []
    for count in counts:
        if kept and count < CLOSE * kept[-1]:
            kept.pop()
        kept.append(count)
    return kept


def _shades(ends: tuple[str, str], count: int) -> list[str]:
    """`count` colours from the first to the second."""
    from matplotlib.colors import to_hex, to_rgb

    first, last = np.array(to_rgb(ends[0])), np.array(to_rgb(ends[1]))
    shares = np.linspace(0.0, 1.0, max(count, 2))[:count]
    return [to_hex(tuple((1.0 - share) * first + share * last)) for share in shares]
