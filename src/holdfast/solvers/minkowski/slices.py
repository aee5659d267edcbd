"""Planar slices of a sum of wrench sets, {z in R^2 : base + z @ axes in sum_j T_j W_j}, with their proofs.

A slice is given twice: from inside by corners, each with a wrench of every hand that adds up to it, and from
outside by half-planes, each with a multiplier y whose support function is its offset. Where both describe the
same set, that set is exact, no matter how it was found.

A half-plane normal . z <= offset follows from y by weak duality: y . (base + z @ axes) <= h(y) for every z of the
slice, so with axes @ y = normal the offset is h(y) - y . base.

`refined` finds a slice by any solver of linear programs over the sum: it asks along the normal of every edge until no
new corner appears. An edge between two known corners is either proven by the multiplier of the program along its
normal, or that program finds a corner beyond it. Directions to infinity are treated as corners there: they are found
first, from programs without a bound, and span the cone in which the slice recedes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol

import numpy as np

from ...checks import Array
from ...errors import SolverError
from ...tolerances import RAY_SLOPE
from .results import SumOptimum, SumStatus

#: Extents below this share of the slice's size count as zero: it is a point or a segment.
THIN = 1e-9

#: Corners nearer than this share of the slice's size to the next one, or to the line past them, are left out.
CORNER = 1e-11

#: A program along the normal of a ray may be unbounded by rounding; it is asked again turned by these angles [rad].
TILTS = (1e-9, 1e-7, 1e-5)

#: A slice with more corners than this is not refined further; physical slices have far fewer.
MOST_CORNERS = 100_000


class SliceKind(StrEnum):
    """What kind of planar set a slice is."""

    POLYGON = "polygon"
    SEGMENT = "segment"
    POINT = "point"
    EMPTY = "empty"
    UNBOUNDED = "unbounded"
    PLANE = "plane"


class SumSlicer(Protocol):
    """A solver of linear programs over a sum of wrench sets, by which a slice is found."""

    def maximise(self, base: Array, axes: Array, objective: Array) -> SumOptimum:
        """The largest objective . z with base + z @ axes in the sum: a `SumOptimum`."""
        ...


@dataclass(frozen=True, eq=False)
class SliceBorder:
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
    optima: Sequence[SumOptimum],
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


def tidied(border: SliceBorder, size: float) -> SliceBorder:
    """The border without corners that repeat their neighbours or lie between them, edges of no length left out.

    Of two edges that become one, the half-plane of the longer one is kept: it is known more precisely.
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
    return SliceBorder(
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
    return float(direction @ ray) > RAY_SLOPE * float(np.hypot(*direction) * np.hypot(*ray))


# -- refinement -----------------------------------------------------------------------------------


class _EmptySlice(Exception):
    """Raised when a program proves that the slice is empty."""

    def __init__(self, multipliers: Array) -> None:
        self.multipliers = multipliers


class _Programs:
    """Programs along directions of the slice's plane, counted."""

    def __init__(self, slicer: SumSlicer, base: Array, axes: Array, size: float) -> None:
        self._slicer, self._base, self._axes = slicer, base, axes
        self.size, self.solves = size, 0
        self.rays: list[Array] = []

    def optimum(self, direction: Array) -> SumOptimum:
        """The program along a unit `direction` (2,): optimal or unbounded; every ray found is kept."""
        found = self._slicer.maximise(self._base, self._axes, direction)
        self.solves += 1
        if found.status == SumStatus.EMPTY:
            raise _EmptySlice(found.multipliers)
        if found.status == SumStatus.UNBOUNDED:
            self.rays.append(found.ray / np.hypot(*found.ray))
        elif found.status == SumStatus.OPTIMAL:
            self.size = max(self.size, float(np.abs(found.z).max()))
        else:
            raise SolverError(
                f"the program along {direction.round(6).tolist()} ended {found.status}",
                where="support region",
                fix="ask with another method, or scale the hands' wrenches to the load",
            )
        return found

    def supporting(self, direction: Array, inward: Array) -> tuple[SumOptimum, Array]:
        """(optimum, direction) along a bounded `direction`; turned `inward` slightly where rounding requires it."""
        for tilt in (0.0, *TILTS):
            turned = direction + tilt * inward
            turned = turned / np.hypot(*turned)
            kept = len(self.rays)
            found = self.optimum(turned)
            if found.status == SumStatus.OPTIMAL:
                return found, turned
            del self.rays[kept:]
        raise SolverError(
            f"no bound was found along {direction.round(6).tolist()}, the normal of a ray", where="support region"
        )


def refined(slicer: SumSlicer, base: Array, axes: Array, *, size: float) -> SumPolygon:
    """The slice {z : base + z @ axes in the sum}, exact.

    Args:
        slicer: what answers `maximise`.
        base, axes: (6,) and (2, 6) wrenches wanted from the hands.
        size: the least magnitude [unit of z] that tolerances are shares of; the slice's own, if larger, is taken.
    """
    programs = _Programs(slicer, np.asarray(base, float), np.asarray(axes, float), size)
    try:
        starts = [(d, programs.optimum(d)) for d in np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])]
        if not programs.rays:
            return _bounded(programs, starts)
        return _unbounded(programs)
    except _EmptySlice as proof:
        return empty_slice(proof.multipliers, programs.solves, programs.size)


def _bounded(programs: _Programs, starts: list[tuple[Array, SumOptimum]]) -> SumPolygon:
    """Four programs that support each other, refined to a polygon; thin ones are asked along and across."""
    border = _refined_border(programs, [*starts, starts[0]], closed=True)
    kind, way = bounded_kind(border.corners, programs.size)
    if kind is not SliceKind.POLYGON:
        return thin_slice(programs, kind, way)
    border = tidied(border, programs.size)
    return _bordered(programs, kind, border, border.rays)


def _bordered(programs: _Programs, kind: SliceKind, border: SliceBorder, rays: Array) -> SumPolygon:
    return slice_of(
        kind, border.proofs, rays, border.normals, border.offsets, border.multipliers, programs.solves, programs.size
    )


def thin_slice(programs: _Programs, kind: SliceKind, way: Array) -> SumPolygon:
    """A point or a segment along `way` (2,), proven by programs along, against and to both sides of it."""
    across = np.array([-way[1], way[0]])
    directions = np.array([way, across, -way, -across])
    found = [programs.optimum(d) for d in directions]
    ends = [found[2], found[0]] if kind is SliceKind.SEGMENT else [found[0]]
    offsets, multipliers = np.array([f.upper_bound for f in found]), np.array([f.multipliers for f in found])
    return slice_of(kind, ends, np.zeros((0, 2)), directions, offsets, multipliers, programs.solves, programs.size)


def _refined_border(programs: _Programs, starts: list[tuple[Array, SumOptimum]], *, closed: bool) -> SliceBorder:
    """The border between supports whose directions turn counter-clockwise by less than half a turn at a time.

    Without `closed`, the first and the last direction are normals of unbounded edges, and these are added. What is
    found along such a normal may be any point of the edge. The way from there to the edge's corner is a part of the
    edge, which is proven already: the normal of that way is too inexact for a program along it.
    """
    outermost = [] if closed else [starts[0], starts[-1]]
    corners: list[SumOptimum] = [starts[0][1]]
    edges: list[tuple[Array, float, Array]] = []
    unseen = [(starts[i][1], starts[i + 1][1]) for i in range(len(starts) - 1)][::-1]
    while unseen:
        here, there = unseen.pop()
        way = there.z - here.z
        length = float(np.hypot(*way))
        if length <= CORNER * programs.size:
            continue
        edge = next((_edge(*end) for end in outermost if _on_edge(programs.size, *end, here, there)), None)
        if edge is not None:
            edges.append(edge)
            corners.append(there)
            continue
        normal = np.array([way[1], -way[0]]) / length
        found = programs.optimum(normal)
        if found.status != SumStatus.OPTIMAL:
            raise SolverError("a bounded part of the slice was called unbounded", where="support region")
        level = max(float(normal @ here.z), float(normal @ there.z))
        new = min(float(np.hypot(*(found.z - end.z))) for end in (here, there)) > CORNER * programs.size
        noise = abs(found.upper_bound - found.value)  # nearly aligned hands leave more than rounding
        if found.value - level > CORNER * programs.size + noise and new:
            unseen += [(found, there), (here, found)]
        else:
            edges.append((normal, found.upper_bound, found.multipliers))
            corners.append(there)
        if len(corners) + len(unseen) > MOST_CORNERS:
            raise SolverError(f"the slice has more than {MOST_CORNERS} corners", where="support region")
    if closed and len(corners) > 1:
        corners.pop()
    elif not closed:
        edges = [_edge(*starts[0]), *edges, _edge(*starts[-1])]
    return SliceBorder(
        np.array([c.z for c in corners]),
        np.array([e[0] for e in edges]).reshape(-1, 2),
        np.array([e[1] for e in edges]),
        np.array([e[2] for e in edges]).reshape(-1, 6),
        corners,
    )


def _edge(direction: Array, found: SumOptimum) -> tuple[Array, float, Array]:
    return direction, found.upper_bound, found.multipliers


def _on_edge(size: float, direction: Array, found: SumOptimum, *points: SumOptimum) -> bool:
    """Whether points lie on the edge with the normal `direction` (2,) that `found` is the optimum along."""
    noise = abs(found.upper_bound - found.value)
    return all(found.upper_bound - float(direction @ point.z) <= CORNER * size + noise for point in points)


# -- unbounded slices -----------------------------------------------------------------------------


def _turned(vector: Array) -> Array:
    """`vector` (2,) turned by a quarter, counter-clockwise."""
    return np.array([-vector[1], vector[0]])


def _extreme_rays(rays: list[Array]) -> tuple[Array, Array, float]:
    """(first, last, gap): the rays on both sides of the largest gap [rad] between neighbours; it opens at `first`."""
    angles = np.arctan2([r[1] for r in rays], [r[0] for r in rays])
    order = np.argsort(angles)
    gaps = np.diff(np.append(angles[order], angles[order[0]] + 2.0 * np.pi))
    widest = int(np.argmax(gaps))
    return rays[order[widest]], rays[order[(widest + 1) % len(rays)]], float(gaps[widest])


def _unbounded(programs: _Programs) -> SumPolygon:
    """Rays first: the outermost ones stand when the programs along their normals find no ray beyond them."""
    while True:
        first, last, gap = _extreme_rays(programs.rays)
        if gap < np.pi - THIN:
            return _plane(programs)
        beyond = [_turned(first), -_turned(last)]
        known = len(programs.rays)
        for normal in beyond[: 1 if gap <= np.pi + THIN and len(programs.rays) > 1 else 2]:
            found = programs.optimum(normal)
            if found.status == SumStatus.UNBOUNDED and not ray_slope(normal, found.ray):
                del programs.rays[known:]
            if len(programs.rays) > known:
                break
        if len(programs.rays) == known:
            break
    if gap <= np.pi + THIN and len(programs.rays) > 1:
        return _with_line(programs, first)
    if gap >= 2.0 * np.pi - THIN:
        last = first
    return _wedge(programs, first, last)


def _plane(programs: _Programs) -> SumPolygon:
    """All rays together leave no half-plane: the slice is the whole plane."""
    found = programs.optimum(np.array([1.0, 0.0]))
    rays = _spanning(np.array(programs.rays))
    return whole_plane(found, rays, programs.solves, programs.size)


def _spanning(rays: Array) -> Array:
    """Three or four of the rays, counter-clockwise, with no gap of half a turn between neighbours."""
    angles = np.unique(np.arctan2(rays[:, 1], rays[:, 0]))
    kept = [float(angles[0])]
    while kept[-1] + np.pi - THIN < kept[0] + 2.0 * np.pi:
        reach = np.concatenate([angles, angles + 2.0 * np.pi])
        ahead = reach[(reach > kept[-1]) & (reach < kept[-1] + np.pi - THIN)]
        kept.append(float(ahead.max()))
    if kept[-1] >= kept[0] + 2.0 * np.pi - THIN:
        kept.pop()
    return np.column_stack([np.cos(kept), np.sin(kept)])


def _with_line(programs: _Programs, ray: Array) -> SumPolygon:
    """A half-plane, a strip or a line along `ray` (2,): no corners, one point of each border line."""
    out = _turned(ray)
    side = [supported(programs, out)]
    inner = [r for r in programs.rays if ray_slope(-out, r)]
    if not inner:
        found = programs.optimum(-out)
        if found.status == SumStatus.OPTIMAL:
            side.append((-out, found))
        elif ray_slope(-out, found.ray):
            inner = [found.ray]
        else:
            side.append(supported(programs, -out))
    normals = np.array([n for n, _ in side])
    ends = [f for _, f in side]
    offsets = np.array([f.upper_bound for f in ends])
    rays = np.array([ray, -ray, -out] if inner else [ray, -ray])
    multipliers = np.array([f.multipliers for f in ends])
    if len(side) == 2 and offsets.sum() <= THIN * programs.size:
        ends = ends[:1]
    return slice_of(SliceKind.UNBOUNDED, ends, rays, normals, offsets, multipliers, programs.solves, programs.size)


def supported(programs: _Programs, direction: Array) -> tuple[Array, SumOptimum]:
    """(direction, optimum) along the normal of a line of the slice; turned slightly where rounding finds no bound."""
    along = _turned(direction)
    try:
        found, turned = programs.supporting(direction, along)
    except SolverError:
        found, turned = programs.supporting(direction, -along)
    return turned, found


def _wedge(programs: _Programs, first: Array, last: Array) -> SumPolygon:
    """A slice that recedes between `last` and `first` (2,), counter-clockwise; one ray where both are the same."""
    opening = first + last
    middle = -opening / np.hypot(*opening) if np.hypot(*opening) > THIN else _turned(first)
    begin, end = programs.supporting(_turned(first), middle), programs.supporting(-_turned(last), middle)
    starts = [(begin[1], begin[0]), (middle, programs.optimum(middle)), (end[1], end[0])]
    border = _refined_border(programs, starts, closed=False)
    rays = np.array([first, last])
    border = tidied(replace(border, rays=rays), programs.size)
    return _bordered(programs, SliceKind.UNBOUNDED, border, rays[:1] if np.hypot(*(first - last)) <= THIN else rays)
