"""The composite friction cone in generalised force space, as in Erdmann's Fig. 6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..plotting import style
from .friction_cones import FrictionCone

#: Axes of the picture: torque / rho to the right, Fx into the page, Fy up, as a right-handed frame.
ORDER = (2, 0, 1)

#: An edge whose height along the cone's axis is below this share of its length is drawn with length one.
LEVEL = 0.15


def friction_cone(
    cone: FrictionCone,
    ax: Any = None,
    *,
    names: Sequence[str] | None = None,
    view: Sequence[float] = (18.0, -35.0),
    title: str = "",
) -> Any:
    """The sheets of single contacts, and the dashed outline of their sum; all go on without end.

    A cone that holds lines (contacts that can squeeze) has no outline: only the sheets are drawn.

    Args:
        cone: from `holdfast.planar.friction_cone`.
        ax: axes in space (projection "3d"), or None for a new figure.
        names: of the contacts, for the legend; their numbers by default.
        view: (elevation, azimuth) of the camera [deg].
        title: title of the picture.

    Returns:
        The Axes.
    """
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    checks.instance("cone", cone, FrictionCone, fix="give what holdfast.planar.friction_cone returned")
    ax = style.axes(ax, "space")
    edges, level = _cut(cone)
    shown = edges[..., ORDER]
    words = [f"contact {k + 1}" for k in range(len(edges))] if names is None else list(names)
    for k, pair in enumerate(shown):
        sheet = Poly3DCollection(
            [np.vstack([np.zeros(3), pair])], facecolor=style.rgba(style.colour(k), 0.5), label=words[k],
            edgecolor=style.darker(style.colour(k), 0.8), linewidth=style.MEDIUM, zorder=style.BODIES, gid="sheet",
        )  # fmt: skip
        ax.add_collection3d(sheet)
    if cone.is_pointed and level and cone.dimension == 3:
        rim = _rim(cone, edges)[:, ORDER]
        sides = [np.vstack([np.zeros(3), a, b]) for a, b in zip(rim, np.roll(rim, -1, axis=0), strict=True)]
        hull = Poly3DCollection(
            sides, facecolor=style.rgba("#999999", 0.13), edgecolor="none", zorder=style.BEHIND, gid="side"
        )
        ax.add_collection3d(hull)
        lines = list(zip(rim, np.roll(rim, -1, axis=0), strict=True))
        outline = Line3DCollection(
            lines, colors=style.INK, linewidths=style.MEDIUM, linestyles="dashed", zorder=style.MARKS, gid="rim",
            label="composite cone",
        )  # fmt: skip
        ax.add_collection3d(outline)
    points = np.vstack([np.zeros((1, 3)), shown.reshape(-1, 3)])
    ax.set_xlabel(r"torque / $\rho$ [N]")
    ax.set_ylabel("$F_x$ [N]")
    ax.set_zlabel("$F_y$ [N]")
    note = "" if cone.is_pointed else "every force" if cone.is_whole_space else "holds lines"
    style.dress_space(ax, points.min(axis=0), points.max(axis=0), view=view, title=title or note)
    style.legend(ax)
    return ax


def _cut(cone: FrictionCone) -> tuple[Array, bool]:
    """(edges, whether they end on one plane): cut across the cone's axis, the edges for 1 N where that is possible."""
    edges = np.array(cone.edges)
    if not len(edges):
        return edges, False
    units = edges / np.linalg.norm(edges, axis=2, keepdims=True)
    axis = units.reshape(-1, 3).sum(axis=0)
    length = float(np.linalg.norm(axis))
    if length == 0.0 or float((units @ (axis / length)).min()) < LEVEL:
        return units, False
    # Edges that end on a plane for a normal force of 1 N each, as on a flat floor, are left as they are.
    plane = np.linalg.lstsq(edges.reshape(-1, 3), np.ones(2 * len(edges)), rcond=None)[0]
    if np.abs(edges @ plane - 1.0).max() < 1e-9:
        return edges, True
    return units / (units @ (axis / length))[..., None], True


def _rim(cone: FrictionCone, edges: Array) -> Array:
    """(m, 3) ends of the extreme edges, in order round the cone."""
    ends = edges.reshape(-1, 3)
    units = ends / np.linalg.norm(ends, axis=1, keepdims=True)
    kept = [int(np.argmin(np.abs(units - ray).max(axis=1))) for ray in cone.rays]
    corners = ends[sorted(set(kept))]
    middle = corners.mean(axis=0)
    frame = np.linalg.svd(corners - middle)[2][:2]
    flat = (corners - middle) @ frame.T
    return corners[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]
