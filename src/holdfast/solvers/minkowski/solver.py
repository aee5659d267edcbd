"""Linear programs over a Minkowski sum of transformed polytopes and cones: compiled, each starting from the last basis.

The kernels take a program from the world to the scaled coordinates of the simplex method, and its answer back. Wrenches
are measured about the mean of the palms, torques are divided by a length and all is divided by a unit of force:
a posture may be far from the world origin, and torques about it would be so large that the relevant digits are lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, IntArray
from ...compiling import inlined, kernel, released_kernel
from ...errors import InputError
from ...tolerances import SUM_ROUNDING
from .nearest import search, share_out
from .reference_program import FullProgram, support_values
from .results import STATUSES, Combination, SumBatch, SumOptimum, SumStats, SumStatus
from .simplex import EMPTY, OPTIMAL, UNBOUNDED, UNCLEAR, UNDECIDED, fill_hand, is_clear, is_far, largest, run, start
from .workspace import (
    BOUND,
    CLEAR,
    COLUMN,
    ENTERED,
    FREE,
    NOTHING,
    PIVOTS,
    PRICINGS,
    ROUNDOFF,
    ROWS,
    SIGN,
    SIZE,
    STARTED,
    STATUS,
    USED,
    VALUE,
    AnswerBuffer,
    BatchBuffer,
    ColumnPool,
    HandPlacement,
    HandTables,
    NearestAtoms,
    PreparedShape,
    SimplexBasis,
    Workspace,
    answer_places,
    build_batch,
    build_workspace,
    parts,
    prepare,
)

#: Exchanges before a program is given up, and further ones per row.
EXCHANGES, EXCHANGES_PER_ROW = 2000, 100

#: Programs of a batch that follow one another, each from the basis of the last; each thread takes whole chunks, so that
#: the answers do not depend on the number of threads.
CHUNK = 128

#: More programs at once than this are worth compiled kernels.
FEW_PROGRAMS = 8

_NO_AXES, _NO_OBJECTIVE = np.zeros((0, 6)), np.zeros(0)


@kernel
def place_maps(tables, pool, placement, maps):
    """Put the hands at their places: scaled maps, and wrenches of single vertices."""
    k = len(maps)
    length, unit = placement.units[0], placement.units[1]
    centre = placement.centre
    centre[:] = 0.0
    far = 0.0
    for j in range(k):
        # [t] R stands in the lower left block of (13); its product with R^T is [t]
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            along = 0.0
            for i in range(3):
                along += 0.5 * (maps[j, 3 + c, i] * maps[j, b, i] - maps[j, 3 + b, i] * maps[j, c, i])
            centre[a] += along / k
            far = max(far, abs(along))
    placement.roundoff[0] = SUM_ROUNDING * far / length
    placement.single[:] = 0.0
    for j in range(k):
        for c in range(6):
            for a in range(3):
                b, d = (a + 1) % 3, (a + 2) % 3
                moved = maps[j, 3 + a, c] - (centre[b] * maps[j, d, c] - centre[d] * maps[j, b, c])
                pool.maps[j, a, c] = maps[j, a, c] / unit
                pool.maps[j, 3 + a, c] = moved / (length * unit)
        if tables.row_of[j] < 0:
            first = tables.first[tables.shape_of[j]]
            for r in range(6):
                for c in range(6):
                    placement.single[r] += pool.maps[j, r, c] * tables.vertices[c, first]


@kernel
def fill_pool(tables, pool):
    """World columns of the pool, for hands at their places."""
    for j in range(len(tables.shape_of)):
        fill_hand(tables, pool, j)


@kernel
def scaled(placement, wrench, out):
    """A world wrench in scaled coordinates."""
    length, unit, centre = placement.units[0], placement.units[1], placement.centre
    for a in range(3):
        b, d = (a + 1) % 3, (a + 2) % 3
        out[a] = wrench[a] / unit
        out[3 + a] = (wrench[3 + a] - (centre[b] * wrench[d] - centre[d] * wrench[b])) / (length * unit)


@kernel
def world_multipliers(placement, y, factor, out):
    """Scaled multipliers in the world, times `factor`."""
    length, unit, centre = placement.units[0], placement.units[1], placement.centre
    for a in range(3):
        b, d = (a + 1) % 3, (a + 2) % 3
        # the transpose of t -> t - c x f is y_f -> y_f + c x y_t
        out[a] = factor * (y[a] + (centre[b] * y[3 + d] - centre[d] * y[3 + b]) / length) / unit
        out[3 + a] = factor * y[3 + a] / (length * unit)


@kernel
def extract_weights(tables, pool, basis, answer):
    """Weights and wrenches of the hands from the basic values."""
    k, m, x = len(tables.shape_of), len(basis.kinds), basis.x
    sums = basis.scratch
    answer.wrenches[:] = 0.0
    sums[:] = 0.0
    n = 0
    for j in range(k):
        if tables.row_of[j] < 0:
            first = tables.first[tables.shape_of[j]]
            for r in range(6):
                answer.wrenches[j, r] = tables.vertices[r, first]
            answer.hands[n], answer.items[n], answer.rays[n], answer.weights[n] = j, 0, 0, 1.0
            n += 1
    for i in range(m):
        if basis.kinds[i] == COLUMN and x[i] > 0.0 and pool.rows[basis.index[i]] < k:
            sums[tables.row_of[pool.rows[basis.index[i]]]] += x[i]
    for i in range(m):
        if basis.kinds[i] != COLUMN or not x[i] > 0.0:
            continue
        slot = basis.index[i]
        item, j = pool.items[slot], pool.rows[slot]
        ray = j == k
        if ray:
            j = 0
            while slot >= tables.ends[j]:
                j += 1
            weight, given = x[i] * tables.ray_scale[item], item - tables.ray_first[tables.shape_of[j]]
            for r in range(6):
                answer.wrenches[j, r] += x[i] * tables.rays[r, item]
        else:
            weight, given = x[i] / sums[tables.row_of[j]], tables.order[item]
            for r in range(6):
                answer.wrenches[j, r] += weight * tables.vertices[r, item]
        answer.hands[n], answer.items[n], answer.rays[n], answer.weights[n] = j, given, 1 if ray else 0, weight
        n += 1
    answer.state[USED] = n


@inlined
def leading_ray(basis, answer, status, lengths, p):
    """Direction in z of an unbounded answer, its longest coordinate 1; zero for others. `lengths` may stand there."""
    who, sign = basis.state[ENTERED], np.float64(basis.state[SIGN])
    stretch = basis.right
    for i in range(p):
        stretch[i] = lengths[i]
        answer.ray[i] = 0.0
    if status == UNBOUNDED:
        top = 0.0
        for i in range(len(basis.kinds)):
            if basis.kinds[i] == FREE:
                answer.ray[basis.index[i]] = -sign * basis.alpha[i] / stretch[basis.index[i]]
        if who >= 0:
            answer.ray[who] = sign / stretch[who]
        for i in range(p):
            top = max(top, abs(answer.ray[i]))
        for i in range(p):
            answer.ray[i] /= top


@inlined
def scale_base(placement, basis, base):
    """The right side of the rows from a world wrench; the largest scaled entry of the wrench."""
    right = basis.right
    scaled(placement, base, right)
    size = 0.0
    for r in range(6):
        size = max(size, abs(right[r]))
        right[r] -= placement.single[r]
    for r in range(6, len(right)):
        right[r] = 1.0
    return size


@inlined
def scale_axis(placement, axis, out):
    """A world wrench in scaled coordinates; its length."""
    scaled(placement, axis, out)
    total = 0.0
    for r in range(6):
        total += out[r] ** 2
    return np.sqrt(total)


@kernel
def solve(tables, pool, basis, placement, answer, base, axes, objective, stop_above, stop_below, limit):
    """One program in the world; the answer too."""
    p = len(axes)
    asked = scale_base(placement, basis, base)
    size = max(asked, placement.units[2])
    basis.numbers[SIZE] = size if size > 0.0 else 1.0
    basis.numbers[ROUNDOFF] = placement.roundoff[0]
    lengths, factor = answer.ray, 0.0
    for i in range(p):
        length = scale_axis(placement, axes[i], basis.axes[i])
        lengths[i] = length if length > 0.0 else 1.0
        for r in range(6):
            basis.axes[i, r] /= lengths[i]
        basis.gains[i] = objective[i] / lengths[i]
        factor = max(factor, abs(basis.gains[i]))
    factor = factor if factor > 0.0 else 1.0
    for i in range(p):
        basis.gains[i] /= factor
    if basis.state[STARTED] != p:
        start(tables, pool, basis, p)
    run(tables, pool, basis, p, stop_above / factor, stop_below / factor, limit)
    status = basis.state[STATUS]
    found = basis.numbers[VALUE] > -np.inf
    for i in range(p):
        answer.z[i] = 0.0 if found else np.nan
    if found:
        extract_weights(tables, pool, basis, answer)
        value = 0.0
        for i in range(len(basis.kinds)):
            if basis.kinds[i] == FREE:
                answer.z[basis.index[i]] = basis.x[i] / lengths[basis.index[i]]
        for i in range(p):
            value += objective[i] * answer.z[i]
        answer.numbers[VALUE] = value
    else:
        answer.wrenches[:] = np.nan
        answer.state[USED] = 0
        answer.numbers[VALUE] = -np.inf
    answer.numbers[BOUND] = basis.numbers[BOUND] * factor
    answer.state[CLEAR] = 1
    if p == 0:
        least = UNCLEAR * (asked if asked > 0.0 else size)
        clear = (status == OPTIMAL and is_clear(basis, least)) or (status == EMPTY and is_far(basis))
        answer.state[CLEAR] = 1 if clear else 0
    if status == OPTIMAL and p == 0:
        answer.numbers[BOUND] = 0.0
    if status == EMPTY:
        answer.numbers[BOUND] = -np.inf
        world_multipliers(placement, basis.y, placement.units[1] / largest(basis.y[:6]), answer.multipliers)
    elif basis.numbers[BOUND] < np.inf:
        world_multipliers(placement, basis.best_y, factor, answer.multipliers)
    else:
        answer.multipliers[:] = 0.0
    leading_ray(basis, answer, status, lengths, p)
    answer.state[STATUS], answer.state[PIVOTS], answer.state[PRICINGS] = (
        status,
        basis.state[PIVOTS],
        basis.state[PRICINGS],
    )


@released_kernel
def place_hands(vertices, centres, radii, order, rays, floats, ints, maps):
    """`place_maps` and `fill_pool`, called from Python with a workspace."""
    tables, pool, _, placement, _, _ = parts(vertices, centres, radii, order, rays, floats, ints)
    place_maps(tables, pool, placement, maps)
    fill_pool(tables, pool)


@released_kernel
def ask(
    vertices, centres, radii, order, rays, floats, ints, base, axes, objective, stop_above, stop_below, limit, warm
):
    """One program with hands that are placed already; `warm`: from the last basis. The answer stays in the workspace.

    Args:
        base, axes, objective: (6,), (p, 6) and (p,), see `SumSolver.maximise`.
        stop_above, stop_below: values of the objective at which to stop: found above, proven below.
        limit: most exchanges.
    """
    tables, pool, basis, placement, answer, _ = parts(vertices, centres, radii, order, rays, floats, ints)
    if not warm:
        basis.state[STARTED] = NOTHING
    solve(tables, pool, basis, placement, answer, base, axes, objective, stop_above, stop_below, limit)


@inlined
def copy_numbers(source, out):
    """out = source, both (n,)."""
    for i in range(len(source)):
        out[i] = source[i]


@kernel
def ask_nearest(tables, pool, placement, atoms, answer, base):
    """Membership by the nearest point; the answer stays in `answer`."""
    right = atoms.right
    scaled(placement, base, right)
    asked = largest(right)
    size = max(asked, placement.units[2])
    factor = 1.0
    for r in range(6):
        right[r] -= placement.single[r]
    if placement.units[2] == 0.0 and size > 0.0:  # cones alone: as large as the load
        factor, size, asked = size, 1.0, 1.0
        for r in range(6):
            right[r] /= factor
    whole = True
    for s in range(len(tables.whole)):
        whole = whole and tables.whole[s, 0] == 1 and tables.whole[s, 1] == 1
    search(tables, pool, atoms, size, asked, placement.roundoff[0], whole, answer.state)
    held = answer.state[STATUS] == OPTIMAL
    answer.state[CLEAR] = 1
    answer.numbers[VALUE], answer.numbers[BOUND] = (0.0, 0.0) if held else (-np.inf, -np.inf)
    if held:
        share_out(tables, atoms, factor, answer.wrenches)
        answer.multipliers[:] = 0.0
    else:
        answer.wrenches[:] = np.nan
        world_multipliers(placement, atoms.y, placement.units[1] / largest(atoms.y), answer.multipliers)


@released_kernel
def ask_many(vertices, centres, radii, order, rays, floats, ints, maps, bases, axes, objectives, limit, nearest, batch):
    """Programs one after the other, each from the basis and pool of the one before.

    Args:
        maps: (n, k, 6, 6), or (1, k, 6, 6) for hands that stay.
        bases: (n, 6).
        axes: (n, p, 6), or (1, p, 6) for the same axes in all.
        objectives: (n, p), or (1, p).
        limit: most exchanges of a program.
        nearest: whether membership is decided by the nearest point where that is possible (p = 0).
        batch: where the answers go, a row each.
    """
    tables, pool, basis, placement, answer, atoms = parts(vertices, centres, radii, order, rays, floats, ints)
    basis.state[STARTED] = NOTHING
    for i in range(len(bases)):
        if i < len(maps):
            place_maps(tables, pool, placement, maps[i])
            fill_pool(tables, pool)
        if nearest:
            ask_nearest(tables, pool, placement, atoms, answer, bases[i])
        if not nearest or answer.state[STATUS] == UNDECIDED:
            own, gains = axes[min(i, len(axes) - 1)], objectives[min(i, len(objectives) - 1)]
            solve(tables, pool, basis, placement, answer, bases[i], own, gains, np.inf, -np.inf, limit)
        copy_numbers(answer.numbers, batch.numbers[i])
        copy_numbers(answer.z, batch.z[i])
        copy_numbers(answer.ray, batch.ray[i])
        copy_numbers(answer.multipliers, batch.multipliers[i])
        copy_numbers(answer.state, batch.state[i])
        for j in range(len(answer.wrenches)):
            copy_numbers(answer.wrenches[j], batch.wrenches[i, j])


class SumSolver:
    """Linear programs over sum_j T_j (hull(vertices_j) + cone(rays_j)), by their support functions alone.

    The basis and the pool of columns are kept from program to program and from place to place. One solver must not be
    used by several threads at once.

    Args:
        shapes: per shape its tables (`prepare`), or (vertices (n, 6), rays (m, 6) or None) in the hand's frame.
        shape_of: (k,) which shape each hand has.
        length: [m], divides torques before they are compared with forces.
    """

    def __init__(
        self,
        shapes: Sequence[PreparedShape | tuple[ArrayLike, ArrayLike | None]],
        shape_of: Sequence[int] | IntArray,
        *,
        length: float,
    ) -> None:
        own = [shape if isinstance(shape, PreparedShape) else prepare(*shape) for shape in shapes]
        hands = np.array(shape_of, dtype=np.int64)
        if hands.ndim != 1 or len(hands) == 0 or not own:
            raise InputError("a sum needs at least one hand", where="shape_of", fix="give the shape of each hand")
        if not all(0 <= shape < len(own) for shape in hands.tolist()):
            raise InputError("names a shape that is not there", where="shape_of", fix=f"use 0 to {len(own) - 1}")
        self._shapes, self._length = own, float(length)
        #: (k,) which shape each hand has.
        self.shape_of: IntArray = hands
        #: What kernels are called with.
        self.workspace: Workspace = build_workspace(own, hands, self._length)
        #: Rows of the program: six, and one for each hand that mixes vertices.
        self.rows = int(self.workspace[-1][ROWS])
        #: Most exchanges of a program.
        self.limit = EXCHANGES + EXCHANGES_PER_ROW * self.rows
        self._warm = False
        self._places: Array | None = None

    @property
    def parts(self) -> tuple[HandTables, ColumnPool, SimplexBasis, HandPlacement, AnswerBuffer, NearestAtoms]:
        """(tables, pool, basis, placement, answer, atoms): the named arrays of the workspace."""
        return parts.interpreted(*self.workspace)

    def place(self, maps: ArrayLike) -> None:
        """Put the hands at their places: (k, 6, 6) maps T_j (13) to the world, torques about the world origin."""
        self._places = np.ascontiguousarray(maps, dtype=np.float64).reshape(len(self.shape_of), 6, 6)
        place_hands(*self.workspace, self._places)

    @property
    def _maps(self) -> Array:
        """(k, 6, 6) the places; all hands at the world's origin until they are put elsewhere."""
        return np.tile(np.eye(6), (len(self.shape_of), 1, 1)) if self._places is None else self._places

    def forget(self) -> None:
        """Start the next program from scratch; columns that were found to matter stay in the pool."""
        self._warm = False

    def maximise(
        self,
        base: ArrayLike,
        axes: ArrayLike | None = None,
        objective: ArrayLike | None = None,
        *,
        stop_above: float = np.inf,
        stop_below: float = -np.inf,
    ) -> SumOptimum:
        """Maximise objective . z over z in R^p, p <= 6, with base + z @ axes in the sum (world, about its origin).

        Without axes: whether `base` is in the sum. The search stops with status "stopped" at the first value of at
        least `stop_above`, or bound of at most `stop_below`.
        """
        base = np.ascontiguousarray(base, dtype=np.float64)
        axes = _NO_AXES if axes is None else np.ascontiguousarray(axes, dtype=np.float64).reshape(-1, 6)
        gains = _NO_OBJECTIVE if objective is None else np.ascontiguousarray(objective, dtype=np.float64)
        if base.shape != (6,) or len(axes) > 6 or gains.shape != (len(axes),):
            raise InputError(
                "base, axes and objective do not fit", where="maximise", fix="give (6,), (p, 6) and (p,), p at most 6"
            )
        if self._places is None:
            self.place(self._maps)
        ask(*self.workspace, base, axes, gains, float(stop_above), float(stop_below), self.limit, self._warm)
        self._warm = True
        found = self._optimum(len(axes))
        if found.status is SumStatus.UNDECIDED and len(axes) and self.limit >= EXCHANGES:
            return self._reference(base, axes, gains, found)
        return found

    def _reference(self, base: Array, axes: Array, gains: Array, found: SumOptimum) -> SumOptimum:
        """The same program with all columns at once, where rounding left the compiled one without an answer.

        Not for membership: HiGHS cannot decide within rounding of the border.
        """
        self._warm = False
        shapes = [(shape.vertices, shape.rays) for shape in self._shapes]
        program = FullProgram(shapes, self.shape_of.tolist(), length=self._length)
        program.place(self._maps)
        again = program.maximise(base, axes, gains)
        return found if again.status is SumStatus.UNDECIDED else again

    def _optimum(self, p: int) -> SumOptimum:
        """A copy of the answer in the workspace."""
        k = len(self.shape_of)
        at, float_end, int_end = answer_places(k, self.rows)
        floats, ints = self.workspace[-2][:float_end].copy(), self.workspace[-1][:int_end].copy()
        status, pivots, pricings, used, clear = ints[at.state].tolist()
        value, bound = floats[at.numbers].tolist()
        hands, items, rays = ints[at.hands], ints[at.items], ints[at.rays]
        weights = Combination(k if used else 0, hands[:used], items[:used], rays[:used] == 1, floats[at.weights][:used])
        return SumOptimum(
            STATUSES[status],
            floats[at.z][:p],
            value,
            bound,
            weights,
            floats[at.wrenches].reshape(k, 6),
            floats[at.multipliers],
            floats[at.ray][:p],
            SumStats(pivots, pricings),
            clear == 1,
        )

    def many(
        self,
        maps: ArrayLike,
        bases: ArrayLike,
        axes: ArrayLike = (),
        objectives: ArrayLike = (),
        *,
        threads: int = 1,
        nearest: bool = True,
    ) -> SumBatch:
        """`place` and `maximise` for n programs in one compiled loop, each from the basis of the last.

        The solver itself, its place and its basis, is not changed, and the answers do not depend on `threads`.

        Args:
            maps: (n, k, 6, 6), or (k, 6, 6) for hands that stay.
            bases: (n, 6).
            axes: (n, p, 6), or (p, 6) for the same in all; none: membership.
            objectives: (n, p), or (p,) for the same in all.
            threads: how many chunks of programs are computed at a time.
            nearest: look for the nearest point of the sum (see `nearest`) before the simplex method is asked, for
                membership alone.
        """
        k = len(self.shape_of)
        bases = np.ascontiguousarray(bases, dtype=np.float64).reshape(-1, 6)
        n = len(bases)
        places = np.ascontiguousarray(maps, dtype=np.float64).reshape(-1, k, 6, 6)
        own = np.ascontiguousarray(axes, dtype=np.float64)
        own = np.zeros((1, 0, 6)) if own.size == 0 else own if own.ndim == 3 else own[None]
        p = own.shape[1]
        gains = np.ascontiguousarray(objectives, dtype=np.float64).reshape(-1, p) if p else np.zeros((1, 0))
        for name, array in (("maps", places), ("axes", own), ("objectives", gains)):
            if len(array) not in (1, n):
                raise InputError(f"{len(array)} for {n} questions", where=name, fix="give one for all or one for each")
        if p > 6 or own.shape[2] != 6:
            raise InputError(f"have shape {own.shape}", where="axes", fix="give (p, 6) or (n, p, 6), p at most 6")
        by_point = nearest and p == 0
        batch = build_batch(n, k)
        if n > FEW_PROGRAMS:
            ask_many.compile()

        def chunk(start: int) -> None:
            part = slice(start, min(start + CHUNK, n))
            ask_many(
                *build_workspace(self._shapes, self.shape_of, self._length),
                *(array[part] if len(array) > 1 else array for array in (places, bases, own, gains)),
                self.limit,
                by_point,
                BatchBuffer(*(array[part] for array in batch)),
            )

        starts = range(0, n, CHUNK)
        if threads > 1:
            with ThreadPoolExecutor(threads) as workers:
                list(workers.map(chunk, starts))
        else:
            for start in starts:
                chunk(start)
        return SumBatch(
            batch.state[:, STATUS].copy(),
            batch.z[:, :p].copy(),
            batch.numbers[:, VALUE].copy(),
            batch.numbers[:, BOUND].copy(),
            batch.wrenches,
            batch.multipliers,
            batch.ray[:, :p].copy(),
            batch.state[:, PIVOTS].copy(),
            batch.state[:, PRICINGS].copy(),
            batch.state[:, CLEAR] == 1,
        )

    def support(self, multipliers: ArrayLike) -> Array:
        """(n,) support values max y . w over the sum, for (n, 6) world multipliers y; inf along rays."""
        return support_values([(s.vertices, s.rays) for s in self._shapes], self.shape_of, self._maps, multipliers)
