"""Polygons that stand for circles and ellipses, and bands of latitude that stand for spheres."""

from __future__ import annotations

import numpy as np

from ...checks import Array
from .parameters import Side

#: Coordinates of unit polygons below this are rounding: cos(pi / 2) is zero.
ROUNDING = 1e-15


def azimuths(count: int, *, half_step: bool = False) -> Array:
    """(count,) equally spaced azimuths from x towards y [rad]; the first is 0, or half a step."""
    return 2.0 * np.pi * (np.arange(count) + (0.5 if half_step else 0.0)) / count


def unit_polygon(count: int, *, half_step: bool = False) -> Array:
    """(count, 2) corners on the unit circle, the first on the x axis, or half a step from it."""
    angles = azimuths(count, half_step=half_step)
    corners = np.column_stack([np.cos(angles), np.sin(angles)])
    corners[np.abs(corners) < ROUNDING] = 0.0
    return corners


def ellipse_polygon(semi_x: float, semi_y: float, facets: int, side: Side) -> Array:
    """(facets, 2) corners of a polygon inside or around the ellipse with these semi-axes.

    The inner one has corners on the ellipse, the first on the x axis. The outer one touches the ellipse in
    the middle of its sides, the first touch on the x axis. With `facets` a multiple of four both are exact
    along x and y; anywhere else they are off by at most the factor cos(pi / facets).
    """
    if side == "inner":
        corners = unit_polygon(facets)
    else:
        corners = unit_polygon(facets, half_step=True) / np.cos(np.pi / facets)
    return corners * (semi_x, semi_y)


def latitude_inradius(facets: int, latitudes: Array) -> float:
    """Radius of the largest ball around the origin inside the hull of unit polygons at these latitudes.

    `latitudes` [rad] ascend and end at the pole. The facet between two neighbouring latitudes is
    symmetric about its middle meridian, so that its distance from the origin is that of the line through
    the middles of its two parallel edges.
    """
    across = np.cos(latitudes) * np.cos(np.pi / facets)
    up = np.sin(latitudes)
    area = np.abs(across[:-1] * up[1:] - across[1:] * up[:-1])
    return float((area / np.hypot(np.diff(across), np.diff(up))).min())
