"""Postures in space: palms with their frames, the wrenches of the hands, the body's weight, and where it may lean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks
from ..assembly.plots import NEGLIGIBLE, draw_wrench
from ..checks import Array
from ..errors import InputError
from ..plotting import style
from ..plotting.artists import add_arrow
from .files_posture_scene import PostureScene
from .plots_support_regions import EXACT, INNER, OUTER
from .support_regions import SupportRegion, SupportRegionBounds

#: Length of the palms' frames, as a share of the size of what is drawn.
FRAME_LENGTH = 0.09

#: Size of the square that stands for a palm, as a share of the size of what is drawn.
PALM_SIZE = 0.1

#: Names stand this far below their palms, as a share of the size of what is drawn.
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
        scene: what `load_posture` returned.
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
