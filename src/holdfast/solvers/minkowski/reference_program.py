"""The reference for sums: program (20) with a weight for every vertex and ray of every hand, by HiGHS.

One linear program with all columns: slow and simple. Its answers have the form of those of `SumSolver`, with proofs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, IntArray
from ...geometry.frames import skew
from ...tolerances import FEASIBILITY, RAY_SLOPE
from ..highs import LinearProgram, Outcome
from .results import HandWeights, SumOptimum, SumStats, SumStatus


class Scaling(NamedTuple):
    """Scaled coordinates of world wrenches: torque about `centre`, divided by `length`, all divided by `unit`.

    A posture may be far from the world origin; torques about it would be so large that the relevant digits are lost.
    """

    centre: Array  # (3,) [m] mean of the palms
    length: float  # [m]
    unit: float  # [N]

    @property
    def to_scaled(self) -> Array:
        """(6, 6) takes world wrenches to scaled ones."""
        matrix = np.eye(6)
        matrix[3:, :3] = -skew(self.centre)
        matrix[3:] /= self.length
        return matrix / self.unit

    def multipliers(self, scaled: Array) -> Array:
        """(..., 6) in the world, such that both forms give the same product with a wrench."""
        return scaled @ self.to_scaled


def palm_positions(maps: Array) -> Array:
    """(k, 3) [m] of the maps' translations: [t] R stands in the lower left block of (13)."""
    skew = np.einsum("jab,jcb->jac", maps[:, 3:, :3], maps[:, :3, :3])
    return 0.5 * np.stack(
        [skew[:, 2, 1] - skew[:, 1, 2], skew[:, 0, 2] - skew[:, 2, 0], skew[:, 1, 0] - skew[:, 0, 1]], axis=1
    )


def support_values(
    shapes: Sequence[tuple[Array, Array]], shape_of: Sequence[int] | IntArray, maps: Array, multipliers: ArrayLike
) -> Array:
    """(n,) support values max y . w over the sum, for (n, 6) world multipliers y; inf along rays.

    Args:
        shapes: (vertices (n, 6), rays (m, 6)) in hand frames.
        shape_of: (k,) which shape each hand has.
        maps: (k, 6, 6) from hand frames to the world.
        multipliers: y, torque part about the world origin.
    """
    y = np.asarray(multipliers, float).reshape(-1, 6)
    total = np.zeros(len(y))
    for shape, transport in zip(shape_of, maps, strict=True):
        vertices, rays = shapes[shape]
        local = y @ transport
        total += (local @ vertices.T).max(axis=1)
        slopes, size = local @ rays.T, RAY_SLOPE * np.outer(np.linalg.norm(local, axis=1), np.linalg.norm(rays, axis=1))
        total[np.any(slopes > size, axis=1)] = np.inf
    return total


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
        return support_values(self._shapes, self._shape_of, self._maps, multipliers)

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
        scaling, program, n = self._program(base, axes, slack=True)
        p = len(axes)
        program.solve()
        if program.values[n + p :].sum() > FEASIBILITY:
            return self._optimum(SumStatus.EMPTY, None, p, scaling.multipliers(program.row_duals[:6]))
        scaling, program, _ = self._program(base, axes, slack=False, gains=gains)
        outcome = program.solve()
        if outcome is Outcome.UNBOUNDED:
            return self._unbounded(base, axes, gains)
        if outcome is not Outcome.OPTIMAL:
            return self._optimum(SumStatus.UNDECIDED, None, p, np.zeros(6))
        y = scaling.multipliers(program.row_duals[:6])
        return self._optimum(SumStatus.OPTIMAL, program.values, p, y, gains=gains, base=base)

    def _scaling(self, base: Array) -> Scaling:
        scaling = Scaling(palm_positions(self._maps).mean(axis=0), self._length, 1.0)
        sizes = [np.linalg.norm(scaling.to_scaled @ base)]
        for j, shape in enumerate(self._shape_of):
            scaled = self._shapes[shape][0] @ (scaling.to_scaled @ self._maps[j]).T
            sizes.append(np.linalg.norm(scaled, axis=1).max())
        return scaling._replace(unit=max(sizes) or 1.0)

    def _program(
        self, base: Array, axes: Array, *, slack: bool, gains: Array | None = None, origin: bool = False
    ) -> tuple[Scaling, LinearProgram, int]:
        """(scaling, program, number of vertices and rays n) of a slice.

        Rows: 6 balances, a convexity row per hand. Columns: vertices and rays by hand; z; slacks if asked for.
        """
        k, scaling = len(self._shape_of), self._scaling(base)
        scale = scaling.to_scaled
        right = np.concatenate([scale @ base, np.ones(k)]) * (0.0 if origin else 1.0)
        program = LinearProgram(right, right)
        n = 0
        for j, shape in enumerate(self._shape_of):
            vertices, rays = self._shapes[shape]
            block = np.zeros((6 + k, len(vertices) + len(rays)))
            block[:6] = scale @ self._maps[j] @ np.vstack([vertices, rays]).T
            block[6 + j, : len(vertices)] = 1.0
            program.add_columns(block)
            n += block.shape[1]
        bound = 1.0 if origin else np.inf
        for i, axis in enumerate(axes):
            column = np.concatenate([-scale @ axis, np.zeros(k)])[:, None]
            program.add_columns(column, gain=0.0 if gains is None else gains[i], lower=-bound, upper=bound)
        if slack:
            unit = np.eye(6 + k)[:, :6]
            program.add_columns(unit, gain=-1.0)
            program.add_columns(-unit, gain=-1.0)
        return scaling, program, n

    def _unbounded(self, base: Array, axes: Array, gains: Array) -> SumOptimum:
        """A point of the sum, and the steepest direction of its recession cone within a box of z."""
        p = len(axes)
        _, point, n = self._program(base, axes, slack=False)
        point.solve()
        _, cone, _ = self._program(base, axes, slack=False, gains=gains, origin=True)
        cone.solve()
        found = self._optimum(SumStatus.UNBOUNDED, point.values, p, np.zeros(6), gains=gains, base=base)
        return replace(found, ray=cone.values[n : n + p])

    def _optimum(
        self,
        status: SumStatus,
        values: Array | None,
        p: int,
        y: Array,
        *,
        gains: Array | None = None,
        base: Array | None = None,
    ) -> SumOptimum:
        k, effort = len(self._shape_of), SumStats(0, 1)
        if values is None or gains is None or base is None:
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
        # rays that cost nothing at the optimum may have a slope of rounding alone
        bound = value if not np.isfinite(bound) and status is SumStatus.OPTIMAL else bound
        return SumOptimum(status, z, value, bound, tuple(weights), wrenches, y, np.zeros(p), effort)
