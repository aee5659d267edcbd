"""Planar grasps over the picture of their part: regions, contacts, forces, focus points and the hand from above.

One grasp, a contact sheet of the best ones, and the best of several parts side by side, as Figs. 5 and 6 of
Chinellato et al. show them. Lengths are in mm, y points up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..planar.plots import arrow
from ..plotting import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .contours import Contour
    from .grasp import Grasp
    from .ranking import Ranking

PART = "#C9CDD2"  # the part, where there is no picture of it
OUTLINE = "#6B7178"
REGION = style.PALETTE[0]
CONTACT = style.PALETTE[5]
FORCE = style.PALETTE[5]
HAND = "#5B4B8A"
IDEAL = style.PALETTE[2]  # C_G, where the normals were meant to meet
REAL = style.PALETTE[5]  # C_C, where the force lines meet

#: Length of the arrows of forces as a share of the size of the part.
FORCE_LENGTH = 0.2

#: How deep the pad of a jaw is drawn [mm].
PAD_DEPTH_MM = 6.0

#: Inches of one drawing of a sheet, and drawings side by side.
PANEL = 2.6
COLUMNS = 3

#: Darkest and lightest grey a photo is drawn with: pale, so that lines on it are seen.
PALE = (-2.0, 1.0)


@dataclass(frozen=True, eq=False)
class Backdrop:
    """What lies under a grasp: the outline of the part, and the picture it was found in if there is one."""

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
            self._fill(ax)
        for ring in (self.contour.outer, *self.contour.holes):
            ax.plot(*np.vstack([ring, ring[:1]]).T, color=OUTLINE, linewidth=style.THIN, zorder=1.2, gid="outline")

    def _fill(self, ax: Any) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        rings = [np.vstack([ring, ring[:1]]) for ring in (self.contour.outer, *self.contour.holes)]
        codes = [[Path.MOVETO, *[Path.LINETO] * (len(ring) - 2), Path.CLOSEPOLY] for ring in rings]
        path = Path(np.concatenate(rings), np.concatenate(codes))
        ax.add_patch(PathPatch(path, facecolor=PART, edgecolor="none", zorder=0.8, gid="part"))


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
        ax: plain Axes; a new figure without.
        picture: (h, w) grey picture the contour was found in; the part is filled without one.
        mm_per_px: size of its pixels [mm].
        hand: whether palm, pivots and fingers are drawn.
        legend: whether what is drawn is named below.
        title: above the drawing.
    """
    plane = style.axes(ax, "plane")
    backdrop(contour, picture, mm_per_px).draw(plane)
    seen = _draw_grasp(plane, grasp, contour, hand=hand)
    frame(plane, seen, title)
    if legend:
        style.legend(plane, columns=4)
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
    return _sheet(drawings, columns=columns, hand=hand, title=title, same=True)


def grasp_gallery(
    rankings: Mapping[str, Ranking],
    *,
    pictures: Mapping[str, ArrayLike] | None = None,
    mm_per_px: float = 1.0,
    columns: int = COLUMNS,
    hand: bool = True,
    title: str = "",
) -> Figure:
    """The best grasp of each part, from the best to the worst Q (Fig. 6); parts without a grasp are left out."""
    found = [(name, r, r.best, r.contour) for name, r in rankings.items()]
    kept = [(name, best, contour) for name, _, best, contour in found if best is not None and contour is not None]
    if not kept:
        raise InputError("hold no grasp", where="rankings", fix="give at least one ranking with a grasp and a contour")
    drawings = [
        (best, backdrop(contour, (pictures or {}).get(name), mm_per_px), f"{name}   Q = {best.Q:.2f}")
        for name, best, contour in sorted(kept, key=lambda entry: entry[1].Q)
    ]
    return _sheet(drawings, columns=columns, hand=hand, title=title)


def backdrop(contour: Contour, picture: ArrayLike | None, mm_per_px: float) -> Backdrop:
    """What lies under a grasp, checked."""
    if picture is None:
        return Backdrop(contour)
    grey = checks.array("picture", picture, ("h", "w"))
    return Backdrop(contour, grey, checks.positive("mm_per_px", mm_per_px, unit="mm"))


def _kind(grasp: Grasp) -> str:
    return "virtual two-finger" if grasp.virtual_two_finger else "three-finger"


def _sheet(
    drawings: Sequence[tuple[Grasp, Backdrop, str]], *, columns: int, hand: bool, title: str, same: bool = False
) -> Figure:
    """Drawings side by side, with one legend below all; with the `same` limits when they show one part."""
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
    if same:
        limits = np.array([(ax.get_xlim(), ax.get_ylim()) for ax in figure.axes])  # (drawings, 2, 2)
        low, high = limits[..., 0].min(axis=0), limits[..., 1].max(axis=0)
        for ax in figure.axes:
            ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    spans = np.array([(np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())) for ax in figure.axes])
    tallest = min(float((spans[:, 1] / spans[:, 0]).max()), 1.4)
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
    """All of one grasp; (n, 2) points that must be seen."""
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
        arrow(ax, point, point + FORCE_LENGTH * size * force, FORCE, "force")
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
    """Palm, pivots and fingers from above; corners of what they cover."""
    from matplotlib.patches import Circle

    hand = grasp.scored.hand
    palm, tip = grasp.palm_mm, 0.5 * float(hand.fingertip_width)
    axis = grasp.thumb_axis
    across = hand.pivot_offset * np.array([axis[1], -axis[0]])  # the thumb axis turned by -90 deg
    pivots = np.array([palm, palm - across, palm + across])
    look = {"facecolor": style.rgba(HAND, 0.10), "edgecolor": style.rgba(HAND, 0.75), "linewidth": 0.9}
    faint = {"facecolor": style.rgba(HAND, 0.05), "edgecolor": style.rgba(HAND, 0.7), "linestyle": (0, (4, 2))}
    ax.add_patch(Circle(tuple(palm), float(hand.palm_radius), linewidth=0.9, zorder=2.0, gid="palm", **faint))
    if hand.fingers == 2:
        for point, normal in jaw_pads(grasp):
            corners = pad(point, -normal, PAD_DEPTH_MM, float(hand.fingertip_width))
            ax.fill(*corners.T, zorder=2.4, gid="pad", **look)
    for pivot, contact, normal in zip(pivots, grasp.contacts_mm, grasp.inward_normals, strict=True):
        if hand.fingers == 2:
            continue
        end = contact - tip * normal
        ax.plot(
            *np.array([pivot, end]).T, color=style.rgba(HAND, 0.35), linewidth=3.0, solid_capstyle="round", zorder=2.2,
            gid="finger",
        )  # fmt: skip
        ax.add_patch(Circle(tuple(end), tip, zorder=2.4, gid="fingertip", **look))
    if hand.fingers == 3:
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
    """(4, 2) corners of what a face of `width` about `point` covers `length` along the unit vector `way` [mm]."""
    across = 0.5 * width * np.array([-way[1], way[0]])
    return np.array([point - across, point + across, point + across + length * way, point - across + length * way])


def frame(ax: Any, seen: Array, title: str) -> None:
    """Equal scales round what was drawn, axes in mm."""
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
