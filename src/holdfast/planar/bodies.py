"""A rigid body in the plane and its contacts with standing obstacles (Erdmann 1993)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError, UnknownNameError
from .system import AT_REST, System

#: What touches what: a vertex of the body an edge of the obstacle (type B), or an edge of the body a vertex (type A).
KINDS = ("vertex", "edge")


def cross(first: Array, second: Array) -> float:
    """The planar cross product x1 y2 - y1 x2."""
    return float(first[0] * second[1] - first[1] * second[0])


@dataclass(frozen=True, eq=False)
class Contact:
    """A point at which a body touches an obstacle.

    Attributes:
        normal: (2,) out of the obstacle, towards the body; scaled to unit length.
        r: (2,) from the contact to the body's centre of mass [m].
        mu: friction coefficient, >= 0.
        kind: "vertex" (body vertex on a flat obstacle, type B) or "edge" (body edge on an obstacle vertex, type A).
        second_variation: overrides Delta h [m/s^2] of n . a + nq alpha >= -Delta h, for curved surfaces.
    """

    normal: Array
    r: Array
    mu: float
    kind: str = "vertex"
    second_variation: float | None = None

    def __init__(
        self,
        normal: ArrayLike,
        r: ArrayLike,
        mu: float,
        kind: str = "vertex",
        second_variation: float | None = None,
    ) -> None:
        if kind not in KINDS:
            raise UnknownNameError("kind of contact", str(kind), KINDS, where="kind")
        given = second_variation
        values = {
            "normal": checks.direction("normal", normal, 2),
            "r": checks.vector("r", r, 2),
            "mu": checks.number("mu", mu, low=0.0),
            "kind": kind,
            "second_variation": None if given is None else checks.number("second_variation", given, unit="m/s^2"),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @cached_property
    def tangent(self) -> Array:
        """t = (ny, -nx): R slides along it, L against it."""
        return np.array([self.normal[1], -self.normal[0]])

    @cached_property
    def normal_row(self) -> Array:
        """(nx, ny, nq) with nq = n x r (2): torque of a unit normal force, normal speed of a unit rotation."""
        return np.array([*self.normal, cross(self.normal, self.r)])

    @cached_property
    def tangent_row(self) -> Array:
        """(tx, ty, vq) with vq = t x r (2): torque of a unit tangential force, slip of a unit rotation."""
        return np.array([*self.tangent, cross(self.tangent, self.r)])

    def normal_bias(self, velocity: ArrayLike) -> float:
        """Delta h [m/s^2] at velocity (vx, vy, omega): an = n . a + nq alpha + Delta h (5).

        Type B: omega^2 n . r. Type A: 2 omega (z x n) . v - omega^2 n . r.
        """
        if self.second_variation is not None:
            return self.second_variation
        vx, vy, spin = np.asarray(velocity, dtype=float)
        if spin == 0.0:
            return 0.0
        lever = float(self.normal @ self.r)
        if self.kind == "vertex":
            return float(spin**2 * lever)
        nx, ny = self.normal
        return float(2.0 * spin * (-ny * vx + nx * vy) - spin**2 * lever)

    def tangent_bias(self, velocity: ArrayLike) -> float:
        """omega^2 t . r [m/s^2]: at = t . a + vq alpha + omega^2 t . r (8)."""
        spin = float(np.asarray(velocity, dtype=float)[2])
        return float(spin**2 * (self.tangent @ self.r))


@dataclass(frozen=True)
class Body:
    """A rigid body in the plane.

    Attributes:
        mass: [kg].
        radius_of_gyration: rho [m]; the moment of inertia about the centre of mass is mass rho^2.
    """

    mass: float
    radius_of_gyration: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", checks.positive("mass", self.mass, unit="kg"))
        rho = checks.positive("radius_of_gyration", self.radius_of_gyration, unit="m")
        object.__setattr__(self, "radius_of_gyration", rho)

    def system(self, contacts: Iterable[Contact], force: ArrayLike, velocity: ArrayLike = (0.0, 0.0, 0.0)) -> System:
        """The body as a `System` in (ax, ay, alpha), without torques tau; force and velocity as in `motions`."""
        checks.iterable("contacts", contacts, fix="give a list of Contact")
        touching = tuple(contacts)
        for i, contact in enumerate(touching):
            checks.instance(f"contacts[{i}]", contact, Contact, fix="give holdfast.planar.Contact(normal, r, mu)")
        load = checks.vector("force", force, 3)
        speed = checks.vector("velocity", velocity, 3)
        inertia = self.mass * self.radius_of_gyration**2
        if not np.isfinite(inertia) or inertia <= 0.0:
            raise InputError("has no finite inertia", where="radius_of_gyration", fix="give mass and rho in kg and m")
        normals = np.array([c.normal_row for c in touching]).reshape(-1, 3)
        tangents = np.array([c.tangent_row for c in touching]).reshape(-1, 3)
        if speed.any():
            # Speeds below rounding of the terms they are made of are none.
            least = AT_REST * (np.abs(normals) + np.abs(tangents)) @ np.abs(speed)
            vn, vt = (np.where(np.abs(rows @ speed) <= least, 0.0, rows @ speed) for rows in (normals, tangents))
        else:
            vn = vt = 0.0
        return System(
            np.diag([self.mass, self.mass, inertia]),
            load,
            None,
            normals,
            tangents,
            np.array([c.mu for c in touching]),
            np.array([c.normal_bias(speed) for c in touching]),
            np.array([c.tangent_bias(speed) for c in touching]) if speed[2] else 0.0,
            vn,
            vt,
        )
