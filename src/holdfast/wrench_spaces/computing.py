"""Computing a wrench space: one load limit a ray, in chunks that any process can take up.

A chunk starts from nothing but the assembly, so that the results do not depend on who computes it, nor on what was
computed before. The rays of a chunk lie close together: within it every search starts from its neighbour's.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from ..geometry.directions import patches
from ..jobs import fingerprint, sweep
from ..solvers import Exact, Status
from ..statics.equilibrium import equilibrium
from ..statics.solver import Solver
from .holders import Volumes, held_by
from .rays import Rays
from .refinement import Refinement, new_directions, retriangulated
from .space import WrenchSpace
from .subspace import Subspace

Progress = Callable[[int, int], None]

#: Nodes of a ray's search, and a time limit [s] that they never need: so a ray that stays undecided does so everywhere.
MOST_NODES, LONGEST = 30_000, 3600.0

#: Rays of one chunk: enough to make a cold start cheap, few enough to share the work evenly.
BATCH = 32


def wrench_space(
    assembly: Assembly,
    directions: ArrayLike | Rays | Subspace | str,
    *,
    volumes: Volumes = "union",
    refinement: Refinement | None = None,
    method: Exact | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    journal: str | Path | None = None,
    progress: Progress | None = None,
) -> WrenchSpace:
    """The load limits (6) of an assembly along many rays, with inner points and outer planes.

    Args:
        assembly: contacts and joint rows.
        directions: loads (n, 6), or `Rays`, or a `Subspace`, or its name such as "fx,ty,fz". A subspace is sampled on a
            regular sphere of 642 directions; torques of a named one are scaled by the assembly's `length`.
        volumes: hold by the "union" of each contact's pieces, or by its convex "hull", which is an outer approximation.
        refinement: add rays where the surface bends; needs triangles, so rays of a three-dimensional subspace.
        method: `Exact(...)`, for its gap and limits. By default a ray may take 30,000 nodes, however long they take, so
            that the results are the same on every machine.
        workers: threads, all cores by default; every chunk of rays is one thread's.
        cluster: address of a Dask scheduler ("tcp://host:port") to send the chunks to instead.
        journal: file to save to as results come, and to resume from; rounds of refinement have files of their own
            beside it (".1", ".2", ...).
        progress: called with (rays done, rays) of each round.
    """
    held_by(assembly, volumes)  # faults of either are told first
    task = RayTask(assembly, _checked_method(method), volumes)
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
    """Whatever names rays, as Rays; see `wrench_space`."""
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
    volumes: Volumes

    #: Chunks of this many rays are handed over at once.
    batch = BATCH
    #: The searches release the interpreter lock.
    prefer = "threads"

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; hulls are made anew there."""
        return {"assembly": self.assembly, "method": self.method, "volumes": self.volumes}

    @cached_property
    def held(self) -> Assembly:
        """The assembly that is asked: with hulls for volumes, where those are wanted."""
        return held_by(self.assembly, self.volumes)

    @cached_property
    def key(self) -> str:
        """What the answers depend on besides the direction."""
        limits = [self.method.gap, self.method.node_limit, self.method.time_limit]
        return fingerprint("wrench space", self.assembly.fingerprint, self.volumes, limits)

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
                "value": _written(answers.values[i]),
                "bound": _written(answers.upper_bounds[i]),
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
        """The results for directions (n, 6), in their order; round `number` has a journal of its own."""
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
        volumes=task.volumes,
        model_hash=assembly.fingerprint,
        length=assembly.length,
        star_shaped=rests or (convex and equilibrium(task.held, np.zeros(6), method=task.method).holds),
        convex=convex,
        assembly=assembly,
        method=task.method,
    )


def _joined(space: WrenchSpace, more: WrenchSpace) -> WrenchSpace:
    """Both spaces' rays as one, triangulated anew."""
    names = ("values", "upper_bounds", "status", "normals", "offsets", "joint_multipliers", "forces", "pieces")
    arrays = {name: np.concatenate([getattr(space, name), getattr(more, name)]) for name in names}
    directions = np.concatenate([space.directions, more.directions])
    return replace(space, rays=retriangulated(directions, space.rays), **arrays)


def _joint_multipliers(assembly: Assembly, multipliers: Array) -> Array:
    """(n, r) multipliers of the joint rows in their physical units, of the half-spaces' own scale."""
    sizes = np.linalg.norm(multipliers[:, :6], axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return multipliers[:, 6:] / sizes * assembly.layout.row_scale[6:]


def _written(number: float) -> float | str:
    """A number as JSON knows it: infinities and nan as texts, which `float` reads back."""
    return float(number) if np.isfinite(number) else str(float(number))


def _packed(array: Array, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")


def _unpacked(text: str, kind: str) -> Array:
    return np.frombuffer(base64.b64decode(text), dtype=kind).astype(kind[1:])


def _check_refinement(refinement: Refinement | None) -> None:
    if refinement is None:
        return
    given: Any = refinement
    number = isinstance(given, (int, float)) and not isinstance(given, bool)
    inside = f"tolerance={given:g}" if number else "tolerance=..."
    checks.instance("refinement", given, Refinement, fix=f"give holdfast.Refinement({inside})")


def _checked_method(method: Exact | None) -> Exact:
    if method is not None and not isinstance(method, Exact):
        raise InputError(
            f"is a {type(method).__name__}",
            where="method",
            fix="give a holdfast.Exact; to compare methods ray by ray use holdfast.load_limit",
        )
    return method or Exact(node_limit=MOST_NODES, time_limit=LONGEST)
