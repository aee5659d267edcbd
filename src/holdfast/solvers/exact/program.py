"""The compiled kernels' data: one linear program over contacts, and bases of it.

The program is  max d  with  sum_i M_i f_i + d b = 0  over n items: each contact's force f_i in the hull of its allowed
pieces, and each joint row's slack, an item whose "hull" is an interval. `simplex` tells how it is solved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...checks import Array, IntArray
from ...compiling import kernel

#: Slots of `Frames` with a purpose: the last solved root, trials, the first of the path to the node at hand. Typed,
#: because a bare literal has a type of its own, and kernels would be compiled anew for it.
ROOT, SCRATCH, FIRST = np.int64(0), np.int64(1), np.int64(2)

#: Rows of `Frames.items`.
MASK, KEY, MIXED = 0, 1, 2

#: Rows of `Frames.base`, and what WHO says of columns that are no vertex of an item.
WHO, VERTEX = 0, 1
ARTIFICIAL, FACTOR = -1, -2

#: Rows of `Frames.vectors`.
Y, RIGHT, X, GAIN = 0, 1, 2, 3


class Program(NamedTuple):
    """One linear program: n items, m rows."""

    rows: Array  # (m, 3 n) all M_i side by side
    size: Array  # (n,) Frobenius norm of M_i: rounding of M_i^T y is judged against it
    slack: Array  # (n,) by how much the weights of an item's vertices may be outside their bounds
    shape_of: IntArray  # (n,)
    unlimited: IntArray  # (m,) 1: no lower limit, 2: no upper limit of this row (cut off far away), else 0
    load: Array  # (m,) b
    bonus: float  # reward of the vertex 0


class Frames(NamedTuple):
    """Bases, one a slot: c slots.

    Each item has a key vertex that carries the weight its other basic vertices leave over. The m basic columns (d
    first, then vertices M_i (v - key_i), and artificial columns that must become zero) make the multipliers y unique.
    """

    items: IntArray  # (c, 3, n) allowed pieces, key vertex, number of basic vertices besides the key
    base: IntArray  # (c, 2, m) item and vertex of each basic column
    columns: Array  # (c, m, m) columns[j] is the j-th basic column
    inverse: Array  # (c, m, m) of the matrix of columns
    vectors: Array  # (c, 4, m) y, right-hand side, basic values, objective of artificial columns
    radius: Array  # (c, n) how far M_i^T y may move before the key could lose its lead
    along: Array  # (c, 3 n) M_i^T y


class Work(NamedTuple):
    """Room for intermediate numbers, so that no kernel allocates."""

    pace: Array  # (3 n,) M_i^T delta: how `along` moves
    delta: Array  # (m,)
    column: Array  # (m,)
    solved: Array  # (m,)
    matrix: Array  # (m, m)
    at: Array  # (n,) events of a line search
    rest: Array  # (n,)
    safe: Array  # (2, n) radius known at a step, and the step
    target: IntArray  # (n,)
    active: IntArray  # (n,)
    flipped: IntArray  # (2, 64 (n + m)) items and their old keys
    banned: IntArray  # (m + n,)


def new_frames(slots: int, n: int, m: int) -> Frames:
    """Room for `slots` bases of n items and m rows; memory is claimed when it is first written to."""
    return Frames(
        np.empty((slots, 3, n), dtype=np.int64),
        np.empty((slots, 2, m), dtype=np.int64),
        np.empty((slots, m, m)),
        np.empty((slots, m, m)),
        np.empty((slots, 4, m)),
        np.empty((slots, n)),
        np.empty((slots, 3 * n)),
    )


def new_work(n: int, m: int) -> Work:
    """Room for the kernels' intermediate numbers."""
    return Work(
        np.zeros(3 * n),
        np.zeros(m),
        np.zeros(m),
        np.zeros(m),
        np.zeros((m, m)),
        np.zeros(n),
        np.zeros(n),
        np.zeros((2, n)),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros((2, FLIPS_PER_ITEM * (n + m)), dtype=np.int64),
        np.zeros(m + n, dtype=np.int64),
    )


#: Flips that one line search may make, per item and row (never met in practice).
FLIPS_PER_ITEM = 64


@kernel
def copy_slot(frames, source, target):
    """Copy one basis."""
    n, m = frames.radius.shape[1], frames.base.shape[2]
    for i in range(n):
        for c in range(3):
            frames.items[target, c, i] = frames.items[source, c, i]
            frames.along[target, 3 * i + c] = frames.along[source, 3 * i + c]
        frames.radius[target, i] = frames.radius[source, i]
    for j in range(m):
        frames.base[target, WHO, j] = frames.base[source, WHO, j]
        frames.base[target, VERTEX, j] = frames.base[source, VERTEX, j]
        for r in range(m):
            frames.columns[target, j, r] = frames.columns[source, j, r]
            frames.inverse[target, j, r] = frames.inverse[source, j, r]
        for c in range(4):
            frames.vectors[target, c, j] = frames.vectors[source, c, j]
