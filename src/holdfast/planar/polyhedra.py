"""Convex polyhedra {x : A x >= b, C x = d} of every kind: points, segments, cones, with lines, open on some sides.

Rows are scaled to unit length before anything is compared; equalities are eliminated by a rank-revealing
decomposition, so that redundant but consistent ones are allowed. Both forms are exact to rounding: generators and
rows come from double description, emptiness and depth from linear programs, projections from the generators. The
values have no units here: vectors that mix N and N m are scaled by a length first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray
from ..errors import InputError, SolverError
from ..geometry.halfspaces import Generators
from ..public_names import with_advice
from ..results import Result
from ..tolerances import FLAT, MEMBERSHIP

#: A strict row is met when its slack exceeds this share of the set's scale.
STRICT = 1e-8

#: Offsets below this share of the generators' size are rounding.
OFFSET_ROUNDING = 1e-14

#: Every facet touches a vertex, so its distance is that of a vertex at most; a farther one is the facet at infinity.
AT_INFINITY = 1e-4


def facets(V: Array, R: Array, L: Array, scale: float = 0.0) -> tuple[Array, Array, Array, Array]:
    """(A, b, C, d) of conv(V) + cone(R) + span(L), irredundant: the generators of the dual cone.

    Vertices closer than rounding of their own size, or of `scale`, are one.
    """
    from .kernels import cone_generators

    size = V.shape[1]
    centre = V.mean(axis=0)
    spread = float(np.abs(V - centre).max())
    known = max(scale, float(np.abs(V).max()))
    if spread <= MEMBERSHIP * known:
        V, spread = centre[None], known or 1.0
    # Lines and equalities are found by rank first; double description then works in the span of what is left.
    straight = _row_space(L / np.maximum(np.linalg.norm(L, axis=1, keepdims=True), 1e-300), FLAT)
    across = (V - centre) / spread
    units = R / np.maximum(np.linalg.norm(R, axis=1, keepdims=True), 1e-300) if len(R) else R
    span = np.vstack([across, units])
    span = span - (span @ straight.T) @ straight
    frame = _row_space(span, STRICT)
    whole = np.vstack([straight, frame])
    C = np.linalg.svd(whole)[2][len(whole) :] if len(whole) else np.eye(size)
    d = C @ centre
    if not len(frame):
        return np.zeros((0, size)), np.zeros(0), C, d
    points, directions = across @ frame.T, units @ frame.T
    long = np.linalg.norm(directions, axis=1) > FLAT if len(directions) else np.zeros(0, dtype=bool)
    rows = np.vstack(
        [
            np.column_stack([points, np.ones(len(points))]),
            np.column_stack([directions[long], np.zeros(int(long.sum()))]),
        ]
    )
    found, free = cone_generators(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    assert not len(free), "the generators span the frame"
    lengths = np.linalg.norm(found[:, :-1], axis=1)
    true = lengths > AT_INFINITY
    found, lengths = found[true], lengths[true]
    A = (found[:, :-1] / lengths[:, None]) @ frame
    b = A @ centre - spread * found[:, -1] / lengths
    size_of_all = spread + float(np.abs(centre).max())
    return A, np.where(np.abs(b) <= OFFSET_ROUNDING * size_of_all, 0.0, b), C, d


def _row_space(rows: Array, tolerance: float) -> Array:
    """Orthonormal rows that span `rows`, without singular values below `tolerance` times the largest."""
    if not len(rows):
        return rows
    _, values, right = np.linalg.svd(rows, full_matrices=False)
    return right[values > tolerance * max(float(values[0]), 1.0)]


def nearest(G: Array, h: Array) -> Array | None:
    """The least y with G y >= h, by Lawson and Hanson's reduction to a nonnegative least squares; None if inexact."""
    from scipy.optimize import nnls

    stacked = np.vstack([G.T, h])
    target = np.zeros(len(stacked))
    target[-1] = 1.0
    try:
        weights, _ = nnls(stacked, target)
    except RuntimeError:  # too many iterations
        return None
    residual = stacked @ weights - target
    if not residual[-1] < 0.0:
        return None
    y = -residual[:-1] / residual[-1]
    # y = G^T w / |residual| with w >= 0 on rows that are met: this proves that no other point is nearer.
    multipliers = weights / -residual[-1]
    met = (G @ y - h).min() >= -MEMBERSHIP * max(1.0, float(np.abs(y).max()))
    tight = abs(float(multipliers @ (G @ y - h))) <= STRICT * max(1.0, float(y @ y))
    return y if met and tight else None


#: A set this many times deeper than its scale has no deepest point.
BOTTOMLESS = 1e6


class _Hull(NamedTuple):
    """The affine set p + N y of the equalities, the rows G y >= h of unit length in it, and whether it is not empty."""

    consistent: bool
    point: Array
    basis: Array
    G: Array
    h: Array
    strict: BoolArray


@with_advice()
class Polyhedron(Result):
    """{x in R^n : A x >= b (> where strict), C x = d}; immutable.

    Attributes:
        A, b: (m, n), (m,) rows of unit length (a row of zeros stays: 0 >= b); A x >= b.
        strict: (m,) whether a row is meant as >.
        C, d: (e, n), (e,) equalities of unit length; C x = d.
        least_scale: lower bound of the scale, for sets whose offsets are all zero up to rounding.
    """

    def __init__(
        self,
        A: ArrayLike | None = None,
        b: ArrayLike | None = None,
        C: ArrayLike | None = None,
        d: ArrayLike | None = None,
        *,
        strict: ArrayLike | None = None,
        dimension: int | None = None,
        least_scale: float = 0.0,
    ) -> None:
        given = [m for m in (A, C) if m is not None and np.ndim(m) == 2]
        if dimension is None and not given:
            raise InputError("has neither rows nor a dimension", where="A", fix="give A, C or dimension")
        size = int(dimension) if dimension is not None else int(np.shape(given[0])[1])
        self.A, self.b = _unit_rows("A", "b", A, b, size)
        self.C, self.d = _unit_rows("C", "d", C, d, size)
        marks = np.zeros(len(self.A), dtype=bool) if strict is None else np.array(strict, dtype=bool)
        if marks.shape != self.b.shape:
            raise InputError(f"has shape {marks.shape}", where="strict", fix=f"one mark for each of {len(self.b)} rows")
        marks.setflags(write=False)
        self.strict: BoolArray = marks
        self.least_scale = float(least_scale)

    def __repr__(self) -> str:
        strict = f" ({int(self.strict.sum())} strict)" if self.strict.any() else ""
        return f"Polyhedron({len(self.A)} rows{strict}, {len(self.C)} equalities in R^{self.ambient_dimension})"

    @classmethod
    def empty(cls, dimension: int) -> Polyhedron:
        """The empty set of R^dimension."""
        return cls(np.zeros((1, dimension)), np.ones(1))

    @classmethod
    def from_generators(cls, vertices: ArrayLike, rays: ArrayLike = (), lines: ArrayLike = ()) -> Polyhedron:
        """The H form, irredundant, of conv(vertices) + cone(rays) + span(lines)."""
        V = np.atleast_2d(np.asarray(vertices, dtype=float))
        size = V.shape[1]
        if not len(V):
            return cls.empty(size)
        R, L = (np.asarray(x, dtype=float).reshape(-1, size) for x in (rays, lines))
        return cls(*facets(V, R, L), dimension=size)

    # -- what kind of set it is -----------------------------------------------------------------

    @property
    def ambient_dimension(self) -> int:
        """n of R^n."""
        return self.A.shape[1]

    @property
    def equalities(self) -> tuple[Array, Array]:
        """(C, d) of C x = d."""
        return self.C, self.d

    @cached_property
    def scale(self) -> float:
        """Largest distance of a row's hyperplane from the origin; 1 for a cone. Tolerances scale by it."""
        offsets = np.concatenate([self.b[np.any(self.A != 0.0, axis=1)], self.d])
        return float(np.abs(offsets).max(initial=self.least_scale)) or 1.0

    @cached_property
    def _hull(self) -> _Hull:
        size = self.ambient_dimension
        point, basis, consistent = np.zeros(size), np.eye(size), True
        if len(self.C):
            left, values, right = np.linalg.svd(self.C)
            rank = int((values > FLAT * max(float(values[0]), 1e-300)).sum())
            point = right[:rank].T @ ((left[:, :rank].T @ self.d) / values[:rank])
            basis = right[rank:].T
            consistent = bool(np.abs(self.C @ point - self.d).max() <= MEMBERSHIP * self.scale)
        G, h = self.A @ basis, self.b - self.A @ point
        lengths = np.linalg.norm(G, axis=1)
        seen = lengths > MEMBERSHIP
        bound = np.where(self.strict[~seen], -STRICT, MEMBERSHIP) * self.scale
        # A row of zeros does not constrain x; it only states 0 >= b or 0 > b, where the sign counts.
        bare = ~np.any(self.A != 0.0, axis=1)[~seen]
        bound[bare] = np.where(self.strict[~seen][bare], -np.finfo(float).tiny, 0.0)
        consistent = consistent and bool((h[~seen] <= bound).all())
        G, h = G[seen] / lengths[seen, None], h[seen] / lengths[seen]
        return _Hull(consistent, point, basis, G, h, self.strict[seen])

    @cached_property
    def depth(self) -> tuple[float, Array]:
        """(t, x): largest t <= scale by which a point x meets all strict rows; t = scale when none is strict.

        Closed rows are relaxed by `MEMBERSHIP` times the scale; t is -inf when even these cannot be met.
        """
        from .kernels import deepest

        hull = self._hull
        if not hull.consistent:
            return -np.inf, hull.point
        limits = -hull.h / self.scale + np.where(hull.strict, 0.0, MEMBERSHIP)
        if not len(limits) or not hull.basis.shape[1]:
            met = not len(limits)
            return (self.scale if met else -np.inf), hull.point
        t, y = deepest(-hull.G, limits, hull.strict.astype(float))
        return self.scale * t, hull.point + self.scale * (hull.basis @ y)

    @property
    def is_empty(self) -> bool:
        """Whether nothing meets the rows: no point meets all strict ones by more than `STRICT` times the scale."""
        return not self.depth[0] > STRICT * self.scale

    @cached_property
    def generators(self) -> Generators:
        """Vertices, rays and lines of the closure; none when the set (strict rows included) is empty."""
        if self.is_empty:
            none = np.zeros((0, self.ambient_dimension))
            return Generators(none, none, none)
        return self._closure

    @cached_property
    def _closure(self) -> Generators:
        from .kernels import cone_generators

        hull = self._hull
        size = hull.basis.shape[1]
        cone = np.column_stack([hull.G, -hull.h / self.scale])
        rows = np.vstack([np.eye(size + 1)[-1:], cone / np.linalg.norm(cone, axis=1, keepdims=True)])
        found, straight = cone_generators(rows)
        share = found[:, size]
        finite = share > MEMBERSHIP
        vertices = hull.point + self.scale * (found[finite, :size] / share[finite, None]) @ hull.basis.T
        rays = found[~finite, :size] @ hull.basis.T
        lines = straight[:, :size] @ hull.basis.T
        rays = rays / np.linalg.norm(rays, axis=1, keepdims=True)
        return Generators(vertices, rays, lines)

    @property
    def is_bounded(self) -> bool:
        """Whether there are neither rays nor lines; the empty set is bounded."""
        return not len(self.generators.all_rays)

    @cached_property
    def dimension(self) -> int:
        """Dimension of the affine hull; -1 for the empty set."""
        vertices, rays, lines = self.generators
        if not len(vertices):
            return -1
        spans = np.vstack([(vertices - vertices[0]) / self.scale, rays, lines])
        return int((np.linalg.svd(spans, compute_uv=False) > STRICT).sum())

    # -- points ---------------------------------------------------------------------------------

    def contains(self, points: ArrayLike, *, tolerance: float = MEMBERSHIP) -> BoolArray:
        """Whether each point (..., n) is in the set: closed rows to `tolerance` of the scale, strict ones by more."""
        x = checks.rows("points", points, self.ambient_dimension)
        near = tolerance * np.maximum(self.scale, np.abs(x).max(axis=-1, initial=0.0))[..., None]
        slack = x @ self.A.T - self.b
        met = np.where(self.strict, slack > near, slack >= -near).all(axis=-1)
        return met & (np.abs(x @ self.C.T - self.d) <= near).all(axis=-1)

    def chebyshev(self) -> tuple[Array, float]:
        """(centre, radius) of the largest ball within the closure, taken in its affine hull.

        The radius is 0 for a point, infinite where balls of any size fit (the centre is then as deep as the scale)
        and -inf with a centre of nan when the set is empty.
        """
        from .kernels import deepest

        if self.is_empty:
            return np.full(self.ambient_dimension, np.nan), -np.inf
        hull = self._hull
        if not hull.basis.shape[1]:
            return hull.point, 0.0
        limits, weights = -hull.h / self.scale, np.ones(len(hull.h))
        radius, y = (BOTTOMLESS, None) if not len(limits) else deepest(-hull.G, limits, weights, BOTTOMLESS)
        if radius <= STRICT and len(self.C) < len(self.minimal().C):
            return self.minimal().chebyshev()
        if radius >= BOTTOMLESS * (1.0 - MEMBERSHIP):
            y = np.zeros(hull.basis.shape[1]) if not len(limits) else deepest(-hull.G, limits, weights, 1.0)[1]
            radius = np.inf
        return hull.point + self.scale * (hull.basis @ y), self.scale * max(radius, 0.0)

    def lowest(self, directions: Array) -> Array:
        """Least value over the closure of each of the `directions` (r, n); -inf where none was found."""
        from .kernels import OPTIMAL, maximise

        hull, result = self._hull, np.full(len(directions), -np.inf)
        for confirmed in (False, True):
            for i, direction in enumerate(directions):
                status, y = maximise(-(direction @ hull.basis), -hull.G, -hull.h / self.scale, confirmed=confirmed)
                if status == OPTIMAL:
                    result[i] = direction @ (hull.point + self.scale * (hull.basis @ y))
            if np.isfinite(result).any():
                break
        return result

    def least_norm(self) -> Array:
        """The point of the closure nearest to the origin; nan when the set is empty."""
        if self.is_empty:
            return np.full(self.ambient_dimension, np.nan)
        hull = self._hull
        h = hull.h / self.scale
        if not len(h) or h.max() <= 0.0 or not hull.basis.shape[1]:
            return hull.point.copy()
        y = nearest(hull.G, h)
        if y is None:
            # The set is nearly flat: with its equalities stated explicitly the program is well posed.
            least = self.minimal()
            h = least._hull.h / self.scale
            if not least._hull.basis.shape[1]:
                return least._hull.point.copy()
            hull, y = least._hull, nearest(least._hull.G, h) if len(h) else np.zeros(least._hull.basis.shape[1])
            if y is None:
                raise SolverError("the point of least norm could not be found to rounding", where="least_norm")
        return hull.point + self.scale * (hull.basis @ y)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers: A x >= b (> where strict), C x = d; vertices, rays and lines; the dimension."""
        parts = {name: getattr(self, name) for name in ("A", "b", "strict", "C", "d")} | self.generators._asdict()
        return {"dimension": self.dimension} | {name: part.tolist() for name, part in parts.items()}

    # -- other sets -----------------------------------------------------------------------------

    def intersect(self, other: Polyhedron) -> Polyhedron:
        """The points in both sets; the rows of both are kept."""
        joined = [
            np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("A", "b", "C", "d", "strict")
        ]
        least = max(self.least_scale, other.least_scale)
        return Polyhedron(*joined[:4], strict=joined[4], dimension=self.ambient_dimension, least_scale=least)

    def changed(self, **rows: ArrayLike) -> Polyhedron:
        """The set with other rows, any of A, b, C, d and strict; the others stay."""
        own = {name: getattr(self, name) for name in ("A", "b", "C", "d", "strict")}
        return Polyhedron(**(own | rows), dimension=self.ambient_dimension, least_scale=self.least_scale)

    def times(self, factor: float) -> Polyhedron:
        """Every point of the set times `factor`."""
        return self.changed(b=self.b * factor, d=self.d * factor)

    def cut(self, row: Array, offset: float, *, strict: bool) -> Polyhedron:
        """The part with row x >= offset (> if `strict`)."""
        marks = np.append(self.strict, strict)
        return self.changed(A=np.vstack([self.A, row]), b=np.append(self.b, offset), strict=marks)

    def project(self, keep: Sequence[int] | slice) -> Polyhedron:
        """The projection on the coordinates `keep`, in irredundant rows; exact, strict sides included.

        A strict row a x > b is written as a x >= b + s e (s: `gaps`) with one further coordinate e > 0: what holds for
        some e > 0 after projecting is the projection of the open set.
        """
        kept = np.arange(self.ambient_dimension)[keep if isinstance(keep, slice) else list(keep)]
        if self.is_empty:
            return Polyhedron.empty(len(kept))
        if not self.strict.any():
            rows = facets(*_seen_generators(self.generators, kept), self.scale)
            return Polyhedron(*rows, dimension=len(kept), least_scale=self.least_scale)
        seen = _seen_generators(self._with_gap._closure, np.append(kept, self.ambient_dimension))
        return _without_gap(*facets(*seen, self.scale), self.least_scale)

    def minimal(self) -> Polyhedron:
        """The same set in irredundant rows, all equalities explicit; strict sides stay strict."""
        return self._minimal

    @cached_property
    def _minimal(self) -> Polyhedron:
        return self.project(slice(None))

    @cached_property
    def gaps(self) -> Array:
        """(m,) by how much each strict row is tightened per unit of one common gap; 0 for the closed ones.

        A row nearly orthogonal to the affine hull would move far within it for a small gap: each gap is scaled by the
        length of the row within the hull, so that no vertex lies far out.
        """
        lengths = np.linalg.norm(self.A @ self._hull.basis, axis=1)
        return np.where(self.strict & (lengths > MEMBERSHIP), lengths, 0.0)

    @cached_property
    def _with_gap(self) -> Polyhedron:
        """{(x, e)}: strict rows closed and tightened by e, 0 <= e <= scale."""
        count, size = self.A.shape
        A = np.zeros((count + 2, size + 1))
        A[:count, :size] = self.A
        A[:count, size] = -self.gaps
        A[count:, size] = 1.0, -1.0
        C = np.column_stack([self.C, np.zeros(len(self.C))])
        b = [*self.b, 0.0, -self.scale]
        return Polyhedron(A, b, C, self.d, dimension=size + 1, least_scale=self.least_scale)


def _unit_rows(
    name: str, right: str, matrix: ArrayLike | None, offsets: ArrayLike | None, size: int
) -> tuple[Array, Array]:
    """(matrix, offsets) with rows of unit length, read-only; rows of zeros stay as they are."""
    if matrix is None or np.size(matrix) == 0:
        bare = np.size(offsets) if offsets is not None else 0
        rows = np.zeros((bare if matrix is not None and np.ndim(matrix) == 2 and size == 0 else 0, size))
        values = np.zeros(len(rows)) if not len(rows) else np.array(offsets, dtype=float)
        return rows, values
    rows = np.array(checks.array(name, matrix, ("m", size)))
    values = np.zeros(len(rows)) if offsets is None else np.array(checks.array(right, offsets, (len(rows),)))
    lengths = np.linalg.norm(rows, axis=1)
    lengths[lengths == 0.0] = 1.0
    rows /= lengths[:, None]
    values /= lengths
    for part in (rows, values):
        part.setflags(write=False)
    return rows, values


def _without_gap(A: Array, b: Array, C: Array, d: Array, least_scale: float = 0.0) -> Polyhedron:
    """{x : A (x, e) >= b, C (x, e) = d for some e > 0}: a row that the gap e tightens is strict."""
    rows, gap = A[:, :-1], A[:, -1]
    lengths = np.linalg.norm(rows, axis=1)
    real = lengths > STRICT
    strict = gap[real] < -MEMBERSHIP * lengths[real]
    size = rows.shape[1]
    return Polyhedron(rows[real], b[real], C[:, :-1], d, strict=strict, dimension=size, least_scale=least_scale)


def _seen_generators(generators: Generators, kept: Array) -> tuple[Array, Array, Array]:
    """Generators on the coordinates `kept`; unit rays and lines that vanish there up to rounding are left out."""
    vertices, rays, lines = (part[:, kept] for part in generators)
    seen, straight = (np.linalg.norm(part, axis=1) > MEMBERSHIP for part in (rays, lines))
    return vertices, rays[seen], lines[straight]


#: Entries of unit rows, and offsets of sets of scale one, below this are zero up to rounding.
ZERO_OFFSET = 1e-13


def projection(polyhedron: Polyhedron, keep: Sequence[int] | slice) -> Polyhedron:
    """The points on the coordinates `keep` over which the set, of scale about one, has some point; irredundant rows.

    A strict row a x > b is written as a x >= b + s e (s: `gaps`) with one further coordinate e > 0: a row of the
    projection that e tightens is strict. Directions that the projection removes are left out.
    """
    kept = np.arange(polyhedron.ambient_dimension)[keep if isinstance(keep, slice) else list(keep)]
    if polyhedron.is_empty:
        return Polyhedron.empty(len(kept))
    if not len(kept):
        return Polyhedron(dimension=0)
    if not polyhedron.strict.any():
        return _tidy(Polyhedron.from_generators(*_seen_generators(polyhedron.generators, kept)))
    seen = _seen_generators(polyhedron._with_gap.generators, np.append(kept, polyhedron.ambient_dimension))
    flat = Polyhedron.from_generators(*seen)
    return _without_spare_rows(_tidy(_without_gap(flat.A, flat.b, flat.C, flat.d)))


def irredundant(polyhedron: Polyhedron) -> Polyhedron:
    """The same set, of scale about one, with one row per side, every equality explicit."""
    return projection(polyhedron, slice(None))


def _tidy(polyhedron: Polyhedron) -> Polyhedron:
    """Offsets at rounding level become zero, so that a cone stays a cone."""
    b, d = (np.where(np.abs(offsets) <= ZERO_OFFSET, 0.0, offsets) for offsets in (polyhedron.b, polyhedron.d))
    return polyhedron.changed(b=b, d=d)


def _without_spare_rows(polyhedron: Polyhedron) -> Polyhedron:
    """Only the rows that bound the closure; of equivalent rows, a strict one."""
    if polyhedron.is_empty:
        return Polyhedron.empty(polyhedron.ambient_dimension)
    generators = polyhedron.generators
    if len(polyhedron.A) < 2:
        return polyhedron
    sides = _tidy(Polyhedron.from_generators(*generators))
    return sides.changed(strict=_touched_by_strict(sides, polyhedron, generators.vertices, generators.rays))


def _touched_by_strict(sides: Polyhedron, rows: Polyhedron, vertices: Array, rays: Array) -> BoolArray:
    """(sides,) whether a strict row holds with equality on the whole of a side."""
    near = STRICT * max(sides.scale, rows.scale)
    on_side = np.vstack([np.abs(vertices @ sides.A.T - sides.b) <= near, np.abs(rays @ sides.A.T) <= STRICT])
    on_row = np.vstack([np.abs(vertices @ rows.A.T - rows.b) <= near, np.abs(rays @ rows.A.T) <= STRICT])
    covered = (~on_side[:, :, None] | on_row[:, None, :]).all(axis=0)  # (sides, rows)
    return np.asarray((covered & rows.strict).any(axis=1))
