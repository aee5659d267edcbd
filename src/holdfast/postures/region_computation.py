"""`support_region`: from grips, poses and a mass to the support region; bounds, and several accelerations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.loads import STANDARD_GRAVITY
from ..checks import Array
from ..errors import InputError, SolverError
from ..geometry.halfspaces import generators
from ..geometry.polytopes import Polytope
from ..grips import Grip, OuterGrip
from ..public_names import with_advice
from ..results import Result, proof, same
from ..solvers.minkowski import SumOptimum, SumStatus
from ..solvers.minkowski.slices import THIN, SliceKind, SumPolygon, SumSlicer, bounded_kind, empty_slice, slice_of
from .generation import SliceSolver, solver_of
from .hands import GripsLike, Hands, LazyGrip, PosesLike, PostureScene, checked_hands
from .region import Centring, RegionFrame, RegionProof, RegionSide, SupportRegion, Weight, stands_a_glance

if TYPE_CHECKING:
    from .region import ActiveConstraint


@dataclass(frozen=True, eq=False, repr=False)
class SupportRegionBounds(Result):
    """An inner and an outer support region of one posture; the truth lies between them.

    Attributes:
        inner: centres of mass that are guaranteed to hold.
        outer: outside of it, no centre of mass holds.
    """

    inner: SupportRegion
    outer: SupportRegion

    def __repr__(self) -> str:
        return f"SupportRegionBounds(inner={self.inner!r}, outer={self.outer!r})"

    @property
    def frame(self) -> RegionFrame:
        """Coordinates of both."""
        return self.outer.frame

    @property
    def gap(self) -> float:
        """Area [m^2] of the outer region outside the inner one; inf if the outer one is unbounded."""
        return self.outer.area - self.inner.area if np.isfinite(self.outer.area) else np.inf

    def certainty(self, com: ArrayLike) -> str | Array:
        """One of "certainly", "certainly not" and "uncertain" for each centre of mass (..., 3) or (..., 2)."""
        return _certainty(self, com)

    def to_dict(self) -> dict[str, Any]:
        """Both regions as plain data."""
        return {"inner": self.inner.to_dict(), "outer": self.outer.to_dict()}

    @proof
    def verify(self) -> bool:
        """Whether both regions are proven as inner and outer bounds, and the inner is in the outer."""
        inner, outer = self.inner, self.outer
        if inner.side == "outer" or outer.side == "inner" or not same(inner.weight, outer.weight):
            return False
        if outer.is_empty:
            return inner.is_empty and outer.verify()
        inside = bool(outer.contains(inner.vertices, tolerance=1e-7).all()) if len(inner.vertices) else True
        return inside and inner.verify() and outer.verify()


# SupportVolume: centres of mass that hold under several accelerations, an intersection of prisms in space.


@dataclass(frozen=True, eq=False, repr=False)
class SupportVolume(Result):
    """Centres of mass in the world [m] for which the hands hold the body under each of several accelerations.

    For one acceleration they are a prism along it: its support region, at any height. The volume is the intersection of
    the prisms. It is unbounded along accelerations that are all parallel, and where the regions are unbounded.

    Attributes:
        regions: the support region of each acceleration, exact with their proofs, or all inner, or all outer.
    """

    regions: tuple[SupportRegion, ...]

    def __repr__(self) -> str:
        return f"SupportVolume({self.kind}, {len(self.regions)} accelerations)"

    @property
    def kind(self) -> str:
        """One of "empty", "space" (no limit at all), "unbounded", "body" (bounded), "flat" (bounded, no volume)."""
        if self.is_empty:
            return "empty"
        if not len(self.halfspaces[0]):
            return "space"
        body = self.polytope
        if body is None or not body.is_bounded:
            return "unbounded"
        return "body" if body.dimension == 3 else "flat"

    @cached_property
    def size(self) -> float:
        """[m] reference of tolerances."""
        return max(region.size for region in self.regions)

    @cached_property
    def halfspaces(self) -> tuple[Array, Array]:
        """(normals (h, 3), offsets (h,)) in the world: the volume is normals @ c <= offsets, if no region is empty."""
        normals = [region.normals @ region.frame.axes for region in self.regions]
        offsets = [r.offsets + n @ r.frame.origin for r, n in zip(self.regions, normals, strict=True)]
        return np.concatenate(normals), np.concatenate(offsets)

    @cached_property
    def polytope(self) -> Polytope | None:
        """The volume by its corners and rays; None when it is empty."""
        if any(region.is_empty for region in self.regions):
            return None
        normals, offsets = self.halfspaces
        about = self.regions[0].centring.centre
        found = generators(normals, offsets - normals @ about, size=self.size).polytope()
        return None if found is None else found.translated(about)

    @property
    def is_empty(self) -> bool:
        """Whether no centre of mass holds under all accelerations."""
        return self.polytope is None

    @property
    def vertices(self) -> Array:
        """(n, 3) [m] corners; (0, 3) when empty. A volume that contains a line has none: points on its edges."""
        return np.zeros((0, 3)) if self.polytope is None else self.polytope.vertices

    @property
    def rays(self) -> Array:
        """(m, 3) directions without limit."""
        return np.zeros((0, 3)) if self.polytope is None else self.polytope.rays

    @property
    def volume(self) -> float:
        """[m^3]; 0 when empty or flat, inf when unbounded."""
        return 0.0 if self.polytope is None else self.polytope.volume

    def signed_distance(self, com: ArrayLike) -> Array:
        """Distance [m] of centres of mass (..., 3) of the world to the border, positive inside; -inf when empty."""
        c = checks.rows("com", com, 3)
        if self.polytope is None:
            return np.full(c.shape[:-1], -np.inf)[()]
        normals, offsets = self.halfspaces
        if not len(normals):
            return np.full(c.shape[:-1], np.inf)[()]
        slack = (offsets - c @ normals.T).min(axis=-1)
        outside = slack < 0.0
        if np.any(outside):
            away = np.linalg.norm(c - self.polytope.nearest(c), axis=-1)
            slack = np.where(outside, -away, slack)
        return slack[()]

    def contains(self, com: ArrayLike, *, tolerance: float = tolerances.MEMBERSHIP) -> Array:
        """Whether centres of mass (..., 3) hold under every acceleration, to `tolerance` times the regions' extents."""
        c = checks.rows("com", com, 3)
        return np.all([region.contains(c, tolerance=tolerance) for region in self.regions], axis=0)[()]

    def active(self, com: ArrayLike) -> tuple[int, ActiveConstraint] | None:
        """(acceleration, constraint): nearest or most violated edge of a centre of mass (3,); None without limits."""
        c = checks.vector("com", com, 3)
        found = [(i, region.active(c)) for i, region in enumerate(self.regions)]
        limits = [(i, constraint) for i, constraint in found if constraint is not None]
        return min(limits, key=lambda pair: pair[1].slack, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Shape and proof as plain data; world coordinates [m]."""
        return {
            "kind": self.kind,
            "volume": self.volume,
            "vertices": self.vertices.tolist(),
            "rays": self.rays.tolist(),
            "proof_verified": self.verify(),
        }

    @proof
    def verify(self) -> bool:
        """Whether the regions of all accelerations are proven, and the corners lie within all half-spaces."""
        first, sides = self.regions[0], {region.side for region in self.regions} - {"exact"}
        if len(sides) > 1 or not all(region.verify() for region in self.regions):
            return False
        if not all(region.hands.is_same(first.hands) and region.mass == first.mass for region in self.regions):
            return False
        normals, offsets = self.halfspaces
        if self.polytope is None or not len(normals):
            return True
        beyond = (self.vertices @ normals.T - offsets).max(initial=0.0)
        climbing = (self.rays @ normals.T).max(initial=0.0) if len(self.rays) else 0.0
        return bool(beyond <= 1e-7 * self.size and climbing <= 1e-7)


@dataclass(frozen=True, eq=False)
class SupportVolumeBounds(Result):
    """An inner and an outer volume of one posture under several accelerations.

    Attributes:
        inner: centres of mass that are guaranteed to hold.
        outer: outside of it, none holds.
    """

    inner: SupportVolume
    outer: SupportVolume

    def certainty(self, com: ArrayLike) -> str | Array:
        """One of "certainly", "certainly not" and "uncertain" for each centre of mass (..., 3)."""
        return _certainty(self, com)

    def to_dict(self) -> dict[str, Any]:
        """Both volumes as plain data."""
        return {"inner": self.inner.to_dict(), "outer": self.outer.to_dict()}

    @proof
    def verify(self) -> bool:
        """Whether both volumes are proven, and made of bounds under the same accelerations."""
        pairs = zip(self.inner.regions, self.outer.regions, strict=True)
        bounds = all(SupportRegionBounds(inner, outer).verify() for inner, outer in pairs)
        return bounds and self.inner.verify() and self.outer.verify()


def _certainty(bounds: SupportRegionBounds | SupportVolumeBounds, com: ArrayLike) -> str | Array:
    """Verdict of inner and outer bounds for centres of mass; a single text for a single one."""
    holds, may = bounds.inner.contains(com), bounds.outer.contains(com)
    words = np.where(holds, "certainly", np.where(may, "uncertain", "certainly not"))
    return str(words) if words.ndim == 0 else words


# The paper's method for a support region: extreme points along n directions, and their hull (V.C).


@dataclass(frozen=True)
class Sampling:
    """The method of the paper: (23) along `n` directions, evenly spread.

    The hull of the points lies inside the region, the half-planes through them contain it.

    Attributes:
        n: number of directions, at least 3.
    """

    n: int = 32

    def __post_init__(self) -> None:
        checks.count("n", self.n, low=3)

    @property
    def directions(self) -> Array:
        """(n, 2) unit vectors in the region's coordinates, counter-clockwise from its first axis."""
        angles = 2.0 * np.pi * np.arange(self.n) / self.n
        return np.column_stack([np.cos(angles), np.sin(angles)])


def sampled(
    slicer: SumSlicer, base: Array, axes: Array, method: Sampling, *, size: float
) -> tuple[SumPolygon, SumPolygon]:
    """(inner, outer) slices, one program per direction: the hull of the optima, and the half-planes through them."""
    directions = method.directions
    found = [slicer.maximise(base, axes, d) for d in directions]
    empty = [f for f in found if f.status == SumStatus.EMPTY]
    if empty:
        nothing = empty_slice(empty[0].multipliers, len(found), size)
        return nothing, nothing
    if any(f.status not in (SumStatus.OPTIMAL, SumStatus.UNBOUNDED) for f in found):
        raise SolverError("a direction was not decided", where="support region", fix="leave out method")
    size = max([size, *(float(np.abs(f.z).max()) for f in found)])
    rays = np.array([f.ray / np.hypot(*f.ray) for f in found if f.status == SumStatus.UNBOUNDED]).reshape(-1, 2)
    return _hull_of(found, rays, size), _planes_of(directions, found, size)


def _hull_of(found: list[SumOptimum], rays: Array, size: float) -> SumPolygon:
    """conv of the optima + cone of the rays, as a slice without multipliers, refined by its own supports."""
    from ..solvers.minkowski.slices import refined

    points, nan = np.array([f.z for f in found]), np.full(6, np.nan)
    kind, _ = bounded_kind(points, size)
    if kind is SliceKind.POLYGON and not len(rays):
        from scipy.spatial import ConvexHull

        order = ConvexHull(points).vertices
        steps = np.roll(points[order], -1, axis=0) - points[order]
        normals = np.column_stack([steps[:, 1], -steps[:, 0]]) / np.hypot(steps[:, 0], steps[:, 1])[:, None]
        offsets, unproven = (normals @ points[order].T).max(axis=1), np.full((len(normals), 6), np.nan)
        return slice_of(kind, [found[int(i)] for i in order], rays, normals, offsets, unproven, len(found), size)

    class Generated:
        """Supports of conv(points) + cone(rays) in the plane."""

        def maximise(self, base: Array, axes: Array, objective: Array) -> SumOptimum:
            del base, axes
            slopes = rays @ objective
            best = int((points @ objective).argmax())
            f, value = found[best], float(points[best] @ objective)
            if slopes.max(initial=0.0) > tolerances.RAY_SLOPE:
                ray = rays[int(slopes.argmax())]
                return SumOptimum(SumStatus.UNBOUNDED, f.z, value, np.inf, f.weights, f.wrenches, nan, ray)
            return SumOptimum(SumStatus.OPTIMAL, f.z, value, value, f.weights, f.wrenches, nan, np.zeros(2))

    hull = refined(Generated(), np.zeros(6), np.zeros((2, 6)), size=size)
    return replace(hull, solves=len(found))


def _planes_of(directions: Array, found: list[SumOptimum], size: float) -> SumPolygon:
    """The half-planes of all bounded directions: neighbours meet in corners; a gap of half a turn gives rays."""
    kept = [i for i, f in enumerate(found) if f.status == SumStatus.OPTIMAL]
    normals = directions[kept].reshape(-1, 2)
    offsets = np.array([found[i].upper_bound for i in kept])
    multipliers = np.array([found[i].multipliers for i in kept]).reshape(-1, 6)
    solves, hands = len(found), found[0].wrenches.shape

    def outer(kind: SliceKind, corners: Array, rays: Array) -> SumPolygon:
        unknown = np.full((len(corners), *hands), np.nan)
        return SumPolygon(
            kind, corners, rays, normals, offsets, multipliers, unknown, [()] * len(corners), None, solves, size
        )

    if not kept:
        rays = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
        return slice_of(SliceKind.PLANE, found[:1], rays, normals, offsets, multipliers, solves, size)
    angles = np.arctan2(normals[:, 1], normals[:, 0])
    gaps = np.mod(np.roll(angles, -1) - angles, 2.0 * np.pi) if len(kept) > 1 else np.array([2.0 * np.pi])
    widest = int(gaps.argmax())
    if gaps[widest] < np.pi - THIN:
        corners = _meeting(normals, offsets, np.roll(normals, -1, axis=0), np.roll(offsets, -1))
        corners = np.roll(corners, 1, axis=0)  # edge i leads from corner i to the next
        kind, _ = bounded_kind(corners, size)
        if kind is not SliceKind.POLYGON:
            corners = corners[:1] if kind is SliceKind.POINT else _ends(corners)
        return outer(kind, corners, np.zeros((0, 2)))
    order = np.roll(np.arange(len(kept)), -(widest + 1))
    normals, offsets, multipliers = normals[order], offsets[order], multipliers[order]
    if len(kept) == 2 and np.hypot(*(normals[0] + normals[1])) <= THIN:
        along = np.array([-normals[0, 1], normals[0, 0]])
        corners, rays = normals * offsets[:, None], np.array([along, -along])
    elif len(kept) == 1:
        along = np.array([-normals[0, 1], normals[0, 0]])
        corners, rays = normals * offsets[:, None], np.array([along, -along, -normals[0]])
    else:
        corners = _meeting(normals[:-1], offsets[:-1], normals[1:], offsets[1:])
        rays = np.array([[normals[0, 1], -normals[0, 0]], [-normals[-1, 1], normals[-1, 0]]])
        rays = rays[:1] if np.hypot(*(rays[0] - rays[1])) <= THIN else rays
    return outer(SliceKind.UNBOUNDED, corners, rays)


def _meeting(normals: Array, offsets: Array, others: Array, levels: Array) -> Array:
    """(n, 2) points where lines normals . z = offsets meet their neighbours others . z = levels."""
    return np.linalg.solve(np.stack([normals, others], axis=1), np.stack([offsets, levels], axis=1)[..., None])[..., 0]


def _ends(points: Array) -> Array:
    """The two points (2, 2) farthest apart along the longest extent."""
    _, way = bounded_kind(points, 0.0)
    return points[[int((points @ way).argmin()), int((points @ way).argmax())]]


# support_region: from grips, poses and a mass to the support region.

#: Result types of `support_region`.
AnyRegion = SupportRegion | SupportRegionBounds | SupportVolume | SupportVolumeBounds


@dataclass(frozen=True)
class ParametricSimplex:
    """The default: the exact region, by the parametric simplex where all hands have vertices, else by refinement."""


@dataclass(frozen=True)
class EdgeRefinement:
    """The exact region by one program for every edge and every corner, for hands of any kind; slower."""


#: How a region is computed; None for the default, `ParametricSimplex()`.
RegionMethod = ParametricSimplex | EdgeRefinement | Sampling | None


@overload
def support_region(
    grips: PostureScene,
    *,
    wrench: ArrayLike | None = ...,
    method: RegionMethod = ...,
    length: float | None = ...,
) -> SupportRegion | SupportRegionBounds: ...


@overload
def support_region(
    grips: Grip | OuterGrip | LazyGrip | Iterable[Grip | OuterGrip | LazyGrip],
    poses: PosesLike,
    mass: float,
    gravity: Sequence[float] | Array = ...,
    *,
    wrench: ArrayLike | None = ...,
    method: ParametricSimplex | EdgeRefinement | None = ...,
    length: float | None = ...,
) -> SupportRegion: ...


@overload
def support_region(
    grips: GripsLike,
    poses: PosesLike,
    mass: float,
    gravity: Sequence[float] | Array = ...,
    *,
    wrench: ArrayLike | None = ...,
    method: Sampling,
    length: float | None = ...,
) -> SupportRegionBounds: ...


@overload
def support_region(
    grips: GripsLike,
    poses: PosesLike,
    mass: float,
    gravity: Sequence[float] | Array = ...,
    *,
    wrench: ArrayLike | None = ...,
    method: RegionMethod = ...,
    length: float | None = ...,
) -> SupportRegion | SupportRegionBounds: ...


@overload
def support_region(
    grips: GripsLike,
    poses: PosesLike,
    mass: float,
    gravity: ArrayLike | Iterable[ArrayLike] = ...,
    *,
    wrench: ArrayLike | None = ...,
    method: RegionMethod = ...,
    length: float | None = ...,
) -> AnyRegion: ...


@with_advice(load="give wrench")
def support_region(
    grips: GripsLike | PostureScene,
    poses: PosesLike | None = None,
    mass: float | None = None,
    gravity: ArrayLike | Iterable[ArrayLike] | None = None,
    *,
    wrench: ArrayLike | None = None,
    method: RegionMethod = None,
    length: float | None = None,
) -> AnyRegion:
    """The support region: centres of mass for which the hands hold the body (21); exact, with proof.

    Args:
        grips: one for all hands or one per hand. `Grip` and `OuterGrip` are used as given; with a
            `GripBounds` the result is two regions, of all inner and of all outer sets (V.D). Lazy hands
            (`LazyGrip`) give the exact region if their volumes are convex, else an outer one. Or a
            `PostureScene`, which has grips, poses, mass and gravity.
        poses: palm to world, one per hand: `Pose`, (R, t) or a (4, 4) matrix.
        mass: [kg] of the whole body.
        gravity: (3,) [m/s^2] in the world; standard gravity along -z by default. Several rows (m, 3), such as gravity
            minus each acceleration the body may have, give the centres of mass that hold under every one: a region in
            space. This includes a list of one row: the result is the prism above and below its region.
        wrench: (6,) load on the body in addition to its weight, such as the pull of a tool, for any centre of mass:
            force [N] and torque [N m] about the world origin; nothing by default.
        method: None for the exact region; `Sampling(n)` for the paper's points along n directions (23), which gives an
            inner and an outer region.
        length: [m] by which torques are divided to compare them with forces; from the palms and grips by default.

    Returns:
        `SupportRegion`; `SupportRegionBounds` with a `GripBounds` or `Sampling`; for rows of accelerations
        `SupportVolume` or `SupportVolumeBounds`.
    """
    if method is not None and not isinstance(method, (ParametricSimplex, EdgeRefinement, Sampling)):
        raise InputError(
            f"is a {type(method).__name__}",
            where="method",
            fix="give None, ParametricSimplex(), EdgeRefinement() or Sampling(n)",
        )
    if isinstance(grips, PostureScene):
        gravity, mass = grips.gravity if gravity is None else gravity, grips.mass if mass is None else mass
        grips, poses = grips.grips, grips.poses if poses is None else poses
    if poses is None or mass is None:
        missing = "poses" if poses is None else "mass"
        raise InputError(
            "is missing", where=missing, fix="give grips, poses and mass, or a posture: holdfast.load(path)"
        )
    accelerations, several = _accelerations((0.0, 0.0, -STANDARD_GRAVITY) if gravity is None else gravity)
    hands = checked_hands(grips, poses, gravity=None if several else accelerations[0], length=length)
    weights = [Weight.of(mass, g, wrench) for g in accelerations]
    found = [_one(hands, weight, method) for weight in weights]
    if not several:
        return found[0]
    if isinstance(found[0], SupportRegionBounds):
        bounds = [f for f in found if isinstance(f, SupportRegionBounds)]
        inner, outer = tuple(f.inner for f in bounds), tuple(f.outer for f in bounds)
        return SupportVolumeBounds(SupportVolume(inner), SupportVolume(outer))
    return SupportVolume(tuple(f for f in found if isinstance(f, SupportRegion)))


def _accelerations(gravity: Any) -> tuple[list[Array], bool]:
    """(gravities (3,), whether there are several); one row in a list of rows counts as several."""
    given = gravity if isinstance(gravity, np.ndarray) else list(gravity) if np.iterable(gravity) else gravity
    if len(checks.shape("gravity", given)) < 2:
        return [checks.vector("gravity", given, 3)], False
    rows = checks.array("gravity", given, ("m", 3))
    if not len(rows):
        raise InputError("is empty", where="gravity", fix="give at least one acceleration")
    return list(rows), True


def _one(hands: Hands, weight: Weight, method: RegionMethod) -> SupportRegion | SupportRegionBounds:
    """The region, or its bounds, under one gravity."""
    if hands.has_bounds:
        inner, outer = hands.sided("inner"), hands.sided("outer")
        if isinstance(method, Sampling):
            return SupportRegionBounds(_sampled(inner, weight, method).inner, _sampled(outer, weight, method).outer)
        return SupportRegionBounds(_exact(inner, weight, method), _exact(outer, weight, method))
    return _sampled(hands, weight, method) if isinstance(method, Sampling) else _exact(hands, weight, method)


def _exact(hands: Hands, weight: Weight, method: RegionMethod) -> SupportRegion:
    from ..solvers.minkowski import SumSolver
    from ..solvers.minkowski.parametric import parametric_slice
    from ..solvers.minkowski.slices import refined

    centring = Centring(hands)
    slicer = slicer_of(centring)
    base, axes = weight.wanted(centring.centre)
    if not isinstance(method, EdgeRefinement) and isinstance(slicer, SumSolver):
        found = parametric_slice(slicer, base, axes, size=hands.length)
        walked = None if found is None else _region(centring, weight, found, "exact", "parametric simplex")
        if walked is not None and stands_a_glance(walked):
            return walked
    convex = all(grip.is_convex for grip in hands.grips if isinstance(grip, LazyGrip))
    found = refined(slicer, base, axes, size=hands.length)
    return _region(centring, weight, found, "exact" if convex else "outer", "refinement")


def _sampled(hands: Hands, weight: Weight, method: Sampling) -> SupportRegionBounds:
    centring = Centring(hands)
    base, axes = weight.wanted(centring.centre)
    inner, outer = sampled(slicer_of(centring), base, axes, method, size=hands.length)
    name = f"sampling, {method.n} directions"
    return SupportRegionBounds(
        _region(centring, weight, inner, "inner", name), _region(centring, weight, outer, "outer", name)
    )


def slicer_of(centring: Centring) -> SliceSolver:
    """A solver of programs over the sum of all hands, torques about the hands' centre."""
    return solver_of(centring.hands, centring.maps)


def _region(centring: Centring, weight: Weight, found: SumPolygon, side: RegionSide, method: str) -> SupportRegion:
    """A slice about the hands' centre as a region of the world."""
    about = weight.frame.coordinates(centring.centre)
    separator = None if found.separator is None else centring.to_world(found.separator)
    proof = RegionProof(found.wrenches, found.weights, centring.to_world(found.multipliers), separator)
    offsets = found.offsets + found.normals @ about
    return SupportRegion(
        found.kind,
        found.vertices + about,
        found.rays,
        found.normals,
        offsets,
        side,
        weight,
        centring.hands,
        proof,
        method,
        found.solves,
        found.size,
    )
