"""How large a slice of a wrench space is: its volume, bounds on it, and plane sections through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import checks, tolerances
from ..checks import Array, IntArray
from ..errors import InputError
from .slices import SliceSurface, slice_surface

if TYPE_CHECKING:
    from .space import WrenchSpace

#: Planes whose polytope reaches this many times further than their offsets do not close: only rounding tilts them.
OPEN = 1e6

#: What scipy's linprog says when nothing lies within the planes.
INFEASIBLE = 2


def slice_volume(space: WrenchSpace) -> float:
    """Volume inside the surface of a 3-D slice, in the product of its units (N^3, or N^2 N m); inf if unbounded.

    The surface is flat between the rays, so that the volume has the error of the sampling: see `volume_bounds`. Of a
    space that is not star-shaped it counts all that lies below the limits, held or not.
    """
    surface = slice_surface(space)
    if not surface.is_bounded:
        return float("inf")
    return _inside(surface.points, surface.triangles)


@dataclass(frozen=True)
class VolumeBounds:
    """What is known about the volume of a slice.

    Attributes:
        inner: volume of the convex hull of the points that were shown to hold. The slice of a convex wrench space is
            at least so large; nan where the wrench space is not convex, since a hull may then reach beyond it.
        surface: volume inside the surface through the limits, flat between the rays.
        outer: volume of the polytope within the outer planes of all rays. No slice is larger, convex or not; inf when
            the planes do not close, as where a needle of strong loads runs between the rays.
        unit: what they are counted in.
    """

    inner: float
    surface: float
    outer: float
    unit: str


def volume_bounds(space: WrenchSpace) -> VolumeBounds:
    """Inner and outer bounds on the volume of a slice, from the points that hold and the planes none passes.

    A wrench space is convex when it is that of the hulls, or when no contact has more than one piece.
    """
    surface = slice_surface(space)
    whole = _inside(surface.points, surface.triangles) if surface.is_bounded else float("inf")
    inner = float("nan")
    if space.convex or space.volumes == "hull":
        held = space.coordinates[np.isfinite(space.values)] / surface.subspace.scales
        inner = _hull_volume(held) if len(held) else 0.0
        if inner > 0.0 and not surface.is_bounded:
            inner = float("inf")  # a convex body with a ray that never ends
    outer = _outer_volume(space)
    scale = float(np.prod(surface.subspace.scales))
    return VolumeBounds(inner * scale, whole, outer * scale, volume_unit(surface))


def volume_unit(surface: SliceSurface) -> str:
    """The unit of a volume: "N^3", "N^2 (N m)", ...; "" where an axis counts multiples of a wrench."""
    units = list(surface.subspace.units)
    if "" in units:
        return ""
    names = {"N": "N", "N m": "(N m)"}
    powers = {unit: units.count(unit) for unit in sorted(set(units))}
    return " ".join(names.get(unit, unit) + (f"^{power}" if power > 1 else "") for unit, power in powers.items())


def outer_planes(space: WrenchSpace) -> tuple[Array, Array]:
    """(normals (m, p), offsets (m,)) of the outer planes, cut by the subspace: normals . (c / scales) <= offsets.

    c are coordinates in the subspace. Planes that do not cross the subspace, and rays without a plane, are left out.
    """
    subspace = space.subspace
    if subspace is None:
        raise InputError("has no subspace", where="space", fix="sample a subspace, not all of R^6")
    known = np.isfinite(space.normals).all(axis=1) & np.isfinite(space.offsets)
    normals = space.normals[known] @ subspace.axes.T * subspace.scales
    offsets = space.offsets[known]
    lengths = np.linalg.norm(normals, axis=1)
    # A plane's normal in the torques counts by the length that scales them, as in the subspace.
    weights = np.concatenate([np.ones(3), np.full(3, space.length)])
    crossing = lengths > tolerances.FLAT * np.linalg.norm(space.normals[known] * weights, axis=1)
    return normals[crossing] / lengths[crossing, None], offsets[crossing] / lengths[crossing]


def section_polylines(surface: SliceSurface, axis: int, value: float, *, cap: float | None = None) -> list[Array]:
    """Closed polylines (m, 3) in which the plane `axis` coordinate = `value` cuts the surface, in its coordinates.

    Each ends where it began. A plane that goes exactly through corners is taken a rounding error lower. An unbounded
    surface needs `cap` [N], where its rays are cut off.
    """
    number = checks.count("axis", axis, low=0)
    if number > 2:
        raise InputError(f"is {number}", where="axis", fix="give 0, 1 or 2: one of the three coordinates")
    level = checks.number("value", value)
    surface = surface.bounded(cap, purpose="a section")
    points = surface.points
    height = points[:, number] - level
    above = height >= 0.0
    triangles = surface.triangles[np.ptp(above[surface.triangles].astype(int), axis=1) > 0]
    crossing: dict[tuple[int, int], Array] = {}
    following: dict[tuple[int, int], tuple[int, int]] = {}
    for corners in triangles:
        ends: dict[bool, tuple[int, int]] = {}
        for a, b in zip(corners.tolist(), np.roll(corners, -1).tolist(), strict=True):
            if above[a] != above[b]:
                key = (min(a, b), max(a, b))
                share = height[a] / (height[a] - height[b])
                crossing.setdefault(key, points[a] + share * (points[b] - points[a]))
                ends[bool(above[a])] = key  # from above to below the line enters a triangle, and leaves the other way
        following[ends[True]] = ends[False]
    return _loops(crossing, following, tolerances.MERGE * surface.size * surface.subspace.scales)


def section_area(polyline: Array, axis: int) -> float:
    """Area inside a closed polyline (m, 3) across `axis`; negative when it runs the other way round, as holes do."""
    x, y = (polyline[:, k] for k in ((axis + 1) % 3, (axis + 2) % 3))
    return 0.5 * float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))


def _loops(
    crossing: dict[tuple[int, int], Array], following: dict[tuple[int, int], tuple[int, int]], tiny: Array
) -> list[Array]:
    """The chains of points that close on themselves; points that coincide are one, and what has no area is left out."""
    loops: list[Array] = []
    left = set(following)
    for start in following:
        if start not in left:
            continue
        chain = [start]
        left.discard(start)
        while (following[chain[-1]]) in left:
            chain.append(following[chain[-1]])
            left.discard(chain[-1])
        line = np.array([crossing[key] for key in [*chain, start]])
        kept = np.concatenate([[True], (np.abs(np.diff(line, axis=0)) > tiny).any(axis=1)])
        kept[-1] = True
        if kept.sum() > 3:
            loops.append(line[kept])
    return loops


def _inside(points: Array, triangles: IntArray) -> float:
    """Volume within outward triangles about the origin."""
    return float(np.linalg.det(points[triangles]).sum() / 6.0)


def _hull_volume(points: Array) -> float:
    """Volume of the convex hull of (n, 3); zero when they lie in a plane."""
    from scipy.spatial import ConvexHull

    widths = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if widths[0] == 0.0 or widths[2] <= tolerances.MERGE * widths[0]:
        return 0.0
    return float(ConvexHull(points).volume)


def _outer_volume(space: WrenchSpace) -> float:
    """Volume [N^3], in scaled coordinates, of the polytope within the outer planes."""
    from scipy.optimize import linprog
    from scipy.spatial import HalfspaceIntersection

    normals, offsets = outer_planes(space)
    if not len(normals):
        return float("inf")
    size = float(np.abs(offsets).max()) or 1.0
    offsets = offsets / size
    reach = np.empty((3, 2))
    for axis in range(3):
        for side, sign in enumerate((1.0, -1.0)):
            way = -sign * np.eye(3)[axis]
            end = linprog(way, normals, offsets, bounds=(None, None), method="highs")
            if end.status == INFEASIBLE:  # presolve may call a program without an end infeasible: ask without it
                plain = {"presolve": False}
                end = linprog(way, normals, offsets, bounds=(None, None), method="highs", options=plain)
            if end.status == INFEASIBLE:
                return 0.0
            if end.status != 0 or abs(end.fun) > OPEN:
                return float("inf")
            reach[axis, side] = end.fun
    widths = -reach.sum(axis=1)
    if widths.min() <= tolerances.MERGE * widths.max():
        return 0.0
    # The largest ball inside gives the interior point that qhull asks for.
    padded = np.column_stack([normals * widths, np.linalg.norm(normals * widths, axis=1)])
    ball = linprog([0.0, 0.0, 0.0, -1.0], padded, offsets, bounds=[(None, None)] * 3 + [(0.0, None)], method="highs")
    if ball.status != 0 or ball.x[3] <= tolerances.MERGE:
        return 0.0
    corners = HalfspaceIntersection(np.column_stack([normals * widths, -offsets]), ball.x[:3]).intersections
    return _hull_volume(corners) * float(np.prod(widths)) * size**3
