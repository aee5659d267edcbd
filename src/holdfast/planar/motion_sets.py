"""Every motion that contacts with friction allow: for each strict contact mode, all its accelerations and reactions.

Rigid bodies with Coulomb friction may have no motion, one, several, or a continuum of them (Erdmann 1993). The answer
is the whole set, exact up to rounding, as one convex piece for each strict contact mode.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray
from .bodies import Body, Contact
from .mode_tree import Whitened, strings
from .polyhedra import Polyhedron
from .system import System, acceleration_rows

#: Vertices closer than this share of the largest acceleration are one: the piece is a point.
POINT = 1e-9

#: A generator whose homogeneous coordinate is below this is a ray.
AT_INFINITY = 1e-10

#: Coordinates and offsets below this share of the largest acceleration are rounding.
ROUNDING = 1e-13

#: A wrench lies on a facet of the reactions' cone, an edge within it, to this share of its size.
ON_FACET = 1e-9


def _moved(rows: Array, products: Array) -> tuple[BoolArray, Array]:
    """(which, their products): the rows whose products are more than rounding."""
    which = np.abs(products).max(axis=1, initial=0.0) > ROUNDING * np.linalg.norm(rows, axis=1)
    return which, products[which]


class MotionStatus(StrEnum):
    """How many accelerations there are; equal to their plain words."""

    UNIQUE = "unique"  # one acceleration; the reactions behind it may still be many, see `forces_unique`
    FINITE = "finite"  # several, but finitely many
    CONTINUUM = "continuum"
    INCONSISTENT = "inconsistent"  # none: rigid bodies with Coulomb friction have no answer here
    IMPACT = "impact"  # a contact's velocity runs into the obstacle; no answer is given


class ForceSet(NamedTuple):
    """conv(vertices) + cone(rays) of reactions f [N], ordered (ft1, fn1, ft2, fn2, ...): (n, 2 k) and (m, 2 k)."""

    vertices: Array
    rays: Array


class Motion(NamedTuple):
    """One acceleration (n,), with reactions (k, 2) of (ft, fn) [N] that bring it about."""

    acceleration: Array
    forces: Array


class MotionPiece:
    """All accelerations of one strict contact mode, and the reactions behind them.

    Attributes:
        mode: one letter of S, F, R, L for each contact.
        vertices: (n, 3) accelerations (ax, ay, alpha), or (n, coordinates) of a chain; the piece is conv(vertices) +
            cone(rays), but for the sides on which a strict condition of its mode fails.
        rays: (m, 3) directions of unbounded growth, of length one; a line is two opposite rays.
    """

    def __init__(self, mode: str, white: Whitened, vertices: Array, rays: Array) -> None:
        self.mode = mode
        self.vertices = vertices
        self.rays = rays
        self._white = white

    def __repr__(self) -> str:
        rays = f", {len(self.rays)} rays" if len(self.rays) else ""
        return f"MotionPiece({self.mode!r}, {len(self.vertices)} vertices{rays})"

    @property
    def is_point(self) -> bool:
        """Whether there is one acceleration only."""
        return len(self.vertices) == 1 and not len(self.rays)

    @cached_property
    def _edges(self) -> tuple[Array, Array]:
        """(W, E): whitened unit edges (n, e) that the mode lets push, and the force (2 k, e) behind each."""
        white = self._white
        columns, forces = [], []
        for i, letter in enumerate(self.mode):
            last = int(white.edge_count[i]) - 1
            mu = white.system.mu[i]
            for e in {"S": (), "F": range(last + 1), "R": (0,), "L": (last,)}[letter]:
                force = np.zeros(2 * white.system.contact_count)
                force[2 * i : 2 * i + 2] = (mu if e else -mu), 1.0
                force /= np.hypot(mu, 1.0)
                columns.append(white.edges[i, e])
                moves = bool(white.edges[i, e].any())
                forces.append(force / (white.edge_lengths[i, e] if moves else 1.0))
        if not columns:
            return np.zeros((white.system.coordinate_count, 0)), np.zeros((2 * white.system.contact_count, 0))
        return np.array(columns).T, np.array(forces).T

    @cached_property
    def _rows(self) -> tuple[Array, Array, BoolArray, Array, Array]:
        """(A, b, strict, C, d) of the mode's accelerations, on whitened ones in units of the scale."""
        A, b, strict, C, d = acceleration_rows(self._white.system, self.mode)
        lower, scale = self._white.lower, self._white.scale
        return np.linalg.solve(lower, A.T).T, b / scale, strict, np.linalg.solve(lower, C.T).T, d / scale

    @cached_property
    def _whitened_set(self) -> Polyhedron:
        A, b, strict, C, d = self._rows
        W, _ = self._edges
        n = self._white.system.coordinate_count
        # Accelerations are in units of the scale, whatever the rows' offsets come to.
        kinematic = Polyhedron(A, b, C, d, strict=strict, dimension=n, least_scale=1.0)
        cone = Polyhedron.from_generators(np.zeros((1, n)), W.T[np.any(W != 0.0, axis=0)])
        drive = self._white.drive
        return kinematic.intersect(
            Polyhedron(cone.A, cone.b + cone.A @ drive, cone.C, cone.d + cone.C @ drive, dimension=n)
        )

    @cached_property
    def set(self) -> Polyhedron:
        """The piece in rows over accelerations, strict ones marked, irredundant."""
        white, whole = self._white, self._whitened_set.minimal()
        back = white.lower.T / white.scale
        b, d = (np.where(np.abs(offsets) <= ROUNDING, 0.0, offsets) for offsets in (whole.b, whole.d))
        return Polyhedron(whole.A @ back, b, whole.C @ back, d, strict=whole.strict, dimension=len(white.lower))

    def contains(self, accelerations: ArrayLike) -> BoolArray:
        """Whether each acceleration (..., 3) is one of this mode's."""
        white = self._white
        a = checks.rows("accelerations", accelerations, len(white.lower))
        return self._whitened_set.contains(a @ white.lower / white.scale)

    @cached_property
    def forces(self) -> ForceSet:
        """All reactions f that drive a motion of this mode."""
        W, E = self._edges
        white, count = self._white, self._edges[0].shape[1]
        if not count:
            return ForceSet(np.zeros((1, len(E))), np.zeros((0, len(E))))
        A, b, strict, C, d = self._rows
        # Rows that no edge moves hold for every weight or none; the piece is not empty, so they hold.
        (seen, A), (fixed, C) = (_moved(rows, rows @ W) for rows in (A, C))
        weights = Polyhedron(
            np.vstack([A, np.eye(count)]),
            np.concatenate([b[seen] - self._rows[0][seen] @ white.drive, np.zeros(count)]),
            C,
            d[fixed] - self._rows[3][fixed] @ white.drive,
            strict=np.concatenate([strict[seen], np.zeros(count, dtype=bool)]),
            dimension=count,
            least_scale=1.0,
        )
        found = weights._closure
        return ForceSet(white.scale * (found.vertices @ E.T), found.all_rays @ E.T)

    @cached_property
    def forces_unique(self) -> bool:
        """Whether one f only is behind the motions of this piece.

        The wrench lies inside one face of the reactions' cone; its weights are unique when the edges of that face
        are independent.
        """
        if not self.is_point:
            return False
        W, _ = self._edges
        if not W.shape[1]:
            return True
        wrench = self.vertices[0] @ self._white.lower / self._white.scale - self._white.drive
        cone = Polyhedron.from_generators(np.zeros((1, len(W))), W.T[np.any(W != 0.0, axis=0)])
        tight = cone.A[np.abs(cone.A @ wrench) <= ON_FACET * max(1.0, float(np.abs(wrench).max()))]
        face = W[:, (np.abs(tight @ W) <= ON_FACET).all(axis=0)]
        return face.shape[1] == 0 or int(np.linalg.matrix_rank(face, tol=ON_FACET)) == face.shape[1]

    def sample(self) -> Motion:
        """A motion well inside the piece, with reactions that bring it about."""
        return self._motion(np.full(len(self.vertices), 1.0 / len(self.vertices)), np.ones(len(self.rays)))

    def samples(self, count: int, *, seed: int = 0) -> list[Motion]:
        """`count` random motions of the piece."""
        rng = np.random.default_rng(seed)
        shares = rng.dirichlet(np.ones(len(self.vertices)), size=checks.count("count", count))
        lengths = rng.exponential(size=(count, len(self.rays)))
        return [self._motion(share, length) for share, length in zip(shares, lengths, strict=True)]

    def _motion(self, shares: Array, lengths: Array) -> Motion:
        """The acceleration with these weights of vertices and rays, with reactions that have few edges."""
        white = self._white
        whitened = shares @ self.vertices @ white.lower / white.scale
        if len(self.rays):
            along = self.rays @ white.lower
            whitened = whitened + (lengths @ (along / np.linalg.norm(along, axis=1, keepdims=True))) / len(self.rays)
        W, E = self._edges
        forces = white.scale * (E @ _weights(W, whitened - white.drive))
        return Motion(white.natural(white.scale * whitened[None])[0], forces.reshape(-1, 2))


def _weights(W: Array, wrench: Array) -> Array:
    """Weights w >= 0 with W w = wrench, which is in the cone of W."""
    from scipy.optimize import nnls

    if not W.shape[1]:
        return np.zeros(0)
    try:
        weights, residual = nnls(W, wrench)
    except RuntimeError:  # it did not come to an end
        residual = np.inf
        weights = np.zeros(W.shape[1])
    if residual <= POINT * max(1.0, float(np.abs(wrench).max())):
        return weights
    count = W.shape[1]
    return Polyhedron(np.eye(count), np.zeros(count), W, wrench, least_scale=1.0).depth[1]


@dataclass(frozen=True, eq=False)
class MotionSet:
    """All motions of a system under given loads.

    Attributes:
        status: how many accelerations there are.
        modes: the strict modes that the system can move in, each with its set of motions.
        system: what was asked about.
        impacts: contacts whose velocity runs into the obstacle.
        nodes: children tried in the tree over contacts.
        seconds: time taken by the enumeration [s].
    """

    status: MotionStatus
    modes: dict[str, MotionPiece]
    system: System
    impacts: tuple[int, ...]
    nodes: int
    seconds: float

    @property
    def forces_unique(self) -> bool:
        """Whether the acceleration and the reactions behind it are both unique."""
        return self.status is MotionStatus.UNIQUE and all(piece.forces_unique for piece in self.modes.values())

    @property
    def acceleration(self) -> Array | None:
        """The acceleration where it is unique, else None."""
        return next(iter(self.modes.values())).vertices[0] if self.status is MotionStatus.UNIQUE else None

    def __str__(self) -> str:
        if self.status is MotionStatus.IMPACT:
            return f"impact at contacts {', '.join(map(str, self.impacts))}"
        return f"{self.status}: {', '.join(self.modes) or 'no mode'}"


def motions(
    body: Body, contacts: Iterable[Contact], force: ArrayLike, velocity: ArrayLike = (0.0, 0.0, 0.0)
) -> MotionSet:
    """All accelerations (ax, ay, alpha) [m/s^2, rad/s^2] that Newton's and Coulomb's laws allow a rigid body.

    Args:
        body: mass and radius of gyration.
        contacts: where it touches standing obstacles; an empty list is legal.
        force: (Fx, Fy, torque about the centre of mass) [N, N m] applied to it.
        velocity: (vx, vy, omega) of the centre of mass [m/s, rad/s].
    """
    checks.instance("body", body, Body, fix="give holdfast.planar.Body(mass, radius_of_gyration)")
    return system_motions(body.system(contacts, force, velocity))


def system_motions(system: System, tau: ArrayLike | None = None) -> MotionSet:
    """All accelerations of a system, in its own coordinates, under torques `tau` (zeros when not given)."""
    checks.instance("system", system, System, fix="give a holdfast.planar.System")
    start = time.perf_counter()
    if system.impacts:
        return MotionSet(MotionStatus.IMPACT, {}, system, system.impacts, 0, time.perf_counter() - start)
    white = Whitened(system, np.zeros(system.torque_count) if tau is None else tau)
    faces = white.dynamic_faces()
    pieces: dict[str, MotionPiece] = {}
    for mode, rays, lines in zip(strings(faces.letters), faces.rays, faces.lines, strict=True):
        pieces[mode] = _piece(mode, white, rays, lines)
    status = MotionStatus.INCONSISTENT
    if pieces:
        status = MotionStatus.UNIQUE if len(pieces) == 1 else MotionStatus.FINITE
        if not all(piece.is_point for piece in pieces.values()):
            status = MotionStatus.CONTINUUM
    return MotionSet(status, pieces, system, (), faces.nodes, time.perf_counter() - start)


def _piece(mode: str, white: Whitened, rays: Array, lines: Array) -> MotionPiece:
    """A piece from homogenised generators (a' / scale, s)."""
    share = rays[:, -1]
    finite = share > AT_INFINITY
    vertices = rays[finite, :-1] / share[finite, None]
    if len(vertices) > 1 and np.ptp(vertices, axis=0).max() <= POINT * max(1.0, float(np.abs(vertices).max())):
        vertices = vertices[:1]
    vertices = white.natural(white.scale * np.where(np.abs(vertices) <= ROUNDING, 0.0, vertices))
    along = np.vstack([rays[~finite, :-1], lines[:, :-1], -lines[:, :-1]])
    if len(along):
        along = white.natural(np.where(np.abs(along) <= ROUNDING, 0.0, along))
        along /= np.linalg.norm(along, axis=1, keepdims=True)
    return MotionPiece(mode, white, vertices, along)
