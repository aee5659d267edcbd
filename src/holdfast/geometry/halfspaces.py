"""From half-spaces to vertices, rays and lines: bounded or not, flat or not, empty or not.

About a point inside, half-spaces become points of the dual body: normals over slacks. The hull of these points and the
origin has one facet per vertex of the set and, where a facet passes through the origin, one per ray. Directions that
are orthogonal to all normals are lines of the set. A set without an interior is treated within its own affine hull.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError, SolverError
from ..linear_programs import FREE, Outcome, minimise
from ..public_names import with_advice
from .polytopes import Polytope


class Generators(NamedTuple):
    """A polyhedron conv(vertices) + cone(rays) + span(lines) in R^n.

    Attributes:
        vertices: (m, n); (0, n) when the set is empty, one point of the set when it is a cone or contains lines.
        rays: (p, n) unit directions of unbounded growth.
        lines: (q, n) orthonormal directions of unbounded growth in both senses.
    """

    vertices: Array
    rays: Array
    lines: Array

    @property
    def is_empty(self) -> bool:
        """Whether no point satisfies all half-spaces."""
        return not len(self.vertices)

    @property
    def is_bounded(self) -> bool:
        """Whether there are neither rays nor lines."""
        return not len(self.rays) and not len(self.lines)

    @property
    def all_rays(self) -> Array:
        """(p + 2 q, n) the rays, and each line as two opposite ones."""
        return np.concatenate([self.rays, self.lines, -self.lines])

    def polytope(self) -> Polytope | None:
        """The set as a Polytope, each line as two opposite rays; None when it is empty."""
        return None if self.is_empty else Polytope(self.vertices, self.all_rays)

    def _embedded(self, origin: Array, axes: Array, lines: Array) -> Generators:
        """The set of coordinates c as the set of points origin + c axes + span(lines), `axes` (d, n) orthonormal."""
        along = np.concatenate([self.lines @ axes, lines])
        return Generators(origin + self.vertices @ axes, self.rays @ axes, along)


@with_advice()
def generators(
    normals: ArrayLike,
    offsets: ArrayLike,
    *,
    size: float | None = None,
    tolerance: float = tolerances.MERGE,
    farthest: float = 1.0 / tolerances.MERGE,
) -> Generators:
    """Vertices, rays and lines of {x in R^n : normals x <= offsets}.

    Args:
        normals: (h, n) rows of any length; a zero row only says whether its offset is negative.
        offsets: (h,).
        size: the length that tolerances are relative to; by default the largest distance of a plane from the origin.
        tolerance: a set whose largest inner ball has a radius of at most `tolerance` times `size` is flat, one whose
            planes contradict each other by more is empty; vertices closer than this are one.
        farthest: a vertex more than about this many times further from the interior than the nearest plane is at
            infinity, that is a ray: only rounding tilts the planes that meet there.
    """
    tolerance = checks.number("tolerance", tolerance, low=0.0, high=1.0, ends="open")
    farthest = checks.number("farthest", farthest, low=1.0)
    if size is not None:
        size = checks.number("size", size, low=0.0)
    rows = checks.array("normals", normals, ("h", "n"))
    levels = checks.array("offsets", offsets, ("h",))
    if len(levels) != len(rows):
        raise GeometryError(f"has {len(levels)} entries", where="offsets", fix=f"give {len(rows)}, one per normal")
    lengths = np.linalg.norm(rows, axis=1)
    proper = lengths > 0.0
    unit, distance = rows[proper] / lengths[proper, None], levels[proper] / lengths[proper]
    scale = float(size or np.abs(distance).max(initial=0.0) or 1.0)
    if (levels[~proper] < -tolerance * scale).any():
        return _empty(rows.shape[1])
    return _Conversion(scale, tolerance, farthest).solve(unit, distance)


def largest_ball(
    normals: Array, offsets: Array, *, size: float = 1.0, least: float | None = None
) -> tuple[Array, float, Array]:
    """(centre (n,), radius, tight (h,)) of the largest ball within normals x <= offsets, unit rows.

    The radius is at most `size`, and negative when no point satisfies all rows: then the centre violates them least.
    `tight` marks the half-spaces that hold the ball, by their multipliers. With `least`, smaller radii are not
    considered, which is faster: the radius is -inf when there is no ball that large.
    """
    count, dimension = normals.shape
    found = minimise(
        np.append(np.zeros(dimension), -1.0),
        np.column_stack([normals, np.ones(count)]),
        offsets / size,
        bounds=[FREE] * dimension + [(least, 1.0)],
        method="highs-ds",
    )
    if least is not None and found.outcome is Outcome.INFEASIBLE:
        return np.zeros(dimension), -np.inf, np.zeros(count, dtype=bool)
    if not found.optimal:
        raise SolverError(f"no point within {count} half-spaces was found: {found.message}", where="half-spaces")
    return found.x[:-1] * size, float(found.x[-1]) * size, -found.upper_marginals > tolerances.MERGE


@dataclass(frozen=True)
class _Conversion:
    """The steps of one conversion, with the scale and the tolerances of `generators`."""

    size: float
    tolerance: float
    farthest: float

    def solve(self, normals: Array, offsets: Array) -> Generators:
        """The set within unit rows, through its affine hull and the directions that its normals span."""
        dimension = normals.shape[1]
        if not len(normals):
            return Generators(np.zeros((1, dimension)), np.zeros((0, dimension)), np.eye(dimension))
        spanned, free = self._span(normals)
        if len(free):
            inside = self.solve(normals @ spanned.T, offsets)
            return _empty(dimension) if inside.is_empty else inside._embedded(np.zeros(dimension), spanned, free)
        point, radius, tight = largest_ball(normals, offsets, size=self.size)
        if radius < -self.tolerance * self.size:
            return _empty(dimension)
        if radius <= self.tolerance * self.size:
            return self._flat(normals, offsets, point, tight)
        return generators_about(point, normals, offsets, tolerance=self.tolerance, farthest=self.farthest)

    def _span(self, normals: Array) -> tuple[Array, Array]:
        """Orthonormal rows that span the normals, and orthonormal rows orthogonal to them."""
        _, values, rows = np.linalg.svd(normals, full_matrices=True)
        rank = int((values > self.tolerance * values[0]).sum())
        return rows[:rank], rows[rank:]

    def _flat(self, normals: Array, offsets: Array, point: Array, tight: Array) -> Generators:
        """A set without an interior: it lies in the planes that hold its largest ball."""
        dimension = normals.shape[1]
        only = Generators(point[None], np.zeros((0, dimension)), np.zeros((0, dimension)))
        _, along = self._span(normals[tight])
        if not len(along):
            return only
        slack = offsets[~tight] - normals[~tight] @ point
        within = normals[~tight] @ along.T
        lengths = np.linalg.norm(within, axis=1)
        crossing = lengths > self.tolerance
        if (slack[~crossing] < -self.tolerance * self.size).any():
            return _empty(dimension)
        inside = self.solve(within[crossing] / lengths[crossing, None], slack[crossing] / lengths[crossing])
        # Empty only by rounding: then the centre of the ball is the set.
        return only if inside.is_empty else inside._embedded(point, along, np.zeros((0, dimension)))


def generators_about(
    point: Array,
    normals: Array,
    offsets: Array,
    *,
    tolerance: float = tolerances.MERGE,
    farthest: float = 1.0 / tolerances.MERGE,
) -> Generators:
    """Vertices and rays of {x : normals x <= offsets} with `point` (n,) in its interior and normals that span R^n.

    The quick way for a caller that knows an inner point; tolerances as in `generators`.
    """
    slack = offsets - normals @ point
    none = np.zeros((0, len(point)))
    if len(point) == 1:
        ends = [sign * slack[normals[:, 0] * sign > 0.0].min(initial=np.inf) for sign in (1.0, -1.0)]
        ways = np.array([[np.sign(end)] for end in ends if np.isinf(end)]).reshape(-1, 1)
        return Generators(point + np.array([[end] for end in ends if np.isfinite(end)]), ways, none)
    from scipy.spatial import ConvexHull

    reach = float(np.median(slack))
    dual = np.concatenate([normals / (slack / reach)[:, None], np.zeros((1, len(point)))])
    hull = ConvexHull(dual)
    facets, levels = hull.equations[:, :-1], -hull.equations[:, -1]
    through = levels <= float(np.linalg.norm(dual, axis=1).max()) / farthest
    corners, rays = facets[~through] / levels[~through, None], facets[through]
    if not len(corners):  # the set has lines, up to rounding
        corners = np.zeros((1, len(point)))
    rays = rays[_different(rays, max(tolerance, 1.0 / farthest))]
    return Generators(point + reach * corners[_different(corners, tolerance)], rays, none)


def _different(rows: Array, tolerance: float) -> Array:
    """Indices of rows that differ by more than about `tolerance`, in the order given."""
    keys = np.round(rows / tolerance)
    order = np.lexsort(keys.T)
    return np.sort(order[np.append(True, (np.diff(keys[order], axis=0) != 0.0).any(axis=1))]) if len(rows) else order


def _empty(dimension: int) -> Generators:
    nothing = np.zeros((0, dimension))
    return Generators(nothing, nothing, nothing)
