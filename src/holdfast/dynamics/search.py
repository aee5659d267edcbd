"""The least |z|^2 over unions of pieces: branch and bound on piece masks, with convex programs at the nodes.

A node is a box of piece choices, one bit mask a contact. Its convex program over hulls bounds all choices in it from
below. Where the forces found happen to lie in single pieces, they are admissible; elsewhere the contacts whose force
mixes pieces are candidates for branching. Nodes are taken in the order of their bounds, so that the search ends with
the best forces, a closed tree of leaves, or the gap that is left.
"""

from __future__ import annotations

import heapq
import itertools
import time
from dataclasses import dataclass

import numpy as np

from .. import checks, tolerances
from ..checks import Array, IntArray
from ..geometry.polytopes import Polytope
from ..solvers import SolverStats
from .certificate import Multipliers, SeparationCertificate, SeparationLeaf, lower_bound, piece_bounds
from .problem import SeparationProblem
from .program import ConvexProgram, Outcome, Relaxed

#: Values of |z|^2 that differ by less than this share of |w|^2 in the norm of B^-1 are the same.
VALUE_FLOOR = 1e-14

#: Weights below this do not count as mixing: they move a force by less than its membership is judged to.
NO_WEIGHT = 0.05 * tolerances.MEMBERSHIP

#: Mixed contacts whose children are both solved before one of them is chosen to branch on.
CANDIDATES = 4

#: A candidate's score: the rise of its worse child's bound counts so many times as that of its better child's.
WORSE_COUNTS = 20.0

#: While no admissible forces are known, a bound above this many |w|^2 rises no further: the box is as good as empty.
CEILING = 1e3

#: Share of the gap at which a box counts as closed; the rest is left to rounding.
CLOSED_SHARE = 0.5

#: A bound that is reckoned again from its multipliers, in another order of sums, differs by less than this share.
PROOF_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Separating:
    """How the least acceleration is searched for.

    Attributes:
        gap: relative gap of the value q''^T B q'' at which it counts as found.
        node_limit: boxes of piece choices before the answer is "undecided".
        time_limit: seconds before the answer is "undecided".
    """

    gap: float = tolerances.GAP
    node_limit: int = 20_000
    time_limit: float = 60.0

    def __post_init__(self) -> None:
        checks.positive("gap", self.gap, high=0.1)
        checks.count("node_limit", self.node_limit)
        checks.positive("time_limit", self.time_limit, unit="s")


@dataclass(frozen=True, eq=False)
class Found:
    """What a search ended with, in the numbers of the problem.

    Attributes:
        value: |z|^2 of the best admissible forces; inf without any.
        bound: no admissible forces give less; inf when there are none.
        closed: whether the gap between the two is as small as was asked for.
        forces: (k, 3) local forces, or None.
        pieces: (k,) the piece each lies in, or None.
        multipliers: those of the best forces' own box: with them they meet the conditions of optimality.
        certificate: the closed tree, or None where it did not close.
        effort: what it cost.
    """

    value: float
    bound: float
    closed: bool
    forces: Array | None
    pieces: IntArray | None
    multipliers: Multipliers | None
    certificate: SeparationCertificate | None
    effort: SolverStats


@dataclass(frozen=True, eq=False)
class _Node:
    """A box, its solved program, and the pieces that contain each contact's force (-1: it mixes pieces)."""

    masks: tuple[int, ...]
    relaxed: Relaxed
    pieces: IntArray


class Search:
    """One search; `run` does it."""

    def __init__(self, problem: SeparationProblem, method: Separating) -> None:
        self.problem = problem
        self.method = method
        self.program = ConvexProgram(problem, method.gap, VALUE_FLOOR)
        self.best: tuple[Relaxed, IntArray] | None = None
        self.nodes = 0
        self._tried: set[tuple[int, ...]] = set()
        self._leaves: list[SeparationLeaf] = []
        self._proven = np.inf
        self._began = time.perf_counter()

    @property
    def value(self) -> float:
        """|z|^2 of the best forces up to now; inf without any."""
        return np.inf if self.best is None else self.best[0].value

    @property
    def cutoff(self) -> float:
        """A box with nothing below this needs no further look."""
        return self.value - CLOSED_SHARE * (self.method.gap * self.value + VALUE_FLOOR) if self.best else np.inf

    @property
    def exhausted(self) -> bool:
        """Whether a limit has been reached."""
        return self.nodes >= self.method.node_limit or time.perf_counter() - self._began > self.method.time_limit

    def run(self) -> Found:
        """The best admissible forces, and the proof that there are no better ones."""
        order = itertools.count()
        heap: list[tuple[float, int, _Node]] = []
        unsure: list[_Node] = []
        waiting = [self._node(self.problem.all_pieces, None)]
        while True:
            for node in waiting:
                if not self._closes(node):
                    heapq.heappush(heap, (node.relaxed.bound, next(order), node))
            if not heap or self.exhausted:
                break
            node = heapq.heappop(heap)[2]
            waiting = []
            if node.relaxed.bound >= self.cutoff:
                self._leaf(node)
            elif all(mask & (mask - 1) == 0 for mask in node.masks):
                unsure.append(node)  # not even one choice of pieces closes: the numbers do not allow it
            else:
                self._round(node)
                waiting = self._branch(node) if node.relaxed.bound < self.cutoff else [node]
        return self._answer([node for *_, node in heap] + unsure)

    def _node(self, masks: tuple[int, ...], parent: _Node | None) -> _Node:
        """Solve a box, and keep its forces when they are admissible and better than the best."""
        self.nodes += 1
        start = None if parent is None else parent.relaxed.basis
        twist = None if parent is None else parent.relaxed.multipliers.motion
        relaxed = self.program.solve(masks, start=start, twist=twist, cutoff=self.cutoff)
        closed = relaxed.outcome is Outcome.INFEASIBLE or relaxed.bound >= self.cutoff
        node = _Node(masks, relaxed, np.full(len(masks), -1) if closed else self._pieces(masks, relaxed))
        if relaxed.value < self.value and (node.pieces >= 0).all():
            self.best = relaxed, node.pieces
        return node

    def _closes(self, node: _Node) -> bool:
        if node.relaxed.bound >= self.cutoff or node.relaxed.outcome is Outcome.INFEASIBLE:
            self._leaf(node)
            return True
        return False

    def _leaf(self, node: _Node) -> None:
        self._leaves.append(SeparationLeaf(node.masks, node.relaxed.multipliers))
        self._proven = min(self._proven, lower_bound(self.problem, node.masks, node.relaxed.multipliers))

    def _pieces(self, masks: tuple[int, ...], relaxed: Relaxed) -> IntArray:
        """(k,) a piece that contains each contact's force; -1 where it lies in none."""
        bits = self.program.common_pieces(relaxed.basis, NO_WEIGHT) & np.array(masks)
        pieces = np.full(len(masks), -1)
        for i in np.nonzero(bits)[0]:
            pieces[i] = (int(bits[i]) & -int(bits[i])).bit_length() - 1
        for i in np.nonzero(bits == 0)[0].tolist():
            for j, piece in enumerate(self.problem.pieces(i)):
                if masks[i] >> j & 1 and _inside(piece, relaxed.forces[i]):
                    pieces[i] = j
                    break
        return pieces

    def _round(self, node: _Node) -> None:
        """Fix every contact to the piece that has most of its force, and solve again."""
        fixed = list(node.masks)
        for i, piece in enumerate(node.pieces):
            if piece < 0:
                allowed = [j for j in range(len(self.problem.pieces(i))) if node.masks[i] >> j & 1]
                shares = self.program.piece_shares(node.relaxed.basis, i)
                piece = max(allowed, key=lambda j, shares=shares: shares[j])
            fixed[i] = 1 << int(piece)
        masks = tuple(fixed)
        if masks not in self._tried:
            self._tried.add(masks)
            self._node(masks, node)

    def _struck(self, node: _Node) -> tuple[int, ...]:
        """The box without pieces that cannot be part of anything better than the best; these become leaves."""
        if self.best is None:
            return node.masks
        bounds = piece_bounds(self.problem, node.masks, node.relaxed.multipliers)
        masks = list(node.masks)
        for i in np.nonzero((bounds >= self.cutoff).any(axis=1))[0].tolist():
            struck = sum(1 << int(j) for j in np.nonzero(bounds[i] >= self.cutoff)[0])
            if struck != masks[i]:  # else the node itself would be closed
                leaf = (*masks[:i], struck, *masks[i + 1 :])
                self._leaves.append(SeparationLeaf(leaf, node.relaxed.multipliers))
                self._proven = min(self._proven, float(bounds[i][bounds[i] >= self.cutoff].min()))
                masks[i] &= ~struck
        return tuple(masks)

    def _branch(self, node: _Node) -> list[_Node]:
        """The children of the contact whose splitting raises the bounds most."""
        masks = self._struck(node)
        mixed = [i for i in np.nonzero(node.pieces < 0)[0].tolist() if masks[i] & (masks[i] - 1)]
        if not mixed and masks != node.masks:  # what was struck off has settled it: solve what is left
            return [self._node(masks, node)]
        if not mixed:  # nothing to tell from the forces: any contact with a choice
            mixed = [next(i for i, mask in enumerate(masks) if mask & (mask - 1))]
        mixed.sort(key=lambda i: self.program.piece_shares(node.relaxed.basis, i).max())
        chosen: list[_Node] = []
        highest = -np.inf
        ceiling = self.cutoff if self.best else CEILING
        for i in mixed[:CANDIDATES]:
            children = []
            for part in self.program.split(node.relaxed.basis, i, masks[i]):
                children.append(self._node((*masks[:i], part, *masks[i + 1 :]), node))
            rises = [min(child.relaxed.bound, ceiling) - node.relaxed.bound for child in children]
            score = WORSE_COUNTS * min(rises) + max(rises)
            if score > highest:
                chosen, highest = children, score
            if all(child.relaxed.bound >= self.cutoff for child in children) or self.exhausted:
                break
        return chosen

    def _answer(self, still_open: list[_Node]) -> Found:
        proven = self._proven * (1.0 - PROOF_ROUNDING) if self._proven < np.inf else np.inf
        bound = min(proven, self.value, *(node.relaxed.bound for node in still_open), np.inf)
        met = self.value == bound == np.inf or self.value - bound <= self.method.gap * self.value + VALUE_FLOOR
        certificate = None if still_open else SeparationCertificate(proven, tuple(self._leaves))
        seconds = time.perf_counter() - self._began
        effort = SolverStats(
            programs=self.program.programs, nodes=self.nodes, seconds=seconds, pivots=self.program.steps
        )
        if self.best is None:
            return Found(np.inf, bound, not still_open and met, None, None, None, certificate, effort)
        relaxed, pieces = self.best
        return Found(
            relaxed.value,
            bound,
            not still_open and met,
            relaxed.forces,
            pieces,
            relaxed.multipliers,
            certificate,
            effort,
        )


def _inside(piece: Polytope, force: Array) -> bool:
    """Whether a piece contains a force, by its half-spaces; stricter than membership is judged."""
    normals, offsets = piece.halfspaces
    slack = 0.1 * tolerances.MEMBERSHIP * max(piece.size, float(np.abs(force).max()))
    return bool((normals @ force - offsets <= slack).all())
