"""The grasp force focus: the zone in which the regions' perpendiculars meet, and the contacts it projects to.

A region is a straight segment; its inward perpendicular strip holds the points that project into it, its union of
friction cones those that some contact on it can push towards at friction mu. A triplet's focus zone is the
intersection of the three strips or, where these have no point in common, of the three unions of cones; both are
convex polygons. The focus C_G is the zone's area centroid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, BoolArray, array, positive, rows
from ..errors import InputError

#: Contacts stay this far [mm] from the ends of their regions.
CONTACT_INSET = 0.3

#: Where a displaced focus leaves a region, its contact is kept this far [mm] from the region's end.
LOST_INSET = 1e-3


def project(
    focus: ArrayLike,
    segments: ArrayLike,
    *,
    inset: float = CONTACT_INSET,
    virtual: ArrayLike | None = None,
    pivot_offset: float = 0.0,
) -> tuple[Array, BoolArray]:
    """Contacts that a force focus prescribes on its regions.

    Args:
        focus: (g, 2) foci [mm].
        segments: (g, 3, 2, 2) ends of the regions [mm], thumb first, counter-clockwise along the contour.
        inset: contacts are kept this far [mm] inside their regions (or in the middle of shorter ones).
        virtual: (g,) grasps whose fingers 2 and 3 share a region: their axis passes through the focus along
            h = normalised(N_A - N_B), and the fingers stand `pivot_offset` [mm] left and right of it.
        pivot_offset: distance a [mm] of a finger's pivot from the thumb axis.

    Returns:
        contacts (g, 3, 2) [mm], and lost (g, 3): whether the exact projection lies outside its region.
    """
    points, ends = rows("focus", focus, 2), rows("segments", segments, 2)
    if ends.shape != (len(points), 3, 2, 2) or points.ndim != 2:
        raise InputError(
            f"has shape {ends.shape} for foci of shape {points.shape}",
            where="segments",
            fix="give foci (g, 2) and segments (g, 3, 2, 2)",
        )
    start, along = ends[:, :, 0], ends[:, :, 1] - ends[:, :, 0]
    length = np.linalg.norm(along, axis=2)
    unit = along / np.where(length > 0.0, length, 1.0)[:, :, None]
    at = np.einsum("gik,gik->gi", points[:, None] - start, unit)
    if virtual is not None:
        shared = np.broadcast_to(np.asarray(virtual, dtype=bool), len(points))
        at = np.where(shared[:, None], _axis_positions(points, start, unit, pivot_offset), at)
    lost = (at < 0.0) | (at > length)
    inside = np.minimum(inset, length / 2.0)
    at = np.clip(at, inside, length - inside)
    return start + at[:, :, None] * unit, lost


@dataclass(frozen=True, eq=False)
class FocusZone:
    """Where the forces of a triplet of regions may meet [mm].

    Attributes:
        vertices: (k, 2) corners of the convex zone, counter-clockwise; (0, 2) when it is empty.
        centroid: (2,) its area centroid, the focus C_G; NaN when it is empty.
        kind: "perpendiculars" for the strips' intersection, "friction_cones" where only the cones' unions meet,
            "empty" when neither do.
    """

    vertices: Array
    centroid: Array
    kind: Literal["perpendiculars", "friction_cones", "empty"]


def zones(segments: ArrayLike, mu: float = 0.4) -> tuple[FocusZone, ...]:
    """The focus zones of triplets of regions (g, 3, 2, 2) [mm] that run counter-clockwise along the contour.

    Zones farther off than ten times the regions' extent are cut there.
    """
    from .kernels.focus_zones import zone_centroid, zone_of

    ends = array("segments", segments, ("g", 3, 2, 2))
    mu = positive("mu", mu)
    found = []
    for triplet, normals in zip(ends, left_normals(ends), strict=True):
        zone, kind = zone_of(triplet, normals, 0.0), "perpendiculars"
        if not len(zone):
            zone, kind = zone_of(triplet, normals, mu), "friction_cones"
        if not len(zone):
            found.append(FocusZone(zone, np.full(2, np.nan), "empty"))
            continue
        found.append(FocusZone(zone, zone_centroid(zone), kind))
    return tuple(found)


def left_normals(segments: Array) -> Array:
    """Inward unit normals (..., 2) of segments (..., 2, 2) that run counter-clockwise along the contour."""
    along = segments[..., 1, :] - segments[..., 0, :]
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    unit = along / np.where(length > 0.0, length, 1.0)
    return np.stack([-unit[..., 1], unit[..., 0]], axis=-1)


def _axis_positions(points: Array, start: Array, unit: Array, pivot_offset: float) -> Array:
    """(g, 3) distances [mm] along the segments at which the thumb axis and the two finger rays through it meet them.

    Finger 2 stands left of the axis (B2 = O - a s, s = h turned by -90 deg), finger 3 right of it.
    """
    left = np.stack([-unit[:, :, 1], unit[:, :, 0]], axis=2)
    axis = left[:, 0] - left[:, 1]  # N_A - N_B
    length = np.linalg.norm(axis, axis=1, keepdims=True)
    axis = axis / np.where(length > 0.0, length, 1.0)
    side = np.stack([axis[:, 1], -axis[:, 0]], axis=1)  # s
    middle = np.einsum("gk,gk->g", points, side)
    wanted = middle[:, None] + pivot_offset * np.array([0.0, -1.0, 1.0])
    slope = np.einsum("gik,gk->gi", unit, side)
    slope = np.where(slope == 0.0, np.finfo(np.float64).tiny, slope)
    return (wanted - np.einsum("gik,gk->gi", start, side)) / slope


def axis_interval(thumb: Array, shared: Array, axis: Array, pivot_offset: float) -> tuple[float, float, float]:
    """Places along s (h turned by -90 deg) that the thumb axis of a virtual two-finger grasp may take.

    Args:
        thumb: (2, 2) ends of the thumb's region [mm].
        shared: (2, 2) ends of the region of fingers 2 and 3 [mm].
        axis: (2,) unit thumb axis h.
        pivot_offset: distance a [mm] of the fingers from the axis.

    Returns:
        (low, high, inset) [mm]: an empty interval has low > high. The rays meet their regions `inset` inside the ends
        across the axis, `CONTACT_INSET` or what the shorter region leaves.
    """
    side = np.array([axis[1], -axis[0]])
    a0, a1 = np.sort(thumb @ side)
    b0, b1 = np.sort(shared @ side)
    inset = min(CONTACT_INSET, max((a1 - a0) / 2.0, 0.0), max((b1 - b0) / 2.0 - pivot_offset, 0.0))
    return max(a0, b0 + pivot_offset) + inset, min(a1, b1 - pivot_offset) - inset, inset
