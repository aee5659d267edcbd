"""How the margin of a posture changes with the posture: the slope by q, from the dual of the margin's program.

The margin is s = max over the palms' wrenches w_j of a program with the balance sum_j T_j(q) w_j = -(w + s d), torques
about the centre of mass. Its multipliers y (y . d = -1) price that balance, so that along a motion of the robot

    ds = sum_j y . dT_j w_j,

with the wrenches w_j and y of the optimum held still. With palm j moving by dp against the centre of mass and turning
by dr, its force f and its torque t (world axes, about its palm at the arm p) change by dr x f and dr x t, hence

    y . dT_j w_j = dp . (f x y_t) + dr . (f x y_f + t x y_t + f x (y_t x p)).

That is the slope where the optimum and its prices are unique. Elsewhere, at a kink, slopes differ from side to side,
and this is one of those between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import Array
from ..grips import Grip
from ..solvers.minkowski import HandWeights

#: A vertex counts as used, or as reached by the prices, within this share of the hand's size.
ACTIVE = 1e-9

#: The hands of an optimum in general position mix this many vertices and rays more than there are hands.
GENERAL = 5


@dataclass(frozen=True, eq=False)
class MarginSlope:
    """A margin and its slope by q.

    Attributes:
        value: the margin.
        gradient: (v_size,) by the robot's velocity coordinates (see `Robot`): joints per rad or m, a floating base per
            metre and radian in world axes. `robot.moved(q, h * gradient)` goes uphill. NaN where there is none.
        smooth: whether the slope is the same from all sides. False at a kink: two limits bind at once, or the optimum
            is not unique; then `PosturePlanner.differences` tells the sides apart. None where hands have no vertices
            to tell it by.
        binding: what decides the margin, in words.
    """

    value: float
    gradient: Array
    smooth: bool | None
    binding: str

    def __repr__(self) -> str:
        kind = {True: "smooth", False: "at a kink", None: "smooth or not"}[self.smooth]
        return f"MarginSlope({self.value:.6g} by {self.binding}, {kind})"


@dataclass(frozen=True, eq=False)
class Stand:
    """Where the palms are in one posture.

    Attributes:
        q: the posture.
        com: (3,) centre of mass in the world [m].
        rotations: (k, 3, 3) palm frames in the world.
        arms: (k, 3) palm origins from the centre of mass [m], world axes.
        maps: (k, 6, 6) palm wrenches to wrenches about the centre of mass, world axes.
    """

    q: Array
    com: Array
    rotations: Array
    arms: Array
    maps: Array

    @property
    def matrices(self) -> Array:
        """(k, 4, 4) palm frames to the world."""
        result = np.zeros((len(self.arms), 4, 4))
        result[:, :3, :3], result[:, :3, 3], result[:, 3, 3] = self.rotations, self.arms + self.com, 1.0
        return result


def work(stand: Stand, wrenches: Array, multipliers: Array) -> tuple[Array, Array]:
    """What palm motions do to y . sum_j T_j w_j with the wrenches w_j (k, 6) held still in their palm frames.

    Args:
        stand: where the palms are.
        wrenches: (k, 6) palm frames.
        multipliers: (6,) y, against wrenches about the centre of mass.

    Returns:
        (per shift (k, 3) of each palm against the centre of mass, per turn (k, 3) of each palm), world axes.
    """
    force = np.einsum("kij,kj->ki", stand.rotations, wrenches[:, :3])
    torque = np.einsum("kij,kj->ki", stand.rotations, wrenches[:, 3:])
    y_force, y_torque = multipliers[:3], multipliers[3:]
    per_shift = np.cross(force, y_torque)
    per_turn = np.cross(force, y_force) + np.cross(torque, y_torque) + np.cross(force, np.cross(y_torque, stand.arms))
    return per_shift, per_turn


def about(multipliers: Array, point: Array) -> Array:
    """y (6,) against wrenches about the world origin as y against wrenches about a point (3,)."""
    return np.concatenate([multipliers[:3] + np.cross(multipliers[3:], point), multipliers[3:]])


def unique_optimum(
    grips: Sequence[Any], maps: Array, weights: Sequence[HandWeights], multipliers: Array
) -> bool | None:
    """Whether optimum and prices are unique: just the vertices and rays that y reaches are used, 5 + k in k hands.

    None for hands without vertices.
    """
    reached = points_reached(grips, maps, multipliers)
    if reached is None or not len(weights):
        return None
    used = 0
    for grip, own in zip(grips, weights, strict=True):
        used += int((own.values > ACTIVE).sum())
        if len(own.ray_indices):
            lengths = np.linalg.norm(grip.rays[own.ray_indices] / np.repeat([1.0, grip.length], 3), axis=1)
            used += int((own.ray_values * lengths > ACTIVE * grip.size).sum())
    return used == reached == GENERAL + len(grips)


def points_reached(grips: Sequence[Any], maps: Array, multipliers: Array) -> int | None:
    """How many vertices and rays of all hands lie furthest along y (6,); None for hands without vertices."""
    if not all(isinstance(grip, Grip) for grip in grips):
        return None
    count = 0
    for grip, transport in zip(grips, maps, strict=True):
        direction = transport.T @ multipliers
        unit = np.repeat([1.0, grip.length], 3)
        slope = float(np.linalg.norm(direction * unit)) or 1.0
        scores = grip.vertices @ direction
        count += int((scores >= scores.max() - ACTIVE * grip.size * slope).sum())
        if len(grip.rays):
            lengths = np.linalg.norm(grip.rays / unit, axis=1)
            count += int((grip.rays @ direction >= -ACTIVE * slope * lengths).sum())
    return count
