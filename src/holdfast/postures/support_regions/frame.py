"""Coordinates of a centre of mass across gravity: along it, moving the mass changes nothing (21)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ... import checks, tolerances
from ...assembly.loads import checked_gravity
from ...checks import Array
from ...errors import InputError, UnitError
from ..hands import checked_wrench

#: World x gives the first axis unless gravity is nearer to it than this (45 degrees); then world y gives the second.
ALIGNED = np.sqrt(0.5)


@dataclass(frozen=True, eq=False)
class RegionFrame:
    """The plane across gravity: c = origin + x axes[0] + y axes[1] + any multiple of gravity.

    The axes and "up", against gravity, are right-handed. Under gravity along -z they are world x and y. Under a tilted
    one the first is world x, as nearly as possible; where gravity is nearer to world x than 45 degrees, the second is
    world y, as nearly as possible.

    Attributes:
        origin: (3,) [m] in the world; coordinates are counted from it.
        axes: (2, 3) unit vectors in the world, at right angles to each other and to gravity.
        up: (3,) unit vector against gravity.
    """

    origin: Array
    axes: Array
    up: Array

    @staticmethod
    def across(gravity: ArrayLike) -> RegionFrame:
        """The frame at the world's origin for a gravity (3,) [m/s^2]."""
        g = checked_gravity("gravity", gravity)
        if not np.any(g):
            raise InputError(
                "is zero: nothing weighs, so every centre of mass is the same",
                where="gravity",
                fix="give the acceleration of gravity, such as (0, 0, -9.81)",
            )
        up = -checks.direction("gravity", g, 3) + 0.0
        if abs(up[0]) <= ALIGNED:
            first = _across(np.array([1.0, 0.0, 0.0]), up)
            second = np.cross(up, first)
        else:
            second = _across(np.array([0.0, 1.0, 0.0]), up)
            first = np.cross(second, up)
        axes = np.array([first, second]) + 0.0
        axes.setflags(write=False)
        return RegionFrame(checks.vector("origin", np.zeros(3), 3), axes, up)

    def coordinates(self, com: ArrayLike) -> Array:
        """(..., 2) coordinates [m] of points (..., 3) of the world; points (..., 2) are coordinates already."""
        try:
            given = np.asarray(com, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.zeros(())
        last = given.shape[-1:]
        if last == (2,):
            return checks.rows("com", given, 2)
        if last == (3,):
            return (checks.rows("com", given, 3) - self.origin) @ self.axes.T
        raise InputError(
            f"has shape {given.shape}",
            where="com",
            fix="give points (..., 3) of the world, or (..., 2) in coordinates of the region's frame",
        )

    def points(self, coordinates: ArrayLike, height: float = 0.0) -> Array:
        """(..., 3) world points [m] at coordinates (..., 2), `height` [m] above the origin against gravity."""
        return self.origin + checks.rows("coordinates", coordinates, 2) @ self.axes + height * self.up


def _across(wanted: Array, up: Array) -> Array:
    part = wanted - (wanted @ up) * up
    return part / np.linalg.norm(part)


@dataclass(frozen=True, eq=False)
class Weight:
    """A mass under gravity whose place is free across it: what is wanted from the hands, base + z @ axes (23).

    Attributes:
        mass: [kg].
        gravity: (3,) [m/s^2] in the world.
        frame: coordinates z of the centre of mass.
        load: (6,) what acts on the body beside its weight, wherever the mass is: force [N] and torque [N m] about the
            world origin.
    """

    mass: float
    gravity: Array
    frame: RegionFrame
    load: Array = field(default_factory=lambda: np.zeros(6))

    @staticmethod
    def of(mass: float, gravity: ArrayLike, load: ArrayLike | None = None) -> Weight:
        """The weight of `mass` [kg] under `gravity` (3,) [m/s^2], beside a `load` (6,); all checked."""
        low, high = tolerances.SMALLEST_MASS, tolerances.LARGEST_MASS
        kilograms = checks.number("mass", mass, low=low, high=high, unit="kg")
        beside = checked_wrench("wrench", np.zeros(6) if load is None else load)
        made = Weight(kilograms, checked_gravity("gravity", gravity), RegionFrame.across(gravity), beside)
        newtons, low, high = float(np.abs(made.force).max()), tolerances.SMALLEST_FORCE, tolerances.LARGEST_FORCE
        if not low <= newtons <= high:
            raise UnitError(
                f"weighs {newtons:.3g} N under this gravity", where="mass", fix=f"weights are {low:g} to {high:g} N"
            )
        return made

    @property
    def force(self) -> Array:
        """(3,) [N] on the body."""
        return self.mass * self.gravity

    def wanted(self, point: Array) -> tuple[Array, Array]:
        """(base (6,), axes (2, 6)): wrenches wanted from the hands about `point` (3,) [m], z counted from it.

        The affine form w00 + x (w10 - w00) + y (w01 - w00) of the gravity wrenches (22), negated. With coordinates and
        torques counted from the same point, the weight at z = 0 has no torque.
        """
        base = -self.load.copy()
        base[3:] += np.cross(point, self.load[:3])
        base[:3] -= self.force
        axes = np.zeros((2, 6))
        axes[:, 3:] = -np.cross(self.frame.axes, self.force)
        return base, axes

    def wrench(self, coordinates: Array) -> Array:
        """(..., 6) wrenches on the body about the world origin, its centre of mass at (..., 2): (22) and the load."""
        places = self.frame.points(coordinates)
        own = np.concatenate([np.broadcast_to(self.force, places.shape), np.cross(places, self.force)], axis=-1)
        return own + self.load
