"""Membership: which wrenches a space holds, each with its proof."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError
from ..linear_programs import NONNEGATIVE, TIGHT, minimise
from ..results import Result
from ..solvers import Status
from ..statics.holding import Equilibrium, equilibrium

if TYPE_CHECKING:
    from .space import WrenchSpace

#: Number of wrenches times planes in one block; limits the memory.
BLOCK = 4_000_000


class Proof(StrEnum):
    """Why a wrench is held or not; the value is the message."""

    NONE = "not decided"
    PLANE = "beyond an outer plane"
    BOUND = "beyond the bound of its ray"
    RAY = "within the value of its ray"
    POINTS = "between inner points of a convex space"
    SOLVER = "decided by the solver"


@dataclass(frozen=True, eq=False)
class Membership(Result):
    """Results of the question whether wrenches are in a space: yes, no or undecided.

    Attributes:
        space: the space.
        wrenches: (n, 6) the wrenches.
        status: (n,) of Status: HOLDS, DOES_NOT_HOLD or UNDECIDED.
        proofs: (n,) of Proof.
        witnesses: (n,) the ray whose value, bound or plane decides it, or -1.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("wrenches", "status", "proofs")

    space: WrenchSpace
    wrenches: Array
    status: Array
    proofs: Array
    witnesses: IntArray

    def __repr__(self) -> str:
        counts = ", ".join(f"{(self.status == s).sum()} {s}" for s in Status if (self.status == s).any())
        return f"Membership({counts or 'none'})"

    def __len__(self) -> int:
        return len(self.wrenches)

    def __bool__(self) -> bool:
        if len(self) != 1:
            fix = "use .inside.all(), .inside.any() or one wrench at a time"
            raise InputError(f"has {len(self)} results, not one truth value", where="contains", fix=fix)
        return bool(self.inside[0])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> BoolArray:
        return np.array(self.inside, dtype=dtype if dtype is not None else bool)

    def to_dict(self) -> dict[str, Any]:
        """As plain data: verdict and proof of each wrench."""
        return {
            "wrenches": self.wrenches.tolist(),
            "status": [str(status) for status in self.status],
            "proofs": [str(proof) for proof in self.proofs],
            "witnesses": self.witnesses.tolist(),
        }

    @property
    def inside(self) -> BoolArray:
        """(n,) guaranteed to be held."""
        return self.status == Status.HOLDS

    @property
    def outside(self) -> BoolArray:
        """(n,) guaranteed not to be held."""
        return self.status == Status.DOES_NOT_HOLD

    @property
    def undecided(self) -> BoolArray:
        """(n,) neither."""
        return self.status == Status.UNDECIDED

    def __getitem__(self, index: int) -> Equilibrium:
        """One full result with forces or certificate, computed by the solver."""
        return equilibrium(self.space.held_assembly, self.wrenches[index], method=self.space.method)


def membership(space: WrenchSpace, wrenches: ArrayLike, *, ask: bool = True) -> Membership:
    """Decide wrenches (n, 6) by planes, rays and inner points, the others by the solver; see `WrenchSpace.contains`."""
    loads = checks.rows("wrenches", wrenches, 6).reshape(-1, 6)
    status = np.full(len(loads), Status.UNDECIDED, dtype=object)
    proofs = np.full(len(loads), Proof.NONE, dtype=object)
    witnesses = np.full(len(loads), -1, dtype=np.int64)

    def settle(rows: Array, verdict: Status, proof: Proof, witness: Array | int = -1) -> None:
        status[rows], proofs[rows], witnesses[rows] = verdict, proof, witness

    beyond, plane = _beyond_planes(space, loads)
    settle(beyond, Status.DOES_NOT_HOLD, Proof.PLANE, plane[beyond])
    left = np.nonzero(status == Status.UNDECIDED)[0]
    if len(left):
        ray, multiple = _on_rays(space, loads[left])
        on = ray >= 0
        least = 0.0 if space.star_shaped else -np.inf  # the zero load is held in spite of rounding
        bounds, values = (np.maximum(found[ray], least) for found in (space.upper_bounds, space.values))
        size = np.where(np.isfinite(bounds), np.abs(bounds), 0.0)
        over = on & (multiple - bounds > tolerances.SEPARATION * size)
        under = on & (multiple <= values * (1.0 + tolerances.FEASIBILITY))
        settle(left[over], Status.DOES_NOT_HOLD, Proof.BOUND, ray[over])
        if space.star_shaped:
            settle(left[under], Status.HOLDS, Proof.RAY, ray[under])
    left = np.nonzero(status == Status.UNDECIDED)[0]
    if len(left) and space.convex:
        settle(left[_between_points(space, loads[left])], Status.HOLDS, Proof.POINTS)
    left = np.nonzero(status == Status.UNDECIDED)[0]
    if len(left) and ask and space.assembly is not None:
        _ask(space, loads, left, status, proofs)
    return Membership(space, loads, status, proofs, witnesses)


def _beyond_planes(space: WrenchSpace, loads: Array) -> tuple[BoolArray, IntArray]:
    """(beyond (n,), plane (n,)): whether a wrench is beyond an outer plane, and the plane that it exceeds most."""
    known = np.nonzero(np.isfinite(space.offsets))[0]
    beyond, which = np.zeros(len(loads), dtype=bool), np.full(len(loads), -1, dtype=np.int64)
    if not len(known):
        return beyond, which
    normals, offsets = space.normals[known], space.offsets[known]
    for first in range(0, len(loads), max(1, BLOCK // len(known))):
        rows = slice(first, first + max(1, BLOCK // len(known)))
        size = np.abs(loads[rows]) @ np.abs(normals).T + np.abs(offsets)
        over = loads[rows] @ normals.T - offsets - tolerances.SEPARATION * size
        share = np.divide(over, size, out=np.full(over.shape, -1.0), where=size > 0.0)
        best = share.argmax(axis=1)
        beyond[rows], which[rows] = share[np.arange(len(best)), best] > 0.0, known[best]
    return beyond, which


def _on_rays(space: WrenchSpace, loads: Array) -> tuple[IntArray, Array]:
    """(ray (n,), multiple (n,)): the ray that a wrench lies on, -1 where there is none, and its multiple there.

    The zero wrench lies on all of them; ray 0 is returned.
    """
    from scipy.spatial import KDTree

    directions = space.directions
    force, torque = np.abs(directions[:, :3]).max(), np.abs(directions[:, 3:]).max()
    sizes = np.repeat([force or torque / space.length, torque or force * space.length], 3)
    rays, rows = directions / sizes, loads / sizes
    lengths, reach = np.linalg.norm(rays, axis=1), np.linalg.norm(rows, axis=1)
    zero = reach == 0.0
    distance, nearest = KDTree(rays / lengths[:, None]).query(rows / np.where(zero, 1.0, reach)[:, None])
    ray = np.where(distance <= tolerances.MERGE, nearest, -1).astype(np.int64)
    ray[zero] = 0
    return ray, np.where(zero, 0.0, reach / lengths[ray])


def _between_points(space: WrenchSpace, loads: Array) -> BoolArray:
    """(n,) whether wrenches lie in the hull of the inner points of a convex space and its unbounded rays."""
    finite, endless = np.isfinite(space.values), space.values == np.inf
    if not finite.any():
        return np.zeros(len(loads), dtype=bool)
    if space.subspace is None or len(space.subspace) > 3:
        points, rays = space.points[finite], space.directions[endless]
        return _in_hull(points, rays, loads, length=space.length, star_shaped=space.star_shaped)
    from ..geometry.polytopes import Polytope

    result = np.zeros(len(loads), dtype=bool)
    within = np.nonzero(space.subspace.contains(loads))[0]
    scales = space.subspace.scales
    corners = space.coordinates[finite] / scales
    if space.star_shaped:
        corners = np.concatenate([corners, np.zeros((1, corners.shape[1]))])
    rays = space.subspace.coordinates(space.directions[endless]) / scales
    hull = Polytope(corners, rays if len(rays) else None)
    result[within] = hull.contains(space.subspace.coordinates(loads[within]) / scales)
    return result


def _in_hull(points: Array, rays: Array, loads: Array, *, length: float, star_shaped: bool) -> BoolArray:
    """(n,) whether wrenches are convex combinations of points plus rays, by one linear program each.

    The combination is checked again: it must equal the wrench up to rounding, torques divided by `length` [m].
    Combinations that are only near the wrench do not count.
    """
    corners = np.concatenate([points, np.zeros((1, 6))]) if star_shaped else points
    unit = np.repeat([1.0, length], 3)
    vectors = np.concatenate([corners, rays]) / unit
    size = float(np.abs(vectors).max()) or 1.0
    weights = np.append(np.ones(len(corners)), np.zeros(len(rays)))
    matrix, cost = np.vstack([vectors.T / size, weights]), np.zeros(len(vectors))
    inside = np.zeros(len(loads), dtype=bool)
    for row, load in enumerate(loads / unit):
        target = np.append(load / size, 1.0)
        found = minimise(cost, A_eq=matrix, b_eq=target, bounds=NONNEGATIVE, tolerance=TIGHT)
        if found.optimal:
            share = np.maximum(found.x, 0.0)
            share[: len(corners)] /= share[: len(corners)].sum()
            inside[row] = np.abs(vectors.T @ share - load).max() <= tolerances.MEMBERSHIP * np.abs(load).max()
    return inside


def _ask(space: WrenchSpace, loads: Array, left: Array, status: Array, proofs: Array) -> None:
    """Decide the rows in `left` by the solver."""
    from ..solvers import Exact
    from ..statics.solver import Solver

    if space.method is not None and not isinstance(space.method, Exact):
        raise InputError(f"is a {type(space.method).__name__}", where="method", fix="give a holdfast.solvers.Exact")
    answers = Solver(space.held_assembly, space.method).equilibrium_many(loads[left])
    status[left] = answers.status
    proofs[left[answers.status != Status.UNDECIDED]] = Proof.SOLVER
