"""Solver: many questions to one assembly, each answered from where the last one ended."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array, BoolArray, IntArray
from ..errors import InputError
from ..solvers import ContactProblem, Exact, Solution, Status
from ..solvers.certificates import offsets_of
from ..solvers.exact.method import Batch, WarmStart
from ..solvers.exact.search import FINISHED, HELD
from .equilibrium import Equilibrium, LoadLimit, equilibrium, load_limit

Question = Literal["test", "maximise"]


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers to many wrenches of one assembly.

    A verdict in here has been proven by the compiled search, but keeps no certificate: `answers[i]` asks that one
    question again and returns it in full, with forces or certificate, ready for `verify()`.

    Attributes:
        assembly: what was asked about.
        method: how it was answered.
        question: "test" or "maximise".
        wrenches: (n, 6) external wrenches that were asked about.
        status: (n,) what came out of each, as `Status`.
        values: (n,) load factors attained: for limits the limit (inf if unbounded); for tests 1 where it holds, else
            nan.
        upper_bounds: (n,) no larger factor is possible; nan for tests.
        forces: (n, k, 3) world forces on the object [N], nan where there are none.
        pieces: (n, k) pieces the forces lie in, -1 where there are none.
        multipliers: (n, m) over the scaled rows of the layout, from which `normals` and `offsets` come; zeros: none.
    """

    assembly: Assembly
    method: Exact
    question: Question
    wrenches: Array
    status: Array
    values: Array
    upper_bounds: Array
    forces: Array
    pieces: Array
    multipliers: Array

    def __repr__(self) -> str:
        counts = ", ".join(f"{(self.status == s).sum()} {s}" for s in Status if (self.status == s).any())
        return f"Answers({counts or 'none'})"

    def __len__(self) -> int:
        return len(self.wrenches)

    @property
    def holds(self) -> BoolArray:
        """(n,) whether forces were found that balance the wrench as given (of tests)."""
        return self.status == Status.HOLDS

    @property
    def normals(self) -> Array:
        """(n, 6) outward normals of outer half-spaces: see `offsets`; nan where none is known."""
        return self._planes[0]

    @property
    def offsets(self) -> Array:
        """(n,) with normals[i] . w <= offsets[i] for EVERY external wrench w that the assembly holds.

        Wrenches have their torque about the world origin. The force part of a normal is dimensionless, its torque part
        in [1/m]; taken about the contacts' centre, with torques divided by the assembly's length, it has length 1. The
        planes are those of the contacts' convex hulls, right for the unions too: plane i cuts ray i where the hulls'
        limit lies, at `upper_bounds[i]` or above. Reckoned by fresh supports, not by the search.
        """
        return self._planes[1]

    @cached_property
    def _planes(self) -> tuple[Array, Array]:
        return self.assembly.outer_planes(self.multipliers)

    def __getitem__(self, index: int) -> Equilibrium | LoadLimit:
        """One answer in full, with its certificate; asked again to get it."""
        ask = equilibrium if self.question == "test" else load_limit
        return ask(self.assembly, self.wrenches[index], method=self.method)


class Solver:
    """Answers `equilibrium` and `load_limit` for one assembly, keeping the last basis warm.

    Verdicts and limits are those of `hf.equilibrium` and `hf.load_limit` with the same method; forces may be other
    admissible ones. One solver may be used from several threads: single questions wait for each other, batches do not.
    """

    def __init__(self, assembly: Assembly, method: Exact | None = None) -> None:
        if method is not None and not isinstance(method, Exact):
            raise InputError(
                f"is a {type(method).__name__}",
                where="method",
                fix="give a holdfast.Exact; for other methods use holdfast.equilibrium",
            )
        self._assembly = checked_assembly(assembly)
        self._method = method or Exact()
        self._memories: dict[Question, WarmStart] = {"test": WarmStart(), "maximise": WarmStart()}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Solver({len(self._assembly)} contacts, {self._method!r})"

    @property
    def assembly(self) -> Assembly:
        """What is asked about."""
        return self._assembly

    @property
    def method(self) -> Exact:
        """How it is answered."""
        return self._method

    def move_to(self, assembly: Assembly) -> None:
        """Ask about another posture from now on.

        Lookup tables are shared with every assembly that uses the same volumes, and the last multipliers are the start
        of the next search; after a small change of posture they are nearly right.
        """
        with self._lock:
            self._assembly = checked_assembly(assembly)

    def equilibrium(self, wrench: ArrayLike) -> Equilibrium:
        """As `hf.equilibrium`, warm."""
        load = checks.vector("wrench", wrench, 6)
        with self._lock:
            assembly = self._assembly
            problem = assembly.problem(load)
            solution = self._method.test(problem, self._memories["test"])
        return Equilibrium(assembly, problem, solution, load, self._method)

    def load_limit(self, direction: ArrayLike) -> LoadLimit:
        """As `hf.load_limit`, warm."""
        load = checks.vector("direction", direction, 6)
        if not load.any():
            raise InputError("is the zero wrench", where="direction", fix="give a load to multiply")
        with self._lock:
            assembly = self._assembly
            problem = assembly.problem(load)
            solution = self._method.maximise(problem, self._memories["maximise"])
        return LoadLimit(assembly, problem, solution, load, self._method)

    def equilibrium_many(self, wrenches: ArrayLike, *, threads: int | None = None) -> Answers:
        """Whether each of the wrenches (n, 6) is held, on several threads (as many as there are cores by default)."""
        return self._many("test", checks.array("wrenches", wrenches, ("n", 6)), threads)

    def load_limit_many(self, directions: ArrayLike, *, threads: int | None = None) -> Answers:
        """The load limit along each of the directions (n, 6), on several threads (as many as cores by default)."""
        loads = checks.array("directions", directions, ("n", 6))
        idle = ~loads.any(axis=1)
        if idle.any():
            where = f"directions[{int(idle.argmax())}]"
            raise InputError("is the zero wrench", where=where, fix="give a load to multiply")
        return self._many("maximise", loads, threads)

    def _many(self, question: Question, wrenches: Array, threads: int | None) -> Answers:
        assembly = self._assembly
        workers = checks.count("threads", (os.cpu_count() or 1) if threads is None else threads)
        loads = assembly.loads(wrenches)
        parts = [part for part in np.array_split(neighbouring(loads), workers) if len(part)]
        with ThreadPoolExecutor(workers) as pool:
            batches = list(pool.map(lambda part: self._method.many(assembly.layout, loads[part], question), parts))
        if not batches:
            batches = [self._method.many(assembly.layout, loads, question)]
        batch = Batch(*(np.concatenate(arrays) for arrays in zip(*batches, strict=True)))
        if parts:
            back = np.argsort(np.concatenate(parts))
            batch = Batch(*(array[back] for array in batch))
        return self._assembled(assembly, question, wrenches, batch, workers)

    def _assembled(
        self, assembly: Assembly, question: Question, wrenches: Array, batch: Batch, workers: int
    ) -> Answers:
        """Statuses and forces of a batch; what the kernels left open is asked again, alone."""
        status = np.full(len(wrenches), Status.UNDECIDED, dtype=object)
        values, bounds = batch.factors.copy(), batch.bounds.copy()
        local, pieces, multipliers = batch.forces, batch.pieces, batch.multipliers
        sound = batch.residuals <= tolerances.FEASIBILITY
        if question == "test":
            held, failed = (batch.outcomes == HELD) & sound, batch.outcomes == FINISHED
            with np.errstate(divide="ignore", invalid="ignore"):
                local[held] /= np.where(np.isfinite(values), values, 1.0)[held, None, None]
            status[held], status[failed] = Status.HOLDS, Status.DOES_NOT_HOLD
            values[held], values[failed], bounds[:] = 1.0, np.nan, np.nan
            local[failed], pieces[failed] = np.nan, -1
            settled = held | failed
        else:
            floor = assembly.layout.rounding_force / np.abs(assembly.loads(wrenches)).max(axis=1, initial=0.0)
            with np.errstate(invalid="ignore"):  # inf - inf where nothing holds
                closed = batch.bounds - values <= self._method.gap * np.abs(values) + floor
            settled = (batch.outcomes == FINISHED) & sound & np.isfinite(values) & closed
            status[settled], bounds[settled] = Status.OPTIMAL, np.maximum(bounds, values)[settled]
        left = np.nonzero(~settled)[0]
        problems = [assembly.problem(wrenches[index]) for index in left]
        ask = self._method.test if question == "test" else self._method.maximise
        with ThreadPoolExecutor(workers) as pool:
            solutions = list(pool.map(ask, problems))
        for index, problem, solution in zip(left, problems, solutions, strict=True):
            status[index] = solution.status
            values[index] = _value(question, solution)
            bounds[index] = np.nan if question == "test" else solution.bound
            if not multipliers[index].any():
                multipliers[index] = _widest_multipliers(solution, problem)
            local[index] = np.nan if solution.forces is None else solution.forces
            pieces[index] = -1 if solution.pieces is None else solution.pieces
        forces = np.einsum("kij,nkj->nki", assembly.rotations, local)
        multipliers[values == np.inf] = 0.0
        return Answers(assembly, self._method, question, wrenches, status, values, bounds, forces, pieces, multipliers)


def neighbouring(loads: Array) -> IntArray:
    """(n,) an order of the loads (n, m) in which each is near the last.

    Strips along their widest spread, there and back.

    Only directions count. A search that starts from its neighbour's basis has little left to do.
    """
    n = len(loads)
    lengths = np.linalg.norm(loads, axis=1, keepdims=True)
    directions = loads / np.where(lengths > 0.0, lengths, 1.0)
    spread = directions - directions.mean(axis=0) if n else directions
    _, axes = np.linalg.eigh(spread.T @ spread)
    along, across = spread @ axes[:, -1], spread @ axes[:, -2]
    strips = max(1, round(np.sqrt(n)))
    strip = np.argsort(np.argsort(across, kind="stable")) * strips // max(1, n)
    return np.lexsort([np.where(strip % 2, -along, along), strip])


def _value(question: Question, solution: Solution) -> float:
    if question == "maximise":
        return np.inf if solution.status is Status.UNBOUNDED else solution.factor
    return 1.0 if solution.status is Status.HOLDS else np.nan


def _widest_multipliers(solution: Solution, problem: ContactProblem) -> Array:
    """(m,) the multipliers among a certificate's leaves that bound the load best for all pieces; zeros without any."""
    if solution.certificate is None or not len(solution.certificate.leaves):
        return np.zeros(problem.rows)
    multipliers = np.array([leaf.multipliers for leaf in solution.certificate.leaves])
    against = -multipliers @ problem.load
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = np.where(against > 0.0, offsets_of(problem.layout, multipliers) / against, np.inf)
    return multipliers[int(np.argmin(bounds))]
