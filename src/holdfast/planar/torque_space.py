"""The contact laws of an actuated system over forces, torques and disturbances, with tasks and disturbance sets.

Accelerations follow from the rest, a = M^-1 (bias + d + S tau + J^T f), so that every law is a row over
x = (f, tau, u, 1): contact forces and torques in scaled units, the disturbance d in units u of its set. All sets
here are cones over such homogeneous vectors: a strict row is met when some direction of the cone meets it by more than
a threshold, at any distance of the set. The modes that a set of torques admits are found by a tree over the
contacts that drops every prefix that no vector meets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray
from ..errors import InputError, UnknownNameError
from ..geometry.polytopes import Polytope
from ..linear_programs import FREE, minimise
from ..public_names import with_advice
from ..tolerances import FLAT
from .polyhedra import ZERO_OFFSET, Polyhedron, projection
from .system import System

KINDS = ("=", ">=")


@with_advice()
@dataclass(frozen=True)
class Task:
    """a . qdd + f . forces + tau . torques = c, or >= c; one row, or several rows that belong together.

    Attributes:
        a: (n,) or (r, n) coefficients of the accelerations, or None.
        f: (2k,) or (r, 2k) coefficients of the contact forces in the order (ft1, fn1, ft2, fn2, ...), or None.
        tau: (t,) or (r, t) coefficients of the torques, or None.
        c: the right-hand side, one number or (r,).
        kind: "=" or ">=".
    """

    a: Array | None = None
    f: Array | None = None
    tau: Array | None = None
    c: Array | float = 0.0
    kind: Literal["=", ">="] = "="

    def __init__(
        self,
        a: ArrayLike | None = None,
        f: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        c: ArrayLike = 0.0,
        kind: Literal["=", ">="] = "=",
    ) -> None:
        if kind not in KINDS:
            raise UnknownNameError("kind of task", str(kind), KINDS, where="kind")
        if a is None and f is None and tau is None:
            raise InputError("a task without coefficients constrains nothing", where="task", fix="give a, f or tau")
        for name, value in (("a", a), ("f", f), ("tau", tau)):
            if value is not None:
                shape = ("n",) if _dimensions(name, value) == 1 else ("r", "n")
                value = checks.array(name, value, shape)
            object.__setattr__(self, name, value)
        right = checks.array("c", c, ("r",) if _dimensions("c", c) == 1 else ())
        object.__setattr__(self, "c", right if right.ndim else float(right))
        object.__setattr__(self, "kind", kind)

    def rows(self, accelerations: int, forces: int, torques: int, where: str = "task") -> tuple[Array, Array]:
        """Coefficients (r, accelerations + forces + torques) and right-hand sides (r,) for a system of these sizes."""
        parts: list[Array] = []
        counts = {np.atleast_2d(part).shape[0] for part in (self.a, self.f, self.tau) if part is not None}
        if np.ndim(self.c):
            counts.add(len(np.atleast_1d(self.c)))
        height = max(counts)
        if counts - {height, 1}:
            raise InputError(f"mixes {sorted(counts)} rows", where=where, fix="give the same number of rows to each")
        for name, part, size in (("a", self.a, accelerations), ("f", self.f, forces), ("tau", self.tau, torques)):
            given = np.zeros((1, size)) if part is None else np.atleast_2d(part)
            if given.shape[1] != size:
                what = f"has {given.shape[1]} coefficients"
                raise InputError(what, where=f"{where}.{name}", fix=f"this system has {size}")
            parts.append(np.broadcast_to(given, (height, size)))
        return np.hstack(parts), np.broadcast_to(np.asarray(self.c, dtype=float), (height,))


def _dimensions(name: str, value: ArrayLike) -> int:
    """How many dimensions an array has; rows of different lengths are an error."""
    try:
        return np.ndim(value)
    except ValueError:
        raise InputError("has rows of different lengths", where=name, fix="give rows of one length") from None


#: Most coordinates of a robot in the plane.
MOST_COORDINATES = 1000


@with_advice()
def standstill(accelerations: int) -> tuple[Task, ...]:
    """The tasks qdd = 0, one per coordinate: the robot stays at rest."""
    return tuple(Task(a=row) for row in np.eye(checks.count("accelerations", accelerations, high=MOST_COORDINATES)))


#: Most uncertain coordinates of a box whose corners are listed.
MOST_CORNERS_OF = 12


@dataclass(frozen=True)
class DisturbanceSet:
    """{centre + basis u : rows u >= offsets}: further forces that may act on the coordinates.

    Attributes:
        centre: (n,) generalised forces [N or N m, as the coordinates have it].
        basis: (n, m): u, in units of the set's own extent, to generalised forces.
        rows, offsets: (r, m), (r,): the set in u, rows u >= offsets.
        points: (p, m): the corners in u, or None for a box whose corners are too many to list.
    """

    centre: Array
    basis: Array
    rows: Array
    offsets: Array
    points: Array | None

    @classmethod
    def box(cls, lower: ArrayLike, upper: ArrayLike) -> DisturbanceSet:
        """lower <= d <= upper per coordinate; nan in both, or equal bounds, where nothing is uncertain."""
        low, high = (_numbers(value) for value in (lower, upper))
        if low.ndim != 1 or low.shape != high.shape:
            what = f"bounds of shapes {low.shape} and {high.shape}"
            raise InputError(what, where="disturbance", fix="give lower and upper of the same length")
        none = np.isnan(low) & np.isnan(high)
        low[none] = high[none] = 0.0
        low, high = checks.array("disturbance", low, ("n",)), checks.array("disturbance", high, ("n",))
        if (low > high).any():
            i = int(np.argmax(low > high))
            what = f"lower {low[i]:g} above upper {high[i]:g}"
            raise InputError(what, where=f"disturbance[{i}]", fix="swap the bounds")
        wide = np.flatnonzero(high > low)
        m = len(wide)
        basis = np.zeros((len(low), m))
        basis[wide, np.arange(m)] = 0.5 * (high - low)[wide]
        signs = None
        if m <= MOST_CORNERS_OF:
            signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * m)).reshape(m, -1).T if m else np.zeros((1, 0))
        eye = np.eye(m)
        return cls(0.5 * (low + high), basis, np.vstack([eye, -eye]), -np.ones(2 * m), signs)

    @classmethod
    def polytope(cls, vertices: ArrayLike) -> DisturbanceSet:
        """The convex hull of `vertices` (p, n); of any dimension."""
        given = Polytope(vertices)
        centre = given.vertices.mean(axis=0)
        _, widths, axes = np.linalg.svd(given.vertices - centre, full_matrices=False)
        noise = 64.0 * np.finfo(float).eps * float(np.abs(given.vertices).max())
        keep = widths > noise * np.sqrt(len(given.vertices)) + FLAT * widths[0]
        basis = axes[keep].T * widths[keep]
        points = (given.vertices - centre) @ axes[keep].T / widths[keep]
        if not points.shape[1]:
            return cls(centre, basis, np.zeros((0, 0)), np.zeros(0), np.zeros((1, 0)))
        local = Polytope(points)
        normals, levels = local.halfspaces
        return cls(centre, basis, -normals, -levels, local.extreme)

    @property
    def vertices(self) -> Array | None:
        """(p, n) corners as generalised forces, or None where they are too many to list."""
        return None if self.points is None else self.centre + self.points @ self.basis.T

    def lowest(self, rows: Array) -> Array:
        """Least value over the set of each row (r, m) . u; exact, since the minimum is at a corner."""
        if self.points is None:
            return -np.abs(rows).sum(axis=1)
        return (rows @ self.points.T).min(axis=1) if len(rows) else np.zeros(0)


def _numbers(value: ArrayLike) -> Array:
    """A copy of `value` as floats of any shape; nan is kept."""
    try:
        if np.iscomplexobj(value):
            raise TypeError("complex numbers")
        return np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        fix = "give (lower, upper) or vertices (p, n)"
        raise InputError(f"not an array of numbers: {error}", where="disturbance", fix=fix) from None


def disturbance_of(value: Any, size: int) -> DisturbanceSet | None:
    """`value` for a system with `size` coordinates: None, a `DisturbanceSet`, a (lower, upper) box or vertices (p, n).

    Two rows are always read as a box.
    """
    if value is None:
        return None
    if not isinstance(value, DisturbanceSet):
        given = _numbers(value)
        if given.ndim != 2:
            fix = "give (lower, upper), vertices or a DisturbanceSet"
            raise InputError(f"has shape {given.shape}", where="disturbance", fix=fix)
        value = DisturbanceSet.box(*given) if len(given) == 2 else DisturbanceSet.polytope(given)
    if len(value.centre) != size:
        what, fix = f"acts on {len(value.centre)} coordinates", f"this system has {size} coordinates"
        raise InputError(what, where="disturbance", fix=fix)
    return value


#: A unit row whose product with a unit direction of the eliminated space is below this does not constrain it.
UNSEEN = 1e-9

#: Effects on a contact or task below this share of what its mobilities would allow are rounding.
UNCOUPLED = 1e-12

#: A strict law is met when a point of the unit box of the reduced cone meets it by more than this.
MET = 1e-8


class LawRows(NamedTuple):
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

        By Cauchy and Schwarz in the metric M^-1 no entry exceeds the product of both sides' mobilities, in any
        coordinates: an entry far below it is rounding, which would become a false constraint if it were scaled up.
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

    def _laws_of(self, i: int) -> Iterator[tuple[str, LawRows]]:
        """The letters that contact i can have at its velocity, each with its rows (tables I and II, strict).

        With friction in an interval these are the rows that some coefficient of it allows, independent per contact.
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
        return unit_length(np.array([self.contact_accelerations[2 * i + 1], fn, mu * fn - ft, mu * fn + ft]))

    def mode(self, mode: str) -> LawRows | None:
        """The rows of a whole mode, or None when the velocities exclude it."""
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

    def on_torques(self, polyhedron: Polyhedron) -> LawRows:
        """A set of torques in units of this space as rows over x."""
        rows = []
        for matrix, offsets in ((polyhedron.C, polyhedron.d), (polyhedron.A, polyhedron.b)):
            part = np.zeros((len(matrix), self.width))
            part[:, self.torques] = matrix
            part[:, -1] = -offsets
            rows.append(unit_length(part))
        return LawRows(rows[0], rows[1], np.array(polyhedron.strict))

    def disturbed(self) -> LawRows:
        """The rows that keep u within the disturbance set."""
        if self.disturbance is None or not self.sizes[3]:
            return _rows([], [], [], self.width)
        rows = np.zeros((len(self.disturbance.rows), self.width))
        rows[:, self.disturbances] = self.disturbance.rows
        rows[:, -1] = -self.disturbance.offsets
        return LawRows(np.zeros((0, self.width)), unit_length(rows), np.zeros(len(rows), dtype=bool))

    # -- sets -------------------------------------------------------------------------------------

    def polyhedron(self, rows: LawRows) -> Polyhedron:
        """{(f, tau, u)} in units of this space."""
        (C, d), (A, b) = ((part[:, :-1], -part[:, -1]) for part in rows[:2])
        return Polyhedron(A, b, C, d, strict=rows.strict, dimension=self.width - 1)

    def torque_projection(self, rows: LawRows) -> Polyhedron:
        """The torques, in units of this space, for which some forces and disturbances meet the rows."""
        return projection(self.polyhedron(rows), self.torques)

    def physical(self, x: Array) -> tuple[Array, Array, Array]:
        """(a, f, tau) of a point x of this space, without its last entry 1."""
        k = self.sizes[1]
        full = np.append(x, 1.0)
        scaled = full * self.unit
        return self.accelerations @ full, scaled[: 2 * k], scaled[self.torques]


def stacked(parts: list[LawRows], width: int) -> LawRows:
    """All rows of `parts` together."""
    if not parts:
        return _rows([], [], [], width)
    return LawRows(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def unit_length(rows: Array) -> Array:
    """Rows of length one; zero rows stay zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0.0] = 1.0
    result = rows / lengths[:, None]
    result[np.abs(result) <= ZERO_OFFSET] = 0.0
    return result


def _rows(equal: list[Array], above: list[Array], strict: list[bool], width: int | None = None) -> LawRows:
    size = len((equal + above)[0]) if width is None else width
    return LawRows(
        unit_length(np.array(equal).reshape(-1, size)),
        unit_length(np.array(above).reshape(-1, size)),
        np.array(strict, dtype=bool),
    )


def _units(contact: Array, response: Array, sizes: tuple[int, int, int, int]) -> tuple[float, float]:
    """Force and torque [N, N m] that accelerate the contacts about as much as everything else does.

    Their ratio is the characteristic length that relates N m to N.
    """
    _, k, t, _ = sizes
    rows = contact if k else response
    free = float(np.abs(np.column_stack([rows[:, -1], rows[:, 2 * k + t : -1]])).max(initial=0.0)) or 1.0
    force = float(np.abs(rows[:, : 2 * k]).max(initial=0.0))
    torque = float(np.abs(rows[:, 2 * k : 2 * k + t]).max(initial=0.0))
    return (free / force if force else 1.0), (free / torque if torque else 1.0)


@dataclass(frozen=True)
class MeetingModes:
    """Modes that some torque of a set admits.

    Attributes:
        modes: strings, in the order of the tree.
        visited: nodes of the tree that were tested; naive enumeration would test 4^k.
    """

    modes: tuple[str, ...]
    visited: int


def meeting_modes(space: TorqueSpace, common: LawRows) -> MeetingModes:
    """All strict modes with a motion (a, f) for some torque and disturbance that meet the `common` rows.

    Contacts get their letters one by one; contacts without a letter only have the rows common to all their letters, so
    that an empty prefix has no mode below it.
    """
    k = len(space.laws)
    relaxed = [space.relaxed(i) for i in range(k)]
    open_rows = [np.vstack([*relaxed[i:], np.zeros((0, space.width))]) for i in range(k + 1)]
    # The last coordinate of x is 1: as a strict row of the cone it keeps points and drops directions.
    one = np.zeros((1, space.width))
    one[0, -1] = 1.0
    above, strict = np.vstack([one, common.above]), np.concatenate([[True], common.strict])
    found: list[str] = []
    visited = 0
    stack = [("", null_space(common.equal, np.eye(space.width)), above, strict)]
    while stack:
        prefix, basis, above, strict = stack.pop()
        i = len(prefix)
        visited += 1
        rest = open_rows[i]
        marks = np.concatenate([strict, np.zeros(len(rest), dtype=bool)])
        if not is_met(np.vstack([above, rest]) @ basis, marks):
            continue
        if i == k:
            found.append(prefix)
            continue
        for letter, law in reversed(space.laws[i].items()):
            left = null_space(law.equal @ basis, basis)
            marks = np.concatenate([strict, law.strict])
            stack.append((prefix + letter, left, np.vstack([above, law.above]), marks))
    return MeetingModes(tuple(found), visited)


def null_space(rows: Array, basis: Array) -> Array:
    """Columns that span what `rows` (over the columns of the orthonormal `basis`) leave free; orthonormal again."""
    if not len(rows) or not basis.shape[1]:
        return basis
    _, values, right = np.linalg.svd(rows)
    rank = int((values > UNSEEN).sum())
    return basis @ right[rank:].T


def is_met(rows: Array, strict: BoolArray) -> bool:
    """Whether the cone {rows z >= 0} has a point that meets the strict rows by more than `MET` in the unit box."""
    from .kernels import deepest

    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    seen = lengths > UNSEEN
    if strict[~seen].any():
        return False
    size = rows.shape[1]
    units = rows[seen] / lengths[seen, None]
    marks = strict[seen]
    eye = np.eye(size)
    limits = np.zeros(len(units) + 2 * size)
    limits[len(units) :] = 1.0
    weights = np.zeros(len(limits))
    weights[: len(units)] = marks
    sides = np.vstack([-units, eye, -eye])
    depth, _ = deepest(sides, limits, weights)
    if depth == -np.inf:  # z = 0 meets every closed row, so that this can only be rounding
        depth = _depth_by_highs(sides, limits, weights)
    return depth > MET


def _depth_by_highs(rows: Array, limits: Array, weights: Array) -> float:
    """The largest t <= 1 with rows z + weights t <= limits, by another solver."""
    size = rows.shape[1]
    cost = np.append(np.zeros(size), -1.0)
    return -minimise(cost, np.column_stack([rows, weights]), limits, bounds=[FREE] * size + [(None, 1.0)]).value


@with_advice()
def admitted_modes(system: System, tau: ArrayLike) -> tuple[str, ...]:
    """All strict modes in which a system can move under the torques `tau` (t,) [N m]; none at an impact.

    A wanted motion is certain if its mode is the only one.
    """
    checks.instance("system", system, System, fix="give an hf.planar.System, or Chain(...).system(...)")
    if system.impacts:
        return ()
    space = TorqueSpace(system)
    given = checks.vector("tau", tau, system.torque_count) / space.torque_unit
    fixed = Polyhedron(C=np.eye(len(given)), d=given, dimension=len(given))
    return meeting_modes(space, space.on_torques(fixed)).modes
