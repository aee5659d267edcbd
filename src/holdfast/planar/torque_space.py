"""The contact laws of an actuated system, seen over forces, torques and disturbances.

Accelerations follow from the rest, a = M^-1 (bias + d + S tau + J^T f), so that every law is a row over
x = (f, tau, u, 1): contact forces and torques in units of their own, the disturbance d in units u of its set. All sets
here are cones over such homogeneous vectors: a strict row is met when some direction of the cone sees it by more than
a threshold, however far away the set lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..checks import Array, BoolArray
from .disturbance_sets import DisturbanceSet
from .polyhedra import Polyhedron
from .shadows import ROUNDING, shadow
from .system import System
from .tasks import Task

#: A unit row that a unit direction of the eliminated space sees by less than this says nothing there.
UNSEEN = 1e-9

#: What acts on a contact or task by less than this share of what its mobilities would allow is what rounding left over.
UNCOUPLED = 1e-12

#: A strict law is met when a point of the unit box of the reduced cone meets it by more than this.
MET = 1e-8


class Rows(NamedTuple):
    """Homogeneous rows over (f, tau, u, 1): `equal` x = 0, `above` x >= 0, > 0 where `strict`."""

    equal: Array
    above: Array
    strict: BoolArray


class TorqueSpace:
    """A `System` and a disturbance set as rows over x = (f, tau, u, 1)."""

    def __init__(
        self,
        system: System,
        disturbance: DisturbanceSet | None = None,
        friction: tuple[Array, Array] | None = None,
    ) -> None:
        self.system = system
        self.friction = (system.mu, system.mu) if friction is None else friction
        self.disturbance = disturbance
        n, k, t = len(system.bias), len(system.mu), system.selector.shape[1]
        m = 0 if disturbance is None else disturbance.basis.shape[1]
        self.sizes = (n, k, t, m)
        self.width = 2 * k + t + m + 1
        self.torques = slice(2 * k, 2 * k + t)
        self.disturbances = slice(2 * k + t, 2 * k + t + m)
        jacobian = system.jacobian
        bias = system.bias if disturbance is None else system.bias + disturbance.centre
        basis = np.zeros((n, 0)) if disturbance is None else disturbance.basis
        forces = np.column_stack([jacobian.T, system.selector, basis, bias])
        self._root = np.linalg.cholesky(system.mass_matrix)
        self._pushes = np.linalg.solve(self._root, forces)  # (n, width): L^-1 forces, with M = L L^T
        response = np.linalg.solve(self._root.T, self._pushes)  # (n, width): accelerations per x
        drift = np.zeros(2 * k)
        drift[0::2], drift[1::2] = system.tangent_bias, system.normal_bias
        contact = self._coupled(jacobian, drift)  # rows (at1, an1, at2, an2, ...)
        self.force_unit, self.torque_unit = _units(contact, response, self.sizes)
        self.unit = np.ones(self.width)
        self.unit[: 2 * k] = self.force_unit
        self.unit[self.torques] = self.torque_unit
        self.accelerations = response * self.unit
        self.contact_accelerations = contact * self.unit
        self.laws = [dict(self._laws_of(i)) for i in range(k)]

    def _coupled(self, rows: Array, offsets: Array) -> Array:
        """rows M^-1 forces (r, width), the offsets added to the last column; terms that cancel are zero.

        By Cauchy and Schwarz in the metric M^-1 no entry exceeds the product of both sides' mobilities, whatever the
        coordinates: an entry far below it is what rounding left over, and scaled up it would be a law of its own.
        """
        seen = np.linalg.solve(self._root, rows.T)
        result = seen.T @ self._pushes
        bound = np.outer(np.linalg.norm(seen, axis=0), np.linalg.norm(self._pushes, axis=0))
        result[:, -1] += offsets
        bound[:, -1] += np.abs(offsets)
        result[np.abs(result) <= UNCOUPLED * bound] = 0.0
        return result

    # -- laws -------------------------------------------------------------------------------------

    def _unit_row(self, index: int) -> Array:
        row = np.zeros(self.width)
        row[index] = 1.0
        return row

    def _laws_of(self, i: int) -> Iterator[tuple[str, Rows]]:
        """The letters that contact i can have at its velocity, each with its rows (tables I and II, strict).

        With friction in an interval these are the rows that some coefficient of it allows, each contact its own.
        """
        ft, fn = self._unit_row(2 * i), self._unit_row(2 * i + 1)
        at, an = self.contact_accelerations[2 * i], self.contact_accelerations[2 * i + 1]
        low, high = self.friction[0][i], self.friction[1][i]
        separating = [an] if self.system.normal_velocity[i] == 0.0 else []
        for letter in self.system.choices[i]:
            if letter == "S":
                yield letter, _rows([ft, fn], separating, [True] * len(separating))
            elif letter == "F":
                held = ([at, an], [high * fn - ft, high * fn + ft]) if high > 0.0 else ([at, an, ft], [fn])
                yield letter, _rows(*held, [False] * len(held[1]))
            else:
                sign = 1.0 if letter == "R" else -1.0
                sliding = [sign * at] if self.system.tangent_velocity[i] == 0.0 else []
                # Some coefficient of [low, high] holds: -sign ft / fn lies between the two.
                drag = [high * fn + sign * ft, -sign * ft - low * fn] if high > low else []
                exact = [] if high > low else [ft + sign * high * fn]
                marks = [False] * (1 + len(drag)) + [True] * len(sliding)
                yield letter, _rows([an, *exact], [fn, *drag, *sliding], marks)

    def relaxed(self, i: int) -> Array:
        """Closed rows that contact i meets in every one of its modes."""
        if self.system.normal_velocity[i] > 0.0:
            return np.zeros((0, self.width))
        ft, fn = self._unit_row(2 * i), self._unit_row(2 * i + 1)
        mu = self.friction[1][i]
        return _scaled(np.array([self.contact_accelerations[2 * i + 1], fn, mu * fn - ft, mu * fn + ft]))

    def mode(self, mode: str) -> Rows | None:
        """The rows of a whole mode, or None when the velocities forbid it."""
        parts = [self.laws[i].get(letter) for i, letter in enumerate(mode)]
        if any(part is None for part in parts):
            return None
        return stacked([part for part in parts if part is not None], self.width)

    def task(self, task: Task, where: str) -> tuple[Array, Array]:
        """Rows (r, width) that are zero (positive) where a task holds (more than holds), and their lengths."""
        n, k, t, _ = self.sizes
        coefficients, right = task.rows(n, 2 * k, t, where)
        rows = self._coupled(coefficients[:, :n], -right) * self.unit
        rows[:, : 2 * k + t] += coefficients[:, n:] * self.unit[: 2 * k + t]
        return rows, np.linalg.norm(np.column_stack([coefficients, right]), axis=1)

    def on_torques(self, polyhedron: Polyhedron) -> Rows:
        """A set of torques in units of this space as rows over x."""
        rows = []
        for matrix, offsets in ((polyhedron.C, polyhedron.d), (polyhedron.A, polyhedron.b)):
            part = np.zeros((len(matrix), self.width))
            part[:, self.torques] = matrix
            part[:, -1] = -offsets
            rows.append(_scaled(part))
        return Rows(rows[0], rows[1], np.array(polyhedron.strict))

    def disturbed(self) -> Rows:
        """The rows that keep u within the disturbance set."""
        if self.disturbance is None or not self.sizes[3]:
            return _rows([], [], [], self.width)
        rows = np.zeros((len(self.disturbance.rows), self.width))
        rows[:, self.disturbances] = self.disturbance.rows
        rows[:, -1] = -self.disturbance.offsets
        return Rows(np.zeros((0, self.width)), _scaled(rows), np.zeros(len(rows), dtype=bool))

    # -- sets -------------------------------------------------------------------------------------

    def polyhedron(self, rows: Rows) -> Polyhedron:
        """{(f, tau, u)} in units of this space."""
        return Polyhedron(
            rows.above[:, :-1],
            -rows.above[:, -1],
            rows.equal[:, :-1],
            -rows.equal[:, -1],
            strict=rows.strict,
            dimension=self.width - 1,
        )

    def torque_shadow(self, rows: Rows) -> Polyhedron:
        """The torques, in units of this space, for which some forces and disturbances meet the rows."""
        return shadow(self.polyhedron(rows), self.torques)

    def in_newton_metres(self, torques: Polyhedron) -> Polyhedron:
        """A set of torques in units of this space, in N m."""
        return scaled_set(torques, self.torque_unit)

    def physical(self, x: Array) -> tuple[Array, Array, Array]:
        """(a, f, tau) of a point x of this space, without its last entry 1."""
        k = self.sizes[1]
        full = np.append(x, 1.0)
        scaled = full * self.unit
        return self.accelerations @ full, scaled[: 2 * k], scaled[self.torques]


def stacked(parts: list[Rows], width: int) -> Rows:
    """All rows of `parts` together."""
    if not parts:
        return _rows([], [], [], width)
    return Rows(
        np.vstack([part.equal for part in parts]),
        np.vstack([part.above for part in parts]),
        np.concatenate([part.strict for part in parts]),
    )


def scaled_set(polyhedron: Polyhedron, factor: float) -> Polyhedron:
    """Every point of the set times `factor`."""
    return Polyhedron(
        polyhedron.A,
        polyhedron.b * factor,
        polyhedron.C,
        polyhedron.d * factor,
        strict=polyhedron.strict,
        dimension=polyhedron.ambient_dimension,
    )


def unit_length(rows: Array) -> Array:
    """Rows of length one; those of no length at all stay zero."""
    return _scaled(rows)


def _scaled(rows: Array) -> Array:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0.0] = 1.0
    result = rows / lengths[:, None]
    result[np.abs(result) <= ROUNDING] = 0.0
    return result


def _rows(equal: list[Array], above: list[Array], strict: list[bool], width: int | None = None) -> Rows:
    size = len((equal + above)[0]) if width is None else width
    return Rows(
        _scaled(np.array(equal).reshape(-1, size)),
        _scaled(np.array(above).reshape(-1, size)),
        np.array(strict, dtype=bool),
    )


def _units(contact: Array, response: Array, sizes: tuple[int, int, int, int]) -> tuple[float, float]:
    """Force and torque [N, N m] that accelerate the contacts about as much as everything else does.

    Their ratio is the characteristic length by which N m are compared with N.
    """
    _, k, t, _ = sizes
    rows = contact if k else response
    free = float(np.abs(np.column_stack([rows[:, -1], rows[:, 2 * k + t : -1]])).max(initial=0.0)) or 1.0
    force = float(np.abs(rows[:, : 2 * k]).max(initial=0.0))
    torque = float(np.abs(rows[:, 2 * k : 2 * k + t]).max(initial=0.0))
    return (free / force if force else 1.0), (free / torque if torque else 1.0)
