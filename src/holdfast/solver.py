"""Solver: many questions to one assembly, each answered from where the last one ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .assembly import Assembly
from .checks import Array
from .errors import InputError
from .holding import Equilibrium, LoadLimit
from .solvers import Exact, Status
from .solvers.exact import Memory
from .solvers.search import FINISHED, HELD

#: Threads that share a batch when nothing else is said.
DEFAULT_THREADS = 2


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers to many wrenches of one assembly.

    Attributes:
        solver: who answered.
        wrenches: (n, 6) external wrenches that were asked about.
        statuses: (n,) what came out of each, as `Status`.
        values: (n,) load factors attained: for limits the limit; for tests 1 where it holds, nan elsewhere.
        forces: (n, k, 3) world forces on the object, nan where there are none.
        pieces: (n, k) pieces the forces lie in, -1 where there are none.
    """

    solver: Solver
    question: Literal["test", "maximise"]
    wrenches: Array
    statuses: tuple[Status, ...]
    values: Array
    forces: Array
    pieces: Array

    def __len__(self) -> int:
        return len(self.wrenches)

    @property
    def holds(self) -> Array:
        """(n,) whether forces were found (of tests)."""
        return np.array([status is Status.HOLDS for status in self.statuses])

    def __getitem__(self, index: int) -> Equilibrium | LoadLimit:
        """One answer in full, with its certificate; asked again to get it."""
        ask = self.solver.equilibrium if self.question == "test" else self.solver.load_limit
        return ask(self.wrenches[index])


class Solver:
    """Answers `equilibrium` and `load_limit` for one assembly, keeping the last basis warm.

    Verdicts and limits are those of `hf.equilibrium` and `hf.load_limit`; forces may be other admissible ones. One
    solver may be used from several threads; its questions then wait for each other, except batches.
    """

    def __init__(self, assembly: Assembly, method: Exact | None = None) -> None:
        if not isinstance(assembly, Assembly):
            raise InputError(f"is a {type(assembly).__name__}", where="assembly", fix="give a holdfast.Assembly")
        self._assembly = assembly
        self._method = method or Exact()
        self._tests, self._limits = Memory(), Memory()
        self._lock = threading.Lock()

    @property
    def assembly(self) -> Assembly:
        """What is asked about."""
        return self._assembly

    def move_to(self, assembly: Assembly) -> None:
        """Ask about another posture from now on: same contacts' volumes and joints, other positions or bounds.

        The last bases are kept as a start where they fit, which they do after small changes.
        """
        old, new = self._assembly.layout, assembly.layout
        with self._lock:
            same = len(old.shapes) == len(new.shapes) and np.array_equal(old.shape_of, new.shape_of)
            same = same and all(a is b for a, b in zip(old.shapes, new.shapes, strict=True))
            if same and len(old.lower) == len(new.lower):
                new.__dict__["tables"] = old.tables
            self._tests, self._limits = Memory(), Memory()
            self._assembly = assembly

    def equilibrium(self, wrench: ArrayLike) -> Equilibrium:
        """As `hf.equilibrium`, warm."""
        problem = self._assembly.build(wrench)
        with self._lock:
            solution = self._method.test(problem, self._tests)
        return Equilibrium(self._assembly, problem, solution, checks.vector("wrench", wrench, 6))

    def load_limit(self, direction: ArrayLike) -> LoadLimit:
        """As `hf.load_limit`, warm."""
        load = checks.vector("direction", direction, 6)
        if not load.any():
            raise InputError("is the zero wrench", where="direction", fix="give a load to multiply")
        problem = self._assembly.build(load)
        with self._lock:
            solution = self._method.maximise(problem, self._limits)
        return LoadLimit(self._assembly, problem, solution, load)

    def equilibrium_many(self, wrenches: ArrayLike, *, threads: int = DEFAULT_THREADS) -> Answers:
        """Whether each of the wrenches (n, 6) is held, on several threads."""
        return self._many("test", checks.array("wrenches", wrenches, ("n", 6)), threads)

    def load_limit_many(self, directions: ArrayLike, *, threads: int = DEFAULT_THREADS) -> Answers:
        """The load limit along each of the directions (n, 6), on several threads."""
        loads = checks.array("directions", directions, ("n", 6))
        if len(loads) and not loads.any(axis=1).all():
            row = int(np.argmin(loads.any(axis=1)))
            raise InputError("is the zero wrench", where=f"directions[{row}]", fix="give a load to multiply")
        return self._many("maximise", loads, threads)

    def _many(self, question: Literal["test", "maximise"], wrenches: Array, threads: int) -> Answers:
        layout = self._assembly.layout
        loads = np.array([self._assembly.build(w).load for w in wrenches]).reshape(len(wrenches), -1)
        parts = np.array_split(np.arange(len(loads)), checks.count("threads", threads))
        with ThreadPoolExecutor(threads) as pool:
            batches = list(pool.map(lambda part: self._method.many(layout, loads[part], question), parts))
        outcomes = np.concatenate([b.outcomes for b in batches])
        values = np.concatenate([b.factors for b in batches])
        local = np.concatenate([b.forces for b in batches])
        pieces = np.concatenate([b.pieces for b in batches])
        statuses: list[Status] = []
        for index, outcome in enumerate(outcomes):
            if question == "test" and outcome == HELD:
                statuses.append(Status.HOLDS)
                local[index] /= values[index]
                values[index] = 1.0
            elif question == "test" and outcome == FINISHED:
                statuses.append(Status.DOES_NOT_HOLD)
                local[index], pieces[index], values[index] = np.nan, -1, np.nan
            elif question == "maximise" and outcome == FINISHED and values[index] > -np.inf:
                statuses.append(Status.OPTIMAL)
            else:
                statuses.append(self._alone(question, wrenches[index], values, local, pieces, index))
        forces = np.einsum("kij,nkj->nki", self._assembly.rotations, local)
        return Answers(self, question, wrenches, tuple(statuses), values, forces, pieces)

    def _alone(
        self, question: Literal["test", "maximise"], wrench: Array, values: Array, local: Array, pieces: Array, at: int
    ) -> Status:
        """Ask one question of a batch on its own, and put its answer in place."""
        problem = self._assembly.build(wrench)
        ask: Callable = self._method.test if question == "test" else self._method.maximise
        solution = ask(problem)
        found = solution.forces is not None
        local[at] = solution.forces if found else np.nan
        pieces[at] = solution.pieces if found and solution.pieces is not None else -1
        if question == "maximise":
            values[at] = np.inf if solution.status is Status.UNBOUNDED else solution.factor
        else:
            values[at] = 1.0 if solution.status is Status.HOLDS else np.nan
        return solution.status
