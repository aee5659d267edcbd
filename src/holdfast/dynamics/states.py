"""What each contact does when nothing holds: it sticks, slips or separates, and how fast."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array

if TYPE_CHECKING:
    from .separation import Separation

#: A contact point accelerates when it does so by more than this share of the acceleration scale.
AT_REST = 1e-6

#: A contact pulls or presses when it does so by more than this share of the largest contact force or load.
UNLOADED = 1e-6


class ContactMode(StrEnum):
    """What the object does at a contact point."""

    STICKS = "sticks"
    SLIPS = "slips"
    SEPARATES = "separates"


@dataclass(frozen=True, eq=False)
class ContactState:
    """What the object does at one contact, relative to what it touches.

    Attributes:
        index: number of the contact in the assembly.
        name: how reports call it.
        mode: "sticks": the point stays; "slips": it moves along the surface; "separates": it moves off the surface.
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
        return f"ContactState({self.label}, {self.mode.value}, {self.normal:.3g} m/s^2 off, {self.slip:.3g} along)"

    @property
    def label(self) -> str:
        """How sentences call it."""
        return f'contact "{self.name}"' if self.name else f"contact {self.index}"

    @property
    def normal(self) -> float:
        """Acceleration off the surface, along the normal into the object [m/s^2]."""
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
        """Whether the point moves off the surface."""
        return self.mode is ContactMode.SEPARATES

    @property
    def pulls_while_separating(self) -> bool:
        """Whether the contact still pulls (f_z < 0) while the point moves off the surface: adhesion at its limit."""
        return self.separates and self.pulls

    @property
    def presses_while_separating(self) -> bool:
        """Whether the contact still presses (f_z > 0) while the point moves off the surface: a lift of (7) alone."""
        return self.separates and self.presses

    @property
    def words(self) -> str:
        """What it does, in words: the mode, and whether it still pulls or presses while it separates."""
        if self.pulls_while_separating:
            return "separates, still pulls"
        return "separates, still presses" if self.presses_while_separating else self.mode.value


def acceleration_scale(separation: Separation) -> float:
    """The acceleration [m/s^2] that others are small or large beside: that of the object under its load alone.

    |B^-1 w_ext| with the twist rate taken at the centre of the contacts and its angular part multiplied by the
    assembly's length; of the contact forces alone where these are far larger than the load, as in a tight grip
    (their sum is only right to rounding), or where there is no load.
    """
    assembly, mass = separation.assembly, separation.mass_matrix
    centre, length = assembly.positions.mean(axis=0), assembly.length
    free = _size(np.linalg.solve(mass, separation.wrench), centre, length)
    if separation.forces is None:
        return free
    columns = assembly.wrench_matrix.reshape(6, -1, 3)
    parts = np.linalg.solve(mass, np.einsum("rki,ki->rk", columns, separation.forces))
    largest = max(_size(part, centre, length) for part in parts.T)
    return max(free, AT_REST * largest) if free > 0.0 else largest


def _size(twist: Array, centre: Array, length: float) -> float:
    """Size [m/s^2] of a twist rate (6,) about the world origin."""
    at_centre = twist[:3] + np.cross(twist[3:], centre)
    return float(np.hypot(np.linalg.norm(at_centre), length * np.linalg.norm(twist[3:])))


def states_of(separation: Separation) -> tuple[ContactState, ...]:
    """What each contact does, in the order of the assembly; empty where no forces were found.

    A point separates when it accelerates along its normal by more than `AT_REST` times the acceleration scale (see
    `acceleration_scale`), else it slips when it accelerates along the surface by more than that, else it sticks.
    Where the object holds, every contact sticks.
    """
    twist, local = separation.contact_accelerations, separation.local_forces
    if twist is None or local is None:
        return ()
    assembly = separation.assembly
    relative = np.einsum("kji,kj->ki", assembly.rotations, twist)
    least = AT_REST * acceleration_scale(separation)
    strongest = max(float(np.linalg.norm(local, axis=1).max()), float(np.linalg.norm(separation.wrench[:3])))
    return tuple(
        ContactState(
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
