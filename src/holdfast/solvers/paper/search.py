"""The search of Hauser, Wang and Cutkosky 2018: BnB-EQ (III.F) and BnB-OPT (III.G), as printed.

A state is one node of each contact's bounding hierarchy. Its convex program replaces every volume by the hull of its
node; a program without a solution rules out every choice of pieces below the state. Where a force of the program lies
in no piece, the contact whose force is farthest out is split into its node's two children.

It is here as a rival to measure against and to reproduce the paper's Table I. `Exact` answers the same questions.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ... import checks
from ...checks import Array
from ...errors import InputError, UnknownNameError
from ...geometry.unions import Node
from ..admissible import attained, heaviest
from ..certificate import Certificate, Leaf, factor_bound
from ..problem import ContactProblem, Effort, Solution, Status
from ..relaxation import Relaxed, RelaxedSolution
from .relaxation import Backend, StateRelaxation
from .tree import mask_of, shape_tree

#: Norms of the objective (10).
NORMS = (1.0, 2.0, math.inf)

#: Packages that can solve the convex programs.
BACKENDS = ("highs", "cvxopt")

State = tuple[Node, ...]


@dataclass(frozen=True, kw_only=True)
class PaperBranchAndBound:
    """The paper's branch and bound with its parameters.

    Verdicts carry the same proofs as those of other methods: every state that was pruned is a leaf of the
    certificate, with the multipliers of its program. Its effort counts states as nodes, and as programs those of the
    states, of the early bounds and of second opinions where a backend's numbers prove nothing.

    Attributes:
        p: norm of the objective (10) of an equilibrium test: 1, 2 (squared, a quadratic program) or infinity.
        backend: what solves the convex programs: "highs", or "cvxopt" if that is installed.
        epsilon: a load limit may fall short of the best by epsilon (1 + |g|), g in newtons along the load (III.G).
        seed: of the random leaves in a load limit; each question starts from it anew.
        node_limit: states examined before the answer is "undecided".
        time_limit: seconds before the answer is "undecided".
    """

    p: float = 1.0
    backend: str = "highs"
    epsilon: float = 0.001
    seed: int = 0
    node_limit: int = 100_000
    time_limit: float = 300.0

    def __post_init__(self) -> None:
        if not isinstance(self.p, (int, float)) or self.p not in NORMS:
            raise InputError(f"is {self.p!r}", where="p", fix="give 1, 2 or math.inf")
        if self.backend not in BACKENDS:
            raise UnknownNameError("backend", str(self.backend), BACKENDS, where="backend")
        checks.number("epsilon", self.epsilon, low=0.0, high=1.0)
        checks.count("seed", self.seed, low=0)
        checks.count("node_limit", self.node_limit)
        checks.positive("time_limit", self.time_limit, unit="s")

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds (BnB-EQ): forces, or a closed tree, or undecided."""
        return _Test(problem, self, p=float(self.p)).run()

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d (BnB-OPT with g = -d), with a certified bound."""
        if not problem.load.any():
            raise InputError("is zero", where="load", fix="give a load to multiply")
        return _Maximum(problem, self, p=None).run()


def _backend(name: str) -> Backend:
    if name == "cvxopt":
        from . import cvxopt as paper_cvxopt

        paper_cvxopt.load()
        return paper_cvxopt.solve
    from . import highs as paper_highs

    return paper_highs.solve


class _Search:
    """What a test and a maximum share: hierarchies, programs, the clock, where forces lie, which contact to split."""

    def __init__(self, problem: ContactProblem, method: PaperBranchAndBound, *, p: float | None) -> None:
        self.problem = problem
        self.method = method
        self.began = time.perf_counter()
        self.nodes = 0
        self.trees = [shape_tree(problem.pieces(i)) for i in range(problem.contacts)]
        self.relaxation = StateRelaxation(problem, self.trees, _backend(method.backend), p=p, epsilon=method.epsilon)

    @cached_property
    def root(self) -> State:
        """The state of all roots."""
        return tuple(tree.root for tree in self.trees)

    @property
    def effort(self) -> Effort:
        """What it has cost so far."""
        seconds = time.perf_counter() - self.began
        return Effort(programs=self.relaxation.programs, nodes=self.nodes, seconds=seconds)

    @property
    def time_left(self) -> float:
        """Seconds to go, never quite none."""
        return max(1e-3, self.method.time_limit - (time.perf_counter() - self.began))

    @property
    def exhausted(self) -> bool:
        """Whether a limit has been reached."""
        return self.nodes >= self.method.node_limit or time.perf_counter() - self.began > self.method.time_limit

    def locate(self, forces: Array) -> Array:
        """(k,) the piece of F_i in which each local force (k, 3) lies, or -1."""
        found = np.empty(self.problem.contacts, dtype=np.int64)
        for shape in range(len(self.problem.shapes)):
            members = np.nonzero(self.problem.shape_of == shape)[0]
            found[members] = self.trees[members[0]].locate(forces[members])
        return found

    def farthest(self, state: State, forces: Array, located: Array) -> int | None:
        """The contact to split: argmax of dist(f_i, F_i) over nodes with children; None when there is none.

        Where every force lies in a piece but the answer could not be confirmed, the largest node is split.
        """
        inner = [i for i, node in enumerate(state) if node.children]
        if not inner:
            return None
        outside = [i for i in inner if located[i] < 0]
        if outside:
            return max(outside, key=lambda i: self.trees[i].distance(forces[i]))
        return max(inner, key=lambda i: len(state[i].pieces))


def _masks(state: Sequence[Node]) -> tuple[int, ...]:
    return tuple(map(mask_of, state))


def _with(state: State, contact: int, node: Node) -> State:
    return (*state[:contact], node, *state[contact + 1 :])


class _Test(_Search):
    """BnB-EQ: depth first, the child nearer to the force first. A stack stands for the recursion."""

    def run(self) -> Solution:
        leaves: list[Leaf] = []
        unsure = False
        stack = [self.root]
        while stack:
            if self.exhausted:
                unsure = True
                break
            state = stack.pop()
            self.nodes += 1
            relaxed = self.relaxation.test(state, time_limit=self.time_left)  # line 2
            if relaxed.outcome is Relaxed.SEPARATED and relaxed.multipliers is not None:  # line 3
                leaves.append(Leaf(_masks(state), relaxed.multipliers))
                continue
            if relaxed.forces is None:
                unsure = True
                continue
            located = self.locate(relaxed.forces)
            if (located >= 0).all():  # line 5
                found = self.relaxation.finish(located, relaxed.forces, 1.0, Status.HOLDS)
                if found is not None:
                    return replace(found, effort=self.effort)
            contact = self.farthest(state, relaxed.forces, located)  # line 6
            if contact is None:  # one piece a contact, and yet its forces do not stand up to the checks
                opinion = self.relaxation.second_test(_masks(state))
                if opinion.outcome is Relaxed.SEPARATED and opinion.multipliers is not None:
                    leaves.append(Leaf(_masks(state), opinion.multipliers))
                else:
                    unsure = True
                continue
            force = relaxed.forces[contact]
            first, second = state[contact].children  # line 7
            if second.hull.signed_distance(force) < first.hull.signed_distance(force):  # line 8
                first, second = second, first
            stack += [_with(state, contact, second), _with(state, contact, first)]  # lines 10 and 12
        if unsure:
            return Solution(Status.UNDECIDED, -np.inf, np.inf, effort=self.effort)
        certificate = Certificate(None, tuple(leaves))
        return Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=certificate, effort=self.effort)


class _Maximum(_Search):
    """BnB-OPT for g = -d |load|: best first, an early bound from random leaves at every state that is split."""

    def __init__(self, problem: ContactProblem, method: PaperBranchAndBound, *, p: float | None) -> None:
        super().__init__(problem, method, p=p)
        self.random = np.random.default_rng(method.seed)
        self.size = float(np.linalg.norm(problem.load))  # [N, scaled rows]
        self.best: Solution | None = None
        self.leaves: list[Leaf] = []
        self.closed = -np.inf  # largest bound of a leaf

    @property
    def attained(self) -> float:
        """Largest load factor found so far; -inf before any."""
        return -np.inf if self.best is None else self.best.factor

    def run(self) -> Solution:
        order = itertools.count()
        queue: list[tuple[float, int, State]] = [(-np.inf, next(order), self.root)]  # lines 3 and 4
        left_open: list[float] = []  # keys of states that no numbers could close
        while queue and not self.exhausted:
            key, _, state = heapq.heappop(queue)
            self.nodes += 1
            masks = _masks(state)
            relaxed, bound = self.relaxation.maximise(state, time_limit=self.time_left)  # line 8
            split = None
            if relaxed.growth is not None:
                split = self._grow(state, relaxed)
            elif relaxed.multipliers is not None and (relaxed.forces is not None or bound == -np.inf):
                split = self._examine(state, relaxed, bound)
                if split is None:
                    self._close(masks, relaxed.multipliers, bound)
                    continue
            if self.best is not None and self.best.status is Status.UNBOUNDED:
                return replace(self.best, effort=self.effort)
            if split is None:
                left_open.append(key)
                continue
            for child in state[split].children:  # lines 21 to 23
                heapq.heappush(queue, (-bound * self.size, next(order), _with(state, split, child)))
        return self._answer([-key / self.size for key in (*left_open, *(key for key, _, _ in queue))])

    def _answer(self, open_bounds: list[float]) -> Solution:
        bound = max([self.closed, self.attained, *open_bounds])
        forces, pieces = (None, None) if self.best is None else (self.best.forces, self.best.pieces)
        answer = Solution(Status.UNDECIDED, self.attained, bound, forces, pieces, effort=self.effort)
        if open_bounds or not (bound == -np.inf or self._is_near(bound)):
            return answer
        status = Status.DOES_NOT_HOLD if self.best is None else Status.OPTIMAL
        return replace(answer, status=status, certificate=Certificate(bound, tuple(self.leaves)))

    def _examine(self, state: State, relaxed: RelaxedSolution, bound: float) -> int | None:
        """Lines 9 to 20 for a program with a bound: the contact to split, or None when the state is closed by it."""
        if relaxed.forces is None:  # line 9
            return None
        g = -bound * self.size
        if g + self.method.epsilon * (1.0 + abs(g)) >= -self.attained * self.size:  # line 11
            return None
        located = self.locate(relaxed.forces)
        if (located >= 0).all():  # lines 12 and 13
            self._offer(self.relaxation.finish(located, relaxed.forces, relaxed.factor, Status.OPTIMAL))
            if self._is_near(bound):
                return None
        else:
            self._early_bound(state, located)
        return self.farthest(state, relaxed.forces, located)

    def _close(self, masks: tuple[int, ...], multipliers: Array, bound: float) -> None:
        """Add a leaf; the second opinion's where one piece a contact is left and the best is still short of the bound.

        That happens to limits of about zero, beside which a backend's tolerance is large.
        """
        if bound > -np.inf and not self._is_near(bound):
            opinion = self.relaxation.second_maximum(masks)
            self._offer(attained(self.problem, masks, opinion))
            if opinion.multipliers is not None:
                other = factor_bound(self.problem, masks, opinion.multipliers)
                if other < bound:
                    multipliers, bound = opinion.multipliers, other
        self.leaves.append(Leaf(masks, multipliers))
        self.closed = max(self.closed, bound)

    def _early_bound(self, state: State, located: Array) -> None:
        """Lines 16 to 18: one leaf a contact, that of its force where it lies in one, else a random one below S_i."""
        pieces = np.array(
            [int(self.random.choice(node.pieces)) if at < 0 else at for node, at in zip(state, located, strict=True)]
        )
        leaves = tuple(tree.leaf(int(piece)) for tree, piece in zip(self.trees, pieces, strict=True))
        self._offer(self.relaxation.attain(pieces, leaves, time_limit=self.time_left))

    def _grow(self, state: State, relaxed: RelaxedSolution) -> int | None:
        """For a program without a limit: try each contact's heaviest piece, then split where rays mix most."""
        assert relaxed.shares is not None
        masks = _masks(state)
        alone = heaviest(masks, relaxed)
        self._offer(attained(self.problem, alone, self.relaxation.second_maximum(alone)))
        inner = [i for i, node in enumerate(state) if node.children]
        totals, most = relaxed.shares.sum(axis=1), relaxed.shares.max(axis=1)
        return min(inner, key=lambda i: most[i] / totals[i] if totals[i] > 0.0 else 1.0) if inner else None

    def _offer(self, found: Solution | None) -> None:
        """Keep what is better than the best so far."""
        if found is not None and (found.status is Status.UNBOUNDED or found.factor > self.attained):
            self.best = found

    def _is_near(self, bound: float) -> bool:
        """Whether the best found is the largest but for epsilon (1 + |g|), or for what programs leave of it."""
        return self.best is not None and bound - self.attained <= self.relaxation.allowance(bound)
