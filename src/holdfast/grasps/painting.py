"""Outlines into pictures: how much of each pixel a polygon covers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import Array

#: Lines on which each row of pixels is sampled; along a line the cover is exact.
LINES = 16


def coverage(outlines: Sequence[Array], shape: tuple[int, int], mm_per_px: float) -> Array:
    """Share (h, w) of each pixel that lies inside `outlines`, from 0 to 1.

    The outlines (n, 2) [mm] are closed; what runs counter-clockwise is filled, what runs clockwise inside it is left
    out. The origin is the middle of the picture and y points up. Each row of pixels is cut by `LINES` horizontal
    lines; on each of them the covered length of every pixel is exact.
    """
    height, width = shape
    total = np.zeros((height, width + 2))
    for outline in outlines:
        _add(total, outline / mm_per_px, height, width)
    return np.clip(np.cumsum(total, axis=1)[:, :width], 0.0, 1.0)


def _add(total: Array, points: Array, height: int, width: int) -> None:
    """Add the crossings of one outline in pixels; the running sum of a row is then the covered share of its pixels."""
    column = points[:, 0] + 0.5 * width  # left edge of the picture at 0
    line = (0.5 * height - points[:, 1]) * LINES - 0.5  # line number k lies at k
    start, end = line, np.roll(line, -1)
    left, right = column, np.roll(column, -1)
    low, high = np.minimum(start, end), np.maximum(start, end)
    first = np.maximum(np.ceil(low), 0.0).astype(np.int64)
    last = np.minimum(np.ceil(high) - 1.0, height * LINES - 1.0).astype(np.int64)  # a corner on a line counts once
    count = np.maximum(last - first + 1, 0)
    side = np.repeat(np.arange(len(points)), count)
    at = np.arange(len(side)) - np.repeat(np.cumsum(count) - count, count) + first[side]
    share = (at - start[side]) / (end[side] - start[side])
    x = np.clip(left[side] + share * (right[side] - left[side]), 0.0, float(width))
    # Counter-clockwise outlines run down (line numbers grow) on their left, where the inside begins.
    weight = np.where(end[side] > start[side], 1.0, -1.0) / LINES
    cell = np.floor(x).astype(np.int64)
    inside = x - cell
    row = at // LINES
    np.add.at(total, (row, cell), weight * (1.0 - inside))
    np.add.at(total, (row, cell + 1), weight * inside)
