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
from dataclasses import dataclass

import numpy as np

from .. import checks, tolerances
from ..checks import Array
from .certificate import Certificate, Leaf, factor_bound, least_factor
from .milp import solve_milp
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
    """What a test and a maximum share: the relaxation, the clock, admissibility, branching."""

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

    def pieces_of(self, masks: tuple[int, ...], forces: Array) -> Array | None:
        """(k,) the allowed piece that each force lies in, or None when some force lies in none."""
        found = np.zeros(self.problem.contacts, dtype=np.int64)
        for i, mask in enumerate(masks):
            strength = float(np.abs(forces[i]).max())  # what a cone, which has no size of its own, is judged by
            distances = {
                j: float(piece.signed_distance(forces[i])) / (max(float(np.abs(piece.vertices).max()), strength) or 1.0)
                for j, piece in enumerate(self.problem.pieces(i))
                if mask >> j & 1
            }
            best = min(distances, key=distances.__getitem__)
            if distances[best] > tolerances.MEMBERSHIP:
                return None
            found[i] = best
        return found

    def balances(self, forces: Array, factor: float) -> bool:
        """Whether forces hold the load to FEASIBILITY, by fresh numbers."""
        return self.problem.residual(forces, factor) <= tolerances.FEASIBILITY * self.problem.force_scale(
            forces, factor
        )

    def heaviest(self, masks: tuple[int, ...], relaxed: RelaxedSolution) -> tuple[int, ...]:
        """Each contact fixed to the allowed piece that carries most weight."""
        assert relaxed.shares is not None
        shares = relaxed.shares
        return tuple(
            1 << max((j for j in range(mask.bit_length()) if mask >> j & 1), key=lambda j, i=i: shares[i, j])
            for i, mask in enumerate(masks)
        )

    def branch(self, masks: tuple[int, ...], relaxed: RelaxedSolution) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Split the most mixed contact: its heaviest piece alone, and all its other pieces."""
        assert relaxed.shares is not None
        heaviest = self.heaviest(masks, relaxed)
        totals = np.maximum(relaxed.shares.sum(axis=1), np.finfo(float).tiny)
        purity = np.array(
            [relaxed.shares[i].max() / totals[i] if mask.bit_count() > 1 else np.inf for i, mask in enumerate(masks)]
        )
        at = int(purity.argmin())
        first, second = list(masks), list(masks)
        first[at], second[at] = heaviest[at], masks[at] & ~heaviest[at]
        return tuple(first), tuple(second)

    def singles(self) -> Iterator[tuple[int, ...]]:
        """Every choice of one piece a contact, as masks."""
        choices = [[1 << j for j in range(len(self.problem.pieces(i)))] for i in range(self.problem.contacts)]
        return itertools.product(*choices)


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
            if all(mask.bit_count() == 1 for mask in masks):
                unsure = True  # not even one choice of pieces is clear: the numbers do not allow it
            elif masks == root and enumerate_all:
                stack = list(self.singles())
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
        assert relaxed.forces is not None
        pieces = self.pieces_of(masks, relaxed.forces)
        if pieces is None or not self.balances(relaxed.forces, 1.0):
            return self._fixed(self.heaviest(masks, relaxed))
        return Solution(Status.HOLDS, 1.0, np.inf, relaxed.forces, pieces, effort=self.effort)

    def _fixed(self, masks: tuple[int, ...]) -> Solution | None:
        relaxed = self.relaxation.test(masks)
        if relaxed.outcome is not Relaxed.REACHED or relaxed.forces is None:
            return None
        pieces = self.pieces_of(masks, relaxed.forces)
        if pieces is None or not self.balances(relaxed.forces, 1.0):
            return None
        return Solution(Status.HOLDS, 1.0, np.inf, relaxed.forces, pieces, effort=self.effort)

    def _proposed(self) -> Solution | None:
        _, chosen = solve_milp(self.problem, maximise=False, time_limit=self.method.time_limit / 2)
        return None if chosen is None else self._fixed(tuple(1 << j for j in chosen))


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
                if all(mask.bit_count() == 1 for mask in masks):
                    heapq.heappush(heap, (-bound, next(order), masks))
                    break  # not even one choice of pieces closes: the numbers do not allow it
                if masks == root and enumerate_all:
                    children = tuple(self.singles())
                else:
                    if masks == root:
                        self._propose()
                    children = self.branch(masks, relaxed)
            for child in children:
                heapq.heappush(heap, (-bound, next(order), child))
        return self._answer(leaves, closed, [-key for key, _, _ in heap])

    def _answer(self, leaves: list[Leaf], closed: float, open_bounds: list[float]) -> Solution:
        attained = -np.inf if self.best is None else self.best.factor
        forces, pieces = (None, None) if self.best is None else (self.best.forces, self.best.pieces)
        if open_bounds:
            bound = max(closed, attained, *open_bounds)
            return Solution(Status.UNDECIDED, attained, bound, forces, pieces, effort=self.effort)
        bound = max(closed, attained)
        status = Status.DOES_NOT_HOLD if self.best is None else Status.OPTIMAL
        certificate = Certificate(bound, tuple(leaves))
        return Solution(status, attained, bound, forces, pieces, certificate=certificate, effort=self.effort)

    def _closes(self, bound: float) -> bool:
        """Whether nothing better than the best found, beyond the gap, is left below this bound."""
        if bound == -np.inf:
            return True
        attained = -np.inf if self.best is None else self.best.factor
        return bound <= attained + self.method.gap * max(abs(attained), self.method.floor) + self.tiny

    def _improve(self, masks: tuple[int, ...], relaxed: RelaxedSolution) -> None:
        """Keep the forces if admissible, else those of the heaviest pieces, when better than the best."""
        if relaxed.forces is None or self._closes(relaxed.factor):
            return
        pieces = self.pieces_of(masks, relaxed.forces)
        if pieces is None or not self.balances(relaxed.forces, relaxed.factor):
            self._fixed(self.heaviest(masks, relaxed))
        else:
            self._keep(relaxed, pieces)

    def _fixed(self, masks: tuple[int, ...]) -> None:
        relaxed = self.relaxation.maximise(masks)
        if relaxed.outcome is Relaxed.OPTIMAL and relaxed.forces is not None:
            pieces = self.pieces_of(masks, relaxed.forces)
            if pieces is not None and self.balances(relaxed.forces, relaxed.factor):
                self._keep(relaxed, pieces)

    def _keep(self, relaxed: RelaxedSolution, pieces: Array) -> None:
        if self.best is None or relaxed.factor > self.best.factor:
            self.best = Solution(Status.OPTIMAL, relaxed.factor, np.inf, relaxed.forces, pieces)

    def _propose(self) -> None:
        limit, gap = self.method.time_limit / 2, self.method.gap / 2
        _, chosen = solve_milp(self.problem, maximise=True, time_limit=limit, gap=gap)
        if chosen is not None:
            self._fixed(tuple(1 << j for j in chosen))

    def _unbounded(self, masks: tuple[int, ...], relaxed: RelaxedSolution) -> Solution | None:
        """The unbounded answer if single pieces carry any multiple of the load."""
        singles = self.heaviest(masks, relaxed)
        if singles != masks:
            relaxed = self.relaxation.maximise(singles)
            if relaxed.growth is None:
                self._improve(singles, relaxed)
                return None
        pieces = np.array([mask.bit_length() - 1 for mask in singles])
        return Solution(
            Status.UNBOUNDED, relaxed.factor, np.inf, relaxed.forces, pieces, growth=relaxed.growth, effort=self.effort
        )
