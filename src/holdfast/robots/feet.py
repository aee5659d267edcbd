"""Feet that stay: postures that carry the base elsewhere while links' origins stand still, by Newton's method."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import Pose, quaternion_of
from .robot import Robot

#: A foot stands where it should when it is this near [m].
ARRIVED = 1e-10

#: Steps at most.
MOST_STEPS = 100

#: Largest step of a joint [rad, m].
LONGEST_STEP = 0.3

#: Damping of the least-squares step, as a share of the largest singular value, while far; it fades on arrival.
DAMPING = 1e-3

#: How strongly joints that the feet leave free go back to where they started.
RETURN = 0.1


def holding_feet(
    robot: Robot, q: ArrayLike, links: Sequence[str], motion: Callable[[float], Pose]
) -> Callable[[float], Array | None]:
    """A path s -> q(s) that carries the base from q by `motion(s)` (world) while the origins of `links` stay.

    The path gives None where Newton's method, from q, brings the links not back within the joints' limits.
    """
    start = robot.checked(q)
    points = robot.placements(start, [robot.checked_link(link) for link in links])[:, :3, 3]
    home = robot.base_pose(start)

    def path(s: float) -> Array | None:
        return standing(robot, start, links, points, motion(s) @ home)

    return path


def standing(robot: Robot, q: ArrayLike, links: Sequence[str], points: ArrayLike, base: Pose) -> Array | None:
    """A posture near q with a floating base at `base` and the origins of `links` at `points` (k, 3) [m]; else None."""
    posture = np.array(robot.checked(q, limits=False))
    if not robot.q_base:
        raise InputError("is fixed", where="robot", fix="load the robot with base='floating'")
    checks.instance("base", base, Pose, fix="give a holdfast.Pose")
    posture[:7] = np.concatenate([base.translation, quaternion_of(base.rotation)])
    wanted, start = checks.array("points", points, (len(links), 3)), posture[7:].copy()
    for _ in range(MOST_STEPS):
        jacobians, origins = robot.link_jacobians(posture, links)
        errors = (wanted - origins).ravel()
        if np.abs(errors).max(initial=0.0) <= ARRIVED:
            return posture
        rows = jacobians[:, :3, 6:].reshape(-1, len(robot.joints))
        posture[7:] = _advanced(robot, posture[7:], rows, errors, RETURN * (start - posture[7:]))
    return None


def _advanced(robot: Robot, angles: Array, jacobian: Array, errors: Array, pull: Array) -> Array:
    """Coordinates after one damped step; joints that would leave their limits stop there and the rest go on."""
    free = np.ones(len(angles), dtype=bool)
    for _ in range(len(angles)):
        step = np.zeros(len(angles))
        left, sizes, right = np.linalg.svd(jacobian[:, free], full_matrices=False)
        damping = (DAMPING * sizes.max(initial=0.0)) ** 2 * min(1.0, float(np.abs(errors).max()))
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
