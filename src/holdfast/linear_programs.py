"""Linear programs: one call, one result, one set of outcomes, for every feature.

Dense programs of moderate size go through `minimise` (HiGHS inside scipy). Programs that grow column by column are in
`solvers.highs`; the compiled kernels for millions of small programs are in the features that need them.

Where many points solve such a program, `even_shares` chooses the one of least norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import numpy as np

from .checks import Array

#: Bounds of variables: any sign, or at least 0.
FREE = (None, None)
NONNEGATIVE = (0.0, None)

#: How exactly rows and reduced costs are met where a caller asks for the most that HiGHS can do.
TIGHT = 1e-10


class Outcome(StrEnum):
    """How a program ended."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    LIMIT = "limit reached"
    NUMERICAL = "numerical difficulties"


#: Status codes of `scipy.optimize.linprog`.
_OUTCOMES = {
    0: Outcome.OPTIMAL,
    1: Outcome.LIMIT,
    2: Outcome.INFEASIBLE,
    3: Outcome.UNBOUNDED,
    4: Outcome.NUMERICAL,
}


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """The answer to min c x: outcome, and where it is optimal the point, the value and the multipliers.

    Multipliers have the sign of scipy's marginals: the change of the minimum per unit of the right-hand side.
    """

    outcome: Outcome
    x: Array  # (n,), nan where there is no optimum
    value: float  # the minimum of c x, nan where there is none
    upper_marginals: Array  # (rows of A_ub,)
    equality_marginals: Array  # (rows of A_eq,)
    message: str

    @property
    def optimal(self) -> bool:
        """Whether an optimum was found."""
        return self.outcome is Outcome.OPTIMAL


def minimise(
    cost: Any,
    A_ub: Any = None,
    b_ub: Any = None,
    A_eq: Any = None,
    b_eq: Any = None,
    *,
    bounds: Any = FREE,
    tolerance: float | None = None,
    presolve: bool = True,
    method: Literal["highs", "highs-ds", "highs-ipm"] = "highs",
) -> LinearSolution:
    """Minimise cost . x subject to A_ub x <= b_ub, A_eq x = b_eq and `bounds`.

    Args:
        cost: (n,) objective.
        A_ub, b_ub: inequality rows, or None.
        A_eq, b_eq: equality rows, or None.
        bounds: one pair for all variables (`FREE`, the default, or `NONNEGATIVE`), or a pair per variable.
        tolerance: feasibility tolerance of HiGHS, absolute after the caller's scaling; None for its default 1e-7.
        presolve: whether HiGHS may reduce the program first.
        method: the algorithm of HiGHS.
    """
    from scipy.optimize import linprog

    options: dict[str, Any] = {} if presolve else {"presolve": False}
    if tolerance is not None:
        options |= {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
    found = linprog(
        cost, A_ub=A_ub, b_ub=b_ub, A_eq=A_eq, b_eq=b_eq, bounds=bounds, method=method, options=options or None
    )
    outcome = _OUTCOMES[found.status]
    n = len(np.atleast_1d(cost))
    if outcome is not Outcome.OPTIMAL:
        nothing = np.full(0, np.nan)
        return LinearSolution(outcome, np.full(n, np.nan), float("nan"), nothing, nothing, str(found.message))
    return LinearSolution(
        outcome,
        np.asarray(found.x, dtype=float),
        float(found.fun),
        np.asarray(found.ineqlin.marginals, dtype=float),
        np.asarray(found.eqlin.marginals, dtype=float),
        str(found.message),
    )


# The most even of all points in a product of convex sets that meet linear rows: the one of least norm.

#: Weight of the rows beside the norm: the error of the rows falls by about its square in every round.
ROW_WEIGHT = 100.0

#: Rounds of corrected rows, at most; and how exactly rows are met, absolute after scaling.
MOST_ROUNDS, ROWS_MET = 60, 1e-12

#: A column gains when its slope exceeds this share of its length times that of the right-hand side.
PRICED = 1e-13

#: Coordinates below this share of the largest are rounding.
DUST = 1e-11

#: Points further apart than this share of their size are different choices.
DIFFERENT = 1e-6


@dataclass(frozen=True, eq=False)
class EvenShares:
    """The points of least norm, one in each set.

    Attributes:
        points: (k, p) the points.
        vertex_weights: (v_i,) weights of each set's vertices; at least 0, they sum to 1 up to rounding.
        ray_weights: (r_i,) weights of each set's rays; at least 0.
        unique: whether no other points meet the rows.
    """

    points: Array
    vertex_weights: tuple[Array, ...]
    ray_weights: tuple[Array, ...]
    unique: bool


def even_shares(
    vertices: Sequence[Array],
    rays: Sequence[Array],
    maps: Array,
    lower: Array,
    upper: Array,
    sizes: Array,
    known: Array,
) -> EvenShares | None:
    """The points x_i in hull(vertices_i) + cone(rays_i) that minimise sum_i |x_i / sizes_i|^2 within linear rows.

        lower <= sum_i maps_i x_i <= upper

    The minimum is unique, so that it has every symmetry of sets and rows. Weights w >= 0 of vertices and rays solve a
    non-negative least-squares problem in which the rows have a large weight; adding what they miss to their right-hand
    side and solving again (the method of multipliers) meets them to rounding in a few rounds.

    Args:
        vertices: (v_i, p) of each set.
        rays: (r_i, p) of each set; r_i may be 0.
        maps: (k, m, p) from the point of each set to the rows.
        lower, upper: (m,) bounds; infinite where there is none.
        sizes: (k, p) what each coordinate is divided by.
        known: (k, p) points that meet the rows: where they are others, the points found are not unique.

    Returns:
        The points; None where no point meets the rows, or numbers do not allow to tell.
    """
    # Rows are divided by the largest right-hand side, rays stretched to the size of the points to be expected.
    finite = np.concatenate([lower[np.isfinite(lower)], upper[np.isfinite(upper)]])
    unit = float(np.abs(finite).max(initial=0.0)) or max(float(np.abs(v).max()) for v in vertices) or 1.0
    k, width = len(vertices), sizes.shape[1]
    stretched = [r * (unit / np.linalg.norm(r, axis=1, keepdims=True)) for r in rays]
    columns = np.concatenate([np.concatenate(pair) for pair in zip(vertices, stretched, strict=True)])
    counts = np.array([[len(v), len(r)] for v, r in zip(vertices, rays, strict=True)])
    owner = np.repeat(np.arange(k), counts.sum(axis=1))
    is_vertex = np.repeat(np.tile([1.0, 0.0], k), counts.ravel())
    n = len(columns)
    values = np.einsum("nmp,np->mn", maps[owner], columns) / unit
    equal = lower == upper
    above, below = np.isfinite(upper) & ~equal, np.isfinite(lower) & ~equal
    slacks = np.concatenate([np.ones(above.sum()), -np.ones(below.sum())])
    rows = np.zeros((int(equal.sum()) + len(slacks) + k, n + len(slacks)))
    rows[: -k or None, :n] = np.concatenate([values[equal], values[above], values[below]])
    rows[equal.sum() : -k or None, n:] = np.diag(slacks)
    rows[len(rows) - k + owner, np.arange(n)] = is_vertex
    wanted = np.concatenate([lower[equal] / unit, upper[above] / unit, lower[below] / unit, np.ones(k)])
    norm = np.zeros((k * width, n + len(slacks)))
    for axis in range(width):
        norm[width * owner + axis, np.arange(n)] = columns[:, axis] / sizes[owner, axis]
    lengths = np.linalg.norm(rows, axis=1)
    rows, wanted = rows / np.where(lengths, lengths, 1.0)[:, None], wanted / np.where(lengths, lengths, 1.0)
    weight = ROW_WEIGHT * (float(np.linalg.norm(norm, axis=0).max()) or 1.0)
    matrix, missed = np.concatenate([weight * rows, norm]), np.zeros(len(rows))
    met = ROWS_MET * max(1.0, float(np.abs(wanted).max()))
    group = np.concatenate([owner, np.arange(k, k + len(slacks))])  # columns of one set enter one at a time
    active = np.concatenate([is_vertex == 0.0, np.ones(len(slacks), dtype=bool)])
    active[np.cumsum(counts.sum(axis=1)) - counts.sum(axis=1)] = True
    for _ in range(MOST_ROUNDS):
        weights = _nonnegative(matrix, np.concatenate([weight * (wanted + missed), np.zeros(len(norm))]), active, group)
        if weights is None:
            return None
        left = wanted - rows @ weights
        if np.abs(left).max() <= met:
            break
        missed += left
    else:
        return None

    def mixed(weights: Array) -> Array:
        points = np.zeros((k, width))
        np.add.at(points, owner, weights[:n, None] * columns)
        return points

    points = mixed(weights)
    points[np.abs(points / sizes) <= DUST * np.abs(points / sizes).max()] = 0.0
    parts = np.split(weights[:n], np.cumsum(counts.ravel())[:-1])
    lengthened = [unit / np.linalg.norm(r, axis=1) for r in rays]
    return EvenShares(
        points,
        tuple(parts[::2]),
        tuple(w * stretch for w, stretch in zip(parts[1::2], lengthened, strict=True)),
        not _differ(points, known, sizes) and _is_only(rows, wanted, norm, mixed, points, sizes),
    )


def _nonnegative(matrix: Array, wanted: Array, active: Any, group: Array) -> Array | None:
    """Weights w >= 0 of least |matrix w - wanted|; None where they are not found.

    Only `active` columns are mixed; of each group the column that gains most becomes active, until none gains.
    """
    from scipy.optimize import nnls

    lengths = np.linalg.norm(matrix, axis=0)
    while True:
        weights = np.zeros(len(active))
        try:
            weights[active], _ = nnls(matrix[:, active], wanted)
        except RuntimeError:  # too many iterations
            return None
        slopes = (matrix @ weights - wanted) @ matrix
        slopes[active] = 0.0
        best = np.zeros(int(group.max()) + 1)
        np.minimum.at(best, group, slopes)
        entering = (slopes <= best[group]) & (slopes < -PRICED * lengths * np.linalg.norm(wanted))
        if not entering.any():
            return weights
        active |= entering


def _is_only(rows: Array, wanted: Array, norm: Array, mixed: Any, points: Array, sizes: Array) -> bool:
    """Whether no other points meet the rows: none lies further along a direction drawn at random, or its opposite."""
    drawn = np.random.default_rng(0).normal(size=len(norm)) @ norm
    for cost in (drawn, -drawn):
        found = minimise(cost, A_eq=rows, b_eq=wanted, bounds=NONNEGATIVE)
        if found.outcome is Outcome.UNBOUNDED:
            return False
        if found.optimal and _differ(mixed(found.x), points, sizes):
            return False
    return True


def _differ(first: Array, second: Array, sizes: Array) -> bool:
    size = max(float(np.abs(first / sizes).max()), float(np.abs(second / sizes).max()))
    return float(np.abs((first - second) / sizes).max()) > DIFFERENT * size
