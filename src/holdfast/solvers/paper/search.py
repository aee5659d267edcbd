"""The search of Hauser, Wang and Cutkosky 2018: BnB-EQ (III.F) and BnB-OPT (III.G), as printed.

A state is one node of each unit's bounding hierarchy (the paper's contacts are units of one contact each). Its convex
program replaces every volume by the hull of its node; a program without a solution rules out every choice of pieces
below the state. Where the forces of a unit lie in no common piece, the unit whose forces are farthest out is split
into its node's two children.

A backend's answer is not trusted. Multipliers count when support functions confirm what they claim, forces when they
balance and lie in their pieces by fresh numbers, after a correction of the last digits. Where the backend's numbers
do not suffice, `HullRelaxation` solves the same state: a second opinion, needed where a verdict is close.

The method serves as a baseline, to reproduce the paper's Table I. `Exact` answers the same questions.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ... import checks, tolerances
from ...checks import Array
from ...errors import InputError, SolverError, UnknownNameError
from ...geometry.unions import Node
from ...linear_programs import Outcome
from ...public_names import with_advice
from ..certificates import Certificate, Leaf, factor_bound, least_factor, separation_margin
from ..problem import ContactProblem, Solution, SolverMethod, Status
from ..relaxation import (
    HullRelaxation,
    MethodRun,
    RelaxationOutcome,
    RelaxedSolution,
    attained,
    balances,
    heaviest,
    held,
    pieces_of,
    singles,
)
from .programs import BACKENDS, INSIDE, ProgramAnswer, ProgramBuilder, ShapeTree, StateProgram, mask_of, shape_tree

#: Rounds of correction; each meets what was violated so far, and may find what it has come to violate.
ROUNDS = 8

#: Violations below this share of the tolerances of an answer are left alone.
LEFT_ALONE = 0.01


def corrected(
    problem: ContactProblem, pieces: Array, forces: Array, factor: float, *, keep_factor: bool
) -> tuple[Array, float]:
    """Local forces (k, 3) and load factor after the least change that balances and keeps each force in its piece (k,).

    Rows and facets that are violated are solved for as equalities, those not violated are left out until they come
    to be. The result is the best correction found; the caller has to check it.
    """
    unit = problem.force_scale(forces, factor)
    strength = float(np.abs(problem.load).max()) or 1.0
    point = np.append(forces.reshape(-1), factor * strength) / unit
    met: dict[tuple[int, int], tuple[Array, float]] = {}
    for _ in range(ROUNDS):
        found = {key: (row, end) for key, row, end in _violated(problem, pieces, point, unit, strength)}
        if not found:
            break
        met |= found
        rows = np.array([row for row, _ in met.values()])
        ends = np.array([end for _, end in met.values()])
        free = slice(0, -1 if keep_factor else None)
        point[free] += np.linalg.lstsq(rows[:, free], ends - rows @ point, rcond=None)[0]
    return point[:-1].reshape(-1, 3) * unit, factor if keep_factor else float(point[-1]) * unit / strength


def _violated(
    problem: ContactProblem, pieces: Array, point: Array, unit: float, strength: float
) -> Iterator[tuple[tuple[int, int], Array, float]]:
    """Each violated constraint as (key, row (3k + 1,), the end to meet), over forces / unit and d strength / unit."""
    k = problem.contacts
    rows = np.empty((problem.rows, 3 * k + 1))
    rows[:, :-1] = problem.maps.transpose(1, 0, 2).reshape(problem.rows, 3 * k)
    rows[:, -1] = problem.load / strength
    values = rows @ point
    ends = np.clip(values, problem.lower / unit, problem.upper / unit)
    for r in np.nonzero(np.abs(ends - values) > LEFT_ALONE * tolerances.FEASIBILITY)[0]:
        yield (-1, int(r)), rows[r], float(ends[r])
    for i, piece in enumerate(pieces):
        polytope = problem.pieces(i)[piece]
        normals, offsets = polytope.halfspaces
        force = point[3 * i : 3 * i + 3]
        size = max(float(np.abs(polytope.vertices).max()) / unit, float(np.abs(force).max()))
        excess = normals @ force - offsets / unit
        for facet in np.nonzero(excess > LEFT_ALONE * tolerances.MEMBERSHIP * size)[0]:
            row = np.zeros(3 * k + 1)
            row[3 * i : 3 * i + 3] = normals[facet]
            yield (i, int(facet)), row, float(offsets[facet]) / unit


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
            return RelaxedSolution(RelaxationOutcome.REACHED, 1.0, None, self._builder.forces(answer.values))
        y = self._builder.multipliers(answer)
        if y is not None and separation_margin(self.problem, masks, y) > 0.0:
            return RelaxedSolution(RelaxationOutcome.SEPARATED, -np.inf, y)
        return self.second_test(masks)

    def maximise(self, state: Sequence[Node], *, time_limit: float) -> tuple[RelaxedSolution, float]:
        """The largest d with forces in the nodes' hulls, and the bound on it that its multipliers prove."""
        masks = tuple(map(mask_of, state))
        answer = self._solve(self._builder.build(state), time_limit)
        y = self._builder.multipliers(answer)
        if y is not None and answer.values is not None:
            factor, bound = self._builder.factor(answer.values), factor_bound(self.problem, masks, y)
            if bound - factor <= BOUND_SHARE * self.allowance(factor):
                return RelaxedSolution(RelaxationOutcome.OPTIMAL, factor, y, self._builder.forces(answer.values)), bound
        if y is not None and answer.outcome is Outcome.INFEASIBLE:
            load = self.problem.load
            y = y - (y @ load) / (load @ load) * load  # y must be orthogonal to the load to exclude every factor
            if factor_bound(self.problem, masks, y) == -np.inf:
                return RelaxedSolution(RelaxationOutcome.SEPARATED, -np.inf, y), -np.inf
        second = self.second_maximum(masks)
        y = second.multipliers
        return second, np.inf if y is None else factor_bound(self.problem, masks, y)

    def attain(self, pieces: Array, leaves: Sequence[Node], *, time_limit: float) -> Solution | None:
        """An answer with each unit held to one piece (units,), the node of which is given; None when there is none."""
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
            return RelaxedSolution(RelaxationOutcome.UNSURE, -np.inf)

    def _solve(self, program: StateProgram, time_limit: float) -> ProgramAnswer:
        self._programs += 1
        return self._backend(program, time_limit=time_limit)

    # -- forces that count ----------------------------------------------------------------------

    def finish(self, pieces: Array, forces: Array, factor: float, status: Status) -> Solution | None:
        """An answer with forces near the given ones, those of each unit in its piece (units,); None when there is none.

        `status` "holds" keeps the factor at 1; "optimal" lets it follow the correction.
        """
        problem, masks = self.problem, singles(pieces)
        fixed = status is Status.HOLDS
        own = np.array(pieces)[problem.unit_of]
        forces, factor = corrected(problem, own, forces, factor, keep_factor=fixed)
        if pieces_of(problem, masks, forces) is not None and balances(problem, forces, factor):
            return Solution(status, factor, np.inf, forces, own)
        if fixed:
            return held(problem, masks, self.second_test(masks))
        return attained(problem, masks, self.second_maximum(masks))


#: Norms of the objective (10).
NORMS = (1.0, 2.0, math.inf)

State = tuple[Node, ...]


@with_advice()
@dataclass(frozen=True, kw_only=True)
class PaperBranchAndBound(SolverMethod):
    """The paper's branch and bound with its parameters.

    Verdicts carry the same proofs as those of other methods: every state that was pruned is a leaf of the
    certificate, with the multipliers of its program. Its effort counts states as nodes, and as programs those of the
    states, of the early bounds and of second opinions where a backend's numbers prove nothing.

    Attributes:
        p: norm of the objective (10) of an equilibrium test: 1, 2 (squared, a quadratic program) or infinity.
        backend: what solves the convex programs: "highs", or "cvxopt" if that is installed.
        epsilon: a load limit may fall short of the best by epsilon (1 + |g|), g in newtons along the load (III.G).
        seed: of the random leaves in a load limit; every question starts from this seed.
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
        checks.seed(self.seed)
        super().__post_init__()

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds (BnB-EQ): forces, or a closed tree, or undecided."""
        return _PaperTest(problem, self, p=float(self.p)).run()

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d (BnB-OPT with g = -d), with a certified bound."""
        if not problem.load.any():
            raise InputError("is zero", where="load", fix="give a load to multiply")
        return _PaperMaximum(problem, self, p=None).run()


class _PaperSearch(MethodRun):
    """What a test and a maximum share: hierarchies, programs, where forces lie, which unit to split."""

    method: PaperBranchAndBound

    def __init__(self, problem: ContactProblem, method: PaperBranchAndBound, *, p: float | None) -> None:
        super().__init__(problem, method)
        self.trees = [shape_tree(problem.pieces(i)) for i in range(problem.contacts)]
        self.root: State = tuple(self.trees[contacts[0]].root for contacts in problem.units)
        backend = BACKENDS[method.backend]
        self.relaxation = StateRelaxation(problem, self.trees, backend, p=p, epsilon=method.epsilon)

    @property
    def time_left(self) -> float:
        """Seconds to go, always more than 0."""
        return max(1e-3, self.method.time_limit - self.seconds)

    def locate(self, forces: Array) -> Array:
        """(units,) the piece in which the local forces (k, 3) of each unit lie, or -1."""
        problem = self.problem
        outside = np.full((max(problem.piece_counts), problem.contacts), np.inf)
        for shape, pieces in enumerate(problem.shapes):
            members = np.nonzero(problem.shape_of == shape)[0]
            outside[: len(pieces), members] = self.trees[members[0]].violations(forces[members])
        outside = np.maximum.reduceat(outside, problem.layout.unit_starts[:-1], axis=1)
        best = outside.argmin(axis=0)
        return np.where(outside[best, np.arange(len(best))] <= INSIDE, best, -1)

    def farthest(self, state: State, forces: Array, located: Array) -> int | None:
        """The unit to split: argmax of dist(f_u, F_u) over nodes with children; None when there is none.

        Where the forces of every unit lie in a piece but the answer could not be confirmed, the largest node is split.
        """
        inner = [u for u, node in enumerate(state) if node.children]
        if not inner:
            return None
        outside = [u for u in inner if located[u] < 0]
        if outside:
            return max(outside, key=lambda u: min(self._distance(u, (j,), forces) for j in self.root[u].pieces))
        return max(inner, key=lambda u: len(state[u].pieces))

    def _distance(self, unit: int, pieces: tuple[int, ...], forces: Array) -> float:
        """Largest signed distance [N] of a unit's forces from their contacts' hulls of these pieces."""
        hulls = [(i, self.trees[i].node(*pieces).hull) for i in self.problem.units[unit]]
        return max(float(hull.signed_distance(forces[i])) for i, hull in hulls)


def _masks(state: Sequence[Node]) -> tuple[int, ...]:
    return tuple(map(mask_of, state))


def _with(state: State, unit: int, node: Node) -> State:
    return (*state[:unit], node, *state[unit + 1 :])


class _PaperTest(_PaperSearch):
    """BnB-EQ: depth first, the child nearer to the forces first. A stack stands for the recursion."""

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
            if relaxed.outcome is RelaxationOutcome.SEPARATED and relaxed.multipliers is not None:  # line 3
                leaves.append(Leaf(_masks(state), relaxed.multipliers))
                continue
            if relaxed.forces is None:
                unsure = True
                continue
            located = self.locate(relaxed.forces)
            if (located >= 0).all():  # line 5
                found = self.relaxation.finish(located, relaxed.forces, 1.0, Status.HOLDS)
                if found is not None:
                    return self.finished(found)
            unit = self.farthest(state, relaxed.forces, located)  # line 6
            if unit is None:  # one piece per unit, and yet its forces fail the checks
                opinion = self.relaxation.second_test(_masks(state))
                if opinion.outcome is RelaxationOutcome.SEPARATED and opinion.multipliers is not None:
                    leaves.append(Leaf(_masks(state), opinion.multipliers))
                else:
                    unsure = True
                continue
            first, second = state[unit].children  # line 7
            if self._distance(unit, second.pieces, relaxed.forces) < self._distance(unit, first.pieces, relaxed.forces):
                first, second = second, first  # line 8
            stack += [_with(state, unit, second), _with(state, unit, first)]  # lines 10 and 12
        if unsure:
            return self.finished(Solution(Status.UNDECIDED, -np.inf, np.inf))
        certificate = Certificate(None, tuple(leaves))
        return self.finished(Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=certificate))


class _PaperMaximum(_PaperSearch):
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
                return self.finished(self.best)
            if split is None:
                left_open.append(key)
                continue
            for child in state[split].children:  # lines 21 to 23
                heapq.heappush(queue, (-bound * self.size, next(order), _with(state, split, child)))
        return self._answer([-key / self.size for key in (*left_open, *(key for key, _, _ in queue))])

    def _answer(self, open_bounds: list[float]) -> Solution:
        bound = max([self.closed, self.attained, *open_bounds])
        answer = replace(self.best or Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf), bound=bound)
        if open_bounds or not (bound == -np.inf or self._is_near(bound)):
            return self.finished(replace(answer, status=Status.UNDECIDED))
        return self.finished(replace(answer, certificate=Certificate(bound, tuple(self.leaves))))

    def _examine(self, state: State, relaxed: RelaxedSolution, bound: float) -> int | None:
        """Lines 9 to 20 for a program with a bound: the unit to split, or None when the state is closed by it."""
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
        """Add a leaf; the second opinion's where one piece per unit is left and the best falls short of the bound.

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
        """Lines 16 to 18: one leaf per unit, that of its forces where they lie in one, else a random one below S_i."""
        pieces = np.array(
            [int(self.random.choice(node.pieces)) if at < 0 else at for node, at in zip(state, located, strict=True)]
        )
        firsts = self.problem.layout.unit_starts[:-1]
        leaves = tuple(self.trees[i].node(int(piece)) for i, piece in zip(firsts, pieces, strict=True))
        self._offer(self.relaxation.attain(pieces, leaves, time_limit=self.time_left))

    def _grow(self, state: State, relaxed: RelaxedSolution) -> int | None:
        """For a program without a limit: try each unit's heaviest piece, then split where rays mix most."""
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
        """Whether the best found is the largest up to epsilon (1 + |g|), or up to the tolerance of the programs."""
        return self.best is not None and bound - self.attained <= self.relaxation.allowance(bound)
