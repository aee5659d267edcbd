"""The outline of a flat part: one outer ring and its holes, in mm, with the area's moments.

A contour comes from points (`Contour.from_points`), from a file (`contour_files.read_contour`) or from a picture
(`trace`). The outer ring runs counter-clockwise and holes clockwise, so that the part lies on the left of every edge
and sums over all rings subtract the holes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, array, number
from ..errors import GeometryError, InputError

if TYPE_CHECKING:
    from .segmentation import Segmentation

#: A ring encloses nothing when its area is below this share of its perimeter squared.
NO_AREA = 1e-9

#: Scales a camera or a scanner can have [mm/px]; beyond these a unit has been mistaken.
SMALLEST_SCALE = 1e-3
LARGEST_SCALE = 50.0

#: Parts wider than this [mm] are no parts for a hand: a unit has been mistaken.
LARGEST_PART = 5000.0


@dataclass(frozen=True, eq=False)
class Contour:
    """The outline of a part in its plane [mm, y up].

    Attributes:
        outer: (n, 2) points of the outer ring, counter-clockwise, the last not repeating the first.
        holes: rings (m, 2) of the holes, clockwise.
    """

    outer: Array
    holes: tuple[Array, ...] = ()

    @classmethod
    def from_points(cls, outer: ArrayLike, holes: Iterable[ArrayLike] = ()) -> Contour:
        """A contour from rings in either direction, closed or not; raises when they do not bound one part."""
        border = _oriented(_ring("outer", outer), 1.0)
        inner = tuple(_oriented(_ring(f"holes[{i}]", hole), -1.0) for i, hole in enumerate(holes))
        extent = float(np.ptp(border, axis=0).max())
        if extent > LARGEST_PART:
            raise GeometryError(
                f"the part is {extent:g} mm wide",
                where="outer",
                fix=f"contours are in mm, and parts of up to {LARGEST_PART:g} mm are accepted",
            )
        _check_simple((border, *inner))
        for i, hole in enumerate(inner):
            if not contains(border, hole[:1])[0]:
                raise GeometryError("the hole lies outside the outer ring", where=f"holes[{i}]", fix="give holes alone")
            others = (other for j, other in enumerate(inner) if j != i)
            if any(contains(other, hole[:1])[0] for other in others):
                raise GeometryError("the hole lies in another hole", where=f"holes[{i}]", fix="give each hole once")
        return cls(border, inner)

    @cached_property
    def rings(self) -> tuple[Array, ...]:
        """The outer ring and then the holes."""
        return (self.outer, *self.holes)

    @cached_property
    def _moments(self) -> tuple[float, Array, Array]:
        """Area [mm^2], centroid [mm] and covariance (2, 2) [mm^2] of the area, holes taken off."""
        origin = self.outer.mean(axis=0)
        area, first, second = 0.0, np.zeros(2), np.zeros((2, 2))
        for ring in self.rings:
            p = ring - origin
            q = np.roll(p, -1, axis=0)
            cross = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]
            area += cross.sum() / 2.0
            first += (cross[:, None] * (p + q)).sum(axis=0) / 6.0
            # the integral of x x^T over the triangle (origin, p, q)
            mixed = np.einsum("k,ki,kj->ij", cross, p, q)
            second += np.einsum("k,ki,kj->ij", cross, p, p) + np.einsum("k,ki,kj->ij", cross, q, q)
            second += (mixed + mixed.T) / 2.0
        mean = first / area
        return float(area), origin + mean, second / (12.0 * area) - np.outer(mean, mean)

    @property
    def area(self) -> float:
        """Area of the part [mm^2], holes taken off."""
        return self._moments[0]

    @property
    def centroid(self) -> Array:
        """Centroid (2,) of the area [mm], holes taken off."""
        return self._moments[1]

    @cached_property
    def _axes(self) -> tuple[float, float]:
        spread = np.linalg.eigvalsh(self._moments[2])
        minor, major = 4.0 * np.sqrt(np.maximum(spread, 0.0))
        return float(major), float(minor)

    @property
    def major_axis(self) -> float:
        """Full major axis [mm] of the ellipse with the same second moments of area."""
        return self._axes[0]

    @property
    def minor_axis(self) -> float:
        """Full minor axis [mm] of the ellipse with the same second moments of area."""
        return self._axes[1]

    @cached_property
    def perimeter(self) -> float:
        """Length of the outer ring [mm]."""
        return float(np.linalg.norm(np.roll(self.outer, -1, axis=0) - self.outer, axis=1).sum())


def trace(segmentation: Segmentation, mm_per_px: float = 1.0) -> Contour:
    """The segmented object's contour [mm] to a fraction of a pixel: where the blurred picture crosses the half level.

    A pixel (row, col) lies at x = (col - (w - 1)/2) s, y = ((h - 1)/2 - row) s with s = `mm_per_px`. Rings are the
    level lines of the bilinear picture through the pixel centres; they never cross themselves. In a picture of two
    levels, a mask, they are then settled between the pixel centres; see `staircases`.
    """
    scale = checked_scale(mm_per_px)
    from .kernels.contour_tracing import traced_ring
    from .staircases import settled

    rows, columns = segmentation.shape
    centre = np.array([(rows - 1) / 2.0, (columns - 1) / 2.0])
    corner = np.array(segmentation.corner, dtype=np.float64)
    rings = []
    for start in segmentation.starts:
        ring = traced_ring(segmentation.mask, segmentation.field, segmentation.half_level, *start)
        if segmentation.two_level:
            ring = settled(ring)
        ring = ring + (corner - centre)
        points = np.column_stack([ring[:, 1], -ring[:, 0]]) * scale
        points.setflags(write=False)
        rings.append(points)
    outer, *holes = rings
    extent = float(np.ptp(outer, axis=0).max())
    if extent > LARGEST_PART:
        raise InputError(
            f"makes the part {extent:g} mm wide",
            where="mm_per_px",
            fix=f"give the millimetres one pixel covers; parts of up to {LARGEST_PART:g} mm are accepted",
        )
    return Contour(outer, tuple(holes))


def checked_scale(mm_per_px: float) -> float:
    """`mm_per_px` as a number that a camera over a part can have."""
    return number("mm_per_px", mm_per_px, low=SMALLEST_SCALE, high=LARGEST_SCALE, unit="mm/px")


def signed_area(ring: Array) -> float:
    """Area [mm^2] of a ring (n, 2), positive when it runs counter-clockwise."""
    p = ring - ring[0]
    q = np.roll(p, -1, axis=0)
    return float((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum() / 2.0)


def contains(ring: Array, points: Array) -> Array:
    """Which of `points` (k, 2) lie inside `ring` (n, 2), by the crossings of the ray to the right."""
    p, q = ring, np.roll(ring, -1, axis=0)
    x, y = points[:, None, 0], points[:, None, 1]
    across = (p[:, 1] > y) != (q[:, 1] > y)
    rise = np.where(p[:, 1] == q[:, 1], 1.0, q[:, 1] - p[:, 1])
    at = p[:, 0] + (y - p[:, 1]) * (q[:, 0] - p[:, 0]) / rise
    return (across & (at > x)).sum(axis=1) % 2 == 1


def _ring(name: str, points: ArrayLike) -> Array:
    """Points (n, 2) without repetitions, at least three, that enclose an area."""
    ring = array(name, points, ("n", 2))
    if len(ring):
        ring = ring[np.any(ring != np.roll(ring, 1, axis=0), axis=1)]
    if len(ring) < 3:
        raise GeometryError(f"has {len(ring)} distinct points", where=name, fix="a ring needs at least three")
    perimeter = np.linalg.norm(np.roll(ring, -1, axis=0) - ring, axis=1).sum()
    if abs(signed_area(ring)) <= NO_AREA * perimeter**2:
        if not _collinear(ring):
            _check_simple((ring,), name)
        raise GeometryError("has no area", where=name, fix="give the points in order along the border")
    return ring


def _collinear(ring: Array) -> bool:
    """Whether all points lie on one line."""
    extents = np.linalg.svd(ring - ring.mean(axis=0), compute_uv=False)
    return bool(extents[1] <= NO_AREA * extents[0])


def _oriented(ring: Array, sign: float) -> Array:
    """The ring, read-only, running so that its area has `sign`."""
    turned = np.ascontiguousarray(ring if signed_area(ring) * sign > 0.0 else ring[::-1])
    turned.setflags(write=False)
    return turned


def _check_simple(rings: tuple[Array, ...], name: str = "") -> None:
    """Raise where two edges of the rings cross or touch, or where a ring runs back along itself."""
    from .kernels.contour_crossings import first_crossing

    found = first_crossing(rings)
    if found is None:
        return
    (ring, i), (other, j) = found
    names = [name or "outer", *(f"holes[{k}]" for k in range(len(rings) - 1))]
    for k, one in enumerate(rings):
        spike = _spike(one)
        if spike is not None:
            raise GeometryError(
                f"the contour intersects itself: it runs back along itself at point {spike}, "
                f"({one[spike, 0]:g}, {one[spike, 1]:g}) mm, a spike that has no area",
                where=names[k],
                fix="leave the spike out",
            )
    x, y = _meeting(_edge(rings[ring], i), _edge(rings[other], j))
    where = names[ring] if ring == other else f"{names[ring]} and {names[other]}"
    raise GeometryError(
        f"the contour intersects itself: edge {i} meets edge {j} at ({x:g}, {y:g}) mm",
        where=where,
        fix="give the points in order along the border, each ring once and apart from the others",
    )


def _edge(ring: Array, i: int) -> Array:
    """The two ends (2, 2) of edge i of a ring."""
    return ring[[i, (i + 1) % len(ring)]]


def _meeting(one: Array, other: Array) -> tuple[float, float]:
    """The point where two straight edges (2, 2) meet; of edges that overlap, the middle of what they share."""
    u, v, gap = one[1] - one[0], other[1] - other[0], other[0] - one[0]
    cross = float(u[0] * v[1] - u[1] * v[0])
    if abs(cross) > NO_AREA * float(np.linalg.norm(u) * np.linalg.norm(v)):
        at = float(gap[0] * v[1] - gap[1] * v[0]) / cross
    else:
        ends = np.clip((other - one[0]) @ u / float(u @ u), 0.0, 1.0)
        at = float(ends.mean())
    x, y = one[0] + np.clip(at, 0.0, 1.0) * u
    return float(x) + 0.0, float(y) + 0.0


def _spike(ring: Array) -> int | None:
    """The first point at which a ring turns round and runs back along the edge it came by."""
    came, goes = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
    straight = came[:, 0] * goes[:, 1] == came[:, 1] * goes[:, 0]
    back = np.flatnonzero(straight & ((came * goes).sum(axis=1) < 0.0))
    return int(back[0]) if len(back) else None
