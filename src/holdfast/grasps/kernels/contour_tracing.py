"""Walking around a labelled object: the level line of a picture between its inside and outside pixels, compiled."""

from __future__ import annotations

import numpy as np

from ...checks import Array, BoolArray
from .compiling import kernel


@kernel
def _walk(mask, field, level, row, column, side, points):
    """Follow the border with the inside on the left, from the `side` of pixel (row, column); number of points.

    Sides are 0 east, 1 north, 2 west, 3 south. Each point is where the straight line between an inside pixel and
    its outside neighbour reaches `level`. Points beyond the length of `points` are counted, not written.
    """
    r, c, d = row, column, side
    count = 0
    while True:
        dr = -1 if d == 1 else (1 if d == 3 else 0)
        dc = 1 if d == 0 else (-1 if d == 2 else 0)
        if count < points.shape[0]:
            here, there = field[r, c], field[r + dr, c + dc]
            share = 0.5
            if here != there:
                share = min(max((here - level) / (here - there), 0.0), 1.0)
            points[count, 0] = r + share * dr
            points[count, 1] = c + share * dc
        count += 1
        # ahead, counter-clockwise: north when the outside is to the east
        ar, ac = -dc, dr
        if not mask[r + ar, c + ac]:
            d = (d + 1) % 4
        elif not mask[r + ar + dr, c + ac + dc]:
            r, c = r + ar, c + ac
        else:
            r, c = r + ar + dr, c + ac + dc
            d = (d + 3) % 4
        if r == row and c == column and d == side:
            return count


def traced_ring(mask: BoolArray, field: Array, level: float, row: int, column: int, side: int) -> Array:
    """Level line (n, 2) in (row, column) around `mask` (h, w), whose outermost pixels must be outside.

    Args:
        mask: pixels of one 4-connected object, all above (or all below) `level` in `field`; False on the edge.
        field: (h, w) float32 grey values.
        level: grey value of the line.
        row, column, side: where to start: a pixel of the object whose neighbour on that side (0 east, 1 north,
            2 west, 3 south) is outside.
    """
    points = np.empty((max(4 * sum(mask.shape), 64), 2))
    count = _walk(mask, field, level, row, column, side, points)
    if count > len(points):
        points = np.empty((count, 2))
        _walk(mask, field, level, row, column, side, points)
    return points[:count].copy()
