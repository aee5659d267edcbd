"""The steps before a grasp: the contour by its curvature with its grasping regions, and the ways the fingers close."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array
from ..errors import InputError
from ..plotting import style
from .plots_grasp_overlays import backdrop, frame, jaw_pads, pad

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .contours import Contour
    from .grasp import Grasp
    from .ranking import Ranking

FREE, BLOCKED = style.PALETTE[2], style.PALETTE[5]

#: Curvature at which its colours are full [1/mm]; regions are cut at this one.
FULL_CURVATURE = 0.2

#: Length of the normals of regions as a share of the size of the part.
NORMAL_LENGTH = 0.06


def grasp_regions(
    ranking: Ranking,
    ax: Axes | None = None,
    *,
    picture: ArrayLike | None = None,
    mm_per_px: float = 1.0,
    title: str = "",
) -> Axes:
    """All grasping regions of a part, numbered, with their inward normals, on the contour coloured by its curvature."""
    from matplotlib.collections import LineCollection

    from .curvature import smoothed

    contour, regions = ranking.contour, ranking.regions
    if contour is None or regions is None:
        raise InputError("has no contour or no regions", where="ranking", fix="make it by `plan`")
    plane = style.axes(ax, "plane")
    backdrop(contour, picture, mm_per_px).draw(plane)
    smooth = smoothed(contour)
    loop = np.vstack([smooth.points, smooth.points[:1]])
    lines = LineCollection(
        list(np.stack([loop[:-1], loop[1:]], axis=1)), cmap="coolwarm", linewidths=2.2, zorder=2.0, gid="curvature"
    )
    lines.set_array(np.clip(smooth.curvature, -FULL_CURVATURE, FULL_CURVATURE))
    lines.set_clim(-FULL_CURVATURE, FULL_CURVATURE)
    plane.add_collection(lines)
    size = float(np.ptp(contour.outer, axis=0).max())
    outwards = []
    for k, (segment, normal) in enumerate(zip(regions.segments, regions.normals, strict=True), start=1):
        middle = segment.mean(axis=0)
        plane.plot(*segment.T, color=style.INK, linewidth=3.4, solid_capstyle="butt", zorder=3.0, gid="region")
        arrow = np.array([middle, middle + NORMAL_LENGTH * size * normal])
        plane.plot(*arrow.T, color=style.INK, linewidth=style.MEDIUM, zorder=3.0, gid="normal")
        outwards.append(middle - NORMAL_LENGTH * size * normal)
        plane.annotate(str(k), outwards[-1], ha="center", va="center", fontsize=style.SMALL, color=style.INK, zorder=6)
    frame(plane, np.vstack([contour.outer, *outwards]), title)
    bar = plane.get_figure().colorbar(lines, ax=plane, shrink=0.75, aspect=25, pad=0.02)
    bar.set_label("curvature [1/mm], negative convex", fontsize=style.SMALL, color=style.INK)
    bar.ax.tick_params(labelsize=style.SMALL, labelcolor=style.INK)
    bar.outline.set_visible(False)
    return plane


def grasp_clearance(
    grasp: Grasp, contour: Contour, ax: Axes | None = None, *, opening_mm: float | None = None, title: str = ""
) -> Axes:
    """The ways on which the fingers close, from open to their contacts: green where they are free, orange where not.

    Args:
        grasp: a grasp of a ranking.
        contour: the part's outline [mm].
        ax: plain Axes; a new figure without.
        opening_mm: how far fingers open beyond their contacts [mm]; None opens them fully.
        title: above the drawing; what is in the way without one.
    """
    from .reachability import ALLOWANCE_MM, check_fingers

    hand = grasp.scored.hand
    plane = style.axes(ax, "plane")
    backdrop(contour, None, 1.0).draw(plane)
    travel = np.maximum(hand.longest_extension - grasp.extensions_mm, 0.0)
    travel = travel if opening_mm is None else np.minimum(travel, opening_mm)
    found = check_fingers(
        (contour.outer, *contour.holes), grasp.contacts_mm[None], grasp.inward_normals[None],
        grasp.force_directions[None], travel[None], fingertip_width=hand.fingertip_width, jaws=hand.fingers == 2,
    )  # fmt: skip
    radius = 0.5 * hand.fingertip_width
    tips = grasp.contacts_mm - radius * grasp.inward_normals
    if hand.fingers == 2:
        sides = zip(jaw_pads(grasp), travel[:2], strict=True)
        ways = [pad(point, -force, float(length), float(hand.fingertip_width)) for (point, force), length in sides]
    else:
        fingers = zip(tips, grasp.force_directions, travel, strict=True)
        ways = [capsule(tip, -force, float(length), radius) for tip, force, length in fingers]
    named: set[bool] = set()
    for way, cut in zip(ways, found.cut_mm[0], strict=False):
        free = bool(cut <= ALLOWANCE_MM)
        label = None if free in named else "free way of a fingertip" if free else "blocked way"
        named.add(free)
        _draw_way(plane, way, FREE if free else BLOCKED, label)
    plane.plot(*grasp.contacts_mm.T, "o", ms=4.5, color="white", markeredgecolor=style.INK, linestyle="none", zorder=5,
               gid="contact", label="contact")  # fmt: skip
    room = np.array([contour.outer.min(axis=0), contour.outer.max(axis=0)])
    seen = np.vstack([room, tips - 3.0 * radius * grasp.force_directions])
    frame(plane, seen, "")
    words = title or found.reason[0] or "nothing is in the way"
    plane.set_title(textwrap.fill(words, 64), fontsize=style.NORMAL, color=style.INK)
    style.legend(plane)
    return plane


def capsule(tip: Array, way: Array, length: float, radius: float) -> Array:
    """(n, 2) outline of what a disc of `radius` covers from `tip`, `length` along the unit vector `way` [mm]."""
    facing = np.arctan2(way[1], way[0])
    front = facing + np.linspace(0.5, 1.5, 25) * np.pi
    back = facing + np.linspace(-0.5, 0.5, 25) * np.pi
    ends = [(tip, front), (tip + length * way, back)]
    return np.concatenate([centre + radius * np.column_stack([np.cos(a), np.sin(a)]) for centre, a in ends])


def _draw_way(ax: Any, outline: Array, colour: str, label: str | None) -> None:
    ax.fill(
        *outline.T, facecolor=style.rgba(colour, 0.22), edgecolor=colour, linewidth=style.MEDIUM, zorder=2.5, gid="way",
        label=label, joinstyle="round",
    )  # fmt: skip
