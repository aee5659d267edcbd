"""Pictures of postures in space, and of support regions in the plane normal to gravity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.plots import NEGLIGIBLE, draw_wrench
from ..checks import Array
from ..errors import InputError
from ..plotting import style
from ..plotting.artists import add_arrow
from .hands import PostureScene
from .region import SupportRegion
from .region_computation import SupportRegionBounds

#: Length of the palms' frames, as a share of the size of the drawing.
FRAME_LENGTH = 0.09

#: Size of the square that stands for a palm, as a share of the size of the drawing.
PALM_SIZE = 0.1

#: Names stand this far below their palms, as a share of the size of the drawing.
NAME_DROP = 0.07

#: Regions without a border are cut off this many widths of the posture from its middle.
OPEN_REACH = 0.8

PALM = "#E69F00"
BODY = "#5F6B7A"


def posture(
    scene: PostureScene,
    *,
    result: Any = None,
    region: SupportRegion | SupportRegionBounds | None = None,
    ax: Any = None,
    view: Sequence[float] = (18.0, -55.0),
    title: str = "",
) -> Any:
    """A posture in the world: palms and their frames (x red, y green, z blue), hand forces, load, support region.

    Forces act on the body and start at the palms. The region lies at the height of the centre of mass, cut off where it
    has no border.

    Args:
        scene: result of `load_posture`.
        result: a PostureEquilibrium of it, for the forces of the hands and the load.
        region: its support region, or bounds of it.
        ax: axes in space (projection "3d"), or None for a new figure.
        view: (elevation, azimuth) of the camera [deg].
        title: title; by default the name and what came out.

    Returns:
        The Axes.
    """
    checks.instance("scene", scene, PostureScene, fix="give what load_posture returned")
    palms = np.array([pose.translation for pose in scene.poses])
    body = np.vstack([palms, scene.com])
    size = float(np.linalg.norm(np.ptp(body, axis=0))) or 0.1
    ax = style.axes(ax, "space")
    seen = [body]
    if region is not None:
        seen += _draw_region(ax, scene, region, body)
    for pose in scene.poses:
        _draw_palm(ax, pose, size)
        seen.append(pose.translation + FRAME_LENGTH * size * np.vstack([np.eye(3), -np.eye(3)]))
    for palm in palms:
        ax.plot(*np.vstack([scene.com, palm]).T, color=BODY, linewidth=1.6, alpha=0.45, zorder=style.BODIES)
    ax.plot([], [], [], color=BODY, linewidth=1.6, alpha=0.45, label="body")
    seen += _draw_actions(ax, scene, palms, result, size)
    ax.scatter(*scene.com, s=34, color=style.LOAD, depthshade=False, zorder=style.ARROWS + 1, label="centre of mass")
    points = np.concatenate(seen)
    words = title or _title(scene, result)
    style.dress_space(ax, points.min(axis=0), points.max(axis=0), view=view, title=words)
    _name_hands(ax, scene, palms, size)
    for letter in "xyz":
        getattr(ax, f"set_{letter}label")(f"${letter}$ [m]", labelpad=2)
    style.legend(ax, columns=3)
    return ax


def _draw_palm(ax: Any, pose: Any, size: float) -> None:
    """A square in the plane of the palm, and its frame."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    half = 0.5 * PALM_SIZE * size
    corners = half * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    face = Poly3DCollection(
        [pose.apply(corners)], facecolors=style.rgba(PALM, 0.55), edgecolors=style.darker(PALM, 0.7), linewidths=0.6
    )
    face.set_zorder(style.BODIES)
    ax.add_collection3d(face)
    for k in range(3):
        end = pose.translation + FRAME_LENGTH * size * pose.rotation[:, k]
        add_arrow(ax, pose.translation, end, style.FRAME[k], width=1.0, head=4.0, gid="frame")


def _draw_region(ax: Any, scene: PostureScene, region: SupportRegion | SupportRegionBounds, body: Array) -> list[Array]:
    """The region in the plane through the centre of mass; the points that must be seen."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    if isinstance(region, SupportRegionBounds):
        parts = [(region.outer, OUTER, "outer support region"), (region.inner, INNER, "inner support region")]
    elif isinstance(region, SupportRegion):
        parts = [(region, EXACT, "support region")]
    else:
        fix = "give what hf.support_region returned"
        raise InputError(f"is a {type(region).__name__}", where="region", fix=fix)
    seen: list[Array] = []
    for part, shade, label in parts:
        if part.kind == "empty":
            ax.plot([], [], [], " ", label=f"{label}: empty")
            continue
        corners = lifted_outline(part, scene.com, body)
        seen.append(corners)
        if part.area == 0.0:
            ax.plot(*corners.T, color=shade, linewidth=2.5, marker="D", ms=3, label=label, zorder=style.MARKS)
            continue
        look = {"facecolors": style.rgba(shade, 0.18), "edgecolors": shade, "linewidths": style.MEDIUM}
        area = Poly3DCollection([corners], **look)
        area.set_zorder(style.BEHIND)
        ax.add_collection3d(area)
        ax.plot([], [], [], color=shade, linewidth=5.0, alpha=0.4, label=label)
    return seen


def lifted_outline(region: SupportRegion, com: Array, body: Array) -> Array:
    """(m, 3) corners of a region in the plane across gravity through `com` (3,), near points `body` (n, 3) [m]."""
    around = region.frame.coordinates(body)
    flat = region.outline(OPEN_REACH * float(np.ptp(around, axis=0).max() or 1.0), around.mean(axis=0))
    return region.frame.points(flat, height=float(region.frame.up @ (com - region.frame.origin)))


def _draw_actions(ax: Any, scene: PostureScene, palms: Array, result: Any, size: float) -> list[Array]:
    """The forces of the hands and the load in one scale; the points that must be seen."""
    load = scene.wrench if result is None else result.wrench
    wrenches = None if result is None else result.wrenches
    forces = (
        np.zeros((0, 3))
        if wrenches is None
        else np.array([pose.rotation @ w[:3] for pose, w in zip(scene.poses, wrenches, strict=True)])
    )
    sizes = np.linalg.norm(forces, axis=1)
    longest = float(sizes.max(initial=0.0)) or float(np.linalg.norm(load[:3])) or 1.0
    scale = style.LONGEST * size / longest
    seen: list[Array] = []
    for palm, force, strength in zip(palms, forces, sizes, strict=False):
        if strength > NEGLIGIBLE * longest:
            add_arrow(ax, palm, palm + scale * force, style.FORCE, width=style.MEDIUM, head=7.0, gid="force")
            seen.append((palm + scale * force)[None])
    if len(forces):
        ax.plot([], [], [], color=style.FORCE, linewidth=style.MEDIUM, label="force of a hand on the body")
    seen.append(draw_wrench(ax, load, scene.com, scale, size))
    return seen


def _name_hands(ax: Any, scene: PostureScene, palms: Array, size: float) -> None:
    """Names below the palms, clear of their frames."""
    for name, palm in zip(scene.hands, palms, strict=True):
        at = palm - np.array([0.0, 0.0, NAME_DROP * size])
        look = {"fontsize": style.SMALL, "color": style.INK, "ha": "center", "va": "top"}
        ax.text(*at, style.verbatim(name), zorder=style.ARROWS + 2, **look)


def _title(scene: PostureScene, result: Any) -> str:
    if result is None:
        return style.verbatim(scene.name)
    verdict = getattr(result.status, "value", str(result.status))
    return f"{style.verbatim(scene.name)}: {verdict}" if scene.name else verdict


# Support regions in the plane normal to gravity: inner green, outer red, with centres of mass and hands.

#: Colours of an inner region, of an outer region, and of an exact one.
INNER, OUTER, EXACT = "#009E73", "#D5402B", "#0072B2"

#: Room around what is drawn, as a share of its size; regions without a border get more.
MARGIN, OPEN_MARGIN = 0.16, 0.4

#: Regions without a border are cut off this many sizes of the picture beyond it.
FAR = 2.0

#: How much of its colour the inside of a region has.
TINT = 0.2

#: Hands closer to each other than this share of the picture have one label.
SAME_POINT = 0.02

#: A window has at least this size [m], so that a point has one at all.
LEAST_WINDOW = 0.02


def support_region(
    regions: Any,
    ax: Any = None,
    *,
    labels: Sequence[str] | None = None,
    colours: Sequence[str] | None = None,
    com: ArrayLike | None = None,
    hands: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    fill: bool = True,
    columns: int | None = None,
    title: str = "",
) -> Any:
    """Where the centre of mass may be, seen along gravity; equal scales.

    An exact region is blue; of bounds, the inner region (guaranteed to hold) is green and the outer one (nothing
    holds outside of it) red. Regions without a border are cut off by the window, points and segments are drawn as such,
    and what is empty is named in the legend alone.

    Args:
        regions: a SupportRegion, SupportRegionBounds, or a sequence of them, the first on top.
        ax: plain axes, or None for a new figure.
        labels: one per region for the legend; bounds take two.
        colours: one per region, as labels.
        com: (3,) or (n, 3) centres of mass in the world [m]: filled where the first region (the inner of bounds)
            has them, open where it has not.
        hands: (k, 3) positions of the palms in the world [m].
        names: of the hands.
        fill: whether to fill the regions.
        columns: of the legend.
        title: title of the picture.

    Returns:
        The Axes.
    """
    shown = _flat(regions)
    words = _given("labels", labels, [entry[1] for entry in shown])
    shades = _given("colours", colours, [entry[2] for entry in shown])
    first = shown[0][0]
    masses = np.zeros((0, 3)) if com is None else checks.array("com", np.atleast_2d(np.asarray(com, float)), ("n", 3))
    palms = np.zeros((0, 3)) if hands is None else checks.array("hands", hands, ("k", 3))
    flat_masses, flat_palms = first.frame.coordinates(masses), first.frame.coordinates(palms)
    ax = style.axes(ax, "plane")
    low, high = _window([entry[0] for entry in shown], np.concatenate([flat_masses, flat_palms]))
    for order, ((region, _, _), label, shade) in enumerate(zip(shown, words, shades, strict=True)):
        _draw(ax, region, label, shade, low, high, fill=fill, below=order)
    if len(flat_palms):
        _draw_hands(ax, flat_palms, names)
    if len(flat_masses):
        inside = np.array([bool(first.contains(point)) for point in masses])
        _draw_masses(ax, flat_masses, inside)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_aspect("equal")
    for axis, letter in zip(first.frame.axes, "xy", strict=True):
        getattr(ax, f"set_{letter}label")(_axis_name(axis))
    style.dress_plane(ax, title=title)
    style.legend(ax, columns=columns)
    return ax


def _flat(regions: Any) -> list[tuple[SupportRegion, str, str]]:
    """Each region with its label and colour by default; bounds become two, the inner one first."""
    given = list(regions) if isinstance(regions, (list, tuple)) else [regions]
    found: list[tuple[SupportRegion, str, str]] = []
    for index, entry in enumerate(given):
        if isinstance(entry, SupportRegionBounds):
            found.append((entry.inner, "inner: guaranteed to hold", INNER))
            found.append((entry.outer, "outer: outside of it nothing holds", OUTER))
        elif isinstance(entry, SupportRegion):
            found.append((entry, "support region", EXACT if len(given) == 1 else style.colour(index)))
        else:
            fix = "give what hf.support_region returned, or a list of such"
            raise InputError(f"is a {type(entry).__name__}", where="regions", fix=fix)
    if not found:
        raise InputError("is empty", where="regions", fix="give at least one region")
    return found


def _given(name: str, given: Sequence[str] | None, default: list[str]) -> Sequence[str]:
    """What was given, one per region, or the default."""
    if given is None:
        return default
    if len(given) != len(default):
        raise InputError(f"has {len(given)} entries", where=name, fix=f"give {len(default)}, one per region")
    return given


def _window(regions: Sequence[SupportRegion], points: Array) -> tuple[Array, Array]:
    """Lower left and upper right corner of what is shown."""
    corners = [region.vertices for region in regions if region.kind != "plane"]  # any point of a plane stands there
    seen = np.concatenate([*corners, points, np.zeros((0, 2))])
    if not len(seen):
        seen = np.zeros((1, 2))
    size = max(float(np.ptp(seen, axis=0).max()), LEAST_WINDOW)
    is_open = any(region.kind in ("unbounded", "plane") for region in regions)
    room = (OPEN_MARGIN if is_open else MARGIN) * size
    return seen.min(axis=0) - room, seen.max(axis=0) + room


def _draw(
    ax: Any, region: SupportRegion, label: str, shade: str, low: Array, high: Array, *, fill: bool, below: int
) -> None:
    """One region, under those before it, of which there are `below`."""
    order = 2.0 - 1e-3 * below
    if region.kind == "empty":
        ax.plot([], [], " ", label=f"{label} (empty)")
        return
    corners = region.outline(FAR * float((high - low).max()), 0.5 * (low + high))
    name = f"{label} (the whole plane)" if region.kind == "plane" else label
    if region.kind == "point":
        ax.plot(*corners[:1].T, "D", color=shade, ms=5, label=f"{name} (a point)", zorder=3)
    elif region.area == 0.0:
        ax.plot(*corners.T, color=shade, linewidth=2.5, label=f"{name} (a line)", zorder=3)
    else:
        face = _tint(shade) if fill else "none"
        ax.fill(*corners.T, facecolor=face, edgecolor=shade, linewidth=style.MEDIUM, label=name, zorder=order)


def _tint(shade: str) -> tuple[float, ...]:
    """A light colour that hides most of what lies under it, so that regions in each other keep their own."""
    from matplotlib.colors import to_rgb

    return (*(1.0 - TINT * (1.0 - part) for part in to_rgb(shade)), 0.85)


def _draw_hands(ax: Any, palms: Array, names: Sequence[str] | None) -> None:
    """Crosses where the palms are, with their names on the side away from their middle."""
    middle = 0.5 * (palms.min(axis=0) + palms.max(axis=0))
    if names is not None and len(names) != len(palms):
        raise InputError(f"has {len(names)} entries", where="names", fix=f"give {len(palms)}, one per hand")
    ax.plot(*palms.T, "x", color=style.INK, ms=6, mew=1.4, label="hand", zorder=4, linestyle="none")
    for point, name in _merged(palms, names or ()):
        right = point[0] >= middle[0]
        above = point[1] >= middle[1]
        ax.text(
            *point,
            style.verbatim(name),
            transform=style.shifted(ax, 5 if right else -5, 5 if above else -5),
            ha="left" if right else "right",
            va="bottom" if above else "top",
            fontsize=style.SMALL,
            color=style.INK,
            gid=style.MOVABLE,
            zorder=5,
        )


def _merged(points: Array, names: Sequence[str]) -> list[tuple[Array, str]]:
    """Each point with its name; those that lie at one point have one label: "foot 1, foot 2"."""
    near = SAME_POINT * max(float(np.ptp(points, axis=0).max()), LEAST_WINDOW)
    groups: list[tuple[Array, list[str]]] = []
    for point, name in zip(points, names, strict=False):
        own = next((known for place, known in groups if np.linalg.norm(place - point) <= near), None)
        if own is None:
            groups.append((point, [name]))
        else:
            own.append(name)
    return [(point, ", ".join(known)) for point, known in groups]


def _draw_masses(ax: Any, masses: Array, inside: Array) -> None:
    """Centres of mass: filled where they are held, open where not."""
    kinds = ((inside, style.INK, "centre of mass, inside"), (~inside, "white", "centre of mass, outside"))
    for chosen, face, name in kinds:
        if chosen.any():
            look = {"markerfacecolor": face, "markeredgecolor": style.INK, "ms": 7, "mew": 1.4, "linestyle": "none"}
            ax.plot(*masses[chosen].T, "o", label=name, zorder=6, **look)


def _axis_name(axis: Array) -> str:
    """What an axis of the region is called."""
    for k, letter in enumerate("xyz"):
        if np.allclose(np.abs(axis), np.eye(3)[k], rtol=0.0, atol=1e-9):
            return f"${'-' if axis[k] < 0.0 else ''}{letter}$ [m]"
    parts = ", ".join(f"{value:.2g}" for value in axis + 0.0)
    return f"along ({parts}) [m]"
