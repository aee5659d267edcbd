"""A search through the cells of contact modes: limits, memory for the kernel, and its statistics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import checks
from ..checks import Array
from ..compiling import clock
from ..solvers import SolverStats
from .cones import CoulombProblem
from .kernels import FULL, OVERFLOW, CellRecord, CoulombWork, new_state, new_work, search


@dataclass(frozen=True)
class MotionSearch:
    """Limits of the search for motions.

    Attributes:
        node_limit: largest number of searched cells of contact modes.
        time_limit: seconds; inf for none.
    """

    node_limit: int = 20_000
    time_limit: float = np.inf

    def __post_init__(self) -> None:
        checks.count("node_limit", self.node_limit, high=checks.LARGEST_LIMIT)
        checks.positive("time_limit", self.time_limit, unit="s", infinite=True)


#: Room of the kernel: cells in the record of the first run, and of any other run; waiting cells at first.
FIRST_CHUNK, CHUNK, DEPTH = 16, 512, 128

#: Factor on the number of waiting cells after there was no room for them.
GROWTH = 4

#: Memory for the proofs of one search [bytes]; where it is used up, the search ends undecided.
MOST_BYTES = 2**30


class SearchRun:
    """A search through the cells of contact modes of one problem, run by run of the kernel.

    Attributes:
        problem: the problem.
        states: the record of the runs, in the order of the visits; only the last one is not full.
        work: arrays of the kernel.
    """

    def __init__(self, problem: CoulombProblem, *, moving: bool = False, resolution: float | None = None) -> None:
        """A search for a motion, or for all of them to a `resolution` of slips [rad].

        `moving`: only motions in which load and joints do work, which excludes rest.
        """
        self.problem = problem
        settings = problem.arrays.settings.copy()
        settings[3] = float(moving)
        self.collect = resolution is not None
        if resolution is not None:
            settings[4] = np.ceil(np.log2(2.0 * np.pi / resolution))
        self.arrays = problem.arrays._replace(settings=settings)
        self.work: CoulombWork = new_work(len(problem.touching), len(problem.moving_joints), 6)
        self.work.drive[:] = self.arrays.drive
        self.states: list[CellRecord] = []
        state = self._add_state(FIRST_CHUNK, DEPTH)
        state.stack_mode[0], state.stack_arc[0] = problem.first_cell()
        state.counts[0] = 1

    def _add_state(self, chunk: int, depth: int) -> CellRecord:
        """Room for more cells in the record; the waiting cells are copied."""
        state = new_state(self.work, depth, chunk)
        state.counts[4] = int(self.collect)
        if self.states:
            before = self.states[-1]
            waiting = state.counts[0] = int(before.counts[0])
            for name in ("stack_mode", "stack_arc", "stack_cuts"):
                getattr(state, name)[:waiting] = getattr(before, name)[:waiting]
        self.states.append(state)
        return state

    def go(self, method: MotionSearch, began: float) -> int:
        """Run the kernel until it ends or a limit is reached; returns how it ended."""
        while True:
            state = self.states[-1]
            outcome = search(self.arrays, self.work, state)
            if outcome not in (FULL, OVERFLOW):
                return outcome
            if self.nodes >= method.node_limit or clock() - began > method.time_limit:
                return outcome
            room = MOST_BYTES - sum(s.proofs.nbytes for s in self.states)
            chunk = min(CHUNK, room // state.proofs[0].nbytes)
            if chunk <= 0:
                return outcome
            self._add_state(chunk, len(state.stack_mode) * (GROWTH if outcome == OVERFLOW else 1))

    @property
    def nodes(self) -> int:
        """Number of searched cells."""
        return sum(int(state.counts[1]) for state in self.states)

    @property
    def open_cells(self) -> int:
        """Cells that could not be decided."""
        return sum(int(state.counts[5]) for state in self.states)

    def effort(self, seconds: float) -> SolverStats:
        """What the search cost."""
        programs = sum(int(state.counts[2]) for state in self.states)
        pivots = sum(int(state.counts[3]) for state in self.states)
        return SolverStats(programs=programs, nodes=self.nodes, seconds=seconds, pivots=pivots)

    def found(self) -> tuple[Array, Array, Array]:
        """x, theta and forces (t, 3) of the motion that ended the search, scaled."""
        return self.work.x.copy(), self.work.theta.copy(), self.work.f.copy()
