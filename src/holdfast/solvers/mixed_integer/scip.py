"""SCIP behind the same function as HiGHS: a mixed-integer program solved once. PySCIPOpt is optional."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np

from ...checks import Array
from ...errors import MissingDependencyError, SolverError
from ..highs import MixedSolution, Outcome

#: SCIP compares rows, bounds and whole numbers with this; below 1e-10 it would need exact arithmetic.
SCIP_TOLERANCE = 1e-9

#: What SCIP takes for infinite.
SCIP_INFINITY = 1e20

_OUTCOMES = {
    "optimal": Outcome.OPTIMAL,
    "gaplimit": Outcome.OPTIMAL,
    "infeasible": Outcome.INFEASIBLE,
    "unbounded": Outcome.UNBOUNDED,
    "inforunbd": Outcome.UNBOUNDED,
    "timelimit": Outcome.LIMIT,
    "memlimit": Outcome.LIMIT,
    "userinterrupt": Outcome.LIMIT,
}


def _pyscipopt() -> ModuleType:
    try:
        return importlib.import_module("pyscipopt")
    except ImportError:
        raise MissingDependencyError("pyscipopt", purpose="the SCIP solver", install="pip install pyscipopt") from None


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
    """maximise gains . x with row bounds and some integer columns; `matrix` is scipy sparse (rows, n)."""
    pyscipopt = _pyscipopt()
    model = pyscipopt.Model()
    model.hideOutput()
    model.setParams(
        {
            "limits/time": time_limit,
            "limits/gap": gap,
            "numerics/feastol": SCIP_TOLERANCE,
            "misc/catchctrlc": False,
        }
    )
    columns = [
        model.addVar(vtype="I" if whole else "C", lb=_finite(low), ub=_finite(high))
        for whole, low, high in zip(integer, lower, upper, strict=True)
    ]
    total = pyscipopt.quicksum
    by_row = matrix.tocsr()
    for low, high, start, end in zip(row_lower, row_upper, by_row.indptr[:-1], by_row.indptr[1:], strict=True):
        terms = zip(by_row.data[start:end].tolist(), by_row.indices[start:end].tolist(), strict=True)
        row = total(value * columns[column] for value, column in terms)
        if low == high:
            model.addCons(row == float(low))
        elif np.isfinite(low) and np.isfinite(high):
            model.addCons((row >= float(low)) <= float(high))
        elif np.isfinite(low):
            model.addCons(row >= float(low))
        elif np.isfinite(high):
            model.addCons(row <= float(high))
    model.setObjective(total(float(gains[c]) * columns[c] for c in np.nonzero(gains)[0]), "maximize")
    return _solved(model, columns)


def _finite(bound: float) -> float | None:
    return float(bound) if np.isfinite(bound) else None


def _solved(model: Any, columns: list[Any]) -> MixedSolution:
    """Run the model and read what came out; SCIP's exceptions come as ours."""
    try:
        model.optimize()
    except Exception as error:
        raise SolverError(f"SCIP failed: {error}", fix="check the scale of forces and lengths") from error
    status = model.getStatus()
    if status not in _OUTCOMES:
        raise SolverError(f"SCIP ended with {status!r}", fix="check the scale of forces and lengths")
    bound = float(model.getDualbound())
    bound = bound if abs(bound) < SCIP_INFINITY else float(np.copysign(np.inf, bound))
    if not model.getNSols():
        return MixedSolution(_OUTCOMES[status], None, -np.inf, bound)
    best = model.getBestSol()
    values = np.array([model.getSolVal(best, column) for column in columns])
    return MixedSolution(_OUTCOMES[status], values, float(model.getSolObjVal(best)), bound)
