"""All optimal forces and multipliers of a load limit, and how fast the limit changes: to the left and to the right.

With every contact confined to one convex set the limit is a linear program with optimal forces X* and multipliers Y*
(scaled to y . load = -1). For a parameter t that changes maps, bounds and load at the rates M', l', u', w',

    d(limit)/dt to the right = max over f in X* of min over y in Y* of
        sum_i y . M'_i f_i + limit y . w' - sum over y_r > 0 of y_r l'_r - sum over y_r < 0 of y_r u'_r

(Gol'shtein's theorem; one f and one y: the envelope theorem). To the left it is the same with min and max exchanged.
Any one optimal pair (f, y) describes both sets: X* are the admissible balanced forces that lie on the faces
y supports, Y* the multipliers that support the smallest face each f_i lies on. By duality max min is one linear
program: the fastest growth of the load for which first-order changes of forces make up for the change of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks import Array
from ..errors import SolverError
from ..solvers import ContactProblem
from ..solvers.highs import LinearProgram, Outcome
from ..statics.diagnosis import AT_LIMIT, ROUNDING, FixedPieces, Prices, span_of
from .parameters import Rate

#: A vertex is supported by y when it falls short by no more than this share of the terms that are compared.
SUPPORTED = 1e-9

#: A multiplier is one of Y* when it overrates no vertex by more than this share of the terms that are compared.
OVERRATED = 1e-9

#: Rounds of adding vertices to a program before all are taken.
MOST_ROUNDS = 60

#: Vertices of a contact that are kept for the next program.
LARGEST_POOL = 40


@dataclass(frozen=True, eq=False)
class Optimum:
    """An optimal pair of forces and multipliers, each contact confined to one convex set.

    Attributes:
        problem: the problem with one piece a contact.
        prices: its optimum: factor, forces (k, 3), multipliers (m,) with y . load = -1.
    """

    problem: ContactProblem
    prices: Prices

    @staticmethod
    def of(fixed: FixedPieces) -> Optimum | None:
        """The optimum of contacts confined to their pieces; None where there is no limit or no answer."""
        prices = fixed.prices()
        return None if prices is None else Optimum(fixed.problem, prices)

    @property
    def factor(self) -> float:
        """The limit."""
        return self.prices.factor

    @cached_property
    def _values(self) -> Array:
        """(m,) the rows at the optimum."""
        return self.problem.row_values(self.prices.forces, self.factor)

    @cached_property
    def _at_bounds(self) -> tuple[Array, Array]:
        """(m,) bool twice: rows at their lower, at their upper bound."""
        problem, values = self.problem, self._values
        reach = np.einsum("kmi,ki->m", np.abs(problem.maps), np.abs(self.prices.forces)) + np.abs(values)
        sides = []
        for bound in (problem.lower, problem.upper):
            with np.errstate(invalid="ignore"):
                near = np.abs(values - bound) <= AT_LIMIT * np.where(np.isfinite(bound), np.abs(bound), 0.0)
                near |= np.abs(values - bound) <= SUPPORTED * reach
            near[:6] = True
            sides.append(near & np.isfinite(bound))
        y = self.prices.multipliers
        return sides[0] | (y > 0.0), sides[1] | (y < 0.0)

    @cached_property
    def _vertices(self) -> list[Array]:
        """(n, 3) vertices of each contact's set."""
        by_shape = [shape[0].extreme for shape in self.problem.shapes]
        return [by_shape[s] for s in self.problem.shape_of]

    @cached_property
    def _pinning(self) -> Array:
        """(m, n) columns that every optimal y is at right angles to, but for the first, the load."""
        low, high = self._at_bounds
        fixed = FixedPieces(self.problem, np.zeros(self.problem.contacts, dtype=np.int64))
        return fixed.pinning(self.prices.forces, ~(low | high)[6:])

    @cached_property
    def one_y(self) -> bool:
        """Whether the forces leave one choice of multipliers."""
        return self._free.shape[1] == self.problem.rows - 1

    @cached_property
    def _supported(self) -> list[tuple[Array, Array]]:
        """Per contact (n, 3) points and (r, 3) rays of the face that y supports, as steps from its force.

        Steps of no length are left out.
        """
        problem, y = self.problem, self.prices.multipliers
        found = []
        for i, (vertices, force) in enumerate(zip(self._vertices, self.prices.forces, strict=True)):
            direction, terms = problem.maps[i].T @ y, np.abs(problem.maps[i]).T @ np.abs(y)
            # The vertex of a cone is zero: what is near on its scale is told by the force.
            size = max(float(np.abs(vertices).max(initial=0.0)), float(np.abs(force).max()))
            level = max(float(np.max(vertices @ direction)), float(force @ direction))
            near = vertices[vertices @ direction >= level - SUPPORTED * size * np.linalg.norm(terms)]
            steps = near - force
            rays = problem.pieces(i)[0].rays
            slopes = rays @ direction
            flat = rays[slopes >= -SUPPORTED * np.linalg.norm(terms) * np.linalg.norm(rays, axis=1)]
            found.append((steps[np.abs(steps).max(axis=1, initial=0.0) > AT_LIMIT * size], flat))
        return found

    @cached_property
    def one_f(self) -> bool:
        """Whether the multipliers leave one choice of forces (a sufficient test: no two independent changes)."""
        problem, y = self.problem, self.prices.multipliers
        fixed = (problem.lower == problem.upper) | (np.abs(y) > ROUNDING * np.abs(y).max())
        columns = []
        for i, (steps, rays) in enumerate(self._supported):
            columns.append((problem.maps[i] @ span_of(np.concatenate([steps, rays]).T))[fixed])
        matrix = np.concatenate(columns, axis=1)
        return span_of(matrix).shape[1] == matrix.shape[1]

    def slopes(self, rates: Sequence[Rate]) -> tuple[Array, Array]:
        """(n,) derivatives of the limit to the left and to the right, for n parameters; infinite where it jumps."""
        left, right = np.zeros(len(rates)), np.zeros(len(rates))
        for index, rate in enumerate(rates):
            right[index] = self._right(rate)
            left[index] = right[index] if self._is_smooth(rate) else -self._right(rate.negative())
        return left, right

    def _is_smooth(self, rate: Rate) -> bool:
        pinched = (self.problem.lower == self.problem.upper) & ((rate.lower != 0.0) | (rate.upper != 0.0))
        return self.one_y and (self.one_f or not rate.maps) and not pinched.any()

    def _right(self, rate: Rate) -> float:
        """The derivative to the right."""
        if self._is_smooth(rate):
            return self.envelope(rate)
        try:
            return self._program(rate)
        except SolverError:  # no answer is no derivative
            return np.nan

    def envelope(self, rate: Rate) -> float:
        """The derivative for this pair of forces and multipliers."""
        y = self.prices.multipliers
        total = self.factor * float(y @ rate.load)
        total += sum(float(y @ own @ self.prices.forces[i]) for i, own in rate.maps.items())
        return total - float(np.maximum(y, 0.0) @ rate.lower) - float(np.minimum(y, 0.0) @ rate.upper)

    def _program(self, rate: Rate) -> float:
        """max over X* of min over Y*, as one linear program with vertices added as they are needed."""
        problem, m = self.problem, self.problem.rows
        still = self.factor * rate.load
        for i, own in rate.maps.items():
            still = still + own @ self.prices.forces[i]
        bounds = np.concatenate([rate.lower, rate.upper])
        sizes = [float(np.abs(own).max()) * self._reach(i) for i, own in rate.maps.items()]
        unit = max(float(np.abs(still).max()), float(np.abs(bounds).max()), max(sizes, default=0.0)) or 1.0
        low, high = self._at_bounds
        lower = np.where(low, (rate.lower - still) / unit, -np.inf)
        upper = np.where(high, (rate.upper - still) / unit, np.inf)
        if (lower > upper + SUPPORTED).any():  # a bound is pushed through its opposite
            return -np.inf
        upper = np.maximum(lower, upper)
        moves = self._moves(rate) if rate.maps and not self.one_f else None
        if self.one_y:
            return self.envelope(rate) + (0.0 if moves is None else self._largest_work(moves))
        extra, room = 0, (lower, upper)
        if moves is not None:
            extra = len(moves[0])
            room = np.concatenate([lower, moves[1][0]]), np.concatenate([upper, moves[1][1]])
        program = LinearProgram(*room)
        load = problem.load / float(np.linalg.norm(problem.load))
        free = np.column_stack([load, self._free])
        free = np.vstack([free, np.zeros((extra, free.shape[1]))])
        program.add_columns(free[:, :1], gain=1.0, lower=-np.inf)  # the load
        program.add_columns(free[:, 1:], lower=-np.inf)
        if moves is not None:
            program.add_columns(np.vstack([moves[2] / unit, moves[0]]))
        growth = self._climb(program, m, extra)
        return growth * unit / float(np.linalg.norm(problem.load)) if np.isfinite(growth) else growth

    def _largest_work(self, moves: tuple[Array, tuple[Array, Array], Array]) -> float:
        """What steps within X* add at most to y . change, y being the only multipliers."""
        rows, room, change = moves
        work = self.prices.multipliers @ change
        unit = float(np.abs(work).max())
        if unit == 0.0:
            return 0.0
        program = LinearProgram(np.append(room[0], 0.0), np.append(room[1], 0.0))
        program.add_columns(np.append(np.zeros(len(rows)), 1.0)[:, None], gain=1.0, lower=-np.inf)
        program.add_columns(np.vstack([rows, -work / unit]))
        outcome = program.solve()
        if outcome is Outcome.OPTIMAL:
            return max(0.0, float(program.values[0])) * unit
        return np.inf if outcome is Outcome.UNBOUNDED else np.nan

    @cached_property
    def _free(self) -> Array:
        """(m, n) orthonormal columns that every optimal y is at right angles to; ours exactly so."""
        return span_of(self._level(self._pinning[:, 1:]))

    def _level(self, columns: Array) -> Array:
        """The columns (m, n) without their part along our y."""
        y = self.prices.multipliers
        return columns - np.outer(y, y @ columns) / float(y @ y)

    @cached_property
    def _steps(self) -> tuple[Array, Array, Array, tuple[Array, Array]] | None:
        """Steps within X*: (owners (n,), vectors (n, 3), rows (e, n), bounds of these rows); None when there are none.

        Rows keep the balance (held rows where they are, others within their bounds) and each contact on its face.
        """
        problem, y = self.problem, self.prices.multipliers
        counts = [(len(points), len(rays)) for points, rays in self._supported]
        if not any(points + rays for points, rays in counts):
            return None
        owners = np.repeat(np.arange(problem.contacts), [points + rays for points, rays in counts])
        vectors = np.concatenate([part for pair in self._supported for part in pair])
        weighs = np.concatenate([np.repeat([1.0, 0.0], pair) for pair in counts])
        size = max(self._reach(i) for i in range(problem.contacts))
        moved = np.einsum("nmi,ni->mn", problem.maps[owners], vectors) / size
        shares = np.zeros((problem.contacts, len(owners)))
        shares[owners, np.arange(len(owners))] = weighs
        used = shares.any(axis=1)
        held = (np.abs(y) > ROUNDING * np.abs(y).max()) | (problem.lower == problem.upper)
        low = np.where(held, 0.0, np.minimum((problem.lower - self._values) / size, 0.0))
        high = np.where(held, 0.0, np.maximum((problem.upper - self._values) / size, 0.0))
        room = np.concatenate([low, np.full(used.sum(), -np.inf)]), np.concatenate([high, np.ones(used.sum())])
        return owners, vectors, np.vstack([moved, shares[used]]), room

    def _moves(self, rate: Rate) -> tuple[Array, tuple[Array, Array], Array] | None:
        """What X* adds: (rows (e, n), their bounds, (m, n) change of the rate's rows), a column a step within X*."""
        if self._steps is None:
            return None
        owners, vectors, rows, room = self._steps
        change = np.zeros((self.problem.rows, len(owners)))
        for i, own in rate.maps.items():
            change[:, owners == i] = own @ vectors[owners == i].T
        return rows, room, change

    def _climb(self, program: LinearProgram, m: int, extra: int) -> float:
        """The largest growth: vertices enter while the program's multipliers overrate them."""
        problem = self.problem
        known: list[set[int]] = [set() for _ in self._vertices]
        self._add(program, [np.array(sorted(pool)) for pool in self._pools], known, extra, rays=True)
        for attempt in range(MOST_ROUNDS + 1):
            outcome = program.solve()
            if outcome is not Outcome.OPTIMAL or attempt == MOST_ROUNDS:
                if not self._add(program, [np.arange(len(v)) for v in self._vertices], known, extra):
                    return {Outcome.UNBOUNDED: np.inf, Outcome.INFEASIBLE: -np.inf}.get(outcome, np.nan)
                continue
            y = program.row_duals[:m]
            if not self._add(program, [self._overrated(i, y) for i in range(problem.contacts)], known, extra):
                for pool, new in zip(self._pools, known, strict=True):
                    pool.update(new if len(new) <= LARGEST_POOL else ())
                return float(program.values[0])
        return np.nan

    @cached_property
    def _pools(self) -> list[set[int]]:
        """The vertices that programs begin with: those that were needed before, Y* being the same for all."""
        return [set(self._first(i).tolist()) for i in range(self.problem.contacts)]

    def _first(self, i: int) -> Array:
        """A few vertices that the first program begins with: the outermost, and those that y supports."""
        vertices = self._vertices[i]
        ends = np.concatenate([vertices.argmax(axis=0), vertices.argmin(axis=0)])
        heights = vertices @ (self.problem.maps[i].T @ self.prices.multipliers)
        return np.unique(np.concatenate([ends, np.argsort(heights)[-4:]]))

    def _overrated(self, i: int, y: Array) -> Array:
        """The vertex that y overrates most; none where it overrates none."""
        gain = (self._vertices[i] - self.prices.forces[i]) @ (self.problem.maps[i].T @ y)
        terms = float(np.linalg.norm(np.abs(self.problem.maps[i]).T @ np.abs(y))) * self._reach(i)
        best = int(np.argmax(gain))
        return np.array([best] if gain[best] > OVERRATED * terms else [], dtype=np.int64)

    def _add(
        self, program: LinearProgram, wanted: list[Array], known: list[set[int]], extra: int, *, rays: bool = False
    ) -> bool:
        """Add the wanted vertices of each contact (and all rays) as steps from its force; whether any is new."""
        columns = []
        for i, numbers in enumerate(wanted):
            new = [int(n) for n in numbers if int(n) not in known[i]]
            known[i].update(new)
            steps = (self._vertices[i][new] - self.prices.forces[i]) / self._reach(i)
            if rays:
                own = self.problem.pieces(i)[0].rays
                steps = np.concatenate([steps, own / np.linalg.norm(own, axis=1, keepdims=True)])
            columns.append(self.problem.maps[i] @ steps.T)
        matrix = np.concatenate(columns, axis=1)
        overrated = self.prices.multipliers @ matrix > 0.0  # by rounding alone: y is optimal
        matrix[:, overrated] = self._level(matrix[:, overrated])
        if matrix.shape[1]:
            program.add_columns(np.vstack([matrix, np.zeros((extra, matrix.shape[1]))]))
        return bool(matrix.shape[1])

    def _reach(self, i: int) -> float:
        """Size of a contact's forces [N]."""
        return max(float(np.abs(self._vertices[i]).max()), float(np.abs(self.prices.forces[i]).max())) or 1.0
