"""Planar scenes, ready to be asked: a body in contact, a chain of links, a climb."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..geometry.polytopes import Polytope
from . import climb, motions
from .bodies import Body, Contact
from .chain_contacts import LinkContact, NodeContact
from .chain_parts import first_links
from .chains import Chain
from .climbing.channels import Channel
from .climbing.results import Climb
from .disturbance_sets import DisturbanceSet
from .disturbances import PostureRobustness, free_part_disturbance, free_part_forces, torque_sets_over_postures
from .motion_sets import MotionSet, system_motions
from .outlines import Outline
from .problems import Problem
from .system import System
from .tasks import Task
from .torque_answers import TorqueSet
from .torques import torque_sets
from .touching import gap_to
from .trajectories import RestToRest


@dataclass(frozen=True, eq=False, kw_only=True)
class PlanarBodyScene:
    """A rigid body that touches obstacles.

    Attributes:
        body, contacts, force, velocity: as in `hf.planar.motions`; the force contains the weight.
        centre: (2,) of mass [m].
        points: (k, 2) where the contacts are [m].
        names: of the contacts.
        outline: of the body in place, or None.
        obstacles: outlines of what it touches.
        name, description, path: how reports call it, what it is in words, the file it was read from.
    """

    body: Body
    contacts: tuple[Contact, ...]
    force: Array
    velocity: Array
    centre: Array
    points: Array
    names: tuple[str, ...]
    outline: Outline | None = None
    obstacles: tuple[Outline, ...] = ()
    name: str = ""
    description: str = ""
    path: Path | None = None

    @property
    def gap(self) -> float | None:
        """How far the outline is from the nearest obstacle [m] where the body touches nothing; None where it does."""
        if self.contacts or self.outline is None or not self.obstacles:
            return None
        return gap_to(self.outline, self.obstacles)

    def motions(self) -> MotionSet:
        """All its possible motions."""
        return motions(self.body, self.contacts, self.force, self.velocity)

    def problem(self) -> Problem:
        """The scene as a `Problem`, for pictures; without an outline the body is drawn as the hull of what is known."""
        outline = self.outline
        if outline is None:
            rho = self.body.radius_of_gyration
            near = self.centre + rho * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
            corners = Polytope(np.vstack([near, self.points])).extreme
            around = corners - corners.mean(axis=0)
            outline = Outline(corners[np.argsort(np.arctan2(around[:, 1], around[:, 0]))])
        return Problem(
            self.name,
            self.body,
            self.contacts,
            self.force,
            self.velocity,
            outline,
            self.obstacles,
            self.centre,
            self.points,
        )

    def changed(
        self, *, force: ArrayLike | None = None, velocity: ArrayLike | None = None, mu: float | None = None
    ) -> PlanarBodyScene:
        """The scene under another whole force (Fx, Fy, torque) [N, N m], velocity, or friction at all contacts."""
        same = self
        if force is not None:
            same = replace(same, force=checks.vector("force", force, 3))
        if velocity is not None:
            same = replace(same, velocity=checks.vector("velocity", velocity, 3))
        if mu is not None:
            same = replace(
                same, contacts=tuple(Contact(c.normal, c.r, mu, c.kind, c.second_variation) for c in same.contacts)
            )
        return same


@dataclass(frozen=True, eq=False, kw_only=True)
class PlanarChainScene:
    """A chain of links that touches walls, with what is wanted of its torques.

    Attributes:
        chain: all links.
        q, qd: posture and velocity of all links [m, rad].
        contacts: where it touches, named by `names`.
        mode, tasks, limits, friction: as in `hf.planar.torque_sets`.
        brace_links: only the first so many links are asked about, or None for all.
        disturbance: box or polytope of forces on the coordinates asked about, or None.
        moves: of the links beyond the brace, which disturb it.
        q_error: (n,) by how much the posture may be off, or None.
        torque: (t,) for motions under given torques [N m], or None.
        walls: polylines (m, 2) to draw [m].
        name, description, path: how reports call it, what it is in words, the file it was read from.
    """

    chain: Chain
    q: Array
    qd: Array | None
    contacts: tuple[NodeContact | LinkContact, ...]
    names: tuple[str, ...]
    mode: str
    tasks: tuple[Task, ...] = ()
    brace_links: int | None = None
    disturbance: DisturbanceSet | None = None
    moves: tuple[RestToRest, ...] = ()
    limits: tuple[Any, Any] | None = None
    friction: tuple[float, float] | None = None
    q_error: Array | None = None
    torque: Array | None = None
    walls: tuple[Array, ...] = ()
    name: str = ""
    description: str = ""
    path: Path | None = field(default=None)

    @property
    def asked(self) -> tuple[Chain, Array, Array | None]:
        """(chain, q, qd) of the links that are asked about."""
        if self.brace_links is None:
            return self.chain, self.q, self.qd
        size = self.brace_links + 2
        return first_links(self.chain, self.brace_links), self.q[:size], None if self.qd is None else self.qd[:size]

    def system(self) -> System:
        """The equations of motion of the links that are asked about."""
        chain, q, qd = self.asked
        return chain.system(q, qd, self.contacts)

    def whole(self) -> System:
        """The equations of motion of all links."""
        return self.chain.system(self.q, self.qd, self.contacts)

    def motions(self, torque: ArrayLike | None = None) -> MotionSet:
        """All motions of all links under the motors' torques (t,) [N m], those of the file by default; undisturbed."""
        return system_motions(self.whole(), self.torque if torque is None else torque)

    def disturbances(self) -> DisturbanceSet | None:
        """What may act on the links asked about: the set given, or the certified box of the free part's moves.

        A free part of which nothing is said stands still, and loads the brace with its weight.
        """
        if self.brace_links is None or self.disturbance is not None:
            return self.disturbance
        if not self.moves:
            still = np.zeros_like(self.q)
            force = free_part_forces(self.chain, self.brace_links, self.q, still, still)[0]
            return DisturbanceSet.box(force, force)
        return free_part_disturbance(self.chain, self.brace_links, self.moves, samples=MOVE_SAMPLES).set

    def torque_sets(self) -> TorqueSet:
        """Torques that allow the wanted motion, and those that allow only it."""
        if self.q_error is not None:
            return self.over_postures().torques
        return torque_sets(
            self.system(), self.mode, self.tasks, self.disturbances(), self.limits, friction=self.friction
        )

    def over_postures(self) -> PostureRobustness:
        """The same for all postures tried within `q_error`, with how they were chosen."""
        chain, q, qd = self.asked
        if self.q_error is None:
            raise InputError("is not given", where="q_error", fix="give how far the posture may be off")
        if qd is not None and qd.any():
            raise InputError("moves", where="qd", fix="posture errors are for scenes at rest: leave qd or q_error out")
        return torque_sets_over_postures(
            chain,
            q,
            self.q_error[: len(q)],
            self.contacts,
            self.mode,
            self.tasks,
            disturbance=self.disturbances(),
            limits=self.limits,
            friction=self.friction,
        )

    def with_mu(self, mu: float) -> PlanarChainScene:
        """The scene with this friction coefficient at all contacts, in place of theirs and of a `friction` interval."""
        contacts = tuple(
            NodeContact(c.node, c.normal, mu)
            if isinstance(c, NodeContact)
            else LinkContact(c.link, c.along, c.side, mu)
            for c in self.contacts
        )
        return replace(self, contacts=contacts, friction=None)


#: Instants of each move from which the certified box of disturbances is made.
MOVE_SAMPLES = 401


@dataclass(frozen=True, eq=False, kw_only=True)
class PlanarClimbScene:
    """A snake and the channel it shall climb.

    Attributes:
        chain, channel, goal: who climbs where, how high [m].
        options: the other arguments of `hf.planar.climb`.
        name, description, path: how reports call it, what it is in words, the file it was read from.
    """

    chain: Chain
    channel: Channel
    goal: float
    options: dict[str, Any]
    name: str = ""
    description: str = ""
    path: Path | None = None

    def with_mu(self, mu: float) -> PlanarClimbScene:
        """The scene with this friction coefficient of the walls, in place of its own and of a `friction` interval."""
        return replace(self, options={**self.options, "mu": mu, "friction": None})

    def climb(self) -> Climb:
        """The climb, as far as it goes."""
        return climb(self.chain, self.channel, self.goal, **self.options)


PlanarScene = PlanarBodyScene | PlanarChainScene | PlanarClimbScene


def in_radians(values: ArrayLike, unit: str) -> Array:
    """Postures or velocities (..., 2 + n) whose angles, all but x and y, are in `unit`: "rad" or "deg"."""
    result = np.array(values, dtype=float)
    if unit == "deg":
        result[..., 2:] = np.deg2rad(result[..., 2:])
    return result
