"""Planar slices by refinement: ask along the normal of every edge until no new corner appears.

Any solver of linear programs over the sum will do. An edge between two known corners is either proven by the multiplier
of the program along its normal, or that program finds a corner beyond it. Directions to infinity are treated as
corners there: they are found first, from programs without a bound, and span the cone in which the slice recedes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...checks import Array
from ...errors import SolverError
from .optimum import SumStatus
from .polygon import (
    CORNER,
    THIN,
    Border,
    SliceKind,
    SumPolygon,
    SumSlicer,
    bounded_kind,
    empty_slice,
    ray_slope,
    slice_of,
    tidied,
    whole_plane,
)

#: A program along the normal of a ray may be unbounded by rounding; it is asked again turned by these angles [rad].
TILTS = (1e-9, 1e-7, 1e-5)

#: A slice with more corners than this is not refined further; nothing physical has as many.
MOST_CORNERS = 100_000


class _Found(Exception):
    """The slice is already known: empty."""

    def __init__(self, multipliers: Array) -> None:
        self.multipliers = multipliers


class _Asker:
    """Programs along directions of the slice's plane, counted."""

    def __init__(self, slicer: SumSlicer, base: Array, axes: Array, size: float) -> None:
        self._slicer, self._base, self._axes = slicer, base, axes
        self.size, self.solves = size, 0
        self.rays: list[Array] = []

    def optimum(self, direction: Array) -> Any:
        """The program along a unit `direction` (2,): optimal or unbounded; every ray found is kept."""
        found = self._slicer.maximise(self._base, self._axes, direction)
        self.solves += 1
        if found.status == SumStatus.EMPTY:
            raise _Found(found.multipliers)
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

    def supporting(self, direction: Array, inward: Array) -> tuple[Any, Array]:
        """(optimum, direction) along a bounded `direction`; turned `inward` a little where rounding says it is not."""
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
    asker = _Asker(slicer, np.asarray(base, float), np.asarray(axes, float), size)
    try:
        starts = [(d, asker.optimum(d)) for d in np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])]
        if not asker.rays:
            return _bounded(asker, starts)
        return _unbounded(asker)
    except _Found as found:
        return empty_slice(found.multipliers, asker.solves, asker.size)


def _bounded(asker: _Asker, starts: list[tuple[Array, Any]]) -> SumPolygon:
    """Four programs that support each other, refined to a polygon; thin ones are asked along and across."""
    border = _refined_border(asker, [*starts, starts[0]], closed=True)
    kind, way = bounded_kind(border.corners, asker.size)
    if kind is not SliceKind.POLYGON:
        return thin_slice(asker, kind, way)
    border = tidied(border, asker.size)
    return _bordered(asker, kind, border, border.rays)


def _bordered(asker: _Asker, kind: SliceKind, border: Border, rays: Array) -> SumPolygon:
    return slice_of(
        kind, border.proofs, rays, border.normals, border.offsets, border.multipliers, asker.solves, asker.size
    )


def thin_slice(asker: _Asker, kind: SliceKind, way: Array) -> SumPolygon:
    """A point or a segment along `way` (2,), proven by programs along, against and to both sides of it."""
    across = np.array([-way[1], way[0]])
    directions = np.array([way, across, -way, -across])
    found = [asker.optimum(d) for d in directions]
    ends = [found[2], found[0]] if kind is SliceKind.SEGMENT else [found[0]]
    offsets, multipliers = np.array([f.upper_bound for f in found]), np.array([f.multipliers for f in found])
    return slice_of(kind, ends, np.zeros((0, 2)), directions, offsets, multipliers, asker.solves, asker.size)


def _refined_border(asker: _Asker, starts: list[tuple[Array, Any]], *, closed: bool) -> Border:
    """The border between supports whose directions turn counter-clockwise by less than half a turn at a time.

    Without `closed`, the first and the last direction are normals of unbounded edges, and these are added.
    """
    corners: list[Any] = [starts[0][1]]
    edges: list[tuple[Array, float, Array]] = []
    unseen = [(starts[i][1], starts[i + 1][1]) for i in range(len(starts) - 1)][::-1]
    while unseen:
        here, there = unseen.pop()
        way = there.z - here.z
        length = float(np.hypot(*way))
        if length <= CORNER * asker.size:
            continue
        normal = np.array([way[1], -way[0]]) / length
        found = asker.optimum(normal)
        if found.status != SumStatus.OPTIMAL:
            raise SolverError("a bounded part of the slice was called unbounded", where="support region")
        level = max(float(normal @ here.z), float(normal @ there.z))
        new = min(float(np.hypot(*(found.z - end.z))) for end in (here, there)) > CORNER * asker.size
        noise = abs(found.upper_bound - found.value)  # hands that are aligned but for a hair leave more than rounding
        if found.value - level > CORNER * asker.size + noise and new:
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
    return Border(
        np.array([c.z for c in corners]),
        np.array([e[0] for e in edges]).reshape(-1, 2),
        np.array([e[1] for e in edges]),
        np.array([e[2] for e in edges]).reshape(-1, 6),
        corners,
    )


def _edge(direction: Array, found: Any) -> tuple[Array, float, Array]:
    return direction, found.upper_bound, found.multipliers


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


def _unbounded(asker: _Asker) -> SumPolygon:
    """Rays first: the outermost ones stand when the programs along their normals find no ray beyond them."""
    while True:
        first, last, gap = _extreme_rays(asker.rays)
        if gap < np.pi - THIN:
            return _plane(asker)
        beyond = [_turned(first), -_turned(last)]
        known = len(asker.rays)
        for normal in beyond[: 1 if gap <= np.pi + THIN and len(asker.rays) > 1 else 2]:
            found = asker.optimum(normal)
            if found.status == SumStatus.UNBOUNDED and not ray_slope(normal, found.ray):
                del asker.rays[known:]
            if len(asker.rays) > known:
                break
        if len(asker.rays) == known:
            break
    if gap <= np.pi + THIN and len(asker.rays) > 1:
        return _with_line(asker, first)
    if gap >= 2.0 * np.pi - THIN:
        last = first
    return _wedge(asker, first, last)


def _plane(asker: _Asker) -> SumPolygon:
    """All rays together leave no half-plane: the slice is the whole plane."""
    found = asker.optimum(np.array([1.0, 0.0]))
    rays = _spanning(np.array(asker.rays))
    return whole_plane(found, rays, asker.solves, asker.size)


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


def _with_line(asker: _Asker, ray: Array) -> SumPolygon:
    """A half-plane, a strip or a line along `ray` (2,): no corners, one point of each border line."""
    out = _turned(ray)
    side = [supported(asker, out)]
    inner = [r for r in asker.rays if ray_slope(-out, r)]
    if not inner:
        found = asker.optimum(-out)
        if found.status == SumStatus.OPTIMAL:
            side.append((-out, found))
        elif ray_slope(-out, found.ray):
            inner = [found.ray]
        else:
            side.append(supported(asker, -out))
    normals = np.array([n for n, _ in side])
    ends = [f for _, f in side]
    offsets = np.array([f.upper_bound for f in ends])
    rays = np.array([ray, -ray, -out] if inner else [ray, -ray])
    multipliers = np.array([f.multipliers for f in ends])
    if len(side) == 2 and offsets.sum() <= THIN * asker.size:
        ends = ends[:1]
    return slice_of(SliceKind.UNBOUNDED, ends, rays, normals, offsets, multipliers, asker.solves, asker.size)


def supported(asker: _Asker, direction: Array) -> tuple[Array, Any]:
    """(direction, optimum) along the normal of a line of the slice; turned either way where rounding says no bound."""
    along = _turned(direction)
    try:
        found, turned = asker.supporting(direction, along)
    except SolverError:
        found, turned = asker.supporting(direction, -along)
    return turned, found


def _wedge(asker: _Asker, first: Array, last: Array) -> SumPolygon:
    """A slice that recedes between `last` and `first` (2,), counter-clockwise; one ray where both are the same."""
    opening = first + last
    middle = -opening / np.hypot(*opening) if np.hypot(*opening) > THIN else _turned(first)
    begin, end = asker.supporting(_turned(first), middle), asker.supporting(-_turned(last), middle)
    starts = [(begin[1], begin[0]), (middle, asker.optimum(middle)), (end[1], end[0])]
    border = _refined_border(asker, starts, closed=False)
    rays = np.array([first, last])
    border = tidied(replace(border, rays=rays), asker.size)
    return _bordered(asker, SliceKind.UNBOUNDED, border, rays[:1] if np.hypot(*(first - last)) <= THIN else rays)
