"""Computing wrench spaces: load limits along rays, refinement, extents, supports, extruded slices, differences.

Rays are computed in chunks. A chunk depends only on the assembly, so that results do not depend on the process or on
earlier computations. The rays of a chunk lie close together: each search starts from that of a neighbour.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, SceneLike, assembly_of
from ..checks import Array, BoolArray, IntArray, Side
from ..errors import GeometryError, InputError
from ..geometry.directions import across, delaunay, icosphere, midpoints, patches
from ..jobs import fingerprint, sweep
from ..public_names import with_advice
from ..results import Result, proof, same
from ..solvers import ContactProblem, Exact, Solution, Status
from ..solvers.certificates import least_factor
from ..solvers.relaxation import closes
from ..statics.holding import LoadLimit, Method, default_method, equilibrium, load_limit
from ..statics.paths import json_number
from ..statics.solver import Solver
from .space import SliceSurface, WrenchSpace, held_by, holds, slice_surface, slice_volume
from .subspace import AXES, UNITS, Rays, Subspace

Progress = Callable[[int, int], None]

#: Most nodes of a ray's search, and a time limit [s] that is never reached: a ray is undecided on every machine or
#: none.
MOST_NODES, LONGEST = 30_000, 3600.0

#: Rays per chunk: enough to make a cold start cheap, few enough to distribute the work evenly.
BATCH = 32


@with_advice(axes='give directions="fx,fy,fz"', rays="give directions")
def wrench_space(
    assembly: Assembly | SceneLike,
    directions: ArrayLike | Rays | Subspace | str,
    *,
    side: Side = "inner",
    refinement: Refinement | None = None,
    method: Exact | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    journal: str | Path | None = None,
    progress: Progress | None = None,
) -> WrenchSpace:
    """The load limits (6) of an assembly along many rays, with inner points and outer planes.

    Args:
        assembly: contacts and joint rows, or a scene, whose assembly is taken.
        directions: loads (n, 6), or `Rays`, or a `Subspace`, or its name such as "fx,ty,fz". A subspace is sampled on a
            regular sphere of 642 directions; torques of a named one are scaled by the assembly's `length`.
        side: "inner" for the contacts' volumes as they are, unions of pieces; "outer" for their convex hulls.
        refinement: add rays where the surface bends; needs triangles, so rays of a three-dimensional subspace.
        method: `Exact(...)`, for its gap and limits. By default a ray may take 30,000 nodes without a time limit, so
            that the results are the same on every machine.
        workers: number of threads, all cores by default; each chunk of rays is computed by one thread.
        cluster: address of a Dask scheduler ("tcp://host:port") to send the chunks to instead.
        journal: file in which results are saved, and from which a run resumes; rounds of refinement have separate files
            beside it (".1", ".2", ...).
        progress: called with (rays done, rays) of each round.
    """
    assembly = assembly_of(assembly)
    held_by(assembly, side)  # invalid arguments are reported first
    task = RayTask(assembly, _checked_method(method), side)
    rays = rays_of(assembly, directions)
    _check_refinement(refinement)
    if refinement is not None and rays.triangles is None:
        raise InputError(
            "needs triangles between the rays", where="refinement", fix="give a Subspace, or Rays.sphere or Rays.spiral"
        )
    runner = _Runner(task, workers, cluster, None if journal is None else Path(journal), progress)
    space = _assembled(task, rays, runner.run(rays.directions, 0))
    if refinement is None:
        return space
    for number in range(1, refinement.rounds + 1):
        extra = new_directions(space, refinement)
        if not len(extra):
            break
        more = _assembled(task, Rays(extra, rays.subspace), runner.run(extra, number))
        space = _joined(space, more)
    return space


def rays_of(assembly: Assembly, directions: ArrayLike | Rays | Subspace | str) -> Rays:
    """Any description of rays as Rays; see `wrench_space`."""
    if isinstance(directions, Rays):
        return directions
    if isinstance(directions, str):
        directions = Subspace.named(directions, length=assembly.length)
    if isinstance(directions, Subspace):
        return Rays.sphere(directions)
    return Rays(directions)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, eq=False)
class RayTask:
    """The load limit along a direction (6,), as JSON; many at once from one start."""

    assembly: Assembly
    method: Exact
    side: Side

    #: Number of rays per chunk.
    batch = BATCH
    #: The searches release the interpreter lock.
    prefer = "threads"

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; hulls are made again there."""
        return {"assembly": self.assembly, "method": self.method, "side": self.side}

    @cached_property
    def held(self) -> Assembly:
        """The assembly that is computed: with hulls as volumes for the outer side."""
        return held_by(self.assembly, self.side)

    @cached_property
    def key(self) -> str:
        """Hash of everything the results depend on except the direction."""
        limits = [self.method.gap, self.method.node_limit, self.method.time_limit]
        return fingerprint("wrench space", self.assembly.fingerprint, self.side, limits)

    def __call__(self, direction: Sequence[float]) -> dict[str, Any]:
        """One ray."""
        return self.many([direction])[0]

    def many(self, directions: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
        """Consecutive rays (n, 6), on this thread, from a cold start."""
        solver = Solver(self.held, self.method)
        answers = solver.load_limit_many(np.asarray(directions, dtype=np.float64), threads=1)
        normals, offsets = answers.normals, answers.offsets
        joints = _joint_multipliers(self.held, answers.multipliers)
        return [
            {
                "status": str(answers.status[i]),
                "value": json_number(answers.values[i]),
                "bound": json_number(answers.upper_bounds[i]),
                "plane": _packed(np.concatenate([normals[i], offsets[i : i + 1], joints[i]]), "<f8"),
                "forces": _packed(answers.forces[i], "<f8"),
                "pieces": _packed(answers.pieces[i], "<i4"),
            }
            for i in range(len(answers))
        ]


@dataclass(frozen=True, eq=False)
class _Runner:
    """Sends rays through a sweep, neighbours together, and puts the results back in order."""

    task: RayTask
    workers: int | None
    cluster: str | None
    journal: Path | None
    progress: Progress | None

    def run(self, directions: Array, number: int) -> list[dict[str, Any]]:
        """The results for directions (n, 6), in their order; round `number` has its own journal."""
        loads = self.task.assembly.loads(directions)[:, :6]
        order = patches(loads / np.abs(loads).max(axis=1, keepdims=True), BATCH)
        journal = self.journal
        if journal is not None and number:
            journal = journal.with_name(f"{journal.name}.{number}")
        here = 1 if self.cluster is not None else os.cpu_count() or 1
        found = sweep(
            self.task,
            directions[order].tolist(),
            workers=here if self.workers is None else checks.count("workers", self.workers),
            cluster=self.cluster,
            journal=journal,
            key=self.task.key,
            progress=self.progress,
        )
        return [found[at] for at in np.argsort(order)]


def _assembled(task: RayTask, rays: Rays, found: list[dict[str, Any]]) -> WrenchSpace:
    """The results of all rays as arrays."""
    assembly, k = task.assembly, len(task.assembly)
    layout = task.held.layout
    convex = all(len(shape) == 1 for shape in layout.shapes)
    rests = layout.contains_zero and layout.bounds_hold_zero
    planes = np.stack([_unpacked(one["plane"], "<f8") for one in found])
    status = np.empty(len(found), dtype=object)
    status[:] = [Status(one["status"]) for one in found]
    return WrenchSpace(
        rays=rays,
        values=np.array([float(one["value"]) for one in found]),
        upper_bounds=np.array([float(one["bound"]) for one in found]),
        status=status,
        normals=planes[:, :6].copy(),
        offsets=planes[:, 6].copy(),
        joint_multipliers=planes[:, 7:].copy(),
        forces=np.stack([_unpacked(one["forces"], "<f8") for one in found]).reshape(-1, k, 3),
        pieces=np.stack([_unpacked(one["pieces"], "<i4") for one in found]).astype(np.int64),
        side=task.side,
        model_hash=assembly.fingerprint,
        length=assembly.length,
        star_shaped=rests or (convex and equilibrium(task.held, np.zeros(6), method=task.method).holds),
        convex=convex,
        assembly=assembly,
        method=task.method,
    )


def _joined(space: WrenchSpace, more: WrenchSpace) -> WrenchSpace:
    """The rays of both spaces as one, triangulated again."""
    names = ("values", "upper_bounds", "status", "normals", "offsets", "joint_multipliers", "forces", "pieces")
    arrays = {name: np.concatenate([getattr(space, name), getattr(more, name)]) for name in names}
    directions = np.concatenate([space.directions, more.directions])
    return replace(space, rays=retriangulated(directions, space.rays), **arrays)


def _joint_multipliers(assembly: Assembly, multipliers: Array) -> Array:
    """(n, r) multipliers of the joint rows in their physical units, of the half-spaces' own scale."""
    sizes = np.linalg.norm(multipliers[:, :6], axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return multipliers[:, 6:] / sizes * assembly.layout.row_scale[6:]


def _packed(array: Array, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")


def _unpacked(text: str, kind: str) -> Array:
    return np.frombuffer(base64.b64decode(text), dtype=kind).astype(kind[1:])


def _check_refinement(refinement: Refinement | None) -> None:
    if refinement is not None:
        given: Any = refinement
        number = isinstance(given, (int, float)) and not isinstance(given, bool)
        inside = f"tolerance={given}" if number and abs(given) <= 1 else "tolerance=..."
        checks.instance("refinement", given, Refinement, fix=f"give holdfast.wrench_spaces.Refinement({inside})")


def _checked_method(method: Exact | None) -> Exact:
    if method is not None and not isinstance(method, Exact):
        raise InputError(
            f"is a {type(method).__name__}",
            where="method",
            fix="give a holdfast.solvers.Exact; to compare methods ray by ray use holdfast.load_limit",
        )
    return method or Exact(node_limit=MOST_NODES, time_limit=LONGEST)


# Adaptive refinement: more rays where the limit surface bends.

#: Estimated distance of the surface from the flat triangles, as a fraction of the bend between two triangles.
CHORD_SHARE = 0.5


@dataclass(frozen=True, kw_only=True)
class Refinement:
    """When to add rays: both triangles beside an edge are split at their edges' midpoints where the surface bends.

    Attributes:
        tolerance: largest estimated distance of the surface from its triangles, relative to its radius (without unit;
            in the subspace's scaled coordinates).
        rounds: largest number of rounds; each halves the angles between rays where it divides triangles.
        most: largest number of rays; the sharpest bends are divided first.
    """

    tolerance: float = 0.02
    rounds: int = 4
    most: int = 20_000

    def __post_init__(self) -> None:
        checks.positive("tolerance", self.tolerance, high=1.0)
        checks.count("rounds", self.rounds, low=0)
        checks.count("most", self.most, low=4)


def bends(space: WrenchSpace) -> Array:
    """(t, 3) estimated distance of the surface from its triangles across each edge, relative to its radius.

    Entry (i, j) belongs to the edge of triangle i opposite to its corner j. 1 where one side of the edge is held and
    the other is not at all.
    """
    surface = slice_surface(space)
    with np.errstate(divide="ignore"):
        gauges = 1.0 / surface.radii
    mesh, units = surface.mesh, surface.units
    triangles, others = mesh.triangles, mesh.neighbours
    result = np.zeros(triangles.shape)
    for j in range(3):
        far = triangles[others[:, j]].sum(axis=1) - triangles[:, (j + 1) % 3] - triangles[:, (j + 2) % 3]
        weights = np.einsum("tij,tj->ti", mesh.inverse, units[far])  # of the far corner in the triangle
        with np.errstate(invalid="ignore"):
            predicted, found = (weights * gauges[triangles]).sum(axis=1), gauges[far]
            size = np.maximum(np.abs(predicted), np.abs(found))
            bend = np.divide(np.abs(predicted - found), size, out=np.zeros(len(size)), where=size > 0.0)
        unheld = ~np.isfinite(gauges[np.column_stack([triangles, far])])
        result[:, j] = np.where(unheld.any(axis=1), np.where(unheld.all(axis=1), 0.0, 1.0), CHORD_SHARE * bend)
    return np.minimum(result, 1.0)


def new_directions(space: WrenchSpace, refinement: Refinement) -> Array:
    """(e, 6) new directions at the midpoints of edges that bend too much; none when it is fine enough."""
    rays, subspace = space.rays, space.subspace
    assert rays.triangles is not None and subspace is not None
    by_edge = bends(space)
    others = across(np.asarray(rays.triangles, dtype=np.intp))
    worst = by_edge.max(axis=1)
    np.maximum.at(worst, others.ravel(), by_edge.ravel())  # an edge that bends splits the triangles on both sides
    split = worst > refinement.tolerance
    left = refinement.most - len(rays)
    if left <= 0 or not split.any():
        return np.zeros((0, 6))
    corners = rays.triangles[split]
    pairs = np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    edges, which = np.unique(pairs, axis=0, return_inverse=True)
    badness = np.zeros(len(edges))
    np.maximum.at(badness, which.reshape(-1), np.repeat(worst[split], 3))
    if len(edges) > left:
        edges = edges[np.sort(np.argsort(-badness, kind="stable")[:left])]
    return subspace.directions(midpoints(rays.unit_vectors, edges.astype(np.int64)))


def retriangulated(directions: Array, rays: Rays) -> Rays:
    """Rays in `directions` (n, 6) of the same subspace, with the Delaunay triangles of their unit vectors."""
    bare = Rays(directions, rays.subspace, seed=rays.seed)
    triangles: IntArray = delaunay(bare.unit_vectors).astype(np.int64)
    return Rays(directions, rays.subspace, triangles, rays.seed)


# Extents of a wrench space along each axis: exact limits in both directions, each with its proof.


class ExtentRow(NamedTuple):
    """One axis, for a table."""

    label: str
    unit: str
    lowest: float
    highest: float
    verified: bool


@dataclass(frozen=True, eq=False)
class Extents(Result):
    """The limits of loads in both directions of each axis (6), when no other load acts.

    Attributes:
        axes: (p, 6) unit loads, torques about the world origin.
        labels, units: name and unit of each.
        backward, forward: the limit against and along each axis, with forces and certificate.
    """

    axes: Array
    labels: tuple[str, ...]
    units: tuple[str, ...]
    backward: tuple[LoadLimit, ...]
    forward: tuple[LoadLimit, ...]

    def __repr__(self) -> str:
        parts = [f"{row.label} {row.lowest:.4g} to {row.highest:.4g} {row.unit}" for row in self.rows()]
        return f"Extents({', '.join(parts)})"

    @cached_property
    def values(self) -> Array:
        """(p, 2) the lowest and the highest load on each axis that holds [N, N m]; infinite where there is no limit.

        If no load along an axis holds, the order is reversed: (inf, -inf).
        """
        return np.array([[-b.value, f.value] for b, f in zip(self.backward, self.forward, strict=True)])

    @cached_property
    def bounds(self) -> Array:
        """(p, 2) loads beyond these do not hold; equal to `values` within the method's gap unless undecided."""
        return np.array([[-b.upper_bound, f.upper_bound] for b, f in zip(self.backward, self.forward, strict=True)])

    def to_dict(self) -> dict[str, Any]:
        """The rows as plain data, and whether every proof is confirmed."""
        rows = self.rows()
        return {"rows": [row._asdict() for row in rows], "proof_verified": all(row.verified for row in rows)}

    @proof
    def verify(self) -> bool:
        """Whether every proof is confirmed without the solver; False if any limit is undecided."""
        known, count = self.forward[0].assembly, len(self.axes)
        if not count == len(self.labels) == len(self.units) == len(self.backward) == len(self.forward):
            return False
        limits, ways = (*self.backward, *self.forward), (*-self.axes, *self.axes)
        about = all(one.assembly is known and same(one.direction, way) for one, way in zip(limits, ways, strict=True))
        return about and all(limit.verify() for limit in limits)

    def rows(self) -> list[ExtentRow]:
        """One row per axis: label, unit, lowest, highest, and whether both proofs are confirmed."""
        return [
            ExtentRow(label, unit, float(low), float(high), b.verify() and f.verify())
            for label, unit, (low, high), b, f in zip(
                self.labels, self.units, self.values, self.backward, self.forward, strict=True
            )
        ]


@with_advice()
def wrench_extents(
    assembly: Assembly,
    subspace: Subspace | None = None,
    *,
    side: Side = "inner",
    method: Exact | None = None,
) -> Extents:
    """Exact limits in both directions of each axis of a subspace, or of all six axes.

    Args:
        assembly: contacts and joint rows.
        subspace: subspace of the axes; fx, fy, fz, tx, ty, tz by default, torques about the world origin.
        side: "inner" for the contacts' volumes as they are, unions of pieces; "outer" for their convex hulls.
        method: how to solve; `Exact()` by default.
    """
    asked = held_by(assembly, side)
    if subspace is not None:
        checks.instance("subspace", subspace, Subspace, fix="give a holdfast.wrench_spaces.Subspace, or None")
    axes = np.eye(6) if subspace is None else subspace.axes
    return Extents(
        axes,
        AXES if subspace is None else tuple(subspace.labels),
        UNITS if subspace is None else tuple(subspace.units),
        tuple(load_limit(asked, -axis, method=method) for axis in axes),
        tuple(load_limit(asked, axis, method=method) for axis in axes),
    )


def extents_of(space: WrenchSpace) -> Extents:
    """Exact limits in both directions of each axis of a space's subspace (of all six for a space in R^6).

    They are computed for its assembly; a space that was loaded without it has only `surface_extents`.
    """
    if space.assembly is None:
        raise InputError(
            "has no assembly",
            where="space",
            fix="load it with assembly=, or use surface_extents(space), which is for the sampled surface",
        )
    return wrench_extents(space.assembly, space.subspace, side=space.side, method=space.method)


def surface_extents(space: WrenchSpace) -> Array:
    """(3, 2) intersections of the axes of a 3-D slice with its sampled surface, lowest and highest [N, N m].

    Exact where a ray lies on the axis; between rays the surface is flat. Needs no assembly.
    """
    surface = slice_surface(space)
    return np.column_stack([-surface.radial(-np.eye(3)), surface.radial(np.eye(3))])


# Supports: the largest n . w over all wrenches that are held, or over those of a subspace.


@dataclass(frozen=True, eq=False)
class WrenchSupports(Result):
    """The largest n . w for each of n normals, with the wrench that attains it and the proof that none exceeds it.

    Attributes:
        assembly: the assembly; with hulls as volumes for the outer side.
        normals: (n, 6) the normals as given; against wrenches with torques about the world origin.
        subspace: where the wrenches lie, or None for all.
        solutions: the solutions of the projected problems, one per normal.
        method: the method used; None for the default.
    """

    assembly: Assembly
    normals: Array
    subspace: Subspace | None
    solutions: Sequence[Solution]
    method: Method | None = None

    def __repr__(self) -> str:
        place = "R^6" if self.subspace is None else ", ".join(self.subspace.labels)
        return f"WrenchSupports({len(self.normals)} in {place})"

    def __len__(self) -> int:
        return len(self.normals)

    @cached_property
    def status(self) -> Array:
        """(n,) of Status."""
        result = np.empty(len(self), dtype=object)
        result[:] = [solution.status for solution in self.solutions]
        return result

    @cached_property
    def values(self) -> Array:
        """(n,) the largest n . w found (inner); inf where there is no limit, -inf where nothing is held."""
        return np.array([np.inf if s.status is Status.UNBOUNDED else s.factor for s in self.solutions])

    @cached_property
    def upper_bounds(self) -> Array:
        """(n,) no wrench that is held has a larger n . w (outer)."""
        return np.array([np.inf if s.status is Status.UNBOUNDED else s.bound for s in self.solutions])

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without forces."""
        return {
            "normals": self.normals.tolist(),
            "status": [str(status) for status in self.status],
            "values": self.values.tolist(),
            "upper_bounds": self.upper_bounds.tolist(),
            "points": self.points.tolist(),
        }

    @cached_property
    def forces(self) -> Array:
        """(n, k, 3) world forces that hold `points`; nan where there are none."""
        nothing = np.full((len(self.assembly), 3), np.nan)
        local = np.array([nothing if s.forces is None else s.forces for s in self.solutions])
        return np.einsum("kij,nkj->nki", self.assembly.rotations, local.reshape(len(self), -1, 3))

    @cached_property
    def points(self) -> Array:
        """(n, 6) held wrenches that attain `values`; any held wrench without limit, nan where none is held."""
        return -self.forces.reshape(len(self), -1) @ self.assembly.wrench_matrix.T

    @proof
    def verify(self) -> bool:
        """Whether every point is held and attains its value, and every bound is proven; without the solver.

        Values without a limit cannot be confirmed: False.
        """
        if not np.isin(self.status, [Status.OPTIMAL, Status.DOES_NOT_HOLD]).all():
            return False
        proven = all(map(self._is_bounded, self.solutions, self.normals))
        found = np.nonzero(self.status == Status.OPTIMAL)[0].tolist()
        if not (proven and len(found)):
            return proven
        pieces = np.array([self.solutions[i].pieces for i in found])
        size = np.abs(self.normals[found] * self.points[found]).sum(axis=1)
        off = np.abs((self.normals[found] * self.points[found]).sum(axis=1) - self.values[found])
        attained = off <= 10 * tolerances.FEASIBILITY * np.maximum(size, self._sizes[found])
        inside = True if self.subspace is None else _lie_in(self.subspace, self.assembly, self.points[found])
        held = holds(self.assembly, self.points[found], self.forces[found], pieces)
        return bool(attained.all() and held.all() and np.all(inside))

    def _is_bounded(self, found: Solution, normal: Array) -> bool:
        """Whether the bound of a solution is proven, and close to what was attained."""
        certificate, problem = found.certificate, support_problem(self.assembly, normal, self.subspace)
        if certificate is None or certificate.claim is None or not certificate.claim <= found.bound:
            return False
        if found.status is Status.DOES_NOT_HOLD:
            return found.factor == found.bound == -np.inf and found.forces is None and certificate.verify(problem)
        gap, tiny = getattr(self.method, "gap", tolerances.GAP), least_factor(problem)
        near = closes(found.factor, found.bound, gap=gap * (1.0 + tolerances.SOLVER_ROUNDING), tiny=tiny)
        return found.factor <= found.bound and near and certificate.verify(problem)

    @cached_property
    def _sizes(self) -> Array:
        """(n,) n . w of the largest force at a point along the normal, as the scale of rounding errors."""
        largest = np.nanmax(np.abs(self.forces), axis=(1, 2), initial=0.0)
        return largest * np.abs(self.normals / _weights(self.assembly.length)).max(axis=1)


@with_advice()
def wrench_supports(
    assembly: Assembly,
    normals: ArrayLike,
    *,
    subspace: Subspace | str | None = None,
    side: Side = "inner",
    method: Method | None = None,
) -> WrenchSupports:
    """max n . w over all external wrenches w that are held, exact over unions; or over those w of a subspace.

    Args:
        assembly: contacts and joint rows.
        normals: (n, 6) vectors n; torques of w are about the world origin, so a normal's torque part has the unit
            1/m where its force part has none.
        subspace: take the largest over this slice of the wrench space only: a `Subspace`, or its name such as
            "fx,ty,fz", whose torques are scaled by the assembly's `length`.
        side: "inner" for the contacts' volumes as they are, unions of pieces; "outer" for their convex hulls.
        method: how to solve; `Exact()` by default.
    """
    held = held_by(assembly, side)
    if isinstance(subspace, str):
        subspace = Subspace.named(subspace, length=assembly.length)
    if subspace is not None:
        checks.instance(
            "subspace", subspace, Subspace, fix='give a holdfast.wrench_spaces.Subspace, or its name such as "fx,fy,fz"'
        )
    rows = checks.array("normals", normals, ("n", 6))
    zero = ~rows.any(axis=1)
    if zero.any():
        where = f"normals[{int(zero.argmax())}]"
        raise InputError("is zero and has no direction", where=where, fix="give a non-zero normal")
    problems = [support_problem(held, n, subspace, where=f"normals[{i}]") for i, n in enumerate(rows)]
    solutions = [(method or default_method()).maximise(problem) for problem in problems]
    return WrenchSupports(held, rows, subspace, solutions, method)


def support_problem(
    assembly: Assembly, normal: Array, subspace: Subspace | None = None, *, where: str = "normal"
) -> ContactProblem:
    """The load limit whose factor is n . w: the six rows of `assembly.layout` projected as above, the rest zero."""
    layout = assembly.layout
    scaled = assembly.loads(np.eye(6))[:, :6]  # row i: the scaled rows of the wrench e_i
    objective = np.linalg.solve(scaled, normal)  # n . w = objective . x, with x the scaled rows of w
    axes = scaled if subspace is None else subspace.axes @ scaled
    frame = np.linalg.svd(axes / np.linalg.norm(axes, axis=1, keepdims=True), full_matrices=False)[2]  # (p, 6)
    along = frame @ objective
    if np.linalg.norm(along) <= tolerances.FLAT * np.linalg.norm(objective):
        raise GeometryError(
            "is orthogonal to the whole subspace",
            where=where,
            fix="give a normal along which the slice has an extent",
        )
    # The first row of `turn` is the direction of the objective; the others are the free wrenches.
    turn = np.linalg.svd(along[None, :], full_matrices=True)[2]
    free = turn[1:] @ frame  # (p - 1, 6)
    kept = np.linalg.svd(free, full_matrices=True)[2][len(free) :] if len(free) else np.eye(6)
    project = np.zeros((6, 6))
    project[: len(kept)] = kept
    way = frame.T @ along / (along @ along)  # objective . way = 1
    maps = layout.maps.copy()
    maps[:, :6] = np.einsum("rq,kqi->kri", project, layout.maps[:, :6])
    scale = layout.row_scale.copy()
    scale[:6] = 1.0
    load = np.zeros(len(layout.lower))
    load[:6] = project @ way
    return ContactProblem(replace(layout, blocks=maps, touched=None, row_scale=scale), load)


def _lie_in(subspace: Subspace, assembly: Assembly, wrenches: Array) -> Array:
    """(n,) whether wrenches lie in the subspace up to the rounding of a balance."""
    coordinates = wrenches @ np.linalg.pinv(subspace.axes)
    off = assembly.loads(wrenches - coordinates @ subspace.axes)[:, :6]
    size = np.abs(assembly.loads(wrenches)[:, :6]).max(axis=1)
    return np.abs(off).max(axis=1) <= 1e3 * tolerances.FEASIBILITY * np.maximum(size, assembly.layout.smallest_size)


# Wrench spaces in R^6 from slices: the intersection of their extrusions (III.D), and a true outer set.

#: Level of the sphere of normals in each subspace: 162 half-spaces.
NORMALS_LEVEL = 2


class Extrusions:
    """The intersection of extruded slices, as the paper approximates a wrench space: NEITHER inner NOR outer.

    A wrench belongs when its projection on each subspace lies within that slice's surface. It proves nothing about
    what is held; `compare` measures its error, `outer_extrusions` is a true outer set.

    Attributes:
        spaces: wrench spaces over three-dimensional slices, of one assembly.
    """

    def __init__(self, spaces: Sequence[WrenchSpace]) -> None:
        checks.iterable("spaces", spaces, fix="give a list of wrench spaces over slices of one assembly")
        self.spaces = tuple(spaces)
        if not self.spaces:
            raise InputError("is empty", where="spaces", fix="give wrench spaces over slices of one assembly")
        for index, space in enumerate(self.spaces):
            checks.instance(f"spaces[{index}]", space, WrenchSpace, fix="give a holdfast.wrench_spaces.WrenchSpace")
            if (space.model_hash, space.side) != (self.spaces[0].model_hash, self.spaces[0].side):
                raise InputError(
                    "belongs to another assembly, or has another side (inner, outer) than the first",
                    where=f"spaces[{index}]",
                    fix="give slices of one wrench space",
                )
        self._surfaces: list[SliceSurface] = [slice_surface(space) for space in self.spaces]
        self._projections = [projection(surface.subspace, self.spaces[0].length) for surface in self._surfaces]

    def __repr__(self) -> str:
        return f"Extrusions({'; '.join(', '.join(surface.subspace.labels) for surface in self._surfaces)})"

    def contains(self, wrenches: ArrayLike) -> BoolArray:
        """(...) whether wrenches (..., 6) belong to the approximation; this proves nothing about what is held."""
        loads = checks.rows("wrenches", wrenches, 6)
        inside = [s.contains(loads @ p) for s, p in zip(self._surfaces, self._projections, strict=True)]
        return np.logical_and.reduce(inside)

    def radial(self, directions: ArrayLike) -> Array:
        """(...) the largest multiple of directions (..., 6) in the approximation; inf where no slice bounds it."""
        loads = _directions(directions)
        limits = []
        for surface, matrix in zip(self._surfaces, self._projections, strict=True):
            shadows = loads @ matrix
            # A projection of a direction orthogonal to the subspace is rounding.
            size = np.linalg.norm(shadows / surface.subspace.scales, axis=-1)
            whole = np.linalg.norm(loads * _weights(self.spaces[0].length), axis=-1)
            shadows = np.where((size > tolerances.FLAT * whole)[..., None], shadows, 0.0)
            limits.append(surface.radial(shadows))
        return np.minimum.reduce(limits)

    def compare(self, space: WrenchSpace) -> Misfit:
        """This set compared with the exact limits of a wrench space, along its rays; negative limits are left out.

        Extruded slices have errors on rays in all of R^6 (`Rays.random`).
        """
        return _misfit(self.radial, space)


@dataclass(frozen=True, eq=False)
class HalfSpaces:
    """An intersection of half-spaces normals . w <= offsets that contains the whole wrench space: OUTER.

    A wrench outside is guaranteed not to be held; one inside may be held or not.

    Attributes:
        normals: (m, 6) over (force, torque about the world origin).
        offsets: (m,) supports, or bounds on them; inf where there is none.
        length: characteristic length [m] that makes torques comparable with forces.
    """

    normals: Array
    offsets: Array
    length: float

    def __repr__(self) -> str:
        return f"HalfSpaces({np.isfinite(self.offsets).sum()} in R^6, outer)"

    def contains(self, wrenches: ArrayLike) -> BoolArray:
        """(...) whether wrenches (..., 6) are within all half-spaces, up to rounding."""
        loads = checks.rows("wrenches", wrenches, 6)
        size = np.linalg.norm(self.normals / _weights(self.length), axis=1) * np.linalg.norm(
            loads * _weights(self.length), axis=-1, keepdims=True
        )
        return (loads @ self.normals.T <= self.offsets + tolerances.MEMBERSHIP * size).all(axis=-1)

    def radial(self, directions: ArrayLike) -> Array:
        """(...) the largest multiple of directions (..., 6) within; an upper bound of held loads; inf if unbounded."""
        slopes = _directions(directions) @ self.normals.T
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.where(slopes > 0.0, self.offsets / slopes, np.inf)
        return ends.min(axis=-1, initial=np.inf)

    def compare(self, space: WrenchSpace) -> Misfit:
        """This set compared with the exact limits of a wrench space, along its rays; negative limits are left out."""
        return _misfit(self.radial, space)


@with_advice()
def outer_extrusions(
    assembly: Assembly,
    subspaces: Sequence[Subspace | str],
    *,
    level: int = NORMALS_LEVEL,
    **options: Any,
) -> HalfSpaces:
    """Half-spaces with normals in each subspace that touch the wrench space: an outer set, unlike extruded slices.

    Each offset is a support over ALL held wrenches, so that in every subspace the whole projection is within.

    Args:
        assembly: contacts and joint rows.
        subspaces: as `Subspace`, or by their names with torques scaled by the assembly's length.
        level: level of the regular sphere of normals in each: 10 * 4^level + 2.
        options: further arguments of `wrench_supports`.
    """
    if not len(subspaces) or isinstance(subspaces, str):
        raise InputError(
            "is not a list of subspaces", where="subspaces", fix='give a list, as ["fx,fy,fz", "tx,ty,tz"]'
        )
    spaces = [s if isinstance(s, Subspace) else Subspace.named(s, length=assembly.length) for s in subspaces]
    points, _ = icosphere(level)
    parts = [(points / s.scales) @ projection(s, assembly.length).T for s in spaces]
    normals = _different(np.concatenate(parts), assembly.length)
    supports = wrench_supports(assembly, normals, **options)
    return HalfSpaces(normals, supports.upper_bounds, assembly.length)


def projection(subspace: Subspace, length: float) -> Array:
    """(6, p) from any wrench to the coordinates of its projection on a subspace, torques divided by `length` [m].

    For named axes it selects them.
    """
    weights = _weights(length)
    return weights[:, None] * np.linalg.pinv(subspace.axes * weights)


@dataclass(frozen=True, eq=False)
class Misfit:
    """Errors of an approximation along some rays.

    Attributes:
        directions: (n, 6) the rays.
        exact: (n,) the limits along them.
        approximate: (n,) those of the approximation.
    """

    directions: Array
    exact: Array
    approximate: Array

    @cached_property
    def ratios(self) -> Array:
        """(n,) approximate / exact: above 1 where it overestimates; 1 where both are zero or without limit."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.approximate == self.exact, 1.0, self.approximate / self.exact)

    @property
    def largest_overestimate(self) -> float:
        """Largest overestimate as a share of the exact limit: 0.1 is 10 % too much; 0 if there is none."""
        return max(0.0, float(self.ratios.max(initial=1.0)) - 1.0)

    @property
    def largest_underestimate(self) -> float:
        """Largest underestimate as a share of the exact limit; 1 is everything; 0 if there is none."""
        return max(0.0, 1.0 - float(self.ratios.min(initial=1.0)))

    @property
    def overestimated(self) -> Array:
        """(6,) the ray of the largest overestimate."""
        return self.directions[int(self.ratios.argmax())]

    @property
    def underestimated(self) -> Array:
        """(6,) the ray of the largest underestimate."""
        return self.directions[int(self.ratios.argmin())]


def _misfit(radial: Callable[[Array], Array], space: WrenchSpace) -> Misfit:
    kept = space.values >= 0.0
    directions = space.directions[kept]
    return Misfit(directions, space.values[kept], radial(directions))


def _weights(length: float) -> Array:
    """(6,) weights that make the parts of a wrench comparable: 1 for forces, 1 / `length` [1/m] for torques."""
    return np.repeat([1.0, 1.0 / length], 3)


def _directions(value: ArrayLike) -> Array:
    directions = checks.rows("directions", value, 6)
    if not directions.any(axis=-1).all():
        raise InputError("has a zero wrench", where="directions", fix="give non-zero directions")
    return directions


def _different(normals: Array, length: float) -> Array:
    """The normals, without duplicates from several subspaces."""
    scaled = normals / _weights(length) + 0.0  # no negative zeros
    _, first = np.unique(np.round(scaled / np.linalg.norm(scaled, axis=1, keepdims=True), 9), axis=0, return_index=True)
    return normals[np.sort(first)]


# Two wrench spaces on the same rays: where each is stronger, and by how much.


@dataclass(frozen=True)
class RayDifference:
    """The ray with the largest difference of two wrench spaces in one sense.

    Attributes:
        direction: (6,) the ray's load, torque about the world origin.
        first, second: the limits along it of either space, in multiples of the direction.
    """

    direction: tuple[float, ...]
    first: float
    second: float

    @property
    def amount(self) -> float:
        """`first` - `second`, in multiples of the direction; inf where only one of them has a limit."""
        return 0.0 if self.first == self.second else self.first - self.second


@dataclass(frozen=True, eq=False)
class Difference(Result):
    """How a first wrench space differs from a second, ray by ray.

    Attributes:
        first, second: the two spaces, on the same rays.
    """

    first: WrenchSpace
    second: WrenchSpace

    def __repr__(self) -> str:
        stronger, weaker = int(self.stronger.sum()), int(self.weaker.sum())
        return f"Difference({len(self.amounts)} rays: stronger on {stronger}, weaker on {weaker})"

    @property
    def directions(self) -> Array:
        """(n, 6) the rays."""
        return self.first.directions

    @cached_property
    def amounts(self) -> Array:
        """(n,) first - second, in multiples of the direction; 0 where both have no limit, or nothing holds in both."""
        a, b = self.first.values, self.second.values
        with np.errstate(invalid="ignore"):
            return np.where(a == b, 0.0, a - b)

    @cached_property
    def ratios(self) -> Array:
        """(n,) first / second: 1 where both are equal (both zero or unlimited too), inf where only the second is zero.

        nan where a limit is below zero or nothing holds in one of them: a ratio means nothing there.
        """
        a, b = self.first.values, self.second.values
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(a == b, 1.0, a / b)
        return np.where((a < 0.0) | (b < 0.0), np.nan, ratios)

    @cached_property
    def stronger(self) -> BoolArray:
        """(n,) where the first holds more, by more than the gaps of both methods."""
        return self.amounts > self._slack

    @cached_property
    def weaker(self) -> BoolArray:
        """(n,) where the first holds less, by more than the gaps of both methods."""
        return self.amounts < -self._slack

    @cached_property
    def _slack(self) -> Array:
        """(n,) possible difference of two equal limits by the gaps of the two methods and rounding."""
        a, b = (np.where(np.isfinite(space.values), space.values, 0.0) for space in (self.first, self.second))
        gap = sum(tolerances.GAP if space.method is None else space.method.gap for space in (self.first, self.second))
        size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
        return gap * np.maximum(np.abs(a), np.abs(b)) + tolerances.FEASIBILITY * size

    @cached_property
    def volumes(self) -> tuple[float, float]:
        """Volumes of the two slices, in the product of the subspace's units; only of 3-D slices."""
        return slice_volume(self.first), slice_volume(self.second)

    def to_dict(self) -> dict[str, Any]:
        """As plain data: differences and ratios along each ray, and the extreme rays."""
        gain, loss = self.gain, self.loss
        return {
            "directions": self.directions.tolist(),
            "amounts": self.amounts.tolist(),
            "ratios": self.ratios.tolist(),
            "gain": None if gain is None else asdict(gain),
            "loss": None if loss is None else asdict(loss),
        }

    @property
    def gain(self) -> RayDifference | None:
        """The ray on which the first gains most over the second, in multiples of the direction; None if on none."""
        return self._change(int(self.amounts.argmax())) if self.stronger.any() else None

    @property
    def loss(self) -> RayDifference | None:
        """The ray on which the first loses most against the second; None if on none."""
        return self._change(int(self.amounts.argmin())) if self.weaker.any() else None

    def same_shape(self, *, tolerance: float = 0.01) -> bool:
        """Whether the spaces have the same shape at different sizes: all ratios agree within the relative `tolerance`.

        Rays on which both are zero, or both without limit, agree with any ratio.
        """
        allowed = checks.positive("tolerance", tolerance)
        a, b = self.first.values, self.second.values
        free = (a == b) & ((a == 0.0) | ~np.isfinite(a))
        tiny = tolerances.FEASIBILITY * max(float(np.abs(v[np.isfinite(v)]).max(initial=0.0)) for v in (a, b))
        free |= (np.abs(a) <= tiny) & (np.abs(b) <= tiny)
        ratios = self.ratios[~free]
        if not len(ratios):
            return True
        if not (np.isfinite(ratios) & (ratios > 0.0)).all():
            return False
        return bool(ratios.max() <= (1.0 + allowed) * ratios.min())

    def _change(self, index: int) -> RayDifference:
        direction = tuple(float(x) for x in self.directions[index])
        return RayDifference(direction, float(self.first.values[index]), float(self.second.values[index]))


def difference(a: WrenchSpace, b: WrenchSpace) -> Difference:
    """Difference of `a` and `b`, ray by ray; both must have the same rays.

    Rays of a named slice with torques depend on the assembly's length. To compare spaces of different rays, compute the
    second on the rays of the first: `wrench_space(other, a.rays)`.
    """
    for name, space in (("a", a), ("b", b)):
        checks.instance(name, space, WrenchSpace, fix="give a holdfast.wrench_spaces.WrenchSpace")
    fix = "compute the second on the rays of the first: wrench_space(assembly, a.rays)"
    if a.directions.shape != b.directions.shape:
        what = f"has {len(b.directions)} rays, the first {len(a.directions)}"
        raise InputError(what, where="b", fix=fix)
    weights = _weights(a.length)
    apart = np.abs((a.directions - b.directions) * weights).max(axis=1)
    allowed = tolerances.MERGE * np.abs(a.directions * weights).max(axis=1)
    if (apart > allowed).any():
        row = int(np.argmax(apart > allowed))
        count = int((apart > allowed).sum())
        there, here = _text(b.directions[row]), _text(a.directions[row])
        what = f"{count} of {len(apart)} rays differ, the first of them ray {row}: {there}, not {here}"
        raise InputError(what, where="b", fix=fix)
    return Difference(a, b)


def _text(direction: Array) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in direction) + ")"
