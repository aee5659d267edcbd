"""The exact method: compiled dual simplex and branch and bound, with the reference method as fallback.

The kernels close a leaf only by fresh support functions and check the balance of their forces again; what does
not pass is discarded. Where they cannot answer (pieces without the zero force, rounding) the reference method does;
`SolverStats.referee` says so. A load that reaches the cut of a ray is tested again on the rays alone: what these carry
has no limit. Convex volumes on many bodies are left to the sparse `InteriorPoint`, whose answers carry the same proofs.

`Variants` solves one layout's shapes under many other maps and loads without new lookup tables. A contact that is
stronger, stands elsewhere or has more friction than planned has the same force volume seen through another map:
f = D g with g in the volume as planned, so that its columns are multiplied by D. The tables of the volumes, which are
costly, stay; only the rows of the linear program are new. Every variant is solved alone, from the same multipliers:
its answer does not depend on those before it.
"""

from __future__ import annotations

import itertools
import logging
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ... import tolerances
from ...checks import Array, BoolArray, IntArray
from ...compiling import clock, mode
from ...errors import SolverError
from ...geometry.polytopes import Polytope
from ..certificates import Certificate, Count, Leaf, LeafArrays, least_factor
from ..interior_point import InteriorPoint
from ..problem import ContactProblem, Layout, Solution, SolverMethod, SolverStats, Status
from ..relaxation import singles
from .counting import counted_model, find_counts
from .model import FIRST_LEAVES, Model, Workspace, item_sizes
from .search import BROKEN, CAPPED, FINISHED, FULL, HELD, LEAVES, NODES, PAUSED, PIVOTS, PROGRAMS, solve
from .simplex import ROOT, SimplexProgram, Y
from .support_tables import PIECES, fill_cells

if TYPE_CHECKING:
    from collections.abc import Callable

LOG = logging.getLogger(__name__)

#: Nodes of a first attempt, and how many of them may be open at a time; each further attempt has `GROWTH` times as many
#: nodes, or space for as many more leaves. Before the second attempt there is one, of as many nodes, that branches on
#: counts, too.
FIRST_NODES, OPEN_NODES, GROWTH = 300, 100, 8

#: The same while the kernels are interpreted.
INTERPRETED_NODES, INTERPRETED_GROWTH = 96, 3

#: Nodes for each load of a batch; loads that need more, or more than `OPEN_NODES` open ones, are asked again, alone.
BATCH_NODES = 600

#: Leaves for each node that a search of many nodes has room for.
LEAVES_PER_NODE = 8

#: Choices of pieces up to which all are tried by the sparse method where the kernels fail on several bodies.
EVERY_CHOICE = 64

#: So many questions are asked with limits of joints, and so many may be asked in vain without them; then this share of
#: the trials may be.
JOINTS_FIRST, JOINTS_SHARE = 4, 0.25

#: Loads of a batch that are tried first without limits of joints.
JOINTS_BATCH = 64

#: A factor that a search began at comes back from the units of the kernels with this relative error at most.
FLOOR_ROUNDING = 4.0 * tolerances.EPSILON

#: More loads than this are worth compiled kernels.
FEW_LOADS = 4

Question = Literal["test", "maximise"]

#: Leaves, and the counts that they use.
Proof = tuple[LeafArrays, tuple[Count, ...]]


class Batch(NamedTuple):
    """The kernels' answers to q loads."""

    outcomes: IntArray  # (q,) see `search`
    factors: Array  # (q,) load factors attained
    bounds: Array  # (q,) no larger factor is possible: by the leaves of a finished search, by its root otherwise
    residuals: Array  # (q,) largest violation of a row by the forces, relative to the load or the forces
    forces: Array  # (q, k, 3) local forces [N] that carry the factor
    pieces: IntArray  # (q, k)
    multipliers: Array  # (q, m) of the root, over the rows of the layout (of the model, inside); zeros: none

    @classmethod
    def empty(cls, count: int, contacts: int, rows: int) -> Batch:
        """Arrays for the answers to `count` loads; all are open at first."""
        factors, bounds, residuals = np.zeros((3, count))
        forces, pieces = np.zeros((count, contacts, 3)), np.zeros((count, contacts), dtype=np.int64)
        outcomes = np.empty(count, dtype=np.int64)
        outcomes.fill(PAUSED)
        return cls(outcomes, factors, bounds, residuals, forces, pieces, np.zeros((count, rows)))

    def judge_bodies(self, problem: Callable[[int], ContactProblem]) -> None:
        """Make the residuals of several bodies relative to the load and the forces on each of them.

        The kernels compare with the largest force of all bodies. `problem(i)` is the problem of answer i.
        """
        for i in np.nonzero(np.isfinite(self.factors) & (self.outcomes != PAUSED))[0]:
            own = problem(int(i))
            self.residuals[i] = max(self.residuals[i], own.relative_residual(self.forces[i], float(self.factors[i])))

    @property
    def floor(self) -> float:
        """The factor of the only answer, where its forces are in balance; a later search need not look below it."""
        return float(self.factors[0]) if self.residuals[0] <= tolerances.FEASIBILITY else -np.inf

    def keep_better(self, earlier: Batch) -> None:
        """Use the forces of an earlier answer to the only load, whose factor this one began at, unless it is better."""
        if self.factors[0] <= earlier.floor * (1.0 + FLOOR_ROUNDING):
            for own, theirs in ((self.factors, earlier.factors), (self.residuals, earlier.residuals)):
                own[0] = theirs[0]
            self.forces[0], self.pieces[0] = earlier.forces[0], earlier.pieces[0]

    def forces_of(self, question: Question) -> Array:
        """(q, k, 3) the forces that answer the question: a test asks about the load itself, not about the factor."""
        scaled = (self.outcomes == HELD) & np.isfinite(self.factors) & (question == "test")
        return self.forces / np.where(scaled, self.factors, 1.0)[:, None, None]

    def put(self, where: slice | Array, answers: Batch) -> None:
        """Write answers to some of the loads."""
        for own, theirs in zip(self, answers, strict=True):
            own[where] = theirs

    def in_layout_rows(self, model: Model, rows: int) -> Batch:
        """The same with multipliers over all rows of the layout instead of those that the model keeps."""
        multipliers = np.zeros((len(self.outcomes), rows))
        multipliers[:, model.scales.kept] = self.multipliers
        return self._replace(multipliers=multipliers)


class SearchSettings(NamedTuple):
    """What a search is asked for, in the order that the kernel takes it."""

    is_test: bool  # whether d = 1 holds; else the largest d
    gap: float
    rounding: bool  # whether shrinking all forces together keeps them admissible
    nodes: int
    open_nodes: int  # at a time


class JointTrials:
    """How often questions were first answered without limits of joints, and whether that pays.

    Forces that are within the limits anyway answer the question with them, too, and so does a proof that no forces do.
    The rows of joints make every pivot dearer, and in many grips they seldom matter.
    """

    __slots__ = ("asked", "outside", "tried")

    def __init__(self, asked: int = 0) -> None:
        self.asked, self.tried, self.outside = asked, 0, 0

    @property
    def pay(self) -> bool:
        """Whether to try again."""
        return self.asked > JOINTS_FIRST and self.outside <= JOINTS_SHARE * self.tried + JOINTS_FIRST

    def add(self, within: Array) -> None:
        """Count trials by whether they were within the limits."""
        self.tried += len(within)
        self.outside += int((~within).sum())


class WarmStart:
    """What a query leaves for the next one of the same assembly, or of a similar one: the place to start from."""

    __slots__ = ("_without_joints", "model", "trials", "warm", "workspace")

    def __init__(self, asked: int = 0) -> None:
        self.model: Model | None = None
        self.workspace: Workspace | None = None
        self.warm = False
        self.trials = JointTrials(asked)
        self._without_joints: WarmStart | None = None

    @property
    def without_joints(self) -> WarmStart:
        """The same for questions without limits of joints."""
        if self._without_joints is None:
            self._without_joints = WarmStart()
        return self._without_joints

    def multipliers(self, model: Model) -> Array | None:
        """The last multipliers, as a start for another model with the same rows; None when there are none."""
        if self.model is None or self.workspace is None or not self.warm:
            return None
        y = self.workspace.frames.vectors[ROOT, Y].copy()
        return y if len(y) == len(model.scales.kept) else None


@dataclass(frozen=True, kw_only=True)
class Exact(SolverMethod):
    """Globally optimal over unions of convex pieces, to a stated gap.

    Attributes:
        gap: relative gap at which a load limit counts as found.
        node_limit: nodes of the search before the answer is "undecided".
        time_limit: seconds before the answer is "undecided". The search is repeated with more and more nodes, as many
            as the time that is left allows at the pace so far; a single attempt is not interrupted.
    """

    gap: float = tolerances.GAP
    node_limit: int = 200_000
    time_limit: float = 60.0

    def test(self, problem: ContactProblem, warm_start: WarmStart | None = None) -> Solution:
        """Whether d = 1 holds: forces, or a closed tree, or undecided."""
        began = clock()
        layout = problem.layout
        if layout.is_sparse:
            LOG.debug("exact method: %d convex contacts, solved by the interior-point method", problem.contacts)
            return self._interior.test(problem)
        if not layout.fits_kernels:
            return self._referee(began, problem, "test")
        if not problem.load.any() and layout.bounds_hold_zero:
            zeros = np.zeros((problem.contacts, 3))
            return Solution(Status.HOLDS, 1.0, np.inf, zeros, np.zeros(problem.contacts, dtype=np.int64))
        free, tried = self._without_joints(problem, "test", warm_start)
        if free is not None:
            return free
        model = layout.model(problem.load, test=True)
        found, leaves, effort = self._search(model, problem, "test", warm_start, began)
        effort = effort.after(tried)
        if found.outcomes[0] == HELD and found.residuals[0] <= tolerances.FEASIBILITY:
            forces = found.forces[0] / found.factors[0]
            return Solution(Status.HOLDS, 1.0, np.inf, forces, found.pieces[0], effort=effort)
        if found.outcomes[0] == FINISHED:
            certificate = Certificate(None, *leaves)
            return Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=certificate, effort=effort)
        if found.outcomes[0] in (PAUSED, FULL):
            return Solution(Status.UNDECIDED, float(found.factors[0]), float(found.bounds[0]), effort=effort)
        if found.outcomes[0] == HELD and layout.balance > 6:  # but not every body is in balance by its own measure
            fixed = self._interior.test(problem.with_pieces(found.pieces[0]))
            if fixed.status is Status.HOLDS:
                return replace(fixed, pieces=found.pieces[0], effort=effort)
        return self._referee(began, problem, "test")

    def maximise(self, problem: ContactProblem, warm_start: WarmStart | None = None) -> Solution:
        """The largest d, with a certified bound."""
        began, layout = clock(), problem.layout
        if layout.is_sparse:
            return self._interior.maximise(problem)
        if not layout.fits_kernels:
            return self._referee(began, problem, "maximise")
        free, tried = self._without_joints(problem, "maximise", warm_start)
        if free is not None:
            return free
        model = layout.model(problem.load, test=False)
        found, leaves, effort = self._search(model, problem, "maximise", warm_start, began)
        effort = effort.after(tried)
        outcome, factor, forces = found.outcomes[0], float(found.factors[0]), found.forces[0]
        if outcome == FINISHED and layout.balance > 6 and found.residuals[0] > tolerances.FEASIBILITY:
            fixed = self._interior.maximise(problem.with_pieces(found.pieces[0]))
            if fixed.status is Status.OPTIMAL and fixed.forces is not None:
                factor, forces = fixed.factor, fixed.forces
                found.factors[0], found.forces[0], found.residuals[0] = factor, forces, 0.0
        if outcome not in (FINISHED, PAUSED, FULL) or found.residuals[0] > tolerances.FEASIBILITY:
            endless, growth, pieces = self._endless(layout, loads=problem.load[None])
            if endless[0]:
                zeros = np.zeros_like(growth[0])
                return Solution(Status.UNBOUNDED, 0.0, np.inf, zeros, pieces[0], growth=growth[0], effort=effort)
            return self._referee(began, problem, "maximise")
        if outcome != FINISHED:
            attained = (forces, found.pieces[0]) if factor > -np.inf else (None, None)
            return Solution(Status.UNDECIDED, factor, float(found.bounds[0]), *attained, effort=effort)
        if factor == -np.inf:
            certificate = Certificate(-np.inf, *leaves)
            if not certificate.verify(problem):  # what excludes every factor is within rounding of the volumes
                return self._referee(began, problem, "maximise")
            return Solution(Status.DOES_NOT_HOLD, factor, factor, certificate=certificate, effort=effort)
        claim = max(float(found.bounds[0]), factor)
        if self.leaves_gap(problem, found, 0):
            return self._referee(began, problem, "maximise")
        if layout.balance > 6 and problem.combinations == 1 and claim - factor > self.gap * abs(factor):
            closer = self._interior.maximise(problem)  # strong contacts elsewhere set the kernels' rounding
            if closer.status is Status.OPTIMAL and closer.bound - closer.factor < claim - factor:
                return closer
        certificate = Certificate(claim, *leaves)
        return Solution(Status.OPTIMAL, factor, claim, forces, found.pieces[0], certificate=certificate, effort=effort)

    def many(self, layout: Layout, loads: Array, question: Question) -> Batch:
        """Many loads (q, m) of one layout, each from the root of an earlier one; factors count multiples of the loads.

        Releases the interpreter lock, so that several threads may share the work. Entries that the kernels left open
        have outcomes other than HELD (of tests) and FINISHED. Where there is no limit, the factor is inf.
        """
        contacts, rows = len(layout.shape_of), loads.shape[1]
        if not len(loads) or not layout.fits_kernels or layout.is_sparse:
            return Batch.empty(len(loads), contacts, rows)
        if len(loads) > FEW_LOADS:
            compile_kernels()
        batch, done = Batch.empty(len(loads), contacts, rows), np.zeros(len(loads), dtype=bool)
        if layout.without_joint_limits is not None:
            trials, begin, count = JointTrials(len(loads)), 0, JOINTS_BATCH
            while begin < len(loads) and trials.pay:
                some = slice(begin, begin + count)
                found = self.many(layout.without_joint_limits, loads[some], question)
                within = found.outcomes > HELD  # open ones stay open
                if question == "test":
                    within |= found.outcomes == FINISHED
                within |= layout.within_joint_limits(found.forces_of(question))
                trials.add(within)
                batch.put(some, found)
                done[some], begin, count = within, begin + count, len(loads)
        if not done.all():
            batch.put(~done, self._many(layout, loads[~done], question))
        left = np.nonzero(batch.outcomes == CAPPED)[0]
        if question == "maximise" and len(left):
            endless, _, pieces = self._endless(layout, loads[left])
            where, zeros = left[endless], Batch.empty(int(endless.sum()), contacts, rows)
            zeros.outcomes[:], zeros.factors[:], zeros.bounds[:] = FINISHED, np.inf, np.inf
            batch.put(where, zeros._replace(pieces=pieces[endless]))
        return batch

    def _endless(self, layout: Layout, loads: Array) -> tuple[BoolArray, Array, IntArray]:
        """Which loads (q, m) rays alone carry, so that they have no limit; local forces (q, k, 3) that do, and pieces.

        False where rays were not tried (`Layout.recession`) or what they leave is more than rounding of the load.
        """
        cones = layout.recession
        if cones is None:
            empty = Batch.empty(len(loads), len(layout.shape_of), 0)
            return np.zeros(len(loads), dtype=bool), empty.forces, empty.pieces
        found = self._many(cones, loads, "test")
        growth, carried = found.forces_of("test"), found.outcomes == HELD
        for i in np.nonzero(carried)[0]:
            left = ContactProblem(cones, loads[i]).residual(growth[i], 1.0)
            carried[i] = left <= tolerances.FEASIBILITY * np.abs(loads[i]).max()
        return carried, growth, found.pieces

    def _many(self, layout: Layout, loads: Array, question: Question) -> Batch:
        """`many` by one model."""
        model = layout.model(loads[np.abs(loads).max(axis=1).argmax()], test=question == "test")
        workspace, settings = model.take_workspace(), self.settings(layout, question)
        if not solve.is_interpreted:
            settings = settings._replace(nodes=min(BATCH_NODES, self.node_limit))
        batch, _ = _ask(model, workspace, loads, settings)
        model.idle_workspaces.append(workspace)
        if layout.balance > 6:
            batch.judge_bodies(lambda i: ContactProblem(layout, loads[i]))
        return batch.in_layout_rows(model, loads.shape[1])

    def _without_joints(
        self, problem: ContactProblem, question: Question, warm_start: WarmStart | None
    ) -> tuple[Solution | None, SolverStats]:
        """The answer without limits of joints, if it is one with them: forces within them, or a proof without them.

        None otherwise, and for questions without a memory, whose answers depend on nothing that was asked before. Also
        returns what a trial in vain cost.
        """
        if warm_start is None:
            return None, SolverStats()
        layout, trials = problem.layout, warm_start.trials
        trials.asked += 1
        if not trials.pay or layout.without_joint_limits is None:
            return None, SolverStats()
        memory = warm_start.without_joints
        free = ContactProblem(layout.without_joint_limits, problem.load)
        found = self.test(free, memory) if question == "test" else self.maximise(free, memory)
        within = found.status is Status.DOES_NOT_HOLD
        if found.forces is not None and found.status in (Status.HOLDS, Status.OPTIMAL):
            within = bool(layout.within_joint_limits(found.forces[None])[0])
        trials.add(np.array([within]))
        return (found if within else None), found.effort

    def settings(self, layout: Layout, question: Question) -> SearchSettings:
        """What the kernels are asked for at first."""
        is_test = question == "test"
        nodes = INTERPRETED_NODES if solve.is_interpreted else FIRST_NODES
        rounding = is_test or layout.bounds_hold_zero
        return SearchSettings(is_test, self.gap, rounding, *self._first_nodes(nodes))

    def _first_nodes(self, nodes: int) -> tuple[int, int]:
        """Nodes of a first attempt, and how many may be open at a time: all where there will be no second attempt."""
        return (nodes, OPEN_NODES) if nodes < self.node_limit else (self.node_limit, self.node_limit)

    def leaves_gap(self, problem: ContactProblem, batch: Batch, index: int) -> bool:
        """Whether a finished search for the largest factor has left more than the gap.

        Its perturbations were too large: they are made small against the first bound, which may be very much larger
        than the answer.
        """
        factor, bound = float(batch.factors[index]), float(batch.bounds[index])
        if batch.outcomes[index] != FINISHED or factor == -np.inf:
            return False
        excess = bound - factor - self.gap * abs(factor)
        return excess > 0.0 and excess > least_factor(problem)

    @property
    def _interior(self) -> InteriorPoint:
        return InteriorPoint(gap=self.gap, time_limit=self.time_limit)

    def _referee(self, began: float, problem: ContactProblem, question: Question) -> Solution:
        """The reference method's answer, within what is left of the time."""
        from ..reference import Reference

        left = max(1e-3, self.time_limit - (clock() - began))
        LOG.info("exact method: left open after %.3g s; falling back on the reference method", clock() - began)
        if problem.layout.balance > 6 and problem.combinations <= EVERY_CHOICE:
            solution = self._every_choice(problem, question)
            if solution.status is not Status.UNDECIDED:
                return replace(solution, effort=replace(solution.effort, referee=True, seconds=clock() - began))
        method = Reference(gap=self.gap, time_limit=left)
        try:
            solution = method.test(problem) if question == "test" else method.maximise(problem)
        except SolverError:  # a linear program that its solver gave up on: nothing is known
            solution = Solution(Status.UNDECIDED, -np.inf, np.inf)
        effort = replace(solution.effort, referee=True, seconds=clock() - began)
        return replace(solution, effort=effort)

    def _every_choice(self, problem: ContactProblem, question: Question) -> Solution:
        """Every choice of one piece per unit as a convex problem of its own, for the sparse method."""
        best, leaves, decided = Solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf), [], True
        bound, programs, pivots = -np.inf, 0, 0
        for choice in itertools.product(*map(range, problem.piece_counts)):
            pieces = np.array(choice, dtype=np.int64)[problem.unit_of]
            part = problem.with_pieces(pieces)
            found = self._interior.test(part) if question == "test" else self._interior.maximise(part)
            programs, pivots = programs + found.effort.programs, pivots + found.effort.pivots
            effort = SolverStats(programs=programs, nodes=len(leaves) + 1, pivots=pivots)
            found = replace(found, pieces=None if found.forces is None else pieces, effort=effort)
            if found.status in (Status.HOLDS, Status.UNBOUNDED):
                return found
            decided, bound = decided and found.status is not Status.UNDECIDED, max(bound, found.bound)
            best = found if found.factor > best.factor else replace(best, effort=effort)
            if found.certificate is not None:
                leaves.append(Leaf(singles(choice), found.certificate.leaves[0].multipliers))
        if not decided:
            return replace(best, status=Status.UNDECIDED, bound=bound, certificate=None)
        return replace(best, bound=bound, certificate=Certificate(None if question == "test" else bound, tuple(leaves)))

    def _search(
        self, model: Model, problem: ContactProblem, question: Question, warm_start: WarmStart | None, began: float
    ) -> tuple[Batch, Proof, SolverStats]:
        """Run the kernels, with more nodes and larger workspaces while needed."""
        prepared, limited_from = clock(), began
        settings, leaves = self.settings(problem.layout, question), FIRST_LEAVES
        loads = problem.load.reshape(1, -1)
        warm, guess, expected, restarted, counted, earlier = False, None, 0.0, False, None, None
        smallest = least_factor(problem) / self.gap  # smaller factors may leave as large a gap as this one
        if warm_start is None:
            workspace = model.take_workspace()
        else:
            if warm_start.model is not model or warm_start.workspace is None:
                guess = warm_start.multipliers(model)
                warm_start.model, warm_start.workspace, warm_start.warm = (
                    model,
                    model.new_workspace(FIRST_LEAVES),
                    False,
                )
            workspace, warm = warm_start.workspace, warm_start.warm
        lent = workspace
        while True:
            asked, interpreted = clock(), solve.is_interpreted
            cold = not warm and (guess is None or restarted)
            if expected:
                settings = settings._replace(gap=0.5 * self.gap)
            floor = -np.inf if earlier is None else earlier.floor
            batch, warm = _ask(model, workspace, loads, settings, warm, guess, expected, floor)
            if earlier is not None:
                batch.keep_better(earlier)
            if problem.layout.balance > 6:
                batch.judge_bodies(lambda _: problem)
            now, nodes = clock(), settings.nodes
            affordable = int(nodes * (self.time_limit - (now - limited_from)) / (now - asked))  # nodes in the time left
            paused, growth = batch.outcomes[0] == PAUSED, INTERPRETED_GROWTH if interpreted else GROWTH
            hard = nodes >= affordable or not solve.allows(growth * (now - asked))
            if paused and interpreted and hard and mode() == "auto" and nodes < self.node_limit:
                compile_kernels()  # it pays; time limits are for compiled kernels
                limited_from = clock()
                first, most_open = self._first_nodes(FIRST_NODES)
                settings = settings._replace(nodes=first, open_nodes=most_open)
            elif paused and nodes < min(self.node_limit, affordable):
                nodes = min(growth * nodes, self.node_limit, affordable)
                settings = settings._replace(nodes=nodes, open_nodes=nodes)
                earlier = batch if question == "maximise" else None
                if counted is None and not interpreted:
                    left = self.time_limit - (clock() - limited_from)
                    counted = self._count(model, problem, question, settings, batch, left)
                    if counted.closed is not None:
                        batch, warm = counted.batch, False
                        break
                leaves = max(leaves, LEAVES_PER_NODE * settings.nodes)
                workspace = model.new_workspace(leaves)
            elif batch.outcomes[0] == FULL and nodes < affordable:
                leaves *= GROWTH
                workspace = model.new_workspace(leaves)
            elif question == "maximise" and not expected and self.leaves_gap(problem, batch, 0):
                expected = max(abs(float(batch.factors[0])), smallest)
            elif batch.outcomes[0] == BROKEN and not cold:  # an earlier answer was a bad start
                guess = None
            elif batch.outcomes[0] == BROKEN and question == "maximise" and not expected and batch.factors[0] > -np.inf:
                expected = max(abs(float(batch.factors[0])), smallest)  # other perturbations, another way
            elif batch.outcomes[0] == BROKEN and not restarted:  # another start, another way
                guess, restarted = -problem.load[model.scales.kept], True
            else:
                break
            warm = False
        counts, closed = workspace.state.counts.tolist(), (_leaves(model, workspace, problem), ())
        if counted is not None:
            counts, closed = (counted.effort + workspace.state.counts).tolist(), counted.closed or closed
        if warm_start is None:
            model.idle_workspaces.append(lent)
        else:
            warm_start.warm = warm and workspace is lent
        ended = clock()
        effort = SolverStats(
            programs=counts[PROGRAMS],
            nodes=counts[NODES],
            seconds=ended - began,
            pivots=counts[PIVOTS],
            stages={"prepare": prepared - began, "search": ended - prepared},
        )
        return batch, closed, effort

    def _count(
        self,
        model: Model,
        problem: ContactProblem,
        question: Question,
        settings: SearchSettings,
        first: Batch,
        left: float,
    ) -> Counted:
        """Search again with counts that suit the root of a first attempt, with more nodes while `left` [s] allows."""
        layout = problem.layout
        y = np.zeros(problem.rows)
        y[model.scales.kept] = first.multipliers[0]
        counts = find_counts(layout, y) if layout.balance == 6 and y.any() else ()
        if not counts:
            return Counted(first, None, np.zeros(5, dtype=np.int64))
        lifted = counted_model(model, model.tables, layout, counts)
        loads, guess = np.concatenate([problem.load, [0.0]]).reshape(1, -1), np.zeros(len(lifted.scales.kept))
        guess[lifted.own_rows] = first.multipliers[0]
        floor = first.floor if question == "maximise" else -np.inf
        while True:
            workspace, asked = lifted.new_workspace(max(FIRST_LEAVES, LEAVES_PER_NODE * settings.nodes)), clock()
            found, _ = _ask(lifted, workspace, loads, settings, start_y=guess, floor=floor)
            spent = clock() - asked
            left -= spent
            if found.outcomes[0] != PAUSED or settings.nodes >= self.node_limit or GROWTH * spent > left:
                break
            settings = settings._replace(nodes=min(GROWTH * settings.nodes, self.node_limit))
        own = found._replace(forces=found.forces[:, lifted.own_contacts], pieces=found.pieces[:, lifted.own_contacts])
        # The kernels compare with the largest force, and counts are among these.
        if question == "maximise":
            own.keep_better(first)
        factor = float(own.factors[0])
        if question == "test" and factor > 0.0:
            own.residuals[0] = problem.relative_residual(own.forces[0] / factor, 1.0)
        elif factor > -np.inf:
            own.residuals[0] = problem.relative_residual(own.forces[0], factor)
        sound = own.residuals[0] <= tolerances.FEASIBILITY
        if question == "test":
            ended = own.outcomes[0] == FINISHED or (own.outcomes[0] == HELD and sound)
        else:
            ended = own.outcomes[0] == FINISHED and sound and not self.leaves_gap(problem, own, 0)
        closed = (lifted.leaves(workspace, layout), counts) if ended else None
        return Counted(own, closed, workspace.state.counts)


class Counted(NamedTuple):
    """What a search with counts found.

    Attributes:
        batch: its answer.
        closed: its proof; None where it did not end.
        effort: (5,) what it counted of its work.
    """

    batch: Batch
    closed: Proof | None
    effort: IntArray


def compile_kernels() -> None:
    """Compile the kernels now, or load them from where they are stored, unless everything is to be interpreted."""
    fill_cells.compile()
    solve.compile()
    if not solve.is_interpreted:
        _solve_trivial()


@cache
def _solve_trivial() -> None:
    """A problem that needs every kernel: one contact at the origin."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    maps, zeros = np.zeros((1, 6, 3)), np.zeros(6)
    maps[0, :3] = np.eye(3)
    layout = Layout(((Polytope(corners),),), np.zeros(1, dtype=np.int64), maps, zeros, zeros, np.ones(6))
    load = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    model = layout.model(load, test=True)
    _ask(model, model.take_workspace(), load, SearchSettings(True, tolerances.GAP, True, 1, 1))


def _ask(
    model: Model,
    workspace: Workspace,
    loads: Array,
    settings: SearchSettings,
    warm: bool = False,
    start_y: Array | None = None,
    expected: float = 0.0,
    floor: float = -np.inf,
) -> tuple[Batch, bool]:
    """Give loads (q, rows of the layout) to the kernels; also returns whether the workspace has a basis now."""
    rows = len(model.scales.kept)
    batch = Batch.empty(len(loads), model.contacts, rows)
    y = np.zeros(rows) if start_y is None else start_y
    arguments = (model.program, model.scales, workspace, loads, *settings, warm, y, expected, floor, batch)
    return batch, _solve(model, *arguments)


def _solve(model: Model, *arguments: Any) -> bool:
    """`solve` with the tables it wants: only compiled kernels look vertices up in cells, which take time to make."""
    interpreted = solve.is_interpreted
    return solve.form(interpreted)(model.hulls if interpreted else model.tables, *arguments)


def _leaves(model: Model, workspace: Workspace, problem: ContactProblem) -> LeafArrays:
    """The leaves of the last search, in the rows of the problem."""
    count = int(workspace.state.counts[LEAVES])
    multipliers = workspace.state.leaf_y[:count].copy()
    if len(model.scales.kept) < problem.rows:
        multipliers = np.zeros((count, problem.rows))
        multipliers[:, model.scales.kept] = workspace.state.leaf_y[:count]
    masks = workspace.state.leaf_masks[:count, problem.layout.unit_starts[:-1]]
    return LeafArrays(masks, multipliers, workspace.state.leaf_bound[:count].copy())


@dataclass(frozen=True, eq=False)
class Variants:
    """What the variants of one layout share.

    Attributes:
        layout: the shapes, the bounds, and the maps that the variants are near to. Where variants choose among
            shapes, `shape_of` names for each contact the one with the most pieces.
        load: (m,) the load that the variants' loads are near to; where their searches start from.
    """

    layout: Layout
    load: Array
    _widened: dict[int, Layout] = field(default_factory=dict, init=False, repr=False)

    def problem(self, maps: Array, load: Array, shape_of: IntArray | None = None) -> ContactProblem:
        """One variant as a problem of its own, for any method: maps (k, m, 3), load (m,), shapes (k,)."""
        shapes = self.layout.shape_of if shape_of is None else shape_of
        blocks = np.ascontiguousarray(maps)
        return ContactProblem(replace(self.layout, blocks=blocks, touched=None, shape_of=shapes), load)

    def many(
        self, method: Exact, maps: Array, loads: Array, question: Question, shape_of: IntArray | None = None
    ) -> Batch:
        """The kernels' answers to q variants with r loads each; one entry per load, variant after variant.

        Releases the interpreter lock while it searches. Entries that the kernels left open have outcomes other than
        HELD (of tests) and FINISHED, as in `Exact.many`.

        Args:
            method: gap and limits of the search.
            maps: (q, k, m, 3) local forces to the scaled rows.
            loads: (q, r, m) in the scaled rows.
            question: "test" or "maximise".
            shape_of: (q, k) shape of each contact, or None for the layout's.
        """
        q, r, m = loads.shape
        k = len(self.layout.shape_of)
        if not q * r or not self.layout.fits_kernels or self.layout.is_sparse:
            return Batch.empty(q * r, k, m)
        if q * r > FEW_LOADS:
            compile_kernels()
        flat = np.array(loads.reshape(q * r, m), dtype=np.float64)
        layout = self._reaching(maps)
        model = layout.model(flat[np.abs(flat).max(axis=1).argmax()], test=question == "test")
        workspace = model.take_workspace()
        start = self._start(method, model, workspace, question)
        batch = Batch.empty(q * r, k, len(model.scales.kept))
        settings = method.settings(self.layout, question)
        for i, (program, masks) in enumerate(_programs(model, maps, shape_of)):
            some = slice(i * r, (i + 1) * r)
            scales = model.scales if masks is None else model.scales._replace(masks=masks)
            own = Batch(*(array[some] for array in batch))
            _solve(model, program, scales, workspace, flat[some], *settings, False, start, 0.0, -np.inf, own)
        model.idle_workspaces.append(workspace)
        if self.layout.balance > 6:
            batch.judge_bodies(
                lambda i: self.problem(maps[i // r], flat[i], None if shape_of is None else shape_of[i // r])
            )
        return batch.in_layout_rows(model, m)

    def _reaching(self, maps: Array) -> Layout:
        """The layout, its maps enlarged so that one-sided rows are cut off beyond what these maps can push them to."""
        one_sided = np.isinf(self.layout.lower) != np.isinf(self.layout.upper)
        if not one_sided.any():
            return self.layout
        own = np.linalg.norm(self.layout.maps, axis=2).max(axis=1)
        theirs = np.linalg.norm(maps, axis=3).max(axis=(0, 2))
        ratio = float(np.max(theirs / np.where(own > 0.0, own, 1.0), initial=1.0))
        doublings = int(np.ceil(np.log2(ratio)))
        if doublings not in self._widened:
            self._widened[doublings] = replace(self.layout, blocks=self.layout.blocks * 2.0**doublings)
        return self._widened[doublings]

    def _start(self, method: Exact, model: Model, workspace: Workspace, question: Question) -> Array:
        """(m,) multipliers of the layout itself under its load, where they are known; else zeros."""
        zeros = np.zeros(len(model.scales.kept))
        if not self.load.any():
            return zeros
        load = np.array(self.load, dtype=np.float64).reshape(1, -1)
        _, known = _ask(model, workspace, load, method.settings(self.layout, question))
        return workspace.frames.vectors[ROOT, Y].copy() if known else zeros


def _programs(model: Model, maps: Array, shape_of: IntArray | None) -> list[tuple[SimplexProgram, IntArray | None]]:
    """(linear program, masks of all pieces or None for the model's) of each variant; joint slacks are the model's."""
    (q, k), own = maps.shape[:2], model.program
    m, n = own.rows.shape[0], own.rows.shape[1] // 3
    rows = np.empty((q, m, 3 * n))
    rows[:, :, 3 * k :] = own.rows[:, 3 * k :]
    rows[:, :, : 3 * k] = maps[:, :, model.scales.kept, :].transpose(0, 2, 1, 3).reshape(q, m, 3 * k)
    shapes, masks = np.tile(own.shape_of, (q, 1)), None
    if shape_of is not None:
        shapes[:, :k] = shape_of
        masks = np.tile(model.scales.masks, (q, 1))
        masks[:, :k] = (1 << model.hulls.shapes[shape_of, PIECES]) - 1
    unit, reach = model.scales.unit[0], model.hulls.reach
    return [
        (
            own._replace(rows=rows[i], shape_of=shapes[i], **item_sizes(rows[i], own.points, reach[shapes[i]], unit)),
            None if masks is None else masks[i],
        )
        for i in range(q)
    ]
