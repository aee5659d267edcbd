"""Rotations, rigid transforms and the transport of wrenches between frames.

A wrench is (force [N], torque [N m]), the torque taken about the origin of the frame it is expressed
in. A contact frame has the columns (u, v, n): shear, lateral, normal into the supported object.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import FrameError
from ..public_names import with_advice

#: (3, 9) the entries of [v], row by row, as a linear map of v.
_SKEW = np.array([[0, 0, 0, 0, 0, -1, 0, 1, 0], [0, 0, 1, 0, 0, 0, -1, 0, 0], [0, -1, 0, 1, 0, 0, 0, 0, 0.0]])


def skew(vector: ArrayLike) -> Array:
    """[v] with [v] x = v cross x; for (..., 3) input, (..., 3, 3)."""
    return skew_matrices(checks.rows("vector", vector, 3))


def skew_matrices(vectors: Array) -> Array:
    """`skew` of vectors (..., 3) that are checked already."""
    return (vectors @ _SKEW).reshape(*vectors.shape, 3)


def rotation(name: str, value: ArrayLike) -> Array:
    """`value` as a right-handed rotation (3, 3), or a `FrameError` that says which property fails."""
    if checks.shape(name, value) == (3,):
        fix = "give a matrix (3, 3), such as holdfast.frame_from_normal(normal)"
        raise FrameError("is one direction (3,)", where=name, fix=fix)
    matrix = checks.array(name, value, (3, 3))
    lengths = np.linalg.norm(matrix, axis=0)
    if np.abs(lengths - 1.0).max() > tolerances.ORTHONORMAL:
        raise FrameError(
            f"its columns have lengths {lengths.round(6).tolist()}",
            where=name,
            fix="columns (u, v, n) must have length 1",
        )
    error = np.abs(matrix.T @ matrix - np.eye(3)).max()
    if error > tolerances.ORTHONORMAL:
        raise FrameError(
            f"its columns are not orthogonal (largest dot product {error:.3g})",
            where=name,
            fix="columns (u, v, n) must be at right angles; frame_from_normal(normal, shear) makes such a frame",
        )
    if np.linalg.det(matrix) < 0.0:
        raise FrameError("is left-handed (determinant -1)", where=name, fix="columns (u, v, n) need u x v = n; flip v")
    if error > tolerances.UNIT_ROUNDING:  # the nearest exact rotation, so that chains of poses do not drift from one
        left, _, right = np.linalg.svd(matrix)
        matrix = left @ right
        matrix.setflags(write=False)
    return matrix


@with_advice(degrees="give angle=math.radians(degrees)")
def rotation_about(axis: ArrayLike, angle: float) -> Array:
    """Rotation (3, 3) by `angle` [rad] about the unit direction of `axis` (Rodrigues' formula)."""
    k = skew(checks.direction("axis", axis, 3))
    angle = checks.number("angle", angle, unit="rad")
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)


@with_advice()
def frame_from_normal(normal: ArrayLike, shear: ArrayLike | None = None) -> Array:
    """Contact frame (3, 3) with columns (u, v, n) from a normal into the object and a shear direction.

    u is the part of `shear` at right angles to the normal; without `shear`, the world axis least
    aligned with the normal is taken.
    """
    n = checks.direction("normal", normal, 3)
    wanted = np.eye(3)[np.argmin(np.abs(n))] if shear is None else checks.direction("shear", shear, 3)
    u = wanted - (wanted @ n) * n
    length = np.linalg.norm(u)
    if length < tolerances.ORTHONORMAL:
        raise FrameError("is parallel to the normal", where="shear", fix="give a direction along the surface")
    u /= length
    return np.column_stack([u, np.cross(n, u), n])


@with_advice(position="give translation")
@dataclass(frozen=True, eq=False)
class Pose:
    """Rigid transform from a local frame into the world: x_world = rotation x_local + translation [m]."""

    rotation: Array
    translation: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", rotation("rotation", self.rotation))
        object.__setattr__(self, "translation", checks.vector("translation", self.translation, 3))

    @staticmethod
    def identity() -> Pose:
        """The pose that changes nothing."""
        return Pose(np.eye(3), np.zeros(3))

    def __matmul__(self, other: Pose) -> Pose:
        """First `other`, then this pose."""
        return Pose(self.rotation @ other.rotation, self.apply(other.translation))

    def inverse(self) -> Pose:
        """The pose that undoes this one."""
        return Pose(self.rotation.T, -self.rotation.T @ self.translation)

    def apply(self, points: ArrayLike) -> Array:
        """Points (..., 3) [m] of the local frame in the world."""
        return checks.rows("points", points, 3) @ self.rotation.T + self.translation

    @cached_property
    def reach(self) -> float:
        """Largest absolute coordinate of the translation [m]."""
        return max(map(abs, self.translation.tolist()))

    def wrench_transport(self) -> Array:
        """(6, 6) map of local wrenches into world wrenches (13): [[R, 0], [[t] R, R]]."""
        return self.transport.copy()

    @cached_property
    def transport(self) -> Array:
        """`wrench_transport` as one array that is made once and must not be changed."""
        made = transports(self.rotation, self.translation)
        made.setflags(write=False)
        return made


def rigid_poses(rotations: ArrayLike, translations: ArrayLike) -> tuple[Pose, ...] | None:
    """Poses of rotations (k, 3, 3) and translations (k, 3) [m], checked all at once; None where one is not rigid.

    Construct the single `Pose` for an error that says what is wrong with it.
    """
    turns = np.array(rotations, dtype=np.float64)
    shifts = np.array(translations, dtype=np.float64)
    error = np.abs(turns.transpose(0, 2, 1) @ turns - np.eye(3)).max(initial=0.0)
    if not (error <= tolerances.ORTHONORMAL and np.isfinite(shifts).all() and (np.linalg.det(turns) > 0.0).all()):
        return None
    if error > tolerances.UNIT_ROUNDING:
        left, _, right = np.linalg.svd(turns)
        turns = left @ right
    turns.setflags(write=False)
    shifts.setflags(write=False)
    poses = tuple(object.__new__(Pose) for _ in turns)
    for pose, turn, shift in zip(poses, turns, shifts, strict=True):
        pose.__dict__.update(rotation=turn, translation=shift)
    return poses


def wrench_transport(rotation_matrix: ArrayLike, translation: ArrayLike) -> Array:
    """(6, 6) map of wrenches of a frame at (R, t) into the world (13); the lower-left block is [t] R."""
    return transports(
        checks.array("rotation_matrix", rotation_matrix, (3, 3)), checks.vector("translation", translation, 3)
    )


def transports(rotations: Array, translations: Array) -> Array:
    """(..., 6, 6) maps (13) of rotations (..., 3, 3) and translations (..., 3) [m] that are checked already."""
    maps = np.zeros((*translations.shape[:-1], 6, 6))
    maps[..., :3, :3] = maps[..., 3:, 3:] = rotations
    np.matmul(skew_matrices(translations), rotations, out=maps[..., 3:, :3])
    return maps


def wrench_matrix(positions: ArrayLike) -> Array:
    """W (6, 3k) of (2): maps stacked world forces [N] at `positions` (k, 3) [m] to their wrench about the origin."""
    x = checks.array("positions", positions, ("k", 3))
    blocks = np.concatenate([np.broadcast_to(np.eye(3), (len(x), 3, 3)), skew(x)], axis=1)  # (k, 6, 3)
    return blocks.transpose(1, 0, 2).reshape(6, 3 * len(x))


# -- unit quaternions (x, y, z, w) ----------------------------------------------------------------


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
