"""Planar fingers: phalanges in a row on parallel hinges; poses, contact frames, Jacobians, gravity torques.

Finger frame (the base): x along the straight finger towards its tip, y the axis of all joints, z away
from the object, on the back of the finger. The origin is the first joint. A positive angle turns the
phalanx and all beyond it about +y, from x towards -z: it curls towards the object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..checks import Array
from ..errors import InputError, UnitError
from ..geometry.frames import Pose, rotation_about


@dataclass(frozen=True, eq=False)
class PlanarFinger:
    """A finger at fixed joint angles; its base is held in the world.

    Attributes:
        base: pose of the finger frame in the world.
        lengths: (n,) joint to joint, and last joint to tip [m].
        angles: (n,) joint angles q, each relative to the phalanx before [rad].
        masses: (n,) of the phalanges [kg], >= 0; none by default.
        coms: (n, 2) centres of mass in the phalanx frame: along the phalanx from its joint, and away
            from the object off the line of joints [m]; halfway along the line by default.
        names: (n,) of the phalanges, for reports.
    """

    base: Pose
    lengths: Array
    angles: Array
    masses: Array = field(default_factory=lambda: np.zeros(0))
    coms: Array = field(default_factory=lambda: np.zeros((0, 2)))
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.base, Pose):
            raise InputError(f"is a {type(self.base).__name__}", where="base", fix="give a Pose")
        lengths = checks.array("lengths", self.lengths, ("n",))
        count = len(lengths)
        if not count:
            raise InputError("is empty", where="lengths", fix="give one length a phalanx")
        for index, length in enumerate(lengths):
            if not tolerances.SMALLEST_LENGTH <= length <= tolerances.LARGEST_LENGTH:
                fix = f"metres, between {tolerances.SMALLEST_LENGTH:g} and {tolerances.LARGEST_LENGTH:g}"
                raise UnitError(f"is {length:.3g} m", where=f"lengths[{index}]", fix=fix)
        angles = checks.array("angles", self.angles, (count,))
        masses = checks.array("masses", self.masses if np.size(self.masses) else np.zeros(count), (count,))
        for index, mass in enumerate(masses):
            checks.number(f"masses[{index}]", mass, low=0.0, high=tolerances.LARGEST_MASS, unit="kg")
        halfway = np.column_stack([lengths / 2.0, np.zeros(count)])
        coms = checks.array("coms", self.coms if np.size(self.coms) else halfway, (count, 2))
        names = tuple(self.names) or tuple(f"phalanx {index}" for index in range(count))
        if len(names) != count:
            raise InputError(f"has {len(names)} entries for {count} phalanges", where="names", fix="name each")
        fields = {"lengths": lengths, "angles": angles, "masses": masses, "coms": coms, "names": names}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.lengths)

    def with_angles(self, angles: ArrayLike) -> PlanarFinger:
        """The same finger at other joint angles (n,) [rad]."""
        return replace(self, angles=np.asarray(angles, dtype=np.float64))

    # -- kinematics -----------------------------------------------------------------------------

    @cached_property
    def phalanx_poses(self) -> tuple[Pose, ...]:
        """Pose in the world of each phalanx frame: origin at its joint, x along it, y the joint axis."""
        poses, frame = [], self.base
        for length, angle in zip(self.lengths, self.angles, strict=True):
            frame = frame @ Pose(rotation_about((0, 1, 0), angle), np.zeros(3))
            poses.append(frame)
            frame = frame @ Pose(np.eye(3), np.array([length, 0.0, 0.0]))
        return tuple(poses)

    @cached_property
    def joint_positions(self) -> Array:
        """(n + 1, 3) the joints in order, then the tip, in the world [m]."""
        tip = self.phalanx_poses[-1].apply((self.lengths[-1], 0.0, 0.0))
        return np.array([*(pose.translation for pose in self.phalanx_poses), tip])

    @property
    def axis(self) -> Array:
        """(3,) the joints' common axis in the world."""
        return self.base.rotation[:, 1]

    def contact_pose(self, phalanx: int, *, offset: float, along: float | None = None) -> Pose:
        """Contact frame of a unit under a phalanx: columns (u, v, n), origin at the middle of the unit.

        u points back along the phalanx to its joint: the spines pull the object towards the base. n points
        away from the phalanx, INTO the object. v = n x u is the joint axis.

        Args:
            phalanx: number of the phalanx, 0 at the base.
            offset: from the line of joints to the surface of contact [m].
            along: from the phalanx's joint, along it [m]; half its length by default.
        """
        index = self._index(phalanx)
        along = self.lengths[index] / 2.0 if along is None else checks.number("along", along, unit="m")
        offset = checks.number("offset", offset, unit="m")
        turn = np.column_stack([(-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)])
        return self.phalanx_poses[index] @ Pose(turn, np.array([along, 0.0, -offset]))

    def point_jacobian(self, phalanx: int, point: ArrayLike) -> Array:
        """J (3, n): velocity in the world of a point fixed to a phalanx, now at `point` (3,) in the world [m].

        Column j is axis x (point - joint j) for the joints up to the phalanx's own, zero beyond.
        """
        index = self._index(phalanx)
        x = checks.vector("point", point, 3)
        result = np.zeros((3, len(self)))
        arms = x - self.joint_positions[: index + 1]
        result[:, : index + 1] = np.cross(self.axis, arms).T
        return result

    def rows_jacobian(self, phalanges: Sequence[int], points: ArrayLike) -> Array:
        """(n, 3k) blocks J_i^T of contacts at `points` (k, 3) in the world [m], each on the phalanx named for it."""
        x = checks.array("points", points, (len(phalanges), 3))
        blocks = [self.point_jacobian(phalanx, point).T for phalanx, point in zip(phalanges, x, strict=True)]
        return np.concatenate([np.zeros((len(self), 0)), *blocks], axis=1)

    def _index(self, phalanx: int) -> int:
        if isinstance(phalanx, bool) or not isinstance(phalanx, (int, np.integer)) or not 0 <= phalanx < len(self):
            raise InputError(f"is {phalanx!r}", where="phalanx", fix=f"give a number from 0 to {len(self) - 1}")
        return int(phalanx)

    # -- gravity --------------------------------------------------------------------------------

    @cached_property
    def com_positions(self) -> Array:
        """(n, 3) centres of mass of the phalanges in the world [m]."""
        local = np.column_stack([self.coms[:, 0], np.zeros(len(self)), self.coms[:, 1]])
        return np.array([pose.apply(x) for pose, x in zip(self.phalanx_poses, local, strict=True)])

    @cached_property
    def gravity_matrix(self) -> Array:
        """(n, 3) with G(q) = gravity_matrix @ gravity: minus the sum over phalanges of m J_com^T.

        G is the gradient of the potential energy -sum m g . x_com, so that (4) reads G = tau without contacts.
        """
        parts = [
            mass * self.point_jacobian(index, com).T
            for index, (mass, com) in enumerate(zip(self.masses, self.com_positions, strict=True))
        ]
        return -np.sum(parts, axis=0)

    def gravity_torque(self, gravity: ArrayLike) -> Array:
        """G(q) (n,) [N m] for the acceleration of gravity (3,) in the world [m/s^2], (4)."""
        return self.gravity_matrix @ checks.vector("gravity", gravity, 3)
