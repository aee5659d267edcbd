"""Every motion that contacts with friction allow: for each strict contact mode, all its accelerations and reactions.

Rigid bodies with Coulomb friction may have no motion, one, several, or a continuum of them (Erdmann 1993). The answer
is the whole set, exact up to rounding, as one convex piece for each strict contact mode.

Modes are enumerated by a tree over the contacts that contains only possible modes (`kernels.walk`): a body at rest has
about 4 k + 2 modes, not 4^k. Accelerations are whitened, a' = L^T a with M = L L^T: for a rigid body these are
Erdmann's coordinates (x, y, rho theta), in which N and N m may be compared. A region map shows the modes over a grid
of two parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..compiling import clock
from ..errors import InputError
from ..jobs import sweep
from ..public_names import with_advice
from ..results import Result
from ..tolerances import FLAT, MEMBERSHIP, MERGE
from .bodies import Body, Contact
from .polyhedra import ZERO_OFFSET, Polyhedron
from .system import LETTERS, System, acceleration_rows

if TYPE_CHECKING:
    from .kernels import Faces

#: A contact whose Jacobian row is shorter than this share of the longest does not move at all.
IMMOBILE = 1e-12

#: The letters that a velocity leaves open as bits, S lowest.
_BITS = {"SFRL": 15, "SR": 5, "SL": 9, "S": 1, "": 0}


class Whitened:
    """A system in coordinates a' = L^T a with M = L L^T, homogenised: rows act on (a' / scale, 1).

    Attributes:
        lower: (n, n) the factor L.
        scale: largest acceleration caused by loads and biases, in whitened units; 1 when there is none.
        drive: (n,) L^-1 (bias + selector tau) / scale, the free acceleration.
        normals, tangents: (k, n + 1) unit rows of an and at; rows of zeros for contacts that do not move.
        edges: (k, 2, n) unit reactions along ft = -mu fn and ft = mu fn; edge_count: (k,) 1 where mu = 0, else 2.
        edge_lengths: (k, 2) whitened length of a unit force along each edge.
    """

    def __init__(self, system: System, tau: ArrayLike | None = None) -> None:
        self.system = system
        self.lower: Array = np.linalg.cholesky(system.mass_matrix)
        load = system.bias
        if tau is not None:
            load = load + system.selector @ checks.vector("tau", tau, system.torque_count)
        n = system.coordinate_count
        white = np.linalg.solve(
            self.lower, np.column_stack([load, system.normal_jacobian.T, system.tangent_jacobian.T, system.selector])
        )
        k = system.contact_count
        free, normals, tangents = white[:, 0], white[:, 1 : 1 + k].T, white[:, 1 + k : 1 + 2 * k].T
        self.selector: Array = white[:, 1 + 2 * k :]
        longest = max(np.abs(normals).max(initial=0.0), np.abs(tangents).max(initial=0.0))
        sizes = [np.linalg.norm(rows, axis=1) for rows in (normals, tangents)]
        biases = [
            np.abs(h)[size > IMMOBILE * longest] / size[size > IMMOBILE * longest]
            for h, size in zip((system.normal_bias, system.tangent_bias), sizes, strict=True)
        ]
        largest = max(np.linalg.norm(free), *(b.max(initial=0.0) for b in biases))
        self.scale = float(largest) or 1.0
        self.drive: Array = free / self.scale
        self.normals = _unit(np.column_stack([normals, system.normal_bias / self.scale]), IMMOBILE * longest)
        self.tangents = _unit(np.column_stack([tangents, system.tangent_bias / self.scale]), IMMOBILE * longest)
        slant = np.array([-1.0, 1.0])[None, :, None] * system.mu[:, None, None]
        raw = (normals[:, None, :] + slant * tangents[:, None, :]) / np.sqrt(1.0 + slant**2)
        self.edge_lengths: Array = np.linalg.norm(raw, axis=2)
        safe = np.where(self.edge_lengths > IMMOBILE * longest, self.edge_lengths, np.inf)
        self.edges: Array = raw / safe[:, :, None] if k else np.zeros((0, 2, n))
        self.edge_count: IntArray = np.where(system.mu > 0.0, 2, 1).astype(np.int64)

    @cached_property
    def choices(self) -> IntArray:
        """(k,) bits of the letters that velocities leave open, and whether an and at must have their signs."""
        from .kernels import NORMAL_STRICT, TANGENT_STRICT

        system = self.system
        still = zip(system.choices, system.normal_velocity.tolist(), system.tangent_velocity.tolist(), strict=True)
        bits = [
            _BITS[letters] | (NORMAL_STRICT if vn == 0.0 else 0) | (TANGENT_STRICT if vt == 0.0 else 0)
            for letters, vn, vt in still
        ]
        return np.array(bits, dtype=np.int64)

    def natural(self, accelerations: Array) -> Array:
        """a (m, n) of whitened a' (m, n): L^T a = a'."""
        return np.linalg.solve(self.lower.T, accelerations.T).T

    def kinematic_faces(self) -> Faces:
        """Every strict mode with its cone of accelerations."""
        from .kernels import walk

        return walk(self.normals, self.tangents, self.choices)

    def dynamic_faces(self, *, free_torques: bool = False) -> Faces:
        """The strict modes that reactions (`free_torques`: and some torques) can drive, with their accelerations."""
        from .kernels import walk

        n = self.system.coordinate_count
        test = np.eye(n)
        if free_torques and self.selector.shape[1]:
            left, values, _ = np.linalg.svd(self.selector)
            test = left[:, int((values > FLAT * values[0]).sum()) :].T
        if not len(test):
            return self.kinematic_faces()
        edges = self.edges @ test.T
        if free_torques:
            lengths = np.linalg.norm(edges, axis=2, keepdims=True)
            edges = edges / np.where(lengths > IMMOBILE, lengths, np.inf)
        return walk(
            self.normals, self.tangents, self.choices,
            edges=np.ascontiguousarray(edges), edge_count=self.edge_count,
            test=np.ascontiguousarray(test), offset=test @ self.drive,
        )  # fmt: skip


def _unit(rows: Array, least: float) -> Array:
    """Rows of unit length; those that move nothing and have no bias become zeros."""
    lengths = np.linalg.norm(rows, axis=1)
    return rows / np.where(lengths > least, lengths, np.inf)[:, None]


def strings(letters: IntArray) -> tuple[str, ...]:
    """Mode strings of (m, k) letter numbers."""
    return tuple("".join(LETTERS[i] for i in row) for row in letters.tolist())


@with_advice()
def kinematic_modes(system: System) -> tuple[str, ...]:
    """All strict modes that some acceleration has, for any forces."""
    return strings(Whitened(system).kinematic_faces().letters)


@with_advice()
def dynamic_modes(system: System, tau: ArrayLike | None = None) -> tuple[str, ...]:
    """All strict modes that the system can move in under `tau`, or under some torques when none are given."""
    return strings(Whitened(system, tau).dynamic_faces(free_torques=tau is None).letters)


@dataclass(frozen=True)
class Modes:
    """The contact modes of a system.

    Attributes:
        kinematic: the strict modes that some acceleration has; none when a contact is in impact.
        dynamic: those of them that forces can drive; None when no forces were given.
        impacts: contacts whose velocity points into the obstacle.
        nodes: children tried in the trees, of 4 + 4^2 + ... + 4^k in each.
        seconds: time taken by the enumeration [s].
    """

    kinematic: tuple[str, ...]
    dynamic: tuple[str, ...] | None
    impacts: tuple[int, ...]
    nodes: int
    seconds: float

    def __str__(self) -> str:
        driven = "" if self.dynamic is None else f", {len(self.dynamic)} of them dynamically"
        return f"{len(self.kinematic)} modes kinematically possible{driven} ({self.nodes} nodes)"


@with_advice()
def modes(
    subject: System | Body,
    contacts: tuple[Contact, ...] | list[Contact] = (),
    force: ArrayLike | None = None,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    *,
    tau: ArrayLike | None = None,
) -> Modes:
    """All strict modes that are kinematically possible, and all that are dynamically possible.

    Args:
        subject: a `System`, such as that of a chain, or a `Body` with its `contacts`.
        contacts, force, velocity: of a body, as in `motions`; without a force only kinematic modes are found.
        tau: (t,) torques of a system; without them a mode is dynamically possible if any torques drive it.
    """
    from .bodies import Body

    driven = True
    if isinstance(subject, Body):
        driven = force is not None
        system = subject.system(contacts, (0.0, 0.0, 0.0) if force is None else force, velocity)
    else:
        checks.instance("subject", subject, System, fix="give a System, or a Body with its contacts")
        if len(contacts) or force is not None:
            raise InputError("a System has its contacts and forces already", where="contacts", fix="leave them out")
        system = subject
    start = clock()
    white = Whitened(system, tau)
    kinematic = white.kinematic_faces()
    nodes = kinematic.nodes
    names = None
    if driven:
        faces = white.dynamic_faces(free_torques=tau is None)
        names = strings(faces.letters)
        nodes += faces.nodes
    seconds = clock() - start
    return Modes(strings(kinematic.letters), names, system.impacts, nodes, seconds)


#: A generator whose homogeneous coordinate is below this is a ray.
AT_INFINITY = 1e-10


def _moved(rows: Array, products: Array) -> tuple[BoolArray, Array]:
    """(which, their products): the rows whose products are more than rounding."""
    which = np.abs(products).max(axis=1, initial=0.0) > ZERO_OFFSET * np.linalg.norm(rows, axis=1)
    return which, products[which]


class MotionStatus(StrEnum):
    """How many accelerations there are."""

    UNIQUE = "unique"  # one acceleration; its reactions may not be unique, see `forces_unique`
    FINITE = "finite"  # several, but finitely many
    CONTINUUM = "continuum"
    INCONSISTENT = "inconsistent"  # none: the rigid-body model with Coulomb friction has no solution
    IMPACT = "impact"  # a contact's velocity points into the obstacle; no answer is given


class ForceSet(NamedTuple):
    """conv(vertices) + cone(rays) of reactions f [N], ordered (ft1, fn1, ft2, fn2, ...): (n, 2 k) and (m, 2 k)."""

    vertices: Array
    rays: Array


class PlanarMotion(NamedTuple):
    """One acceleration (n,), with reactions (k, 2) of (ft, fn) [N] that cause it."""

    acceleration: Array
    forces: Array


class MotionPiece(Result):
    """All accelerations of one strict contact mode, and their reactions.

    Attributes:
        mode: one letter of S, F, R, L for each contact.
        vertices: (n, 3) accelerations (ax, ay, alpha), or (n, coordinates) of a chain; the piece is conv(vertices) +
            cone(rays), without the sides on which a strict condition of its mode fails.
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
        white, picks = self._white, []
        for i, (letter, count) in enumerate(zip(self.mode, self._white.edge_count.tolist(), strict=True)):
            picks += [(i, e) for e in {"S": (), "F": range(count), "R": (0,), "L": (count - 1,)}[letter]]
        contacts, sides = np.array(picks, dtype=int).reshape(-1, 2).T
        W = white.edges[contacts, sides].T
        lengths = np.where(W.any(axis=0), white.edge_lengths[contacts, sides], 1.0)
        return W, white.system.force_edges(self.mode) / lengths

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
        # Accelerations are in units of the scale, for any offsets of the rows.
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
        b, d = (np.where(np.abs(offsets) <= ZERO_OFFSET, 0.0, offsets) for offsets in (whole.b, whole.d))
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
        """Whether the reactions f of the motions of this piece are unique.

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
        tight = cone.A[np.abs(cone.A @ wrench) <= MEMBERSHIP * max(1.0, float(np.abs(wrench).max()))]
        face = W[:, (np.abs(tight @ W) <= MEMBERSHIP).all(axis=0)]
        return face.shape[1] == 0 or int(np.linalg.matrix_rank(face, tol=MEMBERSHIP)) == face.shape[1]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings: vertices and rays of the accelerations and of the reactions."""
        return {
            "mode": self.mode,
            "is_point": self.is_point,
            "accelerations": {"vertices": self.vertices.tolist(), "rays": self.rays.tolist()},
            "forces_order": "ft1, fn1, ft2, fn2, ...",
            "forces": {name: part.tolist() for name, part in self.forces._asdict().items()},
            "forces_unique": self.forces_unique,
        }

    def sample(self) -> PlanarMotion:
        """A motion inside the piece, with reactions that cause it."""
        return self._motion(np.full(len(self.vertices), 1.0 / len(self.vertices)), np.ones(len(self.rays)))

    def samples(self, count: int, *, seed: int = 0) -> list[PlanarMotion]:
        """`count` random motions of the piece."""
        rng = np.random.default_rng(seed)
        shares = rng.dirichlet(np.ones(len(self.vertices)), size=checks.count("count", count))
        lengths = rng.exponential(size=(count, len(self.rays)))
        return [self._motion(share, length) for share, length in zip(shares, lengths, strict=True)]

    def _motion(self, shares: Array, lengths: Array) -> PlanarMotion:
        """The acceleration with these weights of vertices and rays, with reactions that have few edges."""
        white = self._white
        whitened = shares @ self.vertices @ white.lower / white.scale
        if len(self.rays):
            along = self.rays @ white.lower
            whitened = whitened + (lengths @ (along / np.linalg.norm(along, axis=1, keepdims=True))) / len(self.rays)
        W, E = self._edges
        forces = white.scale * (E @ _weights(W, whitened - white.drive))
        return PlanarMotion(white.natural(white.scale * whitened[None])[0], forces.reshape(-1, 2))


def _weights(W: Array, wrench: Array) -> Array:
    """Weights w >= 0 with W w = wrench, which is in the cone of W."""
    from scipy.optimize import nnls

    if not W.shape[1]:
        return np.zeros(0)
    try:
        weights, residual = nnls(W, wrench)
    except RuntimeError:  # too many iterations
        residual = np.inf
        weights = np.zeros(W.shape[1])
    if residual <= MERGE * max(1.0, float(np.abs(wrench).max())):
        return weights
    count = W.shape[1]
    return Polyhedron(np.eye(count), np.zeros(count), W, wrench, least_scale=1.0).depth[1]


@dataclass(frozen=True, eq=False)
class MotionSet(Result):
    """All motions of a system under given loads.

    Attributes:
        status: how many accelerations there are.
        modes: the strict modes that the system can move in, each with its set of motions.
        system: the system.
        impacts: contacts whose velocity points into the obstacle.
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
        """Whether the acceleration and its reactions are both unique."""
        return self.status is MotionStatus.UNIQUE and all(piece.forces_unique for piece in self.modes.values())

    @property
    def acceleration(self) -> Array | None:
        """The acceleration where it is unique, else None."""
        return next(iter(self.modes.values())).vertices[0] if self.status is MotionStatus.UNIQUE else None

    def rows(self) -> list[dict[str, Any]]:
        """One row per vertex and ray of the accelerations of each mode."""
        rows = []
        for mode, piece in self.modes.items():
            for part, vectors in (("vertex", piece.vertices), ("ray", piece.rays)):
                for vector in vectors:
                    rows.append({"mode": mode, "part": part} | {f"a_{i + 1}": float(x) for i, x in enumerate(vector)})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings."""
        return {
            "status": self.status.value,
            "impacts": list(self.impacts),
            "forces_unique": self.forces_unique,
            "modes": [piece.to_dict() for piece in self.modes.values()],
            "effort": {"nodes": self.nodes, "seconds": self.seconds},
        }

    def __str__(self) -> str:
        if self.status is MotionStatus.IMPACT:
            return f"impact at contacts {', '.join(map(str, self.impacts))}"
        return f"{self.status}: {', '.join(self.modes) or 'no mode'}"


@with_advice()
def motions(
    body: Body, contacts: Iterable[Contact], force: ArrayLike, velocity: ArrayLike = (0.0, 0.0, 0.0)
) -> MotionSet:
    """All accelerations (ax, ay, alpha) [m/s^2, rad/s^2] that Newton's and Coulomb's laws allow a rigid body.

    Args:
        body: mass and radius of gyration.
        contacts: its contacts with fixed obstacles; may be empty.
        force: (Fx, Fy, torque about the centre of mass) [N, N m] applied to it.
        velocity: (vx, vy, omega) of the centre of mass [m/s, rad/s].
    """
    checks.instance("body", body, Body, fix="give holdfast.planar.Body(mass, radius_of_gyration)")
    return system_motions(body.system(contacts, force, velocity))


@with_advice()
def system_motions(system: System, tau: ArrayLike | None = None) -> MotionSet:
    """All accelerations of a system, in its own coordinates, under torques `tau` (zeros when not given)."""
    checks.instance("system", system, System, fix="give a holdfast.planar.System")
    start = clock()
    if system.impacts:
        return MotionSet(MotionStatus.IMPACT, {}, system, system.impacts, 0, clock() - start)
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
    return MotionSet(status, pieces, system, (), faces.nodes, clock() - start)


def _piece(mode: str, white: Whitened, rays: Array, lines: Array) -> MotionPiece:
    """A piece from homogenised generators (a' / scale, s)."""
    share = rays[:, -1]
    finite = share > AT_INFINITY
    vertices = rays[finite, :-1] / share[finite, None]
    if len(vertices) > 1 and np.ptp(vertices, axis=0).max() <= MERGE * max(1.0, float(np.abs(vertices).max())):
        vertices = vertices[:1]
    vertices = white.natural(white.scale * np.where(np.abs(vertices) <= ZERO_OFFSET, 0.0, vertices))
    along = np.vstack([rays[~finite, :-1], lines[:, :-1], -lines[:, :-1]])
    if len(along):
        along = white.natural(np.where(np.abs(along) <= ZERO_OFFSET, 0.0, along))
        along /= np.linalg.norm(along, axis=1, keepdims=True)
    return MotionPiece(mode, white, vertices, along)


#: How many queries a process computes at a time.
BATCH = 256


@dataclass(frozen=True, eq=False)
class RegionMap:
    """Answers over a grid of two parameters.

    Attributes:
        xs, ys: (n,), (m,) values of the parameters.
        labels: the different answers, the most frequent first; each a tuple of the modes that are possible, sorted,
            or a word such as "inconsistent" or "impact".
        regions: (m, n) index into `labels`; row i belongs to ys[i], column j to xs[j].
    """

    xs: Array
    ys: Array
    labels: tuple[tuple[str, ...] | str, ...]
    regions: IntArray

    def label(self, i: int, j: int) -> tuple[str, ...] | str:
        """The answer at ys[i], xs[j]."""
        return self.labels[int(self.regions[i, j])]

    @property
    def shares(self) -> Array:
        """(len(labels),) share of the grid that has each label."""
        return np.bincount(self.regions.ravel(), minlength=len(self.labels)) / self.regions.size

    @property
    def names(self) -> tuple[str, ...]:
        """The labels in words, for a legend."""
        return tuple(label if isinstance(label, str) else " or ".join(label) for label in self.labels)


class _RegionTask:
    """One grid point, or a batch of them; returns plain labels, which are cheap to send between processes."""

    batch = BATCH

    def __init__(self, function: Callable[[float, float], Any]) -> None:
        self.function = function

    def __call__(self, query: tuple[float, float]) -> tuple[str, ...] | str:
        return _label(self.function(*query))

    def many(self, queries: Iterable[tuple[float, float]]) -> list[tuple[str, ...] | str]:
        """The labels of several queries."""
        return [self(query) for query in queries]


@with_advice()
def region_map(
    function: Callable[[float, float], MotionSet | Iterable[str] | str],
    xs: ArrayLike,
    ys: ArrayLike,
    *,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> RegionMap:
    """Evaluate `function(x, y)` at every point of a grid and group equal answers into regions.

    Args:
        function: two numbers to a `MotionSet` (its modes make the label; without any, its status), to mode strings,
            or to a word. For more than one worker it must be a function that can be sent to another process.
        xs, ys: values of the parameters.
        workers: number of processes; useful from about ten thousand points.
        progress: called with (done, total).
    """
    across, up = checks.array("xs", xs, ("n",)), checks.array("ys", ys, ("n",))
    for name, values in (("xs", across), ("ys", up)):
        if not len(values):
            raise InputError("is empty", where=name, fix="give at least one value")
    if not callable(function):
        raise InputError(f"is a {type(function).__name__}", where="function", fix="give a function of two numbers")
    queries = [(x, y) for y in up.tolist() for x in across.tolist()]
    answers = sweep(_RegionTask(function), queries, workers=workers, progress=progress)
    counts: dict[tuple[str, ...] | str, int] = {}
    for answer in answers:
        counts[answer] = counts.get(answer, 0) + 1
    labels = tuple(sorted(counts, key=lambda label: (-counts[label], isinstance(label, str), label)))
    number = {label: k for k, label in enumerate(labels)}
    regions = np.array([number[answer] for answer in answers], dtype=np.int64).reshape(len(up), len(across))
    return RegionMap(across, up, labels, regions)


def _label(answer: Any) -> tuple[str, ...] | str:
    if isinstance(answer, MotionSet):
        return tuple(sorted(answer.modes)) or str(answer.status)
    if isinstance(answer, str):
        return str(answer)
    checks.iterable("function", answer, fix="let it return a MotionSet, mode strings or a word")
    found = tuple(sorted(str(mode) for mode in answer))
    return found or "none"
