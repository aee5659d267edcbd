"""Supports of a hand: the furthest wrench in any direction that the hand can give, exact over unions, by its fingers.

The largest y . w over all wrenches of a hand is a linear program in the contact forces. Only joint rows couple
contacts: those that load no common joint are maximised apart. A contact that loads no joint gives its best vertex; the
contacts of one finger are a small program of their own, with as many rows as the finger has joints. It is a load limit
with one row to balance: max d with sum_i g_i . f_i - d = 0, lower <= sum_i J_i f_i <= upper, and goes to the compiled
exact search, which also decides which piece each force lies in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .. import tolerances
from ..assembly.assembly import Assembly
from ..checks import Array, IntArray
from ..errors import InputError
from ..solvers import Exact, Layout, Status
from ..solvers.exact.method import Variants
from ..solvers.exact.search import FINISHED

#: Directions put to the compiled search at once; keeps the memory small.
BLOCK = 250

#: Supports over unions are found to this relative gap, far below any error of a learned set; those of convex volumes
#: to rounding. A smaller one would leave the search's bonus for idle contacts to rounding.
SUPPORT_GAP = 1e-8

#: Nodes of one finger's search, and a time limit [s] that they never need: so what stays open does so everywhere.
MOST_NODES, LONGEST = 30_000, 3600.0

#: A gradient below this share of the largest that the direction could give moves nothing.
NO_GRADIENT = 1e-13


class Supports(NamedTuple):
    """The furthest wrenches of a hand along n directions, in the frame and sense of its assembly's held wrenches.

    Where a hand has no limit, `values` and `bounds` are inf and the point is some held wrench.
    """

    values: Array  # (n,) largest direction . w that was attained (inner)
    bounds: Array  # (n,) no wrench of the hand has a larger one (outer)
    points: Array  # (n, 6) held wrenches that attain `values`
    forces: Array  # (n, k, 3) world forces on the object that hold them [N]
    pieces: IntArray  # (n, k) the pieces that the forces lie in


@dataclass(frozen=True, eq=False)
class HandSupports:
    """Supports of all external wrenches that an assembly holds, decoupled where contacts share no joint.

    Attributes:
        assembly: the hand; wrenches are in its world frame, torques about its origin.
        method: gap and limits of the searches.
    """

    assembly: Assembly
    method: Exact

    @staticmethod
    def of(assembly: Assembly) -> HandSupports:
        """With supports as exact as rounding allows, and limits that do not depend on the machine."""
        return HandSupports(assembly, Exact(gap=SUPPORT_GAP, node_limit=MOST_NODES, time_limit=LONGEST))

    @cached_property
    def fingers(self) -> tuple[tuple[IntArray, IntArray], ...]:
        """(contacts, joint rows) of each part of the hand that shares no joint with the others; rows with a limit."""
        layout = self.assembly.layout
        limited = np.isfinite(layout.lower[6:]) | np.isfinite(layout.upper[6:])
        rows = np.nonzero(limited)[0]
        loads = np.abs(layout.maps[:, 6:][:, rows]).max(axis=2, initial=0.0) > 0.0  # (k, r)
        part = np.arange(len(rows))
        for contact in loads:  # the rows that a contact loads belong together
            touched = np.unique(part[contact])
            part[np.isin(part, touched)] = touched.min(initial=len(rows))
        parts = []
        for name in np.unique(part):
            own = rows[part == name]
            contacts = np.nonzero(loads[:, part == name].any(axis=1))[0]
            if len(contacts):
                parts.append((contacts, own))
            elif (layout.lower[6 + own] > 0.0).any() or (layout.upper[6 + own] < 0.0).any():
                raise holds_nothing(self.assembly, own)  # rows that nobody loads: zero must do
        return tuple(parts)

    @cached_property
    def free_contacts(self) -> IntArray:
        """The contacts that load no joint with a limit."""
        bound = [contacts for contacts, _ in self.fingers]
        return np.setdiff1d(np.arange(len(self.assembly)), np.concatenate([np.zeros(0, dtype=np.int64), *bound]))

    def many(self, directions: Array) -> Supports:
        """The supports along directions (n, 6): force parts without unit, torque parts in [1/m].

        Every direction is searched alone, not from the answer to the last one.
        """
        count, k = len(directions), len(self.assembly)
        blocks = [directions[i : i + BLOCK] for i in range(0, count, BLOCK)]
        if not blocks:
            empty = np.zeros(0)
            return Supports(empty, empty, np.zeros((0, 6)), np.zeros((0, k, 3)), np.zeros((0, k), dtype=np.int64))
        return Supports(*(np.concatenate(arrays) for arrays in zip(*map(self._block, blocks), strict=True)))

    def _block(self, directions: Array) -> Supports:
        assembly, (n, k) = self.assembly, (len(directions), len(self.assembly))
        columns = assembly.wrench_matrix.reshape(6, k, 3)
        turned = -np.einsum("rki,kij->rkj", columns, assembly.rotations).reshape(6, -1)
        gradients = (directions @ turned).reshape(n, k, 3)  # of direction . (-W f), in the contact frames
        # What rounding may have left of gradients that vanish: directions that turn about a contact move it not at all.
        terms = np.linalg.norm((np.abs(directions) @ np.abs(turned)).reshape(n, k, 3), axis=2)
        values, bounds = np.zeros(n), np.zeros(n)
        local, pieces = np.zeros((n, k, 3)), np.zeros((n, k), dtype=np.int64)
        for contact in self.free_contacts:
            self._free(int(contact), gradients, terms[:, contact], values, bounds, local, pieces)
        for finger in range(len(self.fingers)):
            self._finger(finger, gradients, values, bounds, local, pieces)
        forces = np.einsum("kij,nkj->nki", assembly.rotations, local)
        points = -forces.reshape(n, -1) @ assembly.wrench_matrix.T
        return Supports(values, bounds, points, forces, pieces)

    def _free(
        self,
        contact: int,
        gradients: Array,
        terms: Array,
        values: Array,
        bounds: Array,
        local: Array,
        pieces: IntArray,
    ) -> None:
        """Adds one contact's best vertex."""
        polytopes = self.assembly.contacts[contact].volume.polytopes
        vertices = np.concatenate([piece.extreme for piece in polytopes])
        piece_of = np.repeat(np.arange(len(polytopes)), [len(piece.extreme) for piece in polytopes])
        along = gradients[:, contact] @ vertices.T
        best = along.argmax(axis=1)
        most = along[np.arange(len(best)), best]
        local[:, contact], pieces[:, contact] = vertices[best], piece_of[best]
        rays = np.concatenate([piece.rays for piece in polytopes])
        if len(rays):
            size = terms * np.linalg.norm(rays, axis=1)[:, None]
            climbs = (rays @ gradients[:, contact].T > tolerances.RAY_SLOPE * size).any(axis=0)
            most = np.where(climbs, np.inf, most)
        values += most
        bounds += most

    def _finger(
        self, finger: int, gradients: Array, values: Array, bounds: Array, local: Array, pieces: IntArray
    ) -> None:
        """Adds the exact support of the contacts that share joints."""
        contacts = self.fingers[finger][0]
        own = gradients[:, contacts]
        sizes = np.linalg.norm(own, axis=(1, 2))
        largest = np.linalg.norm(gradients, axis=(1, 2))
        idle = sizes <= NO_GRADIENT * largest
        sizes = np.where(idle, 1.0, sizes)
        variants = self._variants[finger]
        n, m = len(own), variants.layout.maps.shape[1]
        maps = np.repeat(variants.layout.maps[None], n, axis=0)
        unit = self._units[finger]
        maps[:, :, 0] = np.where(idle[:, None, None], 0.0, own * (unit / sizes)[:, None, None])
        loads = np.zeros((n, 1, m))
        loads[:, 0, 0] = -unit
        batch = variants.many(self.method, maps, loads, "maximise")
        factors, limits = batch.factors.copy(), batch.bounds.copy()
        found, chosen = batch.forces.copy(), batch.pieces.copy()
        with np.errstate(invalid="ignore"):
            closed = limits - factors <= self.method.gap * np.abs(factors) + variants.layout.rounding_force
        settled = (batch.outcomes == FINISHED) & (batch.residuals <= tolerances.FEASIBILITY) & np.isfinite(factors)
        for row in np.nonzero(~(settled & closed))[0]:
            solution = self.method.maximise(variants.problem(maps[row], loads[row, 0]))
            if solution.status is Status.DOES_NOT_HOLD:
                raise holds_nothing(self.assembly, self.fingers[finger][1])
            factors[row] = np.inf if solution.status is Status.UNBOUNDED else solution.factor
            limits[row] = np.inf if solution.status is Status.UNBOUNDED else solution.bound
            if solution.forces is None or solution.pieces is None:
                factors[row], found[row], chosen[row] = -np.inf, np.nan, -1
            else:
                found[row], chosen[row] = solution.forces, solution.pieces
        values += np.where(idle, 0.0, factors * sizes)
        bounds += np.where(idle, 0.0, np.maximum(factors, limits) * sizes)
        local[:, contacts], pieces[:, contacts] = found, chosen

    @cached_property
    def _units(self) -> tuple[float, ...]:
        """The length of each finger's objective row: no longer than any contact's joint rows.

        So the reach of one-sided rows, which depends on the longest row, is the same for every direction.
        """
        return tuple(float(np.linalg.norm(v.layout.maps, axis=2).max(axis=1).min()) for v in self._variants)

    @cached_property
    def _variants(self) -> tuple[Variants, ...]:
        """One small program a finger: row 0 is the objective, rows 1 to 5 are idle, the rest its joints."""
        layout, made = self.assembly.layout, []
        for contacts, rows in self.fingers:
            maps = np.zeros((len(contacts), 6 + len(rows), 3))
            maps[:, 6:] = layout.maps[contacts][:, 6 + rows]
            bounds = [np.concatenate([np.zeros(6), side[6 + rows]]) for side in (layout.lower, layout.upper)]
            scale = np.concatenate([np.ones(6), layout.row_scale[6 + rows]])
            own = Layout(layout.shapes, layout.shape_of[contacts], maps, bounds[0], bounds[1], scale)
            made.append(Variants(own, np.zeros(6 + len(rows))))
        return tuple(made)


def holds_nothing(assembly: Assembly, rows: IntArray) -> InputError:
    """The error that says which joint rows leave a hand no forces at all."""
    names = () if assembly.joints is None else assembly.joints.names
    said = ", ".join(names[row] if names else f"row {row}" for row in rows.tolist())
    return InputError(
        "no admissible forces keep these joints within their limits, so the hand holds nothing",
        where=f"joints ({said})",
        fix="widen the limits, or check the signs of preloads and gravity torques",
    )
