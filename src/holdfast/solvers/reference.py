"""The reference method: plain, readable, exact, and not fast. It stays as the referee of faster ones.

1. The hull relaxation: if even the hulls fail, its multipliers are the proof; if its forces happen to lie
   in single pieces, they are the answer.
2. Few combinations of pieces: every one is tried, and each that fails leaves its separating multipliers.
3. Many: the V-form mixed-integer program proposes pieces; a search tree over sets of pieces then proves that
   nothing better exists, since a solver's word "infeasible" is no proof.

Either way the leaves form a `Certificate` that is checked without any solver.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .. import checks, tolerances
from .admissible import attained, closes, heaviest, held, is_single, singles
from .certificate import Certificate, Leaf, factor_bound, least_factor
from .mixed_integer.milp import solve_milp
from .problem import ContactProblem, Effort, Solution, Status
from .relaxation import HullRelaxation, Relaxed, RelaxedSolution


@dataclass(frozen=True, kw_only=True)
class Reference:
    """The reference method with its limits.

    Attributes:
        gap: relative gap at which a load limit counts as found.
        floor: load factors smaller than this are found to `gap` times this; 0 asks for the gap at any size.
        combinations: up to this many choices of pieces are simply all tried.
        node_limit: nodes of the proving tree before the answer is "undecided".
        time_limit: seconds before the answer is "undecided".
    """

    gap: float = tolerances.GAP
    floor: float = 0.0
    combinations: int = 64
    node_limit: int = 20_000
    time_limit: float = 120.0

    def __post_init__(self) -> None:
        checks.positive("gap", self.gap, high=0.1)
        checks.number("floor", self.floor, low=0.0)
        checks.count("combinations", self.combinations, low=0)
        checks.count("node_limit", self.node_limit)
        checks.positive("time_limit", self.time_limit, unit="s")

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds: forces, or a closed tree, or undecided."""
        return _Test(problem, self).run()

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d, with a certified bound."""
        return _Maximum(problem, self).run()


class _Search:
    """What a test and a maximum share: the relaxation, the clock, branching."""

    def __init__(self, problem: ContactProblem, method: Reference) -> None:
        self.problem = problem
        self.method = method
        self.relaxation = HullRelaxation(problem)
        self.nodes = 0
        self.began = time.perf_counter()

    @property
    def effort(self) -> Effort:
        seconds = time.perf_counter() - self.began
        return Effort(programs=self.relaxation.programs, nodes=self.nodes, seconds=seconds)

    @property
    def exhausted(self) -> bool:
        late = time.perf_counter() - self.began > self.method.time_limit
        return late or self.nodes >= self.method.node_limit

    def branch(self, masks: tuple[int, ...], relaxed: RelaxedSolution) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Split the most mixed contact: its heaviest piece alone, and all its other pieces."""
        assert relaxed.shares is not None
        alone = heaviest(masks, relaxed)
        totals = np.maximum(relaxed.shares.sum(axis=1), np.finfo(float).tiny)
        purity = np.array(
            [relaxed.shares[i].max() / totals[i] if mask.bit_count() > 1 else np.inf for i, mask in enumerate(masks)]
        )
        at = int(purity.argmin())
        first, second = list(masks), list(masks)
        first[at], second[at] = alone[at], masks[at] & ~alone[at]
        return tuple(first), tuple(second)

    def every_choice(self) -> Iterator[tuple[int, ...]]:
        """Every choice of one piece a contact, as masks."""
        counts = [len(self.problem.pieces(i)) for i in range(self.problem.contacts)]
        return map(singles, itertools.product(*map(range, counts)))


class _Test(_Search):
    """Depth-first search for forces at d = 1."""

    def run(self) -> Solution:
        leaves: list[Leaf] = []
        unsure = False
        root = self.problem.all_pieces
        enumerate_all = 1 < self.problem.combinations <= self.method.combinations
        stack = [root]
        while stack:
            if self.exhausted:
                unsure = True
                break
            masks = stack.pop()
            self.nodes += 1
            relaxed = self.relaxation.test(masks)
            if relaxed.outcome is Relaxed.SEPARATED:
                assert relaxed.multipliers is not None
                leaves.append(Leaf(masks, relaxed.multipliers))
                continue
            if relaxed.outcome is Relaxed.UNSURE or relaxed.forces is None:
                unsure = True
                continue
            found = self._admissible(masks, relaxed)
            if found is not None:
                return found
            if is_single(masks):
                unsure = True  # not even one choice of pieces is clear: the numbers do not allow it
            elif masks == root and enumerate_all:
                stack = list(self.every_choice())
            elif masks == root and (proposed := self._proposed()) is not None:
                return proposed
            else:
                first, second = self.branch(masks, relaxed)
                stack += [second, first]
        if unsure:
            return Solution(Status.UNDECIDED, -np.inf, np.inf, effort=self.effort)
        return Solution(
            Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=Certificate(None, tuple(leaves)), effort=self.effort
        )

    def _admissible(self, masks: tuple[int, ...], relaxed: RelaxedSolution) -> Solution | None:
        """The answer if these forces, or those of the heaviest pieces, are admissible."""
        found = held(self.problem, masks, relaxed)
        if found is None:
            return self._fixed(heaviest(masks, relaxed))
        return replace(found, effort=self.effort)

    def _fixed(self, masks: tuple[int, ...]) -> Solution | None:
        found = held(self.problem, masks, self.relaxation.test(masks))
        return None if found is None else replace(found, effort=self.effort)

    def _proposed(self) -> Solution | None:
        _, chosen = solve_milp(self.problem, maximise=False, time_limit=self.method.time_limit / 2)
        return None if chosen is None else self._fixed(singles(chosen))


class _Maximum(_Search):
    """Best-first search for the largest d."""

    def __init__(self, problem: ContactProblem, method: Reference) -> None:
        super().__init__(problem, method)
        self.best: Solution | None = None
        self.tiny = least_factor(problem)

    def run(self) -> Solution:
        root = self.problem.all_pieces
        enumerate_all = 1 < self.problem.combinations <= self.method.combinations
        leaves: list[Leaf] = []
        closed = -np.inf  # largest bound of a closed leaf
        heap: list[tuple[float, int, tuple[int, ...]]] = [(-np.inf, 0, root)]
        order = itertools.count(1)
        while heap and not self.exhausted:
            _, _, masks = heapq.heappop(heap)
            self.nodes += 1
            relaxed = self.relaxation.maximise(masks)
            if relaxed.multipliers is None and relaxed.growth is None:
                heapq.heappush(heap, (-np.inf, next(order), masks))
                break  # the numbers do not allow it
            if relaxed.outcome is Relaxed.UNBOUNDED:
                answer = self._unbounded(masks, relaxed)
                if answer is not None:
                    return answer
                if is_single(masks):
                    heapq.heappush(heap, (-np.inf, next(order), masks))
                    break  # neither the growth nor a limit can be shown: the numbers do not allow it
                children, bound = self.branch(masks, relaxed), np.inf
            else:
                multipliers = relaxed.multipliers
                assert multipliers is not None
                bound = factor_bound(self.problem, masks, multipliers)
                self._improve(masks, relaxed)
                if self._closes(bound):
                    leaves.append(Leaf(masks, multipliers))
                    closed = max(closed, bound)
                    continue
                if is_single(masks):
                    heapq.heappush(heap, (-bound, next(order), masks))
                    break  # not even one choice of pieces closes: the numbers do not allow it
                if masks == root and enumerate_all:
                    children = tuple(self.every_choice())
                else:
                    if masks == root:
                        self._propose()
                    children = self.branch(masks, relaxed)
            for child in children:
                heapq.heappush(heap, (-bound, next(order), child))
        return self._answer(leaves, closed, [-key for key, _, _ in heap])

    def _answer(self, leaves: list[Leaf], closed: float, open_bounds: list[float]) -> Solution:
        factor = -np.inf if self.best is None else self.best.factor
        forces, pieces = (None, None) if self.best is None else (self.best.forces, self.best.pieces)
        if open_bounds:
            bound = max(closed, factor, *open_bounds)
            return Solution(Status.UNDECIDED, factor, bound, forces, pieces, effort=self.effort)
        bound = max(closed, factor)
        status = Status.DOES_NOT_HOLD if self.best is None else Status.OPTIMAL
        certificate = Certificate(bound, tuple(leaves))
        return Solution(status, factor, bound, forces, pieces, certificate=certificate, effort=self.effort)

    def _closes(self, bound: float) -> bool:
        """Whether nothing better than the best found, beyond the gap, is left below this bound."""
        best = -np.inf if self.best is None else self.best.factor
        return closes(best, bound, gap=self.method.gap, floor=self.method.floor, tiny=self.tiny)

    def _improve(self, masks: tuple[int, ...], relaxed: RelaxedSolution) -> None:
        """Keep the forces if admissible, else those of the heaviest pieces, when better than the best."""
        if relaxed.forces is None or self._closes(relaxed.factor):
            return
        found = attained(self.problem, masks, relaxed)
        if found is None:
            self._fixed(heaviest(masks, relaxed))
        else:
            self._keep(found)

    def _fixed(self, masks: tuple[int, ...]) -> None:
        found = attained(self.problem, masks, self.relaxation.maximise(masks))
        if found is not None and found.status is Status.OPTIMAL:
            self._keep(found)

    def _keep(self, found: Solution) -> None:
        if self.best is None or found.factor > self.best.factor:
            self.best = found

    def _propose(self) -> None:
        limit, gap = self.method.time_limit / 2, self.method.gap / 2
        _, chosen = solve_milp(self.problem, maximise=True, time_limit=limit, gap=gap)
        if chosen is not None:
            self._fixed(singles(chosen))

    def _unbounded(self, masks: tuple[int, ...], relaxed: RelaxedSolution) -> Solution | None:
        """The unbounded answer if single pieces carry any multiple of the load."""
        alone = heaviest(masks, relaxed)
        if alone != masks:
            relaxed = self.relaxation.maximise(alone)
        found = attained(self.problem, alone, relaxed)
        if found is None:
            return None
        if found.status is Status.UNBOUNDED:
            return replace(found, effort=self.effort)
        self._keep(found)
        return None
