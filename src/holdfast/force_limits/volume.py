"""ForceVolume: the forces a contact can carry, as a union of convex pieces (III.A, III.F).

All forces are in the contact frame (u, v, n) and act on the object: f_z > 0 presses, f_z < 0 pulls.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, Side
from ..errors import GeometryError, InputError, UnitError
from ..geometry.frames import rotation
from ..geometry.polytopes import Polytope, hull_of
from ..geometry.unions import Node, UnionMeasure, build_hierarchy
from ..public_names import with_advice
from ..results import Result


@dataclass(frozen=True)
class DecompositionReport(Result):
    """Largest errors of a decomposition, over all directions, each an exact value or a certified bound.

    Percentages are local: next to a direction without force they reach 100 or infinity and have little meaning; use the
    newtons there. With unlimited compression the newtons include only directions that do not press.

    Attributes:
        side: "inner" (inside the true set) or "outer" (around it).
        pieces: number of convex pieces.
        overreach_percent: largest excess of the volume over the surface along a ray, in percent of the surface.
        overreach_newtons: the same excess in newtons.
        false_adhesion_newtons: largest pull (-f_z) that the volume allows beyond the surface along a ray [N].
        loss_percent: largest shortfall of the volume along a ray, in percent of the surface.
        loss_newtons: the same shortfall in newtons.
        lost_adhesion_newtons: largest pull (-f_z) that the surface allows and the volume does not, along a ray [N].
        goal_reached: whether the allowed error was reached (True when none was given).
        time_limit_reached: whether the pieces are the best found within the time limit, and more time may improve them.
        false_shear_newtons: largest shear that the volume allows beyond the surface along a ray [N].
        lost_shear_newtons: largest shear that the surface allows and the volume does not, along a ray [N].
        pull_direction, shear_direction: unit direction where most pull and shear are lost (inner) or added (outer);
            None without such an error.
        notes: on the measurements: directions without data, smoothing; and on a time limit that was reached.
    """

    side: Side
    pieces: int
    overreach_percent: float
    overreach_newtons: float
    false_adhesion_newtons: float
    loss_percent: float
    loss_newtons: float
    lost_adhesion_newtons: float
    goal_reached: bool = True
    time_limit_reached: bool = False
    false_shear_newtons: float = 0.0
    lost_shear_newtons: float = 0.0
    pull_direction: tuple[float, float, float] | None = None
    shear_direction: tuple[float, float, float] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("pull_direction", "shear_direction", "notes"):  # lists in a report that was read from a file
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else tuple(value))

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Recipe:
    """Which ready model made a volume: enough to find its default suspension, and to make it with other polygons.

    Attributes:
        model: name of the model.
        parameters: its parameters.
        factor: what its forces were multiplied by afterwards.
        share: share of the model's unit that the unscaled volume represents: 1/n for each of the n points of a pad.
        reshaped: whether it was changed afterwards in a way that parameters and factor do not describe.
    """

    model: str
    parameters: Mapping[str, Any]
    factor: float = 1.0
    share: float = 1.0
    reshaped: bool = False

    @property
    def facets(self) -> int:
        """Facets of the polygons that replace curved limits; 0 where there are none, or where they cannot be changed.

        With facets the parameters also have a `side`.
        """
        return 0 if self.reshaped else self.parameters.get("facets", 0)


#: Most pieces for an exact volume of their union, which needs all overlaps of pieces.
MOST_PIECES_FOR_VOLUME = 14


@with_advice(vertices="give pieces=[vertices]")
class ForceVolume:
    """A union of convex polyhedra of admissible contact forces [N] in the contact frame; immutable.

    Attributes:
        pieces: one (m, 3) vertex array per piece; a piece is the convex hull of its vertices.
        rays: one (n, 3) array per piece (n may be 0) of directions in which that piece has no limit.
        report: how this volume approximates the surface it was made from, or None.
        recipe: of a ready model, and of its scaled and stretched copies and hulls: which model made it; else None.

    Two contacts that share one ForceVolume object share its matrices in the solvers.
    """

    def __init__(
        self,
        pieces: Sequence[ArrayLike],
        rays: Sequence[ArrayLike | None] | None = None,
        *,
        allow_flat: bool = False,
        report: DecompositionReport | None = None,
    ) -> None:
        if isinstance(pieces, np.ndarray) and pieces.ndim == 2:
            raise InputError("is one array", where="pieces", fix="give a list of pieces: ForceVolume([vertices])")
        if isinstance(pieces, (str, bytes)) or not _entries(pieces):
            raise InputError("is empty or not a list", where="pieces", fix="give a list of (m, 3) vertex arrays")
        if rays is None:
            rays = [None] * len(pieces)
        given = _entries(rays)
        if given != len(pieces):
            raise InputError(
                f"has {given} entries for {len(pieces)} pieces", where="rays", fix="give one array or None per piece"
            )
        self.polytopes: tuple[Polytope, ...] = tuple(
            _checked_piece(index, vertices, piece_rays, allow_flat)
            for index, (vertices, piece_rays) in enumerate(zip(pieces, rays, strict=True))
        )
        if report is not None:
            checks.instance("report", report, DecompositionReport, fix="give a DecompositionReport, or None")
        self.report = report
        self.recipe: Recipe | None = None
        self._hulls: dict[tuple[int, ...], Polytope] = {}

    def __repr__(self) -> str:
        sizes = ", ".join(str(len(p)) for p in self.pieces)
        return f"ForceVolume({len(self)} pieces of {sizes} vertices, up to {self.size:.4g} N)"

    def __len__(self) -> int:
        return len(self.polytopes)

    @property
    def pieces(self) -> tuple[Array, ...]:
        """One (m, 3) vertex array [N] per piece."""
        return tuple(p.vertices for p in self.polytopes)

    @property
    def rays(self) -> tuple[Array, ...]:
        """One (n, 3) array per piece of the directions without a limit."""
        return tuple(p.rays for p in self.polytopes)

    @cached_property
    def size(self) -> float:
        """Largest coordinate magnitude over all pieces [N]; what tolerances are relative to."""
        return max(p.size for p in self.polytopes)

    @property
    def is_bounded(self) -> bool:
        """Whether no piece has rays."""
        return all(p.is_bounded for p in self.polytopes)

    @cached_property
    def is_star_shaped(self) -> bool:
        """Whether every piece contains the zero force, so that a smaller force of the same direction is allowed."""
        return all(bool(p.contains(np.zeros(3))) for p in self.polytopes)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the geometry: equal volumes have equal fingerprints, in every process."""
        digest = hashlib.sha256()
        for polytope in self.polytopes:
            for part in (polytope.vertices, polytope.rays):
                digest.update(f"{part.shape};".encode())
                digest.update(np.ascontiguousarray(part + 0.0).tobytes())
        return digest.hexdigest()[:16]

    # -- membership -----------------------------------------------------------------------------

    def _select(self, pieces: Sequence[int] | None) -> tuple[Polytope, ...]:
        return self.polytopes if pieces is None else tuple(self.polytopes[i] for i in self._checked("pieces", pieces))

    def _checked(self, name: str, pieces: Sequence[int]) -> tuple[int, ...]:
        """Numbers of pieces, ascending and each once."""
        key = tuple(sorted(set(pieces)))
        if not key or key[0] < 0 or key[-1] >= len(self):
            raise InputError(f"names pieces {list(key)}", where=name, fix=f"name some of 0 to {len(self) - 1}")
        return key

    def signed_distance(self, forces: ArrayLike) -> Array:
        """Distance [N] of forces (..., 3) to the union; negative inside.

        Outside it is exact. Inside it is minus the depth in the deepest single piece, which never
        exceeds the distance to the border of the union.
        """
        f = _forces(forces)
        return np.min([p.signed_distance(f) for p in self.polytopes], axis=0)

    @with_advice()
    def contains(self, forces: ArrayLike, tolerance: float = tolerances.MEMBERSHIP) -> Array:
        """Whether forces (..., 3) are admissible, to `tolerance` times the size of the volume."""
        return self.signed_distance(forces) <= tolerance * self.size

    def piece_of(self, forces: ArrayLike) -> Array:
        """Index of the piece each of the forces (..., 3) lies deepest in, or is nearest to."""
        f = _forces(forces)
        return np.argmin([p.signed_distance(f) for p in self.polytopes], axis=0)

    def nearest(self, forces: ArrayLike) -> Array:
        """The admissible force nearest to each of the forces (..., 3); admissible ones stay."""
        f = _forces(forces)
        candidates = np.stack([p.nearest(f) for p in self.polytopes])  # (c, ..., 3)
        best = np.argmin(np.linalg.norm(candidates - f, axis=-1), axis=0)
        return np.take_along_axis(candidates, best[None, ..., None], axis=0)[0]

    # -- supports and extents -------------------------------------------------------------------

    @with_advice()
    def support(self, directions: ArrayLike, pieces: Sequence[int] | None = None) -> Array:
        """h(d) = max of d . f over the union (or over some pieces), for directions (..., 3)."""
        d = _forces(directions)
        return np.max([p.support(d) for p in self._select(pieces)], axis=0)

    def support_points(self, directions: ArrayLike) -> Array:
        """A vertex (..., 3) that attains the support of the bounded part."""
        d = _forces(directions)
        points = np.stack([p.support_points(d) for p in self.polytopes])
        best = np.argmax((points * d).sum(axis=-1), axis=0)
        return np.take_along_axis(points, best[None, ..., None], axis=0)[0]

    def radial(self, directions: ArrayLike) -> Array:
        """Largest t >= 0 with t d admissible, for directions (..., 3): the limit force for unit d."""
        d = _forces(directions)
        return np.max([p.radial(d) for p in self.polytopes], axis=0)

    # -- measure --------------------------------------------------------------------------------

    @cached_property
    def _measure(self) -> tuple[float, Array]:
        """(volume, first moment) of the union by inclusion and exclusion over overlapping pieces."""
        if len(self) > MOST_PIECES_FOR_VOLUME:
            raise GeometryError(
                f"the volume of a union of {len(self)} pieces is too costly",
                where="force volume",
                fix=f"merge it to at most {MOST_PIECES_FOR_VOLUME} pieces",
            )
        return UnionMeasure(self.polytopes).measure(range(len(self)))

    @property
    def volume(self) -> float:
        """Exact volume of the union [N^3]; inf with rays."""
        return self._measure[0] if self.is_bounded else math.inf

    @property
    def centroid(self) -> Array:
        """(3,) exact centroid of a bounded union [N]; the mean of the pieces' centroids when all are flat."""
        if not self.is_bounded:
            raise GeometryError("an unbounded volume has no centroid", where="force volume", fix="cap it: capped(...)")
        volume, moment = self._measure
        return moment / volume if volume > 0.0 else np.mean([p.centroid for p in self.polytopes], axis=0)

    # -- new volumes ----------------------------------------------------------------------------

    @staticmethod
    def from_polytopes(polytopes: Sequence[Polytope], report: DecompositionReport | None = None) -> ForceVolume:
        """A volume of ready polytopes in R^3, flat ones included."""
        return ForceVolume([p.vertices for p in polytopes], [p.rays for p in polytopes], allow_flat=True, report=report)

    @with_advice()
    def scaled(self, factor: float) -> ForceVolume:
        """Every force multiplied by `factor` > 0: a stronger unit, or its share of a patch."""
        factor = checks.positive("factor", factor)
        made = ForceVolume.from_polytopes([p.scaled(factor) for p in self.polytopes])
        if self.recipe is not None:
            made.recipe = replace(self.recipe, factor=factor * self.recipe.factor)
        return made

    @with_advice()
    def stretched(self, shear: float, normal: float = 1.0) -> ForceVolume:
        """Shear components multiplied by `shear` > 0, normal ones by `normal` > 0; a Coulomb cone's mu by shear."""
        axes = np.array([checks.positive("shear", shear)] * 2 + [checks.positive("normal", normal)])
        made = ForceVolume.from_polytopes([Polytope(p.vertices * axes, p.rays * axes) for p in self.polytopes])
        return made.made_of(self)

    @with_advice()
    def made_of(self, other: ForceVolume) -> ForceVolume:
        """This volume, a changed form of `other`: it keeps the model, and with it the default suspension."""
        if other.recipe is not None:
            self.recipe = replace(other.recipe, reshaped=True)
        return self

    def rotated(self, matrix: ArrayLike) -> ForceVolume:
        """The volume turned by a rotation (3, 3)."""
        turn = rotation("matrix", matrix)
        return ForceVolume.from_polytopes([p.rotated(turn) for p in self.polytopes])

    @with_advice()
    def union(self, other: ForceVolume) -> ForceVolume:
        """All forces that this or the other volume allows."""
        checks.instance("other", other, ForceVolume, fix="give a ForceVolume")
        return ForceVolume.from_polytopes([*self.polytopes, *other.polytopes])

    @with_advice()
    def capped(self, normal: ArrayLike, limit: float) -> ForceVolume:
        """The forces with normal . f <= limit [N]; an error when nothing is left."""
        kept = [part for p in self.polytopes if (part := p.clipped(normal, limit)) is not None]
        if not kept:
            raise GeometryError("nothing is left of the volume", where="limit", fix="give a larger limit")
        return ForceVolume.from_polytopes(kept)

    # -- bounding hulls (III.F.a) ---------------------------------------------------------------

    @with_advice()
    def hull(self, subset: Sequence[int] | None = None) -> Polytope:
        """Convex hull of some pieces (all by default); an outer approximation of their union."""
        key = tuple(range(len(self))) if subset is None else self._checked("subset", subset)
        if key not in self._hulls:
            parts = [self.polytopes[i] for i in key]
            self._hulls[key] = parts[0] if len(parts) == 1 else hull_of(parts)
        return self._hulls[key]

    def hulls(self) -> dict[tuple[int, ...], Polytope]:
        """The convex hull of every non-empty subset of pieces."""
        sizes = range(1, len(self) + 1)
        return {key: self.hull(key) for n in sizes for key in itertools.combinations(range(len(self)), n)}

    def hierarchy(self) -> Node:
        """Binary tree of hulls over the pieces, merged by least excess volume; the root bounds the union."""
        return build_hierarchy(self.polytopes)


def _entries(value: Any) -> int:
    """Number of entries of a list; 0 for anything else."""
    return len(value) if isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim) else 0


def _forces(value: ArrayLike) -> Array:
    """`value` as a float array (..., 3)."""
    return checks.rows("forces", value, 3)


def _checked_piece(index: int, vertices: ArrayLike, rays: ArrayLike | None, allow_flat: bool) -> Polytope:
    """One piece as a polytope, or the error that says what is wrong with it."""
    where = f"pieces[{index}]"
    points = checks.array(where, vertices, ("m", 3))
    if not len(points):
        raise GeometryError("has no vertices", where=where, fix="give at least four points, or leave the piece out")
    unbounded = (
        None
        if rays is None or 0 in checks.shape(f"rays[{index}]", rays)
        else checks.array(f"rays[{index}]", rays, ("n", 3))
    )
    largest = float(np.abs(points).max())
    if largest > tolerances.LARGEST_FORCE or 0.0 < largest < tolerances.SMALLEST_FORCE:
        raise UnitError(
            f"has forces up to {largest:.3g} N",
            where=where,
            fix=f"forces are in newtons, between {tolerances.SMALLEST_FORCE:g} and {tolerances.LARGEST_FORCE:g}",
        )
    unique, first, counts = np.unique(points + 0.0, axis=0, return_index=True, return_counts=True)
    if len(unique) < len(points):
        row = int(first[counts > 1].min())
        again = [int(i) for i in np.nonzero((points == points[row]).all(axis=1))[0]]
        raise GeometryError(f"rows {again} are the same vertex", where=where, fix="give each vertex once")
    if unbounded is not None and not unbounded.any(axis=1).all():
        row = int(np.argmin(unbounded.any(axis=1)))
        place = f"rays[{index}][{row}]"
        raise GeometryError("is the zero vector", where=place, fix="give a direction or leave it out")
    polytope = Polytope(points, unbounded)
    if polytope.dimension < 3 and not allow_flat:
        kind = ("a point", "a line", "a plane")[polytope.dimension]
        raise GeometryError(
            f"is flat: its {len(points)} vertices lie in {kind}",
            where=where,
            fix="give a body with volume, or allow_flat=True if it is flat on purpose (a frictionless contact)",
        )
    return polytope
