"""Torque sets for every posture of a box: an inner set that is proven, an outer one from single postures.

The box is cut into cells. In a cell every link turns by at most delta from the cell's middle. Two linear programs hold
for the whole cell:

- What is possible somewhere in the cell. Coordinates are the acceleration of node 0, those of the absolute angles, and
  w = phidd e', whose sums along a path are the accelerations of the nodes. With force sums G along the same paths all
  laws have constant coefficients but two per link: w is phidd times a unit vector of an arc, and G e' is a given
  moment. For fixed signs both are linear bounds. A mode that meets no choice of the signs is excluded in the cell.
- What is possible everywhere in the cell. Accelerations and forces that solve E y = r change with the posture: by a
  linear part, which the program chooses, and by a remainder of second order of at most
  |E^+| (1 - |dE| |E^+|)^-1 |residual|, for which every condition has slack. The torques of one posture are convex, so
  that vertices and rays prove a whole set.

Cells that cost most of the outer set are halved first.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, product
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import block_diag

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..linear_programs import FREE, TIGHT, minimise
from ..results import Result, proof
from .chains import Chain, ContactLike, LinkContact, contact_of
from .polyhedra import STRICT, Polyhedron, irredundant
from .torque_space import (
    MOST_CORNERS_OF,
    DisturbanceSet,
    LawRows,
    Task,
    TorqueSpace,
    disturbance_of,
    meeting_modes,
    null_space,
    stacked,
    unit_length,
)
from .torques import Ambiguity, TorqueSet, given_tasks, negations, torque_sets

#: Most corners of a box that are all tried at the beginning; with more of them only the middle is.
MOST_CORNERS = 256

#: A cell in which an angle is off by more than this [rad] is halved before anything is computed.
WIDE = 0.5

#: Conditions at every posture of a cell have at least this slack, in scaled units: more than a linear program errs.
SLACK = 1e-8

#: Bounds of what another mode needs are moved outwards by this share, for the same reason.
OUTWARD = 1e-7

#: Equations with a singular value below this are dependent.
INDEPENDENT = 1e-9

#: Cells that touch may overlap by this share, due to rounding.
TOUCHING = 1.0 + 1e-9

#: Entries of matrices are exact to this share.
ROUNDING = 1e-13


def in_all(sets: Sequence[TorqueSet]) -> TorqueSet:
    """One answer for several systems at once: feasible in all of them, ambiguous if in any; in units of the first.

    Of the ambiguous sets of a later system those are kept that take torques away from T*.
    """
    known = sets[0]
    unit = known.space.torque_unit
    for answer in sets[1:]:
        whole = answer.scaled.times(answer.space.torque_unit / unit)
        new: list[Ambiguity] = []
        for one in answer.ambiguities:
            torques = one.torques.times(answer.space.torque_unit / unit)
            if any(not piece.intersect(torques).is_empty for piece in known.pieces):
                new.append(Ambiguity(one.mode, one.task, torques, one.breach, answer.space))
        feasible = irredundant(known.scaled.intersect(whole))
        met = [(one, feasible.intersect(one.torques)) for one in (*known.ambiguities, *new)]
        kept = tuple(replace(one, torques=irredundant(torques)) for one, torques in met if not torques.is_empty)
        known = replace(known, scaled=feasible, ambiguities=kept, visited=known.visited + answer.visited)
    return known


@dataclass(frozen=True, eq=False)
class PostureBox:
    """A question: the torques at rest for postures of `middle` - `half` ... `middle` + `half`.

    Attributes:
        chain, contacts, mode, tasks: as in `Chain.system` and `torque_sets`; contacts stay where they are on the robot.
        middle, half: (2 + n,) posture [m, rad] and how far it may be off.
        disturbance, limits, friction: as in `torque_sets`.
    """

    chain: Chain
    middle: Array
    half: Array
    contacts: tuple[ContactLike, ...]
    mode: str
    tasks: tuple[Task, ...] = ()
    disturbance: DisturbanceSet | None = None
    limits: tuple[ArrayLike, ArrayLike] | None = None
    friction: tuple[ArrayLike, ArrayLike] | None = None

    def at(self, q: Array) -> TorqueSet:
        """The torque sets of one posture."""
        system = self.chain.system(q, None, self.contacts)
        return torque_sets(system, self.mode, self.tasks, self.disturbance, self.limits, friction=self.friction)

    @property
    def wide(self) -> Array:
        """The coordinates whose error changes the answer: angles that may be off. Where node 0 is does not matter."""
        return np.flatnonzero(self.half[2:]) + 2

    @cached_property
    def nominal(self) -> TorqueSet:
        """The torque sets of the middle; all cells use its units."""
        return self.at(self.middle)

    def disturbed(self) -> list[Array]:
        """Corners of the disturbances in the units of their set."""
        if self.disturbance is None:
            return [np.zeros(0)]
        if self.disturbance.points is None:
            fix = f"give a disturbance with at most {MOST_CORNERS_OF} uncertain coordinates"
            raise InputError("has too many corners for a box of postures", where="disturbance", fix=fix)
        return list(self.disturbance.points)

    def corners(self) -> Array:
        """(s, 2 + n) the middle, and all corners of the box where they are few."""
        wide = self.wide
        if not len(wide) or 2 ** len(wide) > MOST_CORNERS:
            return self.middle[None]
        steps = np.array(list(product((-1.0, 1.0), repeat=len(wide))))
        postures = np.tile(self.middle, (1 + len(steps), 1))
        postures[1:, wide] += steps * self.half[wide]
        return postures


#: Half widths of angles are enlarged by this share: rounding.
ROUNDED = 1.0 + 1e-12


@dataclass(frozen=True, eq=False)
class Geometry:
    """A chain in the middle of a cell: directions, sums of masses along the paths, and by how much angles are off.

    Everything is about the absolute angles of the links.

    Attributes:
        along, across: (n, 2) directions of the links, and those turned anticlockwise by a right angle.
        angles, delta: (n,) angle of each link and how far it may be off [rad].
        between: (n, n) how far the differences of two angles may be off [rad].
        paths: (k, n) from node 0 to each contact along the links [m].
        normals, tangents: (k, 2) of the contacts; `turning` (k,) by how much they turn with their link [rad].
        links_of: (k,) the link with which a contact's normal turns, or -1.
        mass, moments, products, inertias: sum of m, of m rho_i (n,), of m rho_i rho_k (n, n) over paths rho to the
            masses, and the links' own inertias (n,).
        gravity: (2,).
        turns: (n, n) absolute angles from those of the coordinates; `free` the coordinates that move.
        wide, half: (w,) the angles that may be off, and by how much [rad].
        acceleration, length: units [m/s^2, m].
    """

    along: Array
    across: Array
    angles: Array
    delta: Array
    between: Array
    paths: Array
    normals: Array
    tangents: Array
    turning: Array
    links_of: Array
    mass: float
    moments: Array
    products: Array
    inertias: Array
    gravity: Array
    turns: Array
    free: Array
    wide: Array
    half: Array
    acceleration: float
    length: float

    @classmethod
    def of(cls, box: PostureBox, middle: Array, half: Array) -> Geometry:
        """The geometry of the cell `middle` - `half` ... `middle` + `half`."""
        chain, space = box.chain, box.nominal.space
        touching = [contact_of(contact, len(chain.links)) for contact in box.contacts]
        k, links = len(touching), len(chain.links)
        angles = chain.angles(middle)
        along = np.column_stack([np.cos(angles), np.sin(angles)])
        normals = np.array([contact.normal_at(angles) for contact in touching]).reshape(k, 2)
        turns = chain.turns[:, 2:]
        off = half[2:] * ROUNDED
        delta = np.abs(turns) @ off
        links_of = np.array([c.link if isinstance(c, LinkContact) else -1 for c in touching], dtype=int)
        reach, masses = chain.mass_points()
        rows = space.contact_accelerations if k else space.accelerations
        return cls(
            along=along,
            across=np.column_stack([-along[:, 1], along[:, 0]]),
            angles=angles,
            delta=delta,
            between=np.abs(turns[:, None] - turns[None]) @ off,
            paths=np.array([chain.path_to(contact) for contact in touching]).reshape(k, links),
            normals=normals,
            tangents=np.column_stack([normals[:, 1], -normals[:, 0]]),
            turning=np.where(links_of >= 0, np.append(delta, 0.0)[links_of], 0.0),
            links_of=links_of,
            mass=float(masses.sum()),
            moments=masses @ reach,
            products=reach.T @ (masses[:, None] * reach),
            inertias=np.asarray(chain.inertias),
            gravity=np.asarray(chain.gravity),
            turns=turns,
            free=chain.free,
            wide=box.wide - 2,
            half=off[box.wide - 2],
            acceleration=float(np.abs(rows).max(initial=0.0)) or 1.0,
            length=float(np.max(chain.links)),
        )

    def generalised(self, rows: Array) -> Array:
        """Generalised forces (2 + n, ...) on the coordinates as those on x, y and the absolute angles."""
        return np.concatenate([rows[:2], np.linalg.solve(self.turns.T, rows[2:])])

    def on_links(self, coefficients: Array) -> Array:
        """Coefficients (r, n) of the coordinates' accelerations as (r, 2 + n) of x, y and the absolute angles."""
        full = np.zeros((len(coefficients), 2 + len(self.turns)))
        full[:, self.free] = coefficients
        return np.column_stack([full[:, :2], np.linalg.solve(self.turns.T, full[:, 2:].T).T])

    def is_wide(self, box: PostureBox) -> bool:
        """Whether angles are off by too much for the bounds of a cell."""
        return bool((self.delta > WIDE).any() or (self.between > 2.0 * WIDE).any())

    def dynamics(self) -> tuple[Uncertain, Uncertain, Uncertain]:
        """(M, J, g) of M a = g + ... + J^T f in x, y and the absolute angles; J has rows t1, n1, ..., g is a column."""
        n, k = len(self.angles), len(self.paths)
        turns, free = self.turns[:, self.wide], np.zeros(len(self.wide))
        M, J, g = (Uncertain.empty(shape, len(free)) for shape in ((2 + n, 2 + n), (2 * k, 2 + n), (2 + n, 1)))
        across, along = self.moments[:, None] * self.across, self.moments[:, None] * self.along
        M.value[:2, :2] = self.mass * np.eye(2)
        M.fill(slice(2, None), slice(0, 2), across, -along, turns[:, None], self.half)
        M.fill(slice(0, 2), slice(2, None), across.T, -along.T, turns[None], self.half)
        apart = self.angles[:, None] - self.angles
        cosines, sines = self.products * np.cos(apart), self.products * np.sin(apart)
        M.fill(slice(2, None), slice(2, None), cosines, -sines, turns[:, None] - turns[None], self.half)
        M.value[2:, 2:] += np.diag(self.inertias)
        g.value[:2, 0] = self.mass * self.gravity
        g.fill(
            slice(2, None),
            slice(0, 1),
            across @ self.gravity[:, None],
            -along @ self.gravity[:, None],
            turns[:, None],
            self.half,
        )
        own = np.vstack([turns, free])[self.links_of]  # (k, w): how the normal of each contact turns
        for first, frame, slope in ((0, self.tangents, self.normals), (1, self.normals, -self.tangents)):
            rows = slice(first, None, 2)
            J.fill(rows, slice(0, 2), frame, slope, own[:, None], self.half)
            value, change = self.paths * (frame @ self.across.T), -self.paths * (frame @ self.along.T)
            J.fill(rows, slice(2, None), value, change, turns[None] - own[:, None], self.half)
        return M, J, g


class Uncertain(NamedTuple):
    """A matrix over a cell: at the middle, its derivatives, and by how much it is off in all and after these."""

    value: Array
    slopes: Array  # (w, r, c) per radian of each uncertain coordinate
    off: Array
    bend: Array

    @classmethod
    def empty(cls, shape: tuple[int, ...], wide: int) -> Uncertain:
        """Zeros without any error."""
        return cls(np.zeros(shape), np.zeros((wide, *shape)), np.zeros(shape), np.zeros(shape))

    @classmethod
    def exact(cls, matrix: Array, wide: int) -> Uncertain:
        """A matrix without any error."""
        return cls.empty(matrix.shape, wide)._replace(value=matrix)

    @classmethod
    def stack(cls, parts: Sequence[Uncertain], axis: int) -> Uncertain:
        """The parts below one another (axis -2), or beside one another (-1)."""
        return cls(*(np.concatenate(part, axis=axis) for part in zip(*parts, strict=True)))

    def fill(self, rows: slice, columns: slice, value: Array, slope: Array, turn: Array, half: Array) -> None:
        """Set entries to value cos d + slope sin d, d = turn . (q - middle), turn (..., w), |q - middle| <= half."""
        delta = np.abs(turn) @ half
        level = np.abs(value) * (1.0 - np.cos(delta))
        self.value[rows, columns] = value
        self.slopes[:, rows, columns] = np.moveaxis(slope[..., None] * turn, -1, 0)
        self.off[rows, columns] = level + np.abs(slope) * np.sin(delta)
        self.bend[rows, columns] = level + np.abs(slope) * (delta - np.sin(delta)) + ROUNDING * np.abs(value)

    def take(self, rows: Any, columns: Any = slice(None)) -> Uncertain:
        """Some rows and columns."""
        return Uncertain(*(part[..., rows, :][..., columns] for part in self))

    def times(self, factors: Array) -> Uncertain:
        """Every entry times a number, with those of a row or of a column alike."""
        return Uncertain(self.value * factors, self.slopes * factors, *(part * np.abs(factors) for part in self[2:]))

    def __matmul__(self, right: Array) -> Uncertain:
        size = np.abs(right)
        return Uncertain(self.value @ right, self.slopes @ right, self.off @ size, self.bend @ size)

    @property
    def T(self) -> Uncertain:
        """The transposed matrix."""
        return Uncertain(*(np.swapaxes(part, -1, -2) for part in self))


# -- what is possible somewhere in a cell -----------------------------------------------------------


class PostureCell(TorqueSpace):
    """The laws of all postures of a cell at once, as rows over x = (f, tau, u, p0, phidd, w, 1): an outer set.

    The tree of `meeting_modes` has further levels: the sign of every link's phidd before the contacts, the quadrant of
    its G after them. Letters of contacts are those of modes; a contact on a link may have the letter s for S too.
    """

    def __init__(self, box: PostureBox, middle: Array, half: Array) -> None:  # not that of one system
        nominal, chain = box.nominal.space, box.chain
        self.system, self.friction, self.disturbance = nominal.system, nominal.friction, nominal.disturbance
        self.sizes, self.force_unit, self.torque_unit = nominal.sizes, nominal.force_unit, nominal.torque_unit
        self.torques, self.disturbances = nominal.torques, nominal.disturbances
        _, k, _, _ = self.sizes
        links, first = len(chain.links), self.disturbances.stop
        self.geometry = geometry = Geometry.of(box, middle, half)
        spins, along, across = (first + 2 + i * links + np.arange(links) for i in range(3))
        self.width = first + 2 + 3 * links + 1
        self.unit = np.ones(self.width)
        self.unit[: 2 * k], self.unit[self.torques] = self.force_unit, self.torque_unit
        self.unit[first : first + 2] = geometry.acceleration
        self.unit[first + 2 : -1] = geometry.acceleration / geometry.length
        self._first = first

        eye = np.eye(self.width)
        e, normal = geometry.along, geometry.across  # (n, 2) directions of the links and across them
        start = eye[first : first + 2]
        w = e[:, :, None] * eye[along][:, None] + normal[:, :, None] * eye[across][:, None]  # (n, 2, width)
        pull = start - np.outer(geometry.gravity, eye[-1])  # p0'' - g
        forces = geometry.tangents[:, :, None] * eye[0 : 2 * k : 2, None] + (
            geometry.normals[:, :, None] * eye[1 : 2 * k : 2, None]
        )
        points = start + np.einsum("ji,icx->jcx", geometry.paths, w)
        self.contact_accelerations = np.zeros((2 * k, self.width))
        self.contact_accelerations[0::2] = np.einsum("jc,jcx->jx", geometry.tangents, points) * self.unit
        self.contact_accelerations[1::2] = np.einsum("jc,jcx->jx", geometry.normals, points) * self.unit
        given = geometry.generalised(self._forces_on_coordinates())
        sums = np.einsum("ji,jcx->icx", geometry.paths, forces) - geometry.moments[:, None, None] * pull
        sums -= np.einsum("ik,kcx->icx", geometry.products, w)
        needed = geometry.inertias[:, None] * eye[spins] - given[2:]
        rows = geometry.mass * pull + np.einsum("i,icx->cx", geometry.moments, w) - forces.sum(axis=0) - given[:2]
        fixed = [rows if 0 in chain.free else start]
        levels: list[list[tuple[int, dict[str, LawRows]]]] = [[], []]
        for i in range(links):
            pieces = (eye[spins[i]], eye[along[i]], eye[across[i]])
            held = 2 + i not in chain.free
            if held or not geometry.delta[i]:
                fixed.append(np.array([pieces[0], *pieces[1:]] if held else [pieces[1], pieces[0] - pieces[2]]))
            else:
                levels[0].append((i, self._motions(geometry.delta[i], *pieces)))
            moment = (needed[i], e[i] @ sums[i], normal[i] @ sums[i])
            if not held and not geometry.delta[i]:
                fixed.append((moment[0] - moment[2])[None])
            elif not held:
                levels[1].append((i, self._moments(geometry.delta[i], *moment)))
        none = np.zeros((0, self.width))
        self.equations = LawRows(unit_length(np.vstack(fixed) * self.unit), none, np.zeros(0, dtype=bool))
        self.before = len(levels[0])
        contacts = [dict(self._laws_of(i)) for i in range(k)]
        self.laws = [laws for _, laws in levels[0]] + contacts + [laws for _, laws in levels[1]]

    def _forces_on_coordinates(self) -> Array:
        """(2 + n, width) torques and disturbances as generalised forces on (x, y, theta, theta_1, ...)."""
        n = self.sizes[0]
        result = np.zeros((len(self.geometry.turns) + 2, self.width))
        free = np.zeros((n, self.width))
        free[:, self.torques] = self.system.selector
        if self.disturbance is not None:
            free[:, self.disturbances] = self.disturbance.basis
            free[:, -1] = self.disturbance.centre
        result[self.geometry.free] = free
        return result

    def _closed(self, rows: Sequence[Array], strict: int = 0) -> LawRows:
        """The rows as conditions, the first `strict` of them strict."""
        marks = np.arange(len(rows)) < strict
        return LawRows(np.zeros((0, self.width)), unit_length(np.array(rows) * self.unit), marks)

    def _motions(self, delta: float, spin: Array, along: Array, across: Array) -> dict[str, LawRows]:
        """w = spin (-sin d, cos d) for some |d| <= delta, by the sign of the spin."""
        laws = {}
        for letter, s in (("+", 1.0), ("-", -1.0)):
            reach = np.tan(delta) * s * across
            rows = [s * spin, s * (across - np.cos(delta) * spin), s * (spin - across), reach - along, reach + along]
            laws[letter] = self._closed(rows, strict=int(s < 0.0))
        return laws

    def _moments(self, delta: float, needed: Array, along: Array, across: Array) -> dict[str, LawRows]:
        """needed = across cos d - along sin d for some |d| <= delta, by the signs of both parts of G."""
        laws = {}
        for a, b in product((1.0, -1.0), repeat=2):
            wander, level = np.sin(delta) * a * along, b * across
            near, far = np.cos(delta) * level, level
            rows = [a * along, level, far + wander - b * needed, b * needed - near + wander]
            laws["ABCD"[len(laws)]] = self._closed(rows)
        return laws

    def _laws_of(self, i: int) -> Iterator[tuple[str, LawRows]]:
        delta = self.geometry.turning[i]
        if not delta:
            yield from super()._laws_of(i)
            return
        # The frame turns with the link: rows in the frame of the middle, widened by delta.
        ft, fn = np.eye(self.width)[2 * i], np.eye(self.width)[2 * i + 1]
        at, an = self.contact_accelerations[2 * i] / self.unit, self.contact_accelerations[2 * i + 1] / self.unit
        low, high = (np.arctan(bound[i]) for bound in self.friction)
        slope, widest = np.tan(delta), np.tan(high + delta)
        none = unit_length(np.array([ft, fn]))
        for letter, s in (("S", 1.0), ("s", -1.0)):
            yield letter, self._closed([an + slope * s * at, s * at], strict=1)._replace(equal=none)
        held = unit_length(np.array([at, an]) * self.unit)
        yield "F", self._closed([widest * fn - ft, widest * fn + ft])._replace(equal=held)
        for letter, s in (("R", 1.0), ("L", -1.0)):
            drag = [widest * fn + s * ft, -s * ft - np.tan(low - delta) * fn, fn]
            yield letter, self._closed([s * at, slope * s * at - an, slope * s * at + an, *drag], strict=1)

    def relaxed(self, i: int) -> Array:
        """Closed rows of level i that hold in each of its letters."""
        contact = i - self.before
        inside = 0 <= contact < self.sizes[1]
        return super().relaxed(contact) if inside and not self.geometry.turning[contact] else np.zeros((0, self.width))

    def task(self, task: Task, where: str) -> tuple[Array, Array]:
        """As for one system; accelerations of the joints are differences of those of the links."""
        n, k, t, _ = self.sizes
        coefficients, right = task.rows(n, 2 * k, t, where)
        turning = np.repeat(self.geometry.turning > 0.0, 2)
        if coefficients[:, n : n + 2 * k][:, turning].any():
            what, fix = "is about the force at a contact that turns with its link", "use tasks on other forces"
            raise InputError(what, where=f"{where}.f", fix=fix)
        rows = np.zeros((len(right), self.width))
        rows[:, : 2 * k + t] = coefficients[:, n:]
        rows[:, -1] = -right
        rows[:, self._first : self._first + 2 + len(self.geometry.turns)] = self.geometry.on_links(coefficients[:, :n])
        return rows * self.unit, np.linalg.norm(np.column_stack([coefficients, right]), axis=1)

    def others(self, mode: str, tasks: Sequence[Task], common: LawRows) -> Iterator[tuple[str, int | None, LawRows]]:
        """(mode, violated task, rows) of all motions other than the wanted that `common` leaves possible somewhere."""
        common = stacked([common, self.equations, self.disturbed()], self.width)
        contacts = slice(self.before, self.before + len(mode))
        for found in meeting_modes(self, common).modes:
            letters = "".join(found[contacts]).upper()
            if letters != mode:
                yield letters, None, stacked([common, self._rows_of(found)], self.width)
        if not tasks:
            return
        only = copy(self)
        only.laws = list(self.laws)
        only.laws[contacts] = [
            {letter: laws for letter, laws in level.items() if letter.upper() == wanted}
            for level, wanted in zip(self.laws[contacts], mode, strict=True)
        ]
        for i, task in enumerate(tasks):
            for breach in negations(self, task, i):
                broken = stacked([common, breach], self.width)
                for found in meeting_modes(only, broken).modes:
                    yield mode, i, stacked([broken, self._rows_of(found)], self.width)

    def _rows_of(self, letters: Sequence[str]) -> LawRows:
        return stacked([laws[letter] for laws, letter in zip(self.laws, letters, strict=True)], self.width)

    def lowest(self, rows: LawRows, directions: Array) -> Array:
        """Lower bounds of each of the `directions` (r, t) over the torques of `rows`, in units of the space."""
        wide = np.zeros((len(directions), self.width - 1))
        wide[:, self.torques] = directions
        found = self.polyhedron(rows).lowest(wide)
        return found - OUTWARD * np.maximum(1.0, np.abs(found))


# -- what is possible everywhere in a cell ----------------------------------------------------------


class Everywhere:
    """The wanted motion in all postures of a cell: E y = r and N y >= s at the middle, with slack for the others.

    y = (z, f'): accelerations within what the tasks leave free, and forces that the mode allows. `solvable` is False
    where E has dependent rows or changes too much, or with more than eight uncertain angles: then nothing is proven.
    """

    def __init__(self, box: PostureBox, geometry: Geometry) -> None:
        space, chain = box.nominal.space, box.chain
        _, k, t, m = space.sizes
        contacts = [contact_of(contact, len(chain.links)) for contact in box.contacts]
        free, F, A, length = geometry.free, space.force_unit, geometry.acceleration, geometry.length
        links, wide = len(geometry.angles), len(geometry.wide)
        moves = np.array([A, A, *[A / length] * links])[free]
        loads = np.array([F, F, *[F * length] * links])[free, None]
        M, J, weight = geometry.dynamics()
        M, push, weight = M.take(free, free), J.take(slice(None), free).T.times(F / loads), weight.take(free)
        M, weight, J = M.times(moves / loads), weight.times(1.0 / loads), J.take(slice(None), free).times(moves / A)
        acting = np.zeros((2 + links, t + m + 1))
        acting[free, :t] = space.system.selector * space.torque_unit
        if space.disturbance is not None:
            acting[free, t : t + m], acting[free, -1] = space.disturbance.basis, space.disturbance.centre
        acting = geometry.generalised(acting)[free] / loads
        acting[:, -1] += weight.value[:, 0]

        still, kept = _rigid(chain, contacts, box.mode)
        fixed, conditions = [np.eye(2 + links)[2 + i, free] for i in still], []
        for i, task in enumerate(box.tasks):
            given, right = task.rows(len(free), 2 * k, t, f"tasks[{i}]")
            a, f, tau = np.split(given, [len(free), len(free) + 2 * k], axis=1)
            a = geometry.on_links(a)[:, free] * moves
            full = unit_length(np.column_stack([a, f * F, tau * space.torque_unit, -right]))
            if task.kind == "=" and not full[:, len(free) :].any():
                fixed += list(full[:, : len(free)])
            else:
                conditions.append((task.kind, full))
        Z = null_space(unit_length(np.array(fixed).reshape(-1, len(free))), np.eye(len(free)))
        edges, cones, self.sizes = _forces(box.mode, space.friction[0])
        self.split, self.uncertain = Z.shape[1], m

        def beside(a: Uncertain, f: Array) -> Uncertain:
            return Uncertain.stack([a, Uncertain.exact(f, wide)], axis=-1)

        held = J.take(kept) @ Z
        held = held.take((held.value != 0.0).any(axis=1) | (held.off != 0.0).any(axis=1))
        E = [
            Uncertain.stack([M @ Z, push @ -edges], axis=-1),
            beside(held, np.zeros((len(held.value), edges.shape[1]))),
        ]
        right = [acting, np.zeros((len(held.value), t + m + 1))]
        signs = [(2 * i + (c == "S"), -1.0 if c == "L" else 1.0) for i, c in enumerate(box.mode) if c != "F"]
        rows, sign = np.array([row for row, _ in signs], dtype=int), np.array([sign for _, sign in signs])
        moving = J.take(rows).times(sign[:, None]) @ Z
        N = [Uncertain.exact(np.hstack([np.zeros((len(cones), self.split)), cones]), wide)]
        N.append(beside(moving, np.zeros((len(rows), edges.shape[1]))))
        least = [np.zeros((len(cones) + len(rows), t + m + 1))]
        for kind, full in conditions:
            a, f, rest = np.split(full, [len(free), len(free) + 2 * k], axis=1)
            equations, bounds = (E, right) if kind == "=" else (N, least)
            equations.append(Uncertain.exact(np.hstack([a @ Z, f @ edges]), wide))
            bounds.append(np.hstack([-rest[:, :t], np.zeros((len(rest), m)), -rest[:, t:]]))
        self.E, self.N = Uncertain.stack(E, axis=-2), Uncertain.stack(N, axis=-2)
        self.right, self.least, self.half = np.vstack(right), np.vstack(least), geometry.half
        pad = Uncertain.exact(np.zeros((len(self.right) - len(free), 1)), wide)
        self.weight = Uncertain.stack([weight, pad], axis=-2)
        self.solvable = self._spread()

    def _spread(self) -> bool:
        """Bounds of what is left over: `by` |y| + `by_change` |change of y| + `fixed`; False where there is none."""
        E, N, rows = self.E, self.N, len(self.right)
        if (
            2 ** len(self.half) > MOST_CORNERS
            or E.value.shape[1] < rows
            or np.linalg.matrix_rank(E.value, tol=INDEPENDENT) < rows
        ):
            return False
        inverse = np.linalg.pinv(E.value)
        turn = np.abs(E.value @ inverse - np.eye(rows)) + (E.off + E.bend) @ np.abs(inverse)
        if rows and np.abs(np.linalg.eigvals(turn)).max() >= 1.0:
            return False
        reach = (np.abs(N.value @ inverse) + N.off @ np.abs(inverse)) @ np.linalg.inv(np.eye(rows) - turn)
        self.by, self.by_change = N.bend + reach @ E.bend, N.off + reach @ E.off
        self.fixed = reach @ self.weight.bend[:, 0]
        return True

    def step(self, torque: Array, towards: Array, at: Array | None, slack: float) -> float:
        """Least share s <= 1 with torque + s (towards - torque) allowed in all postures under the disturbance `at`.

        Without `at` the torques are directions: of motions without gravity and disturbance. inf where there is none.
        """
        if not self.solvable:
            return np.inf
        E, N, wide = self.E, self.N, len(self.half)
        real = 0.0 if at is None else 1.0
        given = np.concatenate([torque, np.zeros(self.uncertain + 1) if at is None else [*at, 1.0]])
        change = np.concatenate([towards - torque, np.zeros(self.uncertain + 1)])
        size, split = E.value.shape[1], self.split
        # Variables: y, its change at the far end of each uncertain coordinate, |z|, the sizes of the changes, and s.
        width = size * (1 + wide) + split + size * wide + 1
        y, away = slice(0, size), [slice(size * (1 + c), size * (2 + c)) for c in range(wide)]
        absolute = slice(size * (1 + wide), size * (1 + wide) + split)
        sizes = [slice(absolute.stop + size * c, absolute.stop + size * (c + 1)) for c in range(wide)]
        C = np.zeros((len(E.value) * (1 + wide), width))
        d = np.zeros(len(C))
        C[: len(E.value), y], C[: len(E.value), -1], d[: len(E.value)] = (
            E.value,
            -self.right @ change,
            self.right @ given,
        )
        slopes = self.half[:, None, None] * E.slopes
        for c in range(wide):
            rows = slice(len(E.value) * (1 + c), len(E.value) * (2 + c))
            C[rows, y], C[rows, away[c]] = slopes[c], E.value
            d[rows] = real * self.half[c] * self.weight.slopes[c, :, 0]
        base = np.zeros((len(N.value), width))
        base[:, y] = -N.value
        base[:, absolute] = self.by[:, :split]
        base[:, split:size] += self.by[:, split:] @ self.sizes
        base[:, -1] = self.least @ change
        A = [base.copy() for _ in range(2**wide)]
        for row, signs in zip(A, product((-1.0, 1.0), repeat=wide), strict=True):
            for c, sign in enumerate(signs):
                row[:, y] -= sign * self.half[c] * N.slopes[c]
                row[:, away[c]] -= sign * N.value
                row[:, sizes[c]] += self.by_change
        bound = np.tile(-self.least @ given - slack - real * self.fixed, len(A))
        for part, bar in ((slice(0, split), absolute), *zip(away, sizes, strict=True)):
            for sign in (1.0, -1.0):
                rows = np.zeros((bar.stop - bar.start, width))
                rows[:, part], rows[:, bar] = sign * np.eye(len(rows)), -np.eye(len(rows))
                A.append(rows)
        A = np.vstack(A)
        bound = np.append(bound, np.zeros(len(A) - len(bound)))
        cost = np.zeros(width)
        cost[-1] = 1.0
        found = minimise(cost, A, bound, C, d, bounds=[FREE] * (width - 1) + [(0.0, 1.0)], tolerance=TIGHT)
        return found.value if found.optimal else np.inf


def _rigid(chain: Chain, contacts: Sequence[Any], mode: str) -> tuple[list[int], Array]:
    """Links between two fixed nodes, which cannot turn, and the rows of J (t1, n1, ...) that these do not imply."""
    assert chain.parents is not None
    based = {"free": [], "pinned": [0], "welded": [0, 1]}[chain.base]
    held = {
        c.node for c, letter in zip(contacts, mode, strict=True) if letter == "F" and not isinstance(c, LinkContact)
    }
    ends = [(parent, i + 1) for i, parent in enumerate(chain.parents)]
    still = [i for i, (a, b) in enumerate(ends) if {a, b} <= held | set(based) and 2 + i in chain.free]
    known, kept = set(based), []
    for i, (contact, letter) in enumerate(zip(contacts, mode, strict=True)):
        node = None if isinstance(contact, LinkContact) else contact.node
        if letter == "S" or node in known:
            continue
        kept += [2 * i, 2 * i + 1] if letter == "F" else [2 * i + 1]
        if letter == "F" and node is not None:
            known.add(node)
            for _ in still:
                known |= {j for i in still if known & set(ends[i]) for j in ends[i]}
    return still, np.array(kept, dtype=int)


def _forces(mode: str, mu: Array) -> tuple[Array, Array, Array]:
    """(edges, cones, sizes): f = edges f', cones f' >= 0, |f'| <= sizes f' for the forces that a mode allows."""
    columns: list[Array] = []
    cones: list[Array] = []
    sizes: list[Array] = []
    eye = np.eye(2 * len(mode))
    for i, letter in enumerate(mode):
        ft, fn = eye[2 * i], eye[2 * i + 1]
        if letter == "F" and mu[i] > 0.0:
            columns += [ft, fn]
            cones.append(np.array([[-1.0, mu[i]], [1.0, mu[i]]]))
            sizes.append(np.array([[0.0, mu[i]], [0.0, 1.0]]))
        elif letter != "S":
            columns.append(fn + {"R": -mu[i], "L": mu[i], "F": 0.0}[letter] * ft)
            cones.append(np.ones((1, 1)))
            sizes.append(np.ones((1, 1)))
    edges: Array = np.array(columns).reshape(-1, len(eye)).T
    cone: Array = np.array(block_diag(*cones)) if cones else np.zeros((0, 0))
    size: Array = np.array(block_diag(*sizes)) if sizes else np.zeros((0, 0))
    return edges, cone, size


# -- the bracket ------------------------------------------------------------------------------------


class _Target(NamedTuple):
    """What cells are asked about, in units of the space: an outer T_c, its generators, and directions of bounds."""

    feasible: Polyhedron
    vertices: Array
    rays: Array
    centre: Array
    inward: Array
    directions: Array

    @classmethod
    def of(cls, outer: TorqueSet) -> _Target:
        """The target of the outer sets of the postures tried first; T_c is not empty."""
        feasible, t = outer.scaled, outer.scaled.ambient_dimension
        vertices, rays = feasible.generators.vertices, feasible.generators.all_rays
        centre = feasible.chebyshev()[0]
        inward = rays.mean(axis=0) if len(rays) else np.zeros(t)
        sides = [-part.A for part in (feasible, *outer.pieces)] + [np.array([[-1.0], [1.0]])] * (t == 1)
        directions = np.unique(np.round(np.vstack(sides), 6) + 0.0, axis=0)
        return cls(feasible, vertices, rays, centre, inward, directions)


class _Found(NamedTuple):
    """What one cell adds: shares by which generators are drawn inwards, and bounds of other modes."""

    drawn: Array
    others: dict[tuple[str, int | None], Array]
    middle: Array
    half: Array


def _ask(box: PostureBox, target: _Target, middle: Array, half: Array) -> _Found:
    if Geometry.of(box, middle, half).is_wide(box):
        return _Found(np.full(len(target.vertices) + len(target.rays), np.inf), {}, middle, half)
    cell = PostureCell(box, middle, half)
    others: dict[tuple[str, int | None], Array] = {}
    for mode, task, rows in cell.others(box.mode, box.tasks, cell.on_torques(target.feasible)):
        lowest = cell.lowest(rows, target.directions)
        others[mode, task] = np.minimum(lowest, others.get((mode, task), np.inf))
    return _Found(_drawn(box, target, cell), others, middle, half)


def _drawn(box: PostureBox, target: _Target, cell: PostureCell) -> Array:
    """For each vertex and ray the share by which it is drawn to the centre, so that the whole cell allows it."""
    everywhere = Everywhere(box, cell.geometry)
    points = box.disturbed()
    result = np.full(len(target.vertices) + len(target.rays), np.inf)
    if any(everywhere.step(target.centre, target.centre, point, SLACK) for point in points):
        return result
    if len(target.rays) and target.inward.any() and everywhere.step(target.inward, target.inward, None, SLACK):
        return result
    for i, vertex in enumerate(target.vertices):
        result[i] = max(everywhere.step(vertex, target.centre, point, SLACK) for point in points)
    for i, ray in enumerate(target.rays, start=len(target.vertices)):
        result[i] = everywhere.step(ray, target.inward, None, SLACK)
    return result


@dataclass(frozen=True, eq=False)
class PostureRobustness(Result):
    """Torques for every posture of a box, as a bracket.

    Attributes:
        box: the question.
        inner: every torque of its T* allows the wanted motion and no other in every posture of the box: proven. Its
            ambiguous sets contain all that another motion may need somewhere in the box.
        outer: every torque outside its T* is infeasible or ambiguous in one of the `postures`.
        postures: (s, 2 + n) those tried.
        cells: (c, 2, 2 + n) middles and half widths of the cells of the proof.
    """

    box: PostureBox
    inner: TorqueSet
    outer: TorqueSet
    postures: Array
    cells: Array

    @property
    def status(self) -> Literal["proven", "undecided", "ambiguous", "infeasible"]:
        """Whether T* has torques: some are proven; undecided; none, because of other motions or of the wanted one."""
        if not self.inner.is_empty:
            return "proven"
        if not self.outer.is_empty:
            return "undecided"
        return "infeasible" if self.outer.scaled.is_empty else "ambiguous"

    @cached_property
    def reach(self) -> float:
        """Torques up to which the gap is measured [N m]: twice the largest vertex of T_c in the middle of the box."""
        return _reach(self.box.nominal)

    @cached_property
    def gap(self) -> float:
        """Largest distance [N m] of the outer T*, up to `reach`, from the inner one; inf if that is empty."""
        return _gap(self.outer.unique, self.inner.unique, self.reach)

    def classify(self, tau: ArrayLike) -> Any:
        """Say "unique" (proven), "undecided", "ambiguous" or "infeasible" (in a posture tried) for torques (..., t)."""
        inner, outer = np.asarray(self.inner.classify(tau)), np.asarray(self.outer.classify(tau))
        words = np.where(inner == "unique", inner, np.where(outer == "unique", "undecided", outer))
        return str(words) if not words.ndim else words

    @proof
    def verify(self) -> bool:
        """Derive the answer again: the cells cover the box, and in each of them no torque of the inner T* fails.

        Vertices and rays of the inner sets are allowed everywhere, and the tree of modes is empty over the pieces. The
        outer sets are those of the postures, which lie in the box.
        """
        box, inner = self.box, self.inner
        first = box.nominal.space
        if (inner.mode, inner.tasks) != (box.mode, box.tasks) or inner.space.torque_unit != first.torque_unit:
            return False
        if (np.abs(self.postures - box.middle) > box.half * ROUNDED).any() or not _tiles(self.cells, box):
            return False
        if not _alike(self.outer, in_all([box.at(q) for q in self.postures]), self.reach):
            return False
        if not len(box.wide):
            return _alike(inner, box.nominal, self.reach)
        if inner.scaled.is_empty:
            return True
        sets = [inner.scaled, *inner.pieces]
        for middle, half in self.cells:
            cell = PostureCell(box, middle, half)
            everywhere, points = Everywhere(box, cell.geometry), box.disturbed()
            vertices, rays, lines = inner.scaled.generators
            allowed = [everywhere.step(v, v, point, 0.5 * SLACK) for v in vertices for point in points]
            allowed += [everywhere.step(r, r, None, 0.5 * SLACK) for r in np.vstack([rays, lines, -lines])]
            if any(allowed):
                return False
            for piece in sets[1:]:
                if next(cell.others(box.mode, box.tasks, cell.on_torques(piece)), None) is not None:
                    return False
        return True

    def to_dict(self, margin: float = 0.0) -> dict[str, Any]:
        """That of `inner` with the status of the box; the box, the outer sets, and how the proof was made."""
        box = self.box
        return self.inner.to_dict(margin) | {
            "status": self.status,
            "posture_box": {
                "lower": (box.middle - box.half).tolist(),
                "upper": (box.middle + box.half).tolist(),
                "outer": self.outer.to_dict(margin),
                "gap": self.gap,
                "gap_up_to": self.reach,
                "postures": self.postures.tolist(),
                "cells": len(self.cells),
            },
        }


def _reach(answer: TorqueSet) -> float:
    largest = float(np.linalg.norm(answer.feasible.generators.vertices, axis=1).max(initial=0.0))
    return 2.0 * largest or answer.space.torque_unit


def _gap(outer: Sequence[Polyhedron], inner: Sequence[Polyhedron], reach: float) -> float:
    """Upper bound of the distance from `inner` of points of `outer` with coordinates of at most `reach`."""
    size = outer[0].ambient_dimension if outer else 0
    window = Polyhedron(np.vstack([np.eye(size), -np.eye(size)]), np.full(2 * size, -reach), dimension=size)
    corners = [piece.intersect(window).generators.vertices for piece in outer]
    return max((min((_distance(part, one) for one in inner), default=np.inf) for part in corners), default=0.0)


def _distance(points: Array, inner: Polyhedron) -> float:
    """Largest distance of one of the `points` from a set."""
    moved = (inner.changed(b=inner.b - inner.A @ x, d=inner.d - inner.C @ x) for x in points)
    return max((float(np.linalg.norm(piece.least_norm())) for piece in moved), default=0.0)


def _tiles(cells: Array, box: PostureBox) -> bool:
    """Whether the cells cover the box in its wide coordinates: within it, disjoint, and of the same volume."""
    wide = box.wide
    fixed = np.setdiff1d(np.arange(len(box.middle)), wide)
    if (cells[:, 0, fixed] != box.middle[fixed]).any():
        return False
    if not len(wide):
        return len(cells) == 1
    middles, halves = cells[:, 0][:, wide] - box.middle[wide], cells[:, 1][:, wide]
    if (halves <= 0.0).any() or (np.abs(middles) + halves > box.half[wide] * TOUCHING).any():
        return False
    apart = (np.abs(middles[:, None] - middles[None]) * TOUCHING >= halves[:, None] + halves[None]).any(axis=2)
    volume = float((halves / box.half[wide]).prod(axis=1).sum())
    return bool((apart | np.eye(len(cells), dtype=bool)).all()) and abs(volume - 1.0) <= TOUCHING - 1.0


def _alike(one: TorqueSet, other: TorqueSet, reach: float) -> bool:
    """Whether two answers have the same T_c and T* up to rounding."""
    pairs = [([one.feasible], [other.feasible]), (one.unique, other.unique)]
    return all(max(_gap(a, b, reach), _gap(b, a, reach)) <= STRICT * reach for a, b in pairs)


#: Cells below this share of the box are not halved; and of a cell a posture is tried that is aside of its middle by at
#: most this share, since the middle of a box is often a special posture.
SMALLEST, ASIDE = 1e-3, 0.3

#: Cells of a proof, at most; and the gap at which no more are made, as a share of the largest vertex.
MOST_CELLS, ENOUGH = 400, 0.01


def torque_sets_over_postures(
    chain: Chain,
    q: ArrayLike,
    error: ArrayLike,
    contacts: Sequence[ContactLike],
    mode: str,
    tasks: Task | Sequence[Task] = (),
    *,
    disturbance: Any = None,
    limits: tuple[ArrayLike, ArrayLike] | None = None,
    friction: tuple[ArrayLike, ArrayLike] | None = None,
    accuracy: float = ENOUGH,
    cells: int = MOST_CELLS,
) -> PostureRobustness:
    """`torque_sets` at rest for every posture of q - error ... q + error: each must allow the motion, none another.

    The contacts stay where they are on the robot, with their normals. The answer is a bracket: the inner sets are
    proven for the whole box, the outer ones are those of the postures tried.

    Args:
        chain, contacts: as in `Chain.system`.
        q, error: (2 + n,) posture and its largest error in both directions [m, rad]; one error for all coordinates.
        mode, tasks, disturbance, limits, friction: as in `torque_sets`.
        accuracy: no more cells are made when each alone leaves a gap below this share of the largest vertex of T_c.
        cells: most cells of the proof.
    """
    checks.instance("chain", chain, Chain, fix="give an hf.planar.Chain")
    middle = checks.vector("q", q, chain.coordinate_count)
    half = checks.vector("error", np.full(len(middle), error) if np.ndim(error) == 0 else error, len(middle))
    if (half < 0.0).any():
        i = int(np.argmax(half < 0.0))
        raise InputError(f"is {half[i]:g}", where=f"error[{i}]", fix="give how far q may be off, at least 0")
    checks.number("accuracy", accuracy, low=0.0)
    checks.count("cells", cells)
    checks.iterable("contacts", contacts, fix="give a list of contacts, or () for none")
    acting = disturbance_of(disturbance, len(chain.free))
    asked = given_tasks(tasks)
    box = PostureBox(chain, middle, half, tuple(contacts), mode, asked, acting, limits, friction)
    postures = list(box.corners())
    outer = in_all([box.nominal, *(box.at(posture) for posture in postures[1:])])
    whole = np.array([[middle, half]])
    if not len(box.wide) or outer.is_empty:
        nothing = replace(outer, scaled=Polyhedron.empty(outer.scaled.ambient_dimension), ambiguities=())
        return PostureRobustness(box, outer if not len(box.wide) else nothing, outer, np.array(postures), whole)
    target = _Target.of(outer)
    reach = _reach(box.nominal)

    def cost_of(found: _Found) -> float:
        return _gap(outer.unique, _inner(box, target, [found]).unique, reach)

    tickets = count()
    queue = [(-np.inf, next(tickets), _ask(box, target, middle, half))]
    while len(queue) < cells and not outer.is_empty:
        # The outer set shrinks, and with it what a cell costs: costs are brought up to date when they matter.
        known, _, found = heapq.heappop(queue)
        cost = cost_of(found)
        if cost < -known and queue and cost < -queue[0][0]:
            heapq.heappush(queue, (-cost, next(tickets), found))
            continue
        if cost <= 0.5 * accuracy * reach or (found.half <= SMALLEST * half).all():
            heapq.heappush(queue, (-cost, next(tickets), found))
            break
        postures.append(found.middle + ASIDE * found.half * np.cos(1.0 + np.arange(len(middle))))
        outer = in_all([outer, box.at(postures[-1])])
        i = int(np.argmax(found.half * np.isin(np.arange(len(middle)), box.wide)))
        for side in (-0.5, 0.5):
            moved, thin = found.middle.copy(), found.half.copy()
            moved[i] += side * thin[i]
            thin[i] *= 0.5
            part = _ask(box, target, moved, thin)
            heapq.heappush(queue, (-cost_of(part), next(tickets), part))
    parts = [part for _, _, part in queue]
    return PostureRobustness(
        box, _inner(box, target, parts), outer, np.array(postures), np.array([[p.middle, p.half] for p in parts])
    )


def _inner(box: PostureBox, target: _Target, parts: Sequence[_Found]) -> TorqueSet:
    """What all cells allow: generators drawn inwards as far as any needs, and the hull of each other mode's bounds."""
    drawn = np.max([part.drawn for part in parts], axis=0) * ROUNDED
    vertices, rays = len(target.vertices), target.rays
    t = target.feasible.ambient_dimension
    feasible = Polyhedron.empty(t)
    if (drawn[:vertices] <= 1.0).all() and vertices:
        shares = drawn[:vertices, None]
        points = target.vertices + shares * (target.centre - target.vertices)
        far = drawn[vertices:, None] <= 1.0
        ways = (rays + np.where(far, drawn[vertices:, None], 0.0) * (target.inward - rays))[far[:, 0]]
        feasible = irredundant(Polyhedron.from_generators(points, ways))
    others: dict[tuple[str, int | None], Array] = {}
    for part in parts:
        for key, lowest in part.others.items():
            others[key] = np.minimum(lowest, others.get(key, np.inf))
    found = []
    for (mode, task), lowest in others.items():
        seen = np.isfinite(lowest)
        torques = feasible.intersect(Polyhedron(target.directions[seen], lowest[seen], dimension=t))
        if not torques.is_empty:
            found.append(Ambiguity(mode, task, irredundant(torques)))
    space = box.nominal.space
    return TorqueSet(space, box.mode, box.tasks, feasible, tuple(found), 0)
