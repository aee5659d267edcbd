"""`sensitivity`: the left and right derivatives of a load limit by every parameter, from the dual solution.

One choice of pieces. With every contact restricted to one convex set, the limit is a linear program with optimal forces
X* and multipliers Y* (scaled to y . load = -1). For a parameter t that changes maps, bounds and load at the rates M',
l', u', w',

    d(limit)/dt to the right = max over f in X* of min over y in Y* of
        sum_i y . M'_i f_i + limit y . w' - sum over y_r > 0 of y_r l'_r - sum over y_r < 0 of y_r u'_r

(Gol'shtein's theorem; with one f and one y: the envelope theorem). The left derivative has min and max exchanged.
Any one optimal pair (f, y) describes both sets: X* are the admissible balanced forces that lie on the faces
y supports, Y* the multipliers that support the smallest face each f_i lies on. By duality max min is one linear
program: the fastest growth of the load for which first-order changes of forces compensate the change of the rows.

All choices of pieces. The limit over unions is the largest of those of all choices of one piece per unit. Its
right derivative is the largest among the choices that attain it, the left one is the smallest. Choices are not listed:
a box of choices (a leaf of the certificate) is replaced by the hulls of each contact's pieces. Where its limit is the
same, its optimal forces include, and its optimal multipliers are among, those of each tied choice in it, so that its
slope to the right is at least, to the left at most, that of any of them. Boxes below the limit do not count. Where box
and choice agree, the derivative is proven; otherwise the box is divided.

`tornado` sorts parameters by the change of the limit for a stated change of each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, SceneLike, asked_about, checked_assembly
from ..checks import Array
from ..errors import InputError, SolverError
from ..geometry.polytopes import Polytope, hull_of
from ..public_names import with_advice
from ..results import Result
from ..solvers import ContactProblem, Exact, Status
from ..solvers.certificates import factor_bound, least_factor
from ..solvers.highs import LinearProgram, Outcome
from ..solvers.relaxation import HullRelaxation, RelaxationOutcome, is_single, singles
from ..statics.diagnosis import AT_LIMIT, FixedPieces, Prices, span_of
from ..statics.holding import LoadLimit, Method, load_limit
from .parameters import Kind, LimitParameter, RowRate, changed_problem, parameters_of, rate_of

# All optimal forces and multipliers of one choice of pieces.

#: Relative tolerance: a vertex is supported by y when it falls short by no more than this; y is in Y* when it overrates
#: no vertex by more.
SUPPORTED = tolerances.SOLVER_ROUNDING

#: Rounds of adding vertices to a program before all are taken.
MOST_ROUNDS = 60

#: Largest number of vertices of a contact that are kept for the next program.
LARGEST_POOL = 40


@dataclass(frozen=True, eq=False)
class Optimum:
    """An optimal pair of forces and multipliers, with each contact restricted to one convex set.

    Attributes:
        problem: the problem with one piece per contact.
        prices: its optimum: factor, forces (k, 3), multipliers (m,) with y . load = -1.
    """

    problem: ContactProblem
    prices: Prices

    @staticmethod
    def of(fixed: FixedPieces) -> Optimum | None:
        """The optimum of contacts restricted to their pieces; None where there is no limit or no solution."""
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
        """(m, n) columns that every optimal y is orthogonal to, except for the first, the load."""
        low, high = self._at_bounds
        fixed = FixedPieces(self.problem, np.zeros(self.problem.contacts, dtype=np.int64))
        return fixed.pinning(self.prices.forces, ~(low | high)[6:])

    @cached_property
    def one_y(self) -> bool:
        """Whether the forces determine the multipliers uniquely."""
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
            # The vertex of a cone is zero: the force sets the scale of what is near.
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
        """Whether the multipliers determine the forces uniquely (a sufficient test: no two independent changes)."""
        problem, y = self.problem, self.prices.multipliers
        fixed = (problem.lower == problem.upper) | (np.abs(y) > tolerances.SOLVER_ROUNDING * np.abs(y).max())
        columns = []
        for i, (steps, rays) in enumerate(self._supported):
            columns.append((problem.maps[i] @ span_of(np.concatenate([steps, rays]).T))[fixed])
        matrix = np.concatenate(columns, axis=1)
        return span_of(matrix).shape[1] == matrix.shape[1]

    def slopes(self, rates: Sequence[RowRate]) -> tuple[Array, Array]:
        """(n,) left and right derivatives of the limit, for n parameters; infinite where it jumps."""
        left, right = np.zeros(len(rates)), np.zeros(len(rates))
        for index, rate in enumerate(rates):
            right[index] = self._right(rate)
            left[index] = right[index] if self._is_smooth(rate) else -self._right(rate.negative())
        return left, right

    def _is_smooth(self, rate: RowRate) -> bool:
        pinched = (self.problem.lower == self.problem.upper) & ((rate.lower != 0.0) | (rate.upper != 0.0))
        return self.one_y and (self.one_f or not rate.maps) and not pinched.any()

    def _right(self, rate: RowRate) -> float:
        """The right derivative."""
        if self._is_smooth(rate):
            return self.envelope(rate)
        try:
            return self._program(rate)
        except SolverError:  # without a solution there is no derivative
            return np.nan

    def envelope(self, rate: RowRate) -> float:
        """The derivative for this pair of forces and multipliers."""
        y = self.prices.multipliers
        total = self.factor * float(y @ rate.load)
        total += sum(float(y @ own @ self.prices.forces[i]) for i, own in rate.maps.items())
        return total - float(np.maximum(y, 0.0) @ rate.lower) - float(np.minimum(y, 0.0) @ rate.upper)

    def _program(self, rate: RowRate) -> float:
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
        if (lower > upper + SUPPORTED).any():  # a lower bound exceeds its upper bound
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
        """The largest contribution of steps within X* to y . change, where y are the only multipliers."""
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
        """(m, n) orthonormal columns that every optimal y is orthogonal to; ours exactly."""
        return span_of(self._level(self._pinning[:, 1:]))

    def _level(self, columns: Array) -> Array:
        """The columns (m, n) without their part along our y."""
        y = self.prices.multipliers
        return columns - np.outer(y, y @ columns) / float(y @ y)

    @cached_property
    def _steps(self) -> tuple[Array, Array, Array, tuple[Array, Array]] | None:
        """Steps within X*: (owners (n,), vectors (n, 3), rows (e, n), bounds of these rows); None when there are none.

        Rows keep the balance (fixed rows at their value, others within their bounds) and each contact on its face.
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
        held = (np.abs(y) > tolerances.SOLVER_ROUNDING * np.abs(y).max()) | (problem.lower == problem.upper)
        low = np.where(held, 0.0, np.minimum((problem.lower - self._values) / size, 0.0))
        high = np.where(held, 0.0, np.maximum((problem.upper - self._values) / size, 0.0))
        room = np.concatenate([low, np.full(used.sum(), -np.inf)]), np.concatenate([high, np.ones(used.sum())])
        return owners, vectors, np.vstack([moved, shares[used]]), room

    def _moves(self, rate: RowRate) -> tuple[Array, tuple[Array, Array], Array] | None:
        """Contribution of X*: (rows (e, n), bounds, (m, n) change of the rate's rows); one column per step in X*."""
        if self._steps is None:
            return None
        owners, vectors, rows, room = self._steps
        change = np.zeros((self.problem.rows, len(owners)))
        for i, own in rate.maps.items():
            change[:, owners == i] = own @ vectors[owners == i].T
        return rows, room, change

    def _climb(self, program: LinearProgram, m: int, extra: int) -> float:
        """The largest growth: vertices are added while the program's multipliers overrate them."""
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
        """The vertices with which programs start: those needed before, since Y* is the same for all."""
        return [set(self._first(i).tolist()) for i in range(self.problem.contacts)]

    def _first(self, i: int) -> Array:
        """A few vertices with which the first program starts: the outermost, and those that y supports."""
        vertices = self._vertices[i]
        ends = np.concatenate([vertices.argmax(axis=0), vertices.argmin(axis=0)])
        heights = vertices @ (self.problem.maps[i].T @ self.prices.multipliers)
        return np.unique(np.concatenate([ends, np.argsort(heights)[-4:]]))

    def _overrated(self, i: int, y: Array) -> Array:
        """The vertex that y overrates most; none if it overrates none."""
        gain = (self._vertices[i] - self.prices.forces[i]) @ (self.problem.maps[i].T @ y)
        terms = float(np.linalg.norm(np.abs(self.problem.maps[i]).T @ np.abs(y))) * self._reach(i)
        best = int(np.argmax(gain))
        return np.array([best] if gain[best] > SUPPORTED * terms else [], dtype=np.int64)

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
        overrated = self.prices.multipliers @ matrix > 0.0  # only by rounding: y is optimal
        matrix[:, overrated] = self._level(matrix[:, overrated])
        if matrix.shape[1]:
            program.add_columns(np.vstack([matrix, np.zeros((extra, matrix.shape[1]))]))
        return bool(matrix.shape[1])

    def _reach(self, i: int) -> float:
        """Size of a contact's forces [N]."""
        return max(float(np.abs(self._vertices[i]).max()), float(np.abs(self.prices.forces[i]).max())) or 1.0


# Choices of pieces that attain the limit.

#: Choices of pieces with a smaller relative difference of limits are tied.
TIED = 1e-7

#: Two slopes are equal within this fraction of the largest that the parameter could have.
SAME = 1e-6

#: Largest number of slopes of boxes of piece choices; beyond, derivatives are not proven.
MOST_SLOPES = 500

#: Largest number of boxes of piece choices.
MOST_BOXES = 100


class TiedChoices:
    """Slopes over all choices of pieces that attain a limit."""

    def __init__(self, limit: LoadLimit, rates: list[RowRate]) -> None:
        self._problem = limit.problem
        self._rates = rates
        self._certificate = limit.certificate
        self._hulls: dict[tuple[int, int], Polytope] = {}
        self.boxes = 0
        self._spent = 0
        assert limit.pieces is not None
        self._own = singles(limit.pieces[limit.problem.layout.unit_starts[:-1]])
        optimum = self._optimum(self._own)
        if optimum is None:
            raise InputError(
                "has no derivative that can be confirmed", where="limit", fix="check the scale of forces and lengths"
            )
        self.optimum = optimum
        tied = TIED * abs(optimum.factor) + 10 * least_factor(self._problem)
        self._floor, self._ceiling = optimum.factor - tied, optimum.factor + tied
        self.sizes = np.array([_size(optimum, rate) for rate in rates])

    def slopes(self) -> tuple[Array, Array, Array]:
        """(n,) left, right, and whether they are proven for all tied choices."""
        left, right = self.optimum.slopes(self._rates)
        everything = np.arange(len(self._rates))
        open_boxes = [(box, everything) for box in self._leaves() if box != self._own]
        proven = np.ones(len(self._rates), dtype=bool)
        known = {self._own}
        while open_boxes:
            masks, asked = open_boxes.pop()
            if self.boxes >= MOST_BOXES or self._spent + len(asked) > MOST_SLOPES:
                proven[asked] = False  # the remaining boxes could be steeper
                continue
            self.boxes += 1
            steeper, optimum = self._compared(masks, asked, left, right, known)
            if optimum is None:
                proven[steeper] = False
            elif len(steeper):
                open_boxes += [(part, steeper) for part in self._split(masks, optimum)]
        return left, right, proven

    def _compared(
        self, masks: tuple[int, ...], asked: Array, left: Array, right: Array, known: set[tuple[int, ...]]
    ) -> tuple[Array, Optimum | None]:
        """Parameters for which the box could have steeper slopes, and its optimum if it can be divided.

        Slopes of single choices found on the way go into `left` and `right`.
        """
        none = asked[:0]
        if self._is_below(masks):
            return none, None
        optimum = self._optimum(masks)
        if optimum is None:
            return asked, None
        if optimum.factor < self._floor:
            return none, None
        single = is_single(masks)
        choice = masks if single else self._rounded(masks, optimum)
        if choice is not None and choice not in known:
            known.add(choice)
            attained = optimum if single else self._optimum(choice)
            if attained is not None and attained.factor >= self._floor:
                low, high = self._slopes_of(attained, asked)
                left[asked], right[asked] = np.fmin(left[asked], low), np.fmax(right[asked], high)
        if single:
            return none, None
        if optimum.factor > self._ceiling:  # a box with a higher limit gives no information about its choices
            return asked, optimum
        low, high = self._slopes_of(optimum, asked)
        slack = SAME * self.sizes[asked]
        with np.errstate(invalid="ignore"):
            steeper = ~((low >= left[asked] - slack) & (high <= right[asked] + slack))
        return asked[steeper], optimum

    def _slopes_of(self, optimum: Optimum, asked: Array) -> tuple[Array, Array]:
        """Left and right slopes by the given parameters; those that need programs are counted."""
        if not (optimum.one_y and optimum.one_f):
            self._spent += len(asked)
        return optimum.slopes([self._rates[index] for index in asked])

    def _is_below(self, masks: tuple[int, ...]) -> bool:
        """Whether no choice in the box comes near the limit."""
        try:
            relaxed = HullRelaxation(self._problem).maximise(masks)
        except SolverError:
            return False
        if relaxed.outcome is RelaxationOutcome.SEPARATED:
            return True
        return relaxed.outcome is RelaxationOutcome.OPTIMAL and relaxed.factor < self._floor

    def _leaves(self) -> Iterator[tuple[int, ...]]:
        """The boxes of the certificate that may contain tied choices."""
        if self._certificate is None or self._certificate.counts:
            yield self._problem.all_pieces
            return
        for leaf in self._certificate.leaves:
            if factor_bound(self._problem, leaf.masks, leaf.multipliers) >= self._floor:
                yield leaf.masks

    def _split(self, masks: tuple[int, ...], optimum: Optimum) -> list[tuple[int, ...]]:
        """The box in parts, one per piece of the unit whose forces are furthest from one piece."""
        several = [u for u, mask in enumerate(masks) if mask & (mask - 1)]
        outside = [min(self._outside(u, masks[u], optimum).values()) + masks[u].bit_count() * TIED for u in several]
        chosen = several[int(np.argmax(outside))]
        parts = [1 << j for j in range(masks[chosen].bit_length()) if masks[chosen] >> j & 1]
        return [(*masks[:chosen], part, *masks[chosen + 1 :]) for part in parts]

    def _outside(self, unit: int, mask: int, optimum: Optimum) -> dict[int, float]:
        """{piece: largest relative distance of the unit's forces outside it} of the allowed pieces."""
        contacts, forces = self._problem.units[unit], optimum.prices.forces
        return {
            j: max(float(p.signed_distance(forces[i])) / p.size for i, p in self._parts(contacts, j))
            for j in range(mask.bit_length())
            if mask >> j & 1
        }

    def _parts(self, contacts: range, piece: int) -> Iterator[tuple[int, Polytope]]:
        return ((i, self._problem.pieces(i)[piece]) for i in contacts)

    def _rounded(self, masks: tuple[int, ...], optimum: Optimum) -> tuple[int, ...] | None:
        """The choice of the pieces that contain the forces of each unit; None if some forces lie in none."""
        choice = []
        for unit, mask in enumerate(masks):
            outside = self._outside(unit, mask, optimum)
            best = min(outside, key=lambda j: outside[j])
            if outside[best] > TIED:
                return None
            choice.append(best)
        return singles(choice)

    def _optimum(self, masks: tuple[int, ...]) -> Optimum | None:
        """The optimum over the hulls of each contact's allowed pieces."""
        problem, numbers = self._problem, dict[tuple[int, int], int]()
        keys = zip(problem.shape_of.tolist(), problem.by_contact(masks), strict=True)
        shape_of = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
        shapes = tuple((self._hull(shape, mask),) for shape, mask in numbers)
        hulls = ContactProblem(replace(problem.layout, shapes=shapes, shape_of=shape_of), problem.load)
        return Optimum.of(FixedPieces(hulls, np.zeros(problem.contacts, dtype=np.int64)))

    def _hull(self, shape: int, mask: int) -> Polytope:
        key = (shape, mask)
        if key not in self._hulls:
            parts = [p for j, p in enumerate(self._problem.shapes[shape]) if mask >> j & 1]
            self._hulls[key] = parts[0] if len(parts) == 1 else hull_of(parts)
        return self._hulls[key]


def _size(optimum: Optimum, rate: RowRate) -> float:
    """Reference for slopes by a parameter: the size of the terms in their sums, before they cancel."""
    y, forces = np.abs(optimum.prices.multipliers), np.abs(optimum.prices.forces)
    total = abs(optimum.factor) * float(y @ np.abs(rate.load)) + float(y @ (np.abs(rate.lower) + np.abs(rate.upper)))
    total += sum(float(y @ np.abs(own) @ forces[i]) for i, own in rate.maps.items())
    strongest = max(float(p.size) for shape in optimum.problem.shapes for p in shape)
    return total + 1e-3 * sum(float((y @ np.abs(own)).max()) * strongest for own in rate.maps.values())


def same_slope(low: float, high: float, size: float) -> bool:
    """Whether two slopes are equal, relative to the reference size."""
    return bool(np.isfinite(low) and np.isfinite(high) and abs(high - low) <= SAME * max(size, abs(low), abs(high)))


# Sensitivity.

#: The relative gap to which limits are solved before they are differentiated.
TIGHT_GAP = 1e-9

#: Time limit for the tight limit [s]; after that one with the usual gap is differentiated.
TIGHT_SECONDS = 5.0


@dataclass(frozen=True)
class Derivative(Result):
    """The derivative of the load limit by one parameter.

    Attributes:
        parameter: the parameter.
        left: derivative for a decrease of the parameter [multiples of the load per unit]; infinite at a jump.
        right: derivative for an increase.
        smooth: whether both are equal: no kink.
        proven: whether no other choice of pieces that attains the limit changes faster. If not proven, the true `right`
            is at least, the true `left` at most the given one.
    """

    parameter: LimitParameter
    left: float
    right: float
    smooth: bool
    proven: bool

    @property
    def value(self) -> float:
        """The derivative where there is one; nan at a kink."""
        return self.right if self.smooth else np.nan

    def change(self, amount: float) -> float:
        """First-order change of the limit for a change of the parameter by `amount` [its unit]."""
        return 0.0 if amount == 0.0 else (self.right if amount > 0.0 else self.left) * amount

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        p = self.parameter
        return {
            "parameter": p.label,
            "kind": str(p.kind),
            **{name: getattr(p, name) for name in ("of", "axis", "unit")},
            **{name: getattr(self, name) for name in ("left", "right", "smooth", "proven")},
        }


@dataclass(frozen=True, eq=False)
class Sensitivity(Result):
    """Derivatives of a load limit by everything it depends on.

    Attributes:
        limit: the load limit, solved to `TIGHT_GAP`.
        derivatives: one per parameter: units, contacts, joint bounds, load.
        multipliers: (m,) y over the scaled rows of the answer's pieces, y . load = -1.
        forces: (k, 3) local forces that attain the limit [N].
        choices: number of boxes of tied piece choices that were compared.
    """

    TABLE: ClassVar[str] = "derivatives"

    limit: LoadLimit
    derivatives: tuple[Derivative, ...]
    multipliers: Array
    forces: Array
    choices: int

    def __repr__(self) -> str:
        kinks = len(self.kinks)
        return f"Sensitivity(limit {self.value:.6g}, {len(self.derivatives)} parameters, {kinks} at a kink)"

    @property
    def assembly(self) -> Assembly:
        """The assembly of the limit."""
        return self.limit.assembly

    @property
    def value(self) -> float:
        """The load limit, in multiples of the load."""
        return self.limit.value

    @property
    def kinks(self) -> tuple[Derivative, ...]:
        """The derivatives whose left and right values differ."""
        return tuple(d for d in self.derivatives if not d.smooth)

    @property
    def smooth(self) -> bool:
        """Whether the limit has a derivative by every parameter."""
        return not self.kinks

    def of(self, kind: Kind) -> tuple[Derivative, ...]:
        """The derivatives by one kind of parameter, in the order of the assembly; units of points first."""
        return tuple(d for d in self.derivatives if d.parameter.kind is kind)

    @cached_property
    def strength(self) -> Array:
        """(k,) derivative by each contact's strength, per 1 (100 %); nan at a kink."""
        return self._by_contact(Kind.STRENGTH)[:, 0]

    @cached_property
    def friction(self) -> Array:
        """(k,) derivative by each contact's shear stretch, per 1 (100 %); nan at a kink."""
        return self._by_contact(Kind.FRICTION)[:, 0]

    @cached_property
    def position(self) -> Array:
        """(k, 3) derivative by each contact's position in the world [1/m]; nan at a kink."""
        return self._by_contact(Kind.POSITION)

    @cached_property
    def orientation(self) -> Array:
        """(k, 3) derivative by a small rotation of each contact frame about the world's axes [1/rad]; nan at a kink."""
        return self._by_contact(Kind.ORIENTATION)

    @cached_property
    def joint_lower(self) -> Array:
        """(r,) derivative by each joint row's lower bound (as it rises) [1/(N m), 1/N]; 0 where it has none."""
        return self._by_row(Kind.JOINT_LOWER)

    @cached_property
    def joint_upper(self) -> Array:
        """(r,) derivative by each joint row's upper bound [1/(N m), 1/N]; 0 where it has none."""
        return self._by_row(Kind.JOINT_UPPER)

    @cached_property
    def load(self) -> Array:
        """(6,) derivative by the components of the load [1/N, 1/(N m)]; nan at a kink."""
        return np.array([d.value for d in self.of(Kind.LOAD)])

    @cached_property
    def point(self) -> Array:
        """(3,) derivative by a shift of the load's point of application, such as a centre of mass [1/m]."""
        found = self.of(Kind.POINT)
        return np.array([d.value for d in found]) if found else np.zeros(3)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the limit and every derivative."""
        return {
            "limit": self.value,
            "upper_bound": self.limit.upper_bound,
            "smooth": self.smooth,
            "derivatives": [d.to_dict() for d in self.derivatives],
        }

    def _by_contact(self, kind: Kind) -> Array:
        own = [d for d in self.of(kind) if len(d.parameter.contacts) == 1]
        return np.array([d.value for d in own]).reshape(len(self.assembly), -1)

    def _by_row(self, kind: Kind) -> Array:
        joints = self.assembly.joints
        result = np.zeros(0 if joints is None else len(joints))
        for derivative in self.of(kind):
            assert derivative.parameter.row is not None
            result[derivative.parameter.row] = derivative.value
        return result


@with_advice(load="give direction", wrench="give direction")
def sensitivity(subject: LoadLimit | Assembly | SceneLike, direction: ArrayLike | None = None) -> Sensitivity:
    """The derivative of the load limit by every parameter, one-sided where it has a kink.

    Args:
        subject: a load limit, an assembly, or a scene.
        direction: (6,) the load, for an assembly; for a scene its weight by default.

    Raises:
        InputError: there is no finite limit to differentiate.
    """
    if isinstance(subject, LoadLimit):
        assembly, wrench = subject.assembly, subject.direction
    elif direction is not None or not isinstance(subject, Assembly):
        assembly, wrench = asked_about(subject, direction, "direction")
    else:
        raise InputError("has no load", where="subject", fix="give a LoadLimit, or an Assembly and a direction (6,)")
    checked_assembly(assembly)
    limit = load_limit(assembly, wrench, method=Exact(gap=TIGHT_GAP, time_limit=TIGHT_SECONDS))
    if limit.status is Status.UNDECIDED:
        limit = load_limit(assembly, wrench)
    if limit.status is not Status.OPTIMAL or limit.pieces is None:
        raise InputError(
            f"has no finite limit: {limit.status.value}", where="direction", fix="choose a load that has a limit"
        )
    parameters = parameters_of(assembly, limit.direction)
    rates = [rate_of(assembly, limit.problem, limit.direction, p) for p in parameters]
    search = TiedChoices(limit, rates)
    left, right, proven = search.slopes()
    derivatives = []
    for index, parameter in enumerate(parameters):
        low, high = float(left[index]), float(right[index])
        smooth = bool(proven[index]) and same_slope(low, high, search.sizes[index])
        if smooth:
            low = high = 0.5 * (low + high)
        derivatives.append(Derivative(parameter, low, high, smooth, bool(proven[index])))
    return Sensitivity(
        limit, tuple(derivatives), search.optimum.prices.multipliers, search.optimum.prices.forces, search.boxes
    )


# Tornado.


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Changes of parameters, up and down.

    Attributes:
        share: relative change of strengths, friction, joint bounds and load components; 0.05 is 5 %.
        shift: change of positions and of the load's point of application [m].
        turn: rotation of contact frames [rad].
    """

    share: float = 0.05
    shift: float = 1e-3
    turn: float = math.radians(1.0)

    def __post_init__(self) -> None:
        checks.number("share", self.share, low=0.0, high=1.0, ends="open")
        checks.number("shift", self.shift, low=0.0, ends="open", unit="m")
        checks.number("turn", self.turn, low=0.0, high=math.pi, ends="open", unit="rad")

    def amount(self, derivative: Derivative) -> float:
        """The change of one parameter, in its unit."""
        kind = derivative.parameter.kind
        if kind in (Kind.POSITION, Kind.POINT):
            return self.shift
        return self.turn if kind is Kind.ORIENTATION else self.share * derivative.parameter.size


@dataclass(frozen=True)
class Bar(Result):
    """One parameter in a tornado diagram.

    Attributes:
        derivative: the parameter and its slopes.
        amount: the change, in the parameter's unit.
        down, up: change of the load limit for a decrease and an increase by that amount, by the derivatives.
        solved_down, solved_up: the same, computed again; nan where not requested, not possible or undecided.
    """

    derivative: Derivative
    amount: float
    down: float
    up: float
    solved_down: float = np.nan
    solved_up: float = np.nan

    @property
    def label(self) -> str:
        """The parameter's name."""
        return self.derivative.parameter.label

    @property
    def size(self) -> float:
        """The larger of the two changes, computed again where that is known."""
        down = self.down if np.isnan(self.solved_down) else self.solved_down
        up = self.up if np.isnan(self.solved_up) else self.solved_up
        return max(abs(down), abs(up))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            **self.derivative.to_dict(),
            **{name: getattr(self, name) for name in ("amount", "down", "up", "solved_down", "solved_up")},
        }


@dataclass(frozen=True, eq=False)
class Tornado(Result):
    """Changes of a load limit, largest first.

    Attributes:
        sensitivity: the derivatives.
        changes: by how much parameters were changed.
        bars: one per parameter, sorted.
        solved: whether limits were computed again.
    """

    TABLE: ClassVar[str] = "bars"

    sensitivity: Sensitivity
    changes: Changes
    bars: tuple[Bar, ...]
    solved: bool

    def __repr__(self) -> str:
        return f"Tornado(limit {self.sensitivity.value:.6g}, {len(self.bars)} parameters)"

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the limit, the changes, the bars in order."""
        return {
            "limit": self.sensitivity.value,
            "smooth": self.sensitivity.smooth,
            "changes": {"share": self.changes.share, "shift_m": self.changes.shift, "turn_rad": self.changes.turn},
            "bars": [bar.to_dict() for bar in self.bars],
        }


@with_advice()
def tornado(sensitivity: Sensitivity, changes: Changes | None = None, *, solve: int = 0) -> Tornado:
    """The change of the limit for a given change of each parameter, by its derivatives.

    Args:
        sensitivity: the derivatives.
        changes: by how much parameters change; 5 %, 1 mm and 1 degree by default.
        solve: number of the largest bars that are also computed again, each twice.
    """
    changes = changes or Changes()
    solve = checks.count("solve", solve, low=0)
    bars = []
    for derivative in sensitivity.derivatives:
        amount = changes.amount(derivative)
        bars.append(Bar(derivative, amount, derivative.change(-amount), derivative.change(amount)))
    bars.sort(key=_order)
    method = Exact()
    for i, bar in enumerate(bars[:solve]):
        down, up = (_solved(sensitivity, bar, sign, method) for sign in (-1.0, 1.0))
        bars[i] = replace(bar, solved_down=down, solved_up=up)
    return Tornado(sensitivity, changes, tuple(sorted(bars, key=_order)), solve > 0)


def _order(bar: Bar) -> float:
    """Sorts bars by size, the largest first."""
    return -bar.size if not np.isnan(bar.size) else 0.0


def _solved(sensitivity: Sensitivity, bar: Bar, sign: float, method: Method) -> float:
    """Change of the limit when the parameter changes by sign times the amount; nan when it is unknown."""
    limit, parameter = sensitivity.limit, bar.derivative.parameter
    problem = changed_problem(limit.assembly, limit.problem, limit.direction, parameter, sign * bar.amount)
    if (problem.lower > problem.upper).any():
        return np.nan
    solution = method.maximise(problem)
    if solution.status is Status.UNBOUNDED:
        return np.inf
    if solution.status is Status.DOES_NOT_HOLD:
        return -np.inf
    return solution.factor - sensitivity.value if solution.status is Status.OPTIMAL else np.nan
