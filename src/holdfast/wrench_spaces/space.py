"""Wrench spaces as limit surfaces over rays, their slices and volumes, and the check of their proofs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array, BoolArray, IntArray, Side
from ..errors import GeometryError, InputError
from ..geometry.directions import SphereMesh
from ..geometry.halfspaces import generators
from ..public_names import with_advice
from ..results import PARTS, Result, proof
from ..solvers import Status
from ..statics.holding import LoadLimit, balance_residuals, equilibrium, load_limit, shares_piece
from ..statics.solver import Solver
from .subspace import Rays, Subspace

if TYPE_CHECKING:
    from pathlib import Path

    from ..solvers import Exact
    from .computation import Difference, Extents
    from .membership import Membership


def held_by(assembly: Assembly, side: Side) -> Assembly:
    """The assembly whose limits are computed: itself (inner), or with convex hulls as volumes (outer)."""
    checked_assembly(assembly)
    return assembly.hulled() if checks.side(side) == "outer" else assembly


@dataclass(frozen=True, eq=False)
class WrenchSpace(Result):
    """The external wrenches that are held, as a limit surface over rays (6); k contacts, n rays, r joint rows.

    Along every ray the value is exact to the method's gap: `points` are held (inner), and nothing beyond
    `upper_bounds` on the ray is. Each plane bounds the whole space (outer), not only its ray. Between the rays the
    surface is not known exactly: triangles are an estimate, except where all volumes are convex (then they are inner).

    Attributes:
        rays: the directions, with their subspace and triangles.
        values: (n,) the largest multiple of each direction that was found to hold; inf where there is no limit, -inf
            where no multiple holds at all. Negative where only the opposite load is held, as joint gravity can require.
        upper_bounds: (n,) no larger multiple is possible.
        status: (n,) of Status: OPTIMAL, UNBOUNDED, DOES_NOT_HOLD, UNDECIDED.
        normals: (n, 6) outward normals of outer half-spaces; nan where none is known.
        offsets: (n,) with normals[i] . w <= offsets[i] for EVERY wrench w of the space, torques about the world origin.
        joint_multipliers: (n, r) multipliers over the joint rows that prove the half-spaces; or None.
        forces: (n, k, 3) world forces on the object [N] that hold `points`, nan where there are none; or None.
        pieces: (n, k) the piece each force lies in, -1 where there is none; or None.
        side: "inner" for the contacts' volumes as they are, unions of pieces; "outer" for their convex hulls.
        model_hash: `fingerprint` of its assembly.
        length: characteristic length [m] of the assembly.
        star_shaped: whether all smaller multiples of every held wrench are held, as far as that is known: zero
            forces are admissible, or the space is convex and holds the zero wrench.
        convex: whether each contact's volume is one convex piece; the space is convex then.
        assembly: its assembly, or None after loading a file without it.
        method: the solver; None for the default.
    """

    rays: Rays
    values: Array
    upper_bounds: Array
    status: Array
    normals: Array
    offsets: Array
    joint_multipliers: Array | None
    forces: Array | None
    pieces: Array | None
    side: Side
    model_hash: str
    length: float
    star_shaped: bool
    convex: bool
    assembly: Assembly | None = None
    method: Exact | None = None

    def __repr__(self) -> str:
        counts = ", ".join(f"{(self.status == s).sum()} {s}" for s in Status if (self.status == s).any())
        return f"WrenchSpace({self.rays!r}, {self.side}: {counts})"

    def __len__(self) -> int:
        return len(self.rays)

    def rows(self) -> list[dict[str, Any]]:
        """One row per ray: its direction, status, limit and upper bound, and the load that is held at the limit."""
        names = PARTS[6]
        rows = []
        for ray, (direction, point) in enumerate(zip(self.rays.directions, self.points, strict=True)):
            row: dict[str, Any] = {f"direction_{n}": float(x) for n, x in zip(names, direction, strict=True)}
            row |= {"status": str(self.status[ray]), "value": float(self.values[ray])}
            row["upper_bound"] = float(self.upper_bounds[ray])
            rows.append(row | {f"load_{n}": float(x) for n, x in zip(names, point, strict=True)})
        return rows

    @property
    def directions(self) -> Array:
        """(n, 6) the directions of the rays, as given."""
        return self.rays.directions

    @property
    def subspace(self) -> Subspace | None:
        """Where the rays lie, or None for rays anywhere in R^6."""
        return self.rays.subspace

    @property
    def triangles(self) -> Array | None:
        """(t, 3) neighbouring rays, or None."""
        return self.rays.triangles

    @cached_property
    def points(self) -> Array:
        """(n, 6) the wrenches values * directions, all held (inner); nan where the value is infinite."""
        bounded = np.where(np.isfinite(self.values), self.values, np.nan)
        return bounded[:, None] * self.directions

    @cached_property
    def coordinates(self) -> Array:
        """(n, p) `points` in the units of the subspace; nan where the value is infinite."""
        if self.subspace is None:
            raise InputError("is unknown", where="subspace", fix="compute the space over a Subspace or its rays")
        bounded = np.where(np.isfinite(self.values), self.values, np.nan)
        return bounded[:, None] * self.subspace.coordinates(self.directions)

    @cached_property
    def held_assembly(self) -> Assembly:
        """The assembly of the values: `assembly`, or on the outer side the same with hulls as volumes."""
        if self.assembly is None:
            raise InputError(
                "is unknown", where="assembly", fix="give it on loading: WrenchSpace.load(path, assembly=...)"
            )
        return held_by(self.assembly, self.side)

    @with_advice()
    def ray(self, index: int) -> LoadLimit:
        """The full load limit along one ray, with forces and certificate; computed again."""
        whole = isinstance(index, (int, np.integer)) and not isinstance(index, bool)
        if not whole or not -len(self) <= index < len(self):
            fix = f"give a whole number from 0 to {len(self) - 1}: there are {len(self)} rays"
            raise InputError(f"is {index!r}", where="index", fix=fix)
        return load_limit(self.held_assembly, self.directions[index], method=self.method)

    def faults(self) -> Faults:
        """The rays whose inner point or outer plane cannot be confirmed from the assembly."""
        return faults_of(self)

    @proof
    def verify(self) -> bool:
        """Whether all inner points are held and all planes are outer, from the assembly, without the solver.

        Rays without a limit, and those of which no multiple is held, are solved again for the proof, which is checked.
        So are upper bounds that no plane proves, where volumes are unions. Undecided rays fail.
        """
        own = self.held_assembly
        convex = all(len(contact.volume) == 1 for contact in own.contacts)
        rests = own.layout.contains_zero and own.layout.bounds_hold_zero
        star = rests or (convex and equilibrium(own, np.zeros(6), method=self.method).holds)
        facts = (None if self.assembly is None else self.assembly.fingerprint, own.length, star, convex)
        claims = (self.model_hash, self.length, self.star_shaped, self.convex)
        return facts == claims and self.faults().none

    @with_advice()
    def contains(self, wrenches: ArrayLike, *, ask: bool = True) -> Membership:
        """Which of the wrenches (n, 6), or whether one (6,), is held, each with its proof; see `Membership`.

        Planes and inner points decide what they can. The others are decided by the exact solver if the assembly is
        known and `ask` is true; otherwise they are undecided.
        """
        from .membership import membership

        return membership(self, wrenches, ask=ask)

    @with_advice()
    def estimate(self, wrenches: ArrayLike) -> Array:
        """(n,) an ESTIMATE of the largest multiple held of wrenches (n, 6) of the subspace, by interpolation.

        The triangle of rays that a wrench points into is taken as flat. An inner value where all volumes are convex;
        for unions it may be too large or too small. inf for the zero wrench and where all rays around have no limit;
        nan where a ray around holds no positive multiple. Use `load_limit` for the exact value.
        """
        loads = checks.array("wrenches", wrenches, ("n", 6))
        surface = slice_surface(self)
        gauges = surface.gauge(surface.subspace.coordinates(loads))
        with np.errstate(divide="ignore"):
            multiples = 1.0 / gauges
        return np.where(np.isinf(gauges), np.nan, multiples)

    @property
    def bend(self) -> float:
        """The largest bend of the surface between neighbouring triangles, relative to its radius (estimate)."""
        from .computation import bends

        return float(bends(self).max(initial=0.0))

    @property
    def extents(self) -> Extents:
        """Extents along the axes of the subspace, or along fx .. tz without one."""
        from .computation import extents_of

        return extents_of(self)

    @property
    def volume(self) -> float:
        """Volume inside the triangles of a three-dimensional slice, in the product of its units (estimate)."""
        return slice_volume(self)

    @property
    def volume_bounds(self) -> VolumeBounds:
        """Proven bounds of the volume of a three-dimensional slice."""
        return volume_bounds(self)

    def to_dict(self) -> dict[str, Any]:
        """Extents, volume, weakest and strongest ray of a slice, and the statuses of its rays; `holdfast space --json`.

        Rays without triangles have no surface: axes, extents and volumes are left out.
        """
        statuses = [str(status) for status in self.status]
        data: dict[str, Any] = {
            "side": self.side,
            "convex": self.convex,
            "star_shaped": self.star_shaped,
            "model_hash": self.model_hash,
            "length": self.length,
            "rays": len(self),
            "counts": {name: statuses.count(name) for name in ("optimal", "unbounded", "does not hold", "undecided")},
        }
        if self.rays.triangles is None:
            return data
        surface, bounds = slice_surface(self), volume_bounds(self)
        return {
            "axes": list(surface.subspace.labels),
            "units": list(surface.subspace.units),
            **data,
            "extents": self.extents.to_dict()["rows"],
            "volume": bounds.surface,
            "volume_inner": bounds.inner,
            "volume_outer": bounds.outer,
            "volume_unit": bounds.unit,
            "weakest": surface.ray(int(surface.radii.argmin())),
            "strongest": surface.ray(int(surface.radii.argmax())),
        }

    def difference(self, other: WrenchSpace) -> Difference:
        """The difference of this space and another along the same rays."""
        from .computation import difference

        return difference(self, other)

    def save(self, path: str | Path) -> None:
        """Write it to an HDF5 file."""
        from .files import save_space

        save_space(self, path)

    @staticmethod
    def load(path: str | Path, assembly: Assembly | None = None) -> WrenchSpace:
        """Read it from an HDF5 file; with its assembly it can be verified and solved again."""
        from .files import load_space

        return load_space(path, assembly)

    def export(self, path: str | Path, *, cap: float | None = None, newtons: bool = False, text: bool = False) -> Path:
        """Write the limit surface of a slice as a mesh (.ply, .obj); see `export_mesh`."""
        from .files import export_mesh

        return export_mesh(self, path, cap=cap, newtons=newtons, text=text)


# The surface of a wrench space in a three-dimensional slice: star-shaped about zero, flat between its rays.


@dataclass(frozen=True, eq=False)
class SliceSurface:
    """The limits of one slice as a closed surface of flat triangles.

    It goes exactly through the limits of its rays. Between them it is neither inner nor outer in general; of a convex
    wrench space it lies inside. Torques are divided by the subspace's scales, so that `units` and `radii` are in
    newtons throughout; `points` have the subspace's own units.

    Attributes:
        subspace: the three axes.
        units: (n, 3) unit directions in the scaled coordinates.
        radii: (n,) limits along them [N]: zero where nothing holds, inf where there is no limit.
        triangles: (t, 3) corners, counter-clockwise from outside.
    """

    subspace: Subspace
    units: Array
    radii: Array
    triangles: IntArray

    @property
    def is_bounded(self) -> bool:
        """Whether every ray has a limit."""
        return bool(np.isfinite(self.radii).all())

    @cached_property
    def size(self) -> float:
        """The largest finite limit [N], the reference of tolerances."""
        return float(self.radii[np.isfinite(self.radii)].max(initial=0.0))

    @cached_property
    def points(self) -> Array:
        """(n, 3) coordinates of the limits in the subspace [N, N m]; infinite along unbounded rays."""
        with np.errstate(invalid="ignore"):
            reached = np.where(self.units == 0.0, 0.0, self.units * self.radii[:, None])
        return reached * self.subspace.scales

    @cached_property
    def mesh(self) -> SphereMesh:
        """The triangulated sphere of directions, which finds the triangle of any direction."""
        return SphereMesh(self.units, self.triangles)

    def ray(self, index: int) -> dict[str, Any]:
        """One ray as plain data: its unit direction, scaled torques, and the load at its limit [N, N m]."""
        limit = float(self.radii[index])
        load = self.points[index] if np.isfinite(limit) else None
        return {"direction": self.units[index], "limit": limit, "load": load}

    def gauge(self, coordinates: ArrayLike) -> Array:
        """Fraction of the limit that coordinates (..., 3) [N, N m] use: <= 1 inside, inf where the limit is zero."""
        scaled = checks.rows("coordinates", coordinates, 3) / self.subspace.scales
        flat = scaled.reshape(-1, 3)
        result = np.zeros(len(flat))
        some = flat.any(axis=1)
        found, weights = self.mesh.locate(flat[some])
        with np.errstate(divide="ignore", invalid="ignore"):
            corners = 1.0 / self.radii[self.triangles[found]]
            result[some] = np.where(weights > 0.0, weights * corners, 0.0).sum(axis=1)
        return result.reshape(scaled.shape[:-1])

    def radial(self, coordinates: ArrayLike) -> Array:
        """The largest multiple of coordinates (..., 3) within the surface; inf without a limit, and for zero."""
        with np.errstate(divide="ignore"):
            return 1.0 / self.gauge(coordinates)

    def contains(self, coordinates: ArrayLike, *, tolerance: float = tolerances.MEMBERSHIP) -> Array:
        """Whether coordinates (..., 3) lie within the surface, with a tolerance of `tolerance` times its size."""
        given = checks.rows("coordinates", coordinates, 3)
        use = self.gauge(given)
        outside = 1.0 - 1.0 / np.maximum(use, 1.0)  # 1 where the limit is zero
        beyond = outside * np.linalg.norm(given / self.subspace.scales, axis=-1)
        return (use <= 1.0) | (beyond <= tolerance * self.size)

    def cut(self, cap: float) -> SliceSurface:
        """The same surface with every limit above `cap` [N] reduced to it; torques to `cap` times a scale."""
        return SliceSurface(self.subspace, self.units, np.minimum(self.radii, cap), self.triangles)

    def bounded(self, cap: float | None, *, purpose: str) -> SliceSurface:
        """The surface cut at `cap`, or unchanged if every ray has a limit; otherwise an error."""
        if cap is not None:
            return self.cut(checks.positive("cap", cap, unit="N"))
        if not self.is_bounded:
            count = int(np.isinf(self.radii).sum())
            raise GeometryError(
                f"{count} of {len(self.radii)} rays have no limit; {purpose} needs a bounded surface",
                where="space",
                fix="give cap= [N], at which they are cut off",
            )
        return self


def slice_surface(space: WrenchSpace) -> SliceSurface:
    """The surface of a wrench space that was sampled in three dimensions with triangles.

    A limit below zero, or none at all, counts as zero, since the surface is star-shaped about the zero wrench. For
    undecided rays the value found is used, so that the surface is inner there.
    """
    subspace, triangles = space.subspace, space.triangles
    if subspace is None or triangles is None or len(subspace.axes) != 3:
        raise InputError(
            "has no surface: its rays are not a triangulated slice",
            where="space",
            fix='sample a three-dimensional subspace: wrench_space(assembly, "fx,fy,fz")',
        )
    scaled = subspace.coordinates(space.directions) / subspace.scales
    lengths = np.linalg.norm(scaled, axis=1)
    return SliceSurface(subspace, scaled / lengths[:, None], np.maximum(space.values, 0.0) * lengths, triangles)


# Size of a slice of a wrench space: its volume, bounds on it, and plane sections.

#: If the polytope of the planes extends this many times beyond their offsets, it is unbounded up to rounding.
OPEN = 1e6


def slice_volume(space: WrenchSpace) -> float:
    """Volume inside the surface of a 3-D slice, in the product of its units (N^3, or N^2 N m); inf if unbounded.

    The surface is flat between the rays, so that the volume has the error of the sampling: see `volume_bounds`. If the
    space is not star-shaped, everything below the limits is counted, held or not.
    """
    surface = slice_surface(space)
    if not surface.is_bounded:
        return float("inf")
    return _inside(surface.points, surface.triangles)


@dataclass(frozen=True)
class VolumeBounds:
    """Bounds on the volume of a slice.

    Attributes:
        inner: volume of the convex hull of the points that were shown to hold. The slice of a convex wrench space is
            at least so large; nan where the wrench space is not convex, since a hull may then reach beyond it.
        surface: volume inside the surface through the limits, flat between the rays.
        outer: volume of the polytope within the outer planes of all rays. No slice is larger, convex or not; inf when
            the planes do not close, for example with a narrow peak between the rays.
        unit: their unit.
    """

    inner: float
    surface: float
    outer: float
    unit: str


def volume_bounds(space: WrenchSpace) -> VolumeBounds:
    """Inner and outer bounds on the volume of a slice, from held points and outer planes.

    A wrench space is convex when it is that of the hulls, or when no contact has more than one piece.
    """
    surface = slice_surface(space)
    whole = _inside(surface.points, surface.triangles) if surface.is_bounded else float("inf")
    inner = float("nan")
    if space.convex or space.side == "outer":
        held = space.coordinates[np.isfinite(space.values)] / surface.subspace.scales
        inner = _hull_volume(held) if len(held) else 0.0
        if inner > 0.0 and not surface.is_bounded:
            inner = float("inf")  # a convex body with an unbounded ray
    outer = _outer_volume(space)
    scale = float(np.prod(surface.subspace.scales))
    return VolumeBounds(inner * scale, whole, outer * scale, volume_unit(surface))


def volume_unit(surface: SliceSurface) -> str:
    """The unit of a volume: "N^3", "N^2 (N m)", ...; "" if an axis counts multiples of a wrench."""
    units = list(surface.subspace.units)
    if "" in units:
        return ""
    names = {"N": "N", "N m": "(N m)"}
    powers = {unit: units.count(unit) for unit in sorted(set(units))}
    return " ".join(names.get(unit, unit) + (f"^{power}" if power > 1 else "") for unit, power in powers.items())


def outer_planes(space: WrenchSpace) -> tuple[Array, Array]:
    """(normals (m, p), offsets (m,)) of the outer planes in the subspace: normals . (c / scales) <= offsets.

    c are coordinates in the subspace. Planes that do not cross the subspace, and rays without a plane, are left out.
    """
    subspace = space.subspace
    if subspace is None:
        raise InputError("has no subspace", where="space", fix="sample a subspace, not all of R^6")
    known = np.isfinite(space.normals).all(axis=1) & np.isfinite(space.offsets)
    normals = space.normals[known] @ subspace.axes.T * subspace.scales
    offsets = space.offsets[known]
    lengths = np.linalg.norm(normals, axis=1)
    # The torque part of a plane's normal is scaled by the length, as in the subspace.
    weights = np.concatenate([np.ones(3), np.full(3, space.length)])
    crossing = lengths > tolerances.FLAT * np.linalg.norm(space.normals[known] * weights, axis=1)
    return normals[crossing] / lengths[crossing, None], offsets[crossing] / lengths[crossing]


def section_polylines(surface: SliceSurface, axis: int, value: float, *, cap: float | None = None) -> list[Array]:
    """Closed polylines (m, 3) in which the plane `axis` coordinate = `value` cuts the surface, in its coordinates.

    Each is closed. A plane exactly through corners is moved lower by a rounding error. An unbounded
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
    """Area inside a closed polyline (m, 3) across `axis`; negative for the opposite orientation, as for holes."""
    x, y = (polyline[:, k] for k in ((axis + 1) % 3, (axis + 2) % 3))
    return 0.5 * float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))


def _loops(
    crossing: dict[tuple[int, int], Array], following: dict[tuple[int, int], tuple[int, int]], tiny: Array
) -> list[Array]:
    """The closed chains of points; coincident points are merged, and chains without area are left out."""
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
    normals, offsets = outer_planes(space)
    if not len(normals):
        return float("inf")
    found = generators(normals, offsets)
    if found.is_empty:
        return 0.0
    farthest = OPEN * (float(np.abs(offsets).max()) or 1.0)
    if not found.is_bounded or float(np.abs(found.vertices).max()) > farthest:
        return float("inf")
    return _hull_volume(found.vertices)


# Inner points and outer planes are checked from the assembly: positions, frames, vertices and joint rows.

#: Where load and forces vanish, the tolerance of a balance is this fraction of the smallest piece.
ROUNDING_SHARE = 1e-6

#: Factor on the tolerances of solutions in checks.
SLACK = 10.0


@dataclass(frozen=True, eq=False)
class Faults:
    """Rays that fail the check, by their indices.

    Attributes:
        inner: the forces do not hold the point (or, without a limit, do not grow without bound).
        outer: the half-space does not follow from its normal, or nothing shows that it does.
        undecided: the search was not finished, so that the value is only a lower bound.
    """

    inner: IntArray
    outer: IntArray
    undecided: IntArray

    def __repr__(self) -> str:
        return f"Faults({len(self.inner)} inner, {len(self.outer)} outer, {len(self.undecided)} undecided)"

    @property
    def none(self) -> bool:
        """Whether there are none."""
        return not (len(self.inner) or len(self.outer) or len(self.undecided))

    @cached_property
    def rays(self) -> IntArray:
        """The indices of all rays with a fault, ascending."""
        return np.unique(np.concatenate([self.inner, self.outer, self.undecided]))


def faults_of(space: WrenchSpace) -> Faults:
    """All rays of a space whose inner point or outer plane cannot be confirmed."""
    assembly, status = space.held_assembly, space.status
    attained = np.isfinite(space.values)
    inner = attained.copy()
    if space.forces is not None and space.pieces is not None and attained.any():
        held = holds(assembly, space.points[attained], space.forces[attained], space.pieces[attained])
        inner[attained] = ~held
    endless = np.nonzero(~attained & (status != Status.UNDECIDED))[0]  # no limit, or nothing holds: one by one
    for i in endless.tolist():
        again = space.ray(i)
        found = (again.status, again.value, again.upper_bound)
        inner[i] = found != (status[i], space.values[i], space.upper_bounds[i]) or not again.verify()
    inner |= attained & (status != Status.OPTIMAL) & (status != Status.UNDECIDED)
    known = np.isfinite(space.offsets)
    outer = known.copy()
    if known.any():
        joints = np.zeros((len(space), 0)) if space.joint_multipliers is None else space.joint_multipliers
        outer[known] = ~planes_are_outer(assembly, space.normals[known], space.offsets[known], joints[known])
    outer |= attained & ~_bounds_are_close(space, assembly, attained)
    return Faults(*(np.nonzero(mask)[0] for mask in (inner, outer, status == Status.UNDECIDED)))


def _bounds_are_close(space: WrenchSpace, assembly: Assembly, attained: BoolArray) -> BoolArray:
    """(n,) whether upper bounds are close to the values, and proven by their plane; the others are found again."""
    solver = Solver(assembly, space.method)
    values, bounds, gap = space.values, space.upper_bounds, solver.method.gap * (1.0 + tolerances.SOLVER_ROUNDING)
    tiny = assembly.layout.rounding_force / np.abs(assembly.loads(space.directions)).max(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        close = bounds - values <= np.maximum(gap * np.abs(values), tiny)
        work = (space.normals * space.directions).sum(axis=1)
        cut = np.where(work > 0.0, space.offsets / work, np.inf)
        room = tolerances.SOLVER_ROUNDING * np.abs(bounds) + tiny
        proven = np.isfinite(space.offsets) & (cut <= bounds + room)
    left = np.nonzero(close & ~proven & attained)[0]
    if len(left):
        proven[left] = (
            solver.load_limit_many(space.directions[left]).upper_bounds
            <= bounds[left] + gap * np.abs(bounds[left]) + tiny[left]
        )
    return close & proven


def holds(assembly: Assembly, wrenches: Array, forces: Array, pieces: Array) -> BoolArray:
    """(n,) whether world forces (n, k, 3), each in its piece (n, k), balance wrenches (n, 6) within the joint rows.

    The contacts of a unit must have one piece.
    """
    if not (pieces >= 0).all() or not np.isfinite(forces).all():
        sound = (pieces >= 0).all(axis=1) & np.isfinite(forces).all(axis=(1, 2))
        result = np.zeros(len(wrenches), dtype=bool)
        if sound.any():
            result[sound] = holds(assembly, wrenches[sound], forces[sound], pieces[sound])
        return result
    smallest = min(p.size for c in assembly.contacts for p in c.volume.polytopes)
    loads = assembly.loads(wrenches)[:, :6]
    scale = np.maximum(np.abs(loads).max(axis=1), np.abs(forces).max(axis=(1, 2)))
    scale = np.maximum(scale, ROUNDING_SHARE * smallest)
    balanced = balance_residuals(assembly, forces, wrenches) <= SLACK * tolerances.FEASIBILITY * scale
    return balanced & _in_pieces(assembly, forces, pieces)


def _in_pieces(assembly: Assembly, forces: Array, pieces: Array) -> BoolArray:
    """(n,) whether every force lies in its piece, the same piece for all contacts of a unit."""
    local = np.einsum("kji,nkj->nki", assembly.rotations, forces)
    result = np.all(shares_piece(assembly.layout, pieces), axis=1)
    for i, contact in enumerate(assembly.contacts):
        for j, piece in enumerate(contact.volume.polytopes):
            rows = np.nonzero(pieces[:, i] == j)[0]
            if len(rows):
                size = np.maximum(np.abs(piece.vertices).max(), np.abs(local[rows, i]).max(axis=1))
                distance = piece.signed_distance(local[rows, i])
                result[rows] &= distance <= SLACK * tolerances.MEMBERSHIP * np.where(size > 0.0, size, 1.0)
        result &= pieces[:, i] < len(contact.volume.polytopes)
    return result


def planes_are_outer(assembly: Assembly, normals: Array, offsets: Array, joint_multipliers: Array) -> BoolArray:
    """(n,) whether normals . w <= offsets for all wrenches of the hulls, by multipliers (n, r) of the joint rows."""
    most, size = outer_offsets(assembly, normals, joint_multipliers)
    rounding = tolerances.SUM_ROUNDING * (len(assembly) + normals.shape[1] + joint_multipliers.shape[1])
    return most <= offsets + rounding * size + tolerances.SEPARATION * np.abs(offsets)


def outer_offsets(assembly: Assembly, normals: Array, joint_multipliers: Array) -> tuple[Array, Array]:
    """(offsets (n,), sizes (n,)): the right-hand side above from new supports, and the size of its terms.

    inf where the multipliers use a joint or a force without limit, or are missing.
    """
    n, k = len(normals), len(assembly)
    joints = assembly.joints
    rows = 0 if joints is None else len(joints.lower)
    if joint_multipliers.shape[1] != rows:
        return np.full(n, np.inf), np.ones(n)
    columns = assembly.wrench_matrix.reshape(6, k, 3)
    leant = np.zeros((n, k, 3))
    total, size = np.zeros(n), np.zeros(n)
    if joints is not None and rows:
        z = joint_multipliers
        leant = (z @ joints.jacobian).reshape(n, k, 3)
        with np.errstate(invalid="ignore"):
            ends = np.where(z > 0.0, z * joints.lower, np.where(z < 0.0, z * joints.upper, 0.0))
        total -= np.where(np.isnan(z), -np.inf, ends).sum(axis=1)
        size += np.abs(np.where(np.isfinite(ends), ends, 0.0)).sum(axis=1)
        leant = np.where(np.isnan(leant), 0.0, leant)
    for contacts in assembly.layout.units:
        supports = 0.0
        for i in contacts:
            contact = assembly.contacts[i]
            pushed = normals @ columns[:, i]  # (n, 3) world
            # A normal is a sum about the world origin: terms that cancel there leave rounding errors.
            arm = _absolute_skew(contact.position)
            terms = np.linalg.norm(np.abs(normals[:, :3]) + np.abs(normals[:, 3:]) @ arm, axis=1)
            terms = terms + np.linalg.norm(leant[:, i], axis=1)
            direction = (leant[:, i] - pushed) @ contact.rotation
            pieces = contact.volume.polytopes
            supports = supports + np.array([(direction @ piece.vertices.T).max(axis=1) for piece in pieces])
            size += max(float(np.linalg.norm(piece.vertices, axis=1).max()) for piece in pieces) * terms
            rays = np.concatenate([piece.rays for piece in pieces])
            if len(rays):
                slopes = direction @ (rays / np.linalg.norm(rays, axis=1, keepdims=True)).T
                total[(slopes > tolerances.RAY_SLOPE * terms[:, None]).any(axis=1)] = np.inf
        total += np.max(supports, axis=0)
    return total, size


def _absolute_skew(arm: Array) -> Array:
    """(3, 3) magnitudes of [arm], for the size of a cross product's terms."""
    x, y, z = np.abs(arm)
    return np.array([[0.0, z, y], [z, 0.0, x], [y, x, 0.0]])
