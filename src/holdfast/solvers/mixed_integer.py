"""Mixed-integer formulations of the contact problem, on HiGHS and SCIP: `HullMilp` and `BigM`.

Column 0 is the load factor d, then comes one indicator z_uj in {0, 1} for each unit u and piece j with
sum_j z_uj = 1, then what the formulation adds: how its own columns balance the rows and how indicators bind them. The
contacts of a unit share its indicators.

`HullMilp`, the disjunctive V-form, has for contact i of unit u and piece j one weight lambda_ijv >= 0 per vertex, with
sum_v lambda_ijv = z_uj. Its relaxation is the hull relaxation. Unlimited directions need a large number: their total
weight is bounded while z_uj = 1, and 0 otherwise.

`BigM`, the H-form (9), has three force coordinates per contact and the facets A_ij f <= b_ij of every piece:

    A_ij f_i <= b_ij + M_ij (1 - z_uj).

The smaller M, the tighter the relaxation. The least that cuts nothing off is known for each row: the support of
the contact's other pieces along that facet's normal, less b.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError, SolverError, UnknownNameError, missing_extra
from ..geometry.polytopes import Polytope
from ..linear_programs import Outcome
from ..public_names import with_advice
from . import highs
from .highs import MixedProgram, MixedSolution
from .problem import ContactProblem, Solution, SolverMethod, Status
from .relaxation import MethodRun, closes, singles

#: SCIP compares rows, bounds and whole numbers with this; below 1e-10 it would need exact arithmetic.
SCIP_TOLERANCE = 1e-9

#: What SCIP takes for infinite.
SCIP_INFINITY = 1e20

#: Statuses of SCIP that are a verdict or a limit.
SCIP_OUTCOMES = {
    "optimal": Outcome.OPTIMAL,
    "gaplimit": Outcome.OPTIMAL,
    "infeasible": Outcome.INFEASIBLE,
    "unbounded": Outcome.UNBOUNDED,
    "inforunbd": Outcome.UNBOUNDED,
    "timelimit": Outcome.LIMIT,
    "memlimit": Outcome.LIMIT,
    "userinterrupt": Outcome.LIMIT,
}


def solve_on_scip(program: MixedProgram, *, time_limit: float, gap: float) -> MixedSolution:
    """Solve on SCIP to a relative gap, within `time_limit` [s]; PySCIPOpt is optional."""
    try:
        pyscipopt = importlib.import_module("pyscipopt")
    except ImportError:
        raise missing_extra("pyscipopt", "scip", purpose="the SCIP solver") from None
    model = pyscipopt.Model()
    model.hideOutput()
    model.setParams(
        {"limits/time": time_limit, "limits/gap": gap, "numerics/feastol": SCIP_TOLERANCE, "misc/catchctrlc": False}
    )
    columns = [
        model.addVar(vtype="I" if whole else "C", lb=_finite(low), ub=_finite(high))
        for whole, low, high in zip(program.integer, program.lower, program.upper, strict=True)
    ]
    total, rows = pyscipopt.quicksum, program.matrix.tocsr()
    spans = zip(program.row_lower, program.row_upper, rows.indptr[:-1], rows.indptr[1:], strict=True)
    for low, high, start, end in spans:
        terms = zip(rows.data[start:end].tolist(), rows.indices[start:end].tolist(), strict=True)
        row = total(value * columns[column] for value, column in terms)
        if low == high:
            model.addCons(row == float(low))
        elif np.isfinite(low) and np.isfinite(high):
            model.addCons((row >= float(low)) <= float(high))
        elif np.isfinite(low):
            model.addCons(row >= float(low))
        elif np.isfinite(high):
            model.addCons(row <= float(high))
    gains = program.gains
    model.setObjective(total(float(gains[c]) * columns[c] for c in np.nonzero(gains)[0]), "maximize")
    try:
        model.optimize()
    except Exception as error:
        raise SolverError(f"SCIP failed: {error}", fix="check the scale of forces and lengths") from error
    status = model.getStatus()
    if status not in SCIP_OUTCOMES:
        raise SolverError(f"SCIP ended with {status!r}", fix="check the scale of forces and lengths")
    bound = float(model.getDualbound())
    bound = bound if abs(bound) < SCIP_INFINITY else float(np.copysign(np.inf, bound))
    if not model.getNSols():
        return MixedSolution(SCIP_OUTCOMES[status], None, -np.inf, bound)
    best = model.getBestSol()
    values = np.array([model.getSolVal(best, column) for column in columns])
    return MixedSolution(SCIP_OUTCOMES[status], values, float(model.getSolObjVal(best)), bound)


def _finite(bound: float) -> float | None:
    return float(bound) if np.isfinite(bound) else None


#: How far unlimited directions go, in multiples of the largest vertex, joint limit or load of the problem.
RAY_REACH = 1e4

_BACKENDS = {"highs": highs.solve_mixed, "scip": solve_on_scip}


@dataclass(frozen=True)
class MixedUnits:
    """The units of a mixed-integer program.

    Attributes:
        force: [N] what forces and rows are divided by.
        factor: load factors are divided by this: a maximum does not depend on how long the load is.
        reach: [N] how far unlimited directions go.
    """

    force: float
    factor: float
    reach: float


def units_of(problem: ContactProblem, *, maximise: bool) -> MixedUnits:
    """Units of a test (the load) or a maximum (the volumes, with a load as large as they are)."""
    limits = np.abs(np.concatenate([problem.lower, problem.upper]))
    reach = max(problem.layout.largest_size, float(limits[np.isfinite(limits)].max()))
    if not maximise:
        reach = max(reach, float(np.abs(problem.load).max()))
    return MixedUnits(*problem.scales(maximise=maximise), RAY_REACH * reach)


def indicators_of(problem: ContactProblem) -> tuple[tuple[int, int], ...]:
    """(unit, piece) of each indicator, in the order of their columns."""
    return tuple((u, j) for u, count in enumerate(problem.piece_counts) for j in range(count))


def force_extents(problem: ContactProblem, reach: float) -> Array:
    """(k, 3) the largest magnitude of each local force coordinate [N], rays going as far as `reach` [N]."""
    by_shape = np.array(
        [
            np.max([np.abs(p.vertices).max(axis=0) + (0.0 if p.is_bounded else reach) for p in shape], axis=0)
            for shape in problem.shapes
        ]
    )
    return by_shape[problem.shape_of]


@dataclass(frozen=True, eq=False)
class Formulation:
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


def build_program(problem: ContactProblem, units: MixedUnits, rest: Formulation, *, maximise: bool) -> MixedProgram:
    """d, the indicators and what a formulation adds, as one program for d = 1 or for the largest d."""
    from scipy import sparse

    pairs = np.array(indicators_of(problem))
    n = len(pairs)
    choice = sparse.csc_array((np.ones(n), (pairs[:, 0], np.arange(n))))
    load = sparse.csc_array((problem.load * units.factor / units.force)[:, None])
    most = _largest_factor(problem, units) if maximise else 1.0
    ones, others = np.ones(len(problem.units)), len(rest.lower)
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


def solve_formulation(
    problem: ContactProblem,
    units: MixedUnits,
    rest: Formulation,
    *,
    maximise: bool,
    solver: str,
    time_limit: float,
    gap: float,
) -> tuple[MixedSolution, tuple[int, ...] | None]:
    """Solve for d = 1 or the largest d; with the chosen piece of each unit, if any choice was found.

    Objective and bound are load factors. A result without pieces and without a limit reached says that the
    backend found the problem infeasible, to its own tolerance; that is no proof. Use `Certificate` for one.
    """
    program = build_program(problem, units, rest, maximise=maximise)
    solution = _BACKENDS[solver](program, time_limit=time_limit, gap=gap)
    bound = min(solution.bound, float(program.upper[0]))
    solution = replace(solution, objective=solution.objective * units.factor, bound=bound * units.factor)
    if solution.values is None:
        return solution, None
    pairs = np.array(indicators_of(problem))
    taken = solution.values[1 : 1 + len(pairs)] > 0.5
    chosen = np.zeros(len(problem.units), dtype=np.int64)
    chosen[pairs[taken, 0]] = pairs[taken, 1]
    return solution, tuple(chosen.tolist())


def _largest_factor(problem: ContactProblem, units: MixedUnits) -> float:
    """More than any load factor that can be balanced, from the row with the largest load alone; inf without a load."""
    row = int(np.abs(problem.load).argmax())
    if not problem.load[row]:
        return np.inf
    most = float((np.abs(problem.maps[:, row, :]) * force_extents(problem, units.reach)).sum())
    most = max(most, float(np.abs([problem.lower[row], problem.upper[row]]).max()))
    return 2.0 * most / abs(float(problem.load[row])) / units.factor + 1.0


@dataclass(frozen=True, kw_only=True)
class MixedMethod(SolverMethod, ABC):
    """A mixed-integer program as a method: the backend chooses the pieces, a linear program confirms them.

    "Holds", "optimal" and "unbounded" come with forces checked to the tolerances of every other method. What the
    backend reports as impossible or optimal is so within its own tolerance: there is no certificate, so that
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
        super().__post_init__()

    @abstractmethod
    def build(self, problem: ContactProblem, units: MixedUnits) -> Formulation:
        """The formulation's own columns and rows."""

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds: confirmed forces, the backend's report that it does not, or undecided."""
        return _MixedRun(problem, self).test()

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d: confirmed forces, and the backend's bound."""
        return _MixedRun(problem, self).maximise()


class _MixedRun(MethodRun):
    """One question put to a mixed-integer method."""

    def test(self) -> Solution:
        mixed, masks = self._propose(maximise=False)
        if masks is None:
            return self.finished(self._nothing(mixed, np.inf))
        return self.finished(self.hold(masks) or Solution(Status.UNDECIDED, -np.inf, np.inf))

    def maximise(self) -> Solution:
        mixed, masks = self._propose(maximise=True)
        if masks is None:
            return self.finished(self._nothing(mixed, mixed.bound))
        found = self.attain(masks)
        if found is None:
            return self.finished(Solution(Status.UNDECIDED, -np.inf, mixed.bound))
        if found.status is Status.UNBOUNDED:
            return self.finished(found)
        tiny = tolerances.SOLVER_ROUNDING * units_of(self.problem, maximise=True).factor
        beyond = not closes(mixed.bound, found.factor, gap=self.method.gap, tiny=tiny)
        bound = np.inf if beyond else max(mixed.bound, found.factor)  # beyond: rays went further than their reach
        met = mixed.outcome is Outcome.OPTIMAL and closes(found.factor, bound, gap=self.method.gap, tiny=tiny)
        return self.finished(replace(found, status=Status.OPTIMAL if met else Status.UNDECIDED, bound=bound))

    def _propose(self, *, maximise: bool) -> tuple[MixedSolution, tuple[int, ...] | None]:
        """The backend's answer and its pieces as masks; a backend that fails has reached a limit of its own."""
        method, units = self.method, units_of(self.problem, maximise=maximise)
        self.programs += 1
        rest = method.build(self.problem, units)
        limits = {"time_limit": method.time_limit, "gap": method.gap / 2}
        try:
            mixed, chosen = solve_formulation(
                self.problem, units, rest, maximise=maximise, solver=method.solver, **limits
            )
        except SolverError:
            mixed, chosen = MixedSolution(Outcome.LIMIT, None, -np.inf, np.inf), None
        return mixed, None if chosen is None else singles(chosen)

    def _nothing(self, mixed: MixedSolution, bound: float) -> Solution:
        """The answer when the backend has no pieces to propose."""
        if mixed.outcome is Outcome.INFEASIBLE:
            return Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf)
        return Solution(Status.UNDECIDED, -np.inf, bound)


@with_advice()
@dataclass(frozen=True, kw_only=True)
class HullMilp(MixedMethod):
    """The disjunctive mixed-integer program: the strongest relaxation, one column per vertex."""

    def build(self, problem: ContactProblem, units: MixedUnits) -> Formulation:
        """Weights of vertices and rays, and the rows that bind them to the indicators."""
        return build_weights(problem, units)


def solve_milp(
    problem: ContactProblem, *, maximise: bool, time_limit: float = 60.0, gap: float = 1e-7, solver: str = "highs"
) -> tuple[MixedSolution, tuple[int, ...] | None]:
    """Solve for d = 1 (`maximise` False) or the largest d; with the chosen piece of each unit, if any.

    No proof, and not confirmed: see `solve_formulation`. `HullMilp` is the method that confirms.
    """
    units = units_of(problem, maximise=maximise)
    rest = build_weights(problem, units)
    return solve_formulation(problem, units, rest, maximise=maximise, solver=solver, time_limit=time_limit, gap=gap)


def build_weights(problem: ContactProblem, units: MixedUnits) -> Formulation:
    """Columns: for each contact and piece the weights of its vertices, then of its rays (RAY_REACH at most).

    Rows: sum of vertex weights - z = 0 for each contact and piece, z being its unit's indicator; and sum of ray
    weights - RAY_REACH z <= 0 for those with rays.
    """
    from scipy import sparse

    number = {pair: at for at, pair in enumerate(indicators_of(problem))}
    blocks, owner, is_ray, indicator = [], [], [], []
    for i, unit in enumerate(problem.unit_of.tolist()):
        for j, piece in enumerate(problem.pieces(i)):
            rays = piece.rays / np.linalg.norm(piece.rays, axis=1, keepdims=True) * (units.reach / RAY_REACH)
            points = np.concatenate([piece.extreme, rays])
            blocks.append(problem.maps[i] @ points.T / units.force)  # (m, points)
            owner.append(np.full(len(points), len(indicator)))
            is_ray.append(np.arange(len(points)) >= len(piece.extreme))
            indicator.append(number[unit, j])
    owners, rays, z = np.concatenate(owner), np.concatenate(is_ray), np.array(indicator)
    columns, n = len(owners), len(z)
    endless = np.unique(owners[rays])  # those with rays, each with one more row
    row = np.where(rays, n + np.searchsorted(endless, owners), owners)
    bound_rows = n + len(endless)
    binding = (
        np.concatenate([-np.ones(n), np.full(len(endless), -RAY_REACH)]),
        (np.arange(bound_rows), np.append(z, z[endless])),
    )
    return Formulation(
        balance=sparse.csc_array(np.concatenate(blocks, axis=1)),
        on_indicators=sparse.csc_array(binding, shape=(bound_rows, len(number))),
        on_columns=sparse.csc_array((np.ones(columns), (row, np.arange(columns))), shape=(bound_rows, columns)),
        row_lower=np.concatenate([np.zeros(n), np.full(len(endless), -np.inf)]),
        row_upper=np.zeros(bound_rows),
        lower=np.zeros(columns),
        upper=np.where(rays, RAY_REACH, 1.0),
    )


@with_advice()
@dataclass(frozen=True, kw_only=True)
class BigM(MixedMethod):
    """The mixed-integer program (9): facets with a big M.

    Attributes:
        m: [N] one M for all rows, as printed in the paper; unlimited directions then go no further than it.
            None takes the least M for each row, and bounds the forces by their volumes.
    """

    m: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.m is not None:
            checks.positive("m", self.m, unit="N")

    def build(self, problem: ContactProblem, units: MixedUnits) -> Formulation:
        """Three force coordinates per contact, and the facets of every piece bound to the indicator of its unit."""
        from scipy import sparse

        shapes = [_Facets.of(shape, units.reach, self.m) for shape in problem.shapes]
        numbers = problem.shape_of.tolist()
        first = np.concatenate([[0], np.cumsum(problem.piece_counts)])[problem.unit_of]
        parts = [shapes[s] for s in numbers]
        normals = sparse.block_diag([part.normals for part in parts], format="csc")
        large = np.concatenate([part.large for part in parts]) / units.force
        offsets = np.concatenate([part.offsets for part in parts]) / units.force
        indicator = np.concatenate([start + part.piece for start, part in zip(first, parts, strict=True)])
        rows = len(offsets)
        far = np.full(3 * problem.contacts, np.inf)
        if self.m is None:
            far = force_extents(problem, units.reach).reshape(-1) / units.force
        return Formulation(
            balance=sparse.csc_array(np.concatenate(list(problem.maps), axis=1)),
            on_indicators=sparse.csc_array(
                (large, (np.arange(rows), indicator)), shape=(rows, len(indicators_of(problem)))
            ),
            on_columns=normals,
            row_lower=np.full(rows, -np.inf),
            row_upper=offsets + large,
            lower=-far,
            upper=far,
        )


@dataclass(frozen=True, eq=False)
class _Facets:
    """The facets of all pieces of one shape: rows normals f <= offsets + large (1 - z of their piece)."""

    normals: Array
    offsets: Array
    large: Array
    piece: Array

    @staticmethod
    def of(shape: tuple[Polytope, ...], reach: float, m: float | None) -> _Facets:
        """Facets with the least M of each row, rays going as far as `reach` [N]; or with one M for all."""
        parts = [piece.halfspaces for piece in shape]
        large = np.concatenate([least_m(shape, j, reach if m is None else 0.0) for j in range(len(shape))])
        if m is not None:
            if m < large.max(initial=0.0):
                raise InputError(
                    f"is {m:g} N and cuts off part of a volume", where="m", fix=f"give at least {large.max():g} N"
                )
            large = np.full(len(large), m)
        return _Facets(
            normals=np.concatenate([normals for normals, _ in parts]),
            offsets=np.concatenate([offsets for _, offsets in parts]),
            large=large,
            piece=np.repeat(np.arange(len(shape)), [len(offsets) for _, offsets in parts]),
        )


def least_m(shape: tuple[Polytope, ...], piece: int, reach: float) -> Array:
    """(facets of the piece,) the least M [N] of each row that leaves all other pieces whole, rays up to `reach` [N].

    It is negative where the other pieces stay clear of a facet, and 0 where there are no others.
    """
    normals, offsets = shape[piece].halfspaces
    others = [other for j, other in enumerate(shape) if j != piece]
    if not others:
        return np.zeros(len(offsets))
    extents = []
    for other in others:
        units = other.rays / np.linalg.norm(other.rays, axis=1, keepdims=True)
        climb = (normals @ units.T).max(axis=1, initial=0.0)
        extents.append((normals @ other.vertices.T).max(axis=1) + reach * climb)
    return np.max(extents, axis=0) - offsets
