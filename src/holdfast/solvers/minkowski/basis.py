"""A basis of columns with its dense inverse: multiply, exchange, invert anew.

A program over a sum has m = 6 + (hands that mix vertices) rows, so m is small and the inverse B^-1 is simply kept.
Row i of `inverse` belongs to the i-th basic variable; `columns[i]` is that variable's column.

Kinds of basic variables: `COLUMN` (a weight, >= 0), `FREE` (a coordinate of z) and `FIXED` (an artificial unit
column, which has to be zero; it stays in the basis where the sum spans less than all six dimensions).
"""

from __future__ import annotations

from ..exact.simplex import invert
from .compiling import inlined

__all__ = ["COLUMN", "FIXED", "FREE", "exchange", "invert", "multipliers", "solve"]

#: Kinds of basic variables.
COLUMN, FREE, FIXED = 0, 1, 2


@inlined
def solve(inverse, right, out):
    """out = B^-1 right: the basic variables' values; of a column that enters, how they change, with opposite sign."""
    m = len(inverse)
    for i in range(m):
        total = 0.0
        for r in range(m):
            total += inverse[i, r] * right[r]
        out[i] = total


@inlined
def multipliers(inverse, costs, y):
    """y = -costs B^-1: a column a with gain c improves the sum of costs while c + y . a > 0."""
    m = len(inverse)
    for r in range(m):
        y[r] = 0.0
    for i in range(m):
        cost = costs[i]
        if cost != 0.0:
            for r in range(m):
                y[r] -= cost * inverse[i, r]


@inlined
def exchange(inverse, alpha, row):
    """Update B^-1 after the column with B^-1 a = alpha has taken the place of the basic variable `row`."""
    m = len(inverse)
    scale = 1.0 / alpha[row]
    for r in range(m):
        inverse[row, r] *= scale
    for i in range(m):
        factor = alpha[i]
        if i != row and factor != 0.0:
            for r in range(m):
                inverse[i, r] -= factor * inverse[row, r]
