"""The distance of the centre of mass to the border of its support region, and its slope by the posture.

The nearest border point is held by wrenches between those of the two corners at the ends of its edge; the edge's
multiplier prices the balance. With both held still, the slope is that of any margin (see `margin_slopes`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..checks import Array
from ..postures import support_region
from ..postures.hands import Hands
from ..postures.region import SupportRegion
from .margin_slopes import GENERAL, MarginSlope, Stand, about, points_reached

#: Two edges are as near as each other, or a border point is a corner, within this share of the region's size.
TIED = 1e-9


def lean_margin(
    hands: Hands, stand: Stand, mass: float, gravity: Array, slope: Callable[[Stand, Array, Array], Array] | None
) -> MarginSlope:
    """The signed distance [m] of the centre of mass to the border, positive inside.

    Args:
        hands: the grips, with one side each; their poses are not looked at.
        stand: where the palms are.
        mass: [kg].
        gravity: (3,) [m/s^2].
        slope: (stand, wrenches (k, 6), y (6,) about the centre of mass) to the slope (v,) of y . sum_j T_j w_j; None
            leaves the slope out.
    """
    region = support_region(list(hands.grips), list(stand.matrices), mass, gravity, length=hands.length)
    value = float(region.signed_distance(stand.com))
    if slope is None:
        return MarginSlope(value, np.zeros(0), None, "leaning")
    if str(region.kind) != "polygon":
        nowhere = slope(stand, np.zeros((len(stand.arms), 6)), np.zeros(6)) + np.nan
        return MarginSlope(value, nowhere, False, f"leaning: the region is {region.kind}")
    wrenches, multipliers, alone = _nearest(region, stand)
    y = about(multipliers, stand.com)
    gradient = slope(stand, wrenches, y)
    reached = points_reached(hands.grips, stand.maps, y)
    unique = None if reached is None else reached == GENERAL + len(hands)
    return MarginSlope(value, gradient, unique if alone else False, "leaning")


def _nearest(region: SupportRegion, stand: Stand) -> tuple[Array, Array, bool]:
    """(wrenches (k, 6) at the nearest border point, y (6,) of unit slope there, whether no other edge is as near)."""
    z = region.frame.coordinates(stand.com)
    starts, ends = region.vertices, np.roll(region.vertices, -1, axis=0)
    along = ends - starts
    lengths = np.maximum((along * along).sum(axis=1), np.finfo(float).tiny)
    shares = np.clip(((z - starts) * along).sum(axis=1) / lengths, 0.0, 1.0)
    feet = starts + shares[:, None] * along
    distances = np.linalg.norm(feet - z, axis=1)
    edge = int(np.argmin(distances))
    share, following = float(shares[edge]), (edge + 1) % len(starts)
    held = region.proof.wrenches
    wrenches = (1.0 - share) * held[edge] + share * held[following]
    inside = bool(region.signed_distance(stand.com) >= 0.0)
    near = distances <= distances[edge] + TIED * region.size
    if inside or 0.0 < share < 1.0:
        return wrenches, region.proof.multipliers[edge] / _tilt(region, edge), int(near.sum()) == 1
    # Outside and nearest to a corner: the prices of its two edges, mixed so that they point at the centre of mass.
    corner = edge if share == 0.0 else following
    before = (corner - 1) % len(starts)
    out = (z - starts[corner]) / distances[edge]
    mix = np.linalg.solve(region.normals[[before, corner]].T, out)
    priced = [region.proof.multipliers[e] / _tilt(region, e) for e in (before, corner)]
    return held[corner], mix[0] * priced[0] + mix[1] * priced[1], bool((mix > TIED).all())


def _tilt(region: SupportRegion, edge: int) -> float:
    """Length of the edge's normal as its multiplier has it: y . (weight shifted by z) is -a . z, and this is |a|."""
    torque = region.proof.multipliers[edge][3:]
    arms = np.cross(region.frame.axes, region.mass * region.gravity)  # torque of the weight per metre along each axis
    return float(np.linalg.norm(arms @ torque))
