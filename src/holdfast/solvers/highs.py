"""HiGHS: linear programs that grow by columns, and mixed-integer programs solved once.

How a program ended is an `Outcome`, for every backend; the table of HiGHS' own statuses is here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from ..checks import Array
from ..errors import SolverError
from ..linear_programs import Outcome

#: HiGHS compares scaled rows and bounds with this.
HIGHS_TOLERANCE = 1e-10

#: Tried in turn where HiGHS ends without a verdict; answers are polished and verified afterwards in any case.
WIDER_TOLERANCES = (1e-9, 1e-8, 1e-7)

#: Matrix entries below this are dropped; HiGHS' own 1e-9 would drop small coordinates.
SMALLEST_ENTRY = 1e-12

#: Statuses of HiGHS that are a verdict or a limit; all others are failures.
OUTCOMES = {
    highspy.HighsModelStatus.kOptimal: Outcome.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: Outcome.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: Outcome.UNBOUNDED,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: Outcome.UNBOUNDED,
    highspy.HighsModelStatus.kTimeLimit: Outcome.LIMIT,
    highspy.HighsModelStatus.kIterationLimit: Outcome.LIMIT,
    highspy.HighsModelStatus.kSolutionLimit: Outcome.LIMIT,
    highspy.HighsModelStatus.kInterrupt: Outcome.LIMIT,
}


def new_highs(**options: Any) -> Any:  # highspy's own types leave out the rays
    """HiGHS without output, on one thread, with tight tolerances and without presolve, and with further options.

    Presolve is slower on programs of dense columns, and it would lose the Farkas ray of an infeasible program.
    """
    highs = highspy.Highs()
    common = {
        "output_flag": False,
        "threads": 1,
        "presolve": "off",
        "primal_feasibility_tolerance": HIGHS_TOLERANCE,
        "dual_feasibility_tolerance": HIGHS_TOLERANCE,
        "small_matrix_value": SMALLEST_ENTRY,
    }
    for option, value in (common | options).items():
        highs.setOptionValue(option, value)
    return highs


def _outcome(highs: highspy.Highs) -> Outcome:
    status = highs.getModelStatus()
    if status not in OUTCOMES:
        raise SolverError(
            f"HiGHS ended with {highs.modelStatusToString(status)!r}", fix="check the scale of forces and lengths"
        )
    return OUTCOMES[status]


class LinearProgram:
    """maximise c x with row bounds and x >= 0 (or other bounds), columns added between solves."""

    def __init__(self, row_lower: Array, row_upper: Array) -> None:
        self._highs = new_highs()
        rows = len(row_lower)
        empty = np.zeros(0, dtype=np.int32)
        self._highs.addRows(rows, row_lower, row_upper, 0, np.zeros(rows, dtype=np.int32), empty, np.zeros(0))
        self.columns = 0

    def add_columns(self, matrix: Array, *, gain: float = 0.0, lower: float = 0.0, upper: float = np.inf) -> None:
        """Add the columns of `matrix` (rows, n), each with the same objective coefficient and bounds."""
        n = matrix.shape[1]
        used = matrix != 0.0
        starts = np.concatenate([[0], np.cumsum(used.sum(axis=0))[:-1]]).astype(np.int32)
        column, row = np.nonzero(used.T)
        self._highs.addCols(
            n,
            np.full(n, -gain),
            np.full(n, lower),
            np.full(n, upper),
            len(row),
            starts,
            row.astype(np.int32),
            np.ascontiguousarray(matrix[row, column]),
        )
        self.columns += n

    def solve(self) -> Outcome:
        """Solve from the last basis; again from scratch, with wider tolerances, where HiGHS ends without a verdict."""
        self._highs.run()
        for tolerance in (HIGHS_TOLERANCE, *WIDER_TOLERANCES):
            if self._highs.getModelStatus() in OUTCOMES:
                break
            self._highs.setOptionValue("primal_feasibility_tolerance", tolerance)
            self._highs.setOptionValue("dual_feasibility_tolerance", tolerance)
            self._highs.clearSolver()
            self._highs.run()
        return _outcome(self._highs)

    @property
    def values(self) -> Array:
        """(columns,) the solution."""
        return np.array(self._highs.getSolution().col_value)

    @property
    def row_duals(self) -> Array:
        """(rows,) multipliers y: a column a with gain g can improve only while g + y . a > 0."""
        return np.array(self._highs.getSolution().row_dual)


@dataclass(frozen=True, eq=False)
class MixedProgram:
    """maximise gains . x with row bounds and column bounds, some columns integer: the input of every backend.

    Attributes:
        matrix: scipy CSC (rows, columns).
        row_lower, row_upper: (rows,) bounds.
        gains, lower, upper: (columns,) objective and bounds.
        integer: (columns,) which columns are integer.
    """

    matrix: Any
    row_lower: Array
    row_upper: Array
    gains: Array
    lower: Array
    upper: Array
    integer: Array


@dataclass(frozen=True, eq=False)
class MixedSolution:
    """Outcome of a mixed-integer program: best values found (or None), its objective and the proven bound."""

    outcome: Outcome
    values: Array | None
    objective: float
    bound: float


def solve_mixed(program: MixedProgram, *, time_limit: float, gap: float) -> MixedSolution:
    """Solve on HiGHS to a relative gap, within `time_limit` [s]."""
    highs = new_highs(
        mip_feasibility_tolerance=HIGHS_TOLERANCE, mip_rel_gap=gap, mip_abs_gap=0.0, time_limit=time_limit
    )
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = program.matrix.shape
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_, model.col_lower_, model.col_upper_ = program.gains, program.lower, program.upper
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = program.matrix.indptr, program.matrix.indices
    model.a_matrix_.value_ = program.matrix.data
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    model.integrality_ = [kinds[int(flag)] for flag in program.integer]
    highs.passModel(model)
    highs.run()
    outcome = _outcome(highs)
    info = highs.getInfo()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = np.array(highs.getSolution().col_value) if found else None
    objective = info.objective_function_value if found else -np.inf
    return MixedSolution(outcome, values, objective, float(info.mip_dual_bound))
