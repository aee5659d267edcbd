"""A rule that answers every error within intervals with forces: the proof behind `robust_limit`.

Let M be the maps of the weakest assembly, d a load factor, and e the error that parameters p in their intervals add
to the rows: e(p, f, d), for forces f. A rule has orthonormal axes a_1 .. a_q that span all such errors (of rows that
must be met exactly), weights b_2 .. b_q > 0 and sizes beta_1, beta_2. They make up the set

    B = {r in the span: |a_1 . r| <= beta_1,  |a_2 . r| / b_2 + .. + |a_q . r| / b_q <= beta_2}

with corners c^j = +- beta_1 a_1 +- beta_2 b_a a_a. For each corner the rule has forces f^j in the contacts' pieces with

    M f^j + d load + c^j = 0          (they balance the load and this error),
    e(p, f^j, d) in B for every p     (by the worst error along each axis),

and joint rows kept with the worst error of each added. Then d holds for every p: pieces are convex, so that to each r
in B belong forces f(r) in the pieces, continuous in r, with M f(r) + d load + r = 0, namely those of the corners mixed
as r is mixed of them. The errors e(p, f(r), d) are linear in f(r), hence again in B, so that r -> e(p, f(r), d) is a
continuous map of B into itself and has a fixed point r = e (Brouwer): there M f + d load + e = 0, which is balance with
the true p. The best rule for given axes and weights is a linear program: the largest d over the forces of all corners.

With a_1 along the multipliers of the limit, the loss is to first order that of the worst error along them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import tolerances
from ..checks import Array
from ..solvers import ContactProblem
from ..solvers.highs import LinearProgram, Outcome
from .intervals import Spread

#: Vertices enter while they are worth more than this, in units of the program.
PRICED = 1e-10

#: Rounds of pricing before the rule at hand is taken.
MOST_ROUNDS = 200

#: Times that forces found are offered to the program as points.
MIXTURES = 1

#: Penalty on what is missing of the conditions, in load factors as large as the limit.
PENALTY = 1e3

#: The factor is lowered by this share, for rounding.
ROOM = 1e-8


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule and the load factor it proves.

    Attributes:
        factor: holds for every error within the intervals.
        pieces: (k,) the piece of each contact's volume that all its forces lie in.
        forces: (c, k, 3) local forces at the corners [N].
        axes: (q, m) over the scaled rows.
        weights: (q,) b; the first is 1.
        sizes: (2,) beta_1, beta_2.
    """

    factor: float
    pieces: Array
    forces: Array
    axes: Array
    weights: Array
    sizes: Array

    @property
    def corners(self) -> Array:
        """(c, m) the errors that the corners answer."""
        first, second = corners_of(self.axes, self.weights)
        return self.sizes[0] * first + self.sizes[1] * second

    def verify(self, problem: ContactProblem, spread: Spread) -> bool:
        """Check the conditions by arithmetic alone; `problem` is that of the weakest assembly."""
        exact = problem.lower == problem.upper
        scale = problem.force_scale(self.forces, self.factor)
        tiny = 100 * tolerances.FEASIBILITY * scale
        load = spread.load_residuals(problem, self.axes)
        for forces, corner in zip(self.forces, self.corners, strict=True):
            values = problem.row_values(forces, self.factor)
            if np.abs((values + corner - problem.lower)[exact]).max() > tiny:
                return False
            worst = self.factor * load
            rows = np.zeros(problem.rows)
            for i, force in enumerate(forces):
                worst = worst + spread.residuals(problem, i, force[None], self.axes)[0]
                rows += spread.residuals(problem, i, force[None], np.eye(problem.rows))[0]
                piece = problem.pieces(i)[self.pieces[i]]
                if float(piece.signed_distance(force)) > 10 * tolerances.MEMBERSHIP * max(piece.size, scale):
                    return False
            reached = _gauges(worst[None], self.weights)[0]
            if (reached > self.sizes * (1.0 + ROOM) + tiny / float(self.weights.min())).any():
                return False
            over = np.maximum(values + rows - problem.upper, problem.lower - values + rows)[~exact]
            if over.max(initial=0.0) > tiny:
                return False
        return True


def corners_of(axes: Array, weights: Array) -> tuple[Array, Array]:
    """((c, m), (c, m)) what beta_1 and beta_2 are multiplied by at the corners of B."""
    first, others = axes[0], axes[1:] * weights[1:, None]
    across = np.concatenate([others, -others]) if len(others) else np.zeros((1, len(first)))
    along = np.repeat([first, -first], len(across), axis=0)
    return along, np.concatenate([across, across])


def _gauges(worst: Array, weights: Array) -> Array:
    """(n, 2) the sizes beta_1, beta_2 that B needs to hold errors of (n, q) along the axes."""
    return np.column_stack([worst[:, 0], (worst[:, 1:] / weights[1:]).sum(axis=1)])


def best_rule(
    problem: ContactProblem, spread: Spread, pieces: Array, forces: Array, factor: float, axes: Array, weights: Array
) -> Rule | None:
    """The rule with the largest factor for these pieces, axes (q, m) and weights (q,); None when there is none.

    `forces` (k, 3) and `factor` are the optimum of the weakest assembly without errors.
    """
    program = _RuleProgram(problem, spread, pieces, forces, factor, axes, weights)
    return program.solve()


class _RuleProgram:
    """The linear program of a rule, vertices entering as they are priced.

    Columns: d, beta_1, beta_2, what is missing, then weights of points. Rows, per corner: those to be met exactly,
    upper and lower ones of the others, the two conditions on B, one convexity row a contact.
    """

    def __init__(
        self,
        problem: ContactProblem,
        spread: Spread,
        pieces: Array,
        forces: Array,
        factor: float,
        axes: Array,
        weights: Array,
    ) -> None:
        self._problem, self._pieces, self._axes, self._weights = problem, pieces, axes, weights
        self._spread = spread
        self._unit = max(float(np.abs(forces).max()), abs(factor) * float(np.abs(problem.load).max()))
        self._corners = corners_of(axes, weights)
        self._count = len(self._corners[0])
        self._gauge = np.array([1.0, float(weights[1:].max(initial=0.0)) or 1.0])  # rows of B are newtons, too
        exact = problem.lower == problem.upper
        upper, lower = ~exact & np.isfinite(problem.upper), ~exact & np.isfinite(problem.lower)
        self._select = np.concatenate([np.nonzero(exact)[0], np.nonzero(upper)[0], np.nonzero(lower)[0]])
        self._signs = np.repeat([0.0, 1.0, -1.0], [exact.sum(), upper.sum(), lower.sum()])
        self._exact = int(exact.sum())
        self._points = [np.vstack([forces[i], problem.pieces(i)[j].extreme]) for i, j in enumerate(pieces)]
        self._rays = [problem.pieces(i)[j].rays for i, j in enumerate(pieces)]
        self._blocks = [self._block(spread, i, self._points[i]) for i in range(problem.contacts)]
        self._ray_blocks = [self._block(spread, i, rays) for i, rays in enumerate(self._rays)]
        self._rows = len(self._select) + 2
        gauges = _gauges(spread.load_residuals(problem, axes)[None], weights)[0] * self._gauge
        self._load = np.concatenate([problem.load[self._select], gauges])
        self._known: set[tuple[int, int, int, bool]] = set()
        self._order: list[tuple[int, int, int, bool]] = []
        self._factor = factor
        self._program = self._built()

    def solve(self) -> Rule | None:
        """The rule, or None."""
        k = self._problem.contacts
        self._add([(j, i, 0, False) for j in range(self._count) for i in range(k)])
        for _ in range(MIXTURES):
            forces = self._climb()
            if forces is None:
                return None
            self._add(self._mixed(forces))
        forces = self._climb()
        values = self._program.values
        if forces is None or values[3] > tolerances.FEASIBILITY:
            return None
        d = float(values[0]) * self._unit / float(np.abs(self._problem.load).max())
        sizes = values[1:3] * self._unit / self._gauge
        return Rule(d - ROOM * abs(d), self._pieces, forces, self._axes, self._weights, sizes)

    def _climb(self) -> Array | None:
        """(c, k, 3) the best forces at the corners, vertices entering until none is worth it; None when it fails."""
        for _ in range(MOST_ROUNDS):
            if self._program.solve() is not Outcome.OPTIMAL:
                return None
            if not self._add(self._priced(self._program.row_duals)):
                break
        k = self._problem.contacts
        forces, totals = np.zeros((self._count, k, 3)), np.zeros((self._count, k))
        for (j, i, n, is_ray), weight in zip(self._order, np.maximum(self._program.values[4:], 0.0), strict=True):
            forces[j, i] += weight * (self._ray(i, n) if is_ray else self._points[i][n])
            totals[j, i] += 0.0 if is_ray else weight
        return forces / np.where(totals > 0.0, totals, 1.0)[:, :, None]

    def _mixed(self, forces: Array) -> list[tuple[int, int, int, bool]]:
        """The forces found, as points of their own: errors of a mixture are at most the mixture of errors."""
        found = []
        for i in range(self._problem.contacts):
            first = len(self._points[i])
            self._points[i] = np.vstack([self._points[i], forces[:, i]])
            self._blocks[i] = np.hstack([self._blocks[i], self._block(self._spread, i, forces[:, i])])
            found += [(j, i, first + j, False) for j in range(self._count)]
        return found

    def _ray(self, i: int, n: int) -> Array:
        return self._rays[i][n] / np.linalg.norm(self._rays[i][n]) * self._unit

    def _block(self, spread: Spread, i: int, points: Array) -> Array:
        """(rows, n) what the points (n, 3) add to the rows of a corner, in newtons."""
        problem = self._problem
        values = problem.maps[i] @ points.T
        spare = spread.residuals(problem, i, points, np.eye(problem.rows)[self._select]).T
        gauges = _gauges(spread.residuals(problem, i, points, self._axes), self._weights) * self._gauge
        return np.vstack([values[self._select] + self._signs[:, None] * spare, gauges.T])

    def _built(self) -> LinearProgram:
        problem, k, count = self._problem, self._problem.contacts, self._count
        low = np.where(self._signs > 0.0, -np.inf, problem.lower[self._select]) / self._unit
        high = np.where(self._signs < 0.0, np.inf, problem.upper[self._select]) / self._unit
        lower = np.concatenate([low, [-np.inf, -np.inf], np.ones(k)])
        upper = np.concatenate([high, [0.0, 0.0], np.ones(k)])
        program = LinearProgram(np.tile(lower, count), np.tile(upper, count))
        strength, rest = float(np.abs(problem.load).max()), np.zeros(k)
        columns = [np.tile(np.concatenate([self._load / strength, rest]), count)]
        for number, (ends, gauge) in enumerate(zip(self._corners, self._gauge, strict=True)):
            own = -np.eye(2)[number]
            columns.append(np.concatenate([np.concatenate([c[self._select] / gauge, own, rest]) for c in ends]))
        columns.append(np.tile(np.concatenate([-self._signs, [-1.0, -1.0], rest]), count))
        for column, gain in zip(columns, (1.0, 0.0, 0.0, -PENALTY), strict=True):
            program.add_columns(column[:, None], gain=gain)
        return program

    def _priced(self, duals: Array) -> list[tuple[int, int, int, bool]]:
        """The best point of each contact at each corner, and rays, that could raise the factor."""
        k, wide, found = self._problem.contacts, self._rows + self._problem.contacts, []
        for j in range(self._count):
            own = duals[j * wide : (j + 1) * wide]
            for i in range(k):
                worth = own[: self._rows] @ self._blocks[i] / self._unit + own[self._rows + i]
                best = int(np.argmax(worth))
                if worth[best] > PRICED:
                    found.append((j, i, best, False))
                if len(self._rays[i]):
                    sizes = np.linalg.norm(self._rays[i], axis=1)
                    climbs = own[: self._rows] @ self._ray_blocks[i] / sizes
                    found += [(j, i, int(n), True) for n in np.nonzero(climbs > PRICED)[0]]
        return found

    def _add(self, wanted: list[tuple[int, int, int, bool]]) -> bool:
        new = [key for key in wanted if key not in self._known]
        if not new:
            return False
        wide = self._rows + self._problem.contacts
        matrix = np.zeros((self._count * wide, len(new)))
        for column, (j, i, n, is_ray) in zip(matrix.T, new, strict=True):
            start = j * wide
            if is_ray:
                column[start : start + self._rows] = self._ray_blocks[i][:, n] / np.linalg.norm(self._rays[i][n])
            else:
                column[start : start + self._rows] = self._blocks[i][:, n] / self._unit
                column[start + self._rows + i] = 1.0
        self._program.add_columns(matrix)
        self._known.update(new)
        self._order += new
        return True
