"""The methods that ours is compared with, and their limits."""

from __future__ import annotations

from dataclasses import dataclass

from ....solvers import BigM, Bracket, Hull, HullMilp, PaperBranchAndBound, Reference
from ....statics.equilibrium import Method

#: Relative gap to which every method is asked for a load limit.
GAP = 1e-6

#: The paper's own, coarser one: its limits may fall short by EPSILON (1 + |v|), directions being unit forces.
EPSILON = 1e-3

#: Methods that solve one convex program after another; a mixed-integer program is one, whatever it takes.
COUNTING_PROGRAMS = frozenset({"Exact", "Paper, CVXOPT", "Paper, HiGHS"})


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
    """Every method but ours; those that search give up on a query after `time_limit` seconds by the wall clock."""

    def paper(name: str, backend: str) -> Rival:
        method = PaperBranchAndBound(backend=backend, epsilon=EPSILON, time_limit=time_limit)
        return Rival(name, method, gap=EPSILON, floor=1.0)

    return (
        Rival("Hull", Hull(gap=GAP), quick=True),
        Rival("Bracket", Bracket(gap=GAP), quick=True),
        paper("Paper, CVXOPT", "cvxopt"),
        paper("Paper, HiGHS", "highs"),
        Rival("HullMilp, HiGHS", HullMilp(solver="highs", gap=GAP, time_limit=time_limit)),
        Rival("HullMilp, SCIP", HullMilp(solver="scip", gap=GAP, time_limit=time_limit)),
        Rival("BigM, HiGHS", BigM(solver="highs", gap=GAP, time_limit=time_limit)),
        Rival("BigM, SCIP", BigM(solver="scip", gap=GAP, time_limit=time_limit)),
        Rival("Reference", Reference(gap=GAP, time_limit=time_limit)),
    )
