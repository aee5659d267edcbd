"""The paper's convex programs on HiGHS: linear ones by its simplex, quadratic ones by its active-set solver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import highspy
import numpy as np

from ...checks import Array
from ..highs import HIGHS_TOLERANCE, Outcome
from .programs import ConvexProgram, ProgramAnswer

_OUTCOMES = {
    highspy.HighsModelStatus.kOptimal: Outcome.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: Outcome.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: Outcome.UNBOUNDED,
}


def solve(program: ConvexProgram, *, time_limit: float) -> ProgramAnswer:
    """Solve from scratch; an infeasible program comes back with the multipliers of a Farkas ray."""
    highs = _model(program, time_limit)
    highs.run()
    outcome = _OUTCOMES.get(highs.getModelStatus(), Outcome.LIMIT)
    if outcome is Outcome.OPTIMAL:
        solution = highs.getSolution()
        return _answer(program, outcome, np.array(solution.col_value), -np.array(solution.row_dual))
    if outcome is Outcome.INFEASIBLE and program.is_quadratic:  # the active-set solver keeps no ray
        nothing = np.zeros_like(program.cost)
        refuted = solve(replace(program, cost=nothing, curvature=nothing), time_limit=time_limit)
        return refuted if refuted.outcome is Outcome.INFEASIBLE else ProgramAnswer(Outcome.LIMIT)
    if outcome is Outcome.INFEASIBLE:
        _, found, ray = highs.getDualRay()
        return _answer(program, outcome, None, _signed(program, np.array(ray)) if found else None)
    return ProgramAnswer(outcome)


def _model(program: ConvexProgram, time_limit: float) -> Any:  # highspy's own types leave out the rays
    """The program as HiGHS holds it: the rows A x = b, then the rows G x <= h."""
    from scipy import sparse

    highs = highspy.Highs()
    for option, value in (
        ("output_flag", False),
        ("threads", 1),
        ("primal_feasibility_tolerance", HIGHS_TOLERANCE),
        ("dual_feasibility_tolerance", HIGHS_TOLERANCE),
        ("presolve", "off"),  # slower on these programs, and it would lose the Farkas ray
        ("qp_regularization_value", 0.0),  # the objective is strictly convex already
        ("time_limit", time_limit),
    ):
        highs.setOptionValue(option, value)
    matrix: Any = sparse.csr_matrix(sparse.vstack([program.equal, program.below]))
    n, unlimited = len(program.cost), np.full(len(program.cost), np.inf)
    none, empty = np.zeros(n, dtype=np.int32), np.zeros(0, dtype=np.int32)
    highs.addCols(n, program.cost, -unlimited, unlimited, 0, none, empty, np.zeros(0))
    highs.addRows(
        matrix.shape[0],
        np.concatenate([program.equal_to, np.full(len(program.at_most), -np.inf)]),
        np.concatenate([program.equal_to, program.at_most]),
        matrix.nnz,
        matrix.indptr[:-1].astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
    )
    if program.is_quadratic:
        hessian = highspy.HighsHessian()
        hessian.dim_, hessian.format_ = n, highspy.HessianFormat.kTriangular
        hessian.start_, hessian.index_, hessian.value_ = np.arange(n + 1), np.arange(n), program.curvature
        highs.passHessian(hessian)
    return highs


def _signed(program: ConvexProgram, ray: Array) -> Array:
    """A ray with the sign that makes it a proof: multipliers of the rows G x <= h are not negative."""
    rows = np.concatenate([program.equal_to, program.at_most])
    return -ray if rows @ ray > 0.0 else ray


def _answer(program: ConvexProgram, outcome: Outcome, values: Array | None, duals: Array | None) -> ProgramAnswer:
    if duals is None:
        return ProgramAnswer(outcome, values)
    equal = len(program.equal_to)
    return ProgramAnswer(outcome, values, duals[:equal], duals[equal:])
