"""The methods that are compared, with their limits."""

from __future__ import annotations

from dataclasses import dataclass

import holdfast as hf
from holdfast.holding import Method

#: Relative gap to which every method is asked for a load limit.
GAP = 1e-6

#: The paper's own, coarser one: its limits may fall short by EPSILON (1 + |v|), directions being unit forces.
EPSILON = 1e-3


@dataclass(frozen=True)
class Rival:
    """A method beside ours.

    Attributes:
        name: how the tables call it.
        method: the method object.
        quick: whether it answers in milliseconds, so that it can be asked everything.
        gap, floor: its load limits may miss the largest value v by gap (|v| + floor).
    """

    name: str
    method: Method
    quick: bool = False
    gap: float = GAP
    floor: float = 0.0


def rivals(time_limit: float) -> tuple[Rival, ...]:
    """Every method but ours; those that search give up on a query after `time_limit` seconds."""
    return (
        Rival("Hull", hf.Hull(gap=GAP), quick=True),
        Rival("Bracket", hf.Bracket(gap=GAP), quick=True),
        *(
            Rival(
                name,
                hf.PaperBranchAndBound(backend=backend, epsilon=EPSILON, time_limit=time_limit),
                gap=EPSILON,
                floor=1.0,
            )
            for name, backend in (("Paper, CVXOPT", "cvxopt"), ("Paper, HiGHS", "highs"))
        ),
        Rival("HullMilp, HiGHS", hf.HullMilp(solver="highs", gap=GAP, time_limit=time_limit)),
        Rival("HullMilp, SCIP", hf.HullMilp(solver="scip", gap=GAP, time_limit=time_limit)),
        Rival("BigM, HiGHS", hf.BigM(solver="highs", gap=GAP, time_limit=time_limit)),
        Rival("BigM, SCIP", hf.BigM(solver="scip", gap=GAP, time_limit=time_limit)),
        Rival("Reference", hf.Reference(gap=GAP, time_limit=time_limit)),
    )
