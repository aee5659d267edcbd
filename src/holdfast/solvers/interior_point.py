"""Convex problems with many bodies: a sparse interior-point method (Clarabel), each answer with its own proof.

The exact method's kernels work on dense rows. With n bodies there are 6 n rows, but a contact has numbers in twelve of
them at most: beyond a few bodies a sparse method is faster by orders of magnitude. Unions of pieces stay with the exact
method.

A test is not posed as a feasibility problem, which an interior-point method decides poorly near the limit. It computes
how far all limits would have to be moved outwards:

    minimise s  subject to  maps f + load within [lower - s, upper + s] (joint rows; balance rows exactly),
                            normals_i f_i <= offsets_i + s,  s >= -1.

Units are such that the load has size 1; where bodies bear loads of very different sizes, each body has its own unit,
found from the forces of a first answer. s <= 0 gives forces inside every limit; s > 0 gives multipliers that separate.
The program has forces strictly inside its limits for every load that any forces balance at all, so that both come out
to nearly the rounding of the numbers. Where they do not, the same program goes to a simplex method (HiGHS), which is
slower but ends at a vertex. No answer is trusted: forces are checked against every row and limit, and
multipliers by support functions alone (`certificates`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import tolerances
from ..checks import Array, BoolArray, IntArray
from ..compiling import clock
from ..errors import InputError
from ..linear_programs import TIGHT, minimise
from .certificates import Certificate, Leaf, factor_bound, least_factor, rounded_factor, separation_margin
from .problem import ContactProblem, Layout, Solution, SolverMethod, SolverStats, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    csr_array = Any  # scipy's annotations of sparse arrays are too narrow

#: Clarabel is asked for residuals and gaps of this share; it stops earlier where rounding allows no more.
WANTED = 1e-11

#: Statuses of Clarabel whose answers are used; what they claim is checked in any case.
ANSWERED = ("Solved", "AlmostSolved", "InsufficientProgress", "MaxIterations")

#: Limits this many times further out than the load are left out at first; they are added where forces pass them.
FAR = 1e4

#: Of volumes with more limits than this, so many that point in all directions are taken at first; the others are added
#: where forces pass them, by more than this share of the unit.
FIRST_LIMITS, PASSED = 24, 1e-11

#: Multipliers below these shares of the largest are tried as zero, one share after the other: bodies that take no part
#: in a motion have none, but an interior-point method leaves small numbers there, and those prove nothing.
IDLE = (0.0, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5)

#: Multipliers are polished with this share of the largest entry added to the diagonal, in this many iterations.
POLISH_SHIFT, POLISH_ROUNDS = 1e-9, 3

#: Active normals of a contact span a direction when their squares sum to more than this along it.
SPANNED = 1e-9

#: Forces below this share of the load are left out where they were not admissible before rounding.
IDLE_FORCE = 1e-12

#: Largest factors below this share of the unit of force are tried as zero.
NOTHING = 1e-8

#: How often an answer is sought in better units of force before the simplex method is asked.
ATTEMPTS = 3

#: Forces are moved for balance where it is off by more than this share of the tolerance.
BALANCED = 0.01

#: How often what least squares leave of a load is projected again, against rounding.
REFINEMENTS = 3

#: Load factors from which an unlimited load may start, tried in turn where the factor 0 does not hold.
STARTS = (1.0, 1e3)

#: Units of force are worth another attempt where they differ from the forces of the answer by more than this factor.
WRONG_UNIT = 30.0


class SparseLimits(NamedTuple):
    """The limits of all contacts as rows: normals (h, 3k) f <= offsets (h,) [N], and the contact of each (h,)."""

    normals: csr_array
    offsets: Array
    contact: IntArray


class ForceUnits(NamedTuple):
    """Units of force [N] of contacts (k,) and rows (m,), chosen so that the numbers of a program are near 1."""

    contacts: Array
    rows: Array

    def differ(self, other: ForceUnits) -> bool:
        """Whether some unit differs by more than the factor `WRONG_UNIT`."""
        return any(np.abs(np.log(a / b)).max() > np.log(WRONG_UNIT) for a, b in zip(self, other, strict=True))


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


def solve_sparse(program: SparseProgram, time_limit: float, *, refine: bool = True) -> SparseAnswer | None:
    """Clarabel's answer to a program; None when no time is left.

    Without `refine` its linear systems are solved once each, which takes 60 % of the time.
    """
    from scipy.sparse import csc_matrix, vstack

    clarabel: Any = import_module("clarabel")

    if time_limit <= 0.0:
        return None
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.time_limit, settings.presolve_enable = False, time_limit, False
    settings.iterative_refinement_enable = refine
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
    contact = limits.contact
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
        csr_array((normals.reshape(-1), columns, starts), shape=(len(offsets), 3 * len(counts))), offsets, contact
    )


def first_limits(layout: Layout) -> BoolArray:
    """(h,) the limits of each contact that programs begin with: all, or those whose normals lie farthest apart."""
    own = []
    for shape in layout.shapes:
        normals, _ = shape[0].halfspaces
        taken = np.ones(len(normals), dtype=bool)
        if len(normals) > FIRST_LIMITS:
            taken[:] = False
            nearest = np.full(len(normals), np.inf)
            at = int(normals[:, 2].argmin())
            for _ in range(FIRST_LIMITS):
                taken[at] = True
                nearest = np.minimum(nearest, np.linalg.norm(normals - normals[at], axis=1))
                at = int(nearest.argmax())
        own.append(taken)
    return np.concatenate([own[shape] for shape in layout.shape_of])


@dataclass(eq=False)
class _Run:
    """One question."""

    method: InteriorPoint
    problem: ContactProblem
    began: float = field(default_factory=clock)
    programs: int = 0
    iterations: int = 0
    refine: bool = False
    #: The last program, and which of the limits it had.
    asked: tuple[SparseProgram, BoolArray] | None = None

    @cached_property
    def rows(self) -> csr_array:
        return self.problem.layout.kept("sparse rows", sparse_rows)

    @cached_property
    def limits(self) -> SparseLimits:
        return self.problem.layout.kept("sparse limits", sparse_limits)

    @cached_property
    def joints(self) -> tuple[IntArray, Array, Array]:
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

    @cached_property
    def first_limits(self) -> BoolArray:
        """(h,) the limits that programs begin with."""
        return self.problem.layout.kept("first limits", first_limits)

    # -- units of force ---------------------------------------------------------------------------

    def _even_units(self, unit: float) -> ForceUnits:
        """One unit [N] for all."""
        return ForceUnits(np.full(self.problem.contacts, unit), np.full(self.problem.rows, unit))

    def _own_units(self, forces: Array, factor: float) -> ForceUnits:
        """The size of the forces (k, 3) on each body as the unit of its rows, the smaller one of two for a contact."""
        rows = self.problem.row_sizes(forces, factor)
        contacts, bodies, reach = self.problem.layout.body_reach
        units = np.full(self.problem.contacts, np.inf)
        np.minimum.at(units, contacts, rows[6 * bodies] / reach)
        return ForceUnits(np.where(np.isfinite(units), units, rows.max()), rows)

    def _scaled_rows(self, units: ForceUnits) -> csr_array:
        """The rows on forces in `units`, each divided by its unit."""
        from scipy.sparse import diags_array

        return (diags_array(1.0 / units.rows) @ self.rows @ diags_array(np.repeat(units.contacts, 3))).tocsr()

    def _scaled_joints(self, rows: csr_array) -> csr_array:
        """The finite joint bounds as rows on the forces, from the scaled rows."""
        from scipy.sparse import csr_array, diags_array

        numbers, signs, _ = self.joints
        return diags_array(signs) @ rows[numbers] if len(numbers) else csr_array((0, rows.shape[1]))

    # -- a test -----------------------------------------------------------------------------------

    def test(self) -> Solution:
        """Whether d = 1 holds."""
        problem = self.problem
        units, improved = self._even_units(float(np.abs(problem.load).max()) or problem.layout.largest_size), True
        for attempt in range(ATTEMPTS + 1):
            if attempt < ATTEMPTS and not improved:
                continue
            solve, self.refine = self._interior if attempt < ATTEMPTS else self._simplex, attempt > 0
            forces, answer = self._least_excess(solve, units, self.limits.offsets, self.joints[2])
            certificate = None
            if answer is not None and answer.x[-1] > PASSED:  # forces could still pass as inside, to the tolerance
                certificate = self._separating(self._cleaned(answer, units))
            held = None if forces is None or certificate is not None else self._admissible(forces, 1.0)
            if held is not None:
                return self._solution(Status.HOLDS, 1.0, np.inf, held)
            if certificate is None and answer is not None:
                certificate = self._separating(self._cleaned(answer, units))
            if certificate is None and forces is not None:
                certificate = self._separating(without_small(self._unbalanced(forces)))
            if certificate is not None:
                return self._solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=certificate)
            better = units if forces is None else self._own_units(forces, 1.0)
            units, improved = better, attempt == 0 or better.differ(units)  # the first one was not refined
        return self._solution(Status.UNDECIDED, -np.inf, np.inf)

    def _least_excess(
        self, solve: Callable[[SparseProgram], SparseAnswer | None], units: ForceUnits, offsets: Array, bounds: Array
    ) -> tuple[Array | None, SparseAnswer | None]:
        """(forces (k, 3) or None, what was found) of the program of the module, in `units`."""
        problem, balance = self.problem, self.problem.layout.balance
        numbers, signs, _ = self.joints
        load = problem.load / units.rows
        from scipy.sparse import block_array, csr_array, vstack

        rows = self._scaled_rows(units)
        equal = block_array([[rows[:balance], csr_array((balance, 1))]], format="csr")
        joint, joint_most = self._scaled_joints(rows), bounds / units.rows[numbers] - signs * load[numbers]
        unit = units.contacts[self.limits.contact]
        near, answer = self.first_limits & (offsets <= FAR * unit), None
        while True:
            normals, most = self.limits.normals[near], (offsets / unit)[near]
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
            forces = self._balanced(answer.x[:-1].reshape(-1, 3) * units.contacts[:, None], 1.0)
            passed = ~near & self._passed(forces, offsets, unit)
            if answer.x[-1] > tolerances.SEPARATION or not passed.any():  # fewer limits prove no less
                return forces, answer
            near = near | passed

    def _passed(self, forces: Array, offsets: Array, unit: Array) -> BoolArray:
        """(h,) the limits that forces (k, 3) pass."""
        return self.limits.normals @ forces.reshape(-1) > offsets + PASSED * unit

    def _balanced(self, forces: Array, factor: float) -> Array:
        """Forces (k, 3) moved by the least amount, in units of what each body bears, that balances the load exactly."""
        from scipy.sparse.linalg import lsqr

        balance, units = self.problem.layout.balance, self._own_units(forces, factor)
        rows = self._scaled_rows(units)[:balance]
        missing = self.problem.row_values(forces, factor)[:balance] / units.rows[:balance]
        if np.abs(missing).max() <= BALANCED * tolerances.FEASIBILITY:
            return forces
        step = lsqr(rows, missing, atol=tolerances.ROUNDING, btol=tolerances.ROUNDING)[0]
        return forces - step.reshape(-1, 3) * units.contacts[:, None]

    def _admissible(self, forces: Array, factor: float) -> Array | None:
        """Local forces (k, 3) that obey every row and limit; None where they do not."""
        problem, scale = self.problem, self.problem.force_scale(forces, factor)
        idle = np.abs(forces).max(axis=1, keepdims=True) <= IDLE_FORCE * scale
        for tried in (forces, np.where(idle, 0.0, forces)):  # no rounding errors as forces on bodies without a load
            held = admissible(problem.layout, tried, scale)
            if held is not None and problem.relative_residual(held, factor) <= tolerances.FEASIBILITY:
                return held
        return None

    def _multipliers(self, answer: SparseAnswer, units: ForceUnits) -> Array:
        """(m,) y of `certificates` from the multipliers of the program."""
        problem, (numbers, signs, _) = self.problem, self.joints
        y = np.zeros(problem.rows)
        y[: problem.layout.balance] = -answer.equal
        joint = answer.less[len(answer.less) - 1 - len(numbers) : len(answer.less) - 1]
        np.subtract.at(y, numbers, signs * joint)
        return y / units.rows

    def _cleaned(self, answer: SparseAnswer, units: ForceUnits) -> Iterator[Array]:
        """(m,) the multipliers, with more and more small ones set to zero; of size 1."""
        y = self._multipliers(answer, units)
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

    def _unbalanced(self, forces: Array) -> Array:
        """(m,) multipliers over what is left of the load that no forces at all balance, as of a body on one point.

        What remains of a least-squares problem A f = b is orthogonal to the columns of A.
        """
        from scipy.sparse.linalg import lsqr

        balance, units = self.problem.layout.balance, self._own_units(forces, 1.0)
        rows, left = self._scaled_rows(units)[:balance], self.problem.load[:balance] / units.rows[:balance]
        for _ in range(REFINEMENTS):
            left = left - rows @ lsqr(rows, left, atol=tolerances.EPSILON, btol=tolerances.EPSILON)[0]
        y = np.zeros(self.problem.rows)
        y[:balance] = -left / units.rows[:balance]
        size = float(np.abs(y).max())
        return y / size if size > 0.0 else y

    def _separating(self, candidates: Iterator[Array]) -> Certificate | None:
        """The certificate that d = 1 does not hold, if some of the multipliers are one."""
        for y in candidates:
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
        strength = float(np.abs(self.problem.load).max())
        unit, improved = self.problem.layout.largest_size, True
        units = self._even_units(unit)
        best = self._solution(Status.UNDECIDED, -np.inf, np.inf)
        for attempt in range(ATTEMPTS + 1):
            if attempt < ATTEMPTS and not improved:
                continue
            solve, self.refine = self._interior if attempt < ATTEMPTS else self._simplex, attempt > 0
            share = unit / strength if strength else 1.0
            answer = self._with_needed_limits(solve, units, share)
            if answer is None:
                break
            if answer.status not in ANSWERED:
                if attempt == 0 and (grown := self._unbounded()) is not None:
                    return grown
                if (never := self._nothing_held(answer, units)) is not None:
                    return never
            if not np.isfinite(answer.x).all():
                improved = attempt == 0
                continue
            factor = float(answer.x[-1]) * share
            forces = self._balanced(answer.x[:-1].reshape(-1, 3) * units.contacts[:, None], factor)
            found = self._factor(answer, units, factor, forces)
            if best.status is not Status.OPTIMAL or found.status is Status.OPTIMAL:
                closer = found.bound - found.factor < best.bound - best.factor
                best = found if found.status is Status.OPTIMAL or closer else best
            closed = found.factor == 0.0 or found.bound - found.factor <= self.method.gap * abs(found.factor)
            if found.status is Status.OPTIMAL and closed:
                break
            better, size = self._own_units(forces, factor), abs(factor) * strength
            improved = better.differ(units)
            if best.status is Status.OPTIMAL and not improved:  # within rounding of the volumes
                break
            units, unit, improved = better, size if size > 0.0 else unit, attempt == 0 or improved
        return replace(best, effort=self._effort())

    def _with_needed_limits(
        self, solve: Callable[[SparseProgram], SparseAnswer | None], units: ForceUnits, share: float
    ) -> SparseAnswer | None:
        """The answer with as many limits as needed: its forces exceed none of the others."""
        near, unit = self.first_limits, units.contacts[self.limits.contact]
        while True:
            answer = solve(self._largest_factor(units, share, near))
            if answer is None or near.all():
                return answer
            if answer.status not in ANSWERED or not np.isfinite(answer.x).all():
                near = np.ones_like(near)
                continue
            forces = answer.x[:-1].reshape(-1, 3) * units.contacts[:, None]
            passed = ~near & self._passed(forces, self.limits.offsets, unit)
            if not passed.any():
                return answer
            near = near | passed

    def _largest_factor(self, units: ForceUnits, share: float, near: BoolArray | None = None) -> SparseProgram:
        """minimise -d subject to rows f + d load = 0 and the limits, forces in `units`, d in `share`."""
        from scipy.sparse import block_array, csr_array, vstack

        balance = self.problem.layout.balance
        numbers, signs, bounds = self.joints
        load, rows = self.problem.load * share / units.rows, self._scaled_rows(units)
        equal = block_array([[rows[:balance], csr_array(load[:balance, None])]], format="csr")
        near = np.ones(len(self.limits.offsets), dtype=bool) if near is None else near
        limits = vstack([self.limits.normals[near], self._scaled_joints(rows)], format="csr")
        column = np.concatenate([np.zeros(int(near.sum())), signs * load[numbers]])
        less: Any = block_array([[limits, csr_array(column[:, None])], [None, csr_array((1, 1))]], format="csr")
        objective = np.zeros(less.shape[1])
        objective[-1] = -1.0
        offsets = (self.limits.offsets / units.contacts[self.limits.contact])[near]
        most = np.concatenate([offsets, bounds / units.rows[numbers], [1.0]])
        program = SparseProgram(objective, equal, np.zeros(balance), less, most)
        self.asked = program, near
        return program

    def _factor(self, answer: SparseAnswer, units: ForceUnits, factor: float, forces: Array) -> Solution:
        """The factor that the answer's forces attain, and the bound that its multipliers prove."""
        problem, strength = self.problem, float(np.abs(self.problem.load).max())
        bound, y = self._least_bound(self._cleaned(answer, units))
        if bound - factor > max(self.method.gap * abs(factor), least_factor(problem)):
            bound, y = min((bound, y), self._least_bound(without_small(self._unbalanced(forces))), key=lambda b: b[0])
        tiny = max(least_factor(problem), rounded_factor(problem, y))
        if problem.is_star_shaped and abs(factor) * strength <= NOTHING * units.rows.max() and bound <= tiny:
            factor, forces = 0.0, np.zeros_like(forces)
        held = self._admissible(forces, factor) if np.isfinite(forces).all() else None
        if held is None:
            return self._solution(Status.UNDECIDED, -np.inf, bound)
        tiny = tiny if factor == 0.0 else least_factor(problem)
        if bound - factor > max(self.method.gap * abs(factor), tiny):
            return self._solution(Status.UNDECIDED, factor, bound, held)
        claim = max(bound, factor)
        certificate = Certificate(claim, (Leaf(problem.all_pieces, y),))
        return self._solution(Status.OPTIMAL, factor, claim, held, certificate=certificate)

    def _least_bound(self, candidates: Iterator[Array]) -> tuple[float, Array]:
        """The least bound that some of the multipliers prove, and these; inf for none."""
        problem, best = self.problem, (np.inf, np.zeros(self.problem.rows))
        for y in candidates:
            bound = factor_bound(problem, problem.all_pieces, y)
            best = (bound, y) if bound < best[0] else best
        return best

    def _nothing_held(self, answer: SparseAnswer, units: ForceUnits) -> Solution | None:
        """The answer that no factor at all holds, if the multipliers prove it."""
        load = self.problem.load
        for cleaned in self._cleaned(answer, units):
            y = cleaned
            for _ in range(2):  # to exclude every factor, y must be orthogonal to the load, up to rounding
                y = y - load * (y @ load) / ((load @ load) or 1.0)
            certificate = Certificate(-np.inf, (Leaf(self.problem.all_pieces, y),))
            if certificate.verify(self.problem):
                return self._solution(Status.DOES_NOT_HOLD, -np.inf, -np.inf, certificate=certificate)
        return None

    def _unbounded(self) -> Solution | None:
        """The answer that there is no limit, if forces along the rays balance any multiple of the load."""
        problem = self.problem
        if not (problem.layout.has_rays and problem.load.any()):
            return None
        strength = float(np.abs(problem.load).max())
        cones = np.zeros_like(self.limits.offsets), np.zeros_like(self.joints[2])
        self.refine = True  # no second attempt is made at this
        growth, _ = self._least_excess(self._interior, self._even_units(strength), *cones)
        if growth is not None and problem.is_star_shaped:
            growth = self._admissible(growth, 1.0)
        if growth is None:
            return None
        slopes = (self.limits.normals @ growth.reshape(-1)).reshape(-1)
        if (slopes > tolerances.MEMBERSHIP * np.abs(growth).max()).any():
            return None
        if problem.is_star_shaped:
            return self._solution(Status.UNBOUNDED, 1.0, np.inf, growth, growth=growth)
        return self._unbounded_from(growth)

    def _unbounded_from(self, growth: Array) -> Solution | None:
        """The same where d = 0 need not hold: from the first of `STARTS` that does, if `growth` obeys the rows."""
        problem, (numbers, signs, _) = self.problem, self.joints
        rows = problem.row_values(growth, 1.0)
        tiny = tolerances.FEASIBILITY * problem.force_scale(growth, 1.0)
        if np.abs(rows[: problem.layout.balance]).max() > tiny or (signs * rows[numbers] > tiny).any():
            return None
        for factor in STARTS:
            at = _Run(self.method, replace(problem, load=factor * problem.load)).test()
            if at.status is Status.HOLDS:
                return self._solution(Status.UNBOUNDED, factor, np.inf, at.forces, growth=growth)
        return None

    # -- the most even forces ---------------------------------------------------------------------

    def even_forces(self, sizes: Array) -> Array | None:
        """The forces of least sum_i |f_i|^2 / sizes_i^2 at d = 1."""
        unit = float(np.abs(self.problem.load).max()) or self.problem.layout.largest_size
        fixed = self._largest_factor(self._even_units(unit), 1.0)  # the last column is the load, d = 1
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
        return self._admissible(self._balanced(answer.x[:-1].reshape(-1, 3) * unit, 1.0), 1.0)

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
        """Clarabel's answer; None when the time is over.

        The first attempt at a question is made without refinement: where that is too coarse, no proof is found, and the
        next attempt is refined.
        """
        refine = self.refine or program.squares is not None
        answer = solve_sparse(program, self.method.time_limit - (clock() - self.began), refine=refine)
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
