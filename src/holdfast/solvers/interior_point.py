"""Convex problems with many bodies: a sparse interior-point method (Clarabel), each answer with its own proof.

The exact method's kernels work on dense rows. With n bodies there are 6 n rows, but a contact has numbers in twelve of
them at most: beyond a few bodies a sparse method is faster by orders of magnitude. Unions of pieces stay with the exact
method.

A test does not ask for feasibility, which an interior-point method answers badly near the limit. It asks how far all
limits would have to be moved outwards:

    minimise s  subject to  maps f + load within [lower - s, upper + s] (joint rows; balance rows exactly),
                            normals_i f_i <= offsets_i + s,  s >= -1.

Units are such that the load has size 1. s <= 0 gives forces inside every limit; s > 0 gives multipliers that separate.
The program has forces strictly inside its limits for every load that any forces balance at all, so that both come out
to nearly the rounding of the numbers. Where they do not, the same program goes to a simplex method (HiGHS), which is
slower but ends at a vertex. No answer is taken on trust: forces are checked against every row and limit, and
multipliers by support functions alone (`certificates`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import tolerances
from ..checks import Array, BoolArray
from ..compiling import clock
from ..errors import InputError
from ..linear_programs import TIGHT, minimise
from .certificates import Certificate, Leaf, factor_bound, least_factor, separation_margin
from .problem import ContactProblem, Layout, Solution, SolverMethod, SolverStats, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scipy.sparse import csr_array

#: Clarabel is asked for residuals and gaps of this share; it stops earlier where rounding allows no more.
WANTED = 1e-11

#: Answers of Clarabel that may be looked at: what they claim is checked in any case.
ANSWERED = ("Solved", "AlmostSolved", "InsufficientProgress", "MaxIterations")

#: Limits this many times further out than the load are left out at first; they are added where forces pass them.
FAR = 1e4

#: Multipliers below these shares of the largest are tried as zero, one share after the other: bodies that take no part
#: in a motion have none, but an interior-point method leaves small numbers there, and those prove nothing.
IDLE = (0.0, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5)

#: Multipliers are polished with this share of the largest entry added to the diagonal, so many times over.
POLISH_SHIFT, POLISH_ROUNDS = 1e-9, 3

#: Active normals of a contact span a direction when their squares sum to more than this along it.
SPANNED = 1e-9

#: Forces below this share of the load are left out where they were not admissible before rounding.
IDLE_FORCE = 1e-12

#: Largest factors below this share of the unit of force are tried as zero.
NOTHING = 1e-8

#: How often a largest factor is sought in better units of force before the simplex method is asked.
ATTEMPTS = 3

#: Units of force are worth another attempt where they differ from the forces of the answer by more than this factor.
WRONG_UNIT = 30.0


class SparseLimits(NamedTuple):
    """The limits of all contacts as rows: normals (h, 3k) f <= offsets (h,) [N]."""

    normals: csr_array
    offsets: Array


class SparseProgram(NamedTuple):
    """minimise objective . x + x . (squares x) / 2 subject to equal x = value and less x <= most.

    x = (forces (3k), one more variable).
    """

    objective: Array
    equal: csr_array
    value: Array
    less: csr_array
    most: Array
    squares: Array | None = None


class SparseAnswer(NamedTuple):
    """What Clarabel found: x, multipliers of the equal and of the less rows, its status, and iterations."""

    x: Array
    equal: Array
    less: Array
    status: str
    iterations: int


@dataclass(frozen=True, kw_only=True)
class InteriorPoint(SolverMethod):
    """Convex volumes only: one program per question, sparse in the contacts.

    Attributes:
        gap: relative gap at which a load limit counts as found.
        time_limit: seconds before the answer is "undecided".
    """

    gap: float = tolerances.GAP
    time_limit: float = 60.0

    def test(self, problem: ContactProblem) -> Solution:
        """Whether d = 1 holds: forces, or multipliers that separate, or undecided."""
        return _Run(self, _convex(problem)).test()

    def maximise(self, problem: ContactProblem) -> Solution:
        """The largest d, with a certified bound."""
        return _Run(self, _convex(problem)).maximise()


def solve_sparse(program: SparseProgram, time_limit: float) -> SparseAnswer | None:
    """Clarabel's answer to a program; None when no time is left."""
    import clarabel
    from scipy.sparse import csc_matrix, vstack

    if time_limit <= 0.0:
        return None
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.time_limit, settings.presolve_enable = False, time_limit, False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = WANTED
    size, equal = len(program.objective), len(program.value)
    squares = np.zeros(size) if program.squares is None else program.squares
    at = np.nonzero(squares > 0.0)[0]
    solver = clarabel.DefaultSolver(
        csc_matrix((squares[at], (at, at)), shape=(size, size)),
        program.objective,
        csc_matrix(vstack([program.equal, program.less], format="csc")),
        np.concatenate([program.value, program.most]),
        [clarabel.ZeroConeT(equal), clarabel.NonnegativeConeT(len(program.most))],
        settings,
    )
    found: Any = solver.solve()
    z = np.array(found.z)
    return SparseAnswer(np.array(found.x), z[:equal], z[equal:], str(found.status), found.iterations)


def admissible(layout: Layout, forces: Array, scale: float) -> Array | None:
    """Local forces (k, 3) that lie in their volumes; None where they do not.

    Forces outside by a rounding of `scale` [N] are moved to the nearest point of their volume. A contact that then
    bears next to nothing bears nothing.
    """
    limits: SparseLimits = layout.kept("sparse limits", sparse_limits)
    outside = limits.normals @ forces.reshape(-1) - limits.offsets
    contact = limits.normals.indices[limits.normals.indptr[:-1]] // 3
    vertices = np.array([float(np.abs(shape[0].vertices).max()) for shape in layout.shapes])[layout.shape_of]
    sizes = np.maximum(vertices, np.abs(forces).max(axis=1))[contact]
    wrong = outside > tolerances.MEMBERSHIP * np.where(sizes > 0.0, sizes, 1.0)
    if not wrong.any():
        return forces
    if outside[wrong].max() > tolerances.FEASIBILITY * scale:
        return None
    moved = forces.copy()
    for i in np.unique(contact[wrong]):
        nearest = layout.shapes[layout.shape_of[i]][0].nearest(forces[i])
        idle = layout.contains_zero and np.abs(nearest).max() <= IDLE_FORCE * scale
        moved[i] = 0.0 if idle else nearest
    return moved


def without_small(values: Array, *, block: int = 1) -> Iterator[Array]:
    """Copies of an array with more and more small blocks set to zero: below the shares `IDLE` of the largest entry."""
    sizes, before = np.abs(values.reshape(-1, block)).max(axis=1, initial=0.0), -1
    largest = float(sizes.max(initial=0.0))
    if not np.isfinite(largest):
        return
    for share in IDLE:
        kept = sizes > share * largest
        if kept.sum() != before:
            before = kept.sum()
            yield np.where(np.repeat(kept, block), values, 0.0)


def even_forces(problem: ContactProblem, sizes: Array) -> Array | None:
    """(k, 3) the local forces of least sum_i |f_i|^2 / sizes_i^2 that hold d = 1; None where they were not found."""
    return _Run(InteriorPoint(), _convex(problem)).even_forces(sizes)


def _convex(problem: ContactProblem) -> ContactProblem:
    if problem.combinations > 1:
        fix = "use Exact(), which chooses among the pieces"
        raise InputError("has volumes of several pieces", where="problem", fix=fix)
    return problem


def sparse_rows(layout: Layout) -> csr_array:
    """(m, 3k) the rows of a layout on stacked local forces."""
    from scipy.sparse import csr_array

    contact, at, axis = np.nonzero(layout.blocks)
    row = at if layout.touched is None else layout.touched[contact, at]
    shape = (len(layout.lower), 3 * len(layout.shape_of))
    return csr_array((layout.blocks[contact, at, axis], (row, 3 * contact + axis)), shape=shape)


def sparse_limits(layout: Layout) -> SparseLimits:
    """The half-spaces of every contact's volume."""
    from scipy.sparse import csr_array

    own = [shape[0].halfspaces for shape in layout.shapes]
    counts = np.array([len(offsets) for _, offsets in own])[layout.shape_of]
    normals = np.concatenate([own[shape][0] for shape in layout.shape_of])
    offsets = np.concatenate([own[shape][1] for shape in layout.shape_of])
    contact = np.repeat(np.arange(len(layout.shape_of)), counts)
    columns = (3 * contact[:, None] + np.arange(3)).reshape(-1)
    starts = 3 * np.arange(len(offsets) + 1)
    return SparseLimits(
        csr_array((normals.reshape(-1), columns, starts), shape=(len(offsets), 3 * len(counts))), offsets
    )


@dataclass(eq=False)
class _Run:
    """One question."""

    method: InteriorPoint
    problem: ContactProblem
    began: float = field(default_factory=clock)
    programs: int = 0
    iterations: int = 0
    #: The last program, and which of the limits it had.
    asked: tuple[SparseProgram, BoolArray] | None = None

    @cached_property
    def rows(self) -> csr_array:
        return self.problem.layout.kept("sparse rows", sparse_rows)

    @cached_property
    def limits(self) -> SparseLimits:
        return self.problem.layout.kept("sparse limits", sparse_limits)

    @cached_property
    def joints(self) -> tuple[csr_array, Array, Array]:
        """(rows, signs, bounds) of the finite joint bounds as signs rows f <= bounds - signs load; rows by number."""
        layout = self.problem.layout
        numbers, signs, bounds = [], [], []
        for row in range(layout.balance, len(layout.lower)):
            for sign, bound in ((1.0, layout.upper[row]), (-1.0, -layout.lower[row])):
                if np.isfinite(bound):
                    numbers.append(row)
                    signs.append(sign)
                    bounds.append(bound)
        return np.array(numbers, dtype=np.int64), np.array(signs), np.array(bounds)

    # -- a test -----------------------------------------------------------------------------------

    def test(self) -> Solution:
        """Whether d = 1 holds."""
        problem = self.problem
        strength = float(np.abs(problem.load).max()) or problem.layout.largest_size
        for solve in (self._interior, self._simplex):
            forces, answer = self._least_excess(solve, strength, self.limits.offsets, self.joints[2])
            held = None if forces is None else self._admissible(forces, 1.0)
            if held is not None:
                return self._solution(Status.HOLDS, 1.0, np.inf, held)
            certificate = None if answer is None else self._separating(answer)
            if certificate is not None:
                return self._solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=certificate)
        return self._solution(Status.UNDECIDED, -np.inf, np.inf)

    def _least_excess(
        self, solve: Callable[[SparseProgram], SparseAnswer | None], unit: float, offsets: Array, bounds: Array
    ) -> tuple[Array | None, SparseAnswer | None]:
        """(forces (k, 3) or None, what was found) of the program of the module, in units of `unit` [N]."""
        problem, balance = self.problem, self.problem.layout.balance
        numbers, signs, _ = self.joints
        load = problem.load / unit
        from scipy.sparse import block_array, csr_array, diags_array, vstack

        rows = self.rows
        equal = block_array([[rows[:balance], csr_array((balance, 1))]], format="csr")
        joint = diags_array(signs) @ rows[numbers] if len(numbers) else csr_array((0, rows.shape[1]))
        joint_most = bounds / unit - signs * load[numbers]
        near = np.ones(len(offsets), dtype=bool)
        if (offsets > FAR * unit).any():
            near = offsets <= FAR * unit
        answer = None
        while True:
            normals, most = self.limits.normals[near], offsets[near] / unit
            limits = vstack([normals, joint], format="csr")
            less = block_array(
                [[limits, csr_array(-np.ones((limits.shape[0], 1)))], [None, csr_array([[-1.0]])]], format="csr"
            )
            objective = np.zeros(less.shape[1])
            objective[-1] = 1.0
            program = SparseProgram(objective, equal, -load[:balance], less, np.concatenate([most, joint_most, [1.0]]))
            self.asked = program, near
            answer = solve(program)
            if answer is None or not np.isfinite(answer.x).all():
                return None, answer
            forces = self._balanced(answer.x[:-1], load[:balance]) * unit
            passed = ~near & (self.limits.normals @ forces > offsets)
            if not passed.any():
                return forces.reshape(-1, 3), answer
            near = near | passed

    def _balanced(self, forces: Array, load: Array) -> Array:
        """Forces (3k,) moved by the least amount that balances the load exactly."""
        from scipy.sparse.linalg import lsqr

        rows = self.rows[: self.problem.layout.balance]
        missing = rows @ forces + load
        if np.abs(missing).max() <= tolerances.ROUNDING:
            return forces
        return forces - lsqr(rows, missing, atol=tolerances.ROUNDING, btol=tolerances.ROUNDING)[0]

    def _admissible(self, forces: Array, factor: float) -> Array | None:
        """Local forces (k, 3) that obey every row and limit; None where they do not."""
        scale = self.problem.force_scale(forces, factor)
        held = admissible(self.problem.layout, forces, scale)
        if held is None or self.problem.residual(held, factor) > tolerances.FEASIBILITY * scale:
            return None
        return held

    def _multipliers(self, answer: SparseAnswer) -> Array:
        """(m,) y of `certificates` from the multipliers of the program."""
        problem, (numbers, signs, _) = self.problem, self.joints
        y = np.zeros(problem.rows)
        y[: problem.layout.balance] = -answer.equal
        joint = answer.less[len(answer.less) - 1 - len(numbers) : len(answer.less) - 1]
        np.subtract.at(y, numbers, signs * joint)
        return y

    def _cleaned(self, answer: SparseAnswer) -> Iterator[Array]:
        """(m,) the multipliers, with more and more small ones set to zero; of size 1."""
        y = self._multipliers(answer)
        size = float(np.abs(y).max())
        if np.isfinite(size) and size > 0.0:
            yield from without_small(y / size)
            if (polished := self._polished(answer, y / size)) is not None:
                yield from without_small(polished)

    def _polished(self, answer: SparseAnswer, y: Array) -> Array | None:
        """(m,) the multipliers y, moved to where complementarity holds to rounding; None where that fails.

        A limit is active where its multiplier exceeds its slack. At an optimum maps_i^T y is a combination of the
        active normals of contact i. With P_i the projector on what is at right angles to these, y is sought in the
        null space of K = sum_i maps_i P_i maps_i^T (and of the joint rows at no bound), by inverse iteration from y.
        """
        from scipy.sparse import bsr_array, csc_array, diags_array
        from scipy.sparse.linalg import splu

        if self.asked is None or not (np.isfinite(answer.x).all() and np.isfinite(answer.less).all()):
            return None
        (program, near), (numbers, _, _) = self.asked, self.joints
        active = answer.less > program.most - program.less @ answer.x
        own = np.nonzero(near)[0][active[: int(near.sum())]]
        k = self.problem.contacts
        normals = self.limits.normals.data.reshape(-1, 3)[own]
        spanned = np.zeros((k, 3, 3))
        np.add.at(spanned, self.limits.normals.indices[3 * own] // 3, normals[:, :, None] * normals[:, None, :])
        sizes, axes = np.linalg.eigh(spanned)
        across = (axes * (sizes <= SPANNED)[:, None, :]) @ axes.transpose(0, 2, 1)
        blocks = bsr_array((across, np.arange(k), np.arange(k + 1)), shape=(3 * k, 3 * k))
        loose = np.zeros(self.problem.rows)
        loose[self.problem.layout.balance :] = 1.0
        loose[numbers[active[len(active) - 1 - len(numbers) : -1]]] = 0.0
        system = self.rows @ blocks @ self.rows.T + diags_array(loose)
        shift = POLISH_SHIFT * float(np.abs(system.diagonal()).max())
        if shift == 0.0:
            return None
        factors = splu(csc_array(system + shift * diags_array(np.ones(len(y)))))
        for _ in range(POLISH_ROUNDS):
            y = factors.solve(y)
            size = float(np.abs(y).max())
            if not (np.isfinite(size) and size > 0.0):
                return None
            y = y / size
        return y

    def _separating(self, answer: SparseAnswer) -> Certificate | None:
        """The certificate that d = 1 does not hold, if the multipliers are one."""
        for y in self._cleaned(answer):
            if self._separates(y):
                return Certificate(None, (Leaf(self.problem.all_pieces, y),))
        return None

    def _separates(self, y: Array) -> bool:
        """Whether multipliers prove that d = 1 does not hold.

        A ray that is climbed within its tolerance could take up a margin that is as small: the margin is then a clear
        share of the load's work.
        """
        problem, pieces = self.problem, self.problem.all_pieces
        if separation_margin(problem, pieces, y, slope=tolerances.UNIT_ROUNDING) > 0.0:
            return True
        margin = separation_margin(problem, pieces, y)
        return margin > tolerances.SEPARATION

    # -- a largest factor -------------------------------------------------------------------------

    def maximise(self) -> Solution:
        """The largest d."""
        problem, layout = self.problem, self.problem.layout
        strength = float(np.abs(problem.load).max())
        unit = layout.largest_size
        best = self._solution(Status.UNDECIDED, -np.inf, np.inf)
        for attempt in range(ATTEMPTS + 1):
            solve = self._interior if attempt < ATTEMPTS else self._simplex
            answer = solve(self._largest_factor(unit, strength))
            if answer is None:
                break
            if answer.status not in ANSWERED:
                if attempt == 0 and (grown := self._unbounded()) is not None:
                    return grown
                if (never := self._never(answer)) is not None:
                    return never
            found = self._factor(answer, unit, strength)
            best = found if found.status is Status.OPTIMAL or found.factor > best.factor else best
            if found.status is Status.OPTIMAL:
                break
            size = abs(found.factor) * strength
            if size > 0.0 and np.isfinite(size) and not 1.0 / WRONG_UNIT < size / unit < WRONG_UNIT:
                unit = size
        return replace(best, effort=self._effort())

    def _largest_factor(self, unit: float, strength: float) -> SparseProgram:
        """minimise -d subject to rows f + d load = 0 and the limits, forces in `unit`, d in unit / strength."""
        from scipy.sparse import block_array, csr_array, diags_array, vstack

        problem, balance = self.problem, self.problem.layout.balance
        numbers, signs, bounds = self.joints
        load = problem.load / strength if strength else problem.load
        rows = self.rows
        equal = block_array([[rows[:balance], csr_array(load[:balance, None])]], format="csr")
        joint = diags_array(signs) @ rows[numbers] if len(numbers) else csr_array((0, rows.shape[1]))
        limits = vstack([self.limits.normals, joint], format="csr")
        column = np.concatenate([np.zeros(len(self.limits.offsets)), signs * load[numbers]])
        less = block_array([[limits, csr_array(column[:, None])], [None, csr_array((1, 1))]], format="csr")
        objective = np.zeros(less.shape[1])
        objective[-1] = -1.0
        most = np.concatenate([self.limits.offsets / unit, bounds / unit, [1.0]])
        program = SparseProgram(objective, equal, np.zeros(balance), less, most)
        self.asked = program, np.ones(len(self.limits.offsets), dtype=bool)
        return program

    def _factor(self, answer: SparseAnswer, unit: float, strength: float) -> Solution:
        """The factor that the answer's forces attain, and the bound that its multipliers prove."""
        problem = self.problem
        factor, load = float(answer.x[-1]), problem.load[: problem.layout.balance]
        forces = self._balanced(answer.x[:-1], factor * load / (strength or 1.0)).reshape(-1, 3) * unit
        factor *= unit / (strength or 1.0)
        bounds = [(factor_bound(problem, problem.all_pieces, y), at, y) for at, y in enumerate(self._cleaned(answer))]
        bound, _, y = min(bounds, default=(np.inf, 0, np.zeros(problem.rows)))
        if problem.is_star_shaped and abs(factor) * strength <= NOTHING * unit and bound <= least_factor(problem):
            factor, forces = 0.0, np.zeros_like(forces)
        held = self._admissible(forces, factor) if np.isfinite(forces).all() else None
        if held is None:
            return self._solution(Status.UNDECIDED, -np.inf, bound)
        closed = bound - factor <= max(self.method.gap * abs(factor), least_factor(problem))
        if not closed:
            return self._solution(Status.UNDECIDED, factor, bound, held)
        claim = max(bound, factor)
        certificate = Certificate(claim, (Leaf(problem.all_pieces, y),))
        return self._solution(Status.OPTIMAL, factor, claim, held, certificate=certificate)

    def _never(self, answer: SparseAnswer) -> Solution | None:
        """The answer that no factor at all holds, if the multipliers prove it."""
        load = self.problem.load
        for cleaned in self._cleaned(answer):
            y = cleaned
            for _ in range(2):  # every factor alike: at right angles to the load, to rounding
                y = y - load * (y @ load) / ((load @ load) or 1.0)
            certificate = Certificate(-np.inf, (Leaf(self.problem.all_pieces, y),))
            if certificate.verify(self.problem):
                return self._solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=certificate)
        return None

    def _unbounded(self) -> Solution | None:
        """The answer that there is no limit, if forces along the rays of the volumes balance the load for ever."""
        problem = self.problem
        if not (problem.layout.has_rays and problem.is_star_shaped and problem.load.any()):
            return None
        strength = float(np.abs(problem.load).max())
        cones = np.zeros_like(self.limits.offsets), np.zeros_like(self.joints[2])
        growth, _ = self._least_excess(self._interior, strength, *cones)
        growth = None if growth is None else self._admissible(growth, 1.0)
        if growth is None:
            return None
        slopes = (self.limits.normals @ growth.reshape(-1)).reshape(-1)
        if (slopes > tolerances.MEMBERSHIP * np.abs(growth).max()).any():
            return None
        return self._solution(Status.UNBOUNDED, 1.0, np.inf, growth, growth=growth)

    # -- the most even forces ---------------------------------------------------------------------

    def even_forces(self, sizes: Array) -> Array | None:
        """The forces of least sum_i |f_i|^2 / sizes_i^2 at d = 1."""
        unit = float(np.abs(self.problem.load).max()) or self.problem.layout.largest_size
        fixed = self._largest_factor(unit, unit)  # d in units of the load: the last column is the load, d = 1
        last = np.zeros((1, fixed.equal.shape[1]))
        last[0, -1] = 1.0
        from scipy.sparse import csr_array, vstack

        program = fixed._replace(
            objective=np.zeros_like(fixed.objective),
            equal=vstack([fixed.equal, csr_array(last)], format="csr"),
            value=np.append(fixed.value, 1.0),
            squares=np.append(np.repeat((sizes.max() / sizes) ** 2, 3), 0.0),
        )
        answer = self._interior(program)
        if answer is None or answer.status not in ANSWERED or not np.isfinite(answer.x).all():
            return None
        load = self.problem.load[: self.problem.layout.balance] / unit
        return self._admissible(self._balanced(answer.x[:-1], load).reshape(-1, 3) * unit, 1.0)

    # -- solvers ----------------------------------------------------------------------------------

    def _simplex(self, program: SparseProgram) -> SparseAnswer | None:
        """The answer of HiGHS's dual simplex method; None when it has none within the time."""
        left = self.method.time_limit - (clock() - self.began)
        if left <= 0.0:
            return None
        rows = program.less, program.most, program.equal, program.value
        found = minimise(program.objective, *rows, tolerance=TIGHT, method="highs-ds", time_limit=left)
        self.programs += 1
        if not found.optimal:
            return None
        return SparseAnswer(found.x, -found.equality_marginals, -found.upper_marginals, "Solved", 0)

    def _interior(self, program: SparseProgram) -> SparseAnswer | None:
        """Clarabel's answer; None when the time is over."""
        answer = solve_sparse(program, self.method.time_limit - (clock() - self.began))
        self.programs += 1
        self.iterations += 0 if answer is None else answer.iterations
        return answer

    def _effort(self) -> SolverStats:
        return SolverStats(
            programs=self.programs, nodes=1, seconds=clock() - self.began, pivots=self.iterations, stages={}
        )

    def _solution(
        self, status: Status, factor: float, bound: float, forces: Array | None = None, **more: Any
    ) -> Solution:
        pieces = None if forces is None else np.zeros(self.problem.contacts, dtype=np.int64)
        return Solution(status, factor, bound, forces, pieces, effort=self._effort(), **more)
