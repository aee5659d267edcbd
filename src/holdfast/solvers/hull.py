"""The hull method: each union of pieces replaced by its convex hull, one convex program, no search.

What fails even then surely fails, with a proof of one leaf. What holds then need not hold: only when every
relaxed force happens to lie in a single piece are the forces an answer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from .. import checks, tolerances
from .admissible import attained, closes, held
from .certificate import Certificate, Leaf, factor_bound, least_factor
from .problem import ContactProblem, Effort, Solution, Status
from .relaxation import HullRelaxation, Relaxed, RelaxedSolution


@dataclass(frozen=True, kw_only=True)
class Hull:
    """The relaxation alone: surely fails if it fails.

    Exact where every contact has one piece. "Undecided" says that the hulls hold what the pieces may or may not;
    `bound` is then the limit of the hulls, and `factor` is -inf.

    Attributes:
        gap: relative gap at which a load limit counts as found.
    """

    gap: float = tolerances.GAP

    def __post_init__(self) -> None:
        checks.positive("gap", self.gap, high=0.1)

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds: a proof when the hulls fail, forces when theirs lie in pieces, else undecided."""
        root = Root(problem)
        answer, _ = root.test()
        if answer.status is Status.UNDECIDED:
            answer = replace(answer, bound=root.maximise(self.gap)[0].bound)
        return root.finished(answer)

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d of the hulls as a certified bound; optimal when their forces lie in pieces."""
        root = Root(problem)
        return root.finished(root.maximise(self.gap)[0])


class Root:
    """Both questions asked of the hulls of all pieces; the relaxed solution comes along for those who go on."""

    def __init__(self, problem: ContactProblem) -> None:
        self.problem = problem
        self.relaxation = HullRelaxation(problem)
        self.masks = problem.all_pieces
        self._nodes = 0
        self._began = time.perf_counter()

    def finished(self, answer: Solution) -> Solution:
        """The answer with what it cost up to now."""
        seconds = time.perf_counter() - self._began
        return replace(answer, effort=Effort(programs=self.relaxation.programs, nodes=self._nodes, seconds=seconds))

    def test(self) -> tuple[Solution, RelaxedSolution]:
        """Whether d = 1 holds, as far as the hulls tell."""
        self._nodes += 1
        relaxed = self.relaxation.test(self.masks)
        if relaxed.outcome is Relaxed.SEPARATED and relaxed.multipliers is not None:
            proof = Certificate(None, (Leaf(self.masks, relaxed.multipliers),))
            return Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=proof), relaxed
        found = held(self.problem, self.masks, relaxed)
        return Solution(Status.UNDECIDED, -np.inf, np.inf) if found is None else found, relaxed

    def maximise(self, gap: float) -> tuple[Solution, RelaxedSolution]:
        """The largest d, as far as the hulls tell: the bound is theirs."""
        self._nodes += 1
        relaxed = self.relaxation.maximise(self.masks)
        found = attained(self.problem, self.masks, relaxed)
        if found is not None and found.status is Status.UNBOUNDED:
            return found, relaxed
        return self.bracketed(found, relaxed, gap), relaxed

    def held_fixed(self, masks: tuple[int, ...]) -> Solution | None:
        """Admissible forces at d = 1 with one piece a contact, or None."""
        self._nodes += 1
        return held(self.problem, masks, self.relaxation.test(masks))

    def maximise_fixed(self, masks: tuple[int, ...]) -> Solution | None:
        """The largest d with one piece a contact, its bound left open; None when no forces were found."""
        self._nodes += 1
        return attained(self.problem, masks, self.relaxation.maximise(masks))

    def bracketed(self, found: Solution | None, relaxed: RelaxedSolution, gap: float) -> Solution:
        """What was attained below, what the hulls allow above; optimal when the two meet."""
        if relaxed.multipliers is None:
            certificate, bound = None, np.inf
        else:
            bound = factor_bound(self.problem, self.masks, relaxed.multipliers)
            bound = bound if found is None else max(bound, found.factor)
            certificate = Certificate(bound, (Leaf(self.masks, relaxed.multipliers),))
        if found is None:
            status = Status.DOES_NOT_HOLD if bound == -np.inf else Status.UNDECIDED
            return Solution(status, -np.inf, bound, certificate=certificate)
        met = closes(found.factor, bound, gap=gap, tiny=least_factor(self.problem))
        status = Status.OPTIMAL if met else Status.UNDECIDED
        return replace(found, status=status, bound=bound, certificate=certificate)
