"""The largest convex piece inside a star-shaped surface, by linear programs.

A convex piece P that holds the zero force lies inside the surface exactly when every triangle of the
surface can be cut off by a plane: for a triangle with limit forces v_1, v_2, v_3 a plane a . x = 1 with
a . v_i >= 1, and for a cone without any force a plane b . x = 0 with b . d_i >= 0. P is what all planes
leave. Its gauge at a force x is the largest a . x, which is convex in the planes: the planes that
minimise a weighted sum of gauges come from a linear program. Whatever the program returns, the piece
is inside; weights and members only say where it should be large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Array
from ..geometry.directions import ON_EDGE, Indices
from .dead_cones import BEYOND
from .surface import LimitSurface

#: Share by which a plane may cut into a force the program believes kept, before the program is asked again.
CUT = 5e-3

#: Rounds of adding the planes that cut most, and how many for each force are added in one round.
ROUNDS = 25
ADDED = 20

#: Forces next to each triangle that the first round looks at.
NEARBY = 6

#: A force with a larger gauge is as good as lost.
LOST = 1e3

#: Weight of forces that are no members: the piece takes them along where it costs the members nothing much.
PASSENGER = 0.03

#: A triangle's own plane is taken when it cuts no force by more than this share.
FINE = 1e-9


@dataclass(frozen=True)
class Growth:
    """A convex piece as planes: outer x <= 1 and through x <= 0.

    Attributes:
        outer: (f, 3) rows [1/N].
        through: (z, 3) unit rows of planes through the zero force.
    """

    outer: Array
    through: Array

    def reach(self, forces: Array) -> Array:
        """(n,) the largest share, at most 1, of each force (n, 3) of the surface that the piece holds."""
        share = 1.0 / np.maximum((forces @ self.outer.T).max(axis=1), 1.0)
        beyond = (forces @ self.through.T).max(axis=1, initial=-np.inf)
        return np.where(beyond <= BEYOND * np.linalg.norm(forces, axis=1), share, 0.0)


class PieceProgram:
    """The linear programs of one bounded surface, over forces on it that a piece should reach.

    Attributes:
        forces: (s, 3) points of the surface [N].
        rays: (s, 3) their directions.
    """

    def __init__(self, surface: LimitSurface, forces: Array) -> None:
        alive = surface.triangles[np.isfinite(surface.gauges[surface.triangles]).all(axis=1)]
        self.forces = forces
        self.rays = forces / np.linalg.norm(forces, axis=1, keepdims=True)
        self.size = surface.size
        self.local = forces / surface.size
        self.limits = surface.vertices[alive] / surface.size  # (t, 3, 3)
        near = np.argsort(-(surface.directions[alive].sum(axis=1) @ self.rays.T), axis=1)[:, :NEARBY]
        self.near = [(int(x), t) for t, row in enumerate(near) for x in row]

    def solve(self, through: Array, members: Array, passengers: Array, caps: Array, stakes: Array) -> Growth:
        """The piece on the near side of the planes `through` (p, 3) zero, large where it should be.

        Members (s,) are held up to gauge `caps` (s,) where that is possible; passengers (s,) are taken
        along as well as can be. `stakes` (s,) weigh the forces against each other.
        """
        kept = (self.rays @ through.T).max(axis=1, initial=-np.inf) <= BEYOND
        kept &= members | passengers
        weights = np.where(members, 1.0, PASSENGER) * stakes
        if not kept.any():
            return Growth(np.eye(3) / self.size, through)
        task = _Task(self, weights, kept, through)
        held = members & (caps < LOST)
        outer = task.solve(np.ones(len(kept)), np.where(held, caps, np.inf))
        if outer is None:  # members that agree in pairs need not agree all together: let as few as possible go
            outer = task.solve(np.where(held, caps, 1.0), np.full(len(kept), np.inf))
        return Growth(task.facets if outer is None else outer, through)


class _Task:
    """One program: columns are three numbers a triangle's plane and one gauge a force that is kept.

    Triangles whose own plane cuts no force that is kept use it, and need no columns.
    """

    def __init__(self, program: PieceProgram, weights: Array, kept: Array, through: Array) -> None:
        limits = program.limits
        near = np.ones(len(limits), dtype=bool)
        for b in through:
            near &= (limits @ b).min(axis=1) < -ON_EDGE
        own = np.linalg.solve(limits, np.ones((len(limits), 3, 1)))[..., 0]
        self.kept: Indices = np.flatnonzero(kept)
        self.local = program.local[self.kept]
        fine = (self.local @ own.T).max(axis=0) <= 1.0 + FINE
        self.size = program.size
        self.facets = own[near] / self.size  # sound for every triangle, if rarely the best
        self.settled = own[near & fine] / self.size
        self.planes: Indices = np.flatnonzero(near & ~fine)
        self.corners = limits[self.planes]
        self.own = own[self.planes]
        self.weights = weights[self.kept] / weights[self.kept].max()
        plane_of = np.full(len(limits), -1)
        plane_of[self.planes] = np.arange(len(self.planes))
        force_of = np.full(len(kept), -1)
        force_of[self.kept] = np.arange(len(self.kept))
        self.pairs = {(int(force_of[x]), int(plane_of[t])) for x, t in program.near if kept[x] and plane_of[t] >= 0}

    def solve(self, floors: Array, caps: Array) -> Array | None:
        """Rows a (f, 3) [1/N] with gauges between `floors` and `caps` (of all forces); None when there are none.

        Pairs (force, plane) enter as they are needed: those where a plane cuts into a force unseen.
        """
        from scipy.optimize import linprog

        count = 3 * len(self.planes)
        if not count:
            return self.settled
        cost = np.concatenate([np.zeros(count), self.weights])
        bounds = np.full((count + len(self.kept), 2), [-np.inf, np.inf])
        bounds[count:] = np.column_stack([floors[self.kept], np.maximum(caps, floors)[self.kept]])
        rows = np.zeros((len(self.planes), 3))
        for _ in range(ROUNDS):
            matrix, right = self._rows()
            # Without presolve: the program is solved again and again with a few rows more.
            options = {"presolve": False}
            result = linprog(cost, A_ub=matrix, b_ub=right, bounds=bounds, method="highs", options=options)
            if result.x is None:
                return None
            rows = result.x[:count].reshape(-1, 3)
            if not self._add_cuts(rows, result.x[count:]):
                break
        return np.concatenate([self.settled, self._sound(rows)])

    def _rows(self):
        """Every plane before the corners of its triangle, every gauge above the planes of its pairs."""
        from scipy.sparse import coo_matrix

        chosen = np.array(sorted(self.pairs), dtype=np.intp).reshape(-1, 2)
        count = 3 * len(self.planes)
        triple = np.arange(3)
        at = count + np.arange(len(chosen))
        values = [-self.corners.ravel(), self.local[chosen[:, 0]].ravel(), -np.ones(len(chosen))]
        rows = [np.repeat(np.arange(count), 3), np.repeat(at, 3), at]
        columns = [
            (3 * np.repeat(np.arange(len(self.planes)), 3)[:, None] + triple).ravel(),
            (3 * chosen[:, 1:] + triple).ravel(),
            count + chosen[:, 0],
        ]
        matrix = coo_matrix(
            (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
            shape=(count + len(chosen), count + len(self.kept)),
        )
        return matrix.tocsr(), np.concatenate([-np.ones(count), np.zeros(len(chosen))])

    def _add_cuts(self, planes: Array, gauges: Array) -> bool:
        """Add the pairs where a plane cuts most; False when none cuts more than `CUT`."""
        excess = self.local @ planes.T - gauges[:, None] * (1.0 + CUT)
        worst = np.argsort(-excess, axis=1)[:, :ADDED]
        force, rank = np.nonzero(np.take_along_axis(excess, worst, axis=1) > 0.0)
        found = {(int(x), int(worst[x, k])) for x, k in zip(force, rank, strict=True)} - self.pairs
        self.pairs |= found
        return bool(found)

    def _sound(self, rows: Array) -> Array:
        """Rows a [1/N] with a . v >= 1 at all corners of their triangles, whatever the program's own tolerance."""
        least = np.einsum("tj,tkj->tk", rows, self.corners).min(axis=1)
        good = least > 0.5  # else the program gave up on the triangle, and its own plane is always right
        exact = np.where(good[:, None], rows / np.where(good, np.minimum(least, 1.0), 1.0)[:, None], self.own)
        return np.unique(exact, axis=0) / self.size
