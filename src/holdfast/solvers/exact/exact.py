"""The exact method: compiled dual simplex and branch and bound, with the reference method behind it.

The kernels close a leaf only by fresh support functions and report the balance of their forces anew; what does not
pass is not believed. Where they cannot answer (pieces without the zero force, loads without a limit, rounding) the
reference method does; `Effort.referee` says so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from ... import checks, tolerances
from ...checks import Array, IntArray
from ...errors import SolverError
from ...geometry.polytopes import Polytope
from ..certificate import Certificate, LeafArrays, least_factor
from ..problem import ContactProblem, Effort, Layout, Solution, Status
from ..reference import Reference
from .found import LEAVES, NODES, PIVOTS, PROGRAMS
from .model import FIRST_LEAVES, Model, Room
from .program import ROOT, Y
from .search import BROKEN, FINISHED, FULL, HELD, PAUSED, solve

#: Nodes of a first attempt; each further one, and its room for leaves, has `GROWTH` times as many.
FIRST_NODES, GROWTH = 2048, 8

Question = Literal["test", "maximise"]


class Batch(NamedTuple):
    """The kernels' answers to q loads."""

    outcomes: IntArray  # (q,) see `search`
    factors: Array  # (q,) load factors attained
    bounds: Array  # (q,) no larger factor is possible: by the leaves of a finished search, by its root otherwise
    residuals: Array  # (q,) largest violation of a row by the forces, relative to the load or the forces
    forces: Array  # (q, k, 3) local forces [N] that carry the factor
    pieces: IntArray  # (q, k)
    multipliers: Array  # (q, m) of the root, over the rows of the layout (of the model, inside); zeros: none


class Memory:
    """What a query leaves behind for the next one of the same assembly, or of one much like it."""

    __slots__ = ("model", "room", "warm")

    def __init__(self) -> None:
        self.model: Model | None = None
        self.room: Room | None = None
        self.warm = False

    def multipliers(self, model: Model) -> Array | None:
        """The last multipliers, as a start for another model with the same rows; None when there are none."""
        if self.model is None or self.room is None or not self.warm:
            return None
        y = self.room.frames.vectors[ROOT, Y].copy()
        return y if len(y) == len(model.scales.kept) else None


@dataclass(frozen=True, kw_only=True)
class Exact:
    """Globally optimal over unions of convex pieces, to a stated gap.

    Attributes:
        gap: relative gap at which a load limit counts as found.
        node_limit: nodes of the search before the answer is "undecided".
        time_limit: seconds before the answer is "undecided". The search is repeated with more and more nodes, as many
            as the time that is left allows at the pace so far; a single attempt is not interrupted.
    """

    gap: float = tolerances.GAP
    node_limit: int = 200_000
    time_limit: float = 60.0

    def __post_init__(self) -> None:
        checks.positive("gap", self.gap, high=0.1)
        checks.count("node_limit", self.node_limit)
        checks.positive("time_limit", self.time_limit, unit="s")

    def test(self, problem: ContactProblem, memory: Memory | None = None) -> Solution:
        """Whether d = 1 holds: forces, or a closed tree, or undecided."""
        compile_kernels()
        began = time.perf_counter()
        layout = problem.layout
        if not layout.fits_kernels:
            return self._referee(began, problem, "test")
        if not problem.load.any() and layout.bounds_hold_zero:
            zeros = np.zeros((problem.contacts, 3))
            return Solution(Status.HOLDS, 1.0, np.inf, zeros, np.zeros(problem.contacts, dtype=np.int64))
        model = layout.model(problem.load, test=True)
        found, leaves, effort = self._search(model, problem, "test", memory, began)
        if found.outcomes[0] == HELD and found.residuals[0] <= tolerances.FEASIBILITY:
            forces = found.forces[0] / found.factors[0]
            return Solution(Status.HOLDS, 1.0, np.inf, forces, found.pieces[0], effort=effort)
        if found.outcomes[0] == FINISHED:
            certificate = Certificate(None, leaves)
            return Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=certificate, effort=effort)
        if found.outcomes[0] in (PAUSED, FULL):
            return Solution(Status.UNDECIDED, float(found.factors[0]), float(found.bounds[0]), effort=effort)
        return self._referee(began, problem, "test")

    def maximise(self, problem: ContactProblem, memory: Memory | None = None) -> Solution:
        """The largest d, with a certified bound."""
        compile_kernels()
        began = time.perf_counter()
        if not problem.layout.fits_kernels:
            return self._referee(began, problem, "maximise")
        model = problem.layout.model(problem.load, test=False)
        found, leaves, effort = self._search(model, problem, "maximise", memory, began)
        outcome, factor, forces = found.outcomes[0], float(found.factors[0]), found.forces[0]
        if outcome not in (FINISHED, PAUSED, FULL) or found.residuals[0] > tolerances.FEASIBILITY:
            return self._referee(began, problem, "maximise")
        if outcome != FINISHED:
            attained = (forces, found.pieces[0]) if factor > -np.inf else (None, None)
            return Solution(Status.UNDECIDED, factor, float(found.bounds[0]), *attained, effort=effort)
        if factor == -np.inf:
            certificate = Certificate(-np.inf, leaves)
            if not certificate.verify(problem):  # what excludes every factor is within rounding of the volumes
                return self._referee(began, problem, "maximise")
            return Solution(Status.DOES_NOT_HOLD, factor, factor, certificate=certificate, effort=effort)
        claim = max(float(found.bounds[0]), factor)
        if self.leaves_gap(problem, found, 0):
            return self._referee(began, problem, "maximise")
        certificate = Certificate(claim, leaves)
        return Solution(Status.OPTIMAL, factor, claim, forces, found.pieces[0], certificate=certificate, effort=effort)

    def many(self, layout: Layout, loads: Array, question: Question) -> Batch:
        """Many loads (q, m) of one layout, each from the basis of the last; factors count multiples of the loads.

        Releases the interpreter lock, so that several threads may share the work. Entries that the kernels left open
        have outcomes other than HELD (of tests) and FINISHED.
        """
        outcomes = np.full(len(loads), PAUSED)
        if not len(loads) or not layout.fits_kernels:
            k = len(layout.shape_of)
            nothing = np.zeros(len(loads))
            empty = (np.zeros((len(loads), k, 3)), np.zeros((len(loads), k), dtype=np.int64), np.zeros(loads.shape))
            return Batch(outcomes, nothing, nothing, nothing, *empty)
        model = layout.model(loads[np.abs(loads).max(axis=1).argmax()], test=question == "test")
        room = model.take_room()
        rounding = question == "test" or layout.bounds_hold_zero
        batch, _ = _ask(model, room, loads, question, self.gap, rounding, min(FIRST_NODES, self.node_limit), False)
        model.idle_rooms.append(room)
        multipliers = np.zeros(loads.shape)
        multipliers[:, model.scales.kept] = batch.multipliers
        return batch._replace(multipliers=multipliers)

    def leaves_gap(self, problem: ContactProblem, batch: Batch, index: int) -> bool:
        """Whether a finished search for the largest factor has left more than the gap: its bonuses were too large.

        They are made small against the first bound, which may be very much larger than the answer.
        """
        factor, bound = float(batch.factors[index]), float(batch.bounds[index])
        open_gap = bound - factor > self.gap * abs(factor) + least_factor(problem)
        return bool(batch.outcomes[index] == FINISHED and factor > -np.inf and open_gap)

    def _referee(self, began: float, problem: ContactProblem, question: Question) -> Solution:
        """The reference method's answer, within what is left of the time."""
        left = max(1e-3, self.time_limit - (time.perf_counter() - began))
        method = Reference(gap=self.gap, time_limit=left)
        try:
            solution = method.test(problem) if question == "test" else method.maximise(problem)
        except SolverError:  # a linear program that its solver gave up on: nothing is known
            solution = Solution(Status.UNDECIDED, -np.inf, np.inf)
        effort = replace(solution.effort, referee=True, seconds=time.perf_counter() - began)
        return replace(solution, effort=effort)

    def _search(
        self, model: Model, problem: ContactProblem, question: Question, memory: Memory | None, began: float
    ) -> tuple[Batch, LeafArrays, Effort]:
        """Run the kernels, with more nodes and room while they ask for it."""
        prepared = time.perf_counter()
        nodes, room_for = min(FIRST_NODES, self.node_limit), FIRST_LEAVES
        rounding = question == "test" or problem.layout.bounds_hold_zero
        loads = problem.load.reshape(1, -1)
        warm, guess, expected = False, None, 0.0
        if memory is None:
            room = model.take_room()
        else:
            if memory.model is not model or memory.room is None:
                guess = memory.multipliers(model)
                memory.model, memory.room, memory.warm = model, model.new_room(FIRST_LEAVES), False
            room, warm = memory.room, memory.warm
        lent = room
        while True:
            asked = time.perf_counter()
            gap, cold = (0.5 * self.gap if expected else self.gap), not warm and guess is None
            batch, warm = _ask(model, room, loads, question, gap, rounding, nodes, warm, guess, expected)
            now = time.perf_counter()
            affordable = int(
                nodes * (self.time_limit - (now - began)) / (now - asked)
            )  # nodes in the time that is left
            if batch.outcomes[0] == PAUSED and nodes < min(self.node_limit, affordable):
                nodes = min(GROWTH * nodes, self.node_limit, affordable)
            elif batch.outcomes[0] == FULL and nodes < affordable:
                room_for *= GROWTH
                room = model.new_room(room_for)
            elif question == "maximise" and not expected and self.leaves_gap(problem, batch, 0):
                expected = max(abs(float(batch.factors[0])), least_factor(problem))
            elif batch.outcomes[0] == BROKEN and not cold:  # an earlier answer was a bad start
                guess = None
            elif batch.outcomes[0] == BROKEN and question == "maximise" and not expected and batch.factors[0] > -np.inf:
                expected = max(abs(float(batch.factors[0])), least_factor(problem))  # other bonuses, another way
            else:
                break
            warm = False
        counts, leaves = room.found.counts.tolist(), _leaves(model, room, problem)
        if memory is None:
            model.idle_rooms.append(lent)
        else:
            memory.warm = warm and room is lent
        ended = time.perf_counter()
        effort = Effort(
            programs=counts[PROGRAMS],
            nodes=counts[NODES],
            seconds=ended - began,
            pivots=counts[PIVOTS],
            stages={"prepare": prepared - began, "search": ended - prepared},
        )
        return batch, leaves, effort


@cache
def compile_kernels() -> None:
    """Compile the kernels, or load them from where they are stored; done once, so that no time limit counts it."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    maps, zeros = np.zeros((1, 6, 3)), np.zeros(6)
    maps[0, :3] = np.eye(3)
    layout = Layout(((Polytope(corners),),), np.zeros(1, dtype=np.int64), maps, zeros, zeros, np.ones(6))
    load = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    model = layout.model(load, test=True)
    _ask(model, model.take_room(), load, "test", tolerances.GAP, True, 1, False)


def _ask(
    model: Model,
    room: Room,
    loads: Array,
    question: Question,
    gap: float,
    rounding: bool,
    nodes: int,
    warm: bool,
    start_y: Array | None = None,
    expected: float = 0.0,
) -> tuple[Batch, bool]:
    """Hand loads (q, rows of the layout) to the kernels; also returns whether the room has a basis now."""
    q, k = len(loads), model.contacts
    factors, bounds, residuals = np.zeros((3, q))
    forces, pieces = np.zeros((q, k, 3)), np.zeros((q, k), dtype=np.int64)
    multipliers = np.zeros((q, len(model.scales.kept)))
    batch = Batch(np.zeros(q, dtype=np.int64), factors, bounds, residuals, forces, pieces, multipliers)
    y = np.zeros(len(model.scales.kept)) if start_y is None else start_y
    arguments = (model.tables, model.program, model.scales, room, loads, question == "test", gap, rounding, nodes, warm)
    return batch, solve(*arguments, y, expected, batch)


def _leaves(model: Model, room: Room, problem: ContactProblem) -> LeafArrays:
    """The leaves of the last search, in the rows of the problem."""
    count = int(room.found.counts[LEAVES])
    multipliers = room.found.leaf_y[:count].copy()
    if len(model.scales.kept) < problem.rows:
        multipliers = np.zeros((count, problem.rows))
        multipliers[:, model.scales.kept] = room.found.leaf_y[:count]
    return LeafArrays(room.found.leaf_masks[:count].copy(), multipliers, room.found.leaf_bound[:count].copy())
