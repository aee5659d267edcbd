"""Linear programs over a Minkowski sum of transformed polytopes and cones, compiled, warm from one to the next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, IntArray
from ...errors import InputError
from ...tolerances import RAY_SLOPE
from .batches import STATUSES, SumBatch, many
from .columns import Shape, prepare
from .optimum import Combination, SumEffort, SumOptimum, SumStatus
from .queries import ask, place_hands
from .workspace import HEAD, ROWS, Answer, Basis, Pool, Scene, Tables, build_buffers, fill_tables, parts

#: Exchanges before a program is given up, besides those that its rows allow.
EXCHANGES, EXCHANGES_PER_ROW = 2000, 100

_NO_AXES, _NO_OBJECTIVE = np.zeros((0, 6)), np.zeros(0)
_NO_FIGURES, _NO_FACTS = np.zeros((1, 0)), np.zeros((1, 0), dtype=np.int64)


class SumSolver:
    """Linear programs over sum_j T_j (hull(vertices_j) + cone(rays_j)), by their support functions alone.

    The basis and the pool of columns are kept from question to question and from place to place. One solver must not be
    used by several threads at once.

    Args:
        shapes: per shape its tables (`prepare`), or (vertices (n, 6), rays (m, 6) or None) in the hand's frame.
        shape_of: (k,) which shape each hand has.
        length: [m], divides torques before they are compared with forces.
    """

    def __init__(
        self,
        shapes: Sequence[Shape | tuple[ArrayLike, ArrayLike | None]],
        shape_of: Sequence[int] | IntArray,
        *,
        length: float,
    ) -> None:
        own = [shape if isinstance(shape, Shape) else _prepared(*shape) for shape in shapes]
        hands = np.array(shape_of, dtype=np.int64)
        if hands.ndim != 1 or len(hands) == 0 or not own:
            raise InputError("a sum needs at least one hand", where="shape_of", fix="give the shape of each hand")
        if hands.min() < 0 or hands.max() >= len(own):
            raise InputError("names a shape that is not there", where="shape_of", fix=f"use 0 to {len(own) - 1}")
        self._shapes, self._shape_of, self._length = own, hands, float(length)
        self._arrays = self.fresh_arrays()
        self._answered: tuple[int, int] = (20 + 7 * len(hands) + self.rows, HEAD + 4 + 3 * (self.rows + len(hands)))
        self.limit = EXCHANGES + EXCHANGES_PER_ROW * self.rows
        self._warm = False
        self._maps = np.tile(np.eye(6), (len(hands), 1, 1))
        self._placed = False

    def fresh_arrays(self) -> tuple[Array, Array, Array, IntArray, Array, Array, IntArray]:
        """What kernels are called with, with buffers of its own that know of no earlier question."""
        shapes, length = self._shapes, self._length
        unit = max((s.reach[0] ** 2 + (s.reach[1] / length) ** 2) ** 0.5 for s in shapes)
        rays, scale = _joined([s.rays for s in shapes]), np.zeros(0)
        if len(rays):
            lengths = _norms(rays / np.array([1.0, 1.0, 1.0, length, length, length]))
            scale = (unit or 1.0) / np.where(lengths > 0.0, lengths, 1.0)
            rays = rays * scale[:, None]
        counts = np.array([s.counts for s in shapes])
        floats, ints = build_buffers(counts, self._shape_of, len(rays))
        arrays = (
            _joined([s.table for s in shapes], 1),
            _joined([s.centres for s in shapes], 1),
            _joined([s.radii for s in shapes]),
            _joined([s.order for s in shapes]),
            np.array(rays.T, order="C"),  # a copy: read-only rays would compile every kernel twice
            floats,
            ints,
        )
        spread = np.array([s.spread for s in shapes])
        pools = _joined([s.pool for s in shapes]), _joined([s.ray_pool for s in shapes])
        fill_tables(*arrays, counts, self._shape_of, spread, *pools)
        at = 20 + 7 * len(self._shape_of) + int(ints[ROWS])
        floats[at : at + 3] = length, unit or 1.0, 1.0 if unit > 0.0 else 0.0
        floats[len(floats) - 6 * len(shapes) - len(scale) : len(floats) - 6 * len(shapes)] = scale
        return arrays

    @property
    def shape_of(self) -> IntArray:
        """(k,) which shape each hand has."""
        return self._shape_of

    @property
    def rows(self) -> int:
        """Rows of the program: six, and one for each hand that mixes vertices."""
        return int(self._arrays[-1][ROWS])

    @property
    def arrays(self) -> tuple[Array, Array, Array, IntArray, Array, Array, IntArray]:
        """What kernels are called with: tables of vertices, blocks and rays, and the two buffers (see `workspace`)."""
        return self._arrays

    @property
    def parts(self) -> tuple[Tables, Pool, Basis, Scene, Answer]:
        """(tables, pool, basis, scene, answer) as named views into the buffers."""
        return parts(*self._arrays)

    def place(self, maps: ArrayLike) -> None:
        """Put the hands at their places: (k, 6, 6) maps T_j (13) to the world, torques about the world origin."""
        self._maps = np.ascontiguousarray(maps, dtype=np.float64).reshape(len(self._shape_of), 6, 6)
        place_hands(*self._arrays, self._maps)
        self._placed = True

    def forget(self) -> None:
        """Start the next question from scratch; columns that were found to matter stay in the pool."""
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
        if not self._placed:  # all hands at the world's origin until they are put elsewhere
            self.place(self._maps)
        stops = np.array([stop_above, stop_below], dtype=np.float64)
        flags = np.array([self.limit, self._warm], dtype=np.int64)
        placed = self._maps[None][:0]
        ask(*self._arrays, placed, base[None], axes[None], gains[None], stops, flags, _NO_FIGURES, _NO_FACTS)
        self._warm = True
        found = self._optimum(len(axes))
        if found.status is SumStatus.UNDECIDED and len(axes) and self.limit >= EXCHANGES:
            return self._asked_again(base, axes, gains, found)
        return found

    def _asked_again(self, base: Array, axes: Array, gains: Array, found: SumOptimum) -> SumOptimum:
        """The same program with all columns at once, where rounding left the compiled one without an answer.

        Not for membership: a verdict within rounding of the border is not HiGHS's to give.
        """
        from .full_program import FullProgram

        self._warm = False
        shapes = [(shape.vertices, shape.rays) for shape in self._shapes]
        program = FullProgram(shapes, self._shape_of.tolist(), length=self._length)
        program.place(self._maps)
        again = program.maximise(base, axes, gains)
        return found if again.status is SumStatus.UNDECIDED else again

    def _optimum(self, p: int) -> SumOptimum:
        """The answer as it stands at the heads of the buffers."""
        k, m = self._maps.shape[0], self.rows
        floats = self._arrays[5][: self._answered[0]].copy()
        ints = self._arrays[6][HEAD : self._answered[1]].copy()
        wide, n = 20 + 6 * k, m + k
        status, pivots, pricings, used = ints[:4].tolist()
        weights = Combination(
            k if used else 0,
            ints[4 : 4 + used],
            ints[4 + n : 4 + n + used],
            ints[4 + 2 * n : 4 + 2 * n + used] == 1,
            floats[wide : wide + used],
        )
        value, bound = floats[:2].tolist()
        return SumOptimum(
            STATUSES[status],
            floats[2 : 2 + p],
            value,
            bound,
            weights,
            floats[20:wide].reshape(k, 6),
            floats[14:20],
            floats[8 : 8 + p],
            SumEffort(pivots, pricings),
        )

    def many(
        self,
        maps: ArrayLike,
        bases: ArrayLike,
        axes: ArrayLike = (),
        objectives: ArrayLike = (),
        *,
        threads: int = 1,
    ) -> SumBatch:
        """`place` and `maximise` for n questions in one compiled loop, warm from one to the next.

        The solver itself, its place and its basis, is left alone, and the answers do not depend on `threads`.

        Args:
            maps: (n, k, 6, 6), or (k, 6, 6) for hands that stay.
            bases: (n, 6).
            axes: (n, p, 6), or (p, 6) for the same in all; none: membership.
            objectives: (n, p), or (p,) for the same in all.
            threads: how many chunks of questions are computed at a time.
        """
        return many(self, maps, bases, axes, objectives, threads)

    def support(self, multipliers: ArrayLike) -> Array:
        """(n,) support values max y . w over the sum, for (n, 6) world multipliers y; inf along rays."""
        y = np.asarray(multipliers, dtype=np.float64).reshape(-1, 6)
        total = np.zeros(len(y))
        for j, index in enumerate(self._shape_of):
            shape, local = self._shapes[index], y @ self._maps[j]
            total += (local @ shape.table).max(axis=1)
            if len(shape.rays):
                slopes = local @ shape.rays.T
                total[np.any(slopes > RAY_SLOPE * np.outer(_norms(local), _norms(shape.rays)), axis=1)] = np.inf
        return total


def _prepared(vertices: ArrayLike, rays: ArrayLike | None = None) -> Shape:
    return prepare(np.asarray(vertices, float), None if rays is None else np.asarray(rays, float))


def _joined(parts: Sequence[Array], axis: int = 0) -> Array:
    return np.concatenate(parts, axis=axis) if len(parts) > 1 else parts[0]


def _norms(rows: Array) -> Array:
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))
