"""Supports: the largest n . w over all wrenches that are held, or over those of a subspace.

It is a load limit with fewer rows to balance. Let w = d a + x, where n . a = 1 and x is any wrench of the subspace with
n . x = 0. The balance W f + d a + x = 0 leaves x free: it holds for some x just when its projection onto what is at
right angles to all such x does. So those rows are projected, what is left over are rows of zeros, and d is n . w.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import GeometryError, InputError
from ..solvers import ContactProblem, Solution, Status
from ..statics.equilibrium import Method
from .holders import Volumes, held_by
from .proofs import holds
from .subspace import Subspace


@dataclass(frozen=True, eq=False)
class WrenchSupports:
    """The largest n . w for each of n normals, with the wrench that attains it and the proof that none exceeds it.

    Attributes:
        assembly: what was asked about; with hulls for volumes, where those were wanted.
        normals: (n, 6) the normals as given; against wrenches with torques about the world origin.
        subspace: where the wrenches lie, or None for all.
        problems: the projected problems, one a normal.
        solutions: their solutions, one a normal.
    """

    assembly: Assembly
    normals: Array
    subspace: Subspace | None
    problems: Sequence[ContactProblem]
    solutions: Sequence[Solution]

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

    @cached_property
    def forces(self) -> Array:
        """(n, k, 3) world forces that hold `points`; nan where there are none."""
        nothing = np.full((len(self.assembly), 3), np.nan)
        local = np.array([nothing if s.forces is None else s.forces for s in self.solutions])
        return np.einsum("kij,nkj->nki", self.assembly.rotations, local.reshape(len(self), -1, 3))

    @cached_property
    def points(self) -> Array:
        """(n, 6) held wrenches that attain `values`; some held wrench where there is no limit, nan where none is."""
        return -self.forces.reshape(len(self), -1) @ self.assembly.wrench_matrix.T

    def verify(self) -> bool:
        """Whether every point is held and attains its value, and every bound is proven; without the solver.

        Values without a limit are not confirmed: False.
        """
        if not np.isin(self.status, [Status.OPTIMAL, Status.DOES_NOT_HOLD]).all():
            return False
        proven = all(
            s.certificate is not None and s.certificate.claim is not None and s.certificate.verify(p)
            for s, p in zip(self.solutions, self.problems, strict=True)
        )
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

    @cached_property
    def _sizes(self) -> Array:
        """(n,) what n . w would be of the largest force at a point along the normal, for rounding."""
        largest = np.nanmax(np.abs(self.forces), axis=(1, 2), initial=0.0)
        return largest * np.abs(self.normals / _scaling(self.assembly)).max(axis=1)


def wrench_supports(
    assembly: Assembly,
    normals: ArrayLike,
    *,
    subspace: Subspace | str | None = None,
    volumes: Volumes = "union",
    method: Method | None = None,
) -> WrenchSupports:
    """max n . w over all external wrenches w that are held, exact over unions; or over those w of a subspace.

    Args:
        assembly: contacts and joint rows.
        normals: (n, 6) vectors n; torques of w are about the world origin, so a normal's torque part has the unit
            1/m where its force part has none.
        subspace: take the largest over this slice of the wrench space only: a `Subspace`, or its name such as
            "fx,ty,fz", whose torques are scaled by the assembly's `length`.
        volumes: hold by the "union" of each contact's pieces, or by its convex "hull".
        method: how to solve; `Exact()` by default.
    """
    held = held_by(assembly, volumes)
    if isinstance(subspace, str):
        subspace = Subspace.named(subspace, length=assembly.length)
    if subspace is not None:
        checks.instance("subspace", subspace, Subspace, fix='give a holdfast.Subspace, or its name such as "fx,fy,fz"')
    rows = checks.array("normals", normals, ("n", 6))
    zero = ~rows.any(axis=1)
    if zero.any():
        where = f"normals[{int(zero.argmax())}]"
        raise InputError("is zero and has no direction", where=where, fix="give a non-zero normal")
    if method is None:
        from ..solvers import Exact

        method = Exact()
    problems = [support_problem(held, n, subspace, where=f"normals[{i}]") for i, n in enumerate(rows)]
    return WrenchSupports(held, rows, subspace, problems, [method.maximise(problem) for problem in problems])


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
            "is at right angles to the whole subspace",
            where=where,
            fix="give a normal along which the slice extends at all",
        )
    # The first row of `turn` is the way that counts; the others are the free wrenches.
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
    return ContactProblem(replace(layout, maps=maps, row_scale=scale), load)


def _scaling(assembly: Assembly) -> Array:
    """(6,) what makes a normal's parts comparable: its torque part counts by 1 / length."""
    return np.repeat([1.0, 1.0 / assembly.length], 3)


def _lie_in(subspace: Subspace, assembly: Assembly, wrenches: Array) -> Array:
    """(n,) whether wrenches lie in the subspace up to the rounding of a balance."""
    coordinates = wrenches @ np.linalg.pinv(subspace.axes)
    off = assembly.loads(wrenches - coordinates @ subspace.axes)[:, :6]
    size = np.abs(assembly.loads(wrenches)[:, :6]).max(axis=1)
    return np.abs(off).max(axis=1) <= 1e3 * tolerances.FEASIBILITY * np.maximum(size, assembly.layout.smallest_size)
