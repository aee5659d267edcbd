"""Plots of planar grasps: one grasp over its part, sheets, the part as it was read, studies.

Regions, contacts, forces, focus points and the hand from above are drawn over the picture of the part: one grasp, or a
contact sheet of the best ones, as in Fig. 5 of Chinellato et al.
Lengths are in mm, y points up.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..plotting import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .contour_files import Workpiece
    from .contours import Contour
    from .ranking import Grasp, Ranking
    from .studies import Stability, Variation

PART = "#C9CDD2"  # the part, where there is no picture of it
OUTLINE = "#6B7178"
FOUND = style.PALETTE[0]  # the part found in a picture
REGION = style.PALETTE[0]
CONTACT = style.PALETTE[5]
FORCE = style.PALETTE[5]
HAND = "#5B4B8A"
IDEAL = style.PALETTE[2]  # C_G, where the normals were meant to meet
REAL = style.PALETTE[5]  # C_C, where the force lines meet

#: Length of the arrows of forces as a fraction of the size of the part.
FORCE_LENGTH = 0.2

#: Drawn depth of the pad of a jaw [mm].
PAD_DEPTH_MM = 6.0

#: Inches of one drawing of a sheet, and drawings side by side.
PANEL = 2.6
COLUMNS = 3

#: Darkest and lightest grey of a photo: pale, so that lines on it are visible.
PALE = (-2.0, 1.0)


@dataclass(frozen=True, eq=False)
class Backdrop:
    """Background of a grasp: the outline of the part, and its picture if there is one."""

    contour: Contour
    picture: Array | None = None
    mm_per_px: float = 1.0

    def draw(self, ax: Any) -> None:
        """The picture, pale, or the filled part; and its outline."""
        if self.picture is not None:
            height, width = self.picture.shape
            half = 0.5 * self.mm_per_px * np.array([width, height])
            ax.imshow(
                self.picture, cmap="gray", vmin=PALE[0], vmax=PALE[1], interpolation="antialiased", zorder=0.5,
                extent=(-half[0], half[0], -half[1], half[1]), gid="picture",
            )  # fmt: skip
        else:
            self.fill(ax)
        for ring in (self.contour.outer, *self.contour.holes):
            ax.plot(*np.vstack([ring, ring[:1]]).T, color=OUTLINE, linewidth=style.THIN, zorder=1.2, gid="outline")

    def fill(self, ax: Any, *, colour: str = PART, alpha: float = 1.0) -> None:
        """The area of the part."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        rings = [np.vstack([ring, ring[:1]]) for ring in (self.contour.outer, *self.contour.holes)]
        codes = [[Path.MOVETO, *[Path.LINETO] * (len(ring) - 2), Path.CLOSEPOLY] for ring in rings]
        path = Path(np.concatenate(rings), np.concatenate(codes))
        ax.add_patch(PathPatch(path, facecolor=colour, alpha=alpha, edgecolor="none", zorder=0.8, gid="part"))


def grasp_overlay(
    grasp: Grasp,
    contour: Contour,
    ax: Axes | None = None,
    *,
    picture: ArrayLike | None = None,
    mm_per_px: float = 1.0,
    hand: bool = True,
    legend: bool = True,
    title: str = "",
) -> Axes:
    """One grasp over its part: regions bold, contacts, forces, both focus points, and the hand from above.

    Args:
        grasp: a grasp of a ranking.
        contour: the part's outline [mm].
        ax: plain Axes; a new figure by default.
        picture: (h, w) grey picture the contour was found in; without it the part is filled.
        mm_per_px: size of its pixels [mm].
        hand: whether palm, pivots and fingers are drawn.
        legend: whether there is a legend below.
        title: title of the drawing.
    """
    plane = style.axes(ax, "plane")
    backdrop(contour, picture, mm_per_px).draw(plane)
    seen = _draw_grasp(plane, grasp, contour, hand=hand)
    frame(plane, seen, title)
    if legend:
        style.legend(plane, columns=4)
    return plane


#: Characters per line below the title of a part.
SUMMARY_WIDTH = 64


def part_overlay(workpiece: Workpiece, ax: Axes | None = None, *, title: str = "") -> Axes:
    """The part as it was read: its picture, the found area and outline, and numbers of other objects.

    Args:
        workpiece: from `read_workpiece`, or of a ranking.
        ax: plain Axes; a new figure by default.
        title: title of the drawing; below it is how the part was found.
    """
    plane = style.axes(ax, "plane")
    contour, found = workpiece.contour, workpiece.segmentation
    under = backdrop(contour, workpiece.picture, workpiece.mm_per_px or 1.0)
    under.draw(plane)
    if workpiece.picture is not None:
        under.fill(plane, colour=FOUND, alpha=0.35)
    for ring in contour.rings:
        plane.plot(*np.vstack([ring, ring[:1]]).T, color=FOUND, linewidth=style.THICK, zorder=1.4, gid="found")
    others = [] if found is None else [(k, one) for k, one in enumerate(found.components) if k != found.chosen]
    for k, one in others:
        plane.text(*one.centre, str(k), color=style.INK, ha="center", va="center", fontsize="small", gid="other")
    seen = contour.outer
    if workpiece.picture is not None:
        half = 0.5 * (workpiece.mm_per_px or 1.0) * np.array(workpiece.picture.shape[::-1])
        seen = np.array([-half, half])
    frame(plane, seen, "\n".join([title, *textwrap.wrap(workpiece.summary(), SUMMARY_WIDTH)]).strip())
    return plane


def grasp_sheet(
    ranking: Ranking,
    *,
    picture: ArrayLike | None = None,
    mm_per_px: float = 1.0,
    best: int = 6,
    columns: int = COLUMNS,
    hand: bool = True,
    title: str = "",
) -> Figure:
    """A contact sheet of the `best` grasps of a ranking, each with its rank, kind and Q (Fig. 5)."""
    contour = ranking.contour
    if contour is None:
        raise InputError("has no contour", where="ranking", fix="rank with contour=..., or use `plan`")
    shown = ranking.grasps[: checks.count("best", best)]
    if not shown:
        raise InputError(f"has no grasp to draw: {ranking.reason}", where="ranking", fix="draw rankings with grasps")
    under = backdrop(contour, picture, mm_per_px)
    drawings = [(grasp, under, f"{grasp.rank}   {_kind(grasp)}   Q = {grasp.Q:.2f}") for grasp in shown]
    return _sheet(drawings, columns=columns, hand=hand, title=title)


def backdrop(contour: Contour, picture: ArrayLike | None, mm_per_px: float) -> Backdrop:
    """The background of a grasp, checked."""
    if picture is None:
        return Backdrop(contour)
    grey = checks.array("picture", picture, ("h", "w"))
    return Backdrop(contour, grey, checks.positive("mm_per_px", mm_per_px, unit="mm"))


#: Kinds of grasps in pictures.
KINDS = {"three_finger": "three-finger", "virtual_two_finger": "virtual two-finger", "pinch": "two-finger pinch"}


def _kind(grasp: Grasp) -> str:
    return KINDS[grasp.kind]


def _sheet(drawings: Sequence[tuple[Grasp, Backdrop, str]], *, columns: int, hand: bool, title: str) -> Figure:
    """Drawings of one part side by side, with equal limits and one legend."""
    from matplotlib.figure import Figure

    across = min(checks.count("columns", columns), len(drawings))
    down = -(-len(drawings) // across)
    figure = Figure(layout="constrained")
    for k, (grasp, under, name) in enumerate(drawings):
        ax = figure.add_subplot(down, across, k + 1)
        under.draw(ax)
        frame(ax, _draw_grasp(ax, grasp, under.contour, hand=hand), "")
        ax.set_axis_off()
        ax.set_title(name, fontsize=style.SMALL, color=style.INK)
    limits = np.array([(ax.get_xlim(), ax.get_ylim()) for ax in figure.axes])  # (drawings, 2, 2)
    low, high = limits[..., 0].min(axis=0), limits[..., 1].max(axis=0)
    for ax in figure.axes:
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    tallest = min(float((high[1] - low[1]) / (high[0] - low[0])), 1.4)
    figure.set_size_inches(PANEL * across, (PANEL * tallest + 0.3) * down + (0.75 if title else 0.45))
    entries: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(name, handle)
    figure.legend(
        list(entries.values()), list(entries), loc="outside lower center", ncols=7 if across >= 3 else 4,
        fontsize=style.SMALL, frameon=False, labelcolor=style.INK, handlelength=1.6,
    )  # fmt: skip
    if title:
        figure.suptitle(title, fontsize=style.LARGE, color=style.INK)
    return figure


def _draw_grasp(ax: Any, grasp: Grasp, contour: Contour, *, hand: bool) -> Array:
    """One grasp; returns (n, 2) points that must be visible."""
    size = float(np.ptp(contour.outer, axis=0).max())
    seen = [contour.outer.min(axis=0), contour.outer.max(axis=0)]
    if hand:
        seen += _draw_hand(ax, grasp)
    name: str | None = "grasping region"
    for region in grasp.regions_mm:
        ax.plot(
            *region.T, color=REGION, linewidth=3.4, solid_capstyle="round", zorder=3.0, gid="region", label=name
        )  # fmt: skip
        name = None
    focus = grasp.real_focus_mm
    contacts, forces = grasp.contacts_mm, grasp.force_directions
    for point, force in zip(contacts, forces, strict=True):
        if focus is not None:
            ax.plot(*np.array([point, focus]).T, color=FORCE, linewidth=0.7, linestyle=":", zorder=3.2, gid="line")
        style.plane_arrow(ax, point, point + FORCE_LENGTH * size * force, FORCE, "force")
    ax.plot([], [], color=FORCE, linewidth=style.THICK, label="finger force")
    ax.plot(
        *contacts.T, "o", ms=5.0, color="white", markeredgecolor=CONTACT, markeredgewidth=1.4, zorder=6, gid="contact",
        label="contact",
    )  # fmt: skip
    _mark(ax, grasp.grasp_focus_mm, "X", IDEAL, "grasp focus $C_G$", "grasp focus")
    if focus is not None:
        _mark(ax, focus, "o", REAL, "real focus $C_C$", "real focus")
        if np.linalg.norm(focus - contour.outer.mean(axis=0)) < size:
            seen.append(focus)
    _mark(ax, grasp.scored.shape.centroid_mm, "P", style.INK, "centroid", "centroid")
    return np.array([*seen, *contacts])


def _mark(ax: Any, point: Array, marker: str, colour: str, name: str, gid: str) -> None:
    ax.plot(
        *point, marker, ms=6.0, color=colour, markeredgecolor="white", markeredgewidth=0.7, linestyle="none",
        zorder=6.5, label=name, gid=gid,
    )  # fmt: skip


def _draw_hand(ax: Any, grasp: Grasp) -> list[Array]:
    """Palm, pivots and fingers from above; returns the corners of their areas."""
    from matplotlib.patches import Circle

    hand = grasp.scored.hand
    palm, tip = grasp.palm_mm, 0.5 * float(hand.fingertip_width)
    fingers = grasp.fingers()
    look = {"facecolor": style.rgba(HAND, 0.10), "edgecolor": style.rgba(HAND, 0.75), "linewidth": 0.9}
    faint = {"facecolor": style.rgba(HAND, 0.05), "edgecolor": style.rgba(HAND, 0.7), "linestyle": (0, (4, 2))}
    ax.add_patch(Circle(tuple(palm), float(hand.palm_radius), linewidth=0.9, zorder=2.0, gid="palm", **faint))
    if hand.fingers == 2:
        for point, normal in jaw_pads(grasp):
            corners = pad(point, -normal, PAD_DEPTH_MM, float(hand.fingertip_width))
            ax.fill(*corners.T, zorder=2.4, gid="pad", **look)
    for pivot, contact, normal, _ in fingers:
        if hand.fingers == 2:
            continue
        end = contact - tip * normal
        ax.plot(
            *np.array([pivot, end]).T, color=style.rgba(HAND, 0.35), linewidth=3.0, solid_capstyle="round", zorder=2.2,
            gid="finger",
        )  # fmt: skip
        ax.add_patch(Circle(tuple(end), tip, zorder=2.4, gid="fingertip", **look))
    if hand.fingers == 3:
        pivots = np.array([pivot for pivot, _, _, _ in fingers])
        ax.plot(*pivots.T, "s", ms=3.0, color=HAND, linestyle="none", zorder=2.6, gid="pivot")
    ax.plot([], [], "o", ms=7.0, markerfacecolor=style.rgba(HAND, 0.15), markeredgecolor=HAND, linestyle="none",
            label="hand from above")  # fmt: skip
    reach = float(hand.palm_radius)
    ends = grasp.contacts_mm - 2.0 * tip * grasp.inward_normals
    return [palm - reach, palm + reach, *(ends - tip * 0.2), *(ends + tip * 0.2)]


def jaw_pads(grasp: Grasp) -> list[tuple[Array, Array]]:
    """Middle of the face of each pad of a parallel jaw [mm], and the direction in which it pushes."""
    points, forces = grasp.contacts_mm, grasp.force_directions
    return [(points[0], forces[0]), (points[1:].mean(axis=0), forces[1])]


def pad(point: Array, way: Array, length: float, width: float) -> Array:
    """(4, 2) corners of a face of `width` about `point`, extended by `length` along the unit vector `way` [mm]."""
    across = 0.5 * width * np.array([-way[1], way[0]])
    return np.array([point - across, point + across, point + across + length * way, point - across + length * way])


def frame(ax: Any, seen: Array, title: str) -> None:
    """Equal scales around the drawing, axes in mm."""
    from matplotlib.ticker import MaxNLocator

    low, high = seen.min(axis=0), seen.max(axis=0)
    room = 0.04 * float((high - low).max())
    ax.set(xlim=(low[0] - room, high[0] + room), ylim=(low[1] - room, high[1] + room))
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    ax.set_xlabel("$x$ [mm]")
    ax.set_ylabel("$y$ [mm]")
    style.dress_plane(ax, title=title)
    ax.grid(False)


BAR = "#D5DAE0"  # original quality

#: Qualities above this many times the largest original one are drawn at the upper border, as triangles.
HIGHEST = 2.0

#: Text of a parameter of a variation and its value.
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


def _count(best: int, there: int) -> int:
    if not there:
        raise InputError("has no grasp to draw", where="study", fix="study rankings with grasps")
    return min(checks.count("best", best), there)


def _bars(ax: Any, quality: Array) -> float:
    """Original qualities as bars; returns the upper end of the drawing."""
    places = np.arange(1, len(quality) + 1)
    ax.bar(places, quality, 0.72, color=BAR, linewidth=0, label="original", zorder=1.5, gid="original")
    return HIGHEST * float(quality.max())


def _marks(
    ax: Any, at: Array, values: Array, top: float, marker: str, colour: str, label: str, size: float = 4.5
) -> None:
    """Marks at their values; those that do not fit are triangles at the upper border."""
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
