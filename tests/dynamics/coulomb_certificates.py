"""The certificate of strong stability checked by other means: rows from positions and frames, friction from the laws.

Each leaf of the tree is a cell of contact modes with multipliers y of its rows (acceleration rows >= 0 or = 0). Their
sum, with x = x0 + sum B_i f_i put in, is value + sum push_i . f_i, and has to be >= 0 for every motion in the cell. The
leaf is empty where value < 0 and no force of the cell has push_i . f_i > 0. With rounding, push_i . f_i <= excess f_n:
the leaf then excludes all motions with forces up to -value/excess, in units of the load. `proven_to` returns the least
of these over all leaves, and 0 where a leaf proves nothing or a cell is missing. Slips count from `SLIP` of the free
acceleration on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from holdfast.dynamics import kernels
from tests.dynamics.coulomb_referee import Case, Equations, Law

#: Rounding of sums of rows, relative to their terms.
ROUNDING = 1e-9

#: Slips below this share of the free acceleration are none, and joints may move a sum of rows by no more than this.
SLIP = 1e-4


@dataclass(frozen=True)
class Cell:
    """Modes of contacts and joints, arcs (level, index) of the friction of sticking contacts, cuts of slips."""

    modes: tuple[int, ...]
    arcs: tuple[tuple[int, int], ...]
    cuts: tuple[tuple[int, float, float], ...] = ()

    def with_mode(self, which: int, mode: int, arc: tuple[int, int] = (0, 0)) -> Cell:
        modes, arcs = list(self.modes), list(self.arcs)
        modes[which], arcs[which] = mode, arc
        return replace(self, modes=tuple(modes), arcs=tuple(arcs))


class Rows:
    """Rows (x part, theta part, force part, constant, least, equality) of a cell, in the order of the multipliers."""

    def __init__(self, check: Checker, cell: Cell) -> None:
        self.check, self.cell = check, cell
        self.rows: list[tuple[np.ndarray, np.ndarray, np.ndarray, float, bool]] = []
        k, r, law = check.k, check.r, check.case.laws
        for i in range(k):
            mode = cell.modes[i]
            if mode == kernels.SEPARATE:
                self.add(i, (0, 0, 1), least=check.opens)
                continue
            self.add(i, (0, 0, 1), equal=mode != kernels.FREE)
            if mode == kernels.STICK:
                self.add(i, (1, 0, 0), equal=True)
                self.add(i, (0, 1, 0), equal=True)
            if np.isfinite(law[i].cap):
                force = np.zeros((k, 3))
                force[i, 2] = -1.0
                self.append(np.zeros(6), np.zeros(r), force, (law[i].cap + law[i].pull) / check.force_unit, False)
        for j in range(r):
            mode = cell.modes[k + j]
            pull, low, high = check.torques[j].reshape(k, 3), check.low[j], check.high[j]
            moves = mode in (kernels.UP, kernels.DRIVEN)
            if mode != kernels.DOWN and np.isfinite(low):
                self.append(np.zeros(6), np.zeros(r), pull, -low, moves)
            if not moves and np.isfinite(high):
                self.append(np.zeros(6), np.zeros(r), -pull, high, mode == kernels.DOWN)
        for i, angle, side in cell.cuts:
            self.add(i, (side * np.cos(angle), side * np.sin(angle), 0.0))
        if check.goal is not None:
            self.append(check.goal, check.push, np.zeros((k, 3)), -check.strict, False)

    def append(self, x: np.ndarray, theta: np.ndarray, force: np.ndarray, constant: float, equal: bool) -> None:
        self.rows.append((x, theta, force, constant, equal))

    def add(self, i: int, way: Any, *, least: float = 0.0, equal: bool = False) -> None:
        x, theta = self.row(i, way)
        self.append(x, theta, np.zeros((self.check.k, 3)), -least, equal)

    def row(self, i: int, way: Any) -> tuple[np.ndarray, np.ndarray]:
        """way . a_i, of unit length in x."""
        x = np.asarray(way, dtype=float) @ self.check.maps[i]
        size = float(np.linalg.norm(x)) or 1.0
        theta = -np.asarray(way, dtype=float) @ self.check.torques[:, 3 * i : 3 * i + 3].T / size
        return x / size, theta

    def summed(self, y: np.ndarray, *, closed: bool = False) -> Any:
        """(x, theta, force, value) of the rows times y; None where an inequality has a negative multiplier.

        `closed`: without least values; the rows on accelerations are then homogeneous.
        """
        y = np.concatenate([y, np.zeros(len(self.rows))])[: len(self.rows)]
        size = float(np.abs(y).sum()) or 1.0
        if any(v < -ROUNDING * size and not row[4] for v, row in zip(y, self.rows, strict=True)):
            return None
        x, theta, force = (sum(v * row[part] for v, row in zip(y, self.rows, strict=True)) for part in range(3))
        value = 0.0 if closed else sum(v * row[3] for v, row in zip(y, self.rows, strict=True))
        return x, theta, force, float(value)

    def joints_still(self, theta: np.ndarray) -> bool:
        """Whether no allowed motion of a joint makes the sum larger."""
        for j, t in enumerate(theta):
            mode = self.cell.modes[self.check.k + j]
            up = mode in (kernels.FREE, kernels.UP, kernels.DRIVEN) and np.isfinite(self.check.low[j])
            down = mode in (kernels.FREE, kernels.DOWN, kernels.DRIVEN) and np.isfinite(self.check.high[j])
            if (up and t > SLIP) or (down and t < -SLIP):
                return False
        return True


class Checker:
    """Walks a tree of the certificate of a case."""

    def __init__(self, case: Case, found: Any, tree: Any) -> None:
        self.case, self.tree = case, tree
        e, problem = Equations(case), found.problem
        self.k = e.k
        self.strict, self.opens = float(problem.arrays.settings[0]), kernels.OPENS * float(problem.arrays.settings[5])
        # The library's x is mine, turned: both are whitened by a root of the same matrix.
        turn = e.lower.T @ problem.to_acceleration
        assert np.abs(turn.T @ turn - np.eye(6)).max() < 1e-8
        unit, lever = float(problem.scale), float(problem.lever)
        raw = np.linalg.solve(e.lower, e.matrix) / lever
        self.maps = (turn.T @ raw).T.reshape(-1, 3, 6)  # contact accelerations of x
        self.x0 = turn.T @ (e.x0 * e.size / unit)
        self.force_unit = unit / lever
        rows = case.assembly.joints
        free = [] if rows is None else [j for j in range(len(rows)) if np.isfinite(e.low[j]) or np.isfinite(e.high[j])]
        self.r = len(free)
        self.torques = (e.joints * e.arm[:, None])[free] if len(e.joints) else np.zeros((0, 3 * self.k))
        self.low = (e.low * e.arm * e.unit)[free] / self.force_unit
        self.high = (e.high * e.arm * e.unit)[free] / self.force_unit
        # |x|^2 <= x0 . x + push . theta: joints do work at the bound at which they move.
        self.push = np.maximum(self.low, 0.0) + np.minimum(self.high, 0.0) * (self.low < self.high)
        self.push = np.where(self.low == self.high, self.low, self.push)
        self.goal = self.x0 if tree.moving else None
        self.drives = any(lo > 0.0 or hi < 0.0 for lo, hi in zip(self.low, self.high, strict=True))

    def cells(self) -> Any:
        """(node, cell) of every leaf; None where the tree does not cover everything."""
        first = tuple(
            [kernels.FREE] * self.k
            + [kernels.DRIVEN if a == b else kernels.FREE for a, b in zip(self.low, self.high, strict=True)]
        )
        waiting = [Cell(first, ((0, 0),) * (self.k + self.r))]
        leaves = []
        for node, which in enumerate(np.asarray(self.tree.branch).tolist()):
            if not waiting:
                return None
            cell = waiting.pop()
            if which < 0:
                leaves.append((node, cell))
                continue
            parts = self.parts(cell, which, float(self.tree.angle[node]))
            if parts is None:
                return None
            chosen = int(self.tree.first[node])
            parts[chosen], parts[-1] = parts[-1], parts[chosen]
            waiting += parts
        return None if waiting else leaves

    def parts(self, cell: Cell, which: int, angle: float) -> list[Cell] | None:
        """All ways for one contact or joint to go on."""
        now, (level, index) = cell.modes[which], cell.arcs[which]
        if which >= self.k:
            ways = [kernels.STAYS]
            ways += [kernels.DOWN] if np.isfinite(self.high[which - self.k]) else []
            ways += [kernels.UP] if np.isfinite(self.low[which - self.k]) else []
            return [cell.with_mode(which, way) for way in ways] if now == kernels.FREE else None
        if now == kernels.FREE:
            rubs = self.case.laws[which].corners is not None or self.case.laws[which].axes.any()
            ways = [kernels.SEPARATE, kernels.STICK, kernels.SLIDE] if rubs else [kernels.SEPARATE, kernels.TOUCH]
            return [cell.with_mode(which, way) for way in ways]
        if now == kernels.SLIDE:
            return [replace(cell, cuts=(*cell.cuts, (which, angle, side))) for side in (-1.0, 1.0)]
        if now != kernels.STICK:
            return None
        if level == 0:
            deep = kernels.FIRST_LEVEL
            return [cell.with_mode(which, now, (deep, j)) for j in range(2**deep)]
        return [cell.with_mode(which, now, (level + 1, 2 * index + j)) for j in range(2)]

    def proven_to(self) -> float:
        """Least force, over all leaves, up to which they exclude motions; 0 where something is missing."""
        leaves = self.cells()
        if leaves is None:
            return 0.0
        return min(self.leaf(node, cell) for node, cell in leaves)

    def leaf(self, node: int, cell: Cell) -> float:
        rows, kind = Rows(self, cell), int(self.tree.kind[node])
        proofs = np.asarray(self.tree.proofs[node])
        if kind == kernels.KINEMATIC:
            return self.motionless(rows, np.asarray(self.tree.multipliers[node]))
        if kind >= 0:  # a contact that cannot slide
            ways = [0.5 * np.pi * side for side in range(4)]
            fits = cell.modes[kind] == kernels.SLIDE
            return min(self.no_slip(rows, kind, w, proofs[2 * self.k + s]) for s, w in enumerate(ways)) if fits else 0.0
        arcs, reach = np.asarray(self.tree.range[node]), np.inf
        for i in range(self.k):
            if cell.modes[i] == kernels.SLIDE and np.isfinite(arcs[i, 0]):
                width = arcs[i, 1] - arcs[i, 0]
                if not 1e-5 <= width <= 1.5 * np.pi:
                    return 0.0
                # The half-planes beyond the ends exclude the opposite direction by the sine of the width only.
                least = SLIP * min(1.0, np.sin(min(width, 0.5 * np.pi)))
                ends = (arcs[i, 0] - 0.5 * np.pi, arcs[i, 1] + 0.5 * np.pi)
                reach = min(reach, *(self.no_slip(rows, i, w, proofs[2 * i + s], least) for s, w in enumerate(ends)))
        return min(
            reach,
            self.forceless(rows, np.asarray(self.tree.multipliers[node]), arcs, np.asarray(self.tree.plane[node])),
        )

    def motionless(self, rows: Rows, y: np.ndarray) -> float:
        """The rows exclude every acceleration with |x| up to this."""
        scale = float(np.abs(y).max()) or 1.0
        found = rows.summed(y / scale)
        if found is None or found[2].any() or not rows.joints_still(found[1]) or found[3] > -1e-13:
            return 0.0
        return -found[3] / max(float(np.linalg.norm(found[0])), 1e-300)

    def no_slip(self, rows: Rows, i: int, angle: float, y: np.ndarray, least: float = SLIP) -> float:
        """inf where no motion with |x| <= 1 slips at contact i by more than `least` along `angle`; else 0."""
        last = len(rows.rows)
        if len(y) <= last or y[last] <= 0.0:
            return 0.0
        y = y / y[last]
        found = rows.summed(y[:last], closed=True)
        if found is None or found[2].any():
            return 0.0
        x, theta = rows.row(i, (np.cos(angle), np.sin(angle), 0.0))
        x, theta = x + found[0], theta + found[1]
        # Rows without their least values are homogeneous: slip s <= |x| |rest| for every motion.
        if not rows.joints_still(theta) or found[3] > 0.0:
            return 0.0
        return np.inf if np.linalg.norm(x) <= least else 0.0

    def forceless(self, rows: Rows, y: np.ndarray, arcs: np.ndarray, plane: np.ndarray) -> float:
        """The rows exclude every motion with normal forces up to this."""
        scale = float(np.abs(y).max()) or 1.0
        found = rows.summed(y / scale)
        if found is None:
            return 0.0
        x, theta, force, value = found
        plane = plane / scale
        if plane.any():  # plane . x <= |plane| |x0|/2 + plane . x0/2 within the ball
            if self.drives:
                return 0.0
            value += 0.5 * float(np.linalg.norm(plane) * np.linalg.norm(self.x0) + plane @ self.x0)
            x = x - plane
        value += float(x @ self.x0)
        if not rows.joints_still(theta) or value > -1e-12:
            return 0.0
        excess = 1e-300
        for i in range(self.k):
            push = self.maps[i] @ x + force[i]
            excess = max(excess, self.most(rows.cell, i, push, arcs[i]) / float(np.linalg.norm(self.maps[i])))
        return -value / excess

    def most(self, cell: Cell, i: int, push: np.ndarray, arc: np.ndarray) -> float:
        """Largest push . f of a force with f_n = 1 in the contact's part of the cone."""
        mode, law = cell.modes[i], self.case.laws[i]
        if mode == kernels.SEPARATE:
            return 0.0
        disc = [np.zeros(2)]
        if law.corners is not None or law.axes.any():
            low, high = -np.pi, np.pi
            if mode == kernels.SLIDE and np.isfinite(arc[0]):
                low, high = arc[0] + np.pi, arc[1] + np.pi
            if mode == kernels.STICK and cell.arcs[i][0] > 0:
                level, index = cell.arcs[i]
                low, high = 2.0 * np.pi / 2**level * np.array([index, index + 1])
            best = np.arctan2(push[1], push[0])
            angles = np.linspace(low, high, 33)
            inside = best + 2.0 * np.pi * np.ceil((low - best) / (2.0 * np.pi))
            disc = [furthest(law, a) for a in (*angles, *([inside] if inside <= high else []))]
            disc += [np.zeros(2)] if mode != kernels.SLIDE else []
        return max(float(push[2] + push[:2] @ point) for point in disc)


def furthest(law: Law, angle: float) -> np.ndarray:
    """The point of D furthest in a direction."""
    way = np.array([np.cos(angle), np.sin(angle)])
    if law.corners is not None:
        return law.corners[int(np.argmax(law.corners @ way))]
    reach = law.support(way)
    return law.axes**2 * way / reach if reach else np.zeros(2)


def proven_to(case: Case, found: Any) -> float:
    """Up to which force, in units of the load, the certificate of an answer excludes every motion but rest."""
    return Checker(case, found, found.certificate.tree).proven_to()
