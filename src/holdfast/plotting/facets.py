"""Flat faces of convex pieces, as polygons ready to draw, and the parts of them that other pieces do not cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import tolerances
from ..checks import Array
from ..errors import InputError
from ..geometry.polygons import clip_convex
from ..geometry.polytopes import Polytope

#: Corners count as lying in a plane within this share of the size of their set.
IN_PLANE = 1e-7

#: Rays share a mean direction when the cosine between each and their mean is above this; else a box cuts them.
LEAST_LEAN = 0.05

#: A set whose rays point in all directions is closed this many times further out than it is cut.
FAR = 10.0


@dataclass(frozen=True, eq=False)
class Facet:
    """A flat face of a convex piece.

    Attributes:
        corners: (m, 3) in order round the border, counter-clockwise from outside.
        normal: (3,) outward unit normal.
        is_cut: whether it only closes an unbounded piece.
    """

    corners: Array
    normal: Array
    is_cut: bool = False


def growth_direction(polytope: Polytope) -> Array | None:
    """(3,) mean unit direction of the rays, or None when there are none or they do not share one."""
    if polytope.is_bounded:
        return None
    units = polytope.rays / np.linalg.norm(polytope.rays, axis=1, keepdims=True)
    mean = units.mean(axis=0)
    length = float(np.linalg.norm(mean))
    if length < LEAST_LEAN or float((units @ mean).min()) < LEAST_LEAN * length:
        return None
    return mean / length


def cut_off(polytope: Polytope, reach: float, *, always: bool = False) -> tuple[Polytope, list[Array]]:
    """A bounded part of the set for drawing, and the outward normals of the planes that cut it.

    A set with rays is cut at right angles to the mean of its rays at `reach`, or by a box of half-width `reach`
    when the rays point in all directions. A bounded set stays as it is, or with `always` is cut at z = `reach`.
    """
    if polytope.is_bounded and not always:
        return polytope, []
    mean = np.array([0.0, 0.0, 1.0]) if polytope.is_bounded else growth_direction(polytope)
    part = polytope
    if mean is not None:
        normals = [mean]
    else:  # such a set may have no corners: close it far out, then cut it by the box
        units = polytope.rays / np.linalg.norm(polytope.rays, axis=1, keepdims=True)
        far = polytope.vertices[:, None, :] + FAR * max(reach, polytope.size) * units
        part = Polytope(np.concatenate([polytope.vertices, far.reshape(-1, 3)]))
        normals = [sign * row for row in np.eye(3) for sign in (1.0, -1.0)]
    cuts: list[Array] = []
    for normal in normals:
        kept = part.clipped(normal, reach)
        if kept is None:
            raise InputError(f"is {reach:g} N, which leaves nothing of a piece", where="reach", fix="give a larger one")
        if kept is not part:
            part = kept
            cuts.append(normal)
    return part, cuts


def facets(polytope: Polytope, cuts: Sequence[Array] = ()) -> list[Facet]:
    """The true facets of a bounded body in space: coplanar triangles are one polygon.

    A flat set gives one polygon, with either normal; a segment or a point gives none. Facets whose
    normal is one of `cuts` are marked.
    """
    corners = polytope.extreme
    tiny = IN_PLANE * polytope.size
    found: list[Facet] = []
    seen: set[tuple[int, ...]] = set()
    if polytope.dimension < 2:
        return found
    for normal, offset in zip(*polytope.halfspaces, strict=True):
        here = np.nonzero(np.abs(corners @ normal - offset) <= tiny)[0]
        key = tuple(int(i) for i in here)
        if len(here) < 3 or key in seen:
            continue
        seen.add(key)
        is_cut = any(float(normal @ cut) > 1.0 - tolerances.ORTHONORMAL for cut in cuts)
        found.append(Facet(_ordered(corners[here], normal), normal, is_cut))
    return found


def _ordered(points: Array, normal: Array) -> Array:
    """The corners of a convex polygon in order, counter-clockwise seen against `normal`."""
    across = np.eye(3)[np.argmin(np.abs(normal))]
    u = np.cross(normal, across)
    u /= np.linalg.norm(u)
    middle = points - points.mean(axis=0)
    return points[np.argsort(np.arctan2(middle @ np.cross(normal, u), middle @ u))]


@dataclass(frozen=True, eq=False)
class Neighbour:
    """Another piece of the same union, seen from the piece that is being drawn.

    Attributes:
        polytope: the other piece, bounded.
        normal, offset: the half-space normal . x <= offset of what is nearer to the other piece's centroid. Of a
            face that both pieces have in common, the other draws the part in it.
        cuts: outward normals of the planes that only cut the other piece off; these are not part of its border.
    """

    polytope: Polytope
    normal: Array
    offset: float
    cuts: tuple[Array, ...] = ()


def neighbours(pieces: Sequence[Polytope], index: int, cuts: Sequence[Sequence[Array]] = ()) -> list[Neighbour]:
    """The pieces that may cover parts of piece `index`; flat ones cover nothing. `cuts` are the planes cutting each."""
    result: list[Neighbour] = []
    own = pieces[index].centroid
    for k, other in enumerate(pieces):
        if k == index or other.dimension < 3:
            continue
        ends = tuple(cuts[k]) if cuts else ()
        away = own - other.centroid
        distance = float(np.linalg.norm(away))
        if distance > IN_PLANE * other.size:
            normal = away / distance
            result.append(Neighbour(other, normal, float(normal @ (own + other.centroid)) / 2.0, ends))
        else:  # of pieces with the same centroid the earlier one draws the common part
            result.append(Neighbour(other, np.zeros(3), 1.0 if k < index else -1.0, ends))
    return result


def uncovered(facet: Facet, others: Sequence[Neighbour]) -> list[Array]:
    """Convex polygons (m, 3) of the part of a facet that is on the border of the union, and not drawn by others.

    Each other piece is subtracted one half-space at a time: what lies beyond the plane stays, what lies before
    it is cut by the next plane, and what lies before all planes is covered. A face where two pieces
    touch from opposite sides is covered; a common face is divided by `Neighbour`.
    """
    parts = [facet.corners]
    for other in others:
        left: list[Array] = []
        tiny = IN_PLANE * max(other.polytope.size, float(np.abs(facet.corners).max()))
        normals, offsets = other.polytope.halfspaces
        flush = np.abs(facet.corners @ normals.T - offsets).max(axis=0) <= tiny
        if (flush & (normals @ facet.normal > 0.0)).any():
            normals = np.concatenate([normals[~flush], [other.normal]])
            offsets = np.append(offsets[~flush], other.offset)
        else:
            normals, offsets = normals[~flush], offsets[~flush]
        for part in parts:
            rest = part
            height = part @ normals.T - offsets
            if (height.min(axis=0) >= -tiny).any():  # wholly beyond one plane
                left.append(part)
                continue
            for k in np.nonzero(height.max(axis=0) > tiny)[0]:
                level = rest @ normals[k] - offsets[k]
                beyond = clip_convex(rest, level)
                if len(beyond) >= 3:
                    left.append(beyond)
                rest = clip_convex(rest, -level)
                if len(rest) < 3:
                    break
        parts = left
    return parts


def uncovered_segments(start: Array, end: Array, others: Sequence[Neighbour]) -> list[tuple[Array, Array]]:
    """The stretches of an edge on the border of the union, and not drawn by others."""
    stretches = [(0.0, 1.0)]
    along = end - start
    for other in others:
        tiny = IN_PLANE * max(other.polytope.size, float(np.abs(start).max()), float(np.abs(end).max()))
        normals, offsets = other.polytope.halfspaces
        flush = np.maximum(np.abs(normals @ start - offsets), np.abs(normals @ end - offsets)) <= tiny
        ends = np.zeros(len(normals), dtype=bool)
        for cut in other.cuts:
            ends |= normals @ cut > 1.0 - tolerances.ORTHONORMAL
        if not (flush & ~ends).any():
            normals, offsets = normals[~flush], offsets[~flush]
        else:
            normals = np.concatenate([normals[~flush], [other.normal]])
            offsets = np.append(offsets[~flush], other.offset)
        slack, slope = offsets - normals @ start, normals @ along
        level = np.abs(slope) <= tolerances.FLAT * np.linalg.norm(along)
        if (slack[level] <= tiny).any():
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = slack / slope
        first = float(np.max(crossing[~level & (slope < 0.0)], initial=0.0))
        last = float(np.min(crossing[~level & (slope > 0.0)], initial=1.0))
        if last - first > IN_PLANE:
            ends = ((a, b, first, last) for a, b in stretches)
            stretches = [s for a, b, f, e in ends for s in ((a, min(b, f)), (max(a, e), b)) if s[1] > s[0]]
    return [(start + a * along, start + b * along) for a, b in stretches if b - a > IN_PLANE]
