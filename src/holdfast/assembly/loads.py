"""External wrenches: gravity on a mass, a force at a point, and directions around a circle.

A wrench is (force [N], torque [N m] about the world origin) and acts on the supported object.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError, UnitError
from ..geometry.directions import sphere_directions as sphere_directions
from ..public_names import with_advice

#: Standard gravity [m/s^2].
STANDARD_GRAVITY = 9.80665


@with_advice()
def gravity_wrench(
    mass: float, gravity: ArrayLike = (0.0, 0.0, -STANDARD_GRAVITY), com: ArrayLike = (0, 0, 0)
) -> Array:
    """(m g, c x m g): the weight of `mass` [kg] under `gravity` [m/s^2] at the centre of mass `com` [m] (16)."""
    mass = checks.number("mass", mass, low=tolerances.SMALLEST_MASS, high=tolerances.LARGEST_MASS, unit="kg")
    force = mass * checks.vector("gravity", gravity, 3)
    return np.concatenate([force, np.cross(checks.vector("com", com, 3), force)])


@with_advice()
def force_wrench(force: ArrayLike, at: ArrayLike = (0, 0, 0), torque: ArrayLike = (0, 0, 0)) -> Array:
    """(f, p x f + t): a force [N] that acts at the point `at` [m], and a couple `torque` [N m]."""
    acting = checks.vector("force", force, 3)
    turning = checks.vector("torque", torque, 3) + np.cross(checks.vector("at", at, 3), acting)
    return np.concatenate([acting, turning])


@with_advice()
def checked_gravity(name: str, value: ArrayLike) -> Array:
    """A gravity (3,) [m/s^2] of a plausible size, or zero."""
    gravity = checks.vector(name, value, 3)
    largest = float(np.abs(gravity).max())
    low, high = tolerances.SMALLEST_ACCELERATION, tolerances.LARGEST_ACCELERATION
    if largest and not low <= largest <= high:
        raise UnitError(f"is {largest:.3g} m/s^2", where=name, fix=f"accelerations are {low:g} to {high:g} m/s^2")
    return gravity


@with_advice()
def circle_directions(n: int, start: ArrayLike = (0, 0, -1), towards: ArrayLike = (1, 0, 0)) -> Array:
    """(n, 3) unit vectors evenly around a full circle from `start` through `towards`.

    The default turns gravity in the x-z plane: straight down first, then along +x, up, along -x.
    """
    n = checks.count("n", n)
    first = checks.direction("start", start, 3)
    second = checks.direction("towards", towards, 3)
    second = second - (second @ first) * first
    length = np.linalg.norm(second)
    if length < tolerances.ORTHONORMAL:
        raise InputError("is parallel to start", where="towards", fix="give a direction that spans a plane with start")
    angle = 2.0 * np.pi * np.arange(n)[:, None] / n
    return np.cos(angle) * first + np.sin(angle) * second / length
