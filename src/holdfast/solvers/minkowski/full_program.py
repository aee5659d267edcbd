"""The referee of sums: program (20) with a weight for every vertex and ray of every hand, by HiGHS.

Slow and plain: one linear program with all columns. It answers as `SumSolver` does, with the same kind of proof.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array
from ...tolerances import FEASIBILITY, RAY_SLOPE
from ..highs import LinearProgram, Outcome
from .optimum import HandWeights, SumEffort, SumOptimum, SumStatus
from .scaling import Scaling, palm_positions


class FullProgram:
    """Linear programs over sum_j T_j (hull(vertices_j) + cone(rays_j)), all columns at once.

    Args:
        shapes: (vertices (n, 6), rays (m, 6)) in hand frames, shared by hands.
        shape_of: (k,) which shape each hand has.
        length: [m], divides torques.
    """

    def __init__(
        self, shapes: Sequence[tuple[ArrayLike, ArrayLike | None]], shape_of: Sequence[int], *, length: float
    ) -> None:
        self._shapes = [
            (
                np.asarray(v, float).reshape(-1, 6),
                np.zeros((0, 6)) if r is None else np.asarray(r, float).reshape(-1, 6),
            )
            for v, r in shapes
        ]
        self._shape_of = [int(shape) for shape in shape_of]
        self._length = float(length)
        self._maps = np.tile(np.eye(6), (len(self._shape_of), 1, 1))

    def place(self, maps: ArrayLike) -> None:
        """Put the hands at their places: (k, 6, 6) maps T_j (13) to the world, torques about the world origin."""
        self._maps = np.asarray(maps, float).reshape(len(self._shape_of), 6, 6)

    def support(self, multipliers: ArrayLike) -> Array:
        """(n,) support values max y . w over the sum, for (n, 6) world multipliers y; inf along rays."""
        y = np.asarray(multipliers, float).reshape(-1, 6)
        total = np.zeros(len(y))
        for j, shape in enumerate(self._shape_of):
            vertices, rays = self._shapes[shape]
            local = y @ self._maps[j]
            total += (local @ vertices.T).max(axis=1)
            slopes, size = local @ rays.T, RAY_SLOPE * np.outer(_norms(local), _norms(rays))
            total[np.any(slopes > size, axis=1)] = np.inf
        return total

    def maximise(
        self,
        base: ArrayLike,
        axes: ArrayLike = (),
        objective: ArrayLike = (),
        *,
        stop_above: float = np.inf,
        stop_below: float = -np.inf,
    ) -> SumOptimum:
        """Maximise objective . z over z in R^p with base + z @ axes in the sum; the stops are never used."""
        del stop_above, stop_below
        base = np.asarray(base, float)
        axes = np.asarray(axes, float).reshape(-1, 6)
        gains = np.asarray(objective, float).reshape(len(axes))
        scaling, program, columns = self._program(base, axes, slack=True)
        n, p = columns.shape[1] - 6, len(axes)
        program.solve()
        empty = program.values[n + p :].sum()
        tolerance = FEASIBILITY * max(1.0, float(np.abs(columns[6:]).sum(axis=0).max(initial=0.0)))
        if empty > tolerance:
            return self._answer(SumStatus.EMPTY, None, p, scaling.multipliers(program.row_duals[:6]))
        scaling, program, columns = self._program(base, axes, slack=False, gains=gains)
        outcome = program.solve()
        if outcome is Outcome.UNBOUNDED:
            return self._unbounded(base, axes, gains)
        if outcome is not Outcome.OPTIMAL:
            return self._answer(SumStatus.UNDECIDED, None, p, np.zeros(6))
        y = scaling.multipliers(program.row_duals[:6])
        return self._answer(SumStatus.OPTIMAL, program.values, p, y, gains=gains, base=base, axes=axes)

    def _scaling(self, base: Array) -> Scaling:
        scaling = Scaling(palm_positions(self._maps).mean(axis=0), self._length, 1.0)
        sizes = [_norms(base[None] @ scaling.to_scaled.T).max()]
        for j, shape in enumerate(self._shape_of):
            sizes.append(_norms(self._shapes[shape][0] @ (scaling.to_scaled @ self._maps[j]).T).max())
        return scaling._replace(unit=max(sizes) or 1.0)

    def _program(
        self, base: Array, axes: Array, *, slack: bool, gains: Array | None = None, origin: bool = False
    ) -> tuple[Scaling, LinearProgram, Array]:
        """Rows: 6 balances, a convexity row per hand. Columns: vertices and rays by hand; z; slacks if asked for."""
        k, scaling = len(self._shape_of), self._scaling(base)
        scale = scaling.to_scaled
        right = np.concatenate([scale @ base, np.ones(k)]) * (0.0 if origin else 1.0)
        program = LinearProgram(right, right)
        columns = []
        for j, shape in enumerate(self._shape_of):
            vertices, rays = self._shapes[shape]
            block = np.zeros((6 + k, len(vertices) + len(rays)))
            block[:6] = scale @ self._maps[j] @ np.vstack([vertices, rays]).T
            block[6 + j, : len(vertices)] = 1.0
            columns.append(block)
        vertices_and_rays = np.hstack(columns)
        program.add_columns(vertices_and_rays)
        bound = 1.0 if origin else np.inf
        for i, axis in enumerate(axes):
            column = np.concatenate([-scale @ axis, np.zeros(k)])[:, None]
            program.add_columns(column, gain=0.0 if gains is None else gains[i], lower=-bound, upper=bound)
        if slack:
            unit = np.eye(6 + k)[:, :6]
            program.add_columns(unit, gain=-1.0)
            program.add_columns(-unit, gain=-1.0)
        return scaling, program, np.hstack([np.zeros((6 + k, 6)), vertices_and_rays])

    def _unbounded(self, base: Array, axes: Array, gains: Array) -> SumOptimum:
        """A point of the sum, and the steepest direction of its recession cone within a box of z."""
        p = len(axes)
        _, point, columns = self._program(base, axes, slack=False)
        point.solve()
        _, cone, _ = self._program(base, axes, slack=False, gains=gains, origin=True)
        cone.solve()
        n = columns.shape[1] - 6
        found = self._answer(SumStatus.UNBOUNDED, point.values, p, np.zeros(6), gains=gains, base=base, axes=axes)
        object.__setattr__(found, "ray", cone.values[n : n + p])
        return found

    def _answer(
        self,
        status: SumStatus,
        values: Array | None,
        p: int,
        y: Array,
        *,
        gains: Array | None = None,
        base: Array | None = None,
        axes: Array | None = None,
    ) -> SumOptimum:
        k, effort = len(self._shape_of), SumEffort(0, 1)
        if values is None or gains is None or base is None or axes is None:
            bound = -np.inf if status is SumStatus.EMPTY else np.inf
            none = np.full(p, np.nan)
            return SumOptimum(status, none, -np.inf, bound, (), np.full((k, 6), np.nan), y, np.zeros(p), effort)
        weights, wrenches, first = [], np.zeros((k, 6)), 0
        for j, shape in enumerate(self._shape_of):
            vertices, rays = self._shapes[shape]
            own = np.maximum(values[first : first + len(vertices)], 0.0)
            pull = np.maximum(values[first + len(vertices) : first + len(vertices) + len(rays)], 0.0)
            first += len(vertices) + len(rays)
            own = own / own.sum()
            used, pulled = np.flatnonzero(own), np.flatnonzero(pull)
            weights.append(HandWeights(used, own[used], pulled, pull[pulled]))
            wrenches[j] = own @ vertices + pull @ rays
        z = values[first : first + p]
        value = float(gains @ z)
        bound = float(self.support(y)[0] - y @ base) if status is SumStatus.OPTIMAL else np.inf
        # rays that cost nothing at the optimum may show a slope of rounding alone
        bound = value if not np.isfinite(bound) and status is SumStatus.OPTIMAL else bound
        return SumOptimum(status, z, value, bound, tuple(weights), wrenches, y, np.zeros(p), effort)


def _norms(rows: Array) -> Array:
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))
