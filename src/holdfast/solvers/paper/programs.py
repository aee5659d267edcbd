"""The convex programs of the paper's search: CP(g, S_1, ..., S_k), with every volume replaced by its node's hull.

Variables are the local forces f_i in units that make them of size 1, for a load limit the load factor too, and for
p = 1 and infinity the bounds t of the norm. The rows are

    A x = b:    wrench balance (3), joint rows (5) that allow one value, planes of flat hulls
    G x <= h:   the other joint rows, facets of the hulls, and the norm of (10)

Equilibrium minimises the sum of |f_i - c_i|_p over forces in the axes of the world (10); a load limit minimises -d.
Multipliers of the rows are reported as y over the rows of the contact problem, which is what a `Leaf` needs: the
facets' own multipliers are not needed, since support functions replace them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...checks import Array
from ...geometry.unions import Node
from ..highs import Outcome
from ..problem import ContactProblem
from .tree import ShapeTree

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Loads smaller than this share of the volumes are not used as the unit of force.
SMALLEST_LOAD_SHARE = 1e-6


@dataclass(frozen=True, eq=False)
class ConvexProgram:
    """Minimise cost . x + 1/2 sum curvature x^2 subject to A x = b and G x <= h.

    Attributes:
        cost, curvature: (n,) linear and quadratic terms; curvature is zero but for p = 2.
        equal, equal_to: A (p, n) and b (p,).
        below, at_most: G (q, n) and h (q,).
    """

    cost: Array
    curvature: Array
    equal: csr_matrix
    equal_to: Array
    below: csr_matrix
    at_most: Array

    @property
    def is_quadratic(self) -> bool:
        """Whether the objective is not linear."""
        return bool(self.curvature.any())


@dataclass(frozen=True, eq=False)
class ProgramAnswer:
    """How a program ended.

    Attributes:
        outcome: optimal, infeasible, unbounded, or a limit when the backend could not say.
        values: (n,) the solution, or None.
        equal_duals, below_duals: (p,) and (q,) multipliers nu and lambda >= 0 with cost + curvature x + A^T nu +
            G^T lambda = 0 at an optimum; without the objective's terms, and with nu . b + lambda . h < 0, for an
            infeasible program. None when the backend gave none.
    """

    outcome: Outcome
    values: Array | None = None
    equal_duals: Array | None = None
    below_duals: Array | None = None


class ProgramBuilder:
    """Programs of one problem for one state after another.

    Attributes:
        unit: what one unit of the variables is [N].
    """

    def __init__(self, problem: ContactProblem, trees: Sequence[ShapeTree], *, p: float | None) -> None:
        """`trees` holds one hierarchy a contact; `p` is the norm of a test at d = 1, None asks for the largest d."""
        self.problem = problem
        self._trees = trees
        self._p = p
        largest = max(piece.size for shape in problem.shapes for piece in shape)
        strength = float(np.abs(problem.load).max())
        if p is None:
            self.unit = largest
            self.factor_unit = largest / strength if strength else 1.0  # load factor of d = 1 in the program
        else:
            self.unit = max(strength, SMALLEST_LOAD_SHARE * largest) if strength else largest
            self.factor_unit = 1.0
        k = problem.contacts
        extra = {None: 1, 1.0: 3 * k, 2.0: 0, np.inf: k}[p]  # d, or the bounds of the norm
        self.columns = 3 * k + extra
        self._rows()

    def _rows(self) -> None:
        """The rows that every state shares: those of the problem, and those of the norm."""
        problem, k = self.problem, self.problem.contacts
        rows = np.zeros((problem.rows, self.columns))
        rows[:, : 3 * k] = problem.maps.transpose(1, 0, 2).reshape(problem.rows, 3 * k)
        shift = problem.load
        if self._p is None:
            rows[:, 3 * k] = problem.load * (self.factor_unit / self.unit)
            shift = np.zeros(problem.rows)
        lower, upper = (problem.lower - shift) / self.unit, (problem.upper - shift) / self.unit
        self._fixed = problem.lower == problem.upper
        self._capped = ~self._fixed & np.isfinite(upper)
        self._propped = ~self._fixed & np.isfinite(lower)
        self._equal, self._equal_to = rows[self._fixed], lower[self._fixed]
        self._norm = self._norm_rows()
        self._below = np.concatenate([rows[self._capped], -rows[self._propped], self._norm])
        self._at_most = np.concatenate([upper[self._capped], -lower[self._propped]])

    def _norm_rows(self) -> Array:
        """Rows +-(R f)_a - t <= +-(R c)_a, without their right-hand sides; none but for p = 1 and infinity."""
        k = self.problem.contacts
        if self._p not in (1.0, np.inf):
            return np.zeros((0, self.columns))
        turned = np.zeros((3 * k, self.columns))
        for i in range(k):
            turned[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = self.problem.maps[i, :3]  # local to world
        bounds = np.zeros_like(turned)
        each = np.arange(3 * k)
        bounds[each, 3 * k + (each if self._p == 1.0 else each // 3)] = 1.0
        return np.concatenate([turned - bounds, -turned - bounds])

    def build(self, state: Sequence[Node]) -> ConvexProgram:
        """CP(g, S_1, ..., S_k) for one node a contact."""
        from scipy import sparse

        halfspaces = [tree.halfspaces(node) for tree, node in zip(self._trees, state, strict=True)]
        cost, curvature, norm_at_most = self._objective(state)
        facets = self._stacked([(h.normals, h.offsets) for h in halfspaces])
        planes = self._stacked([(h.axes, h.levels) for h in halfspaces])
        return ConvexProgram(
            cost,
            curvature,
            sparse.csr_matrix(sparse.vstack([sparse.csr_matrix(self._equal), planes[0]])),
            np.concatenate([self._equal_to, planes[1]]),
            sparse.csr_matrix(sparse.vstack([sparse.csr_matrix(self._below), facets[0]])),
            np.concatenate([self._at_most, norm_at_most, facets[1]]),
        )

    def _objective(self, state: Sequence[Node]) -> tuple[Array, Array, Array]:
        """(cost, curvature, right-hand sides of the norm's rows) of (10), or of -d."""
        k = self.problem.contacts
        cost, curvature = np.zeros(self.columns), np.zeros(self.columns)
        if self._p is None:
            cost[3 * k] = -1.0
            return cost, curvature, np.zeros(0)
        centres = [tree.centroid(node) / self.unit for tree, node in zip(self._trees, state, strict=True)]
        if self._p == 2.0:
            cost[:] = -np.concatenate(centres)
            curvature[:] = 1.0
            return cost, curvature, np.zeros(0)
        cost[3 * k :] = 1.0
        turned = np.einsum("kij,kj->ki", self.problem.maps[:, :3], centres).reshape(-1)
        return cost, curvature, np.concatenate([turned, -turned])

    def _stacked(self, blocks: Sequence[tuple[Array, Array]]) -> tuple[csr_matrix, Array]:
        """One block of rows over the three columns of each contact, and the right-hand sides."""
        from scipy import sparse

        counts = [len(normals) for normals, _ in blocks]
        total = sum(counts)
        columns = np.repeat(3 * np.arange(len(blocks)), counts)[:, None] + np.arange(3)
        values = np.concatenate([normals for normals, _ in blocks])
        starts = np.arange(0, 3 * total + 1, 3)
        matrix = sparse.csr_matrix((values.reshape(-1), columns.reshape(-1), starts), shape=(total, self.columns))
        return matrix, np.concatenate([offsets for _, offsets in blocks]) / self.unit

    # -- back to the contact problem ------------------------------------------------------------

    def forces(self, values: Array) -> Array:
        """(k, 3) local forces [N] of a solution."""
        k = self.problem.contacts
        return values[: 3 * k].reshape(k, 3) * self.unit

    def factor(self, values: Array) -> float:
        """Load factor of a solution; 1 in a test."""
        return float(values[3 * self.problem.contacts]) * self.factor_unit if self._p is None else 1.0

    def multipliers(self, answer: ProgramAnswer) -> Array | None:
        """(m,) y over the problem's rows, as a `Leaf` wants them, from the multipliers of a program."""
        if answer.equal_duals is None or answer.below_duals is None:
            return None
        y = np.zeros(self.problem.rows)
        fixed, capped, propped = (int(rows.sum()) for rows in (self._fixed, self._capped, self._propped))
        y[self._fixed] = -answer.equal_duals[:fixed]
        y[self._capped] -= answer.below_duals[:capped]
        y[self._propped] += answer.below_duals[capped : capped + propped]
        return y
