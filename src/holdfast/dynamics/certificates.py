"""Proof that no motion exists: closed trees of cells of contact modes with empty leaves, checked without the solver.

A leaf is empty because no acceleration meets its rows, because a contact that should slide cannot, or because no
forces of its contacts cause such an acceleration. Each proof is a sum of rows with multipliers that is negative for
every motion of the cell. The check uses the friction cones themselves, not the polygons around them that the solver
uses, and derives the rows and the children of the tree again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import Array, IntArray
from ..results import Result, proof
from .cones import CoulombProblem
from .kernels import (
    BEYOND_BALL,
    BEYOND_LOAD,
    BEYOND_SLIP,
    DOWN,
    DRIVEN,
    DYNAMIC,
    FIRST_LEVEL,
    FREE,
    HALF_TURN,
    KEPT,
    KINEMATIC,
    LEAF,
    OPENS,
    SEPARATE,
    SLIDE,
    STAYS,
    STICK,
    TOUCH,
    UNIT_SLIP,
    UP,
    WIDER,
    CoulombArrays,
)
from .search import SearchRun


@dataclass(frozen=True, eq=False)
class CellTree:
    """One closed tree of cells, in the order of the search.

    Attributes:
        moving: whether the tree contains only motions in which load and joints do work: x0 . x + push . theta > 0.
        branch: (nodes,) the contact, or the number of contacts + joint, by which a cell was divided; -1 for a leaf.
        first: (nodes,) the child that was searched first.
        angle: (nodes,) direction of the cut through a sliding contact [rad].
        kind: (nodes,) how a leaf is empty: -1 no acceleration, -2 no forces, else a contact that cannot slide.
        multipliers: (nodes, M) of the rows of a leaf.
        plane: (nodes, 6) of the ball.
        range: (nodes, t, 2) arcs of the slips of sliding contacts [rad]; nan: any.
        proofs: (nodes, 2 t + 4, M) multipliers that prove the ends of the arcs, or that a contact cannot slide.
    """

    moving: bool
    branch: IntArray
    first: IntArray
    angle: Array
    kind: IntArray
    multipliers: Array
    plane: Array
    range: Array
    proofs: Array

    @property
    def is_whole(self) -> bool:
        """Whether every node has its entry in every array, and all numbers are finite (arcs may be nan)."""
        nodes, numbers = len(self.branch), (self.angle, self.multipliers, self.plane, self.proofs)
        shapes = {"branch": 1, "first": 1, "angle": 1, "kind": 1, "multipliers": 2, "plane": 2, "range": 3, "proofs": 3}
        parts = {name: getattr(self, name) for name in shapes}
        fits = all(part.ndim == shapes[name] and len(part) == nodes for name, part in parts.items())
        return fits and all(np.isfinite(part).all() for part in numbers) and not self.first[self.branch < 0].any()

    @staticmethod
    def from_run(run: SearchRun) -> CellTree:
        """The tree of a finished search."""
        arrays = [array[: s.counts[1]] for s in run.states for array in (s.multipliers, s.proofs)]
        filled = [np.any(array != 0.0, axis=tuple(range(array.ndim - 1))) for array in arrays]
        used = 1 + max(int(np.max(np.nonzero(columns)[0], initial=0)) for columns in filled)

        def joined(name: str, width: int | None = None) -> Array:
            return np.concatenate([getattr(s, name)[: s.counts[1], ..., :width].copy() for s in run.states])

        numbers = ("branch", "first", "angle", "kind")
        plain = {name: np.concatenate([getattr(s, name)[: s.counts[1]] for s in run.states]) for name in numbers}
        return CellTree(
            bool(run.arrays.settings[3] == 1.0), plane=joined("plane"), range=joined("range"),
            multipliers=joined("multipliers", used), proofs=joined("proofs", used), **plain,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class NoMotion(Result):
    """Proof that there is no motion, or none but rest: closed trees of cells of contact modes, each leaf empty.

    Attributes:
        tree: with `moving`, it covers every motion but rest: |x|^2 <= x0 . x + push . theta; see `stability`.
    """

    tree: CellTree

    def __repr__(self) -> str:
        return f"NoMotion({self.leaves} leaves)"

    @property
    def leaves(self) -> int:
        """Number of empty cells in the proof."""
        return int((self.tree.branch == LEAF).sum())

    @staticmethod
    def from_run(run: SearchRun) -> NoMotion:
        """The proof from a finished search."""
        return NoMotion(CellTree.from_run(run))

    @property
    def kept(self) -> int:
        """Number of cells that were kept because they contain motions."""
        return int((self.tree.branch == KEPT).sum())

    @proof
    def verify(self, problem: CoulombProblem, *, kept: int = 0) -> bool:
        """Check every leaf and that the leaves cover every motion but rest, without the solver.

        `kept` cells may remain: there are no motions outside of them.
        """
        return self.tree.is_whole and self.kept == kept and _TreeCheck(problem, self.tree).holds()

    def to_dict(self) -> dict[str, Any]:
        """Plain data: how large the proof is."""
        return {"leaves": self.leaves, "nodes": len(self.tree.branch)}


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
    """Walks through a tree and checks its leaves directly by Coulomb's law."""

    def __init__(self, problem: CoulombProblem, tree: CellTree) -> None:
        self.problem, self.tree = problem, tree
        self.p: CoulombArrays = problem.arrays
        self.k, self.r = len(self.p.white), len(self.p.lower)
        self.strict, self.slack = float(self.p.settings[0]), float(self.p.settings[5])
        self.cones = [problem.cones[i] for i in problem.touching]

    def holds(self) -> bool:
        """Whether all leaves are empty, and their cells, with the kept ones, cover the first cell."""
        modes, _ = self.problem.first_cell()
        waiting = [_Cell(modes.tolist(), [(0, 0)] * (self.k + self.r))]
        for node, branch in enumerate(self.tree.branch.tolist()):
            if not waiting:
                return False
            cell = waiting.pop()
            if branch == LEAF:
                if not self.is_empty(cell, node):
                    return False
            elif branch == KEPT:
                continue
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
        """The cells into which one cell is divided; together they contain all its motions."""
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
                if not WIDER <= arcs[i, 1] - arcs[i, 0] <= HALF_TURN + 2.0 * WIDER:
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
        self.width: list[float] = []
        for i in range(check.k):
            self._contact(i, cell.mode[i])
        for j in range(check.r):
            self._joint(j, cell.mode[check.k + j])
        for i, angle, side in cell.cuts:
            self._add(i, side * np.array([np.cos(angle), np.sin(angle), 0.0]))
        if check.tree.moving:
            self._append(check.p.drive, check.p.push, least=check.strict)

    def _append(
        self, x: Array, theta: Array, *, force: Array | None = None, constant: float = 0.0, least: float = 0.0,
        width: float = np.inf,
    ) -> None:  # fmt: skip
        self.x.append(x)
        self.theta.append(theta)
        self.force.append(np.zeros((self.check.k, 3)) if force is None else force)
        self.constant.append(constant)
        self.least.append(least)
        self.width.append(width)

    def _row(self, i: int, direction: Array) -> tuple[Array, Array, float]:
        """direction . a_i, scaled to unit length in x."""
        p = self.check.p
        x = direction @ p.white[i]
        scale = float(np.linalg.norm(x)) or 1.0
        return x / scale, -(direction @ p.joints[i]) / scale, float(direction @ p.bias[i]) / scale

    def _add(self, i: int, direction: Array, *, least: float = 0.0, width: float = np.inf) -> None:
        x, theta, constant = self._row(i, direction)
        self._append(x, theta, constant=constant, least=least, width=width)

    def _contact(self, i: int, mode: int) -> None:
        up, along, across, slack = np.eye(3)[2], np.eye(3)[0], np.eye(3)[1], self.check.slack
        if mode == SEPARATE:
            self._add(i, up, least=OPENS * slack)
            return
        self._add(i, up, width=np.inf if mode == FREE else slack)
        if mode == STICK:
            self._add(i, along, least=-slack, width=2.0 * slack)
            self._add(i, across, least=-slack, width=2.0 * slack)
        cap = float(self.check.p.cap[i])
        if cap < np.inf:
            force = np.zeros((self.check.k, 3))
            force[i, 2] = -1.0
            self._append(np.zeros(6), np.zeros(self.check.r), force=force, constant=cap)

    def _joint(self, j: int, mode: int) -> None:
        p, nothing = self.check.p, (np.zeros(6), np.zeros(self.check.r))
        if mode != DOWN and p.lower[j] > -np.inf:
            width = 0.0 if mode in (UP, DRIVEN) else np.inf
            self._append(*nothing, force=p.joints[:, :, j], constant=-float(p.lower[j]), width=width)
        if mode not in (UP, DRIVEN) and p.upper[j] < np.inf:
            width = 0.0 if mode == DOWN else np.inf
            self._append(*nothing, force=-p.joints[:, :, j], constant=float(p.upper[j]), width=width)

    def _combined(self, multipliers: Array, *, strict: bool) -> tuple[Array, Array, Array, float] | None:
        """(x, theta, force, constant): the rows times multipliers; None where that of an inequality is negative.

        A negative multiplier y of a row s with a largest value uses that bound from above: y s + |y| largest >= 0.
        """
        y = np.zeros(len(self.x))
        count = min(len(y), len(multipliers))
        y[:count] = multipliers[:count]
        widths, least = np.array(self.width), np.array(self.least)
        if (y[np.isinf(widths)] < 0.0).any():
            return None
        constants = np.array(self.constant) - (least if strict else np.minimum(least, 0.0))
        value = float(y @ constants) - float(np.minimum(y, 0.0) @ np.where(np.isinf(widths), 0.0, widths))
        return y @ np.array(self.x), y @ np.array(self.theta), np.einsum("m,mki->ki", y, np.array(self.force)), value

    def contradict(self, multipliers: Array, arcs: Array | None = None, plane: Array | None = None) -> bool:
        """Whether the rows times multipliers are negative for every acceleration (and every force) of the cell."""
        combined = self._combined(multipliers, strict=True)
        if combined is None:
            return False
        x, theta, force, value = combined
        if arcs is None or plane is None:  # for every acceleration: nothing may depend on x
            return not force.any() and self._is_negative(value, x, theta)
        p = self.check.p
        if plane.any():
            if p.settings[1] == 0.0:
                return False
            radius = 0.5 * float(np.linalg.norm(p.drive))
            value += float(np.linalg.norm(plane)) * radius + float(plane @ p.drive) * 0.5
            x = x - plane
        value += float(x @ p.drive)
        pushes = np.einsum("kin,n->ki", p.white, x) + force
        worst = max((self._most(i, pushes[i], arcs[i]) for i in range(self.check.k)), default=0.0)
        return self._is_negative(value, np.zeros(6), theta) and worst * BEYOND_LOAD <= -value

    def exclude_slip(self, i: int, angle: float, multipliers: Array) -> bool:
        """Whether contact i cannot slip in a direction in this cell: the multipliers of the closed rows prove it."""
        last = len(self.x)
        if last >= len(multipliers) or multipliers[last] <= 0.0:
            return False
        combined = self._combined(multipliers[:last], strict=False)
        if combined is None:
            return False
        x, theta, force, value = combined
        y = float(multipliers[last])
        row, row_theta, constant = self._row(i, np.array([np.cos(angle), np.sin(angle), 0.0]))
        x, theta, value = x + y * row, theta + y * row_theta, value + y * (constant - UNIT_SLIP)
        return not force.any() and self._is_negative(value, x, theta, BEYOND_SLIP)

    def _is_negative(self, value: float, x: Array, theta: Array, share: float = BEYOND_BALL) -> bool:
        """Whether value + x . acceleration + theta . joints is negative for all accelerations of the possible size."""
        p, worst = self.check.p, float(np.abs(x).max(initial=0.0))
        for j in range(self.check.r):
            mode = self.cell.mode[self.check.k + j]
            if mode not in (STAYS, DOWN) and p.lower[j] > -np.inf:
                worst = max(worst, float(theta[j]))
            if mode not in (STAYS, UP) and p.upper[j] < np.inf:
                worst = max(worst, -float(theta[j]))
        return value < 0.0 and worst * share <= -value

    def _most(self, i: int, push: Array, arc: Array) -> float:
        """The largest push . f over forces f of contact i in this cell, as a fraction of what f can move."""
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
