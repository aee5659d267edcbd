"""Methods by linear programs: `Hull` and `Bracket` without a search, `Reference` with one.

`Hull` replaces each unit's union of pieces by its convex hull and solves one convex program. What fails even then is
guaranteed to fail, with a proof of one leaf. What holds then need not hold: only when every relaxed force happens to
lie in a single piece of their unit are the forces an answer.

`Bracket` adds a second program, with each unit fixed to its heaviest piece: the limit of the hulls above, the limit
of those pieces below. Most loads of real devices are decided by the two; the others come back with both bounds.

`Reference` is plain, exact, and not fast. Faster methods are checked against it.

1. The hull relaxation: if even the hulls fail, its multipliers are the proof; if its forces happen to lie
   in single pieces, they are the answer.
2. Few combinations of pieces: every one is tried, and each that fails leaves its separating multipliers.
3. Many: the V-form mixed-integer program proposes pieces; a search tree over sets of pieces then proves that
   nothing better exists, since a solver's result "infeasible" is no proof.

Either way the leaves form a `Certificate` that is checked without any solver.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .. import checks, tolerances
from .certificates import Certificate, Leaf, factor_bound, least_factor
from .mixed_integer import solve_milp
from .problem import ContactProblem, Solution, SolverMethod, Status
from .relaxation import (
    MethodRun,
    RelaxationOutcome,
    RelaxedSolution,
    attained,
    closes,
    heaviest,
    held,
    is_single,
    singles,
)


@dataclass(frozen=True, kw_only=True)
class Hull(SolverMethod):
    """The relaxation alone: what fails is guaranteed to fail.

    Exact where every unit has one piece. "Undecided" says that the hulls hold what the pieces may or may not;
    `bound` is then the limit of the hulls, and `factor` is -inf.

    Attributes:
        gap: relative gap at which a load limit counts as found.
    """

    gap: float = tolerances.GAP

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds: a proof when the hulls fail, forces when theirs lie in pieces, else undecided."""
        run = _HullRun(problem, self)
        answer, _ = run.test()
        if answer.status is Status.UNDECIDED:
            answer = replace(answer, bound=run.maximise()[0].bound)
        return run.finished(answer)

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d of the hulls as a certified bound; optimal when their forces lie in pieces."""
        run = _HullRun(problem, self)
        return run.finished(run.maximise()[0])


@dataclass(frozen=True, kw_only=True)
class Bracket(SolverMethod):
    """Hulls first, then each unit fixed to the piece that carried most of its forces.

    "Undecided" comes with a bracket: `factor` is attained, nothing above `bound` is possible.

    Attributes:
        gap: relative gap between the two at which a load limit counts as found.
    """

    gap: float = tolerances.GAP

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds: a proof when the hulls fail, forces when the heaviest pieces hold it, else undecided.

        An undecided answer has no forces, since none hold d = 1; its `factor` is the largest that was attained.
        """
        run = _HullRun(problem, self)
        answer, relaxed = run.test()
        if answer.status is Status.UNDECIDED and relaxed.shares is not None:
            answer = run.hold(heaviest(run.masks, relaxed)) or self._by_limit(run)
        return run.finished(answer)

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d between two certified bounds; optimal when they meet."""
        run = _HullRun(problem, self)
        return run.finished(self._limit(run))

    def _limit(self, run: _HullRun) -> Solution:
        answer, relaxed = run.maximise()
        if answer.status is not Status.UNDECIDED or relaxed.shares is None:
            return answer
        fixed = run.attain(heaviest(run.masks, relaxed))
        if fixed is not None and fixed.status is Status.UNBOUNDED:
            return fixed
        return run.bracketed(fixed, relaxed)

    def _by_limit(self, run: _HullRun) -> Solution:
        """What the bracket of the load limit says of d = 1: the pieces that carry most there may hold it."""
        limit = self._limit(run)
        found = None
        if limit.pieces is not None and limit.factor >= 1.0:
            found = run.hold(singles(limit.pieces[run.problem.layout.unit_starts[:-1]]))
        return found or Solution(Status.UNDECIDED, limit.factor, limit.bound)


class _HullRun(MethodRun):
    """Both questions put to the hulls of all pieces; every program counts as a node."""

    @property
    def masks(self) -> tuple[int, ...]:
        """All pieces of every unit."""
        return self.problem.all_pieces

    def test(self) -> tuple[Solution, RelaxedSolution]:
        """Whether d = 1 holds, as far as the hulls tell; with the relaxed solution."""
        self.nodes += 1
        relaxed = self.relaxation.test(self.masks)
        if relaxed.outcome is RelaxationOutcome.SEPARATED and relaxed.multipliers is not None:
            proof = Certificate(None, (Leaf(self.masks, relaxed.multipliers),))
            return Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=proof), relaxed
        found = held(self.problem, self.masks, relaxed)
        return Solution(Status.UNDECIDED, -np.inf, np.inf) if found is None else found, relaxed

    def maximise(self) -> tuple[Solution, RelaxedSolution]:
        """The largest d, as far as the hulls tell: the bound is theirs; with the relaxed solution."""
        self.nodes += 1
        relaxed = self.relaxation.maximise(self.masks)
        found = attained(self.problem, self.masks, relaxed)
        if found is not None and found.status is Status.UNBOUNDED:
            return found, relaxed
        return self.bracketed(found, relaxed), relaxed

    def hold(self, masks: tuple[int, ...]) -> Solution | None:
        self.nodes += 1
        return super().hold(masks)

    def attain(self, masks: tuple[int, ...]) -> Solution | None:
        self.nodes += 1
        return super().attain(masks)

    def bracketed(self, found: Solution | None, relaxed: RelaxedSolution) -> Solution:
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
        met = closes(found.factor, bound, gap=self.method.gap, tiny=least_factor(self.problem))
        status = Status.OPTIMAL if met else Status.UNDECIDED
        return replace(found, status=status, bound=bound, certificate=certificate)


@dataclass(frozen=True, kw_only=True)
class Reference(SolverMethod):
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
        super().__post_init__()
        checks.number("floor", self.floor, low=0.0)
        checks.count("combinations", self.combinations, low=0)

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds: forces, or a closed tree, or undecided."""
        return _ReferenceTest(problem, self).run()

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d, with a certified bound."""
        return _ReferenceMaximum(problem, self).run()


class _ReferenceSearch(MethodRun):
    """What a test and a maximum share: branching, and all choices of pieces."""

    @property
    def tries_all(self) -> bool:
        """Whether there are so few choices of pieces that all are tried."""
        return 1 < self.problem.combinations <= self.method.combinations

    def branch(self, masks: tuple[int, ...], relaxed: RelaxedSolution) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Split the most mixed unit: its heaviest piece alone, and all its other pieces."""
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
        """Every choice of one piece per unit, as masks."""
        return map(singles, itertools.product(*map(range, self.problem.piece_counts)))


class _ReferenceTest(_ReferenceSearch):
    """Depth-first search for forces at d = 1."""

    def run(self) -> Solution:
        leaves: list[Leaf] = []
        unsure = False
        root = self.problem.all_pieces
        stack = [root]
        while stack:
            if self.exhausted:
                unsure = True
                break
            masks = stack.pop()
            self.nodes += 1
            relaxed = self.relaxation.test(masks)
            if relaxed.outcome is RelaxationOutcome.SEPARATED:
                assert relaxed.multipliers is not None
                leaves.append(Leaf(masks, relaxed.multipliers))
                continue
            if relaxed.outcome is RelaxationOutcome.UNSURE or relaxed.forces is None:
                unsure = True
                continue
            found = held(self.problem, masks, relaxed) or self.hold(heaviest(masks, relaxed))
            if found is not None:
                return self.finished(found)
            if is_single(masks):
                unsure = True  # one choice of pieces is undecided: rounding prevents a decision
            elif masks == root and self.tries_all:
                stack = list(self.every_choice())
            elif masks == root and (proposed := self._proposed()) is not None:
                return self.finished(proposed)
            else:
                first, second = self.branch(masks, relaxed)
                stack += [second, first]
        if unsure:
            return self.finished(Solution(Status.UNDECIDED, -np.inf, np.inf))
        certificate = Certificate(None, tuple(leaves))
        return self.finished(Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=certificate))

    def _proposed(self) -> Solution | None:
        _, chosen = solve_milp(self.problem, maximise=False, time_limit=self.method.time_limit / 2)
        return None if chosen is None else self.hold(singles(chosen))


class _ReferenceMaximum(_ReferenceSearch):
    """Best-first search for the largest d."""

    def __init__(self, problem: ContactProblem, method: Reference) -> None:
        super().__init__(problem, method)
        self.best: Solution | None = None
        self.tiny = least_factor(problem)

    def run(self) -> Solution:
        root = self.problem.all_pieces
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
                break  # rounding prevents a decision
            if relaxed.outcome is RelaxationOutcome.UNBOUNDED:
                answer = self._unbounded(masks, relaxed)
                if answer is not None:
                    return answer
                if is_single(masks):
                    heapq.heappush(heap, (-np.inf, next(order), masks))
                    break  # neither the growth nor a limit can be shown: rounding prevents a decision
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
                    break  # not even one choice of pieces closes: rounding prevents a decision
                if masks == root and self.tries_all:
                    children = tuple(self.every_choice())
                else:
                    if masks == root:
                        self._propose()
                    children = self.branch(masks, relaxed)
            for child in children:
                heapq.heappush(heap, (-bound, next(order), child))
        return self._answer(leaves, closed, [-key for key, _, _ in heap])

    def _answer(self, leaves: list[Leaf], closed: float, open_bounds: list[float]) -> Solution:
        best = self.best or Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf)
        bound = max(closed, best.factor, *open_bounds)
        if open_bounds:
            return self.finished(replace(best, status=Status.UNDECIDED, bound=bound))
        return self.finished(replace(best, bound=bound, certificate=Certificate(bound, tuple(leaves))))

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
        found = self.attain(masks)
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
            return self.finished(found)
        self._keep(found)
        return None
