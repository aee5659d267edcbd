"""Region maps: two parameters, coloured by the set of contact modes that are possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..plotting import style
from .region_maps import RegionMap

#: Labels beyond the palette are drawn in it again, this much lighter.
LIGHTER = 0.45


def region_map(
    regions: RegionMap, ax: Any = None, *, xlabel: str = "", ylabel: str = "", columns: int = 2, title: str = ""
) -> Any:
    """The grid of a region map in one colour for each set of modes, with a legend below.

    Args:
        regions: from `holdfast.planar.region_map`.
        ax: plain Axes, or None for a new figure.
        xlabel, ylabel: what the parameters are, with their units.
        columns: of the legend.
        title: title of the picture.

    Returns:
        The Axes.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    checks.instance("regions", regions, RegionMap, fix="give what holdfast.planar.region_map returned")
    ax = style.axes(ax, "plane")
    colours = [_colour(k) for k in range(len(regions.labels))]
    ax.pcolormesh(
        _borders(regions.xs), _borders(regions.ys), regions.regions, cmap=ListedColormap(colours),
        vmin=-0.5, vmax=len(colours) - 0.5, shading="flat", rasterized=True, gid="regions",
    )  # fmt: skip
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    style.dress_plane(ax, title=title)
    ax.grid(False)
    patches = [Patch(facecolor=c, edgecolor=style.FAINT, label=n) for c, n in zip(colours, regions.names, strict=True)]
    ax.legend(
        handles=patches, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=columns, fontsize=style.SMALL,
        frameon=False, labelcolor=style.INK,
    )  # fmt: skip
    return ax


def _colour(index: int) -> tuple[float, float, float]:
    """Colours of the palette, a little lighter for large areas; lighter still when it repeats."""
    from matplotlib.colors import to_rgb

    share = min(0.2 + LIGHTER * (index // len(style.PALETTE)), 0.85)
    base = np.array(to_rgb(style.colour(index)))
    red, green, blue = (base + share * (1.0 - base)).tolist()
    return red, green, blue


def _borders(values: Array) -> Array:
    """(n + 1,) borders of the cells round sorted or unsorted grid values."""
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middles = 0.5 * (values[:-1] + values[1:])
    return np.concatenate([[2.0 * values[0] - middles[0]], middles, [2.0 * values[-1] - middles[-1]]])
