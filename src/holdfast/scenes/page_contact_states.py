"""The state of a contacts page: gravity, mass, friction, touching units, load and posture, as plain frozen data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from .scene import Scene

#: Letters of the phalanges, from the base to the tip; units of fingers are called "left D", say.
PHALANGES = "PMD"


@dataclass(frozen=True)
class ContactState:
    """Everything that the answer of a contacts page depends on, besides its source.

    Attributes:
        tilt: angle of gravity from straight down (-z) [deg], 0 to 180.
        heading: direction in which it is tilted, about z from x [deg].
        mass: of the object [kg]; 0 for no weight.
        friction: factor on the shear components of every force volume.
        touching: names of the units that touch.
        load_size: size of an extra force on the object's centre of mass [N].
        load_tilt, load_heading: its direction, as for gravity [deg].
        named: name of a load of the scene, "" for none.
        factor: multiples of that load.
        posture: (name, value) of each control of the source.
    """

    tilt: float
    heading: float
    mass: float
    friction: float
    touching: tuple[str, ...]
    load_size: float = 0.0
    load_tilt: float = 90.0
    load_heading: float = 0.0
    named: str = ""
    factor: float = 1.0
    posture: tuple[tuple[str, Any], ...] = ()


def direction(tilt: float, heading: float) -> Array:
    """(3,) unit vector `tilt` [deg] away from -z, towards `heading` [deg] about z from x."""
    t, h = np.radians(tilt), np.radians(heading)
    return np.array([np.sin(t) * np.cos(h), np.sin(t) * np.sin(h), -np.cos(t)])


def angles(vector: Array) -> tuple[float, float]:
    """(tilt, heading) [deg] of a vector (3,) that is not zero; heading 0 where it does not matter."""
    x, y, z = (float(part) for part in vector)
    across = float(np.hypot(x, y))
    if across <= 1e-9 * float(np.linalg.norm(vector)):
        return (0.0 if z < 0.0 else 180.0), 0.0
    return float(np.degrees(np.arctan2(across, -z))), float(np.degrees(np.arctan2(y, x)))


def units_of(assembly: Assembly) -> dict[str, tuple[int, ...]]:
    """Numbers of the contacts of each unit: "left D" for "left D[0]", "left D[1]", ...; "contact 3" without a name."""
    units: dict[str, list[int]] = {}
    for index, contact in enumerate(assembly.contacts):
        stem, bracket, _ = contact.name.rpartition("[")
        name = stem if bracket and contact.name.endswith("]") and stem else contact.name
        units.setdefault(name or f"contact {index}", []).append(index)
    return {name: tuple(indices) for name, indices in units.items()}


def fingers_of(units: Sequence[str]) -> dict[str, str]:
    """Letters of each finger's phalanges, when every unit is a phalanx ("left D"); else nothing."""
    fingers: dict[str, str] = {}
    for name in units:
        finger, _, letter = name.rpartition(" ")
        if not finger or letter not in PHALANGES or len(letter) != 1:
            return {}
        fingers[finger] = fingers.get(finger, "") + letter
    return fingers


def initial_state(scene: Scene, posture: tuple[tuple[str, Any], ...]) -> ContactState:
    """What a page begins with: the scene as it is, its first load chosen when the object has no mass."""
    tilt, heading = angles(scene.gravity) if scene.gravity.any() else (0.0, 0.0)
    named = next(iter(scene.loads), "") if not scene.mass else ""
    touching = tuple(units_of(scene.assembly))
    return ContactState(tilt, heading, float(scene.mass or 0.0), 1.0, touching, named=named, posture=posture)
