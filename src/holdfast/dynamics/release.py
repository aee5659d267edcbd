"""The motion of an object that does not hold, as a short sequence of frames for drawing.

Illustrative, not a simulation. In every frame the object is at rest and its acceleration is computed: by Coulomb's law
(`motion`) if every contact is a friction cone, otherwise by least acceleration (`separation`, equation (7)). Then the
object is moved along that acceleration by a step of given length. There is no speed, no time and no impact, so a frame
shows the direction of the motion, not when it happens or how fast. Contacts that have opened no longer act; they act
again when they close.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly import JointRows
from ..assembly.assembly import Assembly, checked_assembly
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import Pose, frame_from_normal
from ..geometry.screws import displacement
from ..public_names import with_advice
from ..results import Result
from ..statics.diagnosis import amount
from .cones import friction_cones, obeys_coulomb
from .contact_states import AT_REST, ContactMotion
from .coulomb import CoulombMotion, CoulombStatus, motion
from .dissipation import Separating
from .mass import RigidBody, positive_definite
from .search import MotionSearch
from .separations import Principle, Separation, SeparationStatus, separation

# How contacts follow the object.

#: If the part of a shear direction along the surface is shorter than this, it has turned into the normal.
SHORTEST_SHEAR = 1e-3


class TouchKind(StrEnum):
    """Which of the two bodies has the point and which the flat surface.

    REST: a point that stays in the world (of the gripper, of the ground) under a flat face of the object.
    FOOT: a point of the object on a flat surface that stays in the world.
    BALL: the object is round about its centre of mass there, on a flat surface that stays in the world.
    """

    REST = "rest"
    FOOT = "foot"
    BALL = "ball"


@dataclass(frozen=True, eq=False)
class ContactPlacement:
    """The contacts of an assembly for one pose of the object.

    Attributes:
        positions: (k, 3) contact points in the world [m].
        rotations: (k, 3, 3) contact frames, columns (u, v, n).
        gaps: (k,) distance of the surfaces [m]; below zero they would overlap; inf beyond the end of a surface.
    """

    positions: Array
    rotations: Array
    gaps: Array

    @cached_property
    def rows(self) -> Array:
        """(k, 6) twist about the world origin to the speed at which each gap opens."""
        normals = self.rotations[:, :, 2]
        return np.concatenate([normals, np.cross(self.positions, normals)], axis=1)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The contacts before the object moves, and how each follows it.

    Attributes:
        assembly: the contacts; each position is the point of the object, `gaps` away from what it would touch.
        touches: (k,) how each contact follows.
        gaps: (k,) how far each is open before the object moves [m]; not negative.
        reach: (k,) how far each may slide or roll along its surface before that ends [m]; inf where it does not.
        com: (3,) centre of mass before the object moves [m].
    """

    assembly: Assembly
    touches: tuple[TouchKind, ...]
    gaps: Array
    reach: Array
    com: Array

    def at(self, pose: Pose) -> ContactPlacement:
        """The contacts when the object has been moved by `pose` from its first position."""
        k, shift = len(self.assembly), pose.apply(self.com) - self.com
        positions, rotations, slides, gaps = np.zeros((k, 3)), np.zeros((k, 3, 3)), np.zeros((k, 3)), np.zeros(k)
        for i, contact in enumerate(self.assembly.contacts):
            start, frame = contact.position, contact.rotation
            normal, shear = frame[:, 2], frame[:, 0]
            carried = pose.apply(start)
            if self.touches[i] is TouchKind.REST:
                positions[i] = start - self.gaps[i] * normal
                rotations[i] = _frame(pose.rotation @ normal, shear, pose.rotation @ frame)
                slides[i] = carried - positions[i]
                gaps[i] = rotations[i, :, 2] @ slides[i]
            elif self.touches[i] is TouchKind.FOOT:
                positions[i], slides[i] = carried, carried - start
                rotations[i] = _frame(normal, pose.rotation @ shear, frame)
                gaps[i] = self.gaps[i] + normal @ slides[i]
            else:
                positions[i], slides[i] = start + shift, shift
                rotations[i] = frame
                gaps[i] = self.gaps[i] + normal @ shift
        normals = rotations[:, :, 2]
        along = slides - np.einsum("ki,ki->k", slides, normals)[:, None] * normals
        gaps[np.linalg.norm(along, axis=1) > self.reach] = np.inf
        return ContactPlacement(positions, rotations, gaps)

    def touching(self, placement: ContactPlacement, chosen: Sequence[int]) -> Assembly:
        """The assembly of the chosen contacts at their present positions, with their columns of the joint rows.

        Rows that none of them loads are left out: that part of the mechanism moves separately, which is not computed.
        """
        contacts = [
            replace(c, position=placement.positions[i], rotation=placement.rotations[i])
            for i, c in ((i, self.assembly.contacts[i]) for i in chosen)
        ]
        joints = self.assembly.joints
        if joints is not None:
            columns = joints.jacobian.reshape(len(joints), -1, 3)[:, list(chosen)].reshape(len(joints), -1)
            rows = np.nonzero(columns.any(axis=1))[0] if len(chosen) < len(self.assembly) else np.arange(len(joints))
            names = tuple(joints.names[r] for r in rows) if joints.names else ()
            bounds, springs = (joints.lower[rows], joints.upper[rows]), (joints.stiffness[rows], joints.servo[rows])
            joints = JointRows(columns[rows], *bounds, names, *springs) if len(rows) else None
        return Assembly(contacts, joints, self.assembly.name)


def surround(
    assembly: Assembly,
    touch: TouchKind | str | Sequence[TouchKind | str],
    gaps: ArrayLike | float,
    reach: ArrayLike | float,
    com: Array,
) -> Surroundings:
    """Checked `Surroundings`: one word or number for all contacts, or one per contact."""
    k = len(assembly)
    checks.iterable("touch", touch, fix="give one word, or one per contact")
    words = [touch] * k if isinstance(touch, str) else list(touch)
    if len(words) != k:
        raise InputError(f"has {len(words)} entries", where="touch", fix=f"give one word, or {k}: one per contact")
    known = [t.value for t in TouchKind]
    for word in words:
        checks.word("way to touch", word, known, where="touch")
    given: dict[str, Any] = {"gaps": gaps, "reach": reach}
    for name, value in given.items():
        given[name] = values = checks.filled(name, value, (k,), infinite=True)
        if (values < 0.0).any():
            at = int(np.argmax(values < 0.0))
            raise InputError(f"is {values[at]:g} m", where=f"{name}[{at}]", fix="give 0 or more")
    if not np.isfinite(given["gaps"]).all():
        raise InputError("is infinite", where="gaps", fix="leave contacts that are never reached out")
    for i, contact in enumerate(assembly.contacts):
        arm, normal = com - contact.position, contact.rotation[:, 2]
        if words[i] == TouchKind.BALL and np.linalg.norm(arm) - arm @ normal > tolerances.ORTHONORMAL * assembly.length:
            fix = 'give "rest" or "foot", or a point straight below the centre of mass along its normal'
            raise InputError("is not round about its centre of mass there", where=f"contacts[{i}]", fix=fix)
    return Surroundings(assembly, tuple(TouchKind(word) for word in words), **given, com=com)


def _frame(normal: Array, shear: Array, turned: Array) -> Array:
    """The frame with that normal and the shear direction nearest to `shear`; `turned` if `shear` is the normal."""
    if np.linalg.norm(shear - (shear @ normal) * normal) <= SHORTEST_SHEAR:
        return turned
    return frame_from_normal(normal, shear)


# One step.

#: Corrections of the pose after a step, so that closed contacts neither open nor overlap because of curvature.
CORRECTIONS = 3

#: A motion that keeps pressing contacts closed must have this fraction of q'' in the norm of B.
LEAST_WAY = 0.05

#: Motions that open contacts by less than this fraction of what others do are not used to close gaps.
DULL = 1e-3


def small_step(
    direction: Array, around: Surroundings, now: ContactPlacement, touching: Sequence[int], length: float, pose: Pose
) -> Array | None:
    """(6,) small motion along `direction` in which the fastest point moves by `length`, or until a gap closes.

    None where nothing moves.
    """
    points = np.vstack([pose.apply(around.assembly.positions), pose.apply(around.com)])
    fastest = float(np.linalg.norm(direction[:3] + np.cross(direction[3:], points), axis=1).max())
    if fastest <= 0.0:
        return None
    reach = length / fastest
    closing = -now.rows @ direction
    for i in np.nonzero(closing > 0.0)[0]:
        if i not in touching:  # inf where its surface has ended
            reach = min(reach, float(now.gaps[i] / closing[i]))
    return reach * direction


def way_of(q: Array, answer: Separation | CoulombMotion, rows: Array, mass: Array) -> tuple[Array, Array]:
    """((6,) direction, (t,) which touching contacts stay closed along it), from rows (t, 6) of these contacts.

    Contacts that stick or slip stay closed. Contacts that press while they separate are also kept closed if possible:
    the direction is the one nearest to q'' in the norm of B along which they do not open and no other contact closes.
    If there is none, it is q'' itself, and they open.
    """
    kept = np.array([not state.separates for state in answer.states])
    pressing = np.array([_lifted(answer, state) for state in answer.states])
    if not pressing.any():
        return q, kept
    from scipy.optimize import nnls

    factor = np.linalg.cholesky(mass)
    scaled = np.linalg.solve(factor, rows.T).T  # rows of z = L^T q''
    scaled /= np.linalg.norm(scaled, axis=1, keepdims=True)
    _, sizes, right = np.linalg.svd(scaled[pressing])
    free = right[int((sizes > AT_REST * sizes[0]).sum()) :].T  # (6, f) motions that keep the pressing ones closed
    start = free.T @ (factor.T @ q)
    others = scaled[~pressing] @ free
    others = others[np.linalg.norm(others, axis=1) > AT_REST]  # the others are closed together with the pressing ones
    if len(others) and len(start):
        weights, _ = nnls(others.T, -start)
        start = start + others.T @ weights
    z = free @ start
    if np.linalg.norm(z) <= LEAST_WAY * float(np.linalg.norm(factor.T @ q)):
        return q, kept
    return np.linalg.solve(factor.T, z), kept | pressing


def _lifted(answer: Separation | CoulombMotion, state: ContactMotion) -> bool:
    """Whether a contact is lifted only by equation (7): it presses while it opens, and need not press at all."""
    nothing = answer.assembly.contacts[state.index].volume.signed_distance(np.zeros(3))
    return state.presses_while_separating and float(nothing) <= 0.0


def closed(pose: Pose, around: Surroundings, kept: Sequence[int], body: RigidBody, most: float) -> Pose:
    """The pose corrected by the smallest motion in the norm of B, so that kept contacts are closed and none overlaps.

    Unchanged if that would move a point by more than `most` [m].
    """
    points, first = np.vstack([around.assembly.positions, around.com]), pose
    for _ in range(CORRECTIONS):
        now = around.at(pose)
        chosen = sorted({*(i for i in kept if np.isfinite(now.gaps[i])), *np.nonzero(now.gaps < 0.0)[0].tolist()})
        if not chosen or not now.gaps[chosen].any():
            return pose
        factor = np.linalg.cholesky(body.matrix_at(pose))
        rows = np.linalg.solve(factor, now.rows[chosen].T).T
        z = np.linalg.lstsq(rows, -now.gaps[chosen], rcond=DULL)[0]
        pose = displacement(np.linalg.solve(factor.T, z)) @ pose
        if np.linalg.norm(pose.apply(points) - first.apply(points), axis=1).max() > most:
            return first
    return pose


# The motion.

#: Default length of a step, as a fraction of the assembly's length.
STEP_SHARE = 0.05

#: Largest number of frames.
MOST_FRAMES = 1000

#: A contact is open if its gap exceeds this fraction of the step, unless a clearance is given.
CLEARANCE_SHARE = 0.1


class ReleaseEnd(StrEnum):
    """How a motion ends; the value is the message."""

    HOLDS = "holds"  # it never moved
    RESEATS = "holds again"
    FALLS = "falls free"
    MOVES = "still moves"
    UNKNOWN = "unknown"  # there is no acceleration, or it was not found within the limits of the search


@dataclass(frozen=True, eq=False)
class ReleaseFrame(Result):
    """One frame of a motion.

    Attributes:
        pose: how the object has moved since the first frame (identity there).
        com: (3,) centre of mass now [m].
        placement: where all contacts of the assembly are now, with their gaps.
        touching: numbers of the contacts that act.
        lost: numbers of those that opened in the step before this frame.
        landed: numbers of those that closed in it.
        answer: the result for the acting contacts by the chosen principle; None without contacts.
        acceleration: (6,) q'' about the world origin [m/s^2, rad/s^2]; that of free fall when nothing touches, None
            when none was found.
        step: (6,) small motion (m, rad; about the world origin) that leads to the next frame; None in the last one.
    """

    pose: Pose
    com: Array
    placement: ContactPlacement
    touching: tuple[int, ...]
    lost: tuple[int, ...]
    landed: tuple[int, ...]
    answer: Separation | CoulombMotion | None
    acceleration: Array | None
    step: Array | None

    @cached_property
    def forces(self) -> Array:
        """(k, 3) contact forces [N] on the object in the world, zero for contacts that are open."""
        result = np.zeros((len(self.placement.gaps), 3))
        if self.answer is not None and self.answer.forces is not None:
            result[list(self.touching)] = self.answer.forces
        return result

    @property
    def states(self) -> tuple[ContactMotion | None, ...]:
        """(k) what each contact does; None for contacts that are open."""
        known = dict(zip(self.touching, () if self.answer is None else self.answer.states, strict=False))
        return tuple(known.get(index) for index in range(len(self.placement.gaps)))

    def to_dict(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Plain data; `names` (k) of the contacts, their numbers by default."""
        if names is None:
            names = [str(index) for index in range(len(self.placement.gaps))]
        return {
            "rotation": self.pose.rotation.tolist(),
            "translation": self.pose.translation.tolist(),
            "com": self.com.tolist(),
            **{key: [names[i] for i in getattr(self, key)] for key in ("touching", "lost", "landed")},
            "states": [None if state is None else state.mode.value for state in self.states],
            "forces": self.forces.tolist(),
            "positions": self.placement.positions.tolist(),
            "gaps": self.placement.gaps.tolist(),
            "acceleration": None if self.acceleration is None else self.acceleration.tolist(),
        }


@dataclass(frozen=True, eq=False)
class Release(Result):
    """An illustrative motion, frame by frame.

    Attributes:
        surroundings: the contacts before the object moved, and how each follows it.
        frames: at least one; the last one is where it ended.
        end: how it ended.
        step: largest displacement of a contact point or the centre of mass in a frame [m].
        clearance: a contact whose gap exceeds this is open [m].
        principle: the law of the accelerations: Coulomb's law, or least acceleration.
    """

    surroundings: Surroundings
    frames: tuple[ReleaseFrame, ...]
    end: ReleaseEnd
    step: float
    clearance: float
    principle: Principle

    def __repr__(self) -> str:
        return f"Release({self.end.value} after {len(self) - 1} steps of {1e3 * self.step:.3g} mm)"

    def __len__(self) -> int:
        return len(self.frames)

    @property
    def assembly(self) -> Assembly:
        """The contacts before the object moved."""
        return self.surroundings.assembly

    @property
    def lost(self) -> tuple[tuple[int, int], ...]:
        """(frame, contact) of each contact that opened, in order."""
        return tuple((number, contact) for number, frame in enumerate(self.frames) for contact in frame.lost)

    @property
    def travelled(self) -> float:
        """Distance of the centre of mass from its first position [m]."""
        return float(np.linalg.norm(self.frames[-1].com - self.frames[0].com))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contacts, their numbers where they have none."""
        return tuple(contact.name or str(index) for index, contact in enumerate(self.assembly.contacts))

    @property
    def description(self) -> str:
        """How the motion ends, in a sentence."""
        steps, last = len(self) - 1, self.frames[-1]
        moved = f"after {steps} step{'' if steps == 1 else 's'} of at most {amount(1e3 * self.step)} mm"
        left = f"{len(last.touching)} of {len(self.assembly)} contacts touch"
        status = None if last.answer is None else last.answer.status
        none = status in (SeparationStatus.PENETRATES, CoulombStatus.INCONSISTENT)
        why = "no motion is possible there" if none else "it was not found within the limits of the search"
        return {
            ReleaseEnd.HOLDS: "It holds where it is.",
            ReleaseEnd.RESEATS: f"It holds again {moved}; {left}.",
            ReleaseEnd.FALLS: f"It falls free {moved}: no contact is left.",
            ReleaseEnd.MOVES: f"It still moves {moved}; {left}.",
            ReleaseEnd.UNKNOWN: f"What it does is unknown {moved}: {why}; {left}.",
        }[self.end]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: how it ends, and every frame."""
        return {
            "illustrative": True,
            "end": self.end.value,
            "principle": self.principle.value,
            "description": self.description,
            "step": self.step,
            "clearance": self.clearance,
            "frames": [frame.to_dict(self.names) for frame in self.frames],
        }


#: An external wrench (6,), or a function from the object's pose to one; torques about the world origin.
Load = ArrayLike | Callable[[Pose], ArrayLike]


@with_advice()
def simulate_release(
    assembly: Assembly,
    wrench: Load,
    mass_matrix: ArrayLike,
    *,
    frames: int = 20,
    step: float | None = None,
    touch: TouchKind | str | Sequence[TouchKind | str] = TouchKind.REST,
    gaps: ArrayLike | float = 0.0,
    reach: ArrayLike | float = np.inf,
    clearance: float | None = None,
    principle: Principle | str | None = None,
    method: Separating | None = None,
) -> Release:
    """The next motion of an object as frames of an illustrative motion: it falls, rolls off, or comes to rest again.

    In each frame the acceleration q'' is computed. The object is moved along it, scaled so that the fastest of its
    contact points and its centre of mass moves by `step` (less if a gap closes before). The motion ends when the object
    holds again, when no contact is left, or after `frames` frames. By least acceleration, a contact that presses while
    it is lifted does not open: the step is then the motion nearest to q'', in the norm of B, that keeps it closed, if
    there is one (an unlimited friction cone lifts what slides on it, see the documentation).

    Args:
        assembly: contacts and joint rows. The rows keep their coefficients: fingers do not follow the object.
        wrench: (6,) external wrench about the world origin. Its force and its torque about the centre of mass are
            constant in the world and move with the centre of mass, like weight. Or a function of the pose.
        mass_matrix: (6, 6) B of a rigid body in the first frame, about the world origin.
        frames: largest number of frames.
        step: [m]; `STEP_SHARE` of the assembly's length by default.
        touch: how contacts follow: "rest", "foot" or "ball" (see `TouchKind`); one for all, or one per contact.
        gaps: (k,) initial gap of each contact [m], for stops that the object may reach.
        reach: (k,) how far each contact may slide or roll along its surface before that ends [m].
        clearance: gap [m] beyond which a contact is open; `CLEARANCE_SHARE` of the step by default.
        principle: "Coulomb's law" (`motion`) or "least acceleration" (`separation`); by default Coulomb's law where
            every contact is a friction cone.
        method: gap and limits of every search; of a motion by Coulomb's law only the time limit.
    """
    assembly = checked_assembly(assembly).with_free_pressure()
    law = _principle(assembly, principle)
    if method is not None:
        checks.instance("method", method, Separating, fix="give a Separating or None")
    search = None if method is None else MotionSearch(time_limit=method.time_limit)
    body = RigidBody.from_matrix(positive_definite("mass_matrix", mass_matrix, 6))
    most = checks.count("frames", frames, high=MOST_FRAMES)
    length = assembly.length * STEP_SHARE if step is None else checks.length("step", step)
    slack = length * CLEARANCE_SHARE if clearance is None else checks.length("clearance", clearance)
    around = surround(assembly, touch, gaps, reach, body.com)
    load = _carried(wrench, body.com)
    pose, before = Pose.identity(), None
    stills: list[ReleaseFrame] = []
    while True:
        now = around.at(pose)
        touching = tuple(int(i) for i in np.nonzero(now.gaps <= slack)[0])
        before = touching if before is None else before
        lost = tuple(i for i in before if i not in touching)
        landed = tuple(i for i in touching if i not in before)
        wrench_now, mass = load(pose), body.matrix_at(pose)
        answer = None
        if touching and law is Principle.COULOMB:
            answer = motion(around.touching(now, touching), wrench_now, mass, method=search)
        elif touching:
            answer = separation(around.touching(now, touching), wrench_now, mass, method=method)
        q = np.linalg.solve(mass, wrench_now) if answer is None else answer.acceleration
        end = _end(answer, first=not stills)
        move, kept = None, ()
        if end is None and answer is not None and q is not None:
            way, stay = way_of(q, answer, now.rows[list(touching)], mass)
            move, kept = small_step(way, around, now, touching, length, pose), np.array(touching)[stay].tolist()
        if end is None and len(stills) + 1 >= most:
            end, move = ReleaseEnd.MOVES, None
        stills.append(ReleaseFrame(pose, pose.apply(body.com), now, touching, lost, landed, answer, q, move))
        if end is not None or move is None:
            return Release(around, tuple(stills), end or ReleaseEnd.UNKNOWN, length, slack, law)
        pose = closed(displacement(move) @ pose, around, kept, body, length)
        before = touching


def _principle(assembly: Assembly, principle: Principle | str | None) -> Principle:
    """The given principle, or the one that the contacts allow."""
    if principle is None:
        return Principle.COULOMB if obeys_coulomb(assembly) else Principle.LEAST_ACCELERATION
    checks.word("principle", principle, [p.value for p in Principle], where="principle")
    if principle == Principle.COULOMB:
        friction_cones(assembly)  # raises an error that names the contact
    return Principle(principle)


def _carried(wrench: Load, com: Array) -> Callable[[Pose], Array]:
    """The external wrench (6,) at each pose of the object."""
    if callable(wrench):
        return lambda pose: checks.vector("wrench(pose)", wrench(pose), 6)  # pyright: ignore[reportArgumentType]
    first = checks.vector("wrench", wrench, 6)
    couple = first[3:] - np.cross(com, first[:3])
    return lambda pose: np.concatenate([first[:3], couple + np.cross(pose.apply(com), first[:3])])


def _end(answer: Separation | CoulombMotion | None, *, first: bool) -> ReleaseEnd | None:
    """How the motion ends in this frame; None when it continues."""
    if answer is None:
        return ReleaseEnd.FALLS
    if answer.holds:
        return ReleaseEnd.HOLDS if first else ReleaseEnd.RESEATS
    moves = answer.status in (SeparationStatus.SEPARATES, CoulombStatus.MOVES)
    return None if moves else ReleaseEnd.UNKNOWN
