"""One state of the paper's search solved and proven: the hull relaxation by half-spaces, on the backend of choice.

The backend's word is not taken. Multipliers count when support functions confirm what they claim, forces when they
balance and lie in their pieces by fresh numbers, after a correction of the last digits. Where the backend's numbers
do not suffice, `HullRelaxation` is asked about the same sets: a second opinion, needed where a verdict is close.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from ... import tolerances
from ...checks import Array
from ...errors import SolverError
from ...geometry.unions import Node
from ..admissible import attained, balances, held, pieces_of, singles
from ..certificate import factor_bound, least_factor, separation_margin
from ..highs import Outcome
from ..problem import ContactProblem, Solution, Status
from ..relaxation import HullRelaxation, Relaxed, RelaxedSolution
from .correction import corrected
from .programs import ConvexProgram, ProgramAnswer, ProgramBuilder
from .tree import ShapeTree, mask_of

#: solve(program, time_limit=seconds)
Backend = Callable[..., ProgramAnswer]

#: Share of the suboptimality that rounding in a program's multipliers may use up, before a second opinion is asked for.
BOUND_SHARE = 0.25


class StateRelaxation:
    """CP(g, S_1, ..., S_k) of one problem, for one state after another; counts its programs in `programs`."""

    def __init__(
        self, problem: ContactProblem, trees: Sequence[ShapeTree], backend: Backend, *, p: float | None, epsilon: float
    ) -> None:
        """`p` is the norm of a test, None asks for the largest d; `epsilon` is the suboptimality of III.G."""
        self.problem = problem
        self._builder = ProgramBuilder(problem, trees, p=p)
        self._backend = backend
        self._epsilon = epsilon
        self._size = float(np.linalg.norm(problem.load))  # [N, scaled rows]
        self._programs = 0

    def allowance(self, factor: float) -> float:
        """By how much a bound may exceed a load factor that counts as the largest: epsilon (1 + |g|), g = -d |load|.

        Without an epsilon, the default gap: bounds and factors are found by programs that end within tolerances.
        """
        g = abs(factor) * self._size
        return max(self._epsilon * (1.0 + g), tolerances.GAP * g) / self._size + least_factor(self.problem)

    @property
    def programs(self) -> int:
        """Convex programs solved, second opinions included."""
        return self._programs + (self._second.programs if "_second" in self.__dict__ else 0)

    @cached_property
    def _second(self) -> HullRelaxation:
        return HullRelaxation(self.problem)

    # -- the two questions ----------------------------------------------------------------------

    def test(self, state: Sequence[Node], *, time_limit: float) -> RelaxedSolution:
        """Whether d = 1 holds with forces in the nodes' hulls; of those, ones near the centroids (10)."""
        masks = tuple(map(mask_of, state))
        answer = self._solve(self._builder.build(state), time_limit)
        if answer.outcome is Outcome.OPTIMAL and answer.values is not None:
            return RelaxedSolution(Relaxed.REACHED, 1.0, None, self._builder.forces(answer.values))
        y = self._builder.multipliers(answer)
        if y is not None and separation_margin(self.problem, masks, y) > 0.0:
            return RelaxedSolution(Relaxed.SEPARATED, -np.inf, y)
        return self.second_test(masks)

    def maximise(self, state: Sequence[Node], *, time_limit: float) -> tuple[RelaxedSolution, float]:
        """The largest d with forces in the nodes' hulls, and the bound on it that its multipliers prove."""
        masks = tuple(map(mask_of, state))
        answer = self._solve(self._builder.build(state), time_limit)
        y = self._builder.multipliers(answer)
        if y is not None and answer.values is not None:
            factor, bound = self._builder.factor(answer.values), factor_bound(self.problem, masks, y)
            if bound - factor <= BOUND_SHARE * self.allowance(factor):
                return RelaxedSolution(Relaxed.OPTIMAL, factor, y, self._builder.forces(answer.values)), bound
        if y is not None and answer.outcome is Outcome.INFEASIBLE:
            load = self.problem.load
            y = y - (y @ load) / (load @ load) * load  # y must not see the load at all to exclude every factor
            if factor_bound(self.problem, masks, y) == -np.inf:
                return RelaxedSolution(Relaxed.SEPARATED, -np.inf, y), -np.inf
        second = self.second_maximum(masks)
        y = second.multipliers
        return second, np.inf if y is None else factor_bound(self.problem, masks, y)

    def attain(self, pieces: Array, leaves: Sequence[Node], *, time_limit: float) -> Solution | None:
        """An answer with each contact held to one piece (k,), the node of which is given; None when there is none."""
        answer = self._solve(self._builder.build(leaves), time_limit)
        if answer.values is not None:
            forces, factor = self._builder.forces(answer.values), self._builder.factor(answer.values)
            return self.finish(pieces, forces, factor, Status.OPTIMAL)
        if answer.outcome is Outcome.INFEASIBLE:
            return None
        return attained(self.problem, singles(pieces), self.second_maximum(singles(pieces)))

    def second_test(self, masks: tuple[int, ...]) -> RelaxedSolution:
        """Whether d = 1 holds over the hulls of the allowed pieces, by column generation."""
        return self._second.test(masks)

    def second_maximum(self, masks: tuple[int, ...]) -> RelaxedSolution:
        """The largest d over the hulls of the allowed pieces, by column generation."""
        try:
            return self._second.maximise(masks)
        except SolverError:  # a failure to find is an answer
            return RelaxedSolution(Relaxed.UNSURE, -np.inf)

    def _solve(self, program: ConvexProgram, time_limit: float) -> ProgramAnswer:
        self._programs += 1
        return self._backend(program, time_limit=time_limit)

    # -- forces that count ----------------------------------------------------------------------

    def finish(self, pieces: Array, forces: Array, factor: float, status: Status) -> Solution | None:
        """An answer with forces near the given ones, each in its piece (k,); None when there is none.

        `status` "holds" keeps the factor at 1; "optimal" lets it follow the correction.
        """
        problem, masks = self.problem, singles(pieces)
        fixed = status is Status.HOLDS
        forces, factor = corrected(problem, pieces, forces, factor, keep_factor=fixed)
        if pieces_of(problem, masks, forces) is not None and balances(problem, forces, factor):
            return Solution(status, factor, np.inf, forces, np.array(pieces))
        if fixed:
            return held(problem, masks, self.second_test(masks))
        return attained(problem, masks, self.second_maximum(masks))
