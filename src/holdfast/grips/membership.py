"""Is a wrench in a grip? Each answer with what proves it: weights of vertices and rays, or a separating direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import tolerances
from ..checks import Array
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
