"""Wrenches about a point amid the hands: torques about a far world origin would drown those that matter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...checks import Array
from ...geometry.frames import Pose
from ...grips import GripBounds
from ..hands import AnyGrip, Hands, arrays_of, transports
from ..lazy import LazyGrip


def support_along(grip: AnyGrip, direction: Array) -> float:
    """How far a hand reaches along `direction` (6,) of its palm frame: a bound for lazy hands, inf without a limit."""
    if isinstance(grip, GripBounds):
        return float(grip.outer.support(direction))
    if isinstance(grip, LazyGrip):
        return grip.support_bound(direction) if direction.any() else 0.0
    return float(grip.support(direction))


@dataclass(frozen=True, eq=False)
class Centring:
    """The hands as seen from the mean of their palms' origins."""

    hands: Hands

    @cached_property
    def centre(self) -> Array:
        """(3,) [m] in the world."""
        return np.array([pose.translation for pose in self.hands.poses]).mean(axis=0)

    @cached_property
    def poses(self) -> tuple[Pose, ...]:
        """Palm frames to the world's axes at the centre."""
        return tuple(Pose(pose.rotation, pose.translation - self.centre) for pose in self.hands.poses)

    @cached_property
    def maps(self) -> Array:
        """(k, 6, 6) palm wrenches to wrenches about the centre (13)."""
        turns, shifts = arrays_of(self.hands.poses)
        return transports(turns, shifts - self.centre)

    def to_world(self, multipliers: Array) -> Array:
        """Multipliers (..., 6) against wrenches about the centre, as those against wrenches about the world origin."""
        moved = np.array(multipliers, dtype=np.float64)
        moved[..., :3] += np.cross(self.centre, moved[..., 3:])
        return moved

    def from_world(self, multipliers: Array) -> Array:
        """The inverse of `to_world`."""
        moved = np.array(multipliers, dtype=np.float64)
        moved[..., :3] -= np.cross(self.centre, moved[..., 3:])
        return moved
