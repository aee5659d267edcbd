"""What limits a centre of mass: the edge it meets, the multiplier that proves it, the hands at their limit there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, IntArray
from ...errors import InputError
from ...grips import Grip
from ...solvers.minkowski.slices import SliceKind
from .centring import support_along

if TYPE_CHECKING:
    from .region import SupportRegion

#: A hand does not matter to an edge when its part of the multiplier is smaller than this share of the largest.
LIMITING = 1e-9

#: A vertex of a grip is on the limiting face when it falls short of it by less than this share of the grip's spread.
FACE = 1e-7


@dataclass(frozen=True, eq=False)
class HandAtLimit:
    """One hand that is at its limit when the centre of mass is on the edge.

    Attributes:
        hand: which hand.
        normal: (6,) the multiplier in its palm frame: the hand gives all it can along it.
        support: [m] what the hand adds to the edge's offset.
        share: how much the multiplier concerns this hand; the largest of all hands has 1.
        vertices: (v,) vertices of its grip between which its wrench then lies; empty for hands without vertices. A foot
            whose only vertex is zero, without rays, gives nothing.
        rays: (r,) rays of its grip that its wrench may contain as well.
    """

    hand: int
    normal: Array
    support: float
    share: float
    vertices: IntArray
    rays: IntArray


@dataclass(frozen=True, eq=False)
class ActiveConstraint:
    """The half-plane that limits a centre of mass.

    Attributes:
        edge: its row in the region's normals and offsets; -1 of an empty region.
        normal: (2,) outward, in the region's coordinates.
        direction: (3,) the same in the world.
        offset: [m].
        slack: [m] how far the centre of mass may still move along the normal; negative beyond it.
        multiplier: (6,) y against wrenches about the world's origin, which proves the half-plane.
        hands: those at their limit on the edge, the one that matters most first.
    """

    edge: int
    normal: Array
    direction: Array
    offset: float
    slack: float
    multiplier: Array
    hands: tuple[HandAtLimit, ...]


def active_constraint(region: SupportRegion, com: ArrayLike) -> ActiveConstraint | None:
    """See `SupportRegion.active`."""
    z = region.frame.coordinates(com)
    if z.shape != (2,):
        raise InputError(f"are {z.size // 2} points", where="com", fix="ask about one centre of mass at a time")
    if region.kind is SliceKind.PLANE:
        return None
    if region.is_empty:
        y = np.zeros(6) if region.proof.separator is None else region.proof.separator
        return ActiveConstraint(-1, np.zeros(2), np.zeros(3), -np.inf, -np.inf, y, hands_at_limit(region, y))
    slack = region.offsets - region.normals @ z
    edge = int(slack.argmin())
    y = region.proof.multipliers[edge]
    normal = region.normals[edge]
    hands = hands_at_limit(region, y) if np.isfinite(y).all() else ()
    return ActiveConstraint(
        edge, normal, normal @ region.frame.axes, float(region.offsets[edge]), float(slack[edge]), y, hands
    )


def hands_at_limit(region: SupportRegion, multiplier: Array) -> tuple[HandAtLimit, ...]:
    """The hands that a multiplier (6,) drives to a border of their grips, the one it concerns most first."""
    hands = region.hands
    normals = np.einsum("m,kmi->ki", region.centring.from_world(multiplier), region.centring.maps)  # (k, 6)
    sizes = np.linalg.norm(normals / hands.scaling, axis=1)
    largest = float(sizes.max())
    if largest == 0.0:
        return ()
    found = []
    for j in np.argsort(-sizes, kind="stable"):
        if sizes[j] <= LIMITING * largest:
            continue
        grip, normal = hands.grips[j], normals[j]
        vertices = rays = np.zeros(0, dtype=np.int64)
        if isinstance(grip, Grip):
            values = grip.vertices @ normal
            spread = float(np.ptp(values)) or float(np.abs(values).max()) or 1.0
            vertices = np.nonzero(values >= values.max() - FACE * spread)[0]
            slopes = np.abs(grip.rays @ normal)
            rays = np.nonzero(slopes <= FACE * np.linalg.norm(grip.rays, axis=1) * np.linalg.norm(normal))[0]
            support = float(values.max())
            if len(vertices) == len(grip.vertices) and len(rays) == len(grip.rays):
                continue  # all its wrenches are alike here: nothing more could be asked of it
        else:
            support = support_along(grip, normal)
        found.append(HandAtLimit(int(j), normal, support, float(sizes[j] / largest), vertices, rays))
    return tuple(found)
