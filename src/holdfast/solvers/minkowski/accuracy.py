"""How exact basic values are: refined from the true columns, and the part of them that rounding may have made.

Values x = B^-1 b that were multiplied out of the inverse miss the balance by rounding times the condition of the basis;
one step of refinement takes that away. What is left is what columns rounded in their last places would do: a basic
value below that cannot be told from zero, whichever way the program is written.
"""

from __future__ import annotations

import numpy as np

from .basis import COLUMN, FREE
from .compiling import inlined

#: Rounding of a scaled column, as a share of its largest entry: a few roundings of the maps and of the products.
ROUNDED = 8.0 * 2.220446049250313e-16

#: Rows of a basis whose largest entry is below this are rounding, and are not scaled up before an inversion.
NO_ROW = 1e-14


@inlined
def refine(columns, inverse, right, x, residual):
    """x += B^-1 (right - B x), one step of iterative refinement; `residual` (m,) is scratch."""
    m = len(x)
    for r in range(m):
        residual[r] = right[r]
    for i in range(m):
        for r in range(m):
            residual[r] -= columns[i, r] * x[i]
    for i in range(m):
        total = 0.0
        for r in range(m):
            total += inverse[i, r] * residual[r]
        x[i] += total


@inlined
def stretch_rows(columns, scales):
    """Scale each row of the basis to a largest entry near 1, by powers of two; `scales` (m,) says by how much."""
    m = len(columns)
    for r in range(m):
        size = 0.0
        for i in range(m):
            size = max(size, abs(columns[i, r]))
        scales[r] = 1.0
        if NO_ROW < size < 0.125 or 8.0 < size < 1.0 / NO_ROW:
            scales[r] = 2.0 ** -np.floor(np.log2(size))
            for i in range(m):
                columns[i, r] *= scales[r]


@inlined
def restore_rows(columns, inverse, scales):
    """Undo `stretch_rows`, and make the inverse of the stretched basis that of the basis itself."""
    m = len(columns)
    for r in range(m):
        if scales[r] != 1.0:
            for i in range(m):
                columns[i, r] /= scales[r]
                inverse[i, r] *= scales[r]


@inlined
def allow_rounding(columns, inverse, right, x, dust, most, margins):
    """margins (m,): how far each basic value may be off by rounding of columns and right side, at most `most`.

    A value within its margin is one that the program, rounded otherwise, gives back as zero.

    Args:
        columns, inverse, right, x: the basis and its values.
        dust: what far-off places add to the rounding of every row.
        most: no margin is larger than this.
        margins: where they go.
    """
    m = len(x)
    size = 0.0
    for r in range(m):
        size = max(size, abs(right[r]))
    for i in range(m):
        top = 0.0
        for r in range(m):
            top = max(top, abs(columns[i, r]))
        size += top * abs(x[i])
    for i in range(m):
        total = 0.0
        for r in range(m):
            total += abs(inverse[i, r])
        margins[i] = min(most, (ROUNDED * size + dust) * total)


@inlined
def within(kinds, x, margins):
    """Whether no weight is below zero, and no artificial column off it, by more than its margin."""
    for i in range(len(x)):
        if kinds[i] == COLUMN:
            if x[i] < -margins[i]:
                return False
        elif kinds[i] != FREE and abs(x[i]) > margins[i]:
            return False
    return True


@inlined
def drop_noise(inverse, column, alpha, dust):
    """Put entries of alpha = B^-1 column to zero that rounding of the column, and `dust`, could have made."""
    m = len(alpha)
    size = 0.0
    for r in range(m):
        size = max(size, abs(column[r]))
    for i in range(m):
        total = 0.0
        for r in range(m):
            total += abs(inverse[i, r])
        if abs(alpha[i]) <= (8.0 * ROUNDED + 2.0 * dust) * size * total:
            alpha[i] = 0.0
