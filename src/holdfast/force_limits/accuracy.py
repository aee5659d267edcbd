"""How well convex pieces approximate a star-shaped surface: the largest errors over all directions, exact or certified.

A piece and the surface are compared on the common refinement of their fans. Inside a cone of either fan the gauge
(1 / radius) is linear. On a cell of the common refinement both are, so the ratio of the two radii is largest at a
corner of a cell and is found exactly. Errors in newtons are differences of radii, which are not linear: they are
enclosed between the largest value found and an upper bound on every cell, and cells are split until the two agree to
`CERTIFIED`.

Pieces and surface are bounded here: a surface without a limit in pressing directions has been mapped by the
projective map x -> x / (1 + tilt . x), which keeps directions and convexity (see `decomposition`). Shares are those of
the true surface. Errors in newtons then count pulling directions (f_z <= 0) only, since the others have no largest
error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import tolerances
from ..checks import Array
from ..errors import GeometryError
from ..geometry.directions import Indices
from .surface import LimitSurface

#: Certified bounds are at most this share above the largest value found (or this share of the surface's size).
CERTIFIED = 1e-2
CERTIFIED_FLOOR = 1e-5

#: Splitting stops after this many halvings, or when more triangles than this are open.
MOST_HALVINGS = 14
MOST_OPEN = 60_000


#: Most entries of a product that BLAS computes on one thread; for so few, several threads would only wait.
ONE_THREAD = 80_000


def products(rows: Array, others: Array) -> Array:
    """(n, m) scalar products of rows (n, 3) and (m, 3)."""
    step = max(1, ONE_THREAD // max(1, len(others)))
    if len(rows) <= step:
        return rows @ others.T
    result = np.empty((len(rows), len(others)))
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], others.T, out=result[start : start + step])
    return result


class ConvexPiece:
    """The convex hull of points (m, 3) [N] and the zero force, with its facets in the form that gauges need.

    Attributes:
        vertices: (m, 3) corners, including the zero force if it is a corner.
        outer: (f, 3) rows a of the facets a . x <= 1.
        through: (z, 3) unit rows b of the facets b . x <= 0, which pass through the zero force.
        triangles: (t, 3, 3) corners of the triangles on the outer facets.
    """

    def __init__(self, points: Array) -> None:
        from scipy.spatial import ConvexHull, QhullError

        self.size = float(np.abs(points).max(initial=0.0))
        if self.size == 0.0:
            raise GeometryError("a piece has no force except zero", where="points")
        # Scaled to size one, since the tolerances of the hull are absolute.
        local = np.vstack([np.zeros(3), points / self.size])
        try:
            hull = ConvexHull(local)
        except QhullError:
            raise GeometryError("a piece is flat", where="points", fix="give points that span a volume") from None
        normals, offsets = hull.equations[:, :3], -hull.equations[:, 3]
        at_zero = offsets <= tolerances.MEMBERSHIP
        self.vertices = local[np.sort(hull.vertices)] * self.size
        self.through = np.unique(normals[at_zero].round(15), axis=0)
        self.outer = normals[~at_zero] / (offsets[~at_zero, None] * self.size)
        self.triangles = local[hull.simplices[~at_zero]] * self.size
        self._compared: tuple[LimitSurface, Cells] | None = None

    def cells(self, surface: LimitSurface) -> Cells:
        """The piece refined by a surface; computed once for the same surface."""
        if self._compared is None or self._compared[0] is not surface:
            self._compared = surface, refine(self, surface)
        return self._compared[1]

    def gauge(self, points: Array) -> Array:
        """(n,) share of the piece's limit that each point (n, 3) uses; inf in directions without force."""
        use = np.maximum(products(points, self.outer).max(axis=1), 0.0)
        if len(self.through):
            slack = tolerances.MEMBERSHIP * np.linalg.norm(points, axis=1)
            use = np.where(products(points, self.through).max(axis=1) > slack, np.inf, use)
        return use


@dataclass(frozen=True)
class Cells:
    """Cells of the common refinement on a piece's boundary: convex polygons inside one cone of the surface each.

    Attributes:
        corners: (c, k, 3) polygon corners [N], padded with copies of the last one.
        cone: (c,) triangle of the surface.
        facet: (c,) triangle of the piece.
        use: (c, k) the surface's gauge at the corners; inf in cones where the surface is zero.
    """

    corners: Array
    cone: Indices
    facet: Indices
    use: Array


def gradients(surface: LimitSurface) -> Array:
    """(t, 3) gradient of the gauge in each cone of a bounded surface; inf rows where the surface is zero."""
    corners = surface.gauges[surface.triangles]
    dead: NDArray[np.bool_] = np.any(np.isinf(corners), axis=1)
    result = np.einsum("tk,tkj->tj", np.where(dead[:, None], 0.0, corners), surface.mesh.inverse)
    result[dead] = np.inf
    return result


def refine(piece: ConvexPiece, surface: LimitSurface) -> Cells:
    """All cells of the piece's outer facets cut by the surface's cones."""
    walls = surface.mesh.inverse / np.linalg.norm(surface.mesh.inverse, axis=2, keepdims=True)  # (t, 3, 3)
    slope = gradients(surface)
    dead = np.isinf(slope[:, 0])
    # A cone where the surface is zero is only entered beyond rounding: by more than the membership tolerance.
    margin = np.where(dead, tolerances.MEMBERSHIP * surface.size, 0.0)
    facet, cone = _overlaps(piece, surface, walls)
    polygons = piece.triangles[facet]
    count = np.full(len(polygons), 3)
    for k in range(3):
        polygons, count, kept = clip(polygons, count, walls[cone, k], margin[cone])
        facet, cone = facet[kept], cone[kept]
    with np.errstate(invalid="ignore"):
        use = np.einsum("cj,ckj->ck", np.where(dead[cone][:, None], 0.0, slope[cone]), polygons)
    use[dead[cone]] = np.inf
    return Cells(polygons, cone, facet, use)


def _overlaps(piece: ConvexPiece, surface: LimitSurface, walls: Array) -> tuple[Indices, Indices]:
    """Pairs (facet, cone) that no wall of either cone separates."""
    corners = piece.triangles  # (f, 3, 3)
    tiny = tolerances.MEMBERSHIP * piece.size
    heights = products(walls.reshape(-1, 3), corners.reshape(-1, 3)).reshape(len(walls), 3, len(corners), 3)
    possible = (heights.max(axis=3) > tiny).all(axis=1).T  # (f, t): some corner inside every wall
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    own = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
    own *= np.sign(np.einsum("fj,fj->f", own[:, 0], a))[:, None, None]
    own /= np.maximum(np.linalg.norm(own, axis=2, keepdims=True), np.finfo(float).tiny)
    beyond = products(own.reshape(-1, 3), surface.directions).reshape(len(own), 3, -1) > tolerances.MEMBERSHIP
    possible &= np.all(np.any(beyond[:, :, surface.triangles], axis=3), axis=1)
    facet, cone = np.nonzero(possible)
    return facet, cone


def clip(polygons: Array, count: Indices, normals: Array, offsets: Array) -> tuple[Array, Indices, Indices]:
    """Convex polygons (c, k, 3) cut to normal . x >= offset; last, the indices of those that remain."""
    c, k = polygons.shape[:2]
    height = np.einsum("ckj,cj->ck", polygons, normals) - offsets[:, None]
    place = np.arange(k)
    valid = place < count[:, None]
    after = np.where(place + 1 < count[:, None], place + 1, 0)
    inside = (height >= 0.0) & valid
    next_height = np.take_along_axis(height, after, axis=1)
    crossing = valid & (inside != (next_height >= 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(crossing, height / (height - next_height), 0.0)[..., None]
    met = polygons + share * (np.take_along_axis(polygons, after[..., None], axis=1) - polygons)
    both = np.stack([polygons, met], axis=2).reshape(c, 2 * k, 3)
    mask = np.stack([inside, crossing], axis=2).reshape(c, 2 * k)
    left = np.flatnonzero(mask.sum(axis=1) >= 3)
    mask, both = mask[left], both[left]
    number = mask.sum(axis=1)
    places = np.arange(int(number.max(initial=3)))  # k + 1, except for slivers, whose corners rounding can reorder
    order = np.argsort(~mask, axis=1, kind="stable")
    order = np.take_along_axis(order, np.minimum(places, number[:, None] - 1), axis=1)
    return np.take_along_axis(both, order[..., None], axis=1), number, left


def fan(polygons: Array) -> tuple[Array, Indices]:
    """Triangles (m, 3, 3) that fill padded convex polygons (c, k, 3), and the polygon of each."""
    k = polygons.shape[1]
    parts = np.stack([polygons[:, [0, i, i + 1]] for i in range(1, k - 1)], axis=1)  # (c, k - 2, 3, 3)
    owner = np.repeat(np.arange(len(polygons)), k - 2)
    parts = parts.reshape(-1, 3, 3)
    real = (parts[:, 1] != parts[:, 2]).any(axis=1) & (parts[:, 0] != parts[:, 2]).any(axis=1)
    return parts[real], owner[real]


def certified_maximum(
    triangles: Array, owner: Indices, bounds: Callable[[Array, Indices], tuple[Array, Array]], floor: float
) -> tuple[float, Array]:
    """(bound, point): an upper bound of a function over triangles (m, 3, 3), and where its largest value was found.

    The bound is at most `CERTIFIED` (or `floor`) above the maximum. The point is zero where no value is above zero.
    `bounds(triangles, owner)` gives (values at the corners (m, 3), upper bounds on the triangles (m,)).
    Triangles are split at their edge midpoints while their bound exceeds the best value found. If the
    splitting has to stop early the bound returned is looser, but still a bound.
    """
    found, ceiling, left, point = 0.0, 0.0, 0.0, np.zeros(3)
    for _ in range(MOST_HALVINGS):
        values, upper = bounds(triangles, owner)
        if values.max(initial=0.0) > found:
            found, point = float(values.max()), triangles.reshape(-1, 3)[values.argmax()]
        still = upper > found * (1.0 + CERTIFIED) + floor
        ceiling = max(ceiling, float(upper[~still].max(initial=0.0)))
        left = float(upper[still].max(initial=0.0))
        if not still.any() or 4 * still.sum() > MOST_OPEN:
            break
        open_ones, owner = triangles[still], np.repeat(owner[still], 4)
        a, b, c = open_ones[:, 0], open_ones[:, 1], open_ones[:, 2]
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = np.stack([np.stack(p, axis=1) for p in parts], axis=1).reshape(-1, 3, 3)
    return max(found, ceiling, left), point


# -- the largest errors over all directions -------------------------------------------------------------

#: The part of a force [N] that is lost or added: all of it, its pull, its shear.
FORCE, PULL, SHEAR = 0, 1, 2


def _amount(forces: Array, kind: int) -> Array:
    """(...,) size, pull or shear [N] of forces (..., 3); a convex function."""
    if kind == PULL:
        return np.maximum(-forces[..., 2], 0.0)
    return np.linalg.norm(forces[..., : 2 if kind == SHEAR else 3], axis=-1)


@dataclass(frozen=True)
class LargestErrors:
    """The largest error along a ray over all directions.

    Attributes:
        share: as a share of the surface.
        newtons: of the force, of its pull and of its shear [N].
        points: (3 kinds, 3) a force along the ray where each was found; zero where there is no such error.
    """

    share: float
    newtons: tuple[float, float, float]
    points: Array


def overreach(pieces: list[ConvexPiece], surface: LimitSurface, tilt: Array) -> LargestErrors:
    """The largest excess of the union of `pieces` over the surface along a ray.

    The share is exact, and infinite where a piece enters directions without force. The newtons are exact
    there, and certified elsewhere. Excess within the membership tolerance counts as zero.
    """
    share, newtons, points = 0.0, [0.0] * 3, np.zeros((3, 3))
    slopes = gradients(surface) - tilt
    for piece in pieces:
        cells = piece.cells(surface)
        over = (cells.use > 1.0 + tolerances.MEMBERSHIP).any(axis=1)
        if not over.any():
            continue
        corners, cone, use = cells.corners[over], cells.cone[over], cells.use[over]
        lean = corners @ tilt
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = np.where(use > 1.0 + tolerances.MEMBERSHIP, (use - 1.0) / (1.0 - lean), 0.0)
        share = max(share, float(excess.max()))
        if tilt.any():
            corners, left = _pulling(corners, tilt)
            cone = cone[left]
        dead = np.isinf(slopes[cone, 0])
        triangles, owner = fan(corners[~dead])
        owner = cone[~dead][owner]
        whole = corners[dead].reshape(-1, 3)
        for kind in (FORCE, PULL, SHEAR):
            found = [_certified_excess(triangles, owner, slopes, kind, surface.size)]
            if len(whole):
                all_of_it = _amount(whole, kind)
                found.append((float(all_of_it.max()), whole[all_of_it.argmax()]))
            for value, point in found:
                if value > newtons[kind]:
                    newtons[kind], points[kind] = value, point
    return LargestErrors(share, (newtons[FORCE], newtons[PULL], newtons[SHEAR]), points)


def _pulling(polygons: Array, tilt: Array) -> tuple[Array, Indices]:
    """The parts with f_z <= 0 of mapped polygons (c, k, 3), mapped back, and the polygon of each."""
    count, corners = polygons.shape[:2]
    down = np.tile([0.0, 0.0, -1.0], (count, 1))
    parts, _, left = clip(polygons, np.full(count, corners), down, np.zeros(count))
    return parts / (1.0 - parts @ tilt)[..., None], left


def _certified_excess(triangles: Array, owner: Indices, slopes: Array, kind: int, size: float) -> tuple[float, Array]:
    """Largest amount of x (1 - 1/g) over triangles on pieces, g the surface's linear gauge there, and where."""

    def bounds(parts: Array, cone: Indices) -> tuple[Array, Array]:
        use = np.maximum(np.einsum("mj,mkj->mk", slopes[cone], parts), np.finfo(float).tiny)
        amount = _amount(parts, kind)
        if kind == PULL:
            along = amount
        else:
            middle = parts.mean(axis=1) * ([1.0, 1.0, 0.0] if kind == SHEAR else 1.0)
            middle /= np.maximum(np.linalg.norm(middle, axis=1, keepdims=True), np.finfo(float).tiny)
            along = np.einsum("mj,mkj->mk", middle, parts)  # never longer than the amount itself
        values = amount * np.maximum(1.0 - 1.0 / use, 0.0)
        # amount is convex and along / use linear-fractional: both have their extremes at corners.
        one = amount.max(axis=1) * np.maximum(1.0 - 1.0 / use.max(axis=1), 0.0)
        two = amount.max(axis=1) - (along / use).min(axis=1)
        return values, np.minimum(one, two)

    return certified_maximum(triangles, owner, bounds, CERTIFIED_FLOOR * size)


def loss(pieces: list[ConvexPiece], surface: LimitSurface, tilt: Array) -> LargestErrors:
    """The largest shortfall of the union of `pieces` along a ray of the surface; certified.

    On a triangle of the surface the gauge of a piece is convex, so its value at the worst corner bounds
    it, and the best piece counts. Directions without a volume below the surface do not count.
    """
    alive = np.isfinite(surface.gauges[surface.triangles]).all(axis=1)
    triangles = surface.vertices[surface.triangles[alive]]
    owner = np.zeros(len(triangles), dtype=np.intp)

    def share_bounds(parts: Array, owner: Indices) -> tuple[Array, Array]:
        use = _uses(pieces, parts, np.zeros(3))  # (k, m, 3)
        lean = parts @ tilt
        at_corners = _lacking(use, lean[None]).min(axis=0)
        return at_corners, _lacking(use.max(axis=2), lean.max(axis=1)[None]).min(axis=0)

    share = certified_maximum(triangles, owner, share_bounds, CERTIFIED_FLOOR)[0]
    if tilt.any():
        triangles, owner = fan(_pulling(triangles, tilt)[0])

    def newtons(kind: int) -> tuple[float, Array]:
        def bounds(parts: Array, owner: Indices) -> tuple[Array, Array]:
            amount = _amount(parts, kind)
            use = _uses(pieces, parts, tilt)
            values = amount * (1.0 - 1.0 / use).min(axis=0)
            upper = amount.max(axis=1) * (1.0 - 1.0 / use.max(axis=2)).min(axis=0)
            return values, upper

        return certified_maximum(triangles, owner, bounds, CERTIFIED_FLOOR * surface.size)

    force, pull, shear = (newtons(kind) for kind in (FORCE, PULL, SHEAR))
    return LargestErrors(share, (force[0], pull[0], shear[0]), np.array([force[1], pull[1], shear[1]]))


def _uses(pieces: list[ConvexPiece], parts: Array, tilt: Array) -> Array:
    """(k, m, 3) gauge of each piece, mapped back by `tilt`, at the corners of parts (m, 3, 3); at least 1."""
    points = parts.reshape(-1, 3)
    lean = points @ tilt
    result = []
    for piece in pieces:
        use = piece.gauge(points) - lean
        # Forces outside by less than the membership tolerance count as held.
        result.append(np.where(use <= 1.0 + tolerances.MEMBERSHIP, 1.0, use).reshape(-1, 3))
    return np.array(result)


def _lacking(use: Array, lean: Array) -> Array:
    """1 - radius of the piece / radius of the surface, where the mapped gauges are `use` and 1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (use - 1.0) / (use - lean)
    return np.where(use <= 1.0, 0.0, np.where(np.isinf(use), 1.0, share))
