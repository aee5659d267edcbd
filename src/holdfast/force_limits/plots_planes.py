"""Plane sections through the zero force, exact: convex pieces as polygons, surfaces and unions as outlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..geometry.polytopes import Polytope
from .surface import LimitSurface

#: The planes that have a name, and the contact axes they are spanned by.
NAMED = {"xz": (0, 2), "yz": (1, 2), "xy": (0, 1)}

#: Two angles of an outline closer than this are one [rad].
SAME_ANGLE = 1e-11

#: An outline is looked at this far to either side of a corner, where it may jump [rad].
BESIDE = 1e-7


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane through the zero force: x = axes @ (s, t).

    Attributes:
        axes: (3, 2) orthonormal columns.
        names: what the two axes are called, with the unit.
    """

    axes: Array
    names: tuple[str, str]

    @property
    def normal(self) -> Array:
        """(3,) unit normal."""
        return np.cross(self.axes[:, 0], self.axes[:, 1])

    def point(self, angle: ArrayLike) -> Array:
        """Unit directions (..., 3) at angles [rad] from the first axis towards the second."""
        a = np.asarray(angle, dtype=np.float64)[..., None]
        return np.cos(a) * self.axes[:, 0] + np.sin(a) * self.axes[:, 1]


def plane_of(plane: str | Sequence[ArrayLike]) -> Plane:
    """The plane "xz", "yz" or "xy" of the contact frame, or that spanned by two directions (u, v).

    v is turned to a right angle with u.
    """
    words = ("shear $f_x$ [N]", "lateral $f_y$ [N]", "normal $f_z$ [N]")
    if isinstance(plane, str):
        if plane not in NAMED:
            raise UnknownNameError("plane", plane, NAMED, where="plane")
        first, second = NAMED[plane]
        return Plane(np.eye(3)[:, [first, second]], (words[first], words[second]))
    if not isinstance(plane, Sequence) or len(plane) != 2:
        raise InputError(f"is {plane!r}", where="plane", fix='give "xz", "yz", "xy" or two directions (u, v)')
    u = checks.direction("plane[0]", plane[0], 3)
    v = checks.direction("plane[1]", plane[1], 3)
    v = v - (v @ u) * u
    length = float(np.linalg.norm(v))
    if length < tolerances.ORTHONORMAL:
        raise InputError("is parallel to plane[0]", where="plane[1]", fix="give two directions that span a plane")
    axes = np.column_stack([u, v / length])
    return Plane(axes, (_axis_name(axes[:, 0], words), _axis_name(axes[:, 1], words)))


def _axis_name(axis: Array, words: tuple[str, str, str]) -> str:
    for k in range(3):
        if abs(axis[k]) > 1.0 - tolerances.ORTHONORMAL:
            return words[k] if axis[k] > 0.0 else f"minus {words[k]}"
    return f"force along ({axis[0]:.2g}, {axis[1]:.2g}, {axis[2]:.2g}) [N]"


def polygon_section(polytope: Polytope, plane: Plane, reach: float) -> Array:
    """(m, 2) corners of the section of a convex set, counter-clockwise; (0, 2) when the plane misses it.

    The H-form is restricted to the plane and a square of half-width `reach` [N] is clipped by it, so that sets
    without limit come out cut off.
    """
    normals, offsets = polytope.halfspaces
    flat = normals @ plane.axes
    tiny = tolerances.MERGE * max(polytope.size, 1e-300)
    polygon = reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for normal, offset in zip(flat, offsets, strict=True):
        if np.linalg.norm(normal) <= tolerances.MERGE:
            if offset < -tiny:
                return np.zeros((0, 2))
            continue
        polygon = _clipped(polygon, polygon @ normal - offset, tiny)
        if not len(polygon):
            break
    return polygon


def _clipped(polygon: Array, height: Array, tiny: float) -> Array:
    """The part of a convex polygon (m, 2) where the height (m,) of its corners is not positive."""
    result: list[Array] = []
    for i in range(len(polygon)):
        j = (i + 1) % len(polygon)
        if height[i] <= tiny:
            result.append(polygon[i])
        if (height[i] < -tiny and height[j] > tiny) or (height[i] > tiny and height[j] < -tiny):
            result.append(polygon[i] + height[i] / (height[i] - height[j]) * (polygon[j] - polygon[i]))
    return np.array(result).reshape(-1, 2)


def union_outline(polygons: Sequence[Array], polytopes: Sequence[Polytope], plane: Plane, reach: float) -> Array:
    """(m, 2) border of a union of convex sections that all contain the zero force, closed, in rising angle.

    Corners are those of the polygons and the crossings of their sides; the radius is looked at to either side
    of each, where the union may jump.
    """
    corners = [p for p in polygons if len(p)]
    if not corners:
        return np.zeros((0, 2))
    points = np.concatenate([*corners, _crossings(corners)])
    points = points[np.linalg.norm(points, axis=1) > tolerances.MERGE * reach]
    angles = _angles(points)
    both = np.sort(np.concatenate([angles - BESIDE, angles + BESIDE]))
    directions = plane.point(both)
    radii = np.max([p.radial(directions) for p in polytopes], axis=0)
    square = reach / np.maximum(np.abs(np.cos(both)), np.abs(np.sin(both)))
    radii = np.minimum(radii, square)
    return np.column_stack([np.cos(both), np.sin(both)]) * radii[:, None]


def _angles(points: Array) -> Array:
    """Sorted different angles of points (n, 2) seen from the origin [rad]."""
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    return angles[np.append(True, np.diff(angles) > SAME_ANGLE)] if len(angles) else angles


def _crossings(polygons: Sequence[Array]) -> Array:
    """(n, 2) points where sides of different polygons cross."""
    found = [np.zeros((0, 2))]
    for i, first in enumerate(polygons):
        a, along = first, np.roll(first, -1, axis=0) - first
        for second in polygons[i + 1 :]:
            b, other = second, np.roll(second, -1, axis=0) - second
            cross = along[:, None, 0] * other[None, :, 1] - along[:, None, 1] * other[None, :, 0]
            gap = b[None] - a[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                s = (gap[..., 0] * other[None, :, 1] - gap[..., 1] * other[None, :, 0]) / cross
                t = (gap[..., 0] * along[:, None, 1] - gap[..., 1] * along[:, None, 0]) / cross
            meet = (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
            rows, columns = np.nonzero(meet)
            found.append(a[rows] + s[rows, columns][:, None] * along[rows])
    return np.concatenate(found)


def surface_outline(surface: LimitSurface, plane: Plane, reach: float) -> Array:
    """(m, 2) border of the section of a limit surface, exact, closed, in rising angle.

    The plane crosses the triangulated sphere in arcs, each inside one triangle, over which the border is one
    straight line (the gauge is linear). An arc in a triangle with limit zero leaves nothing; one towards a
    direction without limit runs on beside it and is cut off far out.
    """
    angles = _arc_ends(surface, plane)
    result: list[Any] = []
    for start, end in zip(angles, np.append(angles[1:], angles[0] + 2.0 * np.pi), strict=True):
        if end - start <= SAME_ANGLE:
            continue
        quarter = start + np.array([0.25, 0.75]) * (end - start)
        gauges = surface.gauge(plane.point(quarter))
        if not np.isfinite(gauges).all():
            result.append(np.zeros((1, 2)))
            continue
        inside = np.column_stack([np.cos(quarter), np.sin(quarter)])
        slope: Array = np.asarray(
            np.linalg.solve(inside, gauges), dtype=np.float64
        )  # the gauge of f in this arc is slope . f
        ends = np.array([[np.cos(start), np.sin(start)], [np.cos(end), np.sin(end)]])
        result.append(_straight(ends, slope, ends @ slope, reach))
    return np.concatenate(result) if result else np.zeros((0, 2))


def _straight(ends: Array, slope: Array, gauges: Array, reach: float) -> Array:
    """The line slope . f = 1 between two unit directions (2, 2), or its parts within about `reach`."""
    far = 4.0 * reach
    low = gauges <= 1.0 / far
    if not low.any():
        return ends / gauges[:, None]
    if low.all():
        return ends * far
    k = int(np.argmin(low))  # the limited end
    near = ends[k] / gauges[k]
    # Walk from the limited end along the border until it is far out.
    along = np.array([-slope[1], slope[0]])
    along = along / np.linalg.norm(along)
    if along @ (ends[1 - k] - ends[k]) < 0.0:
        along = -along
    out = near + far * along
    tip = ends[1 - k] * far
    points = np.array([near, out, tip])
    return points if k == 0 else points[::-1]


def _arc_ends(surface: LimitSurface, plane: Plane) -> Array:
    """Sorted angles [rad] at which the plane crosses an edge or meets a corner of the triangulated sphere."""
    height = surface.directions @ plane.normal
    height = np.where(np.abs(height) <= tolerances.MERGE, 0.0, height)
    start, end = surface.mesh.edges.T
    split = height[start] * height[end] < 0.0
    start, end = start[split], end[split]
    share = (height[start] / (height[start] - height[end]))[:, None]
    crossing = (1.0 - share) * surface.directions[start] + share * surface.directions[end]
    points = np.concatenate([crossing, surface.directions[height == 0.0]]) @ plane.axes
    return _angles(points)
