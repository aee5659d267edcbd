"""The hull relaxation of a contact problem, by column generation on support functions.

Each unit's allowed pieces, products of its contacts' pieces of the same number, are replaced by their convex hull,
which makes the problem a linear program in the weights of vertices. A vertex of such a product has one vertex per
contact. Only a few matter: the program starts with one point per unit, and each round adds, for every unit and allowed
piece, the vertex that the current multipliers y price highest, i.e. the support vertex of each of its contacts i in
the direction maps_i^T y. When no vertex improves, y proves it.

Two programs share this:

* `test`: move from a point that can always be balanced to the problem itself. With f0 any allowed forces
  and r what their balance lacks, maximise t <= 1 in  sum maps_i f_i + load - (1 - t) r  within bounds.
  t = 1 solves the problem; if t stays below 1, y separates. For volumes that contain zero, f0 = 0 and t is
  the load factor.
* `maximise`: the largest load factor d (6), after a phase one of the same kind where zero forces do not
  fit the joint bounds.

Relaxations and mixed-integer programs only propose forces. `held` and `attained` turn a proposal into an answer after
they have checked, from the forces alone, that those of each unit lie in one allowed piece and that every row is
balanced. Pieces are allowed by masks as in `Leaf`: one bit mask per unit.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import SolverError
from ..geometry.polytopes import Polytope
from .certificates import factor_bound, ray_slack, separation_margin
from .highs import LinearProgram, Outcome
from .problem import ContactProblem, Solution, SolverStats, Status

#: Vertices are priced until they could improve the load factor by no more than this share of it.
PRICING_GAP = 1e-11

#: Weights below this share count as zero.
WEIGHT_NOISE = 1e-11

#: Multipliers below this share of the largest are left out where the proof fails with them: they may climb rays on
#: rows that bear no force.
DUAL_NOISE = 1e-12

#: Rounds of pricing before a program is given up (never met; each round adds new vertices of a finite set).
MOST_ROUNDS = 10_000


class RelaxationOutcome(StrEnum):
    """How a relaxation ended."""

    REACHED = "solved"
    SEPARATED = "no forces in the hulls solve it"
    OPTIMAL = "largest factor found"
    UNBOUNDED = "the factor has no limit"
    UNSURE = "neither solved nor separated within tolerance"


@dataclass(frozen=True, eq=False)
class RelaxedSolution:
    """Answer of a relaxation over the hulls of allowed pieces.

    Attributes:
        outcome: how it ended.
        factor: t of a test, d of a maximum.
        multipliers: (m,) y over the scaled rows (of the last program), or None.
        forces: (k, 3) local forces in the hulls, or None; for an unbounded factor, some that hold `factor`.
        shares: (units, most pieces) total weight on each piece (of rays, for an unbounded factor), or None.
        growth: (k, 3) local forces, sums of rays, that carry one more unit of an unbounded factor, or None.
    """

    outcome: RelaxationOutcome
    factor: float
    multipliers: Array | None = None
    forces: Array | None = None
    shares: Array | None = None
    growth: Array | None = None


@dataclass(frozen=True, eq=False)
class _Column:
    """A vertex or a ray of one unit's piece; `points` (contacts of the unit, 3) are local forces [N] or a direction."""

    unit: int
    piece: int
    points: Array
    is_ray: bool


class HullRelaxation:
    """Column generation for one problem; counts its linear programs in `programs`."""

    def __init__(self, problem: ContactProblem) -> None:
        self.problem = problem
        self.programs = 0
        self._vertices = [[piece.extreme for piece in shape] for shape in problem.shapes]
        self._has_zero = [[bool(piece.contains(np.zeros(3))) for piece in shape] for shape in problem.shapes]
        self.most_pieces = max(problem.piece_counts)
        self._scale, _ = problem.scales(maximise=False)
        self._largest, self._stretch = problem.scales(maximise=True)
        self._maps = [problem.maps[contacts.start : contacts.stop] for contacts in problem.units]

    # -- the two questions ----------------------------------------------------------------------

    def test(self, masks: tuple[int, ...]) -> RelaxedSolution:
        """Whether d = 1 holds with forces in the hulls of the allowed pieces."""
        problem = self.problem
        start, base = self._start(masks)
        reached = problem.row_values(base, 1.0)
        missing = reached - np.clip(reached, problem.lower, problem.upper)  # r
        shift = missing - problem.load
        scale = max(self._scale, float(np.abs(base).max()))  # pieces without zero bear forces at any load
        program = _Master(self, scale, masks, problem.lower + shift, problem.upper + shift, start)
        program.add_special(missing, upper=1.0)
        return program.climb(stop_at=1.0)

    def maximise(self, masks: tuple[int, ...]) -> RelaxedSolution:
        """The largest d with forces in the hulls of the allowed pieces."""
        problem = self.problem
        start, base = self._start(masks)
        base_factor = 0.0
        reached = problem.row_values(base, base_factor)
        missing = reached - np.clip(reached, problem.lower, problem.upper)
        if np.abs(missing).max() > 0.0:
            program = _Master(self, self._largest, masks, problem.lower + missing, problem.upper + missing, start)
            program.add_special(missing, upper=1.0)
            program.add_load(self._stretch)
            first = program.climb(stop_at=1.0)
            if first.outcome is not RelaxationOutcome.REACHED:
                return first
            assert first.forces is not None
            start, base, base_factor = program.columns, first.forces, program.load_factor * self._stretch
        program = _Master(self, self._largest, masks, problem.lower, problem.upper, start)
        program.add_special(problem.load * self._stretch, lower=-np.inf)
        answer = program.climb(stop_at=np.inf)
        if answer.outcome is RelaxationOutcome.UNBOUNDED:
            return self._growing(masks, base, base_factor)
        return replace(answer, factor=answer.factor * self._stretch)

    def _growing(self, masks: tuple[int, ...], base: Array, base_factor: float) -> RelaxedSolution:
        """The unbounded answer with its proof: rays that balance one unit of load within the joint bounds."""
        problem = self.problem
        strength = float(np.abs(problem.load).max())
        still = -problem.load / strength
        program = LinearProgram(
            np.where(np.isfinite(problem.lower), still, -np.inf), np.where(np.isfinite(problem.upper), still, np.inf)
        )
        rays = [
            self._ray(u, i, j, ray, strength)
            for u, (contacts, mask) in enumerate(zip(problem.units, masks, strict=True))
            for i in contacts
            for j, piece in enumerate(problem.pieces(i))
            if mask >> j & 1
            for ray in piece.rays
        ]
        program.add_columns(self.rows_of(rays) / strength, gain=-1.0)
        self.programs += 1
        if program.solve() is not Outcome.OPTIMAL:
            return RelaxedSolution(RelaxationOutcome.UNSURE, base_factor)
        growth, shares = self.combined(rays, program.values)
        return RelaxedSolution(RelaxationOutcome.UNBOUNDED, base_factor, None, base, shares, growth)

    # -- columns --------------------------------------------------------------------------------

    def _start(self, masks: tuple[int, ...]) -> tuple[list[_Column], Array]:
        """One admissible point per unit, and the forces (k, 3) that they make.

        The point is zero where an allowed piece contains it, else the mean of corners.
        """
        columns = []
        for unit, (contacts, mask) in enumerate(zip(self.problem.units, masks, strict=True)):
            shapes = self.problem.shape_of[contacts]
            allowed = [j for j in range(self.problem.piece_counts[unit]) if mask >> j & 1]
            zero = [j for j in allowed if all(self._has_zero[shape][j] for shape in shapes)]
            piece = zero[0] if zero else allowed[0]
            means = [np.zeros(3) if zero else self._vertices[shape][piece].mean(axis=0) for shape in shapes]
            columns.append(_Column(unit, piece, np.array(means), False))
        return columns, np.concatenate([column.points for column in columns])

    def _ray(self, unit: int, contact: int, piece: int, ray: Array, length: float) -> _Column:
        """The column of one contact's ray (3,): the other contacts of its unit bear nothing more."""
        contacts = self.problem.units[unit]
        points = np.zeros((len(contacts), 3))
        points[contact - contacts.start] = ray / np.linalg.norm(ray) * length
        return _Column(unit, piece, points, True)

    def rows_of(self, columns: list[_Column]) -> Array:
        """(m, columns) what the columns add to the scaled rows."""
        rows = np.empty((self.problem.rows, len(columns)))
        for at, column in enumerate(columns):
            rows[:, at] = np.einsum("kmi,ki->m", self._maps[column.unit], column.points)
        return rows

    def combined(self, columns: list[_Column], weights: Array) -> tuple[Array, Array]:
        """(k, 3) local forces that the weighted columns make, and (units, most pieces) the weight of each piece."""
        problem = self.problem
        forces, shares = np.zeros((problem.contacts, 3)), np.zeros((len(problem.units), self.most_pieces))
        for column, weight in zip(columns, weights, strict=True):
            forces[problem.units[column.unit]] += weight * column.points
            shares[column.unit, column.piece] += weight
        return forces, shares

    def price(
        self, masks: tuple[int, ...], multipliers: Array, thresholds: Array, length: float
    ) -> tuple[list[_Column], Array]:
        """New columns worth adding (rays of this length), and (units,) how much each unit could add to the factor."""
        problem = self.problem
        directions = problem.layout.directions(multipliers)
        slack = 0.5 * ray_slack(problem.layout, multipliers)  # stricter here than in the proof
        allowed = np.array([[mask >> j & 1 for j in range(self.most_pieces)] for mask in masks], dtype=bool)
        allowed_at = allowed[problem.unit_of]
        scores = np.full((problem.contacts, self.most_pieces), -np.inf)
        corners = np.zeros((problem.contacts, self.most_pieces, 3))
        columns: list[_Column] = []
        endless = np.zeros(len(masks), dtype=bool)
        for s, pieces in enumerate(self._vertices):
            for j, vertices in enumerate(pieces):
                members = np.nonzero((problem.shape_of == s) & allowed_at[:, j])[0]
                heights = directions[members] @ vertices.T
                best = heights.argmax(axis=1)
                scores[members, j] = heights[np.arange(len(members)), best]
                corners[members, j] = vertices[best]
                for ray in problem.shapes[s][j].rays:
                    slopes = directions[members] @ ray
                    for i in members[slopes > slack[members] * np.linalg.norm(ray)]:
                        unit = int(problem.unit_of[i])
                        columns.append(self._ray(unit, int(i), j, ray, length))
                        endless[unit] = True
        gains = np.add.reduceat(scores, problem.layout.unit_starts[:-1]) - thresholds[:, None]
        for unit, j in zip(*np.nonzero(allowed & (gains > 0.0)), strict=True):
            columns.append(_Column(int(unit), int(j), corners[problem.units[unit], j], False))
        return columns, np.where(endless, np.inf, np.maximum(gains.max(axis=1), 0.0))


class _Master:
    """The restricted linear program of one relaxation: rows, one convexity row per unit, its columns."""

    def __init__(
        self,
        relaxation: HullRelaxation,
        scale: float,
        masks: tuple[int, ...],
        lower: Array,
        upper: Array,
        start: list[_Column],
    ) -> None:
        self._relaxation = relaxation
        self._problem = relaxation.problem
        self._masks = masks
        self._lower, self._upper = lower, upper
        self._scale = scale
        ones = np.ones(len(masks))
        self._rows = np.concatenate([lower / self._scale, ones]), np.concatenate([upper / self._scale, ones])
        self._program = LinearProgram(*self._rows)
        self._matrix = np.zeros((len(self._rows[0]), 0))
        self._specials = 0
        self._special = np.zeros(self._problem.rows)
        self._has_load = False
        self.columns: list[_Column] = []
        self._pending = start
        self._known: set[tuple[int, bytes, bool]] = set()

    def add_special(self, column: Array, *, lower: float = 0.0, upper: float = np.inf) -> None:
        """The variable to maximise (t or d), as the first column."""
        self._special = column
        self._append(self._row_column(column)[:, None], gain=1.0, lower=lower, upper=upper)
        self._specials += 1

    def add_load(self, stretch: float) -> None:
        """A free multiple of `stretch` loads, for phase one of a maximum."""
        self._append(self._row_column(self._problem.load * stretch)[:, None], lower=-np.inf)
        self._specials += 1
        self._has_load = True

    @property
    def load_factor(self) -> float:
        """The free multiple of the load in the last solution of phase one."""
        return float(self._polished(self._program.values, 1.0)[1])

    def _row_column(self, values: Array) -> Array:
        return np.concatenate([values / self._scale, np.zeros(len(self._masks))])

    def _append(self, matrix: Array, **bounds: float) -> None:
        self._program.add_columns(matrix, **bounds)
        self._matrix = np.concatenate([self._matrix, matrix], axis=1)

    def _add(self, columns: list[_Column]) -> bool:
        """Add the columns not yet there; whether any was new."""
        fresh = []
        for column in columns:
            key = (column.unit, column.points.tobytes(), column.is_ray)
            if key not in self._known:
                self._known.add(key)
                fresh.append(column)
        if fresh:
            matrix = np.zeros((self._matrix.shape[0], len(fresh)))
            matrix[: self._problem.rows] = self._relaxation.rows_of(fresh) / self._scale
            weighs = [(self._problem.rows + c.unit, at) for at, c in enumerate(fresh) if not c.is_ray]
            matrix[tuple(np.array(weighs, dtype=np.int64).reshape(-1, 2).T)] = 1.0
            self._append(matrix)
            self.columns += fresh
        return bool(fresh)

    def climb(self, stop_at: float) -> RelaxedSolution:
        """Price and solve until the special variable reaches `stop_at` or no column can improve it."""
        self._add(self._pending)
        for _ in range(MOST_ROUNDS):
            self._relaxation.programs += 1
            try:
                outcome = self._program.solve()
            except SolverError:  # a failure to find is an answer
                return RelaxedSolution(RelaxationOutcome.UNSURE, -np.inf)
            if outcome is Outcome.UNBOUNDED:
                return RelaxedSolution(RelaxationOutcome.UNBOUNDED, np.inf)
            if outcome is not Outcome.OPTIMAL:
                return RelaxedSolution(RelaxationOutcome.UNSURE, -np.inf)
            values, duals = self._program.values, self._program.row_duals
            factor = float(values[0])
            multipliers = duals[: self._problem.rows] / self._scale
            if factor >= stop_at - tolerances.FEASIBILITY:
                return self._solution(RelaxationOutcome.REACHED, stop_at, multipliers, values)
            new, promise = self._relaxation.price(self._masks, multipliers, -duals[self._problem.rows :], self._scale)
            bound = factor + promise.sum()
            if bound < stop_at - tolerances.FEASIBILITY and stop_at < np.inf:
                separated = self._separated(multipliers)
                if separated is not None:
                    return separated
            if promise.sum() <= PRICING_GAP * max(1.0, abs(factor)) or not self._add(new):
                plain = np.where(np.abs(multipliers) > DUAL_NOISE * np.abs(multipliers).max(), multipliers, 0.0)
                if stop_at < np.inf:
                    unsure = RelaxedSolution(RelaxationOutcome.UNSURE, factor, multipliers)
                    return self._separated(plain) or unsure
                if factor_bound(self._problem, self._masks, multipliers) == np.inf:
                    multipliers = plain
                return self._solution(RelaxationOutcome.OPTIMAL, factor, multipliers, values)
        raise SolverError(f"no end after {MOST_ROUNDS} rounds of pricing", fix="check the scale of the problem")

    def _separated(self, multipliers: Array) -> RelaxedSolution | None:
        """The separating answer if the multipliers prove it by fresh supports, else None."""
        if self._has_load:  # y must be orthogonal to the load to exclude every load factor
            load = self._problem.load
            multipliers = multipliers - (multipliers @ load) / (load @ load) * load
            proven = factor_bound(self._problem, self._masks, multipliers) == -np.inf
        else:
            proven = separation_margin(self._problem, self._masks, multipliers) > 0.0
        factor = float(self._program.values[0])
        return RelaxedSolution(RelaxationOutcome.SEPARATED, factor, multipliers) if proven else None

    def _solution(
        self, outcome: RelaxationOutcome, factor: float, multipliers: Array, values: Array
    ) -> RelaxedSolution:
        values = self._polished(values, factor if outcome is RelaxationOutcome.REACHED else None)
        forces, shares = self._relaxation.combined(self.columns, np.maximum(values[self._specials :], 0.0))
        return RelaxedSolution(outcome, float(values[0]), multipliers, forces, shares)

    def _polished(self, values: Array, fixed: float | None) -> Array:
        """The solution with the last digits put right: least correction of its positive weights that balances.

        Linear programs stop within their tolerance; here the rows that bind are solved in full precision.
        """
        values = values.copy()
        free = values > WEIGHT_NOISE
        free[: self._specials] = True
        if fixed is not None:
            values[0], free[0] = fixed, False
        values[~free & (np.arange(len(values)) >= self._specials)] = 0.0
        lower, upper = self._rows
        for _ in range(2):
            rows = self._matrix @ values
            target = np.clip(rows, lower, upper)
            scale = np.maximum(1.0, np.abs(rows))
            binding = (target != rows) | (rows - lower < WEIGHT_NOISE * scale) | (upper - rows < WEIGHT_NOISE * scale)
            step = np.linalg.lstsq(self._matrix[np.ix_(binding, free)], (target - rows)[binding], rcond=None)[0]
            if not np.isfinite(step).all() or np.abs(step).max(initial=0.0) > 1e3 * tolerances.FEASIBILITY * max(
                1.0, np.abs(values).max()
            ):
                return values
            values[free] += step
        return values


def pieces_of(problem: ContactProblem, masks: tuple[int, ...], forces: Array) -> Array | None:
    """(k,) the allowed piece that the local forces (k, 3) of each unit lie in, or None when some lie in none."""
    found = np.zeros(problem.contacts, dtype=np.int64)
    for contacts, mask in zip(problem.units, masks, strict=True):
        farthest = {
            j: max(_distance(problem.pieces(i)[j], forces[i]) for i in contacts)
            for j in range(len(problem.pieces(contacts[0])))
            if mask >> j & 1
        }
        best = min(farthest, key=farthest.__getitem__)
        if farthest[best] > tolerances.MEMBERSHIP:
            return None
        found[contacts] = best
    return found


def _distance(piece: Polytope, force: Array) -> float:
    """Signed distance of a force from a piece, relative to the piece or, in a cone without a size, to the force."""
    size = max(float(np.abs(piece.vertices).max()), float(np.abs(force).max()))
    return float(piece.signed_distance(force)) / (size or 1.0)


def balances(problem: ContactProblem, forces: Array, factor: float) -> bool:
    """Whether local forces (k, 3) hold `factor` times the load to FEASIBILITY."""
    return problem.relative_residual(forces, factor) <= tolerances.FEASIBILITY


def singles(pieces: Iterable[int]) -> tuple[int, ...]:
    """The masks that allow each unit one piece, given by its number."""
    return tuple(1 << int(j) for j in pieces)


def is_single(masks: tuple[int, ...]) -> bool:
    """Whether every unit is left one piece."""
    return all(mask.bit_count() == 1 for mask in masks)


def heaviest(masks: tuple[int, ...], relaxed: RelaxedSolution) -> tuple[int, ...]:
    """Each unit fixed to the allowed piece that carries most weight in a relaxed solution."""
    assert relaxed.shares is not None
    carried = np.full_like(relaxed.shares, -np.inf)
    for i, mask in enumerate(masks):
        allowed = [j for j in range(mask.bit_length()) if mask >> j & 1]
        carried[i, allowed] = relaxed.shares[i, allowed]
    return singles(carried.argmax(axis=1))


def held(problem: ContactProblem, masks: tuple[int, ...], relaxed: RelaxedSolution) -> Solution | None:
    """A relaxed test over `masks` as the answer "holds", if its forces are admissible; else None."""
    if relaxed.outcome is not RelaxationOutcome.REACHED or relaxed.forces is None:
        return None
    return _accepted(problem, masks, relaxed, Status.HOLDS, 1.0)


def attained(problem: ContactProblem, masks: tuple[int, ...], relaxed: RelaxedSolution) -> Solution | None:
    """A relaxed maximum over `masks` as an answer, if its forces are admissible; else None.

    The answer is "optimal" with its factor, its bound left open (inf); or "unbounded" with its growth, if each
    unit's growth comes from the rays of one piece, in which its forces lie.
    """
    if relaxed.forces is None:
        return None
    if relaxed.outcome is RelaxationOutcome.OPTIMAL:
        return _accepted(problem, masks, relaxed, Status.OPTIMAL, relaxed.factor)
    if relaxed.growth is None:
        return None
    assert relaxed.shares is not None
    growing = []
    for mask, shares in zip(masks, relaxed.shares, strict=True):
        used = np.nonzero(shares > 0.0)[0]
        if len(used) > 1:
            return None
        growing.append(1 << int(used[0]) if len(used) else mask)
    return _accepted(problem, tuple(growing), relaxed, Status.UNBOUNDED, relaxed.factor)


def _accepted(
    problem: ContactProblem, masks: tuple[int, ...], relaxed: RelaxedSolution, status: Status, factor: float
) -> Solution | None:
    forces = relaxed.forces
    assert forces is not None
    pieces = pieces_of(problem, masks, forces)
    if pieces is None or not balances(problem, forces, factor):
        return None
    return Solution(status, factor, np.inf, forces, pieces, growth=relaxed.growth)


def closes(factor: float, bound: float, *, gap: float, floor: float = 0.0, tiny: float = 0.0) -> bool:
    """Whether nothing better than what was attained, beyond the relative gap, is left below the bound.

    Factors smaller than `floor` are judged as if they were that large; differences up to `tiny` never count.
    """
    if bound == -np.inf:
        return True
    return bound <= factor + gap * max(abs(factor), floor) + tiny


class MethodRun:
    """One question put to a method: its clock, its limits, and what the answer has cost so far.

    Attributes:
        problem: what is asked about.
        method: the method with its limits (`node_limit`, `time_limit`).
        nodes: piece choices (or sets of them) examined.
        programs: programs solved outside the relaxation.
    """

    def __init__(self, problem: ContactProblem, method: Any) -> None:
        self.problem = problem
        self.method = method
        self.nodes = 0
        self.programs = 0
        self.began = time.perf_counter()

    @cached_property
    def relaxation(self) -> Any:
        """The relaxation that is solved at every node; it counts its own programs."""
        return HullRelaxation(self.problem)

    @property
    def seconds(self) -> float:
        """Seconds since the question was put."""
        return time.perf_counter() - self.began

    @property
    def exhausted(self) -> bool:
        """Whether a limit of the method has been reached."""
        return self.nodes >= self.method.node_limit or self.seconds > self.method.time_limit

    def finished(self, answer: Solution) -> Solution:
        """The answer with what it has cost."""
        programs = self.programs + self.relaxation.programs
        return replace(answer, effort=SolverStats(programs=programs, nodes=self.nodes, seconds=self.seconds))

    def hold(self, masks: tuple[int, ...]) -> Solution | None:
        """Admissible forces at d = 1 with the allowed pieces (one per unit), or None."""
        return held(self.problem, masks, self.relaxation.test(masks))

    def attain(self, masks: tuple[int, ...]) -> Solution | None:
        """The largest d with the allowed pieces (one per unit), its bound left open; None without forces."""
        return attained(self.problem, masks, self.relaxation.maximise(masks))
