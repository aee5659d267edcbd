"""Whether a method's answers contradict proven ones.

Only what is firm is judged: a verdict that a load larger or smaller by BAND would share, a limit beyond its method's
gap. Undecided answers are never wrong unless their bounds exclude the truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ....assembly.assembly import Assembly
from ....checks import Array
from ....solvers import Exact
from ....statics.equilibrium import LoadLimit, load_limit
from ....statics.solver import Solver
from .asking import Questions, Reply, Series
from .rivals import GAP, Rival

#: A test whose verdict changes within this share of its load is not held against a method.
BAND = 1e-5


def firm_verdicts(assembly: Assembly, wrenches: Array, chosen: Sequence[int]) -> dict[int, bool]:
    """Whether the load holds, for each chosen one whose verdict is proven and the same within BAND of it."""
    solver, firm = Solver(assembly), {}
    for index in chosen:
        answers = [solver.equilibrium(share * wrenches[index]) for share in (1.0 - BAND, 1.0, 1.0 + BAND)]
        if all(answer.verify() for answer in answers) and len({answer.holds for answer in answers}) == 1:
            firm[index] = answers[0].holds
    return firm


def proven_limits(assembly: Assembly, directions: Array, chosen: Sequence[int]) -> dict[int, LoadLimit]:
    """The load limits of the chosen directions that prove themselves."""
    found = {index: load_limit(assembly, directions[index], method=Exact(gap=GAP)) for index in chosen}
    return {index: answer for index, answer in found.items() if answer.verify()}


def wrong_tests(series: Series, holds: Mapping[int, bool]) -> list[int]:
    """Queries with a known verdict on which another was given."""
    return [
        reply.index
        for reply in series.replies
        if reply.index in holds and reply.decided and (reply.status == "holds") != holds[reply.index]
    ]


def wrong_limits(series: Series, proven: Mapping[int, LoadLimit | Reply], gap: float, floor: float = 0.0) -> list[int]:
    """Queries whose limit, or whose bounds on it, contradict the proven one by more than gap (|value| + floor)."""
    return [
        reply.index
        for reply in series.replies
        if reply.index in proven and reply.status != "failed" and not _agree(reply, proven[reply.index], gap, floor)
    ]


def contradictions(rival: Rival, series: Series, ours: Series, questions: Questions) -> list[int]:
    """Queries on which a rival contradicts a proven answer; where it and ours differ, ours is asked for its proof.

    The questions share one assembly; "test" or "limit".
    """
    said = {reply.index: reply for reply in ours.replies if reply.decided}
    assembly, wrenches = questions.assemblies[0], questions.wrenches
    if series.kind == "limit":
        disputed = wrong_limits(series, said, rival.gap, rival.floor)
        return wrong_limits(series, proven_limits(assembly, wrenches, disputed), rival.gap, rival.floor)
    disputed = wrong_tests(series, {index: reply.status == "holds" for index, reply in said.items()})
    return wrong_tests(series, firm_verdicts(assembly, wrenches, disputed))


def _agree(answer: Reply, right: LoadLimit | Reply, gap: float, floor: float) -> bool:
    if not np.isfinite(right.value):
        return answer.status in (right.status, "undecided")
    size = max(abs(right.value), abs(right.upper_bound))
    slack = gap * (size + floor) + BAND * size
    not_above = answer.value <= right.upper_bound + slack
    not_below = answer.upper_bound >= right.value - slack
    if answer.status == "undecided":
        return not_above and not_below
    return answer.status == "optimal" and not_above and answer.value >= right.value - slack
