"""The exact method: compiled dual simplex and branch and bound, with the reference method behind it.

What the kernels return is checked by fresh numbers before it is believed. Where they cannot answer (pieces without
the zero force, rays that never end, rounding) the reference method does; `Effort.referee` says so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from .. import checks, tolerances
from ..checks import Array
from .certificate import Certificate, LeafArrays
from .node_store import NODES, PIVOTS, RELAXATIONS
from .problem import ContactProblem, Effort, Layout, Solution, Status
from .program import Program, State
from .reference import Reference
from .search import FINISHED, FULL, HELD, PAUSED, solve_batch, solve_cold, solve_warm
from .tables import MOST_PIECES

#: Rays are first capped at this many times the load.
RAY_CAP = 1e6

#: Nodes and leaves of a first attempt; each further one has `GROWTH` times as many.
FIRST_NODES, FIRST_LEAVES, GROWTH = 512, 256, 8


class Batch(NamedTuple):
    """Answers of the kernels to n loads: outcomes (see `search`), factors, local forces and pieces."""

    outcomes: Array  # (n,)
    factors: Array  # (n,)
    forces: Array  # (n, k, 3)
    pieces: Array  # (n, k)


class Memory:
    """The basis of the last answer, from which the next query of the same assembly starts."""

    __slots__ = ("state",)

    def __init__(self) -> None:
        self.state: State | None = None


@dataclass(frozen=True, kw_only=True)
class Exact:
    """Globally optimal over unions of convex pieces, to a stated gap.

    Attributes:
        gap: relative gap at which a load limit counts as found.
        node_limit: nodes of the search before the answer is "undecided".
        time_limit: seconds before the answer is "undecided".
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
        began = time.perf_counter()
        layout = problem.layout
        if not _fits_kernels(layout):
            return self._referee(began, problem, "test")
        zero = layout.nearest_to_zero
        way = problem.load - zero  # the load, and what joint gravity lacks at zero force
        if not way.any():
            pieces = np.zeros(problem.contacts, dtype=np.int64)
            return Solution(Status.HOLDS, 1.0, np.inf, np.zeros((problem.contacts, 3)), pieces)
        program = _program(layout, way, layout.lower - zero, layout.upper - zero)
        found = self._search(problem, program, 1.0 - tolerances.FEASIBILITY, True, memory, began)
        if found is None:
            return self._referee(began, problem, "test")
        outcome, factor, forces, pieces, counts, (leaves, _) = found
        effort = _effort(counts, began)
        if outcome == HELD:
            forces = forces / factor
            if problem.residual(forces, 1.0) <= tolerances.FEASIBILITY * problem.force_scale(forces, 1.0):
                return Solution(Status.HOLDS, 1.0, np.inf, forces, pieces, effort=effort)
            return self._referee(began, problem, "test")
        if outcome == FINISHED:
            return Solution(
                Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=Certificate(None, leaves), effort=effort
            )
        return Solution(Status.UNDECIDED, -np.inf, np.inf, effort=effort)

    def maximise(self, problem: ContactProblem, memory: Memory | None = None) -> Solution:
        """The largest d, with a certified bound."""
        began = time.perf_counter()
        layout = problem.layout
        if not _fits_kernels(layout):
            return self._referee(began, problem, "maximise")
        program = _program(layout, problem.load, layout.lower, layout.upper)
        found = self._search(problem, program, np.inf, layout.bounds_hold_zero, memory, began)
        if found is None:
            return self._referee(began, problem, "maximise")
        outcome, factor, forces, pieces, counts, (leaves, bound) = found
        effort = _effort(counts, began)
        if outcome != FINISHED:
            attained = forces if factor > -np.inf else None
            return Solution(Status.UNDECIDED, factor, np.inf, attained, pieces, effort=effort)
        claim = max(float(bound), factor)
        if factor == -np.inf:
            return Solution(
                Status.DOES_NOT_HOLD, factor, factor, certificate=Certificate(-np.inf, leaves), effort=effort
            )
        if problem.residual(forces, factor) > tolerances.FEASIBILITY * problem.force_scale(forces, factor):
            return self._referee(began, problem, "maximise")
        certificate = Certificate(claim, leaves)
        return Solution(Status.OPTIMAL, factor, claim, forces, pieces, certificate=certificate, effort=effort)

    def many(self, layout: Layout, loads: Array, question: Literal["test", "maximise"]) -> Batch:
        """Many loads (n, m) of one layout; entries that the kernels left open have outcome `PAUSED` or worse.

        Releases the interpreter lock, so that several threads may share the work.
        """
        n, k = len(loads), len(layout.shape_of)
        batch = Batch(np.full(n, PAUSED), np.zeros(n), np.zeros((n, k, 3)), np.zeros((n, k), dtype=np.int64))
        if not n or not _fits_kernels(layout):
            return batch
        is_test = question == "test"
        program = _program(layout, np.ones(loads.shape[1]), layout.lower, layout.upper)
        program = program._replace(ray_cap=RAY_CAP)
        batch.outcomes[:] = solve_batch(
            program,
            layout.tables,
            np.array(layout.all_pieces),
            loads,
            layout.nearest_to_zero,
            is_test,
            1.0 - tolerances.FEASIBILITY if is_test else np.inf,
            self.gap,
            is_test or layout.bounds_hold_zero,
            min(FIRST_NODES, self.node_limit),
            batch.factors,
            batch.forces,
            batch.pieces,
        )
        return batch

    def _referee(self, began: float, problem: ContactProblem, question: Literal["test", "maximise"]) -> Solution:
        """The reference method's answer, within what is left of the time."""
        left = max(1e-3, self.time_limit - (time.perf_counter() - began))
        method = Reference(gap=self.gap, time_limit=left)
        solution = method.test(problem) if question == "test" else method.maximise(problem)
        effort = replace(solution.effort, referee=True, seconds=time.perf_counter() - began)
        return replace(solution, effort=effort)

    def _search(
        self,
        problem: ContactProblem,
        program: Program,
        target: float,
        rounding: bool,
        memory: Memory | None,
        began: float,
    ):
        """Run the kernels, with more room while they ask for it; None when they cannot answer."""
        layout = problem.layout
        nodes, room = FIRST_NODES, FIRST_LEAVES
        while True:
            nodes = min(nodes, self.node_limit)
            options = (target, self.gap, rounding, nodes, room)
            if memory is None or memory.state is None:
                answer = solve_cold(program, layout.tables, np.array(layout.all_pieces), *options)
            else:
                answer = solve_warm(program, layout.tables, memory.state, *options)
            outcome, factor, forces, pieces, counts, masks, multipliers, bounds, root = answer
            if memory is not None:
                memory.state = root
            late = time.perf_counter() - began > self.time_limit
            if outcome == PAUSED and nodes < self.node_limit and not late:
                nodes *= GROWTH
            elif outcome == FULL and not late:
                room *= GROWTH
            elif outcome in (FINISHED, HELD, PAUSED, FULL):
                leaves = LeafArrays(masks, multipliers)
                return outcome, factor, forces, pieces, counts, (leaves, bounds.max(initial=-np.inf))
            else:
                if memory is not None:
                    memory.state = None
                return None


def _fits_kernels(layout: Layout) -> bool:
    return layout.contains_zero and max(len(shape) for shape in layout.shapes) <= MOST_PIECES


def _program(layout: Layout, way: Array, lower: Array, upper: Array) -> Program:
    """The kernels' program, rows in units of the largest entry of the load."""
    per_unit = 1.0 / float(np.abs(way).max())
    contacts, rays, bits = layout.rays
    return Program(
        maps=layout.maps * per_unit,
        shape_of=layout.shape_of,
        size=layout.sizes,
        load=way * per_unit,
        lower=lower * per_unit,
        upper=upper * per_unit,
        ray_of=contacts,
        ray=rays,
        ray_bit=bits,
        ray_cap=RAY_CAP / per_unit,
        bonus=0.0,
    )


def _effort(counts: Array, began: float) -> Effort:
    return Effort(
        programs=int(counts[RELAXATIONS]),
        nodes=int(counts[NODES]),
        pivots=int(counts[PIVOTS]),
        seconds=time.perf_counter() - began,
    )
