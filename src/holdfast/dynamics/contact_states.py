"""States of contacts while an object accelerates: they stick, slip or separate.

`AcceleratedObject` is the base of `Separation` and `CoulombMotion`.

Forces, wrenches and accelerations are in the world, torques and twist rates about the world origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from ..assembly.assembly import Assembly
from ..checks import Array
from ..geometry.screws import motion_description
from ..public_names import with_advice
from ..results import Result
from ..statics.diagnosis import Motion, amount
from ..statics.diagnosis import capitalised as with_capital

#: A contact point accelerates if its acceleration exceeds this fraction of the acceleration scale.
AT_REST = 1e-6

#: A contact pulls or presses if its normal force exceeds this fraction of the largest contact force or load.
UNLOADED = 1e-6


class ContactMode(StrEnum):
    """Motion of the object at a contact point."""

    STICKS = "sticks"
    SLIPS = "slips"
    SEPARATES = "separates"


@dataclass(frozen=True, eq=False)
class ContactMotion(Result):
    """Motion of the object at one contact, relative to the surface that it touches.

    Attributes:
        index: number of the contact in the assembly.
        name: its name in reports.
        mode: "sticks": it does not move; "slips": it moves along the surface; "separates": it leaves the surface.
        force: (3,) on the object, in the contact frame [N]; z < 0 pulls.
        acceleration: (3,) of the object at the contact point, in the contact frame (shear, lateral, normal) [m/s^2].
        pulls, presses: whether f_z is below or above zero by more than `UNLOADED` of the largest force.
    """

    index: int
    name: str
    mode: ContactMode
    force: Array
    acceleration: Array
    pulls: bool
    presses: bool

    def __repr__(self) -> str:
        return f"ContactMotion({self.label}, {self.mode.value}, {self.normal:.3g} m/s^2 off, {self.slip:.3g} along)"

    @property
    def label(self) -> str:
        """Its name in sentences."""
        return f'contact "{self.name}"' if self.name else f"contact {self.index}"

    @property
    def normal(self) -> float:
        """Acceleration away from the surface, along the normal into the object [m/s^2]."""
        return float(self.acceleration[2])

    @property
    def tangential(self) -> Array:
        """(2,) acceleration along the surface: shear, lateral [m/s^2]."""
        return self.acceleration[:2]

    @property
    def slip(self) -> float:
        """Size of the acceleration along the surface [m/s^2]."""
        return float(np.hypot(*self.acceleration[:2]))

    @property
    def separates(self) -> bool:
        """Whether the point leaves the surface."""
        return self.mode is ContactMode.SEPARATES

    @property
    def pulls_while_separating(self) -> bool:
        """Whether the contact still pulls (f_z < 0) while the point leaves the surface: adhesion at its limit."""
        return self.separates and self.pulls

    @property
    def presses_while_separating(self) -> bool:
        """Whether the contact still presses (f_z > 0) while the point leaves the surface: only by equation (7)."""
        return self.separates and self.presses

    @property
    def description(self) -> str:
        """The state as text: the mode, and whether it still pulls or presses while it separates."""
        if self.pulls_while_separating:
            return "separates, still pulls"
        return "separates, still presses" if self.presses_while_separating else self.mode.value

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name or str(self.index),
            "state": self.mode.value,
            "pulls_while_separating": self.pulls_while_separating,
            "presses_while_separating": self.presses_while_separating,
            "local_force": self.force.tolist(),
            "normal_acceleration": self.normal,
            "slip_acceleration": self.tangential.tolist(),
        }


def acceleration_scale(answer: AcceleratedObject) -> float:
    """The reference acceleration [m/s^2]: that of the object under its load alone.

    |B^-1 w_ext| with the twist rate taken at the centre of the contacts and its angular part multiplied by the
    assembly's length. If the contact forces are far larger than the load, as in a tight grip, or without a load, it is
    that of the contact forces alone, because their sum has a rounding error of this size.
    """
    assembly, mass = answer.assembly, answer.mass_matrix
    free = _size(assembly, np.linalg.solve(mass, answer.wrench))
    if answer.forces is None:
        return free
    columns = assembly.wrench_matrix.reshape(6 * assembly.body_count, -1, 3)
    parts = np.linalg.solve(mass, np.einsum("rki,ki->rk", columns, answer.forces))
    largest = max(_size(assembly, part) for part in parts.T)
    return max(free, AT_REST * largest) if free > 0.0 else largest


def _size(assembly: Assembly, twists: Array) -> float:
    """Size [m/s^2] of the largest of the twist rates (6 n,) of the bodies about the world origin."""
    parts = twists.reshape(-1, 6)
    at_centre = parts[:, :3] + np.cross(parts[:, 3:], assembly.centres)
    turning = assembly.length * np.linalg.norm(parts[:, 3:], axis=1)
    return float(np.hypot(np.linalg.norm(at_centre, axis=1), turning).max())


@with_advice()
def states_of(answer: AcceleratedObject) -> tuple[ContactMotion, ...]:
    """The state of each contact, in the order of the assembly; empty if no forces were found.

    A point separates when it accelerates along its normal by more than `AT_REST` times the acceleration scale (see
    `acceleration_scale`). Otherwise it slips if it accelerates along the surface by more than that. Else it sticks.
    If the object holds, every contact sticks.
    """
    relative, local = answer.relative_accelerations, answer.local_forces
    if relative is None or local is None:
        return ()
    assembly = answer.assembly
    least = AT_REST * acceleration_scale(answer)
    strongest = max(float(np.linalg.norm(local, axis=1).max()), float(np.linalg.norm(answer.wrench[:3])))
    return tuple(
        ContactMotion(
            index=index,
            name=contact.name,
            mode=_mode(relative[index], least),
            force=local[index],
            acceleration=relative[index],
            pulls=bool(local[index, 2] < -UNLOADED * strongest),
            presses=bool(local[index, 2] > UNLOADED * strongest),
        )
        for index, contact in enumerate(assembly.contacts)
    )


def _mode(acceleration: Array, least: float) -> ContactMode:
    if acceleration[2] > least:
        return ContactMode.SEPARATES
    return ContactMode.SLIPS if np.hypot(*acceleration[:2]) > least else ContactMode.STICKS


@dataclass(frozen=True, eq=False, kw_only=True)
class AcceleratedObject(Result):
    """An object with contacts, its load, its inertia, and the computed forces and acceleration.

    Attributes:
        assembly: contacts and joint rows.
        wrench: (6,) the external wrench on the object, torque about the world origin; of n bodies (6 n,).
        mass_matrix: (6, 6) about the world origin; of n bodies (6 n, 6 n).
        acceleration: (6,) acceleration [m/s^2] of the object's point at the world origin, angular acceleration
            [rad/s^2]; of n bodies (6 n,); None where there is none.
        forces: (k, 3) contact forces [N] on the object, in the world; None where there are none.
    """

    assembly: Assembly
    wrench: Array
    mass_matrix: Array
    acceleration: Array | None
    forces: Array | None

    @cached_property
    def local_forces(self) -> Array | None:
        """(k, 3) the forces in the contact frames."""
        return None if self.forces is None else np.einsum("kji,kj->ki", self.assembly.rotations, self.forces)

    def acceleration_at(self, points: Array) -> Array:
        """(..., 3) acceleration a + alpha x p [m/s^2] of the object at points (..., 3) [m]; zero when it holds.

        For several bodies it is that of the first one: see `body_accelerations`.
        """
        twist = self.body_accelerations[0]
        return twist[:3] + np.cross(twist[3:], points)

    @cached_property
    def body_accelerations(self) -> Array:
        """(n, 6) acceleration [m/s^2] of each body's point at the world origin, angular acceleration [rad/s^2]."""
        if self.acceleration is None:
            return np.zeros((self.assembly.body_count, 6))
        return self.acceleration.reshape(-1, 6)

    @cached_property
    def contact_accelerations(self) -> Array | None:
        """(k, 3) acceleration [m/s^2] of the body at each contact point relative to the other side, in the world."""
        if self.acceleration is None:
            return None
        if self.assembly.body_count == 1:
            return self.acceleration_at(self.assembly.positions)
        twists = np.concatenate([self.body_accelerations, np.zeros((1, 6))])  # the last one is the world's: -1
        relative = twists[self.assembly.sides[:, 0]] - twists[self.assembly.sides[:, 1]]
        return relative[:, :3] + np.cross(relative[:, 3:], self.assembly.positions)

    @cached_property
    def relative_accelerations(self) -> Array | None:
        """(k, 3) acceleration [m/s^2] of the object relative to the surface at each contact, in the contact frames."""
        if self.contact_accelerations is None:
            return None
        return np.einsum("kji,kj->ki", self.assembly.rotations, self.contact_accelerations)

    @cached_property
    def normal_accelerations(self) -> Array | None:
        """(k,) N W^T q'' of (7) [m/s^2]: opening acceleration of each contact; not negative beyond rounding."""
        return None if self.relative_accelerations is None else self.relative_accelerations[:, 2]

    @cached_property
    def states(self) -> tuple[ContactMotion, ...]:
        """The state of each contact: it sticks, slips or separates."""
        return states_of(self)

    @property
    def motion(self) -> str | None:
        """How the object moves, to follow "the object": "moves along -z"; None without an acceleration.

        For several bodies: which of them move, and how.
        """
        if self.acceleration is None:
            return None
        if self.assembly.bodies:
            return Motion(self.body_accelerations, self.assembly).clause
        return motion_description(*visible_motion(self))


# Descriptions as text.

#: Largest number of names in a list; the others are counted.
MOST_NAMES = 3

#: A part of the acceleration below this fraction of its scale is left out of the description.
SMALL_PART = 1e-6


def visible_motion(answer: AcceleratedObject) -> tuple[Array, Array, Array, float]:
    """(velocity, angular, centre, length) of `motion_description`, without parts at rounding level."""
    length, scale = answer.assembly.length, acceleration_scale(answer)
    centre, twist = answer.assembly.centres[0], answer.body_accelerations[0]
    turn = np.where(np.abs(twist[3:]) * length > SMALL_PART * scale, twist[3:], 0.0)
    at_centre = answer.acceleration_at(centre)
    at_centre = np.where(np.abs(at_centre) > SMALL_PART * scale, at_centre, 0.0)
    return at_centre - np.cross(turn, centre), turn, centre, length


def turns(answer: AcceleratedObject) -> bool:
    """Whether the object turns visibly."""
    return bool(visible_motion(answer)[1].any())


def gives_way(states: Sequence[ContactMotion]) -> list[str]:
    """Sentences: which contacts separate, fastest first, which slip, which stay."""
    off = sorted((s for s in states if s.separates), key=lambda s: -s.normal)
    slide = sorted((s for s in states if s.mode is ContactMode.SLIPS), key=lambda s: -s.slip)
    stay = [s for s in states if s.mode is ContactMode.STICKS]
    parts = []
    if off:
        first = "" if len(off) == 1 else "the first by "
        parts.append(f"{listed(off, 'separate')} ({first}{amount(off[0].normal)} m/s^2)")
    if slide:
        parts.append(f"{listed(slide, 'slip')} ({amount(slide[0].slip)} m/s^2)")
    if stay:
        parts.append(listed(stay, "stick"))
    return [f"{with_capital('; '.join(parts))}."] if parts else []


def listed(states: Sequence[ContactMotion], verb: str = "") -> str:
    """The first few by name, the others counted; then the verb."""
    one = len(states) == 1
    return listed_names([f'"{s.name}"' if s.name else str(s.index) for s in states]) + (
        f" {verb}{'s' if one else ''}" if verb else ""
    )


def listed_names(labels: Sequence[str]) -> str:
    """Contacts by name or number, only the first few of many: contacts 0, 1 and 5 more."""
    shown, rest = list(labels[:MOST_NAMES]), len(labels) - MOST_NAMES
    last = f"{rest} more" if rest > 0 else shown.pop()
    names = f"{', '.join(shown)} and {last}" if shown else last
    return f"contact{'' if len(labels) == 1 else 's'} {names}"
