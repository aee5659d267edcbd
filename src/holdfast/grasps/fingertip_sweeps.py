"""What a fingertip sweeps while it closes, and how deep that cuts into an outline; exact, for many fingers at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import Array, BoolArray, IntArray
from .polygons import between_pieces

#: Pairs of a finger and a corner of the outline looked at together; more are taken in blocks.
BLOCK = 2_000_000


def cuts(outlines: Sequence[Array], tip: Array, way: Array, length: Array, radius: float) -> tuple[Array, Array]:
    """How deep capsules cut into outlines, and how far along the way: (k,) and (k,).

    The capsules start at `tip` (k, 2) and run `length` (k,) along the unit vectors `way` (k, 2). Sides of an outline
    that lie beside, behind or beyond a capsule are set aside by their corners in its frame; for the others the
    distance to the axis is exact. A capsule that starts inside the part cuts by its radius and its depth there.
    """
    points = np.concatenate(outlines)
    after = _after(outlines)
    cut, along = np.zeros(len(tip)), np.zeros(len(tip))
    step = max(1, BLOCK // len(points))
    for first in range(0, len(tip), step):
        part = slice(first, min(first + step, len(tip)))
        x, y = _in_frame(points, tip[part], way[part])
        inside = _starts_inside(x, y, after)
        row, side = np.nonzero(_near(x, y, after, length[part], radius))
        a, b = (np.column_stack([x[row, end], y[row, end]]) for end in (side, after[side]))
        near, place = _nearest(a, b, length[part][row])
        _deepest(cut[part], along[part], row, np.maximum(radius - near, 0.0), place)
        for k in np.flatnonzero(inside):
            # Inside the part the tip has the wall as far behind it as it is deep, and its radius besides.
            whole = np.column_stack([x[k], y[k]])
            zero = np.zeros_like(whole)
            cut[first + k] = radius + between_pieces(whole, whole[after], zero, zero).min()
            along[first + k] = 0.0
    return cut, along


def _after(outlines: Sequence[Array]) -> IntArray:
    """(n,) number of the corner that follows each corner, outline by outline."""
    sizes = np.array([len(outline) for outline in outlines])
    first = np.cumsum(sizes) - sizes
    return np.concatenate([start + (np.arange(size) + 1) % size for start, size in zip(first, sizes, strict=True)])


def _in_frame(points: Array, tip: Array, way: Array) -> tuple[Array, Array]:
    """(k, n) how far `points` (n, 2) lie along each way and left of it, seen from its tip."""
    across = np.column_stack([-way[:, 1], way[:, 0]])
    along, left = (turned @ points.T - np.einsum("kc,kc->k", turned, tip)[:, None] for turned in (way, across))
    return along, left


def _near(x: Array, y: Array, after: IntArray, length: Array, radius: float) -> BoolArray:
    """(k, n) sides that may come within `radius` of the axis of their capsule: not all beside, behind or beyond it."""
    kept = np.ones(x.shape, dtype=bool)
    for out in (y > radius, y < -radius, x < -radius, x > length[:, None] + radius):
        kept &= ~(out & out[:, after])
    return kept


def _nearest(a: Array, b: Array, length: Array) -> tuple[Array, Array]:
    """(p,) distance of each side from the axis of its capsule, and how far along the axis it is nearest."""
    zero = np.zeros_like(a)
    tip_end = np.column_stack([length, np.zeros(len(length))])
    near = between_pieces(a, b, zero, tip_end)
    drop = b[:, 1] - a[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(a[:, 1] * b[:, 1] < 0.0, -a[:, 1] / drop, np.abs(a[:, 1]) > np.abs(b[:, 1]))
    place = a[:, 0] + np.clip(share, 0.0, 1.0) * (b[:, 0] - a[:, 0])
    return near, np.clip(place, 0.0, length)


def _deepest(cut: Array, along: Array, row: IntArray, depth: Array, place: Array) -> None:
    """Keep, for each capsule, its deepest cut and where it is; of equal ones the one met first."""
    order = np.lexsort((-place, -depth, row))
    kept = order[np.append(True, np.diff(row[order]) > 0)] if len(order) else order
    cut[row[kept]], along[row[kept]] = depth[kept], np.where(depth[kept] > 0.0, place[kept], 0.0)


def _starts_inside(x: Array, y: Array, after: IntArray) -> BoolArray:
    """(k,) whether the tip lies inside the outlines: its ray leaves them an odd number of times."""
    above = y > 0.0
    row, side = np.nonzero(above != above[:, after])
    end = after[side]
    x0, y0, x1, y1 = x[row, side], y[row, side], x[row, end], y[row, end]
    crossing = x0 - y0 * (x1 - x0) / (y1 - y0) > 0.0
    return np.bincount(row[crossing], minlength=len(x)) % 2 == 1
