"""The hull relaxation of a contact problem, by column generation on support functions.

Each contact's allowed pieces are replaced by their convex hull, which makes the problem a linear program
in the weights of vertices. Only a few vertices matter: the program starts with one point per contact, and
each round adds, for every contact and allowed piece, the vertex that the current multipliers y price
highest, i.e. the support vertex in the direction maps_i^T y. When no vertex improves, y proves it.

Two programs share this:

* `test`: move from a point that can always be balanced to the problem itself. With f0 any allowed forces
  and r what their balance lacks, maximise t <= 1 in  sum maps_i f_i + load - (1 - t) r  within bounds.
  t = 1 solves the problem; if t stays below 1, y separates. For volumes that contain zero, f0 = 0 and t is
  the load factor.
* `maximise`: the largest load factor d (6), after a phase one of the same kind where zero forces do not
  fit the joint bounds.

Relaxations and mixed-integer programs only propose forces. `held` and `attained` turn a proposal into an answer after
they have checked, from the forces alone, that each lies in one allowed piece and that every row is balanced. Pieces
are allowed by masks as in `Leaf`: one bit mask per contact.
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
from .certificates import factor_bound, ray_slack, separation_margin
from .highs import LinearProgram, Outcome
from .problem import ContactProblem, Solution, SolverStats, Status

#: Vertices are priced until they could improve the load factor by no more than this share of it.
PRICING_GAP = 1e-11

#: Weights below this share are no part of a solution.
WEIGHT_NOISE = 1e-11

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
        shares: (k, most pieces) total weight on each piece (of rays, for an unbounded factor), or None.
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
    """A vertex or a ray of one contact's piece; `point` is a local force [N] (or ray direction)."""

    contact: int
    piece: int
    point: Array
    is_ray: bool


class HullRelaxation:
    """Column generation for one problem; counts its linear programs in `programs`."""

    def __init__(self, problem: ContactProblem) -> None:
        self.problem = problem
        self.programs = 0
        self._vertices = [[piece.extreme for piece in shape] for shape in problem.shapes]
        self._has_zero = [[bool(piece.contains(np.zeros(3))) for piece in shape] for shape in problem.shapes]
        self._most_pieces = max(len(shape) for shape in problem.shapes)
        self._unit, _ = problem.scales(maximise=False)
        self._largest, self._stretch = problem.scales(maximise=True)

    # -- the two questions ----------------------------------------------------------------------

    def test(self, masks: tuple[int, ...]) -> RelaxedSolution:
        """Whether d = 1 holds with forces in the hulls of the allowed pieces."""
        problem = self.problem
        start = self._start(masks)
        reached = problem.row_values(np.array([c.point for c in start]), 1.0)
        missing = reached - np.clip(reached, problem.lower, problem.upper)  # r
        shift = missing - problem.load
        program = _Master(self, self._unit, masks, problem.lower + shift, problem.upper + shift, start)
        program.add_special(missing, upper=1.0)
        return program.climb(stop_at=1.0)

    def maximise(self, masks: tuple[int, ...]) -> RelaxedSolution:
        """The largest d with forces in the hulls of the allowed pieces."""
        problem = self.problem
        start = self._start(masks)
        reached = problem.row_values(np.array([c.point for c in start]), 0.0)
        missing = reached - np.clip(reached, problem.lower, problem.upper)
        base, base_factor = np.array([c.point for c in start]), 0.0
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
        unit = float(np.abs(problem.load).max())
        still = -problem.load / unit
        program = LinearProgram(
            np.where(np.isfinite(problem.lower), still, -np.inf), np.where(np.isfinite(problem.upper), still, np.inf)
        )
        rays = [
            _Column(i, j, ray / np.linalg.norm(ray) * unit, True)
            for i, mask in enumerate(masks)
            for j, piece in enumerate(problem.pieces(i))
            if mask >> j & 1
            for ray in piece.rays
        ]
        columns = np.array([problem.maps[c.contact] @ c.point / unit for c in rays]).reshape(-1, problem.rows).T
        program.add_columns(columns, gain=-1.0)
        self.programs += 1
        if program.solve() is not Outcome.OPTIMAL:
            return RelaxedSolution(RelaxationOutcome.UNSURE, base_factor)
        growth, shares = np.zeros((problem.contacts, 3)), np.zeros((problem.contacts, self._most_pieces))
        for column, weight in zip(rays, program.values, strict=True):
            growth[column.contact] += weight * column.point
            shares[column.contact, column.piece] += weight
        return RelaxedSolution(RelaxationOutcome.UNBOUNDED, base_factor, None, base, shares, growth)

    # -- columns --------------------------------------------------------------------------------

    def _start(self, masks: tuple[int, ...]) -> list[_Column]:
        """One admissible point a contact: zero where an allowed piece contains it, else the mean of corners."""
        columns = []
        for contact, mask in enumerate(masks):
            shape = self.problem.shape_of[contact]
            allowed = [j for j in range(len(self._vertices[shape])) if mask >> j & 1]
            zero = [j for j in allowed if self._has_zero[shape][j]]
            piece = zero[0] if zero else allowed[0]
            point = np.zeros(3) if zero else self._vertices[shape][piece].mean(axis=0)
            columns.append(_Column(contact, piece, point, False))
        return columns

    def price(
        self, masks: tuple[int, ...], multipliers: Array, thresholds: Array, unit: float
    ) -> tuple[list[_Column], Array]:
        """New columns worth adding (rays of length `unit`), and (k,) how much each contact could add to the factor."""
        problem = self.problem
        directions = np.einsum("kmi,m->ki", problem.maps, multipliers)
        slack = 0.5 * ray_slack(problem.maps, multipliers)  # stricter here than in the proof
        columns: list[_Column] = []
        promise = np.zeros(problem.contacts)
        for s, pieces in enumerate(self._vertices):
            members = np.nonzero(problem.shape_of == s)[0]
            for j, vertices in enumerate(pieces):
                allowed = members[[bool(masks[i] >> j & 1) for i in members]]
                if not len(allowed):
                    continue
                scores = directions[allowed] @ vertices.T
                best = scores.argmax(axis=1)
                gain = scores[np.arange(len(allowed)), best] - thresholds[allowed]
                promise[allowed] = np.maximum(promise[allowed], gain)
                columns += [
                    _Column(int(i), j, vertices[v], False) for i, v, g in zip(allowed, best, gain, strict=True) if g > 0
                ]
                columns += self._price_rays(s, j, allowed, directions, slack, promise, unit)
        return columns, promise

    def _price_rays(
        self, shape: int, piece: int, contacts: Array, directions: Array, slack: Array, promise: Array, unit: float
    ) -> list[_Column]:
        rays = self.problem.shapes[shape][piece].rays
        columns = []
        for ray in rays:
            slopes = directions[contacts] @ ray
            for i in contacts[slopes > slack[contacts] * np.linalg.norm(ray)]:
                columns.append(_Column(int(i), piece, ray / np.linalg.norm(ray) * unit, True))
                promise[i] = np.inf
        return columns


class _Master:
    """The restricted linear program of one relaxation: rows, one convexity row per contact, its columns."""

    def __init__(
        self,
        relaxation: HullRelaxation,
        unit: float,
        masks: tuple[int, ...],
        lower: Array,
        upper: Array,
        start: list[_Column],
    ) -> None:
        self._relaxation = relaxation
        self._problem = relaxation.problem
        self._masks = masks
        self._lower, self._upper = lower, upper
        self._unit = unit
        ones = np.ones(self._problem.contacts)
        self._rows = np.concatenate([lower / self._unit, ones]), np.concatenate([upper / self._unit, ones])
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
        return np.concatenate([values / self._unit, np.zeros(self._problem.contacts)])

    def _append(self, matrix: Array, **bounds: float) -> None:
        self._program.add_columns(matrix, **bounds)
        self._matrix = np.concatenate([self._matrix, matrix], axis=1)

    def _add(self, columns: list[_Column]) -> bool:
        """Add the columns not yet there; whether any was new."""
        fresh = []
        for column in columns:
            key = (column.contact, column.point.tobytes(), column.is_ray)
            if key not in self._known:
                self._known.add(key)
                fresh.append(column)
        if fresh:
            contacts = np.array([c.contact for c in fresh])
            points = np.array([c.point for c in fresh])
            matrix = np.zeros((self._matrix.shape[0], len(fresh)))
            matrix[: self._problem.rows] = np.einsum("cmi,ci->mc", self._problem.maps[contacts], points) / self._unit
            weighs = np.array([not c.is_ray for c in fresh])
            matrix[self._problem.rows + contacts[weighs], np.nonzero(weighs)[0]] = 1.0
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
            multipliers = duals[: self._problem.rows] / self._unit
            if factor >= stop_at - tolerances.FEASIBILITY:
                return self._solution(RelaxationOutcome.REACHED, stop_at, multipliers, values)
            new, promise = self._relaxation.price(self._masks, multipliers, -duals[self._problem.rows :], self._unit)
            bound = factor + promise.sum()
            if bound < stop_at - tolerances.FEASIBILITY and stop_at < np.inf:
                separated = self._separated(multipliers)
                if separated is not None:
                    return separated
            if promise.sum() <= PRICING_GAP * max(1.0, abs(factor)) or not self._add(new):
                if stop_at < np.inf:
                    return RelaxedSolution(RelaxationOutcome.UNSURE, factor, multipliers)
                return self._solution(RelaxationOutcome.OPTIMAL, factor, multipliers, values)
        raise SolverError(f"no end after {MOST_ROUNDS} rounds of pricing", fix="check the scale of the problem")

    def _separated(self, multipliers: Array) -> RelaxedSolution | None:
        """The separating answer if the multipliers prove it by fresh supports, else None."""
        if self._has_load:  # y must not see the load at all to exclude every load factor
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
        weights = np.maximum(values[self._specials :], 0.0)
        forces = np.zeros((self._problem.contacts, 3))
        shares = np.zeros((self._problem.contacts, self._relaxation._most_pieces))
        for column, weight in zip(self.columns, weights, strict=True):
            forces[column.contact] += weight * column.point
            shares[column.contact, column.piece] += weight
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
    """(k,) the allowed piece that each local force (k, 3) lies in, or None when some force lies in none."""
    found = np.zeros(problem.contacts, dtype=np.int64)
    for i, mask in enumerate(masks):
        strength = float(np.abs(forces[i]).max())  # what a cone, which has no size of its own, is judged by
        distances = {
            j: float(piece.signed_distance(forces[i])) / (max(float(np.abs(piece.vertices).max()), strength) or 1.0)
            for j, piece in enumerate(problem.pieces(i))
            if mask >> j & 1
        }
        best = min(distances, key=distances.__getitem__)
        if distances[best] > tolerances.MEMBERSHIP:
            return None
        found[i] = best
    return found


def balances(problem: ContactProblem, forces: Array, factor: float) -> bool:
    """Whether local forces (k, 3) hold `factor` times the load to FEASIBILITY."""
    return problem.residual(forces, factor) <= tolerances.FEASIBILITY * problem.force_scale(forces, factor)


def singles(pieces: Iterable[int]) -> tuple[int, ...]:
    """The masks that allow each contact one piece, given by its number."""
    return tuple(1 << int(j) for j in pieces)


def is_single(masks: tuple[int, ...]) -> bool:
    """Whether every contact is left one piece."""
    return all(mask.bit_count() == 1 for mask in masks)


def heaviest(masks: tuple[int, ...], relaxed: RelaxedSolution) -> tuple[int, ...]:
    """Each contact fixed to the allowed piece that carries most weight in a relaxed solution."""
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
    contact's growth comes from the rays of one piece, in which its force lies.
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
        """Admissible forces at d = 1 with the allowed pieces (one per contact), or None."""
        return held(self.problem, masks, self.relaxation.test(masks))

    def attain(self, masks: tuple[int, ...]) -> Solution | None:
        """The largest d with the allowed pieces (one per contact), its bound left open; None without forces."""
        return attained(self.problem, masks, self.relaxation.maximise(masks))
