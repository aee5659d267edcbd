"""Erdmann's configuration space (x, y, q = rho theta), with forces (Fx, Fy, torque / rho) (Erdmann 1993).

In these coordinates the mass matrix of a rigid body is m times the identity: a force that keeps a contact is along its
normal, for any torque. Here are the vectors of a contact (1), (2); the composite friction cone (Sections 4.3 and
5.2); the reaction of one contact by two projections (Section 4.4); and the validity intervals of contacts whose normals
span a plane (Section 5.5): a body that keeps all its contacts has one degree of freedom left, t_c. Reactions are then
-F_A - m h' + c t_c (7), and each edge of a friction cone may push for the numbers c of its validity interval (Table 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray
from ..errors import InputError
from ..public_names import with_advice
from ..tolerances import MEMBERSHIP, ROUNDING, SOLVER_ROUNDING
from .bodies import Body, Contact
from .polyhedra import Polyhedron


@dataclass(frozen=True, eq=False)
class ContactVectors:
    """The vector decomposition of one contact (1), (2), all in (x, y, q); lengths in m, directions without unit.

    The tangent is that of `Contact`, t = (ny, -nx): R slides along it. Erdmann reverses t_s, v_f and t_r_perp where
    t_r_perp . n0 would be negative: `paper_sign` is -1 there and 1 elsewhere.

    Attributes:
        r: (3,) from the contact to the centre of mass, (rx, ry, 0) [m].
        n0: (3,) normal out of the obstacle in real space, (nx, ny, 0).
        t_s: (3,) pure sliding, (ny, -nx, 0).
        n: (3,) unit normal of the contact's surface in configuration space.
        delta: Delta_n, so that delta n = (nx, ny, nq / rho) is the force of a unit normal reaction.
        v_f: (3,) (ny, -nx, vq / rho), the force of a unit tangential reaction.
        t_r: (3,) unit tangent: rotation about the contact point.
        t_r_perp: (3,) unit vector at right angles to n and t_r, with t_r_perp . t_s > 0.
        nq, vq: torques of unit normal and tangential reactions about the centre of mass [m].
        paper_sign: what t_s, v_f and t_r_perp are to be multiplied by to have Erdmann's directions.
    """

    r: Array
    n0: Array
    t_s: Array
    n: Array
    delta: float
    v_f: Array
    t_r: Array
    t_r_perp: Array
    nq: float
    vq: float
    paper_sign: int

    @property
    def normal(self) -> Array:
        """(3,) Delta n."""
        return self.delta * self.n

    def edges(self, mu: float) -> Array:
        """(2, 3) edges Delta n + mu v_f and Delta n - mu v_f of the contact's friction cone (Section 4.3)."""
        return np.array([self.normal + mu * self.v_f, self.normal - mu * self.v_f])


@with_advice()
def contact_vectors(body: Body, contact: Contact) -> ContactVectors:
    """The configuration-space vectors of a contact, for a body's radius of gyration (1), (2)."""
    checks.instance("body", body, Body, fix="give holdfast.planar.Body(mass, radius_of_gyration)")
    checks.instance("contact", contact, Contact, fix="give holdfast.planar.Contact(normal, r, mu)")
    rho = body.radius_of_gyration
    nx, ny, nq = contact.normal_row.tolist()
    vq = float(contact.tangent_row[2])
    rx, ry = contact.r.tolist()
    raw = np.array([nx, ny, nq / rho])
    delta = float(np.linalg.norm(raw))
    across = np.array([rho**2 * ny - nq * rx, -(rho**2 * nx + nq * ry), rho * (ry * ny + rx * nx)])
    turn = np.array([-ry, rx, rho])
    # t_r_perp . n0 has the sign of -nq vq; rounding counts as zero.
    least = ROUNDING * (abs(nx * ry) + abs(ny * rx)) * (abs(nx * rx) + abs(ny * ry))
    return ContactVectors(
        r=np.array([rx, ry, 0.0]),
        n0=np.array([nx, ny, 0.0]),
        t_s=np.array([ny, -nx, 0.0]),
        n=raw / delta,
        delta=delta,
        v_f=np.array([ny, -nx, vq / rho]),
        t_r=turn / np.linalg.norm(turn),
        t_r_perp=across / np.linalg.norm(across),
        nq=nq,
        vq=vq,
        paper_sign=-1 if nq * vq > least else 1,
    )


def generalised_force(body: Body, force: ArrayLike) -> Array:
    """(..., 3) forces (Fx, Fy, torque / rho) [N] of (Fx, Fy, torque about the centre of mass) [N, N m]."""
    return checks.rows("force", force, 3) / np.array([1.0, 1.0, body.radius_of_gyration])


def generalised_velocity(body: Body, velocity: ArrayLike) -> Array:
    """(..., 3) velocities or accelerations (x, y, rho theta) of (x, y, theta): m/s or m/s^2 throughout."""
    return checks.rows("velocity", velocity, 3) * np.array([1.0, 1.0, body.radius_of_gyration])


@with_advice()
class FrictionCone:
    """The sum of the friction cones of all contacts, in (Fx, Fy, torque / rho) [N]; immutable.

    For a body at rest it contains every force that some or all of the contacts can cancel.

    Attributes:
        body, contacts: whose cone it is.
        edges: (k, 2, 3) Delta n + mu v_f and Delta n - mu v_f of each contact, for a normal force of 1 N.
        polyhedron: the cone in rows, irredundant: A F >= 0, C F = 0.
    """

    def __init__(self, body: Body, contacts: Iterable[Contact]) -> None:
        checks.iterable("contacts", contacts, fix="give a list of Contact")
        self.body = body
        self.contacts: tuple[Contact, ...] = tuple(contacts)
        edges = [contact_vectors(body, contact).edges(contact.mu) for contact in self.contacts]
        self.edges: Array = np.array(edges).reshape(-1, 2, 3)
        self.edges.setflags(write=False)
        self.polyhedron = Polyhedron.from_generators(np.zeros((1, 3)), self.edges.reshape(-1, 3))

    def __repr__(self) -> str:
        return f"FrictionCone({len(self.contacts)} contacts, dimension {self.dimension})"

    @property
    def facets(self) -> Array:
        """(m, 3) inward unit normals: a force F is in the cone when facets @ F >= 0 and equalities @ F = 0."""
        return self.polyhedron.A

    @property
    def equalities(self) -> Array:
        """(e, 3) unit vectors at right angles to a flat cone; none for a solid one."""
        return self.polyhedron.C

    @property
    def dimension(self) -> int:
        """Dimension of the cone's span: 0 without contacts, 2 for one contact with friction, mostly 3 for more."""
        return 3 - len(self.equalities)

    @cached_property
    def rays(self) -> Array:
        """(m, 3) unit extreme rays; for a cone that holds lines, of the part orthogonal to them."""
        return self.polyhedron.generators.rays

    @cached_property
    def lines(self) -> Array:
        """(m, 3) unit vectors that span the forces F with both F and -F in the cone: the contacts can squeeze."""
        return self.polyhedron.generators.lines

    @property
    def is_pointed(self) -> bool:
        """Whether no force and its opposite are both in the cone."""
        return not len(self.lines)

    @property
    def is_whole_space(self) -> bool:
        """Whether every force is in the cone: force closure."""
        return len(self.lines) == 3

    @cached_property
    def facet_rays(self) -> tuple[Array, ...]:
        """For each facet the unit edges (m, 3) of single contacts that lie on it, each once."""
        flat = self.edges.reshape(-1, 3)
        units = flat / np.linalg.norm(flat, axis=1, keepdims=True)
        found = []
        for facet in self.facets:
            kept: list[Array] = []
            for edge in units[np.abs(units @ facet) <= MEMBERSHIP]:
                if all(np.abs(edge - other).max() > MEMBERSHIP for other in kept):
                    kept.append(edge)
            found.append(np.array(kept).reshape(-1, 3))
        return tuple(found)

    def contains(self, forces: ArrayLike) -> BoolArray:
        """Whether each generalised force (..., 3), as (Fx, Fy, torque / rho), is in the cone."""
        given = checks.rows("forces", forces, 3)
        near = MEMBERSHIP * np.linalg.norm(given, axis=-1, keepdims=True)
        inside = (given @ self.facets.T >= -near).all(axis=-1)
        return inside & (np.abs(given @ self.equalities.T) <= near).all(axis=-1)

    def can_resist(self, force: ArrayLike) -> BoolArray:
        """Whether reactions can cancel each load (Fx, Fy, torque about the centre of mass) [N, N m]; at rest."""
        return self.contains(-generalised_force(self.body, force))


@with_advice()
def friction_cone(body: Body, contacts: Iterable[Contact]) -> FrictionCone:
    """The composite friction cone of a body's contacts."""
    checks.instance("body", body, Body, fix="give holdfast.planar.Body(mass, radius_of_gyration)")
    return FrictionCone(body, contacts)


@dataclass(frozen=True, eq=False)
class SingleContactProjection:
    """Reaction and motion of a body at rest on one contact.

    Attributes:
        applies: whether the friction cone lies above the tangent plane; only then are the projections valid.
            Otherwise the other fields are None; use `motions`.
        reaction: (3,) F_R = -(F_A . n) n - h t_r_perp, as (Fx, Fy, torque / rho) [N].
        forces: (2,) tangential and normal reaction (ft, fn) [N].
        h: the component along t_r_perp that the reaction takes away [N].
        acceleration: (3,) (ax, ay, alpha) [m/s^2, rad/s^2].
        mode: "S", "F", "R" or "L".
    """

    applies: bool
    reaction: Array | None = None
    forces: Array | None = None
    h: float | None = None
    acceleration: Array | None = None
    mode: str | None = None


@with_advice()
def single_contact_projection(body: Body, contact: Contact, force: ArrayLike) -> SingleContactProjection:
    """Reaction and motion of a body at rest on one contact under (Fx, Fy, torque about the centre of mass) [N, N m].

    The part of the applied force along t_r (rotation about the contact) is removed, since no reaction opposes it. The
    rest is cancelled when it points into the cone, else its normal part is cancelled by a force on the cone's edge.
    """
    vectors = contact_vectors(body, contact)
    applied = generalised_force(body, force)
    # In the plane of the cone a vector is (along n, along t_r_perp); the edge Delta n +- mu v_f is
    # (delta +- mu v_f . n, +- mu v_f . t_r_perp), and v_f . t_r_perp > 0.
    rise, run = float(vectors.v_f @ vectors.n), float(vectors.v_f @ vectors.t_r_perp)
    heights = vectors.delta + contact.mu * rise, vectors.delta - contact.mu * rise
    if min(heights) <= ROUNDING * vectors.delta:
        return SingleContactProjection(False)
    press, across = -float(applied @ vectors.n), -float(applied @ vectors.t_r_perp)
    least = ROUNDING * float(np.linalg.norm(applied))
    if press <= least:
        press, mode, kept = 0.0, "S", 0.0
        if float(applied @ vectors.n) <= least:
            slip = float(applied @ vectors.v_f)
            mode = "F" if abs(slip) <= least * float(np.linalg.norm(vectors.v_f)) else ("R" if slip > 0.0 else "L")
    else:
        high, low = press * contact.mu * run / heights[0], -press * contact.mu * run / heights[1]
        kept = min(max(across, low), high)
        near = ROUNDING * (press + abs(across))
        mode = "F" if low - near <= across <= high + near else ("R" if across < low else "L")
    reaction = press * vectors.n + kept * vectors.t_r_perp
    # reaction = fn Delta n + ft v_f, both in the plane of n and t_r_perp.
    tangential = kept / run
    normal = (press - tangential * rise) / vectors.delta
    acceleration = (applied + reaction) / body.mass / np.array([1.0, 1.0, body.radius_of_gyration])
    return SingleContactProjection(True, reaction, np.array([tangential, normal]), -kept, acceleration, mode)


class LegalSpan(NamedTuple):
    """Numbers c from `low` to `high` [N] whose reactions are combinations of cone edges.

    `edges` holds (contact, +1 or -1) of the edges Delta n +- mu v_f that may push there.
    """

    low: float
    high: float
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Validity:
    """The numbers c of a body that keeps all its contacts, with one degree of freedom left.

    Attributes:
        body, contacts: the body and its contacts.
        t_c: (3,) the unit tangent that all contacts share.
        applied: (3,) F_A as (Fx, Fy, torque / rho) [N].
        fictitious: (3,) h' with Delta_i n_i . h' = Delta_i h_i (6) [m/s^2].
        c: (k,) numbers c_i at which contact i changes its direction of slip (10) [N]; nan where there is none.
        plus, minus: (k, 2) validity intervals of the edges Delta n + mu v_f and Delta n - mu v_f (Table 1) [N]; an
            empty one is (inf, -inf).
    """

    body: Body
    contacts: tuple[Contact, ...]
    t_c: Array
    applied: Array
    fictitious: Array
    c: Array
    plus: Array
    minus: Array

    def reaction(self, c: ArrayLike) -> Array:
        """(..., 3) F_R = -F_A - m h' + c t_c (7), as (Fx, Fy, torque / rho) [N]."""
        return -self.applied - self.body.mass * self.fictitious + np.asarray(c, dtype=float)[..., None] * self.t_c

    def acceleration(self, c: ArrayLike) -> Array:
        """(..., 3) accelerations (ax, ay, alpha) [m/s^2, rad/s^2] that go with the numbers c."""
        net = (self.applied + self.reaction(c)) / self.body.mass
        return net / np.array([1.0, 1.0, self.body.radius_of_gyration])

    @cached_property
    def spans(self) -> tuple[LegalSpan, ...]:
        """All legal numbers c, one span for each interval between neighbouring c_i and for each c_i itself.

        Neighbouring spans share their ends; a span of one number has equal ends.
        """
        marks = np.unique(self.c[np.isfinite(self.c)])
        ends = np.concatenate([[-np.inf], marks, [np.inf]])
        pieces = [(low, high) for low, high in pairwise(ends)] + [(mark, mark) for mark in marks]
        found = [span for low, high in pieces if (span := self._legal(float(low), float(high))) is not None]
        return tuple(sorted(found, key=lambda span: (span.low, span.high)))

    def _legal(self, low: float, high: float) -> LegalSpan | None:
        """The numbers of [low, high] whose reaction is in the cone of the edges that are valid on all of it."""
        near = 0.0 if low < high else SOLVER_ROUNDING * max(1.0, abs(low))
        edges: list[tuple[int, int]] = []
        rays: list[Array] = []
        for i, contact in enumerate(self.contacts):
            pair = contact_vectors(self.body, contact).edges(contact.mu)
            for sign, interval, ray in ((1, self.plus[i], pair[0]), (-1, self.minus[i], pair[1])):
                if interval[0] - near <= low and high <= interval[1] + near:
                    edges.append((i, sign))
                    rays.append(ray)
        cone = Polyhedron.from_generators(np.zeros((1, 3)), np.array(rays).reshape(-1, 3))
        start, way = self.reaction(0.0), self.t_c
        size = max(float(np.linalg.norm(start)), *(abs(x) for x in (low, high) if np.isfinite(x)), 1e-300)
        for row in np.vstack([cone.A, cone.C, -cone.C]):
            offset, slope = float(row @ start), float(row @ way)  # offset + c slope >= 0
            if abs(slope) <= SOLVER_ROUNDING:
                if offset < -MEMBERSHIP * size:
                    return None
                continue
            bound = -offset / slope
            low, high = (max(low, bound), high) if slope > 0.0 else (low, min(high, bound))
        if low > high + MEMBERSHIP * size:
            return None
        return LegalSpan(low, max(low, high), tuple(edges))


@with_advice()
def validity_intervals(
    body: Body, contacts: Iterable[Contact], force: ArrayLike, velocity: ArrayLike = (0.0, 0.0, 0.0)
) -> Validity | None:
    """The validity intervals of a body that keeps all of `contacts`, whose normals span a plane (Section 5.5).

    Args:
        body, force, velocity: as in `motions`.
        contacts: those that are kept; their configuration-space normals span two dimensions, and the velocity keeps
            them.

    Returns:
        The intervals; None when no acceleration keeps all contacts (6).
    """
    checks.iterable("contacts", contacts, fix="give a list of Contact")
    kept = tuple(contacts)
    vectors = [contact_vectors(body, contact) for contact in kept]
    N = np.array([v.normal for v in vectors]).reshape(-1, 3)
    values, right = np.linalg.svd(N)[1:]
    rank = int((values > SOLVER_ROUNDING * values.max(initial=0.0)).sum())
    if rank != 2:
        what = f"have normals that span {rank} dimensions of configuration space"
        raise InputError(what, where="contacts", fix="give contacts whose normals span 2, or use motions")
    speed = checks.vector("velocity", velocity, 3)
    moving = generalised_velocity(body, speed)
    size = float(np.linalg.norm(moving))
    if (np.abs(N @ moving) > SOLVER_ROUNDING * size * np.linalg.norm(N, axis=1)).any():
        raise InputError("separates or penetrates a contact", where="velocity", fix="give only contacts that it keeps")
    t_c = right[2] * (1.0 if right[2][np.argmax(np.abs(right[2]))] > 0.0 else -1.0)
    h = np.array([contact.normal_bias(speed) for contact in kept])
    fictitious = np.linalg.lstsq(N, h, rcond=None)[0]
    # Centripetal terms are compared with v^2 / rho, even where they cancel.
    if np.abs(N @ fictitious - h).max() > SOLVER_ROUNDING * max(
        float(np.abs(h).max()), size**2 / body.radius_of_gyration
    ):
        return None
    marks, plus, minus = _intervals(body, vectors, t_c, fictitious, moving)
    return Validity(body, kept, t_c, generalised_force(body, force), fictitious, marks, plus, minus)


def _intervals(
    body: Body, vectors: list[ContactVectors], t_c: Array, fictitious: Array, moving: Array
) -> tuple[Array, Array, Array]:
    """c_i (10) and the intervals of Table 1."""
    spin = float(moving[2]) / body.radius_of_gyration
    nothing, everything = (np.inf, -np.inf), (-np.inf, np.inf)
    c = np.full(len(vectors), np.nan)
    plus, minus = np.empty((len(vectors), 2)), np.empty((len(vectors), 2))
    for i, v in enumerate(vectors):
        length = float(np.linalg.norm(v.v_f))
        slip, slope = float(moving @ v.v_f), float(t_c @ v.v_f)
        # F_i . v_f = c slope - drive (9): the threshold that c must exceed for slip to the right.
        drive = body.mass * float((fictitious - spin**2 * v.r) @ v.v_f)
        size = body.mass * (float(np.linalg.norm(fictitious)) + spin**2 * float(np.linalg.norm(v.r))) * length
        if abs(slip) > SOLVER_ROUNDING * float(np.linalg.norm(moving)) * length:
            plus[i], minus[i] = (nothing, everything) if slip > 0.0 else (everything, nothing)
        elif abs(slope) > SOLVER_ROUNDING * length:
            c[i] = 0.0 if abs(drive) <= SOLVER_ROUNDING * size else drive / slope
            below, above = (-np.inf, c[i]), (c[i], np.inf)
            plus[i], minus[i] = (below, above) if slope > 0.0 else (above, below)
        elif abs(drive) > SOLVER_ROUNDING * size:
            plus[i], minus[i] = (nothing, everything) if drive < 0.0 else (everything, nothing)
        else:
            plus[i], minus[i] = everything, everything
    return c, plus, minus
