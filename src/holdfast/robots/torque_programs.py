"""The linear programs behind holding torques: forces as mixtures of vertices, those that matter brought in as needed.

Units have hundreds of vertices and a climber has hundreds of points, yet an optimum mixes few of them. A program begins
with the forces that are known to hold and the furthest vertices along a few directions; its multipliers then price all
the others, and the best of each contact come in until none promises more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..assembly.loads import sphere_directions
from ..checks import Array
from ..errors import SolverError
from ..geometry.polytopes import Polytope
from .flat_body import WholeBody
from .least_norm import least_point

#: Status of scipy's `linprog`.
INFEASIBLE = 2

#: Directions along which the first vertices of each contact are furthest.
FIRST_DIRECTIONS = 8

#: A vertex comes in when it promises more than this share of the largest price.
PROMISE = 1e-9

#: Rounds of bringing vertices in, at most; then all come.
MOST_ROUNDS = 100


class TorqueProgram:
    """The forces in convex pieces that hold the load of a posture within its joint limits."""

    def __init__(self, body: WholeBody, pieces: Sequence[Polytope], start: Array) -> None:
        """Begin with local forces `start` (k, 3) [N] that hold; they are in the pieces."""
        self.body, self.pieces = body, pieces
        layout, load = body.assembly.layout, body.assembly.problem(body.load).load
        self.columns = [
            np.concatenate([force[None], piece.vertices, piece.rays])
            for piece, force in zip(pieces, start, strict=True)
        ]
        rows = np.concatenate([c @ m.T for c, m in zip(self.columns, layout.maps, strict=True)]).T  # (m, columns)
        self.sizes = [len(c) for c in self.columns]
        self.first = np.cumsum([0, *self.sizes[:-1]])
        self.contact_of = np.repeat(np.arange(len(pieces)), self.sizes)
        self.is_vertex = np.concatenate(
            [np.arange(size) <= len(p.vertices) for size, p in zip(self.sizes, pieces, strict=True)]
        )
        self.scale = max(float(np.abs(load).max()), layout.smallest_size)  # [N] that the numbers are divided by
        self.balance, self.joint = rows[:6] / self.scale, rows[6:] / self.scale
        self.wanted = -load[:6] / self.scale
        self.lower, self.upper = layout.lower[6:] / self.scale, layout.upper[6:] / self.scale
        self.unit = np.where(body.robot.is_hinge(), 1.0, body.assembly.length)  # a slide's newtons times the length
        resting = body.joint_torques(np.zeros((len(pieces), 3)))
        self.resting = resting / (self.scale * body.assembly.length)  # torques are rows and what rests on the joints
        self.active = self._first_columns()

    def _first_columns(self) -> Array:
        """(columns,) bool: the start, all rays, and the furthest vertices along a few directions."""
        ways = sphere_directions(FIRST_DIRECTIONS)
        active = ~self.is_vertex
        active[self.first] = True
        for first, piece in zip(self.first, self.pieces, strict=True):
            active[first + 1 + np.unique((piece.vertices @ ways.T).argmax(axis=0))] = True
        return active

    def forces(self, weights: Array) -> Array:
        """(k, 3) local forces of weights over all columns."""
        parts = np.split(weights, self.first[1:])
        return np.array([w @ c for w, c in zip(parts, self.columns, strict=True)])

    def most_margin(self) -> tuple[Array, float, float] | None:
        """(weights, margin, margin): the largest least distance to the limits, as a share of half the range."""
        half = 0.5 * (self.upper - self.lower)
        counted = np.isfinite(half) & (half > 0.0)
        cost = np.zeros(self.joint.shape[1] + 1)
        cost[-1] = -1.0
        found = self._solve(cost, np.where(counted, half, 0.0), 1.0 if counted.any() else 0.0)
        if found is None:
            return None
        value = float(found[-1]) if counted.any() else np.inf
        return found[:-1], value, value

    def least_norm(self) -> tuple[Array, float, float] | None:
        """(weights, norm [N m], bound from below [N m])."""
        torques_of, resting = self.joint * self.unit[:, None], self.resting * self.unit
        held = np.zeros(self.joint.shape[1])
        held[self.first] = 1.0
        begin = torques_of @ held + resting
        box = 1.01 * float(np.linalg.norm(begin))  # the shortest point is no longer: it bounds what cones leave open

        def nearest(x: Array) -> tuple[Array, Array] | None:
            if not len(x):
                return begin, held
            found = self._solve(np.append(torques_of.T @ x, 0.0), np.zeros(len(self.lower)), 0.0, box=box)
            return None if found is None else (torques_of @ found[:-1] + resting, found[:-1])

        found = least_point(nearest)
        if found is None:
            return None
        weights = found.weights @ np.array(found.tags)
        unit = self.scale * self.body.assembly.length
        return weights, float(np.linalg.norm(found.point)) * unit, found.bound * unit

    def _solve(self, cost: Array, half: Array, most: float, box: float = np.inf) -> Array | None:
        """Weights of all columns and a last entry s in [0, most], of least cost.

        With lower + s half <= rows <= upper - s half, and every torque within the box.
        """
        reach = np.full(len(self.lower), box) / self.unit
        upper, lower = np.minimum(self.upper, reach - self.resting), np.maximum(self.lower, -reach - self.resting)
        above, below = np.isfinite(upper), np.isfinite(lower)
        limits = np.concatenate([upper[above], -lower[below]])
        halves = np.concatenate([half[above], half[below]])
        steep = float(np.abs(cost).max()) or 1.0
        for _ in range(MOST_ROUNDS):
            chosen = np.nonzero(self.active)[0]
            bounded = np.concatenate([self.joint[above][:, chosen], -self.joint[below][:, chosen]])
            found = self._solved(np.append(cost[chosen], cost[-1]) / steep, chosen, bounded, halves, limits, most)
            if found is None:
                if self.active.all():
                    return None
                self.active[:] = True
                continue
            y, mix = found.eqlin.marginals[:6], found.eqlin.marginals[6:]
            joint = np.zeros(len(self.lower))
            joint[above] += found.ineqlin.marginals[: above.sum()]
            joint[below] -= found.ineqlin.marginals[above.sum() :]
            left = cost[:-1] / steep - y @ self.balance - joint @ self.joint - mix[self.contact_of] * self.is_vertex
            size = max(1.0, float(np.abs(mix).max()))
            if not self._bring_in(left, PROMISE * size):
                weights = np.zeros(len(cost))
                weights[chosen], weights[-1] = found.x[:-1], found.x[-1]
                return weights
        self.active[:] = True
        return self._solve(cost, half, most, box)

    def _bring_in(self, left: Array, least: float) -> bool:
        """Make the best column of each contact active where it promises more than `least`; whether any was."""
        waiting = np.where(self.active, 0.0, left)
        best = np.minimum.reduceat(waiting, self.first)
        entering = waiting <= np.minimum(best, -least)[self.contact_of]
        self.active |= entering
        return bool(entering.any())

    def _solved(self, cost: Array, chosen: Array, bounded: Array, halves: Array, limits: Array, most: float) -> Any:
        """The program over the chosen columns and s; None where it has no solution."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_array, hstack, vstack

        k, n = len(self.pieces), len(chosen)
        mixing = csr_array(
            (self.is_vertex[chosen].astype(float), (self.contact_of[chosen], np.arange(n))), shape=(k, n)
        )
        equations: Any = hstack([vstack([csr_array(self.balance[:, chosen]), mixing]), csr_array((6 + k, 1))])
        bounds = np.column_stack([np.zeros(n + 1), np.full(n + 1, np.inf)])
        bounds[-1, 1] = most
        found = linprog(
            cost,
            A_ub=csr_array(np.column_stack([bounded, halves])),
            b_ub=limits,
            A_eq=equations.tocsr(),
            b_eq=np.concatenate([self.wanted, np.ones(k)]),
            bounds=bounds,
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status == INFEASIBLE:
            return None
        if found.status != 0:
            raise SolverError(f"no torques could be found: {found.message}", where=repr(self.body))
        return found
