"""Objects whose motion is known from a formula: what tests, documents and other rooms' tests can compare with."""

from __future__ import annotations

import numpy as np

import holdfast as hf
from holdfast.dynamics import mass_matrix

GRAVITY = 9.81  # [m/s^2]


def floor_contact(
    position: np.ndarray | list[float], volume: hf.ForceVolume, normal: tuple[float, ...] = (0, 0, 1)
) -> hf.Contact:
    """A contact with its shear direction along +x."""
    shear = (1.0, 0.0, 0.0) if abs(normal[0]) < 0.9 else (0.0, 0.0, 1.0)
    return hf.Contact(position, hf.frame_from_normal(normal, shear), volume)


def block(half_width: float, height: float, volume: hf.ForceVolume) -> hf.Assembly:
    """Four corners of a block's base on the plane z = 0; the centre of mass is `height` above it."""
    corners = [(x, y, 0.0) for x in (-half_width, half_width) for y in (-0.1, 0.1)]
    return hf.Assembly([floor_contact([x, y, z - height], volume) for x, y, z in corners])


def tilted(mass: float, angle: float) -> np.ndarray:
    """(6,) weight of a body at the origin on a slope that falls towards +x by `angle`, seen from the slope."""
    return hf.loads.gravity_wrench(mass, (GRAVITY * np.sin(angle), 0.0, -GRAVITY * np.cos(angle)))


def box_mass(mass: float, half: tuple[float, float, float]) -> np.ndarray:
    """Mass matrix of a solid box about its centre, at the origin."""
    a, b, c = (h**2 for h in half)
    return mass_matrix(mass, mass / 3.0 * np.diag([b + c, a + c, a + b]))


def ladder(length: float, angle: float, floor: hf.ForceVolume, wall: hf.ForceVolume) -> hf.Assembly:
    """A ladder in the x-z plane, `angle` above the floor, its foot towards +x, its head on a wall at the left.

    The origin is its middle.
    """
    half = 0.5 * length * np.array([np.cos(angle), 0.0, -np.sin(angle)])
    return hf.Assembly([floor_contact(half, floor), floor_contact(-half, wall, (1.0, 0.0, 0.0))])


def rod_mass(mass: float, length: float, angle: float) -> np.ndarray:
    """Mass matrix of a thin rod in the x-z plane about its middle, with a little inertia about its axis."""
    axis = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    across = mass * length**2 / 12.0
    return mass_matrix(mass, across * (np.eye(3) - 0.99 * np.outer(axis, axis)))
