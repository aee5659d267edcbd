"""Joint torques that hold a posture: of least norm (Wolfe's method over linear programs), or with most margin.

The torques that hold a load form a polytope that is known only through linear programs over contact forces. Its
shortest point is found from its extreme points, by `solvers.min_norm.min_norm_point` with a support oracle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import tolerances
from ..assembly.loads import sphere_directions
from ..checks import Array
from ..errors import InputError, SolverError, UnknownNameError
from ..geometry.polytopes import Polytope
from ..linear_programs import TIGHT, LinearSolution, Outcome, minimise
from ..public_names import with_advice
from ..results import Result, proof, same
from ..solvers import Status
from ..statics.holding import balance_residual, shares_piece

if TYPE_CHECKING:
    from .bodies import WholeBody


# The linear programs for holding torques: forces as combinations of vertices, which are added as needed.

#: Directions along which the first vertices of each contact are furthest.
FIRST_DIRECTIONS = 8

#: A vertex is added if it improves by more than this fraction of the largest multiplier.
PROMISE = 1e-9

#: Largest number of rounds of adding vertices; then all are added.
MOST_ROUNDS = 100


class TorqueProgram:
    """The forces in convex pieces that hold the load of a posture within its joint limits."""

    def __init__(self, body: WholeBody, pieces: Sequence[Polytope], start: Array) -> None:
        """Start with local forces `start` (k, 3) [N] that hold and are in the pieces."""
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
        self.scale = max(float(np.abs(load).max()), layout.smallest_size)  # [N] divisor of the numbers
        self.balance, self.joint = rows[:6] / self.scale, rows[6:] / self.scale
        self.wanted = -load[:6] / self.scale
        self.lower, self.upper = layout.lower[6:] / self.scale, layout.upper[6:] / self.scale
        self.unit = np.where(body.robot.is_hinge(), 1.0, body.assembly.length)  # a slide's newtons times the length
        resting = body.joint_torques(np.zeros((len(pieces), 3)))
        self.resting = resting / (self.scale * body.assembly.length)  # torques are rows plus the resting torques
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
        """(weights, margin, margin): the largest smallest distance to the limits, as a fraction of half the range."""
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
        box = 1.01 * float(np.linalg.norm(begin))  # an upper bound of the shortest point, which bounds the cones

        def nearest(x: Array) -> tuple[Array, Array] | None:
            if not len(x):
                return begin, held
            found = self._solve(np.append(torques_of.T @ x, 0.0), np.zeros(len(self.lower)), 0.0, box=box)
            return None if found is None else (torques_of @ found[:-1] + resting, found[:-1])

        from ..solvers.min_norm import min_norm_point

        found = min_norm_point(nearest)
        if found is None:
            return None
        weights = found.weights @ np.array(found.tags)
        unit = self.scale * self.body.assembly.length
        return weights, float(np.linalg.norm(found.point)) * unit, found.bound * unit

    def _solve(self, cost: Array, half: Array, most: float, box: float = np.inf) -> Array | None:
        """Weights of all columns and a last entry s in [0, most], of smallest cost.

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
            y, mix = found.equality_marginals[:6], found.equality_marginals[6:]
            joint = np.zeros(len(self.lower))
            joint[above] += found.upper_marginals[: above.sum()]
            joint[below] -= found.upper_marginals[above.sum() :]
            left = cost[:-1] / steep - y @ self.balance - joint @ self.joint - mix[self.contact_of] * self.is_vertex
            size = max(1.0, float(np.abs(mix).max()))
            if not self._bring_in(left, PROMISE * size):
                weights = np.zeros(len(cost))
                weights[chosen], weights[-1] = found.x[:-1], found.x[-1]
                return weights
        self.active[:] = True
        return self._solve(cost, half, most, box)

    def _bring_in(self, left: Array, least: float) -> bool:
        """Activate the best column of each contact if it improves by more than `least`; returns whether any was."""
        waiting = np.where(self.active, 0.0, left)
        best = np.minimum.reduceat(waiting, self.first)
        entering = waiting <= np.minimum(best, -least)[self.contact_of]
        self.active |= entering
        return bool(entering.any())

    def _solved(
        self, cost: Array, chosen: Array, bounded: Array, halves: Array, limits: Array, most: float
    ) -> LinearSolution | None:
        """The program over the chosen columns and s; None where it has no solution."""
        from scipy.sparse import csr_array, hstack, vstack

        k, n = len(self.pieces), len(chosen)
        mixing = csr_array(
            (self.is_vertex[chosen].astype(float), (self.contact_of[chosen], np.arange(n))), shape=(k, n)
        )
        equations: Any = hstack([vstack([csr_array(self.balance[:, chosen]), mixing]), csr_array((6 + k, 1))])
        bounds = np.column_stack([np.zeros(n + 1), np.full(n + 1, np.inf)])
        bounds[-1, 1] = most
        found = minimise(
            cost,
            csr_array(np.column_stack([bounded, halves])),
            limits,
            equations.tocsr(),
            np.concatenate([self.wanted, np.ones(k)]),
            bounds=bounds,
            tolerance=TIGHT,
        )
        if found.outcome is Outcome.INFEASIBLE:
            return None
        if not found.optimal:
            raise SolverError(f"no torques could be found: {found.message}", where=repr(self.body))
        return found


# Joint torques that hold a posture: of least norm, or with most margin to their limits.

#: Possible aims of the torques.
AIMS = ("least norm", "most margin")


@dataclass(frozen=True, eq=False)
class HoldingTorques(Result):
    """Torques that hold a posture, with the contact forces that go with them.

    Attributes:
        body: the posture.
        aim: "least norm" or "most margin".
        status: holds, does not hold, or undecided.
        torques: (n,) torques of actuator and friction, without springs [N m, N], or None.
        forces: (k, 3) contact forces on what is held, in the world [N], or None.
        pieces: (k,) the piece of its volume that each force lies in, or None.
        value: norm [N m] (a slide's force times the assembly's length), or smallest margin as a fraction: 1 when every
            joint is midway between its limits, 0 when one is at a limit; inf when no joint has two limits; nan
            without torques.
        bound: lower bound of the norm, or upper bound of the margin.
    """

    body: WholeBody
    aim: Literal["least norm", "most margin"]
    status: Status
    torques: Array | None
    forces: Array | None
    pieces: Array | None
    value: float
    bound: float

    def __repr__(self) -> str:
        return f"HoldingTorques({self.aim}, {self.status.value}, {self.value:.6g}, bound {self.bound:.6g})"

    def rows(self) -> list[dict[str, Any]]:
        """One row per joint: its torque [N m, N] and the fraction of its limits that it uses."""
        shares = self.shares.tolist()
        return [{"joint": n, "torque": t, "share": shares[i]} for i, (n, t) in enumerate(self.by_joint.items())]

    def to_dict(self) -> dict[str, Any]:
        """Status, aim, value, bound, torques by joint and forces as plain data."""
        return {
            "status": self.status.value,
            "aim": self.aim,
            "value": self.value,
            "bound": self.bound,
            "proof_verified": self.verify(),
            "torques": self.by_joint,
            "forces": self.forces,
        }

    @cached_property
    def by_joint(self) -> dict[str, float]:
        """Torque of each joint by name [N m, N]; empty without any."""
        values = [] if self.torques is None else self.torques.tolist()
        return dict(zip(self.body.robot.joint_names, values, strict=False))

    @cached_property
    def shares(self) -> Array:
        """(n,) used fraction of each joint's range from the middle to the limit, with friction; nan without limits."""
        if self.torques is None:
            return np.full(len(self.body.robot.joints), np.nan)
        low, high = self.body.robot.torque_bounds
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.abs(self.torques - 0.5 * (low + high)) / (0.5 * (high - low))

    def _value(self) -> float:
        """The norm, or the smallest margin, of these torques."""
        if self.aim == "least norm":
            arms = np.where(self.body.robot.is_hinge(), 1.0, self.body.assembly.length)
            return float(np.linalg.norm(np.asarray(self.torques) * arms))
        shares = self.shares[np.isfinite(self.shares)]
        return float((1.0 - shares).min(initial=1.0)) if len(shares) else np.inf

    @proof
    def verify(self) -> bool:
        """Check without a solver that forces are in their volumes, balance the load and give these torques.

        Also the value, from the torques; the bound by solving again.
        """
        if self.torques is None or self.forces is None or self.pieces is None or self.status is not Status.HOLDS:
            return False
        again, shapes = holding_torques(self.body, self.aim), (self.torques.shape, self.forces.shape)
        if shapes != (self.body.robot.torque_bounds[0].shape, (len(self.body.assembly), 3)):
            return False
        for claim, known in ((self.value, self._value()), (self.bound, again.bound)):
            if not (same(claim, known) or abs(claim - known) <= tolerances.GAP * abs(known) < np.inf):
                return False
        body, assembly = self.body, self.body.assembly
        local = np.einsum("kji,kj->ki", assembly.rotations, self.forces)
        scale = max(float(np.abs(self.forces).max()), float(np.abs(body.load[:3]).max()), assembly.layout.smallest_size)
        inside = shares_piece(assembly.layout, self.pieces).all() and all(
            float(c.volume.polytopes[p].signed_distance(f)) <= 100 * tolerances.MEMBERSHIP * scale
            for c, f, p in zip(assembly.contacts, local, self.pieces, strict=True)
        )
        slack = 100 * tolerances.FEASIBILITY * scale
        balanced = balance_residual(assembly, self.forces, body.load) <= slack
        low, high = body.robot.torque_bounds
        arm = assembly.length + float(np.abs(body.touching.joint_jacobian).max(initial=0.0))
        fits = (self.torques >= low - slack * arm).all() and (self.torques <= high + slack * arm).all()
        given = np.abs(self.torques - body.joint_torques(self.forces)).max(initial=0.0) <= slack * arm
        return bool(inside and balanced and fits and given)


@with_advice()
def holding_torques(body: WholeBody, aim: Literal["least norm", "most margin"] = "least norm") -> HoldingTorques:
    """Joint torques, and contact forces, that hold the load of a posture.

    "least norm": the smallest sum of squares of actuator and friction torques. "most margin": the smallest distance of
    any joint to its limits is as large as possible, as a fraction of half its range; joints without two limits are
    ignored.
    """
    if aim not in AIMS:
        raise UnknownNameError("aim", str(aim), AIMS, where="aim")
    if not body.robot.joints:
        raise InputError("has no joints", where="robot", fix="give a robot with joints")
    answer = body.equilibrium()
    held = answer.local_forces
    if answer.status is not Status.HOLDS or answer.pieces is None or held is None:
        return HoldingTorques(body, aim, answer.status, None, None, None, np.nan, np.nan)
    chosen = [c.volume.polytopes[p] for c, p in zip(body.assembly.contacts, answer.pieces, strict=True)]
    inner = TorqueProgram(body, chosen, held)
    found = inner.least_norm() if aim == "least norm" else inner.most_margin()
    if found is None:
        return HoldingTorques(body, aim, Status.UNDECIDED, None, None, None, np.nan, np.nan)
    weights, value, bound = found
    if any(len(contact.volume) > 1 for contact in body.assembly.contacts):
        outer = TorqueProgram(body, [c.volume.hull() for c in body.assembly.contacts], held)
        wider = outer.least_norm() if aim == "least norm" else outer.most_margin()
        bound = np.nan if wider is None else wider[2]
    local = inner.forces(weights)
    forces = np.einsum("kij,kj->ki", body.assembly.rotations, local)
    torques = body.joint_torques(forces)
    return HoldingTorques(body, aim, Status.HOLDS, torques, forces, np.array(answer.pieces), value, bound)
