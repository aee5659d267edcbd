"""HiGHS behind two small classes: a linear program that grows, and a mixed-integer one solved once."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np

from ..checks import Array
from ..errors import SolverError
from ..linear_programs import Outcome

#: HiGHS compares scaled rows and bounds with this.
HIGHS_TOLERANCE = 1e-10

#: Tried in turn where HiGHS ends without a verdict; answers are polished and verified afterwards all the same.
WIDER_TOLERANCES = (1e-9, 1e-8, 1e-7)


_OUTCOMES = {
    highspy.HighsModelStatus.kOptimal: Outcome.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: Outcome.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: Outcome.UNBOUNDED,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: Outcome.UNBOUNDED,
    highspy.HighsModelStatus.kTimeLimit: Outcome.LIMIT,
    highspy.HighsModelStatus.kIterationLimit: Outcome.LIMIT,
    highspy.HighsModelStatus.kSolutionLimit: Outcome.LIMIT,
    highspy.HighsModelStatus.kInterrupt: Outcome.LIMIT,
}


def _new_highs() -> highspy.Highs:
    highs = highspy.Highs()
    for option, value in (
        ("output_flag", False),
        ("threads", 1),
        ("primal_feasibility_tolerance", HIGHS_TOLERANCE),
        ("dual_feasibility_tolerance", HIGHS_TOLERANCE),
        ("small_matrix_value", 1e-12),  # keep small coordinates; the default drops those under 1e-9
    ):
        highs.setOptionValue(option, value)
    return highs


def _outcome(highs: highspy.Highs) -> Outcome:
    status = highs.getModelStatus()
    if status not in _OUTCOMES:
        raise SolverError(
            f"HiGHS ended with {highs.modelStatusToString(status)!r}", fix="check the scale of forces and lengths"
        )
    return _OUTCOMES[status]


class LinearProgram:
    """maximise c x with row bounds and x >= 0 (or other bounds), columns added between solves."""

    def __init__(self, row_lower: Array, row_upper: Array) -> None:
        self._highs = _new_highs()
        self._highs.setOptionValue("presolve", "off")
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
        """Solve from the last basis; anew, and with wider tolerances, where HiGHS cannot say how it ended."""
        self._highs.run()
        for tolerance in (HIGHS_TOLERANCE, *WIDER_TOLERANCES):
            if self._highs.getModelStatus() in _OUTCOMES:
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
class MixedSolution:
    """Outcome of a mixed-integer program: best values found (or None), its objective and the proven bound."""

    outcome: Outcome
    values: Array | None
    objective: float
    bound: float


def solve_mixed(
    matrix,
    row_lower: Array,
    row_upper: Array,
    gains: Array,
    lower: Array,
    upper: Array,
    integer: Array,
    *,
    time_limit: float,
    gap: float,
) -> MixedSolution:
    """maximise gains . x with row bounds and some integer columns; `matrix` is scipy CSC (rows, n)."""
    highs = _new_highs()
    highs.setOptionValue("mip_feasibility_tolerance", HIGHS_TOLERANCE)
    highs.setOptionValue("mip_rel_gap", gap)
    highs.setOptionValue("mip_abs_gap", 0.0)
    highs.setOptionValue("presolve", "off")  # dense columns of weights: presolve costs more than the search
    highs.setOptionValue("time_limit", time_limit)
    program = highspy.HighsLp()
    program.num_row_, program.num_col_ = matrix.shape
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_, program.col_lower_, program.col_upper_ = gains, lower, upper
    program.row_lower_, program.row_upper_ = row_lower, row_upper
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_ = matrix.indptr, matrix.indices
    program.a_matrix_.value_ = matrix.data
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    program.integrality_ = [kinds[int(flag)] for flag in integer]
    highs.passModel(program)
    highs.run()
    outcome = _outcome(highs)
    info = highs.getInfo()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = np.array(highs.getSolution().col_value) if found else None
    objective = info.objective_function_value if found else -np.inf
    return MixedSolution(outcome, values, objective, float(info.mip_dual_bound))
