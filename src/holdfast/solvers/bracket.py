"""The bracket: the limit of the hulls above, the limit of each contact's heaviest piece below.

Two convex programs instead of a search. Most loads of real devices are decided by them; the others come back
with both bounds, each with its proof.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import checks, tolerances
from .admissible import heaviest, singles
from .hull import Root
from .problem import ContactProblem, Solution, Status


@dataclass(frozen=True, kw_only=True)
class Bracket:
    """Hulls first, then each contact fixed to the piece that carried most of its force.

    "Undecided" comes with a bracket: `factor` is attained, nothing above `bound` is possible.

    Attributes:
        gap: relative gap between the two at which a load limit counts as found.
    """

    gap: float = tolerances.GAP

    def __post_init__(self) -> None:
        checks.positive("gap", self.gap, high=0.1)

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds: a proof when the hulls fail, forces when the heaviest pieces hold it, else undecided.

        An undecided answer has no forces, since none hold d = 1; its `factor` is the largest that was attained.
        """
        root = Root(problem)
        answer, relaxed = root.test()
        if answer.status is Status.UNDECIDED and relaxed.shares is not None:
            answer = root.held_fixed(heaviest(root.masks, relaxed)) or self._by_limit(root)
        return root.finished(answer)

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d between two certified bounds; optimal when they meet."""
        root = Root(problem)
        return root.finished(self._limit(root))

    def _limit(self, root: Root) -> Solution:
        answer, relaxed = root.maximise(self.gap)
        if answer.status is not Status.UNDECIDED or relaxed.shares is None:
            return answer
        fixed = root.maximise_fixed(heaviest(root.masks, relaxed))
        if fixed is not None and fixed.status is Status.UNBOUNDED:
            return fixed
        return root.bracketed(fixed, relaxed, self.gap)

    def _by_limit(self, root: Root) -> Solution:
        """What the bracket of the load limit says of d = 1: the pieces that carry most there may hold it."""
        limit = self._limit(root)
        found = None
        if limit.pieces is not None and limit.factor >= 1.0:
            found = root.held_fixed(singles(limit.pieces))
        return found or Solution(Status.UNDECIDED, limit.factor, limit.bound)
