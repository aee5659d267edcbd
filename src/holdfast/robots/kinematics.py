"""Inverse kinematics: the nearest posture with palms at given places, by damped least squares with joint limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from ..geometry.frames import Pose, quaternion_of
from ..public_names import with_advice
from .bodies import Hand
from .robot import Robot

#: A palm is at its place if its error is at most this [m], with rotations scaled by the palm's length.
PLACED = 1e-6

#: Length that scales rotations of a palm [m].
PALM_LENGTH = 0.1

#: Largest number of steps.
MOST_STEPS = 200

#: Largest change in one step [rad, m].
LONGEST_STEP = 0.3

#: Damping of the least squares: the first and the smallest, as fractions of the largest squared singular value.
DAMPING, LEAST_DAMPING = 1e-3, 1e-9


@dataclass(frozen=True, eq=False)
class ReachResult:
    """The result of `reach`.

    Attributes:
        q: the best posture found.
        error: largest error of a palm [m], with its rotation scaled by the palm's length.
        found: whether all palms are at their places.
    """

    q: Array
    error: float
    found: bool


@with_advice()
def reach(
    robot: Robot,
    q: ArrayLike,
    hands: Sequence[Hand],
    places: Mapping[str, Pose],
    *,
    tolerance: float = PLACED,
    most: int = MOST_STEPS,
) -> ReachResult:
    """A posture near q with the palms of some hands at given places, joints within their limits.

    The search is local: if it finds none, this is no proof that there is none.

    Args:
        robot: the robot.
        q: the initial posture.
        hands: the robot's hands.
        places: palm frame in the world, by the hands' names; for a hand with `facing` only the position is used.
        tolerance: [m] largest error.
        most: largest number of steps.
    """
    named = {hand.name: hand for hand in hands}
    for name in places:
        if name not in named:
            raise UnknownNameError("hand", name, named, where="places")
    if not places:
        raise InputError("is empty", where="places", fix="give at least one hand its place")
    moving = [named[name] for name in places]
    aims = [places[name] for name in places]
    posture = np.array(robot.checked(q, limits=False))
    base = robot.q_base
    posture[base:] = np.clip(posture[base:], robot.lower, robot.upper)
    errors, jacobian = _misses(robot, posture, moving, aims)
    damping, size = DAMPING, float(np.linalg.norm(errors))
    for _ in range(checks.count("most", most)):
        if _largest(errors) <= tolerance:
            break
        tried = _step(robot, posture, jacobian, errors, damping)
        new_errors, new_jacobian = _misses(robot, tried, moving, aims)
        new_size = float(np.linalg.norm(new_errors))
        if new_size < size:
            posture, errors, jacobian, size = tried, new_errors, new_jacobian, new_size
            damping = max(damping / 4.0, LEAST_DAMPING)
        else:
            damping *= 8.0
            if damping > 1.0 / DAMPING:
                break
    error = _largest(errors)
    return ReachResult(posture, error, bool(error <= tolerance))


def _step(robot: Robot, posture: Array, jacobian: Array, errors: Array, damping: float) -> Array:
    """The posture after a damped step; joints at their limits stay there."""
    base, free, step = robot.q_base, np.ones(robot.v_size, dtype=bool), np.zeros(robot.v_size)
    for _ in range(2):
        own = jacobian[:, free]
        square = own @ own.T
        square[np.diag_indices(len(square))] += damping * float(np.trace(square)) / len(square)
        step = np.zeros(robot.v_size)
        step[free] = -own.T @ np.linalg.solve(square, errors)
        longest = float(np.abs(step).max())
        step *= min(1.0, LONGEST_STEP / longest) if longest > 0.0 else 1.0
        angles = posture[base:] + step[robot.v_base :]
        beyond = (angles < robot.lower) | (angles > robot.upper)
        if not beyond.any():
            break
        free[robot.v_base :] &= ~beyond
    moved = robot.moved(posture, step)
    moved[base:] = np.clip(moved[base:], robot.lower, robot.upper)
    return moved


def _misses(robot: Robot, q: Array, hands: Sequence[Hand], aims: Sequence[Pose]) -> tuple[Array, Array]:
    """(errors (6k,) [m], their Jacobian (6k, v)) of the palms' positions and rotations."""
    links = [hand.palm for hand in hands]
    palms = robot.placements(q, links) @ np.array([hand.frame_matrix for hand in hands])
    twists = robot.point_twists(q, links, palms[:, :3, 3])
    twists[:, 3:] *= PALM_LENGTH
    errors = np.array(
        [
            (palm[:3, 3] - aim.translation, PALM_LENGTH * turn_between(aim.rotation, palm[:3, :3]))
            for palm, aim in zip(palms, aims, strict=True)
        ]
    )
    free = [number for number, hand in enumerate(hands) if hand.facing is not None]  # its rotation is free
    errors[free, 1], twists[free, 3:] = 0.0, 0.0
    return errors.ravel(), twists.reshape(-1, robot.v_size)


def turn_between(first: Array, second: Array) -> Array:
    """(3,) the rotation [rad], as axis times angle in the world, from one rotation (3, 3) to another."""
    turn = second @ first.T
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    twice_sine, cosine = float(np.linalg.norm(axis)), (float(np.trace(turn)) - 1.0) / 2.0
    angle = float(np.arctan2(twice_sine / 2.0, cosine))
    if twice_sine > 1e-6:
        return axis * (angle / twice_sine)
    if cosine > 0.0:
        return axis / 2.0
    # Half a turn: the axis is the column of turn + 1 that is longest.
    columns = turn + np.eye(3)
    longest = columns[:, int(np.argmax(np.linalg.norm(columns, axis=0)))]
    return angle * longest / np.linalg.norm(longest)


def _largest(errors: Array) -> float:
    """The largest error of a palm [m]."""
    return float(np.linalg.norm(errors.reshape(-1, 3), axis=1).max())


# Fixed feet: postures with a moved base while links' origins do not move, by Newton's method.

#: Largest error of a foot's position [m].
ARRIVED = 1e-10

#: Largest number of steps.
FEET_MOST_STEPS = 100

#: Damping of the least-squares step, as a fraction of the largest singular value; it decreases with the error.
FEET_DAMPING = 1e-3

#: Weight of the return of free joints to their initial coordinates.
RETURN = 0.1


@with_advice()
def holding_feet(
    robot: Robot, q: ArrayLike, links: Sequence[str], motion: Callable[[float], Pose]
) -> Callable[[float], Array | None]:
    """A path s -> q(s) that moves the base from q by `motion(s)` (world) while the origins of `links` stay.

    The path gives None if Newton's method, from q, does not bring the links back within the joints' limits.
    """
    start = robot.checked(q)
    points = robot.placements(start, [robot.checked_link(link) for link in links])[:, :3, 3]
    home = robot.base_pose(start)

    def path(s: float) -> Array | None:
        return standing(robot, start, links, points, motion(s) @ home)

    return path


@with_advice()
def standing(robot: Robot, q: ArrayLike, links: Sequence[str], points: ArrayLike, base: Pose) -> Array | None:
    """A posture near q with a floating base at `base` and the origins of `links` at `points` (k, 3) [m]; else None."""
    posture = np.array(robot.checked(q, limits=False))
    if not robot.q_base:
        raise InputError("is fixed", where="robot", fix="load the robot with base='floating'")
    checks.instance("base", base, Pose, fix="give a holdfast.Pose")
    posture[:7] = np.concatenate([base.translation, quaternion_of(base.rotation)])
    wanted, start = checks.array("points", points, (len(links), 3)), posture[7:].copy()
    for _ in range(FEET_MOST_STEPS):
        jacobians, origins = robot.link_jacobians(posture, links)
        errors = (wanted - origins).ravel()
        if np.abs(errors).max(initial=0.0) <= ARRIVED:
            return posture
        rows = jacobians[:, :3, 6:].reshape(-1, len(robot.joints))
        posture[7:] = _advanced(robot, posture[7:], rows, errors, RETURN * (start - posture[7:]))
    return None


def _advanced(robot: Robot, angles: Array, jacobian: Array, errors: Array, pull: Array) -> Array:
    """Coordinates after one damped step; joints at their limits stop there, the others continue."""
    free = np.ones(len(angles), dtype=bool)
    for _ in range(len(angles)):
        step = np.zeros(len(angles))
        left, sizes, right = np.linalg.svd(jacobian[:, free], full_matrices=False)
        damping = (FEET_DAMPING * sizes.max(initial=0.0)) ** 2 * min(1.0, float(np.abs(errors).max()))
        inverse = (right.T * (sizes / (sizes**2 + damping + np.finfo(float).tiny))) @ left.T
        rest = pull[free]
        step[free] = inverse @ errors + rest - right.T @ (right @ rest)
        step *= min(1.0, LONGEST_STEP / (float(np.abs(step).max()) or 1.0))
        after = angles + step
        low, high = (angles <= robot.lower) & (step < 0.0), (angles >= robot.upper) & (step > 0.0)
        stuck = free & (low | high)
        if not stuck.any():
            return np.clip(after, robot.lower, robot.upper)
        free &= ~stuck
    return angles
