"""Linear programs: one call, one result, one set of outcomes, for every feature.

Dense programs of moderate size go through `minimise` (HiGHS inside scipy). Programs that grow column by column are in
`solvers.highs`; the compiled kernels for millions of small programs are in the features that need them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import numpy as np

from .checks import Array

#: Bounds of variables: any sign, or at least 0.
FREE = (None, None)
NONNEGATIVE = (0.0, None)

#: How exactly rows and reduced costs are met where a caller asks for the most that HiGHS can do.
TIGHT = 1e-10


class Outcome(StrEnum):
    """How a program ended."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    LIMIT = "limit reached"
    NUMERICAL = "numerical difficulties"


#: Status codes of `scipy.optimize.linprog`.
_OUTCOMES = {
    0: Outcome.OPTIMAL,
    1: Outcome.LIMIT,
    2: Outcome.INFEASIBLE,
    3: Outcome.UNBOUNDED,
    4: Outcome.NUMERICAL,
}


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """The answer to min c x: outcome, and where it is optimal the point, the value and the multipliers.

    Multipliers have the sign of scipy's marginals: the change of the minimum per unit of the right-hand side.
    """

    outcome: Outcome
    x: Array  # (n,), nan where there is no optimum
    value: float  # the minimum of c x, nan where there is none
    upper_marginals: Array  # (rows of A_ub,)
    equality_marginals: Array  # (rows of A_eq,)
    message: str

    @property
    def optimal(self) -> bool:
        """Whether an optimum was found."""
        return self.outcome is Outcome.OPTIMAL


def minimise(
    cost: Any,
    A_ub: Any = None,
    b_ub: Any = None,
    A_eq: Any = None,
    b_eq: Any = None,
    *,
    bounds: Any = FREE,
    tolerance: float | None = None,
    presolve: bool = True,
    method: Literal["highs", "highs-ds", "highs-ipm"] = "highs",
) -> LinearSolution:
    """Minimise cost . x subject to A_ub x <= b_ub, A_eq x = b_eq and `bounds`.

    Args:
        cost: (n,) objective.
        A_ub, b_ub: inequality rows, or None.
        A_eq, b_eq: equality rows, or None.
        bounds: one pair for all variables (`FREE`, the default, or `NONNEGATIVE`), or a pair per variable.
        tolerance: feasibility tolerance of HiGHS, absolute after the caller's scaling; None for its default 1e-7.
        presolve: whether HiGHS may reduce the program first.
        method: the algorithm of HiGHS.
    """
    from scipy.optimize import linprog

    options: dict[str, Any] = {} if presolve else {"presolve": False}
    if tolerance is not None:
        options |= {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
    found = linprog(
        cost, A_ub=A_ub, b_ub=b_ub, A_eq=A_eq, b_eq=b_eq, bounds=bounds, method=method, options=options or None
    )
    outcome = _OUTCOMES[found.status]
    n = len(np.atleast_1d(cost))
    if outcome is not Outcome.OPTIMAL:
        nothing = np.full(0, np.nan)
        return LinearSolution(outcome, np.full(n, np.nan), float("nan"), nothing, nothing, str(found.message))
    return LinearSolution(
        outcome,
        np.asarray(found.x, dtype=float),
        float(found.fun),
        np.asarray(found.ineqlin.marginals, dtype=float),
        np.asarray(found.eqlin.marginals, dtype=float),
        str(found.message),
    )
