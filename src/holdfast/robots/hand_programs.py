"""The linear program over the wrenches of several hands, within rows that couple them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..checks import Array
from ..errors import SolverError
from ..grips import Grip, OuterGrip

#: Status codes of scipy's `linprog`.
INFEASIBLE, ENDLESS = 2, 3


class Rows(NamedTuple):
    """Rows lower <= sum_j maps_j w_j + constant <= upper on palm wrenches w_j, all in newtons.

    Attributes:
        maps: (m, 6) of each hand.
        lower, upper: (m,) bounds; equal for equations, infinite for none.
        size: what numbers are divided by [N].
    """

    maps: tuple[Array, ...]
    lower: Array
    upper: Array
    size: float


class HandProgram:
    """Wrenches of all hands as one linear program: mixtures of vertices, or points within half-spaces."""

    def __init__(self, rows: Rows, grips: Sequence[Grip | OuterGrip]) -> None:
        self.rows, self.grips = rows, grips
        self.parts = [
            np.concatenate([g.vertices, g.rays * rows.size]).T if isinstance(g, Grip) else np.diag(g.unit) * rows.size
            for g in self.grips
        ]
        self.sizes = [part.shape[1] for part in self.parts]
        self.width = sum(self.sizes)

    def wrenches(self, x: Array) -> Array:
        """(k, 6) palm wrenches of the first `width` unknowns."""
        pieces = np.split(x[: self.width], np.cumsum(self.sizes)[:-1])
        return np.array([part @ piece for part, piece in zip(self.parts, pieces, strict=True)])

    def solve(self, cost: Array, extra: Array, constant: Array, *, endless: bool = False) -> tuple[Array, Array] | None:
        """(unknowns, multipliers (m,)) of least cost with the rows kept by the hands and `extra` (m, e) >= 0.

        None where nothing keeps them; without unknowns where the cost falls for ever and `endless` allows it. The
        last of the unknowns is free with `endless`.
        """
        from scipy.optimize import linprog

        body = self.rows
        rows = np.concatenate([b @ p for b, p in zip(body.maps, self.parts, strict=True)], axis=1) / body.size
        rows = np.concatenate([rows, extra], axis=1)
        lower, upper = body.lower, body.upper
        fixed = lower == upper
        ends = (upper - constant) / body.size, (lower - constant) / body.size
        above, below = np.isfinite(upper) & ~fixed, np.isfinite(lower) & ~fixed
        mixing, planes, levels, bounds = self._sets(len(cost))
        if endless:
            bounds[-1] = (None, None)
        found = linprog(
            cost,
            A_ub=np.concatenate([rows[above], -rows[below], planes]),
            b_ub=np.concatenate([ends[0][above], -ends[1][below], levels]),
            A_eq=np.concatenate([rows[fixed], mixing]),
            b_eq=np.concatenate([ends[0][fixed], np.ones(len(mixing))]),
            bounds=bounds,
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status == INFEASIBLE:
            return None
        if found.status == ENDLESS and endless:
            return np.zeros(0), np.zeros(0)
        if found.status != 0:
            raise SolverError(f"no answer of the hands could be found: {found.message}", where="levels")
        y = np.zeros(len(constant))  # cost of moving each row: its multiplier, the right-hand side being -constant
        y[fixed] = -found.eqlin.marginals[: fixed.sum()]
        marginals = found.ineqlin.marginals
        y[above] -= marginals[: above.sum()]
        y[below] += marginals[above.sum() : above.sum() + below.sum()]
        return found.x, np.clip(y, -1.0, 1.0)

    def _sets(self, count: int) -> tuple[Array, Array, Array, list[tuple[float | None, float | None]]]:
        """(mixing rows, planes, their levels, bounds of all unknowns) that keep each wrench in its grip."""
        mixing, planes, levels = [], [np.zeros((0, count))], [np.zeros(0)]
        bounds: list[tuple[float | None, float | None]] = [(0.0, None)] * count
        first = 0
        for grip, size in zip(self.grips, self.sizes, strict=True):
            if isinstance(grip, Grip):
                row = np.zeros(count)
                row[first : first + len(grip.vertices)] = 1.0
                mixing.append(row)
            else:
                normals, offsets = grip.unit_planes
                wide = np.zeros((len(normals), count))
                wide[:, first : first + size] = normals
                planes.append(wide)
                levels.append(offsets / self.rows.size)
                bounds[first : first + size] = [(None, None)] * size
            first += size
        return np.array(mixing).reshape(-1, count), np.concatenate(planes), np.concatenate(levels), bounds
