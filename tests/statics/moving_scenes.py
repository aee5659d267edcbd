"""Small assemblies with closed-form answers, shared by the tests of this folder."""

from __future__ import annotations

import numpy as np

import holdfast as hf
from holdfast.checks import Array

UP = np.eye(3)
FEET = ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))


def pyramid(mu: float) -> hf.ForceVolume:
    """Coulomb's pyramid |fx|, |fy| <= mu fz without a cap: exact in the x and y directions."""
    corners = [(sx * mu, sy * mu, 1.0) for sx in (-1, 1) for sy in (-1, 1)]
    return hf.ForceVolume([np.zeros((1, 3))], [np.array(corners)])


def block(mu: float = 0.5, height: float = 0.0) -> hf.Assembly:
    """Four feet on a plane, `height` below the world origin."""
    volume = pyramid(mu)
    feet = [hf.Contact((x, y, -height), UP, volume, f"feet[{i}]") for i, (x, y) in enumerate(FEET)]
    return hf.Assembly(feet, name="block")


def tilted(angle: float, weight: float = 10.0) -> Array:
    """Weight of the block [N] when gravity leans from -z towards x by an angle [rad]."""
    return weight * np.array([np.sin(angle), 0.0, -np.cos(angle), 0.0, 0.0, 0.0])


def box(half: float = 1.0, top: float = 5.0) -> hf.ForceVolume:
    """|fx|, |fy| <= half, 0 <= fz <= top."""
    return hf.ForceVolume([[(x, y, z) for x in (-half, half) for y in (-half, half) for z in (0.0, top)]])


def plates(volume: hf.ForceVolume) -> hf.Assembly:
    """Four feet with the same volume."""
    return hf.Assembly([hf.Contact((x, y, 0.0), UP, volume, f"feet[{i}]") for i, (x, y) in enumerate(FEET)])
