"""Limit surfaces in space, with the measurements they go through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..plotting import style
from ..plotting.solids import Solids
from .plots_volumes import REACH, draw_frame, name_axes
from .surface import LimitSurface

#: A triangle whose limits are below this share of the surface's size is a point on paper.
NO_LIMIT = 1e-6


def limit_surface(
    surface: LimitSurface,
    ax: Any = None,
    *,
    samples: bool = True,
    reach: float | None = None,
    view: Sequence[float] = (22.0, -60.0),
    title: str = "",
) -> Any:
    """A limit surface in the contact frame: the largest force in every direction, with its measurements.

    Triangles between measured directions are coloured; those that hang on a direction nobody measured are grey.
    Measured limits are dots, assumed ones open circles, outliers crosses. A surface of a model has no
    measurements and is coloured throughout.

    Args:
        surface: the limits [N].
        ax: axes in space (projection "3d"), or None for a new figure.
        samples: whether to mark measured, assumed and outlying limits.
        reach: pressing forces above f_z = reach [N] are not drawn, and unlimited directions are cut off there;
            by default only unlimited ones are cut.
        view: (elevation, azimuth) of the camera [deg].
        title: title of the picture.

    Returns:
        The Axes.
    """
    check_surface("surface", surface)
    far = REACH * (surface.size or 1.0) if reach is None else checks.positive("reach", reach, unit="N")
    ax = style.axes(ax, "space")
    solids, corners = Solids(), [np.zeros((1, 3))]
    is_model = not surface.measured.any()
    for triangle in surface.triangles:
        polygon = _below(triangle_polygon(surface, triangle, far), far)
        if len(polygon) < 3 or not np.isfinite(surface.gauges[triangle]).all():
            continue  # a corner with limit zero leaves nothing of the triangle
        known = is_model or bool(surface.measured[triangle].all())
        normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[0])
        length = float(np.linalg.norm(normal))
        if length <= (NO_LIMIT * surface.size) ** 2:
            continue
        base = style.PALETTE[0] if known else style.ASSUMED
        border = list(zip(polygon, np.roll(polygon, -1, axis=0), strict=True))
        solids.add_face([polygon], normal / length, base, 0.8 if known else 0.55, border)
        corners.append(polygon)
    solids.draw(ax, gid="surface")
    points = np.concatenate(corners)
    if samples:
        _mark(ax, surface, far, is_model)
    span = float(np.ptp(points, axis=0).max()) or 1.0
    borders = surface.radial(np.eye(3))
    borders = np.where(np.isfinite(borders), borders, far)
    borders[2] = min(borders[2], far)
    bounds = np.concatenate([points, draw_frame(ax, borders, span)])
    style.dress_space(ax, bounds.min(axis=0), bounds.max(axis=0), view=view, title=title)
    name_axes(ax)
    style.legend(ax)
    return ax


def check_surface(name: str, value: Any) -> LimitSurface:
    """`value` as a limit surface, or the error that says what it is."""
    if not isinstance(value, LimitSurface):
        raise InputError(f"is a {type(value).__name__}", where=name, fix="give a LimitSurface")
    return value


def triangle_polygon(surface: LimitSurface, triangle: Any, reach: float) -> Array:
    """(m, 3) flat polygon of the surface over one triangle of directions, unlimited corners cut off far out.

    Unlimited corners turn the triangle into a strip that goes on along their directions.
    """
    directions, radii = surface.directions[triangle], surface.radii[triangle]
    finite = np.isfinite(radii)
    if finite.all():
        return directions * radii[:, None]
    if not finite.any():
        return np.zeros((0, 3))
    first = int(np.argmax(finite & ~np.roll(finite, 1)))  # the first limited corner after an unlimited one
    order = [(first + k) % 3 for k in range(3)]
    base = [directions[k] * radii[k] for k in order if finite[k]]
    open_ways = [directions[k] for k in order if not finite[k]]
    # Limited corners come first in the order; the strip leaves from the last and comes back to the first.
    far = [base[-1] + 2.0 * reach * open_ways[0], base[0] + 2.0 * reach * open_ways[-1]]
    return np.array(base + far)


def _below(polygon: Array, level: float) -> Array:
    """The part of a flat polygon (m, 3) with z <= level."""
    result: list[Array] = []
    for here, after in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if here[2] <= level:
            result.append(here)
        if (here[2] - level) * (after[2] - level) < 0.0:
            result.append(here + (level - here[2]) / (after[2] - here[2]) * (after - here))
    return np.array(result).reshape(-1, 3)


def _mark(ax: Any, surface: LimitSurface, far: float, is_model: bool) -> None:
    """Dots, circles and crosses at measured, assumed and outlying limits."""
    finite = np.isfinite(surface.radii)
    limits = surface.directions * np.where(finite, surface.radii, 0.0)[:, None]
    shown = finite & (limits[:, 2] <= far)
    if not is_model:
        measured, assumed = surface.measured & shown, ~surface.measured & shown
        ax.scatter(*limits[measured].T, s=5, color=style.INK, linewidths=0, zorder=style.MARKS, label="measured")
        if assumed.any():
            look = {"facecolors": "white", "edgecolors": style.INK, "linewidths": 0.7, "zorder": style.MARKS}
            ax.scatter(*limits[assumed].T, s=14, label="assumed, never measured", **look)
    if surface.outliers:
        places = np.array([np.array(o.direction) * o.limit for o in surface.outliers])
        cross = {"marker": "x", "color": style.LIMIT, "linewidths": 1.4, "zorder": style.ARROWS}
        ax.scatter(*places.T, s=34, depthshade=False, label="outlier", **cross)
