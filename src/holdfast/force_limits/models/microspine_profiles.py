"""Meridian profiles of a microspine unit: where a polyhedron inside or around its limit surface has its corners.

A profile is the exact limit in the plane of one azimuth, as (shear, f_z) [N], from the edge of the cap down to the
dent. Between the two angles where (11) has a corner it is convex: chords are inside it and tangents outside.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from ...checks import Array
from .microspine import MicrospineUnit
from .parameters import Side

#: Bands of a profile between the edge of the cap and the tangent plane.
PRESSED = 2

#: Points of an inner profile between the tangent plane and the kink, as shares of that angle. They crowd at the kink,
#: where the limit vanishes almost: along a ray a chord loses half of a limit that falls to a quarter between its ends.
STEEP = (0.25, 0.5, 0.7, 0.85, 0.95, 1.0)

#: Points of an inner profile between the kink and phi_max, as shares of that interval.
SHALLOW = (0.5, 0.9)

#: The kink's ring stays between these shares of phi_max where the kink itself does not.
KINK_RANGE = (0.02, 0.95)

#: Points at which the integral that spaces the meridians is taken.
SPACING_POINTS = 400

#: Slopes at the ends of an interval are taken this share of it inside, where they are the interval's own.
INSIDE = 1e-9

#: Tangents whose directions differ by less than this (sine) do not cross: the profile is straight there.
PARALLEL = 1e-12

#: Tangents must cross at least this share of the interval away from the directions of the points they touch.
CROSSING = 0.01

#: A profile has reached the origin when its radius is below this share of the one an interval before.
APEX = 1e-6


def meridians(unit: MicrospineUnit, count: int) -> Array:
    """`count` azimuths [rad], mirrored exactly about x, with 0, 90 and 180 degrees and the corner of F(0, theta).

    Between these they are spaced evenly in the integral of 1 + |dF/F| (0, theta): closer where the limit falls.
    """
    stops = [0.0, 0.5 * math.pi, math.pi]
    corner = math.sin(0.5 * unit.alpha - math.atan(unit.mu)) / math.sin(unit.beta) if unit.beta > 0.0 else 2.0
    if abs(corner) < 1.0 and min(abs(math.acos(corner) - stop) for stop in stops) > math.pi / count:
        stops = sorted([*stops, math.acos(corner)])
    fine = [np.linspace(first, last, SPACING_POINTS) for first, last in itertools.pairwise(stops)]
    spent = [np.abs(np.diff(np.log(unit.force(0.0, part)))) + np.diff(part) for part in fine]
    totals = np.array([part.sum() for part in spent])
    wanted = totals / totals.sum() * (count // 2)
    steps = np.maximum(np.floor(wanted).astype(int), 1)
    while steps.sum() < count // 2:
        steps[np.argmax(wanted / steps)] += 1
    half = [np.zeros(1)]
    for part, cost, number in zip(fine, spent, steps, strict=True):
        along = np.concatenate([[0.0], np.cumsum(cost)])
        half.append(np.interp(along[-1] * np.arange(1, number + 1) / number, along, part))
    right = np.concatenate(half)
    return np.concatenate([right, -right[-2:0:-1]]).astype(np.float64)


def _points(unit: MicrospineUnit, phi: Array, theta: Array) -> Array:
    """(m, 2) points (shear, f_z) of the exact profile at loading angles phi (m,) and azimuths theta (m,) [N]."""
    radius = unit.force(phi, theta)
    return np.column_stack([radius * np.cos(phi), -radius * np.sin(phi)])


def _tangent_corners(
    unit: MicrospineUnit, first: Array, last: Array, theta: Array, shares: tuple[float, ...]
) -> list[Array]:
    """Corners (m, 2) between the tangents at `shares` of the way of the profiles from `first` to `last` [rad]."""
    touches = [first + share * (last - first) for share in np.clip(shares, INSIDE, 1.0 - INSIDE)]
    corners = []
    for left, right in itertools.pairwise(touches):
        p, a = _tangent(unit, left, theta)
        q, b = _tangent(unit, right, theta)
        cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        parallel = np.abs(cross) <= PARALLEL * np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        reach = ((q - p)[:, 0] * b[:, 1] - (q - p)[:, 1] * b[:, 0]) / np.where(parallel, 1.0, cross)
        corner = np.where(parallel[:, None], 0.5 * (p + q), p + reach[:, None] * a)
        # Tangents of a convex arc cross between the points they touch. Where a kink that its ring could not follow
        # spoils that, a corner half way stands in, as far out as both ends; the correction does the rest.
        angle = np.arctan2(-corner[:, 1], corner[:, 0])
        margin = CROSSING * (right - left)
        start, stop = np.linalg.norm(p, axis=1), np.linalg.norm(q, axis=1)
        at_apex = stop <= APEX * start  # the tangent at the apex is the dent cone, and the corner lies on it
        crossing = (angle >= left + margin) & ((angle <= right - margin) | at_apex)
        middle = 0.5 * (left + right)
        radius = np.maximum(start, stop)
        stand_in = np.column_stack([radius * np.cos(middle), -radius * np.sin(middle)])
        corners.append(np.where(crossing[:, None], corner, stand_in))
    return corners


def _tangent(unit: MicrospineUnit, phi: Array, theta: Array) -> tuple[Array, Array]:
    """Points (m, 2) of the profiles and their derivatives by phi (m, 2)."""
    radius, slope = unit._force_and_slope(phi, theta)
    point = np.column_stack([radius * np.cos(phi), -radius * np.sin(phi)])
    along = np.column_stack([slope * np.cos(phi) - radius * np.sin(phi), -slope * np.sin(phi) - radius * np.cos(phi)])
    return point, along


def _heights(unit: MicrospineUnit) -> Array:
    """(PRESSED,) heights f_z [N] of the pressed rings, the cap first, in equal ratios of the lateral shear limit."""
    lateral = float(unit.force(0.0, 0.5 * math.pi))
    growth = 1.0 + unit.mu_substrate * unit.cap / lateral
    shares = np.arange(PRESSED, 0, -1) / PRESSED
    if growth < 1.0 + INSIDE:
        return unit.cap * shares
    heights = unit.cap * (growth**shares - 1.0) / (growth - 1.0)
    heights[0] = unit.cap
    return heights


def profiles(unit: MicrospineUnit, theta: Array, side: Side) -> Array:
    """(r, m, 2) points (shear, f_z) [N] of the meridians at theta (m,), from the edge of the cap to the dent."""
    widest = np.diff(np.sort(theta % (2.0 * math.pi)), append=2.0 * math.pi).max()
    # Between two meridians the straight edge of an inner ring leans further off the surface than its ends do.
    last = math.atan(math.tan(unit.phi_max) * math.cos(0.5 * widest)) if side == "inner" else unit.phi_max
    kink = np.clip(unit.kink(theta), KINK_RANGE[0] * last, KINK_RANGE[1] * last)
    flat = np.zeros_like(theta)
    end = np.full_like(theta, last)
    shear = unit.force(flat, theta)
    rings = [
        np.column_stack([shear + unit.mu_substrate * height, np.full_like(theta, height)]) for height in _heights(unit)
    ]
    rings.append(_points(unit, flat, theta))
    if side == "inner":
        rings += [_points(unit, share * kink, theta) for share in STEEP]
        rings += [_points(unit, kink + share * (end - kink), theta) for share in SHALLOW]
    else:
        rings += _tangent_corners(unit, flat, kink, theta, (0.0, *STEEP[1:]))
        rings.append(_points(unit, kink, theta))
        rings += _tangent_corners(unit, kink, end, theta, (0.0, *SHALLOW[:-1], 1.0))
        # The last tangent is the dent cone itself; rounding must not leave its corner beyond the cone.
        reach = np.linalg.norm(rings[-1], axis=1)
        rings[-1] = np.outer(reach, (math.cos(unit.phi_max), -math.sin(unit.phi_max)))
    return np.stack(rings)
