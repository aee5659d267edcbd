"""Supports of convex hands with forces that have no limit: how far they reach, or the ray along which they go on.

Contacts that load no joint are known in closed form: their vertices, and their rays as wrenches. The contacts of a
finger whose joints have limits are a small linear program. Its rays are the contacts' own, combined so that the joint
rows stay within their limits however long the ray: at zero for a row with two limits, on one side for a row with one.

A direction on the border of what is limited has a ray with a slope of zero, which rounding makes a little more or less.
A slope counts as none up to `tolerances.RAY_SLOPE` of |direction| |ray|, torques scaled by the hand's length. Where a
ray seems to climb so little, the finite support is that of the direction turned back to the border.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .. import tolerances
from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..errors import SolverError
from .hand_supports import HandSupports, holds_nothing

#: How far slopes are turned back beyond what was found, against the tolerance of the linear programs, which is smaller.
TURNED_BACK = 2e-10

#: Each time that a turned direction still has no limit, it is turned back by this much more, so often.
TURNED_MORE, MOST_TURNS = 10.0, 3

#: A force on a ray below this share of the largest is what the linear program left of zero.
NO_SHARE = 1e-11


class Reach(NamedTuple):
    """The furthest a hand reaches along a direction of the palm frame.

    Attributes:
        value: largest direction . w; inf without a limit.
        point: (6,) a wrench on the body that attains it (any of the hand's, without a limit).
        ray: (6,) a direction in which it grows for ever, zero where there is a limit.
    """

    value: float
    point: Array
    ray: Array


@dataclass(frozen=True, eq=False)
class UnlimitedSupports:
    """Supports of a hand with one convex piece a contact, some of them with rays.

    Attributes:
        assembly: the hand.
        transport: (6, 6) from the external wrenches that the assembly holds to wrenches on the body, palm frame.
    """

    assembly: Assembly
    transport: Array

    @cached_property
    def unit(self) -> Array:
        """(6,) what makes wrenches newtons: torques are divided by the hand's length."""
        return np.repeat([1.0, self.assembly.length], 3)

    @cached_property
    def maps(self) -> Array:
        """(k, 6, 3) forces in the contact frames to wrenches on the body, palm frame."""
        columns = self.assembly.wrench_matrix.reshape(6, len(self.assembly), 3)
        return -np.einsum("ab,bki,kij->kaj", self.transport, columns, self.assembly.rotations)

    @cached_property
    def _parts(self) -> HandSupports:
        return HandSupports.of(self.assembly)

    @cached_property
    def _free(self) -> tuple[tuple[Array, Array], ...]:
        """(vertices, rays) of each contact without a joint, as wrenches; rays of length 1, torques scaled."""
        made = []
        for contact in self._parts.free_contacts:
            piece, to_palm = self.assembly.contacts[contact].volume.polytopes[0], self.maps[contact]
            made.append((piece.extreme @ to_palm.T, self._scaled_rays(piece.rays @ to_palm.T)))
        return tuple(made)

    @cached_property
    def _fingers(self) -> tuple[_Finger, ...]:
        return tuple(_finger(self, contacts, rows) for contacts, rows in self._parts.fingers)

    def _scaled_rays(self, rays: Array) -> Array:
        return rays / np.linalg.norm(rays / self.unit, axis=1, keepdims=True)

    @cached_property
    def free_rays(self) -> Array:
        """(m, 6) rays of the contacts without joints: all rays of a hand that has no joint limits."""
        return np.concatenate([np.zeros((0, 6)), *(rays for _, rays in self._free)])

    def reach(self, direction: Array) -> Reach:
        """How far the hand reaches along a direction (6,) of the palm frame."""
        size = float(np.linalg.norm(direction * self.unit)) or 1.0
        way = direction / size
        point, steepest, slope = np.zeros(6), np.zeros(6), tolerances.RAY_SLOPE
        for vertices, rays in self._free:
            point = point + vertices[(vertices @ way).argmax()]
            slopes = rays @ way
            if slopes.max(initial=0.0) > slope:
                slope, steepest = slopes.max(), rays[slopes.argmax()]
        for finger in self._fingers:
            climb, ray = finger.steepest(way)
            if climb > slope:
                slope, steepest = climb, ray
            point = point + (finger.somewhere if climb > tolerances.RAY_SLOPE else finger.furthest(way, climb)[0])
        value = np.inf if steepest.any() else float(point @ direction)
        return Reach(value, point, steepest)

    def bound(self, direction: Array) -> float:
        """No wrench of the hand has a larger direction . w (outer), by weights of its joint limits; inf without one."""
        size = float(np.linalg.norm(direction * self.unit)) or 1.0
        way = direction / size
        total = 0.0
        for vertices, rays in self._free:
            if (rays @ way).max(initial=0.0) > tolerances.RAY_SLOPE:
                return np.inf
            total += (vertices @ direction).max()
        for finger in self._fingers:
            climb, _ = finger.steepest(way)
            if climb > tolerances.RAY_SLOPE:
                return np.inf
            total += size * finger.bound(way, finger.furthest(way, climb)[1])
        return float(total)


@dataclass(frozen=True, eq=False)
class _Finger:
    """Contacts that share joints, as columns of a linear program scaled to numbers about one.

    Attributes:
        assembly: the hand, for what errors say.
        rows: the joint rows.
        contact: (v,) which of the finger's contacts each vertex belongs to.
        vertices, rays: (v, 6), (m, 6) wrenches on the body, palm frame.
        vertex_loads, ray_loads: (v, r), (m, r) what they do to the joint rows.
        lower, upper: (r,) limits.
        force: [N] what the wrenches and loads were divided by.
    """

    assembly: Assembly
    rows: IntArray
    contact: IntArray
    vertices: Array
    rays: Array
    vertex_loads: Array
    ray_loads: Array
    lower: Array
    upper: Array
    force: float

    def steepest(self, way: Array) -> tuple[float, Array]:
        """(slope, ray (6,)) of the steepest ray within the joint limits along a unit direction; 0 where none climbs."""
        from ..solvers.highs import LinearProgram, Outcome

        if (self.rays @ way).max(initial=0.0) <= 0.0:
            return 0.0, np.zeros(6)
        low, high = np.where(np.isfinite(self.lower), 0.0, -np.inf), np.where(np.isfinite(self.upper), 0.0, np.inf)
        program = LinearProgram(np.concatenate([[0.0, 0.0], low]), np.concatenate([[0.0, 1.0], high]))
        ones = np.ones((len(self.rays), 1))
        program.add_columns(np.concatenate([(self.rays @ way)[:, None], ones, self.ray_loads], axis=1).T)
        program.add_columns(_objective(2 + len(low)), gain=1.0, lower=-np.inf)
        if program.solve() is not Outcome.OPTIMAL:
            raise _lost()
        shares = program.values[:-1]
        shares = np.where(shares > NO_SHARE * shares.max(initial=0.0), shares, 0.0)
        ray = shares @ self.rays
        return max(float(ray @ way), 0.0), ray

    def furthest(self, way: Array, climb: float) -> tuple[Array, Array]:
        """(point (6,), weights (r,) of the joint rows) where the finger reaches furthest, no ray climbing more."""
        from ..solvers.highs import LinearProgram, Outcome

        back = climb + TURNED_BACK
        for _ in range(MOST_TURNS):
            contacts = int(self.contact.max()) + 1
            ones, sides = np.ones(contacts), (self.lower, self.upper)
            program = LinearProgram(*(np.concatenate([[0.0], ones, side]) for side in sides))
            own = (self.contact == np.arange(contacts)[:, None]).astype(np.float64)
            program.add_columns(np.concatenate([(self.vertices @ way)[None], own, self.vertex_loads.T]))
            if len(self.rays):
                none = np.zeros((contacts, len(self.rays)))
                slopes = self.rays @ way - back
                program.add_columns(np.concatenate([slopes[None], none, self.ray_loads.T]))
            program.add_columns(_objective(1 + contacts + len(self.lower)), gain=1.0, lower=-np.inf)
            outcome = program.solve()
            if outcome is Outcome.INFEASIBLE:
                raise holds_nothing(self.assembly, self.rows)
            if outcome is Outcome.OPTIMAL:
                shares = np.maximum(program.values[:-1], 0.0)
                point = self.force * (shares @ np.concatenate([self.vertices, self.rays]))
                return point, -program.row_duals[1 + contacts :]
            back *= TURNED_MORE
        raise _lost()

    @cached_property
    def somewhere(self) -> Array:
        """(6,) a wrench that the finger gives."""
        return self.furthest(np.zeros(6), 0.0)[0]

    def bound(self, way: Array, weights: Array) -> float:
        """What the joint rows so weighted prove about a unit direction; true of any weights (outer)."""
        w = np.where(weights > 0.0, np.where(np.isfinite(self.upper), weights, 0.0), weights)
        w = np.where(w < 0.0, np.where(np.isfinite(self.lower), w, 0.0), w)
        size = 1.0 + np.abs(self.ray_loads) @ np.abs(w)
        if ((self.rays @ way - self.ray_loads @ w) > 2.0 * tolerances.RAY_SLOPE * size).any():
            return np.inf
        gains = self.vertices @ way - self.vertex_loads @ w
        best = sum(gains[self.contact == i].max() for i in range(int(self.contact.max()) + 1))
        limits = np.where(w > 0.0, self.upper, np.where(w < 0.0, self.lower, 0.0))
        return float(self.force * (best + w @ limits))


def _finger(hand: UnlimitedSupports, contacts: IntArray, rows: IntArray) -> _Finger:
    """The finger of some contacts and joint rows."""
    layout = hand.assembly.layout
    unit, lower, upper = hand.unit, layout.lower[6 + rows], layout.upper[6 + rows]
    levers = layout.maps[contacts][:, 6 + rows]  # (c, r, 3)
    scale = np.linalg.norm(levers, axis=2).max(axis=0)  # (r,) what a newton does at most
    pieces = [hand.assembly.contacts[contact].volume.polytopes[0] for contact in contacts]
    limits = np.abs(np.concatenate([lower / scale, upper / scale]))
    smallest = limits[np.isfinite(limits) & (limits > 0.0)].min(initial=np.inf)
    force = max(
        max(float(np.abs(piece.extreme).max(initial=0.0)) for piece in pieces),
        float(smallest) if np.isfinite(smallest) else 0.0,
    )
    force = force or 1.0
    corners = [piece.extreme / force for piece in pieces]
    vertices = [v @ hand.maps[c].T for v, c in zip(corners, contacts, strict=True)]
    rays = [piece.rays @ hand.maps[c].T for piece, c in zip(pieces, contacts, strict=True)]
    lengths = [np.linalg.norm(r / unit, axis=1, keepdims=True) for r in rays]
    vertex_loads = [v @ (lever / scale[:, None]).T for v, lever in zip(corners, levers, strict=True)]
    ray_loads = [p.rays @ (lever / scale[:, None]).T for p, lever in zip(pieces, levers, strict=True)]
    return _Finger(
        hand.assembly,
        rows,
        np.repeat(np.arange(len(pieces)), [len(v) for v in vertices]),
        np.concatenate(vertices),
        np.concatenate([r / size for r, size in zip(rays, lengths, strict=True)]),
        np.concatenate(vertex_loads),
        np.concatenate([r / size for r, size in zip(ray_loads, lengths, strict=True)]),
        lower / (scale * force),
        upper / (scale * force),
        force,
    )


def _objective(rows: int) -> Array:
    """The column of what is maximised: less itself in the first row."""
    column = np.zeros((rows, 1))
    column[0] = -1.0
    return column


def _lost() -> SolverError:
    return SolverError("a hand's linear program has no end", where="LazyGrip", fix="check its volumes and joint limits")
