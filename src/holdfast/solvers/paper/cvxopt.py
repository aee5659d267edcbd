"""The paper's convex programs on CVXOPT, the solver the paper used (IV.E): `solvers.lp` and `solvers.qp`.

CVXOPT is an interior-point code: its answers are right to about seven digits, and its multipliers alike. It is under
the GPL and no part of Holdfast; whoever wants this backend installs it.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import numpy as np

from ... import tolerances
from ...checks import Array
from ...errors import MissingDependencyError
from ..highs import Outcome
from .programs import ConvexProgram, ProgramAnswer

#: CVXOPT often stops a little short of its own tolerance (1e-7) and says "unknown"; residuals below this will do.
NEARLY = 1e-6

_OUTCOMES = {
    "optimal": Outcome.OPTIMAL,
    "primal infeasible": Outcome.INFEASIBLE,
    "dual infeasible": Outcome.UNBOUNDED,
}


def load() -> Any:
    """The package, or an error that says how to get it."""
    try:
        return importlib.import_module("cvxopt")
    except ImportError:
        raise MissingDependencyError(
            "cvxopt", purpose='PaperBranchAndBound(backend="cvxopt")', install="pip install cvxopt"
        ) from None


def solve(program: ConvexProgram, *, time_limit: float) -> ProgramAnswer:
    """Solve from scratch; an infeasible program comes back with its certificate.

    `time_limit` cannot be kept inside CVXOPT; programs take well under a second. Its quadratic solver cannot tell
    that there is no solution: where it ends without one, the linear solver is asked without the objective.
    """
    del time_limit
    rank, turned, lost = _independent(program)
    if lost is not None:
        return ProgramAnswer(Outcome.INFEASIBLE, None, lost, np.zeros(len(program.at_most)))
    raw = _call(program, rank, turned)
    outcome = _outcome(raw)
    if program.is_quadratic and outcome is not Outcome.OPTIMAL:
        nothing = np.zeros_like(program.cost)
        raw = _call(replace(program, cost=nothing, curvature=nothing), rank, turned)
        outcome = _outcome(raw)
    if raw is None or outcome is Outcome.LIMIT:
        return ProgramAnswer(Outcome.LIMIT)
    values = None if raw["x"] is None else np.array(raw["x"]).reshape(-1)
    if raw["y"] is None:
        return ProgramAnswer(outcome, values)
    duals = np.array(raw["y"]).reshape(-1)
    return ProgramAnswer(outcome, values, duals if turned is None else turned @ duals, np.array(raw["z"]).reshape(-1))


def _independent(program: ConvexProgram) -> tuple[int, Array | None, Array | None]:
    """What is left of the rows A x = b when none depends on others, as CVXOPT demands.

    Returns their rank, the orthonormal combinations (p, rank) that replace them (None when all stay), and multipliers
    (p,) that prove that dependent rows contradict each other (None when they do not).
    """
    dense = program.equal.toarray()
    left, values, _ = np.linalg.svd(dense, full_matrices=True)
    rank = int((values > tolerances.FLAT * values.max(initial=0.0)).sum())
    if rank == len(dense):
        return rank, None, None
    across = left[:, rank:]
    rest = across @ (across.T @ program.equal_to)
    contradicts = np.abs(rest).max() > tolerances.FEASIBILITY * np.abs(program.equal_to).max()
    return rank, left[:, :rank], -rest if contradicts else None


def _call(program: ConvexProgram, rank: int, turned: Array | None) -> dict[str, Any] | None:
    """CVXOPT's own answer, or None where it gave up with an arithmetic error."""
    cvxopt = load()
    solvers = importlib.import_module("cvxopt.solvers")
    matrix = cvxopt.matrix

    def sparse(rows: Any) -> Any:
        triplets = rows.tocoo()
        places = (matrix(triplets.row.astype(int)), matrix(triplets.col.astype(int)))
        return cvxopt.spmatrix(matrix(triplets.data), *places, triplets.shape)

    inequalities = (sparse(program.below), matrix(program.at_most))
    if turned is None:
        equalities = (sparse(program.equal), matrix(program.equal_to))
    else:
        equalities = (matrix(turned.T @ program.equal.toarray()), matrix(turned.T @ program.equal_to))
    if not rank:
        equalities = (None, None)
    options = {"show_progress": False}
    cost = matrix(program.cost)
    try:
        if program.is_quadratic:
            n = len(program.cost)
            curvature = cvxopt.spmatrix(matrix(program.curvature), range(n), range(n))
            return solvers.qp(curvature, cost, *inequalities, *equalities, options=options)
        return solvers.lp(cost, *inequalities, *equalities, options=options)
    except (ArithmeticError, ValueError):  # a singular system, or rows that leave some variable free
        return None


def _outcome(raw: dict[str, Any] | None) -> Outcome:
    """CVXOPT's status; "unknown" is as good as "optimal" where the residuals are small."""
    if raw is None:
        return Outcome.LIMIT
    if raw["status"] == "unknown":
        gap, primal, dual = (raw[key] for key in ("relative gap", "primal infeasibility", "dual infeasibility"))
        near = all(value is not None and value <= NEARLY for value in (gap, primal, dual))
        return Outcome.OPTIMAL if near else Outcome.LIMIT
    return _OUTCOMES[raw["status"]]
