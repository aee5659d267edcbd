"""Whether rings of straight edges cross or touch themselves or one another, compiled."""

from __future__ import annotations

import numpy as np

from ...checks import Array
from .compiling import kernel

#: Edges are ordered along this direction: slanted, so that the sides of upright parts do not all begin at one place.
SLANT = np.array([np.cos(0.6), np.sin(0.6)])

#: Spans along it are widened by this share of the coordinates, for their rounding.
ROUNDING = 1e-14


@kernel
def _turn(ax, ay, bx, by, cx, cy):
    """Twice the signed area of the triangle a, b, c."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@kernel
def _between(ax, ay, bx, by, cx, cy):
    """Whether c, on the line of a and b, lies between them."""
    return min(ax, bx) <= cx <= max(ax, bx) and min(ay, by) <= cy <= max(ay, by)


@kernel
def _meet(edges, i, j):
    """Whether the edges i and j (rows: ax, ay, bx, by) share a point."""
    ax, ay, bx, by = edges[i, 0], edges[i, 1], edges[i, 2], edges[i, 3]
    cx, cy, dx, dy = edges[j, 0], edges[j, 1], edges[j, 2], edges[j, 3]
    c, d = _turn(ax, ay, bx, by, cx, cy), _turn(ax, ay, bx, by, dx, dy)
    a, b = _turn(cx, cy, dx, dy, ax, ay), _turn(cx, cy, dx, dy, bx, by)
    if ((c > 0.0) != (d > 0.0)) and c != 0.0 and d != 0.0 and ((a > 0.0) != (b > 0.0)) and a != 0.0 and b != 0.0:
        return True
    if c == 0.0 and _between(ax, ay, bx, by, cx, cy):
        return True
    if d == 0.0 and _between(ax, ay, bx, by, dx, dy):
        return True
    if a == 0.0 and _between(cx, cy, dx, dy, ax, ay):
        return True
    return b == 0.0 and _between(cx, cy, dx, dy, bx, by)


@kernel
def _fold(edges, i, j):
    """Whether edge j, which starts where i ends, runs back along it."""
    ux, uy = edges[i, 2] - edges[i, 0], edges[i, 3] - edges[i, 1]
    vx, vy = edges[j, 2] - edges[j, 0], edges[j, 3] - edges[j, 1]
    return ux * vy - uy * vx == 0.0 and ux * vx + uy * vy < 0.0


@kernel
def _search(edges, spans, after, order, pair):
    """Edges ordered by where their spans along a slanted line begin; each is compared with those within its own."""
    n = edges.shape[0]
    for a in range(n):
        i = order[a]
        low, high = min(edges[i, 1], edges[i, 3]), max(edges[i, 1], edges[i, 3])
        for b in range(a + 1, n):
            j = order[b]
            if spans[j, 0] > spans[i, 1]:
                break
            if min(edges[j, 1], edges[j, 3]) > high or max(edges[j, 1], edges[j, 3]) < low:
                continue
            if after[i] == j:
                bad = _fold(edges, i, j)
            elif after[j] == i:
                bad = _fold(edges, j, i)
            else:
                bad = _meet(edges, i, j)
            if bad:
                pair[0], pair[1] = min(i, j), max(i, j)
                return True
    return False


def first_crossing(rings: tuple[Array, ...]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Two edges, each as (ring, index of its first point), that meet without being neighbours; None if none do.

    Neighbouring edges that fold back on each other count too. Rings are (n, 2) and close by themselves.
    """
    edges = np.concatenate([np.hstack([ring, np.roll(ring, -1, axis=0)]) for ring in rings])
    sizes = np.array([len(ring) for ring in rings])
    first = np.concatenate([[0], np.cumsum(sizes)])
    after = np.arange(1, len(edges) + 1)
    after[first[1:] - 1] = first[:-1]
    along = edges.reshape(-1, 2, 2) @ SLANT
    wider = ROUNDING * np.abs(along).max()
    spans = np.column_stack([along.min(axis=1) - wider, along.max(axis=1) + wider])
    order = np.argsort(spans[:, 0], kind="stable")
    pair = np.zeros(2, dtype=np.int64)
    if not _search(np.ascontiguousarray(edges), spans, after, order, pair):
        return None
    ring = np.searchsorted(first, pair, side="right") - 1
    at = pair - first[ring]
    return (int(ring[0]), int(at[0])), (int(ring[1]), int(at[1]))
