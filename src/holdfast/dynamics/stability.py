"""Will it stay? Strong stability: rest is the only motion that rigid contacts with Coulomb friction allow.

Rest is possible where admissible forces balance the load: `equilibrium` answers that. Other motions may be possible
besides: a peg that is jammed may also fall. Three facts make the search for other motions finite. With x = L^T a,
M = L L^T, x0 = L^-1 w and forces f_i above their apexes,

    |x|^2 = x . (x0 + sum B_i f_i) = x0 . x + sum f_i . a_i <= x0 . x,

since contacts only dissipate: f_n a_n = 0 and f_t . a_t <= 0. So every motion has x0 . x > 0 and lies in the ball with
the diameter from 0 to x0. If normal forces alone balance the load, x0 = -sum f_n n and x0 . x = -sum f_n a_n <= 0: no
motion is possible, whatever the friction. And the cells of contact modes (see `kernels`) contain every motion.

A closed tree of empty cells is the certificate. Its leaves carry multipliers; `verify` checks them with the circular
cones themselves, without the solver. It excludes motions with x0 . x above `STRICT` of |x0|^2 in which every contact
either keeps still, or slips and separates by more than `STRICT` of the free acceleration.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..compiling import clock
from ..results import Result
from ..solvers import SolverStats, Status
from ..statics.holding import Equilibrium, stats_data
from .cones import CoulombProblem
from .coulomb import Motion, MotionSearch, SearchRun, checked_question, rest_of
from .kernels import (
    DOWN,
    DRIVEN,
    DYNAMIC,
    EXHAUSTED,
    FIRST_LEVEL,
    FOUND,
    FREE,
    KINEMATIC,
    LEAF,
    SEPARATE,
    SLIDE,
    STAYS,
    STICK,
    TOUCH,
    UNIT_SLIP,
    UP,
    CoulombArrays,
)


class StabilityStatus(StrEnum):
    """What came out; the value is the message."""

    STAYS = "stays"
    MAY_STAY = "may stay"
    MOVES = "moves"
    INCONSISTENT = "inconsistent"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False, kw_only=True)
class StrongStability(Result):
    """Answer to "will it stay?", with the proof that no other motion exists, or with the other motion.

    Attributes:
        assembly: contacts and joint rows.
        wrench: (6,) the external wrench on the object, torque about the world origin.
        mass_matrix: (6, 6) about the world origin.
        status: "stays": rest is the only motion. "may stay": rest is possible, and so is `other_motion`. "moves": rest
            is not possible; `other_motion` is one that is. "inconsistent": neither rest nor any motion obeys the law.
            "undecided": a limit was reached, or rest is too close to its limit to tell.
        rest: whether rest is possible, with forces or a certificate.
        other_motion: a motion that obeys Coulomb's law; None where there is none, or none was found.
        certificate: the closed trees that prove that there is no other motion; None where there is one.
        open_cells: cells of contact modes that are left where it is undecided.
        effort: what the answer cost.
        problem: the law of every contact, whitened.
    """

    assembly: Assembly
    wrench: Array
    mass_matrix: Array
    status: StabilityStatus
    rest: Equilibrium
    other_motion: Motion | None
    certificate: StabilityCertificate | None
    open_cells: int
    effort: SolverStats
    problem: CoulombProblem

    def __repr__(self) -> str:
        return f"StrongStability({self.status.value}, {len(self.assembly)} contacts)"

    @property
    def holds(self) -> bool:
        """Whether rest is the only motion. "May stay" and "undecided" do not count."""
        return self.status is StabilityStatus.STAYS

    def verify(self) -> bool:
        """Check the answer without the solver: rest, the other motion, and the multipliers of every leaf."""
        if self.status is StabilityStatus.UNDECIDED:
            return False
        possible = self.rest.status is Status.HOLDS
        if possible is (self.status in (StabilityStatus.MOVES, StabilityStatus.INCONSISTENT)) or not self.rest.verify():
            return False
        if self.status in (StabilityStatus.STAYS, StabilityStatus.INCONSISTENT):
            return self.certificate is not None and self.certificate.verify(self.problem)
        return self.other_motion is not None and self.other_motion.verify()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer in words."""
        words = {
            StabilityStatus.STAYS: "It stays: rest is the only motion that obeys Coulomb's law.",
            StabilityStatus.MAY_STAY: "It may stay: rest is possible, but another motion obeys Coulomb's law too.",
            StabilityStatus.MOVES: "It moves: no admissible forces keep it at rest.",
            StabilityStatus.INCONSISTENT: "Neither rest nor any motion obeys Coulomb's law: a contact cannot press as "
            "hard as it would have to.",
            StabilityStatus.UNDECIDED: f"It is undecided whether it stays: {self._left()}.",
        }
        return (words[self.status], *(() if self.other_motion is None else self.other_motion.sentences))

    def _left(self) -> str:
        if self.rest.status is Status.UNDECIDED:
            return "the load is too close to the largest that friction can hold"
        return f"{self.open_cells} cells of contact modes are left"

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the verdict, the other motion, the size of the proof."""
        return {
            "status": self.status.value,
            "holds": self.holds,
            "rests": self.rest.status.value,
            "wrench": self.wrench.tolist(),
            "other_motion": None if self.other_motion is None else self.other_motion.to_dict(),
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "open_cells": self.open_cells,
            "sentences": list(self.sentences),
            "effort": stats_data(self.effort),
        }


def strong_stability(
    assembly: Assembly, load: ArrayLike, mass_matrix: ArrayLike, *, method: MotionSearch | None = None
) -> StrongStability:
    """Whether rest is the only motion of an object at rest that obeys Coulomb's law at every contact.

    Args:
        assembly: contacts that are cones about their normals (coulomb, soft_finger, suction, magnet, ...), joint rows.
        load: (6,) external force [N] and torque [N m] about the world origin, weight included.
        mass_matrix: (6, 6) about the world origin, symmetric and positive definite; `mass_matrix` makes one.
        method: limits of the search.
    """
    began = clock()
    question = checked_question(assembly, load, mass_matrix, None, method)
    problem = question.problem
    rest = rest_of(question.assembly, question.load)
    runs, outcome = [], EXHAUSTED
    for goal in goals_of(problem):
        run = SearchRun(problem, settings=problem.arrays.settings, goal=goal)
        runs.append(run)
        outcome = run.go(question.method, began)
        if outcome != EXHAUSTED or run.open_cells:
            break
    seconds = clock() - began
    efforts = [run.effort(0.0) for run in runs]
    effort = SolverStats(
        programs=sum(e.programs for e in efforts), nodes=sum(e.nodes for e in efforts), seconds=seconds,
        pivots=sum(e.pivots for e in efforts),
    )  # fmt: skip
    other, open_cells = None, sum(run.open_cells + int(run.states[-1].count[0]) for run in runs)
    if outcome == FOUND:
        other, open_cells = question.moving(runs[-1].found(), rest, effort), 0
    certificate = None
    if other is None and not open_cells:
        certificate = StabilityCertificate(tuple(StabilityTree.from_run(run) for run in runs))
    return StrongStability(
        assembly=question.assembly, wrench=question.load, mass_matrix=question.mass_matrix,
        status=_status(rest.status, other is not None, certificate is not None), rest=rest, other_motion=other,
        certificate=certificate, open_cells=open_cells, effort=effort, problem=problem,
    )  # fmt: skip


def _status(rest: Status, other: bool, closed: bool) -> StabilityStatus:
    """The verdict from what is known of rest and of other motions."""
    if rest is Status.UNDECIDED or not (other or closed):
        return StabilityStatus.UNDECIDED
    if rest is Status.HOLDS:
        return StabilityStatus.MAY_STAY if other else StabilityStatus.STAYS
    return StabilityStatus.MOVES if other else StabilityStatus.INCONSISTENT


def goals_of(problem: CoulombProblem) -> tuple[Array, ...]:
    """Directions such that every motion has a positive part along one of them: x0 where contacts only dissipate.

    Where a joint drives, all axes, both ways.
    """
    if problem.dissipative:
        return (problem.arrays.goal,)
    return tuple(sign * axis for axis in np.eye(6) for sign in (1.0, -1.0))


# The certificate.

#: Rounding that the multipliers of a leaf may have, as a share of their sum.
ROUNDING = 1e-9

#: What a leaf's contradiction must be larger than its rounding by.
CLEAR = 2.0


@dataclass(frozen=True, eq=False)
class StabilityTree:
    """One closed tree of cells, in the order of the visits.

    Attributes:
        goal: (6,) the tree contains every motion with goal . x >= strict.
        branch: (nodes,) the contact, or the number of contacts + joint, that a cell was divided by; -1 for a leaf.
        first: (nodes,) which child was looked at first.
        angle: (nodes,) direction of the cut through a sliding contact [rad].
        kind: (nodes,) how a leaf is empty: -1 no acceleration, -2 no forces, else a contact that cannot slide.
        multipliers: (nodes, M) of the rows of a leaf.
        plane: (nodes, 6) of the ball.
        range: (nodes, t, 2) arcs of the slips of sliding contacts [rad]; nan: any.
        proofs: (nodes, 2 t + 4, M) multipliers that prove the ends of the arcs, or that a contact cannot slide.
    """

    goal: Array
    branch: IntArray
    first: IntArray
    angle: Array
    kind: IntArray
    multipliers: Array
    plane: Array
    range: Array
    proofs: Array

    @staticmethod
    def from_run(run: SearchRun) -> StabilityTree:
        """The tree that a finished search went through."""
        used = 1 + max(
            int(np.max(np.nonzero(np.any(array[: s.count[1]] != 0.0, axis=tuple(range(array.ndim - 1))))[0], initial=0))
            for s in run.states
            for array in (s.multipliers, s.proofs)
        )

        def joined(name: str, width: int | None = None) -> Array:
            return np.concatenate([getattr(s, name)[: s.count[1], ..., :width].copy() for s in run.states])

        numbers = ("branch", "first", "angle", "kind")
        plain = {name: np.concatenate([getattr(s, name)[: s.count[1]] for s in run.states]) for name in numbers}
        return StabilityTree(
            run.arrays.goal, plane=joined("plane"), range=joined("range"), multipliers=joined("multipliers", used),
            proofs=joined("proofs", used), **plain,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class StabilityCertificate(Result):
    """Proof that there is no motion other than rest: closed trees of cells of contact modes, each leaf empty.

    Attributes:
        trees: one for every goal, see `goals_of`.
    """

    trees: tuple[StabilityTree, ...]

    def __repr__(self) -> str:
        return f"StabilityCertificate({self.leaves} leaves)"

    @property
    def leaves(self) -> int:
        """Empty cells that it consists of."""
        return sum(int((tree.branch == LEAF).sum()) for tree in self.trees)

    def verify(self, problem: CoulombProblem) -> bool:
        """Check every leaf and that the leaves cover everything, without the solver."""
        goals = goals_of(problem)
        if len(self.trees) != len(goals):
            return False
        return all(
            np.array_equal(tree.goal, goal) and _TreeCheck(problem, tree).holds()
            for tree, goal in zip(self.trees, goals, strict=True)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data: how large the proof is."""
        return {"leaves": self.leaves, "nodes": sum(len(tree.branch) for tree in self.trees)}


@dataclass
class _Cell:
    """Modes, arcs of sticking contacts, and cuts (contact, angle, side)."""

    mode: list[int]
    arc: list[tuple[int, int]]
    cuts: tuple[tuple[int, float, float], ...] = ()

    def child(self, which: int, mode: int, arc: tuple[int, int] = (0, 0)) -> _Cell:
        modes, arcs = list(self.mode), list(self.arc)
        modes[which], arcs[which] = mode, arc
        return _Cell(modes, arcs, self.cuts)


class _TreeCheck:
    """Walks through a tree and checks its leaves by the law itself."""

    def __init__(self, problem: CoulombProblem, tree: StabilityTree) -> None:
        self.problem, self.tree = problem, tree
        self.p: CoulombArrays = problem.arrays
        self.k, self.r = len(self.p.white), len(self.p.lower)
        self.strict = float(self.p.settings[0])
        self.cones = [problem.cones[i] for i in problem.touching]

    def holds(self) -> bool:
        """Whether all leaves are empty and their cells cover the first one."""
        modes, _ = self.problem.first_cell()
        waiting = [_Cell(modes.tolist(), [(0, 0)] * (self.k + self.r))]
        for node, branch in enumerate(self.tree.branch.tolist()):
            if not waiting:
                return False
            cell = waiting.pop()
            if branch == LEAF:
                if not self.is_empty(cell, node):
                    return False
            elif branch < 0:
                return False
            else:
                parts = self.children(cell, branch, float(self.tree.angle[node]))
                first = int(self.tree.first[node])
                if not 0 <= first < len(parts):
                    return False
                parts[first], parts[-1] = parts[-1], parts[first]
                waiting += parts
        return not waiting

    def children(self, cell: _Cell, which: int, angle: float) -> list[_Cell]:
        """The cells that one is divided into; together they contain all its motions."""
        now, (level, index) = cell.mode[which], cell.arc[which]
        if which >= self.k:
            parts = [cell.child(which, STAYS)]
            parts += [cell.child(which, DOWN)] * bool(self.p.upper[which - self.k] < np.inf)
            return parts + [cell.child(which, UP)] * bool(self.p.lower[which - self.k] > -np.inf)
        if now == FREE:
            rubs = np.isnan(self.p.slip[which]) and self.cones[which].semi.any()
            return [cell.child(which, mode) for mode in ((SEPARATE, STICK, SLIDE) if rubs else (SEPARATE, TOUCH))]
        if now == SLIDE:
            return [_Cell(cell.mode, cell.arc, (*cell.cuts, (which, angle, side))) for side in (-1.0, 1.0)]
        if level == 0:
            return [cell.child(which, now, (FIRST_LEVEL, j)) for j in range(2**FIRST_LEVEL)]
        return [cell.child(which, now, (level + 1, 2 * index + j)) for j in range(2)]

    def is_empty(self, cell: _Cell, node: int) -> bool:
        """Whether the multipliers of a leaf prove that no motion lies in its cell."""
        kind = int(self.tree.kind[node])
        rows = _Rows(self, cell)
        if kind == KINEMATIC:
            return rows.contradict(self.tree.multipliers[node])
        proofs = self.tree.proofs[node]
        if kind >= 0:
            quarters = [0.5 * np.pi * side for side in range(4)]
            return cell.mode[kind] == SLIDE and all(
                rows.exclude_slip(kind, angle, proofs[2 * self.k + side]) for side, angle in enumerate(quarters)
            )
        arcs = self.tree.range[node]
        for i in range(self.k):
            if cell.mode[i] == SLIDE and not np.isnan(arcs[i, 0]):
                ends = zip((arcs[i, 0] - 0.5 * np.pi, arcs[i, 1] + 0.5 * np.pi), proofs[2 * i : 2 * i + 2], strict=True)
                if arcs[i, 1] - arcs[i, 0] > np.pi + ROUNDING:
                    return False
                if not all(rows.exclude_slip(i, angle, proof) for angle, proof in ends):
                    return False
        return kind == DYNAMIC and rows.contradict(self.tree.multipliers[node], arcs, self.tree.plane[node])


class _Rows:
    """The rows of a cell: on x (m, 6), on theta (m, r), on forces (m, t, 3); constants, strictness, equalities."""

    def __init__(self, check: _TreeCheck, cell: _Cell) -> None:
        self.check, self.cell = check, cell
        self.x: list[Array] = []
        self.theta: list[Array] = []
        self.force: list[Array] = []
        self.constant: list[float] = []
        self.least: list[float] = []
        self.equal: list[bool] = []
        p = check.p
        for i in range(check.k):
            self._contact(i, cell.mode[i])
        for j in range(check.r):
            self._joint(j, cell.mode[check.k + j])
        for i, angle, side in cell.cuts:
            self._add(i, side * np.array([np.cos(angle), np.sin(angle), 0.0]))
        if p.settings[3] == 1.0:
            self._append(check.tree.goal, np.zeros(check.r), least=check.strict)

    def _append(
        self, x: Array, theta: Array, *, force: Array | None = None, constant: float = 0.0, least: float = 0.0,
        equal: bool = False,
    ) -> None:  # fmt: skip
        self.x.append(x)
        self.theta.append(theta)
        self.force.append(np.zeros((self.check.k, 3)) if force is None else force)
        self.constant.append(constant)
        self.least.append(least)
        self.equal.append(equal)

    def _row(self, i: int, direction: Array) -> tuple[Array, Array, float]:
        """direction . a_i, scaled to unit length in x."""
        p = self.check.p
        x = direction @ p.white[i]
        scale = float(np.linalg.norm(x)) or 1.0
        return x / scale, -(direction @ p.joints[i]) / scale, float(direction @ p.bias[i]) / scale

    def _add(self, i: int, direction: Array, *, least: float = 0.0, equal: bool = False) -> None:
        x, theta, constant = self._row(i, direction)
        self._append(x, theta, constant=constant, least=least, equal=equal)

    def _contact(self, i: int, mode: int) -> None:
        up, along, across = np.eye(3)[2], np.eye(3)[0], np.eye(3)[1]
        if mode == SEPARATE:
            self._add(i, up, least=self.check.strict)
            return
        self._add(i, up, equal=mode != FREE)
        if mode == STICK:
            self._add(i, along, equal=True)
            self._add(i, across, equal=True)
        cap = float(self.check.p.cap[i])
        if cap < np.inf:
            force = np.zeros((self.check.k, 3))
            force[i, 2] = -1.0
            self._append(np.zeros(6), np.zeros(self.check.r), force=force, constant=cap)

    def _joint(self, j: int, mode: int) -> None:
        p, nothing = self.check.p, (np.zeros(6), np.zeros(self.check.r))
        if mode not in (UP, DRIVEN) and p.upper[j] < np.inf:
            above = {"force": -p.joints[:, :, j], "constant": float(p.upper[j]), "equal": mode == DOWN}
        else:
            above = None
        if mode != DOWN and p.lower[j] > -np.inf:
            self._append(*nothing, force=p.joints[:, :, j], constant=-float(p.lower[j]), equal=mode in (UP, DRIVEN))
        if above is not None:
            self._append(*nothing, **above)

    def _combined(self, multipliers: Array, *, strict: bool) -> tuple[Array, Array, Array, float, float] | None:
        """(x, theta, force, constant, sum): the rows times multipliers; None where an inequality's is negative."""
        y = np.zeros(len(self.x))
        count = min(len(y), len(multipliers))
        y[:count] = multipliers[:count]
        size = float(np.abs(y).sum()) or 1.0
        if (y[~np.array(self.equal)] < -ROUNDING * size).any():
            return None
        constants = np.array(self.constant) - (np.array(self.least) if strict else 0.0)
        return (
            y @ np.array(self.x), y @ np.array(self.theta), np.einsum("m,mki->ki", y, np.array(self.force)),
            float(y @ constants), size,
        )  # fmt: skip

    def contradict(self, multipliers: Array, arcs: Array | None = None, plane: Array | None = None) -> bool:
        """Whether the rows times multipliers are negative for every acceleration (and every force) of the cell."""
        combined = self._combined(multipliers, strict=True)
        if combined is None:
            return False
        x, theta, force, value, size = combined
        if arcs is None or plane is None:  # for every acceleration: nothing may depend on x
            return self._is_still(x, theta, size) and not force.any() and value < -CLEAR * self._noise(x, size)
        p = self.check.p
        if plane.any():
            if p.settings[1] == 0.0:
                return False
            radius = 0.5 * float(np.linalg.norm(p.drive))
            value += float(np.linalg.norm(plane)) * radius + float(plane @ p.drive) * 0.5
            x, size = x - plane, size + float(np.linalg.norm(plane))
        value += float(x @ p.drive)
        if not self._is_still(np.zeros(6), theta, size):
            return False
        pushes = np.einsum("kin,n->ki", p.white, x) + force
        worst = max((self._most(i, pushes[i], arcs[i]) for i in range(self.check.k)), default=0.0)
        return bool(worst <= ROUNDING * size and value < 0.0)

    def exclude_slip(self, i: int, angle: float, multipliers: Array) -> bool:
        """Whether contact i cannot slip in a direction in this cell: the rows, closed, times multipliers prove it."""
        last = len(self.x)
        if last >= len(multipliers) or multipliers[last] <= 0.0:
            return False
        combined = self._combined(multipliers[:last], strict=False)
        if combined is None:
            return False
        x, theta, force, value, size = combined
        y = float(multipliers[last])
        row, row_theta, constant = self._row(i, np.array([np.cos(angle), np.sin(angle), 0.0]))
        x, theta, value, size = x + y * row, theta + y * row_theta, value + y * (constant - UNIT_SLIP), size + y
        return self._is_still(x, theta, size) and not force.any() and value < -CLEAR * self._noise(x, size)

    def _noise(self, x: Array, size: float) -> float:
        """What rounding of x may add to a sum of rows: motions of the ball have a length of at most 1."""
        return float(np.linalg.norm(x)) + 0.0 * size

    def _is_still(self, x: Array, theta: Array, size: float) -> bool:
        """Whether a sum of rows depends neither on x nor on how the joints may move."""
        p, allowed = self.check.p, ROUNDING * size
        for j in range(self.check.r):
            mode = self.cell.mode[self.check.k + j]
            rises = mode not in (STAYS, DOWN) and p.lower[j] > -np.inf
            falls = mode not in (STAYS, UP) and p.upper[j] < np.inf
            if (rises and theta[j] > allowed) or (falls and -theta[j] > allowed):
                return False
        return bool(np.abs(x).max(initial=0.0) <= allowed)

    def _most(self, i: int, push: Array, arc: Array) -> float:
        """The largest push . f over forces f of contact i in this cell, as a share of what f can move."""
        check, mode = self.check, self.cell.mode[i]
        if mode == SEPARATE:
            return 0.0
        cone = check.cones[i]
        length = float(np.linalg.norm(check.p.white[i])) * (1.0 + float(cone.semi.max(initial=0.0)))
        if not np.isnan(check.p.slip[i]):
            slip = float(check.p.slip[i])
            ends: list[Array] = [cone.friction(-np.array([[np.cos(slip), np.sin(slip)]]))[0]]
        elif not cone.semi.any():
            ends = [np.zeros(2)]
        else:
            ends = [cone.friction(push[None, :2])[0]]
            first, last = np.nan, np.nan
            if mode == SLIDE and not np.isnan(arc[0]):
                first, last = arc[0] + np.pi, arc[1] + np.pi
            elif mode == STICK and self.cell.arc[i][0] > 0:
                level, index = self.cell.arc[i]
                first, last = 2.0 * np.pi / 2.0**level * np.array([index, index + 1])
            if not np.isnan(first):
                turn = (np.arctan2(push[1], push[0]) - first) % (2.0 * np.pi)
                if turn > last - first:
                    angles = np.array([first, last])
                    ends = list(cone.friction(np.column_stack([np.cos(angles), np.sin(angles)])))
                if mode == STICK:
                    ends.append(np.zeros(2))
        return max(float(push[2] + push[:2] @ end) for end in ends) / length
