"""Is a wrench in a grip? Each answer with what proves it: weights of vertices and rays, or a separating direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import tolerances
from ..checks import Array, IntArray
from ..solvers import Status

#: Feasibility tolerance of the linear programs, the least that HiGHS takes.
LP_FEASIBILITY = 1e-10


@dataclass(frozen=True, eq=False)
class GripMembership:
    """The answer to "is this wrench in the grip?"; true when it surely is.

    Attributes:
        status: HOLDS, DOES_NOT_HOLD, or UNDECIDED between an inner and an outer set.
        wrench: (6,) what was asked about, in the palm frame.
        weights: (n,) of the vertices, at least zero with sum 1; None where no combination proves it.
        ray_weights: (m,) of the rays, at least zero; None alike.
        separator: (6,) y with y . w > h(y) of the set; None where nothing separates it.
        support: h(y), the largest y . v over the set; nan without a separator.
    """

    status: Status
    wrench: Array
    weights: Array | None = None
    ray_weights: Array | None = None
    separator: Array | None = None
    support: float = np.nan

    def __bool__(self) -> bool:
        return self.status is Status.HOLDS

    def __repr__(self) -> str:
        return f"GripMembership({self.status.value})"

    @property
    def excess(self) -> float:
        """y . w - h(y): by how much the separating direction wins; nan without one."""
        return np.nan if self.separator is None else float(self.separator @ self.wrench) - self.support


def in_hull(vertices: Array, rays: Array, wrench: Array, length: float) -> GripMembership:
    """Membership of a wrench (6,) in conv(vertices) + cone(rays), torques divided by `length` [m].

    One linear program finds the combination nearest to the wrench, in the sum of absolute parts; its multipliers are
    the separating direction. What it claims is checked anew from the vertices themselves.
    """
    from scipy.optimize import linprog

    unit = np.repeat([1.0, length], 3)
    corners, target = vertices / unit, wrench / unit
    size = max(float(np.abs(corners).max()), float(np.abs(target).max())) or 1.0
    directions = rays / unit
    directions = directions / np.abs(directions).max(axis=1, keepdims=True, initial=0.0)
    centre = corners.mean(axis=0)  # about it, a set far from zero keeps its digits
    columns = np.concatenate([(corners - centre) / size, directions, np.eye(6), -np.eye(6)]).T
    ones = np.zeros(columns.shape[1])
    ones[: len(corners)] = 1.0
    cost = np.zeros(columns.shape[1])
    cost[-12:] = 1.0
    found = linprog(
        cost,
        A_eq=np.vstack([columns, ones]),
        b_eq=np.append((target - centre) / size, 1.0),
        method="highs",
        options={"primal_feasibility_tolerance": LP_FEASIBILITY, "dual_feasibility_tolerance": LP_FEASIBILITY},
    )
    if found.status != 0:
        return GripMembership(Status.UNDECIDED, wrench)
    weights = np.maximum(found.x[: len(corners)], 0.0)
    weights /= weights.sum()
    along = np.maximum(found.x[len(corners) : -12], 0.0)
    miss = np.abs(weights @ corners + size * along @ directions - target).max()
    if miss <= tolerances.MEMBERSHIP * size:
        scale = size / np.abs(rays / unit).max(axis=1, initial=0.0)
        return GripMembership(Status.HOLDS, wrench, weights=weights, ray_weights=along * scale)
    y = np.asarray(found.eqlin.marginals[:6])
    climbs = (directions @ y).max(initial=0.0)
    best = float((corners @ y).max())
    wins = y @ target - best > tolerances.SEPARATION * size * np.abs(y).sum()
    if not wins or climbs > tolerances.RAY_SLOPE * np.linalg.norm(y):
        return GripMembership(Status.UNDECIDED, wrench)
    separator = y / unit
    return GripMembership(
        Status.DOES_NOT_HOLD, wrench, separator=separator, support=float((vertices @ separator).max())
    )


# --------------------------------------------------------------------------------------------------
# Which vertices, rays and planes of a grip count: all others are made superfluous by these.
#
# Clarkson's way: each row is tested against those that are known to count, not against all. When it stands apart from
# them, the direction that shows it leads to a row that surely counts.
# --------------------------------------------------------------------------------------------------

#: Directions whose furthest vertices are taken to begin with, a dimension.
FIRST = 16

#: Seed of these directions; what comes out does not depend on it.
SEED = 6


def extreme_rows(vertices: Array, rays: Array, length: float) -> IntArray:
    """Rows of `vertices` (n, 6) that are corners of conv(vertices) + cone(rays), in order; the first of equal ones.

    A set that a line of rays runs through has no corners: then rows enough to give the set.
    """
    unit = np.repeat([1.0, length], 3)
    corners = vertices / unit
    size = float(np.abs(corners).max()) or 1.0
    merged = np.round((corners - corners.mean(axis=0)) / (tolerances.MERGE * size))
    left = np.sort(np.unique(merged, axis=0, return_index=True)[1])
    known = _furthest(corners, rays / unit, left)
    for row in left.tolist():
        while row not in known:
            kept = sorted(known)
            found = in_hull(vertices[kept], rays, vertices[row], length)
            if found.separator is None:
                break
            values = vertices[left] @ found.separator
            known.add(int(left[_first_of(vertices[left], values)]))
    kept = sorted(known)
    if len(kept) <= 1 or not len(rays):
        return np.array(kept, dtype=np.int64)
    return _without_superfluous(vertices, rays, length, kept)


def _furthest(corners: Array, rays: Array, left: IntArray) -> set[int]:
    """Rows that go furthest in directions drawn at random, in which no ray climbs."""
    drawn = np.random.default_rng(SEED).standard_normal((6 * FIRST, 6))
    spread = np.ptp(corners[left], axis=0)
    drawn /= np.where(spread > 0.0, spread, 1.0)
    if len(rays):
        drawn = drawn[(drawn @ rays.T <= 0.0).all(axis=1)]
    rows = {int(left[i]) for i in (corners[left] @ drawn.T).argmax(axis=0)} if len(drawn) else set()
    return rows or {int(left[0])}


def _first_of(rows: Array, values: Array) -> int:
    """The row of the largest value; among equal ones the first by its coordinates, which is a corner of their face."""
    top = np.nonzero(values >= values.max())[0]
    return int(top[np.lexsort(rows[top].T)[0]])


def _without_superfluous(vertices: Array, rays: Array, length: float, kept: list[int]) -> IntArray:
    """With rays, a row that went furthest may still lie on a ray of another one."""
    for row in list(kept):
        others = [other for other in kept if other != row]
        if others and in_hull(vertices[others], rays, vertices[row], length).status is Status.HOLDS:
            kept = others
    return np.array(kept, dtype=np.int64)


def extreme_rays(rays: Array, length: float) -> IntArray:
    """Rows of `rays` (m, 6) that the others do not give; the first of parallel ones."""
    unit = np.repeat([1.0, length], 3)
    ways = rays / unit
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    kept = np.sort(np.unique(np.round(ways / tolerances.MERGE), axis=0, return_index=True)[1]).tolist()
    for row in list(kept):
        others = [other for other in kept if other != row]
        if others and in_hull(np.zeros((1, 6)), ways[others], ways[row], 1.0).status is Status.HOLDS:
            kept = others
    return np.array(kept, dtype=np.int64)


def needed_planes(normals: Array, offsets: Array) -> IntArray:
    """Rows of normals . x <= offsets, normals of length 1, without which the set would be larger.

    Of an empty set all are kept: no plane alone makes it empty.
    """
    from scipy.optimize import linprog

    size = float(np.abs(offsets).max(initial=0.0)) or 1.0
    rows = np.column_stack([normals, offsets / size])
    kept = np.sort(np.unique(np.round(rows / tolerances.MERGE), axis=0, return_index=True)[1]).tolist()
    everything = linprog(np.zeros(6), A_ub=normals, b_ub=offsets / size, bounds=(None, None)) if len(kept) else None
    if everything is None or everything.status != 0:
        return np.arange(len(normals))
    for row in list(kept):
        others = [other for other in kept if other != row]
        # The plane itself, one size further out, keeps the program bounded.
        planes = np.concatenate([normals[others], normals[row][None]])
        levels = np.concatenate([offsets[others], [offsets[row] + size]]) / size
        found = linprog(-normals[row], A_ub=planes, b_ub=levels, bounds=(None, None), method="highs")
        if found.status == 0 and -found.fun <= offsets[row] / size + tolerances.MERGE:
            kept = others
    return np.array(kept, dtype=np.int64)
