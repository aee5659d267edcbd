"""The convex programs of the paper's search, CP(g, S_1, ..., S_k), with their backends HiGHS and CVXOPT.

A node of the bounding hierarchy of one force volume stands for some of its pieces and bounds them by their hull
(III.F.a-c). The contacts of a unit share a node, that of the hierarchy of its first contact: it stands for the same
pieces of each, and bounds them by the product of their hulls. The programs need the hull's half-spaces, the objective
(10) the centroid of the pieces' union, branching the distances of a force to the pieces and to the hulls of a node's
children. All forces are in the contact frame [N].

A program replaces every volume by its node's hull. Variables are the local forces f_i in units that make them of size
1, for a load limit the load factor too, and for p = 1 and infinity the bounds t of the norm. The rows are

    A x = b:    wrench balance (3), joint rows (5) that allow one value, planes of flat hulls
    G x <= h:   the other joint rows, facets of the hulls, and the norm of (10)

Equilibrium minimises the sum of |f_i - c_i|_p over forces in the axes of the world (10); a load limit minimises -d.
Multipliers of the rows are reported as y over the rows of the contact problem, which is what a `Leaf` needs: the
facets' own multipliers are not needed, since support functions replace them.

HiGHS solves linear programs by its simplex method, quadratic ones by its active-set solver. CVXOPT, which the paper
used (IV.E), is an interior-point code: solutions and multipliers are right to about seven digits. It is under the GPL
and not a dependency of Holdfast; install it to use this backend.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from ... import tolerances
from ...checks import Array
from ...errors import missing_extra
from ...geometry.polytopes import Polytope, hull_of
from ...geometry.unions import Node, UnionMeasure, build_hierarchy
from ...linear_programs import Outcome
from ..highs import OUTCOMES, new_highs
from ..problem import ContactProblem

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: A force of a program counts as inside a piece when it is outside by no more than this share of the piece's size
#: (or of the force, in a cone): programs stop at tolerances of their own. Answers are then put right to MEMBERSHIP.
INSIDE = 1e-6

#: Beyond this many pieces below a node their overlaps are too many to subtract, and count as often as they occur.
MOST_OVERLAPPING = 8

#: Entries of a program's rows below this are rounding, and dropped.
ROUNDED_OFF = 1e-9

#: Volumes whose hierarchy is kept; what is kept depends on nothing but the pieces.
TREES_KEPT = 64


@dataclass(frozen=True, eq=False)
class NodeHalfSpaces:
    """A convex set in H-form: normals f <= offsets and, for a flat one, axes f = levels.

    Attributes:
        normals: (h, 3) outward unit normals of the facets.
        offsets: (h,) [N].
        axes: (q, 3) unit normals of the planes that a flat set lies in; (0, 3) for a body.
        levels: (q,) [N].
    """

    normals: Array
    offsets: Array
    axes: Array
    levels: Array


class ShapeTree:
    """The hierarchy over the pieces of one volume.

    Attributes:
        pieces: the convex pieces, F_i,1 to F_i,c of the paper.
        root: the node that bounds them all.
    """

    def __init__(self, pieces: tuple[Polytope, ...]) -> None:
        self.pieces = pieces
        self.root = build_hierarchy(pieces)
        self._nodes = {node.pieces: node for node in self.root.walk()}
        self._measure = UnionMeasure(pieces)
        self._centroids: dict[tuple[int, ...], Array] = {}
        self._halfspaces: dict[tuple[int, ...], NodeHalfSpaces] = {}

    def node(self, *pieces: int) -> Node:
        """The node that stands for these pieces, ascending; one without children where the hierarchy has none."""
        if pieces not in self._nodes:
            self._nodes[pieces] = Node(pieces, hull_of([self.pieces[j] for j in pieces]))
        return self._nodes[pieces]

    def halfspaces(self, node: Node) -> NodeHalfSpaces:
        """H-form of a node's hull."""
        if node.pieces not in self._halfspaces:
            normals, offsets = node.hull.halfspaces
            flat = node.hull.ambient_dimension - node.hull.dimension
            facets = len(normals) - 2 * flat  # a flat set's planes come last, each from both sides
            planes = slice(facets, facets + flat)
            self._halfspaces[node.pieces] = NodeHalfSpaces(
                normals[:facets], offsets[:facets], normals[planes], offsets[planes]
            )
        return self._halfspaces[node.pieces]

    def centroid(self, node: Node) -> Array:
        """(3,) centroid of the union of the pieces below a node, c_i of (10)."""
        if node.pieces not in self._centroids:
            if len(node.pieces) <= MOST_OVERLAPPING:
                centre = self._measure.centroid(node.pieces)
            else:
                single = [self._measure.measure((j,)) for j in node.pieces]
                total = sum(volume for volume, _ in single)
                parts = [self._measure.centroid((j,)) for j in node.pieces]
                centre = sum((moment for _, moment in single), np.zeros(3)) / total if total else np.mean(parts, axis=0)
            self._centroids[node.pieces] = centre
        return self._centroids[node.pieces]

    def violations(self, forces: Array) -> Array:
        """(pieces, n) by how much each force (n, 3) is outside each piece, relative to its size; negative inside."""
        outside = np.empty((len(self.pieces), len(forces)))
        for row, piece in zip(outside, self.pieces, strict=True):
            normals, offsets = piece.halfspaces
            size = np.maximum(np.abs(piece.vertices).max(), np.abs(forces).max(axis=1))
            row[:] = (forces @ normals.T - offsets).max(axis=1, initial=-np.inf) / np.where(size > 0.0, size, 1.0)
        return outside


@functools.lru_cache(maxsize=TREES_KEPT)
def shape_tree(pieces: tuple[Polytope, ...]) -> ShapeTree:
    """The hierarchy over `pieces`, made once for as long as the same pieces keep being asked about."""
    return ShapeTree(pieces)


def mask_of(node: Node) -> int:
    """The pieces below a node as a bit mask."""
    return sum(1 << j for j in node.pieces)


@dataclass(frozen=True, eq=False)
class StateProgram:
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

    def without_objective(self) -> StateProgram:
        """The same constraints, to be met only; solvers of quadratic programs do not prove infeasibility."""
        nothing = np.zeros_like(self.cost)
        return replace(self, cost=nothing, curvature=nothing)


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
        factor_unit: load factor of d = 1 in the program.
    """

    def __init__(self, problem: ContactProblem, trees: Sequence[ShapeTree], *, p: float | None) -> None:
        """`trees` holds one hierarchy per contact; `p` is the norm of a test at d = 1, None asks for the largest d."""
        self.problem = problem
        self._trees = trees
        self._p = p
        self.unit, self.factor_unit = problem.scales(maximise=p is None)
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

    def build(self, state: Sequence[Node]) -> StateProgram:
        """CP(g, S_1, ..., S_k) for one node per unit."""
        from scipy import sparse

        own = [tree.node(*state[unit].pieces) for tree, unit in zip(self._trees, self.problem.unit_of, strict=True)]
        halfspaces = [tree.halfspaces(node) for tree, node in zip(self._trees, own, strict=True)]
        cost, curvature, norm_at_most = self._objective(own)
        facets = self._stacked([(h.normals, h.offsets) for h in halfspaces])
        planes = self._stacked([(h.axes, h.levels) for h in halfspaces])
        return StateProgram(
            cost,
            curvature,
            sparse.csr_matrix(sparse.vstack([sparse.csr_matrix(self._equal), planes[0]])),
            np.concatenate([self._equal_to, planes[1]]),
            sparse.csr_matrix(sparse.vstack([sparse.csr_matrix(self._below), facets[0]])),
            np.concatenate([self._at_most, norm_at_most, facets[1]]),
        )

    def _objective(self, nodes: Sequence[Node]) -> tuple[Array, Array, Array]:
        """(cost, curvature, right-hand sides of the norm's rows) of (10), or of -d."""
        k = self.problem.contacts
        cost, curvature = np.zeros(self.columns), np.zeros(self.columns)
        if self._p is None:
            cost[3 * k] = -1.0
            return cost, curvature, np.zeros(0)
        centres = [tree.centroid(node) / self.unit for tree, node in zip(self._trees, nodes, strict=True)]
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


def solve_on_highs(program: StateProgram, *, time_limit: float) -> ProgramAnswer:
    """Solve from scratch; an infeasible program comes back with the multipliers of a Farkas ray."""
    highs = _highs_model(program, time_limit)
    highs.run()
    outcome = OUTCOMES.get(highs.getModelStatus(), Outcome.LIMIT)
    if outcome is Outcome.OPTIMAL:
        solution = highs.getSolution()
        return _answer(program, outcome, np.array(solution.col_value), -np.array(solution.row_dual))
    if outcome is Outcome.INFEASIBLE and program.is_quadratic:  # the active-set solver keeps no ray
        refuted = solve_on_highs(program.without_objective(), time_limit=time_limit)
        return refuted if refuted.outcome is Outcome.INFEASIBLE else ProgramAnswer(Outcome.LIMIT)
    if outcome is Outcome.INFEASIBLE:
        _, found, ray = highs.getDualRay()
        return _answer(program, outcome, None, _signed(program, np.array(ray)) if found else None)
    return ProgramAnswer(outcome)


def _highs_model(program: StateProgram, time_limit: float) -> Any:
    """The program as HiGHS holds it: the rows A x = b, then the rows G x <= h."""
    from scipy import sparse

    # The objective is strictly convex already: no regularisation.
    highs = new_highs(qp_regularization_value=0.0, small_matrix_value=ROUNDED_OFF, time_limit=time_limit)
    matrix: Any = sparse.csr_matrix(sparse.vstack([program.equal, program.below]))
    n, unlimited = len(program.cost), np.full(len(program.cost), np.inf)
    none, empty = np.zeros(n, dtype=np.int32), np.zeros(0, dtype=np.int32)
    highs.addCols(n, program.cost, -unlimited, unlimited, 0, none, empty, np.zeros(0))
    highs.addRows(
        matrix.shape[0],
        np.concatenate([program.equal_to, np.full(len(program.at_most), -np.inf)]),
        np.concatenate([program.equal_to, program.at_most]),
        matrix.nnz,
        matrix.indptr[:-1].astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
    )
    if program.is_quadratic:
        hessian = highspy.HighsHessian()
        hessian.dim_, hessian.format_ = n, highspy.HessianFormat.kTriangular
        hessian.start_, hessian.index_, hessian.value_ = np.arange(n + 1), np.arange(n), program.curvature
        highs.passHessian(hessian)
    return highs


def _signed(program: StateProgram, ray: Array) -> Array:
    """A ray with the sign that makes it a proof: multipliers of the rows G x <= h are not negative."""
    rows = np.concatenate([program.equal_to, program.at_most])
    return -ray if rows @ ray > 0.0 else ray


def _answer(program: StateProgram, outcome: Outcome, values: Array | None, duals: Array | None) -> ProgramAnswer:
    if duals is None:
        return ProgramAnswer(outcome, values)
    equal = len(program.equal_to)
    return ProgramAnswer(outcome, values, duals[:equal], duals[equal:])


#: CVXOPT often stops a little short of its own tolerance (1e-7) and says "unknown"; residuals below this will do.
NEARLY = 1e-6

#: Statuses of CVXOPT; "unknown" depends on the residuals.
CVXOPT_OUTCOMES = {
    "optimal": Outcome.OPTIMAL,
    "primal infeasible": Outcome.INFEASIBLE,
    "dual infeasible": Outcome.UNBOUNDED,
}


def _cvxopt() -> tuple[Any, Any]:
    """CVXOPT and its solvers, or an error that says how to get it."""
    try:
        return importlib.import_module("cvxopt"), importlib.import_module("cvxopt.solvers")
    except ImportError:
        raise missing_extra("cvxopt", "cvxopt", purpose='PaperBranchAndBound(backend="cvxopt")') from None


def solve_on_cvxopt(program: StateProgram, *, time_limit: float) -> ProgramAnswer:
    """Solve from scratch; an infeasible program comes back with its certificate.

    `time_limit` cannot be kept inside CVXOPT; programs take well under a second. Its quadratic solver cannot tell
    that there is no solution: where it ends without one, the linear solver is asked without the objective.
    """
    del time_limit
    _cvxopt()
    rank, turned, lost = _independent(program)
    if lost is not None:
        return ProgramAnswer(Outcome.INFEASIBLE, None, lost, np.zeros(len(program.at_most)))
    raw = _call(program, rank, turned)
    outcome = _cvxopt_outcome(raw)
    if program.is_quadratic and outcome is not Outcome.OPTIMAL:
        raw = _call(program.without_objective(), rank, turned)
        outcome = _cvxopt_outcome(raw)
    if raw is None or outcome is Outcome.LIMIT:
        return ProgramAnswer(Outcome.LIMIT)
    values = None if raw["x"] is None else np.array(raw["x"]).reshape(-1)
    if raw["y"] is None:
        return ProgramAnswer(outcome, values)
    duals = np.array(raw["y"]).reshape(-1)
    return ProgramAnswer(outcome, values, duals if turned is None else turned @ duals, np.array(raw["z"]).reshape(-1))


def _independent(program: StateProgram) -> tuple[int, Array | None, Array | None]:
    """What is left of the rows A x = b when none depends on others, as CVXOPT demands.

    Returns their rank, the orthonormal combinations (p, rank) that replace them (None when all stay), and multipliers
    (p,) that prove that dependent rows contradict each other (None when they do not).
    """
    dense = program.equal.toarray()
    left, values, _ = np.linalg.svd(dense, full_matrices=True)
    rank = int((values > tolerances.FLAT * values.max(initial=0.0)).sum())
    if rank == len(dense):
        return rank, None, None
    across = left[:, rank:]
    rest = across @ (across.T @ program.equal_to)
    contradicts = np.abs(rest).max() > tolerances.FEASIBILITY * np.abs(program.equal_to).max()
    return rank, left[:, :rank], -rest if contradicts else None


def _call(program: StateProgram, rank: int, turned: Array | None) -> dict[str, Any] | None:
    """CVXOPT's own answer, or None where it gave up with an arithmetic error."""
    cvxopt, solvers = _cvxopt()
    matrix = cvxopt.matrix

    def sparse(rows: Any) -> Any:
        triplets = rows.tocoo()
        places = (matrix(triplets.row.astype(int)), matrix(triplets.col.astype(int)))
        return cvxopt.spmatrix(matrix(triplets.data), *places, triplets.shape)

    inequalities = (sparse(program.below), matrix(program.at_most))
    if turned is None:
        equalities = (sparse(program.equal), matrix(program.equal_to))
    else:
        equalities = (matrix(turned.T @ program.equal.toarray()), matrix(turned.T @ program.equal_to))
    if not rank:
        equalities = (None, None)
    options = {"show_progress": False}
    cost = matrix(program.cost)
    try:
        if program.is_quadratic:
            n = len(program.cost)
            curvature = cvxopt.spmatrix(matrix(program.curvature), range(n), range(n))
            return solvers.qp(curvature, cost, *inequalities, *equalities, options=options)
        return solvers.lp(cost, *inequalities, *equalities, options=options)
    except (ArithmeticError, ValueError):  # a singular system, or rows that leave some variable free
        return None


def _cvxopt_outcome(raw: dict[str, Any] | None) -> Outcome:
    """CVXOPT's status; "unknown" is as good as "optimal" where the residuals are small."""
    if raw is None:
        return Outcome.LIMIT
    if raw["status"] == "unknown":
        gap, primal, dual = (raw[key] for key in ("relative gap", "primal infeasibility", "dual infeasibility"))
        near = all(value is not None and value <= NEARLY for value in (gap, primal, dual))
        return Outcome.OPTIMAL if near else Outcome.LIMIT
    return CVXOPT_OUTCOMES[raw["status"]]


#: What solves the programs, by name.
BACKENDS = {"highs": solve_on_highs, "cvxopt": solve_on_cvxopt}
