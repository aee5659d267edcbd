"""Connected pieces of a mask, found from the runs of its rows.

Own code: scipy.ndimage.label gives the same, but importing it takes longer than a whole first ranking.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import BoolArray, IntArray


def labelled(inside: BoolArray, *, diagonal: bool = False) -> tuple[IntArray, list[tuple[slice, slice]]]:
    """Labels (h, w) from 1 on of the connected pieces of a mask, in reading order, and the rows and columns of each.

    Outside it is 0; `diagonal`: diagonal neighbours connect too.
    """
    height, width = inside.shape
    stride = width + 1  # one pixel of outside ends every row
    padded = np.zeros((height, stride), dtype=np.int8)
    padded[:, :width] = inside
    edges = np.flatnonzero(np.diff(padded.ravel(), prepend=np.int8(0)))
    starts, ends = edges[::2], edges[1::2]
    # The runs of the next row that each run touches are neighbours of one another: first..past.
    first = np.searchsorted(ends, starts + stride, side="left" if diagonal else "right")
    past = np.searchsorted(starts, ends + stride, side="right" if diagonal else "left")
    touched = np.maximum(past - first, 0)
    above = np.repeat(np.arange(len(starts)), touched)
    below = np.repeat(first - np.cumsum(touched) + touched, touched) + np.arange(len(above))
    root = _roots(len(starts), above, below)
    number = np.cumsum(root == np.arange(len(root)))[root]
    values, lengths = np.zeros(2 * len(root) + 1, dtype=np.int32), np.empty(2 * len(root) + 1, dtype=np.int64)
    values[1::2] = number
    lengths[:-1] = np.diff(edges, prepend=0)
    lengths[-1] = height * stride - int(lengths[:-1].sum())
    labels: Any = np.ascontiguousarray(np.repeat(values, lengths).reshape(height, stride)[:, :width])
    return labels, _boxes(number, starts // stride, starts % stride, ends % stride)


def _roots(count: int, one: IntArray, other: IntArray) -> IntArray:
    """(count,) the smallest of the items that each is connected with, by the pairs `one` and `other`."""
    root = np.arange(count)
    while len(one):
        low, high = np.minimum(root[one], root[other]), np.maximum(root[one], root[other])
        apart = low < high
        one, other = one[apart], other[apart]
        np.minimum.at(root, high[apart], low[apart])
        while (root != root[root]).any():
            root = root[root]
    return root


def _boxes(number: IntArray, row: IntArray, first: IntArray, past: IntArray) -> list[tuple[slice, slice]]:
    """Rows and columns that each label covers, from the labels, rows and columns of all runs."""
    count = int(number.max(initial=0))
    low, high = np.full((2, count + 1), np.iinfo(np.int64).max), np.zeros((2, count + 1), dtype=np.int64)
    for axis, (begin, end) in enumerate(((row, row + 1), (first, past))):
        np.minimum.at(low[axis], number, begin)
        np.maximum.at(high[axis], number, end)
    corners = np.concatenate([low, high])[:, 1:].T.tolist()
    return [(slice(top, bottom), slice(left, right)) for top, left, bottom, right in corners]
