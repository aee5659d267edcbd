"""Proofs about postures: half-spaces that no sum of the hands' wrenches leaves, checked without the solver.

For any y, every wrench b that the hands give together obeys y . b <= h(y) = sum_j h_j(T_j^T y). A load -b beyond that
is not held, and y is its separating wrench.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .. import tolerances
from ..checks import Array, IntArray
from ..grips import Grip, OuterGrip
from .hands import AnyGrip, Hands
from .lazy import LazyGrip

#: What sums of products may have lost, as a share of the size of their terms.
ROUNDING = 1e-13


class PlaneWeights(NamedTuple):
    """Why a hand of half-spaces goes no further: weights >= 0 of its rows that add up to the direction."""

    rows: IntArray
    weights: Array


@dataclass(frozen=True, eq=False)
class SumBound:
    """y . b <= support for all wrenches b that the hands can give together (outer).

    Attributes:
        hands: grips and poses.
        multipliers: (6,) y against world wrenches about the world origin; with its torque part times `hands.length` and
            taken about the palms' mean, of length 1 where it separates.
        support: [N] for such y: the sum over hands of their largest (T_j^T y) . w_j.
        planes: what proves the support of hands that are half-spaces, None for the others.
    """

    hands: Hands
    multipliers: Array
    support: float
    planes: tuple[PlaneWeights | None, ...]

    def verify(self) -> bool:
        """Whether the support is right or too large, from every vertex, ray and half-space of every hand."""
        total, size = _supports(self.hands, self.multipliers, self.planes)
        return bool(total <= self.support + tolerances.SEPARATION * size)


@dataclass(frozen=True, eq=False)
class SeparatingWrench(SumBound):
    """Proof that a load is not held: y . (sum of the hands' wrenches + w) stays below zero whatever they do.

    -y is a motion of the body (velocity [m/s], angular velocity [rad/s], about the world origin) in which the load does
    more work than the hands can take up.

    Attributes:
        wrench: (6,) the external wrench w on the body.
    """

    wrench: Array

    @property
    def margin(self) -> float:
        """-(y . w) - support [N]: by how much the load wins; torques counted by `hands.length`."""
        return float(-self.multipliers @ self.wrench) - self.support

    @property
    def wins(self) -> bool:
        """Whether the margin is more than rounding may have made of it."""
        size = float(np.abs(self.multipliers) @ np.abs(self.wrench))
        for grip, transport in zip(self.hands.grips, self.hands.maps, strict=True):
            if isinstance(grip, Grip):
                size += float(grip.largest_parts @ (np.abs(transport).T @ np.abs(self.multipliers)))
        return self.margin > ROUNDING * max(size, abs(self.support))

    def verify(self) -> bool:
        """Whether the load wins by more than rounding, with supports reckoned anew."""
        total, _ = _supports(self.hands, self.multipliers, self.planes)
        return super().verify() and replace(self, support=max(total, self.support)).wins


def total_support(hands: Hands, multipliers: Array, planes: tuple[PlaneWeights | None, ...]) -> float:
    """h(y): how far all hands together reach along y (6,); inf where nothing bounds them."""
    return _supports(hands, multipliers, planes)[0]


def _supports(hands: Hands, multipliers: Array, planes: tuple[PlaneWeights | None, ...]) -> tuple[float, float]:
    """(sum of the hands' supports, size of its terms)."""
    total = size = 0.0
    for grip, transport, own in zip(hands.grips, hands.maps, planes, strict=True):
        value, terms = hand_support(grip, transport, multipliers, own)
        total, size = total + value, size + terms
    return total, size


def hand_support(
    grip: AnyGrip, transport: Array, multipliers: Array, planes: PlaneWeights | None
) -> tuple[float, float]:
    """(support, size of the terms) of one hand at y; inf where nothing bounds it or the proof is wrong."""
    direction = transport.T @ multipliers
    unit = np.repeat([1.0, grip.length], 3)
    terms = (np.abs(transport).T @ np.abs(multipliers)) * unit
    if isinstance(grip, Grip):
        if len(grip.rays):
            rays = grip.rays / unit
            slopes = rays @ (direction * unit)
            if (slopes > tolerances.RAY_SLOPE * np.linalg.norm(terms) * np.linalg.norm(rays, axis=1)).any():
                return np.inf, 1.0
        return float((grip.vertices @ direction).max()), float((grip.largest_parts / unit) @ terms)
    if isinstance(grip, OuterGrip):
        if planes is None or (planes.weights < 0.0).any():
            return np.inf, 1.0
        normals = grip.normals[planes.rows] * unit
        off = np.abs(planes.weights @ normals - direction * unit).max()
        if off > tolerances.SEPARATION * max(terms.max(), (planes.weights @ np.abs(normals)).max()):
            return np.inf, 1.0
        values = planes.weights * grip.offsets[planes.rows]
        return float(values.sum()), float(np.abs(values).sum())
    if isinstance(grip, LazyGrip):
        bound = grip.support_bound(direction) if direction.any() else 0.0
        return bound, abs(bound)
    return np.inf, 1.0


def unit_multipliers(hands: Hands, multipliers: Array) -> Array:
    """y with length 1, its torque part about the palms' mean and counted by `hands.length`."""
    centre = np.array([pose.translation for pose in hands.poses]).mean(axis=0)
    force = multipliers[:3] - np.cross(centre, multipliers[3:])
    size = float(np.sqrt(force @ force + hands.length**2 * (multipliers[3:] @ multipliers[3:])))
    return multipliers / size if size > 0.0 else multipliers
