"""Pictures of the climbing study: grips on their terrain, the climber with its regions, regions beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..plotting import style
from ..postures.plots import EXACT, INNER, OUTER
from ..postures.region import SupportRegion
from ..robots.plots_robots import robot as draw_robot
from .devices.hand_grips import GRIPS, HandGrip, hand_grip
from .studies.climbing import STANCES, Climb, ClimbCase, Stance, WallName
from .studies.climbing_growth import Fineness

#: Colours of the terrain, of phalanges, of units that touch.
ROCK, BONE, UNIT = "#C9C2B8", "#5F6B7A", "#E69F00"

#: Parts of a hand, by their links' names; those of hands that hold are drawn as grippers.
HAND_PARTS = ("palm", "inner", "outer")

#: The wall is drawn this far up and down, and to either side [m].
WALL_SIZE = (0.95, 0.75)

#: Colours of the grips where they stand beside each other.
SHADES = {"opposing": "#0072B2", "parallel": "#009E73", "pinch": "#D55E00", "power": "#CC79A7"}


def grips_figure() -> Any:
    """The four grips of the hand in the plane of the fingers (Fig. 14); units that touch are marked.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 3.0), layout="constrained")
    for ax, name in zip(figure.subplots(1, len(GRIPS), sharex=True, sharey=True), GRIPS, strict=True):
        _draw_grip(ax, hand_grip(name))
        style.name(ax, name)
    return figure


def climbing_case(case: ClimbCase, ax: Any = None, *, view: Sequence[float] = (20.0, 218.0), title: str = "") -> Any:
    """The climber on its wall, with its exact (blue), inner (green) and outer (red) region.

    The regions lie at the height of the centre of mass.

    Args:
        case: from `studies.climbing.climb`.
        ax: axes in space, or None for a new figure.
        view: (elevation, azimuth) of the camera [deg].
        title: title; what it shows by default.

    Returns:
        The Axes.
    """
    checks.instance("case", case, ClimbCase, fix="give a case that studies.climbing.climb found")
    posture, height = case.posture, float(case.posture.com[2])
    wall = [posture.wall.pose(r * WALL_SIZE[0], s * WALL_SIZE[1]).translation for r, s in _SQUARE]
    shown = (
        (case.outer.vertices, OUTER, "outer"),
        (case.exact.inner, EXACT, "exact"),
        (case.inner.vertices, INNER, "inner"),
    )
    rings = [(_lifted(corners, height), shade, name) for corners, shade, name in shown if len(corners) >= 3]
    verdict = {"yes": "held as it is", "no": "not held as it is"}.get(case.holds, "undecided")
    ax = draw_robot(
        posture.robot,
        posture.q,
        ax,
        grippers=[f"{limb}_{part}" for limb in STANCES[case.stance] for part in HAND_PARTS],
        sheets=[(np.array(wall), ROCK, 0.35)],
        around=np.concatenate([np.zeros((0, 3)), *(ring for ring, _, _ in rings)]),
        com=False,
        view=view,
        title=title or f"{case.grip}, {case.stance}: {verdict}",
        legend=False,
    )
    for ring, shade, name in rings:
        ax.plot(*ring.T, color=shade, linewidth=1.6, label=name, zorder=style.ARROWS)
    face = style.LOAD if case.holds == "yes" else "white"
    look = {"s": 36, "facecolor": face, "edgecolor": style.LOAD, "depthshade": False, "zorder": style.ARROWS + 1}
    ax.scatter(*posture.com, label="centre of mass", **look)
    return ax


def climbing_figure(found: Climb, wall: WallName, stance: Stance) -> Any:
    """The climber and its regions in every grip, on one wall and in one stance (Figs. 17, 18).

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    cases = [case for case in found.cases if (case.wall, case.stance) == (wall, stance)]
    figure = Figure(figsize=(4.1 * len(cases), 4.9))
    for column, case in enumerate(cases):
        ax = figure.add_subplot(1, len(cases), column + 1, projection="3d")
        climbing_case(case, ax)
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.1, top=0.99, wspace=0.0)
    handles, names = figure.axes[0].get_legend_handles_labels()
    for ax in figure.axes:
        more = dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
        handles += [more[n] for n in more if n not in names]
        names += [n for n in more if n not in names]
    figure.legend(handles, names, loc="lower center", ncols=len(names), fontsize=style.NORMAL, frameon=False)
    return figure


def region_figure(found: Climb, wall: WallName) -> Any:
    """The exact regions of all grips on one wall, seen from above: two hands at the left, one hand at the right.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    stances: list[Stance] = ["two hands", "one hand"]
    figure = Figure(figsize=(8.4, 5.2), layout="constrained")
    for ax, stance in zip(figure.subplots(1, 2, sharex=True, sharey=True), stances, strict=True):
        cases = [case for case in found.cases if (case.wall, case.stance) == (wall, stance)]
        for case in cases:
            corners = case.exact.inner
            if len(corners) >= 3:
                closed = np.vstack([corners, corners[:1]])
                ax.plot(*closed.T, color=SHADES[case.grip], linewidth=1.6, label=case.grip)
                ax.fill(*corners.T, color=SHADES[case.grip], alpha=0.08)
        _mark_body(ax, cases)
        _seen_from_above(ax, stance)
    return _with_legend(figure)


def feet_figure(found: Climb, pressing: Mapping[Stance, SupportRegion]) -> Any:
    """The power grip on the overhang with feet that grip and with feet that only press, seen from above.

    Args:
        found: from `studies.climbing.climb`.
        pressing: regions from `studies.climbing_growth.pressing_feet_region`, by stance.

    Returns:
        The Figure.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 5.2), layout="constrained")
    for ax, (stance, region) in zip(figure.subplots(1, 2, sharex=True, sharey=True), pressing.items(), strict=True):
        case = found.case("overhang", stance, "power")
        for corners, name, shade in (
            (case.exact.inner, "feet that grip", SHADES["power"]),
            (region.vertices, "feet that only press", SHADES["opposing"]),
        ):
            if len(corners) >= 3:
                ax.fill(*corners.T, facecolor=style.rgba(shade, 0.1), edgecolor=shade, linewidth=1.6, label=name)
        _mark_body(ax, [case])
        _seen_from_above(ax, stance)
    return _with_legend(figure)


def _seen_from_above(ax: Any, stance: Stance) -> None:
    """Titles and scales of a panel that looks down on the body."""
    style.dress_plane(ax, title=f"{stance} and two feet")
    ax.set_aspect("equal")
    ax.set_xlabel("$x$ [m], into the wall")


def _with_legend(figure: Any) -> Any:
    """The figure with one legend below all its panels."""
    figure.axes[0].set_ylabel("$y$ [m], to the left")
    handles, names = figure.axes[0].get_legend_handles_labels()
    look = {"fontsize": style.NORMAL, "frameon": False}
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), **look)
    return figure


def fineness_figure(growth: Fineness) -> Any:
    """Regions by rougher and finer grips (Fig. 16), and their areas as shares of the exact one.

    Returns:
        The Figure.
    """
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    from .plots_hierarchy import INNER_SHADES, OUTER_SHADES

    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.3))
    ends = {"vertices": INNER_SHADES, "half-spaces": OUTER_SHADES}
    for kind, pair in ends.items():
        rows = [row for row in growth.rows if row.kind == kind]
        shades = LinearSegmentedColormap.from_list(kind, pair)(np.linspace(0.0, 1.0, len(rows)))
        for row, shade in zip(rows, shades, strict=True):
            corners = np.vstack([row.region.vertices, row.region.vertices[:1]])
            left.plot(*corners.T, color=shade, linewidth=1.3, label=f"{row.count:,} {kind}")
        line = [row.region.area / growth.exact.area for row in rows]
        name = "inner, vertices" if kind == "vertices" else "outer, half-spaces"
        right.plot([row.count for row in rows], line, "o-", color=pair[0], linewidth=style.MEDIUM, ms=4.5, label=name)
    ring = np.vstack([growth.exact.inner, growth.exact.inner[:1]])
    left.plot(*ring.T, color=style.INK, linewidth=1.4, linestyle="--", label="exact")
    left.plot(*growth.posture.com[:2], "o", color=style.LOAD, ms=6)
    left.set_aspect("equal")
    left.set_xlabel("$x$ [m], into the wall")
    left.set_ylabel("$y$ [m], to the left")
    right.axhline(1.0, color=style.INK, linewidth=1.4, linestyle="--", label="exact")
    right.set_xscale("log")
    right.set_yscale("log")
    right.set_yticks([0.3, 0.5, 1.0, 2.0, 4.0], ["0.3", "0.5", "1", "2", "4"])
    right.set_yticks([], minor=True)
    right.set_xlabel("vertices or half-spaces a grip")
    right.set_ylabel("area, as a share of the exact one")
    for ax, columns in ((left, 3), (right, 3)):
        style.dress_plane(ax)
        style.legend(ax, columns=columns)
    return figure


#: Corners of a square about the origin, in turn.
_SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))


def _draw_grip(ax: Any, grip: HandGrip) -> None:
    """One grip in the plane across the fingers, in the palm frame."""
    scale, origin = 1e3, grip.palm.translation  # [mm]
    profile = scale * grip.profile
    closed = np.allclose(profile[0], profile[-1])
    if not closed:
        deep = np.array([[profile[-1, 0], -260.0], [profile[0, 0], -260.0]])
        ax.fill(*np.vstack([profile, deep]).T, color=ROCK, linewidth=0.0)
        ax.plot(*profile.T, color=style.darker(ROCK, 0.6), linewidth=style.MEDIUM)
    else:
        ax.fill(*profile.T, facecolor=ROCK, edgecolor=style.darker(ROCK, 0.6), linewidth=style.MEDIUM)
    for link in grip.device.links:
        points = scale * (link.points - origin)
        ax.plot(points[:, 0], points[:, 2], color=BONE, linewidth=3.2, solid_capstyle="round")
        ax.plot(points[:, 0], points[:, 2], "o", color=BONE, ms=3.5)
    for patch in grip.device.patches:
        ends = scale * (patch.positions - origin)
        ax.plot(*_extreme(ends).T, color=UNIT, linewidth=3.6, solid_capstyle="butt")
    ax.set_xlim(-200, 200)
    ax.set_ylim(-180, 60)
    ax.set_aspect("equal")
    ax.set_xlabel("$x$ [mm]")
    if ax.get_subplotspec().is_first_col():
        ax.set_ylabel("$z$ [mm]")
    style.dress_plane(ax)


def _extreme(points: Array) -> Array:
    """(2, 2) the two ends of a unit seen along y."""
    flat = points[:, [0, 2]]
    gaps = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    first, second = np.unravel_index(int(gaps.argmax()), gaps.shape)
    return flat[[first, second]]


def _lifted(corners: Array, height: float) -> Array:
    """(n + 1, 3) a closed ring of corners (n, 2) at a height [m]."""
    ring = np.column_stack([corners, np.full(len(corners), height)])
    return np.vstack([ring, ring[:1]])


def _mark_body(ax: Any, cases: Sequence[ClimbCase]) -> None:
    """Palms, and the centre of mass where the posture has it."""
    if not cases:
        return
    posture = cases[0].posture
    palms = np.array([posture.palms[limb].translation[:2] for limb in STANCES[cases[0].stance]])
    ax.plot(*palms.T, "x", color=style.INK, ms=6, mew=1.4, linestyle="none", label="palm")
    look = {"markerfacecolor": style.LOAD, "markeredgecolor": style.LOAD, "ms": 7, "linestyle": "none"}
    ax.plot(*posture.com[:2], "o", label="centre of mass", **look)
