"""Where wrenches are measured from, and in which units: amid the hands, torques over a length, forces over a unit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...checks import Array


class Scaling(NamedTuple):
    """Scaled coordinates of world wrenches: torque about `centre`, divided by `length`, all divided by `unit`.

    A posture may stand far from the world origin; torques about it would drown the ones that matter.
    """

    centre: Array  # (3,) [m] a point amid the palms
    length: float  # [m]
    unit: float  # [N]

    @property
    def to_scaled(self) -> Array:
        """(6, 6) takes world wrenches to scaled ones."""
        matrix = np.eye(6)
        matrix[3:, :3] = -cross(self.centre)
        matrix[3:] /= self.length
        return matrix / self.unit

    def multipliers(self, scaled: Array) -> Array:
        """(..., 6) in the world, such that both forms give the same product with a wrench."""
        return scaled @ self.to_scaled


def cross(vector: Array) -> Array:
    """(3, 3) matrix of the cross product with `vector`."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def palm_positions(maps: Array) -> Array:
    """(k, 3) [m] of the maps' translations: [t] R stands in the lower left block of (13)."""
    skew = np.einsum("jab,jcb->jac", maps[:, 3:, :3], maps[:, :3, :3])
    return 0.5 * np.stack(
        [skew[:, 2, 1] - skew[:, 1, 2], skew[:, 0, 2] - skew[:, 2, 0], skew[:, 1, 0] - skew[:, 0, 1]], axis=1
    )
