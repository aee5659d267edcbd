"""Linear programs: one function, one type of result and one set of outcomes for all features.

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
    time_limit: float | None = None,
) -> LinearSolution:
    """Minimise cost . x subject to A_ub x <= b_ub, A_eq x = b_eq and `bounds`.

    Args:
        cost: (n,) objective.
        A_ub, b_ub: inequality rows, dense or sparse, or None.
        A_eq, b_eq: equality rows, dense or sparse, or None.
        bounds: one pair for all variables (`FREE`, the default, or `NONNEGATIVE`), or a pair per variable.
        tolerance: feasibility tolerance of HiGHS, absolute after the caller's scaling; None for its default 1e-7.
        presolve: whether HiGHS may reduce the program first.
        method: the algorithm of HiGHS.
        time_limit: seconds before the outcome is `LIMIT`; no limit by default.
    """
    from scipy.optimize import linprog

    options: dict[str, Any] = {} if presolve else {"presolve": False}
    if tolerance is not None:
        options |= {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
    if time_limit is not None:
        options["time_limit"] = time_limit
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

#: Weight of the rows relative to the norm: the error of the rows falls by about its square in every round.
ROW_WEIGHT = 100.0

#: Rounds of corrected rows, at most; and how exactly rows are met, absolute after scaling.
MOST_ROUNDS, ROWS_MET = 60, 1e-12

#: A column gains when its slope exceeds this share of its length times that of the right-hand side.
PRICED = 1e-13

#: Weights below this share of the largest count as zero.
NO_WEIGHT = 1e-14

#: Columns are dependent when one is left with less than this share of the longest.
DEPENDENT = 1e-10

#: Problems of at most this many rows are solved here; larger ones by scipy's compiled method, which loads in 0.2 s.
SMALL = 100

#: Exchanges of one least-squares problem, at most, per row.
MOST_EXCHANGES = 20

#: Coordinates below the first share of the largest are rounding; points that differ by more than the second share are
#: different points.
DUST, DIFFERENT = 1e-11, 1e-6

#: Distance of the targets that are used to find out whether there are other points, in sizes of the points.
FAR = 100.0


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
        known: (k, p) points that meet the rows; if they differ from the points found, these are not unique.

    Returns:
        The points; None where no point meets the rows, or rounding prevents a decision.
    """
    # Rows are divided by the largest right-hand side, rays stretched to the size of the points to be expected.
    finite = np.concatenate([lower[np.isfinite(lower)], upper[np.isfinite(upper)]])
    unit = float(np.abs(finite).max(initial=0.0)) or max(float(np.abs(v).max()) for v in vertices) or 1.0
    lengths = [np.linalg.norm(r, axis=1) / unit for r in rays]
    stretched = [r / length[:, None] for r, length in zip(rays, lengths, strict=True)]
    counts = np.array([[len(v), len(r)] for v, r in zip(vertices, rays, strict=True)])
    owner = np.repeat(np.arange(len(vertices)), counts.sum(axis=1))
    columns = np.concatenate([np.concatenate(pair) for pair in zip(vertices, stretched, strict=True)])
    program = _NormProgram(columns, owner, np.repeat(np.tile([1.0, 0.0], len(vertices)), counts.ravel()), sizes)
    program.add_rows(np.einsum("nmp,np->mn", maps[owner], columns) / unit, lower / unit, upper / unit)
    weights = program.nearest(np.zeros(sizes.size))
    if weights is None:
        return None
    points = program.points(weights)
    points[np.abs(points / sizes) <= DUST * np.abs(points / sizes).max()] = 0.0
    unique = not _differ(points, known, sizes)
    far = FAR * (float(np.abs(points / sizes).max()) or 1.0) * np.random.default_rng(0).normal(size=sizes.size)
    for target in (far, -far) if unique else ():
        other = program.nearest(target, weights)
        unique = unique and other is not None and not _differ(program.points(other), points, sizes)
    parts = np.split(weights[: len(owner)], np.cumsum(counts.ravel())[:-1])
    stretches = (w / length for w, length in zip(parts[1::2], lengths, strict=True))
    return EvenShares(points, tuple(parts[::2]), tuple(stretches), unique)


def _differ(first: Array, second: Array, sizes: Array) -> bool:
    size = max(float(np.abs(first / sizes).max()), float(np.abs(second / sizes).max()))
    return float(np.abs((first - second) / sizes).max()) > DIFFERENT * size


class _NormProgram:
    """Weights w >= 0 of least |norm w - target| with rows w = wanted."""

    def __init__(self, columns: Array, owner: Array, is_vertex: Array, sizes: Array) -> None:
        """Mix `columns` (n, p), each of the set `owner` (n,); vertices of a set have weights that sum to 1."""
        n, (k, width) = len(columns), sizes.shape
        self.columns, self.owner, self.shape = columns, owner, sizes.shape
        self.norm = np.zeros((k * width, n))
        for axis in range(width):
            self.norm[width * owner + axis, np.arange(n)] = columns[:, axis] / sizes[owner, axis]
        self.rows, self.wanted = np.zeros((k, n)), np.ones(k)
        self.rows[owner, np.arange(n)] = is_vertex

    def add_rows(self, values: Array, lower: Array, upper: Array) -> None:
        """Rows (m, n) with bounds (m,); inequalities get a slack column each."""
        equal = lower == upper
        above, below = np.isfinite(upper) & ~equal, np.isfinite(lower) & ~equal
        slacks = np.diag(np.repeat([1.0, -1.0], [int(above.sum()), int(below.sum())]))
        bounded = np.concatenate([values[above], values[below]])
        rows = np.zeros((len(self.rows) + int(equal.sum()) + len(bounded), values.shape[1] + len(slacks)))
        rows[:, : values.shape[1]] = np.concatenate([self.rows, values[equal], bounded])
        rows[len(rows) - len(slacks) :, values.shape[1] :] = slacks
        wanted = np.concatenate([self.wanted, lower[equal], upper[above], lower[below]])
        lengths = np.linalg.norm(rows, axis=1)
        lengths[lengths == 0.0] = 1.0
        self.rows, self.wanted = rows / lengths[:, None], wanted / lengths
        self.norm = np.concatenate([self.norm, np.zeros((len(self.norm), len(slacks)))], axis=1)
        sets = self.shape[0]
        self.groups = np.concatenate([self.owner, np.arange(sets, sets + len(slacks))])

    def points(self, weights: Array) -> Array:
        """(k, p) what the weights mix."""
        points = np.zeros(self.shape)
        np.add.at(points, self.owner, weights[: len(self.owner), None] * self.columns)
        return points

    def nearest(self, target: Array, start: Array | None = None) -> Array | None:
        """The weights whose points, divided by their sizes, are nearest to `target` (k p,); None where none are found.

        The method of multipliers, from the weights `start`.
        """
        weight = ROW_WEIGHT * (float(np.linalg.norm(self.norm, axis=0).max()) or 1.0)
        matrix, missed = np.concatenate([weight * self.rows, self.norm]), np.zeros(len(self.rows))
        weights = np.zeros(matrix.shape[1]) if start is None else start
        met = ROWS_MET * max(1.0, float(np.abs(self.wanted).max()))
        for _ in range(MOST_ROUNDS):
            goal = np.concatenate([weight * (self.wanted + missed), target])
            found = nonnegative_least_squares(matrix, goal, self.groups, weights)
            if found is None:
                return None
            weights = found
            left = self.wanted - self.rows @ weights
            if np.abs(left).max() <= met:
                return weights
            missed += left
        return None


def nonnegative_least_squares(matrix: Array, goal: Array, groups: Array, start: Array) -> Array | None:
    """(n,) weights w >= 0 of least |matrix w - goal|, from the weights `start`; None after too many exchanges.

    The active-set method of Lawson and Hanson in which the best column of each group enters, all at once: columns
    whose weight turns negative leave before the step is made, so that every step shortens the distance.
    """
    lengths, size = np.linalg.norm(matrix, axis=0), float(np.linalg.norm(goal))
    weights, free = start, start > 0.0
    best, slopes = np.zeros(int(groups.max()) + 1), np.zeros(len(start))
    for _ in range(MOST_EXCHANGES * len(matrix)):
        if len(matrix) > SMALL and free.any():
            from scipy.optimize import nnls

            weights = np.zeros(len(start))
            try:
                weights[free], _ = nnls(matrix[:, free], goal)
            except RuntimeError:  # too many iterations
                return None
        elif free.any():
            wanted = np.zeros(len(weights))
            wanted[free] = _least_squares(matrix[:, free], goal)
            tiny = NO_WEIGHT * float(np.abs(wanted).max())
            falling = free & (wanted <= tiny)
            useless = falling & (weights <= 0.0)  # entered, but not together with the others
            fits = free & ~falling & (weights <= 0.0)
            if useless.any() and (fits.any() or useless.sum() > 1):
                free = free & ~useless
                if not fits.any():  # the steepest alone always fits
                    free[int(np.argmin(np.where(useless, slopes, 0.0)))] = True
                continue
            if falling.any():
                with np.errstate(invalid="ignore", divide="ignore"):
                    steps = np.where(falling, weights / (weights - wanted), np.inf)
                steps[falling & (weights <= 0.0)] = 0.0
                weights = np.where(free, weights + min(1.0, float(steps.min())) * (wanted - weights), 0.0)
                free &= steps > steps.min()
                weights[~free] = 0.0
                continue
            weights = wanted
        slopes = (matrix @ weights - goal) @ matrix
        slopes[free] = 0.0
        best[:] = 0.0
        np.minimum.at(best, groups, slopes)
        entering = (slopes <= best[groups]) & (slopes < -PRICED * lengths * size)
        if not entering.any():
            return weights
        free = free | entering
    return None


def _least_squares(matrix: Array, goal: Array) -> Array:
    """The shortest x of least |matrix x - goal|, by reflections where columns are independent."""
    if matrix.shape[0] >= matrix.shape[1]:
        q, r = np.linalg.qr(matrix)
        diagonal = np.abs(np.diag(r))
        if diagonal.min() > DEPENDENT * diagonal.max():
            return np.linalg.solve(r, goal @ q)
    return np.linalg.lstsq(matrix, goal, rcond=None)[0]
