"""Planar slices of a sum of wrench sets, {z in R^2 : base + z @ axes in sum_j T_j W_j}, with their proofs.

A slice is given twice: from inside by corners, each with a wrench of every hand that adds up to it, and from
outside by half-planes, each with a multiplier y whose support function is its offset. Where both describe the
same set, that set is exact, whatever found it.

A half-plane normal . z <= offset follows from y by weak duality: y . (base + z @ axes) <= h(y) for every z of the
slice, so with axes @ y = normal the offset is h(y) - y . base.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

import numpy as np

from ... import tolerances
from ...checks import Array

#: Extents below this share of the slice's size are none: it is a point or a segment.
THIN = 1e-9

#: Corners are none that are nearer than this share of the slice's size to the next, or to the line past them.
CORNER = 1e-11


class SliceKind(StrEnum):
    """What kind of planar set a slice is."""

    POLYGON = "polygon"
    SEGMENT = "segment"
    POINT = "point"
    EMPTY = "empty"
    UNBOUNDED = "unbounded"
    PLANE = "plane"


class SumSlicer(Protocol):
    """What a slice is found by: linear programs over a sum of wrench sets."""

    def maximise(self, base: Array, axes: Array, objective: Array) -> Any:
        """The largest objective . z with base + z @ axes in the sum: a `SumOptimum`."""
        ...


@dataclass(frozen=True, eq=False)
class Border:
    """The border of a slice, counter-clockwise, the inside to the left.

    Attributes:
        corners: (n, 2) points on it, in order.
        normals: (e, 2) outward unit normals of its edges. Edge i leads from corner i to the next and there are as
            many edges as corners; with rays there is one more, and edge i leads to corner i.
        offsets: (e,) of the half-planes normals . z <= offsets.
        multipliers: (e, 6) y of each half-plane, torques about the point the slice's wrenches are taken about.
        proofs: (n,) what attains each corner.
        rays: (0, 2), or (2, 2): the directions to infinity before the first and after the last corner.
    """

    corners: Array
    normals: Array
    offsets: Array
    multipliers: Array
    proofs: Sequence[Any]
    rays: Array = field(default_factory=lambda: np.zeros((0, 2)))


@dataclass(frozen=True, eq=False)
class SumPolygon:
    """A planar slice, exact: conv(vertices) + cone(rays) = {normals @ z <= offsets}.

    Attributes:
        kind: what kind of set it is.
        vertices: (n, 2) its corners, counter-clockwise. An unbounded slice that contains a line has none; then one
            point of each of its border lines stands here.
        rays: (m, 2) unit directions of unbounded growth; the border comes in along the first, and leaves along the
            second. A half-plane has three, the third into it; the whole plane has three.
        normals: (e, 2) outward unit normals.
        offsets: (e,) of the half-planes.
        multipliers: (e, 6) y that proves each half-plane.
        wrenches: (n, k, 6) per vertex, the wrench of every hand in its own frame.
        weights: (n,) per vertex, the `HandWeights` of every hand.
        separator: (6,) of an empty slice: y with axes @ y = 0 and y . base > h(y); else None.
        solves: how many linear programs or pricings it took.
        size: what the tolerances of the slice are shares of.
    """

    kind: SliceKind
    vertices: Array
    rays: Array
    normals: Array
    offsets: Array
    multipliers: Array
    wrenches: Array
    weights: Sequence[Sequence[Any]]
    separator: Array | None
    solves: int
    size: float


def empty_slice(separator: Array, solves: int, size: float) -> SumPolygon:
    """No z at all: `separator` (6,) proves it."""
    return SumPolygon(SliceKind.EMPTY, *_nothing(), np.zeros((0, 0, 6)), (), separator, solves, size)


def whole_plane(proof: Any, rays: Array, solves: int, size: float) -> SumPolygon:
    """Every z: one point of it, an optimum, and `rays` (m, 2) that span the plane with positive weights."""
    _, _, normals, offsets, multipliers = _nothing()
    return slice_of(SliceKind.PLANE, [proof], rays, normals, offsets, multipliers, solves, size)


def slice_of(
    kind: SliceKind,
    optima: Sequence[Any],
    rays: Array,
    normals: Array,
    offsets: Array,
    multipliers: Array,
    solves: int,
    size: float,
) -> SumPolygon:
    """A slice whose vertices are `optima`, with their z, wrenches and weights."""
    return SumPolygon(
        kind,
        np.array([found.z for found in optima]).reshape(-1, 2),
        rays,
        normals,
        offsets,
        multipliers,
        np.array([found.wrenches for found in optima]),
        [found.weights for found in optima],
        None,
        solves,
        size,
    )


def _nothing() -> tuple[Array, Array, Array, Array, Array]:
    return np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros((0, 6))


def tidied(border: Border, size: float) -> Border:
    """The border without corners that repeat their neighbours or lie between them, edges of no length left out.

    Of two edges that become one, the half-plane of the longer one is kept: it is the better known.
    """
    kept, edges = np.arange(len(border.corners)), np.arange(len(border.normals))
    closed = not len(border.rays)
    tiny = CORNER * size
    while len(kept) > 1 and not (closed and len(kept) < 4):
        points = border.corners[kept]
        ahead = np.roll(points, -1, axis=0) - points  # from each corner to the next
        behind = np.roll(ahead, 1, axis=0)
        if not closed:
            ahead[-1], behind[0] = border.rays[1], -border.rays[0]
        after, before = np.hypot(*ahead.T), np.hypot(*behind.T)
        if not closed:
            after[-1] = before[0] = np.inf
        turn = behind[:, 0] * ahead[:, 1] - behind[:, 1] * ahead[:, 0]
        across = np.hypot(*(behind + ahead).T)
        same = after <= tiny
        drop = _alternate(same | (turn <= tiny * across), closed)
        if not drop.any():
            break
        at = np.nonzero(drop)[0]
        arriving, leaving = (at - 1, at) if closed else (at, at + 1)  # the edges on both sides of a dropped corner
        longer = same[at] | (before[at] >= after[at])
        edges[arriving if closed else leaving] = np.where(longer, edges[arriving], edges[leaving])
        kept, edges = kept[~drop], np.delete(edges, at)
    proofs = [border.proofs[int(i)] for i in kept]
    return Border(
        border.corners[kept],
        border.normals[edges],
        border.offsets[edges],
        border.multipliers[edges],
        proofs,
        border.rays,
    )


def _alternate(marked: Array, closed: bool) -> Array:
    """`marked` with no two neighbours kept, so that each removal is judged by neighbours that stay."""
    result = np.zeros(len(marked), dtype=bool)
    last = -2
    for i in np.nonzero(marked)[0]:
        if i != last + 1 and not (closed and i == len(marked) - 1 and result[0]):
            result[i], last = True, i
    return result


def bounded_kind(points: Array, size: float) -> tuple[SliceKind, Array]:
    """(kind, direction (2,)): whether points (n, 2) span a polygon, a segment along `direction`, or a point."""
    spread = points - points.mean(axis=0)
    far = spread[np.hypot(*spread.T).argmax()]
    other = spread[np.hypot(*(spread - far).T).argmax()]
    way = far - other
    length = float(np.hypot(*way))
    if length <= THIN * size:
        return SliceKind.POINT, np.array([1.0, 0.0])
    way = way / length
    width = np.ptp(spread @ np.array([-way[1], way[0]]))
    return (SliceKind.SEGMENT if width <= THIN * size else SliceKind.POLYGON), way


def ray_slope(direction: Array, ray: Array) -> bool:
    """Whether `ray` (2,) climbs along `direction` (2,) by more than rounding."""
    return float(direction @ ray) > tolerances.RAY_SLOPE * float(np.hypot(*direction) * np.hypot(*ray))
