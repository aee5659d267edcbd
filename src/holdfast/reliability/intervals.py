"""Interval uncertainty of an assembly and its load: what may be off, by how much, and what that does to the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..assembly import Contact, JointRows
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from ..force_limits import ForceVolume
from ..solvers import ContactProblem
from .least_changes import grown
from .parameters import stretched


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """How far parameters may lie off, in either sense, all independently; numbers for all or one each.

    Attributes:
        strength: share of each contact's strength, (k,) or one for all.
        friction: share of each contact's shear components, (k,) or one for all.
        position: of each contact along the world's axes [m]: one for all, (3,) or (k, 3).
        joint: share of each joint bound, (r,) or one for all; bounds of zero have no share.
        angle: half angle of the cone in which the load's force (its torque, when it has none) may point [rad].
        point: of the load's point of application along the world's axes [m]: one for all or (3,).
        at: (3,) where the load's force acts, about which it turns [m]; the point of its line of action that is
            nearest to the world origin by default.
    """

    strength: ArrayLike = 0.0
    friction: ArrayLike = 0.0
    position: ArrayLike = 0.0
    joint: ArrayLike = 0.0
    angle: float = 0.0
    point: ArrayLike = 0.0
    at: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class Spread:
    """Checked intervals of one assembly and load.

    Attributes:
        assembly: as it was given.
        direction: (6,) the load.
        strength, friction: (k,) shares.
        position: (k, 3) [m].
        joint: (r,) shares.
        angle: half angle of the cone of the load's force (or torque) [rad].
        point: (3,) [m].
        at: (3,) [m].
    """

    assembly: Assembly
    direction: Array
    strength: Array
    friction: Array
    position: Array
    joint: Array
    angle: float
    point: Array
    at: Array

    @staticmethod
    def of(assembly: Assembly, direction: Array, intervals: Intervals) -> Spread:
        """The intervals, checked against the assembly."""
        k = len(assembly)
        rows = 0 if assembly.joints is None else len(assembly.joints)
        strength = _shares("strength", intervals.strength, k)
        for contact, share in zip(assembly.contacts, strength, strict=True):
            if share > 0.0 and not contact.volume.is_star_shaped:
                raise InputError(
                    "is given for a volume with a piece that excludes zero",
                    where="strength",
                    fix="a weaker contact then does not allow less: give 0 for it, or use pieces that contain zero",
                )
        position = np.broadcast_to(np.asarray(intervals.position, dtype=np.float64), (k, 3))
        angle = checks.number("angle", intervals.angle, low=0.0, high=math.pi / 2, unit="rad")
        force, torque = direction[:3], direction[3:]
        if intervals.at is not None:
            at = checks.vector("at", intervals.at, 3)
        else:
            at = np.cross(force, torque) / float(force @ force) if force.any() else np.zeros(3)
        return Spread(
            assembly,
            direction,
            strength,
            _shares("friction", intervals.friction, k),
            _widths("position", position, (k, 3)),
            _shares("joint", intervals.joint, rows),
            angle,
            _widths("point", np.broadcast_to(np.asarray(intervals.point, dtype=np.float64), 3), (3,)),
            at,
        )

    @cached_property
    def weakest(self) -> Assembly:
        """The assembly with strengths and joint bounds at their weak ends: they allow the least, whatever the rest."""
        weak = grown(self.assembly, 1.0 - self.strength, np.zeros(len(self.joint)), np.zeros(len(self.joint)))
        joints = self.assembly.joints
        if joints is None:
            return weak
        sizes = [np.where(np.isfinite(bound), np.abs(bound), 0.0) for bound in (joints.lower, joints.upper)]
        lower, upper = joints.lower + self.joint * sizes[0], joints.upper - self.joint * sizes[1]
        if (lower > upper).any():
            row = int(np.argmax(lower > upper))
            raise InputError("lets bounds cross", where=f"joint[{row}]", fix="give a smaller share for this row")
        return Assembly(weak.contacts, JointRows(joints.jacobian, lower, upper, joints.names), weak.name)

    @property
    def only_weakens(self) -> bool:
        """Whether nothing but strengths and joint bounds is uncertain: then the weak ends are the worst case."""
        return not (self.friction.any() or self.position.any() or self.angle or self.point.any())

    def changed(self, friction: Array, position: Array, wrench: Array) -> tuple[Assembly, Array]:
        """(the weakest assembly with shares `friction` (k,) more shear and shifted by `position` (k, 3), wrench)."""
        made: dict[tuple[int, float], ForceVolume] = {}
        contacts = []
        for i, c in enumerate(self.weakest.contacts):
            key, share = (id(c.volume), float(friction[i])), float(friction[i])
            if key not in made:
                factors = np.array([1.0 + share, 1.0 + share, 1.0])
                made[key] = c.volume if share == 0.0 else stretched(c.volume, factors)
            contacts.append(Contact(c.position + position[i], c.rotation, made[key], c.name))
        return Assembly(contacts, self.weakest.joints, self.weakest.name), wrench

    def load_with(self, force: Array, point: Array) -> Array:
        """(6,) the load with its force (its torque, where it has no force) replaced, acting `point` (3,) [m] off."""
        if not self.direction[:3].any():
            return np.concatenate([np.zeros(3), force])
        along = self.direction[3:] - np.cross(self.at, self.direction[:3])
        return np.concatenate([force, along + np.cross(self.at + point, force)])

    # -- what it does to the rows -----------------------------------------------------------------

    def residuals(self, problem: ContactProblem, contact: int, forces: Array, axes: Array) -> Array:
        """(n, a) the most that errors at one contact add to each axis . rows for local forces (n, 3).

        `axes` (a, m) are directions in the scaled rows of `problem`, that of the weakest assembly. Positions act on
        forces whose shear is off already: a convex function of that share, largest at one of its ends.
        """
        maps, rotation = problem.maps[contact], self.assembly.rotations[contact]
        share = float(self.friction[contact])
        total = share * np.abs((forces * np.array([1.0, 1.0, 0.0])) @ maps.T @ axes.T)
        arms = axes[:, 3:6] * problem.row_scale[3:6]  # (a, 3): axis . torque
        for b, width in enumerate(self.position[contact]):
            if width == 0.0:
                continue
            ends = []
            for sign in (-1.0, 1.0):
                factors = np.array([1.0 + sign * share, 1.0 + sign * share, 1.0])
                world = (forces * factors) @ rotation.T
                ends.append(np.abs(np.cross(np.eye(3)[b], world) @ arms.T))
            total = total + width * np.maximum(ends[0], ends[1])
        return total

    def load_residuals(self, problem: ContactProblem, axes: Array) -> Array:
        """(a,) the most that an error of the load adds to each axis . rows, per multiple of the load."""
        force, torque = self.direction[:3], self.direction[3:]
        arms = axes[:, 3:6] * problem.row_scale[3:6]
        if not force.any():
            return self._turned(torque, arms)
        centre = self.weakest.positions.mean(axis=0)  # the problem's torques are about it
        total = self._turned(force, axes[:, :3] * problem.row_scale[:3] + np.cross(arms, self.at - centre))
        far = 2.0 * math.sin(0.5 * self.angle) * float(np.linalg.norm(force))  # how far the turned force is off
        for b, width in enumerate(self.point):
            total = total + width * (np.abs(arms @ np.cross(np.eye(3)[b], force)) + far * np.linalg.norm(arms, axis=1))
        return total

    def _turned(self, vector: Array, axes: Array) -> Array:
        """(a,) the most that `vector` (3,), turned within its cone, adds to its product with axes (a, 3)."""
        along = vector / float(np.linalg.norm(vector))
        part = axes @ along
        across = np.linalg.norm(axes - part[:, None] * along, axis=1)
        size = float(np.linalg.norm(vector))
        return size * (math.sin(self.angle) * across + (1.0 - math.cos(self.angle)) * np.abs(part))


def _shares(name: str, value: ArrayLike, count: int) -> Array:
    given = np.full(count, value) if np.ndim(value) == 0 else value
    shares = checks.array(name, given, (count,))
    if (shares < 0.0).any() or (shares >= 1.0).any():
        raise InputError(f"holds {shares.min():g} to {shares.max():g}", where=name, fix="give shares in [0, 1)")
    return shares


def _widths(name: str, value: Array, shape: tuple[int, ...]) -> Array:
    widths = checks.array(name, value, shape)
    if (widths < 0.0).any():
        raise InputError(f"holds {widths.min():g}", where=name, fix="give half widths of at least 0 m")
    return widths
