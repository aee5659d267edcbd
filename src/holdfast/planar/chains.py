"""Planar chains and trees of rigid links: from lengths, masses and a posture to a `System`; contacts and motions.

Link 0 is the base link. Coordinates are q = (x, y, theta, theta_1, ...): the position of node 0 [m], the absolute angle
of link 0 and the angle of every other link relative to its parent [rad], anticlockwise from the x axis. Link i runs
from node `parents[i]` to node i + 1; without `parents` the links follow one another and node i joins links i - 1 and i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..public_names import with_advice
from .system import AT_REST, System, each, is_one


@with_advice()
@dataclass(frozen=True)
class NodeContact:
    """Node `node` on a flat wall with unit `normal` out of the wall; friction coefficient `mu`."""

    node: int
    normal: Array
    mu: float

    def __init__(self, node: int, normal: ArrayLike, mu: float) -> None:
        object.__setattr__(self, "node", checks.count("node", node, low=0))
        object.__setattr__(self, "normal", checks.direction("normal", normal, 2))
        object.__setattr__(self, "mu", checks.number("mu", mu, low=0.0))

    def normal_at(self, angles: Array) -> Array:
        """The wall's normal, independent of the `angles` of the links."""
        return self.normal


@with_advice()
@dataclass(frozen=True)
class LinkContact:
    """A corner of the surroundings touching link `link` at the share `along` of its length.

    The normal is the link's own: (-sin, cos) of its angle times `side` (+1: the corner lies to the right of the link
    as seen from its beginning, -1: to the left); it turns with the link.
    """

    link: int
    along: float
    side: float
    mu: float

    def __init__(self, link: int, along: float, side: float, mu: float) -> None:
        object.__setattr__(self, "link", checks.count("link", link, low=0))
        object.__setattr__(self, "along", checks.number("along", along, low=0.0, high=1.0))
        if side not in (-1, 1):
            raise InputError(f"is {side!r}", where="side", fix="give 1 (corner to the right) or -1 (to the left)")
        object.__setattr__(self, "side", float(side))
        object.__setattr__(self, "mu", checks.number("mu", mu, low=0.0))

    def normal_at(self, angles: Array) -> Array:
        """The normal at the link `angles` [rad]."""
        phi = angles[self.link]
        return self.side * np.array([-np.sin(phi), np.cos(phi)])


ContactLike = NodeContact | LinkContact | Sequence[Any]


def contact_of(value: ContactLike, links: int) -> NodeContact | LinkContact:
    """`value` as a contact of a chain with that many `links`; (node, normal, mu) is a `NodeContact`."""
    if not isinstance(value, (NodeContact, LinkContact)):
        checks.iterable("contact", value, fix="give (node, normal, mu), a NodeContact or a LinkContact")
        parts = tuple(value)
        if len(parts) != 3:
            raise InputError(f"has {len(parts)} parts", where="contact", fix="give (node, normal, mu)")
        value = NodeContact(*parts)
    index, last = (value.node, links) if isinstance(value, NodeContact) else (value.link, links - 1)
    if index > last:
        kind = "node" if isinstance(value, NodeContact) else "link"
        raise InputError(f"there is no {kind} {index}", where="contact", fix=f"give a {kind} of 0 to {last}")
    return value


#: How node 0 and link 0 are held, with the coordinates that remain free to move.
BASES = {"free": 0, "pinned": 2, "welded": 3}


@with_advice()
@dataclass(frozen=True)
class Chain:
    """Rigid links joined at nodes, in the vertical plane.

    Attributes:
        links: (n,) lengths [m].
        masses: (n + 1,) point masses at the nodes [kg], or one number for all.
        gravity: acceleration of free fall along -y [m/s^2], or the vector (gx, gy).
        link_masses: (n,) masses of the links themselves [kg], their centres halfway; none by default.
        inertias: (n,) moments of inertia of the links about their own centres [kg m^2]; those of uniform rods of
            `link_masses` by default.
        parents: (n,) node at which each link begins; (0, 1, ..., n - 1), one chain, by default.
        base: "free" (the whole chain floats), "pinned" (node 0 is fixed, a motor turns link 0 about it) or "welded"
            (link 0 is fixed).
        passive: links whose joint has no motor: it turns freely.
        torque_limits: (lower, upper) [N m], one per motor or for all, for `torque_sets(limits=...)`; none by default.
    """

    links: Array
    masses: Array
    gravity: Array | float = 9.81
    link_masses: Array | None = None
    inertias: Array | None = None
    parents: tuple[int, ...] | None = None
    base: Literal["free", "pinned", "welded"] = "free"
    passive: tuple[int, ...] = ()
    torque_limits: tuple[ArrayLike, ArrayLike] | None = None

    def __init__(
        self,
        links: ArrayLike,
        masses: ArrayLike,
        gravity: ArrayLike = 9.81,
        *,
        link_masses: ArrayLike | None = None,
        inertias: ArrayLike | None = None,
        parents: Sequence[int] | None = None,
        base: Literal["free", "pinned", "welded"] = "free",
        passive: Sequence[int] = (),
        torque_limits: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> None:
        lengths = each("links", links, 1) if is_one(links) else checks.array("links", links, ("n",))
        n = len(lengths)
        if n == 0 or (lengths <= 0.0).any():
            raise InputError("links must have positive lengths", where="links", fix="give at least one length above 0")
        rods = _share("link_masses", 0.0 if link_masses is None else link_masses, n)
        checks.iterable("passive", passive, fix="give the numbers of links, or () for none")
        if base not in BASES:
            raise UnknownNameError("base", str(base), BASES, where="base")
        values = {
            "links": lengths,
            "masses": _share("masses", masses, n + 1),
            "gravity": _gravity(gravity),
            "link_masses": rods,
            "inertias": rods * lengths**2 / 12.0 if inertias is None else _share("inertias", inertias, n),
            "parents": _tree(parents, n),
            "base": base,
            "passive": tuple(sorted({_link("passive", i, n) for i in passive})),
            "torque_limits": torque_limits,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    # -- the shape of the tree --------------------------------------------------------------------

    @property
    def coordinate_count(self) -> int:
        """Length of q: 2 + the number of links."""
        return 2 + len(self.links)

    @cached_property
    def free(self) -> Array:
        """Indices of the coordinates of q that can move; accelerations of the `System` come in this order."""
        return np.arange(BASES[self.base], self.coordinate_count)

    @cached_property
    def actuated(self) -> Array:
        """Indices into q of the joints with motors; torques of the `System` come in this order."""
        first = 0 if self.base == "pinned" else 1
        return np.array([2 + i for i in range(first, len(self.links)) if i not in self.passive], dtype=int)

    @cached_property
    def parent_links(self) -> tuple[int, ...]:
        """The link each joint angle is measured from; -1 for link 0. Links that begin at node 0 turn against link 0."""
        assert self.parents is not None
        return (-1, *(max(p - 1, 0) for p in self.parents[1:]))

    @cached_property
    def turns(self) -> Array:
        """(n, 2 + n): absolute link angles = turns @ q."""
        turns = np.zeros((len(self.links), self.coordinate_count))
        for i, parent in enumerate(self.parent_links):
            if parent >= 0:
                turns[i] = turns[parent]
            turns[i, 2 + i] = 1.0
        return turns

    @cached_property
    def node_paths(self) -> Array:
        """(n + 1, n): node j is node 0 plus the links of row j, end to end; entries are lengths [m]."""
        assert self.parents is not None
        paths = np.zeros((len(self.links) + 1, len(self.links)))
        for i, start in enumerate(self.parents):
            paths[i + 1] = paths[start]
            paths[i + 1, i] = self.links[i]
        return paths

    # -- kinematics -------------------------------------------------------------------------------

    def angles(self, q: ArrayLike) -> Array:
        """(n,) absolute angles of the links [rad]."""
        return self.turns @ checks.vector("q", q, self.coordinate_count)

    def nodes(self, q: ArrayLike) -> Array:
        """(n + 1, 2) positions of the nodes [m]."""
        given = checks.vector("q", q, self.coordinate_count)
        phi = self.turns @ given
        return given[:2] + self.node_paths @ np.column_stack([np.cos(phi), np.sin(phi)])

    def point_kinematics(self, q: ArrayLike, qd: ArrayLike, paths: ArrayLike) -> tuple[Array, Array]:
        """Jacobians (m, 2, 2 + n) of the points node 0 + paths @ link directions, and their terms dJ/dt qd (m, 2)."""
        given = checks.vector("q", q, self.coordinate_count)
        speed = checks.vector("qd", qd, self.coordinate_count)
        reach = np.asarray(paths, dtype=float)
        phi = self.turns @ given
        along = np.column_stack([np.cos(phi), np.sin(phi)])
        across = np.column_stack([-along[:, 1], along[:, 0]])
        jacobians = np.einsum("mi,ic,ij->mcj", reach, across, self.turns)
        jacobians[:, 0, 0] += 1.0
        jacobians[:, 1, 1] += 1.0
        return jacobians, -reach @ (along * ((self.turns @ speed) ** 2)[:, None])

    def mass_points(self) -> tuple[Array, Array]:
        """Paths (2n + 1, n) to nodes and link centres, and the masses there."""
        assert self.parents is not None
        middles = 0.5 * (self.node_paths[list(self.parents)] + self.node_paths[1:])
        return np.vstack([self.node_paths, middles]), np.concatenate([self.masses, np.asarray(self.link_masses)])

    # -- dynamics ---------------------------------------------------------------------------------

    def dynamics(self, q: ArrayLike, qd: ArrayLike | None = None) -> tuple[Array, Array, Array]:
        """M(q), C(q, qd) qd and g(q) of M a + C qd + g = S tau + J^T f (3), in all coordinates."""
        speed = np.zeros(self.coordinate_count) if qd is None else qd
        paths, masses = self.mass_points()
        jacobians, drift = self.point_kinematics(q, speed, paths)
        weighted = jacobians * masses[:, None, None]
        mass_matrix = np.einsum("mci,mcj->ij", weighted, jacobians)
        mass_matrix += self.turns.T @ (np.asarray(self.inertias)[:, None] * self.turns)
        coriolis = np.einsum("mci,mc->i", weighted, drift)
        return mass_matrix, coriolis, -np.einsum("mci,c->i", weighted, np.asarray(self.gravity))

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """(T, 2 + n) generalised forces M qdd + C qd + g (3) along a motion of T instants; all inputs (T, 2 + n)."""
        size = self.coordinate_count
        postures, speeds, pulls = (
            checks.array(name, np.atleast_2d(np.asarray(value, dtype=float)), ("T", size))
            for name, value in (("q", q), ("qd", qd), ("qdd", qdd))
        )
        paths, masses = self.mass_points()
        phi, spin, turn = (part @ self.turns.T for part in (postures, speeds, pulls))
        along = np.stack([np.cos(phi), np.sin(phi)], axis=-1)  # (T, n, 2)
        across = np.stack([-along[..., 1], along[..., 0]], axis=-1)
        bend = across * turn[..., None] - along * (spin**2)[..., None]
        forces = np.einsum("mi,tic->tmc", paths, bend) + pulls[:, None, :2] - np.asarray(self.gravity)
        forces *= masses[:, None]  # (T, points, 2): m (a - g)
        on_links = np.einsum("mi,tmc,tic->ti", paths, forces, across) + np.asarray(self.inertias) * turn
        result = on_links @ self.turns
        result[:, :2] += forces.sum(axis=1)
        return result

    def energy(self, q: ArrayLike, qd: ArrayLike) -> tuple[float, float]:
        """Kinetic and potential energy [J], the latter zero for masses at the origin."""
        paths, masses = self.mass_points()
        jacobians, _ = self.point_kinematics(q, qd, paths)
        speed = np.asarray(qd, dtype=float)
        velocities = jacobians @ speed
        given = np.asarray(q, dtype=float)
        phi = self.turns @ given
        places = given[:2] + paths @ np.column_stack([np.cos(phi), np.sin(phi)])
        spin = self.turns @ speed
        kinetic = 0.5 * float(masses @ (velocities**2).sum(axis=1)) + 0.5 * float(np.asarray(self.inertias) @ spin**2)
        return kinetic, -float(masses @ (places @ np.asarray(self.gravity)))

    def system(self, q: ArrayLike, qd: ArrayLike | None = None, contacts: Sequence[ContactLike] = ()) -> System:
        """The chain in posture `q` [m, rad] at velocity `qd` (rest if None), touching at `contacts`.

        A contact is (node, normal, mu), a `NodeContact` or a `LinkContact`. Accelerations and generalised forces of
        the result are those of `free`, its torques those of `actuated`.
        """
        speed = np.zeros(self.coordinate_count) if qd is None else checks.vector("qd", qd, self.coordinate_count)
        checks.iterable("contacts", contacts, fix="give a list of contacts, or () for none")
        mass_matrix, coriolis, weight = self.dynamics(q, speed)
        touching = [contact_of(contact, len(self.links)) for contact in contacts]
        phi = self.angles(q)
        k, free = len(touching), self.free
        paths = np.array([self.path_to(contact) for contact in touching]).reshape(k, len(self.links))
        jacobians, drift = self.point_kinematics(q, speed, paths)
        normals = np.array([contact.normal_at(phi) for contact in touching]).reshape(k, 2)
        tangents = np.column_stack([normals[:, 1], -normals[:, 0]])
        normal_rows = np.einsum("mc,mcj->mj", normals, jacobians)
        tangent_rows = np.einsum("mc,mcj->mj", tangents, jacobians)
        normal_bias = np.einsum("mc,mc->m", normals, drift)
        spin = self.turns @ speed
        for i, contact in enumerate(touching):
            if isinstance(contact, LinkContact):
                # The wall's corner is fixed while the link's normal turns: the gap's acceleration gains -2 w (e . v).
                along = np.array([np.cos(phi[contact.link]), np.sin(phi[contact.link])])
                normal_bias[i] -= 2.0 * contact.side * spin[contact.link] * float(along @ (jacobians[i] @ speed))
        selector = np.zeros((self.coordinate_count, len(self.actuated)))
        selector[self.actuated, np.arange(len(self.actuated))] = 1.0
        return System(
            mass_matrix[np.ix_(free, free)],
            -(coriolis + weight)[free],
            selector[free],
            normal_rows[:, free],
            tangent_rows[:, free],
            np.array([contact.mu for contact in touching]),
            normal_bias=normal_bias,
            tangent_bias=np.einsum("mc,mc->m", tangents, drift),
            normal_velocity=_velocity(normal_rows, speed),
            tangent_velocity=_velocity(tangent_rows, speed),
        )

    def path_to(self, contact: object) -> Array:
        """(n,) the path from node 0 to a contact, as in `node_paths`."""
        if isinstance(contact, LinkContact):
            start, end = self.node_paths[self.parents[contact.link]], self.node_paths[contact.link + 1]  # type: ignore[index]
            return start + contact.along * (end - start)
        return self.node_paths[contact.node]  # type: ignore[attr-defined]


def _velocity(rows: Array, speed: Array) -> Array:
    """rows @ speed; entries that are only rounding of cancelling terms are zero."""
    result = rows @ speed
    result[np.abs(result) <= AT_REST * (np.abs(rows) @ np.abs(speed))] = 0.0
    return result


def _share(name: str, value: ArrayLike, size: int) -> Array:
    """`value`, one number or one per part, as (size,) non-negative numbers."""
    result = each(name, value, size)
    if (result < 0.0).any():
        raise InputError("is negative", where=f"{name}[{int(np.argmin(result))}]", fix="give numbers of at least 0")
    return result


def _gravity(value: ArrayLike) -> Array:
    both = each("gravity", value, 2)
    return np.array([0.0, -both[1]]) if np.ndim(value) == 0 else both


def _link(name: str, index: int, n: int) -> int:
    if checks.count(name, index, low=0) >= n:
        raise InputError(f"there is no link {index}", where=name, fix=f"links are 0 to {n - 1}")
    return int(index)


def _tree(parents: Sequence[int] | None, n: int) -> tuple[int, ...]:
    if parents is None:
        return tuple(range(n))
    checks.iterable("parents", parents, fix="give one node per link")
    if len(parents) != n:
        raise InputError(f"has {len(parents)} entries for {n} links", where="parents", fix="give one node per link")
    for i, node in enumerate(parents):
        if checks.count(f"parents[{i}]", node, low=0) > i:
            raise InputError(
                f"link {i} begins at node {node}, the end of a later link",
                where=f"parents[{i}]",
                fix=f"number links outwards from node 0: give a node of 0 to {i}",
            )
    return tuple(int(node) for node in parents)


def check_snake(chain: Chain) -> None:
    """`chain` must be unbranched, floating and have a motor in every joint."""
    if chain.parents != tuple(range(len(chain.links))) or chain.base != "free" or chain.passive:
        raise InputError(
            "is branched, fixed at its base or has a joint without a motor",
            where="chain",
            fix="give an unbranched chain with a free base and a motor in every joint",
        )


def first_links(chain: Chain, count: int) -> Chain:
    """The first `count` links alone, with their nodes; the mass of the last node is included."""
    check_snake(chain)
    if checks.count("count", count) > len(chain.links):
        raise InputError(f"is {count}", where="count", fix=f"the chain has {len(chain.links)} links")
    return Chain(
        chain.links[:count],
        chain.masses[: count + 1],
        chain.gravity,
        link_masses=np.asarray(chain.link_masses)[:count],
        inertias=np.asarray(chain.inertias)[:count],
    )


def turned(chain: Chain) -> Chain:
    """The same chain counted from its other end: node i becomes node n - i.

    Joint angles and joint torques are reversed in order and sign.
    """
    check_snake(chain)
    return Chain(
        chain.links[::-1],
        chain.masses[::-1],
        chain.gravity,
        link_masses=np.asarray(chain.link_masses)[::-1],
        inertias=np.asarray(chain.inertias)[::-1],
    )


#: Times, positions and angles that differ by less than this are the same.
SAME_STATE = 1e-12

#: Largest |h'|, |h''|, |h'''| of h(s) = 10 s^3 - 15 s^4 + 6 s^5 on [0, 1].
STEEPEST = (15.0 / 8.0, 10.0 / np.sqrt(3.0), 60.0)


@with_advice()
@dataclass(frozen=True)
class RestToRest:
    """From posture `start` to `end` in `duration` [s] with least jerk: at rest, unaccelerated, at both ends."""

    start: Array
    end: Array
    duration: float

    def __init__(self, start: ArrayLike, end: ArrayLike, duration: float) -> None:
        first = checks.array("start", start, ("n",))
        object.__setattr__(self, "start", first)
        object.__setattr__(self, "end", checks.vector("end", end, len(first)))
        object.__setattr__(self, "duration", checks.positive("duration", duration, unit="s"))

    def at(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """q, qd, qdd, each (T, n), at `times` (T,) of [0, duration] [s]."""
        given = checks.array("times", np.atleast_1d(np.asarray(times, dtype=float)), ("T",))
        if given.size and (given.min() < -SAME_STATE or given.max() > self.duration * (1 + SAME_STATE)):
            raise InputError("is outside the motion", where="times", fix=f"give times of 0 to {self.duration:g} s")
        s = np.clip(given / self.duration, 0.0, 1.0)[:, None]
        way = (self.end - self.start)[None, :]
        q = self.start + way * (s**3 * (10.0 - 15.0 * s + 6.0 * s**2))
        qd = way * (30.0 * s**2 * (1.0 - s) ** 2) / self.duration
        qdd = way * (60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)) / self.duration**2
        return q, qd, qdd

    def bounds(self) -> tuple[Array, Array, Array]:
        """Largest |qd|, |qdd|, |qddd| of each coordinate over the whole motion."""
        way = np.abs(self.end - self.start)
        first, second, third = (way * steep / self.duration**i for i, steep in enumerate(STEEPEST, start=1))
        return first, second, third
