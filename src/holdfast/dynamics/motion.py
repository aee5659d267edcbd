"""What an object does next, when nothing holds: a short motion in steps, for drawing.

Illustrative, not a simulation. At every frame the object is at rest and (7) says how it would accelerate; it is then
moved along that acceleration by a step of stated length, and asked again. There is no speed, no time and no impact, so
a frame says which way things go, not when or how fast. Contacts that have opened no longer act; they act again when
they close.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import Pose
from .body import RigidBody
from .mass import positive_definite
from .search import Separating
from .separation import Separation, SeparationStatus, separation
from .states import ContactState
from .stepping import closed, screw, small_step, way_of
from .touch import Placement, Surroundings, Touch, surround

#: Length of a step when none is given, as a share of the assembly's length.
STEP_SHARE = 0.05

#: A contact is open when its gap exceeds this share of the step, unless a clearance is given.
CLEARANCE_SHARE = 0.1


class FallEnd(StrEnum):
    """How a motion ends; the value is the message."""

    HOLDS = "holds"  # it never moved
    RESEATS = "holds again"
    FALLS = "falls free"
    MOVES = "still moves"
    UNKNOWN = "unknown"  # (7) has no solution there, or was not solved within its limits


@dataclass(frozen=True, eq=False)
class Frame:
    """One still of a motion.

    Attributes:
        pose: how the object has moved since the first frame (identity there).
        com: (3,) centre of mass now [m].
        placement: where all contacts of the assembly are now, with their gaps.
        touching: numbers of the contacts that act.
        lost: numbers of those that came open in the step that led here.
        landed: numbers of those that closed in it.
        separation: what (7) says about the contacts that act; None when none does.
        acceleration: (6,) q'' about the world origin [m/s^2, rad/s^2]; that of free fall when nothing touches, None
            when (7) gave none.
        step: (6,) small motion (m, rad; about the world origin) that leads to the next frame; None in the last one.
    """

    pose: Pose
    com: Array
    placement: Placement
    touching: tuple[int, ...]
    lost: tuple[int, ...]
    landed: tuple[int, ...]
    separation: Separation | None
    acceleration: Array | None
    step: Array | None

    @cached_property
    def forces(self) -> Array:
        """(k, 3) contact forces [N] on the object in the world, zero for contacts that are open."""
        result = np.zeros((len(self.placement.gaps), 3))
        if self.separation is not None and self.separation.forces is not None:
            result[list(self.touching)] = self.separation.forces
        return result

    @property
    def states(self) -> tuple[ContactState | None, ...]:
        """(k) what each contact does; None for contacts that are open."""
        result: list[ContactState | None] = [None] * len(self.placement.gaps)
        for index, state in zip(self.touching, () if self.separation is None else self.separation.states, strict=False):
            result[index] = state
        return tuple(result)


@dataclass(frozen=True, eq=False)
class Fall:
    """An illustrative motion, frame by frame.

    Attributes:
        surroundings: the contacts before the object moved, and how each follows it.
        frames: at least one; the last one is where it ended.
        end: how.
        step: how far the fastest of the contact points and the centre of mass moves in a frame, at most [m].
        clearance: a contact whose gap exceeds this is open [m].
    """

    surroundings: Surroundings
    frames: tuple[Frame, ...]
    end: FallEnd
    step: float
    clearance: float

    def __repr__(self) -> str:
        return f"Fall({self.end.value} after {len(self) - 1} steps of {1e3 * self.step:.3g} mm)"

    def __len__(self) -> int:
        return len(self.frames)

    @property
    def assembly(self) -> Assembly:
        """The contacts before the object moved."""
        return self.surroundings.assembly

    @property
    def lost(self) -> tuple[tuple[int, int], ...]:
        """(frame, contact) of each contact that came open, in order."""
        return tuple((number, contact) for number, frame in enumerate(self.frames) for contact in frame.lost)

    @property
    def travelled(self) -> float:
        """How far the centre of mass is from where it began [m]."""
        return float(np.linalg.norm(self.frames[-1].com - self.frames[0].com))


#: An external wrench (6,), or a function from the object's pose to one; torques about the world origin.
Load = ArrayLike | Callable[[Pose], ArrayLike]


def fall(
    assembly: Assembly,
    wrench: Load,
    mass_matrix: ArrayLike,
    *,
    frames: int = 20,
    step: float | None = None,
    touch: Touch | str | Sequence[Touch | str] = Touch.REST,
    gaps: ArrayLike | float = 0.0,
    reach: ArrayLike | float = np.inf,
    clearance: float | None = None,
    method: Separating | None = None,
) -> Fall:
    """What an object does next, as stills of an illustrative motion: falls, rolls off, re-seats.

    At each frame (7) is asked; the object is moved along q'', scaled so that the fastest of its contact points and its
    centre of mass moves by `step` (less where a gap closes before). It ends when the object holds again, when nothing
    touches it any more, or after `frames` frames. A contact that presses while (7) lifts it does not open: the step is
    the motion nearest to q'', in the norm of B, that keeps it closed, where there is one (an unlimited friction cone
    lifts what slides on it, see the documentation).

    Args:
        assembly: contacts and joint rows. The rows keep their coefficients: fingers do not follow the object.
        wrench: (6,) external wrench; its force and its torque about the centre of mass stay as they are in the world
            and go with the centre of mass, as weight does. Or a function from the object's pose to the wrench.
        mass_matrix: (6, 6) B of a rigid body in the first frame, about the world origin.
        frames: the most frames to make.
        step: [m]; `STEP_SHARE` of the assembly's length by default.
        touch: how contacts follow: "rest", "foot" or "ball" (see `Touch`); one for all, or one a contact.
        gaps: (k,) how far each contact is open at first [m]: stops that the object may reach.
        reach: (k,) how far each contact may slide or roll along its surface before that ends [m].
        clearance: gap [m] beyond which a contact is open; `CLEARANCE_SHARE` of the step by default.
        method: gap and limits of every search.
    """
    if not isinstance(assembly, Assembly):
        raise InputError(f"is a {type(assembly).__name__}", where="assembly", fix="give a holdfast.Assembly")
    body = RigidBody.from_matrix(positive_definite("mass_matrix", mass_matrix, 6))
    most = checks.count("frames", frames)
    length = assembly.length * STEP_SHARE if step is None else checks.positive("step", step, unit="m")
    slack = length * CLEARANCE_SHARE if clearance is None else checks.positive("clearance", clearance, unit="m")
    around = surround(assembly, touch, gaps, reach, body.com)
    load = _carried(wrench, body.com)
    pose, before = Pose.identity(), None
    stills: list[Frame] = []
    while True:
        now = around.at(pose)
        touching = tuple(int(i) for i in np.nonzero(now.gaps <= slack)[0])
        came_off = () if before is None else tuple(i for i in before if i not in touching)
        landed = () if before is None else tuple(i for i in touching if i not in before)
        answer = _answer(around, now, touching, load(pose), body.matrix_at(pose), method)
        q = _acceleration(answer, load(pose), body.matrix_at(pose))
        end = _end(answer, touching, first=before is None)
        move, kept = None, ()
        if end is None and answer is not None and q is not None:
            way, stay = way_of(q, answer, now.rows[list(touching)], answer.mass_matrix)
            move, kept = small_step(way, around, now, touching, length, pose), np.array(touching)[stay].tolist()
        if end is None and len(stills) + 1 >= most:
            end, move = FallEnd.MOVES, None
        stills.append(Frame(pose, pose.apply(body.com), now, touching, came_off, landed, answer, q, move))
        if end is not None or move is None:
            return Fall(around, tuple(stills), end or FallEnd.UNKNOWN, length, slack)
        pose = closed(screw(move) @ pose, around, kept, body, length)
        before = touching


def _carried(wrench: Load, com: Array) -> Callable[[Pose], Array]:
    """The external wrench (6,) at each pose of the object."""
    if callable(wrench):
        return lambda pose: checks.vector("wrench(pose)", wrench(pose), 6)  # pyright: ignore[reportArgumentType]
    first = checks.vector("wrench", wrench, 6)
    couple = first[3:] - np.cross(com, first[:3])
    return lambda pose: np.concatenate([first[:3], couple + np.cross(pose.apply(com), first[:3])])


def _answer(
    around: Surroundings, now: Placement, touching: Sequence[int], load: Array, mass: Array, method: Separating | None
) -> Separation | None:
    """(7) for the contacts that touch; None when none does."""
    return separation(around.touching(now, touching), load, mass, method=method) if touching else None


def _acceleration(answer: Separation | None, load: Array, mass: Array) -> Array | None:
    """(6,) q'' (8): that of (7), or of the load alone when nothing touches."""
    return np.linalg.solve(mass, load) if answer is None else answer.acceleration


def _end(answer: Separation | None, touching: Sequence[int], *, first: bool) -> FallEnd | None:
    """How the motion ends in this frame; None when it goes on."""
    if not touching or answer is None:
        return FallEnd.FALLS
    if answer.status is SeparationStatus.HOLDS:
        return FallEnd.HOLDS if first else FallEnd.RESEATS
    return None if answer.status is SeparationStatus.SEPARATES else FallEnd.UNKNOWN
