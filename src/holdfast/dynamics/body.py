"""The rigid body behind a mass matrix: mass, centre of mass and inertia, wherever it has been moved to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import InputError
from ..geometry.frames import Pose, skew
from .mass import mass_matrix


def centre_of_mass(matrix: Array) -> Array:
    """(3,) the centre of mass [m] of a rigid body's mass matrix (6, 6) about the world origin."""
    arm = 3.0 * matrix[3:, :3] / np.trace(matrix[:3, :3])
    return 0.5 * np.array([arm[2, 1] - arm[1, 2], arm[0, 2] - arm[2, 0], arm[1, 0] - arm[0, 1]])


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A rigid body before it moves.

    Attributes:
        mass: [kg].
        com: (3,) centre of mass in the world [m].
        inertia: (3, 3) about the centre of mass, in world axes [kg m^2].
    """

    mass: float
    com: Array
    inertia: Array

    @staticmethod
    def from_matrix(matrix: Array) -> RigidBody:
        """The body behind a mass matrix (6, 6) about the world origin."""
        mass, com = float(np.trace(matrix[:3, :3])) / 3.0, centre_of_mass(matrix)
        arm = matrix[3:, :3] / mass
        inertia = matrix[3:, 3:] + mass * skew(com) @ skew(com)
        size = float(np.abs(arm).max()) or 1.0
        off = max(np.abs(matrix[:3, :3] / mass - np.eye(3)).max(), np.abs(arm - skew(com)).max() / size)
        if off > tolerances.ORTHONORMAL:
            fix = "give hf.mass_matrix(mass, inertia, com): one mass for all directions, one centre of mass"
            raise InputError("is not that of a rigid body", where="mass_matrix", fix=fix)
        return RigidBody(mass, com, inertia)

    def matrix_at(self, pose: Pose) -> Array:
        """(6, 6) about the world origin when the body has been moved by `pose`."""
        turned = pose.rotation @ self.inertia @ pose.rotation.T
        return mass_matrix(self.mass, 0.5 * (turned + turned.T), pose.apply(self.com))
