"""Convex polyhedra conv(vertices) + cone(rays): both forms, supports, distances, clipping.

The V-form is what a user gives and what the solvers work on; the H-form is derived on demand. Sets of
every dimension are legal here: a point, a segment, a polygon in space, a cone. Work happens in
whitened coordinates of the affine hull, so that a set a thousand newtons long and a millinewton wide
is treated as well as a cube.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import GeometryError, InputError
from ..public_names import with_advice


class Polytope:
    """The convex polyhedron conv(vertices) + cone(rays) in R^n; immutable.

    Attributes:
        vertices: (m, n) points as given; those inside the hull of the others are allowed.
        rays: (p, n) directions of unbounded growth; (0, n) when the set is bounded.
    """

    def __init__(self, vertices: ArrayLike, rays: ArrayLike | None = None) -> None:
        self.vertices = checks.array("vertices", vertices, ("m", "n"))
        if not self.vertices.size:
            raise GeometryError("there are no vertices", where="vertices", fix="give at least one point")
        empty = np.zeros((0, self.ambient_dimension))
        given = empty if rays is None or 0 in checks.shape("rays", rays) else rays
        self.rays = checks.array("rays", given, ("p", self.ambient_dimension))
        lengths = np.linalg.norm(self.rays, axis=1)
        if (lengths == 0.0).any():
            row = int(np.argmin(lengths))
            raise GeometryError("is the zero vector", where=f"rays[{row}]", fix="give a direction or leave it out")

    def __repr__(self) -> str:
        rays = f", {len(self.rays)} rays" if len(self.rays) else ""
        return f"Polytope({len(self.vertices)} vertices{rays} in R^{self.ambient_dimension})"

    # -- what kind of set it is -----------------------------------------------------------------

    @property
    def ambient_dimension(self) -> int:
        """n of R^n."""
        return self.vertices.shape[1]

    @property
    def is_bounded(self) -> bool:
        """Whether there are no rays."""
        return not len(self.rays)

    @cached_property
    def size(self) -> float:
        """Largest coordinate magnitude of the vertices; 1 for a cone at the origin. Tolerances scale by it."""
        return float(np.abs(self.vertices).max()) or 1.0

    @cached_property
    def _generators(self) -> Array:
        """Vertices first, then each vertex moved along each ray, far enough to show every true facet."""
        if self.is_bounded:
            return self.vertices
        reach = 4.0 * max(float(np.ptp(self.vertices, axis=0).max()), self.size)
        units = self.rays / np.linalg.norm(self.rays, axis=1, keepdims=True)
        moved = self.vertices[:, None, :] + reach * units[None, :, :]
        return np.concatenate([self.vertices, moved.reshape(-1, self.ambient_dimension)])

    @cached_property
    def _affine(self) -> tuple[Array, Array, Array]:
        """(centre (n,), axes (n, d), widths (d,)) of the affine hull, principal axes first."""
        points = self._generators
        centre = points.mean(axis=0)
        _, widths, axes = np.linalg.svd(points - centre, full_matrices=False)
        scale = max(float(widths[0]) if len(widths) else 0.0, np.finfo(float).tiny)
        # Rounding in the coordinates themselves hides any width below a few units in the last place.
        noise = 64 * np.finfo(float).eps * math.sqrt(len(points)) * float(np.abs(points).max())
        keep = widths > max(tolerances.FLAT * scale, noise)
        return centre, axes[keep].T, widths[keep]

    @property
    def dimension(self) -> int:
        """Dimension of the affine hull: 0 a point, 1 a segment or ray, ..., n a body."""
        return self._affine[1].shape[1]

    # -- H-form ---------------------------------------------------------------------------------

    @cached_property
    def _hull(self):
        """scipy's hull of the generators in whitened coordinates of the affine hull (dimension >= 2)."""
        from scipy.spatial import ConvexHull, QhullError

        centre, axes, widths = self._affine
        local = (self._generators - centre) @ axes / widths
        try:
            return ConvexHull(local)
        except QhullError as error:
            raise GeometryError(
                f"no hull of the {len(local)} points could be computed: {str(error).splitlines()[0]}",
                where="vertices",
                fix="give points that span the set clearly",
            ) from None

    @cached_property
    def halfspaces(self) -> tuple[Array, Array]:
        """H-form (A (h, n), b (h,)) with unit rows: the set is A x <= b; equalities appear as two rows."""
        centre, axes, widths = self._affine
        dimension = axes.shape[1]
        if dimension == 0:
            local_a, local_b = np.zeros((0, 0)), np.zeros(0)
        elif dimension == 1:
            coordinate = ((self._generators - centre) @ axes)[:, 0] / widths[0]
            local_a, local_b = np.array([[1.0], [-1.0]]), np.array([coordinate.max(), -coordinate.min()])
        else:
            # Planes are compared in whitened coordinates: in the original ones those of a thin set are nearly parallel.
            local_a, local_b = _unique_rows(self._hull.equations[:, :-1], -self._hull.equations[:, -1])
        normals = (local_a / widths) @ axes.T
        lengths = np.linalg.norm(normals, axis=1)
        normals /= lengths[:, None]
        offsets = local_b / lengths + normals @ centre
        if len(self.rays):  # facets that only cut off the rays have normals along a ray
            units = self.rays / np.linalg.norm(self.rays, axis=1, keepdims=True)
            true = (normals @ units.T <= tolerances.RAY_SLOPE).all(axis=1)
            normals, offsets = normals[true], offsets[true]
        # The support of the vertices along each normal is exact where the hull's offset is rounded.
        offsets = (normals @ self.vertices.T).max(axis=1) if len(normals) else offsets
        across = _complement(axes)
        if len(across):
            level = across @ centre
            normals = np.concatenate([normals, across, -across])
            offsets = np.concatenate([offsets, level, -level])
        return normals, offsets

    @cached_property
    def extreme(self) -> Array:
        """The vertices that are corners of the set, in the order given."""
        if self.dimension == 0:
            return self.vertices[:1]
        if self.dimension == 1:
            centre, axes, _ = self._affine
            coordinate = ((self._generators - centre) @ axes)[:, 0]
            corners = {int(np.argmin(coordinate)), int(np.argmax(coordinate))}
        else:
            corners = {int(i) for i in self._hull.vertices}
        kept = sorted(i for i in corners if i < len(self.vertices))
        return self.vertices[kept] if kept else self.vertices  # a set with a line has no corners

    @cached_property
    def triangles(self) -> Array:
        """(t, 3) indices into `vertices`, outward, of the surface of a bounded body in R^3."""
        if self.dimension != 3 or not self.is_bounded:
            raise GeometryError("only a bounded body in space has a surface of triangles", where="polytope")
        simplices = self._hull.simplices.copy()
        corners = self.vertices[simplices]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        inward = np.einsum("ij,ij->i", normal, corners[:, 0] - self._affine[0]) < 0.0
        simplices[inward, 1], simplices[inward, 2] = simplices[inward, 2], simplices[inward, 1]
        return simplices

    # -- supports and extents -------------------------------------------------------------------

    def support(self, directions: ArrayLike) -> Array:
        """h(d) = max of d . x over the set, for directions (..., n); inf where a ray has a component along d."""
        d = checks.rows("directions", directions, self.ambient_dimension)
        values = (d @ self.vertices.T).max(axis=-1)
        if len(self.rays):
            values = np.where(self._climbs_a_ray(d), np.inf, values)
        return values

    def support_points(self, directions: ArrayLike) -> Array:
        """A vertex that attains the support of the bounded part, for directions (..., n)."""
        d = checks.rows("directions", directions, self.ambient_dimension)
        return self.vertices[(d @ self.vertices.T).argmax(axis=-1)]

    def _climbs_a_ray(self, d: Array) -> Array:
        units = self.rays / np.linalg.norm(self.rays, axis=1, keepdims=True)
        limit = tolerances.RAY_SLOPE * np.linalg.norm(d, axis=-1, keepdims=True)
        return (d @ units.T > limit).any(axis=-1)

    def radial(self, directions: ArrayLike) -> Array:
        """Largest t >= 0 with t d in the set, for directions (..., n); 0 where the ray misses it, inf if unlimited."""
        d = checks.rows("directions", directions, self.ambient_dimension)
        lengths = np.linalg.norm(d, axis=-1, keepdims=True)
        lengths = np.where(lengths > 0.0, lengths, 1.0)
        normals, offsets = self.halfspaces
        offsets = np.where(np.abs(offsets) <= tolerances.UNIT_ROUNDING * self.size, 0.0, offsets)  # facets through 0
        slopes = (d / lengths) @ normals.T
        level = np.abs(slopes) <= tolerances.MEMBERSHIP
        slack = tolerances.MEMBERSHIP * self.size
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = offsets / slopes
        highest = np.where(~level & (slopes > 0.0), bound, np.inf).min(axis=-1, initial=np.inf)
        lowest = np.where(~level & (slopes < 0.0), bound, -np.inf).max(axis=-1, initial=-np.inf)
        missed = (level & (offsets < -slack)).any(axis=-1) | (lowest > highest + slack)
        return np.where(missed, 0.0, np.maximum(highest, 0.0)) / lengths[..., 0]

    # -- membership and distance ----------------------------------------------------------------

    def signed_distance(self, points: ArrayLike) -> Array:
        """Euclidean distance of points (..., n) to the set; inside, minus the distance to its border."""
        return self.distances(checks.rows("points", points, self.ambient_dimension))

    def distances(self, x: Array) -> Array:
        """As `signed_distance`, for points that are not checked: forces that were computed may be of any size."""
        normals, offsets = self.halfspaces
        depth = (x @ normals.T - offsets).max(axis=-1, initial=-np.inf)
        if self.dimension < self.ambient_dimension:
            depth = np.maximum(depth, 0.0)
        outside = depth > 0.0
        if np.any(outside):
            away = np.linalg.norm(x - self._nearest(x), axis=-1)
            depth = np.where(outside, away, depth)
        return depth

    @with_advice()
    def contains(self, points: ArrayLike, tolerance: float = tolerances.MEMBERSHIP) -> Array:
        """Whether points (..., n) lie in the set, to `tolerance` times the set's size."""
        return self.signed_distance(points) <= tolerance * self.size

    def nearest(self, points: ArrayLike) -> Array:
        """The point of the set nearest to each of the points (..., n); inner points stay where they are."""
        return self._nearest(checks.rows("points", points, self.ambient_dimension))

    def _nearest(self, x: Array) -> Array:
        normals, offsets = self.halfspaces
        flat = x.reshape(-1, self.ambient_dimension)
        result = flat.copy()
        excess = flat @ normals.T - offsets
        corners, rays = self.extreme, self.rays / np.linalg.norm(self.rays, axis=1, keepdims=True)
        for i in np.nonzero(excess.max(axis=1, initial=-np.inf) > 0.0)[0]:
            result[i] += _shortest(corners - flat[i], rays)
        return result.reshape(x.shape)

    # -- measure --------------------------------------------------------------------------------

    @cached_property
    def _simplices(self) -> tuple[Array, Array]:
        """(volumes, centroids) of simplices that fill the set, measured in its own affine hull."""
        if not self.is_bounded:
            raise GeometryError("an unbounded set has no centroid", where="polytope", fix="cap it first: clipped(a, b)")
        centre, axes, widths = self._affine
        dimension = len(widths)
        if dimension == 0:
            return np.ones(1), centre[None, :]
        local = (self.vertices - centre) @ axes / widths
        if dimension == 1:
            ends = np.array([local.min(), local.max()])
            return np.array([np.ptp(ends) * widths[0]]), (centre + (ends.mean() * widths) @ axes.T)[None, :]
        corners = local[self._hull.simplices]  # (s, d, d); the apex of each simplex is the local origin
        volumes = np.abs(np.linalg.det(corners)) / math.factorial(dimension) * np.prod(widths)
        return volumes, centre + (corners.sum(axis=1) / (dimension + 1) * widths) @ axes.T

    @cached_property
    def volume(self) -> float:
        """n-dimensional volume; 0 when flat, inf with rays (unless flat)."""
        if self.dimension < self.ambient_dimension:
            return 0.0
        return float(self._simplices[0].sum()) if self.is_bounded else math.inf

    @cached_property
    def centroid(self) -> Array:
        """(n,) centroid of a bounded set, with respect to the measure of its own dimension."""
        volumes, centroids = self._simplices
        return volumes @ centroids / volumes.sum()

    # -- new sets -------------------------------------------------------------------------------

    def scaled(self, factor: float) -> Polytope:
        """The set with every point multiplied by `factor` > 0."""
        return Polytope(self.vertices * checks.positive("factor", factor), self.rays)

    def rotated(self, matrix: ArrayLike) -> Polytope:
        """The set with every point x replaced by matrix x."""
        turn = checks.array("matrix", matrix, (self.ambient_dimension, self.ambient_dimension))
        return Polytope(self.vertices @ turn.T, self.rays @ turn.T)

    def translated(self, offset: ArrayLike) -> Polytope:
        """The set with every point moved by `offset` (n,)."""
        return Polytope(self.vertices + checks.vector("offset", offset, self.ambient_dimension), self.rays)

    def truncated(self) -> Polytope:
        """A bounded set with the same facets near the vertices: rays are cut off at a few times its size."""
        return self if self.is_bounded else Polytope(self._generators)

    def clipped(self, normal: ArrayLike, offset: float) -> Polytope | None:
        """The part with normal . x <= offset, or None when nothing is left.

        One step of the double description method on homogeneous generators (v, 1) and (r, 0): keep those
        inside, and add where the segment between one inside and one outside meets the plane.
        """
        a = checks.vector("normal", normal, self.ambient_dimension)
        offset = checks.number("offset", offset)
        length = float(np.linalg.norm(a))
        if length == 0.0:
            raise InputError("is the zero vector", where="normal", fix="give the outward normal of the half-space")
        rays = self.rays / np.linalg.norm(self.rays, axis=1, keepdims=True) * self.size
        points = np.concatenate([self.extreme, rays])
        weight = np.concatenate([np.ones(len(self.extreme)), np.zeros(len(rays))])
        slack = (weight * offset - points @ a) / length
        tiny = tolerances.MERGE * max(self.size, abs(offset) / length)
        inside, outside = slack >= -tiny, slack < -tiny
        if not outside.any():
            return self
        i, o = np.nonzero(slack > tiny)[0], np.nonzero(outside)[0]
        share = (slack[i, None] / (slack[i, None] - slack[None, o]))[..., None]  # (i, o, 1) towards the outside
        met = (1.0 - share) * points[i, None] + share * points[None, o]
        met_weight = ((1.0 - share) * weight[i, None, None] + share * weight[None, o, None]).reshape(-1)
        points = np.concatenate([points[inside], met.reshape(-1, self.ambient_dimension)])
        weight = np.concatenate([weight[inside], met_weight])
        is_point = weight > 0.0
        if not is_point.any():
            return None
        directions = points[~is_point]
        directions = directions[np.linalg.norm(directions, axis=1) > tiny]
        kept = Polytope(points[is_point] / weight[is_point, None], directions)
        return Polytope(kept.extreme, directions)


def hull_of(polytopes: list[Polytope] | tuple[Polytope, ...]) -> Polytope:
    """The closed convex hull of several sets: all vertices and all rays together."""
    return Polytope(np.concatenate([p.extreme for p in polytopes]), np.concatenate([p.rays for p in polytopes]))


def intersection(polytopes: list[Polytope] | tuple[Polytope, ...]) -> Polytope | None:
    """The common part of several sets, or None when they share no point."""
    result: Polytope | None = polytopes[0]
    for other in polytopes[1:]:
        for normal, offset in zip(*other.halfspaces, strict=True):
            result = result.clipped(normal, float(offset))
            if result is None:
                return None
    return result


def _shortest(points: Array, rays: Array) -> Array:
    """The shortest vector of conv(points) + cone(rays).

    Weights w >= 0 that minimise |points^T w + rays^T v|^2 + (sum w - 1)^2, divided by their sum, are those of the
    shortest vector: for weights of one direction the minimum over their length grows with |points^T w| / sum w alone.
    """
    from scipy.optimize import nnls

    size = float(np.abs(points).max())
    if size == 0.0:
        return np.zeros(points.shape[1])
    ones = np.concatenate([np.ones(len(points)), np.zeros(len(rays))])
    columns = np.concatenate([points / size, rays]).T
    weights, _ = nnls(np.vstack([columns, ones]), np.append(np.zeros(len(columns)), 1.0), maxiter=100 * len(ones))
    return columns @ (weights / (ones @ weights)) * size


def _complement(axes: Array) -> Array:
    """(n - d, n) orthonormal rows at right angles to the d columns of `axes` (n, d)."""
    if axes.shape[0] == axes.shape[1]:
        return np.zeros((0, axes.shape[0]))
    full = np.linalg.svd(axes, full_matrices=True)[0]
    return full[:, axes.shape[1] :].T


def _unique_rows(normals: Array, offsets: Array) -> tuple[Array, Array]:
    """Rows of the H-form of a set of size 1 with planes that agree to MERGE kept once, in the order found."""
    key = np.round(np.column_stack([normals, offsets]) / (10 * tolerances.MERGE))
    _, first = np.unique(key, axis=0, return_index=True)
    first.sort()
    return normals[first], offsets[first]
