"""Unit quaternions (x, y, z, w) and rotations."""

from __future__ import annotations

import numpy as np

from ..checks import Array


def rotation_of(quaternion: Array) -> Array:
    """Rotation (3, 3) of a unit quaternion (x, y, z, w)."""
    x, y, z, w = quaternion.tolist()
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def quaternion_of(rotation: Array) -> Array:
    """The unit quaternion (x, y, z, w) of a rotation (3, 3), with w >= 0; from its largest part, so never 0/0."""
    m = rotation
    outer = np.array(  # 4 times the outer product of (x, y, z, w) with itself
        [
            [1 + m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
            [m[0, 1] + m[1, 0], 1 - m[0, 0] + m[1, 1] - m[2, 2], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
            [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1 - m[0, 0] - m[1, 1] + m[2, 2], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1 + m[0, 0] + m[1, 1] + m[2, 2]],
        ]
    )
    row = outer[int(np.argmax(np.diag(outer)))]
    unit = row / np.linalg.norm(row)
    return unit if unit[3] >= 0.0 else -unit
