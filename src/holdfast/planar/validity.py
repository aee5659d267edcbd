"""Reactions of contacts whose normals span a plane, by a line through the friction cone (Erdmann 1993, Section 5.5).

A body that keeps all its contacts has one freedom left, t_c. Reactions are then -F_A - m h' + c t_c (7), and each edge
of a friction cone may push for the numbers c of its validity interval (Table 1).
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
from ..checks import Array
from ..errors import InputError
from .bodies import Body, Contact
from .configuration_space import ContactVectors, contact_vectors, generalised_force, generalised_velocity
from .polyhedra import Polyhedron

#: Normals span a direction when its singular value exceeds this share of the largest.
SPAN = 1e-9

#: Products below this share of the vectors' lengths are zero: slip, and the slope of a slip acceleration over c.
ZERO = 1e-9

#: A reaction is on the cone of its edges within this share of the largest force.
ON_CONE = 1e-9


class LegalSpan(NamedTuple):
    """Numbers c from `low` to `high` [N] whose reactions the edges of contacts bring about.

    `edges` holds (contact, +1 or -1) of the edges Delta n +- mu v_f that may push there.
    """

    low: float
    high: float
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Validity:
    """The numbers c of a body that keeps all its contacts, with one freedom left.

    Attributes:
        body, contacts: what was asked about.
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
        near = 0.0 if low < high else ZERO * max(1.0, abs(low))
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
            if abs(slope) <= ZERO:
                if offset < -ON_CONE * size:
                    return None
                continue
            bound = -offset / slope
            low, high = (max(low, bound), high) if slope > 0.0 else (low, min(high, bound))
        if low > high + ON_CONE * size:
            return None
        return LegalSpan(low, max(low, high), tuple(edges))


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
    rank = int((values > SPAN * values.max(initial=0.0)).sum())
    if rank != 2:
        what = f"have normals that span {rank} dimensions of configuration space"
        raise InputError(what, where="contacts", fix="give contacts whose normals span 2, or ask motions")
    speed = checks.vector("velocity", velocity, 3)
    moving = generalised_velocity(body, speed)
    size = float(np.linalg.norm(moving))
    if (np.abs(N @ moving) > ZERO * size * np.linalg.norm(N, axis=1)).any():
        raise InputError("leaves or enters a contact", where="velocity", fix="give the contacts that it keeps")
    t_c = right[2] * (1.0 if right[2][np.argmax(np.abs(right[2]))] > 0.0 else -1.0)
    h = np.array([contact.normal_bias(speed) for contact in kept])
    fictitious = np.linalg.lstsq(N, h, rcond=None)[0]
    # Centripetal terms are of the size of v^2 / rho, whatever is left of them.
    if np.abs(N @ fictitious - h).max() > ZERO * max(float(np.abs(h).max()), size**2 / body.radius_of_gyration):
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
        # F_i . v_f = c slope - drive (9): what c has to overcome for the contact to slip to the right.
        drive = body.mass * float((fictitious - spin**2 * v.r) @ v.v_f)
        size = body.mass * (float(np.linalg.norm(fictitious)) + spin**2 * float(np.linalg.norm(v.r))) * length
        if abs(slip) > ZERO * float(np.linalg.norm(moving)) * length:
            plus[i], minus[i] = (nothing, everything) if slip > 0.0 else (everything, nothing)
        elif abs(slope) > ZERO * length:
            c[i] = 0.0 if abs(drive) <= ZERO * size else drive / slope
            below, above = (-np.inf, c[i]), (c[i], np.inf)
            plus[i], minus[i] = (below, above) if slope > 0.0 else (above, below)
        elif abs(drive) > ZERO * size:
            plus[i], minus[i] = (nothing, everything) if drive < 0.0 else (everything, nothing)
        else:
            plus[i], minus[i] = everything, everything
    return c, plus, minus
