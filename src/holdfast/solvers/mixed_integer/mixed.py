"""What mixed-integer formulations of the contact problem share: columns, units, backends, the check of their word.

Column 0 is the load factor d, then comes one indicator z_ij in {0, 1} for each contact i and piece j with
sum_j z_ij = 1, then what the formulation adds. A formulation says how its own columns balance the rows and how
indicators bind them; everything else is here.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ... import checks, tolerances
from ...checks import Array
from ...errors import SolverError, UnknownNameError
from .. import highs
from ..admissible import attained, closes, held, singles
from ..highs import MixedSolution, Outcome
from ..problem import ContactProblem, Effort, Solution, Status
from ..relaxation import SMALLEST_LOAD_SHARE, HullRelaxation
from . import scip

#: How far unlimited directions go, in multiples of the largest vertex, joint limit or load of the problem.
RAY_REACH = 1e4

#: What the backends round off a load factor, counted in loads as large as the volumes.
MIXED_ROUNDING = 1e-9

_BACKENDS = {"highs": highs.solve_mixed, "scip": scip.solve_mixed}


@dataclass(frozen=True)
class Units:
    """In what a mixed-integer program counts.

    Attributes:
        force: [N] what forces and rows are divided by.
        factor: load factors are divided by this: a maximum does not depend on how long the load is.
        reach: [N] how far unlimited directions go.
    """

    force: float
    factor: float
    reach: float


def units_of(problem: ContactProblem, *, maximise: bool) -> Units:
    """Units of a test (the load) or a maximum (the volumes, with a load as large as they are)."""
    largest = max(piece.size for shape in problem.shapes for piece in shape)
    strength = float(np.abs(problem.load).max())
    limits = np.abs(np.concatenate([problem.lower, problem.upper]))
    reach = RAY_REACH * max(largest, float(limits[np.isfinite(limits)].max()))
    if maximise:
        return Units(largest, largest / strength if strength else 1.0, reach)
    force = max(strength, SMALLEST_LOAD_SHARE * largest) if strength else largest
    return Units(force, 1.0, max(reach, RAY_REACH * strength))


def indicators_of(problem: ContactProblem) -> tuple[tuple[int, int], ...]:
    """(contact, piece) of each indicator, in the order of their columns."""
    return tuple((i, j) for i in range(problem.contacts) for j in range(len(problem.pieces(i))))


def reaches(problem: ContactProblem, reach: float) -> Array:
    """(k, 3) the largest magnitude of each local force coordinate [N], rays going as far as `reach` [N]."""
    by_shape = np.array(
        [
            np.max([np.abs(p.vertices).max(axis=0) + (0.0 if p.is_bounded else reach) for p in shape], axis=0)
            for shape in problem.shapes
        ]
    )
    return by_shape[problem.shape_of]


@dataclass(frozen=True, eq=False)
class Rest:
    """What a formulation adds to d and the indicators.

    Attributes:
        balance: (m, columns) scipy sparse: its columns in the balance and joint rows, divided by the force unit.
        on_indicators, on_columns: (rows, n) and (rows, columns) scipy sparse: the rows that bind them together.
        row_lower, row_upper: (rows,) bounds of those rows.
        lower, upper: (columns,) bounds of its columns.
    """

    balance: Any
    on_indicators: Any
    on_columns: Any
    row_lower: Array
    row_upper: Array
    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class MixedProgram:
    """maximise gains . x with row bounds and column bounds, some columns whole: what a backend is given.

    Attributes:
        matrix: scipy CSC (rows, columns).
        row_lower, row_upper, gains, lower, upper: bounds and objective; the objective counts d in `Units.factor`.
        integer: (columns,) which columns are whole.
    """

    matrix: Any
    row_lower: Array
    row_upper: Array
    gains: Array
    lower: Array
    upper: Array
    integer: Array

    def solve(self, solver: str, *, time_limit: float, gap: float) -> MixedSolution:
        """Give it to a backend, as it is."""
        rows, columns = (self.row_lower, self.row_upper), (self.lower, self.upper)
        backend = _BACKENDS[solver]
        return backend(self.matrix, *rows, self.gains, *columns, self.integer, time_limit=time_limit, gap=gap)


def build_program(problem: ContactProblem, units: Units, rest: Rest, *, maximise: bool) -> MixedProgram:
    """d, the indicators and what a formulation adds, as one program for d = 1 or for the largest d."""
    from scipy import sparse

    pairs = np.array(indicators_of(problem))
    k, n = problem.contacts, len(pairs)
    choice = sparse.csc_array((np.ones(n), (pairs[:, 0], np.arange(n))), shape=(k, n))
    load = sparse.csc_array((problem.load * units.factor / units.force)[:, None])
    most = _largest_factor(problem, units) if maximise else 1.0
    ones, others = np.ones(k), len(rest.lower)
    return MixedProgram(
        matrix=sparse.block_array(
            [[load, None, rest.balance], [None, choice, None], [None, rest.on_indicators, rest.on_columns]],
            format="csc",
        ),
        row_lower=np.concatenate([problem.lower / units.force, ones, rest.row_lower]),
        row_upper=np.concatenate([problem.upper / units.force, ones, rest.row_upper]),
        gains=np.concatenate([[1.0 if maximise else 0.0], np.zeros(n + others)]),
        lower=np.concatenate([[-most if maximise else 1.0], np.zeros(n), rest.lower]),
        upper=np.concatenate([[most], np.ones(n), rest.upper]),
        integer=np.concatenate([[False], np.ones(n, dtype=bool), np.zeros(others, dtype=bool)]),
    )


def solve(
    problem: ContactProblem, units: Units, rest: Rest, *, maximise: bool, solver: str, time_limit: float, gap: float
) -> tuple[MixedSolution, tuple[int, ...] | None]:
    """Solve for d = 1 or the largest d; with the chosen piece of each contact, if any choice was found.

    Objective and bound are load factors. A result without pieces and without a limit reached says that the
    backend found the problem impossible, to its own tolerance; it is no proof. Use `Certificate` for that.
    """
    program = build_program(problem, units, rest, maximise=maximise)
    solution = program.solve(solver, time_limit=time_limit, gap=gap)
    bound = min(solution.bound, float(program.upper[0]))
    solution = replace(solution, objective=solution.objective * units.factor, bound=bound * units.factor)
    if solution.values is None:
        return solution, None
    pairs = np.array(indicators_of(problem))
    taken = solution.values[1 : 1 + len(pairs)] > 0.5
    chosen = np.zeros(problem.contacts, dtype=np.int64)
    chosen[pairs[taken, 0]] = pairs[taken, 1]
    return solution, tuple(chosen.tolist())


def _largest_factor(problem: ContactProblem, units: Units) -> float:
    """More than any load factor that can be balanced, from the row with the largest load alone; inf without a load."""
    row = int(np.abs(problem.load).argmax())
    if not problem.load[row]:
        return np.inf
    most = float((np.abs(problem.maps[:, row, :]) * reaches(problem, units.reach)).sum())
    most = max(most, float(np.abs([problem.lower[row], problem.upper[row]]).max()))
    return 2.0 * most / abs(float(problem.load[row])) / units.factor + 1.0


@dataclass(frozen=True, kw_only=True)
class MixedMethod(ABC):
    """A mixed-integer program as a method: the backend chooses the pieces, a linear program confirms them.

    "Holds", "optimal" and "unbounded" come with forces checked to the tolerances of every other method. What the
    backend calls impossible or best is its word within its own tolerance: there is no certificate, so that
    `verify()` is False for "does not hold" and "optimal". Unlimited directions go no further than `RAY_REACH`
    times the largest vertex, joint limit or load, and bounds count no further: what needs more is missed, unless the
    confirming program finds it.

    Attributes:
        solver: "highs", or "scip" where PySCIPOpt is installed.
        gap: relative gap at which a load limit counts as found.
        time_limit: seconds for the backend before the answer is "undecided".
    """

    solver: Literal["highs", "scip"] = "highs"
    gap: float = tolerances.GAP
    time_limit: float = 120.0

    def __post_init__(self) -> None:
        if self.solver not in _BACKENDS:
            raise UnknownNameError("solver", str(self.solver), _BACKENDS, where="solver")
        checks.positive("gap", self.gap, high=0.1)
        checks.positive("time_limit", self.time_limit, unit="s")

    @abstractmethod
    def build(self, problem: ContactProblem, units: Units) -> Rest:
        """The formulation's own columns and rows."""

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds: confirmed forces, the backend's word that it does not, or undecided."""
        return _Run(problem, self).test()

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d: confirmed forces, and the backend's bound."""
        return _Run(problem, self).maximise()


class _Run:
    """One question to a mixed-integer method."""

    def __init__(self, problem: ContactProblem, method: MixedMethod) -> None:
        self._problem = problem
        self._method = method
        self._began = time.perf_counter()
        self._relaxation = HullRelaxation(problem)

    def test(self) -> Solution:
        mixed, masks = self._propose(maximise=False)
        if masks is None:
            return self._finished(self._nothing(mixed, np.inf))
        found = held(self._problem, masks, self._relaxation.test(masks))
        return self._finished(found or Solution(Status.UNDECIDED, -np.inf, np.inf))

    def maximise(self) -> Solution:
        mixed, masks = self._propose(maximise=True)
        if masks is None:
            return self._finished(self._nothing(mixed, mixed.bound))
        found = attained(self._problem, masks, self._relaxation.maximise(masks))
        if found is None:
            return self._finished(Solution(Status.UNDECIDED, -np.inf, mixed.bound))
        if found.status is Status.UNBOUNDED:
            return self._finished(found)
        tiny = MIXED_ROUNDING * units_of(self._problem, maximise=True).factor
        beyond = not closes(mixed.bound, found.factor, gap=self._method.gap, tiny=tiny)
        bound = np.inf if beyond else max(mixed.bound, found.factor)  # beyond: rays went further than their reach
        met = mixed.outcome is Outcome.OPTIMAL and closes(found.factor, bound, gap=self._method.gap, tiny=tiny)
        return self._finished(replace(found, status=Status.OPTIMAL if met else Status.UNDECIDED, bound=bound))

    def _propose(self, *, maximise: bool) -> tuple[MixedSolution, tuple[int, ...] | None]:
        """The backend's answer and its pieces as masks; a backend that fails has reached a limit of its own."""
        method, units = self._method, units_of(self._problem, maximise=maximise)
        rest = method.build(self._problem, units)
        limits = {"time_limit": method.time_limit, "gap": method.gap / 2}
        try:
            mixed, chosen = solve(self._problem, units, rest, maximise=maximise, solver=method.solver, **limits)
        except SolverError:
            mixed, chosen = MixedSolution(Outcome.LIMIT, None, -np.inf, np.inf), None
        return mixed, None if chosen is None else singles(chosen)

    def _nothing(self, mixed: MixedSolution, bound: float) -> Solution:
        """The answer when the backend has no pieces to propose."""
        if mixed.outcome is Outcome.INFEASIBLE:
            return Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf)
        return Solution(Status.UNDECIDED, -np.inf, bound)

    def _finished(self, answer: Solution) -> Solution:
        seconds = time.perf_counter() - self._began
        return replace(answer, effort=Effort(programs=1 + self._relaxation.programs, seconds=seconds))
