"""What is left of a convex set of torques when others are taken away: disjoint convex pieces, and the deepest ball."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from ..checks import Array
from .polyhedra import STRICT, Polyhedron
from .shadows import irredundant

#: The search for the deepest ball looks at no more cells than this, and then takes the best of the disjoint pieces.
MOST_CELLS = 2000

#: A ball keeps off a plane when it is across it by no more than this share of the sizes involved.
TOUCH = 1e-9


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
    """whole minus the union of `removed`, as disjoint convex pieces in irredundant rows; large sets are taken first.

    Slivers that only the tolerances leave between sets that touch are none: the middle of every piece is a point of
    `whole` off every removed set, and of no other piece.
    """
    if whole.is_empty:
        return []
    pieces = [whole]
    for other in sorted(removed, key=_smallness):
        pieces = [part for piece in pieces for part in without(piece, other)]
        if not pieces:
            break
    if len(pieces) == 1 and pieces[0] is whole:
        return pieces
    kept: list[Polyhedron] = []
    for piece in sorted(pieces, key=lambda part: len(part.C)):  # the thickest first
        middle = piece.chebyshev()[0]
        if is_left(whole, removed, middle) and not any(bool(other.contains(middle)) for other in kept):
            kept.append(piece)
    return kept


def is_left(whole: Polyhedron, removed: Sequence[Polyhedron], point: Array) -> bool:
    """Whether a point of the whole is in no removed set."""
    return bool(whole.contains(point)) and not any(bool(other.contains(point)) for other in removed)


def _smallness(polyhedron: Polyhedron) -> tuple[int, int, int]:
    return -polyhedron.dimension, -len(polyhedron.generators.all_rays), len(polyhedron.A)


def deepest_ball(
    whole: Polyhedron, removed: Sequence[Polyhedron], pieces: Sequence[Polyhedron] | None = None
) -> tuple[Array, float]:
    """(centre, radius) of the largest ball of the affine hull of `whole` that lies in it and off every removed set.

    Each removed set is kept off by one of its own planes; a ball past a corner could be larger. The centre itself is
    always left. The radius is infinite where any ball fits, 0 where what is left is flatter than `whole`, -inf with a
    centre of nan where there is nothing. `pieces` is the `difference` of the two, where it is known.
    """
    left = difference(whole, removed) if pieces is None else list(pieces)
    if not left:
        return np.full(whole.ambient_dimension, np.nan), -np.inf
    hull = whole if _ball(whole) is not None else whole.minimal()
    found = _search(hull, removed)
    if found is not None and is_left(whole, removed, found[0]):
        return found
    # No ball at all, or one as thin as the tolerances: the thickest piece has a point that is surely left.
    balls = [(piece, *piece.chebyshev()) for piece in left]
    solid = [(centre, radius) for piece, centre, radius in balls if _ball(piece, hull) is not None]
    if solid:
        return max(solid, key=lambda ball: ball[1])
    _, centre, _ = max(balls, key=lambda ball: (-len(ball[0].C), ball[2]))
    return centre, 0.0


def _search(hull: Polyhedron, removed: Sequence[Polyhedron]) -> tuple[Array, float] | None:
    """The largest ball by best-first search over the planes that keep it off each removed set; None if there is none.

    A cell is what remains of the hull behind one plane of each of the removed sets in `done`; every cut adds one, so
    that the search ends. None, too, where it would take more than `MOST_CELLS`.
    """
    tickets = count()
    queue: list[tuple[float, int, int, Array, Polyhedron, frozenset[int]]] = []

    def offer(cell: Polyhedron, done: frozenset[int]) -> None:
        ball = _ball(cell)
        if ball is not None:
            heapq.heappush(queue, (-ball[1], -len(done), next(tickets), ball[0], cell, done))

    offer(hull, frozenset())
    for _ in range(MOST_CELLS):
        if not queue:
            return None
        negative, _, _, centre, cell, done = heapq.heappop(queue)
        pressing = None
        for i, other in enumerate(removed):
            if i in done or _keeps_off(cell, other, centre, -negative):
                continue
            if not cell.intersect(other).is_empty:
                pressing = i
                break
            done |= {i}
        if pressing is None:
            return centre, -negative
        for row, offset, strict in sides(removed[pressing]):
            offer(cut(cell, -row, -offset, strict=not strict), done | {pressing})
    return None


def _ball(cell: Polyhedron, hull: Polyhedron | None = None) -> tuple[Array, float] | None:
    """The largest ball of `cell` within the affine set of its own (or the hull's) equalities; None where it is flat."""
    centre, radius = cell.chebyshev()
    if not radius > 0.0 or (hull is not None and len(cell.C) > len(hull.C)):
        return None
    # Flat sets have balls in their own affine hull: there some row has no slack, however large the ball.
    if len(cell.A) and float((cell.A @ centre - cell.b).min()) <= STRICT * cell.scale:
        return None
    return centre, radius


def _keeps_off(cell: Polyhedron, other: Polyhedron, centre: Array, reach: float) -> bool:
    """Whether a plane of `other` has the whole ball on its far side; with no limit to the ball none has."""
    if not np.isfinite(reach):
        return False
    slack = TOUCH * max(cell.scale, reach)
    for row, offset, _ in sides(other):
        across = row - cell.C.T @ np.linalg.lstsq(cell.C.T, row, rcond=None)[0] if len(cell.C) else row
        if float(row @ centre) - offset + reach * float(np.linalg.norm(across)) <= slack:
            return True
    return False
