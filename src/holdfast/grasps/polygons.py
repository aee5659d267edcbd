"""Distances between points, straight pieces and outlines in the plane, exact and for many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array

#: Numbers worked on at once; more are taken in blocks, so that memory stays small.
BLOCK = 1_000_000


def distance_to_outline(points: ArrayLike, outline: Array) -> Array:
    """Distance (...,) of `points` (..., 2) from the closed polygon `outline` (n, 2), inside and outside alike."""
    given = np.asarray(points, dtype=np.float64)
    flat = given.reshape(-1, 2)
    start, way = outline, np.roll(outline, -1, axis=0) - outline
    size = np.maximum(np.einsum("nk,nk->n", way, way), np.finfo(np.float64).tiny)
    found = np.empty(len(flat))
    step = max(1, BLOCK // len(outline))
    for at in range(0, len(flat), step):
        gap = flat[at : at + step, None, :] - start
        share = np.clip(np.einsum("mnk,nk->mn", gap, way) / size, 0.0, 1.0)
        rest = gap - share[..., None] * way
        found[at : at + step] = np.sqrt(np.einsum("mnk,mnk->mn", rest, rest).min(axis=1))
    return found.reshape(given.shape[:-1])


def between_pieces(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Distance (...,) between straight pieces from `a` to `b` and from `c` to `d` (..., 2); 0 where they cross."""
    ends = np.minimum(
        np.minimum(_to_piece(a, c, d), _to_piece(b, c, d)), np.minimum(_to_piece(c, a, b), _to_piece(d, a, b))
    )
    apart = (_side(a, b, c) * _side(a, b, d) < 0.0) & (_side(c, d, a) * _side(c, d, b) < 0.0)
    return np.where(apart, 0.0, ends)


def _to_piece(point: Array, start: Array, end: Array) -> Array:
    """Distance (...,) of points from straight pieces."""
    way, gap = end - start, point - start
    size = np.maximum((way * way).sum(axis=-1), np.finfo(np.float64).tiny)
    share = np.clip((gap * way).sum(axis=-1) / size, 0.0, 1.0)
    return np.linalg.norm(gap - share[..., None] * way, axis=-1)


def _side(start: Array, end: Array, point: Array) -> Array:
    """Twice the signed area of the triangles start, end, point."""
    way, gap = end - start, point - start
    return way[..., 0] * gap[..., 1] - way[..., 1] * gap[..., 0]
