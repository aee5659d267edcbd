"""Sections and projections of grips onto planes of two of the six axes.

In a section the other four components of the wrench are zero; in a projection they have any value.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import shapely

from .. import tolerances
from ..checks import Array
from ..errors import UnknownNameError
from ..geometry.halfspaces import generators
from ..geometry.polygons import convex_outline
from ..geometry.polytopes import Polytope
from .grip import Grip, OuterGrip

#: The six parts of a wrench, and their units.
AXES = ("fx", "fy", "fz", "tx", "ty", "tz")
UNITS = ("N", "N", "N", "N m", "N m", "N m")

Look = Literal["section", "projection"]

#: An unbounded set is cut off at this many times its own size.
FAR = 50.0

#: Sets with at most this many vertices are cut without the compiled solver, which takes longer to load.
FEW = 300


def axis_numbers(plane: str) -> tuple[int, int]:
    """The two axes of a plane such as "fx,fz"."""
    names = [name.strip() for name in plane.split(",")]
    for name in names:
        if name not in AXES:
            raise UnknownNameError("axis", name, AXES, where="plane")
    if len(names) != 2 or names[0] == names[1]:
        raise UnknownNameError("plane", plane, ("fx,fy", "fx,fz", "fy,fz", "tx,ty", "tx,tz", "ty,tz"), where="plane")
    return AXES.index(names[0]), AXES.index(names[1])


class CutOutline(NamedTuple):
    """An outline: corners (m, 2) counter-clockwise, and whether it continues where some of them cut it off."""

    corners: Array
    is_cut: bool


#: The empty outline.
NOTHING = CutOutline(np.zeros((0, 2)), False)


def outline(grip: Grip | OuterGrip, plane: str, look: Look = "section") -> Array:
    """(m, 2) corners of the section or projection in `plane` [N, N m], counter-clockwise; (0, 2) when it is empty.

    Two corners are a segment, one a point. Unbounded parts are cut off far away.
    """
    return cut_outline(grip, plane, look).corners


def cut_outline(grip: Grip | OuterGrip, plane: str, look: Look = "section") -> CutOutline:
    """The outline, and whether anything was cut off."""
    if look not in ("section", "projection"):
        raise UnknownNameError("look", look, ("section", "projection"), where="look")
    axes = axis_numbers(plane)
    unit = grip.unit[list(axes)]
    if isinstance(grip, Grip):
        flat = _inner_projection(grip, axes) if look == "projection" else _inner_section(grip, axes)
    else:
        flat = _outer_projection(grip, axes) if look == "projection" else _outer_section(grip, axes)
    return CutOutline(flat.corners * unit, flat.is_cut)


def _inner_projection(grip: Grip, axes: tuple[int, int]) -> CutOutline:
    corners, rays = (rows[:, axes] / grip.unit[list(axes)] for rows in (grip.vertices, grip.rays))
    rays = rays[np.abs(rays).max(axis=1, initial=0.0) > tolerances.FLAT * np.abs(grip.rays).max(initial=0.0)]
    return _corners(corners, rays)


def _inner_section(grip: Grip, axes: tuple[int, int]) -> CutOutline:
    from ..solvers import minkowski as sums
    from ..solvers.minkowski.slices import SliceKind, refined

    # Everything in N, so that a plane of a force and a torque is scaled like one of two forces.
    kind = sums.FullProgram if len(grip.vertices) <= FEW else sums.SumSolver
    solver = kind([(grip.vertices / grip.unit, grip.rays / grip.unit)], [0], length=1.0)
    solver.place(np.eye(6)[None])
    found = refined(solver, np.zeros(6), np.eye(6)[list(axes)], size=grip.size)
    if found.kind is SliceKind.EMPTY:
        return NOTHING
    return _corners(found.vertices, found.rays)


def _outer_section(grip: OuterGrip, axes: tuple[int, int]) -> CutOutline:
    normals, offsets = grip.unit_planes
    return _within(normals[:, axes], offsets)


def _outer_projection(grip: OuterGrip, axes: tuple[int, int], sides: int = 36) -> CutOutline:
    """An outer set of the projection: half-planes at its support in `sides` directions, one program each."""
    angles = np.arange(sides) * (2.0 * np.pi / sides)
    flat = np.column_stack([np.cos(angles), np.sin(angles)])
    ways = np.zeros((sides, 6))
    ways[:, axes] = flat
    offsets = grip.support(ways / grip.unit)
    known = np.isfinite(offsets)
    return NOTHING if (offsets == -np.inf).any() else _within(flat[known], offsets[known])


def _within(normals: Array, offsets: Array) -> CutOutline:
    """Corners of {z : normals . z <= offsets}, cut off far away."""
    level = np.linalg.norm(normals, axis=1) <= tolerances.FLAT
    distances = np.abs(offsets)
    size = distances[distances > tolerances.ROUNDING * distances.max(initial=0.0)].min(initial=np.inf)
    size = float(size) if np.isfinite(size) else 1.0
    found = generators(np.where(level[:, None], 0.0, normals), offsets, size=size)
    if found.is_empty:
        return NOTHING
    return _corners(found.vertices, np.concatenate([found.rays, found.lines, -found.lines]), size)


def within_frame(corners: Array, low: Array, high: Array) -> Array:
    """The part of a convex outline (m, 2) between `low` and `high` (2,), counter-clockwise; (0, 2) if there is none."""
    part = shapely.intersection(shapely.convex_hull(shapely.multipoints(corners)), shapely.box(*low, *high))
    points = shapely.get_coordinates(part)
    return convex_outline(points) if len(points) else points


def _with_between(units: Array) -> Array:
    """Unit rays (m, 2) and those midway between two with a large angle, so that all ends are far away."""
    first, second = np.nonzero(np.triu(units @ units.T < 0.0))
    between = units[first] + units[second]
    sizes = np.linalg.norm(between, axis=1)
    wide = sizes > tolerances.FLAT
    return np.concatenate([units, between[wide] / sizes[wide, None]])


def _corners(points: Array, rays: Array, size: float = 0.0) -> CutOutline:
    """Corners of conv(points) + cone(rays), counter-clockwise; rays are cut off far away, at a multiple of `size`."""
    if len(rays):
        reach = FAR * (max(float(np.abs(points).max()), size) or 1.0)
        units = _with_between(rays / np.linalg.norm(rays, axis=1, keepdims=True))
        points = np.concatenate([points, (points[:, None] + reach * units[None]).reshape(-1, 2)])
    corners = Polytope(points).extreme
    middle = corners.mean(axis=0)
    return CutOutline(corners[np.argsort(np.arctan2(*(corners - middle).T[::-1]))], len(rays) > 0)
