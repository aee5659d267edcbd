"""What is left of a convex set of torques when others are taken away: disjoint convex pieces, and the deepest ball."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from ..checks import Array
from .polyhedra import Polyhedron
from .shadows import irredundant


def cut(polyhedron: Polyhedron, row: Array, offset: float, *, strict: bool) -> Polyhedron:
    """The part of `polyhedron` with row x >= offset (> if `strict`)."""
    return Polyhedron(
        np.vstack([polyhedron.A, row]),
        np.append(polyhedron.b, offset),
        polyhedron.C,
        polyhedron.d,
        strict=np.append(polyhedron.strict, strict),
        dimension=polyhedron.ambient_dimension,
    )


def sides(removed: Polyhedron) -> Iterator[tuple[Array, float, bool]]:
    """The rows (row, offset, strict) of a set, an equality as two rows, each as row x >= offset."""
    for row, offset in zip(removed.C, removed.d, strict=True):
        yield row, float(offset), False
        yield -row, -float(offset), False
    for row, offset, strict in zip(removed.A, removed.b, removed.strict, strict=True):
        yield row, float(offset), bool(strict)


def without(whole: Polyhedron, removed: Polyhedron) -> list[Polyhedron]:
    """whole minus removed as disjoint convex pieces, open where the removed set is closed and the other way round.

    Piece i breaks the i-th row of the removed set and meets those before it.
    """
    if whole.intersect(removed).is_empty:
        return [whole]
    pieces: list[Polyhedron] = []
    rest = whole
    for row, offset, strict in sides(removed):
        outside = cut(rest, -row, -offset, strict=not strict)
        if not outside.is_empty:
            pieces.append(irredundant(outside))
            rest = cut(rest, row, offset, strict=strict)
    return pieces


def difference(whole: Polyhedron, removed: Sequence[Polyhedron]) -> list[Polyhedron]:
    """whole minus the union of `removed`, as disjoint convex pieces in irredundant rows; large sets are taken first."""
    if whole.is_empty:
        return []
    pieces = [whole]
    for other in sorted(removed, key=_smallness):
        pieces = [part for piece in pieces for part in without(piece, other)]
        if not pieces:
            break
    return pieces


def _smallness(polyhedron: Polyhedron) -> tuple[int, int, int]:
    return -polyhedron.dimension, -len(polyhedron.generators.all_rays), len(polyhedron.A)


def deepest_ball(whole: Polyhedron, removed: Sequence[Polyhedron]) -> tuple[Array, float]:
    """(centre, radius) of the largest ball of the affine hull of `whole` that lies in it and off every removed set.

    Each removed set is kept off by one of its own planes, the choice found by best-first search; a ball past a corner
    could be larger. The radius is infinite where any ball fits, -inf with a centre of nan where there is nothing.
    """
    centre, radius = whole.chebyshev()
    tickets = count()
    queue = [(-radius, next(tickets), centre, whole)]
    while queue:
        negative, _, centre, part = heapq.heappop(queue)
        radius = -negative
        if radius == -np.inf:
            break
        reach = radius if np.isfinite(radius) else 0.0
        pressing = next((other for other in removed if not _keeps_off(part, other, centre, reach)), None)
        if pressing is None:
            return centre, radius
        for row, offset, strict in sides(pressing):
            smaller = cut(part, -row, -offset, strict=not strict)
            middle, size = smaller.chebyshev()
            if size > -np.inf:
                heapq.heappush(queue, (-size, next(tickets), middle, smaller))
    return np.full(whole.ambient_dimension, np.nan), -np.inf


def _keeps_off(part: Polyhedron, other: Polyhedron, centre: Array, reach: float) -> bool:
    """Whether a plane of `other` has the ball on its far side; a cell bounded by such a plane always does."""
    slack = 1e-9 * max(part.scale, reach)
    for row, offset, _ in sides(other):
        across = row - part.C.T @ np.linalg.lstsq(part.C.T, row, rcond=None)[0] if len(part.C) else row
        if float(row @ centre) - offset + reach * float(np.linalg.norm(across)) <= slack:
            return True
    return False
